//! How numbers that may be infinite are stored. Where people read it, as they are: RON has `inf`, and JSON,
//! which knows no infinity, `null`; where nothing stands, `null` or `None`, there is no bound. In bytes, that
//! do not tell what they are, an infinite one has no value.

use core::fmt;

use serde::de::{self, Deserializer, IntoDeserializer};
use serde::{Deserialize, Serialize, Serializer};

use super::Double;

/// Reads a number, or this one where there is none.
struct Else<T>(T);

impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Else<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or nothing where there is no bound")
    }

    fn visit_f64<E: de::Error>(self, x: Double) -> Result<T, E> {
        T::deserialize(x.into_deserializer())
    }

    fn visit_i64<E: de::Error>(self, x: i64) -> Result<T, E> {
        T::deserialize(x.into_deserializer())
    }

    fn visit_u64<E: de::Error>(self, x: u64) -> Result<T, E> {
        T::deserialize(x.into_deserializer())
    }

    fn visit_none<E: de::Error>(self) -> Result<T, E> {
        Ok(self.0)
    }

    fn visit_unit<E: de::Error>(self) -> Result<T, E> {
        Ok(self.0)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::deserialize(deserializer)
    }
}

fn write<T: Copy + PartialEq + Serialize, S: Serializer>(
    x: T,
    none: T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        x.serialize(serializer)
    } else {
        Some(x).filter(|x| *x != none).serialize(serializer)
    }
}

fn read<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    none: T,
    deserializer: D,
) -> Result<T, D::Error> {
    if deserializer.is_human_readable() {
        deserializer.deserialize_any(Else(none))
    } else {
        deserializer.deserialize_option(Else(none))
    }
}

/// Numbers of which infinity means that there is no upper bound.
pub(crate) mod above {
    use super::{Deserialize, Deserializer, Serialize, Serializer};
    use crate::math::Single;

    pub fn serialize<T, S: Serializer>(x: &T, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Copy + From<Single> + PartialEq + Serialize,
    {
        super::write(*x, Single::INFINITY.into(), serializer)
    }

    pub fn deserialize<'de, T, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error>
    where
        T: Deserialize<'de> + From<Single>,
    {
        super::read(Single::INFINITY.into(), deserializer)
    }
}

/// As [`above`], but as they are in bytes, too, which know infinity: those of settings, which snapshots hold.
pub(crate) mod number {
    use super::{Deserialize, Deserializer, Serialize, Serializer};
    use crate::math::Single;

    pub fn serialize<T: Serialize, S: Serializer>(x: &T, serializer: S) -> Result<S::Ok, S::Error> {
        x.serialize(serializer)
    }

    pub fn deserialize<'de, T, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error>
    where
        T: Deserialize<'de> + From<Single>,
    {
        if deserializer.is_human_readable() {
            super::read(Single::INFINITY.into(), deserializer)
        } else {
            T::deserialize(deserializer)
        }
    }
}

/// Numbers of which minus infinity means that there is no lower bound.
pub(crate) mod below {
    use super::{Deserialize, Deserializer, Serialize, Serializer};
    use crate::math::Single;

    pub fn serialize<T, S: Serializer>(x: &T, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Copy + From<Single> + PartialEq + Serialize,
    {
        super::write(*x, Single::NEG_INFINITY.into(), serializer)
    }

    pub fn deserialize<'de, T, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error>
    where
        T: Deserialize<'de> + From<Single>,
    {
        super::read(Single::NEG_INFINITY.into(), deserializer)
    }
}

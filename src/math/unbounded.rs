//! How numbers that may be infinite are stored. Where people read it, as they are: RON has `inf`, and JSON,
//! which knows no infinity, `null`; where nothing stands, `null` or `None`, there is no bound. In bytes, that
//! do not tell what they are, an infinite one has no value.

use core::fmt;

use serde::de::{self, Deserializer, IntoDeserializer};
use serde::{Deserialize, Serialize, Serializer};

use super::{Double, Single};

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

/// Numbers of which infinity means that there is no bound: above, or minus infinity below.
pub(crate) struct Unbounded<const ABOVE: bool>;

/// Without an upper bound.
pub(crate) type Above = Unbounded<true>;
/// Without a lower bound.
pub(crate) type Below = Unbounded<false>;

impl<const ABOVE: bool> Unbounded<ABOVE> {
    fn none<T: From<Single>>() -> T {
        if ABOVE { Single::INFINITY.into() } else { Single::NEG_INFINITY.into() }
    }

    pub(crate) fn serialize<T, S: Serializer>(x: &T, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Copy + From<Single> + PartialEq + Serialize,
    {
        if serializer.is_human_readable() {
            x.serialize(serializer)
        } else {
            Some(*x).filter(|x| *x != Self::none()).serialize(serializer)
        }
    }

    pub(crate) fn deserialize<'de, T, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error>
    where
        T: Deserialize<'de> + From<Single>,
    {
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(Else(Self::none()))
        } else {
            deserializer.deserialize_option(Else(Self::none()))
        }
    }
}

/// As [`Above`], but as they are in bytes, too, which know infinity: those of settings, which snapshots hold.
pub(crate) mod number {
    use super::{Above, Deserialize, Deserializer, Serialize, Serializer, Single};

    pub fn serialize<T: Serialize, S: Serializer>(x: &T, serializer: S) -> Result<S::Ok, S::Error> {
        x.serialize(serializer)
    }

    pub fn deserialize<'de, T, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error>
    where
        T: Deserialize<'de> + From<Single>,
    {
        if deserializer.is_human_readable() {
            Above::deserialize(deserializer)
        } else {
            T::deserialize(deserializer)
        }
    }
}

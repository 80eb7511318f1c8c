//! How numbers that may be infinite are stored: without a value, because not every format (JSON) knows
//! infinity.

/// Numbers of which infinity means that there is no upper bound.
pub(crate) mod above {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::math::Real;

    pub fn serialize<S: Serializer>(x: &Real, serializer: S) -> Result<S::Ok, S::Error> {
        Some(*x).filter(|&x| x != Real::INFINITY).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Real, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(Real::INFINITY))
    }
}

/// Numbers of which minus infinity means that there is no lower bound.
pub(crate) mod below {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::math::Real;

    pub fn serialize<S: Serializer>(x: &Real, serializer: S) -> Result<S::Ok, S::Error> {
        Some(*x).filter(|&x| x != Real::NEG_INFINITY).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Real, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(Real::NEG_INFINITY))
    }
}

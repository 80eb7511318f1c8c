//! Pivoting methods on the step problem in rows: exact, for small problems and as the oracle of tests.

pub mod lemke;
pub mod pivoting;

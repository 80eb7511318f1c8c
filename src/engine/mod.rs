pub mod lcp;
pub mod ratio;
pub mod shape;

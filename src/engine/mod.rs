pub mod lcp;
pub mod shape;

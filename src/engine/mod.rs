pub mod event;
pub mod lcp;
pub mod ratio;
pub mod shape;

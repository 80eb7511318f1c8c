pub mod event;
pub mod lcp;
pub mod shape;

pub mod hull;

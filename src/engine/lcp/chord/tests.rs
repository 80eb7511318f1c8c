//! The chord Newton against rows: same problem, same measures, same matrix, same answers.

mod bounded;
mod products;
mod rows;
mod solutions;
mod world;

use super::*;
use world::World;

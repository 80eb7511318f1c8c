//! Tests of hulls and shapes: laws and slow oracles over seeded random input.

mod hulls;

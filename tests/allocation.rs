//! A steady step does not allocate.

#[path = "support/counting.rs"]
mod counting;
mod support;

use counting::{Counting, allocations};
use orthant::engine::lcp::Method;
use orthant::engine::settings::Settings;
use support::{DT, heap, stack};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_counter_counts() {
    let made = allocations(3, || drop(std::hint::black_box(Box::new(1_u64))));
    assert_eq!(made, 3, "one box each");
}

#[test]
fn steady_steps_do_not_allocate() {
    for method in [Method::Auto, Method::Newton, Method::Pgs] {
        let mut settings = Settings::default();
        settings.solver.method = method;
        for (name, mut world) in [("stack", stack(8).0), ("heap", heap(12).0)] {
            for _ in 0..400 {
                world.step(&settings, DT);
            }
            let made = allocations(60, || {
                world.step(&settings, DT);
            });
            assert_eq!(made, 0, "{name}, {method:?}: {made} allocations in 60 steps");
        }
    }
}

//! A steady step does not allocate.
#![allow(unsafe_code, reason = "an allocator that counts must implement an unsafe trait")]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use orthant::engine::lcp::Method;
use orthant::engine::settings::Settings;
use support::{DT, heap, stack};

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(steps: usize, mut step: impl FnMut()) -> usize {
    let before = COUNT.get();
    (0..steps).for_each(|_| step());
    COUNT.get() - before
}

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

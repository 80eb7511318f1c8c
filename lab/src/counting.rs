//! An allocator that counts the allocations of its thread, and its bytes.
#![allow(unsafe_code, reason = "GlobalAlloc asks for it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator with a counter.
pub struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count() {
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

/// Adds to the bytes that are taken.
fn take(more: usize, less: usize) {
    let _ = BYTES.try_with(|bytes| bytes.set(bytes.get() + more as isize - less as isize));
    let _ = MOST.try_with(|most| most.set(most.get().max(BYTES.get())));
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        take(layout.size(), 0);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        take(0, layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        take(size, layout.size());
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Allocations of this thread while `step` runs `steps` times.
pub fn allocations(steps: usize, mut step: impl FnMut()) -> usize {
    let before = COUNT.get();
    (0..steps).for_each(|_| step());
    COUNT.get() - before
}

/// Bytes that what `make` returns takes on the heap, made and freed on this thread.
pub fn bytes<T>(make: impl FnOnce() -> T) -> isize {
    let before = BYTES.get();
    let made = make();
    let taken = BYTES.get() - before;
    drop(made);
    taken
}

/// Bytes on the heap that this thread took and has not freed.
pub fn held() -> isize {
    BYTES.get()
}

/// Most bytes on the heap that `work` takes at one time, on this thread.
pub fn most_bytes(work: impl FnOnce()) -> isize {
    let before = BYTES.get();
    MOST.set(before);
    work();
    MOST.get() - before
}

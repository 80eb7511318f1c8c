//! Who inherits what an island keeps: whoever has most of its bodies, whichever is the first of them.

use super::*;
use crate::engine::state::body::{BodyDesc, BodyKind};

const BODIES: u32 = 8;

fn bodies() -> Vec<Body> {
    let desc = || BodyDesc { kind: BodyKind::Static, ..BodyDesc::default() };
    let body = |i| Body::new(BodyId(u64::from(i)), desc()).expect("a sound body");
    (0..BODIES).map(body).collect()
}

/// A step with these islands, that with the first body first; what each had saved. New ones save their
/// number.
fn step(memories: &mut Memories, parts: &[&[u32]]) -> Vec<Option<Double>> {
    let bodies = bodies();
    let edges = parts.iter().flat_map(|part| part.windows(2).map(|two| [two[0], two[1]]));
    let is_in = |i: u32| parts.iter().any(|part| part.contains(&i));
    let mut islands = Islands::default();
    islands.build(&(0..BODIES).map(is_in).collect::<Vec<_>>(), edges);
    assert_eq!(islands.len(), parts.len(), "as they are listed");
    memories.begin(&bodies, &islands, &vec![false; parts.len()], |_| true);
    let mut had = Vec::new();
    for k in 0..parts.len() {
        let mut memory = memories.recall(k, islands.members_of(k), &bodies);
        had.push(memory.savings);
        memory.savings.get_or_insert(k as Double);
        memories.keep(memory);
    }
    had
}

#[test]
fn another_first_body_takes_nothing_away() {
    for newcomer in [0, 7] {
        let mut memories = Memories::default();
        assert_eq!(step(&mut memories, &[&[2, 3, 4]]), [None], "new");
        let joined = if newcomer == 0 { [0, 2, 3, 4] } else { [2, 3, 4, 7] };
        assert_eq!(step(&mut memories, &[&joined]), [Some(0.0)], "{newcomer} joins");
        assert_eq!(step(&mut memories, &[&[2, 3, 4]]), [Some(0.0)], "{newcomer} leaves");
    }
}

#[test]
fn most_of_the_bodies_inherit() {
    let mut memories = Memories::default();
    step(&mut memories, &[&[0, 1], &[2, 3, 4]]);
    assert_eq!(step(&mut memories, &[&[0, 1, 2, 3, 4]]), [Some(1.0)], "of the larger of two");
    let parts: [&[u32]; 3] = [&[0, 4], &[1, 2, 3], &[5, 6]];
    assert_eq!(step(&mut memories, &parts), [None, Some(1.0), None], "the larger part");
    let halves: [&[u32]; 4] = [&[0], &[1], &[2, 3], &[4]];
    assert_eq!(step(&mut memories, &halves), [None, None, Some(1.0), None], "two of three");
    assert_eq!(step(&mut memories, &[&[2], &[3]]), [None, None], "no half is more than half");
}

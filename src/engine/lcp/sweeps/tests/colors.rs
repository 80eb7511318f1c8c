//! Colors are what they claim to be.

use super::*;
use crate::engine::lcp::sweeps::color::{Coloring, Item};

/// Every item once, no body twice in a group, groups no larger than the lanes.
fn check(coloring: &Coloring, items: &[Item], bodies: usize, lanes: usize) {
    let mut seen = vec![0; items.len()];
    for group in coloring.groups(lanes) {
        assert!(!group.is_empty() && group.len() <= lanes, "a group fits its lanes");
        let mut used = vec![false; bodies];
        for &i in &coloring.order.items[group] {
            seen[i as usize] += 1;
            let [a, b, _] = items[i as usize];
            let pair = if a == b { [a, u32::MAX] } else { [a, b] };
            for body in pair {
                if let Some(used) = used.get_mut(body as usize) {
                    assert!(!*used, "a body is in two lanes");
                    *used = true;
                }
            }
        }
    }
    assert!(seen.iter().all(|&n| n == 1), "every item is in one group");
}

#[test]
fn groups_share_no_body() {
    let mut random = Random::new(5);
    let mut coloring = Coloring::default();
    for round in 0..50 {
        let bodies = 1 + random.below(40);
        let items: Vec<Item> = (0..random.below(300))
            .map(|_| {
                let a = random.below(bodies + 1) as u32;
                let b = random.below(bodies + 1) as u32;
                [a, b, 1 + random.below(4) as u32]
            })
            .collect();
        coloring.update(bodies, items.iter().copied());
        check(&coloring, &items, bodies, if round % 2 == 0 { 8 } else { 1 });
        let mut fresh = Coloring::default();
        fresh.update(bodies, items.iter().copied());
        assert_eq!(
            fresh.order.items, coloring.order.items,
            "what was there before does not matter"
        );
    }
}

/// Number of colors, without the overflow.
fn colors(coloring: &Coloring) -> usize {
    coloring.ends.iter().filter(|&&end| end > 0).count()
}

#[test]
fn a_hub_overflows_into_single_lanes() {
    let items: Vec<Item> = (1..=100).map(|i| [0, i, 4]).collect();
    let mut coloring = Coloring::default();
    coloring.update(101, items.iter().copied());
    check(&coloring, &items, 101, 8);
    assert_eq!(colors(&coloring), 64, "as many colors as there are");
    assert_eq!(coloring.groups(8).count(), 100, "the hub is in every group");
}

#[test]
fn few_colors_serve_a_wall() {
    let world = World::pyramid(20);
    let items = world.manifolds.iter().map(|m| [m.a, m.b, m.count]);
    let mut coloring = Coloring::default();
    coloring.update(world.bodies.len(), items);
    assert!(colors(&coloring) <= 6, "{} colors", colors(&coloring));
    let groups = coloring.groups(8).count();
    assert!(groups <= world.manifolds.len() / 8 + 6, "{groups} groups");
}

//! The broad phase against all boxes compared with all, in worlds to which everything happens.

mod crowd;
mod oracle;
mod tree;
mod worlds;

use self::oracle::Oracle;
use self::worlds::{Random, World};
use super::tree::Tree;
use super::{BroadPhase, MotionBound};
use crate::engine::Simulation;
use crate::engine::geometry::shape::Aabb;
use crate::engine::lcp::tests::random;
use crate::engine::settings::Settings;
use crate::engine::state::pair_key::PairKey;
use crate::engine::state::pairs::Pairs;
use crate::math::{Real, Vec3};

fn keys(world: &Simulation) -> Vec<PairKey> {
    world.pairs().iter().map(|pair| pair.key).collect()
}

/// Candidates and reaches are those of the oracle, in every step; so they are if the broad phase knows
/// nothing of what was before.
fn agrees(seed: u64, steps: u32) -> usize {
    let mut world = World::new(seed);
    let mut oracle = Oracle::default();
    let mut most = 0;
    for step in 0..steps {
        world.change();
        let (settings, dt) = (world.settings, world.dt);
        let engine = &mut world.engine;
        assert!(engine.begin(&settings, dt), "the settings are in range");
        let mut anew = engine.clone();
        (anew.work.broad, anew.pairs) = (BroadPhase::default(), Pairs::default());
        engine.find_pairs(&settings);
        anew.find_pairs(&settings);
        oracle.find(engine, &settings);
        assert_eq!(keys(engine), oracle.keys(), "pairs, seed {seed}, step {step}");
        assert_eq!(keys(&anew), oracle.candidates(), "anew, seed {seed}, step {step}");
        let reach: &[MotionBound] = &oracle.reach;
        assert_eq!(engine.work.broad.reach, reach, "reaches, seed {seed}, step {step}");
        assert_eq!(anew.work.broad.reach, reach, "reaches anew, seed {seed}, step {step}");
        most = most.max(oracle.keys().len());
        world.filter(|key| oracle.drop(key));
        let engine = &mut world.engine;
        engine.find_contacts(&settings);
        engine.build_islands();
        engine.assemble(&settings);
        engine.solve(&settings);
        engine.integrate();
        engine.finish();
    }
    most
}

#[test]
fn candidates_are_those_of_all_boxes_compared_with_all() {
    let most = (0..10).map(|seed| agrees(seed, 150)).max();
    assert!(most > Some(60), "there are pairs: {most:?}");
}

fn random_box(rng: &mut Random) -> Aabb {
    let (at, half) = (rng.vector(5.0), rng.vector(1.0).abs());
    Aabb { min: at - half, max: at + half }
}

#[test]
fn a_tree_finds_what_meets_a_box_whatever_came_and_went() {
    for seed in 0..8 {
        let mut rng = Random(random::Random::new(seed));
        let mut tree = Tree::default();
        let mut leaves: Vec<(u32, u32, Aabb)> = Vec::new();
        for item in 0..600 {
            let some = leaves.len().max(1);
            match rng.below(4) {
                0 if !leaves.is_empty() => {
                    let (leaf, _, _) = leaves.swap_remove(rng.below(some));
                    tree.remove(leaf);
                }
                1 if !leaves.is_empty() => {
                    let moved = &mut leaves[rng.below(some)];
                    moved.2 = random_box(&mut rng);
                    tree.set(moved.0, moved.2);
                }
                _ => {
                    let bounds = random_box(&mut rng);
                    leaves.push((tree.insert(bounds, item), item, bounds));
                }
            }
            tree.check(leaves.len());
            let query = random_box(&mut rng);
            let mut found = Vec::new();
            tree.overlaps(query, |item| found.push(item));
            found.sort_unstable();
            let meeting = leaves.iter().filter(|leaf| leaf.2.meets(query));
            let mut expected: Vec<u32> = meeting.map(|leaf| leaf.1).collect();
            expected.sort_unstable();
            assert_eq!(found, expected, "seed {seed}, item {item}");
        }
    }
}

#[test]
fn a_tree_of_boxes_in_a_row_is_not_deep() {
    let mut tree = Tree::default();
    for item in 0..1000_u16 {
        let at = Vec3::X * Real::from(item);
        tree.insert(Aabb { min: at, max: at + Vec3::ONE }, u32::from(item));
    }
    let depth = tree.check(1000);
    assert!(depth <= 24, "depth {depth} for a thousand in a row");
}

/// Boxes that drift among each other stay in a tree that costs hardly more than one made of them anew.
#[test]
fn a_tree_of_boxes_that_wander_stays_as_good_as_a_new_one() {
    let mut rng = Random(random::Random::new(3));
    let mut tree = Tree::default();
    let mut leaves: Vec<(u32, Aabb)> = Vec::new();
    for item in 0..500 {
        let bounds = random_box(&mut rng);
        leaves.push((tree.insert(bounds, item), bounds));
    }
    for _ in 0..200 {
        for (leaf, bounds) in &mut leaves {
            let by = rng.vector(0.3);
            let middle = (bounds.min + bounds.max) * 0.5;
            // Back towards where all of them are.
            let by = by - middle * 0.01;
            *bounds = Aabb { min: bounds.min + by, max: bounds.max + by };
            tree.set(*leaf, *bounds);
        }
    }
    tree.check(leaves.len());
    let mut new = Tree::default();
    for (item, &(_, bounds)) in (0..).zip(&leaves) {
        new.insert(bounds, item);
    }
    let [wandered, new] = [tree.cost(), new.cost()];
    assert!(wandered <= 1.25 * new, "{wandered} m², made anew {new} m²");
}

#[test]
fn what_sleeps_is_not_looked_at() {
    let mut world = World::new(3);
    world.settings = Settings::default();
    world.settle();
    let (settings, dt) = (world.settings, world.dt);
    let engine = &mut world.engine;
    assert!(engine.sleepers().count() > 10, "they sleep");
    for _ in 0..2 {
        engine.step(&settings, dt);
    }
    let broad = &engine.work.broad;
    assert!(broad.live.is_empty(), "no body is live: {:?}", broad.live);
    assert!(broad.near.listed.iter().all(|&word| word == 0), "no near pair is looked at");
}

//! Order and pattern.

use super::matrices::random_system;
use crate::engine::lcp::factor::{Order, Pattern};
use crate::engine::lcp::tests::random::Random;

/// Rows of every column of the factor by elimination on a matrix of flags.
fn eliminated(pattern: &Pattern, edges: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let n = pattern.nodes();
    let mut is_set = vec![vec![false; n]; n];
    for edge in edges {
        let [a, b] = edge.map(|node| pattern.position[node as usize] as usize);
        is_set[a][b] = true;
        is_set[b][a] = true;
    }
    let mut columns = Vec::new();
    for k in 0..n {
        let rows: Vec<usize> = (k + 1..n).filter(|i| is_set[*i][k]).collect();
        for i in &rows {
            for j in &rows {
                is_set[*i][*j] = true;
            }
        }
        columns.push(rows.iter().map(|i| *i as u32).collect());
    }
    columns
}

#[test]
fn blocks_are_those_of_elimination() {
    let mut random = Random::new(21);
    let mut pattern = Pattern::default();
    for case in 0..60 {
        let bodies = 1 + random.below(90);
        let (contacts, joints) = (random.below(3 * bodies), random.below(bodies));
        let system = random_system(&mut random, bodies, contacts, joints, 1e-3);
        assert!(
            pattern.build(&mut Order::default(), bodies, joints, &system.edges),
            "case {case} is new"
        );
        let mut seen = vec![false; pattern.nodes()];
        for node in pattern.sequence() {
            assert!(!seen[*node as usize], "case {case}: node {node} comes once");
            seen[*node as usize] = true;
        }
        assert!(seen.iter().all(|seen| *seen), "case {case}: all nodes are eliminated");
        let columns = eliminated(&pattern, &system.edges);
        for (k, rows) in columns.iter().enumerate() {
            assert_eq!(&pattern.row[pattern.column(k)], &rows[..], "case {case}: column {k}");
        }
        for (e, edge) in system.edges.iter().enumerate() {
            let (slot, is_swapped) = pattern.slot(e);
            let [row, column] = if is_swapped { [edge[1], edge[0]] } else { *edge };
            let at = pattern.position[column as usize] as usize;
            assert!(pattern.column(at).contains(&(slot as usize)), "case {case}: column of {e}");
            let row_at = pattern.position[row as usize];
            assert_eq!(pattern.row[slot as usize], row_at, "case {case}: row of edge {e}");
        }
    }
}

/// The least degree at every step, on a matrix of flags.
#[test]
fn nodes_of_least_degree_go_first() {
    let mut random = Random::new(22);
    let mut pattern = Pattern::default();
    for case in 0..40 {
        let bodies = 2 + random.below(80);
        let system = random_system(&mut random, bodies, 2 * bodies, 0, 1e-3);
        pattern.build(&mut Order::default(), bodies, 0, &system.edges);
        let mut is_set = vec![vec![false; bodies]; bodies];
        for [a, b] in &system.edges {
            is_set[*a as usize][*b as usize] = true;
            is_set[*b as usize][*a as usize] = true;
        }
        let mut left: Vec<usize> = (0..bodies).collect();
        for node in pattern.sequence() {
            let node = *node as usize;
            let degree = |i: usize| left.iter().filter(|j| **j != i && is_set[i][**j]).count();
            let least = left.iter().map(|i| degree(*i)).min();
            assert_eq!(Some(degree(node)), least, "case {case}: node {node}");
            left.retain(|i| *i != node);
            let rows: Vec<usize> = left.iter().copied().filter(|i| is_set[*i][node]).collect();
            for i in &rows {
                for j in &rows {
                    is_set[*i][*j] = true;
                }
            }
        }
    }
}

#[test]
fn joints_come_after_their_bodies() {
    let mut random = Random::new(23);
    let mut pattern = Pattern::default();
    for case in 0..40 {
        let bodies = 3 + random.below(40);
        let joints = 1 + random.below(2 * bodies);
        let system = random_system(&mut random, bodies, bodies, joints, 1e-3);
        pattern.build(&mut Order::default(), bodies, joints, &system.edges);
        let joints_of = |body: u32| {
            let near = pattern.graph.neighbors(body as usize).iter();
            near.filter(|node| **node as usize >= bodies).count()
        };
        for joint in bodies..bodies + joints {
            for body in pattern.graph.neighbors(joint) {
                let is_before = pattern.position[*body as usize] < pattern.position[joint];
                assert!(is_before || joints_of(*body) > 8, "case {case}: joint {joint}, {body}");
            }
        }
    }
}

/// A wheel has no fill: its spokes come before the hub, each after its own body, and where two
/// joints lead to the same body the second waits for both.
#[test]
fn hubs_come_after_their_joints() {
    let mut pattern = Pattern::default();
    let spokes = 40;
    let mut edges = Vec::new();
    for spoke in 0..spokes {
        edges.push([1 + spoke, 1 + spokes + spoke]);
        edges.push([1 + spokes + spoke, 0]);
    }
    let bodies = 1 + spokes as usize;
    pattern.build(&mut Order::default(), bodies, spokes as usize, &edges);
    assert_eq!(pattern.blocks(), edges.len(), "no fill");
    let second = 1 + 2 * spokes;
    edges.push([second, 3]);
    edges.push([second, 0]);
    pattern.build(&mut Order::default(), bodies, spokes as usize + 1, &edges);
    assert!(pattern.position[second as usize] > pattern.position[0], "after the hub");
    assert!(pattern.position[second as usize] > pattern.position[3], "after the spoke");
}

#[test]
fn the_same_graph_is_not_built_again() {
    let mut pattern = Pattern::default();
    let edges = [[0, 1], [1, 2], [3, 0], [3, 2]];
    assert!(pattern.build(&mut Order::default(), 3, 1, &edges), "new");
    assert!(!pattern.build(&mut Order::default(), 3, 1, &edges), "the same");
    assert!(pattern.build(&mut Order::default(), 4, 0, &edges), "a joint became a body");
    assert!(pattern.build(&mut Order::default(), 4, 1, &edges), "a node more");
    assert!(pattern.build(&mut Order::default(), 4, 1, &edges[..3]), "an edge less");
    assert!(pattern.build(&mut Order::default(), 4, 1, &[[0, 1], [1, 2], [3, 1]]), "another edge");
}

/// Every joint of a chain but the last has a block to the next one.
#[test]
fn chains_have_one_block_a_joint_of_fill() {
    let mut pattern = Pattern::default();
    for bodies in [2, 3, 17, 200] {
        let joints = bodies - 1;
        let edges: Vec<[u32; 2]> =
            (0..joints).flat_map(|j| [[bodies + j, j], [j + 1, bodies + j]]).collect();
        pattern.build(&mut Order::default(), bodies as usize, joints as usize, &edges);
        let expected = edges.len() + joints as usize - 1;
        assert_eq!(pattern.blocks(), expected, "{bodies} bodies");
    }
}

/// Trees of at most three joints a body: the cost is linear, whatever the size.
#[test]
fn trees_have_bounded_fill() {
    let mut random = Random::new(24);
    let mut pattern = Pattern::default();
    for case in 0..20 {
        let bodies = 2 + random.below(600);
        let (mut edges, mut joints_of) = (Vec::new(), vec![0; bodies]);
        for body in 1..bodies {
            let mut parent = random.below(body);
            while joints_of[parent] == 3 {
                parent = (parent + 1) % body;
            }
            joints_of[parent] += 1;
            joints_of[body] += 1;
            let joint = (bodies + body - 1) as u32;
            edges.push([joint, parent as u32]);
            edges.push([body as u32, joint]);
        }
        pattern.build(&mut Order::default(), bodies, bodies - 1, &edges);
        let (blocks, work) = (pattern.blocks(), pattern.work());
        assert!(blocks < 5 * bodies, "case {case}: {blocks} blocks, {bodies} bodies");
        assert!(work < 16 * bodies as u64, "case {case}: work {work}, {bodies} bodies");
    }
}

//! Order and pattern.

use super::matrices::random_system;
use crate::engine::lcp::factor::Pattern;
use crate::engine::lcp::factor::order::Rule;
use crate::engine::lcp::factor::symbolic::Fill;
use crate::engine::lcp::random::Random;

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
        assert!(pattern.build(bodies, joints, &system.edges), "case {case} is new");
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
        pattern.build(bodies, 0, &system.edges);
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
        let nodes = bodies + joints;
        for rule in [Rule::AfterOne, Rule::AfterAll] {
            pattern.build_by(bodies, nodes, &system.edges, Fill::Full, rule);
            for joint in bodies..nodes {
                let near = pattern.graph.neighbors(joint).iter();
                let before = near
                    .clone()
                    .filter(|b| pattern.position[**b as usize] < pattern.position[joint]);
                let needed = if rule == Rule::AfterAll { near.len() } else { 1 };
                assert!(before.count() >= needed, "case {case}: joint {joint}, {rule:?}");
            }
        }
    }
}

#[test]
fn the_same_graph_is_not_built_again() {
    let mut pattern = Pattern::default();
    let edges = [[0, 1], [1, 2], [3, 0], [3, 2]];
    assert!(pattern.build(3, 1, &edges), "new");
    assert!(!pattern.build(3, 1, &edges), "the same");
    assert!(pattern.build(4, 0, &edges), "a joint became a body");
    assert!(pattern.build(4, 1, &edges), "a node more");
    assert!(pattern.build(4, 1, &edges[..3]), "an edge less");
    assert!(pattern.build(4, 1, &[[0, 1], [1, 2], [3, 1]]), "another edge");
    assert!(pattern.build_with(4, 1, &[[0, 1], [1, 2], [3, 1]], Fill::None), "another fill");
    assert!(!pattern.build_with(4, 1, &[[0, 1], [1, 2], [3, 1]], Fill::None), "the same");
}

#[test]
fn trees_have_no_fill() {
    let mut random = Random::new(24);
    let mut pattern = Pattern::default();
    for case in 0..20 {
        // Every body hangs on an earlier one by a joint.
        let bodies = 2 + random.below(300);
        let mut edges = Vec::new();
        for body in 1..bodies {
            let joint = (bodies + body - 1) as u32;
            edges.push([joint, random.below(body) as u32]);
            edges.push([body as u32, joint]);
        }
        pattern.build(bodies, bodies - 1, &edges);
        assert_eq!(pattern.blocks(), edges.len(), "case {case}");
    }
}

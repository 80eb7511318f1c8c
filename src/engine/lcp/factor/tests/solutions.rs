//! Solutions of random systems.

use super::matrices::{dense_solve, largest, largest_difference, random_system, solve};
use super::multiply;
use crate::engine::lcp::factor::{Block, Factor, NodeLanes, Order, Pattern};
use crate::engine::lcp::tests::random::Random;
use crate::math::{Double, Scalar, Single};

#[test]
fn solutions_agree_with_dense_elimination() {
    let mut random = Random::new(11);
    let (mut pattern, mut factor) = (Pattern::default(), Factor::<Double>::default());
    for case in 0..60 {
        let bodies = 1 + random.below(12);
        let (contacts, joints) = (random.below(3 * bodies), random.below(bodies + 3));
        let system = random_system(&mut random, bodies, contacts, joints, 1e-3);
        pattern.build(&mut Order::default(), bodies, joints, &system.edges);
        system.write(&pattern, &mut factor);
        assert!(factor.factor(&pattern), "case {case} is quasi-definite");
        let b = system.random_vector(&mut random);
        let x = solve(&factor, &pattern, &b);
        let exact = dense_solve(system.dense(), &b);
        let error = largest_difference(&x, &exact) / largest(&exact);
        assert!(error < 1e-10, "case {case}: error {error}");
        let residual = system.residual(&x, &b);
        assert!(residual < 1e-10, "case {case}: residual {residual}");
    }
}

#[test]
fn single_precision_keeps_its_digits() {
    let mut random = Random::new(12);
    let (mut pattern, mut factor) = (Pattern::default(), Factor::<Single>::default());
    for case in 0..60 {
        let bodies = 1 + random.below(12);
        let (contacts, joints) = (random.below(3 * bodies), random.below(bodies + 3));
        let system = random_system(&mut random, bodies, contacts, joints, 0.1);
        pattern.build(&mut Order::default(), bodies, joints, &system.edges);
        system.write(&pattern, &mut factor);
        assert!(factor.factor(&pattern), "case {case} is quasi-definite");
        let b = system.random_vector(&mut random);
        let residual = system.residual(&solve(&factor, &pattern, &b), &b);
        assert!(residual < 2e-4, "case {case}: residual {residual}");
    }
}

#[test]
fn a_pivot_of_the_wrong_sign_is_told() {
    let mut random = Random::new(13);
    let (mut pattern, mut factor) = (Pattern::default(), Factor::<Double>::default());
    for case in 0..20 {
        let mut system = random_system(&mut random, 6, 8, 4, 1e-3);
        pattern.build(&mut Order::default(), 6, 4, &system.edges);
        system.write(&pattern, &mut factor);
        assert!(factor.factor(&pattern), "case {case} is quasi-definite");
        let node = random.below(10);
        let i = random.below(6);
        let entry = &mut system.diagonal[node][i][i];
        *entry = if case % 5 == 0 { Double::NAN } else { -*entry * 1e3 };
        system.write(&pattern, &mut factor);
        assert!(!factor.factor(&pattern), "case {case}: node {node}, entry {i}");
    }
}

#[test]
fn contents_of_before_never_matter() {
    let mut random = Random::new(14);
    let (mut pattern, mut factor) = (Pattern::default(), Factor::<Double>::default());
    for case in 0..10 {
        let bodies = 3 + random.below(9);
        let system = random_system(&mut random, bodies, 2 * bodies, 3, 1e-6);
        let b = system.random_vector(&mut random);
        let mut solutions = Vec::new();
        let (mut new_pattern, mut new_factor) = (Pattern::default(), Factor::default());
        for (pattern, factor) in [(&mut pattern, &mut factor), (&mut new_pattern, &mut new_factor)]
        {
            pattern.build(&mut Order::default(), bodies, 3, &system.edges);
            system.write(pattern, factor);
            assert!(factor.factor(pattern), "case {case} is quasi-definite");
            solutions.push(solve(factor, pattern, &b));
        }
        assert_eq!(solutions[0], solutions[1], "case {case}: same bits");
    }
}

/// Products by twos have the bits of products one by one.
fn compare_products<T: Scalar>(random: &mut Random) {
    let mut block = || {
        let lane = |i: usize, x: Double| T::from_double(if i < 6 { x } else { 0.0 });
        Block::<T>(std::array::from_fn(|_| std::array::from_fn(|i| lane(i, random.signed(1.0)))))
    };
    for case in 0..20 {
        let (a, b, start) = ([block(), block()], block(), [block(), block()]);
        let [mut first, mut second] = start;
        Block::subtract_products([&mut first, &mut second], &a, &b);
        for (k, found) in [first, second].iter().enumerate() {
            let mut expected = start[k];
            expected.subtract_product(&a[k], &b);
            assert_eq!(*found, expected, "case {case}: product {k}");
            assert_ne!(*found, start[k], "case {case}: product {k} is not nothing");
        }
    }
}

#[test]
fn products_by_twos_are_those_one_by_one() {
    let mut random = Random::new(16);
    compare_products::<Single>(&mut random);
    compare_products::<Double>(&mut random);
}

#[test]
fn an_empty_island_is_solved() {
    let mut pattern = Pattern::default();
    assert!(pattern.build(&mut Order::default(), 0, 0, &[]), "the first graph is new");
    let mut factor = Factor::<Double>::default();
    factor.clear(&pattern);
    assert!(factor.factor(&pattern), "nothing to factor");
    factor.solve(&pattern, &mut []);
}

fn lanes<T: Scalar>(x: &[[Double; 6]]) -> Vec<NodeLanes<T>> {
    let convert =
        |x: &[Double; 6]| std::array::from_fn(|i| T::from_double(if i < 6 { x[i] } else { 0.0 }));
    x.iter().map(convert).collect()
}

fn numbers<T: Scalar>(x: &[NodeLanes<T>]) -> Vec<[Double; 6]> {
    x.iter().map(|x| std::array::from_fn(|i| x[i].to_double())).collect()
}

#[test]
fn products_are_those_of_the_matrix() {
    let mut random = Random::new(15);
    let (mut pattern, mut matrix) = (Pattern::default(), Factor::<Double>::default());
    for case in 0..20 {
        let system = random_system(&mut random, 15, 30, 5, 1e-2);
        let x = system.random_vector(&mut random);
        pattern.build(&mut Order::default(), 15, 5, &system.edges);
        system.write(&pattern, &mut matrix);
        let mut y = lanes(&x);
        multiply(&matrix, &pattern, &lanes(&x), &mut y);
        let error = largest_difference(&numbers(&y), &system.multiply(&x));
        assert!(error < 1e-12, "case {case}: {error}");
    }
}

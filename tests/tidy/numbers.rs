//! The table of numbers in ARCHITECTURE.md: what is measured stays below what it says.

use super::arrows::largest_circles;
use super::structure::{engine, shared_names, tuned_numbers};
use super::{code, read, root};

/// The row of a number: today's value, and what is asked at most.
fn row(name: &str) -> [usize; 2] {
    let text = read(&root().join("ARCHITECTURE.md"));
    let line = text.lines().find(|line| line.starts_with(&format!("| {name}")));
    let cells: Vec<&str> = line.unwrap_or("").split('|').map(str::trim).collect();
    let number = |k: usize| cells.get(k).and_then(|cell| cell.parse().ok());
    match (number(2), number(3)) {
        (Some(today), Some(most)) => [today, most],
        _ => panic!("ARCHITECTURE.md has no row of {name} with two numbers"),
    }
}

/// Lines of the file that says which solver a step gets: a newcomer reads it whole.
const POLICY_MAX: usize = 200;

/// Numbers that are above what is asked, and the most that they may be.
const ABOVE: [(&str, usize); 1] = [("thousands of lines of the engine", 39)];

/// Holds a number to its row, which is to be right within `slack`, and that to what is asked.
fn hold(name: &str, measured: usize, slack: usize) {
    let [today, asked] = row(name);
    println!("{measured} {name}");
    assert!(measured.abs_diff(today) <= slack, "{measured} {name}: ARCHITECTURE.md says {today}");
    let most = ABOVE.iter().find(|(above, _)| *above == name).map_or(asked, |x| x.1);
    assert!(measured <= most, "{measured} {name}: at most {most} are asked for");
}

#[test]
fn numbers_are_as_told() {
    let [circle, with_methods] = largest_circles();
    hold("files in a circle", circle, 0);
    hold("files in one with methods", with_methods, 0);
    hold("tuned numbers", tuned_numbers(), 0);
    hold("names that two types have", shared_names().len(), 0);
}

/// Functions of `lcp` with a name: each of these is one algorithm.
fn functions_of_lcp(name: &str) -> usize {
    let of_lcp =
        engine().into_iter().filter(|(module, _)| module.first().is_some_and(|wing| wing == "lcp"));
    let start = format!("fn {name}(");
    of_lcp
        .map(|(_, (_, text))| text.lines().filter(|line| code(line).contains(&start)).count())
        .sum()
}

#[test]
fn there_is_one_of_each() {
    hold("cone Newtons", functions_of_lcp("find_step"), 0);
    hold("block factors", functions_of_lcp("cholesky"), 0);
}

/// Lines of the engine without tests, and those with code, in thousands.
#[test]
fn the_engine_does_not_grow() {
    let (mut lines, mut codes) = (0, 0);
    for (_, text) in engine().values() {
        let text = text.trim_end();
        lines += text.lines().count();
        codes += text.lines().filter(|line| !code(line).trim().is_empty()).count();
    }
    println!("{lines} lines, {codes} of them code");
    assert!(codes <= 30_000, "{codes} lines of code");
    hold("thousands of lines of the engine", lines / 1000, 1);
    hold("thousands of lines of code", codes / 1000, 1);
}

#[test]
fn the_policy_is_short() {
    let lines = read(&root().join("src/engine/step/solve/policy.rs")).lines().count();
    println!("{lines} lines of policy");
    assert!(lines <= POLICY_MAX, "policy.rs has {lines} lines: at most {POLICY_MAX}");
}

#[test]
fn the_walk_of_a_contact_is_short() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let walk = text.split("\nThe walk,").nth(1).and_then(|rest| rest.split("\n\n").next());
    let walk = walk.expect("ARCHITECTURE.md tells the walk of a contact");
    let names = |part: &str| -> Vec<String> {
        part.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let (way, rest) = walk.split_once(". ").expect("the walk is one sentence");
    let way = names(way);
    for file in way.iter().chain(&names(rest)) {
        let path = root().join("src/engine").join(file).with_extension("rs");
        assert!(path.is_file(), "{file} is on the walk and gone");
    }
    hold("files on the walk", way.len(), 0);
    let [moves, most] = row("moves on it");
    assert!(moves <= most, "{moves} moves");
}

//! Links, anchors and paths of the documentation lead somewhere.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{code, complain, read, root};

/// Folders with pages.
const FOLDERS: [&str; 6] = ["", "benches", "docs", "gallery", "lab", "rollback"];

/// What a path in code begins with, so that it is one from the root.
const TOPS: [&str; 10] =
    [".ci", "benches", "derive", "docs", "examples", "fuzz", "gallery", "lab", "src", "tests"];

fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        let entries = fs::read_dir(root().join(folder)).expect("a folder with pages");
        let paths = entries.flatten().map(|entry| entry.path());
        found.extend(paths.filter(|path| path.extension().is_some_and(|e| e == "md")));
    }
    found.sort();
    found
}

/// Lines that are no block of code.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut inside = false;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            found.push((number + 1, line));
        }
    }
    found
}

/// A line without its spans of code, and those.
fn spans(line: &str) -> (String, Vec<&str>) {
    let parts: Vec<&str> = line.split('`').collect();
    let plain = parts.iter().step_by(2).copied().collect::<Vec<_>>().join(" ");
    (plain, parts.into_iter().skip(1).step_by(2).collect())
}

/// Where the links and pictures of a line lead.
fn targets(plain: &str) -> Vec<&str> {
    let behind = plain.split("](").skip(1);
    let mut found: Vec<&str> = behind.filter_map(|rest| rest.split(')').next()).collect();
    if let Some((_, target)) =
        plain.split_once("]: ").filter(|(name, _)| name.starts_with('[') && !name.contains(']'))
    {
        found.push(target.trim());
    }
    found
}

/// The anchors of a page's headings, as GitHub makes them: letters in lower case, digits, `_` and `-`; spaces
/// are `-`, and one that was there before gets a number.
fn anchors(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut plain: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        let heading = line.trim_start_matches('#');
        if heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let kept = heading.trim().to_lowercase().replace(' ', "-");
        let kept: String =
            kept.chars().filter(|c| c.is_alphanumeric() || ['-', '_'].contains(c)).collect();
        let before = plain.iter().filter(|other| **other == kept).count();
        found.push(if before == 0 { kept.clone() } else { format!("{kept}-{before}") });
        plain.push(kept);
    }
    found
}

/// A path without `..`, if it stays within the repository.
fn inside(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => plain.pop().then_some(())?,
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain.starts_with(root()).then_some(plain)
}

/// Why a link of a page with this text leads nowhere.
fn dead(page: &Path, text: &str, target: &str) -> Option<String> {
    if ["http://", "https://", "mailto:"].iter().any(|start| target.starts_with(start)) {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let there = match inside(&page.with_file_name(path)).filter(|file| file.exists()) {
        _ if path.is_empty() => text.to_owned(),
        Some(file) if file.is_file() && !anchor.is_empty() => read(&file),
        Some(_) => String::new(),
        None => return Some(format!("({target}): there is no such file")),
    };
    let has_anchor = anchor.is_empty() || anchors(&there).iter().any(|name| name == anchor);
    (!has_anchor).then(|| format!("({target}): there is no such heading"))
}

/// Is a span of code a path, from the root or from its page, that does not exist? `{a,b}`, `…` and arguments
/// are no part of a path.
fn is_dead_path(page: &Path, span: &str) -> bool {
    let is_path = span.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let top = span.split_once('/').map_or("", |(top, _)| top);
    let exists = root().join(span).exists() || page.with_file_name("").join(span).exists();
    is_path && TOPS.contains(&top) && !exists
}

fn dead_ends(page: &Path, text: &str) -> Vec<String> {
    let name = page.strip_prefix(root()).unwrap_or(page).display();
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let (plain, spans) = spans(line);
        let links = targets(&plain).into_iter().filter_map(|target| dead(page, text, target));
        found.extend(links.map(|why| format!("{name}:{number}: {why}")));
        let paths = spans.into_iter().filter(|span| is_dead_path(page, span));
        found.extend(paths.map(|span| format!("{name}:{number}: `{span}` does not exist")));
    }
    found
}

#[test]
fn links_lead_somewhere() {
    let found: Vec<_> = pages().iter().flat_map(|page| dead_ends(page, &read(page))).collect();
    complain("links, anchors and paths of the documentation exist", &found);
}

/// What the rule is made for is found, and nothing else.
#[test]
fn dead_links_are_found() {
    let page = root().join("docs/page.md");
    let text = "\
# One γ, or two?
# One γ, or two?
```text
[in code](nowhere.md)
```
[good](#one-γ-or-two), [the second](#one-γ-or-two-1), [up](../README.md)
[elsewhere](https://example.org/nowhere), `src/{a,b}.rs`, `[span](nowhere.md)`, `src/lib.rs`
![no picture](pictures/nowhere.png)
[no heading](#two), [no heading there](../README.md#nowhere)
[out of it](../../elsewhere.md), `tests/nowhere.rs`
[named]: nowhere.md";
    let found = dead_ends(&page, text);
    let lines: Vec<_> = found.iter().filter_map(|line| line.split(':').nth(1)).collect();
    assert_eq!(lines, ["8", "9", "9", "10", "10", "11"], "{found:?}");
}

/// What the README begins with is an example that is built with a renderer, and short.
#[test]
fn the_window_of_the_readme_is_an_example() {
    let example = read(&root().join("gallery/examples/falling_box.rs"));
    let readme = read(&root().join("README.md"));
    assert!(readme.contains(&format!("```rust,ignore\n{example}```")), "the README has another");
    let lines = example.lines().count();
    assert!(lines < 15, "{lines} lines");
}

/// Examples of other engines are rebuilt in as many lines as the page says, and in no more than theirs.
#[test]
fn rebuilt_examples_are_as_long_as_told() {
    let page = read(&root().join("docs/first_hour.md"));
    let table = page.split("## Examples of peers, rebuilt").nth(1).expect("a chapter");
    for (name, file) in [
        ("revolute_joint_3d", "avian_revolute_joint.rs"),
        ("cubes", "avian_cubes.rs"),
        ("distance_joint_3d", "avian_distance_joint.rs"),
        ("boxes3", "rapier_boxes.rs"),
        ("events3", "rapier_events.rs"),
        ("locked_rotations3", "rapier_locked_rotations.rs"),
    ] {
        let row = table.lines().find(|line| line.contains(&format!("`{name}` |")));
        let cells = row.expect("a row of each").split('|');
        let told: Vec<usize> = cells.filter_map(|cell| cell.trim().parse().ok()).collect();
        let text = read(&root().join("gallery/examples").join(file));
        let lines = text.lines().filter(|line| !code(line).trim().is_empty()).count();
        let as_told = matches!(told[..], [theirs, here] if here == lines && here <= theirs);
        assert!(as_told, "{name}: {lines} lines of code, told are {told:?}");
    }
}

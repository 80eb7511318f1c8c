//! The shape of the engine: files and functions are short, numbers stand in one place, names are unique.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{code, complain, files, read, root};

/// Lines of a function, from its name to its closing brace.
const FUNCTION_MAX: usize = 80;

fn is_test(path: &Path) -> bool {
    let name = path.display().to_string();
    name.contains("/tests/") || name.ends_with("/tests.rs")
}

/// The file without its `mod tests { … }` block.
fn without_tests(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("mod tests {") {
            inside = true;
        }
        if !inside {
            out.push_str(line);
        }
        out.push('\n');
        if inside && line == "}" {
            inside = false;
        }
    }
    out
}

/// Files of the engine that are no tests, by their module path.
pub(super) fn engine() -> BTreeMap<Vec<String>, (PathBuf, String)> {
    let base = root().join("src/engine");
    let sources = files("src/engine").into_iter().filter(|path| !is_test(path));
    sources
        .map(|path| {
            let relative =
                path.strip_prefix(&base).expect("a file of the engine").with_extension("");
            let mut module: Vec<String> = relative
                .components()
                .map(|c| c.as_os_str().to_string_lossy().into_owned())
                .collect();
            if module.last().is_some_and(|last| last == "mod") {
                module.pop();
            }
            let text = without_tests(&read(&path));
            (module, (path, text))
        })
        .collect()
}

#[test]
fn functions_are_short() {
    let mut found = Vec::new();
    for (path, text) in engine().values() {
        let mut open: Option<(usize, usize, String)> = None;
        for (number, line) in text.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let start = code(line).trim_start();
            let is_fn = ["fn ", "pub fn ", "const fn ", "pub const fn "]
                .iter()
                .any(|s| start.starts_with(s))
                || (start.starts_with("pub(") && start.contains(" fn "));
            if is_fn && open.is_none() && !start.trim_end().ends_with('}') {
                open = Some((number, indent, start.to_owned()));
            }
            if let Some((first, depth, name)) = &open
                && indent == *depth
                && (start.starts_with('}') || start.trim_end().ends_with(';'))
                && number > *first
            {
                let length = number - first + 1;
                if length > FUNCTION_MAX {
                    found.push(format!("{}:{}: {length} lines: {name}", path.display(), first + 1));
                }
                open = None;
            }
        }
    }
    complain("at most 80 lines a function", &found);
}

/// Names of the constants that `line` defines with a type in `types`.
fn constant<'a>(line: &'a str, types: &[&str]) -> Option<&'a str> {
    let line = code(line).trim_start();
    let at = line.find("const ")?;
    let head = &line[..at];
    if !(head.is_empty() || head.starts_with("pub")) {
        return None;
    }
    let (name, rest) = line[at + 6..].split_once(':')?;
    if name.starts_with("fn ") {
        return None;
    }
    let kind = rest.trim_start().trim_start_matches('[');
    types.iter().any(|t| kind.starts_with(t)).then_some(name)
}

/// Does a constant follow from others, with no number of its own but a half, one and two?
fn is_derived(line: &str) -> bool {
    let value = code(line).split_once('=').map_or("", |x| x.1);
    let words = || value.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    words().filter(is_number).all(|number| ["0.5", "1.0", "2.0", "1"].contains(&number))
        && words().any(|word| word.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Tuned numbers, without those that follow from others.
pub(super) fn tuned_numbers() -> usize {
    let types = ["Real", "Double", "Single", "u", "i"];
    let is_tuned = |line: &&str| constant(line, &types).is_some() && !is_derived(line);
    let files =
        engine().into_iter().filter(|(module, _)| module.first().is_some_and(|m| m == "tuning"));
    files.map(|(_, (_, text))| text.lines().filter(is_tuned).count()).sum()
}

/// What is no size and no index stands in `tuning` and `settings.rs`, but for the rounding constants of
/// the geometry and of the papers' methods.
#[test]
fn tuned_numbers_stand_in_one_place() {
    let mut found = Vec::new();
    for (module, (path, text)) in engine() {
        let wing = module.first().map_or("", String::as_str);
        if ["tuning", "geometry", "papers", "settings"].contains(&wing) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            // What is infinite is no number to tune.
            if line.contains("INFINITY") {
                continue;
            }
            if let Some(name) = constant(line, &["Real", "Double", "Single"]) {
                found.push(format!("{}:{}: {name}", path.display(), number + 1));
            }
        }
    }
    complain("tuned numbers stand in tuning", &found);
}

/// Does a line define a public field or constant that is a number or a vector?
fn is_public_number(line: &str) -> bool {
    let Some(rest) = code(line).trim_start().strip_prefix("pub ") else { return false };
    let rest = rest.strip_prefix("const ").unwrap_or(rest);
    let Some((name, kind)) = rest.split_once(": ") else { return false };
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let end = kind.find([',', ' ']).unwrap_or(kind.len());
    is_name && ["Real", "Double", "Single", "Vec3", "DVec3"].contains(&&kind[..end])
}

/// A unit stands in brackets, (–) where there is none; unit vectors need none.
#[test]
fn public_numbers_have_units() {
    let mut found = Vec::new();
    for (path, text) in engine().values() {
        let mut doc = String::new();
        for (number, line) in text.lines().enumerate() {
            let start = line.trim_start();
            if start.starts_with("///") {
                doc.push_str(start);
                continue;
            }
            let has_unit = doc.contains(['(', '[']) || doc.contains("nit normal");
            if is_public_number(line) && !has_unit && !doc.contains("nit vector") {
                found.push(format!("{}:{}: {}", path.display(), number + 1, start));
            }
            if !start.starts_with("#[") {
                doc.clear();
            }
        }
    }
    complain("a public number says its unit", &found);
}

/// Types of the engine that share their name with another, with their places.
pub(super) fn shared_names() -> Vec<String> {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in engine().values() {
        for line in text.lines() {
            let line = code(line).trim_start();
            let line = if line.starts_with("pub") {
                line.split_once(' ').map_or("", |x| x.1)
            } else {
                line
            };
            let line = line.strip_prefix("crate::engine) ").unwrap_or(line);
            for kind in ["struct ", "enum ", "trait "] {
                if let Some(rest) = line.strip_prefix(kind) {
                    let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
                    names.entry(name).or_default().push(path.display().to_string());
                }
            }
        }
    }
    let shared = names.into_iter().filter(|(_, places)| places.len() > 1);
    shared.map(|(name, places)| format!("{name}: {}", places.join(", "))).collect()
}

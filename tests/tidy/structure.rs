//! The shape of the engine: files and functions are short, numbers stand in one place, names are unique,
//! arrows between files run one way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{code, complain, files, read, root};

/// Lines of a function, from its name to its closing brace.
const FUNCTION_MAX: usize = 80;
/// Files that may depend on each other in a circle.
const CIRCLE_MAX: usize = 3;
/// Tuned numbers, without those that follow from others; a hundred are the aim.
const TUNED_MAX: usize = 101;
/// Types of the engine that share their name with another.
const SHARED_NAMES_MAX: usize = 8;

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
fn engine() -> BTreeMap<Vec<String>, (PathBuf, String)> {
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

/// What is no size and no index stands in `tuning` and `settings.rs`, but for the rounding constants of
/// the geometry and of the papers' methods.
#[test]
fn tuned_numbers_stand_in_one_place() {
    let mut found = Vec::new();
    let mut tuned = 0;
    for (module, (path, text)) in engine() {
        let wing = module.first().map_or("", String::as_str);
        for (number, line) in text.lines().enumerate() {
            if wing == "tuning" {
                let types = ["Real", "Double", "Single", "u", "i"];
                tuned += usize::from(constant(line, &types).is_some() && !is_derived(line));
                continue;
            }
            if ["geometry", "papers", "settings"].contains(&wing) {
                continue;
            }
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
    assert!(tuned <= TUNED_MAX, "{tuned} tuned numbers");
    println!("{tuned} tuned numbers");
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

#[test]
fn types_have_names_of_their_own() {
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
    let shared: Vec<String> = names
        .iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect();
    assert!(
        shared.len() <= SHARED_NAMES_MAX,
        "{} names are shared:\n{}",
        shared.len(),
        shared.join("\n")
    );
}

/// The paths that a `use` tree names.
fn leaves(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or(tree).trim().to_owned()];
    };
    let inner = rest.strip_suffix('}').unwrap_or(rest);
    let (mut parts, mut depth, mut last) = (Vec::new(), 0, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[last..at]);
                last = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[last..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| leaves(part).into_iter().map(|leaf| format!("{head}{leaf}"))).collect()
}

/// A path as one from the root of the engine.
fn absolute(module: &[String], path: &str) -> Option<Vec<String>> {
    let mut words: Vec<&str> = path.split("::").map(str::trim).collect();
    let mut base: Vec<String>;
    match *words.first()? {
        "crate" if words.get(1) == Some(&"engine") => {
            base = Vec::new();
            words.drain(..2);
        }
        "super" | "self" => {
            base = module.to_vec();
            if words[0] == "self" {
                words.remove(0);
            }
            while words.first() == Some(&"super") {
                base.pop();
                words.remove(0);
            }
        }
        _ => return None,
    }
    base.extend(words.into_iter().map(str::to_owned));
    Some(base)
}

struct Arrows {
    modules: BTreeMap<Vec<String>, (PathBuf, String)>,
    /// What a module gives out under a name of its own.
    exports: BTreeMap<(Vec<String>, String), Vec<String>>,
}

impl Arrows {
    fn new() -> Self {
        let modules = engine();
        let mut exports = BTreeMap::new();
        for (module, (_, text)) in &modules {
            for (is_public, path) in uses(text) {
                if let (true, Some(path)) = (is_public, absolute(module, &path)) {
                    let name = path.last().cloned().unwrap_or_default();
                    exports.insert((module.clone(), name), path);
                }
            }
        }
        Self { modules, exports }
    }

    /// The module in which what a path names is defined.
    fn home(&self, path: &[String]) -> Option<Vec<String>> {
        for k in (0..=path.len()).rev() {
            let module = path[..k].to_vec();
            if !self.modules.contains_key(&module) {
                continue;
            }
            let item = path.get(k).cloned().unwrap_or_default();
            return match self.exports.get(&(module.clone(), item)) {
                Some(elsewhere) if elsewhere[..] != *path => {
                    let mut rest = elsewhere.clone();
                    rest.extend_from_slice(&path[(k + 1).min(path.len())..]);
                    self.home(&rest)
                }
                _ => Some(module),
            };
        }
        None
    }

    fn of(&self, module: &[String]) -> BTreeSet<Vec<String>> {
        let text = &self.modules[module].1;
        let used = uses(text).into_iter().map(|(_, path)| path);
        let child = |name: &str| {
            let child: Vec<String> = module.iter().cloned().chain([name.to_owned()]).collect();
            self.modules.contains_key(&child)
        };
        used.chain(inline_paths(text, child))
            .filter_map(|path| self.home(&absolute(module, &path)?))
            .filter(|home| home != module)
            .collect()
    }
}

/// Code without comments and `use` declarations, and those.
fn split_uses(text: &str) -> (String, Vec<(bool, String)>) {
    let plain: String = text.lines().map(|line| format!("{}\n", code(line))).collect();
    let (mut rest, mut found) = (String::new(), Vec::new());
    for part in plain.split_inclusive(';') {
        let start = part.match_indices("use ").map(|(at, _)| at).find(|&at| {
            let line = part[..at].rsplit('\n').next().unwrap_or("").trim();
            line.is_empty() || line == "pub" || line.starts_with("pub(") && line.ends_with(')')
        });
        let Some(at) = start else {
            rest.push_str(part);
            continue;
        };
        let line = part[..at].rfind('\n').map_or(0, |end| end + 1);
        rest.push_str(&part[..line]);
        found.push((at > line && part[line..at].contains("pub"), part[at + 4..].to_owned()));
    }
    (rest, found)
}

/// The leaves of all `use` declarations, and whether they give out what they name, to whomever.
fn uses(text: &str) -> Vec<(bool, String)> {
    let split = |(is_public, tree): (bool, String)| {
        let tree = tree.trim_end_matches(';').replace('\n', " ");
        leaves(&tree).into_iter().map(move |leaf| (is_public, leaf))
    };
    split_uses(text).1.into_iter().flat_map(split).collect()
}

/// Paths within code that name a module of the engine; `child` tells what is one below this one.
fn inline_paths(text: &str, child: impl Fn(&str) -> bool) -> Vec<String> {
    let rest = split_uses(text).0.replace("(in crate::engine", "(");
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut found = Vec::new();
    for word in rest.split(|c| !is_path(c)).filter(|word| word.contains("::")) {
        let (first, _) = word.split_once("::").unwrap_or_default();
        if ["crate", "super", "self"].contains(&first) {
            found.push(word.to_owned());
        } else if child(first) {
            found.push(format!("self::{word}"));
        }
    }
    found
}

/// Files that reach each other along the arrows.
#[test]
fn arrows_run_one_way() {
    let arrows = Arrows::new();
    let next: BTreeMap<_, _> =
        arrows.modules.keys().map(|module| (module.clone(), arrows.of(module))).collect();
    let reach: BTreeMap<_, _> =
        next.keys().map(|module| (module.clone(), closure(&next, module))).collect();
    let mut found = BTreeSet::new();
    for (module, reached) in &reach {
        let circle: Vec<String> = reached
            .iter()
            .filter(|other| *other != module && reach[*other].contains(module))
            .chain([module])
            .map(|module| module.join("/"))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        if circle.len() > CIRCLE_MAX {
            found.insert(format!("{} files: {}", circle.len(), circle.join(", ")));
        }
    }
    complain("no circle of more than three files", &found.into_iter().collect::<Vec<_>>());
}

fn closure(
    next: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
    module: &[String],
) -> BTreeSet<Vec<String>> {
    let mut seen = BTreeSet::new();
    let mut open = vec![module.to_vec()];
    while let Some(at) = open.pop() {
        for other in &next[&at] {
            if seen.insert(other.clone()) {
                open.push(other.clone());
            }
        }
    }
    seen
}

/// `lcp` and `geometry` are leaves, stages do not know the simulation, the plugin's wall apart.
#[test]
fn wings_keep_to_their_side() {
    let arrows = Arrows::new();
    let mut found = Vec::new();
    for module in arrows.modules.keys().filter(|module| !module.is_empty()) {
        for home in arrows.of(module) {
            let (from, to) = (module[0].as_str(), home.first().map_or("", String::as_str));
            let known: &[&str] = match from {
                "geometry" => &["geometry"],
                "lcp" => &["lcp", "tuning"],
                "state" => &["state", "geometry", "settings", "tuning", "par", "lcp"],
                "step" => &[
                    "step", "state", "geometry", "lcp", "papers", "settings", "report", "par",
                    "tuning",
                ],
                "papers" => &["papers", "state", "geometry", "lcp", "settings", "tuning", "step"],
                _ => continue,
            };
            if !known.contains(&to) {
                found.push(format!("{} knows {}", module.join("/"), home.join("/")));
            }
        }
    }
    complain("wings keep to their side", &found);
}

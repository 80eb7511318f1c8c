//! Arrows between the files of the engine: what a file names of another one, and that they run one way.
//!
//! An arrow is a `use`, public or not, or a path within code. Methods that a file gives to a type of another
//! file are arrows of their own kind, from whoever calls them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::structure::engine;
use super::{code, complain};

/// Files that may depend on each other in a circle.
const CIRCLE_MAX: usize = 3;

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
pub(super) fn uses(text: &str) -> Vec<(bool, String)> {
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

type Graph = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

/// Circles of files that reach each other.
fn circles(next: &Graph) -> BTreeSet<Vec<String>> {
    let reach: Graph = next.keys().map(|module| (module.clone(), closure(next, module))).collect();
    let circle = |(module, reached): (&Vec<String>, &BTreeSet<Vec<String>>)| -> Vec<String> {
        let both =
            reached.iter().filter(|other| *other != module && reach[*other].contains(module));
        let all: BTreeSet<_> = both.chain([module]).map(|module| module.join("/")).collect();
        all.into_iter().collect()
    };
    reach.iter().map(circle).collect()
}

fn graph(arrows: &Arrows) -> Graph {
    arrows.modules.keys().map(|module| (module.clone(), arrows.of(module))).collect()
}

/// Files in the largest circle: of arrows, and of those together with calls of methods that a file gives to a
/// type of another.
pub(super) fn largest_circles() -> [usize; 2] {
    let arrows = Arrows::new();
    let mut next = graph(&arrows);
    let largest = |next: &Graph| circles(next).iter().map(Vec::len).max().unwrap_or(0);
    let first = largest(&next);
    for (caller, callee) in method_calls(&arrows) {
        next.entry(caller).or_default().insert(callee);
    }
    [first, largest(&next)]
}

/// What an inherent `impl` at the start of a line is for.
fn impl_of(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?;
    let rest = if rest.starts_with('<') { rest.split_once("> ")?.1 } else { rest.trim_start() };
    let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
    (!line.contains(" for ") && !name.is_empty()).then_some(name)
}

/// The function that a line of a block defines.
fn method(line: &str) -> Option<&str> {
    let line = line.strip_prefix("    ").filter(|line| !line.starts_with(' '))?;
    let (head, rest) = line.split_once("fn ")?;
    let is_head = head.split(' ').all(|word| {
        ["", "pub", "const", "in"].contains(&word)
            || word.starts_with("pub(")
            || word.ends_with(')')
    });
    is_head.then(|| rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next())?
}

/// Callers, and files that give the method called to a type of another file; of methods whose name is one of
/// a kind in the engine.
fn method_calls(arrows: &Arrows) -> Vec<(Vec<String>, Vec<String>)> {
    let mut types: BTreeMap<&str, BTreeSet<&Vec<String>>> = BTreeMap::new();
    let mut methods: BTreeMap<&str, Vec<(&str, &Vec<String>)>> = BTreeMap::new();
    for (module, (_, text)) in &arrows.modules {
        let mut of = None;
        for line in text.lines().map(code) {
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
            let kind = words.iter().position(|word| ["struct", "enum"].contains(word));
            if let (Some(at), false) = (kind, line.starts_with(' ')) {
                types.entry(words.get(at + 1).unwrap_or(&"")).or_default().insert(module);
            }
            of = if line == "}" { None } else { impl_of(line).or(of) };
            if let (Some(of), Some(name)) = (of, method(line)) {
                methods.entry(name).or_default().push((of, module));
            }
        }
    }
    let mut found = Vec::new();
    for (name, places) in methods {
        let [(of, home)] = places[..] else { continue };
        if types.get(of).is_none_or(|homes| homes.contains(home)) {
            continue;
        }
        let calls = [format!(".{name}("), format!("Self::{name}("), format!("{of}::{name}(")];
        for (module, (_, text)) in arrows.modules.iter().filter(|(module, _)| *module != home) {
            let is_call = |line: &str| calls.iter().any(|call| code(line).contains(call));
            if text.lines().any(is_call) {
                found.push((module.clone(), home.clone()));
            }
        }
    }
    found
}

#[test]
fn arrows_run_one_way() {
    let circles = circles(&graph(&Arrows::new()));
    let large = circles.into_iter().filter(|circle| circle.len() > CIRCLE_MAX);
    let found: Vec<_> = large.map(|c| format!("{} files: {}", c.len(), c.join(", "))).collect();
    complain("no circle of more than three files", &found);
}

fn closure(next: &Graph, module: &[String]) -> BTreeSet<Vec<String>> {
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
                "state" => &["state", "geometry", "settings", "tuning", "lcp"],
                "step" => {
                    &["step", "state", "geometry", "lcp", "papers", "settings", "report", "tuning"]
                }
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

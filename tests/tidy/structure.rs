//! The shape of the engine: files and functions are short, numbers stand in one place, names are unique.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{code, complain, files, read, root};

/// Lines of a function, from its name to its closing brace.
const FUNCTION_MAX: usize = 80;

pub(super) fn is_test(path: &Path) -> bool {
    let name = path.display().to_string();
    name.contains("/tests/") || name.ends_with("/tests.rs")
}

/// The file without its `mod tests { … }` block.
pub(super) fn without_tests(text: &str) -> String {
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

/// Does a line begin a function?
fn begins_function(start: &str) -> bool {
    let head = without_visibility(start).split("fn ").next().unwrap_or("");
    let marks = ["const", "async", "unsafe", "extern", "\"C\""];
    start.contains("fn ") && head.split_whitespace().all(|word| marks.contains(&word))
}

/// A line without `pub` and whom that is for.
fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.trim_start().strip_prefix("pub") else { return line.trim_start() };
    match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((_, rest)) => rest.trim_start(),
        None => rest.trim_start(),
    }
}

#[test]
fn functions_are_short() {
    let mut found = Vec::new();
    for folder in ["src", "derive", "tests", "examples", "lab", "benches"] {
        for path in files(folder) {
            let text = without_tests(&read(&path));
            let mut open: Option<(usize, usize, String)> = None;
            for (number, line) in text.lines().enumerate() {
                let indent = line.len() - line.trim_start().len();
                let start = code(line).trim_start();
                let whole = start.trim_end().ends_with(['}', ';']);
                if open.is_none() && begins_function(start) && !whole {
                    open = Some((number, indent, start.to_owned()));
                }
                if let Some((first, depth, name)) = &open
                    && indent == *depth
                    && (start.starts_with('}') || start.trim_end().ends_with(';'))
                    && number > *first
                {
                    let length = number - first + 1;
                    if length > FUNCTION_MAX {
                        let path = path.display();
                        found.push(format!("{path}:{}: {length} lines: {name}", first + 1));
                    }
                    open = None;
                }
            }
        }
    }
    complain("at most 80 lines a function", &found);
}

/// Types of numbers that may have a fraction, and of those that have none.
const REALS: [&str; 6] = ["Real", "Double", "Single", "Vec3", "DVec3", "Vec6"];
const INTEGERS: [&str; 10] =
    ["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize"];

/// Words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// Name of the constant or static that `line` defines with a type that has one of `types` in it, and that
/// type.
fn constant<'a>(line: &'a str, types: &[&str]) -> Option<[&'a str; 2]> {
    let line = without_visibility(code(line));
    let rest = line.strip_prefix("const ").or_else(|| line.strip_prefix("static "))?;
    let (name, rest) = rest.split_once(':')?;
    let is_name = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let kind = rest.split(" =").next()?;
    let is_number = words(kind).any(|word| types.contains(&word));
    (is_name && is_number && !kind.contains('(')).then_some([name, kind])
}

/// Does a constant follow from others, with no number of its own but a half, one and two?
fn is_derived(line: &str) -> bool {
    let value = code(line).split_once('=').map_or("", |x| x.1);
    let words = || value.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    words().filter(is_number).all(|number| ["0.5", "1.0", "2.0", "1"].contains(&number))
        && words().any(|word| word.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Tuned numbers, each of a list by itself, without those that follow from others.
pub(super) fn tuned_numbers() -> usize {
    let types: Vec<&str> = REALS.into_iter().chain(INTEGERS).collect();
    let count = |line: &str| match constant(line, &types) {
        Some([_, kind]) if !is_derived(line) => {
            let size = kind.split_once("; ").map_or("1", |x| x.1).trim_end_matches(']');
            size.parse().expect("a list in tuning says its size")
        }
        _ => 0,
    };
    let files =
        engine().into_iter().filter(|(module, _)| module.first().is_some_and(|m| m == "tuning"));
    files.map(|(_, (_, text))| text.lines().map(count).sum::<usize>()).sum()
}

/// Is a number with a fraction one that nobody tunes: a whole one up to 16, quarters of one, or a rounding?
fn is_plain(number: &str) -> bool {
    let number: f64 = number.replace('_', "").parse().unwrap_or(0.0);
    number <= 1e-4 || number <= 16.0 && (4.0 * number).fract() == 0.0
}

/// Does what is said of a whole constant make it one that bounds work, or from which on something is done
/// otherwise?
fn is_bound(doc: &str) -> bool {
    let loops = ["rounds", "sweeps", "steps", "passes", "solves", "corrections"];
    let most = ["Most", "Largest number of", "At most"];
    let limits =
        most.iter().any(|word| doc.contains(word)) && words(doc).any(|word| loops.contains(&word));
    limits || ["from which", "ewer", "costs less"].iter().any(|word| doc.contains(word))
}

/// Numbers with a fraction or an exponent in a line of code.
fn fractions(line: &str) -> Vec<&str> {
    let line = code(line);
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let signed = |at: usize| {
        line[..at].ends_with("e-") && line[..at - 2].ends_with(|c: char| c.is_ascii_digit())
    };
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(start) = line[rest..].find(part).map(|at| rest + at) {
        let mut end = start;
        while let Some(c) =
            line[end..].chars().next().filter(|&c| part(c) || c == '-' && signed(end + 1))
        {
            end += c.len_utf8();
        }
        let word = &line[start..end];
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        if is_number && !word.contains("..") && word.contains(['.', 'e']) && !word.starts_with("0x")
        {
            found.push(word);
        }
        rest = end;
    }
    found
}

/// What is no size and no index stands in `tuning` and `settings.rs`, but for the rounding constants of
/// the geometry and of the papers' methods, and for the defaults of solvers that are used by themselves.
#[test]
fn tuned_numbers_stand_in_one_place() {
    let mut found = Vec::new();
    for (module, (path, text)) in engine() {
        let wing = module.first().map_or("", String::as_str);
        if ["tuning", "geometry", "papers", "settings"].contains(&wing) {
            continue;
        }
        let (mut doc, mut is_default) = (String::new(), false);
        for (number, line) in text.lines().enumerate() {
            is_default = line != "}" && (is_default || line.starts_with("impl Default for"));
            if let Some(words) = line.trim_start().strip_prefix("///") {
                doc.push_str(words);
                continue;
            }
            let said = std::mem::take(&mut doc);
            // What is infinite is no number to tune.
            if is_default || line.contains("INFINITY") {
                continue;
            }
            if let (Some([name, _]), true) = (constant(line, &INTEGERS), is_bound(&said)) {
                found.push(format!("{}:{}: {name}:{said}", path.display(), number + 1));
            }
            let bare = || fractions(line).into_iter().filter(|number| !is_plain(number));
            if let Some([name, _]) = constant(line, &REALS) {
                found.push(format!("{}:{}: {name}", path.display(), number + 1));
            } else if let Some(value) = bare().next() {
                found.push(format!("{}:{}: {value}", path.display(), number + 1));
            }
        }
    }
    complain("tuned numbers stand in tuning", &found);
}

/// Does a line define a public field or constant that is a number, a vector, or a list of those?
fn is_public_number(line: &str) -> bool {
    let Some(rest) = code(line).trim_start().strip_prefix("pub ") else { return false };
    let rest = rest.strip_prefix("const ").unwrap_or(rest);
    let Some((name, kind)) = rest.split_once(": ") else { return false };
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let kind = kind.split(" =").next().unwrap_or(kind).trim_end_matches(',');
    is_name && !kind.contains("fn(") && words(kind).any(|word| REALS.contains(&word))
}

/// Does a comment say a unit? That stands in brackets, (–) where there is none; unit vectors need none.
fn has_unit(doc: &str) -> bool {
    let plain = doc.replace("](", "] (");
    let is_unit = |part: &str| {
        let base = |c: char| !c.is_alphabetic();
        let bases = ["", "m", "s", "kg", "N", "J", "rad", "or", "and"];
        let says = part.contains(|c: char| c.is_alphabetic() || "–-".contains(c));
        says && part.split(base).all(|x| bases.contains(&x))
    };
    let inside = |open: char, close: char| {
        let parts = plain.split(open).skip(1).filter_map(move |part| part.split(close).next());
        parts.flat_map(|part| part.split([',', ';'])).any(|part| is_unit(part.trim()))
    };
    inside('(', ')') || inside('[', ']') || doc.contains("nit normal") || doc.contains("nit vector")
}

#[test]
fn public_numbers_have_units() {
    let mut found = Vec::new();
    for (path, text) in engine().values() {
        let mut doc = String::new();
        for (number, line) in text.lines().enumerate() {
            let start = line.trim_start();
            if let Some(words) = start.strip_prefix("///") {
                doc.push_str(words);
                continue;
            }
            if is_public_number(line) && !has_unit(&doc) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, start));
            }
            if !start.starts_with("#[") {
                doc.clear();
            }
        }
    }
    complain("a public number says its unit", &found);
}

/// Types of the engine that share their name with another, with their places; associated types are none.
pub(super) fn shared_names() -> Vec<String> {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in engine().values() {
        for line in text.lines() {
            let alias = line.replacen("type ", "struct ", usize::from(!line.starts_with(' ')));
            let line = without_visibility(code(&alias));
            for kind in ["struct ", "enum ", "trait ", "union "] {
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

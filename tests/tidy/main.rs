//! Rules of the code base that a machine can check.

mod arrows;
mod links;
mod numbers;
mod structure;
mod supply;
mod told;

use std::fs;
use std::path::{Path, PathBuf};

use self::structure::{is_test, without_tests};

/// Lines of a file.
const FILE_MAX: usize = 500;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Rust files below a folder, in order of their names.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).expect("the folder is part of the repository");
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no Rust files below {folder}");
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("source files are text")
}

/// Code without comments.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or("")
}

/// Does `word` stand alone in `line`?
fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(part)
            && !line[at + word.len()..].chars().next().is_some_and(part)
    })
}

fn complain(rule: &str, findings: &[String]) {
    assert!(findings.is_empty(), "{rule}:\n{}", findings.join("\n"));
}

/// Lines of non-test code for which `bad` holds.
fn findings(folder: &str, skip: &[&str], bad: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for path in files(folder) {
        let name = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        if is_test(&path) || skip.iter().any(|skip| name.ends_with(skip)) {
            continue;
        }
        let text = without_tests(&read(&path));
        for (number, line) in text.lines().enumerate() {
            if bad(line) {
                found.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    found
}

#[test]
fn the_engine_knows_no_bevy() {
    let found = findings("src/engine", &[], |line| code(line).contains("bevy"));
    complain("src/engine must not name Bevy", &found);
}

#[test]
fn the_engine_does_not_know_the_plugin() {
    let found = findings("src/engine", &[], |line| code(line).contains("crate::plugin"));
    complain("src/engine must not use src/plugin", &found);
}

#[test]
fn only_math_names_a_precision() {
    let bad = |line: &str| has_word(code(line), "f32") || has_word(code(line), "f64");
    let found = findings("src/engine", &[], |line| bad(line) && !line.contains("feature ="));
    complain("use Real or Double from math", &found);
}

#[test]
fn the_engine_has_no_clock_and_no_randomness() {
    let words = ["Instant", "SystemTime", "RandomState", "thread_rng"];
    let found = findings("src/engine", &[], |line| words.iter().any(|w| has_word(code(line), w)));
    complain("nothing in the engine depends on the machine", &found);
}

#[test]
fn the_library_does_not_panic_on_purpose() {
    let words = ["panic!(", ".unwrap()", "unreachable!(", "todo!(", "unimplemented!("];
    let found = findings("src", &[], |line| words.iter().any(|word| code(line).contains(word)));
    complain("return an error, or say why it cannot happen with expect", &found);
}

#[test]
fn no_fused_operations() {
    let found = findings("src", &[], |line| code(line).contains("mul_add"));
    complain("fused operations change bits between targets", &found);
}

/// Is a bound of `clamp` a number that is known when it is compiled?
fn is_constant(bound: &str) -> bool {
    let name = bound.trim().trim_start_matches('-');
    let number = name.starts_with(|c: char| c.is_ascii_digit());
    let constant = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    number || (constant && !name.is_empty())
}

/// The arguments of a call, from behind its parenthesis; none if the line ends before.
fn arguments(rest: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in rest.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth > 0 => depth -= 1,
            ')' | ',' if depth == 0 => {
                found.push(&rest[start..at]);
                start = at + 1;
                if c == ')' {
                    return found;
                }
            }
            _ => {}
        }
    }
    Vec::new()
}

#[test]
fn clamps_are_between_constants() {
    let bad = |line: &str| {
        let calls = code(line).split(".clamp(").skip(1);
        // A call that goes on in the next line has no arguments here: it cannot be judged.
        let sound = |list: Vec<&str>| {
            list.len() == 1 || (!list.is_empty() && list.into_iter().all(is_constant))
        };
        !calls.map(arguments).all(sound)
    };
    let found = findings("src", &[], bad);
    complain("clamp panics for bounds that are NaN or crossed: .max(low).min(high)", &found);
}

#[test]
fn files_are_short_and_lines_fit() {
    let mut found = Vec::new();
    for folder in ["src", "derive", "tests", "examples", "lab", "benches"] {
        for path in files(folder) {
            let text = read(&path);
            let lines = text.lines().count();
            if lines > FILE_MAX {
                found.push(format!("{} has {lines} lines", path.display()));
            }
            for (number, line) in text.lines().enumerate() {
                if line.chars().count() > 110 {
                    found.push(format!("{}:{} is too long", path.display(), number + 1));
                }
            }
        }
    }
    complain("at most 500 lines a file and 110 characters a line", &found);
}

#[test]
fn every_module_says_what_it_does() {
    let found: Vec<String> = files("src")
        .iter()
        .filter(|path| !read(path).starts_with("//!"))
        .map(|path| path.display().to_string())
        .collect();
    complain("a file begins with a //! comment", &found);
}

/// First lines of the paragraphs of comments, with their places.
fn comment_beginnings(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in files(folder) {
        let text = read(&path);
        let mut inside = false;
        for (number, line) in text.lines().enumerate() {
            let words = line.trim_start().strip_prefix("//");
            let words = words.map(|words| words.trim_start_matches(['/', '!']).trim());
            let has_words = words.is_some_and(|words| !words.is_empty());
            if let (Some(words), true, false) = (words, has_words, inside) {
                found.push((format!("{}:{}", path.display(), number + 1), words.to_owned()));
            }
            inside = has_words;
        }
    }
    found
}

#[test]
fn comments_name_their_subject() {
    let mut found = Vec::new();
    for folder in ["src", "derive", "tests", "examples", "lab", "benches"] {
        let bad = |doc: &str| ["The same ", "It ", "And "].iter().any(|word| doc.starts_with(word));
        let beginnings = comment_beginnings(folder).into_iter().filter(|(_, words)| bad(words));
        found.extend(beginnings.map(|(at, words)| format!("{at}: {words}")));
    }
    complain("a comment begins with what it is about", &found);
}

#[test]
fn heads_of_modules_ask_nothing() {
    let mut found = Vec::new();
    for folder in ["src", "derive", "tests", "examples", "lab", "benches"] {
        for path in files(folder) {
            let text = read(&path);
            let asks = |line: &&str| line.starts_with("//!") && line.contains('?');
            let lines = text.lines().filter(asks);
            found.extend(lines.map(|line| format!("{}: {line}", path.display())));
        }
    }
    complain("the head of a module tells", &found);
}

/// The words of the map in ARCHITECTURE.md; `a_{b,c}` stands for `a_b` and `a_c`.
fn map_words() -> Vec<String> {
    let text = read(&root().join("ARCHITECTURE.md"));
    let map = text.split("## Where things are").nth(1).and_then(|rest| rest.split("```").nth(1));
    let map = map.expect("ARCHITECTURE.md has a map");
    let mut found = Vec::new();
    for word in map.split(|c: char| c.is_whitespace() || "();:".contains(c)) {
        let Some((head, rest)) = word.split_once('{') else {
            found.extend(word.split(['/', ',', '.']).map(str::to_owned));
            continue;
        };
        let inner = rest.split('}').next().unwrap_or(rest);
        let (folders, head) = head.rsplit_once('/').unwrap_or(("", head));
        found.extend(folders.split('/').map(str::to_owned));
        found.extend(inner.split(',').map(|part| format!("{head}{part}")));
    }
    found
}

#[test]
fn the_architecture_names_every_file() {
    let words = map_words();
    let mut found = Vec::new();
    for path in files("src").into_iter().filter(|path| !is_test(path)) {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        let stem = path.file_stem().unwrap_or_default();
        let name = if stem == "mod" { folder } else { stem }.to_string_lossy();
        if !words.iter().any(|word| *word == name) {
            found.push(path.display().to_string());
        }
    }
    complain("ARCHITECTURE.md says what is where", &found);
    let lines = read(&root().join("ARCHITECTURE.md")).lines().count();
    assert!(lines < 200, "ARCHITECTURE.md stays under 200 lines, not {lines}");
}

#[test]
fn examples_are_few_and_short() {
    let examples = files("examples");
    assert!(examples.len() <= 16, "at most 16 examples, not {}", examples.len());
    let long = |path: &&PathBuf| read(path).lines().count() > 120;
    let found: Vec<_> = examples.iter().filter(long).map(|p| p.display().to_string()).collect();
    complain("an example is one idea in at most 120 lines", &found);
}

#[test]
fn tests_are_few_programs() {
    let entries = fs::read_dir(root().join("tests")).expect("the folder is part of the repository");
    let is_program = |path: &PathBuf| {
        path.join("main.rs").is_file() || path.extension().is_some_and(|e| e == "rs")
    };
    let programs = entries.flatten().map(|entry| entry.path()).filter(is_program).count();
    assert!(programs <= 6, "at most 6 programs, not {programs}: each is linked by itself");
}

#[test]
fn modules_are_not_taken_from_elsewhere() {
    let mut found = Vec::new();
    for folder in ["src", "derive", "tests", "examples", "lab", "benches"] {
        for path in files(folder) {
            let text = read(&path);
            let lines = text.lines().filter(|line| line.trim_start().starts_with("#[path"));
            found.extend(lines.map(|line| format!("{}: {line}", path.display())));
        }
    }
    complain("what several programs share is in the lab", &found);
}

/// Libraries of the lab do what would otherwise be written again.
#[test]
fn random_numbers_and_charts_have_one_source() {
    // A factor of splitmix64, put together so that this file does not name it.
    let factor = ["bf58", "476d"].concat();
    let mut found = Vec::new();
    for folder in ["src", "derive", "tests", "examples", "lab", "benches"] {
        for path in files(folder) {
            let plain = read(&path).replace('_', "").to_lowercase();
            if plain.contains(&factor) {
                found.push(path.display().to_string());
            }
        }
    }
    complain("random numbers are those of rand_xoshiro", &found);
    for (name, word) in [("rand_xoshiro", "rand"), ("plotters", "plot"), ("plotters", "chart")] {
        for manifest in ["Cargo.toml", "lab/Cargo.toml"] {
            let text = read(&root().join(manifest));
            let others = text.lines().filter(|line| {
                let key = line.split('=').next().unwrap_or("").trim();
                line.contains('=') && key.contains(word) && key != name
            });
            complain(
                &format!("{name} is the only one"),
                &others.map(str::to_owned).collect::<Vec<_>>(),
            );
        }
    }
}

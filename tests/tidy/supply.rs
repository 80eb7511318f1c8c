//! What users take in with the crate: code that is not checked by the compiler.

use std::path::PathBuf;

use super::{code, complain, files, has_word, read, root};

/// Files that may say `unsafe`, and why they must.
const UNSAFE: [(&str, &str); 1] =
    [("lab/src/counting.rs", "an allocator that counts: GlobalAlloc is an unsafe trait")];

/// All Rust files of the repository but these rules, of the packages of their own, too, with their names.
fn all_files() -> Vec<(String, PathBuf)> {
    let folders =
        ["src", "derive", "lab", "tests", "examples", "benches", "fuzz", "gallery", "rollback"];
    let name = |path: PathBuf| {
        let name = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        (name, path)
    };
    let all = folders.into_iter().flat_map(files).map(name);
    let is_ours =
        |name: &str| !name.starts_with("tests/tidy/") && name.split('/').all(|x| x != "target");
    all.filter(|(name, _)| is_ours(name)).collect()
}

fn is_unsafe(line: &str) -> bool {
    has_word(code(line), "unsafe")
}

#[test]
fn unsafe_code_is_listed_and_argued() {
    let mut found = Vec::new();
    for (name, path) in all_files() {
        let text = read(&path);
        let lines: Vec<&str> = text.lines().collect();
        let listed = UNSAFE.iter().any(|(file, _)| *file == name);
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| is_unsafe(line)) {
            // A function of an unsafe trait passes its contract on to whom it serves.
            let argued = number > 0 && lines[number - 1].trim().starts_with("// SAFETY: ");
            if !listed || !(argued || line.contains("unsafe fn ")) {
                found.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    complain("unsafe code stands in listed files, below the comment that argues for it", &found);
    for (file, _) in UNSAFE {
        let text = read(&root().join(file));
        assert!(text.lines().any(is_unsafe), "{file} is listed and has no unsafe code");
    }
    for manifest in ["Cargo.toml", "derive/Cargo.toml"] {
        let text = read(&root().join(manifest));
        let forbids = text.lines().any(|line| line == "unsafe_code = \"forbid\"");
        assert!(forbids, "{manifest}: what is published forbids unsafe code");
    }
}

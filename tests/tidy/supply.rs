//! What users take in with the crate: code that is not checked by the compiler, licenses of dependencies,
//! and what is public.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::arrows::uses;
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

/// Licenses that deny.toml allows.
fn allowed() -> Vec<String> {
    let text = read(&root().join("deny.toml"));
    let list = text.split("\nallow = [").nth(1).and_then(|rest| rest.split(']').next());
    let list = list.expect("deny.toml lists licenses");
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// May a package be used whose license is said so? One of the alternatives of each part must be allowed.
fn is_allowed(license: &str, allowed: &[String]) -> bool {
    let plain = license.replace('/', " OR ");
    let is_known = |name: &str| allowed.iter().any(|other| other == name.trim());
    plain.split(" AND ").all(|part| part.trim_matches(['(', ')']).split(" OR ").any(is_known))
}

/// What cargo tells of a run, as text.
pub(super) fn output(program: &str, arguments: &[&str]) -> String {
    let ran = Command::new(program).args(arguments).current_dir(root()).output();
    let ran = ran.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(ran.status.success(), "{program}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("cargo and rustc write text")
}

#[test]
fn licenses_are_allowed() {
    let version = output("rustc", &["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host");
    let arguments = ["metadata", "--offline", "--format-version", "1", "--filter-platform", host];
    let metadata: Value = serde_json::from_str(&output(env!("CARGO"), &arguments))
        .expect("cargo metadata writes JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let allowed = allowed();
    let others = packages.iter().filter(|package| package["source"].is_string());
    let license = |package: &Value| package["license"].as_str().unwrap_or("none").to_owned();
    let bad = others.filter(|package| !is_allowed(&license(package), &allowed));
    let found: Vec<_> = bad.map(|p| format!("{}: {}", p["name"], license(p))).collect();
    println!("{} packages, {} licenses", packages.len(), allowed.len());
    complain("licenses of dependencies are those of deny.toml", &found);
    assert!(packages.len() > 100, "{} packages are not all", packages.len());
}

#[test]
fn licenses_are_read_as_they_are_said() {
    let allowed = ["MIT", "Zlib", "Unicode-3.0"].map(str::to_owned);
    for license in ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR Zlib", "(MIT OR X) AND Unicode-3.0"] {
        assert!(is_allowed(license, &allowed), "{license} is allowed");
    }
    for license in ["none", "GPL-3.0", "MIT AND GPL-3.0", "(X OR Y) AND MIT", "MITX"] {
        assert!(!is_allowed(license, &allowed), "{license} is not allowed");
    }
}

/// Paths of what docs/api.txt lists, without arguments, types and values.
pub(super) fn listed() -> Vec<String> {
    let text = read(&root().join("docs/api.txt"));
    let path = |line: &str| {
        let rest = &line[line.find("orthant::")?..];
        let end = rest.find(['(', '<', ' ']).unwrap_or(rest.len());
        Some(rest[..end].trim_end_matches(':').to_owned())
    };
    text.lines().filter_map(path).collect()
}

/// Names that a file gives out with `pub use`.
fn given_out(file: &str) -> BTreeSet<String> {
    let public = uses(&read(&root().join(file))).into_iter().filter(|(is_public, _)| *is_public);
    public.filter_map(|(_, path)| path.rsplit("::").next().map(str::to_owned)).collect()
}

#[test]
fn what_is_public_is_listed() {
    let listed = listed();
    let below = |module: &str| -> BTreeSet<String> {
        let name = |path: &String| path.strip_prefix(module).map(str::to_owned);
        listed.iter().filter_map(name).filter(|name| !name.contains("::")).collect()
    };
    let of = |names: &BTreeSet<String>, others: &BTreeSet<String>| {
        names.difference(others).cloned().collect::<Vec<_>>()
    };
    let (prelude, plugin) = (given_out("src/lib.rs"), given_out("src/plugin/mod.rs"));
    complain("docs/api.txt lists the prelude", &of(&prelude, &below("orthant::prelude::")));
    complain("what it lists is in the prelude", &of(&below("orthant::prelude::"), &prelude));
    complain("docs/api.txt lists the plugin", &of(&plugin, &below("orthant::plugin::")));
    let mut words = BTreeSet::new();
    for text in files("src").iter().chain(&files("derive/src")).map(|path| read(path)) {
        let part = |c: char| !(c.is_alphanumeric() || c == '_');
        words.extend(text.lines().flat_map(|line| code(line).split(part)).map(str::to_owned));
    }
    let name = |path: &String| path.rsplit("::").next().map(str::to_owned);
    let names: BTreeSet<String> = listed.iter().filter_map(name).collect();
    println!("{} items, {} names", listed.len(), names.len());
    complain("what docs/api.txt lists is there: .ci/api makes it anew", &of(&names, &words));
    assert!(listed.len() > 2000, "{} items are not all", listed.len());
}

/// What is public in the plugin has an example. What a query hands out, `ForcesItem`, is not in the source.
#[test]
fn items_of_the_plugin_have_examples() {
    let listed = listed();
    let public = |name: &str| listed.iter().any(|path| *path == format!("orthant::plugin::{name}"));
    let (mut items, mut found) = (0, Vec::new());
    for path in files("src/plugin") {
        let mut has_example = false;
        for line in read(&path).lines() {
            let kinds = ["struct ", "enum ", "trait ", "fn ", "const fn ", "type "];
            let rest = line.strip_prefix("pub ");
            let name = rest.and_then(|rest| kinds.iter().find_map(|kind| rest.strip_prefix(kind)));
            let name =
                name.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
            if let Some(name) = name.filter(|name| public(name)) {
                items += 1;
                if !has_example {
                    found.push(format!("{}: {name}", path.display()));
                }
            }
            let above = line.starts_with("///") || line.starts_with(['#', ' ', ')']);
            has_example = above && (has_example || line.contains("```"));
        }
    }
    assert!(items > 150, "only {items} were found");
    complain("what is public in the plugin has an example", &found);
}

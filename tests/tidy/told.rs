//! What pages tell of the code is so: counts, names, tests, examples.

use std::collections::BTreeSet;

use super::supply::{listed, output};
use super::{complain, files, read, root};

fn page(name: &str) -> String {
    read(&root().join(name))
}

/// Items of the API that have a page of the documentation, as paths: no modules, no fields, no methods.
fn items() -> Vec<String> {
    let kinds = ["struct", "enum", "trait", "fn", "type", "const", "union", "macro", "use"];
    let mut found = Vec::new();
    for line in page("docs/api.txt").lines() {
        let Some((head, rest)) = line.split_once("orthant::") else { continue };
        let path = rest.split('(').next().unwrap_or(rest).split(": ").next().unwrap_or(rest);
        // Behind a type there are its methods and variants only.
        let is_method = path.contains(">::");
        let path = path.split(['<', ' ']).next().unwrap_or(path);
        let (above, _) = path.rsplit_once("::").unwrap_or_default();
        let is_below = is_method || above.contains(|c: char| c.is_ascii_uppercase());
        let kind = head.split_whitespace().next_back().unwrap_or_default();
        if kinds.contains(&kind) && !is_below {
            found.push(path.to_owned());
        }
    }
    found
}

#[test]
fn items_of_the_documentation_are_as_many_as_told() {
    let items = items();
    let below = |module: &str| items.iter().filter(|path| path.starts_with(module)).count();
    // The list leaves out what is below the two modules among the values: they are the engine's.
    let values = ["plugin::values::", "engine::shape::mass::", "engine::settings::ranges::"];
    let values: usize = values.into_iter().map(below).sum();
    let plugin = below("plugin::") - below("plugin::values::");
    // What is public by two paths has one page.
    let engine = below("engine::") - below("engine::touch::");
    let told = format!(
        "`plugin::values`: {values} items beside {plugin} of the plugin; all {engine} are in"
    );
    assert!(
        page("docs/first_hour.md").contains(&told),
        "docs/first_hour.md says otherwise: {told}"
    );
}

/// Beside the plugin the documentation shows only modules whose types games name; the others go with the
/// engine.
#[test]
fn modules_of_the_documentation_are_those_told() {
    let lib = page("src/lib.rs");
    let (mut shown, mut hidden) = (Vec::new(), false);
    for line in lib.lines() {
        if let Some(name) = line.strip_prefix("pub mod ").and_then(|line| line.strip_suffix(';')) {
            shown.extend((!hidden).then_some(name));
        }
        hidden = line.starts_with("#[") && (hidden || line.contains("doc(hidden)"));
    }
    assert_eq!(shown, ["math", "plugin", "snapshot"]);
    let told = "beside them `math` and `snapshot`, whose types games name";
    assert!(page("docs/first_hour.md").contains(told), "docs/first_hour.md says otherwise: {told}");
}

/// Crates that are built for it, besides the one that depends on it. Only what `cargo test` has fetched can
/// be asked without a network: no crates of features that it does not build.
fn crates(features: &[&str]) -> usize {
    let tree = ["tree", "--offline", "-p", "orthant", "--prefix", "none", "-e", "normal,build"];
    let text = output(env!("CARGO"), &[&tree[..], features].concat());
    let names = text.lines().map(|line| line.split(" (").next().unwrap_or(line));
    names.collect::<BTreeSet<_>>().len()
}

#[test]
#[cfg(target_os = "linux")]
fn crates_to_build_are_as_many_as_told() {
    let all = crates(&[]);
    let alone = crates(&["--no-default-features", "--features", "bevy"]);
    let (readme, table) = (page("README.md"), page("docs/first_hour.md"));
    let told = format!("Orthant itself is {all} crates to build, and ");
    let drawn = readme.split(&told).nth(1).and_then(|rest| rest.split(' ').next());
    let drawn = drawn.unwrap_or_else(|| panic!("the README says otherwise: {told}"));
    for told in [
        format!("| `orthant` | {all} |"),
        format!("`debug`, `interpolation`, `mesh`, `picking`, `scene` | {drawn} |"),
        format!("| `orthant`, without defaults, feature `bevy` | {alone} |"),
    ] {
        assert!(table.contains(&told), "docs/first_hour.md says otherwise: {told}");
    }
}

/// Spans of code of a cell.
fn spans(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Names within a span.
fn names(span: &str) -> impl Iterator<Item = &str> {
    let words = span.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic()))
}

/// Names that the pages for those who come from elsewhere say are here are public; those of Bevy are given.
#[test]
fn names_of_the_pages_for_newcomers_exist() {
    const BEVY: [&str; 7] = ["Transform", "Fixed", "Time", "Query", "Result", "Vec3", "from_hz"];
    let manifest = page("Cargo.toml");
    let is_feature = |name: &str| manifest.contains(&format!("\n{name} = ["));
    let mut known: BTreeSet<String> = BEVY.map(str::to_owned).into();
    for path in listed() {
        known.extend(path.split("::").map(str::to_owned));
    }
    let mut found = Vec::new();
    let mut rows = 0;
    for file in ["docs/coming_from_avian.md", "docs/coming_from_rapier.md"] {
        for line in page(file).lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let [_, theirs, here, _] = cells[..] else { panic!("{file}: two columns: {line}") };
            rows += 1;
            let same = here.starts_with("the same").then_some(theirs);
            for name in same.into_iter().chain([here]).flat_map(spans).flat_map(names) {
                if !known.contains(name) && !is_feature(name) && name != "schedule" {
                    found.push(format!("{file}: `{name}` of {here}"));
                }
            }
        }
    }
    assert!(rows > 50, "only {rows} rows were read");
    complain("names of the pages for newcomers exist", &found);
}

/// Each case of what is told when something is wrong has its test, and each file of the tables is there by
/// the rule for paths.
#[test]
fn tests_that_are_named_exist() {
    let tests: String = files("tests/plugin").iter().map(|path| read(path)).collect();
    let text = page("docs/first_hour.md");
    let mut named = 0;
    let mut found = Vec::new();
    for line in text.lines().filter(|line| line.starts_with('|')) {
        let last = line.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let is_name = |span: &&str| {
            span.contains('_') && names(span).eq([*span]) && *span != "bevy_transform_interpolation"
        };
        for name in spans(last).into_iter().filter(is_name) {
            named += 1;
            if !tests.contains(&format!("#[test]\nfn {name}(")) && !has_test(&tests, name) {
                found.push(name.to_owned());
            }
        }
    }
    assert!(named > 30, "only {named} tests are named");
    complain("tests that docs/first_hour.md names exist", &found);
}

/// Is there a test of this name, below other attributes?
fn has_test(text: &str, name: &str) -> bool {
    let Some((above, _)) = text.split_once(&format!("\nfn {name}(")) else { return false };
    let attributes = above.lines().rev().take_while(|line| line.starts_with("#["));
    attributes.into_iter().any(|line| line == "#[test]")
}

/// Scenes of the gallery, by their names.
fn scenes() -> Vec<String> {
    let text = page("gallery/src/scenes.rs");
    let name =
        |line: &str| Some(line.trim().strip_prefix("name: \"")?.split('"').next()?.to_owned());
    text.lines().filter_map(name).collect()
}

#[test]
fn examples_are_run_and_shown() {
    let (run, readme) = (page(".ci/run"), page("README.md"));
    let mut found = Vec::new();
    for folder in ["examples", "lab/examples"] {
        for path in files(folder) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let is_run = run.lines().any(|line| names(line).any(|word| word == name));
            if !is_run || !readme.contains(&format!("| `{name}` |")) {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    complain(".ci/run runs all examples, and the README shows them", &found);
    let scenes = scenes();
    let chapter = readme.split("where SCENE is ").nth(1).and_then(|rest| rest.split(" (").next());
    let told: BTreeSet<&str> = chapter.map(spans).expect("a list of scenes").into_iter().collect();
    assert_eq!(told, scenes.iter().map(String::as_str).collect(), "scenes that the README lists");
    let many = ["eleven", "twelve", "thirteen", "fourteen", "fifteen"];
    let many = scenes.len().checked_sub(11).and_then(|k| many.get(k)).expect("a number of scenes");
    let told = format!("a windowed gallery of {many} scenes");
    assert!(
        page("docs/first_hour.md").contains(&told),
        "docs/first_hour.md says otherwise: {told}"
    );
}

/// Pictures of the gallery are small, and each is of a scene.
#[test]
fn pictures_of_the_gallery_are_small() {
    let scenes = scenes();
    let entries = std::fs::read_dir(root().join("docs/pictures")).expect("a folder with pictures");
    let (mut found, mut pictures) = (Vec::new(), 0);
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Some(scene) = name.strip_prefix("gallery_") else { continue };
        pictures += 1;
        let bytes = path.metadata().map_or(u64::MAX, |data| data.len());
        if bytes >= 300_000 || !scenes.iter().any(|name| name == scene) {
            found.push(format!("{name}: {bytes} bytes"));
        }
    }
    assert!(pictures > 10, "only {pictures} pictures");
    complain("pictures of scenes are below 300 kB", &found);
}

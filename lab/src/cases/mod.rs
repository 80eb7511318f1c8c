//! Runs case files: JSON files with inputs and the answers of an independent reference.
//!
//! A file becomes one or more [`Group`]s of [`Check`]s; a check is an error against its tolerance.
//! The format of a file is recognized by its content, else by its name. Nothing in a file makes the
//! runner panic: what cannot be read is a failed check, what is not judged in this precision is
//! skipped, and both say why.

pub mod body;
pub mod ellipse;
pub mod event;
pub mod events;
pub mod json;
pub mod lcp;
pub mod lcps;
pub mod micro;
pub mod pair;
pub mod pairs;
pub mod scene;

use std::path::{Path, PathBuf};

use orthant::math::{Double, EPSILON};
use serde_json::Value;

/// An error against its tolerance.
#[derive(Clone, Debug)]
pub struct Check {
    /// The case, and what of it was compared.
    pub name: String,
    /// What was found, NaN if nothing.
    pub error: Double,
    /// What is allowed.
    pub tolerance: Double,
    /// The figures behind the error, in words.
    pub note: String,
}

impl Check {
    /// A comparison.
    pub fn new(name: impl Into<String>, error: Double, tolerance: Double) -> Self {
        Self { name: name.into(), error, tolerance, note: String::new() }
    }

    /// A case that could not be run.
    pub fn broken(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self { name: name.into(), error: Double::NAN, tolerance: 0.0, note: why.into() }
    }

    /// The check with a note.
    #[must_use]
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Is the error within the tolerance? NaN is not.
    pub fn passed(&self) -> bool {
        self.error <= self.tolerance
    }

    /// The error in units of the tolerance; infinite if nothing was found.
    pub fn severity(&self) -> Double {
        if self.error.is_nan() {
            Double::INFINITY
        } else if self.tolerance > 0.0 {
            self.error / self.tolerance
        } else if self.error > 0.0 {
            Double::INFINITY
        } else {
            0.0
        }
    }
}

/// Checks that belong together.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// File and what was compared.
    pub name: String,
    /// The comparisons.
    pub checks: Vec<Check>,
    /// Cases that were left out, with the reason.
    pub skipped: Vec<(String, String)>,
    /// Figures that are not judged.
    pub info: Vec<String>,
}

impl Group {
    /// An empty group.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// A group of which nothing was run.
    pub fn skipped(name: impl Into<String>, why: &str) -> Self {
        let name = name.into();
        Self { skipped: vec![(name.clone(), why.to_owned())], name, ..Self::default() }
    }

    /// A group that could not be run.
    pub fn broken(name: impl Into<String>, why: impl Into<String>) -> Self {
        let name = name.into();
        Self { checks: vec![Check::broken(name.clone(), why)], name, ..Self::default() }
    }
}

/// Is the build in double precision?
pub fn is_double() -> bool {
    Double::from(EPSILON) < 1e-12
}

/// Formats of case files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Pairs,
    PairsDegenerate,
    Events,
    Lcps,
    Micro,
    Scene,
}

impl Format {
    /// By the keys of the file, else by its name.
    fn of(value: &Value, name: &str) -> Option<Self> {
        let first = value.as_array().and_then(|list| list.first()).unwrap_or(value);
        let has = |key: &str| first.get(key).is_some();
        if has("extreme_optimal_normals") {
            Some(Self::PairsDegenerate)
        } else if has("events") && has("body1") {
            Some(Self::Events)
        } else if has("body1") && has("r") {
            Some(Self::Pairs)
        } else if has("M") && has("f") {
            Some(Self::Lcps)
        } else if has("scene") && (has("expect") || has("expect_total_momentum")) {
            Some(Self::Micro)
        } else if has("scene") {
            Some(Self::Scene)
        } else {
            const PREFIXES: [(&str, Format); 6] = [
                ("pairs_degenerate", Format::PairsDegenerate),
                ("pairs", Format::Pairs),
                ("events", Format::Events),
                ("lcps", Format::Lcps),
                ("micro_", Format::Micro),
                ("scene_", Format::Scene),
            ];
            PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|&(_, format)| format)
        }
    }

    /// Is the format judged only in double precision?
    fn needs_double(self) -> bool {
        matches!(self, Self::PairsDegenerate | Self::Lcps | Self::Scene)
    }
}

/// Runs one file.
pub fn run_file(path: &Path) -> Vec<Group> {
    let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return vec![Group::broken(name, error.to_string())],
    };
    let value: Value = match serde_json::from_str(&text) {
        Ok(value) => value,
        Err(error) => return vec![Group::broken(name, format!("not JSON: {error}"))],
    };
    // Some files keep their cases under a key.
    let value = value.get("cases").cloned().unwrap_or(value);
    let Some(format) = Format::of(&value, &name) else {
        return vec![Group::skipped(name, "unknown format")];
    };
    if format.needs_double() && !is_double() {
        return vec![Group::skipped(name, "f64")];
    }
    // The engine never panics; should it, that is a failed case and not the end of the run.
    let run = std::panic::AssertUnwindSafe(|| run_value(format, &value, &name));
    std::panic::catch_unwind(run).unwrap_or_else(|_| vec![Group::broken(name, "panicked")])
}

fn run_value(format: Format, value: &Value, name: &str) -> Vec<Group> {
    let each = |run: fn(&Value, &str) -> Vec<Group>| match value.as_array() {
        Some(list) => list.iter().flat_map(|case| run(case, name)).collect(),
        None => run(value, name),
    };
    if value.as_array().is_some_and(Vec::is_empty) {
        return vec![Group::skipped(name, "no cases")];
    }
    match format {
        Format::Micro => each(micro::run),
        Format::Scene => each(scene::run),
        Format::Lcps => lcps::run(value, name),
        Format::Pairs => pairs::run(value, name, false),
        Format::PairsDegenerate => pairs::run(value, name, true),
        Format::Events => events::run(value, name),
    }
}

/// The JSON files of a folder, sorted by name.
///
/// # Errors
/// The folder cannot be read.
pub fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Sums of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Checks within their tolerance.
    pub passed: usize,
    /// Checks that are not.
    pub failed: usize,
    /// Cases left out.
    pub skipped: usize,
}

impl Totals {
    /// Prints a group — one line, and one for each failed check — and counts it.
    pub fn add(&mut self, group: &Group) {
        let failed: Vec<_> = group.checks.iter().filter(|check| !check.passed()).collect();
        let passed = group.checks.len() - failed.len();
        self.passed += passed;
        self.failed += failed.len();
        self.skipped += group.skipped.len();
        if let Some((_, why)) = group.skipped.first()
            && group.checks.is_empty()
        {
            println!("{:44} skipped ({why})", group.name);
        } else {
            println!("{:44} {passed:4} passed{}", group.name, tail(group, failed.len()));
        }
        for check in failed {
            println!("    FAILED {}", line(check));
        }
        for info in &group.info {
            println!("    {info}");
        }
    }
}

fn tail(group: &Group, failed: usize) -> String {
    let mut tail = String::new();
    if failed > 0 {
        tail += &format!(", {failed} failed");
    }
    let skipped = group.skipped.len();
    if let Some((_, why)) = group.skipped.first() {
        tail += &format!(", {skipped} skipped ({why})");
    }
    let worst = group.checks.iter().max_by(|a, b| a.severity().total_cmp(&b.severity()));
    if let Some(worst) = worst {
        tail += &format!("   worst {:.1e} of {:.1e}", worst.error, worst.tolerance);
        if worst.error > 0.0 {
            tail += &format!("  ({})", worst.name);
        }
    }
    tail
}

/// A check as a line of text.
pub fn line(check: &Check) -> String {
    if check.error.is_nan() && check.tolerance == 0.0 {
        return format!("{}: {}", check.name, check.note);
    }
    let Check { name, error, tolerance, note } = check;
    let dash = if note.is_empty() { "" } else { " — " };
    format!("{name}: error {error:.3e}, allowed {tolerance:.1e}{dash}{note}")
}

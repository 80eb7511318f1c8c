//! Every case file of `tests/cases` passes, in the precision of the build.

#[path = "../examples/cases/mod.rs"]
mod cases;
#[path = "../examples/scenes/mod.rs"]
mod scenes;

use std::path::Path;

#[test]
fn every_case_file_passes() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases"));
    let files = cases::files(folder).expect("the folder is part of the repository");
    assert!(files.len() >= 14, "case files are missing: {files:?}");
    let mut totals = cases::Totals::default();
    for file in files {
        for group in cases::run_file(&file) {
            totals.add(&group);
        }
    }
    assert_eq!(totals.failed, 0, "{totals:?}; the failed checks are printed above");
    assert!(totals.passed > 0, "nothing was judged");
}

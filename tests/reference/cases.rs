//! Every case file of `tests/cases` passes, in the precision of the build.

use std::path::Path;

use orthant_lab::{cases, scenes};

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

/// The experiments that have a case file are the scenes of these files, number for number.
#[test]
fn experiments_are_the_scenes_of_the_case_files() {
    for (experiment, file) in [
        (scenes::thesis::balance2(), "scene_balance2.json"),
        (scenes::thesis::dice3(), "scene_dice3.json"),
    ] {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases")).join(file);
        let text = std::fs::read_to_string(path).expect("the file is part of the repository");
        let case: serde_json::Value = serde_json::from_str(&text).expect("the file is JSON");
        let scene = cases::json::scene(&case["scene"], "").expect("the file holds a scene");
        // The order of the corners is no part of a cube.
        let mut ours = experiment.scene;
        for (a, b) in ours.bodies.iter_mut().zip(&scene.bodies) {
            assert!(a.vertices.iter().all(|v| b.vertices.contains(v)), "{file}: {}", a.name);
            a.vertices.clone_from(&b.vertices);
        }
        assert_eq!(ours, scene, "{file}");
    }
}

/// Theorem 6.12 asks for feasible scenes, and papers' settings must be within their ranges.
#[test]
fn experiments_start_feasible() {
    for experiment in scenes::thesis::all() {
        let name = &experiment.scene.name;
        let world = scenes::World::new(&experiment.scene).expect("the engine takes the scene");
        assert_eq!(world.bodies().count(), experiment.scene.bodies.len(), "{name}");
        let (infeasibility, _) = world.simulation.infeasibility();
        // Rounding of the poses.
        let rounding = 64.0 * orthant::math::EPSILON;
        assert!(infeasibility <= rounding, "{name} begins with {infeasibility}");
        assert_eq!(experiment.scene.params.papers().validate(), Ok(()), "{name}");
        assert_eq!(experiment.scene.params.defaults().validate(), Ok(()), "{name}");
    }
}

/// Under pyramids a step problem of few contacts is a linear one, which is solved to rounding: no step of the
/// experiments is left above the tolerance of the precision.
#[test]
fn experiments_are_solved_in_every_step() {
    for experiment in scenes::thesis::all() {
        for &dt in experiment.dts.iter().filter(|&&dt| dt >= 0.005) {
            let params = scenes::Params { dt, gamma: 1.0, ..experiment.scene.params };
            let mut world = scenes::World::new(&experiment.scene).expect("a sound scene");
            let settings = params.papers();
            let run = scenes::Run::new(&mut world, &settings, dt, params.steps(), |_, _| {});
            let (name, residual) = (&experiment.scene.name, run.residual_max);
            println!("{name}, h = {dt}: {} unsolved, {residual:.1e} m/s", run.unsolved);
            assert_eq!(run.unsolved, 0, "{name}, h = {dt}: {residual} m/s");
        }
    }
}

#[test]
fn odd_files_are_told_and_never_panic() {
    let folder = std::env::temp_dir().join(format!("orthant-odd-cases-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    let scene = |rest: &str| {
        format!(
            r#"{{"scene": {{"dim": 2, "params": {{"T": 0.1, "h": 0.01}}, "bodies": [{{"name": "a",
               "vertices": [[0, 0], [1, 0], [0, 1]]{rest}}}]}}, "expect": {{"a": {{"x": [0, 0]}}}}}}"#
        )
    };
    let odd = [
        ("broken.json", "{".to_owned(), [0, 1, 0]),
        ("what.json", r#"{"a": 1}"#.to_owned(), [0, 0, 1]),
        ("null.json", "null".to_owned(), [0, 0, 1]),
        ("events.json", r#"[{"dim": 3, "body1": {}, "events": []}]"#.to_owned(), [0, 1, 0]),
        ("pairs.json", r#"[{"dim": 3, "body1": {}, "r": 1, "rho": 0}]"#.to_owned(), [0, 1, 0]),
        ("kind.json", r#"{"scene": {"kind": "blob"}, "expect": {}}"#.to_owned(), [0, 0, 1]),
        ("density.json", scene(r#", "density": -1"#), [0, 1, 0]),
        ("number.json", scene(r#", "density": "heavy""#), [0, 1, 0]),
        ("fine.json", scene(""), [2, 0, 0]),
    ];
    for (name, text, [passed, failed, skipped]) in odd {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("the folder can be written");
        let mut totals = cases::Totals::default();
        cases::run_file(&path).iter().for_each(|group| totals.add(group));
        assert_eq!(totals, cases::Totals { passed, failed, skipped }, "{name}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder was made above");
}

//! The ratio metric against the pair cases of an independent reference.

use orthant_lab::cases::pair::{PairErrors, check_pair, read_pair, tolerances};
use serde_json::Value;

fn cases(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/cases/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the case file is part of the repository");
    serde_json::from_str(&text).expect("the case file is a JSON list")
}

/// The worst errors over all cases of a file.
fn worst(name: &str) -> (usize, PairErrors) {
    let mut worst = PairErrors { ratio: 0.0, gap: 0.0, one_sided: 0.0, normal: 0.0 };
    let cases = cases(name);
    for case in &cases {
        let found = read_pair(case).and_then(|c| check_pair(&c));
        let errors = match found {
            Ok(errors) => errors,
            Err(why) => panic!("case {} {}: {why}", case["id"], case["name"]),
        };
        worst.ratio = worst.ratio.max(errors.ratio);
        worst.gap = worst.gap.max(errors.gap);
        worst.one_sided = worst.one_sided.max(errors.one_sided);
        worst.normal = worst.normal.max(errors.normal);
    }
    println!("{name}: {} cases, worst errors {worst:?}", cases.len());
    (cases.len(), worst)
}

#[test]
fn random_pairs_match_the_reference() {
    let (count, worst) = worst("pairs.json");
    let allowed = tolerances();
    assert_eq!(count, 100, "all cases ran");
    assert!(worst.ratio <= allowed.ratio, "r is off by {:e}", worst.ratio);
    assert!(worst.gap <= allowed.gap, "rho is off by {:e}", worst.gap);
    assert!(worst.one_sided <= allowed.one_sided, "r_hat is off by {:e}", worst.one_sided);
    assert!(worst.normal <= allowed.normal, "the normal is off by {:e}", worst.normal);
}

#[test]
fn degenerate_normals_lie_in_the_optimal_cone() {
    let (count, worst) = worst("pairs_degenerate.json");
    let allowed = tolerances();
    assert_eq!(count, 4, "all cases ran");
    assert!(worst.ratio <= allowed.ratio, "r is off by {:e}", worst.ratio);
    assert!(worst.gap <= allowed.gap, "rho is off by {:e}", worst.gap);
    let cone = allowed.ratio;
    assert!(worst.normal <= cone, "a normal is {:e} outside of the cone", worst.normal);
}

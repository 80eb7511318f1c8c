//! Runs the event cases: every event of a pair of polytopes with its gradient, and its active sets.
//!
//! Needs `mod body` beside it.

use super::body::{CaseBody, index, list, number, read_body, vector};
use orthant::engine::papers::active_set::PapersActive;
use orthant::engine::papers::enumerate::{EventFeatures, PairEvent, enumerate, ratio_of};
use orthant::math::Double;
use serde_json::Value;

/// What was compared, and the worst deviations found.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventCheck {
    /// Events compared.
    pub events: usize,
    /// Active sets compared.
    pub sets: usize,
    /// Worst error of t, relative to max(1, t).
    pub ratio: Double,
    /// Worst error of x*, relative to the size of the pair.
    pub point: Double,
    /// Worst error of the violation, relative to the largest of 1, t and itself.
    pub violation: Double,
    /// Worst error of a gradient relative to its largest component.
    pub gradient: Double,
}

/// Tolerances of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct EventTolerance {
    /// On t, relative to max(1, t).
    pub ratio: Double,
    /// On x*, relative to the size of the pair.
    pub point: Double,
    /// On gradients, relative to the largest component.
    pub gradient: Double,
    /// Only events up to this t are compared.
    pub ratio_max: Double,
    /// Are the active sets compared?
    pub sets: bool,
}

impl EventTolerance {
    /// The tolerances of the build's precision.
    pub fn of_build() -> Self {
        if size_of::<orthant::math::Real>() == 8 {
            Self {
                ratio: 1e-9,
                point: 1e-9,
                gradient: 1e-7,
                ratio_max: Double::INFINITY,
                sets: true,
            }
        } else {
            Self { ratio: 1e-5, point: 1e-5, gradient: 1e-3, ratio_max: 2.0, sets: false }
        }
    }
}

/// Is this a case that can be run? Two-dimensional ones are skipped.
pub fn is_spatial(case: &Value) -> bool {
    case["dim"].as_u64() == Some(3)
}

/// Compares one case; the first deviation beyond the tolerance is the error.
pub fn check_case(case: &Value, tolerance: &EventTolerance) -> Result<EventCheck, String> {
    let (a, b) = (read_body(&case["body1"])?, read_body(&case["body2"])?);
    let found = enumerate(&a.hull, &a.placement, &b.hull, &b.placement);
    let expected = list(&case["events"], "events")?;
    let mut check = EventCheck::default();
    let mut matching = Vec::with_capacity(expected.len());
    for event in expected {
        let features = features(event, &a, &b)?;
        let at = found.iter().position(|e| e.features == features);
        matching.push(at);
        if number(&event["t"], "t")? > tolerance.ratio_max {
            continue;
        }
        let at = at.ok_or_else(|| format!("no event {features:?}"))?;
        compare(event, &found[at], &a, &b, &mut check).map_err(|e| format!("{features:?}: {e}"))?;
        check.events += 1;
    }
    for (what, worst, allowed) in [
        ("t", check.ratio, tolerance.ratio),
        ("x*", check.point, tolerance.point),
        ("violation", check.violation, tolerance.point),
        ("gradient", check.gradient, tolerance.gradient),
    ] {
        if worst.is_nan() || worst > allowed {
            return Err(format!("{what} is off by {worst:.1e}, allowed {allowed:.1e}"));
        }
    }
    if tolerance.sets {
        if found.len() != expected.len() {
            return Err(format!("{} events, expected {}", found.len(), expected.len()));
        }
        for set in list(&case["active_sets"], "active_sets")? {
            check_set(set, &found, &matching)?;
            check.sets += 1;
        }
        let ratio = number(&case["r"], "r")?;
        let error = (ratio_of(&found) - ratio).abs() / ratio;
        if error > tolerance.ratio {
            return Err(format!("the best plane of all events misses r by {error:.1e}"));
        }
    }
    Ok(check)
}

/// Takes the worse of two numbers; NaN is worst.
fn worse(worst: &mut Double, error: Double) {
    if error.is_nan() || error > *worst {
        *worst = error;
    }
}

/// Records the deviations of one event.
fn compare(
    expected: &Value,
    found: &PairEvent,
    a: &CaseBody,
    b: &CaseBody,
    check: &mut EventCheck,
) -> Result<(), String> {
    let t = number(&expected["t"], "t")?;
    worse(&mut check.ratio, (found.ratio - t).abs() / t.max(1.0));
    let gap = number(&expected["phi"], "phi")?;
    // 1 - 1/t magnifies an error of t by 1/t².
    worse(&mut check.ratio, (found.gap - gap).abs() * (t * t).min(1.0));
    let violation = number(&expected["violation"], "violation")?;
    worse(&mut check.violation, (found.violation - violation).abs() / t.max(violation).max(1.0));
    let size = [a, b].map(|x| x.placement.position.distance(found.point));
    let size = size[0].max(size[1]).max(1.0);
    worse(&mut check.point, found.point.distance(vector(&expected["x"], "x")?) / size);
    let gradient = list(&expected["grad_phi"], "grad_phi")?
        .iter()
        .map(|g| number(g, "grad_phi"))
        .collect::<Result<Vec<_>, _>>()?;
    let ours = found.gradient();
    if gradient.len() != ours.len() {
        return Err("grad_phi has not 12 components".into());
    }
    let largest = gradient.iter().fold(0.0, |l: Double, g| l.max(g.abs()));
    for (g, o) in gradient.iter().zip(ours) {
        worse(&mut check.gradient, (g - o).abs() / largest);
    }
    Ok(())
}

/// The features of an event of the case in our numbering.
fn features(event: &Value, a: &CaseBody, b: &CaseBody) -> Result<EventFeatures, String> {
    let vertex = |body: &CaseBody, key: &str| lookup(&body.vertices, &event[key], key);
    let face = |body: &CaseBody, key: &str| lookup(&body.faces, &event[key], key);
    match event["kind"].as_str() {
        Some("V1F2") => {
            Ok(EventFeatures::VertexFace { vertex: vertex(a, "vertex1")?, face: face(b, "face2")? })
        }
        Some("F1V2") => {
            Ok(EventFeatures::FaceVertex { face: face(a, "face1")?, vertex: vertex(b, "vertex2")? })
        }
        Some("EE") => Ok(EventFeatures::EdgeEdge {
            edge_a: edge(a, &event["edge1"])?,
            edge_b: edge(b, &event["edge2"])?,
        }),
        other => Err(format!("unknown kind of event {other:?}")),
    }
}

fn lookup(ids: &[u32], at: &Value, what: &str) -> Result<u32, String> {
    let at = index(at, what)?;
    ids.get(at).copied().ok_or_else(|| format!("{what} is out of range"))
}

fn edge(body: &CaseBody, ends: &Value) -> Result<u32, String> {
    let mut ends = list(ends, "edge")?
        .iter()
        .map(|v| lookup(&body.vertices, v, "edge"))
        .collect::<Result<Vec<_>, _>>()?;
    ends.sort_unstable();
    let mut edges = (0_u32..).zip(body.hull.edges());
    let found = edges.find(|(_, e)| e.vertices[..] == ends[..]).map(|(i, _)| i);
    found.ok_or_else(|| "an edge of the case is not in the hull".into())
}

/// Compares one active set, but for the events marked as borderline.
fn check_set(set: &Value, found: &[PairEvent], matching: &[Option<usize>]) -> Result<(), String> {
    let value = |key: &str| number(&set[key], key);
    let active = PapersActive {
        eps_x: value("eps_x")?,
        eps_t: value("eps_t")?,
        eps_0: value("eps_0")?,
        delta_max: Double::INFINITY,
    };
    let indices = |key: &str| -> Result<Vec<usize>, String> {
        list(&set[key], key)?.iter().map(|v| index(v, key)).collect()
    };
    let expected = indices("active_alg314_tscale")?;
    let borderline = indices("borderline")?;
    let ratio = ratio_of(found);
    if set["E1_pair_active"].as_bool() != Some(active.is_near(ratio)) {
        return Err(format!("{active:?} disagrees on whether the pair is near"));
    }
    for (m, at) in matching.iter().enumerate() {
        let ours = at.is_some_and(|at| active.admits(&found[at], ratio));
        if ours != expected.contains(&m) && !borderline.contains(&m) {
            let word = if ours { "has" } else { "lacks" };
            return Err(format!("the active set {active:?} {word} event {m}"));
        }
    }
    Ok(())
}

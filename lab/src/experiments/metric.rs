//! The ratio metric beside distance and least penetration (thesis, Theorem 2.16, Remarks 2.18 and 2.19).

use std::path::Path;

use orthant::engine::papers::active_set::PapersActive;
use orthant::engine::papers::enumerate::{PairEvent, Placement, enumerate, ratio_of};
use orthant::engine::query::closest;
use orthant::engine::ratio::Relative;
use orthant::engine::shape::hull::Hull;
use orthant::engine::shape::{Convex, Shape};
use orthant::math::{Double, Vec3, narrow, quat_rotate, quat_to_mat3, widen, widen_mat3, widen3};
use orthant::papers::one_sided::one_sided;

use super::Outcome;
use crate::random::Rng;

/// Two random hulls, and what there is to measure between them.
#[derive(Clone, Debug)]
pub struct Measured {
    /// r, the ratio metric (–); ρ = 1 - 1/r.
    pub ratio: Double,
    /// r̂, by which only the first grows, with the second fixed (–).
    pub one_sided: Double,
    /// s: Euclidean distance if they are apart, else the least translation that separates them (m).
    pub s: Double,
    /// D: distance of the centroids (m).
    pub d: Double,
    /// Radii of the largest balls about the centroids (m).
    pub inradii: [Double; 2],
    /// All events.
    pub events: Vec<PairEvent>,
    /// The hulls and where they are.
    pub hulls: [Hull; 2],
    pub placements: [Placement; 2],
}

impl Measured {
    /// Are they apart?
    pub fn is_apart(&self) -> bool {
        self.ratio > 1.0
    }

    /// |ρ| (–).
    pub fn depth(&self) -> Double {
        (1.0 - 1.0 / self.ratio).abs()
    }

    /// The active events of the papers, without ghosts.
    pub fn active(&self) -> Vec<&PairEvent> {
        let active = PapersActive { eps_x: 0.01, eps_t: 0.1, eps_0: 1e-4, delta_max: 1e6 };
        active.select_real(&self.events, self.ratio).into_iter().map(|m| &self.events[m]).collect()
    }
}

/// So many random pairs, by turns apart and overlapping by less than the smaller inradius, as Theorem 2.16
/// asks.
///
/// # Errors
/// The engine refused a shape.
pub fn pairs(count: usize, seed: u64) -> Result<Vec<Measured>, String> {
    let mut rng = Rng::new(seed);
    let mut list = Vec::new();
    while list.len() < count {
        let mut shape = || -> Result<Shape, String> {
            let stretch = rng.vector(0.3, 1.0);
            let n = 6 + rng.below(12);
            let points: Vec<Vec3> = (0..n).map(|_| rng.vector(-1.0, 1.0) * stretch).collect();
            Shape::convex_hull(&points).map_err(|error| error.to_string())
        };
        let shapes = [shape()?, shape()?];
        let [Some(one), Some(other)] = [0, 1].map(|k| hull_of(&shapes[k])) else { continue };
        let hulls = [one, other];
        let rotations = [rng.rotation(), rng.rotation()];
        let far = narrow(rng.between(0.1, 2.5));
        let between = rng.vector(-1.0, 1.0).normalize_or_zero() * far;
        let positions = [Vec3::ZERO, between];
        let [a, b] = [0, 1].map(|k| Placement {
            position: widen3(positions[k]),
            rotation: widen_mat3(quat_to_mat3(rotations[k])),
        });
        let events = enumerate(hulls[0], &a, hulls[1], &b);
        let ratio = ratio_of(&events);
        // All facets of the Minkowski difference are among the planes of events.
        let inside = |e: &PairEvent| e.distance / e.separating_ratio - e.distance;
        let facing = events.iter().filter(|e| e.separating_ratio > 0.0);
        let s = if ratio < 1.0 {
            facing.map(inside).fold(Double::INFINITY, Double::min)
        } else {
            // Shapes have their frames, hulls their centroids.
            let at = |k: usize| {
                let centroid = shapes[k].mass_properties(1.0).center_of_mass;
                (&shapes[k], positions[k] - quat_rotate(rotations[k], centroid), rotations[k])
            };
            let found = closest(at(0), at(1));
            found.map_or(Double::NAN, |found| widen(found.distance))
        };
        let inradii = [0, 1].map(|k| widen(hulls[k].inradius()));
        let [m, n] = rotations.map(quat_to_mat3);
        let relative = Relative::new(positions[0], m, positions[1], n);
        let one_sided = widen(one_sided(hulls[0], hulls[1], &relative));
        let d = widen(between.length());
        let (hulls, placements) = ([one.clone(), other.clone()], [a, b]);
        let found = Measured { ratio, one_sided, s, d, inradii, events, hulls, placements };
        let is_shallow = s <= inradii[0].min(inradii[1]);
        if found.is_apart() == list.len().is_multiple_of(2) && (found.is_apart() || is_shallow) {
            list.push(found);
        }
    }
    Ok(list)
}

/// The hull of a shape of one piece.
fn hull_of(shape: &Shape) -> Option<&Hull> {
    match &shape.pieces().first()?.convex {
        Convex::Hull(hull) => Some(hull),
        _ => None,
    }
}

/// How |ρ| lies between its bounds.
pub fn perform(_: &Path) -> Outcome {
    let pairs = pairs(2000, 7)?;
    println!(
        "| pairs | metric | count | least ρ D / s | largest ρ ε / s, ε the inradius | f₂ / f₁ |"
    );
    println!("|---|---|---|---|---|---|");
    for (name, apart) in [("apart", true), ("overlapping", false)] {
        let of: Vec<_> = pairs.iter().filter(|p| p.is_apart() == apart && p.s > 1e-4).collect();
        for (metric, ratio) in [
            ("r, both grow", (|p| p.ratio) as fn(&Measured) -> Double),
            ("r̂, one grows", |p: &Measured| p.one_sided),
        ] {
            let rho = |p: &Measured| (1.0 - 1.0 / ratio(p)).abs();
            let of: Vec<_> = of.iter().filter(|p| ratio(p) > 0.0).collect();
            let low = of.iter().map(|p| rho(p) * p.d / p.s).fold(Double::INFINITY, Double::min);
            let epsilon = |p: &Measured| p.inradii[0].min(p.inradii[1]);
            let high = of.iter().map(|p| rho(p) * epsilon(p) / p.s).fold(0.0, Double::max);
            let f = of.iter().map(|p| (ratio(p) - 1.0).abs() / rho(p));
            let (least, most) =
                f.fold((Double::INFINITY, 0.0), |(a, b): (Double, Double), x| (a.min(x), b.max(x)));
            println!(
                "| {name} | {metric} | {} | {low:.3} | {high:.3} | {least:.2} … {most:.2} |",
                of.len()
            );
        }
    }
    Ok(())
}

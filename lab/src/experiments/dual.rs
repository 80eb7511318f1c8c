//! The active events by the dual problem: Algorithm 3.15 of the thesis with its steps 1 to 4.
//!
//! The ratio metric is the linear program `min t` over `n·(x - x_i) / δ ≤ t`, for the planes of both bodies.
//! Its dual has a weight for each of them; where a weight is not zero the plane is active. Step 1 solves both
//! at once, as a linear complementarity problem; step 2 lists the planes that are active, steps 4a to 4c look
//! at corners and edges of these alone.

use orthant::engine::lcp::Status;
use orthant::engine::papers::active_set::PapersActive;
use orthant::engine::papers::enumerate::{EventFeatures, PairEvent, Placement};
use orthant::engine::papers::solvers::pivoting::lcp_lemke;
use orthant::engine::shape::hull::Hull;
use orthant::math::{DVec3, Double, widen, widen3};

/// What the dual problem tells of a pair.
#[derive(Clone, Debug, Default)]
pub struct Dual {
    /// t*, the ratio metric (–).
    pub ratio: Double,
    /// x*, where the scaled bodies touch (m).
    pub point: DVec3,
    /// Weight of each plane of the first and the second body (–).
    pub weights: [Vec<Double>; 2],
    /// By how much each plane has the point inside, `t* - n·(x* - x_i) / δ` (–).
    pub slacks: [Vec<Double>; 2],
}

/// Step 1; none if the algorithm came to no end.
pub fn solve(hulls: [&Hull; 2], placements: [&Placement; 2]) -> Option<Dual> {
    let origin = placements[0].position;
    // Rows (n/δ, n·x_i/δ) of all planes, about the first centroid.
    let row = |k: usize| {
        let Placement { position, rotation } = *placements[k];
        hulls[k].faces().iter().map(move |face| {
            let n = rotation * widen3(face.normal) / widen(face.offset);
            (n, n.dot(position - origin))
        })
    };
    let rows: Vec<_> = row(0).chain(row(1)).collect();
    // Of z = (x⁺, x⁻, t) and the weights u: c - Aᵀ u ≥ 0 ⊥ z ≥ 0, A z - b ≥ 0 ⊥ u ≥ 0.
    let size = 7 + rows.len();
    let (mut matrix, mut q) = (vec![0.0; size * size], vec![0.0; size]);
    q[6] = 1.0;
    for (i, (n, at)) in rows.iter().enumerate() {
        let parts = [-n.x, -n.y, -n.z, n.x, n.y, n.z, 1.0];
        for (k, part) in parts.into_iter().enumerate() {
            matrix[(7 + i) * size + k] = part;
            matrix[k * size + 7 + i] = -part;
        }
        q[7 + i] = *at;
    }
    let solution = lcp_lemke(&matrix, &q, 200 * size as u32);
    if solution.status != Status::Converged {
        return None;
    }
    let z = &solution.z;
    let (point, ratio) = (DVec3::new(z[0] - z[3], z[1] - z[4], z[2] - z[5]), z[6]);
    let slacks: Vec<_> = rows.iter().map(|(n, at)| ratio - n.dot(point) + at).collect();
    let split = 7 + hulls[0].faces().len();
    let weights = [z[7..split].to_vec(), z[split..].to_vec()];
    let (first, second) = slacks.split_at(split - 7);
    Some(Dual { ratio, point: origin + point, weights, slacks: [first.to_vec(), second.to_vec()] })
}

/// Steps 2 to 4: which of the events of a pair belong to planes within `slack` (–) of active, and which of
/// those are active.
pub fn active(
    dual: &Dual,
    hulls: [&Hull; 2],
    events: &[PairEvent],
    window: &PapersActive,
    slack: Double,
) -> [Vec<EventFeatures>; 2] {
    let listed =
        [0, 1].map(|k| -> Vec<bool> { dual.slacks[k].iter().map(|s| *s <= slack).collect() });
    let corners = [0, 1].map(|k| {
        let faces = (0_u32..).zip(&listed[k]).filter(|(_, listed)| **listed);
        faces.flat_map(|(face, _)| hulls[k].face_loop(face).to_vec()).collect::<Vec<_>>()
    });
    let edge = |k: usize, edge: u32| {
        let [p, q] = hulls[k].edges()[edge as usize].vertices;
        corners[k].contains(&p) && corners[k].contains(&q)
    };
    let adjacent = |event: &&PairEvent| match event.features {
        EventFeatures::VertexFace { vertex, face } => {
            listed[1][face as usize] && corners[0].contains(&vertex)
        }
        EventFeatures::FaceVertex { face, vertex } => {
            listed[0][face as usize] && corners[1].contains(&vertex)
        }
        EventFeatures::EdgeEdge { edge_a, edge_b } => edge(0, edge_a) && edge(1, edge_b),
    };
    let candidates: Vec<_> = events.iter().filter(adjacent).collect();
    let active = candidates.iter().filter(|event| window.admits_real(event, dual.ratio));
    [active.map(|e| e.features).collect(), candidates.iter().map(|e| e.features).collect()]
}

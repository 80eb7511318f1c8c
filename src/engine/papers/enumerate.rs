//! Every event of a pair: Algorithm 3.15 over all features, one by one, in double precision.
//!
//! Input: two polytopes with their poses. Output: every event with `t > 0`, in the order corners of
//! `a` on faces of `b`, corners of `b` on faces of `a`, edges; each by ascending feature ids.
//!
//! The equality system (3.5) of an event, with `d = x_b - x_a`, corners `p` and edge points about the
//! centroids in world axes, and a unit normal `n` of the plane both features share when scaled by `t`:
//!
//! - corner `p` of `a` on the face `c·y = δ` of `b` (Remark 3.10), `n = -c`:
//!   `t = n·d / (n·p + δ)`, `x* = x_a + t p`;
//! - corner of `b` on a face of `a`: the same with the roles exchanged;
//! - edges with directions `u`, `v` through `p`, `q`: `n = u×v / |u×v|`, `t = n·d / n·(p - q)`, and
//!   `x*` is where the two scaled edge lines meet. (Equation (3.13) as printed has the opposite
//!   sign.)
//!
//! With `D = n·d` and `Φ̂ = 1 - 1/t`,
//!
//! ```text
//! ∇Φ̂ = 1/(t D) [ -n, -(x* - x_a)×n, n, (x* - x_b)×n ]
//! ```
//!
//! for both kinds: the ordinary contact Jacobian at the touching point of the scaled bodies. `t D`
//! is unchanged when `n` flips with `D`.
//!
//! Of two bodies one may stay as it is, a fixed one in Remark 2.18. With `g_i` 1 for what grows, else 0,
//! body `i` has the size `1 - g_i + g_i t`, and of both features together
//!
//! ```text
//! t = D / n·(g_a p - g_b q),    D = n·(d + (1 - g_b) q - (1 - g_a) p)
//! ```
//!
//! (for a face `-n·q` is its δ), in which `D = n·d` is replaced. The gradient stays as it is.
//!
//! Parallel edges have no event. Cost: O(F_a V_b + V_a F_b + E_a E_b) events, each tested against
//! all planes. Rounding radii are left out: a rounded hull is no polyhedron and has other events.

use crate::engine::geometry::shape::hull::{Face, Hull};
use crate::engine::geometry::shape::{Convex, Shape};
use crate::engine::state::contact::{ContactId, Feature};
use crate::engine::step::narrow::smooth::Facing;
use crate::math::{
    DMat3, DVec3, Double, Quat, Vec3, narrow3, quat_rotate, quat_to_mat3, widen, widen_mat3, widen3,
};

/// Sine of the angle below which two edges count as parallel (-).
const PARALLEL: Double = 1e-9;

/// Where a hull is: `world = position + rotation · local`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// World position of the centroid (m).
    pub position: DVec3,
    /// Rotation from the hull's axes to world axes.
    pub rotation: DMat3,
}

/// The two features that meet in an event, by their indices in the hulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventFeatures {
    /// A corner of `a` on a face of `b`.
    VertexFace {
        /// Vertex of `a`.
        vertex: u32,
        /// Face of `b`.
        face: u32,
    },
    /// A face of `a` under a corner of `b`.
    FaceVertex {
        /// Face of `a`.
        face: u32,
        /// Vertex of `b`.
        vertex: u32,
    },
    /// Two edges that cross.
    EdgeEdge {
        /// Edge of `a`.
        edge_a: u32,
        /// Edge of `b`.
        edge_b: u32,
    },
}

impl EventFeatures {
    /// The contact that the event makes.
    #[must_use]
    pub fn id(self) -> ContactId {
        let (a, b) = match self {
            Self::VertexFace { vertex, face } => (Feature::Vertex(vertex), Feature::Face(face)),
            Self::FaceVertex { face, vertex } => (Feature::Face(face), Feature::Vertex(vertex)),
            Self::EdgeEdge { edge_a, edge_b } => (Feature::Edge(edge_a), Feature::Edge(edge_b)),
        };
        ContactId::new(a, b)
    }
}

/// An event of two polytopes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairEvent {
    /// What meets what.
    pub features: EventFeatures,
    /// t: the factor by which both bodies grow until the event happens (-), positive.
    pub ratio: Double,
    /// Φ̂ = 1 - 1/t (-).
    pub gap: Double,
    /// x*: touching point of the scaled bodies, world (m).
    pub point: DVec3,
    /// Unit normal of the event, world, turned so that `distance > 0`.
    pub normal: DVec3,
    /// D (m), positive: distance along the normal from centroid to centroid, of a body that does not grow
    /// from its feature.
    pub distance: Double,
    /// Largest `A_i R_iᵀ (x* - x_i) - t` over all rows of both bodies, with `A x ≤ 1`, 1 for t of a body that
    /// does not grow [-]: above zero the point lies outside one of the scaled bodies.
    pub violation: Double,
    /// `n·d / H(n)` of the event's reference normal, the ratio of the largest extents along it [-], at which
    /// this plane stops separating the bodies; negative for a face that looks away from the other body.
    pub separating_ratio: Double,
    /// How well the equality system is conditioned [-]: for a face `|c·p/δ - 1|`, for edges the
    /// sine of their angle.
    pub conditioning: Double,
    /// World positions of the centroids of `a` and `b` (m).
    pub centers: [DVec3; 2],
}

impl PairEvent {
    /// `∇Φ̂` with respect to (center of a, rotation of a, center of b, rotation of b), rotations as
    /// world rotation vectors: four times 1/m, 1/rad.
    #[must_use]
    pub fn gradient(&self) -> [Double; 12] {
        let scaled = self.normal / (self.ratio * self.distance);
        let [arm_a, arm_b] = self.centers.map(|center| (self.point - center).cross(scaled));
        let mut gradient = [0.0; 12];
        for (block, v) in [-scaled, -arm_a, scaled, arm_b].into_iter().enumerate() {
            gradient[3 * block..3 * block + 3].copy_from_slice(&v.to_array());
        }
        gradient
    }
}

/// A hull in world axes about its centroid, with its planes as `A x ≤ 1`.
struct Solid {
    position: DVec3,
    /// Does it grow? 1 or 0.
    grows: Double,
    vertices: Vec<DVec3>,
    /// Outward unit normal and distance from the centroid (m).
    planes: Vec<(DVec3, Double)>,
}

impl Solid {
    fn new(hull: &Hull, pose: &Placement, grows: bool) -> Self {
        let turn = |v| pose.rotation * widen3(v);
        let plane = |f: &Face| (turn(f.normal), widen(f.offset));
        Self {
            position: pose.position,
            grows: Double::from(u8::from(grows)),
            vertices: hull.vertices.iter().map(|&v| turn(v)).collect(),
            planes: hull.faces.iter().map(plane).collect(),
        }
    }

    /// Largest extent along `n` (m).
    fn support(&self, n: DVec3) -> Double {
        self.vertices.iter().fold(Double::NEG_INFINITY, |best, v| best.max(n.dot(*v)))
    }

    fn violation(&self, point: DVec3, ratio: Double) -> Double {
        let local = point - self.position;
        let size = (1.0 - self.grows) + self.grows * ratio;
        let row = |(n, offset): &(DVec3, Double)| n.dot(local) / offset - size;
        self.planes.iter().map(row).fold(Double::NEG_INFINITY, Double::max)
    }
}

/// Every event of two polytopes with `t > 0` (Algorithm 3.15 over all features), of which both grow.
///
/// The order is that of [`EventFeatures`]. Allocates.
#[must_use]
pub fn enumerate(a: &Hull, pose_a: &Placement, b: &Hull, pose_b: &Placement) -> Vec<PairEvent> {
    enumerate_growing(a, pose_a, b, pose_b, [true; 2])
}

/// Every event of two polytopes, of which one or both grow: with one, those of Remark 2.18. There are none if
/// the centroid of the only one that grows lies in the other, or if none grows. Allocates.
#[must_use]
pub fn enumerate_growing(
    a: &Hull,
    pose_a: &Placement,
    b: &Hull,
    pose_b: &Placement,
    grows: [bool; 2],
) -> Vec<PairEvent> {
    let (solid_a, solid_b) = (Solid::new(a, pose_a, grows[0]), Solid::new(b, pose_b, grows[1]));
    let mut events = Vec::new();
    corners_on_faces(&solid_a, &solid_b, false, &mut events);
    corners_on_faces(&solid_b, &solid_a, true, &mut events);
    crossing_edges((a, &solid_a), (b, &solid_b), &mut events);
    events.sort_by_key(|e| e.features);
    events
}

/// Every event of two shapes where they are in the world, of all pairs of their polytopes without rounding:
/// values, points, normals and gradients in one call, without a simulation. Not of half-spaces, which have
/// [`enumerate_half_space`], nor of meshes. Allocates.
///
/// ```
/// use orthant::engine::papers::enumerate::{events, ratio_of};
/// use orthant::engine::shape::Shape;
/// use orthant::math::{Quat, Vec3};
///
/// let cube = Shape::cuboid(1.0, 1.0, 1.0)?;
/// let at = |x| (&cube, Vec3::new(x, 0.0, 0.0), Quat::IDENTITY);
/// let list = events(at(0.0), at(2.0));
/// // Both grow twofold; Φ = 1 - 1/t with t = x / 1 m has the slope 1/x² = 1/4 for the second cube.
/// assert!((ratio_of(&list) - 2.0).abs() < 1e-6);
/// let first = list.iter().find(|event| event.normal.x > 0.99 && event.ratio < 2.001);
/// assert!(first.is_some_and(|event| (event.gradient()[6] - 0.25).abs() < 1e-6));
/// # Ok::<(), orthant::engine::shape::ShapeError>(())
/// ```
#[must_use]
pub fn events(a: (&Shape, Vec3, Quat), b: (&Shape, Vec3, Quat)) -> Vec<PairEvent> {
    fn polytopes(
        (shape, position, rotation): (&Shape, Vec3, Quat),
    ) -> impl Iterator<Item = (&Hull, Placement)> {
        shape.pieces().iter().filter_map(move |piece| match &piece.convex {
            Convex::Hull(hull) if hull.radius == 0.0 && hull.curve.is_none() => {
                let position = widen3(position + quat_rotate(rotation, piece.position));
                let rotation = quat_to_mat3(rotation) * quat_to_mat3(piece.rotation);
                Some((&**hull, Placement { position, rotation: widen_mat3(rotation) }))
            }
            _ => None,
        })
    }
    let mut events = Vec::new();
    for (one, at) in polytopes(a) {
        for (other, place) in polytopes(b) {
            events.extend(enumerate(one, &at, other, &place));
        }
    }
    events
}

/// `t*`, the ratio metric of the pair, from its events: the best separating plane among their
/// normals (the facet normals of the Minkowski difference all occur). Zero without events.
#[must_use]
pub fn ratio_of(events: &[PairEvent]) -> Double {
    events.iter().fold(0.0, |best, e| best.max(e.separating_ratio))
}

/// Corners of `one` on faces of `other`; `swapped` if `one` is body `b` of the pair.
fn corners_on_faces(one: &Solid, other: &Solid, swapped: bool, events: &mut Vec<PairEvent>) {
    let d = other.position - one.position;
    for (face, &(outward, offset)) in (0_u32..).zip(&other.planes) {
        // From the corner's body to the face's body.
        let n = -outward;
        let apart = n.dot(d) - offset * (1.0 - other.grows);
        let reach_of = |height: Double| height * one.grows + offset * other.grows;
        let way_of = |height: Double| apart - height * (1.0 - one.grows);
        let support = one.support(n);
        let separating_ratio = way_of(support) / reach_of(support);
        for (vertex, &p) in (0_u32..).zip(&one.vertices) {
            let height = n.dot(p);
            let (reach, distance) = (reach_of(height), way_of(height));
            let ratio = distance / reach;
            if !(ratio > 0.0 && ratio.is_finite()) {
                continue;
            }
            let (features, toward_b, pair) = if swapped {
                (EventFeatures::FaceVertex { face, vertex }, -n, [other, one])
            } else {
                (EventFeatures::VertexFace { vertex, face }, n, [one, other])
            };
            let point = one.position + p * ((1.0 - one.grows) + one.grows * ratio);
            let quality = [separating_ratio, (reach / offset).abs()];
            events.push(event(features, (ratio, point, toward_b, distance), quality, pair));
        }
    }
}

/// Crossings of every edge of `a` with every edge of `b`.
fn crossing_edges(a: (&Hull, &Solid), b: (&Hull, &Solid), events: &mut Vec<PairEvent>) {
    let d = b.1.position - a.1.position;
    let ends = |solid: &Solid, v: [u32; 2]| {
        let [p, q] = v.map(|i| solid.vertices[i as usize]);
        (p, q - p)
    };
    for (edge_a, e) in (0_u32..).zip(&a.0.edges) {
        let (p, u) = ends(a.1, e.vertices);
        for (edge_b, f) in (0_u32..).zip(&b.0.edges) {
            let (q, v) = ends(b.1, f.vertices);
            let cross = u.cross(v);
            let area = cross.length();
            let sine = area / (u.length() * v.length());
            if sine <= PARALLEL {
                continue;
            }
            let n = cross / area;
            let closing = p * a.1.grows - q * b.1.grows;
            let apart = d + q * (1.0 - b.1.grows) - p * (1.0 - a.1.grows);
            let n = if n.dot(apart) < 0.0 { -n } else { n };
            let (distance, reach) = (n.dot(apart), n.dot(closing));
            let ratio = distance / reach;
            if !(ratio > 0.0 && ratio.is_finite()) {
                continue;
            }
            // x_a + t p + s u lies on the other line when (x_a + t p - x_b - t q + s u) × v · n = 0.
            let between = closing * ratio - apart;
            let s = -between.cross(v).dot(cross) / (area * area);
            let features = EventFeatures::EdgeEdge { edge_a, edge_b };
            let size = (1.0 - a.1.grows) + a.1.grows * ratio;
            let point = a.1.position + p * size + u * s;
            // With the largest extents in place of those of the edges.
            let [h, k] = [a.1.support(n), b.1.support(-n)];
            let way = n.dot(d) - h * (1.0 - a.1.grows) - k * (1.0 - b.1.grows);
            let separating_ratio = way / (h * a.1.grows + k * b.1.grows);
            let quality = [separating_ratio, sine];
            events.push(event(features, (ratio, point, n, distance), quality, [a.1, b.1]));
        }
    }
}

/// An event, with its ratio, point, normal and distance along it, and what follows from the pair.
fn event(
    features: EventFeatures,
    (ratio, point, normal, distance): (Double, DVec3, DVec3, Double),
    [separating_ratio, conditioning]: [Double; 2],
    pair: [&Solid; 2],
) -> PairEvent {
    PairEvent {
        features,
        ratio,
        gap: 1.0 - 1.0 / ratio,
        point,
        normal: if distance < 0.0 { -normal } else { normal },
        distance: distance.abs(),
        violation: pair[0].violation(point, ratio).max(pair[1].violation(point, ratio)),
        separating_ratio,
        conditioning,
        centers: pair.map(|solid| solid.position),
    }
}

/// Every event of the half-space `normal · x ≤ offset`, body `a`, and a hull, body `b`, with `t > 0`, by
/// ascending vertex: `t = (n·x - δ) / (-n·R p)`; of a curved hull the corners of what faces the plane. The
/// half-space does not grow (Remark 2.18), is one face, and has the hull's centroid for its center.
/// Allocates.
///
/// A hull with its centroid on or below the plane has none.
#[must_use]
pub fn enumerate_half_space(
    hull: &Hull,
    pose: &Placement,
    normal: DVec3,
    offset: Double,
) -> Vec<PairEvent> {
    let height = normal.dot(pose.position) - offset;
    if height <= 0.0 {
        return Vec::new();
    }
    let mut solid = Solid::new(hull, pose, true);
    let mut numbers: Vec<u32> = (0..hull.vertices.len() as u32).collect();
    if let Some(curve) = &hull.curve {
        let facing = Facing::new(curve, narrow3(-(pose.rotation.transpose() * normal)));
        let corners = facing.outline().filter(|corner| corner.2);
        (numbers, solid.vertices) = corners.map(|(k, v, _)| (k, pose.rotation * widen3(v))).unzip();
    }
    // The plane as seen from the centroid above it.
    let (vertices, planes) = (Vec::new(), vec![(normal, -height)]);
    let plane = Solid { position: pose.position, grows: 0.0, vertices, planes };
    let mut events = Vec::new();
    corners_on_faces(&solid, &plane, true, &mut events);
    for event in &mut events {
        if let EventFeatures::FaceVertex { vertex, .. } = &mut event.features {
            *vertex = numbers[*vertex as usize];
        }
    }
    events
}

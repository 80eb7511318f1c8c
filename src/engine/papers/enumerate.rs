//! Every event of a pair: Algorithm 3.15 over all features, one by one, in double precision.
//!
//! Input: two polytopes with their poses. Output: every event with `t > 0`, in the order corners of
//! `a` on faces of `b`, corners of `b` on faces of `a`, edges; each by ascending feature ids.
//!
//! The equality system (3.5) of an event, with `d = x_b - x_a`, corners `p` and edge points about
//! the centroids in world axes, and a unit normal `n` of the plane both features share when scaled
//! by `t`:
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
//! Parallel edges have no event. Cost: O(F_a V_b + V_a F_b + E_a E_b) events, each tested against
//! all planes. Rounding radii are left out: a rounded hull is no polyhedron and has other events.

use crate::engine::geometry::query::{PlacedShape, placed};
use crate::engine::geometry::shape::Convex;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::state::contact::{ContactId, Feature};
use crate::engine::step::narrow::smooth::Facing;
use crate::math::{DMat3, DVec3, Double, narrow3, widen, widen_mat3, widen3};

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
    /// D = n·(x_b - x_a): distance of the centroids along the normal (m), positive.
    pub distance: Double,
    /// Largest `A_i R_iᵀ (x* - x_i) - t` over all rows of both bodies, with `A x ≤ 1` [-]: above
    /// zero the point lies outside one of the scaled bodies.
    pub violation: Double,
    /// `n·d / H(n)` of the event's reference normal [-]: the ratio at which this plane stops
    /// separating the bodies. A face keeps its outward side here, so the value is negative for a
    /// face that looks away from the other body.
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

/// An event of a hull and a half-space: one corner on the plane. Only the hull grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpaceEvent {
    /// The corner.
    pub vertex: u32,
    /// t: the factor by which the hull grows until the corner lies on the plane (-), positive.
    pub ratio: Double,
    /// Φ̂ = 1 - 1/t (-).
    pub gap: Double,
    /// x*: the scaled corner, on the plane, world (m).
    pub point: DVec3,
    /// Outward unit normal of the half-space, from it to the hull, world.
    pub normal: DVec3,
    /// D: height of the centroid above the plane (m), positive.
    pub distance: Double,
    /// World position of the centroid (m).
    pub center: DVec3,
}

impl HalfSpaceEvent {
    /// `∇Φ̂` with respect to (center, rotation) of the hull, the rotation as a world rotation
    /// vector: 1/m, 1/rad.
    #[must_use]
    pub fn gradient(&self) -> [Double; 6] {
        let scaled = self.normal / (self.ratio * self.distance);
        let arm = (self.point - self.center).cross(scaled);
        [scaled.x, scaled.y, scaled.z, arm.x, arm.y, arm.z]
    }
}

/// A hull in world axes about its centroid, with its planes as `A x ≤ 1`.
struct Solid {
    position: DVec3,
    vertices: Vec<DVec3>,
    /// Outward unit normal and distance from the centroid (m).
    planes: Vec<(DVec3, Double)>,
}

impl Solid {
    fn new(hull: &Hull, pose: &Placement) -> Self {
        let turn = |v| pose.rotation * widen3(v);
        let plane =
            |f: &crate::engine::geometry::shape::hull::Face| (turn(f.normal), widen(f.offset));
        Self {
            position: pose.position,
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
        let row = |(n, offset): &(DVec3, Double)| n.dot(local) / offset - ratio;
        self.planes.iter().map(row).fold(Double::NEG_INFINITY, Double::max)
    }
}

/// Every event of two polytopes with `t > 0` (Algorithm 3.15 over all features).
///
/// The order is that of [`EventFeatures`]. Allocates.
#[must_use]
pub fn enumerate(a: &Hull, pose_a: &Placement, b: &Hull, pose_b: &Placement) -> Vec<PairEvent> {
    let (solid_a, solid_b) = (Solid::new(a, pose_a), Solid::new(b, pose_b));
    let mut events = Vec::new();
    corners_on_faces(&solid_a, &solid_b, false, &mut events);
    corners_on_faces(&solid_b, &solid_a, true, &mut events);
    crossing_edges((a, &solid_a), (b, &solid_b), &mut events);
    events.sort_by_key(|e| e.features);
    events
}

/// Every event of two shapes where they are in the world, of all pairs of their polytopes without rounding:
/// values, points, normals and gradients in one call, without a simulation. Allocates.
#[must_use]
pub fn events(a: PlacedShape<'_>, b: PlacedShape<'_>) -> Vec<PairEvent> {
    let polytopes = |(shape, position, rotation)| {
        placed(shape, position, rotation).filter_map(|piece| match piece.convex {
            Convex::Hull(hull) if hull.radius == 0.0 && hull.curve.is_none() => {
                let rotation = widen_mat3(piece.rotation);
                Some((hull, Placement { position: widen3(piece.position), rotation }))
            }
            _ => None,
        })
    };
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
        let separating_ratio = n.dot(d) / (one.support(n) + offset);
        for (vertex, &p) in (0_u32..).zip(&one.vertices) {
            let reach = n.dot(p) + offset;
            let ratio = n.dot(d) / reach;
            if !(ratio > 0.0 && ratio.is_finite()) {
                continue;
            }
            let features = if swapped {
                EventFeatures::FaceVertex { face, vertex }
            } else {
                EventFeatures::VertexFace { vertex, face }
            };
            let toward_b = if swapped { -n } else { n };
            let pair = if swapped { [other, one] } else { [one, other] };
            let way = (ratio, one.position + p * ratio, toward_b);
            events.push(event(features, way, separating_ratio, (reach / offset).abs(), pair));
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
            let n = if n.dot(d) < 0.0 { -n } else { n };
            let ratio = n.dot(d) / n.dot(p - q);
            if !(ratio > 0.0 && ratio.is_finite()) {
                continue;
            }
            // x_a + t p + s u lies on the other line when (x_a + t p - x_b - t q + s u) × v · n =
            // 0.
            let between = (p - q) * ratio - d;
            let s = -between.cross(v).dot(cross) / (area * area);
            let features = EventFeatures::EdgeEdge { edge_a, edge_b };
            let way = (ratio, a.1.position + p * ratio + u * s, n);
            let separating_ratio = n.dot(d) / (a.1.support(n) + b.1.support(-n));
            events.push(event(features, way, separating_ratio, sine, [a.1, b.1]));
        }
    }
}

/// An event, with its ratio, point and normal, and what follows from the pair.
fn event(
    features: EventFeatures,
    (ratio, point, normal): (Double, DVec3, DVec3),
    separating_ratio: Double,
    conditioning: Double,
    pair: [&Solid; 2],
) -> PairEvent {
    let distance = normal.dot(pair[1].position - pair[0].position);
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

/// Every event of a hull and the half-space `normal · x ≤ offset` with `t > 0`, by ascending
/// vertex: `t = (n·x - δ) / (-n·R p)`; of a
/// curved hull the corners of what faces the plane. The half-space does not grow (Remark 2.18). Allocates.
///
/// A hull with its centroid on or below the plane has none.
#[must_use]
pub fn enumerate_half_space(
    hull: &Hull,
    pose: &Placement,
    normal: DVec3,
    offset: Double,
) -> Vec<HalfSpaceEvent> {
    let distance = normal.dot(pose.position) - offset;
    let mut events = Vec::new();
    let corners: Vec<(u32, DVec3)> = match &hull.curve {
        Some(curve) => {
            let facing = Facing::new(curve, narrow3(-(pose.rotation.transpose() * normal)));
            let corners = facing.outline().filter(|corner| corner.2);
            corners.map(|(number, v, _)| (number, widen3(v))).collect()
        }
        None => (0_u32..).zip(hull.vertices.iter().map(|&v| widen3(v))).collect(),
    };
    for (vertex, v) in corners {
        let p = pose.rotation * v;
        let ratio = distance / -normal.dot(p);
        if distance > 0.0 && ratio > 0.0 && ratio.is_finite() {
            events.push(HalfSpaceEvent {
                vertex,
                ratio,
                gap: 1.0 - 1.0 / ratio,
                point: pose.position + p * ratio,
                normal,
                distance,
                center: pose.position,
            });
        }
    }
    events
}

//! Overlap of bodies from their poses alone, in double precision: separating axes for boxes and hulls,
//! closed forms for balls and capsules. Knows nothing of the engine's contacts.

use orthant::engine::body::BodyKind;
use orthant::math::{DMat3, DVec3, Double, quat_normalize, widen, widen3};

use crate::games::hull::Polytope;
use crate::games::{Form, Game, Play};

/// A convex part of a body.
#[derive(Clone, Debug)]
enum Solid {
    /// All points within a radius (m) of a segment along y of a half length (m); 0 for a ball.
    Round { half: Double, radius: Double },
    /// A box of half lengths (m) or a hull.
    Flat { polytope: usize, cuboid: Option<DVec3> },
}

/// A part with its place in its body.
#[derive(Clone, Debug)]
struct Part {
    body: usize,
    position: DVec3,
    rotation: DMat3,
    solid: Solid,
    /// Radius of a ball about the part's origin that holds it (m).
    bound: Double,
}

/// A part in the world: origin, axes, and a box around it.
#[derive(Clone, Copy, Debug)]
struct Placed {
    position: DVec3,
    rotation: DMat3,
    low: DVec3,
    high: DVec3,
}

/// Finds overlaps in the worlds of one scene.
#[derive(Clone, Debug)]
pub struct Checker {
    parts: Vec<Part>,
    polytopes: Vec<Polytope>,
    moves: Vec<bool>,
    /// Pairs of bodies that are joined, ascending.
    joined: Vec<[usize; 2]>,
}

impl Checker {
    /// Takes the forms of a scene apart.
    pub fn new(game: &Game) -> Self {
        let mut checker = Self {
            parts: Vec::new(),
            polytopes: Vec::new(),
            moves: game.pieces.iter().map(|piece| piece.kind == BodyKind::Dynamic).collect(),
            joined: Vec::new(),
        };
        for (body, piece) in game.pieces.iter().enumerate() {
            match &piece.form {
                Form::Ball(radius) => checker.add_round(body, 0.0, widen(*radius)),
                Form::Capsule { half, radius } => {
                    checker.add_round(body, widen(*half), widen(*radius));
                }
                Form::Cuboid(half) => {
                    checker.add_cuboid(body, DVec3::ZERO, DMat3::IDENTITY, widen3(*half));
                }
                Form::Hull(points) => {
                    let points: Vec<DVec3> = points.iter().map(|&p| widen3(p)).collect();
                    checker.add_flat(body, DVec3::ZERO, DMat3::IDENTITY, &points, None);
                }
                Form::Compound(boxes) => {
                    for &(at, turn, half) in boxes {
                        checker.add_cuboid(body, widen3(at), matrix(turn), widen3(half));
                    }
                }
            }
        }
        let sorted = |[a, b]: [usize; 2]| [a.min(b), a.max(b)];
        checker.joined = game.links.iter().map(|link| sorted(link.bodies)).collect();
        checker.joined.sort_unstable();
        checker
    }

    fn add_round(&mut self, body: usize, half: Double, radius: Double) {
        let (position, rotation, bound) = (DVec3::ZERO, DMat3::IDENTITY, half + radius);
        let solid = Solid::Round { half, radius };
        self.parts.push(Part { body, position, rotation, solid, bound });
    }

    fn add_cuboid(&mut self, body: usize, position: DVec3, rotation: DMat3, half: DVec3) {
        let points = Polytope::cuboid(half).points;
        self.add_flat(body, position, rotation, &points, Some(half));
    }

    fn add_flat(
        &mut self,
        body: usize,
        position: DVec3,
        rotation: DMat3,
        points: &[DVec3],
        cuboid: Option<DVec3>,
    ) {
        let known = self.polytopes.iter().rposition(|polytope| polytope.points == points);
        let polytope = known.unwrap_or_else(|| {
            self.polytopes.push(Polytope::new(points));
            self.polytopes.len() - 1
        });
        let bound = points.iter().map(|p| p.length()).fold(0.0, Double::max);
        let solid = Solid::Flat { polytope, cuboid };
        self.parts.push(Part { body, position, rotation, solid, bound });
    }

    /// Deepest overlap (m) of any two parts of which one moves and that are not joined, and how many
    /// pairs overlap. Infinite if a pose is not finite.
    pub fn deepest(&self, play: &Play) -> (Double, usize) {
        let placed: Vec<Placed> = self.parts.iter().map(|part| self.place(part, play)).collect();
        if placed.iter().any(|p| !(p.low.is_finite() && p.high.is_finite())) {
            return (Double::INFINITY, 0);
        }
        let mut order: Vec<usize> = (0..placed.len()).collect();
        order.sort_by(|&a, &b| placed[a].low.x.total_cmp(&placed[b].low.x));
        let (mut deepest, mut pairs) = (0.0, 0);
        for (k, &i) in order.iter().enumerate() {
            for &j in &order[k + 1..] {
                if placed[j].low.x > placed[i].high.x {
                    break;
                }
                let (i, j) = (i.min(j), i.max(j));
                let (a, b) = (self.parts[i].body, self.parts[j].body);
                let apart = placed[i].low.cmpgt(placed[j].high).any()
                    || placed[j].low.cmpgt(placed[i].high).any();
                let idle = a == b || !(self.moves[a] || self.moves[b]);
                if apart || idle || self.joined.binary_search(&[a, b]).is_ok() {
                    continue;
                }
                let depth = self.depth(i, &placed[i], j, &placed[j]);
                pairs += usize::from(depth > 0.0);
                deepest = Double::max(deepest, depth);
            }
        }
        (deepest, pairs)
    }

    fn place(&self, part: &Part, play: &Play) -> Placed {
        let Some(body) = play.world.body(play.ids[part.body]) else {
            let nowhere = DVec3::INFINITY;
            let rotation = DMat3::IDENTITY;
            return Placed { position: nowhere, rotation, low: nowhere, high: nowhere };
        };
        let turn = matrix(body.rotation());
        let position = widen3(body.position()) + turn * part.position;
        let rotation = turn * part.rotation;
        let reach = match part.solid {
            Solid::Flat { cuboid: Some(half), .. } => {
                rotation.x_axis.abs() * half.x
                    + rotation.y_axis.abs() * half.y
                    + rotation.z_axis.abs() * half.z
            }
            Solid::Round { half, radius } => rotation.y_axis.abs() * half + DVec3::splat(radius),
            Solid::Flat { .. } => DVec3::splat(part.bound),
        };
        Placed { position, rotation, low: position - reach, high: position + reach }
    }

    /// Overlap of two parts (m), negative or zero if they are apart.
    fn depth(&self, i: usize, a: &Placed, j: usize, b: &Placed) -> Double {
        match (&self.parts[i].solid, &self.parts[j].solid) {
            (Solid::Round { half, radius }, Solid::Round { half: half_b, radius: radius_b }) => {
                let d = segments(a, *half, b, *half_b);
                radius + radius_b - d
            }
            (Solid::Round { half, radius }, Solid::Flat { polytope, cuboid }) => {
                radius - self.clearance(a, *half, b, *polytope, *cuboid)
            }
            (Solid::Flat { polytope, cuboid }, Solid::Round { half, radius }) => {
                radius - self.clearance(b, *half, a, *polytope, *cuboid)
            }
            (
                Solid::Flat { polytope: p, cuboid: box_a },
                Solid::Flat { polytope: q, cuboid: box_b },
            ) => match (box_a, box_b) {
                (Some(half_a), Some(half_b)) => boxes(a, *half_a, b, *half_b),
                _ => hulls(&self.polytopes[*p], a, &self.polytopes[*q], b),
            },
        }
    }

    /// Least signed distance (m) of a segment's points from a flat solid: convex along the segment.
    fn clearance(
        &self,
        round: &Placed,
        half: Double,
        flat: &Placed,
        polytope: usize,
        cuboid: Option<DVec3>,
    ) -> Double {
        let at = |s: Double| {
            let world = round.position + round.rotation.y_axis * s;
            let local = flat.rotation.transpose() * (world - flat.position);
            match cuboid {
                Some(half) => from_box(local, half),
                None => from_planes(local, &self.polytopes[polytope]),
            }
        };
        if half == 0.0 {
            return at(0.0);
        }
        let (mut low, mut high) = (-half, half);
        for _ in 0..100 {
            let (x, y) = ((2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0);
            if at(x) < at(y) { high = y } else { low = x }
        }
        at(0.5 * (low + high)).min(at(-half)).min(at(half))
    }
}

fn matrix(q: orthant::math::Quat) -> DMat3 {
    let q = quat_normalize(q);
    let [x, y, z, w] = [q.x, q.y, q.z, q.w].map(widen);
    // Normalized once more: rounding of single precision is no overlap.
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    DMat3::from_cols(
        DVec3::new(1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)),
        DVec3::new(s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x)),
        DVec3::new(s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y)),
    )
}

/// Signed distance of a point from a box of half lengths about the origin (m).
fn from_box(point: DVec3, half: DVec3) -> Double {
    let q = point.abs() - half;
    q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
}

/// Signed distance of a point from the planes of a polytope (m): exact inside, too small beyond an edge,
/// so that an overlap is never overlooked.
fn from_planes(point: DVec3, polytope: &Polytope) -> Double {
    let planes = polytope.faces.iter().map(|(normal, offset, _)| normal.dot(point) - offset);
    planes.fold(Double::NEG_INFINITY, Double::max)
}

/// Distance of two segments along y of half lengths (m).
fn segments(a: &Placed, half_a: Double, b: &Placed, half_b: Double) -> Double {
    let (u, v, r) = (a.rotation.y_axis, b.rotation.y_axis, b.position - a.position);
    let (uv, ur, vr) = (u.dot(v), u.dot(r), v.dot(r));
    let det = 1.0 - uv * uv;
    let s = if det > 1e-12 { (ur - uv * vr) / det } else { 0.0 };
    let mut s = s.clamp(-half_a, half_a);
    let t = (uv * s - vr).clamp(-half_b, half_b);
    s = (uv * t + ur).clamp(-half_a, half_a);
    let mut least = (r + v * t - u * s).length();
    // Parallel segments and corners: the ends of both.
    for end in [-half_a, half_a] {
        let t = (uv * end - vr).clamp(-half_b, half_b);
        least = least.min((r + v * t - u * end).length());
    }
    for end in [-half_b, half_b] {
        let s = (uv * end + ur).clamp(-half_a, half_a);
        least = least.min((r + v * end - u * s).length());
    }
    least
}

/// Overlap of two boxes (m): the least over the 15 axes.
fn boxes(a: &Placed, half_a: DVec3, b: &Placed, half_b: DVec3) -> Double {
    let d = b.position - a.position;
    let axes = |p: &Placed| [p.rotation.x_axis, p.rotation.y_axis, p.rotation.z_axis];
    let (u, v) = (axes(a), axes(b));
    let reach = |half: DVec3, axes: &[DVec3; 3], n: DVec3| {
        half.x * n.dot(axes[0]).abs()
            + half.y * n.dot(axes[1]).abs()
            + half.z * n.dot(axes[2]).abs()
    };
    let along = |n: DVec3| reach(half_a, &u, n) + reach(half_b, &v, n) - n.dot(d).abs();
    let faces = u.iter().chain(&v).map(|&n| along(n)).fold(Double::INFINITY, Double::min);
    let mut least = faces;
    for x in u {
        for y in v {
            let cross = x.cross(y);
            let length = cross.length();
            if length > 1e-6 {
                least = least.min(along(cross / length));
            }
        }
    }
    least
}

/// Overlap of two polytopes (m): the least over the faces of both and the pairs of edges whose arcs of
/// normals cross.
fn hulls(p: &Polytope, a: &Placed, q: &Polytope, b: &Placed) -> Double {
    // In the axes of the first.
    let turn = a.rotation.transpose() * b.rotation;
    let shift = a.rotation.transpose() * (b.position - a.position);
    let points: Vec<DVec3> = q.points.iter().map(|&x| turn * x + shift).collect();
    let normals: Vec<DVec3> = q.faces.iter().map(|(n, _, _)| turn * *n).collect();
    let lowest = |points: &[DVec3], n: DVec3| {
        points.iter().map(|x| n.dot(*x)).fold(Double::INFINITY, Double::min)
    };
    let mut least = Double::INFINITY;
    for (normal, offset, _) in &p.faces {
        least = least.min(offset - lowest(&points, *normal));
        if least <= 0.0 {
            return least;
        }
    }
    for ((_, offset, _), &normal) in q.faces.iter().zip(&normals) {
        least = least.min(offset + normal.dot(shift) - lowest(&p.points, normal));
        if least <= 0.0 {
            return least;
        }
    }
    for &([i, j], [f, g]) in &p.edges {
        let (nf, ng, edge) = (p.faces[f].0, p.faces[g].0, p.points[j] - p.points[i]);
        for &([k, l], [r, s]) in &q.edges {
            let (nr, ns, other) = (-normals[r], -normals[s], points[l] - points[k]);
            let (cba, dba) = (nr.dot(edge), ns.dot(edge));
            let (adc, bdc) = (nf.dot(other), ng.dot(other));
            if cba * dba >= 0.0 || adc * bdc >= 0.0 {
                continue;
            }
            let cross = edge.cross(other);
            let length = cross.length();
            if length < 1e-9 {
                continue;
            }
            // On the outer side of both faces of the edge.
            let n = cross / length;
            let n = if n.dot(nf + ng) < 0.0 { -n } else { n };
            if n.dot(nr + ns) > 0.0 {
                least = least.min(n.dot(p.points[i] - points[k]));
                if least <= 0.0 {
                    return least;
                }
            }
        }
    }
    least
}

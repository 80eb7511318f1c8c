//! Tests of hulls and shapes: laws and slow oracles over seeded random input.

mod cloud;
mod hulls;
mod meshes;
mod shapes;
mod smooth;
mod support;

use super::hull::{Edge, Hull};
use crate::engine::lcp::tests::random;
use crate::math::{
    DVec3, Double, Quat, Real, Vec3, narrow, narrow3, quat_normalize, widen, widen3,
};

/// Random numbers, as these tests want them.
struct Random(random::Random);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A whole number below `n`.
    fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Uniform in -1 to 1.
    fn signed(&mut self) -> Real {
        narrow((self.bits() >> 40) as Double / (1_u64 << 23) as Double - 1.0)
    }

    fn in_cube(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.in_cube();
            if (0.01..=1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    fn rotation(&mut self) -> Quat {
        let (v, w) = (self.in_cube(), self.signed());
        quat_normalize(Quat::from_xyzw(v.x, v.y, v.z, w))
    }
}

fn cube_points() -> Vec<Vec3> {
    let side = |i: i32, bit: i32| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
    (0..8).map(|i| Vec3::new(side(i, 0), side(i, 1), side(i, 2))).collect()
}

fn regular_polygon(n: usize) -> Vec<[Real; 2]> {
    let corner = |k: usize| {
        let angle = 2.0 * crate::math::PI * k as Real / n as Real;
        [crate::math::cos(angle), crate::math::sin(angle)]
    };
    (0..n).map(corner).collect()
}

fn prism_points(n: usize, half: Real) -> Vec<Vec3> {
    let at = |z: Real| regular_polygon(n).into_iter().map(move |p| Vec3::new(p[0], p[1], z));
    at(-half).chain(at(half)).collect()
}

/// Checks everything that must hold for a polytope, by definition and by brute force, against the
/// points of which it was made.
fn check_hull(points: &[Vec3], hull: &Hull) {
    let (n_v, n_e, n_f) = (hull.vertices.len(), hull.edges.len(), hull.faces.len());
    assert_eq!(n_v + n_f, n_e + 2, "Euler");
    check_faces(hull);
    check_graph(hull);
    let far = points.iter().map(|p| p.abs().max_element()).fold(0.0, Real::max);
    let low = points.iter().fold(points[0], |a, &b| a.min(b));
    let high = points.iter().fold(points[0], |a, &b| a.max(b));
    // The promise of `convex_hull`, and the rounding of coordinates far from the origin.
    let tolerance = 4e-6 * (high - low).max_element() + 4e-6 * far;
    let centroid = widen3(hull.centroid);
    for (i, &p) in points.iter().enumerate() {
        let p = narrow3(widen3(p) - centroid);
        for face in &hull.faces {
            let above = face.normal.dot(p) - face.offset;
            assert!(above <= tolerance, "point {i} is {above} m outside, more than {tolerance}");
        }
    }
    // Vertices are points, in the order of the points.
    let mut rest = points.iter();
    for v in &hull.vertices {
        let v = widen3(*v) + centroid;
        let found = rest.any(|&p| (widen3(p) - v).length() <= 1e-6 * widen(far));
        assert!(found, "vertex {v} is a point, later than the vertices before it");
    }
}

fn check_faces(hull: &Hull) {
    let mut previous: &[u32] = &[];
    for (i, face) in hull.faces.iter().enumerate() {
        let corners = hull.face_loop(i as u32);
        assert!(corners.len() >= 3, "a face has three corners");
        assert!(corners.iter().all(|&v| v >= corners[0]), "loops begin with the smallest vertex");
        assert!(previous < corners, "faces are sorted by their loops");
        previous = corners;
        let unit = (face.normal.length() - 1.0).abs();
        assert!(unit < 1e-6, "unit normal, off by {unit}");
        assert!(face.offset >= hull.inradius && hull.inradius > 0.0, "the centroid is inside");
        let row = hull.plane(i as u32).unwrap();
        for (k, v) in hull.vertices.iter().enumerate() {
            assert!(row.dot(*v) <= 1.0 + 1e-5, "vertex {k} satisfies the row of face {i}");
        }
        for k in 0..corners.len() {
            let at = |k: usize| hull.vertices[corners[k % corners.len()] as usize];
            let below = face.offset - face.normal.dot(at(k));
            let limit = hull.flatness + 1e-6 * hull.bounding_radius;
            assert!(below.abs() <= limit, "corner {k} of face {i} is {below} m off its plane");
            let turn = (at(k + 1) - at(k)).cross(at(k + 2) - at(k + 1)).dot(face.normal);
            assert!(turn > 0.0, "face {i} turns left at every corner, {turn} at {k}");
        }
    }
}

fn check_graph(hull: &Hull) {
    let mut n_faces = vec![0; hull.vertices.len()];
    for &v in &hull.face_vertices {
        n_faces[v as usize] += 1;
    }
    assert!(n_faces.iter().all(|&n| n >= 3), "a vertex has three faces");
    for (v, &n) in n_faces.iter().enumerate() {
        assert_eq!(hull.neighbors(v as u32).len(), n, "as many edges as faces at a vertex");
    }
    let mut previous = [0, 0];
    for Edge { vertices: [a, b], faces: [f, g] } in &hull.edges {
        assert!(a < b && f < g, "ascending ids in an edge");
        assert!(previous < [*a, *b], "edges are sorted");
        previous = [*a, *b];
        assert!(hull.neighbors(*a).contains(b) && hull.neighbors(*b).contains(a), "neighbors");
        // One face passes the edge forward, the other one backward.
        let passes = |face: u32, from: u32, to: u32| {
            let l = hull.face_loop(face);
            (0..l.len()).any(|k| l[k] == from && l[(k + 1) % l.len()] == to)
        };
        let there = passes(*f, *a, *b) && passes(*g, *b, *a);
        let back = passes(*f, *b, *a) && passes(*g, *a, *b);
        assert!(there || back, "edge {a}-{b} lies between faces {f} and {g}");
    }
    for (v, &at) in (0_u32..).zip(&hull.vertices) {
        assert_eq!(hull.corner(v), at, "a vertex in the lanes");
        let edges = hull.neighbors(v).iter().map(|&w| [v.min(w), v.max(w)]);
        let spokes = hull.spokes(v).iter().map(|s| hull.edges[s.edge as usize].vertices);
        assert!(spokes.eq(edges), "edges at vertex {v}");
        let faces = hull.spokes(v).iter().map(|spoke| spoke.face);
        assert!(faces.eq(hull.faces_at(v).iter().copied()), "faces at vertex {v}");
        assert!(hull.spokes(v).iter().all(|s| hull.neighbors(v).contains(&s.vertex)), "ends");
    }
    for (f, face) in (0_u32..).zip(&hull.faces) {
        let sides = &hull.loop_edges[face.start as usize..(face.start + face.len) as usize];
        assert!(sides.iter().map(|s| s.vertex).eq(hull.face_loop(f).iter().copied()), "loop {f}");
        for (k, side) in sides.iter().enumerate() {
            let Edge { vertices, faces } = hull.edges[side.edge as usize];
            let next = sides[(k + 1) % sides.len()].vertex;
            assert_eq!(vertices, [side.vertex.min(next), side.vertex.max(next)], "its side {k}");
            assert_eq!(faces, [f.min(side.face), f.max(side.face)], "beyond side {k}");
        }
    }
}

/// Volume and centroid by summing pyramids over the faces from the stored planes.
fn pyramids(hull: &Hull) -> (Double, DVec3) {
    let (mut volume, mut moment) = (0.0, DVec3::ZERO);
    for i in 0..hull.faces.len() as u32 {
        let corners: Vec<DVec3> =
            hull.face_loop(i).iter().map(|&v| widen3(hull.vertices[v as usize])).collect();
        for pair in corners[1..].windows(2) {
            let v = corners[0].dot(pair[0].cross(pair[1])) / 6.0;
            volume += v;
            moment += (corners[0] + pair[0] + pair[1]) * (v / 4.0);
        }
    }
    (volume, moment)
}

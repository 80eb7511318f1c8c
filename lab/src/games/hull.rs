//! Convex hulls in double precision by brute force: faces are the planes of three points that have all
//! others on one side. Independent of the engine's hulls; O(n⁴), for a few dozen points.

use orthant::math::{DVec3, Double};

/// A convex polytope.
#[derive(Clone, Debug, Default)]
pub struct Polytope {
    /// Vertices (m).
    pub points: Vec<DVec3>,
    /// Faces: outer unit normal, offset (m), loop of vertices, counterclockwise from outside.
    pub faces: Vec<(DVec3, Double, Vec<usize>)>,
    /// Edges: the two vertices and the two faces.
    pub edges: Vec<([usize; 2], [usize; 2])>,
}

impl Polytope {
    /// The hull of points that span a solid; merges faces whose vertices lie in a plane to 1e-6 of
    /// their extent (rounding of single precision).
    pub fn new(points: &[DVec3]) -> Self {
        let size = points.iter().map(|p| p.length()).fold(0.0, Double::max);
        let flat = 1e-6 * size;
        let mut faces: Vec<(DVec3, Double, Vec<usize>)> = Vec::new();
        let n = points.len();
        for i in 0..n {
            for j in i + 1..n {
                for k in j + 1..n {
                    let cross = (points[j] - points[i]).cross(points[k] - points[i]);
                    if cross.length() < flat * flat {
                        continue;
                    }
                    let normal = cross.normalize();
                    for normal in [normal, -normal] {
                        let offset = normal.dot(points[i]);
                        let is_face = points.iter().all(|p| normal.dot(*p) <= offset + flat);
                        let known = faces.iter().any(|face| {
                            [i, j, k].iter().all(|v| face.2.contains(v)) && face.0.dot(normal) > 0.0
                        });
                        if is_face && !known {
                            let on = (0..n).filter(|&v| normal.dot(points[v]) >= offset - flat);
                            let ring = ring(points, on.collect(), normal);
                            // The plane that no vertex of the face sticks out of.
                            let top = ring.iter().map(|&v| normal.dot(points[v]));
                            let offset = top.fold(Double::NEG_INFINITY, Double::max);
                            faces.push((normal, offset, ring));
                        }
                    }
                }
            }
        }
        let edges = edges(&faces);
        Self { points: points.to_vec(), faces, edges }
    }

    /// A box of half lengths (m).
    pub fn cuboid(half: DVec3) -> Self {
        let corner = |i: u32| {
            let sign = |bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
            half * DVec3::new(sign(1), sign(2), sign(4))
        };
        Self::new(&(0..8).map(corner).collect::<Vec<_>>())
    }

    /// Its center of mass at even density (m).
    pub fn centroid(&self) -> DVec3 {
        let (mut volume, mut moment) = (0.0, DVec3::ZERO);
        for (_, _, ring) in &self.faces {
            for k in 1..ring.len() - 1 {
                let [a, b, c] = [ring[0], ring[k], ring[k + 1]].map(|v| self.points[v]);
                let six = a.dot(b.cross(c));
                volume += six;
                moment += (a + b + c) * (0.25 * six);
            }
        }
        moment / volume
    }
}

/// Vertices of a face in counterclockwise order about its normal.
fn ring(points: &[DVec3], mut on: Vec<usize>, normal: DVec3) -> Vec<usize> {
    let center = on.iter().map(|&v| points[v]).sum::<DVec3>() / on.len() as Double;
    let right = (points[on[0]] - center).normalize();
    let up = normal.cross(right);
    let angle = |v: usize| {
        let d = points[v] - center;
        orthant::math::atan2_double(d.dot(up), d.dot(right))
    };
    on.sort_by(|&a, &b| angle(a).total_cmp(&angle(b)));
    on
}

/// Edges between faces.
fn edges(faces: &[(DVec3, Double, Vec<usize>)]) -> Vec<([usize; 2], [usize; 2])> {
    let mut sides = Vec::new();
    for (f, (_, _, ring)) in faces.iter().enumerate() {
        for k in 0..ring.len() {
            sides.push(([ring[k], ring[(k + 1) % ring.len()]], f));
        }
    }
    let mut edges = Vec::new();
    for &([a, b], f) in sides.iter().filter(|side| side.0[0] < side.0[1]) {
        if let Some(&(_, g)) = sides.iter().find(|side| side.0 == [b, a]) {
            edges.push(([a, b], [f, g]));
        }
    }
    edges
}

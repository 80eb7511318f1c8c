//! Convex bodies to draw: their faces, dice among them, and the order in which to paint them.

use orthant::engine::shape::hull::Hull;
use orthant::math::{DMat3, DVec3, Double, PI_DOUBLE, narrow3, sin_cos_double, widen3};

/// A color, each part from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rgb(pub Double, pub Double, pub Double);

impl Rgb {
    /// From `0xrrggbb`.
    pub const fn hex(code: u32) -> Self {
        Self(
            ((code >> 16) & 255) as Double / 255.0,
            ((code >> 8) & 255) as Double / 255.0,
            (code & 255) as Double / 255.0,
        )
    }

    /// The color at another brightness.
    #[must_use]
    pub fn times(self, s: Double) -> Self {
        Self(self.0 * s, self.1 * s, self.2 * s)
    }
}

impl std::fmt::Display for Rgb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let byte = |x: Double| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
        write!(f, "#{:02x}{:02x}{:02x}", byte(self.0), byte(self.1), byte(self.2))
    }
}

/// Colors that are told apart easily, for bodies in turn.
pub const PALETTE: [Rgb; 8] = [
    Rgb::hex(0xd9a441),
    Rgb::hex(0x5b8db8),
    Rgb::hex(0xc8644f),
    Rgb::hex(0x7ba05b),
    Rgb::hex(0x9a7fb8),
    Rgb::hex(0x4fa8a0),
    Rgb::hex(0xd08bb0),
    Rgb::hex(0x8c8c8c),
];

/// A face: a convex polygon, counterclockwise seen from outside.
#[derive(Clone, Debug)]
pub struct Face {
    /// Corners (m).
    pub points: Vec<DVec3>,
    /// Outward unit normal.
    pub normal: DVec3,
    /// Color of the face.
    pub color: Rgb,
    /// Polygons painted on the face.
    pub marks: Vec<Vec<DVec3>>,
    /// Their color.
    pub mark_color: Rgb,
    /// Is it a facet of a round surface, without edges of its own?
    pub smooth: bool,
}

/// A convex body in its own frame.
#[derive(Clone, Debug)]
pub struct Solid {
    faces: Vec<Face>,
}

/// A convex body in the world.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Its faces in world coordinates.
    pub faces: Vec<Face>,
}

impl Solid {
    /// The convex hull of a few points by trying every triple, O(n⁴): made for drawing, not for speed.
    pub fn hull(vertices: &[DVec3], color: Rgb) -> Self {
        let center = vertices.iter().sum::<DVec3>() / vertices.len().max(1) as Double;
        let size = vertices.iter().map(|&v| (v - center).length()).fold(0.0, Double::max);
        let mut faces: Vec<Face> = Vec::new();
        for (i, &a) in vertices.iter().enumerate() {
            for (j, &b) in vertices.iter().enumerate().skip(i + 1) {
                for &c in &vertices[j + 1..] {
                    let Some(mut normal) = (b - a).cross(c - a).try_normalize() else { continue };
                    if normal.dot(a - center) < 0.0 {
                        normal = -normal;
                    }
                    let outside = |&v: &DVec3| normal.dot(v - a) > 1e-6 * size;
                    let known = faces.iter().any(|f| f.normal.dot(normal) > 1.0 - 1e-9);
                    if !known && !vertices.iter().any(outside) {
                        let on = |v: &&DVec3| normal.dot(**v - a).abs() <= 1e-6 * size;
                        let points = loop_around(vertices.iter().filter(on).copied(), normal);
                        faces.push(Face {
                            points,
                            normal,
                            color,
                            marks: Vec::new(),
                            mark_color: Rgb::hex(0x2a2a2a),
                            smooth: false,
                        });
                    }
                }
            }
        }
        Self { faces }
    }

    /// A convex piece about its centroid: a polytope by its faces, a round one by facets.
    pub fn piece(hull: &Hull, color: Rgb) -> Self {
        if hull.radius() > 0.0 || hull.curve().is_some() {
            return Self::round(hull, color);
        }
        let vertices = hull.vertices();
        let corners = |f: u32| hull.face_loop(f).iter().map(|&v| widen3(vertices[v as usize]));
        let faces = (0..).zip(hull.faces()).map(|(f, face)| Face {
            points: corners(f).collect(),
            normal: widen3(face.normal),
            color,
            marks: Vec::new(),
            mark_color: color,
            smooth: false,
        });
        Self { faces: faces.collect() }
    }

    /// Facets between support points in directions on circles about the y axis.
    fn round(hull: &Hull, color: Rgb) -> Self {
        const CIRCLES: u32 = 12;
        const ROUND: u32 = 20;
        let at = |i: u32, j: u32| {
            let (sin, cos) =
                sin_cos_double(PI_DOUBLE * (Double::from(i) / Double::from(CIRCLES) - 0.5));
            let (x, z) =
                sin_cos_double(2.0 * PI_DOUBLE * Double::from(j % ROUND) / Double::from(ROUND));
            widen3(hull.support_point(narrow3(DVec3::new(x * cos, sin, z * cos))))
        };
        let mut faces = Vec::new();
        // Flat ends, if there are; of other bodies they are inside, and the facets cover them.
        for (i, normal) in [(1, -DVec3::Y), (CIRCLES - 1, DVec3::Y)] {
            let around = (0..ROUND).map(|j| at(i, j));
            let points = if i == 1 { around.rev().collect() } else { around.collect() };
            let marks = Vec::new();
            faces.push(Face { points, normal, color, marks, mark_color: color, smooth: true });
        }
        for i in 0..CIRCLES {
            for j in 0..ROUND {
                let corners = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
                let across = (corners[2] - corners[0]).cross(corners[3] - corners[1]);
                let Some(normal) = across.try_normalize() else { continue };
                // Bands of two colors show how it turns.
                let color =
                    if (j / (ROUND / 4)).is_multiple_of(2) { color } else { color.times(0.8) };
                let points = corners.to_vec();
                faces.push(Face {
                    points,
                    normal,
                    color,
                    marks: Vec::new(),
                    mark_color: color,
                    smooth: true,
                });
            }
        }
        Self { faces }
    }

    /// The prism of a polygon in the xy plane, thin enough to show as the polygon.
    pub fn plate(polygon: &[DVec3], color: Rgb) -> Self {
        let both: Vec<_> =
            polygon.iter().flat_map(|&v| [-0.01, 0.01].map(|z| DVec3::new(v.x, v.y, z))).collect();
        Self::hull(&both, color)
    }

    /// A die with its spots: opposite faces add up to seven.
    pub fn die(side: Double, color: Rgb) -> Self {
        let s = 0.5 * side;
        let corners: Vec<_> = (0..8)
            .map(|i| {
                let sign = |bit: i32| if i & bit == 0 { -s } else { s };
                DVec3::new(sign(1), sign(2), sign(4))
            })
            .collect();
        let mut die = Self::hull(&corners, color);
        for face in &mut die.faces {
            let axis = face.normal.abs().to_array().iter().position(|&n| n > 0.5).unwrap_or(0);
            let value = if face.normal.to_array()[axis] > 0.0 { axis + 1 } else { 6 - axis };
            let u = (face.points[1] - face.points[0]).normalize_or(DVec3::X);
            let v = face.normal.cross(u);
            face.marks = spots(value)
                .into_iter()
                .map(|[x, y]| {
                    let center = face.normal * s + (u * x + v * y) * (0.5 * s);
                    disk(center, u * (0.19 * s), v * (0.19 * s))
                })
                .collect();
        }
        die
    }

    /// The body at a position (m), turned by a rotation.
    pub fn placed(&self, position: DVec3, rotation: DMat3) -> Placed {
        let place = |p: &DVec3| position + rotation * *p;
        let faces = self.faces.iter().map(|face| Face {
            points: face.points.iter().map(place).collect(),
            normal: rotation * face.normal,
            marks: face.marks.iter().map(|mark| mark.iter().map(place).collect()).collect(),
            ..*face
        });
        Placed { faces: faces.collect() }
    }
}

/// Points of a plane sorted counterclockwise around their center.
fn loop_around(points: impl Iterator<Item = DVec3>, normal: DVec3) -> Vec<DVec3> {
    let mut points: Vec<_> = points.collect();
    let center = points.iter().sum::<DVec3>() / points.len().max(1) as Double;
    let u = (points[0] - center).normalize_or(DVec3::X);
    let v = normal.cross(u);
    let angle = |p: &DVec3| libm::atan2((*p - center).dot(v), (*p - center).dot(u));
    points.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    points
}

/// Places of the spots of a die, in units of a quarter of its side.
fn spots(value: usize) -> Vec<[Double; 2]> {
    let corners = [[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, 0.0], [1.0, 0.0]];
    let mut spots = corners[..value & !1].to_vec();
    if value % 2 == 1 {
        spots.push([0.0, 0.0]);
    }
    spots
}

fn disk(center: DVec3, u: DVec3, v: DVec3) -> Vec<DVec3> {
    let corner = |i: u32| {
        let (sin, cos) = sin_cos_double(core::f64::consts::TAU * Double::from(i) / 20.0);
        center + u * cos + v * sin
    };
    (0..20).map(corner).collect()
}

/// The convex hull of points in a plane (Andrew's monotone chain).
pub fn hull_2d(mut points: Vec<[Double; 2]>) -> Vec<[Double; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let mut hull: Vec<[Double; 2]> = Vec::new();
    for pass in 0..2 {
        let start = hull.len();
        for &p in &points {
            while hull.len() >= start + 2 {
                let [a, b] = [hull[hull.len() - 2], hull[hull.len() - 1]];
                if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        }
        hull.pop();
        if pass == 0 {
            points.reverse();
        }
    }
    hull
}

/// Is `a` behind `b`, seen against the direction `toward`? None if no face plane tells.
fn is_behind(a: &Placed, b: &Placed, toward: DVec3) -> Option<bool> {
    let mut best: (Double, Option<bool>) = (Double::NEG_INFINITY, None);
    for (body, other, flip) in [(a, b, false), (b, a, true)] {
        for face in &body.faces {
            let inside = |p: &DVec3| face.normal.dot(*p - face.points[0]);
            let points = other.faces.iter().flat_map(|f| &f.points);
            let gap = points.map(inside).fold(Double::INFINITY, Double::min);
            // Everything of `other` is before this face: a plane that looks at the camera hides none
            // of it. Of several planes the one with the widest gap is the safest.
            let facing = face.normal.dot(toward);
            if gap > best.0 && facing.abs() > 1e-6 {
                best = (gap, Some((facing > 0.0) != flip));
            }
        }
    }
    if best.0 > -0.05 { best.1 } else { None }
}

/// The rectangle that a body covers, seen against the direction `toward`: the least and the largest of two
/// coordinates.
fn extent(body: &Placed, toward: DVec3) -> [[Double; 2]; 2] {
    let (u, v) = toward.any_orthonormal_pair();
    let (mut low, mut high) = ([Double::INFINITY; 2], [Double::NEG_INFINITY; 2]);
    for point in body.faces.iter().flat_map(|face| &face.points) {
        for (k, x) in [point.dot(u), point.dot(v)].into_iter().enumerate() {
            (low[k], high[k]) = (low[k].min(x), high[k].max(x));
        }
    }
    [low, high]
}

/// Indices of bodies from the farthest to the nearest.
pub fn paint_order(bodies: &[Placed], toward: DVec3) -> Vec<usize> {
    let depth = |body: &Placed| {
        let points = body.faces.iter().flat_map(|f| &f.points);
        points.clone().map(|p| p.dot(toward)).sum::<Double>() / points.count().max(1) as Double
    };
    let extents: Vec<_> = bodies.iter().map(|body| extent(body, toward)).collect();
    // Bodies beside each other are drawn in any order.
    let meet = |i: usize, j: usize| {
        let before = |a: usize, b: usize, k: usize| extents[a][1][k] < extents[b][0][k];
        i != j && !(0..2).any(|k| before(i, j, k) || before(j, i, k))
    };
    let behind: Vec<Vec<usize>> = (0..bodies.len())
        .map(|i| {
            let hides =
                |&j: &usize| meet(i, j) && is_behind(&bodies[j], &bodies[i], toward) == Some(true);
            (0..bodies.len()).filter(hides).collect()
        })
        .collect();
    let mut left: Vec<usize> = (0..bodies.len()).collect();
    left.sort_by(|&i, &j| depth(&bodies[i]).total_cmp(&depth(&bodies[j])));
    let mut order = Vec::new();
    while !left.is_empty() {
        // The farthest body with nothing behind it; in a cycle the farthest one.
        let free = left.iter().position(|&i| !left.iter().any(|j| behind[i].contains(j)));
        order.push(left.remove(free.unwrap_or(0)));
    }
    order
}

//! Frames of a running world: every body drawn from its pieces.

use std::path::Path;

use orthant::engine::Simulation;
use orthant::engine::body::Body;
use orthant::engine::shape::Convex;
use orthant::math::{DMat3, DVec3, Double, quat_to_mat3, widen_mat3, widen3};

use super::solid::{Face, Placed, Rgb, Solid};
use super::{Camera, Strip, Tiles};

/// A camera, a floor and the frames taken so far.
pub struct Film {
    strip: Strip,
    /// Frames of the picture that moves.
    motion: Strip,
    /// Moments for which frames were due.
    taken: usize,
}

impl Film {
    /// A film with a floor of tiles of one metre, `width` by `depth` (m) about the origin; `columns`
    /// frames make a row.
    pub fn new(toward: DVec3, width: u32, depth: u32, columns: usize) -> Self {
        Self::about(DVec3::ZERO, toward, width, depth, columns)
    }

    /// As [`Film::new`] makes it, with its floor about another point.
    pub fn about(center: DVec3, toward: DVec3, width: u32, depth: u32, columns: usize) -> Self {
        let (w, d) = (Double::from(width), Double::from(depth));
        let strip = |columns| {
            let mut strip =
                Strip::new(Camera::new(toward, DVec3::Y), DVec3::new(-0.5, 2.0, 0.8), columns);
            strip.add_tiles(Tiles {
                corner: center + DVec3::new(-0.5 * w, 0.0, 0.5 * d),
                sides: [(DVec3::X * w, width), (DVec3::Z * -d, depth)],
                colors: [Rgb::hex(0xe4e8ee), Rgb::hex(0xd8dde5)],
                shadows: true,
            });
            strip
        };
        Self { strip: strip(columns), motion: strip(1), taken: 0 }
    }

    /// Puts the meshes of the bodies that have a color behind every frame, triangle by triangle.
    pub fn add_meshes(&mut self, world: &Simulation, color: impl Fn(&Body) -> Option<Rgb>) {
        for body in world.bodies().iter() {
            if let Some(color) = color(body) {
                self.strip.add_surface(triangles(body, color));
            }
        }
    }

    /// The number of the next of some moments (s), ascending, if it is over: a frame is due.
    pub fn due(&mut self, seconds: Double, moments: &[Double]) -> Option<usize> {
        moments.get(self.taken).filter(|&&moment| seconds >= moment)?;
        self.taken += 1;
        Some(self.taken - 1)
    }

    /// Takes a frame of the bodies that have a color.
    pub fn shoot(
        &mut self,
        caption: impl Into<String>,
        world: &Simulation,
        color: impl Fn(&Body) -> Option<Rgb>,
    ) {
        self.shoot_with_ropes(caption, world, color, &[]);
    }

    /// Takes a frame of the bodies that have a color, with ropes between points (m).
    pub fn shoot_with_ropes(
        &mut self,
        caption: impl Into<String>,
        world: &Simulation,
        color: impl Fn(&Body) -> Option<Rgb>,
        ropes: &[[DVec3; 2]],
    ) {
        let mut placed: Vec<_> = ropes.iter().map(|&ends| rope(ends)).collect();
        for body in world.bodies().iter() {
            if let Some(color) = color(body) {
                placed.extend(pieces(body, color));
            }
        }
        self.add(caption, placed);
    }

    /// Adds a frame of solids.
    pub fn add(&mut self, caption: impl Into<String>, placed: Vec<Placed>) {
        self.strip.add_frame(caption, placed);
    }

    /// Shows the solids in the picture that moves, where every fourth step of 1/64 s is a frame.
    pub fn roll(&mut self, step: u64, moves: bool, placed: &[Placed]) {
        if moves && step % 4 == 1 {
            self.motion.add_frame("", placed.to_vec());
        }
    }

    /// Writes the picture and says where, or why not; what moves into a file of its own, `…_moving.svg`.
    pub fn save(&self, path: &str) {
        write(path, self.strip.to_svg());
        if self.motion.frames() > 0 {
            write(&path.replace(".svg", "_moving.svg"), self.motion.to_moving_svg(4.0 / 64.0));
        }
    }
}

/// Writes a picture and says where, or why not.
fn write(path: &str, svg: String) {
    let write = || {
        std::fs::create_dir_all(Path::new(path).parent().unwrap_or(Path::new(".")))?;
        std::fs::write(path, svg)
    };
    match write() {
        Ok(()) => println!("The picture is {path}."),
        Err(error) => println!("The picture could not be written: {error}."),
    }
}

/// A bar as thin as a rope between two points (m).
fn rope([from, to]: [DVec3; 2]) -> Placed {
    let (u, v) = (to - from).normalize_or(DVec3::Y).any_orthonormal_pair();
    let around = [u, v, -u, -v].map(|side| side * 0.02);
    let corners: Vec<_> = around.into_iter().flat_map(|side| [from + side, to + side]).collect();
    Solid::hull(&corners, Rgb::hex(0x4a4a4a)).placed(DVec3::ZERO, DMat3::IDENTITY)
}

/// The triangles of the meshes of a body, in the world.
fn triangles(body: &Body, color: Rgb) -> Vec<Face> {
    let place = widen3(body.position());
    let turn = widen_mat3(body.rotation_matrix());
    let mut faces = Vec::new();
    for part in body.colliders().pieces() {
        let Convex::Mesh(mesh) = &part.piece.convex else { continue };
        let rotation = turn * widen_mat3(quat_to_mat3(part.piece.rotation));
        let origin = place + turn * widen3(part.piece.position);
        for (index, triangle) in (0_u32..).zip(mesh.triangles()) {
            let corners = mesh.triangle(index);
            faces.push(Face {
                points: corners.map(|p| origin + rotation * widen3(p)).to_vec(),
                normal: rotation * widen3(triangle.normal),
                color,
                marks: Vec::new(),
                mark_color: color,
                smooth: false,
            });
        }
    }
    faces
}

/// The pieces of a body in the world.
fn pieces(body: &Body, color: Rgb) -> Vec<Placed> {
    let place = widen3(body.position());
    let turn = widen_mat3(body.rotation_matrix());
    let solid = |convex: &Convex| match convex {
        Convex::Hull(hull) => Some(Solid::piece(hull, color)),
        Convex::HalfSpace(_) | Convex::Mesh(_) => None,
    };
    let placed = body.colliders().pieces().iter().filter_map(|part| {
        let piece = &part.piece;
        let rotation = turn * widen_mat3(quat_to_mat3(piece.rotation));
        Some(solid(&piece.convex)?.placed(place + turn * widen3(piece.position), rotation))
    });
    placed.collect()
}

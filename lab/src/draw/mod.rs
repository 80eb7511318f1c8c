//! Pictures of scenes as SVG: frames of convex bodies side by side.
//!
//! A parallel projection, flat shading and the painter's algorithm: of two disjoint convex bodies the
//! one beyond a separating face plane is drawn first, and within a convex body the faces that look at
//! the camera never cover each other. Shadows are the bodies projected on the ground along the light.
//! Absent: perspective, bodies that overlap deeply, cycles of bodies that cover each other.

pub mod film;
pub mod plot;
pub mod solid;

use std::fmt::Write as _;

use orthant::math::{DVec3, Double};
use solid::{Face, Placed, Rgb, paint_order};

/// Where the picture is taken from.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    right: DVec3,
    up: DVec3,
    toward: DVec3,
}

impl Camera {
    /// A camera in the direction `toward` as seen from the scene, with `up` upward in the picture.
    pub fn new(toward: DVec3, up: DVec3) -> Self {
        let toward = toward.normalize_or(DVec3::Z);
        let right = up.cross(toward).normalize_or(DVec3::X);
        Self { right, up: toward.cross(right), toward }
    }

    /// A camera that looks at the xy plane.
    pub fn front() -> Self {
        Self::new(DVec3::Z, DVec3::Y)
    }

    fn project(&self, point: DVec3) -> [Double; 2] {
        [point.dot(self.right), -point.dot(self.up)]
    }
}

/// A rectangle of tiles behind the bodies: ground or wall.
#[derive(Clone, Copy, Debug)]
pub struct Tiles {
    /// A corner (m).
    pub corner: DVec3,
    /// The sides (m) and into how many tiles they are divided.
    pub sides: [(DVec3, u32); 2],
    /// Colors of the tiles, alternating.
    pub colors: [Rgb; 2],
    /// Do bodies cast shadows on it?
    pub shadows: bool,
}

/// Frames side by side.
pub struct Strip {
    camera: Camera,
    light: DVec3,
    tiles: Vec<Tiles>,
    surface: Vec<Face>,
    frames: Vec<(String, Vec<Placed>)>,
    columns: usize,
}

/// Width of a frame in pixels.
const WIDTH: Double = 420.0;
/// Space around frames in pixels.
const MARGIN: Double = 14.0;
/// Height of a caption in pixels.
const CAPTION: Double = 30.0;

impl Strip {
    /// No frames yet; `light` points from the scene to the light, `columns` frames make a row.
    pub fn new(camera: Camera, light: DVec3, columns: usize) -> Self {
        Self {
            camera,
            light: light.normalize_or(DVec3::Z),
            tiles: Vec::new(),
            surface: Vec::new(),
            frames: Vec::new(),
            columns: columns.max(1),
        }
    }

    /// Puts tiles behind the bodies of every frame, later ones in front of earlier ones.
    pub fn add_tiles(&mut self, tiles: Tiles) {
        self.tiles.push(tiles);
    }

    /// Puts the faces of a surface between tiles and bodies of every frame: those farther away are drawn
    /// first, and all of them before the bodies, as if nothing were behind a hill.
    pub fn add_surface(&mut self, faces: impl IntoIterator<Item = Face>) {
        let toward = self.camera.toward;
        let depth = |face: &Face| {
            let sum = face.points.iter().map(|p| p.dot(toward)).sum::<Double>();
            sum / face.points.len().max(1) as Double
        };
        self.surface.extend(faces);
        self.surface.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
    }

    /// Adds a frame.
    pub fn add_frame(&mut self, caption: impl Into<String>, bodies: Vec<Placed>) {
        self.frames.push((caption.into(), bodies));
    }

    /// How many frames there are.
    pub const fn frames(&self) -> usize {
        self.frames.len()
    }

    /// The picture.
    pub fn to_svg(&self) -> String {
        let [low, high] = self.bounds();
        let scale = WIDTH / (high[0] - low[0]).max(1e-9);
        let height = (high[1] - low[1]) * scale;
        let columns = self.columns.min(self.frames.len()).max(1);
        let rows = self.frames.len().div_ceil(columns);
        let width = MARGIN + columns as Double * (WIDTH + MARGIN);
        let total = MARGIN + rows as Double * (height + CAPTION + MARGIN);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {total:.0}\" \
             width=\"{width:.0}\" height=\"{total:.0}\" font-family=\"Helvetica, Arial, sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        for (i, (caption, bodies)) in self.frames.iter().enumerate() {
            let x = MARGIN + (i % columns) as Double * (WIDTH + MARGIN);
            let y = MARGIN + (i / columns) as Double * (height + CAPTION + MARGIN);
            let place = |point: DVec3| {
                let [px, py] = self.camera.project(point);
                [x + (px - low[0]) * scale, y + (py - low[1]) * scale]
            };
            let _ = writeln!(
                svg,
                "<clipPath id=\"f{i}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{WIDTH:.1}\" \
                 height=\"{height:.1}\" rx=\"6\"/></clipPath>\n<g clip-path=\"url(#f{i})\">\n\
                 <rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{WIDTH:.1}\" height=\"{height:.1}\" \
                 fill=\"#f1f4f8\"/>"
            );
            self.draw_tiles(&mut svg, bodies, i, &place);
            self.draw_faces(&mut svg, &self.surface, &place);
            self.draw_bodies(&mut svg, bodies, &place);
            let _ = writeln!(
                svg,
                "</g>\n<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"15\" fill=\"#333\" \
                 text-anchor=\"middle\">{}</text>",
                x + 0.5 * WIDTH,
                y + height + 20.0,
                escape(caption)
            );
        }
        svg + "</svg>\n"
    }

    /// One picture that moves: each frame for so long (s), the last one for a second, over and over.
    pub fn to_moving_svg(&self, each: Double) -> String {
        let [low, high] = self.bounds();
        let scale = WIDTH / (high[0] - low[0]).max(1e-9);
        let (width, height) = (WIDTH, (high[1] - low[1]) * scale);
        let place = |point: DVec3| {
            let [px, py] = self.camera.project(point);
            [(px - low[0]) * scale, (py - low[1]) * scale]
        };
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#f1f4f8\"/>\n"
        );
        let total = each * self.frames.len() as Double + 1.0;
        for (i, (_, bodies)) in self.frames.iter().enumerate() {
            let [from, to] = [i, i + 1].map(|k| each * k as Double / total);
            // Shown from one time to another; a list of times begins with zero.
            let (values, times) = match i {
                0 => ("inline;none", format!("0;{to:.4}")),
                _ if i + 1 == self.frames.len() => ("none;inline", format!("0;{from:.4}")),
                _ => ("none;inline;none", format!("0;{from:.4};{to:.4}")),
            };
            let _ = writeln!(
                svg,
                "<g display=\"{}\"><animate attributeName=\"display\" values=\"{values}\" \
                 keyTimes=\"{times}\" dur=\"{total:.3}s\" calcMode=\"discrete\" repeatCount=\"indefinite\"/>",
                // Who does not move pictures shows the first frame.
                if i == 0 { "inline" } else { "none" }
            );
            self.draw_tiles(&mut svg, bodies, i, &place);
            self.draw_faces(&mut svg, &self.surface, &place);
            self.draw_bodies(&mut svg, bodies, &place);
            svg.push_str("</g>\n");
        }
        svg + "</svg>\n"
    }

    /// The rectangle of the picture plane that holds every frame, with a little air.
    fn bounds(&self) -> [[Double; 2]; 2] {
        let mut low = [Double::INFINITY; 2];
        let mut high = [Double::NEG_INFINITY; 2];
        let mut hold = |point: DVec3| {
            let p = self.camera.project(point);
            for k in 0..2 {
                low[k] = low[k].min(p[k]);
                high[k] = high[k].max(p[k]);
            }
        };
        let of_bodies = self.frames.iter().flat_map(|f| &f.1).flat_map(|body| &body.faces);
        for face in of_bodies.chain(&self.surface) {
            face.points.iter().for_each(|&p| hold(p));
        }
        for tiles in &self.tiles {
            corners(tiles).into_iter().for_each(&mut hold);
        }
        if low[0] > high[0] {
            return [[0.0; 2], [1.0; 2]];
        }
        let air = 0.02 * (high[0] - low[0]);
        [[low[0] - air, low[1] - air], [high[0] + air, high[1] + air]]
    }

    fn draw_tiles(
        &self,
        svg: &mut String,
        bodies: &[Placed],
        frame: usize,
        place: &impl Fn(DVec3) -> [Double; 2],
    ) {
        for (index, tiles) in self.tiles.iter().enumerate() {
            let [(u, n_u), (v, n_v)] = tiles.sides;
            let (du, dv) = (u / Double::from(n_u.max(1)), v / Double::from(n_v.max(1)));
            for i in 0..n_u.max(1) {
                for j in 0..n_v.max(1) {
                    let p = tiles.corner + du * Double::from(i) + dv * Double::from(j);
                    let color = tiles.colors[((i + j) % 2) as usize];
                    polygon(svg, &[p, p + du, p + du + dv, p + dv].map(place), color, None);
                }
            }
            if !tiles.shadows {
                continue;
            }
            let normal = u.cross(v).normalize_or(DVec3::Z);
            let slope = self.light.dot(normal);
            let outline = corners(tiles).map(place);
            let _ = writeln!(
                svg,
                "<clipPath id=\"s{frame}-{index}\"><polygon points=\"{}\"/></clipPath>\
                 <g clip-path=\"url(#s{frame}-{index})\" fill=\"#20242c\" fill-opacity=\"0.22\">",
                points(&outline)
            );
            for body in bodies {
                let shadow = body
                    .faces
                    .iter()
                    .flat_map(|face| &face.points)
                    .map(|&p| place(p - self.light * ((p - tiles.corner).dot(normal) / slope)));
                let hull = solid::hull_2d(shadow.collect());
                let _ = writeln!(svg, "<polygon points=\"{}\"/>", points(&hull));
            }
            svg.push_str("</g>\n");
        }
    }

    fn draw_bodies(
        &self,
        svg: &mut String,
        bodies: &[Placed],
        place: &impl Fn(DVec3) -> [Double; 2],
    ) {
        for index in paint_order(bodies, self.camera.toward) {
            self.draw_faces(svg, &bodies[index].faces, place);
        }
    }

    /// Faces that look at the camera, one after another.
    fn draw_faces(&self, svg: &mut String, faces: &[Face], place: &impl Fn(DVec3) -> [Double; 2]) {
        for face in faces {
            if face.normal.dot(self.camera.toward) <= 1e-9 {
                continue;
            }
            let bright = 0.62 + 0.38 * face.normal.dot(self.light).max(0.0);
            let outline: Vec<_> = face.points.iter().map(|&p| place(p)).collect();
            let edge = (!face.smooth).then(|| face.color.times(0.45));
            polygon(svg, &outline, face.color.times(bright), edge);
            for mark in &face.marks {
                let outline: Vec<_> = mark.iter().map(|&p| place(p)).collect();
                polygon(svg, &outline, face.mark_color.times(bright), None);
            }
        }
    }
}

fn corners(tiles: &Tiles) -> [DVec3; 4] {
    let [(u, _), (v, _)] = tiles.sides;
    [tiles.corner, tiles.corner + u, tiles.corner + u + v, tiles.corner + v]
}

fn points(outline: &[[Double; 2]]) -> String {
    let mut text = String::new();
    for [x, y] in outline {
        let _ = write!(text, "{x:.1},{y:.1} ");
    }
    text.truncate(text.trim_end().len());
    text
}

fn polygon(svg: &mut String, outline: &[[Double; 2]], fill: Rgb, stroke: Option<Rgb>) {
    // Without an outline of its own a thin one of the fill color closes the seams between neighbors.
    let (stroke, width) = stroke.map_or((fill, 0.4), |color| (color, 0.9));
    let _ = writeln!(
        svg,
        "<polygon points=\"{}\" fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"{width}\" \
         stroke-linejoin=\"round\"/>",
        points(outline)
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

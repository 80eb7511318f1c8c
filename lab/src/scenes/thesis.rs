//! The four experiments of chapter 7 of Hart's thesis.
//!
//! The thesis gives parameters and pictures but no dimensions. Balance2 and Dice3 have the dimensions
//! of the reference in `tests/cases`; Pyramid1 and Setup6 have dimensions chosen here so that what the
//! text tells happens. Every scene starts feasible, `I(q⁰) = 0`, as Theorem 6.12 asks. Densities are
//! in kg/m³ (kg/m² in the plane), lengths in m.

use orthant::math::{DVec3, Double, sin_cos_double};

use super::{HalfSpace, Params, Scene, SceneBody};

/// A scene with the step lengths and moments of its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// The scene, with the parameters of its table.
    pub scene: Scene,
    /// Step lengths (s) of the infeasibility figure, descending.
    pub dts: Vec<Double>,
    /// Values of γ for which the figure is drawn; the theorem is for 1.
    pub gammas: Vec<Double>,
    /// Step lengths (s) and values of γ of the figure on the effect of γ; empty if there is none.
    pub gamma_sweep: (Vec<Double>, Vec<Double>),
    /// Moments of the frames (s): the thesis', and for Setup6 two more from its lively first second.
    pub frames: Vec<Double>,
    /// What the thesis tells.
    pub story: &'static str,
}

/// Step lengths for the order at γ = 1 (s), half octaves down from 0.02 s: with the few of the thesis a slope
/// hangs on where within a step some blows fall.
pub const ORDER_DTS: [Double; 11] =
    [0.02, 0.014, 0.01, 0.007, 0.005, 0.0035, 0.0025, 0.0018, 0.00125, 0.0009, 0.0006];

impl Experiment {
    /// Step lengths for this γ (s), descending.
    pub fn dts_for(&self, gamma: Double) -> Vec<Double> {
        if gamma != 1.0 {
            return self.dts.clone();
        }
        let coarse = self.dts.iter().copied().filter(|dt| *dt > ORDER_DTS[0]);
        coarse.chain(ORDER_DTS).collect()
    }
}

/// All four, in the order of the thesis.
pub fn all() -> Vec<Experiment> {
    vec![balance2(), pyramid1(), dice3(), setup6()]
}

fn polygon(points: &[[Double; 2]]) -> Vec<DVec3> {
    points.iter().map(|&[x, y]| DVec3::new(x, y, 0.0)).collect()
}

fn rectangle(width: Double, height: Double) -> Vec<DVec3> {
    let (x, y) = (0.5 * width, 0.5 * height);
    polygon(&[[-x, -y], [x, -y], [x, y], [-x, y]])
}

fn cube(side: Double) -> Vec<DVec3> {
    let s = 0.5 * side;
    let corner = |i: u32| {
        let sign = |bit: u32| if i & bit == 0 { -s } else { s };
        DVec3::new(sign(4), sign(2), sign(1))
    };
    (0..8).map(corner).collect()
}

fn ground(normal: DVec3) -> HalfSpace {
    HalfSpace { normal, offset: 0.0 }
}

/// Section 7.1: a plank balanced on a heavy triangle, with two squares and a triangle on it; a third
/// square drops on its right end.
pub fn balance2() -> Experiment {
    let at = |x, y| DVec3::new(x, y, 0.0);
    let triangle = polygon(&[[-0.4, 0.0], [0.4, 0.0], [0.0, 1.25]]);
    let fulcrum = polygon(&[[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    let bodies = vec![
        SceneBody::new("fulcrum", fulcrum, at(0.0, 0.3333333333333333)).dense(20.0),
        SceneBody::new("plank", rectangle(8.0, 0.4), at(0.0, 1.2)),
        SceneBody::new("square1", rectangle(1.0, 1.0), at(-2.5, 1.9)),
        SceneBody::new("square2", rectangle(1.0, 1.0), at(2.0, 1.9)),
        SceneBody::new("triangle", triangle, at(1.0, 1.8166666666666667)),
        SceneBody::new("dropped", rectangle(1.0, 1.0), at(3.3, 4.4)).turned(0.1),
    ];
    let params = Params {
        duration: 12.0,
        dt: 0.01,
        mu: 0.1,
        gamma: 1.0,
        eps_x: 0.01,
        eps_t: 0.1,
        eps_0: 1e-4,
        delta_max: 1e6,
        gravity: DVec3::new(0.0, -9.81, 0.0),
        sides: 2,
    };
    let half_spaces = vec![ground(DVec3::Y)];
    Experiment {
        scene: Scene { name: "Balance2".to_owned(), planar: true, bodies, half_spaces, params },
        dts: vec![0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001],
        gammas: vec![1.0],
        gamma_sweep: (vec![0.1, 0.05, 0.02, 0.01], vec![0.0, 0.25, 0.5, 0.75, 1.0]),
        frames: vec![0.0, 2.0, 3.0, 5.0, 6.0, 12.0],
        story: "a square dropped on one end upsets a plank balanced on a triangle",
    }
}

/// Section 7.2: a triangle tips over and meets the first of nine rectangles in a row.
pub fn pyramid1() -> Experiment {
    // The triangle leans 0.1 rad beyond its balance on the corner on which it stands, a centimeter
    // above the ground.
    let (half, height): (Double, Double) = (0.5, 3.4);
    let lean = -(libm::atan(half / (height / 3.0)) + 0.1);
    let outline = [[-half, -height / 3.0], [half, -height / 3.0], [0.0, 2.0 * height / 3.0]];
    let (sin, cos) = sin_cos_double(lean);
    let lowest = outline.iter().map(|[x, y]| sin * x + cos * y).fold(0.0, Double::min);
    let center = DVec3::new(0.0, 0.01 - lowest, 0.0);
    let mut bodies = vec![SceneBody::new("triangle", polygon(&outline), center).turned(lean)];
    for i in 0..9 {
        let center = DVec3::new(2.2 + 1.5 * Double::from(i), 1.5, 0.0);
        bodies.push(SceneBody::new(&format!("rectangle{}", i + 1), rectangle(0.6, 3.0), center));
    }
    let params = Params { duration: 10.0, mu: 0.2, ..balance2().scene.params };
    let half_spaces = vec![ground(DVec3::Y)];
    Experiment {
        scene: Scene { name: "Pyramid1".to_owned(), planar: true, bodies, half_spaces, params },
        dts: vec![0.1, 0.02, 0.01, 0.002, 0.001],
        gammas: vec![1.0],
        gamma_sweep: (Vec::new(), Vec::new()),
        frames: vec![0.0, 1.0, 2.0, 3.0, 4.0, 10.0],
        story: "a triangle meets the first of nine rectangles, which fall like dominoes",
    }
}

/// Section 7.3: a cube falls over the edge of the cube under it.
pub fn dice3() -> Experiment {
    let bodies = vec![
        SceneBody::new("lower", cube(1.0), DVec3::new(0.0, 0.0, 0.5)),
        SceneBody {
            rotation: [0.9950041652780258, 0.0, 0.0, 0.09983341664682815],
            ..SceneBody::new("upper", cube(1.0), DVec3::new(0.6, 0.05, 1.5))
        },
    ];
    let params = Params {
        duration: 3.0,
        dt: 0.01,
        mu: 0.1,
        gamma: 1.0,
        eps_x: 0.5,
        eps_t: 0.2,
        eps_0: 1e-7,
        delta_max: 1e10,
        gravity: DVec3::new(0.0, 0.0, -9.81),
        sides: 4,
    };
    let half_spaces = vec![ground(DVec3::Z)];
    Experiment {
        scene: Scene { name: "Dice3".to_owned(), planar: false, bodies, half_spaces, params },
        dts: vec![0.1, 0.05, 0.02, 0.01, 0.005, 0.002],
        gammas: vec![1.0, 0.3],
        gamma_sweep: (Vec::new(), Vec::new()),
        frames: vec![0.0, 1.0, 2.0, 3.0],
        story: "the upper of two cubes falls over the edge of the lower one",
    }
}

/// Section 7.4: a cube drops on a tetrahedron that stands near the corner of two walls.
pub fn setup6() -> Experiment {
    // A regular tetrahedron about its centroid with its base at the bottom; one upright face looks
    // away from the corner.
    let edge: Double = 1.2;
    let (radius, height) = (edge / Double::sqrt(3.0), edge * Double::sqrt(2.0 / 3.0));
    let mut tetrahedron = vec![DVec3::new(0.0, 0.0, 0.75 * height)];
    for i in 0..3 {
        let angle = core::f64::consts::PI * (1.25 + 2.0 * Double::from(i) / 3.0);
        let (sin, cos) = sin_cos_double(angle);
        tetrahedron.push(DVec3::new(radius * cos, radius * sin, -0.25 * height));
    }
    let bodies = vec![
        SceneBody::new("tetrahedron", tetrahedron, DVec3::new(1.3, 1.3, 0.25 * height)),
        SceneBody {
            rotation: [0.9689124217106447, 0.0, 0.0, 0.24740395925452294],
            ..SceneBody::new("cube", cube(1.0), DVec3::new(1.7, 1.65, 3.0))
        },
    ];
    let params = Params { duration: 6.0, mu: 0.3, gamma: 0.3, eps_t: 0.5, ..dice3().scene.params };
    let half_spaces = vec![ground(DVec3::Z), ground(DVec3::X), ground(DVec3::Y)];
    Experiment {
        scene: Scene { name: "Setup6".to_owned(), planar: false, bodies, half_spaces, params },
        dts: vec![0.1, 0.03, 0.01, 0.003, 0.001],
        gammas: vec![1.0, 0.3],
        gamma_sweep: (Vec::new(), Vec::new()),
        frames: vec![0.0, 0.5, 1.0, 2.0, 4.0, 6.0],
        story: "a cube drops on a tetrahedron, which slides into the corner, and slides away",
    }
}

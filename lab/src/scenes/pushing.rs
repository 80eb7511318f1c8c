//! Planar pushing: a slider on feet that a ball pushes at its face, and what statics says of it.
//!
//! Given the loads `N_i` of its feet the motion of a quasistatic slider is known: of all that follow the
//! pusher it takes the least work against friction (Peshkin, Sanderson, IEEE J. Robotics Automation 4(6),
//! 1988). With the twist `v_i = v + ω × r_i` of the feet, about the center of mass, and a smooth pusher that
//! moves its point `c` with the speed `s` along the normal `n` of the face,
//!
//! ```text
//! minimize  μ Σ N_i |v_i|    subject to    n·(v + ω × c) = s,        F s = μ Σ N_i |v_i|
//! ```
//!
//! Three feet have one distribution of loads: with the push `F` at the height `z`, the center of pressure
//! lies `z F / m g` ahead of that of mass, and `N_i` are its barycentric weights. The convex problem has two
//! unknowns, `v` across the normal and ω, each found by bisecting a slope that only grows; where the least
//! is at a kink a foot stays where it is, and the slider turns about it. O(feet), some thousand times.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::shape::Shape;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::{DVec3, Double, Real, SymMat3, Vec3, narrow, quat_exp, widen};

use super::quasistatic::{PUSH, Pushed, floor, place};
use crate::support::{change, cuboid};

/// Gravity [m/s²].
pub const G: Double = 9.81;
/// Mass (kg) and moment of inertia about the vertical [kg·m²] of the slider.
pub const MASS: Double = 1.0;
pub const INERTIA: Double = 0.01;
/// Where its face is, behind the center of mass (m).
pub const FACE: Real = 0.15;
/// Radii of the pusher and of the feet (m).
const BALL: Real = 0.015;
const FOOT: Real = 0.01;
/// Three feet about the center of mass, each with a third of the weight: along the push and across (m).
pub const FEET: [[Double; 2]; 3] = [[0.12, 0.0], [-0.06, 0.1], [-0.06, -0.1]];
/// Halvings of an interval, at most: no number is left in it.
const HALVINGS: usize = 200;

/// How a slider is pushed.
#[derive(Clone, Debug)]
pub struct Push {
    /// Feet about the center of mass: along x and z (m).
    pub feet: Vec<[Double; 2]>,
    /// Where the ball begins beside the center of mass, and the height at which it pushes (m).
    pub aside: Double,
    pub height: Double,
    /// The slider's turn about the vertical at the start (rad).
    pub turn: Double,
    /// Friction coefficient of the feet (–).
    pub friction: Double,
    /// Are the feet balls, or the corners of a plate?
    pub is_plate: bool,
}

/// A motion in the plane: of the center of mass [m/s], and about the vertical [rad/s].
#[derive(Clone, Copy, Debug, Default)]
pub struct Planar {
    pub linear: DVec3,
    pub spin: Double,
}

/// What statics says of a slider.
#[derive(Clone, Debug)]
pub struct Statics {
    pub motion: Planar,
    /// The push (N).
    pub force: Double,
    /// Loads of the feet (N).
    pub loads: Vec<Double>,
}

/// `ω × r` for `ω = 1` about the vertical.
const fn turned(r: DVec3) -> DVec3 {
    DVec3::new(r.z, 0.0, -r.x)
}

impl Planar {
    /// The velocity of a point about the center of mass [m/s].
    pub fn at(&self, r: DVec3) -> DVec3 {
        self.linear + turned(r) * self.spin
    }
}

/// Where an increasing function changes its sign.
fn root([mut low, mut high]: [Double; 2], slope: impl Fn(Double) -> Double) -> Double {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if slope(middle) > 0.0 { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

/// A slider at an instant, in the axes of the world about its center of mass.
#[derive(Clone, Debug)]
pub struct Slider {
    /// Its feet (m).
    pub feet: Vec<DVec3>,
    /// Where it is pushed, the normal of the face there, and the speed of the pusher along it.
    pub contact: DVec3,
    pub normal: DVec3,
    pub speed: Double,
    /// Height of the push (m).
    pub height: Double,
    /// Friction coefficient of the feet (–).
    pub friction: Double,
    /// `h / T²` (1/s): quasistatic steps resist a displacement `Δq` by `M Δq / T²`.
    pub resists: Double,
}

impl Slider {
    /// A slider turned by an angle (rad), pushed by a ball whose center is there about the center of mass
    /// (m) and which moves along x.
    pub fn new(push: &Push, turn: Double, ball: DVec3, resists: Double) -> Self {
        let (sin, cos) = (libm::sin(turn), libm::cos(turn));
        let about = |[x, z]: [Double; 2]| DVec3::new(cos * x + sin * z, 0.0, cos * z - sin * x);
        let normal = about([1.0, 0.0]);
        Self {
            feet: push.feet.iter().map(|foot| about(*foot)).collect(),
            contact: ball + normal * widen(BALL),
            normal,
            speed: normal.x * widen(PUSH),
            height: push.height,
            friction: push.friction,
            resists,
        }
    }

    /// The motion under these loads (N), and the push that it takes (N).
    pub fn under(&self, loads: &[Double]) -> (Planar, Double) {
        let n = self.normal;
        let across = turned(n);
        let lever = n.dot(turned(self.contact));
        let motion = |w: Double, spin: Double| Planar {
            linear: n * (self.speed - spin * lever) + across * w,
            spin,
        };
        // Friction against feet that move by so much for each unit of an unknown.
        let along = |it: &Planar, way: &dyn Fn(DVec3) -> DVec3| {
            let feet = self.feet.iter().zip(loads);
            let of = |(r, load): (&DVec3, &Double)| {
                let v = it.at(*r);
                let slip = v.length();
                if slip > 0.0 { self.friction * load * v.dot(way(*r)) / slip } else { 0.0 }
            };
            feet.map(of).sum::<Double>()
        };
        let reach = self.feet.iter().map(|r| r.length()).fold(0.0, Double::max);
        let sideways = |spin: Double| {
            let most = spin.abs() * reach + Double::MIN_POSITIVE;
            root([-most, most], |w| {
                let resisted = self.resists * MASS * w;
                along(&motion(w, spin), &|_| across) + resisted
            })
        };
        let most = 1e3 * self.speed / reach;
        let spin = root([-most, most], |spin| {
            let it = motion(sideways(spin), spin);
            let resisted = self.resists * (INERTIA * spin - MASS * lever * it.linear.dot(n));
            along(&it, &|r| turned(r) - n * lever) + resisted
        });
        let found = motion(sideways(spin), spin);
        let [linear, spin] = [found.linear.length_squared(), found.spin * found.spin];
        let resisted = self.resists * (MASS * linear + INERTIA * spin);
        let rubbed: Double = self
            .feet
            .iter()
            .zip(loads)
            .map(|(r, load)| self.friction * load * found.at(*r).length())
            .sum();
        (found, (rubbed + resisted) / self.speed)
    }

    /// Loads of three feet (N) that hold weight and push (N).
    fn loads(&self, force: Double) -> Vec<Double> {
        let pressed = self.normal * (self.height * force / (MASS * G));
        let [a, b, c] = [0, 1, 2].map(|k| self.feet[k] - pressed);
        let area = |p: DVec3, q: DVec3| p.x * q.z - p.z * q.x;
        let parts = [area(b, c), area(c, a), area(a, b)];
        let all: Double = parts.iter().sum();
        parts.iter().map(|part| MASS * G * part / all).collect()
    }

    /// What three feet do.
    pub fn statics(&self) -> Statics {
        let mut force = self.friction * MASS * G;
        loop {
            let loads = self.loads(force);
            let (motion, next) = self.under(&loads);
            // Each round is nearer by about `μ` times the height over the size.
            if (next - force).abs() <= 1e-14 * force {
                return Statics { motion, force: next, loads };
            }
            force = next;
        }
    }
}

impl Push {
    /// The slider as it begins, in a quasistatic step of `way` (m) of the pusher.
    pub fn slider(&self, way: Double) -> Slider {
        // T = 1 s.
        Slider::new(self, self.turn, self.ball(), way / widen(PUSH))
    }

    /// The slider and its pusher in the engine, touching.
    pub fn world(&self) -> Pushed {
        let mut world = Simulation::new();
        let friction = narrow(self.friction);
        floor(&mut world, friction);
        let height = narrow(self.height);
        let below = |[x, z]: &[Double; 2], y| Vec3::new(narrow(*x), y, narrow(*z));
        let material = Material::new(friction);
        let mut colliders = Vec::new();
        if self.is_plate {
            let corners = self.feet.iter().flat_map(|foot| [0.0, FOOT].map(|y| below(foot, y)));
            let shape = Shape::convex_hull(&corners.collect::<Vec<_>>()).expect("a prism");
            colliders.push(Collider { material, ..Collider::new(shape) });
        } else {
            colliders.extend(self.feet.iter().map(|foot| Collider {
                material,
                position: below(foot, FOOT),
                ..Collider::new(Shape::sphere(FOOT).expect("a radius"))
            }));
        }
        let thick = 0.02;
        colliders.push(Collider {
            material: Material::new(0.0),
            position: Vec3::new(0.5 * thick - FACE, height, 0.0),
            ..Collider::new(cuboid(thick, 0.01, 0.6))
        });
        let rotation = quat_exp(Vec3::Y * narrow(self.turn));
        let inertia = SymMat3::diagonal(Vec3::splat(narrow(INERTIA)));
        let mass = MassProperties { mass: narrow(MASS), center_of_mass: Vec3::ZERO, inertia };
        let desc =
            BodyDesc { rotation, colliders, mass_properties: Some(mass), ..BodyDesc::default() };
        let id = world.add_body(desc).expect("a sound body");
        let ball = self.ball();
        let at = Vec3::new(narrow(ball.x), height, narrow(ball.z));
        let shape = Shape::sphere(BALL).expect("a radius");
        let pusher = place(&mut world, BodyKind::Kinematic, shape, 0.0, at);
        change(&mut world, pusher).linear_velocity = Vec3::X * PUSH;
        Pushed { world, id, pusher }
    }

    /// Where the center of the ball begins, about the center of mass (m).
    pub fn ball(&self) -> DVec3 {
        let (sin, cos) = (libm::sin(self.turn), libm::cos(self.turn));
        let behind = widen(FACE) + widen(BALL);
        // On the face, `aside` of the center across the way of the ball: x cos θ - z sin θ = -behind.
        DVec3::new((self.aside * sin - behind) / cos, 0.0, self.aside)
    }

    /// Place along x and z (m) and turn (rad) after so many seconds by statics, in so many steps of Runge and
    /// Kutta.
    pub fn path(&self, seconds: Double, steps: usize) -> [Double; 3] {
        let h = seconds / steps as Double;
        let start = self.ball();
        let rate = |[x, z, turn]: [Double; 3], time: Double| {
            let ball = start + DVec3::new(widen(PUSH) * time - x, 0.0, -z);
            let Planar { linear, spin } = Slider::new(self, turn, ball, 0.0).statics().motion;
            [linear.x, linear.z, spin]
        };
        let mut state = [0.0, 0.0, self.turn];
        for k in 0..steps {
            let time = k as Double * h;
            let later = |rate: [Double; 3], by: Double| [0, 1, 2].map(|i| state[i] + by * rate[i]);
            let a = rate(state, time);
            let b = rate(later(a, 0.5 * h), time + 0.5 * h);
            let c = rate(later(b, 0.5 * h), time + 0.5 * h);
            let d = rate(later(c, h), time + h);
            state = [0, 1, 2].map(|i| state[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        }
        state
    }
}

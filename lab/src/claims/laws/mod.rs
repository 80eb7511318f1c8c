//! Laws: what moves obeys mechanics, and the report says what moved it.
//!
//! Scenes with known answers at 60 Hz and default settings unless a claim says otherwise. Bars are what the
//! laws promise: closed forms, conservation, references
//! ([`support::reference`](crate::support::reference)). None is a figure that was measured.

#![allow(clippy::disallowed_methods, reason = "closed forms are compared within a tolerance")]

mod chains;
mod flight;
mod heaps;
mod held;
mod pendulums;
mod press;
mod report;
mod restitution;
mod rotation;
mod sleep;
mod steps;
mod tops;

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyId};
use orthant::engine::joint::JointDesc;
use orthant::engine::lcp::Method;
use orthant::engine::settings::Settings;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::{
    DVec3, Double, Real, SymMat3, Vec3, narrow, narrow3, quat_rotate_double, widen, widen_mat3,
    widen_quat, widen3,
};

use crate::claims::Claims;
use crate::claims::joints::{at_least, at_most, slope};
use crate::support::reference::G;

/// Methods that are to obey the same laws.
const METHODS: [(&str, Method); 4] = [
    ("Auto", Method::Auto),
    ("Newton", Method::Newton),
    ("small steps", Method::Substeps),
    ("sweeps", Method::Pgs),
];

/// Measures every law.
pub fn measure(claims: &mut Claims) {
    let themes: [(&str, fn(&mut Claims)); 12] = [
        ("flight", flight::measure),
        ("rotation", rotation::measure),
        ("pendulums", pendulums::measure),
        ("chains", chains::measure),
        ("tops", tops::measure),
        ("restitution", restitution::measure),
        ("held", held::measure),
        ("sleep", sleep::measure),
        ("steps", steps::measure),
        ("press", press::measure),
        ("report", report::measure),
        ("heaps", heaps::measure),
    ];
    for (theme, measure) in themes {
        let start = std::time::Instant::now();
        measure(claims);
        eprintln!("    {theme}: {:.1} s", start.elapsed().as_secs_f64());
    }
}

/// A world, its settings and its step.
#[derive(Clone, Debug)]
struct Lab {
    world: Simulation,
    settings: Settings,
    /// Step (s).
    dt: Real,
}

impl Lab {
    /// An empty world with the default settings at 60 Hz.
    fn new() -> Self {
        Self { world: Simulation::new(), settings: Settings::default(), dt: 1.0 / 60.0 }
    }

    /// An empty world in steps of another rate (Hz).
    fn at(hertz: Double) -> Self {
        Self { dt: narrow(1.0 / hertz), ..Self::new() }
    }

    /// This world without gravity.
    fn weightless(mut self) -> Self {
        self.settings.gravity = Vec3::ZERO;
        self
    }

    fn add(&mut self, desc: BodyDesc) -> BodyId {
        self.world.add_body(desc).expect("a sound body")
    }

    fn join(&mut self, desc: JointDesc) {
        self.world.add_joint(desc).expect("a sound joint");
    }

    fn step(&mut self) {
        self.world.step(&self.settings, self.dt);
    }

    /// Steps in a time (s).
    fn steps(&self, seconds: Double) -> usize {
        (seconds / widen(self.dt)).round() as usize
    }

    /// Plays for a time (s).
    fn run(&mut self, seconds: Double) {
        for _ in 0..self.steps(seconds) {
            self.step();
        }
    }

    fn body(&self, id: BodyId) -> &Body {
        self.world.body(id).expect("the body is there")
    }

    fn center(&self, id: BodyId) -> DVec3 {
        widen3(self.body(id).center())
    }

    /// Bodies that impulses move.
    fn moving(&self) -> impl Iterator<Item = &Body> {
        self.world.bodies().iter().filter(|body| body.is_dynamic())
    }

    /// Kinetic energy (J).
    fn kinetic(&self) -> Double {
        self.moving().map(kinetic).sum()
    }

    /// Kinetic and potential energy (J), zero at the origin.
    fn energy(&self) -> Double {
        let gravity = widen3(self.settings.gravity);
        let height = |body: &Body| gravity.dot(widen3(body.center()));
        self.kinetic() - self.moving().map(|body| widen(body.mass()) * height(body)).sum::<Double>()
    }

    /// Linear momentum [N·s] and angular momentum about the origin [N·m·s].
    fn momentum(&self) -> [DVec3; 2] {
        let mut sum = [DVec3::ZERO; 2];
        for body in self.moving() {
            let linear = widen3(body.linear_velocity) * widen(body.mass());
            sum[0] += linear;
            sum[1] += angular_momentum(body);
        }
        sum
    }

    /// Torque of gravity about the origin [N·m].
    fn torque(&self) -> DVec3 {
        let gravity = widen3(self.settings.gravity);
        self.moving().map(|body| widen3(body.center()).cross(gravity) * widen(body.mass())).sum()
    }
}

/// Spin of a body about its center [N·m·s].
fn spin(body: &Body) -> DVec3 {
    let q = widen_quat(body.rotation());
    let back = [-q[0], -q[1], -q[2], q[3]];
    let inertia = widen_mat3(body.inertia().to_mat3());
    let turning = quat_rotate_double(back, widen3(body.angular_velocity));
    quat_rotate_double(q, inertia * turning)
}

/// Angular momentum of a body about the origin [N·m·s].
fn angular_momentum(body: &Body) -> DVec3 {
    let linear = widen3(body.linear_velocity) * widen(body.mass());
    widen3(body.center()).cross(linear) + spin(body)
}

fn kinetic(body: &Body) -> Double {
    0.5 * widen(body.mass()) * widen3(body.linear_velocity).length_squared()
        + 0.5 * spin(body).dot(widen3(body.angular_velocity))
}

/// The body's point of these coordinates in its frame, in the world (m).
fn point(body: &Body, at: DVec3) -> DVec3 {
    widen3(body.position()) + quat_rotate_double(widen_quat(body.rotation()), at)
}

/// A body without a shape, of a mass (kg) and principal inertias [kg·m²], about its center.
fn heavy(mass: Double, inertia: DVec3, center: DVec3) -> BodyDesc {
    let inertia = SymMat3::diagonal(narrow3(inertia));
    let properties = MassProperties { mass: narrow(mass), center_of_mass: Vec3::ZERO, inertia };
    BodyDesc { position: narrow3(center), mass_properties: Some(properties), ..BodyDesc::default() }
}

/// The larger one; a NaN counts as the largest.
fn worst(a: Double, b: Double) -> Double {
    if b.is_nan() { Double::INFINITY } else { a.max(b) }
}

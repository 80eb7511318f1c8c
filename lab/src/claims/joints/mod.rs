//! Joints: chains, bridges, mechanisms against independent references, motors, statics.
//!
//! `tests/cases/joints/reference.py` computes the references in minimal coordinates.

mod chains;
mod forces;
mod mechanisms;
mod order;
mod ragdoll;

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId};
use orthant::engine::joint::{JointDesc, JointFrame, JointId, JointKind};
use orthant::engine::settings::Settings;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::{
    DVec3, Double, Quat, Real, SymMat3, Vec3, narrow, quat_conjugate, quat_mul, quat_rotate, widen,
    widen3,
};

use crate::claims::Claims;

/// Measures every claim of this topic.
pub fn measure(claims: &mut Claims) {
    mechanisms::measure(claims);
    forces::measure(claims);
    order::measure(claims);
    chains::measure(claims);
    ragdoll::measure(claims);
}

/// Bodies without shapes, unrotated at the start, and joints between them.
#[derive(Clone, Debug, Default)]
struct Rig {
    world: Simulation,
    settings: Settings,
}

impl Rig {
    /// A body of this mass (kg) and this inertia about every axis [kg·m²].
    fn body(&mut self, center: DVec3, mass: Double, inertia: Double) -> BodyId {
        let inertia = SymMat3::diagonal(Vec3::splat(narrow(inertia)));
        let properties = MassProperties { mass: narrow(mass), center_of_mass: Vec3::ZERO, inertia };
        let desc = BodyDesc {
            position: single(center),
            mass_properties: Some(properties),
            ..BodyDesc::default()
        };
        self.world.add_body(desc).expect("a sound body")
    }

    /// A rod from a point to another, in the plane z = 0.
    fn rod(&mut self, from: DVec3, to: DVec3, mass: Double) -> BodyId {
        let inertia = mass * (to - from).length_squared() / 12.0;
        self.body(0.5 * (from + to), mass, inertia)
    }

    /// Joins two ends where they are, with the frame of the joint here.
    fn join(
        &mut self,
        kind: JointKind,
        ends: [Option<BodyId>; 2],
        point: DVec3,
        axis: Vec3,
    ) -> JointId {
        self.join_with(JointDesc::new(kind, ends), point, axis)
    }

    /// As [`Self::join`], with limits, motors and friction.
    fn join_with(&mut self, desc: JointDesc, point: DVec3, axis: Vec3) -> JointId {
        let JointFrame { anchor, basis } = JointFrame::along(single(point), axis);
        let frames = desc.ends.map(|end| match end.and_then(|id| self.world.body(id)) {
            None => JointFrame { anchor, basis },
            Some(body) => {
                let back: Quat = quat_conjugate(body.rotation());
                let anchor = quat_rotate(back, anchor - body.position());
                JointFrame { anchor, basis: quat_mul(back, basis) }
            }
        });
        self.world.add_joint(JointDesc { frames, ..desc }).expect("a sound joint")
    }

    /// So many steps of `1 / hertz` s. The largest joint error seen (m), and whether all were solved.
    fn run(&mut self, hertz: Double, seconds: Double) -> (Double, bool) {
        let dt = narrow(1.0 / hertz);
        let (mut error, mut solved): (Real, bool) = (0.0, true);
        for _ in 0..(hertz * seconds).round() as usize {
            let report = self.world.step(&self.settings, dt);
            error = error.max(report.joint_error);
            solved &= report.islands_unsolved == 0;
        }
        (widen(error), solved)
    }

    fn center(&self, id: BodyId) -> DVec3 {
        self.world.body(id).map_or(DVec3::NAN, |body| widen3(body.position()))
    }

    /// Kinetic and potential energy of bodies (J).
    fn energy(&self, bodies: &[BodyId]) -> Double {
        let gravity = widen3(self.settings.gravity);
        let of = |&id: &BodyId| {
            self.world.body(id).map_or(Double::NAN, |body| {
                let height = gravity.dot(widen3(body.position()));
                widen(body.kinetic_energy()) - widen(body.mass()) * height
            })
        };
        bodies.iter().map(of).sum()
    }
}

fn single(v: DVec3) -> Vec3 {
    Vec3::new(narrow(v.x), narrow(v.y), narrow(v.z))
}

/// A claim that a figure is at most a bar.
pub fn at_most(claims: &mut Claims, what: &str, figure: Double, bar: Double, unit: &str) {
    // A NaN falls short.
    claims.add(
        what,
        &format!("{figure:.3e} {unit}"),
        &format!("≤ {bar:.1e} {unit}"),
        figure <= bar,
    );
}

/// A claim that a figure is at least a bar.
pub fn at_least(claims: &mut Claims, what: &str, figure: Double, bar: Double) {
    claims.add(what, &format!("{figure:.2}"), &format!("≥ {bar}"), figure >= bar);
}

/// Mean slope of the logarithm of errors, the step halved from each to the next.
pub fn slope(errors: &[Double]) -> Double {
    let (Some(first), Some(last)) = (errors.first(), errors.last()) else { return Double::NAN };
    (first / last).log2() / (errors.len() - 1) as Double
}

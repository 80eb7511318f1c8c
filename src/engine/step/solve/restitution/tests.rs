//! Joint rows with bounds and softness in the step of an impact: what they do is done once.

use crate::engine::Simulation;
use crate::engine::geometry::shape::Shape;
use crate::engine::lcp::{JointRow, Method};
use crate::engine::settings::{Integration, RestitutionModel, Settings};
use crate::engine::state::body::{BodyDesc, BodyKind};
use crate::engine::state::collider::{Collider, Material};
use crate::engine::state::joint::{JointDesc, JointKind};
use crate::math::{Double, Real, Vec3, widen};

const DT: Real = 1.0 / 60.0;
const START: Double = 2.0;

/// Velocities along x of a ball of mass 1 kg that bounces on ice, while a row along x acts on it; and how
/// many times it bounced.
fn bounces(settings: &Settings, change: impl Fn(&mut JointRow)) -> (Vec<Double>, u32) {
    let mut world = Simulation::new();
    let material = Material { restitution: 0.7, ..Material::new(0.0) };
    let mut place = |kind, shape: Shape, height, linear_velocity| {
        let colliders = vec![Collider { material, ..Collider::new(shape) }];
        let position = Vec3::new(0.0, height, 0.0);
        let desc = BodyDesc { kind, colliders, position, linear_velocity, ..BodyDesc::default() };
        world.add_body(desc).expect("a sound body")
    };
    let zero = Vec3::ZERO;
    let floor = Shape::half_space(Vec3::Y).expect("a direction");
    let a = place(BodyKind::Static, floor, 0.0, zero);
    let ball = Shape::sphere(0.25).expect("a ball");
    let b = place(BodyKind::Dynamic, ball, 0.6, Vec3::new(START as Real, 0.0, 0.0));
    let joint = JointDesc::between(JointKind::Spherical, a, b).with_collision(true);
    world.add_joint(joint).expect("a joint");
    let (mut speeds, mut bounced) = (Vec::new(), 0);
    for _ in 0..40 {
        world.begin(settings, DT);
        world.find_pairs(settings);
        world.find_contacts(settings);
        world.build_islands();
        world.assemble(settings);
        let problem = &mut world.work.problem;
        problem.joint_push.fill(0.0);
        for (k, row) in problem.joints.iter_mut().enumerate() {
            (row.bias, row.bounds) = (0.0, [0.0, 0.0]);
            if k == 0 {
                change(row);
                // For a body of 1 kg.
                let mass = widen(world.bodies.as_slice()[1].mass());
                row.bounds = row.bounds.map(|x| x * mass);
                row.softness /= mass;
            }
        }
        let before = world.bodies.as_slice()[1].linear_velocity;
        world.solve(settings);
        world.integrate();
        world.finish();
        let after = world.bodies.as_slice()[1].linear_velocity;
        bounced += u32::from(before.y < -0.5 && after.y > 0.3);
        speeds.push(widen(after.x));
    }
    (speeds, bounced)
}

fn settings(method: Method, restitution: RestitutionModel) -> Settings {
    let mut settings = Settings::default();
    settings.solver.method = method;
    settings.contact.restitution = restitution;
    // The rows of a step at its start, which are changed here.
    settings.solver.integration = Integration::Euler;
    settings
}

const METHODS: [Method; 5] =
    [Method::Auto, Method::Newton, Method::Pgs, Method::Substeps, Method::Lemke];

const MODELS: [RestitutionModel; 3] =
    [RestitutionModel::Poisson, RestitutionModel::Newton, RestitutionModel::Sequence];

#[test]
fn a_motor_pushes_once_in_the_step_of_an_impact() {
    let force = 6.0 * widen(DT);
    for method in METHODS {
        for model in MODELS {
            let (speeds, bounced) = bounces(&settings(method, model), |row| {
                (row.bias, row.bounds) = (-100.0, [-force, force]);
            });
            assert!(bounced >= 1, "{method:?}, {model:?}: it bounces");
            for (step, speed) in speeds.iter().enumerate() {
                let expected = START + force * (step as Double + 1.0);
                let error = (speed - expected).abs();
                assert!(error < 1e-4, "{method:?}, {model:?}, step {step}: {speed} is {expected}");
            }
        }
    }
}

#[test]
fn a_damper_slows_once_in_the_step_of_an_impact() {
    let damping = 3.0;
    for method in METHODS {
        for model in MODELS {
            let (speeds, bounced) = bounces(&settings(method, model), |row| {
                row.softness = 1.0 / (damping * widen(DT));
                row.bounds = JointRow::UNBOUNDED;
            });
            assert!(bounced >= 1, "{method:?}, {model:?}: it bounces");
            let mut last = START;
            for (step, speed) in speeds.iter().enumerate() {
                // Small steps damp in small steps.
                let n = if method == Method::Substeps { 16 } else { 1 };
                let expected = last / (1.0 + damping * widen(DT) / Double::from(n)).powi(n);
                let error = (speed - expected).abs();
                let bound = if n == 1 { 1e-4 } else { 2e-3 };
                assert!(error < bound, "{method:?}, {model:?}, step {step}: {speed} is {expected}");
                last = *speed;
            }
        }
    }
}

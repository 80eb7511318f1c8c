//! Restitution: what bounces, how high, and what may never come of it.

mod support;

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::lcp::{Cone, Method};
use orthant::engine::settings::{RestitutionModel, Settings};
use orthant::engine::shape::Shape;
use orthant::math::{DVec3, Double, Real, Vec3, widen, widen3};
use support::{DOUBLE, DT, Rng, body, cuboid, settings, sphere};

const G: Real = 9.81;
const MODELS: [RestitutionModel; 2] = [RestitutionModel::Poisson, RestitutionModel::Newton];

/// Settings with a model, without gravity or with.
fn model(restitution: RestitutionModel, gravity: Real) -> Settings {
    let mut settings = settings();
    settings.gravity = Vec3::new(0.0, -gravity, 0.0);
    settings.contact.restitution = restitution;
    settings
}

fn material(friction: Real, restitution: Real) -> Material {
    Material { restitution, ..Material::new(friction) }
}

fn place(
    world: &mut Simulation,
    kind: BodyKind,
    shape: Shape,
    material: Material,
    position: Vec3,
    linear_velocity: Vec3,
) -> BodyId {
    let colliders = vec![Collider { material, ..Collider::new(shape) }];
    let desc = BodyDesc { kind, colliders, position, linear_velocity, ..BodyDesc::default() };
    world.add_body(desc).expect("a sound body")
}

fn ground(world: &mut Simulation, material: Material) {
    let shape = Shape::half_space(Vec3::Y).expect("a direction");
    place(world, BodyKind::Static, shape, material, Vec3::ZERO, Vec3::ZERO);
}

fn energy(world: &Simulation) -> Double {
    let moving = world.bodies().iter().filter(|b| b.is_dynamic());
    moving.map(|b| widen(b.kinetic_energy())).sum()
}

fn momentum(world: &Simulation) -> DVec3 {
    let moving = world.bodies().iter().filter(|b| b.is_dynamic());
    moving.map(|b| widen3(b.linear_velocity) * widen(b.mass())).sum()
}

/// Height over the ground that a ball of radius 0.25 reaches after its first bounce from a fall of 1 m.
fn rebound(model_of: RestitutionModel, e: Real, dt: Real, method: Method) -> Real {
    let mut settings = model(model_of, G);
    settings.solver.method = method;
    let mut world = Simulation::new();
    ground(&mut world, material(0.5, e));
    let at = Vec3::new(0.0, 1.25, 0.0);
    let ball = place(&mut world, BodyKind::Dynamic, sphere(0.25), material(0.5, e), at, Vec3::ZERO);
    let (mut top, mut up): (Real, bool) = (0.0, false);
    let mut time = 0.0;
    while time < 2.0 {
        world.step(&settings, dt);
        time += dt;
        let ball = body(&world, ball);
        let speed = ball.linear_velocity.y;
        if up && speed < 0.0 {
            return top;
        }
        up |= speed > 0.0;
        if up {
            top = top.max(ball.center().y - 0.25);
        }
    }
    top
}

#[test]
fn probe() {
    for m in MODELS {
        for e in [1.0, 0.9, 0.5] {
            for dt in [DT, DT / 4.0, DT / 16.0] {
                eprintln!(
                    "{m:?} {e} {dt:.5}: {:.4} / {:.4}",
                    rebound(m, e, dt, Method::Auto),
                    e * e
                );
            }
        }
        for method in [Method::Newton, Method::Pgs, Method::Substeps, Method::Lemke] {
            eprintln!("{method:?} {:.4}", rebound(m, 0.9, DT, method));
        }
    }
}

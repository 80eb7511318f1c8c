//! What bounces: materials, models, energy and momentum.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::settings::{RestitutionModel, Settings};
use orthant::engine::shape::Shape;
use orthant::math::{DVec3, Double, Real, Vec3, widen, widen3};

use super::settings;

/// Acceleration of gravity [m/s²].
pub const G: Real = 9.81;

/// Those in which bodies in contact share a blow at once.
pub const SHARED: [RestitutionModel; 2] = [RestitutionModel::Poisson, RestitutionModel::Newton];
/// All.
pub const MODELS: [RestitutionModel; 3] =
    [RestitutionModel::Poisson, RestitutionModel::Newton, RestitutionModel::Sequence];

/// Perfectly elastic, with friction.
pub const ONE: Material = Material { restitution: 1.0, ..Material::new(0.5) };

/// Settings with a model, without gravity or with.
pub fn model(restitution: RestitutionModel, gravity: Real) -> Settings {
    let mut settings = settings();
    settings.gravity = Vec3::new(0.0, -gravity, 0.0);
    settings.contact.restitution = restitution;
    settings
}

pub fn material(friction: Real, restitution: Real) -> Material {
    Material { restitution, ..Material::new(friction) }
}

pub fn place(
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

pub fn ground(world: &mut Simulation, material: Material) {
    wall(world, Vec3::Y, Vec3::ZERO, material);
}

/// A wall through a point; what moves is on the side of its normal.
pub fn wall(world: &mut Simulation, normal: Vec3, at: Vec3, material: Material) {
    let shape = Shape::half_space(normal).expect("a direction");
    place(world, BodyKind::Static, shape, material, at, Vec3::ZERO);
}

/// Kinetic energy of all bodies (J).
pub fn kinetic(world: &Simulation) -> Double {
    let moving = world.bodies().iter().filter(|b| b.is_dynamic());
    moving.map(|b| widen(b.kinetic_energy())).sum()
}

/// Kinetic and potential energy of all bodies over y = 0 (J).
pub fn energy(world: &Simulation) -> Double {
    let moving = world.bodies().iter().filter(|b| b.is_dynamic());
    let height = moving.map(|b| widen(b.mass()) * widen(b.center().y));
    kinetic(world) + widen(G) * height.sum::<Double>()
}

pub fn momentum(world: &Simulation) -> DVec3 {
    let moving = world.bodies().iter().filter(|b| b.is_dynamic());
    moving.map(|b| widen3(b.linear_velocity) * widen(b.mass())).sum()
}

//! Equal shapes share their memory.

use std::sync::Arc;

use orthant::engine::Simulation;
use orthant::engine::body::{BodyId, BodyKind};
use orthant::engine::collider::Collider;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Convex;
use orthant::engine::shape::hull::Hull;
use orthant::math::{Real, Vec3};
use orthant_lab::support::{DT, add, cuboid};

/// Where the first hull of a body is in memory.
fn hull(world: &Simulation, id: BodyId) -> *const Hull {
    match &world.body(id).expect("a body").colliders().pieces()[0].piece.convex {
        Convex::Hull(hull) => Arc::as_ptr(hull),
        other => panic!("{other:?}"),
    }
}

/// Equal shapes take the memory of one, from the first step on, also those that come later.
#[test]
fn equal_shapes_lie_in_one_place() {
    let mut world = Simulation::new();
    let drop = |world: &mut Simulation, y: Real, edge: Real| {
        add(world, BodyKind::Dynamic, cuboid(1.0, 1.0, edge), Vec3::Y * y)
    };
    let [a, b, other] = [(0.0, 1.0), (3.0, 1.0), (6.0, 1.5)].map(|(y, z)| drop(&mut world, y, z));
    assert_ne!(hull(&world, a), hull(&world, b), "each brings its own");
    world.step(&Settings::default(), DT);
    assert_eq!(hull(&world, a), hull(&world, b));
    assert_ne!(hull(&world, a), hull(&world, other));
    let late = drop(&mut world, 9.0, 1.5);
    world.step(&Settings::default(), DT);
    assert_eq!(hull(&world, other), hull(&world, late));
    // Another shape in its place, which is that of the others.
    let collider = Collider::new(cuboid(1.0, 1.0, 1.0));
    let mass = collider.mass_properties(1.0);
    let changed = world.body_mut(other).expect("a body").set_colliders(
        vec![collider],
        BodyKind::Dynamic,
        mass,
    );
    changed.expect("a box");
    world.step(&Settings::default(), DT);
    assert_eq!(hull(&world, a), hull(&world, other));
}

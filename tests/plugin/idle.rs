//! Components that do nothing are told of, and those that may do something yet are not.

use super::errors::{assert_told, listening, named};
use super::*;
use PhysicsErrorKind::Idle;

const DYNAMIC: &str = "`RigidBody::Dynamic`";

/// A component alone, what it is called, and what it needs.
fn alone(bundle: impl Bundle, component: &'static str, needs: &'static str) {
    let mut app = listening();
    let name = format!("alone with {component}");
    let entity = spawn(&mut app, (Name::new(name.clone()), bundle));
    run(&mut app, 8);
    assert!(told(&mut app).is_empty(), "{component}: what it needs may still come");
    let error = assert_told(&mut app, entity, &name, &format!("without a {needs}: insert that"));
    assert_eq!(error, Idle(component, needs), "{component}");
}

#[test]
fn components_of_colliders_and_bodies_alone() {
    alone(Sensor, "Sensor", "`Collider`");
    alone(CollisionLayers::DEFAULT, "CollisionLayers", "`Collider`");
    alone(ColliderDensity(2.0), "ColliderDensity", "`Collider`");
    alone(SurfaceVelocity(Vec3::X), "SurfaceVelocity", "`Collider`");
    alone(Friction::new(0.1), "Friction", "`Collider` or `RigidBody`");
    alone(Restitution::new(0.1), "Restitution", "`Collider` or `RigidBody`");
    alone(CollisionEventsEnabled, "CollisionEventsEnabled", "`Collider` or `RigidBody`");
    alone(LinearVelocity(Vec3::X), "LinearVelocity", "`RigidBody`");
    alone(Mass(2.0), "Mass", "`RigidBody`");
    alone(JointForces::default(), "JointForces", "`Joint`");
    alone(MouseJoint::default(), "MouseJoint", DYNAMIC);
    alone(ConstantForce(Vec3::X), "ConstantForce", DYNAMIC);
}

#[test]
fn components_beside_their_collider_in_place_of_on_it() {
    let mut app = listening();
    without_gravity(&mut app);
    // Layers on the body, the collider below it.
    let body = (RigidBody::Dynamic, CollisionLayers::NONE);
    let entity = named(&mut app, "layered", body);
    spawn(&mut app, (cube(), ChildOf(entity)));
    let error = assert_told(&mut app, entity, "layered", "move `CollisionLayers`");
    assert_eq!(error, Idle("CollisionLayers", "`Collider`"));
    // Mass on the collider, the body above it.
    let body = spawn(&mut app, (RigidBody::Dynamic, at(9.0, 0.0, 0.0)));
    let entity = named(&mut app, "weighed", (cube(), Mass(5.0), ChildOf(body)));
    let error = assert_told(&mut app, entity, "weighed", "move `Mass`");
    assert_eq!(error, Idle("Mass", "`RigidBody`"));
    // A character whose collider is below it.
    let walker = (CharacterController::default(), at(20.0, 0.0, 0.0));
    let entity = named(&mut app, "walker", walker);
    spawn(&mut app, (Collider::capsule(0.3, 1.2), ChildOf(entity)));
    let error = assert_told(&mut app, entity, "walker", "`Collider`");
    assert_eq!(error, Idle("CharacterController", "`Collider`"));
    // One that stands on a dynamic body: it does not walk.
    let walker = (CharacterController::default(), Collider::capsule(0.3, 1.2), RigidBody::Dynamic);
    let entity = named(&mut app, "dynamic walker", (walker, at(30.0, 0.0, 0.0)));
    app.world_mut().get_mut::<CharacterInput>(entity).expect("it comes with it").walk = Vec3::X;
    let error = assert_told(&mut app, entity, "dynamic walker", "`RigidBody::Kinematic`");
    assert_eq!(error, Idle("CharacterController", "`RigidBody::Kinematic`"));
    assert_near(position(&app, entity), Vec3::X * 30.0, 1e-5);
}

#[test]
fn what_moves_or_pushes_what_does_not_move() {
    const MOVING: &str = "`RigidBody::Dynamic` or `RigidBody::Kinematic`";
    let mut app = listening();
    let mut tell = |name, component, needs, bundle: Box<dyn FnOnce(&mut EntityWorldMut)>| {
        let entity = named(&mut app, name, (RigidBody::Static, cube()));
        bundle(&mut app.world_mut().entity_mut(entity));
        let error = assert_told(&mut app, entity, name, needs);
        assert_eq!(error, Idle(component, needs), "{name}");
        app.world_mut().despawn(entity);
    };
    let velocity = LinearVelocity(Vec3::X);
    tell("thrown", "LinearVelocity", MOVING, Box::new(move |e| _ = e.insert(velocity)));
    let spin = AngularVelocity(Vec3::X);
    tell("spun", "AngularVelocity", MOVING, Box::new(move |e| _ = e.insert(spin)));
    tell("held", "MouseJoint", DYNAMIC, Box::new(|e| _ = e.insert(MouseJoint::default())));
    let push = ConstantForce(Vec3::X);
    tell("pushed for ever", "ConstantForce", DYNAMIC, Box::new(move |e| _ = e.insert(push)));
    let lead = PoseController::to_position(Vec3::X);
    tell("led", "PoseController", DYNAMIC, Box::new(move |e| _ = e.insert(lead)));
    // A velocity that is written to one in each second frame is told once, too.
    let entity = named(&mut app, "driven", (RigidBody::Static, cube()));
    let mut frame = 0;
    app.add_systems(Update, move |mut all: Query<&mut LinearVelocity>| {
        frame += 1;
        for mut velocity in all.iter_mut().filter(|_| frame % 2 == 0) {
            velocity.0.x += 1.0;
        }
    });
    assert_eq!(assert_told(&mut app, entity, "driven", MOVING), Idle("LinearVelocity", MOVING));
}

#[test]
fn a_collider_that_was_to_be_a_body() {
    let mut app = listening();
    let entity = named(&mut app, "no body", (cube(), LinearVelocity(Vec3::X)));
    let error = assert_told(&mut app, entity, "no body", "`RigidBody`");
    assert_eq!(error, Idle("LinearVelocity", "`RigidBody`"));
}

#[test]
fn what_it_needs_comes_late_or_is_gone_for_a_while() {
    let mut app = listening();
    without_gravity(&mut app);
    steps_each_update(&mut app, 3);
    // A frame of three steps later.
    let late = spawn(&mut app, (Sensor, LinearVelocity(Vec3::X), Friction::new(0.1)));
    run(&mut app, 1);
    app.world_mut().entity_mut(late).insert((RigidBody::Kinematic, cube()));
    run(&mut app, 20);
    assert!(told(&mut app).is_empty(), "it came");
    app.world_mut().entity_mut(late).remove::<(RigidBody, Collider)>();
    run(&mut app, 20);
    assert!(told(&mut app).is_empty(), "it is gone for a while");
    // A body that is made static, held as it is.
    let held = (RigidBody::Dynamic, cube(), MouseJoint::default(), LinearVelocity(Vec3::X));
    let held = spawn(&mut app, (held, at(9.0, 0.0, 0.0), ConstantForce(Vec3::X)));
    run(&mut app, 20);
    app.world_mut().entity_mut(held).insert(RigidBody::Static);
    run(&mut app, 20);
    assert!(told(&mut app).is_empty(), "it stands for a while");
    // What waits for a scene, and what is disabled.
    spawn(&mut app, (ColliderConstructorHierarchy::default(), Sensor));
    spawn(&mut app, (bevy_ecs::entity_disabling::Disabled, Sensor));
    run(&mut app, 20);
    assert!(told(&mut app).is_empty(), "they wait");
}

#[test]
fn forces_on_all_bodies_are_no_error() {
    let mut app = listening();
    floor(&mut app);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 9.0, 0.0)));
    app.add_systems(Update, |mut all: Query<Forces>| {
        all.iter_mut().for_each(|mut body| body.apply_force(Vec3::X));
    });
    run(&mut app, 20);
    assert!(told(&mut app).is_empty() && velocity(&app, cube).x > 0.1, "wind blows on floors, too");
}

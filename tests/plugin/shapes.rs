//! Colliders from Bevy's shapes have the same size and place.

use super::*;
use bevy_math::{Dir3, Isometry3d};
use bevy_shape::{
    Bounded3d, Capsule3d, Cone, Cuboid, Cylinder, InfinitePlane3d, Measured3d, Sphere, Tetrahedron,
};

/// Compares volume and box with those that Bevy computes.
#[track_caller]
fn compare(shape: impl Bounded3d + Measured3d + Copy + Into<Collider>) {
    let collider: Collider = shape.into();
    let ours = collider.shape().expect("a sound shape");
    let mass = ours.mass_properties(1.0).mass;
    let volume = from_single3(bevy_math::Vec3::splat(shape.volume().abs())).x;
    assert!((mass - volume).abs() < 1e-4 * volume, "volume {mass}, Bevy says {volume}");
    let bounds = ours.aabb(Vec3::ZERO, Quat::IDENTITY);
    let theirs = shape.aabb_3d(Isometry3d::IDENTITY);
    assert_near(bounds.min, from_single3(theirs.min.into()), 1e-5);
    assert_near(bounds.max, from_single3(theirs.max.into()), 1e-5);
}

#[test]
fn primitives_become_colliders() {
    compare(Sphere::new(0.7));
    compare(Cuboid::new(1.0, 2.0, 3.0));
    compare(Capsule3d::new(0.3, 1.5));
    compare(Cylinder::new(0.4, 1.2));
    compare(Cone::new(0.6, 1.4));
}

#[test]
fn a_tetrahedron_becomes_a_hull_whatever_its_winding() {
    let plain = Tetrahedron::default();
    let mirrored =
        Tetrahedron { vertices: plain.vertices.map(|v| bevy_math::Vec3 { x: -v.x, ..v }) };
    for shape in [plain, mirrored] {
        let collider = Collider::from(shape);
        let ours = collider.shape().expect("a sound shape");
        let volume = f64::from(shape.volume().abs());
        let mass = f64::from(single3(Vec3::splat(ours.mass_properties(1.0).mass)).x);
        assert!((mass - volume).abs() < 1e-6, "volume {mass}, Bevy says {volume}");
        let bounds = ours.aabb(Vec3::ZERO, Quat::IDENTITY);
        assert_near(bounds.min, Vec3::splat(-0.5), 1e-6);
        assert_near(bounds.max, Vec3::splat(0.5), 1e-6);
    }
}

#[test]
fn a_plane_becomes_a_half_space() {
    let mut app = app();
    let plane = InfinitePlane3d { normal: Dir3::Y };
    spawn(&mut app, (RigidBody::Static, Collider::from(plane)));
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.6, 0.0)));
    run(&mut app, 64);
    assert_near(position(&app, cube), Vec3::Y * 0.5, 1e-3);
}

#[test]
fn a_bad_primitive_is_told() {
    assert!(Collider::from(Sphere { radius: -1.0 }).shape().is_err());
    let flat = Tetrahedron { vertices: [bevy_math::Vec3::ZERO; 4] };
    assert!(Collider::from(flat).shape().is_err());
}

#[test]
fn a_swept_body_does_not_fly_through_a_wall() {
    let mut app = app();
    without_gravity(&mut app);
    spawn(&mut app, (RigidBody::Static, Collider::cuboid(0.1, 9.0, 9.0), at(5.0, 0.0, 0.0)));
    let fast = (RigidBody::Dynamic, Collider::sphere(0.05), LinearVelocity(Vec3::X * 300.0));
    let swept = spawn(&mut app, (fast, SweptCcd));
    run(&mut app, 20);
    assert!(position(&app, swept).x < 5.0, "stopped: {}", position(&app, swept));
    assert!(body(&app, swept).expect("alive").swept);
    app.world_mut().entity_mut(swept).remove::<SweptCcd>();
    run(&mut app, 1);
    assert!(!body(&app, swept).expect("alive").swept, "no longer");
}

#[test]
fn a_constructor_becomes_its_collider() {
    let mut app = app();
    let size = |app: &App, entity| {
        let collider = app.world().get::<Collider>(entity).expect("constructed");
        let bounds = collider.shape().expect("sound").aabb(Vec3::ZERO, Quat::IDENTITY);
        bounds.max - bounds.min
    };
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y * 2.0, Vec3::Z * 3.0];
    let cases = [
        (ColliderConstructor::default(), Vec3::ONE),
        (ColliderConstructor::Sphere { radius: 0.5 }, Vec3::ONE),
        (ColliderConstructor::Capsule { radius: 0.5, length: 2.0 }, Vec3::new(1.0, 3.0, 1.0)),
        (ColliderConstructor::Cylinder { radius: 1.0, height: 3.0 }, Vec3::new(2.0, 3.0, 2.0)),
        (ColliderConstructor::Cone { radius: 1.0, height: 3.0 }, Vec3::new(2.0, 3.0, 2.0)),
        (
            ColliderConstructor::Ellipsoid { x_length: 1.0, y_length: 2.0, z_length: 3.0 },
            Vec3::new(1.0, 2.0, 3.0),
        ),
        (ColliderConstructor::ConvexHull { points: corners }, Vec3::new(1.0, 2.0, 3.0)),
    ];
    for (constructor, expected) in cases {
        let entity = spawn(&mut app, (RigidBody::Static, constructor.clone()));
        assert!(app.world().get::<ColliderConstructor>(entity).is_none(), "it goes");
        assert_near(size(&app, entity), expected, 1e-5);
        run(&mut app, 1);
        let body = body(&app, entity).expect("alive");
        assert_eq!(body.colliders().list().len(), 1, "{constructor:?}");
    }
}

#[test]
fn surfaces_carry_from_above() {
    let corners = [(-4.0, -4.0), (-4.0, 4.0), (4.0, -4.0), (4.0, 4.0)];
    let corners = corners.map(|(x, z)| Vec3::new(x, 0.0, z));
    let mesh = Collider::trimesh(corners, [[0, 1, 2], [2, 1, 3]]).expect("two triangles");
    let field = Collider::heightfield(vec![vec![0.0; 3]; 4], Vec3::new(8.0, 1.0, 8.0));
    for ground in [mesh, field.expect("a flat field")] {
        let mut app = app();
        spawn(&mut app, (RigidBody::Static, ground));
        let material = (Friction::new(0.3), RollingFriction::new(0.01, 0.01));
        let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.2, 0.7, 0.1), material));
        run(&mut app, 64);
        assert_near(position(&app, cube), Vec3::new(0.2, 0.5, 0.1), 2e-3);
    }
    assert!(Collider::trimesh([Vec3::ZERO], [[0, 0, 1]]).is_err(), "no vertex 1");
    assert!(Collider::heightfield([], Vec3::ONE).is_err(), "no heights");
}

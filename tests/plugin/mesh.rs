//! Colliders from Bevy's meshes.

use super::*;
use bevy_asset::{AssetApp, AssetPlugin, Assets, RenderAssetUsages};
use bevy_mesh::{Indices, Mesh, Mesh3d, MeshBuilder, Meshable, PrimitiveTopology};
use bevy_shape::Cuboid;

fn empty(topology: PrimitiveTopology) -> Mesh {
    Mesh::new(topology, RenderAssetUsages::default())
}

/// A square of two triangles in the plane y = 0, from -4 m to 4 m.
fn square(topology: PrimitiveTopology, indices: Vec<u32>) -> Mesh {
    let corners = vec![[-4.0, 0.0, -4.0], [-4.0, 0.0, 4.0], [4.0, 0.0, -4.0], [4.0, 0.0, 4.0]];
    empty(topology)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners)
        .with_inserted_indices(Indices::U32(indices))
}

#[test]
fn the_hull_of_a_box_is_the_box() {
    let mesh = Cuboid::new(1.0, 2.0, 3.0).mesh().build();
    let collider = Collider::convex_hull_from_mesh(&mesh).expect("a sound mesh");
    let mass = collider.shape().expect("sound").mass_properties(1.0).mass;
    assert!((mass - 6.0).abs() < 1e-5, "{mass}");
}

#[test]
fn a_mesh_carries_a_box_on_the_right_side() {
    let list = square(PrimitiveTopology::TriangleList, vec![0, 1, 2, 2, 1, 3]);
    let strip = square(PrimitiveTopology::TriangleStrip, vec![0, 1, 2, 3]);
    for mesh in [list, strip] {
        let mut app = app();
        let ground = Collider::trimesh_from_mesh(&mesh).expect("a sound mesh");
        spawn(&mut app, (RigidBody::Static, ground));
        let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.2, 0.7, 0.1)));
        run(&mut app, 64);
        assert_near(position(&app, cube), Vec3::new(0.2, 0.5, 0.1), 2e-3);
    }
}

#[test]
fn what_makes_no_collider_is_said() {
    use MeshColliderError as Error;
    let trimesh = |mesh: &Mesh| Collider::trimesh_from_mesh(mesh).expect_err("no collider");
    let hull = |mesh: &Mesh| Collider::convex_hull_from_mesh(mesh).expect_err("no collider");
    let list = PrimitiveTopology::TriangleList;
    assert_eq!(trimesh(&empty(list)), Error::NoPositions);
    assert_eq!(hull(&empty(list)), Error::NoPositions);
    assert_eq!(trimesh(&square(list, vec![0, 1, 4])), Error::NoVertex(4));
    assert_eq!(trimesh(&square(list, vec![0, 1, 2, 3])), Error::Incomplete(4));
    let lines = PrimitiveTopology::LineList;
    assert_eq!(trimesh(&square(lines, vec![0, 1])), Error::Topology(lines));
    assert!(matches!(hull(&square(list, vec![0, 1, 2])), Error::Shape(_)), "flat");
    let mut sent = square(list, vec![0, 1, 2]);
    sent.asset_usage = RenderAssetUsages::RENDER_WORLD;
    let _ = sent.take_gpu_data();
    assert_eq!((trimesh(&sent), hull(&sent)), (Error::Extracted, Error::Extracted));
}

#[test]
fn a_constructor_waits_for_its_mesh() {
    let mut app = app();
    app.add_plugins(AssetPlugin::default()).init_asset::<Mesh>();
    listen(&mut app);
    let handle = app.world().resource::<Assets<Mesh>>().reserve_handle();
    let constructor = (RigidBody::Dynamic, ColliderConstructor::ConvexHullFromMesh);
    let entity = spawn(&mut app, (constructor, Mass(1.0)));
    run(&mut app, 2);
    app.world_mut().entity_mut(entity).insert(Mesh3d(handle.clone()));
    run(&mut app, 2);
    assert!(app.world().get::<Collider>(entity).is_none(), "not loaded");
    let mesh = Cuboid::new(1.0, 2.0, 3.0).mesh().build();
    let mut meshes = app.world_mut().resource_mut::<Assets<Mesh>>();
    meshes.insert(&handle, mesh).expect("the handle is reserved");
    run(&mut app, 1);
    assert_eq!(body(&app, entity).expect("alive").colliders().list().len(), 1, "made");
    assert!(app.world().get::<ColliderConstructor>(entity).is_none(), "it goes");
    let flat = square(PrimitiveTopology::TriangleList, vec![0, 1, 2]);
    let flat = app.world_mut().resource_mut::<Assets<Mesh>>().add(flat);
    app.world_mut()
        .entity_mut(entity)
        .insert((Mesh3d(flat), ColliderConstructor::ConvexHullFromMesh));
    run(&mut app, 2);
    let errors = told(&mut app);
    assert!(
        matches!(errors[..], [PhysicsError { entity: named, error: PhysicsErrorKind::Mesh(_) }]
            if named == entity),
        "told once: {errors:?}"
    );
}

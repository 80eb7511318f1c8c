//! Colliders of everything below an entity, all at once.

use super::*;
use orthant::math::{PI, cos, sin};

/// Counts the events of a hierarchy.
#[derive(Resource, Default)]
struct Ready(Vec<Entity>);

fn scene_app() -> App {
    let mut app = app();
    app.init_resource::<Ready>();
    app.add_observer(|on: On<ColliderConstructorHierarchyReady>, mut ready: ResMut<Ready>| {
        ready.0.push(on.entity);
    });
    app
}

fn ready(app: &App) -> &[Entity] {
    &app.world().resource::<Ready>().0
}

fn child(app: &mut App, parent: Entity, bundle: impl Bundle) -> Entity {
    app.world_mut().spawn((bundle, ChildOf(parent))).id()
}

fn is_shaped(app: &App, entity: Entity) -> bool {
    app.world().get::<Collider>(entity).is_some()
}

/// Volume of the collider of an entity (m³).
fn volume(app: &App, entity: Entity) -> Real {
    app.world().get::<Collider>(entity).expect("constructed").mass_properties(1.0).mass
}

#[test]
fn everything_below_gets_its_collider_and_names_say_otherwise() {
    let mut app = scene_app();
    let layers = CollisionLayers::new(LayerMask(2), LayerMask(4));
    let colliders = ColliderConstructorHierarchy::new(ColliderConstructor::default())
        .with_default_layers(layers)
        .with_constructor_for_name("Wheel", ColliderConstructor::Sphere { radius: 0.5 })
        .with_density_for_name("Wheel", 20.0)
        .with_layers_for_name("Wheel", CollisionLayers::NONE)
        .without_constructor_for_name("Antenna");
    let car = spawn(&mut app, (RigidBody::Dynamic, Mass(1.0), colliders));
    run(&mut app, 2);
    assert!(ready(&app).is_empty(), "there is nothing below");
    let frame = child(&mut app, car, at(0.0, 1.0, 0.0));
    let wheel = child(&mut app, frame, Name::new("Wheel"));
    let antenna = child(&mut app, car, Name::new("Antenna"));
    let own = child(&mut app, car, (Name::new("Seat"), Collider::sphere(0.1)));
    let called = child(&mut app, car, (Name::new("Wheel"), Collider::sphere(0.1)));
    run(&mut app, 1);
    assert_eq!(ready(&app), [car], "told once");
    assert!(app.world().get::<ColliderConstructorHierarchy>(car).is_none(), "it goes");
    assert!(!is_shaped(&app, car) && !is_shaped(&app, antenna));
    assert!((volume(&app, frame) - 1.0).abs() < 1e-6, "a cube");
    assert_eq!(app.world().get::<CollisionLayers>(frame), Some(&layers));
    for wheel in [wheel, called] {
        let ball = Collider::sphere(0.5).mass_properties(1.0).mass;
        assert!((volume(&app, wheel) - ball).abs() < 1e-6, "a ball, also in place of another");
        assert_eq!(app.world().get::<ColliderDensity>(wheel), Some(&ColliderDensity(20.0)));
        assert_eq!(app.world().get::<CollisionLayers>(wheel), Some(&CollisionLayers::NONE));
    }
    assert!(volume(&app, own) < 0.01, "kept");
    let shapes = body(&app, car).expect("alive").colliders().list().len();
    assert_eq!(shapes, 4, "all belong to the body within the same step");
    run(&mut app, 3);
    assert_eq!(ready(&app).len(), 1, "and not again");
}

#[test]
fn what_is_below_another_hierarchy_is_left_to_it() {
    let mut app = scene_app();
    let outer = spawn(&mut app, ColliderConstructorHierarchy::new(ColliderConstructor::default()));
    let ball = ColliderConstructor::Sphere { radius: 0.5 };
    let inner = child(&mut app, outer, ColliderConstructorHierarchy::new(ball));
    let deep = child(&mut app, inner, Transform::default());
    run(&mut app, 1);
    assert!((volume(&app, inner) - 1.0).abs() < 1e-6, "a cube of the outer one");
    assert!(volume(&app, deep) < 0.6, "a ball of the inner one");
    assert_eq!(ready(&app).len(), 2);
}

#[test]
fn without_a_constructor_only_names_count() {
    let mut app = scene_app();
    let colliders = ColliderConstructorHierarchy::new(None)
        .with_constructor_for_name("Wall", ColliderConstructor::default())
        .with_density_for_name("Door", 2.0);
    let house = spawn(&mut app, colliders);
    let wall = child(&mut app, house, Name::new("Wall"));
    let door = child(&mut app, house, Name::new("Door"));
    run(&mut app, 1);
    assert!(is_shaped(&app, wall) && !is_shaped(&app, door), "a density makes no collider");
}

#[cfg(feature = "mesh")]
mod meshes {
    use super::*;
    use bevy_asset::{AssetApp, AssetPlugin, Assets, RenderAssetUsages};
    use bevy_mesh::{Mesh, Mesh3d, MeshBuilder, Meshable, PrimitiveTopology};
    use bevy_shape::Cuboid;

    fn mesh_app() -> App {
        let mut app = scene_app();
        app.add_plugins(AssetPlugin::default()).init_asset::<Mesh>();
        app
    }

    fn box_mesh() -> Mesh {
        Cuboid::new(1.0, 2.0, 3.0).mesh().build()
    }

    #[test]
    fn a_hierarchy_is_ready_when_pieces_made_in_the_background_are() {
        let mut app = mesh_app();
        listen(&mut app);
        let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(box_mesh());
        let pieces = ColliderConstructor::ConvexDecompositionFromMesh;
        let colliders = ColliderConstructorHierarchy::new(pieces.clone())
            .with_constructor_for_name("Hull", ColliderConstructor::ConvexHullFromMesh)
            .with_default_density(2.0);
        let root = spawn(&mut app, (RigidBody::Dynamic, colliders));
        let hull = child(&mut app, root, (Name::new("Hull"), Mesh3d(mesh.clone())));
        let later = child(&mut app, root, Mesh3d(mesh.clone()));
        let alone = spawn(&mut app, (pieces, Mesh3d(mesh)));
        run(&mut app, 1);
        assert!(is_shaped(&app, hull) && !is_shaped(&app, later) && ready(&app).is_empty());
        for entity in [later, alone] {
            made_in_the_background(&mut app, entity);
            assert!((volume(&app, entity) - 6.0).abs() < 1e-3, "the pieces of its mesh");
        }
        run(&mut app, 1);
        assert_eq!(ready(&app), [root], "told once");
        assert_eq!(app.world().get::<ColliderDensity>(later), Some(&ColliderDensity(2.0)));
        assert_eq!(told(&mut app), []);
    }

    #[test]
    fn colliders_come_when_all_meshes_are_loaded() {
        let mut app = mesh_app();
        listen(&mut app);
        let mut meshes = app.world_mut().resource_mut::<Assets<Mesh>>();
        let (here, late) = (meshes.add(box_mesh()), meshes.reserve_handle());
        let flat = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default());
        let flat = meshes.add(flat);
        let colliders = ColliderConstructorHierarchy::new(ColliderConstructor::ConvexHullFromMesh);
        let scene = spawn(&mut app, colliders);
        let first = child(&mut app, scene, Mesh3d(here));
        let last = child(&mut app, scene, Mesh3d(late.clone()));
        let broken = child(&mut app, scene, Mesh3d(flat));
        let bare = child(&mut app, scene, Transform::default());
        run(&mut app, 2);
        assert!(ready(&app).is_empty() && !is_shaped(&app, first), "one mesh is not loaded");
        let mut meshes = app.world_mut().resource_mut::<Assets<Mesh>>();
        meshes.insert(&late, box_mesh()).expect("the handle is reserved");
        run(&mut app, 1);
        assert_eq!(ready(&app), [scene]);
        for entity in [first, last] {
            assert!((volume(&app, entity) - 6.0).abs() < 1e-4, "the hull of its mesh");
        }
        assert!(!is_shaped(&app, bare) && !is_shaped(&app, broken));
        let errors = told(&mut app);
        assert!(
            matches!(errors[..], [PhysicsError { entity, error: PhysicsErrorKind::Mesh(_) }]
                if entity == broken),
            "{errors:?}"
        );
    }

    /// A scene of one named mesh, spawned by its root some frames later.
    #[cfg(feature = "scene")]
    #[test]
    fn a_scene_is_waited_for() {
        use bevy_world_serialization::*;
        let mut app = mesh_app();
        app.init_asset::<WorldAsset>().init_asset::<DynamicWorld>();
        app.init_resource::<WorldInstanceSpawner>();
        app.add_systems(Update, (world_instance_spawner, world_instance_spawner_system).chain());
        app.register_type::<Mesh3d>()
            .register_type::<ChildOf>()
            .register_type::<Children>()
            .register_type::<Name>()
            .register_type::<Transform>()
            .register_type::<bevy_transform::components::GlobalTransform>()
            .register_type::<bevy_transform::components::TransformTreeChanged>();
        let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(box_mesh());
        let mut world = World::new();
        let crate_ = world.spawn((Name::new("Crate"), Transform::default())).id();
        world.spawn((Mesh3d(mesh), Transform::default(), ChildOf(crate_)));
        let scene = app.world_mut().resource_mut::<Assets<WorldAsset>>().reserve_handle();
        let colliders = ColliderConstructorHierarchy::new(ColliderConstructor::ConvexHullFromMesh);
        let root = spawn(&mut app, (WorldAssetRoot(scene.clone()), colliders));
        // What is below already does not count as the scene.
        child(&mut app, root, Transform::default());
        run(&mut app, 3);
        assert!(ready(&app).is_empty(), "the scene is not loaded");
        let mut scenes = app.world_mut().resource_mut::<Assets<WorldAsset>>();
        scenes.insert(&scene, WorldAsset { world }).expect("the handle is reserved");
        run(&mut app, 8);
        assert_eq!(ready(&app), [root]);
        let mut shaped = app.world_mut().query_filtered::<Entity, With<Collider>>();
        let shaped: Vec<Entity> = shaped.iter(app.world()).collect();
        assert_eq!(shaped.len(), 1, "the mesh of the scene");
        assert!((volume(&app, shaped[0]) - 6.0).abs() < 1e-4);
    }

    /// A body that slides, one that falls, one of two shapes, one on a joint, and two on a joint between
    /// them, whose motor follows that of the first of them, each by its name.
    #[cfg(all(feature = "scene", feature = "serialize"))]
    fn for_a_scene(app: &mut App) {
        let ice = Friction::new(0.25).with_combine_rule(CoefficientCombine::Min);
        let slides = (Name::new("slides"), LinearVelocity(Vec3::X * 2.0), ice);
        spawn(app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0), slides));
        let hull = ColliderConstructor::Cuboid { x_length: 1.0, y_length: 1.0, z_length: 1.0 };
        spawn(app, (RigidBody::Dynamic, hull, at(4.0, 3.0, 0.0), Name::new("falls")));
        let of_two = spawn(app, (RigidBody::Dynamic, at(8.0, 2.0, 0.0), Name::new("of two")));
        child(app, of_two, (Collider::sphere(0.25), at(-0.5, 0.0, 0.0), ColliderDensity(2.0)));
        child(app, of_two, (Collider::capsule(0.25, 0.5), at(0.5, 0.0, 0.0)));
        let spin = (AngularVelocity(Vec3::Y), GravityScale(0.5), Name::new("swings"));
        let bob = spawn(app, (RigidBody::Dynamic, cube(), at(1.0, 6.0, 5.0), spin));
        let hinge = Joint::spherical(None, Some(bob)).with_anchor(Vec3::new(0.0, 6.0, 5.0));
        app.world_mut().spawn((hinge, Name::new("hinge")));
        let [arm, hand] = [("arm", 0.5), ("hand", 1.5)].map(|(name, x)| {
            let rod = (RigidBody::Dynamic, Collider::cuboid(0.9, 0.1, 0.1), at(x, 4.0, -5.0));
            spawn(app, (rod, Name::new(name)))
        });
        let end = Vec3::X * 0.5;
        let shoulder = Joint::hinge(None, arm).with_local_axes(Vec3::Z, Vec3::Z);
        let shoulder = shoulder.with_anchors(Vec3::new(0.0, 4.0, -5.0), -end);
        let shoulder = spawn(app, shoulder.with_motor(Motor::velocity(1.0, 20.0)));
        let elbow =
            Joint::hinge(arm, hand).with_local_axes(Vec3::Z, Vec3::Z).with_anchors(end, -end);
        let follows = MotorCoupling::new(shoulder, JointAxis::AngularX, 1.5).with_max_speed(9.0);
        spawn(app, (elbow.with_motor(Motor::velocity(0.0, 20.0)), follows));
    }

    /// Bodies of which nothing is left but what a scene file holds go on as if they had never left: a file as
    /// Bevy writes them, and one of JSON, which knows no infinity.
    #[cfg(all(feature = "scene", feature = "serialize"))]
    #[test]
    fn a_scene_is_written_to_a_file_and_read_back() {
        kept::FORMATS.into_iter().for_each(through_a_file);
    }

    #[cfg(all(feature = "scene", feature = "serialize"))]
    fn through_a_file(format: &str) {
        use bevy_asset::AssetServer;
        use bevy_ecs::entity::EntityHashMap;
        use bevy_ecs::reflect::AppTypeRegistry;
        use bevy_transform::components::{GlobalTransform, TransformTreeChanged};
        use bevy_world_serialization::serde::{DynamicWorldSerializer, WorldDeserializer};
        use bevy_world_serialization::*;

        let scene_app = || {
            let mut app = mesh_app();
            app.register_type::<ChildOf>().register_type::<Children>();
            app.register_type::<Name>().register_type::<Transform>();
            listen(&mut app);
            app
        };
        let mut app = scene_app();
        floor(&mut app);
        for_a_scene(&mut app);
        run(&mut app, 10);

        let registry = app.world().resource::<AppTypeRegistry>().clone();
        let scene = DynamicWorldBuilder::from_world(app.world(), &registry.read())
            .deny_component::<GlobalTransform>()
            .deny_component::<TransformTreeChanged>()
            .extract_entities(app.world().iter_entities().map(|entity| entity.id()))
            .remove_empty_entities()
            .build();
        let file = kept::write_as(format, &DynamicWorldSerializer::new(&scene, &registry.read()));
        let file = file.expect("all that is written can be");

        let mut other = scene_app();
        let registry = other.world().resource::<AppTypeRegistry>().clone();
        let mut server = other.world().resource::<AssetServer>().clone();
        let seed =
            WorldDeserializer { type_registry: &registry.read(), load_from_path: &mut server };
        let read = kept::read_as(format, &file, seed).expect("all that was written can be read");
        let mut map = EntityHashMap::default();
        read.write_to_world(other.world_mut(), &mut map).expect("and be spawned");
        let leader = |app: &mut App| {
            let mut couplings = app.world_mut().query::<&MotorCoupling>();
            couplings.single(app.world()).expect("one motor follows").leader
        };
        assert_eq!(leader(&mut other), map[&leader(&mut app)], "the joint that it followed");

        let names = ["slides", "falls", "of two", "swings", "arm", "hand"];
        let places = |app: &mut App| {
            let mut all = app.world_mut().query::<(&Name, &Transform, &ComputedMass)>();
            let all: Vec<_> = all.iter(app.world()).collect();
            names.map(|name| {
                let found = all.iter().find(|found| found.0.as_str() == name);
                let (_, place, mass) = found.unwrap_or_else(|| panic!("{name} is not there"));
                (place.translation, **mass)
            })
        };
        // One update takes up what is new.
        for steps in [1, 30, 60] {
            run(&mut app, steps);
            run(&mut other, steps);
            for (name, (a, b)) in names.iter().zip(places(&mut app).iter().zip(places(&mut other)))
            {
                let apart = (a.0 - b.0).length();
                assert!(apart < 1e-3, "{name} is {apart} m from where it would be: {a:?}, {b:?}");
                assert_eq!(a.1, b.1, "{name} is as heavy as it was");
            }
            assert!(told(&mut other).is_empty(), "nothing is wrong");
        }
        assert_eq!(report(&other).joints, 3, "all joints hold");
    }
}

/// A closed surface of boxes without common faces: a vessel of 3 m × 3 m × 3 m with walls of 1 m and a shaft
/// of 1 m × 1 m × 2 m from above.
fn vessel() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    // A square of four corners, from two edges of one of them, seen from outside.
    let mut square = |corner: Vec3, u: Vec3, v: Vec3| {
        let first = vertices.len() as u32;
        vertices.extend([corner, corner + u, corner + u + v, corner + v]);
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    };
    let (x, y, z) = (Vec3::X * 3.0, Vec3::Y * 3.0, Vec3::Z * 3.0);
    square(Vec3::ZERO, x, z);
    square(Vec3::ZERO, y, x);
    square(z, x, y);
    square(Vec3::ZERO, z, y);
    square(x, y, z);
    // The shaft: its bottom and its sides, seen from inside the shaft.
    let low = Vec3::new(1.0, 1.0, 1.0);
    let (a, b, up) = (Vec3::X, Vec3::Z, Vec3::Y * 2.0);
    square(low, b, a);
    square(low, a, up);
    square(low + b, up, a);
    square(low, up, b);
    square(low + a, b, up);
    // The rim: four rectangles around the hole.
    square(y, z, Vec3::X);
    square(y + Vec3::X * 2.0, z, Vec3::X);
    square(y + Vec3::X, Vec3::Z, Vec3::X);
    square(y + Vec3::X + Vec3::Z * 2.0, Vec3::Z, Vec3::X);
    (vertices, triangles)
}

/// A hull would close the shaft; pieces leave it open, for a dynamic vessel, too.
#[test]
fn a_ball_falls_into_a_vessel_of_convex_pieces() {
    let (vertices, triangles) = vessel();
    let pieces = Collider::convex_decomposition(&vertices, &triangles).expect("a sound surface");
    // 27 m³ less the shaft. Of each piece a twentieth at most is outside, and boxes share faces only.
    let mass = pieces.mass_properties(1.0).mass;
    assert!((25.0 * 0.999..25.0 / 0.95).contains(&mass), "{mass} m³");
    let mut app = app();
    floor(&mut app);
    let vessel = spawn(&mut app, (RigidBody::Dynamic, pieces, at(-1.5, 0.0, -1.5)));
    let ball = spawn(&mut app, (RigidBody::Dynamic, Collider::sphere(0.4), at(0.0, 3.5, 0.0)));
    run(&mut app, 180);
    let (ball, vessel) = (position(&app, ball), position(&app, vessel));
    assert!((ball.y - 1.4).abs() < 0.05, "on the ground of the shaft: {ball}");
    assert!(vessel.length() < 2.2, "the vessel stands: {vessel}");
}

/// A torus keeps its hole, and its pieces stay near its surface.
#[test]
fn a_ring_keeps_its_hole() {
    let (around, across) = (48_u32, 24_u32);
    let angle = |i: u32, n: u32| 2.0 * PI * i as Real / n as Real;
    let turned = |radius: Real, angle: Real| (radius * cos(angle), radius * sin(angle));
    let vertex = |i: u32| {
        let (out, y) = turned(0.5, angle(i % across, across));
        let (x, z) = turned(1.5 + out, angle(i / across, around));
        Vec3::new(x, y, z)
    };
    let vertices: Vec<Vec3> = (0..around * across).map(vertex).collect();
    let at = |i: u32, k: u32| (i % around) * across + k % across;
    let quad = |i: u32, k: u32| {
        let [a, b, c, d] = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
        [[a, b, c], [a, c, d]]
    };
    let triangles: Vec<[u32; 3]> =
        (0..around).flat_map(|i| (0..across).flat_map(move |k| quad(i, k))).collect();
    let pieces = Collider::convex_decomposition(&vertices, &triangles).expect("a sound surface");
    let shape = pieces.shape().expect("sound");
    let volume = 2.0 * PI.powi(2) * 1.5 * 0.25;
    let mass = shape.mass_properties(1.0).mass;
    assert!((0.9..1.1).contains(&(mass / volume)), "{mass} of {volume} m³");
    assert!(shape.pieces().len() <= 64);
    let mut app = app();
    without_gravity(&mut app);
    spawn(&mut app, (RigidBody::Static, pieces));
    let through = (RigidBody::Dynamic, Collider::sphere(0.8), LinearVelocity(Vec3::NEG_Y * 5.0));
    let ball = spawn(&mut app, (through, at_y(3.0)));
    run(&mut app, 64);
    assert_near(velocity(&app, ball), Vec3::NEG_Y * 5.0, 1e-4);
    assert!(position(&app, ball).y < -1.0, "through the hole");
}

/// Steps until there is a collider; how far it was after each step.
fn made_in_the_background(app: &mut App, entity: Entity) -> Vec<f32> {
    let mut progress = Vec::new();
    let start = std::time::Instant::now();
    while !is_shaped(app, entity) {
        assert!(start.elapsed().as_secs() < 300, "it never comes: {progress:?}");
        std::thread::sleep(std::time::Duration::from_millis(1));
        run(app, 1);
        progress.extend(app.world().get::<DecompositionProgress>(entity).map(|part| part.0));
    }
    progress
}

#[test]
fn convex_pieces_come_in_the_background() {
    let mut app = app();
    listen(&mut app);
    app.init_resource::<Ready>();
    app.add_observer(|on: On<ConvexDecompositionReady>, mut ready: ResMut<Ready>| {
        ready.0.push(on.entity);
    });
    let (vertices, triangles) = vessel();
    let at_once = Collider::convex_decomposition(&vertices, &triangles).expect("a sound surface");
    let fine = DecompositionConfig { resolution: 48, ..DecompositionConfig::default() };
    let surface = ConvexDecomposition::new(vertices, triangles);
    // Another one that is finer, and gives way to this.
    let finer = surface.clone().with_config(DecompositionConfig { resolution: 128, ..fine });
    let vessel = spawn(&mut app, (RigidBody::Dynamic, finer));
    let done =
        |app: &App| app.world().get::<DecompositionProgress>(vessel).map_or(0.0, |part| part.0);
    run(&mut app, 1);
    while done(&app) == 0.0 {
        assert!(!is_shaped(&app, vessel), "the step does not wait, and how far it is is seen");
        std::thread::sleep(std::time::Duration::from_millis(1));
        run(&mut app, 1);
    }
    assert!(done(&app) < 1.0, "it is under way");
    app.world_mut().entity_mut(vessel).insert(surface.clone().with_config(fine));
    made_in_the_background(&mut app, vessel);
    assert_eq!(ready(&app), [vessel], "told once");
    assert!(body(&app, vessel).is_some(), "a body with the same step");
    let world = app.world();
    assert!(world.get::<ConvexDecomposition>(vessel).is_none(), "it goes");
    assert!(world.get::<DecompositionProgress>(vessel).is_none(), "with its progress");
    // As coarse as by default it is what is made at once.
    let same = spawn(&mut app, surface.clone());
    let progress = made_in_the_background(&mut app, same);
    assert!(progress.is_sorted() && progress.iter().all(|part| (0.0..=1.0).contains(part)));
    let same = app.world().get::<Collider>(same).expect("made");
    assert_eq!(same.shape(), at_once.shape());
    assert_eq!(told(&mut app), [], "no body was missed while its pieces were made");
    // Taken away it makes nothing.
    let gone = spawn(&mut app, surface);
    run(&mut app, 1);
    app.world_mut().entity_mut(gone).remove::<ConvexDecomposition>();
    run(&mut app, 5);
    assert!(app.world().get::<DecompositionProgress>(gone).is_none());
    assert!(!is_shaped(&app, gone) && ready(&app).len() == 2);
}

#[test]
fn a_surface_without_pieces_is_told_from_the_background() {
    let mut app = app();
    listen(&mut app);
    let flat = ConvexDecomposition::new([Vec3::ZERO, Vec3::X, Vec3::Y], [[0, 1, 2]]);
    let entity = spawn(&mut app, (RigidBody::Dynamic, flat));
    let start = std::time::Instant::now();
    while app.world().get::<ConvexDecomposition>(entity).is_some() {
        assert!(start.elapsed().as_secs() < 300, "it never ends");
        run(&mut app, 1);
    }
    let errors = told(&mut app);
    let [PhysicsError { entity: of, error: PhysicsErrorKind::Shape(_) }] = &errors[..] else {
        panic!("one error about the shape, not {errors:?}");
    };
    assert_eq!(*of, entity);
}

fn at_y(y: f32) -> Transform {
    at(0.0, y, 0.0)
}

#[test]
fn what_has_no_pieces_is_said() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
    assert!(Collider::convex_decomposition(corners, [[0, 1, 2]]).is_err(), "flat");
    assert!(Collider::convex_decomposition(corners, [[0, 1, 7]]).is_err(), "no such vertex");
    let nan = [Vec3::ZERO, Vec3::X, Vec3::Y * Real::NAN, Vec3::Z];
    assert!(Collider::convex_decomposition(nan, [[0, 1, 3], [0, 1, 2]]).is_err(), "not finite");
}

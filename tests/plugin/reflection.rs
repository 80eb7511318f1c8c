//! Reflection: what users see is in the type registry, and can be made and inserted from there.

use super::*;
use bevy_ecs::reflect::{AppTypeRegistry, ReflectComponent, ReflectResource};
use bevy_reflect::std_traits::ReflectDefault;

/// Links between entities and the engine. A scene that wrote them would tie entities to bodies of another
/// world.
const LINKS: [&str; 6] = [
    "ColliderAncestor",
    "ColliderOf",
    "EngineBody",
    "EngineJoint",
    "PendingForces",
    "PhysicsWorld",
];

/// Public types of the plugin that derive one of these, from its source.
fn public(derives: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/plugin")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("the source").flatten().map(|e| e.path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(path).expect("source files are text");
            let mut derived = String::new();
            for line in text.lines() {
                if line.starts_with("#[derive(") {
                    derived = line.to_owned();
                }
                let name = ["pub struct ", "pub enum "].iter().find_map(|k| line.strip_prefix(k));
                let Some(name) = name else { continue };
                let name: String = name.chars().take_while(|c| c.is_alphanumeric()).collect();
                if derives.iter().any(|derive| derived.contains(derive)) {
                    found.push(name);
                }
                derived.clear();
            }
        }
    }
    found.sort();
    found
}

fn registry() -> (App, AppTypeRegistry) {
    let mut app = app();
    app.add_plugins(PhysicsDiagnosticsPlugin);
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    (app, registry)
}

/// Adds the plugins of features that are built; what each brings, and whether it is.
fn with_all_features(app: &mut App) -> [(&'static [&'static str], bool); 4] {
    #[cfg(feature = "debug")]
    app.init_resource::<bevy_asset::Assets<bevy_gizmos::GizmoAsset>>()
        .add_plugins(PhysicsDebugPlugin);
    #[cfg(feature = "panel")]
    app.add_plugins(PhysicsPanelPlugin);
    #[cfg(feature = "picking")]
    app.add_plugins(PhysicsPickingPlugin);
    let _ = app;
    [
        (&["DebugRender"], cfg!(feature = "debug")),
        (&["PhysicsPanel"], cfg!(feature = "panel")),
        (
            &["PhysicsPickable", "PhysicsPickingFilter", "PhysicsPickingSettings"],
            cfg!(feature = "picking"),
        ),
        (&["UrdfVisual"], cfg!(feature = "urdf")),
    ]
}

#[test]
fn everything_that_users_see_is_registered() {
    let (mut app, registry) = registry();
    let built = with_all_features(&mut app);
    let registry = registry.read();
    let all = public(&["Component", "Resource", "Message", "Event"]);
    assert!(all.len() > 60, "the source was not read: {all:?}");
    let is_built = |name: &&String| {
        built.iter().all(|(names, built)| *built || !names.contains(&name.as_str()))
    };
    for name in all.iter().filter(is_built) {
        let found = registry.get_with_short_type_path(name);
        assert_eq!(found.is_some(), !LINKS.contains(&name.as_str()), "{name} in the registry");
        let Some(found) = found else { continue };
        if public(&["Component"]).contains(name) {
            assert!(found.data::<ReflectComponent>().is_some(), "{name} cannot be inserted");
        }
        if public(&["Resource"]).contains(name) {
            assert!(found.data::<ReflectResource>().is_some(), "{name} is no resource");
        }
    }
    for link in LINKS {
        assert!(all.iter().any(|name| name == link), "{link} is not there any more");
    }
}

#[test]
fn defaults_can_be_inserted_from_the_registry() {
    let (mut app, registry) = registry();
    let mut made = 0;
    for name in public(&["Component"]) {
        let registration = registry.read().get_with_short_type_path(&name).cloned();
        let Some(registration) = registration else { continue };
        let Some(default) = registration.data::<ReflectDefault>() else { continue };
        let insert = registration.data::<ReflectComponent>().expect("a component").clone();
        let value = default.default();
        let entity = spawn(&mut app, (RigidBody::Dynamic, cube(), at(3.0 * made as f32, 0.0, 0.0)));
        let mut entity = app.world_mut().entity_mut(entity);
        insert.insert(&mut entity, value.as_partial_reflect(), &registry.read());
        // A constructor becomes a collider at once.
        assert!(
            insert.contains(&entity) || name == "ColliderConstructor",
            "{name} was not inserted"
        );
        made += 1;
    }
    assert!(made > 40, "only {made} components have a default");
    run(&mut app, 3);
}

#[test]
fn the_report_is_read_field_by_field() {
    let (mut app, _) = registry();
    floor(&mut app);
    spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0)));
    run(&mut app, 2);
    let report = report(&app);
    let reflected: &dyn bevy_reflect::Reflect = report;
    let bevy_reflect::ReflectRef::TupleStruct(outer) = reflected.reflect_ref() else {
        panic!("the report is a tuple struct")
    };
    let inner = outer.field(0).expect("the engine's report").reflect_ref();
    let bevy_reflect::ReflectRef::Struct(inner) = inner else { panic!("it has fields") };
    let contacts = inner.field("contacts").expect("a field").try_downcast_ref::<u32>();
    assert_eq!(contacts, Some(&report.contacts));
    assert_eq!(contacts, Some(&4), "a cube on a floor");
}

//! Files keep what the registry has: each component, resource and enum is written and read by reflection, as
//! RON and as JSON, which knows no infinity.

use super::*;
use ::serde::de::DeserializeSeed;
use bevy_ecs::reflect::{AppTypeRegistry, ReflectComponent, ReflectResource};
use bevy_reflect::enums::{DynamicEnum, DynamicVariant, VariantInfo};
use bevy_reflect::serde::{TypedReflectDeserializer, TypedReflectSerializer};
use bevy_reflect::std_traits::ReflectDefault;
use bevy_reflect::structs::DynamicStruct;
use bevy_reflect::tuple::DynamicTuple;
use bevy_reflect::{PartialReflect, Reflect, ReflectFromReflect, ReflectMut};
use bevy_reflect::{TypeInfo, TypeRegistration, TypeRegistry};

/// Makes each number of a value another, finite ones with a fraction of many digits.
fn turn(value: &mut dyn PartialReflect, turned: &mut u8) {
    let mut next = |value: Option<&mut dyn PartialReflect>| turn(value.expect("a part"), turned);
    match value.reflect_mut() {
        ReflectMut::Struct(x) => (0..x.field_len()).for_each(|k| next(x.field_at_mut(k))),
        ReflectMut::TupleStruct(x) => (0..x.field_len()).for_each(|k| next(x.field_mut(k))),
        ReflectMut::Tuple(x) => (0..x.field_len()).for_each(|k| next(x.field_mut(k))),
        ReflectMut::Enum(x) => (0..x.field_len()).for_each(|k| next(x.field_at_mut(k))),
        ReflectMut::Array(x) => (0..x.len()).for_each(|k| next(x.get_mut(k))),
        ReflectMut::List(x) => (0..x.len()).for_each(|k| next(x.get_mut(k))),
        ReflectMut::Opaque(x) => {
            if let Some(number) = x.try_downcast_mut::<f32>() {
                *number += 0.1 + 0.1 * f32::from(*turned);
            } else if let Some(number) = x.try_downcast_mut::<f64>() {
                *number += 0.1 + 0.1 * f64::from(*turned);
            } else if let Some(number) = x.try_downcast_mut::<u32>() {
                *number ^= 1 << (*turned % 32);
            } else if let Some(is) = x.try_downcast_mut::<bool>() {
                *is = !*is;
            } else {
                return;
            }
            *turned += 1;
        }
        ReflectMut::Map(_) | ReflectMut::Set(_) => {}
    }
}

/// A value of each variant of an enum, its fields by default; none of those with a field that has none.
fn variants(kind: &TypeRegistration, registry: &TypeRegistry) -> Vec<Box<dyn Reflect>> {
    let TypeInfo::Enum(info) = kind.type_info() else { return Vec::new() };
    let default = |id| Some(registry.get_type_data::<ReflectDefault>(id)?.default());
    let make = |variant: &VariantInfo| {
        let fields = match variant {
            VariantInfo::Unit(_) => DynamicVariant::Unit,
            VariantInfo::Tuple(fields) => {
                let mut made = DynamicTuple::default();
                for field in fields.iter() {
                    made.insert_boxed(default(field.type_id())?.into_partial_reflect());
                }
                DynamicVariant::Tuple(made)
            }
            VariantInfo::Struct(fields) => {
                let mut made = DynamicStruct::default();
                for field in fields.iter() {
                    let value = default(field.type_id())?.into_partial_reflect();
                    made.insert_boxed(field.name(), value);
                }
                DynamicVariant::Struct(made)
            }
        };
        kind.data::<ReflectFromReflect>()?.from_reflect(&DynamicEnum::new(variant.name(), fields))
    };
    info.iter().filter_map(make).collect()
}

/// Formats of files.
pub(super) const FORMATS: [&str; 2] = ["RON", "JSON"];

pub(super) fn write_as(format: &str, value: &impl ::serde::Serialize) -> Result<String, String> {
    match format {
        "RON" => ron::to_string(value).map_err(|error| error.to_string()),
        _ => serde_json::to_string(value).map_err(|error| error.to_string()),
    }
}

/// What a file says, and nothing more.
pub(super) fn read_as<'a, S: DeserializeSeed<'a>>(
    format: &str,
    file: &'a str,
    seed: S,
) -> Result<S::Value, String> {
    if format == "RON" {
        let mut reader = ron::Deserializer::from_str(file).map_err(|error| error.to_string())?;
        let read = seed.deserialize(&mut reader).map_err(|error| error.to_string())?;
        reader.end().map(|()| read).map_err(|error| error.to_string())
    } else {
        let mut reader = serde_json::Deserializer::from_str(file);
        let read = seed.deserialize(&mut reader).map_err(|error| error.to_string())?;
        reader.end().map(|()| read).map_err(|error| error.to_string())
    }
}

/// What is made of a file.
fn read(
    format: &str,
    file: &str,
    kind: &TypeRegistration,
    registry: &TypeRegistry,
) -> Result<Box<dyn Reflect>, String> {
    let read = read_as(format, file, TypedReflectDeserializer::new(kind, registry))?;
    let make = kind.data::<ReflectFromReflect>().expect("made of what was read");
    make.from_reflect(&*read).ok_or_else(|| "it is not made again".into())
}

/// Writes a value and reads it back; what was written, and what is made of it.
fn there_and_back(
    format: &str,
    value: &dyn Reflect,
    registry: &TypeRegistry,
) -> (String, Box<dyn Reflect>) {
    let name = value.reflect_type_path();
    let kind = registry.get(value.type_id()).expect("registered");
    let file = write_as(format, &TypedReflectSerializer::new(value, registry));
    let file = file.unwrap_or_else(|error| panic!("{name} is not written: {error}"));
    let back = read(format, &file, kind, registry);
    (file.clone(), back.unwrap_or_else(|error| panic!("{name} is not read: {error}: {file}")))
}

/// Holds a value to what a file makes of it, in all formats.
fn is_kept(value: &dyn Reflect, registry: &TypeRegistry) -> Box<dyn Reflect> {
    let kept = FORMATS.map(|format| {
        let (file, back) = there_and_back(format, value, registry);
        // Colliders tell no equality; what they are told as has all numbers.
        let same = value.reflect_partial_eq(&*back);
        let same = same.unwrap_or_else(|| format!("{value:?}") == format!("{back:?}"));
        assert!(same, "{}: {value:?} became {back:?}: {file}", value.reflect_type_path());
        back
    });
    let [back, _] = kept;
    back
}

#[test]
fn what_is_in_the_registry_is_kept_by_files() {
    let mut app = app();
    app.add_plugins(PhysicsDiagnosticsPlugin);
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let (mut values, mut variants_made) = (Vec::new(), 0);
    for kind in registry.iter().filter(|x| x.type_info().type_path().starts_with("orthant::")) {
        let found = variants(kind, &registry);
        variants_made += found.len();
        values.extend(found);
        let is_kept =
            kind.data::<ReflectComponent>().is_some() || kind.data::<ReflectResource>().is_some();
        let default = kind.data::<ReflectDefault>().filter(|_| is_kept);
        values.extend(default.map(|default| default.default()));
    }
    let (defaults, mut others) = (values.len() - variants_made, 0);
    for mut value in values {
        for round in 0..2 {
            let back = is_kept(&*value, &registry);
            if round == 0 {
                let mut turned = 0;
                turn(value.as_partial_reflect_mut(), &mut turned);
                others +=
                    usize::from(turned > 0 && value.reflect_partial_eq(&*back) == Some(false));
            }
        }
    }
    println!("{defaults} defaults, {variants_made} variants, {others} of other numbers");
    assert!(defaults > 60 && variants_made > 40 && others > 60, "not all of it was looked at");
}

/// Numbers that may be infinite, all of them so.
fn without_bounds() -> Vec<Box<dyn Reflect>> {
    use orthant::engine::joint::AxisLimit;
    use orthant::engine::settings::{ActiveEvents, Settings};
    const NONE: Real = Real::INFINITY;
    let (a, b) = (Entity::from_raw_u32(3), Entity::from_raw_u32(4));
    let ends = [a, b].map(|end| end.expect("a name"));
    let hinge = Joint::hinge(ends[0], ends[1]);
    let hinge = hinge.with_limits(-NONE, 1.0).with_motor(Motor::velocity(3.0, NONE));
    let slide = Joint::prismatic(ends[0], ends[1]).with_limits(0.5, NONE);
    let slide = slide.with_motor(Motor::spring(1.0, 100.0, 5.0));
    let mut rope = Joint::distance(ends[0], ends[1], 1.0);
    rope.kind = JointKind::Distance { min: 1.0, max: NONE };
    let mut contacts = ContactConfig(Settings::papers(0.9, 0.3, 0.1, 0.1, 0.1, 8).contact);
    if let ActiveEvents::Enumerated { delta_max, .. } = &mut contacts.active {
        *delta_max = NONE;
    }
    let mut solver = SolverConfig(Settings::default().solver);
    solver.tolerance = f64::INFINITY;
    solver.work_max = f64::INFINITY;
    solver.impact_speed_max = f64::INFINITY;
    let wheel = Wheel { brake_force: NONE, ..Wheel::new(Vec3::X, 0.3) };
    let mut shape = ShapeCaster::new(cube(), Vec3::X, Quat::IDENTITY, bevy_math::Dir3::X);
    shape.config.max_distance = NONE;
    vec![
        Box::new(hinge),
        Box::new(slide),
        Box::new(rope),
        Box::new(rope.kind),
        Box::new(Motor::velocity(1.0, NONE)),
        Box::new(AxisLimit { min: -NONE, max: NONE }),
        Box::new(contacts),
        Box::new(contacts.0),
        Box::new(contacts.active),
        Box::new(solver),
        Box::new(solver.0),
        Box::new(MaxLinearSpeed(NONE)),
        Box::new(MaxAngularSpeed(NONE)),
        Box::new(PoseController { max_force: NONE, max_torque: NONE, ..PoseController::default() }),
        Box::new(MouseJoint { max_force: NONE, ..MouseJoint::default() }),
        Box::new(CharacterController {
            acceleration: NONE,
            air_acceleration: NONE,
            push_force: NONE,
            ..CharacterController::default()
        }),
        Box::new(RaycastVehicle::new([wheel; 2])),
        Box::new(RayCaster::default().with_max_distance(NONE)),
        Box::new(shape),
    ]
}

#[test]
fn numbers_without_a_bound_are_kept_by_files() {
    let app = app();
    let registry = app.world().resource::<AppTypeRegistry>().read();
    for value in without_bounds() {
        is_kept(&*value, &registry);
        let name = value.reflect_type_path();
        let (ron, _) = there_and_back(FORMATS[0], &*value, &registry);
        let (json, _) = there_and_back(FORMATS[1], &*value, &registry);
        assert!(ron.contains("inf") && json.contains("null"), "{name} has some: {ron}, {json}");
    }
    // Without reflection, too.
    let motor = Motor::velocity(2.0, Real::INFINITY);
    let file = serde_json::to_string(&motor).expect("written");
    assert_eq!(serde_json::from_str::<Motor>(&file).expect("read"), motor, "{file}");
    let file = serde_json::to_value(SolverConfig::default()).expect("written");
    let read = serde_json::from_value::<SolverConfig>(file).expect("read");
    assert_eq!(read, SolverConfig::default());
}

/// Files that were written before are read, by whatever wrote them, and what is missing or misspelled is
/// told of as before.
#[test]
fn older_files_are_read() {
    let app = app();
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let motor = Motor::velocity(2.0, 50.0);
    let limit = AxisLimit { min: Real::NEG_INFINITY, max: 1.5 };
    let is = |format, file: &str, value: &dyn Reflect| {
        let kind = registry.get(value.type_id()).expect("registered");
        let back = read(format, file, kind, &registry);
        let back = back.unwrap_or_else(|error| panic!("{file} is not read: {error}"));
        assert_eq!(value.reflect_partial_eq(&*back), Some(true), "{file} is {back:?}");
    };
    for (damping, force) in [("inf", "50.0"), ("None", "Some(50.0)"), ("inf", "50"), ("()", "5e1")]
    {
        let rest = "velocity: 2.0, position: 0, stiffness: 0.0";
        is("RON", &format!("({rest}, damping: {damping}, max_force: {force})"), &motor);
    }
    is("RON", "(min: -inf, max: 1.5)", &limit);
    is("RON", "(min: None, max: Some(1.5))", &limit);
    is("JSON", r#"{"min": null, "max": 1.5}"#, &limit);
    is("RON", "(inf)", &MaxLinearSpeed::default());
    is("RON", "(20.0)", &MaxLinearSpeed(20.0));
    is("RON", "((push_speed_max: inf, gamma: 0.5))", &{
        let mut contacts = ContactConfig::default();
        (contacts.push_speed_max, contacts.gamma) = (Real::INFINITY, 0.5);
        contacts
    });
    is("RON", "(max_force: 7.0)", &MouseJoint { max_force: 7.0, ..MouseJoint::default() });
    for (file, value) in [
        ("(min: 0.0)", &limit as &dyn Reflect),
        ("(min: 0.0, max: 1.0, most: 2.0)", &limit),
        ("((push_sped_max: 1.0))", &ContactConfig::default()),
        ("(largest_force: 7.0)", &MouseJoint::default()),
    ] {
        let kind = registry.get(value.type_id()).expect("registered");
        assert!(read("RON", file, kind, &registry).is_err(), "{file} is taken");
    }
}

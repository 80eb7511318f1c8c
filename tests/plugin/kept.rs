//! Files keep what the registry has: each component, resource and enum is written and read by reflection.

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

/// Writes a value and reads it back; what was written, and what is made of it.
fn there_and_back(value: &dyn Reflect, registry: &TypeRegistry) -> (String, Box<dyn Reflect>) {
    let name = value.reflect_type_path();
    let kind = registry.get(value.type_id()).expect("registered");
    let file = ron::to_string(&TypedReflectSerializer::new(value, registry));
    let file = file.unwrap_or_else(|error| panic!("{name} is not written: {error}"));
    let mut reader = ron::Deserializer::from_str(&file).expect("a file");
    let read = TypedReflectDeserializer::new(kind, registry).deserialize(&mut reader);
    let read = read.unwrap_or_else(|error| panic!("{name} is not read: {error}: {file}"));
    reader.end().unwrap_or_else(|error| panic!("{name}: more was written: {error}: {file}"));
    let make = kind.data::<ReflectFromReflect>().expect("made of what was read");
    let made = make.from_reflect(&*read);
    (file.clone(), made.unwrap_or_else(|| panic!("{name} is not made again: {file}")))
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
            let (file, back) = there_and_back(&*value, &registry);
            // Colliders tell no equality; what they are told as has all numbers.
            let same = value.reflect_partial_eq(&*back);
            let same = same.unwrap_or_else(|| format!("{value:?}") == format!("{back:?}"));
            assert!(same, "{}: {value:?} became {back:?}: {file}", value.reflect_type_path());
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

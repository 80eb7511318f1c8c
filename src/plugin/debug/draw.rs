//! What is drawn: bodies, contacts, casters.

use bevy_color::{Color, Oklcha};
use bevy_ecs::prelude::*;
use bevy_gizmos::prelude::Gizmos;
use bevy_math::Vec3;
use bevy_transform::components::GlobalTransform;

use super::outline::Pen;
use super::{DebugRender, PhysicsGizmos, ShapeShade};
use crate::engine::body::{Body, BodyKind};
use crate::engine::collider::Collider;
use crate::math::{
    self, Real, from_single_quat, from_single3, narrow3, quat_mul, quat_normalize, quat_rotate,
    single3, tangents, widen,
};
use crate::plugin::origin::FloatingOrigin;
use crate::plugin::spatial::{RayCaster, RayHits, ShapeCaster, ShapeHits};
use crate::plugin::world::{PhysicsWorld, entity_of};

pub(super) type Lines<'w, 's> = Gizmos<'w, 's, PhysicsGizmos>;

/// Size of crosses (m).
pub(super) const CROSS: f32 = 0.04;
/// Gaps beyond this (m) are drawn as this.
const GAP_MAX: Real = 0.1;
/// Sides of a cone, steps of an arc.
pub(super) const SIDES: u8 = 12;
/// Angle (rad) between the colors of one island and the next.
const HUE: f32 = 137.508;

/// A cross of this half size (m).
pub(super) fn cross(lines: &mut Lines, at: math::Vec3, size: f32, color: Color) {
    let at = single3(at);
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        lines.line(at - axis * size, at + axis * size, color);
    }
}

/// Shapes, boxes, centers of mass and velocities.
pub(super) fn bodies(
    mut lines: Lines,
    physics: Res<PhysicsWorld>,
    origin: Res<FloatingOrigin>,
    overrides: Query<&DebugRender>,
    places: Query<&GlobalTransform>,
) {
    let config = *lines.config_ext;
    for body in physics.engine.bodies().iter() {
        let Some(entity) = entity_of(body) else { continue };
        let own = overrides.get(entity).ok();
        // Where the body is shown, which between steps is not where it is.
        let shown = places.get(entity).map(GlobalTransform::compute_transform).ok();
        let shown = shown.filter(|_| body.kind() != BodyKind::Static);
        let position =
            shown.map_or(body.position() - origin.get(), |place| from_single3(place.translation));
        let rotation = shown.map_or(body.rotation(), |place| from_single_quat(place.rotation));
        for collider in body.colliders().list() {
            let of = Entity::try_from_bits(collider.tag).and_then(|of| overrides.get(of).ok());
            let color = match of.or(own) {
                Some(of) => of.collider_color,
                None => shade(&config, &physics, body, collider),
            };
            let Some(color) = color else { continue };
            let position = position + quat_rotate(rotation, collider.position);
            let rotation = quat_mul(rotation, quat_normalize(collider.rotation));
            Pen { gizmos: &mut lines, position, rotation, color }.shape(&collider.shape);
        }
        if let Some(color) = own.map_or(config.aabb_color, |own| own.aabb_color) {
            aabb(&mut lines, &origin, body, color);
        }
        if body.kind() == BodyKind::Static {
            continue;
        }
        let center = position + quat_rotate(rotation, body.center_of_mass());
        if let Some(color) = config.center_of_mass_color {
            cross(&mut lines, center, CROSS, color);
        }
        for (color, velocity) in [
            (config.velocity_color, body.linear_velocity),
            (config.angular_velocity_color, body.angular_velocity),
        ] {
            if let Some(color) = color {
                let way = single3(velocity) * config.velocity_time;
                lines.line(single3(center), single3(center) + way, color);
            }
        }
    }
}

/// The color of a shape.
fn shade(
    config: &PhysicsGizmos,
    physics: &PhysicsWorld,
    body: &Body,
    collider: &Collider,
) -> Option<Color> {
    let kind = match body.kind() {
        _ if collider.sensor => return config.sensor_color,
        BodyKind::Static => return config.static_color,
        _ if body.is_sleeping() => return config.sleeping_color,
        BodyKind::Kinematic => return config.kinematic_color,
        BodyKind::Dynamic => config.dynamic_color?,
    };
    let island = physics.engine.island(body.id());
    match config.shade {
        ShapeShade::Kind => Some(kind),
        ShapeShade::Island => island.map(|first| {
            let hue = (first.0 as f32 * HUE) % 360.0;
            Oklcha::new(0.75, 0.14, hue, 1.0).into()
        }),
        ShapeShade::Certificate => {
            let solves = &physics.engine.report().solves;
            let found = solves.binary_search_by_key(&island?, |solve| solve.first);
            // What touches nothing has nothing to solve.
            let solve = found.ok().and_then(|place| solves.get(place));
            Some(match solve {
                Some(solve) if solve.rows_softened > 0 => config.softened_color,
                Some(solve) if solve.rows_swept > 0 || !solve.solved => config.swept_color,
                Some(solve) if solve.rows_pressed > 0 => config.pressed_color,
                _ => config.solved_color,
            })
        }
    }
}

/// The bounding box of a body that has one.
fn aabb(lines: &mut Lines, origin: &FloatingOrigin, body: &Body, color: Color) {
    let aabb = body.aabb();
    if !(aabb.min.is_finite() && aabb.max.is_finite()) {
        return;
    }
    let corner = |k: u8| {
        let pick = |bit: u8, axis: usize| {
            if k & bit == 0 { aabb.min[axis] } else { aabb.max[axis] }
        };
        origin.shown(math::Vec3::new(pick(1, 0), pick(2, 1), pick(4, 2)))
    };
    for k in 0..8 {
        for bit in [1, 2, 4].into_iter().filter(|bit| k & bit == 0) {
            lines.line(corner(k), corner(k | bit), color);
        }
    }
}

/// Contacts with their gaps, normals, impulses and friction cones.
pub(super) fn contacts(mut lines: Lines, physics: Res<PhysicsWorld>, origin: Res<FloatingOrigin>) {
    let config = *lines.config_ext;
    for pair in physics.engine.pairs() {
        let Some(center) = physics.engine.body(pair.key.a).map(Body::center) else { continue };
        for contact in &pair.contacts {
            let point = center - origin.get() + contact.arms[0];
            let impulse = single3(narrow3(contact.impulse[1]));
            if let Some([overlap, touching, apart]) = config.contact_colors {
                // Within the dead zone, and where something is held, they touch.
                let touches = contact.gap.abs() <= physics.engine.report().dt * 1e-3;
                let color = match contact.gap {
                    _ if touches => touching,
                    gap if gap < 0.0 => overlap,
                    _ => apart,
                };
                let size = CROSS + widen(contact.gap.abs().min(GAP_MAX)) as f32;
                cross(&mut lines, point, size, color);
            }
            let (from, normal) = (single3(point), single3(contact.normal));
            if let Some(color) = config.normal_color {
                lines.line(from, from + normal * config.normal_length, color);
            }
            if let Some(color) = config.impulse_color {
                lines.line(from, from + impulse * config.impulse_scale, color);
            }
            if let Some(color) = config.friction_cone_color {
                let height = Real::from(config.normal_length);
                cone(&mut lines, point, contact.normal * height, height * pair.friction, color);
            }
        }
    }
}

/// A cone from its apex along an axis (m), of a radius of its base (m).
pub(super) fn cone(
    lines: &mut Lines,
    apex: math::Vec3,
    axis: math::Vec3,
    radius: Real,
    color: Color,
) {
    let (x, y) = tangents(axis.normalize_or_zero());
    let rim = |k: u8| {
        let turn = 2.0 * math::PI * Real::from(k % SIDES) / Real::from(SIDES);
        single3(apex + axis + (x * math::cos(turn) + y * math::sin(turn)) * radius)
    };
    for k in 0..SIDES {
        lines.line(rim(k), rim(k + 1), color);
        if k % 3 == 0 {
            lines.line(single3(apex), rim(k), color);
        }
    }
}

type RayCasts = (&'static GlobalTransform, &'static RayCaster, &'static RayHits);
type ShapeCasts = (&'static GlobalTransform, &'static ShapeCaster, &'static ShapeHits);

/// So far (m) goes the line of what is cast without end and hits nothing.
const FAR: Real = 100.0;

/// Rays and shapes that are cast, and what they hit.
pub(super) fn casters(mut lines: Lines, rays: Query<RayCasts>, shapes: Query<ShapeCasts>) {
    let config = *lines.config_ext;
    for (place, caster, hits) in rays.iter().filter(|(_, caster, _)| caster.enabled) {
        let from = place.transform_point(single3(caster.origin));
        let along = place.rotation() * *caster.direction;
        let last = hits.last().map_or(caster.max_distance.min(FAR), |hit| hit.distance);
        if let Some(color) = config.caster_color {
            lines.line(from, from + along * widen(last) as f32, color);
        }
        for hit in hits.iter() {
            let Some(color) = config.hit_color else { continue };
            let at = from_single3(from + along * widen(hit.distance) as f32);
            cross(&mut lines, at, CROSS, color);
            lines.line(single3(at), single3(at) + single3(hit.normal) * CROSS * 3.0, color);
        }
    }
    for (place, caster, hits) in shapes.iter().filter(|(_, caster, _)| caster.enabled) {
        let from = place.transform_point(single3(caster.origin));
        let along = place.rotation() * *caster.direction;
        let turn = from_single_quat(place.rotation());
        let rotation = quat_normalize(quat_mul(turn, caster.shape_rotation));
        let mut draw = |distance: Real, color: Option<Color>| {
            let (Some(color), Ok(shape)) = (color, caster.shape.shape()) else { return };
            let position = from_single3(from + along * widen(distance) as f32);
            Pen { gizmos: &mut lines, position, rotation, color }.shape(shape);
        };
        draw(0.0, config.caster_color);
        hits.iter().for_each(|hit| draw(hit.distance, config.hit_color));
        let last = hits.last().map_or(caster.config.max_distance.min(FAR), |hit| hit.distance);
        if let Some(color) = config.caster_color {
            lines.line(from, from + along * widen(last) as f32, color);
        }
    }
}

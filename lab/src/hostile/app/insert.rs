//! Components of absurd numbers.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_math::Dir3;
use bevy_transform::components::Transform;
use orthant::engine::body::BodyId;
use orthant::engine::collider::CoefficientCombine;
use orthant::math::{Quat, Vec3, single_quat, single3};
use orthant::plugin::*;

use crate::hostile::world::joint as engine_joint;
use crate::hostile::{Bytes, shape};

/// Layers of what the bytes make; those of the heap are others.
const THEIRS: u32 = !2;

/// A pose, mostly of no scale.
pub(super) fn transform(bytes: &mut Bytes) -> Transform {
    Transform {
        translation: single3(bytes.vector(1.5)),
        rotation: single_quat(bytes.rotation()),
        scale: if bytes.one_in(8) { single3(bytes.vector(2.0)) } else { bevy_math::Vec3::ONE },
    }
}

fn direction(bytes: &mut Bytes) -> Dir3 {
    Dir3::new(single3(bytes.vector(1.0))).unwrap_or(Dir3::NEG_Y)
}

/// A collider, which may have no shape.
pub(super) fn collider(bytes: &mut Bytes) -> Collider {
    let [a, b, c] = [0; 3].map(|_| bytes.positive(1.0));
    match bytes.below(16) {
        0 => Collider::sphere(0.5 * a),
        1 => Collider::capsule(0.5 * a, b),
        2 => Collider::cylinder(0.5 * a, b),
        3 => Collider::cone(0.5 * a, b),
        4 => Collider::ellipsoid(a, b, c),
        5 => Collider::round_cuboid(a, b, c, bytes.positive(0.1)),
        6 => Collider::round_cylinder(a, b, bytes.positive(0.1)),
        7 => Collider::half_space(bytes.vector(1.0)),
        8 => {
            let mut child = || (bytes.vector(1.0), bytes.rotation());
            let [one, two] = [child(), child()];
            let parts = [(one, Collider::sphere(a)), (two, Collider::cuboid(a, b, c))];
            Collider::compound(parts.into_iter().map(|((p, q), shape)| (p, q, shape)).collect())
        }
        9 => {
            let points: Vec<Vec3> = (0..4 + bytes.below(12)).map(|_| bytes.vector(0.5)).collect();
            Collider::convex_hull(points).unwrap_or_else(|_| Collider::sphere(a))
        }
        10 => {
            let row = |_| (0..2 + bytes.below(3)).map(|_| bytes.number(0.5)).collect();
            let heights: Vec<Vec<_>> = (0..3).map(row).collect();
            let field = Collider::heightfield(heights, Vec3::new(a, b, c));
            field.unwrap_or_else(|_| Collider::sphere(a))
        }
        11 => shape(bytes).map_or_else(|| Collider::sphere(a), Collider::from),
        _ => Collider::cuboid(a, b, c),
    }
}

fn constructor(bytes: &mut Bytes) -> ColliderConstructor {
    let [a, b, c] = [0; 3].map(|_| bytes.positive(1.0));
    match bytes.below(4) {
        0 => ColliderConstructor::Sphere { radius: a },
        1 => ColliderConstructor::HalfSpace { outward_normal: bytes.vector(1.0) },
        2 => ColliderConstructor::Capsule { radius: a, length: b },
        _ => ColliderConstructor::Cuboid { x_length: a, y_length: b, z_length: c },
    }
}

pub(super) fn kind(bytes: &mut Bytes) -> RigidBody {
    match bytes.below(8) {
        0 => RigidBody::Static,
        1 => RigidBody::Kinematic,
        _ => RigidBody::Dynamic,
    }
}

pub(super) fn layers(bytes: &mut Bytes) -> CollisionLayers {
    let mask = |bits: u8| if bits < 200 { u32::MAX } else { u32::from(bits) };
    CollisionLayers::from_bits(mask(bytes.byte()) & THEIRS, mask(bytes.byte()) & THEIRS)
}

/// A joint between some of the entities, or to the world.
pub(super) fn joint(bytes: &mut Bytes, entities: &[Entity]) -> Joint {
    let ids: Vec<BodyId> = (0..entities.len() as u64).map(BodyId).collect();
    let desc = engine_joint(bytes, &ids);
    let end = |id: Option<BodyId>| id.map(|id| entities[id.0 as usize]);
    let mut joint = Joint::new(desc.kind, end(desc.ends[0]), end(desc.ends[1]));
    let [a, b] = desc.frames.map(|frame| JointFrame::local(frame.anchor, frame.basis));
    (joint.frame_a, joint.frame_b) = (a, b);
    if bytes.one_in(3) {
        joint.frame_b = JointFrame::world(bytes.vector(1.0), Quat::IDENTITY);
    }
    if bytes.one_in(8) {
        joint = joint.with_axis(bytes.vector(1.0));
    }
    (joint.limits, joint.motors, joint.swing) = (desc.limits, desc.motors, desc.swing);
    (joint.friction, joint.collision) = (desc.friction, desc.collide);
    if desc.break_force.is_finite() {
        (joint.break_force, joint.yield_force) = (Some(desc.break_force), Some(desc.yield_force));
    }
    joint
}

/// What a body is made of.
fn insert_matter(bytes: &mut Bytes, entity: &mut EntityWorldMut) {
    let rules = [CoefficientCombine::Max, CoefficientCombine::GeometricMean];
    match bytes.below(18) {
        0 => _ = entity.insert(collider(bytes)),
        1 => _ = entity.insert(kind(bytes)),
        2 => _ = entity.insert(Mass(bytes.positive(1.0))),
        3 => _ = entity.insert(CenterOfMass(bytes.vector(0.2))),
        4 => {
            let principal =
                Vec3::new(bytes.positive(0.1), bytes.positive(0.1), bytes.positive(0.1));
            entity.insert(AngularInertia { principal, local_frame: bytes.rotation() });
        }
        5 => _ = entity.insert(ColliderDensity(bytes.positive(1.0))),
        6 => {
            let friction = Friction::new(bytes.positive(1.0));
            entity.insert(friction.with_combine_rule(rules[bytes.below(2)]));
        }
        7 => {
            let restitution = Restitution::new(bytes.positive(1.0));
            entity.insert(restitution.with_combine_rule(rules[bytes.below(2)]));
        }
        8 => _ = entity.insert(RollingFriction::new(bytes.positive(0.1), bytes.positive(0.1))),
        9 => _ = entity.insert(layers(bytes)),
        10 => _ = entity.insert(Sensor),
        11 => _ = entity.insert(ColliderDisabled),
        12 => _ = entity.insert(OverlapsCountedOnce),
        13 => _ = entity.insert(LockedAxes::from_bits(bytes.byte())),
        14 => _ = entity.insert(Dominance(bytes.byte() as i8)),
        15 => _ = entity.insert(SweptCcd),
        16 => _ = entity.insert(constructor(bytes)),
        _ => _ = entity.insert(Disabled),
    }
}

/// How a body moves.
fn insert_motion(bytes: &mut Bytes, entity: &mut EntityWorldMut) {
    match bytes.below(20) {
        0 => _ = entity.insert(transform(bytes)),
        1 => _ = entity.insert(LinearVelocity(bytes.vector(10.0))),
        2 => _ = entity.insert(AngularVelocity(bytes.vector(10.0))),
        3 => _ = entity.insert(KinematicTarget::new(bytes.vector(2.0), bytes.rotation())),
        4 => _ = entity.insert(GravityScale(bytes.number(1.0))),
        5 => _ = entity.insert(LinearDamping(bytes.positive(1.0))),
        6 => _ = entity.insert(AngularDamping(bytes.positive(1.0))),
        7 => _ = entity.insert(MaxLinearSpeed(bytes.positive(10.0))),
        8 => _ = entity.insert(MaxAngularSpeed(bytes.positive(10.0))),
        9 => _ = entity.insert(ConstantForce(bytes.vector(100.0))),
        10 => _ = entity.insert(ConstantTorque(bytes.vector(100.0))),
        11 => _ = entity.insert(ConstantLocalForce(bytes.vector(100.0))),
        12 => _ = entity.insert(ConstantLocalTorque(bytes.vector(100.0))),
        13 => _ = entity.insert(ConstantLinearAcceleration(bytes.vector(100.0))),
        14 => _ = entity.insert(ConstantLocalAngularAcceleration(bytes.vector(100.0))),
        15 => _ = entity.insert(SurfaceVelocity(bytes.vector(3.0))),
        16 => _ = entity.insert(Sleeping),
        17 => _ = entity.insert(SleepingDisabled),
        18 => _ = entity.insert(Position(bytes.vector(2.0))),
        _ => _ = entity.insert(TransformInterpolation),
    }
}

/// What drives a body, asks from it, or listens to it.
fn insert_driver(bytes: &mut Bytes, entity: &mut EntityWorldMut) {
    match bytes.below(8) {
        0 => {
            let mouse = MouseJoint::new(bytes.vector(1.0), bytes.positive(100.0));
            let (frequency, damping_ratio) = (bytes.positive(10.0), bytes.positive(1.0));
            let mouse = MouseJoint { frequency, damping_ratio, ..mouse };
            entity.insert(mouse.with_target(bytes.vector(1.0)));
        }
        1 => {
            let pose = PoseController::to_pose(bytes.vector(1.0), bytes.rotation());
            let (max_force, frequency) = (bytes.positive(100.0), bytes.positive(10.0));
            let velocity = bytes.vector(1.0);
            entity.insert(PoseController { max_force, frequency, velocity, ..pose });
        }
        2 => {
            let controller = CharacterController {
                mass: bytes.positive(80.0),
                max_slope: bytes.positive(1.0),
                push_force: bytes.positive(100.0),
                step_height: bytes.positive(0.3),
                snap_distance: bytes.positive(0.3),
                acceleration: bytes.positive(10.0),
                up: direction(bytes),
                ..CharacterController::default()
            };
            let (walk, jump) = (bytes.vector(2.0), bytes.positive(2.0));
            entity.insert((controller, CharacterInput { walk, jump }));
        }
        3 => {
            let wheel = Wheel {
                travel: bytes.positive(0.3),
                stiffness: bytes.positive(1e4),
                damping: bytes.positive(1e3),
                friction: bytes.positive(1.0),
                steering: bytes.number(1.0),
                engine_force: bytes.number(100.0),
                brake_force: bytes.positive(100.0),
                ..Wheel::new(bytes.vector(1.0), bytes.positive(0.4))
            };
            let (up, forward) = (bytes.vector(1.0), bytes.vector(1.0));
            let up = if bytes.one_in(2) { up } else { Vec3::Y };
            entity.insert(RaycastVehicle { wheels: vec![wheel], up, forward });
        }
        4 => {
            let caster = RayCaster::new(bytes.vector(1.0), direction(bytes));
            entity.insert(caster.with_max_distance(bytes.positive(10.0)));
        }
        5 => {
            let (shape, rotation) = (collider(bytes), bytes.rotation());
            let caster = ShapeCaster::new(shape, bytes.vector(1.0), rotation, direction(bytes));
            entity.insert(caster.with_max_distance(bytes.positive(10.0)));
        }
        6 => _ = entity.insert(ContactImpulseThreshold(bytes.positive(1.0))),
        _ => _ = entity.insert((CollisionEventsEnabled, CollidingEntities::default())),
    }
}

/// A surface that is cut into pieces in the background, sound or not.
fn decomposition(bytes: &mut Bytes) -> ConvexDecomposition {
    let config = DecompositionConfig {
        concavity: bytes.number(1.0),
        resolution: bytes.below(16) as u32,
        max_convex_hulls: u32::from(bytes.byte()),
    };
    let sound = bytes.below(4) > 0;
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| {
        let size = Vec3::new(bytes.positive(1.0), bytes.positive(1.0), bytes.positive(1.0));
        if sound { corner * size } else { bytes.vector(1.0) }
    });
    let mut faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    if !sound {
        faces[bytes.below(4)][bytes.below(3)] = bytes.below(6) as u32;
    }
    ConvexDecomposition::new(corners, faces).with_config(config)
}

/// Colliders for all below an entity, with something that has none.
fn insert_hierarchy(bytes: &mut Bytes, entity: &mut EntityWorldMut) {
    let hierarchy = ColliderConstructorHierarchy::new(constructor(bytes))
        .with_default_layers(layers(bytes))
        .with_default_density(bytes.positive(1.0))
        .with_constructor_for_name("wheel", constructor(bytes))
        .with_layers_for_name("wheel", layers(bytes))
        .with_density_for_name("wheel", bytes.positive(1.0));
    let (place, is_named) = (transform(bytes), bytes.one_in(2));
    entity.insert(hierarchy).with_children(|below| {
        let mut child = below.spawn(place);
        if is_named {
            child.insert(Name::new("wheel"));
        }
    });
}

/// What has others below it, comes in the background, or changes how it is shown.
pub(super) fn insert_other(bytes: &mut Bytes, entity: &mut EntityWorldMut) {
    match bytes.below(6) {
        0 => insert_hierarchy(bytes, entity),
        1 => _ = entity.insert(decomposition(bytes)),
        2 => _ = entity.insert(ConstantAngularAcceleration(bytes.vector(100.0))),
        3 => _ = entity.insert(ConstantLocalLinearAcceleration(bytes.vector(100.0))),
        4 => _ = entity.insert(TransformExtrapolation),
        _ => _ = entity.insert(NoTransformEasing),
    }
}

/// How a motor follows an axis of a joint.
pub(super) fn coupling(bytes: &mut Bytes, leader: Entity) -> MotorCoupling {
    let [there, here] = [0; 2].map(|_| {
        let axes = [JointAxis::LinearX, JointAxis::AngularX, JointAxis::AngularY];
        axes[bytes.below(axes.len())]
    });
    let coupling = MotorCoupling::new(leader, there, bytes.number(2.0)).with_axes(there, here);
    let coupling = coupling.with_offset(bytes.number(1.0));
    if bytes.one_in(2) { coupling.with_max_speed(bytes.number(5.0)) } else { coupling }
}

/// Gives an entity a component, or another value of one that it has.
pub(super) fn insert(bytes: &mut Bytes, entity: &mut EntityWorldMut) {
    match bytes.below(5) {
        0 | 1 => insert_matter(bytes, entity),
        2 | 3 => insert_motion(bytes, entity),
        _ => insert_driver(bytes, entity),
    }
}

/// Takes a component away.
pub(super) fn remove(bytes: &mut Bytes, entity: &mut EntityWorldMut) {
    match bytes.below(24) {
        0 => _ = entity.remove::<RigidBody>(),
        1 => _ = entity.remove::<Collider>(),
        2 => _ = entity.remove::<Mass>(),
        3 => _ = entity.remove::<CenterOfMass>(),
        4 => _ = entity.remove::<AngularInertia>(),
        5 => _ = entity.remove::<ColliderDensity>(),
        6 => _ = entity.remove::<Friction>(),
        7 => _ = entity.remove::<LinearVelocity>(),
        8 => _ = entity.remove::<AngularVelocity>(),
        9 => _ = entity.remove::<Transform>(),
        10 => _ = entity.remove::<Disabled>(),
        11 => _ = entity.remove::<ColliderDisabled>(),
        12 => _ = entity.remove::<Sensor>(),
        13 => _ = entity.remove::<CollisionLayers>(),
        14 => _ = entity.remove::<LockedAxes>(),
        15 => _ = entity.remove::<ConstantForce>(),
        16 => _ = entity.remove::<KinematicTarget>(),
        17 => _ = entity.remove::<PoseController>(),
        18 => _ = entity.remove::<Position>(),
        19 => _ = entity.remove::<Sleeping>(),
        20 => _ = entity.remove::<SleepingDisabled>(),
        21 => _ = entity.remove::<EngineBody>(),
        22 => _ = entity.remove::<GravityScale>(),
        _ => _ = entity.remove::<MassPropertiesBundle>(),
    }
}

//! Bodies as data. What many have in common, shapes and mass above all, is there once.

use std::sync::Arc;

use hashbrown::HashMap;

use super::{SnapshotError, UNIT};
use crate::engine::bodies::Bodies;
use crate::engine::body::{Body, BodyDesc, BodyKind, LockedAxes};
use crate::engine::collider::{Collider, Layers, Material};
use crate::engine::settings::ranges::POSITION;
use crate::engine::shape::Shape;
use crate::engine::shape::mass::MassProperties;
use crate::math::{EPSILON, Quat, Real, SymMat3, Vec3};

/// How many kinds a body is compared with, the last ones: programs make few, or all of them different.
const KEPT: usize = 32;

/// Kinds of bodies, with their shapes and surfaces.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Kinds {
    shapes: Vec<Shape>,
    surfaces: Vec<Surface>,
    manners: Vec<Manner>,
    list: Vec<Kind>,
    /// The place of each shape, by its place in memory, while kinds are collected.
    #[cfg_attr(feature = "serialize", serde(skip))]
    places: HashMap<usize, u32>,
}

impl PartialEq for Kinds {
    fn eq(&self, other: &Self) -> bool {
        self.shapes == other.shapes
            && self.surfaces == other.surfaces
            && self.manners == other.manners
            && self.list == other.list
    }
}

/// What bodies have in common.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Kind {
    /// Place of how it moves.
    manner: u32,
    colliders: Vec<ColliderData>,
    mass: Real,
    center_of_mass: Option<Vec3>,
    /// On the diagonal, and beside it.
    inertia: [Option<Vec3>; 2],
}

/// How a body moves.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Manner {
    kind: BodyKind,
    locked_axes: LockedAxes,
    dominance: i8,
    gravity_scale: Real,
    damping: [Real; 2],
    swept: bool,
    can_sleep: bool,
}

/// What is beside the shape of a collider.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Surface {
    material: Material,
    layers: Layers,
    sensor: bool,
}

/// A collider without its name.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct ColliderData {
    /// Place of its shape in the list.
    shape: u32,
    /// Place of its surface.
    surface: u32,
    /// Where it is on its body, if not at the origin.
    pose: Option<(Vec3, Quat)>,
}

/// The place of an item in a list, whose last ones it is compared with.
fn place<T: PartialEq>(list: &mut Vec<T>, item: T) -> u32 {
    let known = list.iter().rev().take(KEPT).position(|other| *other == item);
    let place = known.map_or(list.len(), |back| list.len() - 1 - back);
    if known.is_none() {
        list.push(item);
    }
    place as u32
}

/// A vector, unless it is zero.
fn unless_zero(v: Vec3) -> Option<Vec3> {
    (v != Vec3::ZERO).then_some(v)
}

impl Kinds {
    fn shape(&mut self, shape: &Shape) -> u32 {
        let memory = Arc::as_ptr(&shape.pieces).cast::<()>() as usize;
        let shapes = &mut self.shapes;
        *self.places.entry(memory).or_insert_with(|| place(shapes, shape.clone()))
    }

    /// The place of the kind of a body.
    fn place(&mut self, body: &Body) -> u32 {
        let colliders = body.colliders().list().iter().map(|collider| {
            let &Collider { position, rotation, material, layers, sensor, .. } = collider;
            let pose = (position, rotation);
            ColliderData {
                shape: self.shape(&collider.shape),
                surface: place(&mut self.surfaces, Surface { material, layers, sensor }),
                pose: (pose != (Vec3::ZERO, Quat::IDENTITY)).then_some(pose),
            }
        });
        let colliders = colliders.collect();
        let manner = Manner {
            kind: body.kind(),
            locked_axes: body.locked_axes,
            dominance: body.dominance,
            gravity_scale: body.gravity_scale,
            damping: [body.linear_damping, body.angular_damping],
            swept: body.swept,
            can_sleep: body.can_sleep,
        };
        let i = body.inertia();
        let inertia = [Vec3::new(i.xx, i.yy, i.zz), Vec3::new(i.xy, i.xz, i.yz)];
        let kind = Kind {
            manner: place(&mut self.manners, manner),
            colliders,
            mass: body.mass(),
            center_of_mass: unless_zero(body.center_of_mass()),
            inertia: inertia.map(unless_zero),
        };
        place(&mut self.list, kind)
    }

    /// The colliders of each kind.
    pub(super) fn colliders(&self) -> Result<Vec<Vec<Collider>>, SnapshotError> {
        let made = |data: &ColliderData| {
            let shape = self.shapes.get(data.shape as usize);
            let (Some(shape), Some(surface)) = (shape, self.surfaces.get(data.surface as usize))
            else {
                return Err(SnapshotError::Inconsistent("colliders have shapes that are there"));
            };
            let Surface { material, layers, sensor } = *surface;
            let (position, rotation) = data.pose.unwrap_or((Vec3::ZERO, Quat::IDENTITY));
            let shape = shape.clone();
            Ok(Collider { shape, position, rotation, material, layers, sensor, tag: 0 })
        };
        self.list.iter().map(|kind| kind.colliders.iter().map(made).collect()).collect()
    }
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct BodyData {
    /// How far its id is behind that of the body before.
    step: u64,
    kind: u32,
    tag: u64,
    /// Names of its colliders, less its own.
    tags: Vec<u64>,
    /// Versions of itself, its materials and layers, and its layers.
    versions: [u32; 3],
    center: Vec3,
    remainder: Option<Vec3>,
    rotation: Quat,
    /// Velocity [m/s] and angular velocity [rad/s], unless it stands.
    velocity: Option<[Vec3; 2]>,
    /// For how long it has been at rest and nearly still (s), and how its velocity differed [m/s].
    calm: Option<[Real; 3]>,
    /// Velocities when these times began, unless they are those of now.
    since: [Option<[Vec3; 2]>; 2],
    /// Force and torque of the last step [N, N·m].
    steady: Option<[Vec3; 2]>,
    rare: Option<Box<Rare>>,
}

/// What few bodies have.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Rare {
    /// Force, torque, impulse and angular impulse that no step has taken.
    pushes: [Vec3; 4],
    target: Option<(Vec3, Quat)>,
    followed: Option<(Vec3, Vec3)>,
    quarantined: bool,
    /// Where it is put back if its state is broken now.
    last_good: Option<(Vec3, Quat)>,
}

/// Two vectors, unless both are these.
fn unless(now: (Vec3, Vec3), known: (Vec3, Vec3)) -> Option<[Vec3; 2]> {
    (now != known).then_some(now.into())
}

impl BodyData {
    pub(super) const fn step(&self) -> u64 {
        self.step
    }

    pub(super) fn of(body: &Body, step: u64, kinds: &mut Kinds) -> Self {
        let velocities = (body.linear_velocity, body.angular_velocity);
        let sleep = &body.sleep;
        let calm = [sleep.idle, sleep.still, sleep.change];
        let rare = Rare {
            pushes: [body.force, body.torque, body.impulse, body.angular_impulse],
            target: body.target,
            followed: body.followed,
            quarantined: body.quarantined,
            last_good: (!body.is_sound()).then_some(body.last_good),
        };
        let tags = body.colliders().list().iter();
        Self {
            step,
            kind: kinds.place(body),
            tag: body.tag,
            tags: tags.map(|collider| collider.tag.wrapping_sub(body.tag)).collect(),
            versions: [body.version, sleep.edits, sleep.layers],
            center: body.center,
            remainder: unless_zero(body.remainder),
            rotation: body.rotation,
            velocity: unless(velocities, Default::default()),
            calm: (calm != [0.0; 3]).then_some(calm),
            since: [sleep.since, sleep.still_since].map(|since| unless(since, velocities)),
            steady: unless(sleep.steady, Default::default()),
            rare: (rare != Rare::default()).then(|| Box::new(rare)),
        }
    }

    /// Gives it and its colliders other names.
    pub(super) fn map_tags(&mut self, mut map: impl FnMut(u64) -> u64) {
        let old = self.tag;
        self.tag = map(old);
        for tag in &mut self.tags {
            *tag = map(tag.wrapping_add(old)).wrapping_sub(self.tag);
        }
    }

    /// Adds the body; `colliders` of each kind.
    pub(super) fn add(
        &self,
        kinds: &Kinds,
        colliders: &[Vec<Collider>],
        bodies: &mut Bodies,
    ) -> Result<(), SnapshotError> {
        let place = self.kind as usize;
        let kind = kinds.list.get(place);
        let manner = kind.and_then(|kind| kinds.manners.get(kind.manner as usize));
        let (Some(kind), Some(manner), Some(colliders)) = (kind, manner, colliders.get(place))
        else {
            return Err(SnapshotError::Inconsistent("bodies are of kinds that are there"));
        };
        if self.tags.len() != colliders.len() {
            return Err(SnapshotError::Inconsistent("every collider has a name"));
        }
        let rare = self.rare.as_deref();
        let is_pose = |(position, rotation): &(Vec3, Quat)| {
            POSITION.holds(*position) && (rotation.length_squared() - 1.0).abs() <= UNIT
        };
        let now = (self.center, self.rotation);
        let last_good = rare.and_then(|rare| rare.last_good).unwrap_or(now);
        let target = rare.and_then(|rare| rare.target);
        let turned = !self.rotation.is_finite() || is_pose(&(Vec3::ZERO, self.rotation));
        if !(is_pose(&last_good) && target.iter().all(is_pose) && turned) {
            return Err(SnapshotError::Inconsistent("bodies are somewhere"));
        }
        let named = colliders.iter().zip(&self.tags).map(|(collider, tag)| Collider {
            tag: self.tag.wrapping_add(*tag),
            ..collider.clone()
        });
        let [on, beside] = kind.inertia.map(Option::unwrap_or_default);
        let [xx, yy, zz, xy, xz, yz] = [on.x, on.y, on.z, beside.x, beside.y, beside.z];
        let inertia = SymMat3 { xx, yy, zz, xy, xz, yz };
        let mass = kind.mass;
        let center_of_mass = kind.center_of_mass.unwrap_or_default();
        let Manner { locked_axes, swept, can_sleep, .. } = *manner;
        let id = bodies.add(BodyDesc {
            kind: manner.kind,
            colliders: named.collect(),
            mass_properties: Some(MassProperties { mass, center_of_mass, inertia }),
            locked_axes,
            swept,
            can_sleep,
            tag: self.tag,
            ..BodyDesc::default()
        })?;
        if let Some(body) = bodies.get_mut(id) {
            self.set(manner, body);
        }
        Ok(())
    }

    /// Writes the state, which the next step checks as it does any.
    fn set(&self, manner: &Manner, body: &mut Body) {
        let [version, edits, layers] = self.versions;
        body.version = version;
        body.dominance = manner.dominance;
        body.gravity_scale = manner.gravity_scale;
        [body.linear_damping, body.angular_damping] = manner.damping;
        (body.center, body.rotation) = (self.center, self.rotation);
        // The step does not check it: it goes with a place, and is less than that was rounded by.
        let rounding = EPSILON * (1.0 + self.center.abs().max_element());
        let remainder = self.remainder.filter(|r| r.abs().max_element() <= rounding);
        body.remainder = remainder.unwrap_or_default();
        let velocities = self.velocity.unwrap_or_default();
        [body.linear_velocity, body.angular_velocity] = velocities;
        let rare = self.rare.as_deref().cloned().unwrap_or_default();
        [body.force, body.torque, body.impulse, body.angular_impulse] = rare.pushes;
        (body.target, body.followed) = (rare.target, rare.followed);
        body.quarantined = rare.quarantined;
        body.last_good = rare.last_good.unwrap_or((self.center, self.rotation));
        let sleep = &mut body.sleep;
        [sleep.idle, sleep.still, sleep.change] = self.calm.unwrap_or_default();
        let [since, still_since] = self.since.map(|since| since.unwrap_or(velocities).into());
        (sleep.since, sleep.still_since) = (since, still_since);
        sleep.steady = self.steady.unwrap_or_default().into();
        (sleep.edits, sleep.layers) = (edits, layers);
    }
}

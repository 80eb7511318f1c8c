//! Rigid bodies: state at the center of mass, in world axes.
//!
//! A body's *frame* is the frame its shape is given in (what a user places in the world); its *center*
//! is the center of mass. Velocities are at the center of mass, in world axes. The engine keeps the
//! center and the rotation; the frame's origin is `center - R center_of_mass`.

mod desc;

use self::desc::within;
pub use self::desc::{BodyDesc, BodyError, BodyId, BodyKind};
use super::collider::{Collider, Colliders, Layers, Material};
pub use super::locked_axes::LockedAxes;
use super::sleep_state::SleepState;
use crate::engine::geometry::shape::Aabb;
use crate::engine::geometry::shape::mass::MassProperties;
use crate::engine::geometry::shape::share::Shapes;
use crate::engine::settings::ranges::{self, Range};
use crate::math::{
    Mat3, Quat, Real, SymMat3, Vec3, quat_conjugate, quat_log, quat_mul, quat_normalize,
    quat_rotate, quat_to_mat3,
};

/// A rigid body.
#[derive(Clone, Debug)]
pub struct Body {
    id: BodyId,
    kind: BodyKind,
    colliders: Colliders,
    /// Counts changes of shape, mass, kind and teleports: caches of older versions are dropped.
    pub(crate) version: u32,
    pub(crate) center: Vec3,
    /// What rounding took from the center when the body last moved (m).
    pub(crate) remainder: Vec3,
    pub(crate) rotation: Quat,
    /// Velocity of the center of mass [m/s].
    pub linear_velocity: Vec3,
    /// Angular velocity in world axes [rad/s].
    pub angular_velocity: Vec3,
    center_of_mass: Vec3,
    mass: Real,
    inertia: SymMat3,
    /// Locked directions.
    pub locked_axes: LockedAxes,
    /// In a pair of two dynamic bodies the one of higher dominance is not pushed by the other. Default 0.
    pub dominance: i8,
    /// Factor on gravity (-).
    pub gravity_scale: Real,
    /// Rate at which the linear velocity decays [1/s].
    pub linear_damping: Real,
    /// Rate at which the angular velocity decays [1/s].
    pub angular_damping: Real,
    /// Is the body's path through a step searched for what it hits, as small fast bodies need? After a
    /// hit the rest of the step is lost for it.
    pub swept: bool,
    /// May it fall asleep? Its island does not if it may not. Default true.
    pub can_sleep: bool,
    /// A name for whoever made the body; the engine does not look at it.
    pub tag: u64,
    /// Force and torque of the coming step [N, N·m], cleared by it.
    pub(crate) force: Vec3,
    pub(crate) torque: Vec3,
    /// Impulses of the coming step [N·s, N·m·s], cleared by it.
    pub(crate) impulse: Vec3,
    pub(crate) angular_impulse: Vec3,
    pub(crate) target: Option<(Vec3, Quat)>,
    /// Velocities of the last step if it ended on a target: unless changed, they end with it.
    pub(crate) followed: Option<(Vec3, Vec3)>,
    pub(crate) quarantined: bool,
    pub(crate) last_good: (Vec3, Quat),
    /// Did its shapes come after the last step began?
    pub(in crate::engine) reshaped: bool,
    /// What sleeping needs to know.
    pub(crate) sleep: SleepState,
}

fn within3(what: &'static str, v: Vec3, range: Range) -> Result<(), BodyError> {
    v.to_array().into_iter().try_for_each(|x| within(what, x, range))
}

/// A material with coefficients in their ranges, those that are negative as 0, restitution at most 1.
fn checked(material: Material) -> Result<Material, BodyError> {
    within("friction", material.friction, ranges::COEFFICIENT)?;
    within("rolling resistance", material.rolling, ranges::RESISTANCE)?;
    within("spinning resistance", material.spinning, ranges::RESISTANCE)?;
    within("restitution", material.restitution, ranges::COEFFICIENT)?;
    Ok(Material {
        friction: material.friction.max(0.0),
        rolling: material.rolling.max(0.0),
        spinning: material.spinning.max(0.0),
        restitution: material.restitution.clamp(0.0, 1.0),
        ..material
    })
}

impl Body {
    /// Checks a description and makes the body.
    pub(crate) fn new(id: BodyId, desc: BodyDesc) -> Result<Self, BodyError> {
        within3("position", desc.position, ranges::POSITION)?;
        within3("linear velocity", desc.linear_velocity, ranges::SPEED)?;
        within3("angular velocity", desc.angular_velocity, ranges::SPIN)?;
        if !desc.rotation.is_finite() {
            return Err(BodyError::NotFinite("rotation"));
        }
        desc.check_coefficients()?;
        within("friction", desc.friction, ranges::COEFFICIENT)?;
        let rotation = quat_normalize(desc.rotation);
        let mut body = Self {
            id,
            kind: desc.kind,
            colliders: Colliders::default(),
            version: 0,
            center: desc.position,
            remainder: Vec3::ZERO,
            rotation,
            linear_velocity: desc.linear_velocity,
            angular_velocity: desc.angular_velocity,
            center_of_mass: Vec3::ZERO,
            mass: 0.0,
            inertia: SymMat3::default(),
            locked_axes: desc.locked_axes,
            dominance: 0,
            gravity_scale: desc.gravity_scale,
            linear_damping: desc.linear_damping.max(0.0),
            angular_damping: desc.angular_damping.max(0.0),
            swept: desc.swept,
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
            impulse: Vec3::ZERO,
            angular_impulse: Vec3::ZERO,
            target: None,
            followed: None,
            quarantined: false,
            last_good: (desc.position, rotation),
            can_sleep: desc.can_sleep,
            tag: desc.tag,
            reshaped: true,
            sleep: SleepState::default(),
        };
        let mut colliders = desc.colliders;
        if let Some(shape) = desc.shape {
            let material = Material::new(desc.friction);
            colliders.insert(0, Collider { material, ..Collider::new(shape) });
        }
        let density = desc.density;
        let mass_properties = desc.mass_properties.unwrap_or_else(|| {
            let masses = colliders.iter().map(|collider| collider.mass_properties(density));
            masses.reduce(MassProperties::combined).unwrap_or_default()
        });
        body.set_colliders(colliders, desc.kind, mass_properties)?;
        Ok(body)
    }

    /// Replaces colliders, kind and mass properties at once; the body's frame stays where it is.
    ///
    /// # Errors
    /// As for a new body; the body is unchanged then.
    pub fn set_colliders(
        &mut self,
        mut colliders: Vec<Collider>,
        kind: BodyKind,
        mass_properties: MassProperties,
    ) -> Result<(), BodyError> {
        for collider in &mut colliders {
            within3("position of a collider", collider.position, ranges::PLACE)?;
            if !collider.rotation.is_finite() {
                return Err(BodyError::NotFinite("rotation of a collider"));
            }
            collider.material = checked(collider.material)?;
        }
        let MassProperties { mass, center_of_mass, inertia } = mass_properties;
        if kind == BodyKind::Dynamic {
            if colliders.iter().any(|collider| collider.shape.is_half_space()) {
                return Err(BodyError::HalfSpaceMoves);
            }
            if colliders.iter().any(|collider| collider.shape.has_mesh()) {
                return Err(BodyError::MeshMoves);
            }
            if !(mass > 0.0 && mass.is_finite()) {
                return Err(BodyError::Mass(mass));
            }
            ranges::MASS.check("mass", mass)?;
            within3("center of mass", center_of_mass, ranges::PLACE)?;
            // Sylvester's minors, the second and third scaled: `zz` of the inverse is their ratio.
            let i = inertia;
            let minor = i.yy - i.xy * (i.xy / i.xx);
            let inverse = i.inverse_or_zero();
            if !(i.xx > 0.0 && minor > 0.0 && inverse.zz > 0.0 && inverse.zz.is_finite()) {
                return Err(BodyError::Inertia);
            }
            let borne = |x| ranges::INERTIA.check("moment of inertia", x);
            [i.xx, i.yy, i.zz].into_iter().try_for_each(borne)?;
        }
        let (position, rotation) = (self.position(), self.rotation);
        if self.kind != kind {
            // A held body that is let go flies on.
            self.followed = None;
        }
        self.colliders = Colliders::new(colliders);
        self.reshaped = true;
        self.kind = kind;
        // A fixed body has no mass, and its frame is its center.
        let dynamic = kind == BodyKind::Dynamic;
        self.mass = if dynamic { mass } else { 0.0 };
        self.inertia = if dynamic { inertia } else { SymMat3::default() };
        self.center_of_mass = if dynamic { center_of_mass } else { Vec3::ZERO };
        self.set_pose(position, rotation);
        Ok(())
    }

    /// Changes the material of a collider; contacts keep what they know. Nothing happens if there is no
    /// collider of this index.
    ///
    /// # Errors
    /// A coefficient is not finite.
    pub fn set_material(&mut self, collider: usize, material: Material) -> Result<(), BodyError> {
        let changed = self.colliders.set_material(collider, checked(material)?);
        self.sleep.edits = self.sleep.edits.wrapping_add(u32::from(changed));
        Ok(())
    }

    /// Changes what a collider meets, from the next step on. Nothing happens if there is no collider of
    /// this index.
    pub fn set_layers(&mut self, collider: usize, layers: Layers) {
        let changed = u32::from(self.colliders.set_layers(collider, layers));
        self.sleep.edits = self.sleep.edits.wrapping_add(changed);
        self.sleep.layers = self.sleep.layers.wrapping_add(changed);
    }

    /// Moves the body at once: contacts and cached planes of the old place are forgotten.
    /// Positions out of [range](ranges) and rotations that are not finite are ignored.
    pub fn set_pose(&mut self, position: Vec3, rotation: Quat) {
        if !(ranges::POSITION.holds(position) && rotation.is_finite()) {
            return;
        }
        self.rotation = quat_normalize(rotation);
        self.center = position + quat_rotate(self.rotation, self.center_of_mass);
        self.remainder = Vec3::ZERO;
        self.last_good = (self.center, self.rotation);
        self.quarantined = false;
        self.target = None;
        self.sleep.idle = 0.0;
        self.version = self.version.wrapping_add(1);
    }

    /// The pose a kinematic body is to have after the coming step; sets its velocity for that step.
    /// Ignored for other bodies, positions out of range and rotations that are not finite.
    pub fn set_target(&mut self, position: Vec3, rotation: Quat) {
        let sound = ranges::POSITION.holds(position) && rotation.is_finite();
        if self.kind == BodyKind::Kinematic && sound {
            self.target = Some((position, quat_normalize(rotation)));
        }
    }

    /// Adds a force (N) at the center of mass for the coming step.
    pub fn apply_force(&mut self, force: Vec3) {
        self.force += force;
    }

    /// Adds a force (N) at a world point for the coming step.
    pub fn apply_force_at_point(&mut self, force: Vec3, point: Vec3) {
        self.force += force;
        self.torque += (point - self.center).cross(force);
    }

    /// Adds a torque [N·m] for the coming step.
    pub fn apply_torque(&mut self, torque: Vec3) {
        self.torque += torque;
    }

    /// Adds an impulse [N·s] at the center of mass, taken up by the coming step.
    pub fn apply_linear_impulse(&mut self, impulse: Vec3) {
        self.impulse += impulse;
    }

    /// Adds an impulse [N·s] at a world point, taken up by the coming step.
    pub fn apply_linear_impulse_at_point(&mut self, impulse: Vec3, point: Vec3) {
        self.impulse += impulse;
        self.angular_impulse += (point - self.center).cross(impulse);
    }

    /// Adds an angular impulse [N·m·s], taken up by the coming step.
    pub fn apply_angular_impulse(&mut self, impulse: Vec3) {
        self.angular_impulse += impulse;
    }

    /// The body's id.
    pub const fn id(&self) -> BodyId {
        self.id
    }

    /// How the body moves.
    pub const fn kind(&self) -> BodyKind {
        self.kind
    }

    /// Is the body dynamic?
    pub fn is_dynamic(&self) -> bool {
        self.kind == BodyKind::Dynamic
    }

    /// What the body carries.
    pub const fn colliders(&self) -> &Colliders {
        &self.colliders
    }

    /// Takes equal shapes from one place, if it has new ones.
    pub(in crate::engine) fn share_shapes(&mut self, shapes: &mut Shapes) {
        if core::mem::take(&mut self.reshaped) {
            self.colliders.share(shapes);
        }
    }

    /// World position of the body's frame (m).
    pub fn position(&self) -> Vec3 {
        self.center - quat_rotate(self.rotation, self.center_of_mass)
    }

    /// World rotation of the body's frame.
    pub const fn rotation(&self) -> Quat {
        self.rotation
    }

    /// World position of the center of mass (m).
    pub const fn center(&self) -> Vec3 {
        self.center
    }

    /// Center of mass in the body's frame (m); zero for static and kinematic bodies.
    pub const fn center_of_mass(&self) -> Vec3 {
        self.center_of_mass
    }

    /// Mass (kg); zero for static and kinematic bodies, which no impulse moves.
    pub const fn mass(&self) -> Real {
        self.mass
    }

    /// Inertia about the center of mass in the body's axes [kg·m²].
    pub const fn inertia(&self) -> SymMat3 {
        self.inertia
    }

    /// Was the body frozen because its state was no longer finite?
    pub const fn is_quarantined(&self) -> bool {
        self.quarantined
    }

    /// Does the body sleep, with its island?
    pub const fn is_sleeping(&self) -> bool {
        self.sleep.asleep.is_some()
    }

    /// Counts changes that make cached contacts worthless.
    pub(crate) const fn version(&self) -> u32 {
        self.version
    }

    /// Counts changes of materials and layers; neither makes a cached contact worthless.
    pub(crate) const fn edits(&self) -> u32 {
        self.sleep.edits
    }

    /// Velocity of the body's point at `point` (world) [m/s].
    pub fn velocity_at(&self, point: Vec3) -> Vec3 {
        self.linear_velocity + self.angular_velocity.cross(point - self.center)
    }

    /// Kinetic energy (J).
    pub fn kinetic_energy(&self) -> Real {
        let w = quat_rotate(quat_conjugate(self.rotation), self.angular_velocity);
        0.5 * self.mass * self.linear_velocity.length_squared()
            + 0.5 * w.dot(self.inertia.mul_vec(w))
    }

    /// Was an impulse applied that is not yet taken?
    fn is_struck(&self) -> bool {
        (self.impulse, self.angular_impulse) != (Vec3::ZERO, Vec3::ZERO)
    }

    /// Does another force wait than that of the last step, or an impulse?
    pub(crate) fn is_pushed_anew(&self) -> bool {
        (self.force, self.torque) != self.sleep.steady || self.is_struck()
    }

    /// Does a force or an impulse wait?
    pub(crate) fn is_pushed(&self) -> bool {
        (self.force, self.torque) != (Vec3::ZERO, Vec3::ZERO) || self.is_struck()
    }

    /// Forgets what was applied and not yet taken.
    pub(crate) fn drop_forces(&mut self) {
        (self.force, self.torque) = (Vec3::ZERO, Vec3::ZERO);
        (self.impulse, self.angular_impulse) = (Vec3::ZERO, Vec3::ZERO);
    }

    /// Takes what was applied since the last step: (force, torque, impulse, angular impulse).
    pub(crate) fn take_forces(&mut self) -> (Vec3, Vec3, Vec3, Vec3) {
        let taken = (self.force, self.torque, self.impulse, self.angular_impulse);
        self.sleep.push((self.force, self.torque), self.is_struck());
        self.drop_forces();
        taken
    }

    /// Velocities of the coming step of `dt` s without forces [m/s, rad/s]; they lead to the target, if any.
    pub fn velocities_ahead(&self, dt: Real) -> (Vec3, Vec3) {
        if let Some((position, rotation)) = self.target {
            let turn = quat_log(quat_mul(rotation, quat_conjugate(self.rotation)));
            return ((position - self.center) / dt, turn / dt);
        }
        let now = (self.linear_velocity, self.angular_velocity);
        if self.followed == Some(now) { Default::default() } else { now }
    }

    pub(crate) fn aim(&mut self, dt: Real) {
        (self.linear_velocity, self.angular_velocity) = self.velocities_ahead(dt);
        self.followed = None;
    }

    /// Goes `way` (m) and turns to a rotation; a kinematic body with a target lands on it exactly. What
    /// rounding takes from the center is kept, so that a slow body far from the origin moves at its speed,
    /// and distances between bodies that move together do not tremble.
    pub(crate) fn advance(&mut self, way: Vec3, rotation: Quat) {
        let velocities = (self.linear_velocity, self.angular_velocity);
        self.followed = self.target.map(|_| velocities);
        if let Some(target) = self.target.take() {
            (self.center, self.rotation) = target;
            self.remainder = Vec3::ZERO;
            return;
        }
        let way = way + self.remainder;
        let center = self.center + way;
        self.remainder = way - (center - self.center);
        (self.center, self.rotation) = (center, rotation);
    }

    /// The center of mass, and what rounding took from it (m).
    pub(crate) const fn exact_center(&self) -> (Vec3, Vec3) {
        (self.center, self.remainder)
    }

    /// From the center of this body to that of another one, to the precision of the distance (m).
    #[inline]
    pub(crate) fn to_center_of(&self, other: &Self) -> Vec3 {
        (other.center - self.center) + (other.remainder - self.remainder)
    }

    /// Checks that the state is within its [ranges]. If not, [freezes](Self::freeze) it and returns true.
    pub(crate) fn quarantine_if_broken(&mut self) -> bool {
        let sound = self.is_sound();
        if sound {
            self.last_good = (self.center, self.rotation);
        } else {
            self.freeze();
        }
        !sound
    }

    /// Is its state within its [ranges]?
    pub(crate) fn is_sound(&self) -> bool {
        let pushes = [self.force, self.torque, self.impulse, self.angular_impulse];
        let damping = [self.linear_damping, self.angular_damping];
        let factors = ranges::GRAVITY_SCALE.contains(self.gravity_scale)
            && damping.iter().all(|&rate| ranges::DAMPING.contains(rate));
        ranges::POSITION.holds(self.center)
            && self.rotation.is_finite()
            && ranges::SPEED.holds(self.linear_velocity)
            && ranges::SPIN.holds(self.angular_velocity)
            && pushes.iter().all(|push| push.is_finite())
            // A coefficient that stays broken is reported once.
            && (self.quarantined || factors)
    }

    /// Freezes the body at its last good pose, at rest, until it is placed anew.
    pub(crate) fn freeze(&mut self) {
        (self.center, self.rotation) = self.last_good;
        self.remainder = Vec3::ZERO;
        self.linear_velocity = Vec3::ZERO;
        self.angular_velocity = Vec3::ZERO;
        self.take_forces();
        self.target = None;
        self.version = self.version.wrapping_add(1);
        self.quarantined = true;
    }

    /// Can impulses move the body in this step?
    pub(crate) fn moves(&self) -> bool {
        self.kind == BodyKind::Dynamic && !self.quarantined
    }

    /// Axis-aligned box around the body's colliders in world axes (m); empty without any.
    pub fn aabb(&self) -> Aabb {
        self.colliders.aabb(self.position(), self.rotation)
    }

    /// World rotation as a matrix.
    pub fn rotation_matrix(&self) -> Mat3 {
        quat_to_mat3(self.rotation)
    }
}

//! Robots from URDF: links and joints become bodies, colliders and joints (feature `urdf`).
//!
//! The parser is `urdf-rs`. Links that are fixed to each other are one body: those further out are children
//! of the first one's entity, with their colliders, and the body has the mass of all. What of a description
//! is not supported is a [`UrdfError`], and nothing is spawned.
//!
//! Read only files that you trust: the parser takes long, or much memory, for some that are made to.
//!
//! What is seen of a robot is told and not drawn. Not taken over: safety controllers, calibrations,
//! transmissions.

mod error;
mod mimic;
mod visual;

use bevy_ecs::name::Name;
use bevy_ecs::prelude::*;
use bevy_transform::components::Transform;
use urdf_rs::{Geometry, JointType, Pose, Robot};

pub use error::UrdfError;
pub use mimic::UrdfLimit;
use visual::{Seen, seen};
pub use visual::{UrdfShape, UrdfVisual};

use crate::engine::shape::mass::MassProperties;
use crate::math::{
    PI, Quat, SymMat3, Vec3, narrow, quat_exp, quat_mul, quat_normalize, single_quat, single3,
};
use crate::plugin::collider::Collider;
use crate::plugin::components::RigidBody;
use crate::plugin::frame::Frame;
use crate::plugin::joints::{Joint, JointFrame, MotorCoupling, basis_along};
use crate::plugin::mass::{AngularInertia, CenterOfMass, Mass, principal_axes};

/// A robot that was read from URDF and can be spawned any number of times.
///
/// URDF has z up: spawn it turned by [`upright`](Self::upright) to stand in Bevy. The root is dynamic if it
/// has a mass and static if it has none; an arm whose base has a mass is held by a
/// [`Joint::fixed`] to the world. Links that are joined do not collide with each other, all others do.
///
/// | URDF | here |
/// |---|---|
/// | `revolute`, `continuous`, `prismatic`, `planar`, `spherical` | a [`Joint`] with limits and damping |
/// | `fixed` | one body |
/// | `floating` | no joint |
/// | `box`, `sphere`, `cylinder`, `capsule` | a [`Collider`] on a child |
/// | `mesh` | what [`read_with_meshes`](Self::read_with_meshes) is given for its file |
/// | `visual` | a [`UrdfVisual`] on a child, for an app to draw |
/// | `inertial` | [`Mass`], [`CenterOfMass`], [`AngularInertia`] |
/// | `mimic` | a motor with a [`MotorCoupling`], of at most the joint's effort and velocity |
/// | `effort`, `velocity` | what [`limit`](Self::limit) gives for motors; nothing else has a use for them |
///
/// A joint that mimics follows; the one that it mimics does not feel it.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_transform::components::Transform;
/// use orthant::prelude::*;
///
/// fn spawn(mut commands: Commands) -> Result {
///     let robot = Urdf::read(
///         r#"<robot name="pendulum">
///             <link name="world"/>
///             <link name="rod">
///                 <inertial>
///                     <origin xyz="0 0 -0.5"/><mass value="1"/>
///                     <inertia ixx="0.08" iyy="0.08" izz="0.001" ixy="0" ixz="0" iyz="0"/>
///                 </inertial>
///             </link>
///             <joint name="hinge" type="continuous">
///                 <parent link="world"/><child link="rod"/><axis xyz="1 0 0"/>
///             </joint>
///         </robot>"#,
///     )?;
///     let pendulum = robot.spawn(&mut commands, Transform::from_rotation(Urdf::upright()));
///     let rod = pendulum.link("rod").expect("a link of that name");
///     commands.entity(rod).insert(AngularVelocity::default());
///     Ok(())
/// }
/// # bevy_ecs::world::World::new().run_system_cached::<Result, _, _>(spawn).unwrap().unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Urdf {
    /// The root first, each after its parent.
    links: Vec<Link>,
    joints: Vec<(String, Joined)>,
}

/// The entities of a [`Urdf`] that was spawned.
///
/// ```
/// # use bevy_transform::components::Transform;
/// use orthant::prelude::*;
///
/// # let mut world = bevy_ecs::world::World::new();
/// let robot = Urdf::read(r#"<robot name="stone"><link name="stone"/></robot>"#).expect("a robot");
/// let stone = robot.spawn(&mut world.commands(), Transform::from_rotation(Urdf::upright()));
/// assert_eq!(stone.link("stone"), Some(stone.links[0].1));
/// assert!(stone.link("arm").is_none() && stone.joints.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UrdfEntities {
    /// The links with their names, the root first, each after its parent. One that is fixed to its parent
    /// is a child of it and no body of its own.
    pub links: Vec<(String, Entity)>,
    /// The joints with their names, but those that are fixed or floating.
    pub joints: Vec<(String, Entity)>,
}

/// A link with its place in the tree.
#[derive(Clone, Debug)]
struct Link {
    name: String,
    /// The link above it and its own pose there, with all joints at zero.
    parent: Option<(usize, Frame)>,
    /// The link whose entity is the body, and the pose in its frame.
    body: (usize, Frame),
    /// Colliders in the frame of the link.
    colliders: Vec<(Frame, Collider)>,
    visuals: Vec<Seen>,
    /// Of the body if it is one, in its frame.
    mass: MassProperties,
}

/// A joint from one link to another, which is a body.
#[derive(Clone, Copy, Debug)]
struct Joined {
    ends: [usize; 2],
    joint: Joint,
    limit: UrdfLimit,
    /// Which of the joints it mimics, and how.
    mimics: Option<(usize, MotorCoupling)>,
}

impl Urdf {
    /// The turn that makes z up y up, as of Bevy: by a quarter about x.
    #[must_use]
    pub fn upright() -> bevy_math::Quat {
        single_quat(quat_exp(Vec3::X * (-0.5 * PI)))
    }

    /// Reads a robot without meshes.
    ///
    /// # Errors
    /// What is wrong with it or not supported, see [`UrdfError`].
    pub fn read(text: &str) -> Result<Self, UrdfError> {
        Self::read_with_meshes(text, |_| None)
    }

    /// Reads a robot whose meshes have the colliders that `meshes` gives for the names of their files; their
    /// scale is that of the description.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_with_meshes(
        text: &str,
        mut meshes: impl FnMut(&str) -> Option<Collider>,
    ) -> Result<Self, UrdfError> {
        let robot = urdf_rs::read_from_string(text);
        let robot = robot.map_err(|error| UrdfError::Syntax(error.to_string()))?;
        let order = tree(&robot)?;
        let mut urdf = Self { links: Vec::with_capacity(order.len()), joints: Vec::new() };
        for &(link, above) in &order {
            let place = |index| order.iter().position(|&(link, _)| link == index).unwrap_or(0);
            let above = above.map(|(joint, parent)| (&robot.joints[joint], place(parent)));
            urdf.add(&robot.links[link], above, &robot, &mut meshes)?;
        }
        let moved = |(index, link): (usize, &Link)| link.body.0 == index && index > 0;
        let bodies = urdf.links.iter().enumerate().filter(|&link| moved(link));
        for (_, link) in bodies {
            if link.mass.mass <= 0.0 || link.mass.mass.is_nan() {
                return Err(UrdfError::NoMass(link.name.clone()));
            }
        }
        urdf.couple(&robot)?;
        Ok(urdf)
    }

    /// Adds a link below a joint and its parent.
    fn add(
        &mut self,
        link: &urdf_rs::Link,
        above: Option<(&urdf_rs::Joint, usize)>,
        robot: &Robot,
        meshes: &mut impl FnMut(&str) -> Option<Collider>,
    ) -> Result<(), UrdfError> {
        let index = self.links.len();
        let (mut parent, mut body) = (None, (index, Frame::IDENTITY));
        if let Some((joint, up)) = above {
            let pose = pose(&joint.origin, &joint.name)?;
            parent = Some((up, pose));
            let (top, frame) = self.links[up].body;
            let place = pose.below(frame);
            match joined(joint, place)? {
                _ if joint.joint_type == JointType::Fixed => body = (top, place),
                Some(joint_) => {
                    let limit = UrdfLimit::of(&joint.limit);
                    let joined = Joined { ends: [top, index], joint: joint_, limit, mimics: None };
                    self.joints.push((joint.name.clone(), joined));
                }
                None => {}
            }
        }
        let colliders = link.collision.iter().map(|part| {
            let frame = pose(&part.origin, &link.name)?;
            collider(&part.geometry, frame, &link.name, meshes)
        });
        let colliders = colliders.collect::<Result<Vec<_>, _>>()?;
        let (visuals, mass) = (seen(link, robot)?, mass(&link.inertial, &link.name)?);
        self.links.push(Link { name: link.name.clone(), parent, body, colliders, visuals, mass });
        let (top, frame) = body;
        if top != index {
            let all = mass.transformed(frame.position, frame.rotation);
            self.links[top].mass = self.links[top].mass.combined(all);
        }
        Ok(())
    }

    /// Spawns the robot with the frame of its root at a translation (m) and a rotation, all joints at zero;
    /// the scale does not count.
    pub fn spawn(&self, commands: &mut Commands, transform: Transform) -> UrdfEntities {
        let mut spawned = UrdfEntities::default();
        let root = Frame::new(&transform.with_scale(bevy_math::Vec3::ONE), None);
        let mut poses: Vec<Frame> = Vec::with_capacity(self.links.len());
        for (index, link) in self.links.iter().enumerate() {
            let place = link.parent.map_or(root, |(parent, pose)| pose.below(poses[parent]));
            poses.push(place);
            let mut entity = commands.spawn(Name::new(link.name.clone()));
            match link.parent {
                Some((parent, pose)) if link.body.0 != index => {
                    entity.insert((at(pose), ChildOf(spawned.links[parent].1)));
                }
                _ => {
                    entity.insert(at(place));
                    link.insert_body(&mut entity);
                }
            }
            let entity = entity.id();
            for (frame, collider) in &link.colliders {
                commands.spawn((collider.clone(), at(*frame), ChildOf(entity)));
            }
            for Seen { place, name, visual } in &link.visuals {
                let mut child = commands.spawn((visual.clone(), *place, ChildOf(entity)));
                if let Some(name) = name {
                    child.insert(Name::new(name.clone()));
                }
            }
            spawned.links.push((link.name.clone(), entity));
        }
        for (name, Joined { ends, joint, .. }) in &self.joints {
            let [a, b] = ends.map(|end| Some(spawned.links[end].1));
            let entity = commands.spawn((Joint { a, b, ..*joint }, Name::new(name.clone()))).id();
            spawned.joints.push((name.clone(), entity));
        }
        for ((_, joined), (_, entity)) in self.joints.iter().zip(&spawned.joints) {
            if let Some((leader, coupling)) = joined.mimics {
                let leader = spawned.joints[leader].1;
                commands.entity(*entity).insert(MotorCoupling { leader, ..coupling });
            }
        }
        spawned
    }
}

impl UrdfEntities {
    /// The link of this name.
    #[must_use]
    pub fn link(&self, name: &str) -> Option<Entity> {
        self.links.iter().find(|link| link.0 == name).map(|link| link.1)
    }

    /// The joint of this name.
    #[must_use]
    pub fn joint(&self, name: &str) -> Option<Entity> {
        self.joints.iter().find(|joint| joint.0 == name).map(|joint| joint.1)
    }
}

impl Link {
    /// Makes an entity the body: static without a mass.
    fn insert_body(&self, entity: &mut EntityCommands) {
        let MassProperties { mass, center_of_mass, inertia } = self.mass;
        if mass > 0.0 {
            let (principal, local_frame) = principal_axes(inertia);
            let inertia = AngularInertia { principal, local_frame };
            let mass = (Mass(mass), CenterOfMass(center_of_mass), inertia);
            entity.insert((RigidBody::Dynamic, mass));
        } else {
            entity.insert(RigidBody::Static);
        }
    }
}

fn at(frame: Frame) -> Transform {
    Transform {
        translation: single3(frame.position),
        rotation: single_quat(frame.rotation),
        scale: single3(frame.scale),
    }
}

fn vector(v: urdf_rs::Vec3) -> Vec3 {
    Vec3::from_array(v.map(narrow))
}

/// A link and, but for the root, the joint and the link above it.
type Node = (usize, Option<(usize, usize)>);

/// The links, each after its parent.
fn tree(robot: &Robot) -> Result<Vec<Node>, UrdfError> {
    let find = |name: &str| robot.links.iter().position(|link| link.name == name);
    let mut above = vec![None; robot.links.len()];
    for (index, link) in robot.links.iter().enumerate() {
        if find(&link.name) != Some(index) {
            return Err(UrdfError::SameName(link.name.clone()));
        }
    }
    for (index, joint) in robot.joints.iter().enumerate() {
        let end = |name: &str| {
            let none = || UrdfError::NoLink { joint: joint.name.clone(), link: name.to_owned() };
            find(name).ok_or_else(none)
        };
        let (parent, child) = (end(&joint.parent.link)?, end(&joint.child.link)?);
        if above[child].replace((index, parent)).is_some() {
            return Err(UrdfError::TwoParents(joint.child.link.clone()));
        }
    }
    let is_root = |&(_, above): &Node| above.is_none();
    let all = || above.iter().copied().enumerate();
    let mut order: Vec<Node> = all().filter(is_root).collect();
    if order.len() != 1 {
        return Err(UrdfError::Roots(order.len()));
    }
    let mut next = 0;
    while let Some(&(link, _)) = order.get(next) {
        let is_below = |(_, above): &Node| above.is_some_and(|(_, parent)| parent == link);
        order.extend(all().filter(is_below));
        next += 1;
    }
    let lost = all().find(|node| !order.contains(node));
    lost.map_or(Ok(order), |(link, _)| Err(UrdfError::Circle(robot.links[link].name.clone())))
}

/// The frame of a pose; rolls, pitches and yaws follow each other about the fixed axes x, y and z.
fn pose(pose: &Pose, owner: &str) -> Result<Frame, UrdfError> {
    let [roll, pitch, yaw] = pose.rpy.map(narrow);
    let pitched = quat_mul(quat_exp(Vec3::Y * pitch), quat_exp(Vec3::X * roll));
    let rotation = quat_normalize(quat_mul(quat_exp(Vec3::Z * yaw), pitched));
    let frame = Frame { position: vector(pose.xyz), rotation, scale: Vec3::ONE };
    let not_finite = || UrdfError::NotFinite(owner.to_owned());
    frame.is_sound().then_some(frame).ok_or_else(not_finite)
}

/// Mass properties in the frame of the link.
fn mass(inertial: &urdf_rs::Inertial, owner: &str) -> Result<MassProperties, UrdfError> {
    let frame = pose(&inertial.origin, owner)?;
    let urdf_rs::Inertia { ixx, ixy, ixz, iyy, iyz, izz } = inertial.inertia;
    let all = [ixx, iyy, izz, ixy, ixz, iyz].map(narrow);
    let [xx, yy, zz, xy, xz, yz] = all;
    if !all.iter().all(|number| number.is_finite()) {
        return Err(UrdfError::NotFinite(owner.to_owned()));
    }
    let inertia = SymMat3 { xx, yy, zz, xy, xz, yz };
    let mass = narrow(inertial.mass.value);
    let local = MassProperties { mass, center_of_mass: Vec3::ZERO, inertia };
    Ok(local.transformed(frame.position, frame.rotation))
}

/// A joint without its ends; its place is given in the frame of the body above. None if it leaves everything
/// free, or nothing.
fn joined(joint: &urdf_rs::Joint, place: Frame) -> Result<Option<Joint>, UrdfError> {
    let (lower, upper) = (narrow(joint.limit.lower), narrow(joint.limit.upper));
    let made = match joint.joint_type {
        JointType::Fixed | JointType::Floating => return Ok(None),
        JointType::Revolute => Joint::revolute(None, None).with_limits(lower, upper),
        JointType::Continuous => Joint::revolute(None, None),
        JointType::Prismatic => Joint::prismatic(None, None).with_limits(lower, upper),
        JointType::Planar => Joint::planar(None, None),
        JointType::Spherical => Joint::spherical(None, None),
    };
    let basis = basis_along(vector(joint.axis.xyz));
    if !basis.is_finite() {
        return Err(UrdfError::NoAxis(joint.name.clone()));
    }
    let above = JointFrame::local(place.position, quat_mul(place.rotation, basis));
    let mut made = made.with_frames(above, JointFrame::local(Vec3::ZERO, basis));
    if let Some(dynamics) = &joint.dynamics {
        made = made.with_friction(narrow(dynamics.friction));
        if dynamics.damping != 0.0 {
            made = made.with_spring(0.0, narrow(dynamics.damping));
        }
    }
    Ok(Some(made))
}

/// Cylinders and capsules lie along z there, along y here.
fn turned(frame: Frame) -> Frame {
    let along: Quat = quat_exp(Vec3::X * (0.5 * PI));
    Frame { rotation: quat_normalize(quat_mul(frame.rotation, along)), ..frame }
}

/// A collider and its place in the frame of the link.
fn collider(
    geometry: &Geometry,
    frame: Frame,
    link: &str,
    meshes: &mut impl FnMut(&str) -> Option<Collider>,
) -> Result<(Frame, Collider), UrdfError> {
    let (frame, collider) = match geometry {
        Geometry::Box { size } => {
            let Vec3 { x, y, z } = vector(*size);
            (frame, Collider::cuboid(x, y, z))
        }
        Geometry::Sphere { radius } => (frame, Collider::sphere(narrow(*radius))),
        Geometry::Cylinder { radius, length } => {
            (turned(frame), Collider::cylinder(narrow(*radius), narrow(*length)))
        }
        Geometry::Capsule { radius, length } => {
            (turned(frame), Collider::capsule(narrow(*radius), narrow(*length)))
        }
        Geometry::Mesh { filename, scale } => {
            let none = || UrdfError::Mesh { link: link.to_owned(), file: filename.clone() };
            let collider = meshes(filename).ok_or_else(none)?;
            (Frame { scale: scale.map_or(Vec3::ONE, vector), ..frame }, collider)
        }
    };
    match collider.shape() {
        Ok(_) => Ok((frame, collider)),
        Err(error) => Err(UrdfError::Shape { link: link.to_owned(), error: error.clone() }),
    }
}

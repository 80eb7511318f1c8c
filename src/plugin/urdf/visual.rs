//! What of a robot is seen: shapes, colors and textures, for an app to draw.

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_transform::components::Transform;
use urdf_rs::{Geometry, Material, Robot};

use super::error::UrdfError;
use super::{at, pose, turned, vector};
use crate::math::single3;

/// What is seen of a link, as its `<visual>` says: on a child of the link's entity, whose `Transform` is its
/// place and, for a mesh, its scale. Nothing here draws it: an app gives the entity a mesh and a material.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use bevy_shape::{Capsule3d, Cuboid, Cylinder, Sphere};
/// use orthant::prelude::*;
///
/// fn draw(visuals: Query<(Entity, &UrdfVisual), Added<UrdfVisual>>) {
///     for (_entity, visual) in &visuals {
///         // In an app with a renderer each arm makes `Mesh3d(meshes.add(…))`, a mesh an asset.
///         match &visual.shape {
///             UrdfShape::Cuboid { size } => println!("{:?}", Cuboid::from_size(*size)),
///             UrdfShape::Sphere { radius } => println!("{:?}", Sphere::new(*radius)),
///             UrdfShape::Cylinder { radius, length } => println!("{:?}", Cylinder::new(*radius, *length)),
///             UrdfShape::Capsule { radius, length } => println!("{:?}", Capsule3d::new(*radius, *length)),
///             UrdfShape::Mesh { file } => println!("the mesh of {file}"),
///         }
///         // … and `Color::srgba(r, g, b, a)` the color of its material.
///         if let Some([r, g, b, a]) = visual.color {
///             println!("red {r}, green {g}, blue {b}, opacity {a}");
///         }
///     }
/// }
/// # bevy_ecs::world::World::new().run_system_cached(draw).unwrap();
/// ```
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, PartialEq, Clone)]
pub struct UrdfVisual {
    /// Its shape.
    pub shape: UrdfShape,
    /// Red, green, blue and opacity, each from 0 to 1, as of sRGB. None if neither the link nor the robot
    /// says one for its material.
    pub color: Option<[f32; 4]>,
    /// File of the texture, as it stands in the description.
    pub texture: Option<String>,
}

/// The shape of a [`UrdfVisual`], in Bevy's axes: cylinders and capsules are along y.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_transform::components::Transform;
/// use orthant::prelude::*;
///
/// # let mut world = World::new();
/// let robot = Urdf::read(
///     r#"<robot name="lamp"><link name="lamp">
///         <visual><geometry><mesh filename="package://lamp/lamp.stl"/></geometry></visual>
///     </link></robot>"#,
/// ).expect("a robot");
/// robot.spawn(&mut world.commands(), Transform::from_rotation(Urdf::upright()));
/// world.flush();
/// let seen = world.query::<&UrdfVisual>().single(&world).expect("one");
/// assert_eq!(seen.shape, UrdfShape::Mesh { file: "package://lamp/lamp.stl".into() });
/// ```
#[derive(Clone, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Debug, PartialEq, Clone)]
pub enum UrdfShape {
    /// A box.
    Cuboid {
        /// Full lengths (m).
        size: bevy_math::Vec3,
    },
    /// A ball.
    Sphere {
        /// Radius (m).
        radius: f32,
    },
    /// A cylinder along y.
    Cylinder {
        /// Radius (m).
        radius: f32,
        /// Length (m).
        length: f32,
    },
    /// A capsule along y.
    Capsule {
        /// Radius (m).
        radius: f32,
        /// Length (m), without the round ends.
        length: f32,
    },
    /// A mesh; its scale is that of the `Transform`.
    Mesh {
        /// Name of the file, as it stands in the description: a path, or a URL as `package://…`.
        file: String,
    },
}

/// A visual with its place in the frame of its link and its name.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) place: Transform,
    pub(super) name: Option<String>,
    pub(super) visual: UrdfVisual,
}

/// What is seen of a link.
pub(super) fn seen(link: &urdf_rs::Link, robot: &Robot) -> Result<Vec<Seen>, UrdfError> {
    let one = |visual: &urdf_rs::Visual| {
        let frame = pose(&visual.origin, &link.name)?;
        let mut place = at(frame);
        let shape = match &visual.geometry {
            Geometry::Box { size } => UrdfShape::Cuboid { size: single3(vector(*size)) },
            Geometry::Sphere { radius } => UrdfShape::Sphere { radius: *radius as f32 },
            Geometry::Cylinder { radius, length } => {
                place = at(turned(frame));
                UrdfShape::Cylinder { radius: *radius as f32, length: *length as f32 }
            }
            Geometry::Capsule { radius, length } => {
                place = at(turned(frame));
                UrdfShape::Capsule { radius: *radius as f32, length: *length as f32 }
            }
            Geometry::Mesh { filename, scale } => {
                place.scale = scale.map_or(place.scale, |scale| single3(vector(scale)));
                UrdfShape::Mesh { file: filename.clone() }
            }
        };
        let material = visual.material.as_ref().map(|material| told(material, robot));
        let color = material.and_then(|material| material.color.as_ref());
        let color = color.map(|color| color.rgba.map(|share| share as f32));
        let texture = material.and_then(|material| material.texture.as_ref());
        let texture = texture.map(|texture| texture.filename.clone());
        let shown = UrdfVisual { shape, color, texture };
        let finite = shown.is_finite() && place.scale.is_finite();
        let seen = Seen { place, name: visual.name.clone(), visual: shown };
        finite.then_some(seen).ok_or_else(|| UrdfError::NotFinite(link.name.clone()))
    };
    link.visual.iter().map(one).collect()
}

/// The material itself, or where it only has a name that of the robot, or of another link, which has it too.
fn told<'a>(material: &'a Material, robot: &'a Robot) -> &'a Material {
    let is_told = |material: &&Material| material.color.is_some() || material.texture.is_some();
    let visuals = robot.links.iter().flat_map(|link| &link.visual);
    let all = robot.materials.iter().chain(visuals.filter_map(|visual| visual.material.as_ref()));
    let mut same =
        core::iter::once(material).chain(all.filter(|other| other.name == material.name));
    same.find(is_told).unwrap_or(material)
}

impl UrdfVisual {
    fn is_finite(&self) -> bool {
        let shape = match self.shape {
            UrdfShape::Cuboid { size } => size.is_finite(),
            UrdfShape::Sphere { radius } => radius.is_finite(),
            UrdfShape::Cylinder { radius, length } | UrdfShape::Capsule { radius, length } => {
                radius.is_finite() && length.is_finite()
            }
            UrdfShape::Mesh { .. } => true,
        };
        shape && self.color.is_none_or(|color| color.iter().all(|share| share.is_finite()))
    }
}

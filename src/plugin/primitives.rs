//! Colliders from Bevy's primitive shapes.
//!
//! Those that are convex and have an exact form in the engine. Left out are frusta, tori, extrusions,
//! lines, triangles and finite planes: take the convex hull of points, or a mesh.

use bevy_math::Vec3 as Single3;
use bevy_shape::{Capsule3d, Cone, Cuboid, Cylinder, InfinitePlane3d, Sphere, Tetrahedron};

use super::collider::Collider;
use crate::engine::shape::Shape;
use crate::math::{Vec3, from_single3};

impl From<Sphere> for Collider {
    fn from(Sphere { radius }: Sphere) -> Self {
        Self::sphere(from_single3(Single3::splat(radius)).x)
    }
}

impl From<Cuboid> for Collider {
    fn from(cuboid: Cuboid) -> Self {
        let size = from_single3(cuboid.half_size) * 2.0;
        Self::cuboid(size.x, size.y, size.z)
    }
}

impl From<Capsule3d> for Collider {
    fn from(Capsule3d { radius, half_length }: Capsule3d) -> Self {
        let Vec3 { x: radius, y: half, .. } = from_single3(Single3::new(radius, half_length, 0.0));
        Self::capsule(radius, half * 2.0)
    }
}

impl From<Cylinder> for Collider {
    fn from(Cylinder { radius, half_height }: Cylinder) -> Self {
        let Vec3 { x: radius, y: half, .. } = from_single3(Single3::new(radius, half_height, 0.0));
        Self::cylinder(radius, half * 2.0)
    }
}

impl From<Cone> for Collider {
    fn from(Cone { radius, height }: Cone) -> Self {
        let Vec3 { x: radius, y: height, .. } = from_single3(Single3::new(radius, height, 0.0));
        Self::cone(radius, height)
    }
}

impl From<Tetrahedron> for Collider {
    fn from(Tetrahedron { vertices }: Tetrahedron) -> Self {
        Self::new(Shape::convex_hull(&vertices.map(from_single3)))
    }
}

/// Everything below the plane.
impl From<InfinitePlane3d> for Collider {
    fn from(InfinitePlane3d { normal }: InfinitePlane3d) -> Self {
        Self::half_space(from_single3(normal.as_vec3()))
    }
}

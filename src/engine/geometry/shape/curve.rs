//! Smooth cores: cylinder, cone and ellipsoid.
//!
//! A curved hull is `core ⊕ B(radius)` with the core in closed form. Its support function is the
//! largest of a few smooth *branches*,
//!
//! ```text
//! cylinder    r |n_xz| + h n_y   (1, the upper rim),     r |n_xz| - h n_y   (0, the lower rim)
//! cone        ¾ h n_y            (1, the apex),          r |n_xz| - ¼ h n_y (0, the rim)
//! ellipsoid   √(a² n_x² + b² n_y² + c² n_z²)             (0)
//! ```
//!
//! whose gradients are points of the surface and whose second derivatives are known too, which the ratio
//! metric uses. Where a branch has no gradient, along the axis, its point is the center of the cap, so that
//! every direction has one answer. In the list of vertices a curved hull has one stand-in at the centroid,
//! its faces are its flat caps, without loops. Cost: O(1).

use super::error::{ShapeError, checked_length};
use super::hull::{Face, Hull};
use super::mass::outer;
use crate::math::{DMat3, DVec3, Double, PI_DOUBLE, Real, SymMat3, Vec3, narrow, widen, widen3};

/// Lengths below this have no direction.
const NO_DIRECTION: Double = 1e-150;

/// The core of a curved hull, about its centroid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curve {
    /// A cylinder along y.
    Cylinder {
        /// Radius (m).
        radius: Real,
        /// Half of the height (m).
        half_height: Real,
    },
    /// A cone along y with its apex up: the base is at `-height / 4`, the apex at `3 height / 4`.
    Cone {
        /// Radius of the base (m).
        radius: Real,
        /// Height (m).
        height: Real,
    },
    /// An ellipsoid along the axes.
    Ellipsoid {
        /// Half of its lengths (m).
        half: Vec3,
    },
}

/// A plane or a cone that bounds a body of revolution: `normal[0] ρ + normal[1] y ≤ offset`, with
/// the distance ρ from the axis (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Meridian {
    /// Unit normal in (ρ, y).
    pub(crate) normal: [Real; 2],
    /// Distance from the centroid (m).
    pub(crate) offset: Real,
}

/// `point` of a circle of this radius around the y axis, farthest along `n`; its center if `n` has
/// no direction across the axis.
#[inline]
fn on_circle(radius: Double, y: Double, n: DVec3) -> DVec3 {
    let across = (n.x * n.x + n.z * n.z).sqrt();
    let k = if across > NO_DIRECTION { radius / across } else { 0.0 };
    DVec3::new(n.x * k, y, n.z * k)
}

impl Curve {
    /// The branch of the support function that is largest along `n`.
    #[inline]
    pub(crate) fn branch(&self, n: DVec3) -> u32 {
        match *self {
            Self::Cylinder { .. } => u32::from(n.y >= 0.0),
            Self::Cone { radius, height } => {
                let across = (n.x * n.x + n.z * n.z).sqrt();
                u32::from(widen(height) * n.y >= widen(radius) * across)
            }
            Self::Ellipsoid { .. } => 0,
        }
    }

    /// The point of a branch for the direction `n` (m): the gradient of its support function.
    #[inline]
    pub(crate) fn point(&self, branch: u32, n: DVec3) -> DVec3 {
        match *self {
            Self::Cylinder { radius, half_height } => {
                let y = if branch == 0 { -widen(half_height) } else { widen(half_height) };
                on_circle(widen(radius), y, n)
            }
            Self::Cone { radius, height } if branch == 0 => {
                on_circle(widen(radius), -0.25 * widen(height), n)
            }
            Self::Cone { height, .. } => DVec3::new(0.0, 0.75 * widen(height), 0.0),
            Self::Ellipsoid { half } => {
                let half = widen3(half);
                let scaled = half * n;
                let length = scaled.dot(scaled).sqrt();
                if length > NO_DIRECTION { half * scaled / length } else { DVec3::ZERO }
            }
        }
    }

    /// Second derivative of a branch of the support function at `n`.
    #[inline]
    pub(crate) fn bend(&self, branch: u32, n: DVec3) -> DMat3 {
        match *self {
            Self::Cylinder { radius, .. } | Self::Cone { radius, .. } => {
                let across = (n.x * n.x + n.z * n.z).sqrt();
                if across <= NO_DIRECTION || (branch != 0 && matches!(self, Self::Cone { .. })) {
                    return DMat3::ZERO;
                }
                let turned = DVec3::new(-n.z / across, 0.0, n.x / across);
                outer(turned, turned * (widen(radius) / across))
            }
            Self::Ellipsoid { half } => {
                let half = widen3(half);
                let scaled = half * n;
                let length = scaled.dot(scaled).sqrt();
                if length <= NO_DIRECTION {
                    return DMat3::ZERO;
                }
                let point = half * scaled / length;
                DMat3::from_diagonal(half * half / length) - outer(point, point * (1.0 / length))
            }
        }
    }

    /// The farthest point along `n` (m).
    #[inline]
    pub(crate) fn support(&self, n: DVec3) -> DVec3 {
        self.point(self.branch(n), n)
    }

    /// Radius of the caps (m); zero without any.
    #[inline]
    pub(crate) fn cap_radius(&self) -> Real {
        match *self {
            Self::Cylinder { radius, .. } | Self::Cone { radius, .. } => radius,
            Self::Ellipsoid { .. } => 0.0,
        }
    }

    /// What bounds a body of revolution in the plane through its axis; nothing for an ellipsoid.
    pub(crate) fn meridian(&self) -> ([Meridian; 3], usize) {
        let side = |x, y, offset| Meridian { normal: [x, y], offset };
        match *self {
            Self::Cylinder { radius, half_height } => (
                [side(1.0, 0.0, radius), side(0.0, 1.0, half_height), side(0.0, -1.0, half_height)],
                3,
            ),
            Self::Cone { radius, height } => {
                let (r, h) = (widen(radius), widen(height));
                let slant = (r * r + h * h).sqrt();
                let cone = side(narrow(h / slant), narrow(r / slant), narrow(0.75 * h * r / slant));
                let base = side(0.0, -1.0, 0.25 * height);
                ([cone, base, base], 2)
            }
            Self::Ellipsoid { .. } => ([side(1.0, 0.0, 0.0); 3], 0),
        }
    }

    /// This body, larger by a factor.
    pub(crate) fn grown(&self, by: Real) -> Self {
        match *self {
            Self::Cylinder { radius, half_height } => {
                Self::Cylinder { radius: radius * by, half_height: half_height * by }
            }
            Self::Cone { radius, height } => {
                Self::Cone { radius: radius * by, height: height * by }
            }
            Self::Ellipsoid { half } => Self::Ellipsoid { half: half * by },
        }
    }

    /// Radius of the ball about the centroid inside of it (m).
    fn inradius(&self) -> Real {
        if let Self::Ellipsoid { half } = self {
            return half.min_element();
        }
        let (sides, n) = self.meridian();
        sides[..n].iter().map(|side| side.offset).fold(Real::INFINITY, Real::min)
    }

    /// Radius of the ball about the centroid around it (m).
    fn bounding_radius(&self) -> Real {
        match *self {
            Self::Cylinder { radius, half_height } => {
                (radius * radius + half_height * half_height).sqrt()
            }
            Self::Cone { radius, height } => {
                let rim = (radius * radius + height * height / 16.0).sqrt();
                rim.max(0.75 * height)
            }
            Self::Ellipsoid { half } => half.max_element(),
        }
    }

    /// The flat caps.
    fn caps(&self) -> Vec<Face> {
        let cap = |normal, offset| Face { normal, offset, start: 0, len: 0 };
        match *self {
            Self::Cylinder { half_height, .. } => {
                vec![cap(-Vec3::Y, half_height), cap(Vec3::Y, half_height)]
            }
            Self::Cone { height, .. } => vec![cap(-Vec3::Y, 0.25 * height)],
            Self::Ellipsoid { .. } => Vec::new(),
        }
    }
}

/// Volume, and inertia per unit density about x (and z) and about y, of a cylinder `r`, half height
/// `h`, rounded by `b`: integrals over discs of the radius `r + s`, `s = √(b² - z²)`, at `h + z`.
fn rounded_cylinder_mass(r: Double, h: Double, b: Double) -> (Double, Double, Double) {
    let pi = PI_DOUBLE;
    // ∫ s^j dz for j = 0..4, ∫ s^j z dz and ∫ s^j z² dz for j = 0..2, over 0 ≤ z ≤ b.
    let (b2, r2, h2) = (b * b, r * r, h * h);
    let (b3, b4) = (b2 * b, b2 * b2);
    let s = [b, pi * b2 / 4.0, 2.0 * b3 / 3.0, 3.0 * pi * b4 / 16.0, 8.0 * b4 * b / 15.0];
    let z = [b2 / 2.0, b3 / 3.0, b4 / 4.0];
    let zz = [b3 / 3.0, pi * b4 / 16.0, 2.0 * b4 * b / 15.0];
    let square = |m: &[Double]| r2 * m[0] + 2.0 * r * m[1] + m[2];
    let fourth = r2 * (r2 * s[0] + 4.0 * r * s[1] + 6.0 * s[2]) + 4.0 * r * s[3] + s[4];
    let outer = (r + b) * (r + b);
    // Both halves.
    let volume = 2.0 * pi * (outer * h + square(&s));
    let fourth = 2.0 * pi * (outer * outer * h + fourth);
    let rims = h2 * square(&s) + 2.0 * h * square(&z) + square(&zz);
    let along = 2.0 * pi * (outer * h2 * h / 3.0 + rims);
    (volume, 0.25 * fourth + along, 0.5 * fourth)
}

impl Hull {
    /// A cylinder along y of a radius and a full height (m).
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn cylinder(radius: Real, height: Real) -> Result<Self, ShapeError> {
        let r = checked_length("the radius of the cylinder", radius)?;
        let h = 0.5 * checked_length("the height of the cylinder", height)?;
        Ok(Self::cylinder_from(r, h, 0.0))
    }

    /// A cylinder with rounded rims: all points within `border_radius` of a cylinder along y of a
    /// radius and a full height (m).
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn round_cylinder(
        radius: Real,
        height: Real,
        border_radius: Real,
    ) -> Result<Self, ShapeError> {
        let r = checked_length("the radius of the cylinder", radius)?;
        let h = 0.5 * checked_length("the height of the cylinder", height)?;
        let b = checked_length("the border radius of the cylinder", border_radius)?;
        Ok(Self::cylinder_from(r, h, b))
    }

    fn cylinder_from(radius: Real, half_height: Real, border_radius: Real) -> Self {
        let lengths = [radius, half_height, border_radius].map(widen);
        let (volume, across, along) = rounded_cylinder_mass(lengths[0], lengths[1], lengths[2]);
        let inertia = DVec3::new(across, along, across);
        Self::curved(Curve::Cylinder { radius, half_height }, border_radius, volume, inertia)
    }

    /// A cone along y, apex up, of a radius of its base and a full height (m). The origin is in the
    /// middle of the height.
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn cone(radius: Real, height: Real) -> Result<Self, ShapeError> {
        let r = widen(checked_length("the radius of the cone", radius)?);
        let h = widen(checked_length("the height of the cone", height)?);
        let volume = PI_DOUBLE * r * r * h / 3.0;
        let across = volume * (0.15 * r * r + 0.0375 * h * h);
        let inertia = DVec3::new(across, volume * 0.3 * r * r, across);
        let mut hull = Self::curved(Curve::Cone { radius, height }, 0.0, volume, inertia);
        hull.centroid = Vec3::new(0.0, -0.25 * height, 0.0);
        Ok(hull)
    }

    /// An ellipsoid along the axes, of full lengths (m).
    ///
    /// # Errors
    /// A length that is not positive, not finite or too large.
    pub fn ellipsoid(size: Vec3) -> Result<Self, ShapeError> {
        checked_length("the x length of the ellipsoid", size.x)?;
        checked_length("the y length of the ellipsoid", size.y)?;
        checked_length("the z length of the ellipsoid", size.z)?;
        let half = size * 0.5;
        let h = widen3(half);
        let volume = 4.0 / 3.0 * PI_DOUBLE * h.x * h.y * h.z;
        let s = h * h * (0.2 * volume);
        let inertia = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y);
        Ok(Self::curved(Curve::Ellipsoid { half }, 0.0, volume, inertia))
    }

    /// A curved hull about its centroid.
    fn curved(curve: Curve, radius: Real, volume: Double, inertia: DVec3) -> Self {
        let inertia = SymMat3::diagonal(crate::math::narrow3(inertia));
        let core = Self::rounded_core(vec![Vec3::ZERO], Vec::new(), radius, volume, inertia);
        Self {
            faces: curve.caps(),
            inradius: curve.inradius() + radius,
            bounding_radius: curve.bounding_radius() + radius,
            curve: Some(curve),
            ..core
        }
    }

    /// The smooth core, if there is one.
    #[inline]
    #[must_use]
    pub fn curve(&self) -> Option<&Curve> {
        self.curve.as_ref()
    }

    /// The point of the core farthest along `n` (m), in double precision; `hint` is a vertex near it.
    #[inline]
    pub(crate) fn core_point(&self, n: DVec3, hint: u32) -> DVec3 {
        match &self.curve {
            Some(curve) => curve.support(n),
            None => widen3(self.vertices[self.support(crate::math::narrow3(n), hint) as usize]),
        }
    }

    /// The point of the hull, with its rounding, that is farthest along a direction of any length (m).
    #[must_use]
    pub fn support_point(&self, direction: Vec3) -> Vec3 {
        let n = widen3(direction).normalize_or_zero();
        crate::math::narrow3(self.core_point(n, 0) + n * widen(self.radius))
    }
}

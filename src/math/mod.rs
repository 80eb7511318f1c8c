//! Numbers: the only module that names `f32` and `f64`.
//!
//! [`Real`] is the precision of positions, velocities and the ratio metric (`f32`, or `f64` with the
//! feature `f64`); [`Double`] is always 64 bits wide (hull building, the step problem and its solvers,
//! certificates), [`Single`] always 32. The engine computes with glam's scalar types only: glam's SIMD
//! types use fused operations on some targets, which would change bits between machines. For the same
//! reason the quaternion product and its normalization are written out here, and every transcendental
//! function comes from `libm`. Beside them what is made of numbers alone: sets, systems of equations,
//! rotations, boxes along the axes.

pub(crate) mod aabb;
pub(crate) mod dense;
mod groups;
pub(crate) mod sets;
mod sym_mat;
pub(crate) mod turns;
#[cfg(feature = "serialize")]
pub(crate) mod unbounded;

/// Always double precision: hull building, the step problem, certificates.
pub type Double = f64;
/// Always single precision: factors where memory and lanes count more than digits.
pub type Single = f32;
/// A vector that is always in double precision.
pub type DVec3 = glam::DVec3;
/// A 3×3 matrix (columns) that is always in double precision.
pub type DMat3 = glam::DMat3;

#[cfg(not(feature = "f64"))]
mod chosen {
    /// Precision of positions, velocities and the metric: `f32`, or `f64` with the feature `f64`.
    pub type Real = f32;
    /// A vector of [`Real`].
    pub type Vec3 = glam::Vec3;
    /// A 3×3 matrix (columns) of [`Real`].
    pub type Mat3 = glam::Mat3;
    /// A unit quaternion of [`Real`], storage only: multiply with [`quat_mul`](super::quat_mul).
    pub type Quat = glam::Quat;
    pub(super) use libm::{atan2f as atan2_, cosf as cos_, sinf as sin_};
}
#[cfg(feature = "f64")]
mod chosen {
    /// Precision of positions, velocities and the metric: `f32`, or `f64` with the feature `f64`.
    pub type Real = f64;
    /// A vector of [`Real`].
    pub type Vec3 = glam::DVec3;
    /// A 3×3 matrix (columns) of [`Real`].
    pub type Mat3 = glam::DMat3;
    /// A unit quaternion of [`Real`], storage only: multiply with [`quat_mul`](super::quat_mul).
    pub type Quat = glam::DQuat;
    pub(super) use libm::{atan2 as atan2_, cos as cos_, sin as sin_};
}
pub use chosen::{Mat3, Quat, Real, Vec3};
pub(crate) use groups::Groups;
pub use sym_mat::{
    SYM_PLACES, Sym, SymMat3, sym_cofactors, sym_eigen, sym_inverse, sym_minors, sym_positive_part,
    sym_times,
};

/// π.
#[allow(clippy::unnecessary_cast, reason = "a cast only in one of the two precisions")]
pub const PI: Real = core::f64::consts::PI as Real;
/// Sine and cosine of π/4.
#[allow(clippy::unnecessary_cast, reason = "a cast only in one of the two precisions")]
pub const DIAGONAL: Real = core::f64::consts::FRAC_1_SQRT_2 as Real;
/// Sine and cosine of the eighths of a turn.
pub const EIGHTHS: [[Real; 2]; 8] = [
    [0.0, 1.0],
    [DIAGONAL, DIAGONAL],
    [1.0, 0.0],
    [DIAGONAL, -DIAGONAL],
    [0.0, -1.0],
    [-DIAGONAL, -DIAGONAL],
    [-1.0, 0.0],
    [-DIAGONAL, DIAGONAL],
];
/// π in double precision.
pub const PI_DOUBLE: Double = core::f64::consts::PI;
/// Size (–) below which two terms of an even series leave rounding in double precision: its fourth power.
pub const SERIES: Double = 1e-3;
/// Machine epsilon of [`Real`].
pub const EPSILON: Real = Real::EPSILON;

/// Sine of an angle in radians, same bits on every platform.
#[inline]
pub fn sin(x: Real) -> Real {
    chosen::sin_(x)
}

/// Cosine of an angle in radians, same bits on every platform.
#[inline]
pub fn cos(x: Real) -> Real {
    chosen::cos_(x)
}

/// Angle of the point (x, y) in radians, same bits on every platform.
#[inline]
pub fn atan2(y: Real, x: Real) -> Real {
    chosen::atan2_(y, x)
}

/// Sine and cosine in double precision, same bits on every platform.
#[inline]
pub fn sin_cos_double(x: Double) -> (Double, Double) {
    (libm::sin(x), libm::cos(x))
}

/// Angle of the point (x, y) in radians in double precision, same bits on every platform.
#[inline]
pub fn atan2_double(y: Double, x: Double) -> Double {
    libm::atan2(y, x)
}

/// Exponential function in double precision, same bits on every platform.
#[inline]
pub fn exp_double(x: Double) -> Double {
    libm::exp(x)
}

/// `x` to the power of `y`, the same on every platform.
pub fn pow_double(x: Double, y: Double) -> Double {
    libm::pow(x, y)
}

/// Widens to double precision.
#[inline]
#[allow(clippy::unnecessary_cast, reason = "Real may already be f64")]
pub fn widen(x: Real) -> Double {
    x as Double
}

/// Rounds to [`Real`].
#[inline]
#[allow(clippy::unnecessary_cast, reason = "Real may already be f64")]
pub fn narrow(x: Double) -> Real {
    x as Real
}

/// Widens a vector to double precision.
#[inline]
pub fn widen3(v: Vec3) -> DVec3 {
    DVec3::new(widen(v.x), widen(v.y), widen(v.z))
}

/// Rounds a vector to [`Real`].
#[inline]
pub fn narrow3(v: DVec3) -> Vec3 {
    Vec3::new(narrow(v.x), narrow(v.y), narrow(v.z))
}

/// Widens a matrix to double precision.
#[inline]
pub fn widen_mat3(m: Mat3) -> DMat3 {
    DMat3::from_cols(widen3(m.x_axis), widen3(m.y_axis), widen3(m.z_axis))
}

/// The numbers (x, y, z, w) of a quaternion in double precision.
#[inline]
pub fn widen_quat(q: Quat) -> [Double; 4] {
    [widen(q.x), widen(q.y), widen(q.z), widen(q.w)]
}

/// Rounds a vector to single precision, the precision of Bevy's `Transform`.
#[inline]
#[allow(clippy::unnecessary_cast, reason = "Real may already be f32")]
pub fn single3(v: Vec3) -> glam::Vec3 {
    glam::Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

/// Rounds a quaternion to single precision.
#[inline]
#[allow(clippy::unnecessary_cast, reason = "Real may already be f32")]
pub fn single_quat(q: Quat) -> glam::Quat {
    glam::Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32)
}

/// Widens a vector of single precision to [`Real`].
#[inline]
#[allow(clippy::useless_conversion, reason = "Real may already be f32")]
pub fn from_single3(v: glam::Vec3) -> Vec3 {
    Vec3::new(v.x.into(), v.y.into(), v.z.into())
}

/// Widens a quaternion of single precision to [`Real`].
#[inline]
#[allow(clippy::useless_conversion, reason = "Real may already be f32")]
pub fn from_single_quat(q: glam::Quat) -> Quat {
    Quat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into())
}

/// Hamilton product `a b` by scalar operations.
#[inline]
pub fn quat_mul(a: Quat, b: Quat) -> Quat {
    Quat::from_xyzw(
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    )
}

/// Hamilton product `a b` of quaternions (x, y, z, w) in double precision.
#[inline]
pub fn quat_mul_double(a: [Double; 4], b: [Double; 4]) -> [Double; 4] {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// Rotates a vector by a unit quaternion (x, y, z, w) in double precision.
#[inline]
pub fn quat_rotate_double(q: [Double; 4], v: DVec3) -> DVec3 {
    let u = DVec3::new(q[0], q[1], q[2]);
    let t = u.cross(v) * 2.0;
    v + t * q[3] + u.cross(t)
}

/// The unit quaternion (x, y, z, w) of a rotation vector in double precision.
pub fn quat_exp_double(rotation: DVec3) -> [Double; 4] {
    let half = 0.5 * rotation.length();
    let (sine, cosine) = sin_cos_double(half);
    let s = if half < 1e-5 { 0.5 * (1.0 - half * half / 6.0) } else { sine / (2.0 * half) };
    [rotation.x * s, rotation.y * s, rotation.z * s, cosine]
}

/// The inverse of a unit quaternion.
#[inline]
pub fn quat_conjugate(q: Quat) -> Quat {
    Quat::from_xyzw(-q.x, -q.y, -q.z, q.w)
}

/// `q` scaled to length one; the identity if `q` has no direction.
#[inline]
pub fn quat_normalize(q: Quat) -> Quat {
    let length_squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if length_squared > Real::MIN_POSITIVE / EPSILON && length_squared.is_finite() {
        let s = 1.0 / length_squared.sqrt();
        return Quat::from_xyzw(q.x * s, q.y * s, q.z * s, q.w * s);
    }
    // Squares that small have lost digits.
    let largest = q.x.abs().max(q.y.abs()).max(q.z.abs()).max(q.w.abs());
    if largest > 0.0 && q.is_finite() {
        quat_normalize(q / largest)
    } else {
        Quat::from_xyzw(0.0, 0.0, 0.0, 1.0)
    }
}

/// The rotation matrix of a unit quaternion, by scalar operations.
#[inline]
pub fn quat_to_mat3(q: Quat) -> Mat3 {
    let (x, y, z, w) = (q.x, q.y, q.z, q.w);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    Mat3::from_cols(
        Vec3::new(1.0 - (yy + zz), xy + wz, xz - wy),
        Vec3::new(xy - wz, 1.0 - (xx + zz), yz + wx),
        Vec3::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
    )
}

/// Rotates a vector by a unit quaternion.
#[inline]
pub fn quat_rotate(q: Quat, v: Vec3) -> Vec3 {
    let u = Vec3::new(q.x, q.y, q.z);
    let t = u.cross(v) * 2.0;
    v + t * q.w + u.cross(t)
}

/// The unit quaternion of a rotation vector (axis times angle in radians): the exponential map.
pub fn quat_exp(rotation: Vec3) -> Quat {
    let angle_squared = rotation.dot(rotation);
    let half = 0.5 * angle_squared.sqrt();
    // sin(x)/x to fourth order below the angle at which sine loses digits.
    let s = if half < 1e-3 { 0.5 * (1.0 - half * half / 6.0) } else { sin(half) / (2.0 * half) };
    quat_normalize(Quat::from_xyzw(rotation.x * s, rotation.y * s, rotation.z * s, cos(half)))
}

/// The rotation vector (axis times angle in radians, angle ≤ π) of a unit quaternion.
pub fn quat_log(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { Quat::from_xyzw(-q.x, -q.y, -q.z, -q.w) } else { q };
    let v = Vec3::new(q.x, q.y, q.z);
    let s = v.dot(v).sqrt();
    let k = if s < 1e-6 { 2.0 } else { 2.0 * atan2(s, q.w) / s };
    v * k
}

/// Two unit vectors that make a right-handed frame `(n, t1, t2)` with the unit vector `n`: `t1` is
/// the projected world axis least aligned with `n`.
pub fn tangents(n: Vec3) -> (Vec3, Vec3) {
    let a = n.abs();
    let axis = if a.x <= a.y && a.x <= a.z {
        Vec3::X
    } else if a.y <= a.z {
        Vec3::Y
    } else {
        Vec3::Z
    };
    let t1 = (axis - n * n.dot(axis)).normalize();
    (t1, n.cross(t1))
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Double {}
    impl Sealed for super::Single {}
}

/// A number type in which a kernel can be built: [`Real`], or [`Double`] for its retries; and
/// [`Single`], whatever [`Real`] is.
pub trait Scalar:
    sealed::Sealed
    + Copy
    + PartialOrd
    + core::fmt::Debug
    + core::ops::Add<Output = Self>
    + core::ops::Sub<Output = Self>
    + core::ops::Mul<Output = Self>
    + core::ops::Div<Output = Self>
    + core::ops::Neg<Output = Self>
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Machine epsilon.
    const EPSILON: Self;
    /// Largest finite number.
    const MAX: Self;
    /// The number nearest to `x`.
    fn from_double(x: Double) -> Self;
    /// A [`Real`] as a number of this type.
    fn from_real(x: Real) -> Self;
    /// The nearest [`Real`].
    fn to_real(self) -> Real;
    /// This number in double precision.
    fn to_double(self) -> Double;
    /// The whole number nearest to zero, of a number that is not negative, at most `i32::MAX`.
    fn to_index(self) -> u32;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
}

macro_rules! scalar {
    ($t:ty) => {
        #[allow(
            clippy::unnecessary_cast,
            clippy::cast_lossless,
            reason = "a cast only in one of the two precisions"
        )]
        impl Scalar for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: Self = <$t>::EPSILON;
            const MAX: Self = <$t>::MAX;
            #[inline(always)]
            fn from_double(x: Double) -> Self {
                x as Self
            }
            #[inline(always)]
            fn from_real(x: Real) -> Self {
                x as Self
            }
            #[inline(always)]
            fn to_real(self) -> Real {
                self as Real
            }
            #[inline(always)]
            fn to_double(self) -> Double {
                self as Double
            }
            #[inline(always)]
            fn to_index(self) -> u32 {
                // Through `i32`, for which there is an instruction.
                (self as i32).cast_unsigned() & 0x7fff_ffff
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$t>::sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$t>::abs(self)
            }
        }
    };
}
scalar!(Double);
scalar!(Single);

/// A vector of any [`Scalar`].
pub type Array3<S> = [S; 3];

/// `a · b`.
#[inline(always)]
pub fn dot3<S: Scalar>(a: Array3<S>, b: Array3<S>) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a + b`.
#[inline(always)]
pub fn add3<S: Scalar>(a: Array3<S>, b: Array3<S>) -> Array3<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
#[inline(always)]
pub fn sub3<S: Scalar>(a: Array3<S>, b: Array3<S>) -> Array3<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a s`.
#[inline(always)]
pub fn scale3<S: Scalar>(a: Array3<S>, s: S) -> Array3<S> {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a × b`.
#[inline(always)]
pub fn cross3<S: Scalar>(a: Array3<S>, b: Array3<S>) -> Array3<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The vector in the numbers of a [`Scalar`].
#[inline(always)]
pub fn array3<S: Scalar>(v: Vec3) -> Array3<S> {
    [S::from_real(v.x), S::from_real(v.y), S::from_real(v.z)]
}

/// Cuts the first `n` items off a list.
pub(crate) fn cut<'a, T>(rest: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    let (first, others) = core::mem::take(rest).split_at_mut(n);
    *rest = others;
    first
}

/// Makes a list, which keeps its room, what an iterator gives.
pub(crate) fn fill_from<T>(list: &mut Vec<T>, items: impl IntoIterator<Item = T>) {
    list.clear();
    list.extend(items);
}

/// Makes a list, which keeps its room and at first has no more than it needs, `n` times this value.
pub(crate) fn refill<T: Clone>(list: &mut Vec<T>, n: usize, value: T) {
    list.clear();
    if list.capacity() == 0 {
        list.reserve_exact(n);
    }
    list.resize(n, value);
}

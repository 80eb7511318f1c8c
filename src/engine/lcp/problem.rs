//! The problem of one island, as all solvers know it: bodies, rows and unknowns. For the equations see the
//! [module](super).

use smallvec::SmallVec;

use crate::math::Double;

/// Six velocity or impulse components of a body: three of translation, three of rotation (about the
/// center of mass, world axes).
pub type Vec6 = [Double; 6];

/// Marks the missing body of a contact with the fixed world.
pub const FIXED: u32 = u32::MAX;

/// Shape of the friction cone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Cone {
    /// `|t| ≤ μ c_n`.
    Circular,
    /// `t ∈ μ c_n conv{d_i}` with this many directions `d_i = (cos 2πi/m_C, sin 2πi/m_C)`: the balanced set
    /// (4.5). Even, at least 2; with 2 the second tangent carries no friction (planar motion).
    Pyramid(u32),
}

/// A body's mass matrix and free velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyBlock {
    /// Mass in each direction of translation (kg); 1 for a locked direction.
    pub mass: [Double; 3],
    /// World inertia [kg·m²] as (xx, yy, zz, xy, xz, yz); locked axes have an identity row.
    pub inertia: [Double; 6],
    /// Inverse masses [1/kg]; 0 for a locked direction.
    pub inverse_mass: [Double; 3],
    /// Inverse world inertia [1/(kg·m²)], same order; locked axes have a zero row.
    pub inverse_inertia: [Double; 6],
    /// `v* = v_l + h M⁻¹ k` [m/s, rad/s].
    pub velocity_free: Vec6,
}

impl BodyBlock {
    /// Which of the six directions are not locked.
    #[must_use]
    pub fn free(&self) -> [bool; 6] {
        let (m, [x, y, z, ..]) = (self.inverse_mass, self.inverse_inertia);
        [m[0], m[1], m[2], x, y, z].map(|inverse| inverse != 0.0)
    }
}

/// Largest over smallest mass of an island (–).
#[must_use]
pub fn mass_ratio(bodies: &[BodyBlock]) -> Double {
    let inverse = |b: &BodyBlock| b.inverse_mass.iter().fold(0.0, |m: Double, x| m.max(*x));
    let (mut low, mut high) = (Double::INFINITY, 0.0);
    for body in bodies {
        let x = inverse(body);
        if x > 0.0 {
            (low, high) = (x.min(low), x.max(high));
        }
    }
    if high > 0.0 { high / low } else { 1.0 }
}

/// A contact: one normal and two tangent rows between bodies `a` and `b`.
///
/// Row `i` reads `w_i = jacobian_a[i] · v_a + jacobian_b[i] · v_b + bias[i]`, [m/s] for rows scaled
/// as ordinary contact rows; the impulse is then in N·s. Components of locked directions are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRow {
    /// Index of body a in the island, or [`FIXED`].
    pub a: u32,
    /// Index of body b in the island, or [`FIXED`].
    pub b: u32,
    /// Rows (normal, tangent 1, tangent 2) of body a (– and m); zero if `a` is fixed.
    pub jacobian_a: [Vec6; 3],
    /// Rows of body b (– and m); zero if `b` is fixed.
    pub jacobian_b: [Vec6; 3],
    /// `Δ` for the normal and the surface velocity of fixed or kinematic bodies for all three [m/s].
    pub bias: [Double; 3],
    /// Friction coefficient μ (–).
    pub friction: Double,
}

/// A row `Σ jacobian · v + bias + softness c = 0`, whose impulse `c` keeps within bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRow {
    /// (body index in the island, row) for every body it touches, two for the joints of the engine; rows of
    /// lengths (– and m) or of angles (1/m and –).
    pub terms: SmallVec<[(u32, Vec6); 2]>,
    /// `Υ` and the velocity of kinematic bodies [m/s or rad/s].
    pub bias: Double,
    /// Softness `s ≥ 0` [(m/s)/(N·s)]: `νᵀ v + Υ + s c = 0`. Zero for hard rows.
    pub softness: Double,
    /// Bounds of the impulse c [N·s], the lower one first: `(-∞, ∞)` an equality, `[0, ∞)` a limit, `±F h` a
    /// motor or friction.
    pub bounds: [Double; 2],
}

/// Rolling and spinning rows of a contact, between the bodies of that contact.
///
/// Row `i` reads `w_i = jacobian_a[i] · v_a + jacobian_b[i] · v_b + bias[i]` [m/s]; the impulse is in
/// N·s, and the torque impulse is ℓ times as much [N·m·s].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollingRow {
    /// Index of the contact in the problem.
    pub contact: u32,
    /// Rows (about the normal, about tangent 1, about tangent 2) of body a (–); zero if it is fixed.
    pub jacobian_a: [Vec6; 3],
    /// Rows of body b (–); zero if it is fixed.
    pub jacobian_b: [Vec6; 3],
    /// ℓ (m).
    pub length: Double,
    /// Rotation of fixed or kinematic bodies, times ℓ [m/s].
    pub bias: [Double; 3],
    /// `μ_s/ℓ` (–).
    pub spinning: Double,
    /// `μ_r/ℓ` (–).
    pub rolling: Double,
}

/// The problem of one island.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// Mass blocks.
    pub bodies: &'a [BodyBlock],
    /// Joint rows.
    pub joints: &'a [JointRow],
    /// Contacts.
    pub contacts: &'a [ContactRow],
    /// Rolling and spinning rows of some contacts, ascending by contact, at most one each.
    pub rolling: &'a [RollingRow],
    /// Friction cone of all contacts.
    pub cone: Cone,
}

/// Unknowns of an island: warm start in, solution out.
#[derive(Debug, Default)]
pub struct Iterate<'a> {
    /// `v` [m/s, rad/s], one for each body.
    pub velocity: &'a mut [Vec6],
    /// `c_ν` [N·s or N·m·s], one for each joint row.
    pub joint_impulse: &'a mut [Double],
    /// `(c_n, t_1, t_2)` [N·s], one for each contact.
    pub contact_impulse: &'a mut [[Double; 3]],
    /// `(s, r_1, r_2)`, one for each rolling row.
    pub rolling_impulse: &'a mut [[Double; 3]],
}

impl Iterate<'_> {
    /// The impulses, to read.
    #[must_use]
    pub fn impulses(&self) -> Impulses<'_> {
        Impulses {
            joint: self.joint_impulse,
            contact: self.contact_impulse,
            rolling: self.rolling_impulse,
        }
    }
}

/// Impulses of an island, to read.
#[derive(Clone, Copy, Debug)]
pub struct Impulses<'a> {
    /// `c_ν` [N·s or N·m·s], one for each joint row.
    pub joint: &'a [Double],
    /// `(c_n, t_1, t_2)` [N·s], one for each contact.
    pub contact: &'a [[Double; 3]],
    /// `(s, r_1, r_2)`, one for each rolling row.
    pub rolling: &'a [[Double; 3]],
}

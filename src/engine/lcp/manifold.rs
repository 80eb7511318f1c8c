//! Contacts of a pair that share a normal, four abreast: the form in which contacts are assembled and
//! solved fast.
//!
//! Everything is in world axes and knows no tangents: the impulse of a contact is a vector `l`, its
//! friction cone is the cone about the normal, and
//!
//! ```text
//! w = v_b + ω_b × (arm_b + p) - v_a - ω_a × (arm_a + p) + drift,       w_n + Δ ≥ 0 ⊥ l_n ≥ 0
//! ```
//!
//! The contacts of a manifold act through the relative motion of the two bodies at one reference point, so
//! that what they add to a matrix over bodies is one symmetric 6×6 block, moved to both centers.
//! [`Manifold::row`] gives the contacts as [`ContactRow`]s, [`Manifold::of_row`] takes one back. O(1) each.

use super::problem::{BodyBlock, ContactRow, FIXED, Vec6};
use super::rows::{add_scaled, dot3, inverse_mass_mul};
use crate::math::Double;
pub(crate) use crate::math::cross3 as cross;

/// Contacts of a manifold.
pub const LANES: usize = 4;

/// A number for each contact of a manifold.
pub type Lanes = [Double; LANES];

/// World vectors (x, y, z), one for each contact of a manifold.
pub type LaneVectors = [Lanes; 3];

/// Up to four contacts between bodies `a` and `b` with one normal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Manifold {
    /// Do its gaps let the free paths of its bodies pass each other?
    pub passes: bool,
    /// Index of body a in the island; the number of its bodies stands for the fixed world.
    pub a: u32,
    /// Index of body b in the island; the number of its bodies stands for the fixed world.
    pub b: u32,
    /// Number of contacts, 1 to 4; they use the first lanes.
    pub count: u32,
    /// Index in the island of its first contact.
    pub first: u32,
    /// Unit normal from a to b.
    pub normal: [Double; 3],
    /// First tangent, a unit vector, of use to pyramids only.
    pub tangent: [Double; 3],
    /// Friction coefficient μ (–).
    pub friction: Double,
    /// Coefficient of restitution e (-); solvers do not read it.
    pub restitution: Double,
    /// Reference point from the center of body a (m).
    pub arm_a: [Double; 3],
    /// Reference point from the center of body b (m).
    pub arm_b: [Double; 3],
    /// Contact points from the reference point (m); zero in unused lanes.
    pub point: LaneVectors,
    /// Relative velocity beside that of the bodies of the island: of kinematic bodies and belts [m/s].
    pub drift: LaneVectors,
    /// Gap of the normal rows (m); negative in overlap.
    pub gap: Lanes,
    /// `Δ`, what is added to the normal velocity [m/s].
    pub bias: Lanes,
    /// The part of `Δ` that is not carried on [m/s].
    pub push: Lanes,
    /// Largest speed at which its overlaps are pushed out [m/s].
    pub push_max: Double,
    /// `W_nn = n J M⁻¹ Jᵀ n` [1/kg]; zero in unused lanes and where nothing can move.
    pub compliance: Lanes,
}

impl Manifold {
    /// A manifold without contacts. `a` and `b` are indices in an island of `bodies` bodies, or [`FIXED`].
    #[must_use]
    pub fn new(a: u32, b: u32, bodies: usize, first: u32) -> Self {
        let place = |i: u32| if i == FIXED { bodies as u32 } else { i };
        let (a, b) = (place(a), place(b));
        Self { a, b, first, push_max: Double::INFINITY, ..Self::default() }
    }

    /// Arm of contact `lane` from the center of body a (m).
    #[inline]
    pub(super) fn arm(&self, arm: [Double; 3], lane: usize) -> [Double; 3] {
        [arm[0] + self.point[0][lane], arm[1] + self.point[1][lane], arm[2] + self.point[2][lane]]
    }

    /// Arms of contact `lane` from the centers of both bodies (m).
    #[must_use]
    pub fn arms(&self, lane: usize) -> [[Double; 3]; 2] {
        [self.arm(self.arm_a, lane), self.arm(self.arm_b, lane)]
    }

    /// The directions of the rows of its contacts: normal, tangent, and the tangent across.
    #[must_use]
    pub fn frame(&self) -> [[Double; 3]; 3] {
        [self.normal, self.tangent, cross(self.normal, self.tangent)]
    }

    /// Relative velocity of the bodies at contact `lane`, with its drift and without its bias, world
    /// axes [m/s]; `velocity` are those of the island.
    #[must_use]
    pub fn velocity(&self, lane: usize, velocity: &[Vec6]) -> [Double; 3] {
        let mut sum = [self.drift[0][lane], self.drift[1][lane], self.drift[2][lane]];
        for (i, arm, sign) in [(self.a, self.arm_a, -1.0), (self.b, self.arm_b, 1.0)] {
            let Some(v) = velocity.get(i as usize) else { continue };
            let turn = cross([v[3], v[4], v[5]], self.arm(arm, lane));
            for k in 0..3 {
                sum[k] += sign * (v[k] + turn[k]);
            }
        }
        sum
    }

    /// Relative velocity at contact `lane` of bodies with these velocities, without its drift [m/s].
    #[must_use]
    pub fn relative(&self, lane: usize, ends: &[Option<Vec6>; 2]) -> [Double; 3] {
        let mut sum = [0.0; 3];
        let arms = self.arms(lane);
        for ((v, arm), sign) in ends.iter().zip(arms).zip([-1.0, 1.0]) {
            let Some(v) = v else { continue };
            let turn = cross([v[3], v[4], v[5]], arm);
            (0..3).for_each(|k| sum[k] += sign * (v[k] + turn[k]));
        }
        sum
    }

    /// Adds `Jᵀ l` of contact `lane` to impulses of the bodies of the island.
    pub fn add_impulse(&self, lane: usize, impulse: [Double; 3], out: &mut [Vec6]) {
        for (i, arm, sign) in [(self.a, self.arm_a, -1.0), (self.b, self.arm_b, 1.0)] {
            let Some(sum) = out.get_mut(i as usize) else { continue };
            add_scaled(sum, &self.wrench(arm, lane, impulse), sign);
        }
    }

    /// Adds `M⁻¹ Jᵀ l` of contact `lane` to the velocities of the bodies of the island.
    pub fn strike(
        &self,
        lane: usize,
        impulse: [Double; 3],
        bodies: &[BodyBlock],
        velocity: &mut [Vec6],
    ) {
        for (i, arm, sign) in [(self.a, self.arm_a, -1.0), (self.b, self.arm_b, 1.0)] {
            let Some(body) = bodies.get(i as usize) else { continue };
            let change = inverse_mass_mul(body, &self.wrench(arm, lane, impulse));
            add_scaled(&mut velocity[i as usize], &change, sign);
        }
    }

    /// `J M⁻¹ Jᵀ l`: by how much an impulse at contact `lane` changes the relative velocity there.
    #[must_use]
    pub fn response(&self, lane: usize, impulse: [Double; 3], bodies: &[BodyBlock]) -> [Double; 3] {
        let mut sum = [0.0; 3];
        for (i, arm) in [(self.a, self.arm_a), (self.b, self.arm_b)] {
            let Some(body) = bodies.get(i as usize) else { continue };
            let v = inverse_mass_mul(body, &self.wrench(arm, lane, impulse));
            let turn = cross([v[3], v[4], v[5]], self.arm(arm, lane));
            for k in 0..3 {
                sum[k] += v[k] + turn[k];
            }
        }
        sum
    }

    /// A vector at contact `lane`, with its moment about the center of a body.
    fn wrench(&self, arm: [Double; 3], lane: usize, v: [Double; 3]) -> Vec6 {
        let turn = cross(self.arm(arm, lane), v);
        [v[0], v[1], v[2], turn[0], turn[1], turn[2]]
    }

    /// Works out the compliances of the contacts; `bodies` are those of the island.
    pub fn find_compliance(&mut self, bodies: &[BodyBlock]) {
        let (n, point) = (self.normal, &self.point);
        let mut sum = [0.0; LANES];
        for (i, arm) in [(self.a, self.arm_a), (self.b, self.arm_b)] {
            let Some(body) = bodies.get(i as usize) else { continue };
            let ([mx, my, mz], [xx, yy, zz, xy, xz, yz]) =
                (body.inverse_mass, body.inverse_inertia);
            for lane in 0..LANES {
                let r = [0, 1, 2].map(|k| arm[k] + point[k][lane]);
                let [x, y, z] = cross(r, n);
                let mut along = sum[lane] + n[0] * (mx * n[0]);
                along += n[1] * (my * n[1]);
                along += n[2] * (mz * n[2]);
                along += x * (xx * x + xy * y + xz * z);
                along += y * (xy * x + yy * y + yz * z);
                sum[lane] = along + z * (xz * x + yz * y + zz * z);
            }
        }
        sum[self.count as usize..].fill(0.0);
        self.compliance = sum;
    }

    /// Contact `lane` as a row; `bodies` are those of the island.
    #[must_use]
    pub fn row(&self, lane: usize, bodies: &[BodyBlock]) -> ContactRow {
        let frame = self.frame();
        let side = |i: u32, arm: [Double; 3], sign: Double| -> (u32, [Vec6; 3]) {
            let Some(body) = bodies.get(i as usize) else { return (FIXED, [[0.0; 6]; 3]) };
            let free = body.free();
            let rows = frame.map(|d| {
                let row = self.wrench(arm, lane, d);
                [0, 1, 2, 3, 4, 5].map(|k| if free[k] { sign * row[k] } else { 0.0 })
            });
            (i, rows)
        };
        let (a, jacobian_a) = side(self.a, self.arm_a, -1.0);
        let (b, jacobian_b) = side(self.b, self.arm_b, 1.0);
        let drift = [self.drift[0][lane], self.drift[1][lane], self.drift[2][lane]];
        let mut bias = frame.map(|d| d[0] * drift[0] + d[1] * drift[1] + d[2] * drift[2]);
        bias[0] += self.bias[lane];
        ContactRow { a, b, jacobian_a, jacobian_b, bias, friction: self.friction }
    }

    /// The contact of a row, number `first`, alone in a manifold, and its three rows in units of those of
    /// the manifold, which are unit directions of a right-handed frame. `bodies` are those of the island.
    /// Directions that the locks of both bodies hide are those at right angles to the others; without a
    /// normal nothing can move, and the manifold is empty.
    #[must_use]
    pub fn of_row(row: &ContactRow, bodies: &[BodyBlock], first: u32) -> (Self, [Double; 3]) {
        let mut m = Self::new(row.a, row.b, bodies.len(), first);
        let (side, sign) = match row.b {
            FIXED => (&row.jacobian_a, -1.0),
            _ => (&row.jacobian_b, 1.0),
        };
        let linear = side.map(|[x, y, z, ..]| [sign * x, sign * y, sign * z]);
        let length = dot3(&linear[0], &linear[0]).sqrt();
        if length <= 0.0 {
            return (m, [1.0; 3]);
        }
        (m.normal, m.tangent) = (linear[0].map(|x| x / length), linear[1].map(|x| x / length));
        m.friction = row.friction;
        let frame = m.frame();
        let left_handed = dot3(&frame[2], &linear[2]) < 0.0;
        let units = [length, length, if left_handed { -length } else { length }];
        let arm = |i: u32, jacobian: &[Vec6; 3], sign: Double| {
            let Some(body) = bodies.get(i as usize) else { return [0.0; 3] };
            let row = |k: usize| jacobian[k].map(|x| sign * x / units[k]);
            arm_of(&frame, &[row(0), row(1), row(2)], body.free())
        };
        (m.arm_a, m.arm_b) = (arm(row.a, &row.jacobian_a, -1.0), arm(row.b, &row.jacobian_b, 1.0));
        let bias = [0, 1, 2].map(|k| row.bias[k] / units[k]);
        for k in 0..3 {
            m.drift[k][0] = frame[1][k] * bias[1] + frame[2][k] * bias[2];
        }
        (m.bias[0], m.count) = (bias[0], 1);
        m.find_compliance(bodies);
        (m, units)
    }

    /// Largest speed at which its problem pushes an overlap out [m/s].
    pub fn push_speed(&self) -> Double {
        -self.bias[..self.count as usize].iter().fold(0.0, |least: Double, bias| least.min(*bias))
    }

    /// Adds `sign` times the push to the biases.
    pub fn take_push(&mut self, sign: Double) {
        for lane in 0..LANES {
            self.bias[lane] += sign * self.push[lane];
        }
    }
}

/// The arm `r` of rows `r × d` of orthonormal directions `d`, from the axes about which the body can turn:
/// for each such axis `e` it is `Σ (d × e) (d × e)ᵀ = I - e eᵀ`.
fn arm_of(frame: &[[Double; 3]; 3], rows: &[Vec6; 3], free: [bool; 6]) -> [Double; 3] {
    let (mut arm, mut count) = ([0.0; 3], [0.0; 3]);
    for axis in (0..3).filter(|k| free[3 + k]) {
        let e = [0, 1, 2].map(|k| if k == axis { 1.0 } else { 0.0 });
        for (d, row) in frame.iter().zip(rows) {
            let across = cross(*d, e);
            (0..3).for_each(|k| arm[k] += row[3 + axis] * across[k]);
        }
        (0..3).filter(|k| *k != axis).for_each(|k| count[k] += 1.0);
    }
    [0, 1, 2].map(|k| if count[k] > 0.0 { arm[k] / count[k] } else { 0.0 })
}

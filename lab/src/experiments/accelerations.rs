//! Accelerations of an instant: the complementarity problem (2.6)–(2.7) of Anitescu, Cremer, Potra (1995).
//!
//! Input: bodies with their forces, contacts that touch and do not part, joints. Output: accelerations `a`
//! and contact forces `l`, without friction,
//!
//! ```text
//! M a = k + Jᵀ l + νᵀ c,    s = J a + J̇ q̇ ≥ 0  ⊥  l ≥ 0,    ν a + ν̇ q̇ = 0
//! ```
//!
//! `a` is unique, `l` need not be. It is (5.1)–(5.2) with accelerations for velocities, and is solved by
//! Lemke's algorithm. A planar contact of any boundary has infinitely many rows, of which only those are
//! made that it would violate. O((contacts)³), for each of these.

use orthant::engine::lcp::certificate::Certificate;
use orthant::engine::lcp::{BodyBlock, Cone, ContactRow, Iterate, JointRow, Problem, Vec6};
use orthant::engine::papers::kinematics::{ContactRates, ContactSide};
use orthant::engine::papers::solvers::lemke;
use orthant::math::{DVec3, Double};

/// Most rows that are made for contacts of curved boundaries.
const ROWS_MAX: usize = 200;

/// Accelerations, the forces that go with them, and how well they solve the problem.
#[derive(Clone, Debug)]
pub struct Accelerations {
    /// `a` [m/s², rad/s²], one for each body.
    pub bodies: Vec<Vec6>,
    /// `l` (N), one for each contact.
    pub forces: Vec<Double>,
    /// Errors of the solution, in m/s² for m/s.
    pub certificate: Certificate,
}

/// The row `J a + J̇ q̇` of two bodies that touch, with their indices or
/// [`FIXED`](orthant::engine::lcp::FIXED).
#[must_use]
pub fn contact_row(
    rates: &ContactRates,
    sides: &[ContactSide; 2],
    n: DVec3,
    [a, b]: [u32; 2],
) -> ContactRow {
    let [jacobian_a, jacobian_b] = [(&sides[0], -1.0), (&sides[1], 1.0)].map(|(side, sign)| {
        let arm = side.point - n * (sign * side.radius) - side.center;
        let (linear, angular) = (n * sign, arm.cross(n) * sign);
        let row = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z];
        [row, [0.0; 6], [0.0; 6]]
    });
    ContactRow { a, b, jacobian_a, jacobian_b, bias: [rates.convective, 0.0, 0.0], friction: 0.0 }
}

/// The accelerations of bodies whose free ones, `M⁻¹ k`, stand for the free velocities of their blocks. The
/// biases of contacts and joints are `J̇ q̇` and `ν̇ q̇` [m/s²]. `worst` gives the row of the point, of a
/// boundary given by something else than contacts, that these accelerations press in most, or none if they
/// press in none; it is added to the contacts.
pub fn accelerations(
    bodies: &[BodyBlock],
    contacts: &mut Vec<ContactRow>,
    joints: &[JointRow],
    mut worst: impl FnMut(&[Vec6]) -> Option<ContactRow>,
) -> Accelerations {
    loop {
        let mut found = vec![[0.0; 6]; bodies.len()];
        let mut impulses = vec![[0.0; 3]; contacts.len()];
        let mut iterate = Iterate {
            velocity: &mut found,
            joint_impulse: &mut vec![0.0; joints.len()],
            contact_impulse: &mut impulses,
            rolling_impulse: &mut [],
        };
        let problem = Problem { bodies, joints, contacts, rolling: &[], cone: Cone::Circular };
        let stats = lemke::solve_frictionless(&problem, &mut iterate);
        match worst(&found) {
            Some(row) if contacts.len() < ROWS_MAX => contacts.push(row),
            _ => {
                let forces = impulses.iter().map(|l| l[0]).collect();
                return Accelerations { bodies: found, forces, certificate: stats.certificate };
            }
        }
    }
}

//! Scenes of cubes of side 1 m with fixed arms and normals: gaps follow the poses linearly, so that many
//! steps can be taken without shapes. Gravity along -y. Shared by the tests and the bench.

use super::{
    BodyBlock, Double, FIXED, JointRow, Manifold, Serial, SubstepParams, SweptIsland, Vec6,
};
use super::{SweepIterate, SweepScratch, solve_substeps};

/// g [m/s²] and h (s).
pub(crate) const GRAVITY: Double = 9.81;
pub(crate) const DT: Double = 1.0 / 60.0;

/// Overlap of the pairs that a scene starts with (m); negative, a gap.
const START_GAP: Double = 0.0;

#[derive(Clone, Default)]
pub(crate) struct World {
    pub(crate) bodies: Vec<BodyBlock>,
    pub(crate) manifolds: Vec<Manifold>,
    pub(crate) joints: Vec<JointRow>,
    pub(crate) joint_push: Vec<Double>,
    /// Displacement and velocity of each body.
    pub(crate) place: Vec<Vec6>,
    pub(crate) velocity: Vec<Vec6>,
    /// Position error of each joint row at the start.
    pub(crate) joint_error: Vec<Double>,
    pub(crate) gravity: [Double; 3],
    /// See [`SweepIterate`].
    pub(crate) moved: Vec<Vec6>,
    pub(crate) carried: Vec<Vec6>,
    pub(crate) impulse: [Vec<[Double; 3]>; 2],
    pub(crate) joint_impulse: [Vec<Double>; 2],
}

impl World {
    pub(crate) fn new() -> Self {
        Self { gravity: [0.0, -GRAVITY, 0.0], ..Self::default() }
    }

    pub(crate) fn cube(&mut self, mass: Double) -> u32 {
        let inertia = mass / 6.0;
        self.bodies.push(BodyBlock {
            mass: [mass; 3],
            inertia: [inertia, inertia, inertia, 0.0, 0.0, 0.0],
            inverse_mass: [1.0 / mass; 3],
            inverse_inertia: [1.0 / inertia, 1.0 / inertia, 1.0 / inertia, 0.0, 0.0, 0.0],
            velocity_free: [0.0; 6],
        });
        self.place.push([0.0; 6]);
        self.velocity.push([0.0; 6]);
        self.moved.push([0.0; 6]);
        self.carried.push([0.0; 6]);
        self.bodies.len() as u32 - 1
    }

    /// Contacts of cube `b` on `a` with normal +y. The points are given from the center of b in x and z;
    /// b is `shift` from a.
    pub(crate) fn rest(
        &mut self,
        a: u32,
        b: u32,
        shift: [Double; 2],
        x: [Double; 2],
        z: [Double; 2],
    ) {
        let first = self.impulse[0].len() as u32;
        let mut manifold = Manifold::new(a, b, usize::MAX, first);
        manifold.count = 4;
        manifold.normal = [0.0, 1.0, 0.0];
        manifold.tangent = [1.0, 0.0, 0.0];
        manifold.friction = 0.5;
        manifold.arm_a = [shift[0], 0.5, shift[1]];
        manifold.arm_b = [0.0, -0.5, 0.0];
        for lane in 0..4 {
            manifold.point[0][lane] = x[lane / 2];
            manifold.point[2][lane] = z[lane % 2];
            manifold.gap[lane] = -START_GAP;
        }
        self.manifolds.push(manifold);
        for impulses in &mut self.impulse {
            impulses.extend([[0.0; 3]; 4]);
        }
    }

    /// Three rows that join the point `arm_a` of `a`, or of the world, to `arm_b` of `b`.
    pub(crate) fn ball(&mut self, a: u32, b: u32, arm_a: [Double; 3], arm_b: [Double; 3]) {
        for axis in 0..3 {
            let row = |arm: [Double; 3], sign: Double| {
                let mut d = [0.0; 3];
                d[axis] = sign;
                let turn = cross(arm, d);
                [d[0], d[1], d[2], turn[0], turn[1], turn[2]]
            };
            let mut joint = JointRow::equality(Default::default(), 0.0);
            if a != FIXED {
                joint.terms.push((a, row(arm_a, -1.0)));
            }
            joint.terms.push((b, row(arm_b, 1.0)));
            self.joints.push(joint);
            self.joint_push.push(0.0);
            self.joint_error.push(0.0);
            for impulses in &mut self.joint_impulse {
                impulses.push(0.0);
            }
        }
    }

    /// Once all bodies are there: the fixed world gets its place, contacts their compliances.
    pub(crate) fn close(mut self) -> Self {
        for manifold in &mut self.manifolds {
            for i in [&mut manifold.a, &mut manifold.b] {
                *i = (*i).min(self.bodies.len() as u32);
            }
            manifold.find_compliance(&self.bodies);
        }
        self
    }

    /// Relative displacement or velocity of the bodies of a manifold at one of its contacts.
    pub(crate) fn relative(&self, manifold: &Manifold, lane: usize, x: &[Vec6]) -> [Double; 3] {
        let point = [0, 1, 2].map(|k| manifold.point[k][lane]);
        let side = |i: u32, arm: [Double; 3]| {
            let Some(&[vx, vy, vz, wx, wy, wz]) = x.get(i as usize) else { return [0.0; 3] };
            let turn = cross([wx, wy, wz], [0, 1, 2].map(|k| arm[k] + point[k]));
            [vx + turn[0], vy + turn[1], vz + turn[2]]
        };
        let (a, b) = (side(manifold.a, manifold.arm_a), side(manifold.b, manifold.arm_b));
        [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
    }

    /// Gap of a contact in the poses at hand.
    pub(crate) fn gap(&self, manifold: &Manifold, lane: usize) -> Double {
        let u = self.relative(manifold, lane, &self.place);
        manifold.gap[lane] + (0..3).map(|k| manifold.normal[k] * u[k]).sum::<Double>()
    }

    /// Position error of a joint row in the poses at hand.
    pub(crate) fn error(&self, row: usize) -> Double {
        let terms = self.joints[row].terms.iter();
        let moved: Double = terms
            .map(|(i, j)| (0..6).map(|k| j[k] * self.place[*i as usize][k]).sum::<Double>())
            .sum();
        self.joint_error[row] + moved
    }

    /// The problem of the next step, with biases of `gamma`: manifolds and joint rows.
    pub(crate) fn problem(&mut self, gamma: Double) -> (Vec<Manifold>, Vec<JointRow>) {
        for (body, v) in self.bodies.iter_mut().zip(&self.velocity) {
            body.velocity_free = *v;
            for k in 0..3 {
                body.velocity_free[k] += self.gravity[k] * DT;
            }
        }
        let mut manifolds = self.manifolds.clone();
        for manifold in &mut manifolds {
            for lane in 0..manifold.count as usize {
                let gap = self.gap(manifold, lane);
                manifold.gap[lane] = gap;
                let rate = if gap < 0.0 { gamma } else { 1.0 };
                manifold.bias[lane] = rate * gap / DT;
                manifold.push[lane] = manifold.bias[lane].min(0.0);
            }
        }
        let mut joints = self.joints.clone();
        for (i, row) in joints.iter_mut().enumerate() {
            row.bias = self.error(i) / DT;
        }
        (manifolds, joints)
    }

    /// One step by substeps.
    pub(crate) fn step(&mut self, params: &SubstepParams, scratch: &mut SweepScratch) {
        let (manifolds, joints) = self.problem(1.0);
        self.solve(&manifolds, &joints, |island, iterate| {
            solve_substeps(island, iterate, params, scratch);
        });
        self.go();
    }

    /// Calls a solver with the problem of a step.
    pub(crate) fn solve(
        &mut self,
        manifolds: &[Manifold],
        joints: &[JointRow],
        solver: impl FnOnce(&SweptIsland<'_>, &mut SweepIterate<'_>),
    ) {
        let island = SweptIsland {
            bodies: &self.bodies,
            manifolds,
            joints,
            joint_push: &self.joint_push,
            velocity_last: &self.velocity,
            leaves: &[],
            pool: &Serial,
        };
        let [a, b] = &mut self.impulse;
        let [c, d] = &mut self.joint_impulse;
        let mut iterate = SweepIterate {
            velocity: [&mut self.moved, &mut self.carried],
            contact_impulse: [a, b],
            joint_impulse: [c, d],
        };
        solver(&island, &mut iterate);
    }

    /// Moves on with what a solver found.
    pub(crate) fn go(&mut self) {
        for (place, moved) in self.place.iter_mut().zip(&self.moved) {
            for k in 0..6 {
                place[k] += DT * moved[k];
            }
        }
        self.velocity.copy_from_slice(&self.carried);
    }

    /// Largest overlap (m).
    pub(crate) fn overlap(&self) -> Double {
        let mut largest = 0.0_f64;
        for manifold in &self.manifolds {
            for lane in 0..manifold.count as usize {
                largest = largest.max(-self.gap(manifold, lane));
            }
        }
        largest
    }

    /// Largest velocity component.
    pub(crate) fn speed(&self) -> Double {
        self.velocity.iter().flatten().fold(0.0, |m, x| m.max(x.abs()))
    }

    pub(crate) fn stack(n: usize, top_mass: Double) -> Self {
        let mut world = Self::new();
        let mut below = FIXED;
        for i in 0..n {
            let b = world.cube(if i + 1 == n { top_mass } else { 1.0 });
            world.rest(below, b, [0.0; 2], [-0.5, 0.5], [-0.5, 0.5]);
            below = b;
        }
        world.close()
    }

    /// A wall, each row one cube shorter than the one below.
    pub(crate) fn pyramid(base: usize) -> Self {
        Self::terraces([base, 1], base, &[0])
    }

    /// A heap of layers, each shorter than the one below by one cube along the next of `axes`.
    pub(crate) fn terraces(mut size: [usize; 2], layers: usize, axes: &[usize]) -> Self {
        let mut world = Self::new();
        let mut below: Vec<u32> = Vec::new();
        for layer in 0..layers {
            let axis = axes[(layer + axes.len() - 1) % axes.len()];
            if layer > 0 {
                size[axis] -= 1;
            }
            let mut current = Vec::new();
            for j in 0..size[1] {
                for i in 0..size[0] {
                    let b = world.cube(1.0);
                    current.push(b);
                    if layer == 0 {
                        world.rest(FIXED, b, [0.0; 2], [-0.5, 0.5], [-0.5, 0.5]);
                        continue;
                    }
                    for s in [-0.5, 0.5] {
                        let step = usize::from(s > 0.0);
                        let (p, q) = if axis == 0 { (i + step, j) } else { (i, j + step) };
                        let a = below[q * (if axis == 0 { size[0] + 1 } else { size[0] }) + p];
                        let (near, far) = if s > 0.0 { (0.0, 0.5) } else { (-0.5, 0.0) };
                        if axis == 0 {
                            world.rest(a, b, [-s, 0.0], [near, far], [-0.5, 0.5]);
                        } else {
                            world.rest(a, b, [0.0, -s], [-0.5, 0.5], [near, far]);
                        }
                    }
                }
            }
            below = current;
        }
        world.close()
    }

    /// Some 2000 cubes in eleven layers.
    #[allow(dead_code, reason = "for the bench of sweeps")]
    pub(crate) fn pile() -> Self {
        Self::terraces([16, 16], 11, &[0, 1])
    }

    /// Cubes hanging from the world by ball joints, the last one heavy, swinging.
    pub(crate) fn chain(n: usize, end_mass: Double) -> Self {
        let mut world = Self::new();
        let mut above = FIXED;
        for i in 0..n {
            let b = world.cube(if i + 1 == n { end_mass } else { 1.0 });
            world.ball(above, b, [0.0, -0.5, 0.0], [0.0, 0.5, 0.0]);
            above = b;
        }
        world.close()
    }
}

fn cross(a: [Double; 3], b: [Double; 3]) -> [Double; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

//! Islands in manifolds, random ones and those of the scenes of rows.

use crate::engine::lcp::certificate;
use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::manifold::{LANES, Manifold, cross};
use crate::engine::lcp::newton::{
    ManifoldIterate, ManifoldProblem, NewtonMemory, NewtonParams, NewtonScratch, measure, solve,
};
use crate::engine::lcp::outcome::SolveStats;
use crate::engine::lcp::problem::{
    BodyBlock, Cone, ContactRow, FIXED, Impulses, JointRow, Problem, RollingRow, Vec6,
};
use crate::engine::lcp::rows::dot3;
use crate::engine::lcp::tests::random::Random;
use crate::engine::lcp::tests::scenes::Scene;
use crate::math::Double;

type Vector = [Double; 3];

#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) bodies: Vec<BodyBlock>,
    pub(super) manifolds: Vec<Manifold>,
    pub(super) joints: Vec<JointRow>,
    pub(super) velocity: Vec<Vec6>,
    pub(super) contact: Vec<Vector>,
    pub(super) joint: Vec<Double>,
    pub(super) rolling: Vec<RollingRow>,
    /// Impulses of the rolling rows.
    pub(super) roll: Vec<Vector>,
    pub(super) cone: Cone,
}

impl Default for World {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            manifolds: Vec::new(),
            joints: Vec::new(),
            velocity: Vec::new(),
            contact: Vec::new(),
            joint: Vec::new(),
            rolling: Vec::new(),
            roll: Vec::new(),
            cone: Cone::Circular,
        }
    }
}

fn unit(random: &mut Random) -> Vector {
    loop {
        let v = random.vector3(1.0);
        let size = dot3(&v, &v).sqrt();
        if size > 0.1 {
            return v.map(|x| x / size);
        }
    }
}

/// A body with a full inertia tensor; `locked` are the directions in which it cannot move.
fn body(random: &mut Random, locked: [bool; 6]) -> BodyBlock {
    let mass = 0.5 + 2.0 * random.unit();
    let mut block = BodyBlock {
        mass: [mass; 3],
        inertia: [0.0; 6],
        inverse_mass: [1.0 / mass; 3],
        inverse_inertia: [0.0; 6],
        velocity_free: [0; 6].map(|_| random.signed(2.0)),
    };
    // I = Σ u uᵀ + 0.2, of the directions that are free.
    let mut full = [[0.0; 3]; 3];
    for _ in 0..3 {
        let u = random.vector3(0.6);
        for i in 0..3 {
            for j in 0..3 {
                full[i][j] += u[i] * u[j];
            }
        }
    }
    for i in 0..3 {
        full[i][i] += 0.2;
        if locked[i] {
            (block.mass[i], block.inverse_mass[i]) = (1.0, 0.0);
        }
        if locked[3 + i] {
            for j in 0..3 {
                (full[i][j], full[j][i]) = (0.0, 0.0);
            }
            full[i][i] = 1.0;
        }
    }
    let mut inverse = invert(&full);
    for k in 0..6 {
        if locked[k] {
            block.velocity_free[k] = 0.0;
        }
        if k < 3 && locked[3 + k] {
            inverse[k][k] = 0.0;
        }
    }
    let pack = |m: &[Vector; 3]| [m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]];
    (block.inertia, block.inverse_inertia) = (pack(&full), pack(&inverse));
    block
}

fn invert(m: &[Vector; 3]) -> [Vector; 3] {
    let columns = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    let determinant = dot3(&m[0], &columns[0]);
    // Of a symmetric matrix, whose rows are its columns.
    columns.map(|c| c.map(|x| x / determinant))
}

impl World {
    /// Bodies with contacts and joints between any of them and the world, drifting and biased; some of
    /// their axes are locked.
    pub(super) fn random(random: &mut Random) -> Self {
        let mut world = Self::default();
        let n = 1 + random.below(4);
        for _ in 0..n {
            let some = random.below(2) == 0;
            // Never all of them: a body that cannot move belongs to no island.
            let locked = [0, 1, 2, 3, 4, 5].map(|k| k > 0 && some && random.below(3) == 0);
            world.bodies.push(body(random, locked));
        }
        world.velocity = world.bodies.iter().map(|b| b.velocity_free).collect();
        for _ in 0..1 + random.below(6) {
            let (a, b) = Self::two(random, n);
            world.random_manifold(random, a, b);
        }
        for _ in 0..random.below(3) {
            let (a, b) = Self::two(random, n);
            for _ in 0..1 + random.below(6) {
                world.random_joint(random, a, b);
            }
        }
        world
    }

    /// Two different bodies, or a body and the world on either side.
    fn two(random: &mut Random, n: usize) -> (u32, u32) {
        let (a, b) = (random.below(n), random.below(n));
        match random.below(3) {
            0 => (FIXED, b as u32),
            1 => (a as u32, FIXED),
            _ if a != b => (a as u32, b as u32),
            _ => (a as u32, FIXED),
        }
    }

    fn random_manifold(&mut self, random: &mut Random, a: u32, b: u32) {
        let mut m = Manifold::new(a, b, self.bodies.len(), self.contact.len() as u32);
        m.normal = unit(random);
        m.tangent = loop {
            let v = cross(m.normal, unit(random));
            let size = dot3(&v, &v).sqrt();
            if size > 0.1 {
                break v.map(|x| x / size);
            }
        };
        m.friction = if random.below(4) == 0 { 0.0 } else { 1.5 * random.unit() };
        (m.arm_a, m.arm_b) = (random.vector3(1.0), random.vector3(1.0));
        m.count = 1 + random.below(LANES) as u32;
        for lane in 0..m.count as usize {
            let drifts = random.below(3) == 0;
            for k in 0..3 {
                m.point[k][lane] = if lane == 0 { 0.0 } else { random.signed(1.0) };
                m.drift[k][lane] = if drifts { random.signed(1.0) } else { 0.0 };
            }
            m.bias[lane] = random.signed(0.5);
            self.contact.push([0.0; 3]);
        }
        m.find_compliance(&self.bodies);
        self.manifolds.push(m);
    }

    fn random_joint(&mut self, random: &mut Random, a: u32, b: u32) {
        let mut row = JointRow::equality(Default::default(), random.signed(0.5));
        for i in [a, b].into_iter().filter(|&i| i != FIXED) {
            let free = self.bodies[i as usize].free();
            row.terms.push((i, free.map(|f| if f { random.signed(1.0) } else { 0.0 })));
        }
        self.joints.push(row);
        self.joint.push(0.0);
    }

    /// Random impulses in their cones, and random velocities of what can move.
    pub(super) fn kick(&mut self, random: &mut Random) {
        for m in &self.manifolds {
            let [n, t, s] = m.frame();
            for lane in 0..m.count as usize {
                let normal = if random.below(4) == 0 { 0.0 } else { random.unit() };
                // Some on the surface of the cone, some within.
                let size = m.friction * normal * (2.0 * random.unit()).min(1.0);
                let [x, y] = loop {
                    let [x, y, _] = random.vector3(1.0);
                    let r = (x * x + y * y).sqrt();
                    if r > 0.1 {
                        break [x / r * size, y / r * size];
                    }
                };
                self.contact[m.first as usize + lane] =
                    [0, 1, 2].map(|k| n[k] * normal + t[k] * x + s[k] * y);
            }
        }
        for c in &mut self.joint {
            *c = random.signed(1.0);
        }
        for (v, body) in self.velocity.iter_mut().zip(&self.bodies) {
            *v = body.free().map(|free| if free { random.signed(2.0) } else { 0.0 });
        }
    }

    /// Another cone than the circular one, or rolling rows, or both, and impulses inside.
    pub(super) fn add_cones(&mut self, random: &mut Random) {
        let kind = random.below(5);
        let kinds = [Cone::Circular, Cone::Pyramid(2), Cone::Pyramid(4), Cone::Pyramid(8)];
        self.cone = kinds[kind.min(3)];
        for m in &self.manifolds {
            let sides = [(m.a, -1.0), (m.b, 1.0)];
            for contact in m.first..m.first + m.count {
                if kind == 1 || random.below(3) == 0 {
                    continue;
                }
                let length = 0.2 + random.unit();
                let [jacobian_a, jacobian_b] = sides.map(|(i, sign)| {
                    let Some(body) = self.bodies.get(i as usize) else { return [[0.0; 6]; 3] };
                    let free = body.free();
                    m.frame().map(|d| {
                        let row = [0, 1, 2].map(|k| sign * length * d[k]);
                        let turn = [0, 1, 2].map(|k| if free[3 + k] { row[k] } else { 0.0 });
                        [0.0, 0.0, 0.0, turn[0], turn[1], turn[2]]
                    })
                });
                self.rolling.push(RollingRow {
                    contact,
                    jacobian_a,
                    jacobian_b,
                    length,
                    bias: random.vector3(0.5),
                    spinning: [0.0, random.unit()][random.below(2)],
                    rolling: [0.0, random.unit()][random.below(2)],
                });
                self.roll.push(random.vector3(1.0));
            }
        }
        let mut scratch = NewtonScratch::default();
        self.begin(&mut scratch);
        let (problem, mut iterate) = self.parts();
        let velocity = iterate.velocity.to_vec();
        scratch.give(&problem, &mut iterate);
        self.velocity.copy_from_slice(&velocity);
    }

    /// A scene of rows in manifolds: contacts that follow each other share one where their arms allow it.
    pub(super) fn of_scene(scene: &Scene) -> Self {
        let mut world = Self {
            bodies: scene.bodies.clone(),
            joints: scene.joints.clone(),
            velocity: scene.velocity.clone(),
            joint: scene.joint_impulse.clone(),
            rolling: scene.rolling.clone(),
            roll: scene.rolling_impulse.clone(),
            cone: scene.cone,
            ..Self::default()
        };
        for row in &scene.contacts {
            world.add_row(row);
        }
        for m in &mut world.manifolds {
            m.find_compliance(&scene.bodies);
        }
        world
    }

    fn add_row(&mut self, row: &ContactRow) {
        let n = self.bodies.len();
        let (arm_a, arm_b) = (arm_of(row, row.a, -1.0), arm_of(row, row.b, 1.0));
        let place = |i: u32| if i == FIXED { n as u32 } else { i };
        let side = if row.b == FIXED { &row.jacobian_a } else { &row.jacobian_b };
        let sign = if row.b == FIXED { -1.0 } else { 1.0 };
        let direction = |i: usize| [0, 1, 2].map(|k| sign * side[i][k]);
        let (normal, tangent) = (direction(0), direction(1));
        let joins = |m: &Manifold| {
            let near = |arm: Vector, from: Vector| {
                let d = [0, 1, 2].map(|k| arm_b[k] - m.arm_b[k] - (arm[k] - from[k]));
                dot3(&d, &d) < 1e-24
            };
            (m.a, m.b) == (place(row.a), place(row.b))
                && m.normal == normal
                && m.tangent == tangent
                && (m.count as usize) < LANES
                && (row.a == FIXED || near(arm_a, m.arm_a))
        };
        if !self.manifolds.last().is_some_and(joins) {
            let mut m = Manifold::new(row.a, row.b, n, self.contact.len() as u32);
            (m.normal, m.tangent, m.friction) = (normal, tangent, row.friction);
            (m.arm_a, m.arm_b) = (arm_a, arm_b);
            self.manifolds.push(m);
        }
        let m = self.manifolds.last_mut().expect("one was pushed if there was none");
        let lane = m.count as usize;
        for k in 0..3 {
            m.point[k][lane] = arm_b[k] - m.arm_b[k];
            let across = cross(normal, tangent)[k];
            m.drift[k][lane] = tangent[k] * row.bias[1] + across * row.bias[2];
        }
        m.bias[lane] = row.bias[0];
        m.count += 1;
        self.contact.push([0.0; 3]);
    }

    pub(super) fn problem(&self) -> ManifoldProblem<'_> {
        ManifoldProblem {
            bodies: &self.bodies,
            manifolds: &self.manifolds,
            joints: &self.joints,
            rolling: &self.rolling,
            cone: self.cone,
        }
    }

    /// Measures its impulses by manifolds.
    pub(super) fn measured(&self, scratch: &mut NewtonScratch) -> Certificate {
        let mut world = self.clone();
        let (problem, iterate) = world.parts();
        measure(&problem, &iterate, scratch)
    }

    /// Gives its impulses to the sweeps.
    pub(super) fn begin(&self, scratch: &mut NewtonScratch) {
        let mut world = self.clone();
        let (problem, iterate) = world.parts();
        scratch.begin(&problem, &iterate);
    }

    pub(super) fn parts(&mut self) -> (ManifoldProblem<'_>, ManifoldIterate<'_>) {
        let problem = ManifoldProblem {
            bodies: &self.bodies,
            manifolds: &self.manifolds,
            joints: &self.joints,
            rolling: &self.rolling,
            cone: self.cone,
        };
        let iterate = ManifoldIterate {
            velocity: &mut self.velocity,
            contact: &mut self.contact,
            rolling: &mut self.roll,
            joint: &mut self.joint,
        };
        (problem, iterate)
    }

    pub(super) fn solve(
        &mut self,
        params: &NewtonParams,
        memory: &mut NewtonMemory,
        scratch: &mut NewtonScratch,
    ) -> SolveStats {
        let (problem, mut iterate) = self.parts();
        solve(&problem, None, &mut iterate, params, memory, scratch)
    }

    /// The contacts as rows, in order.
    pub(super) fn rows(&self) -> Vec<ContactRow> {
        let lanes = |m: &Manifold| (0..m.count as usize).collect::<Vec<_>>();
        let row = |m: &Manifold, lane| m.row(lane, &self.bodies);
        self.manifolds.iter().flat_map(|m| lanes(m).into_iter().map(move |l| row(m, l))).collect()
    }

    /// The contact impulses in the frames of the rows.
    pub(super) fn row_impulses(&self) -> Vec<Vector> {
        let mut out = Vec::new();
        for m in &self.manifolds {
            for lane in 0..m.count as usize {
                let l = self.contact[m.first as usize + lane];
                out.push(m.frame().map(|d| dot3(&d, &l)));
            }
        }
        out
    }

    /// The velocity that the impulses give, by rows, and its certificate.
    pub(super) fn judge(&self) -> (Vec<Vec6>, Certificate) {
        self.measure(None)
    }

    /// Certificate of its velocity and impulses, by rows.
    pub(super) fn certify(&self) -> Certificate {
        let (rebuilt, certificate) = self.measure(Some(&self.velocity));
        let pairs = rebuilt.as_flattened().iter().zip(self.velocity.as_flattened());
        let motion = pairs.fold(0.0, |m: Double, (x, y)| m.max((x - y).abs()));
        Certificate { motion, ..certificate }
    }

    /// The velocity that its impulses give, and the certificate of them and that or another one.
    fn measure(&self, other: Option<&[Vec6]>) -> (Vec<Vec6>, Certificate) {
        let (rows, impulses) = (self.rows(), self.row_impulses());
        let problem = Problem {
            bodies: &self.bodies,
            joints: &self.joints,
            contacts: &rows,
            rolling: &self.rolling,
            cone: self.cone,
        };
        let impulses = Impulses { joint: &self.joint, contact: &impulses, rolling: &self.roll };
        let mut velocity = vec![[0.0; 6]; self.bodies.len()];
        certificate::rebuild_velocity(&problem, impulses, &mut velocity);
        let at = other.unwrap_or(&velocity);
        let certificate = certificate::measure(&problem, at, impulses);
        (velocity, certificate)
    }
}

/// The arm of a row of a body: of orthonormal directions `Σ d × (r × d) = 2 r`.
fn arm_of(row: &ContactRow, body: u32, sign: Double) -> Vector {
    if body == FIXED {
        return [0.0; 3];
    }
    let rows = if sign < 0.0 { &row.jacobian_a } else { &row.jacobian_b };
    let mut arm = [0.0; 3];
    for [x, y, z, u, v, w] in rows {
        let part = cross([*x, *y, *z], [*u, *v, *w]);
        for k in 0..3 {
            arm[k] += 0.5 * part[k];
        }
    }
    arm
}

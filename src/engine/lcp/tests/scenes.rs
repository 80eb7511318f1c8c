//! Step problems of small scenes: boxes of side 1 m, gravity along -y.

use crate::engine::lcp::{
    BodyBlock, Cone, ContactRow, FIXED, Impulses, Iterate, JointRow, Problem, RollingRow, Vec6,
    certificate,
};
use crate::math::Double;

/// g [m/s²] and h (s) of all scenes.
pub(crate) const GRAVITY: Double = 9.81;
pub(crate) const DT: Double = 1.0 / 60.0;

pub(crate) type Point = [Double; 3];

#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) bodies: Vec<BodyBlock>,
    pub(crate) joints: Vec<JointRow>,
    pub(crate) contacts: Vec<ContactRow>,
    pub(crate) rolling: Vec<RollingRow>,
    pub(crate) cone: Cone,
    pub(crate) velocity: Vec<Vec6>,
    pub(crate) joint_impulse: Vec<Double>,
    pub(crate) contact_impulse: Vec<[Double; 3]>,
    pub(crate) rolling_impulse: Vec<[Double; 3]>,
}

pub(crate) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Velocity of the point at `arm` from the center along `direction`.
fn point_row(direction: Point, arm: Point, sign: Double) -> Vec6 {
    let turn = cross(arm, direction);
    [direction[0], direction[1], direction[2], turn[0], turn[1], turn[2]].map(|x| sign * x)
}

impl Scene {
    pub(crate) fn new(cone: Cone) -> Self {
        Self {
            bodies: Vec::new(),
            joints: Vec::new(),
            contacts: Vec::new(),
            rolling: Vec::new(),
            cone,
            velocity: Vec::new(),
            joint_impulse: Vec::new(),
            contact_impulse: Vec::new(),
            rolling_impulse: Vec::new(),
        }
    }

    /// A cube of side 1 m with velocity `v` before a step of gravity.
    pub(crate) fn cube(&mut self, mass: Double, v: Vec6) -> u32 {
        let inertia = mass / 6.0;
        let mut velocity_free = v;
        velocity_free[1] -= GRAVITY * DT;
        self.bodies.push(BodyBlock {
            mass: [mass; 3],
            inertia: [inertia, inertia, inertia, 0.0, 0.0, 0.0],
            inverse_mass: [1.0 / mass; 3],
            inverse_inertia: [1.0 / inertia, 1.0 / inertia, 1.0 / inertia, 0.0, 0.0, 0.0],
            velocity_free,
        });
        self.velocity.push(v);
        self.bodies.len() as u32 - 1
    }

    /// Contact of body `b` on `a` with normal from a to b and arms from the centers.
    pub(crate) fn contact(
        &mut self,
        (a, arm_a): (u32, Point),
        (b, arm_b): (u32, Point),
        frame: [Point; 3],
        friction: Double,
    ) {
        let rows = |body: u32, arm: Point, sign: Double| {
            if body == FIXED { [[0.0; 6]; 3] } else { frame.map(|d| point_row(d, arm, sign)) }
        };
        self.contacts.push(ContactRow {
            a,
            b,
            jacobian_a: rows(a, arm_a, -1.0),
            jacobian_b: rows(b, arm_b, 1.0),
            bias: [0.0; 3],
            friction,
        });
        self.contact_impulse.push([0.0; 3]);
    }

    /// Rolling and spinning rows of a contact, with ℓ = 0.4 m; contacts in ascending order.
    pub(crate) fn resist_rolling(&mut self, contact: usize, spinning: Double, rolling: Double) {
        let length = 0.4;
        let row = &self.contacts[contact];
        let rows = |body: u32, sign: Double| {
            let s = if body == FIXED { 0.0 } else { sign * length };
            // Body b of the scenes is never fixed, and its rows begin with the directions.
            row.jacobian_b.map(|[x, y, z, ..]| [0.0, 0.0, 0.0, s * x, s * y, s * z])
        };
        self.rolling.push(RollingRow {
            contact: contact as u32,
            jacobian_a: rows(row.a, -1.0),
            jacobian_b: rows(row.b, 1.0),
            length,
            bias: [0.0; 3],
            spinning: spinning / length,
            rolling: rolling / length,
        });
        self.rolling_impulse.push([0.0; 3]);
    }

    /// Four corner contacts of cube `b` straight above `a` (or the floor).
    pub(crate) fn rest_on(&mut self, a: u32, b: u32, friction: Double) {
        let up = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
        for x in [-0.5, 0.5] {
            for z in [-0.5, 0.5] {
                self.contact((a, [x, 0.5, z]), (b, [x, -0.5, z]), up, friction);
            }
        }
    }

    /// Three rows that join a point of `a` (or of the world) to a point of `b`.
    pub(crate) fn ball_joint(&mut self, (a, arm_a): (u32, Point), (b, arm_b): (u32, Point)) {
        for k in 0..3 {
            let mut axis = [0.0; 3];
            axis[k] = 1.0;
            let mut row = JointRow::equality(Default::default(), 0.0);
            if a != FIXED {
                row.terms.push((a, point_row(axis, arm_a, -1.0)));
            }
            row.terms.push((b, point_row(axis, arm_b, 1.0)));
            self.joints.push(row);
            self.joint_impulse.push(0.0);
        }
    }

    pub(crate) fn parts(&mut self) -> (Problem<'_>, Iterate<'_>) {
        (
            Problem {
                bodies: &self.bodies,
                joints: &self.joints,
                contacts: &self.contacts,
                rolling: &self.rolling,
                cone: self.cone,
            },
            Iterate {
                velocity: &mut self.velocity,
                joint_impulse: &mut self.joint_impulse,
                contact_impulse: &mut self.contact_impulse,
                rolling_impulse: &mut self.rolling_impulse,
            },
        )
    }

    /// Measures the impulses at hand from scratch, not trusting what a solver reports.
    pub(crate) fn certificate(&self) -> certificate::Certificate {
        let problem = Problem {
            bodies: &self.bodies,
            joints: &self.joints,
            contacts: &self.contacts,
            rolling: &self.rolling,
            cone: self.cone,
        };
        let mut velocity = vec![[0.0; 6]; self.bodies.len()];
        let impulses = Impulses {
            joint: &self.joint_impulse,
            contact: &self.contact_impulse,
            rolling: &self.rolling_impulse,
        };
        certificate::rebuild_velocity(&problem, impulses, &mut velocity);
        assert_eq!(velocity, self.velocity, "the velocity returned belongs to the impulses");
        certificate::measure(&problem, &velocity, impulses)
    }
}

/// A tower of cubes at rest; the top one may be heavier.
pub(crate) fn stack(n: usize, top_mass: Double, cone: Cone) -> Scene {
    let mut scene = Scene::new(cone);
    let mut below = FIXED;
    for i in 0..n {
        let body = scene.cube(if i + 1 == n { top_mass } else { 1.0 }, [0.0; 6]);
        scene.rest_on(below, body, 0.5);
        below = body;
    }
    scene
}

/// A wall of cubes, `base` at the bottom, each row one shorter and half a cube shifted.
pub(crate) fn pyramid(base: usize, cone: Cone) -> Scene {
    let mut scene = Scene::new(cone);
    let up = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
    let mut below: Vec<u32> = Vec::new();
    for row in 0..base {
        let mut current = Vec::new();
        for column in 0..base - row {
            let body = scene.cube(1.0, [0.0; 6]);
            current.push(body);
            if row == 0 {
                scene.rest_on(FIXED, body, 0.5);
                continue;
            }
            for (support, shift) in [(below[column], -0.5), (below[column + 1], 0.5)] {
                for x in [0.0, shift] {
                    for z in [-0.5, 0.5] {
                        let arms = ([x - shift, 0.5, z], [x, -0.5, z]);
                        scene.contact((support, arms.0), (body, arms.1), up, 0.5);
                    }
                }
            }
        }
        below = current;
    }
    scene
}

/// Cubes hanging from the world by ball joints, the last one heavy.
pub(crate) fn chain(n: usize, end_mass: Double) -> Scene {
    let mut scene = Scene::new(Cone::Circular);
    let mut above = FIXED;
    for i in 0..n {
        // Pulled aside, so that the joints have work to do.
        let v = [0.3, 0.0, 0.1 * i as Double, 0.2, -0.4, 0.1];
        let body = scene.cube(if i + 1 == n { end_mass } else { 1.0 }, v);
        scene.ball_joint((above, [0.0, -0.5, 0.0]), (body, [0.0, 0.5, 0.0]));
        above = body;
    }
    scene
}

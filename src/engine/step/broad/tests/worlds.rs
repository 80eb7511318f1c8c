//! Little worlds to which everything happens.

use crate::engine::Simulation;
use crate::engine::geometry::shape::Shape;
use crate::engine::lcp::tests::random;
use crate::engine::settings::Settings;
use crate::engine::state::body::{BodyDesc, BodyId, BodyKind};
use crate::engine::state::collider::{Collider, Layers};
use crate::engine::state::joint::{JointDesc, JointId, JointKind};
use crate::engine::state::pair_key::PairKey;
use crate::math::{Quat, Real, Vec3, quat_normalize};

/// Random numbers, as these tests want them.
pub struct Random(pub random::Random);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Uniform in -size to size.
    pub fn signed(&mut self, size: Real) -> Real {
        size * ((self.bits() >> 40) as Real / (1_u32 << 23) as Real - 1.0)
    }

    pub fn vector(&mut self, size: Real) -> Vec3 {
        Vec3::new(self.signed(size), self.signed(size), self.signed(size))
    }

    pub fn rotation(&mut self) -> Quat {
        let (v, w) = (self.vector(1.0), self.signed(1.0));
        quat_normalize(Quat::from_xyzw(v.x, v.y, v.z, w + 1.5))
    }
}

pub struct World {
    pub engine: Simulation,
    pub settings: Settings,
    pub dt: Real,
    rng: Random,
    ids: Vec<BodyId>,
    joints: Vec<JointId>,
}

impl World {
    /// A floor, now and then hilly, and what lies on it.
    pub fn new(seed: u64) -> Self {
        let mut settings = Settings::default();
        settings.sleep.enabled = true;
        let mut world = Self {
            engine: Simulation::new(),
            settings,
            dt: 1.0 / 60.0,
            rng: Random(random::Random::new(seed)),
            ids: Vec::new(),
            joints: Vec::new(),
        };
        let floor = if seed % 3 == 2 {
            let height = |rng: &mut Random| rng.signed(0.2);
            let heights: Vec<Vec<Real>> =
                (0..9).map(|_| (0..9).map(|_| height(&mut world.rng)).collect()).collect();
            Shape::heightfield(&heights, Vec3::new(8.0, 1.0, 8.0))
        } else if seed % 3 == 1 {
            Shape::cuboid(8.0, 1.0, 8.0)
        } else {
            Shape::half_space(Vec3::Y)
        };
        let kind = if seed.is_multiple_of(2) { BodyKind::Static } else { BodyKind::Kinematic };
        let position = if seed % 3 == 1 { Vec3::Y * -0.5 } else { Vec3::ZERO };
        let desc = BodyDesc { kind, shape: floor.ok(), position, ..BodyDesc::default() };
        world.engine.add_body(desc).expect("a floor");
        for _ in 0..20 {
            world.add();
        }
        world
    }

    fn collider(&mut self) -> Collider {
        let size = 0.3 + self.rng.signed(0.1);
        let shape = match self.rng.below(4) {
            0 => Shape::sphere(size),
            1 => Shape::capsule(0.5 * size, size),
            _ => Shape::cuboid(2.0 * size, size, 0.8 * size),
        };
        let mut collider = Collider::new(shape.expect("positive lengths"));
        collider.sensor = self.rng.below(12) == 0;
        collider.layers = self.layers();
        collider
    }

    fn layers(&mut self) -> Layers {
        if self.rng.below(4) > 0 {
            return Layers::ALL;
        }
        Layers { memberships: 1 << self.rng.below(2), filters: 1 << self.rng.below(2) }
    }

    fn add(&mut self) {
        let mut colliders = vec![self.collider()];
        if self.rng.below(4) == 0 {
            let mut second = self.collider();
            second.position = self.rng.vector(0.4);
            colliders.push(second);
        }
        let kind = match self.rng.below(10) {
            0 => BodyKind::Kinematic,
            1 => BodyKind::Static,
            _ => BodyKind::Dynamic,
        };
        let inertia = Shape::cuboid(0.4, 0.4, 0.4).expect("a cube").mass_properties(1.0);
        let desc = BodyDesc {
            kind,
            colliders,
            mass_properties: Some(inertia),
            position: self.rng.vector(1.5) + Vec3::Y * 2.0,
            rotation: self.rng.rotation(),
            swept: self.rng.below(6) == 0,
            linear_damping: 1.0,
            angular_damping: 1.0,
            ..BodyDesc::default()
        };
        self.ids.push(self.engine.add_body(desc).expect("a sound body"));
    }

    fn any(&mut self) -> Option<BodyId> {
        if self.ids.is_empty() { None } else { Some(self.ids[self.rng.below(self.ids.len())]) }
    }

    /// What may happen between two steps; often nothing.
    pub fn change(&mut self) {
        let dice = self.rng.below(40);
        let (at, turn) = (self.rng.vector(1.5) + Vec3::Y * 1.5, self.rng.rotation());
        let velocity = self.rng.vector(8.0);
        let (collider, layers) = (self.collider(), self.layers());
        let [one, two] = [self.any(), self.any()];
        let (Some(id), Some(other)) = (one, two) else { return self.add() };
        let engine = &mut self.engine;
        match dice {
            0 | 1 => self.add(),
            2 | 3 => {
                engine.remove_body(id);
                self.ids.retain(|other| *other != id);
            }
            4 => {
                engine.sleep_body(id);
            }
            5 => {
                engine.wake_body(id);
            }
            6 => {
                let desc = JointDesc::between(JointKind::Spherical, id, other);
                self.joints.extend(engine.add_joint(desc).ok());
            }
            7 => {
                if let Some(joint) = self.joints.pop() {
                    engine.remove_joint(joint);
                }
            }
            8 => {
                if let Some(&joint) = self.joints.last() {
                    engine.set_joint_enabled(joint, velocity.x > 0.0);
                }
            }
            9 => self.dt = if velocity.x > 0.0 { 1.0 / 60.0 } else { 1.0 / 120.0 },
            10 => self.settings.contact.margin = if velocity.x > 0.0 { 0.002 } else { 0.01 },
            11..=17 => {
                let Some(body) = engine.body_mut(id) else { return };
                match dice {
                    11 => body.set_pose(at, turn),
                    12 => body.set_layers(0, layers),
                    13 => {
                        let (position, rotation) = (body.position() + velocity * 0.02, turn);
                        body.set_target(position, rotation);
                    }
                    14 => body.swept = !body.swept,
                    15 => {
                        let mass = collider.mass_properties(1.0);
                        let _ = body.set_colliders(vec![collider], body.kind(), mass);
                    }
                    16 => body.linear_velocity = velocity,
                    _ => body.apply_linear_impulse(velocity * 0.01),
                }
            }
            _ => {}
        }
    }

    /// Takes some pairs out of the step that is under way, in one step of eight.
    pub fn filter(&mut self, mut gone: impl FnMut(PairKey)) {
        if self.rng.below(8) == 0 {
            let rng = &mut self.rng;
            self.engine.retain_pairs(|pair| {
                let keep = rng.below(4) > 0;
                if !keep {
                    gone(pair.key);
                }
                keep
            });
        }
    }

    /// Lets everything fall asleep.
    pub fn settle(&mut self) {
        self.settings.sleep.enabled = true;
        for _ in 0..600 {
            self.engine.step(&self.settings, self.dt);
        }
        for k in 0..self.ids.len() {
            self.engine.sleep_body(self.ids[k]);
        }
    }
}

//! Checks of the engine's invariants after each stage, under the feature `validate` and in unit tests.
//!
//! A failed check is a defect of the engine, never of its input: it panics and says which rule broke.

use crate::engine::Simulation;
use crate::engine::settings::{Settings, StepMode};
use crate::engine::state::pairs::is_dormant;
use crate::engine::step::islands::NO_ISLAND;
use crate::math::Real;

impl Simulation {
    /// Pairs are strictly ascending, and their bodies are those that their keys name.
    pub(super) fn check_pairs(&self) {
        let bodies = self.bodies.as_slice();
        let ascending = self.pairs.list.windows(2).all(|pair| pair[0].key < pair[1].key);
        assert!(ascending, "pairs are sorted and unique");
        let count = self.work.motions.list.len();
        for (i, body) in bodies[..count].iter().enumerate() {
            assert!(self.work.broad.knows(i, body), "the broad phase missed body {i}");
        }
        for pair in &self.pairs.list {
            let [a, b] = pair.bodies.map(|i| bodies[i as usize].id());
            assert!(a == pair.key.a && b == pair.key.b && a < b, "pair {:?}: bodies", pair.key);
        }
    }

    /// Pairs that a step does not look at are dormant, of bodies that are as they were, and told of by
    /// the least of what is known of them.
    fn check_unseen(&self) {
        let mut seen = self.pairs.seen.iter().copied().peekable();
        let mut least = [Real::INFINITY; 2];
        for (p, pair) in (0..).zip(&self.pairs.list) {
            let dormant = pair.dormant && is_dormant(pair.bodies, &self.work.motions.list);
            let changed = pair.bodies.iter().any(|&i| self.bodies.changes().is_new(i as usize));
            if seen.next_if_eq(&p).is_none() {
                assert!(dormant && !changed, "pair {:?} is looked at", pair.key);
                let (step, began) = (self.pairs.step, self.pairs.heads[p as usize].began);
                let seen = self.pairs.guards[p as usize].seen;
                assert!(began != step && seen != step, "and is not new");
                if !pair.sensor {
                    least = [least[0].min(pair.gap), least[1].min(pair.separation)];
                }
            }
        }
        assert_eq!(seen.next(), None, "places are ascending");
        assert_eq!(least, self.pairs.unseen, "the deepest of the others");
    }

    /// Touches are those that all pairs tell, of which those that no longer touch were there before.
    pub(super) fn check_touches(&self) {
        let bodies = self.bodies.as_slice();
        let motions = &self.work.motions.list;
        let dt = (self.mode == StepMode::Dynamic).then_some(self.report.dt);
        self.touches.check(&self.pairs.list, bodies, motions, self.margin, dt);
    }

    /// Contacts are ascending by id, finite, with unit normals, and both arms lead to one point, but for what
    /// is kept while bodies move a little, for swept bodies, which meet later, and for sleepers.
    pub(super) fn check_contacts(&self, settings: &Settings) {
        self.check_unseen();
        let (bodies, dt, contact) = (self.bodies.as_slice(), self.report.dt, &settings.contact);
        let kept = contact.stillness.min(contact.dead_zone) * dt * dt;
        for pair in &self.pairs.list {
            let ascending = pair.contacts.windows(2).all(|two| two[0].id < two[1].id);
            assert!(ascending, "pair {:?}: contacts are sorted and unique", pair.key);
            let elsewhere = pair.dormant || pair.bodies.iter().any(|&i| bodies[i as usize].swept);
            let [a, b] = pair.bodies.map(|i| bodies[i as usize].center());
            for contact in &pair.contacts {
                let length = contact.normal.length();
                assert!((length - 1.0).abs() < 1e-4, "pair {:?}: normal {length}", pair.key);
                assert!(contact.gap.is_finite(), "pair {:?}: gap", pair.key);
                let apart = (contact.arms[0] - contact.arms[1]) - (b - a);
                let scale = 1.0 + contact.arms[0].length() + a.length() + b.length();
                let same = apart.length() < kept + 1e-4 * scale;
                assert!(same || elsewhere, "pair {:?}: arms {apart}", pair.key);
            }
        }
    }

    /// Every moving body is in one island, at the place it is said to have there.
    pub(super) fn check_islands(&self) {
        let islands = &self.work.islands;
        for (i, &moves) in self.work.motions.moves.iter().enumerate() {
            let k = islands.island[i];
            assert_eq!(moves, k != NO_ISLAND, "body {i} moves: {moves}");
            if moves {
                let at = islands.start[k as usize] + islands.local[i];
                assert_eq!(islands.members[at as usize], i as u32, "body {i} in island {k}");
            }
        }
        for [a, b] in self.work.touching.iter().map(|pair| pair.bodies) {
            let [a, b] = [a, b].map(|i| islands.island[i as usize]);
            assert!(a == b || a == NO_ISLAND || b == NO_ISLAND, "islands {a} and {b} touch");
        }
    }

    /// Sleepers stand still, and each is in the one island that it names.
    pub(super) fn check_sleepers(&self) {
        let mut count = 0;
        for members in self.sleepers.islands() {
            assert!(members.windows(2).all(|two| two[0] < two[1]), "members are sorted");
            for &id in members {
                let Some(body) = self.bodies.get(id) else { continue };
                assert_eq!(body.sleep.asleep, Some(members[0]), "body {} sleeps there", id.0);
                count += 1;
            }
        }
        let asleep = self.bodies.iter().filter(|body| body.is_sleeping()).count();
        assert_eq!(asleep, count, "every sleeper is in an island");
    }

    /// Rows, sources and unknowns match, and rows stay within their island.
    pub(super) fn check_problem(&self) {
        let (problem, islands) = (&self.work.problem, &self.work.islands);
        let contacts = problem.contact_source.len();
        for unknowns in [&problem.biased, &problem.relaxed] {
            assert_eq!(unknowns.velocity.len(), islands.members.len(), "a velocity each");
            assert_eq!(unknowns.contact_impulse.len(), contacts, "an impulse each");
            assert_eq!(unknowns.joint_impulse.len(), problem.joints.len(), "an impulse each");
            assert_eq!(unknowns.rolling_impulse.len(), problem.rolling.len(), "an impulse each");
        }
        for k in 0..islands.len() {
            let ranges = problem.ranges(k, islands);
            let bodies = ranges.members.len();
            let inside = |i: u32| (i as usize) <= bodies;
            let rolling = &problem.rolling[ranges.rolling];
            let ascending = rolling.windows(2).all(|two| two[0].contact < two[1].contact);
            assert!(ascending, "island {k}: rolling rows are sorted");
            let within = rolling.iter().all(|row| (row.contact as usize) < ranges.contacts.len());
            assert!(within, "island {k}: rolling rows leave it");
            let mut next = 0;
            for manifold in &problem.manifolds[ranges.manifolds] {
                let [a, b] = [manifold.a, manifold.b];
                assert!(inside(a) && inside(b) && a != b, "island {k}: manifold leaves it");
                assert!(manifold.bias.iter().all(|b| b.is_finite()), "island {k}: bias");
                assert_eq!(manifold.first, next, "island {k}: contacts in order");
                assert!((1..=4).contains(&manifold.count), "island {k}: contacts of a manifold");
                next += manifold.count;
            }
            assert_eq!(next as usize, ranges.contacts.len(), "island {k}: every contact once");
            for row in &problem.joints[ranges.joints] {
                let within = row.terms.iter().all(|term| (term.0 as usize) < bodies);
                assert!(within, "island {k}: joint row");
                let [low, high] = row.bounds;
                assert!(row.bias.is_finite() && row.softness >= 0.0, "island {k}: bias, softness");
                assert!(low <= high, "island {k}: bounds of a joint row");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::Simulation;
    use crate::engine::geometry::shape::Shape;
    use crate::engine::geometry::shape::mass::MassProperties;
    use crate::engine::lcp::tests::random::Random;
    use crate::engine::settings::Settings;
    use crate::engine::state::body::{Body, BodyDesc, BodyId, BodyKind};
    use crate::engine::state::collider::{Collider, Layers, Material};
    use crate::engine::state::joint::{JointDesc, JointKind};
    use crate::math::{Real, SymMat3, Vec3, narrow, quat_exp};

    /// The checks run after every stage of unit tests; here on a heap that falls apart.
    #[test]
    fn every_invariant_holds_while_a_heap_falls() {
        let mut world = Simulation::new();
        let floor = Shape::half_space(Vec3::Y).expect("a direction");
        let fixed = BodyDesc { kind: BodyKind::Static, shape: Some(floor), ..BodyDesc::default() };
        world.add_body(fixed).expect("a floor");
        for i in 0..30_u16 {
            let i = Real::from(i);
            let desc = BodyDesc {
                shape: Shape::cuboid(0.5, 0.4 + 0.01 * i, 0.6).ok(),
                position: Vec3::new(0.2 * (i % 5.0), 0.4 + 0.3 * i, 0.1 * (i % 3.0)),
                ..BodyDesc::default()
            };
            world.add_body(desc).expect("a box");
        }
        for _ in 0..200 {
            world.step(&Settings::default(), 1.0 / 60.0);
        }
        assert!(world.report().contacts > 30, "they lie on each other");
    }

    /// Contacts are kept while bodies move by less than `c h²`: 4.5 mm in steps of half a second, which the
    /// check of their arms bears.
    #[test]
    fn arms_are_checked_by_the_length_of_the_step() {
        let mut world = Simulation::new();
        let floor = Shape::half_space(Vec3::Y).expect("a direction");
        let fixed = BodyDesc { kind: BodyKind::Static, shape: Some(floor), ..BodyDesc::default() };
        world.add_body(fixed).expect("a floor");
        let shape = Shape::cuboid(1.0, 1.0, 1.0).ok();
        let body = BodyDesc { shape, position: Vec3::Y * 0.5, ..BodyDesc::default() };
        let id = world.add_body(body).expect("a box");
        let settings = Settings { gravity: Vec3::ZERO, ..Settings::default() };
        world.step(&settings, 0.5);
        world.body_mut(id).expect("the box").linear_velocity = Vec3::X * 0.008;
        for step in 1..4 {
            // In the second it is 4 mm from where it was measured, in the third 8 mm.
            let measured = world.step(&settings, 0.5).measured;
            assert_eq!(measured, 0, "step {step}: kept or followed");
        }
    }

    /// Whatever happens to sleepers and to what they lie on, a step looks at all that is not as it was,
    /// and touches are those of all pairs: see `check_unseen` and `check_touches`.
    #[test]
    fn a_step_looks_at_all_that_changes() {
        let mut rng = Random::new(3);
        let mut settings = Settings::default();
        (settings.sleep.enabled, settings.sleep.time) = (true, 0.1);
        let mut world = Simulation::new();
        let slab = |tag, y| {
            let shape = Shape::cuboid(4.0, 1.0, 4.0).expect("a slab");
            Collider { tag, position: Vec3::Y * y, ..Collider::new(shape) }
        };
        let colliders = vec![slab(1, 0.0), slab(2, -0.5)];
        let floor = BodyDesc { kind: BodyKind::Static, colliders, ..BodyDesc::default() };
        let floor = world.add_body(floor).expect("a floor");
        let mut slept = 0;
        for step in 0..1500 {
            if step % 40 == 0 {
                let [x, _, z] = rng.vector3(1.5).map(narrow);
                let at = Vec3::new(x, 1.5, z);
                let shape = Shape::cuboid(0.6, 0.4, 0.5).ok();
                let body = BodyDesc { shape, position: at, ..BodyDesc::default() };
                world.add_body(body).expect("a box");
            }
            let ids: Vec<BodyId> = world.bodies().iter().map(Body::id).collect();
            let id = ids[rng.below(ids.len())];
            match rng.below(60) {
                0 if id != floor => _ = world.remove_body(id),
                1 => _ = world.wake_body(id),
                2 => _ = world.sleep_body(id),
                3 => world.pairs_mut().iter_mut().for_each(|pair| pair.friction = 0.3),
                _ => {}
            }
            let id = if rng.below(2) == 0 { id } else { floor };
            let friction = narrow(rng.unit());
            let edit = rng.below(40);
            if edit < 4
                && let Some(body) = world.body_mut(id)
            {
                match edit {
                    0 | 1 => _ = body.set_material(0, Material { friction, ..Material::default() }),
                    2 => body.set_layers(0, Layers { filters: rng.below(2) as u32, ..Layers::ALL }),
                    _ => body.linear_velocity = Vec3::Y,
                }
            }
            world.begin(&settings, 1.0 / 60.0);
            world.find_pairs(&settings);
            if rng.below(50) == 0 {
                world.retain_pairs(|pair| pair.key.b != id);
            }
            world.find_contacts(&settings);
            world.build_islands();
            if rng.below(20) == 0 {
                world.wake_body(id);
            }
            world.assemble(&settings);
            world.solve(&settings);
            world.integrate();
            world.finish();
            slept += world.report().sleeping;
        }
        assert!(slept > 1500, "{slept}: there were sleepers");
    }

    /// Moments of inertia of 8e-6 and 3e13 kg m² in one body: their inverse in world axes is rounded to one
    /// that is not positive. Rows of a loop yield by a part of their compliance, which was below zero.
    #[test]
    fn no_row_of_a_loop_has_a_softness_below_zero() {
        for i in 0..40_u16 {
            let i = Real::from(i);
            let (rotation, mut world) =
                (quat_exp(Vec3::new(0.1, 0.02, 0.03) * i), Simulation::new());
            let [xx, yy, zz] = [8e-6, 3e13, 1e-4];
            let inertia = SymMat3 { xx, yy, zz, ..SymMat3::default() };
            let mass = MassProperties { mass: 0.005, center_of_mass: Vec3::ZERO, inertia };
            let link = |x| BodyDesc {
                position: Vec3::X * x,
                rotation,
                mass_properties: Some(mass),
                ..BodyDesc::default()
            };
            let ends = [0.0, 1.0].map(|x| world.add_body(link(x)).expect("a body of any mass"));
            for _ in 0..2 {
                let hinge = JointDesc::new(JointKind::Revolute, ends.map(Some));
                world.add_joint(hinge).expect("a hinge, and one more in its place");
            }
            world.step(&Settings::default(), 1.0 / 60.0);
        }
    }
}

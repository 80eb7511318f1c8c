//! Whatever users write, reparent or remove: components and engine agree after each step, and only what
//! changed is written.

use super::*;
use bevy_ecs::entity_disabling::{DefaultQueryFilters, Disabled};
use orthant::math::{from_single_quat, quat_exp, quat_rotate, single_quat};

/// Bodies and groups, and what may become of them.
struct Scene {
    app: App,
    rng: Rng,
    bodies: Vec<Entity>,
    groups: Vec<Entity>,
}

impl Scene {
    fn new(seed: u64, mut app: App) -> Self {
        without_gravity(&mut app);
        app.world_mut().resource_mut::<SleepConfig>().time = 0.1;
        let mut scene = Self { app, rng: Rng::new(seed), bodies: Vec::new(), groups: Vec::new() };
        for _ in 0..4 {
            let place = scene.place();
            scene.groups.push(spawn(&mut scene.app, place));
        }
        (0..30).for_each(|_| scene.add());
        scene
    }

    fn place(&mut self) -> Transform {
        let rotation = single_quat(quat_exp(self.rng.vector(-1.0, 1.0)));
        let translation = single3(self.rng.vector(-20.0, 20.0));
        Transform { translation, rotation, ..Transform::default() }
    }

    fn any(&mut self) -> Entity {
        self.bodies[self.rng.below(self.bodies.len())]
    }

    fn add(&mut self) {
        let kind =
            [RigidBody::Dynamic, RigidBody::Dynamic, RigidBody::Kinematic, RigidBody::Static]
                [self.rng.below(4)];
        let rests = self.rng.below(2) == 0;
        let velocity = if rests { Vec3::ZERO } else { self.rng.vector(-1.0, 1.0) };
        let motion = (LinearVelocity(velocity), AngularVelocity(-velocity));
        let (place, size) = (self.place(), self.rng.vector(0.1, 0.3));
        let shape = Collider::cuboid(size.x, size.y, size.z);
        let body = spawn(&mut self.app, (kind, shape, place, motion));
        self.bodies.push(body);
        self.hang(body);
    }

    /// Puts a body below a group, below another body, or below nothing.
    fn hang(&mut self, body: Entity) {
        let group = self.groups[self.rng.below(4)];
        let parent = [None, Some(group), Some(self.any())][self.rng.below(3)];
        let above = |parent| self.app.world().get::<ChildOf>(parent).map(ChildOf::parent);
        let circle = std::iter::successors(parent, |&e| above(e)).any(|e| e == body);
        let mut body = self.app.world_mut().entity_mut(body);
        match parent.filter(|_| !circle) {
            Some(parent) => body.insert(ChildOf(parent)),
            None => body.remove::<ChildOf>(),
        };
    }

    fn operate(&mut self) {
        let (body, group, place) = (self.any(), self.groups[self.rng.below(4)], self.place());
        let v = self.rng.vector(-1.0, 1.0);
        match self.rng.below(9) {
            0 => self.hang(body),
            1 => *self.app.world_mut().get_mut(body).expect("alive") = place,
            2 => *self.app.world_mut().get_mut(group).expect("alive") = place,
            3 => self.app.world_mut().get_mut::<LinearVelocity>(body).expect("alive").0 = v,
            4 => self.app.world_mut().get_mut::<AngularVelocity>(body).expect("alive").0 = v,
            5 => _ = self.app.world_mut().entity_mut(body).insert(Sleeping),
            6 => {
                // What is below it goes with it.
                self.app.world_mut().entity_mut(body).despawn();
                self.bodies.retain(|&body| self.app.world().get_entity(body).is_ok());
                (self.bodies.len()..30).for_each(|_| self.add());
            }
            7 => _ = self.app.world_mut().entity_mut(body).insert(Disabled),
            _ => {
                for &body in &self.bodies {
                    self.app.world_mut().entity_mut(body).remove::<Disabled>();
                }
            }
        }
    }

    /// Where an entity stands in the world by the `Transform`s, of disabled parents too.
    fn shown(&self, entity: Entity) -> Transform {
        let own = *self.app.world().get::<Transform>(entity).expect("it has one");
        let parent = self.app.world().get::<ChildOf>(entity);
        parent.map_or(own, |parent| self.shown(parent.parent()).mul_transform(own))
    }

    /// Do all components show what the engine has?
    fn check(&mut self) {
        for &entity in &self.bodies {
            if self.app.world().get::<Disabled>(entity).is_some() {
                continue;
            }
            let body = body(&self.app, entity).expect("it is enabled");
            let shown = self.shown(entity);
            let x = quat_rotate(from_single_quat(shown.rotation), Vec3::X);
            assert_near(from_single3(shown.translation), body.position(), 2e-4);
            assert_near(x, quat_rotate(body.rotation(), Vec3::X), 1e-4);
            let kind = self.app.world().get::<RigidBody>(entity).expect("it is one");
            if !kind.is_static() {
                assert_eq!(velocity(&self.app, entity), body.linear_velocity, "{kind:?}");
                let spin = self.app.world().get::<AngularVelocity>(entity).expect("it has one").0;
                assert_eq!(spin, body.angular_velocity, "{kind:?}");
            }
            let sleeps = self.app.world().get::<Sleeping>(entity).is_some();
            assert_eq!(sleeps, body.is_sleeping(), "{kind:?}");
        }
    }
}

#[test]
fn components_show_what_the_engine_has() {
    for seed in 1..=6 {
        let mut scene = Scene::new(seed, app());
        for _ in 0..150 {
            (0..scene.rng.below(4)).for_each(|_| scene.operate());
            scene.app.update();
            scene.check();
        }
    }
}

/// A component of no table that disables entities: queries are not dense then.
#[derive(Component)]
#[component(storage = "SparseSet")]
struct Hidden;

#[test]
fn components_follow_where_queries_are_not_dense() {
    let mut app = App::new();
    let hidden = app.world_mut().register_component::<Hidden>();
    app.world_mut().resource_mut::<DefaultQueryFilters>().register_disabling_component(hidden);
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin));
    app.add_plugins(as_it_is(PhysicsPlugins::default()));
    steps_each_update(&mut app, 1);
    app.update();
    let mut scene = Scene::new(9, app);
    for _ in 0..60 {
        (0..scene.rng.below(4)).for_each(|_| scene.operate());
        scene.app.update();
        scene.check();
    }
    let body = scene.bodies[0];
    scene.app.world_mut().entity_mut(body).insert(Mass(7.0));
    scene.app.update();
    if let Some(body) = super::body(&scene.app, body).filter(|body| body.is_dynamic()) {
        assert_eq!(body.mass(), 7.0, "changed components are found");
    }
}

/// How many components changed in an update, of bodies and of what is above them.
#[derive(Resource, Default, Debug, PartialEq, Clone, Copy)]
struct Written {
    transforms: usize,
    velocities: usize,
    spins: usize,
    others: usize,
}

type Others =
    Or<(Changed<Collider>, Changed<RigidBody>, Changed<PendingForces>, Changed<Sleeping>)>;

fn count_written(
    transforms: Query<(), Changed<Transform>>,
    velocities: Query<(), Changed<LinearVelocity>>,
    spins: Query<(), Changed<AngularVelocity>>,
    others: Query<(), Others>,
    mut written: ResMut<Written>,
) {
    *written = Written {
        transforms: transforms.iter().count(),
        velocities: velocities.iter().count(),
        spins: spins.iter().count(),
        others: others.iter().count(),
    };
}

#[test]
fn what_rests_or_sleeps_is_not_written() {
    let mut app = app();
    floor(&mut app);
    let group = spawn(&mut app, at(0.0, 0.0, 30.0));
    for i in 0..20_u8 {
        let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(2.0 * f32::from(i), 0.5, 0.0)));
        if i % 2 == 0 {
            app.world_mut().entity_mut(cube).insert(ChildOf(group));
        }
        if i % 5 == 0 {
            app.world_mut().entity_mut(cube).insert(SleepingDisabled);
        }
    }
    let still = (RigidBody::Kinematic, cube(), at(0.0, 9.0, 0.0));
    spawn(&mut app, still);
    let wall = spawn(&mut app, (RigidBody::Static, cube(), at(0.0, 9.0, 9.0), ChildOf(group)));
    run(&mut app, 200);
    app.init_resource::<Written>().add_systems(Last, count_written);
    run(&mut app, 2);
    assert_eq!(*app.world().resource::<Written>(), Written::default(), "nothing moves");
    let flying = (LinearVelocity(Vec3::X), GravityScale(0.0));
    let ball = spawn(&mut app, (RigidBody::Dynamic, Collider::sphere(0.5), at(0.0, 50.0, 0.0)));
    app.world_mut().entity_mut(ball).insert(flying);
    run(&mut app, 2);
    let only = Written { transforms: 1, ..Written::default() };
    assert_eq!(*app.world().resource::<Written>(), only, "only the ball is written");
    let before = body(&app, wall).expect("alive").position();
    app.world_mut().get_mut::<Transform>(group).expect("alive").translation.y += 1.0;
    run(&mut app, 1);
    let after = body(&app, wall).expect("alive").position();
    assert_near(after, before + Vec3::Y, 1e-5);
}

#[test]
fn what_a_system_writes_within_the_step_is_read_by_the_next() {
    for set in [PhysicsStepSystems::Integrate, PhysicsStepSystems::Report] {
        let mut app = app();
        without_gravity(&mut app);
        let cube = spawn(&mut app, (RigidBody::Dynamic, cube()));
        run(&mut app, 2);
        // By a command that is applied just before the components are written, and just after.
        let push = move |mut commands: Commands, mut done: Local<bool>| {
            if !*done {
                commands.entity(cube).insert(LinearVelocity(Vec3::Y));
            }
            *done = true;
        };
        app.add_systems(PhysicsSchedule, push.in_set(set));
        run(&mut app, 3);
        assert_eq!(body(&app, cube).expect("alive").linear_velocity, Vec3::Y, "{set:?}");
    }
}

//! An app without a window, of whatever engine.

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;

/// Length of a step (s), that of Bevy's fixed clock.
pub const DT: f32 = 1.0 / 64.0;

/// What was told, and when it was told first.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct Told {
    pub starts: u32,
    pub ends: u32,
    /// Steps in which a contact above the threshold was told.
    pub blows: u32,
    /// The largest impulse of a step (N·s).
    pub impulse: f32,
}

/// All bodies are pushed along x as long as it is there, if a scene knows of it.
#[derive(Resource)]
pub struct Pushed;

/// A running app and the bodies that are looked at.
pub struct Scene {
    pub app: App,
    pub bodies: Vec<Entity>,
    /// The pose of a body.
    pub pose: fn(&World, Entity) -> GlobalTransform,
}

impl Scene {
    /// An app in which each update is one step.
    pub fn app() -> App {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, TransformPlugin))
            .init_resource::<Told>()
            .insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
        app
    }

    /// Starts the clock of a built app, before anything is spawned.
    pub fn ready(app: &mut App) {
        app.finish();
        app.cleanup();
        app.update();
    }

    /// With what was spawned where it is, as what is spawned in `Startup`.
    pub fn new(mut app: App, bodies: Vec<Entity>) -> Self {
        app.world_mut().run_schedule(PostStartup);
        let pose =
            |world: &World, body| *world.get::<GlobalTransform>(body).expect("bodies have poses");
        Self { app, bodies, pose }
    }

    pub fn push(&mut self, on: bool) {
        if on {
            self.app.insert_resource(Pushed);
        } else {
            self.app.world_mut().remove_resource::<Pushed>();
        }
    }

    pub fn pose(&self, body: usize) -> GlobalTransform {
        (self.pose)(self.app.world(), self.bodies[body])
    }

    pub fn places(&self) -> Vec<Vec3> {
        (0..self.bodies.len()).map(|body| self.pose(body).translation()).collect()
    }

    /// Takes so many steps, and looks after each.
    pub fn run(&mut self, steps: usize, mut look: impl FnMut(&Self)) {
        for _ in 0..steps {
            self.app.update();
            look(self);
        }
    }

    /// Velocities in a step that is taken for it (m/s).
    pub fn velocities(&mut self) -> Vec<Vec3> {
        let before = self.places();
        self.run(1, |_| {});
        self.places().into_iter().zip(before).map(|(now, last)| (now - last) / DT).collect()
    }

    pub fn told(&self) -> Told {
        *self.app.world().resource::<Told>()
    }
}

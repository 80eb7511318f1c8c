//! An app without a window.

use std::time::Duration;

use bevy_app::{App, ScheduleRunnerPlugin};
use bevy_time::{TimePlugin, TimeUpdateStrategy};

/// An app that runs as fast as it can until it exits: every update is one step of Bevy's fixed clock.
pub fn app() -> App {
    let mut app = App::new();
    app.add_plugins((ScheduleRunnerPlugin::run_loop(Duration::ZERO), TimePlugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / 64));
    app
}

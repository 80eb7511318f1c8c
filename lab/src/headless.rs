//! An app without a window, and schedules in another order.

use std::time::Duration;

use bevy_app::{App, ScheduleRunnerPlugin};
use bevy_ecs::schedule::ScheduleBuildSettings;
use bevy_time::{TimePlugin, TimeUpdateStrategy};

/// An app that runs as fast as it can until it exits: every update is one step of Bevy's fixed clock.
pub fn app() -> App {
    let mut app = App::new();
    app.add_plugins((ScheduleRunnerPlugin::run_loop(Duration::ZERO), TimePlugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / 64));
    app
}

/// Settings by which systems that have no order between them are in another one for each seed; none
/// without the feature `shuffle`.
pub const fn shuffled(seed: u64) -> Option<ScheduleBuildSettings> {
    #[cfg(feature = "shuffle")]
    return Some(ScheduleBuildSettings {
        shuffle_seed: Some(seed),
        ..ScheduleBuildSettings::new()
    });
    #[cfg(not(feature = "shuffle"))]
    {
        let _ = seed;
        None
    }
}

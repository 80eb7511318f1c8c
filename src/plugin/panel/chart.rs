//! Sparklines: what the last steps were like, a bar each.

use std::collections::VecDeque;

use bevy_color::palettes::tailwind;
use bevy_color::{Color, Srgba};
use bevy_ecs::prelude::*;
use bevy_ui::{BackgroundColor, Node, Val};

use crate::plugin::diagnostics::{StageTimes, StepStage};
use crate::plugin::world::StepReport;

/// Number of steps that are shown.
pub(super) const STEPS: usize = 60;

/// How an island was solved, the worst of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Solved {
    Tolerance,
    Pressed,
    Swept,
    Softened,
}

impl Solved {
    const fn color(self) -> Srgba {
        match self {
            Self::Tolerance => tailwind::GREEN_500,
            Self::Pressed => tailwind::FUCHSIA_500,
            Self::Swept => tailwind::AMBER_400,
            Self::Softened => tailwind::RED_500,
        }
    }
}

/// Stages whose times are one part of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Components to the engine and back, reports and events.
    Components,
    /// Pairs and contacts.
    Contacts,
    /// All that the contacts are solved by.
    Solving,
}

impl Part {
    /// From the top of a bar to its foot.
    pub(super) const ALL: [Self; 3] = [Self::Components, Self::Contacts, Self::Solving];

    const fn of(stage: StepStage) -> Self {
        use StepStage as Stage;
        match stage {
            Stage::BroadPhase | Stage::FilterPairs | Stage::NarrowPhase | Stage::ModifyContacts => {
                Self::Contacts
            }
            Stage::Begin
            | Stage::Islands
            | Stage::Assemble
            | Stage::Solve
            | Stage::Integrate
            | Stage::Finish => Self::Solving,
            Stage::Gather | Stage::Scatter | Stage::Report | Stage::Events => Self::Components,
        }
    }

    const fn color(self) -> Srgba {
        match self {
            Self::Components => tailwind::SLATE_400,
            Self::Contacts => tailwind::SKY_400,
            Self::Solving => tailwind::VIOLET_400,
        }
    }
}

/// What is kept of a step.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Times of its parts (ms).
    times: [f32; 3],
    /// Natural-map residual [m/s].
    residual: f32,
    solved: Solved,
}

/// The last steps, the newest last.
#[derive(Resource, Debug, Default)]
pub(super) struct History(VecDeque<Sample>);

/// What a chart shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chart {
    /// Time of a part of a step, on end; all together up to the longest shown.
    Time(Part),
    /// The decimal logarithm of the residual, colored by how the step was solved.
    Residual,
}

/// Words that say what the colors of the bars of times mean, and of those of residuals.
pub(super) const TIME_LEGEND: [(&str, Srgba); 3] = [
    ("solving", Part::Solving.color()),
    ("contacts", Part::Contacts.color()),
    ("components", Part::Components.color()),
];
pub(super) const RESIDUAL_LEGEND: [(&str, Srgba); 4] = [
    ("solved", Solved::Tolerance.color()),
    ("pressed", Solved::Pressed.color()),
    ("swept", Solved::Swept.color()),
    ("softened", Solved::Softened.color()),
];

/// A bar of a chart, for the step so many before the last.
#[derive(Component, Clone, Copy, Debug)]
pub(super) struct Bar {
    pub(super) chart: Chart,
    pub(super) age: usize,
}

/// Keeps what a step was like.
pub(super) fn record(
    times: Res<StageTimes>,
    report: Res<StepReport>,
    mut history: ResMut<History>,
) {
    let solved = match (report.rows_softened, report.rows_swept, report.rows_pressed) {
        (1.., ..) => Solved::Softened,
        (0, 1.., _) => Solved::Swept,
        (0, 0, 1..) => Solved::Pressed,
        (0, 0, 0) => Solved::Tolerance,
    };
    if history.0.len() == STEPS {
        history.0.pop_front();
    }
    let times = Part::ALL.map(|part| {
        let stages = StepStage::ALL.into_iter().filter(|&stage| Part::of(stage) == part);
        stages.map(|stage| 1e3 * times.of(stage).as_secs_f32()).sum()
    });
    history.0.push_back(Sample { times, residual: report.natural_map as f32, solved });
}

impl History {
    /// Height (-), from 0 to 1, and color of a bar.
    fn bar(&self, bar: Bar, longest: f32) -> (f32, Color) {
        let place = self.0.len().checked_sub(bar.age + 1);
        let Some(sample) = place.and_then(|place| self.0.get(place)) else {
            return (0.0, Color::NONE);
        };
        let color = match bar.chart {
            Chart::Time(part) => part.color(),
            Chart::Residual => sample.solved.color(),
        };
        let height = match bar.chart {
            Chart::Time(part) => sample.times[part as usize] / longest,
            // From 1e-9 to 1 m/s. NaN is shown as the least.
            Chart::Residual => (1.0 + sample.residual.log10() / 9.0).max(0.02),
        };
        (height.clamp(0.0, 1.0), color.into())
    }
}

/// Draws the bars of the last steps, after steps.
pub(super) fn draw(
    history: Res<History>,
    mut bars: Query<(&Bar, &mut Node, &mut BackgroundColor)>,
) {
    if !history.is_changed() {
        return;
    }
    let longest = history.0.iter().map(|sample| sample.times.iter().sum());
    let longest = longest.fold(f32::MIN_POSITIVE, f32::max);
    for (&bar, mut node, mut color) in &mut bars {
        let (height, shade) = history.bar(bar, longest);
        node.height = Val::Percent(100.0 * height);
        color.0 = shade;
    }
}

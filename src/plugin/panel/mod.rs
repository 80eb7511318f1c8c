//! A panel to watch and tune physics while it runs (feature `panel`), of Bevy's user interface.
//!
//! ```no_run
//! # use bevy_app::prelude::*;
//! use orthant::prelude::*;
//!
//! # let mut app = App::new();
//! app.add_plugins((PhysicsPlugins::default(), PhysicsPanelPlugin));
//! ```

mod chart;
mod knob;

use bevy_app::{App, Plugin, Startup, Update};
use bevy_color::palettes::tailwind;
use bevy_color::{Alpha, Color, Srgba};
use bevy_ecs::observer::IntoEntityObserver;
use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_text::{FontSize, TextColor, TextFont, TextSpan};
use bevy_time::Time;
use bevy_ui::widget::Text;
use bevy_ui::{
    BackgroundColor, FlexDirection, GlobalZIndex, JustifyContent, Node, PositionType, UiRect, Val,
};
use bevy_ui_widgets::{
    Activate, Button, ButtonPlugin, Slider, SliderPlugin, SliderRange, SliderStep, SliderThumb,
    SliderValue, TrackClick, ValueChange,
};

use self::chart::{Bar, Chart, History, Part, RESIDUAL_LEGEND, STEPS, TIME_LEGEND};
use self::knob::{Knob, Tuning};
use super::diagnostics::{PhysicsDiagnosticsPlugin, StageTimes, StepStage};
use super::schedule::{PhysicsSchedule, PhysicsStepSystems};
use super::time::{Physics, PhysicsTime};
use super::world::StepReport;

/// Shows a panel: times of the stages and how the steps were solved, with sparklines; sliders for γ, method,
/// tolerance, budget, gravity and time scale; buttons that pause and take a single step.
///
/// Not in [`PhysicsPlugins`](super::PhysicsPlugins). Add it after Bevy's `DefaultPlugins`; it needs
/// `bevy_ui` with its rendering, and a camera. The panel is an entity with [`PhysicsPanel`]: move it by its
/// `Node`, hide it by its `Visibility`.
///
/// - Systems: one in `Startup` that spawns the panel, two in `Update`, one at the end of a step.
/// - Adds [`PhysicsDiagnosticsPlugin`] and Bevy's `SliderPlugin` and `ButtonPlugin` where they are missing.
///
/// ```
/// # use bevy_app::App;
/// use orthant::prelude::*;
///
/// fn build(app: &mut App) {
///     // After `DefaultPlugins`.
///     app.add_plugins((PhysicsPlugins::default(), PhysicsPanelPlugin));
/// }
/// # let _ = build;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsPanelPlugin;

impl Plugin for PhysicsPanelPlugin {
    fn build(&self, app: &mut App) {
        if !app.is_plugin_added::<PhysicsDiagnosticsPlugin>() {
            app.add_plugins(PhysicsDiagnosticsPlugin);
        }
        if !app.is_plugin_added::<SliderPlugin>() {
            app.add_plugins(SliderPlugin);
        }
        if !app.is_plugin_added::<ButtonPlugin>() {
            app.add_plugins(ButtonPlugin);
        }
        app.register_type::<PhysicsPanel>().init_resource::<History>();
        app.add_systems(Startup, spawn_panel)
            .add_systems(Update, (show_numbers, show_knobs, chart::draw));
        app.add_systems(PhysicsSchedule, chart::record.in_set(PhysicsStepSystems::Last));
    }
}

/// The panel of [`PhysicsPanelPlugin`].
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use bevy_ui::{Node, Val};
/// use orthant::prelude::*;
///
/// fn to_the_left(mut panels: Query<&mut Node, Added<PhysicsPanel>>) {
///     for mut node in &mut panels {
///         (node.left, node.right) = (Val::Px(8.0), Val::Auto);
///     }
/// }
/// # bevy_ecs::system::assert_is_system(to_the_left);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
pub struct PhysicsPanel;

/// The text of times and counts.
#[derive(Component, Clone, Copy, Debug)]
struct Numbers;

/// The text of a slider.
#[derive(Component, Clone, Copy, Debug)]
struct KnobText(Knob);

/// What moves along a slider.
#[derive(Component, Clone, Copy, Debug)]
struct KnobThumb(Knob);

/// Width of the panel, and of what moves along a slider (logical pixels).
const WIDTHS: [f32; 2] = [290.0, 10.0];
/// Letters of a line of it.
const LINE: usize = 37;

/// Size of the text (logical pixels).
const FONT: f32 = 12.0;

fn text(content: &str) -> impl Bundle {
    (Text::new(content), TextFont::from_font_size(FontSize::Px(FONT)))
}

fn shade(color: Srgba, alpha: f32) -> BackgroundColor {
    BackgroundColor(Color::from(color.with_alpha(alpha)))
}

fn column() -> Node {
    Node { flex_direction: FlexDirection::Column, row_gap: Val::Px(3.0), ..Node::default() }
}

fn spawn_panel(mut commands: Commands) {
    let node = Node {
        position_type: PositionType::Absolute,
        right: Val::Px(8.0),
        top: Val::Px(8.0),
        width: Val::Px(WIDTHS[0]),
        padding: UiRect::all(Val::Px(8.0)),
        ..column()
    };
    let panel = (PhysicsPanel, Name::new("Physics panel"), node, GlobalZIndex(1000));
    commands.spawn((panel, shade(tailwind::SLATE_900, 0.85))).with_children(|panel| {
        panel.spawn(Node { column_gap: Val::Px(6.0), ..Node::default() }).with_children(|row| {
            spawn_button(row, "Pause", pause);
            spawn_button(row, "Step", step);
        });
        spawn_legend(panel, "time of a step:\n", &TIME_LEGEND);
        spawn_chart(panel, &Part::ALL.map(Chart::Time));
        spawn_legend(panel, "residual:\n", &RESIDUAL_LEGEND);
        spawn_chart(panel, &[Chart::Residual]);
        panel.spawn((text(""), Numbers));
        for knob in Knob::ALL {
            spawn_knob(panel, knob);
        }
    });
}

fn spawn_button<M>(
    row: &mut ChildSpawnerCommands,
    label: &'static str,
    press: impl IntoEntityObserver<M>,
) {
    let node = Node { padding: UiRect::axes(Val::Px(10.0), Val::Px(3.0)), ..Node::default() };
    let mut button = row.spawn((Button, Name::new(label), node, shade(tailwind::SLATE_600, 1.0)));
    button.with_child(text(label)).observe(press);
}

/// A title, and what the colors of the chart below it mean, each said in its color.
fn spawn_legend(panel: &mut ChildSpawnerCommands, title: &str, words: &[(&str, Srgba)]) {
    panel.spawn(text(title)).with_children(|spans| {
        for &(word, color) in words {
            let font = TextFont::from_font_size(FontSize::Px(FONT));
            spans.spawn((TextSpan::new(format!("{word} ")), font, TextColor(color.into())));
        }
    });
}

/// A chart with a column for each step; what stands in a column is told from its top.
fn spawn_chart(panel: &mut ChildSpawnerCommands, column: &[Chart]) {
    let height = Val::Px(36.0);
    let node = Node { height, ..Node::default() };
    panel.spawn((node, shade(tailwind::SLATE_800, 1.0))).with_children(|steps| {
        for age in (0..STEPS).rev() {
            let node = Node {
                flex_direction: FlexDirection::Column,
                justify_content: JustifyContent::FlexEnd,
                flex_grow: 1.0,
                height,
                ..Node::default()
            };
            steps.spawn(node).with_children(|bars| {
                for &chart in column {
                    bars.spawn((Bar { chart, age }, Node::default(), BackgroundColor::default()));
                }
            });
        }
    });
}

fn spawn_knob(panel: &mut ChildSpawnerCommands, knob: Knob) {
    let (min, max, step) = knob.range();
    panel.spawn((text(knob.label()), KnobText(knob)));
    let slider = Slider { track_click: TrackClick::Snap, ..Slider::default() };
    let numbers = (SliderRange::new(min, max), SliderValue(min), SliderStep(step));
    let node = Node { height: Val::Px(10.0), ..Node::default() };
    let look = (node, shade(tailwind::SLATE_700, 1.0));
    panel
        .spawn((slider, numbers, knob, Name::new(knob.label()), look))
        .observe(turn)
        .with_children(|slider| {
            // The thumb ends with the slider.
            let way = Node {
                position_type: PositionType::Absolute,
                left: Val::Px(0.0),
                right: Val::Px(WIDTHS[1]),
                ..Node::default()
            };
            slider.spawn(way).with_children(|way| {
                let node = Node {
                    position_type: PositionType::Absolute,
                    width: Val::Px(WIDTHS[1]),
                    height: Val::Px(10.0),
                    ..Node::default()
                };
                way.spawn((SliderThumb, KnobThumb(knob), node, shade(tailwind::SKY_300, 1.0)));
            });
        });
}

/// A slider was moved.
fn turn(change: On<ValueChange<f32>>, knobs: Query<&Knob>, mut tuning: Tuning) {
    if let Ok(knob) = knobs.get(change.source) {
        knob.write(change.value, &mut tuning);
    }
}

/// Pauses, or goes on.
fn pause(_: On<Activate>, mut clock: ResMut<Time<Physics>>) {
    if clock.is_paused() { clock.unpause() } else { clock.pause() }
}

/// Pauses and takes one step.
fn step(_: On<Activate>, mut clock: ResMut<Time<Physics>>) {
    clock.pause();
    clock.step_once();
}

/// Shows where the sliders are, whoever moved them.
fn show_knobs(
    mut commands: Commands,
    tuning: Tuning,
    sliders: Query<(Entity, &Knob, &SliderValue)>,
    mut texts: Query<(&KnobText, &mut Text)>,
    mut thumbs: Query<(&KnobThumb, &mut Node)>,
) {
    for (entity, knob, value) in &sliders {
        if value.0 != knob.read(&tuning) {
            commands.entity(entity).insert(SliderValue(knob.read(&tuning)));
        }
    }
    for (&KnobText(knob), mut text) in &mut texts {
        text.set_if_neq(Text(knob.text(&tuning)));
    }
    for (&KnobThumb(knob), mut node) in &mut thumbs {
        let (min, max, _) = knob.range();
        let left = Val::Percent(100.0 * ((knob.read(&tuning) - min) / (max - min)).clamp(0.0, 1.0));
        if node.left != left {
            node.left = left;
        }
    }
}

/// Shows times and counts of the last step.
fn show_numbers(
    times: Res<StageTimes>,
    report: Res<StepReport>,
    clock: Res<Time<Physics>>,
    mut texts: Query<&mut Text, With<Numbers>>,
) {
    if !report.is_changed() && !clock.is_changed() {
        return;
    }
    let ms = |stage| 1e3 * times.of(stage).as_secs_f64();
    let mut content = format!(
        "step {}{}: {:.2} ms\n{} bodies, {} asleep\n{} contacts, {} joints\nresidual {:.1e} m/s\njoints \
         {:.1e}, motion {:.1e} m/s\ninfeasibility {:.1e}, gap {:.1e} J\nrows: {} solved, {} pressed\n\
         {} swept, {} softened",
        report.step,
        if clock.is_paused() { " (paused)" } else { "" },
        1e3 * times.total().as_secs_f64(),
        report.bodies,
        report.sleeping,
        report.contacts,
        report.joints,
        report.natural_map,
        report.joint_residual,
        report.motion_residual,
        report.infeasibility,
        report.complementarity_gap,
        report.rows_solved,
        report.rows_pressed,
        report.rows_swept,
        report.rows_softened,
    );
    // As many a line as fit, in milliseconds.
    let mut room = 0;
    for &stage in &StepStage::ALL {
        let item = format!("{stage:?} {:.2}", ms(stage));
        let (between, left) = if item.len() + 2 <= room { ("  ", room - 2) } else { ("\n", LINE) };
        content += between;
        content += &item;
        room = left.saturating_sub(item.len());
    }
    for mut text in &mut texts {
        text.set_if_neq(Text(content.clone()));
    }
}

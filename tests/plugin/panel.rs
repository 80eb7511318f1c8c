//! The panel tunes what its sliders say and shows what steps were like, without a renderer.

use super::*;
use bevy_text::TextColor;
use bevy_ui::widget::Text;
use bevy_ui::{BackgroundColor, Node, Val};
use bevy_ui_widgets::{Activate, SliderRange, SliderValue, ValueChange};
use orthant::engine::lcp::Method;

fn panel_app() -> App {
    let mut app = App::new();
    let physics = (as_it_is(PhysicsPlugins::default()), PhysicsPanelPlugin);
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, physics));
    steps_each_update(&mut app, 1);
    app.update();
    app
}

fn named(app: &mut App, name: &str) -> Entity {
    let mut names = app.world_mut().query::<(Entity, &Name)>();
    let found = names.iter(app.world()).find(|(_, found)| found.as_str() == name);
    found.expect("part of the panel").0
}

/// Moves a slider as a pointer does.
fn turn(app: &mut App, slider: &str, value: f32) {
    let source = named(app, slider);
    app.world_mut().trigger(ValueChange { source, value, is_final: true });
    run(app, 1);
    let shown = app.world().get::<SliderValue>(source).expect("a slider").0;
    assert!((shown - value).abs() < 1e-5, "{slider} shows {shown}, not {value}");
}

fn press(app: &mut App, button: &str) {
    let entity = named(app, button);
    app.world_mut().trigger(Activate { entity });
}

fn texts(app: &mut App) -> String {
    let mut texts = app.world_mut().query::<&Text>();
    texts.iter(app.world()).map(|text| text.0.clone() + "\n").collect()
}

#[test]
fn sliders_set_what_they_say_and_show_what_is() {
    let mut app = panel_app();
    turn(&mut app, "gamma", 0.25);
    turn(&mut app, "method", 2.0);
    turn(&mut app, "tolerance", -3.0);
    turn(&mut app, "budget", 2.0);
    turn(&mut app, "gravity", 3.0);
    turn(&mut app, "time scale", 0.5);
    let world = app.world();
    assert_eq!(world.resource::<ContactConfig>().gamma, 0.25);
    let solver = world.resource::<SolverConfig>();
    assert_eq!(solver.method, Method::Substeps);
    assert!((solver.tolerance - 1e-3).abs() < 1e-9 && (solver.work_max - 100.0).abs() < 1e-3);
    assert_near(world.resource::<Gravity>().0, Vec3::NEG_Y * 3.0, 1e-6);
    assert_eq!(world.resource::<bevy_time::Time<Physics>>().relative_speed(), 0.5);
    assert_eq!(report(&app).status, orthant::engine::report::StepStatus::Solved);
    let shown = texts(&mut app);
    for text in ["gamma 0.25", "method Substeps", "1.0e-3 m/s", "gravity 3.00", "time scale 0.50"] {
        assert!(shown.contains(text), "{text} in {shown}");
    }
}

/// Whatever a slider can say is in the range of its setting, and gravity keeps its direction.
#[test]
fn no_slider_leaves_the_range_of_its_setting() {
    let mut app = panel_app();
    app.insert_resource(Gravity(Vec3::X * 2.0));
    for slider in ["gamma", "method", "tolerance", "budget", "gravity", "time scale"] {
        let entity = named(&mut app, slider);
        let range = *app.world().get::<SliderRange>(entity).expect("a slider");
        for end in [range.start(), range.end()] {
            turn(&mut app, slider, end);
            let physics = app.world().resource::<PhysicsWorld>();
            assert!(physics.settings().validate().is_ok(), "{slider} at {end}");
        }
    }
    assert_near(app.world().resource::<Gravity>().0, Vec3::NEG_Y * 30.0, 1e-5);
}

#[test]
fn buttons_pause_and_take_single_steps() {
    let mut app = panel_app();
    let steps = |app: &App| report(app).step;
    run(&mut app, 2);
    let before = steps(&app);
    press(&mut app, "Step");
    run(&mut app, 5);
    assert_eq!(steps(&app), before + 1, "one step, then a pause");
    assert!(texts(&mut app).contains("(paused)"));
    press(&mut app, "Step");
    run(&mut app, 3);
    assert_eq!(steps(&app), before + 2);
    press(&mut app, "Pause");
    run(&mut app, 3);
    assert_eq!(steps(&app), before + 5, "it goes on");
    press(&mut app, "Pause");
    run(&mut app, 3);
    assert_eq!(steps(&app), before + 5, "it stands");
}

#[test]
fn every_step_has_its_bars() {
    let mut app = panel_app();
    floor(&mut app);
    spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0)));
    let drawn = |app: &mut App| {
        let mut nodes = app.world_mut().query::<&Node>();
        let tall = |node: &&Node| matches!(node.height, Val::Percent(part) if part > 0.0);
        nodes.iter(app.world()).filter(tall).count()
    };
    let before = drawn(&mut app);
    run(&mut app, 10);
    // Frames draw what the steps before them were like.
    assert_eq!(drawn(&mut app) - before, 4 * 10, "three parts of the time and the residual");
    run(&mut app, 100);
    assert_eq!(drawn(&mut app), 4 * 60, "the last sixty");
    // The parts of a step stand on each other, and the longest step is as high as the chart.
    let mut columns = app.world_mut().query::<&Children>();
    let columns = columns.iter(app.world()).filter(|bars| bars.len() == 3);
    let height = |bar: Entity| match app.world().get::<Node>(bar).map(|node| node.height) {
        Some(Val::Percent(part)) => part,
        _ => 0.0,
    };
    let columns: Vec<&Children> = columns.collect();
    // Words are in the colors of the parts, from the foot of a column up.
    let color = |bar: Entity| app.world().get::<BackgroundColor>(bar).map(|color| color.0);
    let word = |bar: Entity| app.world().get::<TextColor>(bar).map(|color| color.0);
    let said = columns.iter().find(|words| words.iter().all(|span| word(span).is_some()));
    let said = said.map(|words| words.iter().filter_map(word).rev().collect::<Vec<_>>());
    let bars = columns.iter().find(|bars| bars.iter().all(|bar| height(bar) > 0.0));
    let bars = bars.map(|bars| bars.iter().filter_map(color).collect::<Vec<_>>());
    assert!(said.is_some() && said == bars, "{said:?} {bars:?}");
    let times = columns.iter().map(|bars| bars.iter().map(height).sum::<f32>());
    let longest = times.fold(0.0, f32::max);
    assert!((longest - 100.0).abs() < 1e-2, "the longest is {longest} % high");
    assert!(
        texts(&mut app).contains("2 bodies, 0 asleep\n4 contacts, 0 joints")
            || texts(&mut app).contains("1 asleep")
    );
}

/// All of the certificate and of the stages stands there in numbers.
#[test]
fn the_certificate_and_all_stages_are_shown_in_numbers() {
    let mut app = panel_app();
    let hung = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, -1.0, 0.0)));
    spawn(&mut app, Joint::ball(None, hung).with_anchors(Vec3::ZERO, Vec3::Y * 1.25));
    run(&mut app, 3);
    let shown = texts(&mut app);
    let report = report(&app);
    assert!(report.infeasibility > 0.0 && report.joints == 1, "{report:?}");
    for text in [
        format!("0 contacts, 1 joints\nresidual {:.1e} m/s", report.natural_map),
        format!("joints {:.1e}, motion {:.1e} m/s", report.joint_residual, report.motion_residual),
        format!(
            "infeasibility {:.1e}, gap {:.1e} J",
            report.infeasibility, report.complementarity_gap
        ),
    ] {
        assert!(shown.contains(&text), "{text} in {shown}");
    }
    for stage in StepStage::ALL {
        assert!(shown.contains(&format!("{stage:?} ")), "{stage:?} in {shown}");
    }
}

/// What is solved only after contacts gave way is not shown as solved.
#[test]
fn what_is_pressed_is_told_and_has_a_color() {
    let mut app = panel_app();
    squeeze(&mut app);
    let mut pressed = 0;
    for _ in 0..40 {
        run(&mut app, 1);
        let report = report(&app);
        let only = report.rows_softened + report.rows_swept == 0;
        pressed += usize::from(only && report.rows_pressed > 0);
    }
    let mut spans = app.world_mut().query::<(&bevy_text::TextSpan, &TextColor)>();
    let found = spans.iter(app.world()).find(|(word, _)| word.0.trim() == "pressed");
    let color = found.expect("a word of the legend").1.0;
    let mut bars = app.world_mut().query::<&BackgroundColor>();
    let shown = bars.iter(app.world()).filter(|bar| bar.0 == color).count();
    assert_eq!(shown, pressed, "a bar for each step");
    assert!(pressed > 5 && texts(&mut app).contains("rows: 0 solved, "), "{}", texts(&mut app));
}

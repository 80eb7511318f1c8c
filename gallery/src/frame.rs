//! What all scenes share: light, a camera that turns, help, the panel, dragging, pictures.

use std::time::Duration;

use bevy::app::ScheduleRunnerPlugin;
use bevy::camera::RenderTarget;
use bevy::input::mouse::{AccumulatedMouseMotion, AccumulatedMouseScroll};
use bevy::picking::events::{PointerDrag, PointerDragEnd, PointerDragStart};
use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;
use bevy::render::view::screenshot::{Screenshot, save_to_disk};
use bevy::time::TimeUpdateStrategy;
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;
use orthant::prelude::*;

use crate::Arguments;

/// Size of pictures (pixels).
const SIZE: [u32; 2] = [960, 600];

/// So many frames are drawn before the one of the picture, while shaders are made.
const LEAD: u32 = 20;

const HELP: &str =
    "left: drag things   right: turn   wheel: nearer   space: pause   D: debug drawing";

/// Behind the scenes, and what the ground fades into.
const SKY: Color = Color::srgb(0.10, 0.12, 0.16);

/// So much of its distance the camera stands to the right of what it looks at: the panel hides the rest.
const ASIDE: f32 = 0.16;

/// The picture that is taken, and when.
#[derive(Resource)]
struct Picture {
    arguments: Arguments,
    target: Handle<Image>,
    frame: u32,
}

/// The camera turns about this point (m).
#[derive(Component)]
struct Orbit(Vec3);

pub fn app(arguments: Arguments) -> App {
    let mut app = App::new();
    let scene = arguments.scene;
    if arguments.screenshot.is_some() {
        let window = WindowPlugin {
            primary_window: None,
            exit_condition: ExitCondition::DontExit,
            ..default()
        };
        app.add_plugins(DefaultPlugins.set(window).disable::<WinitPlugin>())
            .add_plugins(ScheduleRunnerPlugin::run_loop(Duration::ZERO))
            .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(
                1.0 / 60.0,
            )));
    } else {
        let title = format!("Orthant: {}", scene.name);
        let window = Window { title, ..default() };
        app.add_plugins(
            DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() }),
        );
    }
    app.add_plugins((PhysicsPlugins::default(), PhysicsDebugPlugin, PhysicsPanelPlugin))
        .add_plugins(PhysicsPickingPlugin)
        .insert_resource(ClearColor(SKY))
        .insert_resource(GlobalAmbientLight { brightness: 350.0, ..default() });
    let target = Image::new_target_texture(SIZE[0], SIZE[1], TextureFormat::Rgba8UnormSrgb, None);
    let target = app.world_mut().resource_mut::<Assets<Image>>().add(target);
    (scene.systems)(&mut app);
    app.insert_resource(Picture { arguments, target, frame: 0 })
        .add_systems(Startup, (set_up, scene.spawn))
        .add_systems(Update, (turn, keys, take_picture))
        .add_observer(grab)
        .add_observer(drag)
        .add_observer(release);
    app
}

fn set_up(mut commands: Commands, picture: Res<Picture>, mut gizmos: ResMut<GizmoConfigStore>) {
    gizmos.config_mut::<PhysicsGizmos>().0.enabled = false;
    let [eye, target] = picture.arguments.scene.view;
    let mut place = Transform::from_translation(eye).looking_at(target, Vec3::Y);
    place.translation += place.right() * (ASIDE * eye.distance(target));
    let falloff = FogFalloff::Linear { start: 28.0, end: 46.0 };
    let fog = DistanceFog { color: SKY, falloff, ..default() };
    let camera = (Camera3d::default(), IsDefaultUiCamera, Orbit(target), place, fog);
    let mut camera = commands.spawn(camera);
    if picture.arguments.screenshot.is_some() {
        camera.insert(RenderTarget::Image(picture.target.clone().into()));
    }
    let light = DirectionalLight { illuminance: 9000.0, shadow_maps_enabled: true, ..default() };
    let from = Transform::from_xyz(4.0, 10.0, 6.0).looking_at(Vec3::ZERO, Vec3::Y);
    commands.spawn((light, from));
    let node = Node {
        position_type: PositionType::Absolute,
        left: px(8),
        bottom: px(8),
        max_width: px(640),
        padding: UiRect::axes(px(10), px(6)),
        ..default()
    };
    let text =
        format!("{}: {}\n{HELP}", picture.arguments.scene.name, picture.arguments.scene.help);
    let text = (Text::new(text), TextFont::from_font_size(FontSize::Px(14.0)));
    commands.spawn((node, BackgroundColor(Color::srgba(0.0, 0.02, 0.06, 0.8)))).with_child(text);
}

/// Turns the camera while the right button is down.
fn turn(
    mut cameras: Query<(&Orbit, &mut Transform)>,
    buttons: Res<ButtonInput<MouseButton>>,
    motion: Res<AccumulatedMouseMotion>,
    scroll: Res<AccumulatedMouseScroll>,
) {
    for (orbit, mut place) in &mut cameras {
        if buttons.pressed(MouseButton::Right) {
            let sideways = place.right();
            place.rotate_around(orbit.0, Quat::from_rotation_y(-0.005 * motion.delta.x));
            place.rotate_around(orbit.0, Quat::from_axis_angle(*sideways, -0.005 * motion.delta.y));
        }
        if scroll.delta.y != 0.0 {
            let nearer = 0.9_f32.powf(scroll.delta.y);
            place.translation = orbit.0 + (place.translation - orbit.0) * nearer;
        }
    }
}

fn keys(
    keys: Res<ButtonInput<KeyCode>>,
    mut clock: ResMut<Time<Physics>>,
    mut gizmos: ResMut<GizmoConfigStore>,
) {
    if keys.just_pressed(KeyCode::Space) {
        if clock.is_paused() { clock.unpause() } else { clock.pause() }
    }
    if keys.just_pressed(KeyCode::KeyD) {
        let config = gizmos.config_mut::<PhysicsGizmos>().0;
        config.enabled = !config.enabled;
    }
}

/// Holds what the pointer drags, at the point where it was taken.
fn grab(
    start: On<PointerDragStart>,
    mut commands: Commands,
    bodies: Query<(&GlobalTransform, &RigidBody)>,
) {
    let Ok((place, RigidBody::Dynamic)) = bodies.get(start.entity) else { return };
    let Some(point) = start.hit.position else { return };
    if start.button == PointerButton::Primary {
        let (_, rotation, position) = place.to_scale_rotation_translation();
        let anchor = rotation.inverse() * (point - position);
        commands.entity(start.entity).insert(MouseJoint::new(anchor, 2000.0).with_target(point));
    }
}

/// Leads it in the plane before the camera.
fn drag(
    drag: On<PointerDrag>,
    mut held: Query<&mut MouseJoint>,
    cameras: Query<(&Camera, &GlobalTransform)>,
) {
    let (Ok(mut joint), Ok((camera, eye))) = (held.get_mut(drag.entity), cameras.single()) else {
        return;
    };
    let Ok(ray) = camera.viewport_to_world(eye, drag.pointer.position) else { return };
    let depth = (joint.target - eye.translation()).dot(*eye.forward());
    joint.target = ray.get_point(depth / ray.direction.dot(*eye.forward()));
}

fn release(end: On<PointerDragEnd>, mut commands: Commands) {
    commands.entity(end.entity).try_remove::<MouseJoint>();
}

/// Writes the picture in its frame, and leaves a little later. Nothing is drawn until shortly before.
fn take_picture(
    mut commands: Commands,
    mut picture: ResMut<Picture>,
    mut cameras: Query<&mut Camera>,
    mut exit: MessageWriter<AppExit>,
) {
    let Some(file) = picture.arguments.screenshot.clone() else { return };
    picture.frame += 1;
    for mut camera in &mut cameras {
        camera.is_active = picture.frame + LEAD >= picture.arguments.frames;
    }
    if picture.frame == picture.arguments.frames {
        commands.spawn(Screenshot::image(picture.target.clone())).observe(save_to_disk(file));
    }
    if picture.frame > picture.arguments.frames + 20 {
        exit.write(AppExit::Success);
    }
}

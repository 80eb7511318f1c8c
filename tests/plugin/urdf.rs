//! Robots from URDF: masses as told, places by hand, limits, and errors for what is not supported.

use super::*;
use bevy_ecs::name::Name;
use bevy_ecs::reflect::AppTypeRegistry;
use bevy_transform::components::GlobalTransform;
use orthant::math::{quat_conjugate, quat_rotate};

/// A link with a mass (kg) at a height, and moments [kg·m²].
fn link(name: &str, mass: f32, z: f32, moments: [f32; 3], rest: &str) -> String {
    let [x, y, z_moment] = moments;
    format!(
        r#"<link name="{name}"><inertial><origin xyz="0 0 {z}"/><mass value="{mass}"/>
        <inertia ixx="{x}" iyy="{y}" izz="{z_moment}" ixy="0" ixz="0" iyz="0"/></inertial>{rest}</link>"#
    )
}

fn joint(name: &str, kind: &str, [parent, child]: [&str; 2], rest: &str) -> String {
    format!(
        r#"<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{rest}</joint>"#
    )
}

fn robot(parts: &[String]) -> String {
    format!(r#"<robot name="robot">{}</robot>"#, parts.concat())
}

fn base() -> String {
    r#"<link name="base"/>"#.to_owned()
}

fn solid(geometry: &str, z: f32) -> String {
    format!(r#"<collision><origin xyz="0 0 {z}"/><geometry>{geometry}</geometry></collision>"#)
}

fn upright(x: f32, y: f32, z: f32) -> Transform {
    at(x, y, z).with_rotation(Urdf::upright())
}

fn make(app: &mut App, text: &str, transform: Transform) -> UrdfEntities {
    let robot = Urdf::read(text).expect("a robot");
    let made = robot.spawn(&mut app.world_mut().commands(), transform);
    app.world_mut().flush();
    for (_, joint) in &made.joints {
        app.world_mut()
            .entity_mut(*joint)
            .insert((JointForces::default(), JointPosition::default()));
    }
    made
}

const SMALL: [f32; 3] = [0.02, 0.02, 0.01];

#[test]
fn links_that_are_fixed_have_the_mass_of_all() {
    let mut app = app();
    listen(&mut app);
    without_gravity(&mut app);
    let text = robot(&[
        base(),
        link("arm", 2.0, -0.25, [0.2, 0.3, 0.4], &solid(r#"<box size="0.1 0.1 0.5"/>"#, -0.25)),
        link("tool", 1.0, 0.0, [0.1, 0.1, 0.1], &solid(r#"<sphere radius="0.1"/>"#, 0.0)),
        joint("turn", "continuous", ["base", "arm"], r#"<axis xyz="1 0 0"/>"#),
        joint("grip", "fixed", ["arm", "tool"], r#"<origin xyz="0 0 -1" rpy="0 1.5 0"/>"#),
    ]);
    let made = make(&mut app, &text, Transform::IDENTITY);
    run(&mut app, 2);
    assert_eq!(bodies(&app), 2, "the base and the arm with its tool");
    assert_eq!((made.links.len(), made.joints.len()), (3, 1), "nothing for what is fixed");
    let [arm, tool] = ["arm", "tool"].map(|name| made.link(name).expect("of that name"));
    assert_eq!(made.joint("turn"), Some(made.joints[0].1));
    assert_eq!((made.link("leg"), made.joint("grip")), (None, None));
    assert_eq!(app.world().get::<RigidBody>(arm), Some(&RigidBody::Dynamic));
    assert_eq!(app.world().get::<RigidBody>(tool), None);
    let world = app.world();
    assert_eq!(**world.get::<ComputedMass>(arm).expect("a body"), 3.0);
    let center = **world.get::<ComputedCenterOfMass>(arm).expect("a body");
    assert_near(center, Vec3::NEG_Z * 0.5, 1e-6);
    // The parallel axes: 2 kg at a quarter of a metre, 1 kg at half a metre.
    let moments = Vec3::new(0.675, 0.775, 0.5);
    let inertia: AngularInertia = **world.get::<ComputedAngularInertia>(arm).expect("a body");
    for (axis, moment) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(moments.to_array()) {
        let seen = quat_rotate(quat_conjugate(inertia.local_frame), axis) * inertia.principal;
        assert_near(quat_rotate(inertia.local_frame, seen), axis * moment, 1e-5);
    }
    assert_eq!(told(&mut app), []);
}

#[test]
fn an_arm_of_two_links_hangs_at_rest() {
    let mut app = app();
    listen(&mut app);
    let damped = r#"<axis xyz="1 0 0"/><dynamics damping="1"/>"#;
    let text = robot(&[
        base(),
        link(
            "upper",
            2.0,
            -0.25,
            SMALL,
            &solid(r#"<cylinder radius="0.05" length="0.4"/>"#, -0.25),
        ),
        link("lower", 1.0, -0.25, SMALL, &solid(r#"<capsule radius="0.05" length="0.3"/>"#, -0.25)),
        joint("shoulder", "continuous", ["base", "upper"], damped),
        joint(
            "elbow",
            "continuous",
            ["upper", "lower"],
            &format!(r#"<origin xyz="0 0 -0.5"/>{damped}"#),
        ),
    ]);
    let made = make(&mut app, &text, upright(0.0, 3.0, 0.0));
    let [upper, lower] = ["upper", "lower"].map(|name| made.link(name).expect("of that name"));
    app.world_mut().entity_mut(lower).insert(AngularVelocity(Vec3::X * 3.0));
    run(&mut app, 10);
    assert!((position(&app, lower) - Vec3::Y * 2.5).length() > 1e-3, "it swings");
    run(&mut app, 1500);
    assert_near(position(&app, upper), Vec3::Y * 3.0, 1e-3);
    assert_near(position(&app, lower), Vec3::Y * 2.5, 1e-3);
    let force = |name| {
        let joint = made.joint(name).expect("of that name");
        app.world().get::<JointForces>(joint).expect("it was asked for").force
    };
    let weight = Vec3::Y * app.world().resource::<Gravity>().0.length();
    assert_near(force("shoulder"), weight * 3.0, 0.03);
    assert_near(force("elbow"), weight, 0.01);
    assert_eq!(told(&mut app), []);
}

#[test]
fn limits_of_hinges_and_slides_hold() {
    let mut app = app();
    let limits = |lower: f32, upper: f32, axis: &str| {
        format!(
            r#"<axis xyz="{axis}"/><limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>"#
        )
    };
    let hinge =
        format!(r#"<origin xyz="0 2 0" rpy="0 -1.5707963 0"/>{}"#, limits(-1.0, 0.5, "0 1 0"));
    let text = robot(&[
        base(),
        link("lift", 1.0, 0.0, SMALL, ""),
        // Turned by the joint, this z is along -x.
        link("flap", 1.0, -0.5, SMALL, ""),
        joint("slide", "prismatic", ["base", "lift"], &limits(-0.3, 0.1, "0 0 2")),
        joint("hinge", "revolute", ["base", "flap"], &hinge),
    ]);
    let made = make(&mut app, &text, upright(0.0, 3.0, 0.0));
    run(&mut app, 300);
    assert_near(position(&app, made.link("lift").expect("there")), Vec3::Y * 2.7, 1e-3);
    let hinge = made.joint("hinge").expect("there");
    let angle = app.world().get::<JointPosition>(hinge).expect("it was asked for").angular.x;
    assert!((angle - 0.5).abs() < 1e-3, "{angle}");
    let flap = made.link("flap").expect("there");
    // About +y, from +x to -z; z is y here, and y is -z.
    let (sin, cos) = orthant::math::sin_cos_double(0.5);
    let [sin, cos] = [sin, cos].map(orthant::math::narrow);
    let center = Vec3::new(0.5 * cos, 3.0 - 0.5 * sin, -2.0);
    let transform = app.world().get::<Transform>(flap).expect("it has a transform");
    let local = **app.world().get::<ComputedCenterOfMass>(flap).expect("a body");
    assert_near(from_single3(transform.transform_point(single3(local))), center, 1e-3);
}

/// A gripper: two fingers along x, the second as far the other way, and a wheel that turns with the first.
fn gripper(effort: f32, velocity: f32) -> String {
    let limit = format!(r#"<limit lower="-1" upper="1" effort="{effort}" velocity="{velocity}"/>"#);
    let slide = r#"<axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="30" velocity="0.5"/>"#;
    let mimic = r#"<mimic joint="left" multiplier="-1" offset="0.1"/>"#;
    let turn = r#"<axis xyz="0 0 1"/><mimic joint="left" multiplier="3"/>"#;
    robot(&[
        base(),
        link("thumb", 1.0, 0.0, SMALL, ""),
        link("finger", 2.0, 0.0, SMALL, ""),
        link("wheel", 1.0, 0.0, SMALL, ""),
        // The one that follows may stand before the one that leads.
        joint(
            "right",
            "prismatic",
            ["base", "finger"],
            &format!(r#"<axis xyz="1 0 0"/>{limit}{mimic}"#),
        ),
        joint("left", "prismatic", ["base", "thumb"], slide),
        joint("turn", "continuous", ["base", "wheel"], turn),
    ])
}

fn place(app: &App, made: &UrdfEntities, name: &str) -> JointPosition {
    let joint = made.joint(name).expect("of that name");
    *app.world().get::<JointPosition>(joint).expect("it was asked for")
}

#[test]
fn joints_that_mimic_follow() {
    let mut app = app();
    listen(&mut app);
    let text = gripper(100.0, 2.0);
    let made = make(&mut app, &text, Transform::IDENTITY);
    let urdf = Urdf::read(&text).expect("a robot");
    let limit = urdf.limit("left").expect("a joint");
    assert_eq!(limit, UrdfLimit { effort: 30.0, velocity: 0.5 });
    let free = UrdfLimit { effort: Real::INFINITY, velocity: Real::INFINITY };
    assert_eq!((urdf.limit("turn"), urdf.limit("thumb")), (Some(free), None));
    let left = made.joint("left").expect("a joint");
    let drive = Motor::velocity(limit.velocity, limit.effort);
    *app.world_mut().get_mut::<Joint>(left).expect("a joint").motor_mut() = Some(drive);
    run(&mut app, 65);
    // They aim at the end of the step by the speed of its beginning: exactly, while that lasts.
    let [left, right] = ["left", "right"].map(|name| place(&app, &made, name).linear.x);
    assert!((left - 0.5).abs() < 0.01, "half a metre in a second: {left}");
    assert!((right - (0.1 - left)).abs() < 1e-4, "{right} beside {left}");
    let turn = place(&app, &made, "turn").angular.x;
    assert!((turn - 3.0 * left).abs() < 1e-3, "{turn} beside {left}");
    assert_eq!(told(&mut app), []);
}

#[test]
fn joints_that_mimic_do_no_more_than_their_limits() {
    // The finger of 2 kg has a way of 0.1 m to go.
    let after = |effort, velocity, steps| {
        let mut app = app();
        without_gravity(&mut app);
        let made = make(&mut app, &gripper(effort, velocity), Transform::IDENTITY);
        run(&mut app, steps);
        place(&app, &made, "right").linear.x
    };
    // 32 steps of 1/64 s, the first of which makes the joint and knows no positions.
    let slow = after(1e3, 0.1, 33);
    assert!((slow - 0.05).abs() < 0.003, "0.1 m/s for half a second: {slow}");
    let weak = after(0.4, 100.0, 33);
    assert!((weak - 0.025).abs() < 0.003, "0.2 m/s² for half a second: {weak}");
    let there = after(1e3, 100.0, 4);
    assert!((there - 0.1).abs() < 1e-4, "at once: {there}");
}

#[test]
fn shapes_stand_as_they_are_told() {
    let shapes = [
        (r#"<box size="0.4 0.6 0.8"/>"#, 0.4),
        (r#"<sphere radius="0.3"/>"#, 0.3),
        (r#"<cylinder radius="0.3" length="0.8"/>"#, 0.4),
    ];
    for (geometry, half) in shapes {
        let mut app = app();
        floor(&mut app);
        let text = robot(&[link("root", 1.0, half, SMALL, &solid(geometry, half))]);
        let made = make(&mut app, &text, upright(0.0, 0.1, 0.0));
        run(&mut app, 200);
        // The frame of the link is where it touches the floor.
        assert_near(position(&app, made.links[0].1), Vec3::ZERO, 0.01);
    }
}

/// What is seen of a robot: the names of the links, the visuals and where they are in the world.
fn seen(app: &mut App) -> Vec<(String, UrdfVisual, Transform)> {
    let mut query = app.world_mut().query::<(&ChildOf, &UrdfVisual, &GlobalTransform)>();
    let found: Vec<_> = query
        .iter(app.world())
        .map(|(above, visual, place)| (above.parent(), visual.clone(), place.compute_transform()))
        .collect();
    let name = |link| app.world().get::<Name>(link).expect("links have names").to_string();
    found.into_iter().map(|(link, visual, place)| (name(link), visual, place)).collect()
}

#[test]
fn what_is_seen_follows_its_links() {
    use bevy_math::Vec3 as V;
    let mut app = app();
    listen(&mut app);
    let visual = |origin: &str, geometry: &str, material: &str| {
        format!(
            r#"<visual name="cover"><origin {origin}/><geometry>{geometry}</geometry>{material}</visual>"#
        )
    };
    let can = visual(
        r#"xyz="0 0 -0.5""#,
        r#"<cylinder radius="0.1" length="0.8"/>"#,
        r#"<material name="red"/>"#,
    );
    let (ball, block) = (r#"<sphere radius="0.3"/>"#, r#"<box size="1 2 3"/>"#);
    let local = r#"<material name="blue"><color rgba="0 0 1 0.5"/></material>"#;
    let painted = r#"<material name="paint"><texture filename="paint.png"/></material>"#;
    let grip = r#"<mesh filename="package://arm/grip.stl" scale="2 2 4"/>"#;
    let tool = [
        visual(r#"xyz="0.2 0 0" rpy="0 0 1.5707963""#, grip, painted),
        visual("", ball, local),
        visual("", block, r#"<material name="blue"/>"#),
        visual("", block, r#"<material name="nowhere"/>"#),
        visual("", r#"<capsule radius="0.1" length="0.4"/>"#, ""),
    ];
    let text = robot(&[
        r#"<material name="red"><color rgba="1 0 0 1"/></material>"#.to_owned(),
        base(),
        link("arm", 2.0, -0.5, SMALL, &can),
        link("tool", 1.0, 0.0, SMALL, &tool.concat()),
        joint("turn", "continuous", ["base", "arm"], r#"<axis xyz="1 0 0"/>"#),
        joint("grip", "fixed", ["arm", "tool"], r#"<origin xyz="0 0 -1"/>"#),
    ]);
    make(&mut app, &text, upright(0.0, 3.0, 0.0));
    run(&mut app, 2);
    let all = seen(&mut app);
    let links: Vec<_> = all.iter().map(|(link, ..)| link.as_str()).collect();
    assert_eq!(links, ["arm", "tool", "tool", "tool", "tool", "tool"]);
    let shapes: Vec<_> = all.iter().map(|(_, visual, _)| visual.shape.clone()).collect();
    let block = UrdfShape::Cuboid { size: V::new(1.0, 2.0, 3.0) };
    assert_eq!(
        shapes,
        [
            UrdfShape::Cylinder { radius: 0.1, length: 0.8 },
            UrdfShape::Mesh { file: "package://arm/grip.stl".into() },
            UrdfShape::Sphere { radius: 0.3 },
            block.clone(),
            block,
            UrdfShape::Capsule { radius: 0.1, length: 0.4 },
        ]
    );
    let blue = Some([0.0, 0.0, 1.0, 0.5]);
    let colors: Vec<_> = all.iter().map(|(_, visual, _)| visual.color).collect();
    assert_eq!(colors, [Some([1.0, 0.0, 0.0, 1.0]), None, blue, blue, None, None]);
    let textures: Vec<_> = all.iter().map(|(_, visual, _)| visual.texture.as_deref()).collect();
    assert_eq!(textures, [None, Some("paint.png"), None, None, None, None]);
    // z of the robot is y here. The can hangs upright half a metre below the hinge, the tool a metre.
    let near = |a: V, b: V| assert!((a - b).length() < 1e-3, "{a}, not {b}");
    near(all[0].2.translation, V::Y * 2.5);
    near(all[0].2.rotation * V::Y, V::Y);
    near(all[1].2.translation, V::new(0.2, 2.0, 0.0));
    near(all[1].2.scale, V::new(2.0, 2.0, 4.0));
    near(all[1].2.rotation * V::X, V::NEG_Z);
    near(all[5].2.rotation * V::Y, V::Y);
    let names = app.world_mut().query::<(&Name, &UrdfVisual)>().iter(app.world()).count();
    assert_eq!(names, 6, "named as they are told");
    // They are no part of the body, and inspectors know them.
    assert_eq!((bodies(&app), told(&mut app)), (2, vec![]));
    let registry = app.world().resource::<AppTypeRegistry>().read();
    assert!(registry.get_with_short_type_path("UrdfVisual").is_some(), "it is registered");
}

#[test]
fn what_is_not_supported_is_told() {
    let arm = |rest: &str| link("arm", 1.0, 0.0, SMALL, rest);
    let turn = |rest: &str| joint("turn", "continuous", ["base", "arm"], rest);
    let ends = |name, ends| joint(name, "fixed", ends, "");
    let hand = || link("hand", 1.0, 0.0, SMALL, "");
    let mimic = |leader: &str| UrdfError::Mimic { joint: "turn".into(), leader: leader.into() };
    let mimics = |leader: &str| turn(&format!(r#"<axis xyz="1 0 0"/><mimic joint="{leader}"/>"#));
    let no_link = UrdfError::NoLink { joint: "turn".into(), link: "arm".into() };
    let no_mesh = UrdfError::Mesh { link: "arm".into(), file: "arm.stl".into() };
    let mesh = solid(r#"<mesh filename="arm.stl"/>"#, 0.0);
    let endless = r#"<visual><geometry><sphere radius="inf"/></geometry></visual>"#;
    let massless = link("arm", 0.0, 0.0, SMALL, "");
    let cases: Vec<(Vec<String>, UrdfError)> = vec![
        (vec![base(), base()], UrdfError::SameName("base".into())),
        (vec![base(), turn("")], no_link),
        (vec![base(), arm("")], UrdfError::Roots(2)),
        (
            vec![base(), arm(""), turn(""), ends("again", ["base", "arm"])],
            UrdfError::TwoParents("arm".into()),
        ),
        (
            vec![
                base(),
                arm(""),
                hand(),
                ends("one", ["arm", "hand"]),
                ends("two", ["hand", "arm"]),
            ],
            UrdfError::Circle("arm".into()),
        ),
        (vec![base(), arm(""), mimics("other")], mimic("other")),
        (vec![base(), arm(""), mimics("turn")], mimic("turn")),
        (
            vec![base(), arm(""), hand(), mimics("grip"), ends("grip", ["arm", "hand"])],
            mimic("grip"),
        ),
        (vec![base(), arm(""), turn(r#"<axis xyz="0 0 0"/>"#)], UrdfError::NoAxis("turn".into())),
        (vec![base(), massless, turn("")], UrdfError::NoMass("arm".into())),
        (
            vec![base(), arm(""), turn(r#"<origin xyz="inf 0 0"/>"#)],
            UrdfError::NotFinite("turn".into()),
        ),
        (vec![base(), arm(&mesh), turn("")], no_mesh),
        (vec![base(), arm(endless), turn("")], UrdfError::NotFinite("arm".into())),
    ];
    for (parts, error) in cases {
        assert_eq!(Urdf::read(&robot(&parts)).err(), Some(error));
    }
    let flat = robot(&[link("root", 1.0, 0.0, SMALL, &solid(r#"<sphere radius="-1"/>"#, 0.0))]);
    assert!(matches!(Urdf::read(&flat), Err(UrdfError::Shape { .. })), "no shape");
    assert!(matches!(Urdf::read("<robot"), Err(UrdfError::Syntax(_))), "no URDF");
    let mesh = robot(&[link("root", 1.0, 0.0, SMALL, &mesh)]);
    let made = Urdf::read_with_meshes(&mesh, |file| (file == "arm.stl").then(cube));
    assert!(made.is_ok(), "a mesh with a collider: {made:?}");
}

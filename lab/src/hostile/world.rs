//! Worlds, settings and changes made from bytes, beside a heap that they must not touch.
//!
//! Whatever the bytes say: no step panics, every pose stays finite, the heap is to the last bit where it is
//! without them, and a body is told to be broken once.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind, LockedAxes};
use orthant::engine::collider::{BodyPiece, Collider, Layers, Material};
use orthant::engine::joint::{AxisLimit, JointDesc, JointFrame, JointKind, Motor};
use orthant::engine::lcp::{Cone, Method};
use orthant::engine::report::{IslandReport, StepStatus};
use orthant::engine::settings::{Integration, RestitutionModel, Settings};
use orthant::engine::shape::Shape;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::{Double, Quat, Real, SymMat3, Vec3, widen};

use super::life::Life;
use super::{Bytes, shape};
use crate::support::{DT, cuboid, sphere};

fn material(bytes: &mut Bytes) -> Material {
    Material {
        friction: bytes.positive(1.0),
        rolling: if bytes.one_in(4) { bytes.positive(0.1) } else { 0.0 },
        spinning: if bytes.one_in(4) { bytes.positive(0.1) } else { 0.0 },
        restitution: if bytes.one_in(2) { bytes.positive(1.0) } else { 0.0 },
        ..Material::default()
    }
}

/// A body somewhere near the origin, if nothing is wrong with it.
pub(super) fn body(bytes: &mut Bytes) -> BodyDesc {
    let kind = match bytes.below(8) {
        0 => BodyKind::Static,
        1 => BodyKind::Kinematic,
        _ => BodyKind::Dynamic,
    };
    let shape = shape(bytes);
    let mut collider = |shape| Collider {
        position: if bytes.one_in(4) { bytes.vector(0.5) } else { Vec3::ZERO },
        rotation: if bytes.one_in(4) { bytes.rotation() } else { Quat::IDENTITY },
        material: material(bytes),
        layers: THEIRS,
        sensor: bytes.one_in(16),
        ..Collider::new(shape)
    };
    let colliders = shape.into_iter().map(&mut collider).collect();
    let own_mass = bytes.one_in(8).then(|| MassProperties {
        mass: bytes.positive(1.0),
        center_of_mass: bytes.vector(0.1),
        inertia: SymMat3::diagonal(Vec3::new(
            bytes.positive(0.1),
            bytes.positive(0.1),
            bytes.positive(0.1),
        )),
    });
    BodyDesc {
        kind,
        colliders,
        mass_properties: own_mass,
        density: bytes.positive(1.0),
        position: bytes.vector(1.5),
        rotation: bytes.rotation(),
        linear_velocity: bytes.vector(3.0),
        angular_velocity: bytes.vector(5.0),
        locked_axes: LockedAxes::from_bits(if bytes.one_in(4) { bytes.byte() } else { 0 }),
        gravity_scale: if bytes.one_in(8) { bytes.number(1.0) } else { 1.0 },
        linear_damping: if bytes.one_in(8) { bytes.positive(1.0) } else { 0.0 },
        angular_damping: if bytes.one_in(8) { bytes.positive(1.0) } else { 0.0 },
        swept: bytes.one_in(8),
        ..BodyDesc::default()
    }
}

/// What couples two bodies.
fn coupled(bytes: &mut Bytes) -> JointKind {
    match bytes.below(4) {
        0 => JointKind::Gear { ratio: bytes.number(1.0) },
        1 => JointKind::RackAndPinion { radius: bytes.number(1.0) },
        2 => JointKind::Screw { lead: bytes.number(1.0) },
        _ => JointKind::Pulley {
            wheels: [bytes.vector(1.0), bytes.vector(1.0)],
            ratio: bytes.positive(1.0),
            length: bytes.positive(2.0),
        },
    }
}

pub(super) fn joint(bytes: &mut Bytes, ids: &[BodyId]) -> JointDesc {
    let mut end = || ids.get(bytes.below(ids.len() + 1)).copied();
    let ends = [end(), end()];
    let kind = match bytes.below(11) {
        0 => JointKind::Fixed,
        1 => JointKind::Revolute,
        2 => JointKind::Prismatic,
        3 => JointKind::Cylindrical,
        4 => JointKind::Universal,
        5 => JointKind::Planar,
        6 => JointKind::Pivot,
        7 => JointKind::Distance { min: bytes.positive(1.0), max: bytes.positive(2.0) },
        8 => JointKind::Generic,
        9 => coupled(bytes),
        _ => JointKind::Spherical,
    };
    let mut desc = JointDesc::new(kind, ends);
    for frame in &mut desc.frames {
        let basis = if bytes.one_in(2) { bytes.rotation() } else { Quat::IDENTITY };
        *frame = JointFrame { anchor: bytes.vector(1.0), basis };
    }
    for k in 0..6 {
        if bytes.one_in(6) {
            let (min, max) = (bytes.number(1.0), bytes.number(1.0));
            // Of most joints they are in order, that more be made; inverted ones are refused.
            let ordered = AxisLimit { min: min.min(max), max: min.max(max) };
            desc.limits[k] = Some(match bytes.below(8) {
                1 => AxisLimit { min, max: min },
                2 => AxisLimit { min, max },
                3 => AxisLimit { min: ordered.max, max: ordered.min },
                _ => ordered,
            });
        }
        if bytes.one_in(8) {
            let motor = Motor::spring(bytes.number(1.0), bytes.positive(10.0), bytes.positive(1.0));
            let motor = motor.with_velocity(bytes.number(1.0));
            desc.motors[k] = Some(motor.with_max_force(bytes.positive(100.0)));
        }
        if bytes.one_in(8) {
            desc.friction[k] = bytes.positive(1.0);
        }
    }
    // What a kind cannot have is taken away, mostly, that more joints be made.
    if !bytes.one_in(8) {
        for k in 0..6 {
            if kind.limitable() >> k & 1 == 0 {
                desc.limits[k] = None;
            }
            if kind.drivable() >> k & 1 == 0 || desc.limits[k].is_some_and(|l| l.min == l.max) {
                (desc.motors[k], desc.friction[k]) = (None, 0.0);
            }
        }
    }
    desc.swing = bytes.one_in(8).then(|| bytes.positive(1.5));
    desc.collide = bytes.one_in(4);
    if bytes.one_in(8) {
        (desc.break_force, desc.yield_force) = (bytes.positive(100.0), bytes.positive(100.0));
    }
    desc
}

pub(super) fn settings(bytes: &mut Bytes) -> Settings {
    let mut settings = Settings::default();
    let methods = [Method::Auto, Method::Newton, Method::Substeps, Method::Pgs, Method::Lemke];
    settings.solver.method = methods[bytes.below(8).saturating_sub(3)];
    // Of exact pivots, which cost the cube of the rows.
    settings.solver.lemke_contacts_max = 6;
    settings.sleep.enabled = bytes.one_in(4);
    let models = [RestitutionModel::Poisson, RestitutionModel::Newton, RestitutionModel::Sequence];
    settings.contact.restitution = models[bytes.below(6).saturating_sub(3)];
    if bytes.one_in(8) {
        settings.solver.integration = Integration::Euler;
    }
    if bytes.one_in(8) {
        settings.solver.cone = Cone::Pyramid(u32::from(bytes.byte()));
    }
    settings
}

/// Settings of which any may be out of range.
pub(super) fn absurd_settings(bytes: &mut Bytes) -> Settings {
    let mut settings = settings(bytes);
    let (c, s) = (&mut settings.contact, &mut settings.solver);
    for _ in 0..1 + bytes.below(3) {
        match bytes.below(20) {
            0 => settings.gravity = bytes.vector(20.0),
            1 => c.gamma = bytes.positive(1.0),
            2 => c.push_speed_max = bytes.positive(3.0),
            3 => c.dead_zone = bytes.positive(0.1),
            4 => c.stillness = bytes.positive(0.1),
            5 => c.margin = bytes.positive(0.1),
            6 => c.normal_slack = bytes.positive(0.1),
            7 => c.reference_slack = bytes.positive(1.0),
            8 => c.restitution_speed = bytes.positive(1.0),
            9 => c.friction = Some(bytes.positive(1.0)),
            10 => s.tolerance = widen(bytes.positive(1e-3)),
            11 => s.penalty = widen(bytes.positive(1e3)),
            12 => s.work_max = widen(bytes.positive(1e3)),
            13 => s.impact_speed_max = widen(bytes.positive(1.0)),
            14 => s.substeps = bytes.byte().into(),
            15 => s.softness = widen(bytes.positive(1.0)),
            16 => s.joint_softness = widen(bytes.positive(1.0)),
            17 => s.newton_rows_max = bytes.byte().into(),
            18 => s.newton_max = bytes.byte().into(),
            _ => s.sweeps_max = bytes.byte().into(),
        }
    }
    settings
}

/// Does something to one of the bodies or joints of the bytes.
pub(super) fn change(bytes: &mut Bytes, world: &mut Simulation, ids: &[BodyId]) {
    let id = ids[bytes.below(ids.len())];
    let what = bytes.below(20);
    let Some(target) = world.body_mut(id) else { return };
    match what {
        0 => target.linear_velocity = bytes.vector(10.0),
        1 => target.angular_velocity = bytes.vector(10.0),
        2 => target.apply_force(bytes.vector(100.0)),
        3 => target.apply_force_at_point(bytes.vector(100.0), bytes.vector(1.0)),
        4 => target.apply_angular_impulse(bytes.vector(1.0)),
        5 => target.apply_linear_impulse_at_point(bytes.vector(1.0), bytes.vector(1.0)),
        6 => target.set_pose(bytes.vector(2.0), bytes.rotation()),
        7 => target.set_target(bytes.vector(2.0), bytes.rotation()),
        8 => target.gravity_scale = bytes.number(1.0),
        9 => target.linear_damping = bytes.number(1.0),
        10 => target.angular_damping = bytes.number(1.0),
        11 => target.locked_axes = LockedAxes::from_bits(bytes.byte()),
        12 => _ = target.set_material(bytes.below(2), material(bytes)),
        13 => target.dominance = bytes.byte() as i8,
        14 => {
            let mass = target.mass();
            let inertia = target.inertia();
            let properties = MassProperties { mass, center_of_mass: Vec3::ZERO, inertia };
            let kind = [BodyKind::Dynamic, BodyKind::Kinematic, BodyKind::Static][bytes.below(3)];
            let collider = |shape| Collider { layers: THEIRS, ..Collider::new(shape) };
            let colliders = shape(bytes).into_iter().map(collider).collect();
            _ = target.set_colliders(colliders, kind, properties);
        }
        15 => _ = world.remove_body(id),
        16 => _ = world.sleep_body(id),
        17 => _ = world.wake_body(id),
        _ => {
            let joints: Vec<_> = world.joints().map(|joint| joint.id()).collect();
            if let Some(&joint_id) = joints.get(bytes.below(joints.len().max(1))) {
                _ = world.set_joint(joint_id, joint(bytes, ids));
            }
        }
    }
}

/// Layers of what the bytes make: its bodies meet each other.
const THEIRS: Layers = Layers { memberships: 1, filters: 1 };
/// Layers of the heap and its floor.
const OURS: Layers = Layers { memberships: 2, filters: 2 };

/// A floor for each layer, and on that of the heap three boxes and a ball.
fn with_heap() -> (Simulation, usize) {
    let mut world = Simulation::new();
    for layers in [OURS, THEIRS] {
        let floor = Shape::half_space(Vec3::Y).expect("a direction");
        let colliders = vec![Collider { layers, ..Collider::new(floor) }];
        let desc = BodyDesc { kind: BodyKind::Static, colliders, ..BodyDesc::default() };
        world.add_body(desc).expect("a floor");
    }
    for i in 0..4_u8 {
        let shape = if i == 3 { sphere(0.3) } else { cuboid(0.5, 0.5, 0.5) };
        let desc = BodyDesc {
            colliders: vec![Collider { layers: OURS, ..Collider::new(shape) }],
            position: Vec3::new(0.1 * Real::from(i), 0.25 + 0.5 * Real::from(i), 0.0),
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a cube or ball");
    }
    let n = world.bodies().len();
    (world, n)
}

/// What kind of absurdity the bytes are used for.
pub const KINDS: [Kind; 5] =
    [Kind::Bodies, Kind::Joints, Kind::Changes, Kind::Settings, Kind::Lives];

/// See [`KINDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bodies with absurd numbers.
    Bodies,
    /// Bodies with joints that contradict each other.
    Joints,
    /// What is done to bodies between steps.
    Changes,
    /// Settings and lengths of steps.
    Settings,
    /// Bodies and joints that come and go, and whose worlds are kept, put back and read anew.
    Lives,
}

/// What became of a world.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// Bodies and joints that were made.
    pub made: [usize; 2],
    /// Bodies and joints that were refused.
    pub refused: [usize; 2],
    /// Bodies that were told to be broken.
    pub broken: usize,
    /// Steps that were refused.
    pub steps_refused: usize,
    /// Most work of an island in a step, in budgets: `work_max` sweeps over its contacts and bodies and a
    /// hundred more (–).
    pub work: Double,
    /// Most boxes searched in a step, and most pairs measured, of as many as there may be (–).
    pub looked: [Double; 2],
}

/// Most work of an island in a step, in budgets: a sixth more than any of these worlds took. Structure alone
/// does not bound it so closely: two tries that are overdrawn and the solves behind them could take twice as
/// much.
const BUDGETS: Double = 65.0;

/// Most searches for a box in a step: one in each of the four rounds in which speeds spread through what
/// touches, one where what it may meet has changed.
const SEARCHES: Double = 5.0;

/// Makes a world of bytes and steps it `steps` times.
///
/// # Errors
/// What went wrong, in words. A panic or a step that does not return is for the caller to see.
pub fn play(kind: Kind, bytes: &[u8], steps: usize) -> Result<Outcome, String> {
    play_within(kind, bytes, steps, Settings::default().solver.work_max)
}

/// Plays it as [`play`] does, with another budget.
///
/// # Errors
/// As [`play`] has.
pub fn play_within(
    kind: Kind,
    bytes: &[u8],
    steps: usize,
    work_max: Double,
) -> Result<Outcome, String> {
    let bytes = &mut Bytes::new(bytes);
    let mut outcome = Outcome::default();
    let (mut world, heap) = with_heap();
    let mut alone = world.clone();
    let mut ids = Vec::new();
    for _ in 0..2 + bytes.below(if kind == Kind::Bodies { 8 } else { 5 }) {
        match world.add_body(body(bytes)) {
            Ok(id) => ids.push(id),
            Err(_) => outcome.refused[0] += 1,
        }
    }
    if kind != Kind::Bodies && !ids.is_empty() {
        for _ in 0..1 + bytes.below(if kind == Kind::Joints { 6 } else { 2 }) {
            let made = world.add_joint(joint(bytes, &ids)).is_ok();
            outcome.made[1] += usize::from(made);
            outcome.refused[1] += usize::from(!made);
        }
    }
    outcome.made[0] = ids.len();
    let mut settings = settings(bytes);
    settings.solver.work_max = work_max;
    let mut changed = Vec::new();
    let mut life = Life::default();
    for step in 0..steps {
        let mut dt = DT;
        if kind == Kind::Changes && !ids.is_empty() && !bytes.is_empty() {
            changed.clear();
            change(bytes, &mut world, &ids);
        }
        if kind == Kind::Settings && !bytes.is_empty() {
            settings = absurd_settings(bytes);
            dt = bytes.positive(0.02);
        }
        if kind == Kind::Lives {
            changed.clear();
            let both = [&mut world, &mut alone];
            life.go_on(bytes, both, &mut ids, &mut settings, &mut dt)
                .map_err(|e| format!("before step {step}: {e}"))?;
            settings.solver.work_max = work_max;
        }
        world.step(&settings, dt);
        alone.step(&settings, dt);
        let refused = world.report().status == StepStatus::Refused;
        check(&world, &alone, heap, refused).map_err(|e| format!("step {step}: {e}"))?;
        outcome.steps_refused += usize::from(refused);
        let work = work(&world, settings.solver.work_max);
        if kind != Kind::Settings && work > BUDGETS {
            return Err(format!("step {step}: an island takes {work} budgets"));
        }
        outcome.work = outcome.work.max(work);
        let looked = looked(&world);
        if looked.into_iter().any(|share| share > 1.0) {
            return Err(format!(
                "step {step}: {looked:?} of the searches and measurements there may be"
            ));
        }
        outcome.looked = [0, 1].map(|k| outcome.looked[k].max(looked[k]));
        let broken = &world.report().quarantined;
        outcome.broken += broken.len();
        if !matches!(kind, Kind::Changes | Kind::Lives)
            && let Some(id) = broken.iter().find(|id| changed.contains(*id))
        {
            return Err(format!("step {step}: body {} is told to be broken twice", id.0));
        }
        changed.extend(broken);
    }
    Ok(outcome)
}

/// What is wrong after a step; one that was refused leaves velocities as they were set.
fn check(world: &Simulation, alone: &Simulation, heap: usize, refused: bool) -> Result<(), String> {
    let state = |world: &Simulation, i: usize| {
        let body = world.bodies().iter().nth(i).expect("the heap stays");
        (body.center(), body.rotation(), body.linear_velocity, body.angular_velocity)
    };
    for i in 0..heap {
        let [with, without] = [world, alone].map(|world| state(world, i));
        if with != without {
            return Err(format!("body {i} of the heap: {with:?} with, {without:?} without"));
        }
    }
    check_touches(world)?;
    for body in world.bodies().iter() {
        let pose = body.position().is_finite() && body.rotation().is_finite();
        let velocity = body.linear_velocity.is_finite() && body.angular_velocity.is_finite();
        if !(pose && (velocity || refused)) {
            let (x, v) = (body.position(), body.linear_velocity);
            return Err(format!(
                "body {}: not finite: {x} {v} {}",
                body.id().0,
                body.angular_velocity
            ));
        }
    }
    Ok(())
}

/// Is what touches tell finite?
pub(super) fn check_touches(world: &Simulation) -> Result<(), String> {
    for touch in world.touches().all() {
        if !(touch.impulse.is_finite() && touch.normal_impulse.is_finite()) {
            return Err(format!("{:?}: an impulse of {}", touch.key, touch.impulse));
        }
    }
    Ok(())
}

/// Did no island of the last step take more than its budgets?
///
/// # Errors
/// What it took.
#[cfg(feature = "bevy")]
pub(super) fn work_within(world: &Simulation, work_max: Double) -> Result<(), String> {
    let work = work(world, work_max);
    if work > BUDGETS { Err(format!("an island takes {work} budgets")) } else { Ok(()) }
}

/// Most work of an island in the last step, in budgets (–).
fn work(world: &Simulation, work_max: Double) -> Double {
    let of = |island: &IslandReport| {
        let size = Double::from(island.contacts + island.bodies);
        island.work.into_iter().sum::<Double>() * size / (size + 100.0) / work_max
    };
    world.report().solves.iter().map(of).fold(0.0, Double::max)
}

/// Boxes searched and pairs measured in the last step, of as many as there may be (–). Each of n boxes is
/// searched [`SEARCHES`] times at most and looks at no more than n others then, in all at 5 n². A pair is of
/// pieces of two bodies, each triangle of a mesh a piece, and counts once however often its bodies wake: of
/// bodies of nᵢ pieces these are `½ (n² - Σ nᵢ²)`, among those whose layers meet.
fn looked(world: &Simulation) -> [Double; 2] {
    let (mut boxes, mut pairs) = (0.0, 0.0);
    for layers in [OURS, THEIRS] {
        let mut pieces = 0.0;
        for body in world.bodies().iter() {
            let colliders = body.colliders();
            if colliders.list().first().is_some_and(|collider| collider.layers == layers) {
                let count = |piece: &BodyPiece| Double::from(piece.piece.convex.count());
                let own: Double = colliders.pieces().iter().map(count).sum();
                pairs += own * pieces;
                pieces += own;
                boxes += colliders.pieces().len() as Double;
            }
        }
    }
    let report = world.report();
    let [searched, measured] = [report.searched, report.measured].map(Double::from);
    [searched / (SEARCHES * boxes), measured / pairs]
}

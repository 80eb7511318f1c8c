//! The scenes on which solvers are judged, as plain data, and the engine's world made from them.
//!
//! Every parameter is written down here: y is up, `h = 1/60` s, g = 9.81 m/s², μ = 0.5 unless a scene
//! says otherwise, density 1 kg/m³, no restitution, no damping. [`by_name`] knows them all; sizes,
//! seeds and the order of the bodies in [`piles`] are those with which other engines were measured.
//!
//! | name | what | file |
//! |---|---|---|
//! | `pyramid-N`, `tower-N`, `ratio-R` | cubes of 1 m at rest | [`piles`] |
//! | these with `-floor`, `-top`, `-ball` | the floor creeps, the top turns, a ball rolls in | [`alive`] |
//! | these with `-lift`, `-deck`, `-tug` | the floor goes up and down, rocks, one is tugged at | [`alive`] |
//! | `peas-N-R` | a rain of peas on a pyramid under a cube of R times the mass of another | [`alive`] |
//! | `hulls-N`, `boxes-N` | dropped into a container | [`piles`] |
//! | `chain-N-R`, `net-N` | ball joints | [`piles`] |
//! | `hanging-N-R`, `bridge-N` | a chain at rest, planks with a load of 1 000 times theirs | [`joints`] |
//! | `ragdoll` | fifteen bodies with limits, dropped | [`joints`] |
//! | `dolls-N-P`, `chains-N-L`, `falling-net-N` | jointed bodies in a heap | [`jointed`] |
//! | `ragdolls-N`, `coupled-N` | ragdolls with limits, boxes with balls in a heap | [`jointed`] |
//! | `crowd-N`, `heads-N` | balls that begin at one point, dolls that begin in each other | [`jointed`] |
//! | `torn-N`, `press-N` | joints and walls that ask for the impossible | [`jointed`] |
//! | `brazil-nut`, `drum` | a kinematic container that is shaken, turned | [`piles`] |
//! | `plates-P`, `incline-P` | held or let go by friction; P in percent | [`friction`] |
//! | `table` | one body on 24 supports | [`friction`] |
//! | `hit-N`, `bricks-N`, `dropped-N`, `overlap` | violence | [`impact`] |
//! | `cradle-N`, `billiard-P` | balls in a row, a break; P is restitution in percent | [`impact`] |
//! | `cards`, `cards-P`, `arch-N`, `arch-N-P`, `keystone-N`, `dominoes-N` | P is μ in percent | [`masonry`] |

pub mod alive;
pub mod friction;
pub mod hull;
pub mod impact;
pub mod jointed;
pub mod joints;
mod lists;
pub mod masonry;
mod motion;
pub mod piles;

pub use lists::{COMPARED, OTHERS, TABLED, names};
pub use motion::Motion;
use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind, LockedAxes};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::report::StepReport;
use orthant::engine::settings::Settings;
use orthant::engine::shape::{Shape, ShapeError};
use orthant::math::{Quat, Real, Vec3, widen};

/// Step of a game (s).
pub const DT: Real = 1.0 / 60.0;
/// Gravity [m/s²].
pub const G: Real = 9.81;
/// Friction coefficient of a scene that does not say another (-).
pub const FRICTION: Real = 0.5;

/// What a body is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A ball of a radius (m).
    Ball(Real),
    /// A box of half lengths (m).
    Cuboid(Vec3),
    /// All points within `radius` of a segment along y of half length `half` (m).
    Capsule {
        /// Half length of the segment (m).
        half: Real,
        /// Radius (m).
        radius: Real,
    },
    /// The convex hull of points (m).
    Hull(Vec<Vec3>),
    /// Boxes of half lengths (m), each with its place in the body.
    Compound(Vec<(Vec3, Quat, Vec3)>),
}

impl Form {
    /// The engine's shape of this form.
    ///
    /// # Errors
    /// The engine refused a length.
    pub fn shape(&self) -> Result<Shape, ShapeError> {
        let cuboid = |half: Vec3| Shape::cuboid(2.0 * half.x, 2.0 * half.y, 2.0 * half.z);
        match self {
            Self::Ball(radius) => Shape::sphere(*radius),
            Self::Cuboid(half) => cuboid(*half),
            Self::Capsule { half, radius } => Shape::capsule(*radius, 2.0 * half),
            Self::Hull(points) => Shape::convex_hull(points),
            Self::Compound(boxes) => {
                let parts: Result<Vec<_>, _> =
                    boxes.iter().map(|&(at, turn, half)| Ok((at, turn, cuboid(half)?))).collect();
                Shape::compound(parts?)
            }
        }
    }
}

/// A body of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// What it is made of.
    pub form: Form,
    /// World position of its frame (m).
    pub position: Vec3,
    /// World rotation of its frame.
    pub rotation: Quat,
    /// Density [kg/m³].
    pub density: Real,
    /// How it moves.
    pub kind: BodyKind,
    /// Velocity of its center at the start [m/s].
    pub velocity: Vec3,
    /// A constant force on its center (N).
    pub push: Vec3,
    /// Locked directions.
    pub locked: LockedAxes,
}

impl Piece {
    /// A dynamic body of density 1 at rest, without rotation.
    pub const fn new(form: Form, position: Vec3) -> Self {
        Self {
            form,
            position,
            rotation: Quat::IDENTITY,
            density: 1.0,
            kind: BodyKind::Dynamic,
            velocity: Vec3::ZERO,
            push: Vec3::ZERO,
            locked: LockedAxes::NONE,
        }
    }

    /// A box with half lengths that stays where it is.
    pub fn fixed(half: Vec3, position: Vec3) -> Self {
        Self { kind: BodyKind::Static, ..Self::new(Form::Cuboid(half), position) }
    }
}

/// A joint of a scene; the joined bodies do not collide with each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Indices of the two bodies.
    pub bodies: [usize; 2],
    /// Anchors in their frames (m).
    pub anchors: [Vec3; 2],
    /// The anchors stay this far apart (m); `None`: they coincide.
    pub length: Option<Real>,
}

/// A scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// What [`by_name`] calls it.
    pub name: String,
    /// Its bodies; the fixed ones first.
    pub pieces: Vec<Piece>,
    /// Its joints.
    pub links: Vec<Link>,
    /// Links that are more than ball joints or rods, by index: what they are, but for ends and anchors.
    pub limbs: Vec<(usize, JointDesc)>,
    /// How its kinematic body moves.
    pub motion: Motion,
    /// A force on the center of its last body, which changes its sign with each step (N).
    pub tug: Vec3,
    /// Gravity along -y [m/s²].
    pub gravity: Real,
    /// Friction coefficient of all bodies (-).
    pub friction: Real,
    /// Restitution coefficient of all bodies (-).
    pub restitution: Real,
    /// How long it is watched (s).
    pub duration: Real,
    /// Times are taken between these moments (s).
    pub window: (Real, Real),
    /// Should every body but balls stay where it began, as seen from the first one?
    pub stands: bool,
    /// Overlaps are looked for this often (s).
    pub check_every: Real,
}

impl Game {
    /// A scene without bodies: 10 s, times from 5 s on, overlaps every half second.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            pieces: Vec::new(),
            links: Vec::new(),
            limbs: Vec::new(),
            motion: Motion::None,
            tug: Vec3::ZERO,
            gravity: G,
            friction: FRICTION,
            restitution: 0.0,
            duration: 10.0,
            window: (5.0, 10.0),
            stands: false,
            check_every: 0.5,
        }
    }

    /// Adds a box of half length `half` (m) along x and z and 1 m high, with its top at y = 0.
    pub fn add_floor(&mut self, half: Real) {
        let size = Vec3::new(half, 0.5, half);
        self.pieces.push(Piece::fixed(size, Vec3::new(0.0, -0.5, 0.0)));
    }

    /// Adds a dynamic body of density 1 without rotation.
    pub fn add(&mut self, form: Form, position: Vec3) {
        self.pieces.push(Piece::new(form, position));
    }

    /// This scene, watched for `seconds`, times taken in the last half of them.
    #[must_use]
    pub fn lasting(mut self, seconds: Real) -> Self {
        self.duration = seconds;
        self.window = (0.5 * seconds, seconds);
        self
    }

    /// The body that is tugged at in step `step`, from 1, and the force (N); `None` if none is.
    pub fn tug_at(&self, step: usize) -> Option<(usize, Vec3)> {
        alternate(self.tug, step).map(|force| (self.pieces.len() - 1, force))
    }

    /// Number of dynamic bodies.
    pub fn moving(&self) -> usize {
        self.pieces.iter().filter(|piece| piece.kind == BodyKind::Dynamic).count()
    }

    /// Deepest overlap is looked for in every step if there are few bodies.
    pub fn check_steps(&self, dt: Real) -> usize {
        if self.pieces.len() <= SMALL { 1 } else { steps(self.check_every, dt) }
    }

    /// Default settings with the gravity of this scene.
    pub fn settings(&self) -> Settings {
        Settings { gravity: Vec3::new(0.0, -self.gravity, 0.0), ..Settings::default() }
    }
}

/// Scenes of up to this many bodies are checked for overlaps in every step.
pub const SMALL: usize = 120;

/// A force that changes its sign with each step, in step `step`; `None` if there is none.
fn alternate(force: Vec3, step: usize) -> Option<Vec3> {
    let now = if step.is_multiple_of(2) { -force } else { force };
    (force != Vec3::ZERO).then_some(now)
}

/// Number of steps in a time (s), at least one.
pub fn steps(time: Real, dt: Real) -> usize {
    (widen(time) / widen(dt)).round().max(1.0) as usize
}

/// A scene that is being played.
#[derive(Clone, Debug)]
pub struct Play {
    /// The engine's world.
    pub world: Simulation,
    /// Id of each body, in the order of the scene.
    pub ids: Vec<BodyId>,
    /// Step (s).
    pub dt: Real,
    /// Steps made.
    pub step: usize,
    motion: Motion,
    driven: Option<BodyId>,
    pushes: Vec<(BodyId, Vec3)>,
    tug: Vec3,
}

impl Play {
    /// The world of a scene, bodies in the order of the scene.
    ///
    /// # Errors
    /// The engine refused something.
    pub fn new(game: &Game, dt: Real) -> Result<Self, String> {
        Self::in_order(game, dt, &(0..game.pieces.len()).collect::<Vec<_>>())
    }

    /// The world of a scene with its bodies added in an order, a permutation of their indices.
    ///
    /// # Errors
    /// The engine refused something.
    pub fn in_order(game: &Game, dt: Real, order: &[usize]) -> Result<Self, String> {
        let mut world = Simulation::new();
        let mut ids = vec![BodyId::default(); game.pieces.len()];
        let (mut driven, mut pushes) = (None, Vec::new());
        for &index in order {
            let piece = &game.pieces[index];
            let shape = piece.form.shape().map_err(|error| format!("body {index}: {error}"))?;
            let material =
                Material { restitution: game.restitution, ..Material::new(game.friction) };
            let desc = BodyDesc {
                kind: piece.kind,
                position: piece.position,
                rotation: piece.rotation,
                linear_velocity: piece.velocity,
                colliders: vec![Collider { material, ..Collider::new(shape) }],
                density: piece.density,
                locked_axes: piece.locked,
                ..BodyDesc::default()
            };
            let id = world.add_body(desc).map_err(|error| format!("body {index}: {error}"))?;
            ids[index] = id;
            if piece.kind == BodyKind::Kinematic {
                driven = Some(id);
            }
            if piece.push != Vec3::ZERO {
                pushes.push((id, piece.push));
            }
        }
        for (index, link) in game.links.iter().enumerate() {
            let [a, b] = link.bodies.map(|body| ids[body]);
            let limb = game.limbs.iter().find(|(limb, _)| *limb == index);
            let desc = match (limb, link.length) {
                (Some((_, desc)), _) => JointDesc { ends: [Some(a), Some(b)], ..*desc },
                (_, Some(length)) => JointDesc::rod(a, b, length),
                _ => JointDesc::between(JointKind::Spherical, a, b),
            };
            world
                .add_joint(desc.with_anchors(link.anchors[0], link.anchors[1]))
                .map_err(|error| error.to_string())?;
        }
        let (motion, tug) = (game.motion, game.tug);
        Ok(Self { world, ids, dt, step: 0, motion, driven, pushes, tug })
    }

    /// Gives the forces and targets of the coming step.
    pub fn drive(&mut self) {
        self.step += 1;
        let time = self.step as Real * self.dt;
        let target = self.motion.at(time);
        if let Some((position, rotation)) = target
            && let Some(body) = self.driven.and_then(|id| self.world.body_mut(id))
        {
            body.set_target(position, rotation);
        }
        let tugged = self.ids.last().copied().zip(alternate(self.tug, self.step));
        for (id, force) in self.pushes.iter().copied().chain(tugged) {
            if let Some(body) = self.world.body_mut(id) {
                body.apply_force(force);
            }
        }
    }

    /// A step.
    pub fn advance(&mut self, settings: &Settings) -> &StepReport {
        self.drive();
        self.world.step(settings, self.dt)
    }
}

/// The scene of a name, see the head of this module; `None` if there is none.
pub fn by_name(name: &str) -> Option<Game> {
    let mut parts = name.split('-');
    let kind = parts.next()?;
    let numbers: Vec<usize> = parts.filter_map(|part| part.parse().ok()).collect();
    let first = numbers.first().copied();
    let percent = |value: usize| value as Real / 100.0;
    let second = numbers.get(1).copied();
    let mut game = match kind {
        "pyramid" => piles::pyramid(first?),
        "tower" => piles::tower(first?),
        "ratio" => piles::ratio(first?),
        "peas" => alive::peas(first?, second?),
        "hulls" => piles::hulls(first?),
        "boxes" => piles::boxes(first?),
        "chain" => piles::chain(first?, second?),
        "net" => piles::net(first?),
        "hanging" => joints::hanging(first?, second?, 0.0),
        "bridge" => joints::bridge(first?),
        "ragdoll" => joints::ragdoll(),
        "dolls" => jointed::dolls(first?, second?),
        "ragdolls" => jointed::ragdolls(first?),
        "coupled" => jointed::coupled(first?),
        "chains" => jointed::chains(first?, second?),
        "falling" => jointed::falling_net(first?),
        "crowd" => jointed::crowd(first?),
        "heads" => jointed::heads(first?),
        "torn" => jointed::torn(first?),
        "press" => jointed::press(first?),
        "brazil" => piles::brazil_nut(),
        "drum" => piles::drum(),
        "plates" => friction::plates(percent(first?)),
        "incline" => friction::incline(percent(first?)),
        "table" => friction::table(),
        "hit" => impact::hit(first?),
        "bricks" => impact::bricks(first?),
        "dropped" => impact::dropped(first?),
        "overlap" => impact::overlap(),
        "cradle" => impact::cradle(first?, 0.0),
        "billiard" => impact::billiard(percent(first?)),
        "cards" => masonry::cards(first.map_or(FRICTION, percent)),
        "arch" => masonry::arch(first?, second.map_or(FRICTION, percent)),
        "keystone" => masonry::keystone(first?),
        "dominoes" => masonry::dominoes(first?),
        _ => return None,
    };
    game = match name.rsplit('-').next() {
        Some("floor") => alive::floor(game),
        Some("top") => alive::top(game),
        Some("ball") => alive::ball(game),
        Some("lift") => alive::lift(game),
        Some("deck") => alive::deck(game),
        Some("tug") => alive::tug(game),
        _ => game,
    };
    game.name = name.to_owned();
    Some(game)
}

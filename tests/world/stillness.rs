//! Pairs that hardly move keep their contacts, and what hardly moves stands still.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::contact::ActiveContact;
use orthant::engine::pair_key::PairKey;
use orthant::engine::settings::Settings;
use orthant::math::{Quat, Real, Vec3, quat_conjugate, quat_rotate, widen};
use orthant_lab::games::{self, Game, Piece, Play};
use orthant_lab::random::Rng;
use orthant_lab::support::{DT, add, add_floor, body, change, cuboid, end_step, heap, run, stack};

/// The step up to the contacts; those of pairs that have four, pair by pair.
fn contacts(world: &mut Simulation, settings: &Settings) -> Vec<Option<[ActiveContact; 4]>> {
    world.begin(settings, DT);
    world.find_pairs(settings);
    world.find_contacts(settings);
    let four = |list: &[ActiveContact]| <[ActiveContact; 4]>::try_from(list).ok();
    world.pairs().iter().map(|pair| four(&pair.contacts)).collect()
}

#[test]
fn a_stack_at_rest_is_not_measured() {
    let (mut world, ids) = stack(6);
    let first = world.step(&Settings::default(), DT);
    // Each with the one below it.
    assert_eq!((first.measured, first.pairs), (6, 6), "all are new");
    run(&mut world, 120);
    assert_eq!(world.step(&Settings::default(), DT).measured, 0, "nothing moves");
    change(&mut world, ids[5]).linear_velocity.x = 2.0;
    assert_eq!(world.step(&Settings::default(), DT).measured, 0, "all is where it was");
    assert_eq!(world.step(&Settings::default(), DT).measured, 1, "it moved on the one below");
    let mut settings = Settings::default();
    settings.contact.stillness = 0.0;
    assert_eq!(world.step(&settings, DT).measured, 6, "switched off");
}

/// What comparing came to.
#[derive(Debug, Default)]
struct Tally {
    /// Pairs, and how many of them were not measured.
    pairs: u32,
    kept: u32,
    /// Contacts that were found by both ways, and those whose planes were judged by themselves.
    common: u32,
    leaning: u32,
    /// Contacts that have another name, or are farther than what is found if nothing moves.
    renamed: u32,
    far: u32,
    /// Contacts of each pair when they were those found anew, with the poses of both bodies.
    found: Vec<(PairKey, [(Vec3, Quat); 2], Vec<ActiveContact>)>,
}

/// The separation of two bodies along a direction (m), from their bounds in axes that have it for y.
fn separation(world: &Simulation, [a, b]: [BodyId; 2], normal: Vec3) -> Real {
    let bodies = [body(world, a), body(world, b)];
    let upright = Quat::from_rotation_arc(normal, Vec3::Y);
    let bounds = bodies.map(|b| b.colliders().aabb(Vec3::ZERO, upright * b.rotation()));
    let between = bodies[1].position() - bodies[0].position();
    between.dot(normal) + bounds[1].min.y - bounds[0].max.y
}

fn poses(world: &Simulation, key: PairKey) -> [(Vec3, Quat); 2] {
    [key.a, key.b].map(|id| (body(world, id).center(), body(world, id).rotation()))
}

impl Tally {
    /// The distance along a direction (m) of the points of both bodies that touched when the contact was
    /// last found.
    fn distance(&self, world: &Simulation, key: PairKey, contact: &ActiveContact) -> Option<Real> {
        let (_, then, contacts) = self.found.iter().find(|(found, ..)| *found == key)?;
        let found = contacts.iter().find(|found| found.id == contact.id)?;
        let now = poses(world, key);
        let half = found.normal * (0.5 * found.gap);
        let [a, b] = [0, 1].map(|k| {
            let arm = if k == 0 { found.arms[0] - half } else { found.arms[1] + half };
            now[k].0 + quat_rotate(now[k].1, quat_rotate(quat_conjugate(then[k].1), arm))
        });
        Some((b - a).dot(contact.normal))
    }

    /// Looks for a contact in a list that has none of its name: where corners of two faces coincide, either
    /// may be it, each sought on the other face enlarged by a part of its size.
    fn find_by_place(
        &mut self,
        settings: &Settings,
        contact: &ActiveContact,
        list: &[ActiveContact],
        step: u32,
    ) {
        let bound = bound(settings, contact);
        if contact.gap >= settings.contact.margin - bound {
            self.far += 1;
            return;
        }
        // A face is at most twice as large as its corners are far from the center.
        let size = 2.0 * contact.arms[0].length().max(contact.arms[1].length());
        let reach = 2.0 * settings.contact.reference_slack * size;
        let is_it = |other: &&ActiveContact| {
            let apart = (other.arms[0] - contact.arms[0]).length();
            apart <= reach && (other.gap - contact.gap).abs() <= bound
        };
        let found = list.iter().find(is_it);
        assert!(found.is_some(), "step {step}: only one has {contact:?}, not {list:?}");
        self.renamed += 1;
    }

    /// Takes up the contacts of a pair that are those found anew.
    fn find(&mut self, world: &Simulation, key: PairKey, contacts: &[ActiveContact]) {
        let entry = (key, poses(world, key), contacts.to_vec());
        match self.found.iter_mut().find(|(found, ..)| *found == key) {
            Some(found) => *found = entry,
            None => self.found.push(entry),
        }
    }
}

/// By how much a gap may be wrong (m): what is kept and followed, and rounding of arms.
fn bound(settings: &Settings, contact: &ActiveContact) -> Real {
    let zone = settings.contact.stillness * DT * DT;
    2.0 * zone + 1e-6 * (1.0 + contact.arms[0].length().max(contact.arms[1].length()))
}

/// The step up to the contacts, compared with contacts found anew: their gaps, to within `c h²` that kept
/// ones and as much that followed ones may be wrong. What one of both alone has by its name the other has by
/// another, at its place, or it is farther than the margin, up to which all is found.
///
/// Where contacts found anew have another plane, one that separates as well or nearly, gaps are compared
/// with the distance along the kept plane of the points that touched when it was found; and no gap is less
/// than the separation of the bodies along that plane.
fn compare(world: &mut Simulation, settings: &Settings, step: u32, tally: &mut Tally) {
    let mut anew = world.clone();
    anew.pairs_mut();
    contacts(&mut anew, settings);
    contacts(world, settings);
    for (pair, other) in world.pairs().iter().zip(anew.pairs()) {
        assert_eq!(pair.key, other.key, "the same pairs");
        if pair.contacts[..] == other.contacts[..] {
            tally.find(world, pair.key, &pair.contacts);
        }
        for x in &pair.contacts {
            let bound = bound(settings, x);
            let Some(y) = other.contacts.iter().find(|y| y.id == x.id) else {
                tally.find_by_place(settings, x, &other.contacts, step);
                continue;
            };
            tally.common += 1;
            let mut gap = y.gap;
            if x.normal.dot(y.normal) < 0.9999 {
                tally.leaning += 1;
                gap = tally.distance(world, pair.key, x).expect("it was found once");
                let along = separation(&anew, [pair.key.a, pair.key.b], x.normal);
                assert!(x.gap >= along - bound, "step {step}: {} m, {along} m apart", x.gap);
            }
            let error = (x.gap - gap).abs();
            assert!(error <= bound, "step {step}: {error:e} of {bound:e}");
        }
        for y in &other.contacts {
            if !pair.contacts.iter().any(|x| x.id == y.id) {
                tally.find_by_place(settings, y, &pair.contacts, step);
            }
        }
    }
    let pairs = world.pairs().len() as u32;
    tally.pairs += pairs;
    tally.kept += pairs - world.report().measured;
}

/// Kept and followed contacts are those of now to within `2 c h²`.
#[test]
fn kept_contacts_are_true_to_the_stillness() {
    let settings = Settings::default();
    let mut tally = Tally::default();
    for n in [6, 10, 14] {
        let (mut world, _) = heap(n);
        for step in 0..400 {
            compare(&mut world, &settings, step, &mut tally);
            end_step(&mut world, &settings);
        }
    }
    assert!(tally.common > 1000, "{tally:?}");
    assert!(tally.leaning * 10 < tally.common, "few lean: {tally:?}");
    assert!(tally.kept > 2000, "enough are kept: {tally:?}");
}

/// On a turntable all contacts turn, and few are found anew; they are those of now.
#[test]
fn contacts_turn_with_what_carries_them() {
    let settings = Settings::default();
    let mut world = Simulation::new();
    let disc = add(&mut world, BodyKind::Kinematic, cuboid(6.0, 0.5, 6.0), Vec3::ZERO);
    for (x, z) in [(1.0, 0.3), (-1.2, 0.5), (0.2, -1.4)] {
        for k in 0..3 {
            let at = Vec3::new(x, 0.45 + 0.4 * real(k), z);
            add(&mut world, BodyKind::Dynamic, cuboid(0.6, 0.4, 0.5), at);
        }
    }
    run(&mut world, 30);
    change(&mut world, disc).angular_velocity.y = 0.8;
    let (mut start, mut tally) = (Tally::default(), Tally::default());
    for step in 0..240 {
        let tally = if step < 60 { &mut start } else { &mut tally };
        compare(&mut world, &settings, step, tally);
        end_step(&mut world, &settings);
    }
    assert!(tally.common > 1000, "{tally:?}");
    assert!(tally.kept * 10 > tally.pairs * 9, "most are carried along: {tally:?}");
}

/// Random shapes drift past and against each other, slowly.
#[test]
fn followed_contacts_are_those_of_slow_motion() {
    let settings = Settings { gravity: Vec3::ZERO, ..Settings::default() };
    let mut rng = Rng::new(5);
    let mut tally = Tally::default();
    for round in 0..60 {
        let mut world = Simulation::new();
        let mut ids = Vec::new();
        for k in 0..2 {
            let size = Vec3::new(rng.range(0.4, 1.0), rng.range(0.4, 1.0), rng.range(0.4, 1.0));
            let shape = match (round + k) % 3 {
                0 => orthant::engine::shape::Shape::sphere(0.5 * size.x).expect("a ball"),
                1 => cuboid(size.x, size.y, size.z),
                _ => {
                    let points: Vec<Vec3> = (0..16)
                        .map(|_| {
                            let mut axis = || rng.range(-0.5, 0.5);
                            Vec3::new(axis(), axis(), axis()) * size
                        })
                        .collect();
                    orthant::engine::shape::Shape::convex_hull(&points).expect("a hull")
                }
            };
            let at = Vec3::new(0.0, 0.75 * real(k), 0.0);
            ids.push(add(&mut world, BodyKind::Dynamic, shape, at));
        }
        change(&mut world, ids[1]).linear_velocity.y = -0.5;
        for step in 0..120 {
            if step % 10 == 9 {
                for &id in &ids {
                    let mut small = || rng.range(-0.05, 0.05);
                    let linear = Vec3::new(small(), small(), small());
                    let angular = Vec3::new(small(), small(), small());
                    let body = change(&mut world, id);
                    (body.linear_velocity, body.angular_velocity) = (linear, angular);
                }
            }
            compare(&mut world, &settings, step, &mut tally);
            end_step(&mut world, &settings);
        }
    }
    assert!(tally.common > 1000, "{tally:?}");
    assert!(tally.kept * 3 > tally.pairs, "enough are followed: {tally:?}");
}

fn real(k: u32) -> Real {
    Real::from(u16::try_from(k).expect("a small number"))
}

/// What creeps by less than `c h²` a step is measured again as soon as it has moved by that much.
#[test]
fn creeping_bodies_do_not_escape() {
    let mut world = Simulation::new();
    let ramp = add(&mut world, BodyKind::Kinematic, cuboid(4.0, 1.0, 4.0), Vec3::ZERO);
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(0.0, 1.0, 0.0));
    run(&mut world, 30);
    // A micrometer a step.
    change(&mut world, ramp).linear_velocity.y = 60e-6;
    let start = body(&world, id).position().y;
    let settings = Settings::default();
    let mut measured = 0;
    for _ in 0..600 {
        measured += world.step(&settings, DT).measured;
    }
    let risen = body(&world, id).position().y - start;
    assert!((risen - 600e-6).abs() < 20e-6, "it rises with its ground: {risen}");
    assert!(measured < 600, "most steps keep the contacts: {measured} of 600 measured");
}

#[test]
fn changes_of_contacts_hold_for_one_step() {
    let (mut world, ids) = stack(1);
    run(&mut world, 60);
    let settings = Settings::default();
    contacts(&mut world, &settings);
    world.pairs_mut()[0].contacts.clear();
    end_step(&mut world, &settings);
    let falls = body(&world, ids[0]).linear_velocity.y;
    assert!((falls + 9.81 * DT).abs() < 1e-4, "without contacts it falls: {falls}");
    assert_eq!(contacts(&mut world, &settings).iter().flatten().count(), 1, "they are back");
    end_step(&mut world, &settings);
    assert!(body(&world, ids[0]).linear_velocity.y.abs() < 1e-3, "and hold it");
}

#[test]
fn what_is_held_stands_still_and_what_floats_goes_on() {
    let (mut world, ids) = stack(4);
    run(&mut world, 120);
    for &id in &ids {
        assert_eq!(body(&world, id).linear_velocity, Vec3::ZERO, "it stands");
    }
    // Two cubes that touch and drift together, slower than the tolerance.
    let settings = Settings { gravity: Vec3::ZERO, ..Settings::default() };
    let slow: Real = 5e-6;
    assert!(widen(slow) < settings.solver.tolerance, "slower than the tolerance");
    let mut world = Simulation::new();
    let pair = [0.0, 1.0].map(|x| {
        let shape = Some(cuboid(1.0, 1.0, 1.0));
        let (position, linear_velocity) = (Vec3::X * x, Vec3::Y * slow);
        let desc = BodyDesc { shape, position, linear_velocity, ..BodyDesc::default() };
        world.add_body(desc).expect("a sound body")
    });
    for _ in 0..60 {
        let report = world.step(&settings, DT);
        assert_eq!((report.contacts, report.islands), (4, 1), "they touch");
    }
    for id in pair {
        let velocity = body(&world, id).linear_velocity;
        assert!((velocity - Vec3::Y * slow).length() < 1e-9, "nothing stops them: {velocity}");
    }
}

#[test]
fn a_light_push_moves_what_slides_freely() {
    let (mut world, ids) = stack(1);
    let mut settings = Settings::default();
    settings.contact.friction = Some(0.0);
    let mass = body(&world, ids[0]).mass();
    for _ in 0..60 {
        // In one step it gains less than the tolerance.
        change(&mut world, ids[0]).apply_force(Vec3::X * mass * 1e-4);
        world.step(&settings, DT);
    }
    let speed = body(&world, ids[0]).linear_velocity.x;
    assert!((speed - 1e-4).abs() < 1e-6, "after a second: {speed}");
}

/// What is taken over from the last step, unsolved, is what solving would give, to the last bit.
#[test]
fn steady_islands_keep_what_solving_would_give() {
    let settings = Settings::default();
    let (mut calm, mut steady) = (0, 0);
    for n in [4, 8, 12] {
        let mut world = Simulation::new();
        let first = add(&mut world, BodyKind::Static, cuboid(1.0, 1.0, 1.0), Vec3::splat(-90.0));
        add_floor(&mut world);
        let mut rng = Rng::new(n as u64);
        let mut drop_box = |i: usize| {
            let mut side = || rng.range(0.3, 0.7);
            let shape = cuboid(side(), side(), side());
            let (row, column) = ((i / 4) as Real, (i % 4) as Real);
            let place = Vec3::new(column * 0.8, 0.5 + row * 0.8, 0.1 * row);
            add(&mut world, BodyKind::Dynamic, shape, place)
        };
        let ids: Vec<_> = (0..n).map(&mut drop_box).collect();
        for step in 0..600 {
            if step % 200 == 150 {
                // A nudge, after which some islands move and some do not.
                change(&mut world, ids[step % ids.len()]).linear_velocity.y = 0.5;
            }
            // Without its first body every other one has another place, and is new to what was taken over.
            let mut solved = world.clone();
            solved.remove_body(first);
            let own = world.step(&settings, DT).clone();
            let its = solved.step(&settings, DT).clone();
            assert_eq!(own.solves, its.solves, "{n} bodies, step {step}");
            assert_eq!(own.natural_map, its.natural_map, "{n} bodies, step {step}");
            for (x, y) in world.bodies().iter().skip(1).zip(solved.bodies().iter()) {
                assert_eq!((x.center(), x.rotation()), (y.center(), y.rotation()), "step {step}");
                assert_eq!(x.linear_velocity, y.linear_velocity, "{n} bodies, step {step}");
                assert_eq!(x.angular_velocity, y.angular_velocity, "{n} bodies, step {step}");
            }
            let contacts = |world: &Simulation| -> Vec<_> {
                world.pairs().iter().flat_map(|pair| pair.contacts.to_vec()).collect()
            };
            assert_eq!(contacts(&world), contacts(&solved), "{n} bodies, step {step}");
            calm += u32::from(own.solves.iter().all(|solve| solve.iterations == 0));
            steady += own.islands_steady;
            assert_eq!(its.islands_steady, 0, "none of a world that is new");
        }
    }
    assert!(steady > 1000, "enough are steady: {steady} islands in {calm} calm steps");
}

/// What a floor carries along evenly rests on it: nothing is solved, and nothing shifts, wherever that is.
#[test]
fn what_is_carried_evenly_is_at_rest() {
    let settings = Settings::default();
    for (place, speed) in [(0.0, 1e-3), (300.0, 0.1), (-800.0, 2.0)] {
        let mut world = Simulation::new();
        let at = |x: Real, y: Real| Vec3::new(place + x, y, 0.0);
        let slab = cuboid(20.0, 1.0, 4.0);
        let floor = add(&mut world, BodyKind::Kinematic, slab, at(0.0, -0.5));
        let rows =
            (0..5).flat_map(|row| (0..5 - row).map(move |column| (row as Real, column as Real)));
        let wall = |(row, column): (Real, Real)| {
            add(
                &mut world,
                BodyKind::Dynamic,
                cuboid(1.0, 1.0, 1.0),
                at(column + 0.5 * row, 0.5 + row),
            )
        };
        let ids: Vec<_> = rows.map(wall).collect();
        let velocity = Vec3::X * speed;
        for id in ids.iter().chain([&floor]) {
            change(&mut world, *id).linear_velocity = velocity;
        }
        run(&mut world, 60);
        let offset =
            |world: &Simulation, id: BodyId| body(world, id).center() - body(world, floor).center();
        let before: Vec<Vec3> = ids.iter().map(|id| offset(&world, *id)).collect();
        for step in 0..600 {
            let report = world.step(&settings, DT);
            assert_eq!(
                (report.iterations, report.islands_unsolved),
                (0, 0),
                "{place} m, step {step}"
            );
        }
        for (id, before) in ids.iter().zip(before) {
            let apart = (body(&world, *id).linear_velocity - velocity).length();
            assert!(apart <= 1e-5, "{place} m: {apart} m/s beside the floor");
            // Centers are told to half a rounding of where they are, each.
            let rounding = orthant::math::EPSILON * place.abs();
            let shifted = (offset(&world, *id) - before).length();
            assert!(shifted <= 1e-6 + 4.0 * rounding, "{place} m: shifted by {shifted} m");
        }
    }
}

/// `n` hulls that fall into a pit of 4 m, nine a layer.
fn pit_of_hulls(n: usize) -> Game {
    let mut game = games::by_name(&format!("hulls-{n}")).expect("a scene");
    game.pieces.retain(|piece| piece.kind == BodyKind::Dynamic);
    for (i, piece) in game.pieces.iter_mut().enumerate() {
        let at = [i % 3, i / 9, i / 3 % 3].map(|k| 1.25 * k as Real);
        piece.position = Vec3::new(at[0] - 1.25, at[1] + 0.8, at[2] - 1.25);
    }
    game.add_floor(10.0);
    for side in [-2.5, 2.5] {
        game.pieces.push(Piece::fixed(Vec3::new(0.5, 10.0, 3.0), Vec3::new(side, 10.0, 0.0)));
        game.pieces.push(Piece::fixed(Vec3::new(3.0, 10.0, 0.5), Vec3::new(0.0, 10.0, side)));
    }
    game
}

/// In a heap without order hardly a body lies on three contacts with what is held: its bodies hold each
/// other. It comes to rest for good, and then nothing is solved.
#[test]
fn heaps_without_order_come_to_rest_for_good() {
    for count in [60, 120] {
        let game = pit_of_hulls(count);
        let settings = game.settings();
        let mut play = Play::new(&game, DT).expect("a world");
        let (mut still, mut largest) = (0, 0);
        for _ in 0..900 {
            let report = play.advance(&settings);
            let heaps = report.solves.iter().filter(|island| island.bodies > 10);
            largest = heaps.clone().map(|island| island.bodies).max().unwrap_or(0);
            let rests = heaps.clone().all(|heap| heap.solved && heap.iterations == 0);
            still = if rests { still + 1 } else { 0 };
        }
        println!("{count}: at rest for {still} steps, a heap of {largest} bodies");
        assert!(largest > 20, "{count}: a heap of {largest} bodies");
        assert!(still >= 60, "{count}: at rest for {still} steps");
    }
}

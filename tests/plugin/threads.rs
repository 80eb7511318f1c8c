//! The size of Bevy's pool does not matter. A process has one pool, of a size for good: the test runs itself
//! once for each size.
#![cfg(all(feature = "parallel", not(target_family = "wasm")))]

use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use super::*;
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use orthant::engine::par::{Job, Pool};

/// What tells the process how many threads its pool has.
const SIZE: &str = "ORTHANT_POOL_SIZE";
const NAME: &str = "threads::the_size_of_the_pool_does_not_matter";
/// What the line with the result begins with.
const MARK: &str = "bits of each step: ";
const STEPS: usize = 50;

/// Does all on this thread, and notes how many jobs each call has.
#[derive(Debug)]
struct Parts(usize, Mutex<Vec<usize>>);

impl Pool for Parts {
    fn threads(&self) -> usize {
        self.0
    }

    fn call(&self, jobs: &mut [Job<'_>]) {
        self.1.lock().expect("no thread panics").push(jobs.len());
        jobs.iter_mut().for_each(|job| job());
    }
}

/// Nine walls of 32 bricks, far from each other, into each of which a ball flies.
fn walls(app: &mut App) {
    floor(app);
    for place in 0..9_u8 {
        let (x, z) = (14.0 * f32::from(place % 3), 14.0 * f32::from(place / 3));
        let mut top = Vec::new();
        for course in 0..8_u8 {
            for i in 0..4_u8 {
                let along = 1.01 * (f32::from(i) + 0.5 * f32::from(course % 2));
                let pose = at(x + along, 0.25 + 0.5 * f32::from(course), z);
                let brick = (RigidBody::Dynamic, Collider::cuboid(1.0, 0.5, 0.6), pose);
                top.push(spawn(app, (brick, CollisionEventsEnabled)));
            }
        }
        spawn(app, Joint::rope(top[30], top[31], 1.5));
        let speed = LinearVelocity(Vec3::new(9.0 + 0.25 * Real::from(place), 2.0, 0.3));
        spawn(app, (RigidBody::Dynamic, Collider::sphere(0.6), speed, at(x - 4.0, 1.5, z)));
    }
}

/// Cubes side by side, so many that they are swept in parts, and a ball that strikes them.
fn block(app: &mut App) {
    for i in 0..512_u16 {
        let [x, y, z] = [i % 8, i / 64, i / 8 % 8].map(|k| 1.002 * f32::from(k));
        let cube = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), at(60.0 + x, y + 0.5, z));
        spawn(app, (cube, CollisionEventsEnabled));
    }
    let speed = LinearVelocity(Vec3::new(20.0, 0.0, 0.3));
    let ball = Collider::sphere(0.9);
    spawn(app, (RigidBody::Dynamic, ball, speed, at(57.0, 5.5, 3.2)));
}

/// Messages of the last update, as text.
fn messages<M: Message + std::fmt::Debug>(app: &mut App) -> Vec<String> {
    let mut messages = app.world_mut().resource_mut::<Messages<M>>();
    messages.drain().map(|message| format!("{message:?}")).collect()
}

/// All that the engine tells in each step, and messages of collisions in their order, mixed into one number a
/// step, with a pool of so many threads.
fn play(size: usize) -> String {
    let pool = ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(size).build());
    let mut app = app();
    assert_eq!(pool.thread_num(), size, "the pool is ours");
    walls(&mut app);
    block(&mut app);
    let (mut parts, mut told_of) = ([0; 2], [0; 2]);
    let mut list = Vec::new();
    let begin = Instant::now();
    for step in 0..STEPS {
        // A pool that counts takes the same step, when all pairs were measured and in the middle of it.
        if step == 1 || step == STEPS / 2 {
            let mut world = physics(&app).engine().clone();
            let [pairs, islands] = [0; 2].map(|_| Parts(size + 1, Mutex::new(Vec::new())));
            let settings = default_settings();
            world.begin(&settings, support::DT);
            world.find_pairs(&settings);
            world.find_contacts_on(&settings, &pairs);
            world.build_islands();
            world.assemble(&settings);
            world.solve_on(&settings, &islands);
            let calls = [pairs, islands].map(|pool| pool.1.into_inner().expect("no panic"));
            println!("{} contacts, parts of each call: {calls:?}", world.report().contacts);
            let largest = world.report().solves.iter().map(|island| island.contacts).max();
            assert!(largest > Some(4096), "an island in parts: {largest:?} contacts");
            for (most, calls) in parts.iter_mut().zip(&calls) {
                *most = calls.iter().copied().max().unwrap_or(0).max(*most);
            }
        }
        app.update();
        let (bits, mut told) = support::moving::told(physics(&app).engine());
        let (starts, ends) =
            (messages::<CollisionStart>(&mut app), messages::<CollisionEnd>(&mut app));
        told_of = [told_of[0] + starts.len(), told_of[1] + ends.len()];
        told.extend(starts.into_iter().chain(ends));
        let mix = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        list.push(format!("{:016x}", told.bytes().fold(bits, mix)));
    }
    assert!(told_of.iter().all(|&n| n > 100), "collisions begin and end: {told_of:?}");
    println!("{size} threads: {:.2} s, {told_of:?} begin and end", begin.elapsed().as_secs_f32());
    assert!(parts.iter().all(|&n| n > size), "work for all threads: {parts:?} parts");
    list.join(" ")
}

fn default_settings() -> orthant::engine::settings::Settings {
    orthant::engine::settings::Settings {
        sleep: SleepConfig::default().0,
        ..orthant::engine::settings::Settings::default()
    }
}

#[test]
fn the_size_of_the_pool_does_not_matter() {
    if let Ok(size) = std::env::var(SIZE) {
        println!("{MARK}{}", play(size.parse().expect("a number")));
        return;
    }
    let program = std::env::current_exe().expect("this program");
    let told = [1, 2, 3, 4, 8].map(|size: usize| {
        let mut command = Command::new(&program);
        command.args(["--exact", NAME, "--nocapture", "--test-threads=1"]);
        let output = command.env(SIZE, size.to_string()).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        println!("{}", text.lines().filter(|line| line.contains("threads")).collect::<String>());
        assert!(output.status.success(), "{size} threads: {text}{errors}");
        // The harness writes the name of a test before what it prints.
        let bits = text.lines().find_map(|line| Some(line.split_once(MARK)?.1.to_owned()));
        bits.unwrap_or_else(|| panic!("{size} threads tell nothing: {text}{errors}"))
    });
    assert_eq!(told[0].split(' ').count(), STEPS, "one number a step");
    let distinct: std::collections::HashSet<&str> = told[0].split(' ').collect();
    assert_eq!(distinct.len(), STEPS, "all of it moves");
    assert!(told.iter().all(|bits| *bits == told[0]), "any number of threads: {told:#?}");
}

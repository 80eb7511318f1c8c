//! Colliders of voxels: the cells and nothing else, in few boxes, without a seam that is felt.

use super::*;
use bevy_math::IVec3;
use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyKind};
use orthant_lab::support::floors::{movers, survey};

const SIZE: Vec3 = Vec3::new(0.5, 0.25, 1.0);

fn pieces(collider: &Collider) -> usize {
    collider.shape().expect("sound").pieces().len()
}

/// Cells of a grid that are full with a probability of two thirds.
fn sponge(rng: &mut Rng) -> Vec<IVec3> {
    let all = (0..6 * 5 * 4).map(|i| IVec3::new(i % 6, i / 6 % 5, i / 30) - IVec3::new(2, 3, 1));
    all.filter(|_| rng.below(3) > 0).collect()
}

#[test]
fn boxes_have_the_mass_of_their_cells() {
    let mut rng = Rng::new(1);
    for _ in 0..8 {
        let mut cells = sponge(&mut rng);
        let whole = Collider::voxels(SIZE, &cells).expect("sound");
        let each = cells.iter().map(|cell| {
            let place = (from_single3(cell.as_vec3()) + 0.5) * SIZE;
            (place, Quat::IDENTITY, Collider::cuboid(SIZE.x, SIZE.y, SIZE.z))
        });
        let each = Collider::compound(each.collect());
        let (a, b) = (whole.mass_properties(3.0), each.mass_properties(3.0));
        assert!((a.mass - b.mass).abs() < 1e-5 * b.mass, "{} kg, not {} kg", a.mass, b.mass);
        assert_near(a.center_of_mass, b.center_of_mass, 1e-5);
        let apart = a.inertia.plus(b.inertia.scaled(-1.0));
        let parts = [apart.xx, apart.yy, apart.zz, apart.xy, apart.xz, apart.yz];
        assert!(parts.iter().all(|part| part.abs() < 1e-4 * b.inertia.xx), "{apart:?}");
        assert!(pieces(&whole) < cells.len() * 2 / 3, "{} of {}", pieces(&whole), cells.len());
        // Neither order nor repetition counts.
        cells.reverse();
        cells.extend_from_within(..7);
        assert_eq!(Collider::voxels(SIZE, &cells).expect("sound").shape(), whole.shape());
    }
}

#[test]
fn a_full_block_is_one_box() {
    let cells: Vec<IVec3> = (0..60).map(|i| IVec3::new(i % 3, i / 3 % 4, i / 12)).collect();
    let block = Collider::voxels(SIZE, &cells).expect("sound");
    assert_eq!(pieces(&block), 1);
    let bounds = block.shape().expect("sound").aabb(Vec3::ZERO, Quat::IDENTITY);
    assert_near(bounds.min, Vec3::ZERO, 1e-6);
    assert_near(bounds.max, SIZE * Vec3::new(3.0, 4.0, 5.0), 1e-6);
    // Two points of one cell are one voxel, and cells begin at multiples of the size.
    let points = [Vec3::new(-0.1, 0.3, 1.5), Vec3::new(-0.4, 0.4, 1.1)];
    let cell = Collider::voxels_from_points(SIZE, points).expect("sound");
    let same = Collider::voxels(SIZE, [IVec3::new(-1, 1, 1)]).expect("sound");
    assert_eq!(cell.shape(), same.shape());
}

#[test]
fn what_makes_no_voxels_is_said() {
    let one = [IVec3::ZERO];
    assert!(Collider::voxels(SIZE, []).is_err(), "no cells");
    assert!(Collider::voxels(Vec3::new(1.0, 0.0, 1.0), one).is_err(), "flat");
    assert!(Collider::voxels(SIZE * Real::NAN, one).is_err(), "no size");
    assert!(Collider::voxels(SIZE, [IVec3::MAX]).is_err(), "too far");
    assert!(Collider::voxels(SIZE, [IVec3::MIN, IVec3::MAX]).is_err(), "too far");
    for bad in [Real::NAN, Real::INFINITY, 1e30] {
        assert!(Collider::voxels_from_points(SIZE, [Vec3::X * bad]).is_err(), "{bad}");
    }
    assert!(Collider::voxels_from_points(Vec3::ZERO, [Vec3::X]).is_err(), "no size");
}

#[test]
fn a_constructor_makes_voxels() {
    let mut app = app();
    let cells = vec![IVec3::ZERO, IVec3::Y];
    let constructor = ColliderConstructor::Voxels { voxel_size: Vec3::ONE, cells };
    let tower = spawn(&mut app, (RigidBody::Static, constructor));
    let ball = (RigidBody::Dynamic, Collider::sphere(0.25), at(0.5, 2.3, 0.5));
    let ball = spawn(&mut app, ball);
    run(&mut app, 64);
    assert!((position(&app, ball).y - 2.25).abs() < 1e-3, "on top: {}", position(&app, ball));
    assert_eq!(body(&app, tower).expect("a body").colliders().list().len(), 1);
}

/// Ground two voxels deep whose lower layer has holes, so that the boxes of its surface are of all sizes.
fn ground(n: usize, friction: Real) -> Simulation {
    let (half, mut rng) = (n as i32 / 2, Rng::new(2));
    let mut cells = Vec::new();
    for i in 0..(n * n) as i32 {
        let (x, z) = (i % (2 * half) - half, i / (2 * half) - half);
        cells.push(IVec3::new(x, -1, z));
        if rng.below(2) == 0 {
            cells.push(IVec3::new(x, -2, z));
        }
    }
    let shape = Collider::voxels(Vec3::ONE, cells).expect("sound").shape().expect("sound").clone();
    assert!(shape.pieces().len() > n, "of many boxes");
    let mut world = Simulation::new();
    let kind = BodyKind::Static;
    let desc = BodyDesc { kind, shape: Some(shape), friction, ..BodyDesc::default() };
    world.add_body(desc).expect("a sound body");
    world
}

/// The law: on a plane without friction, or rolling without slipping, the velocity stays as it is.
#[test]
fn seams_between_boxes_are_not_felt() {
    for mover in &movers() {
        let worst = survey(ground, 30, mover, |_, _, _, _| {});
        println!("{}: {worst:?}", mover.name);
        assert!(worst.vertical <= 1e-3, "{}: vertical speed {}", mover.name, worst.vertical);
        assert!(worst.turned <= 1e-3, "{}: turned {}", mover.name, worst.turned);
        assert!(worst.slowed <= 1e-3, "{}: slowed {}", mover.name, worst.slowed);
    }
}

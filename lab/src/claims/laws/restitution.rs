//! Restitution: heights, energy, a row of balls.

use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::settings::RestitutionModel;
use orthant::engine::shape::Shape;
use orthant::math::{Double, Vec3, narrow, widen, widen3};

use super::{G, Lab, at_most, worst};
use crate::claims::Claims;
use crate::random::Rng;

/// Bounces, tumbling boxes, a cradle.
pub fn measure(claims: &mut Claims) {
    let ball = Shape::sphere(0.25).expect("a ball");
    let cube = Shape::cuboid(0.5, 0.5, 0.5).expect("a box");
    for (name, shape) in [("ball", ball), ("cube", cube)] {
        for height in [1.0, 1.37, 2.2] {
            bounces(claims, name, &shape, height);
        }
    }
    tumbles(claims, 0.0);
    tumbles(claims, 0.5);
    // All impulses at once, each contact's as far as it was compressed; or one after the other.
    cradle(claims, RestitutionModel::Poisson, "at once", [-1.2, 0.8, 0.8, 0.8, 0.8]);
    cradle(claims, RestitutionModel::Sequence, "in sequence", [0.0, 0.0, 0.0, 0.0, 2.0]);
}

fn elastic(shape: Shape, friction: Double) -> Vec<Collider> {
    let material = Material { restitution: 1.0, ..Material::new(narrow(friction)) };
    vec![Collider { material, ..Collider::new(shape) }]
}

fn floor(lab: &mut Lab, friction: Double) {
    let ground = Shape::half_space(Vec3::Y).expect("a direction");
    let colliders = elastic(ground, friction);
    lab.add(BodyDesc { kind: BodyKind::Static, colliders, ..BodyDesc::default() });
}

/// Twenty bounces with e = 1: each apex of the one before.
fn bounces(claims: &mut Claims, name: &str, shape: &Shape, height: Double) {
    let mut lab = Lab::new();
    floor(&mut lab, 0.5);
    let position = Vec3::Y * narrow(height + 0.25);
    let colliders = elastic(shape.clone(), 0.5);
    let id = lab.add(BodyDesc { colliders, position, ..BodyDesc::default() });
    let (mut off, mut last, mut count): (Double, Double, usize) = (0.0, height, 0);
    let mut rising = false;
    for _ in 0..lab.steps(60.0) {
        lab.step();
        let body = lab.body(id);
        let speed = widen(body.linear_velocity.y);
        if rising && speed <= 0.0 {
            // From the speed left at the first step after the apex.
            let apex = lab.center(id).y - 0.25 + speed * speed / (2.0 * G);
            off = worst(off, (apex / last - 1.0).abs());
            (last, count) = (apex, count + 1);
            if count == 20 {
                break;
            }
        }
        rising = speed > 0.0;
    }
    let off = if count == 20 { off } else { Double::INFINITY };
    let what = format!("{name} from {height} m, e = 1, 20 bounces: height a bounce");
    at_most(claims, &what, off, 0.01, "");
}

/// Twenty boxes that tumble for up to 200 bounces or seconds each with e = 1: the largest energy.
fn tumbles(claims: &mut Claims, friction: Double) {
    let (mut most, mut above, mut fewest): (Double, usize, usize) = (0.0, 0, usize::MAX);
    for seed in 0..20 {
        let mut rng = Rng::new(100 + seed);
        let mut lab = Lab::new();
        floor(&mut lab, friction);
        let sides = rng.vector(0.3, 0.8);
        let shape = Shape::cuboid(sides.x, sides.y, sides.z).expect("a box");
        let id = lab.add(BodyDesc {
            colliders: elastic(shape, friction),
            position: Vec3::Y * rng.range(1.0, 2.0),
            rotation: rng.rotation(),
            linear_velocity: rng.vector(-1.0, 1.0),
            angular_velocity: rng.vector(-4.0, 4.0),
            ..BodyDesc::default()
        });
        let begin = lab.energy();
        let (mut ratio, mut bounces): (Double, usize) = (0.0, 0);
        let mut limit = lab.steps(200.0);
        while bounces < 200 && limit > 0 {
            let before = widen3(lab.body(id).linear_velocity).y;
            lab.step();
            let after = widen3(lab.body(id).linear_velocity).y;
            bounces += usize::from(after - before > 0.1);
            ratio = worst(ratio, lab.energy() / begin);
            limit -= 1;
        }
        most = worst(most, ratio);
        above += usize::from(ratio > 1.0 + 1e-4);
        fewest = fewest.min(bounces);
    }
    let what = format!("20 boxes tumble, e = 1, μ = {friction}: E / E₀ - 1, up to 200 bounces");
    eprintln!("    {what}: {above} above, at least {fewest} bounces");
    at_most(claims, &what, most - 1.0, 1e-4, "");
}

/// Five balls that touch, hit by the first with 2 m/s, without gravity; their speeds after it [m/s].
fn cradle(claims: &mut Claims, impacts: RestitutionModel, how: &str, after: [Double; 5]) {
    let mut lab = Lab::new().weightless();
    lab.settings.contact.restitution = impacts;
    let mut ids: Vec<BodyId> = Vec::new();
    for k in 0..5_u8 {
        // Balls touch; the first is about to.
        let far = if k == 0 { -0.01 } else { 0.0 };
        let ball = Shape::sphere(0.25).expect("a ball");
        ids.push(lab.add(BodyDesc {
            colliders: elastic(ball, 0.0),
            position: Vec3::X * narrow(0.5 * Double::from(k) + far),
            linear_velocity: if k == 0 { Vec3::X * 2.0 } else { Vec3::ZERO },
            ..BodyDesc::default()
        }));
    }
    let (begin, [momentum, _]) = (lab.kinetic(), lab.momentum());
    let mut most: Double = 0.0;
    for _ in 0..30 {
        lab.step();
        most = worst(most, lab.kinetic() / begin - 1.0);
    }
    let speeds = ids.iter().map(|&id| widen(lab.body(id).linear_velocity.x));
    let off = speeds.zip(after).fold(0.0, |m, (v, w)| worst(m, (v - w).abs()));
    let what = format!("five balls that touch, e = 1, {how}");
    at_most(claims, &format!("{what}: speeds off {after:?}"), off, 1e-3, "m/s");
    at_most(claims, &format!("{what}: energy gained"), most, 1e-4, "");
    let lost = (lab.momentum()[0] - momentum).length() / momentum.length();
    at_most(claims, &format!("{what}: momentum"), lost, 1e-4, "");
}

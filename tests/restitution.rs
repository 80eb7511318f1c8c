//! Restitution: what bounces, how high, and what may never come of it.

mod support;

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::lcp::{Cone, Method};
use orthant::engine::settings::{RestitutionModel, Settings};
use orthant::engine::shape::Shape;
use orthant::math::{DVec3, Double, Real, Vec3, widen, widen3};
use support::{DOUBLE, DT, Rng, body, cuboid, settings, sphere};

const G: Real = 9.81;
const MODELS: [RestitutionModel; 2] = [RestitutionModel::Poisson, RestitutionModel::Newton];

/// Settings with a model, without gravity or with.
fn model(restitution: RestitutionModel, gravity: Real) -> Settings {
    let mut settings = settings();
    settings.gravity = Vec3::new(0.0, -gravity, 0.0);
    settings.contact.restitution = restitution;
    settings
}

fn material(friction: Real, restitution: Real) -> Material {
    Material { restitution, ..Material::new(friction) }
}

fn place(
    world: &mut Simulation,
    kind: BodyKind,
    shape: Shape,
    material: Material,
    position: Vec3,
    linear_velocity: Vec3,
) -> BodyId {
    let colliders = vec![Collider { material, ..Collider::new(shape) }];
    let desc = BodyDesc { kind, colliders, position, linear_velocity, ..BodyDesc::default() };
    world.add_body(desc).expect("a sound body")
}

fn ground(world: &mut Simulation, material: Material) {
    let shape = Shape::half_space(Vec3::Y).expect("a direction");
    place(world, BodyKind::Static, shape, material, Vec3::ZERO, Vec3::ZERO);
}

fn energy(world: &Simulation) -> Double {
    let moving = world.bodies().iter().filter(|b| b.is_dynamic());
    moving.map(|b| widen(b.kinetic_energy())).sum()
}

fn momentum(world: &Simulation) -> DVec3 {
    let moving = world.bodies().iter().filter(|b| b.is_dynamic());
    moving.map(|b| widen3(b.linear_velocity) * widen(b.mass())).sum()
}

/// Height over the ground that a ball of radius 0.25 reaches after its first bounce from a fall of 1 m.
fn rebound(model_of: RestitutionModel, e: Real, dt: Real, method: Method) -> Real {
    let mut settings = model(model_of, G);
    settings.solver.method = method;
    let mut world = Simulation::new();
    ground(&mut world, material(0.5, e));
    let at = Vec3::new(0.0, 1.25, 0.0);
    let ball = place(&mut world, BodyKind::Dynamic, sphere(0.25), material(0.5, e), at, Vec3::ZERO);
    let (mut top, mut up): (Real, bool) = (0.0, false);
    let mut time = 0.0;
    while time < 2.0 {
        world.step(&settings, dt);
        time += dt;
        let ball = body(&world, ball);
        let speed = ball.linear_velocity.y;
        if up && speed < 0.0 {
            return top;
        }
        up |= speed > 0.0;
        if up {
            top = top.max(ball.center().y - 0.25);
        }
    }
    top
}

#[test]
fn probe() {
    for m in MODELS {
        for e in [1.0, 0.9, 0.5] {
            for dt in [DT, DT / 4.0, DT / 16.0] {
                eprintln!(
                    "{m:?} {e} {dt:.5}: {:.4} / {:.4}",
                    rebound(m, e, dt, Method::Auto),
                    e * e
                );
            }
        }
        for method in [Method::Newton, Method::Pgs, Method::Substeps, Method::Lemke] {
            eprintln!("{method:?} {:.4}", rebound(m, 0.9, DT, method));
        }
    }
}

/// Speed of the fastest body.
fn fastest(world: &Simulation) -> Real {
    world.bodies().iter().map(|b| b.linear_velocity.length()).fold(0.0, Real::max)
}

/// Fifteen balls in a triangle and one that comes with 10 m/s.
fn rack(material: Material) -> Simulation {
    let mut world = Simulation::new();
    let mut rng = Rng(15);
    let radius = 0.028_575;
    let pitch = 2.0 * radius + 4e-4;
    let mut ball = |at: Vec3, v: Vec3| {
        place(&mut world, BodyKind::Dynamic, sphere(radius), material, at, v);
    };
    ball(Vec3::new(-0.5, 0.0, 0.003), Vec3::X * 10.0);
    for row in 0..5_u16 {
        for k in 0..=row {
            let x = Real::from(row) * pitch * 0.866_025_4 + rng.range(-1e-4, 1e-4);
            let z = (Real::from(k) - 0.5 * Real::from(row)) * pitch + rng.range(-1e-4, 1e-4);
            ball(Vec3::new(x, 0.0, z), Vec3::ZERO);
        }
    }
    world
}

#[test]
fn probe_break() {
    for method in [Method::Auto, Method::Pgs, Method::Substeps] {
        for m in MODELS {
            for e in [1.0, 0.9, 0.0] {
                for mu in [0.0, 0.3] {
                    let mut settings = model(m, 0.0);
                    settings.solver.method = method;
                    let mut world = rack(material(mu, e));
                    let (e0, p0) = (energy(&world), momentum(&world));
                    let (mut last, mut worst, mut dp): (Double, Double, Double) = (e0, 0.0, 0.0);
                    let mut iterations = 0;
                    let mut fac = 0;
                    let mut unsolved = 0;
                    for _ in 0..120 {
                        let r = world.step(&settings, DT);
                        iterations += r.iterations;
                        fac += r.factorizations;
                        unsolved += r.islands_unsolved;
                        let now = energy(&world);
                        worst = worst.max((now - last) / e0);
                        last = now;
                        dp = dp.max((momentum(&world) - p0).length() / p0.length());
                    }
                    eprintln!(
                        "{method:?} {m:?} e {e} mu {mu}: end energy {:.4} rise {worst:.1e} dp {dp:.1e} it {iterations} fac {fac} unsolved {unsolved}",
                        last / e0
                    );
                }
            }
        }
    }
}

#[test]
fn probe_tumble() {
    for m in MODELS {
        for (e, mu) in [(1.0, 0.5), (1.0, 0.0), (0.8, 0.5)] {
            let (mut rise, mut left, mut uns, mut it): (Double, Double, u32, u32) =
                (0.0, 0.0, 0, 0);
            for seed in 0..40 {
                let mut rng = Rng(seed);
                let mut world = Simulation::new();
                ground(&mut world, material(mu, e));
                let shape = cuboid(rng.range(0.4, 1.2), rng.range(0.4, 1.2), rng.range(0.4, 1.2));
                let at = Vec3::new(0.0, 2.0, 0.0);
                let id = place(
                    &mut world,
                    BodyKind::Dynamic,
                    shape,
                    material(mu, e),
                    at,
                    rng.vector(-3.0, 3.0),
                );
                let (turn, spin) = (rng.rotation(), rng.vector(-8.0, 8.0));
                let b = world.body_mut(id).unwrap();
                b.set_pose(at, turn);
                b.angular_velocity = spin;
                let settings = model(m, G);
                let total = |w: &Simulation| {
                    let b = body(w, id);
                    widen(b.kinetic_energy()) + widen(b.mass()) * widen(G) * widen(b.center().y)
                        - 0.5 * widen(G * DT * b.mass()) * widen(b.linear_velocity.y)
                };
                let e0 = total(&world);
                let mut last = e0;
                for _ in 0..300 {
                    let r = world.step(&settings, DT);
                    uns += r.islands_unsolved;
                    it += r.iterations;
                    let (r_overlap, r_contacts) = (r.overlap, r.contacts);
                    let now = total(&world);
                    if (now - last) / e0 > 1e-4 && m == RestitutionModel::Poisson {
                        let b = body(&world, id);
                        eprintln!(
                            "UP seed {seed} {:.2e} kin {:.4e} pot {:.4e} overlap {:.2e} contacts {} v {:.3}",
                            (now - last) / e0,
                            widen(b.kinetic_energy()),
                            widen(b.mass()) * widen(G) * widen(b.center().y),
                            r_overlap,
                            r_contacts,
                            b.linear_velocity
                        );
                    }
                    rise = rise.max((now - last) / e0);
                    last = now;
                }
                left += last / e0 / 40.0;
            }
            eprintln!("{m:?} e {e} mu {mu}: rise {rise:.1e} left {left:.3} uns {uns} it {it}");
        }
    }
}

#[test]
fn probe_cradle() {
    for m in MODELS {
        for gap in [0.0, 0.001, 0.005] {
            for e in [1.0, 0.5] {
                let mut world = Simulation::new();
                let mut ids = vec![];
                for i in 0..5_u8 {
                    let x = Real::from(i) * (0.5 + gap) - if i == 0 { 0.02 } else { 0.0 };
                    let v = if i == 0 { Vec3::X } else { Vec3::ZERO };
                    ids.push(place(
                        &mut world,
                        BodyKind::Dynamic,
                        sphere(0.25),
                        material(0.0, e),
                        Vec3::X * x,
                        v,
                    ));
                }
                for k in 0..30 {
                    let r = world.step(&model(m, 0.0), DT).clone();
                    if k < 4 {
                        eprintln!(
                            "gap {k} {r} {:?}",
                            ids.iter()
                                .map(|&i| body(&world, i).linear_velocity.x)
                                .collect::<Vec<_>>()
                        );
                    }
                }
                let v: Vec<_> = ids.iter().map(|&i| body(&world, i).linear_velocity.x).collect();
                eprintln!("{m:?} gap {gap} e {e} {v:.4?}");
            }
        }
    }
}

#[test]
fn probe_slide() {
    for m in MODELS {
        for method in [Method::Auto, Method::Pgs, Method::Substeps] {
            let mut world = Simulation::new();
            ground(&mut world, material(0.2, 0.8));
            let id = place(
                &mut world,
                BodyKind::Dynamic,
                sphere(0.25),
                material(0.2, 0.8),
                Vec3::Y * 0.3,
                Vec3::new(5.0, -2.0, 0.0),
            );
            let mut s = model(m, 0.0);
            s.solver.method = method;
            for _ in 0..5 {
                world.step(&s, DT);
            }
            let b = body(&world, id);
            eprintln!(
                "{m:?} {method:?} v {:?} w {:?} want {} {}",
                b.linear_velocity,
                b.angular_velocity,
                5.0 - 0.2 * 1.8 * 2.0,
                2.5 / 0.25 * 0.2 * 1.8 * 2.0
            );
        }
    }
}
#[test]
fn probe_trace() {
    for m in MODELS {
        let (e, mu) = (0.8, 0.5);
        let mut rng = Rng(3);
        let mut world = Simulation::new();
        ground(&mut world, material(mu, e));
        let shape = cuboid(rng.range(0.4, 1.2), rng.range(0.4, 1.2), rng.range(0.4, 1.2));
        let at = Vec3::new(0.0, 2.0, 0.0);
        let id =
            place(&mut world, BodyKind::Dynamic, shape, material(mu, e), at, rng.vector(-3.0, 3.0));
        let (turn, spin) = (rng.rotation(), rng.vector(-8.0, 8.0));
        let b = world.body_mut(id).unwrap();
        b.set_pose(at, turn);
        b.angular_velocity = spin;
        let settings = model(m, G);
        for k in 0..300 {
            let r = world.step(&settings, DT).clone();
            let b = body(&world, id);
            if r.contacts > 0 || k % 20 == 0 {
                eprintln!(
                    "trace {m:?} {k} y {:.3} v {:.3} w {:.3} kin {:.4} | {r}",
                    b.center().y,
                    b.linear_velocity,
                    b.angular_velocity,
                    b.kinetic_energy()
                );
            }
        }
    }
}

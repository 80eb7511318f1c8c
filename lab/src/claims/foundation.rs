//! The foundation: cases, solvers, the theorem, the metric, determinism, memory.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use orthant::engine::body::Body;
use orthant::engine::ratio::{Centers, Measured, PortalCache, Relative, measure as measure_ratio};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Convex;
use orthant::engine::shape::hull::Hull;
use orthant::math::{Double, Real, Vec3, quat_exp, quat_to_mat3, widen};

use crate::cases::{self, Totals};
use crate::claims::Claims;
use crate::counting::allocations;
use crate::measure::{Preset, fitted_slope, measure as measure_run};
use crate::random::Rng;
use crate::scenes;
use crate::scenes::thesis::{Experiment, ORDER_DTS, all};
use crate::support::{DT, fingerprint, heap, stack};

/// Measures every claim of this topic that this build can.
pub fn measure(claims: &mut Claims) {
    reference_cases(claims);
    determinism(claims);
    memory(claims);
    if cases::is_double() {
        for experiment in all() {
            theorem(claims, &experiment);
            defaults(claims, &experiment);
        }
    } else {
        metric_speed(claims);
        #[cfg(feature = "bevy")]
        plugin_equals_engine(claims);
    }
}

/// All files of reference cases, those of the solvers among them.
fn reference_cases(claims: &mut Claims) {
    let folder = Path::new(crate::ROOT).join("tests/cases");
    let files = cases::files(&folder).unwrap_or_default();
    let mut totals = Totals::default();
    for group in files.iter().flat_map(|path| cases::run_file(path)) {
        let failed = group.checks.iter().filter(|check| !check.passed()).count();
        totals.failed += failed;
        totals.passed += group.checks.len() - failed;
        if group.name.starts_with("lcps") && !group.checks.is_empty() {
            let worst = group.checks.iter().map(|check| check.error).fold(0.0, Double::max);
            let bar = group.checks.first().map_or(0.0, |check| check.tolerance);
            let figure = format!("{worst:.1e}");
            claims.add(&group.name, &figure, &format!("≤ {bar:.0e}"), failed == 0);
        }
    }
    let figure = format!("{} passed, {} failed", totals.passed, totals.failed);
    let holds = totals.failed == 0 && totals.passed > 0;
    claims.add("reference cases", &figure, "0 failed", holds);
}

/// Theorem 6.12 on one of the thesis' experiments, with the papers' settings and γ = 1.
fn theorem(claims: &mut Claims, experiment: &Experiment) {
    let name = &experiment.scene.name;
    let dts: Vec<Double> = experiment.dts.iter().copied().filter(|&dt| dt <= 0.0201).collect();
    let rows: Vec<_> = dts
        .iter()
        .filter_map(|&dt| measure_run(experiment, Preset::Papers, dt, 1.0, || {}).ok())
        .collect();
    let slope = fitted_slope(rows.iter().map(|row| (row.dt, row.run.average()))).unwrap_or(0.0);
    let what = format!("{name}: slope of the average infeasibility");
    claims.add(&what, &format!("{slope:.2}"), "≥ 1.9", slope >= 1.9);

    let mut constants: Vec<_> = rows.iter().map(|row| row.constant()).collect();
    constants.sort_by(Double::total_cmp);
    let n = constants.len();
    let median = 0.5 * (constants[(n - 1) / 2] + constants[n / 2]);
    for row in &rows {
        let times = row.constant() / median;
        if times > 3.0 {
            explain(claims, experiment, row.dt, times, median);
        } else {
            let what = format!("{name}: C(h) at h = {} over its median", row.dt);
            claims.add(&what, &format!("{times:.2}"), "≤ 3", true);
        }
    }
    let energy = rows.iter().map(|row| row.run.kinetic_energy_end).fold(0.0, Double::max);
    let what = format!("{name}: kinetic energy at the end");
    claims.add(&what, &format!("{energy:.1e} J"), "≤ 1e-6 J", energy <= 1e-6);
    let frozen: usize = rows.iter().map(|row| row.run.quarantined).sum();
    let residual = rows.iter().map(|row| row.run.residual_max).fold(0.0, Double::max);
    let figure = format!("{residual:.0e} m/s, {frozen} frozen");
    let holds = residual <= 1e-6 && frozen == 0;
    claims.add(&format!("{name}: worst residual, bodies frozen"), &figure, "≤ 1e-6 m/s, 0", holds);
}

/// What Theorem 6.12 bounds, of the default settings: `C(h)` does not grow as h falls.
fn defaults(claims: &mut Claims, experiment: &Experiment) {
    let run = |dt| measure_run(experiment, Preset::Default, dt, 1.0, || {}).ok();
    let rows = ORDER_DTS.into_iter().filter_map(run);
    let mut constants: Vec<_> = rows.map(|row| row.constant()).collect();
    constants.sort_by(Double::total_cmp);
    let n = constants.len();
    let times =
        if n < ORDER_DTS.len() { Double::INFINITY } else { constants[n - 1] / constants[n / 2] };
    let what = format!("{}, defaults: largest C(h) over its median", experiment.scene.name);
    claims.add(&what, &format!("{times:.2}"), "≤ 3", times <= 3.0);
}

/// Explains a value of C(h) far above the median. Each is the largest of a few impacts, so it depends on
/// where within a step they fall. Two things make an impact large, and neither breaks the theorem:
///
/// - The window: an event has a row only if its ratio is within ε_t of the pair's. A corner that lands
///   from farther away within one step had none; with a wide window the outlier is gone.
/// - The curvature of Φ̂: a row keeps the linearization of `Φ̂ = sep/D` above zero, so Φ̂ itself may fall to
///   `-(h u/D)²`, u the speed of the fastest point and D the distance of the centers along the normal.
///   For flat bodies that bound, in units of `h² |v|²`, is far above the median.
fn explain(
    claims: &mut Claims,
    experiment: &Experiment,
    dt: Double,
    times: Double,
    median: Double,
) {
    let mut wide = experiment.clone();
    wide.scene.params = scenes::Params { eps_t: WIDE, ..wide.scene.params };
    let again = measure_run(&wide, Preset::Papers, dt, 1.0, || {});
    let times_wide = again.map_or(Double::INFINITY, |row| row.constant() / median);
    let name = &experiment.scene.name;
    if times_wide <= 3.0 {
        let what = format!("{name}: outlier of C(h) at h = {dt}: window");
        let figure = format!("{times:.1}, at ε_t = {WIDE} {times_wide:.2}");
        claims.add(&what, &figure, "≤ 3", true);
    } else {
        let bound = curvature_bound(experiment);
        let what = format!("{name}: outlier of C(h) at h = {dt}: curvature");
        let figure = format!("{times:.1}, C = {:.1}", times * median);
        claims.add(&what, &figure, &format!("C ≤ {bound:.0}"), times * median <= bound);
    }
}

/// A window that few corners of these scenes cross within a step.
const WIDE: Double = 0.6;

/// Bound on `(u/D)² / |v|²` [1/m²] over the bodies of a scene, with `|v|` as in the theorem and D at
/// least the inradius.
fn curvature_bound(experiment: &Experiment) -> Double {
    let Ok(world) = scenes::World::new(&experiment.scene) else { return 0.0 };
    let heaviest = world.mass_max();
    let bound = |body: &Body| {
        let mass = widen(body.mass());
        let i = body.inertia();
        let inertia = if experiment.scene.planar { i.zz } else { i.xx.min(i.yy).min(i.zz) };
        let hull = body.colliders().pieces().first().and_then(|piece| match &piece.piece.convex {
            Convex::Hull(hull) => Some(hull),
            Convex::HalfSpace(_) | Convex::Mesh(_) => None,
        });
        hull.map_or(0.0, |hull| {
            let (r, d) = (widen(hull.bounding_radius()), widen(hull.inradius()));
            heaviest * (1.0 / mass + r * r / widen(inertia)) / (d * d)
        })
    };
    world.bodies().filter(|body| body.is_dynamic()).map(bound).fold(0.0, Double::max)
}

/// Indices of two hulls, their pose, and the pose after a small move.
type NearPair = ([usize; 2], [Relative; 2]);

/// Random hulls of `points` vertices, and pairs of them in poses in which they nearly touch: indices,
/// pose, and the pose after a small move. The hulls fit into the cache together, as the shapes of a
/// game do.
fn pairs(points: usize, count: usize) -> (Vec<Hull>, Vec<NearPair>) {
    const HULLS: usize = 24;
    let mut rng = Rng::new(points as u64);
    let mut hulls = Vec::new();
    while hulls.len() < HULLS {
        let mut point = || rng.vector(-1.0, 1.0).normalize_or(Vec3::X) * rng.range(0.3, 0.36);
        let cloud: Vec<Vec3> = (0..points).map(|_| point()).collect();
        hulls.extend(Hull::convex_hull(&cloud).ok());
    }
    let mut pairs = Vec::new();
    while pairs.len() < count {
        let chosen = [rng.below(HULLS), rng.below(HULLS)];
        let [a, b] = chosen.map(|i| &hulls[i]);
        let rotation = quat_to_mat3(rng.rotation());
        let offset = rng.vector(-1.0, 1.0).normalize_or(Vec3::X);
        let far = Relative { rotation, offset };
        let mut cache = PortalCache::default();
        let margin = Real::INFINITY;
        let measured = measure_ratio(a, b, &far, &Centers::default(), margin, &mut cache);
        if let Measured::Near(ratio) = measured {
            let offset = offset * ((1.0 + rng.range(-0.03, 0.03)) / ratio.ratio);
            let turn = quat_to_mat3(quat_exp(rng.vector(-1e-3, 1e-3)));
            let still = Relative { rotation, offset };
            let moved =
                Relative { rotation: turn * rotation, offset: offset + rng.vector(-3e-4, 3e-4) };
            pairs.push((chosen, [still, moved]));
        }
    }
    (hulls, pairs)
}

/// Nanoseconds of a metric query, cold and after a small move, the best of several passes.
fn metric_speed(claims: &mut Claims) {
    for points in [8, 12, 20] {
        let (hulls, pairs) = pairs(points, 1000);
        let centers = Centers::default();
        let (mut cold, mut warm) = (Double::INFINITY, Double::INFINITY);
        for _ in 0..60 {
            let mut caches = vec![PortalCache::default(); pairs.len()];
            let pass = |caches: &mut [PortalCache], moved: usize| {
                let start = Instant::now();
                for (([a, b], poses), cache) in pairs.iter().zip(caches) {
                    let (a, b, margin) = (&hulls[*a], &hulls[*b], Real::INFINITY);
                    black_box(measure_ratio(a, b, &poses[moved], &centers, margin, cache));
                }
                start.elapsed().as_secs_f64() * 1e9 / pairs.len() as Double
            };
            cold = cold.min(pass(&mut caches, 0));
            warm = warm.min(pass(&mut caches, 1));
        }
        let what = format!("metric of two hulls of {points} points");
        let figure = format!("{cold:.0} ns");
        claims.add_time(&format!("{what}, cold"), &figure, "≤ 700 ns", cold <= 700.0);
        claims.add_time(
            &format!("{what}, moved a little"),
            &format!("{warm:.0} ns"),
            "≤ 60 ns",
            warm <= 60.0,
        );
    }
}

fn determinism(claims: &mut Claims) {
    let print = || {
        let (mut world, _) = heap(20);
        for _ in 0..120 {
            world.step(&Settings::default(), DT);
        }
        fingerprint(&world)
    };
    let (first, second) = (print(), print());
    let figure = format!("{first:016x}");
    claims.add("two runs of a heap, 120 steps", &figure, "same bits", first == second);
}

fn memory(claims: &mut Claims) {
    for (name, mut world) in [("stack of 8", stack(8).0), ("heap of 12", heap(12).0)] {
        let settings = Settings::default();
        for _ in 0..400 {
            world.step(&settings, DT);
        }
        let made = allocations(60, || {
            world.step(&settings, DT);
        });
        let what = format!("allocations in 60 steady steps, {name}");
        claims.add(&what, &made.to_string(), "0", made == 0);
    }
}

/// A stack in an app and the same in the engine.
#[cfg(feature = "bevy")]
fn plugin_equals_engine(claims: &mut Claims) {
    use bevy_app::App;
    use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
    use bevy_transform::components::Transform;
    use orthant::engine::Simulation;
    use orthant::engine::body::{BodyDesc, BodyKind};
    use orthant::engine::shape::Shape;
    use orthant::math::{narrow, single3};
    use orthant::prelude::*;

    let (floor, cube) = (Vec3::new(20.0, 1.0, 20.0), Vec3::ONE);
    let places = (0..6_u8).map(|i| Vec3::new(0.1 * Real::from(i), 0.6 + 1.1 * Real::from(i), 0.0));
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.world_mut().spawn((
        RigidBody::Static,
        Collider::cuboid(floor.x, floor.y, floor.z),
        Transform::from_xyz(0.0, -0.5, 0.0),
    ));
    let mut world = Simulation::new();
    let mut add = |kind, size: Vec3, position| {
        let shape = Shape::cuboid(size.x, size.y, size.z).ok();
        world.add_body(BodyDesc { kind, shape, position, ..BodyDesc::default() }).is_ok()
    };
    let mut fine = add(BodyKind::Static, floor, Vec3::new(0.0, -0.5, 0.0));
    for at in places {
        let transform = Transform::from_translation(single3(at));
        app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), transform));
        fine &= add(BodyKind::Dynamic, cube, at);
    }
    let dt = narrow(app.world().resource::<Time<Fixed>>().timestep().as_secs_f64());
    // The first update only starts the clock.
    app.update();
    let before = app.world().resource::<PhysicsWorld>().engine().report().step;
    for _ in 0..120 {
        app.update();
    }
    let inside = app.world().resource::<PhysicsWorld>().engine();
    for _ in 0..inside.report().step {
        world.step(&Settings::default(), dt);
    }
    fine &= inside.report().step >= before + 120;
    let (a, b) = (fingerprint(inside), fingerprint(&world));
    claims.add(
        "the plugin and the engine, 120 steps",
        &format!("{a:016x}"),
        "same bits",
        fine && a == b,
    );
}

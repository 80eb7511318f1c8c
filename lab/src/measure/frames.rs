//! Frames of an experiment: the scene at the moments of the thesis' figures.

use orthant::engine::settings::Settings;
use orthant::math::{DVec3, Double, widen_mat3, widen3};

use crate::draw::solid::{PALETTE, Placed, Rgb, Solid};
use crate::draw::{Camera, Strip, Tiles};
use crate::scenes::thesis::Experiment;
use crate::scenes::{Run, World};

/// Runs the experiment with its own h and the given settings, and draws it at its moments.
pub fn strip(
    experiment: &Experiment,
    settings: &Settings,
    tick: impl Fn(),
) -> Result<Strip, String> {
    let scene = &experiment.scene;
    let solids: Vec<_> = scene
        .bodies
        .iter()
        .enumerate()
        .map(|(i, body)| {
            let color = PALETTE[i % PALETTE.len()];
            let solid = if scene.planar { Solid::plate } else { Solid::hull };
            solid(&body.vertices, color)
        })
        .collect();
    let mut world = World::new(scene)?;
    let dt = scene.params.dt;
    let snapshot = |world: &World| -> Vec<Placed> {
        solids
            .iter()
            .zip(world.bodies())
            .map(|(solid, body)| {
                solid.placed(widen3(body.position()), widen_mat3(body.rotation_matrix()))
            })
            .collect()
    };
    let mut frames = Vec::new();
    let mut take = |world: &World, step: usize| {
        let time = step as Double * dt;
        if experiment.frames.iter().any(|f| (f - time).abs() < 0.5 * dt) {
            frames.push((format!("t = {} s", (time * 100.0).round() / 100.0), snapshot(world)));
        }
    };
    take(&world, 0);
    Run::new(&mut world, settings, dt, scene.params.steps(), |world, step| {
        tick();
        take(world, step);
    });
    let columns = if scene.planar || experiment.frames.len() == 4 { 2 } else { 3 };
    let mut strip = Strip::new(camera(experiment), light(experiment), columns);
    tiles(experiment, &frames).into_iter().for_each(|t| strip.add_tiles(t));
    for (caption, bodies) in frames {
        strip.add_frame(caption, bodies);
    }
    Ok(strip)
}

fn has_walls(experiment: &Experiment) -> bool {
    experiment.scene.half_spaces.len() > 1
}

fn camera(experiment: &Experiment) -> Camera {
    if experiment.scene.planar {
        Camera::front()
    } else if has_walls(experiment) {
        Camera::new(DVec3::new(0.35, 1.6, 1.1), DVec3::Z)
    } else {
        Camera::new(DVec3::new(0.9, -1.6, 0.9), DVec3::Z)
    }
}

fn light(experiment: &Experiment) -> DVec3 {
    if experiment.scene.planar {
        DVec3::new(0.0, 0.3, 1.0)
    } else if has_walls(experiment) {
        DVec3::new(0.9, 0.5, 2.0)
    } else {
        DVec3::new(-0.5, -0.8, 2.0)
    }
}

/// Ground and walls under everything that moves.
fn tiles(experiment: &Experiment, frames: &[(String, Vec<Placed>)]) -> Vec<Tiles> {
    let points = || {
        let faces = frames.iter().flat_map(|f| &f.1).flat_map(|body| &body.faces);
        faces.flat_map(|face| face.points.iter().copied())
    };
    let low = points().fold(DVec3::INFINITY, DVec3::min).floor();
    let high = points().fold(DVec3::NEG_INFINITY, DVec3::max).ceil();
    let colors = [Rgb::hex(0xe4e8ee), Rgb::hex(0xd8dde5)];
    let count = |length: Double| length.clamp(1.0, 60.0) as u32;
    let size = high - low;
    if experiment.scene.planar {
        let corner = DVec3::new(low.x, -0.25, -1.0);
        let sides = [(DVec3::X * size.x, count(size.x)), (DVec3::Y * 0.25, 1)];
        return vec![Tiles { corner, sides, colors, shadows: false }];
    }
    if !has_walls(experiment) {
        let corner = DVec3::new(low.x, low.y, 0.0);
        let sides = [(DVec3::X * size.x, count(size.x)), (DVec3::Y * size.y, count(size.y))];
        return vec![Tiles { corner, sides, colors, shadows: true }];
    }
    let (x, y) = ((DVec3::X * high.x, count(high.x)), (DVec3::Y * high.y, count(high.y)));
    let z = (DVec3::Z * 2.0, 2);
    let wall = [Rgb::hex(0xeef0e8), Rgb::hex(0xe6e9df)];
    let side = [Rgb::hex(0xe2e6ea), Rgb::hex(0xdbe0e4)];
    let corner = DVec3::ZERO;
    vec![
        Tiles { corner, sides: [y, z], colors: wall, shadows: false },
        Tiles { corner, sides: [z, x], colors: side, shadows: false },
        Tiles { corner, sides: [x, y], colors, shadows: true },
    ]
}

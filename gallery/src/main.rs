//! Orthant in a window:
//!
//! ```sh
//! cargo run --release --ignore-rust-version -- dominoes
//! cargo run --release --ignore-rust-version -- drum --screenshot drum.png --frames 240
//! ```
//!
//! Without the name of a scene, all are listed. With `--screenshot` nothing is opened: after so many frames of
//! 1/60 s the picture is written, and that is all. It works without a screen, with a software renderer.
//!
//! Umbrella Bevy 0.20 declares Rust 1.97 and builds with the 1.95 that Orthant asks for, hence the flag.

mod frame;
mod kit;
mod scenes;

use std::path::PathBuf;

use bevy::prelude::AppExit;

/// What to show, and how.
pub struct Arguments {
    scene: scenes::Scene,
    screenshot: Option<PathBuf>,
    frames: u32,
}

fn arguments() -> Option<Arguments> {
    let mut given = std::env::args().skip(1);
    let name = given.next()?;
    let scene = *scenes::ALL.iter().find(|scene| scene.name == name)?;
    let mut arguments = Arguments { scene, screenshot: None, frames: 240 };
    while let Some(flag) = given.next() {
        match flag.as_str() {
            "--screenshot" => arguments.screenshot = Some(given.next()?.into()),
            "--frames" => arguments.frames = given.next()?.parse().ok()?,
            _ => return None,
        }
    }
    Some(arguments)
}

fn main() -> AppExit {
    let Some(arguments) = arguments() else {
        eprintln!("orthant_gallery SCENE [--screenshot FILE] [--frames N]\n");
        for scene in scenes::ALL {
            eprintln!("{:14} {}", scene.name, scene.help);
        }
        return AppExit::error();
    };
    frame::app(arguments).run()
}

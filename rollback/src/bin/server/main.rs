//! One server steps a yard of crates from what two clients do, over a network that delays and loses packets.
//! It tells what moved, and gives a snapshot, in pieces, to those who come or are out of step. A client steps
//! on at once with its own input and the other's last one. Where it went wrong it goes back, puts what it was
//! told where it was told, and steps anew: near, but not with the server's bits. Those it has again after
//! each snapshot: with it comes what was played since, and after these steps bits are compared.
//!
//! Time is counted in frames. `cargo run --release --bin server -- [seconds] [percent lost] [frames of delay]`.

mod client;
mod host;

use std::process::ExitCode;
use std::time::Instant;

use client::Client;
use host::Server;
use orthant_rollback::game::{INVITATION, Input, Pose, farthest};
use orthant_rollback::{RATE, argument, link};
use serde::{Deserialize, Serialize};

/// A client may show a crate so far from where the server has it in that frame, for each second that what it
/// knows is old (m/s): as far as one flies.
const SPEED: f32 = 10.0;
/// How many frames a client may have other bits than the server: until the second snapshot at the latest.
const OUT: u32 = 2 * INVITATION + host::FRESH;

/// What the server tells.
#[derive(Serialize, Deserialize)]
enum News {
    Moved(Moved),
    Piece(Piece),
}

/// Some of what moved within the last second, before a frame.
#[derive(Serialize, Deserialize)]
struct Moved {
    frame: u32,
    /// What players did last.
    inputs: [Input; 2],
    /// The bits of everything.
    print: u64,
    poses: Vec<Pose>,
}

/// A piece of a snapshot, and how to come from there to now.
#[derive(Serialize, Deserialize)]
struct Piece {
    /// The frame before which the snapshot was taken.
    from: u32,
    place: usize,
    pieces: usize,
    bytes: Vec<u8>,
    /// What players did in each frame since.
    played: Vec<[Input; 2]>,
    /// The bits after that.
    print: u64,
}

/// What a client does, and asks for.
#[derive(Serialize, Deserialize)]
struct Wish {
    /// Its last inputs, from this frame on.
    first: u32,
    inputs: Vec<Input>,
    /// It asks for a snapshot, and has these pieces of the one before this frame.
    asks: Option<(u32, Vec<bool>)>,
}

fn main() -> ExitCode {
    let frames = RATE * argument(1, 60);
    let (loss, delay) = (argument(2, 10), argument(3, 6));
    let mut ends = [0, 1].map(|seed| link::pair(loss, delay, seed).expect("two sockets").map(Some));
    let mut end =
        |client: usize, side: usize| ends[client][side].take().expect("each is taken once");
    let mut server = Server::new([end(0, 0), end(1, 0)]);
    let mut clients = [0, 1].map(|player| Client::new(player, end(player, 1), delay));
    // The second one comes later.
    let comes = [0, frames / 3];
    let start = Instant::now();
    for tick in 0..frames {
        server.tick(tick);
        let here = clients.iter_mut().zip(comes).filter(|(_, comes)| *comes <= tick);
        here.for_each(|(client, _)| client.tick(tick));
    }
    let passed = start.elapsed().as_secs_f64();
    println!("{frames} frames, {loss} % lost, up to {delay} frames of delay, {passed:.1} s");
    println!(
        "| client | let in after (frames) | snapshots | steps from them to the same bits | longest with \
         others (frames) | foreseen to the bit | put right | steps made anew | inputs late | crates apart at \
         most, in 99 % of frames, median (m) | kB/s | longest tick (ms) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut is_sound = true;
    for (client, comes) in clients.iter().zip(comes) {
        tell(client, frames, comes, &server);
        for sentence in judge(client, frames, client.lead + delay, &server) {
            println!("client {} {sentence}", client.player);
            is_sound = false;
        }
    }
    let pushed = farthest(&server.crates[0], &server.crates[frames as usize]);
    println!("crates were pushed about, up to {pushed:.1} m far");
    if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A line of the table.
fn tell(client: &Client, frames: u32, comes: u32, server: &Server) {
    let (account, apart) = (&client.account, client.apart_from(&server.crates));
    let steps = &account.steps_after;
    let share = |share: usize| apart.get(apart.len() * share / 100).copied().unwrap_or(f32::NAN);
    println!(
        "| {} | {} | {} | {} to {} | {} | {:.0} % | {} | {} | {} | {:.2}, {:.3}, {:.4} | {:.0} | {:.1} |",
        client.player,
        client.shown.keys().next().map_or(frames, |first| *first) - comes,
        steps.len(),
        steps.iter().min().unwrap_or(&0),
        steps.iter().max().unwrap_or(&0),
        client.longest_out(frames),
        100.0 * f64::from(account.foreseen) / f64::from(account.heard.max(1)),
        account.corrected,
        account.anew,
        server.late[client.player],
        apart.last().unwrap_or(&f32::NAN),
        share(99),
        share(50),
        server.sent(client.player) as f64 * f64::from(RATE) / f64::from(frames - comes) / 1e3,
        1e3 * account.longest
    );
}

/// What falls short, where news are at most so many frames old.
fn judge(client: &Client, frames: u32, old: u32, server: &Server) -> Vec<String> {
    let mut found = Vec::new();
    if client.account.steps_after.is_empty() {
        found.push("was not let in".into());
    }
    if let Some(frame) = client.account.apart {
        found.push(format!("has other bits than the server at frame {frame}, after a snapshot"));
    }
    let out = client.longest_out(frames);
    if out > OUT {
        found.push(format!(
            "had other bits than the server for {out} frames, at most {OUT} is asked"
        ));
    }
    let most = SPEED * old as f32 / RATE as f32;
    let apart = client.apart_from(&server.crates).last().copied().unwrap_or(0.0);
    if apart > most {
        found.push(format!(
            "showed a crate {apart:.2} m from where it was, at most {most:.2} is asked"
        ));
    }
    found
}

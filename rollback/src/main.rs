//! Two peers push crates about over a network that delays and loses packets, and stay in step: each steps at
//! once with its own input and a guess of the other's, and where the guess was wrong it goes back and steps
//! anew. Every frame that both know is compared; in the end a late guest is let in by a snapshot, plays all
//! later input, and has to arrive at the same bits.
//!
//! Messages go through `bevy_replicon` and UDP sockets on this machine; time is counted in frames, so that a
//! minute takes as long as its steps. `cargo run --release -- [seconds] [percent lost] [frames of delay]`.

mod peer;

use std::process::ExitCode;
use std::time::Instant;

use orthant_rollback::game::{self, Game};
use orthant_rollback::{RATE, argument, link};
use peer::{Peer, Role};

fn main() -> ExitCode {
    let frames = RATE * argument(1, 60);
    let (loss, delay) = (argument(2, 10), argument(3, 6));
    let [host_link, guest_link] = link::pair(loss, delay, 0).expect("two sockets of this machine");
    let mut peers =
        [Peer::new(Role::Host, host_link, frames), Peer::new(Role::Guest, guest_link, frames)];
    let (start, mut ticks) = (Instant::now(), 0);
    while peers.iter().any(|peer| !peer.is_done()) && ticks < 4 * frames {
        for peer in &mut peers {
            peer.tick(ticks);
        }
        ticks += 1;
    }
    let passed = start.elapsed().as_secs_f64();
    println!(
        "{frames} frames in {ticks} ticks, {loss} % lost, up to {delay} frames of delay, {passed:.1} s"
    );
    println!(
        "| peer | rolled back | steps made anew | farthest back | waited | longest of it (ms) |"
    );
    println!("|---|---|---|---|---|---|");
    for peer in &peers {
        let peer::Account { rollbacks, anew, farthest, waited, longest } = peer.account;
        println!(
            "| {:?} | {rollbacks} | {anew} | {farthest} | {waited} | {:.1} |",
            peer.role,
            1e3 * longest
        );
    }
    let [host, guest] = &peers;
    let print = |peer: &Peer, frame: u32| peer.prints.get(frame as usize).copied();
    let same = |frame| print(host, frame).is_some() && print(host, frame) == print(guest, frame);
    let apart = (0..frames).find(|&frame| !same(frame));
    if let Some(frame) = apart.or(host.apart).or(guest.apart) {
        println!("out of step at frame {frame}");
        return ExitCode::FAILURE;
    }
    println!("in step: {frames} frames with the same bits");
    let (from, bytes) = host.invitation.as_ref().expect("snapshots are taken every few seconds");
    let mut late = Game::late(bytes).expect("the host's bytes");
    for frame in *from..frames {
        late.step(frame, host.inputs(frame));
        if late.print() != host.prints[frame as usize] {
            println!("the late guest is out of step at frame {frame}");
            return ExitCode::FAILURE;
        }
    }
    println!(
        "a late guest, let in at frame {from} by {} bytes for {} bodies: the same bits",
        bytes.len(),
        late.bodies()
    );
    let pushed = game::farthest(&Game::new().crates(), &late.crates());
    println!("crates were pushed about, up to {pushed:.1} m far");
    ExitCode::SUCCESS
}

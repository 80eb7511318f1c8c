//! The server: it makes each frame at its time, with what has come by then.

use std::collections::BTreeMap;

use bevy::math::Vec3;
use orthant_rollback::RATE;
use orthant_rollback::game::{Game, Input, Pose};
use orthant_rollback::link::Link;
use orthant_rollback::network::Host;

use super::{Moved, News, Piece, Wish};

/// So many poses, and bytes of a snapshot, fit into a packet.
const POSES: usize = 20;
const BYTES: usize = 900;
/// A snapshot is given away for so many frames; from an older one it is far to now.
pub const FRESH: u32 = 100;

pub struct Server {
    network: Host<News, Wish>,
    game: Game,
    /// The next frame.
    frame: u32,
    /// What players will do, as far as known.
    inputs: [BTreeMap<u32, Input>; 2],
    /// What they did in each frame.
    played: Vec<[Input; 2]>,
    /// The bits, and where crates are, before each frame.
    prints: Vec<u64>,
    pub crates: Vec<Vec<Vec3>>,
    /// Everything as it was last, and the frame before which it had come to be so.
    poses: Vec<(Pose, u32)>,
    /// The last snapshot, and the frame before which it was taken.
    snapshot: Option<(u32, Vec<u8>)>,
    /// The last wish of each client; none before it comes.
    wishes: [Option<Wish>; 2],
    /// Which piece goes to each next.
    next: [usize; 2],
    /// Inputs that were not there in time.
    pub late: [u32; 2],
}

impl Server {
    pub fn new(links: [Link; 2]) -> Self {
        let game = Game::new();
        Self {
            network: Host::new(links),
            frame: 0,
            inputs: [BTreeMap::new(), BTreeMap::new()],
            played: Vec::new(),
            prints: vec![game.print()],
            crates: vec![game.crates()],
            poses: game.poses().into_iter().map(|pose| (pose, 0)).collect(),
            snapshot: None,
            wishes: [None, None],
            next: [0; 2],
            late: [0; 2],
            game,
        }
    }

    pub fn sent(&self, client: usize) -> usize {
        self.network.sent(client)
    }

    pub fn tick(&mut self, tick: u32) {
        let news = self.news();
        for (client, wish) in self.network.exchange(tick, news) {
            self.hear(client, wish);
        }
        self.advance();
    }

    /// What comes too late is not taken, nor what is of a time far off.
    fn hear(&mut self, client: usize, wish: Wish) {
        for (frame, input) in (wish.first..).zip(&wish.inputs) {
            if (self.frame..self.frame + 2 * RATE).contains(&frame) {
                self.inputs[client].insert(frame, *input);
            }
        }
        self.wishes[client] = Some(wish);
    }

    fn advance(&mut self) {
        let last = self.played.last().copied().unwrap_or_default();
        let mut inputs = last;
        for player in 0..2 {
            match self.inputs[player].remove(&self.frame) {
                Some(input) => inputs[player] = input,
                // Who is not in the game yet is not late.
                None if self.wishes[player].as_ref().is_some_and(|wish| wish.first > 0) => {
                    self.late[player] += 1;
                }
                None => {}
            }
        }
        if let Some(bytes) = self.game.step(self.frame, inputs) {
            self.snapshot = Some((self.frame, bytes));
        }
        self.frame += 1;
        self.played.push(inputs);
        self.prints.push(self.game.print());
        self.crates.push(self.game.crates());
        for (now, (before, since)) in self.game.poses().into_iter().zip(&mut self.poses) {
            if now != *before {
                (*before, *since) = (now, self.frame);
            }
        }
    }

    /// What there is to tell each client: what moved within the last second, and a piece of a snapshot.
    fn news(&mut self) -> Vec<(usize, News)> {
        let (frame, print) = (self.frame, self.prints[self.frame as usize]);
        let inputs = self.played.last().copied().unwrap_or_default();
        let moved = self.poses.iter().filter(|(_, since)| since + RATE > frame);
        let moved: Vec<Pose> = moved.map(|(pose, _)| pose.clone()).collect();
        let mut news = Vec::new();
        for client in 0..2 {
            if self.wishes[client].is_none() {
                continue;
            }
            // Where nothing moved, that is told.
            for packet in 0..moved.len().div_ceil(POSES).max(1) {
                let poses = moved.iter().skip(packet * POSES).take(POSES).cloned().collect();
                news.push((client, News::Moved(Moved { frame, inputs, print, poses })));
            }
            news.extend(self.piece(client).map(|piece| (client, News::Piece(piece))));
        }
        news
    }

    /// The next piece of the snapshot that a client asks for and does not have.
    fn piece(&mut self, client: usize) -> Option<Piece> {
        let (from, bytes) = self.snapshot.as_ref()?;
        let (of, has) = self.wishes[client].as_ref()?.asks.as_ref()?;
        let (from, pieces) = (*from, bytes.len().div_ceil(BYTES));
        if self.frame - from > FRESH {
            return None;
        }
        let is_missing = |place: &usize| *of != from || !has.get(*place).is_some_and(|has| *has);
        let mut places = (0..pieces).map(|k| (self.next[client] + k) % pieces);
        let place = places.find(is_missing)?;
        self.next[client] = place + 1;
        let bytes = bytes.chunks(BYTES).nth(place)?.to_vec();
        let played = self.played[from as usize..].to_vec();
        let print = self.prints[self.frame as usize];
        Some(Piece { from, place, pieces, bytes, played, print })
    }
}

//! A client: ahead of the server by what packets take there and back, so that its input is there in time.

use std::collections::{BTreeMap, VecDeque};

use bevy::math::Vec3;
use cpu_time::ThreadTime;
use orthant::prelude::PhysicsCopy;
use orthant_rollback::game::{Game, Input, Pose, farthest, played};
use orthant_rollback::link::Link;
use orthant_rollback::network::Guest;

use super::{Moved, News, Piece, Wish};

/// What is told to be nearer than this to where it was stays there (m).
const NEAR: f32 = 0.01;
/// How many frames are remembered, and of how many inputs are told.
const KEPT: usize = 120;
const TOLD: u32 = 30;

/// How it was before a frame.
struct Moment {
    copy: PhysicsCopy,
    print: u64,
    poses: Vec<Pose>,
}

/// What it took.
#[derive(Default)]
pub struct Account {
    /// Steps from each snapshot to where bits were compared.
    pub steps_after: Vec<u32>,
    /// The first frame whose bits were others there.
    pub apart: Option<u32>,
    /// How often the server told of a frame, and how often that had its bits here already.
    pub heard: u32,
    pub foreseen: u32,
    /// How often something was put where it was told, and steps made anew for that.
    pub corrected: u32,
    pub anew: u32,
    /// For how many frames it had other bits than the server, at the longest.
    pub out: u32,
    /// The longest that a tick took, of this thread's processor (s).
    pub longest: f64,
}

pub struct Client {
    pub player: usize,
    network: Guest<News, Wish>,
    game: Game,
    /// How far to be ahead of what is told.
    pub lead: u32,
    /// The next frame; none before it is let in.
    frame: Option<u32>,
    /// The last frame of which the server told, and what the other did then.
    told: u32,
    other: Input,
    /// The last frames.
    past: VecDeque<Moment>,
    /// The frame since which it has other bits than the server, or is not let in, and asks for a snapshot.
    asks: Option<u32>,
    /// Pieces of the one before this frame.
    pieces: (u32, Vec<Option<Vec<u8>>>),
    /// Where crates were shown, before each frame.
    pub shown: BTreeMap<u32, Vec<Vec3>>,
    pub account: Account,
}

impl Client {
    pub fn new(player: usize, link: Link, delay: u32) -> Self {
        Self {
            player,
            network: Guest::new(link),
            // Its entities have other names than the server's.
            game: Game::among(3 + player),
            // It is known here; games measure it.
            lead: 2 * delay + 4,
            frame: None,
            told: 0,
            other: 0,
            past: VecDeque::new(),
            asks: Some(0),
            pieces: (0, Vec::new()),
            shown: BTreeMap::new(),
            account: Account::default(),
        }
    }

    /// For how many frames it had other bits, at the longest, if the game ends before this one.
    pub fn longest_out(&self, frames: u32) -> u32 {
        let since = self.asks.map_or(0, |since| frames - since);
        self.account.out.max(since)
    }

    /// How far crates were shown from where they were, the farthest of each frame, ascending (m).
    pub fn apart_from(&self, crates: &[Vec<Vec3>]) -> Vec<f32> {
        let there = |frame: u32| crates.get(frame as usize);
        let shown = self.shown.iter();
        let apart = shown.filter_map(|(frame, here)| Some(farthest(here, there(*frame)?)));
        let mut apart: Vec<f32> = apart.collect();
        apart.sort_by(f32::total_cmp);
        apart
    }

    pub fn tick(&mut self, tick: u32) {
        let wish = self.wish();
        let mut newest = None;
        let start = ThreadTime::now();
        for news in self.network.exchange(tick, wish) {
            match news {
                News::Moved(moved) => self.hear(moved, &mut newest),
                News::Piece(piece) => self.collect(piece),
            }
        }
        if let Some(moved) = newest {
            self.compare(&moved);
        }
        if let Some(frame) = self.frame {
            // Two at once where it has fallen behind, none where it is far ahead.
            let due = (self.told + self.lead).clamp(frame, frame + 2);
            self.advance_to(due);
            self.shown.entry(due).or_insert_with(|| self.game.crates());
        }
        self.account.longest = self.account.longest.max(start.elapsed().as_secs_f64());
    }

    /// What it did of late, and what it asks for.
    fn wish(&self) -> Wish {
        let now = self.frame.unwrap_or(0);
        let first = now.saturating_sub(TOLD);
        let (from, pieces) = &self.pieces;
        Wish {
            first,
            inputs: (first..now).map(|frame| played(self.player, frame)).collect(),
            asks: self.asks.map(|_| (*from, pieces.iter().map(Option::is_some).collect())),
        }
    }

    /// Keeps the newest of what it is told; what is told of one frame comes in several packets.
    fn hear(&mut self, moved: Moved, newest: &mut Option<Moved>) {
        if moved.frame >= self.told {
            (self.told, self.other) = (moved.frame, moved.inputs[1 - self.player]);
            match newest {
                Some(newest) if newest.frame == moved.frame => newest.poses.extend(moved.poses),
                _ => *newest = Some(moved),
            }
        }
    }

    /// Makes frames with its own input, and the other's last one.
    fn advance_to(&mut self, frame: u32) {
        while let Some(now) = self.frame.filter(|now| *now < frame) {
            let mut inputs = [self.other; 2];
            inputs[self.player] = played(self.player, now);
            self.advance(now, inputs);
        }
    }

    fn advance(&mut self, frame: u32, inputs: [Input; 2]) {
        let (copy, print, poses) = (self.game.copy(), self.game.print(), self.game.poses());
        self.past.push_back(Moment { copy, print, poses });
        if self.past.len() > KEPT {
            self.past.pop_front();
        }
        self.game.step(frame, inputs);
        self.frame = Some(frame + 1);
    }

    /// Compares what it is told with what it had made of that frame. Where that was wrong it goes back.
    fn compare(&mut self, moved: &Moved) {
        let Some(now) = self.frame else { return };
        let Some(place) = now.checked_sub(moved.frame) else { return };
        let Some(place) = self.past.len().checked_sub(place as usize) else { return };
        let Some(moment) = self.past.get(place) else { return };
        self.account.heard += 1;
        if moment.print == moved.print {
            self.account.foreseen += 1;
            return;
        }
        self.asks.get_or_insert(moved.frame);
        let has_strayed = |pose: &Pose| {
            let here = moment.poses.iter().find(|here| here.place == pose.place);
            here.is_none_or(|here| Vec3::from(here.at).distance(Vec3::from(pose.at)) > NEAR)
        };
        if moved.poses.iter().any(has_strayed) {
            self.game.go_back(&moment.copy);
            self.game.put(&moved.poses);
            self.past.truncate(place);
            self.frame = Some(moved.frame);
            self.advance_to(now);
            self.account.corrected += 1;
            self.account.anew += now - moved.frame;
        }
    }

    /// Keeps a piece of a snapshot. Where all are there it goes on from it.
    fn collect(&mut self, piece: Piece) {
        let (from, pieces) = &mut self.pieces;
        if piece.from > *from {
            (*from, *pieces) = (piece.from, vec![None; piece.pieces]);
        }
        let is_whole = |pieces: &[Option<Vec<u8>>]| pieces.iter().all(Option::is_some);
        if piece.from < *from || is_whole(pieces) {
            return;
        }
        if let Some(place) = pieces.get_mut(piece.place) {
            *place = Some(piece.bytes.clone());
        }
        if is_whole(pieces) {
            let bytes: Vec<u8> = pieces.iter().flatten().flatten().copied().collect();
            self.restore(&bytes, &piece);
        }
    }

    /// Goes to a snapshot, makes what was played since, which ends with the bits that are told, and goes on.
    fn restore(&mut self, bytes: &[u8], piece: &Piece) {
        self.game.restore(bytes).expect("the server's bytes");
        self.past.clear();
        let (now, is_in) = (self.frame.unwrap_or(0), self.frame.is_some());
        for (frame, inputs) in (piece.from..).zip(&piece.played) {
            self.advance(frame, *inputs);
        }
        let frame = piece.from + piece.played.len() as u32;
        if self.game.print() != piece.print {
            self.account.apart.get_or_insert(frame);
        }
        self.account.steps_after.push(frame - piece.from);
        let since = self.asks.take().filter(|_| is_in);
        self.account.out =
            self.account.out.max(since.map_or(0, |since| frame.saturating_sub(since)));
        self.advance_to(now.max(self.told + self.lead));
    }
}

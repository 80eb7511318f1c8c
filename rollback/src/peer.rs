//! A peer: its game, what it knows of both players, and what goes over the network.

use std::collections::VecDeque;

use cpu_time::ThreadTime;
use orthant::prelude::PhysicsCopy;
use orthant_rollback::game::{Game, Input, played};
use orthant_rollback::link::Link;
use orthant_rollback::network::{Guest, Host};
use serde::{Deserialize, Serialize};

/// How many frames a peer goes ahead of what it knows of the other. Then it waits.
const AHEAD: u32 = 24;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role {
    /// The server of `bevy_replicon`.
    Host,
    Guest,
}

/// Everything that the other may not know yet. Each packet says all of it, so lost ones do no harm.
#[derive(Serialize, Deserialize)]
struct News {
    /// Inputs from this frame on.
    first: u32,
    inputs: Vec<Input>,
    /// So many frames of the other's input are known.
    known: u32,
    /// The bits after a frame of which both inputs are known.
    check: Option<(u32, u64)>,
}

enum Network {
    Host(Host<News, News>),
    Guest(Guest<News, News>),
}

/// What it took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Account {
    pub rollbacks: u32,
    pub anew: u32,
    pub farthest: u32,
    pub waited: u32,
    /// The longest that going back and stepping anew took, of this thread's processor (s).
    pub longest: f64,
}

pub struct Peer {
    pub role: Role,
    network: Network,
    game: Game,
    frames: u32,
    /// The next frame.
    frame: u32,
    /// Inputs of the other that are known, and those that frames were made with.
    known: Vec<Input>,
    taken: Vec<Input>,
    /// Frames of which the other knows the input.
    told: u32,
    /// The game before each of the last frames.
    copies: VecDeque<PhysicsCopy>,
    /// The bits after each frame.
    pub prints: Vec<u64>,
    /// What the other told of its bits.
    checks: Vec<(u32, u64)>,
    /// The first frame in which the two were not in step.
    pub apart: Option<u32>,
    /// A snapshot for a late guest, and its frame.
    pub invitation: Option<(u32, Vec<u8>)>,
    pub account: Account,
}

impl Peer {
    pub fn new(role: Role, link: Link, frames: u32) -> Self {
        let network = match role {
            Role::Host => Network::Host(Host::new([link])),
            Role::Guest => Network::Guest(Guest::new(link)),
        };
        Self {
            role,
            network,
            game: Game::new(),
            frames,
            frame: 0,
            known: Vec::new(),
            taken: Vec::new(),
            told: 0,
            copies: VecDeque::new(),
            prints: Vec::new(),
            checks: Vec::new(),
            apart: None,
            invitation: None,
            account: Account::default(),
        }
    }

    /// Are all frames made, with inputs that are known, and does the other know?
    pub fn is_done(&self) -> bool {
        self.frame == self.frames
            && self.known.len() as u32 == self.frames
            && self.told == self.frames
    }

    fn player(&self) -> usize {
        usize::from(self.role == Role::Guest)
    }

    /// The inputs of both players with which a frame was made.
    pub fn inputs(&self, frame: u32) -> [Input; 2] {
        let (mine, its) = (played(self.player(), frame), self.taken[frame as usize]);
        if self.role == Role::Host { [mine, its] } else { [its, mine] }
    }

    pub fn tick(&mut self, tick: u32) {
        for news in self.exchange(tick) {
            self.hear(&news);
        }
        self.correct();
        if self.frame < self.frames {
            if self.frame < self.known.len() as u32 + AHEAD {
                self.advance();
            } else {
                self.account.waited += 1;
            }
        }
        self.compare();
    }

    /// Frames of which both inputs are known, and that were made with them.
    fn settled(&self) -> u32 {
        self.frame.min(self.known.len() as u32)
    }

    /// Makes the next frame: with the other's input, or its last one as a guess.
    fn advance(&mut self) {
        let frame = self.frame as usize;
        let guess = self.known.get(frame).or(self.known.last()).copied().unwrap_or(0);
        self.taken.truncate(frame);
        self.taken.push(guess);
        self.copies.push_back(self.game.copy());
        if self.copies.len() as u32 > AHEAD + 1 {
            self.copies.pop_front();
        }
        let bytes = self.game.step(self.frame, self.inputs(self.frame));
        self.prints.truncate(frame);
        self.prints.push(self.game.print());
        if let Some(bytes) = bytes {
            self.invitation = Some((self.frame, bytes));
        }
        self.frame += 1;
    }

    /// Goes back to the first frame that was made with a wrong guess, and makes it and those after it anew.
    fn correct(&mut self) {
        let wrong = self.known.iter().zip(&self.taken).position(|(known, taken)| known != taken);
        let Some(wrong) = wrong.map(|frame| frame as u32) else { return };
        let start = ThreadTime::now();
        let now = self.frame;
        let back = (now - wrong) as usize;
        let place = self.copies.len() - back;
        self.game.go_back(&self.copies[place]);
        self.copies.truncate(place);
        self.frame = wrong;
        while self.frame < now {
            self.advance();
        }
        let account = &mut self.account;
        account.rollbacks += 1;
        account.anew += now - wrong;
        account.farthest = account.farthest.max(now - wrong);
        account.longest = account.longest.max(start.elapsed().as_secs_f64());
    }

    fn hear(&mut self, news: &News) {
        self.told = self.told.max(news.known);
        let have = self.known.len() as u32;
        if let Some(new) = have.checked_sub(news.first) {
            self.known.extend(news.inputs.iter().skip(new as usize));
        }
        self.checks.extend(news.check);
    }

    /// Compares what the other told with what is settled here.
    fn compare(&mut self) {
        let settled = self.settled();
        let prints = &self.prints;
        self.checks.retain(|&(frame, print)| {
            let is_known = frame < settled;
            if is_known && prints[frame as usize] != print {
                self.apart.get_or_insert(frame);
            }
            !is_known
        });
    }

    /// Lets `bevy_replicon` send what there is to say, and gives what it has received.
    fn exchange(&mut self, tick: u32) -> Vec<News> {
        let first = self.told;
        let news = News {
            first,
            inputs: (first..self.frame).map(|frame| played(self.player(), frame)).collect(),
            known: self.known.len() as u32,
            check: self.settled().checked_sub(1).map(|frame| (frame, self.prints[frame as usize])),
        };
        match &mut self.network {
            Network::Host(host) => {
                host.exchange(tick, vec![(0, news)]).into_iter().map(|(_, news)| news).collect()
            }
            Network::Guest(guest) => guest.exchange(tick, news),
        }
    }
}

//! The rounds of the search: live bodies, their near pairs, which of them meet, and the speeds that these
//! spread, until no box grows by them.

use super::{BroadPhase, Enlarge, Input};
use crate::engine::state::bodies::flag;
use crate::engine::tuning::broad::ROUNDS;
use crate::math::fill_from;
use crate::par::Pool;

impl BroadPhase {
    /// Finds the candidates of a step, the same ones with any pool.
    pub fn find(&mut self, input: &Input<'_>, pool: &dyn Pool) {
        let &Input { bodies, enlarge, .. } = input;
        self.added.clear();
        self.removed.clear();
        self.searched = 0;
        self.close_gaps(bodies);
        self.gather(input);
        for round in 1..=ROUNDS {
            self.renew_near_pairs(round);
            self.find_meeting(round, bodies.as_slice(), pool);
            if !self.spread_speed(enlarge) || round == ROUNDS {
                break;
            }
            let mut grew = false;
            for k in 0..self.live.len() {
                grew |= self.fit(self.live[k], enlarge, round + 1);
            }
            if !grew {
                break;
            }
        }
        self.settle(bodies.as_slice());
        self.added.sort_unstable();
        self.removed.sort_unstable();
        self.mark_last();
    }

    /// Gives every live body the largest speed of its component; true if a box grows by more than the
    /// margin through it.
    fn spread_speed(&mut self, enlarge: Enlarge) -> bool {
        let mut grew = false;
        for k in 0..self.live.len() {
            let i = self.live[k];
            let set = self.sets.find(i);
            let top = self.top[set as usize];
            let reach = &mut self.reach[i as usize];
            if reach.moves && reach.component < top {
                let before = reach.distance(enlarge.dt);
                reach.component = top;
                grew |= reach.distance(enlarge.dt) - before > enlarge.margin;
            }
        }
        grew
    }

    /// Those whose boxes have to be made again in the next step, whatever happens.
    fn mark_last(&mut self) {
        let Self { live, last, flags, reach, .. } = self;
        let moved = |&i: &u32| {
            let reach = &reach[i as usize];
            flags[i as usize] & flag::ACTIVE != 0 || reach.component > reach.own
        };
        fill_from(last, live.iter().copied().filter(moved));
    }
}

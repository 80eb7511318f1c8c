//! The contacts of an island on the way of its bodies: where they come to, and their rows.
//!
//! Input: where the bodies fly to. Output: manifolds whose arms are those half way or at the end. A contact
//! goes with the corner that touches, else with the mean of the points of both bodies that touch; those of
//! rounded shapes keep their radius along the normal. Arms of both bodies always end at one point: opposite
//! impulses keep the angular momentum. Half way the drift holds what the true way of the contact points,
//! along the circles on which they turn, differs from the velocity at the mean arms. O(contacts).

use super::member::{Member, split};
use crate::engine::lcp::FIXED;
use crate::engine::lcp::manifold::Manifold;
use crate::engine::state::contact::ContactCarrier;
use crate::engine::step::assemble::contacts::{curve, is_turned};
use crate::engine::step::assemble::{Sources, imposed};
use crate::engine::step::solve::island::Island;
use crate::math::{DVec3, Double, widen_mat3, widen3};

/// A contact on its way.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct MidpointContact {
    /// Members at its ends.
    members: [Option<u32>; 2],
    /// From both centers to the touching point without its rounding at the start of the part (m).
    cores: [DVec3; 2],
    /// From there to the contact (m).
    rounding: [DVec3; 2],
    /// Velocity of ends that are not of the island [m/s].
    imposed: [DVec3; 2],
    /// Does it keep its arms, since bodies of its island bounce? A blow has one place, else it would do work.
    stays: bool,
    /// The end with which it goes.
    with: usize,
    /// Arms at the start and at the end of the part (m).
    from: [DVec3; 2],
    to: [DVec3; 2],
    /// Relative displacement of the material at the contact in the part (m).
    pub(in crate::engine) way: DVec3,
}

/// What the arms of the contacts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum At {
    Start,
    Middle,
    End,
}

/// What the contacts of an island are taken up from.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct ContactSources<'a, 'b> {
    sources: &'a Sources<'a>,
    carriers: &'b [ContactCarrier],
    bodies: usize,
    stays: bool,
}

impl<'a, 'b> ContactSources<'a, 'b> {
    pub(in crate::engine) fn of(island: &Island<'a, 'b>) -> Self {
        let Island { step, sources, .. } = island;
        let (carriers, stays) = (step.contact_carriers, step.bounces());
        Self { sources, carriers, bodies: step.bodies.len(), stays }
    }

    /// Takes up one contact of a manifold.
    pub(in crate::engine) fn contact(&self, m: &Manifold, lane: usize) -> MidpointContact {
        let sources = self.sources;
        let members = [m.a, m.b].map(|i| (i != FIXED && (i as usize) < self.bodies).then_some(i));
        let carrier = &self.carriers[m.first as usize + lane];
        let arms = m.arms(lane).map(DVec3::from_array);
        let cores = carrier.cores.map_or([DVec3::ZERO; 2], |cores| {
            let turn = |k: usize| sources.motions[carrier.bodies[k] as usize].rotation;
            [0, 1].map(|k| widen_mat3(turn(k)) * widen3(cores[k]))
        });
        let imposed = [0, 1].map(|k| {
            if members[k].is_some() {
                return DVec3::ZERO;
            }
            let (linear, angular) = split(&imposed(sources, carrier.bodies[k] as usize));
            linear + angular.cross(arms[k])
        });
        let with = carrier.end(members.map(|member| member.is_some()));
        MidpointContact {
            members,
            cores,
            rounding: [0, 1].map(|k| arms[k] - cores[k]),
            imposed,
            stays: self.stays,
            with,
            from: arms,
            to: arms,
            way: DVec3::ZERO,
        }
    }
}

/// Takes up the contacts of an island.
pub(in crate::engine) fn take_up(island: &Island<'_, '_>, touches: &mut Vec<MidpointContact>) {
    let of = ContactSources::of(island);
    touches.clear();
    for m in &*island.step.manifolds {
        touches.extend((0..m.count as usize).map(|lane| of.contact(m, lane)));
    }
}

/// Takes the curvature of the paths of members out of the drift: their true ways have it.
pub(in crate::engine) fn straighten(island: &Island<'_, '_>, manifolds: &mut [Manifold]) {
    let (step, sources) = (&*island.step, island.sources);
    let pairs = step.contact_source.iter().map(|[p, _]| sources.pairs[*p as usize].bodies);
    if !is_turned(sources.motions, pairs) {
        return;
    }
    for m in manifolds {
        let sides = [m.a, m.b].map(|i| (i as usize) < step.bodies.len());
        for lane in 0..m.count as usize {
            let [p, c] = step.contact_source[m.first as usize + lane];
            let pair = &sources.pairs[p as usize];
            let motions = pair.bodies.map(|i| &sources.motions[i as usize]);
            let own =
                curve(motions, &pair.contacts[c as usize], sources.dt, true, sides).to_array();
            (0..3).for_each(|k| m.drift[k][lane] -= own[k]);
        }
    }
}

impl MidpointContact {
    /// Finds where it comes to.
    pub(in crate::engine) fn find_end(&mut self, members: &[Member], h: Double) {
        let (mut moved, mut way) = ([DVec3::ZERO; 2], [DVec3::ZERO; 2]);
        let mut shift = [DVec3::ZERO; 2];
        for k in 0..2 {
            let Some(i) = self.members[k] else {
                moved[k] = self.imposed[k] * h;
                continue;
            };
            let member = &members[i as usize];
            if self.stays {
                let (linear, angular) = split(&member.mean);
                way[k] = (linear + angular.cross(self.from[k])) * h;
                continue;
            }
            shift[k] = member.to.0 - member.center;
            moved[k] = shift[k] + member.turned(self.cores[k]) - self.cores[k];
            let (_, angular) = split(&member.mean);
            way[k] = moved[k] + angular.cross(self.rounding[k]) * h;
        }
        let point = moved[self.with];
        if !self.stays {
            self.to = [0, 1].map(|k| self.from[k] + point - shift[k]);
        }
        self.way = way[1] - way[0];
    }

    /// By how much the gap of contact `lane` of a manifold grows in the part (m).
    pub(in crate::engine) fn closes(&self, m: &Manifold, lane: usize, h: Double) -> Double {
        let drift = DVec3::new(m.drift[0][lane], m.drift[1][lane], m.drift[2][lane]);
        DVec3::from_array(m.normal).dot(self.way + drift * h)
    }

    /// Speed of its ends that are not of the island [m/s].
    pub(in crate::engine) fn driven(&self) -> Double {
        self.imposed[0].length().max(self.imposed[1].length())
    }

    /// Goes on to the next part of the step, before its members do.
    pub(in crate::engine) fn go_on(&mut self, members: &[Member]) {
        for k in 0..2 {
            if let Some(i) = self.members[k].filter(|_| !self.stays) {
                self.cores[k] = members[i as usize].turned(self.cores[k]);
                self.rounding[k] = self.to[k] - self.cores[k];
            }
        }
        self.from = self.to;
    }

    /// By what the torque about both centers is larger at the start than at the end, for an impulse.
    pub(in crate::engine) fn lever(&self, impulse: DVec3) -> [DVec3; 2] {
        [0, 1].map(|k| (self.from[k] - self.to[k]).cross(impulse))
    }
}

/// Gives a manifold the arms of its contacts.
pub(in crate::engine) fn put(m: &mut Manifold, touches: &[MidpointContact], at: At) {
    let touches = &touches[m.first as usize..];
    put_arms(m, |lane| {
        let touch = &touches[lane];
        match at {
            At::Start => touch.from,
            At::Middle => [0, 1].map(|k| (touch.from[k] + touch.to[k]) * 0.5),
            At::End => touch.to,
        }
    });
}

/// Gives a manifold arms, those of contact `lane` from the centers of both bodies (m).
pub(in crate::engine) fn put_arms(m: &mut Manifold, arms: impl Fn(usize) -> [DVec3; 2]) {
    let first = arms(0);
    (m.arm_a, m.arm_b) = (first[0].to_array(), first[1].to_array());
    // The shorter arm is the more accurate one.
    let near = usize::from(first[1].length_squared() < first[0].length_squared());
    for lane in 0..m.count as usize {
        let point = arms(lane)[near] - first[near];
        (0..3).for_each(|k| m.point[k][lane] = point.to_array()[k]);
    }
}

//! The last digits of a curved pair: the least of the largest of a few smooth convex functions.
//!
//! Input: a normal near the answer and the branches that may carry it. Output: the answer of
//! `curved`, or nothing if the branches are not those of the answer. The unknowns are the two
//! coordinates of `n = e + y₁ t₁ + y₂ t₂`. See `curved` for the method.

use super::curved::{Answer, Branch, CurvedPair, NO_BRANCH};
use crate::math::{DVec3, Double};

/// Most steps.
const STEPS_MAX: u32 = 24;
/// Longest step as a part of the normal.
const STEP_LONG: Double = 1.0;
/// A step shorter than this part of the normal is the last one: the next would be its square.
const STEP_SHORT: Double = 1e-9;
/// The point of the branches on the ray may be off by this part of the size of the bodies; the
/// error of the exit is of its square.
const RESIDUAL: Double = 1e-7;
/// Rounding of values of branches, relative to the size of the bodies.
const ROUNDING: Double = 1e-14;
/// Multipliers above this are not negative.
const MULTIPLIER: Double = -1e-10;
/// Determinants below this part of their terms are zero.
const SINGULAR: Double = 1e-13;

/// A branch at a normal.
#[derive(Clone, Copy, Debug)]
struct Active {
    branch: Branch,
    multiplier: Double,
    value: Double,
    gradient: [Double; 2],
    bend: [Double; 3],
}

/// Up to four branches.
#[derive(Clone, Copy, Debug)]
struct Set {
    list: [Active; 4],
    len: usize,
}

/// A step and the multipliers of the branches.
struct Step {
    by: [Double; 2],
    multipliers: [Double; 3],
}

fn dot(a: [Double; 2], b: [Double; 2]) -> Double {
    a[0] * b[0] + a[1] * b[1]
}

fn sub(a: [Double; 2], b: [Double; 2]) -> [Double; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn times(m: [Double; 3], v: [Double; 2]) -> [Double; 2] {
    [m[0] * v[0] + m[1] * v[1], m[1] * v[0] + m[2] * v[1]]
}

/// The solution of `rows · x = right`; none if the rows are parallel to rounding.
fn solve(rows: [[Double; 2]; 2], right: [Double; 2]) -> Option<[Double; 2]> {
    let [p, q] = rows;
    let det = p[0] * q[1] - p[1] * q[0];
    if det * det > SINGULAR * SINGULAR * dot(p, p) * dot(q, q) {
        let x = (right[0] * q[1] - p[1] * right[1]) / det;
        let y = (p[0] * right[1] - right[0] * q[0]) / det;
        Some([x, y])
    } else {
        None
    }
}

impl Set {
    fn new() -> Self {
        let none = Active {
            branch: NO_BRANCH,
            multiplier: 0.0,
            value: 0.0,
            gradient: [0.0; 2],
            bend: [0.0; 3],
        };
        Self { list: [none; 4], len: 0 }
    }

    fn contains(&self, branch: Branch) -> bool {
        self.list[..self.len].iter().any(|a| a.branch == branch)
    }

    fn push(&mut self, branch: Branch, multiplier: Double) {
        if self.len < 4 && !self.contains(branch) {
            self.list[self.len] = Active { branch, multiplier, ..self.list[3] };
            self.len += 1;
        }
    }

    fn without(&self, k: usize) -> Self {
        let mut set = *self;
        set.list.copy_within(k + 1.., k);
        set.len -= 1;
        set
    }

    /// Values and derivatives at `n`.
    fn evaluate(&mut self, bodies: &CurvedPair, n: DVec3, t: [DVec3; 2]) {
        for active in &mut self.list[..self.len] {
            let w = bodies.point(active.branch, n);
            active.value = n.dot(w);
            active.gradient = [t[0].dot(w), t[1].dot(w)];
            active.bend = bodies.bend(active.branch, n, t);
        }
    }

    /// By how much a value exceeds the branches' and how far their point is from the ray (m), both
    /// weighted by the multipliers.
    fn errors(&self, exit: Double) -> (Double, Double) {
        let (mut excess, mut off) = (0.0, [0.0; 2]);
        for a in &self.list[..self.len] {
            excess += a.multiplier * (exit - a.value);
            off = [off[0] + a.multiplier * a.gradient[0], off[1] + a.multiplier * a.gradient[1]];
        }
        (excess.abs(), dot(off, off).sqrt())
    }

    /// The step to the least value at which these (up to three) branches are equal.
    fn step(&self) -> Option<Step> {
        let mut g = [0.0; 3];
        let total: Double = self.list[..self.len].iter().map(|a| a.multiplier).sum();
        for a in &self.list[..self.len] {
            let part = if total > 0.0 { a.multiplier / total } else { 1.0 / self.len as Double };
            for i in 0..3 {
                g[i] += part * a.bend[i];
            }
        }
        let [a, b, c, _] = &self.list;
        match self.len {
            1 => {
                let by = solve([[g[0], g[1]], [g[1], g[2]]], a.gradient.map(|x| -x))?;
                Some(Step { by, multipliers: [1.0, 0.0, 0.0] })
            }
            2 => step_of_two(a, b, g),
            3 => {
                let (p, q) = (sub(a.gradient, c.gradient), sub(b.gradient, c.gradient));
                let by = solve([p, q], [c.value - a.value, c.value - b.value])?;
                let gb = times(g, by);
                let rest = [-c.gradient[0] - gb[0], -c.gradient[1] - gb[1]];
                let [x, y] = solve([[p[0], q[0]], [p[1], q[1]]], rest)?;
                Some(Step { by, multipliers: [x, y, 1.0 - x - y] })
            }
            _ => None,
        }
    }

    /// Writes this set with the multipliers of the step into `place`.
    fn taken(mut self, step: Step, place: &mut Self) -> Step {
        for k in 0..self.len {
            self.list[k].multiplier = step.multipliers[k].max(0.0);
        }
        *place = self;
        step
    }

    /// A step of a part of the set that has no negative multiplier; the set becomes that part.
    fn feasible_step(&mut self) -> Option<Step> {
        if self.len == 4 {
            // The newest one stays, with two of the others or with one.
            let all = *self;
            let triples = (0..3).map(|k| all.without(k));
            let pairs = (0..3).map(|k| {
                let [active, last] = [all.list[k], all.list[3]];
                Self { list: [active, last, active, last], len: 2 }
            });
            for set in triples.chain(pairs) {
                if let Some(step) = set.step()
                    && step.multipliers.iter().all(|&m| m >= MULTIPLIER)
                {
                    return Some(set.taken(step, self));
                }
            }
            return None;
        }
        loop {
            let step = self.step()?;
            let m = &step.multipliers;
            let worst = (1..self.len).fold(0, |worst, k| if m[k] < m[worst] { k } else { worst });
            if step.multipliers[worst] >= MULTIPLIER {
                let set = *self;
                return Some(set.taken(step, self));
            }
            if self.len == 1 {
                return None;
            }
            *self = self.without(worst);
        }
    }
}

/// The step for two branches: along the difference of their gradients to where they are equal,
/// across it to the least value.
fn step_of_two(a: &Active, b: &Active, g: [Double; 3]) -> Option<Step> {
    let c = sub(a.gradient, b.gradient);
    let square = dot(c, c);
    if square.is_nan() || square <= 0.0 {
        return None;
    }
    let level = (b.value - a.value) / square;
    let along = [c[0] * level, c[1] * level];
    let z = [-c[1], c[0]];
    let (gz, ga) = (times(g, z), times(g, along));
    let curvature = dot(z, gz);
    let slope = dot(z, a.gradient) + dot(z, ga);
    if curvature.is_nan() || curvature <= SINGULAR * square * (g[0] + g[2]) {
        return None;
    }
    let across = -slope / curvature;
    let by = [along[0] + across * z[0], along[1] + across * z[1]];
    let x = -(dot(c, b.gradient) + dot(c, times(g, by))) / square;
    Some(Step { by, multipliers: [x, 1.0 - x, 0.0] })
}

/// The answer near the normal `n` with `n·e = 1`, if these branches or others met on the way carry it.
pub(super) fn polish(
    bodies: &CurvedPair,
    n: DVec3,
    branches: &[Branch],
    hints: [u32; 2],
    iterations: &mut u32,
) -> Option<Answer> {
    let e = bodies.direction;
    let (t1, t2) = e.any_orthonormal_pair();
    let t = [t1, t2];
    let mut n = n;
    let mut set = Set::new();
    branches.iter().for_each(|&branch| set.push(branch, 1.0));
    if set.len == 0 {
        set.push(bodies.support(n, hints).branch, 1.0);
    }
    set.evaluate(bodies, n, t);
    for _ in 0..STEPS_MAX {
        *iterations += 1;
        let step = set.feasible_step()?;
        let length = n.dot(n).sqrt();
        let long = dot(step.by, step.by).sqrt();
        if long.is_nan() || long > STEP_LONG * length {
            return None;
        }
        n += t1 * step.by[0] + t2 * step.by[1];
        let touch = bodies.support(n, hints);
        set.evaluate(bodies, n, t);
        let exit = n.dot(touch.point);
        let top = set.list[..set.len].iter().fold(Double::NEG_INFINITY, |m, a| m.max(a.value));
        let is_higher = exit > top + ROUNDING * bodies.size * length;
        if is_higher && !set.contains(touch.branch) {
            set.push(touch.branch, 0.0);
            let last = set.len - 1;
            let mut one = Set::new();
            one.push(touch.branch, 0.0);
            one.evaluate(bodies, n, t);
            set.list[last] = one.list[0];
            continue;
        }
        let (excess, residual) = set.errors(exit);
        if long <= STEP_SHORT * length
            && residual <= RESIDUAL * bodies.size
            && excess <= ROUNDING * bodies.size * length
        {
            let branches =
                core::array::from_fn(|k| if k < set.len { set.list[k].branch } else { NO_BRANCH });
            return Some(Answer { normal: n, exit, branches, len: set.len });
        }
    }
    None
}

//! Tuned numbers of the solvers.

/// Counted work.
pub mod work {
    use crate::math::Double;

    /// Work of measuring impulses, in sweeps (–): their velocity is rebuilt and looked at.
    pub const CHECK: Double = 2.0;
    /// Operations of a sweep over one contact (–). Budgets shift between solvers as it changes.
    pub const OPERATIONS: Double = 150.0;
    /// Relative rounding of what elimination leaves (–): impulses so near to a bound are there, a row
    /// that keeps less of its compliance beside others says nothing of its own, no tolerance is finer at
    /// 1 m/s. With less, rows that repeat each other are divided by noise; with more, light bodies beside
    /// heavy ones lose rows.
    pub const ROUNDED: Double = 1e-9;
    /// Relative rounding of some operations in single precision (–): moments of inertia that differ by less
    /// are the same, no tolerance of sweeps in lanes is finer at 1 m/s. With less, cubes are spun as if they
    /// wobbled and small islands sweep in vain; with more, what is nearly round keeps its axis.
    pub const ROUNDED_SINGLE: Double = 1e-6;
    /// Most rounds of what gains a factor in each: corrections of joints alone, and ways of bodies that fly
    /// on after a blow. Without it an error that is infinite, of anchors 1e19 m away, is corrected for ever.
    pub const ROUNDS: u32 = 16;
}

/// Joint rows with bounds.
pub mod bounded {
    use crate::math::Double;

    /// `ρ_j W'` for each `ρ` of the contacts (–). Larger, and zones flip back and forth between steps of
    /// Newton; smaller, and a motor takes more multiplier updates.
    pub const STIFFER: Double = 10.0;
}

/// Sweeps in lanes.
pub mod lanes {
    use crate::math::Single;

    /// Overlap that counts as made by the softness under a load, in units of what it makes at rest (–): loads
    /// change from step to step. With 1 piles that are alive are pushed apart, with more overlaps stay.
    pub const LOADED: Single = 2.0;
    /// Sweeps that find the push of a step: each leaves an eighth of what it found of that of a cube on its
    /// four corners. With fewer, what overlaps is taken back by another part than γ, and with another speed
    /// than the largest; with more, heaps cost more.
    pub const PUSH_SWEEPS: u32 = 3;
}

/// The cone Newton.
pub mod newton {
    pub use crate::engine::tuning::policy::ROUGH as STRUCK;
    use crate::math::Double;

    /// Proximal term of joint rows relative to their compliance (–): not softness, since the multipliers
    /// take up what it leaves. It makes rows that repeat each other solvable. With less their pivots are
    /// noise, with more updates gain less; flat from a hundredth up to four times as much.
    pub const PROXIMAL: Double = 1e-10;
    /// Work of a product of two blocks, in sweeps over a contact (–).
    pub const PRODUCT: Double = 2.5;
    /// Work of a solution for each block of the factor, in sweeps over a contact (–).
    pub const SOLVE: Double = 2.0;
    /// Contacts (–) whose budget an island gets on top of its own: what is small may try long, and costs
    /// little.
    pub const SMALL: Double = 100.0;
    /// Mass ratio (–) in an island from which its factor is in double precision: single precision leaves five
    /// digits for what is light. With more, steps beside heavy bodies do not descend.
    pub const DOUBLE_RATIO: Double = 100.0;
    /// Part of the tolerance to which a solve goes on (–): the impulses it ends with are then within the
    /// tolerance for some steps to come, in which nothing is solved at all; so good must they be after a
    /// solve that changed them, to be taken as they are. With 0.4 an arch takes 2.1 times the work, and with
    /// 1 what rests is solved in every step; 0.025 is flat, much less below the digits of single precision.
    pub const AIM: Double = 0.1;
    /// Tolerances (–) within which islands start that are at rest, or nearly. With more, blows start with a
    /// `ρ` that is too stiff for them; with less, what trembles loses its factor. Flat from a quarter to four
    /// times as many.
    pub const AT_REST: Double = 100.0;
    /// Part of the contacts that are struck from which on interior points begin (–). With ten times as much
    /// heaps that land take 1.4 times as long, with none a wall that is hit takes 1.7 times as long, since
    /// most of its contacts are nearly what they were. Flat from one to two times as much.
    pub const MANY: Double = 0.05;
    /// Part of `ρ` with which the others start, and least part of it that contacts of small loads get (–):
    /// with less of it fewer contacts change their zones in a step, and more multiplier updates follow. With
    /// 0.4 heaps take 1.2 times the work and billiard balls 1.3 times, with 0.025 hulls 1.1 times.
    pub const START: Double = 0.1;
    /// Multiplier updates without a gain after which a solve ends: without and with joints, of tiny
    /// problems, and of what sweeps do not solve either: with friction beyond one `Γ` may turn for long. With
    /// fewer, what would converge after a plateau is given up: with a quarter 19 islands of boxes are left in
    /// place of 7; more are work in vain.
    pub const IDLE: [u32; 4] = [4, 12, 40, 100];
    /// Contacts and bodies of a tiny problem. A few bodies that slide and spin may have one solution only,
    /// far from where they start, on a way along which the error hardly falls. With 10, five times as many
    /// islands of falling boxes are left unsolved; with more, what does not converge takes the patience of
    /// what is tiny at the cost of what is not.
    pub const TINY: usize = 40;
    /// Longest step along the error of `Γ` away from a solution that repels (–): an error of the tolerance,
    /// 10 µm/s, then still moves `Γ` by less than a millimeter a second. Joints do not let it go far.
    pub const STRIDE: Double = 64.0;
    /// Growth of `ρ` after an update that leaves more than its inverse of the residual (–): what it leaves
    /// is proportional to 1/ρ. With 1 nothing stiff is solved (a mass ratio of 1000: none of 120 steps);
    /// from 2 to 8 it is flat, with 16 zones flip back and forth, heaps take 1.2 times the work.
    pub const GROWTH: Double = 4.0;
    /// Largest `ρ` in single and double precision (–): the factor keeps about three digits of what is left.
    /// With more its steps do not descend; the rounding of `νᵀ v` is magnified by it. With a quarter an arch
    /// takes 1.4 times the work, with four times as much it is flat.
    pub const PENALTY_MAX: [Double; 2] = [1e4, 1e5];
}

/// Steps of the cone Newton.
pub mod descent {
    use crate::math::Double;

    /// Part of the gradient, and of its derivative along a step, that a good step leaves at most (–); one
    /// that leaves more asks for a new factor. With a quarter factors are made anew that would do, which is
    /// flat in counted work; with twice as much it is 1.1 times, beyond 1 steps crawl, 3.6 times.
    pub const POOR: Double = 0.3;
    /// Part of the aim of a solve to which steps between two multiplier updates go on (–); before that a
    /// tenth of what the multipliers still change will do. With twice as much 1.6 times as many islands of
    /// boxes are left unsolved.
    pub const INNER: Double = 0.25;
    /// Part of the bracket of a line search that a secant keeps from its ends (–). Without it twice as many
    /// islands of boxes that fall into a heap are left unsolved; with a half it is bisection.
    pub const GUARD: Double = 0.05;
    /// Most steps with the factor of an earlier step: a new one is worth more than a fourth. Flat from 1 to
    /// 12.
    pub const STEPS_AT_HAND: u32 = 3;
}

/// Bodies that contacts hold fast.
pub mod held {
    use super::newton::AT_REST;
    use crate::math::Double;

    /// Passes over the manifolds, which find towers and chains of that many turns of their order; bodies that
    /// still hinder each other after so many do not fly. More only cost time.
    pub const PASSES: usize = 8;
    /// Part of their limits up to which impulses of friction, spinning and rolling stick for certain (–):
    /// rounding and the tolerance are below the rest. With 1 bodies are held that slide; with a half an arch
    /// takes 2.6 times the work.
    pub const INSIDE: Double = 0.999;
    /// Part of their distance from the center by which points may leave a line and be in it (–): a speed
    /// of the tolerance at them would be as many tolerances at the center as what is at rest may have.
    pub const LINE: Double = 1.0 / AT_REST;
}

/// Joints alone.
pub mod joints_only {
    pub use super::descent::POOR;
    pub use super::newton::AIM as TAKEN;
    use crate::math::Double;

    /// Part of the tolerance to which a solve goes on (–), as far below what is taken as that is below the
    /// tolerance: a correction costs little and is exact. Less is below the rounding of fast chains.
    pub const AIM: Double = TAKEN * TAKEN;
    /// `δ` relative to the compliance of a row (–): what a correction leaves, as far below that of the cone
    /// Newton as the aim is below the tolerance. With that one springs lose 3e-9 of their energy in a hundred
    /// periods; with less, rows that repeat each other have pivots of noise.
    pub const PROXIMAL: Double = AIM * super::newton::PROXIMAL;

    /// Joints of a body beyond which it is a hub: all of them as one clique would be too dense, a dozen of
    /// three rows are 36 columns. Hubs are nodes, eliminated last. With a quarter of it bodies of nets are
    /// hubs, and a net costs 55 times the work; with more a wheel of many spokes fills its factor.
    pub const HUB: usize = 12;
    /// Solves for which the factor of an earlier step is not tried after it failed: what turns so fast
    /// goes on to. With fewer a correction in vain is spent more often.
    pub const RETRY_AFTER: u32 = 8;
}

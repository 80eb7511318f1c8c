//! Tuned numbers of the solvers.

/// Counted work.
pub mod work {
    use crate::math::Double;

    /// Work of measuring impulses, in sweeps: their velocity is rebuilt and looked at.
    pub const CHECK: Double = 2.0;
    /// Operations of a sweep over one contact.
    pub const OPERATIONS: Double = 150.0;
}

/// Joint rows with bounds.
pub mod bounded {
    use crate::math::Double;

    /// `ρ_j W'` for each `ρ` of the contacts. Larger, and zones flip back and forth between steps of Newton.
    pub const STIFFER: Double = 10.0;
    /// Largest `ρ_j W'`: it magnifies the rounding of `νᵀ v`.
    pub const STIFFEST: Double = 1e6;
}

/// Sweeps in lanes.
pub mod lanes {
    use crate::math::{Double, Single};

    /// Part of its compliance that a row must keep beside the rows before it.
    pub const INDEPENDENT: Double = 1e-9;
    /// Overlap that counts as made by the softness under a load, in units of what it makes at rest (–): loads
    /// change from step to step.
    pub const LOADED: Single = 2.0;
}

/// The order of elimination.
pub mod order {
    /// A body with more joints than this is a hub.
    pub const HUB: usize = 8;
}

/// The cone Newton.
pub mod newton {
    use crate::math::Double;

    /// Proximal term of joint rows relative to their compliance (–): not softness, since the multipliers
    /// take up what it leaves. It makes rows that repeat each other solvable.
    pub const JOINT_PROXIMAL: Double = 1e-10;
    /// Work of a product of two blocks, and of a solution for each block of the factor, in sweeps over a
    /// contact.
    pub const PRODUCT: Double = 2.5;
    pub const SOLVE: Double = 2.0;
    /// An island's budget is that of so many contacts more: what is small may try long.
    pub const SMALL: Double = 100.0;
    /// Mass ratio in an island from which its factor is in double precision.
    pub const DOUBLE_RATIO: Double = 100.0;
    /// A solve goes on to this part of the tolerance: the impulses it ends with are then within the tolerance
    /// for some steps to come, in which nothing is solved at all.
    pub const AIM: Double = 0.1;
    /// After a solve that changed impulses they must be this part of the tolerance good to be taken as they
    /// are.
    pub const RECHECK: Double = 0.3;
    /// Islands that start within this many tolerances are at rest, or nearly.
    pub const REST: Double = 100.0;
    /// The others start with this part of `ρ`: with less of it fewer contacts change their zones in a step.
    pub const VIOLENT: Double = 0.1;
    /// Multiplier updates that leave more of the residual than this, and of the aim, let `ρ` grow.
    pub const SLOW: Double = 0.25;
    /// Multiplier updates without a gain after which a solve ends: without and with joints, of tiny
    /// problems, and of what sweeps do not solve either: with friction beyond one `Γ` may turn for long.
    pub const IDLE: [u32; 4] = [4, 12, 40, 100];
    /// Contacts and bodies of a tiny problem. A few bodies that slide and spin may have one solution only,
    /// far from where they start, on a way along which the error hardly falls.
    pub const TINY: usize = 40;
    /// Longest step along the error of `Γ` away from a solution that repels (–): an error of the tolerance,
    /// 10 µm/s, then still moves `Γ` by less than a millimeter a second. Joints do not let it go far.
    pub const STRIDE: Double = 64.0;
    /// A solve of so few updates lets `ρ` fall again.
    pub const FEW: u32 = 3;
    /// Growth of `ρ`, and where it ends in single and double precision.
    pub const GROWTH: Double = 4.0;
    pub const PENALTY_MAX: [Double; 2] = [1e4, 1e5];
}

/// Its steps.
pub mod descent {
    use crate::math::Double;

    /// A step that leaves more of the gradient than this asks for a new factor.
    pub const POOR: Double = 0.3;
    /// The same while the factor of an earlier step is all there is, and the most such steps.
    pub const POOR_AT_HAND: Double = 0.9;
    pub const STEPS_AT_HAND: u32 = 3;
    /// Part of the derivative along a step that may be left.
    pub const LEVEL: Double = 0.3;
}

/// Bodies that stand still.
pub mod held {
    use crate::math::Double;

    /// Passes over the manifolds, which find towers and chains of that many turns of their order.
    pub const PASSES: usize = 8;
    /// Impulses of friction, spinning and rolling up to this part of their limits stick for certain.
    pub const INSIDE: Double = 0.999;
    /// Points nearer to one line than this part of their distance from the center are in that line (-): a
    /// speed of the tolerance at them would be a hundred tolerances at the center.
    pub const LINE: Double = 0.01;
}

/// Joints alone.
pub mod joints_only {
    use crate::math::Double;

    /// Joints of a body beyond which all of them as one clique would be too dense.
    pub const HUB: usize = 12;
    /// Most corrections of a solve.
    pub const CORRECTIONS: u32 = 16;
    /// A factor of this step that leaves more than this is at the end of its digits.
    pub const POOR: Double = 0.5;
    /// Steps for which what failed is not tried again: Newton, or the factor of an earlier step.
    pub const PAUSE: u32 = 8;
    /// `δ` relative to the compliance of a row (–).
    pub const PROXIMAL: Double = 1e-12;
    /// Impulses within this part of the tolerance are taken as they are where what they stand for has just
    /// changed, and a solve goes on to the other part: a correction costs little and is exact.
    pub const TAKEN: Double = 0.1;
    pub const AIM: Double = 0.01;
    /// Multiplications of a correction for each row, and of the matrix for each row of a pair.
    pub const ROW: Double = 60.0;
    pub const ENTRY: Double = 20.0;
}

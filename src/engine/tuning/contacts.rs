//! Tuned numbers of what comes before the solvers: near pairs, contacts, swept bodies.

/// The broad phase: what a step can move a body.
pub mod broad {
    use crate::math::Real;

    /// Part of the inradius up to which the speed of the component counts (-): blows in a step move a body
    /// that far. With a quarter contacts are missed for a step, and a drum takes 1.7 times the work; with
    /// four times as much all of a fast heap is paired, and it takes 5.6 times.
    pub const BLOW: Real = 0.2;
    /// Rounds of speeds that spread: one with each body's own speed, the others with that of its component
    /// until it stops growing. With fewer a blow through touching bodies finds some of them a step late;
    /// more cost a sweep each.
    pub const ROUNDS: u8 = 4;
}

/// Fat boxes.
pub mod fat_boxes {
    use crate::math::Real;

    /// Steps whose motion a fat box holds (–). Fewer renew boxes more often, more give pairs that are far
    /// apart.
    pub const AHEAD: Real = 4.0;
    /// Part of its size by which a fat box is larger than the box (-): what trembles is not renewed. More
    /// gives pairs that are far apart.
    pub const SLACK: Real = 0.02;
    /// Room of a fat box, as a multiple of what a new one would get, at which it is made anew (-): what has
    /// slowed down. Near 1 boxes are made in every step; with much more slow bodies keep their far pairs.
    pub const LOOSE: Real = 4.0;
}

/// One pair.
pub mod narrow {
    use crate::math::Real;

    /// Part of the smaller inradius by which swept pieces may cross a plane that serves as their contact
    /// plane (-): where a sweep ends, as that of a second one does. With more a bullet gets the plane of
    /// a side it has not come from.
    pub const SLACK: Real = 0.1;
    /// Distance below which two contacts are one (m, and a part of their arms): some roundings of a contact
    /// point. With less a row stands twice in the problem, with much more a contact of a small body is lost.
    pub const SAME: Real = 64.0 * Real::EPSILON;
}

/// The reference normal.
pub mod normal {
    pub use super::outline::SQUARE;
    use crate::math::Real;

    /// Part of the eligible depth by which another plane must beat the ratio's normal (-): 1 µm. A row that
    /// the motion violates by that kicks the body, at 1/60 s by 0.07 mm/s. With less rounding changes the
    /// normal of what rests, with more bodies catch on inner edges.
    pub const PREFERENCE: Real = 2e-4;
    /// Part of the eligible depth to which a body that stays on a plane may have sunk into it (-): 13 µm of
    /// 5.5 mm, more than the dead zone of contacts leaves. With less what rests is pushed aside, with more
    /// what slides over an inner edge stops there.
    pub const SINK_DEPTH: Real = 2.4e-3;
    /// Cosine (–) above which a normal is that of a face, and a face square to the normal: that of an
    /// angle of `√2 SQUARE`.
    pub const ALIGNED: Real = 1.0 - SQUARE * SQUARE;
}

/// Clipping.
pub mod clip {
    pub use super::normal::ALIGNED;
    use super::outline::SQUARE;
    use crate::math::Real;

    /// Slope that an aligned face may have against the normal (-): `√2 SQUARE`, rounded up.
    pub const TILT: Real = 2.0 * SQUARE;
}

/// Contacts of a pair.
pub mod collect {
    use super::reuse::ROUNDED;
    use crate::math::Real;

    /// Lean from the normal of a face below which a normal is that of the face (-): both are rotated.
    pub const LEVEL: Real = 2.0 * ROUNDED;
}

/// Contacts that serve again.
pub mod reuse {
    use crate::math::Real;

    /// Slip as part of the smaller inradius up to which contacts are followed, up to which a deep overlap
    /// grows in a step, twice, and growth of what they are about to be crossed by since they were measured,
    /// as part of the depth up to which a plane may serve (-): motions that leave contacts what they are.
    /// With more corners leave a face unnoticed and stale normals act; with less what slides slowly is
    /// clipped in every step. The work of solvers is flat from a quarter to four times as much.
    pub const SLIP: Real = 0.02;
    /// Part of the gap by which what is apart may slide farther (-): half of it, since no feature may come
    /// near within it. At 1 a contact that should be there may be missing.
    pub const APART: Real = 0.5;
    /// Rounding of a rotated vector, as part of its length (-): that of nine products and their sums. With
    /// less, pairs that are carried along look as if they slipped less than they do.
    pub const ROUNDED: Real = 8.0 * Real::EPSILON;
}

/// Impulses of the last step as a start.
pub mod warm_start {
    use crate::math::Real;

    /// Ratio of two steps (–) up to which impulses of the one tell of those of the other. With more a step
    /// after a pause starts from impulses that are none of its own, with 1 every change of the step starts
    /// from nothing.
    pub const RATIO_MAX: Real = 64.0;
}

/// Triangles of meshes.
pub mod mesh {
    pub use super::normal::PREFERENCE;
    use crate::math::Real;

    /// Least divisor of the gap that is reported of a triangle, as part of the inradius (-): near 0 the
    /// number in the report is boundless. No contact depends on it.
    pub const FLOOR: Real = 1e-3;
}

/// Normals that a triangle exposes.
pub mod exposed {
    use crate::math::Real;

    /// Sine (–) of the angle by which an edge at a corner may rise over a plane that holds the corner: the
    /// rounding of normals of small triangles. With less corners of flat meshes are none, with more bodies
    /// meet edges inside of a slope.
    pub const RISE: Real = 1e-5;
}

/// Outlines of faces.
pub mod outline {
    use crate::math::Real;

    /// Cosine (–) to the contact normal from which a face is part of the outline. With less steep faces are
    /// projected to slivers, whose contacts jump; with more edges stand where a face is.
    pub const FACING_MIN: Real = 0.05;
    /// Sine (–) of the angle within which a feature counts as square to the normal: what rests tilts by less.
    /// With less a box that trembles changes between a face and a corner; with more a leaning one is
    /// taken as flat.
    pub const SQUARE: Real = 1e-3;
    /// Corners up to which a face is taken whole, which costs less than cutting it. With more, contacts of
    /// large faces are slow.
    pub const WHOLE_MAX: usize = 6;
}

/// Round and curved surfaces.
pub mod smooth {
    pub use super::outline::SQUARE;
    use crate::math::Real;

    /// Sine (–) of the tilt of a cap below which its corners are as good as its lowest point: what a body
    /// at rest trembles by. With less the contacts of a cylinder at rest jump about its rim, with more a
    /// wobbling coin stands on a corner that is not its lowest.
    pub const LEVEL: Real = 1e-4;
    /// Sine (–) of the tilt above which a cap is touched at its lowest point alone. Its other corners are far
    /// from where it touches, and those of a wheel run with it: taken straight on, they would be anywhere
    /// by the end of a step.
    pub const STEEP: Real = 0.25;
    /// Tangent (–) of half the angle from the lowest point to the two beside it: 0.1 rad. Nearer ones hold no
    /// torque, farther ones are above the ground.
    pub const BESIDE: Real = 0.05;
}

/// Edges that cross.
pub mod intersect {
    use crate::math::Real;

    /// Sine (–) of the angle below which two capsules lie along each other, with two contacts. With less
    /// a stack of logs rests on points, with more capsules that cross get a point where they are apart.
    pub const ALONG: Real = 0.1;
}

/// Swept pairs.
pub mod swept {
    use crate::math::Real;

    /// Part of the contact margin before the touch at which a sweep ends (-): 0.1 mm. Less costs rounds
    /// of the search, more stops bodies visibly before they touch.
    pub const SWEEP_TOLERANCE: Real = 0.02;
    /// Most rounds of the advancement: what remains then is a graze, whose time is free and whose plane is
    /// safe. With fewer, bodies stop before what they pass; it bounds the work of a pair.
    pub const ROUNDS_MAX: u32 = 128;
}

/// What flies past.
pub mod passing {
    use super::reuse::SLIP;
    pub use super::swept::ROUNDS_MAX;
    use crate::math::Real;

    /// Part of the smaller inradius up to which bodies that move against each other within the step keep
    /// the plane of its beginning (-): of balls alike that moves the plane by a two-thousandth of the radius.
    /// Less costs queries in every heap, more turns aside what narrowly passes.
    pub const SLOW: Real = 2.0 * SLIP + SLIP;
}

/// Where swept bodies end a step.
pub mod stop {
    pub use super::narrow::SLACK as TOLERANCE;
    pub use super::reuse::SLIP as CREEP;
    use crate::math::Real;

    /// Part of the (smaller) inradius by which a motion or an overlap leaves no doubt on which side of a
    /// surface a hull is (-): half-way to the center. Motions below it are not swept, overlaps up to it are
    /// left to bodies that slide along each other, what is deeper behind a triangle does not touch it. Near 1
    /// thin bodies go through each other; much smaller sweeps what only rolls.
    pub const SURE: Real = 0.5;
}

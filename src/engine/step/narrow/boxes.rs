//! Two boxes: the plane that they use for a step, and their contacts along it. Of boxes with rounded edges
//! the cores are clipped, and points and distances moved by the radii.
//!
//! Input and output are those of `normal.rs` and `clip.rs`, and so are the answers; what is asked of hulls
//! there has a closed form here. The outermost corner in a direction has its signs. Faces beside the touching
//! features are those that look towards the other box and not away from the normal, three of each box, whose
//! distances the metric compares, too.
//!
//! The faces that look at each other are rectangles along the axes of their boxes. So the corners of b are
//! brought into the axes of a, moved along the normal onto the plane of a's face, and compared with its half
//! lengths; and the corners of a likewise with the face of b. Two edges cross where the ends of each lie on
//! different sides of the other. No axes of the normal, no outlines, no heap: O(1).
//!
//! Not here: faces that miss each other along the normal, and more corners than a pair may have. Those few
//! pairs are clipped as other hulls are.

use super::clip::ClipParams;
use super::collect::{Anchor, CONTACTS_MAX, Contact, Hidden, Manifold, Outlook};
use super::normal::{Serving, Twist};
use crate::engine::geometry::ratio::{FACES_OF_BOX, Relative};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::state::contact::{ContactId, Feature};
use crate::engine::tuning::clip::ALIGNED;
use crate::engine::tuning::normal::SQUARE;
use crate::math::{Real, Vec3};

/// Half lengths of the cores of two hulls (m), if both are boxes.
#[inline]
pub(super) fn boxes([a, b]: [&Hull; 2]) -> Option<[Vec3; 2]> {
    Some([a.cuboid?, b.cuboid?])
}

/// Index of the next axis.
const AFTER: [usize; 3] = [1, 2, 0];

/// The corner of a box that is outermost in a direction in its axes (m), of several the one that the metric
/// names.
#[inline(always)]
fn corner(half: Vec3, along: Vec3) -> Vec3 {
    let end = |half: Real, along: Real| if along > 0.0 { half } else { -half };
    Vec3::new(end(half.x, along.x), end(half.y, along.y), end(half.z, along.z))
}

/// The normal of two boxes with these half lengths and rounding radii (m) for this step, see
/// [`reference_normal`](super::normal::reference_normal).
#[inline]
pub(super) fn reference_normal(
    half: [Vec3; 2],
    radii: [Real; 2],
    relative: &Relative,
    ratio_normal: Vec3,
    twist: &Twist,
    dt: Real,
    eligible_below: Real,
) -> Vec3 {
    let Relative { rotation, offset } = *relative;
    let back = rotation.transpose();
    let outward_b = -(back * ratio_normal);
    let p = corner(half[0], ratio_normal);
    let q = rotation * corner(half[1], outward_b) + offset;
    let is_face = |outward: Vec3| outward.abs().max_element() >= ALIGNED;
    let [on_a, on_b] = [is_face(ratio_normal), is_face(outward_b)];
    let [size_a, size_b] = [0, 1].map(|k| half[k].length() + radii[k]);
    let radius = radii[0] + radii[1];
    let at = if if on_a == on_b { size_a < size_b } else { on_b } { p } else { q };
    let separation = ratio_normal.dot(q - p) - radius;
    let on_face = on_a || on_b;
    let serving = Serving { normal: ratio_normal, separation, velocity: twist.at(at), on_face };
    let Some(mut bar) = serving.bar(dt, eligible_below) else { return ratio_normal };
    let mut best = ratio_normal;
    let mut offer = |n: Vec3, separation: Real, p: Vec3| {
        let predicted = separation + dt * n.dot(twist.at(p));
        if predicted > bar {
            (bar, best) = (predicted, n);
        }
    };
    // Beside a face are all but the opposite one, beside a corner those that meet there, and beside an edge
    // those at both of its ends.
    let [least_a, least_b] = [on_a, on_b].map(|on_face| if on_face { -0.5 } else { -SQUARE });
    let axes = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
    let rows = [back.x_axis, back.y_axis, back.z_axis];
    for k in 0..3 {
        let side: Real = if offset[k] < 0.0 { -1.0 } else { 1.0 };
        let separation = offset[k].abs() - half[0][k] - half[1].dot(rows[k].abs()) - radius;
        if separation >= -eligible_below && ratio_normal[k] * side >= least_a {
            let q = rotation * corner(half[1], rows[k] * -side) + offset;
            offer(Vec3::AXES[k] * side, separation, q);
        }
    }
    let offset_in_b = back * offset;
    for k in 0..3 {
        let side: Real = if offset_in_b[k] < 0.0 { -1.0 } else { 1.0 };
        let separation = offset_in_b[k].abs() - half[1][k] - half[0].dot(axes[k].abs()) - radius;
        if separation >= -eligible_below && -outward_b[k] * side >= least_b {
            let n = axes[k] * side;
            offer(n, separation, corner(half[0], n));
        }
    }
    best
}

/// Numbers of the edges of a box by the axis that they lie along and their lower corner.
const EDGES: [[u32; 8]; 3] =
    [[0, 0, 5, 0, 8, 0, 11, 0], [1, 3, 0, 0, 9, 10, 0, 0], [2, 4, 6, 7, 0, 0, 0, 0]];
/// At which ends of its two axes the corners of a face are, in turn; side k runs from corner k to the next.
const CORNERS: [[u32; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];
/// Signs of the corners of a face along its two axes.
const SIGNS: [Four; 2] = [[-1.0, 1.0, 1.0, -1.0], [-1.0, -1.0, 1.0, 1.0]];

/// Codes of a face, its corners and its sides.
struct Names {
    face: u32,
    corners: [u32; 4],
    sides: [u32; 4],
}

/// Of all faces, by their axis and end.
const NAMES: [[Names; 2]; 3] =
    [[names(0, 0), names(0, 1)], [names(1, 0), names(1, 1)], [names(2, 0), names(2, 1)]];

const fn names(across: usize, upper: usize) -> Names {
    let axes = [(across + 1) % 3, (across + 2) % 3];
    let mut corners = [0; 4];
    let mut k = 0;
    while k < 4 {
        let [s, t] = CORNERS[k];
        corners[k] = (upper as u32) << across | s << axes[0] | t << axes[1];
        k += 1;
    }
    let (mut named, mut sides) = ([0; 4], [0; 4]);
    k = 0;
    while k < 4 {
        let lower = corners[k] & corners[(k + 1) % 4];
        named[k] = Feature::Vertex(corners[k]).code();
        sides[k] = Feature::Edge(EDGES[axes[k % 2]][lower as usize]).code();
        k += 1;
    }
    let face = Feature::Face(FACES_OF_BOX[across][upper]).code();
    Names { face, corners: named, sides }
}

/// A number for each corner, or each side, of a face.
type Four = [Real; 4];

#[inline(always)]
fn four(of: impl Fn(usize) -> Real) -> Four {
    [of(0), of(1), of(2), of(3)]
}

/// The lesser one.
#[inline(always)]
fn least(a: Real, b: Real) -> Real {
    if a < b { a } else { b }
}

/// Bit k is set where number k is not negative.
#[inline(always)]
fn not_negative(v: Four) -> u32 {
    let bit = |k: usize| u32::from(v[k] >= 0.0) << k;
    bit(0) | bit(1) | bit(2) | bit(3)
}

/// The bits of all four.
const ALL: u32 = 0b1111;

/// The corners or sides of which the bits are set, ascending.
#[inline(always)]
fn set(mut bits: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let k = bits.trailing_zeros() as usize;
        let any = bits != 0;
        bits &= bits.wrapping_sub(1);
        any.then_some(k & 3)
    })
}

/// The face of a box that looks along a normal.
struct BoxFace {
    /// The axis across the face, and the two along it.
    axes: [usize; 3],
    names: &'static Names,
    /// Half lengths along its two axes, and its plane along the one across (m).
    half: [Real; 2],
    plane: Real,
    /// The outward normal along the three axes, and the inverse of the first component.
    n: [Real; 3],
    steep: Real,
    /// By how much it is enlarged at its sides across the first and the second axis (m).
    slack: [Real; 2],
}

/// Corners of one face as the other one sees them.
struct SeenCorners {
    /// Where they are in its plane (m).
    at: [Four; 2],
    /// Their heights over it along the normal (m).
    height: Four,
    /// Bits of those over it, enlarged.
    over: u32,
    /// Is one so near to a side that another candidate may be in its place?
    close: bool,
}

/// The vector along three axes in turn, from that across a face on.
#[inline(always)]
fn turned(v: Vec3, axes: [usize; 3]) -> [Real; 3] {
    let v = v.to_array();
    axes.map(|k| v[k])
}

impl BoxFace {
    #[inline(always)]
    fn new(half: Vec3, n: Vec3, slack: Real) -> Self {
        let [x, y, z] = n.abs().to_array();
        let i = if x >= y.max(z) { 0 } else { 1 + usize::from(y < z) };
        let axes = [i, AFTER[i], AFTER[AFTER[i]]];
        let (n, half) = (turned(n, axes), turned(half, axes));
        let steep = 1.0 / n[0];
        let lean = |x: Real| (1.0 - x * x).sqrt() * steep.abs() * slack;
        Self {
            axes,
            names: &NAMES[i][usize::from(n[0] >= 0.0)],
            half: [half[1], half[2]],
            plane: half[0].copysign(n[0]),
            n,
            steep,
            // Seen along the normal, a side is nearer than it is in the face.
            slack: [lean(n[2]), lean(n[1])],
        }
    }

    /// Sees the corners `center ± u ± v` of the other face, given in the axes of this box (m).
    #[inline(always)]
    fn see(&self, center: Vec3, u: Vec3, v: Vec3) -> SeenCorners {
        let [c, u, v] = [center, u, v].map(|w| turned(w, self.axes));
        let [sx, sy] = self.slack;
        let corners = |i: usize| four(|k| c[i] + SIGNS[0][k] * u[i] + SIGNS[1][k] * v[i]);
        let [z, x, y] = [corners(0), corners(1), corners(2)];
        let height = four(|k| (z[k] - self.plane) * self.steep);
        let x = four(|k| x[k] - height[k] * self.n[1]);
        let y = four(|k| y[k] - height[k] * self.n[2]);
        let inward = self.inward([x, y]);
        // The least of four distances beyond a bound. A difference has the sign of the comparison.
        let rim = |of: fn(Real) -> Real, k: usize, x: Real, y: Real| {
            let least_of = |i: usize, j: usize| least(of(inward[i][k]), of(inward[j][k]));
            least(least_of(1, 3) + x, least_of(0, 2) + y)
        };
        let over = not_negative(four(|k| rim(|d| d, k, sx, sy)));
        let beside = four(|k| rim(Real::abs, k, -2.0 * sx, -2.0 * sy));
        let close = least(least(beside[0], beside[1]), least(beside[2], beside[3])) <= 0.0;
        SeenCorners { at: [x, y], height, over, close }
    }

    /// Distances of four points of its plane inward from its sides, by side (m).
    #[inline(always)]
    fn inward(&self, [x, y]: [Four; 2]) -> [Four; 4] {
        let [hx, hy] = self.half;
        [four(|k| y[k] + hy), four(|k| hx - x[k]), four(|k| hy - y[k]), four(|k| x[k] + hx)]
    }

    /// How far the normal leans from that of the face (-), unless it is that of another feature.
    #[inline(always)]
    fn tilt(&self) -> Real {
        let [across, x, y] = self.n;
        let short = 1.0 - across.abs();
        if across.abs() >= ALIGNED {
            (short * short + x * x + y * y).sqrt()
        } else {
            Real::INFINITY
        }
    }

    /// How steep the face is against the plane across the normal (-).
    fn steepness(&self) -> Real {
        let [_, x, y] = self.n;
        (x * x + y * y).sqrt() * self.steep.abs()
    }

    /// A point of the plane of the face, given along its axes (m).
    #[inline(always)]
    fn point(&self, [x, y]: [Real; 2]) -> Vec3 {
        let turns = [self.plane, x, y, self.plane, x];
        let from = [0, 2, 1][self.axes[0]];
        Vec3::new(turns[from], turns[from + 1], turns[from + 2])
    }
}

/// Takes contacts.
struct Taker<'m> {
    out: &'m mut Manifold,
    band: Real,
    /// No contact is nearer than this, the distance of the supporting planes (m).
    nearest: Real,
    /// Contacts nearer to each other than this across the normal are one, if there may be such (m).
    merge: Option<Real>,
    full: bool,
}

impl Taker<'_> {
    /// Takes a contact at a point of the face of a, unless it is beyond the band or already there.
    #[inline(always)]
    fn take(&mut self, names: [u32; 2], point_a: Vec3, gap: Real) -> bool {
        // Of two zeros platforms take either sign.
        let separation = gap.max(self.nearest) + 0.0;
        let near = separation <= self.band;
        if !near {
            self.out.outlook.complete = self.out.outlook.complete.min(separation);
            return false;
        }
        let normal = self.out.normal;
        let point_b = point_a + normal * separation;
        let id = ContactId::of(names);
        let contact = Contact { id, point_a, point_b, separation };
        if let Some(merge) = self.merge {
            let known = |c: &Contact| {
                let between = c.point_a - point_a;
                let height = normal.dot(between);
                between.dot(between) - height * height <= merge * merge
            };
            if let Some(kept) = self.out.contacts.iter_mut().find(|c| known(c)) {
                // The first one keeps its id while the two stay together; one clearly deeper wins.
                if kept.separation - separation > merge {
                    *kept = contact;
                }
                return true;
            }
        }
        self.full |= self.out.contacts.len() == CONTACTS_MAX;
        if !self.full {
            self.out.contacts.push(contact);
        }
        true
    }
}

/// Finds the contacts of two boxes of these half lengths, bounding radii and rounding radii (m), see
/// [`find_contacts`](super::clip::find_contacts). False, with nothing found, if this is no matter of two
/// faces that overlap.
#[inline]
pub(super) fn find_contacts(
    half: [Vec3; 2],
    [size_a, size_b]: [Real; 2],
    radii: [Real; 2],
    relative: &Relative,
    normal: Vec3,
    params: &ClipParams,
    out: &mut Manifold,
) -> bool {
    if params.overlap_only || params.hidden != Hidden::default() {
        return false;
    }
    let slack = params.eps_x * size_a.min(size_b);
    let radius = radii[0] + radii[1];
    let found = clip(half, relative, normal, params.band + radius, slack, out);
    if !found {
        out.contacts.clear();
    }
    if radius > 0.0 {
        // The normal of rounded edges and corners turns with every slip.
        if out.outlook.anchor == Anchor::Edges {
            out.outlook.anchor = Anchor::Unknown;
        }
        out.outlook.complete -= radius;
        for contact in &mut out.contacts {
            contact.separation -= radius;
            contact.point_a += normal * radii[0];
            contact.point_b = contact.point_a + normal * contact.separation;
        }
    }
    found
}

/// Finds the contacts of the cores up to `band` (m), with faces enlarged by `slack` (m).
#[inline(always)]
fn clip(
    half: [Vec3; 2],
    relative: &Relative,
    normal: Vec3,
    band: Real,
    slack: Real,
    out: &mut Manifold,
) -> bool {
    let Relative { rotation, offset } = relative;
    let back = rotation.transpose();
    let outward_b = -(back * normal);
    let nearest = normal.dot(*offset) - half[0].dot(normal.abs()) - half[1].dot(outward_b.abs());
    (out.normal, out.dropped) = (normal, 0);
    out.contacts.clear();
    if nearest > band {
        out.outlook = Outlook { complete: nearest, ..Outlook::default() };
        return true;
    }
    let a = BoxFace::new(half[0], normal, slack);
    let b = BoxFace::new(half[1], outward_b, slack);
    let (anchor, tilt) = match [a.tilt(), b.tilt()] {
        [Real::INFINITY, Real::INFINITY] => (Anchor::Edges, 0.0),
        [on_a, on_b] if on_b < on_a => (Anchor::Face(1), on_b),
        [on_a, _] => (Anchor::Face(0), on_a),
    };
    out.outlook = Outlook::new(anchor, tilt, Real::INFINITY);
    // The face of b in the axes of a, and that of a in the axes of b.
    let [i, j, k] = b.axes;
    let axes = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
    let of_b = a.see(*offset + axes[i] * b.plane, axes[j] * b.half[0], axes[k] * b.half[1]);
    let [i, j, k] = a.axes;
    let axes = [back.x_axis, back.y_axis, back.z_axis];
    let of_a = b.see(axes[i] * a.plane - back * *offset, axes[j] * a.half[0], axes[k] * a.half[1]);
    // A corner out of reach that is not over the other face may come there.
    let beyond = |height: Real| if height > band { height } else { Real::INFINITY };
    let beyond = four(|k| least(beyond(of_a.height[k]), beyond(of_b.height[k])));
    out.outlook.complete = least(least(beyond[0], beyond[1]), least(beyond[2], beyond[3]));
    let merge = (of_a.close || of_b.close).then_some(2.0 * slack);
    let mut taker = Taker { out, band, nearest, merge, full: false };
    let mut any = [false; 2];
    for k in set(of_a.over) {
        let at = a.point([SIGNS[0][k] * a.half[0], SIGNS[1][k] * a.half[1]]);
        any[0] |= taker.take([a.names.corners[k], b.names.face], at, of_a.height[k]);
    }
    for k in set(of_b.over) {
        let at = a.point(of_b.at.map(|x| x[k]));
        any[1] |= taker.take([a.names.face, b.names.corners[k]], at, of_b.height[k]);
    }
    let mut slope: Real = 0.0;
    if any[0] && anchor != Anchor::Face(1) {
        slope = b.steepness();
    }
    if any[1] && anchor != Anchor::Face(0) {
        slope = slope.max(a.steepness());
    }
    let mut loose = any[0] && anchor != Anchor::Face(1) || any[1] && anchor != Anchor::Face(0);
    if of_a.over != ALL && of_b.over != ALL {
        let crossed = cross(&a, &b, &of_a, &of_b, relative, &mut taker);
        loose |= crossed.is_some();
        slope = slope.max(crossed.unwrap_or(0.0));
    }
    let done = !(taker.full || out.contacts.is_empty());
    out.outlook.slope = out.outlook.slope.max(slope);
    out.outlook.exact &= !loose;
    out.contacts.sort_unstable_by_key(|contact| contact.id);
    done
}

/// Takes the crossings of the sides of both faces; tells by how much the gap of one of them changes at most
/// with a slip (-), if there are any.
#[inline(always)]
fn cross(
    a: &BoxFace,
    b: &BoxFace,
    of_a: &SeenCorners,
    of_b: &SeenCorners,
    relative: &Relative,
    taker: &mut Taker<'_>,
) -> Option<Real> {
    let mut steepest: Option<Real> = None;
    // Distances of the corners of b from each side of a, and of each corner of a from the sides of b.
    let inward_b = a.inward(of_b.at);
    let [hx, hy] = b.half;
    let inward_a: [Four; 4] = [0, 1, 2, 3].map(|i| {
        let [x, y] = of_a.at.map(|at| at[i]);
        [y + hy, hx - x, hy - y, x + hx]
    });
    for i in 0..4 {
        let (f, after) = (&inward_b[i], (i + 1) & 3);
        let (from, to) = (&inward_a[i], &inward_a[after]);
        // Two sides cross where the ends of each lie on different sides of the other.
        let parted = four(|j| {
            let [of_b, of_a] = [f[j] * f[(j + 1) & 3], from[j] * to[j]];
            if of_b > of_a { of_b } else { of_a }
        });
        for j in set(!not_negative(parted) & ALL) {
            let next = (j + 1) & 3;
            let (f, g) = ([f[j], f[next]], [from[j], to[j]]);
            let clear = f[0].abs().min(f[1].abs()) > a.slack[1 - i % 2]
                && g[0].abs().min(g[1].abs()) > b.slack[1 - j % 2];
            if !clear {
                continue;
            }
            let heights = [of_b.height[j], of_b.height[next]];
            let gap = heights[0] + (heights[1] - heights[0]) * (f[0] / (f[0] - f[1]));
            let s = g[0] / (g[0] - g[1]);
            let at = [0, 1].map(|k| {
                let (from, to) = (SIGNS[k][i] * a.half[k], SIGNS[k][after] * a.half[k]);
                from + (to - from) * s
            });
            if taker.take([a.names.sides[i], b.names.sides[j]], a.point(at), gap) {
                let along_a = Vec3::AXES[a.axes[1 + i % 2]];
                let along_b = relative.rotation.col(b.axes[1 + j % 2]);
                let normal = taker.out.normal;
                let (rise_a, rise_b) = (normal.dot(along_a), normal.dot(along_b));
                let level = |rise: Real| (1.0 - rise * rise).max(0.0).sqrt();
                let across = normal.dot(along_a.cross(along_b)).abs();
                let slope = (rise_a.abs() * level(rise_b) + rise_b.abs() * level(rise_a)) / across;
                steepest = Some(steepest.unwrap_or(0.0).max(slope));
            }
        }
    }
    steepest
}

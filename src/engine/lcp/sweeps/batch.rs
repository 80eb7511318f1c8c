//! Contacts of many manifolds side by side, in single precision, ready for the sweep.
//!
//! Input: manifolds in groups that share no moving body. Output: a [`Batch`] for each group, one manifold
//! a lane; unused lanes lie between the fixed world and itself and have no mass to give, so that they stay
//! zero. Each contact keeps what a sweep needs:
//!
//! ```text
//! W    = Σ 1/m + [r]×ᵀ I⁻¹ [r]×                    3×3, of both bodies
//! normal mass 1/(n·W n),  coupling c = W n - (n·W n) n,  tangent mass 1/λ_max(W on the tangents)
//! ```
//!
//! `λ_max` of the 2×2 part of `W` across `n` comes from its trace `tr W - n·W n` and its determinant
//! `n·adj(W) n`, without any tangents. Cost: about two sweeps.

use super::color::{Coloring, Item};
use super::lanes::{
    Abreast, Mass, Row3, add, at, cross, dot, put, scale, single, single3, sub, symmetric,
};
use crate::engine::lcp::manifold::{LANES as POINTS, Manifold};
use crate::math::{Double, Single, sym_minors};

/// One contact of every lane.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct PointLanes<const L: usize> {
    /// Arms from the centers of both bodies (m).
    pub(super) arm_a: Row3<L>,
    pub(super) arm_b: Row3<L>,
    /// `1 / W_nn` (kg), zero where nothing can move.
    pub(super) normal_mass: Abreast<L>,
    /// `1 / λ_max(W_tt)` (kg), zero where nothing can slide.
    pub(super) tangent_mass: Abreast<L>,
    /// Tangential velocity of a unit normal impulse [1/kg].
    pub(super) coupling: Row3<L>,
    /// Gap at the start of the step (m).
    pub(super) gap: Abreast<L>,
    /// Part of the overlap that is taken back along the whole step, at one speed (m).
    pub(super) way: Abreast<L>,
    /// Overlap that is left to the end of the step, with the dead zone (m).
    pub(super) rest: Abreast<L>,
    /// What the next sweep without push adds to the normal velocity [m/s].
    pub(super) bias: Abreast<L>,
    /// Normal impulse and friction impulse, a world vector [N·s].
    pub(super) normal: Abreast<L>,
    pub(super) friction: Row3<L>,
    /// Sums of the impulses over substeps, after the biased and after the relaxing sweep.
    pub(super) total: [[Abreast<L>; 4]; 2],
    /// The latter, each by the part of the step that is left after it.
    pub(super) ahead: [Abreast<L>; 4],
}

impl<const L: usize> PointLanes<L> {
    const EMPTY: Self = Self {
        arm_a: [[0.0; L]; 3],
        arm_b: [[0.0; L]; 3],
        normal_mass: [0.0; L],
        tangent_mass: [0.0; L],
        coupling: [[0.0; L]; 3],
        gap: [0.0; L],
        way: [0.0; L],
        rest: [0.0; L],
        bias: [0.0; L],
        normal: [0.0; L],
        friction: [[0.0; L]; 3],
        total: [[[0.0; L]; 4]; 2],
        ahead: [[0.0; L]; 4],
    };
}

/// Manifolds of one color, one a lane.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Batch<const L: usize> {
    /// Indices of the bodies.
    pub(super) a: [u32; L],
    pub(super) b: [u32; L],
    /// Largest number of contacts of a lane.
    pub(super) count: usize,
    /// Which of the [`Drift`]s is this batch's; none if nothing drifts.
    pub(super) drift: Option<u32>,
    /// Unit normals from a to b.
    pub(super) normal: Row3<L>,
    /// Friction coefficients.
    pub(super) friction: Abreast<L>,
    /// Largest speeds at which overlaps are pushed out [m/s].
    pub(super) push_max: Abreast<L>,
    /// Inverse masses and inertia of both bodies.
    pub(super) mass_a: [Abreast<L>; 9],
    pub(super) mass_b: [Abreast<L>; 9],
    pub(super) points: [PointLanes<L>; POINTS],
}

/// Relative velocities beside those of the bodies [m/s], of every contact of a batch.
pub(super) type Drift<const L: usize> = [Row3<L>; POINTS];

/// All contacts of a node of an island.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts<const L: usize> {
    coloring: Coloring,
    /// Its manifolds, and the bodies of each.
    manifolds: Vec<u32>,
    items: Vec<Item>,
    pub(super) batches: Vec<Batch<L>>,
    pub(super) drifts: Vec<Drift<L>>,
}

impl<const L: usize> Contacts<L> {
    /// Lays some `manifolds` of an island out in lanes. Its body `i` is at `place(i)` there, and of those all
    /// have these masses, the fixed world last. `impulses` are world vectors, one for each contact of the
    /// island; the sweeps start from `part` of them.
    pub(super) fn fill(
        &mut self,
        island: &[Manifold],
        manifolds: &[u32],
        place: impl Fn(u32) -> u32,
        masses: &[Mass],
        impulses: &[[Double; 3]],
        part: Double,
    ) {
        manifolds.clone_into(&mut self.manifolds);
        let fixed = masses.len() as u32 - 1;
        let of = |i: u32| &island[manifolds[i as usize] as usize];
        self.items.clear();
        self.items.extend(manifolds.iter().map(|&i| {
            let m = &island[i as usize];
            [place(m.a), place(m.b), m.count]
        }));
        let items = self.items.iter().copied();
        self.coloring.update(fixed as usize, items);
        self.batches.clear();
        self.drifts.clear();
        for group in self.coloring.groups(L) {
            self.batches.push(Batch { a: [fixed; L], b: [fixed; L], ..Batch::EMPTY });
            let Some(batch) = self.batches.last_mut() else { continue };
            let mut drifting = false;
            for (lane, &i) in self.coloring.order.items[group.clone()].iter().enumerate() {
                let manifold = of(i);
                let [a, b, _] = self.items[i as usize];
                batch.place(lane, manifold, [a, b], masses);
                batch.start(lane, manifold, impulses, part);
                drifting |= manifold.drift != [[0.0; POINTS]; 3];
            }
            batch.find_masses();
            if drifting {
                batch.drift = Some(self.drifts.len() as u32);
                let order = self.coloring.order.items[group].iter();
                self.drifts.push(drift(order.map(|&i| of(i))));
            }
        }
    }

    /// Calls `write` with the index of every contact, its normal, its lanes and which of them is its own.
    pub(super) fn each(
        &self,
        manifolds: &[Manifold],
        mut write: impl FnMut(usize, [Single; 3], &PointLanes<L>, usize),
    ) {
        for (group, batch) in self.coloring.groups(L).zip(&self.batches) {
            for (lane, &m) in self.coloring.order.items[group].iter().enumerate() {
                let manifold = &manifolds[self.manifolds[m as usize] as usize];
                let n = at(&batch.normal, lane);
                for (i, point) in
                    (manifold.first as usize..).zip(&batch.points).take(manifold.count as usize)
                {
                    write(i, n, point, lane);
                }
            }
        }
    }
}

fn drift<'a, const L: usize>(manifolds: impl Iterator<Item = &'a Manifold>) -> Drift<L> {
    let mut drift = [[[0.0; L]; 3]; POINTS];
    for (lane, manifold) in manifolds.enumerate() {
        for k in 0..manifold.count as usize {
            for axis in 0..3 {
                drift[k][axis][lane] = single(manifold.drift[axis][k]);
            }
        }
    }
    drift
}

impl<const L: usize> Batch<L> {
    const EMPTY: Self = Self {
        a: [0; L],
        b: [0; L],
        count: 0,
        drift: None,
        normal: [[0.0; L]; 3],
        friction: [0.0; L],
        push_max: [0.0; L],
        mass_a: [[0.0; L]; 9],
        mass_b: [[0.0; L]; 9],
        points: [PointLanes::EMPTY; POINTS],
    };

    /// Puts a manifold into a lane.
    fn place(&mut self, lane: usize, manifold: &Manifold, ends: [u32; 2], masses: &[Mass]) {
        [self.a[lane], self.b[lane]] = ends;
        let count = manifold.count as usize;
        self.count = self.count.max(count);
        put(&mut self.normal, lane, single3(manifold.normal));
        self.friction[lane] = single(manifold.friction);
        self.push_max[lane] = single(manifold.push_max);
        for (mass, slot) in [&mut self.mass_a, &mut self.mass_b].into_iter().zip(ends) {
            for (row, x) in mass.iter_mut().zip(masses[slot as usize]) {
                row[lane] = x;
            }
        }
        for (k, point) in self.points[..count].iter_mut().enumerate() {
            for axis in 0..3 {
                let offset = manifold.point[axis][k];
                point.arm_a[axis][lane] = single(manifold.arm_a[axis] + offset);
                point.arm_b[axis][lane] = single(manifold.arm_b[axis] + offset);
            }
            point.gap[lane] = single(manifold.gap[k]);
            point.bias[lane] = single(manifold.bias[k]);
            // Marks the lanes in use for `find_masses`.
            point.normal_mass[lane] = 1.0;
        }
    }

    /// Starts a lane from a part of the impulses of its contacts.
    fn start(&mut self, lane: usize, manifold: &Manifold, impulses: &[[Double; 3]], part: Double) {
        let n = at(&self.normal, lane);
        let first = manifold.first as usize;
        let impulses = &impulses[first..first + manifold.count as usize];
        for (point, impulse) in self.points.iter_mut().zip(impulses) {
            let l = single3(impulse.map(|x| x * part));
            let along = dot(n, l);
            point.normal[lane] = if along > 0.0 { along } else { 0.0 };
            put(&mut point.friction, lane, sub(l, scale(n, along)));
        }
    }

    /// Works out the masses and the coupling of all contacts.
    fn find_masses(&mut self) {
        for point in &mut self.points[..self.count] {
            for l in 0..L {
                let n = at(&self.normal, l);
                let w_a = compliance(lane_mass(&self.mass_a, l), at(&point.arm_a, l));
                let w_b = compliance(lane_mass(&self.mass_b, l), at(&point.arm_b, l));
                let mut w = [0.0; 6];
                for k in 0..6 {
                    w[k] = w_a[k] + w_b[k];
                }
                let wn = symmetric(w, n);
                let along = dot(n, wn);
                let half = 0.5 * ((w[0] + w[1] + w[2]) - along);
                let square = half * half - dot(n, symmetric(sym_minors(&w), n));
                let square = if square > 0.0 { square } else { 0.0 };
                let used = point.normal_mass[l];
                point.normal_mass[l] = if along > 0.0 { used / along } else { 0.0 };
                let largest = half + square.sqrt();
                point.tangent_mass[l] = if largest > 0.0 { used / largest } else { 0.0 };
                put(&mut point.coupling, l, sub(wn, scale(n, along)));
            }
        }
    }
}

#[inline(always)]
pub(super) fn lane_mass<const L: usize>(mass: &[Abreast<L>; 9], l: usize) -> Mass {
    [
        mass[0][l], mass[1][l], mass[2][l], mass[3][l], mass[4][l], mass[5][l], mass[6][l],
        mass[7][l], mass[8][l],
    ]
}

/// `1/m + [r]×ᵀ I⁻¹ [r]×` as (xx, yy, zz, xy, xz, yz).
#[inline(always)]
fn compliance(mass: Mass, r: [Single; 3]) -> [Single; 6] {
    let [mx, my, mz, ..] = mass;
    let inertia = [mass[3], mass[4], mass[5], mass[6], mass[7], mass[8]];
    let column = |axis: [Single; 3]| cross(symmetric(inertia, cross(r, axis)), r);
    let x = add(column([1.0, 0.0, 0.0]), [mx, 0.0, 0.0]);
    let y = add(column([0.0, 1.0, 0.0]), [0.0, my, 0.0]);
    let z = add(column([0.0, 0.0, 1.0]), [0.0, 0.0, mz]);
    [x[0], y[1], z[2], x[1], x[2], y[2]]
}

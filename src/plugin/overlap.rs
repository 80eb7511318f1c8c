//! Mass of overlapping pieces, counted once.
//!
//! Input: the colliders of a body with their densities. Output: the mass properties of what their sum counts
//! too often. Of two pieces that overlap the denser one keeps its part. What others take of a piece is
//! integrated along parallel lines through the box in which they can meet: exact along the lines, by the
//! midpoint rule across them. So what overlaps nowhere keeps its exact mass, and the error is a part of the
//! overlap. O(pairs of pieces that overlap) times the number of lines.

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::link::queue_body;
use crate::engine::collider::Collider;
use crate::engine::query::Placed;
use crate::engine::shape::mass::MassProperties;
use crate::engine::shape::{Aabb, Convex};
use crate::math::{
    DVec3, Double, Real, SymMat3, Vec3, narrow, narrow3, quat_mul, quat_normalize, quat_rotate,
    quat_to_mat3, widen, widen3,
};

/// Lines along either side of a box.
const LINES: u32 = 32;

/// Counts the mass of overlapping pieces once: the colliders of the body, and the pieces of each, have the
/// mass of what they fill together, the denser ones their whole. Without it each counts by itself, and
/// where they overlap twice.
///
/// The overlap is integrated to about a hundredth, anew whenever colliders change: a fraction of a
/// millisecond for each piece that overlaps others.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::math::{Quat, Vec3};
/// use orthant::prelude::*;
///
/// fn cross(mut commands: Commands) {
///     let (upright, across) = (Collider::cuboid(0.2, 1.0, 0.2), Collider::cuboid(0.6, 0.2, 0.2));
///     let at = |y| Vec3::new(0.0, y, 0.0);
///     let cross = vec![(at(0.0), Quat::IDENTITY, upright), (at(0.2), Quat::IDENTITY, across)];
///     commands.spawn((RigidBody::Dynamic, Collider::compound(cross), OverlapsCountedOnce));
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(summary_tick, on_remove = queue_body)]
pub struct OverlapsCountedOnce;

/// A piece in the frame of its body, with its density [kg/m³].
struct Part<'a> {
    placed: Placed<'a>,
    bounds: Aabb,
    density: Real,
}

/// Mass properties without those of what is counted too often.
pub(super) fn counted_once<'a>(
    sum: MassProperties,
    colliders: impl Iterator<Item = (&'a Collider, Real)>,
) -> MassProperties {
    let mut parts: Vec<Part> = colliders.flat_map(parts_of).collect();
    // Stable, so that of equally dense ones the first keeps its part.
    parts.sort_by(|a, b| b.density.total_cmp(&a.density));
    let mut excess = Moments::default();
    for (index, part) in parts.iter().enumerate() {
        excess.add_taken(part, &parts[..index]);
    }
    excess.taken_from(sum)
}

fn parts_of((collider, density): (&Collider, Real)) -> impl Iterator<Item = Part<'_>> {
    let pieces = if collider.sensor { &[][..] } else { collider.shape.pieces() };
    let turn = quat_normalize(collider.rotation);
    let rotation = quat_to_mat3(turn);
    let hulls = pieces.iter().filter(|piece| matches!(piece.convex, Convex::Hull(_)));
    hulls.map(move |piece| Part {
        placed: Placed {
            convex: &piece.convex,
            position: collider.position + quat_rotate(turn, piece.position),
            rotation: quat_to_mat3(quat_normalize(quat_mul(turn, piece.rotation))),
        },
        bounds: piece.aabb(collider.position, rotation),
        density,
    })
}

impl Part<'_> {
    /// Where a line from a point along a unit vector enters the piece and leaves it (m), if it meets it
    /// within a length (m).
    fn chord(&self, from: Vec3, along: Vec3, length: Real) -> Option<[Real; 2]> {
        let (enter, _) = self.placed.ray(from, along, length, true)?;
        let (back, _) = self.placed.ray(from + along * length, -along, length, true)?;
        Some([enter, length - back]).filter(|[enter, leave]| enter < leave)
    }
}

/// Mass, `∫ ρ x` and `∫ ρ x xᵀ` about the origin of the body: the diagonal, and xy, xz, yz.
#[derive(Default)]
struct Moments {
    mass: Double,
    first: DVec3,
    squares: DVec3,
    products: DVec3,
}

impl Moments {
    /// Adds what a piece has in common with others, each point once.
    fn add_taken(&mut self, part: &Part, others: &[Part]) {
        let bounds = |other: &Part| {
            let (a, b) = (part.bounds, other.bounds);
            Aabb { min: a.min.max(b.min), max: a.max.min(b.max) }
        };
        let meets = |b: &Aabb| b.min.cmplt(b.max).all();
        let near: Vec<&Part> = others.iter().filter(|other| meets(&bounds(other))).collect();
        let Some(region) = near.iter().map(|other| bounds(other)).reduce(Aabb::union) else {
            return;
        };
        let extent = region.max - region.min;
        let axis = (0..3).fold(0, |best, k| if extent[k] > extent[best] { k } else { best });
        let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
        let step = extent / LINES as Real;
        let weight = widen(part.density) * widen(step[u]) * widen(step[v]);
        let mut along = Vec3::ZERO;
        along[axis] = 1.0;
        let mut taken = Vec::new();
        for i in 0..LINES {
            for k in 0..LINES {
                let mut from = region.min;
                from[u] += (i as Real + 0.5) * step[u];
                from[v] += (k as Real + 0.5) * step[v];
                let chord = |part: &Part| part.chord(from, along, extent[axis]);
                let Some([low, high]) = chord(part) else { continue };
                taken.clear();
                taken.extend(near.iter().filter_map(|other| chord(other)));
                taken.sort_by(|a: &[Real; 2], b| a[0].total_cmp(&b[0]));
                let mut start = low;
                for &[enter, leave] in &taken {
                    let (first, end) = (enter.max(start), leave.min(high));
                    if first < end {
                        self.add_rod(from, along, [first, end].map(widen), weight);
                        start = end;
                    }
                }
            }
        }
    }

    /// Adds a part of a line, of so much mass a length [kg/m].
    fn add_rod(&mut self, from: Vec3, along: Vec3, [start, end]: [Double; 2], weight: Double) {
        let (length, middle) = (end - start, 0.5 * (start + end));
        let (along, mass) = (widen3(along), weight * length);
        let center = widen3(from) + along * middle;
        self.mass += mass;
        self.first += center * mass;
        self.squares += (center * center + along * (length * length / 12.0)) * mass;
        let DVec3 { x, y, z } = center;
        self.products += DVec3::new(x * y, x * z, y * z) * mass;
    }

    /// A body without this.
    fn taken_from(&self, whole: MassProperties) -> MassProperties {
        let mass = widen(whole.mass) - self.mass;
        if self.mass <= 0.0 || mass <= 0.0 {
            return whole;
        }
        let center = (widen3(whole.center_of_mass) * widen(whole.mass) - self.first) / mass;
        // Second moments of this about the new center, by Steiner.
        let (c, m, f) = (center, self.mass, self.first);
        let DVec3 { x, y, z } = self.squares - c * f * 2.0 + c * c * m;
        let cross = |k: usize, i: usize, j: usize| {
            narrow(self.products[k] - c[i] * f[j] - c[j] * f[i] + c[i] * c[j] * m)
        };
        let inertia = SymMat3 {
            xx: narrow(y + z),
            yy: narrow(x + z),
            zz: narrow(x + y),
            xy: -cross(0, 0, 1),
            xz: -cross(1, 0, 2),
            yz: -cross(2, 1, 2),
        };
        let center = narrow3(center);
        let inertia = whole.inertia_about(center).plus(inertia.scaled(-1.0));
        MassProperties { mass: narrow(mass), center_of_mass: center, inertia }
    }
}

//! Two balls or capsules: their contact along a normal.
//!
//! Input and output are those of `clip.rs`, and so are the answers. A ball touches with its center, against
//! the nearest point of the other one's segment if that lies square to the normal, else against its outer
//! end. Capsules that cross touch where their segments are nearest. O(1).
//!
//! Not here: capsules along each other, which have up to two contacts, and those whose nearest points are
//! beyond the band along the normal. They are clipped as hulls are.

use super::collect::{Anchor, Contact, Manifold, Outlook};
use super::intersect::closest_parameters;
use crate::engine::geometry::ratio::Relative;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::state::contact::{ContactId, Feature};
use crate::engine::tuning::intersect::ALONG;
use crate::engine::tuning::outline::SQUARE;
use crate::math::{Real, Vec3};

/// The feature of a core, from one end along `way` (m), that is outermost along `up`, and its point
/// nearest to `p` across that direction (m).
#[inline(always)]
fn facing(from: Vec3, way: Vec3, last: u32, up: Vec3, p: Vec3) -> (Feature, Vec3) {
    let (rise, square) = (up.dot(way), way.dot(way));
    if rise * rise > SQUARE * SQUARE * square {
        return if rise > 0.0 {
            (Feature::Vertex(1), from + way)
        } else {
            (Feature::Vertex(0), from)
        };
    }
    if last == 0 || square == 0.0 {
        return (Feature::Vertex(0), from);
    }
    let reach = (p - from).dot(way - up * rise) / (square - rise * rise);
    (Feature::Edge(0), from + way * reach.clamp(0.0, 1.0))
}

/// Finds the contact of two balls or capsules up to `band` (m), see
/// [`find_contacts`](super::clip::find_contacts). False if this is no matter of one contact.
#[inline]
pub(super) fn find_contact(
    [a, b]: [&Hull; 2],
    relative: &Relative,
    normal: Vec3,
    band: Real,
    out: &mut Manifold,
) -> bool {
    let (Some(last_a), Some(last_b)) = (a.slim(), b.slim()) else { return false };
    let [p, to_p] = [0, last_a].map(|v| a.vertices[v as usize]);
    let [q, to_q] = [0, last_b].map(|v| relative.rotation * b.vertices[v as usize]);
    let (u, v, q) = (to_p - p, to_q - q, q + relative.offset);
    let least = normal.dot(q - p) + normal.dot(v).min(0.0) - normal.dot(u).max(0.0);
    let nearest = least - a.radius - b.radius;
    (out.normal, out.dropped) = (normal, 0);
    out.contacts.clear();
    if nearest > band {
        out.outlook = Outlook { complete: nearest, ..Outlook::default() };
        return true;
    }
    let anchor = if last_a + last_b == 0 { Anchor::Points } else { Anchor::Unknown };
    out.outlook = Outlook::new(anchor, 0.0, Real::INFINITY);
    let (features, core_a, core_b);
    if last_b == 0 {
        let (feature, on) = facing(p, u, last_a, normal, q);
        (features, core_a) = ([feature, Feature::Vertex(0)], q - normal * normal.dot(q - on));
        core_b = q;
    } else if last_a == 0 {
        let (feature, on) = facing(q, v, last_b, -normal, p);
        (features, core_b) = ([Feature::Vertex(0), feature], p + normal * normal.dot(on - p));
        core_a = p;
    } else {
        let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
        if uu * vv - uv * uv <= ALONG * ALONG * uu * vv {
            return false;
        }
        let (s, t) = closest_parameters(q - p, u, v);
        features = [Feature::Edge(0); 2];
        (core_a, core_b) = (p + u * s, q + v * t);
    }
    let point_a = core_a + normal * a.radius;
    let between = core_b - normal * b.radius - point_a;
    let along = normal.dot(between);
    let separation = along.max(nearest);
    if separation > band {
        return false;
    }
    let point_b = point_a + between + normal * (separation - along);
    let id = ContactId::new(features[0], features[1]);
    out.contacts.push(Contact { id, point_a, point_b, separation });
    true
}

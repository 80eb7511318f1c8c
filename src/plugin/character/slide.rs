//! Moving along what is in the way: cast, stop, slide, as Quake did, but by the nearest velocity that leads
//! into nothing.
//!
//! A shape rests a *skin* away from what it touches, and a cast ends half a skin before. So rounding never
//! makes of what it slides along what it runs into, and no order of bodies decides where it stops.

use smallvec::SmallVec;

use super::move_and_slide::{MoveAndSlideConfig, MoveAndSlideHitResponse as Response};
use super::planes::{Plane, project_velocity, way_out};
use super::surroundings::{Met, Surroundings};
use crate::engine::body::BodyId;
use crate::engine::collider::Collider;
use crate::math::{Real, Vec3};

/// A way out shorter than this part of the skin is not gone, so that what rests does not tremble (-).
pub(super) const STILL: Real = 1e-3;
/// What is nearer than so many skins is touched (-).
pub(super) const TOUCH: Real = 1.5;

/// Where a slide ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slid {
    /// World position (m).
    pub(super) position: Vec3,
    /// What is left of the velocity [m/s].
    pub(super) velocity: Vec3,
    /// What is left of the time (s), if the slide was aborted or stuck.
    pub(super) time: Real,
}

impl Surroundings<'_> {
    /// The way from a position (m) to one a skin away from everything, if anything is nearer than `nearer`
    /// (m). `turned` may change the planes in front of what is near.
    pub(super) fn depenetrate(
        &self,
        position: Vec3,
        nearer: Real,
        config: &MoveAndSlideConfig,
        turned: impl Fn(Plane) -> Plane,
    ) -> Vec3 {
        let (skin, mut out) = (config.skin_width, Vec3::ZERO);
        for _ in 0..config.depenetration_iterations {
            let near = self.near(position + out, TOUCH * skin);
            if near.first().is_none_or(|met| met.distance >= nearer) {
                break;
            }
            let plane =
                |met: &Met| turned(Plane { normal: met.normal, depth: skin - met.distance });
            let planes = near.iter().take(config.max_planes).map(plane);
            let further =
                self.leave(position + out, &planes.collect::<SmallVec<[Plane; 8]>>(), skin);
            if further == Vec3::ZERO {
                break;
            }
            out += further;
        }
        out
    }

    /// The shortest way in front of all planes (m), as far as it is free.
    fn leave(&self, position: Vec3, planes: &[Plane], skin: Real) -> Vec3 {
        let way = way_out(planes);
        let length = way.length();
        if length.is_nan() || length <= STILL * skin {
            return Vec3::ZERO;
        }
        let met = self.cast(position, way / length, length, 0.5 * skin);
        met.map_or(way, |met| way * (met.distance / length))
    }

    /// Moves by a velocity [m/s] for a time (s). `on_hit` is asked about each surface, with the position and
    /// the velocity there, and may change its normal and the velocity.
    pub(super) fn slide(
        &self,
        mut position: Vec3,
        mut velocity: Vec3,
        mut time: Real,
        config: &MoveAndSlideConfig,
        mut on_hit: impl FnMut(&mut Met, &mut Vec3, &mut Vec3) -> Response,
    ) -> Slid {
        let mut ignored = SmallVec::<[u64; 4]>::new();
        for _ in 0..config.move_and_slide_iterations {
            let way = velocity * time;
            let length = way.length();
            if length.is_nan() || length <= 0.0 {
                return Slid { position, velocity, time: 0.0 };
            }
            let direction = way / length;
            let admits = |id: BodyId, collider: &Collider| {
                !ignored.contains(&collider.tag) && (self.admits)(id, collider)
            };
            let around = Surroundings { admits: &admits, ..*self };
            let met = around.cast(position, direction, length, 0.5 * config.skin_width);
            let Some(met) = met else {
                return Slid { position: position + way, velocity, time: 0.0 };
            };
            position += direction * met.distance;
            time -= time * (met.distance / length);
            let mut normals: SmallVec<[Vec3; 8]> = config.planes.iter().copied().collect();
            let mut planes = SmallVec::<[Plane; 8]>::new();
            let near = around.near(position, TOUCH * config.skin_width);
            let first = Met { distance: 0.5 * config.skin_width, ..met };
            let mut passed = SmallVec::<[u64; 4]>::new();
            for mut met in core::iter::once(first).chain(near).take(config.max_planes) {
                match on_hit(&mut met, &mut position, &mut velocity) {
                    Response::Accept => {
                        normals.push(met.normal);
                        let depth = config.skin_width - met.distance;
                        planes.push(Plane { normal: met.normal, depth });
                    }
                    Response::Ignore => passed.push(met.tag),
                    Response::Abort => return Slid { position, velocity, time },
                }
            }
            velocity = project_velocity(velocity, &normals);
            position += around.leave(position, &planes, config.skin_width);
            ignored.extend(passed);
        }
        Slid { position, velocity, time }
    }
}

//! One step of a character: it falls or walks, finds its ground, and is carried by it.
//!
//! Walking is horizontal: the wanted velocity fixes the way over the ground, whatever its slope, and the
//! height follows. So speed and track do not depend on the length of a step. What is too steep to walk on is
//! a wall; a wall that is low enough is stepped on. In the air the way is the exact parabola of constant
//! gravity. A character moves first, in the world as it is, and is then carried by what it stands on, by as
//! much as that moves within this step.

use super::controller::{CharacterController, CharacterInput};
use super::move_and_slide::MoveAndSlideHitResponse as Response;
use super::planes::{Plane, project_velocity};
use super::slide::{STILL, TOUCH};
use super::surroundings::{Met, Other, Surroundings};
use crate::engine::body::{Body, BodyId};
use crate::engine::collider::Collider;
use crate::math::{Quat, Real, Vec3, cos, quat_exp, quat_mul, quat_rotate};

/// Where a character is and how it moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walker {
    /// World position (m).
    pub(super) position: Vec3,
    /// World rotation.
    pub(super) rotation: Quat,
    /// Velocity [m/s]: on the ground horizontal and relative to it, in the air that in the world.
    pub(super) velocity: Vec3,
    /// What it stands on, with the normal of the surface there.
    pub(super) ground: Option<Met>,
}

/// A body that a character walked into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    pub(super) body: BodyId,
    /// World point (m).
    pub(super) point: Vec3,
    /// Unit direction of the push.
    pub(super) direction: Vec3,
    /// Speed of the character in this direction when it met the body [m/s].
    pub(super) speed: Real,
}

/// What a step of a character needs to know.
pub(super) struct Pace<'a> {
    pub(super) around: &'a Surroundings<'a>,
    pub(super) settings: &'a CharacterController,
    /// Unit direction.
    pub(super) up: Vec3,
    /// Gravity that acts on it [m/s²].
    pub(super) gravity: Vec3,
    /// Length of the step (s).
    pub(super) dt: Real,
}

impl Pace<'_> {
    /// Makes the step; what was pushed is added to `pushes`.
    pub(super) fn step(
        &self,
        mut walker: Walker,
        input: &CharacterInput,
        pushes: &mut Vec<Push>,
    ) -> Walker {
        // A way may end between half a skin and a skin away from something.
        let nearer = (0.5 - STILL) * self.settings.sliding.skin_width;
        walker.position += self.clear(walker.position, nearer, walker.ground.is_some());
        if walker.ground.is_none() && walker.velocity.dot(self.up) <= 0.0 {
            self.settle(&mut walker, 0.0);
        }
        let mut was_grounded = walker.ground.is_some();
        if input.jump > 0.0
            && let Some(ground) = walker.ground.take()
        {
            let rises = self.velocity_of(&ground);
            walker.velocity = self.flat(walker.velocity) + rises + self.up * input.jump;
            was_grounded = false;
        }
        let mut left = self.dt;
        if walker.ground.is_none() {
            left = self.fall(&mut walker, input, pushes);
        }
        if walker.ground.is_some() {
            self.walk(&mut walker, input, left, pushes);
            let reach = if was_grounded { self.settings.snap_distance } else { 0.0 };
            self.settle(&mut walker, reach);
        }
        self.carry(&mut walker);
        walker
    }

    /// The horizontal part.
    fn flat(&self, v: Vec3) -> Vec3 {
        v - self.up * v.dot(self.up)
    }

    /// Can one walk on a surface with this normal?
    fn is_walkable(&self, normal: Vec3) -> bool {
        normal.dot(self.up) >= cos(self.settings.max_slope)
    }

    /// The way out of what is nearer than `nearer` (m). On the ground steep slopes are walls, which lift no
    /// one, and others floors, which push no one back.
    fn clear(&self, position: Vec3, nearer: Real, on_ground: bool) -> Vec3 {
        self.around.depenetrate(position, nearer, &self.settings.sliding, |plane| {
            if !on_ground || plane.normal.dot(self.up) <= 0.0 {
                return plane;
            }
            let is_floor = self.is_walkable(plane.normal);
            let wall = self.flat(plane.normal).normalize_or_zero();
            let normal = if is_floor { self.up } else { wall };
            Plane { normal, depth: plane.depth / plane.normal.dot(normal) }
        })
    }

    /// The normal of the ground, if what was met carries: a surface that is not too steep, or its edge.
    fn support(&self, met: &Met) -> Option<Vec3> {
        if self.is_walkable(met.normal) {
            return Some(met.normal);
        }
        if met.normal.dot(self.up) <= STILL {
            return None;
        }
        let into = -self.flat(met.normal).normalize_or_zero();
        let skin = self.settings.sliding.skin_width;
        self.around
            .surface(met.point, into, self.up, skin)
            .filter(|&normal| self.is_walkable(normal))
    }

    /// Velocity of what it stands on [m/s].
    fn velocity_of(&self, ground: &Met) -> Vec3 {
        self.around.body(ground.body).map_or(Vec3::ZERO, |body| body.velocity_at(ground.point))
    }

    /// Notes a push, if a dynamic body was met.
    fn push(&self, met: &Met, velocity: Vec3, pushes: &mut Vec<Push>) {
        let speed = -velocity.dot(met.normal);
        if speed > 0.0 && self.around.body(met.body).is_some_and(Body::is_dynamic) {
            let direction = -met.normal;
            pushes.push(Push { body: met.body, point: met.point, direction, speed });
        }
    }

    /// Flies and falls until it lands; returns what is left of the step (s) then.
    fn fall(&self, walker: &mut Walker, input: &CharacterInput, pushes: &mut Vec<Push>) -> Real {
        let (dt, up) = (self.dt, self.up);
        let steered = match self.flat(input.walk) {
            Vec3::ZERO => walker.velocity,
            wish => walker.velocity + self.steer(walker, wish),
        };
        let mean = 0.5 * (walker.velocity + steered + self.gravity * dt);
        let mut end = steered + self.gravity * dt;
        let (mut landed, mut normals) = (None, Vec::new());
        let slid = self.around.slide(
            walker.position,
            mean,
            dt,
            &self.settings.sliding,
            |met, _, velocity| {
                if velocity.dot(up) <= 0.0
                    && let Some(normal) = self.support(met)
                {
                    landed = Some(Met { normal, ..*met });
                    return Response::Abort;
                }
                self.push(met, *velocity, pushes);
                // Nor by running into it.
                let against = self.flat(met.normal).normalize_or_zero();
                if met.normal.dot(up) > 0.0 {
                    *velocity -= against * velocity.dot(against).min(0.0);
                    end -= against * end.dot(against).min(0.0);
                }
                normals.push(met.normal);
                Response::Accept
            },
        );
        walker.position = slid.position;
        walker.velocity = project_velocity(end, &normals);
        let Some(ground) = landed else { return 0.0 };
        walker.velocity = self.flat(end - self.velocity_of(&ground));
        walker.ground = Some(ground);
        walker.position += self.clear(walker.position, self.settings.sliding.skin_width, true);
        slid.time
    }

    /// Change of the velocity in the air by what is asked for [m/s]. No one climbs a steep slope by pressing
    /// against it.
    fn steer(&self, walker: &Walker, wish: Vec3) -> Vec3 {
        let flat = self.flat(walker.velocity);
        let (_, next) = approach(flat, wish, self.settings.air_acceleration, self.dt);
        let near = self.around.near(walker.position, TOUCH * self.settings.sliding.skin_width);
        let steep = near.iter().filter(|met| met.normal.dot(self.up) > 0.0);
        let walls = steep.filter_map(|met| self.flat(met.normal).try_normalize());
        project_velocity(next - flat, &walls.collect::<Vec<_>>())
    }

    /// Walks for a time (s).
    fn walk(
        &self,
        walker: &mut Walker,
        input: &CharacterInput,
        time: Real,
        pushes: &mut Vec<Push>,
    ) {
        let config = &self.settings.sliding;
        let before = self.flat(walker.velocity);
        let wish = self.flat(input.walk);
        let (mut way, next) = approach(before, wish, self.settings.acceleration, time);
        walker.velocity = next;
        let mut walls = Vec::new();
        let mut ground = walker.ground.map_or(self.up, |ground| ground.normal);
        for _ in 0..config.move_and_slide_iterations {
            let along = way - self.up * (way.dot(ground) / ground.dot(self.up));
            let length = along.length();
            if length.is_nan() || length <= 0.0 {
                break;
            }
            let (direction, half) = (along / length, 0.5 * config.skin_width);
            let Some(met) = self.around.cast(walker.position, direction, length, half) else {
                walker.position += along;
                break;
            };
            walker.position += direction * met.distance;
            way *= 1.0 - met.distance / length;
            if self.is_walkable(met.normal) {
                ground = met.normal;
                walker.position += self.clear(walker.position, config.skin_width, true);
                continue;
            }
            self.push(&met, walker.velocity, pushes);
            if let Some(position) = self.step_up(walker, &met, way) {
                walker.position = position;
                break;
            }
            walker.position += self.clear(walker.position, config.skin_width, true);
            // What leads along the ground, but not into the wall.
            let wall = met.normal - ground * (met.normal.dot(self.up) / ground.dot(self.up));
            let wall = self.flat(wall).normalize_or_zero();
            if wall == Vec3::ZERO {
                walker.velocity = Vec3::ZERO;
                break;
            }
            walls.push(wall);
            way = self.flat(project_velocity(way, &walls));
        }
        // A way may end within the skin of a wall, to go on in the next step. Where it cannot, it ends here.
        let forward = way.normalize_or_zero();
        for met in self.around.near(walker.position, config.skin_width) {
            let wall = self.flat(met.normal).normalize_or_zero();
            if !self.is_walkable(met.normal)
                && wall.dot(forward) < 0.0
                && self.step_up(walker, &met, forward * config.skin_width).is_none()
            {
                self.push(&met, walker.velocity, pushes);
                walls.push(wall);
            }
        }
        if !walls.is_empty() {
            walker.position += self.clear(walker.position, config.skin_width, true);
            walker.velocity = self.flat(project_velocity(walker.velocity, &walls));
        }
    }

    /// Where it stands after it stepped on what is in its way (m), if that is low enough and carries. A foot
    /// that does not come over the edge in this step is put a skin further.
    /// Light things are pushed, not stepped on.
    fn step_up(&self, walker: &Walker, met: &Met, way: Vec3) -> Option<Vec3> {
        let body = self.around.body(met.body);
        if body.is_some_and(|body| body.is_dynamic() && body.mass() < self.settings.mass) {
            return None;
        }
        let skin = self.settings.sliding.skin_width;
        let (length, direction) = (way.length(), way.try_normalize()?);
        let up = |length| self.step_over(walker, direction, length);
        up(length).or_else(|| up(skin).filter(|_| length < skin))
    }

    /// Up, forward along a unit direction, and down again.
    fn step_over(&self, walker: &Walker, direction: Vec3, length: Real) -> Option<Vec3> {
        let (up, skin) = (self.up, self.settings.sliding.skin_width);
        let clear = |from, direction, max| {
            let met = self.around.cast(from, direction, max, 0.5 * skin);
            met.map_or(max, |met| met.distance)
        };
        let height = clear(walker.position, up, self.settings.step_height);
        let above = walker.position + up * height;
        let ahead = above + direction * clear(above, direction, length);
        let landing = self.below(ahead, height)?;
        let rises = height - landing.distance > STILL * skin;
        // A round foot reaches an edge that is higher than it was lifted.
        let is_low = walker.ground.is_none_or(|ground| {
            (landing.point - ground.point).dot(up) <= self.settings.step_height + skin
        });
        (rises && is_low && self.support(&landing).is_some()).then(|| ahead - up * landing.distance)
    }

    /// The first below within reach (m), a skin away from it, or half a skin where it moves down along walls
    /// that are nearer than a skin.
    fn below(&self, position: Vec3, reach: Real) -> Option<Met> {
        let skin = self.settings.sliding.skin_width;
        let cast = |apart| self.around.cast(position, -self.up, reach, apart);
        let met = cast(skin)?;
        if met.normal.dot(self.up) > STILL { Some(met) } else { cast(0.5 * skin) }
    }

    /// Goes down to the ground, if it is within reach (m) below, or leaves it.
    fn settle(&self, walker: &mut Walker, reach: Real) {
        let skin = self.settings.sliding.skin_width;
        let found = self.below(walker.position, reach + skin).and_then(|met| {
            let position = walker.position - self.up * met.distance;
            let carries = core::iter::once(met).chain(self.around.near(position, TOUCH * skin));
            Some((position, self.best(carries)?))
        });
        if let Some((position, ground)) = found.or_else(|| self.aside(walker.position, reach)) {
            if walker.ground.is_none() {
                walker.velocity = self.flat(walker.velocity - self.velocity_of(&ground));
            }
            (walker.position, walker.ground) = (position, Some(ground));
        } else if let Some(ground) = walker.ground.take() {
            walker.velocity += self.velocity_of(&ground);
        }
    }

    /// Of what is met the most level that carries, with the normal of its surface.
    fn best(&self, met: impl Iterator<Item = Met>) -> Option<Met> {
        let carries = met.filter_map(|met| Some(Met { normal: self.support(&met)?, ..met }));
        let level = |met: &Met| met.normal.dot(self.up);
        carries.max_by(|a, b| level(a).total_cmp(&level(b)))
    }

    /// The ground within reach (m) below where something steep is in the way, and the place there (m).
    fn aside(&self, position: Vec3, reach: Real) -> Option<(Vec3, Met)> {
        let (config, mut landed) = (&self.settings.sliding, None);
        let down = -self.up * (reach + config.skin_width);
        let slid = self.around.slide(position, down, 1.0, config, |met, _, _| {
            landed = self.best(core::iter::once(*met));
            if landed.is_some() { Response::Abort } else { Response::Accept }
        });
        Some((slid.position + self.clear(slid.position, config.skin_width, true), landed?))
    }

    /// Goes with what it stands on.
    fn carry(&self, walker: &mut Walker) {
        let Some(ground) = &mut walker.ground else { return };
        let Some(body) = self.around.body(ground.body) else { return };
        let (linear, angular) = body.velocities_ahead(self.dt);
        if (linear, angular) == (Vec3::ZERO, Vec3::ZERO) {
            return;
        }
        let foot = walker.position - self.up * (walker.position - ground.point).dot(self.up);
        let turn = quat_exp(angular * self.dt);
        let carried = |point: Vec3| {
            body.center() + linear * self.dt + quat_rotate(turn, point - body.center())
        };
        let way = carried(foot) - foot;
        let id = ground.body;
        let admits =
            |body: BodyId, collider: &Collider| body != id && (self.around.admits)(body, collider);
        let others = self.around.others.iter().filter(|other| other.body != id).cloned();
        let others = others.collect::<Vec<Other>>();
        let around = Surroundings { admits: &admits, others: &others, ..*self.around };
        let config = &self.settings.sliding;
        let accept = |_: &mut Met, _: &mut Vec3, _: &mut Vec3| Response::Accept;
        walker.position = around.slide(walker.position, way, 1.0, config, accept).position;
        ground.point = carried(ground.point);
        if self.settings.turns_with_ground {
            let yaw = self.up * (angular.dot(self.up) * self.dt);
            walker.rotation = quat_mul(quat_exp(yaw), walker.rotation);
        }
    }
}

/// The way (m) and the velocity [m/s] after a time (s) in which a velocity approaches another one at an
/// acceleration [m/s²].
fn approach(from: Vec3, to: Vec3, acceleration: Real, time: Real) -> (Vec3, Vec3) {
    let change = to - from;
    let speed = change.length();
    let until = if speed > 0.0 { speed / acceleration } else { 0.0 };
    if until <= time {
        return (from * until + change * (0.5 * until) + to * (time - until), to);
    }
    let next = from + change * (acceleration * time / speed);
    (0.5 * (from + next) * time, next)
}

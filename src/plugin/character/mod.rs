//! Characters: what moves by its own will and not by forces, yet stops at walls.
//!
//! ```text
//! controller ─────┬─ walk ─┐
//! move_and_slide ─┴────────┴─ slide ─ surroundings ─ planes
//! ```
//!
//! [`MoveAndSlide`] moves a shape at any time; [`CharacterController`] is a component that does it in every
//! step, with slopes, steps, ground that moves and things to push. What is left of `controller` and
//! `move_and_slide` are functions of numbers, shapes and a tree of queries.

pub(super) mod controller;
mod move_and_slide;
mod planes;
mod slide;
mod surroundings;
mod walk;

use bevy_app::{App, Plugin};
use bevy_ecs::prelude::*;

pub use controller::{CharacterController, CharacterGround, CharacterInput, CharacterState};
pub use move_and_slide::{
    CharacterPlace, MoveAndSlide, MoveAndSlideConfig, MoveAndSlideHitData, MoveAndSlideHitResponse,
    MoveAndSlideOutput, MoveHitData,
};

use super::drive::drive;
use super::forces::take_targets;
use super::schedule::PhysicsSchedule;
use super::sync::GatherSystems;

/// Leads [`CharacterController`]s.
///
/// - Systems: one in [`GatherSystems::Forces`], after kinematic targets are taken.
///
/// ```
/// # use bevy_app::prelude::*;
/// use orthant::plugin::PhysicsCharacterPlugin;
/// use orthant::prelude::*;
///
/// // An app that needs none of it leaves it out.
/// let mut app = App::new();
/// app.add_plugins(PhysicsPlugins::default().build().disable::<PhysicsCharacterPlugin>());
/// step_physics(app.world_mut(), core::time::Duration::from_millis(10));
/// assert_eq!(app.world().resource::<StepReport>().bodies, 0);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsCharacterPlugin;

impl Plugin for PhysicsCharacterPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<CharacterController>()
            .register_type::<CharacterInput>()
            .register_type::<CharacterState>();
        let lead = controller::lead_characters.after(take_targets).after(drive);
        let lead = lead.in_set(GatherSystems::Forces);
        app.add_systems(PhysicsSchedule, lead);
    }
}

//! Bodies with locked axes on joints to the world: locks of both kinds act on the same directions.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, LockedAxes};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::settings::Settings;
use orthant::math::{Double, Vec3, widen};
use orthant_lab::support::{DT, body, cuboid};

use super::KINDS;

/// Kinds whose rows are not those of locked axes.
const COUPLED: [JointKind; 5] = [
    JointKind::Distance { min: 0.0, max: 0.5 },
    JointKind::Gear { ratio: 2.0 },
    JointKind::RackAndPinion { radius: 0.5 },
    JointKind::Screw { lead: 0.3 },
    JointKind::Pulley { wheels: [Vec3::new(0.0, 2.0, 0.0); 2], ratio: 1.5, length: 6.0 },
];

/// A row along a direction that its body has locked has no mass against it, `ν M⁻¹ νᵀ = 0`: divided by that,
/// its impulse is without bounds. A box at rest, joined to the world, gained up to 6e37 J, on a fixed joint
/// with z and its rotation locked. Here it keeps the energy that it has, for every kind and all locks.
#[test]
fn a_box_at_rest_gains_no_energy() {
    let anchors = [Vec3::ZERO, Vec3::new(0.3, 0.4, 0.5), Vec3::new(2.0, 1.0, -0.5)];
    for gravity in [Vec3::ZERO, Settings::default().gravity] {
        let settings = Settings { gravity, ..Settings::default() };
        let kinds = KINDS.into_iter().chain(COUPLED);
        for (kind, anchor) in kinds.flat_map(|kind| anchors.map(|at| (kind, at))) {
            for locks in 0..64 {
                let mut world = Simulation::new();
                let locked_axes = LockedAxes::from_bits(locks);
                let shape = Some(cuboid(1.0, 0.7, 0.5));
                let desc = BodyDesc { shape, locked_axes, ..BodyDesc::default() };
                let id = world.add_body(desc).expect("a box");
                let joint = JointDesc::to_world(kind, id).with_anchors(anchor, anchor);
                world.add_joint(joint).expect("a sound joint");
                let weight = widen(body(&world, id).mass() * -gravity.y);
                // A hundredth of what it has when it hangs, of which the step is of second order.
                let most = 1e-2 * (1e-2 + weight * widen(anchor.length()));
                for step in 0..60 {
                    world.step(&settings, DT);
                    let height = widen(body(&world, id).center().y);
                    let energy: Double = world.report().kinetic_energy + weight * height;
                    let what = format!("{kind:?} at {anchor}, locks {locks:06b}, step {step}");
                    assert_eq!(world.report().quarantined, [], "{what}: broken");
                    assert!(energy <= most, "{what}: {energy} J more than at rest");
                }
            }
        }
    }
}

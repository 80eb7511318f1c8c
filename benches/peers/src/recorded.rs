//! Figures of engines that are not run here, as they were measured elsewhere.
//!
//! Box3D 0.1.0 (commit 30c67b5) and Jolt 5.5.1 (commit 3b47ec39), built from their sources with clang 14,
//! `-O3` and the instructions of x86-64-v3, on the same scenes with the same settings, steps and checks,
//! one thread, sleeping off, Jolt's damping set to 0; and rapier3d 0.36.1 beside them. Machine: two cores
//! of an AMD EPYC, November 2026. A time is the median of the steps in the window, the median of three
//! runs.
//!
//! Times are scaled: what a machine takes for rapier3d tells how fast it is. Overlaps and joint errors are
//! those of the simulation and need no scale.
//!
//! The bodies are the same to the last bit but for three hulls of `hulls-2000`, which were off by less than
//! a micrometer: enough to make another heap of them.

use crate::engines::Engine;
use crate::measure::Figures;

/// What was measured in a scene.
struct Record {
    scene: &'static str,
    /// Time of rapier3d on that machine (ms).
    rapier: f64,
    box3d: Figures,
    jolt: Figures,
}

/// The engines that are recorded.
pub const ENGINES: [Engine; 2] = [Engine::Box3d, Engine::Jolt];

/// Figures of a recorded engine in a scene, on a machine on which rapier3d takes so long (ms).
pub fn scaled(engine: Engine, scene: &str, rapier: f64) -> Option<Figures> {
    let record = RECORDS.iter().find(|record| record.scene == scene)?;
    let figures = match engine {
        Engine::Box3d => record.box3d,
        Engine::Jolt => record.jolt,
        _ => return None,
    };
    let slower = rapier / record.rapier;
    Some(Figures { milliseconds: figures.milliseconds * slower, ..figures })
}

const fn figures(
    milliseconds: f64,
    overlap: [f64; 2],
    joint_error: Option<[f64; 2]>,
    stands: Option<bool>,
    escaped: usize,
) -> Figures {
    Figures {
        milliseconds,
        tail: None,
        peak: None,
        overlap,
        joint_error,
        joint_median: None,
        speed: None,
        stands,
        escaped,
        solving: None,
    }
}

/// Times (ms), overlaps and joint errors at the end and at worst (m), who stands, who left.
const RECORDS: [Record; 15] = [
    Record {
        scene: "pyramid-20",
        rapier: 0.271,
        box3d: figures(0.338, [0.0035, 0.0035], None, Some(true), 0),
        jolt: figures(0.457, [0.0053, 0.0054], None, Some(true), 0),
    },
    Record {
        scene: "pyramid-40",
        rapier: 1.125,
        box3d: figures(1.391, [0.0071, 0.0071], None, Some(true), 0),
        jolt: figures(2.144, [0.0201, 0.0202], None, Some(false), 0),
    },
    Record {
        scene: "tower-10",
        rapier: 0.009,
        box3d: figures(0.010, [0.005, 0.005], None, Some(true), 0),
        jolt: figures(0.010, [0.0102, 0.0106], None, Some(true), 0),
    },
    Record {
        scene: "tower-30",
        rapier: 0.020,
        box3d: figures(0.024, [0.016, 0.0175], None, Some(true), 0),
        jolt: figures(0.030, [0.02, 0.0743], None, Some(false), 0),
    },
    Record {
        scene: "ratio-100",
        rapier: 0.006,
        box3d: figures(0.007, [0.056, 0.0573], None, Some(true), 0),
        jolt: figures(0.006, [0.0309, 0.0499], None, Some(true), 0),
    },
    Record {
        scene: "ratio-1000",
        rapier: 0.003,
        box3d: figures(0.004, [0.0001, 0.9337], None, Some(false), 0),
        jolt: figures(0.003, [0.02, 0.7079], None, Some(false), 0),
    },
    Record {
        scene: "ratio-10000",
        rapier: 0.003,
        box3d: figures(0.008, [0.9513, 0.9523], None, Some(false), 0),
        jolt: figures(0.003, [0.02, 0.9378], None, Some(false), 0),
    },
    Record {
        scene: "hulls-500",
        rapier: 0.705,
        box3d: figures(0.907, [0.0451, 0.1186], None, None, 0),
        jolt: figures(1.191, [0.0625, 0.1391], None, None, 0),
    },
    Record {
        scene: "hulls-2000",
        rapier: 6.398,
        box3d: figures(5.592, [0.1098, 0.3561], None, None, 0),
        jolt: figures(10.199, [0.0902, 0.329], None, None, 0),
    },
    Record {
        scene: "boxes-2000",
        rapier: 4.256,
        box3d: figures(4.325, [0.0669, 0.2787], None, None, 0),
        jolt: figures(7.023, [0.0397, 0.3295], None, None, 0),
    },
    Record {
        scene: "chain-50-1",
        rapier: 0.048,
        box3d: figures(0.041, [0.0024, 0.0102], Some([0.003, 0.3195]), None, 0),
        jolt: figures(0.030, [0.0, 0.0], Some([0.1443, 0.2007]), None, 0),
    },
    Record {
        scene: "chain-50-100",
        rapier: 0.048,
        box3d: figures(0.039, [0.0, 0.0], Some([0.0681, 0.1398]), None, 0),
        jolt: figures(0.031, [0.0, 0.0], Some([28.9856, 31.1616]), None, 49),
    },
    Record {
        scene: "net-30",
        rapier: 0.866,
        box3d: figures(1.075, [0.0, 0.0], Some([0.0474, 0.1359]), None, 0),
        jolt: figures(0.831, [0.1646, 0.1646], Some([1.4309, 1.5331]), None, 0),
    },
    Record {
        scene: "brazil-nut",
        rapier: 0.626,
        box3d: figures(0.515, [0.0627, 0.0809], None, None, 0),
        jolt: figures(0.635, [0.0444, 0.055], None, None, 0),
    },
    Record {
        scene: "drum",
        rapier: 3.512,
        box3d: figures(3.108, [0.0763, 0.0849], None, None, 0),
        jolt: figures(3.306, [0.0737, 0.0931], None, None, 0),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_half_as_fast_takes_twice_as_long() {
        for record in RECORDS {
            for (engine, figures) in [(Engine::Box3d, record.box3d), (Engine::Jolt, record.jolt)] {
                let there = scaled(engine, record.scene, record.rapier).expect("it is recorded");
                assert_eq!(there, figures, "{} on the machine of the record", record.scene);
                let here =
                    scaled(engine, record.scene, 2.0 * record.rapier).expect("it is recorded");
                let ratio = here.milliseconds / figures.milliseconds;
                assert!((ratio - 2.0).abs() < 1e-12, "{}: {ratio}", record.scene);
            }
        }
    }
}

//! How the steps of a run were solved, from our reports.

use orthant::engine::report::StepReport;

use crate::measure::spread;

/// How the steps of a run were solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solving {
    /// Steps.
    pub steps: usize,
    /// Those with an island above the tolerance.
    pub unsolved: usize,
    /// Was the last one of these?
    pub ends_unsolved: bool,
    /// Bodies frozen.
    pub frozen: usize,
    /// Contacts and joint rows of all steps: solved, swept, softened.
    pub rows: [u64; 3],
    /// Median residual of what moved the bodies, of the steps in the window [m/s].
    pub residual: f64,
}

impl Solving {
    /// Parts of all rows: solved, swept, softened (-).
    pub fn parts(&self) -> [f64; 3] {
        let all = self.rows.iter().sum::<u64>().max(1);
        self.rows.map(|rows| rows as f64 / all as f64)
    }

    /// Part of the steps with an island above the tolerance (-).
    pub fn unsolved_part(&self) -> f64 {
        self.unsolved as f64 / self.steps.max(1) as f64
    }
}

/// What all steps of a run told.
#[derive(Default)]
pub struct Told {
    sums: Solving,
    residuals: Vec<f64>,
}

impl Told {
    /// Adds the report of a step.
    pub fn add(&mut self, report: &StepReport) {
        let sums = &mut self.sums;
        sums.steps += 1;
        sums.ends_unsolved = report.islands_unsolved > 0;
        sums.unsolved += usize::from(sums.ends_unsolved);
        sums.frozen += report.quarantined.len();
        let rows = [report.rows_solved, report.rows_swept, report.rows_softened];
        sums.rows.iter_mut().zip(rows).for_each(|(sum, rows)| *sum += u64::from(rows));
        let joints = report.joint_residual.max(report.motion_residual);
        self.residuals.push(report.natural_map.max(joints));
    }

    /// All of it, residuals of steps `from` to `to`; `None` if nobody told anything.
    pub fn solving(mut self, from: usize, to: usize) -> Option<Solving> {
        let window = self.residuals.get_mut(from..to)?;
        let [residual, ..] = spread(window);
        (self.sums.steps > 0).then_some(Solving { residual, ..self.sums })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_are_of_the_window_and_all_else_of_the_run() {
        let mut told = Told::default();
        for (residual, islands_unsolved) in [(9.0, 3), (9.0, 0), (1.0, 0), (2.0, 1), (3.0, 0)] {
            let (motion_residual, natural_map) = (residual, 0.5);
            let report =
                StepReport { motion_residual, natural_map, islands_unsolved, ..Default::default() };
            told.add(&report);
        }
        let solving = told.solving(2, 5).expect("it was told");
        assert_eq!((solving.steps, solving.unsolved, solving.residual), (5, 2, 2.0), "{solving:?}");
        assert!(!solving.ends_unsolved, "the last one is solved");
        assert_eq!(Told::default().solving(0, 0), None, "nobody told");
    }
}

//! Twenty step problems with known velocities, solved by every solver.
//!
//! The velocities come from an independent implementation and are unique as far as could be tested,
//! so the exact solvers must meet them to 1e-8; Gauss–Seidel must meet the step problem itself to
//! 1e-6.

use orthant::engine::lcp::newton::{self, NewtonParams, NewtonScratch};
use orthant::engine::lcp::pgs::{self, PgsParams, PgsScratch};
use orthant::engine::lcp::{Iterate, SolveStats, Status, Vec6};
use orthant::engine::papers::solvers::lemke::{self, LemkeParams};
use orthant::math::Double;
use orthant_lab::cases::lcp::{self as lcp_case, LcpCase};

struct Buffers {
    velocity: Vec<Vec6>,
    joint_impulse: Vec<Double>,
    contact_impulse: Vec<[Double; 3]>,
    rolling_impulse: Vec<[Double; 3]>,
}

impl Buffers {
    fn new(case: &LcpCase) -> Self {
        Self {
            velocity: case.bodies.iter().map(|b| b.velocity_free).collect(),
            joint_impulse: vec![0.0; case.joints.len()],
            contact_impulse: vec![[0.0; 3]; case.contacts.len()],
            rolling_impulse: Vec::new(),
        }
    }

    fn iterate(&mut self) -> Iterate<'_> {
        Iterate {
            velocity: &mut self.velocity,
            joint_impulse: &mut self.joint_impulse,
            contact_impulse: &mut self.contact_impulse,
            rolling_impulse: &mut self.rolling_impulse,
        }
    }
}

pub(super) fn cases() -> Vec<LcpCase> {
    let cases = lcp_case::all().expect("the case file belongs to the repository");
    assert_eq!(cases.len(), 20, "the file holds twenty cases");
    cases
}

/// Runs `solve` on every case and compares its velocity with the expected one.
fn check_velocities(
    name: &str,
    expected: impl Fn(&LcpCase) -> &[Double],
    mut solve: impl FnMut(&LcpCase, &mut Iterate) -> SolveStats,
) {
    for case in &cases() {
        let mut buffers = Buffers::new(case);
        let stats = solve(case, &mut buffers.iterate());
        let error = case.velocity_error(&buffers.velocity, expected(case));
        println!("{name} case {}: {error:.1e} {stats:?}", case.id);
        assert_eq!(stats.status, Status::Converged, "{name}, case {}: {stats:?}", case.id);
        assert!(error < 1e-8, "{name}, case {}: velocity is off by {error}", case.id);
    }
}

#[test]
fn lemke_gives_the_velocities_of_the_step_problem() {
    check_velocities(
        "Lemke",
        |case| &case.velocity,
        |case, iterate| {
            let stats = lemke::solve(&case.problem(), iterate, &LemkeParams::default());
            assert!(stats.certificate.error() < 1e-11, "case {}: {stats:?}", case.id);
            stats
        },
    );
}

#[test]
fn newton_gives_the_velocities_of_the_step_problem() {
    let mut scratch = NewtonScratch::default();
    check_velocities(
        "Newton",
        |case| &case.velocity,
        |case, iterate| {
            let params = NewtonParams { tolerance: 1e-12, ..NewtonParams::default() };
            newton::solve_rows(&case.problem(), None, iterate, &params, &mut scratch)
        },
    );
}

#[test]
fn newton_gives_the_velocities_of_the_relaxation() {
    let mut scratch = NewtonScratch::default();
    let params = NewtonParams::default();
    check_velocities(
        "Newton at Γ",
        |case| &case.relaxation.velocity,
        |case, iterate| {
            let gamma = &case.relaxation.gamma;
            newton::solve_rows(&case.problem(), Some(gamma), iterate, &params, &mut scratch)
        },
    );
    check_velocities(
        "Newton at Γ = 0",
        |case| &case.relaxation.velocity_gamma_zero,
        |case, it| {
            let gamma = vec![0.0; case.contacts.len()];
            newton::solve_rows(&case.problem(), Some(&gamma), it, &params, &mut scratch)
        },
    );
}

#[test]
fn lemke_gives_the_velocities_at_fixed_slip() {
    check_velocities(
        "Lemke at λ",
        |case| &case.fixed_slip.velocity,
        |case, iterate| lemke::solve_fixed_slip(&case.problem(), &case.fixed_slip.slip, iterate),
    );
}

#[test]
fn gauss_seidel_meets_the_step_problem() {
    let params = PgsParams { iterations_max: 20_000, ..PgsParams::default() };
    for case in &cases() {
        let mut buffers = Buffers::new(case);
        let stats = pgs::solve(
            &case.problem(),
            &mut buffers.iterate(),
            &params,
            &mut PgsScratch::default(),
        );
        println!("PGS case {}: {stats:?}", case.id);
        assert_eq!(stats.status, Status::Converged, "case {}: {stats:?}", case.id);
        assert!(stats.certificate.natural_map <= 1e-6, "case {}: {stats:?}", case.id);
    }
}

#[test]
fn solution_as_warm_start_ends_at_once() {
    let mut scratch = NewtonScratch::default();
    for case in &cases() {
        let mut buffers = Buffers::new(case);
        let params = NewtonParams::default();
        newton::solve_rows(&case.problem(), None, &mut buffers.iterate(), &params, &mut scratch);
        let first = buffers.velocity.clone();
        let stats = newton::solve_rows(
            &case.problem(),
            None,
            &mut buffers.iterate(),
            &params,
            &mut scratch,
        );
        assert_eq!((stats.iterations, stats.factorizations), (0, 0), "case {}", case.id);
        assert_eq!(first, buffers.velocity, "case {}: the velocity stays, bit for bit", case.id);
    }
}

#[test]
fn broken_case_is_an_error_value() {
    let error = lcp_case::read(&serde_json::json!({"dim": 4})).expect_err("four dimensions");
    assert!(error.contains("dim"), "{error}");
    let error = lcp_case::read(&serde_json::json!({"dim": 2})).expect_err("nothing else there");
    assert!(error.contains("mC"), "{error}");
}

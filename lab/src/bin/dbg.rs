use orthant::math::widen;
use orthant_lab::games;
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let steps: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let game = games::by_name(&name).unwrap();
    let mut settings = game.settings();
    if std::env::var("NEWTON").is_ok() {
        settings.solver.method = orthant::engine::lcp::Method::Newton;
    }
    let mut play = games::Play::new(&game, games::DT).unwrap();
    for i in 0..steps {
        let t = std::time::Instant::now();
        let r = play.advance(&settings).clone();
        let dt = t.elapsed().as_secs_f64() * 1e3;
        let ke: f64 = play
            .world
            .bodies()
            .iter()
            .map(|b| 0.5 * widen(b.mass()) * widen(b.linear_velocity.length_squared()))
            .filter(|x| x.is_finite())
            .sum();
        let vm: f64 = play
            .world
            .bodies()
            .iter()
            .map(|b| widen(b.linear_velocity.length()))
            .fold(0.0, f64::max);
        println!(
            "{i} ms {dt:.2} ke {ke:.3e} vmax {vm:.2e} joint {:.2e} unsolved {} rows s/sw/so {} {} {} err {:.1e} rel {:.1e}",
            r.joint_residual,
            r.islands_unsolved,
            r.rows_solved,
            r.rows_swept,
            r.rows_softened,
            r.natural_map,
            r.natural_map_relaxed
        );
    }
}

use orthant_lab::games::{self, DT, Play};
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let from: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let n: usize = std::env::args().nth(3).unwrap().parse().unwrap();
    let game = games::by_name(&name).unwrap();
    let settings = game.settings();
    let mut play = Play::new(&game, DT).unwrap();
    for step in 0..from + n {
        let r = play.advance(&settings);
        if step >= from {
            println!(
                "{step}: it {} fac {} work {:.1} res {:.1e} {:.1e} unsolved {} measured {} of {} {:?}",
                r.iterations,
                r.factorizations,
                r.solves.iter().map(|s| s.work[0] + s.work[1]).sum::<f64>(),
                r.natural_map,
                r.natural_map_relaxed,
                r.islands_unsolved,
                r.measured,
                r.pairs,
                r.solves.iter().map(|s| s.method).collect::<Vec<_>>()
            );
        }
    }
}

use orthant_lab::games::{self, DT, Play};
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let game = games::by_name(&name).unwrap();
    let mut play = Play::new(&game, DT).unwrap();
    let (mut bad, mut work, mut worst): (usize, f64, f64) = (0, 0.0, 0.0);
    let mut steps = vec![];
    for k in 0..n {
        let r = play.advance(&game.settings());
        let w = r.solves.iter().map(|s| s.work[0] + s.work[1]).sum::<f64>();
        work += w;
        if r.islands_unsolved > 0 { bad += 1; steps.push(k); }
        worst = worst.max(r.joint_residual as f64);
    }
    println!("{name} unsolved {bad} {:?} work {:.1} worst joint residual {worst:.1e}", &steps[..steps.len().min(12)], work / n as f64);
}

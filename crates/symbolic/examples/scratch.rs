use winset_symbolic::*;
struct Show(bool);
impl Observer for Show {
    fn iteration(&mut self, i: &Iteration) {
        if self.0 {
            println!("{i:?}");
        }
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let mut o = Options::default();
    let mut g = winset_games::Options::default();
    let mut how = SolveOptions::default();
    let mut v = false;
    for x in &a[3..] {
        match x.as_str() {
            "permove" => o.partition = Partition::PerMove,
            "mono" => o.partition = Partition::Monolithic,
            "std" => o.encoding = Encoding::Standard,
            "plain" => o.kind = Kind::Plain,
            "m2" => g.baseline = winset_games::Baseline::CanBeMade,
            "bottom" => o.turn = TurnPlace::Bottom,
            "matrix" => how.algorithm = Algorithm::Matrix,
            "layered" => how.algorithm = Algorithm::Layered,
            "-v" => v = true,
            x if x.starts_with("mem=") => o.memory = x[4..].parse::<u64>().unwrap() << 20,
            x if x.starts_with("threads=") => o.threads = x[8..].parse().unwrap(),
            x => o.order = x.parse().unwrap(),
        }
    }
    let game = winset_games::build(&a[1], Some(&a[2]), &g).unwrap();
    let t = std::time::Instant::now();
    match solve(&game, &o, how, &mut Show(v)) {
        Err(e) => println!("{e}"),
        Ok(s) => {
            let mut total = [0; 3];
            let mut winner = [0; 3];
            for l in &s.layers {
                for i in 0..3 {
                    total[i] += l.by_mover()[i];
                    winner[i] += l.by_winner()[i];
                }
                if v {
                    println!("{} {} {:?}", l.index, l.positions, l.by_mover());
                }
            }
            println!(
                "{:?} {:?} positions {} layer {} mover {:?} winner {:?} {:?}",
                s.rewards,
                s.layering,
                s.positions,
                s.layer_positions,
                total,
                winner,
                t.elapsed()
            );
        }
    }
    let stat = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{}", stat.lines().find(|l| l.starts_with("VmHWM")).unwrap());
}

use winset_symbolic::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let mut o = Options::default();
    let mut g = winset_games::Options::default();
    for x in &a[3..] {
        match x.as_str() {
            "permove" => o.partition = Partition::PerMove,
            "mono" => o.partition = Partition::Monolithic,
            "std" => o.encoding = Encoding::Standard,
            "plain" => o.kind = Kind::Plain,
            "m2" => g.baseline = winset_games::Baseline::CanBeMade,
            "bottom" => o.turn = TurnPlace::Bottom,
            x => o.order = x.parse().unwrap(),
        }
    }
    let game = winset_games::build(&a[1], Some(&a[2]), &g).unwrap();
    let t = std::time::Instant::now();
    let s = Symbolic::<Bcdd>::from_game(&game, &o).unwrap();
    println!("compile {:?} relation nodes {}", t.elapsed(), s.relation_nodes());
    let mut layer = s.initial.clone();
    let mut total = 0;
    for i in 0.. {
        let n = s.space.count(&layer).unwrap();
        if n == 0 { break; }
        total += n;
        println!("{i} {n} nodes {} total {} {:?}", oxidd::Function::node_count(&layer), s.space.nodes(), t.elapsed());
        layer = s.image(&layer).unwrap();
        s.space.tidy();
    }
    println!("{total} {:?}", t.elapsed());
}

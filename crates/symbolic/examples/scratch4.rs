use winset_symbolic::*;
use oxidd::Function;
struct Show;
impl Observer for Show { fn iteration(&mut self, i: &Iteration) { println!("{i:?}"); } }
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let game = winset_games::build(&a[1], Some(&a[2]), &Default::default()).unwrap();
    for encoding in [Encoding::Standard, Encoding::ShortEmpty] {
        let o = Options { memory: 4 << 30, encoding, order: Order::Rows, ..Options::default() };
        let g = SymbolicGame::<Bcdd>::new(&game, &o).unwrap();
        let s = &g.symbolic;
        let rel = s.monolithic().unwrap();
        let w = g.won_at_once(1, s.space.domain()).unwrap();
        println!("{encoding:?} initial {} relation {} winning {} states {}", s.initial.node_count(), rel.node_count(), w.node_count(), s.space.count(&w).unwrap());
    }
    for (i, v) in Variant::ALL.into_iter().enumerate() {
        if a.len() > 3 && !a[3].contains(&i.to_string()) { continue; }
        let mut o = Options { memory: 4 << 30, order: Order::Rows, ..Options::default() };
        if a.len() > 4 { o.partition = if a[4] == "mono" { Partition::Monolithic } else { Partition::PerMove }; }
        let t = std::time::Instant::now();
        let mut g = SymbolicGame::<Bcdd>::new(&game, &o).unwrap();
        let mut log = vec![];
        let m = prepare(&mut g, v).unwrap();
        let r = Retrograde::new(&g, v, m, &mut log).unwrap();
        log.clear();
        let w = r.winning(1, &mut Show).unwrap();
        let b = r.winning(0, &mut ()).unwrap();
        let o = r.outcomes(&b, &w).unwrap();
        println!("{v:?} peak {} iterations {} {:?} {:?} {:?}", w.peak, w.iterations, o, log.iter().map(|i| i.nodes).collect::<Vec<_>>(), t.elapsed());
    }
}

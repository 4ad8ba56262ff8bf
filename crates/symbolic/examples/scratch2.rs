use winset_symbolic::*;
use std::time::{Instant, Duration};
use oxidd::Function;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let o = Options { memory: 1 << 30, ..Options::default() };
    let game = winset_games::build(&a[1], Some(&a[2]), &Default::default()).unwrap();
    let g = SymbolicGame::<Bcdd>::new(&game, &o).unwrap();
    let s = &g.symbolic;
    println!("stops {} nodes {:?}", s.stops.len(), s.stops.iter().map(|x| x.node_count()).collect::<Vec<_>>());
    let mut t = [Duration::ZERO; 6];
    let mut layer = s.initial.clone();
    let en: Vec<Bcdd> = (0..s.parts.len()).map(|i| s.enabled(i).unwrap()).collect();
    while layer != *s.space.none() {
        let i = Instant::now();
        let go = s.space.subtract(&layer, &s.stops).unwrap();
        t[0] += i.elapsed(); let i = Instant::now();
        let term = s.space.diff(&layer, &go).unwrap();
        g.by_rewards(&term).unwrap();
        t[1] += i.elapsed(); let i = Instant::now();
        g.by_turn(&go).unwrap();
        t[2] += i.elapsed(); let i = Instant::now();
        s.space.subtract(&go, &en).unwrap();
        t[3] += i.elapsed(); let i = Instant::now();
        s.space.count(&go).unwrap();
        t[4] += i.elapsed(); let i = Instant::now();
        layer = s.image_of_going_on(&go, Which::default()).unwrap();
        s.space.tidy();
        t[5] += i.elapsed();
    }
    println!("stops {:?} rewards {:?} turn {:?} check {:?} count {:?} image {:?}", t[0], t[1], t[2], t[3], t[4], t[5]);
}

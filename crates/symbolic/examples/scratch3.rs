use winset_symbolic::*;
use std::time::{Instant, Duration};
use oxidd::Function;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let o = Options { memory: 2 << 30, ..Options::default() };
    let game = winset_games::build(&a[1], Some(&a[2]), &Default::default()).unwrap();
    let g = SymbolicGame::<Bcdd>::new(&game, &o).unwrap();
    let s = &g.symbolic;
    let mut t = [Duration::ZERO; 6];
    let mut n = vec![];
    for (k, limit) in [0, 100, 1000, 10000, 100000].into_iter().enumerate() {
        let mut stops = s.stops.clone();
        stops.sort_by_key(|x| x.root_level());
        let mut c: Vec<Bcdd> = vec![];
        'x: for p in stops {
            if limit > 0 {
            for q in c.iter_mut() {
                let j = s.space.or(q, &p).unwrap();
                if j.node_count() <= limit { *q = j; continue 'x; }
            } }
            c.push(p);
        }
        n.push(c.len());
        s.space.collect();
        let mut layer = s.initial.clone();
        while layer != *s.space.none() {
            let i = Instant::now();
            let go = s.space.subtract(&layer, &c).unwrap();
            t[k] += i.elapsed(); 
            layer = s.image_of_going_on(&go, Which::default()).unwrap();
            s.space.collect();
        }
    }
    println!("{n:?} {t:?}");
}

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.rsplit('/').next().unwrap();
        let t = std::time::Instant::now();
        match winset_gdl::compile(name, &bytes, &Default::default()) {
            Ok(g) => {
                let s = g.summary;
                println!(
                    "{name:40} {:5} fl {:5} vars {:7} moves {:7} exprs {:5} seen {} open {:.2}",
                    s.fluents,
                    s.variables,
                    s.moves,
                    s.expressions,
                    s.explored,
                    if s.complete { "complete" } else { "partial" },
                    t.elapsed().as_secs_f64()
                )
            }
            Err(e) => println!("{name:40} {:.2} {}", t.elapsed().as_secs_f64(), {
                let mut s = e.to_string();
                s.truncate(200);
                s
            }),
        }
    }
}

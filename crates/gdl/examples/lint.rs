//! Prints the warnings about GDL files, without grounding them.
//!
//! `cargo run --release -p winset-gdl --example lint -- FILE...`

fn main() {
    for path in std::env::args().skip(1) {
        let Ok(bytes) = std::fs::read(&path) else {
            println!("{path}: cannot be read");
            continue;
        };
        let started = std::time::Instant::now();
        for finding in winset_gdl::check(&bytes, &Default::default()) {
            let (line, column) = winset_gdl::position(&bytes, finding.span.start);
            println!("{path}:{line}:{column}: {finding}");
        }
        if started.elapsed().as_secs_f64() > 0.5 {
            println!("{path}: {:.2} s", started.elapsed().as_secs_f64());
        }
    }
}

fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let t = std::time::Instant::now();
        match winset_gdl::try_ground(&bytes) {
            Ok(x) => println!("{:40} {:?} {:.2}", path.rsplit('/').next().unwrap(), x, t.elapsed().as_secs_f64()),
            Err(e) => println!("{:40} {:.2} {}", path.rsplit('/').next().unwrap(), t.elapsed().as_secs_f64(), e.iter().filter(|d| d.severity==winset_gdl::Severity::Error).map(|d| d.render(&path, &bytes)).collect::<String>()),
        }
    }
}

//! What `--memory` promises against what the process really takes: every built-in game from its smallest board
//! to the usual one, by every engine and by `auto`; games in GDL, from the library and, where it is there, from a corpus
//! beside the project; models in SMV; stores that are checked, asked and served; each under several budgets.
//!
//! Arguments after `--` are budgets (default 64M 512M), engines (default all), parts (boards, gdl, smv, stores; default
//! all), or the seconds after which a run is stopped (default 10): a promise must hold from the first moment on, so
//! that a stopped run tells as much as one that ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const BOARDS: &[(&str, &[&str])] = &[
    ("tictactoe", &["3x3", "4x3", "4x4", "5x5x4"]),
    ("connect4", &["4x4", "5x4", "4x5", "5x5", "6x5", "6x6", "7x6", "8x8"]),
    ("othello", &["3x3", "3x4", "4x4", "4x5", "4x6", "5x5", "6x6", "8x8"]),
    ("breakthrough", &["4x3", "4x4", "5x3", "5x4", "6x3", "7x3", "6x4", "5x5", "6x5", "5x6", "8x8"]),
    ("checkers", &["3", "4", "5", "6", "7", "8"]),
];

/// Engines with the number of threads that they are given, by the names under which they are chosen.
const ENGINES: [(&str, &str, &str); 5] = [
    ("layers", "layers", "1"),
    ("layers2", "layers", "2"),
    ("bdd", "bdd", "1"),
    ("explicit", "explicit", "2"),
    ("auto", "auto", "2"),
];

/// What is run.
const PARTS: [&str; 4] = ["boards", "gdl", "smv", "stores"];

const BASELINES: [&[&str]; 2] = [&[], &["--baseline", "m2"]];

fn bytes(budget: &str) -> Option<f64> {
    let unit = match budget.chars().last()? {
        'G' => 1073741824.0,
        'M' => 1048576.0,
        _ => return None,
    };
    budget[..budget.len() - 1].parse::<f64>().ok().map(|number| number * unit)
}

/// The most memory that a process has had.
fn peak(process: &Child) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib * 1024.0)
}

/// A program that answers over HTTP says where, and is asked for as long as a run may take: pages, figures and batches.
fn serve(arguments: &[&str], limit: Duration) -> (String, f64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_winset"));
    command.args(arguments).args(["--bind", "127.0.0.1:0"]);
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("winset runs");
    let mut said = String::new();
    let stdout = process.stdout.as_mut().expect("piped");
    BufReader::new(stdout).read_line(&mut said).expect("a line that says where");
    let url = said.trim().rsplit_once("http://").map(|(_, url)| url.to_owned());
    let (began, mut asked) = (Instant::now(), 0);
    let Some((host, page)) = url.as_deref().and_then(|url| url.split_once('/')) else {
        process.wait().expect("it is ours");
        return ("refused".to_owned(), 0.0);
    };
    let game = page.trim_start_matches("g/");
    let paths = ["", "/stats", "/histogram", "/sample?n=1000", "/positions", "/line"];
    let paths = paths.map(|path| format!("/api/v1/games/{game}{path}"));
    while began.elapsed() < limit {
        for path in paths.iter().map(String::as_str).chain([&*format!("/{page}")]) {
            let asks = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let mut answer = vec![];
            let got = TcpStream::connect(host).and_then(|mut stream| {
                stream.write_all(asks.as_bytes())?;
                stream.read_to_end(&mut answer)
            });
            let ok = got.is_ok() && answer.starts_with(b"HTTP/1.1 200");
            asked += usize::from(ok);
        }
    }
    let most = peak(&process).unwrap_or(0.0);
    process.kill().expect("it is ours");
    process.wait().expect("it is ours");
    (format!("{asked} answers"), most)
}

/// How a run ended, and its peak.
fn run(arguments: &[&str], limit: Duration) -> (String, f64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_winset"));
    command.args(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("winset runs");
    let (began, mut most) = (Instant::now(), 0f64);
    loop {
        most = peak(&process).unwrap_or(0.0).max(most);
        if let Some(status) = process.try_wait().expect("it is ours") {
            let mut message = String::new();
            let stderr = process.stderr.as_mut().expect("piped");
            stderr.read_to_string(&mut message).expect("text");
            let end = match status.code() {
                Some(0) => format!("done in {:.1} s", began.elapsed().as_secs_f64()),
                Some(1 | 2) => message.lines().take(2).collect::<Vec<_>>().join(" "),
                other => format!("EXIT {other:?}: {message}"),
            };
            return (end, most);
        }
        if began.elapsed() > limit {
            process.kill().expect("it is ours");
            process.wait().expect("it is ours");
            return ("stopped".to_owned(), most);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The command lines of every part, without the budget: what is shown, and the arguments.
struct Runs(Vec<(String, Vec<String>)>);

impl Runs {
    fn add(&mut self, shown: impl Into<String>, arguments: &[&str]) {
        self.0.push((shown.into(), arguments.iter().map(|&word| word.to_owned()).collect()));
    }

    fn boards(&mut self, chosen: impl Fn(&str) -> bool) {
        for (game, sizes) in BOARDS {
            let baselines = if *game == "breakthrough" { &BASELINES[..] } else { &BASELINES[..1] };
            for (size, baseline) in sizes.iter().flat_map(|size| baselines.iter().map(move |b| (size, b))) {
                for (name, engine, threads) in ENGINES.into_iter().filter(|engine| chosen(engine.0)) {
                    let mut arguments = vec!["solve", *game, *size, "--engine", engine, "--threads", threads];
                    arguments.extend_from_slice(baseline);
                    self.add(format!("{game} {size} {} {name}", baseline.last().unwrap_or(&"")), &arguments);
                }
            }
        }
    }

    fn gdl(&mut self) {
        for game in winset_gdl::LIBRARY {
            self.add(
                format!("{} layers", game.family.name),
                &["solve", game.family.name, "--engine", "layers"],
            );
            self.add(game.family.name, &["solve", game.family.name]);
        }
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/gdl/games");
        let files = std::fs::read_dir(corpus).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> =
            files.filter(|path| path.extension().is_some_and(|e| e == "kif")).collect();
        files.sort();
        for file in files {
            let (path, name) =
                (file.to_string_lossy(), file.file_name().unwrap_or_default().to_string_lossy());
            self.add(format!("ground {name}"), &["ground", &path]);
            self.add(format!("lint {name}"), &["lint", &path]);
            self.add(format!("{name} layers"), &["solve", &path, "--engine", "layers"]);
            self.add(format!("{name} bdd"), &["solve", &path, "--engine", "bdd"]);
            self.add(&*name, &["solve", &path]);
        }
    }

    fn smv(&mut self, here: &Path) {
        let list = |n: usize, separator: &str, item: &dyn Fn(usize) -> String| {
            (0..n).map(item).collect::<Vec<_>>().join(separator)
        };
        let models = [
            (
                "enumeration",
                format!(
                    "VAR x : {{{}}}; ASSIGN next(x) := v1; SPEC AG x = v0",
                    list(60_000, ",", &|i| format!("v{i}"))
                ),
            ),
            (
                "range",
                "VAR x : 0..60000; ASSIGN next(x) := case x < 60000 : x + 1; TRUE : 0; esac; SPEC AG x = 0"
                    .to_owned(),
            ),
            ("arrays", "VAR x : array 0..200 of 0..1000; SPEC x[3] = 4".to_owned()),
            ("variables", format!("VAR {} SPEC AG x0", list(20_000, " ", &|i| format!("x{i} : boolean;")))),
            (
                "products",
                "VAR x : 0..999; y : 0..999; INIT x * y = 77; TRANS next(x) = y & next(y) = x; SPEC AG x = y"
                    .to_owned(),
            ),
        ];
        for (name, text) in models {
            let path = here.join(format!("{name}.smv"));
            std::fs::write(&path, format!("MODULE main {text}")).expect("a temporary folder");
            self.add(format!("check {name}"), &["check", &path.to_string_lossy()]);
        }
        self.add("check connect4 4x4", &["check", "connect4", "4x4", "--formula", "EF terminal"]);
    }

    fn stores(&mut self, here: &Path) {
        for (game, size) in
            [("connect4", "5x4"), ("othello", "4x4"), ("breakthrough", "5x4"), ("chinese-checkers-4", "")]
        {
            let store = here.join(game);
            let path = store.to_string_lossy().into_owned();
            let mut solve = vec!["solve", game];
            solve.extend((!size.is_empty()).then_some(size));
            solve.extend(["--out", &path]);
            if !run(&solve, Duration::from_secs(120)).0.starts_with("done") {
                continue;
            }
            for command in ["verify", "query", "stats", "export", "serve"] {
                self.add(format!("{command} {game} {size}"), &[command, &path]);
            }
            self.add(format!("verify a sample of {game} {size}"), &["verify", &path, "--sample", "100000"]);
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let seconds = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(10);
    let mut budgets: Vec<&str> = args.iter().map(String::as_str).filter(|arg| bytes(arg).is_some()).collect();
    if budgets.is_empty() {
        budgets = vec!["64M", "512M"];
    }
    let one_of = |names: &[&str], name: &str| {
        !args.iter().any(|arg| names.contains(&arg.as_str())) || args.iter().any(|arg| arg == name)
    };
    let here = std::env::temp_dir().join(format!("winset-memory-{}", std::process::id()));
    std::fs::create_dir_all(&here).expect("a temporary folder");
    let mut runs = Runs(vec![]);
    for part in PARTS.into_iter().filter(|part| one_of(&PARTS, part)) {
        match part {
            "boards" => runs.boards(|name| one_of(&ENGINES.map(|engine| engine.0), name)),
            "gdl" => runs.gdl(),
            "smv" => runs.smv(&here),
            _ => runs.stores(&here),
        }
    }
    let mut worst = (0f64, String::new());
    println!("{:<40} {:>7} {:>10} {:>7}", "", "budget", "peak MiB", "ratio");
    for (shown, arguments) in &runs.0 {
        for budget in &budgets {
            let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            arguments.extend(["--memory", budget]);
            let run = if arguments[0] == "serve" { serve } else { run };
            let (end, peak) = run(&arguments, Duration::from_secs(seconds));
            let ratio = peak / bytes(budget).expect("checked above");
            if ratio > worst.0 {
                worst = (ratio, format!("{shown} {budget}"));
            }
            let mib = peak / 1048576.0;
            println!("{shown:<40} {budget:>7} {mib:>10.1} {ratio:>7.2}  {end}");
        }
    }
    println!("{} runs, largest ratio {:.2} ({})", runs.0.len() * budgets.len(), worst.0, worst.1);
    std::fs::remove_dir_all(&here).expect("it is ours");
}

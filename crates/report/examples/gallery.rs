//! Draws one picture of each kind, as SVG and PNG, into the directory that it is given: to be looked at.

use winset_report::plot::{Bar, Content, Figure, Format, Panel, Series};

fn main() {
    let directory = std::env::args().nth(1).expect("a directory");
    let panel = |heading: &str, x: &str, y: &str, content| Panel {
        heading: heading.to_owned(),
        x: x.to_owned(),
        y: y.to_owned(),
        content,
    };
    let wave = |i: f64, at: f64| 1e6 * (-((i - at) / 5.0).powi(2)).exp();
    let bar = |i: u32| {
        let i = f64::from(i);
        Bar { label: format!("{i}"), parts: vec![wave(i, 12.0), wave(i, 17.0), wave(i, 14.0) / 3.0] }
    };
    let parts = ["X wins", "tied", "O wins"].map(str::to_owned).to_vec();
    let line = |name: &str, at: f64| Series {
        name: name.to_owned(),
        points: (0..24).map(|i| (f64::from(i), wave(f64::from(i), at))).collect(),
    };
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789";
    let figure = Figure {
        title: "connect4 5x4 (a gallery) \u{4e2d}".to_owned(),
        panels: vec![
            panel(
                "positions per layer",
                "layer",
                "positions",
                Content::Bars(parts, (0..21).map(bar).collect()),
            ),
            panel(
                "positions by distance to the end",
                "plies to the end",
                "positions",
                Content::Lines(vec![line("X wins", 5.0), line("tied", 20.0), line("O wins", 9.0)]),
            ),
            panel(
                letters,
                ".,:;!?-+=_/\\()[]{}<>|%&*#$@'\"`^~",
                "each letter",
                Content::Bars(vec![], vec![]),
            ),
        ],
    };
    for (name, format) in [("gallery.svg", Format::Svg), ("gallery.png", Format::Png)] {
        let bytes = figure.draw(format).expect("it can be drawn");
        std::fs::write(format!("{directory}/{name}"), bytes).expect("it can be written");
    }
}

//! Every experiment at a small size: nothing differs that should not, and every comparison can fail.

use std::path::Path;
use std::time::Duration;
use winset::Catalogue;
use winset_papers::{Comparison, EXPERIMENTS, Experiment, Setting, Size, Verdict};

fn run(experiment: &Experiment, falsify: bool) -> Comparison {
    let setting = Setting {
        size: Size::Small,
        falsify,
        memory: 512 << 20,
        listener: &(),
        catalogue: &Catalogue::default(),
        games: None,
        limit: Duration::from_secs(1),
        used: None,
        program: Path::new("winset"),
    };
    experiment.compare(&setting).unwrap_or_else(|error| panic!("{}: {error}", experiment.name))
}

/// What needs files from outside is tested with the program, which solves them.
fn experiments() -> impl Iterator<Item = &'static Experiment> {
    EXPERIMENTS.iter().filter(|experiment| experiment.name != "gdl-oracle")
}

/// A published figure that is changed is noticed wherever figures are said to match: by a fault, since a match needs no
/// reason to differ.
#[test]
fn every_experiment_agrees_and_notices_a_planted_figure() {
    for experiment in experiments() {
        let right = run(experiment, false);
        assert_eq!(right.faults().collect::<Vec<_>>(), Vec::<String>::new(), "{}", experiment.name);
        assert!(!right.rows.is_empty(), "{}", experiment.name);
        // Seconds of other machines are not compared.
        for row in &right.rows {
            let time = row.what.contains("second") || row.what.contains("hours at");
            let compared = matches!(row.verdict, Verdict::Match | Verdict::Differs);
            assert!(!(time && compared), "{}: {}", experiment.name, row.what);
        }
        let wrong = run(experiment, true);
        assert_eq!(right.rows.len(), wrong.rows.len(), "{}", experiment.name);
        let matches = right.rows.iter().zip(&wrong.rows).filter(|(right, _)| right.verdict == Verdict::Match);
        for (right, wrong) in matches {
            assert_eq!(right.what, wrong.what);
            let noticed = wrong.verdict == Verdict::Differs && wrong.fault;
            assert!(noticed, "{}: {}: {} and {}", experiment.name, right.what, wrong.published, wrong.ours);
        }
    }
}

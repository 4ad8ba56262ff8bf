//! Whole models: what they mean, and which of their specifications hold.

use winset_mu::{Report, Universe, check};
use winset_smv::{Limits, Model, read};
use winset_symbolic::{Encoding, Kind, Options};

fn model(text: &str) -> Model {
    read(text, &Limits::default()).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn report(model: &Model) -> Report {
    let formulas: Vec<_> = model.specs.iter().map(|spec| spec.branching().unwrap()).collect();
    let options = Options { memory: 128 << 20, ..Options::default() };
    check(&model.system, &formulas, Universe::Reachable, None, &options).unwrap().unwrap()
}

fn verdicts(text: &str) -> (Report, String) {
    let model = model(text);
    let report = report(&model);
    let holds = report.verdicts.iter().map(|v| if v.holds { 'T' } else { 'F' }).collect();
    (report, holds)
}

#[test]
fn counter() {
    let (report, holds) = verdicts(include_str!("../models/counter.smv"));
    assert_eq!((holds.as_str(), report.states, report.deadlocks), ("TTFT", 8, 0));
    assert_eq!(report.verdicts[2].satisfying, 0);
}

#[test]
fn semaphore() {
    let (report, holds) = verdicts(include_str!("../models/semaphore.smv"));
    assert_eq!(holds, "TTFF");
    let trace = &report.verdicts[2].trace;
    assert!(trace.back_to.is_some(), "a scheduler that starves the first user");
    assert!(trace.steps.iter().all(|step| step.name.starts_with("run = ")));
}

#[test]
fn mutual_exclusion() {
    let (report, holds) = verdicts(include_str!("../models/mutex.smv"));
    assert_eq!(holds, "TTTTF");
    assert_eq!(report.initial, 2);
}

#[test]
fn river_crossing() {
    let (report, holds) = verdicts(include_str!("../models/river.smv"));
    assert_eq!((holds.as_str(), report.states), ("TFTTF", 16));
    assert_eq!(report.verdicts[0].trace.steps.len(), 7, "the classic solution takes seven crossings");
    assert_eq!(report.verdicts[1].trace.steps.len(), 7);
}

#[test]
fn tic_tac_toe() {
    let (report, holds) = verdicts(include_str!("../models/tictactoe.smv"));
    assert_eq!((holds.as_str(), report.states, report.deadlocks), ("FFTTT", 5_478, 958));
    assert_eq!([report.verdicts[0].satisfying, report.verdicts[1].satisfying], [2_936, 1_474]);
}

#[test]
fn older_style() {
    let (report, holds) = verdicts(include_str!("../models/request.smv"));
    assert_eq!((holds.as_str(), report.states), ("TTFT", 4));
}

#[test]
fn arrays_may_have_computed_indices() {
    let (report, holds) = verdicts(
        "MODULE main
         VAR i : 0..2; a : array 0..2 of array 1..2 of 0..3; hit : boolean;
         ASSIGN init(i) := 0; next(i) := (i + 1) mod 3;
           init(a[0][1]) := 1; init(a[1][1]) := 2; init(a[2][1]) := 3;
           init(a[0][2]) := 0; init(a[1][2]) := 0; init(a[2][2]) := 0;
           next(a[0][1]) := a[0][1]; next(a[1][1]) := a[1][1]; next(a[2][1]) := a[2][1];
           next(a[0][2]) := a[i][1]; next(a[1][2]) := a[1][2]; next(a[2][2]) := (a[i][1] + 3) mod 4;
           hit := a[i][1] = 3;
         SPEC AG (hit <-> i = 2)
         SPEC AG (i = 1 -> AX a[0][2] = 2 & AX a[2][2] = 1)",
    );
    assert_eq!(holds, "TT");
    assert_eq!(report.initial, 1);
}

#[test]
fn invariants_bound_the_states() {
    let text = "MODULE main VAR x : 0..7; y : -3..3; INVAR x + y = 4 TRANS next(x) >= x SPEC AG (x >= 1 & x <= 7) \
                SPEC AG EF (x = 7) INVARSPEC abs(y) < 4 INVARSPEC max(x, 4) - min(y, 0) * 0 >= 4";
    let (report, holds) = verdicts(text);
    assert_eq!((holds.as_str(), report.states, report.deadlocks), ("TTTT", 7, 0));
    let model = model(text);
    let all = Universe::Within(model.states);
    let report = check(&model.system, &[], all, None, &Options { memory: 64 << 20, ..Options::default() });
    assert_eq!(report.unwrap().unwrap().states, 7);
}

#[test]
fn disjunctions_become_parts_that_write_little() {
    let model = model(
        "MODULE main VAR a : boolean; b : {p, q}; DEFINE flip := next(a) != a & next(b) = b;
         TRANS flip | next(a) = a & b = p & next(b) = q",
    );
    let writes: Vec<(String, usize)> =
        model.system.relations.iter().map(|r| (r.name.clone(), r.writes.len())).collect();
    assert_eq!(writes, [("flip".to_owned(), 1), ("step 2".to_owned(), 1)]);
}

#[test]
fn frozen_variables_and_constants() {
    let (_, holds) = verdicts(
        "MODULE main CONSTANTS red, green; FROZENVAR f : {red, green}; VAR x : boolean;
         SPEC AG (f = red -> AG f = red) SPEC EF (f = green)",
    );
    assert_eq!(holds, "TF");
}

#[test]
fn a_variable_left_free_takes_no_code_without_a_value() {
    for size in 2..=17 {
        let last = size - 1;
        let text = format!(
            "MODULE main VAR req : 0..{last}; alarm : boolean;
             ASSIGN init(alarm) := FALSE; next(alarm) := case req <= {last} : alarm; TRUE : TRUE; esac;
             SPEC AG !alarm SPEC AG req <= {last}"
        );
        let model = model(&text);
        let formulas: Vec<_> = model.specs.iter().map(|spec| spec.branching().unwrap()).collect();
        for encoding in [Encoding::Standard, Encoding::ShortEmpty, Encoding::Binary] {
            for kind in [Kind::Complement, Kind::Plain] {
                let options = Options { memory: 48 << 20, encoding, kind, ..Options::default() };
                let report = check(&model.system, &formulas, Universe::Reachable, None, &options);
                let report = report.unwrap().unwrap();
                assert_eq!(report.states, size, "{options:?}");
                for verdict in &report.verdicts {
                    assert!(verdict.holds && verdict.satisfying == size, "{size} values, {options:?}");
                }
            }
        }
    }
}

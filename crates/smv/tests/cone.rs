//! Variables that nothing depends on are left out, and nothing else changes.

use winset_formula::{Fairness, Property};
use winset_model::{ExprId, System};
use winset_mu::{Paths, Query, Report, Universe, Whole, answer};
use winset_smv::{Limits, Model, cone, read};
use winset_symbolic::Options;

fn report(system: &System, whole: Option<&System>, properties: &[Property], fairness: &Fairness) -> Report {
    let query = Query {
        system,
        properties,
        paths: Paths::Fair(fairness),
        scope: Universe::Reachable.into(),
        order: None,
        options: &Options { memory: 64 << 20, ..Options::default() },
        certify: false,
        progress: None,
        whole: whole.map(|system| Whole { system, at_any_cost: true }),
    };
    answer(&query).unwrap().unwrap()
}

fn roots(model: &Model) -> Vec<ExprId> {
    model
        .fairness
        .sets()
        .into_iter()
        .chain(model.specs.iter().flat_map(|spec| spec.property.sets()))
        .collect()
}

/// The names of the variables that are left out.
fn left_out(text: &str) -> Vec<String> {
    let model = read(text, &Limits::default()).unwrap();
    let cone = cone(&model.system, roots(&model));
    let left_out = cone.map_or(vec![], |cone| cone.left_out);
    left_out.iter().map(|var| model.system.variables[var.index()].name.clone()).collect()
}

#[test]
fn what_nothing_depends_on_is_left_out() {
    let model = |more: &str| {
        format!(
            "MODULE main VAR a : 0..3; b : boolean; c : 0..3; d : boolean;
             ASSIGN init(a) := 0; next(a) := case b : 1; TRUE : 2; esac; init(c) := {{1, 2}}; next(c) := a;
             next(d) := !d; {more}"
        )
    };
    assert_eq!(left_out(&model("SPEC AF a = 1")), ["c", "d"]);
    assert_eq!(left_out(&model("SPEC AG c < 3")), ["d"]);
    assert_eq!(left_out(&model("FAIRNESS d SPEC AF a = 1")), ["c"]);
    // What restricts is kept, with what it speaks of.
    assert_eq!(left_out(&model("INVAR c < 3 SPEC AF a = 1")), ["d"]);
    assert_eq!(left_out(&model("TRANS d -> next(c) > 0 SPEC AF b")), [""; 0]);
    assert_eq!(left_out(&model("INIT d = (c = 1) SPEC AF a = 1")), [""; 0]);
    // It has no next value where a is 3.
    assert_eq!(left_out(&model("TRANS next(b) = (b | a < 3) & a < 3 SPEC AF c = 0")), ["d"]);
}

/// A variable without a next value stops the whole system.
#[test]
fn what_may_stop_is_kept() {
    let text = "MODULE main VAR a : boolean; b : 0..2; INIT b = 0 ASSIGN next(a) := !a; TRANS next(b) = b + 1 SPEC EG TRUE";
    assert_eq!(left_out(text), ["a"]);
    let text = "MODULE main VAR a : boolean; b : 0..2; INIT b = 0 ASSIGN next(a) := !a; TRANS next(b) = b + 1 SPEC EF a";
    assert_eq!(left_out(text), [""; 0]);
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }

    fn variable(&mut self) -> String {
        ["a", "b", "c", "d", "e"][self.below(5)].to_owned()
    }

    fn condition(&mut self) -> String {
        let (x, y, n) = (self.variable(), self.variable(), self.below(3));
        match self.below(4) {
            0 => format!("{x} = {n}"),
            1 => format!("{x} < {y}"),
            2 => format!("({x} = {n} | {y} != {n})"),
            _ => format!("{x} != {n}"),
        }
    }

    fn value(&mut self) -> String {
        let (x, n, condition) = (self.variable(), self.below(3), self.condition());
        match self.below(5) {
            0 => x,
            1 => format!("case {condition} : {x}; TRUE : {n}; esac"),
            2 => format!("{{{n}, {x}}}"),
            3 => format!("({x} + 1) mod 3"),
            _ => n.to_string(),
        }
    }

    fn model(&mut self) -> String {
        let mut text = "MODULE main VAR a : 0..2; b : 0..2; c : 0..2; d : 0..2; e : 0..2;\n".to_owned();
        for x in ["a", "b", "c", "d", "e"] {
            if self.below(4) > 0 {
                text += &format!("ASSIGN next({x}) := {};\n", self.value());
            }
            if self.below(2) > 0 {
                text += &format!("ASSIGN init({x}) := {};\n", self.below(3));
            }
        }
        // Two relations, or what nothing reads of a step.
        if self.below(4) == 0 {
            let (x, value) = (self.variable(), self.value());
            text += &format!("IVAR i : boolean; TRANS i -> next({x}) = {value}\n");
        }
        for kind in ["INVAR", "INIT", "FAIRNESS"] {
            if self.below(6) == 0 {
                text += &format!("{kind} {}\n", self.condition());
            }
        }
        if self.below(6) == 0 {
            let (x, condition) = (self.variable(), self.condition());
            text += &format!("TRANS {condition} -> next({x}) != {}\n", self.below(3));
        }
        let p = format!("{} = {}", self.variable(), self.below(3));
        let q = format!("{} = {}", self.variable(), self.below(3));
        let spec = [
            format!("INVARSPEC !({p})"),
            format!("SPEC AG ({p} -> EF {q})"),
            format!("SPEC EF ({p} & EX {q})"),
            format!("SPEC A [{p} U {q}]"),
            format!("LTLSPEC G ({p} -> F {q})"),
            format!("LTLSPEC F G {p}"),
        ];
        text + &spec[self.below(6)]
    }
}

#[test]
fn verdicts_and_paths_are_the_same_without_them() {
    let (mut random, mut smaller, mut wrong) = (Random(7), 0, 0);
    for _ in 0..1500 {
        let text = random.model();
        // Assignments in a circle are refused.
        let Ok(model) = read(&text, &Limits::default()) else { continue };
        let Some(cone) = cone(&model.system, roots(&model)) else { continue };
        smaller += 1;
        let properties: Vec<Property> = model.specs.iter().map(|spec| spec.property.clone()).collect();
        let whole = report(&model.system, None, &properties, &model.fairness);
        // Its paths are followed, step by step, before they come out.
        let part = report(&cone.system, None, &properties, &model.fairness);
        // The whole system's numbers, found beside the cone's verdicts.
        let counted = report(&cone.system, Some(&model.system), &properties, &model.fairness);
        assert!(counted.of_whole, "{text}");
        let numbers = |r: &Report| [r.states, r.initial, r.deadlocks, r.unfair];
        assert_eq!(numbers(&counted), numbers(&whole), "{text}");
        for (counted, whole) in counted.verdicts.iter().zip(&whole.verdicts) {
            assert_eq!((counted.holds, counted.satisfying), (whole.holds, whole.satisfying), "{text}");
        }
        assert!(part.states <= whole.states, "{text}");
        assert_eq!(
            (whole.initial == 0, whole.deadlocks == 0),
            (part.initial == 0, part.deadlocks == 0),
            "{text}"
        );
        assert_eq!(whole.unfair == whole.initial, part.unfair == part.initial, "{text}");
        for (whole, part) in whole.verdicts.iter().zip(&part.verdicts) {
            assert_eq!(whole.holds, part.holds, "{text}");
            wrong += usize::from(!whole.holds);
            // The shortest way to what breaks an invariant is as long in both.
            if matches!(properties[0], Property::Invariant(_)) {
                assert_eq!(whole.trace.steps.len(), part.trace.steps.len(), "{text}");
            }
        }
    }
    assert!(smaller > 300 && wrong > 50, "{smaller} smaller systems, {wrong} false specifications");
}

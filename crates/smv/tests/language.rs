//! The constructs of the language one by one, in models small enough to know the answer.

use winset_formula::Property;
use winset_model::Exprs;
use winset_mu::{Distance, Paths, Query, Report, Universe, answer};
use winset_smv::{Code, Limits, Model, Severity, read, read_bytes};
use winset_symbolic::{Options, Partition};

fn model(text: &str) -> Model {
    read(text, &Limits::default()).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"))
}

fn report(model: &Model, partition: Partition) -> Report {
    let properties: Vec<Property> = model.specs.iter().map(|spec| spec.property.clone()).collect();
    let options = Options { memory: 64 << 20, partition, ..Options::default() };
    let query = Query {
        system: &model.system,
        properties: &properties,
        paths: Paths::Fair(&model.fairness),
        scope: Universe::Reachable.into(),
        order: None,
        options: &options,
        certify: false,
        progress: None,
        whole: None,
    };
    answer(&query).unwrap().unwrap()
}

/// The number of states and the verdicts, which do not depend on how the relation is cut.
fn said(text: &str) -> (u128, String) {
    let model = model(text);
    let mut all = [Partition::Clustered, Partition::Conjuncts, Partition::Monolithic].map(|partition| {
        let report = report(&model, partition);
        let holds = report.verdicts.iter().map(|v| if v.holds { 'T' } else { 'F' }).collect();
        (report.states, holds)
    });
    assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
    std::mem::take(&mut all[0])
}

fn refused(text: &str, code: Code) {
    let found = read(text, &Limits::default()).expect_err(text);
    assert!(found.iter().any(|d| d.code == code && d.severity == Severity::Error), "{text}: {found:?}");
}

/// Conditions without variables that must be true.
fn true_conditions(conditions: &[String]) {
    let specs: String = conditions.iter().map(|condition| format!("INVARSPEC {condition};\n")).collect();
    let model = model(&format!("MODULE main\n{specs}"));
    for spec in &model.specs {
        assert_eq!(spec.property, Property::Invariant(Exprs::TRUE), "{}", spec.text);
    }
}

#[test]
fn every_operator_on_every_word() {
    for width in 1..=4u32 {
        let (size, half) = (1i64 << width, 1i64 << (width - 1));
        let mut conditions = vec![];
        for signed in [false, true] {
            let (low, high) = if signed { (-half, half) } else { (0, size) };
            let letter = if signed { "s" } else { "u" };
            let word = |n: i64| format!("{letter}wconst({n}, {width})");
            // What does not fit is cut off.
            let cut = |n: i64| {
                let code = n.rem_euclid(size);
                word(if signed && code >= half { code - size } else { code })
            };
            let code = |n: i64| n.rem_euclid(size);
            for x in low..high {
                let a = word(x);
                conditions.push(format!("-{a} = {}", cut(-x)));
                conditions.push(format!("!{a} = {}", cut(!x)));
                conditions.push(format!("toint({a}) = {x}"));
                conditions.push(format!("signed({a}) = signed(unsigned({a}))"));
                conditions.push(format!("toint(extend({a}, 2)) = {x}"));
                conditions.push(format!("toint(resize({a}, {})) = {x}", width + 1));
                conditions.push(format!("sizeof({a} :: {a}) = {}", 2 * width));
                conditions.push(format!("toint({a} :: {a}) = {}", code(x) * (size + 1)));
                conditions.push(format!("({a} :: 0b1_1)[{width}:1] = unsigned({a})"));
                for n in 0..=width {
                    let right = if signed { x >> n } else { code(x) >> n };
                    conditions.push(format!("{a} << {n} = {}", cut(x << n)));
                    conditions.push(format!("{a} >> {n} = {}", cut(right)));
                    conditions.push(format!("{a} << uwconst({n}, 3) = {}", cut(x << n)));
                    let turned = (code(x) << n | code(x) >> (width - n)) & (size - 1);
                    conditions.push(format!("unsigned({a} <<< {n}) = uwconst({turned}, {width})"));
                    conditions.push(format!("({a} <<< {n}) >>> {n} = {a}"));
                }
                for y in low..high {
                    let b = word(y);
                    for (operator, result) in [
                        ("+", x + y),
                        ("-", x - y),
                        ("*", x * y),
                        ("&", x & y),
                        ("|", x | y),
                        ("xor", x ^ y),
                        ("xnor", !(x ^ y)),
                        ("->", !x | y),
                        ("<->", !(x ^ y)),
                    ] {
                        conditions.push(format!("({a} {operator} {b}) = {}", cut(result)));
                    }
                    if y != 0 {
                        conditions.push(format!("{a} / {b} = {}", cut(x / y)));
                        conditions.push(format!("{a} mod {b} = {}", cut(x % y)));
                    }
                    for (operator, holds) in [
                        ("<", x < y),
                        ("<=", x <= y),
                        (">", x > y),
                        (">=", x >= y),
                        ("=", x == y),
                        ("!=", x != y),
                    ] {
                        conditions.push(format!("{}({a} {operator} {b})", if holds { "" } else { "!" }));
                    }
                }
            }
        }
        true_conditions(&conditions);
    }
}

#[test]
fn constants_of_words() {
    let same = [
        "0ud8_12 = 0b8_0000_1100",
        "0h_ff = 0ud8_255",
        "0o_17 = 0b_001111",
        "0sd4_7 = swconst(7, 4)",
        "-0sd4_8 = swconst(-8, 4)",
        "0uh16_Ab = uwconst(171, 16)",
        "word1(TRUE) = 0b1_1",
        "bool(0b1_1)",
        "0ud3_5 in {0ud3_5, 0ud3_6}",
        "!(0ud3_5 in 0ud3_4 union 0ud3_6)",
        "0ud100_1267650600228229401496703205375 = !0ud100_0",
    ];
    true_conditions(&same.map(str::to_owned));
    for wrong in [
        "0ud3_9 = 0ud3_1",
        "0ud3_1 = 0ud4_1",
        "0sd3_1 = 0ud3_1",
        "0ud3_1 + 1 = 0ud3_2",
        "uwconst(9, 3) = 0ud3_1",
    ] {
        assert!(read(&format!("MODULE main INVARSPEC {wrong}"), &Limits::default()).is_err(), "{wrong}");
    }
}

#[test]
fn words_as_variables() {
    let (states, holds) = said(
        "MODULE main
         VAR w : word[4]; s : signed word[3]; c : boolean;
         ASSIGN init(w) := 0ud4_3; next(w) := w + 0ud4_5;
           init(s) := -0sd3_4; next(s) := case s < 0sd3_3 : s + 0sd3_1; TRUE : s; esac;
           c := w[3:3] = 0b1_1;
         INVARSPEC c <-> w >= 0ud4_8
         INVARSPEC toint(w) != 3 | s <= 0sd3_3
         SPEC AG (s = 0sd3_3 -> AG s = 0sd3_3)
         SPEC AF s = 0sd3_3
         SPEC AG AF w = 0ud4_0
         LTLSPEC G (w = 0ud4_3 -> X w = 0h4_8)",
    );
    assert_eq!((states, holds.as_str()), (7 + 16, "TTTTTT"));
    let chosen = said("MODULE main VAR w : word[4]; ASSIGN init(w) := {0ud4_1, 0ud4_9}; next(w) := w;");
    assert_eq!(chosen.0, 2);
    let frozen = said("MODULE main FROZENVAR w : word[4]; INVARSPEC next(w) = w");
    assert_eq!(frozen, (16, "T".to_owned()));
}

#[test]
fn processes_take_turns() {
    let text = |fairness: &str| {
        format!(
            "MODULE toggle(shared)
             VAR bit : boolean;
             ASSIGN init(bit) := FALSE; next(bit) := !bit; next(shared) := bit;
             {fairness}
             MODULE main
             VAR shared : boolean; a : process toggle(shared); b : process toggle(shared); own : boolean;
             ASSIGN init(shared) := FALSE; init(own) := FALSE; next(own) := TRUE;
             LTLSPEC G F a.bit
             LTLSPEC G F b.running
             INVARSPEC a.running -> b.bit = next(b.bit)
             INVARSPEC own -> next(own)
             SPEC AG EF (a.bit & b.bit & own)"
        )
    };
    assert_eq!(said(&text("")), (14, "FFTTT".to_owned()));
    assert_eq!(said(&text("FAIRNESS running")), (14, "TTTTT".to_owned()));
    // Nobody else assigns it, so that it stays.
    let kept = "MODULE other VAR x : boolean; MODULE main VAR p : process other; y : boolean; \
                ASSIGN init(y) := FALSE; next(y) := !y; INVARSPEC !running -> y = next(y) INVARSPEC y = next(y)";
    assert_eq!(said(kept), (4, "TF".to_owned()));
    refused(
        "MODULE main VAR p : process other; MODULE other VAR x : boolean; SPEC AG running",
        Code::MisplacedInput,
    );
}

#[test]
fn instances_know_themselves() {
    let text = "MODULE holder(user) VAR seen : boolean; ASSIGN seen := user.busy;
                MODULE worker VAR busy : boolean; h : holder(self); ASSIGN init(busy) := FALSE; next(busy) := !busy;
                MODULE main VAR w : worker; INVARSPEC w.h.seen = w.busy";
    assert_eq!(said(text), (2, "T".to_owned()));
    let text = "MODULE base VAR x : 0..2; ASSIGN init(x) := 0;
                MODULE more ISA base ASSIGN next(x) := (x + 1) mod 3;
                MODULE main VAR m : more; SPEC AG AF m.x = 2";
    assert_eq!(said(text), (3, "T".to_owned()));
    refused("MODULE main ISA missing", Code::UnknownModule);
}

#[test]
fn arrays_of_all_kinds() {
    let text = "MODULE main
                VAR a : array -1..1 of array 2..3 of 0..4; i : -1..1; d : array 0..1 of boolean;
                DEFINE primes := [2, 3, 5]; matrix := [[1, 0], [0, 1]]; all := [a[-1][2], a[0][2]];
                ASSIGN init(i) := -1; next(i) := case i < 1 : i + 1; TRUE : -1; esac;
                  next(a[0][2]) := primes[i + 1] mod 5;
                  next(a[-1][2]) := a[-1][2];
                INIT a[-1][2] = 3 & a[0][2] = 2 & a[1][2] = 0 & a[-1][3] = 0 & a[0][3] = 0 & a[1][3] = 0
                TRANS next(a[1][2]) = 0 & next(a[-1][3]) = 0 & next(a[0][3]) = 0 & next(a[1][3]) = a[i][2]
                INVAR d[0] = (matrix[0][toint(i = 0)] = 1) & d[1] = d[0]
                INVARSPEC all[0] = 3
                INVARSPEC d[0] <-> i != 0
                LTLSPEC G (i = 0 -> X a[0][2] = 3)
                LTLSPEC X G (a[1][3] in {0, 2, 3})
                SPEC AG (i = -1 -> AX a[1][3] = 3)";
    assert_eq!(said(text).1, "TTTTT");
    refused("MODULE main VAR a : array 0..1 of boolean; ASSIGN next(a[2]) := TRUE;", Code::IndexOutOfRange);
    refused("MODULE main DEFINE p := [1, 2]; VAR i : 0..2; INIT p[i] = 1", Code::IndexOutOfRange);
}

#[test]
fn enumerations_of_symbols_and_numbers() {
    let text = "MODULE main VAR x : {1, two, 3}; y : {-1, 0, 4}; CONSTANTS five;
                ASSIGN init(x) := 1; next(x) := case x = 1 : two; x = two : {1, 3}; TRUE : 3; esac;
                  init(y) := 4; next(y) := -y / 4;
                SPEC EF x = 3 SPEC AG (y = -1 | y = 0 | y = 4) INVARSPEC x != five";
    assert_eq!(said(text).1, "TTT");
    // A variable of one value serves as a number.
    assert_eq!(said("MODULE main VAR K : {2}; d : 0..K;").0, 3);
}

#[test]
fn names_as_people_and_tools_write_them() {
    let text = "MODULE cell VAR v$1 : boolean;
                MODULE main VAR \"odd name\" : boolean; a-b : boolean; p.line : 0..2; bit[0] : boolean; x#2@y : cell; \\z : boolean;
                ASSIGN init(p.line) := 0; next(p.line) := (p.line + 1) mod 3;
                INIT \"odd name\" & a-b & bit[0] & \\z
                TRANS next(\"odd name\") = a-b & next(a-b) = bit[0] & next(bit[0]) & next(\\z)
                INVARSPEC NAME first := \"odd name\"
                SPEC NAME second := AG (p.line = 2 -> AX p.line = 0)
                LTLSPEC third := G \\z";
    assert_eq!(said(text).1, "TTT");
    let names: Vec<_> = model(text).specs.into_iter().map(|spec| spec.name.unwrap_or_default()).collect();
    assert_eq!(names, ["first", "second", "third"]);
    let adder = "MODULE add(x) DEFINE sum[0] := !x; sum[1] := x;
                 MODULE main VAR b : boolean; a : add(b); INVARSPEC a.sum[0] xor a.sum[1]";
    assert_eq!(said(adder), (2, "T".to_owned()));
}

#[test]
fn comments_in_any_encoding() {
    let text = b"MODULE main -- caf\xe9 \xff\r\nVAR x : boolean; /-- \xfe\n \xe9 --/ -- \xe6\x97\xa5\r\nINVARSPEC x | !x\r\n";
    let model = read_bytes(text, &Limits::default()).unwrap();
    assert_eq!(model.specs[0].text, "x | !x");
    let found = read_bytes(b"MODULE main VAR x\xe9 : boolean;", &Limits::default()).unwrap_err();
    assert_eq!((found[0].code, found[0].span.start), (Code::Character, 17));
}

#[test]
fn inputs_belong_to_steps() {
    // Few inputs make a part of the relation each, many are recorded; the states are the same.
    for most in [1, 40] {
        let text = format!(
            "MODULE main IVAR i : 0..{most}; go : boolean; VAR n : 0..3;
             ASSIGN init(n) := 0; next(n) := case go & i = 1 & n < 3 : n + 1; TRUE : n; esac;
             LTLSPEC G (go & i = 1 & n = 0 -> X n = 1)
             LTLSPEC G (next(n) > n -> go)
             LTLSPEC F go
             INVARSPEC next(n) >= n
             INVARSPEC !go -> next(n) = n
             INVARSPEC go
             SPEC EF n = 3"
        );
        assert_eq!(said(&text), (4, "TTFTTFT".to_owned()), "{most}");
        let fair = format!("{text} SPEC AF n = 3 FAIRNESS go & i = 1");
        assert_eq!(said(&fair), (4, "TTTTTFTT".to_owned()), "{most}");
    }
}

#[test]
fn bounded_operators() {
    let text =
        "MODULE main VAR n : 0..5; ASSIGN init(n) := 0; next(n) := case n < 5 : {n, n + 1}; TRUE : n; esac;
                SPEC EBF 0..3 n = 3
                SPEC EBF 0..2 n = 3
                SPEC ABG 0..2 n < 3
                SPEC ABF 4..5 n > 3
                SPEC EBG 1..2 n = 1
                SPEC E [n < 3 BU 3..3 n = 3]
                SPEC A [TRUE BU 0..9 n = 5]
                LTLSPEC G [0, 2] n < 3
                LTLSPEC F [0, 9] n = 5
                COMPUTE MIN [n = 0, n = 5]";
    assert_eq!(said(text).1.get(..9), Some("TFTFTTFTF"));
}

#[test]
fn operators_bind_as_in_nusmv() {
    let same = [
        "!FALSE = TRUE",
        "!(FALSE & TRUE -> FALSE) <-> FALSE",
        "1 + 2 * 3 mod 4 = 3",
        "- 1 + 2 = 1",
        "TRUE | FALSE & FALSE",
        "TRUE xor TRUE | TRUE",
        "FALSE -> FALSE -> FALSE",
        "(FALSE <-> FALSE -> TRUE) = TRUE",
        "1 in 0..2 = TRUE",
        "0b2_10 :: 0b1_1 = 0b3_101",
        "0ud4_1 << 1 + 1 = 0ud4_4",
        "(TRUE ? 1 : 2 + 5) = 1",
        "-7 / 5 = -1 & -7 mod 5 = -2 & 7 / -5 = -1",
    ];
    true_conditions(&same.map(str::to_owned));
}

#[test]
fn hostile_files_are_refused_and_not_obeyed() {
    let nested = format!("MODULE main INIT {}TRUE{}", "(".repeat(100_000), ")".repeat(100_000));
    refused(&nested, Code::NestingTooDeep);
    refused("MODULE main VAR x : 0..1000000000000000000;", Code::TooLarge);
    refused("MODULE main VAR x : -9223372036854775808..9223372036854775807;", Code::Unsupported);
    refused("MODULE main VAR x : array 0..1000000000000000000 of boolean;", Code::TooLarge);
    refused("MODULE main VAR x : word[1000000000];", Code::TooLarge);
    refused("MODULE main VAR x : word[0];", Code::TooLarge);
    refused("MODULE a VAR b : b; MODULE b VAR a : a; MODULE main VAR a : a;", Code::CyclicInstance);
    refused("MODULE main VAR x : boolean; SPEC EBF 0..4000000000 x", Code::TooLarge);
    refused("MODULE main VAR x : boolean; INIT x << 1 = x", Code::TypeError);
    let arrays = format!("MODULE main VAR x : {} boolean;", "array 0..99 of ".repeat(10));
    refused(&arrays, Code::TooLarge);
    let large = "MODULE main\n".to_owned() + &"-- nothing\n".repeat(6 << 20);
    refused(&large, Code::FileTooLarge);
}

/// What NuSMV was seen to say of one construct after the other.
#[test]
fn as_nusmv_says() {
    let cases = include_str!("language.txt").split("=== ").skip(1);
    let mut compared = 0;
    for case in cases {
        let (head, text) = case.split_once('\n').unwrap();
        let (name, expected) = head.split_once(": ").unwrap();
        let found = match read(text, &Limits::default()) {
            Err(_) => "refused".to_owned(),
            Ok(model) => {
                let report = report(&model, Partition::Clustered);
                let said = report.verdicts.iter().map(|verdict| match verdict.distance {
                    None => verdict.holds.to_string(),
                    Some(Distance::Steps(steps)) => steps.to_string(),
                    Some(Distance::Infinite) => "infinity".to_owned(),
                    Some(Distance::Undefined) => "undefined".to_owned(),
                });
                let mut said: Vec<String> = said.collect();
                said.sort();
                format!("{} {}", report.states, said.join(" ")).trim_end().to_owned()
            }
        };
        assert_eq!(found, expected, "{name}\n{text}");
        compared += 1;
    }
    assert_eq!(compared, 167);
}

/// The products of all words are a large relation; from the few states that can be reached, it is a small one.
#[test]
fn a_relation_that_is_small_where_it_is_used() {
    let text = "MODULE main
        VAR a : word[9]; b : word[9]; p : word[9];
        ASSIGN init(a) := 0ud9_1; next(a) := a + 0ud9_3;
          init(b) := {0ud9_5, 0ud9_7}; next(b) := b;
          init(p) := 0ud9_0; next(p) := a * b;
        SPEC AG AF a = 0ud9_1
        SPEC AG EF p = 0ud9_0
        SPEC AG p != 0ud9_5
        SPEC AG (a = 0ud9_4 -> p = b)
        LTLSPEC G (a = 0ud9_0 -> X p = 0ud9_0)
        LTLSPEC F G p != 0ud9_0";
    let report = report(&model(text), Partition::Clustered);
    // 512 states in a circle and the first one, for each of the two values of b.
    assert_eq!(report.states, 1026);
    let holds: Vec<bool> = report.verdicts.iter().map(|verdict| verdict.holds).collect();
    assert_eq!(holds, [true, true, false, true, true, false]);
}

/// Comparisons of too many values to be made pair by pair.
#[test]
fn many_values_beside_many() {
    type Holds = fn(i32, i32) -> bool;
    let operators: [(&str, Holds); 4] =
        [("<", |x, y| x < y), ("<=", |x, y| x <= y), (">", |x, y| x > y), (">=", |x, y| x >= y)];
    for (operator, holds) in operators {
        let text = format!(
            "MODULE main VAR x : 0..69; y : -20..60; ASSIGN next(x) := x; next(y) := y; INIT x {operator} y
             SPEC x {operator} y SPEC AG (x - 1 {operator} y - 1)"
        );
        let report = report(&model(&text), Partition::Clustered);
        let pairs = (0..70).flat_map(|x| (-20..61).map(move |y| (x, y)));
        assert_eq!(report.states, pairs.filter(|&(x, y)| holds(x, y)).count() as u128, "{operator}");
        assert!(report.verdicts.iter().all(|verdict| verdict.holds), "{operator}");
    }
}

/// What a sum can be where a comparison of the same sum has let it through.
#[test]
fn a_sum_behind_its_comparison() {
    type Other = fn(i32) -> i32;
    let text = |sum: &str| {
        format!(
            "MODULE main VAR x : 0..69; y : 0..69; z : 0..69;
             ASSIGN next(x) := x; next(y) := y; init(z) := 0; next(z) := {sum};"
        )
    };
    let pairs = || (0..70).flat_map(|x| (0..70).map(move |y| x + y));
    // From z = 0 each of the pairs goes to its sum, as far as that is another value.
    let states = |other: Other| 4900 + pairs().filter(|&sum| other(sum) != 0).count() as u128;
    let cases: [(&str, Other); 4] = [
        ("x + y <= 69 ? x + y : 0", |sum| if sum <= 69 { sum } else { 0 }),
        ("x + y > 69 ? x + y - 70 : x + y", |sum| sum % 70),
        ("case x + y > 69 : 0; x + y = 5 : 7; TRUE : x + y; esac", |sum| match sum {
            70.. => 0,
            5 => 7,
            _ => sum,
        }),
        ("!(x + y > 69) & y >= 0 ? x + y : 1", |sum| if sum <= 69 { sum } else { 1 }),
    ];
    for (sum, other) in cases {
        assert_eq!(report(&model(&text(sum)), Partition::Clustered).states, states(other), "{sum}");
    }
    refused(&text("x + y <= 70 ? x + y : 0"), Code::ValueOutOfRange);
    refused(&text("x + y > 70 ? 0 : x + y"), Code::ValueOutOfRange);
}

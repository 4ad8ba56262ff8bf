//! Random circuits: models and games against walks through all their states.

use std::collections::HashSet;
use winset_aiger::{Circuit, Gate, Latch, Literal, read, synthesize, witness};
use winset_formula::Property;
use winset_model::State;
use winset_mu::{Paths, Query, Universe, answer};
use winset_symbolic::{Encoding, Kind, Options};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % n
    }

    fn options(&mut self) -> Options {
        let kind = [Kind::Complement, Kind::Plain][self.below(2)];
        let encoding = [Encoding::Standard, Encoding::ShortEmpty, Encoding::Binary, Encoding::UnusedFirst]
            [self.below(4)];
        Options { memory: 48 << 20, kind, encoding, ..Options::default() }
    }
}

fn circuit(random: &mut Random) -> Circuit {
    let (inputs, latches, gates) = (random.below(4), 1 + random.below(4), random.below(14));
    let highest = (inputs + latches + gates) as u32;
    let any = |random: &mut Random, below: usize| random.below(2 * (below + 1)) as Literal;
    let gates = (0..gates).map(|i| {
        let number = inputs + latches + i;
        let operands = [any(random, number), any(random, number)];
        Gate { literal: 2 * (number as u32 + 1), operands }
    });
    let gates: Vec<Gate> = gates.collect();
    let all = highest as usize;
    let latches = (0..latches).map(|i| Latch {
        literal: 2 * (inputs + i + 1) as Literal,
        next: any(random, all),
        reset: [Some(false), Some(false), Some(true), None][random.below(4)],
    });
    let latches: Vec<Latch> = latches.collect();
    let outputs: Vec<Literal> = (0..1 + random.below(2)).map(|_| any(random, all)).collect();
    let constraints = if random.below(3) == 0 { vec![any(random, all)] } else { vec![] };
    let name = |random: &mut Random, i: usize| {
        Some(if random.below(2) == 0 { format!("controllable_{i}") } else { format!("seen_{i}") })
    };
    Circuit {
        highest,
        inputs: (0..inputs).map(|i| 2 * (i as Literal + 1)).collect(),
        input_names: (0..inputs).map(|i| name(random, i)).collect(),
        latch_names: vec![None; latches.len()],
        output_names: vec![None; outputs.len()],
        latches,
        outputs,
        constraints,
        gates,
        ..Circuit::default()
    }
}

fn bits(number: usize, width: usize) -> Vec<bool> {
    (0..width).map(|i| number >> i & 1 == 1).collect()
}

fn is(values: &[bool], literal: Literal) -> bool {
    values[literal as usize / 2] != (literal % 2 == 1)
}

fn begins(circuit: &Circuit) -> Vec<Vec<bool>> {
    let width = circuit.latches.len();
    let all = (0..1 << width).map(|number| bits(number, width));
    let fits = |memory: &Vec<bool>| {
        memory
            .iter()
            .zip(&circuit.latches)
            .all(|(value, latch)| latch.reset.is_none_or(|reset| reset == *value))
    };
    all.filter(fits).collect()
}

/// Which outputs can become true, by walking through all states.
fn reachable_outputs(circuit: &Circuit) -> Vec<bool> {
    let mut found = vec![false; circuit.outputs.len()];
    let mut open = begins(circuit);
    let mut seen: HashSet<Vec<bool>> = open.iter().cloned().collect();
    while let Some(memory) = open.pop() {
        for number in 0..1 << circuit.inputs.len() {
            let values = circuit.values(&memory, &bits(number, circuit.inputs.len()));
            if !circuit.constraints.iter().all(|&literal| is(&values, literal)) {
                continue;
            }
            circuit.outputs.iter().zip(&mut found).for_each(|(&output, found)| *found |= is(&values, output));
            let next = circuit.step(&values);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

#[test]
fn models_agree_with_walks_through_all_states() {
    let mut random = Random(4711);
    for case in 0..600 {
        let circuit = circuit(&mut random);
        let model = circuit.model();
        let properties: Vec<Property> =
            model.properties.iter().map(|(_, property)| property.clone()).collect();
        let options = random.options();
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
        let report = answer(&query).unwrap().unwrap();
        for (i, (verdict, bad)) in report.verdicts.iter().zip(reachable_outputs(&circuit)).enumerate() {
            assert_eq!(verdict.holds, !bad, "case {case}:\n{}", circuit.write());
            if bad {
                let trace = &verdict.trace;
                let path: Vec<State> = std::iter::once(&trace.start)
                    .chain(trace.steps.iter().map(|step| &step.state))
                    .cloned()
                    .collect();
                shows(&circuit, i, &witness(&circuit, &format!("b{i}"), &path));
            }
        }
    }
}

/// A witness makes the output true in its last step.
fn shows(circuit: &Circuit, output: usize, witness: &str) {
    let lines: Vec<&str> = witness.lines().collect();
    let bits = |line: &str| line.chars().map(|c| c == '1').collect::<Vec<bool>>();
    assert_eq!((lines[0], lines[lines.len() - 1]), ("1", "."));
    let mut memory = bits(lines[2]);
    assert!(begins(circuit).contains(&memory));
    let mut last = false;
    for line in &lines[3..lines.len() - 1] {
        let values = circuit.values(&memory, &bits(line));
        assert!(circuit.constraints.iter().all(|&literal| is(&values, literal)));
        last = is(&values, circuit.outputs[output]);
        memory = circuit.step(&values);
    }
    assert!(last, "{witness}");
}

/// Whether the controller wins, by taking states away in which it has no answer.
fn can_win(circuit: &Circuit) -> bool {
    let (width, inputs) = (circuit.latches.len(), circuit.inputs.len());
    let ours: usize = (0..inputs)
        .filter(|&i| circuit.input_names[i].as_deref().unwrap_or("").starts_with("controllable_"))
        .map(|i| 1 << i)
        .sum();
    let number =
        |memory: &[bool]| memory.iter().enumerate().map(|(i, &bit)| usize::from(bit) << i).sum::<usize>();
    let mut won = vec![true; 1 << width];
    loop {
        let safe = |state: usize, input: usize| {
            let values = circuit.values(&bits(state, width), &bits(input, inputs));
            !circuit.outputs.iter().any(|&output| is(&values, output)) && won[number(&circuit.step(&values))]
        };
        let answered = |state: usize, theirs: usize| {
            (0..1usize << inputs).any(|input| input & !ours == theirs & !ours && safe(state, input))
        };
        let lost = (0..1usize << width)
            .find(|&state| won[state] && !(0..1usize << inputs).all(|theirs| answered(state, theirs)));
        match lost {
            Some(state) => won[state] = false,
            None => return begins(circuit).iter().all(|memory| won[number(memory)]),
        }
    }
}

#[test]
fn controllers_are_found_where_there_are_any_and_keep_all_outputs_false() {
    let mut random = Random(815);
    let (mut yes, mut no) = (0, 0);
    for case in 0..1500 {
        let circuit = Circuit { constraints: vec![], ..circuit(&mut random) };
        let found = synthesize(&circuit, &random.options()).unwrap();
        assert_eq!(found.is_some(), can_win(&circuit), "case {case}:\n{}", circuit.write());
        match found {
            None => no += 1,
            Some(controlled) => {
                yes += 1;
                assert!(
                    !reachable_outputs(&controlled).contains(&true),
                    "case {case}:\n{}",
                    controlled.write()
                );
                // What is written can be read, by others too.
                let again = read(controlled.write().as_bytes()).unwrap();
                assert!(!reachable_outputs(&again).contains(&true), "case {case}");
            }
        }
    }
    assert!(yes > 100 && no > 100, "{yes} {no}");
}

/// The same circuit in the binary format.
fn binary(circuit: &Circuit) -> Vec<u8> {
    let sizes = [circuit.inputs.len(), circuit.latches.len(), circuit.outputs.len(), circuit.gates.len()];
    let mut bytes =
        format!("aig {} {}", circuit.highest, sizes.map(|n| n.to_string()).join(" ")).into_bytes();
    bytes.extend(format!(" 0 {}\n", circuit.constraints.len()).bytes());
    for latch in &circuit.latches {
        let reset = latch.reset.map_or(latch.literal, u32::from);
        bytes.extend(format!("{} {reset}\n", latch.next).bytes());
    }
    let literals = circuit.outputs.iter().chain(&circuit.constraints);
    literals.for_each(|literal| bytes.extend(format!("{literal}\n").bytes()));
    for gate in &circuit.gates {
        let [a, b] = gate.operands;
        for mut number in [gate.literal - a.max(b), a.max(b) - a.min(b)] {
            while number >= 0x80 {
                bytes.push((number & 0x7f) as u8 | 0x80);
                number >>= 7;
            }
            bytes.push(number as u8);
        }
    }
    for (i, name) in circuit.input_names.iter().enumerate() {
        bytes.extend(format!("i{i} {}\n", name.as_deref().unwrap_or("x")).bytes());
    }
    bytes
}

#[test]
fn both_formats_are_read_and_what_is_wrong_is_refused() {
    let mut random = Random(42);
    for _ in 0..500 {
        let circuit = circuit(&mut random);
        let text = read(circuit.write().as_bytes()).unwrap();
        let bytes = read(&binary(&circuit)).unwrap();
        for number in 0..16 {
            let memory = bits(random.below(16), circuit.latches.len());
            let inputs = bits(number, circuit.inputs.len());
            assert_eq!(circuit.values(&memory, &inputs), text.values(&memory, &inputs));
            assert_eq!(circuit.values(&memory, &inputs), bytes.values(&memory, &inputs));
        }
        assert_eq!((&text.input_names, &text.latches), (&circuit.input_names, &circuit.latches));
        assert_eq!((&bytes.outputs, &bytes.constraints), (&circuit.outputs, &circuit.constraints));
        // A file with a byte changed or cut off is read or refused.
        let mut broken = if random.below(2) == 0 { circuit.write().into_bytes() } else { binary(&circuit) };
        let at = random.below(broken.len());
        broken[at] = random.below(256) as u8;
        let _ = read(&broken);
        broken.truncate(at);
        let _ = read(&broken);
    }
    for text in [
        "",
        "aag",
        "smv 1 0 0 0 0\n",
        "aag 1 1\n",
        "aag 1 2 0 0 0\n2\n4\n",
        "aag 1 1 0 0 0\n3\n",
        "aag 2 1 0 0 1\n2\n4 4 2\n",
        "aag 1 0 0 1 0\n2\n",
        "aag 4294967295 0 0 0 0\n",
        "aag 99999999999999999999 0 0 0 0\n",
        "aag 1 0 1 0 0\n2 2 7\n",
        "aig 40000000 0 0 0 40000000\n",
    ] {
        assert!(read(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn what_is_wrong_lies_inside_the_file() {
    let inside = |bytes: &[u8]| {
        if let Err(wrong) = read(bytes) {
            let span = wrong.span.start..wrong.span.end;
            assert!(bytes.get(span).is_some(), "{wrong:?} in {bytes:?}");
        }
    };
    (0..=u8::MAX).for_each(|byte| inside(&[byte]));
    let mut random = Random(77);
    for _ in 0..200 {
        let circuit = circuit(&mut random);
        for bytes in [circuit.write().into_bytes(), binary(&circuit)] {
            (0..bytes.len()).for_each(|end| inside(&bytes[..end]));
            for _ in 0..20 {
                let mut changed = bytes.clone();
                let at = random.below(changed.len());
                changed[at] = random.below(256) as u8;
                inside(&changed);
                inside(&changed[..at + 1]);
            }
        }
    }
}

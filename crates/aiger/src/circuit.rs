//! Circuits of and-gates and inverters.

/// A variable and whether it is negated: twice its number, plus one if it is. Variable 0 is false.
pub type Literal = u32;

/// A bit of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latch {
    /// The literal that has its value.
    pub literal: Literal,
    /// The literal that has its next value.
    pub next: Literal,
    /// Its first value; none: any.
    pub reset: Option<bool>,
}

/// The conjunction of two literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The literal that has its value.
    pub literal: Literal,
    /// What is joined.
    pub operands: [Literal; 2],
}

/// A circuit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circuit {
    /// The highest number of a variable.
    pub highest: u32,
    /// The literals of the inputs.
    pub inputs: Vec<Literal>,
    /// The memory.
    pub latches: Vec<Latch>,
    /// The outputs.
    pub outputs: Vec<Literal>,
    /// What must never be true.
    pub bad: Vec<Literal>,
    /// What is true at all times that count.
    pub constraints: Vec<Literal>,
    /// Sets of literals that must not all be true again and again.
    pub justice: Vec<Vec<Literal>>,
    /// What is true again and again on the paths that count.
    pub fairness: Vec<Literal>,
    /// The gates, operands before their users.
    pub gates: Vec<Gate>,
    /// The names of inputs.
    pub input_names: Vec<Option<String>>,
    /// The names of latches.
    pub latch_names: Vec<Option<String>>,
    /// The names of outputs.
    pub output_names: Vec<Option<String>>,
}

impl Circuit {
    /// The values of all variables, from those of the inputs and the memory.
    pub fn values(&self, memory: &[bool], inputs: &[bool]) -> Vec<bool> {
        let mut values = vec![false; self.highest as usize + 1];
        for (&literal, &value) in self.inputs.iter().zip(inputs) {
            values[literal as usize / 2] = value;
        }
        for (latch, &value) in self.latches.iter().zip(memory) {
            values[latch.literal as usize / 2] = value;
        }
        for gate in &self.gates {
            let [a, b] = gate.operands.map(|literal| value_of(&values, literal));
            values[gate.literal as usize / 2] = a && b;
        }
        values
    }

    /// The memory after a step.
    pub fn step(&self, values: &[bool]) -> Vec<bool> {
        self.latches.iter().map(|latch| value_of(values, latch.next)).collect()
    }

    /// What must never be true: the bad literals, or the outputs where there are no others.
    pub fn must_not_be(&self) -> &[Literal] {
        let nothing_else = self.bad.is_empty() && self.justice.is_empty();
        if nothing_else { &self.outputs } else { &self.bad }
    }

    /// The circuit in ASCII.
    pub fn write(&self) -> String {
        let sizes = [
            self.highest as usize,
            self.inputs.len(),
            self.latches.len(),
            self.outputs.len(),
            self.gates.len(),
        ];
        let mut text = format!("aag {}", sizes.map(|n| n.to_string()).join(" "));
        let more = [self.bad.len(), self.constraints.len(), self.justice.len(), self.fairness.len()];
        let used = more.iter().rposition(|&n| n > 0).map_or(0, |last| last + 1);
        more[..used].iter().for_each(|n| text += &format!(" {n}"));
        text.push('\n');
        self.inputs.iter().for_each(|literal| text += &format!("{literal}\n"));
        for latch in &self.latches {
            text += &match latch.reset {
                Some(false) => format!("{} {}\n", latch.literal, latch.next),
                Some(true) => format!("{} {} 1\n", latch.literal, latch.next),
                None => format!("{} {} {}\n", latch.literal, latch.next, latch.literal),
            };
        }
        let plain = self.outputs.iter().chain(&self.bad).chain(&self.constraints);
        plain.for_each(|literal| text += &format!("{literal}\n"));
        self.justice.iter().for_each(|set| text += &format!("{}\n", set.len()));
        self.justice
            .iter()
            .flatten()
            .chain(&self.fairness)
            .for_each(|literal| text += &format!("{literal}\n"));
        for gate in &self.gates {
            text += &format!("{} {} {}\n", gate.literal, gate.operands[0], gate.operands[1]);
        }
        for (kind, names) in [('i', &self.input_names), ('l', &self.latch_names), ('o', &self.output_names)] {
            for (i, name) in names.iter().enumerate() {
                if let Some(name) = name {
                    text += &format!("{kind}{i} {name}\n");
                }
            }
        }
        text
    }
}

/// The value of a literal.
pub fn value_of(values: &[bool], literal: Literal) -> bool {
    values[literal as usize / 2] != (literal % 2 == 1)
}

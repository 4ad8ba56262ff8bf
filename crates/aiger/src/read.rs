//! Reading circuits.

use crate::circuit::{Circuit, Gate, Latch, Literal};
use winset_diagnostic::{Diagnostic, Span};

/// The most variables that a circuit may have.
const MOST: u32 = 50_000_000;

/// Reads a circuit, ASCII (`aag`) or binary (`aig`), or says what is wrong and where.
pub fn read(bytes: &[u8]) -> Result<Circuit, Diagnostic> {
    let mut reader = Reader { bytes, at: 0 };
    let binary = match reader.word()? {
        b"aag" => false,
        b"aig" => true,
        _ => return Err(wrong(0, reader.at, "an AIGER file begins with `aag` or `aig`")),
    };
    let mut header = vec![];
    while !reader.ends_line() {
        header.push(reader.number(MOST)?);
    }
    reader.line()?;
    if header.len() < 5 || header.len() > 9 {
        return Err(wrong(0, reader.at, "the first line has five to nine numbers: M I L O A B C J F"));
    }
    header.resize(9, 0);
    let [highest, inputs, latches, outputs, gates, bad, constraints, justice, fairness] = header[..] else {
        unreachable!("nine numbers were made")
    };
    let parts = [inputs, latches, gates].iter().map(|&n| u64::from(n)).sum::<u64>();
    // Every number of the first line promises a byte at least.
    let promised = parts * u64::from(!binary)
        + [outputs, bad, constraints, justice, fairness].map(u64::from).iter().sum::<u64>();
    if parts > u64::from(highest) || promised > bytes.len() as u64 || (binary && parts != u64::from(highest))
    {
        return Err(wrong(0, reader.at, "the numbers of the first line do not fit together, or to the file"));
    }
    let most = 2 * highest + 1;
    let mut circuit = Circuit { highest, ..Circuit::default() };
    for i in 0..inputs {
        circuit.inputs.push(if binary { 2 * (i + 1) } else { reader.defined(most)? });
    }
    for i in 0..latches {
        let literal = if binary { 2 * (inputs + i + 1) } else { reader.literal(most)? };
        let next = reader.literal(most)?;
        let reset = if reader.ends_line() { 0 } else { reader.literal(most)? };
        let reset = match reset {
            0 => Some(false),
            1 => Some(true),
            other if other == literal => None,
            _ => {
                return Err(reader.wrong("a latch begins with 0, 1 or any value, which its own literal says"));
            }
        };
        reader.line()?;
        circuit.latches.push(Latch { literal, next, reset });
    }
    let lines = |count: u32, reader: &mut Reader<'_>| -> Result<Vec<Literal>, Diagnostic> {
        (0..count).map(|_| reader.defined(most)).collect()
    };
    circuit.outputs = lines(outputs, &mut reader)?;
    circuit.bad = lines(bad, &mut reader)?;
    circuit.constraints = lines(constraints, &mut reader)?;
    let sizes = lines(justice, &mut reader)?;
    for size in sizes {
        circuit.justice.push(lines(size, &mut reader)?);
    }
    circuit.fairness = lines(fairness, &mut reader)?;
    for i in 0..gates {
        let gate = if binary {
            let literal = 2 * (inputs + latches + i + 1);
            let first = reader.difference(literal)?;
            let second = reader.difference(first)?;
            Gate { literal, operands: [first, second] }
        } else {
            let gate = Gate {
                literal: reader.literal(most)?,
                operands: [reader.literal(most)?, reader.literal(most)?],
            };
            reader.line()?;
            gate
        };
        circuit.gates.push(gate);
    }
    circuit.input_names = vec![None; circuit.inputs.len()];
    circuit.latch_names = vec![None; circuit.latches.len()];
    circuit.output_names = vec![None; circuit.outputs.len()];
    reader.names(&mut circuit);
    sorted(circuit)
}

/// Puts the gates behind their operands, and refuses literals that are defined twice, or by themselves, or not at all.
fn sorted(mut circuit: Circuit) -> Result<Circuit, Diagnostic> {
    const FREE: usize = usize::MAX;
    let refuse = |message: String| Err(Diagnostic::error("aiger", Span::new(0, 3), message));
    let mut state = vec![0u8; circuit.highest as usize + 1];
    state[0] = 2;
    let mut gate_of = vec![FREE; circuit.highest as usize + 1];
    let leaves = circuit.inputs.iter().copied().chain(circuit.latches.iter().map(|latch| latch.literal));
    for literal in leaves {
        if literal % 2 == 1 || std::mem::replace(&mut state[literal as usize / 2], 2) == 2 {
            return refuse(format!("literal {literal} cannot be defined here, or is defined twice"));
        }
    }
    for (i, gate) in circuit.gates.iter().enumerate() {
        let variable = gate.literal as usize / 2;
        if gate.literal % 2 == 1 || state[variable] == 2 || gate_of[variable] != FREE {
            return refuse(format!("literal {} cannot be defined here, or is defined twice", gate.literal));
        }
        gate_of[variable] = i;
    }
    let mut order = vec![];
    for root in 0..circuit.gates.len() {
        let mut stack = vec![(root, false)];
        while let Some((i, leaving)) = stack.pop() {
            let gate = circuit.gates[i];
            let variable = gate.literal as usize / 2;
            if leaving {
                state[variable] = 2;
                order.push(gate);
                continue;
            }
            if state[variable] != 0 {
                continue;
            }
            state[variable] = 1;
            stack.push((i, true));
            for operand in gate.operands.map(|literal| literal as usize / 2) {
                match state[operand] {
                    2 => {}
                    1 => return refuse(format!("the gate of literal {} depends on itself", 2 * operand)),
                    _ if gate_of[operand] == FREE => {
                        return refuse(format!("literal {} is used and not defined", 2 * operand));
                    }
                    _ => stack.push((gate_of[operand], false)),
                }
            }
        }
    }
    circuit.gates = order;
    let used =
        circuit.outputs.iter().chain(&circuit.bad).chain(&circuit.constraints).chain(&circuit.fairness);
    let used = used.chain(circuit.justice.iter().flatten()).copied();
    for literal in used.chain(circuit.latches.iter().map(|latch| latch.next)) {
        if state[literal as usize / 2] != 2 {
            return refuse(format!("literal {literal} is used and not defined"));
        }
    }
    Ok(circuit)
}

fn wrong(from: usize, to: usize, message: &str) -> Diagnostic {
    Diagnostic::error("aiger", Span::new(from, to), message.to_owned())
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    fn wrong(&self, message: &str) -> Diagnostic {
        wrong(self.at, (self.at + 1).min(self.bytes.len()), message)
    }

    fn word(&mut self) -> Result<&'b [u8], Diagnostic> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(rest.len());
        self.at += length;
        if length == 0 { Err(self.wrong("expected a word")) } else { Ok(&rest[..length]) }
    }

    fn ends_line(&mut self) -> bool {
        while self.bytes.get(self.at).is_some_and(|b| *b == b' ' || *b == b'\r') {
            self.at += 1;
        }
        self.bytes.get(self.at).is_none_or(|b| *b == b'\n')
    }

    fn line(&mut self) -> Result<(), Diagnostic> {
        if !self.ends_line() {
            return Err(self.wrong("expected the end of the line"));
        }
        self.at = (self.at + 1).min(self.bytes.len());
        Ok(())
    }

    fn number(&mut self, most: u32) -> Result<u32, Diagnostic> {
        self.ends_line();
        let begin = self.at;
        let mut number = 0u64;
        while let Some(digit) = self.bytes.get(self.at).filter(|b| b.is_ascii_digit()) {
            number = number.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        if self.at == begin {
            return Err(self.wrong("expected a number"));
        }
        match u32::try_from(number) {
            Ok(number) if number <= most => Ok(number),
            _ => Err(wrong(begin, self.at, &format!("the number is larger than {most}"))),
        }
    }

    fn literal(&mut self, most: u32) -> Result<Literal, Diagnostic> {
        self.number(most)
    }

    /// A literal that has a line of its own.
    fn defined(&mut self, most: u32) -> Result<Literal, Diagnostic> {
        let literal = self.number(most)?;
        self.line()?;
        Ok(literal)
    }

    /// What is left of a literal after a number of seven bits a byte was taken away.
    fn difference(&mut self, from: Literal) -> Result<Literal, Diagnostic> {
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let Some(&byte) = self.bytes.get(self.at) else {
                return Err(self.wrong("the file ends too early"));
            };
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
            if shift > 28 {
                return Err(self.wrong("the number does not fit into 32 bits"));
            }
        }
        let left = u64::from(from).checked_sub(number);
        left.map(|left| left as Literal).ok_or_else(|| self.wrong("an operand lies behind its gate"))
    }

    /// The names of inputs, latches and outputs, up to the comments.
    fn names(&mut self, circuit: &mut Circuit) {
        for line in self.bytes[self.at..].split(|b| *b == b'\n') {
            let line = String::from_utf8_lossy(line);
            let Some((place, name)) = line.trim_end().split_once(' ') else { break };
            let mut place = place.chars();
            let list = match place.next() {
                Some('i') => &mut circuit.input_names,
                Some('l') => &mut circuit.latch_names,
                Some('o') => &mut circuit.output_names,
                Some('b' | 'c' | 'j' | 'f') => continue,
                _ => break,
            };
            if let Some(entry) = place.as_str().parse().ok().and_then(|i: usize| list.get_mut(i)) {
                *entry = Some(name.to_owned());
            }
        }
    }
}

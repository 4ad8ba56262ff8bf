//! Words: operators on rows of bits, as circuits of conditions.

use crate::compile::Compiler;
use crate::diagnostic::{Checked, Code, Diagnostic};
use crate::parse_expr::MOST_BITS;
use crate::syntax::Binary;
use crate::value::{Constant, Value, Word, conjoin};
use winset_diagnostic::Span;
use winset_model::{ExprId, Exprs};

/// Words of more bits are not counted out as numbers.
const MOST_COUNTED: usize = 12;

fn wrong(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::TypeError, span, message)
}

/// Sums of bits and the like.
pub(crate) struct Circuit<'e>(pub &'e mut Exprs);

impl Circuit<'_> {
    fn xor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let not = self.0.not(b);
        self.0.ite(a, not, b)
    }

    fn majority(&mut self, a: ExprId, b: ExprId, c: ExprId) -> ExprId {
        let pairs = [self.0.and([a, b]), self.0.and([a, c]), self.0.and([b, c])];
        self.0.or(pairs)
    }

    fn not(&mut self, a: &[ExprId]) -> Vec<ExprId> {
        a.iter().map(|&bit| self.0.not(bit)).collect()
    }

    /// The sum, and what is carried out of it.
    pub fn add(&mut self, a: &[ExprId], b: &[ExprId], mut carry: ExprId) -> (Vec<ExprId>, ExprId) {
        let mut sum = vec![];
        for (&x, &y) in a.iter().zip(b) {
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            carry = self.majority(x, y, carry);
        }
        (sum, carry)
    }

    fn subtract(&mut self, a: &[ExprId], b: &[ExprId]) -> Vec<ExprId> {
        let not = self.not(b);
        self.add(a, &not, Exprs::TRUE).0
    }

    /// `a < b`, as numbers without sign: nothing is carried out of the difference.
    fn less(&mut self, a: &[ExprId], b: &[ExprId]) -> ExprId {
        let not = self.not(b);
        let mut carry = Exprs::TRUE;
        for (&x, &y) in a.iter().zip(&not) {
            carry = self.majority(x, y, carry);
        }
        self.0.not(carry)
    }

    fn choose(&mut self, condition: ExprId, a: &[ExprId], b: &[ExprId]) -> Vec<ExprId> {
        a.iter().zip(b).map(|(&x, &y)| if x == y { x } else { self.0.ite(condition, x, y) }).collect()
    }

    fn negative(&mut self, a: &[ExprId]) -> Vec<ExprId> {
        self.subtract(&vec![Exprs::FALSE; a.len()], a)
    }

    fn multiply(&mut self, a: &[ExprId], b: &[ExprId]) -> Vec<ExprId> {
        let mut sum = vec![Exprs::FALSE; a.len()];
        for (shift, &bit) in b.iter().enumerate() {
            let row: Vec<ExprId> = a[..a.len() - shift].iter().map(|&x| self.0.and([x, bit])).collect();
            let upper = self.add(&sum[shift..], &row, Exprs::FALSE).0;
            sum.truncate(shift);
            sum.extend(upper);
        }
        sum
    }

    /// Quotient and remainder of numbers without sign, from the highest bit down.
    fn divide(&mut self, a: &[ExprId], b: &[ExprId]) -> (Vec<ExprId>, Vec<ExprId>) {
        // One bit more, since the remainder is doubled before it is compared.
        let mut rest = vec![Exprs::FALSE; a.len() + 1];
        let wide: Vec<ExprId> = b.iter().copied().chain([Exprs::FALSE]).collect();
        let mut quotient = vec![Exprs::FALSE; a.len()];
        for i in (0..a.len()).rev() {
            rest.pop();
            rest.insert(0, a[i]);
            let less = self.less(&rest, &wide);
            let fits = self.0.not(less);
            let smaller = self.subtract(&rest, &wide);
            rest = self.choose(fits, &smaller, &rest);
            quotient[i] = fits;
        }
        rest.pop();
        (quotient, rest)
    }
}

impl Compiler<'_, '_> {
    fn circuit(&mut self) -> Circuit<'_> {
        Circuit(&mut self.exprs)
    }

    /// Two words of the same kind.
    fn alike<'w>(&self, a: &'w Value, b: &'w Value, span: Span) -> Checked<(&'w Word, &'w Word)> {
        match (a, b) {
            (Value::Word(x), Value::Word(y)) if x.signed == y.signed && x.bits.len() == y.bits.len() => {
                Ok((x, y))
            }
            (Value::Word(x), Value::Word(y)) if x.signed == y.signed => {
                Err(wrong(span, format!("these are words of {} and {} bits", x.bits.len(), y.bits.len()))
                    .help("`extend` and `resize` change the width"))
            }
            (Value::Word(_), Value::Word(_)) => {
                Err(wrong(span, "one of these words is signed and the other is not")
                    .help("`signed(...)` and `unsigned(...)` make one of the other"))
            }
            _ => Err(wrong(span, format!("{} cannot be combined with {}", a.describe(), b.describe()))),
        }
    }

    /// The Boolean operators, bit by bit.
    pub fn bitwise(&mut self, a: &Value, b: &Value, span: Span, operator: Bitwise) -> Checked<Value> {
        let (a, b) = self.alike(a, b, span)?;
        let signed = a.signed;
        let bits = a.bits.iter().zip(&b.bits);
        let bits = bits.map(|(&x, &y)| match operator {
            Bitwise::And => self.exprs.and([x, y]),
            Bitwise::Or => self.exprs.or([x, y]),
            Bitwise::Implies => {
                let not = self.exprs.not(x);
                self.exprs.or([not, y])
            }
            Bitwise::Xor => Circuit(&mut self.exprs).xor(x, y),
            Bitwise::Iff => {
                let not = self.exprs.not(y);
                self.exprs.ite(x, y, not)
            }
        });
        let bits = bits.collect();
        Ok(Value::Word(Word { signed, bits }))
    }

    pub fn word_not(&mut self, word: &Word) -> Value {
        let bits = self.circuit().not(&word.bits);
        Value::Word(Word { signed: word.signed, bits })
    }

    pub fn word_negative(&mut self, word: &Word) -> Value {
        let bits = self.circuit().negative(&word.bits);
        Value::Word(Word { signed: word.signed, bits })
    }

    /// Sums, products and the like, modulo what the width can hold.
    pub fn word_compute(
        &mut self,
        operator: Binary,
        a: &Value,
        b: &Value,
        spans: (Span, Span),
    ) -> Checked<Value> {
        let span = spans.0.to(spans.1);
        let (a, b) = self.alike(a, b, span)?;
        let signed = a.signed;
        if matches!(operator, Binary::Divide | Binary::Modulo) {
            let bits = self.circuit().not(&b.bits);
            let zero = conjoin(&mut self.exprs, bits);
            self.fails(zero, Diagnostic::error(Code::DivisionByZero, spans.1, "the divisor can be zero"));
        }
        let mut circuit = self.circuit();
        let bits = match operator {
            Binary::Plus => circuit.add(&a.bits, &b.bits, Exprs::FALSE).0,
            Binary::Minus => circuit.subtract(&a.bits, &b.bits),
            Binary::Times => circuit.multiply(&a.bits, &b.bits),
            _ if !signed => {
                let (quotient, rest) = circuit.divide(&a.bits, &b.bits);
                if operator == Binary::Divide { quotient } else { rest }
            }
            _ => {
                // As numbers without sign; the quotient is negative if one of them is, the remainder if the first is.
                let (a_sign, b_sign) = (a.bits[a.bits.len() - 1], b.bits[b.bits.len() - 1]);
                let (minus_a, minus_b) = (circuit.negative(&a.bits), circuit.negative(&b.bits));
                let (x, y) =
                    (circuit.choose(a_sign, &minus_a, &a.bits), circuit.choose(b_sign, &minus_b, &b.bits));
                let (quotient, rest) = circuit.divide(&x, &y);
                let (result, sign) = if operator == Binary::Divide {
                    (quotient, circuit.xor(a_sign, b_sign))
                } else {
                    (rest, a_sign)
                };
                let minus = circuit.negative(&result);
                circuit.choose(sign, &minus, &result)
            }
        };
        self.within_limits(span)?;
        Ok(Value::Word(Word { signed, bits }))
    }

    pub fn word_order(&mut self, operator: Binary, a: &Value, b: &Value, span: Span) -> Checked<Value> {
        let (a, b) = self.alike(a, b, span)?;
        let (mut x, mut y) = (a.bits.clone(), b.bits.clone());
        if a.signed {
            // With the sign turned round, the order is that of numbers without.
            for bits in [&mut x, &mut y] {
                if let Some(last) = bits.last_mut() {
                    *last = self.exprs.not(*last);
                }
            }
        }
        let swapped = matches!(operator, Binary::Greater | Binary::LessEqual);
        let less = if swapped { self.circuit().less(&y, &x) } else { self.circuit().less(&x, &y) };
        let strict = matches!(operator, Binary::Less | Binary::Greater);
        Ok(Value::Boolean(if strict { less } else { self.exprs.not(less) }))
    }

    pub fn word_equal(&mut self, a: &Value, b: &Value, span: Span) -> Checked<ExprId> {
        let (a, b) = self.alike(a, b, span)?;
        let pairs: Vec<(ExprId, ExprId)> = a.bits.iter().copied().zip(b.bits.iter().copied()).collect();
        let mut same = vec![];
        for (x, y) in pairs {
            let differ = self.circuit().xor(x, y);
            same.push(self.exprs.not(differ));
        }
        Ok(conjoin(&mut self.exprs, same))
    }

    /// The values of a set that a word can have.
    pub fn word_among(&mut self, word: &Value, set: &[(Constant, ExprId)], span: Span) -> Checked<ExprId> {
        let mut ways = vec![];
        for (constant, when) in set {
            let Constant::Word(signed, bits) = constant else {
                return Err(wrong(span, format!("{} cannot be {constant}", word.describe())));
            };
            let is = self.word_equal(word, &Value::Word(Word::of(*signed, bits)), span)?;
            ways.push(self.exprs.and([*when, is]));
        }
        Ok(self.exprs.or(ways))
    }

    /// Shifts and rotations by a number or a word without sign.
    pub fn shift(&mut self, operator: Binary, a: &Value, by: &Value, spans: (Span, Span)) -> Checked<Value> {
        let Value::Word(word) = a else {
            return Err(wrong(spans.0, format!("expected a word, but this is {}", a.describe())));
        };
        let width = word.bits.len();
        let ways: Vec<(usize, ExprId)> = match by {
            Value::Word(by) => {
                // Every bit of the amount shifts by a power of two, or not.
                let (mut bits, amount) = (word.bits.clone(), by.bits.clone());
                for (i, bit) in amount.into_iter().enumerate() {
                    let step = if i < 20 { 1usize << i } else { usize::MAX };
                    let step = match operator {
                        // A rotation by the width is none.
                        Binary::RotateLeft | Binary::RotateRight if i < 20 => step % width,
                        Binary::RotateLeft | Binary::RotateRight => {
                            return Err(wrong(spans.1, "a rotation by so wide a word is not supported"));
                        }
                        _ => step.min(width),
                    };
                    let moved = shifted(operator, word.signed, &bits, step);
                    bits = self.circuit().choose(bit, &moved, &bits);
                }
                return Ok(Value::Word(Word { signed: word.signed, bits }));
            }
            _ => {
                let mut ways = vec![];
                for (n, when) in self.integers(by, spans.1)? {
                    match usize::try_from(n).ok().filter(|&n| n <= width) {
                        Some(n) => ways.push((n, when)),
                        None => {
                            let message = format!("a word of {width} bits cannot be shifted by {n}");
                            self.fails(when, Diagnostic::error(Code::IndexOutOfRange, spans.1, message));
                        }
                    }
                }
                ways
            }
        };
        let mut bits = vec![Exprs::FALSE; width];
        for (i, (n, when)) in ways.into_iter().enumerate() {
            let step =
                if matches!(operator, Binary::RotateLeft | Binary::RotateRight) { n % width } else { n };
            let moved = shifted(operator, word.signed, &word.bits, step);
            bits = if i == 0 { moved } else { self.circuit().choose(when, &moved, &bits) };
        }
        Ok(Value::Word(Word { signed: word.signed, bits }))
    }

    pub fn concatenate(&mut self, a: &Value, b: &Value, spans: (Span, Span)) -> Checked<Value> {
        let (Value::Word(high), Value::Word(low)) = (a, b) else {
            let (other, span) = if matches!(a, Value::Word(_)) { (b, spans.1) } else { (a, spans.0) };
            return Err(wrong(span, format!("expected a word, but this is {}", other.describe())));
        };
        let bits: Vec<ExprId> = low.bits.iter().chain(&high.bits).copied().collect();
        self.wide(bits.len() as i64, spans.0.to(spans.1))?;
        Ok(Value::Word(Word { signed: false, bits }))
    }

    /// `w[high:low]`
    pub fn select(&mut self, word: &Value, high: i64, low: i64, span: Span) -> Checked<Value> {
        let Value::Word(word) = word else {
            return Err(wrong(span, format!("expected a word, but this is {}", word.describe())));
        };
        if low < 0 || high < low || high >= word.bits.len() as i64 {
            let message = format!("a word of {} bits has no bits {high} to {low}", word.bits.len());
            return Err(Diagnostic::error(Code::IndexOutOfRange, span, message));
        }
        Ok(Value::Word(Word { signed: false, bits: word.bits[low as usize..=high as usize].to_vec() }))
    }

    fn wide(&self, width: i64, span: Span) -> Checked<usize> {
        match usize::try_from(width).ok().filter(|&n| (1..=MOST_BITS).contains(&n)) {
            Some(width) => Ok(width),
            None => {
                let message = format!("a word has 1 to {MOST_BITS} bits, not {width}");
                Err(Diagnostic::error(Code::TooLarge, span, message))
            }
        }
    }

    /// A word as a number.
    pub fn counted(&mut self, word: &Word, span: Span) -> Checked<Value> {
        let width = word.bits.len();
        if width > MOST_COUNTED {
            let message = format!("`toint` of a word of {width} bits is not supported");
            let error = Diagnostic::error(Code::TooLarge, span, message);
            return Err(
                error.help(format!("words of up to {MOST_COUNTED} bits are; compare and add words as words"))
            );
        }
        let mut cases = vec![];
        for code in 0..1i64 << width {
            let bits: Vec<ExprId> = (0..width)
                .map(|i| if code >> i & 1 == 1 { word.bits[i] } else { self.exprs.not(word.bits[i]) })
                .collect();
            let negative = word.signed && code >> (width - 1) & 1 == 1;
            let number = if negative { code - (1 << width) } else { code };
            cases.push((Constant::Integer(number), conjoin(&mut self.exprs, bits)));
        }
        Ok(Value::Cases(crate::value::gather(&mut self.exprs, cases)))
    }

    /// The built-in functions on words; `None` for any other name.
    pub fn word_call(
        &mut self,
        name: &str,
        arguments: &[(Value, Span)],
        span: Span,
    ) -> Checked<Option<Value>> {
        let number = |i: usize| -> Checked<i64> {
            let (value, at) = &arguments[i];
            value.number().ok_or_else(|| wrong(*at, "expected a constant number"))
        };
        let word = || -> Checked<&Word> {
            match &arguments[0] {
                (Value::Word(word), _) => Ok(word),
                (other, at) => Err(wrong(*at, format!("expected a word, but this is {}", other.describe()))),
            }
        };
        let count = match name {
            "word1" | "signed" | "unsigned" | "sizeof" => 1,
            "extend" | "resize" | "uwconst" | "swconst" => 2,
            _ => return Ok(None),
        };
        if arguments.len() != count {
            let message = format!("`{name}` takes {count} arguments, {} are given", arguments.len());
            return Err(Diagnostic::error(Code::Parameters, span, message));
        }
        let made = match name {
            "word1" => {
                let bit = self.boolean(&arguments[0].0, arguments[0].1)?;
                Word { signed: false, bits: vec![bit] }
            }
            "signed" | "unsigned" => Word { signed: name == "signed", bits: word()?.bits.clone() },
            "sizeof" => {
                let width = word()?.bits.len() as i64;
                return Ok(Some(Value::Cases(vec![(Constant::Integer(width), Exprs::TRUE)])));
            }
            "extend" => {
                let word = word()?;
                let width = number(1)?.checked_add(word.bits.len() as i64).unwrap_or(-1);
                resized(word, self.wide(width, span)?.max(word.bits.len()))
            }
            "resize" => resized(word()?, self.wide(number(1)?, span)?),
            _ => {
                let (value, width) = (number(0)?, self.wide(number(1)?, span)?);
                let signed = name == "swconst";
                let fits = match (signed, width) {
                    (true, 64..) => true,
                    (true, _) => (-(1i64 << (width - 1))..1i64 << (width - 1)).contains(&value),
                    (false, 63..) => value >= 0,
                    (false, _) => (0..1i64 << width).contains(&value),
                };
                if !fits {
                    let message = format!("{value} does not fit into {width} bits");
                    return Err(Diagnostic::error(Code::ValueOutOfRange, span, message));
                }
                let bits: Vec<bool> = (0..width).map(|i| value >> i.min(63) & 1 == 1).collect();
                Word::of(signed, &bits)
            }
        };
        Ok(Some(Value::Word(made)))
    }
}

/// A Boolean operator on words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bitwise {
    And,
    Or,
    Implies,
    Xor,
    Iff,
}

/// Wider by zeros, or by copies of the sign; narrower by what does not fit, but for the sign.
fn resized(word: &Word, width: usize) -> Word {
    let (mut bits, sign) = (word.bits.clone(), word.bits[word.bits.len() - 1]);
    if width >= bits.len() {
        bits.resize(width, if word.signed { sign } else { Exprs::FALSE });
    } else {
        bits.truncate(width);
        if word.signed {
            bits[width - 1] = sign;
        }
    }
    Word { signed: word.signed, bits }
}

/// The bits moved by a number of places, up to the width.
fn shifted(operator: Binary, signed: bool, bits: &[ExprId], step: usize) -> Vec<ExprId> {
    let width = bits.len();
    let fill = match operator {
        Binary::ShiftRight if signed => bits[width - 1],
        _ => Exprs::FALSE,
    };
    let from = |i: usize| match operator {
        Binary::ShiftLeft => i.checked_sub(step),
        Binary::ShiftRight => Some(i + step).filter(|&j| j < width),
        Binary::RotateLeft => Some((i + width - step) % width),
        _ => Some((i + step) % width),
    };
    (0..width).map(|i| from(i).map_or(fill, |j| bits[j])).collect()
}

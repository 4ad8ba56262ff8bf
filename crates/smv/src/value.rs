//! What an expression can be, and when.

use winset_model::{Expr, ExprId, Exprs};

/// A value of the language.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Constant {
    Boolean(bool),
    Integer(i64),
    Symbol(String),
    /// Signed or not, with its bits, the lowest first. Only in sets.
    Word(bool, Vec<bool>),
}

impl std::fmt::Display for Constant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Constant::Boolean(true) => f.write_str("TRUE"),
            Constant::Boolean(false) => f.write_str("FALSE"),
            Constant::Integer(n) => write!(f, "{n}"),
            Constant::Symbol(name) => f.write_str(name),
            Constant::Word(signed, bits) => {
                write!(f, "0{}b{}_", if *signed { "s" } else { "u" }, bits.len())?;
                bits.iter().rev().try_for_each(|&bit| write!(f, "{}", u8::from(bit)))
            }
        }
    }
}

/// An expression compiled: under which condition it has which value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// True where the condition holds, false elsewhere.
    Boolean(ExprId),
    /// Exactly one of the conditions holds.
    Cases(Vec<(Constant, ExprId)>),
    /// Any of the values whose condition holds may be chosen.
    Set(Vec<(Constant, ExprId)>),
    /// Bits, the lowest first.
    Word(Word),
    /// A list of values; only definitions have such.
    Array(Vec<Value>),
}

/// A word: signed or not, and its bits, the lowest first.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub signed: bool,
    pub bits: Vec<ExprId>,
}

impl Value {
    /// The values with their conditions.
    pub fn cases(&self, exprs: &mut Exprs) -> Vec<(Constant, ExprId)> {
        match self {
            Value::Boolean(yes) => {
                let no = exprs.not(*yes);
                vec![(Constant::Boolean(true), *yes), (Constant::Boolean(false), no)]
            }
            Value::Cases(list) | Value::Set(list) => list.clone(),
            Value::Word(word) => match word.constant() {
                Some(constant) => vec![(constant, Exprs::TRUE)],
                None => vec![],
            },
            Value::Array(_) => vec![],
        }
    }

    /// Every condition that it depends on.
    pub fn conditions(&self) -> Vec<ExprId> {
        match self {
            Value::Boolean(yes) => vec![*yes],
            Value::Cases(list) | Value::Set(list) => list.iter().map(|(_, when)| *when).collect(),
            Value::Word(word) => word.bits.clone(),
            Value::Array(list) => list.iter().flat_map(Value::conditions).collect(),
        }
    }

    /// The number, if it is the same everywhere.
    pub fn number(&self) -> Option<i64> {
        match self {
            Value::Cases(list) => match list.as_slice() {
                [(Constant::Integer(n), Exprs::TRUE)] => Some(*n),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn is_set(&self) -> bool {
        matches!(self, Value::Set(_))
    }

    /// What it is, for messages.
    pub fn describe(&self) -> &'static str {
        let list = match self {
            Value::Boolean(_) => return "a Boolean",
            Value::Set(_) => return "a set",
            Value::Word(word) if word.signed => return "a signed word",
            Value::Word(_) => return "a word",
            Value::Array(_) => return "an array",
            Value::Cases(list) => list,
        };
        if list.iter().all(|(c, _)| matches!(c, Constant::Integer(_))) {
            "a number"
        } else if list.iter().all(|(c, _)| matches!(c, Constant::Symbol(_))) {
            "a symbol"
        } else {
            "a number or symbol"
        }
    }
}

impl Word {
    /// Its value, if it is the same everywhere.
    pub fn constant(&self) -> Option<Constant> {
        let bit = |bit: &ExprId| match *bit {
            Exprs::TRUE => Some(true),
            Exprs::FALSE => Some(false),
            _ => None,
        };
        let bits: Option<Vec<bool>> = self.bits.iter().map(bit).collect();
        Some(Constant::Word(self.signed, bits?))
    }

    /// A word that is the same everywhere.
    pub fn of(signed: bool, bits: &[bool]) -> Word {
        let bits = bits.iter().map(|&bit| if bit { Exprs::TRUE } else { Exprs::FALSE }).collect();
        Word { signed, bits }
    }
}

/// Joins cases of equal values, and leaves out those that never apply.
pub(crate) fn gather(exprs: &mut Exprs, mut list: Vec<(Constant, ExprId)>) -> Vec<(Constant, ExprId)> {
    list.retain(|(_, when)| *when != Exprs::FALSE);
    list.sort_by(|a, b| a.0.cmp(&b.0));
    let mut joined: Vec<(Constant, Vec<ExprId>)> = vec![];
    for (constant, when) in list {
        match joined.last_mut() {
            Some((last, conditions)) if *last == constant => conditions.push(when),
            _ => joined.push((constant, vec![when])),
        }
    }
    joined.into_iter().map(|(constant, conditions)| (constant, exprs.or(conditions))).collect()
}

/// Flat conjunction: nested ones are opened, so that contradictions between their parts are seen.
pub(crate) fn conjoin(exprs: &mut Exprs, parts: impl IntoIterator<Item = ExprId>) -> ExprId {
    let mut flat = vec![];
    for part in parts {
        match exprs.get(part) {
            Expr::And(list) => flat.extend(list.iter().copied()),
            _ => flat.push(part),
        }
    }
    exprs.and(flat)
}

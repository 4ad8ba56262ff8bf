//! A variable of the game as the file writes it: with the names of its values, or as Boolean variables.

use super::names::{identifier, unique, value_names};
use rustc_hash::FxHashSet;
use winset_model::{Expr, ExprId, Exprs, Game, Value, VarId, Variable};

/// One variable of the game.
pub enum Written {
    /// One variable that has the game's values.
    Values {
        /// Its name.
        name: String,
        /// Its values' names.
        values: Vec<String>,
    },
    /// Boolean variables, the first the most significant, and the code of every value.
    Bits {
        /// Their names.
        names: Vec<String>,
        /// For each value what they are.
        codes: Vec<Vec<bool>>,
    },
}

/// All variables of a game, with the names of their values.
pub fn by_values(game: &Game) -> Vec<Written> {
    let mut taken = FxHashSet::default();
    let names: Vec<String> =
        game.variables().iter().map(|v| unique(&identifier(&v.name, "x"), &mut taken)).collect();
    let values = game.variables().iter().map(|v| value_names(v, &taken));
    names.into_iter().zip(values).map(|(name, values)| Written::Values { name, values }).collect()
}

/// All variables of a game as Boolean ones: `x`, `y` and `z` of a square, the value's number in binary, and `m` for
/// the turn, which is true for the player who begins, as the checkers paper has them.
pub fn by_bits(game: &Game) -> Vec<Written> {
    let mut taken = FxHashSet::default();
    let turn = turn_variable(game);
    let one = |(i, v): (usize, &Variable)| {
        if turn == Some(VarId(i as u32)) {
            let names = vec![unique("m", &mut taken)];
            return Written::Bits { names, codes: vec![vec![true], vec![false]] };
        }
        let width = (usize::BITS - (v.size() - 1).leading_zeros()).max(1) as usize;
        let codes = (0..v.size()).map(|value| (0..width).rev().map(|bit| value >> bit & 1 == 1).collect());
        let name = |bit: usize| match (width, ["x", "y", "z"].get(bit)) {
            (1, _) => identifier(&v.name, "x"),
            (2 | 3, Some(letter)) => identifier(&format!("{letter}_{}", v.name), "x"),
            _ => identifier(&format!("b{bit}_{}", v.name), "x"),
        };
        let names = (0..width).map(|bit| unique(&name(bit), &mut taken)).collect();
        Written::Bits { names, codes: codes.collect() }
    };
    game.variables().iter().enumerate().map(one).collect()
}

/// The variable with one value for each of two players that says whose turn it is.
fn turn_variable(game: &Game) -> Option<VarId> {
    let &[first, second] = game.turn() else { return None };
    match (game.exprs().get(first), game.exprs().get(second)) {
        (&Expr::Is(var, 0), &Expr::Is(other, 1)) => {
            (var == other && game.variables()[var.index()].size() == 2).then_some(var)
        }
        _ => None,
    }
}

impl Written {
    /// The declarations, with the game's own names where the file's are others.
    pub fn declarations(&self, v: &Variable) -> Vec<String> {
        let comment = format!("{}: {}", v.name, v.values.join(" ")).replace(['\n', '\r'], " ");
        match self {
            Written::Values { name, values } => {
                let line = format!("  {name} : {{{}}};", values.join(", "));
                let renamed = *name != v.name || *values != v.values;
                vec![if renamed { format!("{line}  -- {comment}") } else { line }]
            }
            Written::Bits { names, codes } => {
                let code = |code: &Vec<bool>| code.iter().map(|&bit| if bit { '1' } else { '0' }).collect();
                let codes: Vec<String> = codes.iter().map(code).collect();
                let mut lines: Vec<String> =
                    names.iter().map(|name| format!("  {name} : boolean;")).collect();
                if let Some(first) = lines.first_mut() {
                    *first += &format!("  -- {comment}: {}", codes.join(" "));
                }
                lines
            }
        }
    }

    /// The variable has a value.
    pub fn is(&self, value: Value) -> String {
        match self {
            Written::Values { name, values } => format!("{name} = {}", values[usize::from(value)]),
            Written::Bits { names, codes } => {
                let bits = names.iter().zip(&codes[usize::from(value)]);
                let literals: Vec<String> = bits.map(|(name, &bit)| literal(name, bit)).collect();
                if let [one] = &literals[..] { one.clone() } else { format!("({})", literals.join(" & ")) }
            }
        }
    }

    /// The variable has another value.
    pub fn is_not(&self, value: Value) -> String {
        match self {
            Written::Values { name, values } => format!("{name} != {}", values[usize::from(value)]),
            Written::Bits { .. } => format!("!({})", self.is(value)),
        }
    }

    /// What must hold of a transition that leaves the variable as it is.
    pub fn keeps(&self) -> Vec<String> {
        let names = match self {
            Written::Values { name, .. } => std::slice::from_ref(name),
            Written::Bits { names, .. } => names,
        };
        names.iter().map(|name| format!("next({name}) = {name}")).collect()
    }

    /// What must hold of a transition after which the variable has the value of the first condition that holds, or
    /// its old one.
    pub fn becomes(&self, cases: &[(String, Value)]) -> Vec<String> {
        if let [(when, value), ..] = cases
            && when == "TRUE"
        {
            return match self {
                Written::Values { name, values } => {
                    vec![format!("next({name}) = {}", values[usize::from(*value)])]
                }
                Written::Bits { names, codes } => {
                    let bits = names.iter().zip(&codes[usize::from(*value)]);
                    bits.map(|(name, &bit)| literal(&format!("next({name})"), bit)).collect()
                }
            };
        }
        let choose = |name: &str, value: &dyn Fn(Value) -> String| {
            let mut text = format!("next({name}) = case ");
            for (when, to) in cases {
                text += &format!("{when} : {}; ", value(*to));
            }
            // A case that holds always ends the list: some readers want one, and none wants two.
            if !cases.iter().any(|(when, _)| when == "TRUE") {
                text += &format!("TRUE : {name}; ");
            }
            text + "esac"
        };
        match self {
            Written::Values { name, values } => {
                vec![choose(name, &|value| values[usize::from(value)].clone())]
            }
            Written::Bits { names, codes } => {
                let bit = |at: usize| {
                    move |value: Value| {
                        if codes[usize::from(value)][at] { "TRUE" } else { "FALSE" }.to_owned()
                    }
                };
                names.iter().enumerate().map(|(at, name)| choose(name, &bit(at))).collect()
            }
        }
    }

    /// Where the variable has one of its values, unless it always has.
    pub fn domain(&self) -> Option<String> {
        let Written::Bits { names, codes } = self else { return None };
        if codes.len() == 1 << names.len() {
            return None;
        }
        let values: Vec<String> = (0..codes.len()).map(|value| self.is(value as Value)).collect();
        Some(format!("({})", values.join(" | ")))
    }
}

/// What an update says, its conditions written out.
pub fn cases(cases: &[(ExprId, Value)], expression: impl Fn(ExprId) -> String) -> Vec<(String, Value)> {
    let written = |&(when, value): &(ExprId, Value)| {
        (if when == Exprs::TRUE { "TRUE".to_owned() } else { expression(when) }, value)
    };
    cases.iter().map(written).collect()
}

fn literal(name: &str, holds: bool) -> String {
    if holds { name.to_owned() } else { format!("!{name}") }
}

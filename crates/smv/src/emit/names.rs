//! Names that every reader of SMV takes.

use crate::parse::{SECTIONS, UNSUPPORTED};
use rustc_hash::FxHashSet;
use winset_model::Variable;

/// Words besides those that begin a section that mean something else in some dialect.
const RESERVED: [&str; 66] = [
    "NAME",
    "TRUE",
    "FALSE",
    "boolean",
    "integer",
    "real",
    "word",
    "word1",
    "signed",
    "unsigned",
    "array",
    "of",
    "process",
    "next",
    "init",
    "self",
    "case",
    "esac",
    "mod",
    "union",
    "in",
    "xor",
    "xnor",
    "bool",
    "toint",
    "count",
    "abs",
    "max",
    "min",
    "mu",
    "nu",
    "EX",
    "AX",
    "EF",
    "AF",
    "EG",
    "AG",
    "clock",
    "running",
    "EBF",
    "ABF",
    "EBG",
    "ABG",
    "BU",
    "COMPID",
    "COMPWFF",
    "CONSTRAINT",
    "CTLWFF",
    "IN",
    "Integer",
    "LTLWFF",
    "MAX",
    "MIN",
    "MDEFINE",
    "NEXTWFF",
    "PREDICATES",
    "PSLWFF",
    "READ",
    "Real",
    "SIMPWFF",
    "WRITE",
    "Word",
    "extend",
    "resize",
    "sizeof",
    "swconst",
];

/// The text if it is a name, otherwise what is left of it when everything else is replaced.
pub fn identifier(text: &str, prefix: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let clean = clean.trim_matches('_');
    let begins_well = clean.starts_with(|c: char| c.is_ascii_alphabetic());
    if begins_well && clean.len() > 1
        || (clean.len() == 1 && clean.starts_with(|c: char| c.is_ascii_lowercase()))
    {
        clean.to_owned()
    } else {
        format!("{prefix}_{clean}")
    }
}

/// A name that is neither reserved, nor used in the file otherwise, nor taken.
pub fn unique(name: &str, taken: &mut FxHashSet<String>) -> String {
    let own = ["e_", "move_", "turn_", "reward_", "other_move_", "terminal", "stay"];
    let mut candidate = name.to_owned();
    while [&SECTIONS[..], &UNSUPPORTED, &RESERVED].concat().contains(&candidate.as_str())
        || own.iter().any(|prefix| candidate.starts_with(prefix))
        || !taken.insert(candidate.clone())
    {
        candidate = format!("v_{candidate}");
    }
    candidate
}

/// Values share their names between variables, but never with a variable.
pub fn value_names(v: &Variable, variables: &FxHashSet<String>) -> Vec<String> {
    let mut own: FxHashSet<String> = variables.clone();
    v.values
        .iter()
        .enumerate()
        .map(|(i, value)| {
            let plain: String = value.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
            let name = if plain.is_empty() { format!("none_{i}") } else { identifier(value, "c") };
            unique(&name, &mut own)
        })
        .collect()
}

/// The players' names as parts of names, all different.
pub fn player_names(players: &[String]) -> Vec<String> {
    let mut taken = FxHashSet::default();
    let part = |name: &String| {
        let mut part = identifier(name, "p");
        while !taken.insert(part.clone()) {
            part = format!("p_{part}");
        }
        part
    };
    players.iter().map(part).collect()
}

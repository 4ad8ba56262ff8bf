//! Who decides: found from what is legal, whatever the words for the turn and for waiting are.

use crate::convert::joint::{Allowed, Values, pivots};
use crate::ground::instances::Ground;
use crate::prove::formula::{FALSE, FormulaId, Formulas};
use crate::prove::implied::shared;
use crate::prove::refute::{Theory, refute};
use rustc_hash::FxHashSet;

/// Where each role decides.
pub(crate) struct Turn {
    /// For every role the formula that says it decides.
    pub decides: Vec<FormulaId>,
    /// Two roles can choose: to be checked on the reachable states unless it is shown impossible.
    pub simultaneous: FormulaId,
}

/// At least two of the formulas hold.
pub(crate) fn two_of(formulas: &mut Formulas, list: &[FormulaId]) -> FormulaId {
    let (mut one, mut two) = (FALSE, Vec::new());
    for f in list {
        let both = formulas.and(vec![one, *f]);
        two.push(both);
        one = formulas.or(vec![one, *f]);
    }
    formulas.or(two)
}

/// Finds where each role decides: by a group whose value leaves one role a single action, or else by
/// counting what is legal.
pub(crate) fn turn(ground: &Ground, formulas: &mut Formulas, theory: &Theory, legal: &[FormulaId]) -> Turn {
    if ground.roles.len() == 1 {
        return Turn { decides: vec![crate::prove::formula::TRUE], simultaneous: FALSE };
    }
    for group in pivots(formulas, theory, legal) {
        if let Some(values) = by_group(ground, formulas, theory, legal, group) {
            let members = theory.groups[group].fluents.clone();
            let mut decides = Vec::new();
            for role in 0..2 {
                let own: Vec<FormulaId> = (0..members.len())
                    .filter(|v| values[*v] == role)
                    .map(|v| formulas.fluent(members[v]))
                    .collect();
                decides.push(formulas.or(own));
            }
            // Where no value of an inexact group holds, its own verdict applies.
            if let Some(role) = values.get(members.len()) {
                decides[*role] = formulas.not(decides[1 - *role]);
            }
            return Turn { decides, simultaneous: FALSE };
        }
    }
    if let Some(decides) = by_condition(ground, formulas, theory, legal) {
        return Turn { decides, simultaneous: FALSE };
    }
    let many: Vec<FormulaId> = (0..2)
        .map(|role| {
            let list: Vec<FormulaId> =
                (0..legal.len()).filter(|a| ground.actions[*a].0 == role).map(|a| legal[a]).collect();
            two_of(formulas, &list)
        })
        .collect();
    let first = formulas.not(many[1]);
    let simultaneous = formulas.and(many.clone());
    Turn { decides: vec![first, many[1]], simultaneous }
}

/// For every value of the group (and for none of them, if that can be) the role that decides; nothing if
/// some value lets both roles choose.
fn by_group(
    ground: &Ground,
    formulas: &Formulas,
    theory: &Theory,
    legal: &[FormulaId],
    group: usize,
) -> Option<Vec<usize>> {
    let members = &theory.groups[group];
    let count = members.fluents.len() + usize::from(!members.exact);
    let mut allowed = Allowed::new(formulas, members);
    let sets: Vec<Values> = legal.iter().map(|f| allowed.values(*f)).collect();
    // For every value and role the actions that may be legal there.
    let mut possible: Vec<[Vec<usize>; 2]> = Vec::with_capacity(count);
    for value in 0..count {
        let of = |role: usize| -> Vec<usize> {
            (0..legal.len())
                .filter(|a| ground.actions[*a].0 == role && legal[*a] != FALSE && sets[*a].contains(value))
                .collect()
        };
        possible.push([of(0), of(1)]);
    }
    let waits = |value: usize, role: usize| {
        exclusive(&possible[value][role], formulas, theory, legal, members.fluents.get(value).copied())
    };
    let passive: Vec<[bool; 2]> = (0..count).map(|v| [waits(v, 0), waits(v, 1)]).collect();
    if passive.iter().any(|p| !p[0] && !p[1]) {
        return None;
    }
    // The actions that a role is left with while the other one chooses are its waiting moves.
    let mut waiting: [FxHashSet<usize>; 2] = Default::default();
    for (lists, p) in possible.iter().zip(&passive) {
        for role in 0..2 {
            if !p[1 - role] {
                waiting[role].extend(&lists[role]);
            }
        }
    }
    Some(
        (0..count)
            .map(|v| match passive[v] {
                [false, _] => 0,
                [_, false] => 1,
                _ => usize::from(
                    possible[v][0].iter().all(|a| waiting[0].contains(a))
                        && !possible[v][1].iter().all(|a| waiting[1].contains(a)),
                ),
            })
            .collect(),
    )
}

/// Conditions of the two roles that exclude each other, such that a role without its own has at most one
/// action: the second role decides where its condition holds, the first one elsewhere.
fn by_condition(
    ground: &Ground,
    formulas: &mut Formulas,
    theory: &Theory,
    legal: &[FormulaId],
) -> Option<Vec<FormulaId>> {
    let shared = shared(ground, formulas, theory, legal);
    let alone = |role: usize, condition: usize| {
        let others: Vec<usize> = (0..legal.len())
            .filter(|a| {
                ground.actions[*a].0 == role && legal[*a] != FALSE && shared.needs[*a] >> condition & 1 == 0
            })
            .collect();
        exclusive(&others, formulas, theory, legal, None)
    };
    let (_, q) = shared.pairs().find(|(p, q)| alone(0, *p) && alone(1, *q))?;
    let (condition, holds) = shared.conditions[1][q];
    let second = if holds { condition } else { formulas.not(condition) };
    let first = formulas.not(second);
    Some(vec![first, second])
}

/// At most one of the actions is legal in any state with this value.
fn exclusive(
    actions: &[usize],
    formulas: &Formulas,
    theory: &Theory,
    legal: &[FormulaId],
    fluent: Option<u32>,
) -> bool {
    const MOST: usize = 24;
    if actions.len() <= 1 {
        return true;
    }
    if actions.len() > MOST {
        return false;
    }
    let value = fluent.and_then(|f| formulas.find_fluent(f));
    (0..actions.len()).all(|i| {
        (0..i).all(|j| {
            let mut claims = vec![(legal[actions[i]], true), (legal[actions[j]], true)];
            claims.extend(value.map(|v| (v, true)));
            refute(formulas, theory, &claims, 1000)
        })
    })
}

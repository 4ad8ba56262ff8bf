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

/// Finds where each role decides: by a group whose value leaves all roles but one a single action, or else by
/// counting what is legal.
pub(crate) fn turn(ground: &Ground, formulas: &mut Formulas, theory: &Theory, legal: &[FormulaId]) -> Turn {
    let roles = ground.roles.len();
    if roles == 1 {
        return Turn { decides: vec![crate::prove::formula::TRUE], simultaneous: FALSE };
    }
    for group in pivots(formulas, theory, legal) {
        if let Some(values) = by_group(ground, formulas, theory, legal, group) {
            let members = theory.groups[group].fluents.clone();
            let mut decides = Vec::new();
            for role in 0..roles {
                let own: Vec<FormulaId> = (0..members.len())
                    .filter(|v| values[*v] == role)
                    .map(|v| formulas.fluent(members[v]))
                    .collect();
                decides.push(formulas.or(own));
            }
            // Where no value of an inexact group holds, its own verdict applies.
            if let Some(role) = values.get(members.len()) {
                let others = (0..roles).filter(|other| other != role).map(|other| decides[other]).collect();
                let others = formulas.or(others);
                decides[*role] = formulas.not(others);
            }
            return Turn { decides, simultaneous: FALSE };
        }
    }
    if roles == 2
        && let Some(decides) = by_condition(ground, formulas, theory, legal)
    {
        return Turn { decides, simultaneous: FALSE };
    }
    let many: Vec<FormulaId> = (0..roles)
        .map(|role| {
            let list: Vec<FormulaId> =
                (0..legal.len()).filter(|a| ground.actions[*a].0 == role).map(|a| legal[a]).collect();
            two_of(formulas, &list)
        })
        .collect();
    // The first role decides where no other one does.
    let others = formulas.or(many[1..].to_vec());
    let mut decides = vec![formulas.not(others)];
    decides.extend(&many[1..]);
    let simultaneous = two_of(formulas, &many);
    Turn { decides, simultaneous }
}

/// For every value of the group (and for none of them, if that can be) the role that decides; nothing if
/// some value lets two roles choose.
fn by_group(
    ground: &Ground,
    formulas: &Formulas,
    theory: &Theory,
    legal: &[FormulaId],
    group: usize,
) -> Option<Vec<usize>> {
    let (members, roles) = (&theory.groups[group], 0..ground.roles.len());
    let count = members.fluents.len() + usize::from(!members.exact);
    let mut allowed = Allowed::new(formulas, members);
    let sets: Vec<Values> = legal.iter().map(|f| allowed.values(*f)).collect();
    // For every value and role the actions that may be legal there.
    let mut possible: Vec<Vec<Vec<usize>>> = Vec::with_capacity(count);
    for value in 0..count {
        let of = |role: usize| -> Vec<usize> {
            (0..legal.len())
                .filter(|a| ground.actions[*a].0 == role && legal[*a] != FALSE && sets[*a].contains(value))
                .collect()
        };
        possible.push(roles.clone().map(of).collect());
    }
    let waits = |value: usize, role: usize| {
        exclusive(&possible[value][role], formulas, theory, legal, members.fluents.get(value).copied())
    };
    // For every value the one role that can choose, if any.
    let mut choosing: Vec<Option<usize>> = Vec::with_capacity(count);
    for value in 0..count {
        let mut active = roles.clone().filter(|role| !waits(value, *role));
        choosing.push(active.next());
        if active.next().is_some() {
            return None;
        }
    }
    // The actions that a role is left with while another one chooses are its waiting moves.
    let mut waiting: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); roles.len()];
    for (lists, chooser) in possible.iter().zip(&choosing) {
        for role in roles.clone().filter(|role| chooser.is_some_and(|chooser| chooser != *role)) {
            waiting[role].extend(&lists[role]);
        }
    }
    let acts = |value: usize, role: usize| possible[value][role].iter().any(|a| !waiting[role].contains(a));
    let first_to_act = |value: usize| roles.clone().find(|role| acts(value, *role)).unwrap_or(0);
    Some((0..count).map(|value| choosing[value].unwrap_or_else(|| first_to_act(value))).collect())
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

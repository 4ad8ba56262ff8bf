//! Candidates for groups of fluents that exclude each other: same relation, same values at some argument
//! positions. They are only guesses until they are proved.

use crate::ground::simulate::Bits;
use crate::ground::terms::{TermId, Terms};
use crate::limits::{Exceeded, Meter};
use crate::prove::refute::Group;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Positions beyond these are never outputs on their own, to keep the number of templates small.
const MOST_POSITIONS: usize = 6;
const SAMPLE: usize = 3000;
/// Relations with at most this many fluents may tell the turn together, of at most this many parts.
const SMALL: usize = 12;
const MOST_ITEMS: usize = 64;
/// States that must have been seen before a fact in all of them is taken for a rule.
const MANY: usize = 100;

fn holds(state: &Bits, fluent: u32) -> bool {
    state[fluent as usize / 64] >> (fluent % 64) & 1 == 1
}

/// Guesses groups among the fluents that agree with every state seen and have not failed before.
pub(crate) fn candidates(
    fluents: &[TermId],
    free: &[u32],
    terms: &Terms,
    states: &[Bits],
    all: bool,
    failed: &FxHashSet<Vec<u32>>,
    meter: &Meter,
) -> Result<Vec<Group>, Exceeded> {
    let mut by_relation: FxHashMap<(u32, usize), Vec<u32>> = FxHashMap::default();
    for f in free {
        let term = fluents[*f as usize];
        by_relation.entry((terms.functor(term).0, terms.args(term).len())).or_default().push(*f);
    }
    let step = if all { 1 } else { (states.len() / SAMPLE).max(1) };
    let sample: Vec<&Bits> = states.iter().step_by(step).collect();
    let mut relations: Vec<_> = by_relation.into_iter().collect();
    relations.sort();
    let mut groups = Vec::new();
    for ((_, arity), members) in &relations {
        if *arity > 0 {
            groups.extend(best_template(fluents, members, *arity, terms, &sample, failed, meter)?);
        }
    }
    let taken: FxHashSet<u32> = groups.iter().flat_map(|g| g.fluents.iter().copied()).collect();
    let left: Vec<u32> = free.iter().copied().filter(|f| !taken.contains(f)).collect();
    groups.extend(same_arguments(fluents, &left, terms, &sample, meter)?);
    groups.retain(|g| !failed.contains(&g.fluents));
    // What holds in every state seen may always do so; with a few states that says nothing.
    if sample.len() >= MANY || all {
        let grouped: FxHashSet<u32> = groups.iter().flat_map(|g| g.fluents.iter().copied()).collect();
        let always = |f: &u32| !grouped.contains(f) && sample.iter().all(|s| holds(s, *f));
        let singles = free.iter().copied().filter(always).map(|f| Group { fluents: vec![f], exact: true });
        groups.extend(singles.filter(|g| !failed.contains(&g.fluents)).collect::<Vec<_>>());
    }
    let small = relations.iter().filter(|(_, m)| m.len() <= SMALL).flat_map(|(_, m)| m.iter().copied());
    Ok(merge(groups, &small.collect::<Vec<_>>(), &sample, failed))
}

/// Puts groups and single fluents of small relations together if exactly one of them holds in every state
/// seen: a turn may be told by several relations, such as one for each phase of a move.
fn merge(
    mut groups: Vec<Group>,
    small: &[u32],
    sample: &[&Bits],
    failed: &FxHashSet<Vec<u32>>,
) -> Vec<Group> {
    let is_small: FxHashSet<u32> = small.iter().copied().collect();
    let grouped: FxHashSet<u32> = groups.iter().flat_map(|g| g.fluents.iter().copied()).collect();
    let of_groups = groups.iter().filter(|g| !g.exact && g.fluents.iter().all(|f| is_small.contains(f)));
    let mut items: Vec<Vec<u32>> = of_groups.map(|g| g.fluents.clone()).collect();
    items.extend(small.iter().filter(|f| !grouped.contains(f)).map(|f| vec![*f]));
    if items.len() > MOST_ITEMS {
        return groups;
    }
    let mut items: Vec<(usize, Vec<u64>, Vec<u32>)> = items
        .into_iter()
        .map(|fluents| {
            let mut when = vec![0u64; sample.len().div_ceil(64)];
            for (s, state) in sample.iter().enumerate() {
                when[s / 64] |= u64::from(fluents.iter().any(|f| holds(state, *f))) << (s % 64);
            }
            (when.iter().map(|w| w.count_ones() as usize).sum(), when, fluents)
        })
        .filter(|item| item.0 > 0)
        .collect();
    items.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
    let mut used = vec![false; items.len()];
    for i in 0..items.len() {
        if used[i] {
            continue;
        }
        let (mut count, mut when) = (items[i].0, items[i].1.clone());
        let mut parts = vec![i];
        for j in i + 1..items.len() {
            if !used[j] && when.iter().zip(&items[j].1).all(|(a, b)| a & b == 0) {
                when.iter_mut().zip(&items[j].1).for_each(|(a, b)| *a |= b);
                count += items[j].0;
                parts.push(j);
            }
        }
        let mut fluents: Vec<u32> = parts.iter().flat_map(|p| items[*p].2.iter().copied()).collect();
        fluents.sort_unstable();
        if parts.len() > 1 && count == sample.len() && !failed.contains(&fluents) {
            parts.iter().for_each(|p| used[*p] = true);
            groups.retain(|g| fluents.binary_search(&g.fluents[0]).is_err());
            groups.push(Group { fluents, exact: true });
        }
    }
    groups
}

/// The choice of output positions that needs the fewest bits.
fn best_template(
    fluents: &[TermId],
    members: &[u32],
    arity: usize,
    terms: &Terms,
    sample: &[&Bits],
    failed: &FxHashSet<Vec<u32>>,
    meter: &Meter,
) -> Result<Vec<Group>, Exceeded> {
    let wide = arity.min(MOST_POSITIONS);
    let mut masks: Vec<u32> = (1..1u32 << wide).collect();
    if arity > wide {
        masks.extend((wide..arity.min(32)).map(|p| 1 << p));
    }
    let present = present(members, sample);
    let mut templates: Vec<Template> = Vec::new();
    for mask in masks {
        let mut parts: FxHashMap<Vec<TermId>, Vec<u32>> = FxHashMap::default();
        for f in members {
            let args = terms.args(fluents[*f as usize]);
            let input = (0..arity).filter(|p| *p >= 32 || mask >> p & 1 == 0).map(|p| args[p]).collect();
            parts.entry(input).or_default().push(*f);
        }
        let parts: Vec<Vec<u32>> = parts.into_values().collect();
        templates.push(Template { least: OUT * apart(&parts, &present) as u32, at: templates.len(), parts });
    }
    // The one that promises most is looked at first; most of the others then need no closer look.
    templates.sort_by_key(|t| (t.least, t.at));
    let mut best: Option<(u32, usize, Vec<Group>)> = None;
    for Template { least, at, parts } in templates {
        if best.as_ref().is_some_and(|b| (least, at) > (b.0, b.1)) {
            continue;
        }
        let mut groups = consistent(parts, &present, meter)?;
        groups.retain(|g| !failed.contains(&g.fluents));
        let covered: usize = groups.iter().map(|g| g.fluents.len()).sum();
        let cost = groups.iter().map(group_bits).sum::<u32>() + OUT * (members.len() - covered) as u32;
        if best.as_ref().is_none_or(|b| (cost, at) < (b.0, b.1)) && !groups.is_empty() {
            best = Some((cost, at, groups));
        }
    }
    Ok(best.map_or(Vec::new(), |b| b.2))
}

/// What a fluent costs that had to be left out: much more than a few bits, since a template that fits is
/// rarely chance.
const OUT: u32 = 4;

/// A choice of output positions: what it costs at least, its place among the choices, and its parts.
struct Template {
    least: u32,
    at: usize,
    parts: Vec<Vec<u32>>,
}

/// The fluents among these that hold in each state.
fn present(members: &[u32], sample: &[&Bits]) -> Vec<Vec<u32>> {
    let Some(first) = sample.first() else { return Vec::new() };
    let mut wanted = vec![0u64; first.len()];
    members.iter().for_each(|f| wanted[*f as usize / 64] |= 1 << (f % 64));
    let of = |state: &&Bits| {
        let mut list = Vec::new();
        for (at, (word, mask)) in state.iter().zip(&wanted).enumerate() {
            let mut left = word & mask;
            while left != 0 {
                list.push(at as u32 * 64 + left.trailing_zeros());
                left &= left - 1;
            }
        }
        list
    };
    sample.iter().map(of).collect()
}

/// A number of fluents that must be left out for no state seen to have two of a part: pairs that clash and
/// have no fluent in common lose one each.
fn apart(parts: &[Vec<u32>], present: &[Vec<u32>]) -> usize {
    let of = places(parts.iter().map(Vec::as_slice));
    let mut paired = vec![false; of.len()];
    let mut waiting = vec![(usize::MAX, 0u32); parts.len()];
    let mut pairs = 0;
    for (s, list) in present.iter().enumerate() {
        for f in list {
            let Some(p) = of.get(*f as usize).copied().flatten().filter(|_| !paired[*f as usize]) else {
                continue;
            };
            match waiting[p] {
                (state, other) if state == s => {
                    pairs += 1;
                    waiting[p].0 = usize::MAX;
                    [*f, other].iter().for_each(|f| paired[*f as usize] = true);
                }
                _ => waiting[p] = (s, *f),
            }
        }
    }
    pairs
}

fn group_bits(group: &Group) -> u32 {
    let values = group.fluents.len() + usize::from(!group.exact);
    values.next_power_of_two().trailing_zeros()
}

/// Groups of different relations with the same arguments, such as `(x 1 1)`, `(o 1 1)` and `(blank 1 1)`.
fn same_arguments(
    fluents: &[TermId],
    free: &[u32],
    terms: &Terms,
    sample: &[&Bits],
    meter: &Meter,
) -> Result<Vec<Group>, Exceeded> {
    let mut parts: FxHashMap<Vec<TermId>, Vec<u32>> = FxHashMap::default();
    for f in free {
        parts.entry(terms.args(fluents[*f as usize]).to_vec()).or_default().push(*f);
    }
    let present = present(free, sample);
    let mut groups = consistent(parts.into_values().collect(), &present, meter)?;
    groups.retain(|g| g.fluents.len() > 1);
    Ok(groups)
}

/// By fluent the part it is in.
fn places<'a>(parts: impl Iterator<Item = &'a [u32]>) -> Vec<Option<usize>> {
    let mut of = Vec::new();
    for (i, part) in parts.enumerate() {
        for f in part {
            let at = *f as usize;
            if at >= of.len() {
                of.resize(at + 1, None);
            }
            of[at] = Some(i);
        }
    }
    of
}

/// Takes members out of the parts until no state seen has two of a part; parts of one are dropped.
fn consistent(parts: Vec<Vec<u32>>, present: &[Vec<u32>], meter: &Meter) -> Result<Vec<Group>, Exceeded> {
    let of = places(parts.iter().map(Vec::as_slice));
    let mut clashes: Vec<FxHashSet<(u32, u32)>> = vec![FxHashSet::default(); parts.len()];
    let mut seen = vec![(usize::MAX, 0u32); parts.len()];
    let mut more: Vec<(usize, u32)> = Vec::new();
    for (s, list) in present.iter().enumerate() {
        if s.is_multiple_of(0x100) {
            meter.check_time()?;
        }
        more.clear();
        for f in list {
            let Some(p) = of.get(*f as usize).copied().flatten() else { continue };
            if seen[p].0 != s {
                seen[p] = (s, *f);
                continue;
            }
            clashes[p].insert((seen[p].1, *f));
            for (q, g) in &more {
                if *q == p {
                    clashes[p].insert((*g, *f));
                }
            }
            if more.len() < 64 {
                more.push((p, *f));
            }
        }
    }
    let mut groups = Vec::new();
    for (mut part, clashes) in parts.into_iter().zip(clashes) {
        // What every member clashes with; who clashes most goes first.
        let mut against: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (a, b) in clashes {
            against.entry(a).or_default().push(b);
            against.entry(b).or_default().push(a);
        }
        let mut count: BTreeSet<(usize, u32)> = against.iter().map(|(f, list)| (list.len(), *f)).collect();
        let mut left: FxHashMap<u32, usize> = against.iter().map(|(f, list)| (*f, list.len())).collect();
        let mut out: FxHashSet<u32> = FxHashSet::default();
        while let Some((n, worst)) = count.pop_last().filter(|c| c.0 > 0) {
            meter.check_time()?;
            debug_assert_eq!(left[&worst], n);
            out.insert(worst);
            for other in against[&worst].iter().filter(|f| !out.contains(f)) {
                let n = left.entry(*other).or_default();
                count.remove(&(*n, *other));
                *n -= 1;
                count.insert((*n, *other));
            }
        }
        part.retain(|f| !out.contains(f));
        if part.len() > 1 {
            part.sort_unstable();
            groups.push(Group { fluents: part, exact: false });
        }
    }
    let of = places(groups.iter().map(|g| g.fluents.as_slice()));
    let mut counts = vec![0usize; groups.len()];
    for list in present {
        list.iter().filter_map(|f| of.get(*f as usize).copied().flatten()).for_each(|g| counts[g] += 1);
    }
    for (group, count) in groups.iter_mut().zip(counts) {
        group.exact = count == present.len();
    }
    groups.sort_by(|a, b| a.fluents.cmp(&b.fluents));
    Ok(groups)
}

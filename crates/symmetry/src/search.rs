//! The search: values that colours do not tell apart are taken for each other, one pair after the other, until everything
//! is decided; what comes out is proved or dropped.

use crate::colours::{Colours, Refiner, marked, sorted};
use crate::prove::is_symmetry;
use crate::symmetry::Symmetry;
use std::collections::{BTreeSet, HashMap};
use winset_model::{Game, Value, VarId};

/// The steps that the search may take, one for each expression that is looked at: about a tenth of a second.
const STEPS: u64 = 4_000_000;

/// The most symmetries: with more, finding a representative costs more than it saves.
const MOST: usize = 48;

/// The symmetries that are looked at in vain once there would be too many with them: one of those found later may still
/// join, but of hundreds each takes a proof.
const REFUSED: usize = 64;

/// The symmetries of a game, the identity first: they are a group, so that a symmetry after another is one of them too. Not
/// all there are if there are many, or if finding them takes long.
pub fn find(game: &Game) -> Vec<Symmetry> {
    find_within(game, STEPS)
}

/// The same with another number of steps that the search may take, where little is to be gained.
pub fn find_within(game: &Game, steps: u64) -> Vec<Symmetry> {
    let identity = Symmetry::identity(game.variables().iter().map(|variable| variable.size()));
    let mut search = Search {
        game,
        found: BTreeSet::new(),
        generators: vec![],
        group: BTreeSet::from([identity.clone()]),
        refused: 0,
        identity: identity.clone(),
    };
    if let Some(mut refiner) = Refiner::new(game, steps.min(STEPS))
        && let Some(colours) = refiner.refined(refiner.first())
    {
        search.below(&mut refiner, &colours, &colours);
    }
    let mut group: Vec<Symmetry> =
        search.group.into_iter().filter(|symmetry| *symmetry != identity).collect();
    group.insert(0, identity);
    group
}

struct Search<'a> {
    game: &'a Game,
    /// What has been tried.
    found: BTreeSet<Symmetry>,
    identity: Symmetry,
    /// What has been proved, but for what followed from it.
    generators: Vec<Symmetry>,
    /// All that follows from those.
    group: BTreeSet<Symmetry>,
    /// The symmetries with which there would be too many.
    refused: usize,
}

impl Search<'_> {
    /// Looks for symmetries that take the colours of one side to the same colours of the other; false when it is enough.
    fn below(&mut self, refiner: &mut Refiner<'_>, left: &Colours, right: &Colours) -> bool {
        let mut places: HashMap<u64, Vec<(usize, usize)>> = HashMap::new();
        for (var, values) in right.iter().enumerate() {
            for (value, &colour) in values.iter().enumerate() {
                places.entry(colour).or_default().push((var, value));
            }
        }
        let each = left.iter().enumerate().flat_map(|(var, values)| {
            values.iter().enumerate().map(move |(value, &colour)| ((var, value), colour))
        });
        // Of the values that are not decided, one with the fewest that it could become.
        let undecided = each.filter_map(|(place, colour)| Some((places.get(&colour)?, place)));
        let open = undecided.filter(|(others, _)| others.len() > 1).min_by_key(|(others, _)| others.len());
        let Some((others, place)) = open else { return self.decided(left, &places) };
        let Some(left) = refiner.refined(marked(left, place)) else { return false };
        let wanted = sorted(&left);
        for &other in others {
            let Some(right) = refiner.refined(marked(right, other)) else { return false };
            if sorted(&right) == wanted && !self.below(refiner, &left, &right) {
                return false;
            }
        }
        true
    }

    /// Every value has its place: if that is a symmetry, it joins the group, unless that would be too large.
    fn decided(&mut self, left: &Colours, places: &HashMap<u64, Vec<(usize, usize)>>) -> bool {
        let becomes = |values: &Vec<u64>| -> Option<(VarId, Vec<Value>)> {
            let to: Vec<(usize, usize)> =
                values.iter().map(|colour| places.get(colour)?.first().copied()).collect::<Option<_>>()?;
            let var = to.first()?.0;
            let together = to.iter().all(|place| place.0 == var);
            together.then(|| (VarId(var as u32), to.iter().map(|place| place.1 as Value).collect()))
        };
        let Some((variables, values)) = left.iter().map(becomes).collect::<Option<(Vec<_>, Vec<_>)>>() else {
            return true;
        };
        let symmetry = Symmetry { variables, values };
        if self.group.contains(&symmetry)
            || !self.found.insert(symmetry.clone())
            || !is_symmetry(self.game, &symmetry)
        {
            return true;
        }
        self.generators.push(symmetry);
        match closed(&self.identity, &self.generators) {
            Some(group) => self.group = group,
            None => {
                self.generators.pop();
                self.refused += 1;
            }
        }
        self.group.len() < MOST && self.refused < REFUSED
    }
}

/// All that follows from some symmetries, the identity among them; none if that is too much.
fn closed(identity: &Symmetry, generators: &[Symmetry]) -> Option<BTreeSet<Symmetry>> {
    let mut all = BTreeSet::from([identity.clone()]);
    let mut open = vec![identity.clone()];
    // A group is finite, so that what undoes a generator is a power of it.
    while let Some(one) = open.pop() {
        for generator in generators {
            let next = one.after(generator);
            if !all.contains(&next) {
                if all.len() == MOST {
                    return None;
                }
                open.push(next.clone());
                all.insert(next);
            }
        }
    }
    Some(all)
}

//! States as people read them: variables by name, words as numbers.

use std::collections::BTreeMap;
use winset_model::{State, System, VarId};
use winset_smv::WordVariable;

/// The variables that are shown, in the order of the model.
#[derive(Clone, Default)]
pub struct Shown(Vec<Item>);

#[derive(Clone)]
enum Item {
    Variable(VarId, String, Vec<String>),
    Word(WordVariable),
}

impl Shown {
    /// All but those that only record the last step, and these.
    pub fn new(system: &System, words: &[WordVariable], without: &[VarId]) -> Self {
        let bits = words.iter().flat_map(|word| word.bits.iter().map(move |&bit| (bit, word)));
        let word_of: BTreeMap<VarId, &WordVariable> = bits.collect();
        let all = system.variables.iter().zip(0..).map(|(variable, number)| (variable, VarId(number)));
        let shown = all.filter(|(_, var)| !system.hidden.contains(var) && !without.contains(var));
        let item = |(variable, var): (&winset_model::Variable, VarId)| match word_of.get(&var) {
            // A word of which some bits are left out is shown by the others.
            Some(word) if !word.bits.iter().any(|bit| without.contains(bit)) => {
                (word.bits.first() == Some(&var)).then(|| Item::Word((*word).clone()))
            }
            _ => Some(Item::Variable(var, variable.name.clone(), variable.values.clone())),
        };
        Shown(shown.filter_map(item).collect())
    }

    /// The names of the variables with their values in a state.
    pub fn values<'s>(&'s self, state: &'s State) -> impl Iterator<Item = (&'s str, String)> + 's {
        self.0.iter().map(|item| match item {
            Item::Variable(var, name, values) => (name.as_str(), values[usize::from(state[*var])].clone()),
            Item::Word(word) => (word.name.as_str(), word.show(state)),
        })
    }

    /// A state in a line.
    pub fn print(&self, state: &State) -> String {
        let values = self.values(state).map(|(name, value)| format!("{name}={value}"));
        values.collect::<Vec<_>>().join(" ")
    }
}

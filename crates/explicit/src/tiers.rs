//! Which tier a packed state belongs to: the sum of its values' weights, looked up some bits at a time.

use crate::pack::{Key, Packing};

/// A measure of packed states.
pub struct Tiers {
    tables: Vec<Table>,
}

struct Table {
    shift: u32,
    mask: u64,
    sums: Vec<i64>,
}

impl Tiers {
    /// The measure with these weights of every variable's values.
    pub fn new(packing: &Packing, weights: &[Vec<i64>]) -> Self {
        // A variable with a single value always adds the same.
        let constant = (0..weights.len()).filter(|&var| packing.fields[var].width == 0);
        let always: i64 = constant.map(|var| weights[var][0]).sum();
        let mut tables = vec![Table { shift: 0, mask: 0, sums: vec![always] }];
        for run in packing.runs() {
            let sum = |contents: u64| {
                let value = |var: usize| packing.value_in(&run, contents, var);
                let weight = |&var: &usize| weights[var].get(value(var)).copied().unwrap_or(0);
                run.variables.iter().map(weight).sum()
            };
            let sums = (0..=run.mask).map(sum).collect();
            tables.push(Table { shift: run.shift, mask: run.mask, sums });
        }
        Tiers { tables }
    }

    /// The measure of a state.
    #[inline]
    pub fn of<K: Key>(&self, key: K) -> i64 {
        self.tables.iter().map(|table| table.sums[key.field(table.shift, table.mask) as usize]).sum()
    }
}

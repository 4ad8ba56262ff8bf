//! Which tier a packed state belongs to: the sum of its values' weights, looked up some bits at a time.

use crate::pack::{Key, Packing};

/// The bits that one table is indexed by.
const TABLE_BITS: u32 = 11;

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
        let mut variables: Vec<usize> = (0..weights.len()).collect();
        variables.sort_by_key(|&var| packing.fields[var].shift);
        // A variable with a single value always adds the same.
        let constant = |var: &usize| packing.fields[*var].width == 0;
        let always: i64 = variables.iter().filter(|var| constant(var)).map(|&var| weights[var][0]).sum();
        variables.retain(|var| !constant(var));
        let mut tables = vec![Table { shift: 0, mask: 0, sums: vec![always] }];
        let mut rest = &variables[..];
        while let Some(&first) = rest.first() {
            let from = packing.fields[first].shift;
            let end = |var: usize| packing.fields[var].shift + packing.fields[var].width;
            let fits = |&&var: &&usize| var == first || end(var) - from <= TABLE_BITS;
            let (these, others) = rest.split_at(rest.iter().take_while(fits).count());
            let bits = end(these[these.len() - 1]) - from;
            let sum = |contents: u64| {
                let weight = |&var: &usize| {
                    let field = packing.fields[var];
                    let value = contents >> (field.shift - from) & ((1 << field.width) - 1);
                    weights[var].get(value as usize).copied().unwrap_or(0)
                };
                these.iter().map(weight).sum()
            };
            tables.push(Table {
                shift: from,
                mask: (1 << bits) - 1,
                sums: (0..1 << bits).map(sum).collect(),
            });
            rest = others;
        }
        Tiers { tables }
    }

    /// The measure of a state.
    #[inline]
    pub fn of<K: Key>(&self, key: K) -> i64 {
        self.tables.iter().map(|table| table.sums[key.field(table.shift, table.mask) as usize]).sum()
    }
}

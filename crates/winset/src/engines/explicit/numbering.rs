//! Keys of the explicit engine as strings of digits, and back.

use winset_explicit::{Field, Key, Packing};
use winset_index::{Blocks, BlocksError, Digit, Index, IndexBuilder};
use winset_model::{Game, VarId};

/// The most combinations of values that a block of several variables can take on.
const BLOCK_DIGITS: usize = 1 << 12;

/// The game's own blocks, or its variables in their order, cut so that no block has too many digits.
pub fn groups(game: &Game) -> Vec<Vec<VarId>> {
    let every: Vec<VarId> = (0..game.variables().len()).map(|var| VarId(var as u32)).collect();
    let named: Vec<Vec<VarId>> = game.blocks().to_vec();
    let left =
        every.iter().copied().filter(|var| !named.iter().flatten().any(|other| other == var)).collect();
    let mut groups: Vec<Vec<VarId>> = vec![];
    for group in named.into_iter().chain([left]) {
        let (mut block, mut digits): (Vec<VarId>, usize) = (vec![], 1);
        for var in group {
            let size = game.variables()[var.index()].size();
            if !block.is_empty() && digits.saturating_mul(size) > BLOCK_DIGITS {
                groups.push(std::mem::take(&mut block));
                digits = 1;
            }
            digits *= size;
            block.push(var);
        }
        groups.extend((!block.is_empty()).then_some(block));
    }
    groups
}

/// Keys as strings of digits: every combination of a block's values has one, in ascending order.
pub struct Numbering {
    /// The blocks with their digits.
    pub blocks: Blocks,
    /// For each block where its bits begin, which they are, and the digit of what stands there.
    tables: Vec<(u32, u64, Vec<Digit>)>,
}

impl Numbering {
    /// The numbering of a game's states in these blocks.
    pub fn new(game: &Game, groups: Vec<Vec<VarId>>) -> Result<Self, BlocksError> {
        let packing = Packing::new(game, &groups);
        let mut blocks = Blocks::new(groups, game.variables().len())?;
        let mut tables = vec![];
        for block in &mut blocks.blocks {
            let fields: Vec<_> = block.vars.iter().map(|var| packing.fields[var.index()]).collect();
            let bits: u32 = fields.iter().map(|field| field.width).sum();
            let shift = fields.last().map_or(0, |field| field.shift);
            let sizes: Vec<usize> =
                block.vars.iter().map(|var| game.variables()[var.index()].size()).collect();
            let mut table = vec![0; 1 << bits];
            for number in 0..sizes.iter().product::<usize>() {
                let (mut rest, mut values) = (number, vec![0u16; sizes.len()]);
                for (value, size) in values.iter_mut().zip(&sizes).rev() {
                    (*value, rest) = ((rest % size) as u16, rest / size);
                }
                let digit = block.add(&values)?;
                let place = |(field, &value): (&Field, &u16)| match field.width {
                    0 => 0,
                    _ => usize::from(value) << (field.shift - shift),
                };
                table[fields.iter().zip(&values).map(place).sum::<usize>()] = digit;
            }
            tables.push((shift, (1u64 << bits) - 1, table));
        }
        Ok(Numbering { blocks, tables })
    }

    /// The index of keys in ascending order.
    pub fn index<K: Key>(&self, keys: &[K]) -> Index {
        let mut builder = IndexBuilder::new(self.tables.len());
        let mut digits = vec![0; self.tables.len()];
        for &key in keys {
            for (digit, (shift, mask, table)) in digits.iter_mut().zip(&self.tables) {
                *digit = if *mask == 0 { 0 } else { table[key.field(*shift, *mask) as usize] };
            }
            builder.push(&digits);
        }
        builder.finish()
    }

    /// The keys of an index in ascending order; none if it has digits that are not ours.
    pub fn keys<K: Key>(&self, index: &Index) -> Option<Vec<K>> {
        let contents = |(shift, _, table): &(u32, u64, Vec<Digit>), size: usize| {
            let mut keys = vec![K::default(); size];
            // Bits that no combination of values has stand for digit 0 too, whose own are the first.
            for (bits, &digit) in table.iter().enumerate().rev() {
                keys[usize::from(digit)] =
                    if bits == 0 { K::default() } else { K::default().with(*shift, bits as u64) };
            }
            keys
        };
        let blocks = self.tables.iter().zip(&self.blocks.blocks);
        let tables: Vec<Vec<K>> = blocks.map(|(table, block)| contents(table, block.digits.len())).collect();
        if index.levels().len() != tables.len() {
            return None;
        }
        let mut keys = Vec::with_capacity(usize::try_from(index.len()).ok()?);
        // The nodes on the way to a state: their edges that are still to be walked, and the key above.
        let mut open: Vec<(std::ops::Range<usize>, K)> = vec![];
        let Some(root) = index.root() else { return Some(keys) };
        let Some(first) = index.levels().first() else { return Some(vec![K::default()]) };
        open.push((first.edges(root), K::default()));
        while let Some((edges, above)) = open.last_mut() {
            let Some(edge) = edges.next() else {
                open.pop();
                continue;
            };
            let (above, depth) = (*above, open.len() - 1);
            let level = &index.levels()[depth];
            let key = above.or(*tables[depth].get(usize::from(level.digit[edge]))?);
            match index.levels().get(depth + 1) {
                Some(next) => open.push((next.edges(level.child[edge]), key)),
                None => keys.push(key),
            }
        }
        Some(keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use winset_explicit::Wide;

    /// An index of keys has these keys, whatever the sizes of domains and blocks are.
    #[test]
    fn an_index_gives_its_keys_back() {
        for (name, size) in [
            ("tictactoe", None),
            ("othello", Some("3x4")),
            ("kalah", None),
            ("nim", None),
            ("quixo", Some("3")),
        ] {
            let game = winset_games::build(name, size, &Default::default()).unwrap();
            let numbering = Numbering::new(&game, groups(&game)).unwrap();
            let packing = Packing::new(&game, &groups(&game));
            let mut seed = 7u64;
            let mut random = |below: usize| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 33) as usize % below
            };
            let mut state = || {
                let values = game.variables().iter().map(|var| random(var.size()) as u16);
                packing.pack::<Wide<4>>(&winset_model::State(values.collect()))
            };
            let mut keys: Vec<_> = (0..3000).map(|_| state()).collect();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(numbering.keys(&numbering.index(&keys)), Some(keys), "{name}");
        }
    }
}

//! Words as people read them: a number, and not bit by bit.

use winset_model::{State, VarId};

/// A variable that is a word. In the transition system it is a variable for each bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordVariable {
    /// Its name.
    pub name: String,
    /// It can be negative.
    pub signed: bool,
    /// Its bits, the lowest first.
    pub bits: Vec<VarId>,
}

impl WordVariable {
    /// Its value in a state, as it is written in SMV: `0ud8_12`, `-0sd4_1`; words of more than 128 bits in base 2.
    ///
    /// ```
    /// use winset_model::{State, VarId};
    /// use winset_smv::WordVariable;
    /// let bits = (0..4).map(VarId).collect();
    /// let mut word = WordVariable { name: "w".to_owned(), signed: false, bits };
    /// let state = State([1, 0, 1, 1].into());
    /// assert_eq!(word.show(&state), "0ud4_13");
    /// word.signed = true;
    /// assert_eq!(word.show(&state), "-0sd4_3");
    /// ```
    pub fn show(&self, state: &State) -> String {
        let is_set = |var: &VarId| state[*var] == 1;
        let (width, kind) = (self.bits.len(), if self.signed { 's' } else { 'u' });
        if width > 128 {
            let digits = self.bits.iter().rev().map(|var| if is_set(var) { '1' } else { '0' });
            return format!("0{kind}b{width}_{}", digits.collect::<String>());
        }
        let number = self.bits.iter().rev().fold(0u128, |number, var| number << 1 | u128::from(is_set(var)));
        if self.signed && self.bits.last().is_some_and(is_set) {
            let mask = u128::MAX >> (128 - width);
            return format!("-0sd{width}_{}", (!number).wrapping_add(1) & mask);
        }
        format!("0{kind}d{width}_{number}")
    }
}

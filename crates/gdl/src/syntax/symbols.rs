//! Interned symbols. GDL folds capitals, so a symbol is its lower-case text.

use rustc_hash::FxHashMap;

/// An interned symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// All symbols of a file; the keywords come first, at fixed places.
#[derive(Clone, Debug)]
pub struct Symbols {
    names: Vec<String>,
    index: FxHashMap<String, Symbol>,
}

macro_rules! keywords {
    ($($name:ident $text:literal $place:literal),* $(,)?) => {
        /// The words that GDL gives a meaning.
        pub mod keyword {
            use super::Symbol;
            $(pub const $name: Symbol = Symbol($place);)*
        }
        const KEYWORDS: &[&str] = &[$($text),*];
    };
}

keywords! {
    ROLE "role" 0, INIT "init" 1, TRUE "true" 2, DOES "does" 3, NEXT "next" 4, LEGAL "legal" 5,
    GOAL "goal" 6, TERMINAL "terminal" 7, DISTINCT "distinct" 8, NOT "not" 9, OR "or" 10, AND "and" 11,
    BASE "base" 12, INPUT "input" 13, ARROW "<=" 14,
}

impl Default for Symbols {
    fn default() -> Self {
        let mut symbols = Symbols { names: Vec::new(), index: FxHashMap::default() };
        for word in KEYWORDS {
            symbols.intern(word);
        }
        symbols
    }
}

impl Symbols {
    /// The symbol with this text; capitals are folded.
    pub fn intern(&mut self, text: &str) -> Symbol {
        let text = text.to_lowercase();
        if let Some(symbol) = self.index.get(&text) {
            return *symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        self.names.push(text.clone());
        self.index.insert(text, symbol);
        symbol
    }

    /// The text of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// Whether the symbol is a variable.
    pub fn is_variable(&self, symbol: Symbol) -> bool {
        self.name(symbol).starts_with('?')
    }
}

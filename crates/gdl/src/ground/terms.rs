//! Interned ground terms: equality is identity.

use crate::syntax::symbols::{Symbol, Symbols};
use hashbrown::HashTable;
use std::hash::Hasher;

/// An interned ground term.
pub(crate) type TermId = u32;

/// All ground terms of a game.
#[derive(Default)]
pub(crate) struct Terms {
    heads: Vec<Head>,
    args: Vec<TermId>,
    table: HashTable<TermId>,
}

#[derive(Clone, Copy)]
struct Head {
    functor: Symbol,
    start: u32,
    arity: u32,
    /// Symbols of the written term, saturating: shared subterms can make it exponential.
    size: u32,
    depth: u32,
}

pub(crate) fn hash_ids(first: u32, rest: &[u32]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write_u32(first);
    for id in rest {
        hasher.write_u32(*id);
    }
    hasher.finish()
}

impl Terms {
    pub fn intern(&mut self, functor: Symbol, args: &[TermId]) -> TermId {
        let hash = hash_ids(functor.0, args);
        let same = |id: &TermId| self.functor(*id) == functor && self.args(*id) == args;
        if let Some(id) = self.table.find(hash, same) {
            return *id;
        }
        let id = self.heads.len() as TermId;
        let size = args.iter().fold(1u32, |n, a| n.saturating_add(self.heads[*a as usize].size));
        let depth = args.iter().map(|a| self.heads[*a as usize].depth + 1).max().unwrap_or(0);
        let head = Head { functor, start: self.args.len() as u32, arity: args.len() as u32, size, depth };
        self.args.extend_from_slice(args);
        self.heads.push(head);
        let (heads, all) = (&self.heads, &self.args);
        self.table.insert_unique(hash, id, |t| {
            let h = heads[*t as usize];
            hash_ids(h.functor.0, &all[h.start as usize..(h.start + h.arity) as usize])
        });
        id
    }

    pub fn functor(&self, term: TermId) -> Symbol {
        self.heads[term as usize].functor
    }

    pub fn size(&self, term: TermId) -> u32 {
        self.heads[term as usize].size
    }

    pub fn depth(&self, term: TermId) -> u32 {
        self.heads[term as usize].depth
    }

    pub fn args(&self, term: TermId) -> &[TermId] {
        let h = self.heads[term as usize];
        &self.args[h.start as usize..(h.start + h.arity) as usize]
    }

    /// The subterm at a path of argument positions.
    pub fn at(&self, term: TermId, path: &[u16]) -> TermId {
        path.iter().fold(term, |t, i| self.args(t)[*i as usize])
    }

    /// The term as KIF text.
    pub fn text(&self, term: TermId, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.write(term, symbols, &mut out);
        out
    }

    fn write(&self, term: TermId, symbols: &Symbols, out: &mut String) {
        let args = self.args(term);
        if args.is_empty() {
            out.push_str(symbols.name(self.functor(term)));
            return;
        }
        out.push('(');
        out.push_str(symbols.name(self.functor(term)));
        for arg in args {
            out.push(' ');
            self.write(*arg, symbols, out);
        }
        out.push(')');
    }

    /// An estimate of the memory in bytes.
    pub fn bytes(&self) -> usize {
        self.heads.len() * 28 + self.args.len() * 4
    }
}

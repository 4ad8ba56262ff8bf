//! Ground terms and patterns with variables, for the interpreter of many states.

use super::reading::{Term, parse, tokens};
use rustc_hash::FxHashMap as HashMap;

/// A variable without a value.
pub const UNSET: u32 = u32::MAX;

/// Ground terms, each once.
#[derive(Default)]
pub struct Terms {
    pub symbols: HashMap<String, u32>,
    names: Vec<String>,
    pub nodes: Vec<(u32, Box<[u32]>)>,
    index: HashMap<(u32, Box<[u32]>), u32>,
}

impl Terms {
    pub fn symbol(&mut self, name: &str) -> u32 {
        if let Some(id) = self.symbols.get(name) {
            return *id;
        }
        let id = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.symbols.insert(name.to_owned(), id);
        id
    }

    pub fn intern(&mut self, symbol: u32, args: &[u32]) -> u32 {
        let key = (symbol, args.into());
        if let Some(id) = self.index.get(&key) {
            return *id;
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(key.clone());
        self.index.insert(key, id);
        id
    }

    /// The term that a text stands for.
    pub fn read(&mut self, text: &str) -> u32 {
        let tokens = tokens(text.as_bytes());
        let term = parse(&tokens, &mut 0);
        self.of(&term)
    }

    pub fn of(&mut self, term: &Term) -> u32 {
        let args: Vec<u32> = term.1.iter().map(|a| self.of(a)).collect();
        let symbol = self.symbol(&term.0);
        self.intern(symbol, &args)
    }

    pub fn text(&self, id: u32) -> String {
        let (symbol, args) = &self.nodes[id as usize];
        let name = &self.names[*symbol as usize];
        if args.is_empty() {
            return name.clone();
        }
        let args: Vec<String> = args.iter().map(|a| self.text(*a)).collect();
        format!("({name} {})", args.join(" "))
    }
}

/// A term with numbered variables.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    Var(usize),
    Const(u32),
    App(u32, Vec<Pattern>),
}

impl Pattern {
    pub fn is_bound(&self, bound: &[bool]) -> bool {
        match self {
            Pattern::Var(v) => bound[*v],
            Pattern::Const(_) => true,
            Pattern::App(_, args) => args.iter().all(|a| a.is_bound(bound)),
        }
    }

    pub fn bind(&self, bound: &mut [bool]) {
        match self {
            Pattern::Var(v) => bound[*v] = true,
            Pattern::Const(_) => {}
            Pattern::App(_, args) => args.iter().for_each(|a| a.bind(bound)),
        }
    }

    pub fn instance(&self, bindings: &[u32], terms: &mut Terms) -> u32 {
        match self {
            Pattern::Var(v) => bindings[*v],
            Pattern::Const(t) => *t,
            Pattern::App(f, args) => {
                let args: Vec<u32> = args.iter().map(|a| a.instance(bindings, terms)).collect();
                terms.intern(*f, &args)
            }
        }
    }

    pub fn matches(&self, term: u32, bindings: &mut [u32], trail: &mut Vec<usize>, terms: &Terms) -> bool {
        match self {
            Pattern::Var(v) if bindings[*v] == UNSET => {
                bindings[*v] = term;
                trail.push(*v);
                true
            }
            Pattern::Var(v) => bindings[*v] == term,
            Pattern::Const(t) => *t == term,
            Pattern::App(f, args) => {
                let (symbol, inner) = &terms.nodes[term as usize];
                symbol == f
                    && inner.len() == args.len()
                    && args.iter().zip(&**inner).all(|(p, t)| p.matches(*t, bindings, trail, terms))
            }
        }
    }
}

//! The conditions of a game as straight-line code over 256 states at a time.

use std::collections::HashMap;
use winset_model::{Expr, ExprId, Exprs, Game, Player, evaluation_order};

use crate::pack::{Field, Key, Packing};

/// Words of 64 states that are looked at together: what the processor's registers hold.
pub const WORDS: usize = 4;

/// The states that are looked at together.
pub const LANES: usize = 64 * WORDS;

/// A bit for each state.
pub type Bits = [u64; WORDS];

/// A word of the program, negated if the lowest bit is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    fn new(word: usize) -> Self {
        Literal((word as u32) << 1)
    }

    fn not(self) -> Self {
        Literal(self.0 ^ 1)
    }

    fn word(self) -> usize {
        (self.0 >> 1) as usize
    }
}

/// The conjunction of two.
#[derive(Clone)]
struct And {
    to: u32,
    operands: [Literal; 2],
}

/// Some conjunctions, once or until members of a recursive definition stop growing.
#[derive(Clone)]
struct Step {
    inside: std::ops::Range<usize>,
    /// The words of the members, and what their bodies come to.
    members: Vec<(usize, Literal)>,
}

/// What a move changes where a condition holds.
#[derive(Clone)]
pub struct Case<K> {
    /// Where.
    pub when: Literal,
    /// The bits of the variable.
    pub clear: K,
    /// Those of its new value.
    pub set: K,
}

/// A move.
#[derive(Clone)]
pub struct CompiledMove<K> {
    /// Where it is legal: turn, end and other moves included.
    pub legal: Literal,
    /// What it always changes.
    pub clear: K,
    /// To what.
    pub set: K,
    /// What it changes in some states; no two cases that hold together change the same bits.
    pub cases: Vec<Case<K>>,
}

/// The rules, compiled.
#[derive(Clone)]
pub struct Program<K> {
    ands: Vec<And>,
    steps: Vec<Step>,
    /// A word for each bit of a key, then the constant true, then what is computed.
    words: Vec<Bits>,
    planes: usize,
    /// The game goes on.
    pub goes_on: Literal,
    /// It is a player's turn, and no earlier player's.
    pub turn: Vec<Literal>,
    /// What each player gets where the game has ended, tried in order.
    pub rewards: Vec<Vec<(u8, Literal)>>,
    /// What must hold nowhere, the end or going on included.
    pub forbidden: Vec<Literal>,
    /// The moves that can be legal.
    pub moves: Vec<CompiledMove<K>>,
}

/// Makes a program.
struct Compiler<'a, K> {
    game: &'a Game,
    packing: &'a Packing,
    program: Program<K>,
    known: HashMap<[Literal; 2], Literal>,
    yes: Literal,
    /// Where each expression's value is found.
    at: Vec<Literal>,
}

impl<K: Key> Program<K> {
    /// Compiles the rules of a game whose states are packed so.
    pub fn new(game: &Game, packing: &Packing) -> Self {
        let planes = packing.bits as usize;
        let mut words = vec![[0; WORDS]; planes];
        words.push([!0; WORDS]);
        let yes = Literal::new(planes);
        let program = Program {
            ands: vec![],
            steps: vec![],
            words,
            planes,
            goes_on: yes,
            turn: vec![],
            rewards: vec![],
            forbidden: vec![],
            moves: vec![],
        };
        let at = vec![yes.not(); game.exprs().len()];
        let mut compiler = Compiler { game, packing, program, known: HashMap::new(), yes, at };
        compiler.at[Exprs::TRUE.index()] = yes;
        compiler.expressions();
        compiler.rules();
        compiler.program.forget_unused();
        compiler.program
    }

    /// Leaves out what was computed only to find out that something is impossible.
    fn forget_unused(&mut self) {
        let of_moves = self.moves.iter().flat_map(|m| m.cases.iter().map(|c| c.when).chain([m.legal]));
        let rewards = self.rewards.iter().flatten().map(|reward| reward.1);
        let others = [self.goes_on].into_iter().chain(self.turn.iter().chain(&self.forbidden).copied());
        let mut open: Vec<usize> = of_moves.chain(rewards).chain(others).map(Literal::word).collect();
        let ands = self.ands.iter().map(|and| (and.to as usize, and.operands.map(Literal::word).to_vec()));
        let members = self.steps.iter().flat_map(|step| step.members.iter());
        let needs: HashMap<usize, Vec<usize>> =
            ands.chain(members.map(|&(member, body)| (member, vec![body.word()]))).collect();
        let mut used = vec![false; self.words.len()];
        while let Some(word) = open.pop() {
            if !std::mem::replace(&mut used[word], true) {
                open.extend(needs.get(&word).into_iter().flatten());
            }
        }
        let mut kept = 0;
        for step in &mut self.steps {
            let inside = self.ands[step.inside.clone()].iter().filter(|and| used[and.to as usize]).count();
            step.inside = kept..kept + inside;
            kept += inside;
        }
        self.ands.retain(|and| used[and.to as usize]);
    }

    /// Evaluates everything on these states, at most [`LANES`].
    pub fn load(&mut self, keys: &[K]) {
        assert!(keys.len() <= LANES, "at most {LANES} states at a time");
        let limbs = self.planes.div_ceil(64);
        for word in 0..WORDS {
            let part = &keys[(64 * word).min(keys.len())..(64 * (word + 1)).min(keys.len())];
            for limb in 0..limbs {
                let mut rows = [0u64; 64];
                rows.iter_mut().zip(part).for_each(|(row, key)| *row = key.limb(limb));
                transpose(&mut rows);
                let planes = &mut self.words[64 * limb..self.planes.min(64 * (limb + 1))];
                planes.iter_mut().zip(rows).for_each(|(plane, row)| plane[word] = row);
            }
        }
        self.evaluate();
    }

    fn evaluate(&mut self) {
        let Program { ands, steps, words, .. } = self;
        for step in steps {
            step.members.iter().for_each(|&(member, _)| words[member] = [0; WORDS]);
            loop {
                for and in &ands[step.inside.clone()] {
                    let [a, b] = and.operands.map(|operand| value(words, operand));
                    words[and.to as usize] = std::array::from_fn(|i| a[i] & b[i]);
                }
                let mut grown = false;
                for &(member, body) in &step.members {
                    let more = value(words, body);
                    for (old, more) in words[member].iter_mut().zip(more) {
                        grown |= more & !*old != 0;
                        *old |= more;
                    }
                }
                if !grown {
                    break;
                }
            }
        }
    }

    /// The steps of work that evaluating everything on a batch costs: a step is about 16 ns, and so are this many
    /// conjunctions, or half as many moves that are looked at.
    pub fn steps(&self) -> u64 {
        const CONJUNCTIONS: usize = 12;
        ((self.ands.len() + 2 * self.moves.len()) / CONJUNCTIONS) as u64
    }

    /// Where a literal holds. Bits beyond the last state are meaningless.
    #[inline]
    pub fn bits(&self, literal: Literal) -> Bits {
        value(&self.words, literal)
    }
}

#[inline]
fn value(words: &[Bits], literal: Literal) -> Bits {
    let flip = 0u64.wrapping_sub(u64::from(literal.0 & 1));
    words[literal.word()].map(|word| word ^ flip)
}

/// Exchanges rows and columns of a square of bits.
fn transpose(rows: &mut [u64; 64]) {
    let (mut distance, mut mask) = (32, 0x0000_0000_ffff_ffffu64);
    while distance != 0 {
        let mut row = 0;
        while row < 64 {
            let swapped = (rows[row] >> distance ^ rows[row | distance]) & mask;
            rows[row | distance] ^= swapped;
            rows[row] ^= swapped << distance;
            row = ((row | distance) + 1) & !distance;
        }
        distance >>= 1;
        mask ^= mask << distance;
    }
}

impl<K: Key> Compiler<'_, K> {
    fn new_word(&mut self) -> Literal {
        self.program.words.push([0; WORDS]);
        Literal::new(self.program.words.len() - 1)
    }

    fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (a, b) = (a.min(b), a.max(b));
        match () {
            () if a == b || b == self.yes => return a,
            () if a == self.yes => return b,
            () if a == self.yes.not() || b == self.yes.not() || a == b.not() => return self.yes.not(),
            () => {}
        }
        if let Some(&known) = self.known.get(&[a, b]) {
            return known;
        }
        let to = self.new_word();
        self.program.ands.push(And { to: to.word() as u32, operands: [a, b] });
        self.known.insert([a, b], to);
        to
    }

    fn all(&mut self, list: impl IntoIterator<Item = Literal>) -> Literal {
        list.into_iter().fold(self.yes, |all, one| self.and(all, one))
    }

    /// Everything that the rules ask.
    fn expressions(&mut self) {
        let game = self.game;
        let exprs = game.exprs();
        let of_moves = game.moves().iter().flat_map(|m| {
            let cases = m.updates.iter().flat_map(|update| update.cases.iter().map(|case| case.0));
            std::iter::once(m.guard).chain(cases)
        });
        let ends = game.turn().iter().chain(game.terminal()).copied();
        let rewards = game.rewards().iter().flatten().map(|reward| reward.1);
        let forbidden = game.forbidden().iter().map(|forbidden| forbidden.when);
        let cone = exprs.cone(of_moves.chain(ends).chain(rewards).chain(forbidden));
        for &id in cone.iter().filter(|&&id| matches!(exprs.get(id), Expr::Fix(..))) {
            self.at[id.index()] = self.new_word();
        }
        for part in evaluation_order(exprs, &cone) {
            let first = self.program.ands.len();
            part.list.iter().for_each(|&id| self.expression(exprs, id));
            let members = part.members.unwrap_or_default();
            let places = members.iter().map(|&(member, body)| (self.at(member).word(), self.at(body)));
            let members = places.collect();
            self.program.steps.push(Step { inside: first..self.program.ands.len(), members });
        }
    }

    fn at(&self, id: ExprId) -> Literal {
        self.at[id.index()]
    }

    fn expression(&mut self, exprs: &Exprs, id: ExprId) {
        self.at[id.index()] = match exprs.get(id) {
            Expr::True | Expr::False | Expr::Next(..) | Expr::Fix(..) => return,
            &Expr::Is(var, value) => {
                let Field { shift, width } = self.packing.fields[var.index()];
                let bit = |bit: u32| {
                    let plane = Literal::new((shift + bit) as usize);
                    if value >> bit & 1 == 1 { plane } else { plane.not() }
                };
                self.all((0..width).map(bit))
            }
            Expr::Not(a) => self.at(*a).not(),
            Expr::And(list) => {
                let list: Vec<Literal> = list.iter().map(|&a| self.at(a)).collect();
                self.all(list)
            }
            // By De Morgan, one kind of step does.
            Expr::Or(list) => {
                let list: Vec<Literal> = list.iter().map(|&a| self.at(a).not()).collect();
                self.all(list).not()
            }
        };
    }

    /// What the expressions mean for the game.
    fn rules(&mut self) {
        let (game, first) = (self.game, self.program.ands.len());
        let no_end: Vec<Literal> = game.terminal().iter().map(|&end| self.at(end).not()).collect();
        let goes_on = self.all(no_end);
        self.program.goes_on = goes_on;
        let mut nobody = self.yes;
        for &turn in game.turn() {
            let mine = self.at(turn);
            let turn = self.and(nobody, mine);
            self.program.turn.push(turn);
            nobody = self.and(nobody, mine.not());
        }
        let rewards = game.rewards().iter();
        self.program.rewards = rewards
            .map(|list| list.iter().map(|&(reward, when)| (reward, self.at(when))).collect())
            .collect();
        for forbidden in game.forbidden() {
            let when = self.at(forbidden.when);
            let place = if forbidden.ended { goes_on.not() } else { goes_on };
            let wrong = self.and(when, place);
            self.program.forbidden.push(wrong);
        }
        let mut no_other = vec![self.yes; game.players().len()];
        for m in game.moves().iter().filter(|m| !m.fallback) {
            let no = self.at(m.guard).not();
            no_other[m.player.index()] = self.and(no_other[m.player.index()], no);
        }
        let moving: Vec<Literal> = (0..game.players().len())
            .map(|player| {
                let turn = self.program.turn[player];
                self.and(goes_on, turn)
            })
            .collect();
        for m in game.moves() {
            let Player(player) = m.player;
            let mut legal = self.at(m.guard);
            if m.fallback {
                legal = self.and(legal, no_other[usize::from(player)]);
            }
            legal = self.and(legal, moving[usize::from(player)]);
            if legal != self.yes.not() {
                let compiled = self.changes(legal, &m.updates);
                self.program.moves.push(compiled);
            }
        }
        self.program.steps.push(Step { inside: first..self.program.ands.len(), members: vec![] });
    }

    fn changes(&mut self, legal: Literal, updates: &[winset_model::Update]) -> CompiledMove<K> {
        let (mut clear, mut set, mut cases) = (K::default(), K::default(), vec![]);
        for update in updates {
            let Field { shift, width } = self.packing.fields[update.var.index()];
            if width == 0 {
                continue;
            }
            let field = K::ones(shift, width);
            // A case holds where no earlier one does.
            let mut rest = self.yes;
            for &(when, value) in &update.cases {
                let when = self.at(when);
                let here = self.and(rest, when);
                rest = self.and(rest, when.not());
                let set_here = K::default().with(shift, value.into());
                if here == self.yes {
                    (clear, set) = (clear.or(field), set.or(set_here));
                    continue;
                }
                if self.and(here, legal) != self.yes.not() {
                    cases.push(Case { when: here, clear: field, set: set_here });
                }
            }
        }
        CompiledMove { legal, clear, set, cases }
    }
}

//! A game as clauses: states and their successors, one literal for every value of a variable.

use crate::PdrError;
use batsat::{BasicSolver, Lit, SolverInterface, lbool};
use rustc_hash::FxHashMap;
use winset_model::{Expr, ExprId, Exprs, Game, Player, State};

/// A game's rules in a SAT solver, with the goal of one player.
pub struct Clauses {
    solver: BasicSolver,
    /// For each variable the literals of its values, before and after a move.
    copies: [Vec<Vec<Lit>>; 2],
    exprs: Exprs,
    known: FxHashMap<(usize, ExprId), Lit>,
    yes: Lit,
    /// The goal, before and after a move.
    pub goal: [Lit; 2],
    /// The game has ended.
    pub ended: Lit,
    /// It is the defender's turn.
    pub defending: Lit,
    /// Some move of the attacker is made.
    pub attack: Lit,
    /// Each move can be made.
    pub enabled: Vec<Lit>,
    /// Each move is made.
    pub made: Vec<Lit>,
    /// How often the solver was asked.
    pub queries: u64,
}

impl Clauses {
    /// Writes a game and the attacker's goal: the game has ended with all points for the attacker.
    pub fn new(game: &Game, attacker: Player) -> Result<Clauses, PdrError> {
        if game.players().len() != 2 {
            return Err(PdrError::Players(game.name().to_owned()));
        }
        let system = game.system();
        let set = |name: &str| {
            system.sets.iter().find(|(other, _)| other == name).map_or(Exprs::FALSE, |&(_, set)| set)
        };
        let won = set(&format!("reward:{}:100", game.player_name(attacker)));
        let terminal = set("terminal");
        let mut exprs = system.exprs.clone();
        let goal = exprs.and([terminal, won]);
        let mut solver = BasicSolver::default();
        let yes = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![yes]);
        let mut copy = || {
            let variables = game.variables().iter();
            let each = variables.map(|v| {
                let values: Vec<Lit> =
                    (0..v.size()).map(|_| Lit::new(solver.new_var_default(), true)).collect();
                solver.add_clause_reuse(&mut values.clone());
                for (i, &a) in values.iter().enumerate() {
                    values[..i].iter().for_each(|&b| {
                        solver.add_clause_reuse(&mut vec![!a, !b]);
                    });
                }
                values
            });
            each.collect::<Vec<Vec<Lit>>>()
        };
        let copies = [copy(), copy()];
        let mut clauses = Clauses {
            solver,
            copies,
            exprs,
            known: FxHashMap::default(),
            yes,
            goal: [yes; 2],
            ended: yes,
            defending: yes,
            attack: yes,
            enabled: vec![],
            made: vec![],
            queries: 0,
        };
        let roots = game.moves().iter().flat_map(|m| {
            let conditions = m.updates.iter().flat_map(|u| u.cases.iter().map(|case| case.0));
            conditions.chain([m.guard])
        });
        let roots: Vec<ExprId> = roots.chain([goal, terminal]).chain(game.turn().iter().copied()).collect();
        let recursive = |id: &ExprId| matches!(clauses.exprs.get(*id), Expr::Fix(..));
        if clauses.exprs.cone(roots.iter().copied()).iter().any(recursive) {
            return Err(PdrError::Recursive(game.name().to_owned()));
        }
        clauses.goal = [clauses.literal(0, goal), clauses.literal(1, goal)];
        clauses.ended = clauses.literal(0, terminal);
        clauses.defending = clauses.literal(0, game.turn()[attacker.other().index()]);
        clauses.moves(game, attacker);
        Ok(clauses)
    }

    fn moves(&mut self, game: &Game, attacker: Player) {
        for m in game.moves() {
            let mut parts =
                vec![self.literal(0, game.turn()[m.player.index()]), !self.ended, self.literal(0, m.guard)];
            if m.fallback {
                let others = game.moves().iter().filter(|o| o.player == m.player && !o.fallback);
                let guards: Vec<Lit> = others.map(|other| self.literal(0, other.guard)).collect();
                parts.extend(guards.into_iter().map(|guard| !guard));
            }
            let enabled = self.all(&parts);
            let made = self.fresh();
            self.clause(&[!made, enabled]);
            for v in 0..game.variables().len() {
                let update = m.updates.iter().find(|u| u.var.index() == v);
                // Of the conditions that hold, the first one counts; without one the value stays.
                let mut before = vec![!made];
                for &(when, value) in update.map_or(&[][..], |u| &u.cases) {
                    let when = self.literal(0, when);
                    let after = self.copies[1][v][usize::from(value)];
                    self.clause(&[&before[..], &[!when, after]].concat());
                    before.push(when);
                }
                for value in 0..game.variables()[v].size() {
                    let (now, after) = (self.copies[0][v][value], self.copies[1][v][value]);
                    self.clause(&[&before[..], &[!now, after]].concat());
                }
            }
            self.enabled.push(enabled);
            self.made.push(made);
        }
        let attacks = game.moves().iter().zip(&self.made).filter(|(m, _)| m.player == attacker);
        let mut some: Vec<Lit> = attacks.map(|(_, &made)| made).collect();
        let attack = self.fresh();
        some.push(!attack);
        self.clause(&some);
        self.attack = attack;
    }

    /// A literal that nothing is said about yet.
    pub fn fresh(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// Adds a clause.
    pub fn clause(&mut self, clause: &[Lit]) {
        self.solver.add_clause_reuse(&mut clause.to_vec());
    }

    /// A literal that holds where all of these do.
    fn all(&mut self, parts: &[Lit]) -> Lit {
        let all = self.fresh();
        parts.iter().for_each(|&part| self.clause(&[!all, part]));
        let mut back: Vec<Lit> = parts.iter().map(|&part| !part).collect();
        back.push(all);
        self.clause(&back);
        all
    }

    /// The literal of an expression, over one of the copies (Tseitin).
    fn literal(&mut self, copy: usize, id: ExprId) -> Lit {
        for at in self.exprs.cone([id]) {
            if self.known.contains_key(&(copy, at)) {
                continue;
            }
            let known = |clauses: &Clauses, id: &ExprId| clauses.known[&(copy, *id)];
            let literal = match self.exprs.get(at).clone() {
                Expr::True => self.yes,
                Expr::False | Expr::Fix(..) | Expr::Next(..) => !self.yes,
                Expr::Is(var, value) => self.copies[copy][var.index()][usize::from(value)],
                Expr::Not(a) => !known(self, &a),
                Expr::And(list) => {
                    let parts: Vec<Lit> = list.iter().map(|a| known(self, a)).collect();
                    self.all(&parts)
                }
                Expr::Or(list) => {
                    let parts: Vec<Lit> = list.iter().map(|a| !known(self, a)).collect();
                    !self.all(&parts)
                }
            };
            self.known.insert((copy, at), literal);
        }
        self.known[&(copy, id)]
    }

    /// The literal "this variable has this value", before a move (0) or after it (1).
    pub fn value(&self, copy: usize, (variable, value): (u32, u16)) -> Lit {
        self.copies[copy][variable as usize][usize::from(value)]
    }

    /// Whether the assumptions can hold together.
    pub fn ask(&mut self, assumptions: &[Lit]) -> bool {
        self.queries += 1;
        self.solver.solve_limited(assumptions) == lbool::TRUE
    }

    /// After an answer of yes: the state after the move.
    pub fn next(&self) -> State {
        let value = |values: &Vec<Lit>| {
            values.iter().position(|&lit| self.solver.value_lit(lit) == lbool::TRUE).unwrap_or(0) as u16
        };
        State(self.copies[1].iter().map(value).collect())
    }

    /// After an answer of no: whether an assumption was needed for it.
    pub fn needed(&self, assumption: Lit) -> bool {
        self.solver.unsat_core().iter().any(|&lit| lit == assumption || lit == !assumption)
    }
}

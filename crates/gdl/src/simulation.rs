//! Ground rules played as they stand, turns or not: for whoever must make legal moves in any game, also where roles
//! choose at the same time and the game cannot be solved.

use crate::diagnostic::{Code, Diagnostic, Findings};
use crate::ground::constants::{Constants, Order, constants};
use crate::ground::evaluate::evaluate;
use crate::ground::instances::{AtomId, Ground};
use crate::ground::simulate::Simulator;
use crate::ground::{condense, lower};
use crate::limits::Meter;
use crate::pipeline::{Options, Rejection, front};
use rustc_hash::FxHashMap;

/// What holds in a state: a bit for each fact that can.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Facts(Box<[u64]>);

impl Facts {
    /// How much memory it takes.
    pub fn bytes(&self) -> usize {
        8 * self.0.len()
    }
}

/// What a role can do, by its number among all that can be done.
pub type Action = usize;

/// Rules that can be played. Unlike a [`crate::GdlGame`], roles may choose at the same time, be more than can be solved
/// for, lack a goal or never come to an end: nothing is proved, so it is there much sooner.
pub struct Simulation {
    ground: Ground,
    order: Order,
    constants: Constants,
    /// The atoms that depend on what is done.
    moved: Vec<bool>,
    roles: Vec<String>,
    facts: Vec<String>,
    actions: Vec<String>,
    by_role: Vec<Vec<Action>>,
    by_text: FxHashMap<(usize, String), Action>,
    goals: Vec<(usize, u8, AtomId)>,
}

/// Grounds rules, to be played.
///
/// ```
/// let rules = "(role a) (role b) (<= (legal ?r (show 0)) (role ?r)) (<= (legal ?r (show 1)) (role ?r))
///              (<= (next same) (does a (show ?n)) (does b (show ?n))) (<= (next over) (role a))
///              (<= terminal (true over)) (<= (goal a 100) (true same)) (<= (goal a 0) (not (true same)))
///              (<= (goal b 50) (role b))";
/// let pennies = winset_gdl::simulate(rules.as_bytes(), &Default::default()).unwrap();
/// let mut lanes = pennies.lanes();
/// lanes.load(&[&pennies.start()]);
/// let (ours, theirs) = (pennies.action(0, "(show 1)").unwrap(), pennies.action(1, "(show 1)").unwrap());
/// lanes.advance(&[vec![ours, theirs]]);
/// assert_eq!(lanes.ended(), 1);
/// assert_eq!(lanes.goals(0), [100, 50]);
/// ```
pub fn simulate(source: &[u8], options: &Options) -> Result<Simulation, Rejection> {
    let mut findings = Findings::default();
    let made = try_simulate(source, options, &mut findings);
    made.filter(|_| !findings.has_errors()).ok_or(Rejection { diagnostics: findings.list })
}

fn try_simulate(source: &[u8], options: &Options, findings: &mut Findings) -> Option<Simulation> {
    let mut meter = Meter::new(&options.limits);
    let (symbols, rules, spans) = front(source, options, findings);
    if findings.has_errors() {
        return None;
    }
    meter.set_rules(spans.len());
    meter.stage("ground");
    let mut lowered = lower::lower(&rules, findings);
    if findings.has_errors() {
        return None;
    }
    condense::condense(&mut lowered);
    let grounded = evaluate(lowered, &mut meter);
    let (evaluation, mut ground) = grounded.map_err(|e| findings.push(meter.blame(e, &spans))).ok()?;
    if let Some(dead) = ground.unused() {
        ground.remove(&dead);
    }
    let order = Order::of(&ground);
    if let Some(rule) = order.unstratified(&ground) {
        let span = spans.get(ground.origins[rule as usize] as usize).copied().unwrap_or_default();
        let message = "an atom of this rule depends on its own negation";
        findings.push(
            Diagnostic::error(Code::NotStratified, span, message)
                .help("the rules have no unique meaning; break the cycle"),
        );
        return None;
    }
    let constants =
        constants(&ground, &order, &meter).map_err(|e| findings.push(meter.blame(e, &spans))).ok()?;
    let text = |term: u32| evaluation.terms.text(term, &symbols);
    let roles: Vec<String> = ground.roles.iter().map(|r| text(*r)).collect();
    let actions: Vec<String> = ground.actions.iter().map(|a| text(a.1)).collect();
    let facts = ground.fluents.iter().map(|f| text(*f)).collect();
    let mut by_role = vec![Vec::new(); roles.len()];
    let mut by_text = FxHashMap::default();
    for (action, (role, _)) in ground.actions.iter().enumerate() {
        by_role[*role].push(action);
        by_text.insert((*role, actions[action].clone()), action);
    }
    // A goal that is no number is worth nothing: whoever solves the game refuses it.
    let goal = |&(role, value, atom): &(usize, u32, AtomId)| {
        crate::syntax::check::parse_goal(&text(value)).map(|value| (role, value, atom))
    };
    let goals = ground.goals.iter().filter_map(goal).collect();
    let moved = depending_on_moves(&ground, &order);
    Some(Simulation { moved, roles, facts, actions, by_role, by_text, goals, ground, order, constants })
}

/// The atoms that depend on what is done: users come after what they use.
fn depending_on_moves(ground: &Ground, order: &Order) -> Vec<bool> {
    let mut moved = vec![false; ground.atoms];
    for action in 0..ground.actions.len() {
        moved[ground.action_atom(action) as usize] = true;
    }
    for component in 0..order.groups() {
        let group = order.group(component);
        let uses = |atom: &AtomId| ground.bodies(*atom).flatten().any(|l| moved[(l >> 1) as usize]);
        if group.iter().any(|a| moved[*a as usize]) || group.iter().any(uses) {
            group.iter().for_each(|a| moved[*a as usize] = true);
        }
    }
    moved
}

impl Simulation {
    /// The roles' names, in the order of the rules.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// The highest goal that a role can have anywhere; 0 if it has none.
    pub fn highest_goal(&self, role: usize) -> u8 {
        self.goals.iter().filter(|g| g.0 == role).map(|g| g.1).max().unwrap_or(0)
    }

    /// All that a role can ever do.
    pub fn actions(&self, role: usize) -> &[Action] {
        &self.by_role[role]
    }

    /// What somebody does, as KIF.
    pub fn text(&self, action: Action) -> &str {
        &self.actions[action]
    }

    /// What a role does by these words: lower case, a blank between two.
    pub fn action(&self, role: usize, text: &str) -> Option<Action> {
        self.by_text.get(&(role, text.to_owned())).copied()
    }

    /// What holds at the start.
    pub fn start(&self) -> Facts {
        Facts(self.simulator().start())
    }

    /// The facts that hold in a state, as KIF.
    pub fn facts<'a>(&'a self, state: &'a Facts) -> impl Iterator<Item = &'a str> {
        let holds = |f: &usize| state.0[*f / 64] >> (*f % 64) & 1 == 1;
        (0..self.facts.len()).filter(holds).map(|f| self.facts[f].as_str())
    }

    /// How much there is to evaluate in a state: the literals of all ground rules.
    pub fn size(&self) -> usize {
        (0..self.ground.rules() as u32).map(|rule| self.ground.body(rule).len()).sum()
    }

    /// Plays up to 64 states at once.
    pub fn lanes(&self) -> Playing<'_> {
        Playing { simulation: self, simulator: self.simulator(), lanes: 0 }
    }

    fn simulator(&self) -> Simulator<'_> {
        Simulator::new(&self.ground, &self.order, &self.constants, |a| self.moved[a as usize])
    }
}

/// Up to 64 states that are played side by side: bit n of a word is for state n.
pub struct Playing<'s> {
    simulation: &'s Simulation,
    simulator: Simulator<'s>,
    lanes: usize,
}

impl Playing<'_> {
    /// Looks at these states; panics if they are more than 64.
    pub fn load(&mut self, states: &[&Facts]) {
        assert!(states.len() <= 64, "64 states at most");
        let bits: Vec<_> = states.iter().map(|s| &s.0).collect();
        self.simulator.load(&bits);
        self.lanes = states.len();
    }

    /// Where the game has ended.
    pub fn ended(&self) -> u64 {
        self.simulation.ground.terminal.map_or(0, |t| self.simulator.word(t)) & self.all()
    }

    /// Where an action is legal.
    pub fn legal(&self, action: Action) -> u64 {
        self.simulator.word(self.simulation.ground.legal[action]) & self.all()
    }

    /// What a role may do in one of the states.
    pub fn choices(&self, lane: usize, role: usize) -> Vec<Action> {
        let legal = |a: &&Action| self.legal(**a) >> lane & 1 == 1;
        self.simulation.by_role[role].iter().filter(legal).copied().collect()
    }

    /// What each role gets in one of the states: the highest of its goals there, 0 if it has none.
    pub fn goals(&self, lane: usize) -> Vec<u8> {
        let mut goals = vec![0; self.simulation.roles.len()];
        for &(role, value, atom) in &self.simulation.goals {
            if value > goals[role] && self.simulator.word(atom) >> lane & 1 == 1 {
                goals[role] = value;
            }
        }
        goals
    }

    /// Goes on to what each state becomes by its own actions, one of each role.
    pub fn advance(&mut self, actions: &[Vec<Action>]) {
        self.simulator.step(actions);
        self.lanes = actions.len();
    }

    /// One of the states.
    pub fn state(&self, lane: usize) -> Facts {
        Facts(self.simulator.state(lane))
    }

    fn all(&self) -> u64 {
        if self.lanes == 64 { u64::MAX } else { (1 << self.lanes) - 1 }
    }
}

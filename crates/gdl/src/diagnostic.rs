//! What is wrong with a game file: the causes, and a list of findings that stops growing.

use winset_diagnostic::causes;
pub use winset_diagnostic::{Severity, Span, position};

causes! {
    /// The cause of a diagnostic. The text of [`Code::as_str`] is stable and meant for scripts.
    pub enum Code {
        /// The file is larger than [`crate::Limits::source_bytes`].
        FileTooLarge = "file-too-large",
        /// Parentheses nested deeper than [`crate::Limits::nesting`].
        NestingTooDeep = "nesting-too-deep",
        /// A name with bytes that are not UTF-8.
        NotUtf8 = "not-utf8",
        /// A `(` without its `)`.
        UnclosedParenthesis = "unclosed-parenthesis",
        /// A `)` without its `(`.
        StrayParenthesis = "stray-parenthesis",
        /// The infix (`:-`, `&`, `~`) notation.
        InfixNotation = "infix-notation",
        /// Something that is neither a rule nor a fact.
        NotARule = "not-a-rule",
        /// A list without a symbol in front.
        MissingName = "missing-name",
        /// A keyword with the wrong number of arguments.
        KeywordArity = "keyword-arity",
        /// `true` or `does` as the head of a rule.
        KeywordHead = "keyword-head",
        /// `init` or `next` inside a body.
        KeywordBody = "keyword-body",
        /// A condition where a name is expected.
        KeywordTerm = "keyword-term",
        /// One name with several numbers of arguments.
        ArityDiffers = "arity-differs",
        /// A relation that no fact or rule defines.
        UndefinedRelation = "undefined-relation",
        /// `true` of a fact that no `init` or `next` makes.
        UnknownFact = "unknown-fact",
        /// `does` with a move that no `legal` allows.
        UnknownMove = "unknown-move",
        /// A role that is not declared.
        UnknownRole = "unknown-role",
        /// A condition on an argument that nothing has.
        UnknownValue = "unknown-value",
        /// A variable at two places that have no name in common.
        NeverBoth = "never-both",
        /// A fact that no condition asks for.
        UnreadFact = "unread-fact",
        /// A move that no condition asks for, with a name like one that is asked for.
        UnreadMove = "unread-move",
        /// A relation that nothing uses, with a name like another's.
        UnusedRelation = "unused-relation",
        /// A name that occurs once and looks like another one.
        LonelyName = "lonely-name",
        /// A variable of the head, or below `not`, that no positive literal binds.
        UnsafeRule = "unsafe-rule",
        /// A variable of `distinct` that no positive literal binds.
        UnboundDistinct = "unbound-distinct",
        /// `(not (distinct a b))`, read as equality.
        NegatedDistinct = "negated-distinct",
        /// A relation that depends on its own negation, by name only.
        StratificationByName = "stratification-by-name",
        /// A ground atom that depends on its own negation.
        NotStratified = "not-stratified",
        /// The recursion restriction of the specification.
        RecursionRestriction = "recursion-restriction",
        /// Not a single rule for `role`.
        MissingRole = "missing-role",
        /// Not a single rule for `init`.
        MissingInit = "missing-init",
        /// Not a single rule for `terminal`.
        MissingTerminal = "missing-terminal",
        /// Not a single rule for `goal`.
        MissingGoal = "missing-goal",
        /// Not a single rule for `legal`.
        MissingLegal = "missing-legal",
        /// Not a single rule for `next`.
        MissingNext = "missing-next",
        /// A goal that is not a number from 0 to 100.
        GoalValue = "goal-value",
        /// Grounding ran into one of the [`crate::Limits`].
        LimitExceeded = "limit-exceeded",
        /// No role, or more than can be solved.
        RoleCount = "role-count",
        /// A role that chance plays, as GDL-II has it.
        Chance = "chance",
        /// `sees` says that not every role knows the state, as GDL-II has it.
        HiddenInformation = "hidden-information",
        /// `terminal` can never hold.
        NeverEnds = "never-ends",
        /// Two roles choose at the same time.
        SimultaneousMoves = "simultaneous-moves",
        /// A state that is not terminal and in which a role has no legal move.
        DeadEnd = "dead-end",
        /// A terminal state in which a role has no goal value.
        GoalMissing = "goal-missing",
        /// A terminal state in which a role has several goal values.
        GoalAmbiguous = "goal-ambiguous",
    }
}

/// One finding about a file.
pub type Diagnostic = winset_diagnostic::Diagnostic<Code>;

/// A list of findings that stops growing, so that a hostile file cannot fill the memory with complaints.
#[derive(Default)]
pub(crate) struct Findings {
    pub list: Vec<Diagnostic>,
    dropped: bool,
}

impl Findings {
    const MOST: usize = 100;

    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < Self::MOST {
            self.list.push(diagnostic);
        } else if diagnostic.severity == Severity::Error && !self.dropped {
            // Warnings must never hide that the file is unusable.
            self.dropped = true;
            self.list.push(diagnostic);
        }
    }

    /// No further warning is kept.
    pub fn is_full(&self) -> bool {
        self.list.len() >= Self::MOST
    }

    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }
}

//! The syntax tree, names not yet resolved.

use winset_diagnostic::Span;
use winset_formula::Path;

#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Debug, Default)]
pub(crate) struct File {
    pub modules: Vec<Module>,
}

#[derive(Debug)]
pub(crate) struct Module {
    pub name: Name,
    pub parameters: Vec<Name>,
    pub items: Vec<Item>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    State,
    Input,
    Frozen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constraint {
    Init,
    Trans,
    Invar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpecKind {
    /// `SPEC`, `CTLSPEC`, `MUSPEC`: the operators say which logic it is.
    Temporal,
    /// `LTLSPEC`.
    Linear,
    Invariant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Init,
    Next,
    Always,
}

#[derive(Debug)]
pub(crate) enum Item {
    Variable {
        storage: Storage,
        name: Name,
        kind: Type,
    },
    Define {
        name: Name,
        body: Expr,
    },
    Constants(Vec<Name>),
    /// All that another module has.
    Isa(Name),
    Assign {
        when: When,
        target: Expr,
        value: Expr,
    },
    Constraint {
        kind: Constraint,
        body: Expr,
    },
    Spec {
        kind: SpecKind,
        name: Option<Name>,
        body: Expr,
        within: Option<Name>,
    },
    /// `COMPUTE MIN [from, to]`, or `MAX`.
    Compute {
        longest: bool,
        name: Option<Name>,
        from: Expr,
        to: Expr,
        within: Option<Name>,
    },
    /// One condition (`FAIRNESS`, `JUSTICE`), or the two of `COMPASSION`.
    Fair {
        first: Expr,
        second: Option<Expr>,
    },
}

#[derive(Debug)]
pub(crate) struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum TypeKind {
    Boolean,
    /// Signed or not, with its width.
    Word(bool, Box<Expr>),
    Enumeration(Vec<Expr>),
    Range(Box<Expr>, Box<Expr>),
    Array(Box<Expr>, Box<Expr>, Box<Type>),
    /// Made by `process` or not.
    Instance(bool, Name, Vec<Expr>),
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Implies,
    Iff,
    Xor,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    Union,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Concatenate,
    ShiftLeft,
    ShiftRight,
    RotateLeft,
    RotateRight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Temporal {
    Next,
    Finally,
    Globally,
}

/// Operators over linear time with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Along {
    Next,
    Finally,
    Globally,
    Yesterday,
    WeakYesterday,
    Once,
    Historically,
}

/// Operators over linear time with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    Until,
    Release,
    Since,
    Triggered,
}

/// From the first to the last step; without a last one, for ever.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    pub from: Box<Expr>,
    pub to: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Boolean(bool),
    Integer(i64),
    /// Signed or not, with its bits, the lowest first.
    Word(bool, Vec<bool>),
    /// The instance that this stands in.
    Myself,
    /// `[a, b, c]`
    Array(Vec<Expr>),
    /// `w[7:0]`
    Bits(Box<Expr>, Box<Expr>, Box<Expr>),
    Name(String),
    Member(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    Next(Box<Expr>),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    /// Any number of operands, so that long chains are not deep trees.
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Range(Box<Expr>, Box<Expr>),
    Set(Vec<Expr>),
    Case(Vec<(Expr, Expr)>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
    Temporal(Path, Temporal, Box<Expr>),
    Until(Path, Box<Expr>, Box<Expr>),
    /// `EBF 0..3 p` and the like.
    Bounded(Path, Temporal, Steps, Box<Expr>),
    /// `E [p BU 0..3 q]`
    BoundedUntil(Path, Steps, Box<Expr>, Box<Expr>),
    Along(Along, Option<Steps>, Box<Expr>),
    Between(Between, Box<Expr>, Box<Expr>),
    Fix {
        least: bool,
        variable: Name,
        body: Box<Expr>,
    },
}

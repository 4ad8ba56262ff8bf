//! Names that a module gives to members of other instances: `DEFINE left.ack := ...`.

use crate::diagnostic::{Code, Diagnostic};
use crate::instance::{Flat, Symbol, Target, Unfolding};
use crate::syntax::{Expr, ExprKind};

impl Unfolding<'_, '_> {
    /// A name with dots whose first part is an instance belongs to that instance, where it is known by its last part.
    /// What else has dots is a name of its own, as tools write them.
    pub(crate) fn give_members(&mut self) {
        for (scope, name) in std::mem::take(&mut self.dotted) {
            let Some((path, member)) = name.text.rsplit_once('.') else { continue };
            let Some(owner) = self.flat.instance_at(scope, path, self.limits.nesting) else { continue };
            let Some(symbol) = self.flat.scopes[scope].names.get(name.text.as_str()).cloned() else {
                continue;
            };
            if let Symbol::Define(define) = symbol {
                self.flat.defines[define].name = format!("{}{member}", self.flat.scopes[owner].prefix);
            }
            if self.flat.scopes[owner].names.insert(member, symbol).is_some() {
                let message = format!("the name `{}` is used twice", name.text);
                self.found.add(Diagnostic::error(Code::Duplicate, name.span, message));
            }
        }
    }
}

impl Flat<'_> {
    /// The instance that a path of names leads to, if it is one; parameters stand for what the caller wrote.
    pub(crate) fn instance_at(&self, scope: usize, path: &str, depth: usize) -> Option<usize> {
        path.split('.').try_fold(scope, |scope, name| self.instance_named(scope, name, depth))
    }

    fn instance_named(&self, scope: usize, name: &str, depth: usize) -> Option<usize> {
        match self.scopes[scope].names.get(name)? {
            Symbol::Target(Target::Instance(inner)) => Some(*inner),
            Symbol::Parameter(argument, caller) => self.instance_in(*caller, argument, depth.checked_sub(1)?),
            _ => None,
        }
    }

    fn instance_in(&self, scope: usize, expr: &Expr, depth: usize) -> Option<usize> {
        match &expr.kind {
            ExprKind::Myself => Some(scope),
            ExprKind::Name(name) => self.instance_named(scope, name, depth),
            ExprKind::Member(base, member) => {
                let inner = self.instance_in(scope, base, depth.checked_sub(1)?)?;
                self.instance_named(inner, &member.text, depth)
            }
            _ => None,
        }
    }
}

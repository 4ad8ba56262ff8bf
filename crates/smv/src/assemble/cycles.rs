//! Assignments that depend on each other.

use super::Assembly;
use crate::diagnostic::{Code, Diagnostic};
use crate::syntax::When;
use rustc_hash::{FxHashMap, FxHashSet};
use winset_model::VarId;

impl Assembly<'_, '_> {
    /// Assignments that need each other in one state have no order in which they could be made: neither in the first one
    /// nor in what a process makes of a state.
    pub(super) fn check_cycles(&mut self) {
        let by_var: FxHashMap<VarId, usize> =
            self.flat.variables.iter().enumerate().map(|(i, d)| (d.var, i)).collect();
        let frames = (0..self.flat.processes.len()).map(|process| (When::Next, process));
        let mut said: FxHashSet<usize> = FxHashSet::default();
        for (when, process) in std::iter::once((When::Init, 0)).chain(frames) {
            let mut done: FxHashSet<usize> = FxHashSet::default();
            for variable in 0..self.flat.variables.len() {
                let mut path: FxHashSet<usize> = FxHashSet::default();
                let mut stack = vec![(variable, false)];
                while let Some((at, leaving)) = stack.pop() {
                    if leaving {
                        path.remove(&at);
                        done.insert(at);
                        continue;
                    }
                    // What is assigned for every state is assigned for the first one; that steps go from one such state
                    // to another asks for no order.
                    let own = self.depends.get(&(at, when, process));
                    let always = || self.depends.get(&(at, When::Always, 0)).filter(|_| when == When::Init);
                    let Some((needs, span)) = own.or_else(always) else { continue };
                    if path.contains(&at) {
                        if said.insert(at) {
                            let name = &self.flat.variables[at].name;
                            let message = format!("the assignment of `{name}` depends on itself");
                            let error = Diagnostic::error(Code::CyclicDefinition, *span, message);
                            self.compiler.found.add(error);
                        }
                        continue;
                    }
                    if done.contains(&at) {
                        continue;
                    }
                    path.insert(at);
                    stack.push((at, true));
                    stack.extend(needs.iter().filter_map(|var| by_var.get(var)).map(|&i| (i, false)));
                }
            }
        }
    }
}

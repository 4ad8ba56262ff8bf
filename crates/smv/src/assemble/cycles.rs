//! Assignments that depend on each other.

use super::Assembly;
use crate::diagnostic::{Code, Diagnostic};
use rustc_hash::{FxHashMap, FxHashSet};
use winset_model::VarId;

impl Assembly<'_, '_> {
    /// Assignments that need each other in one state have no order in which they could be made.
    pub(super) fn check_cycles(&mut self) {
        let by_var: FxHashMap<VarId, usize> =
            self.flat.variables.iter().enumerate().map(|(i, d)| (d.var, i)).collect();
        let processes = (0..self.flat.processes.len()).map(Some);
        for next in std::iter::once(None).chain(processes) {
            let mut done: FxHashSet<usize> = FxHashSet::default();
            for variable in 0..self.flat.variables.len() {
                let mut path: Vec<usize> = vec![];
                let mut stack = vec![(variable, false)];
                while let Some((at, leaving)) = stack.pop() {
                    if leaving {
                        path.pop();
                        done.insert(at);
                        continue;
                    }
                    let Some((needs, span)) = self.depends.get(&(at, next)) else { continue };
                    if path.contains(&at) {
                        let name = &self.flat.variables[at].name;
                        let message = format!("the assignment of `{name}` depends on itself");
                        let error = Diagnostic::error(Code::CyclicDefinition, *span, message);
                        self.compiler.found.add(error);
                        continue;
                    }
                    if done.contains(&at) {
                        continue;
                    }
                    path.push(at);
                    stack.push((at, true));
                    stack.extend(needs.iter().filter_map(|var| by_var.get(var)).map(|&i| (i, false)));
                }
            }
        }
    }
}

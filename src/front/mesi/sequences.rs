//! Pointers that one statement sets and then follows.
//!
//! ```text
//! int *q = a, v = q[1];      a_copies.host_reads();
//!                            int *q = a, v = q[1];
//! ```
//!
//! Before such a statement the pointer has another address, or does not exist: what is brought up to
//! date is all that it may be a name of.

use std::ops::Range;

use super::accesses::{Access, Binding, Object};
use super::moves;
use super::transfers::Host;
use crate::diagnostic::codes;

impl Host<'_, '_> {
    /// The accesses of a statement, by names that have their address before it.
    pub fn by_names_before(&mut self, range: &Range<usize>, accesses: Vec<Access>) -> Vec<Access> {
        let mut all = Vec::new();
        for access in accesses {
            let named = self.names.get(&access.name);
            let is_pointer = named.is_some_and(|named| named.binding == Binding::Pointer);
            let earlier = range.start..access.token;
            if !is_pointer || !access.effect.is_any() || !self.sets(earlier, &access.name) {
                all.push(access);
                continue;
            }
            match self.sources(range, &access.name) {
                Some(sources) => all.extend(sources.into_iter().map(|name| Access {
                    name,
                    is_whole: false,
                    bytes: None,
                    ..access.clone()
                })),
                None => {
                    let message = format!(
                        "`{}` gets an address and is followed in one statement",
                        access.name
                    );
                    let place = self.tokens().range(access.token, access.token);
                    let help = "write two statements";
                    self.problems
                        .error(codes::MESI_ESCAPE, message, place, help);
                }
            }
        }
        all
    }

    /// Whether a pointer gets an address, or is declared, in a part of the function.
    fn sets(&self, mut part: Range<usize>, name: &str) -> bool {
        let (tokens, fun) = (self.tokens(), &self.code.functions[self.number]);
        part.any(|at| {
            let is_declared = || fun.locals.iter().any(|one| one.token == at);
            let moved = || moves::at(self.code, self.summaries, (tokens, &self.names), at);
            tokens.at(at) == name.as_bytes() && (is_declared() || moved().contains(name))
        })
    }

    /// The names of all that a pointer may point to, if these keep their addresses in a statement.
    fn sources(&self, range: &Range<usize>, name: &str) -> Option<Vec<String>> {
        let fun = &self.code.functions[self.number];
        let of = |object: &Object| {
            let source = match *object {
                Object::Variable(variable) => self.code.variables[variable].name().to_owned(),
                Object::Parameter(parameter) => fun.parameters[parameter].name.clone(),
                Object::Local => return None,
            };
            let is_kept = source != name && !self.sets(range.clone(), &source);
            (is_kept && self.names.contains_key(&source)).then_some(source)
        };
        self.names.get(name)?.objects.iter().map(of).collect()
    }
}

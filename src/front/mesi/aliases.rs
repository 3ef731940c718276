//! Other names of shared memory in a function: pointers and references that are set to its address, there
//! or by a call.
//!
//! ```text
//! int *z = c ? a : b;    z is a name of a and b
//! exchange(z, y);        z is one of what y has, too, and the reverse
//! ```

use std::collections::BTreeSet;
use std::ops::Range;

use super::accesses::{Binding, Named, Names, Object, Summaries};
use super::code::Code;
use super::places::Place;
use super::standard;
use crate::front::cuda::{Declared, Fun, Tokens};

impl Summaries {
    /// Adds local variables, and parameters, that are given an address of shared memory.
    pub fn add_aliases(&self, code: &Code<'_>, number: usize, names: &mut Names) -> bool {
        let fun = &code.functions[number];
        let mut changed = false;
        let all = fun.locals.iter().chain(&fun.parameters);
        for one in all.filter(|one| one.is_pointer || one.is_reference || auto(&one.types)) {
            let mut objects = BTreeSet::new();
            let mut rank = one.rank;
            for value in values_of(code, fun, one) {
                self.add_given(code, number, (one, value), names, &mut objects, &mut rank);
            }
            self.add_handed(code, number, one, names, &mut objects);
            let known = names.get(&one.name);
            objects.extend(known.iter().flat_map(|known| &known.objects));
            if objects.len() > known.map_or(0, |known| known.objects.len()) {
                let rank = if auto(&one.types) { rank } else { one.rank };
                let named = Named {
                    objects,
                    rank,
                    binding: Binding::of(one),
                };
                names.insert(one.name.clone(), named);
                changed = true;
            }
        }
        changed
    }

    /// Adds the memory that a pointer has behind calls that refer to it.
    fn add_handed(
        &self,
        code: &Code<'_>,
        number: usize,
        one: &Declared,
        names: &Names,
        objects: &mut BTreeSet<Object>,
    ) {
        let fun = &code.functions[number];
        let (tokens, body) = (code.tokens(fun), fun.body());
        let place = Place {
            code,
            summaries: self,
            number,
            tokens,
            range: &body,
            names,
        };
        let is_argument = |at: &usize| {
            tokens.at(*at) == one.name.as_bytes()
                && matches!(tokens.at(at - 1), b"(" | b",")
                && matches!(tokens.at(at + 1), b")" | b",")
        };
        for at in body.clone().filter(|at| *at > 0).filter(is_argument) {
            let Some((callee, open, position)) = place.enclosing_call(at) else {
                continue;
            };
            let arguments = tokens.parts(open + 1..tokens.bracket_end(open));
            for other in self.handed_at(code, &callee, position) {
                let words = arguments.get(other).cloned().unwrap_or_default();
                let given = words.filter_map(|at| names.get(&tokens.word(at)));
                objects.extend(given.flat_map(|named| &named.objects));
            }
        }
    }

    /// Adds the memory that a name has after it is set to a value.
    fn add_given(
        &self,
        code: &Code<'_>,
        number: usize,
        (one, value): (&Declared, Range<usize>),
        names: &Names,
        objects: &mut BTreeSet<Object>,
        rank: &mut usize,
    ) {
        let fun = &code.functions[number];
        let tokens = code.tokens(fun);
        let body = fun.body();
        let place = Place {
            code,
            summaries: self,
            number,
            tokens,
            range: &body,
            names,
        };
        for at in value.clone() {
            let Some(named) = names
                .get(&tokens.word(at))
                .filter(|_| !tokens.is_member(at))
            else {
                continue;
            };
            let level = place.given(at, named.rank);
            let is_number = auto(&one.types)
                && !is_address(tokens, fun, &one.name)
                && !standard::gives_address(tokens, &value);
            match level {
                Some(level) if !is_number || place.is_all(at, named.rank) => {
                    *rank = (*rank).max(level);
                }
                None if one.is_reference => {}
                _ => continue,
            }
            objects.extend(&named.objects);
        }
    }

    /// Marks what pointers have behind a call that parameters refer to.
    pub fn hand(&mut self, code: &Code<'_>, number: usize, names: &Names) -> bool {
        let parameters = &code.functions[number].parameters;
        let is_template = |one: &Declared| one.rank == 0 && code.size_of(&one.types).is_none();
        let mut changed = false;
        for (position, one) in parameters.iter().enumerate() {
            if !one.is_reference || !(one.is_pointer || is_template(one)) {
                continue;
            }
            let mut others: BTreeSet<usize> = match names.get(&one.name) {
                Some(named) => named.objects.iter().filter_map(Object::parameter).collect(),
                None => BTreeSet::new(),
            };
            // `template <class T> void exchange(T &x, T &y)`
            if is_template(one) && self.parameters[number][position].writes {
                let is_same = |other: &&Declared| other.is_reference && other.types == one.types;
                let all = parameters.iter().enumerate();
                others.extend(
                    all.filter(|(_, other)| is_same(other))
                        .map(|(other, _)| other),
                );
            }
            others.remove(&position);
            changed |= others.len() > self.handed[number][position].len();
            self.handed[number][position] = others;
        }
        changed
    }

    /// The other arguments whose memory a pointer may have that is an argument of a call.
    pub fn handed_at(&self, code: &Code<'_>, callee: &str, position: usize) -> BTreeSet<usize> {
        let mut functions = code.named(callee.as_bytes()).peekable();
        match (functions.peek().is_some(), callee, position) {
            (false, "swap", 0) | (false, "exchange", 0) => BTreeSet::from([1]),
            (false, "swap", 1) => BTreeSet::from([0]),
            _ => functions
                .filter_map(|(number, _)| self.handed[number].get(position))
                .flatten()
                .copied()
                .collect(),
        }
    }
}

fn auto(types: &[String]) -> bool {
    types.iter().any(|word| word == "auto")
}

/// Whether a name is used as an address.
fn is_address(tokens: Tokens<'_>, fun: &Fun, name: &str) -> bool {
    fun.body().any(|at| {
        tokens.at(at) == name.as_bytes()
            && !tokens.is_member(at)
            && (matches!(tokens.at(at + 1), b"[" | b"->")
                || at > 1 && tokens.at(at - 1) == b"*" && !tokens.ends_operand(at - 2))
    })
}

/// What a variable is set to: where it is declared, and behind `=`.
fn values_of(code: &Code<'_>, fun: &Fun, one: &Declared) -> Vec<Range<usize>> {
    let tokens = code.tokens(fun);
    let end = fun.body().end;
    let mut all = Vec::new();
    // `T *name = value`, `T &name : list`, `T *name(value)`, `T *name{value}`
    let open = one.token + 1;
    let is_local = fun.body().contains(&one.token);
    match &one.value {
        Some(value) if is_local && (!one.is_element || one.is_reference) => all.push(value.clone()),
        None if is_local && matches!(tokens.at(open), b"(" | b"{") => {
            all.push(open + 1..tokens.bracket_end(open));
        }
        _ => {}
    }
    for at in fun.body() {
        let is_set = tokens.at(at) == one.name.as_bytes() && tokens.at(at + 1) == b"=";
        if is_set && at != one.token && !tokens.is_member(at) && !one.is_element {
            all.push(at + 2..end_of_value(tokens, at + 2, end));
        }
    }
    all.retain(|value| tokens.at(value.start) != b"["); // a lambda
    all
}

/// Where a value ends: before `,` or `;` outside of brackets.
fn end_of_value(tokens: Tokens<'_>, first: usize, end: usize) -> usize {
    let mut at = first;
    while at < end && !matches!(tokens.at(at), b"," | b";" | b")" | b"}") {
        at = match tokens.at(at) {
            b"(" | b"[" | b"{" => tokens.bracket_end(at) + 1,
            _ => at + 1,
        };
    }
    at.min(end)
}

//! Which pointers get another address, so that what they point to is not known behind it.
//!
//! ```text
//! p = q;  p++;           p
//! std::swap(p, q);       p and q
//! exchange();            all shared pointers, where exchange sets one
//! next(p);               p, where next takes a reference
//! ```

use std::collections::BTreeSet;

use super::accesses::{Binding, Names, Summaries};
use super::code::Code;
use crate::front::cuda::{Fun, Kind, Statement, Tokens};

/// Functions of the standard library that set what they get a reference to.
const SETTING: [&[u8]; 5] = [b"swap", b"exchange", b"tie", b"ref", b"addressof"];

/// The pointers that may have another address behind what stands at a token of a host function.
pub fn at(
    code: &Code<'_>,
    summaries: &Summaries,
    (tokens, names): (Tokens<'_>, &Names),
    at: usize,
) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let word = tokens.word(at);
    let before = at.checked_sub(1).map_or(b"".as_slice(), |at| tokens.at(at));
    let is_set = matches!(tokens.at(at + 1), b"=" | b"++" | b"--" | b"+=" | b"-=")
        || matches!(before, b"++" | b"--") && !matches!(tokens.at(at + 1), b"[" | b"." | b"->");
    // `*p = 2`, but for `int *p = q, *r = q`
    let is_value = before == b"*"
        && at > 1
        && tokens.at(at - 2) != b","
        && matches!(tokens.at(at + 1), b"=" | b"+=" | b"-=")
        && !tokens.may_end_operand(at - 2);
    if is_set && !is_value && !tokens.is_member(at) {
        add(names, &word, &mut all);
    }
    let Some(open) = tokens.call(at) else {
        return all;
    };
    let mut callees = code.named(tokens.at(at));
    if callees.any(|(number, _)| summaries.moves[number]) {
        all.extend(shared_pointers(code, names));
    }
    let arguments = tokens.parts(open + 1..tokens.bracket_end(open));
    for (position, argument) in arguments.into_iter().enumerate() {
        let Some(last) = argument.end.checked_sub(1) else {
            continue;
        };
        let is_address = argument.len() > 1 && tokens.at(last - 1) == b"&";
        let takes = |fun: &Fun| {
            let own = fun.parameters.get(position);
            own.is_none_or(|one| one.is_reference)
        };
        let is_bound = argument.len() == 1
            && (SETTING.contains(&tokens.at(at))
                || code.named(tokens.at(at)).any(|(_, fun)| takes(fun)));
        if is_address || is_bound {
            add(names, &tokens.word(last), &mut all);
        }
    }
    all
}

/// Adds a pointer, and all that it may be another name of.
fn add(names: &Names, name: &str, all: &mut BTreeSet<String>) {
    let Some(named) = names.get(name).filter(|one| one.is_pointer()) else {
        return;
    };
    all.insert(name.to_owned());
    if named.binding == Binding::Reference || named.rank > 1 {
        let others = names
            .iter()
            .filter(|(_, other)| other.is_pointer() && !other.objects.is_disjoint(&named.objects));
        all.extend(others.map(|(name, _)| name.clone()));
    }
}

/// The shared pointers, and what may be other names of them.
fn shared_pointers(code: &Code<'_>, names: &Names) -> BTreeSet<String> {
    let is_shared = |name: &str| {
        let variable = code.variable(name);
        variable.is_some_and(|own| code.variables[own].is_pointer())
    };
    let all = names.iter().filter(|(name, one)| {
        is_shared(name) || one.binding == Binding::Reference || one.rank > 1 && one.is_pointer()
    });
    all.map(|(name, _)| name.clone()).collect()
}

/// Whether a function gives a shared pointer another address, in calls as well.
pub fn shared(code: &Code<'_>, summaries: &Summaries, number: usize, names: &Names) -> bool {
    let fun = &code.functions[number];
    let tokens = code.tokens(fun);
    let is_shared = |name: &String| {
        let variable = code.variable(name).filter(|_| !fun.declares(name));
        variable.is_some_and(|own| code.variables[own].is_pointer())
    };
    let calls_such = |at: usize| {
        let mut callees = code.named(tokens.at(at));
        tokens.call(at).is_some() && callees.any(|(callee, _)| summaries.moves[callee])
    };
    fun.body().any(|token| {
        calls_such(token)
            || at(code, summaries, (tokens, names), token)
                .iter()
                .any(is_shared)
    })
}

/// Whether a statement that is made of others gives one of some pointers another address.
pub fn in_parts(
    code: &Code<'_>,
    summaries: &Summaries,
    (tokens, names): (Tokens<'_>, &Names),
    statement: &Statement,
) -> bool {
    let mut own = statement.tokens.clone();
    !matches!(statement.kind, Kind::Simple(_))
        && own.any(|token| {
            let moved = at(code, summaries, (tokens, names), token);
            moved
                .iter()
                .any(|name| names[name].binding != Binding::Element)
        })
}

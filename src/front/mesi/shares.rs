//! How functions of the device get the virtual shared variables that they name: as parameters.
//!
//! ```text
//! __global__ void scale() { a[i] *= f; n++; }
//! __global__ void scale(float *a, float f, int *n_device) { a[i] *= f; (*n_device)++; }
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::Problems;
use super::accesses::{Effect, Names, Summaries};
use super::code::{Code, Variable};
use super::places::Place;
use super::transfers::copies_of;
use crate::diagnostic::codes;
use crate::front::cuda::{Declared, Edits, Fun, Launch};

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The value: device code writes it nowhere.
    Value,
    /// The address of a value.
    Address,
    /// The array, or the pointer.
    Array,
}

/// The variables that functions of a name use, with what they call.
pub fn used(code: &Code<'_>, summaries: &Summaries, name: &[u8]) -> BTreeMap<usize, Effect> {
    let mut all = BTreeMap::new();
    for (number, _) in code.named(name) {
        for (variable, effect) in &summaries.variables[number] {
            let known: &mut Effect = all.entry(*variable).or_default();
            *known = *known | *effect;
        }
    }
    all
}

/// Whether a variable has a copy on the device.
pub fn has_copies(summaries: &Summaries, variable: usize, one: &Variable) -> bool {
    !one.is_pointer() && !summaries.values.contains(&variable)
}

fn way(summaries: &Summaries, variable: usize, one: &Variable) -> Way {
    match () {
        () if one.declared.rank > 0 => Way::Array,
        () if summaries.values.contains(&variable) => Way::Value,
        () => Way::Address,
    }
}

/// The parameters of a function that are variables.
pub fn parameters(code: &Code<'_>, summaries: &Summaries, name: &[u8]) -> Vec<String> {
    let of = |variable: usize| {
        let one = &code.variables[variable];
        let (base, name) = (code.base_of(one), one.name());
        match way(summaries, variable, one) {
            Way::Value => format!("{base} {name}"),
            Way::Address => format!("{base} *{name}_device"),
            Way::Array if one.is_pointer() => format!("{base} *{name}"),
            Way::Array => format!("{base} {name}{}", code.extents_of(one)),
        }
    };
    used(code, summaries, name).into_keys().map(of).collect()
}

/// What a call in a function of the device gives for them.
pub fn passed(code: &Code<'_>, summaries: &Summaries, callee: &[u8]) -> Vec<String> {
    let of = |variable: usize| {
        let one = &code.variables[variable];
        match way(summaries, variable, one) {
            Way::Address => format!("{}_device", one.name()),
            Way::Value | Way::Array => one.name().to_owned(),
        }
    };
    used(code, summaries, callee).into_keys().map(of).collect()
}

/// What a launch gives for them.
pub fn launched(code: &Code<'_>, summaries: &Summaries, launch: &Launch) -> Vec<String> {
    let kernel = code.files[0].tokens().word(launch.kernel);
    let of = |variable: usize| {
        let one = &code.variables[variable];
        let name = one.name();
        match way(summaries, variable, one) {
            Way::Value => code.reached(name),
            Way::Address => format!("&{}.device()", copies_of(name)),
            Way::Array if one.is_pointer() => {
                format!("accrs_mesi::device({})", code.reached(name))
            }
            Way::Array => format!("{}.device()", copies_of(name)),
        }
    };
    used(code, summaries, kernel.as_bytes())
        .into_keys()
        .map(of)
        .collect()
}

/// Edits the uses of variables in a function of the device.
pub fn edit(
    code: &Code<'_>,
    summaries: &Summaries,
    fun: &Fun,
    edits: &mut Edits,
    problems: &mut Problems,
) {
    let tokens = code.tokens(fun);
    for at in fun.body() {
        let word = tokens.word(at);
        let Some(variable) = code
            .variable(&word)
            .filter(|_| !fun.declares(&word) && !tokens.is_member(at))
        else {
            continue;
        };
        let one = &code.variables[variable];
        let place = tokens.range(at, at);
        let lambda = tokens.lambda_around(at, &fun.body());
        if lambda.is_some_and(|lambda| !tokens.captures(&lambda, word.as_bytes())) {
            let message = format!("a lambda in device code uses `{word}` and does not capture it");
            let help = "write `[=]`: it is a parameter of the function there";
            problems.error(codes::MESI_VARIABLE, message, place, help);
            continue;
        }
        let is_of = |before: &[u8]| tokens.at(at - 1) == before;
        // `(name) & x` is right with `(*x_device)` whatever the name is.
        let is_address = is_of(b"&") && !tokens.may_end_operand(at - 2);
        match way(summaries, variable, one) {
            Way::Value => {}
            Way::Address if is_address => {
                edits.replace(tokens.range(at - 1, at), &format!("{word}_device"));
            }
            Way::Address if tokens.at(at + 1) == b"." => {
                edits.replace(tokens.range(at, at + 1), &format!("{word}_device->"));
            }
            Way::Address => {
                let is_plain = matches!(
                    tokens.at(at - 1),
                    b"=" | b"(" | b"," | b";" | b"{" | b"}" | b"+" | b"<" | b"return"
                ) && !matches!(tokens.at(at + 1), b"++" | b"--" | b"[" | b"(");
                let with = if is_plain {
                    format!("*{word}_device")
                } else {
                    format!("(*{word}_device)")
                };
                edits.replace(place, &with);
            }
            Way::Array if !one.is_pointer() && is_bound(code, fun, at) => {
                let message = format!("device code refers to the array `{word}`");
                let help =
                    "a function of the device gets the address of its first element as a parameter";
                problems.error(codes::MESI_VARIABLE, message, place, help);
            }
            Way::Array => {
                let is_set = matches!(tokens.at(at + 1), b"=" | b"+=" | b"-=" | b"++" | b"--")
                    && !is_of(b"*");
                let (mut first, mut last) = (at, at);
                while tokens.at(first - 1) == b"(" && tokens.at(last + 1) == b")" {
                    (first, last) = (first - 1, last + 1);
                }
                let is_size = matches!(tokens.at(first - 1), b"sizeof" | b"decltype");
                let takes_address = tokens.at(first - 1) == b"&" && tokens.at(last + 1) != b"[";
                let is_stepped = (is_of(b"++") || is_of(b"--")) && tokens.at(at + 1) != b"[";
                let message = match () {
                    () if is_set || is_stepped => {
                        format!("device code gives `{word}` another address")
                    }
                    () if takes_address => {
                        format!("device code takes the address of `{word}` itself")
                    }
                    () if is_size => format!("device code asks for the size of `{word}`"),
                    () => continue,
                };
                let help =
                    "a function of the device gets the address of its first element as a parameter";
                problems.error(codes::MESI_VARIABLE, message, place, help);
            }
        }
    }
    let hidden = used(code, summaries, fun.name.as_bytes()).into_keys();
    for one in hidden.map(|variable| &code.variables[variable]) {
        if fun.declares(one.name()) {
            let name = one.name();
            let place = tokens.range(fun.function.name, fun.function.name);
            let message = format!(
                "`{}` declares another `{name}` than the virtual shared variable that it calls functions with",
                fun.name
            );
            problems.error(
                codes::MESI_VARIABLE,
                message,
                place,
                "give one of them another name",
            );
        }
    }
}

/// Whether the name of an array is what a reference to an array, or a loop over its elements, gets.
fn is_bound(code: &Code<'_>, fun: &Fun, at: usize) -> bool {
    let tokens = code.tokens(fun);
    let body = fun.body();
    let place = Place {
        code,
        summaries: &Summaries::default(),
        number: 0,
        tokens,
        range: &body,
        names: &Names::default(),
    };
    let is_all = matches!(tokens.at(at + 1), b")" | b"," | b";")
        && matches!(tokens.at(at - 1), b"(" | b"," | b"=" | b":" | b"{");
    let is_array = |one: &Declared| one.is_reference && !one.extents.is_empty();
    let begins = |one: &Declared| {
        let value = one.value.as_ref();
        value.is_some_and(|value| value.start == at) && (is_array(one) || one.is_element)
    };
    let takes = |(callee, _, position): (String, usize, usize)| {
        let mut functions = code.named(callee.as_bytes());
        functions.any(|(_, fun)| fun.parameters.get(position).is_some_and(is_array))
    };
    is_all && (fun.locals.iter().any(begins) || place.enclosing_call(at).is_some_and(takes))
}

/// Kernels with such parameters are launched, and nothing else.
pub fn check(code: &Code<'_>, summaries: &Summaries, problems: &mut Problems) {
    let tokens = code.files[0].tokens();
    let all = 0..tokens.list.len();
    let launch = |at: usize| tokens.launch(at).or_else(|| tokens.logical_launch(at));
    let launched: BTreeSet<usize> = all
        .clone()
        .filter_map(launch)
        .map(|launch| launch.kernel)
        .collect();
    for at in all {
        let is_other = !tokens.is_name(at) || tokens.is_member(at) || tokens.call(at).is_some();
        if is_other
            || launched.contains(&at)
            || used(code, summaries, tokens.at(at)).is_empty()
            || code.is_local(at)
        {
            continue;
        }
        let open = (0..at)
            .rev()
            .find(|at| matches!(tokens.at(*at), b"(" | b";" | b"{" | b"}"));
        let callee = open
            .and_then(|open| open.checked_sub(1))
            .map(|callee| tokens.word(callee));
        let is_query =
            |name: String| name.starts_with("cudaFunc") || name.starts_with("cudaOccupancy");
        if !callee.is_some_and(is_query) {
            let message = format!(
                "`{}` uses virtual shared variables, and is no call here",
                tokens.word(at)
            );
            let is_launch = tokens.at(at + 1) == b"<" && tokens.at(at + 2) == b"[";
            let help = match is_launch {
                true => "write `kernel<[< extents >]>(…)` to launch it on a logical grid",
                false => "pass the variables to it as arguments",
            };
            problems.error(codes::MESI_ESCAPE, message, tokens.range(at, at), help);
        }
    }
}

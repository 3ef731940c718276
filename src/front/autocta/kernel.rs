//! Whether a kernel computes the same with blocks of any size.
//!
//! ```text
//! const int bx = blockIdx.x;                   alias
//! const int i = bx * blockDim.x + threadIdx.x; index
//! if (i < n)                                   guard
//!     out[i] = …;
//! ```
//!
//! It does if its threads are told apart by the index `blockIdx.x * blockDim.x +
//! threadIdx.x` alone, and share nothing with the others of their block. Threads beyond those
//! that were asked for do nothing where a guard with their number as its bound comes first.
//! The proof is by words, so that templates and references are no obstacle: what is not known is
//! a doubt.

use std::collections::BTreeSet;

use super::implicit;
use crate::front::cuda::program::{end_of, is_name, split};
use crate::front::cuda::{Definition, Program};
use crate::typed::library;

/// What a thread has to do with its block or warp.
const OF_BLOCK: &str = include_str!("../../../templates/cuda_block_words.txt");

/// Functions of CUDA that depend on the thread alone.
const OF_THREAD: &str = include_str!("../../../templates/cuda_device_calls.txt");

/// Words before `(` that are no calls.
const NO_CALLS: [&str; 22] = [
    "if",
    "for",
    "while",
    "switch",
    "return",
    "sizeof",
    "int",
    "unsigned",
    "long",
    "short",
    "char",
    "float",
    "double",
    "bool",
    "void",
    "size_t",
    "static_cast",
    "reinterpret_cast",
    "const_cast",
    "alignof",
    "decltype",
    "else",
];

/// Words of integer types that have all values of an index, which casts and declarations of it have.
const INTEGERS: [&str; 8] = [
    "const", "int", "unsigned", "signed", "long", "size_t", "uint", "auto",
];

/// The index of a thread among all.
const INDEX: &str = "@index";
/// How many threads there are.
const THREADS: &str = "@threads";

/// How deep macros and calls are followed.
const DEPTH: usize = 16;

/// What blocks a kernel may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Any: the threads beyond a bound do nothing. The bound in words, with the
    /// kernel's parameters.
    Guarded(Vec<String>),
    /// Those whose size divides the number of threads.
    Exact,
}

/// Judges a kernel; otherwise the doubt.
pub fn judge(program: &Program, kernel: &Definition) -> Result<Proof, String> {
    if let Some(word) = kernel.before.iter().find(|word| is_of_block(word)) {
        return Err(together(word));
    }
    implicit::check(program)?;
    let types = types_of(&kernel.before);
    let words = own_words(program, &kernel.body, &types, &mut BTreeSet::new(), DEPTH)?;
    if words.iter().any(|word| word == THREADS) {
        return Ok(Proof::Exact);
    }
    let indices = names_of(program, &words, &hidden(program, &words), |value| {
        value == [INDEX]
    });
    let guard = guard(program, &words, &indices)
        .filter(|bound| is_constant(program, bound, &words, kernel));
    Ok(guard.map_or(Proof::Exact, Proof::Guarded))
}

/// The words of a body, with [`INDEX`] and [`THREADS`] in the place of what CUDA has; of what it
/// calls, that it depends on nothing else.
pub fn own_words(
    program: &Program,
    body: &[String],
    types: &[String],
    seen: &mut BTreeSet<String>,
    depth: usize,
) -> Result<Vec<String>, String> {
    let words = expand(program, body)?;
    let of_block = |word: &&String| is_of_block(word) || program.of_block.contains(*word);
    if let Some(word) = words.iter().find(of_block) {
        return Err(together(word));
    }
    let hidden = hidden(program, &words);
    let words = indices(program, words, &hidden)?;
    for name in called(&words).chain(implicit::mentioned(program, &words)) {
        if !types.contains(name) && seen.insert(name.clone()) {
            call(program, name, seen, depth)?;
        }
    }
    Ok(words)
}

/// The types that a template has for parameters.
pub fn types_of(before: &[String]) -> Vec<String> {
    let pairs = before.windows(2);
    let types = pairs.filter(|pair| pair[0] == "class" || pair[0] == "typename");
    types.map(|pair| pair[1].clone()).collect()
}

/// Whether a word has to do with a thread's block or warp.
pub fn is_of_block(word: &str) -> bool {
    is_listed(OF_BLOCK, word)
}

pub fn together(word: &str) -> String {
    format!("its threads work together: `{word}`")
}

/// The names before `(`, and before `<…>(`.
fn called(words: &[String]) -> impl Iterator<Item = &String> {
    let of_template = |close: usize| {
        let before = words[..close].iter().rev();
        let mut near = before.take_while(|word| !["{", "}", ";"].contains(&word.as_str()));
        let open = near.position(|word| word == "<")?;
        words.get(close.checked_sub(open + 2)?)
    };
    let opens = (1..words.len()).filter(|at| words[*at] == "(");
    let names = opens.filter_map(move |at| match words[at - 1].as_str() {
        ">" | ">>" => of_template(at - 1),
        _ => Some(&words[at - 1]),
    });
    names.filter(|name| is_name(name))
}

/// What macros with parameters stand for that are called, all together.
fn hidden(program: &Program, words: &[String]) -> Vec<String> {
    let mut bodies = Vec::new();
    let mut seen = BTreeSet::new();
    let mut next: Vec<String> = called(words).cloned().collect();
    while let Some(name) = next.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        for one in program.macros.get(&name).into_iter().flatten() {
            next.extend(called(&one.body).cloned());
            bodies.extend(one.body.iter().cloned());
        }
    }
    bodies
}

pub fn is_statement(word: &str) -> bool {
    ["return", "else", "do", "case"].contains(&word)
}

/// A call depends on nothing but the thread's index.
pub fn call(
    program: &Program,
    name: &str,
    seen: &mut BTreeSet<String>,
    depth: usize,
) -> Result<(), String> {
    let known = NO_CALLS.contains(&name) || is_listed(OF_THREAD, name);
    let unknown = || format!("it calls `{name}`, which is not in these files");
    let bodies: Vec<_> = match (program.functions.get(name), program.macros.get(name)) {
        (Some(functions), _) => {
            let parts = |one: &Definition| (one.body.clone(), types_of(&one.before));
            functions.iter().map(parts).collect()
        }
        (None, Some(macros)) => macros
            .iter()
            .map(|one| (one.body.clone(), Vec::new()))
            .collect(),
        (None, None) if known || library::is_on_device(name) => return Ok(()),
        (None, None) => return Err(unknown()),
    };
    let depth = depth.checked_sub(1).ok_or_else(unknown)?;
    for (body, types) in bodies {
        own_words(program, &body, &types, seen, depth)?;
    }
    Ok(())
}

/// Puts what macros without parameters stand for in their places.
pub fn expand(program: &Program, words: &[String]) -> Result<Vec<String>, String> {
    expand_to(program, words, DEPTH)
}

fn expand_to(program: &Program, words: &[String], depth: usize) -> Result<Vec<String>, String> {
    let mut out = Vec::with_capacity(words.len());
    for word in words {
        let of_word = program
            .macros
            .get(word)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let mut plain = of_word.iter().filter(|one| !one.is_function);
        match (plain.next(), plain.next()) {
            (None, _) => out.push(word.clone()),
            (Some(one), None) if depth > 0 => {
                let others: Vec<String> = one.body.iter().filter(|w| *w != word).cloned().collect();
                out.extend(expand_to(program, &others, depth - 1)?);
            }
            _ => return Err(format!("the macro `{word}` has several meanings")),
        }
    }
    Ok(out)
}

/// Replaces CUDA's indices by what they are together.
fn indices(
    program: &Program,
    words: Vec<String>,
    hidden: &[String],
) -> Result<Vec<String>, String> {
    let mut words = without_casts(joined(words)?);
    for builtin in ["blockIdx.x", "threadIdx.x", "blockDim.x"] {
        let names = names_of(program, &words, hidden, |value| value == [builtin]);
        for word in &mut words {
            if names.contains(word) {
                builtin.clone_into(word);
            }
        }
        // What is left of its declaration: `const int blockIdx.x = blockIdx.x;`.
        let is_rest = |w: &[String]| w[0] == builtin && w[1] == "=" && w[2] == builtin;
        while let Some(at) = words.windows(3).position(is_rest) {
            let types = words[..at].iter().rev();
            let types = types
                .take_while(|word| INTEGERS.contains(&word.as_str()))
                .count();
            let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map(String::as_str);
            let place = match (word(at.checked_sub(1)), word(Some(at + 3))) {
                (_, Some(",")) => at..at + 4,
                (Some(","), _) => at - 1..at + 3,
                (_, Some(";")) => at - types..at + 4,
                _ => at..at + 3,
            };
            words.drain(place);
        }
    }
    let product = [
        &["blockIdx.x", "*", "blockDim.x"][..],
        &["blockDim.x", "*", "blockIdx.x"],
        &["__mul24", "(", "blockIdx.x", ",", "blockDim.x", ")"],
        &["__mul24", "(", "blockDim.x", ",", "blockIdx.x", ")"],
        &["__umul24", "(", "blockIdx.x", ",", "blockDim.x", ")"],
        &["__umul24", "(", "blockDim.x", ",", "blockIdx.x", ")"],
    ];
    replace(&mut words, &product, "@first");
    replace(&mut words, &[&["(", "@first", ")"]], "@first");
    let sums = [
        &["@first", "+", "threadIdx.x"][..],
        &["threadIdx.x", "+", "@first"],
    ];
    replace(&mut words, &sums, INDEX);
    let all = [
        &["gridDim.x", "*", "blockDim.x"][..],
        &["blockDim.x", "*", "gridDim.x"],
    ];
    replace(&mut words, &all, THREADS);
    while replace(&mut words, &[&["(", INDEX, ")"]], INDEX)
        || replace(&mut words, &[&["(", THREADS, ")"]], THREADS)
    {}
    let left = words.iter().find(|word| {
        let builtins = ["threadIdx", "blockIdx", "blockDim", "gridDim", "@first"];
        builtins.iter().any(|builtin| word.starts_with(builtin))
    });
    match left {
        None => Ok(words),
        Some(word) if word == "@first" => Err(mixed("blockIdx.x * blockDim.x")),
        Some(word) => Err(mixed(word)),
    }
}

fn mixed(builtin: &str) -> String {
    format!("`{builtin}` is more than a part of the index of the thread")
}

/// One word for each use of a built-in variable; only `x` may be used.
fn joined(words: Vec<String>) -> Result<Vec<String>, String> {
    let mut out = Vec::with_capacity(words.len());
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        if !["threadIdx", "blockIdx", "blockDim", "gridDim"].contains(&word.as_str()) {
            out.push(word);
            continue;
        }
        match (rest.next().as_deref(), rest.next().as_deref()) {
            (Some("."), Some("x")) => out.push(format!("{word}.x")),
            (Some("."), Some(axis)) => return Err(format!("it uses `{word}.{axis}`")),
            _ => return Err(format!("it uses `{word}` as a whole")),
        }
    }
    Ok(out)
}

/// Leaves out casts of built-in variables to integers.
fn without_casts(words: Vec<String>) -> Vec<String> {
    let is_builtin = |word: &String| word.contains("Idx.x") || word.contains("Dim.x");
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        while is_builtin(&word) && out.last().is_some_and(|last| last == ")") {
            let types = out.iter().rev().skip(1);
            let count = types.take_while(|w| INTEGERS.contains(&w.as_str())).count();
            let open = out.len().checked_sub(count + 2);
            match open.filter(|open| count > 0 && out[*open] == "(") {
                Some(open) => out.truncate(open),
                None => break,
            }
        }
        out.push(word);
    }
    out
}

/// Replaces patterns where they are whole terms of a sum or of less; whether there was one.
fn replace(words: &mut Vec<String>, patterns: &[&[&str]], with: &str) -> bool {
    let mut found = false;
    let mut at = 0;
    while at < words.len() {
        let fits = |pattern: &&&[&str]| {
            let rest = &words[at..];
            let same = rest.len() >= pattern.len() && pattern.iter().zip(rest).all(|(p, w)| p == w);
            let before = at.checked_sub(1).map(|before| words[before].as_str());
            let after = words.get(at + pattern.len()).map(String::as_str);
            same && (is_closed(pattern, before) || is_apart(before, after))
        };
        if let Some(pattern) = patterns.iter().find(fits) {
            words.splice(at..at + pattern.len(), [with.to_owned()]);
            found = true;
        }
        at += 1;
    }
    found
}

/// Whether a pattern is one operand, whatever stands around it: in brackets that are no
/// arguments.
fn is_closed(pattern: &[&str], before: Option<&str>) -> bool {
    match pattern[0] {
        "(" => !before.is_some_and(|word| is_name(word) && !is_statement(word) || word == ">"),
        first => first.starts_with("__"),
    }
}

/// Whether a sum between two words is an operand of neither.
fn is_apart(before: Option<&str>, after: Option<&str>) -> bool {
    // `)` ends a cast.
    let binds = [
        "*", "/", "%", "-", "~", "!", "&", ".", "->", "++", "--", "sizeof", "::", ")",
    ];
    let follows = ["*", "/", "%", ".", "->", "[", "(", "++", "--"];
    !before.is_some_and(|word| binds.contains(&word))
        && !after.is_some_and(|word| follows.contains(&word))
}

/// Integer variables that have such a value from their declaration on; neither these words nor
/// what is hidden in macros may change them.
fn names_of(
    program: &Program,
    words: &[String],
    hidden: &[String],
    is_wanted: impl Fn(&[String]) -> bool,
) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let is_integer = |word: &String| INTEGERS.contains(&word.as_str());
    for at in 2..words.len() {
        let before = words[..at - 1].iter().rev();
        let statement = before.take_while(|word| ![";", "{", "}", "("].contains(&word.as_str()));
        let is_declared = match words[at - 2].as_str() {
            "," => statement.last().is_some_and(is_integer),
            _ => is_integer(&words[at - 2]),
        };
        if words[at] != "=" || !is_name(&words[at - 1]) || !is_declared {
            continue;
        }
        let rest = &words[at + 1..];
        let end = rest.iter().position(|word| word == ";" || word == ",");
        let name = &words[at - 1];
        let is_kept = || assignments(program, words, name) == 1 && !hidden.contains(name);
        if end.is_some_and(|end| is_wanted(&rest[..end])) && is_kept() {
            names.insert(name.clone());
        }
    }
    names
}

/// How often a variable is given a value, or could be.
fn assignments(program: &Program, words: &[String], name: &str) -> usize {
    const ASSIGN: [&str; 13] = [
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--",
    ];
    let changes = |at: usize| {
        let before = at.checked_sub(1).map(|before| words[before].as_str());
        let address = before == Some("&")
            && at.checked_sub(2).is_none_or(|b| {
                let word = &words[b];
                !is_name(word) && word != ")" && word != "]" && !word.starts_with(char::is_numeric)
            });
        let next = words.get(at + 1).map(String::as_str);
        let ends = [Some(","), Some(")")].contains(&next);
        let is_argument = ends && is_changed_by_call(program, words, at);
        let is_bound = before == Some("=") && at >= 3 && words[at - 3] == "&";
        next.is_some_and(|word| ASSIGN.contains(&word))
            || before.is_some_and(|word| ["++", "--"].contains(&word))
            || address
            || is_argument
            || is_bound
    };
    (0..words.len())
        .filter(|at| words[*at] == name && changes(*at))
        .count()
}

/// Whether a call could change the variable that is one of its arguments.
fn is_changed_by_call(program: &Program, words: &[String], at: usize) -> bool {
    let (mut depth, mut position) = (0_usize, 0);
    let mut open = at;
    loop {
        open = match open.checked_sub(1) {
            Some(open) => open,
            None => return false,
        };
        match words[open].as_str() {
            ")" | "]" | "}" => depth += 1,
            "(" if depth == 0 => break,
            "(" | "[" | "{" if depth > 0 => depth -= 1,
            "," if depth == 0 => position += 1,
            ";" | "[" | "{" => return false,
            _ => {}
        }
    }
    // An expression is no variable.
    let is_whole = ["(", ","].contains(&words[at - 1].as_str());
    let Some(callee) = open.checked_sub(1).map(|callee| words[callee].as_str()) else {
        return false;
    };
    if !is_whole || !(is_name(callee) || callee == ">") || NO_CALLS.contains(&callee) {
        return false;
    }
    match program.functions.get(callee) {
        Some(all) => all
            .iter()
            .any(|one| one.references.get(position) != Some(&false)),
        None => !is_listed(OF_THREAD, callee) && !library::is_on_device(callee),
    }
}

/// The bound below which the index of a thread that does anything is.
fn guard(program: &Program, words: &[String], indices: &BTreeSet<String>) -> Option<Vec<String>> {
    let is_index = |words: &[String]| match words {
        [word] => word == INDEX || indices.contains(word),
        _ => false,
    };
    let mut rest = words;
    loop {
        let first = rest.first()?;
        if first != "if" {
            let end = rest.iter().position(|word| word == ";")?;
            let own = &rest[..end];
            if !is_declaration(own) || !implicit::is_of_values(program, own) || !is_quiet(own) {
                return None;
            }
            rest = &rest[end + 1..];
            continue;
        }
        let close = end_of(rest, 1);
        let condition = rest.get(2..close)?;
        let then = rest.get(close + 1..)?;
        let leaves =
            |form: &[&str]| then.len() >= form.len() && form.iter().zip(then).all(|(a, b)| a == b);
        let leave = [&["return", ";"][..], &["{", "return", ";", "}"]];
        if let Some(form) = leave.iter().find(|form| leaves(form)) {
            if !is_quiet(condition) {
                return None;
            }
            let parts = parts(condition, "||")?;
            let bound = |part: &&[String]| compared(part, [">=", "<="], is_index);
            if let Some(bound) = parts.iter().find_map(bound) {
                return Some(bound);
            }
            rest = &then[form.len()..];
            continue;
        }
        let end = match then.first()?.as_str() {
            "{" => end_of(then, 0),
            _ => then.iter().position(|word| word == ";")?,
        };
        let is_simple =
            then[0] == "{" || !["if", "for", "while", "do", "switch"].contains(&then[0].as_str());
        if !is_simple || end + 1 != then.len() {
            return None;
        }
        let parts = parts(condition, "&&")?;
        return compared(parts.first()?, ["<", ">"], is_index);
    }
}

/// Whether a statement declares a variable of the thread's own.
fn is_declaration(words: &[String]) -> bool {
    let of_all = ["static", "extern", "__device__", "volatile", "return"];
    let is_own = |word: &String| !of_all.contains(&word.as_str());
    let head = words.iter().take_while(|word| *word != "=");
    let names = head.clone().filter(|word| is_name(word)).count();
    let is_plain =
        |word: &String| is_name(word) && is_own(word) || ["*", ",", "&"].contains(&word.as_str());
    names >= 2 && words.first().is_some_and(|word| is_name(word)) && head.clone().all(is_plain)
}

/// Whether words access no memory but variables, and call nothing.
fn is_quiet(words: &[String]) -> bool {
    let accesses = |at: usize| {
        let word = words[at].as_str();
        let before = at.checked_sub(1).map(|before| words[before].as_str());
        let is_call = word == "(" && before.is_some_and(|b| is_name(b) && !is_statement(b));
        let is_unary = word == "*"
            && before.is_none_or(|b| {
                !is_name(b) && b != ")" && b != INDEX && !b.starts_with(char::is_numeric)
            });
        is_call || is_unary || ["[", "->", "{", "++", "--"].contains(&word)
    };
    !(0..words.len()).any(accesses)
}

/// The parts of a condition between operators outside of brackets; none where others stand
/// beside them.
fn parts<'w>(condition: &'w [String], operator: &str) -> Option<Vec<&'w [String]>> {
    let (mut list, mut depth, mut first) = (Vec::new(), 0_usize, 0);
    for (at, word) in condition.iter().enumerate() {
        match word.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            word if depth == 0 && word == operator => {
                list.push(unwrapped(&condition[first..at]));
                first = at + 1;
            }
            "||" | "&&" | "?" | "," | "=" if depth == 0 => return None,
            _ => {}
        }
    }
    list.push(unwrapped(&condition[first..]));
    Some(list)
}

/// Words without the brackets around all of them.
pub fn unwrapped(mut words: &[String]) -> &[String] {
    while words.first().is_some_and(|word| word == "(") && end_of(words, 0) + 1 == words.len() {
        words = &words[1..words.len() - 1];
    }
    words
}

/// The other side of a comparison of an index: `index OPERATOR bound`, or the reverse with the
/// second operator.
fn compared(
    part: &[String],
    [operator, reverse]: [&str; 2],
    is_index: impl Fn(&[String]) -> bool,
) -> Option<Vec<String>> {
    let mut depth = 0_usize;
    let at = part.iter().position(|word| {
        match word.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (word == operator || word == reverse)
    })?;
    let (left, right) = (unwrapped(&part[..at]), unwrapped(&part[at + 1..]));
    let is_sum = |side: &[String]| {
        let others = [
            "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "!", "<<", ">>",
        ];
        !side.is_empty() && !side.iter().any(|word| others.contains(&word.as_str()))
    };
    let bound = match part[at].as_str() {
        word if word == operator && is_index(left) => right,
        word if word == reverse && is_index(right) => left,
        _ => return None,
    };
    is_sum(bound).then(|| bound.to_vec())
}

/// Whether a bound is made of numbers and parameters that keep their values.
fn is_constant(program: &Program, bound: &[String], words: &[String], kernel: &Definition) -> bool {
    bound.iter().all(|word| {
        let is_number = word.starts_with(char::is_numeric);
        let is_operator = ["+", "-", "*", "/", "(", ")"].contains(&word.as_str());
        let is_kept = kernel.parameters.contains(word) && assignments(program, words, word) == 0;
        is_number || is_operator || is_kept
    })
}

fn is_listed(list: &str, name: &str) -> bool {
    list.lines().any(|line| line == name)
}

/// A bound with a launch's arguments in the place of the kernel's parameters; nothing where the launch does
/// not give one of them.
pub fn at_launch(
    bound: &[String],
    kernel: &Definition,
    arguments: &[String],
) -> Option<Vec<String>> {
    let arguments = split(arguments);
    let value = |word: &String| {
        let Some(number) = kernel.parameters.iter().position(|name| name == word) else {
            return Some(vec![word.clone()]);
        };
        Some(match arguments.get(number)? {
            [argument] => vec![argument.clone()],
            argument => [&["(".to_owned()], *argument, &[")".to_owned()]].concat(),
        })
    };
    let words: Option<Vec<Vec<String>>> = bound.iter().map(value).collect();
    Some(unwrapped(&words?.concat()).to_vec())
}

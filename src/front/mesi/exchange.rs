//! A loop of a kernel and a dimension of its grid change places (section 4.4.2), where neighbours in
//! memory are then those of a warp:
//!
//! ```text
//! int j = lThreadIdx.x;              const int k = 1 + lThread.Idx[0];
//! for (int k = 1; k < n; k++)        for (lThread.Idx[0] = 0; lThread.Idx[0] < lGrid.dim[0]; …) {
//!     b[j][k] = a[j][k];                 int j = lThread.Idx[0];
//!                                        b[j][k] = a[j][k];
//!                                    }
//! ```
//!
//! The kernel is declarations and one loop. Each pair of thread and iteration does what it did; that
//! iterations may be in any order, and side by side, is proved: they write elements of arrays alone,
//! and no iteration uses an element that another one of the same thread writes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::code::Code;
use super::kernels::Logical;
use super::mapping;
use super::normal_form::Scope;
use crate::front::cuda::{Edits, Fun, Kind, Launch, Tokens, declared};
use crate::typed::library;

/// What changes places.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The dimension of the grid.
    pub dimension: usize,
    /// The variable of the loop.
    pub name: String,
    /// Its type.
    types: String,
    /// The loop's header, from `for` to `)`.
    header: Range<usize>,
    /// The first value, and what the last is compared with.
    first: Vec<String>,
    last: Vec<String>,
    /// That is a value, too.
    is_closed: bool,
}

/// The exchanges of kernels, by the numbers of these.
pub type Exchanges = BTreeMap<usize, Exchange>;

/// All that are proved and pay at each launch.
pub fn all(code: &Code<'_>, logical: &Logical) -> Exchanges {
    let tokens = code.files[0].tokens();
    let launches: Vec<Launch> = (0..tokens.list.len())
        .filter_map(|at| tokens.logical_launch(at))
        .collect();
    let mut exchanges = Exchanges::new();
    for (number, kernel) in code.functions.iter().enumerate() {
        let is_own = |launch: &&Launch| tokens.at(launch.kernel) == kernel.name.as_bytes();
        let own: Vec<&Launch> = launches.iter().filter(is_own).collect();
        let is_one = code.named(kernel.name.as_bytes()).count() == 1;
        let is_other = !logical.functions.contains(&number) || code.has_branches(kernel);
        if is_other || !kernel.is_kernel || !is_one || own.is_empty() {
            continue;
        }
        let dimensions = |launch: &&Launch| tokens.parts(launch.first..launch.close).len();
        let least = own.iter().map(dimensions).min().unwrap_or(0);
        let found = (0..least)
            .filter_map(|dimension| proved(code, kernel, dimension))
            .find(|exchange| {
                own.iter().all(|launch| {
                    are_apart(code, kernel, launch)
                        && exchange.bounds(code, kernel, launch).is_some()
                        && mapping::pays(code, launch, exchange)
                })
            });
        exchanges.extend(found.map(|exchange| (number, exchange)));
    }
    exchanges
}

impl Exchange {
    /// The arguments of the runtime's `exchanged`, which the host evaluates; `None` for bounds that
    /// only the kernel knows.
    pub fn bounds(&self, code: &Code<'_>, kernel: &Fun, launch: &Launch) -> Option<String> {
        let first = on_host(code, kernel, launch, &self.first)?;
        let last = on_host(code, kernel, launch, &self.last)?;
        let closed = if self.is_closed { ", true" } else { "" };
        let (dimension, types) = (self.dimension, &self.types);
        let first = mapping::enclosed(&first);
        Some(format!("{dimension}, ({types}){first}, {last}{closed}"))
    }

    /// The lines that a kernel begins with.
    pub fn lines(&self) -> Vec<String> {
        let (Self { name, types, .. }, own) = (self, format!("lThread.Idx[{}]", self.dimension));
        let first = match self.first.join(" ").as_str() {
            "0" => String::new(),
            first => format!("{} + ", mapping::enclosed(first)),
        };
        vec![
            "auto lThread = lGrid.thread();".to_owned(),
            "if (!lThread.exists)".to_owned(),
            "    return;".to_owned(),
            format!("const {types} {name} = {first}{own};"),
            format!(
                "for ({own} = 0; {own} < lGrid.dim[{}]; {own}++) {{",
                self.dimension
            ),
        ]
    }

    /// Leaves out the loop's header, and closes what takes its place.
    pub fn edit(&self, code: &Code<'_>, kernel: &Fun, edits: &mut Edits) {
        let file = &code.files[0];
        let tokens = file.tokens();
        let header = tokens.range(self.header.start, self.header.end - 1);
        let own = file.text_of(self.header.clone());
        // A comment in it would end this one.
        let text = match own.contains("*/") {
            true => String::new(),
            false => format!("/* has changed places: {own} */"),
        };
        edits.replace(header, &text);
        let body = kernel.body();
        let end = tokens.range(body.end - 1, body.end - 1).end;
        let first = tokens.range(body.start - 1, body.start - 1).end;
        edits.indent(file.text(), first..end);
        edits.append_lines(end, &["}".to_owned()], "    ");
    }
}

/// An expression of a kernel's arguments, by what the launch gives for them.
fn on_host(code: &Code<'_>, kernel: &Fun, launch: &Launch, words: &[String]) -> Option<String> {
    let tokens = code.files[0].tokens();
    let arguments = tokens.parts(launch.arguments + 1..tokens.bracket_end(launch.arguments));
    let scope = Scope::new(code, kernel);
    let one = |word: &String| {
        if let Some(at) = kernel.parameters.iter().position(|one| one.name == *word) {
            let text = code.files[0].text_of(arguments.get(at)?.clone());
            let is_kept = scope.is_kept(word) && !kernel.parameters[at].is_pointer;
            return is_kept.then(|| Some(mapping::enclosed(mapping::repeated(&text)?)))?;
        }
        let is_operator = ["+", "-", "*", "/", "(", ")"].contains(&word.as_str());
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let is_macro = code
            .program
            .macros
            .get(word)
            .is_some_and(|all| all.len() == 1 && is_arithmetic(code, &all[0].body, 8));
        (is_operator || is_number || is_macro).then(|| word.clone())
    };
    let all: Option<Vec<String>> = words.iter().map(one).collect();
    Some(all?.join(" ").replace("( ", "(").replace(" )", ")"))
}

/// Whether words are an expression of numbers and operators, or of macros that are.
fn is_arithmetic(code: &Code<'_>, body: &[String], depth: u32) -> bool {
    let is_operator = |word: &String| ["+", "-", "*", "/", "%"].contains(&word.as_str());
    let is_operand = |word: &String| {
        let is_number = word.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let is_macro = || match code.program.macros.get(word).map(Vec::as_slice) {
            Some([one]) => one.parameters.is_empty() && is_arithmetic(code, &one.body, depth - 1),
            _ => false,
        };
        is_number || depth > 0 && is_macro()
    };
    let is_any =
        |word: &String| is_operator(word) || word == "(" || word == ")" || is_operand(word);
    let begins = body
        .first()
        .is_some_and(|word| word == "(" || is_operand(word));
    let ends = body
        .last()
        .is_some_and(|word| word == ")" || is_operand(word));
    begins && ends && body.iter().all(is_any)
}

/// A loop and a dimension that may change places, if the kernel has nothing else.
fn proved(code: &Code<'_>, kernel: &Fun, dimension: usize) -> Option<Exchange> {
    let tokens = code.tokens(kernel);
    let (last, before) = kernel.statements.split_last()?;
    let Kind::Loop { once, again, body } = &last.kind else {
        return None;
    };
    let all_declare = before.iter().all(|one| {
        let is_simple = matches!(&one.kind, Kind::Simple(lambdas) if lambdas.is_empty());
        let all = declared(tokens, one.tokens.clone());
        let equals = one.tokens.clone().filter(|at| tokens.at(*at) == b"=");
        is_simple
            && !all.is_empty()
            && equals.count() == all.iter().filter(|own| own.value.is_some()).count()
            && one.tokens.clone().all(|at| is_harmless(code, tokens, at))
            && !one.tokens.clone().any(|at| tokens.at(at) == b"static")
    });
    if !all_declare || tokens.at(last.tokens.start) != b"for" {
        return None;
    }
    // `for (T k = first; k < last; k++)`
    let [variable] = &declared(tokens, once.clone())[..] else {
        return None;
    };
    let name = variable.name.clone();
    let words = |range: Range<usize>| range.map(|at| tokens.word(at)).collect::<Vec<_>>();
    let first = words(variable.value.clone()?);
    let types = words(once.start..variable.token);
    let is_integer =
        |word: &String| ["int", "long", "unsigned", "short", "size_t"].contains(&word.as_str());
    let compare = again.start + 2;
    let steps = (again.start..again.end)
        .rev()
        .find(|at| tokens.at(*at) == b";")?;
    let step = words(steps + 1..again.end);
    let is_step = step == [name.clone(), "++".into()] || step == ["++".into(), name.clone()];
    let is_counted = tokens.word(again.start + 1) == name
        && matches!(tokens.at(compare), b"<" | b"<=")
        && is_step
        && !types.is_empty()
        && types.iter().all(is_integer);
    if !is_counted {
        return None;
    }
    let locals = |word: &String| kernel.locals.iter().any(|one| one.name == *word);
    let last_words = words(compare + 1..steps);
    if first.iter().chain(&last_words).any(locals) {
        return None;
    }
    iterations_are_apart(code, kernel, &name, body.tokens.clone())?;
    let is_closed = tokens.at(compare) == b"<=";
    Some(Exchange {
        dimension,
        name,
        types: types.join(" "),
        header: last.tokens.start..again.end + 1,
        first,
        last: last_words,
        is_closed,
    })
}

/// Whether a token leaves all as it is, whatever stands around it.
pub fn is_harmless(code: &Code<'_>, tokens: Tokens<'_>, at: usize) -> bool {
    const OTHERS: [&[u8]; 10] = [
        b"break",
        b"continue",
        b"return",
        b"goto",
        b"asm",
        b"throw",
        b"++",
        b"--",
        b"new",
        b"delete",
    ];
    let word = tokens.word(at);
    let is_call = tokens.call(at).is_some();
    let is_statement = ["if", "for", "while", "switch", "sizeof"].contains(&word.as_str());
    let is_type = [
        "int", "float", "double", "long", "unsigned", "char", "short", "bool",
    ]
    .contains(&word.as_str());
    let is_macro = code.program.macros.contains_key(&word);
    let is_plain_macro = || {
        let all = &code.program.macros[&word];
        all.len() == 1 && all[0].parameters.is_empty() && is_arithmetic(code, &all[0].body, 8)
    };
    let is_own = code.named(word.as_bytes()).next().is_some();
    let is_pure = !is_own && library::is_pure(&word);
    let is_macro_or_plain = !is_macro || is_plain_macro();
    !(OTHERS.contains(&tokens.at(at)) || changes(tokens.at(at)))
        && is_macro_or_plain
        && (!is_call || is_statement || is_type || is_pure)
}

/// Whether an operator gives something another value, but for `=`.
pub fn changes(word: &[u8]) -> bool {
    word.ends_with(b"=") && word.len() > 1 && !matches!(word, b"==" | b"!=" | b"<=" | b">=")
}

/// Proves that no two iterations of one thread use an element that one of them writes.
fn iterations_are_apart(
    code: &Code<'_>,
    kernel: &Fun,
    name: &str,
    body: Range<usize>,
) -> Option<()> {
    let tokens = code.tokens(kernel);
    let is_inside = |word: &str| {
        let mut own = kernel.locals.iter().filter(|one| one.name == word);
        own.clone().next().is_some() && own.all(|one| body.contains(&one.token))
    };
    let mut written: BTreeSet<String> = BTreeSet::new();
    for at in body.clone() {
        let word = tokens.at(at);
        let is_step = word == b"++" || word == b"--";
        let is_change =
            is_step || word.ends_with(b"=") && !matches!(word, b"==" | b"!=" | b"<=" | b">=");
        if !is_change {
            if !is_harmless(code, tokens, at) {
                return None;
            }
            continue;
        }
        // The name that is changed: before the operator, or behind `++`.
        let is_prefix = is_step && !(at > body.start && tokens.ends_operand(at - 1));
        let mut target = if is_prefix { at + 1 } else { at - 1 };
        while !is_prefix && tokens.at(target) == b"]" {
            target = tokens.bracket_begin(target)?.checked_sub(1)?;
        }
        let before = tokens.at(target.checked_sub(if is_prefix { 2 } else { 1 })?);
        let changed = tokens.word(target);
        let is_array = mapping::array(code, kernel, &changed).is_some();
        let is_element = tokens.at(target + 1) == b"[";
        if !tokens.is_name(target) || matches!(before, b"." | b"->" | b"*") {
            return None;
        }
        match (is_array && is_element, is_inside(&changed) && !is_element) {
            (true, _) => {
                written.insert(changed);
            }
            (_, true) if !pointer(kernel, &changed) => {}
            _ => return None,
        }
    }
    for array in &written {
        let names_it = |at: &usize| tokens.word(*at) == *array && !tokens.is_member(*at);
        // What is read before the loop is read before each iteration.
        if kernel
            .body()
            .filter(|at| !body.contains(at))
            .any(|at| names_it(&at))
        {
            return None;
        }
        let (_, rank) = mapping::array(code, kernel, array)?;
        let mut apart: Option<BTreeMap<usize, Vec<String>>> = None;
        for at in body.clone().filter(names_it) {
            let mut next = at + 1;
            let mut own = BTreeMap::new();
            for position in 0..rank {
                if tokens.at(next) != b"[" {
                    return None;
                }
                let close = tokens.bracket_end(next);
                let words: Vec<String> = (next + 1..close).map(|at| tokens.word(at)).collect();
                if is_apart(code, &words, name) {
                    own.insert(position, words);
                }
                next = close + 1;
            }
            apart = Some(match apart {
                None => own,
                Some(known) => {
                    let is_same = |at: &usize, words: &Vec<String>| own.get(at) == Some(words);
                    let all = known.into_iter();
                    all.filter(|(at, words)| is_same(at, words)).collect()
                }
            });
        }
        if apart?.is_empty() {
            return None;
        }
    }
    Some(())
}

/// Whether a subscript is the loop's variable, or a sum of it and numbers: then it differs between
/// any two iterations, whatever the types.
fn is_apart(code: &Code<'_>, words: &[String], name: &str) -> bool {
    let is_sign = |word: &String| word == "+" || word == "-";
    let is_number =
        |word: &String| word != "(" && is_arithmetic(code, std::slice::from_ref(word), 8);
    words.iter().filter(|word| *word == name).count() == 1
        && words
            .iter()
            .all(|word| word == name || is_sign(word) || is_number(word))
        && words
            .iter()
            .all(|word| !["*", "/", "%"].contains(&word.as_str()))
}

fn pointer(kernel: &Fun, name: &str) -> bool {
    let mut own = kernel.locals.iter().filter(|one| one.name == name);
    own.any(|one| one.is_pointer || one.is_reference || !one.extents.is_empty())
}

/// Whether all arrays that a kernel uses are distinct at a launch: variables of their own, each given
/// once.
pub fn are_apart(code: &Code<'_>, kernel: &Fun, launch: &Launch) -> bool {
    let tokens = code.files[0].tokens();
    let arguments = tokens.parts(launch.arguments + 1..tokens.bracket_end(launch.arguments));
    let body = kernel.body();
    let own = code.tokens(kernel);
    let is_used = |name: &str| {
        body.clone()
            .any(|at| own.word(at) == name && !own.is_member(at))
    };
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    let named = code.variables.iter().enumerate().filter(|(_, one)| {
        one.declared.rank > 0 && is_used(one.name()) && !kernel.declares(one.name())
    });
    for (variable, one) in named {
        seen.insert(variable);
        if one.is_pointer() {
            return false;
        }
    }
    kernel.parameters.iter().enumerate().all(|(at, one)| {
        if !(one.is_pointer || one.is_reference) || !is_used(&one.name) {
            return true;
        }
        // `(T (*)[N])name`
        let Some(last) = arguments.get(at).and_then(|part| part.end.checked_sub(1)) else {
            return false;
        };
        let part = arguments[at].clone();
        let is_cast = part.len() == 1
            || tokens.at(part.start) == b"(" && tokens.bracket_end(part.start) + 1 == last;
        code.variable(&tokens.word(last)).is_some_and(|variable| {
            is_cast && !code.variables[variable].is_pointer() && seen.insert(variable)
        })
    })
}

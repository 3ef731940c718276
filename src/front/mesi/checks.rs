//! What is refused, since a use of shared memory in it would not be seen.

use std::ops::Range;

use super::Problems;
use super::accesses::Summaries;
use super::code::{Code, Variable};
use super::kernels::Logical;
use super::shares;
use crate::diagnostic::codes;
use crate::front::cuda::{Fun, Function, Tokens, written};

/// Variables whose memory cannot be shared, or whose uses are hidden.
pub fn variables(code: &Code<'_>, problems: &mut Problems) {
    let tokens = code.files[0].tokens();
    for variable in &code.variables {
        let (name, place) = (
            variable.name(),
            tokens.range(variable.declared.token, variable.declared.token),
        );
        let mut error = |message: String, help: &str| {
            problems.error(codes::MESI_VARIABLE, message, place.clone(), help)
        };
        if variable
            .statement
            .clone()
            .any(|at| is_definition(tokens, at))
        {
            error(
                "a virtual shared variable is declared together with its type".into(),
                "define the type before it: `struct point { … };`, then `__global__ struct point p;`",
            );
            continue;
        }
        let macros = code.program.macros.iter();
        let mut hiding: Vec<&String> = macros
            .filter(|(_, all)| {
                all.iter()
                    .any(|one| one.own_words().any(|word| word == name))
            })
            .map(|(hiding, _)| hiding)
            .collect();
        hiding.sort();
        if let Some(hiding) = hiding.first() {
            error(
                format!("the macro `{hiding}` hides uses of the virtual shared variable `{name}`"),
                "write these out, or pass the variable to a function",
            );
        }
        let statement = variable.statement.clone();
        if statement.clone().any(|at| tokens.at(at) == b"extern") {
            error(
                format!("the virtual shared variable `{name}` is in another file"),
                "write what uses it in the file that defines it",
            );
        }
        if variable.declared.rank
            > usize::from(variable.is_pointer()) + variable.declared.extents.len()
            || variable.is_pointer() && !variable.declared.extents.is_empty()
        {
            error(
                format!("`{name}` points to pointers"),
                "the memory that these point to would not be shared: use one array",
            );
        }
        if let Some(kind) = pointed(code, &variable.declared.types) {
            error(
                format!("`struct {kind}`, which `{name}` shares, has pointers"),
                "the memory that these point to would not be shared: use indices",
            );
        }
        for fun in code.functions.iter().filter(|fun| fun.file == 0) {
            let words = fun.function.first..fun.function.name;
            if !fun.is_device
                && words.into_iter().any(|at| tokens.at(at) == b"__device__")
                && fun.body().any(|at| tokens.at(at) == name.as_bytes())
            {
                error(
                    format!("`{}` uses `{name}` on host and device", fun.name),
                    "pass it as an argument, or write a function for each",
                );
            }
            let is_local = fun.locals.iter().any(|one| written(&one.name) == name);
            let is_parameter = fun.parameters.iter().any(|one| one.name == name);
            if is_local || is_parameter && !fun.is_device {
                error(
                    format!(
                        "`{}` declares another `{name}` than the virtual shared variable",
                        fun.name
                    ),
                    "give one of them another name",
                );
            }
        }
    }
    for (number, file) in code.files.iter().enumerate().skip(1) {
        let tokens = file.tokens();
        let is_name = |at: usize, one: &Variable| {
            tokens.at(at) == one.name().as_bytes() && !tokens.is_member(at)
        };
        let names = |one: &&Variable| {
            (0..tokens.list.len()).any(|at| {
                is_name(at, one)
                    && code.functions.iter().any(|fun| {
                        fun.file == number && fun.body().contains(&at) && !fun.declares(one.name())
                    })
            })
        };
        if let Some(one) = code.variables.iter().find(names) {
            let message = format!(
                "an included file uses the virtual shared variable `{}`",
                one.name()
            );
            problems.elsewhere(
                codes::MESI_VARIABLE,
                message,
                "pass it to the function there",
            );
        }
    }
}

/// Whether a type is defined at a token: `struct {`, `enum colour {`.
fn is_definition(tokens: Tokens<'_>, at: usize) -> bool {
    let is_kind = matches!(tokens.at(at), b"struct" | b"union" | b"class" | b"enum");
    let name = usize::from(tokens.is_name(at + 1));
    is_kind && tokens.at(at + 1 + name) == b"{"
}

/// The structure among some words that has pointers as members.
fn pointed(code: &Code<'_>, types: &[String]) -> Option<String> {
    for file in &code.files {
        let tokens = file.tokens();
        for at in 0..tokens.list.len() {
            let name = tokens.word(at + 1);
            if tokens.at(at) == b"struct" && tokens.at(at + 2) == b"{" && types.contains(&name) {
                let end = tokens.bracket_end(at + 2);
                if (at + 2..end).any(|at| tokens.at(at) == b"*") {
                    return Some(name);
                }
            }
        }
    }
    None
}

/// Host code whose launches and uses of shared memory would not be seen.
pub fn host(code: &Code<'_>, summaries: &Summaries, logical: &Logical, problems: &mut Problems) {
    outside(code, summaries, problems);
    macros(code, summaries, logical, problems);
    implicit_calls(code, summaries, problems);
    conditions(code, summaries, problems);
    for (number, fun) in code.functions.iter().enumerate() {
        if fun.file > 0 && summaries.launches[number] && summaries.shared[number].contains(&true) {
            let name = &fun.name;
            let message = format!(
                "`{name}`, which is in an included file, launches kernels and gets shared memory"
            );
            let help = "write it in the file that is compiled";
            problems.elsewhere(codes::MESI_ESCAPE, message, help);
        }
    }
}

/// Uses outside of the functions that are read: in operators, lambdas and what variables of the file
/// begin with.
fn outside(code: &Code<'_>, summaries: &Summaries, problems: &mut Problems) {
    let tokens = code.files[0].tokens();
    let mut read: Vec<Range<usize>> = code
        .variables
        .iter()
        .map(|one| one.statement.clone())
        .collect();
    for fun in code.functions.iter().filter(|fun| fun.file == 0) {
        read.extend(heads(tokens, &fun.function));
        // What the members of a constructor begin with is not followed.
        read.push(fun.function.parameters.end..fun.function.initialisers.start);
        read.push(fun.body());
    }
    read.extend(code.declarations.iter().flat_map(|one| heads(tokens, one)));
    read.sort_by_key(|part| part.start);
    let mut parts = read.into_iter().peekable();
    let mut next = 0;
    while next < tokens.list.len() {
        let at = next;
        next += 1;
        while let Some(part) = parts.next_if(|part| part.start <= at) {
            next = next.max(part.end);
        }
        let word = tokens.word(at);
        if next > at + 1 || !tokens.is_name(at) {
            continue;
        }
        let is_variable = code.variable(&word).is_some();
        let is_launching = summaries.is_launching(code, tokens, at);
        let before = at
            .checked_sub(1)
            .map_or(b"".as_slice(), |before| tokens.at(before));
        let is_tag = matches!(before, b"struct" | b"union" | b"class" | b"enum");
        let is_other = is_tag
            || matches!(before, b"." | b"->" | b"sizeof" | b"decltype")
            || before == b"(" && at > 1 && matches!(tokens.at(at - 2), b"sizeof" | b"decltype");
        if !(is_variable || is_launching) || is_other {
            continue;
        }
        if is_variable && (is_member(tokens, at) || is_of_structure(tokens, at)) {
            continue;
        }
        let message = format!("`{word}` is used outside of the functions that are followed");
        let help = "use it in a function, not in an operator, nor in what a variable of the file begins with";
        problems.error(codes::MESI_ESCAPE, message, tokens.range(at, at), help);
    }
}

/// What stands before the body of a function, but for the values that parameters have where a call gives
/// none.
fn heads(tokens: Tokens<'_>, function: &Function) -> Vec<Range<usize>> {
    let parameters = tokens.parts(function.parameters.clone()).into_iter();
    let before_value = |part: Range<usize>| {
        let end = part.clone().find(|at| tokens.at(*at) == b"=");
        part.start..end.unwrap_or(part.end)
    };
    let mut all: Vec<Range<usize>> = parameters.map(before_value).collect();
    all.push(function.first..function.parameters.start);
    all
}

/// Whether a name is that of a member that is declared: `struct S { int *n; }`.
fn is_member(tokens: Tokens<'_>, name: usize) -> bool {
    let begins = |at: &usize| matches!(tokens.at(*at), b";" | b"{" | b"}" | b")" | b"(" | b"=");
    let begin = (0..name).rev().find(begins);
    let first = begin.map_or(0, |begin| begin + 1);
    let is_type = first < name
        && (first..name).all(|at| {
            tokens.is_name(at) || matches!(tokens.at(at), b"*" | b"&" | b":" | b"<" | b">" | b",")
        });
    let Some(open) = begin
        .filter(|_| is_type)
        .and_then(|begin| enclosing(tokens, begin + 1))
    else {
        return false;
    };
    let begins = |at: &usize| matches!(tokens.at(*at), b";" | b"{" | b"}");
    let first = (0..open).rev().find(begins).map_or(0, |begin| begin + 1);
    let is_of_type =
        (first..open).any(|at| matches!(tokens.at(at), b"struct" | b"class" | b"union" | b"enum"));
    is_of_type && !(first..open).any(|at| tokens.at(at) == b"(")
}

/// Whether a structure around a name has a member of that name.
fn is_of_structure(tokens: Tokens<'_>, name: usize) -> bool {
    let mut at = name;
    while let Some(open) = enclosing(tokens, at) {
        let mut inside = open..tokens.bracket_end(open);
        if inside.any(|at| tokens.at(at) == tokens.at(name) && is_member(tokens, at)) {
            return true;
        }
        at = open;
    }
    false
}

/// The `{` that a token is in.
fn enclosing(tokens: Tokens<'_>, token: usize) -> Option<usize> {
    let mut at = token;
    loop {
        at = at.checked_sub(1)?;
        match tokens.at(at) {
            b"}" => at = tokens.bracket_begin(at)?,
            b"{" => return Some(at),
            _ => {}
        }
    }
}

/// Macros are not edited.
fn macros(code: &Code<'_>, summaries: &Summaries, logical: &Logical, problems: &mut Problems) {
    let mut all: Vec<_> = code.program.macros.iter().collect();
    all.sort_by_key(|(name, _)| *name);
    for (name, definitions) in all {
        let is_edited = |word: &String| {
            let mut functions = code.named(word.as_bytes());
            functions.any(|(number, _)| logical.functions.contains(&number))
                || !shares::used(code, summaries, word.as_bytes()).is_empty()
        };
        for one in definitions {
            let is_launch = one.body.windows(3).any(|words| words == ["<", "[", "<"]);
            let (code_of, message) = match one.own_words().find(|word| is_edited(word)) {
                Some(hidden) => (
                    codes::MESI_ESCAPE,
                    format!("the macro `{name}` hides a use of `{hidden}`"),
                ),
                None if is_launch => (
                    codes::MESI_GRID,
                    format!("the macro `{name}` launches on a logical grid"),
                ),
                None => continue,
            };
            let help = "write it out, or make it a function";
            match code.files[0].definition(name) {
                Some(place) => problems.error(code_of, message, place, help),
                None => problems.elsewhere(code_of, message, help),
            }
        }
    }
}

/// Constructors, destructors and functions that are handed on are called where no call stands.
fn implicit_calls(code: &Code<'_>, summaries: &Summaries, problems: &mut Problems) {
    let tokens = code.files[0].tokens();
    let is_type = |name: &str| tokens.is_structure(name);
    let own = |(number, fun): &(usize, &Fun)| fun.file == 0 && summaries.launches[*number];
    for (_, fun) in code.functions.iter().enumerate().filter(own) {
        if is_type(&fun.name) {
            let place = tokens.range(fun.function.name, fun.function.name);
            let message = format!(
                "a constructor or destructor of `{}` launches kernels",
                fun.name
            );
            let help = "launch in a function that is called by its name";
            problems.error(codes::MESI_ESCAPE, message, place, help);
        }
    }
    for at in 0..tokens.list.len() {
        let mut functions = code.named(tokens.at(at));
        let is_other = tokens.is_member(at) || tokens.call(at).is_some();
        if tokens.is_name(at)
            && !is_other
            && functions.any(|(number, fun)| !fun.is_device && summaries.launches[number])
            && !code.is_local(at)
            && !is_type(&tokens.word(at))
        {
            let message = format!(
                "`{}` launches kernels, and is no call here",
                tokens.word(at)
            );
            let help = "call it by its name, so that it is seen what may be stale";
            problems.error(codes::MESI_ESCAPE, message, tokens.range(at, at), help);
        }
    }
}

/// In functions, the braces of each branch of `#if` have to be whole.
fn conditions(code: &Code<'_>, summaries: &Summaries, problems: &mut Problems) {
    let file = &code.files[0];
    let tokens = file.tokens();
    let depth_at = |place: u32| {
        let before = tokens
            .list
            .iter()
            .enumerate()
            .take_while(|(_, token)| token.start < place);
        before.fold(0_i64, |depth, (at, _)| match tokens.at(at) {
            b"{" => depth + 1,
            b"}" => depth - 1,
            _ => depth,
        })
    };
    let is_followed = |place: u32| {
        let mut all = code.functions.iter().enumerate();
        all.any(|(number, fun)| {
            let body = fun.body();
            let place = place as usize;
            fun.file == 0
                && !fun.is_device
                && !body.is_empty()
                && tokens.range(body.start, body.start).start <= place
                && place <= tokens.range(body.end - 1, body.end - 1).end
                && !(code.variables.is_empty() && summaries.names(code, number).is_empty())
        })
    };
    let mut open: Vec<i64> = Vec::new();
    for (place, word) in file.conditions() {
        if word.starts_with("if") {
            open.push(depth_at(place.start));
            continue;
        }
        let depth = depth_at(place.start);
        if open.last().is_some_and(|first| *first != depth) && is_followed(place.start) {
            let message = format!("a branch before `#{word}` has not all of its braces");
            let help = "close in each branch of `#if` what it opens";
            let place = place.start as usize..place.end as usize;
            problems.error(codes::MESI_ESCAPE, message, place, help);
            return;
        }
        if word == "endif" {
            open.pop();
        }
    }
}

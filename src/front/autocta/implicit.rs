//! Device code that runs where no call of its name stands, and declarations that run none.
//!
//! ```text
//! struct Own { int v = threadIdx.x; };           a doubt: runs wherever an `Own` is declared
//! __device__ Own operator+(Own a, Own b) { … }   looked at as if each kernel called it
//! apply<first>(x)                                so is `first`
//! ```
//!
//! Input: the words of a program. Whether a kernel reaches such code is not asked: what depends on blocks
//! in it is a doubt for all of them.

use std::collections::BTreeSet;

use super::kernel::{call, is_of_block, is_statement, own_words, together, types_of};
use crate::front::cuda::Program;
use crate::front::cuda::program::is_name;

/// How deep functions, macros and types are followed.
const DEPTH: usize = 16;

/// Words that say what a type is made of, and are none with code.
const PLAIN: [&str; 20] = [
    "const",
    "constexpr",
    "int",
    "unsigned",
    "signed",
    "long",
    "short",
    "char",
    "bool",
    "float",
    "double",
    "size_t",
    "uint",
    "auto",
    "half",
    "dim3",
    "struct",
    "enum",
    "union",
    "void",
];

/// Whether nothing that runs so depends on blocks; otherwise the doubt.
pub fn check(program: &Program) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    let mut names: Vec<&String> = program.functions.keys().collect();
    names.sort();
    let all = names.iter().flat_map(|name| &program.functions[*name]);
    for one in all.filter(|one| one.is_implicit && is_on_device(program, &one.before)) {
        own_words(program, &one.body, &types_of(&one.before), &mut seen, DEPTH)?;
    }
    for words in &program.outside {
        check_outside(program, words, &mut seen, DEPTH)?;
    }
    Ok(())
}

/// The same of what stands outside of functions that have names: operators, lambdas, and what members,
/// parameters and variables of the file begin with.
fn check_outside(
    program: &Program,
    words: &[String],
    seen: &mut BTreeSet<String>,
    depth: usize,
) -> Result<(), String> {
    // What these name is used by the words of a kernel.
    const OF_NAMES: [&str; 2] = ["__shared__", "cooperative_groups"];
    for word in words {
        if ["threadIdx", "blockIdx", "blockDim", "gridDim"].contains(&word.as_str()) {
            return Err(format!(
                "`{word}` is used where no function is called by its name"
            ));
        }
        if is_of_block(word) && !OF_NAMES.contains(&word.as_str()) {
            return Err(together(word));
        }
        let macros = program.macros.get(word).into_iter().flatten();
        let macros: Vec<_> = macros.collect();
        if macros.is_empty() || !seen.insert(format!("#{word}")) {
            continue;
        }
        let depth = depth
            .checked_sub(1)
            .ok_or("its macros are deep in each other")?;
        for one in macros {
            check_outside(program, &one.body, seen, depth)?;
        }
    }
    for name in mentioned(program, words) {
        if seen.insert(name.clone()) {
            call(program, name, seen, DEPTH)?;
        }
    }
    Ok(())
}

/// The names of functions of the device that are no names of variables there.
pub fn mentioned<'w>(
    program: &'w Program,
    words: &'w [String],
) -> impl Iterator<Item = &'w String> {
    let is_member = |at: usize| at > 0 && [".", "->"].contains(&words[at - 1].as_str());
    let is_declared = |name: &String| {
        let mut pairs = words.windows(2);
        pairs.any(|pair| pair[1] == *name && is_name(&pair[0]) && !is_statement(&pair[0]))
    };
    let is_function = |name: &String| {
        let functions = program.functions.get(name).into_iter().flatten();
        let mut named = functions.filter(|one| !one.is_implicit);
        named.any(|one| is_on_device(program, &one.before))
    };
    let all = (0..words.len()).filter(move |at| !is_member(*at));
    let all = all.map(|at| &words[at]);
    all.filter(move |name| is_name(name) && is_function(name) && !is_declared(name))
}

/// Whether what stands before the name of a function makes it one of the device, called by others.
fn is_on_device(program: &Program, before: &[String]) -> bool {
    fn is_qualifier(program: &Program, word: &str, depth: usize) -> bool {
        let mut macros = program.macros.get(word).into_iter().flatten();
        ["__device__", "constexpr"].contains(&word)
            || depth > 0
                && macros.any(|one| {
                    let mut body = one.body.iter();
                    body.any(|word| is_qualifier(program, word, depth - 1))
                })
    }
    before.iter().any(|word| is_qualifier(program, word, DEPTH))
}

/// Whether a declaration is of numbers, pointers, or structures without code.
pub fn is_of_values(program: &Program, declaration: &[String]) -> bool {
    let head = declaration
        .iter()
        .take_while(|word| !["=", ","].contains(&word.as_str()));
    let head: Vec<&str> = head.map(String::as_str).collect();
    let Some((_, types)) = head.split_last() else {
        return false;
    };
    let is_pointer = types.contains(&"*") || types.contains(&"&");
    let mut names = types.iter().filter(|word| is_name(word));
    is_pointer || names.all(|word| is_plain(program, word, DEPTH))
}

/// Whether making and copying a value of a type runs no code of the program.
fn is_plain(program: &Program, name: &str, depth: usize) -> bool {
    if PLAIN.contains(&name) || name.ends_with("_t") || is_vector(name) {
        return true;
    }
    let Some(depth) = depth
        .checked_sub(1)
        .filter(|_| !program.functions.contains_key(name))
    else {
        return false;
    };
    let found: Vec<&[String]> = program
        .outside
        .iter()
        .filter_map(|words| definition(words, name))
        .collect();
    let is_type = |words: &[String], at: usize| {
        let next = words.get(at + 1).map_or("}", String::as_str);
        is_name(&words[at]) && ![",", ";", "[", "*", "}", "{"].contains(&next)
    };
    !found.is_empty()
        && found.into_iter().all(|words| {
            let mut types = (0..words.len()).filter(|at| is_type(words, *at));
            let has_code = words
                .iter()
                .any(|word| ["=", "(", ":", "operator"].contains(&word.as_str()));
            !has_code && types.all(|at| is_plain(program, &words[at], depth))
        })
}

/// What a type is said to be: behind `typedef`, `using name =`, or in the braces of a structure.
fn definition<'w>(words: &'w [String], name: &str) -> Option<&'w [String]> {
    (1..words.len())
        .filter(|at| words[*at] == name)
        .find_map(|at| {
            let next = words.get(at + 1)?.as_str();
            match words[at - 1].as_str() {
                "struct" | "enum" | "union" if next == "{" || next == ":" => {
                    let end = words[at..].iter().position(|word| word == "}")?;
                    Some(&words[at + 1..at + end])
                }
                "using" if next == "=" => {
                    let end = words[at..].iter().position(|word| word == ";")?;
                    Some(&words[at + 2..at + end])
                }
                _ if next == ";" => {
                    let begin = words[..at].iter().rposition(|word| word == "typedef")?;
                    let inside = &words[begin + 1..at];
                    let is_one =
                        inside.contains(&"{".to_owned()) || !inside.contains(&";".to_owned());
                    is_one.then_some(inside)
                }
                _ => None,
            }
        })
}

/// `float4`, `uint2` and the like.
fn is_vector(name: &str) -> bool {
    let base = name.strip_suffix(['1', '2', '3', '4']).unwrap_or(name);
    let base = base.strip_prefix('u').unwrap_or(base);
    [
        "char", "short", "int", "long", "longlong", "float", "double",
    ]
    .contains(&base)
}

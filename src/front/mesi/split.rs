//! A logical grid in slices along one dimension, each on a device of its own (section 7.2). Which
//! dimension that is, and whether there is one, the program finds out when it launches
//! (`templates/mesi_devices.txt`), by what each slice uses:
//!
//! ```text
//! smooth<[<n, n>]>();      accrs_mesi::split(2, grid, -1, [&](auto &uses, auto lGrid, auto lThread) {
//!                              uses.reads(a, lThread.Idx[1] + 2, lThread.Idx[0]);
//!                              uses.writes(b, lThread.Idx[1] + 1, lThread.Idx[0]);
//!                          }, [&](auto part) { … });
//! ```
//!
//! What is proved here: that the kernel does nothing but read and write elements of these arrays and
//! variables of its own, and that each element which it writes, and each that is not named with all
//! of its memory, has these subscripts.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::accesses::Effect;
use super::code::Code;
use super::exchange::changes;
use super::mapping;
use super::spans::{Spans, is_number};
use super::transfers::Host;
use crate::front::cuda::{Fun, Kind, Launch, Statement, Tokens};
use crate::typed::library;

/// The macro that says on how many devices grids may be.
const ASKED: &str = "ACCRS_MESI_DEVICES";

/// How deep functions and macros are followed.
const DEPTH: usize = 16;

/// Words that stand before a parenthesis and call nothing.
const NO_CALLS: [&str; 20] = [
    "if",
    "for",
    "while",
    "switch",
    "return",
    "sizeof",
    "int",
    "float",
    "double",
    "long",
    "unsigned",
    "char",
    "short",
    "bool",
    "size_t",
    "static_cast",
    "lThread",
    "lGrid",
    "do",
    "else",
];

/// Words of what is done to more than values.
const REFUSED: [&str; 7] = ["static", "asm", "throw", "new", "delete", "try", "operator"];

/// On how many devices a grid may be, if the program is built so.
pub fn devices(code: &Code<'_>) -> Option<u32> {
    match code.program.macros.get(ASKED).map(Vec::as_slice) {
        Some([one]) if is_number(code, ASKED) => one.body[0].parse().ok().filter(|most| *most > 1),
        _ => None,
    }
}

/// What the slices of a launch use, a line each.
///
/// # Errors
/// Why the grid cannot be cut.
pub fn uses(
    host: &Host<'_, '_>,
    launch: &Launch,
    all: &BTreeMap<String, Effect>,
    uses_name: &str,
) -> Result<Vec<String>, String> {
    let code = host.code;
    let tokens = host.tokens();
    let mut kernels = code.named(tokens.at(launch.kernel));
    let kernel = match (kernels.next(), kernels.next()) {
        (Some((_, kernel)), None) if kernel.file == 0 => kernel,
        _ => {
            return Err("functions of other files or of the same name are not followed".to_owned());
        }
    };
    let caller = &code.functions[host.number];
    let given = Given::new(host, launch, kernel)?;
    let body = Body {
        code,
        tokens,
        fun: kernel,
    };
    let mut finder = Finder {
        code,
        tokens,
        kernel,
        all,
        written: body.written()?,
        spans: Spans::new(code, host.summaries, (kernel, caller), given.values),
        arrays: given.arrays,
        uses: Vec::new(),
        named: BTreeSet::new(),
        uses_name,
    };
    finder.list(&kernel.statements)?;
    finder.rest()?;
    Ok(finder.uses)
}

/// What a launch gives: the text of each value, and of each array with the shared names in it.
struct Given {
    values: BTreeMap<String, String>,
    arrays: BTreeMap<String, (String, Vec<String>)>,
}

impl Given {
    fn new(host: &Host<'_, '_>, launch: &Launch, kernel: &Fun) -> Result<Self, String> {
        let (file, tokens) = (&host.code.files[0], host.tokens());
        let parts = tokens.parts(launch.arguments + 1..tokens.bracket_end(launch.arguments));
        let mut own = Self {
            values: BTreeMap::new(),
            arrays: BTreeMap::new(),
        };
        if parts.len() != kernel.parameters.len() {
            return Err("it gets its default arguments".to_owned());
        }
        for (one, part) in kernel.parameters.iter().zip(parts) {
            let text = file.text_of(part.clone());
            let is_changing = |at: usize| {
                let word = tokens.word(at);
                let is_call = tokens.call(at).is_some() && !NO_CALLS.contains(&word.as_str());
                let is_step = word == "++" || word == "--" || word == "=";
                is_call || is_step || changes(word.as_bytes()) || word == "new"
            };
            if one.is_reference || part.clone().any(is_changing) {
                return Err(format!(
                    "the argument `{text}` may not be the same for all devices"
                ));
            }
            let names = part.map(|at| tokens.word(at));
            let names: Vec<String> = names.filter(|word| host.names.contains_key(word)).collect();
            if one.is_pointer {
                own.arrays.insert(one.name.clone(), (text, names));
            } else if names.is_empty() {
                // A structure is no integer, and needs no conversion.
                let is_integer = one.types.len() == 1 && one.types[0] == "int";
                let value = match is_integer {
                    true => format!("(int){}", mapping::enclosed(&text)),
                    false => format!("({})({text})", one.types.join(" ")),
                };
                own.values.insert(one.name.clone(), value);
            }
        }
        Ok(own)
    }
}

/// The code of a function that runs on the device.
struct Body<'b, 'a> {
    code: &'b Code<'a>,
    tokens: Tokens<'b>,
    fun: &'b Fun,
}

impl Body<'_, '_> {
    /// The names of the arrays' elements that are given values, where all else that is done is done
    /// with variables of the function's own.
    fn written(&self) -> Result<BTreeSet<usize>, String> {
        self.check(DEPTH)?;
        let tokens = self.tokens;
        let mut written = BTreeSet::new();
        for at in self.fun.body() {
            let word = tokens.at(at);
            let is_step = word == b"++" || word == b"--";
            if !(is_step || word == b"=" || changes(word)) {
                continue;
            }
            let target = self.target(at, is_step).ok_or_else(|| {
                let place = tokens.word(at);
                format!("`{place}` changes what is no variable or element of an array")
            })?;
            let name = tokens.word(target);
            let is_element = tokens.at(target + 1) == b"[";
            let is_array = mapping::array(self.code, self.fun, &name).is_some();
            match (is_array, self.fun.declares(&name)) {
                (true, _) if is_element => {
                    written.insert(target);
                }
                (false, true) => {}
                _ => return Err(format!("all threads write `{name}`")),
            }
        }
        Ok(written)
    }

    /// The name of what an operator changes.
    fn target(&self, at: usize, is_step: bool) -> Option<usize> {
        let (tokens, body) = (self.tokens, self.fun.body());
        let is_prefix = is_step && !(at > body.start && tokens.ends_operand(at - 1));
        if is_prefix {
            let is_whole = tokens.is_name(at + 1) && !matches!(tokens.at(at + 2), b"." | b"->");
            return is_whole.then_some(at + 1);
        }
        let mut target = at.checked_sub(1)?;
        loop {
            while tokens.at(target) == b"]" {
                target = tokens.bracket_begin(target)?.checked_sub(1)?;
            }
            let before = target.checked_sub(1)?;
            match tokens.at(before) {
                b"." => target = before.checked_sub(1)?,
                b"->" | b"::" => return None,
                // `int *p = …` is refused where locals are checked.
                b"*" if !self.declares_at(target) => return None,
                _ => return tokens.is_name(target).then_some(target),
            }
        }
    }

    fn declares_at(&self, token: usize) -> bool {
        self.fun.locals.iter().any(|local| local.token == token)
    }

    /// That nothing but values of the function's own, and elements of arrays, is used and changed.
    fn check(&self, depth: usize) -> Result<(), String> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err("functions call each other".to_owned());
        };
        let (code, tokens, fun) = (self.code, self.tokens, self.fun);
        let is_place = |local: &crate::front::cuda::Declared| {
            local.is_pointer && local.extents.is_empty() || local.is_reference
        };
        if let Some(local) = fun.locals.iter().find(|local| is_place(local)) {
            return Err(format!("`{}` is another name for memory", local.name));
        }
        let is_hidden = |local: &&crate::front::cuda::Declared| {
            fun.parameters.iter().any(|one| one.name == local.name)
                || code.variable(&local.name).is_some()
        };
        if let Some(local) = fun.locals.iter().find(is_hidden) {
            return Err(format!("`{}` is two variables", local.name));
        }
        if code.has_branches(fun) || fun.statements.iter().any(|one| !one.lambdas().is_empty()) {
            return Err("it has branches of `#if`, or lambdas".to_owned());
        }
        for at in fun.body() {
            let word = tokens.word(at);
            if tokens.is_member(at) && tokens.call(at).is_none() {
                continue;
            }
            if REFUSED.contains(&word.as_str()) {
                return Err(format!("`{word}` in a function of the device"));
            }
            if tokens.is_name(at) && is_of_device(code, &word) && !fun.declares(&word) {
                return Err(format!("`{word}` is a variable of one device"));
            }
            if let Some(macros) = code.program.macros.get(&word) {
                let is_plain = macros.len() == 1 && self.is_plain(&macros[0].body, depth);
                if !is_plain {
                    return Err(format!("the macro `{word}` is not followed"));
                }
                continue;
            }
            let is_call = tokens.call(at).is_some() && !NO_CALLS.contains(&word.as_str());
            if !is_call || self.declares_at(at) {
                continue;
            }
            let mut callees = code.named(word.as_bytes()).peekable();
            if callees.peek().is_none() && !library::is_pure(&word) {
                return Err(format!("it calls `{word}`"));
            }
            for (_, callee) in callees {
                let is_value = |one: &crate::front::cuda::Declared| {
                    !one.is_pointer && !one.is_reference && one.extents.is_empty()
                };
                let own = Body {
                    code,
                    tokens: code.tokens(callee),
                    fun: callee,
                };
                let is_closed = callee.parameters.iter().all(is_value)
                    && !callee.body().any(|at| {
                        let word = own.tokens.word(at);
                        code.variable(&word).is_some()
                            || super::kernels::uses_logical(code, own.tokens, at)
                    });
                if !is_closed {
                    return Err(format!("it calls `{word}`, which uses memory or indices"));
                }
                own.check(depth)?;
                own.written()?;
            }
        }
        Ok(())
    }

    /// Whether what a macro stands for has no effect and names no memory.
    fn is_plain(&self, body: &[String], depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        body.iter().enumerate().all(|(at, word)| {
            let is_call = body.get(at + 1).is_some_and(|next| next == "(");
            let is_name = crate::front::cuda::program::is_name(word);
            let is_array = is_name && mapping::array(self.code, self.fun, word).is_some();
            let is_bad = changes(word.as_bytes())
                || ["=", "++", "--", "[", "{", ";", "&", "->", "#", "##"].contains(&word.as_str())
                || REFUSED.contains(&word.as_str());
            let inner = self.code.program.macros.get(word);
            let is_inner =
                || inner.is_none_or(|all| all.len() == 1 && self.is_plain(&all[0].body, depth));
            let is_pure = !is_call
                || !is_name
                || inner.is_some()
                || NO_CALLS.contains(&word.as_str())
                || self.code.named(word.as_bytes()).next().is_none() && library::is_pure(word);
            !is_array
                && !is_bad
                && is_pure
                && is_inner()
                && !(is_name && is_of_device(self.code, word))
        })
    }
}

/// Whether a name is that of a variable which each device has for itself.
fn is_of_device(code: &Code<'_>, name: &str) -> bool {
    const WORDS: [&[u8]; 4] = [
        b"__device__",
        b"__constant__",
        b"__managed__",
        b"__shared__",
    ];
    code.files.iter().any(|file| {
        let tokens = file.tokens();
        let all = (0..tokens.list.len()).filter(|at| tokens.at(*at) == name.as_bytes());
        all.into_iter().any(|at| {
            let begin = (0..at)
                .rev()
                .find(|at| matches!(tokens.at(*at), b";" | b"}" | b"{"));
            let begin = begin.map_or(0, |before| before + 1);
            let is_first = !(begin..at).any(|at| matches!(tokens.at(at), b"(" | b"="));
            // `T name;`, `T name[n];`, `T name = value;`, `T name, other;`
            let is_name = matches!(tokens.at(at + 1), b";" | b"[" | b"=" | b"," | b"{");
            is_first && is_name && (begin..at).any(|at| WORDS.contains(&tokens.at(at)))
        })
    })
}

/// Finds what a kernel does with arrays.
struct Finder<'f, 'a> {
    code: &'f Code<'a>,
    tokens: Tokens<'f>,
    kernel: &'f Fun,
    /// What the launch uses, by the names of the host.
    all: &'f BTreeMap<String, Effect>,
    written: BTreeSet<usize>,
    spans: Spans<'f, 'a>,
    arrays: BTreeMap<String, (String, Vec<String>)>,
    uses: Vec<String>,
    /// The names of the host whose uses are told.
    named: BTreeSet<String>,
    uses_name: &'f str,
}

impl Finder<'_, '_> {
    fn list(&mut self, list: &[Statement]) -> Result<(), String> {
        for statement in list {
            match &statement.kind {
                Kind::Simple(_) => self.accesses(statement.tokens.clone())?,
                Kind::Block(list) => self.list(list)?,
                Kind::Branch { condition, arms } => {
                    self.accesses(condition.clone())?;
                    self.list(arms)?;
                }
                Kind::Loop { once, again, body } => {
                    self.accesses(once.clone())?;
                    self.accesses(again.clone())?;
                    let inside = body.tokens.clone();
                    match self.tokens.at(statement.tokens.start) {
                        b"for" => self.spans.enter(once.clone(), again.clone(), inside),
                        _ => self
                            .spans
                            .enter(once.start..once.start, again.clone(), inside),
                    }
                    self.list(std::slice::from_ref(body))?;
                    self.spans.leave();
                }
                Kind::Label => {}
            }
        }
        Ok(())
    }

    fn accesses(&mut self, range: Range<usize>) -> Result<(), String> {
        for at in range {
            let name = self.tokens.word(at);
            if self.tokens.is_member(at) || self.kernel.locals.iter().any(|one| one.name == name) {
                continue;
            }
            let Some((_, rank)) = mapping::array(self.code, self.kernel, &name) else {
                continue;
            };
            let subscripts = self.subscripts(at, rank);
            let (text, names) = match self.arrays.get(&name) {
                Some((text, names)) => (text.clone(), names.clone()),
                None => (self.code.reached(&name), vec![name.clone()]),
            };
            let is_written = self.written.contains(&at);
            let way = if is_written { "writes" } else { "reads" };
            let line = match subscripts {
                Some(all) => format!("{}.{way}({text}, {});", self.uses_name, all.join(", ")),
                None if is_written => {
                    return Err(format!(
                        "`{name}` is written by subscripts that are no sums"
                    ));
                }
                None => format!("{}.reads({text});", self.uses_name),
            };
            if !self.uses.contains(&line) {
                self.uses.push(line);
            }
            let whole = |one: &String| format!("{one} {way}");
            self.named.extend(names.iter().map(whole));
        }
        Ok(())
    }

    /// The ranges of an element's subscripts.
    fn subscripts(&self, name: usize, rank: usize) -> Option<Vec<String>> {
        let tokens = self.tokens;
        let before = name
            .checked_sub(1)
            .map_or(b"".as_slice(), |at| tokens.at(at));
        let is_address = before == b"&" && !tokens.ends_operand(name - 2);
        let (mut open, mut all) = (name + 1, Vec::new());
        for _ in 0..rank {
            if tokens.at(open) != b"[" {
                return None;
            }
            let close = tokens.bracket_end(open);
            all.push(self.spans.of(open + 1..close)?);
            open = close + 1;
        }
        (!is_address && !all.is_empty()).then_some(all)
    }

    /// What the launch uses besides.
    fn rest(&mut self) -> Result<(), String> {
        for (name, effect) in self.all.iter().filter(|(_, effect)| effect.is_any()) {
            if effect.writes && !self.named.contains(&format!("{name} writes")) {
                return Err(format!("all threads write `{name}`"));
            }
            let is_told = ["writes", "reads"]
                .iter()
                .any(|way| self.named.contains(&format!("{name} {way}")));
            if !is_told {
                let text = self.code.reached(name);
                self.uses.push(format!("{}.reads({text});", self.uses_name));
            }
        }
        Ok(())
    }
}

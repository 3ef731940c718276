//! What is done with a name where it stands: by operators, and by the calls that it is an argument of.
//!
//! ```text
//! *(row + 1) = x;        the address of row goes nowhere that is followed
//! fread(a, 4, n, file);  writes a
//! f<T>(&a[1])            what f does with its parameter
//! ```

use std::ops::{BitOr, Range};

use super::accesses::{Access, Effect, Escape, Found, Named, Summaries};
use super::code::Code;
use crate::front::cuda::{Declared, Fun, Tokens, declared};
use crate::typed::library;

/// Where a name stands.
pub struct Place<'p, 'a> {
    /// The program.
    pub code: &'p Code<'a>,
    /// What its functions do.
    pub summaries: &'p Summaries,
    /// The number of the function.
    pub number: usize,
    /// The tokens of its file.
    pub tokens: Tokens<'p>,
    /// The part of it that is looked at.
    pub range: &'p Range<usize>,
}

impl Place<'_, '_> {
    fn at(&self, at: Option<usize>) -> &[u8] {
        let at = at.filter(|at| self.range.contains(at));
        at.map_or(b"".as_slice(), |at| self.tokens.at(at))
    }

    /// Whether a token ends an operand, so that an operator behind it has two.
    fn ends_operand(&self, at: Option<usize>) -> bool {
        at.is_some_and(|at| self.range.contains(&at) && self.tokens.ends_operand(at))
    }

    /// Adds the access of a name that stands at a token.
    pub fn access(&self, token: usize, name: &str, named: &Named, found: &mut Found) {
        let tokens = self.tokens;
        let (mut first, mut next) = (token, token + 1);
        let mut taken = 0_usize;
        let mut is_member = false;
        let mut is_address = false;
        let mut is_converted = false;
        loop {
            match self.at(Some(next)) {
                b"[" => {
                    taken += 1;
                    next = tokens.bracket_end(next) + 1;
                    continue;
                }
                b"." | b"->" => {
                    is_member = true;
                    next += 2;
                    continue;
                }
                _ => {}
            }
            let before = first.checked_sub(1);
            match self.at(before) {
                b"(" if self.at(Some(next)) == b")"
                    && !self.ends_operand(before.and_then(|b| b.checked_sub(1)))
                    && before.and_then(|open| self.before_brackets(open)).is_none() =>
                {
                    first -= 1;
                    next += 1;
                }
                b"*" if !self.ends_operand(before.and_then(|b| b.checked_sub(1))) => {
                    taken += 1;
                    first -= 1;
                }
                b"&" if !self.ends_operand(before.and_then(|b| b.checked_sub(1))) => {
                    is_address = true;
                    first -= 1;
                }
                // What stands in parentheses before an operand is a cast.
                b")" => match before.and_then(|before| tokens.bracket_begin(before)) {
                    Some(open) if self.range.contains(&open) && !self.is_call(open) => {
                        let mut cast = open..first;
                        is_converted |= !cast.any(|at| matches!(tokens.at(at), b"&" | b"&&"));
                        first = open;
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        if self.at(first.checked_sub(1)) == b"sizeof" {
            return;
        }
        if (is_member || taken >= named.rank) && !is_address {
            let is_whole = named.rank == 0 && !is_member;
            let own = (first..next, is_converted);
            self.value(token, name, own, is_whole, found);
        } else {
            self.address(token, name, first..next, found);
        }
    }

    /// Whether a parenthesis is that of a call, or of a statement's header.
    fn is_call(&self, open: usize) -> bool {
        let before = open.checked_sub(1);
        let word = self.at(before);
        self.ends_operand(before) && word != b"sizeof"
    }

    /// A value is read, written or both.
    fn value(
        &self,
        token: usize,
        name: &str,
        (own, is_converted): (Range<usize>, bool),
        is_whole: bool,
        found: &mut Found,
    ) {
        let (first, next) = (own.start, own.end);
        const CHANGE: [&[u8]; 10] = [
            b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"<<=", b">>=",
        ];
        let (before, after) = (self.at(first.checked_sub(1)), self.at(Some(next)));
        let callee = self.enclosing_call(first);
        if callee
            .as_ref()
            .is_some_and(|(name, ..)| name == "sizeof" || name == "decltype")
        {
            return;
        }
        let is_argument = matches!(before, b"(" | b",") && matches!(after, b")" | b",");
        let by_call = callee
            // What is converted is a value of its own.
            .filter(|_| is_argument && !is_converted)
            .map(|(callee, _, position)| self.by_reference(&callee, position));
        let is_set = after == b"=";
        let changes = CHANGE.contains(&after)
            || [b"++".as_slice(), b"--"].iter().any(|one| before == *one || after == *one)
            // `std::cin >> x`
            || before == b">>";
        let effect = Effect {
            reads: !is_set,
            writes: is_set || changes,
        } | by_call.unwrap_or_default();
        found.accesses.push(Access {
            token,
            name: name.into(),
            is_whole: is_whole && is_set,
            bytes: None,
            effect,
            is_address: false,
        });
    }

    /// Whether a function that gets the name as an argument binds a reference to it.
    pub fn is_bound(&self, token: usize) -> bool {
        self.enclosing_call(token)
            .is_some_and(|(callee, _, position)| {
                let mut functions = self.code.named(callee.as_bytes());
                functions.any(|(_, fun)| {
                    fun.parameters
                        .get(position)
                        .is_some_and(|one| one.is_reference)
                })
            })
    }

    /// What a call does with a value that is an argument.
    fn by_reference(&self, callee: &str, position: usize) -> Effect {
        let mut functions = self.code.named(callee.as_bytes()).peekable();
        if functions.peek().is_some() {
            let of = |(number, fun): (usize, &Fun)| {
                let own = fun.parameters.get(position).filter(|one| one.is_reference);
                let effects = &self.summaries.parameters[number];
                own.map_or(Effect::READS, |_| effects[position] | Effect::READS)
            };
            return functions.map(of).fold(Effect::READS, BitOr::bitor);
        }
        let is_macro = self.code.program.macros.contains_key(callee);
        let is_value = !is_macro
            && (library_effect(callee, position).is_some() || library::is_on_device(callee));
        if is_value {
            Effect::READS
        } else {
            Effect::BOTH
        }
    }

    /// An address goes to a call, or into another variable.
    fn address(&self, token: usize, name: &str, own: Range<usize>, found: &mut Found) {
        let (first, next) = (own.start, own.end);
        let tokens = self.tokens;
        let mut push = |effect: Effect| {
            found.accesses.push(Access {
                token,
                name: name.into(),
                effect,
                is_whole: false,
                bytes: self.bytes_set(token),
                is_address: true,
            });
        };
        if let Some((callee, open, position)) = self.enclosing_call(first) {
            let of_std =
                |at: usize| tokens.touching(at - 2, [b":", b":"]) && tokens.at(at - 3) == b"std";
            if open >= 4 && of_std(open - 1) {
                return push(Effect::BOTH);
            }
            match self.call(&callee, position) {
                Ok(effect) => return push(effect),
                Err(to) => return found.escapes.push(Escape { token, to }),
            }
        }
        if let Some(effect) = self.of_elements(first) {
            return push(effect);
        }
        let is_compared = |word: &[u8]| matches!(word, b"==" | b"!=" | b"!" | b"&&" | b"||" | b"?");
        if is_compared(self.at(Some(next))) || is_compared(self.at(first.checked_sub(1))) {
            return;
        }
        let begin = self.statement_begin(first);
        let is_returned = self.summaries.returns[self.number]
            && self.at(Some(next)) == b";"
            && begin + 1 == first;
        if is_returned {
            return;
        }
        if tokens.at(begin) == b"return" && !self.code.functions[self.number].is_device {
            let to = "the caller of this function".to_owned();
            return found.escapes.push(Escape { token, to });
        }
        let equals = (begin..first).rev().find(|at| tokens.at(*at) == b"=");
        let Some(target) = equals.and_then(|equals| equals.checked_sub(1)) else {
            return;
        };
        let fun = &self.code.functions[self.number];
        let word = tokens.word(target);
        let is_plain = !matches!(self.at(target.checked_sub(1)), b"." | b"->" | b"]");
        let is_local = fun.declares(&word)
            || declared(tokens, begin..first)
                .iter()
                .any(|one| one.name == word);
        let is_shared = self
            .code
            .variable(&word)
            .is_some_and(|own| self.code.variables[own].is_pointer());
        if !(is_plain && tokens.is_name(target) && (is_local || is_shared)) && !fun.is_device {
            let to = format!("`{word}`");
            found.escapes.push(Escape { token, to });
        }
    }

    /// What a loop does with the elements of a list that stands there: `for (T name : list)`.
    fn of_elements(&self, list: usize) -> Option<Effect> {
        let tokens = self.tokens;
        let colon = list.checked_sub(1).filter(|at| tokens.is_colon(*at))?;
        let begins = |at: &usize| matches!(tokens.at(*at), b"(" | b";" | b"?" | b"{" | b"}");
        let open = (self.range.start..colon).rev().find(begins);
        let open = match open {
            // The header itself is the part that is looked at.
            None => self.range.start,
            Some(open) if tokens.at(open) == b"(" && tokens.at(open - 1) == b"for" => open + 1,
            Some(_) => return None,
        };
        let has = |word: &[u8]| (open..colon).any(|at| tokens.at(at) == word);
        Some(match (has(b"&") || has(b"&&")) && !has(b"const") {
            true => Effect::BOTH,
            false => Effect::READS,
        })
    }

    /// The last argument of `memset(NAME, …, BYTES)` and `memcpy`, whose first one stands there.
    fn bytes_set(&self, name: usize) -> Option<Range<usize>> {
        let tokens = self.tokens;
        let open = name
            .checked_sub(1)
            .filter(|at| *at > 0 && tokens.at(*at) == b"(")?;
        let parts = tokens.parts(open + 1..tokens.bracket_end(open));
        let is_listed = matches!(tokens.at(open - 1), b"memset" | b"memcpy")
            && parts.first() == Some(&(name..name + 1));
        parts
            .get(2)
            .filter(|_| is_listed && parts.len() == 3)
            .cloned()
    }

    /// What a call does with memory whose address it gets; otherwise where the address goes.
    fn call(&self, callee: &str, position: usize) -> Result<Effect, String> {
        if ["sizeof", "decltype", "free", "realloc"].contains(&callee) {
            return Ok(Effect::default());
        }
        // `std::vector<T> name(first, last)`
        let fun = &self.code.functions[self.number];
        let is_made = |one: &Declared| one.name == callee && one.types.iter().any(|t| t == "std");
        if fun.locals.iter().any(is_made) {
            return Ok(Effect::READS);
        }
        let functions: Vec<_> = self.code.named(callee.as_bytes()).collect();
        if !functions.is_empty() {
            // A function that launches does what is needed itself.
            let of = |(number, _): &(usize, &Fun)| match self.summaries.launches[*number] {
                true => Effect::default(),
                false => self.summaries.parameters[*number]
                    .get(position)
                    .copied()
                    .unwrap_or(Effect::BOTH),
            };
            return Ok(functions
                .iter()
                .map(of)
                .fold(Effect::default(), BitOr::bitor));
        }
        let is_device = self.code.functions[self.number].is_device;
        match library_effect(callee, position) {
            Some(effect) => Ok(effect),
            None if is_device => Ok(Effect::BOTH),
            None => Err(format!("`{callee}`, which is not in these files")),
        }
    }

    /// The call whose argument stands at a token: its name, its `(`, the argument's position.
    fn enclosing_call(&self, at: usize) -> Option<(String, usize, usize)> {
        let tokens = self.tokens;
        let (mut position, mut here) = (0, at);
        loop {
            here = here
                .checked_sub(1)
                .filter(|here| self.range.contains(here))?;
            match tokens.at(here) {
                b")" | b"]" | b"}" => here = tokens.bracket_begin(here)?,
                b"," => position += 1,
                b";" | b"{" | b"[" => return None,
                b"(" => {
                    let name = here
                        .checked_sub(1)
                        .filter(|name| self.range.contains(name))?;
                    let word = tokens.word(name);
                    if tokens.is_name(name)
                        && !["return", "if", "while", "for", "switch"].contains(&word.as_str())
                    {
                        return Some((word, here, position));
                    }
                    if matches!(tokens.at(name), b">" | b">>")
                        && let Some(callee) = self.before_brackets(here)
                    {
                        return Some((callee, here, position));
                    }
                    position = 0;
                }
                _ => {}
            }
        }
    }

    /// The kernel of a launch, or the function of a call with template arguments, whose `(` stands
    /// there.
    fn before_brackets(&self, open: usize) -> Option<String> {
        const CASTS: [&str; 3] = ["static_cast", "reinterpret_cast", "const_cast"];
        let tokens = self.tokens;
        let launch = (self.range.start..open).rev().find_map(|at| {
            let of = tokens.launch(at).or_else(|| tokens.logical_launch(at))?;
            (of.arguments == open).then_some(of)
        });
        if let Some(launch) = launch {
            return Some(tokens.word(launch.kernel));
        }
        let close = open
            .checked_sub(1)
            .filter(|at| matches!(tokens.at(*at), b">" | b">>"))?;
        let name = tokens.arguments_begin(close)?.checked_sub(1)?;
        let word = tokens.word(name);
        (tokens.is_name(name) && !CASTS.contains(&word.as_str())).then_some(word)
    }

    fn statement_begin(&self, at: usize) -> usize {
        let ends = |at: &usize| matches!(self.tokens.at(*at), b";" | b"{" | b"}");
        let before = (self.range.start..at).rev().find(ends);
        before.map_or(self.range.start, |before| before + 1)
    }
}

/// What a function of the C library, or a copy of CUDA's that is waited for, does with the memory of an
/// argument.
fn library_effect(name: &str, position: usize) -> Option<Effect> {
    const READ: [&str; 15] = [
        "printf",
        "fprintf",
        "puts",
        "fputs",
        "fwrite",
        "write",
        "strlen",
        "strcmp",
        "strncmp",
        "memcmp",
        "assert",
        "atoi",
        "atof",
        "putchar",
        "cudaMemcpyToSymbol",
    ];
    const FIRST: [&str; 13] = [
        "memset",
        "memcpy",
        "memmove",
        "strcpy",
        "strncpy",
        "strcat",
        "sprintf",
        "snprintf",
        "fread",
        "fgets",
        "qsort",
        "cudaMemcpy",
        "cudaMemcpyFromSymbol",
    ];
    const ALL: [&str; 3] = ["scanf", "fscanf", "sscanf"];
    match () {
        () if READ.contains(&name) => Some(Effect::READS),
        () if FIRST.contains(&name) && position == 0 => Some(Effect::BOTH),
        () if FIRST.contains(&name) => Some(Effect::READS),
        () if name == "read" && position == 1 || ALL.contains(&name) => Some(Effect::BOTH),
        () => None,
    }
}

//! What is done with a name where it stands: by operators, and by the calls that it is an argument of.
//!
//! ```text
//! *(row + 1) = x;        writes row
//! fread(a, 4, n, file);  writes a
//! f<T>(&a[1])            what f does with its parameter
//! view.first = row;      the address of row goes where it is not followed
//! ```
//!
//! Each mention is an access, an address that another name has from there on, or one that cannot be
//! followed. Device code has no others than those that are given to it: what it does with an address
//! that goes elsewhere counts where that goes.

use std::ops::{BitOr, Range};

use super::accesses::{Access, Effect, Escape, Found, Named, Names, Summaries};
use super::code::Code;
use super::expressions::{CHANGE, Expression, Flow, Part, UNEVALUATED};
use crate::front::cuda::{Declared, Fun, Parentheses, Tokens, is_arithmetic};
use crate::typed::library;

/// Types of numbers that are addresses.
const ADDRESSES: [&str; 2] = ["intptr_t", "uintptr_t"];

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

impl<'p, 'a> Place<'p, 'a> {
    fn part(&self) -> Part<'p, 'a> {
        Part {
            code: self.code,
            tokens: self.tokens,
            range: self.range,
        }
    }

    fn at(&self, at: Option<usize>) -> &[u8] {
        let at = at.filter(|at| self.range.contains(at));
        at.map_or(b"".as_slice(), |at| self.tokens.at(at))
    }

    fn fun(&self) -> &'p Fun {
        &self.code.functions[self.number]
    }

    /// Adds the access of a name that stands at a token.
    pub fn access(
        &self,
        token: usize,
        name: &str,
        named: &Named,
        names: &Names,
        found: &mut Found,
    ) {
        let own = self.part().expression(token, named.rank);
        let before = self.at(own.tokens.start.checked_sub(1));
        if UNEVALUATED.iter().any(|word| before == word.as_bytes()) {
            return;
        }
        if own.level == 0 && !self.is_returned_reference(&own) {
            self.value(token, name, named, &own, found);
            return;
        }
        let count = found.accesses.len() + found.escapes.len();
        self.address(token, name, &own, (named, names), found);
        let is_new = found.accesses.len() + found.escapes.len() > count;
        // Another structure may have a member of this name that is one value.
        if own.is_unclear || own.is_member && !is_new {
            self.value(token, name, named, &own, found);
        }
    }

    /// How many subscripts lead from what another name is set to, where a name stands at a token, to a
    /// value; `None` where the other one gets no address.
    pub fn given(&self, token: usize, rank: usize) -> Option<usize> {
        let own = self.part().expression(token, rank);
        (own.level > 0 && self.part().flow(&own) != Flow::Nowhere).then_some(own.level)
    }

    /// Whether the address of a name is all that something is set to.
    pub fn is_all(&self, token: usize, rank: usize) -> bool {
        let own = self.part().expression(token, rank);
        matches!(self.part().flow(&own), Flow::Set(_))
    }

    /// `return a[i];` of a function that gives a reference.
    fn is_returned_reference(&self, own: &Expression) -> bool {
        let head = self.fun().function.first..self.fun().function.name;
        head.into_iter().any(|at| self.tokens.at(at) == b"&")
            && self.part().flow(own) == Flow::Returned
    }

    /// A value is read, written or both.
    fn value(&self, token: usize, name: &str, named: &Named, own: &Expression, found: &mut Found) {
        let (first, next) = (own.tokens.start, own.tokens.end);
        let (before, after) = (self.at(first.checked_sub(1)), self.at(Some(next)));
        let callee = self.enclosing_call(first);
        if callee
            .as_ref()
            .is_some_and(|(name, ..)| UNEVALUATED.contains(&name.as_str()))
        {
            return;
        }
        let is_argument =
            matches!(before, b"(" | b"," | b"?" | b":") && matches!(after, b")" | b"," | b":");
        let by_call = callee
            // What is converted is a value of its own.
            .filter(|_| is_argument && !own.is_converted)
            .map(|(callee, _, position)| self.by_reference(&callee, position));
        let is_set = after == b"=";
        let changes = CHANGE.contains(&after)
            || [b"++".as_slice(), b"--"].iter().any(|one| before == *one || after == *one)
            // `std::cin >> x`
            || before == b">>"
            // `x.clear()`
            || own.is_member && after == b"(";
        let effect = Effect {
            reads: !is_set,
            writes: is_set || changes,
        } | by_call.unwrap_or_default();
        found.accesses.push(Access {
            token,
            name: name.into(),
            is_whole: named.rank == 0 && is_set && !own.is_computed,
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
    fn address(
        &self,
        token: usize,
        name: &str,
        own: &Expression,
        (named, names): (&Named, &Names),
        found: &mut Found,
    ) {
        let flow = self.part().flow(own);
        let access = |effect: Effect| Access {
            token,
            name: name.into(),
            effect,
            is_whole: false,
            bytes: self.bytes_set(token),
            is_address: flow != Flow::Operand,
        };
        if let Some(effect) = self.of_elements(own.tokens.start) {
            return found.accesses.push(access(effect));
        }
        let to = match flow {
            Flow::Nowhere if own.is_member => return,
            Flow::Nowhere => {
                let none = Access {
                    is_address: false,
                    ..access(Effect::default())
                };
                return found.accesses.push(none);
            }
            Flow::Operand => return found.accesses.push(access(Effect::READS)),
            Flow::Input => return found.accesses.push(access(Effect::BOTH)),
            Flow::Argument(open) => match self.argument(open, own, (named, names)) {
                Ok(effect) => return found.accesses.push(access(effect)),
                Err(to) => Some(to),
            },
            Flow::List(open) => self.list(open),
            Flow::Set(equals) => self.target(equals, (named, names)),
            Flow::Returned => self.caller(own),
            Flow::Unknown => Some("an expression that is not followed".to_owned()),
        };
        match to {
            Some(_) if self.fun().is_device => {
                let effect = match self.is_of_constants(name) && !own.is_converted {
                    true => Effect::READS,
                    false => Effect::BOTH,
                };
                found.accesses.push(access(effect));
            }
            Some(to) => found.escapes.push(Escape { token, to }),
            None => {}
        }
    }

    /// Whether a name is a parameter that points to constants: `const float *row`.
    fn is_of_constants(&self, name: &str) -> bool {
        let (fun, tokens) = (self.fun(), self.tokens);
        let Some(own) = fun.parameters.iter().find(|one| one.name == name) else {
            return false;
        };
        let parts = tokens.parts(fun.function.parameters.clone());
        let part = parts.into_iter().find(|part| part.contains(&own.token));
        let mut pointed = part
            .unwrap_or_default()
            .take_while(|at| tokens.at(*at) != b"*");
        own.rank == 1 && pointed.any(|at| tokens.at(at) == b"const")
    }

    /// What a call does with an address that it gets; otherwise where that goes.
    fn argument(
        &self,
        open: usize,
        own: &Expression,
        (named, names): (&Named, &Names),
    ) -> Result<Effect, String> {
        let tokens = self.tokens;
        let of_std =
            |at: usize| tokens.touching(at - 2, [b":", b":"]) && tokens.at(at - 3) == b"std";
        if open >= 4 && of_std(open - 1) {
            return Ok(Effect::BOTH);
        }
        // `float *q(row);`
        let made = self.fun().locals.iter().find(|one| one.token + 1 == open);
        if let Some(local) = made
            && self.is_followed(&local.name, named, names)
        {
            return Ok(Effect::default());
        }
        let parts = tokens.parts(open + 1..tokens.bracket_end(open));
        let position = parts
            .iter()
            .position(|part| part.contains(&own.tokens.start));
        match self.callee(open) {
            Some(callee) => self.call(&callee, position.unwrap_or_default()),
            None => Err("a function that is not known by its name".to_owned()),
        }
    }

    /// Where an address goes that stands in a list of values; nowhere if that is read at once.
    fn list(&self, open: usize) -> Option<String> {
        let name = open.checked_sub(1).map(|at| self.tokens.word(at));
        let is_made = |one: &Declared| Some(&one.name) == name.as_ref() && is_of_std(one);
        match self.fun().locals.iter().any(is_made) {
            true => None,
            false => Some("a structure or an array of addresses".to_owned()),
        }
    }

    /// Where an address goes that is returned; nowhere if the caller shares it.
    fn caller(&self, own: &Expression) -> Option<String> {
        let (first, next) = (own.tokens.start, own.tokens.end);
        let is_shared = self.summaries.returns[self.number]
            && self.at(Some(next)) == b";"
            && self.at(first.checked_sub(1)) == b"return";
        (!is_shared).then(|| "the caller of this function".to_owned())
    }

    /// Where an address goes that something is set to; nowhere if that is a name that is followed.
    fn target(&self, equals: usize, (named, names): (&Named, &Names)) -> Option<String> {
        let (fun, tokens) = (self.fun(), self.tokens);
        let begins = |one: &&Declared| {
            let value = one.value.as_ref();
            value.is_some_and(|value| value.start == equals + 1)
        };
        let before = equals.checked_sub(1)?;
        let word = match fun.locals.iter().find(begins) {
            Some(local) => Some(local.name.clone()),
            None if tokens.is_name(before) && !tokens.is_member(before) => {
                let is_read = self.part().expression(before, 1).level == 0;
                (!is_read).then(|| tokens.word(before))
            }
            None => None,
        };
        if word.is_some_and(|word| self.is_followed(&word, named, names)) {
            return None;
        }
        let part = self.part();
        let begin = part.statement_begin(equals);
        let open = part.enclosing(equals).map_or(begin, |open| open + 1);
        let text = self.code.files[fun.file].text_of(begin.max(open)..equals);
        Some(format!("`{text}`"))
    }

    /// Whether a name is one of this memory from then on that it is set to its address, or a number.
    fn is_followed(&self, word: &str, named: &Named, names: &Names) -> bool {
        let fun = self.fun();
        let locals = || fun.locals.iter().filter(|one| one.name == word);
        let is_number = |one: &Declared| {
            let mut types = one.types.iter();
            let is_word = |word: &str| is_arithmetic(word) || ADDRESSES.contains(&word);
            one.rank == 0 && !one.is_reference && types.all(|word| is_word(word))
        };
        let variable = self.code.variable(word).filter(|_| !fun.declares(word));
        let is_shared = variable.is_some_and(|own| self.code.variables[own].is_pointer());
        let is_kept = locals().any(|one| one.types.iter().any(|word| word == "static"));
        let is_alias = names
            .get(word)
            .is_some_and(|other| named.objects.is_subset(&other.objects));
        let is_of_numbers = locals().next().is_some() && locals().all(is_number);
        is_shared && !fun.is_device || is_alias && !is_kept || is_of_numbers
    }

    /// The name before a parenthesis, or before template arguments or the configuration of a launch.
    fn callee(&self, open: usize) -> Option<String> {
        let name = open.checked_sub(1)?;
        match self.tokens.is_name(name) {
            true => Some(self.tokens.word(name)),
            false => self.before_brackets(open),
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
        if UNEVALUATED.contains(&callee) || ["free", "realloc"].contains(&callee) {
            return Ok(Effect::default());
        }
        // `std::vector<T> name(first, last)`
        let is_made = |one: &Declared| one.name == callee && is_of_std(one);
        if self.fun().locals.iter().any(is_made) {
            return Ok(Effect::READS);
        }
        let functions: Vec<_> = self.code.named(callee.as_bytes()).collect();
        if !functions.is_empty() {
            let all = functions.into_iter();
            let each = all.map(|(number, fun)| self.by_function(number, fun, position));
            return each
                .into_iter()
                .try_fold(Effect::default(), |all, one| Ok(all | one?));
        }
        let is_device = self.fun().is_device;
        match library_effect(callee, position) {
            Some(effect) => Ok(effect),
            None if is_device => Ok(Effect::BOTH),
            None => Err(format!("`{callee}`, which is not in these files")),
        }
    }

    /// What a function does with memory whose address it gets as an argument.
    fn by_function(&self, number: usize, fun: &Fun, position: usize) -> Result<Effect, String> {
        let parameter = fun.parameters.get(position);
        let is_named = parameter.is_some_and(|one| one.is_pointer || one.is_reference);
        match (self.summaries.launches[number], is_named) {
            // A function that launches does what is needed itself.
            (true, true) => Ok(Effect::default()),
            (true, false) => Err(format!("`{}`, which takes it as no pointer", fun.name)),
            (false, false) => Ok(Effect::BOTH),
            (false, true) => match &self.summaries.kept[number][position] {
                Some(to) => Err(format!("`{}`, and from there to {to}", fun.name)),
                None => Ok(self.summaries.parameters[number][position]),
            },
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
                b"(" => match tokens.parentheses(here) {
                    Parentheses::Header => return None,
                    Parentheses::Call if self.range.contains(&(here.checked_sub(1)?)) => {
                        match self.callee(here) {
                            Some(callee) => return Some((callee, here, position)),
                            None => position = 0,
                        }
                    }
                    _ => position = 0,
                },
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
        let name = tokens.template_begin(close)?.checked_sub(1)?;
        let word = tokens.word(name);
        (tokens.is_name(name) && !CASTS.contains(&word.as_str())).then_some(word)
    }
}

/// Whether a variable is of a type of the standard library.
fn is_of_std(one: &Declared) -> bool {
    one.types.iter().any(|word| word == "std")
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

//! What functions do with virtual shared variables, and with the memory that parameters point to.
//!
//! ```text
//! total += ga[i][j];     reads ga; writes total
//! init_array(ga);        what init_array does with its parameter
//! float *row = ga[i];    row is another name of ga
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{BitOr, Range};

use super::code::{Code, Fun, declared};
use crate::front::cuda::{Kind, Statement, Tokens};
use crate::typed::library;

/// What is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    /// A virtual shared variable, or what it points to.
    Variable(usize),
    /// What a parameter points to.
    Parameter(usize),
    /// What the function returns the address of, to a caller that shares it.
    Returned,
}

/// How.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Values are read.
    pub reads: bool,
    /// Values are written.
    pub writes: bool,
}

impl Effect {
    const READS: Self = Self { reads: true, writes: false };
    const BOTH: Self = Self { reads: true, writes: true };

    /// Whether there is any.
    pub const fn is_any(self) -> bool {
        self.reads || self.writes
    }
}

impl BitOr for Effect {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self {
            reads: self.reads || other.reads,
            writes: self.writes || other.writes,
        }
    }
}

/// An access.
#[derive(Clone, Debug)]
pub struct Access {
    /// The name's token.
    pub token: usize,
    /// The name: of a variable, a parameter, or another name of either.
    pub name: String,
    /// How.
    pub effect: Effect,
    /// The whole value is written, and none read.
    pub is_whole: bool,
    /// Its address is what stands there: an argument of a call or launch.
    pub is_address: bool,
}

/// An address that goes where it cannot be followed.
#[derive(Clone, Debug)]
pub struct Escape {
    /// The name's token.
    pub token: usize,
    /// Where it goes.
    pub to: String,
}

/// A name of shared memory in a function.
#[derive(Clone, Debug)]
pub struct Named {
    /// What it is a name of.
    pub objects: BTreeSet<Object>,
    /// How many subscripts lead to a value.
    pub rank: usize,
    /// It is a pointer: what it points to is known when the program runs.
    pub is_pointer: bool,
}

/// The names of a function.
pub type Names = BTreeMap<String, Named>;

/// What calls of functions do.
#[derive(Debug, Default)]
pub struct Summaries {
    /// With the memory of each parameter, by function.
    pub parameters: Vec<Vec<Effect>>,
    /// With variables that device functions name, by function.
    pub variables: Vec<BTreeMap<usize, Effect>>,
    /// Whether it launches a kernel, or calls what does.
    pub launches: Vec<bool>,
    /// Which parameters may point to shared memory.
    pub shared: Vec<Vec<bool>>,
    /// Whether a call of it gives a shared pointer its memory.
    pub returns: Vec<bool>,
    /// The variables of one value that device code reads only, and by their names alone.
    pub values: BTreeSet<usize>,
}

/// What is found in a part of a function.
#[derive(Debug, Default)]
pub struct Found {
    /// Accesses, in the order of the text.
    pub accesses: Vec<Access>,
    /// What cannot be followed.
    pub escapes: Vec<Escape>,
}

impl Summaries {
    /// Of all functions.
    pub fn new(code: &Code<'_>) -> Self {
        let functions = &code.functions;
        let mut own = Self {
            parameters: functions.iter().map(|f| vec![Effect::default(); f.parameters.len()]).collect(),
            variables: vec![BTreeMap::new(); functions.len()],
            launches: vec![false; functions.len()],
            shared: functions.iter().map(|f| vec![false; f.parameters.len()]).collect(),
            returns: vec![false; functions.len()],
            values: BTreeSet::new(),
        };
        while own.extend(code) {}
        let is_value = |variable: &usize| own.is_value(code, *variable);
        own.values = (0..code.variables.len()).filter(is_value).collect();
        own
    }

    fn is_value(&self, code: &Code<'_>, variable: usize) -> bool {
        let one = &code.variables[variable];
        let is_written = |all: &BTreeMap<usize, Effect>| all.get(&variable).is_some_and(|effect| effect.writes);
        if one.declared.rank > 0 || code.size_of(&one.declared.types).is_none() || self.variables.iter().any(is_written) {
            return false;
        }
        let object = Object::Variable(variable);
        !code.functions.iter().enumerate().any(|(number, fun)| {
            let tokens = code.tokens(fun);
            let names = self.names(code, number);
            let mut of_object = names.iter().filter(|(_, named)| named.objects.contains(&object));
            of_object.any(|(name, _)| name != one.name())
                || self.found(code, number, &names, fun.body()).accesses.iter().any(|access| {
                    let place = Place { code, summaries: self, number, tokens, range: &fun.body() };
                    access.name == one.name() && (access.is_address || place.is_bound(access.token))
                })
        })
    }

    /// Adds what follows from what is known; whether there was anything.
    fn extend(&mut self, code: &Code<'_>) -> bool {
        let mut changed = false;
        for (number, fun) in code.functions.iter().enumerate() {
            let tokens = code.tokens(fun);
            let names = self.names(code, number);
            let found = self.found(code, number, &names, fun.body());
            for access in &found.accesses {
                for object in &names[&access.name].objects {
                    match *object {
                        Object::Parameter(parameter) => {
                            let known = &mut self.parameters[number][parameter];
                            let all = *known | access.effect;
                            changed |= all != *known;
                            *known = all;
                        }
                        Object::Variable(variable) if fun.is_device => {
                            let known = self.variables[number].entry(variable).or_default();
                            let all = *known | access.effect;
                            changed |= all != *known;
                            *known = all;
                        }
                        Object::Variable(_) | Object::Returned => {}
                    }
                }
            }
            for at in fun.body() {
                let is_launch = !fun.is_device
                    && (tokens.launch(at).is_some() || tokens.logical_launch(at).is_some());
                changed |= is_launch && !self.launches[number];
                self.launches[number] |= is_launch;
                let Some(open) = tokens.call(at) else {
                    continue;
                };
                for (callee, _) in code.named(tokens.at(at)) {
                    if !fun.is_device && !self.returns[callee] && gets(tokens, at, &names) {
                        self.returns[callee] = true;
                        changed = true;
                    }
                    if self.launches[callee] && !self.launches[number] {
                        self.launches[number] = true;
                        changed = true;
                    }
                    if fun.is_device {
                        for (variable, effect) in self.variables[callee].clone() {
                            let known = self.variables[number].entry(variable).or_default();
                            changed |= *known | effect != *known;
                            *known = *known | effect;
                        }
                    } else {
                        changed |= self.share(code, &names, tokens, open, callee);
                    }
                }
            }
        }
        changed
    }

    /// Marks the parameters that a call gives shared memory.
    fn share(
        &mut self,
        code: &Code<'_>,
        names: &Names,
        tokens: Tokens<'_>,
        open: usize,
        callee: usize,
    ) -> bool {
        let mut changed = false;
        let arguments = tokens.parts(open + 1..tokens.bracket_end(open));
        for (position, argument) in arguments.into_iter().enumerate() {
            let is_pointer = code.functions[callee]
                .parameters
                .get(position)
                .is_some_and(|one| one.is_pointer || one.is_reference);
            let mut words = argument.map(|at| tokens.word(at));
            if is_pointer
                && words.any(|word| names.get(&word).is_some_and(|one| !one.objects.is_empty()))
                && !self.shared[callee][position]
            {
                self.shared[callee][position] = true;
                changed = true;
            }
        }
        changed
    }

    /// The names that a function has for shared memory.
    pub fn names(&self, code: &Code<'_>, number: usize) -> Names {
        let fun = &code.functions[number];
        let mut names = Names::new();
        for (variable, one) in code.variables.iter().enumerate() {
            if fun.declares(one.name()) {
                continue;
            }
            let named = Named {
                objects: BTreeSet::from([Object::Variable(variable)]),
                rank: one.declared.rank,
                is_pointer: one.is_pointer(),
            };
            names.insert(one.name().into(), named);
        }
        for (parameter, one) in fun.parameters.iter().enumerate() {
            if one.is_pointer || one.is_reference {
                let named = Named {
                    objects: BTreeSet::from([Object::Parameter(parameter)]),
                    rank: one.rank,
                    is_pointer: true,
                };
                names.insert(one.name.clone(), named);
            }
        }
        if self.returns[number] {
            let tokens = code.tokens(fun);
            let returned = fun.body().filter(|at| tokens.at(*at) == b"return" && tokens.at(*at + 2) == b";");
            let returned: Vec<String> = returned.map(|at| tokens.word(at + 1)).collect();
            for local in fun.locals.iter().filter(|one| one.is_pointer && returned.contains(&one.name)) {
                let objects = BTreeSet::from([Object::Returned]);
                names.insert(local.name.clone(), Named { objects, rank: local.rank, is_pointer: true });
            }
        }
        while self.add_aliases(code, fun, &mut names) {}
        names
    }

    /// Adds local variables that are given an address of shared memory.
    fn add_aliases(&self, code: &Code<'_>, fun: &Fun, names: &mut Names) -> bool {
        let tokens = code.tokens(fun);
        let mut changed = false;
        for local in fun.locals.iter().filter(|one| one.is_pointer || one.is_reference || auto(&one.types)) {
            let mut objects = BTreeSet::new();
            for at in fun.body() {
                let is_set = tokens.word(at) == local.name && tokens.at(at + 1) == b"=";
                let is_member = at > 0 && matches!(tokens.at(at - 1), b"." | b"->");
                let of_declaration = local.value.as_ref().is_some_and(|value| value.start == at + 2);
                if !is_set || is_member && !of_declaration {
                    continue;
                }
                let end = end_of_value(tokens, at + 2, fun.body().end);
                let mut next = at + 2;
                while next < end {
                    // What is computed of values there is no address.
                    if matches!(tokens.at(next), b"malloc" | b"calloc" | b"sizeof") {
                        next = tokens.bracket_end(next + 1);
                    }
                    let is_address = local.is_reference || tokens.at(next - 1) == b"&";
                    let named = names.get(&tokens.word(next));
                    if let Some(named) = named.filter(|named| named.rank > 0 || is_address) {
                        objects.extend(&named.objects);
                    }
                    next += 1;
                }
            }
            let known = names.get(&local.name).map(|one| one.objects.len()).unwrap_or_default();
            if objects.len() > known {
                let rank = if auto(&local.types) { 1 } else { local.rank };
                let named = Named { objects, rank, is_pointer: true };
                names.insert(local.name.clone(), named);
                changed = true;
            }
        }
        changed
    }

    /// The accesses in a part of a function.
    pub fn found(&self, code: &Code<'_>, number: usize, names: &Names, range: Range<usize>) -> Found {
        let fun = &code.functions[number];
        let tokens = code.tokens(fun);
        let mut found = Found::default();
        for at in range.clone() {
            let word = tokens.word(at);
            let Some(named) = names.get(&word) else {
                self.hidden(code, names, tokens, at, &mut found);
                continue;
            };
            let before = at.checked_sub(1).map_or(b"".as_slice(), |before| tokens.at(before));
            let is_other = matches!(before, b"." | b"->")
                || tokens.at(at + 1) == b":" && tokens.touching(at + 1, [b":", b":"]);
            if is_other {
                continue;
            }
            let is_declared = fun.locals.iter().any(|one| one.token == at);
            if !is_declared {
                Place { code, summaries: self, number, tokens, range: &range }
                    .access(at, &word, named, &mut found);
            }
        }
        found
    }

    /// A macro that hides names is taken to read and write what they name.
    fn hidden(&self, code: &Code<'_>, names: &Names, tokens: Tokens<'_>, at: usize, found: &mut Found) {
        if !tokens.is_name(at) {
            return;
        }
        let Some(macros) = code.program.macros.get(&tokens.word(at)) else {
            return;
        };
        for word in macros.iter().flat_map(|one| &one.body) {
            if names.contains_key(word) {
                found.accesses.push(Access {
                    token: at,
                    name: word.clone(),
                    effect: Effect::BOTH,
                    is_whole: false,
                    is_address: false,
                });
            }
        }
    }
}

/// Whether the call whose name stands there is all that a shared pointer is set to.
pub fn gets(tokens: Tokens<'_>, call: usize, names: &Names) -> bool {
    let Some(close) = tokens.call(call).map(|open| tokens.bracket_end(open)) else {
        return false;
    };
    let mut first = call;
    while let Some(open) = first.checked_sub(1).filter(|at| tokens.at(*at) == b")").and_then(|at| tokens.bracket_begin(at)) {
        first = open;
    }
    let is_all = first >= 2 && tokens.at(first - 1) == b"=" && tokens.at(close + 1) == b";";
    is_all && names.get(&tokens.word(first - 2)).is_some_and(|one| one.is_pointer && !one.objects.is_empty())
}

fn auto(types: &[String]) -> bool {
    types.iter().any(|word| word == "auto")
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

/// Where a name stands.
struct Place<'p, 'a> {
    code: &'p Code<'a>,
    summaries: &'p Summaries,
    number: usize,
    tokens: Tokens<'p>,
    range: &'p Range<usize>,
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

    fn access(&self, token: usize, name: &str, named: &Named, found: &mut Found) {
        let tokens = self.tokens;
        let (mut first, mut next) = (token, token + 1);
        let mut taken = 0_usize;
        let mut is_member = false;
        let mut is_address = false;
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
                b"(" if self.at(Some(next)) == b")" && !self.ends_operand(before.and_then(|b| b.checked_sub(1))) => {
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
                    Some(open) if self.range.contains(&open) && !self.is_call(open) => first = open,
                    _ => break,
                },
                _ => break,
            }
        }
        if (is_member || taken >= named.rank) && !is_address {
            let is_whole = named.rank == 0 && !is_member;
            self.value(token, name, first..next, is_whole, found);
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
    fn value(&self, token: usize, name: &str, own: Range<usize>, is_whole: bool, found: &mut Found) {
        let (first, next) = (own.start, own.end);
        const CHANGE: [&[u8]; 10] = [
            b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"<<=", b">>=",
        ];
        let (before, after) = (self.at(first.checked_sub(1)), self.at(Some(next)));
        let callee = self.enclosing_call(first);
        if callee.as_ref().is_some_and(|(name, ..)| name == "sizeof" || name == "decltype") {
            return;
        }
        let is_argument = matches!(before, b"(" | b",") && matches!(after, b")" | b",");
        let by_call = callee.filter(|_| is_argument).map(|(callee, _, position)| {
            self.by_reference(&callee, position)
        });
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
            effect,
            is_address: false,
        });
    }

    /// Whether a function that gets the name as an argument binds a reference to it.
    fn is_bound(&self, token: usize) -> bool {
        self.enclosing_call(token).is_some_and(|(callee, _, position)| {
            let mut functions = self.code.named(callee.as_bytes());
            functions.any(|(_, fun)| fun.parameters.get(position).is_some_and(|one| one.is_reference))
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
        let is_value = !is_macro && (library_effect(callee, position).is_some() || library::is_on_device(callee));
        if is_value { Effect::READS } else { Effect::BOTH }
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
                is_address: true,
            });
        };
        if let Some((callee, open, position)) = self.enclosing_call(first) {
            let of_std = |at: usize| tokens.touching(at - 2, [b":", b":"]) && tokens.at(at - 3) == b"std";
            if open >= 4 && of_std(open - 1) {
                return push(Effect::BOTH);
            }
            match self.call(&callee, position) {
                Ok(effect) => return push(effect),
                Err(to) => return found.escapes.push(Escape { token, to }),
            }
        }
        let is_compared = |word: &[u8]| matches!(word, b"==" | b"!=" | b"!" | b"&&" | b"||" | b"?");
        if is_compared(self.at(Some(next))) || is_compared(self.at(first.checked_sub(1))) {
            return;
        }
        let begin = self.statement_begin(first);
        let is_returned = self.summaries.returns[self.number] && self.at(Some(next)) == b";" && begin + 1 == first;
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
        let is_local = fun.declares(&word) || declared(tokens, begin..first).iter().any(|one| one.name == word);
        let is_shared = self.code.variable(&word).is_some_and(|own| self.code.variables[own].is_pointer());
        if !(is_plain && tokens.is_name(target) && (is_local || is_shared)) && !fun.is_device {
            let to = format!("`{word}`");
            found.escapes.push(Escape { token, to });
        }
    }

    /// What a call does with memory whose address it gets; otherwise where the address goes.
    fn call(&self, callee: &str, position: usize) -> Result<Effect, String> {
        if ["sizeof", "decltype", "free", "realloc"].contains(&callee) {
            return Ok(Effect::default());
        }
        let functions: Vec<_> = self.code.named(callee.as_bytes()).collect();
        if !functions.is_empty() {
            // A function that launches does what is needed itself.
            let of = |(number, _): &(usize, &Fun)| match self.summaries.launches[*number] {
                true => Effect::default(),
                false => self.summaries.parameters[*number].get(position).copied().unwrap_or(Effect::BOTH),
            };
            return Ok(functions.iter().map(of).fold(Effect::default(), BitOr::bitor));
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
            here = here.checked_sub(1).filter(|here| self.range.contains(here))?;
            match tokens.at(here) {
                b")" | b"]" | b"}" => here = tokens.bracket_begin(here)?,
                b"," => position += 1,
                b";" | b"{" | b"[" => return None,
                b"(" => {
                    let name = here.checked_sub(1).filter(|name| self.range.contains(name))?;
                    let word = tokens.word(name);
                    if tokens.is_name(name) && !["return", "if", "while", "for", "switch"].contains(&word.as_str()) {
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
        let name = tokens.arguments_begin(open - 1)?.checked_sub(1)?;
        let word = tokens.word(name);
        (tokens.is_name(name) && !CASTS.contains(&word.as_str())).then_some(word)
    }

    fn statement_begin(&self, at: usize) -> usize {
        let ends = |at: &usize| matches!(self.tokens.at(*at), b";" | b"{" | b"}");
        let before = (self.range.start..at).rev().find(ends);
        before.map_or(self.range.start, |before| before + 1)
    }
}

/// What a function of the C library does with the memory of an argument.
fn library_effect(name: &str, position: usize) -> Option<Effect> {
    const READ: [&str; 14] = [
        "printf", "fprintf", "puts", "fputs", "fwrite", "write", "strlen", "strcmp", "strncmp",
        "memcmp", "assert", "atoi", "atof", "putchar",
    ];
    const FIRST: [&str; 11] = [
        "memset", "memcpy", "memmove", "strcpy", "strncpy", "strcat", "sprintf", "snprintf",
        "fread", "fgets", "qsort",
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

/// Whether a statement launches a kernel, or calls what does.
pub fn launches(code: &Code<'_>, summaries: &Summaries, tokens: Tokens<'_>, range: Range<usize>) -> bool {
    range.into_iter().any(|at| {
        let is_launch = tokens.launch(at).is_some() || tokens.logical_launch(at).is_some();
        let is_call = tokens.call(at).is_some();
        is_launch || is_call && code.named(tokens.at(at)).any(|(number, _)| summaries.launches[number])
    })
}

/// Whether a statement gives one of some pointers another address.
pub fn moves(tokens: Tokens<'_>, names: &Names, statement: &Statement) -> bool {
    let is_compound = !matches!(statement.kind, Kind::Simple(_));
    is_compound
        && statement.tokens.clone().any(|at| {
            let is_pointer = names.get(&tokens.word(at)).is_some_and(|one| one.is_pointer);
            is_pointer && matches!(tokens.at(at + 1), b"=" | b"++" | b"--" | b"+=" | b"-=")
        })
}

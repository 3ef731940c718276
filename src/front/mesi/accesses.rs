//! What functions do with virtual shared variables, and with the memory that parameters point to.
//!
//! ```text
//! total += ga[i][j];     reads ga; writes total
//! init_array(ga);        what init_array does with its parameter
//! float *row = ga[i];    row is another name of ga
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{BitOr, Range};

use super::code::Code;
use super::places::Place;
use super::{moves, shares};
use crate::front::cuda::{Declared, Launch, Macro, Tokens};

/// What is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    /// A virtual shared variable, or what it points to.
    Variable(usize),
    /// What a parameter points to.
    Parameter(usize),
    /// What local variables of the function point to: it returns the address to a caller that
    /// shares it, or launches get it.
    Local,
}

impl Object {
    /// The parameter that it is what it points to.
    pub const fn parameter(&self) -> Option<usize> {
        match self {
            Self::Parameter(parameter) => Some(*parameter),
            Self::Variable(_) | Self::Local => None,
        }
    }
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
    /// Values are read only.
    pub const READS: Self = Self {
        reads: true,
        writes: false,
    };
    /// Values are read and written.
    pub const BOTH: Self = Self {
        reads: true,
        writes: true,
    };

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
    /// So many bytes from its first on are written, and none read.
    pub bytes: Option<Range<usize>>,
    /// Its address is what stands there: an argument of a call or launch.
    pub is_address: bool,
}

impl Access {
    /// Of a value, as far as nothing more is known.
    pub fn of(token: usize, name: &str, effect: Effect) -> Self {
        Self {
            token,
            name: name.to_owned(),
            effect,
            is_whole: false,
            bytes: None,
            is_address: false,
        }
    }
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
    /// What kind of name.
    pub binding: Binding,
}

/// How a name is bound to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// The variable's own name.
    Variable,
    /// A pointer: what it points to is known when the program runs.
    Pointer,
    /// A reference.
    Reference,
    /// A reference to each element of a list, whose own name stands before the loop.
    Element,
}

impl Binding {
    /// What a parameter or local variable is to memory that it is a name of.
    pub const fn of(one: &Declared) -> Self {
        match (one.is_reference, one.is_element) {
            (false, _) => Self::Pointer,
            (true, false) => Self::Reference,
            (true, true) => Self::Element,
        }
    }
}

impl Named {
    /// What it is a name of is known when the program runs.
    pub fn is_pointer(&self) -> bool {
        self.binding != Binding::Variable
    }
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
    /// Whether it launches a kernel that may use shared memory, or calls what does.
    pub launches: Vec<bool>,
    /// Such launches: the file and the first token of the configuration of each.
    touching: BTreeSet<(usize, usize)>,
    /// The macros that call such functions.
    pub macros: BTreeSet<String>,
    /// Which parameters may point to shared memory.
    pub shared: Vec<Vec<bool>>,
    /// Where host functions keep the address that each parameter gets, if they do.
    pub kept: Vec<Vec<Option<String>>>,
    /// The other parameters whose memory the pointer may have behind a call that each one refers to.
    pub handed: Vec<Vec<BTreeSet<usize>>>,
    /// Whether a call of it gives a shared pointer another address.
    pub moves: Vec<bool>,
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

impl Found {
    fn append(&mut self, other: Self) {
        self.accesses.extend(other.accesses);
        self.escapes.extend(other.escapes);
    }
}

impl Summaries {
    /// Of all functions.
    pub fn new(code: &Code<'_>) -> Self {
        let functions = &code.functions;
        let mut own = Self {
            parameters: functions
                .iter()
                .map(|f| vec![Effect::default(); f.parameters.len()])
                .collect(),
            variables: vec![BTreeMap::new(); functions.len()],
            launches: vec![false; functions.len()],
            touching: BTreeSet::new(),
            macros: BTreeSet::new(),
            shared: functions
                .iter()
                .map(|f| vec![false; f.parameters.len()])
                .collect(),
            kept: functions
                .iter()
                .map(|f| vec![None; f.parameters.len()])
                .collect(),
            handed: functions
                .iter()
                .map(|f| vec![BTreeSet::new(); f.parameters.len()])
                .collect(),
            moves: vec![false; functions.len()],
            returns: vec![false; functions.len()],
            values: BTreeSet::new(),
        };
        while own.extend(code) {}
        own.values = own.values(code);
        own
    }

    /// Whether a kernel that may use shared memory is launched at a token of a file.
    pub fn is_touching(&self, file: usize, at: usize) -> bool {
        self.touching.contains(&(file, at))
    }

    /// Whether a function that launches is called there, or a macro that calls one.
    pub fn is_launching(&self, code: &Code<'_>, tokens: Tokens<'_>, at: usize) -> bool {
        let mut functions = code.named(tokens.at(at));
        self.macros.contains(&tokens.word(at))
            || tokens.call(at).is_some() && functions.any(|(number, _)| self.launches[number])
    }

    fn values(&self, code: &Code<'_>) -> BTreeSet<usize> {
        let is_written = |variable: usize| {
            let mut all = self.variables.iter();
            all.any(|own| own.get(&variable).is_some_and(|effect| effect.writes))
        };
        let all = code.variables.iter().enumerate();
        let mut values: BTreeSet<usize> = all
            .filter(|(variable, one)| {
                let is_one = one.declared.rank == 0;
                is_one && code.size_of(&one.declared.types).is_some() && !is_written(*variable)
            })
            .map(|(variable, _)| variable)
            .collect();
        for (number, fun) in code.functions.iter().enumerate() {
            let names = self.names(code, number);
            for (name, named) in &names {
                values.retain(|variable| {
                    name == code.variables[*variable].name()
                        || !named.objects.contains(&Object::Variable(*variable))
                });
            }
            let place = Place {
                code,
                summaries: self,
                number,
                tokens: code.tokens(fun),
                range: &fun.body(),
                names: &names,
            };
            for access in self.found(code, number, &names, fun.body()).accesses {
                if access.is_address || place.is_bound(access.token) {
                    values.retain(|variable| code.variables[*variable].name() != access.name);
                }
            }
        }
        values
    }

    /// Adds what follows from what is known; whether there was anything.
    fn extend(&mut self, code: &Code<'_>) -> bool {
        let mut changed = false;
        for (name, definitions) in &code.program.macros {
            let mut words = definitions.iter().flat_map(Macro::own_words);
            let is_launching = |word: &String| {
                let mut functions = code.named(word.as_bytes());
                self.macros.contains(word) || functions.any(|(number, _)| self.launches[number])
            };
            if !self.macros.contains(name) && words.any(is_launching) {
                changed |= self.macros.insert(name.clone());
            }
        }
        for (number, fun) in code.functions.iter().enumerate() {
            let tokens = code.tokens(fun);
            let names = self.names(code, number);
            let mut found = self.found(code, number, &names, fun.body());
            let of_members = fun.function.initialisers.clone();
            found.append(self.found(code, number, &names, of_members));
            changed |= self.hand(code, number, &names);
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
                        Object::Variable(_) | Object::Local => {}
                    }
                }
            }
            if !fun.is_device && !self.moves[number] && moves::shared(code, self, number, &names) {
                self.moves[number] = true;
                changed = true;
            }
            changed |= self.keep(number, tokens, &names, &found.escapes);
            for at in fun.body().filter(|_| !fun.is_device) {
                let is_shared = |name: &str| self.is_shared(number, &names, name);
                let touches = |launch: Launch| {
                    let arguments = launch.arguments..tokens.bracket_end(launch.arguments);
                    let mut all = found.accesses.iter();
                    launch.is_logical
                        || !shares::used(code, self, tokens.at(launch.kernel)).is_empty()
                        || arguments.clone().any(|at| is_shared(&tokens.word(at)))
                        || all.any(|one| arguments.contains(&one.token) && is_shared(&one.name))
                };
                let launch = tokens.launch(at).or_else(|| tokens.logical_launch(at));
                if launch.is_some_and(touches) {
                    changed |= self.touching.insert((fun.file, at));
                }
                let is_launch =
                    self.touching.contains(&(fun.file, at)) || self.is_launching(code, tokens, at);
                changed |= is_launch && !self.launches[number];
                self.launches[number] |= is_launch;
            }
            for at in fun.body() {
                let Some(open) = tokens.call(at) else {
                    continue;
                };
                for (callee, _) in code.named(tokens.at(at)) {
                    let is_got =
                        gets(tokens, at, &names) || self.returns[number] && is_returned(tokens, at);
                    if !fun.is_device && !self.returns[callee] && is_got {
                        self.returns[callee] = true;
                        changed = true;
                    }
                    if fun.is_device {
                        for (variable, effect) in self.variables[callee].clone() {
                            let known = self.variables[number].entry(variable).or_default();
                            changed |= *known | effect != *known;
                            *known = *known | effect;
                        }
                    } else {
                        changed |= self.share(code, &names, tokens, (number, open), callee);
                    }
                }
            }
        }
        changed
    }

    /// Marks the parameters whose addresses go where they cannot be followed.
    fn keep(
        &mut self,
        number: usize,
        tokens: Tokens<'_>,
        names: &Names,
        escapes: &[Escape],
    ) -> bool {
        let mut changed = false;
        for escape in escapes {
            for object in &names[&tokens.word(escape.token)].objects {
                if let Object::Parameter(parameter) = *object
                    && self.kept[number][parameter].is_none()
                {
                    self.kept[number][parameter] = Some(escape.to.clone());
                    changed = true;
                }
            }
        }
        changed
    }

    /// Whether a name in a function may be of shared memory.
    fn is_shared(&self, number: usize, names: &Names, name: &str) -> bool {
        let is_shared = |object: &Object| match *object {
            Object::Parameter(parameter) => self.shared[number][parameter],
            Object::Variable(_) | Object::Local => true,
        };
        let named = names.get(name);
        named.is_some_and(|named| named.objects.iter().any(is_shared))
    }

    /// Marks the parameters that a call gives shared memory.
    fn share(
        &mut self,
        code: &Code<'_>,
        names: &Names,
        tokens: Tokens<'_>,
        (number, open): (usize, usize),
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
                && words.any(|word| self.is_shared(number, names, &word))
                && !self.shared[callee][position]
            {
                self.shared[callee][position] = true;
                changed = true;
            }
        }
        changed
    }

    /// The names that a function has for shared memory; of variables, those that it, a macro, or device
    /// code that it launches names.
    pub fn names(&self, code: &Code<'_>, number: usize) -> Names {
        let fun = &code.functions[number];
        let mut names = Names::new();
        let tokens = code.tokens(fun);
        let mut variables = code.variables_in(fun);
        for (callee, _) in fun.body().flat_map(|at| code.named(tokens.at(at))) {
            variables.extend(self.variables[callee].keys());
        }
        for variable in variables {
            let one = &code.variables[variable];
            if fun.declares(one.name()) {
                continue;
            }
            let named = Named {
                objects: BTreeSet::from([Object::Variable(variable)]),
                rank: one.declared.rank,
                binding: match one.is_pointer() {
                    true => Binding::Pointer,
                    false => Binding::Variable,
                },
            };
            names.insert(one.name().into(), named);
        }
        for (parameter, one) in fun.parameters.iter().enumerate() {
            if one.is_pointer || one.is_reference {
                let named = Named {
                    objects: BTreeSet::from([Object::Parameter(parameter)]),
                    rank: one.rank,
                    binding: Binding::of(one),
                };
                names.insert(one.name.clone(), named);
            }
        }
        if self.returns[number] {
            let returned = fun
                .body()
                .filter(|at| tokens.at(*at) == b"return" && tokens.at(*at + 2) == b";");
            let returned: Vec<String> = returned.map(|at| tokens.word(at + 1)).collect();
            for local in fun
                .locals
                .iter()
                .filter(|one| one.is_pointer && returned.contains(&one.name))
            {
                let objects = BTreeSet::from([Object::Local]);
                names.insert(
                    local.name.clone(),
                    Named {
                        objects,
                        rank: local.rank,
                        binding: Binding::Pointer,
                    },
                );
            }
        }
        let is_shared = |one: &&Declared| fun.file == 0 && code.locals.contains_key(&one.token);
        for local in fun.locals.iter().filter(is_shared) {
            let named = Named {
                objects: BTreeSet::from([Object::Local]),
                rank: local.rank,
                binding: Binding::Pointer,
            };
            names.insert(local.name.clone(), named);
        }
        while self.add_aliases(code, number, &mut names) {}
        names
    }

    /// The accesses in a part of a function.
    pub fn found(
        &self,
        code: &Code<'_>,
        number: usize,
        names: &Names,
        range: Range<usize>,
    ) -> Found {
        let fun = &code.functions[number];
        let tokens = code.tokens(fun);
        let mut found = Found::default();
        for at in range.clone() {
            let word = tokens.word(at);
            let Some(named) = names.get(&word) else {
                self.hidden(code, names, tokens, at, &mut found);
                continue;
            };
            let before = at
                .checked_sub(1)
                .map_or(b"".as_slice(), |before| tokens.at(before));
            let is_other = matches!(before, b"." | b"->")
                || tokens.at(at + 1) == b":" && tokens.touching(at + 1, [b":", b":"]);
            if is_other {
                continue;
            }
            let is_declared = fun.locals.iter().any(|one| one.token == at);
            if !is_declared {
                Place {
                    code,
                    summaries: self,
                    number,
                    tokens,
                    range: &range,
                    names,
                }
                .access(at, &word, named, names, &mut found);
            }
        }
        found
    }

    /// A macro that hides names is taken to read and write what they name.
    fn hidden(
        &self,
        code: &Code<'_>,
        names: &Names,
        tokens: Tokens<'_>,
        at: usize,
        found: &mut Found,
    ) {
        if !tokens.is_name(at) {
            return;
        }
        let Some(macros) = code.program.macros.get(&tokens.word(at)) else {
            return;
        };
        for word in macros.iter().flat_map(Macro::own_words) {
            let name = tokens.scopes.spelled_at(word, at);
            if names.contains_key(name) {
                found.accesses.push(Access::of(at, name, Effect::BOTH));
            }
        }
    }
}

/// Whether the call whose name stands there is all that a shared pointer is set to.
pub fn gets(tokens: Tokens<'_>, call: usize, names: &Names) -> bool {
    let Some(close) = tokens.call(call).map(|open| tokens.bracket_end(open)) else {
        return false;
    };
    let first = behind_casts(tokens, call);
    let is_all = first >= 2 && tokens.at(first - 1) == b"=" && tokens.at(close + 1) == b";";
    is_all
        && names
            .get(&tokens.word(first - 2))
            .is_some_and(|one| one.is_pointer() && !one.objects.is_empty())
}

/// The first token of what is a call, whose name stands there, with casts before it.
fn behind_casts(tokens: Tokens<'_>, call: usize) -> usize {
    let mut first = call;
    while let Some(open) = first
        .checked_sub(1)
        .filter(|at| tokens.at(*at) == b")")
        .and_then(|at| tokens.bracket_begin(at))
    {
        first = open;
    }
    first
}

/// Whether the value of a call, or of `new`, is returned as it is, or as one of several.
pub fn is_returned(tokens: Tokens<'_>, call: usize) -> bool {
    let first = behind_casts(tokens, call);
    let is_all = |at: usize| matches!(tokens.at(at), b"return" | b"?" | b":");
    let begins = |at: &usize| matches!(tokens.at(*at), b";" | b"{" | b"}" | b"return");
    let begin = (0..first).rev().find(begins);
    first > 0 && is_all(first - 1) && begin.is_some_and(|at| tokens.at(at) == b"return")
}

/// Whether a statement launches a kernel that may use shared memory, or calls what does; it is in the
/// first file.
pub fn launches(
    code: &Code<'_>,
    summaries: &Summaries,
    tokens: Tokens<'_>,
    range: Range<usize>,
) -> bool {
    range
        .into_iter()
        .any(|at| summaries.touching.contains(&(0, at)) || summaries.is_launching(code, tokens, at))
}

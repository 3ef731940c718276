//! Which memory of the device the arrays lie in that kernels only read (AUTO-CTA, section III-B).
//!
//! ```text
//! __global__ void k(float *x, float *y)
//! static __global__ void k(const float *__restrict__ x, float *y)     read-only data cache
//! … w[k] …      … w_constant[k] …                                     constant memory
//! ```
//!
//! A kernel that this file alone launches, with arrays that are apart from all that it writes, reads
//! them through the read-only data cache. Constant memory is for arrays of at most 64 KiB that
//! several kernels read, all threads of a warp the same element.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Problems;
use super::accesses::{Names, Summaries};
use super::code::Code;
use super::normal_form::Scope;
use super::own_elements::{self, OwnElement};
use super::places::Place;
use crate::diagnostic::codes;
use crate::front::cuda::memory;
use crate::front::cuda::{Declared, Edits, Fun, Launch, Macro, is_arithmetic};

/// What constant memory holds, in bytes (CUDA C++ Programming Guide, "Compute Capabilities").
const CONSTANT_BYTES: f64 = 65_536.0;

/// Other words of types that have no pointers in them than those of arithmetic types.
const PLAIN: [&str; 3] = ["dim3", "struct", "__restrict__"];

/// An array that a parameter is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Own {
    /// A variable of the file that is shared.
    Variable(usize),
    /// Another one, by where it is declared.
    Declared(usize),
}

/// What becomes of the parameters of a kernel.
struct Kernel<'k> {
    number: usize,
    fun: &'k Fun,
    /// All launches, and what each parameter is given.
    launches: Vec<(Launch, Vec<Option<Own>>)>,
    /// The parameters that are arrays read through the cache.
    read_only: Vec<usize>,
    /// Those of whose elements each thread has one for itself.
    own: Vec<OwnElement>,
    /// Why others that are only read are not.
    doubts: Vec<String>,
}

/// Where arrays are placed.
#[derive(Default)]
pub struct Placement {
    /// The shared variables that lie in constant memory.
    pub constants: BTreeSet<usize>,
}

/// What a variable is called in constant memory.
pub fn constant_of(name: &str) -> String {
    format!("{name}_constant")
}

/// Places the arrays that kernels of some names read.
pub fn place(
    code: &Code<'_>,
    summaries: &Summaries,
    names: &BTreeSet<String>,
    edits: &mut Edits,
    problems: &mut Problems,
) -> Placement {
    let kernels: Vec<Kernel<'_>> = names
        .iter()
        .filter_map(|name| Kernel::new(code, summaries, name))
        .collect();
    let constants = constants(code, summaries, &kernels);
    for kernel in &kernels {
        kernel.edit(code, &constants, edits, problems);
    }
    Placement { constants }
}

impl<'k> Kernel<'k> {
    fn new(code: &'k Code<'_>, summaries: &Summaries, name: &str) -> Option<Self> {
        let mut all = code.named(name.as_bytes());
        let (number, fun) = all
            .next()
            .filter(|(_, fun)| fun.file == 0 && fun.is_kernel)?;
        let launches = match all.next() {
            None => launches(code, fun),
            Some(_) => None,
        };
        let mut own = Self {
            number,
            fun,
            launches: launches.unwrap_or_default(),
            read_only: Vec::new(),
            own: Vec::new(),
            doubts: Vec::new(),
        };
        own.judge(code, summaries);
        Some(own)
    }

    fn judge(&mut self, code: &Code<'_>, summaries: &Summaries) {
        let effects = &summaries.parameters[self.number];
        let is_read = |at: &usize| {
            let (one, effect) = (&self.fun.parameters[*at], effects[*at]);
            one.is_pointer && effect.reads && !effect.writes
        };
        let read: Vec<usize> = (0..self.fun.parameters.len()).filter(is_read).collect();
        self.own = self.own_elements(code, summaries);
        if read.is_empty() {
            return;
        }
        if let Some(doubt) = self.doubt(code) {
            self.doubts.push(doubt);
            return;
        }
        for own in read {
            let name = &self.fun.parameters[own].name;
            let written = (0..self.fun.parameters.len()).filter(|at| effects[*at].writes);
            let overlaps = |other: &usize| {
                self.launches.iter().any(|(_, given)| {
                    given[own].is_none() || given[*other].is_none() || given[own] == given[*other]
                })
            };
            let overlap = written.clone().find(overlaps);
            match overlap {
                Some(other) => self.doubts.push(format!(
                    "`{name}` may overlap with `{}`, which is written",
                    self.fun.parameters[other].name
                )),
                None if self.is_followed(code, summaries, own) => self.read_only.push(own),
                None => self.doubts.push(format!(
                    "the address of `{name}` goes further in the kernel"
                )),
            }
        }
    }

    /// The written arrays, apart from all others, of which each thread uses one element.
    fn own_elements(&self, code: &Code<'_>, summaries: &Summaries) -> Vec<OwnElement> {
        if self.doubt(code).is_some() || !summaries.variables[self.number].is_empty() {
            return Vec::new();
        }
        let (effects, parameters) = (&summaries.parameters[self.number], &self.fun.parameters);
        let of = |at: usize| {
            let one = &parameters[at];
            let is_other = |other: &usize| *other != at && parameters[*other].is_pointer;
            let is_apart = (0..parameters.len()).filter(is_other).all(|other| {
                let mut launches = self.launches.iter();
                launches.all(|(_, given)| {
                    given[at].is_some() && given[other].is_some() && given[at] != given[other]
                })
            });
            let is_own = one.is_pointer
                && one.rank == 1
                && effects[at].writes
                && is_apart
                && self.launches.iter().all(|(_, given)| given[at].is_some())
                && self.is_followed(code, summaries, at);
            own_elements::find(code, self.fun, &one.name, &one.types).filter(|_| is_own)
        };
        (0..parameters.len()).filter_map(of).collect()
    }

    /// Why nothing is known of what the kernel gets.
    fn doubt(&self, code: &Code<'_>) -> Option<String> {
        if self.launches.is_empty() {
            return Some("the kernel may be launched from elsewhere".to_owned());
        }
        if has_device_pointers(code) {
            return Some("a variable of the device is a pointer".to_owned());
        }
        let is_hidden = |one: &&Declared| !is_flat(code, &one.types, 4) || one.is_reference;
        let hidden = self.fun.parameters.iter().find(is_hidden)?;
        Some(format!("`{}` may have pointers in it", hidden.name))
    }

    /// Whether a parameter may become a pointer to constants.
    fn is_followed(&self, code: &Code<'_>, summaries: &Summaries, own: usize) -> bool {
        let tokens = code.tokens(self.fun);
        let one = &self.fun.parameters[own];
        let Some(part) = self.part(code, own) else {
            return false;
        };
        let stars = part.clone().filter(|at| tokens.at(*at) == b"*").count();
        stars == 1 && (self.is_constant(code, own) || self.is_direct(code, summaries, &one.name))
    }

    /// Whether a name is of elements alone: `x[i]`.
    fn is_direct(&self, code: &Code<'_>, summaries: &Summaries, name: &str) -> bool {
        let tokens = code.tokens(self.fun);
        let range = self.fun.body();
        let place = Place {
            code,
            summaries,
            number: self.number,
            tokens,
            range: &range,
            names: &Names::default(),
        };
        let is_hidden = |at: usize| {
            let of_name = code.program.macros.get(&tokens.word(at));
            let mut words = of_name.into_iter().flatten().flat_map(Macro::own_words);
            words.any(|word| word == name)
        };
        let is_element = |at: usize| {
            let is_address = tokens.at(at - 1) == b"&" && !tokens.ends_operand(at - 2);
            tokens.at(at + 1) == b"[" && !is_address && !place.is_bound(at)
        };
        range.clone().all(|at| {
            let is_other = tokens.at(at) != name.as_bytes() || tokens.is_member(at);
            if is_other {
                !is_hidden(at)
            } else {
                is_element(at)
            }
        })
    }

    /// The tokens of a parameter.
    fn part(&self, code: &Code<'_>, own: usize) -> Option<Range<usize>> {
        let tokens = code.tokens(self.fun);
        let parts = tokens.parts(self.fun.function.parameters.clone());
        let token = self.fun.parameters[own].token;
        parts.into_iter().find(|part| part.contains(&token))
    }

    /// Whether it is a pointer to constants.
    fn is_constant(&self, code: &Code<'_>, own: usize) -> bool {
        let tokens = code.tokens(self.fun);
        let part = self.part(code, own).unwrap_or_default();
        part.take_while(|at| tokens.at(*at) != b"*")
            .any(|at| tokens.at(at) == b"const")
    }

    /// The variable that a parameter is given by all launches.
    fn variable(&self, own: usize) -> Option<usize> {
        let mut all = self.launches.iter().map(|(_, given)| given[own]);
        let first = all.next()?;
        match first {
            Some(Own::Variable(variable)) if all.all(|other| other == first) => Some(variable),
            _ => None,
        }
    }

    fn edit(
        &self,
        code: &Code<'_>,
        constants: &BTreeSet<usize>,
        edits: &mut Edits,
        problems: &mut Problems,
    ) {
        let tokens = code.tokens(self.fun);
        let in_constant = |own: usize| self.variable(own).filter(|one| constants.contains(one));
        let (mut cached, mut constant) = (Vec::new(), Vec::new());
        for own in &self.read_only {
            let (one, part) = (&self.fun.parameters[*own], self.part(code, *own));
            let Some(part) = part else {
                continue;
            };
            if let Some(variable) = in_constant(*own) {
                constant.push(format!("`{}`", one.name));
                let with = constant_of(code.variables[variable].name());
                let uses = self
                    .fun
                    .body()
                    .filter(|at| tokens.at(*at) == one.name.as_bytes());
                for at in uses.filter(|at| !tokens.is_member(*at)) {
                    edits.replace(tokens.range(at, at), &with);
                }
                self.leave_out(code, part, edits);
                continue;
            }
            cached.push(format!("`{}`", one.name));
            if !self.is_constant(code, *own) {
                edits.insert(tokens.range(part.start, part.start).start, "const ");
            }
            let is_restricted = |at: usize| tokens.word(at).contains("restrict");
            if !part.clone().any(is_restricted) {
                let name = tokens.range(one.token, one.token).start;
                edits.insert(name, "__restrict__ ");
            }
        }
        for own in &self.own {
            own.edit(code, self.fun, edits);
        }
        let head = self.fun.function.first..self.fun.function.name;
        let is_static = head.clone().any(|at| tokens.at(at) == b"static");
        let global = head.clone().find(|at| tokens.at(*at) == b"__global__");
        let is_placed = !self.read_only.is_empty() || !self.own.is_empty();
        if let Some(global) = global.filter(|_| !is_static && is_placed) {
            // What other files launch could be given anything.
            edits.insert(tokens.range(global, global).start, "static ");
        }
        let name = self.fun.function.name;
        let mut notes = Vec::new();
        if !cached.is_empty() {
            notes.push(format!("{} in the read-only data cache", cached.join(", ")));
        }
        if !constant.is_empty() {
            notes.push(format!("{} in constant memory", constant.join(", ")));
        }
        let of_threads = self.own.iter().map(|own| format!("`{}`", own.array));
        let of_threads: Vec<String> = of_threads.collect();
        if !of_threads.is_empty() {
            let names = of_threads.join(", ");
            notes.push(format!(
                "each thread's own element of {names} in a register"
            ));
        }
        notes.extend(
            self.doubts
                .iter()
                .map(|doubt| format!("in global memory: {doubt}")),
        );
        if problems.feedback && !notes.is_empty() {
            let what = format!("where `{}` reads its arrays", self.fun.name);
            problems.decided(
                codes::AUTO_CTA_CHOICE,
                &what,
                notes.join("; "),
                tokens.range(name, name),
                Vec::new(),
            );
        }
    }
}

impl Kernel<'_> {
    /// Leaves out a parameter that nothing uses, and what launches give it; the first one stays.
    fn leave_out(&self, code: &Code<'_>, part: Range<usize>, edits: &mut Edits) {
        let tokens = code.tokens(self.fun);
        let parts = tokens.parts(self.fun.function.parameters.clone());
        let Some(position) = parts.iter().position(|one| *one == part) else {
            return;
        };
        let of_launch = |(launch, _): &(Launch, _)| {
            let inside = launch.arguments + 1..tokens.bracket_end(launch.arguments);
            tokens.parts(inside).into_iter().nth(position)
        };
        let given = self.launches.iter().filter_map(of_launch);
        for part in given.chain([part]).filter(|_| position > 0) {
            let before = tokens.range(part.start - 2, part.start - 2).end;
            edits.replace(before..tokens.range(part.end - 1, part.end - 1).end, "");
        }
    }
}

/// What each launch of a kernel gives each parameter; nothing if others may launch it.
fn launches(code: &Code<'_>, fun: &Fun) -> Option<Vec<(Launch, Vec<Option<Own>>)>> {
    let name = fun.name.as_bytes();
    let own = code.tokens(fun);
    let mut head = fun.function.first..fun.function.name;
    let is_static = head.clone().any(|at| own.at(at) == b"static");
    let is_program = code.named(b"main").any(|(_, main)| main.file == 0);
    let is_open = |word: &[u8]| matches!(word, b"extern" | b"template");
    if !(is_static || is_program) || head.any(|at| is_open(own.at(at))) {
        return None;
    }
    let mut launches: Vec<Launch> = Vec::new();
    for (number, file) in code.files.iter().enumerate() {
        let tokens = file.tokens();
        let all: Vec<Launch> = (0..tokens.list.len())
            .filter_map(|at| tokens.launch(at).or_else(|| tokens.logical_launch(at)))
            .filter(|launch| tokens.at(launch.kernel) == name)
            .collect();
        for at in (0..tokens.list.len()).filter(|at| tokens.at(*at) == name) {
            let is_definition = number == fun.file && at == fun.function.name;
            let is_launch = all.iter().any(|launch| launch.kernel == at) && number == 0;
            if !(is_definition || is_launch || tokens.is_member(at) || is_query(code, number, at)) {
                return None;
            }
        }
        launches.extend(all);
    }
    let macros = code.program.macros.values().flatten();
    let mut words = macros.flat_map(Macro::own_words);
    if words.any(|word| word == &fun.name) || launches.is_empty() {
        return None;
    }
    let scope = memory::Scope {
        tokens: code.files[0].tokens(),
        functions: &code.functions,
    };
    let of = |launch: Launch| -> Option<(Launch, Vec<Option<Own>>)> {
        let tokens = scope.tokens;
        let around = |one: &&Fun| one.file == 0 && one.body().contains(&launch.kernel);
        let host = code.functions.iter().find(around)?;
        let inside = launch.arguments + 1..tokens.bracket_end(launch.arguments);
        let arguments = tokens.parts(inside);
        let own = |position: usize| own_array(code, scope, host, arguments.get(position)?.clone());
        Some((launch, (0..fun.parameters.len()).map(own).collect()))
    };
    launches.into_iter().map(of).collect()
}

/// Whether the name of a kernel is an argument of what asks for its properties.
fn is_query(code: &Code<'_>, file: usize, at: usize) -> bool {
    let tokens = code.files[file].tokens();
    let open = (0..at)
        .rev()
        .find(|at| matches!(tokens.at(*at), b"(" | b";" | b"{" | b"}"));
    let callee = open.and_then(|open| open.checked_sub(1));
    callee.is_some_and(|callee| {
        let name = tokens.word(callee);
        name.starts_with("cudaFunc") || name.starts_with("cudaOccupancy")
    })
}

/// The array that an argument is in, by its name.
fn own_array(
    code: &Code<'_>,
    scope: memory::Scope<'_>,
    host: &Fun,
    argument: Range<usize>,
) -> Option<Own> {
    let tokens = scope.tokens;
    let is_array = |one: &usize| !code.variables[*one].is_pointer();
    let shared = |at: usize| {
        let word = tokens.word(at);
        let own = code.variable(&word).filter(|_| !host.declares(&word));
        own.filter(is_array)
    };
    let mut all = argument.clone().filter_map(shared);
    match (all.next(), all.next()) {
        (None, _) => {
            let array = scope.array_in(host, argument)?;
            array
                .is_apart
                .then_some(Own::Declared(array.declared.token))
        }
        (Some(variable), None) => {
            // Nothing else that could be an address.
            let is_other = |at: &usize| {
                let is_call = tokens.at(*at) == b"(" && tokens.is_name(at - 1);
                is_call || matches!(tokens.at(*at), b"." | b"->")
            };
            let mut inside = argument.clone().skip(1);
            let has_more = inside.any(|at| is_other(&at))
                || scope
                    .array_in(host, argument)
                    .is_some_and(|one| one.declared.name != code.variables[variable].name());
            (!has_more).then_some(Own::Variable(variable))
        }
        _ => None,
    }
}

/// Whether values of a type have no addresses in them.
fn is_flat(code: &Code<'_>, types: &[String], depth: usize) -> bool {
    let is_vector = |word: &str| {
        let base = word.trim_end_matches(['1', '2', '3', '4']);
        let base = base.trim_start_matches('u');
        base.len() < word.len()
            && [
                "char", "short", "int", "long", "longlong", "float", "double",
            ]
            .contains(&base)
    };
    let resolved = code.resolved(types);
    resolved.iter().all(|word| {
        let is_plain = is_arithmetic(word) || PLAIN.contains(&word.as_str());
        is_plain || is_vector(word) || is_flat_structure(code, word, depth)
    })
}

fn is_flat_structure(code: &Code<'_>, name: &str, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    code.files.iter().any(|file| {
        let tokens = file.tokens();
        let is_own = |at: &usize| {
            tokens.at(*at) == b"struct"
                && tokens.at(at + 1) == name.as_bytes()
                && tokens.at(at + 2) == b"{"
        };
        let Some(open) = (0..tokens.list.len()).find(is_own).map(|at| at + 2) else {
            return false;
        };
        let members = tokens.statements(open + 1..tokens.bracket_end(open));
        members.iter().all(|member| {
            let has_pointer = member
                .tokens
                .clone()
                .any(|at| matches!(tokens.at(at), b"*" | b"&"));
            let all = crate::front::cuda::declared(tokens, member.tokens.clone());
            let is_own = |one: &Declared| is_flat(code, &one.types, depth);
            !has_pointer && !all.is_empty() && all.iter().all(is_own)
        })
    })
}

/// Whether a variable of the device could point to an array.
fn has_device_pointers(code: &Code<'_>) -> bool {
    code.files.iter().any(|file| {
        let tokens = file.tokens();
        let is_of_device = |at: &usize| {
            matches!(
                tokens.at(*at),
                b"__device__" | b"__managed__" | b"__constant__"
            )
        };
        (0..tokens.list.len()).filter(is_of_device).any(|at| {
            let ends = |at: &usize| matches!(tokens.at(*at), b"(" | b";" | b"=" | b"{");
            let end = (at..tokens.list.len()).find(ends).unwrap_or(at);
            let is_function = tokens.at(end) == b"(";
            !is_function && (at..end).any(|at| tokens.at(at) == b"*")
        })
    })
}

/// The variables that constant memory holds: those that are read most first.
fn constants(code: &Code<'_>, summaries: &Summaries, kernels: &[Kernel<'_>]) -> BTreeSet<usize> {
    let mut uses: BTreeMap<usize, Vec<(&Kernel<'_>, usize)>> = BTreeMap::new();
    for kernel in kernels {
        for own in &kernel.read_only {
            if let Some(variable) = kernel.variable(*own) {
                uses.entry(variable).or_default().push((kernel, *own));
            }
        }
    }
    let mut all: Vec<(usize, usize, f64)> = Vec::new();
    for (variable, uses) in uses {
        let one = &code.variables[variable];
        let reads: usize = uses
            .iter()
            .map(|(kernel, own)| kernel.reads(code, *own))
            .sum();
        let is_constant = |(kernel, own): &(&Kernel<'_>, usize)| {
            let name = &kernel.fun.parameters[*own].name;
            let is_free = |at: usize| code.files[0].tokens().word(at) != constant_of(one.name());
            kernel.is_direct(code, summaries, name)
                && is_uniform(code, kernel.fun, name)
                && kernel.fun.function.first >= one.statement.end
                && kernel.fun.body().all(is_free)
        };
        let numbers: BTreeSet<usize> = uses.iter().map(|(kernel, _)| kernel.number).collect();
        if let Some(bytes) = bytes(code, variable)
            && numbers.len() > 1
            && uses.iter().all(is_constant)
            && is_only_given(code, variable, &uses)
        {
            all.push((variable, reads, bytes));
        }
    }
    all.sort_by_key(|(variable, reads, _)| (usize::MAX - reads, *variable));
    let tokens = code.files[0].tokens();
    let has_own = (0..tokens.list.len()).any(|at| tokens.at(at) == b"__constant__");
    let mut left = if has_own { 0.0 } else { CONSTANT_BYTES };
    let mut chosen = BTreeSet::new();
    for (variable, _, bytes) in all {
        if bytes <= left {
            left -= bytes;
            chosen.insert(variable);
        }
    }
    chosen
}

impl Kernel<'_> {
    /// How often a parameter is read, as the text has it.
    fn reads(&self, code: &Code<'_>, own: usize) -> usize {
        let tokens = code.tokens(self.fun);
        let name = self.fun.parameters[own].name.as_bytes();
        self.fun.body().filter(|at| tokens.at(*at) == name).count()
    }
}

/// Whether launches have a variable nowhere but in such places, by its name alone.
fn is_only_given(code: &Code<'_>, variable: usize, uses: &[(&Kernel<'_>, usize)]) -> bool {
    let tokens = code.files[0].tokens();
    let name = code.variables[variable].name();
    let all = 0..tokens.list.len();
    let mut launches = all.filter_map(|at| tokens.launch(at).or_else(|| tokens.logical_launch(at)));
    launches.all(|launch| {
        let inside = launch.arguments + 1..tokens.bracket_end(launch.arguments);
        let parts = tokens.parts(inside).into_iter().enumerate();
        let mut named = parts.filter(|(_, part)| {
            let mut words = part.clone().map(|at| tokens.word(at));
            words.any(|word| word == name)
        });
        named.all(|(position, part)| {
            let kernel = tokens.word(launch.kernel);
            let is_use =
                |(one, own): &(&Kernel<'_>, usize)| one.fun.name == kernel && *own == position;
            part.len() == 1 && uses.iter().any(is_use)
        })
    })
}

/// How many bytes an array has.
fn bytes(code: &Code<'_>, variable: usize) -> Option<f64> {
    let one = &code.variables[variable];
    let any = code.functions.iter().find(|fun| fun.file == 0)?;
    let scope = Scope::new(code, any);
    let mut bytes = f64::from(code.size_of(&one.declared.types)?);
    for extent in one.declared.extents.iter().filter(|_| !one.is_pointer()) {
        bytes *= scope.value(extent)?;
    }
    (!one.declared.extents.is_empty()).then_some(bytes)
}

/// Whether the threads of a warp read the same elements of an array together.
fn is_uniform(code: &Code<'_>, fun: &Fun, name: &str) -> bool {
    let tokens = code.tokens(fun);
    let mut own: BTreeSet<String> = BTreeSet::from(["threadIdx".to_owned()]);
    let is_tainted = |own: &BTreeSet<String>, range: Range<usize>| {
        let mut all = range.clone();
        all.any(|at| own.contains(&tokens.word(at)) || tokens.at(at) == b"[")
    };
    loop {
        let before = own.len();
        for local in &fun.locals {
            let sets = |at: &usize| {
                tokens.at(*at) == local.name.as_bytes()
                    && tokens.at(at + 1).ends_with(b"=")
                    && !matches!(tokens.at(at + 1), b"==" | b"!=" | b"<=" | b">=")
            };
            let is_own = fun.body().filter(sets).any(|at| {
                let ends = |at: &usize| matches!(tokens.at(*at), b";" | b",");
                let end = (at..fun.body().end).find(ends).unwrap_or(at);
                is_tainted(&own, at + 2..end)
            });
            if is_own {
                own.insert(local.name.clone());
            }
        }
        if own.len() == before {
            break;
        }
    }
    fun.body()
        .filter(|at| tokens.at(*at) == name.as_bytes())
        .all(|at| {
            let mut open = at + 1;
            let mut all = true;
            while tokens.at(open) == b"[" {
                let close = tokens.bracket_end(open);
                all &= !is_tainted(&own, open + 1..close);
                open = close + 1;
            }
            all
        })
}

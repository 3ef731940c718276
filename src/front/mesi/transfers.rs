//! Where copies are brought up to date: before host code that uses them, outside of loops that
//! launch nothing, and before launches.
//!
//! ```text
//! for (…) sum += ga[i];      ga_copies.host_reads();
//!                            for (…) sum += ga[i];
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use super::Problems;
use super::accesses::{self, Access, Effect, Names, Summaries};
use super::code::Code;
use super::{kernels, launches, mapping, shares};
use crate::diagnostic::codes;
use crate::front::cuda::{Edits, Kind, Launch, Statement, Tokens};

/// What is up to date on the host at a place, by name.
type Known = BTreeMap<String, Effect>;

/// A host function of the first file whose uses of shared memory are edited.
pub struct Host<'h, 'a> {
    /// The program.
    pub code: &'h Code<'a>,
    /// What its functions do.
    pub summaries: &'h Summaries,
    /// The number of the function.
    pub number: usize,
    /// What it has names of.
    pub names: Names,
    /// What changes.
    pub edits: &'h mut Edits,
    /// What is wrong.
    pub problems: &'h mut Problems,
}

impl<'h> Host<'h, '_> {
    /// Edits the function.
    pub fn edit(&mut self) {
        let code = self.code;
        let statements = &code.functions[self.number].statements;
        self.list(statements, &mut Known::new());
    }

    /// The tokens of the file.
    pub fn tokens(&self) -> Tokens<'h> {
        self.code.files[0].tokens()
    }

    fn list(&mut self, list: &[Statement], known: &mut Known) {
        for statement in list {
            self.statement(statement, known, true);
        }
    }

    /// A statement; one that is not in a block of its own gets one with what stands before it.
    fn statement(&mut self, statement: &Statement, known: &mut Known, in_block: bool) {
        let tokens = self.tokens();
        let range = statement.tokens.clone();
        if let Kind::Block(list) = &statement.kind {
            return self.list(list, known);
        }
        let launches = accesses::launches(self.code, self.summaries, tokens, range.clone());
        if !launches && !accesses::moves(tokens, &self.names, statement) {
            if matches!(statement.kind, Kind::Label) {
                known.clear();
            }
            let is_simple = matches!(&statement.kind, Kind::Simple(inner) if inner.is_empty());
            let is_plain = is_simple
                && !range
                    .clone()
                    .any(|at| matches!(tokens.at(at), b"?" | b"&&" | b"||"));
            let accesses = self.accesses(range.clone());
            let lines = self.host_lines(&accesses, known, is_plain);
            self.before(&range, &lines, in_block);
            self.forget_moved(&range, known);
            return;
        }
        match &statement.kind {
            Kind::Label | Kind::Block(_) => known.clear(),
            Kind::Simple(inner) => self.simple(statement, inner, known, in_block),
            Kind::Branch { condition, arms } => {
                let accesses = self.accesses(condition.clone());
                let lines = self.beside_calls(condition, &accesses, known);
                self.before(&range, &lines, in_block);
                let mut after = known.clone();
                for arm in arms {
                    let mut own = known.clone();
                    self.statement(arm, &mut own, false);
                    after.retain(|name, effect| own.get(name) == Some(effect));
                }
                *known = after;
            }
            Kind::Loop { once, again, body } => {
                let accesses = self.accesses(once.clone());
                let lines = self.beside_calls(once, &accesses, known);
                self.before(&range, &lines, in_block);
                let calls = self.launching_calls(again);
                for access in self.accesses(again.clone()) {
                    self.sequenced(&access, &calls);
                    self.inline(&access);
                }
                self.statement(body, &mut Known::new(), false);
                known.clear();
            }
        }
    }

    /// A statement with a launch, or with a call of a function that launches.
    fn simple(
        &mut self,
        statement: &Statement,
        inner: &[Vec<Statement>],
        known: &mut Known,
        in_block: bool,
    ) {
        let tokens = self.tokens();
        let range = statement.tokens.clone();
        for list in inner {
            self.list(list, &mut Known::new());
        }
        let is_inner = |at: usize| {
            let mut lists = inner
                .iter()
                .filter_map(|list| Some(list.first()?.tokens.start..list.last()?.tokens.end));
            lists.any(|list| list.contains(&at))
        };
        let own = |at: &usize| !is_inner(*at);
        let of = |at: usize| tokens.launch(at).or_else(|| tokens.logical_launch(at));
        let all: Vec<Launch> = range.clone().filter(own).filter_map(of).collect();
        let accesses = self.accesses(range.clone());
        let accesses: Vec<Access> = accesses
            .into_iter()
            .filter(|one| !is_inner(one.token))
            .collect();
        if all.is_empty() {
            if !inner.is_empty() && accesses.iter().any(|one| one.effect.is_any()) {
                let place = tokens.range(accesses[0].token, accesses[0].token);
                let message = format!(
                    "`{}` is used beside code that launches kernels in one statement",
                    accesses[0].name
                );
                let help = "use it in a statement of its own";
                self.problems
                    .error(codes::MESI_ESCAPE, message, place, help);
            }
            let lines = self.beside_calls(&range, &accesses, known);
            self.before(&range, &lines, in_block);
            known.clear();
            return;
        }
        let [launch] = all[..] else {
            let place = tokens.range(range.start, range.start);
            let help = "write a statement for each";
            self.problems.error(
                codes::MESI_GRID,
                "a statement launches several kernels",
                place,
                help,
            );
            return;
        };
        let end = tokens.bracket_end(launch.arguments);
        let is_argument =
            |one: &Access| one.is_address && (launch.arguments..end).contains(&one.token);
        self.followed(launch.arguments..end, &accesses);
        let (arguments, others): (Vec<_>, Vec<_>) = accesses.into_iter().partition(is_argument);
        let mut lines = self.host_lines(&others, known, false);
        lines.extend(launches::device_lines(self, &launch, &arguments));
        for access in &arguments {
            let place = tokens.range(access.token, access.token);
            let name = &access.name;
            let with = match self.is_pointer(name) {
                true => format!("accrs_mesi::device({name})"),
                false => format!("{}.device()", copies_of(name)),
            };
            self.edits.replace(place, &with);
        }
        if launch.is_logical {
            launches::edit(self, &launch, &range, &lines);
        } else {
            let given = shares::launched(self.code, self.summaries, &launch);
            kernels::give(tokens, launch.arguments, &given, self.edits);
            self.before(&range, &lines, in_block);
        }
        known.clear();
    }

    /// The calls of functions that launch.
    fn launching_calls(&self, range: &Range<usize>) -> Vec<usize> {
        let tokens = self.tokens();
        let is_launching = |at: &usize| {
            let mut callees = self.code.named(tokens.at(*at));
            tokens.call(*at).is_some() && callees.any(|(number, _)| self.summaries.launches[number])
        };
        range.clone().filter(is_launching).collect()
    }

    /// What brings the host's copies up to date for an expression that may call what launches: lines
    /// before it, and what is edited in it.
    fn beside_calls(
        &mut self,
        range: &Range<usize>,
        accesses: &[Access],
        known: &mut Known,
    ) -> Vec<String> {
        let tokens = self.tokens();
        let calls = self.launching_calls(range);
        let is_before = |access: &&Access| {
            let is_argument =
                |open: usize| (open..tokens.bracket_end(open)).contains(&access.token);
            match &calls[..] {
                [] => true,
                [call] => tokens.call(*call).is_some_and(is_argument),
                _ => false,
            }
        };
        let before: Vec<Access> = accesses.iter().filter(is_before).cloned().collect();
        let lines = self.host_lines(&before, known, false);
        for access in accesses.iter().filter(|access| !is_before(access)) {
            self.sequenced(access, &calls);
            self.inline(access);
        }
        if !calls.is_empty() {
            known.clear();
        }
        lines
    }

    /// An access has to come before or behind each call that launches, which may make it stale.
    fn sequenced(&mut self, access: &Access, calls: &[usize]) {
        let tokens = self.tokens();
        let is_apart = |call: &usize| tokens.is_sequenced(access.token, *call);
        if access.effect.is_any() && !calls.iter().all(is_apart) {
            let name = &access.name;
            let message =
                format!("`{name}` is used before or after a call that launches, in no order");
            let place = tokens.range(access.token, access.token);
            let help = "write the call as a statement of its own";
            self.problems
                .error(codes::MESI_ESCAPE, message, place, help);
        }
    }

    /// Each name of shared memory among the arguments of a launch must be an access.
    fn followed(&mut self, arguments: Range<usize>, accesses: &[Access]) {
        let tokens = self.tokens();
        for at in arguments {
            let is_named = self.names.contains_key(&tokens.word(at))
                && !matches!(tokens.at(at - 1), b"." | b"->" | b"sizeof");
            if is_named && !accesses.iter().any(|access| access.token == at) {
                let message = format!(
                    "`{}` is used in a way that is not followed",
                    tokens.word(at)
                );
                let help = "give the launch the variable, its address or a value";
                self.problems
                    .error(codes::MESI_ESCAPE, message, tokens.range(at, at), help);
            }
        }
    }

    /// The accesses in a part of the function, of memory that may be shared.
    fn accesses(&mut self, range: Range<usize>) -> Vec<Access> {
        let found = self
            .summaries
            .found(self.code, self.number, &self.names, range);
        let tokens = self.tokens();
        for escape in found.escapes {
            let name = tokens.word(escape.token);
            let message = format!("the address of `{name}` goes to {}", escape.to);
            let place = tokens.range(escape.token, escape.token);
            let help = "what uses it there would have a copy that may be stale: pass it to functions of this file only";
            self.problems
                .error(codes::MESI_ESCAPE, message, place, help);
        }
        found.accesses
    }

    /// Whether what a name means is known when the program runs.
    pub fn is_pointer(&self, name: &str) -> bool {
        self.names.get(name).is_none_or(|one| one.is_pointer)
    }

    /// What brings the host's copies up to date.
    fn host_lines(
        &mut self,
        accesses: &[Access],
        known: &mut Known,
        is_plain: bool,
    ) -> Vec<String> {
        let mut all: Vec<(&Access, Effect, bool)> = Vec::new();
        for one in accesses.iter().filter(|one| one.effect.is_any()) {
            match all.iter_mut().find(|(first, ..)| first.name == one.name) {
                Some((_, effect, is_first)) => {
                    *effect = *effect | one.effect;
                    *is_first = false;
                }
                None => all.push((one, one.effect, true)),
            }
        }
        let mut lines = Vec::new();
        for (access, effect, is_only) in all {
            let name = &access.name;
            let had = known.entry(name.clone()).or_default();
            let is_known = (had.reads || !effect.reads) && (had.writes || !effect.writes);
            if is_known {
                continue;
            }
            *had = Effect {
                reads: true,
                writes: effect.writes || had.writes,
            };
            let is_pointer = self.is_pointer(name);
            let bytes = access.bytes.clone().filter(|_| is_plain && is_only);
            let bytes = bytes.map(|bytes| self.code.files[0].text_of(bytes));
            lines.push(
                match bytes.filter(|text| mapping::repeated(text).is_some()) {
                    Some(bytes) if is_pointer => format!("accrs_mesi::host_sets({name}, {bytes});"),
                    Some(bytes) => format!("{}.host_sets({bytes});", copies_of(name)),
                    None if access.is_whole && is_only && is_plain && !is_pointer => {
                        format!("{}.host_sets(sizeof {name});", copies_of(name))
                    }
                    None => self.bring(
                        name,
                        if effect.writes {
                            "host_writes"
                        } else {
                            "host_reads"
                        },
                    ),
                },
            );
        }
        lines
    }

    /// A line of the runtime for a name.
    pub fn bring(&self, name: &str, way: &str) -> String {
        match self.is_pointer(name) {
            true => format!("accrs_mesi::{way}({name});"),
            false => format!("{}.{way}();", copies_of(name)),
        }
    }

    /// In a loop's header, which is evaluated again after launches.
    fn inline(&mut self, access: &Access) {
        let tokens = self.tokens();
        let place = tokens.range(access.token, access.token);
        let way = if access.effect.writes {
            "write"
        } else {
            "read"
        };
        let name = &access.name;
        if tokens.word(access.token) != *name {
            let message =
                format!("a macro in the header of a loop that launches kernels uses `{name}`");
            self.problems.error(
                codes::MESI_ESCAPE,
                message,
                place,
                "write out what it stands for",
            );
            return;
        }
        if access.effect.is_any() {
            let with = match self.is_pointer(name) {
                true => format!("accrs_mesi::{way}({name})"),
                false => format!("{}.{way}()", copies_of(name)),
            };
            self.edits.replace(place, &with);
        }
    }

    /// Puts lines before a statement.
    pub fn before(&mut self, range: &Range<usize>, lines: &[String], in_block: bool) {
        if lines.is_empty() {
            return;
        }
        let place = self.tokens().range(range.start, range.end - 1);
        let text = self.code.files[0].text();
        if in_block {
            self.edits.insert_lines(text, place.start, lines);
        } else {
            let joined = lines.join(" ");
            self.edits.insert(place.start, &format!("{{ {joined} "));
            self.edits.insert(place.end, " }");
        }
    }

    /// A pointer that is given another address points to what is not known.
    fn forget_moved(&self, range: &Range<usize>, known: &mut Known) {
        let tokens = self.tokens();
        for at in range.clone() {
            if matches!(tokens.at(at + 1), b"=" | b"++" | b"--" | b"+=" | b"-=") {
                let word = tokens.word(at);
                if self.is_pointer(&word) {
                    known.remove(&word);
                }
            }
        }
    }
}

/// What a variable's copies are called.
pub fn copies_of(name: &str) -> String {
    format!("{name}_copies")
}

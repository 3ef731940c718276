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
use super::accesses::{self, Access, Binding, Effect, Names, Summaries};
use super::caching::Caches;
use super::code::Code;
use super::exchange::Exchanges;
use super::{kernels, launches, mapping, moves, shares, standard};
use crate::diagnostic::codes;
use crate::front::cuda::{Edits, Kind, Launch, Macro, Parentheses, Statement, Tokens, indent};

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
    /// Where branches of `#if` begin and end.
    pub conditions: Vec<usize>,
    /// The kernels with a loop that has changed places.
    pub exchanges: &'h Exchanges,
    /// Those that cache arrays.
    pub caches: &'h Caches,
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
        let mut before = None;
        for statement in list {
            let first = statement.tokens.start;
            // What is done in one branch of `#if` is not known behind it.
            if before.is_some_and(|before| self.has_condition(before, first)) {
                known.clear();
            }
            self.statement(statement, known, true);
            before = Some(statement.tokens.end - 1);
        }
    }

    /// Whether a branch of `#if` begins or ends between two tokens.
    fn has_condition(&self, before: usize, token: usize) -> bool {
        let tokens = self.tokens();
        let between = tokens.range(before, before).end..tokens.range(token, token).start;
        let mut all = self.conditions.iter();
        all.any(|place| between.contains(place))
    }

    /// A statement that a header governs has to stand right behind it.
    fn governed(&mut self, before: usize, statement: &Statement) {
        let first = statement.tokens.start;
        if self.has_condition(before, first) {
            let place = self.tokens().range(first, first);
            let message = "what a header governs depends on `#if`";
            let help = "put braces around both branches of `#if`";
            self.problems
                .error(codes::MESI_ESCAPE, message, place, help);
        }
    }

    /// A statement; one that is not in a block of its own gets one with what stands before it.
    fn statement(&mut self, statement: &Statement, known: &mut Known, in_block: bool) {
        let tokens = self.tokens();
        let range = statement.tokens.clone();
        if let (b"catch", Kind::Branch { arms, .. }) = (tokens.at(range.start), &statement.kind) {
            // What was done before an exception is not known; between the blocks no line may stand.
            for arm in arms {
                self.statement(arm, &mut Known::new(), false);
            }
            return known.clear();
        }
        if let Kind::Block(list) = &statement.kind {
            return self.list(list, known);
        }
        match &statement.kind {
            Kind::Branch { condition, arms } => {
                arms.iter().fold(condition.end, |before, arm| {
                    self.governed(before, arm);
                    arm.tokens.end
                });
            }
            Kind::Loop { again, body, .. } => {
                let is_before = again.end < body.tokens.start;
                self.governed(if is_before { again.end } else { range.start }, body);
            }
            _ => {}
        }
        let launches = accesses::launches(self.code, self.summaries, tokens, range.clone());
        if !launches
            && !moves::in_parts(self.code, self.summaries, (tokens, &self.names), statement)
        {
            if matches!(statement.kind, Kind::Label) {
                known.clear();
            }
            let is_simple = matches!(&statement.kind, Kind::Simple(inner) if inner.is_empty());
            let is_chosen = |at: usize| matches!(tokens.at(at), b"?" | b"&&" | b"||");
            let is_plain = is_simple && !range.clone().any(|at| is_chosen(at) || self.may_call(at));
            let accesses = self.accesses(range.clone());
            let mut accesses = self.without_lambdas(statement, accesses);
            if is_simple {
                accesses = self.by_names_before(&range, accesses);
            }
            let lines = self.host_lines(&accesses, known, is_plain);
            self.before(&range, &lines, in_block);
            self.forget_moved(&range, known);
            return;
        }
        match &statement.kind {
            Kind::Label | Kind::Block(_) => known.clear(),
            Kind::Simple(inner) => self.simple(statement, inner, known, in_block),
            Kind::Branch { condition, arms } => {
                self.no_launch(condition);
                let accesses = self.accesses(condition.clone());
                let lines = self.beside_calls(condition, &accesses, known);
                self.before(&range, &lines, in_block);
                let mut after = known.clone();
                for arm in arms {
                    let mut own = known.clone();
                    self.statement(arm, &mut own, false);
                    after.retain(|name, effect| own.get(name) == Some(effect));
                }
                // It ends at each `break` in it.
                let is_switch = tokens.at(range.start) == b"switch";
                *known = if is_switch { Known::new() } else { after };
            }
            Kind::Loop { once, again, body } => {
                self.no_launch(once);
                self.no_launch(again);
                let accesses = self.accesses(once.clone());
                if let Some(access) = accesses.first().filter(|_| again.is_empty()) {
                    let message = format!("a loop over `{}` launches kernels", access.name);
                    let place = tokens.range(access.token, access.token);
                    let help = "count with an index";
                    self.problems
                        .error(codes::MESI_ESCAPE, message, place, help);
                }
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

    /// A header launches nothing that uses shared memory.
    fn no_launch(&mut self, header: &Range<usize>) {
        let is_launch = |at: &usize| self.summaries.is_touching(0, *at);
        if let Some(at) = header.clone().find(is_launch) {
            let help = "write it as a statement of its own";
            let place = self.tokens().range(at, at);
            let message = "a header launches a kernel";
            self.problems.error(codes::MESI_GRID, message, place, help);
        }
    }

    /// Whether a function of these files may be called there: by its name, a pointer, or an object.
    fn may_call(&self, at: usize) -> bool {
        let (code, tokens) = (self.code, self.tokens());
        if tokens.at(at) == b"(" {
            return tokens.parentheses(at) == Parentheses::Call && !self.is_known_function(at);
        }
        if !tokens.is_name(at) {
            return false;
        }
        let word = tokens.word(at);
        let is_own = |word: &str| code.named(word.as_bytes()).next().is_some();
        let macros = code.program.macros.get(&word).into_iter().flatten();
        let mut hidden = macros.flat_map(Macro::own_words);
        is_own(&word)
            || hidden
                .any(|word| is_own(word) || word == "(" || code.program.macros.contains_key(word))
    }

    /// Whether what stands before a `(` is a type, or a function of a library that calls nothing here.
    fn is_known_function(&self, open: usize) -> bool {
        let tokens = self.tokens();
        let Some(name) = open.checked_sub(1).filter(|at| tokens.is_name(*at)) else {
            return false;
        };
        let is_of_file =
            tokens.is_member(name) || self.code.functions[self.number].declares(&tokens.word(name));
        !is_of_file
            && (standard::is_known(&tokens.word(name))
                || tokens.names_type(tokens.at(name)) == Some(true))
    }

    /// The accesses of a statement but for those in the bodies of lambdas that it keeps: these ask
    /// whenever they are called.
    fn without_lambdas(&mut self, statement: &Statement, mut accesses: Vec<Access>) -> Vec<Access> {
        for list in statement.lambdas() {
            let (Some(first), Some(last)) = (list.first(), list.last()) else {
                continue;
            };
            let body = first.tokens.start..last.tokens.end;
            if self.is_called_at_once(statement.tokens.start, body.start) {
                continue;
            }
            let count = accesses.len();
            accesses.retain(|access| !body.contains(&access.token));
            if accesses.len() < count {
                self.list(list, &mut Known::new());
            }
        }
        accesses
    }

    /// The macro whose call stands before the braces that begin with a token: `FOR(i, n) {`.
    fn header_macro(&self, body: usize) -> Option<String> {
        let tokens = self.tokens();
        let close = body.checked_sub(2).filter(|at| tokens.at(*at) == b")")?;
        let name = tokens.bracket_begin(close)?.checked_sub(1)?;
        let word = tokens.word(name);
        self.code.program.macros.contains_key(&word).then_some(word)
    }

    /// Whether a lambda is an argument of a function of the standard library.
    fn is_called_at_once(&self, first: usize, body: usize) -> bool {
        let tokens = self.tokens();
        let is_std = |at: &usize| {
            tokens.at(*at) == b"std"
                && tokens.touching(at + 1, [b":", b":"])
                && tokens.call(at + 3).is_some_and(|open| tokens.bracket_end(open) > body)
                // It could be kept there.
                && !matches!(tokens.at(at + 3), b"function" | b"bind" | b"thread" | b"async")
        };
        (first..body).any(|at| is_std(&at))
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
            let Some(first) = list.first().map(|first| first.tokens.start) else {
                continue;
            };
            let body = first..list.last().map_or(first, |last| last.tokens.end);
            if accesses::launches(self.code, self.summaries, tokens, body)
                && !self.is_called_at_once(range.start, first)
            {
                let place = tokens.range(first, first);
                if let Some(name) = self.header_macro(first) {
                    let message = format!(
                        "the macro `{name}` hides the header of a statement that launches kernels"
                    );
                    let help = "write the header out";
                    self.problems
                        .error(codes::MESI_ESCAPE, message, place, help);
                    // What follows is part of no statement that is seen.
                    return known.clear();
                }
                let message = "a lambda that is kept launches kernels";
                let help = "write a function, so that it is seen what may be stale behind a call";
                self.problems
                    .error(codes::MESI_ESCAPE, message, place, help);
            }
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
        let used = launches::used(self, &launch, &arguments);
        let of_device = launches::device_lines(self, &launch, &used);
        let is_tracked = !of_device.is_empty();
        let [last, after] = launches::tracked(self, &launch, &range);
        let after: Vec<String> = after.into_iter().filter(|_| is_tracked).collect();
        let of_device: Vec<String> = of_device
            .into_iter()
            .chain(last.filter(|_| is_tracked))
            .collect();
        for access in &arguments {
            let place = tokens.range(access.token, access.token);
            self.edits
                .replace(place, &self.expression(&access.name, "device"));
        }
        if launch.is_logical {
            let around = [&lines[..], &of_device, &after];
            launches::edit(self, &launch, &range, &used, around);
        } else {
            lines.extend(of_device);
            let given = shares::launched(self.code, self.summaries, &launch);
            kernels::give(tokens, launch.arguments, &given, self.edits);
            self.around(&range, &lines, &after, in_block);
        }
        known.clear();
    }

    /// The calls of functions that launch.
    fn launching_calls(&self, range: &Range<usize>) -> Vec<usize> {
        let tokens = self.tokens();
        let is_launching = |at: &usize| self.summaries.is_launching(self.code, tokens, *at);
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

    fn binding(&self, name: &str) -> Binding {
        let named = self.names.get(name);
        named.map_or(Binding::Pointer, |named| named.binding)
    }

    /// What brings the host's copies up to date.
    fn host_lines(
        &mut self,
        accesses: &[Access],
        known: &mut Known,
        is_plain: bool,
    ) -> Vec<String> {
        let mut all: Vec<(&Access, Effect, bool)> = Vec::new();
        // An element is brought up to date with its list.
        let is_own =
            |one: &&Access| one.effect.is_any() && self.binding(&one.name) != Binding::Element;
        for one in accesses.iter().filter(is_own) {
            match all.iter_mut().find(|(first, ..)| first.name == one.name) {
                Some((_, effect, is_first)) => {
                    *effect = *effect | one.effect;
                    *is_first = false;
                }
                None => all.push((one, one.effect, true)),
            }
        }
        let mut lines = Vec::new();
        let named: Vec<&str> = all.iter().map(|(one, ..)| one.name.as_str()).collect();
        for (access, effect, is_first) in &all {
            let (effect, is_whole) = (*effect, access.is_whole);
            let name = &access.name;
            // What another name may be read for is not set before it is read.
            let may_be = |other: &&str| self.may_be_same(name, other, is_whole);
            let is_only = *is_first && !named.iter().any(may_be);
            let had = known.entry(name.clone()).or_default();
            let is_known = (had.reads || !effect.reads) && (had.writes || !effect.writes);
            if is_known {
                continue;
            }
            *had = Effect {
                reads: true,
                writes: effect.writes || had.writes,
            };
            let bytes = access.bytes.clone().filter(|_| is_plain && is_only);
            let bytes = bytes.map(|bytes| self.code.files[0].text_of(bytes));
            lines.push(
                match bytes.filter(|text| mapping::repeated(text).is_some()) {
                    Some(bytes) => self.call(name, "host_sets", &bytes) + ";",
                    None if is_whole
                        && is_only
                        && is_plain
                        && self.binding(name) == Binding::Variable =>
                    {
                        self.call(name, "host_sets", &format!("sizeof {name}")) + ";"
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

    /// Whether two names may be of the same memory; one that is set as a whole may be what any pointer
    /// points to.
    fn may_be_same(&self, name: &str, other: &str, is_whole: bool) -> bool {
        let objects = |name: &str| self.names.get(name).map(|named| &named.objects);
        let have_common = match (objects(name), objects(other)) {
            (Some(own), Some(of_other)) => !own.is_disjoint(of_other),
            _ => true,
        };
        name != other && (have_common || is_whole && self.binding(other) != Binding::Variable)
    }

    /// A call of the runtime for the memory of a name.
    pub fn call(&self, name: &str, way: &str, more: &str) -> String {
        let comma = if more.is_empty() { "" } else { ", " };
        match self.binding(name) {
            Binding::Variable => format!("{}.{way}({more})", copies_of(name)),
            Binding::Pointer => format!("accrs_mesi::{way}({name}{comma}{more})"),
            // An array, or a pointer.
            Binding::Reference if self.rank(name) > 0 => {
                format!("accrs_mesi::{way}({name}{comma}{more})")
            }
            Binding::Reference | Binding::Element => {
                format!("accrs_mesi::{way}(&{name}{comma}{more})")
            }
        }
    }

    fn rank(&self, name: &str) -> usize {
        self.names.get(name).map_or(0, |named| named.rank)
    }

    /// The same as a statement.
    fn bring(&self, name: &str, way: &str) -> String {
        self.call(name, way, "") + ";"
    }

    /// What stands for a name where the call is in an expression.
    fn expression(&self, name: &str, way: &str) -> String {
        let call = self.call(name, way, "");
        match self.binding(name) {
            Binding::Variable | Binding::Pointer => call,
            Binding::Reference if self.rank(name) > 0 => call,
            Binding::Reference | Binding::Element => format!("(*{call})"),
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
            self.edits.replace(place, &self.expression(name, way));
        }
    }

    /// Puts lines before a statement, and the pragmas that belong to it.
    pub fn before(&mut self, range: &Range<usize>, lines: &[String], in_block: bool) {
        self.around(range, lines, &[], in_block);
    }

    /// The same, and lines behind it.
    fn around(&mut self, range: &Range<usize>, lines: &[String], after: &[String], in_block: bool) {
        if lines.is_empty() {
            return;
        }
        let tokens = self.tokens();
        let place = tokens.range(range.start, range.end - 1);
        let file = &self.code.files[0];
        let text = file.text();
        let before = range.start.checked_sub(1);
        let end = before.map_or(0, |before| tokens.range(before, before).end);
        let has_pragma = file
            .pragmas()
            .iter()
            .any(|pragma| (end..place.start).contains(pragma));
        if has_pragma && self.has_condition(range.start - 1, range.start) {
            // Of what a header governs it has been said.
            if in_block {
                let message = "whether a statement with a pragma is there depends on `#if`";
                let help = "put braces around the pragma and the statement in each branch of `#if`";
                self.problems
                    .error(codes::MESI_ESCAPE, message, place, help);
            }
        } else if has_pragma && in_block {
            let indent = indent(text, place.start);
            self.edits.append_lines(end, lines, &indent);
            self.edits.append_lines(place.end, after, &indent);
        } else if has_pragma {
            self.edits.insert(end, " {");
            let inner = indent(text, place.start);
            self.edits.append_lines(end, lines, &inner);
            self.edits.append_lines(place.end, after, &inner);
            let outer = indent(text, tokens.range(range.start - 1, range.start).start);
            self.edits
                .append_lines(place.end, &["}".to_owned()], &outer);
        } else if in_block {
            self.edits.insert_lines(text, place.start, lines);
            let indent = indent(text, place.start);
            self.edits.append_lines(place.end, after, &indent);
        } else {
            let joined = lines.join(" ");
            self.edits.insert(place.start, &format!("{{ {joined} "));
            let after: String = after.iter().map(|line| format!(" {line}")).collect();
            self.edits.insert(place.end, &format!("{after} }}"));
        }
    }

    /// A pointer that is given another address points to what is not known.
    fn forget_moved(&self, range: &Range<usize>, known: &mut Known) {
        let tokens = self.tokens();
        for at in range.clone() {
            for name in moves::at(self.code, self.summaries, (tokens, &self.names), at) {
                known.remove(&name);
            }
        }
    }
}

/// What a variable's copies are called.
pub fn copies_of(name: &str) -> String {
    format!("{name}_copies")
}

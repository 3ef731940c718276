//! The names of functions by their scopes.
//!
//! ```text
//! int *z = a;  { int z = 3; z++; }  z[1] = 5;
//!      z             z·2    z·2     z
//! ```
//!
//! A name that a function declares in several scopes, or that means something else in a part of it, has
//! a spelling for each of these: to what asks by a name they are different names. What is [`written`]
//! has the names of the text.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::declared::{Declared, declared, in_condition, is_arithmetic, parameters};
use super::functions::Function;
use super::operands::Parentheses;
use super::statements::{Kind, Statement};
use super::tokens::Tokens;

/// What stands between a name and its number: in no name, and in no text.
const MARK: char = '\u{1}';

/// No names are in several scopes.
pub static NONE: Scopes = Scopes {
    spelled: BTreeMap::new(),
    locals: Vec::new(),
};

/// The names of a file that are in several scopes.
#[derive(Clone, Debug, Default)]
pub struct Scopes {
    /// The tokens that are not spelled as they are written.
    spelled: BTreeMap<usize, String>,
    /// The names that a macro may mean as well.
    locals: Vec<Local>,
}

/// A name of a function.
#[derive(Clone, Debug)]
struct Local {
    name: String,
    /// How it is spelled.
    spelled: String,
    /// Where it is declared.
    token: usize,
    /// Where it is seen, but for where an inner one is.
    seen: Range<usize>,
}

/// Names as they are written.
pub fn written(text: &str) -> Cow<'_, str> {
    if !text.contains(MARK) {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split(MARK);
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        all.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    Cow::Owned(all)
}

impl Scopes {
    /// Of the functions of a file.
    pub fn new(tokens: Tokens<'_>) -> Self {
        let mut own = Self::default();
        let functions = tokens.functions();
        for function in &functions {
            if let Some(body) = function.body.clone() {
                let mut locals = Locals {
                    tokens,
                    functions: &functions,
                    all: Vec::new(),
                };
                locals.add_function(function, &body);
                own.add(tokens, function, &body, locals.all);
            }
        }
        own
    }

    /// How a token is spelled, if not as it is written.
    pub fn spelled(&self, token: usize) -> Option<&str> {
        match self.spelled.is_empty() {
            true => None,
            false => self.spelled.get(&token).map(String::as_str),
        }
    }

    /// How a name would be spelled at a token.
    pub fn spelled_at<'n>(&'n self, name: &'n str, token: usize) -> &'n str {
        let own = innermost(self.locals.iter().filter(|one| one.name == name), token);
        own.map_or(name, |own| &own.spelled)
    }

    /// Adds the names of a function that are in several scopes.
    fn add(
        &mut self,
        tokens: Tokens<'_>,
        function: &Function,
        body: &Range<usize>,
        locals: Vec<Local>,
    ) {
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let whole = function.parameters.start..body.end;
        for at in whole.filter(|at| is_use(tokens, *at)) {
            by_name.entry(tokens.word(at)).or_default().push(at);
        }
        let mut names: BTreeMap<String, Vec<Local>> = BTreeMap::new();
        for local in locals {
            names.entry(local.name.clone()).or_default().push(local);
        }
        for (name, mut locals) in names {
            let uses = by_name.get(&name).map_or(&[][..], Vec::as_slice);
            let is_parameter = locals.iter().any(|one| one.token < body.start);
            let is_other = uses.iter().any(|at| innermost(&locals, *at).is_none());
            let mut ends: Vec<usize> = Vec::new();
            if is_other && !is_parameter {
                ends.push(usize::MAX);
            }
            for local in &mut locals {
                // The branches of `#if` may declare a name in one scope.
                let known = ends.iter().position(|end| *end == local.seen.end);
                let number = known.unwrap_or(ends.len());
                if known.is_none() {
                    ends.push(local.seen.end);
                }
                if number > 0 {
                    local.spelled = format!("{name}{MARK}{}", number + 1);
                }
            }
            if ends.len() < 2 {
                continue;
            }
            for at in uses {
                if let Some(local) = innermost(&locals, *at).filter(|one| one.spelled != name) {
                    self.spelled.insert(*at, local.spelled.clone());
                }
            }
            self.locals.extend(locals);
        }
    }
}

/// The one that is declared last of those that are seen at a token.
fn innermost<'l>(locals: impl IntoIterator<Item = &'l Local>, token: usize) -> Option<&'l Local> {
    let mut seen: Option<&Local> = None;
    for local in locals {
        if local.token == token {
            return Some(local);
        }
        let is_inner = seen.is_none_or(|other| other.seen.start <= local.seen.start);
        if local.seen.contains(&token) && is_inner {
            seen = Some(local);
        }
    }
    seen
}

/// Whether a token is a name that may be a local one: of no member, and without `::` before it.
fn is_use(tokens: Tokens<'_>, at: usize) -> bool {
    let is_qualified = at > 1 && tokens.touching(at - 2, [b":", b":"]);
    tokens.is_name(at) && !tokens.is_member(at) && !is_qualified
}

/// The names that a function declares.
struct Locals<'t> {
    tokens: Tokens<'t>,
    /// The functions of the file.
    functions: &'t [Function],
    all: Vec<Local>,
}

impl Locals<'_> {
    fn add_function(&mut self, function: &Function, body: &Range<usize>) {
        for one in parameters(self.tokens, function.parameters.clone()) {
            self.push(&one, body.end);
        }
        let statements = self.tokens.statements(body.clone());
        self.add_list(&statements, body.end);
        let tokens = self.tokens;
        for brace in body.clone().filter(|at| tokens.at(*at) == b"{") {
            self.add_head(brace);
        }
        self.all.sort_by_key(|one| one.token);
    }

    /// The parameters of a lambda, or of a function of a structure, and what a lambda captures as a name of its own.
    fn add_head(&mut self, brace: usize) {
        let (tokens, end) = (self.tokens, self.tokens.bracket_end(brace));
        let lambda = tokens.lambda(brace);
        let head = match &lambda {
            Some(lambda) => lambda.parameters.clone(),
            None => self.head(brace).unwrap_or(0..0),
        };
        for part in tokens.parts(head) {
            for one in declared(tokens, part) {
                self.push(&one, end);
            }
        }
        let Some(lambda) = lambda else { return };
        // `[name = value]`, `[&name = value]`
        for part in tokens.parts(lambda.capture.clone()) {
            let name = part.start + usize::from(tokens.at(part.start) == b"&");
            if tokens.is_name(name) && tokens.at(name + 1) == b"=" {
                self.push_name(name, lambda.capture.end..end);
            }
        }
    }

    /// What stands in the parentheses before a brace, with `const` and its like between them.
    fn head(&self, brace: usize) -> Option<Range<usize>> {
        let tokens = self.tokens;
        let mut close = brace.checked_sub(1)?;
        while matches!(
            tokens.at(close),
            b"const" | b"mutable" | b"noexcept" | b"override"
        ) {
            close = close.checked_sub(1)?;
        }
        let open = tokens
            .bracket_begin(close)
            .filter(|_| tokens.at(close) == b")")?;
        (tokens.parentheses(open) != Parentheses::Header).then_some(open + 1..close)
    }

    /// The names of a list of statements up to the end of its block.
    fn add_list(&mut self, list: &[Statement], end: usize) {
        for statement in list {
            let last = statement.tokens.end;
            match &statement.kind {
                Kind::Simple(lambdas) => {
                    self.add_declaration(statement.tokens.clone(), end);
                    for body in lambdas {
                        let last = body.last().map_or(end, |one| one.tokens.end);
                        self.add_list(body, last);
                    }
                }
                Kind::Block(list) if self.tokens.at(last - 1) == b"}" => {
                    self.add_list(list, last - 1);
                }
                Kind::Block(list) => self.add_list(list, last),
                Kind::Branch { condition, arms } => {
                    self.add_condition(statement, condition.clone());
                    for arm in arms {
                        self.add_list(std::slice::from_ref(arm), arm.tokens.end);
                    }
                }
                Kind::Loop { once, again, body } => {
                    match self.tokens.at(statement.tokens.start) {
                        b"while" => self.add_condition(statement, again.clone()),
                        _ => self.add_declaration(once.clone(), last),
                    }
                    self.add_list(std::slice::from_ref(body), body.tokens.end);
                }
                Kind::Label => {}
            }
        }
    }

    /// `if (T name = value)`, `catch (T name)`
    fn add_condition(&mut self, statement: &Statement, condition: Range<usize>) {
        for one in in_condition(self.tokens, statement.tokens.start, condition) {
            self.push(&one, statement.tokens.end);
        }
    }

    fn add_declaration(&mut self, range: Range<usize>, end: usize) {
        let tokens = self.tokens;
        if tokens.at(range.start) == b"extern" {
            return;
        }
        for one in declared(tokens, range.clone()) {
            self.push(&one, end);
        }
        // `auto &[x, y] = value`
        let is_type = |at: &usize| matches!(tokens.at(*at), b"const" | b"auto" | b"&" | b"&&");
        let Some(open) = range.clone().find(|at| !is_type(at)) else {
            return;
        };
        if tokens.at(open) == b"[" && open > range.start {
            let close = tokens.bracket_end(open);
            for name in (open + 1..close).filter(|at| tokens.is_name(*at)) {
                self.push_name(name, close..end);
            }
        }
    }

    fn push(&mut self, one: &Declared, end: usize) {
        if !self.is_call(one) {
            let first = match &one.value {
                // `for (T z : z)`
                Some(value) if one.is_element => value.end,
                _ => one.token,
            };
            self.push_name(one.token, first..end);
        }
    }

    fn push_name(&mut self, token: usize, seen: Range<usize>) {
        let name = self.tokens.word(token);
        self.all.push(Local {
            spelled: name.clone(),
            name,
            token,
            seen,
        });
    }

    /// Whether what looks like a variable with arguments is, or may be, a call: `std::f(x)`, `a && f(x)`.
    fn is_call(&self, one: &Declared) -> bool {
        let (tokens, name) = (self.tokens, one.token);
        let is_named = || {
            self.functions
                .iter()
                .any(|fun| tokens.at(fun.name) == tokens.at(name))
        };
        let is_and = tokens.at(name - 1) == b"&&" && one.value.is_none();
        let is_open = tokens.at(name + 1) == b"(";
        !is_use(tokens, name) || is_arithmetic(&one.name) || is_and || is_open && is_named()
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::File;
    use super::*;

    /// The names `z` of a function as they are spelled, `.` for the mark.
    fn spelled(body: &str) -> String {
        let text = format!("void f(int *p) {{ {body} }}");
        let file = File::scoped(text.as_bytes());
        let tokens = file.tokens();
        let words = (0..tokens.list.len()).map(|at| tokens.word(at));
        let names = words.filter(|word| written(word) == "z");
        let names: Vec<String> = names.map(|word| word.replace(MARK, ".")).collect();
        names.join(" ")
    }

    #[test]
    fn scopes() {
        for (body, expected) in [
            ("int z = 3; z++; { z = 4; }", "z z z"),
            ("int *z = p; { int z = 3; z++; } z[1] = 5;", "z z.2 z.2 z"),
            ("{ int z = 3; z++; } int *z = p; z[1] = 5;", "z z z.2 z.2"),
            ("{ int z = 3; z++; } z[1] = 5;", "z.2 z.2 z"),
            (
                "for (int z = 0; z < 3; z++) g(z); z = 5;",
                "z.2 z.2 z.2 z.2 z",
            ),
            ("for (int z : z) g(z); z = 5;", "z.2 z z.2 z"),
            ("if (int z = g()) g(z); else g(-z); z = 5;", "z.2 z.2 z.2 z"),
            ("while (int z = g()) { g(z); } z = 5;", "z.2 z.2 z"),
            ("try { z = 1; } catch (int z) { g(z); }", "z z.2 z.2"),
            ("auto f = [](int z) { return z; }; z = 5;", "z.2 z.2 z"),
            ("auto f = [z = z] { return z; }; z = 5;", "z.2 z z.2 z"),
            ("{ auto &[y, z] = g(); z = 4; } z = 5;", "z.2 z.2 z"),
            ("if (p & z) z = 3; p && z(4);", "z z z"),
            (
                "z.z = 3; { int z; p->z = z; } std::z(z);",
                "z z z.2 z z.2 z z",
            ),
            ("{ extern int z; z = 1; } z = 2;", "z z z"),
        ] {
            assert_eq!(spelled(body), expected, "{body}");
        }
    }

    #[test]
    fn names_are_written_plainly() {
        for (text, expected) in [
            ("z", "z"),
            ("f(z\u{1}2, z\u{1}12_copies)", "f(z, z_copies)"),
        ] {
            assert_eq!(written(text), expected);
        }
    }
}

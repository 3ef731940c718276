//! The statements of a function, by the numbers of their tokens.

use std::ops::Range;

use super::operands::Parentheses;
use super::tokens::Tokens;

/// How deep statements may be in others; what is deeper is one statement.
const DEPTH: usize = 200;

/// Words before a type in parentheses and its value in braces.
const OPERATORS: [&[u8]; 4] = [b"return", b"throw", b"sizeof", b"delete"];

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its tokens.
    pub tokens: Range<usize>,
    /// What it is made of.
    pub kind: Kind,
}

/// What statements are made of.
#[derive(Clone, Debug)]
pub enum Kind {
    /// An expression, declaration or jump; the bodies of lambdas in it.
    Simple(Vec<Vec<Statement>>),
    /// `{ … }`.
    Block(Vec<Statement>),
    /// `if`, `switch`, `catch`: a condition, then any of some.
    Branch {
        /// What is evaluated first.
        condition: Range<usize>,
        /// What follows.
        arms: Vec<Statement>,
    },
    /// A loop.
    Loop {
        /// What is evaluated before its first iteration.
        once: Range<usize>,
        /// What is evaluated before or after each.
        again: Range<usize>,
        /// What is repeated.
        body: Box<Statement>,
    },
    /// A place to jump to.
    Label,
}

impl Statement {
    /// The statements directly in it.
    pub fn children(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::Simple(lambdas) => lambdas.iter().flatten().collect(),
            Kind::Block(list) | Kind::Branch { arms: list, .. } => list.iter().collect(),
            Kind::Loop { body, .. } => vec![body],
            Kind::Label => Vec::new(),
        }
    }

    /// The bodies of lambdas anywhere in it, but for those in others.
    pub fn lambdas(&self) -> Vec<&Vec<Self>> {
        match &self.kind {
            Kind::Simple(lambdas) => lambdas.iter().collect(),
            _ => self
                .children()
                .into_iter()
                .flat_map(Self::lambdas)
                .collect(),
        }
    }
}

impl Tokens<'_> {
    /// The statements of a body.
    pub fn statements(&self, body: Range<usize>) -> Vec<Statement> {
        self.list_of(body, DEPTH)
    }

    fn list_of(&self, body: Range<usize>, depth: usize) -> Vec<Statement> {
        let mut list = Vec::new();
        let mut at = body.start;
        while at < body.end {
            let statement = self.statement(at, body.end, depth);
            at = statement.tokens.end.max(at + 1);
            list.push(statement);
        }
        list
    }

    fn statement(&self, at: usize, end: usize, depth: usize) -> Statement {
        let of = |tokens: Range<usize>, kind: Kind| Statement { tokens, kind };
        let Some(depth) = depth.checked_sub(1) else {
            return of(at..end, Kind::Simple(Vec::new()));
        };
        let close = |open: usize| self.bracket_end(open).min(end);
        let inner = |first: usize| self.statement(first, end, depth);
        let open = at + 1 + usize::from(self.at(at + 1) == b"constexpr");
        let has_header = self.at(open) == b"(";
        match self.at(at) {
            b"{" => {
                let last = close(at);
                of(
                    at..(last + 1).min(end),
                    Kind::Block(self.list_of(at + 1..last, depth)),
                )
            }
            b"if" | b"switch" | b"catch" if has_header => {
                let condition = open + 1..close(open);
                let first = inner(condition.end + 1);
                let mut last = first.tokens.end;
                let mut arms = vec![first];
                if self.at(at) == b"if" && last < end && self.at(last) == b"else" {
                    let other = inner(last + 1);
                    last = other.tokens.end;
                    arms.push(other);
                }
                of(at..last, Kind::Branch { condition, arms })
            }
            b"for" | b"while" if has_header => {
                let header = open + 1..close(open);
                let body = inner(header.end + 1);
                let first = header.clone().find(|at| self.at(*at) == b";");
                let ends_once = match (self.at(at), first) {
                    (b"for", Some(first)) => first,
                    // `for (x : list)`
                    (b"for", None) => header.end,
                    _ => header.start,
                };
                let loop_of = Kind::Loop {
                    once: header.start..ends_once,
                    again: ends_once..header.end,
                    body: Box::new(body.clone()),
                };
                of(at..body.tokens.end, loop_of)
            }
            b"do" => {
                let body = inner(at + 1);
                let last = self.simple_end(body.tokens.end, end);
                let loop_of = Kind::Loop {
                    once: at..at,
                    again: body.tokens.end..last,
                    body: Box::new(body),
                };
                of(at..last, loop_of)
            }
            b"try" if self.at(at + 1) == b"{" => {
                let body = inner(at + 1);
                of(at..body.tokens.end, Kind::Block(vec![body]))
            }
            b"case" | b"default" => {
                let colon = (at..end).find(|at| self.is_colon(*at));
                of(at..colon.map_or(end, |colon| colon + 1), Kind::Label)
            }
            _ if self.is_name(at) && self.is_colon(at + 1) => of(at..at + 2, Kind::Label),
            // A macro's: `EACH(i, n) { … }`.
            word if has_header
                && self.is_name(at)
                && self.at(close(open) + 1) == b"{"
                && !OPERATORS.contains(&word) =>
            {
                let header = open + 1..close(open);
                let body = inner(header.end + 1);
                let loop_of = Kind::Loop {
                    once: header.start..header.start,
                    again: header,
                    body: Box::new(body.clone()),
                };
                of(at..body.tokens.end, loop_of)
            }
            _ => {
                let last = self.simple_end(at, end);
                of(at..last, Kind::Simple(self.lambdas(at..last, depth)))
            }
        }
    }

    /// Whether an operand and a call in one statement are evaluated in an order that C++17 fixes:
    /// with `&&`, `||`, `?`, `,` or `;` between them, the operand on the left of an assignment, or
    /// among the arguments of the call.
    pub fn is_sequenced(&self, operand: usize, call: usize) -> bool {
        let (of_operand, of_call) = (self.brackets_around(operand), self.brackets_around(call));
        let is_argument = self
            .call(call)
            .is_some_and(|open| of_operand.contains(&open));
        let common = of_operand.iter().find(|open| of_call.contains(open));
        // What stands between the same brackets as the other one.
        let outer = |at: usize, around: &[usize]| {
            let inside = around.iter().take_while(|open| Some(*open) != common);
            inside.last().copied().unwrap_or(at)
        };
        let (a, b) = (outer(operand, &of_operand), outer(call, &of_call));
        let in_call = common.is_some_and(|open| {
            let is_grouped = |pair| matches!(pair, Parentheses::Group | Parentheses::Header);
            self.at(*open) == b"(" && !is_grouped(self.parentheses(*open))
        });
        let mut at = a.min(b);
        let mut is_between = false;
        while at < a.max(b) {
            match self.at(at) {
                b"(" | b"[" | b"{" => at = self.bracket_end(at),
                b"&&" | b"||" | b"?" | b";" => is_between = true,
                b"," => is_between |= !in_call,
                b"==" | b"!=" | b"<=" | b">=" => {}
                word => is_between |= word.ends_with(b"=") && a < b,
            }
            at += 1;
        }
        is_argument || is_between
    }

    /// The brackets around a token in its statement, from the innermost one on.
    fn brackets_around(&self, token: usize) -> Vec<usize> {
        let mut around = Vec::new();
        let mut at = token;
        while let Some(before) = at.checked_sub(1) {
            at = before;
            match self.at(at) {
                b")" | b"]" | b"}" => match self.bracket_begin(at) {
                    Some(open) => at = open,
                    None => break,
                },
                b"(" | b"[" => around.push(at),
                b"{" => break,
                _ => {}
            }
        }
        around
    }

    /// A colon that is not half of `::`.
    pub fn is_colon(&self, at: usize) -> bool {
        self.at(at) == b":"
            && !self.touching(at, [b":", b":"])
            && !(at > 0 && self.touching(at - 1, [b":", b":"]))
    }

    /// Behind the `;` of a simple statement.
    fn simple_end(&self, first: usize, end: usize) -> usize {
        let mut at = first;
        while at < end {
            match self.at(at) {
                b"(" | b"[" | b"{" => at = self.bracket_end(at),
                b";" => return at + 1,
                _ => {}
            }
            at += 1;
        }
        end
    }

    /// The bodies of lambdas in a simple statement.
    fn lambdas(&self, range: Range<usize>, depth: usize) -> Vec<Vec<Statement>> {
        let mut bodies = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let before = at
                .checked_sub(1)
                .map_or(b"".as_slice(), |before| self.at(before));
            if self.at(at) == b"{" && matches!(before, b")" | b"]" | b"mutable" | b">") {
                let close = self.bracket_end(at).min(range.end);
                bodies.push(self.list_of(at + 1..close, depth));
                at = close;
            }
            at += 1;
        }
        bodies
    }
}

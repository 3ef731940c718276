//! The functions of a file, by the numbers of their tokens.
//!
//! ```text
//! static __global__ void scale(float *x, int n) { … }
//! first                  name  parameters         body
//! ```

use std::ops::Range;

use super::program::split;
use super::tokens::Tokens;

/// Words before `(` that begin no function.
const STATEMENTS: [&[u8]; 8] = [
    b"if",
    b"for",
    b"while",
    b"switch",
    b"return",
    b"sizeof",
    b"catch",
    b"decltype",
];

/// A function that is declared or defined.
#[derive(Clone, Debug)]
pub struct Function {
    /// The first of its qualifiers, or of its type.
    pub first: usize,
    /// Its name.
    pub name: usize,
    /// What stands in its parentheses.
    pub parameters: Range<usize>,
    /// What the members of a constructor begin with.
    pub initialisers: Range<usize>,
    /// What stands in its braces; of a declaration nothing.
    pub body: Option<Range<usize>>,
}

impl Tokens<'_> {
    /// All functions outside of functions, in order.
    pub fn functions(&self) -> Vec<Function> {
        let mut functions = Vec::new();
        let (mut at, mut first) = (0, 0);
        while at < self.list.len() {
            let before = at
                .checked_sub(1)
                .map_or(b"".as_slice(), |before| self.at(before));
            match self.at(at) {
                b"{" if matches!(before, b"=" | b"," | b"(") => at = self.bracket_end(at),
                b";" | b"{" | b"}" => first = at + 1,
                b"(" if self.declared_name(first, at).is_some() => {
                    let (open, name) = (at, self.declared_name(first, at).unwrap_or(at));
                    let close = self.bracket_end(open);
                    let ends =
                        |at: &usize| matches!(self.at(*at), b"{" | b";" | b"=" | b"," | b"(");
                    let end = match self.is_colon(close + 1) {
                        true => self.behind_initialisers(close + 2),
                        false => (close + 1..self.list.len()).find(ends),
                    };
                    at = close;
                    let Some(end) = end.filter(|_| !STATEMENTS.contains(&self.at(first))) else {
                        at += 1;
                        continue;
                    };
                    let body = match self.at(end) {
                        b"{" => Some(end + 1..self.bracket_end(end)),
                        b";" => None,
                        _ => {
                            at += 1;
                            continue;
                        }
                    };
                    let last = body.as_ref().map_or(end, |body| body.end);
                    let begin = match self.is_colon(close + 1) {
                        true => close + 2,
                        false => end,
                    };
                    functions.push(Function {
                        first,
                        name,
                        parameters: open + 1..close,
                        initialisers: begin..end,
                        body,
                    });
                    (at, first) = (last, last + 1);
                }
                _ => {}
            }
            at += 1;
        }
        functions
    }

    /// The name that a statement declares with a `(`: `f(`, `f<int>(` of a specialisation. What a variable
    /// begins with is none.
    fn declared_name(&self, first: usize, open: usize) -> Option<usize> {
        let before = open.checked_sub(1)?;
        let name = match self.at(before) {
            b">" | b">>" if before > first && self.at(before - 1) != b"operator" => {
                self.arguments_begin(before)?.checked_sub(1)?
            }
            _ => before,
        };
        (name >= first && self.is_name(name) && !self.has_value(first..name)).then_some(name)
    }

    /// Whether `=` stands there, outside of template parameters.
    fn has_value(&self, range: Range<usize>) -> bool {
        let mut depth = 0_usize;
        for at in range {
            match self.at(at) {
                b"<" => depth += 1,
                b">" => depth = depth.saturating_sub(1),
                b">>" => depth = depth.saturating_sub(2),
                b"=" if depth == 0 && self.at(at - 1) != b"operator" => return true,
                _ => {}
            }
        }
        false
    }

    /// The `{` of a constructor behind what its members begin with: `: x(3), y{4} {`.
    fn behind_initialisers(&self, first: usize) -> Option<usize> {
        let mut at = first;
        while at < self.list.len() {
            match self.at(at) {
                b"{" if matches!(self.at(at - 1), b")" | b"}") => return Some(at),
                b"(" | b"{" => at = self.bracket_end(at),
                b";" => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// The places of the parts between the commas that stand in no brackets.
    pub fn parts(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let words: Vec<String> = range.clone().map(|at| self.word(at)).collect();
        let mut first = range.start;
        let part = |part: &[String]| {
            let own = first..first + part.len();
            first = own.end + 1;
            own
        };
        split(&words).into_iter().map(part).collect()
    }
}

//! The tokens of a CUDA file or of a macro in it, directives among them.

use std::ops::Range;

use super::scopes::{self, Scopes};
use crate::source::lexer::{Token, TokenKind};

/// Tokens, and the text that they are of.
#[derive(Clone, Copy, Debug)]
pub struct Tokens<'a> {
    /// The text.
    pub text: &'a [u8],
    /// Its tokens, in order.
    pub list: &'a [Token],
    /// How names are spelled.
    pub scopes: &'a Scopes,
}

impl<'a> Tokens<'a> {
    /// Of a text, with names as they are written.
    pub fn new(text: &'a [u8], list: &'a [Token]) -> Self {
        Self {
            text,
            list,
            scopes: &scopes::NONE,
        }
    }
}

impl Tokens<'_> {
    /// The bytes from one token to the end of another.
    pub fn range(&self, first: usize, last: usize) -> Range<usize> {
        self.list[first].start as usize..self.list[last].end as usize
    }

    /// The text of a token, of a name as its scope spells it; empty for none.
    pub fn at(&self, index: usize) -> &[u8] {
        if let Some(name) = self.scopes.spelled(index) {
            return name.as_bytes();
        }
        self.list
            .get(index)
            .map_or(b"".as_slice(), |token| token.text(self.text))
    }

    /// Whether these tokens stand here with nothing between them.
    pub fn touching(&self, index: usize, texts: [&[u8]; 2]) -> bool {
        let end = |index: usize| self.list.get(index).map(|token| token.end);
        let start = self.list.get(index + 1).map(|token| token.start);
        self.at(index) == texts[0] && self.at(index + 1) == texts[1] && end(index) == start
    }

    /// Whether a token is an identifier.
    pub fn is_name(&self, index: usize) -> bool {
        let token = self.list.get(index);
        token.is_some_and(|token| token.kind == TokenKind::Identifier)
    }

    /// Whether a token is the name of a member: behind `.` or `->`.
    pub fn is_member(&self, index: usize) -> bool {
        index > 0 && matches!(self.at(index - 1), b"." | b"->")
    }

    /// Whether a name is that of a structure or class.
    pub fn is_structure(&self, name: &str) -> bool {
        self.structures().any(|own| own == name.as_bytes())
    }

    /// The names behind `struct`, `class` and `union`.
    pub fn structures(&self) -> impl Iterator<Item = &[u8]> {
        let is_head = |at: &usize| matches!(self.at(at - 1), b"struct" | b"class" | b"union");
        let heads = (1..self.list.len()).filter(is_head);
        heads.map(|at| self.at(at)).filter(|name| !name.is_empty())
    }

    /// The text of a token as a string.
    pub fn word(&self, index: usize) -> String {
        String::from_utf8_lossy(self.at(index)).into_owned()
    }

    /// The bracket that closes the one at a token; the last token, if none does.
    pub fn bracket_end(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for at in open..self.list.len() {
            match self.at(at) {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at;
                    }
                }
                _ => {}
            }
        }
        self.list.len().saturating_sub(1)
    }

    /// The bracket that the one at a token closes.
    pub fn bracket_begin(&self, last: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for index in (0..=last).rev() {
            match self.at(index) {
                b")" | b"]" | b"}" => depth += 1,
                b"(" | b"[" | b"{" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(index);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The `(` of the call of a function whose name stands at a token: `f(…)` or `f<T>(…)`.
    pub fn call(&self, name: usize) -> Option<usize> {
        if !self.is_name(name) {
            return None;
        }
        let mut depth = 0_usize;
        for at in name + 1..self.list.len() {
            match self.at(at) {
                b"(" if depth == 0 => return Some(at),
                b"<" => depth += 1,
                b">" => depth = depth.checked_sub(1)?,
                b">>" => depth = depth.checked_sub(2)?,
                b"(" | b")" | b"[" | b"]" | b"{" | b"}" | b";" => return None,
                _ if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }

    /// The `<` of the template arguments that end at a token.
    pub fn arguments_begin(&self, last: usize) -> Option<usize> {
        let mut open = 0_usize;
        let mut index = last + 1;
        loop {
            index = index.checked_sub(1)?;
            match self.at(index) {
                b">" => open += 1,
                b">>" => open += 2,
                b"<" => open = open.checked_sub(1)?,
                b"<<" => open = open.checked_sub(2)?,
                b")" | b"]" | b"}" => index = self.bracket_begin(index)?,
                b";" | b"{" | b"(" => return None,
                _ => {}
            }
            if open == 0 {
                return Some(index);
            }
        }
    }
}

//! Launches, by their tokens.

use super::tokens::Tokens;

/// Words before `::` that begin no name: what follows is of the global
/// namespace.
const NO_NAMES: [&[u8]; 4] = [b"return", b"else", b"do", b"case"];

/// A launch, by the numbers of its tokens.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Where the kernel's name begins.
    pub kernel: usize,
    /// The first of the three `<`, which ends the name.
    pub open: usize,
    /// The first token of the configuration.
    pub first: usize,
    /// The first of the three `>`, which ends the configuration.
    pub close: usize,
    /// The parenthesis of the arguments.
    pub arguments: usize,
    /// It has a logical grid: `kernel<[< D0, D1 >]>(…)`.
    pub is_logical: bool,
}

impl Tokens<'_> {
    /// The launch on a logical grid whose first `<` stands here (MESI-CUDA, section 3).
    pub fn logical_launch(&self, open: usize) -> Option<Launch> {
        let is_open = self.touching(open, [b"<", b"["]) && self.touching(open + 1, [b"[", b"<"]);
        let kernel = self.kernel(open).filter(|_| is_open)?;
        let first = open + 3;
        let mut depth = 0_usize;
        for close in first..self.list.len() {
            match self.at(close) {
                b"(" | b"[" | b"{" => depth += 1,
                b"]" if depth == 0 => {
                    let ends = self.touching(close - 1, [b">", b"]"])
                        && self.touching(close, [b"]", b">"]);
                    let is_call = self.at(close + 2) == b"(";
                    return (ends && is_call && close > first).then_some(Launch {
                        kernel,
                        open,
                        first,
                        close: close - 1,
                        arguments: close + 2,
                        is_logical: true,
                    });
                }
                b")" | b"]" | b"}" => depth = depth.checked_sub(1)?,
                b";" => return None,
                _ => {}
            }
        }
        None
    }

    /// The launch whose first `<` stands here.
    pub fn launch(&self, open: usize) -> Option<Launch> {
        if self.at(open) != b"<<" || self.at(open + 1) != b"<" {
            return None;
        }
        let kernel = self.kernel(open)?;
        let close = self.configuration_end(open + 2)?;
        Some(Launch {
            kernel,
            open,
            first: open + 2,
            close,
            arguments: close + 2,
            is_logical: false,
        })
    }

    /// Where the `>>` of the launch's end stands, given its first token after
    /// the beginning: outside of all brackets, with the arguments behind.
    fn configuration_end(&self, first: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for index in first..self.list.len() {
            match self.at(index) {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => depth = depth.checked_sub(1)?,
                b";" if depth == 0 => return None,
                b">>" if depth == 0 && self.at(index + 1) == b">" && self.at(index + 2) == b"(" => {
                    return Some(index);
                }
                _ => {}
            }
        }
        None
    }

    /// Where the kernel's name begins that ends before a token: `name`,
    /// `name<…>`, `a::b<…>::name`, an element or member (`a->b[…].name`), or an
    /// expression in parentheses.
    fn kernel(&self, end: usize) -> Option<usize> {
        let mut begin = self.name(end)?;
        loop {
            begin = match begin.checked_sub(1).map(|before| self.at(before)) {
                Some(b"." | b"->") => self.name(begin - 1)?,
                _ => return Some(begin),
            }
        }
    }

    /// The same without members.
    fn name(&self, end: usize) -> Option<usize> {
        let mut at = end;
        while at > 0 && self.at(at - 1) == b"]" {
            at = self.bracket_begin(at - 1)?;
        }
        let end = at;
        loop {
            let last = at.checked_sub(1)?;
            match self.at(last) {
                b">" | b">>" => at = self.arguments_begin(last)?,
                b")" if at == end => return self.bracket_begin(last),
                _ => {}
            }
            let name = at.checked_sub(1)?;
            if !self.is_name(name) || self.at(name) == b"operator" {
                return None;
            }
            at = name;
            if at > 0 && self.at(at - 1) == b"template" {
                at -= 1;
            }
            if at < 2 || !self.touching(at - 2, [b":", b":"]) {
                return Some(at);
            }
            at -= 2;
            let qualified = at > 0
                && (matches!(self.at(at - 1), b">" | b">>")
                    || self.is_name(at - 1) && !NO_NAMES.contains(&self.at(at - 1)));
            if !qualified {
                return Some(at);
            }
        }
    }
}

//! A coarse look at C text: brackets, strings and tokens, nothing more.
//!
//! It serves what the grammar is no help for: nesting that is too deep to
//! parse, which bracket is open at an error, and where to go on behind a
//! broken declaration. All of it is linear and needs no stack.

/// An opening bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Open {
    /// `(`, `[` or `{`.
    pub(super) bracket: char,
    /// Its offset.
    pub(super) offset: usize,
}

impl Open {
    fn new(bracket: u8, offset: usize) -> Self {
        Self {
            bracket: char::from(bracket),
            offset,
        }
    }

    /// The bracket that closes it.
    pub(super) fn closing(&self) -> char {
        match self.bracket {
            '(' => ')',
            '[' => ']',
            _ => '}',
        }
    }
}

/// Brackets and separators of a text, in order, strings and character
/// constants left out.
struct Marks<'t> {
    bytes: &'t [u8],
    at: usize,
    end: usize,
}

impl Iterator for Marks<'_> {
    type Item = (usize, u8);

    fn next(&mut self) -> Option<(usize, u8)> {
        while self.at < self.end {
            let byte = self.bytes[self.at];
            match byte {
                b'(' | b'[' | b'{' | b')' | b']' | b'}' | b';' => {
                    self.at += 1;
                    return Some((self.at - 1, byte));
                }
                b'"' | b'\'' => self.at += quoted_length(&self.bytes[self.at..self.end]),
                _ => self.at += 1,
            }
        }
        None
    }
}

/// The marks of `text[start..end]`.
fn marks(text: &str, start: usize, end: usize) -> Marks<'_> {
    Marks {
        bytes: text.as_bytes(),
        at: start,
        end: end.min(text.len()),
    }
}

/// The length of the string or character constant that bytes begin with; an
/// unclosed one ends with its line.
fn quoted_length(bytes: &[u8]) -> usize {
    let quote = bytes[0];
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The first bracket that is nested deeper than `limit`.
pub(super) fn deeper_than(text: &str, limit: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in marks(text, 0, text.len()) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b';' => {}
            _ => depth = depth.saturating_sub(1),
        }
        if depth > limit {
            return Some(offset);
        }
    }
    None
}

/// The innermost bracket that is open at `end`, seen from `start`.
pub(super) fn innermost_open(text: &str, start: usize, end: usize) -> Option<Open> {
    all_open(text, start, end).pop()
}

/// The outermost one.
pub(super) fn outermost_open(text: &str, start: usize, end: usize) -> Option<Open> {
    all_open(text, start, end).into_iter().next()
}

fn all_open(text: &str, start: usize, end: usize) -> Vec<Open> {
    let mut open: Vec<Open> = Vec::new();
    for (offset, byte) in marks(text, start, end) {
        match byte {
            b'(' | b'[' | b'{' => open.push(Open::new(byte, offset)),
            b';' => {}
            _ => close(&mut open, byte),
        }
    }
    open
}

/// Closes the innermost bracket of that kind and what is open inside it.
fn close(open: &mut Vec<Open>, byte: u8) {
    if let Some(at) = open.iter().rposition(|o| o.bracket == opening(byte)) {
        open.truncate(at);
    }
}

/// The bracket that one closes.
fn opening(byte: u8) -> char {
    match byte {
        b')' => '(',
        b']' => '[',
        _ => '{',
    }
}

/// The bracket that closes the one at `offset`, if its own kind does.
pub(super) fn partner(text: &str, offset: usize) -> Option<usize> {
    let mut open: Vec<char> = Vec::new();
    for (at, byte) in marks(text, offset, text.len()) {
        match byte {
            b'(' | b'[' | b'{' => open.push(char::from(byte)),
            b';' => {}
            _ if open.pop() != Some(opening(byte)) => return None,
            _ if open.is_empty() => return Some(at),
            _ => {}
        }
    }
    None
}

/// The semicolons of `text[start..end]`.
pub(super) fn semicolons(text: &str, start: usize, end: usize) -> usize {
    marks(text, start, end)
        .filter(|(_, byte)| *byte == b';')
        .count()
}

/// Where the external declaration that starts at `start` ends, judged by
/// brackets alone: behind a `;`, or behind the `}` of a function body.
pub(super) fn external_end(text: &str, start: usize) -> usize {
    let mut open: Vec<Open> = Vec::new();
    let mut body = false;
    let mut last = start;
    for (offset, byte) in marks(text, start, text.len()) {
        match byte {
            b'(' | b'[' | b'{' => {
                if open.is_empty() {
                    let between = text.get(last..offset).unwrap_or_default();
                    body = byte == b'{' && between.trim_end().ends_with(')');
                }
                open.push(Open::new(byte, offset));
            }
            b';' if open.is_empty() => return offset + 1,
            b';' => {}
            _ => {
                let stray = open.is_empty();
                close(&mut open, byte);
                if open.is_empty() && byte == b'}' && (body || stray) {
                    return offset + 1;
                }
                if open.is_empty() {
                    last = offset;
                }
            }
        }
    }
    text.len()
}

/// The statement around an error at `at` in the function that starts at
/// `start`: from behind the last `;` or brace of its block to behind the next
/// one, with the `else` parts that follow it.
pub(super) fn statement_around(text: &str, start: usize, at: usize) -> Option<(usize, usize)> {
    let mut open: Vec<(Open, usize)> = Vec::new();
    for (offset, byte) in marks(text, start, at) {
        match byte {
            b'(' | b'[' | b'{' => open.push((Open::new(byte, offset), offset + 1)),
            b')' | b']' => {
                open.pop_if(|(o, _)| o.bracket == opening(byte));
            }
            b'}' => {
                if let Some(last) = open.iter().rposition(|(o, _)| o.bracket == '{') {
                    open.truncate(last);
                }
            }
            _ => {}
        }
        if matches!(byte, b'}' | b';')
            && let Some((Open { bracket: '{', .. }, begin)) = open.last_mut()
        {
            *begin = offset + 1;
        }
    }
    let before = |o: &Open| text.get(..o.offset).unwrap_or_default().trim_end();
    let is_body = open.first().is_some_and(|(o, _)| before(o).ends_with(')'));
    let is_block = |o: &Open| o.bracket == '{' && !before(o).ends_with(['=', ',']);
    let (_, begin) = open.iter().rev().find(|(o, _)| is_body && is_block(o))?;
    let begin = *begin;
    let mut end = statement_end(text, at);
    while let Some(rest) = text.get(end..)
        && let trimmed = rest.trim_start()
        && trimmed.starts_with("else")
    {
        end = statement_end(text, text.len() - trimmed.len());
    }
    (begin < end).then_some((begin, end))
}

/// Behind the next `;` or block, or before the `}` that ends this one.
fn statement_end(text: &str, at: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in marks(text, at, text.len()) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return offset,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return offset + 1;
                }
            }
            b';' if depth == 0 => return offset + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of the token that text begins with, roughly: a word or number,
/// a quoted constant, an operator.
pub(super) fn token_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let Some(&first) = bytes.first() else {
        return 0;
    };
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    if matches!(first, b'"' | b'\'') {
        return quoted_length(bytes);
    }
    let word = text.find(|c| !is_word(c)).unwrap_or(text.len());
    if word > 0 {
        return word;
    }
    const LONG: [&str; 22] = [
        "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
        "*=", "/=", "%=", "+=", "-=", "&=", "^=", "|=",
    ];
    let long = LONG.iter().find(|long| text.starts_with(**long));
    match long {
        Some(long) => long.len(),
        None => text.chars().next().map_or(0, char::len_utf8),
    }
}

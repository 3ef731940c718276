//! Which bytes of a C file the translator may replace, found without the translator.
//!
//! A small scanner of its own: it knows comments, strings, continued lines, `#pragma acc` and
//! `#pragma hicuda` lines and where a statement ends, and nothing else of C. Directives that macros hide are beyond it; such a
//! fixture names its replaced lines itself (`// replaced: 12-14 20-25`).

use std::ops::{Range, RangeInclusive};

/// A directive and what belongs to it.
#[derive(Clone, Debug)]
pub struct Region {
    /// The directive, from `#` to the end of its last line.
    pub directive: Range<usize>,
    /// For `parallel`, `kernels` and `serial`: the directive and its statement; for `kernel` all up
    /// to `kernel_end`.
    pub compute: Option<Range<usize>>,
    /// For `data` and `host_data`: the statement.
    pub block: Option<Range<usize>>,
}

/// The directives of a file in order, those inside compute constructs left out.
pub fn regions(source: &str) -> Vec<Region> {
    let scanner = Scanner {
        text: source.as_bytes(),
    };
    let mut found: Vec<Region> = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let Some(end) = scanner.directive(at) else {
            at = scanner.token(at);
            continue;
        };
        let words = &source[at..end];
        let name = words
            .split_once("acc")
            .map_or("", |(_, rest)| rest)
            .trim_start();
        let is = |construct: &str| {
            name.strip_prefix(construct)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        let mut region = Region {
            directive: at..end,
            compute: None,
            block: None,
        };
        let mut next = end;
        if words.contains("hicuda") && name_of(words) == "kernel" {
            next = scanner.kernel_end(source, end);
            region.compute = Some(at..next);
        } else if ["parallel", "kernels", "serial"].into_iter().any(is) {
            next = scanner.statement(end);
            region.compute = Some(at..next);
        } else if is("data") || is("host_data") {
            region.block = Some(scanner.skip_space(end)..scanner.statement(end));
        }
        found.push(region);
        at = next;
    }
    found
}

/// The directives of hiCUDA in a file, each from `#` to the end of its last line, with its name.
pub fn hicuda_directives(source: &str) -> Vec<(Range<usize>, &str)> {
    let scanner = Scanner {
        text: source.as_bytes(),
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let Some(end) = scanner.directive(at) else {
            at = scanner.token(at);
            continue;
        };
        if source[at..end].contains("hicuda") {
            found.push((at..end, name_of(&source[at..end])));
        }
        at = end;
    }
    found
}

/// The first word behind `hicuda`.
fn name_of(directive: &str) -> &str {
    let rest = directive.split_once("hicuda").map_or("", |(_, rest)| rest);
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    &rest[..end.unwrap_or(rest.len())]
}

/// The pieces of host text that must come out of a translation unchanged, in order.
pub fn host_text<'a>(source: &'a str, replaced_lines: &[RangeInclusive<usize>]) -> Vec<&'a str> {
    let mut cuts: Vec<Range<usize>> = Vec::new();
    if replaced_lines.is_empty() {
        for region in regions(source) {
            cuts.push(region.compute.unwrap_or(region.directive));
            cuts.extend(
                region
                    .block
                    .iter()
                    .flat_map(|b| [b.start..b.start, b.end..b.end]),
            );
        }
    } else {
        let mut starts = vec![0];
        starts.extend(source.match_indices('\n').map(|(at, _)| at + 1));
        let line = |number: usize| starts.get(number).copied().unwrap_or(source.len());
        cuts.extend(
            replaced_lines
                .iter()
                .map(|lines| line(lines.start() - 1)..line(*lines.end())),
        );
    }
    cuts.sort_by_key(|cut| (cut.start, cut.end));
    let mut pieces = Vec::new();
    let mut at = 0;
    for cut in cuts {
        pieces.push(&source[at..cut.start.max(at)]);
        at = cut.end.max(at);
    }
    pieces.push(&source[at..]);
    pieces
}

/// Whether a host program still has all host text of its source, line by line and in order. What
/// the translator adds stands on lines of its own.
pub fn host_text_kept(pieces: &[&str], output: &str) -> Result<(), String> {
    let mut at = 0;
    for line in pieces.iter().flat_map(|piece| piece.split_inclusive('\n')) {
        match output[at..].find(line) {
            Some(offset) => at += offset + line.len(),
            None => {
                return Err(format!(
                    "host text is changed or lost: `{}`",
                    line.trim_end()
                ));
            }
        }
    }
    Ok(())
}

struct Scanner<'a> {
    text: &'a [u8],
}

impl Scanner<'_> {
    fn starts(&self, at: usize, word: &str) -> bool {
        self.text[at.min(self.text.len())..].starts_with(word.as_bytes())
    }

    /// The end of the lexical element at `at`: a comment, a literal, a word, or one byte.
    fn token(&self, at: usize) -> usize {
        let byte = self.text[at];
        if self.starts(at, "//") {
            return self.line_end(at);
        }
        if self.starts(at, "/*") {
            return self
                .find(at + 2, "*/")
                .map_or(self.text.len(), |end| end + 2);
        }
        if byte == b'"' || byte == b'\'' {
            let mut end = at + 1;
            while end < self.text.len() && self.text[end] != byte {
                end += if self.text[end] == b'\\' { 2 } else { 1 };
            }
            return (end + 1).min(self.text.len());
        }
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = self.text[at..].iter().take_while(|byte| word(byte)).count();
        at + length.max(1)
    }

    fn find(&self, at: usize, word: &str) -> Option<usize> {
        (at..self.text.len()).find(|&place| self.starts(place, word))
    }

    /// The end of a logical line: backslashes continue it, and so do comments that span lines.
    fn line_end(&self, mut at: usize) -> usize {
        let in_line_comment = self.starts(at, "//");
        while at < self.text.len() && self.text[at] != b'\n' {
            if self.text[at] == b'\\' && self.starts(at + 1, "\n") {
                at += 2;
            } else if self.starts(at, "/*") && !in_line_comment {
                at = self.token(at);
            } else {
                at += 1;
            }
        }
        at
    }

    fn skip_space(&self, mut at: usize) -> usize {
        while at < self.text.len() {
            if self.text[at].is_ascii_whitespace() {
                at += 1;
            } else if self.starts(at, "//") || self.starts(at, "/*") {
                at = self.token(at);
            } else {
                break;
            }
        }
        at
    }

    /// The end of the next `kernel_end`.
    fn kernel_end(&self, source: &str, at: usize) -> usize {
        let mut at = at;
        while at < source.len() {
            match self.directive(at) {
                Some(end) if name_of(&source[at..end]) == "kernel_end" => return end,
                Some(end) => at = end,
                None => at = self.token(at),
            }
        }
        at
    }

    /// The end of the line of a directive at `at`, where one begins there.
    fn directive(&self, at: usize) -> Option<usize> {
        if self.text[at] != b'#' {
            return None;
        }
        let end = self.line_end(at);
        let line = std::str::from_utf8(&self.text[at + 1..end])
            .ok()?
            .trim_start();
        let rest = line.strip_prefix("pragma")?.trim_start();
        let rest = rest
            .strip_prefix("acc")
            .or_else(|| rest.strip_prefix("hicuda"))?;
        let whole = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        whole.then_some(end)
    }

    /// The end of the statement that begins at or after `at`, with the directives before it.
    fn statement(&self, at: usize) -> usize {
        let at = self.skip_space(at);
        if at >= self.text.len() {
            return at;
        }
        if let Some(end) = self.directive(at) {
            return self.statement(end);
        }
        let end = self.token(at);
        match &self.text[at..end] {
            b"{" => self.closing(at),
            b"for" | b"while" | b"switch" => self.statement(self.parentheses(end)),
            b"if" => {
                let then = self.statement(self.parentheses(end));
                let next = self.skip_space(then);
                if self.starts(next, "else") {
                    self.statement(next + 4)
                } else {
                    then
                }
            }
            b"do" => self.simple(self.statement(end)),
            _ => self.simple(at),
        }
    }

    fn parentheses(&self, at: usize) -> usize {
        self.closing(self.skip_space(at))
    }

    /// Just behind the bracket that closes the one at `at`.
    fn closing(&self, mut at: usize) -> usize {
        let mut depth = 0_usize;
        while at < self.text.len() {
            match self.text[at] {
                b'(' | b'{' | b'[' => depth += 1,
                b')' | b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            at = self.token(at);
            if depth == 0 {
                break;
            }
        }
        at
    }

    /// Just behind the semicolon of a statement that has no body.
    fn simple(&self, mut at: usize) -> usize {
        while at < self.text.len() && self.text[at] != b';' {
            let opens = matches!(self.text[at], b'(' | b'{' | b'[');
            at = if opens {
                self.closing(at)
            } else {
                self.token(at)
            };
        }
        (at + 1).min(self.text.len())
    }
}

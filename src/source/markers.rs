//! The marked copy: the file as the preprocessor gets it.
//!
//! Input: the original bytes and their raw tokens. Output: a copy in which
//! every line is where it was, with three kinds of identifiers added. None of
//! them ever stands in a directive or between the parentheses of what could be
//! a macro call, and none stands where it could part a macro's name from its
//! `(`; so the preprocessor's output, the marks taken away, is what it would
//! have been without them.
//!
//! - **Markers** `__accrs_m<offset>`: the text so far comes from `[0, offset)`
//!   of the original. They stand where a statement may begin or end: after
//!   `;`, `{`, `}` (unless they are an initialiser's), after `:`, `else`, `do`
//!   and the `)` of a loop or `if` before a name (which may be a macro that
//!   hides a directive), and after each name or `)` that another statement can
//!   follow (a macro that hides the end of a block); and after some other
//!   punctuator where there was none for long, as in tables.
//! - **Directives**: a line `#pragma acc BODY` becomes
//!   `__accrs_pragma_acc_<start>_<end> BODY __accrs_pragma_end`, ordinary
//!   tokens, so that any compiler expands macros in it; `[start, end)` is the
//!   line from `#` to before its newline. Other pragmas stay.
//! - **Problems** `__accrs_bad<index>`: before a token that is an error, if
//!   the compiler does not skip it. Whether it did is only known afterwards.
//!
//! ```c
//! #pragma acc loop gang(N)           __accrs_pragma_acc_0_24 loop gang(N) __accrs_pragma_end
//! for (i = 0; i < n; i++) {     =>   for (i = 0; i < n; i++) {
//!   a[i] = 0;                          a[i] = 0;__accrs_m62
//! }                                  }__accrs_m64
//! ```

use std::ops::Range;

use super::lexer::{self, Lexed, Problem, ProblemKind, Token, TokenKind};

/// What begins a marker.
pub const MARKER: &str = "__accrs_m";
/// What begins a directive; the prefix (`acc`) follows.
pub const DIRECTIVE: &str = "__accrs_pragma_";
/// What ends a directive.
pub const DIRECTIVE_END: &str = "__accrs_pragma_end";
/// What begins the mark of a problem.
pub const PROBLEM: &str = "__accrs_bad";

/// The marked copy and what its marks refer to.
#[derive(Debug)]
pub struct Marked {
    /// The copy.
    pub text: Vec<u8>,
    /// What `__accrs_bad<index>` stands for.
    pub problems: Vec<Problem>,
    /// Each marker's offset in the original and where it ends in the copy.
    pub markers: Vec<(u32, usize)>,
}

/// The longest stretch without a marker, where one can stand at all: it bounds
/// what a query has to search.
const STRETCH: u32 = 256;

/// A line of the preprocessor's own, `# 7 "file"`, for the text from an offset
/// on.
#[derive(Clone, Debug)]
pub struct Renumbering {
    /// The offset in the original.
    pub at: usize,
    /// The file, as [`mark`]'s `name`.
    pub name: Vec<u8>,
    /// The 1-based line.
    pub line: u32,
    /// Whether the text is that of a header of the system.
    pub is_system: bool,
}

/// Makes the marked copy of `bytes`. `name` is the file name that `__FILE__`
/// and the compiler's messages show; `prefixes` are the pragmas to turn into
/// tokens, such as `acc`. `renumberings`, by which an original can have the text of
/// several files, ascend by their places.
pub fn mark(
    bytes: &[u8],
    lexed: &Lexed,
    name: &[u8],
    prefixes: &[&str],
    renumberings: &[Renumbering],
) -> Marked {
    let mut marker = Marker {
        bytes,
        renumberings,
        tokens: &lexed.tokens,
        prefixes,
        before_call: before_call(bytes, &lexed.tokens),
        out: Vec::with_capacity(bytes.len() * 3 / 2 + 100),
        copied: lexer::byte_order_mark(bytes),
        problems: lexed.problems.clone(),
        next_problem: 0,
        markers: Vec::new(),
        parentheses: Vec::new(),
        branches: Vec::new(),
        in_initialiser: false,
    };
    marker.line_of(name, 1, false);
    for index in 0..lexed.tokens.len() {
        marker.token(index);
    }
    marker.copy_to(bytes.len());
    Marked {
        text: marker.out,
        problems: marker.problems,
        markers: marker.markers,
    }
}

/// What a token means for the place of markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Open,
    Close,
    Semicolon,
    OpenBrace,
    CloseBrace,
    Colon,
    /// `if`, `for`, `while`, `switch`: its parentheses are no macro call.
    Header,
    /// `else`, `do`.
    Lead,
    /// Any other keyword.
    Keyword,
    /// An identifier that may be a macro.
    Name,
    /// `*`, `++`, `--`: a statement may begin with it, an operand follow it.
    Operator,
    /// `,`, `]`, `.`, `=`: after `}` they show an initialiser.
    Continuation,
    /// A directive that is turned into tokens, a conditional, the file's end.
    Boundary,
    Other,
}

/// How conditional directives nest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Conditional {
    If,
    Else,
    End,
    None,
}

/// Why a parenthesis is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parenthesis {
    /// Of `if`, `for`, `while`, `switch`.
    Header,
    /// Of a statement expression `({ … })` that is no argument.
    Block,
    /// Around an operand: no macro's name can be before it.
    Operand,
    /// Any other, perhaps of a macro call.
    Call,
}

struct Marker<'a> {
    bytes: &'a [u8],
    /// Those that are still to come.
    renumberings: &'a [Renumbering],
    tokens: &'a [Token],
    prefixes: &'a [&'a str],
    before_call: Vec<bool>,
    out: Vec<u8>,
    /// How much of the original is in the copy.
    copied: usize,
    problems: Vec<Problem>,
    next_problem: usize,
    markers: Vec<(u32, usize)>,
    parentheses: Vec<Parenthesis>,
    /// Open conditionals: the parentheses at `#if`, and those at the end of
    /// the first branch, from which the text after `#endif` goes on.
    branches: Vec<(Vec<Parenthesis>, Option<Vec<Parenthesis>>)>,
    /// Whether the innermost brace that was opened last is an initialiser's.
    in_initialiser: bool,
}

impl Marker<'_> {
    /// `#line 1 "name"`: lines and `__FILE__` are those of the original. Standard C cannot tell of the
    /// system's files.
    fn line_of(&mut self, name: &[u8], line: u32, is_system: bool) {
        let word = if is_system { "#" } else { "#line" };
        let number = format!("{word} {line} \"");
        self.out.extend_from_slice(number.as_bytes());
        for &byte in name {
            match byte {
                b'"' | b'\\' => self.out.extend_from_slice(&[b'\\', byte]),
                b'\n' => self.out.extend_from_slice(b"\\012"),
                _ => self.out.push(byte),
            }
        }
        let end: &[u8] = if is_system { b"\" 3\n" } else { b"\"\n" };
        self.out.extend_from_slice(end);
    }

    fn copy_to(&mut self, end: usize) {
        while let Some((first, later)) = self.renumberings.split_first()
            && first.at <= end
        {
            self.renumberings = later;
            self.out
                .extend_from_slice(&self.bytes[self.copied..first.at]);
            self.copied = first.at;
            if self.out.last() != Some(&b'\n') {
                self.out.push(b'\n');
            }
            self.line_of(&first.name, first.line, first.is_system);
        }
        self.out.extend_from_slice(&self.bytes[self.copied..end]);
        self.copied = end;
    }

    /// Adds an identifier at the place reached, with the blanks it needs.
    fn word(&mut self, word: &str) {
        if self.out.last().is_some_and(|&b| !b.is_ascii_whitespace()) {
            self.out.push(b' ');
        }
        self.out.extend_from_slice(word.as_bytes());
        let next = self.bytes.get(self.copied);
        if next.is_some_and(|b| !b.is_ascii_whitespace()) {
            self.out.push(b' ');
        }
    }

    fn token(&mut self, index: usize) {
        let token = self.tokens[index];
        self.mark_problem(token);
        if token.kind == TokenKind::Directive {
            return self.directive(token);
        }
        let shape = shape(token, self.bytes);
        let header = self.track(index, shape);
        let wanted = self.wants_marker(index, shape, header) || self.is_due(token);
        if wanted && !self.in_call() {
            self.copy_to(token.end as usize);
            self.word(&format!("{MARKER}{}", token.end));
            self.markers.push((token.end, self.out.len()));
        }
    }

    /// Whether the last marker is far off and one is safe here: a punctuator is
    /// no macro that takes arguments.
    fn is_due(&self, token: Token) -> bool {
        let last = self.markers.last().map_or(0, |(offset, _)| *offset);
        let text = token.text(self.bytes);
        let safe = token.kind == TokenKind::Punctuator && !text.starts_with(b"#");
        safe && !matches!(text, b"(" | b")") && token.end - last > STRETCH
    }

    /// Puts a problem's mark before its token; those inside directives and
    /// comments have none.
    fn mark_problem(&mut self, token: Token) {
        while let Some(problem) = self.problems.get(self.next_problem) {
            let start = problem.range.start;
            if start >= token.end {
                return;
            }
            if start == token.start && token.kind != TokenKind::Directive {
                self.copy_to(token.start as usize);
                self.word(&format!("{PROBLEM}{}", self.next_problem));
            }
            self.next_problem += 1;
        }
    }

    /// Keeps count of parentheses; says of `)` whether it ends a header.
    fn track(&mut self, index: usize, shape: Shape) -> bool {
        match shape {
            Shape::Open => {
                let opened = self.parenthesis(index);
                self.parentheses.push(opened);
                false
            }
            Shape::Close => self.parentheses.pop() == Some(Parenthesis::Header),
            Shape::CloseBrace if self.in_call() && self.ends_function(index) => {
                self.parentheses.clear();
                false
            }
            _ => false,
        }
    }

    fn shape_before(&self, index: usize) -> Shape {
        let before = index.checked_sub(1).map(|before| self.tokens[before]);
        before.map_or(Shape::Other, |before| shape(before, self.bytes))
    }

    fn parenthesis(&self, index: usize) -> Parenthesis {
        let before = self.shape_before(index);
        let callable = matches!(before, Shape::Name | Shape::Close | Shape::Boundary);
        match before {
            Shape::Header => Parenthesis::Header,
            _ if callable => Parenthesis::Call,
            _ if self.next_shape(index) == Shape::OpenBrace => Parenthesis::Block,
            _ => Parenthesis::Operand,
        }
    }

    /// Whether the place reached may be among the arguments of a macro, or is
    /// where no statement stands.
    fn in_call(&self) -> bool {
        // a block's markers are safe only where nothing around it is a call
        self.parentheses.contains(&Parenthesis::Call)
            || self
                .parentheses
                .last()
                .is_some_and(|p| *p != Parenthesis::Block)
    }

    /// Whether a `}` stands at the start of a line and what follows is no part
    /// of a call: a parenthesis still open was one that a macro closes.
    fn ends_function(&self, index: usize) -> bool {
        let start = self.tokens[index].start as usize;
        let line_start = start == 0 || self.bytes[start - 1] == b'\n';
        let next = self.next_shape(index);
        line_start && !matches!(next, Shape::Close | Shape::Continuation | Shape::Semicolon)
    }

    /// Whether a statement may end or begin right after the token.
    fn wants_marker(&mut self, index: usize, shape: Shape, header: bool) -> bool {
        use Shape::*;
        let next = self.next_shape(index);
        let may_call = self.before_call[index];
        match shape {
            Semicolon => true,
            OpenBrace => {
                let before = self.shape_before(index);
                let inner = before == OpenBrace && self.in_initialiser;
                self.in_initialiser = before == Continuation || inner;
                !self.in_initialiser
            }
            CloseBrace => !matches!(next, Continuation | Close),
            Colon => next == Name,
            Lead => next == Name && !may_call,
            Close if header => matches!(next, Name | Boundary) && !may_call,
            Name | Close => self.ends_statement(index, next) && !may_call,
            _ => false,
        }
    }

    /// Whether a statement may end with a name or `)`, given what follows.
    fn ends_statement(&self, index: usize, next: Shape) -> bool {
        use Shape::*;
        match next {
            Name | Keyword | Header | Lead | OpenBrace | CloseBrace | Boundary => true,
            // multiplication, unless it begins a line
            Operator => {
                let gap = self.tokens[index].end as usize..self.tokens[index + 1].start as usize;
                self.bytes[gap].contains(&b'\n')
            }
            _ => false,
        }
    }

    /// The shape of what follows; directives that leave no token are skipped.
    fn next_shape(&self, index: usize) -> Shape {
        for &token in &self.tokens[index + 1..] {
            if token.kind != TokenKind::Directive {
                return shape(token, self.bytes);
            }
            let text = token.text(self.bytes);
            if conditional(text) != Conditional::None || own_pragma(text, self.prefixes).is_some() {
                return Shape::Boundary;
            }
        }
        Shape::Boundary
    }

    fn directive(&mut self, token: Token) {
        let text = token.text(self.bytes);
        match conditional(text) {
            Conditional::If => self.branches.push((self.parentheses.clone(), None)),
            Conditional::Else => {
                if let Some((before, first)) = self.branches.last_mut() {
                    let ended = std::mem::replace(&mut self.parentheses, before.clone());
                    first.get_or_insert(ended);
                }
            }
            Conditional::End => {
                if let Some((_, Some(first))) = self.branches.pop() {
                    self.parentheses = first;
                }
            }
            Conditional::None => {
                if let Some((prefix, body)) = own_pragma(text, self.prefixes) {
                    self.pragma(token, prefix, token.start as usize + body);
                }
            }
        }
    }

    /// Replaces a pragma line by tokens and as many newlines as it had.
    fn pragma(&mut self, token: Token, prefix: usize, body: usize) {
        let range = token.start as usize..token.end as usize;
        self.copy_to(range.start);
        if self.out.last().is_some_and(|&b| !b.is_ascii_whitespace()) {
            self.out.push(b' ');
        }
        let (prefix, start, end) = (self.prefixes[prefix], range.start, range.end);
        let mark = format!("{DIRECTIVE}{prefix}_{start}_{end} ");
        self.out.extend_from_slice(mark.as_bytes());
        let lexed = lexer::lex_fragment(self.bytes, body..range.end);
        let unbalanced = unbalanced(self.bytes, &lexed.tokens);
        let unbalanced = unbalanced.map(|(kind, range)| Problem { kind, range });
        if let Some(problem) = lexed.problems.into_iter().chain(unbalanced).next() {
            let mark = format!("{PROBLEM}{} ", self.problems.len());
            self.out.extend_from_slice(mark.as_bytes());
            self.problems.push(problem);
        } else {
            self.body(&lexed.tokens);
        }
        self.out.extend_from_slice(DIRECTIVE_END.as_bytes());
        self.out.push(b' ');
        let lines = self.bytes[range.clone()].iter().filter(|b| **b == b'\n');
        self.out.extend(lines);
        self.copied = range.end;
    }

    /// The directive's tokens. In the arguments of a macro a comma between
    /// clauses, which says nothing, would part two arguments.
    fn body(&mut self, tokens: &[Token]) {
        let mut depth = 0usize;
        for token in tokens {
            let text = token.text(self.bytes);
            match text {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => depth = depth.saturating_sub(1),
                b"," if depth == 0 && self.in_call() => continue,
                _ => {}
            }
            let mut at = 0;
            while at < text.len() {
                let splice = lexer::splice_length(text, at);
                if splice == 0 {
                    self.out.push(text[at]);
                }
                at += splice.max(1);
            }
            self.out.push(b' ');
        }
    }
}

/// The index of a pragma's prefix and the offset of its body, for
/// `#pragma PREFIX …` of one of the prefixes.
pub fn own_pragma(text: &[u8], prefixes: &[&str]) -> Option<(usize, usize)> {
    if lexer::directive_name(text) != b"pragma" {
        return None;
    }
    let at = lexer::skip_blank(text, lexer::after_hash(text) + b"pragma".len());
    let rest = &text[at..];
    prefixes.iter().enumerate().find_map(|(index, prefix)| {
        let after = rest.strip_prefix(prefix.as_bytes())?;
        let whole = !after.first().is_some_and(|&b| lexer::is_identifier_byte(b));
        whole.then_some((index, at + prefix.len()))
    })
}

/// The first bracket of a directive that has no partner.
pub(super) fn unbalanced(bytes: &[u8], tokens: &[Token]) -> Option<(ProblemKind, Range<u32>)> {
    let range = unbalanced_bracket(bytes, tokens)?;
    let kind = match bytes.get(range.start as usize) {
        Some(b'{') => ProblemKind::BraceInDirective,
        other => ProblemKind::UnbalancedBracket(other.copied().unwrap_or_default()),
    };
    Some((kind, range))
}

fn unbalanced_bracket(bytes: &[u8], tokens: &[Token]) -> Option<Range<u32>> {
    let mut open: Vec<(u8, Token)> = Vec::new();
    for &token in tokens {
        match token.text(bytes) {
            b"(" => open.push((b')', token)),
            b"[" => open.push((b']', token)),
            b"{" => open.push((b'}', token)),
            close @ (b")" | b"]" | b"}") => match open.pop() {
                Some((expected, _)) if close == [expected] => {}
                Some((_, opener)) => return Some(opener.start..opener.end),
                None => return Some(token.start..token.end),
            },
            _ => {}
        }
    }
    open.first().map(|(_, token)| token.start..token.end)
}

/// What a directive is to conditionals.
pub(super) fn conditional(directive: &[u8]) -> Conditional {
    match lexer::directive_name(directive) {
        b"if" | b"ifdef" | b"ifndef" => Conditional::If,
        b"else" | b"elif" | b"elifdef" | b"elifndef" => Conditional::Else,
        b"endif" => Conditional::End,
        _ => Conditional::None,
    }
}

fn shape(token: Token, bytes: &[u8]) -> Shape {
    let text = token.text(bytes);
    match token.kind {
        TokenKind::Identifier => word_shape(text),
        TokenKind::Punctuator => match text {
            b"(" => Shape::Open,
            b")" => Shape::Close,
            b";" => Shape::Semicolon,
            b"{" | b"<%" => Shape::OpenBrace,
            b"}" | b"%>" => Shape::CloseBrace,
            b":" => Shape::Colon,
            b"*" | b"++" | b"--" => Shape::Operator,
            b"," | b"]" | b":>" | b"." | b"=" => Shape::Continuation,
            _ => Shape::Other,
        },
        TokenKind::Directive => Shape::Boundary,
        _ => Shape::Other,
    }
}

fn word_shape(text: &[u8]) -> Shape {
    match text {
        b"if" | b"for" | b"while" | b"switch" => Shape::Header,
        b"else" | b"do" => Shape::Lead,
        b"auto" | b"break" | b"case" | b"char" | b"const" | b"continue" | b"default"
        | b"double" | b"enum" | b"extern" | b"float" | b"goto" | b"inline" | b"int" | b"long"
        | b"register" | b"restrict" | b"return" | b"short" | b"signed" | b"sizeof" | b"static"
        | b"struct" | b"typedef" | b"union" | b"unsigned" | b"void" | b"volatile" => Shape::Keyword,
        _ => Shape::Name,
    }
}

/// For each token, whether the next one may be a `(` in some branch of the
/// conditionals between, or in a file included between: then nothing may come
/// after the token, which could be the name of a macro with arguments.
fn before_call(bytes: &[u8], tokens: &[Token]) -> Vec<bool> {
    let mut result = vec![false; tokens.len()];
    let mut next = false;
    // per open conditional, walking backwards: what follows `#endif`, whether
    // any branch begins with `(`, whether there was an `#else`
    let mut open: Vec<(bool, bool, bool)> = Vec::new();
    for (index, &token) in tokens.iter().enumerate().rev() {
        result[index] = next;
        if token.kind != TokenKind::Directive {
            next = token.text(bytes) == b"(";
            continue;
        }
        let name = lexer::directive_name(token.text(bytes));
        match conditional(token.text(bytes)) {
            Conditional::End => open.push((next, false, false)),
            Conditional::Else => {
                if let Some((after, any, has_else)) = open.last_mut() {
                    *any |= next;
                    *has_else |= name == b"else";
                    next = *after;
                }
            }
            Conditional::If => {
                if let Some((after, any, has_else)) = open.pop() {
                    next = next || any || (after && !has_else);
                }
            }
            Conditional::None => next |= name.starts_with(b"include"),
        }
    }
    result
}

#[cfg(test)]
#[path = "markers_tests.rs"]
mod tests;

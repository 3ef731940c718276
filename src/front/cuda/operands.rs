//! Whether an operator has one operand or two, and what parentheses are.
//!
//! ```text
//! (n) * x    f(n) * x        two: behind an operand
//! (float) *x    if (n) *x    one: behind a cast, behind a header
//! ```
//!
//! `(name) * x` is a cast where the file uses the name as a type, and a product where it uses it as a
//! variable. Where it does neither, both are possible.

use super::tokens::Tokens;
use crate::source::lexer::TokenKind;

/// What a token is to an operator behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// The end of its left operand.
    Operand,
    /// No operand: the operator has one, on its right.
    Nothing,
    /// Either.
    Unknown,
}

/// What a pair of parentheses is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parentheses {
    /// Around arguments, and what `sizeof` and its like are of.
    Call,
    /// Behind `if`, `for`, `while`, `switch` or `catch`.
    Header,
    /// Around a type.
    Cast,
    /// Around an expression.
    Group,
    /// Around a type or an expression.
    Unknown,
}

/// Words behind which an operand begins.
const BEFORE_OPERANDS: [&[u8]; 23] = [
    b"return",
    b"case",
    b"else",
    b"do",
    b"throw",
    b"goto",
    b"new",
    b"delete",
    b"sizeof",
    b"alignof",
    b"_Alignof",
    b"typeid",
    b"noexcept",
    b"co_return",
    b"co_await",
    b"co_yield",
    b"and",
    b"or",
    b"not",
    b"xor",
    b"bitand",
    b"bitor",
    b"compl",
];

/// Words before `(` that are applied to what stands in it, and not called.
const OPERATORS: [&[u8]; 5] = [b"sizeof", b"alignof", b"_Alignof", b"typeid", b"noexcept"];

const HEADERS: [&[u8]; 6] = [b"if", b"for", b"while", b"switch", b"catch", b"constexpr"];

/// Words that types alone have.
const OF_TYPES: [&[u8]; 22] = [
    b"void",
    b"bool",
    b"char",
    b"short",
    b"int",
    b"long",
    b"float",
    b"double",
    b"signed",
    b"unsigned",
    b"auto",
    b"const",
    b"volatile",
    b"struct",
    b"class",
    b"union",
    b"enum",
    b"typename",
    b"size_t",
    b"wchar_t",
    b"dim3",
    b"__restrict__",
];

/// Words that may stand before the name of a type that is used, and say nothing of it.
const BEFORE_TYPES: [&[u8]; 10] = [
    b"static",
    b"extern",
    b"inline",
    b"constexpr",
    b"typedef",
    b"operator",
    b"friend",
    b"public",
    b"private",
    b"protected",
];

/// How many pairs of parentheses in a row are looked at.
const DEPTH: usize = 16;

impl Tokens<'_> {
    /// Whether a token ends an operand, so that an operator behind it has two.
    pub fn ends_operand(&self, index: usize) -> bool {
        self.ending(index, DEPTH) == Ending::Operand
    }

    /// Whether a token may end an operand.
    pub fn may_end_operand(&self, index: usize) -> bool {
        self.ending(index, DEPTH) != Ending::Nothing
    }

    /// What a pair of parentheses is that begins at a token.
    pub fn parentheses(&self, open: usize) -> Parentheses {
        self.pair(open, DEPTH)
    }

    fn ending(&self, index: usize, depth: usize) -> Ending {
        let mut at = index;
        // `i++ * n`
        while matches!(self.at(at), b"++" | b"--") {
            match at.checked_sub(1) {
                Some(before) => at = before,
                None => return Ending::Nothing,
            }
        }
        let is_operand = match (self.list.get(at).map(|token| token.kind), self.at(at)) {
            (Some(TokenKind::Number | TokenKind::String | TokenKind::Character), _) => true,
            (Some(TokenKind::Identifier), word) => !BEFORE_OPERANDS.contains(&word),
            // `delete[] *p`
            (_, b"]") => at < 2 || self.at(at - 1) != b"[" || self.at(at - 2) != b"delete",
            (_, b")") => match self.bracket_begin(at).map(|open| self.pair(open, depth)) {
                Some(Parentheses::Unknown) => return Ending::Unknown,
                pair => !matches!(pair, Some(Parentheses::Cast | Parentheses::Header)),
            },
            _ => false,
        };
        match is_operand {
            true => Ending::Operand,
            false => Ending::Nothing,
        }
    }

    fn pair(&self, open: usize, depth: usize) -> Parentheses {
        let Some(depth) = depth.checked_sub(1) else {
            return Parentheses::Unknown;
        };
        let Some(before) = open.checked_sub(1) else {
            return self.content(open);
        };
        let word = self.at(before);
        match word {
            _ if HEADERS.contains(&word) => Parentheses::Header,
            _ if OPERATORS.contains(&word) => Parentheses::Call,
            b"]" => Parentheses::Call,
            b">" | b">>" if self.template_begin(before).is_some() => Parentheses::Call,
            // `f(x)(y)`, `(int)(y)`
            b")" => match self.ending(before, depth) {
                Ending::Operand => Parentheses::Call,
                Ending::Nothing => self.content(open),
                Ending::Unknown => Parentheses::Unknown,
            },
            _ if self.is_name(before) && !BEFORE_OPERANDS.contains(&word) => Parentheses::Call,
            _ => self.content(open),
        }
    }

    /// The `<` of the template arguments, or of a launch's configuration, that end at a token.
    pub fn template_begin(&self, last: usize) -> Option<usize> {
        let open = self.arguments_begin(last)?;
        // `name<T><<<…>>>`
        let mut first = open;
        while let Some(before) = first.checked_sub(1)
            && matches!(self.at(before), b">" | b">>")
        {
            first = self.arguments_begin(before)?;
        }
        let is_name = first.checked_sub(1).is_some_and(|name| self.is_name(name));
        let compares = |at: usize| matches!(self.at(at), b"&&" | b"||" | b"?" | b"==" | b"!=");
        let is_launch = self.at(open) == b"<<" || self.at(open + 1) == b"[";
        (is_name && (is_launch || !(open..last).any(compares))).then_some(open)
    }

    /// Whether parentheses that are no call have a type or an expression in them.
    fn content(&self, open: usize) -> Parentheses {
        let close = self.bracket_end(open);
        let Some(last) = close.checked_sub(1).filter(|last| *last > open) else {
            return Parentheses::Group;
        };
        let has_stars = |at: usize| {
            self.at(at) == b"(" && matches!(self.at(at + 1), b"*" | b"&") && self.at(at + 2) == b")"
        };
        if matches!(self.at(last), b"*" | b"&" | b"&&" | b">") || (open + 1..close).any(has_stars) {
            return Parentheses::Cast;
        }
        let is_word = |at: usize| self.is_name(at) || self.at(at) == b":";
        let ends_star = |at: usize| matches!(self.at(at), b"*" | b"&");
        let is_qualified = matches!(self.at(last), b"const" | b"volatile" | b"__restrict__");
        if is_qualified && (open + 1..close).all(|at| is_word(at) || ends_star(at)) {
            return Parentheses::Cast;
        }
        if !(open + 1..close).all(is_word) || !self.is_name(last) {
            return Parentheses::Group;
        }
        let is_of_type = |at: usize| OF_TYPES.contains(&self.at(at));
        let is_pair = |at: usize| self.is_name(at) && self.is_name(at + 1) && at + 1 < close;
        if (open + 1..close).any(|at| is_of_type(at) || is_pair(at)) {
            return Parentheses::Cast;
        }
        match self.names_type(self.at(last)) {
            Some(true) => Parentheses::Cast,
            Some(false) => Parentheses::Group,
            None => Parentheses::Unknown,
        }
    }

    /// Whether a name is that of a type, or of a variable or function, as far as this text says so.
    pub fn names_type(&self, name: &[u8]) -> Option<bool> {
        if OF_TYPES.contains(&name) || name.ends_with(b"_t") || is_vector(name) {
            return Some(true);
        }
        let (mut is_type, mut is_value) = (false, false);
        let named = (0..self.list.len()).filter(|at| self.at(*at) == name);
        for at in named.filter(|at| !self.is_member(*at)) {
            let before = at.checked_sub(1).map_or(b"".as_slice(), |at| self.at(at));
            let next = self.at(at + 1);
            let is_declared = matches!(before, b"struct" | b"class" | b"union" | b"enum")
                || matches!(before, b"typename" | b"using")
                || next == b";" && self.is_typedef(at);
            if is_declared || self.is_name(at + 1) && !BEFORE_OPERANDS.contains(&next) {
                is_type = true;
                continue;
            }
            let is_behind_type = at > 0
                && self.is_name(at - 1)
                && !BEFORE_OPERANDS.contains(&before)
                && !BEFORE_TYPES.contains(&before)
                && !matches!(before, b"const" | b"volatile")
                && !before.starts_with(b"__");
            let is_operand = matches!(before, b"*" | b"&" | b"+" | b"-" | b"/" | b"%" | b"!");
            let is_set = next == b"=" || next == b"++" || next == b"--" || next == b"[";
            is_value |= is_behind_type || is_operand || is_set;
        }
        (is_type != is_value).then_some(is_type)
    }

    /// Whether the statement that a token is in begins with `typedef`.
    fn is_typedef(&self, at: usize) -> bool {
        let mut here = at;
        while let Some(before) = here.checked_sub(1) {
            here = match self.at(before) {
                b"}" => match self.bracket_begin(before) {
                    Some(open) => open,
                    None => return false,
                },
                b";" | b"{" => return false,
                b"typedef" => return true,
                _ => before,
            };
        }
        false
    }
}

/// Whether a name is that of one of CUDA's vector types.
fn is_vector(name: &[u8]) -> bool {
    let base = name.strip_suffix(b"1").or(name.strip_suffix(b"2"));
    let base = base.or(name.strip_suffix(b"3")).or(name.strip_suffix(b"4"));
    let base = base.map(|base| base.strip_prefix(b"u").unwrap_or(base));
    base.is_some_and(|base| {
        matches!(
            base,
            b"char" | b"short" | b"int" | b"long" | b"longlong" | b"float" | b"double"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::program::File;

    /// What the `*` or `&` before each `x` is: `2` operands, `1`, or `?`.
    fn operands(text: &str) -> String {
        let file = File::new(text.as_bytes());
        let tokens = file.tokens();
        let of = |at: usize| match (tokens.ends_operand(at), tokens.may_end_operand(at)) {
            (true, _) => '2',
            (false, true) => '?',
            (false, false) => '1',
        };
        let all = (2..tokens.list.len()).filter(|at| tokens.at(*at) == b"x");
        let all = all.filter(|at| matches!(tokens.at(at - 1), b"*" | b"&"));
        all.map(|at| of(at - 2)).collect()
    }

    #[test]
    fn what_ends_an_operand() {
        for two in [
            "n * x;",
            "(n + 1) * x;",
            "f(n) * x;",
            "a[1] * x;",
            "f<int>(n) * x;",
            "i++ * x;",
            "sizeof(int) * x;",
            "2 & x;",
            "'c' * x;",
            ".5f * x;",
            "int n; (n) * x;",
            "(float)(n + 1) & x;",
            "i < n && j > (b + 1) * x;",
            "f(n)(m) * x;",
            "int n; (int)(n) * x;",
            "static_cast<int>(n) & x;",
        ] {
            assert_eq!(operands(two), "2", "{two}");
        }
        for one in [
            "if (n) *x = 1;",
            "for (;;) *x = 1;",
            "while (n) *x = 1;",
            "if (n) ; else *x = 1;",
            "do *x = 1; while (n);",
            "return *x;",
            "(float) *x;",
            "(const T *) &x;",
            "(unsigned long long) & x;",
            "(float (*)[3]) *x;",
            "typedef float real; (real) *x;",
            "real b; (real) *x;",
            "(struct s) *x;",
            "(std::vector<int>) *x;",
            "(uint64_t) *x;",
            "(float4) *x;",
            "struct S { int a; }; (S) *x;",
            "template <class T> void f() { (T) *x; }",
            "case *x:",
            "sizeof *x;",
            "throw *x;",
            "n + *x;",
            "typedef struct { int a; } P; (P) *x;",
            "delete[] *x;",
            "++*x;",
            "if constexpr (n) *x = 1;",
            "(int *const) &x;",
        ] {
            assert_eq!(operands(one), "1", "{one}");
        }
        assert_eq!(operands("(unknown) * x;"), "?");
    }

    #[test]
    fn damaged_text_is_no_obstacle() {
        let deep = format!("{}* x", "()".repeat(20_000));
        assert_eq!(operands(&deep).len(), 1);
        let steps = format!("{}* x", "++".repeat(20_000));
        assert_eq!(operands(&steps), "1");
    }
}

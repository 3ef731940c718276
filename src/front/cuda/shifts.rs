//! Shifts of CUDA files as a GPU makes them.
//!
//! Input: the texts of a program's CUDA files. Output: edits of each for the emulation, in device
//! code and in the macros that it uses:
//!
//! ```text
//! x << n      x << __accrs_shift << n
//! x >>= n     x >>= __accrs_shift_by = n
//! ```
//!
//! `emulation/shifts.hpp` says what these names are. No types are known here, nor need they be:
//! each form has the precedence and the associativity of what it stands for, and operators that a
//! program defines are called as ever. What is certainly in range stays: `x << 3`. So does what
//! may be no shift (`>>` behind two `<`), what writes to a stream, what assigns to a bit-field, to
//! which no reference can be bound, and every `<<` of a program that has a template of it which
//! takes anything by value: the compiler could not choose.

use std::collections::HashSet;
use std::ops::Range;

use super::device_code::{DeviceCode, Qualifiers};
use super::edits::Edits;
use super::program::{File, Program};
use super::tokens::Tokens;
use crate::source::lexer::{self, Language, TokenKind};

/// What stands behind the operator.
const SHIFT: &str = "__accrs_shift";

/// What stands behind one that assigns.
const SHIFT_BY: &str = "__accrs_shift_by =";

/// What stands behind a bit-field on the left: g++ takes operators for those of the declared type.
const PROMOTE: &str = " * 1";

/// The fewest bits of what is shifted: C promotes what has less.
const BITS: u32 = 32;

/// Words of statements that write to streams.
const STREAMS: [&[u8]; 5] = [b"cout", b"cerr", b"clog", b"endl", b"ostream"];

/// How many tokens before a `>>` are looked at.
const LONGEST_TYPE: usize = 1000;

/// What the files of a program say about shifts.
#[derive(Debug)]
pub struct Shifts {
    qualifiers: Qualifiers,
    /// Macros that device code uses.
    macros: HashSet<String>,
    bit_fields: HashSet<Vec<u8>>,
    /// Members may be packed: no reference can be bound to such a one, either.
    has_packed: bool,
    /// `<<` and `>>` that take anything as it is, the mark as well.
    greedy: HashSet<Vec<u8>>,
}

impl Shifts {
    /// Reads all files of a program.
    pub fn of<'t>(texts: impl Iterator<Item = &'t [u8]>) -> Self {
        let files: Vec<File<'_>> = texts.map(File::new).collect();
        let mut program = Program::default();
        let mut bit_fields = HashSet::new();
        let mut has_packed = false;
        let mut greedy = HashSet::new();
        for file in &files {
            program.add(file);
            let tokens = file.tokens();
            for at in 0..tokens.list.len() {
                has_packed |= matches!(tokens.at(at), b"packed" | b"__packed__");
                if is_greedy(tokens, at) {
                    greedy.insert(tokens.at(at + 1).to_vec());
                }
                if is_bit_field(tokens, at) {
                    bit_fields.insert(tokens.at(at).to_vec());
                }
            }
        }
        let qualifiers = Qualifiers::of(&program);
        Self {
            macros: qualifiers.used_macros(&files, &program),
            qualifiers,
            bit_fields,
            has_packed,
            greedy,
        }
    }

    /// The edits of one of them.
    pub fn edits(&self, text: &[u8]) -> Edits {
        let mut edits = Edits::default();
        let file = File::new(text);
        let tokens = file.tokens();
        for DeviceCode { begin, code } in self.qualifiers.code(&file) {
            let variables = variables(tokens, begin..code.end);
            self.rewrite(tokens, code, &variables, &mut edits);
        }
        for directive in file.directives() {
            if lexer::directive_name(directive.text(text)) != b"define" {
                continue;
            }
            // From after the `#`: the rest is no directive to the lexer.
            let range = directive.start as usize + 1..directive.end as usize;
            let list = lexer::lex_fragment_as(Language::Cxx, text, range).tokens;
            let tokens = Tokens::new(text, &list);
            if self.macros.contains(&tokens.word(1)) {
                let variables = variables(tokens, 2..list.len());
                self.rewrite(tokens, 2..list.len(), &variables, &mut edits);
            }
        }
        edits
    }

    fn rewrite(
        &self,
        tokens: Tokens<'_>,
        code: Range<usize>,
        variables: &HashSet<&[u8]>,
        edits: &mut Edits,
    ) {
        let mut statement = code.start..code.start;
        let mut writes = false;
        let mut launches = HashSet::new();
        for at in code {
            let (what, assigns) = match tokens.at(at) {
                b"<<" => {
                    if let Some(launch) = tokens.launch(at) {
                        launches.insert(launch.close);
                        continue;
                    }
                    (format!(" {SHIFT} <<"), false)
                }
                b">>" if !launches.contains(&at) => (format!(" {SHIFT} >>"), false),
                b"<<=" | b">>=" => (format!(" {SHIFT_BY}"), true),
                _ => continue,
            };
            if at >= statement.end {
                statement = statement_around(tokens, at);
                writes = (statement.clone()).any(|at| STREAMS.contains(&tokens.at(at)));
            }
            if !writes && self.is_marked(tokens, at, variables) {
                if !assigns && self.bit_fields.contains(tokens.at(at - 1)) {
                    edits.insert(tokens.range(at - 1, at - 1).end, PROMOTE);
                }
                edits.insert(tokens.range(at, at).end, &what);
            }
        }
    }

    /// Whether an operator is a shift, may be out of range, and can be marked.
    fn is_marked(&self, tokens: Tokens<'_>, at: usize, variables: &HashSet<&[u8]>) -> bool {
        let assigns = tokens.at(at).ends_with(b"=");
        if !is_between_operands(tokens, at) || is_in_range(tokens, at + 1, assigns) {
            return false;
        }
        match tokens.at(at) {
            operator if self.greedy.contains(operator) => false,
            b">>" => !closes_templates(tokens, at, variables),
            b"<<" => true,
            _ => !self.is_unreferable(tokens, at - 1),
        }
    }

    /// Whether no reference can be bound to a variable whose name this is, perhaps: to a bit-field,
    /// or a packed member.
    fn is_unreferable(&self, tokens: Tokens<'_>, name: usize) -> bool {
        self.bit_fields.contains(tokens.at(name)) || self.has_packed && tokens.is_member(name)
    }
}

/// Whether an operator is declared here that is a template and takes its right operand as
/// `T x`, `T &x` or `T &&x`: one for the mark is no better a match.
fn is_greedy(tokens: Tokens<'_>, operator: usize) -> bool {
    let is_declared = tokens.at(operator) == b"operator"
        && matches!(tokens.at(operator + 1), b"<<" | b">>")
        && tokens.at(operator + 2) == b"(";
    if !is_declared {
        return false;
    }
    let ends = |at: &usize| matches!(tokens.at(*at), b";" | b"{" | b"}");
    let first = (0..operator).rev().find(ends).map_or(0, |end| end + 1);
    let mut types = (first..operator)
        .filter(|at| matches!(tokens.at(*at), b"class" | b"typename"))
        .map(|at| tokens.at(at + 1));
    let close = tokens.bracket_end(operator + 2);
    let Some(last) = tokens.parts(operator + 3..close).pop() else {
        return false;
    };
    let has = |word: &[u8]| last.clone().any(|at| tokens.at(at) == word);
    let is_const = has(b"const") && has(b"&");
    let behind = last.start + usize::from(tokens.at(last.start) == b"const");
    !is_const && tokens.at(behind + 1) != b"<" && types.any(|name| name == tokens.at(behind))
}

/// Whether a bit-field is declared here: `unsigned kind : 3;`.
fn is_bit_field(tokens: Tokens<'_>, name: usize) -> bool {
    let width = tokens.list.get(name + 2).map(|token| token.kind);
    let is_declared = match name.checked_sub(1).map(|before| tokens.at(before)) {
        Some(b",") => width == Some(TokenKind::Number),
        Some(b"case") | None => false,
        Some(_) => tokens.is_name(name - 1) && width.is_some(),
    };
    is_declared
        && tokens.is_name(name)
        && tokens.is_colon(name + 1)
        && matches!(tokens.at(name + 3), b";" | b",")
}

/// The names of variables that some code declares: a type before, an end behind.
fn variables(tokens: Tokens<'_>, code: Range<usize>) -> HashSet<&[u8]> {
    let is_variable = |at: &usize| {
        let before = tokens.at(at - 1);
        tokens.is_name(*at)
            && (tokens.is_name(at - 1) && before != b"return" || matches!(before, b"*" | b"&"))
            && matches!(tokens.at(at + 1), b"=" | b";" | b"," | b")" | b"[" | b"{")
    };
    let names = code.skip(1).filter(is_variable);
    names.map(|at| tokens.list[at].text(tokens.text)).collect()
}

/// The tokens around one up to the next `;` or brace.
fn statement_around(tokens: Tokens<'_>, at: usize) -> Range<usize> {
    let ends = |at: &usize| matches!(tokens.at(*at), b";" | b"{" | b"}");
    let first = (0..at).rev().find(ends).map_or(0, |end| end + 1);
    let last = (at..tokens.list.len()).find(ends);
    first..last.unwrap_or(tokens.list.len())
}

/// Whether an operator has operands on both sides, none of them a string.
fn is_between_operands(tokens: Tokens<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else {
        return false;
    };
    let kind = |at: usize| tokens.list.get(at).map(|token| token.kind);
    let is_operand = match tokens.at(before) {
        b"operator" => false,
        b"}" | b"++" | b"--" => true,
        _ => tokens.may_end_operand(before),
    };
    let behind = tokens.at(at + 1);
    let touched = tokens.touching(at, [b">>", b">"]) || tokens.touching(at, [b"<<", b"<"]);
    is_operand
        && !touched
        && kind(before) != Some(TokenKind::String)
        && kind(at + 1) != Some(TokenKind::String)
        && !matches!(behind, b"" | b"..." | b";" | b")" | b"," | b">")
}

/// Whether the right operand, which begins here, is a number below the width of every value.
fn is_in_range(tokens: Tokens<'_>, first: usize, assigns: bool) -> bool {
    let places = number(tokens.at(first));
    let behind = tokens.at(first + 1);
    let ends = match assigns {
        true => matches!(behind, b"" | b";" | b")" | b"]" | b"}" | b","),
        false => !matches!(behind, b"*" | b"/" | b"%" | b"+" | b"-" | b"##"),
    };
    ends && places.is_some_and(|places| places < BITS)
}

/// The value of an integer constant.
fn number(text: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(text).ok()?.to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l']);
    match digits.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => u32::from_str_radix(digits, 8).ok(),
        None => digits.parse().ok(),
    }
}

/// Whether `>>` may end two lists of template arguments: two `<` are open before it, and they are
/// no comparisons of variables (`i < n && k < m >> s`).
fn closes_templates(tokens: Tokens<'_>, at: usize, variables: &HashSet<&[u8]>) -> bool {
    let mut open = 2_usize;
    let (mut is_joined, mut is_compared) = (false, false);
    let mut index = at;
    while let Some(before) = index.checked_sub(1) {
        index = before;
        if at - index > LONGEST_TYPE {
            return false;
        }
        match tokens.at(index) {
            b")" | b"]" | b"}" => match tokens.bracket_begin(index) {
                Some(begin) => index = begin,
                None => return false,
            },
            b"(" | b"[" | b"{" | b";" => return false,
            b">" => open += 1,
            b">>" => open += 2,
            b"&&" | b"||" | b"?" if open == 1 => is_joined = true,
            b"<" if index > 0 && tokens.is_name(index - 1) => {
                is_compared |= variables.contains(tokens.at(index - 1));
                if open == 1 {
                    return !(is_joined && is_compared);
                }
                open -= 1;
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with `@` for what is put behind `<<` and `>>`, `@=` behind those that assign.
    fn rewritten(text: &str) -> String {
        let shifts = Shifts::of(std::iter::once(text.as_bytes()));
        let result = shifts.edits(text.as_bytes()).apply(text.as_bytes());
        let result = String::from_utf8(result).unwrap();
        result
            .replace(&format!(" {SHIFT_BY}"), "@=")
            .replace(&format!(" {SHIFT} <<"), "@")
            .replace(&format!(" {SHIFT} >>"), "@")
    }

    fn in_kernel(code: &str) -> String {
        let before = "__global__ void k(int n, int m) { ";
        let all = rewritten(&format!("{before}{code} }}"));
        let inner = all.strip_prefix(before).unwrap();
        inner.strip_suffix(" }").unwrap().into()
    }

    #[test]
    fn shifts_of_device_code_are_marked() {
        for (code, expected) in [
            ("x = a << b + 1;", "x = a <<@ b + 1;"),
            ("x = a << 3 >> b;", "x = a << 3 >>@ b;"),
            ("x = (a)>>32u;", "x = (a)>>@32u;"),
            ("x = a[i++] << 3 + n;", "x = a[i++] <<@ 3 + n;"),
            ("x = i++ << n | T{1} << n;", "x = i++ <<@ n | T{1} <<@ n;"),
            (
                "x <<= n; y >>= c ? 1 : 40;",
                "x <<=@= n; y >>=@= c ? 1 : 40;",
            ),
            ("y >>= 1 + n;", "y >>=@= 1 + n;"),
            ("i < n && m < n >> s;", "i < n && m < n >>@ s;"),
            ("if (a < b >> c) d;", "if (a < b >>@ c) d;"),
            ("k2<<<a << b, c>>>(a >> b);", "k2<<<a <<@ b, c>>>(a >>@ b);"),
        ] {
            assert_eq!(in_kernel(code), expected);
        }
        assert_eq!(
            rewritten("int f() { return a << b; }\n__device__ int g() { return a << b; }"),
            "int f() { return a << b; }\n__device__ int g() { return a <<@ b; }"
        );
    }

    #[test]
    fn what_is_in_range_or_no_shift_stays() {
        for code in [
            "x = a << 31 | b >> 0x1FuL | c << 017; x <<= 1;",
            "A<B<int>> c; A<b < 1, C<d>> e; f<A, g<x>>(y); enable_if_t<A && B<c>> d;",
            "std::cout << a << n << std::endl; s << \"a\"; s >> \"a\";",
            "struct S { S &operator<<(int); S &operator>>(int); unsigned a : 3; }; s.a <<= n;",
            "return (x << ... << y);",
            "/* a << b */ \"a << b\";",
        ] {
            assert_eq!(in_kernel(code), code);
        }
        let declared = "struct S { int a : 3; };";
        assert_eq!(
            in_kernel(&format!("{declared} x = s.a << n;")),
            format!("{declared} x = s.a * 1 <<@ n;")
        );
        for (parameters, marked) in [
            ("T x", false),
            ("S &s, T &&x", false),
            ("S &s, const T &x", true),
            ("T<S> &s, S *x", true),
        ] {
            let declared = format!("template <class T> S &operator<<({parameters});");
            let text =
                format!("{declared} constexpr int f(int a, int b) {{ return a << b >> a; }}");
            let expected = text.replace("b >>", "b >>@");
            let expected = match marked {
                true => expected.replace("a <<", "a <<@"),
                false => expected,
            };
            assert_eq!(rewritten(&text), expected);
        }
        let packed = "struct __attribute__((packed)) P { int a; };";
        let text = format!("{packed} __device__ void f(P p, int n) {{ p.a <<= n; n >>= n; }}");
        assert_eq!(rewritten(&text), text.replace(">>=", ">>=@="));
    }

    #[test]
    fn macros_that_device_code_uses_have_shifts() {
        assert_eq!(
            rewritten(
                "#define BIT(n) (1u << \\\n (n))\n#define HOST(n) (1 << (n))\n\
                 __device__ int f(int n) { return BIT(n); }\nint main() { return HOST(1); }\n"
            ),
            "#define BIT(n) (1u <<@ \\\n (n))\n#define HOST(n) (1 << (n))\n\
             __device__ int f(int n) { return BIT(n); }\nint main() { return HOST(1); }\n"
        );
    }
}

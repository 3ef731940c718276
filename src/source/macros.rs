//! Macros: which definition holds at a place, and what simple ones make.
//!
//! Input: the `#define` and `#undef` lines that the preprocessor tells of, each with
//! the place from which on it holds. [`expand`] is no preprocessor: it knows tokens and no
//! blanks, and refuses what takes more than that, or where compilers differ, so that its
//! answer, where it has one, is that of C (C11 6.10.3).
//!
//! ```c
//! #define SQUARE(x) ((x) * (x))
//! SQUARE(avg)                     =>   ( ( avg ) * ( avg ) )
//! #define REAL(x) x##f
//! REAL(0.5)                       =>   0.5f
//! ```

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::lexer::{self, TokenKind};
use super::span::Span;
use super::strip::Definition;
use super::unit::TranslationUnit;

/// The operator that makes one token of two.
const PASTE: &str = "##";

/// What the last parameter is called that takes all further arguments.
const REST: &str = "__VA_ARGS__";

/// How deep calls in replacement lists may nest.
const DEPTH: usize = 64;

/// What stands for the string of several tokens, whose blanks are not known.
const SOME_STRING: &str = "\0\"";

/// Macros of C's headers that stand for the same values under every compiler of a machine whose
/// `long` has 64 bits, and in CUDA. Whether `char` has a sign is an option.
const CONSTANTS: [&str; 71] = [
    "CHAR_BIT",
    "DBL_DIG",
    "DBL_EPSILON",
    "DBL_MANT_DIG",
    "DBL_MAX",
    "DBL_MIN",
    "EOF",
    "EXIT_FAILURE",
    "EXIT_SUCCESS",
    "FLT_DIG",
    "FLT_EPSILON",
    "FLT_MANT_DIG",
    "FLT_MAX",
    "FLT_MIN",
    "HUGE_VAL",
    "HUGE_VALF",
    "INFINITY",
    "INT16_C",
    "INT16_MAX",
    "INT16_MIN",
    "INT32_C",
    "INT32_MAX",
    "INT32_MIN",
    "INT64_C",
    "INT8_C",
    "INT8_MAX",
    "INT8_MIN",
    "INT_MAX",
    "INT_MIN",
    "LLONG_MAX",
    "LLONG_MIN",
    "LONG_MAX",
    "LONG_MIN",
    "M_1_PI",
    "M_2_PI",
    "M_2_SQRTPI",
    "M_E",
    "M_LN10",
    "M_LN2",
    "M_LOG10E",
    "M_LOG2E",
    "M_PI",
    "M_PI_2",
    "M_PI_4",
    "M_SQRT1_2",
    "M_SQRT2",
    "NAN",
    "NULL",
    "RAND_MAX",
    "SCHAR_MAX",
    "SCHAR_MIN",
    "SHRT_MAX",
    "SHRT_MIN",
    "SIZE_MAX",
    "UCHAR_MAX",
    "UINT16_C",
    "UINT16_MAX",
    "UINT32_C",
    "UINT32_MAX",
    "UINT64_C",
    "UINT64_MAX",
    "UINT8_C",
    "UINT8_MAX",
    "UINT_MAX",
    "ULLONG_MAX",
    "ULONG_MAX",
    "USHRT_MAX",
    "INT64_MAX",
    "INT64_MIN",
    "true",
    "false",
];

/// A macro as it is defined somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Macro {
    /// Its name.
    pub name: String,
    /// Names of its parameters, if it is like a function.
    parameters: Option<Vec<String>>,
    /// The last one takes all further arguments.
    is_variadic: bool,
    /// The tokens that replace it.
    body: Vec<String>,
    /// What stands behind `#define`.
    text: String,
    /// From where in the text on it holds.
    pub at: u32,
    /// It comes with the compiler or the system.
    pub is_system: bool,
    /// [`expand`] knows what is in its replacement list.
    is_simple: bool,
}

impl Macro {
    /// Reads what stands behind `#define`.
    pub(super) fn parse(text: &str, at: u32, is_system: bool) -> Option<Self> {
        let tokens = lexer::lex_fragment(text.as_bytes(), 0..text.len()).tokens;
        let word = |t: &lexer::Token| t.word(text);
        let words: Option<Vec<&str>> = tokens.iter().map(word).collect();
        let words = words?;
        let (first, mut rest) = tokens.first().zip(words.get(1..))?;
        let mut parameters = None;
        let mut is_variadic = false;
        if tokens.get(1).is_some_and(|open| open.start == first.end) && rest[0] == "(" {
            let close = rest.iter().position(|word| *word == ")")?;
            let mut names = Vec::new();
            for one in rest[1..close].split(|word| *word == ",") {
                names.extend(match one {
                    [name, "..."] => Some(*name),
                    ["..."] => Some(REST),
                    [name] => Some(*name),
                    _ => None,
                });
                is_variadic = one.last() == Some(&"...");
            }
            parameters = Some(names.into_iter().map(str::to_owned).collect());
            rest = &rest[close + 1..];
        }
        let made = Self {
            name: words[0].to_owned(),
            parameters,
            is_variadic,
            body: rest.iter().copied().map(str::to_owned).collect(),
            text: text.trim().to_owned(),
            at,
            is_system,
            is_simple: false,
        };
        let is_simple = first.kind == TokenKind::Identifier && made.is_known();
        Some(Self { is_simple, ..made })
    }

    /// Whether all operators of its replacement list are ones that [`expand`] knows.
    fn is_known(&self) -> bool {
        let is_odd = |word: &&str| matches!(*word, "%:" | "%:%:" | "_Pragma" | "__VA_OPT__");
        let mut words = self.body.iter().map(String::as_str);
        let has_odd = words.clone().any(|word| is_odd(&word));
        let is_at_end = [words.clone().next(), words.clone().next_back()].contains(&Some(PASTE));
        let mut before = "";
        // Each `#` stands before a parameter.
        let is_misplaced = words.any(|word| {
            let before = std::mem::replace(&mut before, word);
            before == "#" && self.parameter(word).is_none()
        });
        !has_odd && !is_at_end && !is_misplaced && before != "#"
    }

    /// The number of a parameter.
    fn parameter(&self, word: &str) -> Option<usize> {
        self.parameters
            .iter()
            .flatten()
            .position(|name| name == word)
    }

    /// Words that are no tokens of C, one for each parameter.
    pub(super) fn marks(&self) -> Option<Vec<String>> {
        let count = self.parameters.as_ref()?.len();
        Some((0..count).map(|index| format!("\0{index}")).collect())
    }

    /// Whether it is like a function.
    pub(super) fn has_parameters(&self) -> bool {
        self.parameters.is_some()
    }

    /// How many tokens a call of it has that begins here; `None` if it is none.
    pub(super) fn call_length(&self, tokens: &[lexer::Token], bytes: &[u8]) -> Option<usize> {
        if !self.has_parameters() {
            return Some(1);
        }
        let mut depth = 0usize;
        for (index, token) in tokens.iter().enumerate().skip(1) {
            match token.text(bytes) {
                b"(" => depth += 1,
                b")" => depth = depth.checked_sub(1)?,
                _ if depth == 0 => return None,
                _ if token.kind == TokenKind::Directive => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(index + 1);
            }
        }
        None
    }

    /// What stands behind `#define`, with the blanks in its parameters that preprocessors leave out.
    fn spaced(&self) -> String {
        match (&self.parameters, self.text.split_once(')')) {
            (Some(list), Some((_, body))) if !self.is_variadic => {
                format!("{}({}){body}", self.name, list.join(", "))
            }
            _ => self.text.clone(),
        }
    }

    /// Whether the same tokens make the same of it.
    pub fn is_same(&self, other: &Self) -> bool {
        self.is_variadic == other.is_variadic
            && (&self.parameters, &self.body) == (&other.parameters, &other.body)
    }
}

/// The macros of a unit, each with the places where its meaning changes.
#[derive(Debug, Default)]
pub struct Macros<'a> {
    changes: HashMap<&'a str, Vec<Change<'a>>>,
}

/// From here on a name stands for something else. Few are ever asked for.
#[derive(Debug)]
struct Change<'a> {
    definition: &'a Definition,
    made: OnceCell<Option<Rc<Macro>>>,
}

impl<'a> Macros<'a> {
    /// From the lines of the preprocessor's output.
    pub(super) fn new(definitions: &'a [Definition]) -> Self {
        let mut macros = Self::default();
        for definition in definitions {
            let text = definition.text.as_str();
            let end = text.bytes().position(|b| !lexer::is_identifier_byte(b));
            let name = &text[..end.unwrap_or(text.len())];
            let made = OnceCell::new();
            let change = Change { definition, made };
            macros.changes.entry(name).or_default().push(change);
        }
        macros
    }

    /// What a name stands for at a place of the text.
    pub fn at(&self, name: &str, at: u32) -> Option<&Rc<Macro>> {
        let changes = self.changes.get(name)?;
        let behind = changes.partition_point(|change| change.definition.at <= at);
        let change = changes.get(behind.checked_sub(1)?)?;
        let of = change.definition;
        let made = || {
            Macro::parse(&of.text, of.at, of.is_system)
                .filter(|_| of.defines)
                .map(Rc::new)
        };
        change.made.get_or_init(made).as_ref()
    }

    /// The macro of this name, if the whole unit has one definition of it.
    pub fn only(&self, name: &str) -> Option<&Macro> {
        let [change] = self.changes.get(name)?.as_slice() else {
            return None;
        };
        self.at(name, change.definition.at).map(|found| &**found)
    }

    /// The word that stands in the end where this one is written at a place: it is no macro, or one
    /// without parameters that has one word, perhaps in parentheses, which is asked about in turn.
    pub fn single(&self, word: &str, at: u32) -> Option<String> {
        let mut word = word;
        for _ in 0..=self.changes.len() {
            let Some(found) = self.at(word, at) else {
                return Some(word.to_owned());
            };
            word = match found.body.as_slice() {
                [one] => one,
                [open, one, close] if (open.as_str(), close.as_str()) == ("(", ")") => one,
                _ => return None,
            };
            if found.has_parameters() {
                return None;
            }
        }
        None
    }

    /// A macro and those that its replacement names, directly or not; `None` if one
    /// of them is not simple, or neither the user's nor a [`CONSTANTS`] of C's headers.
    pub fn closure(&self, of: &Rc<Macro>, at: u32) -> Option<Vec<Rc<Macro>>> {
        let mut list: Vec<Rc<Macro>> = vec![Rc::clone(of)];
        // What a macro of the system takes is the system's affair.
        let mut inner: HashSet<String> = HashSet::new();
        let mut next = 0;
        while let Some(one) = list.get(next).cloned() {
            let is_known = !one.is_system
                || CONSTANTS.contains(&one.name.as_str())
                || inner.contains(&one.name);
            let is_of_place = one.body.iter().any(|word| is_of_place(word));
            if !is_known || !one.is_simple || is_of_place {
                return None;
            }
            if one.is_system {
                inner.extend(one.body.iter().cloned());
            }
            for word in &one.body {
                let found = self.at(word, at);
                if let Some(found) = found.filter(|_| one.parameter(word).is_none())
                    && !list.iter().any(|known| known.name == found.name)
                {
                    list.push(Rc::clone(found));
                }
            }
            next += 1;
        }
        Some(list)
    }
}

impl Macros<'_> {
    /// The names in a text that would be replaced by something else if it stood at a place of the
    /// unit, in order and each once.
    pub fn replaced<'t>(&self, text: &'t str, at: u32) -> Vec<&'t str> {
        let tokens = lexer::lex_fragment(text.as_bytes(), 0..text.len()).tokens;
        let word = |t: &lexer::Token| t.word(text);
        let mut names: Vec<&str> = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            let name = word(token).filter(|_| token.kind == TokenKind::Identifier);
            let Some((name, found)) = name.and_then(|name| Some((name, self.at(name, at)?))) else {
                continue;
            };
            let is_called = tokens.get(index + 1).and_then(word) == Some("(");
            let is_itself = !found.has_parameters() && found.body == [name];
            if (is_called || !found.has_parameters()) && !is_itself && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

impl TranslationUnit {
    /// The tokens of a part of the preprocessed text.
    pub fn words(&self, part: Span) -> Vec<&str> {
        let range = part.start as usize..part.end as usize;
        let tokens = lexer::lex_fragment(self.text.as_bytes(), range).tokens;
        let word = |t: &lexer::Token| t.word(&self.text);
        tokens.iter().filter_map(word).collect()
    }

    /// The macros of all places.
    pub fn macros(&self) -> Macros<'_> {
        Macros::new(&self.tables.definitions)
    }

    /// The lines that define a macro, as the user wrote them in the main file; else one line.
    pub fn definition(&self, of: &Macro) -> String {
        let lines = self
            .tokens
            .iter()
            .filter(|t| t.kind == TokenKind::Directive);
        let written = lines.filter_map(|token| {
            let line = token.text(&self.file.bytes);
            let word = lexer::directive_name(line);
            let text =
                std::str::from_utf8(line.get(lexer::after_hash(line) + word.len()..)?).ok()?;
            let is_whole = word == b"define" && !text.contains('\r');
            let made = is_whole.then(|| Macro::parse(text, 0, false)).flatten()?;
            (made.name == of.name && made.is_same(of)).then_some(made.text)
        });
        let text = written.last().unwrap_or_else(|| of.spaced());
        format!("#define {text}")
    }
}

/// The tokens that a preprocessor makes of these; `None` where that is not known.
pub fn expand<'a>(
    tokens: &[&'a str],
    find: &dyn Fn(&str) -> Option<&'a Macro>,
) -> Option<Vec<Cow<'a, str>>> {
    Expander {
        find,
        guesses: false,
    }
    .expand(tokens)
}

/// The same, where strings of which the blanks are not known may be [any](is_made).
pub(super) fn expand_roughly<'a>(
    tokens: &[&'a str],
    find: &dyn Fn(&str) -> Option<&'a Macro>,
) -> Option<Vec<Cow<'a, str>>> {
    Expander {
        find,
        guesses: true,
    }
    .expand(tokens)
}

/// Whether a compiler knows what a word stands for by the place of a call.
fn is_of_place(word: &str) -> bool {
    matches!(word, "__LINE__" | "__FILE__")
}

/// Whether a token of the text may be what a word becomes.
pub(super) fn is_made(word: &str, token: &str) -> bool {
    match word {
        "__LINE__" => token.bytes().all(|b| b.is_ascii_digit()),
        "__FILE__" | SOME_STRING => token.starts_with('"'),
        _ => word == token,
    }
}

struct Expander<'f, 'a> {
    find: &'f dyn Fn(&str) -> Option<&'a Macro>,
    /// Strings are made of whatever tokens.
    guesses: bool,
}

impl<'a> Expander<'_, 'a> {
    fn expand(&self, tokens: &[&'a str]) -> Option<Vec<Cow<'a, str>>> {
        let tokens: Vec<Cow<'a, str>> = tokens.iter().copied().map(Cow::Borrowed).collect();
        let mut out = Vec::with_capacity(tokens.len());
        self.list(&tokens, &mut Vec::new(), &mut out)?;
        Some(out)
    }

    /// Expands a list on its own: no call may go on behind it. `open` has the macros
    /// whose replacement this is.
    fn list(
        &self,
        tokens: &[Cow<'a, str>],
        open: &mut Vec<&'a str>,
        out: &mut Vec<Cow<'a, str>>,
    ) -> Option<()> {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            let Some(found) = (self.find)(token) else {
                out.push(token.clone());
                continue;
            };
            let is_open = open.contains(&found.name.as_str());
            if !found.is_simple || is_open || open.len() > DEPTH {
                return None;
            }
            let given = match (&found.parameters, tokens.get(at).map(|next| &**next)) {
                (None, _) => Vec::new(),
                (Some(_), Some("(")) => {
                    let (given, end) = arguments(tokens, at)?;
                    at = end;
                    found.bind(&given)?
                }
                (Some(_), None) if !open.is_empty() => return None,
                _ => {
                    out.push(token.clone());
                    continue;
                }
            };
            let replaced = self.substituted(found, &given, open)?;
            open.push(&found.name);
            self.list(&replaced, open, out)?;
            open.pop();
        }
        Some(())
    }

    /// The replacement list of a call with these arguments, which are expanded but for operands
    /// of `#` and `##`.
    fn substituted(
        &self,
        found: &'a Macro,
        given: &[Vec<Cow<'a, str>>],
        open: &mut Vec<&'a str>,
    ) -> Option<Vec<Cow<'a, str>>> {
        let mut values = Vec::new();
        for one in given {
            let mut value = Vec::new();
            self.list(one, open, &mut value)?;
            values.push(value);
        }
        let mut replaced: Vec<Cow<'a, str>> = Vec::new();
        let mut words = found.body.iter().map(String::as_str).peekable();
        let mut pastes = false;
        while let Some(word) = words.next() {
            if word == PASTE {
                pastes = true;
                continue;
            }
            let is_operand = pastes || words.peek() == Some(&PASTE);
            let mut piece = match (word, found.parameter(word)) {
                ("#", _) if found.has_parameters() => {
                    let operand = found.parameter(words.next()?)?;
                    let known = quoted(given.get(operand)?);
                    let some = self.guesses.then_some(Cow::Borrowed(SOME_STRING));
                    vec![known.or(some)?]
                }
                (_, Some(index)) if is_operand => given.get(index)?.clone(),
                (_, Some(index)) => values.get(index)?.clone(),
                (word, None) => vec![Cow::Borrowed(word)],
            };
            // What becomes of an operand without tokens is left to compilers.
            if is_operand && piece.is_empty() {
                return None;
            }
            let is_rest = found.is_variadic && found.parameter(word) == found.last_parameter();
            let is_list = is_rest && replaced.last().is_some_and(|last| last == ",");
            if pastes && !is_list {
                let pasted = format!("{}{}", replaced.pop()?, piece.first()?);
                piece[0] = Cow::Owned(is_one_token(&pasted).then_some(pasted)?);
            }
            replaced.append(&mut piece);
            pastes = false;
        }
        Some(replaced)
    }
}

impl Macro {
    fn last_parameter(&self) -> Option<usize> {
        self.parameters.as_ref()?.len().checked_sub(1)
    }

    /// The tokens of each parameter in a call with these arguments.
    fn bind<'a>(&self, given: &[&[Cow<'a, str>]]) -> Option<Vec<Vec<Cow<'a, str>>>> {
        let count = self.parameters.as_ref()?.len();
        if count == 0 {
            return matches!(given, [[]]).then(Vec::new);
        }
        let own = count - usize::from(self.is_variadic);
        let (first, rest) = given.split_at_checked(own)?;
        let mut bound: Vec<Vec<Cow<'a, str>>> = first.iter().map(|one| one.to_vec()).collect();
        if self.is_variadic {
            bound.push(rest.join(&Cow::Borrowed(",")));
        }
        (self.is_variadic || rest.is_empty()).then_some(bound)
    }
}

/// The string of an argument (C11 6.10.3.2) of one token: blanks between others are not known.
fn quoted<'a>(argument: &[Cow<'a, str>]) -> Option<Cow<'a, str>> {
    let [token] = argument else {
        return None;
    };
    let text = match token.contains(['"', '\'']) {
        true => token.replace('\\', "\\\\").replace('"', "\\\""),
        false => token.to_string(),
    };
    Some(Cow::Owned(format!("\"{text}\"")))
}

fn is_one_token(text: &str) -> bool {
    let tokens = lexer::lex_fragment(text.as_bytes(), 0..text.len()).tokens;
    matches!(&tokens[..], [one] if one.end as usize == text.len() && one.start == 0)
}

/// The arguments of a call whose `(` is at `at`, and where it ends.
pub(super) fn arguments<T: AsRef<str>>(tokens: &[T], at: usize) -> Option<(Vec<&[T]>, usize)> {
    let mut list = Vec::new();
    let mut start = at + 1;
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate().skip(at + 1) {
        match token.as_ref() {
            "(" => depth += 1,
            ")" if depth == 0 => {
                list.push(&tokens[start..index]);
                return Some((list, index + 1));
            }
            ")" => depth -= 1,
            "," if depth == 0 => {
                list.push(&tokens[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(at: u32, text: &str, defines: bool) -> Definition {
        Definition {
            at,
            text: text.to_string(),
            defines,
            is_system: false,
        }
    }

    fn expanded(definitions: &[&str], text: &str) -> Option<String> {
        let lines: Vec<Definition> = definitions.iter().map(|text| line(0, text, true)).collect();
        let macros = Macros::new(&lines);
        let tokens: Vec<&str> = text.split(' ').collect();
        let find = |name: &str| macros.at(name, 0).map(|found| &**found);
        expand(&tokens, &find).map(|tokens| tokens.join(" "))
    }

    #[test]
    fn calls_are_replaced_as_c_says() {
        let list = ["N 4", "SQ(x) ((x)*(x))", "F(a, b) SQ(a) + N * b", "E() e"];
        let text = expanded(&list, "F ( SQ ( i ) , ( j , k ) ) E ( ) N SQ ;");
        let wanted = "( ( ( ( i ) * ( i ) ) ) * ( ( ( i ) * ( i ) ) ) ) + 4 * ( j , k ) e 4 SQ ;";
        assert_eq!(text.as_deref(), Some(wanted));
    }

    #[test]
    fn operators_take_arguments_as_they_are_written() {
        let list = [
            "N 4",
            "N4 nested",
            "REAL(x) x##f",
            "JOIN(a, b) a##b",
            "NAME(x) f(x, #x)",
            "OBJECT(x) x##4",
        ];
        let text = expanded(
            &list,
            "REAL ( 0.5 ) JOIN ( i + N , N ) JOIN ( N , 4 ) NAME ( N )",
        );
        let wanted = "0.5f i + NN nested f ( 4 , \"N\" )";
        assert_eq!(text.as_deref(), Some(wanted));
        let text = expanded(&list, "NAME ( \"a\\n\" ) OBJECT ( N )");
        let wanted = "f ( \"a\\n\" , \"\\\"a\\\\n\\\"\" ) nested";
        assert_eq!(text.as_deref(), Some(wanted));
    }

    #[test]
    fn a_last_parameter_may_take_the_rest() {
        let list = [
            "ALL(...) f(__VA_ARGS__)",
            "REST(a, ...) f(a, ##__VA_ARGS__)",
            "NAMED(a, rest...) g(rest, a)",
            "ONE 1",
        ];
        let text = expanded(&list, "ALL ( ) ALL ( a , ( b , c ) ) REST ( x , ONE , y )");
        let wanted = "f ( ) f ( a , ( b , c ) ) f ( x , 1 , y )";
        assert_eq!(text.as_deref(), Some(wanted));
        let text = expanded(&list, "NAMED ( x , ONE , y )");
        assert_eq!(text.as_deref(), Some("g ( 1 , y , x )"));
    }

    #[test]
    fn an_argument_may_be_the_name_of_a_macro() {
        let list = ["CALL(f, ...) f(__VA_ARGS__)", "ADD(a, b) a+b", "ID(x) x"];
        let text = expanded(&list, "CALL ( ADD , x , y ) ID ( ADD ;");
        assert_eq!(text, None);
        let text = expanded(&list, "CALL ( ADD , x , y ) CALL ( g , ADD , y )");
        assert_eq!(text.as_deref(), Some("x + y g ( ADD , y )"));
        // A call that goes on behind the one that begins it.
        assert_eq!(expanded(&list, "ID ( ADD ) ( x , y )"), None);
        assert_eq!(expanded(&list, "ID ( ID ( ADD ) )"), None);
    }

    #[test]
    fn what_takes_more_is_refused() {
        assert_eq!(expanded(&["A A + 1"], "A"), None);
        assert_eq!(expanded(&["S(x) #x"], "S ( a + b )"), None);
        assert_eq!(expanded(&["S(x) #y"], "S ( a )"), None);
        assert_eq!(expanded(&["P(x) _Pragma(x)"], "P ( \"a\" )"), None);
        assert_eq!(expanded(&["P(x) x##)"], "P ( a )"), None);
        assert_eq!(expanded(&["P(x) a##x b"], "P ( )"), None);
        assert_eq!(
            expanded(&["V(a, ...) f(a, ##__VA_ARGS__)"], "V ( a )"),
            None
        );
        assert_eq!(expanded(&["V(a, b, ...) 1"], "V ( a )"), None);
        assert_eq!(expanded(&["G F", "F(x) x"], "G ( 1 )"), None);
        assert_eq!(expanded(&["F(x) x"], "F ( 1"), None);
        assert_eq!(expanded(&["F(x) x"], "F ( 1 , 2 )"), None);
    }

    #[test]
    fn names_that_would_be_replaced_are_found() {
        let list = ["vel st->vel", "same same", "F(x) x", "none"];
        let lines: Vec<Definition> = list.map(|text| line(0, text, true)).into();
        let text = "call(\"vel\", F, same, vel, none); /* F(vel) */ vel";
        assert_eq!(Macros::new(&lines).replaced(text, 0), ["vel", "none"]);
        assert_eq!(Macros::new(&lines).replaced("F (1)", 0), ["F"]);
    }

    #[test]
    fn a_name_means_what_was_defined_last() {
        let lines = [
            line(3, "N 1", true),
            line(5, "N", false),
            line(9, "N 2", true),
        ];
        let macros = Macros::new(&lines);
        let found = [2, 4, 6, 9].map(|at| macros.at("N", at).map(|found| found.text.clone()));
        assert_eq!(found, [None, Some("N 1".into()), None, Some("N 2".into())]);
    }
}

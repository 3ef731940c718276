//! Functions and variables as they are declared.
//!
//! ```text
//! static __global__ void scale(float *x, int n) { float own[4]; … }
//! ```

use std::ops::Range;

use super::functions::Function;
use super::program::is_name;
use super::statements::{Kind, Statement};
use super::tokens::Tokens;

/// Words that begin a statement which declares nothing.
const NO_TYPES: [&str; 14] = [
    "return", "delete", "goto", "throw", "new", "else", "case", "using", "typedef", "break",
    "continue", "do", "sizeof", "operator",
];

/// Words that arithmetic types are written with, and what stands beside them.
const ARITHMETIC: [&str; 26] = [
    "const",
    "volatile",
    "std",
    "unsigned",
    "signed",
    "bool",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "size_t",
    "ptrdiff_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint",
    "uchar",
    "ushort",
    "ulong",
];

/// Whether a type of this word, and others of the kind, is arithmetic, and holds no address.
pub fn is_arithmetic(word: &str) -> bool {
    ARITHMETIC.contains(&word)
}

/// A variable as it is declared: `const float (*p)[4]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// The token of it.
    pub token: usize,
    /// How many subscripts lead to a value.
    pub rank: usize,
    /// It is a pointer, or an array that is a parameter.
    pub is_pointer: bool,
    /// `T &name`.
    pub is_reference: bool,
    /// What stands before its name and stars.
    pub types: Vec<String>,
    /// The extents in brackets, by their tokens.
    pub extents: Vec<Range<usize>>,
    /// What it begins with: behind `=`; behind `:`, what it is an element of.
    pub value: Option<Range<usize>>,
    /// It is an element of a list: `for (T name : list)`.
    pub is_element: bool,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Fun {
    /// The number of its file; only the first one is edited.
    pub file: usize,
    /// Its name.
    pub name: String,
    /// Its place.
    pub function: Function,
    /// It begins with `__global__`.
    pub is_kernel: bool,
    /// It runs on the device, and on nothing else.
    pub is_device: bool,
    /// Its parameters.
    pub parameters: Vec<Declared>,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// The variables that it declares.
    pub locals: Vec<Declared>,
}

impl Fun {
    /// Of a function with a body, in the file of that number.
    pub fn new(tokens: Tokens<'_>, file: usize, function: Function) -> Self {
        let has = |word: &[u8]| (function.first..function.name).any(|at| tokens.at(at) == word);
        let parameters = parameters(tokens, function.parameters.clone());
        let statements = tokens.statements(function.body.clone().unwrap_or(0..0));
        let mut locals = Vec::new();
        add_locals(tokens, &statements, &mut locals);
        Self {
            file,
            name: tokens.word(function.name),
            is_kernel: has(b"__global__"),
            is_device: has(b"__global__") || has(b"__device__") && !has(b"__host__"),
            function,
            parameters,
            statements,
            locals,
        }
    }

    /// The tokens of its body.
    pub fn body(&self) -> Range<usize> {
        self.function.body.clone().unwrap_or(0..0)
    }

    /// Whether it declares a name, as a parameter or within.
    pub fn declares(&self, name: &str) -> bool {
        let mut all = self.parameters.iter().chain(&self.locals);
        all.any(|one| one.name == name)
    }
}

fn add_locals(tokens: Tokens<'_>, statements: &[Statement], locals: &mut Vec<Declared>) {
    for statement in statements {
        match &statement.kind {
            Kind::Simple(_) => locals.extend(declared(tokens, statement.tokens.clone())),
            Kind::Loop { once, .. } if !once.is_empty() => {
                locals.extend(declared(tokens, once.clone()));
            }
            Kind::Loop { again: own, .. } | Kind::Branch { condition: own, .. } => {
                locals.extend(in_condition(tokens, statement.tokens.start, own.clone()));
            }
            Kind::Block(_) | Kind::Label => {}
        }
        for child in statement.children() {
            add_locals(tokens, std::slice::from_ref(child), locals);
        }
    }
}

/// What parentheses declare: `(const float *row, int n)`.
pub fn parameters(tokens: Tokens<'_>, inside: Range<usize>) -> Vec<Declared> {
    let parts = tokens.parts(inside).into_iter();
    let all = parts.filter_map(|part| declarator(tokens, part, true));
    all.collect()
}

/// What a condition declares, whose statement begins there: `if (T name = value)`, `catch (T name)`.
pub fn in_condition(tokens: Tokens<'_>, first: usize, condition: Range<usize>) -> Vec<Declared> {
    let is_catch = tokens.at(first) == b"catch";
    let is_header = matches!(tokens.at(first), b"if" | b"switch" | b"while");
    let mut all = match is_catch || is_header {
        true => declared(tokens, condition),
        false => Vec::new(),
    };
    // `if (a & b)`
    all.retain(|one| is_catch || one.value.is_some());
    all
}

/// What a statement declares.
pub fn declared(tokens: Tokens<'_>, statement: Range<usize>) -> Vec<Declared> {
    let end = match tokens.at(statement.end.saturating_sub(1)) {
        b";" if !statement.is_empty() => statement.end - 1,
        _ => statement.end,
    };
    if NO_TYPES.contains(&tokens.word(statement.start).as_str()) {
        return Vec::new();
    }
    let mut parts = tokens.parts(statement.start..end).into_iter();
    let Some(first) = parts
        .next()
        .and_then(|part| declarator(tokens, part, false))
    else {
        return Vec::new();
    };
    let types = first.types.clone();
    let others = parts.filter_map(|part| {
        let own = declarator(tokens, part, true)?;
        Some(Declared {
            types: types.clone(),
            ..own
        })
    });
    std::iter::once(first.clone()).chain(others).collect()
}

/// One declarator, after a type unless `is_rest`.
fn declarator(tokens: Tokens<'_>, part: Range<usize>, is_rest: bool) -> Option<Declared> {
    let mut stars = 0;
    let mut is_reference = false;
    let mut nested = None;
    let mut words = 0;
    let mut name = None;
    let mut at = part.start;
    while at < part.end {
        match tokens.at(at) {
            b"*" => stars += 1,
            b"&" | b"&&" => is_reference = true,
            b"(" if matches!(tokens.at(at + 1), b"*" | b"&") => nested = Some(at),
            b")" if nested.is_some() => {}
            b"<" if words > 0 => {
                let close = (at..part.end).find(|at| tokens.at(*at).starts_with(b">"))?;
                at = close;
            }
            // `for (T name : list)`
            b":" if tokens.is_colon(at) => break,
            b":" => {}
            _ if tokens.is_name(at) => {
                words += 1;
                name = Some(at);
            }
            _ => break,
        }
        at += 1;
    }
    let token = name.filter(|_| words > 1 || is_rest && words > 0)?;
    let before = at.checked_sub(1)?;
    let is_last = before == token || tokens.at(before) == b")" && before == token + 1;
    let is_range = tokens.is_colon(at);
    let follows = matches!(tokens.at(at), b"=" | b"[" | b"{" | b"(") || at == part.end || is_range;
    if !is_last || !follows || at < part.end && tokens.at(at) == b"=" && tokens.at(at + 1) == b"=" {
        return None;
    }
    // `f(*p);` is a call, `T (*p)[4]` is none.
    let is_call = nested.is_some_and(|open| {
        let callee = open.checked_sub(1).filter(|name| tokens.is_name(*name));
        let names_value = |name| tokens.names_type(tokens.at(name)) == Some(false);
        let is_around = tokens.at(before) == b")" && matches!(tokens.at(at), b"[" | b"(");
        !is_around || callee.is_some_and(names_value)
    });
    if is_call {
        return None;
    }
    let mut extents = Vec::new();
    while at < part.end && tokens.at(at) == b"[" {
        let close = tokens.bracket_end(at);
        extents.push(at + 1..close);
        at = close + 1;
    }
    let has_value = at < part.end && (tokens.at(at) == b"=" || is_range);
    let value = has_value.then(|| at + 1..part.end);
    let types = (part.start..token).map(|at| tokens.word(at));
    let types: Vec<String> = types.filter(|word| is_name(word)).collect();
    let of_parameter = is_rest && !extents.is_empty();
    Some(Declared {
        name: tokens.word(token),
        token,
        rank: stars + extents.len(),
        is_pointer: stars > 0 || of_parameter,
        is_reference,
        types,
        extents,
        value,
        is_element: is_range,
    })
}

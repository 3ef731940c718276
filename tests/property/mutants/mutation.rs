//! Small damages of a text: to bytes, tokens, lines and directives.

use std::ops::Range;

use super::corpus::Corpus;
use super::pieces;
use crate::random::Random;

/// Changes a text, which may have nothing to change.
type Operation = fn(&mut Random, &mut Vec<u8>, &[u8]);

/// Each gets a text of another file to take from.
const OPERATIONS: &[Operation] = &[
    delete_tokens,
    double_tokens,
    swap_tokens,
    take_token,
    replace_name,
    replace_operator,
    replace_type,
    extreme_literal,
    extreme_literal,
    delete_lines,
    double_lines,
    swap_lines,
    take_lines,
    take_lines,
    take_directive,
    take_directive,
    take_clause,
    take_clause,
    delete_clause,
    nest_expression,
    nest_statement,
    long_expression,
    change_bytes,
];

const OPERATORS: &[&str] = &[
    "+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&",
    "||", "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", ",", "?", ":", "!",
    "~", "++", "--", ".", "->", "(", ")", "[", "]", "{", "}", ";", "...",
];

const TYPES: &[&str] = &[
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "long double",
    "_Bool",
    "void",
    "void *",
    "char *",
    "double _Complex",
    "__int128",
    "const",
    "volatile",
    "static",
    "extern",
    "register",
    "restrict",
    "inline",
    "_Atomic",
    "struct",
    "union",
    "enum",
    "typedef",
    "sizeof",
    "_Alignas(64)",
    "_Thread_local",
];

const LITERALS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "31",
    "32",
    "33",
    "63",
    "64",
    "1023",
    "1024",
    "1025",
    "65535",
    "65536",
    "2147483647",
    "(-2147483647-1)",
    "2147483648",
    "4294967295u",
    "4294967296",
    "9223372036854775807",
    "(-9223372036854775807-1)",
    "9223372036854775808u",
    "18446744073709551615u",
    "18446744073709551616",
    "99999999999999999999999999999999999999999999",
    "0x",
    "0xffffffffffffffffULL",
    "0b101",
    "08",
    "1e308",
    "1e400",
    "1e-400",
    "0x1p1023",
    "1.0f",
    "'a'",
    "'\\xff'",
    "L'\\0'",
    "\"s\"",
    "sizeof(int)",
    "4611686018427387905",
];

/// Changes a text in one or a few places.
pub fn mutate(random: &mut Random, text: &mut Vec<u8>, corpus: &Corpus) -> Result<(), String> {
    let mut times = 1;
    while times < 8 && random.chance(1, 3) {
        times += 1;
    }
    for _ in 0..times {
        let other = corpus.any(random)?;
        random.pick(OPERATIONS)(random, text, &other.own);
    }
    Ok(())
}

/// A number below `end`, which is not 0.
fn below(random: &mut Random, end: usize) -> usize {
    let last = i64::try_from(end).expect("the length of a text") - 1;
    usize::try_from(random.between(0, last)).expect("from 0")
}

/// Up to `longest` neighbours among things.
fn run_of<T>(random: &mut Random, things: &[T], longest: usize) -> Option<Range<usize>> {
    if things.is_empty() {
        return None;
    }
    let start = below(random, things.len());
    let end = start + 1 + below(random, longest);
    Some(start..end.min(things.len()))
}

/// The bytes of neighbours.
fn bytes_of(pieces: &[Range<usize>], run: &Range<usize>) -> Range<usize> {
    pieces[run.start].start..pieces[run.end - 1].end
}

/// Tokens that pass a test.
fn those(text: &[u8], test: impl Fn(&[u8]) -> bool) -> Vec<Range<usize>> {
    let mut found = pieces(text);
    found.retain(|piece| test(&text[piece.clone()]));
    found
}

fn is_name(token: &[u8]) -> bool {
    token
        .first()
        .is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
}

fn is_number(token: &[u8]) -> bool {
    token.first().is_some_and(u8::is_ascii_digit)
}

/// The lines, each with its end.
fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let ends = text.split_inclusive(|byte| *byte == b'\n').map(|line| {
        start += line.len();
        start - line.len()..start
    });
    ends.collect()
}

fn replace(text: &mut Vec<u8>, range: Range<usize>, new: impl AsRef<[u8]>) {
    text.splice(range, new.as_ref().iter().copied());
}

fn one<'a>(random: &mut Random, pieces: &'a [Range<usize>]) -> Option<&'a Range<usize>> {
    (!pieces.is_empty()).then(|| random.pick(pieces))
}

// Tokens

fn delete_tokens(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let all = pieces(text);
    if let Some(run) = run_of(random, &all, 4) {
        replace(text, bytes_of(&all, &run), "");
    }
}

fn double_tokens(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let all = pieces(text);
    if let Some(run) = run_of(random, &all, 8) {
        let bytes = bytes_of(&all, &run);
        let copy = [b" ", &text[bytes.clone()], b" "].concat();
        replace(text, bytes.end..bytes.end, copy);
    }
}

fn swap_tokens(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let all = pieces(text);
    let (Some(a), Some(b)) = (one(random, &all), one(random, &all)) else {
        return;
    };
    let (first, second) = if a.start < b.start { (a, b) } else { (b, a) };
    let (early, late) = (text[first.clone()].to_vec(), text[second.clone()].to_vec());
    if first != second {
        replace(text, second.clone(), early);
        replace(text, first.clone(), late);
    }
}

fn take_token(random: &mut Random, text: &mut Vec<u8>, other: &[u8]) {
    let (all, theirs) = (pieces(text), pieces(other));
    if let (Some(old), Some(new)) = (one(random, &all), one(random, &theirs)) {
        replace(text, old.clone(), &other[new.clone()]);
    }
}

/// A name by another of the same file.
fn replace_name(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let names = those(text, is_name);
    if let (Some(old), Some(new)) = (one(random, &names), one(random, &names)) {
        let new = text[new.clone()].to_vec();
        replace(text, old.clone(), new);
    }
}

fn replace_operator(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let operators = those(text, |token| {
        OPERATORS.iter().any(|one| one.as_bytes() == token)
    });
    if let Some(old) = one(random, &operators) {
        replace(text, old.clone(), random.of(OPERATORS));
    }
}

/// A type by another, or one more.
fn replace_type(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let types = those(text, |token| {
        TYPES.iter().any(|one| one.as_bytes() == token)
    });
    if let Some(old) = one(random, &types) {
        let start = if random.chance(1, 3) {
            old.end
        } else {
            old.start
        };
        replace(text, start..old.end, format!(" {} ", random.of(TYPES)));
    }
}

fn extreme_literal(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let numbers = those(text, is_number);
    if let Some(old) = one(random, &numbers) {
        replace(text, old.clone(), random.of(LITERALS));
    }
}

// Lines

fn delete_lines(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let all = lines(text);
    if let Some(run) = run_of(random, &all, 3) {
        replace(text, bytes_of(&all, &run), "");
    }
}

/// Once more, or very often.
fn double_lines(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let all = lines(text);
    if let Some(run) = run_of(random, &all, 8) {
        let bytes = bytes_of(&all, &run);
        let times = if random.chance(1, 10) { 200 } else { 1 };
        let copy = text[bytes.clone()].repeat(times);
        replace(text, bytes.end..bytes.end, copy);
    }
}

fn swap_lines(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let mut all = lines(text);
    if all.len() < 2 {
        return;
    }
    let (a, b) = (below(random, all.len()), below(random, all.len()));
    all.swap(a, b);
    *text = all
        .into_iter()
        .flat_map(|line| text[line].to_vec())
        .collect();
}

fn take_lines(random: &mut Random, text: &mut Vec<u8>, other: &[u8]) {
    let (all, theirs) = (lines(text), lines(other));
    if let (Some(at), Some(run)) = (one(random, &all), run_of(random, &theirs, 12)) {
        replace(text, at.start..at.start, &other[bytes_of(&theirs, &run)]);
    }
}

// Directives

/// The lines that are directives.
fn directives(text: &[u8]) -> Vec<Range<usize>> {
    let mut all = lines(text);
    all.retain(|line| {
        text[line.clone()]
            .trim_ascii_start()
            .starts_with(b"#pragma")
    });
    all
}

fn take_directive(random: &mut Random, text: &mut Vec<u8>, other: &[u8]) {
    let (all, theirs) = (lines(text), directives(other));
    if let (Some(at), Some(new)) = (one(random, &all), one(random, &theirs)) {
        replace(text, at.start..at.start, &other[new.clone()]);
    }
}

/// The clauses of a directive: words with what stands in parentheses behind.
fn clauses(text: &[u8], directive: &Range<usize>) -> Vec<Range<usize>> {
    let line = &text[directive.clone()];
    let (mut found, mut depth) = (Vec::<Range<usize>>::new(), 0);
    for piece in pieces(line) {
        let token = &line[piece.clone()];
        let placed = directive.start + piece.start..directive.start + piece.end;
        match (token, found.last_mut()) {
            (b"(", _) => depth += 1,
            (b")", Some(last)) => {
                depth -= 1;
                last.end = placed.end;
            }
            (_, _) if depth == 0 && is_name(token) => found.push(placed),
            _ => {}
        }
    }
    found
}

fn take_clause(random: &mut Random, text: &mut Vec<u8>, other: &[u8]) {
    let (own, theirs) = (directives(text), directives(other));
    let (Some(at), Some(from)) = (one(random, &own), one(random, &theirs)) else {
        return;
    };
    let (places, new) = (clauses(text, at), clauses(other, from));
    if let (Some(place), Some(new)) = (one(random, &places), one(random, &new)) {
        let new = [b" ", &other[new.clone()], b" "].concat();
        replace(text, place.end..place.end, new);
    }
}

fn delete_clause(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let own = directives(text);
    let Some(at) = one(random, &own) else {
        return;
    };
    if let Some(clause) = one(random, &clauses(text, at)) {
        replace(text, clause.clone(), "");
    }
}

// Size

fn nest_expression(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let operands = those(text, |token| is_number(token) || is_name(token));
    let Some(at) = one(random, &operands).cloned() else {
        return;
    };
    let depth = below(random, 100) + 1;
    let (before, after) = random.of(&[
        ("(", ")"),
        ("!", ""),
        ("-(", ")"),
        ("~", ""),
        ("(int)", ""),
        ("*&", ""),
        ("(", " ?: 1)"),
        ("(1 ? ", " : 0)"),
        ("(0, ", ")"),
        ("sizeof(", ")"),
        ("({ ", "; })"),
        ("(", ") + 1"),
        ("a[", "]"),
        ("f(", ")"),
    ]);
    let operand = text[at.clone()].to_vec();
    let nested = [
        before.repeat(depth).as_bytes(),
        &operand,
        after.repeat(depth).as_bytes(),
    ]
    .concat();
    replace(text, at, nested);
}

fn nest_statement(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let mut statements = lines(text);
    statements.retain(|line| text[line.clone()].trim_ascii_end().ends_with(b";"));
    let Some(at) = one(random, &statements).cloned() else {
        return;
    };
    let depth = below(random, 60) + 1;
    let (before, after) = random.of(&[
        ("{ ", " }"),
        ("if (1) ", ""),
        ("if (0) ; else ", ""),
        ("for (;;) { ", " break; }"),
        ("for (int i = 0; i < 2; i++) ", ""),
        ("do { ", " } while (0);"),
        ("switch (1) default: ", ""),
    ]);
    let statement = text[at.clone()].to_vec();
    let nested = [
        before.repeat(depth).as_bytes(),
        &statement,
        after.repeat(depth).as_bytes(),
        b"\n",
    ]
    .concat();
    replace(text, at, nested);
}

fn long_expression(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    let operands = those(text, |token| is_number(token) || is_name(token));
    let Some(at) = one(random, &operands).cloned() else {
        return;
    };
    let operator = random.of(&[" + ", " * ", ", ", " && ", " - ", " | "]);
    let times = random.of(&[10, 100, 1000]);
    let again = [operator.as_bytes(), &text[at.clone()]]
        .concat()
        .repeat(times);
    replace(text, at.end..at.end, again);
}

// Bytes

fn change_bytes(random: &mut Random, text: &mut Vec<u8>, _: &[u8]) {
    for _ in 0..below(random, 4) + 1 {
        if text.is_empty() {
            return;
        }
        let at = below(random, text.len());
        let new = match random.chance(1, 2) {
            true => random.of(b"(){}[];,.:?+-*/%&|^~!=<>\"'\\#@$ \n\t0aZ_"),
            false => u8::try_from(random.between(0, 255)).expect("a byte"),
        };
        let end = if random.chance(1, 2) { at } else { at + 1 };
        let new: &[u8] = if random.chance(1, 3) { &[] } else { &[new] };
        replace(text, at..end, new);
    }
}

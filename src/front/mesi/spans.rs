//! Subscripts of a kernel for all threads of a slice of its grid, as the host evaluates them: indices
//! and loop variables are ranges of integers, and so is what is computed of these.
//!
//! ```text
//! const int row = lThreadIdx.y + 1;
//! for (int k = 0; k < n; k++)
//!     … a[row * n + k]        (lThread.Idx[1] + 1) * accrs_mesi::Span((int)run->n)
//!                                 + accrs_mesi::between(0, accrs_mesi::Span((int)run->n) - 1)
//! ```
//!
//! Sums, differences and products alone. The runtime (`templates/mesi_devices.txt`) knows the types
//! and gives up where a value could have left 32 bits.

use std::collections::BTreeMap;
use std::ops::Range;

use super::accesses::Summaries;
use super::code::Code;
use super::normal_form::Scope;
use crate::front::cuda::program::{end_of, is_name, split};
use crate::front::cuda::{Fun, Tokens, declared};

/// How deep variables and macros are followed.
const DEPTH: usize = 24;

/// Words of integer types of 32 bits or more.
const INTEGERS: [&str; 14] = [
    "int",
    "long",
    "signed",
    "unsigned",
    "size_t",
    "ssize_t",
    "ptrdiff_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "auto",
    "const",
    "constexpr",
];

/// What names are in a kernel, at a launch.
pub struct Spans<'s, 'a> {
    scope: Scope<'s, 'a>,
    summaries: &'s Summaries,
    /// What launches it.
    host: &'s Fun,
    /// What the launch gives for parameters that are values.
    arguments: BTreeMap<String, String>,
    /// Those around, outermost first.
    loops: Vec<Around>,
}

/// A loop around a subscript.
struct Around {
    body: Range<usize>,
    /// Its variable.
    name: String,
    /// The range of that; nothing where it is not known.
    range: Option<String>,
}

/// Where an expression is read.
#[derive(Clone, Copy)]
struct Reach {
    /// How deep variables and macros may still be followed.
    depth: usize,
    /// How many of the loops are around it.
    loops: usize,
}

impl Reach {
    fn deeper(self) -> Option<Self> {
        let depth = self.depth.checked_sub(1)?;
        Some(Self { depth, ..self })
    }
}

impl<'s, 'a> Spans<'s, 'a> {
    /// Outside of loops.
    pub fn new(
        code: &'s Code<'a>,
        summaries: &'s Summaries,
        (kernel, host): (&'s Fun, &'s Fun),
        arguments: BTreeMap<String, String>,
    ) -> Self {
        Self {
            scope: Scope::new(code, kernel),
            summaries,
            host,
            arguments,
            loops: Vec::new(),
        }
    }

    fn tokens(&self) -> Tokens<'s> {
        self.scope.code.tokens(self.scope.fun)
    }

    fn words(&self, range: Range<usize>) -> Vec<String> {
        range.map(|at| self.tokens().word(at)).collect()
    }

    /// The range of a subscript; `None` for one that is no sum of products.
    pub fn of(&self, subscript: Range<usize>) -> Option<String> {
        let reach = Reach {
            depth: DEPTH,
            loops: self.loops.len(),
        };
        let text = self.text(&self.words(subscript), reach)?;
        Some(opened(&text).to_owned())
    }

    /// Begins the body of a loop.
    pub fn enter(&mut self, once: Range<usize>, again: Range<usize>, body: Range<usize>) {
        let name = self.counter(&once);
        let range = name
            .as_ref()
            .and_then(|name| self.range_of(name, once, again, &body));
        let name = name.unwrap_or_default();
        self.loops.push(Around { body, name, range });
    }

    /// Ends it.
    pub fn leave(&mut self) {
        self.loops.pop();
    }

    /// The variable that a loop begins with.
    fn counter(&self, once: &Range<usize>) -> Option<String> {
        let tokens = self.tokens();
        let equals = once.clone().find(|at| tokens.at(*at) == b"=")?;
        Some(tokens.word(equals.checked_sub(1)?))
    }

    /// `for (int k = first; k < last; k++)`, and the same downwards.
    fn range_of(
        &self,
        name: &str,
        once: Range<usize>,
        again: Range<usize>,
        body: &Range<usize>,
    ) -> Option<String> {
        let tokens = self.tokens();
        let own = declared(tokens, once.clone());
        let first = match &own[..] {
            [variable] => {
                self.is_integer(&variable.types).then_some(())?;
                variable.value.clone()?
            }
            [] if tokens.word(once.start) == name => once.start + 2..once.end,
            _ => return None,
        };
        if own.is_empty() {
            let mut all = self.scope.fun.locals.iter();
            let local = all.find(|local| local.name == name)?;
            self.is_integer(&local.types).then_some(())?;
        }
        let steps = again.clone().rev().find(|at| tokens.at(*at) == b";")?;
        let compare = again.start + 2;
        let step = self.words(steps + 1..again.end);
        let step: Vec<&str> = step.iter().map(String::as_str).collect();
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let is_up = match step[..] {
            [own, "++"] | ["++", own] if own == name => true,
            [own, "--"] | ["--", own] if own == name => false,
            [own, sign @ ("+=" | "-="), by] if own == name && is_number(by) => sign == "+=",
            _ => return None,
        };
        // A loop elsewhere may have a variable of this name, too.
        let is_changed_inside = body
            .clone()
            .any(|at| tokens.word(at) == name && self.is_changed(at));
        if tokens.word(again.start + 1) != name || is_changed_inside {
            return None;
        }
        let (first, last) = (self.of(first)?, self.of(compare + 1..steps)?);
        Some(match (tokens.at(compare), is_up) {
            (b"<", true) => format!("accrs_mesi::between({first}, {last} - 1)"),
            (b"<=", true) => format!("accrs_mesi::between({first}, {last})"),
            (b">", false) => format!("accrs_mesi::between({last} + 1, {first})"),
            (b">=", false) => format!("accrs_mesi::between({last}, {first})"),
            _ => return None,
        })
    }

    /// Whether a name is given another value, or its address is taken.
    fn is_changed(&self, at: usize) -> bool {
        let tokens = self.tokens();
        let next = tokens.at(at + 1);
        let before = at.checked_sub(1).map_or(b"".as_slice(), |at| tokens.at(at));
        let is_set = next.ends_with(b"=") && !matches!(next, b"==" | b"!=" | b"<=" | b">=");
        is_set
            || [b"++".as_slice(), b"--"].contains(&next)
            || matches!(before, b"++" | b"--" | b"&")
    }

    fn is_integer(&self, types: &[String]) -> bool {
        let resolved = self.scope.code.resolved(types);
        let has = |names: &[&str]| resolved.iter().any(|word| names.contains(&word.as_str()));
        let is_listed = |word: &String| INTEGERS.contains(&word.as_str());
        !resolved.is_empty() && resolved.iter().all(is_listed) && has(&INTEGERS[..12])
    }

    fn text(&self, words: &[String], reach: Reach) -> Option<String> {
        let reach = reach.deeper()?;
        let words = self.expanded(words, reach.depth)?;
        let (mut text, mut at, mut is_behind) = (String::new(), 0, false);
        while at < words.len() {
            let word = words[at].as_str();
            match (word, is_behind) {
                ("+" | "-" | "*", true) => text += &format!(" {word} "),
                ("+" | "-", false) => text += word,
                (_, true) => return None,
                (_, false) => {
                    let end = operand_end(&words, at)?;
                    text += &self.operand(&words[at..end], reach)?;
                    at = end - 1;
                }
            }
            is_behind = !matches!(word, "+" | "-" | "*");
            at += 1;
        }
        is_behind.then_some(text)
    }

    /// A number, a name, or what is in parentheses, with a cast before it.
    fn operand(&self, words: &[String], reach: Reach) -> Option<String> {
        let code = self.scope.code;
        let first = words.first()?.as_str();
        if first == "(" {
            let close = end_of(words, 0);
            let inner = &words[1..close];
            if close + 1 == words.len() {
                return Some(enclosed(self.text(inner, reach)?));
            }
            let operand = self.operand(&words[close + 1..], reach)?;
            return self.converted(inner, operand);
        }
        if first.starts_with("lThread") || first.starts_with("lGrid") {
            return logical(words);
        }
        if let [name, open, ..] = words
            && open == "("
        {
            let operand = format!("({})", self.text(&words[2..words.len() - 1], reach)?);
            return self.converted(std::slice::from_ref(name), operand);
        }
        if first.starts_with(|c: char| c.is_ascii_digit()) {
            let is_integer = first
                .trim_end_matches(['u', 'U', 'l', 'L'])
                .bytes()
                .all(|byte| byte.is_ascii_digit());
            return (words.len() == 1 && is_integer).then(|| first.to_owned());
        }
        if let Some(argument) = self.arguments.get(first) {
            // A member of a structure.
            let is_member = |pair: &[String]| pair[0] == "." && is_name(&pair[1]);
            let is_plain = words[1..].len().is_multiple_of(2)
                && words[1..].chunks(2).all(is_member)
                && self.scope.is_kept(first);
            return is_plain.then(|| match words.len() {
                1 => format!("accrs_mesi::Span({argument})"),
                _ => format!("accrs_mesi::Span(({argument}){})", words[1..].concat()),
            });
        }
        let [name] = words else {
            return None;
        };
        let mut around = self.loops[..reach.loops].iter().rev();
        if let Some(own) = around.find(|own| own.name == *name) {
            return own.range.clone();
        }
        if let Some(value) = self.scope.value_of(name) {
            let mut all = self.scope.fun.locals.iter();
            let local = all.find(|local| local.name == *name)?;
            self.is_integer(&local.types).then_some(())?;
            // Elsewhere a variable of the same name is another loop's.
            let is_around = |own: &&Around| own.body.contains(&value.start);
            let loops = self.loops.iter().take_while(is_around).count();
            let value = self.text(&self.words(value), Reach { loops, ..reach })?;
            return self.converted(&local.types, enclosed(value));
        }
        if self.scope.fun.declares(name) {
            return None;
        }
        let is_value = || {
            let variable = code.variable(name)?;
            self.summaries.values.contains(&variable).then_some(())
        };
        let is_number = is_number(code, name);
        let is_same = is_value().is_some() || self.is_constant(name);
        match is_number {
            true => Some(name.clone()),
            false => (is_same && !self.host.declares(name))
                .then(|| format!("accrs_mesi::Span({})", code.reached(name))),
        }
    }

    /// An operand as a value of some type.
    fn converted(&self, types: &[String], operand: String) -> Option<String> {
        let resolved = self.scope.code.resolved(types);
        let is_unsigned =
            |word: &String| ["unsigned", "size_t", "uint32_t", "uint64_t"].contains(&word.as_str());
        self.is_integer(types)
            .then(|| match resolved.iter().any(is_unsigned) {
                true => format!("accrs_mesi::to_unsigned({})", opened(&operand)),
                false => operand,
            })
    }

    /// `const int name = …;` of the file.
    fn is_constant(&self, name: &str) -> bool {
        let tokens = self.scope.code.files[0].tokens();
        let mut all = (0..tokens.list.len()).filter(|at| tokens.at(*at) == name.as_bytes());
        all.any(|at| {
            let begin = (0..at)
                .rev()
                .find(|at| matches!(tokens.at(*at), b";" | b"}" | b"{" | b"(" | b","))
                .map_or(0, |before| before + 1);
            let words: Vec<String> = (begin..at).map(|at| tokens.word(at)).collect();
            let is_fixed = words
                .iter()
                .any(|word| word == "const" || word == "constexpr");
            let rest: Vec<String> = words.into_iter().filter(|word| word != "static").collect();
            tokens.at(at + 1) == b"=" && is_fixed && self.is_integer(&rest) && !self.is_inside(at)
        })
    }

    /// Whether a token of the first file is in a function.
    fn is_inside(&self, at: usize) -> bool {
        let mut all = self.scope.code.functions.iter();
        all.any(|fun| fun.file == 0 && fun.body().contains(&at))
    }

    /// Words with macros as what they stand for, but for numbers.
    fn expanded(&self, words: &[String], depth: usize) -> Option<Vec<String>> {
        let depth = depth.checked_sub(1)?;
        let code = self.scope.code;
        let mut all = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let word = &words[at];
            let Some(macros) = code
                .program
                .macros
                .get(word)
                .filter(|_| !is_number(code, word))
            else {
                all.push(word.clone());
                at += 1;
                continue;
            };
            let [one] = &macros[..] else {
                return None;
            };
            let mut body = one.body.clone();
            at += 1;
            if one.is_function {
                if words.get(at).is_none_or(|open| open != "(") {
                    return None;
                }
                let close = end_of(words, at);
                let given = split(&words[at + 1..close]);
                at = close + 1;
                let with = |word: &String| match one.parameters.iter().position(|own| own == word) {
                    Some(own) => given.get(own).map(|words| words.to_vec()),
                    None => Some(vec![word.clone()]),
                };
                let parts: Option<Vec<Vec<String>>> = body.iter().map(with).collect();
                body = parts?.concat();
            }
            if body.iter().any(|word| word == "#" || word == "##") {
                return None;
            }
            all.extend(self.expanded(&body, depth)?);
        }
        Some(all)
    }
}

/// An index, or an extent of the grid.
fn logical(words: &[String]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (name, dimension) = match words[..] {
        [name, ".", "x"] => (name, "0"),
        [name, ".", "y"] => (name, "1"),
        [name, ".", "z"] => (name, "2"),
        [name @ "lThread", ".", "Idx", "[", r, "]"] | [name @ "lGrid", ".", "dim", "[", r, "]"] => {
            (name, r)
        }
        _ => return None,
    };
    let is_number = dimension.bytes().all(|byte| byte.is_ascii_digit());
    let text = match name {
        "lThread" | "lThreadIdx" => format!("lThread.Idx[{dimension}]"),
        _ => format!("accrs_mesi::Span(lGrid.dim[{dimension}])"),
    };
    is_number.then_some(text)
}

/// Whether each parenthesis that is closed has been opened.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().all(|byte| match byte {
        b'(' => {
            depth += 1;
            true
        }
        b')' => {
            let is_open = depth > 0;
            depth = depth.saturating_sub(1);
            is_open
        }
        _ => true,
    })
}

/// Without parentheses around all of it.
fn opened(text: &str) -> &str {
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    inner.filter(|inner| is_balanced(inner)).unwrap_or(text)
}

/// In parentheses, where it is a sum or product.
fn enclosed(text: String) -> String {
    let mut depth = 0_usize;
    let is_open = text.bytes().any(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && byte == b' '
    });
    match is_open || text.starts_with(['-', '+']) {
        true => format!("({text})"),
        false => text,
    }
}

/// Whether a name is a macro of one number.
pub fn is_number(code: &Code<'_>, name: &str) -> bool {
    match code.program.macros.get(name).map(Vec::as_slice) {
        Some([one]) => {
            let is_digits = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
            !one.is_function && matches!(&one.body[..], [word] if is_digits(word))
        }
        _ => false,
    }
}

/// The word behind an operand, with the casts before it and the members behind.
fn operand_end(words: &[String], at: usize) -> Option<usize> {
    let word = words.get(at)?;
    if word == "(" {
        let close = end_of(words, at);
        let is_cast = words.get(close + 1).is_some_and(|next| {
            next == "(" || is_name(next) || next.starts_with(|c: char| c.is_ascii_digit())
        });
        return if is_cast {
            operand_end(words, close + 1)
        } else {
            Some(close + 1)
        };
    }
    let mut end = at + 1;
    while let Some(next) = words.get(end) {
        end = match next.as_str() {
            "." => end + 2,
            "(" | "[" => end_of(words, end) + 1,
            _ => break,
        };
    }
    (end <= words.len()).then_some(end)
}

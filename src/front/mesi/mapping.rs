//! Which dimensions of a logical grid lie along x and y of the blocks (section 4).
//!
//! For each access within loops that run L times together, dimension r gets
//!
//! - P′: L · 32, where no subscript has its index: the threads of a warp access the same element;
//! - P″: L · ⌊128 / (c · size)⌋, where its index has a coefficient c in the last subscript and is
//!   in no other one: they access neighbours.
//!
//! The dimension with the largest sum lies along x, the next one along y; where threads along both
//! access the same elements, blocks have rows of both.

use std::collections::BTreeMap;
use std::ops::Range;

use super::caching::Cache;
use super::code::Code;
use super::exchange::Exchange;
use super::normal_form::{EXCHANGED, Form, Scope, Target};
use super::transfers::Host;
use crate::diagnostic::codes;
use crate::front::cuda::{Fun, Kind, Launch, Statement};

/// Threads of a warp.
const WARP: f64 = 32.0;
/// Bytes of a cache line.
const LINE: f64 = 128.0;
/// How often a loop runs of which nothing is known.
const ESTIMATE: f64 = 16.0;

/// How a launch is mapped.
#[derive(Debug)]
pub enum Choice {
    /// Dimensions that lie along x and y.
    Known {
        /// Along x.
        x: usize,
        /// Along y; the number of dimensions, where there is one.
        y: usize,
        /// Neighbours along both use the same elements.
        shared: bool,
    },
    /// Numbers that are known when the launch is reached, one for each dimension.
    Open {
        /// Their expressions.
        weights: Vec<String>,
    },
}

/// A number with factors that are known when a launch is reached, by these factors.
type Sum = BTreeMap<String, f64>;

/// An access's part of a dimension's priority.
pub struct Part {
    array: String,
    dimension: usize,
    is_same: bool,
    factors: String,
    amount: f64,
}

/// The parts of all accesses at a launch, with a loop and a dimension exchanged.
fn parts_of(
    code: &Code<'_>,
    launch: &Launch,
    kernel: &Fun,
    exchange: Option<&Exchange>,
) -> Vec<Part> {
    let tokens = code.files[0].tokens();
    let dimensions = tokens.parts(launch.first..launch.close);
    let end = tokens.bracket_end(launch.arguments);
    let arguments = tokens.parts(launch.arguments + 1..end);
    let texts = |parts: &[Range<usize>]| {
        let text = |part: &Range<usize>| code.files[0].text_of(part.clone());
        parts.iter().map(text).collect()
    };
    let mut scope = Scope::new(code, kernel);
    let caller = code
        .functions
        .iter()
        .find(|fun| fun.file == 0 && fun.body().contains(&launch.kernel));
    let caller = caller.map(|fun| Scope::new(code, fun));
    let value = |part: &Range<usize>| caller.as_ref()?.value(part);
    let given = kernel.parameters.iter().zip(&arguments);
    scope.arguments = given
        .filter_map(|(one, part)| Some((one.name.clone(), value(part)?)))
        .collect();
    scope.sizes = dimensions.iter().map(value).collect();
    let sizes: Vec<String> = texts(&dimensions);
    let mut ranges = Vec::new();
    if let Some(exchange) = exchange {
        let size = match scope.sizes.get(exchange.dimension).copied().flatten() {
            Some(size) => Number::Known(size),
            None => Number::Text(enclosed(&sizes[exchange.dimension])),
        };
        ranges.push((Number::Known(0.0), size.clone(), size));
        scope.loops.push(EXCHANGED.to_owned());
        scope.exchanged = Some((exchange.name.clone(), exchange.dimension));
    }
    let mut model = Model {
        scope,
        arguments: texts(&arguments),
        sizes,
        ranges,
        parts: Vec::new(),
        dimensions: dimensions.len(),
    };
    model.list(&kernel.statements);
    model.parts
}

/// Whether a dimension has a larger sum with a loop and a dimension exchanged than any has without.
pub fn pays(code: &Code<'_>, launch: &Launch, exchange: &Exchange) -> bool {
    let tokens = code.files[0].tokens();
    let m = tokens.parts(launch.first..launch.close).len();
    let mut kernels = code.named(tokens.at(launch.kernel));
    let Some((_, kernel)) = kernels.find(|(_, fun)| fun.is_kernel) else {
        return false;
    };
    let sums = |exchange: Option<&Exchange>| {
        let parts = parts_of(code, launch, kernel, exchange);
        let of = |r: usize| sum(parts.iter().filter(|part| part.dimension == r));
        (0..m).map(of).collect::<Vec<Sum>>()
    };
    let (without, with) = (sums(None), sums(Some(exchange)));
    let is_more = |own: &Sum| {
        let mut others = without.iter();
        others.all(|other| exceeds(own, other) && !exceeds(other, own))
    };
    with.iter().any(is_more)
}

/// The parts of accesses at a launch, and how it is mapped.
pub fn decide(
    code: &Code<'_>,
    launch: &Launch,
    kernel: &Fun,
    exchange: Option<&Exchange>,
) -> (Vec<Part>, Choice) {
    let m = code.files[0]
        .tokens()
        .parts(launch.first..launch.close)
        .len();
    let parts = parts_of(code, launch, kernel, exchange);
    let sums: Vec<Sum> = (0..m)
        .map(|r| sum(parts.iter().filter(|part| part.dimension == r)))
        .collect();
    let same = |r: usize| parts.iter().any(|part| part.dimension == r && part.is_same);
    let mut order: Vec<usize> = (0..m).collect();
    let is_before = |a: usize, b: usize| exceeds(&sums[a], &sums[b]);
    let is_open = (0..m).any(|a| (0..m).any(|b| !is_before(a, b) && !is_before(b, a)));
    order.sort_by(|a, b| match (is_before(*a, *b), is_before(*b, *a)) {
        (true, false) => std::cmp::Ordering::Less,
        (false, true) => std::cmp::Ordering::Greater,
        _ => a.cmp(b),
    });
    let choice = if is_open {
        Choice::Open {
            weights: sums.iter().map(text_of).collect(),
        }
    } else {
        let (x, y) = (
            order.first().copied().unwrap_or(0),
            order.get(1).copied().unwrap_or(m),
        );
        Choice::Known {
            x,
            y,
            shared: y < m && same(x) && same(y),
        }
    };
    (parts, choice)
}

/// Chooses the mapping of a launch; none where it is wrong.
pub fn choose(
    host: &mut Host<'_, '_>,
    launch: &Launch,
    dimensions: &[Range<usize>],
    exchange: Option<&Exchange>,
    cache: Option<&Cache>,
) -> Option<Choice> {
    let tokens = host.tokens();
    let place = tokens.range(launch.kernel, launch.open - 1);
    let m = dimensions.len();
    let mut kernels = host.code.named(tokens.at(launch.kernel));
    let (_, kernel) = kernels.find(|(_, fun)| fun.is_kernel)?;
    let (parts, choice) = decide(host.code, launch, kernel, exchange);
    if host.problems.feedback {
        let mut notes: Vec<String> = (0..m).flat_map(|r| say(&parts, r)).collect();
        notes.extend(exchange.map(|exchange| {
            let Exchange {
                name, dimension, ..
            } = exchange;
            format!("the loop of `{name}` has changed places with dimension {dimension}")
        }));
        notes.extend(cache.map(|cache| {
            let arrays = cache.arrays().join(", ");
            format!("{arrays} in shared memory, for 32 iterations at a time")
        }));
        let decided = match &choice {
            Choice::Known { x, y, shared } if *y < m => {
                let rows = if *shared {
                    ", in several rows of a block"
                } else {
                    ""
                };
                format!("dimension {x} lies along x, {y} along y{rows}")
            }
            Choice::Known { x, .. } => format!("dimension {x} lies along x"),
            Choice::Open { .. } => "the launch compares the sums when it is reached".to_owned(),
        };
        let what = format!("how the threads of `{}` lie in its blocks", kernel.name);
        host.problems
            .decided(codes::MESI_MAPPING, &what, decided, place, notes);
    }
    Some(choice)
}

/// What the arrays add to the priorities of a dimension.
fn say(parts: &[Part], dimension: usize) -> Vec<String> {
    let mut notes = Vec::new();
    for (is_same, which) in [(true, "the same element"), (false, "elements side by side")] {
        let own = parts
            .iter()
            .filter(|part| part.dimension == dimension && part.is_same == is_same);
        let mut arrays: Vec<&str> = own.clone().map(|part| part.array.as_str()).collect();
        arrays.sort_unstable();
        arrays.dedup();
        let of = |array: &str| {
            let terms = sum(own.clone().filter(|part| part.array == array));
            let terms: Vec<String> = terms
                .iter()
                .map(|(factors, amount)| match factors.as_str() {
                    "" => format!("{amount}"),
                    _ => format!("{amount} · {factors}"),
                })
                .collect();
            format!("`{array}` {}", terms.join(" + "))
        };
        if !arrays.is_empty() {
            let all: Vec<String> = arrays.into_iter().map(of).collect();
            notes.push(format!(
                "{which} for neighbours in dimension {dimension}: {}",
                all.join(", ")
            ));
        }
    }
    notes
}

fn sum<'p>(parts: impl Iterator<Item = &'p Part>) -> Sum {
    let mut sum = Sum::new();
    for part in parts {
        *sum.entry(part.factors.clone()).or_default() += part.amount;
    }
    sum
}

/// Whether a sum is as large as another one whatever its factors are.
fn exceeds(sum: &Sum, other: &Sum) -> bool {
    other
        .iter()
        .all(|(factors, amount)| sum.get(factors).is_some_and(|own| own >= amount))
}

fn text_of(sum: &Sum) -> String {
    let term = |(factors, amount): (&String, &f64)| match factors.as_str() {
        "" => format!("{amount:.1}"),
        _ => format!("{amount:.1} * {factors}"),
    };
    let terms: Vec<String> = sum.iter().map(term).collect();
    if terms.is_empty() {
        "0.0".to_owned()
    } else {
        terms.join(" + ")
    }
}

/// A number that is known now, or when the launch is reached.
#[derive(Clone, Debug)]
enum Number {
    Known(f64),
    Text(String),
}

/// The loops and accesses of a kernel.
struct Model<'m, 'a> {
    scope: Scope<'m, 'a>,
    /// Of the launch.
    arguments: Vec<String>,
    sizes: Vec<String>,
    /// First and last value, and number of iterations, of each loop around.
    ranges: Vec<(Number, Number, Number)>,
    parts: Vec<Part>,
    dimensions: usize,
}

impl Model<'_, '_> {
    fn list(&mut self, list: &[Statement]) {
        for statement in list {
            match &statement.kind {
                Kind::Simple(_) => self.accesses(statement.tokens.clone()),
                Kind::Block(list) => self.list(list),
                Kind::Branch { condition, arms } => {
                    self.accesses(condition.clone());
                    self.list(arms);
                }
                Kind::Loop { once, again, body } => {
                    self.accesses(once.clone());
                    let (name, range) = self.range_of(once.clone(), again.clone());
                    let exchanged = &self.scope.exchanged;
                    if exchanged.as_ref().is_some_and(|(own, _)| *own == name) {
                        self.list(std::slice::from_ref(body));
                        continue;
                    }
                    self.scope.loops.push(name);
                    self.ranges.push(range);
                    self.accesses(again.clone());
                    self.list(std::slice::from_ref(body));
                    self.scope.loops.pop();
                    self.ranges.pop();
                }
                Kind::Label => {}
            }
        }
    }

    /// The variable of a loop, its first and last value, and how often it runs.
    fn range_of(
        &self,
        once: Range<usize>,
        again: Range<usize>,
    ) -> (String, (Number, Number, Number)) {
        let tokens = self.scope.code.tokens(self.scope.fun);
        let unknown = || {
            let none = Number::Known(0.0);
            (String::new(), (none.clone(), none, Number::Known(ESTIMATE)))
        };
        let Some(equals) = once.clone().find(|at| tokens.at(*at) == b"=") else {
            return unknown();
        };
        let name = tokens.word(equals - 1);
        let first = self.number(&self.words(equals + 1..once.end));
        // `; i < n; i += c`
        let condition = again.start + 1;
        let compares = |at: &usize| matches!(tokens.at(*at), b"<" | b"<=" | b">" | b">=");
        let ends = |at: &usize| tokens.at(*at) == b";";
        let (Some(compare), Some(end)) = (
            again.clone().find(compares),
            (condition..again.end).find(ends),
        ) else {
            return unknown();
        };
        let last = self.number(&self.words(compare + 1..end));
        let step = self.words(end + 1..again.end);
        let step = match step.iter().position(|word| word == "+=" || word == "-=") {
            Some(at) => self.number(&step[at + 1..]),
            None => Some(Number::Known(1.0)),
        };
        let is_closed = tokens.at(compare).ends_with(b"=");
        let is_down = tokens.at(compare).starts_with(b">");
        let (Some(first), Some(last), Some(step)) = (first, last, step) else {
            return unknown();
        };
        if tokens.word(compare - 1) != name {
            return unknown();
        }
        let (low, high) = if is_down {
            (last.clone(), first.clone())
        } else {
            (first.clone(), last.clone())
        };
        let count = match (&low, &high, &step) {
            (Number::Known(low), Number::Known(high), Number::Known(step)) => {
                let span = (high - low + f64::from(u8::from(is_closed))).max(0.0);
                Number::Known(span / step.abs().max(1.0))
            }
            _ => {
                let more = if is_closed { " + 1" } else { "" };
                let span = match &low {
                    Number::Known(0.0) => format!("{}{more}", high.text()),
                    low => format!("{} - {}{more}", high.text(), low.text()),
                };
                Number::Text(match &step {
                    Number::Known(1.0) if span == high.text() => span,
                    Number::Known(1.0) => format!("({span})"),
                    step => format!("(({span}) / {})", step.text()),
                })
            }
        };
        let end = match (&last, is_closed) {
            (Number::Known(last), false) => Number::Known(last - if is_down { -1.0 } else { 1.0 }),
            _ => last,
        };
        (name, (first, end, count))
    }

    fn words(&self, range: Range<usize>) -> Vec<String> {
        let tokens = self.scope.code.tokens(self.scope.fun);
        range.map(|at| tokens.word(at)).collect()
    }

    /// What an expression is worth: on the average over the loops around (section 4.4.1).
    fn number(&self, words: &[String]) -> Option<Number> {
        let form = self.scope.form_of(words)?;
        if form
            .terms
            .keys()
            .any(|target| matches!(target, Target::Index(_)))
        {
            return None;
        }
        if let Some(mut value) = form.constant
            && form.terms.values().all(Option::is_some)
        {
            let mut is_known = true;
            for (target, coefficient) in &form.terms {
                match (self.mean(target), coefficient) {
                    (Some(Number::Known(mean)), Some(coefficient)) => value += coefficient * mean,
                    _ => is_known = false,
                }
            }
            if is_known {
                return Some(Number::Known(value));
            }
        }
        let mut text = String::new();
        let mut rest = words.iter().peekable();
        while let Some(word) = rest.next() {
            text += &match word.as_str() {
                "lGridDim" | "lGrid" => {
                    let words: Vec<&String> = std::iter::from_fn(|| {
                        rest.next_if(|w| ![")", "-", "+", "*", "/"].contains(&w.as_str()))
                    })
                    .collect();
                    let index = words.iter().find_map(|word| match word.as_str() {
                        "x" => Some(0),
                        "y" => Some(1),
                        "z" => Some(2),
                        digits => digits.parse::<usize>().ok(),
                    })?;
                    enclosed(repeated(self.sizes.get(index)?)?)
                }
                name if self.scope.loops.iter().any(|one| one == name) => {
                    self.mean(&Target::Loop(name.to_owned()))?.text()
                }
                name if self.scope.fun.parameters.iter().any(|one| one.name == name) => {
                    let at = self
                        .scope
                        .fun
                        .parameters
                        .iter()
                        .position(|one| one.name == name)?;
                    enclosed(repeated(self.arguments.get(at)?)?)
                }
                name if self.scope.fun.locals.iter().any(|one| one.name == name) => return None,
                "[" | "." | "->" => return None,
                word => word.to_owned(),
            };
            text.push(' ');
        }
        Some(Number::Text(enclosed(text.trim_end())))
    }

    fn mean(&self, target: &Target) -> Option<Number> {
        let Target::Loop(name) = target else {
            return None;
        };
        let at = self.scope.loops.iter().rposition(|one| one == name)?;
        let (first, last, _) = &self.ranges[at];
        Some(match (first, last) {
            (Number::Known(first), Number::Known(last)) => {
                Number::Known(f64::midpoint(*first, *last))
            }
            _ => Number::Text(format!("(({} + {}) / 2.0)", first.text(), last.text())),
        })
    }

    /// How often all loops around run together.
    fn iterations(&self) -> (f64, String) {
        let (mut known, mut texts) = (1.0, Vec::new());
        for (.., count) in &self.ranges {
            match count {
                Number::Known(count) => known *= count,
                Number::Text(text) => texts.push(text.clone()),
            }
        }
        texts.sort();
        (known, texts.join(" * "))
    }

    /// The accesses to arrays in an expression.
    fn accesses(&mut self, range: Range<usize>) {
        let tokens = self.scope.code.tokens(self.scope.fun);
        for at in range.clone() {
            if tokens.at(at + 1) != b"[" || tokens.is_member(at) {
                continue;
            }
            let name = tokens.word(at);
            let Some((types, rank)) = array(self.scope.code, self.scope.fun, &name) else {
                continue;
            };
            let mut subscripts = Vec::new();
            let mut next = at + 1;
            while tokens.at(next) == b"[" {
                let close = tokens.bracket_end(next);
                subscripts.push(next + 1..close);
                next = close + 1;
            }
            if subscripts.len() < rank {
                continue;
            }
            let forms: Option<Vec<Form>> = subscripts
                .iter()
                .map(|one| self.scope.form(one.clone()))
                .collect();
            let Some(forms) = forms else {
                continue;
            };
            self.add(&name, &forms, self.scope.code.size_of(&types));
        }
    }

    fn add(&mut self, array: &str, forms: &[Form], size: Option<u32>) {
        let Some((last, others)) = forms.split_last() else {
            return;
        };
        let (known, factors) = self.iterations();
        for dimension in 0..self.dimensions {
            let is_same = !forms.iter().any(|form| form.has(dimension));
            let coefficient = last.terms.get(&Target::Index(dimension)).copied().flatten();
            let is_near = !others.iter().any(|form| form.has(dimension));
            let near = coefficient
                .zip(size)
                .filter(|_| is_near)
                .map(|(c, size)| (LINE / (c.abs() * f64::from(size))).floor().min(WARP));
            let amount = if is_same {
                Some(WARP)
            } else {
                near.filter(|near| *near > 0.0)
            };
            if let Some(amount) = amount {
                self.parts.push(Part {
                    array: array.to_owned(),
                    dimension,
                    is_same,
                    factors: factors.clone(),
                    amount: known * amount,
                });
            }
        }
    }
}

/// An expression, if evaluating it once more changes nothing: one of names, numbers and arithmetic.
pub fn repeated(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b']';
    let is_listed = |byte: u8| is_word(byte) || b"[.->+*/() ".contains(&byte);
    let is_call = |at: usize| {
        let before = text[..at].trim_end();
        bytes[at] == b'('
            && !before.ends_with("sizeof")
            && before.bytes().last().is_some_and(is_word)
    };
    let is_plain =
        bytes.iter().all(|byte| is_listed(*byte)) && !text.contains("++") && !text.contains("--");
    (is_plain && !(0..bytes.len()).any(is_call)).then_some(text)
}

/// In parentheses, unless it is a name, a number or a member.
pub fn enclosed(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    match text.replace("->", ".").chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("({text})"),
    }
}

impl Number {
    fn text(&self) -> String {
        match self {
            Self::Known(value) => format!("{value}"),
            Self::Text(text) => text.clone(),
        }
    }
}

/// The type of an array's elements, and how many subscripts it has.
pub fn array(code: &Code<'_>, fun: &Fun, name: &str) -> Option<(Vec<String>, usize)> {
    let parameter = fun.parameters.iter().find(|one| one.name == name);
    let own = match parameter {
        Some(own) if own.is_pointer => own,
        Some(_) => return None,
        None if fun.declares(name) => return None,
        None => &code.variables[code.variable(name)?].declared,
    };
    Some((own.types.clone(), own.rank))
}

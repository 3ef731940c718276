//! Subscripts in normal form (section 4.2): sums of logical indices and loop variables with
//! coefficients that no loop changes.
//!
//! ```text
//! int row = lThreadIdx.y;
//! a[row * n + k + 1]         n · lThread.Idx[1] + 1 · k + 1
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use super::code::Code;
use crate::front::cuda::program::{end_of, is_name, split};
use crate::front::cuda::{Fun, Tokens};

/// How deep variables and macros are followed.
const DEPTH: usize = 24;

/// A target variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// `lThread.Idx[r]`.
    Index(usize),
    /// The variable of a loop around.
    Loop(String),
}

/// A sum. What is not known is no number, but no target variable either.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// Coefficients; `None` for one that is not a known number.
    pub terms: BTreeMap<Target, Option<f64>>,
    /// What is added.
    pub constant: Option<f64>,
}

impl Form {
    fn number(value: f64) -> Self {
        Self {
            terms: BTreeMap::new(),
            constant: Some(value),
        }
    }

    /// Whether there is a term of a logical index.
    pub fn has(&self, index: usize) -> bool {
        self.terms.contains_key(&Target::Index(index))
    }

    fn of(target: Target) -> Self {
        Self {
            terms: BTreeMap::from([(target, Some(1.0))]),
            constant: Some(0.0),
        }
    }

    fn add(mut self, other: Self, sign: f64) -> Self {
        let both = |a: Option<f64>, b: Option<f64>| Some(a? + sign * b?);
        for (target, coefficient) in other.terms {
            let own = self.terms.get(&target).copied().unwrap_or(Some(0.0));
            match both(own, coefficient) {
                Some(0.0) => self.terms.remove(&target),
                sum => self.terms.insert(target, sum),
            };
        }
        self.constant = both(self.constant, other.constant);
        self
    }

    fn multiply(self, other: Self) -> Option<Self> {
        let (scaled, by) = if other.terms.is_empty() {
            (self, other)
        } else {
            (other, self)
        };
        if !by.terms.is_empty() {
            return None;
        }
        let times = |a: Option<f64>| Some(a? * by.constant?);
        let terms = scaled
            .terms
            .into_iter()
            .map(|(target, a)| (target, times(a)));
        Some(Self {
            terms: terms.filter(|(_, a)| *a != Some(0.0)).collect(),
            constant: times(scaled.constant),
        })
    }
}

/// What names mean in a kernel.
pub struct Scope<'s, 'a> {
    /// The program.
    pub code: &'s Code<'a>,
    /// The kernel.
    pub fun: &'s Fun,
    /// The variables of the loops around.
    pub loops: Vec<String>,
    /// What parameters are, where that is known of a launch.
    pub arguments: BTreeMap<String, f64>,
    /// The extents of the grid, where they are known of a launch.
    pub sizes: Vec<Option<f64>>,
    /// A loop's variable and the dimension that it has changed places with.
    pub exchanged: Option<(String, usize)>,
}

/// The variable of the loop over a dimension that has changed places.
pub const EXCHANGED: &str = "lThread";

impl<'s, 'a> Scope<'s, 'a> {
    /// Outside of loops, of no launch.
    pub const fn new(code: &'s Code<'a>, fun: &'s Fun) -> Self {
        Self {
            code,
            fun,
            loops: Vec::new(),
            arguments: BTreeMap::new(),
            sizes: Vec::new(),
            exchanged: None,
        }
    }

    /// The index of a thread.
    fn index(&self, dimension: usize) -> Form {
        let is_own = |(_, own): &(String, usize)| *own == dimension;
        Form::of(match self.exchanged.as_ref().is_some_and(is_own) {
            true => Target::Loop(EXCHANGED.to_owned()),
            false => Target::Index(dimension),
        })
    }

    /// The number that some tokens are.
    pub fn value(&self, range: &Range<usize>) -> Option<f64> {
        let form = self.form(range.clone())?;
        form.constant.filter(|_| form.terms.is_empty())
    }

    /// The extent of the grid in a dimension.
    fn size(&self, dimension: usize) -> Form {
        Form {
            terms: BTreeMap::new(),
            constant: self.sizes.get(dimension).copied().flatten(),
        }
    }

    fn tokens(&self) -> Tokens<'_> {
        self.code.tokens(self.fun)
    }

    /// The normal form of some tokens; `None` for what is not affine.
    pub fn form(&self, range: Range<usize>) -> Option<Form> {
        let words: Vec<String> = range.map(|at| self.tokens().word(at)).collect();
        self.form_of(&words)
    }

    /// The same of words.
    pub fn form_of(&self, words: &[String]) -> Option<Form> {
        let mut reader = Reader {
            scope: self,
            words,
            at: 0,
            depth: DEPTH,
        };
        let form = reader.sum()?;
        (reader.at == words.len()).then_some(form)
    }

    /// What a local variable has where it has one value: what it begins with, or is set to once.
    pub fn value_of(&self, name: &str) -> Option<Range<usize>> {
        let tokens = self.tokens();
        let local = self.fun.locals.iter().find(|one| one.name == name)?;
        let mut value = local.value.clone();
        let mut count = usize::from(value.is_some());
        for at in self.fun.body() {
            if tokens.word(at) != name || local.token == at {
                continue;
            }
            let before = at
                .checked_sub(1)
                .map_or(b"".as_slice(), |before| tokens.at(before));
            let next = tokens.at(at + 1);
            if next == b"=" {
                count += 1;
                let ends = |at: &usize| matches!(tokens.at(*at), b";" | b",");
                let end = (at + 2..self.fun.body().end).find(ends)?;
                value = Some(at + 2..end);
            }
            let is_changed = matches!(
                next,
                b"++"
                    | b"--"
                    | b"+="
                    | b"-="
                    | b"*="
                    | b"/="
                    | b"<<="
                    | b">>="
                    | b"%="
                    | b"&="
                    | b"|="
                    | b"^="
            ) || matches!(before, b"++" | b"--" | b"&");
            if is_changed {
                return None;
            }
        }
        value.filter(|_| count == 1)
    }

    /// Whether a parameter keeps its value.
    pub fn is_kept(&self, name: &str) -> bool {
        let tokens = self.tokens();
        !self.fun.body().any(|at| {
            let before = at
                .checked_sub(1)
                .map_or(b"".as_slice(), |before| tokens.at(before));
            tokens.word(at) == name
                && (tokens.at(at + 1).ends_with(b"=")
                    && !matches!(tokens.at(at + 1), b"==" | b"!=" | b"<=" | b">=")
                    || matches!(tokens.at(at + 1), b"++" | b"--")
                    || matches!(before, b"++" | b"--"))
        })
    }
}

/// Reads an expression.
struct Reader<'r, 's, 'a> {
    scope: &'r Scope<'s, 'a>,
    words: &'r [String],
    at: usize,
    depth: usize,
}

impl Reader<'_, '_, '_> {
    fn word(&self) -> &str {
        self.words.get(self.at).map_or("", String::as_str)
    }

    fn sum(&mut self) -> Option<Form> {
        let mut form = self.product()?;
        loop {
            let sign = match self.word() {
                "+" => 1.0,
                "-" => -1.0,
                _ => return Some(form),
            };
            self.at += 1;
            form = form.add(self.product()?, sign);
        }
    }

    fn product(&mut self) -> Option<Form> {
        let mut form = self.factor()?;
        loop {
            let operator = self.word().to_owned();
            match operator.as_str() {
                "*" => {
                    self.at += 1;
                    form = form.multiply(self.factor()?)?;
                }
                "/" | "%" => {
                    self.at += 1;
                    let by = self.factor()?;
                    if !form.terms.is_empty() || !by.terms.is_empty() {
                        return None;
                    }
                    let quotient = |a: f64, b: f64| match (b == 0.0, operator.as_str()) {
                        (true, _) => None,
                        (_, "/") => Some((a / b).trunc()),
                        _ => Some(a % b),
                    };
                    let constant = match (form.constant, by.constant) {
                        (Some(a), Some(b)) => quotient(a, b),
                        _ => None,
                    };
                    form = Form {
                        terms: BTreeMap::new(),
                        constant,
                    };
                }
                _ => return Some(form),
            }
        }
    }

    fn factor(&mut self) -> Option<Form> {
        let scope = self.scope;
        let word = self.word().to_owned();
        self.at += 1;
        match word.as_str() {
            "-" => Some(Form::number(0.0).add(self.factor()?, -1.0)),
            "+" => self.factor(),
            "(" => {
                let close = end_of(self.words, self.at - 1);
                let inner = self.words.get(self.at..close)?;
                const TYPES: [&str; 10] = [
                    "int", "unsigned", "long", "short", "size_t", "char", "signed", "const",
                    "int64_t", "uint64_t",
                ];
                if !inner.is_empty() && inner.iter().all(|word| TYPES.contains(&word.as_str())) {
                    self.at = close + 1;
                    return self.factor();
                }
                let form = self.nested(inner)?;
                self.at = close + 1;
                Some(form)
            }
            "lThreadIdx" | "lGridDim" => {
                let axis = match self.words.get(self.at + 1).map(String::as_str) {
                    Some("x") => 0,
                    Some("y") => 1,
                    Some("z") => 2,
                    _ => return None,
                };
                self.at += 2;
                Some(if word == "lGridDim" {
                    self.scope.size(axis)
                } else {
                    scope.index(axis)
                })
            }
            "lThread" | "lGrid" => {
                // `.Idx[r]`, `.dim[r]`
                let open = self.at + 2;
                let close = end_of(self.words, open);
                let index = self.nested(self.words.get(open + 1..close)?)?;
                self.at = close + 1;
                let index = index.constant.filter(|_| index.terms.is_empty());
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a small whole number"
                )]
                let index = index
                    .filter(|index| (0.0..256.0).contains(index))
                    .map(|index| index as usize);
                match (word.as_str(), index) {
                    ("lGrid", index) => Some(index.map_or_else(Form::default, |r| scope.size(r))),
                    (_, index) => Some(scope.index(index?)),
                }
            }
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => Some(Form {
                terms: BTreeMap::new(),
                constant: number(&word),
            }),
            _ if is_name(&word) => self.name(&word),
            _ => None,
        }
    }

    fn nested(&self, words: &[String]) -> Option<Form> {
        let depth = self.depth.checked_sub(1)?;
        let mut reader = Reader {
            scope: self.scope,
            words,
            at: 0,
            depth,
        };
        let form = reader.sum()?;
        (reader.at == words.len()).then_some(form)
    }

    fn name(&mut self, name: &str) -> Option<Form> {
        let scope = self.scope;
        if self.word() == "(" {
            return self.call(name);
        }
        // An element, or a member: not changed where nothing in it is a target variable.
        if matches!(self.word(), "[" | "." | "->") {
            while matches!(self.word(), "[" | "." | "->") {
                if self.word() == "[" {
                    let close = end_of(self.words, self.at);
                    if !self
                        .nested(self.words.get(self.at + 1..close)?)?
                        .terms
                        .is_empty()
                    {
                        return None;
                    }
                    self.at = close + 1;
                } else {
                    self.at += 2;
                }
            }
            return Some(Form::default());
        }
        if let Some((own, dimension)) = &scope.exchanged
            && own == name
        {
            return Some(Form::of(Target::Index(*dimension)));
        }
        if scope.loops.iter().any(|one| one == name) {
            return Some(Form::of(Target::Loop(name.to_owned())));
        }
        if let Some(value) = scope.value_of(name) {
            let words: Vec<String> = value.map(|at| scope.tokens().word(at)).collect();
            return self.nested(&words);
        }
        if scope.fun.locals.iter().any(|one| one.name == name) {
            return None;
        }
        if let Some(macros) = scope.code.program.macros.get(name) {
            let [one] = &macros[..] else {
                return Some(Form::default());
            };
            return self.nested(&one.body);
        }
        scope.is_kept(name).then(|| Form {
            terms: BTreeMap::new(),
            constant: scope.arguments.get(name).copied(),
        })
    }

    /// A macro with parameters; of other calls only those of what is the same for all threads.
    fn call(&mut self, name: &str) -> Option<Form> {
        let close = end_of(self.words, self.at);
        let arguments: Vec<&[String]> = split(self.words.get(self.at + 1..close)?);
        self.at = close + 1;
        if let Some([one]) = self.scope.code.program.macros.get(name).map(Vec::as_slice) {
            let mut words = Vec::new();
            for word in &one.body {
                match one.parameters.iter().position(|own| own == word) {
                    Some(at) => words.extend(arguments.get(at)?.iter().cloned()),
                    None => words.push(word.clone()),
                }
            }
            return self.nested(&words);
        }
        let forms: Option<Vec<Form>> = arguments.into_iter().map(|one| self.nested(one)).collect();
        forms?
            .iter()
            .all(|form| form.terms.is_empty())
            .then(Form::default)
    }
}

/// The value of an integer or floating literal.
pub fn number(word: &str) -> Option<f64> {
    let digits = word.trim_end_matches(|c: char| "uUlLfF".contains(c));
    match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        Some(hex) => u64::from_str_radix(
            word.trim_end_matches(|c: char| "uUlL".contains(c))
                .get(2..)
                .unwrap_or(hex),
            16,
        )
        .ok()
        .map(|n| n as f64),
        None => digits.parse().ok(),
    }
}

//! Expressions with the intervals that they stay in, and names with what they allow.

/// An integer expression and where it stays.
#[derive(Clone, Debug)]
pub struct Value {
    pub base: String,
    /// What is added to it.
    pub offset: i64,
    pub low: i64,
    pub high: i64,
}

impl Value {
    pub fn new(base: impl Into<String>, low: i64, high: i64) -> Self {
        Self {
            base: base.into(),
            offset: 0,
            low,
            high,
        }
    }

    pub fn number(n: i64) -> Self {
        Self {
            offset: n,
            ..Self::new("", n, n)
        }
    }

    pub fn text(&self) -> String {
        match (self.base.as_str(), self.offset) {
            ("", n) => n.to_string(),
            (base, 0) => base.to_owned(),
            (base, n @ 1..) => format!("{base} + {n}"),
            (base, n) => format!("{base} - {}", -n),
        }
    }

    pub fn plus(&self, n: i64) -> Self {
        Self {
            base: self.base.clone(),
            offset: self.offset + n,
            low: self.low + n,
            high: self.high + n,
        }
    }

    /// This and a variable that is at most some number.
    pub fn shifted(&self, name: &str, most: i64) -> Self {
        Self {
            base: format!("({} + {name})", self.base),
            high: self.high + most,
            ..self.clone()
        }
    }

    pub fn times(&self, n: i64) -> Self {
        let ends = [self.low * n, self.high * n];
        let text = match n {
            1 => return self.clone(),
            _ => format!("{n} * {}", self.operand()),
        };
        Self::new(text, ends[0].min(ends[1]), ends[0].max(ends[1]))
    }

    pub fn add(&self, other: &Value) -> Self {
        let base = match (self.base.as_str(), other.base.as_str()) {
            ("", base) | (base, "") => base.to_owned(),
            (left, right) => format!("{left} + {right}"),
        };
        Self {
            base,
            offset: self.offset + other.offset,
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }

    pub fn operand(&self) -> String {
        let text = self.text();
        let is_word = text.chars().all(|c| c.is_ascii_alphanumeric());
        if is_word { text } else { format!("({text})") }
    }
}

/// How a name is subscripted.
#[derive(Clone, Debug)]
pub enum Shape {
    /// One subscript from `low` to `high`.
    Flat { low: i64, high: i64 },
    /// One for each extent.
    Rows(Vec<i64>),
    /// As [`Shape::Rows`], with `rows` of `stride` elements that a parameter gives.
    Linear { rows: i64, stride: Value },
}

impl Shape {
    pub fn limits(&self) -> Vec<(i64, i64)> {
        match self {
            Self::Flat { low, high } => vec![(*low, *high)],
            Self::Rows(extents) => extents.iter().map(|e| (0, e - 1)).collect(),
            Self::Linear { rows, stride } => vec![(0, rows - 2), (0, stride.low - 1)],
        }
    }
}

/// Subscripts that a nest used.
#[derive(Clone, Debug)]
pub struct Template {
    pub array: usize,
    /// How many loops were around.
    pub depth: usize,
    pub subscripts: Vec<Value>,
}

/// A name of storage.
#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub element: &'static str,
    pub shape: Shape,
    pub written: bool,
}

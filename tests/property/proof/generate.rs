//! Makes a function with `kernels` out of a seed.
//!
//! Every expression is made together with the interval that it stays in over all rounds, so that no
//! subscript leaves its array and every loop ends. Storage that a `restrict` pointer reaches has no
//! other name.

use super::super::random::Random;
use super::model::{
    Array, END, Fill, Function, Local, Loop, Node, Parameter, READ, Storage, UPDATE, WRITE,
};
use super::reductions;

/// Rounds of each function, with other parameters.
const ROUNDS: usize = 3;

/// An integer expression and where it stays.
#[derive(Clone, Debug)]
struct Value {
    base: String,
    /// What is added to it.
    offset: i64,
    low: i64,
    high: i64,
}

impl Value {
    fn new(base: impl Into<String>, low: i64, high: i64) -> Self {
        Self {
            base: base.into(),
            offset: 0,
            low,
            high,
        }
    }

    fn number(n: i64) -> Self {
        Self {
            offset: n,
            ..Self::new("", n, n)
        }
    }

    fn text(&self) -> String {
        match (self.base.as_str(), self.offset) {
            ("", n) => n.to_string(),
            (base, 0) => base.to_owned(),
            (base, n @ 1..) => format!("{base} + {n}"),
            (base, n) => format!("{base} - {}", -n),
        }
    }

    fn plus(&self, n: i64) -> Self {
        Self {
            base: self.base.clone(),
            offset: self.offset + n,
            low: self.low + n,
            high: self.high + n,
        }
    }

    fn times(&self, n: i64) -> Self {
        let ends = [self.low * n, self.high * n];
        let text = match n {
            1 => return self.clone(),
            _ => format!("{n} * {}", self.operand()),
        };
        Self::new(text, ends[0].min(ends[1]), ends[0].max(ends[1]))
    }

    fn add(&self, other: &Value) -> Self {
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

    fn operand(&self) -> String {
        let text = self.text();
        let is_word = text.chars().all(|c| c.is_ascii_alphanumeric());
        if is_word { text } else { format!("({text})") }
    }
}

/// How a name is subscripted.
#[derive(Clone, Debug)]
enum Shape {
    /// One subscript from `low` to `high`.
    Flat { low: i64, high: i64 },
    /// One for each extent.
    Rows(Vec<i64>),
    /// As [`Shape::Rows`], with `rows` of `stride` elements that a parameter gives.
    Linear { rows: i64, stride: Value },
}

impl Shape {
    fn limits(&self) -> Vec<(i64, i64)> {
        match self {
            Self::Flat { low, high } => vec![(*low, *high)],
            Self::Rows(extents) => extents.iter().map(|e| (0, e - 1)).collect(),
            Self::Linear { rows, stride } => vec![(0, rows - 2), (0, stride.low - 1)],
        }
    }
}

/// Subscripts that a nest used.
#[derive(Clone, Debug)]
struct Template {
    array: usize,
    /// How many loops were around.
    depth: usize,
    subscripts: Vec<Value>,
}

/// A name of storage.
#[derive(Clone, Debug)]
struct Name {
    text: String,
    element: &'static str,
    shape: Shape,
    written: bool,
}

pub fn function(seed: u64) -> Function {
    let mut maker = Maker {
        random: Random::new(seed),
        function: Function {
            seed,
            locals: Vec::new(),
            storages: Vec::new(),
            arrays: Vec::new(),
            parameters: Vec::new(),
            regions: Vec::new(),
            results: Vec::new(),
            rounds: ROUNDS,
        },
        names: Vec::new(),
        indirect: Vec::new(),
        symbols: Vec::new(),
        variables: Vec::new(),
        scalars: Vec::new(),
        templates: Vec::new(),
        is_clean: false,
        fresh: 0,
    };
    maker.function();
    maker.function
}

pub(super) struct Maker {
    pub(super) random: Random,
    pub(super) function: Function,
    names: Vec<Name>,
    /// Arrays of subscripts: the name, its length, and the limit of its values.
    indirect: Vec<(String, i64, i64)>,
    /// Parameters.
    symbols: Vec<Value>,
    /// Variables of the loops around, outermost first.
    variables: Vec<Value>,
    /// Scalars that a statement may read as they are.
    pub(super) scalars: Vec<String>,
    /// Subscripts that a statement of the nest used: others are like them.
    templates: Vec<Template>,
    /// The nest is meant to have independent iterations: what it writes is used by one subscript, and
    /// in each iteration another.
    is_clean: bool,
    fresh: usize,
}

impl Maker {
    pub(super) fn chance(&mut self, times: i64, of: i64) -> bool {
        self.random.chance(times, of)
    }

    pub(super) fn fresh(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    fn function(&mut self) {
        self.parameters();
        let arrays = self.random.between(1, 3);
        for _ in 0..arrays {
            self.storage();
        }
        if self.chance(1, 4) {
            self.subscripts();
        }
        let regions = if self.chance(1, 6) { 2 } else { 1 };
        for _ in 0..regions {
            let nests = if self.chance(1, 5) { 2 } else { 1 };
            let mut region = Vec::new();
            for _ in 0..nests {
                self.templates.clear();
                self.is_clean = self.chance(3, 5);
                for name in &mut self.names {
                    name.written = false;
                }
                self.nest(&mut region);
            }
            self.function.regions.push(region);
        }
    }

    // What the function gets

    fn parameters(&mut self) {
        for name in ["n", "m"] {
            let top = self.random.of(&[6, 12, 20]);
            let values: Vec<i64> = (0..ROUNDS).map(|_| self.random.between(0, top)).collect();
            self.parameter(name, "int", &values);
        }
        let values: Vec<i64> = (0..ROUNDS).map(|_| self.random.between(5, 12)).collect();
        self.parameter("w", "int", &values);
        let values: Vec<i64> = (0..ROUNDS).map(|_| self.random.between(1, 3)).collect();
        self.parameter("s", "int", &values);
    }

    fn parameter(&mut self, name: &str, kind: &'static str, values: &[i64]) {
        let low = values.iter().copied().min().unwrap_or(0);
        let high = values.iter().copied().max().unwrap_or(0);
        self.symbols.push(Value::new(name, low, high));
        self.function.parameters.push(Parameter {
            name: name.to_owned(),
            kind,
            values: values.iter().map(i64::to_string).collect(),
        });
    }

    fn symbol(&self, name: &str) -> Value {
        let found = self.symbols.iter().find(|s| s.base == name);
        found.cloned().expect("a parameter of that name")
    }

    /// A first value or bound that is no affine form: where it stays is known all the same.
    fn opaque(&mut self) -> Value {
        let name = self.random.of(&["n", "m"]);
        let n = self.symbol(name);
        match self.random.between(0, 4) {
            0 => Value::new(format!("{} / 2", n.text()), n.low / 2, n.high / 2),
            1 => Value::new(format!("({} & 7)", n.text()), 0, n.high.min(7)),
            2 => Value::new(format!("{} % 5", n.text()), 0, n.high.min(4)),
            3 => {
                if !self.function.parameters.iter().any(|p| p.name == "big") {
                    let values: Vec<i64> = (0..ROUNDS).map(|_| self.random.between(0, 9)).collect();
                    let shifted = values.iter().map(|v| format!("{v} + (3L << 32)")).collect();
                    self.function.parameters.push(Parameter {
                        name: "big".to_owned(),
                        kind: "long",
                        values: shifted,
                    });
                }
                Value::new("(int)big", 0, 9)
            }
            _ => {
                if !self.function.storages.iter().any(|s| s.name == "st_@") {
                    self.function.storages.push(Storage {
                        name: "st_@".into(),
                        element: "int",
                        extents: vec![8],
                        fill: Fill::Below(9),
                    });
                    self.array("st_@", None, "st_@");
                }
                Value::new(format!("st_@[{}]", self.random.between(0, 7)), 0, 8)
            }
        }
    }

    // Storage and its names

    fn array(&mut self, name: &str, parameter: Option<(String, String)>, section: &str) {
        self.function.arrays.push(Array {
            name: name.to_owned(),
            parameter,
            section: section.to_owned(),
        });
    }

    fn name(&mut self, text: &str, element: &'static str, shape: Shape) {
        self.names.push(Name {
            text: text.to_owned(),
            element,
            shape,
            written: false,
        });
    }

    fn storage(&mut self) {
        let element = self.random.of(&[
            "int",
            "int",
            "int",
            "double",
            "double",
            "float",
            "long",
            "unsigned",
            "short",
            "signed char",
            "unsigned char",
        ]);
        let name = self.fresh("a") + "_@";
        let shape = self.random.between(0, 8);
        let extents = match shape {
            0..=2 | 5.. => vec![self.random.of(&[64, 120, 300])],
            3 => vec![self.random.between(8, 30), self.random.between(8, 20)],
            _ => vec![6, 7, self.random.between(6, 12)],
        };
        let length: i64 = extents.iter().product();
        self.function.storages.push(Storage {
            name: name.clone(),
            element,
            extents: extents.clone(),
            fill: Fill::Numbers,
        });
        let flat = Shape::Flat {
            low: 0,
            high: length - 1,
        };
        let parameter = name.trim_end_matches("_@").replace('a', "p");
        match shape {
            // At file scope.
            0 => {
                self.array(&name, None, &name);
                self.name(&name, element, flat);
                if self.chance(1, 3) {
                    self.middle(&name, element, length);
                }
            }
            3 | 4 => {
                self.array(&name, None, &name);
                self.name(&name, element, Shape::Rows(extents.clone()));
                if self.chance(1, 2) {
                    let view = self.fresh("q");
                    let zeros = "[0]".repeat(extents.len());
                    self.local(&view, format!("{element} *{view} = &{name}{zeros};"));
                    self.array(&view, None, &format!("{view}[0:{length}]"));
                    self.name(&view, element, flat);
                }
            }
            // Behind a restrict pointer.
            1 | 2 | 5 => {
                let declarator = format!("{element} *restrict {parameter}");
                let section = format!("{parameter}[0:{length}]");
                self.array(&parameter, Some((declarator, name)), &section);
                self.name(&parameter, element, flat);
            }
            // Linearised, the stride a parameter.
            6 | 7 => {
                let stride = self.symbol("w");
                let rows = length / stride.high;
                let declarator = if shape == 6 {
                    format!("{element} *restrict {parameter}")
                } else {
                    format!("{element} (*restrict {parameter})[w]")
                };
                let section = match shape {
                    6 => format!("{parameter}[0:{length}]"),
                    _ => format!("{parameter}[0:{rows}][0:w]"),
                };
                let argument = match shape {
                    6 => name,
                    _ => format!("(void *){name}"),
                };
                self.array(&parameter, Some((declarator, argument)), &section);
                let shape = match shape {
                    6 => Shape::Linear { rows, stride },
                    _ => Shape::Rows(vec![rows, stride.low]),
                };
                self.name(&parameter, element, shape);
            }
            // Two pointers that may meet.
            _ => {
                let offset = self.random.between(0, 24);
                let other = self.fresh("p");
                let rest = length - offset;
                self.array(
                    &parameter,
                    Some((format!("{element} *{parameter}"), name.clone())),
                    &format!("{parameter}[0:{length}]"),
                );
                self.array(
                    &other,
                    Some((format!("{element} *{other}"), format!("{name} + {offset}"))),
                    &format!("{other}[0:{rest}]"),
                );
                self.name(&parameter, element, flat);
                let high = rest - 1;
                self.name(&other, element, Shape::Flat { low: 0, high });
            }
        }
    }

    /// A pointer into the middle of an array.
    fn middle(&mut self, name: &str, element: &'static str, length: i64) {
        let pointer = self.fresh("q");
        let offset = if self.chance(1, 2) {
            Value::number(self.random.between(1, 30))
        } else {
            self.symbol("n")
        };
        let form = if self.chance(1, 2) {
            format!("{name} + {}", offset.text())
        } else {
            format!("&{name}[{}]", offset.text())
        };
        self.local(&pointer, format!("{element} *{pointer} = {form};"));
        self.name(
            &pointer,
            element,
            Shape::Flat {
                low: -offset.low,
                high: length - 1 - offset.high,
            },
        );
        let rest = length - offset.high;
        let section = format!("{pointer}[0:{rest}]");
        self.array(&pointer, None, &section);
    }

    pub(super) fn local(&mut self, name: &str, text: String) {
        let name = name.to_owned();
        self.function.locals.push(Local { name, text });
    }

    /// An array whose elements are subscripts.
    fn subscripts(&mut self) {
        let fill = if self.chance(1, 2) {
            Fill::Permutation
        } else {
            Fill::Below(40)
        };
        self.function.storages.push(Storage {
            name: "ix_@".into(),
            element: "int",
            extents: vec![64],
            fill,
        });
        let section = "ix[0:64]";
        let declarator = "const int *restrict ix".to_owned();
        self.array("ix", Some((declarator, "ix_@".to_owned())), section);
        self.indirect.push(("ix".to_owned(), 64, 64));
    }

    // Loops

    fn nest(&mut self, list: &mut Vec<Node>) {
        let depth = self.random.of(&[1, 1, 1, 1, 2, 2, 2, 3]);
        self.loops(list, depth, depth);
    }

    fn loops(&mut self, list: &mut Vec<Node>, depth: i64, of: i64) {
        let mut l = self.control(of);
        let mut scalars = Vec::new();
        let before = self.scalars.len();
        if depth > 1 {
            if self.chance(1, 4) {
                self.statement(&mut l.body, list, &mut scalars);
            }
            self.loops(&mut l.body, depth - 1, of);
            if self.chance(1, 6) {
                self.statement(&mut l.body, list, &mut scalars);
            } else if self.chance(1, 8) {
                self.loops(&mut l.body, 1, of);
            }
        } else {
            let statements = self.random.of(&[1, 1, 1, 2, 2, 3]);
            for _ in 0..statements {
                self.statement(&mut l.body, list, &mut scalars);
            }
        }
        self.scalars.truncate(before);
        self.variables.pop();
        let depth = self.variables.len();
        self.templates.retain(|template| template.depth <= depth);
        list.push(Node::Loop(l));
    }

    /// The first value, bound and step of a loop; its variable comes into scope.
    fn control(&mut self, depth: i64) -> Loop {
        let variable = ["i", "j", "k"][self.variables.len().min(2)].to_owned();
        let variable = if self.variables.iter().any(|v| v.base == variable) {
            self.fresh("k")
        } else {
            variable
        };
        let kind = self.random.of(&[
            "int",
            "int",
            "int",
            "int",
            "int",
            "long",
            "unsigned",
            "short",
            "size_t",
            "unsigned char",
        ]);
        let most = match depth {
            1 => 40,
            2 => 16,
            _ => 6,
        };
        let outer = self.variables.last().cloned();
        let first = match self.random.between(0, 9) {
            0 | 1 => self.opaque(),
            2 => self.symbol("m"),
            3 | 4 if outer.is_some() && self.chance(1, 2) => {
                let outer = outer.clone().expect("a loop around");
                let outer = outer.plus(self.random.of(&[0, 1]));
                if outer.low < 0 {
                    Value::number(0)
                } else {
                    outer
                }
            }
            5 => Value::number(self.random.between(1, 5)),
            _ => Value::number(0),
        };
        let bound = match self.random.between(0, 9) {
            0..=3 => self.symbol("n").plus(self.random.of(&[0, 0, 1, 3])),
            4 => self.opaque().plus(self.random.between(0, 6)),
            5 if outer.as_ref().is_some_and(|o| o.low >= 0) => {
                let outer = outer.clone().expect("a loop around");
                outer.plus(self.random.of(&[0, 1]))
            }
            _ => Value::number(self.random.between(2, most)),
        };
        let (low, high) = (first.low, (bound.high - 1).max(first.low));
        let limit = if kind == "unsigned char" {
            200
        } else {
            1 << 20
        };
        let kind = if high > limit { "int" } else { kind };
        let is_unsigned = kind.starts_with("unsigned") || kind == "size_t";
        let step = self.random.of(&[1, 1, 1, 1, 2, 3]);
        let (head, condition, advance) = match self.random.between(0, 9) {
            // Down to the first value.
            0 | 1 if !is_unsigned => {
                let start = bound.plus(-1);
                (
                    start.text(),
                    format!("{variable} >= {}", first.text()),
                    match step {
                        1 => format!("{variable}--"),
                        _ => format!("{variable} -= {step}"),
                    },
                )
            }
            2 if first.high <= bound.low => (
                first.text(),
                format!("{variable} != {}", bound.text()),
                format!("{variable}++"),
            ),
            3 if self.chance(1, 2) => (
                first.text(),
                format!("{variable} < {}", bound.text()),
                format!("{variable} += s"),
            ),
            4 => (
                first.text(),
                format!("{variable} <= {}", bound.plus(-1).text()),
                format!("{variable}++"),
            ),
            _ => (
                first.text(),
                format!("{variable} < {}", bound.text()),
                match step {
                    1 => format!("{variable}++"),
                    _ => format!("{variable} += {step}"),
                },
            ),
        };
        self.variables.push(Value::new(
            &variable,
            low.min(bound.low - 1).min(first.low),
            high,
        ));
        let variable_low = first.low.min(low);
        if let Some(last) = self.variables.last_mut() {
            last.low = variable_low;
        }
        // A bound below 0 compared with an unsigned variable would be a large one.
        let kind = if is_unsigned && (bound.low < 1 || first.low < 0) {
            "int"
        } else {
            kind
        };
        Loop {
            kind,
            variable,
            first: head,
            condition,
            step: advance,
            body: Vec::new(),
        }
    }

    // Subscripts

    /// A subscript that stays from `low` to `high`.
    fn subscript(&mut self, low: i64, high: i64) -> Value {
        for _ in 0..20 {
            let found = self.form();
            // Moved to where it fits.
            let moved = if found.low < low {
                found.plus(low - found.low)
            } else {
                found
            };
            if moved.low >= low && moved.high <= high {
                return moved;
            }
        }
        let fixed = self.random.between(low, high.min(low + 40));
        Value::number(fixed)
    }

    fn form(&mut self) -> Value {
        let variables = self.variables.clone();
        let Some(last) = variables.last().cloned() else {
            return Value::number(self.random.between(0, 9));
        };
        let v = if self.chance(2, 3) {
            last
        } else {
            self.random.pick(&variables).clone()
        };
        let c = self.random.between(-4, 4);
        match self.random.between(0, 27) {
            0..=8 => v.plus(c),
            9..=11 => {
                let factor = self.random.of(&[2, 2, 3, -1, -1]);
                v.times(factor).plus(self.random.between(0, 40))
            }
            12 => {
                let middle = self.random.between(v.low, v.high + 8);
                Value::number(middle)
            }
            13 | 14 => {
                let other = self.random.pick(&variables).clone();
                let other = other.times(self.random.of(&[1, 1, 2, 5, 8, 16]));
                v.add(&other).plus(c)
            }
            15 => v.add(&self.symbol("n")).plus(c),
            16 => Value::new(
                format!("s * {}", v.operand()),
                self.symbol("s").low * v.low,
                self.symbol("s").high * v.high,
            )
            .plus(c),
            17 => {
                let n = self.random.of(&[2, 3, 5, 8]);
                let v = v.plus(self.random.between(0, 3));
                if v.low < 0 {
                    return v;
                }
                Value::new(format!("({}) % {n}", v.text()), 0, n - 1)
            }
            18 => {
                let mask = self.random.of(&[1, 3, 7, 15, 12]);
                Value::new(format!("({} & {mask})", v.text()), 0, mask)
            }
            19 if v.low >= 0 => {
                let by = self.random.of(&[1, 2]);
                Value::new(format!("({} >> {by})", v.text()), v.low >> by, v.high >> by)
            }
            20 if v.low >= 0 => {
                Value::new(format!("({} / 2)", v.text()), v.low / 2, v.high / 2).plus(c)
            }
            21 if v.low >= 0 => {
                let by = self.random.of(&[1, 2]);
                Value::new(format!("({} << {by})", v.text()), v.low << by, v.high << by)
            }
            22 if v.low >= 0 => {
                let factor = self.random.of(&[37, 51, 16, 85]);
                Value::new(format!("(unsigned char)({} * {factor})", v.text()), 0, 255)
            }
            23 if v.low >= 0 => {
                let bits = self.random.of(&[1, 3, 5]);
                Value::new(format!("({} ^ {bits})", v.text()), 0, v.high + 7)
            }
            24 | 25 if !self.indirect.is_empty() && v.low >= 0 && v.high < 64 => {
                let (name, _, limit) = self.indirect[0].clone();
                let text = format!("{READ}{name}[{}]{END}", v.text());
                Value::new(text, 0, limit - 1)
            }
            26 if self.chance(1, 2) => self.opaque().add(&v),
            _ => v.plus(c),
        }
    }

    /// An element of an array: mostly one near another that the nest uses. In a clean nest, of what
    /// is written the one that is.
    fn element(&mut self, index: usize, is_target: bool) -> String {
        let shape = self.names[index].shape.clone();
        let known: Vec<Vec<Value>> = self
            .templates
            .iter()
            .filter(|template| template.array == index)
            .map(|template| template.subscripts.clone())
            .collect();
        let is_written = is_target || self.names[index].written;
        let subscripts = match known.first() {
            Some(first) if self.is_clean && is_written => first.clone(),
            None if is_written && self.chance(if self.is_clean { 9 } else { 5 }, 10) => {
                match self.own(&shape) {
                    Some(own) => own,
                    None => self.subscripts_of(&shape, None),
                }
            }
            Some(_) if self.chance(2, 3) => {
                let near = self.random.pick(&known).clone();
                self.subscripts_of(&shape, Some(&near))
            }
            _ => self.subscripts_of(&shape, None),
        };
        self.templates.push(Template {
            array: index,
            depth: self.variables.len(),
            subscripts: subscripts.clone(),
        });
        let name = self.names[index].text.clone();
        self.spelled(&name, &shape, &subscripts)
    }

    fn subscripts_of(&mut self, shape: &Shape, near: Option<&[Value]>) -> Vec<Value> {
        let used = self.variables.len();
        let limits = shape.limits();
        let mut subscripts = Vec::new();
        for (number, (low, high)) in limits.iter().enumerate() {
            let fits = |v: &Value| v.low >= *low && v.high <= *high;
            let near = near.map(|near| {
                let by = self.random.of(&[0, 0, 0, 1, -1, 2, -2, 7, 16, 20]);
                near[number].plus(by)
            });
            // Rows and columns by the loops in order, mostly.
            let in_order = (limits.len() > 1 && number < used && self.chance(3, 5)).then(|| {
                let by = self.random.of(&[0, 0, 1, -1]);
                self.variables[number].plus(by)
            });
            let found = near.filter(fits).or(in_order.filter(fits));
            let found = found.unwrap_or_else(|| self.subscript(*low, *high));
            subscripts.push(found);
        }
        subscripts
    }

    /// Subscripts that are another element in each iteration of all loops around, if there is room.
    fn own(&mut self, shape: &Shape) -> Option<Vec<Value>> {
        let limits = shape.limits();
        let fits = |v: &Value, (low, high): (i64, i64)| v.low >= low && v.high <= high;
        if let [limit] = limits[..] {
            let mut sum = Value::number(0);
            let mut span = 1;
            for v in self.variables.clone().iter().rev() {
                sum = v.times(span).add(&sum);
                // One less now and then, so that neighbouring rows meet.
                span *= v.high - v.low + 1 - i64::from(self.random.chance(1, 12));
                span = span.max(1);
            }
            let least = sum.plus(limit.0 - sum.low);
            let room = limit.1 - least.high;
            let sum = match room {
                ..0 => return None,
                _ if sum.low >= limit.0 && sum.high <= limit.1 && self.chance(2, 3) => sum,
                room => least.plus(self.random.between(0, room.min(9))),
            };
            return Some(vec![sum]);
        }
        let mut order: Vec<Value> = self.variables.clone();
        if self.chance(1, 4) {
            order.reverse();
        }
        let mut subscripts = Vec::new();
        for (number, limit) in limits.iter().enumerate() {
            let own = order.get(number).filter(|v| fits(v, *limit)).cloned();
            if own.is_none() && number < order.len() {
                return None;
            }
            subscripts.push(own.unwrap_or_else(|| self.subscript(limit.0, limit.1)));
        }
        (order.len() <= limits.len()).then_some(subscripts)
    }

    fn spelled(&mut self, name: &str, shape: &Shape, subscripts: &[Value]) -> String {
        match shape {
            Shape::Linear { stride, .. } => {
                let [row, column] = subscripts else {
                    unreachable!("two subscripts of a linearised array");
                };
                // Beyond its row, but not beyond the last one.
                let column = if self.chance(1, 6) {
                    column.plus(self.random.of(&[1, 2, 5]))
                } else {
                    column.clone()
                };
                format!(
                    "{name}[{} * {} + {}]",
                    row.operand(),
                    stride.text(),
                    column.text()
                )
            }
            Shape::Rows(extents)
                if extents.len() == 2 && name.ends_with("_@") && self.chance(1, 6) =>
            {
                let (row, column) = (subscripts[0].operand(), subscripts[1].operand());
                match self.random.between(0, 1) {
                    0 => format!("*(*({name} + {row}) + {column})"),
                    _ => format!("*({name}[{}] + {column})", subscripts[0].text()),
                }
            }
            _ => {
                let brackets: String = subscripts
                    .iter()
                    .map(|s| format!("[{}]", s.text()))
                    .collect();
                format!("{name}{brackets}")
            }
        }
    }

    // Statements

    fn statement(
        &mut self,
        list: &mut Vec<Node>,
        before: &mut Vec<Node>,
        scalars: &mut Vec<String>,
    ) {
        if self.chance(1, 7) {
            let condition = self.condition();
            let (mut then, mut otherwise) = (Vec::new(), Vec::new());
            self.plain(&mut then);
            if self.chance(1, 3) {
                self.plain(&mut otherwise);
            }
            list.push(Node::If {
                condition,
                then,
                otherwise,
            });
            return;
        }
        match self.random.between(0, 11) {
            0 => reductions::statement(self, list),
            1 => self.scalar(list, scalars),
            2 if self.chance(1, 2) => self.row_pointer(list),
            _ => self.plain(list),
        }
        let _ = before;
    }

    /// `element = terms`.
    fn plain(&mut self, list: &mut Vec<Node>) {
        let all: Vec<usize> = (0..self.names.len()).collect();
        // In a clean nest what is read elsewhere is not written.
        let is_read = |index: &usize| {
            let is_used = self.templates.iter().any(|t| t.array == *index);
            is_used && !self.names[*index].written
        };
        let free: Vec<usize> = all.iter().copied().filter(|k| !is_read(k)).collect();
        let index = if self.is_clean && !free.is_empty() {
            self.random.of(&free)
        } else {
            self.random.of(&all)
        };
        self.assign(index, list);
    }

    fn assign(&mut self, index: usize, list: &mut Vec<Node>) {
        let element = self.names[index].element;
        self.names[index].written = true;
        let is_floating = matches!(element, "double" | "float");
        let target = self.element(index, true);
        let (mark, form) = match self.random.between(0, 5) {
            0 => (UPDATE, "+= {}"),
            1 if !is_floating => (UPDATE, "^= {}"),
            2 if is_floating => (WRITE, "= 0.5 * ({})"),
            _ => (WRITE, "= {}"),
        };
        let count = self.random.of(&[1, 1, 2, 2, 3]);
        let terms = (0..count).map(|number| self.term(is_floating, (number == 0).then_some(index)));
        let terms = terms.collect();
        list.push(Node::Assign {
            target: format!("{mark}{target}{END}"),
            form: form.to_owned(),
            terms,
        });
    }

    /// A value; integers have none of floating point in them, whose conversion could overflow.
    pub(super) fn term(&mut self, is_floating: bool, near: Option<usize>) -> String {
        let readable: Vec<usize> = (0..self.names.len())
            .filter(|&k| is_floating || !matches!(self.names[k].element, "double" | "float"))
            .collect();
        match self.random.between(0, 7) {
            0 => match self.variables.last() {
                Some(v) => format!("(int){}", v.text()),
                None => "3".to_owned(),
            },
            1 => self.random.between(-9, 9).to_string(),
            2 if !self.scalars.is_empty() => {
                let scalars = self.scalars.clone();
                self.random.pick(&scalars).clone()
            }
            _ if readable.is_empty() => "2".to_owned(),
            number => {
                let near = near.filter(|_| number < 6);
                let index = near.unwrap_or_else(|| self.random.of(&readable));
                let element = self.element(index, false);
                format!("{READ}{element}{END}")
            }
        }
    }

    fn condition(&mut self) -> String {
        let v = self.variables.last().cloned().unwrap_or(Value::number(1));
        match self.random.between(0, 4) {
            0 => format!("{} % 3 == 1", v.operand()),
            1 => format!("{} & 1", v.text()),
            2 => format!("n > {}", self.random.between(0, 12)),
            3 => format!("{} > {}", v.text(), self.random.between(0, 6)),
            _ => {
                let index = self.random.between(0, self.names.len() as i64 - 1) as usize;
                let element = self.element(index, false);
                format!("{READ}{element}{END} > 0")
            }
        }
    }

    /// A scalar that is private, carried, live out, or counts along.
    fn scalar(&mut self, list: &mut Vec<Node>, scalars: &mut Vec<String>) {
        let name = self.fresh("t");
        scalars.push(name.clone());
        let value = self.term(false, None);
        let start = self.random.between(0, 5);
        let most = if self.is_clean { 3 } else { 5 };
        match self.random.between(0, most) {
            // Its own of each iteration.
            0 | 1 => {
                let text = format!("const int {name} = {value};");
                list.push(Node::Declare {
                    name: name.clone(),
                    text,
                });
                self.scalars.push(name);
                self.plain(list);
            }
            2 | 3 => {
                self.local(&name, format!("int {name} = {start};"));
                list.push(Node::Assign {
                    target: name.clone(),
                    form: "= (int)({})".to_owned(),
                    terms: vec![value],
                });
                self.scalars.push(name.clone());
                self.plain(list);
                let is_result = self.chance(1, if self.is_clean { 9 } else { 3 });
                if is_result && self.function.results.len() < 8 {
                    self.function.results.push(name);
                }
            }
            // Read before it is written.
            4 => {
                self.local(&name, format!("int {name} = {start};"));
                self.scalars.push(name.clone());
                self.plain(list);
                self.scalars.pop();
                list.push(Node::Assign {
                    target: name.clone(),
                    form: "= (int)({})".to_owned(),
                    terms: vec![value],
                });
                if self.chance(1, 2) && self.function.results.len() < 8 {
                    self.function.results.push(name);
                }
            }
            _ => {
                self.local(&name, format!("int {name} = {start};"));
                self.scalars.push(name.clone());
                self.plain(list);
                self.scalars.pop();
                list.push(Node::Plain(format!("{name} += 2;")));
            }
        }
    }

    /// A pointer to a row, used beyond it as well.
    fn row_pointer(&mut self, list: &mut Vec<Node>) {
        let found = (0..self.names.len()).find(
            |&k| matches!(&self.names[k].shape, Shape::Rows(e) if e.len() == 2 && self.names[k].text.ends_with("_@")),
        );
        let Some(index) = found else {
            return self.plain(list);
        };
        let Shape::Rows(extents) = self.names[index].shape.clone() else {
            return self.plain(list);
        };
        let row = self.subscript(0, extents[0] - 1);
        let name = self.fresh("r");
        let (array, element) = (self.names[index].text.clone(), self.names[index].element);
        list.push(Node::Declare {
            name: name.clone(),
            text: format!("{element} *{name} = {array}[{}];", row.text()),
        });
        let low = -row.low * extents[1];
        let high = (extents[0] - row.high) * extents[1] - 1;
        self.name(&name, element, Shape::Flat { low, high });
        let index = self.names.len() - 1;
        self.assign(index, list);
        self.names.pop();
        self.templates.retain(|template| template.array != index);
    }
}

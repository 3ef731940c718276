//! Nests and the control of their loops.

use super::super::model::{Loop, Node};
use super::Maker;
use super::value::Value;

impl Maker {
    pub(super) fn nest(&mut self, list: &mut Vec<Node>) {
        let depth = self.random.of(&[1, 1, 1, 1, 2, 2, 2, 3]);
        self.loops(list, depth, depth);
    }

    pub(super) fn loops(&mut self, list: &mut Vec<Node>, depth: i64, of: i64) {
        let mut l = self.control(of);
        let before = self.scalars.len();
        if depth > 1 {
            if self.chance(1, 4) {
                self.statement(&mut l.body);
            }
            self.loops(&mut l.body, depth - 1, of);
            if self.chance(1, 6) {
                self.statement(&mut l.body);
            } else if self.chance(1, 8) {
                self.loops(&mut l.body, 1, of);
            }
        } else {
            let statements = self.random.of(&[1, 1, 1, 2, 2, 3]);
            for _ in 0..statements {
                self.statement(&mut l.body);
            }
            if self.chance(1, 16) {
                // C lets the body of a loop declare the name of its variable.
                let (own, name) = (&l.variable, self.fresh("x"));
                l.body
                    .push(Node::Declare(format!("int {name} = {own}, {own} = 2;")));
                l.body
                    .push(Node::Plain(format!("{name} += {};", l.variable)));
            }
        }
        self.scalars.truncate(before);
        self.variables.pop();
        let depth = self.variables.len();
        self.templates.retain(|template| template.depth <= depth);
        list.push(Node::Loop(l));
    }

    /// The first value, bound and step of a loop; its variable comes into scope.
    pub(super) fn control(&mut self, depth: i64) -> Loop {
        let variable = ["i", "j", "k"][self.variables.len().min(2)].to_owned();
        let variable = if self.variables.iter().any(|v| v.base == variable) {
            self.fresh("k")
        } else {
            variable
        };
        if !self.is_clean && depth == 1 && self.chance(1, 16) {
            return self.around(variable);
        }
        if self.chance(1, 12) {
            let most = if depth == 1 { 40 } else { 10 };
            if let Some(l) = self.mixed(&variable, most) {
                return l;
            }
        }
        // Of clean nests, fewer loops are ones that cannot be followed.
        let plain = self.is_clean && self.chance(3, 4);
        let kind = if plain {
            self.random.of(&["int", "int", "int", "long", "size_t"])
        } else {
            self.random.of(&[
                "int",
                "int",
                "int",
                "long",
                "unsigned",
                "short",
                "size_t",
                "unsigned char",
            ])
        };
        let most = match depth {
            1 => 40,
            2 => 16,
            _ => 6,
        };
        let outer = self.variables.last().cloned();
        let first = match self.random.between(if plain { 2 } else { 0 }, 9) {
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
            4 if !plain => self.opaque().plus(self.random.between(0, 6)),
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
            3 if !plain && self.chance(1, 2) => (
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
        // Declared outside, its value after the loop a result.
        let kind = if kind == "int" && self.chance(1, 12) {
            self.outside(&variable)
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

    /// A loop whose variable goes round the limits of its type, and then ends.
    fn around(&mut self, variable: String) -> Loop {
        let (first, condition, step) = loop {
            if self.chance(1, 2) {
                let (first, bound) = (self.random.between(230, 250), self.random.between(4, 30));
                break (first, format!("!= {bound}"), 1);
            }
            let (first, bound) = (self.random.between(0, 60), self.random.between(246, 255));
            let step = self.random.of(&[3, 5, 6, 7]);
            let values = std::iter::successors(Some(first), |value| Some((value + step) % 256));
            let count = values.take(100).take_while(|value| *value < bound).count();
            if count < 100 && first + count as i64 * step > 255 {
                break (first, format!("< {bound}"), step);
            }
        };
        self.variables.push(Value::new(&variable, 0, 255));
        Loop {
            kind: "unsigned char",
            first: first.to_string(),
            condition: format!("{variable} {condition}"),
            step: format!("{variable} += {step}"),
            variable,
            body: Vec::new(),
        }
    }

    fn outside(&mut self, variable: &str) -> &'static str {
        if !self.function.locals.iter().any(|l| l.name == variable) {
            self.local(variable, format!("int {variable} = 0;"));
            if self.function.results.len() < 8 && self.chance(1, 2) {
                self.function.results.push(variable.to_owned());
            }
        }
        ""
    }
}

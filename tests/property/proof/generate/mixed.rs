//! Loops whose variable, first value and bound have three types, as C converts them: `long i` from
//! an `unsigned` to an `int`, which meet as `long`.

use super::super::model::Loop;
use super::Maker;
use super::value::Value;

/// An integer type.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    bits: u32,
    is_signed: bool,
}

const KINDS: [Kind; 6] = [
    Kind::new("int", 32, true),
    Kind::new("unsigned", 32, false),
    Kind::new("long", 64, true),
    Kind::new("size_t", 64, false),
    Kind::new("short", 16, true),
    Kind::new("unsigned char", 8, false),
];

/// A parameter and a number, converted: `(unsigned)(n - 7)`.
struct Operand {
    kind: Kind,
    text: String,
    /// In each round.
    values: Vec<i128>,
}

/// The loop's values in one round, if it ends.
struct Walk<'a> {
    variable: Kind,
    bound: Kind,
    relation: &'a str,
    step: i128,
}

impl Maker {
    /// Such a loop, if the tries find one that ends soon in each round; where it counts, of those
    /// that would have other iterations without the conversions to the variable's type.
    pub(super) fn mixed(&mut self, variable: &str, most: usize) -> Option<Loop> {
        let must_count = self.chance(2, 3);
        for _ in 0..200 {
            let kind = self.random.of(&KINDS);
            let (first, bound) = (self.operand(), self.operand());
            let relation = self.random.of(&["<", "<=", ">", ">="]);
            let size = self.random.of(&[1, 1, 1, 2, 3]);
            let step = if relation.starts_with('<') {
                size
            } else {
                -size
            };
            let walk = |variable| Walk {
                variable,
                bound: bound.kind,
                relation,
                step,
            };
            let ends = || first.values.iter().zip(&bound.values);
            let follow = |variable| -> Option<Vec<Vec<i128>>> {
                ends()
                    .map(|(first, bound)| walk(variable).values(*first, *bound, most))
                    .collect()
            };
            let Some(values) = follow(kind) else {
                continue;
            };
            let all = || values.iter().flatten().copied();
            let (Some(low), Some(high)) = (all().min(), all().max()) else {
                continue;
            };
            if low < 0 || high > 255 || must_count && follow(first.kind).as_ref() == Some(&values) {
                continue;
            }
            let [low, high] = [low, high].map(|end| i64::try_from(end).expect("a small number"));
            self.variables.push(Value::new(variable, low, high));
            let sign = if step < 0 { '-' } else { '+' };
            return Some(Loop {
                kind: kind.name,
                variable: variable.to_owned(),
                first: first.text,
                condition: format!("{variable} {relation} {}", bound.text),
                step: format!("{variable} {sign}= {size}"),
                body: Vec::new(),
            });
        }
        None
    }

    fn operand(&mut self) -> Operand {
        let kind = self.random.of(&KINDS);
        let name = self.random.of(&["n", "m", ""]);
        let offset = self.random.between(-12, 12);
        let parameter = self.function.parameters.iter().find(|p| p.name == name);
        let numbers: Vec<i128> = match parameter {
            Some(parameter) => (parameter.values.iter())
                .map(|value| value.parse().expect("a number"))
                .collect(),
            None => vec![0; self.function.rounds],
        };
        let value = Value {
            offset,
            ..Value::new(name, 0, 0)
        };
        let text = match kind.name {
            "int" => value.text(),
            name => format!("({name}){}", value.operand()),
        };
        let converted = |number: &i128| kind.wrap(number + i128::from(offset));
        Operand {
            kind,
            text,
            values: numbers.iter().map(converted).collect(),
        }
    }
}

impl Walk<'_> {
    /// The values of the variable, if they are few.
    fn values(&self, first: i128, bound: i128, most: usize) -> Option<Vec<i128>> {
        let common = self.variable.common(self.bound);
        let bound = common.wrap(bound);
        let mut value = self.variable.wrap(first);
        let mut values = Vec::new();
        loop {
            let left = common.wrap(value);
            let holds = match self.relation {
                "<" => left < bound,
                "<=" => left <= bound,
                ">" => left > bound,
                _ => left >= bound,
            };
            match holds {
                false => return Some(values),
                true if values.len() == most => return None,
                true => values.push(value),
            }
            value = self.variable.wrap(value + self.step);
        }
    }
}

impl Kind {
    const fn new(name: &'static str, bits: u32, is_signed: bool) -> Self {
        Self {
            name,
            bits,
            is_signed,
        }
    }

    fn wrap(self, value: i128) -> i128 {
        let unsigned = value.rem_euclid(1 << self.bits);
        let is_negative = self.is_signed && unsigned >= 1 << (self.bits - 1);
        unsigned - if is_negative { 1 << self.bits } else { 0 }
    }

    /// The type in which two operands meet (C11, 6.3.1.8), the first the variable's.
    fn common(self, other: Self) -> Self {
        let promoted = |kind: Self| if kind.bits < 32 { KINDS[0] } else { kind };
        let (left, right) = (promoted(self), promoted(other));
        match left.bits.cmp(&right.bits) {
            std::cmp::Ordering::Less => right,
            std::cmp::Ordering::Greater => left,
            std::cmp::Ordering::Equal if left.is_signed => right,
            std::cmp::Ordering::Equal => left,
        }
    }
}

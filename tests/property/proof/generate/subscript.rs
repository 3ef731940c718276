//! Subscripts, alone and next to those that a nest has.

use super::super::model::{END, READ};
use super::Maker;
use super::statement::width;
use super::value::{Shape, Template, Value};

impl Maker {
    /// A subscript that stays from `low` to `high`.
    pub(super) fn subscript(&mut self, low: i64, high: i64) -> Value {
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

    pub(super) fn form(&mut self) -> Value {
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
        match self.random.between(0, 28) {
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
            15 => {
                let lengths = self.symbol("n").times(self.random.of(&[1, 1, 2]));
                v.add(&lengths).plus(c)
            }
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
            // Goes round the limits of `unsigned`: one element in all iterations.
            27 => Value::new(
                format!("((unsigned){} * 65536u * 65536u)", v.operand()),
                0,
                0,
            )
            .plus(self.random.between(0, 9)),
            _ => v.plus(c),
        }
    }

    /// An element of an array: mostly one near another that the nest uses. In a clean nest, of what
    /// is written the one that is.
    pub(super) fn element(&mut self, index: usize, is_target: bool) -> String {
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
            None if is_written && self.chance(if self.is_clean { 10 } else { 5 }, 10) => {
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

    pub(super) fn subscripts_of(&mut self, shape: &Shape, near: Option<&[Value]>) -> Vec<Value> {
        let used = self.variables.len();
        let limits = shape.limits();
        let mut subscripts = Vec::new();
        for (number, (low, high)) in limits.iter().enumerate() {
            let fits = |v: &Value| v.low >= *low && v.high <= *high;
            let near = near.map(|near| self.near(&near[number]));
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

    /// The same subscript a little further, mirrored, or one of the values that it takes.
    fn near(&mut self, subscript: &Value) -> Value {
        match self.random.between(0, 9) {
            0 | 1 => Value::number(self.random.between(subscript.low, subscript.high)),
            2 => subscript.times(-1).plus(subscript.low + subscript.high),
            _ => subscript.plus(self.random.of(&[0, 0, 1, -1, 2, -2, 7, 16, 20])),
        }
    }

    /// Subscripts that are another element in each iteration of all loops around, if there is room.
    pub(super) fn own(&mut self, shape: &Shape) -> Option<Vec<Value>> {
        let limits = shape.limits();
        let fits = |v: &Value, (low, high): (i64, i64)| v.low >= low && v.high <= high;
        if let [limit] = limits[..] {
            if self.chance(1, 4)
                && let Some(sum) = self.in_rows().filter(|sum| fits(sum, limit))
            {
                return Some(vec![sum]);
            }
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

    /// A place in rows whose length is computed, of points with several values: `(i * (n + 2) + j) * 3 + 1`.
    fn in_rows(&mut self) -> Option<Value> {
        let [.., row, column] = &self.variables[..] else {
            return None;
        };
        let (row, column) = (row.clone(), column.clone());
        let pitch = self.random.of(&["n", "n", "n", "m", "w"]);
        let pitch = (self.symbol(pitch)).plus(self.random.of(&[0, 0, 1, 2, 2, 3, -1]));
        let pitch = match self.chance(1, 2) {
            true => {
                let name = self.fresh("t");
                self.local(&name, format!("const int {name} = {};", pitch.text()));
                Value::new(name, pitch.low, pitch.high)
            }
            false => pitch,
        };
        let corners = [row.low, row.high].map(|row| [row * pitch.low, row * pitch.high]);
        let corners = corners.concat();
        let start = Value::new(
            format!("{} * {}", row.operand(), pitch.operand()),
            corners.iter().copied().min()?,
            corners.iter().copied().max()?,
        );
        let place = start.add(&column).plus(self.random.of(&[0, 0, 1, 2]));
        let values = self.random.of(&[1, 1, 1, 2, 3]);
        Some(match values {
            1 => place,
            _ => place.times(values).plus(self.random.between(0, values - 1)),
        })
    }

    pub(super) fn spelled(&mut self, name: &str, shape: &Shape, subscripts: &[Value]) -> String {
        match shape {
            Shape::Linear { stride, .. } => {
                let [row, column] = subscripts else {
                    unreachable!("two subscripts of a linearised array");
                };
                // Beyond its row, but not beyond the last one.
                let column = if self.chance(1, 3) {
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
            Shape::Rows(extents) if extents.len() == 2 && self.chance(1, 4) => {
                let (row, column) = (&subscripts[0], &subscripts[1]);
                let (width, next) = (width(name, extents), row.plus(1));
                match self.random.between(0, 4) {
                    0 => format!("*(*({name} + {}) + {})", row.operand(), column.operand()),
                    1 => format!(
                        "(&{name}[0][0])[{} * {width} + {}]",
                        row.operand(),
                        column.text()
                    ),
                    // From the next row, back into this one.
                    2 if next.high < extents[0] => {
                        format!(
                            "*({name}[{}] - {width} + {})",
                            next.text(),
                            column.operand()
                        )
                    }
                    3 => format!("(*({name} + {}))[{}]", row.operand(), column.text()),
                    _ => format!("*({name}[{}] + {})", row.text(), column.operand()),
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
}

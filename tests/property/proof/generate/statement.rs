//! Statements: assignments, conditions and scalars in all roles.

use super::super::model::{END, Node, READ, UPDATE, WRITE};
use super::value::{Shape, Value};
use super::{Maker, reductions};

impl Maker {
    pub(super) fn statement(&mut self, list: &mut Vec<Node>) {
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
        if !self.is_clean && self.chance(1, 4) {
            return self.cases(list);
        }
        if self.chance(1, 60) {
            return self.assigned_within(list);
        }
        match self.random.between(0, 11) {
            0 => reductions::statement(self, list),
            1 => self.scalar(list),
            2 if self.chance(1, 2) => self.row_pointer(list),
            _ => self.plain(list),
        }
    }

    /// A subscript that is another one in each of two cases.
    fn cases(&mut self, list: &mut Vec<Node>) {
        let Some(own) = self.variables.pop() else {
            return self.plain(list);
        };
        let (name, most) = (self.fresh("q"), self.random.between(1, 3));
        let shifted = own.shifted(&name, most);
        let value = match self.chance(1, 2) {
            true => "w % 2".to_owned(),
            false => format!("{} % 2", own.operand()),
        };
        self.variables.push(own);
        let (condition, mut body) = (self.condition(), Vec::new());
        let index = self.random.between(0, self.names.len() as i64 - 1) as usize;
        let is_floating = matches!(self.names[index].element, "double" | "float");
        self.assign(index, &mut body);
        let known = self.templates.len();
        let own = self.variables.pop().expect("it was pushed");
        self.variables.push(shifted);
        let term = self.term(is_floating, Some(index));
        self.variables.pop();
        self.variables.push(own);
        self.templates.truncate(known);
        if let Some(Node::Assign { terms, .. }) = body.last_mut() {
            *terms = vec![term];
        }
        list.push(Node::Declare(format!("int {name} = {most};")));
        list.push(Node::Switch {
            value,
            set: format!("{name} = 0;"),
            condition,
            body,
        });
    }

    /// A subscript with what is assigned where its value is used as well.
    fn assigned_within(&mut self, list: &mut Vec<Node>) {
        let Some(own) = self.variables.pop() else {
            return self.plain(list);
        };
        let (name, most) = (self.fresh("q"), self.random.between(1, 3));
        let set = format!("({name} = {most} * ({} & 1))", own.operand());
        list.push(Node::Declare(format!("int {name} = 0;")));
        list.push(Node::Declare(match self.random.between(0, 3) {
            0 => format!("const int {} = {set};", self.fresh("r")),
            1 => format!("if ({set}) {{ }}"),
            2 => format!("switch {set} {{ default:; }}"),
            _ => format!("int {}[2] = {{{set}, 1}};", self.fresh("r")),
        }));
        let known = self.templates.len();
        self.variables.push(own.shifted(&name, most));
        self.plain(list);
        self.variables.pop();
        self.variables.push(own);
        self.templates.truncate(known);
    }

    /// `element = terms`.
    pub(super) fn plain(&mut self, list: &mut Vec<Node>) {
        let all: Vec<usize> = (0..self.names.len()).collect();
        // In a clean nest what is read elsewhere is not written.
        let is_read = |index: &usize| {
            let is_used = self.templates.iter().any(|t| t.array == *index);
            is_used && !self.names[*index].written
        };
        let mut free: Vec<usize> = all.iter().copied().filter(|k| !is_read(k)).collect();
        let roomy: Vec<usize> = free
            .iter()
            .copied()
            .filter(|&k| {
                let shape = self.names[k].shape.clone();
                self.own(&shape).is_some()
            })
            .collect();
        if !roomy.is_empty() {
            free = roomy;
        }
        let index = if self.is_clean && !free.is_empty() {
            self.random.of(&free)
        } else {
            self.random.of(&all)
        };
        self.assign(index, list);
    }

    pub(super) fn assign(&mut self, index: usize, list: &mut Vec<Node>) {
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
                let name = self.random.pick(&scalars).clone();
                // As macros such as MAX have it.
                match self.chance(1, 5) {
                    true => format!("({{ int s_ = {name}; s_ > 2 ? s_ : 2; }})"),
                    false => name,
                }
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

    pub(super) fn condition(&mut self) -> String {
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
    pub(super) fn scalar(&mut self, list: &mut Vec<Node>) {
        let name = self.fresh("t");
        let value = self.term(false, None);
        let start = self.random.between(0, 5);
        let most = if self.is_clean { 3 } else { 5 };
        match self.random.between(0, most) {
            // Its own of each iteration.
            0 | 1 => {
                if start < 2 {
                    // A loop with two variables, of which one hides the scalar.
                    let sum = self.fresh("s");
                    list.push(Node::Declare(format!("int {name} = {value}, {sum} = 0;")));
                    list.push(Node::Plain(format!(
                        "for (int {name} = {start}, *p = &{name}; *p < 8; *p += 3) {sum} += {name};"
                    )));
                    list.push(Node::Plain(format!("{name} ^= {sum};")));
                } else {
                    list.push(Node::Declare(format!("const int {name} = {value};")));
                }
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
                if self.chance(1, 4) {
                    self.plain(list);
                    list.push(Node::If {
                        condition: format!("{name} > {}", self.random.between(0, 4)),
                        then: vec![Node::Plain("continue;".to_owned())],
                        otherwise: Vec::new(),
                    });
                }
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

    /// A pointer to a row, used beyond it as well, or to an element of it.
    pub(super) fn row_pointer(&mut self, list: &mut Vec<Node>) {
        let rows: Vec<usize> = (0..self.names.len())
            .filter(|&k| matches!(&self.names[k].shape, Shape::Rows(e) if e.len() == 2))
            .collect();
        if rows.is_empty() {
            return self.plain(list);
        }
        let index = self.random.of(&rows);
        let Shape::Rows(extents) = self.names[index].shape.clone() else {
            return self.plain(list);
        };
        let row = self.subscript(0, extents[0] - 1);
        let mut name = self.fresh("r");
        let (array, element) = (self.names[index].text.clone(), self.names[index].element);
        let left = extents[0] - row.high;
        let (declaration, shape) = if self.chance(1, 2) {
            let low = -row.low * extents[1];
            let high = left * extents[1] - 1;
            (
                format!("*{name} = {array}[{}]", row.text()),
                Shape::Flat { low, high },
            )
        } else {
            let width = width(&array, &extents);
            if array.ends_with("_@") {
                name += "_@";
            }
            (
                format!("(*{name})[{width}] = {array} + {}", row.operand()),
                Shape::Rows(vec![left, extents[1]]),
            )
        };
        list.push(Node::Declare(format!("{element} {declaration};")));
        self.name(&name, element, shape);
        let index = self.names.len() - 1;
        self.assign(index, list);
        self.names.pop();
        self.templates.retain(|template| template.array != index);
    }
}

/// The length of an array's rows: a number for arrays of the file, and pointers to their rows.
pub(super) fn width(name: &str, extents: &[i64]) -> String {
    if name.ends_with("_@") {
        extents[1].to_string()
    } else {
        "w".to_owned()
    }
}

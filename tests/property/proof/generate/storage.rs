//! Storage and the names of it: arrays, pointers to them, into them, and past each other.

use super::super::model::{Array, Fill, Local, Storage};
use super::Maker;
use super::value::{Name, Shape, Value};

impl Maker {
    pub(super) fn array(&mut self, name: &str, parameter: Option<(String, String)>, section: &str) {
        self.function.arrays.push(Array {
            name: name.to_owned(),
            parameter,
            section: section.to_owned(),
        });
    }

    pub(super) fn name(&mut self, text: &str, element: &'static str, shape: Shape) {
        self.names.push(Name {
            text: text.to_owned(),
            element,
            shape,
            written: false,
        });
    }

    pub(super) fn storage(&mut self) {
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
        let shape = self.random.between(0, 10);
        let extents = match shape {
            0..=2 | 5..=8 => vec![self.random.of(&[64, 120, 300])],
            3 | 9.. => vec![self.random.between(8, 30), self.random.between(8, 20)],
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
            3 | 4 | 9.. => {
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
    pub(super) fn middle(&mut self, name: &str, element: &'static str, length: i64) {
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
    pub(super) fn subscripts(&mut self) {
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
}

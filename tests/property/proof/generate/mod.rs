//! Makes a function with `kernels` out of a seed.
//!
//! Every expression is made together with the interval that it stays in over all rounds, so that no
//! subscript leaves its array and every loop ends. Storage that a `restrict` pointer reaches has no
//! other name.

mod control;
mod mixed;
mod reductions;
mod statement;
mod storage;
mod subscript;
mod value;

use super::super::random::Random;
use super::model::{Fill, Function, Parameter, SIZES, Storage};
use value::{Name, Template, Value};

/// Rounds of each function, with other parameters.
const ROUNDS: usize = 3;

pub fn function(seed: u64) -> Function {
    let mut maker = Maker {
        random: Random::new(seed),
        function: Function {
            seed,
            locals: Vec::new(),
            storages: Vec::new(),
            arrays: Vec::new(),
            parameters: Vec::new(),
            sizes: match seed % 15 {
                1 | 6 | 11 => "z.",
                2 => "z->",
                _ => "",
            },
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
                self.is_clean = self.chance(9, 10);
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
        let [n, m, w, s] = SIZES;
        for name in [n, m] {
            let top = self.random.of(&[6, 12, 20]);
            let values: Vec<i64> = (0..ROUNDS).map(|_| self.random.between(0, top)).collect();
            self.parameter(name, "int", &values);
        }
        let values: Vec<i64> = (0..ROUNDS).map(|_| self.random.between(5, 12)).collect();
        self.parameter(w, "int", &values);
        let values: Vec<i64> = (0..ROUNDS).map(|_| self.random.between(1, 3)).collect();
        self.parameter(s, "int", &values);
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
}

//! Makes a program out of a seed.
//!
//! A program has one or two kernels; a kernel is a nest of one to three parallel loops, over whose
//! body *stages* follow each other, each with windows of its own: stencils, windows that all
//! iterations share, slots that an iteration writes for itself, channels between the iterations of
//! a block, trees and scans, and ghost zones, which need a nest of overlapping tiles.
//!
//! What is made is free of races: an iteration writes elements that no other one touches, or slots
//! of its block that no other one touches between the same two barriers.

mod channel;
mod ghost;
mod nest;
mod own;
mod stencil;
mod uniform;
mod value;

use super::model::{Array, Expression, Kernel, Program, Reduction, Statement, Storage, Type, name};
use super::random::Random;
use nest::Nest;

/// Types of elements that hold whole numbers (a structure by its members).
const WHOLE: &[Type] = &[
    Type::Char,
    Type::Short,
    Type::Int,
    Type::Int,
    Type::Unsigned,
    Type::Long,
    Type::Pair,
    Type::Tagged,
];

/// Types of elements of a computation with floating point.
const REAL: &[Type] = &[
    Type::Float,
    Type::Float,
    Type::Double,
    Type::Pair,
    Type::Tagged,
    Type::Float,
    Type::Double,
    Type::Int,
];

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut draft = Draft {
        random: Random::new(seed),
        arrays: Vec::new(),
        parameters: Vec::new(),
        families: Vec::new(),
        fresh: 0,
    };
    let count = if draft.random.chance(1, 6) { 2 } else { 1 };
    let kernels: Vec<Kernel> = (0..count).map(|_| draft.kernel()).collect();
    draft.finish(seed, kernels)
}

/// A program in the making.
struct Draft {
    random: Random,
    arrays: Vec<Array>,
    /// Parameters with the values that they may have.
    parameters: Vec<(String, Vec<i64>)>,
    families: Vec<&'static str>,
    fresh: u32,
}

impl Draft {
    fn finish(mut self, seed: u64, kernels: Vec<Kernel>) -> Program {
        let rounds = (0..3)
            .map(|round| {
                let mut value = |values: &Vec<i64>| {
                    // The first run is a large one, so that there is something to get wrong.
                    let low = if round == 0 { values.len() / 2 } else { 0 };
                    self.random.of(&values[low..])
                };
                self.parameters
                    .iter()
                    .map(|(_, values)| value(values))
                    .collect()
            })
            .collect();
        Program {
            seed,
            family: self.families.join(", "),
            parameters: self
                .parameters
                .iter()
                .map(|(name, _)| name.clone())
                .collect(),
            rounds,
            data_region: self.random.chance(1, 4),
            arrays: self.arrays,
            kernels,
        }
    }

    fn kernel(&mut self) -> Kernel {
        if self.random.chance(1, 5) {
            self.families.push("ghost");
            return self.ghost();
        }
        // The translator may choose the block only where no result depends on it.
        let fixed_block = self.random.chance(7, 8);
        let nest = self.plain_nest(fixed_block);
        let mut body = Vec::new();
        let mut dimensions = nest.dimensions.clone();
        if fixed_block {
            let last = dimensions.len() - 1;
            let lanes = nest.lane_declarations();
            if nest.tight || last == 0 {
                body.extend(lanes.into_iter().flatten());
            } else {
                let mut lanes = lanes.into_iter();
                for dimension in &mut dimensions[..last] {
                    dimension.prologue = lanes.next().unwrap_or_default();
                }
                body.extend(lanes.flatten());
            }
        }
        if self.random.chance(1, 12) {
            // The `cache` directive takes the rest of the body.
            self.families.push("cache");
            body.extend(self.cached(&nest));
        } else {
            let stages = self.random.of(&[1, 1, 1, 2, 2, 3]);
            for stage in 0..stages {
                let statements = self.stage(&nest, fixed_block, stage + 1 == stages);
                body.extend(statements);
            }
        }
        let reductions = self.reduction(&nest, &mut body);
        Kernel {
            form: nest.form,
            dimensions,
            gangs: nest.gangs,
            reductions,
            body,
        }
    }

    fn stage(&mut self, nest: &Nest, fixed_block: bool, last: bool) -> Vec<Statement> {
        let choice = self.random.between(1, if fixed_block { 14 } else { 4 });
        let (family, statements) = match choice {
            1..=3 => ("stencil", self.stencil(nest)),
            4 => ("uniform", self.uniform(nest)),
            5 => ("uniform", self.uniform(nest)),
            6..=7 => ("own", self.own(nest)),
            8..=9 => ("tree", self.tree(nest)),
            10 => ("explicit", self.explicit(nest)),
            _ => ("channel", self.channel(nest, last)),
        };
        self.families.push(family);
        if choice != 4 && choice != 5 && self.random.chance(1, 6) {
            return self.repeated(statements);
        }
        statements
    }

    /// A sequential loop around a stage: its windows are fetched anew in each round.
    fn repeated(&mut self, statements: Vec<Statement>) -> Vec<Statement> {
        let round = self.fresh("round");
        let rounds = self.random.between(2, 3);
        // Leaving the iteration would leave only this loop.
        if leaves(&statements) {
            return statements;
        }
        vec![Statement::For {
            condition: name(&round).below(rounds),
            name: round,
            from: 0.into(),
            operator: "+=",
            step: 1,
            body: statements,
        }]
    }

    /// A reduction over all iterations, in a third of the kernels.
    fn reduction(&mut self, nest: &Nest, body: &mut Vec<Statement>) -> Vec<Reduction> {
        if !self.random.chance(1, 3) || leaves(body) {
            return Vec::new();
        }
        let (operator, kind) = self.random.of(&[
            ("+", Type::Int),
            ("+", Type::Long),
            ("+", Type::Bool),
            ("max", Type::Int),
            ("min", Type::Double),
            ("^", Type::Unsigned),
            ("|", Type::Int),
        ]);
        let reduction = self.fresh("total");
        let positions = nest.lanes.iter().map(|lane| name(&lane.position));
        let mixed = positions.fold(Expression::Integer(1), |sum, position| {
            sum * 3 + position * self.random.of(&[1, 2, 5, 7])
        });
        // In the type of the result, so that comparisons are in that type too.
        let value = mixed % self.random.of(&[31, 64, 1000]);
        let value = Expression::Cast(kind, Box::new(value));
        let total = name(&reduction);
        let statement = match operator {
            "max" | "min" => {
                let compare = if operator == "max" { ">" } else { "<" };
                let condition = Expression::binary(compare, value.clone(), total.clone());
                let value = Expression::choose(condition, value, total.clone());
                (total, "=", value)
            }
            "+" => (total, "+=", value),
            "^" => (total, "^=", value),
            _ => (total, "|=", value),
        };
        body.push(Statement::Assign {
            place: statement.0,
            operator: statement.1,
            value: statement.2,
        });
        vec![Reduction {
            name: reduction,
            kind,
            operator,
            initial: self.random.between(0, 9),
        }]
    }

    // What stages are made of

    /// A name that no other has.
    fn fresh(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    /// A parameter of the function, made where it is not there yet.
    fn parameter(&mut self, parameter: &str, values: &[i64]) -> Expression {
        if !self.parameters.iter().any(|(known, _)| known == parameter) {
            self.parameters
                .push((parameter.to_owned(), values.to_vec()));
        }
        name(parameter)
    }

    /// An array, and how it is declared.
    fn array(&mut self, element: Type, extents: Vec<Expression>, written: bool) -> usize {
        let storage = self.random.of(&[
            if extents.len() > 1 {
                Storage::Rows
            } else {
                Storage::Pointer
            },
            Storage::Pointer,
            Storage::Parameter,
            Storage::File,
        ]);
        let name = self.fresh("a");
        self.arrays.push(Array {
            name,
            element,
            extents,
            storage,
            written,
            dummy: false,
        });
        self.arrays.len() - 1
    }

    /// An array with an element for each iteration of the nest, and the element.
    fn output(&mut self, nest: &Nest, element: Type) -> Expression {
        let extents = nest.lanes.iter().map(|lane| name(&lane.size)).collect();
        let array = self.array(element, extents, true);
        nest.own_element(array)
    }

    /// The type of a private variable or of a result.
    fn scalar(&mut self, real: bool) -> Type {
        if real {
            self.random.of(&[Type::Float, Type::Double])
        } else {
            self.random.of(&[
                Type::Int,
                Type::Int,
                Type::Long,
                Type::Short,
                Type::Unsigned,
            ])
        }
    }

    /// The type of an array's elements.
    fn element(&mut self, real: bool) -> Type {
        self.random.of(if real { REAL } else { WHOLE })
    }
}

/// Whether an iteration may end within the statements.
fn leaves(list: &[Statement]) -> bool {
    list.iter().any(|statement| match statement {
        Statement::Leave => true,
        Statement::If {
            then, otherwise, ..
        } => leaves(then) || leaves(otherwise),
        Statement::Region(region) => leaves(&region.body),
        _ => false,
    })
}

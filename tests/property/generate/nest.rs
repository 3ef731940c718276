//! Nests of parallel loops, and where an iteration stands in its block.

use super::Draft;
use crate::model::{Dimension, Expression, Form, Statement, Type, name};

/// Parallel loops with what stages need to know of them.
pub struct Nest {
    pub form: Form,
    pub gangs: Option<i64>,
    pub dimensions: Vec<Dimension>,
    pub lanes: Vec<Lane>,
    /// Whether nothing stands between the loops.
    pub tight: bool,
}

/// The threads of a block in one dimension.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The variable of the iteration's index; 0 up to the size, the size excluded, in range.
    pub position: String,
    /// The parameter with the size.
    pub size: String,
    /// How far the positions of neighbouring threads are apart.
    pub step: i64,
    /// Threads of the block, where the program says it.
    pub block: i64,
    /// The private constant with the thread's number in its block.
    pub number: String,
    /// The private constant with how many threads of the block are in range.
    pub count: String,
    /// Whether positions are of type `int`: a pivot that is converted to another type is
    /// refused, since the type might not hold it.
    pub whole: bool,
    /// Whether blocks begin at multiples of the block's size, which is known, and go up by one.
    pub aligned: bool,
    /// How many iterations went before, and how many there are.
    before: Expression,
    trips: Expression,
}

/// Blocks of one, two and three dimensions.
const LINES: &[i64] = &[
    1, 2, 3, 5, 7, 8, 12, 16, 17, 24, 31, 32, 33, 48, 64, 64, 96, 128,
];
const SQUARES: &[(i64, i64)] = &[
    (4, 4),
    (8, 8),
    (2, 16),
    (16, 4),
    (3, 5),
    (7, 2),
    (1, 8),
    (8, 1),
    (5, 12),
    (4, 32),
    (8, 32),
    (3, 32),
    (2, 32),
];
const CUBES: &[(i64, i64, i64)] = &[
    (2, 2, 2),
    (2, 3, 4),
    (4, 4, 4),
    (1, 4, 8),
    (3, 1, 5),
    (2, 2, 16),
    (5, 3, 2),
    (2, 2, 32),
];

impl Draft {
    /// The sizes of a block with that many dimensions.
    pub fn block(&mut self, dimensions: usize) -> Vec<i64> {
        match dimensions {
            1 => vec![self.random.of(LINES)],
            2 => {
                let (rows, columns) = self.random.of(SQUARES);
                vec![rows, columns]
            }
            _ => {
                let (planes, rows, columns) = self.random.of(CUBES);
                vec![planes, rows, columns]
            }
        }
    }

    /// The parameter with the size of a dimension.
    pub fn size(&mut self, dimension: usize, dimensions: usize, block: i64) -> Expression {
        let most = [290, 34, 11][dimensions - 1];
        let mut sizes: Vec<i64> = [1, block - 1, block, block + 1, 2 * block + 1, 3 * block - 1]
            .into_iter()
            .chain(match dimensions {
                1 => [37, 101, 151, 290],
                2 => [5, 13, 17, 23],
                _ => [2, 3, 5, 7],
            })
            .filter(|size| (1..=most).contains(size))
            .collect();
        sizes.sort_unstable();
        sizes.dedup();
        self.parameter(&format!("n{dimension}"), &sizes)
    }

    /// How the construct is written, and with how many gangs.
    pub fn form(&mut self, dimensions: usize, fixed_block: bool) -> (Form, Option<i64>) {
        let mut forms = vec![
            Form::Parallel,
            Form::Parallel,
            Form::KernelsLoop,
            Form::Kernels,
        ];
        if dimensions == 1 && fixed_block {
            forms.push(Form::ParallelLength);
        }
        let form = self.random.of(&forms);
        let gangs = self.random.chance(1, 4).then(|| self.random.between(1, 3));
        (form, gangs)
    }

    /// Loops over one to three dimensions, with lower bounds, steps and directions.
    pub fn plain_nest(&mut self, fixed_block: bool) -> Nest {
        let count = self.random.of(&[1, 1, 1, 2, 2, 3]);
        let blocks = self.block(count);
        let (form, gangs) = self.form(count, fixed_block);
        let mut nest = Nest {
            form,
            gangs,
            dimensions: Vec::new(),
            lanes: Vec::new(),
            tight: self.random.chance(3, 4),
        };
        for (number, block) in blocks.into_iter().enumerate() {
            let size = self.size(number, count, block);
            let variable = self.fresh(["i", "j", "k"][number]);
            let (dimension, lane) = self.dimension(variable, &size, number, block, fixed_block);
            nest.dimensions.push(dimension);
            nest.lanes.push(lane);
        }
        nest
    }

    fn dimension(
        &mut self,
        variable: String,
        size: &Expression,
        number: usize,
        block: i64,
        fixed_block: bool,
    ) -> (Dimension, Lane) {
        let lower = self.random.of(&[0, 0, 0, 0, 1, 2, 5]);
        let step = self.random.of(&[1, 1, 1, 1, 1, 2, 3, -1, -2]);
        let kind = if step > 0 {
            self.random
                .of(&[Type::Int, Type::Int, Type::Int, Type::Long, Type::Unsigned])
        } else {
            self.random.of(&[Type::Int, Type::Int, Type::Long])
        };
        let last = size.clone() - 1;
        let (first, relation, bound) = match (step > 0, self.random.chance(1, 4)) {
            (true, false) => (lower.into(), "<", size.clone()),
            (true, true) => (lower.into(), "<=", last.clone()),
            (false, _) => (last.clone(), ">=", Expression::Integer(lower)),
        };
        let position = name(&variable);
        let (distance, trips) = if step > 0 {
            (position - lower, size.clone() - lower + (step - 1))
        } else {
            (last - position, size.clone() - lower + (-step - 1))
        };
        let divided = |value: Expression| {
            if step.abs() == 1 {
                value
            } else {
                value / step.abs()
            }
        };
        let lane = Lane {
            position: variable.clone(),
            size: format!("n{number}"),
            step,
            block,
            number: self.fresh("lane"),
            count: self.fresh("count"),
            whole: kind == Type::Int,
            aligned: fixed_block && step == 1 && lower == 0,
            before: divided(distance),
            trips: divided(trips),
        };
        let dimension = Dimension {
            variable,
            kind,
            lower: first,
            relation,
            bound,
            step,
            block: fixed_block.then_some(block),
            prologue: Vec::new(),
        };
        (dimension, lane)
    }
}

impl Lane {
    /// The threads of overlapping tiles, with the constants that tell their places.
    pub fn overlapping(position: String, number: String, dimension: usize, block: i64) -> Self {
        Self {
            position,
            size: format!("n{dimension}"),
            step: 1,
            block,
            number,
            count: String::new(),
            whole: true,
            aligned: false,
            before: Expression::Integer(0),
            trips: Expression::Integer(0),
        }
    }

    /// The declarations of where the iteration stands in its block.
    fn declarations(&self) -> Vec<Statement> {
        let whole = |value: Expression| Expression::Cast(Type::Int, Box::new(value));
        let number = whole(self.before.clone() % self.block);
        let rest = whole(self.trips.clone() - (self.before.clone() - name(&self.number)));
        let count = Expression::choose(
            rest.clone().below(self.block),
            rest,
            Expression::Integer(self.block),
        );
        [(&self.number, number), (&self.count, count)]
            .map(|(variable, value)| Statement::Declare {
                name: variable.clone(),
                kind: Type::Int,
                constant: true,
                value: Some(value),
            })
            .into()
    }
}

impl Nest {
    /// For each loop, the declarations of where its iterations stand in their block.
    pub fn lane_declarations(&self) -> Vec<Vec<Statement>> {
        self.lanes.iter().map(Lane::declarations).collect()
    }

    /// The element of the iteration in an array with a dimension for each loop.
    pub fn own_element(&self, array: usize) -> Expression {
        let indices = self.lanes.iter().map(|lane| name(&lane.position)).collect();
        Expression::element(array, indices)
    }
}

//! Mask variables, and the expressions over them.

use std::collections::HashSet;

use crate::ir::{Kernel, Loop, Relation, Statement, WindowMarks};
use crate::passes::variables;
use crate::source::Span;
use crate::typed::synthesis::{self, free_name};
use crate::typed::{BinaryOperator, Expression, ExpressionKind, SymbolId, Type, TypeId, Unit};

/// Makes mask variables, whose names nothing else in their kernel has.
pub struct Names<'u> {
    pub unit: &'u Unit,
    /// How many symbols the unit had: those since are masks.
    base: usize,
    boolean: TypeId,
    /// The type of conditions.
    int: TypeId,
    /// Names in the kernel.
    used: HashSet<String>,
    /// Masks of the tiles of this kernel: constant as long as no thread leaves.
    ranges: HashSet<SymbolId>,
    /// Variables of the kernel by which windows are written back.
    pub flags: HashSet<SymbolId>,
    /// Masks that never change.
    pub constants: Vec<SymbolId>,
}

impl<'u> Names<'u> {
    /// For kernels of a unit.
    pub fn new(unit: &'u Unit) -> Self {
        Self {
            unit,
            base: unit.symbols.len(),
            boolean: unit.types.intern(Type::Bool),
            int: synthesis::int(unit),
            used: HashSet::new(),
            ranges: HashSet::new(),
            flags: HashSet::new(),
            constants: Vec::new(),
        }
    }

    /// Begins another kernel.
    pub fn enter(&mut self, kernel: &Kernel) {
        self.used.clear();
        self.ranges.clear();
        variables::kernel_symbols(kernel, &mut |symbol| {
            self.used.insert(self.unit.symbol(symbol).name.clone());
        });
        let marks = kernel.windows.iter().map(|window| window.marks);
        let flags = marks.filter_map(|marks| match marks {
            WindowMarks::Flag(symbol) => Some(symbol),
            _ => None,
        });
        self.flags = flags.collect();
    }

    /// A new mask variable.
    pub fn mask(&mut self, wanted: &str) -> SymbolId {
        let name = free_name(wanted, &|name| !self.used.contains(name));
        self.used.insert(name.clone());
        synthesis::add_variable(self.unit, name, self.boolean, Span::default())
    }

    /// The mask of a tiled loop's iterations.
    pub fn range_mask(&mut self, wanted: &str) -> SymbolId {
        let symbol = self.mask(wanted);
        self.ranges.insert(symbol);
        symbol
    }

    /// Whether a variable is the mask of a tiled loop.
    pub fn is_range(&self, symbol: SymbolId) -> bool {
        self.ranges.contains(&symbol)
    }

    /// Whether a variable is a mask.
    pub fn is_mask(&self, symbol: SymbolId) -> bool {
        symbol.0 as usize >= self.base
    }

    /// A mask as an expression.
    pub fn read(&self, symbol: SymbolId) -> Expression {
        synthesis::symbol(self.unit, symbol, Span::default())
    }

    /// `a && b`.
    pub fn and(&self, a: Expression, b: Expression) -> Expression {
        if let ExpressionKind::Binary(BinaryOperator::LogicalAnd, first, second) = b.kind {
            return self.and(self.and(a, *first), *second);
        }
        synthesis::binary(BinaryOperator::LogicalAnd, a, b, self.int)
    }

    /// `a && !b`.
    pub fn but_not(&self, a: Option<Expression>, b: SymbolId) -> Expression {
        let not = synthesis::not(self.int, self.read(b));
        match a {
            Some(a) => self.and(a, not),
            None => not,
        }
    }

    /// The opposite of a condition.
    pub fn opposite(&self, e: Expression) -> Expression {
        use BinaryOperator as B;
        if let ExpressionKind::Binary(operator, a, b) = &e.inner().kind {
            // One of two values is not below the other.
            let is_integer = [a, b].iter().all(|e| self.unit.types.is_computed(e.ty.ty));
            let opposite = match operator {
                B::Equal => Some(B::NotEqual),
                B::NotEqual => Some(B::Equal),
                B::Less if is_integer => Some(B::GreaterEqual),
                B::GreaterEqual if is_integer => Some(B::Less),
                B::Greater if is_integer => Some(B::LessEqual),
                B::LessEqual if is_integer => Some(B::Greater),
                _ => None,
            };
            if let Some(opposite) = opposite {
                return synthesis::binary(opposite, (**a).clone(), (**b).clone(), self.int);
            }
            let dual = match operator {
                B::LogicalAnd => Some(B::LogicalOr),
                B::LogicalOr => Some(B::LogicalAnd),
                _ => None,
            };
            if let Some(dual) = dual {
                let (a, b) = (self.opposite((**a).clone()), self.opposite((**b).clone()));
                return synthesis::binary(dual, a, b, self.int);
            }
        }
        synthesis::not(self.int, e)
    }

    /// `true` or `false`.
    pub fn truth(&self, value: bool) -> Expression {
        ExpressionKind::Integer {
            value: i128::from(value),
            spelling: Some(value.to_string()),
        }
        .at(self.boolean, Span::default())
    }

    /// `bool mask = value;`
    pub fn declare(&self, mask: SymbolId, value: Expression) -> Statement {
        let span = value.span;
        Statement::declare(mask, Some(value), span)
    }

    /// `mask = value;`
    pub fn assign(&self, mask: SymbolId, value: Expression) -> Statement {
        let span = value.span;
        Statement::assign(self.read(mask), value, span)
    }

    /// Whether a thread's iteration of a tiled loop is within the loop's bound.
    pub fn in_range(&self, l: &Loop) -> Expression {
        let Some(count) = l.tile.and_then(|tile| tile.count) else {
            return self.continues(l);
        };
        let [number, trips] =
            [count.number, count.trips].map(|s| synthesis::symbol(self.unit, s, l.header));
        synthesis::binary(BinaryOperator::Less, number, trips, self.int)
    }

    /// Whether a counted loop has another iteration.
    pub fn continues(&self, l: &Loop) -> Expression {
        let operator = match (l.relation, l.downward) {
            (Relation::NotEqual, false) if l.tile.is_some() => BinaryOperator::Less,
            (Relation::NotEqual, true) if l.tile.is_some() => BinaryOperator::Greater,
            (relation, _) => relation.operator(),
        };
        let variable = synthesis::symbol(self.unit, l.induction, l.header);
        synthesis::binary(operator, variable, l.bound.clone(), self.int)
    }
}

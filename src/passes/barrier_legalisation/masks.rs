//! Mask variables, and the expressions over them.

use std::collections::HashSet;

use crate::ir::{Kernel, Loop, Relation, Statement};
use crate::passes::variables;
use crate::source::Span;
use crate::typed::synthesis::{self, free_name};
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, IntegerKind, QualType, Storage, Symbol, SymbolId,
    SymbolKind, Type, TypeId, Unit,
};

/// The types of integer arithmetic.
const KINDS: [IntegerKind; 6] = [
    IntegerKind::Int,
    IntegerKind::UnsignedInt,
    IntegerKind::Long,
    IntegerKind::UnsignedLong,
    IntegerKind::LongLong,
    IntegerKind::UnsignedLongLong,
];

/// Makes mask variables, whose names nothing else in their kernel has.
pub struct Names {
    /// How many symbols the unit had.
    base: usize,
    /// New symbols, numbered behind those of the unit.
    pub fresh: Vec<Symbol>,
    boolean: TypeId,
    /// Types in which one of two values is not below the other.
    integers: HashSet<TypeId>,
    /// The type of conditions.
    pub int: TypeId,
    /// Names in the kernel.
    used: HashSet<String>,
    /// Masks of the tiles of this kernel: constant as long as no thread leaves.
    ranges: HashSet<SymbolId>,
}

impl Names {
    /// For kernels of a unit; the symbols are to be added to it.
    pub fn new(unit: &Unit) -> Self {
        Self {
            boolean: unit.types.intern(Type::Bool),
            integers: KINDS
                .iter()
                .map(|&kind| unit.types.intern(Type::Integer(kind)))
                .collect(),
            int: synthesis::int(unit),
            base: unit.symbols.len(),
            fresh: Vec::new(),
            used: HashSet::new(),
            ranges: HashSet::new(),
        }
    }

    /// Begins another kernel.
    pub fn enter(&mut self, unit: &Unit, kernel: &Kernel) {
        self.used.clear();
        self.ranges.clear();
        variables::kernel_symbols(kernel, &mut |symbol| {
            if let Some(known) = unit.symbols.get(symbol.0 as usize) {
                self.used.insert(known.name.clone());
            }
        });
    }

    /// A new mask variable.
    pub fn mask(&mut self, wanted: &str) -> SymbolId {
        let name = free_name(wanted, &|name| !self.used.contains(name));
        self.used.insert(name.clone());
        let id =
            SymbolId(u32::try_from(self.base + self.fresh.len()).expect("fewer than 2^32 symbols"));
        self.fresh.push(Symbol {
            name,
            kind: SymbolKind::Variable(Storage::Automatic),
            ty: QualType::plain(self.boolean),
            span: Span::default(),
        });
        id
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

    /// Says that a mask never changes.
    pub fn make_constant(&mut self, symbol: SymbolId) {
        if let Some(fresh) = self.fresh.get_mut(symbol.0 as usize - self.base) {
            fresh.ty.qualifiers.is_const = true;
        }
    }

    /// A mask as an expression.
    pub fn read(&self, symbol: SymbolId) -> Expression {
        Expression {
            kind: ExpressionKind::Symbol(symbol),
            ty: QualType::plain(self.boolean),
            span: Span::default(),
        }
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
            let is_integer = self.integers.contains(&a.ty.ty) && self.integers.contains(&b.ty.ty);
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
        Expression {
            kind: ExpressionKind::Integer {
                value: i128::from(value),
                spelling: Some(value.to_string()),
            },
            ty: QualType::plain(self.boolean),
            span: Span::default(),
        }
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
}

/// Whether a thread's iteration of a tiled loop is within the loop's bound.
pub fn in_range(l: &Loop, unit: &Unit, int: TypeId) -> Expression {
    if let Some(count) = l.tile.and_then(|tile| tile.count) {
        let number = synthesis::symbol(unit, count.number, l.header);
        let trips = synthesis::symbol(unit, count.trips, l.header);
        return synthesis::binary(BinaryOperator::Less, number, trips, int);
    }
    continues(l, unit, int)
}

/// Whether a counted loop has another round.
pub fn continues(l: &Loop, unit: &Unit, int: TypeId) -> Expression {
    let operator = match (l.relation, l.downward) {
        (Relation::NotEqual, false) if l.tile.is_some() => BinaryOperator::Less,
        (Relation::NotEqual, true) if l.tile.is_some() => BinaryOperator::Greater,
        (relation, _) => relation.operator(),
    };
    let variable = synthesis::symbol(unit, l.induction, l.header);
    synthesis::binary(operator, variable, l.bound.clone(), int)
}

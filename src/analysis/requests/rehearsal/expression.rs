//! Expressions: their values, and the accesses in them.

use super::value::{Mask, Part, Value};
use super::{Address, Exit, Root, Stage};
use crate::analysis::effects::Touch;
use crate::ir::{Capture, Passing};
use crate::typed::{
    ArrayLength, BinaryOperator, Conversion, Expression, ExpressionKind, Initializer, SymbolId,
    Type, TypeId, UnaryOperator, constant, visit,
};

/// Calls within calls that are followed.
const DEEPEST_CALL: usize = 16;

impl<'k> Stage<'k, '_> {
    /// The value of an expression for the threads that take part.
    pub(super) fn value(&mut self, e: &'k Expression) -> Value {
        use ExpressionKind as E;
        if self.unit.types.is_integer(e.ty.ty)
            && let Some(number) = constant::evaluate(self.unit, e)
        {
            return Value::number(number);
        }
        self.work += 1;
        match &e.kind {
            E::Symbol(symbol) => self.variable(*symbol),
            E::Parenthesized(inner) => self.value(inner),
            E::Index(..) | E::Unary(UnaryOperator::Indirection, _) | E::Member { .. } => {
                let address = self.lvalue(e);
                if !matches!(self.unit.types.get(e.ty.ty), Type::Array { .. }) {
                    self.access(e, Touch::Read, &address);
                }
                Value::UNKNOWN
            }
            E::Call {
                function,
                arguments,
            } => self.call(function, arguments),
            E::Unary(operator, inner) => self.unary(*operator, inner, e),
            E::Binary(operator, a, b) => self.binary(*operator, a, b, e),
            E::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then.as_deref(), otherwise)
            }
            E::Assign(target, value) => {
                let value = self.value(value);
                self.assign(target, value)
            }
            E::CompoundAssign {
                operator,
                target,
                value,
                ..
            } => {
                let old = self.value(target);
                let value = self.value(value);
                let new = self.computed(*operator, &old, &value, target.ty.ty);
                self.store(target, new)
            }
            E::Comma(first, second) => {
                self.value(first);
                self.value(second)
            }
            E::Cast(inner) | E::Convert(Conversion::Arithmetic | Conversion::ToBool, inner) => {
                let value = self.value(inner);
                self.wrapped(value, e.ty.ty)
            }
            E::Convert(_, _) => {
                self.pointer(e);
                Value::UNKNOWN
            }
            E::CompoundLiteral(initializer) => {
                self.initializer(initializer);
                Value::UNKNOWN
            }
            E::Statement(_) => {
                self.is_lost = true;
                Value::UNKNOWN
            }
            _ => Value::UNKNOWN,
        }
    }

    pub(super) fn initializer(&mut self, initializer: &'k Initializer) {
        let mut values = Vec::new();
        visit::initializer_values(initializer, &mut |e| values.push(e));
        for value in values {
            self.value(value);
        }
    }

    fn variable(&self, symbol: SymbolId) -> Value {
        match self.variables.get(&symbol) {
            Some(value) => value.clone(),
            None if self.own.contains(&symbol) => Value::UNKNOWN,
            None => (self.given)(symbol).map_or(Value::UNKNOWN, Value::number),
        }
    }

    fn unary(
        &mut self,
        operator: UnaryOperator,
        inner: &'k Expression,
        e: &'k Expression,
    ) -> Value {
        use UnaryOperator as U;
        match operator {
            U::PostIncrement | U::PreIncrement | U::PostDecrement | U::PreDecrement => {
                let old = self.value(inner);
                let by = match operator {
                    U::PostIncrement | U::PreIncrement => 1,
                    _ => -1,
                };
                let new = old.map(|value| Some(value + by));
                let new = self.wrapped(new, inner.ty.ty);
                self.store(inner, new.clone());
                match operator {
                    U::PostIncrement | U::PostDecrement => old,
                    _ => new,
                }
            }
            U::AddressOf => {
                self.lvalue(inner);
                Value::UNKNOWN
            }
            _ => {
                let value = self.value(inner);
                let value = match operator {
                    U::Plus | U::Extension => value,
                    U::Minus => value.map(|value| Some(-value)),
                    U::BitNot => value.map(|value| Some(!value)),
                    U::LogicalNot => value.map(|value| Some(i128::from(value == 0))),
                    _ => Value::UNKNOWN,
                };
                self.wrapped(value, e.ty.ty)
            }
        }
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        a: &'k Expression,
        b: &'k Expression,
        e: &'k Expression,
    ) -> Value {
        use BinaryOperator as B;
        let left = self.value(a);
        if let B::LogicalAnd | B::LogicalOr = operator {
            let goes_on = operator == B::LogicalAnd;
            let around = self.mask.clone();
            self.mask = around.where_is(&left, goes_on);
            let right = match self.mask.is_empty() {
                true => Value::UNKNOWN,
                false => self.value(b),
            };
            self.mask = around;
            return left.with(&right, |a, b| match (a, b) {
                (Some(a), _) if (a != 0) != goes_on => Some(i128::from(!goes_on)),
                (_, Some(b)) if (b != 0) != goes_on => Some(i128::from(!goes_on)),
                (Some(_), Some(_)) => Some(i128::from(goes_on)),
                _ => None,
            });
        }
        let right = self.value(b);
        self.computed(operator, &left, &right, e.ty.ty)
    }

    /// A value in the type of its operator.
    fn computed(&mut self, operator: BinaryOperator, a: &Value, b: &Value, ty: TypeId) -> Value {
        if let Value::Each(_) = (a, b).0 {
            self.work += self.threads() as u64 / 4;
        }
        let value = a.with(b, |a, b| arithmetic(operator, a?.into(), b?.into()));
        self.wrapped(value, ty)
    }

    fn wrapped(&self, value: Value, ty: TypeId) -> Value {
        let types = &self.unit.types;
        match types.is_integer(ty) {
            true => value.map(|value| Some(constant::wrap(types, ty, value))),
            false => Value::UNKNOWN,
        }
    }

    fn conditional(
        &mut self,
        condition: &'k Expression,
        then: Option<&'k Expression>,
        otherwise: &'k Expression,
    ) -> Value {
        let holds = self.value(condition);
        let around = self.mask.clone();
        let side = |stage: &mut Self, e: Option<&'k Expression>, wanted| {
            stage.mask = around.where_is(&holds, wanted);
            match e {
                Some(e) if !stage.mask.is_empty() => stage.value(e),
                Some(_) => Value::UNKNOWN,
                None => holds.clone(),
            }
        };
        let (first, second) = (side(self, then, true), side(self, Some(otherwise), false));
        self.mask = around.clone();
        if let (Value::Same(holds), Value::Same(a), Value::Same(b)) = (&holds, &first, &second) {
            return Value::Same(match holds {
                Some(0) => *b,
                Some(_) => *a,
                None => a.filter(|a| Some(*a) == *b),
            });
        }
        let of = |thread: usize| match holds.at(thread) {
            Some(0) => second.at(thread),
            Some(_) => first.at(thread),
            None => first.at(thread).filter(|a| Some(*a) == second.at(thread)),
        };
        Value::Each((0..self.threads()).map(of).collect())
    }

    /// A new value in a variable or in memory; the value that it has there.
    fn assign(&mut self, target: &'k Expression, value: Value) -> Value {
        if self.unit.types.is_integer(target.ty.ty) {
            let value = self.wrapped(value, target.ty.ty);
            return self.store(target, value);
        }
        self.store(target, Value::UNKNOWN)
    }

    fn store(&mut self, target: &'k Expression, value: Value) -> Value {
        if let Some(symbol) = target.as_symbol() {
            self.set(symbol, &value);
            self.pointers.shift_remove(&symbol);
            return value;
        }
        let address = self.lvalue(target);
        self.access(target, Touch::Write, &address);
        if let Root::Own(array) = address.root {
            self.mark(array, &address.offset);
        }
        value
    }

    /// A new value in a variable of the threads that take part.
    pub(super) fn set(&mut self, symbol: SymbolId, value: &Value) {
        let shared = self.kernel.shared.iter();
        if shared.clone().any(|variable| variable.symbol == symbol) {
            // Who writes it writes it for all.
            let writes = |thread: &usize| self.mask.0[*thread] != Part::No;
            let mut all = (0..self.threads()).filter(writes).map(|t| value.at(t));
            let first = all.next().flatten();
            let same = self.mask.is_sure() && all.all(|other| other == first);
            self.variables
                .insert(symbol, Value::Same(first.filter(|_| same)));
            return;
        }
        if self.mask.0.iter().all(|part| *part == Part::Yes) {
            self.variables.insert(symbol, value.clone());
            return;
        }
        let old = self.variable(symbol);
        let of = |(thread, part): (usize, &Part)| match part {
            Part::Yes => value.at(thread),
            Part::No => old.at(thread),
            Part::Perhaps => value.at(thread).filter(|new| Some(*new) == old.at(thread)),
        };
        let new = self.mask.0.iter().enumerate().map(of).collect();
        self.work += self.threads() as u64 / 4;
        self.variables.insert(symbol, Value::Each(new));
    }

    /// Where an lvalue is.
    pub(super) fn lvalue(&mut self, e: &'k Expression) -> Address {
        match &e.kind {
            ExpressionKind::Symbol(symbol) => Address {
                root: match self.is_own(*symbol) {
                    true => Root::Own(*symbol),
                    false => Root::Device(*symbol),
                },
                offset: Value::Same(Some(0)),
            },
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Unary(UnaryOperator::Real | UnaryOperator::Imaginary, inner) => {
                self.lvalue(inner)
            }
            ExpressionKind::Index(base, index) => {
                let address = self.pointer(base);
                let index = self.value(index);
                self.moved(address, &index, e.ty.ty, 1)
            }
            ExpressionKind::Unary(UnaryOperator::Indirection, base) => self.pointer(base),
            ExpressionKind::Member {
                base,
                record,
                member,
                arrow,
            } => {
                let address = match arrow {
                    true => self.pointer(base),
                    false => self.lvalue(base),
                };
                let members = self.unit.types.record(*record).members.as_ref();
                let offset = members.and_then(|members| members.get(*member));
                let offset = offset.map_or(Value::UNKNOWN, |m| Value::number(m.offset.into()));
                Address {
                    root: address.root,
                    offset: address.offset.with(&offset, sum),
                }
            }
            _ => {
                self.value(e);
                Address::unknown()
            }
        }
    }

    /// Whether a variable is not in device memory.
    fn is_own(&self, symbol: SymbolId) -> bool {
        let mut captures = self.kernel.captures.iter();
        let is_value = |capture: &Capture| capture.passing == Passing::Value;
        self.own.contains(&symbol)
            || self.variables.contains_key(&symbol)
            || self
                .kernel
                .tables
                .iter()
                .any(|table| table.symbol == symbol)
            || captures.any(|capture| capture.symbol == symbol && is_value(capture))
    }

    /// So many elements further.
    fn moved(&mut self, address: Address, index: &Value, element: TypeId, sign: i128) -> Address {
        let size = self.size(element);
        let distance = index.map(|index| index.checked_mul(i128::from(size?) * sign));
        Address {
            root: address.root,
            offset: address.offset.with(&distance, sum),
        }
    }

    /// What a pointer points to.
    pub(super) fn pointer(&mut self, e: &'k Expression) -> Address {
        match &e.kind {
            ExpressionKind::Symbol(symbol) => match self.pointers.get(symbol) {
                Some(known) => known.clone(),
                None if self.own.contains(symbol) => {
                    // The storage of windows is an array, or a pointer to one.
                    let windows = self.kernel.windows.iter();
                    let is_storage = |window: &crate::ir::SharedWindow| {
                        window.storage == *symbol
                            || window.marks == crate::ir::WindowMarks::Slots(*symbol)
                    };
                    match windows.clone().any(is_storage) {
                        true => Address {
                            root: Root::Own(*symbol),
                            offset: Value::Same(Some(0)),
                        },
                        false => Address::unknown(),
                    }
                }
                None => Address {
                    root: match self
                        .kernel
                        .tables
                        .iter()
                        .any(|table| table.symbol == *symbol)
                    {
                        true => Root::Own(*symbol),
                        false => Root::Device(*symbol),
                    },
                    offset: Value::Same(Some(0)),
                },
            },
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Cast(inner)
            | ExpressionKind::Convert(Conversion::Pointer, inner) => self.pointer(inner),
            ExpressionKind::Convert(Conversion::ArrayToPointer, inner)
            | ExpressionKind::Unary(UnaryOperator::AddressOf, inner) => self.lvalue(inner),
            ExpressionKind::Binary(operator, a, b) => {
                let is_pointer = matches!(self.unit.types.get(a.ty.ty), Type::Pointer(_));
                let (pointer, offset) = if is_pointer { (a, b) } else { (b, a) };
                let address = self.pointer(pointer);
                let offset = self.value(offset);
                let sign = if *operator == BinaryOperator::Subtract {
                    -1
                } else {
                    1
                };
                match self.unit.types.pointee(e.ty.ty) {
                    Some(element) => self.moved(address, &offset, element.ty, sign),
                    None => Address::unknown(),
                }
            }
            ExpressionKind::Convert(..) => Address::unknown(),
            _ => {
                self.value(e);
                Address::unknown()
            }
        }
    }

    /// The size of a type in bytes; lengths are those of the code that runs.
    pub(super) fn size(&mut self, ty: TypeId) -> Option<i64> {
        if let Some(bytes) = self.unit.types.size(ty) {
            return i64::try_from(bytes).ok();
        }
        let Type::Array { element, length } = self.unit.types.get(ty) else {
            return None;
        };
        let length = match length {
            ArrayLength::Constant(n) => i64::try_from(*n).ok()?,
            ArrayLength::Variable(id) => self.length(*id)?,
            _ => return None,
        };
        length.checked_mul(self.size(element.ty)?)
    }

    pub(super) fn length(&mut self, id: crate::typed::VlaId) -> Option<i64> {
        let unit = self.unit;
        let length = unit.vla_lengths.get(id.0 as usize)?;
        self.value(&length.expression).uniform()
    }

    fn call(&mut self, function: &'k Expression, arguments: &'k [Expression]) -> Value {
        let known = function.as_symbol();
        let known = known.and_then(|symbol| self.functions.get(&symbol).copied());
        let depth = self.exits.iter().filter(|exit| exit.is_function).count();
        let parameters = known.and_then(|known| self.unit.function(known.symbol));
        let (Some(callee), Some(definition)) = (known, parameters) else {
            for argument in arguments {
                match self.unit.types.get(argument.ty.ty) {
                    Type::Pointer(_) => drop(self.pointer(argument)),
                    _ => drop(self.value(argument)),
                }
            }
            return Value::UNKNOWN;
        };
        if depth >= DEEPEST_CALL {
            self.is_lost = true;
            return Value::UNKNOWN;
        }
        // All are evaluated before the function's parameters are these.
        let mut given = Vec::new();
        for argument in arguments {
            given.push(match self.unit.types.get(argument.ty.ty) {
                Type::Pointer(_) => (Value::UNKNOWN, Some(self.pointer(argument))),
                _ => (self.value(argument), None),
            });
        }
        for (parameter, (value, address)) in definition.parameters.iter().zip(given) {
            self.variables.insert(*parameter, value);
            if let Some(address) = address {
                self.pointers.insert(*parameter, address);
            }
        }
        let around = self.mask.clone();
        self.exits.push(Exit {
            is_function: true,
            left: Mask::none(self.threads()),
            continued: Mask::none(self.threads()),
            result: Value::UNKNOWN,
        });
        self.list(&callee.body);
        self.mask = around;
        self.exits.pop().map_or(Value::UNKNOWN, |exit| exit.result)
    }
}

fn sum(a: Option<i64>, b: Option<i64>) -> Option<i128> {
    Some(i128::from(a?) + i128::from(b?))
}

/// As C computes it, before the type of the result limits it.
fn arithmetic(operator: BinaryOperator, a: i128, b: i128) -> Option<i128> {
    use BinaryOperator as B;
    let shift = || u32::try_from(b).ok().filter(|bits| *bits < 64);
    Some(match operator {
        B::Multiply => a.checked_mul(b)?,
        B::Divide => a.checked_div(b)?,
        B::Remainder => a.checked_rem(b)?,
        B::Add => a + b,
        B::Subtract => a - b,
        B::ShiftLeft => a.checked_mul(1 << shift()?)?,
        B::ShiftRight => a >> shift()?,
        B::Less => (a < b).into(),
        B::Greater => (a > b).into(),
        B::LessEqual => (a <= b).into(),
        B::GreaterEqual => (a >= b).into(),
        B::Equal => (a == b).into(),
        B::NotEqual => (a != b).into(),
        B::BitAnd => a & b,
        B::BitXor => a ^ b,
        B::BitOr => a | b,
        B::LogicalAnd | B::LogicalOr => return None,
    })
}

//! The ways in which a value comes about.
//!
//! What a condition chooses is no polynomial, but each choice is, and what the
//! condition says holds with it:
//!
//! ```text
//! i > 0 ? i - 1 : 0      i - 1, where i - 1 >= 0;    0, where -i >= 0
//! ```
//!
//! Conditional expressions, functions that are one expression, `fmin` and
//! `fmax` of integers and locals that are assigned on several ways are taken
//! apart so. A value that is not followed is a variable of its own, so that
//! what a condition says of it is not lost.

use super::{Frame, Interval, Polynomial};
use crate::typed::visit::any;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, SymbolId, TypeId, UnaryOperator, Unit,
};

/// One way in which a value comes about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What is not negative then.
    pub facts: Vec<Polynomial>,
    /// The value, modulo the width of its type.
    pub value: Polynomial,
    /// It is the value also where it is not seen modulo that width.
    pub(super) is_exact: bool,
}

impl Case {
    /// The one way in which there is this value.
    pub(super) fn exactly(value: Polynomial) -> Self {
        Self {
            facts: Vec::new(),
            value,
            is_exact: true,
        }
    }

    /// A number.
    pub(super) fn number(value: i128) -> Self {
        Self::exactly(Polynomial::constant(value))
    }

    /// What is not negative where both come about.
    pub(super) fn facts_with(&self, other: &Self) -> Vec<Polynomial> {
        self.facts.iter().chain(&other.facts).cloned().collect()
    }
}

/// More ways are not told apart.
const MOST: usize = 16;
/// Functions within functions that are followed.
const DEPTH: usize = 4;

impl Frame<'_> {
    /// The ways in which the value of an integer expression comes about, one
    /// of which is taken.
    pub fn cases(&mut self, e: &Expression) -> Vec<Case> {
        match self.followed(e) {
            Some(cases) if (1..=MOST).contains(&cases.len()) => cases,
            _ => vec![self.unknown(e.ty.ty)],
        }
    }

    /// A value of which only the type is known.
    pub(super) fn unknown(&mut self, ty: TypeId) -> Case {
        Case::exactly(self.fresh(self.values_of(ty)))
    }

    pub(super) fn fresh(&mut self, interval: Interval) -> Polynomial {
        let atom = self.names.borrow_mut().unknown(interval);
        Polynomial::variable(self.term(atom))
    }

    fn followed(&mut self, e: &Expression) -> Option<Vec<Case>> {
        self.within_limits(e, |frame| frame.followed_cases(e))?
    }

    fn followed_cases(&mut self, e: &Expression) -> Option<Vec<Case>> {
        if !self.is_integer(e) {
            return None;
        }
        if !self.has_choice(e)
            && let Ok(value) = self.value(e)
        {
            let is_exact = self.is_exact(e);
            return Some(vec![Case {
                is_exact,
                ..Case::exactly(value)
            }]);
        }
        match &e.kind {
            ExpressionKind::Symbol(symbol) => Some(self.local(*symbol, e)),
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Unary(UnaryOperator::Plus, inner) => self.followed(inner),
            ExpressionKind::Convert(_, inner) | ExpressionKind::Cast(inner) => {
                self.converted_cases(e, inner)
            }
            ExpressionKind::Unary(UnaryOperator::Minus, inner) => {
                let inner = self.cases(inner);
                let zero = [Case::number(0)];
                self.combined(BinaryOperator::Subtract, &zero, &inner, e.ty.ty)
            }
            ExpressionKind::Binary(operator, a, b) => self.computed(e, *operator, a, b),
            ExpressionKind::Conditional(condition, Some(then), otherwise) => {
                let mut cases = Vec::new();
                for (truth, chosen) in [(true, then), (false, otherwise)] {
                    let facts = self.implied(condition, truth);
                    let chosen = self.cases_where(&facts, chosen);
                    cases.extend(chosen);
                }
                Some(cases)
            }
            ExpressionKind::Call {
                function,
                arguments,
            } => self.called(function.as_symbol()?, arguments),
            _ => None,
        }
    }

    /// The cases of a value that is computed only where these facts hold.
    fn cases_where(&mut self, facts: &[Polynomial], e: &Expression) -> Vec<Case> {
        let before = self.known.len();
        self.known.extend_from_slice(facts);
        let mut cases = self.cases(e);
        self.known.truncate(before);
        for case in &mut cases {
            case.facts.extend_from_slice(facts);
        }
        cases
    }

    /// Whether a value may come about in several ways.
    fn has_choice(&self, e: &Expression) -> bool {
        any(e, &mut |e| match &e.kind {
            ExpressionKind::Conditional(..) | ExpressionKind::Call { .. } => true,
            ExpressionKind::Symbol(symbol) => {
                let cases = self.values.get(symbol);
                cases.is_some_and(|cases| cases.len() > 1 || !cases[0].facts.is_empty())
            }
            _ => false,
        })
    }

    fn local(&mut self, symbol: SymbolId, e: &Expression) -> Vec<Case> {
        if let Some(known) = self.values.get(&symbol) {
            return known.clone();
        }
        let cases = vec![self.unknown(e.ty.ty)];
        if self.facts.is_local(symbol) && self.unit.symbol(symbol).is_variable() {
            self.values.insert(symbol, cases.clone());
        }
        cases
    }

    fn converted_cases(&mut self, e: &Expression, inner: &Expression) -> Option<Vec<Case>> {
        let types = &self.unit.types;
        if let Some(cases) = self.chosen_by_library(inner) {
            return Some(cases);
        }
        if !types.is_integer(inner.ty.ty) {
            return None;
        }
        let limits = self.values_of(e.ty.ty);
        let is_wider = types.size(e.ty.ty) > types.size(inner.ty.ty);
        let is_truth = limits.high == Some(1);
        let mut cases = self.cases(inner);
        for case in &mut cases {
            let fits = case.is_exact && self.is_between(&case.value, limits, &case.facts);
            if !fits && (is_truth || is_wider && !case.is_exact) {
                case.value = self.fresh(limits);
                case.is_exact = true;
            } else {
                case.is_exact = fits;
            }
        }
        Some(cases)
    }

    /// `fmin` and `fmax` of integers that floating point holds.
    fn chosen_by_library(&mut self, e: &Expression) -> Option<Vec<Case>> {
        let ExpressionKind::Call {
            function,
            arguments,
        } = &e.inner().kind
        else {
            return None;
        };
        let function = function.as_symbol()?;
        let is_library = self.unit.function(function).is_none();
        let takes_less = match self.unit.symbol(function).name.as_str() {
            "fmin" if is_library => true,
            "fmax" if is_library => false,
            _ => return None,
        };
        let [a, b] = arguments.as_slice() else {
            return None;
        };
        let (a, b) = (whole_number(a, self.unit)?, whole_number(b, self.unit)?);
        let (left, right) = (self.cases(a), self.cases(b));
        let mut found = Vec::new();
        for a in &left {
            for b in &right {
                if !a.is_exact || !b.is_exact {
                    return None;
                }
                let facts = a.facts_with(b);
                let rise = b.value.minus(&a.value)?;
                let fall = a.value.minus(&b.value)?;
                let (first, second) = if takes_less {
                    (rise, fall)
                } else {
                    (fall, rise)
                };
                for (value, fact) in [(&a.value, first), (&b.value, second)] {
                    let mut case = Case::exactly(value.clone());
                    case.facts.clone_from(&facts);
                    case.facts.push(fact);
                    found.push(case);
                }
            }
        }
        Some(found)
    }

    fn computed(
        &mut self,
        e: &Expression,
        operator: BinaryOperator,
        a: &Expression,
        b: &Expression,
    ) -> Option<Vec<Case>> {
        use BinaryOperator as B;
        if !self.is_integer(a) || !self.is_integer(b) {
            return None;
        }
        let number = self.constant(b);
        match (operator, number) {
            (B::Add | B::Subtract | B::Multiply, _) => {
                let (a, b) = (self.cases(a), self.cases(b));
                self.combined(operator, &a, &b, e.ty.ty)
            }
            (B::ShiftLeft, Some(count @ 0..62)) => {
                let a = self.cases(a);
                let factor = [Case::number(1 << count)];
                self.combined(B::Multiply, &a, &factor, e.ty.ty)
            }
            (B::ShiftRight, Some(count @ 0..62)) => self.part(a, 1 << count, true),
            (B::Divide, Some(by @ 1..)) => self.part(a, by, true),
            (B::Remainder, Some(by @ 1..)) => self.part(a, by, false),
            (B::BitAnd, Some(mask @ 0..)) => {
                let part = self.fresh(Interval::between(0, mask));
                Some(vec![Case::exactly(part)])
            }
            _ => None,
        }
    }

    /// Quotient or remainder of what is not negative, as a value of its own.
    fn part(&mut self, e: &Expression, by: i128, wants_quotient: bool) -> Option<Vec<Case>> {
        let mut cases = self.cases(e);
        for case in &mut cases {
            let limits = Interval::NATURAL;
            if !case.is_exact || !self.is_between(&case.value, limits, &case.facts) {
                return None;
            }
            let interval = match wants_quotient {
                true => limits,
                false => Interval::between(0, by - 1),
            };
            let part = self.fresh(interval);
            if wants_quotient {
                let [above, below] = quotient_facts(&case.value, &part, by)?;
                case.facts.extend([above, below]);
            } else {
                case.facts.push(case.value.minus(&part)?);
            }
            case.value = part;
        }
        Some(cases)
    }

    /// A sum, difference or product, computed in a type.
    pub(super) fn combined(
        &mut self,
        operator: BinaryOperator,
        left: &[Case],
        right: &[Case],
        ty: TypeId,
    ) -> Option<Vec<Case>> {
        if left.len() * right.len() > MOST {
            return None;
        }
        let limits = self.values_of(ty);
        let is_signed = limits.low != Some(0);
        let mut found = Vec::new();
        for a in left {
            for b in right {
                let value = match operator {
                    BinaryOperator::Add => a.value.plus(&b.value),
                    BinaryOperator::Subtract => a.value.minus(&b.value),
                    _ => a.value.times(&b.value),
                };
                let value = self.whole_again(value?)?;
                let facts = a.facts_with(b);
                // Signed arithmetic does not overflow in a valid program.
                let is_exact = a.is_exact
                    && b.is_exact
                    && (is_signed || self.is_between(&value, limits, &facts));
                found.push(Case {
                    facts,
                    value,
                    is_exact,
                });
            }
        }
        Some(found)
    }

    /// What a function that is one expression gives.
    fn called(&mut self, function: SymbolId, arguments: &[Expression]) -> Option<Vec<Case>> {
        let formulas = self.facts.formulas.clone();
        let formula = formulas.get(&function)?;
        if self.calls == DEPTH || formula.parameters.len() != arguments.len() {
            return None;
        }
        let mut inside = self.clone();
        inside.calls += 1;
        for (parameter, argument) in formula.parameters.iter().zip(arguments) {
            let cases = self.cases(argument);
            inside.values.insert(*parameter, cases);
            inside.truths.shift_remove(parameter);
        }
        inside.followed(&formula.value)
    }
}

/// An integer of at most 32 bits that is converted to floating point.
fn whole_number<'e>(e: &'e Expression, unit: &Unit) -> Option<&'e Expression> {
    match &e.kind {
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Convert(_, inner)
        | ExpressionKind::Cast(inner) => {
            let types = &unit.types;
            if types.is_integer(inner.ty.ty) {
                return (types.size(inner.ty.ty)? <= 4).then_some(inner);
            }
            whole_number(inner, unit)
        }
        _ => None,
    }
}

/// `by·q <= u <= by·q + by - 1`.
pub(super) fn quotient_facts(
    value: &Polynomial,
    quotient: &Polynomial,
    by: i128,
) -> Option<[Polynomial; 2]> {
    let product = quotient.scaled(by)?;
    let above = value.minus(&product)?;
    let below = Polynomial::constant(by - 1).minus(&above)?;
    Some([above, below])
}

impl Frame<'_> {
    /// The polynomial of an integer expression, if that is its value as a number.
    pub fn exact_value(&mut self, e: &Expression) -> Option<Polynomial> {
        let value = self.value(e).ok().filter(|_| self.is_integer(e))?;
        self.is_exact(e).then_some(value)
    }

    /// Whether the polynomial of an expression is its value as a number, and
    /// not only modulo the width of its type.
    pub(super) fn is_exact(&mut self, e: &Expression) -> bool {
        let is_exact = self.within_limits(e, |frame| frame.is_exact_value(e));
        is_exact.unwrap_or(false)
    }

    fn is_exact_value(&mut self, e: &Expression) -> bool {
        if self.constant(e).is_some() {
            return true;
        }
        match &e.kind {
            ExpressionKind::Symbol(symbol) => {
                let is_loop = self.tiles.iter().any(|tile| tile.induction == *symbol);
                match self.definitions.get(symbol) {
                    Some(definition) if !is_loop && !self.rounds.contains_key(symbol) => {
                        let definition = definition.clone();
                        self.is_exact(&definition)
                    }
                    _ => true,
                }
            }
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Unary(UnaryOperator::Plus, inner) => self.is_exact(inner),
            ExpressionKind::Convert(_, inner) | ExpressionKind::Cast(inner) => {
                if !self.is_integer(inner) {
                    return true;
                }
                self.is_exact(inner) && self.fits(inner, e.ty.ty)
            }
            ExpressionKind::Unary(UnaryOperator::Minus | UnaryOperator::BitNot, inner) => {
                self.is_exact(inner) && self.never_wraps(e)
            }
            ExpressionKind::Binary(operator, a, b) => {
                use BinaryOperator as B;
                let operands = self.is_exact(a) && self.is_exact(b);
                let wraps = matches!(operator, B::Add | B::Subtract | B::Multiply | B::ShiftLeft);
                operands && (!wraps || self.never_wraps(e))
            }
            _ => true,
        }
    }

    fn never_wraps(&mut self, e: &Expression) -> bool {
        let is_signed = self.values_of(e.ty.ty).low != Some(0);
        is_signed || self.fits(e, e.ty.ty)
    }

    /// Whether a value, as a number, is one of a type. What 128 bits hold may
    /// be anything in them.
    fn fits(&mut self, e: &Expression, ty: TypeId) -> bool {
        if [e.ty.ty, ty].map(|ty| self.unit.types.size(ty)) == [Some(16); 2] {
            return false;
        }
        let value = self.value(e);
        let limits = self.values_of(ty);
        value.is_ok_and(|value| self.is_between(&value, limits, &[]))
    }
}

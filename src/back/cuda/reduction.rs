//! The steps of reductions.
//!
//! ```text
//! double sum = accrs::Sum::identity<double>();   double bins[8];
//!                                                accrs::set_identity<accrs::Sum>(bins);
//! accrs::store_partial<accrs::Sum>(p, sum);      accrs::store_partial<accrs::Sum>(p, bins);
//! ```

use super::body::{Body, FIRST_THREAD};
use super::worker::Rows;
use crate::ir::{Distribution, Reduction};
use crate::typed::{ArrayLength, QualType, Type, TypeId, Unit};

impl Body<'_> {
    /// Declares a reduction variable with the operator's identity.
    pub fn accumulator(&mut self, reduction: &Reduction) {
        if reduction.part.is_some() {
            self.scratch_pointer(reduction.symbol);
            let arguments = self.part(reduction, "");
            return self.array_step("set_part", reduction, &arguments);
        }
        let text = self.declarator(reduction.symbol);
        if self.is_array(reduction) {
            self.lines.line(&format!("{text};"));
            let name = self.name(reduction.symbol);
            return self.array_step("set_identity", reduction, &name);
        }
        let identity = self.identity(reduction);
        self.lines.line(&format!("{text} = {identity};"));
    }

    /// The copies of a part, this thread's, and how many elements it has: what
    /// the steps of its reduction take.
    fn part(&mut self, reduction: &Reduction, partials: &str) -> String {
        let ty = QualType::plain(reduction.ty);
        let ty = self.cuda.declare(self.unit, ty, "");
        let copies = self.copies_of(reduction.symbol);
        let name = self.name(reduction.symbol);
        let before = if partials.is_empty() {
            String::new()
        } else {
            format!("{partials}, ")
        };
        format!("{before}{copies}.part<{ty}>({name}), {copies}.count<{ty}>()")
    }

    fn is_array(&self, reduction: &Reduction) -> bool {
        matches!(self.unit.types.get(reduction.ty), Type::Array { .. })
    }

    /// A step over all elements of an array.
    fn array_step(&mut self, step: &str, reduction: &Reduction, arguments: &str) {
        let operator = operator_name(self.unit, reduction);
        self.lines
            .line(&format!("accrs::{step}<accrs::{operator}>({arguments});"));
    }

    /// A step in which the threads that share a loop meet.
    fn meeting(
        &self,
        step: &str,
        reduction: &Reduction,
        distribution: Distribution,
        arguments: &str,
    ) -> String {
        let operator = format!("accrs::{}", operator_name(self.unit, reduction));
        let unit = self.unit_of(distribution);
        let function = format!("{step}_{unit}");
        let function = match unit {
            "vector" => self.of_rows(&function, &[&operator]),
            _ => format!("accrs::{function}<{operator}>"),
        };
        format!("{function}({arguments})")
    }

    fn identity(&mut self, reduction: &Reduction) -> String {
        let ty = QualType::plain(reduction.ty);
        let ty = self.cuda.declare(self.unit, ty, "");
        format!(
            "accrs::{}::identity<{ty}>()",
            operator_name(self.unit, reduction)
        )
    }

    /// The variable's value so far is set aside.
    pub(super) fn reduction_begin(&mut self, reduction: &Reduction, distribution: Distribution) {
        let variable = self.name(reduction.symbol);
        if reduction.part.is_some() {
            let arguments = self.part(reduction, "");
            let step = format!("begin_part_{}", self.unit_of(distribution));
            return self.array_step(&step, reduction, &arguments);
        }
        let saved = self.cuda.fresh(&format!("{variable}_before"));
        if self.is_array(reduction) {
            let ty = QualType::plain(reduction.ty);
            let text = self.cuda.declare(self.unit, ty, &saved);
            self.lines.line(&format!("{text};"));
            self.array_step(
                "begin_reduction",
                reduction,
                &format!("{variable}, {saved}"),
            );
            return self.saved.push((reduction.symbol, saved));
        }
        let ty = self
            .cuda
            .declare(self.unit, QualType::plain(reduction.ty), "");
        let identity = self.identity(reduction);
        self.lines
            .line(&format!("const {ty} {saved} = {variable};"));
        self.lines.line(&format!("{variable} = {identity};"));
        self.saved.push((reduction.symbol, saved));
    }

    /// The threads' values and the one set aside become one.
    pub(super) fn reduction_end(&mut self, reduction: &Reduction, distribution: Distribution) {
        if reduction.part.is_some() {
            let arguments = self.part(reduction, "");
            let step = self.meeting("end_part", reduction, distribution, &arguments);
            return self.lines.line(&format!("{step};"));
        }
        let position = self
            .saved
            .iter()
            .rposition(|(symbol, _)| *symbol == reduction.symbol);
        let Some(position) = position else { return };
        let (_, saved) = self.saved.remove(position);
        let variable = self.name(reduction.symbol);
        if self.is_array(reduction) {
            let both = format!("{variable}, {saved}");
            let step = self.meeting("end_reduction", reduction, distribution, &both);
            return self.lines.line(&format!("{step};"));
        }
        let value = self.meeting("reduce", reduction, distribution, &variable);
        let is_record = matches!(self.unit.types.get(reduction.ty), Type::Record(_));
        let combined = match reduction.operator.binary().filter(|_| !is_record) {
            Some(operator) => format!("{saved} {} {value}", operator.spelling()),
            None => {
                let operator = operator_name(self.unit, reduction);
                format!("accrs::{operator}::apply({saved}, {value})")
            }
        };
        self.lines.line(&format!("{variable} = {combined};"));
    }

    /// The grid-wide end of a reduction.
    pub fn store_partial(&mut self, reduction: &Reduction, partials: &str) {
        if reduction.part.is_some() {
            let arguments = self.part(reduction, partials);
            return self.array_step("store_part", reduction, &arguments);
        }
        let value = self.name(reduction.symbol);
        self.store_value(reduction, partials, &value);
    }

    /// As [`Self::store_partial`], where each thread of a block holds the
    /// block's value: only the first thread's counts.
    pub fn store_gang_partial(&mut self, reduction: &Reduction, partials: &str) {
        if reduction.part.is_some() {
            let arguments = self.part(reduction, partials);
            return self.array_step("store_gang_part", reduction, &arguments);
        }
        let value = self.name(reduction.symbol);
        if self.is_array(reduction) {
            let arguments = format!("{partials}, {value}");
            return self.array_step("store_gang_partial", reduction, &arguments);
        }
        let identity = self.identity(reduction);
        let chosen = format!("{FIRST_THREAD} ? {value} : {identity}");
        self.store_value(reduction, partials, &chosen);
    }

    /// The threads that share a loop, as the steps of its reductions are named.
    fn unit_of(&self, distribution: Distribution) -> &'static str {
        match distribution.threads {
            [true, false, false] if self.rows != Rows::One => "vector",
            [false, true, false] => "worker",
            _ => "block",
        }
    }

    fn store_value(&mut self, reduction: &Reduction, partials: &str, value: &str) {
        self.array_step("store_partial", reduction, &format!("{partials}, {value}"));
    }
}

/// The runtime's name of an operator, on each member where that is of structs.
pub fn operator_name(unit: &Unit, reduction: &Reduction) -> &'static str {
    use crate::ir::ReductionOperator as R;
    let (element, _) = elements(unit, reduction);
    let is_record = matches!(unit.types.get(element), Type::Record(_));
    let (plain, memberwise) = match reduction.operator {
        R::Sum => ("Sum", "Memberwise<accrs::Sum>"),
        R::Product => ("Product", "Memberwise<accrs::Product>"),
        R::Max => ("Max", "Memberwise<accrs::Max>"),
        R::Min => ("Min", "Memberwise<accrs::Min>"),
        R::MaxNumber => ("MaxNumber", "Memberwise<accrs::MaxNumber>"),
        R::MinNumber => ("MinNumber", "Memberwise<accrs::MinNumber>"),
        R::BitAnd => ("BitAnd", "Memberwise<accrs::BitAnd>"),
        R::BitOr => ("BitOr", "Memberwise<accrs::BitOr>"),
        R::BitXor => ("BitXor", "Memberwise<accrs::BitXor>"),
        R::LogicalAnd => ("LogicalAnd", "Memberwise<accrs::LogicalAnd>"),
        R::LogicalOr => ("LogicalOr", "Memberwise<accrs::LogicalOr>"),
    };
    if is_record { memberwise } else { plain }
}

/// What a reduction's partial results are made of: the type of its elements,
/// and how many there are of an array.
pub fn elements(unit: &Unit, reduction: &Reduction) -> (TypeId, Option<u64>) {
    let mut ty = reduction.ty;
    let mut count = None;
    while let Type::Array {
        element,
        length: ArrayLength::Constant(n),
    } = unit.types.get(ty)
    {
        count = Some(count.unwrap_or(1) * n);
        ty = element.ty;
    }
    (ty, count)
}

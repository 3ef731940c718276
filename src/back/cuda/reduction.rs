//! The steps of reductions.
//!
//! ```text
//! double sum = accrs::Sum::identity<double>();   double bins[8];
//!                                                accrs::set_identity<accrs::Sum>(bins);
//! accrs::reduce_grid<256>(                       accrs::store_partial<accrs::Sum>(p, bins);
//!     accrs::of_threads<accrs::Sum>(sum, sum_result));
//! ```

use super::body::Body;
use super::worker::Rows;
use crate::ir::{BlockExtent, Distribution, Reduction};
use crate::typed::{ArrayLength, BinaryOperator, QualType, Type, TypeId, Unit};

impl Body<'_> {
    /// Declares a reduction variable with the operator's identity.
    pub fn accumulator(&mut self, reduction: &Reduction) {
        if reduction.part.is_some() {
            self.scratch_pointer(reduction.symbol);
            let arguments = self.part(reduction, "");
            return self.array_step("set_part", reduction, &arguments);
        }
        // Its own copies are `volatile` to no thread.
        let (name, ty) = (self.name(reduction.symbol), QualType::plain(reduction.ty));
        self.declared.insert(reduction.symbol);
        let text = self.aligned(reduction.symbol)
            + &(self.cuda).declare_as(self.unit, reduction.symbol, ty, &name);
        if self.is_array(reduction) {
            self.lines.line(&format!("{text};"));
            return self.array_step("set_identity", reduction, &name);
        }
        let identity = self.identity(reduction);
        self.lines.line(&format!("{text} = {identity};"));
    }

    /// The copies of a part, this thread's, and how many elements it has: what
    /// the steps of its reduction take.
    fn part(&mut self, reduction: &Reduction, partials: &str) -> String {
        let ty = QualType::plain(reduction.ty);
        let ty = self.cuda.declare_as(self.unit, reduction.symbol, ty, "");
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
            _ => match self.block_shape().as_str() {
                shape if step == "reduce" && !shape.is_empty() => {
                    format!("accrs::{function}<{operator}, {shape}>")
                }
                _ => format!("accrs::{function}<{operator}>"),
            },
        };
        format!("{function}({arguments})")
    }

    fn identity(&mut self, reduction: &Reduction) -> String {
        let ty = QualType::plain(reduction.ty);
        let ty = self.cuda.declare_as(self.unit, reduction.symbol, ty, "");
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
        if reduction.keeps_value {
            return self.saved.push((reduction.symbol, None));
        }
        let saved = self.cuda.fresh(&format!("{variable}_before"));
        if self.is_array(reduction) {
            let ty = QualType::plain(reduction.ty);
            let text = (self.cuda).declare_as(self.unit, reduction.symbol, ty, &saved);
            self.lines.line(&format!("{text};"));
            self.array_step(
                "begin_reduction",
                reduction,
                &format!("{variable}, {saved}"),
            );
            return self.saved.push((reduction.symbol, Some(saved)));
        }
        let ty = QualType::plain(reduction.ty);
        let ty = (self.cuda).declare_as(self.unit, reduction.symbol, ty, "");
        let identity = self.identity(reduction);
        self.lines
            .line(&format!("const {ty} {saved} = {variable};"));
        self.lines.line(&format!("{variable} = {identity};"));
        self.saved.push((reduction.symbol, Some(saved)));
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
        let Some(saved) = saved else {
            let value = self.meeting("reduce", reduction, distribution, &variable);
            return self.lines.line(&format!("{variable} = {value};"));
        };
        if self.is_array(reduction) {
            let both = format!("{variable}, {saved}");
            let step = self.meeting("end_reduction", reduction, distribution, &both);
            return self.lines.line(&format!("{step};"));
        }
        let value = self.meeting("reduce", reduction, distribution, &variable);
        let is_record = matches!(self.unit.types.get(reduction.ty), Type::Record(_));
        let combined = match reduction.operator.binary().filter(|_| !is_record) {
            // All threads take part in the reduction, whatever the value before it is.
            Some(operator @ (BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr)) => {
                format!("{value} {} {saved}", operator.spelling())
            }
            Some(operator) => format!("{saved} {} {value}", operator.spelling()),
            None => {
                let operator = operator_name(self.unit, reduction);
                format!("accrs::{operator}::apply({saved}, {value})")
            }
        };
        self.lines.line(&format!("{variable} = {combined};"));
    }

    /// The grid-wide end of a kernel's reductions: of variables all at once.
    pub fn end_grid(&mut self, ends: &[GridEnd<'_>]) {
        let mut variables = Vec::new();
        for end in ends {
            let name = self.name(end.reduction.symbol);
            let (result, operator) = (&end.result, operator_name(self.unit, end.reduction));
            if is_variable(self.unit, end.reduction) {
                let of = if end.is_of_block { "block" } else { "threads" };
                variables.push(format!(
                    "accrs::of_{of}<accrs::{operator}>({name}, {result})"
                ));
                continue;
            }
            let step = match (end.is_of_block, end.reduction.part.is_some()) {
                (false, false) => "store_partial",
                (false, true) => "store_part",
                (true, false) => "store_gang_partial",
                (true, true) => "store_gang_part",
            };
            let arguments = match end.reduction.part {
                Some(_) => self.part(end.reduction, result),
                None => format!("{result}, {name}"),
            };
            self.array_step(step, end.reduction, &arguments);
        }
        if variables.is_empty() {
            return;
        }
        let shape = self.block_shape();
        let function = match shape.as_str() {
            "" => "accrs::reduce_grid".to_owned(),
            known => format!("accrs::reduce_grid<{known}>"),
        };
        self.lines
            .line(&format!("{function}({});", variables.join(", ")));
    }

    /// The threads of a block along its axes, as template arguments; empty if only the launch
    /// knows them.
    fn block_shape(&self) -> String {
        let mut extents = Vec::new();
        for extent in &self.block {
            match extent {
                BlockExtent::Constant(n) if self.is_fixed => extents.push(n.to_string()),
                _ => return String::new(),
            }
        }
        super::kernel::without_ones(extents).join(", ")
    }

    /// The threads that share a loop, as the steps of its reductions are named.
    fn unit_of(&self, distribution: Distribution) -> &'static str {
        match distribution.threads {
            [true, false, false] if self.rows != Rows::One => "vector",
            [false, true, false] => "worker",
            _ => "block",
        }
    }
}

/// The grid-wide end of a reduction.
pub struct GridEnd<'r> {
    pub reduction: &'r Reduction,
    /// The kernel's parameter for it.
    pub result: String,
    /// Each thread of a block holds the block's value: only the first one's counts.
    pub is_of_block: bool,
}

/// Whether a reduction is of one value, not of the elements of an array.
pub fn is_variable(unit: &Unit, reduction: &Reduction) -> bool {
    reduction.part.is_none() && !matches!(unit.types.get(reduction.ty), Type::Array { .. })
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

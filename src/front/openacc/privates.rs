//! `private` and `firstprivate` (OpenACC 3.3, sections 2.5.13, 2.5.14 and
//! 2.9.10).
//!
//! Input: the clause. Output: its variables, and for arrays that the device's
//! own declarations cannot hold what the copies are of:
//!
//! ```text
//! private(t)        float t[8]    a variable
//! private(t)        float t[n]    private_arrays: all of t
//! private(p[0:n])   float *p      private_arrays: the section behind p
//! private(t[2:3])   float t[8]    a variable: all of t
//! firstprivate(t)   float t[8]    private_arrays, copied
//! firstprivate(x)   float x       a variable
//! ```

use super::check::{CheckedClause, base, has_error, not_yet};
use super::data;
use crate::ast::{Argument, ArgumentValue, Section};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{DataAction, DataItem, Extent, PrivateArray, PrivateArraySize};
use crate::typed::constant::evaluate;
use crate::typed::{ArrayLength, Expression, SymbolId, Type, Unit};

/// The variables of one clause.
#[derive(Debug, Default)]
pub struct Privates {
    /// All of them for `private`; for `firstprivate` those passed by value.
    pub variables: Vec<SymbolId>,
    /// Arrays of which copies are made at the launch.
    pub private_arrays: Vec<PrivateArray>,
}

/// The variables of a `private` clause.
pub fn of_private(unit: &Unit, clause: &CheckedClause, diagnostics: &mut Diagnostics) -> Privates {
    let mut found = Privates::default();
    for item in clause.items().iter().filter(|item| !has_error(item)) {
        match variable(unit, item) {
            Ok(symbol) => {
                let is_fixed = unit.types.size(unit.symbol(symbol).ty.ty).is_some();
                match part(unit, item, symbol, clause) {
                    Ok(Some(_)) if is_fixed && is_array(unit, symbol) => {}
                    Ok(part) => found.copy(symbol, part, false),
                    Err(problem) => diagnostics.push(problem),
                }
                found.variables.push(symbol);
            }
            Err(problem) => diagnostics.push(problem),
        }
    }
    found
}

/// `private` on `kernels`, which OpenACC does not have (2.5.3) and programs
/// write: its loops have copies of scalars where that changes no result, so
/// the clause says nothing new of them. Of arrays it would.
pub fn on_kernels(unit: &Unit, clause: &CheckedClause, diagnostics: &mut Diagnostics) {
    let mut is_scalar = true;
    for item in clause.items().iter().filter(|item| !has_error(item)) {
        match variable(unit, item) {
            // A section of a pointer is what the pointer leads to.
            Ok(symbol) => {
                is_scalar &= unit.types.is_scalar(unit.symbol(symbol).ty.ty)
                    && !matches!(item.value, ArgumentValue::Section(_));
            }
            Err(problem) => diagnostics.push(problem),
        }
    }
    let message = "`private` is not allowed on `kernels`";
    let help = "it is allowed on the loops inside and on `parallel`";
    diagnostics.push(match is_scalar {
        true => Diagnostic::warning(codes::CLAUSE_NOT_ALLOWED, message, clause.span).help(format!(
            "the loops inside have copies of scalars without it; {help}"
        )),
        false => Diagnostic::error(codes::CLAUSE_NOT_ALLOWED, message, clause.span).help(help),
    });
}

/// The variables of a `firstprivate` clause.
pub fn of_firstprivate(
    unit: &Unit,
    clause: &CheckedClause,
    diagnostics: &mut Diagnostics,
) -> Privates {
    let mut found = Privates::default();
    for item in clause.items().iter().filter(|item| !has_error(item)) {
        let part =
            variable(unit, item).and_then(|symbol| Ok((symbol, part(unit, item, symbol, clause)?)));
        match part {
            Ok((symbol, None)) => found.variables.push(symbol),
            Ok((symbol, part)) => found.copy(symbol, part, true),
            Err(problem) => diagnostics.push(problem),
        }
    }
    found
}

impl Privates {
    fn copy(&mut self, symbol: SymbolId, part: Option<DataItem>, copied: bool) {
        self.private_arrays.extend(part.map(|part| PrivateArray {
            symbol,
            size: PrivateArraySize::Part(Box::new(part)),
            copied,
            owner: None,
        }));
    }
}

/// What copies are made of: none of scalars, structs and pointers themselves.
/// A copy of part of an array is one of the whole array.
fn part(
    unit: &Unit,
    item: &Argument<Expression>,
    symbol: SymbolId,
    clause: &CheckedClause,
) -> Result<Option<DataItem>, Diagnostic> {
    if is_array(unit, symbol) {
        return Ok(Some(whole(unit, item, symbol)));
    }
    let is_section = matches!(item.value, ArgumentValue::Section(_));
    let is_declared = unit.declared_arrays.contains_key(&symbol);
    if !is_section && !is_declared {
        return Ok(None);
    }
    let part = data::private_part(unit, item, &clause.name.value)?;
    if let Extent::Section { ranges, .. } = &part.extent
        && ranges.iter().any(|range| range.pointers)
    {
        return Err(
            not_yet("a private copy of rows behind pointers".into(), item.span)
                .help("declare an array in the loop, or make one row private"),
        );
    }
    Ok(Some(part))
}

/// All of an array.
pub fn whole(unit: &Unit, item: &Argument<Expression>, symbol: SymbolId) -> DataItem {
    DataItem::of_variable(unit, symbol, DataAction::Create, Extent::Whole, item.span)
}

fn is_array(unit: &Unit, symbol: SymbolId) -> bool {
    unit.types.is_array(unit.symbol(symbol).ty.ty)
}

/// The variable that an item names, alone or as a section.
fn variable(unit: &Unit, item: &Argument<Expression>) -> Result<SymbolId, Diagnostic> {
    let symbol = base(item)?.as_symbol();
    symbol
        .filter(|&s| unit.symbol(s).is_variable())
        .ok_or_else(|| {
            let message = "the clause takes variables";
            Diagnostic::error(codes::NOT_A_VARIABLE, message, item.span)
                .help("name the variable alone")
        })
}

/// Whether a section is provably all of an array of known length.
pub fn is_whole(unit: &Unit, symbol: SymbolId, section: &Section<Expression>) -> bool {
    let mut ty = unit.symbol(symbol).ty.ty;
    for dimension in &section.dimensions {
        let Type::Array {
            element,
            length: ArrayLength::Constant(n),
        } = unit.types.get(ty)
        else {
            return false;
        };
        let [lower, length] = dimension.parts.as_slice() else {
            return false;
        };
        let from_start = lower.as_ref().is_none_or(|e| evaluate(unit, e) == Some(0));
        let to_end = length
            .as_ref()
            .is_none_or(|e| evaluate(unit, e) == Some(i128::from(*n)));
        if !from_start || !to_end {
            return false;
        }
        ty = element.ty;
    }
    true
}

//! Which part of a variable a directive names (the paper's section 4.2).
//!
//! ```text
//! A[*][1:6]   int A[8][7]            [0:8 of 8] [1:6 of 7]
//! p[0:n-1]    shape p[m], float *p   [0:n of m]
//! ```
//!
//! Bounds are inclusive in the source, lengths in the [`Range`]s.

use std::collections::BTreeMap;

use super::checked::{Bounds, Variable};
use crate::analysis::polynomial;
use crate::diagnostic::{Diagnostic, codes};
use crate::front::lowering::lengths;
use crate::ir::{DataAction, DataItem, DataModifiers, Extent, Length, Range};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::{ArrayLength, Expression, QualType, SymbolId, Type, Unit, synthesis};

/// The dimensions that `shape` gives pointers.
pub type Shapes = BTreeMap<SymbolId, Vec<Expression>>;

/// Takes variables apart.
#[derive(Clone, Copy)]
pub struct Reader<'r> {
    /// What ids refer to.
    pub unit: &'r Unit,
    /// The shapes of pointers here.
    pub shapes: &'r Shapes,
}

/// The dimensions of a variable, and what lies in them.
pub struct Dimensions {
    /// Outermost first; none of the first of a pointer without a shape.
    pub lengths: Vec<Option<Length>>,
    /// The type of the elements.
    pub element: QualType,
}

impl Reader<'_> {
    /// An action on a part of a variable.
    ///
    /// # Errors
    /// It has no such part.
    pub fn item(&self, action: DataAction, variable: &Variable) -> Result<DataItem, Diagnostic> {
        Ok(DataItem {
            action,
            object: synthesis::symbol(self.unit, variable.symbol, variable.span),
            symbol: Some(variable.symbol),
            extent: self.extent(variable)?,
            modifiers: DataModifiers::default(),
            text: variable.text.clone(),
            implicit: false,
            span: variable.span,
        })
    }

    /// The dimensions of a variable: those of its shape, then those of its type.
    pub fn dimensions(&self, symbol: SymbolId) -> Dimensions {
        let types = &self.unit.types;
        let mut ty = self.unit.symbol(symbol).ty;
        let mut lengths = Vec::new();
        let mut depth = 0;
        if let Type::Pointer(to) = types.get(ty.ty) {
            ty = *to;
            depth = 1;
            match (self.shapes.get(&symbol), self.declared(symbol)) {
                // The lengths of rows that the type has are its own.
                (Some(shape), _) => {
                    let own = self.depth(ty);
                    let outer = shape.len().saturating_sub(own).max(1);
                    lengths.extend(
                        shape[..outer]
                            .iter()
                            .map(|e| Some(lengths::of(self.unit, e))),
                    );
                }
                (None, Some(length)) => lengths.push(length),
                // Of a pointer to an array, that one.
                (None, None) if types.is_array(to.ty) => {}
                (None, None) => lengths.push(None),
            }
        }
        while let Type::Array { element, length } = types.get(ty.ty) {
            lengths.push(match length {
                ArrayLength::Constant(n) => Some(Length::Constant(*n)),
                ArrayLength::Variable(_) | ArrayLength::Star => Some(Length::Variable { depth }),
                ArrayLength::Incomplete => None,
            });
            ty = *element;
            depth += 1;
        }
        Dimensions {
            lengths,
            element: ty,
        }
    }

    /// How many subscripts lead from a type to its elements.
    fn depth(&self, ty: QualType) -> usize {
        match self.unit.types.get(ty.ty) {
            Type::Array { element, .. } => 1 + self.depth(*element),
            _ => 0,
        }
    }

    /// The length that a parameter was declared with as an array, if it has one.
    fn declared(&self, symbol: SymbolId) -> Option<Option<Length>> {
        let declared = self.unit.declared_arrays.get(&symbol)?;
        Some(match self.unit.types.get(declared.ty) {
            Type::Array {
                length: ArrayLength::Constant(n),
                ..
            } => Some(Length::Constant(*n)),
            Type::Array {
                length: ArrayLength::Variable(id),
                ..
            } => Some(Length::Expression(self.unit.length(*id).clone())),
            _ => None,
        })
    }

    fn extent(&self, variable: &Variable) -> Result<Extent, Diagnostic> {
        let Dimensions {
            mut lengths,
            element,
        } = self.dimensions(variable.symbol);
        let symbol = variable.symbol;
        let is_pointer = self.unit.types.is_pointer(self.unit.symbol(symbol).ty.ty);
        let is_open = !self.shapes.contains_key(&symbol) && self.declared(symbol).is_none();
        if is_pointer && is_open && variable.dimensions.len() == lengths.len() + 1 {
            // Rows behind a pointer to the first of them.
            lengths.insert(0, None);
        }
        if matches!(
            self.unit.types.get(element.ty),
            Type::Void | Type::Function(_)
        ) {
            let message = format!("the elements of `{}` have no size", variable.text);
            let problem = Diagnostic::error(codes::BAD_SECTION, message, variable.span);
            return Err(problem.help("use a pointer to what the elements are"));
        }
        if self.unit.types.is_pointer(element.ty) {
            let message = format!("the elements of `{}` are pointers", variable.text);
            let problem = Diagnostic::error(codes::NO_SHAPE, message, variable.span);
            let problem = problem.note("what they point to would stay with the host");
            return Err(problem.help("keep all rows in one array, `p[i * m + j]` or `(*p)[m]`"));
        }
        let written = &variable.dimensions;
        if lengths.is_empty() && written.is_empty() {
            return Ok(Extent::Whole);
        }
        if !written.is_empty() && written.len() != lengths.len() {
            return Err(self.wrong_count(variable, lengths.len()));
        }
        let whole = |_| Bounds {
            ends: None,
            span: variable.span,
        };
        let all: Vec<Bounds> = lengths.iter().map(whole).collect();
        let written = if written.is_empty() { &all } else { written };
        let ranges = written.iter().zip(lengths);
        let ranges = ranges.map(|(bounds, length)| self.range(variable, bounds, length));
        Ok(Extent::Section {
            ranges: ranges.collect::<Result<_, _>>()?,
            element,
        })
    }

    fn range(
        &self,
        variable: &Variable,
        bounds: &Bounds,
        extent: Option<Length>,
    ) -> Result<Range, Diagnostic> {
        let Some((first, last)) = &bounds.ends else {
            let Some(length) = extent.clone() else {
                let name = &self.unit.symbol(variable.symbol).name;
                let message = format!("how many elements `{name}` has is not known");
                let problem = Diagnostic::error(codes::NO_SHAPE, message, bounds.span);
                return Err(problem.help(format!(
                    "write `#pragma hicuda shape {name}[n]` before, or both bounds: `{name}[0:n-1]`"
                )));
            };
            return Ok(Range {
                lower: None,
                length,
                extent,
                pointers: false,
            });
        };
        let length = lengths::of(self.unit, &lengths::count(self.unit, first, last));
        let lower = evaluate(self.unit, first);
        let outside = match (lower, evaluate(self.unit, last), &extent) {
            (Some(first), _, _) if first < 0 => Some(format!("index {first} is negative")),
            (Some(first), Some(last), _) if last < first => Some(format!(
                "the last index, {last}, comes before the first, {first}"
            )),
            (_, Some(last), Some(Length::Constant(n))) if last >= i128::from(*n) => Some(format!(
                "index {last} is beyond the dimension's {n} elements, of which the last is {}",
                i128::from(*n) - 1
            )),
            _ => None,
        };
        if let Some(message) = outside {
            return Err(bad_section(message, bounds.span));
        }
        Ok(Range {
            lower: Some(first.clone()).filter(|_| lower != Some(0)),
            length,
            extent,
            pointers: false,
        })
    }

    fn wrong_count(&self, variable: &Variable, known: usize) -> Diagnostic {
        let name = &self.unit.symbol(variable.symbol).name;
        let plural = if known == 1 { "" } else { "s" };
        let message = match known {
            0 => format!("`{name}` has no dimensions"),
            _ => format!("`{name}` has {known} dimension{plural}"),
        };
        if known == 0 {
            let problem = Diagnostic::error(codes::BAD_SECTION, message, variable.span);
            let help = format!("write `{name}` without brackets");
            return problem.help(help).replacement(name.as_str());
        }
        let problem = bad_section(message, variable.span);
        let ty = self.unit.symbol(variable.symbol).ty.ty;
        match self.unit.types.is_pointer(ty) && !self.shapes.contains_key(&variable.symbol) {
            true => problem.note(format!("`#pragma hicuda shape {name}[n][m]` gives it more")),
            false => problem,
        }
    }
}

/// Whether all dimensions but the outermost are whole: rows lie on the device as they do on
/// the host.
pub fn has_whole_rows(unit: &Unit, ranges: &[Range]) -> bool {
    ranges.iter().skip(1).all(|range| {
        range.lower.is_none()
            && range
                .extent
                .as_ref()
                .is_some_and(|extent| is_same(unit, extent, &range.length))
    })
}

fn is_same(unit: &Unit, a: &Length, b: &Length) -> bool {
    match (a, b) {
        (Length::Constant(a), Length::Constant(b)) => a == b,
        (Length::Variable { depth: a }, Length::Variable { depth: b }) => a == b,
        (Length::Expression(a), Length::Expression(b)) => {
            let [a, b] = [a, b].map(|e| polynomial::of_variables(e, unit));
            let difference = a.zip(b).and_then(|(a, b)| a.minus(&b)?.as_constant());
            difference == Some(0)
        }
        _ => false,
    }
}

fn bad_section(message: String, span: Span) -> Diagnostic {
    Diagnostic::error(codes::BAD_SECTION, message, span)
        .help("write `name[first:last]`, both included, a pair of brackets a dimension")
}

impl Reader<'_> {
    /// Whether a section may lie in the one that is allocated.
    ///
    /// # Errors
    /// It does not, whatever the variables hold.
    pub fn inside(&self, allocated: &DataItem, item: &DataItem) -> Result<(), Diagnostic> {
        let (Extent::Section { ranges: outer, .. }, Extent::Section { ranges: inner, .. }) =
            (&allocated.extent, &item.extent)
        else {
            return Ok(());
        };
        let zero = synthesis::integer(0, synthesis::int(self.unit), item.span);
        for (outer, inner) in outer.iter().zip(inner) {
            let first = |range: &Range| range.lower.clone().unwrap_or_else(|| zero.clone());
            let before = lengths::difference(self.unit, &first(outer), &first(inner));
            let length = |range: &Range| match &range.length {
                Length::Constant(n) => Some(i128::from(*n)),
                _ => None,
            };
            let reaches = before.zip(length(inner)).map(|(before, n)| before + n);
            let is_beyond = reaches.zip(length(outer)).is_some_and(|(end, n)| end > n);
            if before.is_some_and(|n| n < 0) || is_beyond {
                let message = format!("`{}` reaches beyond what is allocated", item.text);
                let problem = Diagnostic::error(codes::BAD_SECTION, message, item.span);
                let what = format!("only `{}` is allocated", allocated.text);
                return Err(problem
                    .also(allocated.span, what)
                    .help("allocate a larger section"));
            }
        }
        Ok(())
    }
}

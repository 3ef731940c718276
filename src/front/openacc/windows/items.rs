//! The items of `fcw` and `cache`: which part of which array an iteration
//! needs.
//!
//! ```text
//! FETCH_ONLY(a[i:1:1])          pivot i, 1 before, 1 after
//! FETCH_ONLY(m[r:1:1:c:2:2])    the paper's spelling of two dimensions
//! FETCH_ONLY(m[r:1:1][c:2:2])   the same
//! cache(a[i - 1:3])             pivot i - 1, 0 before, 2 after
//! cache(m[r][0:n])              pivots r and 0, 0 before, 0 and n - 1 after
//! ```

use crate::analysis::polynomial;
use crate::ast::{Argument, ArgumentValue, Section, SectionDimension};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::openacc::check::{Checked, has_error, malformed};
use crate::front::openacc::clauses::dimensions_text;
use crate::front::openacc::data;
use crate::front::openacc::table::{ClauseKind, DirectiveKind};
use crate::ir::{Window, WindowDimension, WindowPolicy, WindowProof};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer};
use crate::typed::{
    ArrayLength, BinaryOperator, Conversion, Expression, ExpressionKind, QualType, SymbolId, Type,
    Unit, synthesis,
};

/// What a type of `fcw` does with its windows.
fn policy(kind: ClauseKind) -> WindowPolicy {
    use ClauseKind as C;
    WindowPolicy {
        fetch: matches!(
            kind,
            C::FetchOnly | C::FetchChannel | C::FetchChannelWriteBack | C::FetchWriteBack
        ),
        channel: matches!(
            kind,
            C::ChannelOnly | C::FetchChannel | C::ChannelWriteBack | C::FetchChannelWriteBack
        ),
        write_back: matches!(
            kind,
            C::ChannelWriteBack | C::FetchChannelWriteBack | C::FetchWriteBack | C::WriteBackOnly
        ),
    }
}

/// The windows that an `fcw` or `cache` directive lists, in order.
pub fn listed(unit: &Unit, checked: &Checked, diagnostics: &mut Diagnostics) -> Vec<Window> {
    let reader = Reader { unit };
    let is_hint = checked.kind == DirectiveKind::Cache;
    let lists = match is_hint {
        true => of_cache(checked, diagnostics),
        false => of_fcw(checked),
    };
    let mut windows = Vec::new();
    for (policy, item) in lists.into_iter().filter(|(_, item)| !has_error(item)) {
        if is_hint && reader.is_of_part(item) {
            diagnostics.push(without_window(item.span));
            continue;
        }
        if is_hint {
            diagnostics.extend_once(reader.last_elements(item));
        }
        let found = match is_hint {
            true => reader.cached(item),
            false => reader.window(item),
        };
        match found {
            Ok((array, dimensions, text)) => windows.push(Window {
                array,
                dimensions,
                policy,
                proof: match is_hint {
                    true => WindowProof::Selected,
                    false => WindowProof::Trusted,
                },
                bounds: None,
                has_sections: false,
                text,
                span: item.span,
            }),
            Err(problem) => diagnostics.push(problem),
        }
    }
    windows
}

/// Items, each with what is done with its window.
type List<'c> = Vec<(WindowPolicy, &'c Argument<Expression>)>;

fn of_fcw(checked: &Checked) -> List<'_> {
    let clauses = checked.clauses.iter();
    let lists = clauses.filter(|clause| clause.kind != ClauseKind::Explicit);
    let items = lists.flat_map(|c| c.items().iter().map(|item| (policy(c.kind), item)));
    items.collect()
}

fn of_cache<'c>(checked: &'c Checked, diagnostics: &mut Diagnostics) -> List<'c> {
    let Some(list) = &checked.directive.arguments else {
        return Vec::new();
    };
    for modifier in list.modifiers.iter().filter(|m| m.value != "readonly") {
        let message = format!("`cache` has no modifier `{}`", modifier.value);
        diagnostics.push(malformed(message, modifier.span).help("the only one is `readonly`"));
    }
    let fetched = WindowPolicy {
        fetch: true,
        ..WindowPolicy::default()
    };
    list.items.iter().map(|item| (fetched, item)).collect()
}

/// What is said of a `cache` of an array without a name of its own.
fn without_window(span: Span) -> Diagnostic {
    let message = "this array has no window: the elements are read where they are";
    let note =
        "a window is of an array or pointer with a name of its own, and this is part of a variable";
    Diagnostic::remark(codes::WINDOW_DECISION, message, span)
        .note(note)
        .help("read it through a pointer of its own, and list that")
}

/// An array, what is needed of it, and that as text.
type Item = (SymbolId, Vec<WindowDimension>, String);

struct Reader<'u> {
    unit: &'u Unit,
}

impl Reader<'_> {
    /// An item of `fcw`.
    fn window(&self, item: &Argument<Expression>) -> Result<Item, Diagnostic> {
        let (symbol, section) = self.taken_apart(item)?;
        let Some(section) = section else {
            return Err(self.without_triples(symbol, item.span));
        };
        let wanted = self.depth(symbol);
        let mut dimensions = Vec::new();
        for dimension in &section.dimensions {
            if dimension.parts.len() % 3 != 0 {
                return Err(self.no_triple(symbol, dimension));
            }
            for triple in dimension.parts.chunks_exact(3) {
                let [pivot, before, after] = triple else {
                    continue;
                };
                dimensions.push(WindowDimension {
                    pivot: self.part(pivot.as_ref(), "pivot", dimension.span)?,
                    before: self.part(before.as_ref(), "number before it", dimension.span)?,
                    after: self.part(after.as_ref(), "number after it", dimension.span)?,
                });
            }
        }
        if dimensions.len() != wanted {
            return Err(self.wrong_count(symbol, dimensions.len(), wanted, item.span));
        }
        let text = self.text(symbol, &section, item.span);
        Ok((symbol, dimensions, text))
    }

    /// An item of `cache`: a section, or an element.
    fn cached(&self, item: &Argument<Expression>) -> Result<Item, Diagnostic> {
        let (symbol, section) = self.taken_apart(item)?;
        let name = &self.unit.symbol(symbol).name;
        let Some(section) = section else {
            let message = format!("`cache` needs a section or an element of `{name}`");
            return Err(
                Diagnostic::error(codes::BAD_SECTION, message, item.span).help(format!(
                    "write what an iteration reads of it: `cache({name}[i:1])`"
                )),
            );
        };
        let mut ty = self.unit.symbol(symbol).ty;
        let mut dimensions = Vec::new();
        for dimension in &section.dimensions {
            let declared = self.extent(ty, dimension.span);
            let Some(inner) = self.step(ty) else {
                return Err(self.too_many(symbol, dimensions.len(), dimension.span));
            };
            dimensions.push(self.range(dimension, declared)?);
            ty = inner;
        }
        // Dimensions that are left out are wanted whole.
        while let Some(inner) = self.step(ty) {
            let Some(length) = self.extent(ty, item.span) else {
                return Err(bad_range("the section is not one of elements", item.span));
            };
            dimensions.push(self.from(self.constant(0, item.span), length));
            ty = inner;
        }
        let text = self.text(symbol, &section, item.span);
        Ok((symbol, dimensions, text))
    }

    /// What is said of sections whose length reads as the index of their last element:
    /// `a[i - 1:i + 1]`.
    fn last_elements(&self, item: &Argument<Expression>) -> Vec<Diagnostic> {
        let section = data::taken_apart(item)
            .ok()
            .and_then(|(_, section)| section);
        let dimensions = section.into_iter().flat_map(|section| section.dimensions);
        let found = dimensions.filter_map(|dimension| {
            let [Some(lower), Some(length)] = dimension.parts.as_slice() else {
                return None;
            };
            let number = |e: &Expression| polynomial::of_variables(e, self.unit);
            let (first, last) = (number(lower)?, number(length)?);
            let distance = last.minus(&first)?.as_constant().filter(|n| *n >= 0)?;
            first.as_constant().is_none().then_some(())?;
            let text = |e: &Expression| {
                let written = self.unit.spellings.in_directive(e.span);
                written.unwrap_or_else(|| Printer::text(self.unit, &C, e))
            };
            let written = text(length);
            let right = format!("[{}:{}]", text(lower), distance + 1);
            let message = format!("`{written}` is how many elements the section has, and no index");
            let warning = Diagnostic::warning(codes::BAD_SECTION, message, length.span);
            Some(warning.help(format!(
                "a section is `name[first:length]`: write `{right}` for those up to number `{written}`"
            )))
        });
        found.collect()
    }

    /// Whether an item is a section of an array that has no name of its own: of a member, of what
    /// a pointer leads to.
    fn is_of_part(&self, item: &Argument<Expression>) -> bool {
        let taken = data::taken_apart(item).ok();
        taken.is_some_and(|(base, section)| {
            let is_part = base.as_symbol().is_none() && data::is_part(&base);
            section.is_some() && is_part && self.step(base.ty).is_some()
        })
    }

    /// The variable and the brackets of an item.
    fn taken_apart(
        &self,
        item: &Argument<Expression>,
    ) -> Result<(SymbolId, Option<Section<Expression>>), Diagnostic> {
        if let ArgumentValue::Star = item.value {
            return Err(self.no_array("`*`", item.span));
        }
        let (base, section) = data::taken_apart(item)?;
        Ok((self.array(&base, item.span)?, section))
    }

    fn array(&self, base: &Expression, span: Span) -> Result<SymbolId, Diagnostic> {
        let Some(symbol) = base.as_symbol() else {
            return Err(self.no_array("this expression", span));
        };
        let variable = self.unit.symbol(symbol);
        if variable.is_variable() && self.step(variable.ty).is_some() {
            return Ok(symbol);
        }
        Err(self.no_array(&format!("`{}`", variable.name), span))
    }

    /// The type of an element, if there are any.
    fn step(&self, ty: QualType) -> Option<QualType> {
        match self.unit.types.get(ty.ty) {
            Type::Array { element, .. } => Some(*element),
            Type::Pointer(to)
                if !matches!(self.unit.types.get(to.ty), Type::Void | Type::Function(_)) =>
            {
                Some(*to)
            }
            _ => None,
        }
    }

    /// How many subscripts lead to an element.
    fn depth(&self, symbol: SymbolId) -> usize {
        let first = self.unit.symbol(symbol).ty;
        std::iter::successors(self.step(first), |ty| self.step(*ty)).count()
    }

    /// How many elements an array is declared to have.
    fn extent(&self, ty: QualType, span: Span) -> Option<Expression> {
        match self.unit.types.get(ty.ty) {
            Type::Array {
                length: ArrayLength::Constant(n),
                ..
            } => Some(self.constant(i128::from(*n), span)),
            Type::Array {
                length: ArrayLength::Variable(id),
                ..
            } => Some(self.unit.length(*id).clone()),
            _ => None,
        }
    }

    /// A part of a triple: an integer that is there.
    fn part(
        &self,
        part: Option<&Expression>,
        what: &str,
        span: Span,
    ) -> Result<Expression, Diagnostic> {
        let problem = |message: String, span| {
            Diagnostic::error(codes::WINDOW_FORM, message, span)
                .help("write `[pivot:before:after]`: an index, and how many elements around it")
        };
        let Some(part) = part else {
            return Err(problem(format!("the {what} is left out"), span));
        };
        if !self.unit.types.is_integer(part.ty.ty) {
            return Err(problem(format!("the {what} is no integer"), part.span));
        }
        Ok(part.clone())
    }

    /// One pair of brackets of `cache`.
    fn range(
        &self,
        dimension: &SectionDimension<Expression>,
        declared: Option<Expression>,
    ) -> Result<WindowDimension, Diagnostic> {
        let span = dimension.span;
        for part in dimension.parts.iter().flatten() {
            if !self.unit.types.is_integer(part.ty.ty) {
                return Err(bad_range("the bounds of a section are integers", part.span));
            }
        }
        let zero = || self.constant(0, span);
        match dimension.parts.as_slice() {
            [Some(index)] => Ok(self.from(index.clone(), self.constant(1, span))),
            [None] => Err(bad_range("the brackets are empty", span)),
            [lower, Some(length)] => {
                if evaluate(self.unit, length).is_some_and(|n| n <= 0) {
                    return Err(bad_range("the section has no element", length.span));
                }
                let lower = lower.clone().unwrap_or_else(zero);
                Ok(self.from(lower, length.clone()))
            }
            [lower, None] => {
                let Some(all) = declared else {
                    return Err(bad_range(
                        "the length cannot be left out: a pointer's target has no declared length",
                        span,
                    ));
                };
                let length = match lower {
                    Some(lower) => self.minus(all, lower.clone()),
                    None => all,
                };
                Ok(self.from(lower.clone().unwrap_or_else(zero), length))
            }
            _ => Err(bad_range("a section has a lower bound and a length", span)),
        }
    }

    /// `length` elements from `lower` on.
    fn from(&self, lower: Expression, length: Expression) -> WindowDimension {
        let one = self.constant(1, length.span);
        WindowDimension {
            before: self.constant(0, lower.span),
            after: self.minus(length, one),
            pivot: lower,
        }
    }

    /// `left - right`, signed so that no length wraps.
    fn minus(&self, left: Expression, right: Expression) -> Expression {
        let span = left.span;
        if let (Some(a), Some(b)) = (evaluate(self.unit, &left), evaluate(self.unit, &right)) {
            return self.constant(a - b, span);
        }
        let int = synthesis::int(self.unit);
        let converted = |e: Expression| match e.ty.ty == int {
            true => e,
            false => Expression {
                span: e.span,
                kind: ExpressionKind::Convert(Conversion::Arithmetic, Box::new(e)),
                ty: QualType::plain(int),
            },
        };
        synthesis::binary(
            BinaryOperator::Subtract,
            converted(left),
            converted(right),
            int,
        )
    }

    fn constant(&self, value: i128, span: Span) -> Expression {
        synthesis::integer(value, synthesis::int(self.unit), span)
    }

    fn text(&self, symbol: SymbolId, section: &Section<Expression>, item: Span) -> String {
        let name = &self.unit.symbol(symbol).name;
        let written = self.unit.spellings.in_directive(item);
        written.unwrap_or_else(|| format!("{name}{}", dimensions_text(self.unit, section)))
    }

    fn no_array(&self, what: &str, span: Span) -> Diagnostic {
        let message = format!("{what} is neither array nor pointer, so that it has no window");
        Diagnostic::error(codes::WINDOW_ARRAY, message, span)
            .help("list arrays and pointers to elements by their names")
    }

    fn without_triples(&self, symbol: SymbolId, span: Span) -> Diagnostic {
        let name = &self.unit.symbol(symbol).name;
        let triples = "[i:1:1]".repeat(self.depth(symbol));
        let message = format!("`{name}` is listed without a window");
        Diagnostic::error(codes::WINDOW_FORM, message, span)
            .help(format!(
                "say which elements an iteration needs: `{name}{triples}` is one index and its neighbours"
            ))
    }

    fn no_triple(&self, symbol: SymbolId, dimension: &SectionDimension<Expression>) -> Diagnostic {
        let name = &self.unit.symbol(symbol).name;
        let count = dimension.parts.len();
        let help = match dimension.parts.as_slice() {
            [Some(_)] => "add how many elements before and after it: `[i:0:0]` is one element",
            [_, _] => "this is a section as in `cache`; write `[pivot:before:after]`",
            _ => "each dimension has a pivot and two counts",
        };
        let message = format!(
            "{count} part{} in the window of `{name}`, not three a dimension",
            if count == 1 { "" } else { "s" }
        );
        Diagnostic::error(codes::WINDOW_FORM, message, dimension.span).help(help)
    }

    fn wrong_count(&self, symbol: SymbolId, found: usize, wanted: usize, span: Span) -> Diagnostic {
        let name = &self.unit.symbol(symbol).name;
        let plural = |n| if n == 1 { "" } else { "s" };
        let message = format!(
            "`{name}` has {wanted} dimension{}, its window {found}",
            plural(wanted)
        );
        Diagnostic::error(codes::WINDOW_FORM, message, span).help(format!(
            "write {wanted} triple{}: `{name}{}`",
            plural(wanted),
            "[pivot:before:after]".repeat(wanted)
        ))
    }

    fn too_many(&self, symbol: SymbolId, depth: usize, span: Span) -> Diagnostic {
        let name = &self.unit.symbol(symbol).name;
        let plural = if depth == 1 { "" } else { "s" };
        bad_range(&format!("`{name}` has {depth} dimension{plural}"), span)
    }
}

fn bad_range(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error(codes::BAD_SECTION, message, span)
        .help("write `name[lower:length]`; both count elements")
}

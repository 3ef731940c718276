//! Data clauses: which variable, which part of it (OpenACC 3.3, section 2.7).
//!
//! ```text
//! copyin(a[2:n])          Section { [2:n] }
//! create(b)  float b[10]  Whole
//! present(p) float *p     Unknown: what p points to, whatever its size
//! copy(m[0:r])  m[][C]    Section { [0:r] [C] }
//! copy(t[0:r][0:c])  **t  Section { [0:r]* [0:c] }: rows behind pointers
//! copy(s.x[0:n])          the same of a member; its pointer is attached
//! ```

use super::check::{CheckedClause, base, has_error, malformed};
use super::clauses::dimensions_text;
use super::example_sections;
use super::merged_items::{merge, repeated};
use super::table::ClauseKind;
use crate::ast::{Argument, ArgumentValue, Section, SectionDimension};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::lengths;
use crate::ir::{DataAction, DataItem, DataModifiers, Extent, Length, Range};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer, without_suffixes};
use crate::typed::{
    ArrayLength, BinaryOperator, Expression, ExpressionKind, IntegerKind, QualType, SymbolId, Type,
    TypeId, UnaryOperator, Unit, synthesis,
};

/// What a data clause does.
pub fn action(kind: ClauseKind) -> Option<DataAction> {
    Some(match kind {
        ClauseKind::Copy => DataAction::Copy,
        ClauseKind::CopyIn => DataAction::CopyIn,
        ClauseKind::CopyOut => DataAction::CopyOut,
        ClauseKind::Create => DataAction::Create,
        ClauseKind::Present => DataAction::Present,
        ClauseKind::NoCreate => DataAction::NoCreate,
        ClauseKind::DevicePointer => DataAction::DevicePointer,
        ClauseKind::Delete => DataAction::Delete,
        ClauseKind::UpdateHost => DataAction::UpdateHost,
        ClauseKind::UpdateDevice => DataAction::UpdateDevice,
        ClauseKind::Attach => DataAction::Attach,
        ClauseKind::Detach => DataAction::Detach,
        ClauseKind::UseDevice => DataAction::UseDevice,
        // The host's copy exists too, and is not used.
        ClauseKind::DeviceResident => DataAction::Create,
        _ => return None,
    })
}

/// The data items of all data clauses of a directive, in order. `size` is the
/// type of computed lengths.
pub fn lower(
    unit: &Unit,
    clauses: &[CheckedClause],
    size: TypeId,
    diagnostics: &mut Diagnostics,
) -> Vec<DataItem> {
    let reader = Reader {
        unit,
        size,
        declares: false,
    };
    reader.clauses(clauses, action, diagnostics)
}

/// The data items of a `declare` outside of functions: pointers stand for
/// themselves, and arrays may have their length in another file.
pub fn lower_declared(
    unit: &Unit,
    clauses: &[CheckedClause],
    size: TypeId,
    diagnostics: &mut Diagnostics,
) -> Vec<DataItem> {
    let reader = Reader {
        unit,
        size,
        declares: true,
    };
    let mut items = reader.clauses(clauses, action, diagnostics);
    // Of what `link` names, a pointer is there from the start: data clauses
    // with what it points to attach it.
    let link = |kind| (kind == ClauseKind::Link).then_some(DataAction::Create);
    let mut linked = reader.clauses(clauses, link, diagnostics);
    linked.retain(|item| unit.types.is_pointer(item.object.ty.ty));
    items.extend(linked);
    items
}

impl Reader<'_> {
    fn clauses(
        &self,
        clauses: &[CheckedClause],
        action: impl Fn(ClauseKind) -> Option<DataAction>,
        diagnostics: &mut Diagnostics,
    ) -> Vec<DataItem> {
        let mut items: Vec<DataItem> = Vec::new();
        for clause in clauses {
            let Some(action) = action(clause.kind) else {
                continue;
            };
            for argument in clause.items() {
                if has_error(argument) {
                    continue;
                }
                match self.item(action, argument, &clause.name.value) {
                    Ok(mut item) => {
                        item.modifiers = modifiers(clause);
                        let known = merge(self.unit, &mut items, &item);
                        match known.or_else(|| repeated(&items, &item)) {
                            Some(problem) => diagnostics.push(problem),
                            None => items.push(item),
                        }
                    }
                    Err(problem) => diagnostics.push(problem),
                }
            }
        }
        items
    }
}

/// The part of a variable of which `private` or `firstprivate` makes copies.
pub fn private_part(
    unit: &Unit,
    argument: &Argument<Expression>,
    clause: &str,
) -> Result<DataItem, Diagnostic> {
    let reader = Reader {
        unit,
        size: unit.types.intern(Type::Integer(IntegerKind::UnsignedLong)),
        declares: false,
    };
    reader.item(DataAction::Create, argument, clause)
}

/// Brings items into the order in which they can be carried out: a struct
/// comes to the device before what its members point to, and leaves (`ending`)
/// after it.
pub fn order(items: &mut [DataItem], ending: bool) {
    items.sort_by_key(|item| item.symbol.is_none() != ending);
}

fn modifiers(clause: &CheckedClause) -> DataModifiers {
    let mut found = DataModifiers::default();
    for modifier in clause.arguments.iter().flat_map(|a| &a.modifiers) {
        match modifier.value.as_str() {
            "zero" => found.zero = true,
            "always" => {
                found.always_in = clause.kind != ClauseKind::CopyOut;
                found.always_out = clause.kind != ClauseKind::CopyIn;
            }
            "alwaysin" => found.always_in = true,
            "alwaysout" => found.always_out = true,
            // Promises that ask for nothing where the memories are separate.
            _ => {}
        }
    }
    found
}

/// Reads the items of data clauses.
struct Reader<'u> {
    unit: &'u Unit,
    size: TypeId,
    /// For `declare` outside of functions.
    declares: bool,
}

impl Reader<'_> {
    fn item(
        &self,
        action: DataAction,
        argument: &Argument<Expression>,
        clause: &str,
    ) -> Result<DataItem, Diagnostic> {
        let whole = is_attachment(action).then_some(&argument.value);
        let (base, section) = match whole {
            Some(ArgumentValue::Expression(e)) => (e.clone(), None),
            _ => taken_apart(argument)?,
        };
        let written = self.unit.spellings.in_directive(argument.span);
        let text = written.unwrap_or_else(|| self.text(&base, section.as_ref()));
        let (mut base, section) = self.subscripted(base, section);
        if section.is_none() && !is_attachment(action) {
            example_sections::no_address(self.unit, &base, argument.span)?;
        }
        let symbol = self.variable(&base, argument.span)?;
        if let Some(symbol) = symbol.filter(|_| self.declares) {
            // An array may get its length behind the directive.
            base.ty = self.unit.symbol(symbol).ty;
        }
        self.not_flexible(&base, action, clause, argument.span)?;
        let extent = match (&section, action) {
            _ if is_attachment(action) => self.pointer(&base, clause, argument.span)?,
            (_, DataAction::UseDevice) => self.array(&base, clause, argument.span)?,
            (Some(section), _) => self.section(&base, action, section)?,
            (None, _) => self.whole(&base, symbol, action, clause, argument.span)?,
        };
        Ok(DataItem {
            action,
            text,
            object: base,
            symbol: symbol.filter(|_| !is_attachment(action)),
            extent,
            modifiers: DataModifiers::default(),
            implicit: false,
            span: argument.span,
        })
    }

    /// `(*p)[1:2]`, of a pointer to an array, is `p[0][1:2]`.
    fn subscripted(
        &self,
        base: Expression,
        section: Option<Section<Expression>>,
    ) -> (Expression, Option<Section<Expression>>) {
        let is_array = matches!(self.unit.types.get(base.ty.ty), Type::Array { .. });
        let ExpressionKind::Unary(UnaryOperator::Indirection, pointer) = &base.inner().kind else {
            return (base, section);
        };
        let mut section = match section {
            Some(section) if is_array => section,
            section => return (base, section),
        };
        let pointer = pointer.inner().clone();
        let int = synthesis::int(self.unit);
        let first = SectionDimension {
            parts: vec![Some(synthesis::integer(0, int, base.span))],
            span: base.span,
        };
        section.base = pointer.clone();
        section.dimensions.insert(0, first);
        (pointer, Some(section))
    }

    /// A flexible array member has no place on the device but that behind its
    /// struct, whose copy must have been made with room for it.
    fn not_flexible(
        &self,
        base: &Expression,
        action: DataAction,
        clause: &str,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let makes_copy = matches!(
            action,
            DataAction::Copy | DataAction::CopyIn | DataAction::CopyOut | DataAction::Create
        );
        let ExpressionKind::Member { base: object, .. } = &base.inner().kind else {
            return Ok(());
        };
        let is_flexible = matches!(
            self.unit.types.get(base.ty.ty),
            Type::Array {
                length: ArrayLength::Incomplete | ArrayLength::Constant(0),
                ..
            }
        );
        if !makes_copy || !is_flexible {
            return Ok(());
        }
        let member = self.text(base, None);
        let object = self.text(object, None);
        let message =
            format!("`{member}` is a flexible array member, part of what `{object}` points to");
        Err(
            Diagnostic::error(codes::BAD_SECTION, message, span).help(format!(
                "copy both as one piece: `char *bytes = (char *){object};` and \
                 `{clause}(bytes[0:sizeof *{object} + n * sizeof {member}[0]])`"
            )),
        )
    }

    /// `attach` and `detach` take pointers, wherever they lie.
    fn pointer(&self, base: &Expression, clause: &str, span: Span) -> Result<Extent, Diagnostic> {
        match self.unit.types.get(base.ty.ty) {
            Type::Pointer(_) => Ok(Extent::Whole),
            _ => Err(malformed(format!("`{clause}` takes pointers"), span)),
        }
    }

    /// `use_device` takes what has an address to give.
    fn array(&self, base: &Expression, clause: &str, span: Span) -> Result<Extent, Diagnostic> {
        match self.unit.types.get(base.ty.ty) {
            Type::Pointer(_) | Type::Array { .. } if base.as_symbol().is_some() => {
                Ok(Extent::Unknown)
            }
            _ => Err(malformed(
                format!("`{clause}` takes arrays and pointers by their names"),
                span,
            )
            .help("make a pointer to it before the directive, and name that")),
        }
    }

    /// The variable that an item names; none for members of structs and what
    /// pointers point to.
    fn variable(&self, base: &Expression, span: Span) -> Result<Option<SymbolId>, Diagnostic> {
        match base.as_symbol() {
            Some(symbol) if self.unit.symbol(symbol).is_variable() => Ok(Some(symbol)),
            Some(symbol) => Err(Diagnostic::error(
                codes::NOT_A_VARIABLE,
                format!("`{}` is not a variable", self.unit.symbol(symbol).name),
                span,
            )),
            None if is_part(base) => Ok(None),
            None => Err(Diagnostic::error(
                codes::NOT_A_VARIABLE,
                "a data clause takes variables, members and sections of them",
                span,
            )
            .help("give the expression a name of its own")),
        }
    }

    /// A variable without brackets.
    fn whole(
        &self,
        base: &Expression,
        symbol: Option<SymbolId>,
        action: DataAction,
        clause: &str,
        span: Span,
    ) -> Result<Extent, Diagnostic> {
        let unit = self.unit;
        let name = self.text(base, None);
        let no_length = |message: String| {
            let problem = Diagnostic::error(codes::BAD_SECTION, message, span);
            example_sections::helped(problem, unit, Some(clause), &name, span)
        };
        match unit.types.get(base.ty.ty) {
            Type::Pointer(_) if self.declares && action != DataAction::DevicePointer => {
                Ok(Extent::Whole)
            }
            Type::Array {
                length: ArrayLength::Incomplete,
                ..
            } if self.declares => Ok(Extent::Unknown),
            Type::Pointer(_) => {
                if let Some(symbol) = symbol
                    && let Some(declared) = unit.declared_arrays.get(&symbol)
                    && action != DataAction::DevicePointer
                {
                    return self.declared(symbol, *declared, action, span);
                }
                match action {
                    DataAction::Present
                    | DataAction::NoCreate
                    | DataAction::DevicePointer
                    | DataAction::Delete => Ok(Extent::Unknown),
                    _ => Err(no_length(format!(
                        "`{name}` is a pointer: `{clause}` needs a length"
                    ))),
                }
            }
            _ if action == DataAction::DevicePointer => Err(malformed(
                format!("`deviceptr` takes pointers, and `{name}` is none"),
                span,
            )),
            Type::Array {
                length: ArrayLength::Incomplete,
                ..
            } => Err(no_length(format!(
                "the length of `{name}` is not declared here"
            ))),
            Type::Function(_) | Type::Void => Err(malformed("a variable is expected", span)),
            _ => Ok(Extent::Whole),
        }
    }

    /// A parameter that was declared as an array has that array's length.
    fn declared(
        &self,
        symbol: SymbolId,
        declared: QualType,
        action: DataAction,
        span: Span,
    ) -> Result<Extent, Diagnostic> {
        let length = match self.unit.types.get(declared.ty) {
            Type::Array {
                length: ArrayLength::Constant(n),
                ..
            } => Length::Constant(*n),
            Type::Array {
                length: ArrayLength::Variable(id),
                ..
            } => Length::Expression(self.unit.length(*id).clone()),
            _ if matches!(
                action,
                DataAction::Present | DataAction::NoCreate | DataAction::Delete
            ) =>
            {
                return Ok(Extent::Unknown);
            }
            _ => {
                let name = &self.unit.symbol(symbol).name;
                let message = format!("`{name}` is declared without a length");
                let problem = Diagnostic::error(codes::BAD_SECTION, message, span);
                return Err(example_sections::helped(
                    problem, self.unit, None, name, span,
                ));
            }
        };
        let pointer = self.unit.symbol(symbol).ty.ty;
        let mut ranges = vec![Range {
            lower: None,
            length,
            extent: None,
            pointers: false,
        }];
        let inner = self.unit.types.pointee(pointer).unwrap_or(declared);
        let element = lengths::whole_dimensions(self.unit, inner, 1, &mut ranges);
        Ok(Extent::Section { ranges, element })
    }

    fn section(
        &self,
        base: &Expression,
        action: DataAction,
        section: &Section<Expression>,
    ) -> Result<Extent, Diagnostic> {
        let unit = self.unit;
        let mut ty = base.ty;
        let mut ranges: Vec<Range> = Vec::new();
        // What the last brackets say may belong into the first ones.
        let depth = self.depth(base.ty);
        if let Some(surplus) = section.dimensions.get(depth).filter(|_| depth > 0) {
            return Err(self.no_dimension(base, depth, section, surplus));
        }
        for (depth, dimension) in section.dimensions.iter().enumerate() {
            let declared = match unit.types.get(ty.ty) {
                Type::Pointer(to) => {
                    ty = *to;
                    if let Some(outer) = ranges.last_mut() {
                        outer.pointers = true;
                    }
                    None
                }
                Type::Array { element, length } => {
                    let extent = lengths::declared(*length, depth);
                    ty = *element;
                    extent
                }
                _ => return Err(self.no_dimension(base, depth, section, dimension)),
            };
            ranges.push(self.range(dimension, declared, ty, base)?);
        }
        let element = lengths::whole_dimensions(unit, ty, ranges.len(), &mut ranges);
        if matches!(unit.types.get(element.ty), Type::Void | Type::Function(_)) {
            let message = "a section of `void` has no size";
            return Err(Diagnostic::error(codes::BAD_SECTION, message, section.span)
                .help("use a pointer to the elements' type"));
        }
        self.contiguous(action, section, &ranges)?;
        Ok(Extent::Section { ranges, element })
    }

    /// How many brackets there may be behind an object.
    fn depth(&self, mut ty: QualType) -> usize {
        let mut depth = 0;
        while let Type::Pointer(inner) | Type::Array { element: inner, .. } =
            self.unit.types.get(ty.ty)
        {
            (ty, depth) = (*inner, depth + 1);
        }
        depth
    }

    /// More brackets than the object has dimensions.
    fn no_dimension(
        &self,
        base: &Expression,
        depth: usize,
        section: &Section<Expression>,
        dimension: &SectionDimension<Expression>,
    ) -> Diagnostic {
        let name = self.text(base, None);
        let (message, span) = if depth == 0 {
            (
                format!("`{name}` is neither array nor pointer"),
                section.span,
            )
        } else {
            let plural = if depth == 1 { "" } else { "s" };
            (
                format!("`{name}` has {depth} dimension{plural}"),
                dimension.span,
            )
        };
        let problem = Diagnostic::error(codes::BAD_SECTION, message, span);
        match depth {
            0 => problem,
            _ => problem.help(example_sections::with_dimensions(
                self.unit, base, depth, section,
            )),
        }
    }

    /// Each piece between pointers is one piece of memory, except in `update`
    /// of arrays that no pointers lead to.
    fn contiguous(
        &self,
        action: DataAction,
        section: &Section<Expression>,
        ranges: &[Range],
    ) -> Result<(), Diagnostic> {
        let is_update = matches!(action, DataAction::UpdateHost | DataAction::UpdateDevice);
        if is_update && !ranges.iter().any(|range| range.pointers) {
            return Ok(());
        }
        let mut before = 0;
        for piece in ranges.split_inclusive(|range| range.pointers) {
            if let Some(gap) = self.gap(piece) {
                let dimension = section.dimensions.get(before + gap);
                let span = dimension.map_or(section.span, |d| d.span);
                let message = "the section is not contiguous: only part of this dimension is in it";
                return Err(Diagnostic::error(codes::BAD_SECTION, message, span).help(
                    "take this dimension whole; of the dimensions, the first may be a part",
                ));
            }
            before += piece.len();
        }
        Ok(())
    }

    /// One pair of brackets. `element` is the type below it.
    fn range(
        &self,
        dimension: &SectionDimension<Expression>,
        extent: Option<Length>,
        element: QualType,
        base: &Expression,
    ) -> Result<Range, Diagnostic> {
        let (lower, length) = match dimension.parts.as_slice() {
            [Some(index)] => (Some(index), Some(Length::Constant(1))),
            [None] => {
                let problem = section_problem("the brackets are empty", dimension.span);
                return Err(self.example(problem, extent.as_ref(), base, dimension.span));
            }
            [lower, length] => (
                lower.as_ref(),
                length.as_ref().map(|e| known_length(self.unit, e)),
            ),
            _ => {
                let message = "a section has a first element and a length, and no stride";
                let problem = section_problem(message, dimension.span);
                return Err(problem.help("name all elements that it spans: `[first:length]`"));
            }
        };
        for part in dimension.parts.iter().flatten() {
            if !self.unit.types.is_integer(part.ty.ty) {
                return Err(section_problem(
                    "the bounds of a section are integers",
                    part.span,
                ));
            }
        }
        let length = match (length, &extent) {
            (Some(length), _) => length,
            (None, Some(extent)) => self.rest(lower, extent, element, base, dimension.span),
            (None, None) => {
                let problem = section_problem(
                    "the length cannot be left out: a pointer's target has no declared length",
                    dimension.span,
                );
                let is_whole = lower.is_none_or(|e| evaluate(self.unit, e) == Some(0));
                return Err(match is_whole {
                    true => self.example(problem, None, base, dimension.span),
                    false => problem,
                });
            }
        };
        bounds(self.unit, dimension, &length, extent.as_ref())?;
        Ok(Range {
            lower: lower.filter(|e| evaluate(self.unit, e) != Some(0)).cloned(),
            length,
            extent,
            pointers: false,
        })
    }

    /// A problem of a dimension of a section of `base`, with how that is written.
    fn example(
        &self,
        problem: Diagnostic,
        extent: Option<&Length>,
        base: &Expression,
        span: Span,
    ) -> Diagnostic {
        let text = match extent {
            Some(Length::Constant(n)) => format!("[0:{n}]"),
            Some(_) => "[:]".to_owned(),
            None => {
                let name = self.text(base, None);
                return example_sections::brackets(problem, self.unit, &name, span);
            }
        };
        problem.help(format!("write `{text}`")).replacement(text)
    }

    /// The length from `lower` to the end of a dimension.
    fn rest(
        &self,
        lower: Option<&Expression>,
        extent: &Length,
        element: QualType,
        base: &Expression,
        span: Span,
    ) -> Length {
        let Some(lower) = lower.filter(|e| evaluate(self.unit, e) != Some(0)) else {
            return extent.clone();
        };
        if let (Length::Constant(n), Some(first)) = (extent, evaluate(self.unit, lower))
            && let Ok(rest) = u64::try_from(i128::from(*n) - first)
        {
            return Length::Constant(rest);
        }
        let number = |n: u64| synthesis::integer(i128::from(n), self.size, span);
        let total = match extent {
            Length::Constant(n) => number(*n),
            Length::Expression(e) => e.clone(),
            Length::Variable { depth } => {
                let array = self.dimension_type(base, *depth);
                let bytes = |ty: QualType| match self.unit.types.size(ty.ty) {
                    Some(bytes) => number(bytes),
                    None => Expression {
                        kind: ExpressionKind::SizeofVariable(ty),
                        ty: QualType::plain(self.size),
                        span,
                    },
                };
                let (array, element) = (bytes(array), bytes(element));
                synthesis::binary(BinaryOperator::Divide, array, element, self.size)
            }
        };
        let rest = synthesis::binary(BinaryOperator::Subtract, total, lower.clone(), self.size);
        Length::Expression(Expression { span, ..rest })
    }

    /// The type of an object after `depth` dereferences.
    fn dimension_type(&self, base: &Expression, depth: usize) -> QualType {
        let mut ty = base.ty;
        for _ in 0..depth {
            ty = self.unit.types.pointee(ty.ty).unwrap_or(ty);
        }
        ty
    }

    /// The first dimension that is provably a part of its extent although an
    /// earlier one has more than one element.
    fn gap(&self, ranges: &[Range]) -> Option<usize> {
        let mut several = false;
        for (depth, range) in ranges.iter().enumerate() {
            let part = match (&range.length, &range.extent) {
                (Length::Constant(length), Some(Length::Constant(extent))) => length != extent,
                _ => range
                    .lower
                    .as_ref()
                    .is_some_and(|e| evaluate(self.unit, e).is_some_and(|first| first != 0)),
            };
            if several && part {
                return Some(depth);
            }
            several |= !matches!(range.length, Length::Constant(0 | 1));
        }
        None
    }

    fn text(&self, base: &Expression, section: Option<&Section<Expression>>) -> String {
        let mut text = Printer::text(self.unit, &C, base);
        let brackets = section.map_or(String::new(), |s| dimensions_text(self.unit, s));
        text.push_str(&without_suffixes(&brackets));
        text
    }
}

/// An object and its brackets.
type Sectioned = (Expression, Option<Section<Expression>>);

/// What an item names and the brackets behind it; `a[i][j]` without a colon is
/// an expression to the parser.
pub fn taken_apart(item: &Argument<Expression>) -> Result<Sectioned, Diagnostic> {
    let base = base(item)?;
    Ok(match &item.value {
        ArgumentValue::Section(section) => (base.clone(), Some(section.clone())),
        ArgumentValue::Expression(e) => element(e),
        _ => (base.clone(), None),
    })
}

/// `a[i][j]` without a colon: a section of one element.
fn element(expression: &Expression) -> Sectioned {
    let mut dimensions = Vec::new();
    let mut base = expression.inner();
    while let ExpressionKind::Index(inner, index) = &base.kind {
        dimensions.push(SectionDimension {
            parts: vec![Some((**index).clone())],
            span: index.span,
        });
        base = inner.inner();
    }
    dimensions.reverse();
    let section = (!dimensions.is_empty()).then(|| Section {
        base: base.clone(),
        dimensions,
        span: expression.span,
    });
    (base.clone(), section)
}

/// Whether a clause is about a pointer itself, not about a part of its target.
fn is_attachment(action: DataAction) -> bool {
    matches!(action, DataAction::Attach | DataAction::Detach)
}

/// Whether an expression names part of a variable, or what a pointer points to.
pub fn is_part(expression: &Expression) -> bool {
    match &expression.inner().kind {
        ExpressionKind::Symbol(_) => true,
        ExpressionKind::Member { base, .. }
        | ExpressionKind::Index(base, _)
        | ExpressionKind::Unary(UnaryOperator::Indirection, base)
        | ExpressionKind::Cast(base) => is_part(base),
        _ => false,
    }
}

fn known_length(unit: &Unit, length: &Expression) -> Length {
    match evaluate(unit, length).and_then(|n| u64::try_from(n).ok()) {
        Some(n) => Length::Constant(n),
        None => Length::Expression(length.clone()),
    }
}

/// Reports bounds that are wrong whatever the variables hold.
fn bounds(
    unit: &Unit,
    dimension: &SectionDimension<Expression>,
    length: &Length,
    extent: Option<&Length>,
) -> Result<(), Diagnostic> {
    let (lower, last) = match dimension.parts.as_slice() {
        [lower, last, ..] => (lower.as_ref(), last.as_ref()),
        [lower] => (lower.as_ref(), None),
        [] => (None, None),
    };
    if let Length::Expression(e) = length
        && evaluate(unit, e).is_some_and(|n| n < 0)
    {
        return Err(section_problem("the length is negative", e.span));
    }
    let first = match lower {
        None => Some(0),
        Some(e) => evaluate(unit, e),
    };
    let (Some(first), Length::Constant(length), Some(Length::Constant(extent))) =
        (first, length, extent)
    else {
        return Ok(());
    };
    if first < 0 || first + i128::from(*length) > i128::from(*extent) {
        let message = format!("the section reaches beyond the dimension's {extent} elements");
        let problem = section_problem(&message, dimension.span);
        // As Fortran has it, the second number would be the last element.
        let is_last = first >= 0 && i128::from(*length) <= i128::from(*extent);
        let has_last = length < extent;
        let rest = i128::from(*length) - first;
        let written = |e: &Expression| {
            let written = unit.spellings.in_directive(e.span);
            written.unwrap_or_else(|| Printer::text(unit, &C, e))
        };
        let whole = last.filter(|_| first == 1 && length == extent).map(written);
        return Err(match is_last && rest > 0 {
            true if whole.is_some() => {
                let right = format!("[0:{}]", whole.unwrap_or_default());
                let help = "the second number is how many elements, counted from 0: write";
                problem
                    .help(format!("{help} `{right}` for all"))
                    .replacement(right)
            }
            true => {
                let right = format!("[{first}:{}]", rest + i128::from(has_last));
                let last = length - u64::from(!has_last);
                let help = "the second number is how many elements: write";
                problem
                    .help(format!("{help} `{right}` for those up to number {last}"))
                    .replacement(right)
            }
            false => problem,
        });
    }
    Ok(())
}

fn section_problem(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error(codes::BAD_SECTION, message, span)
        .help("a section is `name[first:length]`; both count elements")
}

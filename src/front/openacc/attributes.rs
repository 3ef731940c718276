//! Data attributes of what a compute construct uses (OpenACC 3.3, section
//! 2.6): explicit, visible from `data` constructs around it, or implicit.
//!
//! | variable | parallel, serial | kernels |
//! |---|---|---|
//! | scalar | by value | by value if only read, else copied |
//! | scalar of `declare link` | copied if not present | same |
//! | struct | by value if only read, else copied | same |
//! | struct whose pointers are followed | copied if not present | same |
//! | array | copied if not present | same |
//! | pointer | its target must be present, or `extents` tells what to copy | same |

use super::check::not_yet;
use super::clauses::{ComputeClauses, DefaultClause};
use crate::analysis::escapes::is_of_host;
use crate::diagnostic::{Diagnostic, codes};
use crate::front::lowering::usage::Use;
use crate::ir::{DataAction, DataItem, Execution, Extent, Length, Passing, Range, RegionLocal};
use crate::typed::{
    ArrayLength, ExpressionKind, QualType, Storage, SymbolId, SymbolKind, Type, Unit,
};

/// The most bytes of a constant array whose copy stays on the device.
const MOST_KEPT: u64 = 64 << 10;

/// How a variable reaches a kernel, and what that asks of the region.
#[derive(Debug)]
pub struct Attribute {
    /// How it reaches the kernel.
    pub passing: Passing,
    /// The implicit data item, if it needs one.
    pub item: Option<DataItem>,
    /// What is wrong with it.
    pub problem: Option<Diagnostic>,
}

impl Attribute {
    fn of(passing: Passing, item: Option<DataItem>) -> Self {
        Self {
            passing,
            item,
            problem: None,
        }
    }
}

/// What the attributes depend on.
pub struct Context<'c> {
    /// What ids refer to.
    pub unit: &'c Unit,
    /// The construct.
    pub construct: Execution,
    /// Its clauses.
    pub clauses: &'c ComputeClauses,
    /// The data clauses of the `data` constructs around it, innermost last.
    pub visible: &'c [DataItem],
    /// `default` of the construct or of the nearest `data` around it.
    pub default: Option<DefaultClause>,
    /// The variables that `declare` brings to the device.
    pub declared: &'c [SymbolId],
    /// Variables of reductions that reach the construct's end.
    pub reduced: &'c [SymbolId],
}

/// What a variable is to a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Scalar,
    Record,
    Array,
    Pointer,
}

impl Context<'_> {
    /// The attribute of a variable. `place` sums up its uses in the region.
    pub fn attribute(&self, symbol: SymbolId, place: Use) -> Attribute {
        let shape = self.shape(symbol);
        if self.clauses.firstprivates.contains(&symbol) {
            let passing = match shape {
                // The address itself, whatever is there.
                Shape::Pointer => Passing::DevicePointer,
                _ => Passing::Value,
            };
            let moved = self.assigned_pointer(symbol, shape, place);
            return Attribute {
                problem: moved.or_else(|| self.copied_address(symbol, shape, place)),
                ..Attribute::of(passing, None)
            };
        }
        let explicit = self.clauses.data.iter().find(|i| i.symbol == Some(symbol));
        let visible = self.visible.iter().rfind(|i| i.symbol == Some(symbol));
        let mut attribute = match (explicit, visible) {
            (Some(item), _) => Attribute::of(passing(shape, item.action), None),
            (_, Some(outer)) => {
                let item = self.inherited(outer, place);
                Attribute::of(passing(shape, outer.action), item)
            }
            _ => self.implicit(symbol, shape, place),
        };
        let is_known = explicit.is_some()
            || visible.is_some()
            || self.unit.launch_values.contains_key(&symbol)
            || self.reduced.contains(&symbol);
        attribute.problem = match self.default {
            Some(DefaultClause::None(clause)) if !is_known => {
                Some(self.missing(symbol, place, clause))
            }
            _ => self.assigned_pointer(symbol, shape, place),
        };
        attribute
    }

    /// The attribute of a variable that several launches of the region share,
    /// and that nothing outside of it knows.
    pub fn local(&self, local: &RegionLocal, place: Use) -> Attribute {
        let shape = self.shape(local.symbol);
        let item = || self.item(local.symbol, DataAction::Create, Extent::Whole, place);
        match local.value {
            Some(_) => Attribute::of(Passing::Value, None),
            None => Attribute::of(passing(shape, DataAction::Create), Some(item())),
        }
    }

    fn shape(&self, symbol: SymbolId) -> Shape {
        match self.unit.types.get(self.unit.symbol(symbol).ty.ty) {
            Type::Array { .. } => Shape::Array,
            Type::Pointer(_) => Shape::Pointer,
            Type::Record(_) | Type::VaList => Shape::Record,
            _ => Shape::Scalar,
        }
    }

    fn implicit(&self, symbol: SymbolId, shape: Shape, place: Use) -> Attribute {
        let changed = place.assigned || place.written;
        let reduced = self.reduced.contains(&symbol);
        let present = self.default == Some(DefaultClause::Present);
        let (passing, action) = match shape {
            Shape::Pointer => (Passing::Pointer, Some(DataAction::Find)),
            Shape::Array => (
                Passing::Array,
                Some(self.array_action(symbol, place, present)),
            ),
            Shape::Record if present => (Passing::Reference, Some(DataAction::Present)),
            // What a member points to is attached to the struct's copy.
            Shape::Record if changed || place.deep || self.has_members(symbol) => {
                (Passing::Reference, Some(DataAction::Copy))
            }
            // What `link` names is there by then, or comes and goes (2.13.4).
            Shape::Scalar
                if reduced
                    || self.construct == Execution::Automatic && changed
                    || self.declared.contains(&symbol) =>
            {
                (Passing::Reference, Some(DataAction::Copy))
            }
            Shape::Record | Shape::Scalar => (Passing::Value, None),
        };
        let item = action.map(|action| {
            let extent = match action {
                DataAction::Find => Extent::Unknown,
                _ => Extent::Whole,
            };
            self.item(symbol, action, extent, place)
        });
        Attribute::of(passing, item)
    }

    /// Arrays come and go, unless no kernel changes them or they have no known size.
    /// What the kernel writes into a window only does not change.
    fn array_action(&self, symbol: SymbolId, place: Use, present: bool) -> DataAction {
        let ty = self.unit.symbol(symbol).ty;
        if let Type::Array {
            length: ArrayLength::Incomplete,
            ..
        } = self.unit.types.get(ty.ty)
        {
            return DataAction::Find;
        }
        if present {
            return DataAction::Present;
        }
        let is_const = self.unit.types.innermost(ty).qualifiers.is_const;
        if is_const && self.is_kept(symbol) {
            DataAction::Constant
        } else if is_const || !place.written {
            DataAction::CopyIn
        } else {
            DataAction::Copy
        }
    }

    /// Whether the copy of a constant array may stay on the device for good: the array is there as
    /// long as the program runs, and is small.
    fn is_kept(&self, symbol: SymbolId) -> bool {
        let variable = self.unit.symbol(symbol);
        let types = &self.unit.types;
        let is_small = types
            .size(variable.ty.ty)
            .is_some_and(|bytes| bytes <= MOST_KEPT);
        let is_static = matches!(
            variable.kind,
            SymbolKind::Variable(Storage::LocalStatic | Storage::FileStatic | Storage::External)
        );
        is_static && is_small && !types.innermost(variable.ty).qualifiers.is_volatile
    }

    /// A variable of a `data` construct around this one is there already.
    fn inherited(&self, outer: &DataItem, place: Use) -> Option<DataItem> {
        let symbol = outer.symbol?;
        let action = match outer.action {
            DataAction::NoCreate => DataAction::NoCreate,
            DataAction::DevicePointer => DataAction::DevicePointer,
            _ if matches!(outer.extent, Extent::Whole) => DataAction::Present,
            _ => DataAction::Find,
        };
        let extent = match action {
            DataAction::Find => first_element(&outer.extent),
            _ => outer.extent.clone(),
        };
        Some(self.item(symbol, action, extent, place))
    }

    fn item(&self, symbol: SymbolId, action: DataAction, extent: Extent, place: Use) -> DataItem {
        DataItem {
            implicit: true,
            ..DataItem::of_variable(self.unit, symbol, action, extent, place.span)
        }
    }

    /// Whether a data clause of the construct names members of a struct, which
    /// are attached to the struct's copy.
    fn has_members(&self, symbol: SymbolId) -> bool {
        let mut members = self
            .clauses
            .data
            .iter()
            .filter(|item| item.symbol.is_none());
        members.any(|item| {
            let mut object = item.object.inner();
            while let ExpressionKind::Member {
                base, arrow: false, ..
            } = &object.kind
            {
                object = base.inner();
            }
            object.as_symbol() == Some(symbol)
        })
    }

    fn missing(&self, symbol: SymbolId, place: Use, clause: crate::source::Span) -> Diagnostic {
        let name = &self.unit.symbol(symbol).name;
        let help = match self.shape(symbol) {
            Shape::Scalar if self.construct == Execution::Automatic => {
                format!("add `copyin({name})` or `copy({name})`")
            }
            Shape::Scalar => format!("add `firstprivate({name})` or a data clause"),
            Shape::Pointer => format!("add `present({name})` or a data clause with a length"),
            Shape::Record | Shape::Array => format!("add a data clause such as `copyin({name})`"),
        };
        let message =
            format!("`{name}` is used in a region with `default(none)` and has no clause");
        Diagnostic::error(codes::DEFAULT_NONE, message, place.span)
            .also(clause, "asks for a clause for every variable")
            .help(help)
    }

    /// A `firstprivate` pointer that the region follows, to what `data` around
    /// brings to the device, or to what the host allocated: its copy is the address on the
    /// host (2.5.13).
    fn copied_address(&self, symbol: SymbolId, shape: Shape, place: Use) -> Option<Diagnostic> {
        let mut around = self.visible.iter().rev();
        let outer = around.find(|item| item.symbol == Some(symbol));
        if shape != Shape::Pointer || !place.followed {
            return None;
        }
        let is_of_host = match outer {
            Some(outer) => outer.action != DataAction::DevicePointer,
            None => is_of_host(self.unit, symbol),
        };
        is_of_host.then(|| {
            let name = &self.unit.symbol(symbol).name;
            let message = format!("`firstprivate({name})` copies the host's address");
            let warning = Diagnostic::warning(codes::CLAUSE_CONFLICT, message, place.span)
                .help("leave it out of `firstprivate`: the region then has the device's address");
            match outer {
                Some(outer) => warning.also(
                    outer.span,
                    "what it points to is brought to the device here",
                ),
                None => warning,
            }
        })
    }

    /// A pointer of the host that the region itself moves.
    fn assigned_pointer(&self, symbol: SymbolId, shape: Shape, place: Use) -> Option<Diagnostic> {
        (shape == Shape::Pointer && place.assigned).then(|| {
            let name = &self.unit.symbol(symbol).name;
            let message = format!("a region that assigns the host's pointer `{name}`");
            not_yet(message, place.span).help("copy it into a pointer declared in the region")
        })
    }
}

/// How a variable in a data clause reaches the kernel.
fn passing(shape: Shape, action: DataAction) -> Passing {
    match (shape, action) {
        (Shape::Pointer, DataAction::DevicePointer) => Passing::DevicePointer,
        (Shape::Pointer, _) => Passing::Pointer,
        (Shape::Array, _) => Passing::Array,
        (Shape::Scalar | Shape::Record, _) => Passing::Reference,
    }
}

/// One element at the start of a section: enough to find the whole. A section
/// from index 0 is found by the pointer itself.
fn first_element(extent: &Extent) -> Extent {
    let Extent::Section { ranges, element } = extent else {
        return Extent::Unknown;
    };
    let from_start = ranges.iter().all(|range| range.lower.is_none());
    if from_start || ranges.iter().any(|range| range.pointers) {
        return Extent::Unknown;
    }
    Extent::Section {
        ranges: ranges
            .iter()
            .map(|range| Range {
                lower: range.lower.clone(),
                length: Length::Constant(1),
                extent: range.extent.clone(),
                pointers: false,
            })
            .collect(),
        element: QualType { ..*element },
    }
}

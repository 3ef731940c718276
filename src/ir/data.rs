//! What is done with which data (OpenACC 3.3, section 2.7).

use crate::source::Span;
use crate::typed::{ArrayLength, Expression, QualType, SymbolId, Type, Types, Unit, synthesis};

/// One variable of a data clause, or an implicit data attribute.
#[derive(Clone, Debug)]
pub struct DataItem {
    /// What is done.
    pub action: DataAction,
    /// The variable, member or pointer that the section is of.
    pub object: Expression,
    /// The variable, where the object is just a name.
    pub symbol: Option<SymbolId>,
    /// Which part of it.
    pub extent: Extent,
    /// What is done beside the action itself.
    pub modifiers: DataModifiers,
    /// As written (`temp[0:size]`), for messages and traces.
    pub text: String,
    /// Not written by the user but implied (section 2.6.2).
    pub implicit: bool,
    /// Where it is written, or the first use that implies it.
    pub span: Span,
}

/// What modifiers of a data clause ask for (OpenACC 3.4, section 2.7.4). `readonly`
/// and `capture` ask for nothing where the memories are separate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataModifiers {
    /// Fresh device memory is filled with zeros.
    pub zero: bool,
    /// To the device at the start, even where it is present already.
    pub always_in: bool,
    /// Back at the end, even where others still use it.
    pub always_out: bool,
    /// The section is of a pointer that is on the device itself: its copy
    /// there is attached.
    pub attach: bool,
}

/// What is done with data; each `present_or_` spelling has the same action as
/// the plain one (section 2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataAction {
    /// To the device at the start, back at the end.
    Copy,
    /// To the device at the start.
    CopyIn,
    /// Back at the end.
    CopyOut,
    /// Device memory, not initialised.
    Create,
    /// Must be on the device already.
    Present,
    /// Uses the device's copy if there is one.
    NoCreate,
    /// Is a device address.
    DevicePointer,
    /// An implicit use of memory of unknown size behind a pointer: the copy
    /// that is present there, or an error at launch that names the variable.
    Find,
    /// An implicit use of a constant of the program: to the device where it is not there, to stay.
    Constant,
    /// As `Find`; what is not there is copied to the device and back.
    FindOrCopy,
    /// As `Find`; what is not there is copied to the device.
    FindOrCopyIn,
    /// The device's copy of a pointer is made to point to the device's copy of
    /// its target.
    Attach,
    /// Undoes that.
    Detach,
    /// The host's code sees the device's address instead of the variable's.
    UseDevice,
    /// Ends a dynamic lifetime without copying.
    Delete,
    /// `update host` or `self`.
    UpdateHost,
    /// `update device`.
    UpdateDevice,
}

/// The part of an object.
#[derive(Clone, Debug)]
pub enum Extent {
    /// All of a variable of complete type (a VLA included).
    Whole,
    /// Memory of unknown size behind a pointer.
    Unknown,
    /// As `Unknown`, of a pointer without a clause; why the region does not tell
    /// the size, as a clause of a sentence.
    Unmeasured(String),
    /// A section of an array or of what a pointer points to, outermost
    /// dimension first. In data clauses it is contiguous: all dimensions after
    /// the first are whole (section 2.7.1); in `update` it need not be. Where
    /// elements are pointers that are followed, each piece between them is.
    Section {
        /// The ranges.
        ranges: Vec<Range>,
        /// The type of the innermost elements.
        element: QualType,
    },
}

/// The range of one dimension, in elements of that dimension.
#[derive(Clone, Debug)]
pub struct Range {
    /// First index; 0 if `None`.
    pub lower: Option<Expression>,
    /// How many.
    pub length: Length,
    /// The declared length of the dimension; `None` for the outermost of a
    /// pointer.
    pub extent: Option<Length>,
    /// Its elements are pointers, and the next dimension is behind each.
    pub pointers: bool,
}

impl DataItem {
    /// What is done with a variable, or with an extent of it, that no clause names.
    pub fn of_variable(
        unit: &Unit,
        symbol: SymbolId,
        action: DataAction,
        extent: Extent,
        span: Span,
    ) -> Self {
        Self {
            action,
            object: synthesis::symbol(unit, symbol, span),
            symbol: Some(symbol),
            extent,
            modifiers: DataModifiers::default(),
            text: unit.symbol(symbol).name.clone(),
            implicit: false,
            span,
        }
    }

    /// Whether its object is a pointer in memory that is present on its own,
    /// such as a member of a structure or a global variable that is on the
    /// device: the pointer's copy is attached.
    pub fn attaches(&self, types: &Types) -> bool {
        (self.symbol.is_none() || self.modifiers.attach)
            && types.is_pointer(self.object.ty.ty)
            && matches!(self.extent, Extent::Section { .. })
    }
}

/// A length in elements.
#[derive(Clone, Debug)]
pub enum Length {
    /// Known.
    Constant(u64),
    /// Given by the user.
    Expression(Expression),
    /// The declared length of this variable length array type: of `a`'s
    /// dimension `depth` (0 is the outermost after a pointer's own), recovered
    /// as a quotient of two `sizeof`.
    Variable {
        /// Dereferences of the object before the dimension in question.
        depth: usize,
    },
}

impl Length {
    /// The value of a dimension of an object of this type, as it was declared where that is known.
    pub fn value<'u>(&'u self, unit: &'u Unit, object: QualType) -> Option<&'u Expression> {
        let depth = match self {
            Self::Constant(_) => return None,
            Self::Expression(e) => return Some(e),
            Self::Variable { depth } => *depth,
        };
        let inside = |ty: QualType| match unit.types.get(ty.ty) {
            Type::Pointer(to) => Some(*to),
            Type::Array { element, .. } => Some(*element),
            _ => None,
        };
        let dimension = (0..depth).try_fold(object, |ty, _| inside(ty))?;
        match unit.types.get(dimension.ty) {
            Type::Array {
                length: ArrayLength::Variable(id),
                ..
            } => Some(unit.length(*id)),
            _ => None,
        }
    }
}

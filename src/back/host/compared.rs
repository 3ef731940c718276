//! What `check --compare` compares after a construct: sections with the layout of their elements.
//!
//! ```text
//! accrs_compare("scale.c", 3, "parallel loop");
//! accrs_compare_section("x[0:n]", x, 0, n * sizeof(float), "4 0f4*1");
//! …the construct, on the device or on the host…
//! accrs_compare_end();
//! ```
//!
//! A layout is the size of an element and its fields: offset, kind (`i` and `u` integers, `f`
//! floating point, `b` bytes), size, count and, of a structure, the member. What is not there
//! (pointers, padding) is not compared.

use serde::Serialize;

use super::Host;
use super::data::Clause;
use super::order::RuntimeCall;
use crate::diagnostic::Diagnostic;
use crate::ir::{DataAction, DataItem, Extent, Region};
use crate::typed::{Type, TypeId};

/// Members of members and elements of member arrays, listed one by one; a structure with more has
/// the rest of its bytes left out.
const MOST_FIELDS: usize = 200;

/// A call of `accrs_compare_section`.
#[derive(Serialize)]
pub(super) struct Compared {
    /// Rows behind pointers.
    before: Vec<RuntimeCall>,
    arguments: String,
}

/// A scalar member, or several in a row.
struct Field {
    offset: u64,
    kind: char,
    size: u64,
    count: u64,
    name: String,
}

impl Host<'_> {
    /// The sections that a compute construct may write, and those that it reads.
    ///
    /// # Errors
    /// A section whose size cannot be told.
    pub(super) fn compared(&self, region: &Region) -> Result<Vec<Compared>, Diagnostic> {
        let is_local = |item: &&DataItem| {
            let mut locals = region.locals.iter();
            locals.any(|local| item.symbol == Some(local.symbol))
        };
        let mut compared = Vec::new();
        for item in region.data.iter().filter(|item| !is_local(item)) {
            let is_address = matches!(
                item.action,
                DataAction::DevicePointer
                    | DataAction::Attach
                    | DataAction::Detach
                    | DataAction::UseDevice
            );
            let Some(layout) = self.layout(item).filter(|_| !is_address) else {
                continue;
            };
            let clause = self.clause(region, item)?;
            let section = if clause.names_pointer_alone() {
                format!("{}, 0, 0", clause.arguments)
            } else {
                clause.arguments
            };
            let rows = clause.before.into_iter().filter(|call| call.call == "rows");
            compared.push(Compared {
                before: rows.collect(),
                arguments: format!("{section}, \"{layout}\""),
            });
        }
        Ok(compared)
    }

    /// The layout of an item's elements; none where they have nothing to compare.
    fn layout(&self, item: &DataItem) -> Option<String> {
        let types = &self.unit.types;
        let element = match &item.extent {
            Extent::Section { element, .. } => *element,
            Extent::Whole => types.innermost(item.object.ty),
            Extent::Unknown | Extent::Unmeasured(_) => match types.pointee(item.object.ty.ty) {
                Some(to) => types.innermost(to),
                None => types.innermost(item.object.ty),
            },
        };
        let element = types.innermost(element).ty;
        let size = types.size(element).filter(|size| *size > 0)?;
        let mut fields = Vec::new();
        self.add_fields(element, 0, "", &mut fields);
        if fields.is_empty() {
            return None;
        }
        let fields = fields.iter().map(|field| {
            let Field {
                offset,
                kind,
                size,
                count,
                name,
            } = field;
            format!(" {offset}{kind}{size}*{count}{name}")
        });
        Some(format!("{size}{}", fields.collect::<String>()))
    }

    fn add_fields(&self, ty: TypeId, offset: u64, name: &str, fields: &mut Vec<Field>) {
        let types = &self.unit.types;
        let mut add = |kind, size, count| {
            fields.push(Field {
                offset,
                kind,
                size,
                count,
                name: name.to_owned(),
            });
        };
        match types.get(ty) {
            Type::Bool => add('u', 1, 1),
            Type::Integer(kind) => add(if kind.is_signed() { 'i' } else { 'u' }, kind.size(), 1),
            Type::Enum(id) => {
                let kind = types.enumeration(*id).underlying;
                add(if kind.is_signed() { 'i' } else { 'u' }, kind.size(), 1);
            }
            Type::Floating(kind) => add('f', kind.size(), 1),
            Type::Complex(kind) => add('f', kind.size(), 2),
            Type::Array { element, .. } => {
                let (Some(all), Some(one)) = (types.size(ty), types.size(element.ty)) else {
                    return;
                };
                let first = fields.len();
                self.add_fields(element.ty, offset, name, fields);
                let count = all.checked_div(one).unwrap_or(0);
                if let [only] = &mut fields[first..]
                    && only.size * only.count == one
                {
                    only.count *= count;
                    return;
                }
                for number in 1..count {
                    if fields.len() < MOST_FIELDS {
                        self.add_fields(element.ty, offset + number * one, name, fields);
                    }
                }
            }
            Type::Record(id) => {
                let record = types.record(*id);
                if record.is_union {
                    add('b', record.size, 1);
                    return;
                }
                for member in record.members.iter().flatten() {
                    // The rest of its storage unit may have no value.
                    if member.bit_field.is_some() || fields.len() >= MOST_FIELDS {
                        continue;
                    }
                    let own = match (&member.name, name) {
                        (Some(own), "") => own.clone(),
                        (Some(own), outer) => format!("{outer}.{own}"),
                        (None, outer) => outer.to_owned(),
                    };
                    self.add_fields(member.ty.ty, offset + member.offset, &own, fields);
                }
            }
            Type::Void
            | Type::Pointer(_)
            | Type::Function(_)
            | Type::Vector { .. }
            | Type::VaList => {}
        }
    }
}

impl Clause {
    /// Whether its arguments are a name and a pointer, and no section.
    fn names_pointer_alone(&self) -> bool {
        matches!(self.call, "implicit" | super::data::PRESENT_POINTER)
    }
}

//! `declare` outside of functions (OpenACC 3.3, section 2.13): global variables
//! that are on the device while the program runs.
//!
//! `copyin`, `create` and `device_resident` give them that lifetime; `link`
//! leaves it to later data directives. Device functions reach all of them by
//! name, in whichever file they are defined.
//!
//! ```text
//! copyin(table)   double table[N]        there from the start, with its bytes
//! create(field)   double *field          the pointer is there; data clauses
//!                                        with field[0:n] attach it
//! create(grid)    extern double grid[]   another file knows its length
//! link(huge)                             there while a data clause has it
//! deviceptr(raw)  double *raw            what it holds is a device address
//! ```

use super::check::{Checked, has_error, malformed};
use super::data;
use super::table::ClauseKind;
use crate::ast::ArgumentValue;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{DataAction, DataItem, Extent};
use crate::typed::{SymbolId, TypeId, Unit};

/// What the `declare` directives of a file say together.
#[derive(Debug, Default)]
pub struct Declared {
    /// Clauses that hold in every function.
    pub visible: Vec<DataItem>,
    /// Variables that device functions may name.
    pub reachable: Vec<SymbolId>,
}

/// Reads a `declare` at file scope; gives the variables whose lifetime is the
/// program's.
pub fn declare(
    unit: &Unit,
    checked: &Checked,
    size: TypeId,
    declared: &mut Declared,
    diagnostics: &mut Diagnostics,
) -> Vec<DataItem> {
    if checked.directive.clauses.is_empty() {
        let span = super::check::name_span(&checked.directive);
        diagnostics.push(
            malformed("`declare` names no data", span).help("add a clause such as `create(a)`"),
        );
    }
    let mut resident = Vec::new();
    let mut items = data::lower_declared(unit, &checked.clauses, size, diagnostics);
    items.retain(|item| match problem(unit, declared, item) {
        Some(problem) => {
            diagnostics.push(problem);
            false
        }
        None => true,
    });
    for item in items {
        if item.action == DataAction::DevicePointer {
            declared.visible.push(item);
            continue;
        }
        declared.reachable.extend(item.symbol);
        if matches!(item.extent, Extent::Whole) {
            resident.push(item.clone());
        }
        // A pointer's own copy is not what regions use of it.
        if !is_pointer(unit, &item) {
            declared.visible.push(item);
        }
    }
    declared.reachable.extend(linked(unit, checked));
    resident
}

/// The variables of `link`; a pointer among them is there from the start, as
/// [`data::lower_declared`] has it.
fn linked(unit: &Unit, checked: &Checked) -> Vec<SymbolId> {
    let clauses = checked.clauses.iter();
    let arguments = clauses
        .filter(|clause| clause.kind == ClauseKind::Link)
        .flat_map(|clause| clause.items());
    arguments
        .filter(|argument| !has_error(argument))
        .filter_map(|argument| match &argument.value {
            ArgumentValue::Name { symbol, .. } => symbol.as_ref()?.as_symbol(),
            _ => None,
        })
        .filter(|&symbol| unit.symbol(symbol).is_variable())
        .collect()
}

fn is_pointer(unit: &Unit, item: &DataItem) -> bool {
    unit.types.is_pointer(item.object.ty.ty)
}

fn problem(unit: &Unit, declared: &Declared, item: &DataItem) -> Option<Diagnostic> {
    let error = |code, message: &str| Diagnostic::error(code, message, item.span);
    let known = declared.visible.iter().find(|i| i.symbol == item.symbol);
    if let Some(first) = known.filter(|first| first.action != item.action) {
        let message = format!("`{}` stands in two `declare` clauses", item.text);
        let problem = error(codes::DUPLICATE_CLAUSE, &message).also(first.span, "first here");
        return Some(problem.help("keep the one that says what is to happen"));
    }
    let is_of_program = matches!(
        item.action,
        DataAction::CopyIn | DataAction::Create | DataAction::DevicePointer
    );
    if !is_of_program {
        let message = "outside of functions, `declare` takes `copyin`, `create`, `deviceptr`, `device_resident` and `link`";
        let help = "the other clauses end with a block: put the directive into a function";
        return Some(error(codes::CLAUSE_CONFLICT, message).help(help));
    }
    if !matches!(item.extent, Extent::Section { .. }) {
        return None;
    }
    let help = match is_pointer(unit, item) {
        true => "name the pointer alone, and use `enter data` where its memory is allocated",
        false => "name the array alone",
    };
    Some(error(codes::BAD_SECTION, "`declare` takes whole variables").help(help))
}

/// Marks the sections of declared pointers: their copies on the device are
/// attached (section 2.7.2).
pub fn attach(unit: &Unit, program_data: &[DataItem], items: &mut [DataItem]) {
    for item in items {
        let declared = program_data
            .iter()
            .any(|other| item.symbol.is_some() && other.symbol == item.symbol);
        if declared && is_pointer(unit, item) && matches!(item.extent, Extent::Section { .. }) {
            item.modifiers.attach = true;
        }
    }
}

//! Arrays that a kernel reads in constant memory.
//!
//! ```text
//! void blur(const float *w, …)          static __constant__ float blur_kernel_w[9];
//! {                                     …
//!     … w[k] …                          … blur_kernel_w[k] …
//! ```
//!
//! The launcher copies what is present of the array there, on the launch's own
//! stream.

use super::Input;
use super::kernel::Identity;
use super::language::Cuda;
use super::launcher::Launcher;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::ConstantArray;
use crate::typed::print::Language;
use crate::typed::{ArrayLength, QualType, Type, Unit};

/// The declaration of a table; the kernel's name for the array becomes the
/// table's.
///
/// # Errors
/// The table is of no array, which `memory_placement` does not let happen.
pub fn emit(
    input: Input<'_>,
    cuda: &mut Cuda,
    table: &ConstantArray,
    identity: &Identity<'_>,
    launcher: &mut Launcher,
) -> Result<String, Diagnostic> {
    let unit = input.unit;
    let symbol = unit.symbol(table.symbol);
    let Some(row) = unit.types.pointee(symbol.ty.ty) else {
        let message = format!(
            "internal: `{}` has no elements to be a table of",
            symbol.name
        );
        return Err(Diagnostic::error(codes::INVALID_IR, message, symbol.span));
    };
    let array = cuda.symbol(unit, table.symbol);
    let is_restrict = symbol.ty.qualifiers.is_restrict;
    let plain = super::kernel::pointer_text(unit, cuda, row, &array, false, is_restrict);
    let name = cuda.fresh(&format!("{}_{array}", identity.name));
    launcher.table(cuda, (&array, &plain), table.symbol, &symbol.name, &name);
    let (element, lengths) = parts(unit, row);
    let declarator = format!("{name}[{}]{lengths}", table.rows);
    cuda.names.insert(table.symbol, name);
    Ok(cuda.declare(unit, QualType::plain(element.ty), &declarator))
}

/// The element that rows come down to, and their lengths in brackets.
fn parts(unit: &Unit, row: QualType) -> (QualType, String) {
    let (mut element, mut lengths) = (row, String::new());
    while let Type::Array {
        element: inner,
        length,
    } = unit.types.get(element.ty)
    {
        if let ArrayLength::Constant(n) = length {
            lengths.push_str(&format!("[{n}]"));
        }
        element = *inner;
    }
    (element, lengths)
}

//! Arrays, and single variables, that a kernel reads in constant memory.
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
use super::launcher::{Argument, Launcher};
use crate::ir::ConstantArray;
use crate::typed::print::Language;
use crate::typed::{ArrayLength, QualType, Type, Unit};

/// The declaration of a table; the kernel's name for the array becomes the
/// table's.
pub fn emit(
    input: Input<'_>,
    cuda: &mut Cuda,
    table: &ConstantArray,
    identity: &Identity<'_>,
    launcher: &mut Launcher,
) -> String {
    let unit = input.unit;
    let symbol = unit.symbol(table.symbol);
    let own = cuda.symbol(unit, table.symbol);
    let name = cuda.fresh(&format!("{}_{own}", identity.name));
    let Some(row) = unit.types.pointee(symbol.ty.ty) else {
        let ty = QualType::plain(symbol.ty.ty);
        let text = cuda.declare(unit, ty, &format!("*{own}"));
        let argument = Argument::Address(table.symbol);
        launcher.table(cuda, (&own, &text), argument, &symbol.name, &name);
        cuda.names.insert(table.symbol, name.clone());
        return cuda.declare(unit, ty, &name);
    };
    let is_restrict = symbol.ty.qualifiers.is_restrict;
    let text = super::kernel::pointer_text(unit, cuda, row, &own, false, is_restrict);
    let argument = Argument::Pointer(table.symbol);
    launcher.table(cuda, (&own, &text), argument, &symbol.name, &name);
    let (element, lengths) = parts(unit, row);
    let declarator = format!("{name}[{}]{lengths}", table.rows);
    cuda.names.insert(table.symbol, name);
    cuda.declare(unit, QualType::plain(element.ty), &declarator)
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

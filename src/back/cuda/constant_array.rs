//! Arrays, and single variables, that a kernel reads in constant memory.
//!
//! ```text
//! void blur(const float *w, …)          static __constant__ float blur_kernel_w[9];
//! {                                     …
//!     … w[k] …                          … blur_kernel_w[k] …
//! ```
//!
//! The launcher copies what is present of the array there, on the launch's own
//! stream. Where not all tables of a file fit, they are members of one union, and
//! the kernel reads `constants.blur.w[k]`.

use serde::Serialize;

use super::Input;
use super::kernel::Identity;
use super::language::Cuda;
use super::launcher::{Argument, Launcher};
use crate::ir::ConstantArray;
use crate::typed::print::Language;
use crate::typed::{ArrayLength, QualType, Type, Unit};

/// The tables of one kernel.
#[derive(Debug, Serialize)]
pub struct Tables {
    /// The kernel's name.
    pub kernel: String,
    /// The declaration of each.
    pub declarations: Vec<String>,
}

/// The declaration of a table; the kernel's name for the array becomes the
/// table's. `union` is the variable that all tables share.
pub fn emit(
    input: Input<'_>,
    cuda: &mut Cuda,
    table: &ConstantArray,
    (identity, union): (&Identity<'_>, Option<&str>),
    launcher: &mut Launcher,
) -> String {
    let unit = input.unit;
    let symbol = unit.symbol(table.symbol);
    let own = cuda.symbol(unit, table.symbol);
    let (declared, name, filled) = match union {
        Some(union) => {
            let name = format!("{union}.{}.{own}", identity.name);
            let filled = format!("{union}, {name}");
            (own.clone(), name, filled)
        }
        None => {
            let name = cuda.fresh(&format!("{}_{own}", identity.name));
            (name.clone(), name.clone(), name)
        }
    };
    let Some(row) = unit.types.pointee(symbol.ty.ty) else {
        let ty = QualType::plain(symbol.ty.ty);
        let text = cuda.declare_as(unit, table.symbol, ty, &format!("*{own}"));
        let argument = Argument::Address(table.symbol);
        launcher.table(cuda, (&own, &text), argument, &symbol.name, filled);
        cuda.names.insert(table.symbol, name);
        return cuda.declare_as(unit, table.symbol, ty, &declared);
    };
    let is_restrict = symbol.ty.qualifiers.is_restrict;
    let text =
        super::kernel::pointer_text(unit, cuda, (table.symbol, row), &own, false, is_restrict);
    let argument = Argument::Pointer(table.symbol);
    launcher.table(cuda, (&own, &text), argument, &symbol.name, filled);
    let (element, lengths) = parts(unit, row);
    let declarator = format!("{declared}[{}]{lengths}", table.rows);
    cuda.names.insert(table.symbol, name);
    cuda.declare_as(unit, table.symbol, QualType::plain(element.ty), &declarator)
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

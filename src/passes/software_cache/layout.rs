//! Where windows lie in shared memory, and whether they fit.

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{Kernel, WindowMarks};
use crate::typed::Unit;

/// What static shared arrays of a kernel may take together.
const STATIC: u64 = 48 * 1024;

/// Bytes of all windows and marks of a kernel.
pub fn bytes(kernel: &Kernel, unit: &Unit) -> u64 {
    let size = |symbol| {
        unit.types
            .size(unit.symbol(symbol).ty.ty)
            .unwrap_or(u64::MAX)
    };
    kernel.windows.iter().fold(0, |sum: u64, window| {
        let marks = match window.marks {
            WindowMarks::Slots(marks) => size(marks),
            _ => 0,
        };
        sum.saturating_add(size(window.storage))
            .saturating_add(marks)
    })
}

/// Reports windows that are too large.
pub fn check(kernel: &Kernel, unit: &Unit, diagnostics: &mut Diagnostics) {
    let total = bytes(kernel, unit);
    if total <= STATIC {
        return;
    }
    if let Some(largest) = kernel
        .windows
        .iter()
        .max_by_key(|window| unit.types.size(unit.symbol(window.storage).ty.ty))
    {
        diagnostics.push(
            Diagnostic::error(
                codes::WINDOW_TOO_LARGE,
                format!("the windows of this kernel need {total} bytes of shared memory"),
                largest.span,
            )
            .label(format!("the largest is `{}`", largest.text))
            .help(format!(
                "a block has {STATIC}: make the block or the window smaller"
            )),
        );
    }
}

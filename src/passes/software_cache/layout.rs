//! Where windows lie in shared memory, and whether they fit.
//!
//! A kernel's static shared arrays may take 48 KB together. Windows beyond
//! that, and those whose size is known at the launch only, are in the
//! launch's dynamic shared memory, of which a block may have more where the
//! kernel asks for it (CUDA C++ Programming Guide, compute capabilities).
//! There regions that are never open together have the same bytes (see
//! [`super::overlay`]).

use super::overlay;
use crate::analysis::occupancy::Multiprocessor;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::limits::{DYNAMIC_SHARED, STATIC_SHARED};
use crate::ir::{Kernel, SharedWindow, WindowMarks};
use crate::typed::Unit;

/// What a reduction over a block takes: an element for each warp.
const REDUCTION: u64 = 32 * 16;

/// The most shared memory of a block on a device, in bytes.
fn limit(arch: u16) -> u64 {
    Multiprocessor::of(arch).map_or(STATIC_SHARED, Multiprocessor::shared_of_block)
}

/// That of the device which has the least, and which one it is.
fn least_limit(archs: &[u16]) -> (u64, Option<u16>) {
    let least = archs.iter().map(|&arch| (limit(arch), Some(arch))).min();
    least.unwrap_or((DYNAMIC_SHARED, None))
}

/// What the reductions of a kernel take, in bytes.
fn reductions(kernel: &Kernel) -> u64 {
    let reductions = kernel.grid_reductions.len() + kernel.block_reductions.len();
    REDUCTION * reductions.max(loop_reductions(kernel)) as u64
}

/// How many bytes the windows of a kernel that are open together may take.
pub(super) fn room(kernel: &Kernel, archs: &[u16]) -> u64 {
    least_limit(archs).0.saturating_sub(reductions(kernel))
}

/// Decides which windows are in dynamic shared memory, and reports those that
/// no block can have.
pub fn decide(kernel: &mut Kernel, unit: &Unit, archs: &[u16], diagnostics: &mut Diagnostics) {
    let Some(windows) = overlay::bytes(kernel, unit) else {
        for window in &mut kernel.windows {
            window.is_dynamic = !window.is_register;
        }
        return;
    };
    let reductions = reductions(kernel);
    if windows.apart.saturating_add(reductions) <= STATIC_SHARED {
        return overlay::merge(kernel, unit);
    }
    for window in &mut kernel.windows {
        window.is_dynamic = !window.is_register;
    }
    let total = windows.overlaid.saturating_add(reductions);
    let (limit, arch) = least_limit(archs);
    if total > limit {
        diagnostics.push(too_large(kernel, unit, total, limit, arch));
    }
}

/// Shared memory of a kernel's windows, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowBytes {
    /// In arrays of the kernel.
    pub fixed: u64,
    /// What the launch brings; `None` where only it knows.
    pub dynamic: Option<u64>,
}

/// What the windows of a decided kernel take.
pub fn window_bytes(kernel: &Kernel, unit: &Unit) -> WindowBytes {
    let is_dynamic = kernel.windows.iter().any(|window| window.is_dynamic);
    match overlay::bytes(kernel, unit) {
        bytes if is_dynamic => WindowBytes {
            fixed: 0,
            dynamic: bytes.map(|bytes| bytes.overlaid),
        },
        bytes => WindowBytes {
            fixed: bytes.map_or(0, |bytes| bytes.apart),
            dynamic: Some(0),
        },
    }
}

/// Says of each window how large it is and where it lies.
pub fn describe(number: usize, kernel: &Kernel, unit: &Unit, diagnostics: &mut Diagnostics) {
    let why = reason(kernel, unit);
    for window in &kernel.windows {
        let place = if window.is_dynamic {
            "dynamic"
        } else {
            "static"
        };
        if window.is_register {
            diagnostics.push(in_register(number, window));
            continue;
        }
        let bytes = unit.types.size(unit.symbol(window.storage).ty.ty);
        let size = match bytes {
            Some(bytes) => format!("{bytes} bytes"),
            None => "a size known at the launch".to_string(),
        };
        let marks = match window.marks {
            WindowMarks::None => "nothing is written back",
            WindowMarks::Always => "each thread writes its own slot back",
            WindowMarks::Flag(_) => "each thread that wrote its slot writes it back",
            WindowMarks::Slots(_) => "a byte a slot says what is written back",
            WindowMarks::Part => "which slots are written back is known",
        };
        let mut note = Diagnostic::remark(
            codes::WINDOW_DECISION,
            format!("`{}` is in {place} shared memory: {size}", window.text),
            window.span,
        )
        .note(why.clone())
        .note(marks)
        .data("kernel", number)
        .data("window", window.text.as_str())
        .data("decided", place)
        .data("bytes", bytes)
        .data("why", why.as_str());
        if window.may_lack_room(unit) {
            note = note.note("where a block has no room for it, a kernel without it runs");
        }
        let mut others = kernel.windows.iter();
        if others.any(|w| w.region != window.region && w.shares_bytes(window)) {
            note = note.note("windows of regions before or after it have the same bytes");
        }
        diagnostics.push(note);
    }
}

fn in_register(number: usize, window: &SharedWindow) -> Diagnostic {
    Diagnostic::remark(
        codes::WINDOW_DECISION,
        format!("`{}` is a register of each thread", window.text),
        window.span,
    )
    .note("each thread uses its own slot alone")
    .data("kernel", number)
    .data("window", window.text.as_str())
    .data("decided", "register")
}

/// Why the windows of a kernel are where they are.
fn reason(kernel: &Kernel, unit: &Unit) -> String {
    let is_dynamic = kernel.windows.iter().any(|window| window.is_dynamic);
    match (overlay::bytes(kernel, unit).map(|b| b.apart), is_dynamic) {
        (None, _) => "dynamic because the size of a window of this kernel is known at the launch \
                      only"
            .to_string(),
        (Some(bytes), true) => {
            let together = if bytes > STATIC_SHARED {
                ""
            } else {
                "with reductions "
            };
            format!(
                "dynamic because the windows of this kernel take {bytes} bytes, {together}more \
                 than the {STATIC_SHARED} that can be static"
            )
        }
        (Some(bytes), false) => format!(
            "static because the windows of this kernel take {bytes} bytes, and {STATIC_SHARED} can be static"
        ),
    }
}

fn loop_reductions(kernel: &Kernel) -> usize {
    let mut count = 0;
    crate::ir::visit::loops(&kernel.body, &mut |l| {
        if l.is_distributed() {
            count += l.reductions.len();
        }
    });
    count
}

fn too_large(
    kernel: &Kernel,
    unit: &Unit,
    total: u64,
    limit: u64,
    arch: Option<u16>,
) -> Diagnostic {
    let device = match arch {
        Some(arch) => format!("of sm_{arch}"),
        None => "of any device".to_string(),
    };
    let size = |symbol| unit.types.size(unit.symbol(symbol).ty.ty);
    let largest = kernel.windows.iter().max_by_key(|w| size(w.storage));
    let span = largest.map_or(kernel.directive, |window| window.span);
    let error = Diagnostic::error(
        codes::WINDOW_TOO_LARGE,
        format!(
            "the windows of this kernel need {total} bytes of shared memory, a block {device} \
             has {limit}"
        ),
        span,
    );
    let error = match largest.and_then(|w| size(w.storage)) {
        Some(own) => error.label(format!("{own} bytes")),
        None => error,
    };
    error.help("make the block or the window smaller, or hold a part of it at a time in a loop")
}

/// The banks of shared memory, and the bytes that each serves at a time.
const BANKS: i128 = 32;
const WORD: i128 = 4;
/// Bytes of the longest load, which stays aligned.
const LONGEST_LOAD: i128 = 16;

/// How many slots longer a window's rows are so that threads of a warp which stand in `rows` of them,
/// and read along these a load at a time, find them in different banks; `element` is a slot's size in
/// bytes.
pub fn row_padding(slots: i128, element: i128, rows: i128) -> i128 {
    if element <= 0 || LONGEST_LOAD % element != 0 || slots * element % LONGEST_LOAD != 0 {
        return 0;
    }
    let words = LONGEST_LOAD / WORD;
    let meets = |rows: i128| {
        let apart = (rows * slots * element / WORD).rem_euclid(BANKS);
        apart < words || apart > BANKS - words
    };
    match (1..rows).any(meets) {
        true => LONGEST_LOAD / element,
        false => 0,
    }
}

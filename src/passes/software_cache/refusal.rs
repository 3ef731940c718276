//! What this pass refuses, in the user's words.

use crate::analysis::block_affine::Defeat;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Kernel, Window};
use crate::source::Span;
use crate::typed::Unit;

/// A pivot without a form.
pub fn pivot(window: &Window, defeat: Defeat) -> Diagnostic {
    Diagnostic::error(
        codes::PIVOT_UNKNOWN,
        format!(
            "the window `{}` cannot be placed: how its pivot differs between the threads of a \
             block is not known",
            window.text
        ),
        defeat.span,
    )
    .label(defeat.reason)
    .also(window.span, "the window")
    .help(
        "a pivot is a sum of loop variables times compile-time constants and of values that are \
         the same in the whole block",
    )
}

/// A bound that is not the same in the whole block.
pub fn bound(window: &Window, defeat: Defeat) -> Diagnostic {
    Diagnostic::error(
        codes::WINDOW_BOUND,
        format!(
            "how far the window `{}` reaches differs between the threads of a block",
            window.text
        ),
        defeat.span,
    )
    .label(defeat.reason)
    .help("`before` and `after` must be the same in all threads of a block")
}

/// A bound that is known on the device only.
pub fn bound_at_launch(window: &Window, span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::WINDOW_BOUND,
        format!(
            "the size of the window `{}` is not known at the launch",
            window.text
        ),
        span,
    )
    .help("`before` and `after` may use constants and variables from outside the construct")
}

/// Rows behind pointers, and no data clause that says how many there are.
pub fn rows_unknown(unit: &Unit, window: &Window) -> Diagnostic {
    let name = &unit.symbol(window.array).name;
    let sections = "[0:n]".repeat(window.dimensions.len());
    Diagnostic::error(
        codes::ROWS_UNKNOWN,
        format!(
            "the window `{}` cannot be fetched: which rows there are is not known",
            window.text
        ),
        window.span,
    )
    .label("the rows lie behind pointers")
    .help(format!(
        "name `{name}` with a section of each dimension in a data clause of the construct, or of a \
         `data` construct around it, as in `present({name}{sections})`"
    ))
}

/// A negative bound.
pub fn negative(window: &Window, value: i128, span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::WINDOW_BOUND,
        format!(
            "the window `{}` reaches {value} elements from its pivot",
            window.text
        ),
        span,
    )
    .help("`before` and `after` count elements and are not negative; move the pivot instead")
}

/// An access that no thread can find in the window.
pub fn outside(window: &Window, slots: (i128, i128), extent: u64, span: Span) -> Diagnostic {
    let (low, high) = slots;
    let place = if low == high {
        format!("slot {low}")
    } else {
        format!("slots {low} to {high}")
    };
    Diagnostic::error(
        codes::OUTSIDE_WINDOW,
        format!("this is never in the window `{}`", window.text),
        span,
    )
    .label(format!("{place} of {extent}"))
    .also(window.span, "the window")
    .help("make the window wider, or access another array")
}

/// An access with which the first or the last iteration of a full block leaves the window.
pub fn leaves(window: &Window, is_first: bool, span: Span) -> Diagnostic {
    let (iteration, side) = if is_first {
        ("first", "before")
    } else {
        ("last", "after")
    };
    let message = format!(
        "the {iteration} iteration of a block is outside of the window `{}` here",
        window.text
    );
    Diagnostic::warning(codes::OUTSIDE_WINDOW, message, span)
        .also(window.span, "the window")
        .help(format!(
            "make the window wider {side} the iteration's own element"
        ))
}

/// A use of the array that is no access to one element.
pub fn whole_array(window: &Window, span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::WINDOW_ESCAPES,
        "an array with a window is accessed by its elements only",
        span,
    )
    .label("its address, or a row of it, leads to memory and not to the window")
    .also(window.span, "the window")
    .help("use an element, or end the region before")
}

/// A write to a window that is only read.
pub fn read_only(window: &Window, span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::FETCH_ONLY_WRITTEN,
        format!(
            "the window `{}` is only fetched, and written here",
            window.text
        ),
        span,
    )
    .also(window.span, "the window")
    .help("a type with CHANNEL lets iterations see it, one with WB writes it back")
}

/// A window that may be given up, and is.
pub fn given_up(window: &Window, defeat: Defeat) -> Diagnostic {
    Diagnostic::remark(
        codes::WINDOW_DECISION,
        format!("`{}` gets no window", window.text),
        window.span,
    )
    .data("window", window.text.as_str())
    .data("decided", "none")
    .data("why", defeat.reason.as_str())
    .also(defeat.span, defeat.reason)
}

/// A write within a larger expression.
pub fn nested_write(window: &Window, span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::CHANNEL_WRITE,
        "a write to a window must be a statement of its own",
        span,
    )
    .label("all threads of the block wait before and after it")
    .also(window.span, "the window")
    .help("write to a variable here, and to the array in a statement of its own")
}

/// An array with two windows, and an access that may be in either.
pub fn ambiguous(windows: &[&Window], span: Span) -> Diagnostic {
    let texts: Vec<String> = windows.iter().map(|w| format!("`{}`", w.text)).collect();
    let mut error = Diagnostic::error(
        codes::WINDOW_TWICE,
        format!(
            "it is not known which of {} this is in",
            texts.join(" and ")
        ),
        span,
    );
    for window in windows {
        error = error.also(window.span, "a window");
    }
    error.help("an array may have several windows where each access is provably in one of them")
}

/// A pivot whose reach over the block is not a number.
pub fn unknown_reach(kernel: &Kernel, window: &Window, span: Span) -> Diagnostic {
    let lane = kernel.words.levels.lane;
    Diagnostic::error(
        codes::WINDOW_BOUND,
        format!("the size of the window `{}` is not known", window.text),
        span,
    )
    .help(format!(
        "give the block a size that is a compile-time constant, with `{lane}(n)`"
    ))
}

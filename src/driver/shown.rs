//! What a report shows of a translation beside the generated files.
//!
//! Input: a decided module, its kernels as they were printed, and the diagnostics. Output:
//! [`Shown`], in words and numbers; nothing of it decides anything.

use crate::back;
use crate::ir::{self, KernelId, OwnSlots, SharedWindow};
use crate::source::TranslationUnit;
use crate::typed::Unit;
use crate::typed::print::{C, Printer};

use super::render::Told;

/// What is known of a translated file.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The file's bytes.
    pub source: Vec<u8>,
    /// Of each line of the kernel file, the line of the source that it is of, from 1, or 0.
    pub origins: Vec<u32>,
    /// The windows of all kernels, in their order.
    pub windows: Vec<ShownWindow>,
    /// What was said, in the order of places.
    pub told: Vec<Told>,
}

/// A window in shared memory.
#[derive(Clone, Debug)]
pub struct ShownWindow {
    /// The kernel.
    pub kernel: String,
    /// Where it is asked for, from 1; 0 where that is in another file.
    pub line: u32,
    /// The array.
    pub array: String,
    /// As it was asked for.
    pub text: String,
    /// What is done with it, and where it is.
    pub facts: Vec<&'static str>,
    /// Bytes of an element.
    pub element: u64,
    /// Threads of the block along x, y and z, where they are known.
    pub block: Option<[u64; 3]>,
    /// The launch may take a smaller block.
    pub may_shrink: bool,
    /// Its dimensions, outermost first.
    pub dimensions: Vec<ShownDimension>,
}

/// A dimension of a window.
#[derive(Clone, Debug)]
pub struct ShownDimension {
    /// Slots, where they are known.
    pub extent: Option<u64>,
    /// The array's index of slot 0, as C.
    pub first: String,
    /// What each thread asks for, where that is known.
    pub own: Option<OwnSlots>,
}

impl Shown {
    /// Of a translation; what was told is not known yet.
    pub fn of(
        module: &ir::Module,
        unit: &Unit,
        source: &TranslationUnit,
        output: &back::Output,
    ) -> Self {
        let of_kernel = |(id, name): &(KernelId, String)| {
            let kernel = module.kernel(*id);
            let windows = kernel.windows.iter();
            let shown = windows.map(|window| shown_window(unit, source, (kernel, name), window));
            shown.collect::<Vec<_>>()
        };
        Self {
            source: source.file.bytes.clone(),
            origins: output.origins.clone(),
            windows: output.names.iter().flat_map(of_kernel).collect(),
            told: Vec::new(),
        }
    }
}

fn shown_window(
    unit: &Unit,
    source: &TranslationUnit,
    (kernel, name): (&ir::Kernel, &str),
    window: &SharedWindow,
) -> ShownWindow {
    let block = kernel.block.as_ref().and_then(|block| {
        let known = |axis: usize| block[axis].known().map(u64::from);
        Some([known(0)?, known(1)?, known(2)?])
    });
    let ir::WindowPolicy {
        fetch,
        channel,
        write_back,
    } = window.policy;
    let facts = [
        (fetch, "filled from the array"),
        (channel, "threads write to each other there"),
        (write_back, "written back to the array"),
        (window.is_dynamic, "dynamic shared memory"),
        (window.is_register, "a variable of each thread"),
    ];
    ShownWindow {
        kernel: name.to_owned(),
        line: back::own_line(source, window.span),
        array: unit.symbol(window.array).name.clone(),
        text: window.text.clone(),
        facts: facts
            .into_iter()
            .filter(|(is_so, _)| *is_so)
            .map(|(_, fact)| fact)
            .collect(),
        element: unit.types.size(window.element.ty.ty).unwrap_or(0),
        block,
        may_shrink: kernel.may_shrink,
        dimensions: (window.dimensions.iter())
            .map(|dimension| ShownDimension {
                extent: dimension.extent.known(),
                first: Printer::text(unit, &C, &dimension.first),
                own: dimension.own.clone(),
            })
            .collect(),
    }
}

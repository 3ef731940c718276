//! A launch, followed as its threads run it.
//!
//! Input: a kernel as it is printed, and the values of the variables that it
//! captures. Output: what the requests of each access, each fetch of a window
//! and each write-back come to ([`Rehearsal`]), counted as the emulation
//! counts them: the k-th accesses that the lanes of a warp make from one place
//! between two barriers are one request.
//!
//! This is for what polynomials of iterations do not say: subscripts with
//! divisions, remainders and calls, windows of overlapping tiles, strides that
//! halve, slots that a block has marked. All integers that do not come from
//! memory are computed, thread by thread; what data decides, a subscript or
//! whether a thread takes part, is not predicted. Long launches are not
//! followed to their end, and then nothing is said.

mod expression;
mod record;
mod statement;
mod value;
mod window;

use indexmap::{IndexMap, IndexSet};

use super::{Prediction, Values, block_shape};
use crate::analysis::effects::{Oracle, Touch};
use crate::ir::{DeviceFunction, Kernel, Module, WindowMarks, visit};
use crate::typed::{Expression, SymbolId, Unit};
use record::{Key, Record};
use value::{Mask, Value};

/// What is known of the requests of a kernel.
#[derive(Debug)]
pub struct Rehearsal<'k> {
    /// Each access to device memory from a place in the code.
    pub accesses: Vec<Rehearsed<'k>>,
    /// Of each of the kernel's windows: its fetches.
    pub fetches: Vec<Result<Prediction, Doubt>>,
    /// And the write-backs of what a block has marked.
    pub write_backs: Vec<Result<Prediction, Doubt>>,
}

/// An access from a place in the code.
#[derive(Debug)]
pub struct Rehearsed<'k> {
    /// The lvalue.
    pub expression: &'k Expression,
    /// The array, or the pointer that the kernel has for it.
    pub root: SymbolId,
    /// Read or write.
    pub touch: Touch,
    /// What it comes to.
    pub prediction: Result<Prediction, Doubt>,
}

/// Why something is not predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Where it goes depends on data.
    Index,
    /// Whether a thread takes part depends on data.
    Condition,
}

/// Numbers that are computed for a launch before it is given up.
const MOST_WORK: u64 = 1 << 24;

/// Follows a launch; `None` if it is too long, or if there is code in it that
/// is not understood.
pub fn rehearse<'k>(
    kernel: &'k Kernel,
    module: &'k Module,
    oracle: &Oracle<'k>,
    values: &Values,
) -> Option<Rehearsal<'k>> {
    let mut stage = Stage::new(kernel, module, oracle, values)?;
    stage.list(&kernel.body);
    stage.flush();
    stage.is_followed().then(|| stage.finish())
}

/// Where a pointer points to.
#[derive(Clone, Debug)]
struct Address {
    root: Root,
    /// Bytes from its start.
    offset: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// Device memory that a captured pointer or array stands for.
    Device(SymbolId),
    /// A variable of the threads, or shared memory.
    Own(SymbolId),
    /// Data decides which memory it is.
    Unknown,
}

impl Address {
    fn unknown() -> Self {
        Self {
            root: Root::Unknown,
            offset: Value::UNKNOWN,
        }
    }
}

/// Threads that have left a loop, or a function.
struct Exit {
    is_function: bool,
    /// For good.
    left: Mask,
    /// Until the next round.
    continued: Mask,
    /// What a function returns.
    result: Value,
}

/// A block in the middle of a launch.
struct Stage<'k, 's> {
    unit: &'k Unit,
    kernel: &'k Kernel,
    module: &'k Module,
    functions: IndexMap<SymbolId, &'k DeviceFunction>,
    oracle: &'s Oracle<'k>,
    given: &'s Values<'s>,
    block: [u32; 3],
    /// Variables that are not in device memory.
    own: IndexSet<SymbolId>,
    variables: IndexMap<SymbolId, Value>,
    pointers: IndexMap<SymbolId, Address>,
    /// Which bytes of an array of marks are set; `None` if data decides it.
    marked: IndexMap<SymbolId, Option<IndexSet<i64>>>,
    mask: Mask,
    exits: Vec<Exit>,
    record: Record<'k>,
    windows: window::Tallies,
    work: u64,
    is_lost: bool,
}

impl<'k, 's> Stage<'k, 's> {
    fn new(
        kernel: &'k Kernel,
        module: &'k Module,
        oracle: &'s Oracle<'k>,
        given: &'s Values<'s>,
    ) -> Option<Self> {
        let block = block_shape(kernel)?;
        let threads = usize::try_from(block.iter().product::<u32>()).ok()?;
        let mut own: IndexSet<SymbolId> = visit::declared(&kernel.body).into_iter().collect();
        own.extend(&kernel.privates);
        own.extend(kernel.shared.iter().map(|variable| variable.symbol));
        visit::loops(&kernel.body, &mut |l| {
            own.extend(&l.privates);
            own.insert(l.induction);
        });
        for window in &kernel.windows {
            own.insert(window.storage);
            if let WindowMarks::Slots(marks) = window.marks {
                own.insert(marks);
            }
        }
        for function in &module.functions {
            own.extend(visit::declared(&function.body));
        }
        Some(Self {
            unit: oracle.unit(),
            kernel,
            module,
            functions: module.functions.iter().map(|f| (f.symbol, f)).collect(),
            oracle,
            given,
            block,
            own,
            variables: IndexMap::new(),
            pointers: IndexMap::new(),
            marked: IndexMap::new(),
            mask: Mask::all(threads),
            exits: Vec::new(),
            record: Record::new(threads),
            windows: window::Tallies::new(kernel.windows.len()),
            work: 0,
            is_lost: false,
        })
    }

    fn threads(&self) -> usize {
        self.mask.0.len()
    }

    /// Whether there is a reason to go on.
    fn is_followed(&self) -> bool {
        !self.is_lost && self.work <= MOST_WORK
    }

    /// The threads of the block meet.
    fn flush(&mut self) {
        self.record.flush();
    }

    /// Notes an access of the threads that take part.
    fn access(&mut self, e: &'k Expression, touch: Touch, address: &Address) {
        let root = match address.root {
            Root::Device(symbol) => symbol,
            Root::Own(_) => return,
            // Most likely device memory: nobody knows which.
            Root::Unknown => match self.oracle.place(e) {
                crate::analysis::effects::Place::Target(symbol)
                | crate::analysis::effects::Place::Variable(symbol) => symbol,
                crate::analysis::effects::Place::Unknown => return,
            },
        };
        let Some(bytes) = self.size(e.ty.ty) else {
            self.is_lost = true;
            return;
        };
        let key = Key {
            span: e.span,
            is_write: touch == Touch::Write,
            root,
        };
        self.record.add(key, e, bytes, &self.mask, &address.offset);
    }

    fn finish(self) -> Rehearsal<'k> {
        Rehearsal {
            accesses: self.record.finish(),
            fetches: self.windows.fetches,
            write_backs: self.windows.write_backs,
        }
    }
}

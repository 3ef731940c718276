//! The intermediate representation: data lifetimes, kernels over logical
//! grids, loops with levels.
//!
//! # The model
//!
//! A [`Module`] is what the directives of one translation unit ask for. Its
//! [`Region`]s are data lifetimes and compute constructs in source order; each
//! knows the text that it replaces. A compute construct is a sequence of
//! [`Launch`]es of [`Kernel`]s.
//!
//! A kernel's body is a tree of [`Statement`]s. Expressions are those of
//! [`crate::typed`]: C's meaning is not lowered away, since people read the
//! output. What a front end adds are [`Loop`]s: counted loops with the levels
//! that the user asked for, privates and reductions. No dialect's name
//! appears here.
//!
//! # Life of a kernel
//!
//! 1. A front end builds it: captures, body, what was asked for. All decided
//!    fields are empty.
//! 2. Passes decide: [`Loop::distribution`] (which threads share a loop),
//!    [`Kernel::block`], reductions, single-thread sections, barriers.
//! 3. A back end prints it and decides nothing.
//!
//! Loop variables and private copies keep the source's symbols; further
//! symbols that a pass makes are added to the [`crate::typed::Unit`].

mod assumptions;
mod atomic;
mod build;
pub mod builder;
mod cores;
mod data;
mod header;
mod kernel;
mod level;
pub mod limits;
pub mod linear_index;
pub mod numbered;
pub mod print;
mod private_array;
mod queue;
mod shape;
mod slots;
mod statement;
mod step;
mod stride;
mod trip_count;
pub mod usage;
pub mod validate;
pub mod visit;
mod window;

pub use assumptions::Assumptions;
pub use atomic::*;
pub use cores::*;
pub use data::*;
pub use kernel::*;
pub use level::*;
pub use private_array::*;
pub use queue::*;
pub use shape::*;
pub use slots::*;
pub use statement::*;
pub use step::*;
pub use stride::{INT_SLACK, is_literal};
pub use trip_count::{TripCount, Wrapping};
pub use window::*;

use std::collections::BTreeSet;

use indexmap::IndexMap;

use crate::source::Span;
pub use crate::typed::Axis;
use crate::typed::{Expression, SymbolId};

/// What the directives of one translation unit ask for.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Data lifetimes and compute constructs, in source order, so that an
    /// outer one comes before those inside it.
    pub regions: Vec<Region>,
    /// The kernels of all compute constructs, and the bodies of functions that
    /// threads enter together.
    pub kernels: Vec<Kernel>,
    /// Functions of this unit that kernels call, transitively, callees first
    /// where there is no recursion.
    pub functions: Vec<DeviceFunction>,
    /// Functions of other files that kernels and device functions call.
    pub imports: Vec<Import>,
    /// Functions, of this unit or imported, that threads enter together.
    /// Those of this unit have a kernel with [`Kernel::collective`] for a body.
    pub collectives: IndexMap<SymbolId, Collective>,
    /// Global variables that are on every device for as long as the program
    /// runs: copied there as it comes into use, or just created.
    pub program_data: Vec<DataItem>,
    /// Global variables that device functions reach by themselves: those of
    /// [`Self::program_data`], and others while they are present.
    pub device_globals: Vec<SymbolId>,
    /// Constant arrays of different kernels have the same bytes: there is no room for all.
    /// One launch at a time has them.
    pub overlaid_tables: bool,
    /// Functions that are another one on the device.
    pub bindings: Vec<(SymbolId, SymbolId)>,
    /// Functions that one thread runs, made of [`Self::collectives`]: the new one and
    /// the one that it is made of. The host program knows the latter alone.
    pub instances: IndexMap<SymbolId, SymbolId>,
    /// Decided by `host_cores`, where the host's cores are to share constructs: how they do.
    pub cores: IndexMap<RegionId, Cores>,
    /// As that: the atomic accesses of device functions, which the host's cores may call, too.
    pub core_atomics: Vec<CoreAtomic>,
    /// Directives at file scope and in blocks that leave nothing in the host
    /// program (`routine`, `loop` in a device function): their lines are
    /// removed from it.
    pub consumed: Vec<Span>,
}

/// Names a region: its index in [`Module::regions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId(pub u32);

/// Names a kernel: its index in [`Module::kernels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KernelId(pub u32);

impl KernelId {
    /// That of the kernel with this index.
    pub fn at(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// A data lifetime or a compute construct.
#[derive(Clone, Debug)]
pub struct Region {
    /// What it is.
    pub kind: RegionKind,
    /// The directive's name as messages show it, such as `parallel loop`.
    pub title: String,
    /// The function that it stands in.
    pub function: SymbolId,
    /// The pragma token.
    pub directive: Span,
    /// The statement that it governs.
    pub body: Option<Span>,
    /// The region around it.
    pub parent: Option<RegionId>,
    /// `if(…)`: evaluated once on the host.
    pub condition: Option<Expression>,
    /// The queue that takes its work; `None` is a host that waits.
    pub queue: Option<Queue>,
    /// What its work waits for, in order.
    pub waits: Vec<Wait>,
    /// What is done with which data, in order. Those of a compute construct
    /// include the implicit ones.
    pub data: Vec<DataItem>,
    /// Variables of which [`Self::body`] has copies of its own where the host
    /// runs it.
    pub host_copies: Vec<HostCopy>,
    /// Variables declared in a compute construct that several of its launches
    /// use, in the order of their declarations.
    pub locals: Vec<RegionLocal>,
}

impl Region {
    /// One without a body, data, or anything that it waits for.
    pub fn empty(kind: RegionKind, title: String, function: SymbolId, directive: Span) -> Self {
        Self {
            kind,
            title,
            function,
            directive,
            body: None,
            parent: None,
            condition: None,
            queue: None,
            waits: Vec::new(),
            data: Vec::new(),
            host_copies: Vec::new(),
            locals: Vec::new(),
        }
    }
}

/// A copy of a variable for a construct that the host runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCopy {
    /// The variable.
    pub symbol: SymbolId,
    /// It begins with the variable's value.
    pub initialised: bool,
}

/// A variable declared in a compute construct that several of its launches use.
#[derive(Clone, Debug)]
pub struct RegionLocal {
    /// The variable.
    pub symbol: SymbolId,
    /// What it is all the time, where the host can tell: the launches get it by
    /// value. Without one it is in device memory, [`DataAction::Create`]d by
    /// [`Region::data`].
    pub value: Option<Expression>,
}

/// The kinds of regions.
#[derive(Clone, Debug)]
pub enum RegionKind {
    /// A structured data lifetime around [`Region::body`].
    Data,
    /// Like [`Self::Data`], from its place to the end of the block that it
    /// stands in, however that is left.
    Scope,
    /// The host's code in [`Region::body`] sees device addresses.
    HostData {
        /// Leaves what is not present as it is.
        if_present: bool,
    },
    /// Starts dynamic lifetimes.
    EnterData,
    /// Ends dynamic lifetimes.
    ExitData {
        /// Sets the dynamic count to zero.
        finalize: bool,
    },
    /// What [`Region::data`] names has device memory of its own, rows closed up: it is
    /// created, copied and deleted in order.
    Placement,
    /// Copies between host and device.
    Update {
        /// Skips what is not present.
        if_present: bool,
    },
    /// Only [`Region::waits`].
    Wait,
    /// Talks to the runtime about devices.
    Device(DeviceRequest),
    /// Runs [`Region::body`] on the device.
    Compute {
        /// Its launches.
        launches: Vec<Launch>,
        /// When they run: each launch is in one place. Decided by
        /// `kernel_fission`; a front end has each once, in order.
        steps: Vec<Step>,
        /// What the host does meanwhile.
        host: HostRole,
    },
}

/// What the host does while a device runs a compute construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostRole {
    /// Waits, unless a queue takes the work; runs it itself where it is the current device.
    MayRun,
    /// Waits. The code would mean something else on the host.
    Waits,
    /// Goes on to the next region, which waits first.
    GoesOn,
}

/// One step of a compute construct.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kernel.
    pub kernel: KernelId,
    /// Runs this instead where what the kernel takes for granted ([`Kernel::assumed`]) does not hold:
    /// fewer of its loops are parallel.
    pub alternative: Option<KernelId>,
    /// Runs this in place of both where a block has no room for the windows that `kernel` may do
    /// without; decided at launch.
    pub without_windows: Option<KernelId>,
}

impl Launch {
    /// Runs one kernel, whatever only the launch knows.
    pub fn of(kernel: KernelId) -> Self {
        Self {
            kernel,
            alternative: None,
            without_windows: None,
        }
    }

    /// What it may run in place of its kernel.
    pub fn others(&self) -> impl Iterator<Item = KernelId> + use<> {
        [self.alternative, self.without_windows]
            .into_iter()
            .flatten()
    }
}

impl Module {
    /// A kernel.
    pub fn kernel(&self, id: KernelId) -> &Kernel {
        &self.kernels[id.0 as usize]
    }

    /// All launches.
    pub fn launches(&self) -> impl Iterator<Item = &Launch> {
        let launches = self.regions.iter().filter_map(|region| match &region.kind {
            RegionKind::Compute { launches, .. } => Some(launches),
            _ => None,
        });
        launches.flatten()
    }

    /// The same, to be changed.
    pub fn launches_mut(&mut self) -> impl Iterator<Item = &mut Launch> {
        let regions = self.regions.iter_mut();
        let launches = regions.filter_map(|region| match &mut region.kind {
            RegionKind::Compute { launches, .. } => Some(launches),
            _ => None,
        });
        launches.flatten()
    }

    /// The numbers of the kernels that launches run in place of others.
    pub fn alternatives(&self) -> BTreeSet<usize> {
        let others = self.launches().flat_map(Launch::others);
        others.map(|id| id.0 as usize).collect()
    }

    /// A region.
    pub fn region(&self, id: RegionId) -> &Region {
        &self.regions[id.0 as usize]
    }
}

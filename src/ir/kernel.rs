//! Kernels and device functions.

use super::limits::WARP;
use super::{
    Assumptions, DataItem, Distribution, Level, PerLevel, PrivateArray, ReductionOperator, Shape,
    SharedWindow, Statement, StatementKind, TripCount, Vocabulary, Window, WindowProof, visit,
};
use crate::source::Span;
use crate::typed::{Axis, Expression, SymbolId, TypeId, Unit, VlaId};

/// Code that one launch runs on the device.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Who runs what no loop distributes.
    pub execution: Execution,
    /// What its dialect calls the levels.
    pub words: Vocabulary,
    /// The directive in one line, for comments: `parallel loop collapse(2)`.
    pub title: String,
    /// The directive that it comes from.
    pub directive: Span,
    /// The loop or statements that it runs.
    pub span: Span,
    /// The name that the program gives it.
    pub name: Option<String>,
    /// The function that it stands in.
    pub function: SymbolId,
    /// Set where this is no kernel but the body of [`Self::function`], which
    /// threads enter together (see [`Collective`]); its parameters are the captures.
    pub collective: Option<Collective>,
    /// How many blocks of the grid, rows of a block and lanes of a row are asked
    /// for, evaluated on the host.
    pub sizes: PerLevel<Option<Expression>>,
    /// The threads that it asks for by itself; each of them runs its code.
    pub shape: Option<Shape>,
    /// What it uses of the host function's variables and of globals, in order
    /// of first use: the parameters.
    pub captures: Vec<Capture>,
    /// Variables of the host function of which each block has its own copy,
    /// not initialised (`private` on the construct, and scalars that are
    /// written before they are read).
    pub privates: Vec<SymbolId>,
    /// Private arrays, of the kernel or of its loops, whose copies are in
    /// device memory.
    pub private_arrays: Vec<PrivateArray>,
    /// Arrays that the program wants in constant memory, whose copies on the device have no
    /// other name.
    pub wanted_tables: Vec<ConstantArray>,
    /// Reductions of the whole kernel: each block has a copy that starts
    /// as the identity, and the copies are combined with the incoming value.
    pub reductions: Vec<Reduction>,
    /// The code.
    pub body: Vec<Statement>,
    /// Decided by `parallelisation`: what every launch looks at.
    pub assumed: Assumptions,
    /// Decided by `thread_mapping`: how the work is distributed.
    pub scheme: Option<Scheme>,
    /// Decided by `launch_configuration`: threads per block in x, y, z. Before
    /// that, what `thread_mapping` prefers if anything.
    pub block: Option<[BlockExtent; 3]>,
    /// Decided by `thread_mapping`: just so many blocks in x, y, z, whatever the
    /// loops need.
    pub exact_grid: Option<[BlockExtent; 3]>,
    /// Decided by `launch_configuration`: a smaller block computes the same,
    /// and no clause asked for this one, so that the launch may take what fills
    /// the device best.
    pub may_shrink: bool,
    /// Decided by `reduction`: what the grid combines at the kernel's end.
    pub grid_reductions: Vec<Reduction>,
    /// Decided by `reduction`: as `grid_reductions`, where every thread of a
    /// block already holds the block's own value, so that only that of the
    /// block's first thread counts (the others bring the identity).
    pub block_reductions: Vec<Reduction>,
    /// Decided by `reduction`: any order of these gives the same results, so that each block
    /// combines its own with the variables.
    pub combines_in_any_order: bool,
    /// Decided by `synchronisation`: variables that live in shared memory,
    /// where threads of a block write them for each other.
    pub shared: Vec<SharedVariable>,
    /// Decided by `software_cache`: windows of arrays in shared memory.
    pub windows: Vec<SharedWindow>,
    /// Decided by `launch_configuration`: along each axis (x, y, z) of the
    /// grid the loops distributed over it whose trip counts the host can evaluate;
    /// the grid serves the longest. Any grid is right where loops stride. An
    /// axis without any has one block, or [`Self::sizes`]`.block` along x.
    pub grid: [Vec<TripCount>; 3],
    /// Decided by `launch_configuration`: along x, y, z, whether the grid has blocks for all
    /// iterations, so that no loop strides ([`Loop::once`](super::Loop::once)).
    pub covers: [bool; 3],
    /// Decided by `launch_configuration`: what CUDA does not have of these blocks along y lies
    /// along z.
    pub folds_y: bool,
    /// Decided by `launch_configuration`: no launch where the loop along x, whose tiles blocks have,
    /// has no iteration. So each block has some of it.
    pub skips_empty: bool,
    /// Decided by `memory_placement`: arrays that the kernel reads in constant
    /// memory.
    pub tables: Vec<ConstantArray>,
    /// Decided by `fresh_memory`: pointers that have an allocation each, which no other name reaches.
    pub fresh: Vec<SymbolId>,
    /// Pointers that `analysis` proved disjoint from every array that the
    /// kernel writes, and not written themselves.
    pub read_only: Vec<SymbolId>,
    /// Decided by `memory_placement`: pointers through which the kernel writes nothing, whatever else
    /// it writes where they lead.
    pub unwritten: Vec<SymbolId>,
    /// Decided by `memory_placement`: `restrict` pointers that another captured
    /// pointer may be based on (C11, 6.7.3.1): both reach the same memory.
    pub shared_targets: Vec<SymbolId>,
    /// Decided by `index_types`: what is counted in the type that the launch chooses.
    pub index: IndexType,
    /// Decided by `index_types`: what is known of run-time lengths of rows.
    pub row_lengths: Vec<(VlaId, RowLength)>,
}

/// What a length of rows is all along a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowLength {
    /// A variable that the kernel gets by value.
    Variable(SymbolId),
    /// A variable that it does not get.
    Elsewhere(SymbolId),
    /// What is computed of variables that the kernel gets by value.
    Computed,
    /// This length, which comes first in its captures.
    Same(VlaId),
}

/// What a kernel counts in a type of indices that each launch chooses: `int`, or `long`
/// where that does not reach all of it.
#[derive(Clone, Debug, Default)]
pub struct IndexType {
    /// Captured arrays: the linear indices of their elements.
    pub arrays: Vec<SymbolId>,
    /// Loops that do not stride in their own variable.
    pub loops: LoopCounters,
}

/// Loops by their variables: what counts is the number of an iteration, or the variable itself.
#[derive(Clone, Debug, Default)]
pub struct LoopCounters {
    /// They count in the type of indices.
    pub chosen: Vec<SymbolId>,
    /// What the launch tests for them before it takes `int`; of arrays it tests what is present.
    pub tests: Vec<IndexTest>,
    /// They count in `int`.
    pub narrow: Vec<SymbolId>,
    /// Those of them that the launch keeps in `int`: it ends the program where a value beyond the
    /// bound would not be one, and starts nothing where there is no iteration.
    pub kept: Vec<SymbolId>,
    /// The bounds of loops over the threads of a block that stride in `int`: the launch ends the program
    /// where one is near its end.
    pub bounds: Vec<Expression>,
    /// The same of loops over the blocks of a grid that the program asks for.
    pub grid_bounds: Vec<Expression>,
    /// Those to bounds that no launch has: the kernel tests them.
    pub tested: Vec<SymbolId>,
}

/// What is in reach of `int`, with room for the threads of a block.
#[derive(Clone, Debug)]
pub enum IndexTest {
    /// Numbers of iterations, this many times.
    Trips(TripCount, i128),
    /// So they are from the first value on.
    Values(TripCount, i128),
    /// Numbers of iterations of all loops of a nest together, each this many times.
    Together(Vec<(TripCount, i128)>),
    /// A number.
    Number(Expression),
}

impl Kernel {
    /// One without any code, which no clause and no pass has said anything of.
    pub fn empty(execution: Execution, function: SymbolId) -> Self {
        Self {
            execution,
            words: Vocabulary::default(),
            title: String::new(),
            name: None,
            directive: Span::default(),
            span: Span::default(),
            function,
            collective: None,
            sizes: PerLevel::default(),
            shape: None,
            captures: Vec::new(),
            privates: Vec::new(),
            private_arrays: Vec::new(),
            wanted_tables: Vec::new(),
            reductions: Vec::new(),
            body: Vec::new(),
            assumed: Assumptions::default(),
            scheme: None,
            block: None,
            exact_grid: None,
            may_shrink: false,
            grid_reductions: Vec::new(),
            block_reductions: Vec::new(),
            combines_in_any_order: false,
            shared: Vec::new(),
            windows: Vec::new(),
            grid: [const { Vec::new() }; 3],
            covers: [false; 3],
            folds_y: false,
            skips_empty: false,
            tables: Vec::new(),
            fresh: Vec::new(),
            read_only: Vec::new(),
            unwritten: Vec::new(),
            shared_targets: Vec::new(),
            index: IndexType::default(),
            row_lengths: Vec::new(),
        }
    }

    /// Whether the grid is one block by the user's word.
    pub fn has_one_block(&self) -> bool {
        let is_one = |n: &Expression| super::is_literal(n, 1);
        self.execution == Execution::Serial || self.sizes.block.as_ref().is_some_and(is_one)
    }

    /// What the grid combines at the kernel's end.
    pub fn all_reductions(&self) -> impl Iterator<Item = &Reduction> {
        self.grid_reductions.iter().chain(&self.block_reductions)
    }

    /// The variables that the grid combines at the kernel's end, decided or not yet: each thread has a
    /// copy.
    pub fn reduced(&self) -> Vec<SymbolId> {
        let all = self.reductions.iter().chain(self.all_reductions());
        let mut reduced: Vec<SymbolId> = all.map(|r| r.symbol).collect();
        let is_flat = self.scheme == Some(Scheme::Flat);
        visit::loops(&self.body, &mut |l| {
            if l.has_blocks() || is_flat && l.is_distributed() {
                reduced.extend(l.reductions.iter().map(|r| r.symbol));
            }
        });
        reduced
    }

    /// Whether a loop is distributed over blocks alone along an axis of the grid along
    /// which blocks have threads.
    pub fn counts_blocks(&self) -> bool {
        visit::any_loop(&self.body, &mut |l| {
            let distribution = l.distribution.unwrap_or_default();
            (distribution.blocks)
                .is_some_and(|axis| !distribution.threads[axis as usize] && self.has_threads(axis))
        })
    }

    /// Whether the end of a loop's reduction is a barrier of the block, behind what all threads
    /// did before: those of one row within a warp, or of one of several, do not wait for others.
    pub fn waits_to_reduce(&self, reduction: &Reduction, over: Distribution) -> bool {
        let is_of_rows = over.threads == [true, false, false];
        reduction.part.is_none() && (!is_of_rows || self.block.as_ref().is_some_and(is_one_row))
    }

    /// Whether the launch makes a thread of the grid for each iteration along each of its axes. Else
    /// it makes a block for each.
    pub fn counts_threads(&self, unit: &Unit) -> bool {
        match self.scheme {
            Some(Scheme::Threads) => true,
            Some(Scheme::Flat) => !self.counts_blocks(),
            Some(Scheme::Hierarchical) => {
                let mut widths = Vec::new();
                let mut are_along = true;
                visit::loops(&self.body, &mut |l| {
                    let distribution = l.distribution.unwrap_or_default();
                    let Some(axis) = distribution.blocks else {
                        return;
                    };
                    let mut threads = distribution.thread_axes();
                    are_along &= match (threads.next(), threads.next()) {
                        (None, _) => !self.has_threads(axis),
                        (Some(own), None) => own == axis,
                        _ => false,
                    };
                    widths.push(unit.types.size(unit.symbol(l.induction).ty.ty));
                });
                are_along && widths.windows(2).all(|pair| pair[0] == pair[1])
            }
            Some(Scheme::Single) | None => false,
        }
    }

    /// Whether blocks may have several threads along an axis.
    fn has_threads(&self, axis: Axis) -> bool {
        let extent = self.block.as_ref().map(|block| &block[axis as usize]);
        !matches!(extent, None | Some(BlockExtent::Constant(1)))
    }

    /// Threads of a block along x, y, z, if that is known.
    pub fn block_shape(&self) -> Option<[u32; 3]> {
        let [x, y, z] = self.block.as_ref()?;
        Some([x.known()?, y.known()?, z.known()?])
    }

    /// How a variable of the host comes to the kernel, if it does.
    pub fn capture(&self, symbol: SymbolId) -> Option<&Capture> {
        self.captures.iter().find(|c| c.symbol == symbol)
    }

    /// Whether its windows are such that it means the same without them.
    pub fn windows_may_be_dropped(&self) -> bool {
        let is_dropped = |w: &Window| w.proof != WindowProof::Trusted;
        !visit::any(&self.body, &mut |s| match &s.kind {
            StatementKind::Windows(region) => !region.windows.iter().all(is_dropped),
            StatementKind::Barrier(_) => true,
            _ => false,
        })
    }

    /// The array in device memory that a private variable is or points to.
    pub fn private_array(&self, symbol: SymbolId) -> Option<&PrivateArray> {
        self.private_arrays
            .iter()
            .find(|array| array.symbol == symbol)
    }
}

/// Who runs what no loop of a kernel distributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// Each block, once; each thread where the kernel has a [`Kernel::shape`].
    Redundant,
    /// The translator decides; it may make several kernels of this one.
    Automatic,
    /// One thread, which runs all of it.
    Serial,
}

/// How a kernel's work is distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// A perfect nest of parallel loops: an iteration a thread.
    Flat,
    /// Levels have axes: rows `threadIdx.y`, lanes `threadIdx.x`.
    Hierarchical,
    /// One thread.
    Single,
    /// The kernel's own shape: each thread runs the code, and loops are shared
    /// as they ask for.
    Threads,
}

/// The threads that call a function together.
///
/// Each of them has the same arguments and gets the same result. The callee
/// has done all its accesses when it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Collective {
    /// The lanes of one row, which share the function's loops over lanes.
    Lanes,
    /// All threads of a block, which share loops over rows and lanes.
    Block,
}

impl Collective {
    /// Whose single-thread code, barriers and shared variables such a function
    /// has outside its loops.
    pub fn level(self) -> Level {
        match self {
            Self::Lanes => Level::Row,
            Self::Block => Level::Block,
        }
    }
}

/// A variable of a block, or of each of its rows, in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// The variable: one of [`Kernel::privates`], of a loop's privates, or
    /// declared in the body. It is declared there no more.
    pub symbol: SymbolId,
    /// [`Level::Block`]: one a block; [`Level::Row`]: one a row.
    pub level: Level,
}

/// What a kernel reads of an array, copied to constant memory before each
/// launch. The kernel has no other access to the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantArray {
    /// The array, or the pointer to its first element.
    pub symbol: SymbolId,
    /// How many elements the outermost dimension has.
    pub rows: u64,
    /// All of them.
    pub bytes: u64,
}

/// The extent of a block along one dimension.
#[derive(Clone, Debug)]
pub enum BlockExtent {
    /// Known.
    Constant(u32),
    /// Given by the user, known at launch.
    Expression(Expression),
}

impl BlockExtent {
    /// The number of threads, where it is known.
    pub fn known(&self) -> Option<u32> {
        match self {
            Self::Constant(threads) => Some(*threads),
            Self::Expression(_) => None,
        }
    }
}

/// Whether a block is one row of more threads than a warp has, or may have: the lanes of the row
/// meet where the block does.
pub fn is_one_row(block: &[BlockExtent; 3]) -> bool {
    use BlockExtent::Constant;
    match block {
        [Constant(lanes), ..] if *lanes <= WARP => false,
        [_, Constant(1), Constant(1)] => true,
        _ => false,
    }
}

/// A variable from outside that a kernel uses.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The variable.
    pub symbol: SymbolId,
    /// How it reaches the kernel.
    pub passing: Passing,
    /// Whether the kernel may write it, what it points to, or what pointers in that lead to.
    pub written: bool,
    /// Whether the host's variable has a value at the launch. That of one in
    /// device memory may be another, and still serve to choose a size.
    pub known: bool,
    /// It is an array of the kernel's own: a section that the device has alone.
    pub section_of: Option<SectionOf>,
}

/// The array of which another one is a section with rows of its own.
#[derive(Clone, Debug)]
pub struct SectionOf {
    /// The host's array.
    pub array: SymbolId,
    /// The first index of each inner dimension, outermost first, which subscripts of the
    /// section leave out: a number, or a variable that the kernel gets by value. Its
    /// type has the lengths; the outermost dimension is counted as the array's.
    pub lowers: Vec<Expression>,
}

/// How a captured variable reaches the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// A scalar, or a struct, by value (firstprivate).
    Value,
    /// A scalar or struct in device memory: the kernel gets its address.
    Reference,
    /// An array in device memory: the kernel gets a pointer to its first
    /// element.
    Array,
    /// A pointer whose target is in device memory: the kernel gets the
    /// target's device address.
    Pointer,
    /// A pointer that is a device address already.
    DevicePointer,
}

/// A reduction variable (OpenACC 3.3, section 2.9.11).
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The operator.
    pub operator: ReductionOperator,
    /// The variable.
    pub symbol: SymbolId,
    /// Its type without qualifiers; of a part, that of the elements.
    pub ty: TypeId,
    /// Of what is behind a pointer, and of an array whose length is known at
    /// the launch: the elements of which each thread has a copy.
    pub part: Option<Box<DataItem>>,
    /// Decided by `reduction`, of a loop within a block: threads begin with the variable's value
    /// in place of the identity, which makes the same result.
    pub keeps_value: bool,
    /// Where it is written.
    pub span: Span,
}

/// A function of another file that kernels call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The function as this file declares it.
    pub symbol: SymbolId,
    /// What its own file calls it.
    pub name: String,
}

/// A function of the unit that kernels call.
#[derive(Clone, Debug)]
pub struct DeviceFunction {
    /// The function.
    pub symbol: SymbolId,
    /// Its body.
    pub body: Vec<Statement>,
    /// Globals that it uses, transitively.
    pub globals: Vec<SymbolId>,
    /// Lengths in its parameters' types that are the values of parameters all along.
    pub row_lengths: Vec<(VlaId, SymbolId)>,
    /// Kernels and device functions of other files may call it.
    pub exported: bool,
}

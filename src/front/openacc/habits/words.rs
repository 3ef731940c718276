//! Words of other models in directives, and what takes their place.

/// What takes the place of a clause.
pub enum Instead {
    /// A clause with the same argument.
    Clause(&'static str),
    /// A clause without argument.
    Bare(&'static str),
    /// A clause without argument, with which the host has to wait elsewhere.
    Later(&'static str),
    /// Nothing; the reason.
    Nothing(&'static str),
    /// Something that is no clause.
    Other(&'static str),
}

use Instead::{Bare, Clause as Named, Later, Nothing, Other};

/// What clauses are called, on any directive.
pub const CLAUSES: &[(&str, Instead)] = &[
    (
        "schedule",
        Nothing("iterations are distributed by the translator; `gang(static: n)` asks for chunks"),
    ),
    (
        "dist_schedule",
        Nothing("`gang(static: n)` asks for chunks"),
    ),
    (
        "shared",
        Nothing(
            "what is not private is shared; data clauses such as `copy(a[0:n])` say what moves",
        ),
    ),
    ("num_threads", Named("vector_length")),
    ("thread_limit", Named("vector_length")),
    ("thread", Named("vector_length")),
    ("threads", Named("vector_length")),
    ("reduce", Named("reduction")),
    ("sync", Nothing("the host waits for what has no `async`")),
    ("gangs", Named("num_gangs")),
    ("ngangs", Named("num_gangs")),
    ("workers", Named("num_workers")),
    ("nworkers", Named("num_workers")),
    ("vectors", Named("vector_length")),
    ("vector_size", Named("vector_length")),
    ("in", Named("copyin")),
    ("out", Named("copyout")),
    ("inout", Named("copy")),
    ("copyinout", Named("copy")),
    ("copyoutin", Named("copy")),
    ("copyio", Named("copy")),
    ("gpu", Named("device")),
    ("cpu", Named("self")),
    ("simdlen", Named("vector_length")),
    ("num_teams", Named("num_gangs")),
    ("is_device_ptr", Named("deviceptr")),
    ("has_device_addr", Named("deviceptr")),
    ("use_device_ptr", Named("use_device")),
    ("use_device_addr", Named("use_device")),
    ("to", Named("device")),
    ("from", Named("self")),
    ("updatein", Named("device")),
    ("updateout", Named("self")),
    (
        "local",
        Other(
            "write `private(t)` for a copy in each iteration, `create(t)` for memory on the device",
        ),
    ),
    ("alloc", Named("create")),
    ("release", Named("delete")),
    ("free", Named("delete")),
    ("dealloc", Named("delete")),
    ("block", Named("vector_length")),
    ("blockdim", Named("vector_length")),
    ("block_size", Named("vector_length")),
    ("grid", Named("num_gangs")),
    ("griddim", Named("num_gangs")),
    ("stream", Named("async")),
    ("queue", Named("async")),
    ("serial", Bare("seq")),
    (
        "cache",
        Other("`cache` is a directive of its own, and stands at the top of the loop's body"),
    ),
    ("all", Nothing("`wait` alone waits for all queues")),
    ("sequential", Bare("seq")),
    ("parallel", Named("gang")),
    ("simd", Bare("vector")),
    ("nowait", Later("async")),
    ("ordered", Bare("seq")),
    ("for", Nothing("`loop` says it already")),
    ("do", Nothing("`loop` says it already")),
    ("teams", Bare("gang")),
    ("distribute", Bare("gang")),
    (
        "depend",
        Other("order work by queues: `async(1)` on both, or `wait(1)` on the one that comes after"),
    ),
    (
        "lastprivate",
        Other("assign the last value behind the loop, or compute it there"),
    ),
    (
        "copyprivate",
        Other("a variable without a clause has one copy for all gangs"),
    ),
    ("proc_bind", Nothing("a device places its threads itself")),
    (
        "safelen",
        Other(
            "iterations run in any order: remove it if none needs what another one does, else write \
             `seq` on the loop",
        ),
    ),
    (
        "linear",
        Other("compute the variable from the loop's in the body, and remove this"),
    ),
    ("aligned", Nothing("allocations of a device are aligned")),
    (
        "unroll",
        Nothing("small loops are unrolled by the translator"),
    ),
    ("order", Bare("independent")),
    (
        "region",
        Nothing("a directive governs what stands right behind it"),
    ),
    (
        "begin",
        Nothing("a directive governs what stands right behind it"),
    ),
    ("end", Other(END)),
    (
        "enter",
        Other(
            "write `#pragma acc enter data`: it begins what `exit data` ends, with no block between",
        ),
    ),
    (
        "exit",
        Other(
            "write `#pragma acc exit data`: it ends what `enter data` began, with no block between",
        ),
    ),
    (
        "target",
        Other(
            "write `#pragma acc routine seq` before a function, `declare create(a)` behind a variable",
        ),
    ),
];

/// Why nothing ends a construct.
pub const END: &str =
    "the braces or the loop behind a directive end its construct: remove this line";

/// What goes with `async`.
pub const WAIT: &str = ", and `#pragma acc wait` before the host uses what it computes";

/// Directives by their first words, the longest first.
pub const DIRECTIVES: &[(&str, &str)] = &[
    ("target enter data", "enter data"),
    ("target exit data", "exit data"),
    ("target update", "update"),
    ("target data", "data"),
    ("target teams", "parallel loop"),
    ("target parallel", "parallel loop"),
    ("target simd", "parallel loop"),
    ("target loop", "parallel loop"),
    ("target", "parallel"),
    ("teams", "parallel loop"),
    ("distribute", "loop gang"),
    ("for simd", "loop vector"),
    ("for", "loop"),
    ("do", "loop"),
    ("simd", "loop vector"),
    ("declare target", "routine seq"),
    ("begin declare target", "routine seq"),
    ("region for", "kernels loop"),
    ("region", "kernels"),
    ("compute", "kernels"),
    ("data region", "data"),
    ("taskwait", "wait"),
    ("sync", "wait"),
    ("synchronize", "wait"),
    ("waitall", "wait"),
    ("wait_all", "wait"),
    ("task", "parallel async"),
];

/// What OpenACC has in place of a directive; by its first words.
pub const WAYS: &[(&str, &str)] = &[
    (
        "critical",
        "write `#pragma acc atomic` for an update of one variable, or a `reduction` clause",
    ),
    (
        "ordered",
        "write `seq` on the loop whose iterations have to follow each other",
    ),
    (
        "single",
        "put the statement into `#pragma acc serial`, or outside of the construct",
    ),
    (
        "master",
        "put the statement into `#pragma acc serial`, or outside of the construct",
    ),
    (
        "masked",
        "put the statement into `#pragma acc serial`, or outside of the construct",
    ),
    (
        "sections",
        "write a `parallel` construct with `async` for each section, and `#pragma acc wait` behind",
    ),
    (
        "section",
        "write a `parallel` construct with `async` for each section, and `#pragma acc wait` behind",
    ),
    (
        "barrier",
        "threads meet at the end of a construct, and of a loop that they share: remove it, and write \
         what has to come after as a loop of its own; behind `async` write `#pragma acc wait`",
    ),
    (
        "threadprivate",
        "name the variable in `private` on the constructs that use it",
    ),
    (
        "flush",
        "constructs end with their memory written: remove it",
    ),
    (
        "unroll",
        "small loops are unrolled by the translator: remove it",
    ),
    ("gang", LEVEL),
    ("worker", LEVEL),
    (
        "vector",
        "`vector` is a clause: write it behind the `loop` that the lanes share",
    ),
    (
        "seq",
        "`seq` is a clause: write `#pragma acc loop seq` before a loop",
    ),
    (
        "independent",
        "`independent` is a clause: write `#pragma acc loop independent` before a loop",
    ),
];

const LEVEL: &str = "a level is a clause: write it behind the `loop` that it shares";

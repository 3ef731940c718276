//! The directives and clauses of OpenACC 3.3, and which of them are built.
//!
//! One table serves the checks, the help texts and `docs/conformance.md`.

use ClauseKind as C;
use DirectiveKind as D;

/// The directives (chapter 2), combined constructs apart from their parts,
/// and this project's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the specification's")]
pub enum DirectiveKind {
    Parallel,
    Kernels,
    Serial,
    ParallelLoop,
    KernelsLoop,
    SerialLoop,
    Loop,
    Data,
    EnterData,
    ExitData,
    Update,
    HostData,
    Declare,
    Routine,
    Atomic,
    Cache,
    Wait,
    Init,
    Shutdown,
    Set,
    Fcw,
    FcwBarrier,
}

/// Whether something is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Accepted.
    Built,
    /// Valid, and refused with [`crate::diagnostic::codes::NOT_SUPPORTED_YET`].
    NotYet,
}

/// A row of the table of directives.
#[derive(Debug)]
pub struct DirectiveRow {
    /// Which one.
    pub kind: DirectiveKind,
    /// Its words.
    pub name: &'static str,
    /// The section of the specification; empty for the project's own.
    pub section: &'static str,
    /// Whether it is built.
    pub support: Support,
}

const fn directive(
    kind: DirectiveKind,
    name: &'static str,
    section: &'static str,
    support: Support,
) -> DirectiveRow {
    DirectiveRow {
        kind,
        name,
        section,
        support,
    }
}

/// All directives.
pub const DIRECTIVES: &[DirectiveRow] = &[
    directive(D::Parallel, "parallel", "2.5.1", Support::Built),
    directive(D::Kernels, "kernels", "2.5.3", Support::Built),
    directive(D::Serial, "serial", "2.5.2", Support::Built),
    directive(D::ParallelLoop, "parallel loop", "2.11", Support::Built),
    directive(D::KernelsLoop, "kernels loop", "2.11", Support::Built),
    directive(D::SerialLoop, "serial loop", "2.11", Support::Built),
    directive(D::Loop, "loop", "2.9", Support::Built),
    directive(D::Data, "data", "2.6.5", Support::Built),
    directive(D::EnterData, "enter data", "2.6.6", Support::Built),
    directive(D::ExitData, "exit data", "2.6.6", Support::Built),
    directive(D::Update, "update", "2.14.4", Support::Built),
    directive(D::Routine, "routine", "2.15.1", Support::Built),
    directive(D::HostData, "host_data", "2.8", Support::Built),
    directive(D::Declare, "declare", "2.13", Support::Built),
    directive(D::Atomic, "atomic", "2.12", Support::Built),
    directive(D::Cache, "cache", "2.10", Support::Built),
    directive(D::Wait, "wait", "2.16.3", Support::Built),
    directive(D::Init, "init", "2.14.1", Support::Built),
    directive(D::Shutdown, "shutdown", "2.14.2", Support::Built),
    directive(D::Set, "set", "2.14.3", Support::Built),
    directive(D::Fcw, "fcw", "", Support::Built),
    directive(D::FcwBarrier, "fcw_barrier", "", Support::Built),
];

/// The clauses; spellings of one meaning are one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the specification's")]
pub enum ClauseKind {
    If,
    SelfClause,
    Default,
    NumGangs,
    NumWorkers,
    VectorLength,
    Private,
    Firstprivate,
    Reduction,
    Copy,
    CopyIn,
    CopyOut,
    Create,
    NoCreate,
    Present,
    DevicePointer,
    Delete,
    Attach,
    Detach,
    Finalize,
    Gang,
    Worker,
    Vector,
    Sequential,
    Independent,
    Auto,
    Collapse,
    Tile,
    UpdateHost,
    UpdateDevice,
    IfPresent,
    UseDevice,
    Async,
    Wait,
    DeviceType,
    Bind,
    NoHost,
    DeviceResident,
    Link,
    DeviceNum,
    DefaultAsync,
    AtomicRead,
    AtomicWrite,
    AtomicUpdate,
    AtomicCapture,
    FetchOnly,
    ChannelOnly,
    FetchChannel,
    ChannelWriteBack,
    FetchChannelWriteBack,
    FetchWriteBack,
    WriteBackOnly,
    Explicit,
}

/// What stands in a clause's parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// No parentheses.
    Bare,
    /// One expression.
    Expression,
    /// One expression, or no parentheses.
    Optional,
    /// A list of variables and sections.
    Variables,
    /// `operator: variables`.
    Reduction,
    /// `none` or `present`.
    Keyword,
    /// Sizes, with or without labels, or no parentheses.
    Sizes,
    /// Sizes, each of which may be `*`.
    Tile,
    /// A list of arrays with `pivot:before:after` a dimension.
    Windows,
    /// Queues, with or without a device, or no parentheses.
    Queues,
    /// The name of a function, or the name as a string.
    Name,
    /// Names of device types, or `*`.
    DeviceTypes,
}

/// A row of the table of clauses.
#[derive(Debug)]
pub struct ClauseRow {
    /// Which one.
    pub kind: ClauseKind,
    /// All spellings, the plain one first.
    pub spellings: &'static [&'static str],
    /// Its argument.
    pub form: Form,
    /// Where it is allowed.
    pub on: &'static [DirectiveKind],
    /// At most once on a directive.
    pub once: bool,
    /// Whether it is built.
    pub support: Support,
}

const COMPUTE: &[D] = &[
    D::Parallel,
    D::Kernels,
    D::Serial,
    D::ParallelLoop,
    D::KernelsLoop,
    D::SerialLoop,
];
const SIZED: &[D] = &[D::Parallel, D::Kernels, D::ParallelLoop, D::KernelsLoop];
const LOOPS: &[D] = &[D::Loop, D::ParallelLoop, D::KernelsLoop, D::SerialLoop];
const LEVELS: &[D] = &[
    D::Loop,
    D::ParallelLoop,
    D::KernelsLoop,
    D::SerialLoop,
    D::Routine,
];
/// `kernels` finds private scalars by itself; programs list them there.
const PRIVATE: &[D] = &[
    D::Parallel,
    D::Kernels,
    D::Serial,
    D::Loop,
    D::ParallelLoop,
    D::KernelsLoop,
    D::SerialLoop,
];
const REDUCED: &[D] = &[
    D::Parallel,
    D::Serial,
    D::Loop,
    D::ParallelLoop,
    D::KernelsLoop,
    D::SerialLoop,
];
const FIRSTPRIVATE: &[D] = &[D::Parallel, D::Serial, D::ParallelLoop, D::SerialLoop];
const LIFETIME: &[D] = &[
    D::Parallel,
    D::Kernels,
    D::Serial,
    D::ParallelLoop,
    D::KernelsLoop,
    D::SerialLoop,
    D::Data,
    D::Declare,
];
const ENTERING: &[D] = &[
    D::Parallel,
    D::Kernels,
    D::Serial,
    D::ParallelLoop,
    D::KernelsLoop,
    D::SerialLoop,
    D::Data,
    D::Declare,
    D::EnterData,
];
const LEAVING: &[D] = &[
    D::Parallel,
    D::Kernels,
    D::Serial,
    D::ParallelLoop,
    D::KernelsLoop,
    D::SerialLoop,
    D::Data,
    D::Declare,
    D::ExitData,
];
const LOCAL: &[D] = &[
    D::Parallel,
    D::Kernels,
    D::Serial,
    D::ParallelLoop,
    D::KernelsLoop,
    D::SerialLoop,
    D::Data,
];
const ATTACH: &[D] = &[
    D::Parallel,
    D::Kernels,
    D::Serial,
    D::ParallelLoop,
    D::KernelsLoop,
    D::SerialLoop,
    D::Data,
    D::EnterData,
];
const CONDITIONAL: &[D] = &[
    D::Parallel,
    D::Kernels,
    D::Serial,
    D::ParallelLoop,
    D::KernelsLoop,
    D::SerialLoop,
    D::Data,
    D::EnterData,
    D::ExitData,
    D::Update,
    D::HostData,
    D::Wait,
    D::Init,
    D::Shutdown,
    D::Set,
];
const QUEUED: &[D] = &[
    D::Parallel,
    D::Kernels,
    D::Serial,
    D::ParallelLoop,
    D::KernelsLoop,
    D::SerialLoop,
    D::Data,
    D::EnterData,
    D::ExitData,
    D::Update,
    D::Wait,
];
const WAITING: &[D] = &[
    D::Parallel,
    D::Kernels,
    D::Serial,
    D::ParallelLoop,
    D::KernelsLoop,
    D::SerialLoop,
    D::Data,
    D::EnterData,
    D::ExitData,
    D::Update,
];
/// Where `device_type` divides the clauses; elsewhere it is one like others.
pub const DEVICE_SPECIFIC: &[D] = &[
    D::Parallel,
    D::Kernels,
    D::Serial,
    D::ParallelLoop,
    D::KernelsLoop,
    D::SerialLoop,
    D::Data,
    D::Loop,
    D::Update,
    D::Routine,
];
const DEVICES: &[D] = &[D::Init, D::Shutdown, D::Set];

const fn built(
    kind: ClauseKind,
    spellings: &'static [&'static str],
    form: Form,
    on: &'static [DirectiveKind],
    once: bool,
) -> ClauseRow {
    ClauseRow {
        kind,
        spellings,
        form,
        on,
        once,
        support: Support::Built,
    }
}

/// What `fcw` does with windows of the arrays that it lists.
const fn window(kind: ClauseKind, spellings: &'static [&'static str]) -> ClauseRow {
    built(kind, spellings, Form::Windows, &[D::Fcw], MANY)
}

/// A clause that may be repeated.
const MANY: bool = false;
/// A clause that may not.
const ONCE: bool = true;

/// All clauses.
pub const CLAUSES: &[ClauseRow] = &[
    built(C::If, &["if"], Form::Expression, CONDITIONAL, ONCE),
    built(C::Default, &["default"], Form::Keyword, LOCAL, ONCE),
    built(C::NumGangs, &["num_gangs"], Form::Expression, SIZED, ONCE),
    built(
        C::NumWorkers,
        &["num_workers"],
        Form::Expression,
        SIZED,
        ONCE,
    ),
    built(
        C::VectorLength,
        &["vector_length"],
        Form::Expression,
        SIZED,
        ONCE,
    ),
    built(C::Private, &["private"], Form::Variables, PRIVATE, MANY),
    built(
        C::Firstprivate,
        &["firstprivate"],
        Form::Variables,
        FIRSTPRIVATE,
        MANY,
    ),
    built(C::Reduction, &["reduction"], Form::Reduction, REDUCED, MANY),
    built(
        C::Copy,
        &["copy", "pcopy", "present_or_copy"],
        Form::Variables,
        LIFETIME,
        MANY,
    ),
    built(
        C::CopyIn,
        &["copyin", "pcopyin", "present_or_copyin"],
        Form::Variables,
        ENTERING,
        MANY,
    ),
    built(
        C::CopyOut,
        &["copyout", "pcopyout", "present_or_copyout"],
        Form::Variables,
        LEAVING,
        MANY,
    ),
    built(
        C::Create,
        &["create", "pcreate", "present_or_create"],
        Form::Variables,
        ENTERING,
        MANY,
    ),
    built(C::NoCreate, &["no_create"], Form::Variables, LOCAL, MANY),
    built(C::Present, &["present"], Form::Variables, LIFETIME, MANY),
    built(
        C::DevicePointer,
        &["deviceptr"],
        Form::Variables,
        LIFETIME,
        MANY,
    ),
    built(
        C::Delete,
        &["delete"],
        Form::Variables,
        &[D::ExitData],
        MANY,
    ),
    built(C::Finalize, &["finalize"], Form::Bare, &[D::ExitData], ONCE),
    built(C::Gang, &["gang"], Form::Sizes, LEVELS, ONCE),
    built(C::Worker, &["worker"], Form::Sizes, LEVELS, ONCE),
    built(C::Vector, &["vector"], Form::Sizes, LEVELS, ONCE),
    built(C::Sequential, &["seq"], Form::Bare, LEVELS, ONCE),
    built(C::Independent, &["independent"], Form::Bare, LOOPS, ONCE),
    built(C::Auto, &["auto"], Form::Bare, LOOPS, ONCE),
    built(C::Collapse, &["collapse"], Form::Expression, LOOPS, ONCE),
    built(
        C::UpdateHost,
        &["host", "self"],
        Form::Variables,
        &[D::Update],
        MANY,
    ),
    built(
        C::UpdateDevice,
        &["device"],
        Form::Variables,
        &[D::Update],
        MANY,
    ),
    built(
        C::IfPresent,
        &["if_present"],
        Form::Bare,
        &[D::Update, D::HostData],
        ONCE,
    ),
    window(C::FetchOnly, &["FETCH_ONLY"]),
    window(C::ChannelOnly, &["CHANNEL_ONLY"]),
    window(C::FetchChannel, &["FETCH_CHANNEL"]),
    window(C::ChannelWriteBack, &["CHANNEL_WB"]),
    window(C::FetchChannelWriteBack, &["FETCH_CHANNEL_WB"]),
    window(C::FetchWriteBack, &["FETCH_WB"]),
    window(C::WriteBackOnly, &["WB_ONLY"]),
    built(C::Explicit, &["explicit"], Form::Bare, &[D::Fcw], ONCE),
    built(C::SelfClause, &["self"], Form::Optional, COMPUTE, ONCE),
    built(C::Tile, &["tile"], Form::Tile, LOOPS, ONCE),
    built(C::Attach, &["attach"], Form::Variables, ATTACH, MANY),
    built(
        C::Detach,
        &["detach"],
        Form::Variables,
        &[D::ExitData],
        MANY,
    ),
    built(C::Async, &["async"], Form::Optional, QUEUED, ONCE),
    built(C::Wait, &["wait"], Form::Queues, WAITING, MANY),
    built(
        C::DeviceType,
        &["device_type", "dtype"],
        Form::DeviceTypes,
        DEVICES,
        ONCE,
    ),
    built(
        C::DeviceType,
        &["device_type", "dtype"],
        Form::DeviceTypes,
        DEVICE_SPECIFIC,
        MANY,
    ),
    built(C::Bind, &["bind"], Form::Name, &[D::Routine], ONCE),
    built(C::NoHost, &["nohost"], Form::Bare, &[D::Routine], ONCE),
    built(
        C::UseDevice,
        &["use_device"],
        Form::Variables,
        &[D::HostData],
        MANY,
    ),
    built(
        C::DeviceResident,
        &["device_resident"],
        Form::Variables,
        &[D::Declare],
        MANY,
    ),
    built(C::Link, &["link"], Form::Variables, &[D::Declare], MANY),
    built(
        C::DeviceNum,
        &["device_num"],
        Form::Expression,
        DEVICES,
        ONCE,
    ),
    built(
        C::DefaultAsync,
        &["default_async"],
        Form::Expression,
        &[D::Set],
        ONCE,
    ),
    built(C::AtomicRead, &["read"], Form::Bare, &[D::Atomic], ONCE),
    built(C::AtomicWrite, &["write"], Form::Bare, &[D::Atomic], ONCE),
    built(C::AtomicUpdate, &["update"], Form::Bare, &[D::Atomic], ONCE),
    built(
        C::AtomicCapture,
        &["capture"],
        Form::Bare,
        &[D::Atomic],
        ONCE,
    ),
];

impl DirectiveKind {
    /// Its row.
    pub fn row(self) -> &'static DirectiveRow {
        DIRECTIVES
            .iter()
            .find(|row| row.kind == self)
            .expect("every kind has a row; a test checks it")
    }

    /// Its words.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether it is a compute construct, combined or not.
    pub fn is_compute(self) -> bool {
        COMPUTE.contains(&self)
    }

    /// Whether a loop must follow.
    pub fn is_loop(self) -> bool {
        LOOPS.contains(&self)
    }
}

/// The clause of this spelling that is allowed on a directive, or else any of
/// this spelling.
pub fn clause(spelling: &str, on: DirectiveKind) -> Option<&'static ClauseRow> {
    let mut candidates = CLAUSES
        .iter()
        .filter(|row| row.spellings.contains(&spelling));
    let first = candidates.clone().next();
    candidates.find(|row| row.on.contains(&on)).or(first)
}

/// The word of a list that is nearest to a misspelt one, if any is near.
pub fn nearest<'w>(word: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    words
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().min(word.len()) / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters to insert, delete, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(40).collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, slot) in rows[0].iter_mut().enumerate() {
        *slot = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j - 1] + change)
                .min(rows[i - 1][j] + 1)
                .min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_directive_has_one_row() {
        for row in DIRECTIVES {
            assert_eq!(row.kind.row().name, row.name);
        }
        for row in CLAUSES {
            for kind in row.on {
                kind.row();
            }
        }
    }

    #[test]
    fn a_spelling_means_one_clause_on_each_directive() {
        for d in DIRECTIVES {
            for row in CLAUSES.iter().filter(|row| row.on.contains(&d.kind)) {
                for spelling in row.spellings {
                    assert_eq!(clause(spelling, d.kind).map(|r| r.kind), Some(row.kind));
                }
            }
        }
    }

    #[test]
    fn self_is_a_condition_on_compute_and_a_direction_on_update() {
        assert_eq!(
            clause("self", D::Parallel).map(|r| r.kind),
            Some(C::SelfClause)
        );
        assert_eq!(
            clause("self", D::Update).map(|r| r.kind),
            Some(C::UpdateHost)
        );
    }

    #[test]
    fn misspelt_words_find_their_neighbours() {
        let words = || DIRECTIVES.iter().map(|row| row.name);
        assert_eq!(nearest("paralel", words()), Some("parallel"));
        assert_eq!(nearest("kernel", words()), Some("kernels"));
        assert_eq!(nearest("lopo", words()), Some("loop"));
        assert_eq!(nearest("target", words()), None);
    }
}

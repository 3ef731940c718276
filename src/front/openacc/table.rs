//! The directives and clauses of OpenACC 3.3.
//!
//! One table serves the checks, the help texts and the test of `docs/conformance.md`.

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

/// A row of the table of directives.
#[derive(Debug)]
pub struct DirectiveRow {
    /// Which one.
    pub kind: DirectiveKind,
    /// Its words.
    pub name: &'static str,
}

const fn directive(kind: DirectiveKind, name: &'static str) -> DirectiveRow {
    DirectiveRow { kind, name }
}

/// All directives.
pub const DIRECTIVES: &[DirectiveRow] = &[
    directive(D::Parallel, "parallel"),
    directive(D::Kernels, "kernels"),
    directive(D::Serial, "serial"),
    directive(D::ParallelLoop, "parallel loop"),
    directive(D::KernelsLoop, "kernels loop"),
    directive(D::SerialLoop, "serial loop"),
    directive(D::Loop, "loop"),
    directive(D::Data, "data"),
    directive(D::EnterData, "enter data"),
    directive(D::ExitData, "exit data"),
    directive(D::Update, "update"),
    directive(D::Routine, "routine"),
    directive(D::HostData, "host_data"),
    directive(D::Declare, "declare"),
    directive(D::Atomic, "atomic"),
    directive(D::Cache, "cache"),
    directive(D::Wait, "wait"),
    directive(D::Init, "init"),
    directive(D::Shutdown, "shutdown"),
    directive(D::Set, "set"),
    directive(D::Fcw, "fcw"),
    directive(D::FcwBarrier, "fcw_barrier"),
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
    on: Places,
    /// At most once on a directive.
    pub once: bool,
}

/// Groups of directives.
type Places = &'static [&'static [D]];

const CONSTRUCTS: &[D] = &[D::Parallel, D::Kernels, D::Serial];
const COMBINED: &[D] = &[D::ParallelLoop, D::KernelsLoop, D::SerialLoop];
const COMPUTE: Places = &[CONSTRUCTS, COMBINED];
const SIZED: Places = &[&[D::Parallel, D::Kernels, D::ParallelLoop, D::KernelsLoop]];
const LOOPS: Places = &[&[D::Loop], COMBINED];
const LEVELS: Places = &[&[D::Loop], COMBINED, &[D::Routine]];
/// `kernels` finds private scalars by itself; programs list them there.
const PRIVATE: Places = &[CONSTRUCTS, &[D::Loop], COMBINED];
const REDUCED: Places = &[&[D::Parallel, D::Serial, D::Loop], COMBINED];
const FIRSTPRIVATE: Places = &[&[D::Parallel, D::Serial, D::ParallelLoop, D::SerialLoop]];
const LOCAL: Places = &[CONSTRUCTS, COMBINED, &[D::Data]];
const LIFETIME: Places = &[CONSTRUCTS, COMBINED, &[D::Data, D::Declare]];
const ENTERING: Places = &[CONSTRUCTS, COMBINED, &[D::Data, D::Declare, D::EnterData]];
const LEAVING: Places = &[CONSTRUCTS, COMBINED, &[D::Data, D::Declare, D::ExitData]];
const ATTACH: Places = &[CONSTRUCTS, COMBINED, &[D::Data, D::EnterData]];
const MOVING: &[D] = &[D::Data, D::EnterData, D::ExitData, D::Update];
const CONDITIONAL: Places = &[
    CONSTRUCTS,
    COMBINED,
    MOVING,
    &[D::HostData, D::Wait],
    SELECTING,
];
const QUEUED: Places = &[CONSTRUCTS, COMBINED, MOVING, &[D::Wait]];
const WAITING: Places = &[CONSTRUCTS, COMBINED, MOVING];
/// Where `device_type` divides the clauses; elsewhere it is one like others.
pub const DEVICE_SPECIFIC: Places = &[
    CONSTRUCTS,
    COMBINED,
    &[D::Data, D::Loop, D::Update, D::Routine],
];
const SELECTING: &[D] = &[D::Init, D::Shutdown, D::Set];
const DEVICES: Places = &[SELECTING];

/// A clause that a directive has at most once.
const fn once(kind: C, spellings: &'static [&'static str], form: Form, on: Places) -> ClauseRow {
    ClauseRow {
        kind,
        spellings,
        form,
        on,
        once: true,
    }
}

/// A clause that may be repeated.
const fn many(kind: C, spellings: &'static [&'static str], form: Form, on: Places) -> ClauseRow {
    ClauseRow {
        once: false,
        ..once(kind, spellings, form, on)
    }
}

/// A list of variables.
const fn list(kind: C, spellings: &'static [&'static str], on: Places) -> ClauseRow {
    many(kind, spellings, Form::Variables, on)
}

/// A word.
const fn bare(kind: C, spellings: &'static [&'static str], on: Places) -> ClauseRow {
    once(kind, spellings, Form::Bare, on)
}

/// What `fcw` does with windows of the arrays that it lists.
const fn window(kind: C, spellings: &'static [&'static str]) -> ClauseRow {
    many(kind, spellings, Form::Windows, &[&[D::Fcw]])
}

/// All clauses.
pub const CLAUSES: &[ClauseRow] = &[
    once(C::If, &["if"], Form::Expression, CONDITIONAL),
    once(C::Default, &["default"], Form::Keyword, LOCAL),
    once(C::NumGangs, &["num_gangs"], Form::Expression, SIZED),
    once(C::NumWorkers, &["num_workers"], Form::Expression, SIZED),
    once(C::VectorLength, &["vector_length"], Form::Expression, SIZED),
    list(C::Private, &["private"], PRIVATE),
    list(C::Firstprivate, &["firstprivate"], FIRSTPRIVATE),
    many(C::Reduction, &["reduction"], Form::Reduction, REDUCED),
    list(C::Copy, &["copy", "pcopy", "present_or_copy"], LIFETIME),
    list(
        C::CopyIn,
        &["copyin", "pcopyin", "present_or_copyin"],
        ENTERING,
    ),
    list(
        C::CopyOut,
        &["copyout", "pcopyout", "present_or_copyout"],
        LEAVING,
    ),
    list(
        C::Create,
        &["create", "pcreate", "present_or_create"],
        ENTERING,
    ),
    list(C::NoCreate, &["no_create"], LOCAL),
    list(C::Present, &["present"], LIFETIME),
    list(C::DevicePointer, &["deviceptr"], LIFETIME),
    list(C::Delete, &["delete"], &[&[D::ExitData]]),
    bare(C::Finalize, &["finalize"], &[&[D::ExitData]]),
    once(C::Gang, &["gang"], Form::Sizes, LEVELS),
    once(C::Worker, &["worker"], Form::Sizes, LEVELS),
    once(C::Vector, &["vector"], Form::Sizes, LEVELS),
    bare(C::Sequential, &["seq"], LEVELS),
    bare(C::Independent, &["independent"], LOOPS),
    bare(C::Auto, &["auto"], LOOPS),
    once(C::Collapse, &["collapse"], Form::Expression, LOOPS),
    list(C::UpdateHost, &["host", "self"], &[&[D::Update]]),
    list(C::UpdateDevice, &["device"], &[&[D::Update]]),
    bare(C::IfPresent, &["if_present"], &[&[D::Update, D::HostData]]),
    window(C::FetchOnly, &["FETCH_ONLY"]),
    window(C::ChannelOnly, &["CHANNEL_ONLY"]),
    window(C::FetchChannel, &["FETCH_CHANNEL"]),
    window(C::ChannelWriteBack, &["CHANNEL_WB"]),
    window(C::FetchChannelWriteBack, &["FETCH_CHANNEL_WB"]),
    window(C::FetchWriteBack, &["FETCH_WB"]),
    window(C::WriteBackOnly, &["WB_ONLY"]),
    bare(C::Explicit, &["explicit"], &[&[D::Fcw]]),
    once(C::SelfClause, &["self"], Form::Optional, COMPUTE),
    once(C::Tile, &["tile"], Form::Tile, LOOPS),
    list(C::Attach, &["attach"], ATTACH),
    list(C::Detach, &["detach"], &[&[D::ExitData]]),
    once(C::Async, &["async"], Form::Optional, QUEUED),
    many(C::Wait, &["wait"], Form::Queues, WAITING),
    once(
        C::DeviceType,
        &["device_type", "dtype"],
        Form::DeviceTypes,
        DEVICES,
    ),
    many(
        C::DeviceType,
        &["device_type", "dtype"],
        Form::DeviceTypes,
        DEVICE_SPECIFIC,
    ),
    once(C::Bind, &["bind"], Form::Name, &[&[D::Routine]]),
    bare(C::NoHost, &["nohost"], &[&[D::Routine]]),
    list(C::UseDevice, &["use_device"], &[&[D::HostData]]),
    list(C::DeviceResident, &["device_resident"], &[&[D::Declare]]),
    list(C::Link, &["link"], &[&[D::Declare]]),
    once(C::DeviceNum, &["device_num"], Form::Expression, DEVICES),
    once(
        C::DefaultAsync,
        &["default_async"],
        Form::Expression,
        &[&[D::Set]],
    ),
    bare(C::AtomicRead, &["read"], &[&[D::Atomic]]),
    bare(C::AtomicWrite, &["write"], &[&[D::Atomic]]),
    bare(C::AtomicUpdate, &["update"], &[&[D::Atomic]]),
    bare(C::AtomicCapture, &["capture"], &[&[D::Atomic]]),
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
        is_in(COMPUTE, self)
    }

    /// Whether a loop must follow.
    pub fn is_loop(self) -> bool {
        is_in(LOOPS, self)
    }
}

impl ClauseRow {
    /// The directives that take it.
    pub fn on(&self) -> impl Iterator<Item = DirectiveKind> {
        self.on.iter().flat_map(|group| group.iter().copied())
    }

    /// Whether a directive takes it.
    pub fn is_on(&self, kind: DirectiveKind) -> bool {
        is_in(self.on, kind)
    }
}

/// Whether a directive is in one of some groups.
pub fn is_in(places: Places, kind: DirectiveKind) -> bool {
    places.iter().any(|group| group.contains(&kind))
}

/// The clause of this spelling that is allowed on a directive, or else any of
/// this spelling.
pub fn clause(spelling: &str, on: DirectiveKind) -> Option<&'static ClauseRow> {
    let mut candidates = CLAUSES
        .iter()
        .filter(|row| row.spellings.contains(&spelling));
    let first = candidates.clone().next();
    candidates.find(|row| row.is_on(on)).or(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::words::Near;

    #[test]
    fn every_directive_has_one_row() {
        for row in DIRECTIVES {
            assert_eq!(row.kind.row().name, row.name);
        }
        for row in CLAUSES {
            for kind in row.on() {
                kind.row();
            }
        }
    }

    #[test]
    fn a_spelling_means_one_clause_on_each_directive() {
        for d in DIRECTIVES {
            for row in CLAUSES.iter().filter(|row| row.is_on(d.kind)) {
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
        let nearest = |word| Near::words(word, DIRECTIVES.iter().map(|row| row.name)).first();
        assert_eq!(nearest("paralel"), Some("parallel"));
        assert_eq!(nearest("kernel"), Some("kernels"));
        assert_eq!(nearest("lopo"), Some("loop"));
        assert_eq!(nearest("target"), None);
    }
}

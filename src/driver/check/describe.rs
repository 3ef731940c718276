//! Findings as diagnostics.
//!
//! Input: the findings of all runs and their places. Output: one diagnostic
//! for each fault, however many threads and runs had it: findings of one kind
//! at the same pair of lines, of the same kernel and array, are one.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use indexmap::IndexMap;

use super::Run;
use super::finding::{Finding, Index, Kind};
use super::hand_written;
use super::movement::{self, Allowed};
use super::places::{FileLine, Places};
use crate::diagnostic::{Code, Diagnostic, Label, Severity, codes};
use crate::driver::program::short_name;

/// Diagnostics of one command; further ones are counted.
const MOST: usize = 50;

/// What is shown, and whether anything was found that is more than a note.
pub(super) struct Outcome {
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) failed: bool,
}

/// What makes findings the same fault.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Fault {
    kind: Kind,
    note: String,
    kernel: String,
    object: String,
    /// Sorted; sites where there are no lines.
    places: [(Option<FileLine>, u64); 2],
    text: String,
}

/// How often a fault was found, and in which orders.
struct Seen<'a> {
    first: &'a Finding,
    times: u64,
    orders: Vec<&'a str>,
}

/// All that is to be said about the runs.
pub(super) fn outcome(runs: &[Run], places: &Places, allowed: &[Allowed]) -> Outcome {
    let mut faults = merge(runs, places);
    faults.retain(|_, seen| {
        let is_needed = seen.first.kind == Kind::Needless && seen.orders.len() < runs.len();
        !is_needed && !movement::is_allowed(seen.first, allowed)
    });
    let mut diagnostics: Vec<Diagnostic> = faults
        .values()
        .take(MOST)
        .map(|seen| describe(seen, places))
        .collect();
    let is_any = |worst: Severity| faults.values().any(|seen| severity(seen.first) == worst);
    let (faulty, stale) = (is_any(Severity::Error), is_any(Severity::Warning));
    let left_out = faults.len().saturating_sub(MOST) as u64
        + runs.iter().map(|run| run.record.left_out).sum::<u64>();
    if left_out > 0 {
        let message = format!("{left_out} further findings are not shown");
        let mut diagnostic = Diagnostic::global(codes::PROGRAM_FAILED, message);
        diagnostic.severity = Severity::Note;
        diagnostics.push(diagnostic.help("mend what is shown first, then check again"));
    }
    if !faulty {
        diagnostics.extend(runs.iter().find_map(ending));
    }
    Outcome {
        failed: diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
            || faulty
            || stale,
        diagnostics,
    }
}

/// A program that fails has not been checked to its end.
fn ending(run: &Run) -> Option<Diagnostic> {
    failed(run.status, &run.order)
}

/// The same of a run in an order.
pub(super) fn failed(status: ExitStatus, schedule: &str) -> Option<Diagnostic> {
    let how = match (status.code(), status.signal()) {
        (Some(0), _) => return None,
        (Some(code), _) => format!("ended with status {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "did not end properly".to_owned(),
    };
    let message = format!("the program {how} under the checks");
    Some(
        Diagnostic::global(codes::PROGRAM_FAILED, message)
            .note(format!("its blocks and threads began {}", order(schedule)))
            .help("`accrs run` shows whether it does so without them"),
    )
}

/// The findings of all runs, the same ones together, in the order found.
fn merge<'a>(runs: &'a [Run], places: &Places) -> IndexMap<Fault, Seen<'a>> {
    let mut faults: IndexMap<Fault, Seen> = IndexMap::new();
    for run in runs {
        for (finding, times) in &run.record.findings {
            let seen = faults.entry(fault(finding, places)).or_insert(Seen {
                first: finding,
                times: 0,
                orders: Vec::new(),
            });
            seen.times += times;
            if seen.orders.last() != Some(&&*run.order) {
                seen.orders.push(&run.order);
            }
        }
    }
    faults
}

fn fault(finding: &Finding, places: &Places) -> Fault {
    let place = |site, access| match access {
        Some(place) => (Some(place), 0),
        None => (None, site),
    };
    let mut sites = [
        place(finding.site, own_place(finding, places)),
        place(finding.other_site, other_place(finding, places)),
    ];
    sites.sort();
    // Indices differ from thread to thread; without a line they tell windows
    // apart.
    let has_line = sites.iter().any(|(place, _)| place.is_some());
    let text = match finding.kind {
        Kind::Window | Kind::Shift if !has_line => finding.text.clone(),
        _ => String::new(),
    };
    Fault {
        kind: finding.kind,
        note: finding.note.clone(),
        kernel: finding.kernel.clone(),
        object: finding.object.clone(),
        places: sites,
        text,
    }
}

fn own_place(finding: &Finding, places: &Places) -> Option<FileLine> {
    places.of_access(finding.site, &finding.file, finding.line)
}

fn other_place(finding: &Finding, places: &Places) -> Option<FileLine> {
    places.of_access(finding.other_site, &finding.other_file, finding.other_line)
}

fn severity(finding: &Finding) -> Severity {
    if !finding.note.is_empty() {
        Severity::Note
    } else if movement::is_stale(finding.kind) {
        Severity::Warning
    } else {
        Severity::Error
    }
}

fn describe(seen: &Seen, places: &Places) -> Diagnostic {
    let finding = seen.first;
    let (code, message, help) = headline(finding);
    let mut diagnostic = Diagnostic::global(code, message);
    diagnostic.severity = severity(finding);
    let own = own_place(finding, places);
    let text = own_label(finding);
    match own.and_then(|place| places.place(place)) {
        Some(place) => diagnostic.labels.push(Label { place, text }),
        None => diagnostic = diagnostic.note(text),
    }
    let other_text = match finding.kind {
        Kind::Race => Some(other_label(finding)),
        kind if movement::is_movement(kind) => movement::other_label(finding),
        _ => None,
    };
    if let Some(text) = other_text {
        let other = other_place(finding, places).filter(|_| own.is_some());
        match other {
            Some(other) if Some(other) != own => {
                let place = places.place(other);
                let label = place.map(|place| Label { place, text });
                diagnostic.labels.extend(label);
            }
            Some(other) => {
                let line = places.name(other).unwrap_or_default();
                diagnostic = diagnostic.note(format!("{text}, at {line} too"));
            }
            None if finding.kind == Kind::NoValue => {
                diagnostic = diagnostic.note("a copy has brought it to the host");
            }
            None => diagnostic = diagnostic.note(text),
        }
    }
    if finding.kind == Kind::Barrier && finding.line != 0 {
        diagnostic = diagnostic.note(finding.text.clone());
    }
    if !finding.kernel.is_empty() {
        diagnostic = diagnostic.note(format!("in kernel `{}`", short_name(&finding.kernel)));
    }
    if finding.kind != Kind::Needless {
        diagnostic = diagnostic.note(frequency(seen));
    }
    if !places.resolved {
        diagnostic = diagnostic.note("`addr2line` of binutils would tell the lines");
    }
    let own_way = Some(finding).filter(|_| places.is_cuda(own));
    diagnostic.help(own_way.and_then(hand_written::way_out).unwrap_or(help))
}

/// Code, message and way out.
fn headline(finding: &Finding) -> (Code, String, &'static str) {
    let object = object(finding);
    match finding.kind {
        Kind::Race if finding.note == "channel" => (
            codes::RACE_SHARED,
            format!("threads of a block write one slot of {object}: one of the values stays"),
            "nothing is wrong if any of them will do",
        ),
        Kind::Race if finding.note == "equal" => (
            race_code(finding),
            format!(
                "{} store one value in {object} at the same time",
                rivals(finding)
            ),
            "harmless here; another input may make the values differ",
        ),
        Kind::Race if finding.space == "shared" => (
            codes::RACE_SHARED,
            format!("threads of a block race for {object} in shared memory"),
            "a barrier of the block must lie between the two accesses",
        ),
        Kind::Race => (
            codes::RACE_DEVICE,
            format!("{} race for {object}", rivals(finding)),
            "iterations that run at the same time must not share what one of them writes: `private`, `reduction`, `atomic`, or `seq` for the loop",
        ),
        Kind::Uninitialised if finding.space == "shared" => (
            codes::UNINITIALISED,
            format!("{object} is read in shared memory before it is written"),
            "shared memory starts without values in each block",
        ),
        Kind::Uninitialised => (
            codes::UNINITIALISED,
            format!("{object} is read on the device before it is written"),
            "copy it in, as with `copyin`, or write it on the device first",
        ),
        Kind::Outside => (
            codes::OUT_OF_BOUNDS,
            format!("{} outside {object}", access_noun(&finding.access)),
            "keep the index within the section on the device, or put more there",
        ),
        Kind::Window => (
            codes::OUT_OF_BOUNDS,
            finding.text.clone(),
            "the extent is that of the declaration, or of the block's window",
        ),
        Kind::Host => (
            codes::HOST_POINTER,
            access_noun(&finding.access).to_owned() + " through a pointer to the host's memory",
            "data clauses and `attach` give pointers to the device; `deviceptr` takes such pointers only",
        ),
        Kind::Null => (
            codes::HOST_POINTER,
            format!("{} through a null pointer", access_noun(&finding.access)),
            "give the pointer memory on the device before the kernel uses it",
        ),
        Kind::Device => (
            codes::HOST_POINTER,
            format!(
                "{} of {object}: it is another device's",
                access_noun(&finding.access)
            ),
            "copy it to this device, or enable peer access",
        ),
        Kind::Barrier => (
            codes::DIVERGENT_BARRIER,
            "a barrier is not reached by all threads of the block".to_owned(),
            "every thread of the block must reach the same barriers in the same order",
        ),
        Kind::Shift => (
            codes::SHIFT,
            finding.text.clone(),
            "C gives this no value: a GPU shifts everything out, a CPU by the places modulo the width",
        ),
        Kind::HostBehind
        | Kind::DeviceBehind
        | Kind::Dropped
        | Kind::Overwritten
        | Kind::Lost
        | Kind::NoValue
        | Kind::Queues
        | Kind::HostQueue
        | Kind::Section
        | Kind::Needless => movement::headline(finding, &object),
    }
}

fn race_code(finding: &Finding) -> Code {
    match finding.space.as_str() {
        "shared" => codes::RACE_SHARED,
        _ => codes::RACE_DEVICE,
    }
}

/// Who races: several blocks of the launch, or threads of one.
fn rivals(finding: &Finding) -> &'static str {
    if finding.block == finding.other_block {
        "threads of a block"
    } else {
        "blocks of a launch"
    }
}

/// The array by its name, or what else is known of it.
fn object(finding: &Finding) -> String {
    match (finding.object.as_str(), finding.object_bytes) {
        ("", 0) if finding.kind == Kind::Outside => "all data on the device".to_owned(),
        ("", _) => "memory of the device".to_owned(),
        (name, _) if name.contains(' ') && !name.contains('[') => name.to_owned(),
        (name, _) => format!("`{name}`"),
    }
}

fn access_noun(access: &str) -> &'static str {
    match access {
        "read" => "a read",
        "write" => "a write",
        _ => "an atomic update",
    }
}

fn access_verb(access: &str) -> &'static str {
    match access {
        "read" => "reads",
        "write" => "writes",
        "copy" => "copies",
        "free" => "gives back",
        _ => "updates atomically",
    }
}

/// What stands beside the access that was found.
fn own_label(finding: &Finding) -> String {
    let who = thread(finding.thread, finding.block);
    match finding.kind {
        Kind::Barrier => finding
            .block
            .map(|block| format!("in block {}", triple(block)))
            .unwrap_or_default(),
        Kind::Window | Kind::Shift => format!("{who} is here"),
        Kind::Needless => "each time that it is carried out".to_owned(),
        Kind::Race
        | Kind::Uninitialised
        | Kind::Outside
        | Kind::Host
        | Kind::Null
        | Kind::Device => {
            format!("{who} {}{}", access_verb(&finding.access), slot(finding))
        }
        Kind::HostBehind
        | Kind::DeviceBehind
        | Kind::Dropped
        | Kind::Overwritten
        | Kind::Lost
        | Kind::NoValue
        | Kind::Queues
        | Kind::HostQueue
        | Kind::Section => {
            let who = if finding.kernel.is_empty() {
                movement::host_actor(finding).to_owned()
            } else {
                thread(finding.thread, finding.block)
            };
            format!("{who} {}{}", access_verb(&finding.access), slot(finding))
        }
    }
}

/// What stands beside the access that the first one races with.
fn other_label(finding: &Finding) -> String {
    let who = match (finding.other_thread, finding.other_block) {
        (None, Some(block)) => format!("another thread of block {}", triple(block)),
        (thread_index, block) => thread(thread_index, block),
    };
    format!("{who} {} it", access_verb(&finding.other_access))
}

fn thread(thread: Option<Index>, block: Option<Index>) -> String {
    match (thread, block) {
        (Some(thread), Some(block)) => {
            format!("thread {} of block {}", triple(thread), triple(block))
        }
        (None, Some(block)) => format!("a thread of block {}", triple(block)),
        _ => "a thread of another block".to_owned(),
    }
}

fn triple([x, y, z]: Index) -> String {
    format!("({x},{y},{z})")
}

/// ` element 3 of 100`, from offsets in bytes: accesses have the size of the
/// elements, mostly.
fn slot(finding: &Finding) -> String {
    let (Ok(size), true) = (i64::try_from(finding.size), finding.object_bytes != 0) else {
        return String::new();
    };
    if finding.offset == 0 && finding.object_bytes == finding.size {
        return format!(" {}", object(finding));
    }
    // Which value is the newer one is known of words of 4 bytes; an access to a `double` has two.
    let in_words = movement::is_stale(finding.kind) && finding.size.is_power_of_two();
    let first = if in_words && finding.offset % 4 == 0 {
        finding.offset - finding.offset.rem_euclid(size)
    } else {
        finding.offset
    };
    if size == 0 || first % size != 0 || !finding.object_bytes.is_multiple_of(finding.size) {
        return format!(" byte {} of {}", finding.offset, finding.object_bytes);
    }
    let elements = finding.object_bytes / finding.size;
    let name = object(finding);
    format!(" element {} of {name}, which has {elements}", first / size)
}

/// How often, and in which orders of blocks and threads.
fn frequency(seen: &Seen) -> String {
    let orders: Vec<String> = seen.orders.iter().map(|name| order(name)).collect();
    let orders = orders.join(", ");
    match seen.times {
        0 => format!("found with blocks and threads {orders}"),
        1 => format!("found once, with blocks and threads {orders}"),
        times => format!("found {times} times, with blocks and threads {orders}"),
    }
}

/// An order in words.
pub(super) fn order(schedule: &str) -> String {
    match schedule {
        "forward" => "in order".to_owned(),
        "reverse" => "in reverse".to_owned(),
        seed => format!("in random order (seed {seed})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("findings");
        std::fs::write(&path, text).unwrap();
        Run {
            order: "forward".to_owned(),
            status: std::process::ExitStatus::default(),
            record: super::super::finding::read(&path).unwrap(),
            output: None,
        }
    }

    #[test]
    fn a_race_names_both_sides() {
        let runs = [seen(super::super::finding::tests::RACE)];
        let outcome = outcome(&runs, &Places::default(), &[]);
        let race = &outcome.diagnostics[0];
        assert!(outcome.failed);
        assert_eq!(race.message, "blocks of a launch race for `a`");
        assert_eq!(
            race.notes[0],
            "thread (2,0,0) of block (1,0,0) writes element 10 of `a`, which has 100"
        );
        assert_eq!(race.notes[1], "another thread of block (0,0,0) reads it");
    }

    #[test]
    fn runs_with_the_same_fault_are_one_diagnostic() {
        let race = super::super::finding::tests::RACE;
        let mut runs = [seen(race), seen(race)];
        runs[1].order = "7".to_owned();
        let outcome = outcome(&runs, &Places::default(), &[]);
        assert_eq!(outcome.diagnostics.len(), 1);
        let frequency = "found with blocks and threads in order, in random order (seed 7)";
        assert!(outcome.diagnostics[0].notes.contains(&frequency.to_owned()));
    }

    /// The second word of a `double` is the element that it is in.
    #[test]
    fn old_words_of_an_element_are_named_by_it() {
        let race = super::super::finding::tests::RACE;
        let mut finding = seen(race).record.findings.remove(0).0;
        (finding.kind, finding.offset) = (Kind::HostBehind, 12);
        (finding.size, finding.object_bytes) = (8, 800);
        assert_eq!(slot(&finding), " element 1 of `a`, which has 100");
        finding.kind = Kind::Race;
        assert_eq!(slot(&finding), " byte 12 of 800");
    }

    #[test]
    fn equal_stores_are_a_note() {
        let race = super::super::finding::tests::RACE.replace(r#""note":"""#, r#""note":"equal""#);
        let outcome = outcome(&[seen(&race)], &Places::default(), &[]);
        assert!(!outcome.failed);
        assert_eq!(outcome.diagnostics[0].severity, Severity::Note);
    }
}

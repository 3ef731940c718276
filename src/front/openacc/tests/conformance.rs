//! `docs/conformance.md` says that all of OpenACC 3.3 is accepted but what it lists: the front end has all
//! directives and clauses of `openacc-3.3.txt`, the header all routines, and neither anything else but what
//! the page names. What the page says of events and errors is about all that the headers have.

use std::collections::BTreeSet;

use crate::front::openacc::table::{CLAUSES, ClauseRow, DIRECTIVES, DirectiveKind, Form};

const PAGE: &str = include_str!("../../../../docs/conformance.md");

/// What the standard has, in sections.
const STANDARD: &str = include_str!("openacc-3.3.txt");

/// The lines of a section of the standard.
fn standard(section: &str) -> Vec<&'static str> {
    let lines = STANDARD.lines().skip_while(|line| *line != section);
    let lines: Vec<&str> = lines.skip(1).take_while(|line| !line.is_empty()).collect();
    assert!(lines.len() > 10, "{section}");
    lines
}

/// The rows of the table below a header.
fn rows<'p>(page: &'p str, header: &str) -> Vec<&'p str> {
    let lines = page.lines().skip_while(|line| !line.starts_with(header));
    let rows: Vec<&str> = lines
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert!(!rows.is_empty(), "no table `{header}`");
    rows
}

/// What stands in backquotes in the first column of rows.
fn names<'p>(rows: &[&'p str]) -> Vec<&'p str> {
    let columns = rows.iter().filter_map(|row| row.split('|').nth(1));
    columns
        .flat_map(|column| column.split('`').skip(1).step_by(2))
        .collect()
}

fn spelled(name: &str, form: Form) -> String {
    let argument = match form {
        Form::Bare => "",
        Form::Expression => "(expression)",
        Form::Optional => "[(expression)]",
        Form::Sizes => "[(size)]",
        Form::Tile => "(sizes)",
        Form::Queues => "[([devnum: n:] [queues:] list)]",
        Form::Name => "(name)",
        Form::DeviceTypes => "(types)",
        Form::Variables => "(list)",
        Form::Windows => "(windows)",
        Form::Reduction => "(operator: list)",
        Form::Keyword => "(none | present)",
    };
    format!("{name}{argument}")
}

fn spellings(row: &ClauseRow) -> String {
    let spellings: Vec<String> = row.spellings.iter().map(|s| spelled(s, row.form)).collect();
    spellings.join(", ")
}

/// Whether a directive is none of the standard.
fn is_own(kind: DirectiveKind) -> bool {
    matches!(kind, DirectiveKind::Fcw | DirectiveKind::FcwBarrier)
}

#[test]
fn the_front_end_has_what_the_standard_has() {
    let (ours, own): (Vec<_>, Vec<_>) = DIRECTIVES.iter().partition(|row| !is_own(row.kind));
    let names = standard("[directives]").into_iter();
    let names = names.filter_map(|line| Some(line.split_once(": ")?.0));
    assert!(names.eq(ours.iter().map(|row| row.name)));
    let is_standard = |row: &&ClauseRow| row.on().any(|kind| !is_own(kind));
    let clauses = CLAUSES.iter().filter(is_standard).map(|row| {
        let on: Vec<&str> = row.on().map(|kind| kind.name()).collect();
        format!("{}: {}", spellings(row), on.join(", "))
    });
    assert_eq!(clauses.collect::<Vec<_>>(), standard("[clauses]"));
    let beyond = own.iter().map(|row| {
        let clauses = CLAUSES.iter().filter(|clause| clause.is_on(row.kind));
        let clauses: Vec<String> = clauses.map(|row| format!("`{}`", spellings(row))).collect();
        format!("| `{}` | {} |", row.name, clauses.join(", "))
    });
    let listed = rows(PAGE, "| directive | clauses |");
    assert_eq!(listed, beyond.collect::<Vec<_>>());
}

#[test]
fn the_routines_are_those_of_the_header() {
    let header = include_str!("../../../../runtime/include/openacc.h");
    let declared: BTreeSet<&str> = header
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '(')
        .filter_map(|word| word.split_once('(').map(|(name, _)| name))
        .filter(|name| name.starts_with("acc_"))
        .collect();
    let beside = PAGE
        .lines()
        .find(|line| line.starts_with("`acc_async_wait`"));
    let beside = beside.unwrap().split('`').skip(1).step_by(2);
    let lines = standard("[routines]").into_iter();
    let names = lines.flat_map(|line| line.split(':').next().unwrap_or_default().split(", "));
    assert_eq!(names.chain(beside).collect::<BTreeSet<_>>(), declared);
}

#[test]
fn events_and_errors_are_those_of_the_header() {
    let header = include_str!("../../../../runtime/include/acc_callback.h");
    let enumerators = |prefix: &str| -> Vec<&str> {
        let lines = header.lines();
        let found = lines.filter_map(|line| line.trim().strip_prefix(prefix));
        found
            .filter_map(|rest| rest.split([' ', ',']).next())
            .collect()
    };
    let mut events = enumerators("acc_ev_");
    events.retain(|name| !["none", "last"].contains(name));
    assert_eq!(names(&rows(PAGE, "| event `acc_ev_` |")), events);
    let mut errors = enumerators("acc_error_");
    errors.retain(|name| !["t", "event_info"].contains(name) && !name.contains(';'));
    assert_eq!(names(&rows(PAGE, "| error `acc_error_` |")), errors);
}

#[test]
fn the_version_is_that_of_the_page() {
    let number = PAGE.split("`_OPENACC` is ").nth(1).unwrap();
    let (number, _) = number.split_once(',').unwrap();
    for source in [
        include_str!("../../../driver/build.rs"),
        include_str!("../../../source/preprocess.rs"),
        include_str!("../../../../templates/makefile.hbs"),
    ] {
        assert!(source.contains(&format!("-D_OPENACC={number}")));
    }
}

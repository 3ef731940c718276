//! `docs/conformance.md`: its tables of directives and clauses are those of the front end, and
//! what it says of the runtime is about all that the headers have, and nothing else.

use std::collections::BTreeSet;

use crate::front::openacc::table::{CLAUSES, ClauseRow, DIRECTIVES, DirectiveKind, Form};

const PAGE: &str = include_str!("../../../../docs/conformance.md");

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
        Form::Keyword => "(none \\| present)",
    };
    format!("`{name}{argument}`")
}

fn spellings(row: &ClauseRow) -> String {
    let spellings: Vec<String> = row.spellings.iter().map(|s| spelled(s, row.form)).collect();
    spellings.join(", ")
}

/// Whether a directive is none of the standard.
fn is_own(kind: DirectiveKind) -> bool {
    matches!(kind, DirectiveKind::Fcw | DirectiveKind::FcwBarrier)
}

/// `ACCRS_BLESS=1 cargo test conformance` writes the rows.
#[test]
fn the_tables_are_those_of_the_front_end() {
    let (standard, own): (Vec<_>, _) = DIRECTIVES.iter().partition(|row| !is_own(row.kind));
    let listed = names(&rows(PAGE, "| directive | section |"));
    assert!(listed.iter().eq(standard.iter().map(|row| &row.name)));
    let is_standard = |row: &&ClauseRow| row.on().any(|kind| !is_own(kind));
    let clauses = CLAUSES.iter().filter(is_standard).map(|row| {
        let on: Vec<&str> = row.on().map(|kind| kind.name()).collect();
        format!(
            "| {} | {} | accepted | accepted |",
            spellings(row),
            on.join(", ")
        )
    });
    let beyond = own.iter().map(|row| {
        let clauses = CLAUSES.iter().filter(|clause| clause.is_on(row.kind));
        let clauses: Vec<String> = clauses.map(spellings).collect();
        format!("| `{}` | {} | accepted |", row.name, clauses.join(", "))
    });
    let wanted = [
        ("| clause | on |", clauses.collect::<Vec<_>>()),
        ("| directive | clauses |", beyond.collect()),
    ];
    if std::env::var_os("ACCRS_BLESS").is_some() {
        let page = wanted
            .iter()
            .fold(PAGE.to_owned(), |page, (header, wanted)| {
                page.replacen(&rows(&page, header).join("\n"), &wanted.join("\n"), 1)
            });
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/conformance.md");
        return std::fs::write(path, page).unwrap();
    }
    for (header, wanted) in wanted {
        assert_eq!(rows(PAGE, header), wanted);
    }
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
    let listed = names(&rows(PAGE, "| routines |")).into_iter().chain(beside);
    assert_eq!(listed.collect::<BTreeSet<_>>(), declared);
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

/// The number is raised when nothing is missing any more, and then it must be.
#[test]
fn the_version_is_that_of_the_table() {
    let since = rows(PAGE, "| new since 2.7 |");
    let is_met = |row: &&str| row.ends_with("| met |");
    let number = if since.iter().all(is_met) {
        "202211"
    } else {
        "201811"
    };
    assert!(PAGE.contains(&format!("`_OPENACC` is {number}")));
    for source in [
        include_str!("../../../driver/build.rs"),
        include_str!("../../../source/preprocess.rs"),
        include_str!("../../../../templates/makefile.hbs"),
    ] {
        assert!(source.contains(&format!("-D_OPENACC={number}")));
    }
}

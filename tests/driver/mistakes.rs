//! Mistakes that people make with OpenACC, and what `accrs check --dynamic` says of each.
//!
//! A file in `mistakes/` has many functions, each of which runs in a process of its own, so that one
//! build and one check serve them all. `found CODE CLASS` in a comment: an error or a warning of
//! that code is at that line; `noted CODE CLASS`: a note of what is needless is. `missed CLASS: WHY`: a
//! mistake that is not found. Nothing else may be said, so that functions without such comments show
//! that right code is not accused; `right.c` has them of many kinds.

use std::collections::{BTreeMap, BTreeSet};

use super::{Folder, text};

/// Runs a file of mistakes and compares what is said with its comments.
fn compare(name: &str, source: &str) -> String {
    let folder = Folder::with(&[(name, source), ("each.h", include_str!("mistakes/each.h"))]);
    let output = folder.accrs(&format!("check --dynamic --message-format short {name}"));
    let said = text(&output);
    let found: BTreeSet<(usize, String)> = said.lines().filter_map(finding).collect();
    let expected: BTreeSet<(usize, String)> = expected(source).collect();
    let missed: Vec<_> = expected.difference(&found).collect();
    let accused: Vec<_> = found.difference(&expected).collect();
    assert!(
        missed.is_empty() && accused.is_empty(),
        "missed {missed:?}, accused {accused:?}:\n{said}"
    );
    assert!(!said.contains("error[A0726]"), "{said}");
    assert_eq!(output.status.code(), Some(1), "{said}");
    said
}

/// The line and code of an error or a warning; those of other files have line 0.
fn finding(line: &str) -> Option<(usize, String)> {
    let (place, rest) = ["error[", "warning[", "note["]
        .iter()
        .find_map(|severity| line.split_once(severity))?;
    let (code, _) = rest.split_once(']')?;
    if line.contains("note[") && !["A0728", "A0734"].contains(&code) {
        return None;
    }
    let in_file = place
        .split(':')
        .nth(1)
        .filter(|_| !place.contains("each.h"));
    let line = in_file.and_then(|line| line.parse().ok()).unwrap_or(0);
    Some((line, code.to_owned()))
}

fn expected(source: &str) -> impl Iterator<Item = (usize, String)> {
    let lines = source.lines().enumerate();
    lines.filter_map(|(number, line)| {
        let found = ["/* found ", "/* noted "];
        let (_, comment) = found.iter().find_map(|word| line.split_once(word))?;
        let (code, _) = comment.split_once(' ')?;
        Some((number + 1, code.to_owned()))
    })
}

const FILES: [(&str, &str); 3] = [
    ("movement.c", include_str!("mistakes/movement.c")),
    ("queues.c", include_str!("mistakes/queues.c")),
    ("kernels.c", include_str!("mistakes/kernels.c")),
];

#[test]
fn data_that_does_not_get_where_it_is_used_is_found() {
    let (name, source) = FILES[0];
    compare(name, source);
}

#[test]
fn queues_that_do_not_wait_are_found() {
    let (name, source) = FILES[1];
    let said = compare(name, source);
    // One function prints what it reads too early.
    let words = "note[A0737]: the output is another one where queues do their work late: line 1 is `3`, not `4`";
    assert!(said.contains(words), "{said}");
}

#[test]
fn right_functions_of_many_kinds_are_not_accused() {
    let files = [
        ("right.c", RIGHT),
        ("each.h", include_str!("mistakes/each.h")),
    ];
    let output = Folder::with(&files).accrs("check --dynamic right.c");
    assert_eq!(text(&output), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn mistakes_within_kernels_are_found() {
    let (name, source) = FILES[2];
    compare(name, source);
}

const RIGHT: &str = include_str!("mistakes/right.c");

/// The table is as large as it is meant to be.
#[test]
fn many_classes_of_mistakes_are_seeded() {
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, source) in FILES {
        for line in source.lines() {
            if let Some((_, comment)) = line.split_once("/* found ") {
                let class = comment.split_once(' ').map_or("", |(_, class)| class);
                *classes.entry(class).or_default() += 1;
            }
        }
    }
    let mut right = 0;
    for source in FILES.map(|(_, source)| source).into_iter().chain([RIGHT]) {
        let functions = source.lines();
        right += functions
            .filter(|line| line.starts_with("static void right_"))
            .count();
    }
    let seeded: usize = classes.values().sum();
    assert!(seeded >= 60, "{seeded} mistakes: {classes:?}");
    assert!(classes.len() >= 20, "{classes:?}");
    assert!(right >= 60, "{right} right functions");
}

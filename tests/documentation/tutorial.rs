//! `docs/tutorial.md` is followed from its first block to its last, in an empty folder, and each command prints
//! what stands there.
//!
//! A block in C begins with the file's name, a `diff` changes that file, and a `console` has commands with what
//! they print, of which a line `…` stands for any lines. Spaces between words do not count.

use std::path::Path;

use crate::support::process::{command, run};
use crate::support::{accrs, read, root};
use crate::{Fenced, fenced};

#[test]
fn the_tutorial_does_what_it_says() {
    let page = read(&root().join("docs/tutorial.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut file = None;
    let mut commands = 0;
    for Fenced { language, text, .. } in fenced(&page) {
        match (language, &file) {
            ("c", _) => {
                let (head, _) = text.split_once('\n').unwrap();
                let path = folder.path().join(head.strip_prefix("// ").unwrap());
                std::fs::write(&path, text).unwrap();
                file = Some(path);
            }
            ("diff", Some(path)) => {
                let changed = patched(&read(path).unwrap(), text);
                std::fs::write(path, changed).unwrap();
            }
            ("console", _) => {
                for (line, shown) in sessions(text) {
                    let printed = printed(line, folder.path());
                    assert!(
                        agrees(&words(&shown), &words(&printed)),
                        "$ {line}\nis said to print\n{}\nand prints\n{}",
                        shown.join("\n"),
                        printed.join("\n")
                    );
                    commands += 1;
                }
            }
            _ => panic!("a block that is not tested: {language}\n{text}"),
        }
    }
    assert!(commands >= 14, "{commands} commands on the page");
}

#[test]
fn what_is_shown_may_leave_out_lines_and_nothing_else() {
    let printed = words(&["a  1", "b 2", "c 3"]);
    for shown in [
        &["a 1", "b 2", "c  3"][..],
        &["…", "c 3"],
        &["a 1", "…"],
        &["a 1", "…", "c 3"],
        &["…", "b 2", "…"],
    ] {
        assert!(agrees(&words(shown), &printed), "{shown:?}");
    }
    for shown in [
        &["a 1", "b 2"][..],
        &["b 2", "…"],
        &["…", "b 2"],
        &["…", "c 3", "b 2", "…"],
        &["a 1", "b 3", "c 3"],
        &[],
    ] {
        assert!(!agrees(&words(shown), &printed), "{shown:?}");
    }
    let text = "a\nb\nc\n";
    assert_eq!(patched(text, " a\n-b\n+d\n+e\n c\n"), "a\nd\ne\nc\n");
    assert!(std::panic::catch_unwind(|| patched(text, " a\n-c\n")).is_err());
}

/// The commands of a block, each with the lines that it is said to print.
fn sessions(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut sessions: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), sessions.last_mut()) {
            (Some(command), _) => sessions.push((command, Vec::new())),
            (None, Some((_, shown))) => shown.push(line),
            (None, None) => panic!("no command prints `{line}`"),
        }
    }
    sessions
}

/// What a command prints, on either output, that has to succeed with `accrs` in its path.
fn printed(line: &str, folder: &Path) -> Vec<String> {
    let program = accrs().parent().unwrap().display();
    let mut shell = command("sh");
    let path = std::env::var("PATH").unwrap();
    shell.env("PATH", format!("{program}:{path}"));
    shell.env_remove("MAKEFLAGS");
    shell.args(["-c", &format!("{{ {line}\n}} 2>&1")]);
    let outcome = run(shell.current_dir(folder)).unwrap();
    assert!(outcome.status.success(), "$ {line}\n{}", outcome.text());
    outcome.text().lines().map(str::to_owned).collect()
}

/// A file after a change, whose lines begin as those of a diff.
fn patched(text: &str, diff: &str) -> String {
    let side = |sign: char| -> String {
        let lines = diff.lines();
        let kept = lines.filter_map(|line| line.strip_prefix([' ', sign]));
        kept.flat_map(|line| [line, "\n"]).collect()
    };
    let (before, after) = (side('-'), side('+'));
    assert_eq!(text.matches(&before).count(), 1, "places of\n{before}");
    text.replacen(&before, &after, 1)
}

fn words(lines: &[impl AsRef<str>]) -> Vec<Vec<&str>> {
    let lines = lines.iter();
    lines
        .map(|line| line.as_ref().split_whitespace().collect())
        .filter(|words: &Vec<&str>| !words.is_empty())
        .collect()
}

/// Whether lines are those that are shown, of which `…` is any number.
fn agrees(shown: &[Vec<&str>], printed: &[Vec<&str>]) -> bool {
    match shown {
        [] => printed.is_empty(),
        [gap, rest @ ..] if gap[..] == ["…"] => {
            (0..=printed.len()).any(|skipped| agrees(rest, &printed[skipped..]))
        }
        [line, rest @ ..] => printed.first() == Some(line) && agrees(rest, &printed[1..]),
    }
}

//! `doctor`, `explain`, `completions`, `man`, wrong use and exit statuses.

use crate::{Folder, text};

const PLAIN: &str = "int main(void)\n{\n    return 0;\n}\n";

#[test]
fn doctor_names_tools_and_versions() {
    let output = Folder::new().succeed("doctor");
    for what in [
        "C compiler",
        "C++ compiler",
        "ar",
        "make",
        "nvcc",
        "NVIDIA GPU",
        "cache",
    ] {
        assert!(output.contains(what), "{output}");
    }
    assert!(output.contains("/bin/cc: cc "), "{output}");
}

#[test]
fn doctor_says_in_one_line_what_to_install() {
    let folder = Folder::new();
    let output = folder
        .command(crate::accrs())
        .arg("doctor")
        .env("ACCRS_CXX", "/no/such")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = text(&output);
    assert!(
        text.ends_with("missing: C++ compiler; install the system package g++\n"),
        "{text}"
    );
}

#[test]
fn explain_shows_a_page_whatever_the_case() {
    let folder = Folder::new();
    assert_eq!(
        folder.succeed("explain A0701"),
        folder.succeed("explain a0701")
    );
    assert!(folder.succeed("explain A0701").starts_with("# A0701: "));
    assert!(
        folder
            .succeed("explain")
            .contains("A0701  no C compiler was found\n")
    );
    let output = folder.accrs("explain A9999");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("there is no code `A9999`"));
}

#[test]
fn completions_and_manual_pages() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(
            folder
                .succeed(&format!("completions {shell}"))
                .contains("translate"),
            "{shell}"
        );
    }
    folder.succeed("man pages");
    assert!(folder.names() == ["pages"], "{:?}", folder.names());
    let pages = crate::names(&folder.file("pages"));
    assert!(
        pages.contains(&"accrs.1".into()) && pages.contains(&"accrs-translate.1".into()),
        "{pages:?}"
    );
    // Once more over its own files, but not over those of others.
    folder.succeed("man pages");
    folder.write("pages/accrs-run.1", "mine");
    let output = folder.accrs("man pages");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(folder.read("pages/accrs-run.1"), "mine");
}

/// The sections behind the options, in the words of `--help`.
const SECTIONS: [&str; 4] = ["Exit status", "Environment", "Files", "Examples"];

/// Variables that accrs and its tests use among themselves.
const INTERNAL: [&str; 9] = [
    "ACCRS_CHECK_REPORT",
    "ACCRS_CHECK_STORES",
    "ACCRS_COMPARE_EXCEPT",
    "ACCRS_COMPARE_TO",
    "ACCRS_COMPARE_TOLERANCE",
    "ACCRS_COMPARE_WITH",
    "ACCRS_COUNTS_REPORT",
    "ACCRS_EMULATED_REGISTERS",
    "ACCRS_TRACE_STREAMS",
];

#[test]
fn help_and_manual_page_have_statuses_variables_files_and_examples() {
    let folder = Folder::new();
    folder.succeed("man pages");
    let page = folder.read("pages/accrs.1").replace("\\-", "-");
    let help = folder.succeed("--help");
    let mut environment = (String::new(), String::new());
    for title in SECTIONS {
        let of_help = help.split(&format!("\n{title}:\n")).nth(1);
        let of_help = of_help.and_then(|rest| rest.split("\n\n").next());
        let heading = format!("\n.SH {}\n", quoted(&title.to_uppercase()));
        let of_page = page.split(&heading).nth(1);
        let of_page = of_page.and_then(|rest| rest.split("\n.SH").next());
        let (Some(of_help), Some(of_page)) = (of_help, of_page) else {
            panic!("{title} is missing:\n{help}\n{page}");
        };
        // The same words but for the marks of the page.
        let marks = [".TP", "\\fB", "\\fR", "\\&"];
        let plain = marks
            .iter()
            .fold(of_page.to_owned(), |text, mark| text.replace(mark, " "));
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&plain), words(of_help), "{title}");
        if title == "Environment" {
            environment = (of_help.to_owned(), plain);
        }
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let table = readme.split("\n| variable |").nth(1).unwrap();
    let rows = table
        .lines()
        .take_while(|line| line.starts_with('|') || line.ends_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let named: Vec<&str> = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .map(|variable| variable.split('=').next().unwrap())
        .collect();
    assert!(named.len() > 10, "{named:?}");
    for text in [&environment.0, &environment.1] {
        let words = text.split(|c: char| !c.is_ascii_uppercase() && c != '_');
        let words: Vec<&str> = words.collect();
        for name in &named {
            assert!(words.contains(name), "{name} is left out:\n{text}");
        }
    }
    for path in crate::support::files_below(&root.join("runtime")) {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        for read in text.split("getenv(\"").skip(1) {
            let name = read.split('"').next().unwrap();
            let is_known = named.contains(&name) || INTERNAL.contains(&name);
            assert!(is_known, "{}: README.md leaves out {name}", path.display());
        }
    }
}

/// An argument of a request of roff's.
fn quoted(text: &str) -> String {
    match text.contains(' ') {
        true => format!("\"{text}\""),
        false => text.to_owned(),
    }
}

#[test]
fn wrong_use_is_status_2_and_125_for_run() {
    let folder = Folder::with(&[("a.c", PLAIN)]);
    for (line, status) in [
        ("", 2),
        ("no-such-command", 2),
        ("translate", 2),
        ("translate --arch=quantum a.c", 2),
        ("translate a.c -I", 2),
        ("check --dynamic a.c a.c", 2),
        ("check a.c -- 3", 2),
        ("run", 125),
        ("run --device=quantum a.c", 125),
        ("run missing.c", 125),
        ("translate missing.c", 1),
        ("check missing.c", 1),
        ("--version", 0),
        ("help run", 0),
    ] {
        let output = folder.accrs(line);
        assert_eq!(
            output.status.code(),
            Some(status),
            "accrs {line}: {}",
            text(&output)
        );
    }
    assert_eq!(folder.names(), ["a.c"]);
}

#[test]
fn a_missing_compiler_is_said_with_its_code() {
    let folder = Folder::with(&[("a.c", PLAIN)]);
    let output = folder
        .command(crate::accrs())
        .args(["translate", "a.c"])
        .env("PATH", "")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output).starts_with("error[A0701]: no C compiler was found"),
        "{}",
        text(&output)
    );
    assert_eq!(folder.names(), ["a.c"]);
}

#[test]
fn message_formats() {
    let folder = Folder::new();
    let short = folder.accrs("--message-format short translate missing.c");
    let errors = text(&short);
    let errors = errors.lines().filter(|line| line.contains("error[A0102]"));
    assert_eq!(errors.count(), 1);
    let json = folder.accrs("translate missing.c --message-format json");
    let value: serde_json::Value = serde_json::from_slice(&json.stderr).unwrap();
    assert_eq!(value["code"]["code"], "A0102");
    let colored = folder.accrs("translate missing.c --color always");
    assert!(text(&colored).contains("\u{1b}["));
}

/// A program with a kernel, for the stages to have something to do.
const SCALE: &str = "void scale(int n, double *restrict x)
{
    #pragma acc parallel loop copy(x[0:n])
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}
";

/// The stages that `--time-passes` names, in order, with how deep they are.
const STAGES: [(usize, &str); 31] = [
    (0, "source"),
    (0, "syntax"),
    (0, "sema"),
    (0, "front"),
    (0, "passes"),
    (1, "fresh_memory"),
    (1, "privatise"),
    (1, "kernel_fission"),
    (1, "collective_calls"),
    (1, "parallelisation"),
    (1, "lost_writes"),
    (1, "unfilled_memory"),
    (1, "surplus_sections"),
    (1, "short_sections"),
    (1, "member_sections"),
    (1, "interchange"),
    (1, "memory_placement"),
    (1, "thread_mapping"),
    (1, "private_arrays"),
    (1, "block_order"),
    (1, "launch_configuration"),
    (1, "coarsening"),
    (1, "software_cache"),
    (1, "reduction"),
    (1, "synchronisation"),
    (1, "barrier_legalisation"),
    (1, "atomics"),
    (1, "unrolling"),
    (1, "single_iterations"),
    (1, "index_types"),
    (0, "back"),
];

#[test]
fn the_time_of_each_stage_and_pass() {
    let folder = Folder::with(&[
        ("scale.c", SCALE),
        ("wrong.c", "int f(void) { return x; }\n"),
    ]);
    let silent = folder.accrs("check scale.c");
    assert!(silent.stderr.is_empty(), "{}", text(&silent));
    for command in [
        "check --time-passes scale.c",
        "cc --device=emulated --time-passes -c scale.c",
    ] {
        let output = folder.accrs(command);
        assert!(output.status.success(), "{}", text(&output));
        let shown = String::from_utf8(output.stderr).unwrap();
        let mut lines = shown.lines();
        let head = lines.next().unwrap();
        assert!(
            head.starts_with("scale.c: ") && head.ends_with(" s"),
            "{shown}"
        );
        let line = |line: &str| {
            let (figures, name) = line.split_once(" %  ").unwrap();
            let (seconds, percent) = figures.split_once(" s ").unwrap();
            let part: f64 = percent.trim().parse().unwrap();
            assert!((0.0..=100.0).contains(&part), "{line}");
            assert!(seconds.trim().parse::<f64>().unwrap() >= 0.0, "{line}");
            let depth = (name.len() - name.trim_start().len()) / 2;
            (depth, name.trim_start().to_owned())
        };
        let found: Vec<(usize, String)> = lines.map(line).collect();
        let expected = STAGES.map(|(depth, name)| (depth, name.to_owned()));
        assert_eq!(found, expected, "{shown}");
    }
    // What comes before the errors takes time, too.
    let failed = folder.accrs("check --time-passes wrong.c");
    assert_eq!(failed.status.code(), Some(1));
    assert!(text(&failed).contains(" %  sema\n"), "{}", text(&failed));
}

#[test]
fn the_time_of_each_stage_as_json() {
    let folder = Folder::with(&[("scale.c", SCALE)]);
    let output = folder.accrs("--message-format json check --time-passes --feedback scale.c");
    let shown = String::from_utf8(output.stderr).unwrap();
    let messages = shown
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let messages: Vec<serde_json::Value> = messages.collect();
    let is_times = |message: &&serde_json::Value| message["$message_type"] == "times";
    let [times] = messages.iter().filter(is_times).collect::<Vec<_>>()[..] else {
        panic!("one object with times: {shown}");
    };
    assert_eq!(times["file"], "scale.c");
    assert!(times["seconds"].as_f64().unwrap() > 0.0);
    let stages = times["stages"].as_array().unwrap();
    let names: Vec<&str> = stages
        .iter()
        .map(|s| s["stage"].as_str().unwrap())
        .collect();
    for name in [
        "source",
        "passes",
        "passes/thread_mapping",
        "passes/feedback",
        "back",
    ] {
        assert!(names.contains(&name), "{name}: {shown}");
    }
    assert!(stages.iter().all(|stage| stage["seconds"].is_number()));
}

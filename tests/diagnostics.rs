//! One test a bad input: the whole of what is said about it, and nothing written.
//!
//! `tests/diagnostics/NAME.c`, or `.cu`, begins with `// expect-error: CODES`, the codes of all its errors in
//! order, and may have `// options:` of the translator; `NAME.stderr` is the snapshot of the diagnostics as a user sees them. Each error must have
//! a place in the file and a line of help. And the example of each page in `docs/explain/` must be
//! the error, warning or note that the page explains, the code behind `Corrected:` right, and the
//! section of a standard one that it has.

mod support;

use std::fs;
use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use support::process::{Outcome, command, run};
use support::{accrs, files_below, header_words, read, root, snapshot};

/// Stages whose errors depend on the C text alone: their pages have an example that shows them.
const STAGES_OF_TEXT: &[&str] = &["A01", "A02", "A03", "A04", "A05", "A06"];

/// Errors that no small example can have: bytes that a page cannot hold, files that are missing or
/// include others, limits of size, and faults of the translator itself.
const LIMITS: &[&str] = &[
    "A0101", "A0102", "A0105", "A0109", "A0202", "A0504", "A0601",
];

/// Faults that `check --dynamic` and `--compare` find in a program that runs. Examples of these pages
/// are pieces of a function, or kernels.
const OF_RUNS: &[&str] = &[
    "A0720", "A0721", "A0722", "A0723", "A0724", "A0725", "A0727", "A0728", "A0729", "A0730",
    "A0731", "A0732", "A0733", "A0734", "A0737",
];

/// Pages that show no corrected code, by the reason: there is no program to correct.
const NOTHING_TO_CORRECT: &[(&str, &[&str])] = &[
    (
        "the machine, a tool, a file or a command is to be put right",
        &[
            "A0102", "A0103", "A0701", "A0702", "A0703", "A0704", "A0705", "A0706", "A0707",
            "A0708", "A0709", "A0710", "A0711", "A0712", "A0713", "A0714", "A0717", "A0718",
            "A0726", "A0735", "A0736",
        ],
    ),
    (
        "a note of what became of the program, in which nothing is wrong",
        &[
            "A0500", "A0517", "A0530", "A0531", "A0532", "A0534", "A0535", "A0537", "A0538",
        ],
    ),
    (
        "a fault of accrs itself, to be reported",
        &["A0504", "A0601", "A0715"],
    ),
    ("the code would have a thousand brackets", &["A0202"]),
];

/// Pages that no section of a standard or paper is about, of those that show corrected code: what
/// nvcc and CUDA are like.
const OF_NO_SECTION: &[&str] = &["A0425", "A0464", "A0533", "A0602", "A0720", "A0721"];

/// Notes of `--feedback`, which no translation prints without it.
const NOTES: &[&str] = &[
    "A0424", "A0427", "A0472", "A0500", "A0517", "A0530", "A0531", "A0532", "A0534", "A0535",
    "A0536", "A0537", "A0538", "A0539", "A0540",
];

/// What stands before the code of a page that is right, and before that code's language.
const CORRECTED: &str = "\nCorrected:\n\n```";

/// Sections that pages name, as the works have them: OpenACC 3.3 (November 2022), C11 (N1570) and the
/// papers that the dialects are from. What follows the number in a page stands here.
const SECTIONS: &[(&str, &str, &str)] = &[
    ("OpenACC 3.3", "2.1", "directive format"),
    ("OpenACC 3.3", "2.5.1", "`parallel`"),
    ("OpenACC 3.3", "2.5.3", "`kernels`"),
    ("OpenACC 3.3", "2.5.4", "compute construct restrictions"),
    ("OpenACC 3.3", "2.5.12", "`vector_length`"),
    ("OpenACC 3.3", "2.5.14", "`firstprivate`"),
    ("OpenACC 3.3", "2.5.15", "`reduction`"),
    ("OpenACC 3.3", "2.5.16", "`default`"),
    (
        "OpenACC 3.3",
        "2.6.1",
        "variables with predetermined data attributes",
    ),
    (
        "OpenACC 3.3",
        "2.6.2",
        "variables with implicitly determined data attributes",
    ),
    ("OpenACC 3.3", "2.6.4", "data structures with pointers"),
    ("OpenACC 3.3", "2.7", "data clauses"),
    ("OpenACC 3.3", "2.7.1", "data specification in data clauses"),
    ("OpenACC 3.3", "2.7.4", "`deviceptr`"),
    ("OpenACC 3.3", "2.7.7", "`copyin`"),
    ("OpenACC 3.3", "2.7.8", "`copyout`"),
    ("OpenACC 3.3", "2.7.9", "`create`"),
    ("OpenACC 3.3", "2.9", "`loop`"),
    ("OpenACC 3.3", "2.9.1", "`collapse`"),
    ("OpenACC 3.3", "2.9.2", "`gang`"),
    ("OpenACC 3.3", "2.9.4", "`vector`"),
    ("OpenACC 3.3", "2.9.6", "`independent`"),
    ("OpenACC 3.3", "2.9.11", "`reduction`"),
    ("OpenACC 3.3", "2.10", "`cache`"),
    ("OpenACC 3.3", "2.12", "`atomic`"),
    ("OpenACC 3.3", "2.14", "executable directives"),
    ("OpenACC 3.3", "2.14.4", "`update`"),
    ("OpenACC 3.3", "2.15", "procedure calls in compute regions"),
    ("OpenACC 3.3", "2.15.1", "`routine`"),
    ("OpenACC 3.3", "2.16.2", "`wait` clause"),
    ("OpenACC 3.3", "2.16.3", "`wait`"),
    ("C11", "5.2.1", "character sets"),
    ("C11", "5.2.4.1", "translation limits"),
    ("C11", "6.2.5", "types"),
    ("C11", "6.4.4.1", "integer constants"),
    ("C11", "6.4.5", "string literals"),
    ("C11", "6.4.9", "comments"),
    ("C11", "6.5.1", "primary expressions"),
    ("C11", "6.5.2.2", "function calls"),
    ("C11", "6.5.2.3", "structure and union members"),
    ("C11", "6.5.5", "multiplicative operators"),
    ("C11", "6.5.7", "bitwise shift operators"),
    ("C11", "6.5.16", "assignment operators"),
    ("C11", "6.5.16.1", "simple assignment"),
    ("C11", "6.6", "constant expressions"),
    ("C11", "6.7", "declarations"),
    ("C11", "6.7.2", "type specifiers"),
    ("C11", "6.7.9", "initialization"),
    ("C11", "6.7.10", "static assertions"),
    ("C11", "6.8.4.2", "the `switch` statement"),
    ("C11", "6.8.6.1", "the `goto` statement"),
    ("C11", "6.8.6.3", "the `break` statement"),
    ("C11", "6.10.2", "source file inclusion"),
    ("C11", "6.10.3", "macro replacement"),
    ("C11", "6.10.9", "pragma operator"),
    ("C11", "7.1.3", "reserved identifiers"),
    ("C11", "7.21.6.1", "the `fprintf` function"),
    ("fcw", "4.1", "programming interface"),
    ("fcw", "4.2", "communication model"),
    ("hiCUDA", "4", "the directives"),
    ("hiCUDA", "4.1", "computation model"),
    ("hiCUDA", "4.2", "data model"),
    ("MESI-CUDA", "2.4", "MESI-CUDA"),
    ("MESI-CUDA", "3", "logical grid of threads"),
    ("MESI-CUDA", "4.3", "thread mapping"),
    ("MESI-CUDA", "7.2", "thread mapping to multi-GPUs"),
    (
        "AUTO-CTA",
        "III.A",
        "improvement of execution configuration",
    ),
    ("AUTO-CTA", "III.C", "description format"),
];

/// Programs of habits whose mistakes are not in one place.
const WITHOUT_REPLACEMENTS: &[&str] = &["habits_block", "habits_lines"];

/// Of directives that cannot be read, and of directives and clauses that there are not, or not there.
const OF_WORDS: [&str; 4] = ["A0203", "A0401", "A0403", "A0404"];

/// Of C and of CUDA.
const SUFFIXES: [&str; 2] = [".c", ".cu"];

fn main() {
    let arguments = Arguments::from_args();
    let folder = root().join("tests/diagnostics");
    let mut trials = vec![
        Trial::test("every_snapshot_has_its_input", no_orphans),
        Trial::test("explain::all_show_corrected_code", all_show_corrected_code),
        Trial::test("explain::all_sections_are_there", all_sections_are_there),
    ];
    for suffix in SUFFIXES {
        for (name, path) in support::cases(&folder, suffix) {
            if name.starts_with("habits_") && !WITHOUT_REPLACEMENTS.contains(&&*name) {
                let (name, path) = (format!("replaced::{name}"), path.clone());
                trials.push(Trial::test(name, move || Ok(replaced(&path)?)));
            }
            trials.push(Trial::test(name, move || Ok(bad_input(&path)?)));
        }
    }
    for (code, path) in support::cases(&root().join("docs/explain"), ".md") {
        if read(&path).is_ok_and(|page| page.contains(CORRECTED)) {
            let (code, path) = (code.clone(), path.clone());
            let name = format!("corrected::{code}");
            trials.push(Trial::test(name, move || Ok(corrected(&code, &path)?)));
        }
        let is_of_text = STAGES_OF_TEXT.iter().any(|stage| code.starts_with(stage));
        if is_of_text && !LIMITS.contains(&&*code) || OF_RUNS.contains(&&*code) {
            let name = format!("explain::{code}");
            trials.push(Trial::test(name, move || Ok(example(&code, &path)?)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Translates a file into an empty folder, from the file's own folder.
fn translate(file: &Path, flags: &[&str]) -> Result<(Outcome, Vec<String>), String> {
    let output = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut translate = command(accrs());
    translate.current_dir(file.parent().ok_or("a file lies in a folder")?);
    translate
        .arg("translate")
        .args(flags)
        .arg(file.file_name().ok_or("a file has a name")?);
    let outcome = run(translate.arg("-o").arg(output.path()))?;
    let written = files_below(output.path());
    Ok((
        outcome,
        written
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
    ))
}

fn bad_input(file: &Path) -> Result<(), String> {
    let expected = header_words(&read(file)?, "expect-error");
    if expected.is_empty() {
        return Err("no `// expect-error: CODES` in the first lines".into());
    }
    let options = header_words(&read(file)?, "options");
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let (outcome, written) = translate(file, &options)?;
    let errors: Vec<&str> = diagnostics(&outcome.stderr);
    let codes: Vec<&str> = errors.iter().filter_map(|error| code_of(error)).collect();
    if outcome.code() != Some(1) || !outcome.stdout.is_empty() || !written.is_empty() {
        return Err(format!(
            "{}, written: {written:?}\n{}",
            outcome.status, outcome.stderr
        ));
    }
    if codes != expected {
        return Err(format!(
            "{expected:?} expected, {codes:?} found\n{}",
            outcome.stderr
        ));
    }
    for error in errors {
        if !error.contains("--> ") || !error.contains("help: ") {
            return Err(format!("an error without its place or help:\n{error}"));
        }
    }
    snapshot::check(&file.with_extension("stderr"), &outcome.stderr)?;
    // The driver passes files without directives straight to the C compiler.
    if read(file)?.contains("#pragma acc") {
        no_object(file, &options)
    } else {
        Ok(())
    }
}

/// The compiler driver says the same and leaves no object behind.
fn no_object(file: &Path, options: &[&str]) -> Result<(), String> {
    let output = tempfile::tempdir().map_err(|error| error.to_string())?;
    let object = output.path().join("out.o");
    let outcome = run(command(accrs())
        .arg("cc")
        .args(options)
        .arg("-c")
        .arg("-o")
        .arg(&object)
        .arg(file))?;
    if outcome.code() != Some(1) || object.exists() || code_of(&outcome.stderr).is_none() {
        return Err(format!(
            "cc: {}, object: {}",
            outcome.status,
            object.exists()
        ));
    }
    Ok(())
}

/// The replacements that the errors of a file have are the same ones where the words of its directives
/// stand on lines of their own, and what they replace is not said again.
fn replaced(file: &Path) -> Result<(), String> {
    let text = read(file)?;
    let corrected = Corrected::of(&text)?;
    let apart = Corrected::of(&with_continued_lines(&text)?)?;
    let (left, right) = (joined(&corrected.text), joined(&apart.text));
    if let Some((left, right)) = left.iter().zip(&right).find(|(left, right)| left != right) {
        return Err(format!("{left}\nbut on lines of their own\n{right}"));
    }
    let again = Corrected::of(&corrected.text)?;
    let said = |list: &[String], one: &str| list.iter().filter(|message| *message == one).count();
    for message in &corrected.replaced {
        let before = said(&corrected.messages, message) - said(&corrected.replaced, message);
        if said(&again.messages, message) > before {
            return Err(format!("said again: {message}\n{}", corrected.text));
        }
    }
    let before = &corrected.of_words;
    // What the program has itself may have been behind a mistake.
    let is_written = |message: &str| {
        let mut names = message.split('`').skip(1).step_by(2);
        names.all(|name| text.contains(name))
    };
    let mut news = again.of_words.iter().filter(|one| !before.contains(one));
    if let Some(message) = news.find(|message| !is_written(message)) {
        return Err(format!(
            "said of what is suggested: {message}\n{}",
            corrected.text
        ));
    }
    match left.len() == right.len() && !corrected.replaced.is_empty() {
        true => Ok(()),
        false => Err("no replacement, or other lines".into()),
    }
}

/// A program whose errors have been put right as they say.
struct Corrected {
    text: String,
    /// What was said of it.
    messages: Vec<String>,
    /// What was said of the words of directives.
    of_words: Vec<String>,
    /// What was said with a replacement.
    replaced: Vec<String>,
}

impl Corrected {
    fn of(program: &str) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let file = folder.path().join("program.c");
        fs::write(&file, program).map_err(|error| error.to_string())?;
        let mut check = command(accrs());
        let said = run(check.args(["check", "--message-format", "json"]).arg(&file))?;
        let (mut messages, mut replaced, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut of_words = Vec::new();
        for line in said.stderr.lines() {
            let one: serde_json::Value =
                serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
            let message = one["message"].as_str().unwrap_or_default();
            messages.push(message.to_owned());
            let code = one["code"]["code"].as_str().unwrap_or_default();
            if OF_WORDS.contains(&code) {
                of_words.push(message.to_owned());
            }
            let children = one["children"].as_array().into_iter().flatten();
            let spans = children.flat_map(|child| child["spans"].as_array().into_iter().flatten());
            for span in spans {
                let offset = |key: &str| span[key].as_u64().and_then(|at| usize::try_from(at).ok());
                let range = offset("byte_start").zip(offset("byte_end"));
                let (start, end) = range.ok_or("a place has two ends")?;
                let text = span["suggested_replacement"].as_str();
                places.push((start, end, text.unwrap_or_default().to_owned()));
                replaced.push(message.to_owned());
            }
        }
        places.sort();
        places.dedup();
        let mut text = program.to_owned();
        let mut behind = text.len();
        for (start, end, right) in places.into_iter().rev() {
            if end > behind {
                return Err(format!(
                    "two replacements overlap at `{}`",
                    &program[start..end]
                ));
            }
            text.replace_range(start..end, &right);
            behind = start;
        }
        Ok(Self {
            text,
            messages,
            of_words,
            replaced,
        })
    }
}

/// A program with each word of a directive, but the first two, on a line of its own.
fn with_continued_lines(program: &str) -> Result<String, String> {
    let line = regex::Regex::new(r"(?m)^( *#pragma acc) (.*[^\\])$").map_err(|e| e.to_string())?;
    let apart = |found: &regex::Captures| {
        let words: Vec<&str> = found[2].split_whitespace().collect();
        format!("{} {}", &found[1], words.join(" \\\n        "))
    };
    Ok(line.replace_all(program, apart).into_owned())
}

/// The lines of a program, continued ones as one, with one blank between words.
fn joined(program: &str) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    program.replace("\\\n", " ").lines().map(words).collect()
}

/// The errors of a report; each begins a line with `error[`.
fn diagnostics(report: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = report
        .match_indices("error[")
        .map(|(at, _)| at)
        .filter(|at| *at == 0 || report[..*at].ends_with('\n'))
        .collect();
    starts.push(report.len());
    starts
        .windows(2)
        .map(|pair| &report[pair[0]..pair[1]])
        .collect()
}

fn code_of(error: &str) -> Option<&str> {
    Some(error.split_once("error[")?.1.split_once(']')?.0)
}

/// A block of code of a page.
struct Block<'a> {
    is_cuda: bool,
    code: &'a str,
}

/// The first block of C or CUDA in a text.
fn block(text: &str) -> Option<Block<'_>> {
    let (language, rest) = text.split_once("```c")?.1.split_once('\n')?;
    Some(Block {
        is_cuda: language == "uda",
        code: rest.split_once("```")?.0,
    })
}

/// The block of a page that is right.
fn corrected_block(page: &str) -> Option<Block<'_>> {
    block(&page[page.find(CORRECTED)?..])
}

/// Translates a page's code, or checks the program around it as it runs, in the way in which the
/// page's diagnostic comes out.
fn try_out(code: &str, block: &Block<'_>) -> Result<(Outcome, Vec<String>), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let suffix = if block.is_cuda { "cu" } else { "c" };
    let file = folder.path().join(format!("page.{suffix}"));
    let is_of_runs = OF_RUNS.contains(&code);
    let text = match is_of_runs {
        true => program(code, block),
        false => block.code.to_owned(),
    };
    fs::write(&file, text).map_err(|error| error.to_string())?;
    let mut accrs = command(accrs());
    accrs.current_dir(folder.path());
    match code {
        "A0733" => accrs.args(["check", "--compare"]),
        _ if is_of_runs => accrs.args(["check", "--dynamic"]),
        // Nothing of it is to be translated.
        "A0464" if !block.code.contains("texture") => {
            accrs.args(["cc", "--device", "emulated", "-o", "page.o", "-c"])
        }
        _ => {
            let flags: &[&str] = match code {
                "A0533" => &["--place", "taps=constant"],
                _ if NOTES.contains(&code) => &["--feedback"],
                _ => &[],
            };
            return translate(&file, flags);
        }
    };
    Ok((run(accrs.arg(&file))?, Vec::new()))
}

/// A program around a piece of code that works on `a`, `b` and `sum`, or around a kernel `reverse`.
fn program(code: &str, block: &Block<'_>) -> String {
    let piece = block.code;
    if block.is_cuda {
        return format!(
            "{piece}\nint main()\n{{\n    float *x;\n    cudaMallocManaged(&x, 256 * sizeof *x);\n    \
             for (int i = 0; i < 256; i++)\n        x[i] = i;\n    reverse<<<1, 256>>>(x);\n    \
             cudaDeviceSynchronize();\n    cudaFree(x);\n    return 0;\n}}\n"
        );
    }
    let ty = if code == "A0727" { "int" } else { "float" };
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void)\n{{\n    int n = 100;\n    \
         {ty} *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), sum = 0;\n    \
         for (int i = 0; i < n; i++)\n        a[i] = b[i] = i;\n    {{\n{piece}    }}\n    \
         printf(\"%g %g %g\\n\", (double)a[n / 2], (double)b[n / 2], (double)sum);\n    \
         free(a);\n    free(b);\n    return 0;\n}}\n"
    )
}

/// The first block of a page, C or CUDA, has the error which the page explains.
fn example(code: &str, page: &Path) -> Result<(), String> {
    let text = read(page)?;
    let block = block(&text).ok_or("no block with an example")?;
    let (outcome, written) = try_out(code, &block)?;
    let said = &outcome.stderr;
    let is_note = said.contains(&format!("note[{code}]"));
    if NOTES.contains(&code) {
        let is_all = outcome.code() == Some(0) && is_note;
        return if is_all { Ok(()) } else { Err(outcome.stderr) };
    }
    let found = diagnostics(said);
    let codes: Vec<&str> = found.iter().filter_map(|error| code_of(error)).collect();
    let is_error = outcome.code() == Some(1) && codes.contains(&code) && written.is_empty();
    // Some codes are warnings, and the translation goes on; what runs is noted, too. A warning of a run
    // is a finding.
    let goes_on = Some(i32::from(OF_RUNS.contains(&code)));
    let is_warning = outcome.code() == goes_on && said.contains(&format!("warning[{code}]"));
    if !(is_error || is_warning || OF_RUNS.contains(&code) && is_note) {
        return Err(format!(
            "the example gives {codes:?}, {}\n{said}",
            outcome.status
        ));
    }
    match OF_RUNS.contains(&code) {
        true => shown_is_said(&text, said),
        false => Ok(()),
    }
}

/// Each first line of a message that a page shows of a run is said.
fn shown_is_said(page: &str, said: &str) -> Result<(), String> {
    let (_, session) = page.split_once("```sh\n").ok_or("no command is shown")?;
    let (session, _) = session.split_once("```").ok_or("the block has no end")?;
    let message = regex::Regex::new(r"(error|warning|note)\[A\d+\]: .*")
        .map_err(|error| error.to_string())?;
    let mut shown = message.find_iter(session).peekable();
    shown.peek().ok_or("no message is shown")?;
    match shown.find(|shown| !said.contains(shown.as_str())) {
        Some(missing) => Err(format!("`{}` is not said, but\n{said}", missing.as_str())),
        None => Ok(()),
    }
}

/// The corrected code of a page is translated, or runs, and nothing is said of it.
fn corrected(code: &str, page: &Path) -> Result<(), String> {
    let text = read(page)?;
    let right = corrected_block(&text).ok_or("no corrected code")?;
    let wrong = text.split(CORRECTED).next().and_then(block);
    if wrong.is_some_and(|wrong| wrong.code == right.code) {
        return Err("the corrected code is the same".into());
    }
    let (outcome, _) = try_out(code, &right)?;
    // Data is copied all the same, once.
    let is_said = match code {
        "A0539" => outcome.stderr.contains("in each"),
        _ => outcome.stderr.contains(&format!("[{code}]")),
    };
    let is_quiet = NOTES.contains(&code) || outcome.stderr.is_empty();
    match outcome.code() == Some(0) && !is_said && is_quiet {
        true => Ok(()),
        false => Err(format!("{}\n{}", outcome.status, outcome.stderr)),
    }
}

/// Each page shows corrected code, but for those with a reason, which say what is to be done.
fn all_show_corrected_code() -> Result<(), Failed> {
    let pages = support::cases(&root().join("docs/explain"), ".md");
    for (code, path) in &pages {
        let text = read(path)?;
        let reason = NOTHING_TO_CORRECT
            .iter()
            .find(|(_, codes)| codes.contains(&&**code));
        match (corrected_block(&text).is_some(), reason) {
            (true, Some((reason, _))) => {
                return Err(format!("{code} shows corrected code, although {reason}").into());
            }
            (false, None) => {
                return Err(format!("{code}: no `Corrected:` with a block of C or CUDA").into());
            }
            _ => {}
        }
    }
    let listed = NOTHING_TO_CORRECT.iter().flat_map(|(_, codes)| *codes);
    for code in listed.chain(OF_NO_SECTION).chain(OF_RUNS).chain(LIMITS) {
        if !pages.iter().any(|(page, _)| page == code) {
            return Err(format!("{code} is listed and has no page").into());
        }
    }
    Ok(())
}

/// Each section that a page names is one of its standard or paper, with that title, and each page
/// with corrected code names one: of whose directives it has, or of C.
fn all_sections_are_there() -> Result<(), Failed> {
    let line =
        regex::Regex::new(r"(?m)^(OpenACC 3\.3|C11|fcw|hiCUDA|MESI-CUDA|AUTO-CTA), section.*$")?;
    let section = regex::Regex::new(r"section ([0-9.]+|III\.[A-C]): ([^;.]+)")?;
    for (code, path) in support::cases(&root().join("docs/explain"), ".md") {
        let text = read(&path)?;
        let lines: Vec<_> = line.captures_iter(&text).collect();
        if lines.is_empty() && text.contains(CORRECTED) && !OF_NO_SECTION.contains(&&*code) {
            return Err(format!("{code} names no section of a standard").into());
        }
        let is_of_acc = |name: &str| ["OpenACC 3.3", "C11", "fcw"].contains(&name);
        let has_acc = text.contains("#pragma acc") && !lines.is_empty();
        if has_acc && !lines.iter().any(|line| is_of_acc(&line[1])) {
            return Err(
                format!("{code} has a directive of OpenACC, and names no section of it").into(),
            );
        }
        for line in lines {
            for named in line[0].split(", and ") {
                let parts = section
                    .captures(named)
                    .ok_or_else(|| format!("{code}: no number of a section in `{named}`"))?;
                let is_there = SECTIONS.contains(&(&line[1], &parts[1], &parts[2]));
                if !is_there {
                    return Err(format!("{code}: `{named}` is no section of {}", &line[1]).into());
                }
            }
        }
    }
    Ok(())
}

/// Every snapshot belongs to an input that is there.
fn no_orphans() -> Result<(), Failed> {
    for path in files_below(&root().join("tests/diagnostics")) {
        if path.extension().is_some_and(|end| end == "stderr")
            && !SUFFIXES
                .iter()
                .any(|suffix| path.with_extension(&suffix[1..]).is_file())
        {
            return Err(format!("{}: a snapshot without an input", path.display()).into());
        }
    }
    Ok(())
}

//! One test a bad input: the whole of what is said about it, and nothing written.
//!
//! `tests/diagnostics/NAME.c`, or `.cu`, begins with `// expect-error: CODES`, the codes of all its errors in
//! order, and may have `// options:` of the translator; `NAME.stderr` is the snapshot of the diagnostics as a user sees them. Each error must have
//! a place in the file and a line of help. And the example of each page in `docs/explain/` must be
//! the error, warning or note that the page explains, and the code behind `Corrected:` right.

mod support;

use std::fs;
use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use support::process::{Outcome, command, run};
use support::{accrs, files_below, header_words, read, root, snapshot};

/// Stages whose errors depend on the C text alone: their pages have an example that shows them.
const STAGES_OF_TEXT: &[&str] = &["A02", "A03", "A04", "A05"];

/// Errors that no small example can have: limits of size, and faults of the translator itself.
const LIMITS: &[&str] = &["A0202", "A0504"];

/// Notes of `--feedback`, which no translation prints without it.
const NOTES: &[&str] = &[
    "A0424", "A0427", "A0472", "A0500", "A0517", "A0530", "A0531", "A0532", "A0534", "A0535",
    "A0536", "A0537", "A0538", "A0539",
];

/// What stands before the code of a page that is right.
const CORRECTED: &str = "\nCorrected:\n\n```c\n";

/// Of C and of CUDA.
const SUFFIXES: [&str; 2] = [".c", ".cu"];

fn main() {
    let arguments = Arguments::from_args();
    let folder = root().join("tests/diagnostics");
    let mut trials = vec![Trial::test("every_snapshot_has_its_input", no_orphans)];
    for suffix in SUFFIXES {
        for (name, path) in support::cases(&folder, suffix) {
            trials.push(Trial::test(name, move || Ok(bad_input(&path)?)));
        }
    }
    for (code, path) in support::cases(&root().join("docs/explain"), ".md") {
        if read(&path).is_ok_and(|page| page.contains(CORRECTED)) {
            let (code, path) = (code.clone(), path.clone());
            let name = format!("corrected::{code}");
            trials.push(Trial::test(name, move || Ok(corrected(&code, &path)?)));
        }
        if STAGES_OF_TEXT.iter().any(|stage| code.starts_with(stage)) && !LIMITS.contains(&&*code) {
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

/// The first block of a page, C or CUDA, is a file that has the error which the page explains.
fn example(code: &str, page: &Path) -> Result<(), String> {
    let text = read(page)?;
    let block = text.split_once("```c").and_then(|(_, rest)| {
        let (language, rest) = rest.split_once('\n')?;
        Some((language, rest.split_once("```")?.0))
    });
    let (language, example) = block.ok_or("no block with an example")?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let suffix = if language == "uda" { "cu" } else { "c" };
    let file = folder.path().join(format!("example.{suffix}"));
    fs::write(&file, example).map_err(|error| error.to_string())?;
    let flags: &[&str] = match code {
        "A0533" => &["--place", "taps=constant"],
        _ if NOTES.contains(&code) => &["--feedback"],
        _ => &[],
    };
    let (outcome, written) = translate(&file, flags)?;
    if NOTES.contains(&code) {
        let is_note =
            outcome.code() == Some(0) && outcome.stderr.contains(&format!("note[{code}]"));
        return if is_note { Ok(()) } else { Err(outcome.stderr) };
    }
    let found = diagnostics(&outcome.stderr);
    let codes: Vec<&str> = found.iter().filter_map(|error| code_of(error)).collect();
    let is_error = outcome.code() == Some(1) && codes.contains(&code) && written.is_empty();
    // Some codes are warnings, and the translation goes on.
    let is_warning =
        outcome.code() == Some(0) && outcome.stderr.contains(&format!("warning[{code}]"));
    if is_error || is_warning {
        return Ok(());
    }
    Err(format!(
        "the example gives {codes:?}, {}\n{}",
        outcome.status, outcome.stderr
    ))
}

/// The corrected code of a page is translated, and nothing is said of it.
fn corrected(code: &str, page: &Path) -> Result<(), String> {
    let text = read(page)?;
    let (before, rest) = text.split_once(CORRECTED).ok_or("no corrected code")?;
    let (right, _) = rest.split_once("```").ok_or("the code has no end")?;
    let wrong = before
        .split_once("```c\n")
        .ok_or("no code that is wrong")?
        .1;
    if wrong.starts_with(right) {
        return Err("the corrected code is the same".into());
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("corrected.c");
    fs::write(&file, right).map_err(|error| error.to_string())?;
    let flags: &[&str] = if NOTES.contains(&code) {
        &["--feedback"]
    } else {
        &[]
    };
    let (outcome, _) = translate(&file, flags)?;
    // Data is copied all the same, once.
    let is_said = match code {
        "A0539" => outcome.stderr.contains("in each"),
        _ => outcome.stderr.contains(&format!("[{code}]")),
    };
    let is_quiet = !flags.is_empty() || outcome.stderr.is_empty();
    match outcome.code() == Some(0) && !is_said && is_quiet {
        true => Ok(()),
        false => Err(format!("{}\n{}", outcome.status, outcome.stderr)),
    }
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

//! The command line: what can be typed, and what it comes to.
//!
//! Input: the arguments. Output: an exit status. Options of the preprocessor
//! are spelled as compilers spell them (`-std=c99`, `-include FILE`), which
//! clap cannot read; [`arguments`] takes them out first and keeps their order.

mod arguments;
mod definition;
mod documents;
mod setup;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};

use definition::{
    CacheProof, Cli, Command, Feedback, LongDoublePlace, TranslationOptions, WindowChoice,
};

use crate::diagnostic::codes;
use crate::driver::failure::{Failure, RUN_FAILED, StatusRule, Success};
use crate::driver::pipeline::Options;
use crate::driver::render::{Color, MessageFormat, Reporter};
use crate::driver::session::Session;
use crate::driver::translate::Destination;
use crate::driver::{bench, cc, check, counts, doctor, explain, interrupt, report, run, translate};

/// Does what the arguments say; the exit status.
pub fn main(arguments: Vec<OsString>) -> u8 {
    let plain = Session::new(Reporter::new(MessageFormat::Human, Color::Auto));
    if let Err(error) = interrupt::install() {
        let message = format!("signals cannot be handled: {error}");
        let failed = Err(Failure::environment(codes::INTERNAL, message));
        return plain.finish(StatusRule::Own, &failed);
    }
    if let Some(arguments) = compiler_arguments(&arguments) {
        if arguments.get(global_end(&arguments)..) == Some(&["--help".into()]) {
            return documents::help_of_compiler(plain, Cli::command());
        }
        return cc::main(&arguments);
    }
    let own = arguments.get(1..).unwrap_or_default();
    let runs = own
        .get(global_end(own))
        .is_some_and(|command| command == "run");
    let (rest, preprocessor) = arguments::take_preprocessor(arguments);
    let cli = match Cli::try_parse_from(rest) {
        Ok(cli) => cli,
        Err(error) => return wrong_use(&error, runs),
    };
    let session = Session::new(Reporter::new(cli.message_format, cli.color));
    let rule = if runs {
        StatusRule::Program
    } else {
        StatusRule::Own
    };
    session.finish(rule, &perform(session, cli.command, preprocessor))
}

/// The arguments of the C compiler: all but `cc`, or all where the program is called `accrs-cc` (build
/// systems want one word).
fn compiler_arguments(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let (program, own) = arguments.split_first()?;
    if Path::new(program).file_name() == Some(OsStr::new("accrs-cc")) {
        return Some(own.to_vec());
    }
    let command = global_end(own);
    let rest = own.get(command..)?.strip_prefix(&[OsString::from("cc")])?;
    Some([&own[..command], rest].concat())
}

/// The options that all commands have, and that may stand before them.
const GLOBAL: [&str; 2] = ["--message-format", "--color"];

/// Where the options that all commands have end, from the start of some words.
fn global_end(words: &[OsString]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        let (name, value) = word
            .split_once('=')
            .map_or((word, None), |(name, value)| (name, Some(value)));
        if !GLOBAL.contains(&name) {
            break;
        }
        at += if value.is_some() { 1 } else { 2 };
    }
    at.min(words.len())
}

/// Shows what clap says; help and version are no errors.
fn wrong_use(error: &clap::Error, runs: bool) -> u8 {
    // A closed output leaves no one to tell.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => 0,
        _ if runs => RUN_FAILED,
        _ => 2,
    }
}

/// Performs a command.
fn perform(
    session: Session,
    command: Command,
    preprocessor: Vec<OsString>,
) -> Result<Success, Failure> {
    match command {
        Command::Translate {
            files,
            output,
            emit,
            feedback,
            options,
        } => {
            let destination = match output {
                Some(output) if output.as_os_str() == "-" => Destination::Standard,
                Some(output) => Destination::Folder(output),
                None => Destination::Folder(PathBuf::from(".")),
            };
            let options = resolve(&options, preprocessor, feedback);
            translate::translate(session, &files, &destination, emit, &options)
        }
        Command::Check {
            files,
            dynamic,
            compare,
            tolerance,
            libraries,
            allow,
            feedback,
            options,
            arguments,
        } => {
            let options = resolve(&options, preprocessor, feedback);
            if !dynamic && !compare {
                return translate::check(session, &files, &options);
            }
            let request = check::Request {
                files: &files,
                arguments: &arguments,
                libraries: &linker_options(libraries),
                finds_faults: dynamic,
                compares: compare.then(|| tolerance.unwrap_or_default()),
                allowed: &allow,
            };
            check::run(session, request, &options)
        }
        Command::Run {
            files,
            libraries,
            device,
            counts,
            arguments,
            options,
        } => {
            let options = resolve(&options, preprocessor, None);
            let libraries = linker_options(libraries);
            match counts {
                None => run::run(session, &files, &arguments, &libraries, device, &options),
                Some(file_of_counts) => {
                    let destination = file_of_counts
                        .map_or(counts::Destination::Table, counts::Destination::Json);
                    counts::run(
                        session,
                        &files,
                        &arguments,
                        &libraries,
                        &destination,
                        &options,
                    )
                }
            }
        }
        Command::Cc { arguments } => Ok(Success::Program(cc::main(&arguments))),
        Command::Report {
            files,
            output,
            counts,
            profile,
            libraries,
            options,
            arguments,
        } => {
            let options = resolve(&options, preprocessor, None);
            let counted = match counts {
                None => report::Counted::Nowhere,
                Some(None) => report::Counted::Run,
                Some(Some(file)) => report::Counted::File(file),
            };
            let request = report::Request {
                files: &files,
                output: &output,
                counted: &counted,
                profile: profile.as_deref(),
                arguments: &arguments,
                libraries: &linker_options(libraries),
            };
            report::report(session, request, &options)
        }
        Command::Bench { request, options } => {
            let options = resolve(&options, preprocessor, None);
            bench::bench(session, &request, &options)
        }
        Command::Doctor => doctor::doctor(session),
        Command::Setup { nvcc: true, .. } => setup::install_nvcc(),
        Command::Setup { prefix, .. } => setup::setup(session, prefix, &Cli::command()),
        Command::Explain { code } => explain::explain(session, code.as_deref()),
        Command::Completions { shell } => documents::completions(session, shell, Cli::command()),
        Command::Man { folder } => documents::man_pages(&folder, Cli::command()),
    }
}

/// Names of libraries as the linker takes them.
fn linker_options(libraries: Vec<OsString>) -> Vec<OsString> {
    let option = |name: &OsString| [OsStr::new("-l"), name].join(OsStr::new(""));
    libraries.iter().map(option).collect()
}

/// What the options come to.
fn resolve(
    options: &TranslationOptions,
    preprocessor: Vec<OsString>,
    feedback: Option<Feedback>,
) -> Options {
    Options {
        preprocessor,
        line_marks: options.line_marks,
        feedback: feedback.is_some(),
        resources: feedback == Some(Feedback::Resources),
        strict: options.strict,
        trust_cache: options.cache == CacheProof::Trust,
        long_double_on_host: options.long_double == LongDoublePlace::Host,
        target: None,
        assumptions: options.assumptions.clone(),
        along_x: options.along_x.clone(),
        automatic_windows: options.windows == WindowChoice::Automatic,
        places: options.places.clone(),
        archs: options.archs.clone(),
        for_checks: false,
        compares: false,
        multicore: options.multicore,
        memory: options.memory,
        denies_warnings: false,
        denies_others: false,
        time_passes: options.time_passes,
        shows: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_compiler(line: &str) -> Option<String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let found = compiler_arguments(&words)?;
        Some(found.join(OsStr::new(" ")).into_string().unwrap())
    }

    #[test]
    fn options_of_all_commands_may_stand_before_cc() {
        for (line, arguments) in [
            ("accrs cc -c a.c", "-c a.c"),
            ("/bin/accrs-cc cc a.c", "cc a.c"),
            ("accrs --color never cc a.c", "--color never a.c"),
            (
                "accrs --message-format=gcc --color=always cc -c a.c",
                "--message-format=gcc --color=always -c a.c",
            ),
        ] {
            assert_eq!(of_compiler(line).as_deref(), Some(arguments), "{line}");
        }
        for line in [
            "accrs",
            "accrs run cc",
            "accrs --color cc",
            "accrs --color never",
        ] {
            assert_eq!(of_compiler(line), None, "{line}");
        }
    }
}

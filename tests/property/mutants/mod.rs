//! Files of the repository, damaged at random: accrs never panics, and never takes long.
//!
//! Each mutant is a file of the corpus with some bytes, tokens, lines or clauses deleted, doubled,
//! swapped, taken from other files, made extreme, nested or long (`mutation`). It goes through the
//! whole translation in this process, whose arithmetic is checked for overflow, with options at
//! random. What is accepted and is C to gcc has to build for the emulation, too; of these, one in
//! [`BUILT`] is built.
//!
//! A mutant is known by its number alone. 1200 run without a request; `ACCRS_MUTANTS=N` runs more,
//! from `ACCRS_MUTANTS_SEED` on; `ACCRS_WRITE=FILE` writes that one and runs none. A failure leaves its mutant in `target/tmp`; so does one that ends
//! the process.

mod corpus;
mod mutation;

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, mpsc};
use std::time::{Duration, Instant};

use accrs::driver::cuda_files::CudaFile;
use accrs::driver::device::Device;
use accrs::driver::failure::Failure;
use accrs::driver::pipeline::{self, Options, Task};
use accrs::driver::render::Reporter;
use accrs::source::SourceFile;
use accrs::source::lexer::{self, TokenKind};

use self::corpus::{Corpus, Source};
use crate::locked;
use crate::random::Random;
use crate::support::accrs;
use crate::support::process::{command, run};

/// The mutants that are run without a request.
const MUTANTS: u64 = 1200;

/// How long a mutant may take.
const LIMIT: Duration = Duration::from_secs(10);

/// One in so many that are accepted is built.
const BUILT: u64 = 10;

/// Failures after which a run ends.
const MOST_FAILURES: usize = 50;

/// What came of a mutant.
#[derive(Debug)]
enum Verdict {
    Refused,
    Accepted,
    Failed(String),
}

/// Runs mutants, and says which failed.
pub fn no_mutant_panics() -> Result<(), String> {
    let first = crate::setting("ACCRS_MUTANTS_SEED", 0)?;
    let end = first + crate::setting("ACCRS_MUTANTS", MUTANTS)?;
    let run = Run {
        corpus: Corpus::new(),
        folder: PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
        next: AtomicU64::new(first),
        end,
        failures: Mutex::default(),
        figures: Mutex::default(),
    };
    if let Some(path) = std::env::var_os("ACCRS_WRITE") {
        let (_, mutant) = mutant(&run.corpus, first)?;
        return std::fs::write(path, mutant.text).map_err(|error| error.to_string());
    }
    keep_messages();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| run.work());
        }
    });
    let failures = locked(&run.failures);
    let figures = locked(&run.figures);
    let summary = format!(
        "{} mutants, {} accepted, {} built, the slowest took {:?} ({})",
        end - first,
        figures.accepted,
        figures.built,
        figures.slowest.0,
        figures.slowest.1
    );
    if end - first > MUTANTS {
        eprintln!("{summary}");
    }
    if !failures.is_empty() {
        return Err(format!("{}\n{summary}", failures.join("\n")));
    }
    let of = end - first;
    match of < 1000 || figures.accepted * 20 > of && figures.built * 1000 > of {
        true => Ok(()),
        false => Err(format!("too few are accepted: {summary}")),
    }
}

/// What all workers know.
struct Run {
    corpus: Corpus,
    folder: PathBuf,
    next: AtomicU64,
    end: u64,
    failures: Mutex<Vec<String>>,
    figures: Mutex<Figures>,
}

#[derive(Default)]
struct Figures {
    accepted: u64,
    built: u64,
    slowest: (Duration, u64),
}

impl Run {
    fn work(&self) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.end || locked(&self.failures).len() >= MOST_FAILURES {
                return;
            }
            if let Err(message) = self.mutant(number) {
                eprintln!("{message}");
                locked(&self.failures).push(message);
            }
        }
    }

    fn mutant(&self, number: u64) -> Result<(), String> {
        let (source, mutant) = mutant(&self.corpus, number)?;
        let suffix = if source.is_cuda { "cu" } else { "c" };
        // On the disk, should it end the process.
        let path = self.folder.join(format!("mutant-{number}.{suffix}"));
        std::fs::write(&path, &mutant.text).map_err(|error| error.to_string())?;
        let start = Instant::now();
        let verdict = verdict(&path, &source, mutant);
        let time = start.elapsed();
        if time > LIMIT / 10 {
            eprintln!("mutant {number}, from {}, took {time:?}", source.name);
        }
        let mut figures = locked(&self.figures);
        figures.slowest = figures.slowest.max((time, number));
        let is_accepted = matches!(verdict, Verdict::Accepted);
        figures.accepted += u64::from(is_accepted);
        drop(figures);
        let mut failure = match verdict {
            Verdict::Failed(why) => Some(why),
            _ if time > LIMIT => Some(format!("took {time:?}")),
            _ => None,
        };
        if is_accepted && !source.is_cuda && number.is_multiple_of(BUILT) && failure.is_none() {
            failure = self.build(&path)?;
        }
        match failure {
            Some(why) => Err(format!("{}, from {}: {why}", path.display(), source.name)),
            None => std::fs::remove_file(&path).map_err(|error| error.to_string()),
        }
    }

    /// Builds what is C to gcc; what went wrong.
    fn build(&self, path: &Path) -> Result<Option<String>, String> {
        let mut check = command("gcc");
        check.args(["-fsyntax-only", "-Werror=implicit-function-declaration"]);
        // What it warns of unasked is C by its mercy alone.
        check.args(["-fsyntax-only", "-Werror"]);
        if !run(check.arg(path))?.status.success() {
            return Ok(None);
        }
        locked(&self.figures).built += 1;
        let object = path.with_extension("o");
        let built = run(command(accrs())
            .args(["cc", "-w", "-c"])
            .arg(path)
            .arg("-o")
            .arg(&object))?;
        let _ = std::fs::remove_file(&object);
        Ok((!built.status.success()).then(|| format!("does not build:\n{}", built.stderr)))
    }
}

/// A text, and how it is to be translated.
struct Mutant {
    text: Vec<u8>,
    options: Options,
}

fn mutant(corpus: &Corpus, number: u64) -> Result<(Arc<Source>, Mutant), String> {
    let mut random = Random::new(number);
    let source = match random.chance(1, 5) {
        true => corpus.any(&mut random)?,
        false => corpus.good(&mut random)?,
    };
    let mut own = source.own.clone();
    mutation::mutate(&mut random, &mut own, corpus)?;
    let options = Options {
        line_marks: random.chance(1, 4),
        feedback: random.chance(1, 2),
        strict: random.chance(1, 8),
        trust_cache: random.chance(1, 8),
        long_double_on_host: random.chance(1, 4),
        automatic_windows: random.chance(1, 4),
        target: random.of(&[None, Some(Device::Emulated), Some(Device::Gpu)]),
        multicore: random.chance(1, 4),
        ..Options::default()
    };
    if !source.is_cuda {
        without_comments(&mut own);
    }
    let text = [&source.before[..], &own].concat();
    Ok((source, Mutant { text, options }))
}

/// What a preprocessor leaves nothing of: comments and splices, in the form of a token.
fn without_comments(text: &mut [u8]) {
    for at in 1..text.len() {
        if (text[at - 1] == b'/' && matches!(text[at], b'/' | b'*'))
            || (text[at - 1] == b'\\' && text[at].is_ascii_whitespace())
        {
            text[at - 1] = b' ';
        }
    }
}

/// The tokens of a text, those of directives one by one.
fn pieces(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for token in lexer::lex(text).tokens {
        let range = token.start as usize..token.end as usize;
        match token.kind {
            TokenKind::Directive => {
                let inner = lexer::lex_fragment(text, range).tokens;
                found.extend(inner.iter().map(|t| t.start as usize..t.end as usize));
            }
            _ => found.push(range),
        }
    }
    found
}

// Translation

/// Messages of the panics of threads that translate.
static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The thread in which a file is translated.
const TRANSLATION: &str = "translation";

/// Keeps the messages of panics of translations.
fn keep_messages() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| match std::thread::current().name() {
            Some(TRANSLATION) => locked(&MESSAGES).push(panic.to_string()),
            _ => before(panic),
        }));
    });
}

/// Translates in a thread that is left alone should it not end.
fn verdict(path: &Path, source: &Source, mutant: Mutant) -> Verdict {
    let (send, receive) = mpsc::channel();
    let (path, is_cuda) = (path.to_owned(), source.is_cuda);
    let work = move || {
        let result = match is_cuda {
            true => translate_cuda(&path, &mutant.options),
            false => translate(&path, mutant),
        };
        // No one waits any more for what took too long.
        let _ = send.send(result);
    };
    let thread = std::thread::Builder::new().name(TRANSLATION.into());
    if let Err(error) = thread.stack_size(64 << 20).spawn(work) {
        return Verdict::Failed(error.to_string());
    }
    match receive.recv_timeout(3 * LIMIT) {
        Ok(Ok(())) => Verdict::Accepted,
        Ok(Err(failure)) if !is_panic(&failure) => Verdict::Refused,
        Ok(Err(_)) | Err(mpsc::RecvTimeoutError::Disconnected) => {
            Verdict::Failed(std::mem::take(&mut *locked(&MESSAGES)).join("\n"))
        }
        Err(mpsc::RecvTimeoutError::Timeout) => {
            Verdict::Failed(format!("runs after {:?}", 3 * LIMIT))
        }
    }
}

fn translate(path: &Path, mutant: Mutant) -> Result<(), Failure> {
    let task = Task {
        c: None,
        options: &mutant.options,
        stage: None,
        reporter: Reporter::silent(),
    };
    let file = SourceFile::new(path, mutant.text);
    pipeline::translate_file(file, task).map(drop)
}

fn translate_cuda(path: &Path, options: &Options) -> Result<(), Failure> {
    let flags: [OsString; 0] = [];
    let read = CudaFile::read(path, &flags, options.feedback, Reporter::silent())?;
    let folder = tempfile::tempdir().expect("the system has a temporary folder");
    read.translated();
    read.with_lines();
    read.emulated(&flags, folder.path()).map(drop)
}

/// Whether a translation failed by a fault of accrs.
fn is_panic(failure: &Failure) -> bool {
    failure
        .unreported()
        .is_some_and(|diagnostic| diagnostic.code == accrs::diagnostic::codes::INTERNAL)
}

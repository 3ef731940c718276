//! MESI-CUDA: virtual shared variables and logical grids in CUDA C
//! (K. Ohno et al.: Automatic Optimization of Thread Mapping for a GPGPU Programming Framework,
//! 2015).
//!
//! Input: a CUDA file. Output: edits of it:
//!
//! ```text
//! __global__ int ga[N][N];                    int ga[N][N];
//!                                             static accrs_mesi::Variable ga_copies(ga, …);
//! add<[<N, N>]>(ga);                          … device_reads(); … add<<<…>>>(grid, …device());
//! printf("%d", ga[0][0]);                     ga_copies.host_reads(); printf(…);
//! ```
//!
//! [`code`] reads functions and variables by their tokens, [`accesses`] says what functions do with
//! shared memory, by the [`places`] of names and the [`expressions`] around them, [`shares`] how kernels get it, [`transfers`] where
//! copies are brought up to date, by what [`moves`] pointers, [`checks`] what cannot be followed. [`mapping`] says which
//! dimensions of a logical grid lie along x and y, by the [`normal_form`] of subscripts, and
//! [`exchange`] which loops change places with one, [`caching`] what goes through shared memory,
//! [`split`] what slices of a grid on several devices use, by the [`spans`] of subscripts. `docs/mesi-cuda.md` says what is taken.

mod accesses;
mod aliases;
mod caching;
mod checks;
mod code;
mod exchange;
mod expressions;
mod kernels;
mod launches;
mod mapping;
mod misspelt;
mod moves;
mod normal_form;
mod own_elements;
mod placement;
mod places;
mod sequences;
mod shares;
mod spans;
mod split;
mod standard;
#[cfg(test)]
mod tests;
mod transfers;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use accesses::{Named, Summaries};
use code::Code;
use kernels::Logical;
use placement::Placement;
use transfers::{Host, copies_of};

use crate::diagnostic::{Code as DiagnosticCode, Diagnostic, Diagnostics, Place, Severity, codes};
use crate::front::cuda::memory::Array;
use crate::front::cuda::{Edits, File, Tokens, indent, written};

/// What keeps copies up to date and maps logical threads.
const RUNTIME: &str = include_str!("../../../templates/mesi.txt");

/// What cuts logical grids for several devices.
const DEVICES: &str = include_str!("../../../templates/mesi_devices.txt");

/// What stands before the first line of a program, with its macros elsewhere.
pub fn runtime(text: &[u8], included: &[&[u8]]) -> String {
    match split::devices(&Code::new(text, included, &[])) {
        Some(_) => format!("{RUNTIME}{DEVICES}"),
        None => RUNTIME.to_owned(),
    }
}

/// What launches get beside virtual shared variables.
#[derive(Debug, Default)]
pub struct Arrays {
    /// The host's arrays that are shared as these are.
    pub shared: Vec<Array>,
    /// The kernels whose arrays are placed.
    pub kernels: BTreeSet<String>,
}

/// What is wrong with a program, and what is told of it.
#[derive(Debug, Default)]
pub struct Problems {
    all: Diagnostics,
    feedback: bool,
}

impl Problems {
    fn error(
        &mut self,
        code: DiagnosticCode,
        message: impl Into<String>,
        place: Range<usize>,
        help: &str,
    ) {
        let message = written(&message.into()).into_owned();
        let problem = Diagnostic::new(Severity::Error, code, message, Place::Source(place));
        self.all.push(problem.help(written(help)));
    }

    /// In a file that is included.
    fn elsewhere(&mut self, code: DiagnosticCode, message: impl Into<String>, help: &str) {
        let message = written(&message.into()).into_owned();
        self.all
            .push(Diagnostic::global(code, message).help(written(help)));
    }

    fn warning(
        &mut self,
        code: DiagnosticCode,
        message: String,
        place: Range<usize>,
        note: String,
    ) {
        let message = written(&message);
        let warning = Diagnostic::new(Severity::Warning, code, message, Place::Source(place));
        self.all.push(warning.note(written(&note)));
    }

    /// A note of what was decided.
    fn decided(
        &mut self,
        code: DiagnosticCode,
        what: &str,
        decided: String,
        place: Range<usize>,
        notes: Vec<String>,
    ) {
        let decided = written(&decided).into_owned();
        let message = written(&format!("{what}: {decided}")).into_owned();
        let note = Diagnostic::new(Severity::Note, code, message, Place::Source(place));
        let note = note.data("decided", decided);
        let note = notes
            .into_iter()
            .fold(note, |note, text| note.note(written(&text)));
        self.all.push(note);
    }
}

/// Whether a text has virtual shared variables or logical grids, and is no translation.
pub fn is_used(text: &[u8]) -> bool {
    let has = |word: &[u8]| memchr::memmem::find(text, word).is_some();
    if has(b"namespace accrs_mesi") {
        return false;
    }
    let is_logical = || {
        let file = File::new(text);
        let tokens = file.tokens();
        let mut all = 0..tokens.list.len();
        all.any(|at| kernels::is_logical(tokens, at) || tokens.logical_launch(at).is_some())
    };
    (has(b"lThread") || has(b"lGrid") || has(b"<[<")) && is_logical()
        || has(b"__global__") && !Code::new(text, &[], &[]).variables.is_empty()
}

/// The most dimensions of the logical grids that a text launches kernels on.
pub fn dimensions(text: &[u8]) -> usize {
    let file = File::new(text);
    let tokens = file.tokens();
    let launches = (0..tokens.list.len()).filter_map(|at| tokens.logical_launch(at));
    let counts = launches.map(|launch| tokens.parts(launch.first..launch.close).len());
    counts.max().unwrap_or(0)
}

/// The error of a file that another one includes.
pub fn in_included(path: &Path) -> Diagnostic {
    let name = path.display();
    let message =
        format!("`{name}`, which is included, has virtual shared variables or logical threads");
    let help = "write these in the file that is compiled";
    Diagnostic::global(codes::MESI_VARIABLE, message).help(help)
}

/// Translates a file; functions may be in files that it includes. Some arrays of the host are shared
/// as virtual shared variables are. With `feedback`, notes say how threads are mapped.
pub fn translate(
    text: &[u8],
    included: &[&[u8]],
    arrays: &Arrays,
    feedback: bool,
    diagnostics: &mut Diagnostics,
) -> Edits {
    let code = Code::new(text, included, &arrays.shared);
    let mut problems = Problems {
        feedback,
        ..Problems::default()
    };
    let mut edits = Edits::default();
    checks::variables(&code, &mut problems);
    misspelt::check(&code, &mut problems);
    let logical = Logical::new(&code, &mut problems);
    if !problems.all.has_errors() {
        let summaries = Summaries::new(&code);
        let placement = placement::place(
            &code,
            &summaries,
            &arrays.kernels,
            &mut edits,
            &mut problems,
        );
        edit_variables(&code, &summaries, &placement, &mut edits);
        edit_locals(&code, &mut edits);
        shares::check(&code, &summaries, &mut problems);
        checks::host(&code, &summaries, &logical, &mut problems);
        let exchanges = exchange::all(&code, &logical);
        let caches = caching::all(&code, &summaries, &logical, &exchanges);
        kernels::edit(
            &code,
            &summaries,
            &logical,
            (&exchanges, &caches),
            &mut edits,
            &mut problems,
        );
        for (number, fun) in code.functions.iter().enumerate() {
            if !fun.is_device && fun.file == 0 {
                edit_host(
                    &code,
                    &summaries,
                    (&exchanges, &caches),
                    number,
                    &mut edits,
                    &mut problems,
                );
            }
        }
    }
    for diagnostic in problems.all.iter() {
        diagnostics.push(diagnostic.clone());
    }
    edits
}

/// Places the arrays of kernels where nothing is shared.
pub fn place(
    text: &[u8],
    included: &[&[u8]],
    arrays: &Arrays,
    feedback: bool,
    diagnostics: &mut Diagnostics,
) -> Edits {
    let code = Code::new(text, included, &[]);
    let mut problems = Problems {
        feedback,
        ..Problems::default()
    };
    let mut edits = Edits::default();
    let summaries = Summaries::new(&code);
    placement::place(
        &code,
        &summaries,
        &arrays.kernels,
        &mut edits,
        &mut problems,
    );
    for diagnostic in problems.all.iter() {
        diagnostics.push(diagnostic.clone());
    }
    edits
}

fn edit_host(
    code: &Code<'_>,
    summaries: &Summaries,
    (exchanges, caches): (&exchange::Exchanges, &caching::Caches),
    number: usize,
    edits: &mut Edits,
    problems: &mut Problems,
) {
    let mut names = summaries.names(code, number);
    // The caller looks after memory that a function gets and launches nothing with.
    names.retain(|_, named| {
        named.objects.iter().any(|object| match *object {
            accesses::Object::Variable(variable) => !summaries.values.contains(&variable),
            accesses::Object::Parameter(own) => {
                summaries.launches[number] && summaries.shared[number][own]
            }
            accesses::Object::Local => true,
        })
    });
    allocations(code, summaries, number, (&names, edits, problems));
    let mut host = Host {
        code,
        summaries,
        number,
        names,
        edits,
        problems,
        exchanges,
        caches,
        conditions: code.files[0]
            .conditions()
            .into_iter()
            .map(|(place, _)| place.start as usize)
            .collect(),
    };
    host.edit();
}

/// Memory that a shared pointer gets is known with its size.
fn allocations(
    code: &Code<'_>,
    summaries: &Summaries,
    number: usize,
    (names, edits, problems): (&accesses::Names, &mut Edits, &mut Problems),
) {
    let fun = &code.functions[number];
    let tokens = code.tokens(fun);
    for at in fun.body() {
        let word = tokens.word(at);
        let with = match word.as_str() {
            "malloc" => "accrs_mesi::allocate",
            "calloc" => "accrs_mesi::allocate_zeros",
            "realloc" => "accrs_mesi::reallocate",
            "free" => "accrs_mesi::release",
            _ => "",
        };
        let is_call = tokens.at(at + 1) == b"(" && !with.is_empty();
        let is_cast = tokens.at(at + 1) == b"<" && word.ends_with("_cast");
        let is_own = code
            .named(tokens.at(at))
            .next()
            .is_some_and(|(_, callee)| callee.file == 0);
        let is_returned = summaries.returns[number] && accesses::is_returned(tokens, at);
        let is_got = accesses::gets(tokens, at, names)
            || is_returned && tokens.call(at).is_some() && word != "free";
        if with.is_empty() && !is_cast && !is_own && is_got {
            let message = format!("shared memory is got by `{word}`, which is not in this file");
            let help = "get it by `malloc`, `calloc`, `realloc` or `new`";
            problems.error(codes::MESI_ESCAPE, message, tokens.range(at, at), help);
        }
        let is_shared = |word: &str| names.get(word).is_some_and(Named::is_pointer);
        if is_call
            && word == "free"
            && (at..tokens.bracket_end(at + 1)).any(|at| is_shared(&tokens.word(at)))
        {
            edits.replace(tokens.range(at, at), with);
        }
        let begins = |at: &usize| matches!(tokens.at(*at), b";" | b"{" | b"}");
        let begin = (fun.body().start..at)
            .rev()
            .find(begins)
            .map_or(fun.body().start, |before| before + 1);
        let is_given = targets(tokens, begin, at)
            .into_iter()
            .any(|name| is_shared(&tokens.word(name)));
        if !is_returned && !is_given {
            continue;
        }
        if is_call && word != "free" {
            edits.replace(tokens.range(at, at), with);
        }
        // `new T[n]`
        if word == "new"
            && let Some(open) =
                (at..fun.body().end).find(|at| matches!(tokens.at(*at), b"[" | b"(" | b";"))
            && tokens.at(open) == b"["
        {
            make(code, at, open, edits, problems);
        }
    }
    for at in fun.body() {
        let is_array =
            tokens.at(at) == b"delete" && tokens.at(at + 1) == b"[" && tokens.at(at + 2) == b"]";
        let name = tokens.word(at + 3);
        if is_array && names.get(&name).is_some_and(Named::is_pointer) {
            edits.replace(
                tokens.range(at, at + 3),
                &format!("accrs_mesi::destroy({name})"),
            );
        }
    }
}

/// The names that are set to what stands at a token of a statement, before the `=` of its own
/// declarator or expression: `int n = 4, *p = (int *)malloc(n);`, `p = q = value`.
fn targets(tokens: Tokens<'_>, begin: usize, value: usize) -> Vec<usize> {
    let mut names = Vec::new();
    let (mut at, mut is_other) = (value, false);
    while at > begin {
        at -= 1;
        match tokens.at(at) {
            b")" | b"]" | b"}" => match tokens.bracket_begin(at) {
                Some(open) => at = open,
                None => break,
            },
            b"(" | b"[" => is_other = false,
            b"," => is_other = true,
            b"=" if !is_other => names.extend(at.checked_sub(1)),
            _ => {}
        }
    }
    names
}

/// `new T[n]` and `new T[n]()`, whose `[` stands there.
fn make(code: &Code<'_>, at: usize, open: usize, edits: &mut Edits, problems: &mut Problems) {
    let tokens = code.files[0].tokens();
    let types = code.files[0].text_of(at + 1..open);
    let close = tokens.bracket_end(open);
    let (make, last) = match (tokens.at(close + 1), tokens.at(close + 2)) {
        (b"{", b"}") | (b"(", b")") => ("make_zeros", close + 2),
        (b"{" | b"(", _) => {
            let place = tokens.range(close + 1, tokens.bracket_end(close + 1));
            let help = "set the elements in a loop";
            let message = "shared memory begins with a list of values";
            return problems.error(codes::MESI_ESCAPE, message, place, help);
        }
        _ => ("make", close),
    };
    edits.replace(
        tokens.range(at, open),
        &format!("accrs_mesi::{make}<{types}>("),
    );
    edits.replace(tokens.range(close, last), ")");
}

/// Local arrays are followed by what shares their memory.
fn edit_locals(code: &Code<'_>, edits: &mut Edits) {
    let file = &code.files[0];
    let tokens = file.tokens();
    let is_array = |one: &&Array| !one.declared.extents.is_empty();
    for array in code.locals.values().filter(is_array) {
        let name = &array.declared.name;
        let is_plain =
            array.declared.value.is_none() && code.size_of(&array.declared.types).is_some();
        let values = if is_plain { "none" } else { "some" };
        let line = format!(
            "accrs_mesi::Local {}({name}, sizeof {name}, accrs_mesi::Copies::{values});",
            copies_of(name)
        );
        let place = tokens.range(array.statement.start, array.statement.end - 1);
        let indent = indent(file.text(), place.start);
        edits.append_lines(place.end, &[line], &indent);
    }
}

/// Each variable is followed by what knows its copies.
fn edit_variables(
    code: &Code<'_>,
    summaries: &Summaries,
    placement: &Placement,
    edits: &mut Edits,
) {
    let file = &code.files[0];
    let tokens = file.tokens();
    let mut done: Vec<Range<usize>> = Vec::new();
    for variable in &code.variables {
        let statement = variable.statement.clone();
        if done.contains(&statement) {
            continue;
        }
        done.push(statement.clone());
        let has = |word: &[u8]| statement.clone().find(|at| tokens.at(*at) == word);
        if let Some(at) = has(b"__global__") {
            let next = tokens.range(at + 1, at + 1).start;
            edits.replace(tokens.range(at, at).start..next, "");
        } else if has(b"static").is_none() {
            // No other file uses the host's copy.
            let first = tokens.range(statement.start, statement.start).start;
            edits.insert(first, "static ");
        }
        let all = code.variables.iter().enumerate();
        let all = all.filter(|(number, one)| {
            one.statement == statement && shares::has_copies(summaries, *number, one)
        });
        let lines: Vec<String> = all
            .flat_map(|(number, one)| {
                // A structure may have members that begin with values.
                let last = one
                    .declared
                    .extents
                    .last()
                    .map_or(one.declared.token, |extent| extent.end);
                let is_plain = matches!(tokens.at(last + 1), b"," | b";")
                    && code.size_of(&one.declared.types).is_some();
                let values = if is_plain { "zeros" } else { "some" };
                let name = one.name();
                let own = format!(
                    "static accrs_mesi::Variable {}({name}, accrs_mesi::Copies::{values}",
                    copies_of(name)
                );
                if !placement.constants.contains(&number) {
                    return vec![format!("{own});")];
                }
                let (constant, extents) = (placement::constant_of(name), code.extents_of(one));
                let base = code.base_of(one);
                let types = base.split(' ').filter(|word| *word != "const");
                let types: Vec<&str> = types.collect();
                vec![
                    format!(
                        "static __constant__ {} {constant}{extents};",
                        types.join(" ")
                    ),
                    format!("{own}, {constant});"),
                ]
            })
            .collect();
        edits.append_lines(
            tokens.range(statement.end - 1, statement.end - 1).end,
            &lines,
            "",
        );
    }
}

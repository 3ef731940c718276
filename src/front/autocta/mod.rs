//! AUTO-CTA: launches whose blocks are chosen (Takeshima and Tsumura, 2014).
//!
//! Input: a CUDA file with pragmas before launches. Output: edits of it:
//!
//! ```text
//! #pragma AUTO-CTA n             const auto cta = accrs_cta::guarded(k, n, …);
//! k<<<grid, block>>>(n, x);      k<<<cta.blocks, cta.threads>>>(n, x);
//! ```
//!
//! The launch alone changes (section III-A): what is written stays where `kernel` is not proved to
//! compute the same with blocks of any size, with a warning that says why. The host's arrays that
//! launches get are named (section III-B); they are copied as MESI-CUDA's variables are.

mod arrays;
mod implicit;
mod kernel;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::path::Path;

use crate::diagnostic::words::Near;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity, codes};
use crate::front::cuda::memory::{Array, Owner, Scope};
use crate::front::cuda::program::{Definition, end_of, is_name};
use crate::front::cuda::{Edits, File, Fun, Launch, Program, Tokens, indent};
use crate::source::lexer;
use kernel::{Proof, at_launch, expand, judge, unwrapped};

/// What chooses blocks at a launch; before the file's first line.
const CHOICE: &str = include_str!("../../../templates/auto_cta.txt");

/// The word after `pragma`.
const NAME: &str = "AUTO-CTA";

/// Words of an expression that no declaration names.
const WORDS: &[&str] = &[
    "alignof", "auto", "bool", "char", "const", "decltype", "double", "false", "float", "int",
    "long", "short", "signed", "sizeof", "this", "true", "unsigned",
];

/// A file with its launches tuned.
#[derive(Debug, Default)]
pub struct Tuned {
    /// What changes.
    pub edits: Edits,
    /// How many pragmas there are.
    pub pragmas: usize,
    /// The host's arrays that launches get.
    pub arrays: Vec<Array>,
    /// The kernels that are launched.
    pub kernels: BTreeSet<String>,
    /// How many launches are tuned.
    launches: usize,
}

impl Tuned {
    /// What has to stand before the first line, if anything.
    pub fn before(&self) -> &'static str {
        if self.launches == 0 { "" } else { CHOICE }
    }
}

/// Whether a text has the pragma, or one that is nearly it.
pub fn is_used(text: &[u8]) -> bool {
    let file = File::new(text);
    let mut directives = file.directives().iter();
    // Few files have it: most are not looked at further.
    let is_near = |word: &[u8]| word.eq_ignore_ascii_case(b"auto");
    text.windows(4).any(is_near)
        && directives.any(|d| pragma(text, d.start as usize..d.end as usize).is_some())
}

/// The error of a file that another one includes.
pub fn in_included(path: &Path) -> Diagnostic {
    let name = path.display();
    let message = format!("`{name}`, which is included, has `#pragma {NAME}`");
    let help = "write launches to be tuned in the file that is compiled";
    Diagnostic::global(codes::AUTO_CTA, message).help(help)
}

/// Tunes the launches of a file that `pragma`s ask for; kernels may be in files that it includes.
/// With `feedback`, notes say why a kernel may have blocks of any size.
pub fn tune(
    text: &[u8],
    included: &[&[u8]],
    feedback: bool,
    diagnostics: &mut Diagnostics,
) -> Tuned {
    let file = File::scoped(text);
    let mut program = Program::default();
    program.add(&file);
    let mut functions = functions_of(&file, 0);
    let mut others = Vec::new();
    let mut named: HashSet<String> = words_of(&file).collect();
    for (number, other) in included.iter().enumerate() {
        let other = File::new(other);
        program.add(&other);
        named.extend(words_of(&other));
        others.extend(functions_of(&other, number + 1));
    }
    let scope = Scope {
        tokens: file.tokens(),
        functions: &functions.clone(),
    };
    functions.extend(others);
    for (name, definitions) in &program.macros {
        named.insert(name.clone());
        named.extend(definitions.iter().flat_map(|one| one.body.iter().cloned()));
    }
    let mut tuned = Tuned::default();
    for directive in file.directives() {
        let place = directive.start as usize..directive.end as usize;
        let Some((name, threads)) = pragma(text, place.clone()) else {
            continue;
        };
        if name != NAME {
            let message = format!("`#pragma {name}` is no pragma of AUTO-CTA");
            let (code, place) = (codes::MISSPELT_PREFIX, Place::Source(place));
            let problem = Diagnostic::new(Severity::Warning, code, message, place);
            diagnostics.push(problem.help(format!("write `#pragma {NAME}`")));
            continue;
        }
        let asked = Asked {
            text,
            file: &file,
            program: &program,
            scope,
            functions: &functions,
            named: &named,
            place,
            threads,
        };
        tuned.pragmas += 1;
        asked.tune(feedback, &mut tuned, diagnostics);
    }
    tuned
}

fn words_of<'f>(file: &'f File<'_>) -> impl Iterator<Item = String> + use<'f> {
    let tokens = file.tokens();
    (0..tokens.list.len()).map(move |at| tokens.word(at))
}

fn functions_of(file: &File<'_>, number: usize) -> Vec<Fun> {
    let tokens = file.tokens();
    let all = tokens.functions().into_iter();
    let defined = all.filter(|one| one.body.is_some());
    defined.map(|one| Fun::new(tokens, number, one)).collect()
}

/// The name of a pragma that is AUTO-CTA or nearly so, and the place of what stands behind it.
fn pragma(text: &[u8], directive: Range<usize>) -> Option<(&str, Range<usize>)> {
    let line = &text[directive.clone()];
    if lexer::directive_name(line) != b"pragma" {
        return None;
    }
    let after = memchr::memmem::find(line, b"pragma")? + "pragma".len();
    let start = lexer::skip_blank(line, after);
    let is_part = |byte: &u8| lexer::is_identifier_byte(*byte) || *byte == b'-';
    let length = line[start..]
        .iter()
        .take_while(|byte| is_part(byte))
        .count();
    let name = std::str::from_utf8(&line[start..start + length]).ok()?;
    let is_near = name.replace(['-', '_'], "").eq_ignore_ascii_case("autocta");
    is_near.then(|| (name, directive.start + start + length..directive.end))
}

/// A pragma.
struct Asked<'a> {
    text: &'a [u8],
    file: &'a File<'a>,
    program: &'a Program,
    /// The functions of the file.
    scope: Scope<'a>,
    /// Those of all files.
    functions: &'a [Fun],
    /// All words of the files, but for directives.
    named: &'a HashSet<String>,
    /// The directive.
    place: Range<usize>,
    /// Where its number of threads is.
    threads: Range<usize>,
}

impl Asked<'_> {
    fn tune(&self, feedback: bool, tuned: &mut Tuned, diagnostics: &mut Diagnostics) {
        let threads = self.file.words_at(self.threads.clone());
        if threads.is_empty() || !is_expression(&threads) {
            let message = format!("`{NAME}` needs the number of threads, an expression");
            diagnostics.push(
                self.problem(message)
                    .help(format!("write `#pragma {NAME} n`")),
            );
            return;
        }
        let tokens = self.file.tokens();
        let Some((launch, end)) = self.launch(tokens) else {
            let message = format!("`{NAME}` is not followed by a launch");
            diagnostics.push(self.problem(message).help(
                "write it right before the statement, which has nothing but the launch in it",
            ));
            return;
        };
        let parts = self.parts(launch.first..launch.close);
        if parts.len() < 2 {
            return;
        }
        if let Some(warning) = self.unnamed(&threads, &launch) {
            diagnostics.push(warning);
        }
        let name = tokens.range(launch.kernel, launch.open - 1);
        tuned.kernels.insert(tokens.word(launch.kernel));
        let mut notes = Vec::new();
        for given in arrays::given(self.scope, self.functions, &launch) {
            self.share(given, tuned, &mut notes, diagnostics);
        }
        match self.proof(tokens, &launch, &threads) {
            Err(doubt) => {
                let message = format!("this launch keeps its configuration: {doubt}");
                let (code, place) = (codes::AUTO_CTA_DOUBT, Place::Source(name));
                diagnostics.push(Diagnostic::new(Severity::Warning, code, message, place));
            }
            Ok(is_guarded) => {
                if feedback {
                    let message = "the blocks of this launch are chosen when it is reached";
                    let (code, place) = (codes::AUTO_CTA_CHOICE, Place::Source(name));
                    let note = Diagnostic::new(Severity::Note, code, message, place);
                    let why = reason(is_guarded);
                    let note = note.data("decided", "when it is reached").data("why", why);
                    let note = note.note(why);
                    diagnostics.push(notes.into_iter().fold(note, Diagnostic::note));
                }
                self.edit(tokens, &launch, end, &parts, is_guarded, &mut tuned.edits);
                tuned.launches += 1;
            }
        }
    }

    /// What a launch gets of the host is shared; of other memory nothing is changed.
    fn share(
        &self,
        given: arrays::Given,
        tuned: &mut Tuned,
        notes: &mut Vec<String>,
        diagnostics: &mut Diagnostics,
    ) {
        let text = self.file.text_of(given.argument.clone());
        if given.is_mixed() {
            let tokens = self.file.tokens();
            let place = tokens.range(given.argument.start, given.argument.end - 1);
            let message = format!(
                "`{text}` may give the kernel memory of the host, which is not copied here"
            );
            let (code, place) = (codes::MESI_ESCAPE, Place::Source(place));
            let warning = Diagnostic::new(Severity::Warning, code, message, place);
            let help = "give the launch arrays, or pointers that have memory from `malloc` alone";
            diagnostics.push(warning.help(help));
            return;
        }
        if given.arrays.is_empty() || given.is_open {
            notes.push(format!(
                "`{text}` is given to the kernel as it is: whose memory it is, is not known"
            ));
        }
        let hosts = given
            .arrays
            .into_iter()
            .filter(|one| one.owner == Owner::Host);
        for array in hosts {
            if !tuned.arrays.contains(&array) {
                tuned.arrays.push(array);
            }
        }
    }

    /// The warning of a name in the number of threads that nothing else has: only a macro of the command
    /// line or of the system's headers could have it.
    fn unnamed(&self, threads: &[String], launch: &Launch) -> Option<Diagnostic> {
        let is_variable = |(at, word): &(usize, &String)| {
            let before = at.checked_sub(1).map(|at| threads[at].as_str());
            let behind = threads.get(at + 1).map(String::as_str);
            is_name(word)
                && word.chars().any(char::is_lowercase)
                && !word.starts_with('_')
                && !word.ends_with("_t")
                && !WORDS.contains(&word.as_str())
                && !matches!(before, Some("::" | "." | "->"))
                && !matches!(behind, Some("::" | "(" | "<"))
        };
        let variables = threads.iter().enumerate().filter(is_variable);
        let mut unknown = variables.filter(|(_, word)| !self.named.contains(*word));
        let (_, name) = unknown.next()?;
        let message =
            format!("`{name}` is named nowhere else in the file and in those that it includes");
        let (severity, problem) = (Severity::Warning, self.problem(message));
        let tokens = self.file.tokens();
        let end = (launch.arguments..tokens.list.len()).find(|at| tokens.at(*at) == b";");
        let words = self
            .file
            .words(launch.first..end.unwrap_or(launch.arguments));
        let names = words.iter().filter(|word| is_name(word));
        let near = Near::words(name, names.map(String::as_str)).first();
        let problem = Diagnostic {
            severity,
            ..problem
        };
        Some(match near {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem,
        })
    }

    fn problem(&self, message: String) -> Diagnostic {
        let place = Place::Source(self.place.clone());
        Diagnostic::new(Severity::Error, codes::AUTO_CTA, message, place)
    }

    /// The launch that follows, if it is a statement by itself, and the number of its `;`.
    fn launch(&self, tokens: Tokens<'_>) -> Option<(Launch, usize)> {
        let start = self.place.end;
        let first = tokens
            .list
            .partition_point(|token| (token.start as usize) < start);
        let before = first.checked_sub(1).map(|before| tokens.at(before));
        let begins = before
            .is_none_or(|word| matches!(word, b";" | b"{" | b"}" | b")" | b":" | b"else" | b"do"));
        let rest = first..tokens.list.len();
        let ends = |at: &usize| matches!(tokens.at(*at), b";" | b"{" | b"}");
        let limit = rest.clone().find(ends)?;
        let launch = (first..limit).find_map(|at| tokens.launch(at))?;
        let close = (launch.arguments..tokens.list.len()).find(|at| {
            tokens.at(*at) == b")" && tokens.bracket_begin(*at) == Some(launch.arguments)
        })?;
        let is_statement = begins && launch.kernel == first && tokens.at(close + 1) == b";";
        is_statement.then_some((launch, close + 1))
    }

    /// The places of a configuration's parts.
    fn parts(&self, configuration: Range<usize>) -> Vec<Range<usize>> {
        let tokens = self.file.tokens();
        let parts = tokens.parts(configuration).into_iter();
        parts
            .map(|part| tokens.range(part.start, part.end.saturating_sub(1)))
            .collect()
    }

    /// That the name of a launch, which ends with its template arguments, is one function
    /// without the arguments of the call, too: the runtime is asked about it.
    fn is_one_function(
        &self,
        name: &str,
        arguments: &[String],
        kernels: &[&Definition],
    ) -> Result<(), String> {
        let given = listed(arguments);
        let is_deduced = |kernel: &&&Definition| match kernel.before.split_first() {
            Some((first, rest)) if first == "template" => listed(rest) != given,
            _ => false,
        };
        if kernels.iter().any(|kernel| is_deduced(&kernel)) {
            return Err(format!(
                "the template arguments of `{name}` are deduced; write them as `{name}<…>`"
            ));
        }
        let mut files: Vec<usize> = (self.functions.iter())
            .filter(|one| one.is_kernel && one.name == name)
            .map(|one| one.file)
            .collect();
        let all = files.len();
        files.dedup();
        match files.len() == all {
            true => Ok(()),
            false => Err(format!("there are several kernels `{name}`")),
        }
    }

    /// Whether threads beyond the last do nothing; otherwise what is in doubt.
    fn proof(
        &self,
        tokens: Tokens<'_>,
        launch: &Launch,
        threads: &[String],
    ) -> Result<bool, String> {
        let words = self.file.words(launch.kernel..launch.open);
        // `name<…>`, `a::name`.
        let end = words
            .iter()
            .position(|word| word == "<")
            .unwrap_or(words.len());
        let name = words[..end].last().filter(|word| is_name(word));
        let name = name.ok_or("its kernel is chosen when it runs")?;
        let is_kernel = |before: &[String]| before.iter().any(|word| word == "__global__");
        let definitions = self.program.functions.get(name);
        let kernels: Vec<_> = definitions
            .into_iter()
            .flatten()
            .filter(|one| is_kernel(&one.before))
            .collect();
        if kernels.is_empty() {
            return Err(format!("the kernel `{name}` is not in these files"));
        }
        self.is_one_function(name, &words[end..], &kernels)?;
        let close = end_of(&self.file.words(launch.arguments..tokens.list.len()), 0);
        let arguments = self
            .file
            .words(launch.arguments + 1..launch.arguments + close);
        let mut is_guarded = true;
        for kernel in kernels {
            is_guarded &= match judge(self.program, kernel)? {
                Proof::Guarded(bound) => {
                    let wanted = expand(self.program, threads)?;
                    let bound = at_launch(&bound, kernel, &arguments).unwrap_or_default();
                    let bound = expand(self.program, &bound)?;
                    unwrapped(&bound) == unwrapped(&wanted) && is_pure(&wanted)
                }
                Proof::Exact => false,
            };
        }
        Ok(is_guarded)
    }

    fn edit(
        &self,
        tokens: Tokens<'_>,
        launch: &Launch,
        end: usize,
        parts: &[Range<usize>],
        is_guarded: bool,
        edits: &mut Edits,
    ) {
        let text = |range: Range<usize>| String::from_utf8_lossy(&self.text[range]).into_owned();
        let name = self.free_name();
        let kernel = text(tokens.range(launch.kernel, launch.open - 1));
        let threads = text(self.file.code_at(self.threads.clone())).replace('\n', " ");
        let guarded = if is_guarded { "guarded" } else { "exact" };
        let own: Vec<String> = parts
            .iter()
            .take(3)
            .map(|part| text(part.clone()))
            .collect();
        let own = own.join(", ").replace('\n', " ");
        let lines = memchr::memchr_iter(b'\n', &self.text[self.place.clone()]).count();
        let first = tokens.range(launch.kernel, launch.kernel).start;
        let is_at_edge = self.place.start == 0 || self.text[self.place.start - 1] == b'\n';
        let indent = is_at_edge.then(|| indent(self.text, first));
        let comment = format!(
            "{}// #pragma {NAME} {threads}{}",
            indent.unwrap_or_default(),
            "\n".repeat(lines)
        );
        edits.replace(self.place.clone(), &comment);
        let declaration = format!(
            "const accrs_cta::Launch {name} = accrs_cta::{guarded}({kernel}, {threads}, {own});"
        );
        edits.open_block(self.text, first, &[declaration]);
        for (part, member) in parts.iter().zip(["blocks", "threads"]) {
            let lines = memchr::memchr_iter(b'\n', &self.text[part.clone()]).count();
            edits.replace(
                part.clone(),
                &(format!("{name}.{member}") + &"\n".repeat(lines)),
            );
        }
        let last = tokens.range(end, end);
        edits.close_block(self.text, first, last.end, &[]);
    }

    /// A name that the file does not have.
    fn free_name(&self) -> String {
        let tokens = self.file.tokens();
        let is_taken =
            |name: &str| (0..tokens.list.len()).any(|at| tokens.at(at) == name.as_bytes());
        let mut names = (1..).map(|number| match number {
            1 => "cta".to_owned(),
            _ => format!("cta{number}"),
        });
        names.find(|name| !is_taken(name)).unwrap_or_default()
    }
}

/// Whether an expression has the same value twice.
fn is_pure(words: &[String]) -> bool {
    let operators = ["+", "-", "*", "/", "%", ".", "->", "[", "]", "(", ")"];
    let is_value = |word: &String| {
        let word = word.as_str();
        is_name(word) || word.starts_with(char::is_numeric) || operators.contains(&word)
    };
    let is_call = |pair: &[String]| is_name(&pair[0]) && pair[1] == "(";
    words.iter().all(is_value) && !words.windows(2).any(is_call)
}

/// Whether words could be an expression: brackets are paired, and no statement ends.
fn is_expression(words: &[String]) -> bool {
    let mut open = Vec::new();
    for word in words {
        match word.as_str() {
            "(" => open.push(")"),
            "[" => open.push("]"),
            ")" | "]" if open.pop() != Some(word.as_str()) => return false,
            ";" | "{" | "}" | "," | "#" if open.is_empty() => return false,
            _ => {}
        }
    }
    open.is_empty()
}

fn reason(is_guarded: bool) -> &'static str {
    if is_guarded {
        "its threads are told apart by their index alone, and those beyond the last do nothing"
    } else {
        "its threads are told apart by their index alone; nothing stops those beyond the last, so that the block size divides their number"
    }
}

/// How many arguments or parameters stand between `<` and `>`, with which some words begin.
fn listed(words: &[String]) -> usize {
    let (mut depth, mut commas) = (0_usize, 0);
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "<" | "(" | "[" | "{" => depth += 1,
            ">" | ")" | "]" | "}" => depth = depth.saturating_sub(1),
            ">>" => depth = depth.saturating_sub(2),
            "," if depth == 1 => commas += 1,
            _ => {}
        }
        match depth {
            0 if at <= 1 => return 0,
            0 => return commas + 1,
            _ => {}
        }
    }
    0
}

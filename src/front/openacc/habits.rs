//! Words of OpenMP, Fortran and older models that stand in directives by habit.
//!
//! Input: a directive or clause that OpenACC does not have. Output: what it is called in
//! OpenACC. A clause that only has another name is read as the one that was meant, so that
//! nothing is said of what follows from it.
//!
//! ```text
//! parallel for collapse(2) map(to: a[0:n]) num_threads(128)
//! parallel loop collapse(2) copyin(a[0:n]) vector_length(128)
//! ```

use super::allowed;
use super::clauses;
use super::table::{self, DIRECTIVES as DIRECTIVES_OF_OPENACC, DirectiveKind};
use crate::ast::{ArgumentValue, Arguments, Clause, Directive};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Spanned;
use crate::typed::{Expression, Unit, constant};

/// What takes the place of a clause.
enum Instead {
    /// A clause with the same argument.
    Clause(&'static str),
    /// A clause without argument.
    Bare(&'static str),
    /// Nothing; the reason.
    Nothing(&'static str),
    /// Something that is no clause.
    Other(&'static str),
}

use Instead::{Bare, Clause as Named, Nothing, Other};

/// What clauses are called, on any directive.
const CLAUSES: &[(&str, Instead)] = &[
    (
        "schedule",
        Nothing("iterations are distributed by the translator; `gang(static: n)` asks for chunks"),
    ),
    (
        "dist_schedule",
        Nothing("`gang(static: n)` asks for chunks"),
    ),
    (
        "shared",
        Nothing(
            "what is not private is shared; data clauses such as `copy(a[0:n])` say what moves",
        ),
    ),
    ("num_threads", Named("vector_length")),
    ("thread_limit", Named("vector_length")),
    ("thread", Named("vector_length")),
    ("threads", Named("vector_length")),
    ("reduce", Named("reduction")),
    ("sync", Nothing("the host waits for what has no `async`")),
    ("gangs", Named("num_gangs")),
    ("ngangs", Named("num_gangs")),
    ("workers", Named("num_workers")),
    ("nworkers", Named("num_workers")),
    ("vectors", Named("vector_length")),
    ("vector_size", Named("vector_length")),
    ("in", Named("copyin")),
    ("out", Named("copyout")),
    ("inout", Named("copy")),
    ("gpu", Named("device")),
    ("cpu", Named("self")),
    ("simdlen", Named("vector_length")),
    ("num_teams", Named("num_gangs")),
    ("is_device_ptr", Named("deviceptr")),
    ("has_device_addr", Named("deviceptr")),
    ("use_device_ptr", Named("use_device")),
    ("use_device_addr", Named("use_device")),
    ("to", Named("device")),
    ("from", Named("self")),
    ("updatein", Named("device")),
    ("updateout", Named("self")),
    ("local", Named("create")),
    ("alloc", Named("create")),
    ("release", Named("delete")),
    ("sequential", Bare("seq")),
    ("parallel", Named("gang")),
    ("simd", Bare("vector")),
    ("nowait", Bare("async")),
    ("ordered", Bare("seq")),
    ("for", Nothing("`loop` says it already")),
    ("do", Nothing("`loop` says it already")),
    ("teams", Bare("gang")),
    ("distribute", Bare("gang")),
    (
        "depend",
        Other("order work by queues: `async(1)` on both, or `wait(1)` on the one that comes after"),
    ),
    (
        "lastprivate",
        Other("assign the last value behind the loop, or compute it there"),
    ),
    (
        "copyprivate",
        Other("a variable without a clause has one copy for all gangs"),
    ),
    ("proc_bind", Nothing("a device places its threads itself")),
    (
        "safelen",
        Nothing("`independent` says that iterations may run in any order"),
    ),
    ("linear", Nothing("the loop's variable is private already")),
    ("aligned", Nothing("allocations of a device are aligned")),
    (
        "unroll",
        Nothing("small loops are unrolled by the translator"),
    ),
    ("order", Bare("independent")),
    (
        "region",
        Nothing("a directive governs what stands right behind it"),
    ),
    (
        "begin",
        Nothing("a directive governs what stands right behind it"),
    ),
    ("end", Other(END)),
    (
        "target",
        Other(
            "write `#pragma acc routine seq` before a function, `declare create(a)` behind a variable",
        ),
    ),
];

/// Why nothing ends a construct.
pub const END: &str =
    "the braces or the loop behind a directive end its construct: remove this line";

/// Compute constructs, whose names stand before `loop`.
const CONSTRUCTS: [&str; 3] = ["parallel", "kernels", "serial"];

/// What a clause means that OpenACC does not have.
pub struct Meant {
    /// The way out.
    pub help: String,
    /// What stands in its place then.
    pub replacement: Option<String>,
    /// The clause that was meant.
    pub clause: Option<Clause<Expression>>,
}

impl Meant {
    fn clause(unit: &Unit, clause: Clause<Expression>) -> Self {
        let text = clauses::clause_text(unit, &clause);
        Self {
            help: format!("write `{text}`"),
            replacement: Some(text),
            clause: Some(clause),
        }
    }

    /// None, by the help.
    pub fn nothing(help: String) -> Self {
        Self {
            help,
            replacement: Some(String::new()),
            clause: None,
        }
    }

    /// None, as a directive has none like it.
    fn none_such(on: DirectiveKind) -> Self {
        Self::nothing(format!("`{}` takes no such clause: remove it", on.name()))
    }

    fn other(help: impl Into<String>) -> Self {
        Self {
            help: help.into(),
            replacement: None,
            clause: None,
        }
    }
}

/// What is meant by a clause.
pub fn clause(unit: &Unit, on: DirectiveKind, written: &Clause<Expression>) -> Option<Meant> {
    let name = written.name.value.to_ascii_lowercase();
    if name == "map" {
        return Some(map(unit, on, written));
    }
    if on == DirectiveKind::Loop && CONSTRUCTS.contains(&name.as_str()) {
        return Some(Meant::nothing(format!(
            "remove `{name}`: the construct around it says it already"
        )));
    }
    if on == DirectiveKind::Atomic && is_update(&name) {
        let update = Clause {
            name: Spanned {
                value: "update".to_owned(),
                span: written.name.span,
            },
            arguments: None,
            ..written.clone()
        };
        return Some(Meant::clause(unit, update));
    }
    // `worker` is more than OpenMP's threads of a loop would be.
    let (_, instead) = CLAUSES.iter().find(|(word, _)| *word == name)?;
    let renamed = |spelling: &str, arguments: Option<Arguments<Expression>>| Clause {
        name: Spanned {
            value: spelling.to_owned(),
            span: written.name.span,
        },
        arguments,
        ..written.clone()
    };
    let meant = match instead {
        Named("vector_length") if is_few(unit, written) => {
            return Some(Meant::nothing(format!(
                "remove `{}`: a device starts as many threads as there are iterations; \
                 `vector_length(128)` asks for a size",
                written.name.value
            )));
        }
        Named(spelling) => renamed(spelling, written.arguments.clone()),
        Bare(spelling) => renamed(spelling, None),
        Nothing(why) => {
            let help = format!("remove `{}`: {why}", written.name.value);
            return Some(Meant::nothing(help));
        }
        Other(help) => return Some(Meant::other(*help)),
    };
    let row = table::clause(&meant.name.value, on);
    match row.is_some_and(|row| row.is_on(on)) {
        true => allowed::takes(on, &meant).then(|| Meant::clause(unit, meant)),
        false => Some(Meant::none_such(on)),
    }
}

/// Whether a word says how a variable is updated.
fn is_update(word: &str) -> bool {
    operator(word).is_some() || ["sub", "subtract", "minus", "inc", "dec"].contains(&word)
}

/// Whether a number of threads is one of the host's cores, not of a block.
fn is_few(unit: &Unit, written: &Clause<Expression>) -> bool {
    let items = written.arguments.iter().flat_map(|list| &list.items);
    let mut numbers = items.filter_map(|item| match &item.value {
        ArgumentValue::Expression(e) => constant::evaluate(unit, e),
        _ => None,
    });
    written.name.value != "vectors" && numbers.any(|number| number < 32)
}

/// `map(to: a[0:n])`.
fn map(unit: &Unit, on: DirectiveKind, written: &Clause<Expression>) -> Meant {
    let arguments = written.arguments.clone();
    let kind = arguments.as_ref().and_then(|list| list.modifiers.last());
    let spelling = match (on, copying(kind.map_or("", |word| &word.value))) {
        (DirectiveKind::Update, "copyin") => "device",
        (DirectiveKind::Update, "copyout") => "self",
        (_, spelling) => spelling,
    };
    let clause = Clause {
        name: Spanned {
            value: spelling.to_owned(),
            span: written.name.span,
        },
        arguments: arguments.map(|list| Arguments {
            modifiers: Vec::new(),
            ..list
        }),
        ..written.clone()
    };
    if allowed::takes(on, &clause) {
        return Meant::clause(unit, clause);
    }
    match elsewhere(unit, on, &clause) {
        Some((help, replacement)) => Meant {
            help,
            replacement,
            clause: None,
        },
        None => Meant::none_such(on),
    }
}

/// The clause for a type of `map`.
pub fn copying(kind: &str) -> &'static str {
    match kind.to_ascii_lowercase().as_str() {
        "to" => "copyin",
        "from" => "copyout",
        "alloc" => "create",
        "release" | "delete" => "delete",
        _ => "copy",
    }
}

/// What was meant by a clause that another directive takes: how to say so, and the clause that
/// stands in its place, where it is one.
pub fn elsewhere(
    unit: &Unit,
    on: DirectiveKind,
    written: &Clause<Expression>,
) -> Option<(String, Option<String>)> {
    let named = |spelling: &str| {
        let clause = Clause {
            name: Spanned {
                value: spelling.to_owned(),
                span: written.name.span,
            },
            arguments: written.arguments.clone().map(|list| Arguments {
                modifiers: Vec::new(),
                ..list
            }),
            ..written.clone()
        };
        clauses::clause_text(unit, &clause)
    };
    let name = written.name.value.as_str();
    let name = name.strip_prefix("present_or_").unwrap_or(name);
    let kind = name.strip_prefix('p').unwrap_or(name);
    let alone = |right: String| Some((format!("write `{right}`"), Some(right)));
    let help = match (on, kind) {
        (DirectiveKind::EnterData, "copy") => format!(
            "write `{}`, and `{}` on the `exit data` that ends it",
            named("copyin"),
            named("copyout")
        ),
        (DirectiveKind::EnterData, "copyout") => format!(
            "write `{}`, and `{}` on the `exit data` that ends it",
            named("create"),
            named("copyout")
        ),
        (DirectiveKind::ExitData, "copy") => return alone(named("copyout")),
        (DirectiveKind::ExitData, "copyin" | "create") => format!(
            "write `{}` to copy it to the host, `{}` to drop it",
            named("copyout"),
            named("delete")
        ),
        (DirectiveKind::Set | DirectiveKind::Init | DirectiveKind::Shutdown, "device") => {
            return alone(named("device_num"));
        }
        (_, "device") if on.is_compute() => format!(
            "write `#pragma acc set {}` before the construct",
            named("device_num")
        ),
        _ => return None,
    };
    Some((help, None))
}

/// `update_device(a[0:n])`.
pub fn joined_update(unit: &Unit, directive: &Directive<Expression>) -> Option<String> {
    let [word] = directive.name.as_slice() else {
        return None;
    };
    let direction = word.value.strip_prefix("update_")?;
    let (direction, arguments) = match (direction, &directive.arguments) {
        ("device" | "host" | "self", Some(arguments)) => (direction, arguments),
        _ => return None,
    };
    let clause = Clause {
        name: Spanned {
            value: direction.to_owned(),
            span: word.span,
        },
        arguments: Some(arguments.clone()),
        names_copies: false,
        span: directive.span,
    };
    let text = clauses::clause_text(unit, &clause);
    Some(format!("write `#pragma acc update {text}`"))
}

/// Another directive on the line of one, `data copy(a) parallel loop`: its words.
pub fn second_directive(
    on: DirectiveKind,
    written: &Clause<Expression>,
    rest: &[Clause<Expression>],
) -> Option<String> {
    let name = written.name.value.as_str();
    let begins = written.arguments.is_none()
        && !on.is_compute()
        && !on.is_loop()
        && CONSTRUCTS.contains(&name);
    let is_loop = rest
        .first()
        .is_some_and(|next| next.name.value == "loop" && next.arguments.is_none());
    begins.then(|| match is_loop {
        true => format!("{name} loop"),
        false => name.to_owned(),
    })
}

/// The words of `parallel for` and the like that the parser takes for a clause, if the
/// directive has them: the construct with its loop.
pub fn with_loop(kind: DirectiveKind, first: Option<&Clause<Expression>>) -> Option<DirectiveKind> {
    let first = first.filter(|clause| clause.arguments.is_none())?;
    if !["for", "do", "FOR", "DO", "distribute"].contains(&first.name.value.as_str()) {
        return None;
    }
    match kind {
        DirectiveKind::Parallel => Some(DirectiveKind::ParallelLoop),
        DirectiveKind::Kernels => Some(DirectiveKind::KernelsLoop),
        DirectiveKind::Serial => Some(DirectiveKind::SerialLoop),
        _ => None,
    }
}

/// What a `loop` outside of a construct says that only a construct with its loop can, as
/// `loop parallel` and `loop copy(a[0:n])` do.
pub fn lost_construct(unit: &Unit, directive: &Directive<Expression>) -> Option<Diagnostic> {
    let word = |clause: &&Clause<Expression>| {
        clause.arguments.is_none() && CONSTRUCTS.contains(&clause.name.value.as_str())
    };
    let is_lost = |written: &&Clause<Expression>| {
        let row = table::clause(&written.name.value, DirectiveKind::ParallelLoop);
        row.is_some_and(|row| {
            row.is_on(DirectiveKind::ParallelLoop) && !row.is_on(DirectiveKind::Loop)
        })
    };
    let clauses = &directive.clauses;
    let construct = clauses.first().filter(word);
    let name = construct.map_or("parallel", |clause| clause.name.value.as_str());
    let name = format!("{name} loop");
    let way = format!("write `#pragma acc {name}{}`", moved(unit, &name, clauses));
    match (directive.name.as_slice(), construct) {
        ([first], Some(second)) => {
            let message = format!("no directive is called `loop {}`", second.name.value);
            let span = first.span.to(second.span);
            let problem = Diagnostic::error(codes::UNKNOWN_DIRECTIVE, message, span);
            Some(problem.help(way).replacement(name))
        }
        _ => {
            let lost = clauses.iter().find(is_lost)?;
            let message = format!("`{}` is not allowed on `loop`", lost.name.value);
            let problem = Diagnostic::error(codes::CLAUSE_NOT_ALLOWED, message, lost.span);
            Some(problem.help(way))
        }
    }
}

/// Directives by their first words, the longest first.
const DIRECTIVES: &[(&str, &str)] = &[
    ("target enter data", "enter data"),
    ("target exit data", "exit data"),
    ("target update", "update"),
    ("target data", "data"),
    ("target teams", "parallel loop"),
    ("target parallel", "parallel loop"),
    ("target simd", "parallel loop"),
    ("target loop", "parallel loop"),
    ("target", "parallel"),
    ("teams", "parallel loop"),
    ("distribute", "loop gang"),
    ("for simd", "loop vector"),
    ("for", "loop"),
    ("do", "loop"),
    ("simd", "loop vector"),
    ("declare target", "routine seq"),
    ("begin declare target", "routine seq"),
    ("region for", "kernels loop"),
    ("region", "kernels"),
    ("compute", "kernels"),
    ("data region", "data"),
    ("taskwait", "wait"),
    ("sync", "wait"),
    ("synchronize", "wait"),
    ("task", "parallel async"),
];

/// What OpenACC has in place of a directive; by its first words.
const WAYS: &[(&str, &str)] = &[
    (
        "critical",
        "write `#pragma acc atomic` for an update of one variable, or a `reduction` clause",
    ),
    (
        "ordered",
        "write `seq` on the loop whose iterations have to follow each other",
    ),
    (
        "single",
        "put the statement into `#pragma acc serial`, or outside of the construct",
    ),
    (
        "master",
        "put the statement into `#pragma acc serial`, or outside of the construct",
    ),
    (
        "masked",
        "put the statement into `#pragma acc serial`, or outside of the construct",
    ),
    (
        "sections",
        "write a `parallel` construct with `async` for each section, and `#pragma acc wait` behind",
    ),
    (
        "section",
        "write a `parallel` construct with `async` for each section, and `#pragma acc wait` behind",
    ),
    (
        "barrier",
        "a construct ends when all its threads have: remove it; behind `async` write `#pragma acc wait`",
    ),
    (
        "threadprivate",
        "name the variable in `private` on the constructs that use it",
    ),
    (
        "flush",
        "constructs end with their memory written: remove it",
    ),
    (
        "unroll",
        "small loops are unrolled by the translator: remove it",
    ),
];

/// What the clauses of a directive that another model has are on the one that was meant, each behind
/// a blank; those that it does not have are left out.
pub fn moved(unit: &Unit, name: &str, clauses: &[Clause<Expression>]) -> String {
    let Some(row) = DIRECTIVES_OF_OPENACC.iter().find(|row| row.name == name) else {
        return String::new();
    };
    let with_arguments = clauses.iter().filter(|clause| clause.arguments.is_some());
    let texts = with_arguments.filter_map(|written| {
        let known = table::clause(&written.name.value, row.kind);
        match known {
            Some(known) => known
                .is_on(row.kind)
                .then(|| clauses::clause_text(unit, written)),
            None => {
                let meant = clause(unit, row.kind, written)?.clause?;
                Some(clauses::clause_text(unit, &meant))
            }
        }
    });
    texts.map(|text| format!(" {text}")).collect()
}

/// The way out for a directive that another model has, from its words; `clauses` gives what stands
/// behind the one that was meant.
pub fn directive(words: &[&str], clauses: &dyn Fn(&str) -> String) -> Option<String> {
    if is_end(words) {
        return Some(END.into());
    }
    renamed(words)
        .map(|name| format!("write `#pragma acc {name}{}`", clauses(name)))
        .or_else(|| {
            let found = WAYS.iter().find(|(name, _)| begins(words, name))?;
            Some(found.1.to_owned())
        })
}

/// Whether a directive ends a construct, as Fortran's do: `end data`, `endkernels`.
pub fn is_end(words: &[&str]) -> bool {
    let first = words.first().map(|word| word.to_ascii_lowercase());
    let behind = first.as_deref().and_then(|word| word.strip_prefix("end"));
    behind.is_some_and(|behind| {
        behind.is_empty() || DIRECTIVES_OF_OPENACC.iter().any(|row| row.name == behind)
    })
}

/// A clause that stands in place of a directive.
pub struct ClauseAlone {
    /// Where it belongs.
    pub directive: &'static str,
    /// As it is there.
    pub clause: Clause<Expression>,
}

/// `#pragma acc delete(a)`.
pub fn clause_alone(directive: &Directive<Expression>) -> Option<ClauseAlone> {
    let [word] = directive.name.as_slice() else {
        return None;
    };
    let on = match word.value.as_str() {
        "copyin" | "create" | "attach" => "enter data",
        "copyout" | "delete" | "detach" => "exit data",
        "copy" | "present" | "no_create" => "data",
        "use_device" => "host_data",
        "device" | "self" | "host" => "update",
        "device_num" => "set",
        _ => return None,
    };
    Some(ClauseAlone {
        directive: on,
        clause: Clause {
            name: word.clone(),
            arguments: Some(directive.arguments.clone()?),
            names_copies: false,
            span: directive.span,
        },
    })
}

/// What a directive of another model is called.
pub fn renamed(words: &[&str]) -> Option<&'static str> {
    let found = DIRECTIVES.iter().find(|(name, _)| begins(words, name));
    // Nothing says where a construct begins but its directive.
    let begun = || {
        let behind = words.get(1..).filter(|_| begins(words, "begin"))?;
        let rows = DIRECTIVES_OF_OPENACC
            .iter()
            .filter(|row| begins(behind, row.name));
        rows.map(|row| row.name).max_by_key(|name| name.len())
    };
    found.map(|(_, name)| *name).or_else(begun)
}

fn begins(words: &[&str], name: &str) -> bool {
    let mut rest = words.iter();
    name.split(' ').all(|part| {
        rest.next()
            .is_some_and(|word| word.eq_ignore_ascii_case(part))
    })
}

/// What names of operations mean in a `reduction`.
const OPERATORS: &[(&str, &str)] = &[
    ("sum", "+"),
    ("add", "+"),
    ("plus", "+"),
    ("prod", "*"),
    ("product", "*"),
    ("mul", "*"),
    ("mult", "*"),
    ("times", "*"),
    ("and", "&&"),
    ("or", "||"),
    ("iand", "&"),
    ("ior", "|"),
    ("ieor", "^"),
    ("xor", "^"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("fmax", "max"),
    ("fmin", "min"),
    ("maxval", "max"),
    ("minval", "min"),
    ("max", "max"),
    ("min", "min"),
];

/// The operator that a word stands for.
pub fn operator(word: &str) -> Option<&'static str> {
    let lower = word.to_ascii_lowercase();
    let found = OPERATORS.iter().find(|(name, _)| *name == lower)?;
    Some(found.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_of_other_models() {
        for (words, help) in [
            (
                "target teams distribute parallel for",
                "`#pragma acc parallel loop`",
            ),
            ("target enter data", "`#pragma acc enter data`"),
            ("end parallel loop", "remove this line"),
            ("critical", "`#pragma acc atomic`"),
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            let found = directive(&words, &|_| String::new()).unwrap_or_default();
            assert!(found.contains(help), "{words:?}: {found}");
        }
        assert!(directive(&["paralel"], &|_| String::new()).is_none());
    }

    #[test]
    fn what_is_suggested_exists() {
        for (_, instead) in CLAUSES {
            if let Named(name) | Bare(name) = instead {
                let mut rows = table::CLAUSES.iter();
                assert!(rows.any(|row| row.spellings.contains(name)), "{name}");
            }
        }
        for (word, _) in CLAUSES {
            let mut rows = table::CLAUSES.iter();
            assert!(!rows.any(|row| row.spellings.contains(word)), "{word}");
        }
        for (_, name) in DIRECTIVES {
            let mut rows = table::DIRECTIVES.iter();
            assert!(rows.any(|row| name.starts_with(row.name)), "{name}");
        }
    }
}

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

mod words;

use super::allowed;
use super::clauses;
use super::device_types;
use super::table::{self, DIRECTIVES as DIRECTIVES_OF_OPENACC, DirectiveKind};
use crate::analysis::directives;
use crate::ast::{ArgumentValue, Arguments, Clause, Directive};
use crate::diagnostic::words::Near;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Spanned;
use crate::typed::{Expression, Unit, constant, library};
use words::Instead::{Bare, Clause as Named, Later, Nothing, Other};
use words::{CLAUSES, DIRECTIVES, WAYS};
pub use words::{END, WAIT};

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

    /// It alone does not do what was meant, so that nothing is replaced.
    fn guessed(self, besides: &str) -> Self {
        Self {
            help: self.help + besides,
            replacement: None,
            clause: self.clause,
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
    if let Some(meant) = of_directive(unit, on, &name, written) {
        return Some(meant);
    }
    if name == "all" && on != DirectiveKind::Wait {
        return None;
    }
    if name == "shared" && has_scalar(unit, written) {
        return Some(Meant::other(
            "an array is shared without a clause, and a scalar is `firstprivate`: name it in `copy` or \
             `reduction` if iterations assign it, and remove `shared`",
        ));
    }
    if ["to", "from", "gpu", "cpu"].contains(&&*name) && on != DirectiveKind::Update {
        return Some(map_kind(unit, on, written));
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
        Bare(spelling) | Later(spelling) => renamed(spelling, None),
        Nothing(why) => {
            let help = format!("remove `{}`: {why}", written.name.value);
            return Some(Meant::nothing(help));
        }
        Other(help) => return Some(Meant::other(*help)),
    };
    let row = table::clause(&meant.name.value, on);
    match row.is_some_and(|row| row.is_on(on)) {
        true => allowed::takes(on, &meant).then(|| match instead {
            Later(_) => Meant::clause(unit, meant).guessed(WAIT),
            _ => Meant::clause(unit, meant),
        }),
        false => Some(Meant::none_such(on)),
    }
}

/// What is meant by a clause on one directive, and by no other.
fn of_directive(
    unit: &Unit,
    on: DirectiveKind,
    name: &str,
    written: &Clause<Expression>,
) -> Option<Meant> {
    let called = |spelling: &str| Clause {
        name: Spanned {
            value: spelling.to_owned(),
            span: written.name.span,
        },
        ..written.clone()
    };
    match (on, name) {
        // What the directive waits for stands behind its name.
        (DirectiveKind::Wait, "queue" | "queues" | "stream") if written.arguments.is_some() => {
            let wait = clauses::clause_text(unit, &called("wait"));
            Some(Meant::other(format!("write `#pragma acc {wait}`")))
        }
        (DirectiveKind::Wait, "queue" | "queues" | "stream") => Some(Meant::nothing(format!(
            "remove `{name}`: `wait` alone waits for all queues"
        ))),
        (DirectiveKind::Routine, "thread" | "threads") if written.arguments.is_none() => {
            Some(Meant::clause(unit, called("seq")))
        }
        (DirectiveKind::Atomic, "compare") => Some(Meant::other(library::NO_ATOMIC_EXTREME)),
        _ => None,
    }
}

/// Whether a word says how a variable is updated.
fn is_update(word: &str) -> bool {
    operator(word).is_some() || ["sub", "subtract", "minus", "inc", "dec"].contains(&word)
}

/// Whether a list names a scalar.
fn has_scalar(unit: &Unit, written: &Clause<Expression>) -> bool {
    let items = written.arguments.iter().flat_map(|list| &list.items);
    let mut symbols = items.filter_map(directives::named);
    symbols.any(|symbol| unit.types.is_arithmetic(unit.symbol(symbol).ty.ty))
}

/// `to(a[0:n])` where a direction of `update` has no place.
fn map_kind(unit: &Unit, on: DirectiveKind, written: &Clause<Expression>) -> Meant {
    let spelling = match &*written.name.value.to_ascii_lowercase() {
        "to" | "gpu" => "copyin",
        _ => "copyout",
    };
    let clause = Clause {
        name: Spanned {
            value: spelling.to_owned(),
            span: written.name.span,
        },
        ..written.clone()
    };
    match allowed::takes(on, &clause) {
        true => Meant::clause(unit, clause).guessed(""),
        false => Meant::other(format!("`{}` takes no such clause: remove it", on.name())),
    }
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
        (DirectiveKind::Update, "copyin") => return alone(named("device")),
        (DirectiveKind::Update, "copyout") => return alone(named("self")),
        (DirectiveKind::Update, "copy" | "create" | "present") => format!(
            "write `{}` to the device, or `{}` from it",
            named("device"),
            named("self")
        ),
        (DirectiveKind::Parallel | DirectiveKind::Kernels | DirectiveKind::Serial, _)
            if table::clause(&written.name.value, DirectiveKind::Loop)
                .is_some_and(|row| row.is_on(DirectiveKind::Loop)) =>
        {
            let (on, clause) = (on.name(), clauses::clause_text(unit, written));
            format!(
                "it is a loop's: write `#pragma acc {on} loop {clause}` before a loop, or \
                 `#pragma acc loop {clause}` before one in the construct"
            )
        }
        (DirectiveKind::ExitData, "copyin" | "create") => format!(
            "write `{}` to copy it to the host, `{}` to drop it",
            named("copyout"),
            named("delete")
        ),
        (DirectiveKind::Set | DirectiveKind::Init | DirectiveKind::Shutdown, "device") => {
            let arguments = written.arguments.as_ref();
            return alone(match arguments.is_some_and(device_types::are_named) {
                true => named("device_type"),
                false => named("device_num"),
            });
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

/// What the clauses of a directive that another model has are on the one that was meant, each behind
/// a blank; those that it does not have are left out.
pub fn moved(unit: &Unit, name: &str, clauses: &[Clause<Expression>]) -> String {
    let rows = DIRECTIVES_OF_OPENACC.iter().filter(|row| {
        name.split(' ')
            .zip(row.name.split(' '))
            .all(|(a, b)| a == b)
    });
    let rows = rows.filter(|row| row.name.len() <= name.len());
    let Some(row) = rows.max_by_key(|row| row.name.len()) else {
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
pub fn directive(words: &[&str], place: Place, clauses: &dyn Fn(&str) -> String) -> Option<String> {
    if is_end(words) {
        return Some(END.into());
    }
    let besides = |name: &str| match name {
        _ if name.ends_with(" async") => WAIT,
        "parallel loop" if runs_in_order(words, place) => IN_ORDER,
        _ => "",
    };
    renamed(words, place)
        .map(|name| {
            format!(
                "write `#pragma acc {name}{}`{}",
                clauses(name),
                besides(name)
            )
        })
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

/// What serves where iterations depend on each other.
pub const IN_ORDER: &str = ", or with `serial` if the iterations have to follow each other";

/// Whether what stands before a loop has one thread run it.
pub fn runs_in_order(words: &[&str], place: Place) -> bool {
    let is_alone = renamed(words, Place::OnHost) == Some("parallel");
    is_alone && place == Place::BeforeLoop
}

/// Where a directive stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a compute construct, or where one may be around the call.
    InConstruct,
    /// In code of the host.
    OnHost,
    /// There, before a loop.
    BeforeLoop,
}

/// Whether the name that a directive has in OpenACC does not do all that was meant: a task ends where
/// something waits for it, and all gangs run what one thread does in `target`.
pub fn is_guess(words: &[&str]) -> bool {
    matches!(words, ["target"]) || begins(words, "task")
}

/// What a directive of another model is called.
pub fn renamed(words: &[&str], place: Place) -> Option<&'static str> {
    let found = DIRECTIVES.iter().find(|(name, _)| begins(words, name));
    let found = found.map(|(_, name)| match (*name, place) {
        (name, Place::InConstruct) => name,
        // One thread of `target` runs the loop, and each gang of `parallel` would run all of it.
        ("parallel", Place::BeforeLoop) => "parallel loop",
        ("loop", _) => "parallel loop",
        ("loop gang", _) => "parallel loop gang",
        ("loop vector", _) => "parallel loop vector",
        (name, _) => name,
    });
    // Nothing says where a construct begins but its directive.
    let begun = || {
        let behind = words.get(1..).filter(|_| begins(words, "begin"))?;
        let rows = DIRECTIVES_OF_OPENACC
            .iter()
            .filter(|row| begins(behind, row.name));
        rows.map(|row| row.name).max_by_key(|name| name.len())
    };
    found.or_else(begun)
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

/// The operator that a word stands for, be it misspelt.
pub fn operator_near(word: &str) -> Option<&'static str> {
    operator(word).or_else(|| {
        let names = OPERATORS.iter().map(|(name, _)| *name);
        operator(Near::words(word, names).nearest()?)
    })
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
            ("for simd", "`#pragma acc parallel loop vector`"),
            (
                "task",
                "`#pragma acc parallel async`, and `#pragma acc wait`",
            ),
            ("vector", "`vector` is a clause"),
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            let found = directive(&words, Place::OnHost, &|_| String::new()).unwrap_or_default();
            assert!(found.contains(help), "{words:?}: {found}");
        }
        for (place, help) in [
            (Place::OnHost, "write `#pragma acc parallel`"),
            (
                Place::BeforeLoop,
                "write `#pragma acc parallel loop`, or with `serial`",
            ),
        ] {
            let found = directive(&["target"], place, &|_| String::new()).unwrap_or_default();
            assert!(found.starts_with(help), "{found}");
        }
        let unknown = directive(&["paralel"], Place::OnHost, &|_| String::new());
        assert!(unknown.is_none());
    }

    #[test]
    fn what_is_suggested_exists() {
        for (_, instead) in CLAUSES {
            if let Named(name) | Bare(name) | Later(name) = instead {
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

//! Kernels: logical threads, and the device's copies of variables.

use std::collections::BTreeSet;

use super::Problems;
use super::accesses::Summaries;
use super::caching::Caches;
use super::code::Code;
use super::exchange::Exchanges;
use super::shares;
use crate::diagnostic::codes;
use crate::front::cuda::{Edits, Fun, Function, Tokens};

/// What a thread has to do with its block or warp.
const OF_BLOCK: &str = include_str!("../../../templates/cuda_block_words.txt");

/// CUDA's own indices.
pub(super) const PHYSICAL: [&str; 5] = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];

/// The names of logical threads.
pub(super) const LOGICAL: [&str; 4] = ["lThread", "lGrid", "lThreadIdx", "lGridDim"];

/// What a kernel of logical threads begins with.
const BEGINNING: [&str; 3] = [
    "const auto lThread = lGrid.thread();",
    "if (!lThread.exists)",
    "    return;",
];

/// What is known of logical threads.
#[derive(Debug, Default)]
pub struct Logical {
    /// The functions that use logical indices, in calls as well, or are launched on logical grids.
    pub functions: BTreeSet<usize>,
}

impl Logical {
    /// Of all functions; their dimensions are checked at each launch.
    pub fn new(code: &Code<'_>, problems: &mut Problems) -> Self {
        let mut own = Self::default();
        for (number, fun) in code.functions.iter().enumerate() {
            let tokens = code.tokens(fun);
            if fun.body().any(|at| uses_logical(code, tokens, at)) {
                own.functions.insert(number);
            }
        }
        own.add_launched(code, problems);
        while own.add_callers(code) {}
        for number in &own.functions {
            check(code, &code.functions[*number], problems);
        }
        own
    }

    /// Kernels that are launched on logical grids; errors of launches.
    fn add_launched(&mut self, code: &Code<'_>, problems: &mut Problems) {
        let tokens = code.files[0].tokens();
        let mut plain = Vec::new();
        for at in 0..tokens.list.len() {
            let Some(launch) = tokens.logical_launch(at).or_else(|| tokens.launch(at)) else {
                continue;
            };
            let name = tokens.at(launch.kernel);
            let place = tokens.range(launch.kernel, launch.open - 1);
            let mut kernels = code.named(name).filter(|(_, fun)| fun.is_kernel);
            match (kernels.next(), launch.is_logical) {
                (Some((number, fun)), true) => {
                    self.functions.insert(number);
                    let dimensions = tokens.parts(launch.first..launch.close).len();
                    dimensions_of(code, fun, &mut BTreeSet::new()).into_iter().filter(|own| *own > dimensions).take(1).for_each(|own| {
                        let message = format!("`{}` has an index of dimension {}, and its grid {dimensions}", fun.name, own - 1);
                        let help = "dimensions are counted from 0: write an extent for each between `<[<` and `>]>`";
                        problems.error(codes::MESI_GRID, message, place.clone(), help);
                    });
                }
                (None, true) => {
                    let name = tokens.word(launch.kernel);
                    let message = format!("`{name}` is no kernel of these files");
                    let help = "launch a function that is defined with `__global__`";
                    problems.error(codes::MESI_GRID, message, place, help);
                }
                (Some((number, _)), false) => plain.push((number, place)),
                (None, false) => {}
            }
        }
        for (number, place) in plain {
            let fun = &code.functions[number];
            let uses = dimensions_of(code, fun, &mut BTreeSet::new()).is_some();
            if uses || self.functions.contains(&number) {
                let message = format!("`{}` is a kernel of logical threads", fun.name);
                let help = "launch it with the extents of its grid between `<[<` and `>]>`";
                problems.error(codes::MESI_GRID, message, place, help);
            }
        }
    }

    fn add_callers(&mut self, code: &Code<'_>) -> bool {
        let before = self.functions.len();
        for (number, fun) in code
            .functions
            .iter()
            .enumerate()
            .filter(|(_, fun)| fun.is_device)
        {
            let tokens = code.tokens(fun);
            let calls = fun.body().any(|at| {
                tokens.call(at).is_some()
                    && code
                        .named(tokens.at(at))
                        .any(|(callee, one)| !one.is_kernel && self.functions.contains(&callee))
            });
            if calls {
                self.functions.insert(number);
            }
        }
        self.functions.len() > before
    }
}

/// Whether a name of logical threads stands there.
pub fn is_logical(tokens: Tokens<'_>, at: usize) -> bool {
    let is_member = tokens.is_member(at);
    !is_member && LOGICAL.contains(&tokens.word(at).as_str())
}

/// How deep macros are followed.
const DEPTH: usize = 16;

/// Whether a name of logical threads stands there, or a macro that has one.
pub fn uses_logical(code: &Code<'_>, tokens: Tokens<'_>, at: usize) -> bool {
    is_logical(tokens, at)
        || tokens.is_name(at) && dimension_in(code, &tokens.word(at), DEPTH).is_some()
}

/// How many dimensions a macro has indices of; none if it has no indices.
fn dimension_in(code: &Code<'_>, name: &str, depth: usize) -> Option<usize> {
    let depth = depth.checked_sub(1)?;
    let bodies = code.program.macros.get(name)?.iter().map(|one| &one.body);
    let of = |body: &Vec<String>| {
        let own = (0..body.len()).filter(|at| LOGICAL.contains(&body[*at].as_str()));
        let own = own.map(|at| match body.get(at + 2).map(String::as_str) {
            Some("y") => 2,
            Some("z") => 3,
            Some("Idx" | "dim") => {
                let index = body.get(at + 4).and_then(|index| index.parse().ok());
                index.map_or(1, |index: usize| index + 1)
            }
            _ => 1,
        });
        let inner = body.iter().filter(|word| *word != name);
        own.chain(inner.filter_map(|word| dimension_in(code, word, depth)))
            .max()
    };
    bodies.filter_map(of).max()
}

/// How many dimensions a function has indices of, in calls as well; none if it has no indices.
fn dimensions_of(code: &Code<'_>, fun: &Fun, seen: &mut BTreeSet<String>) -> Option<usize> {
    let tokens = code.tokens(fun);
    let mut most = None;
    if !seen.insert(fun.name.clone()) {
        return None;
    }
    for at in fun.body() {
        if is_logical(tokens, at) {
            most = most.max(Some(
                index_of(tokens, at).flatten().map_or(1, |index| index + 1),
            ));
        } else if tokens.is_name(at) {
            most = most.max(dimension_in(code, &tokens.word(at), DEPTH));
        }
        if tokens.call(at).is_some() {
            for (_, callee) in code.named(tokens.at(at)) {
                most = most.max(dimensions_of(code, callee, seen));
            }
        }
    }
    most
}

/// The dimension that a name of logical threads is followed by, if that is a number; `None` where
/// it has no such member.
fn index_of(tokens: Tokens<'_>, at: usize) -> Option<Option<usize>> {
    let member = (tokens.at(at + 1) == b".").then(|| tokens.at(at + 2))?;
    match (tokens.at(at), member) {
        (b"lThreadIdx" | b"lGridDim", b"x") => Some(Some(0)),
        (b"lThreadIdx" | b"lGridDim", b"y") => Some(Some(1)),
        (b"lThreadIdx" | b"lGridDim", b"z") => Some(Some(2)),
        (b"lThread", b"Idx") | (b"lGrid", b"dim") if tokens.at(at + 3) == b"[" => {
            let is_number = tokens.at(at + 5) == b"]";
            Some(
                is_number
                    .then(|| tokens.word(at + 4).parse().ok())
                    .flatten(),
            )
        }
        _ => None,
    }
}

/// What stands for `lThreadIdx.x` and its like, and the token behind it.
pub fn member_of(tokens: Tokens<'_>, at: usize) -> Option<(String, usize)> {
    let index = index_of(tokens, at).flatten()?;
    match tokens.at(at) {
        b"lThreadIdx" => Some((format!("lThread.Idx[{index}]"), at + 3)),
        b"lGridDim" => Some((format!("lGrid.dim[{index}]"), at + 3)),
        _ => None,
    }
}

/// What a function of logical threads may not have.
fn check(code: &Code<'_>, fun: &Fun, problems: &mut Problems) {
    let tokens = code.tokens(fun);
    let mut error = |at: usize, message: String, help: &str| match fun.file {
        0 => problems.error(codes::MESI_GRID, message, tokens.range(at, at), help),
        _ => problems.elsewhere(codes::MESI_GRID, message, help),
    };
    if fun.file != 0 {
        let message = format!(
            "`{}`, a function of logical threads, is in an included file",
            fun.name
        );
        return error(
            fun.function.name,
            message,
            "write it in the file that is compiled",
        );
    }
    let head = fun.function.first..fun.function.name;
    if let Some(at) = head
        .clone()
        .find(|at| matches!(tokens.at(*at), b"template" | b"extern"))
    {
        let message = format!(
            "`{}` is a function of logical threads with `{}`",
            fun.name,
            tokens.word(at)
        );
        return error(at, message, "write a plain function");
    }
    if !fun.is_device {
        let at = fun.body().find(|at| is_logical(tokens, *at));
        if let Some(at) = at {
            let message = format!("`{}` is used by host code", tokens.word(at));
            error(
                at,
                message,
                "logical threads run kernels and what these call",
            );
        }
        return;
    }
    for at in fun.body() {
        let word = tokens.word(at);
        let is_member = tokens.is_member(at);
        let is_listed = OF_BLOCK.split_whitespace().any(|own| own == word);
        if !is_member && (PHYSICAL.contains(&word.as_str()) || is_listed) {
            let message =
                format!("`{word}` in a function of logical threads, whose blocks are not known");
            return error(
                at,
                message,
                "use `lThreadIdx`, or launch the kernel with its blocks between three `<` and `>`",
            );
        }
        if is_logical(tokens, at) && index_of(tokens, at).is_none() {
            let message = match tokens.at(at + 1) {
                b"." => format!("`{word}` has no member `{}`", tokens.word(at + 2)),
                _ => format!("`{word}` stands alone"),
            };
            return error(
                at,
                message,
                "write `lThread.Idx[i]`, `lGrid.dim[i]`, or `lThreadIdx.x` and `lGridDim.x` to `z`",
            );
        }
    }
}

/// Edits macros with logical indices: these have the names that kernels have.
fn edit_macros(code: &Code<'_>, edits: &mut Edits, problems: &mut Problems) {
    for (number, file) in code.files.iter().enumerate() {
        for list in file.defined() {
            let tokens = Tokens::new(file.text(), &list);
            let is_own = |at: &usize| {
                matches!(tokens.at(*at), b"lThreadIdx" | b"lGridDim") && !tokens.is_member(*at)
            };
            let name = tokens.word(1);
            for at in (2..list.len()).filter(is_own) {
                let help = "write `lThreadIdx.x` and its like out where the macro stands";
                let message = format!("the macro `{name}` has `{}`", tokens.word(at));
                match member_of(tokens, at) {
                    Some((with, next)) if number == 0 => {
                        edits.replace(tokens.range(at, next - 1), &with);
                    }
                    None if number == 0 => {
                        let message = format!("{message} without `.x`, `.y` or `.z`");
                        problems.error(codes::MESI_GRID, message, tokens.range(at, at), help);
                    }
                    _ => {
                        let message = format!("{message}, and is in an included file");
                        problems.elsewhere(codes::MESI_GRID, message, help);
                    }
                }
            }
        }
    }
}

/// Edits the functions that run on the device.
pub fn edit(
    code: &Code<'_>,
    summaries: &Summaries,
    logical: &Logical,
    (exchanges, caches): (&Exchanges, &Caches),
    edits: &mut Edits,
    problems: &mut Problems,
) {
    edit_macros(code, edits, problems);
    for (number, fun) in code.functions.iter().enumerate() {
        let is_logical_one = logical.functions.contains(&number);
        if !fun.is_device || fun.file != 0 {
            let names = summaries
                .variables
                .get(number)
                .is_some_and(|own| !own.is_empty());
            if names && fun.is_device {
                let message = format!(
                    "`{}`, which is in an included file, uses a virtual shared variable",
                    fun.name
                );
                problems.elsewhere(
                    codes::MESI_VARIABLE,
                    message,
                    "write it in the file that is compiled",
                );
            }
            continue;
        }
        let tokens = code.tokens(fun);
        head(
            code,
            summaries,
            &fun.function,
            is_logical_one,
            fun.is_kernel,
            edits,
        );
        if is_logical_one && fun.is_kernel {
            let body = fun.body();
            let open = tokens.range(body.start - 1, body.start - 1).end;
            let (exchange, cache) = (exchanges.get(&number), caches.get(&number));
            let lines = match (exchange, cache) {
                (Some(exchange), _) => exchange.lines(),
                (None, Some(cache)) => cache.lines(code),
                (None, None) => BEGINNING.map(str::to_owned).into(),
            };
            edits.append_lines(open, &lines, "    ");
            if let Some(exchange) = exchange {
                exchange.edit(code, fun, edits);
            }
            if let Some(cache) = cache {
                cache.edit(code, fun, edits);
            }
        }
        shares::edit(code, summaries, fun, edits, problems);
        for at in fun.body() {
            let is_member = tokens.is_member(at);
            if is_member {
                continue;
            }
            if let Some((with, next)) = member_of(tokens, at) {
                edits.replace(tokens.range(at, next - 1), &with);
            }
            let Some(open) = tokens
                .call(at)
                .filter(|_| code.named(tokens.at(at)).any(|(_, one)| !one.is_kernel))
            else {
                continue;
            };
            let mut callees = code.named(tokens.at(at));
            let mut given = Vec::new();
            if callees.any(|(callee, _)| logical.functions.contains(&callee)) {
                given.extend(["lGrid".to_owned(), "lThread".to_owned()]);
            }
            given.extend(shares::passed(code, summaries, tokens.at(at)));
            give(tokens, open, &given, edits);
        }
    }
    let tokens = code.files[0].tokens();
    for declaration in &code.declarations {
        let all = code.named(tokens.at(declaration.name));
        if let Some((number, fun)) = all.into_iter().find(|(_, fun)| fun.is_device) {
            let is_logical_one = logical.functions.contains(&number);
            head(
                code,
                summaries,
                declaration,
                is_logical_one,
                fun.is_kernel,
                edits,
            );
        }
    }
}

/// Puts arguments before those of a call whose `(` stands there.
pub fn give(tokens: Tokens<'_>, open: usize, given: &[String], edits: &mut Edits) {
    let more = if tokens.at(open + 1) == b")" {
        ""
    } else {
        ", "
    };
    if !given.is_empty() {
        let given = given.join(", ");
        edits.insert(tokens.range(open, open).end, &format!("{given}{more}"));
    }
}

/// A function of logical threads gets the grid, one that is called the thread as well; then come
/// the variables that it names.
fn head(
    code: &Code<'_>,
    summaries: &Summaries,
    function: &Function,
    is_logical: bool,
    is_kernel: bool,
    edits: &mut Edits,
) {
    let tokens = code.files[0].tokens();
    let (types, own) = match is_kernel {
        true => ("class Grid", "const Grid lGrid"),
        false => (
            "class Grid, class Thread",
            "const Grid &lGrid, const Thread &lThread",
        ),
    };
    let mut all = Vec::new();
    if is_logical {
        all.push(own.to_owned());
        let first = tokens.range(function.first, function.first).start;
        edits.insert(first, &format!("template <{types}> "));
    }
    all.extend(shares::parameters(
        code,
        summaries,
        tokens.at(function.name),
    ));
    let is_void = function.parameters.len() == 1 && tokens.at(function.parameters.start) == b"void";
    if is_void && !all.is_empty() {
        let place = tokens.range(function.parameters.start, function.parameters.start);
        edits.replace(place, &all.join(", "));
    } else {
        give(tokens, function.parameters.start - 1, &all, edits);
    }
}

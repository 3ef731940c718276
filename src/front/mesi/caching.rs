//! Explicit caching: what threads along both dimensions of a block use together goes through shared
//! memory (sections 2.3.2 and 4.3.3, figure 5).
//!
//! ```text
//! for (int k = 0; k < n; k++)     for (int k_first = 0, k_count; k_first < n; k_first += k_count) {
//!     sum += a[i][k] * b[k][j];       … a_tile[…][slot] = a[i][k_first + slot]; …
//!                                     for (int k = k_first; k < k_first + k_count; k++)
//!                                         sum += a_tile[…][k - k_first] * b_tile[k - k_first][…];
//! ```
//!
//! Threads that do not exist bring elements as well. It is proved that all threads reach the loop and
//! run it equally often; that each iteration reads the element, whatever its values are; and that the
//! loop writes no array that it caches.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::accesses::Summaries;
use super::code::Code;
use super::exchange::{self, Exchanges};
use super::kernels::{self, Logical};
use super::mapping::{self, Choice};
use super::normal_form::{Form, Scope, Target};
use super::split;
use crate::front::cuda::{Edits, Fun, Kind, Launch, Statement, Tokens, declared, indent};

/// The most arrays that a loop caches, each 32 x 32 elements.
const MOST: usize = 4;

/// Words that leave a statement, or hide what it does.
const LEAVING: [&[u8]; 12] = [
    b"break",
    b"continue",
    b"return",
    b"goto",
    b"asm",
    b"throw",
    b"static",
    b"?",
    b"&&",
    b"||",
    b"->",
    b"#",
];

/// A loop whose arrays are cached.
#[derive(Clone, Debug)]
pub struct Cache {
    /// The statement, and its header from `for` to `)`.
    statement: Range<usize>,
    header: Range<usize>,
    /// Its variable and that one's type.
    name: String,
    types: String,
    /// It is declared before the loop.
    is_outside: bool,
    /// The first value, and what the last is compared with.
    first: String,
    last: String,
    /// The statements before it that threads have to exist for.
    guarded: Vec<usize>,
    tiles: Vec<Tile>,
}

/// The elements of an array that a block uses in 32 iterations.
#[derive(Clone, Debug)]
struct Tile {
    array: String,
    types: String,
    /// The dimension whose index the subscripts have.
    dimension: usize,
    /// It lies along x: elements of one iteration are side by side.
    is_along_x: bool,
    /// The subscripts, in words.
    subscripts: Vec<Vec<String>>,
    /// Where it is used.
    uses: Vec<Range<usize>>,
}

/// The cached loops of kernels, by the numbers of these.
pub type Caches = BTreeMap<usize, Cache>;

/// All that are proved, of kernels whose launches all have blocks with rows that share elements.
pub fn all(
    code: &Code<'_>,
    summaries: &Summaries,
    logical: &Logical,
    exchanges: &Exchanges,
) -> Caches {
    let tokens = code.files[0].tokens();
    let launches: Vec<Launch> = (0..tokens.list.len())
        .filter_map(|at| tokens.logical_launch(at))
        .collect();
    let mut caches = Caches::new();
    for number in &logical.functions {
        let kernel = &code.functions[*number];
        let is_own = |launch: &&Launch| tokens.at(launch.kernel) == kernel.name.as_bytes();
        let own: Vec<&Launch> = launches.iter().filter(is_own).collect();
        let is_one = code.named(kernel.name.as_bytes()).count() == 1 && kernel.file == 0;
        let is_other = exchanges.contains_key(number) || code.has_branches(kernel);
        if !kernel.is_kernel || !is_one || own.is_empty() || is_other {
            continue;
        }
        let along_x = |launch: &&Launch| match mapping::decide(code, launch, kernel, None).1 {
            Choice::Known { x, shared, .. } => shared.then_some(x),
            Choice::Open { .. } => None,
        };
        let is_plane = |launch: &&Launch| tokens.parts(launch.first..launch.close).len() == 2;
        let x = own[0..1].iter().find_map(along_x);
        let Some(x) = x.filter(|_| {
            own.iter()
                .all(|one| is_plane(one) && along_x(one).is_some())
        }) else {
            continue;
        };
        let finder = Finder {
            code,
            summaries,
            kernel,
            tokens,
            x,
        };
        let are_apart = || own.iter().all(|one| exchange::are_apart(code, kernel, one));
        if let Some((cache, writes)) = finder.find()
            && (!writes || are_apart())
        {
            caches.insert(*number, cache);
        }
    }
    caches
}

struct Finder<'f, 'a> {
    code: &'f Code<'a>,
    summaries: &'f Summaries,
    kernel: &'f Fun,
    tokens: Tokens<'f>,
    /// The dimension along x.
    x: usize,
}

impl Finder<'_, '_> {
    /// The cached loop, and whether arrays are written in it or before it.
    fn find(&self) -> Option<(Cache, bool)> {
        let tokens = self.tokens;
        let is_loop = |one: &Statement| matches!(one.kind, Kind::Loop { .. });
        let at = self.kernel.statements.iter().position(is_loop)?;
        let (before, found) = (&self.kernel.statements[..at], &self.kernel.statements[at]);
        let mut guarded = Vec::new();
        for statement in before {
            if self.is_memory_set(statement) {
                guarded.push(statement.tokens.start);
            } else if !self.is_quiet(statement) {
                return None;
            }
        }
        let Kind::Loop { once, again, body } = &found.kind else {
            return None;
        };
        if tokens.at(found.tokens.start) != b"for" {
            return None;
        }
        // `for (T k = first; k < last; k++)`
        let equals = once.clone().find(|at| tokens.at(*at) == b"=")?;
        let name = tokens.word(equals - 1);
        let inside = declared(tokens, once.clone());
        let mut outside = self.kernel.locals.iter().filter(|one| one.name == name);
        let local = match &inside[..] {
            [one] => one.clone(),
            [] if once.start + 1 == equals => outside.next()?.clone(),
            _ => return None,
        };
        let words = |range: Range<usize>| range.map(|at| tokens.word(at)).collect::<Vec<_>>();
        let ends = |at: &usize| tokens.at(*at) == b";";
        let steps = (again.start + 1..again.end).find(ends)?;
        let step = words(steps + 1..again.end);
        let is_step = step == [name.clone(), "++".into()] || step == ["++".into(), name.clone()];
        let first = words(equals + 1..once.end);
        let is_number = matches!(&first[..], [one] if one.bytes().all(|b| b.is_ascii_digit()));
        let is_integer =
            |word: &String| ["int", "long", "unsigned", "short", "size_t"].contains(&word.as_str());
        let is_counted = tokens.word(again.start + 1) == name
            && tokens.at(again.start + 2) == b"<"
            && is_step
            && is_number
            && local.rank == 0
            && local.types.iter().all(is_integer)
            && self.is_uniform(&self.words(again.start + 3..steps, None));
        let behind = found.tokens.end..self.kernel.body().end;
        let is_outside = inside.is_empty();
        let is_used = is_outside && behind.into_iter().any(|at| tokens.word(at) == name);
        if !is_counted || is_used {
            return None;
        }
        let mut cache = Cache {
            statement: found.tokens.clone(),
            header: found.tokens.start..again.end + 1,
            name,
            types: local.types.join(" "),
            is_outside,
            first: first.concat(),
            last: mapping::enclosed(&self.text(again.start + 3..steps, None)),
            guarded,
            tiles: Vec::new(),
        };
        let statements = match &body.kind {
            Kind::Simple(_) => std::slice::from_ref(&**body),
            Kind::Block(list) => &list[..],
            _ => return None,
        };
        let mut written = BTreeSet::new();
        for statement in statements {
            self.add_written(statement, &cache.name, &mut written)?;
        }
        self.add_tiles(body.tokens.clone(), &written, &mut cache);
        let has = |dimension: usize| cache.tiles.iter().any(|tile| tile.dimension == dimension);
        let is_good = has(0) && has(1) && cache.tiles.len() <= MOST;
        let writes = !written.is_empty() || !cache.guarded.is_empty();
        is_good.then_some((cache, writes))
    }

    /// Whether a statement only sets an element of an array.
    fn is_memory_set(&self, statement: &Statement) -> bool {
        let tokens = self.tokens;
        let own = statement.tokens.clone();
        let changes = |at: &usize| exchange::changes(tokens.at(*at)) || is_step(tokens.at(*at));
        let sets = own.clone().filter(|at| tokens.at(*at) == b"=").count();
        matches!(&statement.kind, Kind::Simple(lambdas) if lambdas.is_empty())
            && mapping::array(self.code, self.kernel, &tokens.word(own.start)).is_some()
            && tokens.at(own.start + 1) == b"["
            && sets == 1
            && !own.clone().any(|at| changes(&at))
            && own
                .clone()
                .all(|at| exchange::is_harmless(self.code, tokens, at))
    }

    /// Whether a statement sets local variables, and accesses no memory.
    fn is_quiet(&self, statement: &Statement) -> bool {
        let tokens = self.tokens;
        let own = statement.tokens.clone();
        let is_own = |at: usize| {
            let word = tokens.at(at);
            let is_value = |b: usize| tokens.ends_operand(b);
            let reads = word == b"["
                && mapping::array(self.code, self.kernel, &tokens.word(at - 1)).is_some();
            let points =
                (word == b"*" || word == b"&") && !is_value(at - 1) && !is_type(tokens, at - 1);
            let sets_member = word == b"=" && tokens.at(at - 1) == b"]";
            !reads
                && !points
                && !sets_member
                && !LEAVING.contains(&word)
                && exchange::is_harmless(self.code, tokens, at)
        };
        matches!(&statement.kind, Kind::Simple(lambdas) if lambdas.is_empty())
            && own.into_iter().all(is_own)
    }

    /// Adds the arrays that a statement of the loop writes; nothing if it may do more.
    fn add_written(
        &self,
        statement: &Statement,
        variable: &str,
        written: &mut BTreeSet<String>,
    ) -> Option<()> {
        let tokens = self.tokens;
        let is_simple = matches!(&statement.kind, Kind::Simple(lambdas) if lambdas.is_empty());
        if !is_simple {
            return None;
        }
        for at in statement.tokens.clone() {
            let word = tokens.at(at);
            let is_changed = word == b"=" || exchange::changes(word) || is_step(word);
            let points = matches!(word, b"*" | b"&") && !tokens.ends_operand(at - 1);
            if points && !is_type(tokens, at - 1) || LEAVING.contains(&word) {
                return None;
            }
            if !is_changed {
                let is_open = || self.is_open(&tokens.word(at), 8);
                if !exchange::is_harmless(self.code, tokens, at) && !is_open() {
                    return None;
                }
                continue;
            }
            let is_prefix = is_step(word) && !tokens.ends_operand(at - 1);
            let mut target = if is_prefix { at + 1 } else { at - 1 };
            while !is_prefix && tokens.at(target) == b"]" {
                target = tokens.bracket_begin(target)?.checked_sub(1)?;
            }
            let changed = tokens.word(target);
            if tokens.is_member(target) || !tokens.is_name(target) || changed == variable {
                return None;
            }
            let is_array = mapping::array(self.code, self.kernel, &changed).is_some();
            let mut locals = self.kernel.locals.iter().filter(|one| one.name == changed);
            let is_value = |one: &_| !is_pointer(one);
            match is_array && tokens.at(target + 1) == b"[" {
                true => {
                    written.insert(changed);
                }
                false if locals.clone().next().is_some() && locals.all(is_value) => {}
                false => return None,
            }
        }
        Some(())
    }

    /// Adds what the loop reads of arrays that it does not write.
    fn add_tiles(&self, body: Range<usize>, written: &BTreeSet<String>, cache: &mut Cache) {
        let tokens = self.tokens;
        let mut scope = Scope::new(self.code, self.kernel);
        scope.loops.push(cache.name.clone());
        for at in body.clone() {
            let array = tokens.word(at);
            let is_free =
                tokens.at(at + 1) == b"[" && !tokens.is_member(at) && !written.contains(&array);
            let known = mapping::array(self.code, self.kernel, &array).filter(|_| is_free);
            let Some((types, rank)) = known else {
                continue;
            };
            let mut subscripts = Vec::new();
            let mut next = at + 1;
            while tokens.at(next) == b"[" {
                let close = tokens.bracket_end(next);
                subscripts.push(next + 1..close);
                next = close + 1;
            }
            let forms: Option<Vec<Form>> = subscripts
                .iter()
                .map(|one| scope.form(one.clone()))
                .collect();
            let Some(forms) = forms.filter(|forms| forms.len() == rank) else {
                continue;
            };
            let targets: BTreeSet<&Target> =
                forms.iter().flat_map(|one| one.terms.keys()).collect();
            let variable = Target::Loop(cache.name.clone());
            let indices: Vec<usize> = targets
                .iter()
                .filter_map(|target| match target {
                    Target::Index(index) => Some(*index),
                    Target::Loop(_) => None,
                })
                .collect();
            let is_before = |at: usize| {
                let word = tokens.word(at);
                if self.code.program.macros.contains_key(&word) && !self.is_open(&word, 8) {
                    return false;
                }
                let mut locals = self.kernel.locals.iter().filter(|one| one.name == word);
                word == cache.name || !locals.any(|one| body.contains(&one.token))
            };
            let [dimension] = indices[..] else {
                continue;
            };
            let is_own = targets.contains(&variable)
                && targets.len() == 2
                && self.code.size_of(&types).is_some()
                && !types.iter().any(|word| word == "volatile")
                && subscripts.iter().all(|one| one.clone().all(is_before));
            if !is_own {
                continue;
            }
            let of_variable = Some(cache.name.as_str());
            let texts = subscripts.iter();
            let texts: Vec<Vec<String>> = texts
                .map(|one| self.words(one.clone(), of_variable))
                .collect();
            let place = at..next;
            let is_same = |tile: &&mut Tile| tile.array == array && tile.subscripts == texts;
            if let Some(tile) = cache.tiles.iter_mut().find(is_same) {
                tile.uses.push(place);
                continue;
            }
            let base = types.iter().filter(|word| {
                let word = word.as_str();
                !["const", "static", "__global__"].contains(&word) && !word.contains("restrict")
            });
            cache.tiles.push(Tile {
                array,
                types: base
                    .cloned()
                    .collect::<Vec<_>>()
                    .join(" ")
                    .replace("std ", "std::"),
                dimension,
                is_along_x: dimension == self.x,
                subscripts: texts,
                uses: vec![place],
            });
        }
    }

    /// Whether all threads have the same integer in an expression, whenever it is evaluated.
    fn is_uniform(&self, words: &[String]) -> bool {
        let scope = Scope::new(self.code, self.kernel);
        let is_integer = |types: &[String]| {
            let resolved = self.code.resolved(types);
            let wanted = [
                "const",
                "int",
                "long",
                "unsigned",
                "short",
                "size_t",
                "static",
                "__global__",
            ];
            !resolved.is_empty() && resolved.iter().all(|word| wanted.contains(&word.as_str()))
        };
        let is_own = |word: &String| {
            let mut parameters = self.kernel.parameters.iter();
            let parameter = parameters.find(|one| one.name == *word);
            let shared = self.code.variable(word);
            let operators = ["+", "-", "*", "/", "(", ")"];
            match (parameter, shared) {
                (Some(one), _) => {
                    one.rank == 0
                        && !one.is_reference
                        && is_integer(&one.types)
                        && scope.is_kept(word)
                }
                (None, _) if self.kernel.declares(word) => false,
                (None, Some(shared)) => {
                    let one = &self.code.variables[shared];
                    self.summaries.values.contains(&shared) && is_integer(&one.declared.types)
                }
                (None, None) => {
                    operators.contains(&word.as_str())
                        || word.starts_with("lGrid.dim[")
                        || self.is_integral(word, 8)
                }
            }
        };
        !words.is_empty() && words.iter().all(is_own)
    }

    /// Whether a word is an integer, or a macro that is an expression of integers.
    fn is_integral(&self, word: &str, depth: u32) -> bool {
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return true;
        }
        match self.code.program.macros.get(word).map(Vec::as_slice) {
            Some([one]) if depth > 0 && !one.is_function && !one.body.is_empty() => {
                one.body.iter().all(|word| {
                    ["+", "-", "*", "/", "(", ")"].contains(&word.as_str())
                        || self.is_integral(word, depth - 1)
                })
            }
            _ => false,
        }
    }

    /// Whether a macro is an expression of its parameters and integers, so that no variable is hidden in it.
    fn is_open(&self, word: &str, depth: u32) -> bool {
        match self.code.program.macros.get(word).map(Vec::as_slice) {
            Some([one]) if depth > 0 && !one.body.is_empty() => one.body.iter().all(|word| {
                ["+", "-", "*", "/", "(", ")", ","].contains(&word.as_str())
                    || one.parameters.contains(word)
                    || self.is_integral(word, depth - 1)
                    || self.is_open(word, depth - 1)
            }),
            _ => false,
        }
    }

    /// The words of an expression as the kernel has them; the loop's variable is `@`.
    fn words(&self, range: Range<usize>, variable: Option<&str>) -> Vec<String> {
        let tokens = self.tokens;
        let mut words = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let word = tokens.word(at);
            match kernels::member_of(tokens, at) {
                Some((text, next)) => {
                    words.push(text);
                    at = next;
                    continue;
                }
                None if Some(word.as_str()) == variable && !tokens.is_member(at) => {
                    words.push("@".to_owned());
                }
                None => words.push(word),
            }
            at += 1;
        }
        words
    }

    fn text(&self, range: Range<usize>, variable: Option<&str>) -> String {
        joined(&self.words(range, variable))
    }
}

fn is_step(word: &[u8]) -> bool {
    word == b"++" || word == b"--"
}

fn is_pointer(one: &crate::front::cuda::Declared) -> bool {
    one.is_pointer || one.is_reference || !one.extents.is_empty()
}

/// Whether a token is one of a type, so that a star behind it declares.
fn is_type(tokens: Tokens<'_>, at: usize) -> bool {
    let types: [&[u8]; 8] = [
        b"int",
        b"float",
        b"double",
        b"char",
        b"long",
        b"unsigned",
        b"short",
        b"const",
    ];
    types.contains(&tokens.at(at))
}

/// Words as a person writes them.
fn joined(words: &[String]) -> String {
    let mut text = String::new();
    for word in words {
        let is_operator = ["+", "-", "*", "/", "%"].contains(&word.as_str());
        text += &match word.as_str() {
            "," => ", ".to_owned(),
            word if is_operator && !text.is_empty() && !text.ends_with('(') => format!(" {word} "),
            word => word.to_owned(),
        };
    }
    text
}

impl Cache {
    /// The arrays that are cached.
    pub fn arrays(&self) -> Vec<String> {
        let all: BTreeSet<&String> = self.tiles.iter().map(|tile| &tile.array).collect();
        all.into_iter().map(|array| format!("`{array}`")).collect()
    }

    /// What the tiles are called.
    fn names(&self, code: &Code<'_>) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for tile in &self.tiles {
            let mut name = code.free_name(&format!("{}_tile", tile.array));
            while names.contains(&name) {
                name = code.free_name(&format!("{name}_"));
            }
            names.push(name);
        }
        names
    }

    /// The lines that a kernel begins with.
    pub fn lines(&self, code: &Code<'_>) -> Vec<String> {
        let mut lines = vec!["const auto lThread = lGrid.thread();".to_owned()];
        for (tile, name) in self.tiles.iter().zip(self.names(code)) {
            lines.push(format!("__shared__ {} {name}[32][32];", tile.types));
        }
        lines
    }

    /// Puts the loop into one that fills the tiles.
    pub fn edit(&self, code: &Code<'_>, kernel: &Fun, edits: &mut Edits) {
        let file = &code.files[0];
        let (tokens, text) = (file.tokens(), file.text());
        for at in &self.guarded {
            edits.insert(tokens.range(*at, *at).start, "if (lThread.exists) ");
        }
        let (name, last) = (&self.name, &self.last);
        let types = match self.types.as_str() {
            "" => "int",
            types => types,
        };
        let first = code.free_name(&format!("{name}_first"));
        let count = code.free_name(&format!("{name}_count"));
        let slot = code.free_name("slot");
        let mut lines = vec![
            format!(
                "for ({types} {first} = {}, {count}; {first} < {last}; {first} += {count}) {{",
                self.first
            ),
            format!("    {count} = {last} - {first} < 32 ? {last} - {first} : 32;"),
        ];
        let names = self.names(code);
        let is_split = split::devices(code).is_some();
        let end = |r: usize| match is_split {
            true => format!("lGrid.end({r})"),
            false => format!("lGrid.dim[{r}]"),
        };
        for (tile, own) in self.tiles.iter().zip(&names) {
            let r = tile.dimension;
            let subscripts = tile.subscripts.iter().map(|words| {
                let is_alone = words.len() == 1;
                let with = match is_alone {
                    true => format!("{first} + {slot}"),
                    false => format!("({first} + {slot})"),
                };
                let words: Vec<String> = words
                    .iter()
                    .map(|word| {
                        if word == "@" {
                            with.clone()
                        } else {
                            word.clone()
                        }
                    })
                    .collect();
                format!("[{}]", joined(&words))
            });
            let element = tile.element(own, &slot);
            lines.extend([
                format!(
                    "    for ({types} {slot} = lGrid.part({r}); {slot} < {count}; {slot} += lGrid.parts({r}))"
                ),
                format!("        if (lThread.Idx[{r}] < {})", end(r)),
                format!(
                    "            {element} = {}{};",
                    tile.array,
                    subscripts.collect::<String>()
                ),
            ]);
        }
        lines.push("    __syncthreads(); /* tiles loaded */".to_owned());
        lines.push("    if (lThread.exists)".to_owned());
        let start = tokens
            .range(self.statement.start, self.statement.start)
            .start;
        edits.insert_lines(text, start, &lines);
        let header = tokens.range(self.header.start, self.header.end - 1);
        let own = if self.is_outside { "" } else { types };
        let space = if self.is_outside { "" } else { " " };
        let lines_of = |place: &Range<usize>| {
            let count = memchr::memchr_iter(b'\n', &text[place.clone()]).count();
            "\n".repeat(count)
        };
        edits.replace(
            header.clone(),
            &format!(
                "        for ({own}{space}{name} = {first}; {name} < {first} + {count}; {name}++){}",
                lines_of(&header)
            ),
        );
        for (tile, own) in self.tiles.iter().zip(&names) {
            let element = tile.element(own, &format!("{name} - {first}"));
            for place in &tile.uses {
                let place = tokens.range(place.start, place.end - 1);
                edits.replace(place.clone(), &(element.clone() + &lines_of(&place)));
            }
        }
        let end = tokens
            .range(self.statement.end - 1, self.statement.end - 1)
            .end;
        edits.indent(text, header.end..end);
        edits.indent(text, header.end..end);
        let mut after = vec![
            "    __syncthreads(); /* all reads of the tiles done */".to_owned(),
            "}".to_owned(),
        ];
        if self.statement.end < kernel.body().end {
            after.extend(["if (!lThread.exists)".to_owned(), "    return;".to_owned()]);
        }
        edits.append_lines(end, &after, &indent(text, start));
    }
}

impl Tile {
    /// The element of the thread's own index, for an iteration.
    fn element(&self, name: &str, iteration: &str) -> String {
        let own = format!("lGrid.place({})", self.dimension);
        match self.is_along_x {
            true => format!("{name}[{iteration}][{own}]"),
            false => format!("{name}[{own}][{iteration}]"),
        }
    }
}

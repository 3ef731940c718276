//! Elements that one thread alone uses, in a register (AUTO-CTA, section III-B: arrays that a kernel
//! modifies, in the nearest memory that can be written; there shared memory, of which each thread
//! would use its own slot alone).
//!
//! ```text
//! y[i] = 0;                         float y_own = 0;
//! for (int k = 0; k < n; k++)       for (int k = 0; k < n; k++)
//!     y[i] += a[k * n + i];             y_own += a[k * n + i];
//!                                   y[i] = y_own;
//! ```
//!
//! The array is apart from all else that the kernel gets, all its uses have the thread's index among
//! all threads as their subscript, and stand in one list of statements that is left at its end
//! alone. The first of these uses the element in any case, so that there is one.

use std::ops::Range;

use super::code::Code;
use super::normal_form::Scope;
use crate::front::cuda::{Edits, Fun, Kind, Statement, Tokens};

/// The index of a thread among all.
const INDICES: [&str; 4] = [
    "blockIdx . x * blockDim . x + threadIdx . x",
    "blockDim . x * blockIdx . x + threadIdx . x",
    "threadIdx . x + blockIdx . x * blockDim . x",
    "threadIdx . x + blockDim . x * blockIdx . x",
];

/// Integer types of 32 bits or more.
const INTEGERS: [&str; 6] = ["const", "int", "unsigned", "long", "size_t", "auto"];

/// Words that leave all lists of statements around, and those that leave a loop's or a `switch`'s.
const JUMPS: [&[u8]; 5] = [b"return", b"goto", b"throw", b"asm", b"__trap"];
const ENDS: [&[u8]; 2] = [b"break", b"continue"];

/// An array's element of each thread.
#[derive(Debug)]
pub struct OwnElement {
    /// The array.
    pub array: String,
    types: String,
    index: String,
    /// The names of the array in the statements.
    uses: Vec<usize>,
    /// The statement that begins with `y[i] = `, or before which the element is read.
    first: Range<usize>,
    is_set: bool,
    /// The last token of the last statement.
    last: usize,
}

/// The element of an array, given by a parameter of some type, that each thread alone uses; if it
/// is used in a loop.
pub fn find(code: &Code<'_>, fun: &Fun, array: &str, types: &[String]) -> Option<OwnElement> {
    let finder = Finder {
        code,
        tokens: code.tokens(fun),
        fun,
        array,
    };
    let plain = types.iter().map(String::as_str);
    let plain: Vec<&str> = plain.filter(|word| !word.contains("restrict")).collect();
    let is_plain = !plain
        .iter()
        .any(|word| ["const", "volatile", "*"].contains(word));
    let uses: Vec<usize> = fun.body().filter(|at| finder.is_use(*at)).collect();
    let index = finder.index(&uses).filter(|_| is_plain)?;
    let (first, is_set, last) = finder.list(&fun.statements, &uses)?;
    Some(OwnElement {
        array: array.to_owned(),
        types: plain.join(" "),
        index,
        uses,
        first,
        is_set,
        last,
    })
}

impl OwnElement {
    /// Puts a variable in the place of the element.
    pub fn edit(&self, code: &Code<'_>, fun: &Fun, edits: &mut Edits) {
        let Self {
            array,
            types,
            index,
            ..
        } = self;
        let tokens = code.tokens(fun);
        let text = code.files[fun.file].text();
        let own = code.free_name(&format!("{array}_own"));
        let indent = |at: usize| crate::front::cuda::indent(text, tokens.range(at, at).start);
        for at in &self.uses {
            let place = tokens.range(*at, tokens.bracket_end(at + 1));
            let is_declared = self.is_set && *at == self.first.start;
            match is_declared {
                true => edits.replace(place, &format!("{types} {own}")),
                false => edits.replace(place, &own),
            }
        }
        if !self.is_set {
            let line = format!("{types} {own} = {array}[{index}];");
            edits.insert_lines(
                text,
                tokens.range(self.first.start, self.first.start).start,
                &[line],
            );
        }
        let end = tokens.range(self.last, self.last).end;
        edits.append_lines(
            end,
            &[format!("{array}[{index}] = {own};")],
            &indent(self.first.start),
        );
    }
}

struct Finder<'f, 'a> {
    code: &'f Code<'a>,
    tokens: Tokens<'f>,
    fun: &'f Fun,
    array: &'f str,
}

impl Finder<'_, '_> {
    fn is_use(&self, at: usize) -> bool {
        self.tokens.at(at) == self.array.as_bytes() && !self.tokens.is_member(at)
    }

    /// The variable that all uses have as their subscript: the thread's index.
    fn index(&self, uses: &[usize]) -> Option<String> {
        let tokens = self.tokens;
        let name = tokens.word(uses.first()? + 2);
        let is_same = |at: &usize| {
            tokens.at(at + 1) == b"[" && tokens.word(at + 2) == name && tokens.at(at + 3) == b"]"
        };
        let local = self.fun.locals.iter().find(|local| local.name == name)?;
        let is_integer = local
            .types
            .iter()
            .all(|word| INTEGERS.contains(&word.as_str()));
        let value = Scope::new(self.code, self.fun).value_of(&name)?;
        let words: Vec<String> = value.map(|at| tokens.word(at)).collect();
        let is_index = INDICES.contains(&words.join(" ").as_str());
        (uses.iter().all(is_same) && is_integer && is_index).then_some(name)
    }

    /// The list that has all uses: the first statement with one, whether that sets the element, and
    /// the last token of the last.
    fn list(&self, list: &[Statement], uses: &[usize]) -> Option<(Range<usize>, bool, usize)> {
        let tokens = self.tokens;
        let has = |one: &&Statement| uses.iter().any(|at| one.tokens.contains(at));
        let first = list.iter().position(|one| has(&one))?;
        let last = list.iter().rposition(|one| has(&one))?;
        if first == last {
            return match &list[first].kind {
                Kind::Block(inner) => self.list(inner, uses),
                // Braces around what a condition governs.
                Kind::Branch { arms, .. } => {
                    let mut blocks = arms.iter().filter(has);
                    match (blocks.next().map(|one| &one.kind), blocks.next()) {
                        (Some(Kind::Block(inner)), None) => {
                            let is_inside =
                                |at: &usize| inner.iter().any(|one| one.tokens.contains(at));
                            uses.iter().all(is_inside).then(|| self.list(inner, uses))?
                        }
                        _ => None,
                    }
                }
                _ => None,
            };
        }
        let begin = list[first].tokens.clone();
        let end = list[last].tokens.end - 1;
        let is_certain = matches!(&list[first].kind, Kind::Simple(inner) if inner.is_empty())
            && !begin
                .clone()
                .any(|at| matches!(tokens.at(at), b"?" | b"&&" | b"||"));
        let is_left = list[first..=last].iter().any(|one| self.leaves(one));
        let is_repeated = list[first..=last].iter().any(|one| self.repeats(one, uses));
        let has_labels = list[first..=last].iter().any(is_label);
        let is_set = tokens.at(begin.start) == self.array.as_bytes()
            && tokens.at(begin.start + 4) == b"="
            && uses.iter().filter(|at| begin.contains(at)).count() == 1
            // `y[i] = 0, s = 1;` would declare another s.
            && tokens.parts(begin.clone()).len() == 1;
        (is_certain && !is_left && is_repeated && !has_labels).then_some((begin, is_set, end))
    }

    /// Whether control may go elsewhere from inside of a statement.
    fn leaves(&self, statement: &Statement) -> bool {
        let tokens = self.tokens;
        let has = |words: &[&[u8]]| {
            let mut all = statement.tokens.clone();
            all.any(|at| words.contains(&tokens.at(at)))
        };
        let mut children = statement.children().into_iter();
        match &statement.kind {
            Kind::Loop { .. } => has(&JUMPS),
            Kind::Simple(_) => has(&JUMPS) || has(&ENDS),
            _ => children.any(|child| self.leaves(child)),
        }
    }

    /// Whether a loop in a statement has a use.
    fn repeats(&self, statement: &Statement, uses: &[usize]) -> bool {
        match &statement.kind {
            Kind::Loop { .. } => uses.iter().any(|at| statement.tokens.contains(at)),
            _ => {
                let mut children = statement.children().into_iter();
                children.any(|child| self.repeats(child, uses))
            }
        }
    }
}

/// Whether a statement is a label, or has one.
fn is_label(statement: &Statement) -> bool {
    let mut children = statement.children().into_iter();
    matches!(statement.kind, Kind::Label) || children.any(is_label)
}

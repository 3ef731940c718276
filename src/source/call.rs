//! Calls of macros: what they make, and the same with other arguments.
//!
//! ```text
//! SQUARE(u[i])          (u[i]) * (u[i])
//!                       (u_window[k]) * (u_window[k])        what is printed
//! SQUARE(u_window[k])                                        the call that makes it
//! ```

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use super::included::tokens_of;
use super::lexer;
use super::macros::{Macro, arguments, expand};

/// A call of a macro in the main file.
#[derive(Clone, Debug)]
pub struct Call {
    /// As written, on one line.
    pub text: String,
    /// Where what it makes begins in the text.
    pub(super) start: u32,
    /// Where that ends, and where the next token begins.
    pub(super) end: (u32, u32),
    /// Its tokens in the main file; none in a header.
    pub(super) raw: Option<Range<usize>>,
    /// What it makes.
    pub(super) made: Vec<String>,
    /// The definitions that it takes, its own first.
    pub macros: Vec<Rc<Macro>>,
    /// They are those of its arguments, too.
    pub(super) is_whole: bool,
}

impl Call {
    /// Where what it makes ends in the text.
    pub fn end(&self) -> u32 {
        self.end.0
    }

    /// Whether it may stand as it is written: the definitions are those of its arguments, too.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The call that makes a text: as written, or with other arguments.
    pub fn that_makes(&self, text: &str) -> Option<String> {
        let find = |name: &str| self.find(name);
        if self.is_whole && expand(&tokens_of(text), &find)? == self.made {
            return Some(self.text.clone());
        }
        self.with_arguments(text)
    }

    fn find(&self, name: &str) -> Option<&Macro> {
        let found = self.macros.iter().find(|one| one.name == name);
        found.map(|found| &**found)
    }

    /// The same macro, called with what stands in a text where its arguments have to.
    fn with_arguments(&self, text: &str) -> Option<String> {
        let own = self.macros.first()?;
        let find = |name: &str| self.find(name);
        let marks = own.marks()?;
        let pattern = pattern(own, &marks, &find)?;
        let words = Words::of(text);
        let given = bound(&pattern, &marks, &words.list)?;
        let own_words = Words::of(&self.text);
        let (old, _) = arguments(&own_words.list, 1)?;
        let mut list = Vec::new();
        let mut start = 2;
        for (index, new) in given.into_iter().enumerate() {
            let old = old.get(index)?;
            let is_same = expand(old, &find)? == expand(&words.list[new.clone()], &find)?;
            list.push(match is_same {
                true => own_words.text(start..start + old.len()),
                false => words.text(new),
            });
            start += old.len() + 1;
        }
        let call = format!("{}({})", own.name, list.join(", "));
        (expand(&tokens_of(&call), &find)? == expand(&words.list, &find)?).then_some(call)
    }
}

/// What a macro makes of marks as its arguments.
pub(super) fn pattern<'a>(
    of: &'a Macro,
    marks: &'a [String],
    find: &dyn Fn(&str) -> Option<&'a Macro>,
) -> Option<Vec<Cow<'a, str>>> {
    let mut marked = vec![of.name.as_str(), "("];
    for (index, mark) in marks.iter().enumerate() {
        marked.extend((index > 0).then_some(","));
        marked.push(mark);
    }
    marked.push(")");
    expand(&marked, find)
}

/// The tokens of a text, and where they are.
struct Words<'a> {
    whole: &'a str,
    list: Vec<&'a str>,
    places: Vec<(u32, u32)>,
}

impl<'a> Words<'a> {
    fn of(whole: &'a str) -> Self {
        let tokens = lexer::lex_fragment(whole.as_bytes(), 0..whole.len()).tokens;
        let places: Vec<_> = tokens.iter().map(|t| (t.start, t.end)).collect();
        let word = |&(start, end): &(u32, u32)| &whole[start as usize..end as usize];
        let list = places.iter().map(word).collect();
        Self {
            whole,
            list,
            places,
        }
    }

    /// What some tokens are in the text; there is one at least.
    fn text(&self, tokens: Range<usize>) -> &'a str {
        let (start, end) = (self.places[tokens.start].0, self.places[tokens.end - 1].1);
        &self.whole[start as usize..end as usize]
    }
}

/// Which tokens stand where a pattern has the marks. An argument ends before the token that
/// follows its mark; all its places have the same tokens.
fn bound(pattern: &[Cow<str>], marks: &[String], words: &[&str]) -> Option<Vec<Range<usize>>> {
    let mark_of = |token: &str| marks.iter().position(|mark| mark == token);
    let mut given: Vec<Option<Range<usize>>> = vec![None; marks.len()];
    let mut at = 0;
    for (index, wanted) in pattern.iter().enumerate() {
        let Some(mark) = mark_of(wanted) else {
            words.get(at).filter(|word| *word == wanted)?;
            at += 1;
            continue;
        };
        let end = match &given[mark] {
            Some(known) => {
                let end = at + known.len();
                (words.get(at..end)? == &words[known.clone()]).then_some(end)?
            }
            None => {
                let next = pattern.get(index + 1).map(|next| &**next);
                next.is_none_or(|next| mark_of(next).is_none())
                    .then_some(())?;
                at + argument_length(words.get(at..)?, next)?
            }
        };
        given[mark] = Some(at..end);
        at = end;
    }
    (at == words.len()).then_some(())?;
    given.into_iter().collect()
}

/// How many tokens stand before the next one of the pattern, outside of brackets; `None` if they
/// are no argument.
fn argument_length(words: &[&str], next: Option<&str>) -> Option<usize> {
    let mut depth = 0usize;
    for (index, word) in words.iter().enumerate() {
        match *word {
            word if depth == 0 && Some(word) == next => return (index > 0).then_some(index),
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            "," if depth == 0 => return None,
            _ => {}
        }
    }
    (next.is_none() && !words.is_empty()).then_some(words.len())
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;

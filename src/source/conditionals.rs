//! Which tokens of a part of a file are compiled, by its conditional directives.
//!
//! Conditions are not evaluated: each way to take the branches is one choice, and the text tells
//! which one it is made of.
//!
//! ```c
//! a;
//! #ifdef DEBUG          a; c;
//! b;              =>    a; b; c;
//! #endif
//! c;
//! ```

use super::lexer::{self, Token, TokenKind};
use super::markers::{Conditional, conditional};

/// More choices than these are not told.
const CHOICES: usize = 64;

/// A conditional that is open.
struct Open {
    /// What may be compiled before it.
    before: Vec<Vec<usize>>,
    /// The same with one of the branches that are complete.
    taken: Vec<Vec<usize>>,
    /// Some branch is compiled.
    is_complete: bool,
}

/// The tokens that may be compiled, by their indices, conditional directives left out. A
/// part that begins or ends within a branch has that branch.
pub(super) fn choices(tokens: &[Token], bytes: &[u8]) -> Vec<Vec<usize>> {
    let mut choices = vec![Vec::new()];
    let mut open: Vec<Open> = Vec::new();
    // How many conditionals are open behind the branch in which the part begins.
    let mut passed = 0usize;
    for (index, token) in tokens.iter().enumerate() {
        let text = token.text(bytes);
        let directive = match token.kind {
            TokenKind::Directive => conditional(text),
            _ => Conditional::None,
        };
        match directive {
            Conditional::None if passed > 0 => {}
            Conditional::None => choices.iter_mut().for_each(|one| one.push(index)),
            Conditional::If if passed > 0 => passed += 1,
            Conditional::If => open.push(Open {
                before: choices.clone(),
                taken: Vec::new(),
                is_complete: false,
            }),
            Conditional::Else => match open.last_mut() {
                Some(open) => {
                    let branch = std::mem::replace(&mut choices, open.before.clone());
                    open.taken.extend(branch);
                    open.is_complete |= lexer::directive_name(text) == b"else";
                }
                None => passed = passed.max(1),
            },
            Conditional::End if passed > 0 => passed -= 1,
            Conditional::End => {
                if let Some(ended) = open.pop() {
                    let mut all = ended.before;
                    all.truncate(if ended.is_complete { 0 } else { CHOICES });
                    all.extend(ended.taken);
                    all.append(&mut choices);
                    all.truncate(CHOICES);
                    choices = all;
                }
            }
        }
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        let tokens = lexer::lex(source.as_bytes()).tokens;
        let word = |index: &usize| {
            let token = &tokens[*index];
            source[token.start as usize..token.end as usize].to_owned()
        };
        let found = choices(&tokens, source.as_bytes());
        let text = |one: &Vec<usize>| one.iter().map(word).collect::<Vec<_>>().join(" ");
        found.iter().map(text).collect()
    }

    #[test]
    fn each_branch_is_a_choice() {
        assert_eq!(texts("a\n#if 1\nb\n#endif\nc\n"), ["a c", "a b c"]);
        let both = texts("a\n#if 1\nb\n#elif 2\nc\n#else\nd\n#endif\ne\n");
        assert_eq!(both, ["a b e", "a c e", "a d e"]);
        let nested = texts("#if 1\n#if 2\na\n#endif\nb\n#endif\nc\n");
        assert_eq!(nested, ["c", "b c", "a b c"]);
    }

    #[test]
    fn a_part_may_begin_and_end_in_a_branch() {
        assert_eq!(texts("a\n#if 1\nb\n#else\nc\n"), ["a c"]);
        assert_eq!(texts("a\n#else\nb\n#if 1\nx\n#endif\n#endif\nc\n"), ["a c"]);
    }

    #[test]
    fn many_conditionals_are_few_choices() {
        let source = "#if 1\na\n#endif\n".repeat(100);
        assert_eq!(texts(&source).len(), CHOICES);
    }
}

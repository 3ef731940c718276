//! The functions and macros of a CUDA file and of those that it includes.
//!
//! Both branches of `#if` count: a function may have several definitions.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::scopes::Scopes;
use super::tokens::Tokens;
use crate::diagnostic::{Diagnostic, Place, Severity, codes};
use crate::source::lexer::{self, Language, Token, TokenKind};

/// The type of texture references, which are gone since CUDA 12.
const TEXTURE: &str = "texture";

/// The tokens of a file; directives are apart.
#[derive(Debug)]
pub struct File<'a> {
    text: &'a [u8],
    code: Vec<Token>,
    directives: Vec<Token>,
    scopes: Scopes,
}

impl<'a> File<'a> {
    /// Reads a file of at most 256 MiB.
    pub fn new(text: &'a [u8]) -> Self {
        let tokens = lexer::lex_as(Language::Cxx, text).tokens;
        let is_directive = |token: &Token| token.kind == TokenKind::Directive;
        let (directives, code) = tokens.into_iter().partition(is_directive);
        Self {
            text,
            code,
            directives,
            scopes: Scopes::default(),
        }
    }

    /// The same with the names of functions told apart by their scopes.
    pub fn scoped(text: &'a [u8]) -> Self {
        let file = Self::new(text);
        let scopes = Scopes::new(file.tokens());
        Self { scopes, ..file }
    }

    /// The text.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// The text of some tokens, on one line.
    pub fn text_of(&self, range: Range<usize>) -> String {
        if range.is_empty() {
            return String::new();
        }
        let bytes = self.tokens().range(range.start, range.end - 1);
        let text = String::from_utf8_lossy(&self.text[bytes]);
        text.split('\n')
            .map(str::trim)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// What is no directive.
    pub fn tokens(&self) -> Tokens<'_> {
        Tokens {
            text: self.text,
            list: &self.code,
            scopes: &self.scopes,
        }
    }

    /// Directives, each from its `#` to the end of its line.
    pub fn directives(&self) -> &[Token] {
        &self.directives
    }

    /// The name in the definition of a macro.
    pub fn definition(&self, name: &str) -> Option<Range<usize>> {
        self.directives.iter().find_map(|token| {
            let text = String::from_utf8_lossy(token.text(self.text));
            let rest = text.strip_prefix('#')?.trim_start();
            let own = rest.strip_prefix("define")?.trim_start();
            let is_it = own.strip_prefix(name).is_some_and(|rest| {
                !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            });
            let start = token.start as usize + (text.len() - own.len());
            is_it.then(|| start..start + name.len())
        })
    }

    /// The tokens of each definition of a macro, from `define` on.
    pub fn defined(&self) -> Vec<Vec<Token>> {
        let is_define = |token: &&Token| lexer::directive_name(token.text(self.text)) == b"define";
        let of = |token: &Token| {
            let range = token.start as usize + 1..token.end as usize;
            lexer::lex_fragment_as(Language::Cxx, self.text, range).tokens
        };
        self.directives.iter().filter(is_define).map(of).collect()
    }

    /// Where pragmas are.
    pub fn pragmas(&self) -> Vec<usize> {
        let is_pragma = |token: &&Token| {
            let rest = token.text(self.text).strip_prefix(b"#");
            rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"pragma"))
        };
        let pragmas = self.directives.iter().filter(is_pragma);
        pragmas.map(|token| token.start as usize).collect()
    }

    /// Directives that begin or end the branches of `#if`, with their words.
    pub fn conditions(&self) -> Vec<(Range<u32>, String)> {
        const WORDS: [&str; 8] = [
            "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif",
        ];
        let of = |token: &Token| {
            let text = String::from_utf8_lossy(token.text(self.text)).into_owned();
            let rest = text.trim_start_matches('#').trim_start();
            let end = rest.find(|c: char| !c.is_ascii_alphabetic());
            let word = &rest[..end.unwrap_or(rest.len())];
            WORDS
                .contains(&word)
                .then(|| (token.start..token.end, word.to_owned()))
        };
        self.directives.iter().filter_map(of).collect()
    }

    /// The error of the first texture reference that is declared, `texture<float> name;`.
    pub fn texture_reference(&self) -> Option<Diagnostic> {
        let tokens = self.tokens();
        let declares = |at: &usize| {
            let before = at.checked_sub(1).map(|before| tokens.at(before));
            let is_first = matches!(
                before,
                None | Some(b";" | b"{" | b"}" | b"static" | b"extern")
            );
            let close = || (*at..self.code.len()).find(|at| tokens.at(*at).starts_with(b">"));
            let is_name = |close: usize| tokens.is_name(close + 1) && tokens.at(close + 2) == b";";
            let word = tokens.at(*at);
            is_first
                && word == TEXTURE.as_bytes()
                && tokens.at(at + 1) == b"<"
                && close().is_some_and(is_name)
        };
        let at = (0..self.code.len()).find(declares)?;
        let message = "CUDA has no texture references any more";
        let (code, place) = (
            codes::TEXTURE_REFERENCE,
            Place::Source(tokens.range(at, at)),
        );
        let problem = Diagnostic::new(Severity::Error, code, message, place);
        Some(problem.help(
            "pass the pointer to the kernel and read `__ldg(&pointer[i])` for `tex1Dfetch(texture, i)`, or use a texture object",
        ))
    }

    /// The first directive of a dialect whose programs are C.
    pub fn directive_of_c(&self) -> Option<Diagnostic> {
        let dialect = |token: &Token| {
            let text = String::from_utf8_lossy(token.text(self.text));
            let mut words = text.strip_prefix('#')?.split_whitespace();
            let word = words.next().filter(|word| *word == "pragma");
            match word.and(words.next())? {
                "acc" => Some("OpenACC"),
                "hicuda" => Some("hiCUDA"),
                _ => None,
            }
        };
        let mut directives = self.directives.iter();
        let (token, dialect) = directives.find_map(|token| Some((token, dialect(token)?)))?;
        let message = format!("directives of {dialect} have no effect in CUDA");
        let place = Place::Source(token.start as usize..token.end as usize);
        let warning = Diagnostic::new(Severity::Warning, codes::BAD_USAGE, message, place);
        Some(warning.help("give a program in C the ending `.c`"))
    }

    /// The words of some tokens.
    pub fn words(&self, range: Range<usize>) -> Vec<String> {
        words(self.text, &self.code[range])
    }

    /// The place of what is neither white space nor comment in a part of the text.
    pub fn code_at(&self, range: Range<usize>) -> Range<usize> {
        let tokens = lexer::lex_fragment_as(Language::Cxx, self.text, range.clone()).tokens;
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => first.start as usize..last.end as usize,
            _ => range,
        }
    }

    /// The words of a part of the text, in which `#` begins no directive.
    pub fn words_at(&self, range: Range<usize>) -> Vec<String> {
        words(
            self.text,
            &lexer::lex_fragment_as(Language::Cxx, self.text, range).tokens,
        )
    }
}

fn words(text: &[u8], tokens: &[Token]) -> Vec<String> {
    let word = |token: &Token| String::from_utf8_lossy(token.text(text)).into_owned();
    tokens.iter().map(word).collect()
}

/// A definition of a function.
#[derive(Clone, Debug)]
pub struct Definition {
    /// What stands before its name: qualifiers, its type.
    pub before: Vec<String>,
    /// The names of its parameters.
    pub parameters: Vec<String>,
    /// Which of them are references.
    pub references: Vec<bool>,
    /// What the members of a constructor begin with, and what stands in its braces.
    pub body: Vec<String>,
    /// It runs where no call of its name stands: it is a constructor, a destructor or an operator.
    pub is_implicit: bool,
}

/// A definition of a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Macro {
    /// It has parameters.
    pub is_function: bool,
    /// Their names.
    pub parameters: Vec<String>,
    /// What it stands for.
    pub body: Vec<String>,
}

impl Macro {
    /// The words that it brings itself: an argument's stand where it is called.
    pub fn own_words(&self) -> impl Iterator<Item = &String> {
        let is_own = |word: &&String| !self.parameters.contains(word);
        self.body.iter().filter(is_own)
    }
}

/// What the files of a program define, by name.
#[derive(Debug, Default)]
pub struct Program {
    /// Functions.
    pub functions: HashMap<String, Vec<Definition>>,
    /// Macros.
    pub macros: HashMap<String, Vec<Macro>>,
    /// The words of each file outside of functions that have names, and the parameters of those some of
    /// which have values where a call gives none.
    pub outside: Vec<Vec<String>>,
    /// What is declared as `__shared__` outside of functions.
    pub of_block: HashSet<String>,
}

impl Program {
    /// Adds what a file defines.
    pub fn add(&mut self, file: &File<'_>) {
        self.add_macros(file);
        self.add_functions(file);
    }

    fn add_macros(&mut self, file: &File<'_>) {
        for directive in file.directives() {
            if lexer::directive_name(directive.text(file.text)) != b"define" {
                continue;
            }
            let range = directive.start as usize + 1..directive.end as usize;
            let tokens = lexer::lex_fragment_as(Language::Cxx, file.text, range).tokens;
            let [_, name, rest @ ..] = &tokens[..] else {
                continue;
            };
            let all = words(file.text, rest);
            let is_function = rest.first().is_some_and(|open| open.start == name.end)
                && all.first().is_some_and(|word| word == "(");
            let (parameters, body) = match all.iter().position(|word| word == ")") {
                Some(close) if is_function => {
                    let names = all[1..close].iter().filter(|word| *word != ",");
                    (names.cloned().collect(), all[close + 1..].to_vec())
                }
                _ => (Vec::new(), all),
            };
            let name = String::from_utf8_lossy(name.text(file.text)).into_owned();
            let known = self.macros.entry(name).or_default();
            let own = Macro {
                is_function,
                parameters,
                body,
            };
            if !known.contains(&own) {
                known.push(own);
            }
        }
    }

    fn add_functions(&mut self, file: &File<'_>) {
        let tokens = file.tokens();
        let structures: HashSet<&[u8]> = tokens.structures().collect();
        let (mut outside, mut next) = (Vec::new(), 0);
        for function in tokens.functions() {
            outside.extend(file.words(next..function.first));
            let words = file.words(function.parameters.clone());
            if words.iter().any(|word| word == "=") {
                outside.extend(words.iter().cloned());
            }
            let Some(body) = function.body else {
                // A call stands in the body of an operator or lambda.
                next = match function.name > function.first {
                    true => function.parameters.start,
                    false => function.first,
                };
                continue;
            };
            next = body.end;
            let name = tokens.word(function.name);
            let before = function
                .name
                .checked_sub(1)
                .map_or(b"".as_slice(), |at| tokens.at(at));
            let is_implicit =
                matches!(before, b"~" | b"operator") || structures.contains(name.as_bytes());
            let parameters = parameters(&words);
            let definition = Definition {
                before: file.words(function.first..function.name),
                parameters: parameters.iter().map(|one| one.0.clone()).collect(),
                references: parameters.iter().map(|one| one.1).collect(),
                body: [file.words(function.initialisers), file.words(body)].concat(),
                is_implicit,
            };
            self.functions.entry(name).or_default().push(definition);
        }
        outside.extend(file.words(next..tokens.list.len()));
        self.of_block.extend(of_block(&outside));
        self.outside.push(outside);
    }
}

/// The names that words declare as `__shared__`.
fn of_block(words: &[String]) -> Vec<String> {
    let begins = (0..words.len()).filter(|at| words[*at] == "__shared__");
    let statements = begins.map(|at| words[at..].split(|word| word == ";").next());
    let ends = |word: &str| ["[", ",", "="].contains(&word);
    let names = statements.flatten().flat_map(|statement| {
        let is_last = move |at: &usize| statement.get(at + 1).is_none_or(|next| ends(next));
        let all = (1..statement.len()).filter(is_last);
        all.map(|at| statement[at].clone())
    });
    names.filter(|name| is_name(name)).collect()
}

/// The last word of each parameter, and whether it is a reference.
fn parameters(words: &[String]) -> Vec<(String, bool)> {
    let list = split(words);
    let parameter = |parameter: &[String]| {
        let ends = |word: &String| word == "=" || word == "[";
        let end = parameter.iter().position(ends).unwrap_or(parameter.len());
        let is_reference = parameter.iter().any(|word| word == "&" || word == "&&");
        Some((parameter[..end].last()?.clone(), is_reference))
    };
    let all = list.iter().filter_map(|one| parameter(one));
    all.filter(|(name, _)| name != "void").collect()
}

/// Parts between the commas that stand in no brackets.
pub fn split(words: &[String]) -> Vec<&[String]> {
    let (mut list, mut depth, mut first) = (Vec::new(), 0_usize, 0);
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                list.push(&words[first..at]);
                first = at + 1;
            }
            _ => {}
        }
    }
    if first < words.len() {
        list.push(&words[first..]);
    }
    list
}

/// The bracket that closes the one at a word; the last word, if none does.
pub fn end_of(words: &[String], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate().skip(open) {
        match word.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    words.len().saturating_sub(1)
}

/// Whether a word is an identifier or keyword.
pub fn is_name(word: &str) -> bool {
    let first = word.chars().next();
    first.is_some_and(|c| c.is_alphabetic() || c == '_' || !c.is_ascii())
}

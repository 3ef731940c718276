//! Options of the preprocessor, in the spelling and order of compilers.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

/// Options whose argument may be the next word.
const WITH_ARGUMENT: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "--sysroot",
];

/// Options whose argument is part of the word.
const ATTACHED: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-std=",
    "--sysroot=",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
];

/// Single words that change what the preprocessor does.
const WORDS: &[&str] = &[
    "-nostdinc",
    "-undef",
    "-ansi",
    "-pthread",
    "-fopenmp",
    "-trigraphs",
];

/// The commands that take these options.
const COMMANDS: &[&str] = &["translate", "run", "check"];

/// Splits the arguments of accrs into those for clap and those for the
/// preprocessor. Words after `--` belong to the program.
pub(super) fn take_preprocessor(arguments: Vec<OsString>) -> (Vec<OsString>, Vec<OsString>) {
    let translates = arguments
        .iter()
        .skip(1)
        .any(|word| COMMANDS.iter().any(|command| word == command));
    if !translates {
        return (arguments, Vec::new());
    }
    let (mut rest, mut preprocessor) = (Vec::new(), Vec::new());
    let mut words = arguments.into_iter();
    while let Some(word) = words.next() {
        if word == "--" {
            rest.push(word);
            rest.extend(words);
            break;
        }
        if WITH_ARGUMENT.iter().any(|option| word == *option) {
            match words.next() {
                Some(value) => preprocessor.extend([word, value]),
                // clap says that the value is missing
                None => rest.push(word),
            }
        } else if is_attached(&word) || WORDS.iter().any(|option| word == *option) {
            preprocessor.push(word);
        } else {
            rest.push(word);
        }
    }
    (rest, preprocessor)
}

fn is_attached(word: &OsStr) -> bool {
    ATTACHED
        .iter()
        .any(|option| word.as_bytes().starts_with(option.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> (String, String) {
        let words = line.split(' ').map(OsString::from).collect();
        let (rest, preprocessor) = take_preprocessor(words);
        let join = |words: Vec<OsString>| words.join(OsStr::new(" ")).into_string().unwrap();
        (join(rest), join(preprocessor))
    }

    #[test]
    fn order_is_kept() {
        assert_eq!(
            split("accrs translate -DA -o out -U A a.c -std=c99 -include x.h"),
            (
                "accrs translate -o out a.c".into(),
                "-DA -U A -std=c99 -include x.h".into()
            )
        );
    }

    #[test]
    fn the_programs_arguments_stay() {
        assert_eq!(
            split("accrs run a.c -- -DA -I b"),
            ("accrs run a.c -- -DA -I b".into(), String::new())
        );
    }

    #[test]
    fn other_commands_keep_theirs() {
        assert_eq!(
            split("accrs explain -D"),
            ("accrs explain -D".into(), String::new())
        );
    }

    #[test]
    fn a_missing_value_is_left_to_be_reported() {
        assert_eq!(
            split("accrs check a.c -I"),
            ("accrs check a.c -I".into(), String::new())
        );
    }
}

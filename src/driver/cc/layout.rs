//! Flags that give C's types other values, sizes or places than the translation assumes.
//!
//! Kernels have the types of nvcc, where plain `char` is signed, an enumeration is an `int` or
//! larger, and members of structures stand where the System V ABI for LP64 says.

use std::ffi::OsString;

use crate::diagnostic::{Diagnostic, codes};

/// A change of types, and what says that there is none.
struct Change {
    /// Flags, up to a `=`, that ask for it.
    flags: &'static [&'static str],
    /// Those that take it back.
    opposite: &'static [&'static str],
    /// What it does.
    effect: &'static str,
    /// The way out.
    help: &'static str,
}

const CHANGES: [Change; 8] = [
    Change {
        flags: &["-funsigned-char", "-fno-signed-char"],
        opposite: &["-fsigned-char", "-fno-unsigned-char"],
        effect: "plain `char` is signed in kernels",
        help: "leave it out, and write `unsigned char` where that is meant",
    },
    Change {
        flags: &["-funsigned-bitfields", "-fno-signed-bitfields"],
        opposite: &["-fsigned-bitfields", "-fno-unsigned-bitfields"],
        effect: "bit-fields of `int` are signed in kernels",
        help: "leave it out, and declare them `unsigned` where that is meant",
    },
    Change {
        flags: &["-fsingle-precision-constant"],
        opposite: &["-fno-single-precision-constant"],
        effect: "constants without a suffix are of type `double` in kernels",
        help: "leave it out, and write `0.1f` where `float` is meant",
    },
    Change {
        flags: &["-fexec-charset", "-fwide-exec-charset", "-fshort-wchar"],
        opposite: &[
            "-fexec-charset=UTF-8",
            "-fexec-charset=utf-8",
            "-fno-short-wchar",
        ],
        effect: "characters are UTF-8 and UTF-32 in kernels",
        help: "leave it out",
    },
    Change {
        flags: &["-fshort-enums"],
        opposite: &["-fno-short-enums"],
        effect: "an enumeration has at least the size of `int` in kernels",
        help: "leave it out, and declare small members as `unsigned char` or bit-fields",
    },
    Change {
        flags: &["-fpack-struct"],
        opposite: &["-fno-pack-struct"],
        effect: "members have their natural alignment in kernels",
        help: "leave it out, and write `#pragma pack` around the structures that are meant",
    },
    Change {
        flags: &["-m32", "-mx32", "-m16"],
        opposite: &["-m64"],
        effect: "`long` and pointers have 64 bits in kernels",
        help: "leave it out",
    },
    Change {
        flags: &[
            "-mms-bitfields",
            "-malign-double",
            "-mlong-double-64",
            "-mlong-double-128",
        ],
        opposite: &["-mno-ms-bitfields", "-mno-align-double", "-mlong-double-80"],
        effect: "types have the layout of the System V ABI in kernels",
        help: "leave it out",
    },
];

/// Refuses a flag that would give host and kernels different types.
///
/// # Errors
/// The last flag of its kind that asks for such a change.
pub(super) fn refuse(flags: &[OsString]) -> Result<(), Diagnostic> {
    for change in &CHANGES {
        let is_opposite = |flag: &str| change.opposite.contains(&flag);
        let asks = |flag: &str| {
            let name = flag.split('=').next().unwrap_or(flag);
            change.flags.contains(&name) && !is_opposite(flag)
        };
        let texts = flags.iter().map(|flag| flag.to_string_lossy());
        let mut of_kind = texts.filter(|flag| asks(flag) || is_opposite(flag));
        let Some(last) = of_kind.next_back().filter(|flag| asks(flag)) else {
            continue;
        };
        let message = format!(
            "`{last}` is not supported with directives: {}",
            change.effect
        );
        return Err(Diagnostic::global(codes::OPTION_NOT_SUPPORTED, message).help(change.help));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> Option<String> {
        let flags: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        refuse(&flags).err().map(|error| error.message)
    }

    #[test]
    fn other_types_are_refused_by_name() {
        for flag in [
            "-funsigned-char",
            "-fshort-enums",
            "-funsigned-bitfields",
            "-fsingle-precision-constant",
            "-fexec-charset=ISO-8859-1",
            "-fpack-struct=2",
            "-m32",
        ] {
            let message = refused(&format!("-O2 {flag}")).expect(flag);
            assert!(
                message.starts_with(&format!("`{flag}` is not")),
                "{message}"
            );
        }
    }

    #[test]
    fn the_last_flag_counts() {
        assert_eq!(
            refused("-funsigned-char -fsigned-char -fsigned-zeros"),
            None
        );
        assert!(refused("-fsigned-char -funsigned-char").is_some());
    }
}

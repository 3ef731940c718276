//! Languages that OpenACC has and accrs does not translate.
//!
//! Input: the name of a file, or a compiler's word for a language. Output: which
//! of them it is, and the error that says so.

use std::path::Path;

use crate::diagnostic::{Diagnostic, codes};

/// Suffixes of C++, as compilers know them.
const CXX: &[&str] = &["cc", "cp", "cpp", "cxx", "c++", "C", "CPP", "ii"];

/// Suffixes of Fortran, in either case.
const FORTRAN: &[&str] = &[
    "f", "for", "ftn", "fpp", "f77", "f90", "f95", "f03", "f08", "f18",
];

/// A language with directives of OpenACC that is not C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherLanguage {
    /// C++.
    Cxx,
    /// Fortran.
    Fortran,
}

impl OtherLanguage {
    /// The language of a file by its suffix.
    pub fn of_file(path: &Path) -> Option<Self> {
        let suffix = path.extension()?.to_str()?;
        if CXX.contains(&suffix) {
            return Some(Self::Cxx);
        }
        let lower = suffix.to_ascii_lowercase();
        FORTRAN.contains(&lower.as_str()).then_some(Self::Fortran)
    }

    /// The language that `-x` names.
    pub fn of_option(name: &str) -> Option<Self> {
        match name {
            "c++" | "c++-cpp-output" => Some(Self::Cxx),
            "f77" | "f77-cpp-input" | "f95" | "f95-cpp-input" => Some(Self::Fortran),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Cxx => "C++",
            Self::Fortran => "Fortran",
        }
    }

    /// How its functions call those of C.
    const fn interface(self) -> &'static str {
        match self {
            Self::Cxx => "`extern \"C\"`",
            Self::Fortran => "`bind(c)`",
        }
    }

    /// A file that cannot be translated.
    pub fn refuse(self, file: &Path) -> Diagnostic {
        let message = format!(
            "`{}` is {}; accrs translates C",
            file.display(),
            self.name()
        );
        Diagnostic::global(codes::NOT_C, message).help(format!(
            "move the regions into functions of a C file, and call these through {}",
            self.interface()
        ))
    }

    /// A file that a compiler would compile as if it had no directives.
    pub fn with_directives(self, file: &Path) -> Diagnostic {
        self.refuse(file)
            .note("it has directives of OpenACC; `-fno-openacc` compiles it as if it had none")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_tell_the_language() {
        let of = |name: &str| OtherLanguage::of_file(Path::new(name));
        for name in ["a.cc", "a.cpp", "a.cxx", "a.C", "b/a.c++"] {
            assert_eq!(of(name), Some(OtherLanguage::Cxx), "{name}");
        }
        for name in ["a.f", "a.f90", "a.F90", "a.FOR", "a.f08"] {
            assert_eq!(of(name), Some(OtherLanguage::Fortran), "{name}");
        }
        for name in ["a.c", "a.cu", "a.o", "a", "a.h"] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}

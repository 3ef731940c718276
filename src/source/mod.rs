//! Where text comes from: files, preprocessing, and the way back.
//!
//! Input: the path of a C file and the user's [`Preprocessor`]. Output: a
//! [`TranslationUnit`], whose `text` is what is parsed.
//!
//! 1. [`lexer`] finds the raw tokens of the file.
//! 2. [`markers`] makes a marked copy, in which identifiers remember offsets.
//! 3. The preprocessor expands the copy.
//! 4. [`strip`] takes the marks out into tables, so that C tokens remain.
//! 5. [`TranslationUnit`] answers where a span came from.
//!
//! Once it is known which included files have constructs, it is done again
//! with their text in place of their `#include` lines: [`included`]; and where
//! macros make constructs along with other code, with what they make in place of
//! their calls: [`macro_expanded`].
//!
//! [`alignment`] reads parts of the file and of the text side by side: which calls of
//! macros made what ([`call`]), and how code is written that they made ([`spelling`]); [`comments`] finds what stands between statements
//! and in them, [`definition_comments`] what stands at definitions.
//!
//! # The text
//!
//! UTF-8 (see [`decode_bytes`] for other bytes), under 2 GiB, with
//! - tokens of C after preprocessing: no comments, splices, digraphs, `#` lines;
//! - blanks and newlines;
//! - directives, whether from `#pragma acc`, `_Pragma("acc …")` or a header:
//!
//! ```text
//! __accrs_pragma_acc  tokens after the word acc, macros expanded  __accrs_pragma_end
//! ```
//!
//! Brackets in a directive are balanced. A directive with a fault that was
//! reported has an empty body. No identifier of the user begins with
//! `__accrs_`.

mod alignment;
mod backtrace;
mod bytes;
mod call;
mod comments;
mod conditionals;
mod definition_comments;
mod directive_texts;
mod expand;
mod file;
mod included;
pub mod lexer;
mod macro_expanded;
mod macros;
pub mod markers;
mod places;
mod preprocess;
mod span;
mod spelling;
pub mod strip;
mod unit;

pub use alignment::{Alignment, Origin};
pub use bytes::{decode_bytes, encode_bytes};
pub use call::Call;
pub use comments::{Commented, Note};
pub use file::SourceFile;
pub use file::pieces::Joint;
pub use included::tokens_of;
pub use macros::{Macro, Macros, expand};
pub use places::{Beside, DirectivePlace, Location};
pub use preprocess::Preprocessor;
pub use span::{Span, Spanned};
pub use spelling::Spellings;
pub use strip::ForeignPragma;
pub use unit::TranslationUnit;

#[cfg(test)]
mod invariant_tests;

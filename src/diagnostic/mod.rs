//! What is wrong with an input, independent of how it is shown.
//!
//! Stages push [`Diagnostic`]s into a [`Diagnostics`] and go on where they
//! can, so that one run reports all errors of a file. The driver renders them
//! (human, short or JSON).

pub mod codes;
pub mod words;

use serde_json::{Map, Value};

use crate::source::Span;

/// A stable name of a kind of diagnostic, such as `A0401`; `accrs explain`
/// shows its page. The constants are in [`codes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub &'static str);

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The input cannot be translated.
    Error,
    /// Translated, though probably not what was meant.
    Warning,
    /// Something worth knowing (`--feedback`).
    Note,
}

/// Where a label points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A range of the preprocessed text.
    Span(Span),
    /// A byte range of the main file, included files that are read in place
    /// with it, for errors found before preprocessing.
    Source(std::ops::Range<usize>),
}

/// An underlined piece of source and what to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// What is underlined.
    pub place: Place,
    /// The text beside the underline; may be empty.
    pub text: String,
}

/// The key of a note that people are not shown: nothing could be done otherwise, or another one
/// says it.
pub const MINOR: &str = "minor";

/// The key of what the way out puts in the primary place, where that is all of it.
pub const REPLACEMENT: &str = "replacement";

/// The key of the number of the place that it stands in, where that is not the primary one.
const REPLACED: &str = "replaced";

/// The key of what something costs in comparison with others; larger is worse.
pub const RANK: &str = "rank";

/// One error, warning or note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// Which kind.
    pub code: Code,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// The first label is the primary place; none means the whole file.
    pub labels: Vec<Label>,
    /// Facts that help to understand.
    pub notes: Vec<String>,
    /// The way out.
    pub help: Option<Box<str>>,
    /// What the sentences say, for programs that read the JSON form: figures
    /// and names, by the keys that `docs/feedback.md` lists.
    pub data: Box<Map<String, Value>>,
}

impl Diagnostic {
    /// An error at a span.
    pub fn error(code: Code, message: impl Into<String>, span: Span) -> Self {
        Self::new(Severity::Error, code, message, Place::Span(span))
    }

    /// A note of its own, as `--feedback` has them.
    pub fn remark(code: Code, message: impl Into<String>, span: Span) -> Self {
        Self::new(Severity::Note, code, message, Place::Span(span))
    }

    /// A warning at a span.
    pub fn warning(code: Code, message: impl Into<String>, span: Span) -> Self {
        Self::new(Severity::Warning, code, message, Place::Span(span))
    }

    /// A diagnostic with its primary place.
    pub fn new(severity: Severity, code: Code, message: impl Into<String>, place: Place) -> Self {
        let text = String::new();
        Self {
            severity,
            labels: vec![Label { place, text }],
            ..Self::global(code, message)
        }
    }

    /// An error that has no place in a source file.
    pub fn global(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            data: Box::default(),
        }
    }

    /// Sets the text beside the primary underline.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(first) = self.labels.first_mut() {
            first.text = text.into();
        }
        self
    }

    /// Adds a further place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            place: Place::Span(span),
            text: text.into(),
        });
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a figure or name for programs.
    #[must_use]
    pub fn data(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.data.insert(key.to_owned(), value.into());
        self
    }

    /// Sets the way out.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into().into_boxed_str());
        self
    }

    /// Sets a question about words as the way out ([`words::did_you_mean`]); a word that is asked about
    /// alone is what stands in the primary place once it is right.
    #[must_use]
    pub fn question(self, text: impl Into<String>) -> Self {
        let text = text.into();
        let word = words::asked_about(&text).map(str::to_owned);
        let problem = self.help(text);
        match word {
            Some(word) => problem.replacement(word),
            None => problem,
        }
    }

    /// Sets what stands in the primary place once it is right.
    #[must_use]
    pub fn replacement(self, text: impl Into<String>) -> Self {
        self.data(REPLACEMENT, text.into())
    }

    /// The same of the further place that was added last.
    #[must_use]
    pub fn replacement_there(self, text: impl Into<String>) -> Self {
        let last = self.labels.len().saturating_sub(1);
        self.data(REPLACED, last).replacement(text)
    }

    /// Which of its places a replacement stands in.
    pub fn replaced(&self) -> usize {
        let number = self.data.get(REPLACED).and_then(Value::as_u64);
        number.map_or(0, |number| usize::try_from(number).unwrap_or(0))
    }
}

/// The diagnostics of one translation unit, in the order found.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Adds some, each once: a kernel and the one for arrays that overlap have the
    /// same.
    pub fn extend_once(&mut self, list: Vec<Diagnostic>) {
        for (index, one) in list.iter().enumerate() {
            if !list[..index].contains(one) {
                self.push(one.clone());
            }
        }
    }

    /// Takes out the first warning of a code at a place: an error there says more.
    pub fn take_warning(&mut self, code: Code, place: &Place) -> Option<Diagnostic> {
        let is_it = |d: &Diagnostic| {
            d.severity == Severity::Warning
                && d.code == code
                && d.labels.first().map(|label| &label.place) == Some(place)
        };
        let at = self.list.iter().position(is_it)?;
        Some(self.list.remove(at))
    }

    /// Whether any is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// All, in the order found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// All, to change what is said.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Diagnostic> {
        self.list.iter_mut()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

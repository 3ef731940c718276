//! Places of a translation unit as the renderer wants them.

use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::render::{Locate, Location, SourceFile};
use crate::diagnostic::Place;
use crate::source::{Span, TranslationUnit};

/// The places of a file that is not preprocessed.
pub struct FileSource(Arc<SourceFile>);

impl FileSource {
    /// A file of these bytes.
    pub fn new(path: &Path, bytes: &[u8]) -> Self {
        Self(Arc::new(SourceFile::new(
            path.to_string_lossy(),
            bytes.to_vec(),
        )))
    }
}

impl Locate for FileSource {
    fn locate(&self, place: &Place) -> Option<Location> {
        let Place::Source(range) = place else {
            return None;
        };
        Some(Location {
            file: Arc::clone(&self.0),
            range: range.clone(),
        })
    }
}

/// Maps spans to the main file and those read in place and, on the line alone,
/// to other headers.
pub struct UnitSources<'a> {
    unit: &'a TranslationUnit,
    /// Files read so far; few diagnostics point into any but the main file.
    files: RefCell<Vec<Arc<SourceFile>>>,
}

impl<'a> UnitSources<'a> {
    /// The places of a unit.
    pub fn new(unit: &'a TranslationUnit) -> Self {
        Self {
            unit,
            files: RefCell::default(),
        }
    }

    fn in_main(&self, range: Range<usize>) -> Location {
        let (origin, range) = self.unit.file.origin_range(range);
        let file = self.file(&origin.path, || Some(origin.bytes.clone()));
        Location {
            file: file.expect("its bytes were given"),
            range,
        }
    }

    /// The line of a header, as wide as its text.
    fn in_header(&self, span: Span) -> Option<Location> {
        let place = self.unit.location(span);
        let path = Path::new(place.file);
        let file = self.file(path, || std::fs::read(path).ok())?;
        let line = (place.line as usize).saturating_sub(1);
        let range = file.trimmed_line(line);
        Some(Location { file, range })
    }

    fn file(&self, path: &Path, read: impl FnOnce() -> Option<Vec<u8>>) -> Option<Arc<SourceFile>> {
        let name = path.to_string_lossy();
        // The main file's folder is named to the preprocessor, to the user it is here.
        let is_main = path == self.unit.file.path;
        let name = match name.strip_prefix("./").filter(|_| !is_main) {
            Some(name) => name.to_owned().into(),
            None => name,
        };
        let mut files = self.files.borrow_mut();
        if let Some(known) = files.iter().find(|file| file.name() == name) {
            return Some(Arc::clone(known));
        }
        let file = Arc::new(SourceFile::new(name, read()?));
        files.push(Arc::clone(&file));
        Some(file)
    }
}

impl Locate for UnitSources<'_> {
    fn locate(&self, place: &Place) -> Option<Location> {
        match place {
            Place::Source(range) => Some(self.in_main(range.clone())),
            Place::Span(span) => match self.unit.original_range(*span) {
                Some(range) => Some(self.in_main(range)),
                None => self.in_header(*span),
            },
        }
    }

    fn is_exact(&self, place: &Place) -> bool {
        match place {
            Place::Source(_) => true,
            Place::Span(span) => self.unit.exact_range(*span).is_some(),
        }
    }

    fn backtrace(&self, place: &Place) -> Vec<String> {
        match place {
            Place::Source(_) => Vec::new(),
            Place::Span(span) => self.unit.backtrace(*span),
        }
    }
}

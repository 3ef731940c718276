//! Places of a translation unit as the renderer wants them.

use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::render::{Locate, Location, SourceFile};
use crate::diagnostic::Place;
use crate::source::{Span, TranslationUnit};

/// Maps spans to the main file and, on the line alone, to headers.
pub struct UnitSources<'a> {
    unit: &'a TranslationUnit,
    main: Arc<SourceFile>,
    /// Headers read so far; few diagnostics point into any.
    headers: RefCell<Vec<Arc<SourceFile>>>,
}

impl<'a> UnitSources<'a> {
    /// The places of a unit.
    pub fn new(unit: &'a TranslationUnit) -> Self {
        let name = unit.file.path.to_string_lossy();
        let main = Arc::new(SourceFile::new(name, unit.file.bytes.clone()));
        Self {
            unit,
            main,
            headers: RefCell::default(),
        }
    }

    fn in_main(&self, range: Range<usize>) -> Location {
        Location {
            file: Arc::clone(&self.main),
            range,
        }
    }

    /// The line of a header, as wide as its text.
    fn in_header(&self, span: Span) -> Option<Location> {
        let place = self.unit.location(span);
        let file = self.header(place.file.as_ref())?;
        let line = (place.line as usize).saturating_sub(1);
        let start = file.line_start(line);
        let text = file.line_bytes(line);
        let indent = text.len() - text.trim_ascii_start().len();
        let end = start + text.trim_ascii_end().len();
        Some(Location {
            range: (start + indent).min(end)..end,
            file,
        })
    }

    fn header(&self, path: &Path) -> Option<Arc<SourceFile>> {
        let name = path.to_string_lossy();
        let mut headers = self.headers.borrow_mut();
        if let Some(known) = headers.iter().find(|file| file.name() == name) {
            return Some(Arc::clone(known));
        }
        let file = Arc::new(SourceFile::new(name, std::fs::read(path).ok()?));
        headers.push(Arc::clone(&file));
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
}

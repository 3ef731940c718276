//! Names in generated lines that are macros where the lines go.
//!
//! What is printed has been through the preprocessor once. A name that is left in it, and is a
//! macro's, would be replaced a second time: that macro is set aside meanwhile. For
//! `#define vel st->vel`:
//!
//! ```text
//! accrs_begin("flow.c", 9, "data");
//! #pragma push_macro("vel")
//! #undef vel
//! accrs_copy("vel[0:n]", st->vel, 0, n * sizeof(double));
//! #pragma pop_macro("vel")
//! ```
//!
//! Calls that the user wrote are there as he has them ([`super::written`]).

use super::Host;
use super::frame::FALLBACK_PLACE;

/// A generated line and the column that it begins in.
pub(super) type Line = (usize, String);

impl Host<'_> {
    /// Lines for a place of the text, with macros that they name set aside. The user's own text
    /// among them keeps its macros.
    pub(super) fn literal(&self, lines: Vec<Line>, at: u32) -> Vec<Line> {
        let mut out = Vec::new();
        for part in lines.split_inclusive(|(_, line)| line == FALLBACK_PLACE) {
            self.literal_part(part, at, &mut out);
        }
        out
    }

    fn literal_part(&self, lines: &[Line], at: u32, out: &mut Vec<Line>) {
        let mut names: Vec<&str> = Vec::new();
        let mut first = None;
        let mut end = 0;
        for (number, (_, line)) in lines.iter().enumerate() {
            let mut found = self.macros.replaced(line, at);
            let kept = self.kept_macros.borrow();
            found.retain(|name| !kept.contains(*name));
            if !found.is_empty() {
                first = first.or(Some(number));
                end = number + 1;
            }
            let new: Vec<&str> = found.into_iter().filter(|f| !names.contains(f)).collect();
            names.extend(new);
        }
        let (before, rest) = lines.split_at(first.unwrap_or(0));
        let (named, behind) = rest.split_at(end - before.len());
        out.extend_from_slice(before);
        for name in &names {
            out.push((0, format!("#pragma push_macro(\"{name}\")")));
            out.push((0, format!("#undef {name}")));
        }
        out.extend_from_slice(named);
        out.extend(
            names
                .iter()
                .map(|name| (0, format!("#pragma pop_macro(\"{name}\")"))),
        );
        out.extend_from_slice(behind);
    }

    /// The same for lines at the indentation that they have.
    pub(super) fn literal_text(&self, text: &str, at: u32) -> Vec<Line> {
        let line = |line: &str| {
            let trimmed = line.trim_start();
            (line.len() - trimmed.len(), trimmed.to_owned())
        };
        self.literal(text.lines().map(line).collect(), at)
    }
}

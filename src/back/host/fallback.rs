//! The text of a compute region, for a run on the host.
//!
//! ```text
//! #pragma acc parallel loop copy(x)       } else {
//! for (int i = 0; i < n; i++)       ->        for (int i = 0; i < n; i++)
//!     x[i] *= 2;                                  x[i] *= 2;
//!                                         }
//! ```

use std::ops::Range;

use super::Host;
use super::edit::{Edits, Insertion};

impl Host<'_> {
    /// A statement without its directives, with others, at the depth of the code that
    /// runs it: `indent`.
    pub(super) fn host_text(
        &self,
        range: Range<usize>,
        indent: &str,
        insertions: &[Insertion],
        edits: &Edits<'_>,
    ) -> String {
        let directives = self.source.directives_within(&range);
        let text = edits.without(range.clone(), &directives, insertions);
        if !self.options.line_marks {
            let text = text.trim_start_matches('\n');
            return shifted(text, indent).unwrap_or_else(|| text.to_string());
        }
        match text.strip_prefix('\n') {
            Some(next) => edits.mark(range.start + 1) + next,
            None => edits.mark(range.start) + &text,
        }
    }
}

/// The lines moved to `indent`, however long they are then. `None` where that may change them.
fn shifted(text: &str, indent: &str) -> Option<String> {
    let first = text.lines().next()?;
    let own = first.len() - first.trim_start_matches(' ').len();
    let is_plain = |line: &str| !line.ends_with('\\') && !line.trim_start().starts_with('\t');
    if first[own..].starts_with('\t') || !text.lines().all(is_plain) {
        return None;
    }
    let by = " ".repeat(indent.len().checked_sub(own)?);
    let mut out = String::new();
    for line in text.lines() {
        if !line.is_empty() && !line.starts_with('#') {
            out.push_str(&by);
            out.push_str(line);
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    Some(out.trim_end().to_string())
}

#[cfg(test)]
mod tests {
    use super::shifted;

    #[test]
    fn lines_move_together() {
        let text = "    for (;;)\n#if 1\n        x();\n\n#endif";
        let moved = "            for (;;)\n#if 1\n                x();\n\n#endif";
        assert_eq!(shifted(text, "            ").as_deref(), Some(moved));
    }

    #[test]
    fn what_depends_on_its_columns_stays() {
        assert_eq!(shifted("f(\"a \\\n b\");", "            "), None);
    }
}

//! Lines moved behind more blanks, by the user's tabs or by columns.
//!
//! ```text
//! for (;;)                   for (;;)
//!     x();           =>          x();
//! #endif                 #endif
//! ```

use crate::source::{decode_bytes, encode_bytes};

/// The columns of a tab.
pub(super) const TAB: usize = 8;

/// What a block has between its braces, if a statement is one. What stands on the line of the
/// brace is as deep as what follows.
pub(super) fn within_braces(statement: &str) -> Option<String> {
    let inner = statement.trim().strip_prefix('{')?.strip_suffix('}')?;
    let code = inner.trim_start();
    let begin = inner.len() - code.len();
    let depth = match inner[..begin].rfind('\n') {
        Some(line) => &inner[line + 1..begin],
        None => code.lines().skip(1).find_map(blanks).unwrap_or_default(),
    };
    let text = format!("{depth}{}", code.trim_end());
    (!code.is_empty()).then_some(text)
}

/// What a line that is not blank begins with.
fn blanks(line: &str) -> Option<&str> {
    let code = line.trim_start_matches([' ', '\t']);
    (!code.trim().is_empty()).then(|| &line[..line.len() - code.len()])
}

/// The lines moved to `indent`, however long they are then. `None` where that is no deeper.
pub(super) fn shifted(text: &str, indent: &str) -> Option<String> {
    let first = text.lines().next()?;
    let by = indent.strip_prefix(blanks(first)?)?;
    Some(moved(text, by, false).trim_end().to_string())
}

/// The lines of a text moved behind more blanks, but for the first one.
pub(super) fn shifted_bytes(text: &[u8], by: &str) -> Vec<u8> {
    encode_bytes(&moved(&decode_bytes(text), by, true)).to_vec()
}

/// Lines behind more blanks. What goes on behind a backslash stays where that may change it: in a
/// literal, in a directive, in the middle of a word.
fn moved(text: &str, by: &str, keeps_first: bool) -> String {
    let mut out = String::new();
    let mut stays = keeps_first;
    // The line that goes on may be in a literal, or a directive.
    let mut is_tied = false;
    for line in text.split_inclusive('\n') {
        let is_blank = line.trim().is_empty();
        is_tied |= line.contains(['"', '\'']) || line.trim_start().starts_with('#');
        match is_blank || line.starts_with('#') || stays {
            true => out.push_str(line),
            false => out.push_str(&deeper(line, by)),
        }
        let code = line.trim_end_matches(['\r', '\n']);
        let continued = code.strip_suffix('\\');
        stays = continued.is_some_and(|code| is_tied || !code.ends_with([' ', '\t']));
        is_tied &= continued.is_some();
    }
    out
}

/// A line behind more blanks. Blanks before a tab would not move it.
fn deeper(line: &str, by: &str) -> String {
    let code = line.trim_start_matches([' ', '\t']);
    let blanks = &line[..line.len() - code.len()];
    if by.contains('\t') || !blanks.contains('\t') {
        return format!("{by}{line}");
    }
    let columns = columns(blanks) + by.len();
    let (tabs, rest) = ("\t".repeat(columns / TAB), " ".repeat(columns % TAB));
    format!("{tabs}{rest}{code}")
}

/// How wide blanks are.
pub(super) fn columns(blanks: &str) -> usize {
    let next = |at: usize, blank| match blank {
        '\t' => (at / TAB + 1) * TAB,
        _ => at + 1,
    };
    blanks.chars().fold(0, next)
}

/// A line that begins with tabs instead of blanks.
pub(super) fn tabbed(line: &str) -> String {
    let code = line.trim_start_matches(' ');
    let blanks = line.len() - code.len();
    let (tabs, rest) = ("\t".repeat(blanks / TAB), " ".repeat(blanks % TAB));
    format!("{tabs}{rest}{code}")
}

#[cfg(test)]
mod tests {
    use super::{shifted, within_braces};

    #[test]
    fn lines_move_together() {
        let text = "    for (;;)\n#if 1\n        x();\n\n#endif";
        let moved = "            for (;;)\n#if 1\n                x();\n\n#endif";
        assert_eq!(shifted(text, "            ").as_deref(), Some(moved));
    }

    #[test]
    fn tabs_move_by_tabs_or_columns() {
        let text = "\tfor (;;)\n\t\tx();";
        let moved = "\t\tfor (;;)\n\t\t\tx();";
        assert_eq!(shifted(text, "\t\t").as_deref(), Some(moved));
        let text = "    for (;;)\n\tx();";
        let moved = "        for (;;)\n\t    x();";
        assert_eq!(shifted(text, "        ").as_deref(), Some(moved));
    }

    #[test]
    fn braces_around_braces_go() {
        let inner = within_braces("  {\n    x();\n  }");
        assert_eq!(inner.as_deref(), Some("    x();"));
        let inner = within_braces("{ // why\n    x();\n  }");
        assert_eq!(inner.as_deref(), Some("    // why\n    x();"));
        assert_eq!(within_braces("{ x(); }").as_deref(), Some("x();"));
        assert_eq!(within_braces("{ }"), None);
    }

    #[test]
    fn what_depends_on_its_columns_stays() {
        let moved = |text| shifted(text, "    ");
        let text = "f(\"a \\\n b\");\ng();";
        let kept = "    f(\"a \\\n b\");\n    g();";
        assert_eq!(moved(text).as_deref(), Some(kept));
        let text = "x = a \\\n  + 'b' \\\n+ 1;\nin\\\nt y;";
        let kept = "    x = a \\\n      + 'b' \\\n+ 1;\n    in\\\nt y;";
        assert_eq!(moved(text).as_deref(), Some(kept));
        let text = "x;\n  # define S \\\n 1\ny;";
        let kept = "    x;\n      # define S \\\n 1\n    y;";
        assert_eq!(moved(text).as_deref(), Some(kept));
    }
}

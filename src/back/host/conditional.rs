//! Preprocessor conditionals within a region.

/// Whether the `#if`s of a text end in it, and nothing in it belongs to an
/// `#if` before it, so that it can be cut out as a whole.
pub fn is_balanced(text: &[u8]) -> bool {
    let mut depth = 0usize;
    for line in text.split(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(line);
        let Some(directive) = line.trim_start().strip_prefix('#') else {
            continue;
        };
        let directive = directive.trim_start();
        let name_end = directive
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(directive.len());
        match &directive[..name_end] {
            "if" | "ifdef" | "ifndef" => depth += 1,
            "elif" | "else" if depth == 0 => return false,
            "endif" if depth == 0 => return false,
            "endif" => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::is_balanced;

    #[test]
    fn a_region_may_hold_whole_conditionals_only() {
        assert!(is_balanced(b"for (;;)\n# if A\nx;\n#else\ny;\n#endif\n"));
        assert!(!is_balanced(b"#endif\nfor (;;)\n#ifdef A\nx;\n#endif"));
        assert!(!is_balanced(b"for (;;)\n#ifdef A\nx;"));
        assert!(!is_balanced(b"for (;;) x;\n#else\n"));
    }
}

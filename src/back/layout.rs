//! Lines of generated code: indentation and the 100-column limit.

/// The last column of a generated line.
pub const COLUMNS: usize = 100;

/// Collects indented lines.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    /// Starts at a depth of four columns each.
    pub fn at(depth: usize) -> Self {
        Self {
            text: String::new(),
            depth,
        }
    }

    /// Adds a line, broken where it is too long.
    pub fn line(&mut self, text: &str) {
        wrap(&mut self.text, text, self.depth * 4);
    }

    /// Adds a blank line, but at the beginning of a block.
    pub fn blank(&mut self) {
        let lines = self.text.trim_end_matches(' ');
        if !lines.is_empty() && !lines.ends_with("{\n") && !lines.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Puts a comment behind the last line where there is room, else it is left out.
    pub fn append(&mut self, comment: &str, columns: usize) {
        let last = self.text.trim_end_matches('\n').rsplit('\n').next();
        let width = last.map_or(0, |line| line.chars().count());
        let has_comment = last.is_some_and(|line| line.contains("//"));
        if !has_comment && width + 1 + comment.chars().count() <= columns {
            self.text.truncate(self.text.trim_end_matches('\n').len());
            self.text.push_str(&format!(" {comment}\n"));
        }
    }

    /// Adds text that ends in a brace, and goes one deeper.
    pub fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }

    /// Goes one back, and adds the closing text.
    pub fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text);
    }

    /// A line one level further out: labels and cases.
    pub fn outdented(&mut self, text: &str) {
        wrap(&mut self.text, text, self.depth.saturating_sub(1) * 4);
    }

    /// One level deeper, or back.
    pub fn indent(&mut self, deeper: bool) {
        self.depth = if deeper {
            self.depth + 1
        } else {
            self.depth - 1
        };
    }

    /// All lines.
    pub fn finish(self) -> String {
        self.text
    }
}

/// Writes one logical line, broken at its outermost blanks where it would
/// pass [`COLUMNS`]; continuation lines stand four columns deeper.
pub fn wrap(out: &mut String, text: &str, indent: usize) {
    let mut rest = text;
    let mut margin = indent;
    loop {
        let room = COLUMNS.saturating_sub(margin).max(20);
        if rest.chars().nth(room).is_none() {
            out.push_str(&" ".repeat(if rest.is_empty() { 0 } else { margin }));
            out.push_str(rest);
            out.push('\n');
            return;
        }
        let Some(at) = break_point(rest, room) else {
            out.push_str(&" ".repeat(margin));
            out.push_str(rest);
            out.push('\n');
            return;
        };
        out.push_str(&" ".repeat(margin));
        out.push_str(rest[..at].trim_end());
        out.push('\n');
        let comment = text.starts_with("//");
        rest = rest[at..].trim_start();
        margin = if comment { indent } else { indent + 4 };
        if comment {
            let continued = format!("// {rest}");
            return wrap(out, &continued, indent);
        }
    }
}

/// The byte offset of the blank at which a line is best broken: at the smallest
/// depth of parentheses around the operator that binds least, there the last
/// within `room`; never inside a string.
fn break_point(text: &str, room: usize) -> Option<usize> {
    let mut depth = 0usize;
    // Lists of template arguments that are open.
    let mut templates = 0usize;
    let mut quote = None;
    let mut escaped = false;
    let mut best: Option<((usize, Binding), usize)> = None;
    for (column, (at, c)) in text.char_indices().enumerate() {
        if column > room {
            break;
        }
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(q), _) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            // A launch's configuration stays on one line.
            (None, '<' | '>') if is_launch_bracket(text, at) => {
                depth = if c == '<' {
                    depth + 2
                } else {
                    depth.saturating_sub(2)
                };
            }
            (None, '<') if opens_arguments(text, at) => {
                depth += 1;
                templates += 1;
            }
            (None, '>') if templates > 0 && !text[..at].ends_with(['-', ' ']) => {
                depth = depth.saturating_sub(1);
                templates -= 1;
            }
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            // Too early a break gains nothing.
            (None, ' ') if column > room / 3 => {
                if let Some(binding) = binding(&text[..at], &text[at + 1..])
                    && best.is_none_or(|(least, _)| (depth, binding) <= least)
                {
                    best = Some(((depth, binding), at));
                }
            }
            _ => {}
        }
    }
    best.map(|(_, at)| at)
}

/// Whether the first of three angle brackets stands here.
fn is_launch_bracket(text: &str, at: usize) -> bool {
    let three = ["<", ">"].map(|bracket| bracket.repeat(3));
    three
        .iter()
        .any(|bracket| text[at..].starts_with(bracket.as_str()))
}

/// Whether a template's arguments begin here: a comparison has blanks around it.
fn opens_arguments(text: &str, at: usize) -> bool {
    let follows_name = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    follows_name && !text[at + 1..].starts_with([' ', '<', '='])
}

/// How closely what stands on both sides of a blank belongs together, loosest
/// first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Words,
    Parts,
    Choice,
    Or,
    And,
    Comparison,
    Bits,
    Shift,
    Sum,
    Product,
    Assignment,
}

/// Lines break after a comma, semicolon or assignment, and before binary
/// operators; a type and its name stay together.
fn binding(before: &str, after: &str) -> Option<Binding> {
    if before.starts_with("//") {
        return Some(Binding::Words);
    }
    if before.ends_with([',', ';']) {
        return Some(Binding::Parts);
    }
    let last = before.rsplit(' ').next().unwrap_or("");
    let is_operator = |text: &str| text.chars().all(|c| "+-*/%<>=!&|^".contains(c));
    let is_comparison = |text: &str| matches!(text, "==" | "!=" | "<" | ">" | "<=" | ">=");
    if last.ends_with('=') && is_operator(last) && !is_comparison(last) {
        return Some(Binding::Assignment);
    }
    Some(match after.split(' ').next().unwrap_or("") {
        "?" | ":" => Binding::Choice,
        "||" => Binding::Or,
        "&&" => Binding::And,
        next if is_comparison(next) => Binding::Comparison,
        "|" | "^" | "&" => Binding::Bits,
        "<<" | ">>" => Binding::Shift,
        "+" | "-" => Binding::Sum,
        "*" | "/" | "%" => Binding::Product,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_the_outermost_operator() {
        let mut out = String::new();
        let term = "temperature[(row - 1) * columns + column]";
        wrap(&mut out, &format!("x = {term} + {term} + {term};"), 4);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.len() <= COLUMNS));
        assert!(lines[1].trim_start().starts_with('+'));
    }

    #[test]
    fn conditions_break_before_their_parts() {
        let mut out = String::new();
        let text = "if (column >= 0 && column < extent && place >= present_a.begin && place < present_a.end)";
        wrap(&mut out, text, 16);
        let second = out.lines().nth(1).unwrap_or_default();
        assert_eq!(second.trim_start(), "&& place < present_a.end)");
    }

    #[test]
    fn strings_are_never_broken() {
        let mut out = String::new();
        let text = format!("printf(\"{}\", value);", "a b ".repeat(30));
        wrap(&mut out, &text, 0);
        assert!(out.contains(&"a b ".repeat(30)));
    }
}

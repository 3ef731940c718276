//! Lines of generated code: indentation and the 100-column limit.

/// The last column of a generated line.
pub const COLUMNS: usize = 100;

/// Collects indented lines.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    text: String,
    depth: usize,
    /// The user's line that those to come are of, from 1; 0 where that is not recorded.
    pub origin: u32,
    /// That of each line up to now.
    origins: Vec<u32>,
}

/// A place between lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    text: usize,
    line: usize,
}

impl Lines {
    /// Starts at a depth of four columns each.
    pub fn at(depth: usize) -> Self {
        Self {
            depth,
            ..Self::default()
        }
    }

    /// Adds a line, broken where it is too long; several stay as they are.
    pub fn line(&mut self, text: &str) {
        match text.contains('\n') {
            true => self.as_they_are(text.lines(), self.depth),
            false => self.wrapped(text, self.depth),
        }
    }

    /// Adds a comment of the user's.
    pub fn comment(&mut self, lines: &[String]) {
        self.line(&lines.join("\n"));
    }

    /// Adds comments of the user's.
    pub fn comments(&mut self, comments: &[Vec<String>]) {
        comments.iter().for_each(|lines| self.comment(lines));
    }

    /// Adds a comment one level further out.
    pub fn outdented_comment(&mut self, lines: &[String]) {
        self.depth = self.depth.saturating_sub(1);
        self.comment(lines);
        self.depth += 1;
    }

    fn as_they_are<'l>(&mut self, lines: impl Iterator<Item = &'l str>, depth: usize) {
        for line in lines {
            let margin = if line.is_empty() { 0 } else { depth * 4 };
            self.text
                .push_str(&format!("{}{line}\n", " ".repeat(margin)));
            self.origins.push(self.origin);
        }
    }

    /// Whether lines have room, with so many columns behind the last one.
    pub fn have_room(&self, lines: &[String], behind: usize) -> bool {
        let more = |index: usize| if index + 1 == lines.len() { behind } else { 0 };
        let width = |(index, line): (usize, &String)| line.chars().count() + more(index);
        let widest = lines.iter().enumerate().map(width).max();
        self.depth * 4 + widest.unwrap_or_default() <= COLUMNS
    }

    fn wrapped(&mut self, text: &str, depth: usize) {
        let before = self.text.len();
        wrap(&mut self.text, text, depth * 4);
        let added = memchr::memchr_iter(b'\n', &self.text.as_bytes()[before..]).count();
        let count = self.origins.len() + added;
        self.origins.resize(count, self.origin);
    }

    /// Adds a blank line, but at the beginning of a block.
    pub fn blank(&mut self) {
        let lines = self.text.trim_end_matches(' ');
        if !lines.is_empty() && !lines.ends_with("{\n") && !lines.ends_with("\n\n") {
            self.text.push('\n');
            self.origins.push(0);
        }
    }

    /// Where the next line begins.
    pub fn end(&self) -> Place {
        Place {
            text: self.text.len(),
            line: self.origins.len(),
        }
    }

    /// What stands behind a place.
    pub fn since(&self, place: Place) -> &str {
        &self.text[place.text..]
    }

    /// Other lines in place of those behind a place, as they are.
    pub fn replace(&mut self, place: Place, lines: &[String]) {
        self.text.truncate(place.text);
        self.origins.truncate(place.line);
        self.as_they_are(lines.iter().map(String::as_str), self.depth);
    }

    /// A comment before the lines behind a place.
    pub fn insert(&mut self, place: Place, comment: &[String]) {
        let behind = self.text.split_off(place.text);
        let origins = self.origins.split_off(place.line);
        self.comment(comment);
        self.text.push_str(&behind);
        self.origins.extend(origins);
    }

    /// A line, broken where it is too long, in place of those behind a place.
    pub fn rewrite(&mut self, place: Place, text: &str) {
        self.text.truncate(place.text);
        self.origins.truncate(place.line);
        self.line(text);
    }

    /// Puts a comment behind the last line or, where there is no room, before the line that begins
    /// at `start`.
    pub fn append(&mut self, comment: &str, start: Place) {
        let last = self.text.trim_end_matches('\n').rsplit('\n').next();
        let width = last.map_or(0, |line| line.chars().count());
        let has_comment = last.is_some_and(|line| line.contains("//"));
        if has_comment || width + 1 + comment.chars().count() > COLUMNS {
            return self.insert(start, &[comment.to_owned()]);
        }
        let length = self.text.trim_end_matches('\n').len();
        let blank = self.text.len().saturating_sub(length + 1);
        self.origins.truncate(self.origins.len() - blank);
        self.text.truncate(length);
        self.text.push_str(&format!(" {comment}\n"));
    }

    /// Puts a comment behind the last line, if that is the head of a statement and has room.
    pub fn append_to_head(&mut self, comment: &str) -> bool {
        let Some(text) = self.text.strip_suffix('\n') else {
            return false;
        };
        let last = text.rsplit('\n').next().unwrap_or_default();
        let is_head = [") {", "else {", "do {", ": {", ")", "else"];
        let is_head = is_head.iter().any(|end| last.ends_with(end));
        let width = last.chars().count() + 1 + comment.chars().count();
        if !is_head || last.contains("//") || width > COLUMNS {
            return false;
        }
        self.text.truncate(self.text.len() - 1);
        self.text.push_str(&format!(" {comment}\n"));
        true
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
        self.wrapped(text, self.depth.saturating_sub(1));
    }

    /// Puts a brace behind the last line, if that is a label of a `switch`.
    pub fn append_to_label(&mut self) -> bool {
        let last = self.text.trim_end_matches('\n').rsplit('\n').next();
        let last = last.unwrap_or_default().trim_start();
        let begins = last.starts_with("case ") || last.starts_with("default:");
        let is_label = begins && self.text.ends_with(":\n");
        if is_label {
            self.text.truncate(self.text.len() - 1);
            self.text.push_str(" {\n");
        }
        is_label
    }

    /// One level deeper, or back.
    pub fn indent(&mut self, deeper: bool) {
        self.depth = if deeper {
            self.depth + 1
        } else {
            self.depth - 1
        };
    }

    /// All lines, with their origins where these are recorded ([`take_origins`]).
    pub fn finish(self) -> String {
        if self.origins.iter().all(|origin| *origin == 0) {
            return self.text;
        }
        let lines = self.text.lines().zip(&self.origins);
        lines
            .map(|(line, &origin)| with_origin(line, origin))
            .collect()
    }
}

/// Parts a line from its origin, behind it; no text of C that is printed has it.
const ORIGIN: char = '\u{1}';

fn with_origin(line: &str, origin: u32) -> String {
    match origin {
        0 => format!("{line}\n"),
        origin => format!("{line}{ORIGIN}{origin}\n"),
    }
}

/// A text whose lines are all of one line of the user's; as it is for 0.
pub fn of_line(text: String, origin: u32) -> String {
    if origin == 0 {
        return text;
    }
    let lines: String = text.lines().map(|line| with_origin(line, origin)).collect();
    lines.trim_end_matches('\n').to_string()
}

/// A text without the origins of its lines, and these: 0 for those that have none.
pub fn take_origins(text: &str) -> (String, Vec<u32>) {
    let mut plain = String::with_capacity(text.len());
    let mut origins = Vec::new();
    for line in text.lines() {
        let parted = line.rsplit_once(ORIGIN);
        let known = parted.and_then(|(line, origin)| Some((line, origin.parse().ok()?)));
        let (line, origin) = known.unwrap_or((line, 0));
        plain.push_str(line);
        plain.push('\n');
        origins.push(origin);
    }
    (plain, origins)
}

/// Writes one logical line, broken at its outermost blanks where it would
/// pass [`COLUMNS`]; continuation lines stand four columns deeper than the line that they go on from:
/// that in which the innermost open bracket is, or the first. A comment behind code that has
/// no room there stands before it.
pub fn wrap(out: &mut String, text: &str, indent: usize) {
    let is_long = indent + text.chars().count() > COLUMNS;
    if let Some(at) = trailing_comment(text).filter(|_| is_long) {
        wrap(out, &text[at..], indent);
        return wrap(out, text[..at].trim_end(), indent);
    }
    let mut rest = text;
    let mut margin = indent;
    // The margins of the lines in which the brackets begin that are open.
    let mut open: Vec<usize> = Vec::new();
    loop {
        let room = COLUMNS.saturating_sub(margin).max(20);
        if rest.chars().nth(room).is_none() {
            out.push_str(&" ".repeat(if rest.is_empty() { 0 } else { margin }));
            out.push_str(rest);
            out.push('\n');
            return;
        }
        let words = ["/* ", "{ /* "].iter().any(|start| text.starts_with(start));
        let found = match words {
            true => last_blank(rest, room),
            false => break_point(rest, room),
        };
        // What the user says behind it stays with its slashes.
        let with_slashes = |at: usize| match rest[..at].trim_end().strip_suffix(" //") {
            Some(before) if !before.trim().is_empty() => before.len(),
            _ => at,
        };
        let Some(at) = found.map(with_slashes) else {
            out.push_str(&" ".repeat(margin));
            out.push_str(rest);
            out.push('\n');
            return;
        };
        out.push_str(&" ".repeat(margin));
        out.push_str(rest[..at].trim_end());
        out.push('\n');
        let comment = text.starts_with("//");
        if !comment && !words {
            note_brackets(&rest[..at], margin, &mut open);
        }
        rest = rest[at..].trim_start();
        margin = match (comment, words) {
            (true, _) => indent,
            (_, true) => indent + 3,
            _ => open.last().unwrap_or(&indent) + 4,
        };
        if comment {
            let continued = match rest.starts_with("// ") {
                true => rest.to_owned(),
                false => format!("// {rest}"),
            };
            return wrap(out, &continued, indent);
        }
    }
}

/// Notes the brackets that a line opens, and forgets those that it closes.
fn note_brackets(line: &str, margin: usize, open: &mut Vec<usize>) {
    let (mut quote, mut escaped) = (None, false);
    for c in line.chars() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(q), _) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => open.push(margin),
            (None, ')' | ']' | '}') => {
                open.pop();
            }
            _ => {}
        }
    }
}

/// Whether a comment of several lines is open behind a line, as one is before it if `is_open`.
pub fn leaves_open(line: &str, mut is_open: bool) -> bool {
    let mut rest = line;
    let mut quote = None;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match quote {
            _ if is_open => {
                let Some(end) = rest.find("*/") else {
                    return true;
                };
                length = end + 2;
                is_open = false;
            }
            Some(_) if c == '\\' => length += rest[1..].chars().next().map_or(0, char::len_utf8),
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if rest.starts_with("//") => return false,
            None if rest.starts_with("/*") => {
                length = 2;
                is_open = true;
            }
            None => {}
        }
        rest = &rest[length..];
    }
    is_open
}

/// Where a comment to the end of the line begins behind code.
fn trailing_comment(text: &str) -> Option<usize> {
    let (mut quote, mut escaped) = (None, false);
    for (at, c) in text.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if text[at..].starts_with("//") => return (at > 0).then_some(at),
            None if text[at..].starts_with("/*") => return None,
            None => {}
        }
    }
    None
}

/// The byte offset of the last blank within `room` characters; what ends a comment stays with the word
/// before it.
fn last_blank(text: &str, room: usize) -> Option<usize> {
    let within = text.char_indices().take(room + 1);
    let blanks = within.filter(|(at, c)| {
        *c == ' ' && !text[..*at].trim().is_empty() && text[*at..].trim() != "*/"
    });
    blanks.last().map(|(at, _)| at)
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
    fn a_comment_behind_code_is_not_broken_into_code() {
        let mut out = String::new();
        let why = "// earlier writes of `first_x`, `second_x`, `third_x`, `fourth_x` visible to the fetch";
        wrap(&mut out, &format!("call(\"//\", '\"'); {why}"), 8);
        assert_eq!(out, format!("        {why}\n        call(\"//\", '\"');\n"));
    }

    #[test]
    fn comments_of_several_lines_are_open_between_these() {
        assert!(leaves_open("x = \"/*\"; /* a", false));
        assert!(leaves_open("b */ '\\'' /*", true));
        assert!(leaves_open(" * more", true));
        let closed = [
            "x = \"/*\";",
            "// /*",
            "x = 'a' / *p; /* a */",
            "'\\\\' /**/",
        ];
        assert!(closed.iter().all(|line| !leaves_open(line, false)));
        assert!(!leaves_open(" * end */ // /*", true));
    }

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
    fn arguments_stand_deeper_than_their_call() {
        let mut out = String::new();
        let argument = "temperature[row * columns + column]";
        let call = format!("diffusion({argument}, {argument}, {argument})");
        let target = "coefficients[(row - first_row) * columns + column - first_column]";
        wrap(&mut out, &format!("{target} = {call};"), 4);
        let blanks = out.lines().map(|line| line.len() - line.trim_start().len());
        assert_eq!(blanks.collect::<Vec<_>>(), [4, 8, 12], "{out}");
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
    fn lines_keep_their_origins() {
        let mut lines = Lines::at(1);
        lines.origin = 7;
        lines.line(&format!("x = {};", "temperature + ".repeat(10)));
        lines.origin = 8;
        lines.open("{");
        let start = lines.end();
        lines.line("y = 1;");
        lines.origin = 0;
        lines.blank();
        lines.append("// why", start);
        lines.origin = 9;
        let start = lines.end();
        lines.line(&format!("z = {};", "x".repeat(80)));
        lines.append("// no room behind it", start);
        lines.origin = 8;
        lines.close("}");
        let plain = |lines: Lines| lines.text;
        let expected = plain(lines.clone());
        let (text, origins) = take_origins(&lines.finish());
        assert_eq!(text, expected);
        assert_eq!(origins, [7, 7, 8, 8, 9, 9, 8]);
        let comment = "y = 1; // why\n        // no room behind it\n        z = x";
        assert!(text.contains(comment), "{text}");
    }

    #[test]
    fn strings_are_never_broken() {
        let mut out = String::new();
        let text = format!("printf(\"{}\", value);", "a b ".repeat(30));
        wrap(&mut out, &text, 0);
        assert!(out.contains(&"a b ".repeat(30)));
    }
}

//! Lambdas, by the numbers of their tokens.
//!
//! ```text
//! [&r = a[3], n](int i) mutable -> int & { return r; }
//!  capture                      head     body
//! ```

use std::ops::Range;

use super::tokens::Tokens;

/// A lambda.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lambda {
    /// What stands in its first brackets.
    pub capture: Range<usize>,
    /// What stands in its parentheses.
    pub parameters: Range<usize>,
    /// It gives a reference, as far as its head says.
    pub gives_reference: bool,
}

impl Tokens<'_> {
    /// The innermost lambda in whose body a token stands, within the body of a function.
    pub fn lambda_around(&self, token: usize, body: &Range<usize>) -> Option<Lambda> {
        let mut at = token;
        loop {
            at = at.checked_sub(1).filter(|at| body.contains(at))?;
            match self.at(at) {
                b")" | b"]" | b"}" => at = self.bracket_begin(at)?,
                b"{" => match self.lambda(at) {
                    None => {}
                    own => return own,
                },
                _ => {}
            }
        }
    }

    /// The lambda whose body begins with a brace.
    pub(super) fn lambda(&self, brace: usize) -> Option<Lambda> {
        let is_of_type = |at: usize| {
            self.is_name(at) || matches!(self.at(at), b"&" | b"&&" | b"*" | b":" | b"<" | b">")
        };
        let before = |at: usize, is_part: &dyn Fn(usize) -> bool| {
            let mut first = at;
            while first > 0 && is_part(first - 1) {
                first -= 1;
            }
            first
        };
        let mut first = before(brace, &is_of_type);
        let mut gives_reference = false;
        // `-> decltype(auto)`
        if let Some(open) = first
            .checked_sub(1)
            .and_then(|last| self.bracket_begin(last))
            && open > 1
            && self.at(open - 1) == b"decltype"
        {
            (first, gives_reference) = (open - 1, true);
        }
        if first > 0 && self.at(first - 1) == b"->" {
            gives_reference |= (first..brace).any(|at| matches!(self.at(at), b"&" | b"&&"));
            first = before(first - 1, &|at| self.is_name(at));
        }
        let last = first.checked_sub(1)?;
        let (close, parameters) = match self.at(last) {
            b")" => {
                let open = self.bracket_begin(last)?;
                (open.checked_sub(1)?, open + 1..last)
            }
            _ => (last, last..last),
        };
        let open = self
            .bracket_begin(close)
            .filter(|_| self.at(close) == b"]")?;
        let is_subscript = open > 0 && self.may_end_operand(open - 1);
        (!is_subscript).then_some(Lambda {
            capture: open + 1..close,
            parameters,
            gives_reference,
        })
    }

    /// Whether a lambda has a name of the function around it.
    pub fn captures(&self, lambda: &Lambda, name: &[u8]) -> bool {
        let parts = self.parts(lambda.capture.clone()).into_iter();
        parts.into_iter().any(|part| {
            let is_default = part.len() == 1 && matches!(self.at(part.start), b"=" | b"&");
            is_default
                || part
                    .clone()
                    .next_back()
                    .is_some_and(|last| self.at(last) == name)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::File;

    /// What the innermost lambda around `x` captures; `&` before it where it gives a reference.
    fn around(text: &str) -> Option<String> {
        let file = File::new(text.as_bytes());
        let tokens = file.tokens();
        let all = 0..tokens.list.len();
        let x = all.clone().find(|at| tokens.at(*at) == b"x").expect("x");
        let own = tokens.lambda_around(x, &all)?;
        let reference = if own.gives_reference { "&" } else { "" };
        Some(format!("{reference}{}", file.text_of(own.capture)))
    }

    #[test]
    fn lambdas_are_found() {
        for (text, expected) in [
            ("auto f = [](int i) { x; };", Some("")),
            ("auto f = [=] { if (i) { x; } };", Some("=")),
            (
                "auto f = [&r = a[3], n](int i) mutable { x; };",
                Some("&r = a[3], n"),
            ),
            ("auto f = [&](int i) -> int & { x; };", Some("&&")),
            ("auto f = [i]() -> decltype(auto) { x; };", Some("&i")),
            ("auto f = [i]() -> const int * { x; };", Some("i")),
            ("f([&] { y; }); x;", None),
            ("if (a[1]) { x; } else { y; }", None),
            ("for (;;) { do { x; } while (1); }", None),
            ("int v[] = { x };", None),
            ("x", None),
            ("{ x", None),
        ] {
            assert_eq!(around(text).as_deref(), expected, "{text}");
        }
    }
}

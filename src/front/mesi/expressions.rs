//! The expression around a name, as far as it is the same memory, and where its value goes.
//!
//! ```text
//! *(row + 1) = x;          a value, which is set
//! (i & 1 ? a : b)[i]++;    a value, which is changed
//! (&st[2])->w              a value, which is read
//! q = row + 1;             an address, which `q` gets
//! ```
//!
//! An expression has a level: so many subscripts or `*` lead from it to a value. It grows over
//! operators and parentheses until something else is done with it.

use std::ops::Range;

use super::accesses::Names;
use super::code::Code;
use crate::front::cuda::{Parentheses, Tokens};

/// Operators that compare, or ask whether there is anything.
const COMPARE: [&[u8]; 12] = [
    b"==", b"!=", b"<", b">", b"<=", b">=", b"<=>", b"&&", b"||", b"and", b"or", b"not",
];

/// Operators that change their left operand, but for `=`.
pub const CHANGE: [&[u8]; 10] = [
    b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"<<=", b">>=",
];

/// What is never evaluated.
pub const UNEVALUATED: [&str; 6] = [
    "sizeof", "decltype", "alignof", "_Alignof", "typeid", "noexcept",
];

const CASTS: [&[u8]; 4] = [
    b"static_cast",
    b"reinterpret_cast",
    b"const_cast",
    b"dynamic_cast",
];

/// An expression.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Its tokens.
    pub tokens: Range<usize>,
    /// How many subscripts or `*` lead to a value: one itself has 0.
    pub level: usize,
    /// It is a member.
    pub is_member: bool,
    /// It is a value of its own, which a cast has made.
    pub is_converted: bool,
    /// It is more than the name, in parentheses or not.
    pub is_computed: bool,
    /// An operator in it may be `&` of two operands.
    pub is_unclear: bool,
}

/// Where the value of an expression goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Nowhere: it is compared, asked for its size, moved, or left.
    Nowhere,
    /// It is a subscript, what is printed, or what is added to something.
    Operand,
    /// Something is read into it.
    Input,
    /// It is an argument: the `(`.
    Argument(usize),
    /// Into a list of values: the `{`.
    List(usize),
    /// Behind `=`, which stands there.
    Set(usize),
    /// To the caller.
    Returned,
    /// It is in an expression of which nothing is known.
    Unknown,
}

/// Where an expression ends on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Token(usize),
    Statement,
}

/// A part of a function.
#[derive(Clone, Copy)]
pub struct Part<'p, 'a> {
    /// The program.
    pub code: &'p Code<'a>,
    /// The tokens of its file.
    pub tokens: Tokens<'p>,
    /// The part of it that is looked at.
    pub range: &'p Range<usize>,
    /// The names of memory in the function.
    pub names: &'p Names,
}

impl Part<'_, '_> {
    /// The text of a token of the part; empty for others.
    pub fn at(&self, at: Option<usize>) -> &[u8] {
        let at = at.filter(|at| self.range.contains(at));
        at.map_or(b"".as_slice(), |at| self.tokens.at(at))
    }

    /// The expression of a name that stands at a token, and is so many subscripts from a value.
    pub fn expression(&self, token: usize, rank: usize) -> Expression {
        let own = Expression {
            tokens: token..token + 1,
            level: rank,
            is_member: false,
            is_converted: false,
            is_computed: false,
            is_unclear: false,
        };
        self.grown(own)
    }

    /// An expression with what is around it.
    pub fn grown(&self, mut own: Expression) -> Expression {
        while self.postfix(&mut own) || self.prefix(&mut own) || self.outer(&mut own) {}
        own
    }

    fn postfix(&self, own: &mut Expression) -> bool {
        let tokens = self.tokens;
        let next = own.tokens.end;
        match self.at(Some(next)) {
            b"[" => {
                own.level = own.level.saturating_sub(1);
                own.tokens.end = tokens.bracket_end(next) + 1;
            }
            b"." | b"->" if tokens.is_name(next + 1) => {
                own.is_member = true;
                own.is_converted = false;
                own.level = self.code.member_rank(&tokens.word(next + 1));
                own.tokens.end = next + 2;
            }
            b"++" | b"--" if own.level > 0 && !own.is_member => own.tokens.end = next + 1,
            _ => return false,
        }
        own.is_computed = true;
        true
    }

    fn prefix(&self, own: &mut Expression) -> bool {
        let tokens = self.tokens;
        let Some(before) = own.tokens.start.checked_sub(1) else {
            return false;
        };
        // An address is no operand of `*` and `&` with two.
        let is_unary = || {
            own.level > 0
                || !before
                    .checked_sub(1)
                    .is_some_and(|left| self.range.contains(&left) && tokens.ends_operand(left))
        };
        match self.at(Some(before)) {
            b"(" if self.at(Some(own.tokens.end)) == b")" => return self.parentheses(before, own),
            b"*" if is_unary() => {
                own.level = own.level.saturating_sub(1);
                own.tokens.start = before;
            }
            b"&" if is_unary() => {
                let left = before
                    .checked_sub(1)
                    .filter(|left| self.range.contains(left));
                own.is_unclear |=
                    own.level == 0 && left.is_some_and(|left| tokens.may_end_operand(left));
                own.level += 1;
                own.tokens.start = before;
            }
            b"++" | b"--" if own.level > 0 && !own.is_member => own.tokens.start = before,
            b")" => return self.cast(before, own),
            _ => return false,
        }
        own.is_computed = true;
        true
    }

    /// Parentheses around all of an expression.
    fn parentheses(&self, open: usize, own: &mut Expression) -> bool {
        let tokens = self.tokens;
        let first = match tokens.parentheses(open) {
            Parentheses::Header => return false,
            Parentheses::Call => match self.conversion(open) {
                Some(first) => {
                    own.is_converted = !(first..open).any(|at| tokens.at(at) == b"&");
                    own.is_computed = true;
                    first
                }
                None => return false,
            },
            Parentheses::Cast | Parentheses::Group | Parentheses::Unknown => open,
        };
        own.tokens = first..own.tokens.end + 1;
        true
    }

    /// The first token of `static_cast<T>(…)` or `float(…)`, whose `(` stands there.
    fn conversion(&self, open: usize) -> Option<usize> {
        let tokens = self.tokens;
        let before = open.checked_sub(1)?;
        let first = match tokens.at(before) {
            b">" | b">>" => {
                let name = tokens.template_begin(before)?.checked_sub(1)?;
                CASTS.contains(&tokens.at(name)).then_some(name)?
            }
            b"int" | b"float" | b"double" | b"long" | b"unsigned" | b"bool" | b"char"
            | b"short" | b"size_t" => before,
            _ => return None,
        };
        self.range.contains(&first).then_some(first)
    }

    /// What stands in parentheses before an operand is a cast.
    fn cast(&self, close: usize, own: &mut Expression) -> bool {
        let tokens = self.tokens;
        let open = tokens.bracket_begin(close);
        let Some(open) = open.filter(|open| self.range.contains(open)) else {
            return false;
        };
        if matches!(
            tokens.parentheses(open),
            Parentheses::Call | Parentheses::Header
        ) {
            return false;
        }
        let mut cast = open..close;
        own.is_converted |= !cast.any(|at| matches!(tokens.at(at), b"&" | b"&&"));
        own.is_computed = true;
        own.tokens.start = open;
        true
    }

    /// A sum, a choice or a list in parentheses is the same memory as the address in it; a choice of
    /// values is these.
    fn outer(&self, own: &mut Expression) -> bool {
        let tokens = self.tokens;
        let Some(open) = self
            .enclosing(own.tokens.start)
            .filter(|open| tokens.at(*open) == b"(")
        else {
            return false;
        };
        let is_group = match tokens.parentheses(open) {
            Parentheses::Header => false,
            Parentheses::Call => self.conversion(open).is_some(),
            Parentheses::Cast | Parentheses::Group | Parentheses::Unknown => true,
        };
        let close = tokens.bracket_end(open);
        let is_same = match own.level {
            0 => self.is_chosen(own, close),
            _ => self.is_kept(own),
        };
        if !is_group || !is_same || !self.range.contains(&close) {
            return false;
        }
        own.is_converted = false;
        own.is_computed = true;
        own.tokens = open + 1..close;
        self.parentheses(open, own)
    }

    /// Whether a value is all that stands between `?`, `:`, `,` and the parentheses around it.
    fn is_chosen(&self, own: &Expression, close: usize) -> bool {
        let (before, next) = (own.tokens.start - 1, own.tokens.end);
        let begins = matches!(self.at(Some(before)), b"?" | b",") || self.is_choice(before);
        let is_last = next == close;
        begins && is_last || self.at(Some(before)) == b"?" && self.is_choice(next)
    }

    fn is_choice(&self, colon: usize) -> bool {
        self.tokens.is_colon(colon) && self.range.contains(&colon)
    }

    /// Whether an address is part of what the parentheses around it give.
    fn is_kept(&self, own: &Expression) -> bool {
        let (left, right) = (self.left(own.tokens.start), self.right(own.tokens.end));
        let left = self.taker(left).unwrap_or(left);
        let text = |side: Side| match side {
            Side::Token(at) => self.at(Some(at)),
            Side::Statement => b"",
        };
        let is_subtracted = self.is_subtracted(own);
        let compares = |side: Side| COMPARE.contains(&text(side)) || text(side) == b"!";
        // `(q = …)` is what q has then.
        let is_moved = self.is_target(own);
        let is_condition = self.is_condition(right);
        let is_left = text(right) == b",";
        is_moved
            || !(is_subtracted
                || compares(left)
                || compares(right)
                || is_condition
                || is_left
                || matches!(text(left), b"=" | b"<<" | b">>")
                || matches!(text(right), b"<<" | b">>")
                || CHANGE.contains(&text(left)))
    }

    /// Whether an address is set: an operator behind it gives it another value.
    fn is_target(&self, own: &Expression) -> bool {
        let next = self.at(Some(own.tokens.end));
        next == b"=" || CHANGE.contains(&next)
    }

    /// `q - row` is a number, whichever of them is asked about.
    fn is_subtracted(&self, own: &Expression) -> bool {
        let before = own.tokens.start.checked_sub(1);
        before.is_some_and(|before| self.is_minus(before)) || self.is_reduced(own)
    }

    /// Whether a `-` of two operands stands there.
    fn is_minus(&self, at: usize) -> bool {
        let left = at.checked_sub(1);
        self.at(Some(at)) == b"-" && left.is_some_and(|left| self.tokens.may_end_operand(left))
    }

    /// Whether an address is subtracted from this one.
    fn is_reduced(&self, own: &Expression) -> bool {
        let tokens = self.tokens;
        let end = match self.right(own.tokens.end) {
            Side::Token(at) => at,
            Side::Statement => self.range.end,
        };
        let mut at = own.tokens.end;
        while at < end && !matches!(tokens.at(at), b")" | b"]" | b"}" | b";") {
            match tokens.at(at) {
                b"(" | b"[" | b"{" => at = tokens.bracket_end(at),
                _ if self.is_minus(at) && self.is_address_from(at + 1) => return true,
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// Whether the operand that begins there is an address of memory that has a name.
    fn is_address_from(&self, first: usize) -> bool {
        let tokens = self.tokens;
        let is_prefix = |at: &usize| !tokens.is_name(*at) && tokens.at(*at) != b";";
        let mut at = first;
        // Casts and brackets stand before the name.
        while is_prefix(&at) && at < self.range.end {
            at = match tokens.at(at) == b"(" && tokens.parentheses(at) == Parentheses::Cast {
                true => tokens.bracket_end(at) + 1,
                false => at + 1,
            };
        }
        let named = self.names.get(&tokens.word(at));
        named.is_some_and(|named| {
            let operand = self.expression(at, named.rank);
            operand.level > 0 && operand.tokens.start == first
        })
    }

    /// Where the value of an expression goes that is as far as it gets.
    pub fn flow(&self, own: &Expression) -> Flow {
        let tokens = self.tokens;
        let (left, right) = (self.left(own.tokens.start), self.right(own.tokens.end));
        let text = |side: Side| match side {
            Side::Token(at) => self.at(Some(at)),
            Side::Statement => b"",
        };
        let compares = |side: Side| COMPARE.contains(&text(side));
        let before = self.at(own.tokens.start.checked_sub(1));
        let is_unevaluated = UNEVALUATED.iter().any(|word| before == word.as_bytes());
        let is_left = is_unevaluated
            || before == b"!"
            || compares(left)
            || compares(right)
            || self.is_condition(right)
            || self.is_target(own)
            || self.is_subtracted(own);
        if is_left {
            return Flow::Nowhere;
        }
        let Some(left) = self.taker(left) else {
            return Flow::Unknown;
        };
        match (text(left), left) {
            (b"=", Side::Token(equals)) => return Flow::Set(equals),
            (b">>", _) => return Flow::Input,
            (b"<<", _) => return Flow::Operand,
            (word, _) if CHANGE.contains(&word) => return Flow::Operand,
            (b"return" | b"throw" | b"co_return" | b"co_yield", _) => return Flow::Returned,
            _ if matches!(text(right), b"<<" | b">>") => return Flow::Unknown,
            _ => {}
        }
        let Some(open) = self.enclosing(own.tokens.start) else {
            return self.of_statement(own);
        };
        match tokens.at(open) {
            b"[" => {
                let is_subscript = open
                    .checked_sub(1)
                    .is_some_and(|at| tokens.may_end_operand(at));
                let is_all = own.tokens.start == open + 1 && self.at(Some(own.tokens.end)) == b"]";
                match (is_subscript, is_all) {
                    (false, _) => Flow::Nowhere,
                    // `3[row]`
                    (true, true) => Flow::Input,
                    (true, false) => Flow::Operand,
                }
            }
            b"{" if self.is_block(open) => self.of_statement(own),
            b"{" => Flow::List(open),
            _ => match tokens.parentheses(open) {
                Parentheses::Call => Flow::Argument(open),
                Parentheses::Header => self.of_statement(own),
                Parentheses::Cast | Parentheses::Group | Parentheses::Unknown => Flow::Unknown,
            },
        }
    }

    /// Whether an operator on the right asks a value only, to choose between others: not `p ?: q`.
    fn is_condition(&self, right: Side) -> bool {
        matches!(right, Side::Token(at) if self.at(Some(at)) == b"?" && self.at(Some(at + 1)) != b":")
    }

    /// Whether a name is an argument of a template that is called: `f<a>()`.
    pub fn is_template_argument(&self, token: usize) -> bool {
        let tokens = self.tokens;
        let stops = |at: &usize| matches!(tokens.at(*at), b";" | b"{" | b"}" | b"(" | b"[" | b"=");
        let mut before = (self.range.start..token).rev().take_while(|at| !stops(at));
        let Some(open) = before.find(|at| tokens.at(*at) == b"<") else {
            return false;
        };
        let mut behind = (token + 1..self.range.end).take_while(|at| !stops(at));
        let is_end = |at: usize| matches!(tokens.at(at), b">" | b">>");
        behind.any(|at| is_end(at) && tokens.template_begin(at) == Some(open))
            && open
                .checked_sub(1)
                .is_some_and(|name| tokens.call(name).is_some())
    }

    /// What takes the value of a choice, where it is one of two: the operator left of the condition.
    /// Nothing for a colon that is in no choice.
    fn taker(&self, left: Side) -> Option<Side> {
        let mut side = left;
        loop {
            let Side::Token(at) = side else {
                return Some(side);
            };
            let question = match self.tokens.at(at) {
                b"?" => at,
                b":" => match self.question(at) {
                    Some(question) => question,
                    None => return self.is_label(at).then_some(Side::Statement),
                },
                _ => return Some(side),
            };
            side = self.left(question);
            // The condition is all up to an operator that binds less.
            while let Side::Token(at) = side
                && (COMPARE.contains(&self.tokens.at(at))
                    || matches!(self.tokens.at(at), b"<<" | b">>"))
            {
                side = self.left(at);
            }
        }
    }

    /// The `?` of the choice whose `:` stands there.
    fn question(&self, colon: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let mut at = colon;
        loop {
            at = at.checked_sub(1).filter(|at| self.range.contains(at))?;
            match self.tokens.at(at) {
                b")" | b"]" | b"}" => at = self.tokens.bracket_begin(at)?,
                b"(" | b"[" | b"{" | b";" => return None,
                b"?" if depth == 0 => return Some(at),
                b"?" => depth -= 1,
                b":" if self.tokens.is_colon(at) => depth += 1,
                _ => {}
            }
        }
    }

    /// Whether a colon ends a label: `case 3:`, `default:`, `again:`.
    fn is_label(&self, colon: usize) -> bool {
        let begin = self.statement_begin(colon);
        let name = colon.saturating_sub(1);
        self.tokens.at(begin) == b"case" || begin == name || self.is_label_before(name)
    }

    fn is_label_before(&self, name: usize) -> bool {
        let before = name.checked_sub(1).filter(|at| self.range.contains(at));
        before.is_some_and(|colon| self.tokens.is_colon(colon) && self.is_label(colon))
    }

    /// What a statement, or a part of a header, does with a value that nothing in it takes.
    fn of_statement(&self, own: &Expression) -> Flow {
        let begin = self.statement_begin(own.tokens.start);
        match (begin..own.tokens.start).any(|at| matches!(self.tokens.at(at), b"return" | b"throw"))
        {
            true => Flow::Returned,
            false => Flow::Nowhere,
        }
    }

    /// Where the statement begins that a token is in.
    pub fn statement_begin(&self, at: usize) -> usize {
        let ends = |at: &usize| matches!(self.tokens.at(*at), b";" | b"{" | b"}");
        let before = (self.range.start..at).rev().find(ends);
        before.map_or(self.range.start, |before| before + 1)
    }

    /// The same, where lists of values around it are parts of the statement.
    pub fn list_begin(&self, at: usize) -> usize {
        let mut begin = self.statement_begin(at);
        while let Some(open) = begin
            .checked_sub(1)
            .filter(|open| self.range.contains(open))
            && self.tokens.at(open) == b"{"
            && !self.is_block(open)
        {
            begin = self.statement_begin(open);
        }
        begin
    }

    /// Whether braces are around statements.
    fn is_block(&self, open: usize) -> bool {
        let tokens = self.tokens;
        let close = tokens.bracket_end(open);
        let mut at = open + 1;
        while at < close {
            match tokens.at(at) {
                b";" => return true,
                b"(" | b"[" | b"{" => at = tokens.bracket_end(at),
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// The operator on the left that takes the value of a sum.
    fn left(&self, first: usize) -> Side {
        let tokens = self.tokens;
        let mut at = first;
        while let Some(before) = at.checked_sub(1).filter(|at| self.range.contains(at)) {
            at = before;
            match tokens.at(at) {
                b"(" | b"[" | b"{" | b"}" | b";" | b"else" | b"do" => return Side::Statement,
                b")" => match tokens.bracket_begin(at) {
                    Some(open) if tokens.parentheses(open) == Parentheses::Header => {
                        return Side::Statement;
                    }
                    Some(open) => at = open,
                    None => return Side::Statement,
                },
                b"]" => match tokens.bracket_begin(at) {
                    Some(open) => at = open,
                    None => return Side::Statement,
                },
                b">" | b">>" => match tokens.template_begin(at) {
                    Some(open) => at = open,
                    None => return Side::Token(at),
                },
                word if self.is_side(word, at) => return Side::Token(at),
                b"return" | b"throw" | b"co_return" | b"co_yield" => return Side::Token(at),
                _ => {}
            }
        }
        Side::Statement
    }

    /// The same on the right.
    fn right(&self, next: usize) -> Side {
        let tokens = self.tokens;
        let mut at = next;
        while self.range.contains(&at) {
            match tokens.at(at) {
                b")" | b"]" | b"}" | b";" => return Side::Statement,
                b"(" | b"[" | b"{" => at = tokens.bracket_end(at),
                word if self.is_side(word, at) => return Side::Token(at),
                _ => {
                    if let Some(open) = tokens.call(at) {
                        at = tokens.bracket_end(open);
                    }
                }
            }
            at += 1;
        }
        Side::Statement
    }

    fn is_side(&self, word: &[u8], at: usize) -> bool {
        matches!(word, b"," | b"?" | b"=" | b"<<" | b">>")
            || word == b":" && self.tokens.is_colon(at)
            || COMPARE.contains(&word)
            || CHANGE.contains(&word)
    }

    /// The bracket that is open at a token, in its statement or in a list of values.
    pub fn enclosing(&self, token: usize) -> Option<usize> {
        let tokens = self.tokens;
        let mut at = token;
        loop {
            at = at.checked_sub(1).filter(|at| self.range.contains(at))?;
            match tokens.at(at) {
                b")" | b"]" => at = tokens.bracket_begin(at)?,
                // `{{1, 2}, {row, 3}}`
                b"}" if tokens.at(at + 1) == b"," => at = tokens.bracket_begin(at)?,
                b";" | b"}" => return None,
                b"(" | b"[" | b"{" => return Some(at),
                _ => {}
            }
        }
    }
}

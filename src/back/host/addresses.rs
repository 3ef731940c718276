//! Variables that stand for device addresses in a `host_data` construct.
//!
//! A pointer of the variable's name hides it. An array whose size or address the construct asks
//! for stays an array, as what a pointer to it points to:
//!
//! ```text
//! float *accrs_device_x = accrs_use_device("x", x);       float (*accrs_device_a)[8] = …;
//! {                                                       {
//!     float *x = accrs_device_x;                          #define a (*accrs_device_a)
//!     …                                                       … sizeof a …
//! }                                                       }
//! ```

use serde::Serialize;

use super::Host;
use super::data::c_string;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{DataItem, Region};
use crate::source::Span;
use crate::typed::print::{C, Printer};
use crate::typed::{QualType, Type};

/// A variable of the host that stands for a device address in a region.
#[derive(Serialize)]
pub(super) struct Address {
    /// As the program names it.
    name: String,
    /// The declaration of a pointer of that name; empty for what stays an array.
    declaration: String,
    /// The declaration of one that holds the address meanwhile, since a
    /// declared name hides the one outside at once.
    holder_declaration: String,
    /// That one's name.
    holder: String,
    /// The name as a literal.
    text: String,
}

impl Host<'_> {
    /// The variables of a `host_data` construct.
    ///
    /// # Errors
    /// An array that has to stay one, and has the name of something else in the construct.
    pub(super) fn addresses(&self, region: &Region) -> Result<Vec<Address>, Diagnostic> {
        let items = region.data.iter();
        let addresses = items.filter_map(|item| self.address_of(item, region.body).transpose());
        addresses.collect()
    }

    fn address_of(
        &self,
        item: &DataItem,
        body: Option<Span>,
    ) -> Result<Option<Address>, Diagnostic> {
        let ty = item.symbol.map(|symbol| self.unit.symbol(symbol).ty);
        let target = ty.and_then(|ty| Some((ty, self.unit.types.pointee(ty.ty)?)));
        let (Some(symbol), Some((ty, to))) = (item.symbol, target) else {
            return Ok(None);
        };
        let name = self.symbol(symbol);
        let holder = format!("accrs_device_{name}");
        let is_array = matches!(self.unit.types.get(ty.ty), Type::Array { .. });
        let words = body.map(|body| self.source.words(body)).unwrap_or_default();
        let stays_array = is_array && uses_whole(&words, &name);
        let is_inside =
            |span: Span| body.is_some_and(|b| b.start <= span.start && span.end <= b.end);
        let mut others = self.unit.symbols.iter();
        let is_declared = others.any(|other| other.name == name && is_inside(other.span));
        if stays_array && (is_declared || has_member(&words, &name)) {
            let message = format!(
                "this construct asks for the size or address of the array `{name}`, and has other \
                 things of that name"
            );
            let error = Diagnostic::error(codes::INEXACT_PLACE, message, item.span);
            return Err(error.help(format!(
                "compute `sizeof {name}` before the construct, or rename a member or variable"
            )));
        }
        let (holder_declaration, declaration) = match stays_array {
            true => (self.pointer_to(ty, &name, &holder, ""), String::new()),
            false => (
                self.pointer_to(to, &name, &holder, "[0]"),
                self.pointer_to(to, &name, &name, "[0]"),
            ),
        };
        Ok(Some(Address {
            holder_declaration,
            declaration,
            text: c_string(&name),
            holder,
            name,
        }))
    }

    /// The declaration of a pointer to a type, which is that of the variable `of` with `element`
    /// behind it: a type's own name may be hidden, or it has none.
    fn pointer_to(&self, to: QualType, of: &str, name: &str, element: &str) -> String {
        let innermost = self.unit.types.innermost(to);
        if self.builtin(innermost).is_none() {
            return format!("__typeof__({of}{element}) *{name}");
        }
        let is_array = matches!(self.unit.types.get(to.ty), Type::Array { .. });
        let declarator = match is_array {
            true => format!("(*{name})"),
            false => format!("*{name}"),
        };
        Printer::new(self.unit, &C).declaration(to, &declarator)
    }
}

/// Words behind which an array does not become a pointer.
const WHOLE: [&str; 8] = [
    "sizeof",
    "typeof",
    "__typeof__",
    "__typeof",
    "_Alignof",
    "__alignof__",
    "_Generic",
    "&",
];

/// Whether a text names an array where it is no pointer: `sizeof a`, `&(a)`.
fn uses_whole(words: &[&str], name: &str) -> bool {
    let mut places = words.iter().enumerate().filter(|(_, word)| **word == name);
    places.any(|(at, _)| {
        let before = words[..at].iter().rev().find(|word| **word != "(");
        let behind = words[at + 1..].iter().find(|word| **word != ")");
        before.is_some_and(|word| WHOLE.contains(word)) && behind != Some(&"[")
    })
}

/// Whether a text gives the name to a member.
fn has_member(words: &[&str], name: &str) -> bool {
    let mut pairs = words.windows(2);
    pairs.any(|pair| pair[1] == name && [".", "->"].contains(&pair[0]))
}

#[cfg(test)]
mod tests {
    use super::{has_member, uses_whole};

    fn words(text: &str) -> Vec<&str> {
        text.split(' ').collect()
    }

    #[test]
    fn what_asks_for_the_array_is_found() {
        for text in [
            "n = sizeof a ;",
            "sizeof ( a ) / 4",
            "f ( & ( a ) )",
            "typeof ( a ) b",
        ] {
            assert!(uses_whole(&words(text), "a"), "{text}");
        }
        for text in ["sizeof a [ 0 ]", "f ( a )", "& a [ 1 ]", "sizeof b + a"] {
            assert!(!uses_whole(&words(text), "a"), "{text}");
        }
    }

    #[test]
    fn members_of_a_name_are_found() {
        for text in ["s . a = 1", "p -> a"] {
            assert!(has_member(&words(text), "a"), "{text}");
        }
        assert!(!has_member(&words("return a ; f ( a , b . c )"), "a"));
    }
}

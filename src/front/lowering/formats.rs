//! Formats of `printf` in kernels, whose text the host makes when the device has printed.
//!
//! Input: the kernels and device functions of a module. Output: warnings where a format that is a
//! literal has a conversion that a device does not know, or other arguments than the call has, in
//! number, in class (integer, floating-point, pointer) or in size: what is printed then is anything. As CUDA
//! has it (CUDA C++ Programming Guide, formatted output), which takes no `%n` and 32 arguments.
//!
//! ```c
//! printf("%d of %s\n", i);       // a warning: the format has 2 conversions, the call 1 argument
//! printf("%d\n", a[i]);          // a warning, if `a[i]` is a `double`
//! ```

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{Module, visit};
use crate::typed::print::{C, Printer};
use crate::typed::{Expression, ExpressionKind, Type, Unit};

/// How many arguments CUDA's `printf` takes behind the format.
const MOST: usize = 32;

/// Warns of what `printf` in kernels would print wrong.
pub fn check(unit: &Unit, module: &Module, diagnostics: &mut Diagnostics) {
    let kernels = module.kernels.iter().map(|kernel| &kernel.body);
    let functions = module.functions.iter().map(|function| &function.body);
    for body in kernels.chain(functions) {
        visit::expressions(body, &mut |e| {
            if let Some((format, arguments)) = printed(unit, e)
                && let Some(conversions) = conversions(format)
            {
                let problem = problem(unit, e, &conversions, arguments);
                problem.into_iter().for_each(|p| diagnostics.push(p));
            }
        });
    }
}

/// The literal format of a call of `printf`, as written, and what it prints.
fn printed<'e>(unit: &Unit, e: &'e Expression) -> Option<(&'e [String], &'e [Expression])> {
    let ExpressionKind::Call {
        function,
        arguments,
    } = &e.kind
    else {
        return None;
    };
    let ExpressionKind::Symbol(symbol) = function.without_conversions().kind else {
        return None;
    };
    let name = unit.symbol(symbol).name.as_str();
    let (format, printed) = arguments.split_first()?;
    match &format.without_conversions().kind {
        ExpressionKind::String { spelling } if matches!(name, "printf" | "__builtin_printf") => {
            Some((spelling, printed))
        }
        _ => None,
    }
}

/// What an argument is to `printf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Integer,
    Floating,
    Pointer,
    Other,
}

impl Class {
    fn of(unit: &Unit, e: &Expression) -> Self {
        match unit.types.get(e.ty.ty) {
            Type::Floating(_) => Self::Floating,
            Type::Pointer(_) | Type::Array { .. } | Type::Function(_) => Self::Pointer,
            _ if unit.types.is_integer(e.ty.ty) => Self::Integer,
            _ => Self::Other,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Integer => "an integer",
            Self::Floating => "a floating-point number",
            Self::Pointer => "a pointer",
            Self::Other => "neither a number nor a pointer",
        }
    }
}

/// What a format takes an argument for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Conversion {
    /// As written, such as `%5.2f`.
    text: String,
    class: Class,
    /// It is a `*`, for a width or a precision.
    is_width: bool,
}

/// Letters that are conversions of some libraries alone.
const FOREIGN: &str = "mCSbB";

impl Conversion {
    /// The bytes of the integer that it takes, after C's promotions.
    fn bytes(&self) -> Option<u64> {
        let is_long = self.text.contains(['l', 'j', 'z', 't', 'L', 'q']) && !self.is_width;
        (self.class == Class::Integer).then_some(if is_long { 8 } else { 4 })
    }

    /// The same for an integer of so many bytes.
    fn with_bytes(&self, bytes: u64, is_signed: bool) -> String {
        let mut text: String = self
            .text
            .chars()
            .filter(|c| !"hlLjztq".contains(*c))
            .collect();
        let kind = match text.pop() {
            Some('d' | 'i' | 'u') if is_signed => 'd',
            Some('d' | 'i' | 'u' | 'c') => 'u',
            other => other.unwrap_or('d'),
        };
        let length = if bytes == 8 { "l" } else { "" };
        format!("{text}{length}{kind}")
    }
}

/// The conversions of a format (C11 7.21.6.1), a width or precision of `*` being one; those behind a
/// conversion that C does not have are not read, which stands there as the last one; `None` of one
/// that a library may have.
fn conversions(format: &[String]) -> Option<Vec<Conversion>> {
    let mut found = Vec::new();
    let whole: String = format.iter().map(|piece| piece.trim_matches('"')).collect();
    let mut rest = whole.as_str();
    while let Some(at) = rest.find('%') {
        rest = &rest[at..];
        let is_part = |c: char| "-+ #0123456789.*'hlLjztq".contains(c);
        let last = rest[1..].find(|c| !is_part(c))? + 1;
        let (text, kind) = (rest.get(..=last)?, rest[last..].chars().next()?);
        let class = match kind {
            '%' => None,
            'd' | 'i' | 'u' | 'o' | 'x' | 'X' | 'c' => Some(Class::Integer),
            'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a' | 'A' => Some(Class::Floating),
            's' | 'p' | 'n' => Some(Class::Pointer),
            other if other.is_ascii_alphabetic() && !FOREIGN.contains(other) => Some(Class::Other),
            _ => return None,
        };
        let conversion = |class, is_width| Conversion {
            text: text.to_owned(),
            class,
            is_width,
        };
        found.extend(text.matches('*').map(|_| conversion(Class::Integer, true)));
        found.extend(class.map(|class| conversion(class, false)));
        if class == Some(Class::Other) {
            break;
        }
        rest = &rest[last + 1..];
    }
    Some(found)
}

/// What is wrong with a call; of several things the first.
fn problem(
    unit: &Unit,
    call: &Expression,
    conversions: &[Conversion],
    arguments: &[Expression],
) -> Option<Diagnostic> {
    let warning = |message: String, span| Diagnostic::warning(codes::DEVICE_FORMAT, message, span);
    if conversions.iter().any(|c| c.text.ends_with('n')) {
        let message = "`printf` of a device knows no `%n`".to_owned();
        return Some(
            warning(message, call.span)
                .help("count what is printed in the program, or print on the host"),
        );
    }
    if let Some(unknown) = conversions.last().filter(|c| c.class == Class::Other) {
        let message = format!("`{}` is no conversion of `printf`", unknown.text);
        return Some(warning(message, call.span).help("write `%%` for the character itself"));
    }
    if conversions.len() != arguments.len() {
        let message = format!(
            "the format takes {}, and the call has {}",
            counted(conversions.len()),
            arguments.len()
        );
        return Some(warning(message, call.span).help("write one conversion for each argument"));
    }
    if arguments.len() > MOST {
        let message = format!(
            "`printf` of a device takes {MOST} arguments, not {}",
            arguments.len()
        );
        return Some(warning(message, call.span).help("write several calls"));
    }
    let mut pairs = conversions.iter().zip(arguments);
    pairs.find_map(|(wanted, given)| {
        of_class(unit, wanted, given).or_else(|| of_size(unit, wanted, given))
    })
}

/// What is wrong with an argument of another class than its conversion takes.
fn of_class(unit: &Unit, wanted: &Conversion, given: &Expression) -> Option<Diagnostic> {
    if wanted.class == Class::of(unit, given) {
        return None;
    }
    let message = format!(
        "`{}` takes {}, and the argument is {}",
        wanted.text,
        wanted.class.name(),
        Class::of(unit, given).name()
    );
    Some(
        Diagnostic::warning(codes::DEVICE_FORMAT, message, given.span).help(
            match Class::of(unit, given) {
                Class::Integer => "integers have `%d`, or `%ld` for `long`",
                Class::Floating => "floating-point numbers have `%g`, `%f` or `%e`",
                Class::Pointer => "strings have `%s`, other pointers `%p`",
                Class::Other => "print its members one by one",
            },
        ),
    )
}

/// What is wrong with an integer that has another size than its conversion takes.
fn of_size(unit: &Unit, wanted: &Conversion, given: &Expression) -> Option<Diagnostic> {
    let (takes, has) = (wanted.bytes()?, unit.types.size(given.ty.ty)?);
    let Type::Integer(kind) = unit.types.get(given.ty.ty) else {
        return None;
    };
    let name = Printer::new(unit, &C).declaration(given.ty, "");
    let right = wanted.with_bytes(has, kind.is_signed());
    (takes != has && has >= 4).then(|| {
        let taken = if takes == 8 { "a `long`" } else { "an `int`" };
        let message = format!(
            "`{}` takes {taken}, and the argument is of type `{name}`",
            wanted.text
        );
        Diagnostic::warning(codes::DEVICE_FORMAT, message, given.span)
            .help(format!("write `{right}`"))
    })
}

/// `1 argument`, `2 arguments`.
fn counted(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(format: &str) -> Option<String> {
        let found = conversions(&[format.to_owned()])?;
        let classes = found.iter().map(|conversion| match conversion.class {
            Class::Integer => 'i',
            Class::Floating => 'f',
            Class::Other => '?',
            Class::Pointer => 'p',
        });
        Some(classes.collect())
    }

    #[test]
    fn formats_are_read_as_c_has_them() {
        for (format, expected) in [
            ("\"plain\"", Some("")),
            ("\"100%% of %d\\n\"", Some("i")),
            ("\"%-5.2f|%+*d|%.*e\"", Some("fiiif")),
            ("\"%zu %hhd %lld %s %p\"", Some("iiipp")),
            ("\"%y %d\"", Some("?")),
            ("\"%m %d\"", None),
            ("\"%\"", None),
            ("\"ä% é\"", None),
        ] {
            assert_eq!(classes(format).as_deref(), expected, "{format}");
        }
    }
}

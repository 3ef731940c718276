//! Constants (C11 6.4.4) and string literals (6.4.5): value and type.

use super::Analyser;
use super::specifier::extended_float;
use crate::ast::{Constant, StringLiteral};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::{Span, encode_bytes};
use crate::typed::{
    ArrayLength, Expression, ExpressionKind, FloatingKind, IntegerKind, QualType, Type, TypeId,
};

impl Analyser<'_> {
    pub(super) fn constant(&mut self, constant: &Constant, span: Span) -> Expression {
        let whole = |spelling: &String, (value, ty): (i128, Type)| {
            let spelling = spelling.clone();
            let kind = match ty {
                // GNU C's `2i`.
                Type::Complex(_) => ExpressionKind::Floating {
                    value: value as f64,
                    spelling,
                },
                _ => ExpressionKind::Integer {
                    value,
                    spelling: Some(spelling),
                },
            };
            (kind, ty)
        };
        let (made, spelling, what) = match constant {
            Constant::Integer(text) => (integer(text).map(|of| whole(text, of)), text, "integer"),
            Constant::Floating(text) => {
                let spelling = text.clone();
                let kind = |value| ExpressionKind::Floating { value, spelling };
                let made = floating(text).map(|(value, ty)| (kind(value), ty));
                (made, text, "floating")
            }
            Constant::Character(text) => {
                let made = character(text).map(|(value, kind)| (value, Type::Integer(kind)));
                (made.map(|of| whole(text, of)), text, "character")
            }
        };
        let Some((kind, ty)) = made else {
            return self.malformed(spelling, what, span);
        };
        let ty = self.unit.types.intern(ty);
        self.make(kind, ty, span)
    }

    fn malformed(&mut self, spelling: &str, what: &str, span: Span) -> Expression {
        let message = format!("`{spelling}` is no valid {what} constant");
        let error = Diagnostic::error(codes::INVALID_CONSTANT, message, span);
        self.refuse(error.label("malformed or out of range"), span)
    }

    pub(super) fn string(&mut self, literal: &StringLiteral, span: Span) -> Expression {
        let (element, length) = string_shape(&literal.pieces);
        let element = QualType::plain(self.unit.types.intern(Type::Integer(element)));
        let ty = self.array_of(element, length);
        let kind = ExpressionKind::String {
            spelling: literal.pieces.clone(),
        };
        self.make(kind, ty, span)
    }

    /// `__func__` and its GNU relatives (6.4.2.2): the name as a string.
    pub(super) fn function_name(&mut self, span: Span) -> Expression {
        let name = self
            .function
            .as_ref()
            .map_or("", |function| function.name.as_str());
        let spelling = vec![format!("\"{name}\"")];
        let length = name.len() as u64 + 1;
        let mut element = QualType::plain(self.basic.char);
        element.qualifiers.is_const = true;
        let ty = self.array_of(element, length);
        self.make(ExpressionKind::String { spelling }, ty, span)
    }

    fn array_of(&mut self, element: QualType, length: u64) -> TypeId {
        self.unit.types.intern(Type::Array {
            element,
            length: ArrayLength::Constant(length),
        })
    }
}

/// Value and type of an integer constant (6.4.4.1).
fn integer(spelling: &str) -> Option<(i128, Type)> {
    let lower = spelling.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', ..] => (8, lower.as_str()),
        _ => (10, lower.as_str()),
    };
    let end = digits
        .find(|c: char| !c.is_digit(radix))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let value = u128::from_str_radix(digits, radix).ok()?;
    let is_imaginary = suffix.contains(['i', 'j']);
    let suffix: String = suffix.chars().filter(|c| !"ij".contains(*c)).collect();
    let (is_unsigned, longs) = match suffix.as_str() {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        _ => return None,
    };
    let kind = integer_kind(value, is_unsigned, longs, radix == 10);
    let value = i128::try_from(value).ok()?;
    let ty = if is_imaginary {
        Type::Complex(FloatingKind::Double)
    } else {
        Type::Integer(kind)
    };
    Some((value, ty))
}

/// The first type of the list in 6.4.4.1 (5) that holds the value. What no
/// standard type holds is `__int128`.
fn integer_kind(value: u128, is_unsigned: bool, longs: u8, is_decimal: bool) -> IntegerKind {
    use IntegerKind as I;
    let candidates: &[(I, u8)] = &[
        (I::Int, 0),
        (I::UnsignedInt, 0),
        (I::Long, 1),
        (I::UnsignedLong, 1),
        (I::LongLong, 2),
        (I::UnsignedLongLong, 2),
        (I::Int128, 3),
    ];
    let holds = |kind: I| value < 1 << (kind.size() * 8 - u64::from(kind.is_signed()));
    candidates
        .iter()
        .filter(|(kind, rank)| {
            *rank >= longs
                && (!is_unsigned || !kind.is_signed())
                && (is_unsigned || kind.is_signed() || !is_decimal)
        })
        .map(|(kind, _)| *kind)
        .find(|kind| holds(*kind))
        .unwrap_or(if is_unsigned {
            I::UnsignedInt128
        } else {
            I::Int128
        })
}

/// A cast to `double` of a constant of a wider type whose digits are those of a `double`, as
/// `((double)2.22044604925031308084726333618164062e-16L)`, which `DBL_EPSILON` stands for: no wider
/// type takes part in it, and rounding twice changes nothing.
pub(super) fn as_double(operand: &ExpressionKind) -> Option<ExpressionKind> {
    let ExpressionKind::Floating { value, spelling } = operand else {
        return None;
    };
    let is_wider = matches!(spelling.chars().last(), Some('l' | 'L'));
    let is_it = is_wider && leading_digits(spelling)? == leading_digits(&format!("{value:.35e}"))?;
    is_it.then(|| ExpressionKind::Floating {
        value: *value,
        spelling: format!("(double){spelling}"),
    })
}

/// The first 25 digits of a decimal constant, and its order of magnitude.
fn leading_digits(spelling: &str) -> Option<(String, i32)> {
    const COUNT: usize = 25;
    let lower = spelling.to_ascii_lowercase();
    let number = &lower[..decimal_end(&lower)];
    let (mantissa, exponent) = number.split_once('e').unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    if digits.is_empty() {
        return None;
    }
    let skipped = i32::try_from(all.len() - digits.len()).ok()?;
    let order = exponent.parse::<i32>().ok()? + i32::try_from(whole.len()).ok()? - skipped;
    let kept: String = digits
        .chars()
        .chain("0".repeat(COUNT).chars())
        .take(COUNT)
        .collect();
    Some((kept, order))
}

/// Value and type of a floating constant (6.4.4.2).
fn floating(spelling: &str) -> Option<(f64, Type)> {
    let lower = spelling.to_ascii_lowercase();
    let (value, suffix) = if let Some(rest) = lower.strip_prefix("0x") {
        hexadecimal(rest)?
    } else {
        let end = decimal_end(&lower);
        (lower[..end].parse().ok()?, &lower[end..])
    };
    let is_imaginary = suffix.ends_with(['i', 'j']) || suffix.starts_with(['i', 'j']);
    let suffix = suffix.trim_matches(['i', 'j']);
    let kind = match suffix {
        "" | "d" => FloatingKind::Double,
        "f" => FloatingKind::Float,
        "l" => FloatingKind::LongDouble,
        "q" => FloatingKind::Float128,
        "w" => FloatingKind::LongDouble,
        "f16" | "f32" | "f64" | "f128" | "f32x" | "f64x" => {
            extended_float(&format!("_Float{}", &suffix[1..]))
        }
        _ => return None,
    };
    let value = match kind {
        FloatingKind::Float => f64::from(value as f32),
        _ => value,
    };
    let ty = match is_imaginary {
        true => Type::Complex(kind),
        false => Type::Floating(kind),
    };
    Some((value, ty))
}

/// Where digits, point and exponent end.
fn decimal_end(text: &str) -> usize {
    let count =
        |text: &str, is_in: fn(char) -> bool| text.find(|c| !is_in(c)).unwrap_or(text.len());
    let end = count(text, |c| c.is_ascii_digit() || c == '.');
    let Some(exponent) = text[end..].strip_prefix('e') else {
        return end;
    };
    let sign = usize::from(exponent.starts_with(['+', '-']));
    match count(&exponent[sign..], |c| c.is_ascii_digit()) {
        0 => end,
        digits => end + 1 + sign + digits,
    }
}

/// A hexadecimal floating constant behind `0x`, and its suffix. The mantissa
/// is rounded once, by the conversion of its first 64 bits or more.
fn hexadecimal(text: &str) -> Option<(f64, &str)> {
    let (digits, rest) = text.split_once('p')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let end = rest
        .char_indices()
        .find(|(i, c)| !(c.is_ascii_digit() || (*i == 0 && "+-".contains(*c))))
        .map_or(rest.len(), |(i, _)| i);
    let mut exponent: i64 = rest[..end].parse().ok()?;
    let mut mantissa: u128 = 0;
    for (i, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let value = u128::from(digit.to_digit(16)?);
        if mantissa >> 120 == 0 {
            mantissa = mantissa << 4 | value;
        } else {
            // Digits beyond double precision only tell that there is more.
            mantissa |= u128::from(value != 0);
            exponent += 4;
        }
        if i >= whole.len() {
            exponent -= 4;
        }
    }
    let exponent = i32::try_from(exponent.clamp(-5000, 5000)).ok()?;
    Some((scale(mantissa as f64, exponent), &rest[end..]))
}

/// `value * 2^exponent`, in steps that do not overflow on the way.
fn scale(mut value: f64, mut exponent: i32) -> f64 {
    while exponent > 1000 {
        value *= 2f64.powi(1000);
        exponent -= 1000;
    }
    while exponent < -1000 {
        value *= 2f64.powi(-1000);
        exponent += 1000;
    }
    value * 2f64.powi(exponent)
}

/// The prefix and what stands between the quotes.
fn unquoted(spelling: &str, quote: char) -> Option<(&str, &str)> {
    let (prefix, rest) = spelling.split_once(quote)?;
    Some((prefix, rest.strip_suffix(quote)?))
}

/// Value and type of a character constant (6.4.4.4). Several characters make
/// an `int` as GCC does: the last four bytes.
fn character(spelling: &str) -> Option<(i128, IntegerKind)> {
    let (prefix, text) = unquoted(spelling, '\'')?;
    let kind = match prefix {
        "" => IntegerKind::Int,
        "L" => IntegerKind::Int,
        "u" => IntegerKind::UnsignedShort,
        "U" => IntegerKind::UnsignedInt,
        "u8" => IntegerKind::UnsignedChar,
        _ => return None,
    };
    let units = units(text, prefix.is_empty() || prefix == "u8")?;
    let last = *units.last()?;
    if !prefix.is_empty() {
        return Some((i128::from(last), kind));
    }
    if units.len() == 1 {
        return Some((i128::from(last as u8 as i8), kind));
    }
    let value = units
        .iter()
        .fold(0u32, |value, unit| value << 8 | unit & 0xff);
    Some((i128::from(value as i32), kind))
}

/// Element type and length, with the null character, of adjacent pieces.
pub(super) fn string_shape(pieces: &[String]) -> (IntegerKind, u64) {
    let (kind, elements) = string_elements(pieces);
    (kind, elements.len() as u64 + 1)
}

/// Element type and elements, without the null character, of adjacent pieces.
pub(super) fn string_elements(pieces: &[String]) -> (IntegerKind, Vec<u32>) {
    let mut kind = IntegerKind::Char;
    for piece in pieces {
        match piece.split('"').next() {
            Some("L") => kind = IntegerKind::Int,
            Some("u") => kind = IntegerKind::UnsignedShort,
            Some("U") => kind = IntegerKind::UnsignedInt,
            _ => {}
        }
    }
    let is_narrow = kind == IntegerKind::Char;
    let mut elements = Vec::new();
    for piece in pieces {
        let text = unquoted(piece, '"').map_or("", |(_, text)| text);
        for unit in units(text, is_narrow).unwrap_or_default() {
            match (kind, unit.checked_sub(0x1_0000)) {
                // Characters beyond the basic plane take two units in UTF-16.
                (IntegerKind::UnsignedShort, Some(beyond)) => {
                    elements.push(0xd800 | (beyond >> 10) & 0x3ff);
                    elements.push(0xdc00 | beyond & 0x3ff);
                }
                _ => elements.push(unit),
            }
        }
    }
    (kind, elements)
}

/// The execution characters of a literal's text: bytes of UTF-8 in a narrow
/// one, code points in a wide one. `None` for a malformed escape.
fn units(text: &str, is_narrow: bool) -> Option<Vec<u32>> {
    let mut units = Vec::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            push_character(&mut units, c, is_narrow);
            continue;
        }
        let escape = rest.next()?;
        match escape {
            'x' => {
                let digits = take_digits(&mut rest, 16, usize::MAX);
                units.push(number(digits, 16)?);
            }
            '0'..='7' => {
                let mut ahead = rest.clone();
                let more = take_digits(&mut ahead, 8, 2);
                let digits = format!("{escape}{more}");
                rest = ahead;
                units.push(number(&digits, 8)?);
            }
            'u' | 'U' => {
                let digits = take_digits(&mut rest, 16, if escape == 'u' { 4 } else { 8 });
                let c = char::from_u32(number(digits, 16)?)?;
                push_character(&mut units, c, is_narrow);
            }
            _ => units.push(simple_escape(escape)?),
        }
    }
    Some(units)
}

fn push_character(units: &mut Vec<u32>, c: char, is_narrow: bool) {
    if is_narrow {
        let mut buffer = [0; 4];
        let bytes = encode_bytes(c.encode_utf8(&mut buffer));
        units.extend(bytes.iter().map(|byte| u32::from(*byte)));
    } else {
        units.push(c as u32);
    }
}

fn take_digits<'a>(rest: &mut std::str::Chars<'a>, radix: u32, most: usize) -> &'a str {
    let text = rest.as_str();
    let end = text
        .char_indices()
        .take(most)
        .find(|(_, c)| !c.is_digit(radix))
        .map_or(text.len().min(most), |(i, _)| i);
    *rest = text[end..].chars();
    &text[..end]
}

fn number(digits: &str, radix: u32) -> Option<u32> {
    u32::from_str_radix(digits, radix).ok()
}

fn simple_escape(escape: char) -> Option<u32> {
    Some(match escape {
        'n' => 10,
        't' => 9,
        'r' => 13,
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' | 'E' => 27,
        // An unknown escape is the character itself, with a warning.
        other => other as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use IntegerKind as I;

    #[test]
    fn the_first_type_that_holds_the_value_is_taken() {
        for (spelling, value, kind) in [
            ("0", 0, I::Int),
            ("2147483647", 2147483647, I::Int),
            ("2147483648", 2147483648, I::Long),
            ("0x80000000", 0x8000_0000, I::UnsignedInt),
            ("0xffffffffff", 0xff_ffff_ffff, I::Long),
            ("0x8000000000000000", 1 << 63, I::UnsignedLong),
            ("037777777777", 0xffff_ffff, I::UnsignedInt),
            ("0b101", 5, I::Int),
            ("1u", 1, I::UnsignedInt),
            ("4294967296U", 1 << 32, I::UnsignedLong),
            ("1L", 1, I::Long),
            ("1lu", 1, I::UnsignedLong),
            ("1LL", 1, I::LongLong),
            ("1uLL", 1, I::UnsignedLongLong),
        ] {
            assert_eq!(
                integer(spelling),
                Some((value, Type::Integer(kind))),
                "{spelling}"
            );
        }
        assert_eq!(integer("08"), None);
        assert_eq!(integer("1lul"), None);
        assert_eq!(integer("0x"), None);
    }

    #[test]
    fn floating_constants_have_value_and_type() {
        for (spelling, value, kind) in [
            ("1.5", 1.5, FloatingKind::Double),
            (".5e1", 5.0, FloatingKind::Double),
            ("1.", 1.0, FloatingKind::Double),
            ("1e3f", 1000.0, FloatingKind::Float),
            ("0.1F", f64::from(0.1f32), FloatingKind::Float),
            ("2.L", 2.0, FloatingKind::LongDouble),
            ("0x1.8p1", 3.0, FloatingKind::Double),
            ("0x.1p4", 1.0, FloatingKind::Double),
            ("0xAp-1f", 5.0, FloatingKind::Float),
            ("0x1p-1074", 5e-324, FloatingKind::Double),
            ("1.0f64", 1.0, FloatingKind::Double),
            ("1.0Q", 1.0, FloatingKind::Float128),
        ] {
            assert_eq!(
                floating(spelling),
                Some((value, Type::Floating(kind))),
                "{spelling}"
            );
        }
        assert_eq!(
            floating("1.0fi"),
            Some((1.0, Type::Complex(FloatingKind::Float)))
        );
        assert_eq!(floating("1.0x"), None);
    }

    #[test]
    fn constants_of_wider_types_that_are_doubles() {
        let double = |spelling: &str| {
            let (value, _) = floating(spelling).unwrap();
            let spelling = spelling.to_string();
            as_double(&ExpressionKind::Floating { value, spelling }).is_some()
        };
        for spelling in [
            "1.79769313486231570814527423731704357e+308L",
            "2.22507385850720138309023271733240406e-308L",
            "2.22044604925031308084726333618164062e-16L",
            "0.5L",
            "1000.l",
        ] {
            assert!(double(spelling), "{spelling}");
        }
        for spelling in [
            "0.1L",
            "3.14159265358979323846L",
            "1e30L",
            "0x1p3L",
            "0.L",
            "2.0",
        ] {
            assert!(!double(spelling), "{spelling}");
        }
    }

    #[test]
    fn character_constants_are_ints() {
        for (spelling, value, kind) in [
            ("'a'", 97, I::Int),
            (r"'\n'", 10, I::Int),
            (r"'\0'", 0, I::Int),
            (r"'\377'", -1, I::Int),
            (r"'\x41'", 65, I::Int),
            (r"'\''", 39, I::Int),
            ("'ab'", 0x6162, I::Int),
            ("L'é'", 0xe9, I::Int),
            ("u'é'", 0xe9, I::UnsignedShort),
            (r"U'\U0001F600'", 0x1f600, I::UnsignedInt),
        ] {
            assert_eq!(character(spelling), Some((value, kind)), "{spelling}");
        }
        assert_eq!(character("''"), None);
    }

    #[test]
    fn string_lengths_count_bytes_and_the_null() {
        let shape = |pieces: &[&str]| {
            string_shape(&pieces.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(shape(&["\"abc\""]), (I::Char, 4));
        assert_eq!(shape(&["\"a\"", "\"b\""]), (I::Char, 3));
        assert_eq!(shape(&["\"é\""]), (I::Char, 3));
        assert_eq!(shape(&["\"\u{f7e9}\""]), (I::Char, 2));
        assert_eq!(shape(&["L\"é\""]), (I::Int, 2));
        assert_eq!(shape(&["u\"\u{1f600}\""]), (I::UnsignedShort, 3));
        assert_eq!(shape(&[r#""\x41\12\"""#]), (I::Char, 4));
    }
}

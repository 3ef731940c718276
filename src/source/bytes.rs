//! Bytes that are not UTF-8, kept in a `String` and given back.
//!
//! C files may hold Latin-1 strings; all later stages work on `str`. So each
//! byte `0x80..=0xff` that belongs to no UTF-8 character becomes one character
//! of the private use area, `U+F700 + byte`. A file that holds such a
//! character itself has each of its three bytes mapped the same way, so
//! [`encode_bytes`] is the exact inverse of [`decode_bytes`] on all inputs.

use std::borrow::Cow;

const FIRST: u32 = 0xf780;
const LAST: u32 = 0xf7ff;

/// Text that stands for any bytes, without loss.
pub fn decode_bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.chars().any(is_mapped)
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if is_mapped(character) {
                let mut buffer = [0; 4];
                out.extend(character.encode_utf8(&mut buffer).bytes().map(map_byte));
            } else {
                out.push(character);
            }
        }
        out.extend(chunk.invalid().iter().copied().map(map_byte));
    }
    Cow::Owned(out)
}

/// The bytes that [`decode_bytes`] made the text from: what is to be written
/// to a file.
pub fn encode_bytes(text: &str) -> Cow<'_, [u8]> {
    if !text.chars().any(is_mapped) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len());
    for character in text.chars() {
        if is_mapped(character) {
            out.push((character as u32 & 0xff) as u8);
        } else {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Cow::Owned(out)
}

fn is_mapped(character: char) -> bool {
    (FIRST..=LAST).contains(&(character as u32))
}

fn map_byte(byte: u8) -> char {
    char::from_u32(0xf700 + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_1_has_one_character_a_byte() {
        assert_eq!(decode_bytes(b"caf\xe9"), "caf\u{f7e9}");
        assert_eq!(encode_bytes("caf\u{f7e9}").as_ref(), b"caf\xe9");
        assert_eq!(decode_bytes("\u{f7e9}".as_bytes()).chars().count(), 3);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_come_back(bytes: Vec<u8>) {
            assert_eq!(encode_bytes(&decode_bytes(&bytes)).as_ref(), bytes);
        }

        #[test]
        fn any_text_comes_back(text in "[a\u{f770}-\u{f810}é]*") {
            assert_eq!(encode_bytes(&decode_bytes(text.as_bytes())).as_ref(), text.as_bytes());
        }
    }
}

//! Layout of structs and unions as GCC does it on x86-64 (System V ABI,
//! section 3.1.2, with GNU `packed` and `aligned`).

use crate::typed::BitField;

/// What the layout needs to know of one member.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    /// Of its type, in bytes.
    pub size: u64,
    /// Of its type or its typedef, in bytes.
    pub alignment: u64,
    /// What its own `aligned` or `_Alignas` asks for.
    pub asked: Option<u64>,
    /// Its own `packed`.
    pub is_packed: bool,
    /// Of a bit-field.
    pub width: Option<u32>,
    /// Unnamed bit-fields do not align the record.
    pub is_named: bool,
}

/// Where a member came to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// In bytes from the start.
    pub offset: u64,
    /// What the offset is a multiple of, in bytes.
    pub alignment: u64,
    /// Of a bit-field.
    pub bit_field: Option<BitField>,
}

/// Places members one after the other (or, of a union, over each other).
#[derive(Debug)]
pub(super) struct Layout {
    is_union: bool,
    is_packed: bool,
    /// The limit that `#pragma pack` sets to the alignment of members.
    most: u64,
    /// The end of the last member, in bits; wide enough for any sum of sizes.
    bits: u128,
    /// The end of the largest member, in bits.
    largest: u128,
    alignment: u64,
}

impl Layout {
    /// No members yet. `most` is the limit of `#pragma pack`.
    pub fn new(is_union: bool, is_packed: bool, most: Option<u64>) -> Self {
        Self {
            is_union,
            is_packed,
            most: most.unwrap_or(u64::MAX),
            bits: 0,
            largest: 0,
            alignment: 1,
        }
    }

    /// Places the next member.
    pub fn place(&mut self, field: &Field) -> Place {
        if self.is_union {
            self.bits = 0;
        }
        let is_packed = self.is_packed || field.is_packed;
        let natural = if is_packed { 1 } else { field.alignment };
        let alignment = natural.max(field.asked.unwrap_or(1)).min(self.most);
        let place = match field.width {
            Some(width) => self.place_bits(field, width, alignment, is_packed),
            None => {
                self.align(alignment);
                let offset = bytes(self.bits);
                self.bits += u128::from(field.size) * 8;
                self.alignment = self.alignment.max(alignment);
                Place {
                    offset,
                    alignment,
                    bit_field: None,
                }
            }
        };
        self.largest = self.largest.max(self.bits);
        place
    }

    fn place_bits(&mut self, field: &Field, width: u32, alignment: u64, packed: bool) -> Place {
        let unit = u128::from(field.size.max(1)) * 8;
        if width == 0 {
            // Even in a packed record it ends the whole storage unit.
            self.align(field.alignment);
            return Place {
                offset: bytes(self.bits),
                alignment,
                bit_field: Some(BitField { width, position: 0 }),
            };
        }
        let size = u128::from(width);
        if let Some(asked) = field.asked {
            self.align(asked.min(self.most));
        }
        // It may span as many steps of its alignment as its type does.
        let natural = field.alignment.min(self.most);
        let step = u128::from(natural.max(1)) * 8;
        if !packed && (self.bits % step + size).div_ceil(step) > unit / step {
            self.align(natural);
        }
        if field.is_named {
            self.alignment = self.alignment.max(alignment);
        }
        // A packed field may straddle two units of its type: its own byte is
        // the start then.
        let start = if self.bits / unit == (self.bits + size - 1) / unit {
            self.bits / unit * unit
        } else {
            self.bits / 8 * 8
        };
        let position = (self.bits - start) as u32;
        self.bits += size;
        Place {
            offset: bytes(start),
            alignment,
            bit_field: Some(BitField { width, position }),
        }
    }

    /// Size and alignment of the record, in bytes, with what its own
    /// `aligned` asks for.
    pub fn finish(self, asked: Option<u64>) -> (u64, u64) {
        let alignment = self.alignment.max(asked.unwrap_or(1));
        let size = self.largest.div_ceil(8);
        let size = size.next_multiple_of(u128::from(alignment));
        (bytes(size * 8), alignment)
    }

    fn align(&mut self, alignment: u64) {
        self.bits = self.bits.next_multiple_of(u128::from(alignment.max(1)) * 8);
    }
}

/// Whole bytes; what no machine has room for counts as the most there is.
fn bytes(bits: u128) -> u64 {
    u64::try_from(bits / 8).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(size: u64) -> Field {
        Field {
            size,
            alignment: size,
            asked: None,
            is_packed: false,
            width: None,
            is_named: true,
        }
    }

    fn bits(size: u64, width: u32) -> Field {
        Field {
            width: Some(width),
            ..scalar(size)
        }
    }

    #[test]
    fn members_are_aligned_and_the_end_is_padded() {
        let mut layout = Layout::new(false, false, None);
        assert_eq!(layout.place(&scalar(1)).offset, 0);
        assert_eq!(layout.place(&scalar(8)).offset, 8);
        assert_eq!(layout.place(&scalar(2)).offset, 16);
        assert_eq!(layout.finish(None), (24, 8));
    }

    #[test]
    fn bit_fields_share_a_unit_and_do_not_cross_it() {
        let mut layout = Layout::new(false, false, None);
        let place = |layout: &mut Layout, width| {
            let place = layout.place(&bits(4, width));
            (place.offset, place.bit_field.unwrap().position)
        };
        assert_eq!(place(&mut layout, 20), (0, 0));
        assert_eq!(place(&mut layout, 12), (0, 20));
        assert_eq!(place(&mut layout, 30), (4, 0));
        assert_eq!(place(&mut layout, 3), (8, 0));
        assert_eq!(layout.finish(None), (12, 4));
    }

    #[test]
    fn a_union_is_as_large_as_its_largest_member() {
        let mut layout = Layout::new(true, false, None);
        assert_eq!(layout.place(&scalar(4)).offset, 0);
        assert_eq!(layout.place(&scalar(1)).offset, 0);
        assert_eq!(layout.finish(Some(16)), (16, 16));
    }
}

//! `case 20 ... 29:`, of which nvcc 13 takes the first value alone in device code, without a word.
//!
//! Input: the ranges of a `switch`. Output: the value that it has to look at in their place: each
//! value of a range becomes the first, whose label stands for all.

/// What a `switch` on `name` looks at.
pub fn first_of(name: &str, is_signed: bool, ranges: &[(i128, i128)]) -> String {
    let mut taken = name.to_owned();
    for &(first, last) in ranges.iter().rev() {
        let reaches = match first {
            0 if !is_signed => format!("{name} <= {last}"),
            _ => format!("{name} >= {first} && {name} <= {last}"),
        };
        taken = format!("{reaches} ? {first} : {taken}");
    }
    taken
}

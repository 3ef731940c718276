//! Counts programs that are distinct after translation, sizes not counted.

use std::collections::BTreeMap;

/// The kernels of each program of a translated file, with every number in them taken for the same
/// one and names that carry numbers too: what is left is what the translator made of the program's
/// structure.
pub fn structures(kernels: &str) -> BTreeMap<usize, String> {
    let mut found: BTreeMap<usize, String> = BTreeMap::new();
    let mut program = None;
    for line in kernels.lines() {
        let code = line.split("//").next().unwrap_or("").trim_end();
        if let Some(number) = kernel_of(code) {
            program = Some(number);
        }
        if let Some(number) = program {
            let text = found.entry(number).or_default();
            *text += &without_numbers(code);
            text.push('\n');
        }
        if line.starts_with('}') {
            program = None;
        }
    }
    found
}

/// The program whose kernel begins with this line: `fcw_NUMBER_lineN_kernel(…`.
fn kernel_of(line: &str) -> Option<usize> {
    let name = line.strip_prefix("fcw_")?;
    let (number, rest) = name.split_once('_')?;
    rest.contains("kernel").then(|| number.parse().ok())?
}

/// Each run of digits replaced by one.
fn without_numbers(line: &str) -> String {
    let mut text = String::new();
    let mut in_number = false;
    for character in line.chars() {
        let digit = character.is_ascii_digit();
        match (digit, in_number) {
            (true, false) => text.push('0'),
            (true, true) => {}
            (false, _) => text.push(character),
        }
        in_number = digit;
    }
    text
}

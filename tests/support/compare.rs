//! Compares what two programs print, value by value.
//!
//! Words that both are hexadecimal floats (`%a`) may differ by the tolerance that a test states;
//! everything else must be the same text. A NaN equals nothing, not even a NaN.

/// How far two floating-point values may be apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Not at all.
    Exact,
    /// Units in the last place of a format with that many bits of significand (24 or 53).
    Ulp { count: u32, bits: i32 },
    /// At most by this difference.
    Within(f64),
}

impl Tolerance {
    /// Reads `N ulp of float because …`, `N ulp of double because …` or `within N because …`. The
    /// reason is part of the form: a bound without one is no bound.
    pub fn parse(text: &str) -> Result<Self, String> {
        let malformed = || {
            format!(
                "tolerance: `N ulp of float|double because REASON` or `within N because REASON` \
                 expected, found `{text}`"
            )
        };
        let (bound, reason) = text.split_once(" because ").ok_or_else(malformed)?;
        if reason.trim().len() < 10 {
            return Err(malformed());
        }
        let words: Vec<&str> = bound.split_whitespace().collect();
        if let ["within", difference] = words[..] {
            let difference = difference.parse().map_err(|_| malformed())?;
            return Ok(Self::Within(difference));
        }
        let [count, "ulp", "of", format] = words[..] else {
            return Err(malformed());
        };
        let bits = match format {
            "float" => 24,
            "double" => 53,
            _ => return Err(malformed()),
        };
        let count = count.parse().map_err(|_| malformed())?;
        Ok(Self::Ulp { count, bits })
    }

    fn admits(self, expected: f64, actual: f64) -> bool {
        let (count, bits) = match self {
            Self::Exact => return expected.to_bits() == actual.to_bits(),
            Self::Within(difference) => return (expected - actual).abs() <= difference,
            Self::Ulp { count, bits } => (count, bits),
        };
        let larger = expected.abs().max(actual.abs());
        // The distance between neighbours in the binade of the larger value.
        let unit = larger.log2().floor().exp2() * f64::from(1 - bits).exp2();
        expected == actual || (expected - actual).abs() <= f64::from(count) * unit
    }
}

/// `Err` names the first difference; so does an output that has nothing in it.
pub fn outputs(expected: &str, actual: &str, tolerance: Tolerance) -> Result<(), String> {
    if expected.split_whitespace().next().is_none() {
        return Err("the oracle prints nothing, so that nothing is compared".into());
    }
    let (expected_lines, actual_lines) = (expected.lines().count(), actual.lines().count());
    for (index, (left, right)) in expected.lines().zip(actual.lines()).enumerate() {
        line(left, right, tolerance).map_err(|difference| {
            format!(
                "line {}: {difference}\n  expected {left}\n  found    {right}",
                index + 1
            )
        })?;
    }
    if expected_lines != actual_lines {
        return Err(format!(
            "{expected_lines} lines expected, {actual_lines} found"
        ));
    }
    Ok(())
}

fn line(expected: &str, actual: &str, tolerance: Tolerance) -> Result<(), String> {
    let expected: Vec<&str> = expected.split_whitespace().collect();
    let actual: Vec<&str> = actual.split_whitespace().collect();
    if expected.len() != actual.len() {
        return Err(format!(
            "{} words expected, {} found",
            expected.len(),
            actual.len()
        ));
    }
    for (left, right) in expected.iter().zip(&actual) {
        if is_nan(left) || is_nan(right) {
            return Err(format!("`{left}` equals nothing"));
        }
        let same = match (hexadecimal_float(left), hexadecimal_float(right)) {
            (Some(left), Some(right)) => tolerance.admits(left, right),
            _ => left == right,
        };
        if !same {
            return Err(format!("`{left}` expected, `{right}` found"));
        }
    }
    Ok(())
}

fn is_nan(word: &str) -> bool {
    word.trim_start_matches(['-', '+'])
        .to_ascii_lowercase()
        .starts_with("nan")
}

/// The value of a word that `printf("%a")` wrote: `0x1.8p+1`, `-0x0p+0`.
fn hexadecimal_float(word: &str) -> Option<f64> {
    let (sign, rest) = match word.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, word),
    };
    let (digits, exponent) = rest.strip_prefix("0x")?.split_once('p')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent: i32 = exponent.parse().ok()?;
    let mut value = 0.0;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let shift = exponent - 4 * i32::try_from(fraction.len()).ok()?;
    // In two steps: the power alone may be out of range where the value is subnormal.
    Some(sign * value * f64::from(shift / 2).exp2() * f64::from(shift - shift / 2).exp2())
}

/// The places where two texts differ, a few lines of each; empty where they are equal.
pub fn texts(expected: &str, actual: &str) -> String {
    let (left, right): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
    if expected == actual {
        return String::new();
    }
    let first = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let tail = |lines: &[&str], mark: &str| -> String {
        let shown = lines.iter().skip(first).take(12);
        shown.map(|line| format!("    {mark} {line}\n")).collect()
    };
    format!(
        "  first difference in line {}:\n{}{}",
        first + 1,
        tail(&left, "-"),
        tail(&right, "+")
    )
}

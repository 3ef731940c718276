//! Intervals of whole numbers; an end that is not known is unbounded.

/// The values that a number may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The lowest.
    pub low: Option<i128>,
    /// The highest.
    pub high: Option<i128>,
}

impl Interval {
    /// Any value.
    pub const ALL: Self = Self {
        low: None,
        high: None,
    };

    /// Any value that is not negative.
    pub const NATURAL: Self = Self {
        low: Some(0),
        high: None,
    };

    /// The values between two numbers, both included.
    pub fn between(low: i128, high: i128) -> Self {
        Self {
            low: Some(low),
            high: Some(high),
        }
    }

    /// One value.
    pub fn at(value: i128) -> Self {
        Self::between(value, value)
    }

    /// From the least of some values to the greatest, if all are known.
    pub fn around<const N: usize>(values: [Option<i128>; N]) -> Self {
        let known: Option<Vec<i128>> = values.into_iter().collect();
        known.map_or(Self::ALL, |values| Self {
            low: values.iter().min().copied(),
            high: values.iter().max().copied(),
        })
    }

    /// The sums of a value of each.
    pub fn plus(self, other: Self) -> Self {
        let sum = |a: Option<i128>, b: Option<i128>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
        Self {
            low: sum(self.low, other.low),
            high: sum(self.high, other.high),
        }
    }

    /// The products of a value of each.
    pub fn times(self, other: Self) -> Self {
        let ends = |interval: Self| interval.low.zip(interval.high);
        if let (Some((a, b)), Some((c, d))) = (ends(self), ends(other)) {
            return Self::around([
                a.checked_mul(c),
                a.checked_mul(d),
                b.checked_mul(c),
                b.checked_mul(d),
            ]);
        }
        // One is unbounded: only signs are known.
        match self.sign() * other.sign() {
            1 => Self::NATURAL,
            -1 => Self {
                low: None,
                high: Some(0),
            },
            _ => Self::ALL,
        }
    }

    fn sign(self) -> i8 {
        match (self.low, self.high) {
            (Some(0..), _) => 1,
            (_, Some(..=0)) => -1,
            _ => 0,
        }
    }

    /// Whether it has a value.
    pub fn contains(self, value: i128) -> bool {
        self.low.is_none_or(|low| low <= value) && self.high.is_none_or(|high| value <= high)
    }
}

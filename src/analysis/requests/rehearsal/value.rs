//! Numbers of the threads of a block, and who takes part.

/// An integer of each thread of a block; `None` where data decides it.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// The same in all of them.
    Same(Option<i64>),
    /// One each.
    Each(Vec<Option<i64>>),
}

impl Value {
    pub(super) const UNKNOWN: Self = Self::Same(None);

    pub(super) fn number(value: i128) -> Self {
        Self::Same(i64::try_from(value).ok())
    }

    pub(super) fn at(&self, thread: usize) -> Option<i64> {
        match self {
            Self::Same(value) => *value,
            Self::Each(list) => list.get(thread).copied().flatten(),
        }
    }

    /// The value, if all threads are known to have the same.
    pub(super) fn uniform(&self) -> Option<i64> {
        match self {
            Self::Same(value) => *value,
            Self::Each(list) => {
                let first = *list.first()?;
                list.iter().all(|own| *own == first).then_some(first)?
            }
        }
    }

    pub(super) fn map(&self, change: impl Fn(i128) -> Option<i128>) -> Self {
        let change = |value: Option<i64>| i64::try_from(change(value?.into())?).ok();
        match self {
            Self::Same(value) => Self::Same(change(*value)),
            Self::Each(list) => Self::Each(list.iter().map(|value| change(*value)).collect()),
        }
    }

    pub(super) fn with(
        &self,
        other: &Self,
        join: impl Fn(Option<i64>, Option<i64>) -> Option<i128>,
    ) -> Self {
        let join = |a, b| join(a, b).and_then(|value| i64::try_from(value).ok());
        match (self, other) {
            (Self::Same(a), Self::Same(b)) => Self::Same(join(*a, *b)),
            (Self::Each(list), _) => Self::Each(
                (list.iter().enumerate())
                    .map(|(thread, a)| join(*a, other.at(thread)))
                    .collect(),
            ),
            (_, Self::Each(list)) => Self::Each(
                (list.iter().enumerate())
                    .map(|(thread, b)| join(self.at(thread), *b))
                    .collect(),
            ),
        }
    }
}

/// Whether a thread takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    No,
    /// Data decides it.
    Perhaps,
    Yes,
}

/// Who takes part, by thread.
#[derive(Clone, Debug)]
pub(super) struct Mask(pub(super) Vec<Part>);

impl Mask {
    pub(super) fn all(threads: usize) -> Self {
        Self(vec![Part::Yes; threads])
    }

    pub(super) fn none(threads: usize) -> Self {
        Self(vec![Part::No; threads])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|part| *part == Part::No)
    }

    pub(super) fn is_sure(&self) -> bool {
        !self.0.contains(&Part::Perhaps)
    }

    /// Those for which a condition holds, or does not.
    pub(super) fn where_is(&self, condition: &Value, wanted: bool) -> Self {
        let parts = self.0.iter().enumerate();
        Self(
            parts
                .map(|(thread, part)| match condition.at(thread) {
                    Some(value) if (value != 0) == wanted => *part,
                    Some(_) => Part::No,
                    None => (*part).min(Part::Perhaps),
                })
                .collect(),
        )
    }

    /// Those that pass a test by their number.
    pub(super) fn only(&self, test: impl Fn(usize) -> bool) -> Self {
        let parts = self.0.iter().enumerate();
        Self(
            parts
                .map(|(thread, part)| if test(thread) { *part } else { Part::No })
                .collect(),
        )
    }

    /// Nobody is known to take part.
    pub(super) fn in_doubt(&self) -> Self {
        Self(
            self.0
                .iter()
                .map(|part| (*part).min(Part::Perhaps))
                .collect(),
        )
    }

    /// Without those that have left.
    pub(super) fn without(&self, gone: &Self) -> Self {
        let both = self.0.iter().zip(&gone.0);
        Self(
            both.map(|(part, gone)| match gone {
                Part::No => *part,
                Part::Perhaps => (*part).min(Part::Perhaps),
                Part::Yes => Part::No,
            })
            .collect(),
        )
    }

    /// With others.
    pub(super) fn join(&mut self, others: &Self) {
        for (part, other) in self.0.iter_mut().zip(&others.0) {
            *part = (*part).max(*other);
        }
    }
}

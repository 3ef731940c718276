//! Ways to spread a nest over threads: by directives, sizes of blocks, and `--along-x`.

use super::nest::{Bound, Nest};
use crate::random::Random;

/// One way.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub directives: Directives,
    pub sizes: Sizes,
    /// The loop that is asked to run along x.
    pub along_x: Option<usize>,
}

/// What stands before the parallel loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directives {
    /// `parallel loop`, and `loop` on each inner one.
    Each,
    /// `parallel loop gang`, `loop vector` on the innermost, `loop worker` on one in between.
    Levels,
    /// `kernels loop independent`, and so on each inner one.
    Kernels,
    /// The same levels in `kernels`, with sizes on them.
    Sized,
    /// `parallel loop gang collapse(n)`, and `loop vector` on the others, collapsed.
    CollapsedLevels(usize),
    /// `parallel loop collapse(n)`: loops further inside have no directive.
    Collapsed(usize),
    /// `parallel loop tile(3, 5, …)` of that many loops.
    Tiled(usize),
}

/// Sizes that the construct asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    pub gangs: Option<i64>,
    pub workers: Option<i64>,
    pub lanes: Option<i64>,
}

const fn sizes(gangs: Option<i64>, workers: Option<i64>, lanes: Option<i64>) -> Sizes {
    Sizes {
        gangs,
        workers,
        lanes,
    }
}

const SIZES: &[Sizes] = &[
    sizes(None, None, None),
    sizes(None, None, Some(1)),
    sizes(None, None, Some(32)),
    sizes(None, None, Some(48)),
    sizes(None, None, Some(128)),
    sizes(None, None, Some(1024)),
    sizes(None, Some(3), None),
    sizes(None, Some(8), Some(32)),
    sizes(Some(1), None, None),
    sizes(Some(7), Some(2), Some(64)),
];

impl Nest {
    /// How many of the outermost parallel loops have bounds that depend on none of the others.
    fn rectangular(&self) -> usize {
        let depends = |bound| matches!(bound, Bound::From(_) | Bound::UpTo(_));
        let parallel = &self.loops[..self.parallel];
        parallel
            .iter()
            .position(|l| depends(l.bound))
            .unwrap_or(self.parallel)
    }

    /// All ways, the one that leaves most to the translator first.
    pub fn choices(&self) -> Vec<Choice> {
        let mut directives = vec![
            Directives::Each,
            Directives::Kernels,
            Directives::Levels,
            Directives::Sized,
        ];
        for depth in 1..=self.rectangular() {
            directives.extend([Directives::Collapsed(depth), Directives::Tiled(depth)]);
        }
        if self.rectangular() == self.parallel {
            directives.insert(0, Directives::Collapsed(self.parallel));
            directives.extend((1..self.parallel).map(Directives::CollapsedLevels));
        }
        let along_x = std::iter::once(None).chain((0..self.parallel).map(Some));
        let choices = along_x.flat_map(|along_x| {
            directives.iter().flat_map(move |&directives| {
                SIZES.iter().map(move |&sizes| Choice {
                    directives,
                    sizes,
                    along_x,
                })
            })
        });
        choices.collect()
    }

    /// So many of them, the first and the one with most loops over gangs among them, always the
    /// same ones.
    pub fn some_choices(&self, count: usize) -> Vec<Choice> {
        let mut all = self.choices();
        let mut random = Random::new(!self.seed);
        let mut some = vec![all.remove(0)];
        let most_gangs = Directives::CollapsedLevels(self.parallel - 1);
        if let Some(at) = all
            .iter()
            .position(|choice| choice.directives == most_gangs)
            && count > 1
        {
            some.push(all.remove(at));
        }
        while some.len() < count && !all.is_empty() {
            let last = i64::try_from(all.len() - 1).expect("a small number");
            let at = usize::try_from(random.between(0, last)).expect("not negative");
            let choice = all.swap_remove(at);
            if !some.contains(&choice) {
                some.push(choice);
            }
        }
        some
    }
}

//! How long each stage of a translation takes (`--time-passes`).
//!
//! A stage may time parts of its own. What runs several times, as a pass in two
//! parts does, is one line with the sum.

use std::time::{Duration, Instant};

/// The stages so far.
#[derive(Debug, Default)]
pub struct Stopwatch {
    stages: Vec<Stage>,
    /// The stages under way, each a part of the one before.
    open: Vec<usize>,
}

/// A stage, or a part of the last one before it that is less deep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// What it is called: a module of this crate.
    pub name: &'static str,
    /// How many stages it is a part of.
    pub depth: usize,
    /// All its runs together.
    pub time: Duration,
}

impl Stopwatch {
    /// Does the work of a stage, which may have parts.
    pub fn time<T>(&mut self, name: &'static str, work: impl FnOnce(&mut Self) -> T) -> T {
        let place = self.place_of(name);
        self.open.push(place);
        let start = Instant::now();
        let result = work(self);
        self.stages[place].time += start.elapsed();
        self.open.pop();
        result
    }

    /// Where a stage's time is kept: among the parts of the stage under way.
    fn place_of(&mut self, name: &'static str) -> usize {
        let depth = self.open.len();
        let first = self.open.last().map_or(0, |around| around + 1);
        let parts = self.stages[first..].iter();
        let end = parts.take_while(|part| part.depth >= depth).count() + first;
        let own = |stage: &Stage| stage.depth == depth && stage.name == name;
        if let Some(known) = self.stages[first..end].iter().position(own) {
            return first + known;
        }
        let stage = Stage {
            name,
            depth,
            time: Duration::ZERO,
        };
        self.stages.insert(end, stage);
        end
    }

    /// In the order in which they began; parts follow what they are parts of.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The time of all stages.
    pub fn total(&self) -> Duration {
        let whole = self.stages.iter().filter(|stage| stage.depth == 0);
        whole.map(|stage| stage.time).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(stopwatch: &Stopwatch) -> Vec<(&str, usize)> {
        let stages = stopwatch.stages().iter();
        stages.map(|stage| (stage.name, stage.depth)).collect()
    }

    #[test]
    fn parts_stand_below_their_stage_and_runs_are_added() {
        let mut stopwatch = Stopwatch::default();
        let result = stopwatch.time("syntax", |_| 5);
        stopwatch.time("passes", |passes| {
            passes.time("placement", |_| ());
            passes.time("mapping", |_| std::thread::sleep(Duration::from_millis(2)));
        });
        stopwatch.time("back", |_| ());
        // Once more, as for a file with included constructs.
        stopwatch.time("passes", |passes| passes.time("placement", |_| ()));
        assert_eq!(result, 5);
        let expected = [
            ("syntax", 0),
            ("passes", 0),
            ("placement", 1),
            ("mapping", 1),
            ("back", 0),
        ];
        assert_eq!(names(&stopwatch), expected);
        let stages = stopwatch.stages();
        let (passes, mapping) = (stages[1].time, stages[3].time);
        assert!(mapping >= Duration::from_millis(2) && passes >= mapping);
        let parts: Duration = stages[2].time + mapping;
        assert!(parts <= passes && stopwatch.total() >= passes);
    }
}

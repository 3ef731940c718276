//! Seconds of several runs, and what traced runs say of kernels and copies.
//!
//! Input: what programs print: their `time` line, and the trace of the runtime
//! or of the forms in CUDA. Output: medians with their spread.

use serde::Serialize;

use super::values;
use crate::driver::process::ToolOutput;

/// Several runs, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Times {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
    pub(super) runs: usize,
}

/// What runs ask of the device, as the fcw paper (section 6) tells it apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Trace {
    /// Of a run.
    pub(super) launches: u64,
    /// Of a run.
    pub(super) bytes_to_device: u64,
    /// Of a run.
    pub(super) bytes_to_host: u64,
    /// What the host needs to launch.
    pub(super) launching: Times,
    /// From there to the end of the kernel, the device having nothing else to
    /// do.
    pub(super) kernels: Times,
    /// Copies to the device and back.
    pub(super) transfers: Times,
}

impl Trace {
    /// Kernels and their launches: what the paper's figures 2 to 6 show.
    pub(super) fn device_seconds(&self) -> f64 {
        self.launching.median + self.kernels.median
    }

    /// Joins traced runs; none for none, or where they tell of nothing.
    pub(super) fn of(runs: &[TracedRun]) -> Option<Self> {
        let first = runs.iter().find(|run| run.launches > 0)?;
        let of = |seconds: fn(&TracedRun) -> f64| {
            spread(runs.iter().map(seconds).collect()).unwrap_or_default()
        };
        Some(Self {
            launches: first.launches,
            bytes_to_device: first.bytes_to_device,
            bytes_to_host: first.bytes_to_host,
            launching: of(|run| run.launching),
            kernels: of(|run| run.kernels),
            transfers: of(|run| run.transfers),
        })
    }
}

/// One traced run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TracedRun {
    launches: u64,
    bytes_to_device: u64,
    bytes_to_host: u64,
    launching: f64,
    kernels: f64,
    transfers: f64,
}

impl TracedRun {
    /// Adds up a trace.
    pub(super) fn read(text: &str) -> Self {
        let mut sum = Self::default();
        let events = text.lines();
        for event in events.filter_map(|line| line.strip_prefix("accrs trace: ")) {
            sum.add(event);
        }
        sum
    }

    fn add(&mut self, event: &str) {
        let value = |key: &str| {
            let found = event
                .split_whitespace()
                .find_map(|word| word.strip_prefix(key));
            found.and_then(|word| word.parse::<f64>().ok())
        };
        let seconds = |key: &str| 1e-6 * value(key).unwrap_or_default();
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "sizes of transfers"
        )]
        let bytes = value("bytes=").unwrap_or_default() as u64;
        match event.split_whitespace().next() {
            Some("launch") => {
                self.launches += 1;
                self.launching += seconds("host-us=");
                self.kernels += (seconds("us=") - seconds("host-us=")).max(0.0);
            }
            Some("to-device") => {
                self.bytes_to_device += bytes;
                self.transfers += seconds("us=");
            }
            Some("to-host") => {
                self.bytes_to_host += bytes;
                self.transfers += seconds("us=");
            }
            _ => {}
        }
    }
}

/// The seconds of a program's `time` line.
pub(super) fn seconds(output: &ToolOutput) -> Option<f64> {
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(values::TIME))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The median in the middle of the others; none for none.
pub(super) fn spread(mut seconds: Vec<f64>) -> Option<Times> {
    seconds.sort_by(f64::total_cmp);
    let (least, most) = (*seconds.first()?, *seconds.last()?);
    let middle = seconds.len() / 2;
    let median = match seconds.len() % 2 {
        1 => seconds[middle],
        _ => f64::midpoint(seconds[middle - 1], seconds[middle]),
    };
    Some(Times {
        median,
        least,
        most,
        runs: seconds.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let times = spread(vec![3.0, 1.0, 2.0, 10.0]);
        let expected = Times {
            median: 2.5,
            least: 1.0,
            most: 10.0,
            runs: 4,
        };
        assert_eq!(times, Some(expected));
        assert_eq!(spread(Vec::new()), None);
    }

    #[test]
    fn a_trace_is_summed() {
        let text = "accrs trace: allocate a bytes=8 queue=sync at=x.c:1\n\
            accrs trace: to-device a bytes=8 us=1.5 queue=sync at=x.c:1\nnoise\n\
            accrs trace: launch k grid=1,1,1 block=32,1,1 shared=0 us=7.5 host-us=5.0 queue=sync at=x.c:1\n\
            accrs trace: to-host a bytes=4 us=0.5 queue=sync at=x.c:1\n";
        let run = TracedRun::read(text);
        let sizes = (run.launches, run.bytes_to_device, run.bytes_to_host);
        assert_eq!(sizes, (1, 8, 4));
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(
            near(run.kernels, 2.5e-6) && near(run.launching, 5e-6),
            "{run:?}"
        );
        assert!(near(run.transfers, 2e-6), "{run:?}");
        let trace = Trace::of(&[run, run]).unwrap();
        assert!(near(trace.device_seconds(), 7.5e-6) && trace.kernels.runs == 2);
        assert_eq!(Trace::of(&[TracedRun::default()]), None);
    }
}

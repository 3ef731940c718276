//! The steps of compute constructs as text.

use std::fmt::Write;

use super::Writer;
use crate::ir::{HostRead, Launch, Step};

impl Writer<'_> {
    /// Launches, and what the host does around them.
    pub(super) fn steps(&mut self, launches: &[Launch], steps: &[Step]) {
        for step in steps {
            match step {
                Step::Launch(number) => {
                    if let Some(launch) = launches.get(*number) {
                        self.launch(launch);
                    }
                }
                Step::Declare { symbol, value, .. } => {
                    let mut text = format!("declare {}", self.name(*symbol));
                    if let Some(value) = value {
                        let _ = write!(text, " = {}", self.text(value));
                    }
                    self.line(&text);
                }
                Step::Evaluate(e) => {
                    let text = self.text(e);
                    self.line(&text);
                }
                Step::Repeat(repeat) => {
                    let mut text = "repeat".to_string();
                    if let Some((symbol, first)) = &repeat.variable {
                        let _ = write!(text, " {} = {}", self.name(*symbol), self.text(first));
                    }
                    if let Some(first) = &repeat.first {
                        let _ = write!(text, " from {}", self.text(first));
                    }
                    self.reads(&repeat.reads);
                    if let Some(condition) = &repeat.condition {
                        let word = if repeat.tested_last { "again" } else { "while" };
                        let _ = write!(text, " {word} {}", self.text(condition));
                    }
                    if let Some(advance) = &repeat.advance {
                        let _ = write!(text, " then {}", self.text(advance));
                    }
                    self.line(&text);
                    self.inside(|writer| writer.steps(launches, &repeat.body));
                }
                Step::Choose(branch) => {
                    self.reads(&branch.reads);
                    let text = format!("if {}", self.text(&branch.condition));
                    self.line(&text);
                    self.inside(|writer| writer.steps(launches, &branch.then));
                    if !branch.otherwise.is_empty() {
                        self.line("else");
                        self.inside(|writer| writer.steps(launches, &branch.otherwise));
                    }
                }
                Step::Break => self.line("break"),
                Step::Continue => self.line("continue"),
            }
        }
    }

    fn reads(&mut self, reads: &[HostRead]) {
        for read in reads {
            let names = (self.name(read.holder), self.name(read.variable));
            let text = format!("read {} from {}", names.0, names.1);
            self.line(&text);
        }
    }

    fn launch(&mut self, launch: &Launch) {
        let mut text = format!("launch kernel {}", launch.kernel.0);
        if let Some(other) = launch.alternative {
            let assumed = &self.module.kernel(launch.kernel).assumed;
            if !assumed.disjoint.is_empty() {
                let _ = write!(text, ", or kernel {} where these overlap:", other.0);
            }
            for (a, b) in &assumed.disjoint {
                let _ = write!(text, " {}/{}", self.name(*a), self.name(*b));
            }
            for condition in &assumed.conditions {
                let condition = self.text(condition);
                let _ = write!(text, ", or kernel {} unless {condition}", other.0);
            }
        }
        if let Some(other) = launch.without_windows {
            let _ = write!(text, ", or kernel {} where windows have no room", other.0);
        }
        self.line(&text);
    }
}

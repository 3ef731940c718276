//! Regions and what they do with data.

use std::fmt::Write as _;

use super::Writer;
use crate::ir::{
    DataAction, DataItem, DataModifiers, Extent, HostRole, Length, Queue, Range, Region, RegionKind,
};
use crate::typed::print::{C, Printer};

impl Writer<'_> {
    pub(super) fn region(&mut self, index: usize, region: &Region) {
        let mut head = format!(
            "region {index}: {} in {}",
            region.title,
            self.name(region.function)
        );
        if let Some(parent) = region.parent {
            let _ = write!(head, ", inside region {}", parent.0);
        }
        match region.kind {
            RegionKind::ExitData { finalize: true } => head.push_str(", finalize"),
            RegionKind::Compute {
                host: HostRole::Waits,
                ..
            } => head.push_str(", on the device"),
            RegionKind::Compute {
                host: HostRole::GoesOn,
                ..
            } => head.push_str(", on the device beside the host"),
            RegionKind::HostData { if_present: true } | RegionKind::Update { if_present: true } => {
                head.push_str(", if present")
            }
            _ => {}
        }
        self.line(&head);
        self.inside(|writer| {
            if let Some(condition) = &region.condition {
                let text = writer.text(condition);
                writer.line(&format!("if {text}"));
            }
            writer.order(region);
            for item in &region.data {
                let text = writer.data(item);
                writer.line(&text);
            }
            for local in &region.locals {
                let mut text = format!("local {}", writer.name(local.symbol));
                if let Some(value) = &local.value {
                    let _ = write!(text, " = {}", writer.text(value));
                }
                writer.line(&text);
            }
            if let RegionKind::Compute {
                launches, steps, ..
            } = &region.kind
            {
                writer.steps(launches, steps);
            }
            for copy in &region.host_copies {
                let with = if copy.initialised {
                    " with its value"
                } else {
                    ""
                };
                writer.line(&format!("host copy {}{with}", writer.name(copy.symbol)));
            }
        });
    }

    /// The queue, what is waited for, and what is asked of devices.
    fn order(&mut self, region: &Region) {
        match &region.queue {
            Some(Queue::Numbered(e)) => {
                let text = self.text(e);
                self.line(&format!("queue {text}"));
            }
            Some(Queue::Default) => self.line("queue default"),
            None => {}
        }
        for wait in &region.waits {
            let queues: Vec<String> = wait.queues.iter().map(|e| self.text(e)).collect();
            let mut text = format!("wait {}", queues.join(", "));
            if wait.queues.is_empty() {
                text.push_str("all");
            }
            if let Some(device) = &wait.device {
                let _ = write!(text, " of device {}", self.text(device));
            }
            self.line(&text);
        }
        if let RegionKind::Device(schedule) = &region.kind {
            let mut text = format!("{:?} {:?}", schedule.action, schedule.kinds);
            if let Some(number) = &schedule.number {
                let _ = write!(text, " number {}", self.text(number));
            }
            if let Some(queue) = &schedule.default_queue {
                let _ = write!(text, " default queue {}", self.text(queue));
            }
            self.line(&text);
        }
    }

    pub(super) fn data(&self, item: &DataItem) -> String {
        let implied = if item.implicit { " (implicit)" } else { "" };
        let object = self.text(&item.object);
        format!(
            "data {}{} {object}{}{implied}",
            action(item.action),
            modifiers(item.modifiers),
            self.extent(&item.extent)
        )
    }

    fn extent(&self, extent: &Extent) -> String {
        match extent {
            Extent::Whole => " whole".into(),
            Extent::Unknown | Extent::Unmeasured(_) => String::new(),
            Extent::Section { ranges, element } => {
                let ranges: String = ranges.iter().map(|range| self.range(range)).collect();
                let element = Printer::new(self.unit, &C).declaration(*element, "");
                format!("{ranges} of {element}")
            }
        }
    }

    fn range(&self, range: &Range) -> String {
        let lower = range
            .lower
            .as_ref()
            .map_or("0".into(), |lower| self.text(lower));
        let extent = range
            .extent
            .as_ref()
            .map(|extent| format!(" / {}", self.length(extent)))
            .unwrap_or_default();
        let through = if range.pointers { "*" } else { "" };
        format!("[{lower}:{}{extent}]{through}", self.length(&range.length))
    }

    fn length(&self, length: &Length) -> String {
        match length {
            Length::Constant(n) => n.to_string(),
            Length::Expression(e) => self.text(e),
            Length::Variable { depth } => format!("declared {depth}"),
        }
    }
}

fn modifiers(modifiers: DataModifiers) -> &'static str {
    match (modifiers.zero, modifiers.always_in, modifiers.always_out) {
        (true, ..) => " zero",
        (_, true, true) => " always",
        (_, true, false) => " always in",
        (_, false, true) => " always out",
        (false, false, false) => "",
    }
}

fn action(action: DataAction) -> &'static str {
    match action {
        DataAction::Copy => "copy",
        DataAction::CopyIn => "copyin",
        DataAction::CopyOut => "copyout",
        DataAction::Create => "create",
        DataAction::Present => "present",
        DataAction::NoCreate => "no_create",
        DataAction::DevicePointer => "device pointer",
        DataAction::Find => "find",
        DataAction::Constant => "constant",
        DataAction::FindOrCopy => "find or copy",
        DataAction::FindOrCopyIn => "find or copyin",
        DataAction::Attach => "attach",
        DataAction::Detach => "detach",
        DataAction::UseDevice => "use device",
        DataAction::Delete => "delete",
        DataAction::UpdateHost => "update host",
        DataAction::UpdateDevice => "update device",
    }
}

//! Queues, waits and devices as runtime calls.
//!
//! ```text
//! wait(1) async(q)      accrs_async(q); accrs_wait(1);
//! init device_num(d)    accrs_init_device(accrs_device_current, d);
//! ```

use serde::Serialize;

use super::Host;
use crate::ir::{DeviceAction, DeviceKind, DeviceRequest, Queue, Region, RegionKind, Wait};
use crate::typed::Expression;
use crate::typed::print::precedence;

/// A call of the runtime.
#[derive(Clone, Serialize)]
pub struct RuntimeCall {
    /// Without the `accrs_`.
    pub call: &'static str,
    /// Everything between the parentheses.
    pub arguments: String,
}

/// The number of a bare `async`, as the runtime's header has it.
const DEFAULT_QUEUE: &str = "-1";
/// Stands for a device number that is not given.
const NO_NUMBER: &str = "accrs_no_number";

impl Host<'_> {
    /// The calls between a region's place and its clauses.
    pub(super) fn modifiers(&self, region: &Region) -> Vec<RuntimeCall> {
        let mut list = Vec::new();
        match region.kind {
            RegionKind::ExitData { finalize: true } => list.push(bare("finalize")),
            RegionKind::Update { if_present: true } | RegionKind::HostData { if_present: true } => {
                list.push(bare("if_present"))
            }
            _ => {}
        }
        match &region.queue {
            Some(Queue::Default) => list.push(runtime_call("async", DEFAULT_QUEUE.to_string())),
            Some(Queue::Numbered(e)) => list.push(runtime_call("async", self.argument(e))),
            None => {}
        }
        list.extend(self.waits(region));
        if let RegionKind::Device(request) = &region.kind {
            list.extend(self.device(request));
        }
        list
    }

    /// What a region waits for.
    pub(super) fn waits(&self, region: &Region) -> Vec<RuntimeCall> {
        region
            .waits
            .iter()
            .flat_map(|wait| self.wait(wait))
            .collect()
    }

    fn wait(&self, wait: &Wait) -> Vec<RuntimeCall> {
        let device = wait.device.as_ref().map(|e| self.argument(e));
        if wait.queues.is_empty() {
            return vec![match device {
                Some(device) => runtime_call("wait_all_device", device),
                None => bare("wait_all"),
            }];
        }
        let one = |queue: &Expression| {
            let queue = self.argument(queue);
            match &device {
                Some(device) => runtime_call("wait_device", format!("{device}, {queue}")),
                None => runtime_call("wait", queue),
            }
        };
        wait.queues.iter().map(one).collect()
    }

    fn device(&self, request: &DeviceRequest) -> Vec<RuntimeCall> {
        let number = request.number.as_ref().map(|e| self.argument(e));
        let number = number.unwrap_or_else(|| NO_NUMBER.to_string());
        let name = match request.action {
            DeviceAction::Initialise => "init_device",
            DeviceAction::ShutDown => "shutdown_device",
            DeviceAction::Select => "set_device",
        };
        let of = |kind: &str| runtime_call(name, format!("accrs_device_{kind}, {number}"));
        let mut list: Vec<RuntimeCall> = request.kinds.iter().map(|k| of(kind_name(*k))).collect();
        let names_device = request.action != DeviceAction::Select || request.number.is_some();
        if list.is_empty() && names_device {
            list.push(of("current"));
        }
        if let Some(queue) = &request.default_queue {
            list.push(runtime_call("set_default_async", self.argument(queue)));
        }
        list
    }

    fn argument(&self, e: &Expression) -> String {
        self.text(e, precedence::ASSIGNMENT)
    }
}

fn kind_name(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Default => "default",
        DeviceKind::Host => "host",
        DeviceKind::NotHost => "not_host",
        DeviceKind::Gpu => "nvidia",
    }
}

fn bare(name: &'static str) -> RuntimeCall {
    runtime_call(name, String::new())
}

/// A call.
pub fn runtime_call(name: &'static str, arguments: String) -> RuntimeCall {
    RuntimeCall {
        call: name,
        arguments,
    }
}

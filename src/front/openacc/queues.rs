//! Queues and devices (OpenACC 3.3, sections 2.14.1 to 2.14.3 and 2.16):
//! `async` and `wait` clauses, the `wait` directive, `init`, `shutdown` and
//! `set`.
//!
//! ```text
//! async                       Queue::Default
//! async(q + 1)                Queue::Numbered(q + 1)
//! wait                        all queues of the current device
//! wait(devnum: d: queues: 1)  queue 1 of device d
//! ```

use super::check::{Checked, CheckedClause, has_error, malformed, undeclared, value};
use super::table::{ClauseKind, DirectiveKind};
use crate::ast::{Argument, ArgumentValue, Arguments};
use crate::diagnostic::Diagnostics;
use crate::ir::{DeviceAction, DeviceKind, DeviceRequest, Queue, Wait};
use crate::typed::constant::evaluate;
use crate::typed::{Expression, Unit};

/// The lowest value that names a queue: those below 0 are the runtime's
/// `acc_async_noval`, `acc_async_sync` and `acc_async_default`.
const LOWEST_QUEUE: i128 = -3;

/// The `async` clause.
pub fn queue(unit: &Unit, checked: &Checked, diagnostics: &mut Diagnostics) -> Option<Queue> {
    let clause = checked.clause(ClauseKind::Async)?;
    match clause.items().first() {
        None => Some(Queue::Default),
        Some(item) => queue_number(unit, item, "async", diagnostics).map(Queue::Numbered),
    }
}

/// The `wait` clauses of a directive, or the arguments of `wait` itself.
pub fn waits(unit: &Unit, checked: &Checked, diagnostics: &mut Diagnostics) -> Vec<Wait> {
    let mut list = Vec::new();
    if checked.kind == DirectiveKind::Wait {
        let arguments = checked.directive.arguments.as_ref();
        list.extend(wait(unit, arguments, diagnostics));
    }
    for clause in &checked.clauses {
        if clause.kind == ClauseKind::Wait {
            list.extend(wait(unit, clause.arguments.as_ref(), diagnostics));
        }
    }
    list
}

/// `([devnum: n:] [queues:] q, …)`; nothing is every queue.
fn wait(
    unit: &Unit,
    arguments: Option<&Arguments<Expression>>,
    diagnostics: &mut Diagnostics,
) -> Option<Wait> {
    let mut wait = Wait {
        device: None,
        queues: Vec::new(),
    };
    let Some(arguments) = arguments else {
        return Some(wait);
    };
    if let Some(modifier) = arguments.modifiers.first() {
        let message = format!("`wait` has no modifier `{}`", modifier.value);
        diagnostics.push(
            malformed(message, modifier.span)
                .help("write `wait(1, 2)` or `wait(devnum: 0: queues: 1, 2)`"),
        );
        return None;
    }
    for (position, item) in arguments.items.iter().enumerate() {
        match item.label.as_ref().map(|label| label.value.as_str()) {
            Some("devnum") if position == 0 => {
                wait.device = Some(integer(unit, item, "`devnum`", diagnostics)?);
            }
            None | Some("queues") => {
                wait.queues
                    .push(queue_number(unit, item, "wait", diagnostics)?);
            }
            Some(other) => {
                diagnostics.push(
                    malformed(format!("`{other}` cannot stand here in `wait`"), item.span)
                        .help("write `wait(1, 2)` or `wait(devnum: 0: queues: 1, 2)`"),
                );
                return None;
            }
        }
    }
    if wait.queues.is_empty() && wait.device.is_none() {
        diagnostics.push(
            malformed("the parentheses of `wait` are empty", arguments.span)
                .help("remove them to wait for every queue"),
        );
        return None;
    }
    Some(wait)
}

/// `init`, `shutdown` and `set`.
pub fn device(
    unit: &Unit,
    checked: &Checked,
    diagnostics: &mut Diagnostics,
) -> Option<DeviceRequest> {
    let action = match checked.kind {
        DirectiveKind::Init => DeviceAction::Initialise,
        DirectiveKind::Shutdown => DeviceAction::ShutDown,
        _ => DeviceAction::Select,
    };
    let argument = |kind, diagnostics: &mut Diagnostics| {
        let clause = checked.clause(kind)?;
        let item = clause.items().first()?;
        match kind {
            ClauseKind::DefaultAsync => queue_number(unit, item, "default_async", diagnostics),
            _ => integer(unit, item, "`device_num`", diagnostics),
        }
    };
    let request = DeviceRequest {
        action,
        kinds: match checked.clause(ClauseKind::DeviceType) {
            Some(clause) => kinds(clause, diagnostics)?,
            None => Vec::new(),
        },
        number: argument(ClauseKind::DeviceNum, diagnostics),
        default_queue: argument(ClauseKind::DefaultAsync, diagnostics),
    };
    if action == DeviceAction::Select && checked.directive.clauses.is_empty() {
        let message = "`set` sets nothing";
        diagnostics.push(
            malformed(message, super::check::name_span(&checked.directive))
                .help("add `device_num(n)`, `device_type(t)` or `default_async(q)`"),
        );
    }
    Some(request)
}

/// The names of `device_type(…)`; `*` is every kind.
fn kinds(clause: &CheckedClause, diagnostics: &mut Diagnostics) -> Option<Vec<DeviceKind>> {
    let mut list = Vec::new();
    for item in clause.items() {
        let name = match &item.value {
            ArgumentValue::Star => continue,
            ArgumentValue::Name { name, .. } => name.value.to_ascii_lowercase(),
            _ => String::new(),
        };
        // Programs write the names of `acc_device_t`, too.
        let name = name.strip_prefix("acc_device_").unwrap_or(&name);
        list.push(match name {
            "host" | "multicore" => DeviceKind::Host,
            "nvidia" | "gpu" => DeviceKind::Gpu,
            "not_host" => DeviceKind::NotHost,
            "default" | "current" | "any" => DeviceKind::Default,
            _ => {
                diagnostics.push(
                    malformed("no device type that is known here", item.span)
                        .help("write `nvidia`, `host`, `multicore`, `default` or `*`"),
                );
                return None;
            }
        });
    }
    Some(list)
}

/// A queue's number: an integer that is no unknown special value.
fn queue_number(
    unit: &Unit,
    item: &Argument<Expression>,
    clause: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Expression> {
    let number = integer(unit, item, "the number of a queue", diagnostics)?;
    if evaluate(unit, &number).is_some_and(|n| n < LOWEST_QUEUE) {
        diagnostics.push(
            malformed(format!("there is no queue {}", evaluate(unit, &number).unwrap_or(0)),
                number.span,
            )
            .help(format!(
                "`{clause}` takes a number from 0 on, `acc_async_noval`, `acc_async_sync` or `acc_async_default`"
            )),
        );
        return None;
    }
    Some(number)
}

fn integer(
    unit: &Unit,
    item: &Argument<Expression>,
    what: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Expression> {
    if has_error(item) {
        return None;
    }
    if let ArgumentValue::Name { name, symbol: None } = &item.value {
        diagnostics.push(undeclared(name));
        return None;
    }
    match value(item) {
        Some(e) if unit.types.is_integer(e.ty.ty) => Some(e.clone()),
        _ => {
            diagnostics.push(malformed(format!("{what} is no integer"), item.span));
            None
        }
    }
}

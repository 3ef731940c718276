//! When the work of a region runs relative to other work, and which device
//! directives that only talk to the runtime concern.

use crate::typed::Expression;

/// The queue that takes a region's work. Without one, the host waits for it.
#[derive(Clone, Debug)]
pub enum Queue {
    /// The one that the program chose as its default.
    Default,
    /// An `int`: a queue's number, or one of the runtime's special values.
    Numbered(Expression),
}

/// What must have happened before a region's work begins.
#[derive(Clone, Debug)]
pub struct Wait {
    /// The number of the device that has the queues; `None` is the current
    /// one.
    pub device: Option<Expression>,
    /// The queues; none means all of the device.
    pub queues: Vec<Expression>,
}

/// A standalone directive about devices themselves.
#[derive(Clone, Debug)]
pub struct DeviceRequest {
    /// What is asked for.
    pub action: DeviceAction,
    /// The kinds of devices that are meant; none means the current kind.
    pub kinds: Vec<DeviceKind>,
    /// The device's number among those of its kind.
    pub number: Option<Expression>,
    /// The queue that work without a number goes to from now on.
    pub default_queue: Option<Expression>,
}

/// What is asked of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceAction {
    /// Be ready.
    Initialise,
    /// Finish, and give everything back.
    ShutDown,
    /// Be the current one.
    Select,
}

/// Kinds of devices that a program can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// Whatever the implementation would choose.
    Default,
    /// The processor that runs the program.
    Host,
    /// Anything but that processor.
    NotHost,
    /// A GPU.
    Gpu,
}

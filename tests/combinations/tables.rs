//! The four tables that the entries are made of: constructs, clauses, kinds of variables, roles.
//!
//! Text in braces is filled in: `{x}` the variable's name, `{x!}` how a data clause lists it, `{e}`
//! one of its elements, `{i}` the number of an element, `{v}` its value as an integer.

/// A directive that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Construct {
    Parallel,
    Serial,
    Kernels,
    ParallelLoop,
    SerialLoop,
    KernelsLoop,
    Loop,
    Data,
    EnterData,
    ExitData,
    HostData,
    Update,
    Declare,
    Atomic,
    Routine,
    Cache,
    Wait,
    Init,
    Shutdown,
    Set,
}

use Construct::*;

pub const CONSTRUCTS: &[(Construct, &str)] = &[
    (Parallel, "parallel"),
    (Serial, "serial"),
    (Kernels, "kernels"),
    (ParallelLoop, "parallel loop"),
    (SerialLoop, "serial loop"),
    (KernelsLoop, "kernels loop"),
    (Loop, "loop"),
    (Data, "data"),
    (EnterData, "enter data"),
    (ExitData, "exit data"),
    (HostData, "host_data"),
    (Update, "update"),
    (Declare, "declare"),
    (Atomic, "atomic"),
    (Routine, "routine"),
    (Cache, "cache"),
    (Wait, "wait"),
    (Init, "init"),
    (Shutdown, "shutdown"),
    (Set, "set"),
];

impl Construct {
    /// The words after `#pragma acc`.
    pub fn name(self) -> &'static str {
        let row = CONSTRUCTS.iter().find(|(construct, _)| *construct == self);
        row.map_or("", |(_, name)| name)
    }

    /// Whether it runs on the device.
    pub fn computes(self) -> bool {
        COMPUTE.contains(&self)
    }

    /// Whether it governs the loop right after it.
    pub fn governs_a_loop(self) -> bool {
        LOOPS.contains(&self)
    }
}

const COMPUTE: &[Construct] = &[
    Parallel,
    Serial,
    Kernels,
    ParallelLoop,
    SerialLoop,
    KernelsLoop,
];
const LOOPS: &[Construct] = &[Loop, ParallelLoop, SerialLoop, KernelsLoop];
const SIZED: &[Construct] = &[Parallel, Kernels, ParallelLoop, KernelsLoop];
const COPYING: &[Construct] = &[
    Parallel,
    Serial,
    Kernels,
    ParallelLoop,
    SerialLoop,
    KernelsLoop,
    Data,
    Declare,
];
const ENTERING: &[Construct] = &[
    Parallel,
    Serial,
    Kernels,
    ParallelLoop,
    SerialLoop,
    KernelsLoop,
    Data,
    Declare,
    EnterData,
];
const LEAVING: &[Construct] = &[
    Parallel,
    Serial,
    Kernels,
    ParallelLoop,
    SerialLoop,
    KernelsLoop,
    Data,
    Declare,
    ExitData,
];
const REGIONS: &[Construct] = &[
    Parallel,
    Serial,
    Kernels,
    ParallelLoop,
    SerialLoop,
    KernelsLoop,
    Data,
];
const ATTACHING: &[Construct] = &[
    Parallel,
    Serial,
    Kernels,
    ParallelLoop,
    SerialLoop,
    KernelsLoop,
    Data,
    EnterData,
];
const QUEUED: &[Construct] = &[
    Parallel,
    Serial,
    Kernels,
    ParallelLoop,
    SerialLoop,
    KernelsLoop,
    Data,
    EnterData,
    ExitData,
    Update,
    Wait,
];
const WAITING: &[Construct] = &[
    Parallel,
    Serial,
    Kernels,
    ParallelLoop,
    SerialLoop,
    KernelsLoop,
    Data,
    EnterData,
    ExitData,
    Update,
];
const CONDITIONAL: &[Construct] = &[
    Parallel,
    Serial,
    Kernels,
    ParallelLoop,
    SerialLoop,
    KernelsLoop,
    Data,
    EnterData,
    ExitData,
    HostData,
    Update,
    Wait,
    Init,
    Shutdown,
    Set,
];
const TYPED: &[Construct] = &[
    Parallel,
    Serial,
    Kernels,
    ParallelLoop,
    SerialLoop,
    KernelsLoop,
    Loop,
    Data,
    Update,
    Routine,
    Init,
    Set,
];
const LEVELS: &[Construct] = &[Loop, ParallelLoop, KernelsLoop, SerialLoop, Routine];
const PRIVATE: &[Construct] = &[
    Parallel,
    Serial,
    Kernels,
    ParallelLoop,
    SerialLoop,
    KernelsLoop,
    Loop,
];
const FIRSTPRIVATE: &[Construct] = &[Parallel, Serial, ParallelLoop, SerialLoop];
const REDUCING: &[Construct] = &[
    Parallel,
    Serial,
    ParallelLoop,
    SerialLoop,
    KernelsLoop,
    Loop,
];

/// What a clause makes of the variable that it lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It lists none, so that the variable is what the construct takes it for.
    None,
    /// The device has the host's value; the host gets it back.
    Copy,
    /// The device has the host's value.
    CopyIn,
    /// The host gets the value back; the device begins with none.
    CopyOut,
    /// The device begins with no value and gives none back.
    Create,
    /// The device has it already.
    Present,
    /// The pointer is one of the device.
    DevicePointer,
    /// The pointer is attached to its target, or no longer.
    Attach,
    /// Copies with no value.
    Private,
    /// Copies with the host's value.
    FirstPrivate,
    /// Copies that are combined.
    Reduced,
    /// Its address is that of the device.
    UseDevice,
    /// `update`: the host's value goes to the device, or comes from there.
    ToDevice,
    ToHost,
}

/// A clause.
#[derive(Debug)]
pub struct Clause {
    pub name: &'static str,
    /// Its text. `{a}` is its argument: `usual`, and the variable where that has the role of an
    /// argument.
    pub text: &'static str,
    pub usual: &'static str,
    pub effect: Effect,
    pub on: &'static [Construct],
}

const fn listing(
    name: &'static str,
    text: &'static str,
    effect: Effect,
    on: &'static [Construct],
) -> Clause {
    let usual = "";
    Clause {
        name,
        text,
        usual,
        effect,
        on,
    }
}

const fn other(
    name: &'static str,
    text: &'static str,
    usual: &'static str,
    on: &'static [Construct],
) -> Clause {
    let effect = Effect::None;
    Clause {
        name,
        text,
        usual,
        effect,
        on,
    }
}

pub const CLAUSES: &[Clause] = &[
    listing("copy", "copy({x!})", Effect::Copy, COPYING),
    listing("copyin", "copyin({x!})", Effect::CopyIn, ENTERING),
    listing("copyout", "copyout({x!})", Effect::CopyOut, LEAVING),
    listing("create", "create({x!})", Effect::Create, ENTERING),
    listing("no_create", "no_create({x!})", Effect::Present, REGIONS),
    listing("present", "present({x!})", Effect::Present, COPYING),
    listing(
        "deviceptr",
        "deviceptr({x})",
        Effect::DevicePointer,
        REGIONS,
    ),
    listing("attach", "attach({x})", Effect::Attach, ATTACHING),
    listing("detach", "detach({x})", Effect::Attach, &[ExitData]),
    listing("delete", "delete({x!})", Effect::Create, &[ExitData]),
    listing("private", "private({x!})", Effect::Private, PRIVATE),
    listing(
        "firstprivate",
        "firstprivate({x!})",
        Effect::FirstPrivate,
        FIRSTPRIVATE,
    ),
    listing("reduction", "reduction(+:{x!})", Effect::Reduced, REDUCING),
    listing(
        "use_device",
        "use_device({x})",
        Effect::UseDevice,
        &[HostData],
    ),
    listing(
        "device_resident",
        "device_resident({x!})",
        Effect::Create,
        &[Declare],
    ),
    listing("link", "link({x})", Effect::Copy, &[Declare]),
    listing("self(list)", "self({x!})", Effect::ToHost, &[Update]),
    listing("host", "host({x!})", Effect::ToHost, &[Update]),
    listing("device", "device({x!})", Effect::ToDevice, &[Update]),
    listing("cache", "({x!})", Effect::None, &[Cache]),
    listing("readonly", "(readonly: {x!})", Effect::None, &[Cache]),
    other("none", "", "", REGIONS),
    other("if", "if({a})", "1", CONDITIONAL),
    other("self", "self({a})", "0", COMPUTE),
    other("default(none)", "default(none)", "", REGIONS),
    other("default(present)", "default(present)", "", REGIONS),
    other("num_gangs", "num_gangs({a})", "2", SIZED),
    other("num_workers", "num_workers({a})", "2", SIZED),
    other("vector_length", "vector_length({a})", "8", SIZED),
    other("async", "async({a})", "1", QUEUED),
    other("wait", "wait({a})", "2", WAITING),
    other("device_type", "device_type(*)", "", TYPED),
    other("gang", "gang", "", LEVELS),
    other("gang(static:)", "gang(static: {a})", "2", LOOPS),
    other("worker", "worker", "", LEVELS),
    other("vector", "vector", "", LEVELS),
    other("worker(size)", "worker({a})", "2", &[KernelsLoop]),
    other("vector(size)", "vector({a})", "8", &[KernelsLoop]),
    other("seq", "seq", "", LEVELS),
    other("independent", "independent", "", LOOPS),
    other("auto", "auto", "", LOOPS),
    other("collapse", "collapse({a})", "2", LOOPS),
    other("tile", "tile({a})", "2", LOOPS),
    other("finalize", "finalize", "", &[ExitData]),
    other("if_present", "if_present", "", &[Update, HostData]),
    other("nohost", "seq nohost", "", &[Routine]),
    other("bind", "seq bind({bound})", "", &[Routine]),
    other("read", "read", "", &[Atomic]),
    other("write", "write", "", &[Atomic]),
    other("update", "update", "", &[Atomic]),
    other("capture", "capture", "", &[Atomic]),
    other("(queues)", "({a})", "1", &[Wait]),
    other("device_num", "device_num({a} - {a})", "1", &[Init, Set]),
    other("default_async", "default_async({a})", "3", &[Set]),
];

/// Where a variable is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the function, with its value where it has one from the beginning.
    Local,
    /// In the function, which frees it at its end.
    Allocated,
    /// Outside of functions.
    File,
    /// It is a parameter of the function.
    Parameter,
}

/// What sort of variable.
#[derive(Debug)]
pub struct Kind {
    pub name: &'static str,
    pub place: Place,
    /// The declaration.
    pub declaration: &'static str,
    /// As a parameter of another function, and what that function's clauses list.
    pub parameter: &'static str,
    pub parameter_listed: &'static str,
    /// How a data clause lists it.
    pub listed: &'static str,
    /// The element `{i}`, its type, and how many there are.
    pub element: &'static str,
    pub element_type: &'static str,
    pub elements: usize,
    /// An element as an integer.
    pub value: &'static str,
    /// The value of the first element; the others follow it.
    pub first: i32,
    /// What is written to one of a single element.
    pub written: i32,
    /// Its address.
    pub address: &'static str,
}

/// What most kinds are: an integer of the function.
const SCALAR: Kind = Kind {
    name: "int",
    place: Place::Local,
    declaration: "int {x};",
    parameter: "int {x}",
    parameter_listed: "{x}",
    listed: "{x}",
    element: "{x}",
    element_type: "int",
    elements: 1,
    value: "{e}",
    first: 3,
    written: 5,
    address: "&{x}",
};

const fn scalar(name: &'static str, declaration: &'static str, parameter: &'static str) -> Kind {
    Kind {
        name,
        declaration,
        parameter,
        ..SCALAR
    }
}

/// Objects with eight integers, that functions get by their address.
const ARRAY: Kind = Kind {
    name: "array",
    declaration: "int {x}[8];",
    parameter: "int {x}[8]",
    parameter_listed: "{x}[0:8]",
    element: "{x}[{i}]",
    elements: 8,
    address: "{x}",
    ..SCALAR
};

pub const KINDS: &[Kind] = &[
    SCALAR,
    Kind {
        value: "(int){e}",
        element_type: "float",
        ..scalar("float", "float {x};", "float {x}")
    },
    Kind {
        value: "(int){e}",
        element_type: "double",
        ..scalar("double", "double {x};", "double {x}")
    },
    Kind {
        element_type: "char",
        ..scalar("char", "char {x};", "char {x}")
    },
    Kind {
        element_type: "short",
        ..scalar("short", "short {x};", "short {x}")
    },
    Kind {
        element_type: "long",
        ..scalar("long", "long {x};", "long {x}")
    },
    Kind {
        element_type: "unsigned",
        ..scalar("unsigned", "unsigned {x};", "unsigned {x}")
    },
    Kind {
        element_type: "enum level",
        ..scalar("enum", "enum level {x};", "enum level {x}")
    },
    Kind {
        element_type: "_Bool",
        first: 1,
        written: 0,
        ..scalar("_Bool", "_Bool {x};", "_Bool {x}")
    },
    Kind {
        value: "(int)(creal({e}) + 2 * cimag({e}))",
        element_type: "double _Complex",
        ..scalar("complex", "double _Complex {x};", "double _Complex {x}")
    },
    Kind {
        element: "{x}.narrow",
        element_type: "unsigned",
        ..scalar("bit-field", "struct fields {x};", "struct fields {x}")
    },
    Kind {
        element: "{x}.m",
        ..scalar("struct", "struct plain {x};", "struct plain {x}")
    },
    Kind {
        element: "{x}.m",
        listed: "{x}.m",
        parameter_listed: "{x}.m",
        address: "&{x}.m",
        ..scalar("member", "struct plain {x};", "struct plain {x}")
    },
    Kind {
        element: "{x}.inner.m",
        listed: "{x}.inner.m",
        parameter_listed: "{x}.inner.m",
        address: "&{x}.inner.m",
        ..scalar("nested member", "struct outer {x};", "struct outer {x}")
    },
    Kind {
        element: "{x}.m",
        ..scalar("union", "union either {x};", "union either {x}")
    },
    ARRAY,
    Kind {
        name: "array of arrays",
        declaration: "int {x}[2][4];",
        parameter: "int {x}[2][4]",
        parameter_listed: "{x}[0:2][0:4]",
        listed: "{x}[0:2][0:4]",
        element: "{x}[({i}) / 4][({i}) % 4]",
        ..ARRAY
    },
    Kind {
        name: "variable-length array",
        declaration: "int {x}[n];",
        parameter: "int {x}[n]",
        listed: "{x}[0:n]",
        ..ARRAY
    },
    Kind {
        name: "pointer",
        place: Place::Allocated,
        declaration: "int *{x} = malloc(8 * sizeof *{x});",
        parameter: "int *{x}",
        listed: "{x}[0:8]",
        ..ARRAY
    },
    Kind {
        name: "pointer to pointer",
        place: Place::Allocated,
        declaration: "int **{x} = malloc(2 * sizeof *{x});\n    \
            {x}[0] = malloc(4 * sizeof **{x}), {x}[1] = malloc(4 * sizeof **{x});",
        parameter: "int **{x}",
        parameter_listed: "{x}[0:2][0:4]",
        listed: "{x}[0:2][0:4]",
        element: "{x}[({i}) / 4][({i}) % 4]",
        ..ARRAY
    },
    Kind {
        name: "pointer to array",
        place: Place::Allocated,
        declaration: "int (*{x})[4] = malloc(2 * sizeof *{x});",
        parameter: "int (*{x})[4]",
        parameter_listed: "{x}[0:2]",
        listed: "{x}[0:2]",
        element: "{x}[({i}) / 4][({i}) % 4]",
        ..ARRAY
    },
    Kind {
        name: "flexible array holder",
        place: Place::Allocated,
        declaration: "struct flexible *{x} = malloc(sizeof *{x} + 8 * sizeof(int));",
        parameter: "struct flexible *{x}",
        parameter_listed: "{x}[0:1]",
        listed: "{x}[0:1]",
        element: "{x}->n",
        elements: 1,
        ..ARRAY
    },
    scalar("typedef", "whole {x};", "whole {x}"),
    Kind {
        place: Place::File,
        ..scalar("global", "int {x};", "int {x}")
    },
    scalar("static", "static int {x};", "int {x}"),
    Kind {
        place: Place::File,
        ..scalar("extern", "extern int {x};", "int {x}")
    },
    scalar("const", "const int {x} = 3;", "const int {x}"),
    scalar("volatile", "volatile int {x};", "volatile int {x}"),
    Kind {
        place: Place::Parameter,
        ..scalar("parameter", "int {x}", "int {x}")
    },
];

impl Kind {
    pub fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// Whether its value, not its elements, is what a construct uses.
    pub fn is_scalar(&self) -> bool {
        self.elements == 1
            && self.place != Place::Allocated
            && !["struct", "member", "nested member", "bit-field", "union"].contains(&self.name)
    }

    /// Whether a clause lists a part of the variable.
    pub fn is_member(&self) -> bool {
        self.listed != "{x}" && !self.listed.contains('[')
    }

    pub fn is_pointer(&self) -> bool {
        self.place == Place::Allocated
    }
}

/// What the variable is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Bound,
    Step,
    Subscript,
    Condition,
    /// In an argument of the clause, or of another where it has none.
    Argument,
    Read,
    Write,
}

pub const ROLES: &[Role] = &[
    Role::Bound,
    Role::Step,
    Role::Subscript,
    Role::Condition,
    Role::Argument,
    Role::Read,
    Role::Write,
];

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Self::Bound => "bound",
            Self::Step => "step",
            Self::Subscript => "subscript",
            Self::Condition => "condition",
            Self::Argument => "argument",
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

//! What kind of work an instruction is.
//!
//! Output: a [`Class`], and [`Classes`], how many instructions there are of each. Operations of the
//! uniform data path (`UIADD3`) are of the class of those of the threads (`IADD3`).

use serde::Serialize;

use super::disassembly::Instruction;

/// The kinds that are counted apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Arithmetic and comparison of floating point, conversions, functions.
    FloatingPoint,
    /// Shared memory.
    Shared,
    /// Device memory, cached or not; copies from there to shared memory.
    Global,
    /// Arithmetic, logic and comparison of integers and predicates, moves: all that is in no other.
    Integer,
    /// Branches, calls, where threads meet again.
    Control,
    /// Values of other lanes, votes.
    Shuffle,
    /// Barriers, fences, waiting for copies.
    Barrier,
    /// Constants, special registers, local memory.
    Other,
}

const SHARED: &[&str] = &["LDS", "STS", "ATOMS", "LDSM", "STSM"];

const GLOBAL: &[&str] = &[
    "LD", "ST", "LDG", "STG", "ATOM", "ATOMG", "RED", "REDG", "LDGSTS", "LDGMC", "BLKCP", "BLKRED",
    "TMALDG", "TMASTG", "TMAREDG",
];

const CONTROL: &[&str] = &[
    "BRA",
    "BRX",
    "BRXU",
    "JMP",
    "JMX",
    "JMXU",
    "CALL",
    "RET",
    "EXIT",
    "KILL",
    "BSSY",
    "BSYNC",
    "BREAK",
    "BMOV",
    "WARPSYNC",
    "ENDCOLLECTIVE",
    "YIELD",
    "NANOSLEEP",
    "BPT",
    "RPCMOV",
];

const SHUFFLE: &[&str] = &["SHFL", "VOTE", "VOTEU", "MATCH", "REDUX", "MOVM", "ELECT"];

const BARRIER: &[&str] = &[
    "BAR",
    "MEMBAR",
    "ERRBAR",
    "FENCE",
    "DEPBAR",
    "LDGDEPBAR",
    "ARRIVES",
    "SYNCS",
    "CGABAR_ARV",
    "CGABAR_WAIT",
    "CGAERRBAR",
];

const OTHER: &[&str] = &["NOP", "S2R", "LDC", "LDCU", "LDL", "STL", "CCTL", "CCTLL"];

/// Without those that begin with `F`, `D` or `H`, which are told by that.
const FLOATING_POINT: &[&str] = &["MUFU", "I2F", "I2FP", "F2I", "F2IP"];

/// The class of an instruction.
pub(super) fn of(instruction: &Instruction) -> Class {
    let operation = plain(instruction.operation());
    let lists = [
        (SHARED, Class::Shared),
        (GLOBAL, Class::Global),
        (CONTROL, Class::Control),
        (SHUFFLE, Class::Shuffle),
        (BARRIER, Class::Barrier),
        (OTHER, Class::Other),
        (FLOATING_POINT, Class::FloatingPoint),
    ];
    if let Some((_, class)) = lists.iter().find(|(list, _)| list.contains(&operation)) {
        return *class;
    }
    // FLO finds the first bit that is set.
    let is_floating =
        operation.starts_with(['F', 'D', 'H']) && operation != "FLO" && !is_move(instruction);
    match is_floating {
        true => Class::FloatingPoint,
        false => Class::Integer,
    }
}

/// The operation of threads that one of the uniform data path is like.
fn plain(operation: &str) -> &str {
    match operation {
        "S2UR" => "S2R",
        _ => operation.strip_prefix('U').unwrap_or(operation),
    }
}

/// Whether a product of zeros moves a constant, `HFMA2.MMA R1, -RZ, RZ, 1, 0`, as nvcc does it where the
/// units for integers are busy.
fn is_move(instruction: &Instruction) -> bool {
    let is_zero = |place: usize| {
        let factor = instruction.operands.get(place);
        factor.is_some_and(|factor| factor.trim_start_matches('-') == "RZ")
    };
    instruction.operation() == "HFMA2" && is_zero(1) && is_zero(2)
}

/// How many instructions there are of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Classes {
    pub(super) floating_point: usize,
    pub(super) shared: usize,
    pub(super) global: usize,
    pub(super) integer: usize,
    pub(super) control: usize,
    pub(super) shuffle: usize,
    pub(super) barrier: usize,
    pub(super) other: usize,
}

impl Classes {
    /// Of these instructions.
    pub(super) fn of<'i>(instructions: impl Iterator<Item = &'i Instruction>) -> Self {
        let mut counts = Self::default();
        for instruction in instructions {
            *match of(instruction) {
                Class::FloatingPoint => &mut counts.floating_point,
                Class::Shared => &mut counts.shared,
                Class::Global => &mut counts.global,
                Class::Integer => &mut counts.integer,
                Class::Control => &mut counts.control,
                Class::Shuffle => &mut counts.shuffle,
                Class::Barrier => &mut counts.barrier,
                Class::Other => &mut counts.other,
            } += 1;
        }
        counts
    }

    /// In the order of the classes.
    pub(super) const fn all(&self) -> [usize; 8] {
        [
            self.floating_point,
            self.shared,
            self.global,
            self.integer,
            self.control,
            self.shuffle,
            self.barrier,
            self.other,
        ]
    }
}

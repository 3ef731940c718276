//! How far a loop's counter goes in an iteration, and how many iterations of the source that is.
//!
//! Input: a loop of machine code. Output: its *step*, what the integer that decides whether the loop is
//! left grows by, and its *factor*, how often the source's body stands in it:
//!
//! ```text
//! L:  LDS R4, [R8]            step 2: R2 is compared, and grows by 2;
//!     LDS R5, [R8+0x4]        two FADDs and two words of LDS are multiples of 2:
//!     FADD R0, R0, R4         the loop was unrolled by 2
//!     FADD R0, R0, R5
//!     IADD3 R8, R8, 0x8, RZ
//!     IADD3 R2, R2, 0x2, RZ
//!     ISETP.GE.AND P0, PT, R2, R3, PT
//! @!P0 BRA L
//! ```
//!
//! The source's own step is not known here: that of a loop over tiles is not 1. The factor is therefore the
//! step where all numbers of floating-point instructions, by operation, and of words moved, by operation,
//! are multiples of it; else, and without such instructions, it cannot be told. A counter that is an
//! address counts in elements of what it addresses.

use super::class::{self, Class};
use super::disassembly::{Instruction, Section};
use super::flow::{Flow, Loop};

use std::collections::BTreeMap;

/// Moves and additions between a comparison and the counter, at most.
const MOST_LINKS: usize = 8;

/// Of a loop in which it can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Advance {
    /// Per iteration of the machine's loop.
    pub(super) step: i64,
    /// Iterations of the source in one of the machine's.
    pub(super) factor: Option<u64>,
}

/// The step and the factor of a loop.
pub(super) fn of(section: &Section, flow: &Flow, own: &Loop) -> Option<Advance> {
    let code = Code { section, own };
    let conditions = code.conditions(flow);
    let counter = conditions
        .iter()
        .find_map(|compared| code.counter(compared))?;
    let step = counter.step;
    let elements = match code.width_at(&counter.registers) {
        Some(width) if step.unsigned_abs().is_multiple_of(width) => step.unsigned_abs() / width,
        _ => step.unsigned_abs(),
    };
    Some(Advance {
        step,
        factor: code.factor(elements),
    })
}

/// A value that grows by the same in each iteration.
struct Counter {
    step: i64,
    /// Where it goes through.
    registers: Vec<String>,
}

/// The instructions of a loop.
struct Code<'c> {
    section: &'c Section,
    own: &'c Loop,
}

impl<'c> Code<'c> {
    fn at(&self, number: usize) -> &'c Instruction {
        &self.section.instructions[number]
    }

    /// What the branches compare that leave the loop, or go on in it; the last one's first.
    fn conditions(&self, flow: &Flow) -> Vec<&'c Instruction> {
        let leaves = |number: &&usize| {
            let after = flow.after(**number);
            after.len() > 1 && after.iter().any(|next| !self.own.body.contains(next))
        };
        let branches = self.own.own.iter().rev().filter(leaves);
        branches
            .filter_map(|branch| self.comparison(*branch))
            .collect()
    }

    /// The comparison that a branch depends on: the last before it that gives its predicate.
    fn comparison(&self, branch: usize) -> Option<&'c Instruction> {
        let own = self.at(branch);
        let predicate = own.guard.as_deref().or_else(|| {
            let mut operands = own.operands.iter().map(String::as_str);
            operands.find(|operand| is_name(operand.trim_start_matches('!'), 'P'))
        })?;
        let predicate = predicate.trim_start_matches('!');
        let before = self.own.own.range(..branch).rev().map(|n| self.at(*n));
        let mut gives = before.filter(|other| given(other).any(|one| one == predicate));
        gives
            .next()
            .filter(|found| matches!(found.operation(), "ISETP" | "UISETP"))
    }

    /// One of the values compared that grows by a constant.
    fn counter(&self, comparison: &Instruction) -> Option<Counter> {
        let mut compared = comparison
            .operands
            .iter()
            .skip(2)
            .filter_map(|operand| register(operand));
        compared.find_map(|register| self.growth(register))
    }

    /// Goes back from a register, by moves and additions of constants, to itself.
    fn growth(&self, begin: String) -> Option<Counter> {
        let mut step = 0;
        let mut registers = vec![begin.clone()];
        for _ in 0..MOST_LINKS {
            let (from, constant) = self.sum(registers.last()?)?;
            step += constant;
            if from == begin {
                return (step != 0).then_some(Counter { step, registers });
            }
            registers.push(from);
        }
        None
    }

    /// The register and the constant that one is the sum of, if it is set once in an iteration.
    fn sum(&self, register_set: &str) -> Option<(String, i64)> {
        let sets = |number: &&usize| given(self.at(**number)).any(|one| one == register_set);
        let mut all = self.own.body.iter().filter(sets);
        let (number, None) = (all.next()?, all.next()) else {
            return None;
        };
        let setting = self.at(*number);
        if setting.guard.is_some() || !self.own.own.contains(number) {
            return None;
        }
        let mut operands: Vec<&str> = (setting.operands.iter().skip(1).map(String::as_str))
            .filter(|operand| !matches!(*operand, "RZ" | "URZ") && !operand.contains('P'))
            .collect();
        match (setting.operation(), setting.has("MOV")) {
            ("MOV" | "UMOV", _) | ("IMAD", true) => {}
            ("IADD3" | "UIADD3" | "IADD" | "UIADD" | "VIADD", _) => {}
            ("IMAD", _) if setting.has("IADD") => operands.retain(|operand| *operand != "0x1"),
            _ => return None,
        }
        let constants = operands
            .iter()
            .filter_map(|operand| constant(operand))
            .sum();
        operands.retain(|operand| constant(operand).is_none());
        match operands[..] {
            [from] if !from.starts_with('-') => Some((register(from)?, constants)),
            _ => None,
        }
    }

    /// The bytes of an access in the loop that has one of these registers for its address.
    fn width_at(&self, registers: &[String]) -> Option<u64> {
        let own = self.own.body.iter().map(|number| self.at(*number));
        let mut accesses = own.filter(|access| {
            let addresses = access
                .operands
                .iter()
                .filter(|operand| operand.contains('['));
            let mut names = addresses.flat_map(|address| address.split(['[', ']', '+', '.']));
            names.any(|name| registers.iter().any(|register| register == name))
        });
        accesses.next().map(|access| 4 * words(access))
    }

    /// The step in elements, if the loop has so many iterations of the source.
    fn factor(&self, elements: u64) -> Option<u64> {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for instruction in self.own.own.iter().map(|number| self.at(*number)) {
            let count = match class::of(instruction) {
                Class::FloatingPoint => 1,
                Class::Shared | Class::Global => words(instruction),
                _ => continue,
            };
            *counts.entry(instruction.operation()).or_default() += count;
        }
        let mut all = counts.values();
        let fits = !counts.is_empty() && all.all(|count| count.is_multiple_of(elements));
        fits.then_some(elements)
    }
}

/// The 32-bit words that a thread moves.
fn words(access: &Instruction) -> u64 {
    match (access.has("128"), access.has("64")) {
        (true, _) => 4,
        (_, true) => 2,
        _ => 1,
    }
}

/// The registers and predicates that an instruction sets. Of wide results those behind the first are
/// told by the modifiers.
fn given(instruction: &Instruction) -> impl Iterator<Item = String> {
    let is_read_only = matches!(
        instruction.operation(),
        "ST" | "STG" | "STS" | "STL" | "RED" | "REDG" | "BAR" | "BRA" | "BRX" | "CALL" | "RET"
    );
    let first = instruction.operands.first().filter(|_| !is_read_only);
    let first = first.and_then(|operand| register(operand).or_else(|| predicate(operand)));
    let wide = first.as_deref().map_or(0, |first| wide(instruction, first));
    let more = first.clone().into_iter().flat_map(move |first| {
        let letters = first
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .to_owned();
        let number: u64 = first[letters.len()..].parse().unwrap_or(0);
        (1..wide).map(move |behind| format!("{letters}{}", number + behind))
    });
    // A carry, or the second result of a comparison.
    let second = instruction.operands.get(1).filter(|_| !is_read_only);
    let second = second.and_then(|operand| predicate(operand));
    first.into_iter().chain(more).chain(second)
}

/// The registers that a result takes.
fn wide(instruction: &Instruction, first: &str) -> u64 {
    let operation = instruction.operation();
    if first.contains('P') {
        return 1;
    }
    let is_double = operation.starts_with('D') || operation == "CS2R" || instruction.has("WIDE");
    words(instruction).max(if is_double { 2 } else { 1 })
}

/// The name in an operand that is a register: `R4` of `R4.reuse`.
fn register(operand: &str) -> Option<String> {
    let name = operand.split('.').next()?;
    is_name(name, 'R').then(|| name.to_owned())
}

fn predicate(operand: &str) -> Option<String> {
    is_name(operand, 'P').then(|| operand.to_owned())
}

/// Whether a name is that of a register (`R`) or predicate (`P`), uniform or not; `RZ` and `PT`, which are
/// constant, are none.
fn is_name(name: &str, letter: char) -> bool {
    let number = name.strip_prefix('U').unwrap_or(name).strip_prefix(letter);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// The value of `-0x10`; of 32-bit numbers whose first bit is set, `0xfffffff0`, the negative one.
fn constant(operand: &str) -> Option<i64> {
    let (sign, digits) = match operand.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, operand),
    };
    let value = u32::from_str_radix(digits.strip_prefix("0x")?, 16).ok()?;
    Some(sign * i64::from(value.cast_signed()))
}

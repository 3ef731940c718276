//! The flow of control through machine code, and its loops.
//!
//! Input: a [`Section`]. Output: a [`Flow`], a graph with a node for each instruction, what of it
//! the kernel's entry reaches (padding is not), and natural loops: the edges back to an instruction
//! that is on every path to their origin, with all that comes to that edge without it.
//!
//! A call goes on behind it; the function called is reached by no edge. `BSSY` names the place where
//! threads meet again, and `BSYNC` goes there when all have come: nvcc puts it just before.

use std::collections::{BTreeMap, BTreeSet};

use super::disassembly::{Instruction, Section};

/// The graph of a kernel.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// What may be executed after each instruction.
    successors: Vec<Vec<usize>>,
    /// What the entry reaches, each after one of those before it but for edges back.
    order: Vec<usize>,
    /// What calls reach.
    pub(super) called: BTreeSet<usize>,
}

/// A natural loop. Loops with one header are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    /// The first instruction that is executed.
    pub(super) header: usize,
    /// All instructions, those of loops in it included.
    pub(super) body: BTreeSet<usize>,
    /// Those that are in no loop within it.
    pub(super) own: BTreeSet<usize>,
    /// How many loops it is in, itself included.
    pub(super) depth: usize,
}

impl Loop {
    /// Whether no other loop is in it.
    pub(super) fn is_innermost(&self) -> bool {
        self.own.len() == self.body.len()
    }
}

impl Flow {
    /// The graph of a section, whose first instruction is the kernel's.
    pub(super) fn of(section: &Section) -> Self {
        let successors: Vec<Vec<usize>> = (0..section.instructions.len())
            .map(|number| successors(section, number))
            .collect();
        let order = reached(&successors, 0);
        let calls = section.instructions.iter();
        let calls = calls.filter(|instruction| instruction.operation() == "CALL");
        let called = calls
            .flat_map(|call| places(section, call))
            .flat_map(|function| reached(&successors, function))
            .collect();
        Self {
            successors,
            order,
            called,
        }
    }

    /// The kernel's own instructions, in the order of their addresses.
    pub(super) fn own(&self) -> BTreeSet<usize> {
        self.order.iter().copied().collect()
    }

    /// What may be executed after an instruction.
    pub(super) fn after(&self, number: usize) -> &[usize] {
        &self.successors[number]
    }

    /// The loops of the kernel, by the address of their headers.
    pub(super) fn loops(&self) -> Vec<Loop> {
        let before = self.predecessors();
        let dominators = self.dominators(&before);
        let mut bodies: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &from in &self.order {
            for &to in &self.successors[from] {
                if dominators.is_on_every_path(to, from) {
                    let body = bodies.entry(to).or_insert_with(|| BTreeSet::from([to]));
                    add_body(body, from, &before);
                }
            }
        }
        let all = &bodies;
        let make = |(&header, body): (&usize, &BTreeSet<usize>)| {
            let is_inside = |other: &usize| *other != header && body.contains(other);
            let inner = all.iter().filter(|(other, _)| is_inside(other));
            let inner: BTreeSet<usize> = inner.flat_map(|(_, body)| body).copied().collect();
            Loop {
                header,
                body: body.clone(),
                own: body.difference(&inner).copied().collect(),
                depth: all.values().filter(|other| other.contains(&header)).count(),
            }
        };
        all.iter().map(make).collect()
    }

    fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut before = vec![Vec::new(); self.successors.len()];
        for &from in &self.order {
            for &to in &self.successors[from] {
                before[to].push(from);
            }
        }
        before
    }

    /// The nearest instruction on every path to each, after Cooper, Harvey and Kennedy ("A Simple,
    /// Fast Dominance Algorithm", 2001).
    fn dominators(&self, before: &[Vec<usize>]) -> Dominators {
        let mut found = Dominators {
            turn: vec![usize::MAX; self.successors.len()],
            nearest: vec![None; self.successors.len()],
        };
        for (turn, &number) in self.order.iter().enumerate() {
            found.turn[number] = turn;
        }
        let Some((&entry, rest)) = self.order.split_first() else {
            return found;
        };
        found.nearest[entry] = Some(entry);
        let mut changes = true;
        while changes {
            changes = false;
            for &number in rest {
                let known = before[number].iter().copied();
                let mut known = known.filter(|one| found.nearest[*one].is_some());
                let Some(first) = known.next() else {
                    continue;
                };
                let nearest = known.fold(first, |one, other| found.common(one, other));
                changes |= found.nearest[number] != Some(nearest);
                found.nearest[number] = Some(nearest);
            }
        }
        found
    }
}

/// Which instructions are on every path to others.
struct Dominators {
    /// The place of each in the order of the graph.
    turn: Vec<usize>,
    nearest: Vec<Option<usize>>,
}

impl Dominators {
    /// The last that is on every path to both.
    fn common(&self, mut one: usize, mut other: usize) -> usize {
        while one != other {
            let later = match self.turn[one] > self.turn[other] {
                true => &mut one,
                false => &mut other,
            };
            match self.nearest[*later] {
                Some(nearest) => *later = nearest,
                None => return *later,
            }
        }
        one
    }

    /// Whether every path to `to` has `on`.
    fn is_on_every_path(&self, on: usize, to: usize) -> bool {
        let mut at = to;
        while self.turn[at] > self.turn[on] {
            match self.nearest[at] {
                Some(nearest) => at = nearest,
                None => return false,
            }
        }
        at == on
    }
}

/// Adds what comes to `from` without the header, which is in the body already.
fn add_body(body: &mut BTreeSet<usize>, from: usize, before: &[Vec<usize>]) {
    let mut open = vec![from];
    while let Some(number) = open.pop() {
        if body.insert(number) {
            open.extend(&before[number]);
        }
    }
}

/// What is reached from a place, in the reverse of the order in which a search in depth leaves it.
fn reached(successors: &[Vec<usize>], from: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    if from < successors.len() {
        seen.insert(from);
        open.push((from, 0));
    }
    while let Some((number, next)) = open.last_mut() {
        let (number, turn) = (*number, *next);
        *next += 1;
        match successors[number].get(turn) {
            Some(&after) if seen.insert(after) => open.push((after, 0)),
            Some(_) => {}
            None => {
                order.push(number);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

/// What may be executed after an instruction; a label that is not known leads nowhere.
fn successors(section: &Section, number: usize) -> Vec<usize> {
    let own = &section.instructions[number];
    let next = number + 1;
    let mut all = match own.operation() {
        "BRA" | "JMP" | "BRX" | "BRXU" | "JMX" | "JMXU" | "WARPSYNC" => places(section, own),
        "BSYNC" => meetings(section, own, next),
        _ => Vec::new(),
    };
    let is_end = match own.operation() {
        "BRA" | "JMP" | "BRX" | "BRXU" | "JMX" | "JMXU" | "EXIT" | "RET" | "KILL" => {
            !own.is_conditional()
        }
        "BSYNC" => !all.is_empty(),
        _ => false,
    };
    if !is_end && next < section.instructions.len() {
        all.push(next);
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The instructions at the labels that an instruction names.
fn places(section: &Section, instruction: &Instruction) -> Vec<usize> {
    let known = instruction.labels.iter();
    let known = known.filter_map(|label| section.labels.get(label).copied());
    known
        .filter(|place| *place < section.instructions.len())
        .collect()
}

/// Where threads go on that have met: the next instruction, where a `BSSY` of the same barrier names it;
/// else wherever one does.
fn meetings(section: &Section, sync: &Instruction, next: usize) -> Vec<usize> {
    let begins = section.instructions.iter();
    let begins = begins.filter(|other| {
        other.operation() == "BSSY" && other.operands.first() == sync.operands.first()
    });
    let all: Vec<usize> = begins.flat_map(|begin| places(section, begin)).collect();
    match all.contains(&next) {
        true => vec![next],
        false => all,
    }
}

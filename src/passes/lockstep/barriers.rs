//! Barriers that cannot matter.
//!
//! A barrier orders what the threads of a block did to windows since the
//! barrier before against what they do until the next. Where no access of the
//! first kind meets one of the second in one slot, one of them a write, by
//! different threads, it is dropped.
//!
//! ```c
//! s[own] = 2 * s[own];   // each thread in its own slot
//! barrier;               // before: kept since the code may be anything
//! s[own] += 1;           // after: dropped, no slot has two threads
//! ```

use std::collections::{HashMap, HashSet};

use crate::analysis::block_affine::{Apart, Facts, Frame, Slots};
use crate::analysis::block_uniformity::{BlockUniformity, key};
use crate::analysis::effects::{Oracle, Place, Touch};
use crate::analysis::uniformity::waits;
use crate::ir::{
    BlockExtent, DeviceFunction, Kernel, Loop, SharedWindow, Statement, StatementKind,
    WindowExtent, WindowMarks, visit,
};
use crate::typed::{Expression, ExpressionKind, SymbolId};

use super::jumps;

/// The barriers that cannot matter, by [`key`], and why.
pub fn redundant(
    kernel: &Kernel,
    functions: &[DeviceFunction],
    answers: &BlockUniformity,
    oracle: &Oracle,
) -> HashMap<usize, String> {
    let mut graph = Graph::of(kernel, functions, answers, oracle);
    let mut dropped: HashMap<usize, String> = HashMap::new();
    for (node, barrier) in graph.candidates.clone() {
        graph.dropped.insert(barrier);
        let verdict = graph.verdict(node);
        // One that was dropped before may have leant on this one.
        let holds = verdict.is_some()
            && graph
                .candidates
                .iter()
                .filter(|(_, other)| dropped.contains_key(other))
                .all(|&(node, _)| graph.verdict(node).is_some());
        match verdict {
            Some(why) if holds => {
                dropped.insert(barrier, why.to_string());
            }
            _ => {
                graph.dropped.remove(&barrier);
            }
        }
    }
    dropped
}

/// Turns these barriers into comments.
pub fn drop(list: &mut [Statement], dropped: &HashMap<usize, String>) {
    for statement in list {
        let why = dropped.get(&key(statement));
        if let (StatementKind::Barrier(barrier), Some(why)) = (&mut statement.kind, why) {
            barrier.dropped = Some(why.clone());
        }
        visit::blocks_mut(statement, &mut |inner| drop(inner, dropped));
    }
}

/// An access to a window.
#[derive(Clone, Debug)]
struct Access {
    storage: SymbolId,
    write: bool,
    /// Where it goes, if that is known.
    slots: Option<Slots>,
    /// It is in a loop without barriers, so that it stands for accesses of
    /// several rounds.
    repeats: bool,
}

/// Shared arrays that have bytes in common with others, both ways round.
type Overlays = HashSet<(SymbolId, SymbolId)>;

/// Which windows lie where others do.
fn overlays(windows: &[SharedWindow]) -> Overlays {
    let pairs = windows
        .iter()
        .flat_map(|a| windows.iter().map(move |b| (a, b)));
    pairs
        .filter(|(a, b)| a.shares_bytes(b))
        .map(|(a, b)| (a.storage, b.storage))
        .collect()
}

/// An access that may come before or after a barrier.
struct Reached<'g> {
    access: &'g Access,
    /// A loop's next round begins on the way.
    in_other_round: bool,
}

enum Event {
    Accesses(Vec<Access>),
    Barrier(usize),
    /// The test of a loop that runs while any thread is live; it is a barrier
    /// as long as one of these in the loop is left, or one that stays.
    Test {
        barriers: Vec<usize>,
        stays: bool,
    },
}

/// What a block does to windows, and in which order.
struct Graph<'a> {
    events: Vec<Event>,
    next: Vec<Vec<usize>>,
    /// Nodes of barriers that may go, with their keys.
    candidates: Vec<(usize, usize)>,
    dropped: HashSet<usize>,
    answers: &'a BlockUniformity<'a>,
    oracle: &'a Oracle<'a>,
    kernel: &'a Kernel,
    overlays: Overlays,
    /// At the top of the kernel.
    frame: Frame,
    /// Nodes at which a round of a loop begins.
    heads: HashSet<usize>,
    /// Where `break` and `continue` lead.
    targets: Vec<(usize, usize)>,
}

impl<'a> Graph<'a> {
    fn of(
        kernel: &'a Kernel,
        functions: &[DeviceFunction],
        answers: &'a BlockUniformity,
        oracle: &'a Oracle,
    ) -> Self {
        let facts = Facts::of(kernel, functions, oracle);
        let mut frame = Frame::new(kernel, facts);
        let mut graph = Self {
            events: Vec::new(),
            next: Vec::new(),
            candidates: Vec::new(),
            dropped: HashSet::new(),
            answers,
            oracle,
            kernel,
            overlays: overlays(&kernel.windows),
            frame: frame.clone(),
            heads: HashSet::new(),
            targets: Vec::new(),
        };
        let start = graph.add(Event::Accesses(Vec::new()));
        graph.list(&kernel.body, &mut frame, start);
        graph
    }

    fn add(&mut self, event: Event) -> usize {
        self.events.push(event);
        self.next.push(Vec::new());
        self.events.len() - 1
    }

    fn after(&mut self, before: usize, event: Event) -> usize {
        let node = self.add(event);
        self.next[before].push(node);
        node
    }

    fn nothing(&mut self) -> usize {
        self.add(Event::Accesses(Vec::new()))
    }

    /// Adds a list behind a node; gives the node at its end.
    fn list(&mut self, list: &[Statement], frame: &mut Frame, start: usize) -> usize {
        let unit = self.oracle.unit();
        list.iter().fold(start, |at, statement| {
            let node = self.statement(statement, frame, at);
            frame.pass(statement, unit);
            node
        })
    }

    fn statement(&mut self, statement: &Statement, frame: &mut Frame, at: usize) -> usize {
        let unit = self.oracle.unit();
        match &statement.kind {
            StatementKind::Barrier(barrier) => {
                let id = key(statement);
                let node = self.after(at, Event::Barrier(id));
                if !barrier.asked && barrier.dropped.is_none() {
                    self.candidates.push((node, id));
                }
                node
            }
            StatementKind::OpenWindows(windows) => {
                for &index in windows {
                    self.define_bases(index, frame);
                }
                self.whole(windows, true, frame, at)
            }
            StatementKind::WriteBack { windows, .. } => self.whole(windows, false, frame, at),
            StatementKind::Block(body) => self.list(body, &mut frame.clone(), at),
            StatementKind::If(condition, then, otherwise) if contains_wall(statement) => {
                let test = self.own(statement, frame, at);
                let mut inside = frame.inside(statement, unit);
                let then = self.list(then, &mut inside[0], test);
                let join = self.nothing();
                self.next[then].push(join);
                // Threads that agree may take one way alone; others take both
                // in turn.
                if self.answers.is_uniform(condition) {
                    self.next[test].push(join);
                }
                match otherwise {
                    None => join,
                    Some(otherwise) => {
                        let end = self.list(otherwise, &mut inside[1], join);
                        let behind = self.nothing();
                        self.next[end].push(behind);
                        if self.answers.is_uniform(condition) {
                            self.next[join].push(behind);
                        }
                        behind
                    }
                }
            }
            StatementKind::Loop(_)
            | StatementKind::For(_)
            | StatementKind::While(..)
            | StatementKind::DoWhile(..)
                if contains_wall(statement) =>
            {
                self.repeat(statement, frame, at)
            }
            _ => {
                let mut accesses = Vec::new();
                self.accesses(statement, frame, false, &mut accesses);
                let node = self.after(at, Event::Accesses(accesses));
                if jumps::leaves(statement)
                    && let Some(&(exit, head)) = self.targets.last()
                {
                    self.next[node].extend([exit, head]);
                }
                node
            }
        }
    }

    fn repeat(&mut self, statement: &Statement, frame: &mut Frame, at: usize) -> usize {
        let at = self.own(statement, frame, at);
        let head = if self.answers.is_divergent(statement) {
            let (barriers, stays) = walls(statement);
            self.after(at, Event::Test { barriers, stays })
        } else {
            let head = self.nothing();
            self.next[at].push(head);
            head
        };
        self.heads.insert(head);
        let test = self.own(statement, frame, head);
        let exit = self.nothing();
        self.next[test].push(exit);
        self.targets.push((exit, head));
        let mut inside = frame.inside(statement, self.oracle.unit());
        let mut end = test;
        if let StatementKind::For(parts) = &statement.kind
            && let Some(initializer) = &parts.initializer
        {
            end = self.statement(initializer, &mut frame.clone(), end);
        }
        if let (Some(body), Some(inside)) = (body_of(statement), inside.first_mut()) {
            end = self.list(body, inside, end);
        }
        self.targets.pop();
        // What is evaluated between rounds, `head` being behind it.
        let between = self.own(statement, frame, end);
        self.next[between].extend([head, exit]);
        exit
    }

    /// A node of what a statement evaluates itself.
    fn own(&mut self, statement: &Statement, frame: &Frame, at: usize) -> usize {
        let mut accesses = Vec::new();
        let mut frame = frame.at_condition(statement, self.oracle.unit());
        visit::own_expressions(statement, &mut |e| {
            self.expression(e, &mut frame, false, &mut accesses);
        });
        self.after(at, Event::Accesses(accesses))
    }

    fn define_bases(&self, window: usize, frame: &mut Frame) {
        let window = self.kernel.windows.get(window);
        for dimension in window.iter().flat_map(|window| &window.dimensions) {
            frame.define_base(dimension.base, &dimension.first);
        }
    }

    /// All threads together fill windows, or read them.
    fn whole(&mut self, windows: &[usize], write: bool, frame: &mut Frame, at: usize) -> usize {
        let opened = windows.iter().filter_map(|&i| self.kernel.windows.get(i));
        let is_touched = |window: &&SharedWindow| {
            !write || window.policy.fetch || matches!(window.marks, WindowMarks::Slots(_))
        };
        let accesses = opened
            .filter(is_touched)
            .map(|window| Access {
                storage: window.storage,
                write,
                slots: self.own_share(window, frame),
                repeats: false,
            })
            .collect();
        self.after(at, Event::Accesses(accesses))
    }

    /// The slot that each thread fills of a window in the shape of the block
    /// (see [`StatementKind::OpenWindows`]).
    fn own_share(&self, window: &SharedWindow, frame: &mut Frame) -> Option<Slots> {
        let block = self.kernel.block.as_ref()?;
        let is_used = |axis: &usize| !matches!(block[*axis], BlockExtent::Constant(1));
        let axes: Vec<usize> = (0..3).rev().filter(is_used).collect();
        let has_shape = axes.len() == window.dimensions.len()
            && (axes.iter().zip(&window.dimensions)).all(|(&axis, dimension)| {
                match (&block[axis], &dimension.extent) {
                    (BlockExtent::Constant(threads), WindowExtent::Constant(slots)) => {
                        u64::from(*threads) == *slots
                    }
                    _ => false,
                }
            });
        has_shape.then(|| frame.own_slots(&axes))
    }

    fn accesses(
        &self,
        statement: &Statement,
        frame: &mut Frame,
        repeats: bool,
        found: &mut Vec<Access>,
    ) {
        let unit = self.oracle.unit();
        let repeats = repeats || body_of(statement).is_some();
        let mut whenever = frame.at_condition(statement, unit);
        visit::own_expressions(statement, &mut |e| {
            self.expression(e, &mut whenever, repeats, found);
        });
        let mut initializer = matches!(&statement.kind, StatementKind::For(parts)
            if parts.initializer.is_some());
        let mut inside = frame.inside(statement, unit).into_iter();
        visit::blocks(statement, &mut |body| {
            // The first block of such a `for` is its initialiser.
            let mut inside = match std::mem::take(&mut initializer) {
                true => frame.clone(),
                false => inside.next().unwrap_or_else(|| frame.clone()),
            };
            for statement in body {
                self.accesses(statement, &mut inside, repeats, found);
                inside.pass(statement, unit);
            }
        });
    }

    fn expression(
        &self,
        e: &Expression,
        frame: &mut Frame,
        repeats: bool,
        found: &mut Vec<Access>,
    ) {
        self.oracle.accesses(e, &mut |access| {
            let (Place::Variable(symbol) | Place::Target(symbol)) = access.place else {
                return;
            };
            if self.kernel.windows.iter().any(|w| w.storage == symbol) {
                found.push(Access {
                    storage: symbol,
                    write: access.touch == Touch::Write,
                    slots: self.slots(access.expression, frame),
                    repeats,
                });
            }
        });
    }

    /// The slot of an access.
    fn slots(&self, lvalue: &Expression, frame: &mut Frame) -> Option<Slots> {
        let mut indices = Vec::new();
        let mut rest = lvalue.inner();
        loop {
            match &rest.kind {
                ExpressionKind::Index(base, index) => {
                    indices.push(&**index);
                    rest = base.inner();
                }
                ExpressionKind::Member {
                    base, arrow: false, ..
                } => {
                    // Whose slot it is, not which part of it.
                    indices.clear();
                    rest = base.inner();
                }
                ExpressionKind::Symbol(_) => break,
                _ => return None,
            }
        }
        indices.reverse();
        frame.slots(&indices, self.oracle.unit())
    }

    /// Whether two threads may meet in one slot, of which one writes it;
    /// `None` is yes.
    fn apart(&self, a: &Reached, b: &Reached) -> Option<Apart> {
        let (before, behind) = (a.access, b.access);
        if !self.share_bytes(before, behind) || !before.write && !behind.write {
            return Some(Apart::Own);
        }
        if before.storage != behind.storage {
            return None;
        }
        let is_other_time =
            a.in_other_round || b.in_other_round || before.repeats || behind.repeats;
        let (before, behind) = (before.slots.as_ref()?, behind.slots.as_ref()?);
        let unit = self.oracle.unit();
        self.frame.apart(before, behind, !is_other_time, unit)
    }

    /// Whether two accesses may touch the same bytes.
    fn share_bytes(&self, a: &Access, b: &Access) -> bool {
        a.storage == b.storage || self.overlays.contains(&(a.storage, b.storage))
    }

    fn is_wall(&self, node: usize) -> bool {
        match &self.events[node] {
            Event::Accesses(_) => false,
            Event::Barrier(id) => !self.dropped.contains(id),
            Event::Test { barriers, stays } => {
                *stays || barriers.iter().any(|id| !self.dropped.contains(id))
            }
        }
    }

    /// Why a barrier cannot matter, if so: those that are dropped order
    /// nothing.
    fn verdict(&self, barrier: usize) -> Option<&'static str> {
        let mut previous = vec![Vec::new(); self.next.len()];
        for (node, list) in self.next.iter().enumerate() {
            for &next in list {
                previous[next].push(node);
            }
        }
        let before = self.reach(barrier, &previous);
        let behind = self.reach(barrier, &self.next);
        if before.is_empty() {
            return Some("nothing has touched the window since the last one");
        }
        if behind.is_empty() {
            return Some("nothing touches the window before the next one");
        }
        let mut all_own = true;
        for a in &before {
            for b in &behind {
                all_own &= self.apart(a, b)? == Apart::Own;
            }
        }
        let writes = before
            .iter()
            .chain(&behind)
            .any(|reached| reached.access.write);
        let shared = before
            .iter()
            .any(|a| behind.iter().any(|b| self.share_bytes(a.access, b.access)));
        Some(match (shared, writes) {
            (false, _) => "another window is touched before the next one",
            (true, true) if all_own => "each thread touches its own slot alone",
            (true, true) => "no thread touches a slot that another one writes",
            (true, false) => "the window is only read, before and after",
        })
    }

    /// The accesses between a barrier and the walls in one direction.
    fn reach(&self, barrier: usize, edges: &[Vec<usize>]) -> Vec<Reached<'_>> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut open: Vec<(usize, bool)> = edges[barrier].iter().map(|&n| (n, false)).collect();
        while let Some((node, in_other_round)) = open.pop() {
            if self.is_wall(node) || !seen.insert((node, in_other_round)) {
                continue;
            }
            let in_other_round = in_other_round || self.heads.contains(&node);
            if let Event::Accesses(list) = &self.events[node] {
                found.extend(list.iter().map(|access| Reached {
                    access,
                    in_other_round,
                }));
            }
            open.extend(edges[node].iter().map(|&next| (next, in_other_round)));
        }
        found
    }
}

/// What a loop repeats.
fn body_of(statement: &Statement) -> Option<&[Statement]> {
    match &statement.kind {
        StatementKind::Loop(l) => Some(&l.body),
        StatementKind::For(l) => Some(&l.body),
        StatementKind::While(_, body)
        | StatementKind::DoWhile(body, _)
        | StatementKind::WhileAny(_, body) => Some(body),
        _ => None,
    }
}

fn contains_wall(statement: &Statement) -> bool {
    let tiled = |l: &Loop| l.tile.is_some();
    let mut found = waits(std::slice::from_ref(statement));
    visit::loops(std::slice::from_ref(statement), &mut |l| found |= tiled(l));
    found
}

/// The barriers in a loop that may go, and whether any is there to stay.
fn walls(statement: &Statement) -> (Vec<usize>, bool) {
    let mut barriers = Vec::new();
    let mut stays = false;
    visit::walk(std::slice::from_ref(statement), &mut |s| match &s.kind {
        StatementKind::Barrier(barrier) if barrier.dropped.is_none() => {
            if barrier.asked {
                stays = true;
            } else {
                barriers.push(key(s));
            }
        }
        // All threads of the block have to come to these as well.
        StatementKind::OpenWindows(_) | StatementKind::WriteBack { .. } => stays = true,
        _ => {}
    });
    (barriers, stays)
}

//! Barriers that cannot matter.
//!
//! A barrier orders what the threads of a block did to windows, and to memory
//! that they share, since the barrier before against what they do until the
//! next. Where no access of the first kind meets one of the second in one slot
//! or element, one of them a write, by different threads, it is dropped.
//!
//! ```c
//! s[own] = 2 * s[own];   // each thread in its own slot
//! barrier;               // before: kept since the code may be anything
//! s[own] += 1;           // after: dropped, no slot has two threads
//! ```
//!
//! Iterations of one shared loop are independent in memory, so that only
//! accesses of different loops, of different iterations of a loop around them, or
//! of the fetch and write-back of windows meet there.

mod touches;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use crate::analysis::block_affine::{Apart, Frame, Slots};
use crate::analysis::effects::{Oracle, Place, Touch};
use crate::analysis::uniformity::Uniformity;
use crate::ir::numbered::{self, Numbered};
use crate::ir::{
    BlockExtent, DeviceFunction, Distribution, Kernel, SharedWindow, Statement, StatementKind,
    WindowExtent, WindowMarks, visit,
};
use crate::typed::{Expression, ExpressionKind, SymbolId, Unit, constant};

use super::jumps;
use super::opening::is_around;
use touches::{Access, Meeting, Object, Party, Reached, Way};

/// Comparisons of accesses in a kernel, over all its barriers.
const MOST_COMPARISONS: usize = 50_000;

/// The barriers that cannot matter, by number, and why.
pub fn redundant(
    kernel: &Kernel,
    functions: &[DeviceFunction],
    answers: &Uniformity,
    oracle: &Oracle,
) -> HashMap<usize, String> {
    let mut graph = Graph::of(kernel, functions, answers, oracle);
    let is_one = |n: &BlockExtent| matches!(n, BlockExtent::Constant(1));
    if (kernel.block.as_ref()).is_some_and(|block| block.iter().all(is_one)) {
        let all = graph.candidates.iter();
        return all
            .map(|candidate| (candidate.key, "a block has one thread".to_string()))
            .collect();
    }
    let mut dropped: HashMap<usize, String> = HashMap::new();
    for candidate in graph.candidates.clone() {
        graph.dropped.insert(candidate.key);
        let verdict = graph.verdict(&candidate);
        // One that was dropped before may have leant on this one.
        let holds = verdict.is_some()
            && (graph.candidates.iter())
                .filter(|other| dropped.contains_key(&other.key))
                .all(|other| graph.verdict(other).is_some());
        match verdict {
            Some(why) if holds => {
                dropped.insert(candidate.key, why.to_string());
            }
            _ => {
                graph.dropped.remove(&candidate.key);
            }
        }
    }
    dropped
}

/// Why a barrier behind which a kernel touches no window and waits no more is dropped, without a
/// comment.
const KERNEL_ENDS: &str = "the kernel ends";

/// Turns these barriers into comments, where a reader expects one.
pub fn drop(list: &mut Vec<Statement>, dropped: &HashMap<usize, String>) {
    numbered::change(list, &mut |statement, number| {
        let why = dropped.get(&number);
        if let (StatementKind::Barrier(barrier), Some(why)) = (&mut statement.kind, why) {
            barrier.dropped = Some(why.clone());
        }
    });
    let is_unexpected = |statement: &Statement| {
        matches!(&statement.kind, StatementKind::Barrier(barrier)
        if barrier.dropped.as_ref().is_some_and(|why| {
            barrier.of_memory || barrier.is_silent || why == KERNEL_ENDS
        }))
    };
    visit::lists_mut(list, &mut |list| list.retain(|s| !is_unexpected(s)));
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

/// A barrier that may go.
#[derive(Clone, Debug)]
struct Candidate {
    node: usize,
    key: usize,
    of_memory: bool,
}

/// Where code stands: who runs it, and whether several times between barriers.
#[derive(Clone, Copy)]
struct Around {
    party: Party,
    repeats: bool,
}

enum Event {
    Accesses(Vec<Access>),
    Barrier(usize),
    /// The end of a reduction in which the block waits.
    Reduction,
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
    /// Barriers of windows before those of memory.
    candidates: Vec<Candidate>,
    dropped: HashSet<usize>,
    /// How many accesses may still be compared; barriers that are not proved to be
    /// redundant by then stay.
    comparisons: Cell<usize>,
    answers: &'a Uniformity<'a>,
    oracle: &'a Oracle<'a>,
    kernel: &'a Kernel,
    overlays: Overlays,
    /// At the top of the kernel.
    frame: Frame<'a>,
    /// Nodes at which an iteration of a loop begins, and what that means.
    heads: HashMap<usize, Way>,
    /// The shared loop around, by number.
    shared: Option<usize>,
    shared_loops: usize,
    /// Where `break` and `continue` lead.
    targets: Vec<(usize, usize)>,
}

impl<'a> Graph<'a> {
    fn of(
        kernel: &'a Kernel,
        functions: &[DeviceFunction],
        answers: &'a Uniformity,
        oracle: &'a Oracle,
    ) -> Self {
        let mut frame = Frame::new(kernel, functions, oracle);
        let mut graph = Self {
            events: Vec::new(),
            next: Vec::new(),
            candidates: Vec::new(),
            dropped: HashSet::new(),
            comparisons: Cell::new(MOST_COMPARISONS),
            answers,
            oracle,
            kernel,
            overlays: overlays(&kernel.windows),
            frame: frame.clone(),
            heads: HashMap::new(),
            shared: None,
            shared_loops: 0,
            targets: Vec::new(),
        };
        let start = graph.add(Event::Accesses(Vec::new()));
        graph.list(&Numbered::all(&kernel.body), &mut frame, start);
        graph
            .candidates
            .sort_by_key(|candidate| candidate.of_memory);
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
    fn list(&mut self, list: &[Numbered], frame: &mut Frame<'a>, start: usize) -> usize {
        list.iter().fold(start, |at, statement| {
            let node = self.statement(statement, frame, at);
            frame.pass(statement.statement);
            node
        })
    }

    fn statement(&mut self, numbered: &Numbered, frame: &mut Frame<'a>, at: usize) -> usize {
        let statement = numbered.statement;
        match &statement.kind {
            StatementKind::Barrier(barrier) => {
                let id = numbered.number;
                let node = self.after(at, Event::Barrier(id));
                if !barrier.written && barrier.dropped.is_none() {
                    self.candidates.push(Candidate {
                        node,
                        key: id,
                        of_memory: barrier.of_memory,
                    });
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
            StatementKind::ReductionEnd(reduction, over)
                if self.shared.is_none() && self.kernel.waits_to_reduce(reduction, *over) =>
            {
                self.after(at, Event::Reduction)
            }
            StatementKind::Block(_) => self.list(numbered.body(), &mut frame.clone(), at),
            StatementKind::If(condition, ..) if is_around(statement) => {
                let test = self.own(statement, frame, at);
                let mut inside = frame.inside(statement);
                let then = self.list(&numbered.blocks[0], &mut inside[0], test);
                let join = self.nothing();
                self.next[then].push(join);
                // Threads that agree may take one way alone; others take both
                // in turn.
                if self.answers.is_uniform(condition) {
                    self.next[test].push(join);
                }
                match numbered.blocks.get(1) {
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
                if is_around(statement) =>
            {
                self.repeat(numbered, frame, at)
            }
            _ => {
                let mut accesses = Vec::new();
                self.accesses(statement, frame, self.around(), &mut accesses);
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

    /// Who runs the code that is walked.
    fn around(&self) -> Around {
        Around {
            party: self.shared.map_or(Party::All, Party::Iterations),
            repeats: false,
        }
    }

    /// What the next iteration of a loop means.
    fn next_round(&self, statement: &Statement) -> Way {
        let distribution = match &statement.kind {
            StatementKind::Loop(l) => l.distribution.unwrap_or_default(),
            _ => Distribution::SEQUENTIAL,
        };
        let is_shared = distribution.threads != [false; 3];
        Way {
            round: true,
            tile: is_shared,
            again: distribution.is_sequential() && self.shared.is_none(),
            iteration: distribution.blocks.is_some() && !is_shared,
        }
    }

    fn repeat(&mut self, numbered: &Numbered, frame: &mut Frame<'a>, at: usize) -> usize {
        let way = self.next_round(numbered.statement);
        let around = self.shared;
        if way.tile && around.is_none() {
            self.shared = Some(self.shared_loops);
            self.shared_loops += 1;
        }
        let exit = self.rounds(numbered, way, frame, at);
        self.shared = around;
        exit
    }

    fn rounds(&mut self, numbered: &Numbered, way: Way, frame: &mut Frame<'a>, at: usize) -> usize {
        let statement = numbered.statement;
        let at = self.own(statement, frame, at);
        let head = if self.answers.is_divergent(numbered) {
            let (barriers, stays) = walls(numbered);
            self.after(at, Event::Test { barriers, stays })
        } else {
            let head = self.nothing();
            self.next[at].push(head);
            head
        };
        self.heads.insert(head, way);
        let test = self.own(statement, frame, head);
        let exit = self.nothing();
        if !always_has_a_round(statement, self.oracle.unit()) {
            self.next[test].push(exit);
        }
        self.targets.push((exit, head));
        let mut inside = frame.inside(statement);
        let mut end = test;
        if let [initializer, _] = numbered.blocks.as_slice() {
            end = self.list(initializer, &mut frame.clone(), end);
        }
        if let Some(inside) = inside.first_mut() {
            end = self.list(numbered.body(), inside, end);
        }
        self.targets.pop();
        // What is evaluated between iterations, `head` being behind it.
        let between = self.own(statement, frame, end);
        let is_once = matches!(&statement.kind, StatementKind::Loop(l) if l.once.is_some());
        if !is_once {
            self.next[between].push(head);
        }
        self.next[between].push(exit);
        exit
    }

    /// A node of what a statement evaluates itself.
    fn own(&mut self, statement: &Statement, frame: &Frame<'a>, at: usize) -> usize {
        let mut accesses = Vec::new();
        let mut frame = frame.at_condition(statement);
        visit::own_expressions(statement, &mut |e| {
            self.expression(e, &mut frame, self.around(), &mut accesses);
        });
        self.after(at, Event::Accesses(accesses))
    }

    fn define_bases(&self, window: usize, frame: &mut Frame<'a>) {
        let window = self.kernel.windows.get(window);
        for dimension in window.iter().flat_map(|window| &window.dimensions) {
            frame.define_base(dimension.base, &dimension.first);
        }
    }

    /// All threads together fill windows, or read them.
    fn whole(&mut self, windows: &[usize], write: bool, frame: &mut Frame<'a>, at: usize) -> usize {
        let mut accesses = Vec::new();
        let opened = windows
            .iter()
            .filter_map(|&i| Some((i, self.kernel.windows.get(i)?)));
        for (index, window) in opened {
            let touched = Access {
                object: Object::Window(window.storage),
                write,
                slots: self.own_share(window, frame),
                root: Some(window.storage),
                repeats: false,
                party: self.shared.map_or(Party::All, Party::Together),
                share_of: Some(index),
            };
            let has_memory = !write || window.policy.fetch;
            if has_memory {
                accesses.push(Access {
                    object: Object::Memory(self.oracle.place(&window.element)),
                    write: !write,
                    slots: self.own_elements(window, frame),
                    root: Some(window.array),
                    share_of: None,
                    ..touched.clone()
                });
            }
            if has_memory || matches!(window.marks, WindowMarks::Slots(_)) {
                accesses.push(touched);
            }
        }
        self.after(at, Event::Accesses(accesses))
    }

    /// The slots that each thread fills of a window (see
    /// [`StatementKind::OpenWindows`]), of one in the shape of the block or in
    /// one dimension.
    fn own_share(&self, window: &SharedWindow, frame: &mut Frame<'a>) -> Option<Slots> {
        if let Some(axes) = self.axes(window) {
            return Some(frame.own_slots(&axes));
        }
        if !window.is_copied_whole() {
            return None;
        }
        match (self.used_axes()?.as_slice(), window.dimensions.as_slice()) {
            ([axis], [_]) => frame.every_so_many(*axis),
            _ => None,
        }
    }

    /// The axes along which a block has several threads, outermost first.
    fn used_axes(&self) -> Option<Vec<usize>> {
        let block = self.kernel.block.as_ref()?;
        let is_used = |axis: &usize| !matches!(block[*axis], BlockExtent::Constant(1));
        Some((0..3).rev().filter(is_used).collect())
    }

    /// The elements behind these slots.
    fn own_elements(&self, window: &SharedWindow, frame: &mut Frame<'a>) -> Option<Slots> {
        let axes = self.axes(window)?;
        let bases: Vec<&Expression> = window.dimensions.iter().map(|d| &d.first).collect();
        frame.own_elements(&bases, &axes)
    }

    /// The axes of the block, by dimension of a window in its shape.
    fn axes(&self, window: &SharedWindow) -> Option<Vec<usize>> {
        if !window.is_copied_whole() {
            return None;
        }
        let block = self.kernel.block.as_ref()?;
        let axes = self.used_axes()?;
        let has_shape = axes.len() == window.dimensions.len()
            && (axes.iter().zip(&window.dimensions)).all(|(&axis, dimension)| {
                match (&block[axis], &dimension.extent) {
                    (BlockExtent::Constant(threads), WindowExtent::Constant(slots)) => {
                        u64::from(*threads) == *slots
                    }
                    _ => false,
                }
            });
        has_shape.then_some(axes)
    }

    fn accesses(
        &self,
        statement: &Statement,
        frame: &mut Frame<'a>,
        mut around: Around,
        found: &mut Vec<Access>,
    ) {
        around.repeats |= statement.is_loop();
        if matches!(statement.kind, StatementKind::Single { .. }) {
            around.party = Party::First;
        }
        let mut whenever = frame.at_condition(statement);
        visit::own_expressions(statement, &mut |e| {
            self.expression(e, &mut whenever, around, found);
        });
        let mut initializer = matches!(&statement.kind, StatementKind::For(parts)
            if parts.initializer.is_some());
        let mut inside = frame.inside(statement).into_iter();
        visit::blocks(statement, &mut |body| {
            // The first block of such a `for` is its initialiser.
            let mut inside = match std::mem::take(&mut initializer) {
                true => frame.clone(),
                false => inside.next().unwrap_or_else(|| frame.clone()),
            };
            for statement in body {
                self.accesses(statement, &mut inside, around, found);
                inside.pass(statement);
            }
        });
    }

    fn expression(
        &self,
        e: &Expression,
        frame: &mut Frame<'a>,
        around: Around,
        found: &mut Vec<Access>,
    ) {
        self.oracle.accesses(e, &mut |access| {
            let object = match access.place {
                Place::Variable(symbol) | Place::Target(symbol)
                    if self.kernel.windows.iter().any(|w| w.storage == symbol) =>
                {
                    Object::Window(symbol)
                }
                place if self.frame.facts.scope.is_private(place) => return,
                place => Object::Memory(place),
            };
            let (root, slots) = self.slots(access.expression, frame).unzip();
            found.push(Access {
                object,
                write: access.touch == Touch::Write,
                slots: slots.filter(|_| around.party != Party::First),
                root,
                repeats: around.repeats,
                party: around.party,
                share_of: None,
            });
        });
    }

    /// The slot of an access, and of what.
    fn slots(&self, lvalue: &Expression, frame: &mut Frame<'a>) -> Option<(SymbolId, Slots)> {
        let mut indices = Vec::new();
        let mut rest = lvalue.inner();
        let root = loop {
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
                ExpressionKind::Symbol(symbol) => break *symbol,
                _ => return None,
            }
        };
        indices.reverse();
        Some((root, frame.slots(&indices)?))
    }

    fn is_wall(&self, node: usize) -> bool {
        match &self.events[node] {
            Event::Accesses(_) => false,
            Event::Barrier(id) => !self.dropped.contains(id),
            Event::Reduction => true,
            Event::Test { barriers, stays } => {
                *stays || barriers.iter().any(|id| !self.dropped.contains(id))
            }
        }
    }

    /// Why a barrier cannot matter, if so: those that are dropped order
    /// nothing.
    fn verdict(&self, barrier: &Candidate) -> Option<&'static str> {
        let mut previous = vec![Vec::new(); self.next.len()];
        for (node, list) in self.next.iter().enumerate() {
            for &next in list {
                previous[next].push(node);
            }
        }
        let before = self.reach(barrier.node, &previous);
        let behind = self.reach(barrier.node, &self.next);
        let meeting = Meeting {
            overlays: &self.overlays,
            frame: &self.frame,
            of_memory: barrier.of_memory,
        };
        let is_window = |reached: &&Reached| matches!(reached.access.object, Object::Window(_));
        let mut all_own = true;
        for a in &before {
            for b in &behind {
                self.comparisons.set(self.comparisons.get().checked_sub(1)?);
                let apart = meeting.apart(a, b)?;
                all_own &= apart == Apart::Own || !is_window(&a);
            }
        }
        if !before.iter().any(|a| is_window(&a)) {
            return Some("nothing has touched the window since the last one");
        }
        if !behind.iter().any(|b| is_window(&b)) {
            if !self.meets_wall(barrier.node) {
                return Some(KERNEL_ENDS);
            }
            return Some("nothing touches the window before the next one");
        }
        let mut touched = before.iter().chain(&behind).filter(is_window);
        let writes = touched.any(|reached| reached.access.write);
        let shared = before.iter().filter(is_window).any(|a| {
            let mut behind = behind.iter().filter(is_window);
            behind.any(|b| meeting.share_bytes(a.access, b.access))
        });
        Some(match (shared, writes) {
            (false, _) => "another window is touched before the next one",
            (true, true) if all_own => "each thread touches its own slot alone",
            (true, true) => "no thread touches a slot that another one writes",
            (true, false) => "the window is only read, before and after",
        })
    }

    /// Whether threads wait again after a barrier.
    fn meets_wall(&self, barrier: usize) -> bool {
        let mut seen = HashSet::new();
        let mut open = self.next[barrier].clone();
        while let Some(node) = open.pop() {
            if self.is_wall(node) {
                return true;
            }
            if seen.insert(node) {
                open.extend(&self.next[node]);
            }
        }
        false
    }

    /// The accesses between a barrier and the walls in one direction.
    fn reach(&self, barrier: usize, edges: &[Vec<usize>]) -> Vec<Reached<'_>> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let start = Way::default();
        let mut open: Vec<(usize, Way)> = edges[barrier].iter().map(|&n| (n, start)).collect();
        while let Some((node, way)) = open.pop() {
            if self.is_wall(node) || !seen.insert((node, way)) {
                continue;
            }
            let way = self.heads.get(&node).map_or(way, |&head| way.and(head));
            if let Event::Accesses(list) = &self.events[node] {
                found.extend(list.iter().map(|access| Reached { access, way }));
            }
            open.extend(edges[node].iter().map(|&next| (next, way)));
        }
        found
    }
}

/// Whether every thread has an iteration of a loop, since its bounds are constants.
fn always_has_a_round(statement: &Statement, unit: &Unit) -> bool {
    let StatementKind::Loop(l) = &statement.kind else {
        return false;
    };
    let limits = constant::evaluate(unit, &l.lower).zip(constant::evaluate(unit, &l.bound));
    l.distribution.unwrap_or_default().blocks.is_none()
        && limits.is_some_and(|(lower, bound)| l.relation.holds(lower, bound))
}

/// The barriers in a loop that may go, and whether any is there to stay.
fn walls(numbered: &Numbered) -> (Vec<usize>, bool) {
    let mut barriers = Vec::new();
    let mut stays = false;
    numbered.walk(&mut |s| match &s.statement.kind {
        StatementKind::Barrier(barrier) if barrier.dropped.is_none() => {
            if barrier.written {
                stays = true;
            } else {
                barriers.push(s.number);
            }
        }
        // All threads of the block have to come to these as well.
        StatementKind::OpenWindows(_) | StatementKind::WriteBack { .. } => stays = true,
        _ => {}
    });
    (barriers, stays)
}

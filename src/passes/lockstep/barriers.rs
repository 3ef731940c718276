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

use crate::analysis::block_uniformity::{BlockUniformity, key};
use crate::analysis::effects::{Oracle, Place, Touch};
use crate::analysis::uniformity::waits;
use crate::ir::{
    BlockExtent, Kernel, Loop, SharedWindow, Statement, StatementKind, WindowExtent, WindowMarks,
    is_literal, visit,
};
use crate::typed::visit::any;
use crate::typed::{BinaryOperator, Expression, ExpressionKind, SymbolId, UnaryOperator};

use super::jumps;

/// The barriers that cannot matter, by [`key`], and why.
pub fn redundant(
    kernel: &Kernel,
    answers: &BlockUniformity,
    oracle: &Oracle,
) -> HashMap<usize, String> {
    let mut graph = Graph::of(kernel, answers, oracle);
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Access {
    storage: SymbolId,
    write: bool,
    /// Given where no other thread's iteration has this slot: its index.
    own: Option<String>,
}

/// Shared arrays that have bytes in common with others, both ways round.
type Overlays = HashSet<(SymbolId, SymbolId)>;

impl Access {
    fn conflicts(&self, other: &Self, overlays: &Overlays) -> bool {
        let is_same = self.storage == other.storage;
        let alone = is_same && self.own.is_some() && self.own == other.own;
        self.meets(other, overlays) && (self.write || other.write) && !alone
    }

    /// Whether both may touch the same bytes.
    fn meets(&self, other: &Self, overlays: &Overlays) -> bool {
        self.storage == other.storage || overlays.contains(&(self.storage, other.storage))
    }
}

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
    /// Loop variables of tiles.
    inductions: Vec<SymbolId>,
    /// Scalars that nothing in the kernel writes.
    fixed: HashSet<SymbolId>,
    /// Where `break` and `continue` lead.
    targets: Vec<(usize, usize)>,
}

impl<'a> Graph<'a> {
    fn of(kernel: &'a Kernel, answers: &'a BlockUniformity, oracle: &'a Oracle) -> Self {
        let mut inductions = Vec::new();
        visit::loops(&kernel.body, &mut |l| {
            if l.tile.is_some() {
                inductions.push(l.induction);
            }
        });
        let written = oracle.list(&kernel.body).writes;
        let captured = kernel.captures.iter().map(|c| c.symbol);
        let mut fixed: HashSet<SymbolId> = captured
            .filter(|&symbol| !written.contains(&Place::Variable(symbol)))
            .collect();
        fixed.extend(steady_bases(kernel, &fixed));
        let mut graph = Self {
            events: Vec::new(),
            next: Vec::new(),
            candidates: Vec::new(),
            dropped: HashSet::new(),
            answers,
            oracle,
            kernel,
            overlays: overlays(&kernel.windows),
            inductions,
            fixed,
            targets: Vec::new(),
        };
        let start = graph.add(Event::Accesses(Vec::new()));
        graph.list(&kernel.body, start);
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
    fn list(&mut self, list: &[Statement], start: usize) -> usize {
        list.iter()
            .fold(start, |at, statement| self.statement(statement, at))
    }

    fn statement(&mut self, statement: &Statement, at: usize) -> usize {
        match &statement.kind {
            StatementKind::Barrier(barrier) => {
                let id = key(statement);
                let node = self.after(at, Event::Barrier(id));
                if !barrier.asked && barrier.dropped.is_none() {
                    self.candidates.push((node, id));
                }
                node
            }
            StatementKind::OpenWindows(windows) => self.whole(windows, true, at),
            StatementKind::WriteBack { windows, .. } => self.whole(windows, false, at),
            StatementKind::Block(body) => self.list(body, at),
            StatementKind::If(condition, then, otherwise) if contains_wall(statement) => {
                let test = self.own(statement, at);
                let then = self.list(then, test);
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
                        let end = self.list(otherwise, join);
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
                self.repeat(statement, at)
            }
            _ => {
                let mut accesses = Vec::new();
                self.accesses(statement, &mut accesses);
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

    fn repeat(&mut self, statement: &Statement, at: usize) -> usize {
        let at = self.own(statement, at);
        let head = if self.answers.is_divergent(statement) {
            let (barriers, stays) = walls(statement);
            self.after(at, Event::Test { barriers, stays })
        } else {
            let head = self.nothing();
            self.next[at].push(head);
            head
        };
        let test = self.own(statement, head);
        let exit = self.nothing();
        self.next[test].push(exit);
        self.targets.push((exit, head));
        let mut end = test;
        visit::blocks(statement, &mut |body| end = self.list(body, end));
        self.targets.pop();
        // What is evaluated between rounds, `head` being behind it.
        let between = self.own(statement, end);
        self.next[between].extend([head, exit]);
        exit
    }

    /// A node of what a statement evaluates itself.
    fn own(&mut self, statement: &Statement, at: usize) -> usize {
        let mut accesses = Vec::new();
        visit::own_expressions(statement, &mut |e| self.expression(e, &mut accesses));
        self.after(at, Event::Accesses(accesses))
    }

    /// All threads together fill windows, or read them.
    fn whole(&mut self, windows: &[usize], write: bool, at: usize) -> usize {
        let opened = windows.iter().filter_map(|&i| self.kernel.windows.get(i));
        let is_touched = |window: &&SharedWindow| {
            !write || window.policy.fetch || matches!(window.marks, WindowMarks::Slots(_))
        };
        let accesses = opened
            .filter(is_touched)
            .map(|window| Access {
                storage: window.storage,
                write,
                own: self.own_share(window),
            })
            .collect();
        self.after(at, Event::Accesses(accesses))
    }

    /// The slot that each thread fills of a window as large as the block and
    /// in the same place: that of its own iteration (see
    /// [`StatementKind::OpenWindows`]).
    fn own_share(&self, window: &SharedWindow) -> Option<String> {
        let block = self.kernel.block.as_ref()?;
        let mut text = String::new();
        let mut loops = Vec::new();
        visit::loops(&self.kernel.body, &mut |l| loops.push(l));
        loops.retain(|l| l.tile.is_some() && is_literal(&l.step, 1) && !l.downward);
        (loops.len() == window.dimensions.len() && loops.len() == self.inductions.len())
            .then_some(())?;
        let inwards = loops.iter().zip(&window.dimensions);
        for (axis, (l, dimension)) in inwards.rev().enumerate() {
            let as_large = match (&block[axis], &dimension.extent) {
                (BlockExtent::Constant(threads), WindowExtent::Constant(slots)) => {
                    u64::from(*threads) == *slots
                }
                _ => false,
            };
            let first = l.tile?.first;
            (as_large && dimension.base == first).then_some(())?;
            text.push_str(&format!("(v{}-v{});", l.induction.0, first.0));
        }
        Some(text)
    }

    fn accesses(&self, statement: &Statement, found: &mut Vec<Access>) {
        visit::walk(std::slice::from_ref(statement), &mut |s| {
            visit::own_expressions(s, &mut |e| self.expression(e, found));
        });
    }

    fn expression(&self, e: &Expression, found: &mut Vec<Access>) {
        self.oracle.accesses(e, &mut |access| {
            let (Place::Variable(symbol) | Place::Target(symbol)) = access.place else {
                return;
            };
            if self.kernel.windows.iter().any(|w| w.storage == symbol) {
                found.push(Access {
                    storage: symbol,
                    write: access.touch == Touch::Write,
                    own: self.own_slot(access.expression),
                });
            }
        });
    }

    /// The slot of an access, if its index alone tells which iteration of the
    /// tile it belongs to.
    fn own_slot(&self, lvalue: &Expression) -> Option<String> {
        let mut text = String::new();
        let mut used: Vec<SymbolId> = Vec::new();
        let mut is_known = true;
        let mut rest = lvalue.inner();
        loop {
            match &rest.kind {
                ExpressionKind::Index(base, index) => {
                    let mut own = Vec::new();
                    let known = self.slot_index(index, true, &mut text, &mut own);
                    // Two loop variables in one index may give one sum.
                    if known.is_some() && own.len() <= 1 {
                        used.extend(own);
                    } else {
                        text.push('?');
                        is_known = false;
                    }
                    text.push(';');
                    rest = base.inner();
                }
                ExpressionKind::Member {
                    base, arrow: false, ..
                } => {
                    // Whose slot it is, not which part of it.
                    text.clear();
                    used.clear();
                    is_known = true;
                    rest = base.inner();
                }
                ExpressionKind::Symbol(_) => break,
                _ => return None,
            }
        }
        let all = self.inductions.iter().all(|i| used.contains(i));
        (is_known && all).then_some(text)
    }

    /// A sum of fixed values and, at most once and bare, a loop variable.
    fn slot_index(
        &self,
        e: &Expression,
        bare: bool,
        text: &mut String,
        own: &mut Vec<SymbolId>,
    ) -> Option<()> {
        match &e.kind {
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Convert(_, inner)
            | ExpressionKind::Cast(inner) => self.slot_index(inner, bare, text, own)?,
            ExpressionKind::Integer { value, .. } => text.push_str(&value.to_string()),
            ExpressionKind::Symbol(symbol) if self.inductions.contains(symbol) => {
                bare.then_some(())?;
                own.push(*symbol);
                text.push_str(&format!("v{}", symbol.0));
            }
            ExpressionKind::Symbol(symbol) if self.fixed.contains(symbol) => {
                text.push_str(&format!("v{}", symbol.0));
            }
            ExpressionKind::Unary(UnaryOperator::Minus, inner) => {
                text.push('-');
                self.slot_index(inner, bare, text, own)?;
            }
            ExpressionKind::Binary(operator, a, b) => {
                let adds = matches!(operator, BinaryOperator::Add | BinaryOperator::Subtract);
                let multiplies = matches!(operator, BinaryOperator::Multiply);
                (adds || multiplies).then_some(())?;
                text.push('(');
                self.slot_index(a, bare && adds, text, own)?;
                text.push_str(operator.spelling());
                self.slot_index(b, bare && adds, text, own)?;
                text.push(')');
            }
            _ => return None,
        }
        Some(())
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
        let conflict = before
            .iter()
            .any(|a| behind.iter().any(|b| a.conflicts(b, &self.overlays)));
        if conflict {
            return None;
        }
        let writes = before.iter().chain(&behind).any(|access| access.write);
        let shared = before
            .iter()
            .any(|a| behind.iter().any(|b| a.meets(b, &self.overlays)));
        Some(match (shared, writes) {
            (false, _) => "another window is touched before the next one",
            (true, true) => "each thread touches its own slot alone",
            (true, false) => "the window is only read, before and after",
        })
    }

    /// The accesses between a barrier and the walls in one direction.
    fn reach(&self, barrier: usize, edges: &[Vec<usize>]) -> HashSet<&Access> {
        let mut found = HashSet::new();
        let mut seen = HashSet::new();
        let mut open = edges[barrier].clone();
        while let Some(node) = open.pop() {
            if !seen.insert(node) || self.is_wall(node) {
                continue;
            }
            if let Event::Accesses(list) = &self.events[node] {
                found.extend(list);
            }
            open.extend(&edges[node]);
        }
        found
    }
}

/// The bases of windows that change with the tiles alone, so that one thread has
/// one slot as long as its iteration lasts. A region in a sequential loop may
/// move its window from round to round.
fn steady_bases(kernel: &Kernel, fixed: &HashSet<SymbolId>) -> Vec<SymbolId> {
    let mut firsts = HashSet::new();
    visit::loops(&kernel.body, &mut |l| {
        firsts.extend(l.tile.map(|tile| tile.first))
    });
    let dimensions = kernel.windows.iter().flat_map(|w| &w.dimensions);
    let moving: HashSet<SymbolId> = (dimensions.clone())
        .filter(|dimension| {
            any(&dimension.first, &mut |e| match e.kind {
                ExpressionKind::Symbol(s) => !firsts.contains(&s) && !fixed.contains(&s),
                _ => false,
            })
        })
        .map(|dimension| dimension.base)
        .collect();
    let bases = dimensions.map(|dimension| dimension.base);
    bases.filter(|base| !moving.contains(base)).collect()
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

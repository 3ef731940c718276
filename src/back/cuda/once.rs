//! Loops of which no thread runs two iterations: variables and a test.
//!
//! ```text
//! const int row = accrs::block_y() * 8 + threadIdx.y;
//! const int column = blockIdx.x * 32 + threadIdx.x;
//! if (row < rows && column < columns)
//!     a[row * a_extent1 + column] = 0;
//!
//! const int i_first = blockIdx.x * 256;        // a tile, whose threads meet inside
//! if (i_first < n) {
//!     const int i = i_first + threadIdx.x;
//!
//! const int j = threadIdx.x;                   // 128 iterations, and as many threads of the block
//! tile[j] = x[j];
//! __syncthreads();
//! y[j] = tile[127 - j];                        // of the next loop, whose variable is the same
//! ```

use std::collections::HashSet;

use super::body::Body;
use super::loops::Shared;
use crate::ir::{Axis, Loop, Once, Statement, StatementKind, visit};
use crate::typed::SymbolId;

/// Whether a loop is printed without one.
pub(super) fn is_straight(l: &Loop) -> bool {
    l.once.is_some()
}

/// Declarations that loops over the threads of a block can have in common.
#[derive(Default)]
pub(super) struct Lanes {
    /// The variables of such loops whose names nothing else has.
    own: Vec<SymbolId>,
    /// Those in scope: the name, and the declaration with its value.
    pub(super) declared: Vec<(String, String)>,
}

impl Body<'_> {
    /// Finds the variables of loops over the threads of a block that may be declared once for several
    /// of them: nothing else has the name.
    pub(super) fn find_lanes(&mut self, list: &[Statement]) {
        let mut jumps = false;
        visit::walk(list, &mut |s| {
            use StatementKind as K;
            jumps |= matches!(
                s.kind,
                K::Label(_) | K::Goto(_) | K::Case(_) | K::Default | K::Switch(..)
            );
        });
        if jumps {
            return;
        }
        let mut own: Vec<SymbolId> = Vec::new();
        visit::loops(list, &mut |l| {
            if is_straight(l) && !l.has_blocks() {
                own.push(l.induction);
            }
        });
        let mut others = visit::declared(list);
        // Passes declare the variables of loops with one iteration.
        own.retain(|symbol| !others.contains(symbol));
        visit::symbols(list, &mut |symbol| others.push(symbol));
        visit::loops(list, &mut |l| others.push(l.induction));
        others.extend(self.declared.iter().copied());
        others.retain(|symbol| !own.contains(symbol));
        let others: HashSet<String> = others.into_iter().map(|s| self.name(s)).collect();
        own.retain(|symbol| !others.contains(&self.name(*symbol)));
        self.lanes.own = own;
    }

    /// Such a loop, with those directly inside it. Its variables are in braces of their own
    /// unless it `is_last` in its list and none has the name of another variable.
    pub(super) fn straight_loops(&mut self, outer: &Loop, is_last: bool) {
        let mut statements: Vec<&Statement> = Vec::new();
        let mut loops = vec![outer];
        let mut innermost = outer;
        while let [statement] = innermost.body.as_slice()
            && let StatementKind::Loop(next) = &statement.kind
            && is_straight(next)
            && !self.declares_privates(innermost)
        {
            statements.push(statement);
            loops.push(next);
            innermost = next;
        }
        loops.iter().for_each(|l| self.notes_of_head(l.header));
        // The parts of tiles declare their variables.
        let hides = loops.iter().any(|l| self.hides(l));
        let shared: Vec<Shared> = loops.iter().map(|l| self.shared(l)).collect();
        let skips_empty = self.skips_empty;
        let is_tested = |l: &Loop, own: &Shared| {
            let blocks = l.distribution.and_then(|distribution| distribution.blocks);
            match blocks {
                Some(Axis::X) => !skips_empty || !own.constants.is_empty(),
                Some(_) => true,
                None => l.once != Some(Once::Exactly),
            }
        };
        let tests = loops.iter().zip(&shared);
        let tests = tests.filter(|(l, own)| is_tested(l, own));
        let tests: Vec<&str> = tests.map(|(_, own)| own.condition.as_str()).collect();
        let inside: Vec<String> = shared.iter().flat_map(|own| own.inside.clone()).collect();
        let are_lanes = loops
            .iter()
            .zip(&shared)
            .all(|(l, own)| self.is_lane(l, own));
        let is_plain = inside.is_empty() && self.declares_nothing(&loops);
        let (around, within) = match are_lanes {
            true => (false, !is_last && tests.is_empty() && !is_plain),
            false => (!is_last || hides || self.are_taken(&shared), false),
        };
        if around {
            self.lines.open("{");
        }
        for (depth, (l, own)) in loops.iter().zip(&shared).enumerate() {
            if let Some(statement) = depth.checked_sub(1).and_then(|at| statements.get(at)) {
                self.before(statement);
            }
            self.constants(&own.constants);
            // Nothing names the first iteration of a tile that is not tested.
            let is_idle = l.tile.is_some_and(|tile| !self.is_used(l, tile.first));
            if is_idle && own.inside.is_empty() && !is_tested(l, own) {
                continue;
            }
            let text = format!("{} = {}", own.variable, own.start);
            let known = (own.name.clone(), text.clone());
            if !are_lanes || !self.lanes.declared.contains(&known) {
                self.constants(&[text]);
            }
            if are_lanes {
                self.lanes.declared.push(known);
            }
            self.declared.insert(l.induction);
        }
        let head = format!("if ({})", tests.join(" && "));
        let said = self.notes_behind_inner(&statements);
        let is_headed = !tests.is_empty() && inside.is_empty() && said.is_empty();
        if is_headed && !self.declares_privates(innermost) {
            self.headed(&head, &innermost.body, innermost.header);
        } else {
            let opening = match tests.is_empty() {
                false => Some(format!("{head} {{")),
                true => within.then(|| "{".to_owned()),
            };
            if let Some(opening) = &opening {
                self.lines.open(opening);
            }
            self.constants(&inside);
            self.inside(innermost);
            self.lines.comments(&said);
            if opening.is_some() {
                self.lines.close("}");
            }
        }
        if around {
            self.lines.close("}");
        }
    }

    /// Whether a variable of lanes that is in scope has the name of one of these.
    fn are_taken(&self, loops: &[Shared]) -> bool {
        let declared = &self.lanes.declared;
        let is_taken = |own: &Shared| declared.iter().any(|(name, _)| *name == own.name);
        loops.iter().any(is_taken)
    }

    /// Whether the variable of a loop may be declared for others, too, and is no other one than those
    /// in scope.
    fn is_lane(&self, l: &Loop, own: &Shared) -> bool {
        let text = format!("{} = {}", own.variable, own.start);
        let mut declared = self.lanes.declared.iter();
        self.lanes.own.contains(&l.induction)
            && declared.all(|(name, known)| *name != own.name || *known == text)
    }

    /// Whether loops without a test declare nothing behind their variables.
    fn declares_nothing(&self, loops: &[&Loop]) -> bool {
        use StatementKind as K;
        let is_one = |inner: &Loop| loops.iter().any(|l| std::ptr::eq(*l, inner));
        let declares = |s: &Statement| match &s.kind {
            K::Declaration(_) => true,
            K::Loop(inner) => is_straight(inner) && !is_one(inner),
            _ => false,
        };
        let mut loops = loops.iter();
        loops.all(|l| !self.declares_privates(l) && !l.body.iter().any(declares))
    }

    /// Whether a variable that a loop declares has the name of another one.
    fn hides(&self, l: &Loop) -> bool {
        let own = l.tile.iter().flat_map(|tile| tile.variables());
        let own: Vec<SymbolId> = own.chain([l.induction]).collect();
        let names: Vec<String> = own.iter().map(|symbol| self.name(*symbol)).collect();
        let mut others = self.declared.iter();
        others.any(|other| names.contains(&self.name(*other)))
    }
}

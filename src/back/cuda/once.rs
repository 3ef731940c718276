//! Loops over blocks of which no thread runs two iterations: variables and a test.
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
//! ```

use super::body::Body;
use crate::ir::{Loop, Statement, StatementKind};
use crate::typed::SymbolId;

/// Whether a loop is printed without one.
pub(super) fn is_straight(l: &Loop) -> bool {
    l.once.is_some() && l.has_blocks()
}

impl Body<'_> {
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
        let needs_braces = !is_last || loops.iter().any(|l| self.hides(l));
        if needs_braces {
            self.lines.open("{");
        }
        let (mut tests, mut inside) = (Vec::new(), Vec::new());
        for (depth, l) in loops.into_iter().enumerate() {
            if let Some(statement) = depth.checked_sub(1).and_then(|at| statements.get(at)) {
                self.before(statement);
            }
            let shared = self.shared(l);
            self.constants(&shared.constants);
            self.constants(&[format!("{} = {}", shared.variable, shared.start)]);
            tests.push(shared.condition);
            inside.extend(shared.inside);
            self.declared.insert(l.induction);
        }
        let head = format!("if ({})", tests.join(" && "));
        if inside.is_empty() && !self.declares_privates(innermost) {
            self.headed(&head, &innermost.body, innermost.header);
        } else {
            self.lines.open(&format!("{head} {{"));
            self.constants(&inside);
            self.inside(innermost);
            self.lines.close("}");
        }
        if needs_braces {
            self.lines.close("}");
        }
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

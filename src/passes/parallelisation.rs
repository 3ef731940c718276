//! Which loops are parallel, and why.
//!
//! Input: loops with requests. Output: [`Loop::verdict`] on every loop.
//!
//! ```c
//! #pragma acc parallel
//! {
//!     #pragma acc loop             // before: no verdict
//!     for (int i = 0; i < n; i++)  // after: parallel, "a loop of `parallel`
//!         a[i] = 0;                //        is independent"
//! }
//! ```

use crate::ir::{Construct, Loop, Module, Request, Statement, StatementKind, Verdict, visit};
use crate::typed::Unit;

/// Gives every loop of every kernel its verdict.
pub fn run(module: &mut Module, _unit: &Unit) {
    for kernel in &mut module.kernels {
        inherit_requests(&mut kernel.body);
        let construct = kernel.construct;
        visit::loops_mut(&mut kernel.body, &mut |l| {
            l.verdict = Some(asserted(construct, l).unwrap_or_else(|| Verdict {
                parallel: false,
                reason: "it carries no `loop` directive".into(),
                span: None,
            }));
        });
    }
}

/// Gives the inner loops of a collapsed one its request, since one directive
/// governs them all.
fn inherit_requests(body: &mut [Statement]) {
    visit::loops_mut(body, &mut |l| {
        if l.collapsed > 0 {
            let request = l.request.clone();
            hand_down(&mut l.body, &request, l.collapsed);
        }
    });
}

fn hand_down(body: &mut [Statement], request: &Request, depth: usize) {
    for statement in body {
        match &mut statement.kind {
            StatementKind::Loop(l) => {
                l.request = request.clone();
                if depth > 1 {
                    hand_down(&mut l.body, request, depth - 1);
                }
            }
            StatementKind::Block(inner) => hand_down(inner, request, depth),
            _ => {}
        }
    }
}

/// The verdict that follows from what the user wrote, if any does.
fn asserted(construct: Construct, l: &Loop) -> Option<Verdict> {
    let (parallel, reason) = if construct == Construct::Serial {
        (false, "it is in a `serial` construct")
    } else if l.request.sequential {
        (false, "`seq` asks for it")
    } else if l.request.directive && l.request.independent {
        (true, "the directive says that it is independent")
    } else if l.request.directive && construct == Construct::Parallel && !l.request.auto {
        (true, "a `loop` of a `parallel` construct is independent")
    } else {
        return None;
    };
    Some(Verdict {
        parallel,
        reason: reason.into(),
        span: l.directive,
    })
}

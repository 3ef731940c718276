//! How the host's cores share the loops of constructs that the host runs itself.
//!
//! Input: kernels whose loops are known to be parallel or not, their text still in the order of the
//! source. Output: [`Module::cores`]: of each construct, in terms of the program's own text, which
//! loops cores share, whose each variable is, and which accesses have to be atomic.
//!
//! ```c
//! #pragma acc parallel loop              // cores share it; each has a `t` of its own
//! for (int i = 0; i < n; i++) {
//!     t = a[i];
//!     #pragma acc loop reduction(+:s)    // vector instructions share it
//!     for (int j = 0; j < m; j++)
//!         s += t * b[j];
//! }
//! ```
//!
//! What is parallel is what [`parallelisation`](super::parallelisation) says; only the outermost
//! such loop goes to the cores. The text has no copies that a directive or a pass gives a kernel's
//! threads: whatever an iteration writes and does not declare is private, a reduction, or in memory
//! that threads of a device share as well. Where it is neither, one core runs the loop. What a
//! gang of a device does redundantly is done once.

mod form;
mod variables;

use crate::analysis::effects::Oracle;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{
    Atomic, CoreAtomic, CoreLoop, Cores, HostRole, Kernel, Loop, Module, Reduction, RegionId,
    RegionKind, Statement, StatementKind, visit,
};
use crate::source::Span;
use crate::typed::print::spelled;
use crate::typed::{self, Expression, Unit};

/// Decides for all constructs; what became of their loops.
pub fn run(module: &mut Module, unit: &Unit) -> Vec<Diagnostic> {
    let oracle = Oracle::new(unit, &module.functions);
    let mut notes = Vec::new();
    let mut outside = Vec::new();
    for body in functions(module) {
        if let Err(reason) = form::check_atomics(unit, body) {
            return refused(module, &reason);
        }
        atomics(body, &mut outside);
    }
    for (number, region) in module.regions.iter().enumerate() {
        let RegionKind::Compute {
            launches,
            host: HostRole::MayRun,
            ..
        } = &region.kind
        else {
            continue;
        };
        let Some(body) = region.body else { continue };
        let mut kernels = launches.iter().map(|launch| module.kernel(launch.kernel));
        if kernels.any(|kernel| keeps_windows(&kernel.body)) {
            let message = "the host has the emulation run this construct";
            let note = Diagnostic::remark(codes::LOOP_MAPPING, message, region.directive)
                .data("decided", "emulation")
                .note("windows keep what its blocks write");
            notes.push(note);
            continue;
        }
        let mut cores = Cores::default();
        for launch in launches {
            let mut text = Text {
                oracle: &oracle,
                kernel: module.kernel(launch.kernel),
                alternative: launch.alternative.map(|id| module.kernel(id)),
                construct: body,
                cores: &mut cores,
                outside: &mut outside,
                notes: &mut notes,
                around: Vec::new(),
            };
            text.list(&text.kernel.body, Around::Nothing);
        }
        cores.drop_ambiguous();
        let number = u32::try_from(number).expect("few regions");
        module.cores.insert(RegionId(number), cores);
    }
    outside.sort_by_key(|atomic| atomic.span.start);
    outside.dedup_by_key(|atomic| atomic.span.start);
    module.core_atomics = outside;
    notes
}

/// The bodies of functions on the device, which the host's cores call, too.
fn functions(module: &Module) -> impl Iterator<Item = &[Statement]> {
    let functions = module.functions.iter().map(|function| &function.body);
    let collective = module.kernels.iter().filter(|k| k.collective.is_some());
    let all = functions.chain(collective.map(|kernel| &kernel.body));
    all.map(Vec::as_slice)
}

/// Whether the text would mean something else, since windows keep what kernels write.
fn keeps_windows(body: &[Statement]) -> bool {
    visit::any(body, &mut |statement| match &statement.kind {
        StatementKind::Windows(region) => {
            let mut windows = region.windows.iter();
            windows.any(|window| window.policy.channel || window.policy.write_back)
        }
        _ => false,
    })
}

/// What is said where a function does what cores cannot do at the same time.
fn refused(module: &Module, reason: &str) -> Vec<Diagnostic> {
    let is_compute = |kind: &RegionKind| matches!(kind, RegionKind::Compute { .. });
    let regions = module
        .regions
        .iter()
        .filter(|region| is_compute(&region.kind));
    let note = |directive: Span| {
        let message = "one core of the host runs this construct";
        Diagnostic::remark(codes::LOOP_MAPPING, message, directive)
            .data("decided", "one core")
            .data("why", reason)
            .note(format!("of a function that it may call: {reason}"))
    };
    regions.map(|region| note(region.directive)).collect()
}

fn atomics(body: &[Statement], found: &mut Vec<CoreAtomic>) {
    visit::walk(body, &mut |statement| {
        if let StatementKind::Atomic(atomic) = &statement.kind {
            found.push(atomic_of(atomic, statement.span));
        }
    });
}

fn atomic_of(atomic: &Atomic, span: Span) -> CoreAtomic {
    let span = match atomic.steps.as_slice() {
        [only] => Span::new(only.span.start, span.end.max(only.span.end)),
        _ => span,
    };
    CoreAtomic {
        form: atomic.form,
        span,
    }
}

/// Who runs the code around a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    /// One core, and others wait for loops to share.
    Nothing,
    /// Each core, as it shares a loop around.
    Shared,
    /// One core: a loop around would be parallel and is not shared.
    OneCore,
}

/// The text of one kernel.
struct Text<'a, 'u> {
    oracle: &'a Oracle<'u>,
    kernel: &'a Kernel,
    /// The kernel that runs where what is assumed does not hold.
    alternative: Option<&'a Kernel>,
    /// The statement that the construct governs.
    construct: Span,
    cores: &'a mut Cores,
    /// Atomic accesses of functions.
    outside: &'a mut Vec<CoreAtomic>,
    notes: &'a mut Vec<Diagnostic>,
    /// The reductions of the loops around that are shared.
    around: Vec<Reduction>,
}

impl Text<'_, '_> {
    fn list(&mut self, list: &[Statement], around: Around) {
        for statement in list {
            match &statement.kind {
                StatementKind::Loop(l) => self.counted(l, around),
                StatementKind::Atomic(atomic) => {
                    let atomic = atomic_of(atomic, statement.span);
                    if !self.construct.contains(atomic.span) {
                        self.outside.push(atomic);
                    } else if around == Around::Shared {
                        self.cores.atomics.push(atomic);
                    }
                }
                _ => visit::blocks(statement, &mut |inner| self.list(inner, around)),
            }
        }
    }

    fn counted(&mut self, l: &Loop, around: Around) {
        // The text of one that was inlined is elsewhere.
        let is_here = self.construct.contains(l.header);
        if !is_here || !l.is_parallel() || around == Around::OneCore {
            return self.list(&l.body, around);
        }
        let is_shared = around == Around::Shared;
        match self.shared(l, !is_shared) {
            Ok(core) => {
                let inside = form::innermost(l, core.collapsed);
                if !is_shared {
                    let reason = l.parallelism.as_ref().map(|known| known.reason.clone());
                    self.note(l, "cores", "the host's cores share this loop", reason);
                }
                let depth = self.around.len();
                self.around.extend(core.reductions.iter().cloned());
                if core.threads || core.lanes {
                    self.cores.loops.push(core);
                }
                self.list(&inside.body, Around::Shared);
                self.around.truncate(depth);
            }
            Err(reason) if !is_shared => {
                let message = "one core of the host runs this loop";
                self.note(l, "one core", message, Some(reason));
                // Cores that meet in each iteration would cost more than they bring.
                self.list(&l.body, Around::OneCore);
            }
            Err(_) => self.list(&l.body, around),
        }
    }

    /// How a parallel loop is shared: by cores if they are free, by the lanes of vector
    /// instructions.
    ///
    /// # Errors
    /// Why it is not.
    fn shared(&self, l: &Loop, threads: bool) -> Result<CoreLoop, String> {
        let conditions = self.conditions(l)?;
        let unit = self.oracle.unit();
        let collapsed = form::collapsed(unit, l, self.construct)?;
        form::check_atomics(unit, &l.body)?;
        if let (Some(condition), false) = (conditions.first(), threads) {
            return Err(format!("`{}` may not hold", spelled(unit, condition)));
        }
        let lanes = conditions.is_empty() && form::has_lanes(unit, form::innermost(l, collapsed));
        if !threads && !lanes {
            return Ok(CoreLoop {
                header: l.header,
                threads,
                lanes,
                conditions,
                collapsed: 0,
                variables: Vec::new(),
                reductions: Vec::new(),
            });
        }
        let (variables, reductions) = self.variables(l, collapsed, threads)?;
        let mut core = CoreLoop {
            header: l.header,
            threads,
            lanes,
            conditions,
            collapsed,
            variables,
            reductions,
        };
        // What no directive asks for adds up as kernels do.
        let is_sum = |r: &Reduction| !unit.types.is_integer(r.ty);
        let keeps_order = threads || l.schedule.directive || !core.reductions.iter().any(is_sum);
        core.lanes &= keeps_order && form::suits_lanes(unit, &core);
        Ok(core)
    }

    /// What has to hold for a loop to be parallel, of what launches look at.
    ///
    /// # Errors
    /// The text cannot look: whether arrays overlap, or where something else has the name of a variable.
    fn conditions(&self, l: &Loop) -> Result<Vec<Expression>, String> {
        let Some(alternative) = self.alternative else {
            return Ok(Vec::new());
        };
        let stays = |other: &Loop| other.header == l.header && other.is_parallel();
        if visit::any_loop(&alternative.body, &mut |other| stays(other)) {
            return Ok(Vec::new());
        }
        let unit = self.oracle.unit();
        let assumed = &self.kernel.assumed;
        let name = |symbol| &unit.symbol(symbol).name;
        let pairs = assumed.disjoint.iter();
        let pairs: Vec<String> = pairs
            .map(|(a, b)| format!("`{}` and `{}`", name(*a), name(*b)))
            .collect();
        if !pairs.is_empty() {
            return Err(format!(
                "{} may overlap, at which only launches look",
                pairs.join(", ")
            ));
        }
        let declared = visit::declared(&self.kernel.body);
        let is_hidden = |symbol| declared.iter().any(|own| name(*own) == name(symbol));
        for condition in &assumed.conditions {
            let mut hidden = None;
            typed::visit::symbols(condition, &mut |symbol| {
                hidden = hidden.or(is_hidden(symbol).then_some(symbol));
            });
            if let Some(symbol) = hidden {
                let name = name(symbol);
                return Err(format!("another `{name}` hides the one that decides it"));
            }
        }
        Ok(assumed.conditions.clone())
    }

    fn note(&mut self, l: &Loop, decided: &str, message: &str, reason: Option<String>) {
        let name = &self.oracle.unit().symbol(l.induction).name;
        let note = Diagnostic::remark(codes::LOOP_MAPPING, message, l.header)
            .data("loop", name.as_str())
            .data("decided", decided);
        self.notes.push(match reason {
            Some(reason) => note.data("why", reason.as_str()).note(reason),
            None => note,
        });
    }
}

impl Cores {
    /// Loops of which kernels have two different forms stay as they are.
    fn drop_ambiguous(&mut self) {
        let headers: Vec<Span> = self.loops.iter().map(|l| l.header).collect();
        let is_once = |l: &CoreLoop| headers.iter().filter(|h| **h == l.header).count() == 1;
        self.loops.retain(is_once);
    }
}

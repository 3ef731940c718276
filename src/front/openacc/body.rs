//! Statements of constructs and device functions.
//!
//! Input: typed statements. Output: [`ir::Statement`]s, in which every counted
//! loop is an [`ir::Loop`] with what its directive asks for.
//!
//! ```text
//! #pragma acc loop vector            Loop i = 0 .. < n, vector
//! for (int i = 0; i < n; i++)   ->       a[i] = 0
//!     a[i] = 0;
//! ```

use super::check::{self, Checked, Directives, not_yet};
use super::clauses::{self, LoopClauses, LoopPlace};
use super::nests::Forced;
use super::reductions::Element;
use super::table::{ClauseKind, DirectiveKind};
use super::{LoweringOptions, levels, repeated_levels, windows};
use crate::ast::Directive;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::jumps;
use crate::front::lowering::loops::only;
use crate::front::lowering::statements::Statements;
use crate::ir::{
    self, Execution, Level, Loop, PrivateArray, PrivateArraySize, Schedule, StatementKind as Ir,
};
use crate::source::Span;
use crate::typed::{Expression, For, Statement, StatementKind, Unit, visit};

/// Lowers the statements of one construct or function.
pub struct Body<'l> {
    /// What ids refer to.
    pub unit: &'l Unit,
    /// What its directives say.
    pub checked: &'l Directives,
    /// Where errors go.
    pub diagnostics: &'l mut Diagnostics,
    /// The construct, or none in a device function.
    pub construct: Option<Execution>,
    /// The outermost level that a function's `routine` directive allows its
    /// loops; without one they run sequentially.
    pub routine: Option<Level>,
    /// Where the construct asks for gangs in several dimensions.
    pub several_gangs: Option<Span>,
    /// What the user chose.
    pub options: LoweringOptions,
    /// The levels of the loops around, with their places, outermost first.
    around: Vec<(Level, Span)>,
    /// The elements that the loops around reduce.
    pub(super) elements: Vec<Element>,
    /// The dimensions of gangs of the loops around.
    gang_dimensions: Vec<u8>,
    /// The directives of the loops around that may be parallel.
    pub(super) parallel: Vec<Span>,
    /// The `fcw` directives around.
    pub(super) windows: Vec<Span>,
    /// A loop further inside that a `collapse(force: n)` governs.
    pub(super) forced: Option<Forced>,
    /// The `loop` directives met.
    pub directives: Vec<Span>,
    /// Private arrays of loops whose copies are made at the launch.
    pub private_arrays: Vec<PrivateArray>,
}

impl<'l> Body<'l> {
    /// Begins at the top of a construct or function.
    pub fn new(
        unit: &'l Unit,
        checked: &'l Directives,
        construct: Option<Execution>,
        diagnostics: &'l mut Diagnostics,
    ) -> Self {
        Self {
            unit,
            checked,
            diagnostics,
            construct,
            routine: None,
            several_gangs: None,
            options: LoweringOptions::default(),
            around: Vec::new(),
            gang_dimensions: Vec::new(),
            elements: Vec::new(),
            forced: None,
            parallel: Vec::new(),
            windows: Vec::new(),
            directives: Vec::new(),
            private_arrays: Vec::new(),
        }
    }

    fn misplaced(&self, checked: &Checked) -> Diagnostic {
        let span = check::name_span(&checked.directive);
        let name = checked.kind.name();
        let place = match self.construct {
            Some(_) => "inside a compute construct",
            None => "in a function that runs on the device",
        };
        let message = format!("`{name}` stands {place}");
        let diagnostic = Diagnostic::error(codes::DIRECTIVE_OUT_OF_PLACE, message, span);
        if checked.kind.is_compute() {
            diagnostic.help("compute constructs do not nest; inside one, use `loop`")
        } else {
            diagnostic.help("move it to host code around the construct")
        }
    }

    /// A loop under a `loop` directive or a combined construct.
    pub fn directed(
        &mut self,
        checked: &Checked,
        body: Option<&Statement>,
    ) -> Option<ir::Statement> {
        let place = LoopPlace {
            construct: self.construct,
            shares_windows: body.is_some_and(|body| windows::has_windows(self.checked, body)),
            strict: self.options.strict,
        };
        let mut clauses = clauses::of_loop(self.unit, checked, place, self.diagnostics);
        if let Some(gangs) = self.several_gangs
            && let Some(reduction) = checked.clause(ClauseKind::Reduction)
            && checked.kind == DirectiveKind::Loop
            && clauses.schedule.levels.block
        {
            let problem = clauses::reduced_over_gangs(reduction.span, gangs);
            self.diagnostics.push(problem);
        }
        self.own_arrays(&mut clauses);
        let Some(statement) = body else {
            self.expected_loop(checked, None);
            return None;
        };
        let statement = self.loop_in_block(checked, statement);
        let StatementKind::For(parts) = &statement.kind else {
            self.expected_loop(checked, Some(statement));
            // Errors inside are worth knowing as well.
            if !windows::is_fcw(self.checked, statement) {
                self.list(statement);
            }
            return None;
        };
        let dimensions = self.gang_dimensions.len();
        if place.construct == Some(Execution::Automatic)
            && !place.shares_windows
            && let Some(warning) =
                repeated_levels::resolve(self.checked, &mut clauses, &self.around, &parts.body)
        {
            self.diagnostics.push(warning);
        }
        self.gang_dimension(&mut clauses);
        self.check_levels(&clauses, place);
        let depth = self.around.len();
        self.around.extend(clauses.levels.iter().copied());
        if self.construct.is_none() && self.routine.is_none() {
            clauses.schedule = Schedule {
                directive: true,
                sequential: true,
                ..Schedule::default()
            };
            clauses.reductions.clear();
        }
        if let (None, Some(part)) = (
            self.construct,
            clauses.reductions.iter().find(|r| r.part.is_some()),
        ) {
            let problem = "a reduction of an array behind a pointer in a function on the device";
            self.diagnostics.push(not_yet(problem.into(), part.span));
        }
        let parallel = self.parallel.len();
        if self.construct != Some(Execution::Serial) && !clauses.schedule.sequential {
            self.parallel.push(checked.directive.span);
        }
        let construct = jumps::Construct {
            name: checked.kind.name(),
            directive: checked.directive.span,
        };
        let elements = self.elements.len();
        self.elements.append(&mut clauses.elements);
        let lowered = self.nest(construct, clauses, statement, parts);
        self.elements.truncate(elements);
        self.parallel.truncate(parallel);
        self.around.truncate(depth);
        self.gang_dimensions.truncate(dimensions);
        lowered
    }

    /// Private arrays whose copies are made at the launch. A function on the
    /// device has no launch of its own.
    fn own_arrays(&mut self, clauses: &mut LoopClauses) {
        for array in std::mem::take(&mut clauses.private_arrays) {
            let PrivateArraySize::Part(part) = &array.size else {
                continue;
            };
            let other = self
                .private_arrays
                .iter()
                .find(|a| a.symbol == array.symbol);
            let differs = |other: &PrivateArray| match &other.size {
                PrivateArraySize::Part(other) => other.text != part.text,
                PrivateArraySize::Declared => true,
            };
            let (problem, help) = if self.construct.is_none() {
                let problem = "a private section in a function on the device";
                (problem, "declare an array of that length in the loop")
            } else if other.is_some_and(differs) {
                let problem = "different private sections of one array in a construct";
                (problem, "name the larger section in both clauses")
            } else {
                if other.is_none() {
                    self.private_arrays.push(array);
                }
                continue;
            };
            self.diagnostics
                .push(not_yet(problem.to_string(), part.span).help(help));
        }
    }

    /// Gang loops nest by falling dimensions (2.9.2). The outermost is the one
    /// over blocks; for those inside, which are as independent, a level is
    /// chosen as for loops without one.
    fn gang_dimension(&mut self, clauses: &mut LoopClauses) {
        if !clauses.schedule.levels.block {
            return;
        }
        let around = self.gang_dimensions.last();
        if around.is_some_and(|outer| *outer > clauses.gang_dimension) {
            clauses.schedule.levels.block = false;
            clauses.levels.retain(|(level, _)| *level != Level::Block);
        }
        self.gang_dimensions.push(clauses.gang_dimension);
    }

    /// A block that holds just the loop stands for it, as other compilers
    /// have it, with a warning.
    fn loop_in_block<'s>(&mut self, checked: &Checked, statement: &'s Statement) -> &'s Statement {
        let is_block = matches!(statement.kind, StatementKind::Compound(_));
        let found = only(statement).filter(|one| matches!(one.kind, StatementKind::For(_)));
        let Some(found) = found.filter(|_| is_block) else {
            return statement;
        };
        let message = format!("the loop of `{}` stands in a block", checked.kind.name());
        self.diagnostics.push(
            Diagnostic::warning(codes::EXPECTED_LOOP, message, found.span)
                .also(
                    check::name_span(&checked.directive),
                    "OpenACC has the loop right behind it",
                )
                .help("remove the braces around the loop"),
        );
        found
    }

    fn expected_loop(&mut self, checked: &Checked, found: Option<&Statement>) {
        let name = checked.kind.name();
        let diagnostic = Diagnostic::error(
            codes::EXPECTED_LOOP,
            format!("`{name}` must be followed by a `for` loop"),
            check::name_span(&checked.directive),
        );
        self.diagnostics.push(match found {
            Some(fcw) if windows::is_fcw(self.checked, fcw) => diagnostic
                .also(fcw.span, "this is no `for` loop")
                .help("put `fcw` into the loop's body: its windows move with the iterations"),
            Some(other) => diagnostic
                .also(other.span, "this is no `for` loop")
                .help("put the directive right before the loop"),
            None => diagnostic.help("put the directive right before the loop"),
        });
    }

    /// Levels go inwards from gang to worker to vector (2.9.2 to 2.9.4).
    /// Vector loops that hold windows nest: each is a dimension of the block.
    fn check_levels(&mut self, clauses: &LoopClauses, place: LoopPlace) {
        if self.construct.is_none() {
            let above = clauses
                .levels
                .iter()
                .find(|(level, _)| self.routine.is_none_or(|allowed| *level < allowed));
            if let Some((level, span)) = above {
                let message = format!(
                    "`{}` in a function that has no such level",
                    levels::spelling(*level)
                );
                self.diagnostics.push(
                    Diagnostic::error(codes::LEVEL_NESTING, message, *span)
                        .help("give the level to its `routine` directive, or remove it here"),
                );
                return;
            }
        }
        for (level, span) in &clauses.levels {
            let is_dimension =
                |outer: Level| place.shares_windows && outer == *level && outer == Level::Lane;
            let mut around = self.around.iter();
            let wrong = around.find(|(outer, _)| outer >= level && !is_dimension(*outer));
            if let Some((outer, outer_span)) = wrong {
                let (inner, outer) = (levels::spelling(*level), levels::spelling(*outer));
                let message = format!("a `{inner}` loop inside a `{outer}` loop");
                self.diagnostics.push(
                    Diagnostic::error(codes::LEVEL_NESTING, message, *span)
                        .also(*outer_span, "the loop around it")
                        .help("levels go inwards from `gang` over `worker` to `vector`, each once"),
                );
                return;
            }
            let nested = self.around.iter().find(|(outer, _)| outer == level);
            if let Some((_, outer)) = nested.filter(|_| self.options.strict) {
                let message = "OpenACC has no `vector` loop inside a `vector` loop";
                self.diagnostics.push(
                    Diagnostic::warning(codes::LEVEL_NESTING, message, *span)
                        .also(*outer, "the loop around it")
                        .help("with windows inside, each is a dimension of the block"),
                );
            }
        }
    }
}

impl Statements for Body<'_> {
    fn unit(&self) -> &Unit {
        self.unit
    }

    fn diagnostics(&mut self) -> &mut Diagnostics {
        self.diagnostics
    }

    fn expression(&mut self, e: &Expression) -> Ir {
        self.reducing(e)
    }

    /// With `cache`, which may stand there.
    fn top(&mut self, statement: &Statement) -> Vec<ir::Statement> {
        match &statement.kind {
            StatementKind::Compound(items) => self.cached(items),
            _ => self.list(statement),
        }
    }

    /// A directive inside: `loop`, `atomic`, or those that ask for windows.
    fn directive(
        &mut self,
        directive: &Directive<Expression>,
        body: Option<&Statement>,
        out: &mut Vec<ir::Statement>,
    ) {
        if let Some(checked) = self.checked.get(directive) {
            match checked.kind {
                DirectiveKind::Loop => {
                    self.directives.push(directive.span);
                    return out.extend(self.directed(checked, body));
                }
                DirectiveKind::Fcw => return self.fcw(checked, body, out),
                DirectiveKind::FcwBarrier => return self.fcw_barrier(checked, out),
                DirectiveKind::Atomic => return out.extend(self.atomic(checked, body)),
                DirectiveKind::Cache => {
                    let span = check::name_span(&checked.directive);
                    let idle = check::idle_cache("outside of a loop's body", span);
                    self.diagnostics.push(idle);
                }
                _ => {
                    let problem = self.misplaced(checked);
                    self.diagnostics.push(problem);
                }
            }
        }
        // Go on for what else is wrong inside.
        if let Some(body) = body {
            self.statement(body, out);
        }
    }

    fn undirected(&mut self, statement: &Statement, parts: &For, out: &mut Vec<ir::Statement>) {
        let span = statement.span;
        if let Some(forced) = self.forced.take_if(|forced| forced.place == span) {
            out.extend(self.nest(forced.construct, forced.clauses, statement, parts));
            return;
        }
        let kind = match self.counted(statement, parts) {
            Ok(counted) => {
                let schedule = Schedule {
                    sequential: self.construct.is_none() || self.is_shared(&parts.body),
                    ..Schedule::default()
                };
                Ir::Loop(Box::new(Loop {
                    schedule,
                    ..counted
                }))
            }
            Err(why) => self.plain(parts, Some(why)),
        };
        out.push(ir::Statement { kind, span });
    }
}

/// Whether the header has an error that was reported already.
pub(super) fn has_errors(parts: &For) -> bool {
    let mut found = [&parts.condition, &parts.step]
        .into_iter()
        .flatten()
        .any(check::is_error);
    if let Some(initializer) = &parts.initializer {
        visit::statement_roots(initializer, &mut |e| found |= check::is_error(e));
    }
    found
}

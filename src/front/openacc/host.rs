//! Directives in host code: data constructs, standalone directives, and the
//! compute constructs among them (OpenACC 3.3, sections 2.6 and 2.14).

use super::check::{self, Checked, malformed};
use super::table::{ClauseKind, DirectiveKind, clause};
use super::{Lowering, Orphan, clauses, data, program, queues, windows};
use crate::ast::Directive;
use crate::ir::{Region, RegionKind};
use crate::source::Span;
use crate::typed::{Expression, Statement, StatementKind, visit};

impl Lowering<'_, '_> {
    /// Searches a host statement for directives, those in statement expressions
    /// included.
    pub(super) fn statement(&mut self, statement: &Statement) {
        if let StatementKind::Directive(directive, body) = &statement.kind {
            return self.directive(directive, body.as_deref(), statement);
        }
        visit::in_expressions(statement, &mut |inner| self.statement(inner));
        visit::children(statement, &mut |inner| self.statement(inner));
    }

    fn directive(
        &mut self,
        directive: &Directive<Expression>,
        body: Option<&Statement>,
        whole: &Statement,
    ) {
        let Some(checked) = self.given.directives.get(directive) else {
            return body.into_iter().for_each(|body| self.statement(body));
        };
        match checked.kind {
            kind if kind.is_compute() => self.compute(checked, body, whole),
            DirectiveKind::Loop | DirectiveKind::Atomic => {
                self.orphan(checked);
                if body.is_none() {
                    self.expected_statement(checked);
                }
                body.into_iter().for_each(|body| self.statement(body));
            }
            DirectiveKind::Data | DirectiveKind::HostData => self.data(checked, body),
            DirectiveKind::EnterData | DirectiveKind::ExitData | DirectiveKind::Update => {
                self.standalone(checked);
            }
            DirectiveKind::Cache => self.orphan(checked),
            DirectiveKind::Fcw | DirectiveKind::FcwBarrier => {
                self.diagnostics.push(windows::outside(checked));
                body.into_iter().for_each(|body| self.statement(body));
            }
            DirectiveKind::Wait => {
                let region = self.region(checked, RegionKind::Wait, None);
                self.add_region(region);
            }
            DirectiveKind::Init | DirectiveKind::Shutdown | DirectiveKind::Set => {
                if let Some(schedule) = queues::device(self.given.unit, checked, self.diagnostics) {
                    let region = self.region(checked, RegionKind::Device(schedule), None);
                    self.add_region(region);
                }
            }
            DirectiveKind::Declare => self.declare(checked),
            // Read beforehand, by `functions::routines`.
            DirectiveKind::Routine => {}
            _ => body.into_iter().for_each(|body| self.statement(body)),
        }
    }

    /// Something that only a function on the device may have.
    fn orphan(&mut self, checked: &Checked) {
        self.orphans.push(Orphan {
            function: self.function.symbol,
            kind: checked.kind,
            directive: checked.directive.span,
        });
    }

    /// A `data` construct, or device addresses for `host_data`: its lifetime,
    /// then what is inside.
    fn data(&mut self, checked: &Checked, body: Option<&Statement>) {
        let Some(body) = body else {
            return self.expected_statement(checked);
        };
        self.needs_data(checked);
        self.check_jumps(checked, body);
        let is_data = checked.kind == DirectiveKind::Data;
        let kind = match is_data {
            true => RegionKind::Data,
            false => RegionKind::HostData {
                if_present: checked.has(ClauseKind::IfPresent),
            },
        };
        let region = self.region(checked, kind, Some(body.span));
        let outer = self.visible.len();
        if is_data {
            self.visible.extend(region.data.iter().cloned());
        }
        let default = clauses::default(checked).or(self.defaults.last().copied().flatten());
        self.defaults.push(default);
        let id = self.add_region(region);
        self.regions.push(id);
        self.statement(body);
        self.regions.pop();
        self.defaults.pop();
        self.visible.truncate(outer);
    }

    /// `declare` in a function: a data lifetime to the end of its block.
    fn declare(&mut self, checked: &Checked) {
        self.needs_data(checked);
        let region = self.region(checked, RegionKind::Scope, None);
        self.visible.extend(region.data.iter().cloned());
        self.add_region(region);
    }

    /// `enter data`, `exit data` and `update`.
    fn standalone(&mut self, checked: &Checked) {
        self.needs_data(checked);
        let kind = match checked.kind {
            DirectiveKind::EnterData => RegionKind::EnterData,
            DirectiveKind::ExitData => RegionKind::ExitData {
                finalize: checked.has(ClauseKind::Finalize),
            },
            _ => RegionKind::Update {
                if_present: checked.has(ClauseKind::IfPresent),
            },
        };
        let region = self.region(checked, kind, None);
        self.add_region(region);
    }

    fn region(&mut self, checked: &Checked, kind: RegionKind, body: Option<Span>) -> Region {
        let mut data = data::lower(
            self.given.unit,
            &checked.clauses,
            self.given.size,
            self.diagnostics,
        );
        program::attach(self.given.unit, &self.module.program_data, &mut data);
        data::order(&mut data, matches!(kind, RegionKind::ExitData { .. }));
        Region {
            kind,
            title: checked.kind.name().to_string(),
            function: self.function.symbol,
            directive: checked.directive.span,
            body,
            parent: self.regions.last().copied(),
            condition: clauses::condition(self.given.unit, checked, self.diagnostics),
            queue: queues::queue(self.given.unit, checked, self.diagnostics),
            waits: queues::waits(self.given.unit, checked, self.diagnostics),
            data,
            host_copies: Vec::new(),
            locals: Vec::new(),
        }
    }

    /// These directives do nothing without a data clause (2.6.5, 2.6.6,
    /// 2.14.4). Clauses with an error of their own count.
    fn needs_data(&mut self, checked: &Checked) {
        let has = checked.directive.clauses.iter().any(|written| {
            clause(&written.name.value, checked.kind).is_none_or(|row| {
                data::action(row.kind).is_some() || row.kind == ClauseKind::Default
            })
        });
        if has || checked.has_errors {
            return;
        }
        if let Some(link) = checked.clause(ClauseKind::Link) {
            let message = "`link` stands in a function, and takes variables of the whole program";
            self.diagnostics.push(malformed(message, link.span).help(
                "write `create(…)` for a variable of the function; for others, put the directive behind their \
                 declarations, outside of functions",
            ));
            return;
        }
        let example = match checked.kind {
            DirectiveKind::Update => "self(a[0:n])",
            DirectiveKind::HostData => "use_device(a)",
            DirectiveKind::ExitData => "copyout(a[0:n])",
            _ => "copyin(a[0:n])",
        };
        let name = checked.kind.name();
        let message = format!("`{name}` names no data");
        self.diagnostics.push(
            malformed(message, check::name_span(&checked.directive))
                .help(format!("add a clause such as `{example}`")),
        );
    }
}

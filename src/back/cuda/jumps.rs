//! Declarations that jumps lead past.
//!
//! C lets `goto` and `switch` into the scope of a variable behind its declaration, which then
//! sets no value. C++ does so only where the declaration has none: it is assigned.
//!
//! ```text
//! switch (n) {                       switch (n) {
//! case 0:;                           case 0:;
//!     const int k[2] = { n, 1 };         int k[2];
//!                                        {
//!                                            const int k_value[2] = {n, 1};
//!                                            memcpy(k, k_value, sizeof k);
//!                                        }
//! case 1: …                          case 1: …
//! ```

use std::collections::{HashMap, HashSet};

use super::body::Body;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::{
    self, ExpressionKind, Initializer, QualType, SymbolId, Type, TypeId, TypedefId, Unit,
};

/// What is declared where a jump leads past it.
#[derive(Debug, Default)]
pub struct Passed {
    variables: HashSet<SymbolId>,
    /// The places of compound literals.
    literals: HashSet<Span>,
}

impl Passed {
    /// Of a function's whole body.
    pub fn of(body: &[Statement]) -> Self {
        let mut jumps = Jumps::default();
        visit::walk(body, &mut |statement| {
            if let StatementKind::Goto(label) = &statement.kind {
                jumps.count(label);
            }
            visit::own_expressions(statement, &mut |e| {
                typed::visit::in_expression(e, &mut |inner| {
                    if let typed::StatementKind::Goto(label) = &inner.kind {
                        jumps.count(label);
                    }
                });
            });
        });
        jumps.enter(body);
        jumps.passed
    }

    /// Whether a jump leads past a variable's declaration.
    pub fn has(&self, variable: SymbolId) -> bool {
        self.variables.contains(&variable)
    }

    /// Whether one leads past the variable that a compound literal becomes.
    pub fn has_literal(&self, literal: Span) -> bool {
        self.literals.contains(&literal)
    }

    fn add(&mut self, statement: &Statement) {
        if let StatementKind::Declaration(list) = &statement.kind {
            let symbols = list.iter().map(|declaration| declaration.symbol);
            self.variables.extend(symbols);
        }
        if let StatementKind::CollectiveCall(call) = &statement.kind {
            self.variables.extend(call.result);
        }
        visit::own_expressions(statement, &mut |e| {
            typed::visit::walk(e, &mut |e| {
                if let ExpressionKind::CompoundLiteral(_) = e.kind {
                    self.literals.insert(e.span);
                }
            });
        });
    }
}

#[derive(Default)]
struct Jumps<'a> {
    /// How many of the function lead to a label.
    all: HashMap<&'a str, usize>,
    passed: Passed,
}

/// What a part of a list has.
#[derive(Default)]
struct Part<'a> {
    /// Labels of a `switch` around it.
    has_cases: bool,
    labels: HashSet<&'a str>,
    gotos: HashMap<&'a str, usize>,
}

impl<'a> Jumps<'a> {
    fn count(&mut self, label: &'a str) {
        *self.all.entry(label).or_default() += 1;
    }

    /// Whether a jump from elsewhere leads into a part.
    fn leads_into(&self, part: &Part<'_>) -> bool {
        let mut labels = part.labels.iter();
        part.has_cases || labels.any(|label| part.gotos.get(label) != self.all.get(label))
    }

    /// Finds what of a list is passed, from its end on: the scope of a variable is the rest of
    /// its list.
    fn enter(&mut self, list: &'a [Statement]) -> Part<'a> {
        let mut rest = Part::default();
        let mut is_entered = false;
        for statement in list.iter().rev() {
            if self.add(statement, &mut rest) {
                is_entered = self.leads_into(&rest);
            }
            if is_entered {
                self.passed.add(statement);
            }
        }
        rest
    }

    /// Adds what a statement has to a part. Gives whether there is any.
    fn add(&mut self, statement: &'a Statement, part: &mut Part<'a>) -> bool {
        match &statement.kind {
            StatementKind::Case(..) | StatementKind::Default => part.has_cases = true,
            StatementKind::Label(label) => {
                part.labels.insert(label);
            }
            StatementKind::Goto(label) => *part.gotos.entry(label).or_default() += 1,
            kind => {
                let mut inner = Part::default();
                visit::blocks(statement, &mut |list| {
                    let list = self.enter(list);
                    inner.take(list);
                });
                if let StatementKind::For(parts) = kind
                    && let Some(initializer) = &parts.initializer
                    && self.leads_into(&inner)
                {
                    self.passed.add(initializer);
                }
                inner.has_cases &= !matches!(kind, StatementKind::Switch(..));
                return part.take(inner);
            }
        }
        true
    }
}

impl<'a> Part<'a> {
    /// Adds what another one has. Gives whether that is anything.
    fn take(&mut self, other: Self) -> bool {
        let has_any = other.has_cases || !other.labels.is_empty() || !other.gotos.is_empty();
        self.has_cases |= other.has_cases;
        self.labels.extend(other.labels);
        for (label, count) in other.gotos {
            *self.gotos.entry(label).or_default() += count;
        }
        has_any
    }
}

/// A variable that is declared without a value.
pub struct Bare<'a> {
    pub name: String,
    pub ty: QualType,
    /// By which name its declaration says the type.
    pub by: Option<TypedefId>,
    pub initializer: &'a Initializer,
    /// What its declaration begins with.
    pub begin: String,
    pub span: Span,
}

impl Body<'_> {
    /// Declares a variable without a value, and assigns that.
    pub(super) fn bare_declaration(&mut self, variable: &Bare<'_>) {
        let Bare { name, ty, .. } = variable;
        if has_constant_member(self.unit, ty.ty) {
            let message = "a jump leads past the declaration of an object with constant members";
            let error = Diagnostic::error(codes::NOT_CUDA, message, variable.span);
            self.diagnostics
                .push(error.help("put the declaration in a block that ends before the label"));
        }
        let own = QualType::plain(self.unit.types.unqualified(ty.ty));
        let text = self.cuda.declare_by(self.unit, variable.by, own, name);
        self.lines.line(&format!("{}{text};", variable.begin));
        let value = self.initializer(variable.initializer, *ty, variable.span);
        if !self.unit.types.is_array(ty.ty) {
            return self.lines.line(&format!("{name} = {value};"));
        }
        let copied = self.cuda.fresh(&format!("{name}_value"));
        let text = self.cuda.declare_by(self.unit, variable.by, *ty, &copied);
        self.lines.open("{");
        self.lines.line(&format!("{text} = {value};"));
        self.lines
            .line(&format!("memcpy({name}, {copied}, sizeof {name});"));
        self.lines.close("}");
    }
}

fn has_constant_member(unit: &Unit, ty: TypeId) -> bool {
    match unit.types.get(ty) {
        Type::Array { element, .. } => has_constant_member(unit, element.ty),
        Type::Record(id) => {
            let mut members = unit.types.record(*id).members.iter().flatten();
            members.any(|member| {
                unit.types.innermost(member.ty).qualifiers.is_const
                    || has_constant_member(unit, member.ty.ty)
            })
        }
        _ => false,
    }
}

//! Lists of statements outside loops over lanes: who runs what.

use super::state::{Conflict, ConflictKind, Footprint, State, Who};
use super::{Synchroniser, barrier, count_mentions, is_structured};
use crate::analysis::effects::Place;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Level, Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{
    ArrayLength, Expression, ExpressionKind, Initializer, LocalDeclaration, SymbolId, Type, TypeId,
    Unit,
};

/// Arrays with more elements have no values in braces.
const MOST_ASSIGNED: u64 = 128;

/// A list of statements in the making.
pub struct Output {
    /// Whose code it is.
    pub level: Level,
    /// What is under way at its end.
    pub state: State,
    /// The statements made so far.
    pub statements: Vec<Statement>,
    /// Those after them that one thread will run.
    single: Vec<Statement>,
}

impl Synchroniser<'_> {
    /// Rewrites the statements of one block of C; `state` is what is under
    /// way at its start, then at its end.
    pub fn sequence(
        &mut self,
        list: &[Statement],
        level: Level,
        state: &mut State,
    ) -> Vec<Statement> {
        let mut out = Output {
            level,
            state: state.clone(),
            statements: Vec::new(),
            single: Vec::new(),
        };
        for statement in list {
            if matches!(
                statement.kind,
                StatementKind::Case(..) | StatementKind::Default
            ) {
                self.flush(&mut out);
                out.state.join(self.entries.last().unwrap_or(state));
                out.statements.push(statement.clone());
            } else {
                let changed = self.facts.changed(statement);
                out.state.forget_owners(&changed);
                self.statement(statement, &mut out);
                out.state.forget_owners(&changed);
            }
        }
        self.flush(&mut out);
        *state = out.state;
        out.statements
    }

    fn statement(&mut self, statement: &Statement, out: &mut Output) {
        if let StatementKind::Declaration(list) = &statement.kind {
            return self.declarations(list, statement.span, out);
        }
        if is_structured(statement) {
            self.flush(out);
            return self.structured(statement, out);
        }
        let effects = self.facts.oracle.statement(statement);
        let footprint = self.facts.footprint(&effects);
        if effects.impure || !footprint.writes.is_empty() {
            self.single(statement.clone(), &footprint, out);
        } else {
            self.redundant(statement.clone(), &footprint, out);
        }
    }

    /// All threads run a statement that writes private variables alone.
    fn redundant(&mut self, statement: Statement, footprint: &Footprint, out: &mut Output) {
        self.flush(out);
        self.wait_for(footprint, Who::All, statement.span, out);
        out.statements.push(statement);
    }

    /// One thread runs a statement, together with those before it of the
    /// same kind.
    fn single(&mut self, statement: Statement, footprint: &Footprint, out: &mut Output) {
        let conflict = self.conflict(&out.state, footprint, Who::One);
        if conflict.is_some() {
            self.flush(out);
        }
        self.wait_for(footprint, Who::One, statement.span, out);
        out.single.push(statement);
    }

    /// Puts a barrier in front of coming accesses if they need one.
    pub fn wait_for(&self, footprint: &Footprint, who: Who, span: Span, out: &mut Output) {
        let conflict = self.conflict(&out.state, footprint, who);
        if let Some(conflict) = conflict {
            out.statements
                .push(barrier(out.level, self.reason(conflict), span));
            out.state = State::default();
        }
        out.state.add(footprint, who);
    }

    /// What coming accesses have to wait for: of memory that may be the same, what has elements of one
    /// type comes first.
    pub fn conflict(&self, state: &State, footprint: &Footprint, who: Who) -> Option<Conflict> {
        let unit = self.facts.oracle.unit();
        let element = |place: Place| {
            let target = unit.types.pointee(unit.symbol(place.symbol()?).ty.ty)?;
            Some(target.ty)
        };
        let alike = |a, b| element(a).is_some() && element(a) == element(b);
        state.conflict(footprint, who, self.facts.scope, &alike)
    }

    /// Why a barrier stands, in the user's words.
    pub fn reason(&self, conflict: Conflict) -> String {
        let unit = self.facts.oracle.unit();
        let name = |place: Place| match place.symbol() {
            Some(symbol) => format!("`{}`", unit.symbol(symbol).name),
            None => "memory behind a pointer".to_string(),
        };
        let Conflict {
            kind,
            earlier,
            later,
        } = conflict;
        let what = match kind {
            ConflictKind::ReadAfterWrite => "is written",
            ConflictKind::WriteAfterRead => "has been read",
            ConflictKind::WriteAfterWrite => "is written again",
        };
        match name(earlier) == name(later) || later.symbol().is_none() {
            true => format!("{} {what}", name(earlier)),
            false => format!("{} {what}, which may be {}", name(earlier), name(later)),
        }
    }

    /// Closes the section of one thread. With a broadcast it ends in a
    /// barrier.
    fn flush(&mut self, out: &mut Output) {
        let body = std::mem::take(&mut out.single);
        let Some(span) = body.iter().map(|s| s.span).reduce(Span::to) else {
            return;
        };
        let broadcast = self.broadcast(&body);
        if !broadcast.is_empty() {
            out.state = State::default();
        }
        let single = StatementKind::Single {
            level: out.level,
            body,
            broadcast,
        };
        out.statements.push(single.at(span));
    }

    /// Private variables that a section writes and that are mentioned
    /// elsewhere.
    fn broadcast(&self, body: &[Statement]) -> Vec<SymbolId> {
        let own = visit::own_variables(body);
        let inside = count_mentions(body);
        let effects = self.facts.oracle.list(body);
        effects
            .writes
            .iter()
            .filter(|&&place| self.facts.scope.is_private(place))
            .filter_map(|place| place.variable())
            .filter(|symbol| {
                let all = self.mentions.get(symbol).copied().unwrap_or(0);
                let here = inside.get(symbol).copied().unwrap_or(0);
                !own.contains(symbol) && all > here
            })
            .collect()
    }

    /// Declarations: variables in shared memory are declared elsewhere, and
    /// values with effects are assigned by one thread.
    fn declarations(&mut self, list: &[LocalDeclaration], span: Span, out: &mut Output) {
        for declaration in list {
            let one = |declaration: LocalDeclaration| {
                StatementKind::Declaration(vec![declaration]).at(span)
            };
            let whole = one(declaration.clone());
            let effects = self.facts.oracle.statement(&whole);
            let footprint = self.facts.footprint(&effects);
            let scope = self.facts.scope;
            let shared = scope.shared.contains(&declaration.symbol);
            if !shared && footprint.writes.is_empty() && !effects.impure {
                self.redundant(whole, &footprint, out);
                continue;
            }
            // Of an array in device memory this is the pointer to the copy.
            let is_pointer = scope.is_of_block(Place::Target(declaration.symbol));
            if !shared || is_pointer {
                let bare = LocalDeclaration {
                    initializer: None,
                    ..declaration.clone()
                };
                self.redundant(one(bare), &Footprint::default(), out);
            }
            if let Some(initializer) = &declaration.initializer {
                for assignment in self.assignments(declaration, initializer) {
                    let effects = self.facts.oracle.statement(&assignment);
                    let footprint = self.facts.footprint(&effects);
                    self.single(assignment, &footprint, out);
                }
            }
        }
    }

    /// `v = value;`, of an array an assignment for each element.
    fn assignments(
        &mut self,
        declaration: &LocalDeclaration,
        initializer: &Initializer,
    ) -> Vec<Statement> {
        match initializer {
            Initializer::Expression(value)
                if !matches!(value.kind, ExpressionKind::String { .. }) =>
            {
                let mut target = synthesis::symbol(
                    self.facts.oracle.unit(),
                    declaration.symbol,
                    declaration.span,
                );
                target.ty.qualifiers.is_const = false;
                vec![Statement::assign(target, value.clone(), declaration.span)]
            }
            Initializer::Aggregate(_) if self.is_listed(declaration.symbol) => {
                let unit = self.facts.oracle.unit();
                let target = synthesis::symbol(unit, declaration.symbol, declaration.span);
                let mut out = Vec::new();
                elements(unit, target, Some(initializer), self.int, &mut out);
                out
            }
            _ => {
                let name = &self.facts.oracle.unit().symbol(declaration.symbol).name;
                let block = self.facts.scope.words.levels.block;
                self.errors.push(
                    Diagnostic::error(
                        codes::NOT_SUPPORTED_YET,
                        format!(
                            "`{name}` is shared by the threads of a {block} and has an initialiser \
                             in braces"
                        ),
                        declaration.span,
                    )
                    .help("assign its elements instead"),
                );
                Vec::new()
            }
        }
    }

    /// Whether a variable is an array of so few scalars that each can have an
    /// assignment.
    fn is_listed(&self, symbol: SymbolId) -> bool {
        let types = &self.facts.oracle.unit().types;
        let (mut ty, mut count) = (self.facts.oracle.unit().symbol(symbol).ty.ty, 1u64);
        while let Type::Array {
            element,
            length: ArrayLength::Constant(n),
        } = types.get(ty)
        {
            count = count.saturating_mul(*n);
            ty = element.ty;
        }
        types.is_arithmetic(ty) && count <= MOST_ASSIGNED
    }

    /// Evaluates an expression in one thread into a new variable that all
    /// threads get, and returns that variable. `truth` makes it 0 or 1.
    pub fn hoist(&mut self, e: &Expression, truth: bool, out: &mut Output) -> Expression {
        let span = e.span;
        let (ty, name, value) = match truth {
            true => (self.int, "taken", synthesis::truth(e.clone(), self.int)),
            false => (e.ty.ty, "bound", e.clone()),
        };
        let symbol = self.variable(name, ty, span);
        out.statements.push(Statement::declare(symbol, None, span));
        let footprint = self.facts.footprint_of(e);
        self.wait_for(&footprint, Who::One, span, out);
        let variable = synthesis::symbol(self.facts.oracle.unit(), symbol, span);
        let mut broadcast = self.broadcast(&[Statement::evaluate(e.clone())]);
        broadcast.push(symbol);
        let single = StatementKind::Single {
            level: out.level,
            body: vec![Statement::assign(variable.clone(), value, span)],
            broadcast,
        };
        out.statements.push(single.at(span));
        out.state = State::default();
        variable
    }
}

/// The values in braces of an array, as assignments to its elements; those that
/// are not named are zero.
fn elements(
    unit: &Unit,
    target: Expression,
    value: Option<&Initializer>,
    int: TypeId,
    out: &mut Vec<Statement>,
) {
    let span = target.span;
    if let Type::Array {
        element,
        length: ArrayLength::Constant(n),
    } = unit.types.get(target.ty.ty)
    {
        let named = |k: u64| match value {
            Some(Initializer::Aggregate(list)) => {
                let found = list.iter().find(|(index, _)| *index == k);
                found.map(|(_, value)| value)
            }
            _ => None,
        };
        for k in 0..*n {
            let index = synthesis::integer(i128::from(k), int, span);
            let mut ty = *element;
            ty.qualifiers.is_const = false;
            let kind = ExpressionKind::Index(Box::new(target.clone()), Box::new(index));
            elements(unit, kind.at(ty, span), named(k), int, out);
        }
        return;
    }
    let value = match value {
        Some(Initializer::Expression(value)) => value.clone(),
        _ => synthesis::integer(0, int, span),
    };
    out.push(Statement::assign(target, value, span));
}

//! Lists of statements outside vector loops: who runs what.

use super::state::{Conflict, Footprint, State, Who};
use super::{Synchroniser, count_mentions, has_shared_loop};
use crate::analysis::effects::Place;
use crate::analysis::exits::Exits;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Barrier, Level, Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{
    ArrayLength, Expression, ExpressionKind, Initializer, LocalDeclaration, QualType, SymbolId,
    Type, TypeId, Unit,
};

/// Arrays with more elements have no values in braces.
const MOST_ASSIGNED: u64 = 128;

/// The statements made so far, and those that one thread will run.
#[derive(Default)]
pub struct Output {
    pub statements: Vec<Statement>,
    single: Vec<Statement>,
}

impl Synchroniser<'_, '_> {
    /// Rewrites the statements of one block of C; `state` is what is under
    /// way at its start, then at its end.
    pub fn sequence(
        &mut self,
        list: &[Statement],
        level: Level,
        state: &mut State,
    ) -> Vec<Statement> {
        let entry = state.clone();
        let mut out = Output::default();
        for statement in list {
            if matches!(
                statement.kind,
                StatementKind::Case(..) | StatementKind::Default
            ) {
                self.flush(&mut out, level, state);
                state.join(&entry);
                out.statements.push(statement.clone());
            } else {
                self.statement(statement, level, state, &mut out);
            }
        }
        self.flush(&mut out, level, state);
        out.statements
    }

    fn statement(
        &mut self,
        statement: &Statement,
        level: Level,
        state: &mut State,
        out: &mut Output,
    ) {
        if let StatementKind::Declaration(list) = &statement.kind {
            return self.declarations(list, statement, level, state, out);
        }
        if has_shared_loop(statement) || !Exits::of_statement(statement).is_empty() {
            self.flush(out, level, state);
            return self.structured(statement, level, state, out);
        }
        let effects = self.oracle.statement(statement);
        let footprint = self.footprint(&effects);
        if effects.impure || !footprint.writes.is_empty() {
            self.single(statement.clone(), &footprint, level, state, out);
        } else {
            self.redundant(statement.clone(), &footprint, level, state, out);
        }
    }

    /// All threads run a statement that writes private variables alone.
    pub fn redundant(
        &mut self,
        statement: Statement,
        footprint: &Footprint,
        level: Level,
        state: &mut State,
        out: &mut Output,
    ) {
        self.flush(out, level, state);
        self.wait_for(footprint, Who::All, level, state, out, statement.span);
        out.statements.push(statement);
    }

    /// One thread runs a statement, together with those before it of the
    /// same kind.
    fn single(
        &mut self,
        statement: Statement,
        footprint: &Footprint,
        level: Level,
        state: &mut State,
        out: &mut Output,
    ) {
        if state.conflict(footprint, Who::One, &self.scope).is_some() {
            self.flush(out, level, state);
        }
        self.wait_for(footprint, Who::One, level, state, out, statement.span);
        out.single.push(statement);
    }

    /// Puts a barrier in front of coming accesses if they need one.
    pub fn wait_for(
        &mut self,
        footprint: &Footprint,
        who: Who,
        level: Level,
        state: &mut State,
        out: &mut Output,
        span: Span,
    ) {
        if let Some(conflict) = state.conflict(footprint, who, &self.scope) {
            out.statements.push(self.barrier(conflict, level, span));
            *state = State::default();
        }
        state.add(footprint, who);
    }

    fn barrier(&self, conflict: Conflict, level: Level, span: Span) -> Statement {
        let name = |place| match place {
            Place::Variable(symbol) | Place::Target(symbol) => {
                let index = symbol.0 as usize;
                let known = self.oracle.unit().symbols.get(index);
                let made = || &self.fresh.symbols[index - self.fresh.base];
                format!("`{}`", known.unwrap_or_else(made).name)
            }
            Place::Unknown => "memory".to_string(),
        };
        let text = match conflict {
            Conflict::ReadAfterWrite(place) => format!("{} is written", name(place)),
            Conflict::WriteAfterRead(place) => format!("{} has been read", name(place)),
            Conflict::WriteAfterWrite(place) => format!("{} is written again", name(place)),
        };
        let kind = match level {
            Level::Gang => StatementKind::Barrier(Barrier::new(text)),
            _ => StatementKind::WorkerBarrier(text),
        };
        Statement { kind, span }
    }

    /// Closes the section of one thread. With a broadcast it ends in a
    /// barrier.
    pub fn flush(&mut self, out: &mut Output, level: Level, state: &mut State) {
        let body = std::mem::take(&mut out.single);
        let Some(span) = body.iter().map(|s| s.span).reduce(Span::to) else {
            return;
        };
        let broadcast = self.broadcast(&body);
        if !broadcast.is_empty() {
            *state = State::default();
        }
        out.statements.push(Statement {
            kind: StatementKind::Single {
                level,
                body,
                broadcast,
            },
            span,
        });
    }

    /// Private variables that a section writes and that are mentioned
    /// elsewhere.
    fn broadcast(&self, body: &[Statement]) -> Vec<SymbolId> {
        let own = visit::declared(body);
        let inside = count_mentions(body);
        let mut inductions = Vec::new();
        visit::loops(body, &mut |l| {
            if l.declared_inside {
                inductions.push(l.induction);
            }
        });
        let effects = self.oracle.list(body);
        effects
            .writes
            .iter()
            .filter(|&&place| self.scope.is_private(place))
            .filter_map(|place| match place {
                Place::Variable(symbol) => Some(*symbol),
                _ => None,
            })
            .filter(|symbol| {
                let all = self.mentions.get(symbol).copied().unwrap_or(0);
                let here = inside.get(symbol).copied().unwrap_or(0);
                !own.contains(symbol) && !inductions.contains(symbol) && all > here
            })
            .collect()
    }

    /// Declarations: variables in shared memory are declared elsewhere, and
    /// values with effects are assigned by one thread.
    fn declarations(
        &mut self,
        list: &[LocalDeclaration],
        statement: &Statement,
        level: Level,
        state: &mut State,
        out: &mut Output,
    ) {
        for declaration in list {
            let one = |declaration: LocalDeclaration| Statement {
                kind: StatementKind::Declaration(vec![declaration]),
                span: statement.span,
            };
            let whole = one(declaration.clone());
            let effects = self.oracle.statement(&whole);
            let footprint = self.footprint(&effects);
            let shared = self.scope.shared.contains(&declaration.symbol);
            if !shared && footprint.writes.is_empty() && !effects.impure {
                self.redundant(whole, &footprint, level, state, out);
                continue;
            }
            // Of an array in device memory this is the pointer to the copy.
            let is_pointer = self.scope.is_of_block(Place::Target(declaration.symbol));
            if !shared || is_pointer {
                let bare = LocalDeclaration {
                    initializer: None,
                    ..declaration.clone()
                };
                self.redundant(one(bare), &Footprint::default(), level, state, out);
            }
            if let Some(initializer) = &declaration.initializer {
                for assignment in self.assignments(declaration, initializer) {
                    let effects = self.oracle.statement(&assignment);
                    let footprint = self.footprint(&effects);
                    self.single(assignment, &footprint, level, state, out);
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
                let mut target =
                    synthesis::symbol(self.oracle.unit(), declaration.symbol, declaration.span);
                target.ty.qualifiers.is_const = false;
                vec![Statement {
                    kind: StatementKind::Expression(Some(synthesis::assign(target, value.clone()))),
                    span: declaration.span,
                }]
            }
            Initializer::Aggregate(_) if self.is_listed(declaration.symbol) => {
                let unit = self.oracle.unit();
                let target = synthesis::symbol(unit, declaration.symbol, declaration.span);
                let mut out = Vec::new();
                elements(unit, target, Some(initializer), self.fresh.int, &mut out);
                out
            }
            _ => {
                let name = &self.oracle.unit().symbol(declaration.symbol).name;
                self.errors.push(
                    Diagnostic::error(
                        codes::NOT_SUPPORTED_YET,
                        format!(
                            "`{name}` is shared by the threads of a gang and has an initialiser \
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
        let types = &self.oracle.unit().types;
        let (mut ty, mut count) = (self.oracle.unit().symbol(symbol).ty.ty, 1u64);
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
    pub fn hoist(
        &mut self,
        e: &Expression,
        truth: bool,
        level: Level,
        state: &mut State,
        out: &mut Output,
    ) -> Expression {
        let ty = if truth { self.fresh.int } else { e.ty.ty };
        let name = if truth { "taken" } else { "bound" };
        let symbol = self.fresh.variable(self.oracle.unit(), name, ty, e.span);
        out.statements.push(Statement {
            kind: StatementKind::Declaration(vec![LocalDeclaration {
                symbol,
                initializer: None,
                lengths: Vec::new(),
                span: e.span,
            }]),
            span: e.span,
        });
        self.assign_broadcast(symbol, e, truth, level, state, out)
    }

    /// One thread assigns the value of an expression to a variable of all.
    fn assign_broadcast(
        &mut self,
        symbol: SymbolId,
        e: &Expression,
        truth: bool,
        level: Level,
        state: &mut State,
        out: &mut Output,
    ) -> Expression {
        let effects = self.oracle.expression(e);
        let footprint = self.footprint(&effects);
        self.wait_for(&footprint, Who::One, level, state, out, e.span);
        let ty = if truth { self.fresh.int } else { e.ty.ty };
        let variable = Expression {
            kind: ExpressionKind::Symbol(symbol),
            ty: QualType::plain(ty),
            span: e.span,
        };
        let value = if truth {
            synthesis::truth(e.clone(), self.fresh.int)
        } else {
            e.clone()
        };
        let assignment = Statement {
            kind: StatementKind::Expression(Some(synthesis::assign(variable.clone(), value))),
            span: e.span,
        };
        let mut broadcast = self.broadcast(std::slice::from_ref(&Statement {
            kind: StatementKind::Expression(Some(e.clone())),
            span: e.span,
        }));
        broadcast.push(symbol);
        out.statements.push(Statement {
            kind: StatementKind::Single {
                level,
                body: vec![assignment],
                broadcast,
            },
            span: e.span,
        });
        *state = State::default();
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
            let kind = ExpressionKind::Index(Box::new(target.clone()), Box::new(index));
            let mut ty = *element;
            ty.qualifiers.is_const = false;
            elements(unit, Expression { kind, ty, span }, named(k), int, out);
        }
        return;
    }
    let value = match value {
        Some(Initializer::Expression(value)) => value.clone(),
        _ => synthesis::integer(0, int, span),
    };
    let kind = StatementKind::Expression(Some(synthesis::assign(target, value)));
    out.push(Statement { kind, span });
}

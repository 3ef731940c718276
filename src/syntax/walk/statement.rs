//! Statements (6.8), and what labels and directives belong to.

use pest::iterators::{Pair, Pairs};

use super::declaration::{Declared, is_attribute_statement};
use super::{Node, Walk, Walker};
use crate::ast::{
    BlockItem, CompoundStatement, Directive, Expression, ForInitializer, ForStatement, Identifier,
    Statement, StatementKind,
};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::syntax::grammar::Rule;

/// What waits for the statement behind it.
enum Lead {
    Label(Identifier),
    Case(Expression, Option<Expression>, Span),
    Default(Span),
    Directive(Box<Directive<Expression>>),
}

impl<'t> Walker<'t, '_> {
    /// `{ … }` as a scope.
    pub(super) fn compound(&mut self, node: Node<'t>) -> Walk<CompoundStatement> {
        let span = self.span(&node);
        self.enter(1, span)?;
        self.scope.open();
        let block = self.block(node)?;
        self.scope.close();
        self.leave(1);
        Ok(block)
    }

    /// `{ … }` in the scope that is open.
    pub(super) fn block(&mut self, node: Node<'t>) -> Walk<CompoundStatement> {
        Ok(CompoundStatement {
            span: self.span(&node),
            local_labels: self.local_labels(&node),
            items: self.block_items(node.into_inner())?,
        })
    }

    /// What `__label__` declares at the start of a block.
    fn local_labels(&self, block: &Node<'t>) -> Vec<Identifier> {
        let declarations = block
            .clone()
            .into_inner()
            .take_while(|node| node.as_rule() == Rule::local_labels);
        declarations
            .flat_map(Pair::into_inner)
            .map(|name| self.identifier(&name))
            .collect()
    }

    /// The items of a block. An error in one is reported and the next is
    /// gone on with.
    fn block_items(&mut self, nodes: Pairs<'t, Rule>) -> Walk<Vec<BlockItem>> {
        let mut items = Vec::new();
        let mut leads = Vec::new();
        for node in nodes {
            let (scopes, depth) = (self.scope.depth(), self.depth);
            if let Err(diagnostic) = self.block_item(node, &mut leads, &mut items) {
                self.abandon(*diagnostic, scopes, depth);
                leads.clear();
            }
        }
        self.end_leads(&mut leads, &mut items);
        Ok(runs(items))
    }

    fn block_item(
        &mut self,
        node: Node<'t>,
        leads: &mut Vec<Lead>,
        items: &mut Vec<BlockItem>,
    ) -> Walk<()> {
        let span = self.span(&node);
        let levels = leads.len() + 1;
        self.enter(levels, span)?;
        match node.as_rule() {
            Rule::local_labels => {}
            Rule::label | Rule::case_label => leads.push(self.label(node)?),
            Rule::directive => self.directive_item(node, leads, items),
            Rule::static_assert => {
                self.end_leads(leads, items);
                items.push(BlockItem::StaticAssert(self.static_assert(node)?));
            }
            Rule::declaration => match self.declaration(node)? {
                Declared::Expression(expression, span) => {
                    let kind = StatementKind::Expression(Some(expression));
                    let statement = Statement { kind, span };
                    items.push(BlockItem::Statement(led(leads, statement)));
                }
                Declared::Declaration(declaration) if is_attribute_statement(&declaration) => {
                    let kind = StatementKind::Expression(None);
                    let statement = Statement { kind, span };
                    items.push(BlockItem::Statement(led(leads, statement)));
                }
                Declared::Declaration(declaration) => {
                    self.end_leads(leads, items);
                    items.push(BlockItem::Declaration(Box::new(declaration)));
                }
                Declared::Function(function) => {
                    self.end_leads(leads, items);
                    items.push(BlockItem::Function(Box::new(function)));
                }
            },
            Rule::expression_statement if self.reads_as_declaration(&node) => {
                let node = self.reparse(Rule::declaration_unit, span)?;
                self.block_item(node, leads, items)?;
            }
            _ => {
                let statement = self.core_statement(node)?;
                items.push(BlockItem::Statement(led(leads, statement)));
            }
        }
        self.leave(levels);
        Ok(())
    }

    /// A directive among the items of a block.
    fn directive_item(
        &mut self,
        node: Node<'t>,
        leads: &mut Vec<Lead>,
        items: &mut Vec<BlockItem>,
    ) {
        let Some(directive) = self.directive(node) else {
            return;
        };
        if directive.takes_statement() {
            leads.push(Lead::Directive(Box::new(directive)));
            return;
        }
        let is_unknown = directive.is_unknown();
        let span = directive.span;
        let kind = StatementKind::Directive(Box::new(directive), None);
        let statement = Statement { kind, span };
        if is_unknown {
            items.push(BlockItem::Statement(statement));
            return;
        }
        self.drop_leading_directives(leads);
        items.push(BlockItem::Statement(led(leads, statement)));
    }

    /// Whether an expression statement begins with a typedef name, as in
    /// `T (x);`.
    fn reads_as_declaration(&self, node: &Node<'t>) -> bool {
        let first = node.clone().into_inner().next();
        let first = first.and_then(|expression| expression.into_inner().next());
        first.is_some_and(|first| {
            first.as_rule() == Rule::identifier && self.scope.is_typedef(first.as_str())
        })
    }

    /// A label, `case` or `default`.
    fn label(&mut self, node: Node<'t>) -> Walk<Lead> {
        let span = self.span(&node);
        let is_case = node.as_rule() == Rule::case_label;
        let mut parts = node.into_inner();
        let Some(first) = parts.next() else {
            return Ok(Lead::Default(span));
        };
        if !is_case {
            return Ok(Lead::Label(self.identifier(&first)));
        }
        let low = self.expression(first)?;
        let high = match parts.next() {
            Some(high) => Some(self.expression(high)?),
            None => None,
        };
        Ok(Lead::Case(low, high, span))
    }

    /// What waits where no statement follows: labels get an empty one (as
    /// C23 has it), directives an error.
    fn end_leads(&mut self, leads: &mut Vec<Lead>, items: &mut Vec<BlockItem>) {
        self.drop_leading_directives(leads);
        let end = match leads.last() {
            None => return,
            Some(Lead::Label(name)) => name.span.end,
            Some(Lead::Case(_, _, span) | Lead::Default(span)) => span.end,
            Some(Lead::Directive(directive)) => directive.span.end,
        };
        let statement = Statement {
            kind: StatementKind::Expression(None),
            span: Span::new(end, end),
        };
        items.push(BlockItem::Statement(led(leads, statement)));
    }

    /// Reports and forgets the directives that no statement follows.
    fn drop_leading_directives(&mut self, leads: &mut Vec<Lead>) {
        leads.retain(|lead| {
            if let Lead::Directive(directive) = lead {
                self.diagnostics.push(no_statement(directive));
            }
            !matches!(lead, Lead::Directive(_))
        });
    }

    /// The body of `if`, a loop or `switch`, with its labels and directives.
    pub(super) fn statement(&mut self, node: Node<'t>) -> Walk<Statement> {
        let span = self.span(&node);
        let mut leads = Vec::new();
        let parts = node.into_inner();
        let levels = parts.len();
        self.enter(levels, span)?;
        let mut statement = Statement {
            kind: StatementKind::Expression(None),
            span,
        };
        for part in parts {
            match part.as_rule() {
                Rule::label | Rule::case_label => leads.push(self.label(part)?),
                Rule::directive => match self.directive(part) {
                    Some(directive) if directive.takes_statement() => {
                        leads.push(Lead::Directive(Box::new(directive)));
                    }
                    Some(directive) => self.diagnostics.push(not_a_body(&directive)),
                    None => {}
                },
                _ => statement = self.core_statement(part)?,
            }
        }
        let statement = led(&mut leads, statement);
        self.leave(levels);
        Ok(statement)
    }

    /// A statement without what stands before it.
    fn core_statement(&mut self, node: Node<'t>) -> Walk<Statement> {
        let span = self.span(&node);
        let kind = match node.as_rule() {
            Rule::expression_statement => {
                StatementKind::Expression(self.optional(node.into_inner().next())?)
            }
            Rule::compound_statement => StatementKind::Compound(self.compound(node)?),
            Rule::if_statement => return self.if_statement(node),
            Rule::for_statement => StatementKind::For(Box::new(self.for_statement(node, span)?)),
            Rule::while_statement => {
                let (condition, body) = self.head_and_body(node, span)?;
                StatementKind::While(condition, body)
            }
            Rule::switch_statement => {
                let (value, body) = self.head_and_body(node, span)?;
                StatementKind::Switch(value, body)
            }
            Rule::do_statement => {
                let mut parts = node.into_inner();
                let body = self.next_statement(parts.next(), span)?;
                let condition = self.required(parts.next(), span)?;
                StatementKind::DoWhile(Box::new(body), condition)
            }
            Rule::return_statement => {
                StatementKind::Return(self.optional(node.into_inner().next())?)
            }
            Rule::break_statement => StatementKind::Break,
            Rule::continue_statement => StatementKind::Continue,
            Rule::goto_statement => self.goto_statement(node)?,
            Rule::assembly => StatementKind::Assembly,
            _ => return Err(super::expected("a statement", span)),
        };
        Ok(Statement { kind, span })
    }

    fn optional(&mut self, node: Option<Node<'t>>) -> Walk<Option<Expression>> {
        node.map(|node| self.expression(node)).transpose()
    }

    /// An expression that has to be there.
    pub(super) fn required(&mut self, node: Option<Node<'t>>, span: Span) -> Walk<Expression> {
        let node = node.ok_or_else(|| super::expected("an expression", span))?;
        self.expression(node)
    }

    fn next_statement(&mut self, node: Option<Node<'t>>, span: Span) -> Walk<Statement> {
        let node = node.ok_or_else(|| super::expected("a statement", span))?;
        self.statement(node)
    }

    fn head_and_body(&mut self, node: Node<'t>, span: Span) -> Walk<(Expression, Box<Statement>)> {
        let mut parts = node.into_inner();
        let head = self.required(parts.next(), span)?;
        let body = self.next_statement(parts.next(), span)?;
        Ok((head, Box::new(body)))
    }

    fn goto_statement(&mut self, node: Node<'t>) -> Walk<StatementKind> {
        let target = node
            .into_inner()
            .find(|part| part.as_rule() != Rule::goto_word);
        match target {
            Some(target) if target.as_rule() == Rule::identifier => {
                Ok(StatementKind::Goto(self.identifier(&target)))
            }
            target => {
                let target = self.required(target, Span::default())?;
                Ok(StatementKind::ComputedGoto(target))
            }
        }
    }

    /// `if`, with its chain of `else if` built from the last arm backwards.
    fn if_statement(&mut self, node: Node<'t>) -> Walk<Statement> {
        let span = self.span(&node);
        let parts = node.into_inner();
        let levels = parts.len();
        self.enter(levels, span)?;
        let mut arms = Vec::new();
        let mut last = None;
        let mut parts = parts;
        let condition = self.required(parts.next(), span)?;
        let body = self.next_statement(parts.next(), span)?;
        arms.push((condition, body, span.start));
        for part in parts {
            let is_branch = part.as_rule() == Rule::else_branch;
            let mut inner = part.into_inner();
            if is_branch {
                last = Some(Box::new(self.next_statement(inner.next(), span)?));
                continue;
            }
            let start = inner
                .next()
                .map_or(span.start, |word| self.span(&word).start);
            let condition = self.required(inner.next(), span)?;
            let body = self.next_statement(inner.next(), span)?;
            arms.push((condition, body, start));
        }
        self.leave(levels);
        while let Some((condition, body, start)) = arms.pop() {
            let kind = StatementKind::If(condition, Box::new(body), last.take());
            let span = Span::new(start, span.end);
            let statement = Statement { kind, span };
            if arms.is_empty() {
                return Ok(statement);
            }
            last = Some(Box::new(statement));
        }
        Err(super::expected("a statement", span))
    }

    fn for_statement(&mut self, node: Node<'t>, span: Span) -> Walk<ForStatement> {
        self.scope.open();
        let mut initializer = ForInitializer::Expression(None);
        let mut condition = None;
        let mut step = None;
        let mut body = None;
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::for_initializer => initializer = self.for_initializer(part)?,
                Rule::for_condition => condition = self.optional(part.into_inner().next())?,
                Rule::for_step => step = self.optional(part.into_inner().next())?,
                _ => body = Some(self.statement(part)?),
            }
        }
        self.scope.close();
        Ok(ForStatement {
            initializer,
            condition,
            step,
            body: body.ok_or_else(|| super::expected("a statement", span))?,
        })
    }

    fn for_initializer(&mut self, node: Node<'t>) -> Walk<ForInitializer> {
        let span = self.span(&node);
        let is_declaration = self.reads_as_declaration(&node);
        let Some(mut inner) = node.into_inner().next() else {
            return Ok(ForInitializer::Expression(None));
        };
        if is_declaration {
            inner = self.reparse(Rule::declaration_unit, span)?;
        }
        if inner.as_rule() == Rule::expression {
            return Ok(ForInitializer::Expression(Some(self.expression(inner)?)));
        }
        match self.declaration(inner)? {
            Declared::Declaration(declaration) => {
                Ok(ForInitializer::Declaration(Box::new(declaration)))
            }
            Declared::Expression(expression, _) => Ok(ForInitializer::Expression(Some(expression))),
            Declared::Function(function) => Err(super::expected("a declaration", function.span)),
        }
    }
}

/// Puts what stands between two directives under the first ([`Directive::ended_by`]); one
/// whose end is missing, or that ends nothing, stays as it is.
fn runs(items: Vec<BlockItem>) -> Vec<BlockItem> {
    let mut done: Vec<BlockItem> = Vec::new();
    let mut begun: Vec<usize> = Vec::new();
    for item in items {
        done.push(item);
        let last = done.len() - 1;
        let Some(directive) = alone(&done[last]) else {
            continue;
        };
        let begins = directive.ended_by().is_some();
        let is_end = |&at: &usize| {
            let first = alone(&done[at]).and_then(Directive::ended_by);
            first.is_some_and(|end| directive.name_text() == end)
        };
        if begins {
            begun.push(last);
        } else if let Some(at) = begun.pop_if(|at| is_end(at)) {
            let body = done.split_off(at + 1);
            close(&mut done[at], body);
        }
    }
    done
}

/// The directive that an item is, without a body.
fn alone(item: &BlockItem) -> Option<&Directive<Expression>> {
    match item {
        BlockItem::Statement(Statement {
            kind: StatementKind::Directive(directive, None),
            ..
        }) => Some(directive),
        _ => None,
    }
}

/// Gives a directive the run that it begins.
fn close(first: &mut BlockItem, run: Vec<BlockItem>) {
    let (BlockItem::Statement(statement), Some(BlockItem::Statement(last))) = (first, run.last())
    else {
        return;
    };
    let span = Span::new(statement.span.end, last.span.end);
    statement.span = statement.span.to(span);
    if let StatementKind::Directive(_, body) = &mut statement.kind {
        let kind = StatementKind::Run(run);
        *body = Some(Box::new(Statement { kind, span }));
    }
}

/// Puts what waited before a statement, from the inside out.
fn led(leads: &mut Vec<Lead>, statement: Statement) -> Statement {
    let mut statement = statement;
    while let Some(lead) = leads.pop() {
        let end = statement.span.end;
        let body = Box::new(statement);
        let (kind, start) = match lead {
            Lead::Label(name) => {
                let start = name.span.start;
                (StatementKind::Labeled(name, body), start)
            }
            Lead::Case(low, high, span) => (StatementKind::Case(low, high, body), span.start),
            Lead::Default(span) => (StatementKind::Default(body), span.start),
            Lead::Directive(directive) => {
                let start = directive.span.start;
                (StatementKind::Directive(directive, Some(body)), start)
            }
        };
        statement = Statement {
            kind,
            span: Span::new(start, end),
        };
    }
    statement
}

/// The error for a directive at the end of a block or before a declaration.
pub(super) fn no_statement(directive: &Directive<Expression>) -> Diagnostic {
    let name = directive.name_text();
    let message = format!("directive `{name}` is not followed by a statement");
    let first = directive
        .clauses
        .first()
        .map(|clause| clause.name.value.as_str());
    let help = match (name.as_str(), first) {
        ("data", Some(direction @ ("enter" | "exit"))) => {
            format!("write `#pragma acc {direction} data`, which governs none")
        }
        _ => "it governs the statement or loop right behind it; braces make several statements one"
            .to_owned(),
    };
    Diagnostic::error(codes::DIRECTIVE_WITHOUT_STATEMENT, message, directive.span).help(help)
}

/// The error for a directive that stands alone as the body of a statement.
fn not_a_body(directive: &Directive<Expression>) -> Diagnostic {
    let name = directive.name_text();
    let message = format!("directive `{name}` cannot be the body of a statement");
    Diagnostic::error(codes::MISPLACED_DIRECTIVE, message, directive.span)
        .help("put it and what follows into braces")
}

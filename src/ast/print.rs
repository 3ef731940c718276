//! The tree as stable text, for `--emit ast` and for tests.
//!
//! S-expressions: a line for each declaration and statement, indented by
//! depth; expressions and types within their line. Types read from the name
//! outwards: `int *a[3]` is `(a (array 3) pointer)` of `int`. Directives keep
//! the shape of [`super::Directive`]: modifiers end in `:`, labels in `=`.

mod declaration;
mod expression;

use super::{
    Argument, ArgumentValue, Arguments, BlockItem, CompoundStatement, Directive, Expression,
    ExternalItem, ForInitializer, FunctionDefinition, Section, Statement, StatementKind,
    StaticAssert, TranslationUnit,
};

/// The text of a translation unit; every item ends with a newline.
pub fn print(unit: &TranslationUnit) -> String {
    let mut printer = Printer::default();
    for item in &unit.items {
        printer.external(item);
        printer.out.push('\n');
    }
    printer.out
}

/// The text of one expression.
pub fn print_expression(expression: &Expression) -> String {
    let mut printer = Printer::default();
    printer.expression(expression);
    printer.out
}

/// Text under construction.
#[derive(Default)]
struct Printer {
    out: String,
    indent: usize,
}

impl Printer {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn word(&mut self, text: &str) {
        self.out.push(' ');
        self.out.push_str(text);
    }

    /// A new line, one level deeper than the enclosing node.
    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..=self.indent {
            self.out.push_str("  ");
        }
    }

    /// `inner` on lines of its own, one level deeper.
    fn nested(&mut self, inner: impl FnOnce(&mut Self)) {
        self.line();
        self.indent += 1;
        inner(self);
        self.indent -= 1;
    }

    fn external(&mut self, item: &ExternalItem) {
        match item {
            ExternalItem::Function(function) => self.function(function),
            ExternalItem::Declaration(declaration) => self.declaration(declaration),
            ExternalItem::StaticAssert(assert) => self.static_assert(assert),
            ExternalItem::Assembly(_) => self.text("(asm)"),
            ExternalItem::Directive(directive) => {
                self.directive(directive);
                self.text(")");
            }
        }
    }

    fn function(&mut self, function: &FunctionDefinition) {
        self.text("(function ");
        self.specifiers(&function.specifiers);
        self.text(" ");
        self.declarator(&function.declarator);
        for declaration in &function.parameter_declarations {
            self.nested(|p| p.declaration(declaration));
        }
        self.block(&function.body);
        self.text(")");
    }

    fn static_assert(&mut self, assert: &StaticAssert) {
        self.text("(static-assert ");
        self.expression(&assert.condition);
        if let Some(message) = &assert.message {
            self.word(&message.pieces.join(" "));
        }
        self.text(")");
    }

    /// The items of a block, each on its line.
    fn block(&mut self, block: &CompoundStatement) {
        for item in &block.items {
            self.nested(|p| match item {
                BlockItem::Declaration(declaration) => p.declaration(declaration),
                BlockItem::StaticAssert(assert) => p.static_assert(assert),
                BlockItem::Statement(statement) => p.statement(statement),
                BlockItem::Function(function) => p.function(function),
            });
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Expression(None) => self.text("(empty"),
            StatementKind::Expression(Some(expression)) => self.expression_statement(expression),
            StatementKind::Compound(block) => {
                self.text("(block");
                self.block(block);
            }
            StatementKind::If(condition, then, otherwise) => {
                self.head("if", condition, then);
                if let Some(otherwise) = otherwise {
                    self.nested(|p| p.statement(otherwise));
                }
            }
            StatementKind::Switch(value, body) => self.head("switch", value, body),
            StatementKind::While(condition, body) => self.head("while", condition, body),
            StatementKind::DoWhile(body, condition) => self.head("do-while", condition, body),
            StatementKind::For(parts) => {
                self.text("(for ");
                match &parts.initializer {
                    ForInitializer::Expression(expression) => self.optional(expression.as_ref()),
                    ForInitializer::Declaration(declaration) => self.declaration(declaration),
                }
                self.text(" ");
                self.optional(parts.condition.as_ref());
                self.text(" ");
                self.optional(parts.step.as_ref());
                self.nested(|p| p.statement(&parts.body));
            }
            StatementKind::Labeled(label, body) => {
                self.text("(label ");
                self.text(&label.value);
                self.nested(|p| p.statement(body));
            }
            StatementKind::Case(low, high, body) => {
                self.text("(case ");
                self.expression(low);
                if let Some(high) = high {
                    self.text(" ... ");
                    self.expression(high);
                }
                self.nested(|p| p.statement(body));
            }
            StatementKind::Default(body) => {
                self.text("(default");
                self.nested(|p| p.statement(body));
            }
            StatementKind::Directive(directive, body) => {
                self.directive(directive);
                if let Some(body) = body {
                    self.nested(|p| p.statement(body));
                }
            }
            jump => self.jump(jump),
        }
        self.text(")");
    }

    /// Statements that are one line without a body.
    fn jump(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Goto(label) => {
                self.text("(goto ");
                self.text(&label.value);
            }
            StatementKind::ComputedGoto(target) => {
                self.text("(goto * ");
                self.expression(target);
            }
            StatementKind::Continue => self.text("(continue"),
            StatementKind::Break => self.text("(break"),
            StatementKind::Return(None) => self.text("(return"),
            StatementKind::Return(Some(value)) => {
                self.text("(return ");
                self.expression(value);
            }
            _ => self.text("(asm"),
        }
    }

    fn expression_statement(&mut self, expression: &Expression) {
        self.text("(do ");
        self.expression(expression);
    }

    /// A keyword with its expression and body.
    fn head(&mut self, keyword: &str, expression: &Expression, body: &Statement) {
        self.text("(");
        self.text(keyword);
        self.text(" ");
        self.expression(expression);
        self.nested(|p| p.statement(body));
    }

    /// An expression, or `_` for none.
    fn optional(&mut self, expression: Option<&Expression>) {
        match expression {
            Some(expression) => self.expression(expression),
            None => self.text("_"),
        }
    }

    /// A directive without its closing parenthesis, since a body may follow.
    fn directive(&mut self, directive: &Directive<Expression>) {
        self.text("(directive ");
        self.text(&directive.name_text());
        if let Some(arguments) = &directive.arguments {
            self.arguments(arguments);
        }
        for clause in &directive.clauses {
            self.word(&clause.name.value);
            if let Some(arguments) = &clause.arguments {
                self.arguments(arguments);
            }
        }
    }

    fn arguments(&mut self, arguments: &Arguments<Expression>) {
        self.text("(");
        for modifier in &arguments.modifiers {
            self.text(&modifier.value);
            self.text(": ");
        }
        for (index, argument) in arguments.items.iter().enumerate() {
            if index > 0 {
                self.text(", ");
            }
            self.argument(argument);
        }
        self.text(")");
    }

    fn argument(&mut self, argument: &Argument<Expression>) {
        if let Some(label) = &argument.label {
            self.text(&label.value);
            self.text("=");
        }
        match &argument.value {
            ArgumentValue::Name { name, .. } => self.text(&name.value),
            ArgumentValue::Expression(expression) => self.expression(expression),
            ArgumentValue::Section(section) => self.section(section),
            ArgumentValue::Star => self.text("*"),
        }
    }

    fn section(&mut self, section: &Section<Expression>) {
        self.expression(&section.base);
        for dimension in &section.dimensions {
            self.text("[");
            for (index, part) in dimension.parts.iter().enumerate() {
                if index > 0 {
                    self.text(":");
                }
                if let Some(part) = part {
                    self.expression(part);
                }
            }
            self.text("]");
        }
    }
}

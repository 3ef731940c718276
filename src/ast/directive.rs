//! Directives of all dialects, in one shape.
//!
//! The shape is that of OpenACC (specification 3.3, section 1.6 and 2.1):
//! words that name the directive, an optional parenthesised argument list,
//! and clauses. hiCUDA's operands stand there without parentheses. Which words and
//! clauses exist, and what an argument must look
//! like, is the business of the dialect's front end; the syntax stage only
//! takes the text apart, so that an unknown clause gets a good message there.
//!
//! `E` is the expression type: [`super::Expression`] after parsing,
//! [`crate::typed::Expression`] after semantic analysis, which resolves the
//! names in the scope where the directive stands.

use crate::source::{Span, Spanned};

/// Names a directive of one file, and of the unit that it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DirectiveId(pub u32);

/// Whose directive it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `#pragma acc`.
    OpenAcc,
    /// `#pragma hicuda`.
    HiCuda,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::OpenAcc, Self::HiCuda];
    /// What their pragmas begin with, in order.
    pub const PREFIXES: [&str; 2] = ["acc", "hicuda"];

    /// The one whose pragmas begin with a word.
    pub fn of_prefix(prefix: &str) -> Option<Self> {
        let position = Self::PREFIXES.iter().position(|&own| own == prefix)?;
        Some(Self::ALL[position])
    }

    /// What its pragmas begin with.
    pub fn prefix(self) -> &'static str {
        Self::PREFIXES[self as usize]
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAcc => "OpenACC",
            Self::HiCuda => "hiCUDA",
        }
    }
}

/// A directive.
#[derive(Clone, Debug)]
pub struct Directive<E> {
    /// Whose it is.
    pub dialect: Dialect,
    /// Which one of the file it is, in the order of reading. Copies of a
    /// statement share it.
    pub id: DirectiveId,
    /// The words before the first clause: `["parallel", "loop"]`,
    /// `["enter", "data"]`, `["fcw_barrier"]`.
    pub name: Vec<Spanned<String>>,
    /// What stands in parentheses right behind the name: `cache(…)`,
    /// `wait(…)`, `routine(…)`.
    pub arguments: Option<Arguments<E>>,
    /// The clauses in order.
    pub clauses: Vec<Clause<E>>,
    /// The pragma token in the preprocessed text, from its first to its last
    /// marker; the source map turns it into the directive's exact bytes.
    pub span: Span,
    /// Whether clauses are left out that cannot be read, of which enough was said: what it does is not
    /// known.
    pub is_partial: bool,
}

/// The place of a clause's name in a directive, and the names that it is near to.
pub type Misspelt = (Span, Vec<&'static str>);

/// A clause, `name` or `name(arguments)`.
#[derive(Clone, Debug)]
pub struct Clause<E> {
    /// As spelled: `pcopyin`, `present_or_copyin` and `copyin` stay apart.
    pub name: Spanned<String>,
    /// `None` without parentheses.
    pub arguments: Option<Arguments<E>>,
    /// Its items name copies that the directive makes: what they are copies of is
    /// neither read nor written. Said by the front end that knows the clause.
    pub names_copies: bool,
    /// From the name to the closing parenthesis.
    pub span: Span,
}

/// What stands between the parentheses of a clause.
#[derive(Clone, Debug)]
pub struct Arguments<E> {
    /// The part before a leading `:`, such as `readonly`, `zero`, `force`,
    /// `devnum`, or the operator of a reduction (`+`, `max`, `&&`); several
    /// where commas or colons separate them (`readonly,zero:`,
    /// `devnum: 0: queues:` gives `devnum`, then its own argument label).
    pub modifiers: Vec<Spanned<String>>,
    /// The list.
    pub items: Vec<Argument<E>>,
    /// With the parentheses.
    pub span: Span,
}

/// One item of an argument list.
#[derive(Clone, Debug)]
pub struct Argument<E> {
    /// `num`, `dim`, `static`, `length`, `devnum`, … before a `:`.
    pub label: Option<Spanned<String>>,
    /// The value.
    pub value: ArgumentValue<E>,
    /// The whole.
    pub span: Span,
}

/// The forms of an argument.
#[derive(Clone, Debug)]
pub enum ArgumentValue<E> {
    /// A lone identifier: a variable, or a keyword of the clause. `symbol` is
    /// the expression that names it if it is declared in scope; the syntax
    /// stage leaves it `None`.
    Name {
        /// The identifier.
        name: Spanned<String>,
        /// What it refers to.
        symbol: Option<E>,
    },
    /// Any other expression.
    Expression(E),
    /// An expression followed by brackets with at least one colon or an
    /// omitted bound: `a[0:n]`, `a[:n][2]`, `s->p[0:n]`.
    Section(Section<E>),
    /// `*`, as in `tile(*)` or `gang(static: *)`.
    Star,
}

/// A section of an array: a base and a range per dimension.
#[derive(Clone, Debug)]
pub struct Section<E> {
    /// The array or pointer.
    pub base: E,
    /// The brackets, outermost dimension first.
    pub dimensions: Vec<SectionDimension<E>>,
    /// The whole.
    pub span: Span,
}

/// One pair of brackets: the parts between the colons.
///
/// `[i]` has one part, `[lower:length]` two, fcw's `[pivot:before:after]`
/// three or a multiple of three. An omitted part is `None`; hiCUDA's `[*]` has
/// no parts.
#[derive(Clone, Debug)]
pub struct SectionDimension<E> {
    /// The parts in order.
    pub parts: Vec<Option<E>>,
    /// The brackets.
    pub span: Span,
}

/// Turns the expressions of a directive from one stage's form into another's.
pub trait Resolver<E, F> {
    /// An expression.
    fn expression(&mut self, expression: &E) -> F;
    /// A part of a section's dimension.
    fn bound(&mut self, expression: &E) -> F;
    /// A lone name: what it refers to, if it is declared in scope.
    fn name(&mut self, name: &Spanned<String>) -> Option<F>;
}

impl<E> Directive<E> {
    /// The name as one string, words separated by blanks.
    pub fn name_text(&self) -> String {
        let words: Vec<&str> = self.name.iter().map(|word| word.value.as_str()).collect();
        words.join(" ")
    }

    /// Whether the directive governs the statement after it.
    ///
    /// Standalone directives of OpenACC 3.3 are `enter data`, `exit data`, `update`, `wait`, `init`, `shutdown`,
    /// `set`, `declare`, `routine`, `cache`, and this project's
    /// `fcw_barrier`. Unknown names stand alone, so that parsing goes on.
    pub fn takes_statement(&self) -> bool {
        let first = self.name.first().map_or("", |first| &first.value);
        match self.dialect {
            Dialect::OpenAcc => matches!(
                first,
                "parallel"
                    | "kernels"
                    | "serial"
                    | "data"
                    | "loop"
                    | "host_data"
                    | "atomic"
                    | "fcw"
            ),
            Dialect::HiCuda => first == "loop_partition",
        }
    }

    /// Whether OpenACC has no directive of this name, so that what stands before it may
    /// still find its statement.
    pub fn is_unknown(&self) -> bool {
        let first = self.name.first().map_or("", |first| &first.value);
        let stands_alone = matches!(
            first,
            "enter"
                | "exit"
                | "update"
                | "wait"
                | "init"
                | "shutdown"
                | "set"
                | "declare"
                | "routine"
                | "cache"
                | "fcw_barrier"
        );
        self.dialect == Dialect::OpenAcc && !stands_alone && !self.takes_statement()
    }

    /// The name of the directive that ends what this one begins: statements of
    /// the block that both stand in, which are no scope of their own.
    pub fn ended_by(&self) -> Option<&'static str> {
        if self.dialect != Dialect::HiCuda {
            return None;
        }
        match self.name.first()?.value.as_str() {
            "kernel" => Some("kernel_end"),
            "singular" => Some("singular_end"),
            _ => None,
        }
    }

    /// Calls `change` on the expressions in it, what lone names refer to included.
    pub fn change(&mut self, change: &mut dyn FnMut(&mut E)) {
        let clauses = self.clauses.iter_mut().map(|clause| &mut clause.arguments);
        let lists = std::iter::once(&mut self.arguments).chain(clauses);
        for item in lists.flatten().flat_map(|arguments| &mut arguments.items) {
            match &mut item.value {
                ArgumentValue::Name { symbol, .. } => symbol.iter_mut().for_each(&mut *change),
                ArgumentValue::Expression(e) => change(e),
                ArgumentValue::Section(section) => {
                    change(&mut section.base);
                    let dimensions = section.dimensions.iter_mut();
                    let parts = dimensions.flat_map(|d| d.parts.iter_mut().flatten());
                    parts.for_each(&mut *change);
                }
                ArgumentValue::Star => {}
            }
        }
    }

    /// The same directive with its expressions and lone names resolved.
    pub fn map<F>(&self, resolver: &mut impl Resolver<E, F>) -> Directive<F> {
        Directive {
            dialect: self.dialect,
            id: self.id,
            name: self.name.clone(),
            arguments: self.arguments.as_ref().map(|a| a.map(resolver)),
            clauses: self
                .clauses
                .iter()
                .map(|clause| Clause {
                    name: clause.name.clone(),
                    arguments: clause.arguments.as_ref().map(|a| a.map(resolver)),
                    names_copies: clause.names_copies,
                    span: clause.span,
                })
                .collect(),
            span: self.span,
            is_partial: self.is_partial,
        }
    }
}

impl<E> Arguments<E> {
    fn map<F>(&self, resolver: &mut impl Resolver<E, F>) -> Arguments<F> {
        Arguments {
            modifiers: self.modifiers.clone(),
            items: self
                .items
                .iter()
                .map(|item| Argument {
                    label: item.label.clone(),
                    value: item.value.map(resolver),
                    span: item.span,
                })
                .collect(),
            span: self.span,
        }
    }
}

impl<E> ArgumentValue<E> {
    fn map<F>(&self, resolver: &mut impl Resolver<E, F>) -> ArgumentValue<F> {
        match self {
            Self::Name { name, .. } => ArgumentValue::Name {
                name: name.clone(),
                symbol: resolver.name(name),
            },
            Self::Expression(e) => ArgumentValue::Expression(resolver.expression(e)),
            Self::Section(section) => ArgumentValue::Section(Section {
                base: resolver.expression(&section.base),
                dimensions: section
                    .dimensions
                    .iter()
                    .map(|dimension| SectionDimension {
                        parts: dimension
                            .parts
                            .iter()
                            .map(|part| part.as_ref().map(|e| resolver.bound(e)))
                            .collect(),
                        span: dimension.span,
                    })
                    .collect(),
                span: section.span,
            }),
            Self::Star => ArgumentValue::Star,
        }
    }
}

//! OpenMP directives in the text that the host runs.
//!
//! Input: what `host_cores` decided. Output: directives and where they go.
//!
//! ```text
//! for (int i = 0; i < n; i++)       ->    #pragma omp parallel for
//!     x[i] *= 2;                          for (int i = 0; i < n; i++)
//!                                             x[i] *= 2;
//! ```
//! Where code stands before the loop on its line, and where `#line` marks count lines, the
//! directive is a `_Pragma`.

use std::ops::Range;

use super::Host;
use super::edit::{Edits, Insertion};
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{
    CoreAtomic, CoreLoop, CoreShare, Reduction, ReductionOperator as R, Region, RegionId,
};
use crate::source::{Alignment, Span};
use crate::typed::print::{C, Printer};
use crate::typed::{QualType, SymbolId, Type};

/// Reductions that the file declares, since OpenMP's may take a NaN for the larger number, or the
/// other way round: their names, how two values come to one, and the first of those.
const DECLARED: [(&str, &str, &str); 4] = [
    (
        "accrs_max",
        "omp_in > omp_out ? omp_in : omp_out",
        "-__builtin_inf()",
    ),
    (
        "accrs_min",
        "omp_in < omp_out ? omp_in : omp_out",
        "__builtin_inf()",
    ),
    // Each number takes the place of a NaN.
    (
        "accrs_fmax",
        "__builtin_fmax(omp_out, omp_in)",
        "__builtin_nan(\"\")",
    ),
    (
        "accrs_fmin",
        "__builtin_fmin(omp_out, omp_in)",
        "__builtin_nan(\"\")",
    ),
];

/// What the file needs for its directives.
#[derive(Debug, Default)]
pub struct Directives {
    /// Where the tokens of constructs and functions stand in the file.
    known: Alignment,
    /// The atomic accesses of functions have their directives, without which cores would race.
    functions_are_safe: bool,
}

impl Host<'_> {
    /// Gives the atomic accesses of device functions their directives.
    pub(super) fn share_functions(&self, edits: &mut Edits<'_>) -> Directives {
        if !self.options.multicore {
            return Directives::default();
        }
        let regions = self.module.regions.iter().filter_map(|region| region.body);
        let functions = self.module.core_atomics.iter().map(|atomic| atomic.span);
        let known = self.source.alignment(regions.chain(functions).collect());
        let atomics = self.module.core_atomics.iter();
        let insertions: Option<Vec<Insertion>> = atomics
            .map(|atomic| self.atomic(atomic, &known, edits))
            .collect();
        let functions_are_safe = insertions.is_some();
        for insertion in insertions.into_iter().flatten() {
            edits.put_in(insertion);
        }
        Directives {
            known,
            functions_are_safe,
        }
    }

    /// The directives of a construct, or why it has none and one core runs it.
    pub(super) fn share_region(
        &self,
        number: usize,
        region: &Region,
        directives: &Directives,
        edits: &Edits<'_>,
    ) -> Result<Vec<Insertion>, Diagnostic> {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let cores = self.module.cores.get(&RegionId(number));
        let Some((cores, body)) = cores.zip(region.body) else {
            return Ok(Vec::new());
        };
        if !cores.loops.iter().any(|l| l.threads) {
            return Ok(Vec::new());
        }
        let refused = |span: Span, why: &str| {
            let message = "one core of the host runs this construct";
            Diagnostic::remark(codes::LOOP_MAPPING, message, region.directive)
                .also(span, why)
                .data("decided", "one core")
                .data("why", why)
        };
        let mut foreign = self.source.foreign_pragmas().iter();
        if foreign.any(|p| body.start <= p.at && p.at < body.end && p.text.starts_with("omp")) {
            return Err(refused(body, "it has OpenMP's directives of its own"));
        }
        if !directives.functions_are_safe {
            let why = "a macro makes an atomic access of a function that it may call";
            return Err(refused(body, why));
        }
        let mut insertions = Vec::new();
        for l in &cores.loops {
            if self.has_unwritten(l, body) {
                return Err(refused(
                    l.header,
                    "it computes with a copy that its text does not name",
                ));
            }
            let text = self.directive(l);
            if let Some(name) = self.macros.replaced(&text, l.header.start).first() {
                let why =
                    format!("`{name}` is a macro here, and would not be itself in a directive");
                return Err(refused(l.header, &why));
            }
            let insertion = self.insertion(l.header, text, &directives.known, edits);
            let insertion = insertion.ok_or_else(|| refused(l.header, "a macro makes this loop"));
            insertions.push(insertion?);
        }
        for atomic in &cores.atomics {
            let insertion = self.atomic(atomic, &directives.known, edits);
            let why = "a macro makes this atomic access";
            insertions.push(insertion.ok_or_else(|| refused(atomic.span, why))?);
        }
        insertions.sort_by_key(|insertion| insertion.at);
        Ok(insertions)
    }

    /// A directive before the token that begins a span.
    fn insertion(
        &self,
        span: Span,
        text: String,
        known: &Alignment,
        edits: &Edits<'_>,
    ) -> Option<Insertion> {
        let at = self.source.start_in_file(known, span)?;
        let text = match edits.begins_line(at) && !self.options.line_marks {
            true => format!("#pragma {text}\n{}", edits.indent(at)),
            false => format!("_Pragma(\"{text}\") "),
        };
        Some(Insertion { at, text })
    }

    fn atomic(
        &self,
        atomic: &CoreAtomic,
        known: &Alignment,
        edits: &Edits<'_>,
    ) -> Option<Insertion> {
        let text = format!("omp atomic {}", atomic.form.name());
        self.insertion(atomic.span, text, known, edits)
    }

    /// Whether a loop's clauses have a variable that the text does not name.
    fn has_unwritten(&self, l: &CoreLoop, body: Span) -> bool {
        let range: Range<usize> = body.start as usize..body.end as usize;
        let text = self.source.text.get(range).unwrap_or_default();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let words: Vec<&str> = text.split(|c| !is_part(c)).collect();
        let variables = l.variables.iter().map(|(symbol, _)| *symbol);
        let all = variables.chain(l.reductions.iter().map(|r| r.symbol));
        let mut names = all.map(|symbol| self.unit.symbol(symbol).name.as_str());
        names.any(|name| !words.contains(&name))
    }

    /// `omp parallel for private(t) reduction(+: s)`
    fn directive(&self, l: &CoreLoop) -> String {
        let mut text = match (l.threads, l.lanes) {
            (true, true) => "omp parallel for simd".to_string(),
            (true, false) => "omp parallel for".to_string(),
            (false, _) => "omp simd".to_string(),
        };
        let conditions = l.conditions.iter();
        let conditions: Vec<String> = conditions
            .map(|one| Printer::text(self.unit, &C, one))
            .collect();
        if !conditions.is_empty() {
            text.push_str(&format!(" if({})", conditions.join(" && ")));
        }
        if l.collapsed > 0 {
            text.push_str(&format!(" collapse({})", l.collapsed + 1));
        }
        let shares = [
            ("private", CoreShare::Private),
            ("firstprivate", CoreShare::FirstPrivate),
            ("lastprivate", CoreShare::LastPrivate),
        ];
        // Without a first value, a loop of no iterations would leave any.
        let also = |own: CoreShare, share| {
            own == share || own == CoreShare::LastPrivate && share == CoreShare::FirstPrivate
        };
        for (clause, share) in shares {
            let own = l.variables.iter().filter(|(_, own)| also(*own, share));
            let names = self.names(own.map(|(symbol, _)| *symbol));
            if !names.is_empty() {
                text.push_str(&format!(" {clause}({names})"));
            }
        }
        let mut operators: Vec<&str> = Vec::new();
        for reduction in &l.reductions {
            let operator = self.operator(l, reduction);
            if !operators.contains(&operator) {
                operators.push(operator);
            }
        }
        for operator in operators {
            let mut own = l.reductions.clone();
            own.retain(|r| self.operator(l, r) == operator);
            let names = self.names(own.iter().map(|r| r.symbol));
            text.push_str(&format!(" reduction({operator}: {names})"));
        }
        text
    }

    /// What OpenMP, or the file's header, calls the operator of a reduction.
    fn operator(&self, l: &CoreLoop, reduction: &Reduction) -> &'static str {
        let element = self.unit.types.innermost(QualType::plain(reduction.ty));
        let is_integer = self.unit.types.is_integer(element.ty);
        let is_bool = matches!(self.unit.types.get(element.ty), Type::Bool);
        let [max, min, fmax, fmin] = DECLARED.map(|(name, ..)| name);
        match reduction.operator {
            // Of `_Bool`s, where GCC adds bytes.
            R::Sum | R::Max if is_bool => "||",
            R::Product | R::Min if is_bool => "&&",
            R::Max if l.threads && !is_integer => max,
            R::Min if l.threads && !is_integer => min,
            R::MaxNumber if !is_integer => fmax,
            R::MinNumber if !is_integer => fmin,
            operator => operator.spelling(),
        }
    }

    fn names(&self, symbols: impl Iterator<Item = SymbolId>) -> String {
        let names: Vec<String> = symbols.map(|symbol| self.symbol(symbol)).collect();
        names.join(", ")
    }

    /// The reductions that the file has to declare.
    pub(super) fn declared_reductions(&self) -> Vec<String> {
        let loops = self.module.cores.values().flat_map(|cores| &cores.loops);
        let used: Vec<&str> = loops
            .flat_map(|l| l.reductions.iter().map(|r| self.operator(l, r)))
            .collect();
        let needed = DECLARED.iter().filter(|(name, ..)| used.contains(name));
        needed
            .map(|(name, combined, first)| {
                format!(
                    "#pragma omp declare reduction({name} : float, double : omp_out = \\\n    \
                     {combined}) initializer(omp_priv = {first})"
                )
            })
            .collect()
    }
}

//! Global variables of the host program that device functions name.
//!
//! Each has a pointer in constant memory that the runtime sets while the
//! variable is present; a function that names it begins with a reference of
//! its name, so that its body stays as it was.
//!
//! ```text
//! double table[64];                 __constant__ accrs::Global<double [64]> table_global;
//! double f(int i)                   __device__ double f(int i)
//! {                                 {
//!                                       double (&table)[64] = *table_global;
//!     return table[i];                  return table[i];
//! }                                 }
//! ```

use super::Input;
use super::language::Cuda;
use crate::ir::{Statement, visit};
use crate::typed::print::Language;
use crate::typed::{ExpressionKind, QualType, SymbolId, Type, Unit, visit as typed_visit};

/// A variable as the host program announces it.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The variable.
    pub symbol: SymbolId,
    /// The function that takes its address.
    pub call: String,
}

/// A variable's texts, and the function that the host calls.
pub struct Text {
    /// The pointer in constant memory.
    pub declaration: String,
    /// The function that ties it to the host's variable.
    pub reach: String,
    /// What the host program calls.
    pub reached: Reached,
}

/// Prints what the file has for one variable, and notes its pointer's name.
pub fn emit(input: Input<'_>, cuda: &mut Cuda, id: SymbolId) -> Text {
    let symbol = input.unit.symbol(id);
    let global = cuda.fresh(&format!("{}_global", symbol.name));
    let owner = &input.linkage.owner;
    let call = cuda.fresh(&format!("{owner}_reaches_{}", symbol.name));
    cuda.globals.insert(id, global.clone());
    let ty = cuda.declare(input.unit, unrestricted(symbol.ty), "");
    Text {
        declaration: format!("static __constant__ accrs::Global<{ty}> {global};"),
        reach: format!(
            "extern \"C\" void {call}(const volatile void *host)\n\
             {{\n    accrs::reach({global}, host);\n}}"
        ),
        reached: Reached { symbol: id, call },
    }
}

/// The references that a function begins with.
pub fn references(unit: &Unit, cuda: &mut Cuda, body: &[Statement]) -> String {
    let mut out = String::new();
    for id in named(body, cuda) {
        let symbol = unit.symbol(id);
        if shares_its_name(unit, id) {
            let name = cuda.fresh(&format!("{}_here", symbol.name));
            cuda.names.insert(id, name);
        }
        let name = cuda.symbol(unit, id);
        let declarator = match unit.types.get(symbol.ty.ty) {
            Type::Array { .. } => format!("(&{name})"),
            _ => format!("&{name}"),
        };
        let declaration = cuda.declare(unit, unrestricted(symbol.ty), &declarator);
        out.push_str(&format!("    {declaration} = *{};\n", cuda.globals[&id]));
    }
    out
}

/// A type without `restrict`, which C++ compilers take in declarations alone.
fn unrestricted(mut ty: QualType) -> QualType {
    ty.qualifiers.is_restrict = false;
    ty
}

/// The variables with a pointer that statements name, in order of first use.
fn named(body: &[Statement], cuda: &Cuda) -> Vec<SymbolId> {
    let mut found = Vec::new();
    visit::expressions(body, &mut |root| {
        typed_visit::walk(root, &mut |e| {
            if let ExpressionKind::Symbol(id) = e.kind
                && cuda.globals.contains_key(&id)
                && !found.contains(&id)
            {
                found.push(id);
            }
        });
    });
    found
}

/// Whether a local variable somewhere has the name too: it may stand in the
/// same block as the reference.
fn shares_its_name(unit: &Unit, id: SymbolId) -> bool {
    let name = &unit.symbol(id).name;
    let same = |symbol: &&crate::typed::Symbol| symbol.name == *name && symbol.is_variable();
    unit.symbols.iter().filter(same).count() > 1
}

//! Private arrays in device memory: pointers to the copy of whoever runs the
//! code.

use super::body::Body;
use super::kernel::{pointer_parts, pointer_text};
use super::rows::Lengths;
use crate::ir::{Kernel, Module, PrivateArray, PrivateArrayOwner, Statement, visit};
use crate::typed::{LocalDeclaration, Qualifiers, SymbolId, Type, Unit};

/// The kernel's parameter for the copies of one array.
pub fn parameter(name: &str) -> String {
    format!("const accrs::Copies {name}")
}

/// Whether any code declares an array of variable length for which no launch
/// makes room: the heap of the device holds it.
pub fn uses_heap(unit: &Unit, module: &Module) -> bool {
    let declares = |body: &[Statement], private_arrays: &[PrivateArray]| {
        let declared = visit::declared(body);
        let mut without_room = declared
            .iter()
            .filter(|&&symbol| private_arrays.iter().all(|array| array.symbol != symbol));
        without_room.any(|&symbol| {
            let ty = unit.symbol(symbol).ty.ty;
            let is_array = matches!(unit.types.get(ty), Type::Array { .. });
            is_array && unit.types.is_variable_length(ty)
        })
    };
    let mut functions = module.functions.iter();
    let mut kernels = module.kernels.iter();
    functions.any(|function| declares(&function.body, &[]))
        || kernels.any(|kernel| declares(&kernel.body, &kernel.private_arrays))
}

impl Body<'_> {
    /// Says that a private array's copies reach the kernel as `copies`.
    pub fn private_array(&mut self, kernel: &Kernel, symbol: SymbolId, copies: &str) {
        let owner = kernel.private_array(symbol).and_then(|array| array.owner);
        let of = match owner {
            Some(PrivateArrayOwner::Grid) => "of_grid",
            Some(PrivateArrayOwner::Row) => "of_worker",
            Some(PrivateArrayOwner::Thread) => "of_thread",
            Some(PrivateArrayOwner::Block) | None => "of_gang",
        };
        self.private_arrays
            .insert(symbol, format!("{copies}.{of}()"));
        self.copies.insert(symbol, copies.to_owned());
        let is_array = matches!(
            self.unit.types.get(self.unit.symbol(symbol).ty.ty),
            Type::Array { .. }
        );
        if is_array {
            self.cuda.arrays.insert(symbol);
        }
    }

    /// The parameter with the copies of a private array.
    pub(super) fn copies_of(&self, symbol: SymbolId) -> String {
        self.copies.get(&symbol).cloned().unwrap_or_default()
    }

    /// `float *row = row_copies.of_gang();`
    pub(super) fn scratch_pointer(&mut self, symbol: SymbolId) {
        let Some(value) = self.private_arrays.get(&symbol).cloned() else {
            return;
        };
        self.declared.insert(symbol);
        let name = self.name(symbol);
        let ty = self.unit.symbol(symbol).ty;
        let (_, element) = pointer_parts(self.unit, ty.ty);
        let text = pointer_text(self.unit, self.cuda, (symbol, element), &name, false, false);
        self.lines.line(&format!("{text} = {value};"));
    }

    /// The declaration of an array whose copies are in device memory. Its
    /// lengths do not change, and need no names.
    pub(super) fn declare_scratch(&mut self, declaration: &LocalDeclaration) {
        self.scratch_pointer(declaration.symbol);
        if declaration.initializer.is_some() {
            self.refuse(
                "an array that the threads of a block share cannot have an initialiser",
                declaration.span,
            );
        }
    }

    /// An array of variable length that is a thread's own, and for which no launch
    /// makes room: in the device's heap, as long as its block runs.
    pub(super) fn own_array(&mut self, declaration: &LocalDeclaration) {
        let symbol = declaration.symbol;
        let ty = self.unit.symbol(symbol).ty;
        let Some(count) = self.cuda.elements(self.unit, ty.ty, Lengths::Long) else {
            return;
        };
        self.declared.insert(symbol);
        self.cuda.arrays.insert(symbol);
        let name = self.name(symbol);
        let memory = self.cuda.fresh(&format!("{name}_memory"));
        let (_, element) = pointer_parts(self.unit, ty.ty);
        let mut plain = element;
        plain.qualifiers = Qualifiers::default();
        let plain = self.cuda.declare_as(self.unit, symbol, plain, "");
        self.lines.line(&format!(
            "const accrs::OwnArray<{plain}> {memory}({count});"
        ));
        let text = pointer_text(self.unit, self.cuda, (symbol, element), &name, false, false);
        self.lines.line(&format!("{text} = {memory}.data();"));
    }
}

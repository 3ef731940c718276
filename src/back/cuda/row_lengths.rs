//! Parameters of kernels for lengths of rows.
//!
//! ```text
//! double (*u)[n]              Index(n), where the kernel has `n` of the launch
//! double (*u)[mesh->nx]       Index mesh_nx, what it was where the type is declared
//! double (*u)[2 * count()]    Index u_extent1
//! ```

use super::kernel::pointer_parts;
use super::language::Cuda;
use super::launcher::Launcher;
use crate::ir::{Kernel, Passing, PrivateArray, PrivateArraySize, RowLength, visit};
use crate::typed::print::Language;
use crate::typed::{ArrayLength, Expression, ExpressionKind, SymbolId, Type, Unit, VlaId};

/// Parameters for the run-time lengths of a captured array's rows.
pub fn of_array(
    unit: &Unit,
    cuda: &mut Cuda,
    kernel: &Kernel,
    symbol: SymbolId,
    parameters: &mut Vec<String>,
    launcher: &mut Launcher,
) {
    let name = cuda.symbol(unit, symbol);
    let is_indexed = cuda.index.arrays.contains(&symbol);
    let ty = match is_indexed {
        true => cuda.index.name.clone(),
        false => "long".to_string(),
    };
    let (lengths, _) = pointer_parts(unit, unit.symbol(symbol).ty.ty);
    for (depth, length) in lengths {
        let known = kernel.row_lengths.iter().find(|(own, _)| *own == length);
        let known = known.map(|(_, known)| *known);
        let has_type = |other: &VlaId| cuda.index.lengths.contains(other) == is_indexed;
        let first = match known {
            Some(RowLength::Same(first)) => Some(first),
            Some(RowLength::Elsewhere(_)) => Some(length),
            _ => None,
        };
        let first = first.filter(has_type);
        if let Some(RowLength::Variable(variable)) = known {
            let variable = cuda.symbol(unit, variable);
            cuda.lengths.insert(length, variable);
            cuda.own_lengths.insert(length);
        } else if let Some(RowLength::Computed) = known {
            let computed = cuda.text(unit, unit.length(length));
            cuda.lengths.insert(length, computed);
            cuda.own_lengths.insert(length);
        } else if let Some(extent) = first.and_then(|first| cuda.lengths.get(&first).cloned()) {
            cuda.lengths.insert(length, extent);
        } else {
            let extent = match known {
                Some(RowLength::Elsewhere(variable)) if !names(unit, kernel, variable) => {
                    cuda.symbol(unit, variable)
                }
                _ => match member_name(unit, unit.length(length)) {
                    Some(member) if !cuda.is_taken(&member) => cuda.fresh(&member),
                    _ => cuda.fresh(&format!("{name}_extent{depth}")),
                },
            };
            parameters.push(format!("{ty} {extent}"));
            launcher.extent(&extent, symbol, depth);
            cuda.lengths.insert(length, extent);
        }
        match is_indexed {
            true => cuda.index.lengths.insert(length),
            false => cuda.index.lengths.remove(&length),
        };
    }
    if is_indexed {
        let rows = in_launcher(unit, cuda, kernel, symbol);
        launcher.index(&name, &unit.symbol(symbol).name, &rows);
    }
}

/// The lengths of an array's rows as the launcher has them, which gets structs by address.
pub fn in_launcher(unit: &Unit, cuda: &Cuda, kernel: &Kernel, array: SymbolId) -> Vec<String> {
    let mut own = cuda.within();
    let is_struct = |symbol| matches!(unit.types.get(unit.symbol(symbol).ty.ty), Type::Record(_));
    let values = kernel.captures.iter();
    let values = values.filter(|capture| capture.passing == Passing::Value);
    let structs = values.map(|capture| capture.symbol);
    let structs = structs.filter(|&symbol| is_struct(symbol) && !cuda.constants.has(symbol));
    own.references.extend(structs);
    for (length, known) in &kernel.row_lengths {
        if *known == RowLength::Computed {
            let computed = own.text(unit, unit.length(*length));
            own.lengths.insert(*length, computed);
        }
    }
    own.rows_of(unit, array)
}

/// A name for what a length of rows was where its type is declared: `m_nx` of `m->nx`.
fn member_name(unit: &Unit, length: &Expression) -> Option<String> {
    match &length.inner().kind {
        ExpressionKind::Member {
            base,
            record,
            member,
            ..
        } => {
            let own = unit.types.record(*record).members.as_ref()?.get(*member)?;
            let base = match &base.inner().kind {
                ExpressionKind::Symbol(symbol) => unit.symbol(*symbol).name.clone(),
                _ => member_name(unit, base)?,
            };
            Some(format!("{base}_{}", own.name.as_ref()?))
        }
        _ => None,
    }
}

/// Whether a kernel has anything of a variable's name.
fn names(unit: &Unit, kernel: &Kernel, variable: SymbolId) -> bool {
    let name = &unit.symbol(variable).name;
    let mut is_named = false;
    let mut test = |id: SymbolId| is_named |= unit.symbol(id).name == *name;
    kernel.captures.iter().for_each(|one| test(one.symbol));
    kernel.privates.iter().copied().for_each(&mut test);
    visit::own_variables(&kernel.body)
        .into_iter()
        .for_each(&mut test);
    visit::loops(&kernel.body, &mut |l| {
        l.privates.iter().copied().for_each(&mut test)
    });
    visit::symbols(&kernel.body, &mut test);
    is_named
}

/// The lengths of the rows of a section that the device has alone; parameters for those that
/// the host computes.
pub fn of_section(
    unit: &Unit,
    cuda: &mut Cuda,
    symbol: SymbolId,
    parameters: &mut Vec<String>,
    launcher: &mut Launcher,
) -> Vec<String> {
    let mut rows = Vec::new();
    let mut ty = unit.types.pointee(unit.symbol(symbol).ty.ty);
    while let Some(Type::Array { element, length }) = ty.map(|ty| unit.types.get(ty.ty)) {
        rows.push(match length {
            ArrayLength::Variable(id) => {
                let name = format!("{}_row{}", unit.symbol(symbol).name, rows.len() + 1);
                let name = cuda.fresh(&name);
                parameters.push(format!("long {name}"));
                launcher.launch_value(&name, unit.length(*id));
                cuda.lengths.insert(*id, name.clone());
                format!("size_t({name})")
            }
            ArrayLength::Constant(n) => n.to_string(),
            ArrayLength::Incomplete | ArrayLength::Star => "0".to_string(),
        });
        ty = Some(*element);
    }
    rows
}

/// The same for a private array, unless the kernel declares it.
pub fn of_scratch(
    unit: &Unit,
    cuda: &mut Cuda,
    (kernel, array): (&Kernel, &PrivateArray),
    parameters: &mut Vec<String>,
    launcher: &mut Launcher,
) {
    if let PrivateArraySize::Part(part) = &array.size
        && let Some(original) = part.symbol
    {
        of_array(unit, cuda, kernel, original, parameters, launcher);
    }
}

//! `NAME.acc.cu`: types, functions, kernels and launchers in CUDA C++.
//!
//! Input: decided IR. Output: the file's text, and for each compute construct
//! what the host calls. Establishes: definitions come before uses, every
//! record's layout is asserted, lines stay within 100 columns.

mod body;
mod builtin;
mod function;
mod index;
mod kernel;
mod language;
mod launcher;
mod loops;
mod record;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use serde::Serialize;

pub use launcher::{Argument, Parameter};

use super::layout::wrap;
use super::namer::{Namer, identifier};
use super::template::Templates;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::{KernelId, Launch, Module, RegionKind, visit};
use crate::source::TranslationUnit;
use crate::typed::print::Language;
use crate::typed::{ExpressionKind, SymbolId, SymbolKind, TypeId, Unit};
use language::{Cuda, is_long_double};
use launcher::{Definition, Launcher};
use record::Records;

/// What the host program calls for one launch.
#[derive(Clone, Debug)]
pub struct Call {
    /// The launcher.
    pub name: String,
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
}

/// The kernel file, and the calls of each region (by index) in order.
pub struct KernelFile {
    /// The text of `NAME.acc.cu`.
    pub text: String,
    /// Calls by region.
    pub calls: HashMap<usize, Vec<Call>>,
}

#[derive(Serialize)]
struct Context {
    header: String,
    namespace: String,
    emulation_only: bool,
    declared: Vec<String>,
    records: Vec<String>,
    constants: Vec<String>,
    prototypes: Vec<String>,
    functions: Vec<String>,
    kernels: Vec<String>,
    launchers: Vec<String>,
}

/// Prints the kernel file.
///
/// # Errors
/// A template that lacks a key; what has no counterpart in CUDA goes to
/// `diagnostics`.
pub fn emit(
    module: &Module,
    unit: &Unit,
    source: &TranslationUnit,
    templates: &Templates,
    header: &str,
    diagnostics: &mut Diagnostics,
) -> Result<KernelFile, Diagnostic> {
    let mut cuda = Cuda::new(Namer::new(unit));
    let used = Used::collect(module, unit);
    let mut records = Records::default();
    for ty in &used.types {
        records.add(unit, *ty);
    }
    for id in records.declared.iter().chain(&records.defined) {
        if !cuda.records.contains_key(id) {
            let name = cuda.record_name(&record::wanted_name(unit, *id));
            cuda.records.insert(*id, name);
        }
    }
    let stem = source
        .file
        .path
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned());
    let namespace = cuda.fresh(&format!("{}_acc", identifier(&stem.unwrap_or_default())));
    let mut context = Context {
        header: header.to_string(),
        namespace: namespace.clone(),
        emulation_only: used.types.iter().any(|ty| is_long_double(unit, *ty)),
        declared: Vec::new(),
        records: Vec::new(),
        constants: function::constants(unit, &cuda, &used.constants, &used.globals, diagnostics),
        prototypes: Vec::new(),
        functions: Vec::new(),
        kernels: Vec::new(),
        launchers: Vec::new(),
    };
    for id in &records.declared {
        let keyword = if unit.types.record(*id).is_union {
            "union"
        } else {
            "struct"
        };
        context
            .declared
            .push(format!("{keyword} {};", cuda.record(unit, *id)));
    }
    for id in &records.defined {
        context
            .records
            .push(record::emit(unit, &cuda, templates, *id)?);
    }
    for device in &module.functions {
        let place = place(source, unit.symbol(device.symbol).span);
        let text = function::emit(unit, templates, &cuda, device, &place, diagnostics)?;
        context.prototypes.push(text.prototype);
        context.functions.push(text.definition);
    }
    let calls = emit_launches(
        module,
        unit,
        source,
        templates,
        &mut cuda,
        &mut context,
        diagnostics,
    )?;
    let text = limit_columns(&templates.render("kernel_file", &context)?);
    Ok(KernelFile { text, calls })
}

/// `file.c:12`, with the file's name alone.
fn place(source: &TranslationUnit, span: crate::source::Span) -> String {
    let location = source.location(span);
    let file = location.file.rsplit('/').next().unwrap_or(location.file);
    format!("{file}:{}", location.line)
}

/// Kernels and launchers of all compute constructs.
fn emit_launches(
    module: &Module,
    unit: &Unit,
    source: &TranslationUnit,
    templates: &Templates,
    cuda: &mut Cuda,
    context: &mut Context,
    diagnostics: &mut Diagnostics,
) -> Result<HashMap<usize, Vec<Call>>, Diagnostic> {
    let namespace = context.namespace.clone();
    let mut calls = HashMap::new();
    for (index, region) in module.regions.iter().enumerate() {
        let RegionKind::Compute { launches } = &region.kind else {
            continue;
        };
        let mut list = Vec::new();
        for launch in launches {
            let mut emit_kernel =
                |id: KernelId, suffix: &str, context: &mut Context, cuda: &mut Cuda| {
                    let kernel = module.kernel(id);
                    let line = source.location(kernel.span).line;
                    let function = &unit.symbol(kernel.function).name;
                    let base = format!("{function}_line{line}{suffix}");
                    let name = cuda.fresh(&format!("{base}_kernel"));
                    let comment = format!("{}: {}", place(source, kernel.directive), kernel.title);
                    let identity = kernel::Identity {
                        name: &name,
                        comment,
                    };
                    let emitted =
                        kernel::emit(unit, templates, cuda, kernel, &identity, diagnostics)?;
                    context.kernels.push(emitted.text);
                    let launcher_name = name.strip_suffix("_kernel").unwrap_or(&base).to_string();
                    Ok::<(String, Launcher), Diagnostic>((launcher_name, emitted.launcher))
                };
            let (name, launcher) = emit_kernel(launch.kernel, "", context, cuda)?;
            let other = match launch.alternative {
                Some(id) => Some(emit_kernel(id, "_sequential", context, cuda)?.1),
                None => None,
            };
            let name = cuda.fresh(name.trim_end_matches("_kernel"));
            let definition = Definition {
                name: &name,
                namespace: &namespace,
                launcher: &launcher,
                alternative: other
                    .as_ref()
                    .map(|other| (disjoint_pairs(unit, cuda, launch), other)),
            };
            context.launchers.push(definition.render(templates)?);
            list.push(Call {
                name: name.clone(),
                parameters: definition.parameters(),
            });
        }
        calls.insert(index, list);
    }
    Ok(calls)
}

fn disjoint_pairs(unit: &Unit, cuda: &Cuda, launch: &Launch) -> Vec<(String, String)> {
    let name = |id| cuda.symbol(unit, id);
    launch
        .disjoint
        .iter()
        .map(|(p, q)| (name(*p), name(*q)))
        .collect()
}

/// Breaks what templates made too long.
fn limit_columns(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.is_empty() {
            blank = true;
            continue;
        }
        // One empty line between parts, none after an opening brace.
        if blank && !out.is_empty() {
            out.push('\n');
        }
        blank = false;
        wrap(&mut out, trimmed.trim_end(), line.len() - trimmed.len());
    }
    out
}

/// What kernels and device functions mention.
#[derive(Default)]
struct Used {
    types: Vec<TypeId>,
    constants: Vec<SymbolId>,
    globals: Vec<SymbolId>,
}

impl Used {
    fn collect(module: &Module, unit: &Unit) -> Self {
        let mut used = Self::default();
        for kernel in &module.kernels {
            for capture in &kernel.captures {
                used.types.push(unit.symbol(capture.symbol).ty.ty);
            }
            let captured: Vec<SymbolId> = kernel.captures.iter().map(|c| c.symbol).collect();
            used.statements(unit, &kernel.body, &captured);
            for counts in kernel.grid.iter().flatten() {
                for e in [&counts.lower, &counts.bound, &counts.step] {
                    used.expression(unit, e, &captured);
                }
            }
        }
        for device in &module.functions {
            used.types.push(unit.symbol(device.symbol).ty.ty);
            used.statements(unit, &device.body, &[]);
        }
        used
    }

    fn statements(&mut self, unit: &Unit, list: &[crate::ir::Statement], captured: &[SymbolId]) {
        for symbol in visit::declared(list) {
            self.types.push(unit.symbol(symbol).ty.ty);
        }
        visit::expressions(list, &mut |e| self.expression(unit, e, captured));
    }

    fn expression(&mut self, unit: &Unit, e: &crate::typed::Expression, captured: &[SymbolId]) {
        crate::typed::visit::walk(e, &mut |e| {
            self.types.push(e.ty.ty);
            let ExpressionKind::Symbol(id) = e.kind else {
                return;
            };
            match unit.symbol(id).kind {
                SymbolKind::EnumConstant(_) if !self.constants.contains(&id) => {
                    self.constants.push(id);
                }
                SymbolKind::Variable(storage)
                    if storage != crate::typed::Storage::Automatic
                        && !captured.contains(&id)
                        && !self.globals.contains(&id) =>
                {
                    self.globals.push(id);
                }
                _ => {}
            }
        });
    }
}

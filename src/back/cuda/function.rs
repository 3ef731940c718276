//! Device functions and constants that kernels use.

use std::collections::HashSet;

use indexmap::IndexSet;

use super::body::Body;
use super::kernel::{comment, signature};
use super::language::Cuda;
use super::measured::Measured;
use super::shadows;
use super::{Input, place};
use crate::back::layout::{COLUMNS, of_line};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::usage::Usage;
use crate::ir::{DeviceFunction, Import, visit};
use crate::source::{Note, tokens_of};
use crate::typed::print::Language;
use crate::typed::{
    ArrayLength, Initializer, IntegerKind, QualType, Qualifiers, Symbol, SymbolId, SymbolKind,
    Type, TypeId, Unit, VlaId,
};

/// A function's declaration and definition.
pub struct Text {
    /// With a semicolon.
    pub prototype: String,
    /// With its comment.
    pub definition: String,
}

/// Who else has or knows a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Other files know it under its name, or have it.
    Program,
    /// No other file knows it, and others may have one of this name.
    File,
    /// Nothing has to be said.
    Unit,
}

/// What a function is declared with, before its semicolon or body: up to its name, and from that on.
fn declared(scope: Scope, result: &str, name: &str, parameters: &[String]) -> (String, String) {
    let linkage = match scope {
        Scope::Program => "extern \"C\" ",
        Scope::File => "static ",
        Scope::Unit => "",
    };
    let blank = if result.ends_with('*') { "" } else { " " };
    let before = format!("{linkage}__device__ {result}{blank}");
    let signature = signature(before.len(), name, parameters);
    (before, signature)
}

/// The head of a definition with the comments that the user has in it, where it is as he writes it.
fn commented_head(begin: &str, signature: &str, written: &[String]) -> Option<String> {
    let has_room = |line: &String| begin.len() + line.chars().count() <= COLUMNS;
    let is_as_written = tokens_of(&written.join("\n")) == tokens_of(signature);
    let margin = " ".repeat(begin.len());
    (is_as_written && written.iter().all(has_room))
        .then(|| begin.to_owned() + &written.join(&format!("\n{margin}")))
}

/// The lines of comments.
fn comments(notes: Vec<Note>) -> impl Iterator<Item = String> {
    let lines = notes.into_iter().map(|note| match note {
        Note::Comment(_, lines) => lines,
        Note::Blank => Vec::new(),
    });
    lines.flatten()
}

/// Prints a device function.
///
/// # Errors
/// A template that lacks a key.
pub fn emit(
    input: Input<'_>,
    cuda: &Cuda,
    device: &DeviceFunction,
    diagnostics: &mut Diagnostics,
) -> Result<Text, Diagnostic> {
    let Input { unit, source, .. } = input;
    let mut cuda = cuda.within();
    let symbol = unit.symbol(device.symbol);
    let name = cuda.symbol(unit, device.symbol);
    let Type::Function(ty) = unit.types.get(symbol.ty.ty) else {
        let message = format!("`{}` is not a function", symbol.name);
        return Err(Diagnostic::error(codes::NOT_CUDA, message, symbol.span));
    };
    let parameters = unit
        .function(device.symbol)
        .map(|f| f.parameters.clone())
        .unwrap_or_default();
    let mut texts = Vec::new();
    let mut lengths = Vec::new();
    for &parameter in &parameters {
        let ty = unit.symbol(parameter).ty;
        let name = cuda.symbol(unit, parameter);
        let rows = row_lengths(unit, ty.ty).into_iter();
        lengths.extend(rows.map(|(depth, length)| (format!("{name}_extent{depth}"), length)));
        let ty = declared_type(unit, parameter);
        texts.push(cuda.declare_as(unit, parameter, ty, &name));
    }
    let mut prologue = super::global::references(unit, &mut cuda, &device.body);
    let mut named: Vec<(String, String)> = Vec::new();
    let hidden = hidden_names(input, device);
    for (wanted, length) in lengths {
        let known = device.row_lengths.iter().find(|(own, variable)| {
            *own == length && !hidden.contains(unit.symbol(*variable).name.as_str())
        });
        if let Some((_, variable)) = known {
            let name = cuda.symbol(unit, *variable);
            cuda.lengths.insert(length, name);
            let ty = unit.types.get(unit.symbol(*variable).ty.ty);
            if !matches!(ty, Type::Integer(IntegerKind::Long)) {
                cuda.own_lengths.insert(length);
            }
            continue;
        }
        let expression = unit.length(length);
        let value = cuda.text(unit, expression);
        let is_name = value.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name && expression.as_symbol().is_none() {
            cuda.lengths.insert(length, value);
            continue;
        }
        // Nothing has happened yet: equal texts are equal values.
        let known = named.iter().find(|(known, _)| *known == value);
        let known = known.map(|(_, name)| name.clone());
        let name = known.unwrap_or_else(|| {
            let name = cuda.fresh(&wanted);
            prologue.push_str(&format!("    const long {name} = {value};\n"));
            named.push((value, name.clone()));
            name
        });
        cuda.lengths.insert(length, name);
    }
    let result = cuda.declare_as(unit, device.symbol, ty.result, "");
    let scope = match device.exported {
        true => Scope::Program,
        false if input.linkage.is_alone(symbol) => Scope::Unit,
        false => Scope::File,
    };
    let (begin, signature) = declared(scope, &result, &name, &texts);
    let mut kernels = input.module.kernels.iter();
    let collective = kernels.find(|k| k.collective.is_some() && k.function == device.symbol);
    match collective {
        Some(kernel) => shadows::rename(unit, kernel, &mut cuda),
        None => {
            shadows::rename_in(unit, &device.body, &mut cuda);
            cuda.measured = Measured::of_body(unit, parameters.iter().copied(), &device.body);
        }
    }
    let mut body = Body::new(unit, &mut cuda, diagnostics);
    body.tell_lines(input);
    // The name may be a prototype's.
    let definition = unit
        .function(device.symbol)
        .map_or(symbol.span, |f| f.header);
    let is_named_there = definition.start <= symbol.span.start && symbol.span.end <= definition.end;
    let span = match is_named_there {
        true => symbol.span,
        false => definition,
    };
    let line = input.recorded_line(span);
    body.lines.origin = line;
    body.tell_notes(source, 0..u32::MAX);
    for &parameter in &parameters {
        body.declare_parameter(parameter);
    }
    match collective {
        Some(kernel) => {
            body.usage = Usage::of(&kernel.body, unit);
            for &variable in &kernel.shared {
                body.shared_variable(variable);
            }
            for &symbol in &kernel.privates {
                if !body.is_shared(symbol) {
                    body.private(symbol);
                }
            }
            body.function_body(&kernel.body);
        }
        None => body.function_body(&device.body),
    }
    let body = format!("{prologue}{}", body.finish());
    let known = cuda.alignment.as_ref();
    let said = known.map(|known| source.notes_of_function(known, definition));
    let mut said = said.unwrap_or_default();
    let commented = known.map(|known| source.commented_signature(known, definition, &symbol.name));
    let mut head = format!("{begin}{signature}");
    if let Some(commented) = commented {
        match commented_head(&begin, &signature, &commented.lines) {
            Some(written) => head = written,
            None => said.extend(comments(commented.notes)),
        }
    }
    said.push(comment(&format!(
        "{}: {}",
        place(source, span),
        symbol.name
    )));
    let comment = said.join("\n");
    let exports = match device.exported {
        true => format!("\nACCRS_EXPORTS({name})"),
        false => String::new(),
    };
    Ok(Text {
        prototype: format!("{begin}{signature};\n"),
        definition: [
            of_line(format!("{comment}\n{head}\n{{"), line),
            format!("{body}{}{exports}", of_line("}".into(), line)),
        ]
        .join("\n"),
    })
}

/// Prints the declaration of another file's function.
///
/// # Errors
/// A template that lacks a key.
pub fn import(input: Input<'_>, cuda: &Cuda, import: &Import) -> Result<String, Diagnostic> {
    let unit = input.unit;
    let symbol = unit.symbol(import.symbol);
    let Type::Function(ty) = unit.types.get(symbol.ty.ty) else {
        let message = format!("`{}` is not a function", symbol.name);
        return Err(Diagnostic::error(codes::NOT_CUDA, message, symbol.span));
    };
    let name = cuda.symbol(unit, import.symbol);
    let parameters: Vec<String> = ty
        .parameters
        .iter()
        .map(|parameter| cuda.declare(unit, *parameter, ""))
        .collect();
    let place = place(input.source, symbol.span);
    let comment = comment(&format!("{place}: {}, of another file", symbol.name));
    let result = cuda.declare(unit, ty.result, "");
    let (begin, signature) = declared(Scope::Program, &result, &name, &parameters);
    let head = begin + &signature;
    Ok(format!("{comment}\n{head};\nACCRS_IMPORTS({name})\n"))
}

/// The names that variables inside a function have.
fn hidden_names<'u>(input: Input<'u>, device: &DeviceFunction) -> HashSet<&'u str> {
    let kernels = input.module.kernels.iter();
    let bodies = kernels.filter(|kernel| kernel.function == device.symbol);
    let bodies = bodies.map(|kernel| &kernel.body).chain([&device.body]);
    let own = bodies.flat_map(|body| visit::own_variables(body));
    own.map(|id| input.unit.symbol(id).name.as_str()).collect()
}

/// The type of a parameter, or the array that its declaration names.
fn declared_type(unit: &Unit, parameter: SymbolId) -> QualType {
    let symbol = unit.symbol(parameter);
    let by = unit.typedefs.of_symbol(symbol);
    let array = by.map_or(symbol.ty.ty, |by| unit.typedefs.get(by).ty);
    let Type::Array { element, .. } = unit.types.get(array) else {
        return symbol.ty;
    };
    let to = unit.types.pointee(symbol.ty.ty);
    let to = to.and_then(|to| unit.types.qualifiers_over(to, element.ty));
    match to {
        Some(qualifiers) if symbol.ty.qualifiers == Qualifiers::default() => QualType {
            ty: array,
            qualifiers,
        },
        _ => symbol.ty,
    }
}

/// The lengths that only a run knows of the rows behind a pointer, with their depth, from 1.
fn row_lengths(unit: &Unit, ty: TypeId) -> Vec<(usize, VlaId)> {
    let mut lengths = Vec::new();
    let (mut at, mut depth) = (unit.types.pointee(ty), 1);
    while let Some(Type::Array { element, length }) = at.map(|ty| unit.types.get(ty.ty)) {
        if let ArrayLength::Variable(id) = length {
            lengths.push((depth, *id));
        }
        (at, depth) = (Some(*element), depth + 1);
    }
    lengths
}

/// The enumerators that the file names so far, in the program's order, with their values.
pub fn enumerators(unit: &Unit, cuda: &Cuda) -> Vec<String> {
    let mut list = Vec::new();
    let mut next = None;
    loop {
        let used = cuda.enumerators.borrow();
        let mut before = used.range(..next.unwrap_or(SymbolId(u32::MAX)));
        let Some(&id) = before.next_back() else {
            break;
        };
        drop(used);
        next = Some(id);
        let SymbolKind::EnumConstant(value) = unit.symbol(id).kind else {
            continue;
        };
        let name = cuda.symbol(unit, id);
        let ty = match i32::try_from(value) {
            Ok(_) => "int",
            Err(_) => "long",
        };
        // It may name earlier ones.
        let written = unit.typedefs.value(id);
        let written = written.and_then(|written| cuda.constant(unit, written, value));
        let value = written.unwrap_or_else(|| value.to_string());
        list.push(format!("constexpr {ty} {name} = {value};"));
    }
    list.reverse();
    list
}

/// Constant objects and tables with their values.
pub fn constants(
    input: Input<'_>,
    cuda: &Cuda,
    globals: &IndexSet<SymbolId>,
    diagnostics: &mut Diagnostics,
) -> Vec<String> {
    let unit = input.unit;
    let mut list = Vec::new();
    for &id in globals {
        let symbol = unit.symbol(id);
        if let Some(constant) = cuda.constants.declaration(unit, cuda, id) {
            list.push(format!("constexpr {constant};"));
            continue;
        }
        let initializer = unit
            .global(id)
            .and_then(|global| global.initializer.as_ref());
        match initializer {
            Some(initializer) if is_constant(unit, symbol.ty) => {
                let name = cuda.symbol(unit, id);
                let text = cuda.declare_as(unit, id, symbol.ty, &name);
                let value = constant_value(input, cuda, (initializer, symbol), diagnostics);
                list.push(format!("__device__ {text} = {value};"));
            }
            _ => diagnostics.push(
                Diagnostic::error(
                    codes::NOT_CUDA,
                    format!(
                        "`{}` is a global variable that a device function uses",
                        symbol.name
                    ),
                    symbol.span,
                )
                .help("pass it to the function as an argument, or make it `const` with a value"),
            ),
        }
    }
    list
}

fn is_constant(unit: &Unit, ty: QualType) -> bool {
    match unit.types.get(ty.ty) {
        Type::Array { element, .. } => ty.qualifiers.is_const || is_constant(unit, *element),
        _ => ty.qualifiers.is_const,
    }
}

fn constant_value(
    input: Input<'_>,
    cuda: &Cuda,
    (initializer, symbol): (&Initializer, &Symbol),
    diagnostics: &mut Diagnostics,
) -> String {
    let mut cuda = cuda.within();
    let mut body = Body::new(input.unit, &mut cuda, diagnostics);
    body.initializer(initializer, symbol.ty, symbol.span)
}

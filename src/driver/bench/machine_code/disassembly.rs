//! The text that nvdisasm makes of a cubin, read.
//!
//! Input: its output with all sections. Output: a [`Section`] for each kernel: its
//! instructions, those of the functions that it calls behind them, what labels stand
//! where, and the threads that a block may have at most. What is not known to be an
//! instruction, a label or one of these is passed over.

use std::collections::BTreeMap;

use regex::Regex;

/// The code of a kernel and of the functions that it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// The kernel's mangled name.
    pub(super) symbol: String,
    /// In the order of their addresses; padding at the end included.
    pub(super) instructions: Vec<Instruction>,
    /// The number of the instruction at each label.
    pub(super) labels: BTreeMap<String, usize>,
}

/// One instruction: `@!P0 BRA P1, `(.L_x_1)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    /// In bytes from the begin of the section.
    pub(super) address: u64,
    /// The predicate on which it is executed, `!P0`.
    pub(super) guard: Option<String>,
    /// The operation with its modifiers, `ISETP.GE.AND`.
    pub(super) opcode: String,
    /// Without labels, in their order.
    pub(super) operands: Vec<String>,
    /// Labels that it names.
    pub(super) labels: Vec<String>,
}

impl Instruction {
    /// The operation without its modifiers.
    pub(super) fn operation(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    /// Whether it has a modifier, `DIV` of `BRA.DIV`.
    pub(super) fn has(&self, modifier: &str) -> bool {
        self.opcode.split('.').skip(1).any(|own| own == modifier)
    }

    /// Whether it may do nothing: it has a guard, or a branch a condition of its own.
    pub(super) fn is_conditional(&self) -> bool {
        self.guard.is_some()
            || self.operands.iter().any(|operand| is_predicate(operand))
            || self.has("DIV")
            || self.has("CONV")
    }

    /// Whether it is a barrier of the block's threads.
    pub(super) fn is_barrier(&self) -> bool {
        self.operation() == "BAR" && !self.has("ARV")
    }
}

/// Whether an operand is a predicate, `!P0` or `UP1`; `PT` is always true.
fn is_predicate(operand: &str) -> bool {
    let name = operand.trim_start_matches('!');
    let number = name.strip_prefix("UP").or_else(|| name.strip_prefix('P'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// What is known of all kernels of a cubin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Disassembly {
    pub(super) sections: Vec<Section>,
    /// The most threads of a block, by the kernels' symbols, where there are bounds.
    pub(super) bounds: BTreeMap<String, u32>,
}

/// The attribute of a kernel that `__launch_bounds__` makes: three sizes follow.
const BOUNDS: &str = "EIATTR_MAX_THREADS";

/// Reads what nvdisasm printed.
pub(super) fn read(text: &str) -> Disassembly {
    let pattern = |text| Regex::new(text).expect("a constant pattern");
    let section = pattern(r"^\s*\.section\s+([^,\s]+)");
    let attribute = pattern(r"nvinfo : (\w+)");
    let word = pattern(r"\.word\s+0x([0-9a-f]+)");
    let instruction = pattern(r"^\s*/\*([0-9a-f]{4,})\*/\s+([^.\s].*?)\s*;");
    let label = pattern(r"^([.$\w]+):$");
    let mut found = Disassembly::default();
    let mut name = String::new();
    let mut sizes: Option<Vec<u32>> = None;
    for line in text.lines() {
        if let Some(section) = section.captures(line) {
            section[1].clone_into(&mut name);
            sizes = None;
            if let Some(symbol) = name.strip_prefix(".text.") {
                found.sections.push(Section {
                    symbol: symbol.to_owned(),
                    ..Section::default()
                });
            }
        } else if let Some(symbol) = name.strip_prefix(".nv.info.") {
            if let Some(attribute) = attribute.captures(line) {
                sizes = (&attribute[1] == BOUNDS).then(Vec::new);
            }
            let size = word.captures(line);
            let size = size.and_then(|size| u32::from_str_radix(&size[1], 16).ok());
            if let (Some(sizes), Some(size)) = (&mut sizes, size) {
                sizes.push(size);
                let threads = sizes
                    .iter()
                    .fold(1, |all: u32, one| all.saturating_mul(*one));
                found.bounds.insert(symbol.to_owned(), threads);
            }
        } else if let (true, Some(own)) = (name.starts_with(".text."), found.sections.last_mut()) {
            if let Some(label) = label.captures(line) {
                let here = own.instructions.len();
                own.labels.insert(label[1].to_owned(), here);
            } else if let Some(found) = instruction.captures(line) {
                let address = u64::from_str_radix(&found[1], 16).unwrap_or(0);
                own.instructions.extend(parse(address, &found[2]));
            }
        }
    }
    found
}

/// Reads an instruction without its semicolon; none where there is no operation.
fn parse(address: u64, text: &str) -> Option<Instruction> {
    // The targets of a jump by a table stand in a remark.
    let (text, table) = text.split_once("(*").unwrap_or((text, ""));
    let table = table.strip_prefix("\"BRANCH_TARGETS ").unwrap_or("");
    let table = table.split('"').next().unwrap_or("");
    let mut labels: Vec<String> = (table.split(',').map(str::trim))
        .filter(|label| !label.is_empty())
        .map(str::to_owned)
        .collect();
    let text = text.trim();
    let (guard, text) = match text.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace)?,
        None => ("", text),
    };
    let text = text.trim();
    let (opcode, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let mut operands = Vec::new();
    for part in rest.split(',') {
        // A register may stand before a label without a comma: RET.REL R2 `(kernel).
        let (operand, label) = part.split_once("`(").unwrap_or((part, ""));
        let label = label.split(')').next().unwrap_or("");
        labels.extend((!label.is_empty()).then(|| label.to_owned()));
        let operand = operand.trim();
        operands.extend((!operand.is_empty()).then(|| operand.to_owned()));
    }
    (!opcode.is_empty()).then(|| Instruction {
        address,
        guard: (!guard.is_empty()).then(|| guard.to_owned()),
        opcode: opcode.to_owned(),
        operands,
        labels,
    })
}

//! Functions that are one expression of their parameters.
//!
//! ```c
//! static int least(int a, int b) { if (a < b) return a; return b; }   // a < b ? a : b
//! ```

use indexmap::IndexMap;

use crate::analysis::effects::Oracle;
use crate::ir::{DeviceFunction, Statement, StatementKind};
use crate::typed::{Expression, SymbolId, synthesis};

/// What a function gives.
#[derive(Clone, Debug)]
pub(super) struct Formula {
    pub parameters: Vec<SymbolId>,
    pub value: Expression,
}

/// The functions that are one expression without effects.
pub(super) fn all(functions: &[DeviceFunction], oracle: &Oracle) -> IndexMap<SymbolId, Formula> {
    let mut found = IndexMap::new();
    for function in functions {
        let Some(value) = returned(&function.body) else {
            continue;
        };
        let effects = oracle.expression(&value);
        let defined = oracle.unit().function(function.symbol);
        if let Some(defined) = defined
            && effects.is_pure()
        {
            let parameters = defined.parameters.clone();
            found.insert(function.symbol, Formula { parameters, value });
        }
    }
    found
}

/// What a list of statements returns.
fn returned(list: &[Statement]) -> Option<Expression> {
    let (statement, rest) = list.split_first()?;
    match &statement.kind {
        StatementKind::Return(value) => value.clone(),
        StatementKind::Block(body) if rest.is_empty() => returned(body),
        StatementKind::If(condition, then, otherwise) => {
            let then = returned(then)?;
            let otherwise = match otherwise {
                Some(otherwise) => returned(otherwise)?,
                None => returned(rest)?,
            };
            let (condition, span) = (condition.clone(), statement.span);
            Some(synthesis::conditional(condition, then, otherwise, span))
        }
        _ => None,
    }
}

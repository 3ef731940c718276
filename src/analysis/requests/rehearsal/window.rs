//! Windows: what a block fetches, and what it writes back of its marks.

use indexmap::{IndexMap, IndexSet};

use super::value::{Part, Value};
use super::{Doubt, Stage};
use crate::analysis::requests::lanes::together;
use crate::analysis::requests::window::{Fetch, Place, WindowSide};
use crate::analysis::requests::{Prediction, WARP};
use crate::ir::{SharedWindow, WindowExtent, WindowMarks};
use crate::typed::{ArrayLength, SymbolId, Type};

/// What windows come to, by their number.
pub(super) struct Tallies {
    pub(super) fetches: Vec<Result<Prediction, Doubt>>,
    pub(super) write_backs: Vec<Result<Prediction, Doubt>>,
    /// Fetches of blocks that are alike.
    known: IndexMap<(usize, Place), Prediction>,
}

impl Tallies {
    pub(super) fn new(windows: usize) -> Self {
        let none = Prediction {
            is_complete: true,
            ..Prediction::default()
        };
        Self {
            fetches: vec![Ok(none); windows],
            write_backs: vec![Ok(none); windows],
            known: IndexMap::new(),
        }
    }
}

impl<'k> Stage<'k, '_> {
    pub(super) fn open_windows(&mut self, numbers: &[usize]) {
        let kernel = self.kernel;
        for &number in numbers {
            let Some(window) = kernel.windows.get(number) else {
                continue;
            };
            if let WindowMarks::Slots(marks) = window.marks {
                self.marked.insert(marks, Some(IndexSet::new()));
            }
            let sides = self.sides(window);
            if !window.policy.fetch {
                continue;
            }
            let Some(fetch) = sides.filter(|_| self.mask.is_sure()) else {
                self.windows.fetches[number] = Err(Doubt::Index);
                continue;
            };
            let place = fetch.here();
            self.work += 1;
            let key = (number, place);
            let known = match self.windows.known.get(&key) {
                Some(known) => *known,
                None => {
                    self.work += fetch.slots().unsigned_abs() as u64;
                    let mut prediction = Prediction::default();
                    fetch.add_block(&key.1, 1.0, &mut prediction);
                    self.windows.known.insert(key, prediction);
                    prediction
                }
            };
            add(&mut self.windows.fetches[number], &known);
        }
    }

    /// A window as it lies for the block; its bases and extents get their
    /// values.
    fn sides(&mut self, window: &'k SharedWindow) -> Option<Fetch> {
        let mut ty = self.unit.symbol(window.array).ty.ty;
        let mut sides = Vec::new();
        let mut is_known = true;
        for (depth, dimension) in window.dimensions.iter().enumerate() {
            let first = self.value(&dimension.first);
            if dimension.first.as_symbol() != Some(dimension.base) {
                self.variables.insert(dimension.base, first.clone());
            }
            let extent = match &dimension.extent {
                WindowExtent::Constant(extent) => i64::try_from(*extent).ok(),
                WindowExtent::Launch(symbol, extent) => {
                    let extent = self.value(extent);
                    self.variables.insert(*symbol, extent.clone());
                    extent.uniform()
                }
            };
            let length = match (window.is_read_whole, &dimension.end) {
                (true, Some(end)) => self.value(end).uniform(),
                (true, None) => first.uniform().zip(extent).map(|(first, n)| first + n),
                (false, _) if depth == 0 => self.rows(window.array),
                (false, _) => self.length_of(ty),
            };
            let element = match self.unit.types.get(ty) {
                Type::Array { element, .. } => Some(element.ty),
                Type::Pointer(_) if depth == 0 => self.unit.types.pointee(ty).map(|to| to.ty),
                _ => None,
            };
            let stride = element.and_then(|element| self.size(element));
            let known = (first.uniform(), extent, element, stride);
            let (Some(first), Some(extent), Some(element), Some(stride)) = known else {
                is_known = false;
                continue;
            };
            ty = element;
            is_known &= length.is_some() || !window.policy.fetch;
            sides.push(WindowSide {
                first: first.into(),
                factors: Vec::new(),
                extent: extent.into(),
                stride: Some(stride.into()),
                length: length.map(i128::from),
            });
        }
        let threads = u32::try_from(self.threads()).ok()?;
        let bytes = self.unit.types.size(ty)?;
        is_known.then_some(Fetch {
            loops: Vec::new(),
            sides,
            bytes,
            threads,
        })
    }

    /// How many elements an array has in its outermost dimension.
    fn rows(&mut self, array: SymbolId) -> Option<i64> {
        let own = self.length_of(self.unit.symbol(array).ty.ty);
        own.or_else(|| i64::try_from((self.given)(array)?).ok())
            .or_else(|| {
                let section = super::super::kernel::section_of(self.module, array)?;
                self.value(section).uniform()
            })
    }

    fn length_of(&mut self, ty: crate::typed::TypeId) -> Option<i64> {
        let Type::Array { length, .. } = self.unit.types.get(ty) else {
            return None;
        };
        match length {
            ArrayLength::Constant(n) => i64::try_from(*n).ok(),
            ArrayLength::Variable(id) => self.length(*id),
            _ => None,
        }
    }

    /// The threads that take part set a mark.
    pub(super) fn mark(&mut self, array: SymbolId, offset: &Value) {
        let Some(marked) = self.marked.get_mut(&array) else {
            return;
        };
        for (thread, part) in self.mask.0.iter().enumerate() {
            match (part, offset.at(thread), marked.as_mut()) {
                (Part::No, ..) => {}
                (Part::Yes, Some(offset), Some(marked)) => {
                    marked.insert(offset);
                }
                _ => *marked = None,
            }
        }
    }

    /// The threads of a block share the slots; those that are marked go to the
    /// array.
    pub(super) fn write_back(&mut self, numbers: &[usize]) {
        let kernel = self.kernel;
        for &number in numbers {
            let Some(window) = kernel.windows.get(number) else {
                continue;
            };
            let WindowMarks::Slots(marks) = window.marks else {
                continue;
            };
            match self.marked_slots(window, marks) {
                Some((fetch, slots)) => {
                    let prediction = written(&fetch, &slots);
                    add(&mut self.windows.write_backs[number], &prediction);
                }
                None => self.windows.write_backs[number] = Err(Doubt::Condition),
            }
        }
    }

    fn marked_slots(
        &mut self,
        window: &'k SharedWindow,
        marks: SymbolId,
    ) -> Option<(Fetch, Vec<bool>)> {
        let fetch = self.sides(window)?;
        let marked = self.marked.get(&marks)?.clone()?;
        // The bytes from one index to the next.
        let mut ty = self.unit.symbol(marks).ty.ty;
        let mut strides = Vec::new();
        while let Type::Array { element, .. } = self.unit.types.get(ty) {
            ty = element.ty;
            strides.push(i128::from(self.unit.types.size(ty)?));
        }
        if strides.len() != fetch.sides.len() {
            // One dimension for all: slot after slot.
            let extents = fetch.sides.iter().rev().scan(1, |all, side| {
                let stride = *all;
                *all *= side.extent;
                Some(stride)
            });
            strides = extents.collect();
            strides.reverse();
        }
        let slots = (0..fetch.slots()).map(|slot| {
            let indices = fetch.indices(slot).into_iter().zip(&strides);
            let offset: i128 = indices.map(|(index, stride)| index * stride).sum();
            i64::try_from(offset).is_ok_and(|offset| marked.contains(&offset))
        });
        let slots: Vec<bool> = slots.collect();
        self.work += slots.len() as u64;
        Some((fetch, slots))
    }
}

fn written(fetch: &Fetch, slots: &[bool]) -> Prediction {
    let mut prediction = Prediction::default();
    let place = fetch.here();
    let threads = fetch.threads as usize;
    let of_thread = |thread: usize| -> Vec<i128> {
        let own = (thread..slots.len()).step_by(threads);
        let marked = own.filter(|slot| slots[*slot]);
        marked
            .map(|slot| fetch.slot(slot as i128, &place).0)
            .collect()
    };
    for first in (0..threads).step_by(WARP as usize) {
        let lanes: Vec<_> = (first..threads.min(first + WARP as usize))
            .map(of_thread)
            .collect();
        together(&lanes, fetch.bytes.into(), 1.0, &mut prediction);
    }
    prediction
}

fn add(sum: &mut Result<Prediction, Doubt>, more: &Prediction) {
    if let Ok(sum) = sum {
        sum.full.add(more.full, 1.0);
        sum.partial.add(more.partial, 1.0);
    }
}

//! The accesses of a block's threads, until they are counted.

use indexmap::IndexMap;

use super::value::{Mask, Part, Value};
use super::{Doubt, Rehearsed};
use crate::analysis::effects::Touch;
use crate::analysis::requests::lanes::together;
use crate::analysis::requests::{Prediction, WARP};
use crate::source::Span;
use crate::typed::{Expression, SymbolId};

/// A place in the code that accesses an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) span: Span,
    pub(super) is_write: bool,
    pub(super) root: SymbolId,
}

/// What is known of such a place.
struct Accesses<'k> {
    expression: &'k Expression,
    bytes: i64,
    /// By thread, since the block met.
    addresses: Vec<Vec<i128>>,
    prediction: Prediction,
    doubt: Option<Doubt>,
}

/// All accesses of a launch.
pub(super) struct Record<'k> {
    threads: usize,
    places: IndexMap<Key, Accesses<'k>>,
}

impl<'k> Record<'k> {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads,
            places: IndexMap::new(),
        }
    }

    pub(super) fn add(
        &mut self,
        key: Key,
        expression: &'k Expression,
        bytes: i64,
        mask: &Mask,
        offset: &Value,
    ) {
        let threads = self.threads;
        let place = self.places.entry(key).or_insert_with(|| Accesses {
            expression,
            bytes,
            addresses: vec![Vec::new(); threads],
            prediction: Prediction {
                is_complete: true,
                ..Prediction::default()
            },
            doubt: None,
        });
        for (thread, list) in place.addresses.iter_mut().enumerate() {
            match (mask.0[thread], offset.at(thread)) {
                (Part::No, _) => {}
                (Part::Perhaps, _) => {
                    place.doubt.get_or_insert(Doubt::Condition);
                }
                (Part::Yes, None) => place.doubt = Some(Doubt::Index),
                (Part::Yes, Some(address)) => list.push(address.into()),
            }
        }
    }

    /// Counts what there is: accesses of a warp's lanes from one place go
    /// together in their order.
    pub(super) fn flush(&mut self) {
        for place in self.places.values_mut() {
            for warp in place.addresses.chunks_mut(WARP as usize) {
                together(warp, place.bytes.into(), 1.0, &mut place.prediction);
                warp.iter_mut().for_each(Vec::clear);
            }
        }
    }

    pub(super) fn finish(self) -> Vec<Rehearsed<'k>> {
        let places = self.places.into_iter();
        places
            .map(|(key, place)| Rehearsed {
                expression: place.expression,
                root: key.root,
                touch: if key.is_write {
                    Touch::Write
                } else {
                    Touch::Read
                },
                prediction: match place.doubt {
                    Some(doubt) => Err(doubt),
                    None => Ok(place.prediction),
                },
            })
            .collect()
    }
}

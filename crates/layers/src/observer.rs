//! Results as they come, layer by layer.

use crate::backward::layer_by_layer::Backward;
use crate::backward::stream::Distance;
use crate::blocks::layering::Layering;
use crate::error::LayersError;
use crate::forward::resume::Past;
use crate::sets::layer::Layer;
use crate::solution::Summary;
use std::borrow::Cow;
use winset_index::{Blocks, Index, LeafReader, LeafSource, Planes};
use winset_model::{Code, CodeTable};

/// A cause that an [`Observer`] gives for not taking a result.
pub type Refusal = Box<dyn std::error::Error + Send + Sync>;

/// What is done before there are layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A progress measure is looked for.
    Measure,
    /// Blocks are tried, the how-manieth.
    Blocks(usize),
    /// The rules are compiled over the blocks.
    Rules,
}

/// Takes results as they come: a store, a progress bar, both.
pub trait Observer {
    /// Something begins that may take a while.
    fn begins(&mut self, stage: Stage) {
        let _ = stage;
    }

    /// The blocks have been chosen and their digits are known, and so is which layer a state is in.
    fn begin(&mut self, plan: &Plan) -> Result<(), Refusal> {
        let _ = plan;
        Ok(())
    }

    /// What an earlier run has found. Asked once, after the beginning; what is named is not found again.
    fn past(&mut self) -> Result<Past, Refusal> {
        Ok(Past::default())
    }

    /// The states of a layer that [`Observer::past`] has named, as [`Reached::index`] gave them.
    fn past_set(&mut self, number: usize) -> Result<Index, Refusal> {
        Err(format!("layer {number} is not there").into())
    }

    /// The values and distances of a layer that [`Observer::past`] has named as solved, as [`Solved`] gave
    /// them.
    fn past_values(&mut self, number: usize, index: &Index) -> Result<(Planes, Vec<Distance>), Refusal> {
        let _ = index;
        Err(format!("layer {number} is not there").into())
    }

    /// The values of a layer that [`Observer::past`] has named as solved, if they were kept as [`Solved::leaves`] gave them.
    fn past_leaves(&mut self, number: usize) -> Result<Option<Box<dyn LeafReader>>, Refusal> {
        let _ = number;
        Ok(None)
    }

    /// The states of a layer have been found.
    fn reached(&mut self, layer: &Reached) -> Result<(), Refusal> {
        let _ = layer;
        Ok(())
    }

    /// The values of a layer are known.
    fn solved(&mut self, layer: &Solved) -> Result<(), Refusal> {
        let _ = layer;
        Ok(())
    }

    /// Whether values will be kept: [`Solved::values`], which takes memory, or [`Solved::leaves`].
    fn takes_values(&self) -> bool {
        false
    }

    /// Asked after every layer.
    fn stop(&mut self) -> bool {
        false
    }
}

/// Takes nothing.
impl Observer for () {}

/// How the work will be done.
pub struct Plan<'a> {
    /// The blocks and their digits.
    pub blocks: &'a Blocks,
    /// Which layer a state is in.
    pub layering: &'a Layering,
    /// The outcomes known so far; more can be found in any layer.
    pub outcomes: &'a CodeTable,
}

/// A layer whose states are known.
pub struct Reached<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// What is known about it.
    pub summary: &'a Summary,
    /// The rewards of every code found so far.
    pub outcomes: &'a CodeTable,
    pub(crate) layer: &'a Layer,
}

impl Reached<'_> {
    /// The states that have a place: all that are not terminal and perhaps some that are.
    pub fn index(&self) -> Result<Index, LayersError> {
        self.layer.index()
    }
}

/// A layer whose values are known.
pub struct Solved<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// What is known about it.
    pub summary: &'a Summary,
    /// The rewards of every code.
    pub outcomes: &'a CodeTable,
    pub(crate) layer: &'a Layer,
    pub(crate) backward: &'a Backward<'a>,
}

impl Solved<'_> {
    /// The states that have a place.
    pub fn index(&self) -> Result<Index, LayersError> {
        self.layer.index()
    }

    /// Their codes in rank order.
    pub fn values(&self) -> Result<Planes, LayersError> {
        self.backward.ranked(self.layer).map_err(|error| LayersError::io(&None, error))
    }

    /// Their codes as leaves, where they are known as such: those that keep them so can give them back to a later run.
    pub fn leaves(&self) -> Option<Box<dyn LeafSource + '_>> {
        let by = self.backward.leaves.as_ref()?;
        Some(Box::new(by.solved(self.layer, &self.backward.digits)?))
    }

    /// Their distances to the end in rank order, [`crate::NEVER_ENDS`] where play goes on for ever; empty if not
    /// asked for.
    pub fn distances(&self) -> Result<Cow<'_, [Distance]>, LayersError> {
        match self.backward.distances(self.layer) {
            Some((_, distances)) => distances.all().map_err(|error| LayersError::io(&None, error)),
            None => Ok(Cow::Owned(vec![])),
        }
    }

    /// Names the code and the distance of every state, if those are asked for, a piece of the layer at a time.
    pub fn each_distance(&self, mut found: impl FnMut(Code, Distance)) -> Result<(), LayersError> {
        const STEP: u64 = 1 << 16;
        let failure = |error| LayersError::io(&None, error);
        let Some((values, all)) = self.backward.distances(self.layer) else { return Ok(()) };
        for first in (0..all.len()).step_by(STEP as usize) {
            let distances = all.part(first, STEP).map_err(failure)?;
            let values = values.part(first / 64, distances.len().div_ceil(64)).map_err(failure)?;
            (0..).zip(distances.iter()).for_each(|(at, &distance)| found(values.get(at), distance));
        }
        Ok(())
    }
}

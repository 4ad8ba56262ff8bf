//! Backward: the values of a layer from those of later ones.

pub mod layer_by_layer;
pub mod leaves;
pub mod room;
pub mod stream;
pub mod tier;

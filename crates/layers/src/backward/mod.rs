//! Backward: the values of a layer from those of later ones.

pub mod by_slices;
pub mod layer_by_layer;
pub mod room;
pub mod stream;

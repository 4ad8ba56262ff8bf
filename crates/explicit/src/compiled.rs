//! The engine for every width of a key, compiled once: generic code is compiled again wherever it is used, and this is much.

use crate::error::ExplicitError;
use crate::pack::Key;
use crate::solve::{Found, Observer, Options, Solution};
use crate::wide::Wide;
use winset_model::Game;

/// Keys that the engine is compiled for.
pub trait Width: Key {
    /// See [`find`](crate::find).
    #[doc(hidden)]
    fn find<'a>(
        game: &'a Game,
        options: &Options,
        observer: &mut dyn Observer<Self>,
    ) -> Result<Found<'a, Self>, ExplicitError>;

    /// See [`Options::dense`].
    #[doc(hidden)]
    fn dense(
        game: &Game,
        options: &Options,
        observer: &mut dyn Observer<Self>,
    ) -> Result<Option<Solution>, ExplicitError>;

    /// See [`Found::solve`].
    #[doc(hidden)]
    fn solve(found: Found<'_, Self>, observer: &mut dyn Observer<Self>) -> Result<Solution, ExplicitError>;
}

macro_rules! compiled {
    ($($key:ty),*) => {$(
        impl Width for $key {
            fn find<'a>(
                game: &'a Game,
                options: &Options,
                observer: &mut dyn Observer<Self>,
            ) -> Result<Found<'a, Self>, ExplicitError> {
                Found::find(game, options, observer)
            }

            fn dense(
                game: &Game,
                options: &Options,
                observer: &mut dyn Observer<Self>,
            ) -> Result<Option<Solution>, ExplicitError> {
                crate::dense::solve(game, options, observer)
            }

            fn solve(
                found: Found<'_, Self>,
                observer: &mut dyn Observer<Self>,
            ) -> Result<Solution, ExplicitError> {
                found.settle(observer)
            }
        }
    )*};
}

compiled!(u64, u128, Wide<4>, Wide<8>);

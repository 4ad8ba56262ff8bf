//! What the fused operators gain: layers of Connect Four and Othello by image in one traversal over matrix
//! diagrams, against the library's conjunction with quantification followed by renaming, in one process.

use oxidd::{BooleanOperator, ManagerRef, Subst, VarNo};
use std::time::{Duration, Instant};
use winset_model::VarId;
use winset_symbolic::{Bcdd, Diagram, Options, Part, Space, Symbolic, Which};

fn main() {
    for (name, size) in [("connect4", "4x5"), ("othello", "4x4"), ("breakthrough", "5x3")] {
        let game = winset_games::build(name, Some(size), &Default::default()).expect("a board");
        let options = Options { memory: 2 << 30, ..Options::default() };
        let symbolic = Symbolic::<Bcdd>::from_game(&game, &options).expect("it fits");
        let space = &symbolic.space;
        let plain: Vec<Plain<Bcdd>> = symbolic.parts.iter().map(|part| Plain::new(space, part)).collect();
        let (mut fused_time, mut plain_time) = (Duration::ZERO, Duration::ZERO);
        let mut layer = symbolic.initial.clone();
        while layer != *space.none() {
            let going_on = space.subtract(&layer, &symbolic.stops).expect("it fits");
            space.collect();
            let began = Instant::now();
            let fused = symbolic.image_of_going_on(&going_on, Which::default()).expect("it fits");
            fused_time += began.elapsed();
            space.collect();
            let began = Instant::now();
            let images: Vec<Bcdd> = plain.iter().map(|part| part.image(&going_on)).collect();
            let unfused = space.or_all(images).expect("it fits");
            plain_time += began.elapsed();
            assert!(fused == unfused, "both compute the image");
            layer = fused;
        }
        let gain = plain_time.as_secs_f64() / fused_time.as_secs_f64();
        println!("{name} {size}: fused {fused_time:.2?}, plain {plain_time:.2?}, gain {gain:.1}");
    }
}

/// One part of the relation with what the public operators need.
struct Plain<F: Diagram> {
    pairs: F,
    cube: F,
    renaming: Subst<F>,
}

impl<F: Diagram> Plain<F> {
    fn new(space: &Space<F>, part: &Part<F>) -> Self {
        let levels: Vec<u32> =
            part.writes.iter().flat_map(|&var: &VarId| space.place(var).levels.clone()).collect();
        let variable = |level: u32| {
            space.manager().with_manager_shared(|manager| F::var(manager, level).expect("it fits"))
        };
        let cube = levels.iter().map(|&level| variable(level)).collect();
        let cube = space.and_all(cube).expect("it fits");
        let next: Vec<VarNo> = levels.iter().map(|&level| level + 1).collect();
        let current: Vec<F> = levels.iter().map(|&level| variable(level)).collect();
        Plain { pairs: part.pairs.clone(), cube, renaming: Subst::new(next, current) }
    }

    fn image(&self, set: &F) -> F {
        let next = set.apply_exists(BooleanOperator::And, &self.pairs, &self.cube).expect("it fits");
        let renamed = next.substitute(&self.renaming);
        renamed.expect("it fits")
    }
}

//! Which blocks are chosen.

use winset_games::build;
use winset_layers::{LayersError, Observer, Options, Plan, Refusal, count};

/// Takes the numbers of variables in the blocks, and nothing else.
struct Sizes(Vec<usize>);

impl Observer for Sizes {
    fn begin(&mut self, plan: &Plan) -> Result<(), Refusal> {
        self.0 = plan.blocks.blocks.iter().map(|block| block.vars.len()).collect();
        Err("enough".into())
    }
}

fn sizes(name: &str, size: &str) -> Vec<usize> {
    let game = build(name, Some(size), &Default::default()).unwrap();
    let mut sizes = Sizes(vec![]);
    assert!(matches!(count(&game, &Options::default(), &mut sizes), Err(LayersError::Sink(_))));
    sizes.0
}

#[test]
fn the_direction_of_a_board_with_less_work_is_chosen() {
    assert_eq!(sizes("othello", "4x6"), [1, 4, 4, 4, 4, 4, 4], "columns");
    assert_eq!(sizes("othello", "5x4"), [1, 4, 4, 4, 4, 4], "rows");
    assert_eq!(sizes("breakthrough", "7x3"), [1, 3, 3, 3, 3, 3, 3, 3], "rows");
    assert_eq!(sizes("connect4", "5x4"), [1, 4, 4, 4, 4, 4], "columns");
}

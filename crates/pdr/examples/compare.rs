//! Property-directed reachability and the fixed point with diagrams, side by side: `compare GAME [SIZE] [QUERIES]`.

use std::time::Instant;
use winset_model::Player;
use winset_mu::{Universe, check};
use winset_pdr::{Limits, can_force};
use winset_symbolic::{Options, Order, TurnPlace, order};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let name = args.next().ok_or("compare GAME [SIZE] [QUERIES]")?;
    let size = args.next();
    let queries = args.next().map_or(Ok(Limits::default().queries), |text| text.parse())?;
    let game = winset_games::build(&name, size.as_deref(), &Default::default())?;
    for player in Player::all(2) {
        let (me, you) = (game.player_name(player), game.player_name(player.other()));
        let text =
            format!("mu X. terminal & reward:{me}:100 | !terminal & (turn:{me} & EX X | turn:{you} & AX X)");
        let mut system = game.system();
        let formula = winset_formula::parse(&text, &mut system)?;
        let options = Options { memory: 1 << 30, ..Options::default() };
        let order = order(&game, &Order::Auto, TurnPlace::Top)?;
        let began = Instant::now();
        let report = check(&system, &[formula], Universe::Reachable, Some(order), &options)??;
        let (holds, diagrams) = (report.verdicts[0].holds, began.elapsed());
        let began = Instant::now();
        let (answer, work) = can_force(&game, player, &Limits { queries, ..Limits::default() })?;
        println!(
            "{} for {me}: diagrams {holds} in {:.2} s ({} states); pdr {answer:?} in {:.2} s, {work:?}",
            game.title(),
            diagrams.as_secs_f64(),
            report.states,
            began.elapsed().as_secs_f64(),
        );
    }
    Ok(())
}

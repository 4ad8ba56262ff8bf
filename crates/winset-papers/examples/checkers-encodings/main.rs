//! Which codes of a square's contents, and which reading of the paper's rules, give the relation's 482 nodes on 3x3 and
//! 3,165 on 4x4? Complementing a bit changes no plain diagram, so that 5,040 assignments stand for all 8!.
//!
//! `cargo run --release -p winset-papers --example checkers-encodings [-- EVERY]`: on 4x4 every n-th assignment is counted
//! for the range, besides all that fit 3x3.

mod diagram;
mod rules;

use rules::{Onward, Reading, Turn, relation};

fn main() {
    let every = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(97);
    let codes = assignments();
    println!(
        "3x3 {{least..most}} {{assignments that fit 482}} 4x4 {{least..most of every {every}th}} {{that fit 3,165 too}}"
    );
    for (marked_move, onward) in [
        (false, Onward::Never),
        (true, Onward::Decided),
        (true, Onward::Chosen),
        (true, Onward::Never),
        (true, Onward::Separate),
    ] {
        for turn in [Turn::Top, Turn::TopAndBottom, Turn::Bottom] {
            for flags in 0..16 {
                let flag = |bit: u32| flags >> bit & 1 == 1;
                for unused_means in if flag(3) { vec![7, 0] } else { vec![7] } {
                    let reading = Reading {
                        jumps_need_rest: flag(0),
                        steps_need_rest: flag(1),
                        marked_move,
                        marked_are_victims: flag(2),
                        unused_stays: flag(3),
                        unused_means,
                        turn,
                        onward,
                        from_the_right: false,
                    };
                    show(&reading, &codes, every);
                }
            }
        }
    }
}

/// Counts all assignments on 3x3, and on 4x4, rows from either side, those that fit.
fn show(reading: &Reading, codes: &[[u8; 8]], every: usize) {
    let (diagrams, root) = relation(3, reading);
    let levels = diagrams.by_level(root);
    let sizes: Vec<usize> = codes.iter().map(|code| diagrams.binary_nodes(&levels, code)).collect();
    // With none, one or both of the leaves.
    let leaves = |nodes: usize| (nodes <= 482).then(|| 482 - nodes).filter(|&leaves| leaves <= 2);
    let fits: Vec<usize> = (0..codes.len()).filter(|&i| leaves(sizes[i]).is_some()).collect();
    let range = |sizes: &[usize]| {
        format!("{}..{}", sizes.iter().min().unwrap_or(&0), sizes.iter().max().unwrap_or(&0))
    };
    print!("{reading:?}: 3x3 {} {}", range(&sizes), fits.len());
    for from_the_right in [false, true] {
        let (diagrams, root) = relation(4, &Reading { from_the_right, ..*reading });
        let levels = diagrams.by_level(root);
        let some: Vec<usize> =
            codes.iter().step_by(every).map(|code| diagrams.binary_nodes(&levels, code)).collect();
        let both = fits.iter().filter(|&&i| {
            let nodes = diagrams.binary_nodes(&levels, &codes[i]);
            leaves(sizes[i]).is_some_and(|leaves| nodes + leaves == 3_165)
        });
        let both: Vec<[u8; 8]> = both.map(|&i| codes[i]).collect();
        print!(", 4x4 {} {} {:?}", range(&some), both.len(), both.first());
    }
    println!();
}

/// All assignments of codes to the contents and to what is left over, the empty square having 0.
fn assignments() -> Vec<[u8; 8]> {
    fn extend(code: [u8; 8], at: usize, all: &mut Vec<[u8; 8]>) {
        if at == 8 {
            all.push(code);
            return;
        }
        for next in (1..8).filter(|next| !code[1..at].contains(next)) {
            let mut longer = code;
            longer[at] = next;
            extend(longer, at + 1, all);
        }
    }
    let mut all = vec![];
    extend([0; 8], 1, &mut all);
    all
}

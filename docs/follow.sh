#!/usr/bin/env bash
# Follows the README and the guide as a newcomer would: from a fresh clone with an empty home directory to a played game, a
# solved game of one's own, and a plot made in Python. Takes the directory to work in (default: a new one), and prints where
# the picture is. CARGO_TARGET_DIR may name a directory of builds to use.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work/home"

# What cargo has downloaded and where the toolchain is stay known; everything else of the user does not.
export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
python=$(python3 -c 'import sys; print(sys.executable)')
export HOME=$work/home
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME

step() { echo "== $* ($SECONDS s)"; }

step "a fresh clone"
git clone --quiet "$repository" "$work/winset"
cd "$work/winset"

step "the README's first command"
cargo run --release --locked --quiet -- solve connect4 5x4 | tee "$work/solved.txt" | tail -4
grep -q "connect4 5x4: a tie" "$work/solved.txt"
winset=${CARGO_TARGET_DIR:-$work/winset/target}/release/winset

step "a played game"
cd "$work"
"$winset" solve tictactoe --distance --out tictactoe >solved.txt
# Against perfection: whatever is typed first, both play on until the board is full or somebody has won.
printf 'b2\na1\nc1\na2\nb3\nc3\na3\nc2\nb1\n' | "$winset" play tictactoe >played.txt || true
tail -5 played.txt
grep -qi "the game has ended\|a tie\|wins" played.txt

step "a game of one's own, copied from the guide"
sed -n '/<!-- file: pairs.kif -->/,/^```$/p' winset/docs/own-game.md | sed '1,2d;$d' >pairs.kif
"$winset" solve pairs.kif --distance --out pairs | tail -4 | tee solved.txt
grep -q "the first player (left) wins in 3 plies" solved.txt
"$winset" verify pairs

step "Python, and a plot"
"$python" -m venv venv
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$work/winset/target} venv/bin/pip install --quiet './winset/bindings/python[plot]'
venv/bin/python winset/bindings/python/examples/plot_game.py game.png
test -s game.png

step "done: $work/game.png"

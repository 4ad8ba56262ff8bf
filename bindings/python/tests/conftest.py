"""What the tests share: the program, whose answers must be the same, and games that are small."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(os.environ.get("WINSET", ROOT / "target" / "release" / "winset"))

HEAP3 = """
(role a) (role b) (role c)
(init (heap 5)) (init (control a))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(after a b) (after b c) (after c a)
(<= (legal ?p (take 1)) (true (control ?p)) (true (heap ?n)) (succ ?m ?n))
(<= (legal ?p (take 2)) (true (control ?p)) (true (heap ?n)) (succ ?m ?n) (succ ?l ?m))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (heap ?m)) (does ?p (take 1)) (true (heap ?n)) (succ ?m ?n))
(<= (next (heap ?l)) (does ?p (take 2)) (true (heap ?n)) (succ ?m ?n) (succ ?l ?m))
(<= (next (control ?q)) (true (control ?p)) (after ?p ?q))
(<= terminal (true (heap 0)))
(<= (goal ?p 0) (true (control ?p)))
(<= (goal ?q 30) (true (control ?p)) (after ?p ?q))
(<= (goal ?r 100) (true (control ?p)) (after ?p ?q) (after ?q ?r))
"""

ALONE = """
(role robot)
(init (at 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal robot up) (true (at ?n)) (succ ?n ?m))
(<= (legal robot stop) (true (at ?n)))
(<= (next (at ?m)) (does robot up) (true (at ?n)) (succ ?n ?m))
(<= (next (at ?n)) (does robot stop) (true (at ?n)))
(<= (next over) (does robot stop))
(<= terminal (true over))
(<= (goal robot 100) (true (at 3)))
(<= (goal robot 40) (true (at 2)))
(<= (goal robot 0) (not (true (at 3))) (not (true (at 2))))
"""

# A name or rules, a size, and what `winset.solve` and `winset solve` are told besides.
GAMES: dict[str, tuple[str, str | None, dict[str, Any], list[str]]] = {
    "tictactoe": ("tictactoe", None, {"distance": True}, ["--distance"]),
    "connect4": ("connect4", "4x4", {}, []),
    "misere": ("nim", "2x3x3", {"misere": True}, ["--misere"]),
    "circles": ("hare-and-hounds", None, {}, []),
    "rings": ("mu-torere", None, {}, []),
    "diagrams": ("connect4", "3x4", {"engine": "bdd"}, ["--engine", "bdd"]),
    "gdl": ("cubi-cup-3", None, {}, []),
    "started": ("tictactoe", None, {"start": "xo./.../... x"}, ["--start", "xo./.../... x"]),
    "three": (HEAP3, None, {}, []),
    "one": (ALONE, None, {}, []),
}


def run(*arguments: str | Path, stdin: str | None = None, code: int = 0) -> str:
    """Runs the program."""
    command = [str(PROGRAM), *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == code, f"{command}: {done.returncode}\n{done.stderr}"
    return done.stdout


def ask(*arguments: str | Path) -> dict[str, Any]:
    """Runs the program and reads its JSON."""
    found: dict[str, Any] = json.loads(run(*arguments, "--json"))
    return found


@pytest.fixture(scope="session")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every game, solved by the program."""
    assert PROGRAM.exists(), f"{PROGRAM} is not there: cargo build --release"
    kept = {}
    for key, (game, size, _, flags) in GAMES.items():
        directory = tmp_path_factory.mktemp("stores") / key
        if game.lstrip().startswith("("):
            file = directory.with_suffix(".kif")
            file.write_text(game)
            game = str(file)
        run("solve", game, *([size] if size else []), *flags, "--out", directory)
        kept[key] = directory
    return kept

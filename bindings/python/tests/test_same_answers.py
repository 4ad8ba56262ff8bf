"""What Python says is what the command line says, word for word, about every game and random positions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import winset
from conftest import GAMES, ask, run

WORDS = {"win": winset.Value.WIN, "loss": winset.Value.LOSE, "tie": winset.Value.TIE, "draw": winset.Value.DRAW}


def as_answer(position: winset.Position) -> dict[str, Any]:
    """The position in the shape of `winset query --json`."""
    words_or_none: dict[winset.Value | None, str | None] = {value: word for word, value in WORDS.items()}
    words_or_none[None] = None

    def rewards(found: tuple[int, ...] | None) -> list[int] | None:
        return None if found is None else list(found)

    return {
        "position": str(position),
        "reachable": position.reachable,
        "player": position.player,
        "positionValue": words_or_none[position.value],
        "remoteness": position.remoteness,
        "rewards": rewards(position.rewards),
        "sentence": position.sentence,
        "searched": position.searched,
        "moves": [
            {
                "move": move.name,
                "moveValue": words_or_none[move.value],
                "deltaRemoteness": move.delta,
                "position": str(move.position),
                "remoteness": move.remoteness,
                "rewards": rewards(move.rewards),
                "sentence": move.sentence,
            }
            for move in position.moves
        ],
    }


def without_successors_words(answer: dict[str, Any]) -> dict[str, Any]:
    """A move of ours has the value for who makes it; the position after it is asked for the other."""
    for move in answer["moves"]:
        del move["positionValue"]
    return answer


@pytest.mark.parametrize("key", GAMES)
def test_every_field_of_sampled_positions(stores: dict[str, Path], key: str) -> None:
    with winset.open(stores[key]) as db:
        for position in [db.start, *db.sample(4, seed=7)]:
            expected = without_successors_words(ask("query", stores[key], str(position)))
            assert db.warning == expected.pop("warning", None)
            assert as_answer(db.position(str(position))) == expected
            for move in position.moves[:1]:
                after = ask("query", stores[key], str(move.position))
                assert move.position.value == (WORDS[after["positionValue"]] if after["positionValue"] else None)


@pytest.mark.parametrize("key", GAMES)
def test_batches_say_what_the_program_says_of_many(stores: dict[str, Path], key: str) -> None:
    with winset.open(stores[key]) as db:
        texts = [str(position) for position in db.sample(300, seed=3)]
        texts += [str(move.position) for text in texts[:20] for move in db.position(text).moves]
        values, plies = db.values(texts, missing="mark")
        lines = run("query", stores[key], "-", "--json", stdin="\n".join(texts)).splitlines()
        assert len(lines) == len(texts) == len(values) == len(plies)
        for text, value, distance, line in zip(texts, values, plies, lines):
            said = json.loads(line)
            word = said["positionValue"]
            assert value == (winset.UNKNOWN if word is None else WORDS[word]), text
            expected = -1 if said["remoteness"] is None else said["remoteness"]
            assert distance == (-2 if said["reachable"] is False else expected), text


@pytest.mark.parametrize("key", GAMES)
def test_lines_and_stats(stores: dict[str, Path], key: str) -> None:
    with winset.open(stores[key]) as db:
        said = json.loads(run("query", stores[key], "--line", "--json"))
        assert [move.name for move in db.line()] == said["line"]
        table = ask("stats", stores[key])
        stats = db.stats()
        assert [int(n) for n in stats["positions"]] == [row["positions"] for row in table["layers"]]
        assert int(stats["terminal"].sum()) == table["total"]["terminal"]
        assert db.positions == table["total"]["positions"]
        names = stats.dtype.names or ()
        by_value = [name for name in names if name in ("won", "drawn", "lost") or name.startswith("r_")]
        assert sum(int(stats[name].sum()) for name in by_value) == sum(table["total"]["by_value"])


@pytest.mark.parametrize("key", GAMES)
def test_solving_here_gives_the_same_positions_and_values(stores: dict[str, Path], key: str) -> None:
    game, size, options, _ = GAMES[key]
    told: list[winset.Progress] = []
    if game.lstrip().startswith("("):
        here = winset.solve(kif=game, progress=told.append, **options)
    else:
        here = winset.solve(game, size, progress=told.append, **options)
    assert told
    with winset.open(stores[key]) as there, here:
        assert here.positions == there.positions and here.digest == there.digest
        texts = [str(position) for position in there.sample(200, seed=5)]
        (values, plies), (others, distances) = here.values(texts), there.values(texts)
        assert np.array_equal(values, others) and np.array_equal(plies, distances)
        assert here.start.rewards == there.start.rewards and here.start.value == there.start.value


@pytest.mark.parametrize("key", GAMES)
def test_layers_in_rank_order(stores: dict[str, Path], key: str) -> None:
    with winset.open(stores[key]) as db:
        number = int(np.argmax(db.stats()["positions"]))
        layer = db.layer(number)
        values, plies = layer.values()
        states = layer.states()
        assert len(values) == len(plies) == len(states) == len(layer)
        again, distances = db.values(states)
        ended = np.array([position.terminal for position in map(db.from_row, states[:50])])
        assert np.array_equal(values[:50][~ended], again[:50][~ended])
        assert np.array_equal(plies[:50][~ended], distances[:50][~ended])
        for rank in {0, len(layer) // 2, len(layer) - 1}:
            position = layer.unrank(rank)
            assert layer.rank(position) == rank
            assert np.array_equal(position.row(), states[rank])
            one, ply = layer.values(rank, rank + 1)
            assert one[0] == values[rank] and ply[0] == plies[rank]
            assert np.array_equal(layer.states(rank, rank + 1)[0], states[rank])


def test_all_positions_once(stores: dict[str, Path]) -> None:
    with winset.open(stores["tictactoe"]) as db:
        everything = list(db)
        assert len(set(everything)) == len(everything) == sum(len(db.layer(n)) for n in range(db.layers))
        assert {str(position) for position in db.sample(50, seed=1)} <= {str(position) for position in everything}


def test_games_are_those_of_the_program() -> None:
    listed = json.loads(run("games", "--json"))
    assert len(winset.games()) == len(listed) > 40
    assert {game.name for game in winset.games() if not game.gdl} <= {game["game"] for game in listed}
    assert {"sum-15", "cubi-cup-4"} <= {game.name for game in winset.games() if game.gdl}
    for game in winset.games():
        if game.gdl and game.name.startswith("sum"):
            winset.solve(game.name, memory="1G").close()
    by_name = {game.name: game for game in winset.games()}
    assert by_name["connect4"].options == {"misere": ["no", "yes"]} and by_name["connect4"].default == "5x4"

"""Habits of Python people: membership, lists of moves, pickling, processes."""

from __future__ import annotations

import multiprocessing
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import winset


def test_a_position_is_given_as_text_wherever_one_is_asked(stores: dict[str, Path]) -> None:
    with winset.open(stores["tictactoe"]) as db:
        text = str(db.after("b2 a1"))
        assert text in db and db.position(text) in db and db.start in db
        for other in ["xxx/xxx/xxx o", "nonsense", "", 5, None]:
            assert other not in db
        assert db.line(text) == db.line(db.position(text))
        layer = db.layer(2)
        assert layer.rank(text) == layer.rank(db.position(text))
        with pytest.raises(TypeError, match="list"):
            db.values(text)
        values, _ = db.values(one for one in [text, db.start])  # type: ignore[arg-type]
        assert len(values) == 2
    with pytest.raises(ValueError, match="closed"):
        text in db
    with winset.open(stores["connect4"]) as other_game:
        assert text not in other_game


def test_moves_are_names_moves_or_lists_of_them(stores: dict[str, Path]) -> None:
    with winset.open(stores["tictactoe"]) as db:
        best = db.start.best
        assert best is not None
        assert db.start.play(best) == best.position == db.after([best]) == db.after(best.name)
        assert db.after(["b2", "a1"]) == db.after("b2 a1") == db.start.play(iter(["b2", "a1"]))
        assert db.after([]) == db.start
        with pytest.raises(ValueError, match="a1"):
            db.after(["a1", "a1"])
        with pytest.raises(TypeError):
            db.after([1])  # type: ignore[list-item]
        with pytest.raises(TypeError):
            db.start.play(3)  # type: ignore[arg-type]


def test_no_memory_holds_so_large_a_sample(stores: dict[str, Path]) -> None:
    with winset.open(stores["tictactoe"]) as db:
        for count in [1 << 70, sys.maxsize]:
            with pytest.raises((MemoryError, OverflowError)):
                db.sample(count)


def test_sizes_are_numbers_too_and_every_engine_is_known() -> None:
    assert winset.solve("hex", 2).size == winset.solve("hex", "2").size
    for engine in ["auto", "layers", "explicit"]:
        found = winset.solve("tictactoe", engine=engine, distance=True)
        assert found.start.remoteness == 9
        assert engine == "auto" or found.manifest["engine"] == engine


def ask(given: tuple[winset.Database, winset.Position]) -> tuple[str, int]:
    db, position = given
    return position.sentence, int(db.values([position])[0][0])


def refuse(_: int) -> None:
    winset.solve(kif="(role x")


@pytest.mark.parametrize("how", ["spawn", "fork"])
def test_other_processes_open_the_same_database(stores: dict[str, Path], how: str) -> None:
    with winset.open(stores["tictactoe"]) as db:
        position = db.after("b2 a1")
        here = (position.sentence, int(db.values([position])[0][0]))
        with multiprocessing.get_context(how).Pool(2) as pool:
            assert pool.map_async(ask, [(db, position)] * 4).get(120) == [here] * 4
            # An error comes home instead of being lost on the way.
            with pytest.raises(winset.RulesError) as caught:
                pool.map_async(refuse, [0]).get(120)
            assert caught.value.diagnostics[0]["code"] == "unclosed-parenthesis"


def test_what_can_be_pickled_comes_back(stores: dict[str, Path]) -> None:
    with winset.open(stores["tictactoe"]) as db:
        again = pickle.loads(pickle.dumps(db.start.moves))
        assert [str(move.position) for move in again] == [str(move.position) for move in db.start.moves]
        report = db.verify()
        wrong = pickle.loads(pickle.dumps(winset.VerifyError("wrong", "xo", report)))
        assert (str(wrong), wrong.position, wrong.report) == ("wrong", "xo", report)
    with pytest.raises(TypeError, match="closed"):
        pickle.dumps(db)
    with pytest.raises(TypeError, match="out="):
        pickle.dumps(winset.solve("hex", 2))


def test_numbers_of_numpy_were_no_numbers(stores: dict[str, Path]) -> None:
    two = np.int64(2)
    assert winset.solve("hex", two).size == "2"  # type: ignore[arg-type]
    misere = winset.solve("nim", "1x1", misere=np.True_)  # type: ignore[arg-type]
    assert misere.manifest["game"]["options"] == {"misere": "yes"}
    assert winset.solve("nim", "1x1", misere=np.False_).digest != misere.digest  # type: ignore[arg-type]
    with winset.open(stores["tictactoe"]) as db:
        drawn = db.sample(np.int32(3), seed=np.uint8(7))  # type: ignore[arg-type]
        assert drawn == db.sample(3, seed=7)
        layer = db.layer(two)  # type: ignore[arg-type]
        assert layer.number == 2 and layer.unrank(np.int64(1)) == db.layer(2).unrank(1)  # type: ignore[arg-type]
        assert len(layer.states(two, np.int64(4))) == 2  # type: ignore[arg-type]
        assert list(db.values(np.array([str(one) for one in drawn]))[0]) == list(db.values(drawn)[0])


def test_a_closed_database_was_opened_again_by_with(stores: dict[str, Path]) -> None:
    db = winset.open(stores["tictactoe"])
    every = iter(db)
    next(every)
    db.close()
    with pytest.raises(ValueError, match="closed"), db:
        pass
    # What was fetched before may still come; then it is said.
    with pytest.raises(ValueError, match="closed"):
        for _ in every:
            pass

"""How it is used and misused: errors, closed databases, threads, Ctrl-C, files."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import winset
from conftest import run


def test_malformed_positions_are_value_errors_with_a_place(stores: dict[str, Path]) -> None:
    with winset.open(stores["tictactoe"]) as db:
        for text in ["", "x", "xo./.../...", "xo./.../...q x", "\0", "x" * 100_000, "xo./.../... x x", "🙂./.../... x"]:
            with pytest.raises(ValueError, match="not a position"):
                db.position(text)
        with pytest.raises(ValueError, match="\\^"):
            db.after("a1 a1")
        with pytest.raises(ValueError, match="number 1 "):
            db.values(["xo./.../... x", "nothing"])


def test_what_cannot_arise_is_a_key_error(stores: dict[str, Path]) -> None:
    with winset.open(stores["tictactoe"]) as db:
        impossible = "xxx/xxx/xxx o"
        with pytest.raises(winset.PositionError) as caught:
            db.position(impossible)
        assert isinstance(caught.value, KeyError) and impossible in str(caught.value)
        assert db.get(impossible) is None and db.get(impossible, db.start) == db.start
        assert db.get("xo./.../... x") == db.position("xo./.../... x")
        with pytest.raises(winset.PositionError):
            db.values([impossible])
        values, plies = db.values([str(db.start), impossible], missing="mark")
        assert values.tolist() == [0, winset.UNKNOWN] and plies.tolist() == [9, -2]
        with pytest.raises(ValueError, match="missing"):
            db.values([], missing="whatever")


def test_types_are_checked(stores: dict[str, Path]) -> None:
    with winset.open(stores["tictactoe"]) as db, winset.open(stores["connect4"]) as other:
        with pytest.raises(TypeError):
            db.values([3])  # type: ignore[list-item]
        with pytest.raises(TypeError):
            db.position(b"...")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="another game"):
            db.values([other.start])
        with pytest.raises(ValueError, match="columns"):
            db.values(np.zeros((2, 3), dtype=np.uint8))
        with pytest.raises(ValueError, match="values"):
            db.values(np.full((1, len(db.variables)), 200, dtype=np.uint8))
        with pytest.raises(ValueError):
            db.values(np.full((1, len(db.variables)), -1, dtype=np.int64))
        with pytest.raises(ValueError):
            db.values(np.zeros((1, len(db.variables)), dtype=np.float64))
        assert [len(column) for column in db.values([])] == [0, 0]
        with pytest.raises(IndexError):
            db.layer(100)
        with pytest.raises(IndexError):
            db.layer(-1)
        with pytest.raises(IndexError):
            db.layer(0).unrank(1)
        with pytest.raises(winset.PositionError):
            db.layer(0).rank(db.after("a1"))
        assert len(db.layer(2).values(5, 3)[0]) == 0
        with pytest.raises(ValueError):
            db.sample(-1)


def test_wrong_use_of_solve(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="connect4"):
        winset.solve("conect4")
    with pytest.raises(ValueError, match="for example"):
        winset.solve("connect4", "5by4")
    with pytest.raises(ValueError, match="no option"):
        winset.solve("connect4", colour="red")
    with pytest.raises(TypeError):
        winset.solve()
    for wrong in ["lots", "-1", "1e9", "", "4X"]:
        with pytest.raises(ValueError, match="memory"):
            winset.solve("tictactoe", memory=wrong)
    with pytest.raises(ValueError, match="engine"):
        winset.solve("tictactoe", engine="magic")
    with pytest.raises(ValueError, match="opponent"):
        winset.solve("tictactoe", opponent="magic")
    with pytest.raises(ValueError, match="threads"):
        winset.solve("tictactoe", threads=0)
    with pytest.raises(winset.RulesError) as caught:
        winset.solve(kif="(role x) (role o)\n(init (cell 1)\n")
    assert isinstance(caught.value, ValueError)
    assert caught.value.diagnostics[0]["line"] == 2 and caught.value.diagnostics[0]["code"]
    with pytest.raises(FileNotFoundError):
        winset.solve(kif=tmp_path / "absent.kif")


def test_memory_is_a_memory_error() -> None:
    with pytest.raises(MemoryError):
        winset.solve("connect4", "7x6", engine="layers", memory="20M")


def test_stores_that_are_not_there_or_damaged(stores: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(winset.WinsetError) as caught:
        winset.open(tmp_path / "absent")
    assert isinstance(caught.value, OSError)
    assert caught.value.filename == str(tmp_path / "absent") and caught.value.errno == 2
    copy = tmp_path / "copy"
    shutil.copytree(stores["connect4"], copy)
    largest = max(copy.iterdir(), key=lambda file: file.stat().st_size)
    damaged = bytearray(largest.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    largest.write_bytes(damaged)
    with pytest.raises(winset.WinsetError) as caught, winset.open(copy) as db:
        for number in range(db.layers):
            db.layer(number).values()
    assert caught.value.filename == str(largest)
    (copy / "manifest.json").write_text("{}")
    with pytest.raises(winset.WinsetError):
        winset.open(copy)
    with pytest.raises(winset.WinsetError, match="other"):
        winset.solve("tictactoe", out=stores["connect4"])


def test_a_store_is_read_without_the_right_to_write(stores: dict[str, Path], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(stores["circles"], copy)
    before = {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in copy.iterdir()}
    for file in copy.iterdir():
        file.chmod(0o444)
    copy.chmod(0o555)
    with winset.open(copy) as db:
        assert db.start.value is winset.Value.WIN
        db.values(db.sample(100, seed=1))
        db.verify()
    copy.chmod(0o755)
    assert {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in copy.iterdir()} == before


def test_a_closed_database_says_so(stores: dict[str, Path]) -> None:
    with winset.open(stores["tictactoe"]) as db:
        start, layer = db.start, db.layer(1)
        assert not db.closed and "tictactoe" in repr(db)
    db.close()
    assert db.closed and "closed" in repr(db) and "closed" in repr(start)
    for call in [
        lambda: db.start,
        lambda: start.value,
        lambda: str(start),
        lambda: db.values(["xo./.../... x"]),
        lambda: layer.values(),
        lambda: db.verify(),
        lambda: db.line(start),
    ]:
        with pytest.raises(ValueError, match="closed"):
            call()


def test_opening_often_leaks_no_files(stores: dict[str, Path]) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("this system does not say which files are open")
    gc.collect()
    before = len(list(descriptors.iterdir()))
    for number in range(10_000):
        db = winset.open(stores["tictactoe"])
        if number % 100 == 0:
            assert db.start.value is winset.Value.TIE
        if number % 2:
            db.close()
    del db
    gc.collect()
    assert len(list(descriptors.iterdir())) <= before + 2


def test_threads_get_the_answers_of_one(stores: dict[str, Path]) -> None:
    with winset.open(stores["connect4"], cache="1M") as db:
        texts = [str(position) for position in db.sample(4_000, seed=2)]
        values, plies = db.values(texts)
        parts = [texts[first::8] for first in range(8)]
        with ThreadPoolExecutor(8) as pool:
            for first, (some, distances) in enumerate(pool.map(db.values, parts)):
                assert np.array_equal(some, values[first::8]) and np.array_equal(distances, plies[first::8])
            found = list(pool.map(lambda text: db.position(text).value, texts[:200]))
        assert found == [winset.Value(int(value)) for value in values[:200]]


def test_other_threads_run_while_a_game_is_solved() -> None:
    turns, over = 0, threading.Event()

    def count() -> None:
        nonlocal turns
        while not over.is_set():
            turns += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = turns
        with winset.solve("connect4", "5x4") as db:
            assert db.positions == 3_945_711
            during = turns - before
    finally:
        over.set()
        thread.join()
    assert during > 5, "nobody else got a turn: the interpreter's lock was kept"


def test_close_while_others_ask(stores: dict[str, Path]) -> None:
    db = winset.open(stores["connect4"])
    texts = [str(position) for position in db.sample(2_000, seed=2)]

    def work() -> bool:
        try:
            for _ in range(1_000):
                db.values(texts[:200])
        except ValueError as error:
            return "closed" in str(error)
        return True

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(work) for _ in range(4)]
        time.sleep(0.05)
        db.close()
        assert all(future.result() for future in futures)


def test_an_exception_of_the_callback_stops_the_work(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def progress(stage: winset.Progress) -> None:
        if stage.phase == "forward" and stage.done > 4:
            raise Enough

    with pytest.raises(Enough):
        winset.solve("connect4", "6x4", out=tmp_path / "c4", progress=progress)
    # What is finished is kept, and the same call goes on.
    with pytest.raises(winset.VerifyError) as caught, winset.open(tmp_path / "c4") as db:
        assert not db.complete
        db.verify()
    assert caught.value.position is None and not caught.value.report.complete and caught.value.report.missing
    with winset.solve("connect4", "5x4", out=tmp_path / "other") as db:
        assert db.complete and db.verify().proved


def test_ctrl_c_stops_solving_cleanly(tmp_path: Path) -> None:
    script = (
        "import winset, sys\n"
        "def told(stage):\n"
        "    print(stage.phase, stage.done, flush=True)\n"
        "try:\n"
        f"    winset.solve('connect4', '6x5', out={str(tmp_path / 'c4')!r}, progress=told)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped', flush=True)\n"
        "    sys.exit(7)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("forward 5"):
            process.send_signal(signal.SIGINT)
            break
    rest = process.stdout.read()
    assert process.wait() == 7 and rest.endswith("stopped\n")
    with winset.open(tmp_path / "c4") as db:
        assert not db.complete and db.layers > 3


def test_ctrl_c_stops_a_check(stores: dict[str, Path]) -> None:
    def progress(_: winset.Progress) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with winset.open(stores["connect4"]) as db:
        with pytest.raises(KeyboardInterrupt):
            db.verify(progress=progress)
        assert db.verify().proved


def test_proofs_and_falsified_values(stores: dict[str, Path]) -> None:
    with winset.open(stores["connect4"]) as db:
        report = db.verify()
        assert report.proved and report.complete and report.faults == 0 and report.checked == report.stored
        sampled = db.verify(full=False, sample=50, seed=3)
        assert not sampled.proved and sampled.checked == 50
    with pytest.raises(MemoryError), winset.open(stores["connect4"]) as db:
        db.verify(memory=1)


def test_a_verdict_of_another_store_is_a_verify_error(stores: dict[str, Path]) -> None:
    # The repository keeps a store in which one value is false and every checksum is right.
    wrong = Path(__file__).with_name("false_store")
    with winset.open(wrong) as db, pytest.raises(winset.VerifyError) as caught:
        db.verify()
    assert caught.value.position is not None and caught.value.report.faults > 0
    run("verify", wrong, code=1)


def test_exact_numbers_beyond_64_bits(stores: dict[str, Path]) -> None:
    with winset.open(stores["tictactoe"]) as db:
        many = 2**70
        db.manifest["layers"][0]["positions"] = many
        assert db.positions > many
        with pytest.raises(Exception):
            db._core.at([many])


def test_values_of_a_game_with_circles(stores: dict[str, Path]) -> None:
    with winset.open(stores["rings"]) as db:
        assert db.start.value is winset.Value.DRAW and db.start.remoteness is None and db.has_distances
        values, plies = db.values(db.sample(500, seed=1))
        assert set(plies[values == winset.Value.DRAW]) == {-1}
        assert (plies[values == winset.Value.WIN] > 0).all()


def test_one_and_three_players(stores: dict[str, Path]) -> None:
    with winset.open(stores["one"]) as db:
        assert db.players == ["robot"] and db.start.rewards == (100,) and db.start.value is winset.Value.WIN
        middle = db.after("up up stop")
        assert middle.terminal and middle.rewards == (40,) and middle.value is None and middle.moves == []
        assert middle.best is None
    with winset.open(stores["three"]) as db:
        assert len(db.players) == 3
        rewards = db.start.rewards
        assert rewards is not None and sorted(rewards) == [0, 30, 100]
        assert (db.stats().dtype.names or ())[4].startswith("r_")

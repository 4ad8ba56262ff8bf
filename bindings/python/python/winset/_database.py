"""A solved game: positions, moves, layers, and the calls that make and open them."""

from __future__ import annotations

import json
import operator
import os
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from winset import _core
from winset._errors import PositionError, VerifyError

if TYPE_CHECKING:
    from typing_extensions import Self

UNKNOWN = -128
"""In arrays of values: nothing is known, or no word fits."""


class Value(IntEnum):
    """What a position is to who is to move there, or a move to who makes it.

    A tie is an end at which nobody is ahead; a draw is play that never has to end.
    """

    LOSE = -1
    TIE = 0
    WIN = 1
    DRAW = 2


class Progress(NamedTuple):
    """What long work says while it goes on."""

    phase: str
    done: int
    of: int | None
    message: str


Watcher: TypeAlias = Callable[[Progress], object]
Asked: TypeAlias = "str | Position"
Moves: TypeAlias = "str | Move | Iterable[str | Move]"
States: TypeAlias = "NDArray[np.unsignedinteger[Any]]"


@dataclass(frozen=True)
class GameInfo:
    """A game that has a name."""

    name: str
    size: str
    """What the numbers of a size mean; empty if the game has one size only."""
    default: str
    """The size when none is given."""
    about: str
    options: dict[str, list[str]]
    """Options with their values."""
    gdl: bool
    """The rules are in GDL."""


@dataclass(frozen=True)
class Report:
    """What a check against the rules found."""

    checked: int
    """Positions whose values were checked."""
    stored: int
    """Positions that are kept."""
    faults: int
    complete: bool
    """Every position that can arise has a value."""
    proved: bool
    """Everything that the solution says follows from the rules."""
    missing: list[str]
    """What an unfinished solution lacks."""
    sentence: str
    examples: list[tuple[int | None, int | None, str, str]]
    """The first faults: layer, number in it, position, what is wrong."""


@dataclass(frozen=True)
class Move:
    """A legal move and where it leads."""

    name: str
    value: Value | None
    """For who makes it; none if it is not known or no word fits."""
    remoteness: int | None
    """Plies to the end after it; none if not known or endless."""
    delta: int | None
    """How many plies longer or shorter that is than after the best move of the same value."""
    rewards: tuple[int, ...] | None
    """What each player gets in the end."""
    sentence: str
    position: Position

    def __str__(self) -> str:
        return self.name


class Position:
    """A position of a solved game. What is known of it is looked up when it is first asked for."""

    __slots__ = ("_answered", "_played", "_state", "database")

    database: Database
    _state: _core.State
    _played: bool
    _answered: tuple[Any, ...] | None

    def __init__(self, database: Database, state: _core.State, played: bool) -> None:
        """Positions come from a database: ``db.position``, ``db.after``, ``db.start``, ``db.sample``."""
        self.database = database
        self._state = state
        self._played = played
        self._answered = None

    def _answer(self) -> tuple[Any, ...]:
        if self._answered is None:
            self._answered = self.database._core.answer(self._state, self._played)
        return self._answered

    @property
    def reachable(self) -> bool | None:
        """Whether the game can come to it; none if that was not found out."""
        found: bool | None = self._answer()[0]
        return found

    @property
    def player(self) -> str | None:
        """Who is to move; none if the game has ended."""
        found: str | None = self._answer()[1]
        return found

    @property
    def value(self) -> Value | None:
        """The value for who is to move; none if it is not known, or if no word fits: see ``rewards``."""
        return _value(self._answer()[2])

    @property
    def remoteness(self) -> int | None:
        """Plies to the end under perfect play; none if not known or endless."""
        found: int | None = self._answer()[3]
        return found

    @property
    def rewards(self) -> tuple[int, ...] | None:
        """What each player gets, in the order of ``db.players``."""
        found = self._answer()[4]
        return None if found is None else tuple(found)

    @property
    def sentence(self) -> str:
        """The value in words."""
        return str(self._answer()[5])

    @property
    def terminal(self) -> bool:
        """The game has ended here."""
        return bool(self._answer()[6])

    @property
    def searched(self) -> bool:
        """The value is not kept but was found by a short search."""
        return bool(self._answer()[7])

    @property
    def moves(self) -> list[Move]:
        """Every legal move, best first."""
        return [self.database._move(move) for move in self._answer()[8]]

    @property
    def best(self) -> Move | None:
        """The best move; none if the game has ended."""
        moves = self._answer()[8]
        return self.database._move(moves[0]) if moves else None

    @property
    def board(self) -> str:
        """A drawing."""
        return self.database._core.draw(self._state)

    def play(self, moves: Moves) -> Position:
        """The position after one move or several: names with blanks between them, or a list. ``ValueError`` if one is
        not legal."""
        return Position(self.database, self.database._core.play(self._state, _names(moves)), self._played)

    def row(self) -> States:
        """A number for each of ``db.variables``."""
        [row] = self.database._rows(self.database._core.rows([self._state]))
        return np.asarray(row)

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (self.database, str(self), self._played)

    def __str__(self) -> str:
        return self.database._core.print(self._state)

    def __repr__(self) -> str:
        if self.database.closed:
            return "<winset.Position of a closed database>"
        return f"<winset.Position {str(self)!r}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.database is other.database and self._state == other._state

    def __hash__(self) -> int:
        return hash((id(self.database), self._state))


class Layer:
    """Positions with the same progress measure, numbered from 0 to ``len(layer) - 1``.

    These are the positions that are kept: all that can arise and in which the game has not ended, and where the engine
    wanted to keep them, some in which it has.
    """

    def __init__(self, database: Database, number: int) -> None:
        """Layers come from ``db.layer``."""
        records, number = database.manifest["layers"], operator.index(number)
        if not 0 <= number < len(records):
            raise IndexError(f"there is no layer {number}: there are {len(records)}, the first is 0")
        self.database = database
        self.number = number
        """In the order of play."""
        self.record: dict[str, Any] = records[number]
        """What the manifest says about it."""
        self._first: int = sum(record["stored"] for record in records[:number])

    def __len__(self) -> int:
        return int(self.record["stored"])

    def _range(self, start: int, stop: int | None) -> tuple[int, int]:
        begin, end, _ = slice(start, stop).indices(len(self))
        return begin, max(begin, end)

    def values(self, start: int = 0, stop: int | None = None) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Values (see ``Value`` and ``UNKNOWN``) and remotenesses (-1: not known or endless) by number."""
        self._solved()
        return _columns(self.database._core.layer_values(self.number, *self._range(start, stop)))

    def states(self, start: int = 0, stop: int | None = None) -> States:
        """A row for each position by number, with a column for each of ``db.variables``."""
        self._solved()
        return self.database._rows(self.database._core.layer_rows(self.number, *self._range(start, stop)))

    def _solved(self) -> None:
        if self.record["values"] is None:
            raise ValueError(f"layer {self.number} is not solved yet")

    def rank(self, position: Asked) -> int:
        """The number of a position. ``PositionError`` if it is not in the layer."""
        rank = self.database._core.rank(self.number, self.database._state(position))
        if rank is None:
            raise PositionError(f"{position} is not in layer {self.number}")
        return rank

    def unrank(self, rank: int) -> Position:
        """The position with a number."""
        if not 0 <= rank < len(self):
            raise IndexError(f"layer {self.number} has {len(self)} positions, the first is 0: there is no {rank}")
        [state] = self.database._core.at([self._first + rank])
        return Position(self.database, state, False)

    def __repr__(self) -> str:
        return f"<winset.Layer {self.number}: {len(self)} positions>"


class Database:
    """A solved game, on disk or in memory: read only, for any number of threads, and a context manager."""

    def __init__(self, core: _core.Database, path: str | None) -> None:
        """Databases come from ``winset.open`` and ``winset.solve``."""
        self._core = core
        self.path = path
        """The directory; none if it is in memory."""

    def __enter__(self) -> Self:
        if self.closed:
            raise ValueError("the database is closed")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Goes to other processes by its directory, which they open; what is only in memory stays here."""
        if self.closed:
            raise TypeError("a closed database cannot be pickled")
        if self.path is None:
            raise TypeError("a solution in memory cannot be pickled: solve with out=, so that others can open it")
        return _reopened, (os.path.abspath(self.path), str(self.manifest["digest"]))

    def close(self) -> None:
        """Lets go of files and memory. Calls that come later raise ``ValueError``; calls under way end well."""
        self._core.close()

    @property
    def closed(self) -> bool:
        """``close`` was called."""
        return self._core.closed

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What was solved and how: FORMAT.md explains it."""
        found: dict[str, Any] = json.loads(self._core.manifest())
        return found

    @cached_property
    def report(self) -> dict[str, Any] | None:
        """What the engine said when it solved the game, as ``winset solve --json``; none if opened from disk."""
        text = self._core.report()
        return None if text is None else json.loads(text)

    @property
    def name(self) -> str:
        """The game's name."""
        return str(self.manifest["game"]["name"])

    @property
    def size(self) -> str:
        """The board's size; may be empty."""
        return str(self.manifest["game"]["size"])

    @property
    def players(self) -> list[str]:
        """Their names, in the order of rewards."""
        return [str(player) for player in self.manifest["game"]["players"]]

    @property
    def variables(self) -> dict[str, list[str]]:
        """The variables of a position with the names of their values, in the order of the columns of states."""
        return {one["name"]: one["values"] for one in self.manifest["variables"]}

    @property
    def digest(self) -> str:
        """The digest of the rules."""
        return str(self.manifest["rules"])

    @property
    def has_distances(self) -> bool:
        """It is kept how long perfect play lasts."""
        return bool(self.manifest["remoteness"])

    @property
    def complete(self) -> bool:
        """Every position that can arise has a value."""
        return self._core.complete()

    @property
    def every_play_ends(self) -> bool:
        """The rules show that no play goes on for ever."""
        return self._core.every_play_ends()

    @property
    def warning(self) -> str | None:
        """What must be known before one plays by it, if anything."""
        return self._core.warning()

    @property
    def positions(self) -> int:
        """How many positions the layers have together, ended ones included; exact, however many."""
        return sum(int(layer["positions"]) for layer in self.manifest["layers"])

    @property
    def start(self) -> Position:
        """Where the game starts."""
        return Position(self, self._core.start(), True)

    def position(self, text: str) -> Position:
        """The position that a text stands for.

        ``ValueError`` if it is malformed, ``PositionError`` (a ``KeyError``) if the game cannot come to it.
        """
        position = Position(self, self._core.parse(text), False)
        if position.reachable is False:
            raise PositionError(f"the game cannot come to {position}")
        return position

    def get(self, text: str, default: Position | None = None) -> Position | None:
        """The same with ``default`` in place of a ``PositionError``."""
        try:
            return self.position(text)
        except PositionError:
            return default

    def after(self, moves: Moves) -> Position:
        """The position after these moves from the start, as ``Position.play`` takes them. ``ValueError`` if one is not
        legal."""
        return self.start.play(moves)

    def from_row(self, row: Iterable[int]) -> Position:
        """The position that a row of ``Layer.states`` stands for."""
        return Position(self, self._core.of_row(_bytes(np.asarray(row)[None, :], len(self.variables))), False)

    def values(
        self, positions: Sequence[Asked] | NDArray[Any], *, missing: str = "raise"
    ) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Values and remotenesses of many positions, which are texts, ``Position`` or rows of states, in their order.

        Values are those of ``Value`` for who is to move, or ``UNKNOWN``; remotenesses are -1 where they are not known or
        endless. A position that cannot arise raises ``PositionError``; with ``missing="mark"`` it gets ``UNKNOWN`` and -2.
        """
        if missing not in ("raise", "mark"):
            raise ValueError(f'missing is "raise" or "mark", not {missing!r}')
        if isinstance(positions, np.ndarray) and positions.dtype.kind not in "OUS":
            columns = self._core.values_of_rows(_bytes(positions, len(self.variables)))
        else:
            if isinstance(positions, str):
                raise TypeError("values takes a list of positions; of one, db.position(text).value tells")
            positions = list(positions)
            asked = [one if isinstance(one, str) else self._state(one) for one in positions]
            columns = self._core.values(asked)
        values, plies = _columns(columns)
        absent = np.flatnonzero(plies == -2)
        if missing == "raise" and absent.size:
            first = int(absent[0])
            shown = positions[first]
            raise PositionError(f"number {first} of the positions cannot arise, and {absent.size - 1} more: {shown}")
        return values, plies

    def line(self, position: Asked | None = None) -> list[Move]:
        """One perfect line from a position, or from the start, to the end or to where play goes round."""
        from_ = self.start if position is None else position
        return [self._move(move) for move in self._core.line(self._state(from_))]

    def stats(self) -> NDArray[np.void]:
        """Counts of the layers, a row each, for ``pandas.DataFrame(db.stats())``.

        ``won``, ``drawn`` and ``lost`` are the first player's; a game with other rewards has a column ``r_A_B`` for each
        instead. In layers that are not solved these are 0, and ``solved`` is false.
        """
        found = json.loads(self._core.stats())
        plain = {(100, 0): "won", (50, 50): "drawn", (0, 100): "lost"}
        rewards = [tuple(column["rewards"]) for column in found["values"]]
        if all(one in plain for one in rewards):
            names = [plain[one] for one in rewards]
            wanted = ["won", "drawn", "lost"]
        else:
            names = ["r_" + "_".join(map(str, one)) for one in rewards]
            wanted = names
        head = [("layer", np.int64), ("measure", np.int64), ("positions", np.uint64), ("terminal", np.uint64)]
        tail = [("longest", np.int64), ("bytes", np.uint64), ("solved", np.bool_)]
        table = np.zeros(len(found["layers"]), dtype=head + [(name, np.uint64) for name in wanted] + tail)
        for row, layer in zip(table, found["layers"]):
            row["layer"] = layer["layer"]
            row["measure"] = -1 if layer["measure"] is None else layer["measure"]
            row["positions"], row["terminal"] = layer["positions"], layer["terminal"]
            row["longest"] = -1 if layer["longest"] is None else layer["longest"]
            row["bytes"] = layer["set_bytes"] + layer["value_bytes"]
            row["solved"] = layer["by_value"] is not None
            for name, count in zip(names, layer["by_value"] or []):
                row[name] = count
        return table

    @property
    def layers(self) -> int:
        """How many layers there are."""
        return len(self.manifest["layers"])

    def layer(self, number: int) -> Layer:
        """A layer, in the order of play from 0. ``IndexError`` if there is none."""
        return Layer(self, number)

    def sample(self, count: int, seed: int | None = None) -> list[Position]:
        """``count`` positions, each drawn evenly from all that are kept (see ``Layer``), with repetition."""
        kept = sum(int(layer["stored"]) for layer in self.manifest["layers"])
        # Numbers of NumPy are numbers too, which `random` does not know.
        count, seed = operator.index(count), None if seed is None else operator.index(seed)
        if count < 0:
            raise ValueError("a sample has no negative number of positions")
        if kept == 0 and count:
            raise ValueError("no positions are kept: the game has ended where it starts, or nothing is solved yet")
        dice = random.Random(seed)
        # Made at once, so that a number of positions that no memory holds is refused before they are drawn.
        ranks = [0] * count
        for i in range(count):
            ranks[i] = dice.randrange(kept)
        states = self._core.at(ranks)
        return [Position(self, state, False) for state in states]

    def __contains__(self, position: object) -> bool:
        """Whether the game can come to a position, given as a text or as a ``Position``."""
        if isinstance(position, str):
            if self.closed:
                raise ValueError("the database is closed")
            try:
                position = self.position(position)
            except (PositionError, ValueError):
                return False
        if not isinstance(position, Position) or position.database.digest != self.digest:
            return False
        return Position(self, position._state, False).reachable is True

    def __iter__(self) -> Iterator[Position]:
        """All positions that are kept, layer by layer."""
        for number in range(self.layers):
            layer = self.layer(number)
            for first in range(0, len(layer), 4096):
                last = min(first + 4096, len(layer))
                for state in self._core.at(range(layer._first + first, layer._first + last)):
                    yield Position(self, state, False)

    def verify(
        self,
        full: bool = True,
        *,
        sample: int = 100_000,
        seed: int = 0,
        memory: str | int | None = None,
        progress: Watcher | None = None,
    ) -> Report:
        """Derives the values from the rules once more, by code that no engine shares.

        ``full``: all of them, which is a proof; else ``sample`` of them. ``VerifyError`` with a position if one does not
        follow, or if the solution is not finished.
        """
        found = self._core.verify(
            None if full else sample, seed, None if memory is None else _amount(memory), _told(progress)
        )
        report = Report(**found)
        if report.faults:
            position, wrong = report.examples[0][2:] if report.examples else (None, report.sentence)
            raise VerifyError(f"{report.faults} faults: {wrong}", position, report)
        if not report.complete:
            raise VerifyError(report.sentence, None, report)
        return report

    def __repr__(self) -> str:
        if self.closed:
            return "<winset.Database, closed>"
        title = f"{self.name} {self.size}".strip()
        return f"<winset.Database {title}: {self.positions:,} positions, {self.path or 'in memory'}>"

    def _state(self, position: object) -> _core.State:
        if isinstance(position, str):
            return self.position(position)._state
        if not isinstance(position, Position):
            raise TypeError(f"a position is a str or a winset.Position, not {type(position).__name__}")
        if position.database is not self and position.database.digest != self.digest:
            raise ValueError("the position is of another game")
        return position._state

    def _move(self, move: tuple[Any, ...]) -> Move:
        name, value, remoteness, delta, rewards, sentence, state = move
        return Move(
            name=name,
            value=_value(value),
            remoteness=remoteness,
            delta=delta,
            rewards=None if rewards is None else tuple(rewards),
            sentence=sentence,
            position=Position(self, state, True),
        )

    def _rows(self, rows: bytearray) -> States:
        variables = self.variables
        small = all(len(values) <= 256 for values in variables.values())
        flat: States = np.frombuffer(rows, dtype=np.uint8) if small else np.frombuffer(rows, dtype=np.uint16)
        return flat.reshape(-1, len(variables))


def open(path: str | os.PathLike[str], cache: str | int = "64M") -> Database:
    """Opens a solution that ``winset solve --out`` or ``winset.solve(out=...)`` has written. Only reads.

    ``cache`` bounds what is kept in memory of what was read. ``WinsetError`` (an ``OSError``) if there is none.
    """
    return Database(_core.open(os.fspath(path), _amount(cache)), os.fspath(path))


def solve(
    name: str | None = None,
    size: str | int | None = None,
    *,
    kif: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    distance: bool = False,
    memory: str | int | None = None,
    threads: int | None = None,
    engine: str = "auto",
    opponent: str | None = None,
    compact: bool = False,
    progress: Watcher | None = None,
    **options: str | int | bool,
) -> Database:
    """Solves a game by name, or from rules in GDL: ``kif`` is their text, or a path object.

    ``out``: the directory to keep it in, from which work that was stopped goes on; else it is kept in memory.
    ``distance``: also find how long perfect play lasts. ``options`` are the game's (``misere=True``, ``start="..."``).
    ``progress`` is called with a ``Progress``; an exception from it, or Ctrl-C, stops the work after the layer.
    """
    text = None
    if kif is not None:
        if size is not None:
            raise ValueError(f"rules in GDL take no size, but {size!r} is given")
        if isinstance(kif, str):
            text = kif
        else:
            text = Path(kif).read_text(encoding="utf-8", errors="replace")
            name = name or os.path.splitext(os.path.basename(os.fspath(kif)))[0]
        name = name or "game"
    if name is None:
        raise TypeError("solve takes the name of a game, or rules in GDL as kif=")
    given = {key.replace("_", "-"): _option(value) for key, value in options.items()}
    chosen = {key: value for key, value in given.items() if value is not None}
    core = _core.solve(
        name,
        size if size is None or isinstance(size, str) else str(operator.index(size)),
        text,
        chosen,
        out=out,
        distance=distance,
        memory=None if memory is None else _amount(memory),
        threads=threads,
        engine=engine,
        opponent=opponent,
        compact=compact,
        progress=_told(progress),
    )
    return Database(core, None if out is None else os.fspath(out))


def games() -> list[GameInfo]:
    """All games that have a name."""
    return [GameInfo(**game) for game in _core.games()]


def _reopened(path: str, digest: str) -> Database:
    """The database that was pickled, opened in this process."""
    database = open(path)
    if database.manifest["digest"] != digest:
        raise ValueError(f"{path} is no longer the solution that was pickled")
    return database


def _revived(database: Database, text: str, played: bool) -> Position:
    return Position(database, database._core.parse(text), played)


def _names(moves: Moves) -> str:
    """The names of moves with blanks between them."""
    if isinstance(moves, (str, Move)):
        return str(moves)
    names = list(moves)
    for one in names:
        if not isinstance(one, (str, Move)):
            raise TypeError(f"a move is a str or a winset.Move, not {type(one).__name__}")
    return " ".join(map(str, names))


def _option(value: str | int | bool) -> str | None:
    """As the command line has it; none for what is not chosen."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else None
    return str(value)


def _value(code: int | None) -> Value | None:
    return None if code is None else Value(code)


def _told(progress: Watcher | None) -> Callable[[str, int, int | None, str], object] | None:
    if progress is None:
        return None
    if not callable(progress):
        raise TypeError("progress is called with a winset.Progress, but this cannot be called")
    watcher = progress
    return lambda phase, done, of, message: watcher(Progress(phase, done, of, message))


def _amount(memory: str | int) -> int:
    """Bytes, as a number or as the command line takes them: 512M, 4G."""
    if isinstance(memory, int) and not isinstance(memory, bool):
        amount = memory
    else:
        found = re.fullmatch(r"\s*(\d+)\s*([KMGT]?)(?:i?B)?\s*", str(memory), re.IGNORECASE)
        if found is None:
            raise ValueError(f"{memory!r} is not an amount of memory: 512M or 4G would be, or a number of bytes")
        amount = int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[found[2].upper()]
    if not 0 <= amount < 1 << 63:
        raise ValueError(f"{memory!r} bytes of memory cannot be")
    return amount


def _bytes(rows: NDArray[Any], width: int) -> bytes:
    if rows.ndim != 2 or rows.shape[1] != width or rows.dtype.kind not in "ui":
        raise ValueError(f"states are a matrix of whole numbers with {width} columns, as Layer.states gives")
    if rows.size and (int(rows.min()) < 0 or int(rows.max()) > 0xFFFF):
        raise ValueError("a number in the states is not that of a value")
    return np.ascontiguousarray(rows, dtype="<u2").tobytes()


def _columns(columns: tuple[bytearray, bytearray]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    return np.frombuffer(columns[0], dtype=np.int8), np.frombuffer(columns[1], dtype=np.int32)


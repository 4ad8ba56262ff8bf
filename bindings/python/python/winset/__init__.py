"""Strongly solves games of perfect information.

For every position that can arise: who wins under perfect play.

>>> import winset
>>> db = winset.solve("tictactoe")
>>> db.start.value
<Value.TIE: 0>
>>> db.after("a1 b1").moves[0].sentence
'X wins'
"""

from winset._core import __version__
from winset._database import (
    UNKNOWN,
    Database,
    GameInfo,
    Layer,
    Move,
    Position,
    Progress,
    Report,
    Value,
    games,
    open,
    solve,
)
from winset._errors import (
    MemoryLimitError,
    PositionError,
    RulesError,
    SolveError,
    VerifyError,
    WinsetError,
)

__all__ = [
    "UNKNOWN",
    "Database",
    "GameInfo",
    "Layer",
    "MemoryLimitError",
    "Move",
    "Position",
    "PositionError",
    "Progress",
    "Report",
    "RulesError",
    "SolveError",
    "Value",
    "VerifyError",
    "WinsetError",
    "__version__",
    "games",
    "open",
    "solve",
]

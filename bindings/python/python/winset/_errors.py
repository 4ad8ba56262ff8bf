"""What can go wrong, in classes that Python people expect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from winset._database import Report


class WinsetError(OSError):
    """A solution on disk cannot be read or written. ``filename`` is the path, ``strerror`` says what is wrong with it."""


class PositionError(KeyError):
    """The game cannot come to this position."""

    def __str__(self) -> str:
        # A KeyError shows its argument in quotes, which sentences do not need.
        return str(self.args[0]) if self.args else ""


class RulesError(ValueError):
    """Rules in GDL that are refused.

    ``diagnostics`` has everything that is wrong as dictionaries: ``code``, ``message``, ``help``, ``line``, ``column``.
    """

    def __init__(self, message: str, diagnostics: list[dict[str, Any]]) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes send their errors home pickled; one that cannot be read there would hang who waits for it.
        return type(self), (str(self), self.diagnostics)


class SolveError(RuntimeError):
    """It was asked rightly and could not be done."""


class MemoryLimitError(MemoryError):
    """What was asked does not fit into the memory that it may take."""


class VerifyError(RuntimeError):
    """A solution does not follow from the rules, or is not finished and so not proved.

    ``position`` is a position at which it fails, as the game writes it (none if the solution is only unfinished), and
    ``report`` has the rest.
    """

    def __init__(self, message: str, position: str | None, report: Report) -> None:
        super().__init__(message)
        self.position = position
        self.report = report

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.position, self.report)

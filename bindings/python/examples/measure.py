"""Microseconds of CPU a position, on a store in memory: what RESULTS.md says about Python. ``python measure.py``"""

from __future__ import annotations

import time
from collections.abc import Callable

import winset

COUNT = 100_000


def best(work: Callable[[], object], count: int, times: int = 5) -> float:
    """Microseconds a position, the best of several times."""
    spent = []
    for _ in range(times):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return min(spent) / count * 1e6


for name, size in [("connect4", "5x4"), ("othello", "4x4"), ("tictactoe", "3x3")]:
    with winset.solve(name, size, distance=True) as db:
        positions = db.sample(COUNT, seed=1)
        texts = [str(position) for position in positions]
        largest = max((db.layer(number) for number in range(db.layers)), key=len)
        rows = largest.states(0, COUNT)
        figures = [
            best(lambda: db.values(texts), COUNT),
            best(lambda: db.values(positions), COUNT),
            best(lambda: db.values(rows), len(rows)),
            best(lambda: largest.values(), len(largest)),
            best(lambda: [db.position(text).value for text in texts[:1000]], 1000),
        ]
        print(f"{name} {size}", *(f"{figure:.2f}" for figure in figures), sep="\t")

# %% [markdown]
# # A game as a picture
# Solves Connect Four on a small board and plots what is known of all its positions. The cells (`# %%`) run one by one in
# editors and notebooks; as a script it writes a picture: `python plot_game.py game.png`.

# %%
from __future__ import annotations

import sys

import matplotlib

if not hasattr(sys, "ps1") and "ipykernel" not in sys.modules:
    matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

import winset

# %% [markdown]
# ## Solve
# 1.7 million positions take about a second. `distance=True` also finds how long perfect play lasts.

# %%
db = winset.solve("connect4", "4x5", distance=True)
print(db)
print(db.start.board, db.start.sentence, sep="\n")

# %% [markdown]
# ## Count
# A structured array with a row for each layer; `pandas.DataFrame(db.stats())` makes a table of it.

# %%
stats = db.stats()
stones = np.arange(len(stats))
first, second = db.players
shares = {
    f"{first} wins": (stats["won"], "#d1495b"),
    "a tie": (stats["drawn"], "#b8b8b8"),
    f"{second} wins": (stats["lost"], "#00798c"),
}

# %% [markdown]
# ## Sample
# Positions drawn evenly from all that can arise, and what they are worth to who is to move.

# %%
positions = db.sample(20_000, seed=1)
values, plies = db.values(positions)
print(f"{np.mean(values == winset.Value.WIN):.0%} of positions are won for who is to move")

# %% [markdown]
# ## Plot

# %%
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4.2), constrained_layout=True)
left.stackplot(
    stones,
    [count.astype(float) for count, _ in shares.values()],
    labels=list(shares),
    colors=[colour for _, colour in shares.values()],
)
left.set(title=f"{db.positions:,} positions", xlabel="stones on the board", ylabel="positions", xlim=(0, stones[-1]))
left.legend(loc="upper left", frameon=False)

for value, colour in [(winset.Value.WIN, "#3a7d44"), (winset.Value.LOSE, "#8d3b72")]:
    found = plies[values == value]
    middle.hist(found, bins=np.arange(0.5, 20.5), alpha=0.75, color=colour, label=value.name.lower())
middle.set(title="how long perfect play lasts", xlabel="plies to the end", ylabel="positions of the sample")
middle.legend(frameon=False)

line = [db.start, *(move.position for move in db.line())]
branching = [len(position.moves) for position in line]
best = [sum(move.value == position.best.value for move in position.moves) if position.best else 0 for position in line]
right.bar(range(len(line)), branching, color="#dddddd", label="legal moves")
right.bar(range(len(line)), best, color="#edae49", label="perfect moves")
right.set(title="one perfect line", xlabel="ply", ylabel="moves")
right.legend(frameon=False)
for axes in (left, middle, right):
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
figure.suptitle(f"{db.name} {db.size}: {db.start.sentence.lower()}")

# %%
if len(sys.argv) == 2 and sys.argv[1].endswith(".png"):
    figure.savefig(sys.argv[1], dpi=110)
    print(f"written: {sys.argv[1]}")

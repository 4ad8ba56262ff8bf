// The game so far as a line: above the middle the first player wins, below the second; nearer to the edge is nearer
// to the end. Moves that were not taken are small dots. Where the line turns, a value was thrown away or given.

import { capital, glyph, h, plain, plies, s } from "./tools.js";

const STEP = 34, TOP = 14, HEIGHT = 132;

/** Who wins, for the first player's side: 1, 0 or -1; null if it is not known. Of more than two, whether the first has
 * more than every other: a word says it of who is to move only. */
function standing(value, turn, rewards) {
  if (rewards?.length > 2 && value !== "draw") return Math.sign(rewards[0] - Math.max(...rewards.slice(1)));
  if (value === "tie" || value === "draw") return 0;
  if (value === "win" || value === "lose") return (value === "win") === (turn !== 2) ? 1 : -1;
  return null;
}

/** The height of a value: winning in few plies is near the edge. */
function level({ value, rewards, remoteness }, turn, far) {
  const side = standing(value, turn, rewards);
  if (!side) return side;
  const near = remoteness === null ? 0.6 : 1 - 0.62 * (remoteness / (far + 1));
  return side * Math.max(near, 0.3);
}

export class History {
  constructor(container, game, go) {
    Object.assign(this, { container, game, go });
  }

  show(session) {
    const { entries, at } = session;
    const answers = entries.map(entry => entry.answer);
    const far = Math.max(...answers.map(answer => answer.remoteness ?? 0), 1);
    const y = height => TOP + (1 - height) * (HEIGHT - 2 * TOP) / 2;
    const x = i => 22 + i * STEP;
    const points = answers.map(answer => level(answer, answer.turn ?? 1, far));
    const width = Math.max(x(entries.length - 1) + 22, 200);
    const svg = s("svg", { class: "line-chart", width, height: HEIGHT, role: "group",
      "aria-label": "Value after every move" });
    svg.append(s("rect", { class: "half one", x: 0, y: 0, width: "100%", height: HEIGHT / 2 }),
      s("rect", { class: "half two", x: 0, y: HEIGHT / 2, width: "100%", height: HEIGHT / 2 }),
      s("path", { class: "middle", d: `M0 ${HEIGHT / 2} H${Math.max(width, 2000)}` }));
    answers.forEach((answer, i) => {
      if (i + 1 >= answers.length) return;
      const taken = entries[i + 1].move?.move;
      const seen = new Set();
      for (const m of answer.moves) {
        if (m.move === taken) continue;
        // The child's value is its mover's; the mover's own view says the same with our turn.
        const height = level({ ...m, value: m.moveValue }, answer.turn ?? 1, far);
        if (height === null || seen.has(height)) continue;
        seen.add(height);
        svg.append(s("circle", { class: "other", cx: x(i + 1), cy: y(height), r: 2.4 }));
      }
    });
    const known = points.map((height, i) => [x(i), height]).filter(([, height]) => height !== null);
    svg.append(s("polyline", { class: "path", points: known.map(([px, height]) => `${px},${y(height)}`).join(" ") }));
    const turned = i => i > 0 && this.changed(answers[i - 1], answers[i]);
    points.forEach((height, i) => {
      if (height === null) return;
      const answer = answers[i];
      const side = height > 0 ? "one" : height < 0 ? "two" : "level";
      if (turned(i)) svg.append(s("circle", { class: "turned", cx: x(i), cy: y(height), r: 12 }));
      const dot = s("g", { class: `ply ${side}${i === at ? " here" : ""}`, role: "button", tabindex: "0",
        "aria-label": this.aloud(entries, i, turned(i)) },
        s("rect", { class: "area", x: x(i) - STEP / 2, y: 0, width: STEP, height: HEIGHT }),
        s("circle", { cx: x(i), cy: y(height), r: i === at ? 8.5 : 5.5 }));
      if (height === 0) dot.append(s("text", { x: x(i), y: y(height) + 3.6 }, glyph(answer.rewards?.length > 2 ? "tie" : answer.value)));
      dot.append(s("title", {}, this.aloud(entries, i, turned(i))));
      dot.addEventListener("click", () => this.go(i));
      dot.addEventListener("keydown", event => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        this.go(i);
      });
      svg.append(dot);
    });
    const scroll = h("div", { class: "scroll-line" }, svg);
    const players = this.game.players;
    const list = h("ol", { class: "plies" }, entries.map((entry, i) => i === 0 ? null : h("li", {},
      h("button", { type: "button", class: `ply-move${i === at ? " here" : ""}${turned(i) ? " changed" : ""}`,
        "aria-current": i === at ? "step" : null, title: this.aloud(entries, i, turned(i)), onclick: () => this.go(i) },
      plain(entry.move.move), turned(i) ? h("span", { class: "flag", "aria-hidden": "true" }, "!") : null))));
    const note = turned(at) ? h("p", { class: "changed-note" }, "Value changed here: ", this.change(entries, at)) : null;
    this.container.replaceChildren(h("h2", {}, "History"),
      h("div", { class: "chart" }, h("div", { class: "ends", "aria-hidden": "true" },
        h("span", {}, capital(players[0] ?? "")), h("span", {}, players.length > 2 ? "others" : capital(players[1] ?? ""))), scroll),
      ...(note ? [note] : []), entries.length > 1 ? list : h("p", { class: "quiet" }, "No move has been made yet."));
    scroll.scrollLeft = Math.max(0, x(at) - scroll.clientWidth + 60);
  }

  /** The move gave away something: the value for who made it is another than before. */
  changed(before, after) {
    if (before.rewards && after.rewards) return before.rewards.join() !== after.rewards.join() || (before.value === "draw") !== (after.value === "draw");
    return false;
  }

  change(entries, i) {
    const [before, after] = [entries[i - 1].answer, entries[i].answer];
    const best = before.moves[0]?.move;
    return `${before.sentence} before ${entries[i].move.move}, now: ${after.sentence}.${best && best !== entries[i].move.move ? ` Better was ${best}.` : ""}`;
  }

  aloud(entries, i, turned) {
    const { answer, move } = entries[i];
    const what = i === 0 ? "start" : `ply ${i}, ${move.move}`;
    const far = answer.remoteness ? ` in ${plies(answer.remoteness)}` : "";
    return `${what}: ${answer.sentence ?? answer.value + far}${turned ? "; value changed here" : ""}`;
  }
}

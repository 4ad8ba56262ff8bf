// The legal moves, grouped by what they are worth: glyph, word and number.

import { named } from "./pieces.js";
import { VALUES, glyph, h, plain, plies } from "./tools.js";

const GROUPS = {
  win: ["Winning", "These moves win, whatever the other does"],
  tie: ["Level", "The game ends level if both play perfectly from here"],
  draw: ["Drawn", "Nobody can force an end: play never has to end"],
  lose: ["Losing", "The other wins after these moves"],
  null: ["Not known", "These positions are not solved"],
};

/** The number that a move is sorted by: plies to the end, this move included. */
function count(m) {
  if (m.moveValue === "draw") return "endless";
  if (m.remoteness === null) return "";
  return `in ${plies(m.remoteness + 1)}`;
}

/** Long names need more room. */
const long = moves => (moves.some(m => m.move.length > 14) ? " long" : "");

export class Moves {
  constructor(container, game, hear) {
    Object.assign(this, { container, game, hear });
  }

  show(answer, { hints, active }) {
    const heading = h("h2", {}, "Moves", answer.moves.length ? h("span", { class: "count" }, String(answer.moves.length)) : null);
    const parts = [];
    if (!answer.moves.length) {
      const text = answer.terminal ? "The game is over." : answer.reachable === false ? "Nobody has to move here." : "No moves are known here.";
      parts.push(h("p", { class: "quiet" }, text));
    } else if (!hints) {
      const moves = [...answer.moves].sort((a, b) => a.move.localeCompare(b.move, "en", { numeric: true }));
      parts.push(h("ul", { class: `moves hidden-values${long(moves)}` }, moves.map(m => this.item(m, active, false))));
    } else {
      for (const value of VALUES) {
        const moves = answer.moves.filter(m => m.moveValue === value);
        if (!moves.length) continue;
        const [title, about] = GROUPS[value];
        parts.push(h("h3", { class: `group ${value ?? "unknown"}`, title: about },
          h("span", { class: "glyph", "aria-hidden": "true" }, glyph(value)), title, h("span", { class: "count" }, String(moves.length))));
        parts.push(h("ul", { class: `moves${long(moves)}` }, moves.map(m => this.item(m, active, true))));
      }
    }
    const focused = this.container.contains(document.activeElement);
    this.container.replaceChildren(heading, ...parts);
    // Who plays with the keyboard stays where the moves are.
    if (focused) this.container.focus({ preventScroll: true });
    this.container.setAttribute("aria-busy", String(!active && !answer.terminal));
  }

  item(m, active, hints) {
    const faint = hints ? Math.min(m.deltaRemoteness ?? 0, 6) : 0;
    const button = h("button", {
      type: "button", class: `move ${hints ? m.moveValue ?? "unknown" : "hidden"} faint${faint}`, disabled: !active, "data-move": m.move,
      title: hints ? m.sentence : null,
      onclick: () => this.hear.play(m),
      onpointerenter: () => this.hear.hover(m), onpointerleave: () => this.hear.hover(null),
      onfocus: () => this.hear.hover(m), onblur: () => this.hear.hover(null),
    }, h("b", { class: m.move.length < 11 ? "short" : null }, named(this.game, m.move), plain(m.move)), hints ? h("span", { class: "number" }, count(m)) : null);
    const line = hints ? h("button", {
      type: "button", class: "line", disabled: !active, title: "Play this move and then the perfect line to its end",
      "aria-label": `${m.move}, then the perfect line`, onclick: () => this.hear.line(m),
    }, "▸▸") : null;
    return h("li", {}, button, line);
  }

  /** Lights a move that is pointed at on the board. */
  point(m) {
    for (const button of this.container.querySelectorAll("button.move"))
      button.classList.toggle("pointed", m !== null && button.dataset.move === m.move);
  }
}

// Setting up a position. What cannot arise is said to be so, with the reason; nothing is an error.

import { piece } from "./pieces.js";
import { ask, h, s, words } from "./tools.js";

export class Editor {
  /** `show(answer)` is told what the position under the hands is worth; `done(position)` when it is to be played. */
  constructor(container, game, show, done) {
    Object.assign(this, { container, game, show, done, brush: "" });
    this.variables = game.editor.variables;
  }

  open(answer) {
    this.values = this.read(answer.position);
    this.draw();
    this.look();
  }

  /** The value of every variable, from the text of a position. */
  read(text) {
    const parts = words(text);
    if (!this.game.editor.rows) {
      return this.variables.map(variable => {
        const at = variable.options.findIndex(option => option.text && parts.includes(option.text));
        return at >= 0 ? at : Math.max(0, variable.options.findIndex(option => !option.text));
      });
    }
    const rows = parts.shift().split("/").map(row => [...row]);
    const squares = new Map(this.game.board.squares.map(square => [square.name, square]));
    return this.variables.map(variable => {
      const square = squares.get(variable.square);
      const word = square ? rows[square.row][square.column] : parts.shift();
      return Math.max(0, variable.options.findIndex(option => option.text === word));
    });
  }

  text() {
    const word = i => this.variables[i].options[this.values[i]].text;
    if (!this.game.editor.rows) return this.variables.map((_, i) => word(i)).filter(Boolean).join(" ");
    const { rows, columns, squares } = this.game.board;
    const board = Array.from({ length: rows }, () => Array(columns).fill("_"));
    const rest = [];
    this.variables.forEach((variable, i) => {
      const square = variable.square && squares.find(other => other.name === variable.square);
      if (square) board[square.row][square.column] = word(i);
      else rest.push(word(i));
    });
    return [board.map(row => row.join("")).join("/"), ...rest].join(" ");
  }

  draw() {
    const { board, players } = this.game;
    const brushes = ["", ...board.pieces];
    const palette = h("div", { class: "palette", role: "radiogroup", "aria-label": "What a click sets" }, brushes.map(name => {
      const icon = s("svg", { viewBox: "-50 -50 100 100", class: `badge ${board.style}`, "aria-hidden": "true" },
        name ? piece(board, name, players) : s("path", { d: "M-22 -22 L22 22 M22 -22 L-22 22", class: "erase" }));
      return h("button", { type: "button", role: "radio", "aria-checked": String(name === this.brush), class: "brush",
        "aria-label": name || "empty", onclick: () => { this.brush = name; this.draw(); } }, icon, h("span", {}, name || "empty"));
    }));
    const others = this.variables.map((variable, i) => variable.square && this.game.board.kind !== "cards" ? null :
      h("label", { class: "variable" }, h("span", {}, variable.name), h("select", { onchange: event => this.set(i, Number(event.target.value)) },
        variable.options.map((option, value) => h("option", { value, selected: value === this.values[i] }, option.text || "—")))));
    const list = others.filter(Boolean);
    const shown = list.length > 6 ? h("details", {}, h("summary", {}, `${list.length} other things`), h("div", { class: "variables" }, list)) : h("div", { class: "variables" }, list);
    this.field = h("input", { type: "text", class: "position-text", "aria-label": "Position as text", spellcheck: "false", value: this.text(),
      onchange: event => this.typed(event.target.value) });
    this.container.replaceChildren(h("div", { class: "card editor" }, h("h2", {}, "Set up a position"),
      board.kind === "cards" ? null : h("p", { class: "quiet" }, "Choose a piece, then click squares."), board.kind === "cards" ? null : palette, shown, this.field,
      h("div", { class: "row" },
        h("button", { type: "button", onclick: () => this.clear() }, "Clear"),
        h("button", { type: "button", onclick: () => this.reset() }, "Start"),
        h("button", { type: "button", class: "primary", onclick: () => this.done(this.text()) }, "Play from here"))));
  }

  set(i, value) {
    this.values[i] = value;
    this.changed();
  }

  changed() {
    this.field.value = this.text();
    this.look();
  }

  /** A square was clicked: it gets the chosen piece, or loses it. */
  paint(name) {
    const i = this.variables.findIndex(variable => variable.square === name);
    if (i < 0) return;
    const options = this.variables[i].options;
    const now = options[this.values[i]].piece ?? "";
    const want = now === this.brush ? "" : this.brush;
    const at = options.findIndex(option => (option.piece ?? "") === want);
    if (at >= 0) this.set(i, at);
  }

  clear() {
    this.variables.forEach((variable, i) => {
      const at = variable.options.findIndex(option => option.piece === null);
      if (variable.square && at >= 0) this.values[i] = at;
    });
    this.changed();
  }

  reset() {
    this.values = this.read(this.game.start.position);
    this.draw();
    this.look();
  }

  async typed(text) {
    try {
      const answer = await ask(this.game, "positions", { p: text.trim() });
      this.values = this.read(answer.position);
      this.draw();
      this.show(answer);
    } catch (error) {
      this.show(null, error.message);
    }
  }

  async look() {
    const text = this.text();
    this.latest = text;
    try {
      const answer = await ask(this.game, "positions", { p: text });
      if (this.latest === text) this.show(answer);
    } catch (error) {
      if (this.latest === text) this.show(null, error.message);
    }
  }
}

// The board: squares, pieces that move, hints, and a way to move by clicking, dragging or with the keyboard.

import { geometry, outline } from "./geometry.js";
import { aloud, piece } from "./pieces.js";
import { glyph, h, plain, plies, s, still } from "./tools.js";

/** How a move is called with what it is worth. */
export const said = m =>
  `${m.move}: ${m.moveValue ?? "not known"}${m.remoteness === null || m.moveValue === "draw" ? "" : ` in ${plies(m.remoteness + 1)}`}`;

export class Board {
  /** `hear.play(move)`, `hear.hover(move or null)`, `hear.edit(square)` are told what the user does. */
  constructor(container, game, hear) {
    Object.assign(this, { container, game, hear, layout: game.board, placed: new Map(), from: null, drag: null });
    this.squares = new Map(this.layout.squares.map(square => [square.name, square]));
    this.draw();
  }

  at(square) {
    return this.shape.at(square);
  }

  draw() {
    const { kind, style, squares } = this.layout;
    if (kind === "cards") {
      this.cards = h("div", { class: "cards" });
      this.container.replaceChildren(this.cards);
      return;
    }
    this.shape = geometry(this.layout);
    const { width, height, left, labels } = this.shape;
    const frame = 18, below = labels === "none" ? 0 : 40;
    this.svg = s("svg", {
      class: `squares ${kind} ${style}`, role: "group", "aria-label": `${this.game.title}, board`,
      viewBox: `${-frame - left} ${-frame} ${width + 2 * frame + left} ${height + 2 * frame + below}`,
    });
    // Small boards need not fill the screen.
    this.svg.style.setProperty("--ratio", `${(width + 2 * frame + left) / (height + 2 * frame + below)}`);
    this.svg.style.setProperty("--most", `${((width + 2 * frame + left) / 100 * 8.5).toFixed(1)}rem`);
    if (!this.shape.bare) this.svg.append(s("rect", { class: "frame", x: -frame, y: -frame, width: width + 2 * frame, height: height + 2 * frame, rx: 16 }));
    const layer = name => this.svg.appendChild(s("g", { class: name }));
    this.shape.ground(layer("ground"), squares);
    this.boxes = layer("boxes");
    this.marks = layer("lit");
    this.pieces = layer("pieces");
    if (style === "discs") {
      const holes = squares.map(square => this.at(square)).map(([x, y]) => `M${x - 40} ${y} a40 40 0 1 0 80 0 a40 40 0 1 0 -80 0 Z`);
      this.svg.append(s("path", { class: "plate", "fill-rule": "evenodd", d: `M0 0 H${width} V${height} H0 Z ${holes.join(" ")}` }));
      this.svg.append(this.marks);
    }
    this.hints = layer("hints");
    this.hits = layer("hits");
    this.label();
    for (const square of squares) this.hit(square);
    this.svg.addEventListener("pointermove", event => this.dragged(event));
    this.svg.addEventListener("pointerup", event => this.dropped(event));
    this.svg.addEventListener("pointercancel", () => this.cancel());
    this.container.replaceChildren(this.svg);
  }

  /** The names of rows and columns. */
  label() {
    const { rows, columns, squares } = this.layout;
    const { height, labels, at } = this.shape;
    const names = s("g", { class: "names", "aria-hidden": "true" });
    const name = (text, x, y) => names.append(s("text", { x, y }, text));
    if (labels === "names") squares.forEach(square => name(square.name, at(square)[0], height + 46));
    if (["both", "columns", "numbers", "slanted"].includes(labels)) {
      // As in the names of squares, which are `a1` or, where rules call their columns otherwise, `1,1`.
      const called = column => squares.find(square => square.column === column)?.name.match(/^(.+),/)?.[1];
      const letter = column => labels !== "numbers" && column < 26 ? String.fromCharCode(97 + column) : String(column + 1);
      for (let column = 0; column < columns; column++) name(called(column) ?? letter(column), at({ row: rows - 1, column })[0] + (labels === "slanted" ? 24 : 0), height + (labels === "slanted" ? 24 : 46));
    }
    for (let row = 0; row < rows && ["both", "slanted"].includes(labels); row++) {
      const square = squares.find(other => other.row === row);
      const [x, y] = at({ row, column: 0 });
      if (square) name(square.name.replace(/^(.+,|[A-Za-z])/, ""), labels === "slanted" ? x - 94 : -34, y + 8);
    }
    this.svg.append(names);
  }

  hit(square) {
    const hit = s("g", { class: "square", "data-square": square.name, role: "img" }, outline(this.shape, square, "area"));
    hit.addEventListener("click", () => this.clicked(square.name));
    hit.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        event.stopPropagation();
        this.clicked(square.name);
      }
    });
    hit.addEventListener("pointerdown", event => this.pressed(event, square.name));
    hit.addEventListener("pointerenter", () => this.hovered(square.name));
    hit.addEventListener("pointerleave", () => this.hear.hover(null));
    hit.addEventListener("focus", () => this.hovered(square.name));
    hit.addEventListener("blur", () => this.hear.hover(null));
    this.hits.append(hit);
    square.hit = hit;
  }

  /** Shows a position. `played` is the move that led to it, so that pieces move as it says. */
  show(answer, { hints, active, played, editing }) {
    Object.assign(this, { answer, hinted: hints, active, editing });
    this.from = null;
    if (this.cards) return this.showCards();
    const slide = played?.action?.slide;
    if (slide && this.placed.has(slide[0])) {
      this.lift(slide[1]);
      this.placed.set(slide[1], this.placed.get(slide[0]));
      this.placed.delete(slide[0]);
      this.put(this.placed.get(slide[1]).element, slide[1]);
    }
    for (const square of this.squares.values()) {
      const name = answer.board[square.row][square.column];
      const here = this.placed.get(square.name);
      if (here?.name === name || (!here && !name)) continue;
      if (here) this.lift(square.name);
      if (name) this.place(square, name, Boolean(here));
    }
    this.enclose(answer.board);
    this.lit(played ? this.touched(played) : []);
    this.refresh();
  }

  place(square, name, turned) {
    const element = s("g", { class: `piece${turned ? " turned" : " new"}` }, piece(this.layout, name, this.game.players, this.drawnAt(square, name)));
    this.placed.set(square.name, { name, element });
    this.pieces.append(element);
    if (this.layout.style === "discs" && this.ready && !still()) {
      const [x] = this.at(square);
      element.style.transition = "none";
      element.style.transform = `translate(${x}px, -60px)`;
      element.getBoundingClientRect();
      element.style.transition = "";
      element.style.setProperty("--fall", `${0.16 + 0.06 * square.row}s`);
    }
    this.put(element, square.name);
  }

  /** What a piece must know of its square to be drawn there. */
  drawnAt(square, name) {
    const { along, ends, counts } = this.shape;
    if (along) {
      const [dx, dy] = along(square, name);
      return { ends: [[-dx, -dy], [dx, dy]] };
    }
    if (ends) return { ends: ends(square) };
    return { tall: Boolean(counts && this.at(square)[1] === 116), first: square.row === this.layout.rows - 1 && square.column === 0 };
  }

  /** Boxes whose sides are all there. */
  enclose(board) {
    const closed = ({ row, column }) => [[row - 1, column], [row + 1, column], [row, column - 1], [row, column + 1]].every(([r, c]) => board[r]?.[c]);
    this.boxes.replaceChildren(...(this.shape.boxes ?? []).filter(closed).map(this.shape.box ?? (() => null)));
  }

  put(element, name) {
    const [x, y] = this.at(this.squares.get(name));
    element.style.transform = `translate(${x}px, ${y}px)`;
  }

  lift(name) {
    this.placed.get(name)?.element.remove();
    this.placed.delete(name);
  }

  /** The squares that a move touches. */
  touched(m) {
    const { put, slide, change } = m.action ?? {};
    return put ? [put] : slide ?? change ?? [];
  }

  lit(names) {
    this.marks?.replaceChildren(...names.map(name => outline(this.shape, this.squares.get(name), "last")));
  }

  moves() {
    return this.active ? this.answer.moves : [];
  }

  /** The moves that a click on a square can mean. */
  meant(name) {
    const moves = this.moves();
    const square = this.squares.get(name);
    if (this.from) {
      const slides = moves.filter(m => m.action?.slide?.[0] === this.from && m.action.slide[1] === name);
      if (slides.length) return slides;
    }
    // A move that is called like a square is made there, whatever else it changes.
    const named = moves.filter(m => m.move === name);
    if (named.length) return named;
    const put = moves.filter(m => m.action?.put === name);
    if (put.length) return put;
    if (this.layout.style === "discs") return moves.filter(m => this.squares.get(m.action?.put)?.column === square.column);
    const changes = moves.filter(m => m.action?.change?.includes(name));
    const least = Math.min(...changes.map(m => m.action.change.length));
    return changes.filter(m => m.action.change.length === least);
  }

  starts(name) {
    return this.moves().filter(m => m.action?.slide?.[0] === name);
  }

  clicked(name) {
    if (this.editing) return this.hear.edit(name);
    if (this.justDragged) return (this.justDragged = false);
    const moves = this.meant(name);
    if (moves.length === 1) return this.play(moves[0]);
    if (moves.length > 1) return this.choose(moves);
    const starts = this.starts(name);
    this.from = this.from === name || !starts.length ? null : name;
    this.refresh();
  }

  play(m) {
    this.from = null;
    this.hear.play(m);
  }

  /** Several moves would look the same: the user says which. */
  choose(moves) {
    const dialog = h("dialog", { class: "choose", "aria-label": "Which move?" }, h("h2", {}, "Which move?"),
      h("div", { class: "choices" }, moves.map(m => h("button", { type: "button", onclick: () => {
        dialog.close();
        this.play(m);
      } }, this.hinted ? h("span", { class: `tag ${m.moveValue ?? "unknown"}`, "aria-hidden": "true" }, glyph(m.moveValue)) : null, plain(m.move)))));
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", event => event.target === dialog && dialog.close());
    document.body.append(dialog);
    dialog.showModal();
  }

  hovered(name) {
    const moves = this.from ? this.meant(name) : [...this.meant(name), ...this.starts(name)];
    this.hear.hover(moves[0] ?? null);
  }

  /** Hints and what can be reached with the keyboard. */
  refresh() {
    this.ready = true;
    if (!this.svg) return;
    this.hints.replaceChildren();
    const best = new Map();
    for (const m of this.moves()) {
      const { put, slide } = m.action ?? {};
      const name = this.squares.has(m.move) ? m.move : put ?? (slide ? (this.from ? (slide[0] === this.from ? slide[1] : null) : slide[0]) : null);
      if (name && !best.has(name)) best.set(name, m);
    }
    for (const [name, m] of best) this.hint(name, m);
    for (const square of this.squares.values()) {
      const can = this.editing || this.meant(square.name).length > 0 || this.starts(square.name).length > 0;
      const what = aloud(this.layout.style, this.answer.board[square.row][square.column]);
      const worth = best.get(square.name);
      const label = `${square.name}, ${what}${worth && this.hinted ? `; ${said(worth)}` : ""}`;
      square.hit.setAttribute("aria-label", label);
      square.hit.setAttribute("role", can ? "button" : "img");
      square.hit.classList.toggle("can", can);
      square.hit.classList.toggle("from", square.name === this.from);
      // A finger that drags a piece does not move the page.
      square.hit.classList.toggle("held", this.starts(square.name).length > 0);
      if (can) square.hit.setAttribute("tabindex", "0");
      else square.hit.removeAttribute("tabindex");
    }
  }

  hint(name, m) {
    const [x, y] = this.at(this.squares.get(name));
    const empty = !this.placed.has(name);
    if (!this.hinted) {
      if (empty && this.layout.style !== "discs") this.hints.append(s("circle", { class: "free", cx: x, cy: y, r: 11 }));
      return;
    }
    const thin = this.shape.along || this.shape.ends;
    const [cx, cy, r] = thin || empty ? [x, y, thin ? 17 : 21] : this.layout.style === "heaps" ? [x + 48, y - 88, 17] : [x + 32, y - 32, 17];
    const value = m.moveValue ?? "unknown";
    const faint = Math.min(m.deltaRemoteness ?? 0, 6) * 0.07;
    this.hints.append(s("g", { class: `hint ${value}`, opacity: (1 - faint).toFixed(2) },
      s("circle", { cx, cy, r }), s("text", { x: cx, y: cy + r * 0.36, "font-size": r * 1.05 }, glyph(m.moveValue))));
  }

  /** Shows a move that is pointed at in a list. */
  point(m) {
    this.svg?.querySelectorAll(".pointed").forEach(element => element.remove());
    if (!m || !this.svg) return;
    const group = s("g", { class: `pointed ${m.moveValue ?? "unknown"}` });
    const { slide } = m.action ?? {};
    if (slide) {
      const [[x1, y1], [x2, y2]] = slide.map(name => this.at(this.squares.get(name)));
      const length = Math.hypot(x2 - x1, y2 - y1);
      const angle = Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI;
      group.append(s("path", { class: "arrow", transform: `translate(${x1} ${y1}) rotate(${angle})`,
        d: `M10 -6 H${length - 40} V-20 L${length - 8} 0 L${length - 40} 20 V6 H10 Z` }));
    } else {
      for (const name of this.touched(m)) {
        group.append(outline(this.shape, this.squares.get(name), "circle"));
      }
    }
    this.svg.insertBefore(group, this.hits);
  }

  pressed(event, name) {
    if (this.editing || event.button !== 0 || !this.starts(name).length || !this.placed.has(name)) return;
    const [x, y] = this.at(this.squares.get(name));
    this.drag = { name, x, y, start: [event.clientX, event.clientY], moving: false };
  }

  dragged(event) {
    if (!this.drag) return;
    const { start, name } = this.drag;
    const [dx, dy] = [event.clientX - start[0], event.clientY - start[1]];
    if (!this.drag.moving && Math.hypot(dx, dy) < 8) return;
    if (!this.drag.moving) {
      this.drag.moving = true;
      this.from = name;
      this.refresh();
      this.placed.get(name).element.classList.add("held");
      this.pieces.append(this.placed.get(name).element);
    }
    const scale = this.svg.getScreenCTM().a;
    this.placed.get(name).element.style.transform = `translate(${this.drag.x + dx / scale}px, ${this.drag.y + dy / scale}px)`;
  }

  dropped(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag?.moving) return;
    this.justDragged = true;
    setTimeout(() => (this.justDragged = false), 50);
    const held = this.placed.get(drag.name).element;
    held.classList.remove("held");
    const target = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-square]")?.dataset.square;
    const moves = target && target !== drag.name ? this.meant(target).filter(m => m.action?.slide) : [];
    if (moves.length === 1) return this.play(moves[0]);
    this.put(held, drag.name);
    if (moves.length > 1) return this.choose(moves);
    this.from = null;
    this.refresh();
  }

  cancel() {
    if (this.drag?.moving) this.put(this.placed.get(this.drag.name).element, this.drag.name);
    this.drag = null;
  }

  showCards() {
    const groups = new Map();
    for (const fact of this.answer.facts) {
      const [name, ...rest] = fact.replace(/^\((.*)\)$/, "$1").split(" ");
      groups.set(name, [...(groups.get(name) ?? []), rest.join(" ")]);
    }
    this.cards.replaceChildren(...[...groups].map(([name, values]) => h("div", { class: "fact" }, h("b", {}, name),
      h("span", {}, values.filter(Boolean).length ? values.map(value => h("i", {}, value || "✓")) : h("i", {}, "✓")))));
    if (!groups.size) this.cards.replaceChildren(h("p", { class: "quiet" }, "Nothing holds."));
  }
}

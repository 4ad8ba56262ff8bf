// A game on the page: the positions so far, where we are among them, and the address that says so.

import { ask } from "./tools.js";

export class Session {
  /** `base` is the position that the moves begin at; null: the game's start. */
  constructor(game, answer) {
    Object.assign(this, { game, base: null, entries: [{ answer, move: null }], at: 0 });
  }

  /** Where the address says we are. The page came with the last position; the others are asked for. */
  static async open(game, answer) {
    const session = new Session(game, answer);
    const search = new URLSearchParams(location.search);
    const [p, moves] = [search.get("p"), search.get("m") ?? search.get("moves") ?? ""];
    session.base = p;
    if (moves) {
      const { positions } = await ask(game, "history", { p, moves });
      session.entries = positions.map((answer, i) => ({ answer, move: i ? session.leads(positions[i - 1], answer) : null }));
      session.at = session.entries.length - 1;
    }
    return session;
  }

  leads(before, after) {
    return before.moves.find(m => m.position === after.position) ?? { move: "?", action: null, moveValue: null };
  }

  get answer() { return this.entries[this.at].answer; }
  get move() { return this.entries[this.at].move; }

  /** Plays a move of the present position; what had been taken back is forgotten. */
  async play(m) {
    // By the move and not by the position after it: the game has just come there, whatever is known of positions like it.
    const answer = await ask(this.game, "positions", { p: this.answer.position, moves: m.move });
    this.entries.length = this.at + 1;
    this.entries.push({ answer, move: m });
    this.at += 1;
    this.remember();
  }

  /** Starts again from a position; none: the game's start. */
  async begin(position = null) {
    const answer = await ask(this.game, "positions", { p: position });
    Object.assign(this, { base: position, entries: [{ answer, move: null }], at: 0 });
    this.remember();
  }

  go(at) {
    this.at = Math.max(0, Math.min(at, this.entries.length - 1));
    this.remember(true);
  }

  get address() {
    const search = new URLSearchParams();
    if (this.base) search.set("p", this.base);
    const moves = this.entries.slice(1, this.at + 1).map(entry => entry.move.move).join(" ");
    if (moves) search.set("m", moves);
    const text = search.toString();
    return `/g/${this.game.id}${text ? "?" + text : ""}`;
  }

  remember(replace = false) {
    history[replace ? "replaceState" : "pushState"](null, "", this.address);
  }
}

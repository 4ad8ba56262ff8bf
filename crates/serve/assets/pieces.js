// Pieces, drawn around the origin of a square of 100 by 100.

import { owner, s } from "./tools.js";

const CROWN = "M-20 12 L-24 -12 L-11 -2 L0 -18 L11 -2 L24 -12 L20 12 Z";
const PAWN =
  "M-27 36 C-27 27 -17 24 -12 15 C-8 7 -8 0 -8 -4 L-15 -4 C-17 -4 -17 -10 -14 -11 C-19 -16 -19 -24 -15 -29 " +
  "C-8 -38 8 -38 15 -29 C19 -24 19 -16 14 -11 C17 -10 17 -4 15 -4 L8 -4 C8 0 8 7 12 15 C17 24 27 27 27 36 Z";

const disc = (side, r = 41) =>
  s("g", { class: `disc ${side}` },
    s("circle", { r, class: "body" }),
    s("circle", { r: r * 0.72, class: "ring" }),
    side === "one" ? s("path", { d: "M-13 -13 L13 13 M13 -13 L-13 13", class: "sign" })
      : s("circle", { r: 14, class: "sign" }));

const stone = side =>
  s("g", { class: `stone ${side}` }, s("circle", { r: 40, class: "body" }), s("ellipse", { cx: -11, cy: -15, rx: 15, ry: 9, class: "shine" }));

const checker = (side, king) =>
  s("g", { class: `man ${side}` },
    s("circle", { cy: 4, r: 38, class: "edge" }),
    s("circle", { r: 38, class: "body" }),
    s("circle", { r: 27, class: "ring" }),
    king ? s("path", { d: CROWN, class: "crown" }) : s("circle", { r: 15, class: "ring" }));

const pawn = side => s("g", { class: `pawn ${side}` }, s("path", { d: PAWN, class: "body", transform: "scale(1.08)" }));

const mark = name =>
  name === "x"
    ? s("g", { class: "mark cross" }, s("path", { d: "M-26 -26 L26 26", class: "stroke" }), s("path", { d: "M26 -26 L-26 26", class: "stroke late" }))
    : s("g", { class: "mark nought" }, s("circle", { r: 29, class: "stroke", transform: "rotate(-90)" }));

/** Chess pieces stand on a foot, but for the pawn, which has its own. */
const FOOT = "M-27 36 V28 H27 V36 Z";
const CHESS = {
  k: "M-20 26 C-36 6 -31 -12 -14 -12 C-6 -12 0 -6 0 0 C0 -6 6 -12 14 -12 C31 -12 36 6 20 26 Z M-3 -40 H3 V-33 H10 V-27 H3 V-13 H-3 V-27 H-10 V-33 H-3 Z",
  q: "M-20 26 L-33 -16 L-17 4 L-13 -30 L0 -2 L13 -30 L17 4 L33 -16 L20 26 Z",
  r: "M-22 26 L-15 16 L-14 -10 L-23 -18 V-36 H-13 V-28 H-5 V-36 H5 V-28 H13 V-36 H23 V-18 L14 -10 L15 16 L22 26 Z",
  b: "M-19 26 C-9 22 -9 16 -8 12 C-24 1 -19 -17 0 -31 C19 -17 24 1 8 12 C9 16 9 22 19 26 Z M-5 -37 a5 5 0 1 0 10 0 a5 5 0 1 0 -10 0 Z",
  n: "M-20 26 C-20 6 -6 4 -5 -8 C-13 -4 -17 3 -24 3 C-31 0 -30 -7 -26 -13 L-14 -28 L-12 -40 L-3 -31 C17 -30 25 -6 20 26 Z",
};

function chess(name, white) {
  const kind = name.toLowerCase();
  const shape = kind === "p" ? s("path", { d: PAWN, class: "body", transform: "scale(1.05)" })
    : s("g", {}, s("path", { d: CHESS[kind] ?? CHESS.q, class: "body" }), s("path", { d: FOOT, class: "body" }));
  return s("g", { class: `pawn ${white ? "light" : "dark"}` }, shape, s("title", {}, name));
}

/** Seeds or counters, and how many. */
function seeds(count, style, tall) {
  const group = s("g", { class: `seeds ${style}` });
  if (style === "heaps") {
    const high = Math.max(5, Math.ceil(count / 4)), wide = Math.ceil(count / high), step = Math.min(29, 138 / high);
    for (let i = 0; i < count; i++) group.append(s("ellipse", { class: "seed", cx: (Math.floor(i / high) - (wide - 1) / 2) * 31, cy: 46 - (i % high) * step, rx: wide > 3 ? 14 : 15, ry: Math.min(11, step * 0.42) }));
    group.append(s("text", { class: "count", y: 88 }, String(count)));
    return group;
  }
  for (let i = 0; i < Math.min(count, 30); i++) {
    const [r, angle] = [8.2 * Math.sqrt(i + (count > 1 ? 0.6 : 0)) * (count === 1 ? 0 : 1), i * 2.39996];
    group.append(s("circle", { class: "seed", cx: r * Math.cos(angle), cy: r * Math.sin(angle) - 4, r: count > 20 ? 6 : 8.5 }));
  }
  group.append(s("text", { class: "count", y: tall ? 76 : 37 }, String(count)));
  return group;
}

/** Every attribute is one of two: light or dark, round or square, whole or hollow, large or small. */
function attributes(name) {
  const bits = name.charCodeAt(0) - 97;
  const r = bits & 8 ? 26 : 37;
  const body = bits & 2 ? s("rect", { class: "body", x: -r, y: -r, width: 2 * r, height: 2 * r, rx: 7 }) : s("circle", { class: "body", r });
  return s("g", { class: `attribute ${bits & 1 ? "light" : "dark"}` }, body, bits & 4 ? s("circle", { class: "hollow", r: r * 0.42 }) : null, s("title", {}, name));
}

/** A pile of cups, each in the next larger one. */
function cups(name, pieces) {
  const group = s("g", { class: "cups" });
  const sizes = Math.round(Math.log(pieces.length + 1) / Math.log(3));
  let pile = pieces.indexOf(name) + 1;
  const owners = [];
  for (let i = 0; i < sizes; i++, pile = Math.floor(pile / 3)) owners.push(pile % 3);
  for (let i = sizes - 1; i >= 0; i--) {
    if (!owners[i]) continue;
    const r = 42 - (sizes - 1 - i) * (sizes > 2 ? 13 : 17);
    group.append(s("circle", { r, class: `cup ${owners[i] === 1 ? "first" : "second"}` }));
    if (owners[i] === 2) group.append(s("circle", { r: r - 5, class: "cup-ring" }));
  }
  return group;
}

const painted = name => ({ r: "first", x: "first", b: "second", o: "second" })[name] ?? "neutral";
const sign = name => painted(name) === "first" ? s("path", { d: "M-13 -13 L13 13 M13 -13 L-13 13", class: "sign" }) : painted(name) === "second" ? s("circle", { r: 14, class: "sign" }) : null;
const counter = name => s("g", { class: `counter ${painted(name)}` }, s("circle", { r: 36, class: "body" }), sign(name));
const block = name => s("g", { class: `block ${painted(name)}` }, s("rect", { x: -46, y: -46, width: 92, height: 92, rx: 12, class: "body" }), sign(name));
const span = (name, [[x1, y1], [x2, y2]]) => s("g", { class: `span ${painted(name)}` }, s("path", { class: "body", d: `M${x1} ${y1} L${x2} ${y2}` }));
const chocolate = poisoned => s("g", { class: `chocolate-piece${poisoned ? " poisoned" : ""}` },
  s("rect", { x: -46, y: -46, width: 92, height: 92, rx: 10, class: "body" }), s("rect", { x: -33, y: -33, width: 66, height: 66, rx: 7, class: "bevel" }),
  poisoned ? s("path", { class: "sign", d: "M-14 -14 L14 14 M14 -14 L-14 14" }) : null);
const pin = () => s("g", { class: "pin" }, s("path", { class: "body", d: "M-9 37 C-17 20 -17 7 -8 -7 C-5 -12 -8 -18 -8 -25 C-8 -40 8 -40 8 -25 C8 -18 5 -12 8 -7 C17 7 17 20 9 37 Z" }), s("path", { class: "stripe", d: "M-7 -13 H7" }));
const fox = () => s("g", { class: "fox" }, s("path", { class: "body", d: "M-36 -34 L-13 -22 H13 L36 -34 L31 2 L0 37 L-31 2 Z" }), s("path", { class: "cheek", d: "M-30 4 L-10 6 L0 36 Z M30 4 L10 6 L0 36 Z" }), s("path", { class: "eyes", d: "M-14 -4 h.1 M14 -4 h.1 M0 30 h.1" }));
const hound = () => s("g", { class: "hound" }, s("path", { class: "body", d: "M-20 -30 H20 L30 -20 L14 32 Q0 42 -14 32 L-30 -20 Z" }), s("path", { class: "ear", d: "M-20 -30 C-44 -28 -44 10 -32 18 C-22 8 -24 -8 -20 -30 Z M20 -30 C44 -28 44 10 32 18 C22 8 24 -8 20 -30 Z" }), s("path", { class: "eyes", d: "M-10 -6 h.1 M10 -6 h.1 M0 24 h.1" }));
const hopper = right => s("g", { class: `hopper ${right ? "first" : "second"}` }, s("circle", { r: 37, class: "body" }), s("path", { class: "sign", d: right ? "M-10 -17 L12 0 L-10 17" : "M10 -17 L-12 0 L10 17" }));

/** A colour that only depends on the name. */
function hue(name) {
  let sum = 7;
  for (const c of name) sum = (sum * 31 + c.codePointAt(0)) % 997;
  return `hue${sum % 6}`;
}

function token(name, players, kinds) {
  if (/^-?\d+$/.test(name)) return s("g", { class: "token number" }, s("text", { class: "digits" }, name));
  const man = /^(w|white|b|black)[_-]?(p|pawn|k|king|q|queen|r|rook|b|bishop|n|knight)$/i.exec(name);
  if (man) return chess(man[2].length === 1 ? man[2] : { knight: "n" }[man[2].toLowerCase()] ?? man[2][0], man[1][0].toLowerCase() === "w");
  const known = { black: "dark", b: "dark", white: "light", w: "light", red: "red", blue: "blue", green: "green", yellow: "yellow" };
  const side = owner(name, players), own = side < 0 ? undefined : known[players[side].toLowerCase()];
  // A letter that stands for a player has that player's colour: b is blue where blue plays.
  const colour = (name.length === 1 ? own : undefined) ?? known[name.toLowerCase()] ?? own ?? ["one", "two"][side] ?? hue(name);
  const label = name.length <= 3 ? name : name.slice(0, 2);
  const group = s("g", { class: `token ${colour}` }, s("circle", { r: 39, class: "body" }), s("circle", { r: 32, class: "ring" }));
  if (!known[name.toLowerCase()] && !(name.length === 1 && own) && kinds !== 1) group.append(s("text", { class: label.length > 2 ? "label small" : "label" }, label));
  group.append(s("title", {}, name));
  return group;
}

/** A piece of a game; `at` says what it must know of its square. */
export function piece({ style, pieces }, name, players, at = {}) {
  const side = name.toLowerCase() === "b" ? "dark" : "light";
  const man = { b: "dark", x: "dark", d: "dark" }[name] ?? "light";
  const wide = at.ends ?? [[-36, 0], [36, 0]];
  if (name === "#" && ["chess", "tokens", "stones"].includes(style)) return block(name);
  switch (style) {
    case "discs": return disc(name === "x" ? "one" : "two");
    case "stones": return stone(name === "r" ? "red" : side);
    case "checkers": return checker(side, name !== name.toLowerCase());
    case "pawns": return pawn(side);
    case "marks": return mark(name);
    case "hexagons": return counter(name);
    case "sides": case "bridges": case "chords": return span(name, wide);
    case "points": case "ring": return stone(man);
    case "pits": case "heaps": return seeds(pieces.indexOf(name) + 1, style, at.tall);
    // Amazons are queens that are called by their colour.
    case "chess": return players.includes("white") && "wb".includes(name.toLowerCase()) && !pieces.includes("K") ? chess("q", name.toLowerCase() === "w") : chess(name, name !== name.toLowerCase());
    case "attributes": return attributes(name);
    case "cups": return cups(name, pieces);
    case "chocolate": return chocolate(at.first);
    case "blocks": return block(name);
    case "pins": return pin();
    case "hunt": return name === "f" ? fox() : hound();
    case "hoppers": return hopper(name === "t");
    default: return token(name, players, pieces.length);
  }
}

/** Pieces that belong to nobody, or do not fit beside a name. */
const SHARED = ["pits", "heaps", "attributes", "sides", "chocolate", "pins"];

/** A player's piece beside the name, if one is known to be theirs. */
export function badge(game, player) {
  const { pieces, style } = game.board;
  // Built-in games have the players' pieces in the order of the players.
  const paired = style !== "tokens" && pieces.length === game.players.length;
  const name = paired ? pieces[player] : pieces.find(piece => owner(piece, game.players) === player);
  const icon = s("svg", { viewBox: "-50 -50 100 100", class: `badge ${game.board.style}`, "aria-hidden": "true" });
  if (name && !SHARED.includes(game.board.style)) {
    icon.append(piece(game.board, name, game.players));
    return icon;
  }
  icon.append(s("circle", { r: 36, class: `seat seat${player % 2}` }));
  // Black and white tell two players apart; more have their numbers.
  if (game.players.length > 2) icon.append(s("text", { class: `seat-number seat-number${player % 2}`, y: 16 }, String(player + 1)));
  return icon;
}

/** The piece that a word speaks of, where pieces are chosen by their names and not by a place. */
export function named(game, text) {
  const name = game.board.style === "attributes" ? /^(?:give-|in hand: )([a-p])$/.exec(text)?.[1] : null;
  return name ? s("svg", { viewBox: "-50 -50 100 100", class: "badge attributes", "aria-hidden": "true" }, piece(game.board, name, game.players)) : null;
}

/** What a piece is called aloud. */
export function aloud(style, name) {
  if (!name) return "empty";
  const side = { b: "black", w: "white" }[name.toLowerCase()];
  if (style === "checkers") return `${side} ${name === name.toLowerCase() ? "man" : "king"}`;
  if (style === "pawns") return `${side} pawn`;
  if (style === "stones") return `${side} stone`;
  return name;
}

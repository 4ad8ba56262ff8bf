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

const man = (side, king) =>
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

/** A colour that only depends on the name. */
function hue(name) {
  let sum = 7;
  for (const c of name) sum = (sum * 31 + c.codePointAt(0)) % 997;
  return `hue${sum % 6}`;
}

function token(name, players, kinds) {
  if (/^-?\d+$/.test(name)) return s("g", { class: "token number" }, s("text", { class: "digits" }, name));
  const known = { black: "dark", b: "dark", white: "light", w: "light", red: "red", blue: "blue", green: "green", yellow: "yellow" };
  const side = owner(name, players);
  const colour = known[name.toLowerCase()] ?? (side === 0 ? "one" : side === 1 ? "two" : hue(name));
  const label = name.length <= 3 ? name : name.slice(0, 2);
  const group = s("g", { class: `token ${colour}` }, s("circle", { r: 39, class: "body" }), s("circle", { r: 32, class: "ring" }));
  if (!known[name.toLowerCase()] && kinds !== 1) group.append(s("text", { class: label.length > 2 ? "label small" : "label" }, label));
  group.append(s("title", {}, name));
  return group;
}

/** A piece of a game. */
export function piece(style, name, players, kinds = 2) {
  const side = name.toLowerCase() === "b" ? "dark" : "light";
  switch (style) {
    case "discs": return disc(name === "x" ? "one" : "two");
    case "stones": return stone(side);
    case "checkers": return man(side, name !== name.toLowerCase());
    case "pawns": return pawn(side);
    case "marks": return mark(name);
    default: return token(name, players, kinds);
  }
}

/** A player's piece beside the name, if one is known to be theirs. */
export function badge(game, player) {
  const name = game.board.pieces.find(piece => owner(piece, game.players) === player);
  const icon = s("svg", { viewBox: "-50 -50 100 100", class: `badge ${game.board.style}`, "aria-hidden": "true" });
  icon.append(name ? piece(game.board.style, name, game.players) : s("circle", { r: 36, class: `seat seat${player}` }));
  return icon;
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

// Where squares are and what is drawn below the pieces, for every kind of board. Units: a square is 100 wide.

import { s } from "./tools.js";

const points = corners => corners.map(c => c.map(v => v.toFixed(1)).join(",")).join(" ");
const hexagon = (x, y, r) => points([0, 1, 2, 3, 4, 5].map(i => [x + r * Math.sin(i * Math.PI / 3), y + r * Math.cos(i * Math.PI / 3)]));
const HALF = 65;

/** `at(square)`: its middle; `ground(group)`: what is always there; `shape(square, class)`: what is clicked and lit. */
export function geometry(layout) {
  const { kind, style, rows, columns } = layout;
  const special = { hexagons: hexagons, sides, bridges, chords, points: pointed, ring: pointed, pits, heaps }[style];
  if (special) return special(layout);
  if (kind === "hex") return comb(layout);
  return {
    width: columns * 100, height: rows * 100, left: kind === "line" || style === "discs" || rows === 1 ? 0 : 30,
    at: square => [square.column * 100 + 50, square.row * 100 + 50],
    ground: group => plain(group, layout),
    labels: style === "discs" ? "numbers" : kind === "line" ? "names" : rows === 1 ? "columns" : "both",
  };
}

/** The usual outline of a square, unless the board has another. */
export const outline = (geometry, square, name) => {
  if (geometry.shape) return geometry.shape(square, name);
  const [x, y] = geometry.at(square);
  return s("rect", { class: name, x: x - 48, y: y - 48, width: 96, height: 96, rx: 10 });
};

const TILED = ["checkers", "pawns", "tokens", "chess", "hunt", "attributes", "cups", "blocks"];

function plain(group, { kind, style, rows, columns, squares }) {
  const is = new Set(squares.map(square => `${square.row} ${square.column}`));
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const here = is.has(`${row} ${column}`);
      const [x, y] = [column * 100, row * 100];
      const whole = { x, y, width: 100, height: 100 };
      if (kind === "line" || style === "pins" || style === "hoppers") {
        if (here) group.append(s("rect", { class: "tile light", x: x + 4, y: y + 4, width: 92, height: 92, rx: 14 }));
      } else if (style === "stones") {
        if (here) group.append(s("rect", { class: "tile felt", ...whole }));
      } else if (style === "discs") {
        group.append(s("circle", { class: "hole", cx: x + 50, cy: y + 50, r: 41 }));
      } else if (style === "chocolate") {
        group.append(s("rect", { class: "crumbs", x: x + 6, y: y + 6, width: 88, height: 88, rx: 10 }));
      } else if (style === "marks") {
        if (here && column && is.has(`${row} ${column - 1}`)) group.append(s("path", { class: "rule", d: `M${x} ${y + 6} v88` }));
        if (here && row && is.has(`${row - 1} ${column}`)) group.append(s("path", { class: "rule", d: `M${x + 6} ${y} h88` }));
      } else if (TILED.includes(style)) {
        const holes = style === "checkers" || style === "hunt";
        const dark = holes ? here : (row + column) % 2 === rows % 2;
        group.append(s("rect", { class: `tile ${dark ? "dark" : "light"}${here || holes ? "" : " none"}`, ...whole }));
      }
    }
}

/** Rows of different lengths that are shifted by half a square. */
function comb({ rows, columns, squares }) {
  const first = new Map();
  for (const { row, column } of squares) {
    const [least, n] = first.get(row) ?? [column, 0];
    first.set(row, [Math.min(least, column), n + 1]);
  }
  const at = square => {
    const [least, n] = first.get(square.row);
    return [((columns - n) / 2 + square.column - least) * 100 + 50, square.row * 87 + 56];
  };
  return { width: columns * 100, height: rows * 87 + 25, left: 0, at, labels: "none",
    ground: group => squares.forEach(square => group.append(s("polygon", { class: "tile light", points: hexagon(...at(square), 57) }))),
    shape: (square, name) => s("polygon", { class: name, points: hexagon(...at(square), 54) }) };
}

/** A rhombus of hexagons: one player joins the top with the bottom, the other left with right. */
function hexagons({ rows, columns, squares }) {
  const at = ({ row, column }) => [column * 100 + row * 50 + 68, row * 87 + 74];
  const [right, down] = [(columns - 1) * 100, (rows - 1) * 87];
  const ground = group => {
    const edge = (name, corners) => group.append(s("polygon", { class: `edge ${name}`, points: points(corners) }));
    const [a, b, c, d] = [[8, 8], [right + 118, 8], [right + rows * 50 + 78, down + 140], [rows * 50 - 32, down + 140]];
    const middle = [(a[0] + c[0]) / 2, (a[1] + c[1]) / 2];
    edge("first", [a, b, middle]);
    edge("first", [c, d, middle]);
    edge("second", [b, c, middle]);
    edge("second", [d, a, middle]);
    for (const square of squares) group.append(s("polygon", { class: "tile light", points: hexagon(...at(square), 57) }));
  };
  return { width: right + rows * 50 + 86, height: down + 148, left: 24, at, ground, labels: "slanted", bare: true,
    shape: (square, name) => s("polygon", { class: name, points: hexagon(...at(square), 54) }) };
}

/** A square that is a line is as wide as a finger: an area, since a line without width could not be pointed at. */
function bar([x1, y1], [x2, y2], name) {
  const length = Math.hypot(x2 - x1, y2 - y1), wide = 17;
  const [nx, ny] = [(y1 - y2) / length * wide, (x2 - x1) / length * wide];
  return s("polygon", { class: `${name} long`, points: points([[x1 + nx, y1 + ny], [x2 + nx, y2 + ny], [x2 - nx, y2 - ny], [x1 - nx, y1 - ny]]) });
}

/** Dots at even places, sides between them, boxes at odd ones. */
function sides({ rows, columns }) {
  const place = i => i * HALF + 40;
  const at = ({ row, column }) => [place(column), place(row)];
  const along = ({ row }) => (row % 2 ? [0, HALF - 17] : [HALF - 17, 0]);
  const ground = group => {
    for (let row = 0; row < rows; row += 2)
      for (let column = 0; column < columns; column += 2) group.append(s("circle", { class: "dot", cx: place(column), cy: place(row), r: 11 }));
  };
  return { width: place(columns - 1) + 40, height: place(rows - 1) + 40, left: 30, at, along, ground, labels: "both",
    boxes: [...Array(rows * columns).keys()].map(i => ({ row: Math.floor(i / columns), column: i % columns })).filter(({ row, column }) => row % 2 && column % 2),
    box: square => s("rect", { class: "box", x: at(square)[0] - HALF + 14, y: at(square)[1] - HALF + 14, width: 2 * HALF - 28, height: 2 * HALF - 28, rx: 8 }),
    shape: (square, name) => {
      const [[x, y], [dx, dy]] = [at(square), along(square)];
      return bar([x - dx, y - dy], [x + dx, y + dy], name);
    } };
}

/** Two lattices; who builds on a square joins two points of the own one, across or along. */
function bridges({ rows, columns }) {
  const at = ({ row, column }) => [column * HALF + 90, row * HALF + 90];
  const upright = square => square.row % 2 === 0;
  const ground = group => {
    const [w, h] = [columns * HALF + 115, rows * HALF + 115];
    for (const y of [6, h - 16]) group.append(s("rect", { class: "edge first", x: 40, y, width: w - 80, height: 10, rx: 5 }));
    for (const x of [6, w - 16]) group.append(s("rect", { class: "edge second", x, y: 40, width: 10, height: h - 80, rx: 5 }));
    for (let row = -1; row <= rows; row++)
      for (let column = -1; column <= columns; column++) {
        const [x, y] = at({ row, column });
        if (row % 2 && column % 2 === 0 && column >= 0 && column < columns) group.append(s("circle", { class: "post first", cx: x, cy: y, r: 10 }));
        if (row % 2 === 0 && column % 2 && row >= 0 && row < rows) group.append(s("rect", { class: "post second", x: x - 9, y: y - 9, width: 18, height: 18, rx: 3 }));
      }
  };
  return { width: columns * HALF + 115, height: rows * HALF + 115, left: 30, at, ground, labels: "both",
    along: (square, name) => (upright(square) === (name === "r") ? [0, HALF - 10] : [HALF - 10, 0]),
    shape: (square, name) => s("circle", { class: name, cx: at(square)[0], cy: at(square)[1], r: 34 }) };
}

/** Lines between the corners of a polygon: row and column say which. */
function chords({ rows }) {
  const n = rows + 1, corner = i => [250 + 205 * Math.sin(2 * Math.PI * (i - 0.5) / n), 250 - 205 * Math.cos(2 * Math.PI * (i - 0.5) / n)];
  const ends = ({ row, column }) => [corner(row), corner(column + 1)];
  const at = square => {
    const [a, b] = ends(square);
    // Lines through the middle would all be touched there.
    const part = (square.column + 1 - square.row) * 2 === n ? 0.37 : 0.5;
    return [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part];
  };
  const shape = (square, name) => {
    const [[x1, y1], [x2, y2]] = ends(square).map(([x, y]) => [x, y]);
    const [dx, dy] = [(x2 - x1) * 0.09, (y2 - y1) * 0.09];
    return bar([x1 + dx, y1 + dy], [x2 - dx, y2 - dy], name);
  };
  const ground = group => {
    for (let i = 0; i < n; i++)
      for (let j = i + 1; j < n; j++) group.append(s("path", { class: "thread", d: `M${corner(i).join(" ")} L${corner(j).join(" ")}` }));
    for (let i = 0; i < n; i++) {
      const [x, y] = corner(i);
      group.append(s("circle", { class: "knob", cx: x, cy: y, r: 21 }), s("text", { class: "knob-name", x, y }, String(i + 1)));
    }
  };
  // A line ends where the corner's knob begins, so that its number can be read.
  const short = ([a, b]) => {
    const part = 27 / Math.hypot(b[0] - a[0], b[1] - a[1]), [dx, dy] = [(b[0] - a[0]) * part, (b[1] - a[1]) * part];
    return [[a[0] + dx, a[1] + dy], [b[0] - dx, b[1] - dy]];
  };
  return { width: 500, height: 500, left: 0, at, ground, shape, labels: "none",
    ends: square => short(ends(square)).map(([x, y]) => [x - at(square)[0], y - at(square)[1]]) };
}

/** Men on points with lines between them. */
function pointed({ style, rows, columns, squares, lines }) {
  const around = [[0, 0], [0, 1], [0, 2], [1, 2], [2, 2], [2, 1], [2, 0], [1, 0]];
  const ring = ({ row, column }) => {
    const i = around.findIndex(([r, c]) => r === row && c === column);
    const angle = (i - 1) * Math.PI / 4;
    return i < 0 ? [215, 215] : [215 + 160 * Math.sin(angle), 215 - 160 * Math.cos(angle)];
  };
  const step = Math.max(rows, columns) > 4 ? 100 : 140;
  const grid = ({ row, column }) => [column * step + 60, row * step + 60];
  const at = style === "ring" ? ring : grid;
  const ground = group => {
    for (const [a, b] of lines) {
      const [[x1, y1], [x2, y2]] = [at(squares[a]), at(squares[b])];
      group.append(s("path", { class: "thread", d: `M${x1} ${y1} L${x2} ${y2}` }));
    }
    for (const square of squares) group.append(s("circle", { class: "dot", cx: at(square)[0], cy: at(square)[1], r: 13 }));
  };
  const [width, height] = style === "ring" ? [430, 430] : [(columns - 1) * step + 120, (rows - 1) * step + 120];
  return { width, height, left: style === "ring" ? 0 : 30, at, ground, labels: style === "ring" ? "none" : "both",
    shape: (square, name) => s("circle", { class: name, cx: at(square)[0], cy: at(square)[1], r: 44 }) };
}

/** Two rows of houses and a store at either end. */
function pits({ columns }) {
  const store = square => square.column === 0 || square.column === columns - 1;
  const at = square => [square.column * 108 + 62, store(square) ? 116 : square.row * 112 + 60];
  const shape = (square, name) => {
    const [x, y] = at(square);
    return store(square) ? s("rect", { class: name, x: x - 46, y: y - 98, width: 92, height: 196, rx: 46 }) : s("circle", { class: name, cx: x, cy: y, r: 48 });
  };
  return { width: columns * 108 + 16, height: 232, left: 0, at, shape, labels: "columns", counts: true,
    ground: (group, squares) => squares.forEach(square => group.append(shape(square, "pit"))) };
}

/** Heaps side by side. */
function heaps({ columns, squares }) {
  const at = square => [square.column * 150 + 70, 110];
  const shape = (square, name) => s("rect", { class: name, x: square.column * 150 + 4, y: 4, width: 132, height: 212, rx: 16 });
  return { width: columns * 150 - 10, height: 220, left: 0, at, shape, labels: "columns", counts: true,
    ground: group => squares.forEach(square => group.append(shape(square, "tile light"))) };
}

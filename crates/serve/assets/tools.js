// Small things that every part of the page needs. Nothing here or elsewhere writes markup from text: names come
// from files that anybody may have written.

export const GLYPH = { win: "W", lose: "L", tie: "=", draw: "∞" };
export const glyph = value => GLYPH[value] ?? "?";
/** The best first. */
export const VALUES = ["win", "tie", "draw", null, "lose"];

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined));
  return element;
}

/** An element of HTML with attributes, listeners (onclick) and children. */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
/** The same of SVG. */
export const s = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

export const byId = id => document.getElementById(id);

/** What the server put into the page. */
export const data = () => JSON.parse(byId("data").textContent);

/** Asks the API. The digest in the address lets the browser keep what it got. */
export async function ask(game, path, query = {}, pinned = true) {
  const id = pinned && game.complete ? `${game.id}@${game.digest.slice(0, 16)}` : game.id;
  const words = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const search = new URLSearchParams(words).toString();
  const response = await fetch(`/api/v1/games/${id}/${path}${search ? "?" + search : ""}`);
  const body = await response.json().catch(() => ({}));
  if (!response.ok) {
    const error = new Error(body.detail ?? "The server could not be reached");
    error.status = response.status;
    throw error;
  }
  return body;
}

export const plies = n => (n === 1 ? "1 ply" : `${n} plies`);
export const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
export const number = n => Number(n).toLocaleString("en");
export const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Splits at blanks outside parentheses, as the game does. */
export function words(text) {
  const found = [];
  let [depth, word] = [0, ""];
  for (const c of text) {
    if (c === " " && depth === 0) {
      if (word) found.push(word);
      word = "";
      continue;
    }
    depth += c === "(" ? 1 : c === ")" ? -1 : 0;
    word += c;
  }
  if (word) found.push(word);
  return found;
}

/** A move as people read it: rules from a file write it with parentheses around. */
export const plain = move => move.replace(/^\(([^()]*)\)$/, "$1");

/** The player whom a piece belongs to by its name, if that is clear. */
export function owner(piece, players) {
  const name = piece.toLowerCase();
  const exact = players.findIndex(player => player.toLowerCase() === name);
  if (exact >= 0) return exact;
  const first = players.map(player => player[0]?.toLowerCase());
  if (first[0] === first[1]) return -1;
  return first.indexOf(name[0]);
}

/** Says something to a screen reader and, for a moment, on the screen. */
export function say(text) {
  let line = byId("said");
  if (!line) {
    line = h("div", { id: "said", role: "status", "aria-live": "polite" });
    document.body.append(line);
  }
  line.textContent = text;
  line.classList.add("shown");
  clearTimeout(line.timer);
  line.timer = setTimeout(() => line.classList.remove("shown"), 3500);
}

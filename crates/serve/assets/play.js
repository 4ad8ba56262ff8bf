// The page on which a solved game is played and understood.

import { Board } from "./board.js";
import { Editor } from "./editor.js";
import { History } from "./history.js";
import { Moves } from "./moves.js";
import { badge, named } from "./pieces.js";
import { Session } from "./session.js";
import { ask, byId, capital, data, glyph, h, say, still, wait } from "./tools.js";

const { game, position, mode, wrong } = data();
const quiz = mode === "quiz";
const keep = (name, value) => { try { localStorage.setItem(name, value); } catch { /* not allowed here */ } };
const kept = name => { try { return localStorage.getItem(name); } catch { return null; } };

const state = {
  session: null, hints: !quiz && kept("hints") !== "off", sides: game.players.map(() => "human"),
  editing: false, busy: false, run: 0, question: null, score: [0, 0],
};

const hover = m => { board.point(m); moves.point(m); };
const board = new Board(byId("board"), game, { play: m => play(m), hover, edit: name => editor.paint(name) });
const moves = new Moves(byId("moves"), game, { play: m => play(m), hover, line: m => line(m) });
byId("more").append(h("div", { id: "editor" }), h("div", { class: "card", id: "history" }), h("div", { id: "notes" }));
const history = new History(byId("history"), game, at => go(at));
byId("below").append(h("div", { id: "tools" }));
const editor = new Editor(byId("editor"), game, edited, position => leave(position));

/** The player whose turn it is, as an index; null where the game has ended. */
const mover = answer => (answer.terminal || !answer.turn ? null : answer.turn - 1);
const human = answer => state.sides[mover(answer) ?? 0] === "human";

function render(played = null) {
  const { session } = state;
  const answer = session.answer;
  const active = !state.busy && !state.editing && answer.moves.length > 0 && human(answer);
  const hints = state.hints && (!quiz || state.question?.answered);
  board.show(answer, { hints, active, played, editing: state.editing });
  moves.show(answer, { hints, active });
  if (!quiz) history.show(session);
  byId("history").hidden = quiz || state.editing;
  byId("moves").hidden = state.editing;
  verdict(answer, hints || answer.terminal || answer.reachable === false);
  tools();
  if (!quiz) document.title = `${answer.sentence} · ${game.title} · winset`;
}

function verdict(answer, open) {
  const parts = [];
  const value = answer.value ?? "unknown";
  const who = mover(answer);
  const name = who === null ? null : h("p", { class: "to-move" }, badge(game, who), ` ${capital(game.players[who])} to move`);
  if (quiz && state.question && !state.question.answered) {
    const goal = { win: "wins", tie: "keeps the game level", draw: "keeps the draw", lose: "holds out" }[value] ?? "is right";
    parts.push(h("h1", { class: "verdict hidden" }, h("span", { class: "glyph" }, "?"), " ", h("span", { id: "sentence" }, `Only one move ${goal}`)));
  } else if (!open) {
    parts.push(h("h1", { class: "verdict hidden" }, h("span", { class: "glyph" }, "·"), " ", h("span", { id: "sentence" }, who === null ? answer.sentence : `${capital(game.players[who])} to move`)));
  } else {
    parts.push(h("h1", { class: `verdict ${value}` }, h("span", { class: "glyph", "aria-hidden": "true" }, answer.reachable === false ? "×" : glyph(answer.value)), " ",
      h("span", { id: "sentence" }, answer.sentence)));
  }
  if (name) parts.push(name);
  if (wrong && !state.editing && state.session.entries.length === 1 && !state.session.base) parts.push(h("p", { class: "why" }, wrong));
  if (answer.why) parts.push(h("p", { class: "why" }, `${answer.why}.`));
  if (answer.searched) parts.push(h("p", { class: "quiet" }, "Found by a short search."));
  if (answer.warning) parts.push(h("p", { class: "why" }, `${answer.warning}.`));
  if (answer.facts.length && game.board.kind !== "cards") parts.push(h("p", { class: "facts" }, answer.facts.slice(0, 12).map(fact => h("code", {}, named(game, fact), fact))));
  byId("verdict").replaceChildren(...parts);
}

const button = (text, label, onclick, more = {}) =>
  h("button", { type: "button", "aria-label": label, title: label, onclick, ...more }, text);

function tools() {
  const focused = document.activeElement?.dataset?.tool;
  const { session } = state;
  const end = session.at === session.entries.length - 1;
  const key = tool => ({ "data-tool": tool });
  const row = quiz ? [
    button("Next position", "Next position", () => next(), { class: "primary wide", ...key("next") }),
    h("output", { class: "score", "aria-label": "Score" }, `${state.score[0]} of ${state.score[1]} right`),
  ] : [
    button("⇤", "Start (Esc)", () => go(0), { disabled: session.at === 0, ...key("start") }),
    button("◀", "Back (left arrow)", () => back(), { disabled: session.at === 0, ...key("back") }),
    button("▶", "Forward (right arrow)", () => go(session.at + 1), { disabled: end, ...key("forward") }),
    button("★ Best move", "Best move (space)", () => best(), { class: "primary", disabled: state.editing || !session.answer.moves.length, ...key("best") }),
    button("▸▸ Line", "Play the perfect line to its end", () => line(null), { disabled: state.editing || !session.answer.moves.length, ...key("line") }),
    button("↻", "New game", () => restart(), key("new")),
    button("✎", "Set up a position", () => (state.editing ? leave(null) : edit()), { "aria-pressed": String(state.editing), ...key("edit") }),
  ];
  const sides = quiz ? null : h("div", { class: "sides" }, game.players.map((name, i) =>
    h("label", { class: `side${mover(session.answer) === i ? " turn" : ""}` }, badge(game, i), h("span", {}, capital(name)),
      h("select", { "aria-label": `${name} is played by`, "data-tool": `side${i}`, onchange: event => { state.sides[i] = event.target.value; turn(); } },
        [["human", "human"], ["100", "perfect"], ["75", "skill 75 %"], ["50", "skill 50 %"], ["25", "skill 25 %"], ["0", "random"]].map(([value, text]) =>
          h("option", { value, selected: state.sides[i] === value }, text))))),
    game.players.length > 1 ? button("⇄", "Swap sides", () => { state.sides.reverse(); turn(); }, key("swap")) : null,
    h("label", { class: "switch" }, h("input", { type: "checkbox", checked: state.hints, "data-tool": "hints", onchange: event => setHints(event.target.checked) }), h("span", {}, "values")));
  byId("tools").replaceChildren(h("div", { class: "toolbar", role: "toolbar", "aria-label": "Game" }, row), ...(sides ? [sides] : []));
  if (focused) document.querySelector(`[data-tool="${focused}"]`)?.focus();
}

function setHints(on) {
  state.hints = on;
  keep("hints", on ? "on" : "off");
  render();
}

/** Something that takes a moment; what the user starts meanwhile makes it stop. */
async function busy(work) {
  const run = ++state.run;
  state.busy = true;
  // Nothing can be pressed twice.
  render();
  try {
    await work(() => run === state.run);
  } catch (error) {
    say(error.message);
  }
  if (run === state.run) {
    state.busy = false;
    render();
  }
}

async function play(m) {
  if (quiz && state.question) return reply(m);
  if (state.busy) return;
  hover(null);
  await busy(async () => {
    await state.session.play(m);
    render(m);
  });
  turn();
}

/** Lets the computer move as long as it is its turn. */
function turn() {
  const { session } = state;
  render();
  if (state.editing || quiz || !session.answer.moves.length || human(session.answer)) return;
  busy(async on => {
    const seen = new Set();
    while (on() && session.answer.moves.length && !human(session.answer)) {
      // Two computers that come back to a position would go on like this for ever.
      if (seen.has(session.answer.position)) return say("And so on for ever.");
      seen.add(session.answer.position);
      render();
      await wait(still() ? 120 : 480);
      if (!on()) return;
      const m = chosen(session.answer.moves, Number(state.sides[mover(session.answer)]) / 100);
      await session.play(m);
      if (on()) render(m);
    }
  });
}

/** The best move with the chance that the skill gives, else any. */
function chosen(all, skill) {
  return Math.random() < skill ? all[0] : all[Math.floor(Math.random() * all.length)];
}

function best() {
  const m = state.session.answer.moves[0];
  if (m && !state.editing) play(m);
}

async function line(first) {
  await busy(async on => {
    const { session } = state;
    if (first) {
      await session.play(first);
      render(first);
    }
    const { line: steps, ends } = await ask(game, "line", { p: session.answer.position });
    for (const step of steps) {
      if (!on()) return;
      const m = session.answer.moves.find(other => other.move === step.move);
      if (!m) return;
      await wait(still() ? 0 : 380);
      if (!on()) return;
      await session.play(m);
      render(m);
    }
    if (!ends) say("And so on for ever.");
  });
}

function stop() {
  state.run += 1;
  state.busy = false;
}

function go(at) {
  stop();
  state.session.go(at);
  render();
}

/** Back to where a human was to move. */
function back() {
  const { session } = state;
  let at = session.at - 1;
  while (at > 0 && !human(session.entries[at].answer)) at -= 1;
  go(at);
}

async function restart() {
  stop();
  await busy(() => state.session.begin());
  turn();
}

function edit() {
  stop();
  state.editing = true;
  editor.open(state.session.answer);
  render();
}

/** What is being set up has changed. */
function edited(answer, fault) {
  if (!state.editing) return;
  if (!answer) {
    byId("verdict").replaceChildren(h("h1", { class: "verdict unknown" }, h("span", { class: "glyph" }, "×"), " ", h("span", { id: "sentence" }, "This is not a position")), h("p", { class: "why" }, fault.replace(/^\[[\w-]+\] /, "")));
    return;
  }
  board.show(answer, { hints: false, active: false, editing: true });
  verdict(answer, true);
}

async function leave(position) {
  state.editing = false;
  editor.container.replaceChildren();
  if (position !== null) await busy(() => state.session.begin(position));
  turn();
}

async function next() {
  await busy(async () => {
    const { question } = await ask(game, "quiz", {}, false);
    state.session = new Session(game, question);
    state.session.remember = () => {};
    state.question = { answer: question, answered: false };
    state.hints = true;
    byId("notes").replaceChildren();
  });
}

/** An answer to the quiz. */
function reply(m) {
  const { question } = state;
  if (question.answered) return;
  const right = m.position === question.answer.moves[0].position;
  question.answered = true;
  state.score = [state.score[0] + (right ? 1 : 0), state.score[1] + 1];
  const text = right ? `Right: ${m.move}. ${m.sentence}.` : `${m.move} does not: ${m.sentence}. It was ${question.answer.moves[0].move}.`;
  byId("notes").replaceChildren(h("p", { class: `card note ${right ? "win" : "lose"}`, role: "status" },
    h("span", { class: "glyph", "aria-hidden": "true" }, right ? "✓" : "✗"), ` ${text} `,
    h("a", { href: `/g/${game.id}?${new URLSearchParams({ p: question.answer.position })}` }, "Explore it")));
  render();
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, select, textarea, summary")) return;
  const onButton = event.target.closest("button, a, [role=button]");
  const keys = quiz ? { n: next } : {
    " ": onButton ? null : best, ArrowLeft: back, ArrowRight: () => go(state.session.at + 1), Escape: () => (state.editing ? leave(null) : go(0)),
    h: () => setHints(!state.hints),
  };
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

addEventListener("popstate", async () => {
  if (quiz) return;
  stop();
  try {
    const search = new URLSearchParams(location.search);
    const answer = await ask(game, "positions", { p: search.get("p"), moves: search.get("m") });
    state.session = await Session.open(game, answer);
    render();
  } catch (error) {
    say(error.message);
  }
});

async function start() {
  state.session = new Session(game, position);
  render();
  if (quiz) {
    byId("explorer").classList.add("quiz");
    await next();
    document.body.dataset.ready = "";
    return;
  }
  // A link that leads nowhere is not handed on: the address is that of the start, which is shown.
  if (wrong) state.session.remember(true);
  else state.session = await Session.open(game, position).catch(() => state.session);
  turn();
  document.body.dataset.ready = "";
}
start();

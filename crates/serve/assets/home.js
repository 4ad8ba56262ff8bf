// The list of games: where there are many, a field that leaves only those whose words it has.

import { h } from "./tools.js";

const MANY = 12;

const list = document.querySelector(".games");
const cards = [...list?.children ?? []].map(card => ({ card, text: card.textContent.toLowerCase() }));
if (cards.length > MANY) {
  const count = h("span", { class: "quiet", role: "status" });
  const field = h("input", { type: "search", id: "filter", "aria-label": "Find a game", autocomplete: "off", spellcheck: "false", placeholder: "Connect Four, 4×4, draw …" });
  const look = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean).map(word => word.replace(/^(\d+)x(\d+)$/, "$1×$2"));
    let shown = 0;
    for (const { card, text } of cards) {
      card.hidden = !words.every(word => text.includes(word));
      shown += card.hidden ? 0 : 1;
    }
    count.textContent = shown === cards.length ? `${shown} games` : `${shown} of ${cards.length} games`;
  };
  field.addEventListener("input", look);
  list.before(h("p", { class: "filter" }, h("label", { for: "filter" }, "Find a game"), field, count));
  look();
}
document.body.dataset.ready = "";

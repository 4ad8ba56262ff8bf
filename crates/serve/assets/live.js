// Solving while one watches: layers fill in as they are found, then as they are solved.

import { byId, data, h, number, s } from "./tools.js";

const { token, snapshot } = data();
const send = (path, body) => fetch(path, { method: "POST", headers: { "content-type": "application/json", "x-winset-token": token }, body: JSON.stringify(body) });

const megabytes = bytes => `${number(Math.round(bytes / 1048576))} MiB`;
const time = seconds => seconds < 100 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;

const nodes = now => {
  const known = now.layers.filter(layer => layer.nodes !== null);
  return known.length ? number(known.reduce((sum, layer) => sum + layer.nodes, 0)) : "–";
};

function figures(now) {
  const shown = [["positions", number(now.positions)], ["solved", number(now.solved)], ["nodes", nodes(now)], ["a second", now.perSecond === null ? "–" : number(now.perSecond)],
    ["memory", now.memory === null ? "–" : megabytes(now.memory)], ["time", time(now.seconds)], ["left", now.end ? "0 s" : now.secondsLeft === null ? "not known yet" : time(now.secondsLeft)]];
  byId("figures").replaceChildren(...shown.map(([name, value]) => h("div", {}, h("b", {}, value), h("span", {}, name))));
}

function layers(now) {
  const W = 880, H = 220, left = 8, most = Math.max(...now.layers.map(layer => layer.positions), 10);
  const width = (W - left) / Math.max(now.layers.length, 12);
  const svg = s("svg", { viewBox: `0 0 ${W} ${H + 28}`, role: "img", "aria-label": `${now.layers.length} layers found, ${now.layers.filter(layer => layer.solved).length} solved` });
  for (const layer of now.layers) {
    const height = Math.max(3, H * Math.log10(layer.positions + 1) / Math.log10(most + 1));
    svg.append(s("rect", { class: layer.solved ? "value0" : "value1", x: left + layer.layer * width + 1, y: H - height, width: Math.max(width - 2, 1), height, rx: 3 },
      s("title", {}, `layer ${layer.layer}: ${number(layer.positions)} positions, ${number(layer.terminal)} ended${layer.nodes === null ? "" : `, ${number(layer.nodes)} nodes`}${layer.solved ? ", solved" : ""}`)));
    if (now.layers.length <= 50 || layer.layer % 5 === 0) svg.append(s("text", { x: left + (layer.layer + 0.5) * width, y: H + 18, "text-anchor": "middle" }, String(layer.layer)));
  }
  byId("layers").replaceChildren(svg);
}

function show(now) {
  figures(now);
  layers(now);
  const { end } = now;
  const words = !end ? `${now.phase}${now.message ? `: ${now.message}` : ""}` : end.how === "done" ? end.sentence ?? "Solved" : end.detail;
  byId("said").textContent = words;
  byId("act").replaceChildren(
    ...(!end ? [h("button", { type: "button", onclick: event => { event.target.disabled = true; send(`/api/v1/jobs/${now.job}/cancel`, {}); } }, "Stop")] : []),
    ...(end?.page ? [h("a", { class: "button primary", href: end.page }, "Explore it")] : []));
  document.body.dataset.ready = end ? "ended" : "";
}

if (snapshot) {
  show(snapshot);
  if (!snapshot.end) {
    const source = new EventSource(`/api/v1/jobs/${snapshot.job}/events`);
    source.addEventListener("progress", event => {
      const now = JSON.parse(event.data);
      show(now);
      if (now.end) source.close();
    });
  }
} else {
  byId("solve").addEventListener("submit", async event => {
    event.preventDefault();
    const form = new FormData(event.target);
    const response = await send("/api/v1/jobs", { game: form.get("game"), size: form.get("size").trim() });
    const answer = await response.json();
    if (response.ok) return location.assign(answer.page);
    byId("wrong").hidden = false;
    byId("wrong").textContent = answer.detail;
  });
  document.body.dataset.ready = "";
}

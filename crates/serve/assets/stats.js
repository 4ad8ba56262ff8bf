// The figures of the statistics page, with the present position's bar lit.

import { ask, byId, data, h, number, plies, s, wait } from "./tools.js";

const { game, stats, position } = data();
const W = 880;

/** The colour of a value: first player ahead, level, second player ahead; others in order. */
const colour = rewards => {
  if (rewards.length < 2) return rewards[0] === 100 ? "value0" : rewards[0] === 0 ? "value2" : "value1";
  return rewards[0] > rewards[1] ? "value0" : rewards[0] < rewards[1] ? "value2" : "value1";
};
const order = values => [...values].sort((a, b) => (b.rewards[0] - (b.rewards[1] ?? 0)) - (a.rewards[0] - (a.rewards[1] ?? 0)));
const short = n => n >= 1e9 ? `${n / 1e9}G` : n >= 1e6 ? `${n / 1e6}M` : n >= 1e3 ? `${n / 1e3}k` : String(n);

function legend(names) {
  return h("p", { class: "legend" }, names.map(([name, kind]) => h("span", {}, s("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, s("rect", { width: 10, height: 10, rx: 2, class: kind })), name)));
}

function layers() {
  const rows = stats.layers, H = 250, left = 40, bottom = 30;
  const columns = order(stats.values.map((column, i) => ({ ...column, i })));
  const width = (W - left) / Math.max(rows.length, 1);
  const svg = s("svg", { viewBox: `0 0 ${W} ${H + bottom + 8}`, role: "img", "aria-label": "Share of won, level and lost positions in each layer; the table below has the numbers" });
  for (const share of [0, 0.5, 1]) svg.append(s("path", { class: "axis", d: `M${left} ${8 + H * (1 - share)} H${W}` }), s("text", { x: left - 6, y: 12 + H * (1 - share), "text-anchor": "end" }, `${share * 100} %`));
  rows.forEach((row, i) => {
    const x = left + i * width + width * 0.08;
    let y = 8 + H;
    for (const column of columns) {
      const n = row.by_value?.[column.i] ?? 0;
      if (!n || !row.positions) continue;
      const height = H * n / row.positions;
      y -= height;
      svg.append(s("rect", { class: colour(column.rewards), x, y, width: width * 0.84, height }, s("title", {}, `layer ${row.layer}: ${column.name} ${number(n)} of ${number(row.positions)}`)));
    }
    if (!row.by_value) svg.append(s("rect", { class: "axis", fill: "none", x, y: 8, width: width * 0.84, height: H }));
    if (rows.length <= 40 || i % Math.ceil(rows.length / 20) === 0) svg.append(s("text", { x: x + width * 0.42, y: H + 26, "text-anchor": "middle" }, String(row.layer)));
  });
  byId("layers").replaceChildren(svg, legend(columns.map(column => [column.name, colour(column.rewards)])));
}

async function counted() {
  for (;;) {
    try {
      return await ask(game, "histogram");
    } catch (error) {
      if (error.status !== 503) throw error;
      byId("histogram").replaceChildren(h("p", { class: "quiet", role: "status" }, "Counting…"));
      await wait(1000);
    }
  }
}

/** A logarithmic histogram; stretches without positions are left out. */
function draw(histogram) {
  const name = rewards => stats.values.find(column => column.rewards.join() === rewards.join())?.name ?? rewards.join(" : ");
  const kinds = order([...new Map(histogram.bins.map(bin => [bin.rewards.join(), bin])).values()]);
  const distances = [...new Set(histogram.bins.map(bin => bin.endless ? Infinity : bin.remoteness))].sort((a, b) => (a ?? -1) - (b ?? -1));
  const slots = [];
  distances.forEach((distance, i) => {
    if (i && Number.isFinite(distance) && distance > distances[i - 1] + 1) slots.push(null);
    slots.push(distance);
  });
  const most = Math.max(...histogram.bins.map(bin => bin.positions), 1);
  const H = 260, left = 48, bottom = 44, width = (W - left) / slots.length;
  const y = n => 8 + H * (1 - Math.log10(n + 1) / Math.log10(most * 1.3 + 1));
  const svg = s("svg", { viewBox: `0 0 ${W} ${H + bottom + 8}`, role: "img", "aria-label": "Positions by plies to the end, logarithmic; CSV and JSON are linked above" });
  for (let n = 1; n <= most * 1.3; n *= 10) svg.append(s("path", { class: "axis", d: `M${left} ${y(n)} H${W}` }), s("text", { x: left - 6, y: y(n) + 4, "text-anchor": "end" }, short(n)));
  const bar = width / kinds.length * 0.86;
  slots.forEach((distance, i) => {
    const x = left + i * width;
    if (distance === null) return svg.append(s("text", { x: x + width / 2, y: H, "text-anchor": "middle" }, "⋮"));
    kinds.forEach((kind, k) => {
      const bin = histogram.bins.find(other => other.rewards.join() === kind.rewards.join() && (other.endless ? Infinity : other.remoteness) === distance);
      if (!bin) return;
      const here = position.rewards && position.rewards.join() === kind.rewards.join() && (position.value === "draw" ? Infinity : position.remoteness) === distance;
      const text = `${name(kind.rewards)}${distance === Infinity ? ", endless" : distance === null ? "" : ` in ${plies(distance)}`}: ${number(bin.positions)} positions${here ? " (the present one is here)" : ""}`;
      svg.append(s("rect", { class: `${distance === Infinity ? "value3" : colour(kind.rewards)}${here ? " lit" : ""}`, x: x + width * 0.07 + k * bar, y: y(bin.positions), width: Math.max(bar - 0.5, 0.8), height: 8 + H - y(bin.positions) }, s("title", {}, text)));
      if (here) svg.append(s("text", { x: x + width * 0.07 + (k + 0.5) * bar, y: y(bin.positions) - 6, "text-anchor": "middle" }, "▼"));
    });
    if (slots.length <= 34 || i % Math.ceil(slots.length / 17) === 0) svg.append(s("text", { x: x + width / 2, y: H + 26, "text-anchor": "middle" }, distance === Infinity ? "∞" : String(distance)));
  });
  svg.append(s("text", { x: left + (W - left) / 2, y: H + 46, "text-anchor": "middle" }, "plies to the end"));
  const named = kinds.map(kind => [name(kind.rewards), colour(kind.rewards)]);
  if (distances.includes(Infinity)) named.push(["endless", "value3"]);
  byId("histogram").replaceChildren(svg, legend(named));
  const longest = histogram.longest.map(one => h("li", {}, h("a", { href: `/g/${game.id}?${new URLSearchParams({ p: one.position })}` }, one.position), ` ${name(one.rewards)} in ${plies(one.remoteness)}`));
  byId("longest").replaceChildren(longest.length ? h("ul", { class: "longest" }, longest) : h("p", { class: "quiet" }, "Nobody wins anywhere, or distances are not kept."));
}

layers();
try {
  draw(await counted());
} catch (error) {
  byId("histogram").replaceChildren(h("p", { class: "quiet" }, error.message));
  byId("longest").replaceChildren(h("p", { class: "quiet" }, error.message));
}
document.body.dataset.ready = "";

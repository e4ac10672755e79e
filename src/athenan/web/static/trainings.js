// The trainings of a folder: those that are chosen are drawn, each curve of all of them in one plot, and read again.
const $ = (id) => document.getElementById(id);
const COLOURS = ["#1f77d0", "#d9480f", "#2b8a3e", "#ae3ec9", "#0c8599", "#e67700", "#c2255c", "#5c7cfa"];
const SECONDS = 5;
const ORDER = ["strength", "learning/loss", "match", "time", "speed", "learning"];
const SVG = "http://www.w3.org/2000/svg";

let runs = [], chosen = null;
const curves = new Map();

async function get(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function read() {
  try {
    runs = (await get("/runs")).runs;
    chosen ??= new Set(new URLSearchParams(location.hash.slice(1)).get("runs")?.split(",") ?? recent());
    for (const { name } of runs) if (chosen.has(name)) curves.set(name, (await get(`/runs/${encodeURIComponent(name)}`)).curves);
    $("status").textContent = runs.length ? "" : "There are no runs in the folder yet: athenan train makes them.";
    draw();
  } catch (error) {
    $("status").textContent = `The server does not answer: ${error.message}`;
  }
  setTimeout(read, 1000 * SECONDS);
}

function recent() { return [...runs].sort((one, other) => one.age - other.age).slice(0, 1).map(({ name }) => name); }
function colour(name) { return COLOURS[runs.findIndex((one) => one.name === name) % COLOURS.length]; }
function element(kind, attributes = {}, ...content) {
  const made = document.createElement(kind);
  Object.assign(made, attributes);
  made.append(...content);
  return made;
}
function drawn(kind, attributes, parent) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent.append(made);
  return made;
}
function ago(seconds) { return seconds < 90 ? `${seconds} s ago` : seconds < 5400 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3600)} h ago`; }

function draw() {
  $("runs").replaceChildren(element("table", {}, ...runs.map((run) => {
    const box = element("input", { type: "checkbox", checked: chosen.has(run.name) });
    box.addEventListener("change", async () => {
      chosen[box.checked ? "add" : "delete"](run.name);
      history.replaceState(null, "", `#${new URLSearchParams({ runs: [...chosen].join(",") })}`);
      if (box.checked) curves.set(run.name, (await get(`/runs/${encodeURIComponent(run.name)}`)).curves);
      draw();
    });
    const swatch = element("span", { className: "swatch" });
    swatch.style.background = chosen.has(run.name) ? colour(run.name) : "transparent";
    const play = new URLSearchParams({ game: run.game, second: `run:${run.name}`, search: `run:${run.name}` });
    return element("tr", {}, element("td", {}, element("label", {}, box, swatch, run.name)), element("td", {}, run.game),
      element("td", {}, `saved ${ago(run.age)}`), element("td", {}, element("a", { href: `/#${play}` }, "play it")));
  })));
  const tags = [...new Set([...chosen].flatMap((name) => Object.keys(curves.get(name) ?? {})))];
  const place = (tag) => { const at = ORDER.findIndex((one) => tag.startsWith(one)); return at < 0 ? ORDER.length : at; };
  tags.sort((one, other) => place(one) - place(other) || one.localeCompare(other));
  $("plots").replaceChildren(...tags.map(plot));
  settings();
}

function plot(tag) {
  const lines = [...chosen].map((name) => ({ name, points: curves.get(name)?.[tag] ?? [] })).filter(({ points }) => points.length);
  const all = lines.flatMap(({ points }) => points), width = 320, height = 150, left = 46, low = 20;
  const last = Math.max(1, ...all.map(([step]) => step));
  let least = Math.min(...all.map(([, value]) => value)), most = Math.max(...all.map(([, value]) => value));
  if (tag.startsWith("strength/") || /won|drew|lost|^time\/(?!seconds)/.test(tag)) { least = Math.min(0, least); most = Math.max(1, most); }
  if (least === most) { least -= 0.5; most += 0.5; }
  const svg = document.createElementNS(SVG, "svg");
  const x = (step) => left + (width - left - 6) * step / last, y = (value) => 6 + (height - low - 6) * (most - value) / (most - least);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${tag}: ${lines.map(({ name, points }) => `${name} ${short(points.at(-1)[1])}`).join(", ")}`);
  for (const value of [least, (least + most) / 2, most]) {
    drawn("line", { class: "rule", x1: left, x2: width - 6, y1: y(value), y2: y(value) }, svg);
    drawn("text", { class: "tick", x: left - 4, y: y(value) + 3, "text-anchor": "end" }, svg).textContent = short(value);
  }
  drawn("text", { class: "tick", x: width - 6, y: height - 5, "text-anchor": "end" }, svg).textContent = `${last.toLocaleString("en")} matches`;
  for (const { name, points } of lines) {
    const line = drawn("polyline", { class: "run", stroke: colour(name), points: points.map(([step, value]) => `${x(step)},${y(value)}`).join(" ") }, svg);
    drawn("title", {}, line).textContent = name;
    drawn("circle", { cx: x(points.at(-1)[0]), cy: y(points.at(-1)[1]), r: 2.5, fill: colour(name) }, svg);
  }
  return element("figure", {}, element("figcaption", {}, tag), svg);
}

function short(value) { return Math.abs(value) >= 1e5 ? value.toExponential(1) : Number(value.toPrecision(3)).toLocaleString("en"); }

function settings() {
  const shown = runs.filter(({ name }) => chosen.has(name)), names = [...new Set(shown.flatMap((run) => Object.keys(run.settings)))];
  const different = names.filter((name) => new Set(shown.map((run) => run.settings[name] ?? "")).size > 1);
  if (shown.length < 2) return $("settings").replaceChildren("Choose two runs or more.");
  $("settings").replaceChildren(element("table", {}, element("tr", {}, element("th", {}, "setting"), ...shown.map(({ name }) => element("th", {}, name))),
    ...different.map((name) => element("tr", {}, element("td", {}, name), ...shown.map((run) => element("td", {}, run.settings[name] ?? ""))))));
}

read();

// The trainings of a folder. Each plot draws one curve of all chosen trainings, which are read repeatedly.
import "/static/kept.js";
import { $, drawn, element } from "/static/dom.js";
import { counted, decimal, language, t } from "/static/texts.js";

const COLOURS = ["#1f77d0", "#d9480f", "#2b8a3e", "#ae3ec9", "#0c8599", "#e67700", "#c2255c", "#5c7cfa"];
const SECONDS = 5;
const ORDER = ["strength", "learning/loss", "match", "time", "speed", "learning"];
const MAIN = 3;   // the number of these kinds of curves shown at once

let runs = [], chosen = null;
const curves = new Map(), matches = new Map(), faults = new Map();   // by the names of the chosen runs

async function get(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function read() {
  try {
    runs = (await get("/runs")).runs;
    document.querySelector("main").hidden = !runs.length;
    if (runs.length) await follow(); else tell();
  } catch (error) {
    $("status").textContent = t("server.silent", { message: error.message });
  }
  setTimeout(read, 1000 * SECONDS);
}

// Reads and draws the chosen runs: at first those of the address, or the latest one.
async function follow() {
  chosen ??= new Set(new URLSearchParams(location.hash.slice(1)).get("runs")?.split(",") ?? recent());
  for (const { name } of runs) if (chosen.has(name)) await learn(name);
  draw();
}

// Names a run that cannot be read and draws the others.
async function learn(name) {
  try {
    const told = await get(`/runs/${name.split("/").map(encodeURIComponent).join("/")}`);
    curves.set(name, told.curves);
    matches.set(name, told.latest);
    faults.delete(name);
  } catch (error) {
    faults.set(name, error.message);
  }
}

function recent() { return [...runs].sort((one, other) => one.age - other.age).slice(0, 1).map(({ name }) => name); }
function colour(name) { return COLOURS[runs.findIndex((one) => one.name === name) % COLOURS.length]; }
function ago(seconds) {
  if (seconds < 90) return t("ago.seconds", { count: seconds });
  return seconds < 5400 ? t("ago.minutes", { count: Math.round(seconds / 60) }) : t("ago.hours", { count: Math.round(seconds / 3600) });
}

function draw() {
  $("runs").replaceChildren(element("table", {}, ...runs.map((run) => {
    const box = element("input", { type: "checkbox", checked: chosen.has(run.name) });
    box.addEventListener("change", async () => {
      chosen[box.checked ? "add" : "delete"](run.name);
      history.replaceState(null, "", `#${new URLSearchParams({ runs: [...chosen].join(",") })}`);
      if (box.checked) await learn(run.name);
      draw();
    });
    const swatch = element("span", { className: "swatch" });
    swatch.style.background = chosen.has(run.name) ? colour(run.name) : "transparent";
    return element("tr", {}, element("td", {}, element("label", {}, box, swatch, run.name)), element("td", {}, run.game),
      element("td", {}, t("runs.saved", { ago: ago(run.age) })), element("td", {}, link(play(run, run.name), t("runs.play")), ...earlier(run)));
  })));
  const tags = [...new Set([...chosen].flatMap((name) => Object.keys(curves.get(name) ?? {})))];
  const place = (tag) => { const at = ORDER.findIndex((one) => tag.startsWith(one)); return at < 0 ? ORDER.length : at; };
  tags.sort((one, other) => place(one) - place(other) || one.localeCompare(other));
  $("plots").replaceChildren(...tags.filter((tag) => place(tag) < MAIN).map(plot));
  $("more").replaceChildren(...tags.filter((tag) => place(tag) >= MAIN).map(plot));
  latest();
  settings();
  tell();
}

function tell() {
  const wrong = runs.filter(({ name }) => chosen.has(name) && faults.has(name)).map(({ name }) => `${name}: ${faults.get(name)}`);
  $("status").textContent = runs.length ? wrong.join("; ") : t("runs.empty");
}

function link(held, text) { return element("a", { href: `/play#${new URLSearchParams(held)}` }, text); }
function play(run, name) { return { game: run.game, second: `run:${name}`, search: `run:${name}` }; }

// The networks that a run has kept, as links behind the current one.
function earlier(run) {
  if (!run.kept.length) return [];
  const links = run.kept.flatMap((minutes) => [" ", link(play(run, `${run.name}@${minutes}`), minutes)]);
  return [element("span", { className: "soft" }, t("runs.earlier"), ...links)];
}

function latest() {
  const rows = [...chosen].flatMap((name) => (matches.get(name) ?? []).slice(0, 8).map((match) => ({ run: runs.find((one) => one.name === name), match })));
  const shown = rows.filter(({ run }) => run);
  if (!shown.length) return $("latest").replaceChildren(t("latest.empty"));
  const head = ["run", "match", "after", "actions", "end", "values"].map((title) => element("th", {}, t(`latest.${title}`)));
  $("latest").replaceChildren(element("table", {}, element("tr", {}, ...head, element("th")), ...shown.map(({ run, match }) => {
    const swatch = element("span", { className: "swatch" });
    swatch.style.background = colour(run.name);
    const held = { game: run.game, moves: match.moves, first: "human", second: "human", search: `run:${run.name}`, paused: 1, run: run.name, match: match.number };
    const cells = [run.name, counted(match.number), `${decimal(match.seconds / 60, 1)} min`, String(match.values.length - 1), end(match), spark(match.values), link(held, t("latest.watch"))];
    return element("tr", {}, ...cells.map((content, at) => element("td", {}, ...(at ? [content] : [swatch, content]))));
  })));
}

function end({ outcome, score }) {
  const result = { 1: t("latest.first"), 0: t("outcome.draw"), "-1": t("latest.second") }[outcome];
  return score === null ? result : t("end.score", { text: result, score });
}

// Draws the values of a match as a small curve, with the first player's wins above.
function spark(values) {
  const svg = drawn("svg"), width = 120, height = 24;
  const most = Math.max(1e-9, ...values.map((value) => Math.abs(value ?? 0)));
  const points = values.flatMap((value, at) => value === null ? [] : [`${width * at / Math.max(1, values.length - 1)},${height / 2 - (height / 2 - 2) * value / most}`]);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("class", "spark");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", t("latest.spark", { first: short(values[0] ?? 0), last: short(values.at(-1) ?? 0) }));
  drawn("line", { class: "rule", x1: 0, x2: width, y1: height / 2, y2: height / 2 }, svg);
  drawn("polyline", { class: "curve", points: points.join(" ") }, svg);
  return svg;
}

function plot(tag) {
  const lines = [...chosen].map((name) => ({ name, points: curves.get(name)?.[tag] ?? [] })).filter(({ points }) => points.length);
  const all = lines.flatMap(({ points }) => points), width = 320, height = 150, left = 46, low = 20;
  const last = Math.max(1, ...all.map(([step]) => step));
  let least = Math.min(...all.map(([, value]) => value)), most = Math.max(...all.map(([, value]) => value));
  if (tag.startsWith("strength/") || /won|drew|lost|^time\/(?!seconds)/.test(tag)) { least = Math.min(0, least); most = Math.max(1, most); }
  if (least === most) { least -= 0.5; most += 0.5; }
  const svg = drawn("svg");
  const x = (step) => left + (width - left - 6) * step / last, y = (value) => 6 + (height - low - 6) * (most - value) / (most - least);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${tag}: ${lines.map(({ name, points }) => `${name} ${short(points.at(-1)[1])}`).join(", ")}`);
  const values = [least, (least + most) / 2, most], labels = distinct(values);
  for (const [at, value] of values.entries()) {
    drawn("line", { class: "rule", x1: left, x2: width - 6, y1: y(value), y2: y(value) }, svg);
    drawn("text", { class: "tick", x: left - 4, y: y(value) + 3, "text-anchor": "end" }, svg).textContent = labels[at];
  }
  drawn("text", { class: "tick", x: width - 6, y: height - 5, "text-anchor": "end" }, svg).textContent = t("plot.matches", { count: last });
  for (const { name, points } of lines) {
    const line = drawn("polyline", { class: "run", stroke: colour(name), points: points.map(([step, value]) => `${x(step)},${y(value)}`).join(" ") }, svg);
    drawn("title", {}, line).textContent = name;
    drawn("circle", { cx: x(points.at(-1)[0]), cy: y(points.at(-1)[1]), r: 2.5, fill: colour(name) }, svg);
  }
  return element("figure", {}, element("figcaption", {}, tag), svg);
}

function short(value, digits = 3) {
  return Math.abs(value) >= 1e5 ? value.toExponential(digits - 2) : value.toLocaleString(language, { maximumSignificantDigits: digits });
}

// Different values as numbers with three digits, or as many more as tell them apart.
function distinct(values) {
  let labels;
  for (let digits = 3; digits < 8; digits += 1) {
    labels = values.map((value) => short(value, digits));
    if (new Set(labels).size === values.length) break;
  }
  return labels;
}

function settings() {
  const shown = runs.filter(({ name }) => chosen.has(name)), names = [...new Set(shown.flatMap((run) => Object.keys(run.settings)))];
  const different = names.filter((name) => new Set(shown.map((run) => run.settings[name] ?? "")).size > 1);
  if (shown.length < 2) return $("settings").replaceChildren(t("settings.choose"));
  $("settings").replaceChildren(element("table", {}, element("tr", {}, element("th", {}, t("settings.setting")), ...shown.map(({ name }) => element("th", {}, name))),
    ...different.map((name) => element("tr", {}, element("td", {}, name), ...shown.map((run) => element("td", {}, run.settings[name] ?? ""))))));
}

read();

// The page: it tells the server what a person does, and shows what the server answers.
import { Board } from "/static/clicks.js";
import { Match, percent } from "/static/match.js";

const $ = (id) => document.getElementById(id);
const SIDES = ["first", "second"];
const HUMAN = "human";
const STRONGEST = "strongest";   // the level at which a network plays as strongly as it can
const MOST_SECONDS = 600;   // the time that the server lets a program think
const MOST_CHARACTERS = 65536;   // of a message; the server takes no longer text

const board = new Board($("board"), $("choice"), {
  play: (action) => play(action),
  choose: (places) => { if (analysing) send("choose", { places }, request); },
});
let match = new Match(), view = null, socket = null, request = 0, game = null;
let networks = [];      // the players with a network, which have levels
let paused = false;     // a person looks at earlier positions, so neither chance nor a program goes on
let ended = null;       // how the match ended, if not by the rules
let analysing = false, hinting = false;
let awaited = null;     // the message whose answer is another position: asking for a search now would prevent it
let learnt = null;      // the shown match of a training's self-play: its run, number and values
let opening = null;     // the requested game until the server shows it, and the element that had the focus
let replaying = null;   // the timer that shows the rest of a match
let left = [0, 0], since = null;   // clocks: seconds left, and when the current side began, null while stopped

// --- sending and receiving

// Answers to earlier requests are ignored, except answers about files: files and searches do not disturb each other.
const FILES = 0;
const POSITIONS = ["open", "position", "play", "roll", "think"];

function send(type, content = {}, asked = null) {
  if (socket?.readyState !== WebSocket.OPEN) return;
  if (asked === null) { asked = request += 1; awaits(POSITIONS.includes(type) ? type : null); }
  const text = JSON.stringify({ type, request: asked, ...content });
  if (text.length > MOST_CHARACTERS) return answers.error({ request: asked, text: `This is too long: the server takes at most ${MOST_CHARACTERS.toLocaleString("en")} characters.` });
  socket.send(text);
}

function awaits(type) {
  awaited = type;
  for (const id of ["hint", "annotate"]) $(id).disabled = type !== null;
}

function connect(then) {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
  socket.addEventListener("open", then);
  socket.addEventListener("close", ({ reason }) => status(reason || "The server has stopped. Start it again, then reload this page.", true));
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(data);
    if ([request, FILES].includes(message.request)) answers[message.type]?.(message);
  });
}

const answers = {
  game: (message) => {
    game = message.game; match = new Match(); ended = null;
    $("review").hidden = true;
    $("game").value = game;
    for (const side of SIDES) options($(side), [HUMAN, ...message.players], wanted[side] ?? (side === "second" ? message.opponent : HUMAN), message.carried);
    networks = message.networks;
    for (const side of SIDES) options($(`${side}-level`), message.levels, wanted[`${side}-level`] ?? STRONGEST);
    levels();
    options($("search"), message.searches, wanted.search ?? message.searches[0], message.carried);
    wanted = {};
    about();
  },
  compiling: ({ name, number, text, request: asked }) => {
    $("compiling").hidden = name === null;
    if (name === null) return;
    if (number === 1 && asked !== FILES) status(`${opening ? `Opening ${opening.game}: ` : ""}${text}.`);
    $("compiling").textContent = `compiling ${name}, the ${ordinal(number)} function`;
  },
  position: (message) => {
    opened();
    awaits(null); analysing = hinting = false;
    tick(message);
    view = message; match.follow(view.moves);
    if (learnt?.values) for (const [at, node] of match.line().entries()) node.value ??= learnt.values[at] ?? null;
    document.querySelector(".player:has(#second)").hidden = view.players === 1;
    show(); advance();
  },
  moved: ({ value, proven, win_chance }) => Object.assign(match.here, { value, proven, chance: win_chance }),
  analysis,
  overlay: ({ overlay }) => board.overlay(overlay),
  graph: ({ ply, value, proven, win_chance, lost, mark, line, way }) => {
    const [node, next] = match.line().slice(ply);
    if (node) Object.assign(node, { value, proven, chance: win_chance, better: line, way });
    if (next) Object.assign(next, { lost, mark });
    status(`annotating: position ${ply}`);
    drawMatch();
  },
  annotated: ({ accuracy }) => { status("The match is annotated."); reviewed(accuracy); drawMatch(); },
  read: (read) => { paused = true; open(read.game, read.moves); },
  written: ({ format, text }) => download(`match${format}`, text),
  error: ({ request: asked, text }) => {
    if (asked !== FILES) { opened(); awaits(null); hinting = false; if (view) show(); }
    $("compiling").hidden = true;
    status(text, true);
  },
};

// --- the match

function player(side) { return side < 2 && view.players === 1 ? $("first").value : $(SIDES[side])?.value; }
// The player at its level: only networks have levels.
function levelled(side) {
  const level = $(`${SIDES[view.players === 1 ? 0 : side]}-level`);
  return player(side) + (level.hidden || level.value === STRONGEST ? "" : `,level=${level.value}`);
}
function levels() { for (const side of SIDES) $(`${side}-level`).hidden = !networks.includes($(side).value); }
function human(side) { return side < 2 && player(side) === HUMAN; }

function show() {
  board.show(view, !view.over && !ended && view.side < 2 && (human(view.side) || paused));
  const buttons = board.enabled ? view.actions.filter((one) => !one.path.length).map((one) => command(one.name, () => play(one))) : [];
  if (paused && !view.over && !ended) {
    if (view.side === 2) buttons.push(command("Roll", resume));
    else if (!human(view.side)) buttons.push(command(`Let ${player(view.side)} move`, resume));
  }
  $("buttons").replaceChildren(...buttons);
  $("legal").replaceChildren(...view.actions.slice(0, 300).map((one) => new Option(one.name)));
  $("moves").value = match.names().join(" ");
  $("position").hidden = view.fen === null;
  $("fen").value = view.fen ?? "";
  for (const id of ["verdict", "line", "effort", "note"]) $(id).textContent = "";
  showChances(match.here.chance);
  $("values").replaceChildren();
  drawMatch(); tell(); tellMistake(); remember();
}

// --- the review

const LONGEST = 8;   // moves of a better line
const MANY = { inaccuracy: "inaccuracies", mistake: "mistakes", blunder: "blunders" };

function reviewed(accuracy) {
  const of = (name, side) => accuracy[name] === null ? [] : [`${capital(name)} player: accuracy ${percent(accuracy[name])}, ${match.marks(side).map(([mark, count]) => `${MANY[mark]} ${count}`).join(", ")}.`];
  const told = [...of("first", 0), ...of("second", 1)];
  $("accuracy").replaceChildren(...(told.length ? told : ["Nothing is marked: the search knows no win chances, and has proven no position."]).map((text) => {
    const line = document.createElement("p"); line.textContent = text; return line;
  }));
  $("review").hidden = false;
  tellMistake();
}

// Goes before a marked move, where something better can be played.
function goToMistake(forward) {
  const wrong = match.marked(forward);
  if (wrong) go(match.names(wrong.parent)); else status("No move is marked.");
}

// Says what is wrong with the next move of the match, and what is better.
function tellMistake() {
  const { here } = match, wrong = here.next[0]?.mark ? here.next[0] : null;
  $("mistake").hidden = !wrong;
  if (!wrong) return;
  const article = wrong.mark === "inaccuracy" ? "an" : "a";
  $("mistake").replaceChildren(`${wrong.name} is ${article} ${wrong.mark}: ${percent(wrong.lost)} of the win chance lost. Better: `,
    ...here.better.slice(0, LONGEST).map((name, at) => command(name, () => go([...match.names(), ...here.better.slice(0, at + 1)]))));
  if (!$("analyse").checked) board.overlay(here.way);
}

function tell() {
  if (ended) return status(ended);
  if (view.over) return status(capital(view.result));
  const last = match.here.name ? `${match.here.side === 2 ? "Chance drew" : ["First", "Second"][match.here.side] + " player:"} ${match.here.name}. ` : "";
  const who = view.players === 1 ? "" : `${capital(view.mover)} to move`;
  status(`${last}${who}${awaited === "think" ? ", thinking…" : ""}`);
}

function resume() { paused = false; since ??= performance.now(); advance(); }

function advance() {
  if (view.over || ended) return analysis_on(false);
  if (!paused && view.side === 2) return send("roll");
  if (!paused && !human(view.side)) return think();
  analysis_on($("analyse").checked);
}

function think() {
  const side = SIDES[view.players === 1 ? 0 : view.side];
  let seconds = Number($(`${side}-seconds`).value), evaluations = Math.round(Number($(`${side}-evaluations`).value));
  if (minutes()) { seconds = Math.min(MOST_SECONDS, Math.max(0.02, left[view.side] / 30)); evaluations = 0; }
  if (evaluations) seconds = 0;
  send("think", { player: levelled(view.side), seconds, evaluations });
  tell();
}

function play(action) {
  pause();
  paused = false; ended = null;
  board.lock(); $("buttons").replaceChildren();  // a second click must not play for the other side
  send("play", { action: action.id });
}

function go(names, stay = true) { pause(); step(names, stay); }
function step(names, stay = true) { paused = stay; ended = null; send("position", { moves: names.join(" ") }); }

// Shows the rest of the match, or all of it, one action a second.
function replay() {
  if (replaying) return pause();
  if (match.end() === match.root) return;
  step(match.here === match.end() ? [] : match.names(match.here.next[0]));
  replaying = setInterval(() => {
    if (match.here.next[0]) step(match.names(match.here.next[0]));
    if (!match.here.next[0]?.next.length) pause();
  }, 1000);
  $("replay").textContent = "Pause";
}
function pause() { clearInterval(replaying); replaying = null; $("replay").textContent = "Replay"; }

function undo() {
  let from = match.here, node = from.parent;
  while (node && !human(from.side)) { from = node; node = node.parent; }
  if (node) go(match.names(node), false);
}

// --- analysis

function analysis_on(on) {
  if (on) { analysing = true; send("analyse", { search: $("search").value, on: true, chances: showsChances() }); }
  else if (analysing) { analysing = false; send("stop"); }
}

function analysis(found) {
  const proven = view.players === 2 && found.proven !== null ? (1 + found.proven) / 2 : null;
  Object.assign(match.here, { value: found.value, proven: found.proven, chance: found.win_chance ?? proven });
  if (hinting && (found.seconds >= 1 || found.exact || found.proven !== null)) {
    hinting = false;
    analysis_on($("analyse").checked);
    status(`Hint: ${found.line[0] ?? "nothing to play"}`);
    board.overlay(found.way);
    return;
  }
  if (hinting) return;
  board.overlay(board.chosen.length ? "" : found.overlay + found.way);
  if (board.chosen.length) send("choose", { places: board.chosen }, request);
  $("verdict").textContent = found.verdict || `value ${number(found.value)} for the first player`;
  showChances(found.win_chance);
  $("verdict").classList.toggle("proven", Boolean(found.verdict));
  $("line").replaceChildren(...found.line.map((name, at) => command(name, () => go([...match.names(), ...found.line.slice(0, at + 1)]))));
  $("effort").textContent = `${found.evaluations.toLocaleString("en")} evaluations, ${found.iterations.toLocaleString("en")} iterations, ` +
    `${found.states.toLocaleString("en")} states, ${found.seconds.toFixed(1)} s${found.full ? ", memory full" : ""}`;
  $("note").textContent = found.note;
  const rows = found.actions.map((one) => {
    const row = document.createElement("tr");
    const name = command(one.name, () => play(one));
    row.append(cell(name), ...(found.win_chance === null ? [] : [cell(percent(one.win_chance))]), cell(one.probability === null ? number(one.value) : `${number(one.value)} × ${one.probability.toFixed(3)}`), cell(one.visits.toLocaleString("en")), cell(one.proven ?? ""));
    row.classList.toggle("proven", one.proven !== null);
    row.classList.toggle("best", one.name === found.line[0]);
    return row;
  });
  const head = document.createElement("tr");
  for (const title of ["action", ...(found.win_chance === null ? [] : ["first wins"]), "value", "visits", "proven"]) { const made = document.createElement("th"); made.textContent = title; head.append(made); }
  const table = document.createElement("table");
  table.append(head, ...rows);
  $("values").replaceChildren(table);
  drawMatch();
}

function showsChances() { return $("units").value === "chances"; }

// Whose chances: both are named, and together they are 100%.
function showChances(chance) {
  $("chances").hidden = chance === null;
  if (chance === null) return;
  const first = `First player ${percent(chance)}`, second = `second player ${100 - Math.round(100 * chance)}%`;
  $("chances").style.setProperty("--first", `${100 * chance}%`);
  $("chances").replaceChildren(...[first, capital(second)].map((text) => { const made = document.createElement("span"); made.textContent = text; return made; }));
  $("chances").setAttribute("aria-label", `Win chances, draws counting half: ${first}, ${second}`);
}

// --- clocks

function minutes() { return Number($("minutes").value); }

function tick(message) {
  const now = performance.now();
  const played = !paused && view && message.moves.length > view.moves.length;
  if (minutes() && since !== null && played && view.side < 2) left[view.side] -= (now - since) / 1000;
  since = paused ? null : now;
}

setInterval(() => {
  for (const side of [0, 1]) {
    const running = view && !view.over && !ended && !paused && view.side === side && since !== null;
    const seconds = left[side] - (running ? (performance.now() - since) / 1000 : 0);
    $(`${SIDES[side]}-clock`).textContent = minutes() ? `${Math.floor(Math.max(0, seconds) / 60)}:${String(Math.floor(Math.max(0, seconds) % 60)).padStart(2, "0")}` : "";
    if (minutes() && running && seconds <= 0) finish(`The ${SIDES[side]} player has no time left: the ${SIDES[1 - side]} player wins.`);
  }
}, 200);

function finish(text) { ended = text; send("stop"); show(); }

// --- small things

function drawMatch() {
  $("tree").replaceChildren(match.tree((names) => go(names)));
  const here = $("tree").querySelector(".here"), box = $("tree");
  if (here) box.scrollTop = Math.min(here.offsetTop, Math.max(box.scrollTop, here.offsetTop + here.offsetHeight - box.clientHeight));
  $("graph").replaceChildren(match.graph((names) => go(names), showsChances()));
}

function command(text, act) {
  const button = document.createElement("button");
  button.type = "button"; button.textContent = text;
  button.addEventListener("click", act);
  return button;
}

function cell(content) { const made = document.createElement("td"); made.append(content); return made; }
// Names as options; networks of runs form a separate group. Carried ones have learnt the game with other options.
function options(select, names, chosen, carried = {}) {
  const title = (name) => name.replace(/^run:/, "").replace(/@(\S+)$/, " after $1 min") + (name in carried ? ` (learnt ${carried[name]})` : "");
  const made = (name) => new Option(title(name), name, false, name === chosen);
  const runs = names.filter((name) => name.startsWith("run:")), others = names.filter((name) => !name.startsWith("run:"));
  const group = document.createElement("optgroup");
  group.label = "networks of runs";
  group.append(...runs.map(made));
  select.replaceChildren(...others.map(made), ...(runs.length ? [group] : []));
}
function number(value) { return (value >= 0 ? "+" : "−") + Math.abs(value).toFixed(3); }
function ordinal(number) { return number + (["th", "st", "nd", "rd"][number % 100 > 10 && number % 100 < 14 ? 0 : number % 10] ?? "th"); }
function capital(text) { return text ? text[0].toUpperCase() + text.slice(1) : ""; }
function status(text, wrong = false) { $("status").textContent = text; $("status").classList.toggle("error", wrong); }

// --- the address holds the position and who plays

let wanted = {};
let known = [];

function remember() {
  const held = new URLSearchParams({ game, moves: match.names().join(" ") });
  if (view.start) held.set("fen", view.start);
  if (learnt) { held.set("run", learnt.run); held.set("match", learnt.number); }
  for (const side of SIDES) {
    held.set(side, $(side).value);
    if (!$(`${side}-level`).hidden) held.set(`${side}-level`, $(`${side}-level`).value);
  }
  held.set("search", $("search").value);
  if ($("analyse").checked) held.set("analyse", "1");
  if (!showsChances()) held.set("units", "values");
  if (paused) held.set("paused", "1");
  history.replaceState(null, "", `#${held}`);
}

function about() {
  const one = known.find(({ name }) => name === game.split(":")[0]);
  $("about").textContent = one ? one.title : "";
  document.title = `athenan: ${game}`;
}

function open(name, moves = "", fen = "", of = null) {
  pause();
  learnt = of;
  $("source").hidden = !of;
  if (of) $("source").textContent = `Match ${of.number.toLocaleString("en")} of the training ${of.run}: the values are the learnt ones.`;
  left = [60 * minutes(), 60 * minutes()]; since = null;
  waits(name);
  send("open", { game: name, moves, fen });
}

// Until the server shows the requested game, the old one is hidden and cannot be played on.
const PARTS = ["choice", "buttons", "steps", "typing", "side"];

function waits(name) {
  opening = { game: name, focus: opening?.focus ?? document.activeElement };
  board.lock();
  $("board").setAttribute("aria-busy", "true");
  for (const id of PARTS) $(id).inert = true;
  status(`Opening ${name}…`);
}

function opened() {
  if (!opening) return;
  const { focus } = opening;
  opening = null;
  $("board").setAttribute("aria-busy", "false");
  $("compiling").hidden = true;
  for (const id of PARTS) $(id).inert = false;
  if (document.activeElement === document.body) focus?.focus();
}

// A match of a training's self-play, if still among the latest ones.
async function watched(run, number) {
  const answer = await fetch(`/runs/${run.split("/").map(encodeURIComponent).join("/")}`);
  const found = answer.ok ? (await answer.json()).latest.find((one) => one.number === number) : null;
  return found && { run, number, moves: found.moves, values: found.values };
}

async function start() {
  const shown = await (await fetch("/games")).json();
  known = shown.games;
  $("games").replaceChildren(...known.map(({ name }) => new Option(name)));
  const held = new URLSearchParams(location.hash.slice(1));
  for (const key of [...SIDES, ...SIDES.map((side) => `${side}-level`), "search"]) if (held.has(key)) wanted[key] = held.get(key);
  $("analyse").checked = held.has("analyse");
  if (held.get("units") === "values") $("units").value = "values";
  paused = held.has("paused");
  const of = held.has("run") ? await watched(held.get("run"), Number(held.get("match"))) : null;
  connect(() => open(held.get("game") ?? shown.game, held.get("moves") ?? of?.moves ?? "", held.get("fen") ?? "", of));
}

$("opening").addEventListener("submit", (event) => { event.preventDefault(); paused = false; open($("game").value.trim()); });
$("typing").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("move").value.trim();
  const action = view.actions.find((one) => one.name.toLowerCase() === text.toLowerCase());
  if (action && board.enabled) { $("move").value = ""; play(action); } else status(`${text} is not a legal action here`, true);
});
$("begin").addEventListener("click", () => go([]));
$("back").addEventListener("click", () => match.here.parent && go(match.names(match.here.parent)));
$("forward").addEventListener("click", () => match.here.next[0] && go(match.names(match.here.next[0])));
$("end").addEventListener("click", () => go(match.names(match.end())));
$("replay").addEventListener("click", replay);
$("undo").addEventListener("click", undo);
$("hint").addEventListener("click", () => { if (!view.over) { hinting = true; analysis_on(true); } });
$("resign").addEventListener("click", () => { if (!view.over && view.side < 2) finish(`The ${SIDES[view.side]} player resigns.`); });
$("analyse").addEventListener("change", () => { remember(); if (!awaited) { hinting = false; analysis_on($("analyse").checked); } });
$("search").addEventListener("change", () => { remember(); if (analysing && !awaited) analysis_on(true); });
$("units").addEventListener("change", () => { remember(); drawMatch(); if (analysing && !awaited) analysis_on(true); });
$("next-mistake").addEventListener("click", () => goToMistake(true));
$("previous-mistake").addEventListener("click", () => goToMistake(false));
$("annotate").addEventListener("click", () => {
  const end = match.end();
  if (match.here !== end) { go(match.names(end)); answers.position = after(answers.position); } else annotate();
});
function annotate() { analysing = false; learnt = null; $("source").hidden = true; remember(); $("analyse").checked = false; send("annotate", { search: $("search").value, seconds: 0.5 }); }
function after(position) { return (message) => { answers.position = position; $("analyse").checked = false; position(message); annotate(); }; }
for (const id of SIDES.flatMap((side) => [side, `${side}-level`])) $(id).addEventListener("change", () => { levels(); remember(); paused = false; show(); resume(); });
$("minutes").addEventListener("input", () => { left = [60 * minutes(), 60 * minutes()]; since = paused ? null : performance.now(); });
$("goto").addEventListener("click", () => go($("moves").value.trim().split(/\s+/).filter(Boolean)));
$("link").addEventListener("click", async () => {
  try { await navigator.clipboard.writeText(location.href); status("The link is copied: it holds this position."); } catch { status(location.href); }
});
$("position").addEventListener("submit", (event) => { event.preventDefault(); paused = false; open(game, "", $("fen").value.trim()); });
$("copy-fen").addEventListener("click", async () => {
  try { await navigator.clipboard.writeText(view.fen); status("The FEN is copied."); } catch { $("fen").select(); }
});
function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
$("save").addEventListener("click", () => {
  if ($("format").value !== ".json") return send("write", { format: $("format").value }, FILES);
  download("match.json", JSON.stringify({ game, ...(view.start && { fen: view.start }), moves: match.names().join(" ") }, null, 2) + "\n");
});
$("file").addEventListener("change", async () => {
  const [file] = $("file").files, text = await file.text();
  $("file").value = "";
  if (!file.name.toLowerCase().endsWith(".json")) { status(`Reading ${file.name}…`); return send("read", { name: file.name, text }, FILES); }
  try {
    const read = JSON.parse(text);
    if (typeof read.game !== "string" || typeof read.moves !== "string") throw new Error();
    paused = true; open(read.game, read.moves, String(read.fen ?? ""));
  } catch { status("The file is not a match saved here.", true); }
});
document.addEventListener("keydown", (event) => {
  if (opening || event.target.closest("input, textarea, select, #board") || event.ctrlKey || event.metaKey || event.altKey) return;
  const buttons = { ArrowLeft: "back", ArrowRight: "forward", Home: "begin", End: "end" };
  if (event.key in buttons) { $(buttons[event.key]).click(); event.preventDefault(); }
});
start();

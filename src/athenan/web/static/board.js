// The board's page: it tells the server what a person does, and shows what the server answers.
import { chosen, read, remember, watched } from "/static/address.js";
import { clearAnalysis, explain, showAnalysis, showChances } from "/static/analysis.js";
import { Board } from "/static/clicks.js";
import { Clocks } from "/static/clocks.js";
import { Connection, FILES, awaits } from "/static/connection.js";
import { $, command } from "/static/dom.js";
import { download, files } from "/static/files.js";
import { learnAbout } from "/static/help.js";
import { look, offerLooks, switches } from "/static/look.js";
import { Match } from "/static/match.js";
import { SIDES, human, over, page, showsChances, sideName, status, task } from "/static/page.js";
import { fill, levelled, showLevels, showSides } from "/static/players.js";
import { reviewed, tellMistake } from "/static/review.js";
import { setUp } from "/static/setup.js";
import { sound } from "/static/sound.js";
import { counted, t } from "/static/texts.js";
import { showTray } from "/static/tray.js";
import { compiling, hold, isOpening, opened, stopCounting, waits } from "/static/waiting.js";

const MOST_SECONDS = 600, MOST_EVALUATIONS = 1e9;   // what the server lets a program use for an action
const NOTE = 1500;   // milliseconds for which a note about an action without a choice is read before it is played

const board = new Board($("board"), $("choice"), {
  play: (action) => play(action),
  choose: (places) => { if (analysing) connection.send("choose", { places }, connection.request); },
  explain: (text) => status(text),
});
const clocks = new Clocks((side) => finish(t("end.time", { side: sideName(side), other: sideName(1 - side) })));
let analysing = false, hinting = false;
let joining = 0;        // the number of moves of a setup that is being played
let wanted = {};        // what the address asks for, until the server tells the game
let plyToShow = null;   // which position of its match the address shows, if not the last, until the server tells the match
let requested = null;   // the match that the server was asked for last
let rejoining = false;  // whether it is the shown one, asked for again
let stood = {};         // what of the page comes back if the server refuses the moves
let typing = false;     // whether a typed move is awaited
let forced = null;      // the timer that plays an action without a choice
let replaying = null;   // the timer that shows the rest of a match

const connection = new Connection({
  game: (message) => {
    page.game = message.game;
    if (!rejoining) { page.match = new Match(); page.ended = null; $("review").hidden = true; }
    fill(message, wanted);
    wanted = {};
    learnAbout(page.game);
  },
  compiling: (message) => compiling(message, message.request === FILES),
  position: showPosition,
  moved: ({ value, proven, win_chance }) => Object.assign(page.match.here, { value, proven, chance: win_chance }),
  analysis,
  overlay: ({ overlay }) => board.overlay(overlay),
  graph: ({ ply, value, proven, win_chance, lost, mark, line, way }) => {
    const [node, next] = page.match.line().slice(ply);
    if (node) Object.assign(node, { value, proven, chance: win_chance, better: line, way });
    if (next) Object.assign(next, { lost, mark });
    status(t("review.going", { ply }));
    drawMatch();
  },
  annotated: ({ accuracy }) => { status(t("review.done")); reviewed(accuracy); showMistake(); drawMatch(); },
  read: (found) => { page.paused = true; open(found.game, found.moves); },
  prepared: () => { if (!page.awaited) stopCounting(); },
  written: ({ format, text }) => download(`match${format}`, text),
  error: ({ request: asked, text }) => {
    if (asked !== FILES) { opened(); awaits(null); hinting = afterwards = typing = rejoining = false; joining = 0; Object.assign(page, stood); stood = {}; if (page.view) show(); }
    stopCounting();
    status(text, true);
  },
}, { joins: join, lost });

// --- the match

// Goes to the earlier position that the address shows; the moves after it stay. Returns whether there is one.
function goesBack(moves) {
  const ply = plyToShow;
  plyToShow = null;
  if (ply === null || ply >= moves.length || !isOpening()) return false;
  page.match.follow(moves);
  step(page.match.names().slice(0, ply), page.paused);
  return true;
}

function showPosition(message) {
  if (goesBack(message.moves)) return;
  const { view, match } = page, isNext = view?.game === message.game && message.moves.length === view.moves.length + 1;
  const isNew = isOpening();
  opened();
  rejoining = false;
  awaits(null); analysing = hinting = false;
  clocks.tick(message);
  page.view = message; match.follow(message.moves);
  match.join(joining); joining = 0;
  stood = {};
  $("moves").value = match.names().join(" ");
  if (typing) { typing = false; $("move").value = ""; }
  if (page.learnt?.values) for (const [at, node] of match.line().entries()) node.value ??= page.learnt.values[at] ?? null;
  if (isNext) sound(message.over ? "end" : board.captures(message) ? "capture" : "move");
  show(isNext);
  if (afterwards) { afterwards = false; $("analyse").checked = false; annotate(); } else advance();
  if (isNew) prepare();
}

// While a person thinks, the server prepares the opponent, which it may have to compile.
function prepare() {
  const { view } = page, others = [0, 1].slice(0, view.players).filter((side) => !human(side));
  if (others.length && human(view.side) && !over()) connection.send("prepare", { player: levelled(others[0]) }, FILES);
}

// `moving`: the last action is shown as a motion.
function show(moving = false) {
  const { view } = page;
  showSides();
  offerLooks(view.looks);
  board.show(view, !over() && view.side < 2 && (human(view.side) || page.paused), moving);
  const buttons = board.enabled ? view.actions.filter((one) => !one.path.length).map((one) => command(one.name, () => play(one))) : [];
  if (page.paused && !over()) {
    if (view.side === 2) buttons.push(command(t("board.roll"), resume));
    else if (!human(view.side)) buttons.push(command(t("board.let", { side: sideName(view.side) }), resume));
  }
  $("buttons").replaceChildren(...buttons);
  showTray(view, board.enabled, { put: (actions) => board.choosePiece(actions), setUp: playSetup });
  $("legal").replaceChildren(...view.actions.slice(0, 300).map((one) => new Option(one.name)));
  $("position").hidden = view.fen === null;
  $("fen").value = view.fen ?? "";
  clearAnalysis(); explain();
  showChances(page.match.here.chance);
  drawMatch(); tell(); showMistake(); remember();
}

function showMistake() { if (tellMistake(go) && !$("analyse").checked) board.overlay(page.match.here.way); }

function result({ players, outcome, score }) {
  const text = players === 1 ? t("end.over") : outcome ? t("end.wins", { side: sideName(outcome < 0 ? 1 : 0) }) : t("end.draw");
  return score === null ? text : t("end.score", { text, score: (score > 0 ? "+" : "") + score });
}

function tell() {
  const { view, match, ended } = page, { here } = match;
  if (ended) return status(ended);
  if (view.over) return status(result(view));
  const last = here.name ? `${t(here.side === 2 ? "status.drew" : "status.last", { side: sideName(here.side), move: here.name })} ` : "";
  const side = sideName(view.side), only = forced && t("status.forced", { side, move: view.actions[0].name });
  status(`${last}${page.awaited === "think" ? t("status.thinks", { side }) : only || task()}`);
}

function resume() { page.paused = false; clocks.resume(); advance(); }

function advance() {
  const { view, paused } = page;
  if (over()) return analysis_on(false);
  if (!paused && view.side === 2) return connection.send("roll");
  if (!paused && !human(view.side)) return think();
  if (!playsByItself()) return analysis_on($("analyse").checked);
  clearTimeout(forced);
  forced = setTimeout(() => { forced = null; if (page.view === view && playsByItself()) play(view.actions[0]); else tell(); }, NOTE);
  tell();
}

// Whether a person in a match, who does not analyse it, has one action only, and one without a place, such as a pass.
function playsByItself() {
  const { actions, side } = page.view;
  return !over() && !page.paused && !page.awaited && human(side) && !$("analyse").checked && actions.length === 1 && !actions[0].path.length;
}

function think() {
  const { view } = page;
  const limits = clocks.minutes ? { seconds: clocks.share(view.side, MOST_SECONDS), evaluations: 0 } : given(sideToMove());
  connection.send("think", { player: levelled(view.side), ...limits });
  tell();
}

// The side whose fields count for the next action: a single player has the first ones.
function sideToMove() { return SIDES[page.view.players === 1 ? 0 : page.view.side]; }

// What the fields of a side let its program use: evaluations if they are given, else seconds, one if they are not.
function given(side) {
  const seconds = Number($(`${side}-seconds`).value), evaluations = Math.round(Number($(`${side}-evaluations`).value));
  if (evaluations > 0) return { seconds: 0, evaluations: Math.min(evaluations, MOST_EVALUATIONS) };
  return { seconds: seconds > 0 ? Math.min(seconds, MOST_SECONDS) : 1, evaluations: 0 };
}

// Shows what counts of the fields of a side. A program that thinks begins again with it.
function limit(side) {
  const { seconds, evaluations } = given(side);
  $(`${side}-evaluations`).value = evaluations;
  if (!evaluations) $(`${side}-seconds`).value = seconds;
  if (page.awaited === "think" && !clocks.minutes && side === sideToMove()) think();
}

function play(action) {
  pause();
  page.paused = false; page.ended = null;
  board.lock(); $("buttons").replaceChildren();  // a second click must not play for the other side
  connection.send("play", { action: action.id });
}

// The actions of a setup are undone together.
function playSetup(moves) { go([...page.match.names(), ...moves], false); joining = moves.length; }

function go(names, stay = true) { pause(); step(names, stay); }
function step(names, stay = true) { goTo(names.join(" "), stay); }
// The server reads moves however they are typed.
function goAsTyped(moves, stay) { pause(); goTo(moves, stay); }
function goTo(moves, stay) { stood = { paused: page.paused, ended: page.ended }; page.paused = stay; page.ended = null; connection.send("position", { moves }); }

// Shows the rest of the match, or all of it, one action a second.
function replay() {
  const { match } = page;
  if (replaying) return pause();
  if (match.end() === match.root) return;
  step(match.here === match.end() ? [] : match.names(match.here.next[0]));
  replaying = setInterval(() => {
    if (match.here.next[0]) step(match.names(match.here.next[0]));
    if (!match.here.next[0]?.next.length) pause();
  }, 1000);
  $("replay").textContent = t("board.pause");
}
function pause() { clearTimeout(forced); forced = null; clearInterval(replaying); replaying = null; $("replay").textContent = t("board.replay"); }

function undo() {
  let from = page.match.here, node = from.parent;
  while (node && (!human(from.side) || from.joined || from.forced)) { from = node; node = node.parent; }
  if (node) go(page.match.names(node), false);
}

function finish(text) { page.ended = text; connection.send("stop"); sound("end"); show(); }

// The only person resigns, even while the computer thinks; else the side to move.
function resign() {
  const { view } = page, people = [0, 1].slice(0, view.players).filter(human), side = people.length === 1 ? people[0] : view.side;
  if (over() || side === 2) return;
  finish(t(view.players === 1 ? "end.resigns.alone" : "end.resigns", { side: sideName(side), other: sideName(1 - side) }));
}

// Goes before a marked move, where something better can be played.
function goToMistake(forward) {
  const wrong = page.match.marked(forward);
  if (wrong) go(page.match.names(wrong.parent)); else status(t("review.none"));
}

// --- analysis

function analysis_on(on) {
  if (on) { analysing = true; connection.send("analyse", { search: $("search").value, on: true, chances: showsChances() }); }
  else if (analysing) { analysing = false; connection.send("stop"); }
}

function analysis(found) {
  const { view, match } = page, proven = view.players === 2 && found.proven !== null ? (1 + found.proven) / 2 : null;
  if (stopCounting() && !hinting) tell();
  Object.assign(match.here, { value: found.value, proven: found.proven, chance: found.win_chance ?? proven });
  if (hinting && (found.seconds >= 1 || found.exact || found.proven !== null)) {
    hinting = false;
    analysis_on($("analyse").checked);
    status(found.line.length ? t("status.hint", { move: found.line[0] }) : t("status.nohint"));
    board.overlay(found.way);
    return;
  }
  if (hinting) return;
  board.overlay(board.chosen.length ? "" : found.overlay + found.way);
  if (board.chosen.length) connection.send("choose", { places: board.chosen }, connection.request);
  showAnalysis(found, { go, play });
  drawMatch();
}

let afterwards = false;   // the match is annotated when its end is shown
function annotate() {
  analysing = false; page.learnt = null; $("source").hidden = true; $("analyse").checked = false;
  remember();
  connection.send("annotate", { search: $("search").value, seconds: 0.5 });
}

function drawMatch() {
  const tree = $("tree"), { match } = page;
  tree.replaceChildren(match.tree((names) => go(names)));
  const here = tree.querySelector(".here");
  if (here) tree.scrollTop = Math.min(here.offsetTop, Math.max(tree.scrollTop, here.offsetTop + here.offsetHeight - tree.clientHeight));
  $("graph").replaceChildren(match.graph((names) => go(names), showsChances(), sideName(0)));
}

// --- beginning

function open(name, moves = "", fen = "", of = null, ply = null) {
  pause();
  plyToShow = ply;
  page.learnt = of;
  $("source").hidden = !of;
  if (of) $("source").textContent = t("match.source", { number: counted(of.number), run: of.run });
  clocks.reset();
  rejoining = false;
  request({ game: name, moves, fen });
}

function request(match) {
  requested = match;
  board.lock();
  waits(match.game);
  connection.send("open", match);
}

// The server is reached. If it was gone, it has forgotten the match, which goes on where it was.
function join() {
  if (isOpening()) return request(requested);
  if (!page.view) return begin();
  rejoining = true; wanted = chosen();
  request({ game: page.game, moves: page.match.names().join(" "), fen: page.view.start });
}

function lost() {
  pause(); clocks.stop(); stopCounting(); awaits(null);
  board.lock(); hold();
  status(t("server.lost"), true);
}

async function begin() {
  const held = read();
  wanted = held.wanted;
  const of = held.of ? await watched(held.of) : null;
  const game = held.game ?? (await (await fetch("/about")).json()).game;
  open(game, held.moves ?? of?.moves ?? "", held.fen, of, held.ply);
}

$("new").addEventListener("click", () => setUp(page.game));
$("typing").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!board.enabled) return status(t("click.waits"), true);
  const text = $("move").value.trim(), action = page.view.actions.find((one) => one.name.toLowerCase() === text.toLowerCase());
  if (action) { $("move").value = ""; play(action); } else if (text) { goAsTyped(`${page.match.names().join(" ")} ${text}`, false); typing = true; }
});
$("begin").addEventListener("click", () => go([]));
$("back").addEventListener("click", () => page.match.here.parent && go(page.match.names(page.match.here.parent)));
$("forward").addEventListener("click", () => page.match.here.next[0] && go(page.match.names(page.match.here.next[0])));
$("end").addEventListener("click", () => go(page.match.names(page.match.end())));
$("replay").addEventListener("click", replay);
$("undo").addEventListener("click", undo);
$("hint").addEventListener("click", () => { if (!page.view.over) { hinting = true; status(t("status.hinting")); analysis_on(true); } });
$("resign").addEventListener("click", resign);
$("analyse").addEventListener("change", () => {
  remember();
  if (!$("analyse").checked) { board.overlay(""); clearAnalysis(); }
  if (!page.awaited) { hinting = false; analysis_on($("analyse").checked); }
});
$("search").addEventListener("change", () => { remember(); if (analysing && !page.awaited) analysis_on(true); });
$("units").addEventListener("change", () => { remember(); drawMatch(); if (analysing && !page.awaited) analysis_on(true); });
$("next-mistake").addEventListener("click", () => goToMistake(true));
$("previous-mistake").addEventListener("click", () => goToMistake(false));
$("annotate").addEventListener("click", () => {
  const end = page.match.end();
  if (page.match.here !== end) { go(page.match.names(end)); afterwards = true; } else annotate();
});
for (const id of SIDES.flatMap((side) => [side, `${side}-level`])) $(id).addEventListener("change", () => { showLevels(); remember(); page.paused = false; show(); resume(); });
for (const side of SIDES) for (const id of ["seconds", "evaluations"]) $(`${side}-${id}`).addEventListener("change", () => limit(side));
$("minutes").addEventListener("input", () => clocks.reset(!page.paused));
$("goto").addEventListener("click", () => goAsTyped($("moves").value, true));
$("link").addEventListener("click", async () => {
  try { await navigator.clipboard.writeText(location.href); status(t("match.copied")); } catch { status(location.href); }
});
$("position").addEventListener("submit", (event) => { event.preventDefault(); page.paused = false; open(page.game, "", $("fen").value.trim()); });
$("copy-fen").addEventListener("click", async () => {
  try { await navigator.clipboard.writeText(page.view.fen); status(t("match.fen.copied")); } catch { $("fen").select(); }
});
files({ ask: (type, content) => connection.send(type, content, FILES), open: (...match) => { page.paused = true; open(...match); } });
const showSwitches = switches(() => { if (page.view) { const kept = board.layer; show(); board.overlay(kept); } });
document.addEventListener("keydown", (event) => {
  if (isOpening() || event.target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "f") { look.turned = !look.turned; showSwitches(); show(); return; }
  if (event.target.closest("#board")) return;
  const buttons = { ArrowLeft: "back", ArrowRight: "forward", Home: "begin", End: "end" };
  if (event.key in buttons) { $(buttons[event.key]).click(); event.preventDefault(); }
});
window.addEventListener("hashchange", begin);
connection.open();

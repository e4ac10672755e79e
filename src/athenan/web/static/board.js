// The board's page: it tells the server what a person does, and shows what the server answers.
import { begun, chosen, isOwn, read, readEnd, remember, watched } from "/static/address.js";
import { clearAnalysis, explain } from "/static/analysis.js";
import { Board } from "/static/clicks.js";
import { clocks } from "/static/clocks.js";
import { Connection, FILES, awaits } from "/static/connection.js";
import { copying } from "/static/copying.js";
import { Doubling, putDoubles, readCube, showCube, tellCube, usesCube } from "/static/cube.js";
import { Commands } from "/static/commands.js";
import { $ } from "/static/dom.js";
import { download, files, offerFormats } from "/static/files.js";
import { canResign, ending, showEnding } from "/static/ending.js";
import { forget, offer, showOffer } from "/static/kept.js";
import { learnAbout, showFirstSteps } from "/static/help.js";
import { limitedSide, limits, showGiven } from "/static/limits.js";
import { look, offerLooks, showTurned, switches } from "/static/look.js";
import { Match } from "/static/match.js";
import { navigation, pause as pauseReplay } from "/static/navigation.js";
import { SIDES, human, lonePerson, looksAway, over, page, sideName, status, task } from "/static/page.js";
import { exchange, fill, levelled, showLevels, showSides, tellReplaced } from "/static/players.js";
import { mistakeHere } from "/static/review.js";
import { setUp } from "/static/setup.js";
import { sound } from "/static/sound.js";
import { Study } from "/static/study.js";
import { counted, firstText, t } from "/static/texts.js";
import { showTray } from "/static/tray.js";
import { compiling, hold, isOpening, opened, prepared, stopCounting, waits } from "/static/waiting.js";

const board = new Board($("board"), $("choice"), {
  play: (action) => play(action),
  choose: (places) => study.choose(places),
  explain: (text) => status(text),
});
clocks.whenOut = (side) => finish("time", side);
let joining = 0;        // the number of moves of a setup that is being played
let wanted = {};        // the players and the search that are asked for, until the server tells the game
let replaced = [];      // who was asked for and does not play the game, while its first shown position is shown
let plyToShow = null;   // which position of its match the address shows, if not the last, until the server tells the match
let endToShow = null;   // how the match of the address ended, if not by the rules, until then
let doublesToShow = [];  // its doubles with the cube, until then
let leftToShow = null;  // the seconds on the clocks of its match, until then
let requested = null;   // the match that the server was asked for last
let rejoining = false;  // whether it is the shown one, asked for again
let stood = {};         // what of the page comes back if the server refuses the moves
let failure = null;     // why a program could not move, until the position is shown at which a person looked meanwhile

const connection = new Connection({
  game: (message) => {
    page.game = message.game;
    if (!rejoining) {
      page.match = new Match(); page.live = null; page.reviewed = false; look.flipped = false;
      $("findings").hidden = true; page.acted = false;
    }
    replaced = fill(message, wanted);
    wanted = {};
    offerFormats(message.formats);
    learnAbout(page.game);
  },
  compiling: (message) => compiling(message, message.request === FILES, () => { if (page.awaited === "think") tell(); }),
  position: showPosition,
  seen: showSeen,
  moved: ({ value, proven, win_chance }) => Object.assign(page.live, { value, proven, chance: win_chance }),
  analysis: (found) => study.found(found),
  overlay: ({ overlay }) => board.overlay(overlay),
  graph: (judged) => study.judged(judged),
  reviewed: (found) => study.reviewed(found),
  tried: (found) => study.tried(found),
  read: (found) => {
    opens(true, found.game, found.moves, found.fen, readEnd(found.ended), readCube(found.cube));
    if (found.notices) { $("source").hidden = false; $("source").textContent = t("file.notices", { notices: found.notices }); }
  },
  cube: (found) => doubling.answered(found),
  prepared: () => { if (!page.awaited) prepared(); },
  written: ({ format, text }) => download(`match${format}`, text),
  error: ({ request: asked, key, values }) => {
    const text = t(key, values);
    if (asked !== FILES) {
      const away = looksAway(), failed = page.awaited;
      const refused = isOpening() && !rejoining;
      if (isOpening()) { forget(location.hash.slice(1)); wanted = {}; }
      opened(); awaits(null); study.refused(); commands.typing = rejoining = false; joining = 0;
      Object.assign(page, stood); stood = {};
      if (refused) { clocks.back(); $("source").hidden = !page.learnt; }
      if (away) { failure = text; return step(page.match.names()); }
      if (!page.view) hold();   // the address could not be opened
      else { show(); if (["open", "position"].includes(failed)) advance(); }
    }
    stopCounting();
    status(text, true);
  },
}, { joins: join, lost });
const study = new Study({ connection, board, go, play, show, tell });

// --- the match

// Goes to the earlier position that the address shows; the moves after it stay, and the clock of the side to move after
// them runs if it is a person's. Returns whether there is such a position.
function goesBack(message) {
  const { moves, over, side } = message;
  const ply = plyToShow;
  plyToShow = null;
  if (ply === null || ply >= moves.length || !isOpening()) return false;
  page.match.follow(moves, over, endToShow); putDoubles(doublesToShow);
  endToShow = null; doublesToShow = [];
  if (leftToShow) {
    page.view = message; page.live = page.match.here;
    clocks.run(!page.live.over && human(side) ? side : null);
  }
  if (!page.paused) page.match.takeBack(page.match.line()[ply + 1]);   // by an undo before a reload
  step(page.match.names().slice(0, ply), page.paused);
  return true;
}

// A program has moved while a person looks at another position, which stays. The server goes there, too.
function movedBehind(message) {
  const { match } = page, shown = match.names();
  awaits(null);
  match.follow(message.moves, message.over);
  page.live = match.here; match.lead();
  clocks.follow(message, false, page.thinker);
  sound("move");
  step(shown);
}

// Shows another position while a program thinks about the last one; if it has just moved, the server goes there instead.
function showSeen(message) {
  const { match } = page;
  if (page.awaited !== "think") return step(message.moves.map(({ name }) => name));
  match.follow(message.moves, message.over);
  page.view = message;
  $("moves").value = match.names().join(" ");
  show();
}

function showPosition(message) {
  if (goesBack(message)) return;
  if (looksAway() && !message.over) return movedBehind(message);
  const { view, match } = page, isNext = view?.game === message.game && message.moves.length === view.moves.length + 1;
  const isNew = isOpening();
  opened();
  if (!isNew) replaced = [];
  const mover = page.awaited === "think" ? page.thinker : commands.typing || page.awaited === "play" ? view.side : null;
  rejoining = false;
  awaits(null); study.ended();
  match.follow(message.moves, message.over, isNew ? endToShow : null);
  if (isNew) putDoubles(doublesToShow);
  endToShow = null; doublesToShow = [];
  if (!page.paused) { page.live = match.here; match.lead(); }
  clocks.follow(message, match.here.over, mover);
  page.view = message;
  match.join(joining); joining = 0;
  stood = {};
  $("moves").value = match.names().join(" ");
  commands.typed();
  if (page.learnt?.values) for (const [at, node] of match.line().entries()) node.value ??= page.learnt.values[at] ?? null;
  if (isNext) sound(message.over ? "end" : board.captures(message) ? "capture" : "move");
  show(isNext);
  if (!study.reviewsNow()) advance();
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
  showSides(); showCube();
  offerLooks(view.looks);
  showTurned(view);
  $("exchange").hidden = over() || lonePerson() === null;
  board.show(view, !over() && view.side < 2 && (human(view.side) || page.paused), moving);
  const inTree = $("tree").contains(document.activeElement);
  board.keepFocus(["buttons", "tray", "again"]);
  commands.show();
  showTray(view, board.enabled, { put: (actions) => board.choosePiece(actions), setUp: playSetup });
  $("position").hidden = view.fen === null;
  $("fen").value = view.fen ?? ""; $("fen-name").textContent = view.fen_name;
  clearAnalysis(); explain();
  study.draw(); tell(); study.showMistake(); remember();
  if (inTree) $("tree").querySelector(".here")?.focus({ preventScroll: true });
  showOffer(over() || begun());
  showFirstSteps();
  showEnding({ rematch, review: () => { $("review").click(); $("review").scrollIntoView({ block: "nearest" }); } });
}

function tell() {
  const { view, match } = page, { here } = match;
  if (failure) { status(failure, true); failure = null; return; }
  const news = tellReplaced(replaced);
  if (over()) return status(news + ending());
  const drew = firstText(`status.drew.${view.family}`, "status.drew");
  const last = here.name ? `${t(here.side === 2 ? drew : "status.last", { side: sideName(here.side), move: here.name })} ` : "";
  const cube = tellCube();
  if (cube && view.side === 2) return status(`${news}${last}${cube}`);
    status(`${news}${cube && `${cube} `}${last}${page.awaited === "think" ? t("status.thinks", { side: sideName(page.thinker) }) : commands.note() || task()}`);
}

// Goes on from the shown position.
function resume() {
  page.paused = false; page.live = page.match.here;
  clocks.run(over() ? null : page.view.side);
  advance();
}

// Goes on with the players that are chosen now: a program that thought for another one is ended.
function goOn() {
  if (page.awaited === "think") return toLive(false);
  page.paused = false;
  show(); resume();
}

// Ends a program that thinks, at the last position. It may have moved just now: so the server is told which position that is.
function toLive(stay) { goTo(page.match.names(page.live).join(" "), stay); }

// Programs that play each other stop, until one is let move.
function stand() { pause(); toLive(true); }

function advance() {
  const { view, paused } = page;
  if (over()) return study.analyse(false);
  if (!paused && view.side === 2) return doubling.begin();
  if (!paused && !human(view.side)) return think();
  if (!commands.playsOnly()) study.analyse($("analyse").checked);
}

function keepTime() { if (clocks.side !== null && isOwn() && !isOpening()) remember(); }

function think() {
  page.thinker = page.view.side;
  askProgram();
}

const doubling = new Doubling({
  ask: (about) => { connection.send("cube", { player: levelled(page.thinker), ...limits(), ...about }); show(); },
  roll: () => { page.acted = true; connection.send("roll"); remember(); },
  show: () => show(),
  drops: (side) => finish("drops", side),
});

const commands = new Commands({ board, doubling, play, goAsTyped, resume, stand, tell });

function askProgram() {
  connection.send("think", { player: levelled(page.thinker), ...limits() });
  tell();
}

// A program that thinks begins again with the new fields of its side.
function limit(side) {
  showGiven(side);
  remember();
  if (page.awaited === "think" && !clocks.minutes && side === limitedSide()) askProgram();
}

function play(action) {
  pause();
  if (mistakeHere() && !mistakeHere().solved) {   // a person looks for a better move, which is judged and not played
    status(t("try.judging", { move: action.name }));
    return connection.send("try", { action: action.id, search: $("search").value, seconds: 0.5 });
  }
  page.acted = true;
  if (looksAway()) return goTo([...page.match.names(), action.name].join(" "), false);
  page.paused = false;
  board.lock(); board.keepFocus(["buttons"]); $("buttons").replaceChildren();  // a second click must not play for the other side
  connection.send("play", { action: action.id });
}

// The actions of a setup are undone together.
function playSetup(moves) { page.acted = true; go([...page.match.names(), ...moves], false); joining = moves.length; }

function go(names, stay = true) { pause(); step(names, stay); }
// With `stay` neither chance nor a program goes on, except where the match has come to; there a program thinks on.
function step(names, stay = true) {
  const { live, match } = page, moves = names.join(" ");
  if (stay && page.awaited === "think") return connection.send("look", { moves }, connection.request);
  goTo(moves, stay && !(live && moves === match.names(live).join(" ")));
}
// The server reads moves however they are typed.
function goAsTyped(moves, stay) { pause(); goTo(moves, stay); }
function goTo(moves, stay) { stood = { paused: page.paused }; page.paused = stay; connection.send("position", { moves }); }

function pause() { commands.stop(); pauseReplay(); }

function undo() {
  let from = page.match.here, node = from.parent;
  if (from.ended?.how === "time" && clocks.minutes) return;   // there is no time to go on
  if (from.ended) { from.ended = null; from.double = from.double?.taken ? from.double : null; from.over = page.view.over; return go(page.match.names(from), false); }   // a resignation
  while (node && (!human(from.side) || from.joined || from.forced)) { from = node; node = node.parent; }
  if (node) { page.match.takeBack(from); go(page.match.names(node), false); }
}

// The match ends where it has come to, whichever position is shown.
function finish(how, side) {
  const { match, live } = page, end = live ?? match.here;
  Object.assign(end, { ended: { how, side }, over: true });
  clocks.run(null);
  sound("end");
  goTo(match.names(end).join(" "), !live);
}

// The same match from its start, perhaps with exchanged players.
function rematch(exchanged) {
  if (exchanged) exchange();
  again(page.view.start);
}

// The same game and players from a position.
function again(fen) {
  opens(false, page.game, "", fen);
}

// The only person resigns, even while the computer thinks; else the side to move.
function resign() {
  if (!canResign()) return;
  const side = lonePerson() ?? (page.awaited === "think" ? page.thinker : page.view.side);
  finish("resigns", side);
}

// --- beginning

// Opens a match that is looked at or played, with the players of this page; if it is refused, the page is as before.
function opens(paused, game, moves = "", fen = "", ended = null, cube = { on: usesCube(), doubles: [] }) {
  const before = page.paused;
  page.paused = paused;
  wanted = chosen();
  open(game, moves, fen, null, null, ended, null, cube.doubles);
  $("cube").checked = cube.on;
  stood.paused = before;
}

function open(name, moves = "", fen = "", of = null, ply = null, ended = null, left = null, doubles = []) {
  pause();
  stood = { learnt: page.learnt };
  plyToShow = ply; endToShow = ended; leftToShow = left; doublesToShow = doubles;
  page.learnt = of;
  $("source").hidden = !of;
  offer(moves || fen || of ? null : name);
  if (of) $("source").textContent = t("match.source", { number: counted(of.number), run: of.run });
  clocks.reset(left);
  rejoining = false;
  request({ game: name, moves, fen });
}

function request(match) {
  requested = match;
  board.lock();
  waits();
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
  page.paused ||= looksAway();
  pause(); clocks.run(null); stopCounting(); awaits(null);
  board.lock(); hold();
  status(t("server.lost"), true);
}

async function begin() {
  const held = read();
  wanted = held.wanted;
  const of = held.of ? await watched(held.of) : null;
  const game = held.game ?? (await (await fetch("/about")).json()).game;
  open(game, held.moves ?? of?.moves ?? "", held.fen, of, held.ply, held.ended, held.left, held.doubles);
}

$("new").addEventListener("click", () => {
  if (!page.game) { location.href = "/"; return; }   // the address could not be opened
  setUp(page.game).catch(({ message }) => status(message, true));
});
navigation({ go, step });
copying();
$("undo").addEventListener("click", undo);
$("resign").addEventListener("click", resign);
for (const id of SIDES.flatMap((side) => [side, `${side}-level`])) $(id).addEventListener("change", () => { showLevels(); goOn(); });
$("cube").addEventListener("change", goOn);
$("exchange").addEventListener("click", () => { exchange(); goOn(); });
for (const side of SIDES) for (const id of ["seconds", "evaluations"]) $(`${side}-${id}`).addEventListener("change", () => limit(side));
$("minutes").addEventListener("input", () => { showSides(); clocks.reset(); if (!page.paused && !over()) clocks.run(page.view.side); });
for (const id of ["minutes", "increment"]) $(id).addEventListener("change", () => { $(id).value = clocks[id]; });
setInterval(keepTime, 500);   // for a reload; when the page is left it is too late to change the address
$("goto").addEventListener("click", () => goAsTyped($("moves").value, true));
$("position").addEventListener("submit", (event) => { event.preventDefault(); again($("fen").value.trim()); });
files({ ask: (type, content) => connection.send(type, content, FILES), open: (...match) => opens(true, ...match) });
switches(() => { if (page.view) { const kept = board.layer; show(); board.overlay(kept); } });
window.addEventListener("hashchange", begin);
connection.open();

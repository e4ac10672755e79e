// The address of the page holds the match, which position of it is shown, and who plays.
import { $ } from "/static/dom.js";
import { clocks } from "/static/clocks.js";
import { heldCube, readCube } from "/static/cube.js";
import { keepMatch } from "/static/kept.js";
import { SIDES, human, looksAway, page, showsChances } from "/static/page.js";

const CHOSEN = [...SIDES, ...SIDES.map((side) => `${side}-level`), "search"];
const ENDED = /^(resigns|time|drops)-([01])$/, LEFT = /^\d{1,5}(\.\d)?-\d{1,5}(\.\d)?$/;

// The limits of the programs; what they are without one in the address.
const LIMITS = Object.fromEntries(SIDES.flatMap((side) => [[`${side}-seconds`, "1"], [`${side}-evaluations`, "0"]]));

// Who plays and analyses now, as an address asks for it.
export function chosen() { return Object.fromEntries(CHOSEN.filter((id) => !$(id).hidden).map((id) => [id, $(id).value])); }

// Whether the address is what this page has written, not one that a person has just gone to.
let written = null;
export function isOwn() { return location.hash === written; }

// How a match ended, if not by the rules, as addresses and files hold it, such as resigns-0; empty for another end.
export function heldEnd({ ended }) { return ended ? `${ended.how}-${ended.side}` : ""; }
export function readEnd(text) {
  const [, how, side] = ENDED.exec(text) ?? [];
  return how ? { how, side: Number(side) } : null;
}

// The address of a match up to this end, without what is shown of it.
function addressOf(end) {
  const { view, learnt, match } = page;
  const held = new URLSearchParams({ game: page.game, moves: match.names(end).join(" ") });
  if (view.start) held.set("fen", view.start);
  if (learnt) { held.set("run", learnt.run); held.set("match", learnt.number); }
  if (heldCube(end)) held.set("cube", heldCube(end));
  if (end.ended) held.set("ended", heldEnd(end));
  for (const [id, value] of Object.entries(chosen())) held.set(id, value);
  for (const [id, usual] of Object.entries(LIMITS)) if (!$(id).closest(".limit").hidden && $(id).value !== usual) held.set(id, $(id).value);
  if (clocks.minutes) held.set("minutes", $("minutes").value);
  if (clocks.increment) held.set("increment", $("increment").value);
  if (page.live && clocks.minutes) held.set("left", clocks.held.map((seconds) => seconds.toFixed(1)).join("-"));
  return held;
}

// Writes the address, and keeps the match if a person plays it.
export function remember() {
  const { live, learnt, match } = page, end = match.end(), held = addressOf(end);
  if (match.here !== end) held.set("ply", match.names().length);
  if ($("analyse").checked) held.set("analyse", "1");
  if (!showsChances()) held.set("units", "values");
  if (page.paused || looksAway()) held.set("paused", "1");
  history.replaceState(null, "", `#${held}`);
  written = location.hash;
  if (live && !learnt && begun()) keepMatch({ game: page.game, held: String(addressOf(live)), moves: match.names(live).length, over: live.over }, page.acted);
}

// Whether a person has acted in the match that is played.
export function begun() {
  for (let node = page.live; node?.parent; node = node.parent) if (human(node.side)) return true;
  return false;
}

// What the address asks for; sets the controls that do not depend on the game.
export function read() {
  const held = new URLSearchParams(location.hash.slice(1));
  $("analyse").checked = held.has("analyse");
  $("units").value = held.get("units") === "values" ? "values" : "chances";
  for (const id of ["minutes", "increment"]) { $(id).value = held.get(id) ?? "0"; $(id).value = clocks[id]; }
  for (const id of Object.keys(LIMITS)) if (held.has(id)) $(id).value = held.get(id);
  page.paused = held.has("paused");
  const wanted = Object.fromEntries(CHOSEN.filter((key) => held.has(key)).map((key) => [key, held.get(key)]));
  const of = held.has("run") ? { run: held.get("run"), number: Number(held.get("match")) } : null;
  const ply = /^\d+$/.test(held.get("ply")) ? Number(held.get("ply")) : null;
  const ended = readEnd(held.get("ended"));
  const left = LEFT.test(held.get("left")) ? held.get("left").split("-").map(Number) : null;
  const cube = readCube(held.get("cube"));
  $("cube").checked = cube.on;
  return { doubles: cube.doubles, ended, left, game: held.get("game"), moves: held.get("moves"), ply, fen: held.get("fen") ?? "", wanted, of };
}

// A match of a training's self-play, if still among the latest ones.
export async function watched({ run, number }) {
  const answer = await fetch(`/runs/${run.split("/").map(encodeURIComponent).join("/")}`);
  const found = answer.ok ? (await answer.json()).latest.find((one) => one.number === number) : null;
  return found && { run, number, moves: found.moves, values: found.values };
}

// The address of the page holds the match, which position of it is shown, and who plays.
import { $ } from "/static/dom.js";
import { SIDES, page, showsChances } from "/static/page.js";

const CHOSEN = [...SIDES, ...SIDES.map((side) => `${side}-level`), "search"];

export function remember() {
  const { view, learnt, match } = page, end = match.end();
  const held = new URLSearchParams({ game: page.game, moves: match.names(end).join(" ") });
  if (match.here !== end) held.set("ply", match.names().length);
  if (view.start) held.set("fen", view.start);
  if (learnt) { held.set("run", learnt.run); held.set("match", learnt.number); }
  for (const side of SIDES) {
    held.set(side, $(side).value);
    if (!$(`${side}-level`).hidden) held.set(`${side}-level`, $(`${side}-level`).value);
  }
  if (Number($("minutes").value)) held.set("minutes", $("minutes").value);
  if (Number($("increment").value)) held.set("increment", $("increment").value);
  held.set("search", $("search").value);
  if ($("analyse").checked) held.set("analyse", "1");
  if (!showsChances()) held.set("units", "values");
  if (page.paused) held.set("paused", "1");
  history.replaceState(null, "", `#${held}`);
}

// What is chosen now, as `read` gives it.
export function chosen() { return Object.fromEntries(CHOSEN.filter((key) => !$(key).hidden).map((key) => [key, $(key).value])); }

// What the address asks for; sets the controls that do not depend on the game.
export function read() {
  const held = new URLSearchParams(location.hash.slice(1));
  $("analyse").checked = held.has("analyse");
  $("units").value = held.get("units") === "values" ? "values" : "chances";
  for (const id of ["minutes", "increment"]) $(id).value = held.get(id) ?? "0";
  page.paused = held.has("paused");
  const wanted = Object.fromEntries(CHOSEN.filter((key) => held.has(key)).map((key) => [key, held.get(key)]));
  const of = held.has("run") ? { run: held.get("run"), number: Number(held.get("match")) } : null;
  const ply = /^\d+$/.test(held.get("ply")) ? Number(held.get("ply")) : null;
  return { game: held.get("game"), moves: held.get("moves"), ply, fen: held.get("fen") ?? "", wanted, of };
}

// A match of a training's self-play, if still among the latest ones.
export async function watched({ run, number }) {
  const answer = await fetch(`/runs/${run.split("/").map(encodeURIComponent).join("/")}`);
  const found = answer.ok ? (await answer.json()).latest.find((one) => one.number === number) : null;
  return found && { run, number, moves: found.moves, values: found.values };
}

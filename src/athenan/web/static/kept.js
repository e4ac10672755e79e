// The last match of each game that a person has played in this browser, the newest first. What is read here may have been
// written by anything: it is only used as an address of the board, which the server checks like any other.
import { $, element, keep, kept } from "/static/dom.js";
import { t } from "/static/texts.js";

const MOST = 20;   // matches

function isMatch(one) {
  return typeof one?.game === "string" && typeof one.held === "string" && Number.isSafeInteger(one.moves) && typeof one.over === "boolean";
}

function matches() {
  try {
    const read = JSON.parse(kept("matches", "[]"));
    return Array.isArray(read) ? read.filter(isMatch) : [];
  } catch { return []; }
}

function write(all) { keep("matches", JSON.stringify(all.slice(0, MOST))); }

const played = ({ held }) => (new URLSearchParams(held).get("moves") ?? "").split(" ").filter(Boolean);
function goesOn(match, former) { const moves = played(match); return played(former).every((move, at) => move === moves[at]); }

// A match is {game, held, moves, over}: `held` is the part of its address after the #, `moves` their number. A match in
// which the person has not `acted` here, such as that of a link, does not replace another one that has not ended. A page
// keeps each state of its match once: what another page has kept since then is newer.
let last = "";
export function keepMatch(match, acted) {
  const state = JSON.stringify([match, acted]);
  if (state === last) return;
  last = state;
  const all = matches(), former = all.find(({ game }) => game === match.game);
  if (former && !former.over && !acted && !goesOn(match, former)) return;
  write([match, ...all.filter((one) => one !== former)]);
}

// A match that could not be opened is no longer offered.
export function forget(held) { write(matches().filter((one) => one.held !== held)); }

const family = (game) => game.split(":")[0];

// Whether a person has acted in a match of this game, whatever its options, among the latest ones.
export function hasPlayed(game) { return matches().some((one) => family(one.game) === family(game)); }

// The newest match of this game, whatever its options, that has not ended; null without one.
function unfinished(game) { return matches().find((one) => family(one.game) === family(game) && !one.over) ?? null; }

function link(match) { return element("a", { className: "kept", href: `/play#${match.held}`, textContent: t("kept.on", { move: match.moves + 1 }) }); }

// Beside each game of the gallery, a link to the match that has not ended.
export function offerInGallery() {
  for (const old of document.querySelectorAll(".kept")) old.remove();
  for (const button of document.querySelectorAll(".card [data-game]")) {
    const match = unfinished(button.dataset.game);
    if (match) button.closest(".row").before(link(match));
  }
}

// At the first position of a new match, the former match of the game; null offers nothing.
let offered = null;
export function offer(game) { offered = game && unfinished(game); }
export function showOffer(begun) {
  $("former").hidden = begun || !offered;
  if (!$("former").hidden) $("former").replaceChildren(`${t("kept.former")} `, link(offered));
}

// "Board" in the header leads to the last match; at the board it stays there.
document.querySelector('header nav a[href="/play"]').addEventListener("click", (event) => {
  const [last] = matches();
  if (event.currentTarget.hasAttribute("aria-current")) event.preventDefault();
  else if (last) event.currentTarget.hash = last.held;
});

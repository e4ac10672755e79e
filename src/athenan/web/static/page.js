// State shared by the parts of the board's page: the game, the shown position, the match, and who plays.
import { $ } from "/static/dom.js";
import { Match } from "/static/match.js";
import { t } from "/static/texts.js";

export const SIDES = ["first", "second"];
export const HUMAN = "human";
export const STRONGEST = "strongest";   // the level at which a player plays as strongly as it can

export const page = {
  game: null,
  view: null,          // the position that the server has sent last
  match: new Match(),
  about: null,         // the game in words
  levelled: [],        // the players that have levels
  paused: false,       // a person looks at other positions, so neither chance nor a program goes on
  acted: false,        // a person has acted in the match, which was opened here
  live: null,          // the last position of the match that is played; null if a match is only looked at
  awaited: null,       // the message whose answer is another position: asking for a search now would prevent it
  thinker: null,       // the side whose program was asked last to think
  learnt: null,        // the shown match of a training's self-play: its run, number and values
  reviewed: false,     // a person has asked for a review of the match
};

// What is wrong is brought into view: the button that led to it may be far below.
export function status(text, wrong = false) {
  $("status").textContent = text;
  $("status").classList.toggle("error", wrong);
  if (wrong) $("status").scrollIntoView({ block: "nearest" });
}

// Who is to do what in the shown position.
export function task() {
  const { awaited, players, side } = page.view, names = awaited?.names ?? [];
  if (awaited) return t(`awaits.${awaited.act}`, { side: sideName(side), left: awaited.left, names: names.length > 1 ? t("awaits.or", { first: names[0], second: names[1] }) : names[0] });
  return players === 1 ? "" : t(side === 2 ? "status.chance" : "status.moves", { side: sideName(side) });
}

// A side as people call it: by the colour of its pieces.
export function sideName(side) {
  if (side === 2) return t("side.chance");
  const { view } = page;
  if (view?.players === 1) return t("side.player");
  return view?.sides ? t(`colour.${view.sides[side]}`) : t(`side.${SIDES[side]}`);
}

export function player(side) { return side < 2 && page.view.players === 1 ? $("first").value : $(SIDES[side])?.value; }
export function human(side) { return side < 2 && player(side) === HUMAN; }
// The side of the only person in a match of two; null if there is none.
export function lonePerson() { return page.view.players === 2 && human(0) !== human(1) ? Number(human(1)) : null; }
// Whether a program thinks about the last position while a person looks at another one.
export function looksAway() { return page.awaited === "think" && page.match.here !== page.live; }
export function over() { return page.view.over || page.match.here.ended !== null; }

// Whether a person plays against a program and has not asked for its judgements: they are hidden until the match is over.
export function blind() {
  return lonePerson() !== null && !$("analyse").checked && !page.reviewed && !page.learnt && !page.match.end().over;
}
export function showsChances() { return $("units").value === "chances"; }

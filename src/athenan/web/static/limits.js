// How long a program may think: what the fields of its side say, or a share of its clock.
import { clocks } from "/static/clocks.js";
import { $ } from "/static/dom.js";
import { SIDES, page } from "/static/page.js";

const MOST_SECONDS = 600, MOST_EVALUATIONS = 1e9;   // what the server lets a program use for an action

// The side whose fields count for the program that thinks: a single player has the first ones.
export function limitedSide() { return SIDES[page.view.players === 1 ? 0 : page.thinker]; }

// What the program that thinks may use.
export function limits() {
  return clocks.minutes ? { seconds: clocks.share(page.thinker, MOST_SECONDS), evaluations: 0 } : given(limitedSide());
}

// What the fields of a side let its program use: evaluations if they are given, else seconds, one if they are not.
function given(side) {
  const seconds = Number($(`${side}-seconds`).value), evaluations = Math.round(Number($(`${side}-evaluations`).value));
  if (evaluations > 0) return { seconds: 0, evaluations: Math.min(evaluations, MOST_EVALUATIONS) };
  return { seconds: seconds > 0 ? Math.min(seconds, MOST_SECONDS) : 1, evaluations: 0 };
}

// Shows what counts of the fields of a side.
export function showGiven(side) {
  const { seconds, evaluations } = given(side);
  $(`${side}-evaluations`).value = evaluations;
  if (!evaluations) $(`${side}-seconds`).value = seconds;
}

// The doubling cube: what has been done with it on the way to a position, and who is asked about it before a roll.
import { $, command } from "/static/dom.js";
import { human, page, sideName } from "/static/page.js";
import { t } from "/static/texts.js";

const MOST = 64, ON = "on";

// Whether the match has a cube.
export function usesCube() { return Boolean(page.view?.cube) && $("cube").checked; }

// The cube at a position: its value, and who owns it; null for both.
export function cubeAt(node = page.match.here) {
  let value = 1, owner = null;
  for (const { double } of way(node)) if (double?.taken) { value *= 2; owner = 1 - double.side; }
  return { value, owner };
}

function way(node) {
  const nodes = [];
  for (let at = node; at; at = at.parent) nodes.unshift(at);
  return nodes;
}

// The cube and the doubles of the match up to a position, as addresses and files hold them: on.6-0-1; empty without a cube.
export function heldCube(end) {
  if (!usesCube()) return "";
  const doubles = way(end).flatMap(({ double }, ply) => (double ? [`${ply}-${double.side}-${Number(double.taken)}`] : []));
  return [ON, ...doubles].join(".");
}

// Whether a text has a cube, and its doubles.
export function readCube(text) {
  const [on, ...doubles] = (text ?? "").split(".").slice(0, 30), found = doubles.map((one) => /^(\d{1,5})-([01])-([01])$/.exec(one));
  if (on !== ON || found.includes(null)) return { on: false, doubles: [] };
  return { on: true, doubles: found.map(([, ply, side, taken]) => ({ ply: Number(ply), side: Number(side), taken: taken === "1" })) };
}

// Puts the doubles of an opened match on its positions.
export function putDoubles(doubles) {
  const line = page.match.line();
  for (const { ply, side, taken } of doubles) if (line[ply]) line[ply].double = { side, taken };
}

// Who may double at the shown position; null for nobody.
function doubler() {
  const { view, match: { here } } = page, { value, owner } = cubeAt();
  if (!usesCube() || view.roller === null || here.double || here.ended || value >= MOST) return null;
  return owner === null || owner === view.roller ? view.roller : null;
}

// Asks who may double before a roll, and the other whether to take. `ask` asks a program, `roll` rolls, `show` shows the
// buttons for a person, `drops` ends the match.
export class Doubling {
  constructor({ ask, roll, show, drops }) { Object.assign(this, { ask, roll, show, drops }); }

  begin() {
    const side = doubler(), { here } = page.match;
    if (side === null) return this.roll();
    if (here.offered !== null) return this.toAnswer();
    if (human(side)) return this.show();
    return this.question(side, false);
  }

  question(side, offered) {
    const { value, owner } = cubeAt();
    page.thinker = side;
    this.ask({ value, owner: owner ?? 2, offered });
  }

  offer() { page.match.here.offered = doubler(); this.toAnswer(); }

  toAnswer() {
    const other = 1 - page.match.here.offered;
    if (human(other)) this.show(); else this.question(other, true);
  }

  // A program has answered.
  answered({ offered, yes }) {
    if (offered) this.answer(yes);
    else if (yes) this.offer();
    else this.roll();
  }

  answer(taken) {
    const { here } = page.match, side = here.offered;
    here.offered = null;
    here.double = { side, taken };
    if (taken) this.roll(); else this.drops(1 - side);
  }

  // What a person may do about the cube now.
  buttons() {
    const { view, paused, match: { here } } = page, side = doubler();
    if (paused || view.side !== 2 || side === null) return [];
    const value = 2 * cubeAt().value;
    if (here.offered !== null) {
      return human(1 - here.offered) ? [command(t("cube.take"), () => this.answer(true)), command(t("cube.drop"), () => this.answer(false))] : [];
    }
    return human(side) ? [command(t("board.roll"), () => this.roll()), command(t("cube.double", { value }), () => this.offer())] : [];
  }
}

// What is to be decided about the cube, or has been decided before the last roll; empty for nothing.
export function tellCube() {
  const { view, match: { here } } = page, side = doubler(), before = here.parent?.double;
  if (before?.taken && here.side === 2) return t("cube.taken", { side: sideName(1 - before.side), value: cubeAt().value });
  if (side === null || view.side !== 2) return "";
  const values = { side: sideName(side), other: sideName(1 - side), value: 2 * cubeAt().value };
  if (here.offered !== null) return t(human(1 - side) ? "cube.offered" : "cube.answers", values);
  return t(human(side) ? "cube.ask" : "cube.thinks", values);
}

// The cube beside the name of its owner, or between both.
export function showCube() {
  const { value, owner } = cubeAt(), places = [...document.querySelectorAll("#sides .cube")];
  $("cube-rule").hidden = !page.view.cube;
  for (const [at, place] of places.entries()) {   // the first side's, the middle one, the second side's
    place.hidden = !usesCube() || at !== [0, 2, 1][owner ?? 2];
    place.textContent = value;
    place.title = owner === null ? t("cube.middle", { value }) : t("cube.owned", { value, side: sideName(owner) });
  }
}

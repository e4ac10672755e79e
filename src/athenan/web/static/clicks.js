// Clicks on the places of a board. An action is a sequence of places; the chosen places are its beginning.

import { command, drawn } from "/static/dom.js";
import { dragging } from "/static/drag.js";
import { look, showsLegal, turn, upright } from "/static/look.js";
import { animate } from "/static/motion.js";
import { over, page, task } from "/static/page.js";
import { t } from "/static/texts.js";
import { releaseTray } from "/static/tray.js";

// The name of a place with what stands there, such as "b1: Red disc (3)", in the language of the page.
function named(label) {
  const [place, there] = label.split(": ");
  if (there === "empty") return `${place}: ${t("place.empty")}`;
  const [colour, shape, ...rest] = there.split(" ");
  return `${place}: ${[t(`colour.${colour.toLowerCase()}`), t(`shape.${shape}`), ...rest].join(" ")}`;
}

const MANY = 40;   // places: so many are not marked as beginnings

export class Board {
  // `play` plays an action, `choose` is told of chosen places, `explain` says what a click did not mean.
  constructor(element, choice, { play, choose, explain }) {
    this.element = element; this.choice = choice; this.play = play; this.choose = choose; this.explain = explain;
    this.chosen = []; this.cursor = null; this.view = null;
    this.put = null;       // the actions of the piece that is chosen from the tray
    this.layer = "";       // what an analysis shows over the board
    this.dragged = false;  // the last action was dragged: its piece is there already
    dragging(element, { lifts: (place) => this.lifts(place), drops: (place) => this.drops(place) });
    element.addEventListener("click", (event) => {
      const place = event.target.closest?.("[data-place]");
      if (place) this.click(Number(place.dataset.place));
    });
    element.addEventListener("keydown", (event) => this.key(event));
    choice.addEventListener("keydown", (event) => { if (event.key === "Escape") this.key(event); });
  }

  // `moving`: the last action is shown as a motion.
  show(view, enabled, moving = false) {
    this.view = view; this.enabled = enabled; this.chosen = []; this.put = null; this.layer = "";
    this.element.innerHTML = view.svg;
    const svg = this.element.querySelector("svg");
    if (look.turned) turn(svg);
    this.places = [...this.element.querySelectorAll("[data-place]")];
    for (const place of this.places) place.setAttribute("aria-label", named(place.getAttribute("aria-label")));
    if (this.cursor >= this.places.length) this.cursor = null;  // left over from a larger board
    this.middles = this.places.map((place) => {
      const box = place.getBBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    });
    this.choice.replaceChildren();
    this.mark();
    if (moving && !this.dragged) animate(this.element, view.path, this.middles);
    this.dragged = false;
  }

  // Whether the last action of a new position takes pieces.
  captures(view) { return (view.svg.match(/data-on=/g) ?? []).length < this.element.querySelectorAll("[data-on]").length; }

  // The keyboard goes on at the board when buttons that have it disappear.
  keepFocus(ids) {
    if (ids.some((id) => document.getElementById(id).contains(document.activeElement))) this.element.focus({ preventScroll: true });
  }

  // Blocks clicks until the next position is shown.
  lock() {
    this.enabled = false; this.chosen = [];
    this.keepFocus([this.choice.id]);
    this.choice.replaceChildren();
    this.mark();
  }

  overlay(svg) {
    const layer = this.element.querySelector(".overlay");
    if (!layer) return;
    this.layer = svg;
    layer.innerHTML = svg;
    if (look.turned) upright(layer);
  }

  // The actions that begin with the chosen places.
  possible(chosen = this.chosen) {
    if (!this.enabled) return [];
    return this.view.actions.filter((one) => (!this.put || this.put.includes(one.id)) && one.path.length >= chosen.length && chosen.every((place, at) => one.path[at] === place));
  }

  // A piece from the tray is chosen: it is put at once if it can go to one place only.
  choosePiece(actions) {
    this.release();
    this.put = actions;
    const possible = actions ? this.possible() : [];
    if (possible.length === 1) return this.play(possible[0]);
    this.mark(); this.choose([]);
  }

  // Takes back what was chosen.
  release() { this.keepFocus([this.choice.id]); this.chosen = []; this.put = null; this.choice.replaceChildren(); }

  click(clicked) {
    const place = this.meant(clicked);
    if (place === null) return this.choseAgain(clicked);
    this.chosen = [...this.chosen, place];
    const possible = this.possible();
    const complete = possible.filter((one) => one.path.length === this.chosen.length);
    if (complete.length === 1 && possible.length === 1) return this.play(complete[0]);
    if (complete.length) return this.ask(possible);
    this.mark(); this.choose(this.chosen);
  }

  // The place that a click means: the place itself, or the place in its slot that an action can touch next.
  meant(clicked) {
    const next = new Set(this.possible().map((one) => one.path[this.chosen.length]));
    if (next.has(clicked)) return clicked;
    const slot = this.view.slots.find((one) => one.includes(clicked));
    const there = slot ? slot.filter((place) => next.has(place)) : [];
    return there.length === 1 ? there[0] : null;
  }

  // Chooses a place whose piece moves.
  lifts(place) {
    this.chosen = [];
    if (!this.possible([place]).some((one) => one.path.length > 1)) return false;
    this.click(place);
    return this.chosen.length === 1;
  }

  drops(place) {
    this.dragged = this.meant(place) !== null;
    this.click(place);
  }

  // What a click on a place that cannot be played means.
  reason(clicked, had) {
    const [place, piece] = this.places[clicked].getAttribute("aria-label").split(": ");
    if (!this.enabled) return page.awaited === "play" ? "" : t("click.waits");   // the second click of a double click says nothing
    if (had.length) return had[0] === clicked ? "" : t("click.unreachable", { place, from: this.places[had[had.length - 1]].getAttribute("aria-label").split(": ")[0] });
    if (this.view.awaited?.act === "setup") return task();
    return t(piece === t("place.empty") ? "click.empty" : "click.piece", { place });
  }

  choseAgain(clicked) {
    const had = this.chosen;
    this.release(); releaseTray();
    if (had.length && had[0] !== clicked && this.meant(clicked) !== null) return this.click(clicked);
    this.mark(); this.choose([]);
    const reason = over() ? "" : this.reason(clicked, had);
    if (reason) this.explain(reason);
  }

  ask(possible) {
    this.mark();
    this.choice.replaceChildren(...possible.map((one) => command(one.name, () => this.play(one))));
    this.choice.firstChild.focus();
  }

  mark() {
    const possible = this.possible(), at = this.chosen.length;
    const next = new Set(possible.filter((one) => one.path.length > at).map((one) => one.path[at]));  // none of a pass
    this.places?.forEach((element, place) => {  // none before the first position
      element.classList.toggle("chosen", this.chosen.includes(place));
      element.classList.toggle("can", next.has(place));
      element.classList.toggle("to", at > 0 && next.has(place));
      element.classList.toggle("from", at === 0 && next.has(place) && next.size < MANY && possible.some((one) => one.path.length > 1));
      element.classList.toggle("cursor", this.cursor === place);
    });
    this.dot(next, at > 0 || next.size <= this.places?.length / 2);
  }

  // Dots on the places where the action can go on, if they tell something. What an analysis says lies above them.
  dot(next, telling) {
    this.element.querySelector(".dots")?.remove();
    const over = this.element.querySelector(".places");
    if (!over || !telling || !showsLegal()) return;
    const dots = drawn("g", { class: "dots" });
    for (const place of next) if (this.chosen.length || !this.moves(place)) drawn("circle", { cx: this.middles[place][0], cy: this.middles[place][1], r: 6 }, dots);
    (this.element.querySelector(".overlay") ?? over).before(dots);
  }

  // Whether an action goes on from a place.
  moves(place) { return this.possible().some((one) => one.path[this.chosen.length] === place && one.path.length > this.chosen.length + 1); }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key in steps && this.places?.length) {
      this.cursor = this.cursor === null ? 0 : this.neighbour(...steps[event.key]);
      this.mark();
      this.element.setAttribute("aria-label", this.places[this.cursor].getAttribute("aria-label"));
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor !== null) {
      this.click(this.cursor);
    } else if (event.key === "Escape") {
      this.release(); releaseTray(); this.mark(); this.choose([]);
    } else return;
    event.preventDefault(); event.stopPropagation();
  }

  // The nearest place in a direction; sideways distance counts double.
  neighbour(right, down) {
    if (look.turned) { right = -right; down = -down; }
    const [x, y] = this.middles[this.cursor];
    let best = this.cursor, least = Infinity;
    this.middles.forEach(([otherX, otherY], place) => {
      const ahead = (otherX - x) * right + (otherY - y) * down;
      const aside = Math.abs((otherX - x) * down) + Math.abs((otherY - y) * right);
      if (ahead > 1 && ahead + 2 * aside < least) { least = ahead + 2 * aside; best = place; }
    });
    return best;
  }
}

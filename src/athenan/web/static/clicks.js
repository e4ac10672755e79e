// Clicks on the places of a board. An action is a sequence of places; the chosen places are its beginning.

export class Board {
  constructor(element, choice, { play, choose }) {
    this.element = element; this.choice = choice; this.play = play; this.choose = choose;
    this.chosen = []; this.cursor = null; this.view = null;
    element.addEventListener("click", (event) => {
      const place = event.target.closest?.("[data-place]");
      if (place) this.click(Number(place.dataset.place));
    });
    element.addEventListener("keydown", (event) => this.key(event));
  }

  show(view, enabled) {
    this.view = view; this.enabled = enabled; this.chosen = [];
    this.element.innerHTML = view.svg;
    this.places = [...this.element.querySelectorAll("[data-place]")];
    if (this.cursor >= this.places.length) this.cursor = null;  // left over from a larger board
    this.middles = this.places.map((place) => {
      const box = place.getBBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    });
    this.choice.replaceChildren();
    this.mark();
  }

  // Blocks clicks until the next position is shown.
  lock() {
    this.enabled = false; this.chosen = [];
    this.choice.replaceChildren();
    this.mark();
  }

  overlay(svg) {
    const layer = this.element.querySelector(".overlay");
    if (layer) layer.innerHTML = svg;
  }

  // The actions that begin with the chosen places.
  possible(chosen = this.chosen) {
    if (!this.enabled) return [];
    return this.view.actions.filter((one) => one.path.length >= chosen.length && chosen.every((place, at) => one.path[at] === place));
  }

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

  choseAgain(clicked) {
    const had = this.chosen;
    this.chosen = []; this.choice.replaceChildren();
    if (had.length && had[0] !== clicked && this.meant(clicked) !== null) return this.click(clicked);
    this.mark(); this.choose([]);
  }

  ask(possible) {
    this.mark();
    this.choice.replaceChildren(...possible.map((one) => {
      const button = document.createElement("button");
      button.textContent = one.name;
      button.addEventListener("click", () => this.play(one));
      return button;
    }));
    this.choice.firstChild.focus();
  }

  mark() {
    const possible = this.possible(), at = this.chosen.length;
    const next = new Set(possible.map((one) => one.path[at]));
    this.places?.forEach((element, place) => {  // none before the first position
      element.classList.toggle("chosen", this.chosen.includes(place));
      element.classList.toggle("can", next.has(place));
      element.classList.toggle("to", at > 0 && next.has(place));
      element.classList.toggle("from", at === 0 && next.has(place) && next.size < 40 && possible.some((one) => one.path.length > 1));
      element.classList.toggle("cursor", this.cursor === place);
    });
  }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key in steps && this.places?.length) {
      this.cursor = this.cursor === null ? 0 : this.neighbour(...steps[event.key]);
      this.mark();
      this.element.setAttribute("aria-label", this.places[this.cursor].getAttribute("aria-label"));
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor !== null) {
      this.click(this.cursor);
    } else if (event.key === "Escape") {
      this.chosen = []; this.choice.replaceChildren(); this.mark(); this.choose([]);
    } else return;
    event.preventDefault(); event.stopPropagation();
  }

  // The nearest place in a direction; sideways distance counts double.
  neighbour(right, down) {
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

// The clocks of both sides: minutes, and seconds that each action adds. They stop while a person looks at earlier positions.
import { $ } from "/static/dom.js";
import { SIDES, page } from "/static/page.js";

export class Clocks {
  // `out` is called with the side whose time has run out.
  constructor(out) {
    this.left = [0, 0]; this.since = null;   // seconds left, and when the current side began, null while stopped
    setInterval(() => this.show(out), 200);
  }

  get minutes() { return Number($("minutes").value); }

  get increment() { return Number($("increment").value); }

  reset(running = false) {
    this.left = [60 * this.minutes, 60 * this.minutes];
    this.since = running ? performance.now() : null;
  }

  stop() { this.since = null; }

  resume() { this.since ??= performance.now(); }

  // Charges the side that has played, and adds its increment, before the new position is shown.
  tick(message) {
    const now = performance.now(), { view } = page;
    const played = !page.paused && view && message.moves.length > view.moves.length;
    if (this.minutes && this.since !== null && played && view.side < 2) {
      this.left[view.side] = Math.max(0, this.left[view.side] - (now - this.since) / 1000) + this.increment;
    }
    this.since = page.paused ? null : now;
  }

  // The seconds that a program may take for its action.
  share(side, most) {
    const left = this.left[side];
    return Math.min(most, Math.max(0.02, Math.min(left / 30 + this.increment, left / 2)));
  }

  show(out) {
    const { view } = page;
    for (const [side, name] of SIDES.entries()) {
      const running = view && !view.over && !page.ended && !page.paused && view.side === side && this.since !== null;
      const seconds = Math.max(0, this.left[side] - (running ? (performance.now() - this.since) / 1000 : 0));
      $(`${name}-clock`).textContent = this.minutes ? `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}` : "";
      if (this.minutes && running && seconds <= 0) out(side);
    }
  }
}

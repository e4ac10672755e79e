// The clocks of both sides: minutes, and seconds that each action adds. A person's clock goes on while the person looks at
// other positions, and so does a program's while it thinks; it stands while the program is kept from thinking.
import { $ } from "/static/dom.js";
import { SIDES, human, page } from "/static/page.js";

const STEP = 200;   // milliseconds between two looks at the clocks

class Clocks {
  constructor() {
    this.left = [0, 0];              // seconds, without what has passed since
    this.side = null;                // the side whose clock runs
    this.since = performance.now();  // when it was charged last
    this.whenOut = () => {};         // called with the side whose time has run out
    setInterval(() => this.show(), STEP);
  }

  // What the fields say; less than nothing counts as nothing.
  get minutes() { return Math.max(0, Number($("minutes").value)); }

  get increment() { return Math.max(0, Number($("increment").value)); }

  // The seconds left, as the address holds them; null without clocks.
  get held() { this.charge(); return this.minutes ? this.left : null; }

  // Clocks that stand, full or with these seconds left.
  reset(left = null) {
    this.charge();
    this.former = [this.left, this.side];
    this.left = left ?? [60 * this.minutes, 60 * this.minutes];
    this.side = null;
  }

  // The clocks as they were before they were set last.
  back() { [this.left, this.side] = this.former; this.since = performance.now(); }

  charge() {
    const now = performance.now();
    if (this.minutes && this.side !== null) this.left[this.side] = Math.max(0, this.left[this.side] - (now - this.since) / 1000);
    this.since = now;
  }

  // The clock of this side runs from now on; none for null or chance.
  run(side) { this.charge(); this.side = side < 2 ? side : null; }

  // Before the new position is shown, with this side to move; `mover` has played the action that led there, or null.
  follow({ side }, over, mover) {
    this.charge();
    if (page.paused) { if (this.side !== null && !human(this.side)) this.side = null; return; }
    if (mover !== null && mover < 2) this.left[mover] += this.increment;
    this.run(over ? null : side);
  }

  // The seconds that a program may take for its action.
  share(side, most) {
    const left = this.left[side];
    return Math.min(most, Math.max(0.02, Math.min(left / 30 + this.increment, left / 2)));
  }

  show() {
    this.charge();
    for (const [side, name] of SIDES.entries()) {
      const seconds = this.left[side];
      $(`${name}-clock`).textContent = this.minutes ? `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}` : "";
      if (this.minutes && this.side === side && seconds <= 0) this.whenOut(side);
    }
  }
}

export const clocks = new Clocks();

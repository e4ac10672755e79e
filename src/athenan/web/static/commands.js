// Actions without the board: buttons, typed moves, and an action without a choice, which is played by itself.
import { $, command } from "/static/dom.js";
import { human, over, page, sideName, status } from "/static/page.js";
import { t, textOr } from "/static/texts.js";

const NOTE = 1500;   // milliseconds for which a note about an action without a choice is read before it is played

export class Commands {
  // `play` plays an action, `goAsTyped` shows the position after moves as they are typed, `resume` lets the match go on,
  // `stand` stops programs that play each other, and `tell` says what is to be done.
  constructor({ board, doubling, play, goAsTyped, resume, stand, tell }) {
    Object.assign(this, { board, doubling, play, goAsTyped, resume, stand, tell });
    this.typing = false;   // whether a typed move is awaited
    this.forced = null;    // the timer that plays an action without a choice
    $("typing").addEventListener("submit", (event) => { event.preventDefault(); this.type(); });
  }

  // Shows the buttons and the names of the legal moves.
  show() {
    const { view } = page;
    const buttons = this.board.enabled ? view.actions.filter((one) => !one.path.length).map((one) => command(textOr(`action.${one.name}`, one.name), () => this.play(one))) : [];
    if (page.paused && !over()) {
      if (view.side === 2) buttons.push(command(t("board.roll"), this.resume));
      else if (!human(view.side)) buttons.push(command(t("board.let", { side: sideName(view.side) }), this.resume));
    } else if (!over() && this.doubling.buttons().length) buttons.push(...this.doubling.buttons());
    else if (!over() && !human(0) && !human(1)) buttons.push(command(t("board.pause"), this.stand));
    $("buttons").replaceChildren(...buttons);
    $("legal").replaceChildren(...view.actions.slice(0, 300).map((one) => new Option(one.name)));
  }

  // Plays the move in the field. What is no name of a legal action goes to the server.
  type() {
    if (over()) return;
    if (!this.board.enabled) return status(t("click.waits"), true);
    const text = $("move").value.trim(), action = page.view.actions.find((one) => one.name.toLowerCase() === text.toLowerCase());
    if (action) { $("move").value = ""; this.play(action); }
    else if (text) { page.acted = true; this.goAsTyped(`${page.match.names().join(" ")} ${text}`, false); this.typing = true; }
  }

  // The position after the typed move is shown.
  typed() {
    if (this.typing) { this.typing = false; $("move").value = ""; }
  }

  // Whether a person in a match, who does not analyse it, has one action only, and one without a place, such as a pass.
  hasOnlyOne() {
    const { actions, side } = page.view;
    return !over() && !page.paused && !page.awaited && human(side) && !$("analyse").checked && actions.length === 1 && !actions[0].path.length;
  }

  // Plays such an action when the note about it has been read; returns whether there is one.
  playsOnly() {
    const { view } = page;
    if (!this.hasOnlyOne()) return false;
    clearTimeout(this.forced);
    this.forced = setTimeout(() => { this.forced = null; if (page.view === view && this.hasOnlyOne()) this.play(view.actions[0]); else this.tell(); }, NOTE);
    this.tell();
    return true;
  }

  // What is said while the note about the action is read; empty otherwise.
  note() {
    return this.forced ? t("status.forced", { side: sideName(page.view.side), move: page.view.actions[0].name }) : "";
  }

  stop() { clearTimeout(this.forced); this.forced = null; }
}

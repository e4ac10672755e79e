// The study of a match: the analysis of the shown position, hints, the review of all moves, and the tree that shows them.
import { clearAnalysis, showAnalysis, showChances } from "/static/analysis.js";
import { remember } from "/static/address.js";
import { $ } from "/static/dom.js";
import { blind, lonePerson, page, showsChances, sideName, status } from "/static/page.js";
import { tellAccuracy, tellMistake, tellTry } from "/static/review.js";
import { t } from "/static/texts.js";
import { stopCounting } from "/static/waiting.js";

export class Study {
  // `go` shows another position of the match, `play` plays an action, `show` shows the position again, and `tell` says what
  // is to be done there.
  constructor({ connection, board, go, play, show, tell }) {
    Object.assign(this, { connection, board, go, play, show, tell });
    this.analysing = this.hinting = false;
    this.afterwards = false;   // the match is reviewed when its end is shown
    this.listen();
  }

  listen() {
    $("hint").addEventListener("click", () => { if (!page.view.over) { this.hinting = true; status(t("status.hinting")); this.analyse(true); } });
    $("analyse").addEventListener("change", () => {
      remember();
      if (!$("analyse").checked) { this.board.overlay(""); clearAnalysis(); }
      this.draw();
      if (!page.awaited) { this.hinting = false; this.analyse($("analyse").checked); }
    });
    $("search").addEventListener("change", () => { remember(); this.again(); });
    $("units").addEventListener("change", () => { remember(); this.draw(); this.again(); });
    $("next-mistake").addEventListener("click", () => this.goToMistake(true));
    $("previous-mistake").addEventListener("click", () => this.goToMistake(false));
    $("review").addEventListener("click", () => {
      const end = page.match.end();
      if (page.match.here !== end) { this.go(page.match.names(end)); this.afterwards = true; } else this.review();
    });
  }

  // The server has ended the analysis, because another position is shown.
  ended() { this.analysing = this.hinting = false; }

  // The server has refused what was asked.
  refused() { this.hinting = this.afterwards = false; }

  // Begins the review for which the end of the match was shown; returns whether one was asked for.
  reviewsNow() {
    if (!this.afterwards) return false;
    this.afterwards = false;
    $("analyse").checked = false;
    this.review();
    return true;
  }

  analyse(on) {
    if (on) {
      this.analysing = true;
      if (!this.hinting && !page.view.over) $("effort").textContent = t("analysis.begins");
      this.connection.send("analyse", { search: $("search").value, on: true, chances: showsChances() });
    } else if (this.analysing) { this.analysing = false; this.connection.send("stop"); }
  }

  // Analyses with changed settings.
  again() { if (this.analysing && !page.awaited) this.analyse(true); }

  // The places of an action have been chosen, except the last ones: the analysis shows those.
  choose(places) { if (this.analysing) this.connection.send("choose", { places }, this.connection.request); }

  // Shows what the analysis has found.
  found(found) {
    const { view, match } = page, proven = view.players === 2 && found.proven !== null ? (1 + found.proven) / 2 : null;
    if (stopCounting() && !this.hinting) this.tell();
    Object.assign(match.here, { value: found.value, proven: found.proven, chance: found.win_chance ?? proven });
    if (this.hinting && (found.seconds >= 1 || found.exact || found.proven !== null)) {
      this.hinting = false;
      this.analyse($("analyse").checked);
      status(found.line.length ? t("status.hint", { move: found.line[0] }) : t("status.nohint"));
      this.board.overlay(found.hint);
      return;
    }
    if (this.hinting) return;
    const { chosen } = this.board;
    this.board.overlay(chosen.length ? "" : found.overlay + found.way);
    if (chosen.length) this.choose(chosen);
    showAnalysis(found, this);
    this.draw();
  }

  review() {
    if (!page.match.here.parent) { status(t("review.empty")); return; }
    this.analysing = false; page.reviewed = true; page.learnt = null; $("source").hidden = true; $("analyse").checked = false;
    remember();
    this.board.overlay(""); clearAnalysis();
    status(t("review.going", { ply: 0 }));
    this.connection.send("review", { search: $("search").value, seconds: 0.5 });
  }

  // The review has judged the position after `ply` actions.
  judged({ ply, value, proven, win_chance, lost, mark, line, sides, way }) {
    const [node, next] = page.match.line().slice(ply);
    if (node) Object.assign(node, { value, proven, chance: win_chance, better: { line, sides }, way });
    if (next) Object.assign(next, { lost, mark });
    status(t("review.going", { ply }));
    this.draw();
  }

  reviewed({ accuracy }) { status(t("review.done")); tellAccuracy(accuracy); this.showMistake(); this.draw(); }

  // The server has judged a move that a person tried instead of a mistake.
  tried(found) { const text = tellTry(found); this.show(); status(text); }

  // The better line is drawn when it has been found, or asked for.
  showMistake() { if (tellMistake({ go: this.go, answered: this.show }) && !$("analyse").checked) this.board.overlay(page.match.here.way); }

  // Goes before a marked move, where something better can be played.
  goToMistake(forward) {
    const wrong = page.match.marked(forward, lonePerson());
    if (wrong) this.go(page.match.names(wrong.parent)); else status(t("review.none"));
  }

  // The tree of the match, its graph, and the chances in the shown position.
  draw() {
    const tree = $("tree"), { match } = page;
    tree.replaceChildren(match.tree((names) => this.go(names)));
    const here = tree.querySelector(".here");
    if (here) tree.scrollTop = Math.min(here.offsetTop, Math.max(tree.scrollTop, here.offsetTop + here.offsetHeight - tree.clientHeight));
    showChances(blind() ? null : match.here.chance);
    $("graph").replaceChildren(blind() ? "" : match.graph((names) => this.go(names), showsChances(), sideName(0)));
  }
}

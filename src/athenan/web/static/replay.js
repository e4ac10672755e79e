// Shows the rest of a match, or all of it, one action a second.
import { $ } from "/static/dom.js";
import { page } from "/static/page.js";
import { t } from "/static/texts.js";

let timer = null;

// Begins, or pauses; `step` shows the position after moves.
export function replay(step) {
  const { match } = page;
  if (timer) return pause();
  if (match.end() === match.root) return;
  step(match.here === match.end() ? [] : match.names(match.here.next[0]));
  timer = setInterval(() => {
    if (match.here.next[0]) step(match.names(match.here.next[0]));
    if (!match.here.next[0]?.next.length) pause();
  }, 1000);
  $("replay").textContent = t("board.pause");
}

export function pause() { clearInterval(timer); timer = null; $("replay").textContent = t("board.replay"); }

// The way through the match: buttons, keys, and a replay of one action a second.
import { $ } from "/static/dom.js";
import { page } from "/static/page.js";
import { t } from "/static/texts.js";
import { isOpening } from "/static/waiting.js";

const BUTTONS = { ArrowLeft: "back", ArrowRight: "forward", Home: "begin", End: "end", f: "turned" };

// `go` and `step` show the position after moves; `go` ends a replay.
export function navigation({ go, step }) {
  $("begin").addEventListener("click", () => go([]));
  $("back").addEventListener("click", () => page.match.here.parent && go(page.match.names(page.match.here.parent)));
  $("forward").addEventListener("click", () => page.match.here.next[0] && go(page.match.names(page.match.here.next[0])));
  $("end").addEventListener("click", () => go(page.match.names(page.match.end())));
  $("replay").addEventListener("click", () => replay(step));
  document.addEventListener("keydown", pressed);
}

function pressed(event) {
  const { key, target } = event;
  if (isOpening() || $("steps").inert || target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!(key in BUTTONS) || (key !== "f" && target.closest("#board"))) return;   // the board has its own arrow keys
  $(BUTTONS[key]).click();
  event.preventDefault();
}

let timer = null;   // of the replay

// Begins to show the rest of the match, or all of it, or pauses.
function replay(step) {
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

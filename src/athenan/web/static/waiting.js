// While a game is opened or compiled: the old board is hidden, and the page shows the progress.
import { $ } from "/static/dom.js";
import { status } from "/static/page.js";
import { t } from "/static/texts.js";

const PARTS = ["board", "tray", "choice", "buttons", "steps", "typing", "side", "sides", "title", "help"];
let opening = null;   // until the server shows the requested game: the element that had the focus
let began = null, timer = null;   // of what is compiled
let steps = null;     // the step that is made, how many there are, and when it began; null if that is not known
let told = false;     // whether the status says that something is compiled
const REST = 1500;    // milliseconds after which nothing more seems to be compiled
let resting = null;   // the timer of that

export function isOpening() { return opening !== null; }

// Until the server shows the requested game, the old one is hidden and cannot be played on.
export function waits() {
  opening = { focus: opening?.focus ?? document.activeElement };
  $("board").setAttribute("aria-busy", "true");
  hold();
  status(t("wait.opening"));
}

// Nothing can be used until a position is shown.
export function hold() { for (const id of PARTS) $(id).inert = true; }

export function opened() {
  stopCounting();
  if (!opening) return;
  const { focus } = opening;
  opening = null;
  $("board").setAttribute("aria-busy", "false");
  for (const id of PARTS) $(id).inert = false;
  if (document.activeElement === document.body) focus?.focus();
}

// Shows which function is compiled for a request, as a step, and how many there are if that is known; `elsewhere`: it is
// compiled for something else, and this page waits. Without a name nothing is compiled at the moment; `rests` is called if
// that lasts.
export function compiling({ name, number, of, kept, elsewhere }, silent, rests) {
  clearTimeout(resting);
  if (name === null) {
    $("compiled").dataset.name = "";
    resting = setTimeout(() => { $("compiling").hidden = !opening; rests(); }, REST);
    return;
  }
  if (number === 1 && !silent && !elsewhere) {
    told = true;
    const what = t(kept ? "wait.compiling.kept" : "wait.compiling");
    status(opening ? `${t("wait.opening")} ${what}` : what);
  }
  began ??= performance.now();
  $("compiled").dataset.meanwhile = silent ? ` ${t("wait.meanwhile")}` : "";
  const progress = $("progress");
  if (of && !elsewhere) { progress.max = Math.max(of, number); progress.value = number - 1; } else progress.removeAttribute("value");
  steps = of && !elsewhere ? { number, of: Math.max(of, number), began: performance.now() } : null;
  $("compiled").dataset.name = elsewhere ? t("wait.elsewhere") : of ? t("wait.function.of", { number, of: Math.max(of, number) }) : t("wait.function", { number });
  $("compiling").hidden = false;
  count();
  timer ??= setInterval(count, 1000);
}

function count() {
  const passed = performance.now() - began, seconds = t("wait.seconds", { seconds: Math.round(passed / 1000) });
  $("compiled").textContent = `${$("compiled").dataset.name || t("wait.next")} (${[seconds, ...left()].join(", ")})${$("compiled").dataset.meanwhile}`;
}

// How long the rest takes if each step takes as long as those so far; nothing before the third step.
function left() {
  if (!steps || steps.number < 3) return [];
  const each = (steps.began - began) / (steps.number - 1), whole = each * (steps.of - steps.number + 1);
  const seconds = Math.max(1, Math.round((whole - (performance.now() - steps.began)) / 1000));
  return [t("wait.left", { seconds })];
}

function hide() {
  clearInterval(timer);
  clearTimeout(resting);
  began = timer = steps = null;
  $("compiling").hidden = true;
}

// Returns whether the status has said that something is compiled.
export function stopCounting() {
  const said = told;
  hide();
  told = false;
  return said;
}

// The opponent is prepared; a search that compiles goes on to say so.
export function prepared() { if ($("compiled").dataset.meanwhile) hide(); }

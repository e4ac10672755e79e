// While a game is opened or compiled: the old board is hidden, and the page shows the progress.
import { $ } from "/static/dom.js";
import { status } from "/static/page.js";
import { t } from "/static/texts.js";

const PARTS = ["board", "tray", "choice", "buttons", "steps", "typing", "side", "sides", "title", "help"];
let opening = null;   // until the server shows the requested game: the element that had the focus
let began = null, timer = null;   // of what is compiled
let steps = null;     // the step that is made, about how many there are, and when it began; null if that is not known
let told = false;     // whether the status says that something is compiled
const USUAL = 1000;   // milliseconds of a step, before this computer has shown its own pace
const REST = 1500;    // milliseconds after which nothing more seems to be compiled
let resting = null;   // the timer of that
let awaited = false;  // whether the page waits for what is compiled now; what is compiled beside it is not shown then

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

// Shows that something is prepared for a request: `what`, as a step and about how many there are, if that is known;
// `elsewhere`: it is prepared for something else, and this page waits; `smaller`: a simpler opponent replies meanwhile.
// Without a name nothing is prepared at the moment; `rests` is called if that lasts.
export function compiling({ name, what, number, of, kept, elsewhere, smaller }, silent, rests) {
  if (silent && awaited) return;
  awaited = !silent && name !== null;
  clearTimeout(resting);
  if (name === null) {
    resting = setTimeout(() => { $("compiling").hidden = !opening; rests(); }, REST);
    return;
  }
  const prepared = elsewhere ? t("wait.elsewhere") : t(kept ? "wait.once" : "wait.each", { what: t(`wait.${what}`) });
  if (number === 1 && !silent && !elsewhere) {
    told = true;
    status(opening ? `${t("wait.opening")} ${prepared}.` : `${prepared}…`);
  }
  began ??= performance.now();
  const progress = $("progress");
  if (of && !elsewhere) { progress.max = Math.max(of, number); progress.value = number - 1; } else progress.removeAttribute("value");
  steps = of && !elsewhere ? { number, of, began: performance.now() } : null;
  Object.assign($("compiled").dataset, { what: prepared, meanwhile: silent ? ` ${t(smaller ? "wait.smaller" : "wait.meanwhile")}` : "" });
  $("compiling").hidden = false;
  count();
  timer ??= setInterval(count, 1000);
}

function count() {
  const { what, meanwhile } = $("compiled").dataset, seconds = Math.round((performance.now() - began) / 1000);
  $("compiled").textContent = `${what}${steps ? left() : ` (${t("wait.seconds", { seconds })})`}.${meanwhile}`;
}

// How long the rest takes, if its steps take as long as those so far.
function left() {
  const { number, of } = steps, each = (steps.began - began + 2 * USUAL) / (number + 1);
  const seconds = Math.round((each * (of - number + 1) - (performance.now() - steps.began)) / 1000);
  return t(seconds > 1 ? "wait.about" : "wait.soon", { seconds });
}

function hide() {
  clearInterval(timer);
  clearTimeout(resting);
  began = timer = steps = null;
  awaited = false;
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

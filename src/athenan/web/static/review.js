// The review of a match: the accuracy of both sides, and what would have been better than a mistake.
import { $, command, element } from "/static/dom.js";
import { SIDES, page, sideName } from "/static/page.js";
import { percent, t } from "/static/texts.js";

const LONGEST = 8;   // moves of a better line

export function tellAccuracy(accuracy) {
  const of = (side) => {
    const found = accuracy[SIDES[side]];
    if (found === null) return [];
    const marks = page.match.marks(side).map(([mark, count]) => t(`many.${mark}`, { count })).join(", ");
    return [t("review.accuracy", { side: sideName(side), accuracy: percent(found), marks })];
  };
  const told = [...of(0), ...of(1)];
  $("accuracy").replaceChildren(...(told.length ? told : [t("review.nothing")]).map((textContent) => element("p", { textContent })));
  $("findings").hidden = false;
}

// The move after the shown position, if a review has marked it and the match is looked at: after an undo a person plays on.
export function mistakeHere() {
  const next = page.reviewed && page.paused ? page.match.here.next[0] : null;
  return next?.mark ? next : null;
}

// Says what is wrong with the next move of the match and asks for a better one. The answer is shown when it has been found
// or asked for: the better line, and how the mistake is answered. Returns whether it is shown.
export function tellMistake({ go, answered }) {
  const wrong = mistakeHere(), { here } = page.match;
  $("mistake").hidden = !wrong;
  if (!wrong) return false;
  const said = t(`is.${wrong.mark}`, { side: sideName(wrong.side), move: wrong.name, lost: percent(wrong.lost) });
  if (!wrong.solved) {
    const answer = command(t("try.answer"), () => { wrong.solved = true; answered(); });
    answer.className = "answer";
    $("mistake").replaceChildren(`${said} ${t("try.find")} `, answer);
    return false;
  }
  const why = wrong.better.line.length ? [element("br"), `${t("review.why", { move: wrong.name })} `, ...moves(wrong, wrong.better, wrong, go)] : [];
  $("mistake").replaceChildren(`${said} ${t("review.better")} `, ...moves(here, here.better, here, go), ...why);
  return true;
}

// A line that begins at a node, as buttons: each turn has its number, and each move the colour of its side.
function moves(node, { line, sides }, { side, turn }, go) {
  return line.slice(0, LONGEST).map((name, at) => {
    const begins = sides[at] < 2 && sides[at] !== side;
    if (begins) { turn += 1; side = sides[at]; }
    const made = command(begins || at === 0 ? `${turn}. ${name}` : name, () => go([...page.match.names(node), ...line.slice(0, at + 1)]));
    made.prepend(element("span", { className: `dot ${page.view.sides?.[sides[at]] ?? ""}` }));
    return made;
  });
}

// What the server says of a move that was tried instead of a mistake, in words.
export function tellTry({ move, mark, lost, line }) {
  const wrong = mistakeHere(), values = { move, lost: percent(lost ?? 0), answer: line[0] ?? "" };
  if (!mark && wrong) wrong.solved = true;
  if (mark) return t(line.length ? "try.wrong" : "try.worse", values);
  return t(wrong && page.match.here.better.line[0] === move ? "try.best" : "try.good", values);
}

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

// Says what is wrong with the next move of the match, and what is better; returns whether something is.
export function tellMistake(go) {
  const { here } = page.match, wrong = here.next[0]?.mark ? here.next[0] : null;
  $("mistake").hidden = !wrong;
  if (!wrong) return false;
  $("mistake").replaceChildren(`${t(`is.${wrong.mark}`, { move: wrong.name, lost: percent(wrong.lost) })} ${t("review.better")} `,
    ...here.better.slice(0, LONGEST).map((name, at) => command(name, () => go([...page.match.names(), ...here.better.slice(0, at + 1)]))));
  return true;
}

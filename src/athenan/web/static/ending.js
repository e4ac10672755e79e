// The end of a match: who won and by what, and what a player may want next.
import { cubeAt, usesCube } from "/static/cube.js";
import { $, command } from "/static/dom.js";
import { lonePerson, over, page, sideName } from "/static/page.js";
import { firstText, isText, t } from "/static/texts.js";

// How the match ended, in words; an end by the rules is told with what decides the game, if there is a text for it.
export function ending() {
  const { view, match: { here: { ended } } } = page;
  if (!ended) return byRules(view) + inAll(view.score);
  if (ended.how === "drops") return t("end.drops", { side: sideName(ended.side), other: sideName(1 - ended.side), points: cubeAt().value });
  return t(`end.${ended.how}${view.players === 1 ? ".alone" : ""}`, { side: sideName(ended.side), other: sideName(1 - ended.side) });
}

// The points with the cube, where it was turned; empty without.
function inAll(score) {
  const { value } = cubeAt();
  return usesCube() && value > 1 && score ? ` ${t("end.cube", { points: Math.abs(score) * value })}` : "";
}

function byRules({ players, outcome, score, family, counted: what, counts, decided }) {
  if (players === 1) return t(firstText(`end.alone.${family}`, "end.alone"), { score });
  if (!outcome) return t(firstText(`end.draw.${family}`, "end.draw"));
  const winner = outcome < 0 ? 1 : 0, values = { side: sideName(winner), other: sideName(1 - winner) };
  if (score !== null && isText(`end.wins.${what}`)) return t(`end.wins.${what}`, { ...values, more: counts[winner], fewer: counts[1 - winner] });
  const by = Math.abs(score);
  return t(firstText(`end.wins.${family}.${decided ?? by}`, `end.wins.${family}`, score === null ? "end.wins" : "end.wins.score"), { ...values, score: by });
}

function winner() {
  const { view, match: { here: { ended } } } = page;
  return ended ? 1 - ended.side : view.outcome ? Number(view.outcome < 0) : null;
}

// Whether somebody can resign: a match is played and has not ended, and a person has a side or is to move.
export function canResign() {
  const { view, live, match } = page;
  if (over() || live?.over || page.learnt || (!live && match.end() !== match.here)) return false;
  return lonePerson() !== null || view.side < 2;
}

// The box around the status: it has a heading for the only person who has played, and buttons. `rematch` plays again,
// with the other colour if it is told so.
export function showEnding({ rematch, review }) {
  const told = over(), { view } = page, person = lonePerson();
  $("ending").classList.toggle("told", told);
  $("resign").hidden = !canResign();
  const own = told && person !== null && !page.paused && !page.learnt, won = winner();
  $("headline").hidden = !own;
  if (own) $("headline").textContent = t(won === null ? "end.drawn" : won === person ? "end.won" : "end.lost");
  $("again").hidden = !(told || page.match.end().over && (page.live?.over || page.reviewed)) || page.learnt !== null;
  if ($("again").hidden) return;
  const buttons = [command(t(view.players === 1 ? "end.again" : "end.rematch"), () => rematch(false))];
  if (own) buttons.push(command(t("end.other", { side: sideName(1 - person) }), () => rematch(true)));
  buttons[0].className = "main";
  $("again").replaceChildren(...buttons, command(t("end.review"), review));
}

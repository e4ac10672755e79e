// The panel of the analysis: what a search has found of the shown position.
import { $, cell, command, element } from "/static/dom.js";
import { page, sideName } from "/static/page.js";
import { counted, decimal, percent, signed, t } from "/static/texts.js";

export function clearAnalysis() {
  for (const id of ["verdict", "points", "line", "effort", "note"]) $(id).textContent = "";
  $("values").replaceChildren();
}

// Says what the numbers mean in this game, and for whom they count.
export function explain() {
  const { players, stochastic } = page.view, alone = players === 1;
  const keys = alone ? ["scores", "best"] : ["chances", "values", "colours", stochastic ? "certain" : "proven"];
  const sides = alone ? {} : { first: sideName(0), second: sideName(1) };
  $("meaning").replaceChildren($("meaning").firstElementChild, ...keys.map((key) => element("p", { textContent: t(`meaning.${key}`, sides) })));
}

// `go` shows the position after a part of the line, `play` plays an action.
export function showAnalysis(found, { go, play }) {
  const proven = verdict(found);
  $("verdict").textContent = proven || t("analysis.value", { value: signed(found.value), side: sideName(0) });
  $("verdict").classList.toggle("proven", Boolean(proven));
  $("points").textContent = score(found);
  $("line").replaceChildren(...found.line.map((name, at) => command(name, () => go([...page.match.names(), ...found.line.slice(0, at + 1)]))));
  $("effort").textContent = t(found.full ? "analysis.effort.full" : "analysis.effort", {
    evaluations: found.evaluations, iterations: found.iterations, states: found.states, seconds: decimal(found.seconds, 1),
  });
  $("note").textContent = found.note ? note(found.note) : "";
  $("values").replaceChildren(table(found, play));
}

// The proven result, in words; empty if nothing is proven.
function verdict(found) {
  const { players, stochastic } = page.view;
  if (players === 1) return found.exact ? t("proven.score", { score: found.value }) : "";
  if (found.proven === null) return found.exact ? t("proven.expectation", { value: signed(found.value) }) : "";
  const how = stochastic ? "certain" : "proven";
  return found.proven ? t(`${how}.win`, { side: sideName(found.proven < 0 ? 1 : 0) }) : t(`${how}.draw`);
}

// The score: exact, or as a network that has learnt scores estimates it; else what can be counted on the board, if that
// is the score. The numbers are never more than they are said to be.
function score({ points, exact }) {
  const { counted: what, counts } = page.view;
  if (points === null) return what === "discs" ? t("analysis.counts", { first: sideName(0), second: sideName(1), one: counts[0], other: counts[1] }) : "";
  const how = exact ? "exact" : "estimate";
  if (Math.abs(points) < 0.05) return t(`analysis.even.${how}`);
  return t(`analysis.points.${how}`, { side: sideName(points < 0 ? 1 : 0), points: decimal(Math.abs(points), 1) });
}

function note({ played, better, visits }) {
  return visits ? t("analysis.note.visits", { played, better, visits: visits[0], others: visits[1] }) : t("analysis.note", { played, better });
}

function table(found, play) {
  const chances = found.win_chance !== null;
  const titles = ["action", ...(chances ? ["wins"] : []), "value", "visits", "proven"];
  const head = element("tr", {}, ...titles.map((title) => element("th", { textContent: t(`table.${title}`, { side: sideName(0) }) })));
  return element("table", {}, head, ...found.actions.map((one) => {
    const value = one.probability === null ? signed(one.value) : `${signed(one.value)} × ${decimal(one.probability, 3)}`;
    const proven = one.proven === null ? "" : one.proven === "value" ? t("table.exact") : t(`outcome.${one.proven}`);
    const row = element("tr", {}, cell(command(one.name, () => play(one))), ...(chances ? [cell(percent(one.win_chance))] : []), cell(value), cell(one.searched ? counted(one.visits) : t("table.estimate")), cell(proven));
    row.classList.toggle("estimate", !one.searched);
    row.classList.toggle("proven", one.proven !== null);
    row.classList.toggle("best", one.name === found.line[0]);
    return row;
  }));
}

// The win chances of both sides, by name; together they are 100%.
export function showChances(chance) {
  $("chances").hidden = chance === null;
  if (chance === null) return;
  const first = Math.round(100 * chance) / 100, shares = [first, 1 - first].map((share, side) => `${sideName(side)} ${percent(share)}`);
  $("chances").style.setProperty("--first", `${100 * chance}%`);
  $("chances").replaceChildren(...shares.map((textContent) => element("span", { textContent })));
  $("chances").setAttribute("aria-label", `${t("analysis.chances.label")}: ${shares.join(", ")}`);
}

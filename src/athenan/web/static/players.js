// Who plays: the lists of players and levels, and the two sides above the board.
import { clocks } from "/static/clocks.js";
import { $ } from "/static/dom.js";
import { HUMAN, SIDES, STRONGEST, human, lonePerson, over, page, player, sideName } from "/static/page.js";
import { COMPUTER } from "/static/setup.js";
import { firstText, t, textOr } from "/static/texts.js";

const FIRST_LEVEL = "casual";   // of an opponent that nobody has chosen

// Fills the lists from the server's message about the game; `wanted` is what the address or the page before asks for. Who is
// asked for and does not play the game is replaced, and returned: {side, name}.
export function fill(message, wanted) {
  const names = [HUMAN, ...message.players], replaced = [];
  page.levelled = message.levelled;
  for (const side of SIDES) {
    const asked = wanted[side] ?? (side === "second" ? COMPUTER : HUMAN), level = wanted[`${side}-level`];
    const plays = asked === COMPUTER || names.includes(asked);
    if (!plays) replaced.push({ side: SIDES.indexOf(side), name: asked });
    options($(side), names, asked === COMPUTER || !plays ? message.opponent : asked, message.carried);
    const own = !wanted[side] && !message.opponent.startsWith("run:") ? FIRST_LEVEL : STRONGEST;
    const levels = message.levels.map((one) => new Option(t(`level.${one}`), one, false, one === (level ?? own)));
    $(`${side}-level`).replaceChildren(...levels);
  }
  options($("search"), message.searches, wanted.search ?? message.searches[0], message.carried);
  showLevels();
  return replaced;
}

// Says who plays instead of those that were replaced; empty if nobody was.
export function tellReplaced(replaced) {
  const told = replaced.filter(({ side }) => side < page.view.players);
  return told.map(({ side, name }) => `${t("players.replaced", { name: title(name), other: title(player(side)), side: sideName(side) })} `).join("");
}

export function showLevels() {
  for (const side of SIDES) {
    $(`${side}-level`).hidden = !page.levelled.includes($(side).value);
    $(`${side}-limit`).hidden = $(side).value === HUMAN || (!$(`${side}-level`).hidden && $(`${side}-level`).value !== STRONGEST);
  }
}

// Both sides exchange their players.
export function exchange() {
  for (const field of ["", "-level", "-seconds", "-evaluations"]) {
    const [one, other] = SIDES.map((side) => $(`${side}${field}`));
    [one.value, other.value] = [other.value, one.value];
  }
  showLevels();
}

// The player at its level, as the server takes it.
export function levelled(side) {
  const level = $(`${SIDES[page.view.players === 1 ? 0 : side]}-level`);
  return player(side) + (level.hidden || level.value === STRONGEST ? "" : `,level=${level.value}`);
}

// A player or a search in words; a name that the command has given stays as it is.
function title(name) {
  const [, kind, own] = /^(run|evaluation):(.*)$/.exec(name) ?? [];
  if (kind === "run") return own.replace(/@(\S+)$/, (whole, minutes) => ` ${t("players.after", { minutes })}`);
  if (kind === "evaluation") return t("player.evaluation", { what: textOr(`evaluation.${own}`, own.replaceAll("_", " ")) });
  return textOr(`player.${name}`, name);
}

// Names as options, in words; networks of runs form a separate group. Carried ones have learnt the game with other options.
function options(select, names, chosen, carried) {
  const made = (name) => {
    const shown = name in carried ? `${title(name)} (${t("players.learnt", { game: carried[name] })})` : title(name);
    const option = new Option(shown, name, false, name === chosen);
    option.title = name;
    return option;
  };
  const runs = names.filter((name) => name.startsWith("run:")), others = names.filter((name) => !name.startsWith("run:"));
  const group = document.createElement("optgroup");
  group.label = t("players.runs");
  group.append(...runs.map(made));
  select.replaceChildren(...others.map(made), ...(runs.length ? [group] : []));
}

// The sides above the board: who has which pieces, whose turn it is, and what is counted.
export function showSides() {
  const { view } = page;
  for (const [side, name] of SIDES.entries()) {
    const box = $(`${name}-side`), at = (part) => box.querySelector(`.${part}`);
    box.hidden = view.players === 1 && side === 1;
    box.classList.toggle("turn", !over() && view.side === side);
    at("dot").className = `dot ${view.sides?.[side] ?? ""}`;
    at("name").textContent = sideName(side);
    const level = $(`${name}-level`);
    at("who").textContent = human(side) ? t(lonePerson() === side ? "players.you" : "player.human") : title(player(side)) + (level.hidden ? "" : `, ${t(`level.${level.value}`)}`);
    at("count").textContent = view.counted ? t(firstText(`count.${view.counted}.${view.family}`, `count.${view.counted}`), { count: view.counts[side] }) : "";
    $(`${name}-label`).textContent = sideName(side);
  }
  $("minutes-a-side").textContent = t("players.minutes", { minutes: clocks.minutes });
  document.querySelector(".player:has(#second)").hidden = view.players === 1;
}

// The rules of the game in a few sentences, and what to do in a first match.
import { $, element } from "/static/dom.js";
import { hasPlayed } from "/static/kept.js";
import { human, over, page } from "/static/page.js";
import { firstText, language, t } from "/static/texts.js";

export async function learnAbout(game) {
  const answer = await fetch(`/about?${new URLSearchParams({ game, lang: language })}`);
  page.about = answer.ok ? await answer.json() : null;
  if (!page.about) return;
  const { title, goal, play, name, options: all } = page.about;
  const options = all.every((one) => String(one.value) === String(one.default)) ? "" : game.slice(name.length + 1);
  $("title").replaceChildren(title, ...(options ? [" ", element("small", { className: "soft", textContent: options })] : []));
  document.title = `${title} · athenan`;
  const paragraphs = [goal && t("help.goal", { goal }), play].filter(Boolean);
  $("help").replaceChildren(...paragraphs.map((text) => element("p", { lang: page.about.language, textContent: text })), element("p", { className: "soft", textContent: t("help.hands") }));
  showFirstSteps();
}

// Says the goal and how to act to a person who has not yet acted in a match of this game.
export function showFirstSteps() {
  const { about, view } = page, shown = view && about?.game === view.game && human(view.side) && !page.paused && !over() && !hasPlayed(view.game);
  $("first-steps").hidden = !shown;
  if (shown) $("first-steps").replaceChildren(element("span", { lang: about.language, textContent: t("help.goal", { goal: about.goal }) }), ` ${how(view)}`);
}

function how({ family, actions, setups }) {
  if (setups.length) return t("help.first.setup");
  const longest = Math.max(...actions.map(({ path }) => path.length));
  return longest ? t(longest > 1 ? firstText(`help.first.${family}`, "help.first.piece") : "help.first.place") : "";
}

$("rules").addEventListener("click", () => {
  $("help").hidden = !$("help").hidden;
  $("rules").setAttribute("aria-expanded", String(!$("help").hidden));
});

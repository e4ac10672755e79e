// The rules of the game in a few sentences, beside the board.
import { $, element } from "/static/dom.js";
import { page } from "/static/page.js";
import { language, t } from "/static/texts.js";

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
}

$("rules").addEventListener("click", () => {
  $("help").hidden = !$("help").hidden;
  $("rules").setAttribute("aria-expanded", String(!$("help").hidden));
});

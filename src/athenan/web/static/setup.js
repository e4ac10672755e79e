// The dialog before a match: size and options of the game, the opponent, the colour and the clock.
import { $, command, element, keep, kept } from "/static/dom.js";
import { language, t, textOr } from "/static/texts.js";

const LEVELS = ["beginner", "casual", "club", "expert", "strongest"];
const MINUTES = [0, 1, 3, 5, 10, 20, 40], INCREMENTS = [0, 1, 2, 5, 10, 30];   // seconds an action
const PERSON = "person", LOT = "lot";
export const COMPUTER = "computer";

const ask = (game) => fetch(`/about?${new URLSearchParams({ game, lang: language })}`).catch(
  ({ message }) => ({ ok: false, text: async () => t("server.silent", { message }) }));

let opens = false;   // the dialog is about to open: a second click of a double click opens no other one

// Opens the dialog; it leads to the board. Throws an error whose message says why it cannot.
export async function setUp(game) {
  if (opens) return;
  opens = true;
  try { await open(game); } finally { opens = false; }
}

async function open(game) {
  const answer = await ask(game);
  if (!answer.ok) throw new Error(await answer.text());
  const about = await answer.json();
  const dialog = element("dialog", { className: "setup" });
  const form = element("form", { method: "dialog" });
  const controls = about.options.map(control);
  const wrong = element("p", { className: "error" }), computer = element("p", { className: "soft", id: "setup-who", textContent: who(about) });
  const start = element("button", { type: "submit", className: "main", textContent: t("setup.start") });
  wrong.setAttribute("role", "alert");
  computer.setAttribute("role", "status");
  // The opponent with the chosen options, or what is wrong with them; only the latest answer counts.
  let asked = 0;
  const look = async () => {
    const turn = ++asked, answer = await ask(specification(about.name, controls));
    const text = answer.ok ? who(await answer.json()) : await answer.text();
    if (turn !== asked) return;
    computer.textContent = answer.ok ? text : "";
    wrong.textContent = answer.ok ? "" : text;
  };
  form.append(
    element("h2", { id: "setup-title", textContent: t("setup.title", { title: about.title }) }),
    element("p", { className: "soft", textContent: about.play || about.goal }),
    ...rows(controls.slice(0, 1)),
    ...learnt(about, controls, look),
    ...(about.players === 2 ? [opponents(), colours(about.sides), clocks(), increments()] : []),
    ...(about.cube ? [cube()] : []),
    ...(controls.length > 1 ? [element("details", {}, element("summary", { textContent: t("setup.more") }), ...rows(controls.slice(1)))] : []),
    computer,
    wrong,
    element("div", { className: "row end" }, command(t("setup.cancel"), () => dialog.close()), start),
  );
  dialog.setAttribute("aria-labelledby", "setup-title");
  dialog.append(form);
  dialog.addEventListener("close", () => dialog.remove());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    start.disabled = true;   // one match begins, however often the button is clicked
    const allowed = await ask(specification(about.name, controls));
    if (!allowed.ok) { start.disabled = false; wrong.textContent = await allowed.text(); return; }
    const held = new URLSearchParams({ game: (await allowed.json()).game, ...(about.players === 2 && match(about)), new: Date.now().toString(36) });
    dialog.close();
    location.href = `/play#${held}`;
  });
  for (const { content } of controls) content.addEventListener("change", look);
  form.addEventListener("change", () => showIncrement(form));
  showIncrement(form);
  document.body.append(dialog);
  dialog.showModal();
}

function match(about) {
  const opponent = $("setup-opponent").value, minutes = $("setup-clock").value, increment = $("setup-increment").value;
  keep("opponent", opponent); keep("minutes", minutes); keep("increment", increment);
  let own = $("setup-colour").value;
  keep("colour", own);
  if (own === LOT) own = Math.random() < 0.5 ? "0" : "1";
  const held = { ...(minutes !== "0" && { minutes, increment }), ...($("setup-cube")?.checked && { cube: "on" }) };
  if ($("setup-cube")) keep("cube", $("setup-cube").checked ? "on" : "");
  if (opponent === PERSON) return { ...held, first: "human", second: "human" };
  const [mine, other] = own === "0" ? ["first", "second"] : ["second", "first"];
  return { ...held, [mine]: "human", [other]: COMPUTER, [`${other}-level`]: opponent };
}

// --- controls

function row(label, id, content) {
  return element("div", { className: "field" }, element("label", { htmlFor: id, textContent: label }), content);
}
function rows(controls) { return controls.map(({ label, id, content }) => row(label, id, content)); }

function choice(id, values, chosen, title = (value) => value) {
  return element("select", { id }, ...values.map((value) => new Option(title(value), value, false, String(value) === String(chosen))));
}

function number(id, option, value) {
  const made = element("input", { id, type: "number", value, step: option.whole ? 1 : 0.5 });
  if (option.least !== null) { made.min = option.least; made.max = option.most; }
  return made;
}

// The computer that plays against a person, in words; empty in a one-player game.
function who(about) {
  if (about.players !== 2) return "";
  if (about.computer.startsWith("run:")) return t("setup.run", { name: about.computer.slice("run:".length) });
  return about.computer === "mcts" ? t("setup.search") : t("setup.network");
}

// A row of small boards that choose the options with which the package has learnt the game; none if the first option lists
// the same.
function learnt(about, controls, look) {
  const listed = about.options[0]?.values?.length ?? Infinity;
  if (about.learnt.length < 2 || about.learnt.length >= listed) return [];
  const press = (chosen) => { for (const [at, button] of buttons.entries()) button.setAttribute("aria-pressed", at === chosen); };
  const choose = (at) => { for (const { name, write } of controls) write(about.learnt[at].values[name]); press(at); look(); };
  const buttons = about.learnt.map(({ text, game }, at) => {
    const button = command("", () => choose(at));
    button.append(element("img", { src: `/picture?${new URLSearchParams({ game })}`, alt: "" }), element("span", { textContent: text }));
    return button;
  });
  press(about.learnt.findIndex(({ game }) => game === about.game));
  for (const { content } of controls) content.addEventListener("change", () => press(-1));
  const group = element("div", { className: "row", id: "setup-learnt" }, ...buttons);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", t("setup.learnt"));
  return [element("div", { className: "field" }, element("span", { textContent: t("setup.learnt") }), group)];
}

// An option of the game as a control; `read` gives what is written in the game's name, and `write` shows a value.
function control(option) {
  const id = `option-${option.name}`, label = textOr(`option.${option.name}`, option.name.replaceAll("_", " "));
  let content, read = () => $(id).value, write = (value) => { $(id).value = value; };
  if (option.kind === "choice") content = choice(id, option.values, option.value, (value) => textOr(`option.${option.name}.${value}`, value));
  else if (option.kind === "switch") {
    content = element("input", { id, type: "checkbox", checked: option.value });
    read = () => String($(id).checked);
    write = (value) => { $(id).checked = value; };
  } else if (option.kind === "number") content = number(id, option, option.value);
  else if (option.kind === "pair") {
    const high = number(`${id}-high`, option, option.value[1]);
    high.setAttribute("aria-label", t("setup.rows"));
    content = element("span", { className: "row" }, number(id, option, option.value[0]), "×", high);
    read = () => `${$(id).value}x${high.value}`;
    write = (value) => { [$(id).value, high.value] = value; };
  } else content = element("input", { id, value: option.value, spellcheck: false });
  const usual = option.kind === "pair" ? option.default.join("x") : String(option.default);
  return { name: option.name, usual, id, label, content, read, write };
}

function specification(name, controls) {
  const given = controls.map(({ name: option, usual, read }) => [option, usual, read()]).filter(([, usual, value]) => value !== usual);
  return name + (given.length ? `:${given.map(([option, , value]) => `${option}=${value}`).join(",")}` : "");
}

function opponents() {
  const title = (one) => (one === PERSON ? t("setup.person") : t("setup.computer", { level: t(`level.${one}`) }));
  return row(t("setup.opponent"), "setup-opponent", choice("setup-opponent", [...LEVELS, PERSON], kept("opponent", "casual"), title));
}

function colours(sides) {
  const names = sides ? sides.map((colour) => t(`colour.${colour}`)) : [t("side.first"), t("side.second")];
  const title = { 0: t("setup.begins", { side: names[0] }), 1: names[1], [LOT]: t("setup.lot") };
  return row(t("setup.colour"), "setup-colour", choice("setup-colour", ["0", "1", LOT], kept("colour", "0"), (value) => title[value]));
}

function cube() {
  return row(t("cube.title"), "setup-cube", element("input", { id: "setup-cube", type: "checkbox", checked: kept("cube", "") === "on" }));
}

function increments() {
  const title = (seconds) => (seconds ? t("setup.seconds", { seconds }) : t("setup.noincrement"));
  return row(t("setup.increment"), "setup-increment", choice("setup-increment", INCREMENTS, kept("increment", "0"), title));
}

// An increment belongs to a clock.
function showIncrement(form) {
  const clock = form.querySelector("#setup-clock");
  if (clock) form.querySelector("#setup-increment").closest(".field").hidden = clock.value === "0";
}

function clocks() {
  const title = (minutes) => minutes ? t("setup.minutes", { minutes }) : t("setup.noclock");
  return row(t("setup.clock"), "setup-clock", choice("setup-clock", MINUTES, kept("minutes", "0"), title));
}

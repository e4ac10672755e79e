// The pieces that a side has still to put on the board, and usual ways to put them.
import { $, command, element } from "/static/dom.js";
import { t, textOr } from "/static/texts.js";

// `put` is told of the actions that put a chosen piece, or null if none is chosen; `setUp` plays the moves of a setup.
export function showTray({ tray, setups, actions }, enabled, { put, setUp }) {
  const legal = new Set(actions.map((one) => one.id));
  $("tray").hidden = !enabled || !(tray.length + setups.length);
  $("waiting").replaceChildren(...tray.map((one) => piece(one, one.actions.filter((id) => legal.has(id)), put)));
  $("setups").hidden = !setups.length;
  $("setups").replaceChildren(t("tray.setups"), ...setups.map(({ name, moves }) => command(textOr(`usual.${name}`, name), () => setUp(moves))));
}

function piece({ colour, shape, text, svg, count }, actions, put) {
  const button = element("button", { type: "button", innerHTML: svg, disabled: !actions.length });
  const name = [t(`colour.${colour}`), t(`shape.${shape}`), shape === "disc" ? text : ""].filter(Boolean).join(" ");
  button.append(element("span", { textContent: count > 1 ? `×${count}` : "" }));
  button.title = name;
  button.setAttribute("aria-label", t("tray.piece", { name, count }));
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    const chosen = button.getAttribute("aria-pressed") === "false";
    for (const one of $("waiting").children) one.setAttribute("aria-pressed", String(chosen && one === button));
    put(chosen ? actions : null);
  });
  return button;
}

export function releaseTray() { for (const one of $("waiting").children) one.setAttribute("aria-pressed", "false"); }

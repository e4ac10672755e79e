// How the board looks: turned around, with coordinates, with legal moves, with sounds, with drawn pieces.
import { $, drawn, keep, kept } from "/static/dom.js";
import { lonePerson } from "/static/page.js";
import { hasSound } from "/static/sound.js";
import { t } from "/static/texts.js";

// `flipped`: a person has turned the board by hand, `turned`: it is shown turned.
export const look = { flipped: false, turned: false };
export function showsLegal() { return kept("legal-moves", "on") === "on"; }

function pressed(id, on) { $(id).setAttribute("aria-pressed", String(on)); }

// `redraw` shows the position again.
export function switches(redraw) {
  const show = () => {
    pressed("legal-moves", showsLegal());
    pressed("coordinates", kept("coordinates", "on") === "on");
    pressed("sound", hasSound());
    $("board").classList.toggle("bare", kept("coordinates", "on") === "off");
  };
  $("turned").addEventListener("click", () => { look.flipped = !look.flipped; redraw(); });
  for (const [id, usual] of [["legal-moves", "on"], ["coordinates", "on"], ["sound", "off"]]) {
    $(id).addEventListener("click", () => { keep(id, kept(id, usual) === "on" ? "off" : "on"); show(); redraw(); });
  }
  $("pieces").addEventListener("change", () => { keep("pieces", $("pieces").value); showLook($("pieces").value); });
  show();
}

// The only person of a match has the own side below, if the sides face each other; the person may flip it.
export function showTurned({ facing }) {
  look.turned = (facing && lonePerson() === 1) !== look.flipped;
  pressed("turned", look.turned);
}

// Offers the looks of the game's pieces, if it has several, and shows the chosen one.
export function offerLooks(looks) {
  const list = $("pieces"), wanted = kept("pieces", "drawn"), chosen = looks.includes(wanted) ? wanted : "drawn";
  list.hidden = looks.length < 2;
  list.replaceChildren(...looks.map((one) => new Option(t(`look.${one}`), one, false, one === chosen)));
  showLook(chosen);
}

function showLook(name) { for (const id of ["board", "tray"]) $(id).dataset.look = name; }

// Turns the picture by half a turn; pieces and texts stay upright.
export function turn(svg) {
  const box = svg.viewBox.baseVal, middle = [box.x + box.width / 2, box.y + box.height / 2];
  const around = drawn("g", { transform: `rotate(180 ${middle.join(" ")})` });
  around.append(...[...svg.children].filter((one) => !["style", "defs", "title"].includes(one.tagName)));
  svg.append(around);
  upright(around);
}

export function upright(layer) {
  for (const one of layer.querySelectorAll(".piece, text, .die")) {
    if (one.tagName === "text" && one.closest(".piece")) continue;
    const box = one.getBBox(), rotation = `rotate(180 ${box.x + box.width / 2} ${box.y + box.height / 2})`;
    if (!one.classList.contains("piece")) { one.setAttribute("transform", rotation); continue; }
    const inner = drawn("g", { transform: rotation });   // the piece itself is moved by motions
    inner.append(...one.childNodes);
    one.append(inner);
  }
}

// Elements of the page.
export const $ = (id) => document.getElementById(id);

export function element(kind, attributes = {}, ...content) {
  const made = document.createElement(kind);
  Object.assign(made, attributes);
  made.append(...content);
  return made;
}

export function command(text, act) {
  const button = element("button", { type: "button", textContent: text });
  button.addEventListener("click", act);
  return button;
}

export function cell(content) { return element("td", {}, content); }

const SVG = "http://www.w3.org/2000/svg";
export function drawn(kind, attributes = {}, parent = null) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent?.append(made);
  return made;
}

// What a person has chosen in this browser.
export function kept(name, otherwise) { return localStorage.getItem(`athenan-${name}`) ?? otherwise; }
export function keep(name, value) { localStorage.setItem(`athenan-${name}`, value); }

// The words of the page, in its language. The server puts the table into the page.
const TEXTS = JSON.parse(document.getElementById("texts").textContent);
export const language = document.documentElement.lang;

// The text of a key, with values for the names in braces.
export function t(key, values = {}) {
  if (!(key in TEXTS)) throw new Error(`there is no text ${key}`);
  return TEXTS[key].replace(/{(\w+)}/g, (whole, name) => values[name]);
}
export function isText(key) { return key in TEXTS; }
export function textOr(key, otherwise) { return isText(key) ? t(key) : otherwise; }
export function counted(value) { return value.toLocaleString(language); }
export function percent(chance) { return `${Math.round(100 * chance)}%`; }
export function signed(value) { return (value >= 0 ? "+" : "−") + Math.abs(value).toFixed(3); }

// The page in another language shows the same: its address keeps what this one holds after the #.
document.querySelector(".languages")?.addEventListener("click", ({ target }) => { if (target.hash !== undefined) target.hash = location.hash; });

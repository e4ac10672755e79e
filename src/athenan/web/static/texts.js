// The words of the page, in its language. The server puts the table into the page.
const TEXTS = JSON.parse(document.getElementById("texts").textContent);
export const language = document.documentElement.lang;

const PLURALS = new Intl.PluralRules(language);
// The kinds of numbers that the language tells apart, in the order of a text's forms: in English "one" and "other".
const KINDS = ["zero", "one", "two", "few", "many", "other"].filter((kind) => PLURALS.resolvedOptions().pluralCategories.includes(kind));

// The text of a key, with values for the names in braces: {count} is a value, numbers as the language writes them, and
// {count:move|moves} the form that goes with this number.
export function t(key, values = {}) {
  if (!(key in TEXTS)) throw new Error(`there is no text ${key}`);
  return TEXTS[key].replace(/{(\w+)(?::([^}]+))?}/g, (whole, name, forms) => forms ? form(forms, values[name]) : shown(values[name]));
}
function form(forms, number) { return forms.split("|")[KINDS.indexOf(PLURALS.select(number))]; }
function shown(value) { return typeof value === "number" ? counted(value) : value; }
// The first of these keys that has a text.
export function firstText(...keys) { return keys.find(isText); }
export function isText(key) { return key in TEXTS; }
export function textOr(key, otherwise) { return isText(key) ? t(key) : otherwise; }
export function counted(value) { return value.toLocaleString(language); }
export function decimal(value, digits) { return value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }); }
export function percent(chance) { return chance.toLocaleString(language, { style: "percent" }); }
export function signed(value) { return (value > -0.0005 ? "+" : "−") + decimal(Math.abs(value), 3); }

// The page in another language shows the same: its address keeps what this one holds after the #.
document.querySelector(".languages")?.addEventListener("click", ({ target }) => { if (target.hash !== undefined) target.hash = location.hash; });

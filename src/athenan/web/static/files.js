// Matches as files: saved from the page, and opened in it.
import { heldEnd, readEnd } from "/static/address.js";
import { heldCube, readCube } from "/static/cube.js";
import { $ } from "/static/dom.js";
import { page, status } from "/static/page.js";
import { t } from "/static/texts.js";

export function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: { html: "text/html", svg: "image/svg+xml" }[name.split(".").pop()] ?? "text/plain" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

// Any match can be saved as JSON, which the page writes, and one of the shown game in these formats, which the server writes.
export function offerFormats(suffixes) {
  const select = $("format"), chosen = select.value, titles = { ".json": "JSON", ".sgf": "SGF", ".pdn": "PDN", ".ggf": "GGF", ".mat": "MAT", ".jsonl": "JSON lines", ".html": t("match.page"), ".svg": t("match.picture"), ".txt": t("match.text") };
  select.replaceChildren(...[".json", ...suffixes].map((suffix) => new Option(titles[suffix] ?? suffix, suffix, false, suffix === chosen)));
}

// The match in a page or picture that plays it back, without the pictures: the server reads shorter files than that.
function matchOf(text) {
  const found = new DOMParser().parseFromString(text, "text/html").querySelector("script[type='application/x-athenan-match'], metadata.athenan-match");
  return found?.outerHTML ?? "";
}

// The text of a file in UTF-8, or else its bytes as a data URL: the server knows other encodings.
async function textOf(file) {
  try { return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()); }
  catch {
    return new Promise((resolve) => {
      const reader = new FileReader();
      reader.addEventListener("load", () => resolve(reader.result));
      reader.readAsDataURL(file);
    });
  }
}

// `ask` sends a message about a file to the server, `open` shows a match.
export function files({ ask, open }) {
  $("save").addEventListener("click", () => {
    const { game, view, match } = page, end = match.end(), moves = match.names(end).join(" ");   // those after the shown position, too
    const ended = heldEnd(end);
    const cube = heldCube(end);
    if ($("format").value !== ".json") return ask("write", { format: $("format").value, moves, ended, cube });
    download("match.json", JSON.stringify({ game, ...(view.start && { fen: view.start }), moves, ...(cube && { cube }), ...(ended && { ended }) }, null, 2) + "\n");
  });
  $("file").addEventListener("change", async () => {
    const [file] = $("file").files, whole = await textOf(file), text = /\.(html|svg)$/i.test(file.name) ? matchOf(whole) : whole;
    $("file").value = "";
    if (!file.name.toLowerCase().endsWith(".json")) { status(t("file.reading", { name: file.name })); return ask("read", { name: file.name, text }); }
    try {
      const read = JSON.parse(text);
      if (typeof read.game !== "string" || typeof read.moves !== "string") throw new Error();
      open(read.game, read.moves, String(read.fen ?? ""), readEnd(read.ended), readCube(String(read.cube ?? "")));
    } catch { status(t("file.other"), true); }
  });
}

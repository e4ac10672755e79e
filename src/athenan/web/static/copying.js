// Copies the link to the position, and its FEN.
import { $ } from "/static/dom.js";
import { page, status } from "/static/page.js";
import { t } from "/static/texts.js";

// A link that others can open: another machine needs the address and the token of the server.
function link() {
  const shared = document.querySelector("meta[name=shared]").content;
  return shared ? `${shared}${location.hash}` : location.href;
}

export function copying() {
  $("link").addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(link()); status(t("match.copied")); } catch { status(link()); }
  });
  $("copy-fen").addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(page.view.fen); status(t("match.fen.copied", { name: page.view.fen_name })); } catch { $("fen").select(); }
  });
}

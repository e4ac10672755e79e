// Copies the link to the position, and its FEN.
import { $ } from "/static/dom.js";
import { page, status } from "/static/page.js";
import { t } from "/static/texts.js";

export function copying() {
  $("link").addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(location.href); status(t("match.copied")); } catch { status(location.href); }
  });
  $("copy-fen").addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(page.view.fen); status(t("match.fen.copied", { name: page.view.fen_name })); } catch { $("fen").select(); }
  });
}

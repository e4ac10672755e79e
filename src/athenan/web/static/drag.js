// Dragging a piece from place to place: the same as a click on the first place and a click on the last.
import { pieceOn } from "/static/motion.js";

const FARTHEST = 5;   // pixels that a click may move

// `lifts` says whether a piece can be taken from a place, and chooses the place; `drops` clicks on the last place.
export function dragging(board, { lifts, drops }) {
  let held = null;   // the place, the piece, and where it was taken
  let dropped = false;   // a click follows the end of a drag: it means nothing
  const placeOf = (element) => element?.closest?.("[data-place]");

  board.addEventListener("pointerdown", (event) => {
    const place = placeOf(event.target);
    dropped = false;
    held = place && event.isPrimary && event.button === 0 ? { place: Number(place.dataset.place), x: event.clientX, y: event.clientY, piece: null } : null;
  });
  board.addEventListener("pointermove", (event) => {
    if (!held || !event.isPrimary) return;
    const right = event.clientX - held.x, down = event.clientY - held.y;
    if (!held.piece) {
      if (Math.hypot(right, down) < FARTHEST) return;
      held.piece = lifts(held.place) ? pieceOn(board, held.place) : null;
      if (!held.piece) { held = null; return; }
      board.setPointerCapture(event.pointerId);
      held.piece.classList.add("held");
    }
    const { a, b, c, d } = held.piece.parentNode.getScreenCTM(), size = a * d - b * c;
    held.piece.setAttribute("transform", `translate(${(d * right - c * down) / size} ${(a * down - b * right) / size})`);
  });
  board.addEventListener("pointerup", (event) => {
    const { piece, place } = held ?? {};
    held = null;
    if (!piece) return;
    dropped = true;
    piece.removeAttribute("transform");
    piece.classList.remove("held");
    const target = placeOf(document.elementFromPoint(event.clientX, event.clientY));
    if (target && Number(target.dataset.place) !== place) drops(Number(target.dataset.place));
  });
  board.addEventListener("pointercancel", () => {
    held?.piece?.removeAttribute("transform");
    held?.piece?.classList.remove("held");
    held = null;
  });
  // A finger that holds a piece does not scroll the page. (Browsers ignore touch-action on shapes within a picture.)
  board.addEventListener("touchmove", (event) => { if (held?.piece) event.preventDefault(); }, { passive: false });
  board.addEventListener("click", (event) => { if (dropped) { dropped = false; event.stopImmediatePropagation(); } }, true);
}

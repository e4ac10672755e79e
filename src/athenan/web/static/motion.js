// The motion of the last action: its piece goes from place to place, or appears.
const MOVE = { duration: 200, easing: "ease-out" }, APPEAR = { duration: 160 };

// The piece that stands uppermost on a place.
export function pieceOn(board, place) {
  const found = board.querySelectorAll(`[data-on="${place}"]`);
  return found[found.length - 1] ?? null;
}

export function animate(board, path, middles) {
  if (!path.length || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const from = path[0], to = path[path.length - 1], piece = pieceOn(board, to);
  if (!piece) return;
  if (from === to) return piece.animate([{ opacity: 0 }, { opacity: 1 }], APPEAR);
  const [right, down] = [0, 1].map((axis) => middles[from][axis] - middles[to][axis]);
  return piece.animate([{ transform: `translate(${right}px, ${down}px)` }, { transform: "none" }], MOVE);
}

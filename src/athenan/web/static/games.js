// The start page: a click on a game's card plays it; the button beside it chooses first.
import { setUp } from "/static/setup.js";

document.addEventListener("click", (event) => {
  const game = event.target.closest("[data-game]")?.dataset.game;
  if (game) setUp(game);
});

// The start page: a click on a game's card plays it; the button beside it chooses first.
import { offerInGallery } from "/static/kept.js";
import { setUp } from "/static/setup.js";

document.addEventListener("click", (event) => {
  const game = event.target.closest("[data-game]")?.dataset.game;
  if (game) setUp(game);
});
// Also when the browser goes back to the page.
window.addEventListener("pageshow", offerInGallery);

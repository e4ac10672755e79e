// The start page: a click on a game's card plays it; the button beside it chooses first.
import { element } from "/static/dom.js";
import { offerInGallery } from "/static/kept.js";
import { setUp } from "/static/setup.js";

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-game]");
  if (!button) return;
  const card = button.closest(".card");
  card.querySelector(".error")?.remove();
  setUp(button.dataset.game).catch(({ message }) => {
    const wrong = element("p", { className: "error", textContent: message });
    wrong.setAttribute("role", "alert");
    card.append(wrong);
  });
});
// Also when the browser goes back to the page.
window.addEventListener("pageshow", offerInGallery);

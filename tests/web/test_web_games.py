"""Every game, played in a real browser by clicking on what can be clicked."""

import pytest
from browser_pages import browser, opened, server

from athenan import GAMES

PLAYED = {
    "amazons": "amazons:6", "breakthrough": "breakthrough:5x5", "clobber": "clobber:4x4", "connect6": "connect6:6",
    "connect_four": "connect_four:4x4", "go": "go:3", "gomoku": "gomoku:5", "outer_open_gomoku": "gomoku:6",
    "hex": "hex:4", "havannah": "havannah:4", "othello": "othello:4", "ataxx": "ataxx:4", "morpion": "morpion:4D",
    "backgammon": "backgammon:hyper", "pig": "pig:30,length=60", "arimaa": "arimaa:limit=60",
    "xiangqi": "xiangqi:40", "tictactoe": "tictactoe", "einstein": "einstein:3,pieces=3", "shobu": "shobu",
    "draughts": "draughts:brazilian", "lines_of_action": "lines_of_action", "santorini": "santorini",
    "surakarta": "surakarta",
}  # fmt: skip
CLICKS = 5000
RANDOM_CLICKS = """async ([clicks, seed]) => {
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const pick = (list) => list[Math.floor(random() * list.length)];
  const moves = () => document.querySelectorAll("#tree button").length;
  for (let click = 0; click < clicks; click += 1) {
    const before = moves(), choices = document.querySelectorAll("#choice button");
    const places = [...document.querySelectorAll("#board .can")];
    const buttons = [...document.querySelectorAll("#buttons button")];
    if (choices.length) pick([...choices]).click();
    else if (places.length + buttons.length === 0) await new Promise((done) => setTimeout(done, 30));
    else { const one = pick([...places, ...buttons]); one.dispatchEvent(new MouseEvent("click", { bubbles: true })); }
    const half = () => document.querySelector("#choice button, #board .chosen");
    for (let wait = 0; wait < 100 && moves() === before && !half(); wait += 1)
      await new Promise((done) => setTimeout(done, 10));
    if (/wins|draw|over/.test(document.getElementById("status").textContent)) break;
  }
  return moves();
}"""


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def context_and_address():
    with browser() as chromium, server() as address:
        yield chromium.new_context(), address


def test_all_games_are_played():
    assert set(PLAYED) == set(GAMES)


@pytest.mark.parametrize("name", dict.fromkeys(PLAYED.values()))
def test_a_match_by_clicking(context_and_address, name):
    context, address = context_and_address
    page = opened(context, address, f"game={name}&second=human")
    moves = page.evaluate(RANDOM_CLICKS, [CLICKS, 7])
    ended = any(word in page.inner_text("#status") for word in ("wins", "draw", "over"))
    assert page.errors == []
    assert ended, (moves, page.inner_text("#status"))
    page.close()

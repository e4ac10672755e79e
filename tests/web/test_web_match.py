"""A match in the page, in Chromium: what is kept of it, who resigns, and how it ends."""

import json
from functools import partial
from pathlib import Path

import pytest
from browser_pages import browser, click, leads, moves, opened, server, status

from athenan.games.catalogue import make
from athenan.rules.state import sign

PATIENCE = 60_000
"""Milliseconds for each wait of an opened page."""
open_page = partial(opened, patience=PATIENCE)
WON = "a1+b1+a2+b2+a3"
"""The first player wins in tic-tac-toe."""
NAMES = [f"{number}. {name}" for number, name in enumerate(("a1", "b2", "c3", "a2"), 1)]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_match_in_the_page():
    with browser() as chromium, server() as address:
        context = chromium.new_context()
        page = open_page(context, address, "game=tictactoe&second=human")
        an_earlier_position_keeps_the_moves_after_it(page)
        any_ply_opens_the_match(page)
        the_end_is_told_in_the_words_of_the_game(page)
        two_persons_and_one_player_play_again(page)
        the_second_side_sees_a_facing_board_turned(page)
        earlier = "game=tictactoe&second=human&moves=a1+b2+c3+a2&ply=3"
        another_language_shows_the_same(open_page(chromium.new_context(), address, earlier))
        the_side_to_move_resigns(open_page(context, address, "game=tictactoe&second=human&moves=a1"))
        another_match_follows(open_page(context, address, f"game=tictactoe&first=human&second=mcts&moves={WON}"))
        a_resignation_outlasts_a_reload(open_page(context, address, "game=tictactoe&second=mcts&moves=a1+b2"))
        a_turned_board_is_played_on(open_page(context, address, "game=breakthrough:5x5&first=random&second=human"))
        the_sides_are_changed(open_page(context, address, "game=breakthrough:5x5&second=mcts&first-seconds=1"))
        a_hint_is_one_action(open_page(context, address, "game=breakthrough:5x5&second=human&search=rollouts"))
        a_set_up_position_keeps_the_players(open_page(context, address, "game=breakthrough:5x5&second=human"))
        what_the_computer_thinks_is_hidden_until_the_end(open_page(context, address, "game=hex:3&second=mcts"))


def saved(page, kind):
    page.select_option("#format", kind)
    with page.expect_download() as waiting:
        page.click("#save")
    return Path(waiting.value.path()).read_text()


def an_earlier_position_keeps_the_moves_after_it(page):
    for name in ("a1", "b2", "c3", "a2"):
        click(page, name)
        status(page, name)
    page.click("#back")
    status(page, "c3")
    assert "moves=a1+b2+c3+a2" in page.url and "ply=3" in page.url
    assert json.loads(saved(page, ".json"))["moves"] == "a1 b2 c3 a2"
    assert "a1 b2 c3 a2" in saved(page, ".txt")
    page.reload()
    status(page, "c3")
    assert moves(page) == NAMES and page.input_value("#moves") == "a1 b2 c3"
    page.click("#forward")
    status(page, "a2")
    assert "ply=" not in page.url
    page.click("#begin")
    page.wait_for_function("() => location.hash.includes('ply=0')")
    page.reload()
    page.wait_for_selector("#board svg")
    assert moves(page) == NAMES and page.input_value("#moves") == ""
    assert page.errors == []


def another_language_shows_the_same(page):
    status(page, "c3")
    page.click(".languages a")
    status(page, "am Zug")
    assert moves(page) == NAMES and page.input_value("#moves") == "a1 b2 c3"
    assert page.errors == []


def any_ply_opens_the_match(page):
    for ply in ("-1", "4", "5", "1e0", "x", "", "99999999999999999999999"):
        leads(page, f"game=tictactoe&second=human&moves=a1+b2+c3+a2&ply={ply}")
        status(page, "a2")
        assert moves(page) == NAMES and page.input_value("#moves") == "a1 b2 c3 a2"
    assert page.errors == []


def the_side_to_move_resigns(page):
    page.click("#resign")
    status(page, "Red resigns: Blue wins.")
    assert page.errors == []


def judgements(page):
    """Whether the graph is shown, and the win chances."""
    return page.locator("#graph .curve").count() == 1, page.is_visible("#chances")


def what_the_computer_thinks_is_hidden_until_the_end(page):
    """Unless the person turns the analysis on."""
    page.fill("#second-evaluations", "50")
    for count in (2, 4):
        page.click("#board .can >> nth=0", force=True)
        page.wait_for_function("count => document.querySelectorAll('#tree button').length == count", arg=count)
        status(page, "Red to move")
        assert judgements(page) == (False, False)
    page.check("#analyse")
    page.wait_for_selector("#graph .curve")
    page.uncheck("#analyse")
    page.wait_for_selector("#graph .curve", state="detached")
    page.click("#back")
    status(page, "Blue to move")
    assert judgements(page) == (False, False)
    page.click("#forward")
    status(page, "Red to move")
    page.click("#resign")
    page.wait_for_selector("#graph .curve")
    assert page.errors == []


def first_legal(name):
    """A match in which everyone plays the first legal action: its moves, and the game and the last state."""
    game, moves = make(name), []
    state = game.initial()
    while game.outcome(state) is None:
        action = int(game.actions(state)[0])
        moves.append(game.action_name(state, action))
        state = game.play(state, action)
    return "+".join(moves), game, state


def the_end_is_told_in_the_words_of_the_game(page):
    moves, othello, state = first_legal("othello:4")
    counts = othello.board.count(state)
    assert counts[0] != counts[1] and sign(counts[0] < counts[1]) == othello.outcome(state)
    side = ("Black", "White")[counts[0] < counts[1]]
    lines, _, _ = first_legal("morpion")
    for game, played, told in (
        ("othello:4", moves, f"{side} wins with {max(counts)} discs to {min(counts)}."),
        ("go:3,komi=7.5", "pass+pass", "White wins by 7.5 points."),
        ("go:3,komi=1", "pass+pass", "White wins by 1 point."),
        ("tictactoe", WON, "Blue wins: three in a row."),
        ("connect_four", "1+2+1+2+1+2+1", "Red wins: four in a row."),
        ("havannah:4,swap=false", "a1+d4+b1+d5+c1+d6+d1", "White wins with a bridge."),
        ("tictactoe", "a1+b1+a2+b2+b3+a3+c1+c2+c3", "A draw: the board is full."),
        ("morpion", lines, f"The match is over: {lines.count('+') + 1} lines."),
    ):
        leads(page, f"game={game}&first=human&second=human&moves={played}")
        status(page, told)
        page.wait_for_selector("#ending.told")
        assert page.inner_text("#status") == told and page.is_hidden("#headline")
    page.fill("#move", "a1")
    page.press("#move", "Enter")
    assert page.inner_text("#status") == told  # not that somebody else is to move
    assert page.errors == []


def another_match_follows(page):
    page.wait_for_selector("#headline:text-is('You win')")
    page.click("#again button:text-is('Review')")
    status(page, "reviewed")
    page.click("#back")
    page.wait_for_selector("#ending:not(.told)")
    page.click("#forward")
    page.click("#again button:text-is('Rematch')")
    page.wait_for_function("() => document.querySelectorAll('#board .can').length == 9")
    assert page.is_hidden("#again") and page.is_hidden("#headline") and page.is_hidden("#findings")
    assert (page.input_value("#first"), page.input_value("#second")) == ("human", "mcts") and moves(page) == []
    page.fill("#second-seconds", "0.1")
    page.click("#resign")
    page.wait_for_selector("#headline:text-is('You lose')")
    page.click("#again button:text-is('Rematch as Red')")
    page.wait_for_function("() => document.querySelectorAll('#board .can').length == 8")
    assert (page.input_value("#first"), page.input_value("#second")) == ("mcts", "human")
    assert page.input_value("#first-seconds") == "0.1"
    assert page.errors == []


def a_resignation_outlasts_a_reload(page):
    page.click("#resign")
    status(page, "Blue resigns: Red wins.")
    page.reload()
    status(page, "Blue resigns: Red wins.")
    page.click("#back")
    status(page, "Red to move")
    page.reload()
    status(page, "Red to move")
    page.click("#forward")
    status(page, "Blue resigns: Red wins.")
    page.click("#undo")
    status(page, "Blue to move")
    click(page, "b2")
    page.wait_for_function("() => document.querySelectorAll('#board .can').length == 7")
    assert page.errors == []


def two_persons_and_one_player_play_again(page):
    for fragment, told, texts in (
        (f"game=tictactoe&first=human&second=human&moves={WON}", "Blue wins", ["Rematch", "Review"]),
        (f"game=morpion&first=human&moves={first_legal('morpion')[0]}", "is over", ["Play again", "Review"]),
    ):
        leads(page, fragment)
        status(page, told)
        page.wait_for_selector("#ending.told")
        assert page.locator("#again button").all_inner_texts() == texts
        page.click("#again .main")
        page.wait_for_selector("#ending:not(.told)")
        assert page.input_value("#moves") == "" and page.errors == []


def middle(page, name):
    box = page.locator(f'#board [aria-label^="{name}:"]').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def above(page, one, other):
    """Whether one place is shown above another, and the switch says so."""
    assert page.get_attribute("#turned", "aria-pressed") == str(middle(page, one)[1] < middle(page, other)[1]).lower()
    return middle(page, one)[1] < middle(page, other)[1]


def the_second_side_sees_a_facing_board_turned(page):
    for fragment, turned in (
        ("game=breakthrough:5x5&first=human&second=random", False),
        ("game=breakthrough:5x5&first=human&second=human", False),
        ("game=breakthrough:5x5&first=random&second=human", True),
        ("game=hex:5&first=random&second=human", False),
    ):
        leads(page, fragment)
        status(page, "to move")
        hangs = middle(page, "a1")[1] < middle(page, "a5")[1]
        assert hangs == (turned or "hex" in fragment)  # the rows of Hex are numbered from the top
        assert page.get_attribute("#turned", "aria-pressed") == str(turned).lower()


def a_turned_board_is_played_on(page):
    """With clicks, keys and names of places; the switch and the key F turn it back and again."""
    status(page, "Black to move")
    assert above(page, "a1", "a5")
    page.mouse.click(*middle(page, "c4"))
    page.mouse.click(*middle(page, "b3"))
    page.wait_for_function("() => document.querySelectorAll('#tree button').length == 3")
    assert page.locator("#tree button").nth(1).inner_text().startswith("2. c4")
    status(page, "Black to move")
    page.focus("#board")
    page.keyboard.press("ArrowUp")  # chooses the first place, a1, which is in the corner at the upper right
    for key, name in (("ArrowDown", "a2"), ("ArrowLeft", "b2"), ("ArrowUp", "b1"), ("ArrowRight", "a1")):
        page.keyboard.press(key)
        assert page.get_attribute("#board", "aria-label").startswith(name)
    page.keyboard.press("f")
    assert not above(page, "a1", "a5")
    page.click("#turned")
    assert above(page, "a1", "a5")
    page.click("#turned")
    page.click("#resign")
    page.click("#again button:text-is('Rematch')")
    status(page, "Black to move")
    assert above(page, "a1", "a5")
    page.click("#resign")
    page.click("#again button:text-is('Rematch as White')")
    status(page, "White to move")
    assert not above(page, "a1", "a5")
    assert page.errors == []


def the_sides_are_changed(page):
    """Also while the computer thinks, which then does not play for the person."""
    page.fill("#second-seconds", "0.1")
    page.click("#exchange")
    page.wait_for_function("() => document.querySelectorAll('#tree button').length == 1")
    status(page, "Black to move")
    assert (page.input_value("#first"), page.input_value("#second")) == ("mcts", "human")
    assert page.input_value("#first-seconds") == "0.1" and page.input_value("#second-seconds") == "1"
    assert above(page, "a1", "a5")
    page.fill("#first-seconds", "1.5")
    click(page, "c4", "b3")
    status(page, "White is thinking")
    page.click("#exchange")
    status(page, "White to move")
    page.wait_for_timeout(2000)  # longer than the computer would have thought
    assert page.locator("#tree button").count() == 2 and page.inner_text("#status").endswith("White to move")
    page.click("#resign")
    status(page, "White resigns: Black wins.")
    assert page.is_hidden("#exchange")
    page.select_option("#second", "human")
    page.click("#undo")
    status(page, "to move")
    assert page.is_hidden("#exchange")  # two persons
    assert page.errors == []


def a_set_up_position_keeps_the_players(page):
    assert page.inner_text("#fen-name") == "FEN"
    page.fill("#fen", "ppppp/5/5/5/PPPPP x")
    page.click("#position [type=submit]")
    status(page, "is not a FEN")
    page.fill("#fen", "5/ppp2/5/5/PPPPP b")
    page.click("#position [type=submit]")
    status(page, "Black to move")
    assert page.input_value("#second") == "human" and page.input_value("#fen").startswith("5/ppp2/5/5/PPPPP b")
    assert page.errors == []


def a_hint_is_one_action(page):
    page.click("#hint")
    status(page, "Hint: ")
    page.wait_for_selector("#board .way", state="attached")
    assert page.locator("#board .step").count() == 0 and page.locator("#board .way").count() == 1
    page.check("#analyse")
    page.wait_for_function("() => document.querySelectorAll('#board .way').length > 1")  # the whole line
    assert page.errors == []

"""What the page says about a match, in Chromium: turns, the awaited kind of action, and actions without a choice."""

from functools import partial
from urllib.parse import urlsplit

import pytest
from browser_pages import browser, click, leads, opened, server, shows, status

from athenan.games.catalogue import GAMES, make
from athenan.web import texts
from athenan.web.choices import Choices

BEFORE_A_PASS = "game=othello:4&moves=c4+d2+a1+a2+c1+d4+a3+b4+d3+b1+d1"
PATIENCE = 20_000
"""Milliseconds for each wait of an opened page: what cannot come true fails soon."""
ABSENT = ("WebSocket", "net::ERR_CONNECTION")
"""What browsers report while there is no server; they may ask it for the page's icon again."""
LATER = 1_700
"""Milliseconds after which a note would have led to the action that it tells."""
open_page = partial(opened, patience=PATIENCE)


@pytest.mark.parametrize(("language", "name"), [("en", "review"), ("de", "auswerten")])
def test_a_review_has_one_name(language, name):
    """Beside the match and at its end."""
    words = texts.table(language)
    assert name in words["review.match"].lower().split()
    assert words["end.review"].lower() == name


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_player_and_search_of_the_package_has_a_name_in_words(language):
    choices, words = Choices("tictactoe"), texts.table(language)
    for game in map(make, GAMES):
        for name in (*choices.players_of(game, ["athenan"]), *choices.searches_of(game, ["athenan"]), "human"):
            kind, _, own = name.partition(":")
            assert f"{kind}.{own}" in words if own else f"player.{kind}" in words


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_the_page_says():
    with browser() as chromium, server() as address:
        context = chromium.new_context()
        the_actions_of_a_turn_stand_together(
            open_page(context, address, "game=amazons:6&second=human&moves=e1-c3+e3+b6-d4+f6")
        )
        the_awaited_kind_of_action_is_told(
            open_page(chromium.new_context(), address, "game=santorini&second=human&moves=b1+e5+e2+c5")
        )
        status(open_page(context, address, "game=backgammon&second=human"), "The dice show")
        the_next_square_of_a_setup_is_told(open_page(context, address, "game=arimaa&second=human"))
        a_first_match_begins_with_what_to_do(
            open_page(chromium.new_context(), address, "game=breakthrough:5x5&second=human")
        )
        players_are_called_in_words(open_page(context, address, "game=breakthrough:5x5&second=evaluation:material"))
        words_agree_with_their_numbers(open_page(chromium.new_context(), address, "game=hex:5&second=human"))
        the_numbers_are_explained(open_page(context, address, "game=hex:5&second=human"))
        a_pass_without_an_alternative_is_played(open_page(context, address, f"{BEFORE_A_PASS}&second=human"))
        for more in ("analyse=1&search=proof", "paused=1"):
            a_pass_waits_for_who_analyses(open_page(context, address, f"{BEFORE_A_PASS}&second=human&{more}"))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_match_goes_on_when_the_server_is_back():
    """With its variations, also if it was started again while the computer thought."""
    with browser() as chromium:
        with server() as address:
            page = open_page(chromium.new_context(), address, "game=tictactoe&second=human&moves=a1+b2+c3")
            page.click("#back")
            status(page, "Red: b2")
            click(page, "b1")
            status(page, "Blue: b1")
            page.eval_on_selector("#second-seconds", "field => field.value = '100'")  # hidden until the program plays
            page.select_option("#second", "mcts")
            status(page, "thinking")
        status(page, "The connection to the server is lost")
        page.click('#board [aria-label^="a3:"]', force=True)
        with server(port=urlsplit(address).port):
            status(page, "thinking")
            page.fill("#second-seconds", "0.1")
            page.dispatch_event("#second-seconds", "change")
            page.wait_for_function("() => document.querySelectorAll('#tree button').length == 5")
            assert turns(page)[:4] == ["1. a1", "2. b2", "3. c3", "3. b1"]
            assert page.input_value("#second") == "mcts"
            assert [error for error in page.errors if not any(absent in error for absent in ABSENT)] == []


def turns(page):
    return page.locator("#tree .turn").all_inner_texts()


def the_actions_of_a_turn_stand_together(page):
    """Also in a variation that leaves a turn between its actions."""
    assert turns(page) == ["1. e1-c3 e3", "2. b6-d4 f6"]
    page.click("#tree button:has-text('b6-d4')")
    status(page, "b6-d4")
    click(page, "b6")
    page.wait_for_selector("#tree .variation")
    assert turns(page) == ["1. e1-c3 e3", "2. b6-d4 f6", "2. b6"]
    page.click("#tree button:text-is('e3')")
    status(page, "White: e3")
    assert page.errors == []


def the_awaited_kind_of_action_is_told(page):
    status(page, "Blue to move a worker")
    click(page, "b1", "c2")
    status(page, "Blue: b1-c2. Blue to build beside the worker that moved")
    page.click(".languages a")
    status(page, "Blau: b1-c2. Blau baut neben dem bewegten Arbeiter")
    assert page.errors == []


def the_next_square_of_a_setup_is_told(page):
    """Also after a click on another square."""
    status(page, "Gold to put a piece on a1 or h1")
    click(page, "h1")
    page.click("#choice button:text-is('Rh1')")
    status(page, "Gold: Rh1. Gold to put a piece on g1")
    click(page, "c2")
    page.wait_for_function("() => document.getElementById('status').textContent == 'Gold to put a piece on g1'")
    assert page.errors == []


def a_pass_without_an_alternative_is_played(page):
    """Undo goes back to the decision before it."""
    status(page, "Black: d1. White has no choice: pass is played")
    status(page, "White: pass. Black to move")
    assert page.locator("#tree button").count() == 12
    page.click("#undo")
    status(page, "White: b1. Black to move")
    page.wait_for_timeout(LATER)
    assert page.input_value("#moves") == "c4 d2 a1 a2 c1 d4 a3 b4 d3 b1"
    click(page, "d1")
    status(page, "White has no choice")
    page.click("#back")
    page.wait_for_timeout(LATER)
    assert page.input_value("#moves") == "c4 d2 a1 a2 c1 d4 a3 b4 d3 b1"
    assert page.errors == []


def a_pass_waits_for_who_analyses(page):
    page.wait_for_timeout(LATER)
    assert page.locator("#tree button").count() == 11
    page.click("#buttons button:text-is('Pass')")
    page.wait_for_function("() => document.querySelectorAll('#tree button').length == 12")
    assert page.errors == []


def a_first_match_begins_with_what_to_do(page):
    """Until the person has acted in a match of the game."""
    page.wait_for_selector("#first-steps:has-text('last row with one of your pieces')")
    assert "Click a framed place, then where its piece should go." in page.inner_text("#first-steps")
    page.click("#rules")
    assert page.is_hidden("#first-steps")  # the rules say it, too
    page.click("#rules")
    click(page, "a2", "a3")
    status(page, "a2-a3")
    assert page.is_hidden("#first-steps")
    leads(page, "game=breakthrough:4x5&second=human")
    shows(page, "Breakthrough 4x5")
    assert page.is_hidden("#first-steps")
    for game, title, told in (
        ("go:5", "Go 5", "Click the place where you want to play."),
        ("morpion:4D", "Morpion Solitaire 4D", "Click a framed place for the new point, then the far end of its line."),
        ("arimaa", "Arimaa", "Choose a usual setup below the board"),
    ):
        leads(page, f"game={game}&second=human")
        shows(page, title)
        assert told in page.inner_text("#first-steps")
    assert page.errors == []


def players_are_called_in_words(page):
    """Their exact names are tooltips. The only person of a match is "you"."""
    assert [page.inner_text(f"#{side}-side .who") for side in ("first", "second")] == ["you", "evaluation by material"]
    for chosen in ("#second", "#search"):
        named = page.locator(f"{chosen} option[value='evaluation:material']")
        assert (named.inner_text(), named.get_attribute("title")) == ("evaluation by material", "evaluation:material")
    assert page.locator("#search option[value=proof]").inner_text() == "search for proofs"
    page.select_option("#second", "human")
    page.wait_for_selector("#first-side .who:text-is('person')")
    assert page.errors == []


def words_agree_with_their_numbers(page):
    """In both languages. Numbers are written as the language writes them."""
    effort = """async () => (await import("/static/texts.js")).t(
        "analysis.effort", { evaluations: 1, iterations: 0, states: 12345, seconds: "0.1" })"""
    assert page.evaluate(effort) == "1 evaluation, 0 iterations, 12,345 states, 0.1\u00a0s"
    page.click(".languages a")
    page.wait_for_selector("html[lang=de]")
    assert page.evaluate(effort) == "1 Bewertung, 0 Durchläufe, 12.345 Stellungen, 0.1\u00a0s"
    assert page.errors == []


def the_numbers_are_explained(page):
    """By the colours of the shown game."""
    assert not page.is_visible("#meaning p >> nth=0")
    page.click("#meaning summary")
    assert "chance that Red wins, a draw counting half. Blue has the rest." in page.inner_text("#meaning")
    assert "1–0, Red wins whatever the other side plays; 0–1, Blue wins" in page.inner_text("#meaning")
    leads(page, "game=morpion:4D")
    page.wait_for_function("() => document.getElementById('meaning').textContent.includes('score')")
    assert page.locator("#meaning p").count() == 2
    assert page.errors == []

"""The way from the gallery to a match, and the words of the page in its languages."""

import re
from pathlib import Path
from typing import get_args
from urllib.parse import unquote

import pytest
from browser_pages import browser, click, server, shows, status
from browser_pages import opened as opened_slowly
from starlette.testclient import TestClient
from test_web import LOCAL

from athenan import GAMES, make
from athenan.cli import main
from athenan.drawing.svg import draw
from athenan.games.arimaa.setups import USUAL
from athenan.play.levels import ROLLOUT_LEVELS
from athenan.play.search_player import SearchPlayer
from athenan.rules.board import LOOKS, PIECE_COLOURS, Counted, Shape
from athenan.web import texts
from athenan.web.choices import Choices
from athenan.web.gallery import cards, told
from athenan.web.pages import STATIC
from athenan.web.server import application
from athenan.web.texts.games import translated, words_of

ENGLISH = texts.table("en")


def test_the_gallery_has_every_game_once():
    shown = cards(make("hex"))
    families = [make(card.start).family for card in shown]
    assert sorted(families) == sorted({make(name).family for name in GAMES})
    for card in shown:
        assert (STATIC.parent / card.picture.lstrip("/")).is_file(), card.title
        assert card.title and card.line[0].isupper()


def test_a_game_of_a_user_comes_first(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("from athenan.games.tictactoe import make as other\n\n\ndef make():\n    return other()\n")
    first = cards(make(str(file)))[0]
    assert (first.title, first.start) == ("Tic-tac-toe", str(file))
    assert unquote(first.picture.removeprefix("data:image/svg+xml,")) == draw(make("tictactoe")).svg
    assert cards(make(str(file)), "de")[0] == first  # as its docstring says it


@pytest.mark.parametrize("name", GAMES)
def test_every_option_is_a_control(name):
    """Whose value is the game's own."""
    game = make(name)
    found = told(game)
    assert found["goal"] and found["play"] and found["game"] == game.name
    for option in found["options"]:
        assert f"option.{option['name']}" in ENGLISH
        assert option["kind"] in ("choice", "switch", "number", "pair", "text")
        if option["kind"] == "choice":
            assert str(option["value"]) in map(str, option["values"])


def test_the_page_tells_who_plays_and_what_is_learnt(tmp_path):
    """By names: a run that the command named, or the package's network, which carries over to Hex without the swap."""
    with TestClient(application(Choices("hex:7")), **LOCAL) as client:
        found = client.get("/about?game=hex:7").json()
        assert [one["text"] for one in found["learnt"]] == ["7", "9", "11"]
        assert found["learnt"][1]["values"] == {"size": 9, "swap": True}
        computers = [client.get(f"/about?game={name}").json()["computer"] for name in ("hex:7,swap=false", "hex:8")]
        assert found["computer"] == "athenan" and computers == ["athenan", "mcts"]
    run = str(tmp_path / "mine")
    assert main(f"train hex:8 --matches 1 --run {run} --action.iterations 1 --strength.seconds 0".split()) == 0
    with TestClient(application(Choices("hex:8", {"mine": Path(run)})), **LOCAL) as client:
        assert client.get("/about?game=hex:8,swap=false").json()["computer"] == "run:mine"


def test_the_languages_have_the_same_texts():
    for language in texts.LANGUAGES:
        table = texts.table(language)
        assert list(table) == list(ENGLISH)
        for key, text in table.items():
            assert text and set(re.findall(r"{(\w+)", text)) <= set(re.findall(r"{(\w+)", ENGLISH[key])), key


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_a_word_beside_a_number_has_a_form_for_one_and_for_more(language):
    """The two kinds of numbers that the languages of the page have. A form without its number would be misread."""
    for key, text in texts.table(language).items():
        for name, forms in re.findall(r"{(\w+):([^}]*)}", text):
            assert len(forms.split("|")) == 2 and (f"{{{name}}}" in text or key == "players.minutes"), key


@pytest.mark.parametrize("language", texts.LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_every_text_in_every_language(name, language):
    words, table = words_of(name, language), texts.table(language)
    assert words.language == language and words.title
    assert words.goal[0].isupper() and words.goal.endswith(".")
    assert 50 < len(words.play) < 600 and words.play.endswith(".")
    colours = {table[f"colour.{colour}"]: colour.capitalize() for colour in PIECE_COLOURS}
    named = {colours[word] for word in re.findall(r"\w+", words.play) if word in colours}
    assert named <= set(make(name).sides)  # the texts name the pieces that the board shows
    if language != texts.DEFAULT:
        assert words.goal != words_of(name, texts.DEFAULT).goal and words.play != words_of(name, texts.DEFAULT).play
        assert set(translated(language)) == {make(one).family for one in GAMES}


def test_the_scripts_name_only_texts_that_there_are():
    named = {f"usual.{name}" for name in USUAL}
    for file in STATIC.glob("*.js"):
        named |= set(re.findall(r"\bt\(\"([^\"]+)\"", file.read_text()))
    for file in STATIC.glob("*.html"):
        named |= set(re.findall(r"{{([^}]+)}}", file.read_text()))
    assert len(named) > 100 and named <= set(ENGLISH)
    ends = {key.split(".")[2] for key in ENGLISH if re.match(r"end\.(wins|alone|draw)\.", key)}
    assert ends <= {make(name).family for name in GAMES} | set(get_args(Counted)) | {"score"}
    kinds = {"colour": PIECE_COLOURS, "level": ROLLOUT_LEVELS.settings, "look": LOOKS}
    kinds |= {"shape": get_args(Shape), "count": get_args(Counted)[1:]}
    for kind, names in kinds.items():
        assert all(f"{kind}.{name}" in ENGLISH for name in names)
    assert all(ENGLISH[f"colour.{one}"] == one.capitalize() for one in PIECE_COLOURS)  # as the terminal calls them


def test_the_language_is_asked_for_or_accepted_and_then_kept():
    with TestClient(application(Choices("tictactoe")), **LOCAL) as client:
        assert "Choose a game" in client.get("/").text
        assert "Ein Spiel wählen" in client.get("/", headers={"accept-language": "de-CH,de;q=0.9"}).text
        assert "Choose a game" in client.get("/", headers={"accept-language": "xx"}).text
        assert 'lang="de"' in client.get("/play?lang=de").text
        german = client.get("/").text
        assert "Ein Spiel wählen" in german and "Vier gewinnt" in german
        assert client.get("/about?game=hex").json()["language"] == "de"
        assert client.get("/about?game=hex&lang=en").json()["goal"].startswith("Join")


def test_a_search_without_network_plays_at_levels():
    game = make("tictactoe")
    for name, level in ROLLOUT_LEVELS.settings.items():
        player = Choices("tictactoe").make_player(f"mcts,level={name}", game)
        assert isinstance(player, SearchPlayer) and player.level == level
    with pytest.raises(ValueError, match="no level"):
        Choices("tictactoe").make_player("mcts,level=best", game)


def opened(context, address, fragment):
    page = opened_slowly(context, address, fragment)
    page.set_default_timeout(60_000)
    return page


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_match_is_chosen_and_played_by_hand():
    with browser() as chromium, server() as address:
        context = chromium.new_context()
        context.set_default_timeout(60_000)
        a_card_begins_a_match(context, address)
        a_dialog_chooses_the_match(context, address)
        a_dialog_that_the_server_does_not_answer(context, address)
        a_double_click_is_one_click(context, address)
        a_bad_address_offers_another_match_only(context, address)
        rules_and_illegal_clicks_are_explained(opened(context, address, "game=tictactoe&second=human"))
        a_piece_is_dragged_on_a_turned_board(opened(context, address, "game=breakthrough:5x5&second=human"))
        a_pass_has_no_dot(opened(context, address, "game=go:3&second=human"))
        a_setup_is_put_from_the_tray(opened(context, address, "game=arimaa&second=human"))
        the_look_of_the_pieces_is_chosen_and_kept(opened(context, address, "game=xiangqi&second=human"))
        german = chromium.new_context(locale="de-DE")
        page = opened(german, address, "game=tictactoe&second=human")
        status(page, "Blau am Zug")
        assert page.get_attribute("#board [data-place] >> nth=0", "aria-label") == "a1: leer"
        assert page.inner_text("#undo") == "Zurücknehmen" and page.errors == []
        numbers = """async () => {
            const { percent, signed } = await import("/static/texts.js");
            return [percent(0.57), signed(-1.25), signed(-0.0001)];
        }"""
        assert page.evaluate(numbers) == ["57\u00a0%", "−1,250", "+0,000"]
        arimaa = opened(german, address, "game=arimaa&second=human")
        assert "Figuren: 0" in arimaa.inner_text("#first-side") and arimaa.errors == []


def the_look_of_the_pieces_is_chosen_and_kept(page):
    def shown():
        return page.evaluate("""() => [...new Set([...document.querySelectorAll('#board .look')]
            .filter((one) => getComputedStyle(one).display !== "none").map((one) => one.classList[1]))]""")

    assert shown() == ["drawn"]
    page.focus("#pieces")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => document.getElementById('board').dataset.look == 'letters'")
    assert shown() == ["letters"]
    page.select_option("#pieces", label="characters")
    assert shown() == ["signs"]
    page.reload()
    page.wait_for_selector("#board svg")
    assert shown() == ["signs"] and page.input_value("#pieces") == "signs"
    page.goto(page.url.split("#")[0] + "#game=tictactoe&second=human")
    shows(page, "Tic-tac-toe")
    assert page.is_hidden("#pieces") and page.errors == []


def a_setup_is_put_from_the_tray(page):
    """Piece by piece, or a usual one at once; undo takes back what a click has put."""

    def put(*pieces):
        for count, name in pieces:
            page.click(f"#waiting button[aria-label='{name}: {count} to put']")

    put((1, "Gold elephant"))
    assert page.locator("#board .dots circle").count() == 2  # from either end of the row
    click(page, "h1")
    status(page, "Gold: Eh1")
    assert page.locator("#setups button").count() == 0
    page.click("#undo")
    page.wait_for_selector("#setups button")
    assert page.locator("#waiting button").count() == 6 and page.locator("#setups button").count() == 5
    put((8, "Gold rabbit"))
    click(page, "a1")
    status(page, "Gold: Ra1")
    put((7, "Gold rabbit"))  # it can go to one square only
    status(page, "Gold: Rb1")
    page.click("#setups button:text-is('99of9')")
    status(page, "Silver to put a piece on a7 or h7")
    assert page.locator("#tree button").count() == 17  # with Eh1, which is a variation now
    assert page.get_attribute('#board [aria-label^="e2:"]', "aria-label") == "e2: Gold elephant"
    page.click("#setups button:text-is('horses on one wing')")
    status(page, "Gold to step (left in this turn: 4)")
    assert page.is_hidden("#tray")
    page.click("#undo")
    status(page, "Silver to put a piece on a7 or h7")
    page.click("#undo")
    status(page, "Gold: Rb1")
    assert page.errors == []


def a_card_begins_a_match(context, address):
    page = context.new_page()
    page.goto(address)
    page.click(".card:has-text('Tic-tac-toe') a >> nth=0")
    page.wait_for_selector("#board svg")
    click(page, "b2")
    page.wait_for_function("() => document.querySelectorAll('#tree button').length == 2")  # the computer has answered
    assert page.input_value("#second-level") == "casual"
    shows(page, "Tic-tac-toe")


def a_dialog_that_the_server_does_not_answer(context, address):
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(address)
    page.route("**/about?*", lambda route: route.abort())
    page.click("[aria-label='Hex: Options…']")
    silent = page.wait_for_selector(".card:has([aria-label='Hex: Options…']) .error")
    assert silent.inner_text().startswith(ENGLISH["server.silent"].split("{")[0])
    page.unroute("**/about?*")
    page.click("[aria-label='Hex: Options…']")
    page.wait_for_selector("#setup-who")
    assert page.locator(".card .error").count() == 0
    page.route("**/about?*", lambda route: route.abort())
    page.click("dialog button[type='submit']")
    page.wait_for_selector(f"dialog .error:has-text({ENGLISH['server.silent'].split('{')[0]!r})")
    assert page.errors == []


def a_double_click_is_one_click(context, address):
    """On what opens the dialog, and on what begins the match: both ask the server first."""
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(address)
    page.dblclick("[aria-label='Tic-tac-toe: Options…']")
    page.wait_for_selector("dialog")
    page.wait_for_load_state("networkidle")
    assert page.locator("dialog").count() == 1
    page.dblclick("dialog button[type=submit]")
    shows(page, "Tic-tac-toe")
    assert page.errors == []


def a_bad_address_offers_another_match_only(context, address):
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(f"{address}play#game=chess")
    status(page, "there is no game 'chess'")
    assert page.is_visible("#new")
    assert not any(page.is_visible(part) for part in ("#sides", "#hint", "#typing", "#side"))
    for key in ("Home", "f"):
        page.keyboard.press(key)
    page.evaluate("() => { location.hash = 'game=tictactoe&second=human'; }")
    shows(page, "Tic-tac-toe")
    click(page, "b2")
    status(page, "Red to move")
    assert page.is_visible("#hint") and page.is_visible("#side") and page.errors == []


def a_dialog_chooses_the_match(context, address):
    page = context.new_page()
    page.goto(address)
    page.click("[aria-label='Hex: Options…']")
    assert page.inner_text("#setup-who") == ENGLISH["setup.network"]
    page.select_option("#option-size", "3")
    page.wait_for_selector(f"#setup-who:text-is('{ENGLISH['setup.search']}')")
    page.wait_for_function(
        "() => [...document.querySelectorAll('#setup-learnt img')].every((one) => one.complete && one.naturalWidth)"
    )
    page.click("#setup-learnt button:has-text('9')")
    assert page.get_attribute("#setup-learnt [aria-pressed=true] img", "src") == "/picture?game=hex%3A9"
    assert page.input_value("#option-size") == "9"
    page.wait_for_selector(f"#setup-who:text-is('{ENGLISH['setup.network']}')")
    page.select_option("#option-size", "3")
    page.click("dialog summary")
    page.uncheck("#option-swap")
    page.select_option("#setup-opponent", "beginner")
    assert page.locator("#setup-opponent option:checked").inner_text() == "Computer, beginner"
    page.select_option("#setup-colour", "1")
    assert page.is_hidden("#setup-increment")
    page.select_option("#setup-clock", "5")
    page.select_option("#setup-increment", "10")
    page.click("dialog button[type=submit]")
    shows(page, "Hex 3,swap=false")
    page.wait_for_function("() => document.querySelectorAll('#tree button').length == 1")  # Red is the computer
    status(page, "Blue to move")
    assert page.input_value("#first-level") == "beginner" and page.input_value("#minutes") == "5"
    assert page.input_value("#increment") == "10" and "increment=10" in page.url
    assert page.inner_text("#minutes-a-side") == "minutes a side"
    page.fill("#minutes", "1")
    assert page.inner_text("#minutes-a-side") == "minute a side"
    page.click("#new")
    page.wait_for_selector("dialog")
    kept = [page.input_value(f"#setup-{name}") for name in ("opponent", "colour", "clock", "increment")]
    assert kept == ["beginner", "1", "5", "10"]
    clocks = page.locator("#setup-clock option").all_inner_texts()
    assert clocks[:3] == ["no clock", "1 minute a side", "3 minutes a side"]
    page.click("dialog button:has-text('Cancel')")
    page.wait_for_selector("dialog", state="detached")  # a dialog tells later that it has been closed
    page.goto(address)
    page.click("[aria-label='Othello: Options…']")
    page.select_option("#option-size", "5")
    page.click("dialog button[type=submit]")
    page.wait_for_selector("dialog .error:has-text('even')")  # the dialog stays
    page.wait_for_function("() => document.getElementById('setup-who').textContent == ''")
    page.click("dialog button:has-text('Cancel')")
    page.wait_for_selector("dialog", state="detached")
    page.click("[aria-label='Draughts: Options…']")
    page.wait_for_selector(f"#setup-who:text-is('{ENGLISH['setup.network']}')")
    assert page.locator("#setup-learnt").count() == 0  # every variant is learnt


def rules_and_illegal_clicks_are_explained(page):
    assert page.is_hidden("#help")
    page.click("#rules")
    page.wait_for_selector("#help:has-text('Goal: Have three of your marks')")
    click(page, "b2")
    status(page, "Red to move")
    click(page, "b2")
    status(page, "b2 cannot move")
    page.evaluate("() => { WebSocket.prototype.send = () => {}; }")  # the server does not answer yet
    click(page, "a1", "a1")
    assert page.inner_text("#status") == "b2 cannot move."  # not that somebody else is to move
    assert page.errors == []


def a_piece_is_dragged_on_a_turned_board(page):
    def middle(name):
        box = page.locator(f'#board [aria-label^="{name}:"]').bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    assert middle("a1")[1] > middle("a5")[1]
    page.click("#turned")
    assert middle("a1")[1] < middle("a5")[1] and page.get_attribute("#turned", "aria-pressed") == "true"
    page.mouse.move(*middle("b2"))
    page.mouse.down()
    page.mouse.move(*middle("c3"), steps=4)
    assert page.locator("#board .dots circle").count() == 3 and page.locator("#board .held").count() == 1
    page.mouse.up()
    status(page, "b2-c3")
    assert "pieces: 10" in page.inner_text("#first-side")
    click(page, "b4", "b5")
    status(page, "b4 cannot go to b5")
    page.click("#coordinates")
    assert not page.is_visible("#board .ground .label >> nth=0")
    assert page.errors == []


def a_pass_has_no_dot(page):
    page.click("#buttons button:has-text('Pass')")
    status(page, "Black: pass. White to move")
    for name in ("b2", "a1", "b1", "c3", "b3", "a3"):  # until few points are left
        click(page, name)
        status(page, name)
    assert page.locator("#board .dots circle").count() == 3
    assert page.errors == []

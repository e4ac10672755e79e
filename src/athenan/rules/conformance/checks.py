"""The checks of a game, in the process that runs its kernels."""

from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from athenan.rules.colours import ColourSymmetry, PlaneExchange
from athenan.rules.conformance.features import check_features
from athenan.rules.conformance.guards import Guarded
from athenan.rules.conformance.guards import require as _check
from athenan.rules.conformance.looks import check_board, check_fen
from athenan.rules.conformance.progress import Enough, Limited, Mark
from athenan.rules.game import Game, GameError, State
from athenan.rules.playouts import random_ends
from athenan.rules.randomness import MOST_OUTCOMES, streams
from athenan.rules.state import CHANCE
from athenan.rules.terminal import terminal_value

_LONGEST = (1 << 16) - 1
_ACCURACY = 1e-6
"""The most by which an evaluation may differ between a state and its image, whose sums may have another order."""


@dataclass(frozen=True)
class Extent:
    """How much is checked."""

    matches: int
    """The number of random matches."""
    seed: int = 0
    calls: int | None = None
    """The most calls of each part of the check; None: it is made whole."""


def check(game: Game, extent: Extent, mark: Mark) -> None:
    """Checks all that `check_game` promises and tells `mark` what it calls. Raises GameError with the fault."""
    mark("check_game")
    _check_tables(game)
    _check_places(game)
    if extent.calls is None:
        _check_matches(Guarded.of(game, mark), extent)
        _check_sample(Guarded.of(game, mark))
        _check_rollout(Guarded.of(game, mark), extent)
    else:
        by_matches = partial(_check_matches, extent=extent), partial(_check_ends, extent=extent)
        for part in (*by_matches, partial(_check_rollout, extent=extent), _check_sample):
            with suppress(Enough):
                part(Guarded.of(game, Limited(mark, extent.calls)))
    mark("random play, or a heuristic,")
    _check_heuristics(game, 10 * extent.matches, extent.seed)
    mark("make")
    _check_name(game)


def _check_ends(game: Guarded, extent: Extent) -> None:
    """Plays random matches and checks only what ends them: a quick check would not reach the ends of long matches."""
    for stream in streams(extent.seed, min(4, extent.matches)):
        random, state, length = np.random.default_rng(int(stream)), game.initial(), 0
        while (outcome := _checked_outcome(game, state, actions := game.actions(state))) is None:
            _check(length < game.max_length, game, f"a match is longer than max_length = {game.max_length}")
            if game.player(state) == CHANCE:
                _check_chance(game, state)
            state, length = game.play(state, int(random.choice(actions))), length + 1
        _check_score(game, state, outcome)
        check_board(game, state, actions, outcome)


def _check_matches(game: Guarded, extent: Extent) -> None:
    """Plays random matches and checks each of their states, and that the symmetries map the matches to matches."""
    for number, stream in enumerate(streams(extent.seed, extent.matches)):
        played = _check_match(game, np.random.default_rng(int(stream)))
        image = 1 + number % max(1, len(game.plane_symmetries) - 1)
        if image < len(game.plane_symmetries):
            _check_symmetry(game, played, image)
        if game.colour_symmetry:
            _check_colours(game, game.colour_symmetry, played)


def _check_tables(game: Game) -> None:
    params = game.params
    right = isinstance(params, np.ndarray) and params.dtype == np.int64 and params.ndim == 1
    _check(right, game, "params must be a vector of int64, such as np.array([size], np.int64)")
    for what in ("action_count", "max_actions", "max_length", "typical_length"):
        _check(getattr(game, what) >= 1, game, f"{what} must be at least 1, not {getattr(game, what)}")
    _check(game.max_length <= _LONGEST, game, f"max_length is beyond {_LONGEST}, the most that a header counts")
    _check(
        len(game.planes) == 3 and min(game.planes) >= 1, game, f"planes must be three numbers above 0: {game.planes}"
    )
    cells, symmetries = int(np.prod(game.planes)), len(game.plane_symmetries)
    _check(game.plane_symmetries.shape == (symmetries, cells), game, "plane_symmetries has a wrong shape")
    _check(game.action_symmetries.shape == (symmetries, game.action_count), game, "action_symmetries: wrong shape")
    for name, table, size in (
        ("plane", game.plane_symmetries, cells),
        ("action", game.action_symmetries, game.action_count),
    ):
        _check(bool((np.sort(table, axis=1) == np.arange(size)).all()), game, f"a {name} symmetry is not a permutation")
        _check(bool((table[0] == np.arange(size)).all()), game, f"{name} symmetry 0 is not the identity")
    if game.beneath is not None:
        board = int(np.prod(game.planes[1:]))
        fits = game.beneath.shape == (board,) and bool(((game.beneath >= -1) & (game.beneath < board)).all())
        _check(fits, game, f"beneath must be a cell, or -1, for each of the {board} cells")
        _check(game.boards == 1, game, "beneath is of one board")
    _check(not game.features.planes or game.boards == 1, game, "features are of one board")
    if game.plane_exchange:
        _check(game.features.estimate, game, "a plane_exchange needs an estimate among the features")
        _check(game.colour_symmetry is None, game, "a plane_exchange is for games without a colour_symmetry")
        _check_exchange(game, game.plane_exchange)
    _check(1 <= game.boards <= game.planes[0], game, f"its {game.planes[0]} planes cannot show {game.boards} boards")


def _check_places(game: Game) -> None:
    """Checks that places are distinct and on the board, and that symmetries move them like cells, plane by plane."""
    if game.action_places is None:
        _check(game.action_planes == 0, game, "action_planes are declared without action_places")
        return
    _, rows, columns = game.planes
    places, area = game.action_places, rows * columns
    _check(places.shape == (game.action_count,), game, "action_places has a wrong shape")
    _check(places.dtype == np.int32, game, f"action_places must be of int32, not {places.dtype}")
    inside = (places >= -1) & (places < game.action_planes * area)
    _check(bool(inside.all()), game, "an action's place lies outside [action_planes, rows, columns]")
    placed = np.flatnonzero(places >= 0)
    _check(len(np.unique(places[placed])) == len(placed), game, "two actions have the same place")
    for number, (planes, actions) in enumerate(zip(game.plane_symmetries, game.action_symmetries, strict=True)):
        what = f"symmetry {number} does not move the places of actions as it does cells"
        images = places[actions[placed]]
        _check(bool((images >= 0).all()), game, what)
        sources = planes.reshape(-1, area) % area
        if (sources != sources[0]).any():
            continue  # the symmetry moves the cells of different planes in different ways
        moved = np.argsort(sources[0])[places[placed] % area]
        shifts = np.stack(
            [images // area, images % area // columns - moved // columns, images % columns - moved % columns]
        )
        for plane in np.unique(places[placed] // area):
            of_plane = shifts[:, places[placed] // area == plane]
            _check(bool((of_plane == of_plane[:, :1]).all()), game, what)


def _check_match(game: Guarded, random: np.random.Generator) -> list[int]:
    """Plays a random match, checks each of its states, and returns its actions."""
    state = game.initial()
    played: list[int] = []
    _check_state(game, state, 0)
    while game.outcome(state) is None:
        _check(len(played) < game.max_length, game, f"a match is longer than max_length = {game.max_length}")
        played.append(game.draw(state, random))
        by_chance, state = game.player(state) == CHANCE, game.play(state, played[-1])
        _check(not (by_chance and game.player(state) == CHANCE), game, "chance is to move twice in succession")
        _check_state(game, state, len(played))
    return played


def _check_state(game: Guarded, state: State, number: int) -> None:
    actions = game.actions(state)
    outcome = _checked_outcome(game, state, actions)
    if game.player(state) == CHANCE:
        _check_chance(game, state)
    else:
        _check(game.player(state) in (0, 1), game, "the side to move must be 0, 1 or 2 for chance")
        _check(game.player(state) < game.players, game, "a second player is to move in a one-player game")
    _check(game.length(state) == number, game, f"the header counts {game.length(state)} actions, not {number}")
    names = [game.name_of(state, int(action)) for action in actions]
    _check(len({name.lower() for name in names}) == len(names), game, f"two actions have the same name: {names}")
    _check(all(name and not any(map(str.isspace, name)) for name in names), game, "a name is empty or has spaces")
    game.mark("text")
    _check(bool(game.text(state)), game, "the text picture is empty")
    check_board(game, state, actions, outcome)
    check_fen(game, state, outcome)
    check_features(game, game.encode(state))
    if outcome is None:
        _check_estimates(game, state)
    else:
        _check_score(game, state, outcome)
    if "pieces" in game.table:
        count = min(game.pieces(state, player) for player in range(game.players))
        _check(count >= 0, game, f"pieces counts {count} pieces")


def _checked_outcome(game: Guarded, state: State, actions: NDArray[np.int32]) -> int | None:
    """The outcome of a state, which must agree with its legal actions."""
    outcome = game.outcome(state)
    _check(outcome in (None, -1, 0, 1), game, f"the outcome must be 1, 0, -1 or ongoing, not {outcome}")
    _check((len(actions) == 0) == (outcome is not None), game, "actions and outcome disagree on the end of the match")
    _check(bool((np.diff(actions) > 0).all()), game, "the legal actions do not ascend")
    _check(bool(((actions >= 0) & (actions < game.action_count)).all()), game, "an action is out of range")
    return outcome


def _check_score(game: Guarded, state: State, outcome: int) -> None:
    """Checks the score of a finished match, if the game has one."""
    if game.max_score is None:
        return
    score = game.score(state)
    _check(abs(score) <= game.max_score, game, f"the score {score} is larger than max_score = {game.max_score}")
    right = game.players == 1 or np.sign(score) == outcome
    _check(right, game, f"the score {score} does not have the sign of the gain {outcome}")


def _check_estimates(game: Guarded, state: State) -> None:
    """Checks that the game's own evaluations are finite and, where they estimate the gain, between -1 and 1."""
    for name in game.evaluations:
        found = game.estimate(name, state)
        _check(bool(np.isfinite(found)), game, f"the evaluation {name} gives a state {found}, no finite number")
        right = game.players == 1 or abs(found) <= 1
        _check(right, game, f"the evaluation {name} gives a state {found:g}, but the gain is between -1 and 1")


def _check_chance(game: Guarded, state: State) -> None:
    """Checks a state where chance is to move."""
    _check(game.stochastic, game, "chance is to move, but there is no kernel probabilities")
    _check(game.outcome(state) is None, game, "chance is to move after the end of the match")
    _check(len(game.actions(state)) <= MOST_OUTCOMES, game, f"chance has more than {MOST_OUTCOMES} outcomes")
    probabilities = game.probabilities(state)
    _check(bool((probabilities > 0).all()), game, "an outcome of chance has no probability above 0")
    _check(abs(probabilities.sum() - 1) < 1e-9, game, f"the probabilities sum to {probabilities.sum():.12g}, not 1")


def _check_sample(game: Guarded) -> None:
    """Draws a first and a last action many times. It misses a legal action with a probability below 10^-6."""
    if "sample" not in game.table:
        return
    random, state, wrong = streams(0, 1), game.initial(), "sample draws other actions than the legal ones, or not all"
    draw = game.sampled
    some = {game.player(state): state}  # one state of each side, the last one in the end
    while game.outcome(state) is None:
        action = draw(state, random)
        _check(action in game.actions(state), game, wrong)
        some[game.player(state)] = state
        state = game.play(state, action)
    for where in (game.initial(), *some.values()):
        legal = game.actions(where)
        rarest = game.probabilities(where).min() if game.player(where) == CHANCE else 1 / len(legal)
        drawn = {draw(where, random) for _ in range(int((16 + len(legal).bit_length()) / rarest))}
        _check(drawn == set(legal.tolist()), game, wrong)


def _check_rollout(game: Guarded, extent: Extent) -> None:
    """Plays matches by the kernel `rollout`, which is told of the action before or, in every second match, is not."""
    if "rollout" not in game.table:
        return
    for number, stream in enumerate(streams(extent.seed, extent.matches)):
        random, state, last = np.array([stream]), game.initial(), -1
        while game.outcome(state) is None:
            if game.player(state) == CHANCE:
                last = game.draw(state, np.random.default_rng(int(random[0])))
            else:
                last = game.rolled(state, -1 if number % 2 else last, random)
                _check(last in game.actions(state), game, f"rollout draws the action {last}, which is not legal")
            state = game.play(state, last)


def _check_heuristics(game: Game, matches: int, seed: int) -> None:
    """Checks on the ends of random matches that the game's own heuristics keep the order of the gain (003, Def. 21)."""
    if not game.heuristics:
        return
    ends = random_ends(game, matches, seed)
    gains = np.array([game.outcome(end) for end in ends])
    for name, own in game.heuristics.items():
        given = (own.kernel.address, game.rules)
        values = [terminal_value(*given, end, gain, np.zeros(0)) for end, gain in zip(ends, gains, strict=True)]
        _check(bool(np.isfinite(values).all()), game, f"the heuristic {name} gives a match no finite number")
        _check(max(map(abs, values)) <= own.largest, game, f"the heuristic {name} is larger than its largest value")
        lost, drawn, won = (np.array(values)[gains == gain] for gain in (-1, 0, 1))
        for lower, higher in ((lost, drawn), (drawn, won), (lost, won)):
            kept = max(lower, default=-np.inf) < min(higher, default=np.inf)
            _check(bool(kept), game, f"the heuristic {name} does not keep the order of the gain")


def _check_name(game: Game) -> None:
    """Checks that the game's name makes it, here and in another process."""
    if game.maker is None:
        raise GameError("the game has no name: check a game made with athenan.make")
    try:
        made = game.maker(game.name)
    except GameError as error:
        raise GameError(f"{game.name}: make does not make it ({error})") from None
    same = (made.name, made.state_size, made.action_count) == (game.name, game.state_size, game.action_count)
    _check(same and np.array_equal(made.params, game.params), game, f"its name makes another game, {made.name}")


def _check_symmetry(game: Guarded, played: list[int], image: int) -> None:
    planes, actions = game.plane_symmetries[image], game.action_symmetries[image]
    state = game.initial()
    mapped = state if image < game.start_symmetries or game.turned is None else game.turned(state, image)
    for action in [*played, None]:
        what = f"symmetry {image} does not map matches to matches:"
        _check(game.player(state) == game.player(mapped), game, f"{what} side to move")
        _check(game.outcome(state) == game.outcome(mapped), game, f"{what} outcome")
        _check_mapped(game, actions, state, mapped, f"{what} legal actions")
        encoded = game.encode(state).reshape(-1)[planes]
        _check(np.array_equal(encoded, game.encode(mapped).reshape(-1)), game, f"{what} planes")
        if game.outcome(state) is None:
            _check_estimates_of_image(game, state, mapped, 1, f"symmetry {image}")
        elif game.max_score is not None:
            _check(game.score(state) == game.score(mapped), game, f"{what} score")
        if action is not None:
            state, mapped = game.play(state, action), game.play(mapped, int(actions[action]))


def _check_mapped(game: Game, images: NDArray[np.int32], state: State, mapped: State, what: str) -> None:
    """Checks that the actions and probabilities of a state become the actions and probabilities of its image."""
    legal = images[game.actions(state)]
    order = np.argsort(legal)
    _check(np.array_equal(legal[order], game.actions(mapped)), game, what)
    if game.player(state) == CHANCE:
        same = np.allclose(game.probabilities(state)[order], game.probabilities(mapped), atol=1e-12, rtol=0)
        _check(same, game, f"{what}: the probabilities differ")


def _check_colours(game: Guarded, colours: ColourSymmetry, played: list[int]) -> None:
    """Checks that the exchange of the players maps each state of a match and the states that follow from it."""
    _check_exchange(game, colours.of_planes)
    state, what = game.initial(), "the exchange of the players"
    for number, action in enumerate([*played, None]):
        if number >= colours.begins:
            game.mark("colour_symmetry")
            image = colours.state(state)
            _check(np.array_equal(colours.state(image), state), game, f"{what} twice does not give back the state")
            _check_image(game, colours, state, image)
        if action is None:
            break
        following = game.play(state, action)
        if number >= colours.begins:
            same = np.array_equal(game.play(image, int(colours.actions[action])), colours.state(following))
            _check(same, game, f"{what} does not map a state and its action to the state that follows")
        state = following


def _check_exchange(game: Game, exchange: PlaneExchange) -> None:
    what = "the exchange of the players"
    _check(game.players == 2, game, f"{what} is declared in a one-player game")
    for name, table, size in (
        ("planes", exchange.planes, int(np.prod(game.planes))),
        ("actions", exchange.actions, game.action_count),
    ):
        _check(table.dtype == np.int32, game, f"the {name} of {what} must be of int32, not {table.dtype}")
        whole = table.shape == (size,) and np.array_equal(np.sort(table), np.arange(size))
        _check(bool(whole), game, f"the {name} of {what} are not a permutation")


def _check_image(game: Guarded, colours: ColourSymmetry, state: State, image: State) -> None:
    what, outcome = "the exchange of the players does not map", game.outcome(state)
    side = CHANCE if game.player(state) == CHANCE else 1 - game.player(state)
    right = game.player(image) == side and game.length(image) == game.length(state)
    _check(right, game, f"{what} the header: the other side is to move, after as many actions")
    _check(game.outcome(image) == (None if outcome is None else -outcome), game, f"{what} the outcome to its negative")
    _check_mapped(game, colours.actions, state, image, f"{what} the legal actions")
    planes = game.encode(state).reshape(-1)[colours.planes].reshape(game.planes)
    planes[colours.side] = 1 - planes[colours.side]
    _check(np.array_equal(planes, game.encode(image)), game, f"{what} the planes")
    if "pieces" in game.table:
        pieces = [game.pieces(state, player) for player in (0, 1)]
        _check(pieces == [game.pieces(image, player) for player in (1, 0)], game, f"{what} the pieces")
    if outcome is None:
        _check_estimates_of_image(game, state, image, -1, "the exchange of the players")
    else:
        _check_worth(game, state, image, outcome)


def _check_estimates_of_image(game: Guarded, state: State, image: State, sign: int, what: str) -> None:
    """Checks that the game's own evaluations give an image of a state the same, or the negative, as `sign` says."""
    for name in game.evaluations:
        one, other = game.estimate(name, state), game.estimate(name, image)
        right, how = abs(one - sign * other) < _ACCURACY, "itself" if sign > 0 else "its negative"
        _check(right, game, f"{what} does not map the evaluation {name} to {how}: {one:g} becomes {other:g}")


def _check_worth(game: Guarded, state: State, image: State, outcome: int) -> None:
    """Checks that the score and the game's own heuristics of a finished match become their negatives."""
    what = "the exchange of the players does not map"
    if game.max_score is not None:
        _check(game.score(image) == -game.score(state), game, f"{what} the score to its negative")
    for name, own in game.heuristics.items():
        worth, negative = (
            terminal_value(own.kernel.address, game.rules, end, gain, np.zeros(0))
            for end, gain in ((state, outcome), (image, -outcome))
        )
        _check(worth == -negative, game, f"{what} the heuristic {name} to its negative")

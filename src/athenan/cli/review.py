"""The review of a match in a terminal, for `athenan analyze --match`."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

from athenan.cli.options import print_json
from athenan.cli.progress import showing
from athenan.files.annotation import AnnotatedPly, accuracies, annotate, annotated
from athenan.files.file_match import FileMatch
from athenan.files.formats import as_text, format_of, require_new, write_matches
from athenan.files.review import Mark
from athenan.play import words
from athenan.play.session import Session
from athenan.rules.game import Game
from athenan.search.budget import Budget
from athenan.settings import counted

_MANY: dict[Mark, str] = {"inaccuracy": "inaccuracies", "mistake": "mistakes", "blunder": "blunders"}


def review(session: Session, match: FileMatch, limit: Budget, output: Path | None, as_json: bool) -> None:
    """Annotates a match of a file, one row for each ply as it is found, and writes it to `output`.

    `limit` is for each action. An interruption sums up the plies found so far.
    """
    game = session.game
    if output:
        as_text([match], format_of(output))  # reports what cannot be written before the searches start
        require_new(output)
    found = annotate(session, match.actions, limit, match.start(game))
    plies = list[AnnotatedPly]()

    def so_far() -> str:
        return f"reviewed {len(plies):,} of {counted(len(match.actions), 'action')}"

    try:
        with showing(so_far) if as_json else nullcontext():
            for ply in found if as_json else _rows(game, found):
                plies.append(ply)
    except KeyboardInterrupt:
        _sum_up(game, plies, as_json)
        raise
    _sum_up(game, plies, as_json)
    if output:
        write_matches(output, [annotated(game, match, plies)])


def _rows(game: Game, found: Iterator[AnnotatedPly]) -> Iterator[AnnotatedPly]:
    """Shows plies as they are found: values and chances are for the first player, losses for the player of the ply."""
    print(f"{'':>4}  {'side':13} {'action':10} {'value':>8} {'chance':>7}  {'loss':>7} {'lost':>5}  {'':10}  best")
    for ply in found:
        loss = "" if ply.loss is None else f"{ply.loss:.3f}"
        chance = "" if ply.win_chance is None else f"{ply.win_chance:.1%}"
        lost = f"{ply.lost:.0%}" if ply.lost else ""
        proof = "" if ply.proven is None or game.players == 1 else f"  ({words.proof(ply.proven, game.stochastic)})"
        best = "" if ply.best in (None, ply.action) else " ".join(ply.line if ply.mark else ply.line[:1])
        values = f"{ply.value:+8.3f} {chance:>7}  {loss:>7} {lost:>5}  {ply.mark:10}"
        print(f"{ply.number:>4}  {ply.side:13} {ply.action:10} {values}  {best}{proof}", flush=True)
        yield ply


def _sum_up(game: Game, plies: Sequence[AnnotatedPly], as_json: bool) -> None:
    """Prints the accuracy and the mistakes of both sides, as far as they are known; in JSON also the plies."""
    if as_json:
        data = [{**asdict(ply), "proven": words.proven_word(game, ply.proven), "mark": ply.mark} for ply in plies]
        print_json({"game": game.name, "plies": data, "accuracy": accuracies(plies)})
        return
    for side, found in enumerate(accuracies(plies).values()):
        if found is not None:
            own = [ply for ply in plies if ply.player == side]
            marks = [ply.mark for ply in own]
            told = ", ".join(f"{many} {marks.count(mark)}" for mark, many in _MANY.items())
            print(f"{own[0].side}: accuracy {found:.0%}, {told}")

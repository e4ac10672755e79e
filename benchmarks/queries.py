"""Positions analysed a second: one by one, and by queries that share the network's batches.

    athenan train hex:7 --minutes 2 --run runs/hex-7
    python benchmarks/queries.py runs/hex-7

Each way searches the same positions of random matches with the same budget, in turns; medians of the repetitions, in
one process, with the processor time that it took. `one by one` is `athenan.analyze` with a session that is made once.
"""

import argparse
import json
import time
from statistics import median

from athenan import Budget, Session, learnt_network
from athenan.engines.queries.server import QueryServer
from athenan.rules.game import Game
from athenan.rules.playouts import random_match
from athenan.runs.learnt import playing_search
from athenan.search.named import make_search


def positions(game: Game, count: int) -> list[str]:
    """The moves of random beginnings of matches, of any length but the whole."""
    found = []
    for number in range(count):
        actions = random_match(game, seed=number)
        found.append(game.moves(actions[: number % (len(actions) - 1)]))
    return found


def main() -> None:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run")
    parser.add_argument("--positions", type=int, default=64)
    parser.add_argument("--evaluations", type=int, default=500)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--slots", type=int, nargs="+", default=[1, 4, 16, 64])
    given = parser.parse_args()
    search = playing_search(given.run)
    learnt = learnt_network(given.run, heads=search.heads())
    moves, budget = positions(learnt.game, given.positions), Budget(evaluations=given.evaluations)

    def searcher(slots: int):
        return make_search(learnt.game, learnt.evaluate, learnt.heuristic, search, slots=slots, memory=slots << 25)

    def one_by_one(session: Session) -> None:
        for position in moves:
            session.position(position)
            session.searcher.reset(session.state)
            session.think(budget)

    def queries(server: QueryServer) -> None:
        for number, position in enumerate(moves):
            server.handle(json.dumps({"id": str(number), "moves": position}))
        while server.step():
            pass

    ways = {"one by one": (one_by_one, Session(searcher(1)))}
    for slots in given.slots:
        ways[f"queries, {slots} slots"] = queries, QueryServer(searcher(slots), budget, lambda line: None, "")
    times = {name: [] for name in ways}
    for _ in range(given.repetitions + 1):
        for name, (run, subject) in ways.items():
            began, used = time.perf_counter(), time.process_time()
            run(subject)
            times[name].append((time.perf_counter() - began, time.process_time() - used))
    searched = f"{len(moves)} positions, {given.evaluations} evaluations each"
    print(f"{learnt.game.name}, {searched}, {learnt.evaluate.device}, {learnt.evaluate.precision}")
    base = median(processor for _, processor in times["one by one"][1:])
    for name, pairs in times.items():
        wall, processor = (median(column) for column in zip(*pairs[1:], strict=True))  # the first run prepares
        rates = f"{len(moves) / wall:8.1f} a second, {len(moves) / processor:8.1f} a processor second"
        print(f"{name:20} {rates}, {base / processor:.2f} times")


if __name__ == "__main__":
    main()

"""Environments: the games for learning code of others, many states at a time.

`StateBatch` (`batch.py`) steps n states in compiled code (`rows.py`), shared by several threads (`threads.py`).
`OpponentBatch` (`against.py`) plays one side against an opponent (`opponents.py`): any player of the roster, whose
search has a tree for each row (`searching.py`, `trees.py`). `BatchEvaluator` (`evaluating.py`) gives values and
policies of many states. `images.py` has symmetric images.

The interfaces that other code expects are one file each: `aec.py` (PettingZoo), `single.py` and `vector.py`
(Gymnasium), whose names `registration.py` registers. Importing this package imports none of them.
"""

from typing import TYPE_CHECKING

from athenan.extras import names_when_used

if TYPE_CHECKING:
    from athenan.environments.aec import GameAEC as GameAEC
    from athenan.environments.against import OpponentBatch as OpponentBatch
    from athenan.environments.batch import StateBatch as StateBatch
    from athenan.environments.evaluating import BatchEvaluator as BatchEvaluator
    from athenan.environments.images import images_of_actions as images_of_actions
    from athenan.environments.images import images_of_planes as images_of_planes
    from athenan.environments.opponents import Opponent as Opponent
    from athenan.environments.opponents import make_opponent as make_opponent
    from athenan.environments.searching import BatchSearch as BatchSearch
    from athenan.environments.single import OpponentEnv as OpponentEnv
    from athenan.environments.vector import OpponentVectorEnv as OpponentVectorEnv
else:
    _HOMES = {
        "aec": ("GameAEC",), "against": ("OpponentBatch",), "batch": ("StateBatch",),
        "evaluating": ("BatchEvaluator",), "images": ("images_of_actions", "images_of_planes"),
        "opponents": ("Opponent", "make_opponent"), "searching": ("BatchSearch",), "single": ("OpponentEnv",),
        "vector": ("OpponentVectorEnv",),
    }  # fmt: skip
    __getattr__, _EXPORTS = names_when_used(__name__, {f"{__name__}.{home}": names for home, names in _HOMES.items()})
    __all__ = [*_EXPORTS]  # noqa: PLE0604  # ruff wants texts it can read

    def __dir__() -> list[str]:
        return [*globals(), *_EXPORTS]

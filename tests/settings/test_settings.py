"""Settings as text, as JSON and as values: what is written is read as it was, and nothing that is given crashes."""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from athenan.settings import (
    Between,
    allowed,
    annotations,
    check,
    from_json,
    read,
    require_text,
    shown,
    split,
    split_settings,
    value_of,
    write,
)


@dataclass(frozen=True)
class Inner:
    count: Annotated[int, Between(1, 9)] = 3
    size: tuple[int, int] = (8, 8)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class Outer:
    share: Annotated[float, Between(0, 1)] = 0.5
    kind: Literal["add", "none", 3] = "add"
    limit: Annotated[int, Between(1, 10**6)] | None = None
    name: str = "x"
    inner: Inner = field(default_factory=Inner)
    other: Inner | None = None

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class Needs:
    count: int


def make(
    size: Annotated[tuple[int, int], Between(1, 99)] = (8, 8),
    *,
    swap: bool = True,
    count: int = 0,
    komi: float = 7.0,
    rate: Annotated[float, Between(0, 1)] | None = None,
    kind: Literal["Add", "none", 3] = "Add",
    names: frozenset[str] = frozenset(),
    title: str = "",
) -> None:
    """Has a setting of each type."""


def positional(title: str = "x", other: int = 3) -> None:
    """Has settings that are written whatever they are."""


NAMES = st.frozensets(st.text("abc123_-", min_size=1, max_size=4), max_size=3)
TITLES = st.text(max_size=12).map(lambda text: text.replace(",", "").strip())
VALUES = st.fixed_dictionaries(
    {},
    optional={
        "size": st.tuples(st.integers(1, 99), st.integers(1, 99)),
        "swap": st.booleans(),
        "count": st.integers(-(10**18) + 1, 10**18 - 1),
        "komi": st.floats(allow_nan=False, allow_infinity=False),
        "rate": st.none() | st.floats(0, 1),
        "kind": st.sampled_from(["Add", "none", 3]),
        "names": NAMES,
        "title": TITLES,
    },
)
ANY = st.text() | st.lists(
    st.sampled_from(["size", "swap", "title", "=", ",", ":", "5", "x", "true", "none", ".5", "-", "e9", "+", " "])
).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(VALUES)
def test_what_is_written_is_read_as_it_was(values: dict[str, Any]) -> None:
    text = write("game", make, values)
    name, found = split(text)
    assert name == "game"
    back = read(make, found)
    assert {**DEFAULTS, **back} == {**DEFAULTS, **values}
    assert write("game", make, back) == text


DEFAULTS = {
    "size": (8, 8), "swap": True, "count": 0, "komi": 7.0, "rate": None, "kind": "Add", "names": frozenset(),
    "title": "",
}  # fmt: skip


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": (0, 8)}, "size must be from 1 to 99, not 0x8"),
        ({"rate": 2.0}, "rate must be a number from 0 to 1 or none"),
        ({"kind": "mul"}, "kind must be Add, none or 3, not 'mul'"), ({"count": "x"}, "count must be a whole number"),
        ({"title": "a,b"}, "the settings '8x8,title=a,b' cannot be written"),
    ],
)  # fmt: skip
def test_a_value_that_is_not_written_is_explained(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        write("game", make, values)


@given(ANY)
def test_any_text_is_read_or_refused(text: str) -> None:
    for of in (make, positional):
        try:
            values = read(of, split(text)[1])
        except ValueError as error:
            assert str(error)
            continue
        name, found = split(write("game", of, values))
        assert name == "game"
        assert read(of, found).items() >= values.items() or {**DEFAULTS, **read(of, found)} == {**DEFAULTS, **values}


@given(st.text(), st.integers())
def test_any_positional_text_is_written_or_refused(title: str, other: int) -> None:
    try:
        text = write("game", positional, {"title": title, "other": other})
    except ValueError as error:
        assert "cannot be written" in str(error)
    else:
        assert read(positional, split(text)[1]) == {"title": title, "other": other}


@given(JSON)
def test_any_json_is_read_or_refused(data: Any) -> None:
    for wrong in (data, {"inner": data}, {"share": data}, {"limit": data}, {"inner": {"size": data}}, {"kind": data}):
        try:
            made = from_json(Outer, wrong)
        except ValueError as error:
            assert str(error)
        else:
            assert isinstance(made, Outer)


@settings(max_examples=50)
@given(st.integers(1, 9), st.floats(0, 1), st.none() | st.integers(1, 9), st.booleans())
def test_a_dataclass_comes_back_from_json(count: int, share: float, limit: int | None, other: bool) -> None:
    made = Outer(share=share, limit=limit, inner=Inner(count, (count, 4)), other=Inner(2) if other else None)
    assert from_json(Outer, json.loads(json.dumps(asdict(made)))) == made
    assert from_json(Outer, asdict(made)) == made


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (5, "Outer must be an object, not 5"),
        ({"sahre": 1}, "there is no setting 'sahre'; settings are inner, kind, limit, name, other, share"),
        ({"share": 2}, "share must be from 0 to 1, not 2"),
        ({"share": "2"}, "share must be a number from 0 to 1, not '2'"),
        ({"share": math.nan}, "share must be a number from 0 to 1, not nan"),
        ({"share": True}, "share must be a number from 0 to 1, not True"),
        ({"share": 10**4000}, "share must be from 0 to 1, not 1000"),
        ({"kind": "sub"}, "kind must be add, none or 3, not 'sub'"),
        ({"limit": 0}, "limit must be a whole number from 1 to 1,000,000 or none, not 0"),
        ({"limit": 1.0}, "limit must be a whole number from 1 to 1,000,000 or none, not 1.0"),
        ({"name": None}, "name must be a text, not None"),
        ({"inner": 5}, "inner must be Inner, not 5"),
        ({"inner": {"count": 10}}, "count must be from 1 to 9, not 10"),
        ({"inner": {"size": [1]}}, "size must be a number or WIDTHxHEIGHT, not (1,)"),
        ({"inner": {"size": ["1", 2]}}, "size must be a number or WIDTHxHEIGHT, not ('1', 2)"),
        ({"name": 7, "share": [[[[[[[[1]]]]]]]]}, "share must be a number from 0 to 1, not [["),
    ],
)
def test_what_is_wrong_with_json_is_said(data: Any, message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the message is compared
        from_json(Outer, data)
    assert str(error.value).startswith(message)
    assert len(str(error.value)) < 200


def test_a_missing_setting_is_named() -> None:
    assert from_json(Needs, {"count": 1}) == Needs(1)
    with pytest.raises(ValueError, match="Needs lacks the setting count"):
        from_json(Needs, {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "colour=red",
            "there is no option 'colour'; its options are size, swap, count, komi, rate, kind, names, title",
        ),
        ("5,6", "there is no option '6'; its options are size"),
        ("5,size=6", "option size is given twice"),
        ("0", "size must be from 1 to 99, not 0"),
        ("5x100", "size must be from 1 to 99, not 5x100"),
        ("big", "size must be a number or WIDTHxHEIGHT from 1 to 99, not 'big'"),
        ("5x5x5", "size must be a number or WIDTHxHEIGHT from 1 to 99, not 5x5x5"),
        ("swap=1", "swap must be true or false, not 1"),
        ("count=1.5", "count must be a whole number, not 1.5"),
        ("count=٣", "count must be a whole number, not '٣'"),
        ("count=" + "9" * 99, "count must be a whole number, not '999"),
        ("komi=nan", "komi must be a number, not 'nan'"),
        ("komi=1e999", "komi must be a number, not '1e999'"),
        ("rate=2", "rate must be a number from 0 to 1 or none, not 2"),
        ("kind=sub", "kind must be Add, none or 3, not 'sub'"),
        ("kind=", "kind must be Add, none or 3, not ''"),
        ("=5", "there is no option '5'; its options are"),
        ("5,swap", "swap needs a value: swap=true or swap=false"),
        ("5,Kind", "kind needs a value: kind=Add or kind=none or kind=3"),
        ("5,rate", "rate needs a value: rate=VALUE"),
    ],
)
def test_what_is_wrong_with_text_is_said(text: str, message: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the message is compared
        read(make, split_settings(text))
    assert str(error.value).startswith(message)
    assert len(str(error.value)) < 200


def test_settings_are_written_as_short_as_can_be() -> None:
    assert write("game", make, {}) == "game:8x8"
    assert (
        write("game", make, {"swap": False, "komi": 7.5, "names": frozenset("ba")})
        == "game:8x8,swap=false,komi=7.5,names=a+b"
    )
    assert write("game", make, {"rate": 0.1, "kind": 3}) == "game:8x8,rate=0.1,kind=3"
    assert write("game", positional, {"title": "a=b"}) == "game:title=a=b,other=3"
    assert write("game", positional, {"title": ""}) == "game:title=,other=3"
    assert write("game", lambda: None, {}) == "game"


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("hex", "hex", []),
        (" hex : 5 , SWAP = false ", "hex", [(None, "5"), ("swap", "false")]),
        ("./A b,c=d/nim.py:5", "./A b,c=d/nim.py", [(None, "5")]),
        ("a:b:c", "a", [(None, "b:c")]),
        (":", "", []),
        ("x:,,a=", "x", [("a", "")]),
    ],
)
def test_text_is_split(text: str, name: str, values: list[tuple[str | None, str]]) -> None:
    assert split(text) == (name, values)


def without_annotation(size=5):
    """Has a setting of which nothing says what it may be."""


def strange(size: complex = 5) -> None:
    """Has a setting that none can have."""


def unknown(size: "Unknown" = 5) -> None:  # type: ignore[name-defined] # noqa: F821
    """Has an annotation that means nothing."""


def quoted(size: "Annotated[int, Between(1, 9)]" = 5, rest: "int | None" = None) -> None:
    """Has annotations that are read later."""


@pytest.mark.parametrize(
    ("of", "message"),
    [
        (without_annotation, "size of without_annotation has no annotation, such as size: int"),
        (strange, r"size of strange must be annotated with bool, int, .* or Literal\[...\], not <class 'complex'>"),
        (unknown, "an annotation of unknown cannot be read: name 'Unknown' is not defined"),
    ],
)
def test_settings_of_no_type_are_the_authors_mistake(of: Callable[..., None], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        require_text(of)
    with pytest.raises(TypeError):
        read(of, split_settings("5"))


def test_quoted_annotations() -> None:
    require_text(quoted)
    assert list(annotations(quoted)) == ["size", "rest"]
    assert read(quoted, split_settings("9,rest=none")) == {"size": 9, "rest": None}
    with pytest.raises(ValueError, match="size must be from 1 to 9, not 10"):
        read(quoted, split_settings("10"))


@pytest.mark.parametrize("annotation", [list[int], dict, 5, "int", tuple[int, ...], Callable[..., int]])
def test_texts_are_of_few_types(annotation: Any) -> None:
    with pytest.raises(TypeError, match="size cannot be written as text: it is of the type"):
        value_of("size", annotation, "5")


def test_one_of_several_types() -> None:
    may_be = allowed(Annotated[int, Between(1, 5)] | Literal["auto"] | Annotated[float, Between(0, 1)] | None)
    assert str(may_be) == "a whole number from 1 to 5, auto, a number from 0 to 1 or none"
    held: list[Any] = [5, "auto", 0.5, 0, None]
    assert [may_be.holds(value) for value in held] == [True] * 5
    refused: list[Any] = [6, 5.0, -0.5, "car", True, math.nan]
    assert not any(may_be.holds(value) for value in refused)
    assert [may_be.read("x", text) for text in ("3", "AUTO", "0.25", "None")] == [3, "auto", 0.25, None]


def test_values_in_messages_are_short() -> None:
    records = {"plies": [dict.fromkeys("abcd", "e" * 20)] * 6, "players": ["x" * 50] * 4}
    for value in ("x" * 10**6, [[[[[[[[[[[1]]]]]]]]]]] * 1000, {"x" * 100: "y" * 100}, 10**4000, object(), records):
        assert len(shown(value)) < 200

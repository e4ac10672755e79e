"""The words of the pages: a table for each language, which has a text for every key.

A language is a file NAME.json beside this one, with the keys of `en.json`, and a file games.NAME.json with the texts of
the games (`games`). A text may hold values, as in {count}, and the forms of a word by a number, as in
{count:move|moves}: in the order of the kinds of `Intl.PluralRules` zero, one, two, few, many and other, as far as the
language has them. Only the scripts of the pages choose such a form.

>>> table("de")["board.undo"], chosen("", "de-AT,de;q=0.9,en;q=0.8")
('Zurücknehmen', 'de')
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path

_FOLDER = Path(__file__).parent
DEFAULT = "en"
LANGUAGES = {"en": "English", "de": "Deutsch"}
"""The languages by their codes, each by its own name."""
_KEY = re.compile(r"{{([a-z0-9._-]+)}}")
_VALUE = re.compile(r"{(\w+)}")


@cache
def table(language: str) -> dict[str, str]:
    """The texts of one of `LANGUAGES`, by their keys."""
    found: dict[str, str] = json.loads((_FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return found


def filled(template: str, language: str) -> str:
    """A template whose keys, written {{key}}, are replaced by their texts."""
    texts = table(language)
    return _KEY.sub(lambda found: escape(texts[found[1]]), template)


def said(key: str, language: str, values: Mapping[str, str]) -> str:
    """The text of a key with its values, as the scripts of the pages fill it.

    >>> said("server.silent", "de", {"message": "timeout"})
    'Der Server antwortet nicht: timeout'
    """
    return _VALUE.sub(lambda found: values[found[1]], table(language)[key])


def chosen(asked: str, accepted: str) -> str:
    """The language of a page: the one asked for, or the first known one of a browser's `Accept-Language`."""
    wanted = [asked, *(one.partition(";")[0].strip() for one in accepted.split(","))]
    known = (one[:2].lower() for one in wanted)
    return next((one for one in known if one in LANGUAGES), DEFAULT)

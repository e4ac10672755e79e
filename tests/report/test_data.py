"""Results as data: CSV that Python's reader returns, JSON with types, and LaTeX without commands in texts."""

import csv
import io
import json
import re

import pytest

from athenan.report.data import Data, as_csv, as_json, as_latex, as_table, escaped
from athenan.report.tables import Table

ODD = 'search=("x",\n y); 50%_a & b^2 {c} \\d ~$#'
SOME = Data("pairs", ("player", "gain", "share", "final"), [(ODD, -1, 0.1 + 0.2, True), (None, None, None, False)])


def test_csv_returns_what_was_written() -> None:
    header, *rows = csv.reader(io.StringIO(as_csv(SOME)))
    assert header == list(SOME.columns)
    assert rows == [[ODD, "-1", repr(0.1 + 0.2), "true"], ["", "", "", "false"]]


def test_json_keeps_types() -> None:
    assert [tuple(row.values()) for row in json.loads(json.dumps(as_json(SOME)))] == SOME.rows


def test_rows_have_the_columns() -> None:
    with pytest.raises(ValueError, match="a row of pairs must have 2 values"):
        Data("pairs", ("a", "b"), [(1,)])


def read(latex: str) -> str:
    """The text that LaTeX prints, by its own rules for the commands that are used here."""
    words = {
        "textbackslash": "\\", "textasciicircum": "^", "textasciitilde": "~", "textless": "<", "textgreater": ">",
        "textbar": "|", "textasciigrave": "`",
    }  # fmt: skip
    pattern = r"\\([a-z]+)\{\}|\\([{}$&#%_])|(\{\})|([\\{}$&#%_^~])"

    def printed(found: re.Match[str]) -> str:
        word, sign, _, bare = found.groups()
        assert not bare, f"LaTeX would read {bare!r} as a command"
        return words[word] if word else sign or ""

    assert not re.search("--", latex)  # a dash
    return re.sub(pattern, printed, latex)


@pytest.mark.parametrize("text", [ODD.replace("\n", " "), "athenan --csv ---x", "<a|b>", "`x`", "\\textbf{x}%"])
def test_latex_prints_texts_as_they_are(text: str) -> None:
    assert read(escaped(text)) == text


def test_latex_tables_have_their_columns() -> None:
    text = as_latex([Table("Ratings", ("player", "Elo"), (("[a]", "1"), ("ε", "2")), "5% of $."), as_table(SOME)])
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2
    assert r"\caption{Ratings. 5\% of \$.}" in text and r"\begin{tabular}{lr}" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert [len(re.findall(r"(?<!\\)&", row)) for row in rows] == [1, 1, 1, 3, 3, 3]
    assert rows[1].startswith("{}[a]") and r"$\varepsilon$" in rows[2]

r"""The text of a file: by its byte order mark, by the charset that it names, or by what its bytes can mean.

A second byte of Shift JIS, Big5 or GBK can be a backslash or a bracket, which SGF reads as signs. So such a file must
be decoded before its signs are read: read as Latin-1, a comment could swallow the moves after it.

>>> decoded("(;PB[井山裕太]C[コミ6目半])".encode("cp932"))
('(;PB[井山裕太]C[コミ6目半])', 'its encoding is not stated: it was read as Shift_JIS')
>>> decoded("(;CA[x-sjis]PB[ソ])".encode("cp932"))
('(;CA[x-sjis]PB[ソ])', '')
"""

import codecs
import re
from collections.abc import Callable, Sequence

from athenan.settings import shown

_CHARSET = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([^\]\r\n]{1,40}?)\s*\]")
_SAME = (
    ("cp932", "shiftjis sjis xsjis ms932 cp932 windows31j mskanji csshiftjis windows932 cswindows31j shiftjis2004"),
    ("euc_jp", "eucjp xeucjp ujis cseucpkdfmtjapanese"),
    ("iso2022_jp", "iso2022jp jis csiso2022jp"),
    ("gb18030", "gb18030 gbk gb2312 gb cp936 ms936 windows936 xgbk euccn xeuccn gb231280 chinese csgb2312"),
    ("hz", "hz hzgb2312"),
    ("cp950", "big5 xxbig5 cp950 ms950 windows950 big5tw csbig5 bigfive"),
    ("big5hkscs", "big5hkscs big5hk"),
    ("cp949", "euckr xeuckr cp949 ms949 windows949 uhc ksc5601 ksc56011987 ksc56011989 ksc56011992 korean xwindows949"),
    ("utf-8", "utf8 utf8n utf8sig unicode11utf8 xunicode20utf8"),
    ("utf-16", "utf16 ucs2 unicode utf16le utf16be"),
    ("cp1252", "windows1252 cp1252 ansi xansi latin1 iso88591 l1 ascii usascii"),
)  # fmt: skip
_NAMES = {name: codec for codec, names in _SAME for name in names.split()}
"""Names of charsets, in small letters and digits only -> our codec."""
_OTHERS = re.compile(r"iso8859\d{1,2}|windows125\d|cp125\d|koi8[ru]|latin\d{1,2}|cp(437|850|866)")
_ESCAPED = re.compile(rb"\x1b\$[@B]")
"""The escape sequence of ISO-2022-JP before Japanese characters, which have bytes of ASCII."""
_WITH_BRACKETS = ("cp932", "gb18030", "cp950", "big5hkscs")
"""The codecs in which the second byte of a character can be a bracket."""
_BEFORE_MOVES = re.compile(r"[^\x00-\x7f](?=\s*(?:;\s*[BW]\s*\[|\)\s*\Z))")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_LOOKED_AT = 3000
"""Characters beyond ASCII by which an encoding is guessed."""
_LEAST = 0.3
"""The least mean weight of a guess: below it the characters are hardly a text."""


def decoded(data: bytes) -> tuple[str, str]:
    """The text of a file without its mark, and a sentence if its encoding had to be guessed, else "".

    Raises ValueError if the bytes are not text.
    """
    text, codec, notice = _decoded(data)
    if "\0" in text:
        raise ValueError("it is not a text file")
    whole = _with_ends(text, codec) if codec in _WITH_BRACKETS else text
    if whole != text:
        notice = "; ".join(filter(None, (notice, "half a character before a ] was left out")))
    return whole.removeprefix("\ufeff"), notice


def _decoded(data: bytes) -> tuple[str, str, str]:
    """The text, its codec, and what has to be said of it."""
    if wide := _marked(data) or _without_mark(data):
        text = _strictly(data, wide)
        if text is None:
            raise ValueError(f"it is not a text file: its bytes are not {wide.upper()}")
        return text, wide, ""
    named = _CHARSET.search(data[:4000])
    name = named[1].decode("latin-1") if named else ""
    stated = _codec(name)
    if stated and (text := _strictly(data, stated)) is not None:
        return text, stated, ""
    if _ESCAPED.search(data) and (text := _strictly(data, "iso2022_jp")) is not None:
        return text, "iso2022_jp", "its encoding is not stated: it was read as ISO-2022-JP"
    if (text := _strictly(data, "utf-8")) is not None:
        return text, "utf-8", ""
    if stated and (text := _mostly(data, stated)) is not None:
        return text, stated, f"some of its bytes are not {shown(name)}, as it says: they were read as \ufffd"
    text, codec, called = _guessed(data)
    wrong = f"it says that its encoding is {shown(name)}, which its bytes are not" if stated else ""
    unknown = f"its encoding, {shown(name)}, is not known" if name and not stated else "its encoding is not stated"
    return text, codec, f"{wrong or unknown}: it was read as {called}" if called else ""


def _with_ends(text: str, codec: str) -> str:
    """The text with the ] that half a character at the end of a comment has swallowed.

    A character whose second byte is a ] and that a move follows, without another ], is such a half.
    """

    def end(found: re.Match[str]) -> str:
        return "\ufffd]" if found[0].encode(codec, "replace")[-1:] == b"]" else found[0]

    return _BEFORE_MOVES.sub(end, text)


def _marked(data: bytes) -> str | None:
    """The codec of the byte order mark that begins the file."""
    return next((codec for mark, codec in _MARKS if data.startswith(mark)), None)


def _without_mark(data: bytes) -> str | None:
    """The codec of UTF-16 without a mark: every second byte of the first ASCII characters is 0."""
    start = data[:8]
    if len(start) < 4:
        return None
    first, second = start[::2], start[1::2]
    if not any(second) and all(first):
        return "utf-16-le"
    return "utf-16-be" if not any(first) and all(second) else None


def _codec(name: str) -> str | None:
    """The codec of a charset's name; None for one that is not known."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    if plain in _NAMES:
        return _NAMES[plain]
    if not _OTHERS.fullmatch(plain):
        return None
    for written, called in (("iso8859", "iso8859-"), ("windows", "cp"), ("koi8", "koi8-")):
        plain = plain.replace(written, called)
    try:
        return codecs.lookup(plain).name
    except LookupError:
        return None


def _strictly(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeError:
        return None


def _mostly(data: bytes, codec: str) -> str | None:
    """The text with a sign in place of damaged bytes; None if there are many of them."""
    text = data.decode(codec, "replace")
    beyond = sum(sign > "\x7f" for sign in text)
    return text if text.count("\ufffd") <= max(2, beyond // 10) else None


def _guessed(data: bytes) -> tuple[str, str, str]:
    """The text in the most plausible encoding, the codec, and its name: "" for Western European, SGF's default."""
    for decode in (_strictly, _mostly):
        found = list[tuple[float, str, str, str]]()
        for codec, name, weigh in _GUESSES:
            if (text := decode(data, codec)) is not None:
                found.append((_mean(text, codec, weigh), text, codec, name))
        weight, *best = max(found, key=lambda one: one[0], default=(0.0, "", "", ""))
        if weight > _LEAST:
            return best[0], best[1], best[2]
    return data.decode("iso-8859-1"), "iso-8859-1", "ISO-8859-1, though some of its characters are unlikely there"


def _mean(text: str, codec: str, weigh: Callable[[bytes], float]) -> float:
    """The mean weight of the characters beyond ASCII."""
    if codec in _OF_ONE_BYTE:
        return _letters(text, codec)
    beyond = [sign for sign in text if sign > "\x7f"][:_LOOKED_AT]
    weights = [0.0 if sign == "\ufffd" else weigh(sign.encode(codec)) for sign in beyond]
    return sum(weights) / max(1, len(weights))


def _letters(text: str, codec: str) -> float:
    """How likely a text is in an encoding of one byte a character: Western letters stand beside ASCII, Cyrillic ones
    beside each other.
    """
    cyrillic, weights = codec == "cp1251", list[float]()
    for found in re.finditer(r"[^\x00-\x7f]+", text):
        run = found[0]
        likely = len(run) > 2 if cyrillic else len(run) <= 2
        weights += [(0.6 if likely else 0.15) if sign.isalpha() else 0.1 for sign in run]
        if len(weights) > _LOOKED_AT:
            break
    return sum(weights) / max(1, len(weights))


def _by_lead(ranges: Sequence[tuple[int, int, float]], trail: int = 0x40) -> Callable[[bytes], float]:
    """Weighs a character of two bytes by its first one, if the second is at least `trail`; others are unlikely."""

    def weigh(sign: bytes) -> float:
        if len(sign) != 2 or sign[1] < trail:
            return 0.1
        return next((weight for low, high, weight in ranges if low <= sign[0] <= high), 0.1)

    return weigh


_OF_ONE_BYTE = ("cp1252", "cp1251")
_GUESSES: tuple[tuple[str, str, Callable[[bytes], float]], ...] = (
    ("cp932", "Shift_JIS", _by_lead([(0x82, 0x83, 1.0), (0x81, 0x81, 0.7), (0x88, 0x97, 0.9), (0x98, 0x9F, 0.2)])),
    ("cp949", "EUC-KR", _by_lead([(0xB0, 0xC8, 0.95), (0xA1, 0xA3, 0.7), (0xCA, 0xFD, 0.3)], 0xA1)),
    ("euc_jp", "EUC-JP", _by_lead([(0xA4, 0xA5, 1.0), (0xA1, 0xA3, 0.7), (0xB0, 0xCF, 0.8), (0xD0, 0xF4, 0.25)], 0xA1)),
    ("gb18030", "GB18030", _by_lead(
        [(0xB0, 0xD7, 0.9), (0xA1, 0xA3, 0.7), (0xA4, 0xA5, 0.2), (0xD8, 0xF7, 0.35)], 0xA1)),
    ("cp950", "Big5", _by_lead([(0xA4, 0xC6, 0.88), (0xA1, 0xA3, 0.7), (0xC9, 0xF9, 0.25)])),
    ("cp1252", "", lambda sign: 0.0),
    ("cp1251", "Windows-1251", lambda sign: 0.0),
)  # fmt: skip
"""The codecs that are tried, their names, and how likely one of their characters is: the first bytes of kana, of the
frequent half of the Chinese characters in each standard, and of Hangul are the likely ones."""

"""The encodings of files: those that they name, in any spelling, and those that they do not."""

import codecs

import pytest
from file_matches import moves_of

from athenan.files.encoding import decoded
from athenan.files.formats import matches_in

TEXTS = {
    "cp932": ["第46期棋聖戦", "井山裕太", "コミ6目半、白番中押し勝ち", "あソ", "表", "申眞ソ"],
    "euc_jp": ["第46期棋聖戦、コミ6目半、白番中押し勝ち"],
    "iso2022_jp": ["コミ6目半、白番中押し勝ち"],
    "cp949": ["제46기 명인전", "이세돌", "흑 불계승"],
    "gb18030": ["第25届三星杯", "聂卫平", "黑棋不好,这里应该飞。"],
    "cp950": ["第25屆三星盃", "周俊勳", "功蓋許", "黑中盤勝"],
    "cp1251": ["Илья Шикшин", "Чёрные победили"],
    "iso-8859-1": ["Müller", "José Ñandú", "à l'été, ça va?", "Größe"],
    "utf-8": ["申真谞 井山裕太 테스트 комментарий Müller"],
}
SPELLINGS = {
    "cp932": ["Shift_JIS", "SHIFT_JIS", "shift-jis", "x-sjis", "SJIS", "cp932", "Windows-31J", "MS_Kanji"],
    "euc_jp": ["EUC-JP", "eucJP", "x-euc-jp"],
    "cp949": ["EUC-KR", "euckr", "ks_c_5601-1987", "cp949", "UHC"],
    "gb18030": ["GB18030", "gb2312", "GB_2312-80", "GBK", "cp936", "x-gbk", "EUC-CN"],
    "cp950": ["Big5", "BIG5", "big-5", "cp950", "x-x-big5"],
    "cp1251": ["windows-1251", "cp1251", "CP-1251"],
    "iso-8859-1": ["ISO-8859-1", "ISO8859-1", "latin1", "windows-1252"],
    "utf-8": ["UTF-8", "UTF8", "utf-8", "Utf8"],
}


@pytest.mark.parametrize(("codec", "name"), [(codec, name) for codec, names in SPELLINGS.items() for name in names])
def test_a_named_encoding_is_read_in_any_spelling(codec: str, name: str) -> None:
    text = f"(;GM[1]CA[{name}]C[{TEXTS[codec][0]}];B[ee])"
    assert decoded(text.encode(codec)) == (text, "")


@pytest.mark.parametrize(("codec", "text"), [(codec, text) for codec, texts in TEXTS.items() for text in texts])
@pytest.mark.parametrize("name", ["", "CA[]", "CA[unknown]"])
def test_an_encoding_that_is_not_named_is_guessed(codec: str, text: str, name: str) -> None:
    whole = f"(;GM[1]SZ[9]{name};B[ee]C[{text}];W[dd];B[cc];W[gg])"
    found, notice = decoded(whole.encode(codec))
    assert found == whole
    assert (not notice) == (codec in ("utf-8", "iso-8859-1"))


@pytest.mark.parametrize("codec", TEXTS)
def test_no_move_is_lost_to_a_second_byte(codec: str) -> None:
    """In Shift JIS, Big5 and GBK it can be a backslash or a bracket."""
    for text in TEXTS[codec]:
        data = f"(;GM[1]SZ[9];B[ee]C[{text}];W[dd];B[cc]C[{text}];W[gg])".encode(codec)
        [match] = matches_in(data, ".sgf")
        assert (moves_of(match), match.plies[0].comment) == ("e5 d6 c7 g3", text)


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_is_known_by_its_mark_or_its_zeros(codec: str) -> None:
    text = "(;GM[1]SZ[9]PB[柯洁];B[ee])"
    assert decoded(text.encode(codec)) == (text, "")
    assert decoded(codecs.BOM_UTF16_BE + text.encode("utf-16-be")) == (text, "")


def test_damaged_characters_lose_no_move() -> None:
    whole = "(;GM[1]SZ[9]CA[Shift_JIS]PB[井山裕太]PW[一力遼];B[ee]C[?];W[dd])".encode("cp932")
    found, notice = decoded(whole.replace(b"?", b"\x83"))
    assert notice == "half a character before a ] was left out"
    assert found.endswith(";B[ee]C[�];W[dd])")
    found, notice = decoded(whole.replace(b"?", b"\x85\x01"))
    assert "some of its bytes are not 'Shift_JIS'" in notice
    assert ";W[dd])" in found
    assert "utf-8" in decoded(b"(;CA[utf-8]C[\x83\x5c])")[1]


@pytest.mark.parametrize("data", [b"\xff\xfe(\x00;", b"\0\0\0\0\0", b"a\0b\0\0\0\0\0", b"(;C[\0])"])
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    if data == b"\xff\xfe(\x00;":
        data += b"\x00\x00"  # half a character
    with pytest.raises(ValueError, match="it is not a text file"):
        decoded(data)

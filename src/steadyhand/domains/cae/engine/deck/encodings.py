"""Decides in which encoding a deck was saved; it must not guess where nothing speaks for one: that is refused."""

import codecs

from steadyhand.domains.cae.engine.errors import EngineRefusal

UTF8, UTF16, GB18030, CP1252 = "utf8", "utf16", "gb18030", "cp1252"
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ZEROS = 0.4
_FREQUENT = 0.8
_SIGNS = frozenset("°±²³µ·×÷§€–—‘’“”…\u00a0")
_HAN = frozenset(
    "的一是不了在人有我他这个中大来上国到时为以地出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经部件板甲梁钢材料"
    "模型节点单元网格载荷边界条析结构厚度船舱底侧壁肋骨加强筋力压重量固约束应变位移集合名称判断计算明文第号版图长宽高截弹性密比况步静态频率"
)
_HANGUL = frozenset(
    "이다는의에을를가은고하지로서사기리도인자시어나라대해아한그수일있것들정스보과장원제부전조주공성상재판구모델석력강중점선면형요소절두께"
    "응설계입니습합격량길폭높압연결추가변경없음"
)
"""What stands often in either language: bytes that are letters of both are read as the one whose frequent letters they are."""


def as_utf8(data: bytes, shown: str) -> tuple[bytes, str]:
    """Return *data* as UTF-8 and in which encoding it was. Raises `EngineRefusal` ``deck_not_text``, ``deck_encoding``."""
    data = data.removeprefix(codecs.BOM_UTF8)
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _decoded(data, name, shown), UTF16
    if b"\0" in data:
        return _decoded(data, _without_mark(data, shown), shown), UTF16
    if data.isascii():
        return data, UTF8
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _of_one_byte_or_two(data, shown)
    return data, UTF8


def _without_mark(data: bytes, shown: str) -> str:
    """Return which UTF-16 it is whose letters are mostly of one byte, and a zero."""
    for first, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros, others = data[first::2].count(0), data[1 - first :: 2].count(0)
        if not others and zeros > _ZEROS * (len(data) / 2):
            return name
    raise EngineRefusal("deck_not_text", file=shown)


def _decoded(data: bytes, name: str, shown: str) -> bytes:
    try:
        found = data.decode(name)
    except UnicodeDecodeError:
        raise EngineRefusal("deck_not_text", file=shown) from None
    if "\0" in found:
        raise EngineRefusal("deck_not_text", file=shown)
    return found.encode("utf-8")


def _of_one_byte_or_two(data: bytes, shown: str) -> tuple[bytes, str]:
    """Chinese where nearly all that is not ASCII are common Chinese characters or signs; Western where all are letters or signs."""
    chinese = _strictly(data, "gb18030")
    if chinese is not None:
        beyond = [letter for letter in chinese if not letter.isascii()]
        if sum(map(_is_frequent, beyond)) >= _FREQUENT * len(beyond):
            if _may_be_korean(data, beyond):
                raise EngineRefusal("deck_encoding", file=shown)
            return chinese.encode("utf-8"), GB18030
    western = _strictly(data, "cp1252")
    if western is None or not all(letter.isascii() or letter.isalpha() or letter in _SIGNS for letter in western):
        raise EngineRefusal("deck_encoding", file=shown)
    return western.encode("utf-8"), CP1252


def _may_be_korean(data: bytes, chinese: list[str]) -> bool:
    """Tell whether bytes that read as Chinese read as Korean (EUC-KR) no worse: its letters lie where common Chinese ones do."""
    korean = _strictly(data, "euc-kr")
    letters = [letter for letter in korean or "" if not letter.isascii()]
    if not letters or not all("가" <= letter <= "힣" or not letter.isalpha() for letter in letters):
        return False
    return sum(letter in _HANGUL for letter in letters) >= sum(letter in _HAN for letter in chinese)


def _strictly(data: bytes, name: str) -> str | None:
    try:
        return data.decode(name)
    except UnicodeDecodeError:
        return None


def _is_frequent(letter: str) -> bool:
    """Whether a character is a sign or one of the 3,755 of the first level of GB 2312."""
    try:
        code = letter.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return 0xA1 <= code[0] <= 0xA9 or 0xB0 <= code[0] <= 0xD7

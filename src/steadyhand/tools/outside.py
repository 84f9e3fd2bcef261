"""Decides how text from outside is put before a model: cleaned of what nobody sees, bounded, between marks that it cannot forge.

It must not judge what the text says.
"""

import re
import unicodedata

from steadyhand.core.language import Language, say

_OPEN, _CLOSE = "[[[", "]]]"
_BRACKETS = re.compile(r"[\[\uff3b\u27e6\u301a](?=[\[\uff3b\u27e6\u301a]{2})|[\]\uff3d\u27e7\u301b](?=[\]\uff3d\u27e7\u301b]{2})")
"""Three of these in a row, those that only look like brackets among them, would look like a mark of ours."""
_HIDDEN = {
    *range(0x202A, 0x202F),  # directions that are forced upon what follows
    *range(0x2066, 0x206A),
    *range(0x2060, 0x2065),
    0x00AD,
    0x061C,
    0x180E,
    0x200B,
    0x200E,
    0x200F,
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
    *range(0xE0000, 0xE0200),  # tags and further variation selectors: letters that no screen shows
}
_TABLE = {**dict.fromkeys(_HIDDEN), 0x2028: "\n", 0x2029: "\n", 0x85: "\n"}


def cleaned(text: str) -> str:
    """Return *text* without marks that act on a screen or are not seen on it; line breaks and tabs stay."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n").translate(_TABLE)
    return "".join(mark if mark in "\n\t" or unicodedata.category(mark) not in {"Cc", "Cs"} else "\ufffd" for mark in unified)


def one_line(text: str, most: int) -> str:
    """Return *text* cleaned, on one line, of at most *most* characters."""
    line = " ".join(cleaned(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def fenced(language: Language, text: str, source: str) -> str:
    """Return *text* between two marks that say where it is from and that it is data, not instructions."""
    inner = _BRACKETS.sub(lambda found: f"{found[0]} ", text)
    head = say(language, "outside.begins", source=_BRACKETS.sub(lambda found: f"{found[0]} ", one_line(source, 200)))
    return f"{_OPEN} {head} {_CLOSE}\n{inner}\n{_OPEN} {say(language, 'outside.ends')} {_CLOSE}"

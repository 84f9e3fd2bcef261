"""Decides which words of a model may be put before a person as they are; it must not change them."""

import unicodedata

from steadyhand.core.errors import ToolRefusal

_JOINERS = frozenset("\u200c\u200d")
"""Two marks without a shape that scripts and emoji need."""
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def require_speakable(argument: str, text: str, *, lines: bool = True) -> None:
    """Refuse *text* with marks that steer a display or do not show, and text of which nothing shows; name the argument."""
    allowed = _JOINERS | (frozenset("\n\t") if lines else frozenset[str]())
    if any(mark not in allowed and unicodedata.category(mark) in _HIDDEN for mark in text):
        raise ToolRefusal("speech_hidden_marks", argument=argument)
    if not any(unicodedata.category(mark)[0] in "LNPS" for mark in text):
        raise ToolRefusal("speech_empty", argument=argument)


def same_to_the_eye(text: str) -> str:
    """Return a form in which two labels are equal that a person could take for each other: width, case and spaces apart."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())

"""Decides how a message is meant before any phrase is sought: its language, negation, supposition, question or request. It must not act.

Negation and supposition are read on the whole message, outside quotes; politeness and filler words stand in closed lists.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from steadyhand.core.language import Language
from steadyhand.llm.rules import words_en, words_zh
from steadyhand.llm.rules.pattern import lowered

MAX_SIGNS = 300
"""A longer message is no command of this kind."""
MAX_CLAUSES = 5
MAX_STRIPPED = 6

PAIRS = {"“": "”", "‘": "’", "「": "」", "『": "』", '"': '"', "《": "》"}
QUOTED = re.compile(
    "|".join(f"{re.escape(left)}[^{re.escape(left + right)}]*{re.escape(right)}" for left, right in PAIRS.items())
)
WIDE = {mark: mark - 0xFEE0 for mark in range(0xFF01, 0xFF5F)} | {0x3000: ord(" ")}
APOSTROPHE = re.compile(r"(?<=\w)’(?=\w)")
LATIN = re.compile(r"[a-zA-Z]{2}")
END = " \t.。!…~"


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that is said: its forms from whole to barest, and whether it is a question or a request in polite form.

    *ends_asking* says that its end makes it a question, whatever stands inside.
    """

    forms: tuple[str, ...]
    asks: bool
    polite: bool
    ends_asking: bool

    @property
    def whole(self) -> str:
        """The clause as it stood."""
        return self.forms[0]


@dataclass(frozen=True, slots=True)
class Said:
    """A message: *negated* and *supposed* hold the word that makes it so, or nothing."""

    text: str
    language: Language
    negated: str
    supposed: str

    @property
    def clause(self) -> Clause:
        """The message as one clause."""
        return _clause(self.text, self.language)

    def outside(self, clause: Clause) -> "Said":
        """Return the message without a clause."""
        return said(self.text.replace(clause.whole, " ", 1), self.language, self.language)

    def split(self, *, weakly: bool) -> tuple[Clause, ...]:
        """Part the message where clauses follow one another; *weakly* also where a comma or an ``and`` stands."""
        words = _words(self.language)
        separators = f"{words.STRONG}|{words.WEAK}" if weakly else words.STRONG
        return tuple(_clause(part, self.language) for part in _parts(self.text, separators))


def said(text: str, usual: Language, read_as: Language | None = None) -> Said:
    """Read a message, by the words of the language that it is *read_as*: its own where none is named.

    What negates or supposes counts in either language.
    """
    plain = cleaned(text)
    language = read_as or language_of(plain, usual)
    open_text = lowered(QUOTED.sub(" … ", plain))
    patterns = (words_zh.NEGATION, words_en.NEGATION, words_zh.TAKEN_BACK, words_en.TAKEN_BACK)
    negated = next((word for word in (_first(pattern, open_text) for pattern in patterns) if word), "")
    supposed = _first(words_zh.SUPPOSITION, open_text) or _first(words_en.SUPPOSITION, open_text)
    return Said(plain, language, negated, supposed)


def without(clause: Clause, message: Said) -> Clause:
    """Return *clause* as it would be said without the word that negates it."""
    low = lowered(clause.whole)
    place = low.find(message.negated)
    if place < 0:
        return clause
    return _clause(clause.whole[:place] + clause.whole[place + len(message.negated) :], message.language)


def cleaned(text: str) -> str:
    """Return *text* with the wide forms of a Chinese keyboard folded, without invisible signs, its spaces single but for line ends.

    No other form is folded: a look-alike is not the word that was typed.
    """
    folded = APOSTROPHE.sub("'", text).translate(WIDE)
    seen = "".join(sign for sign in folded if sign == "\n" or unicodedata.category(sign) not in ("Cc", "Cf", "Co", "Cs"))
    lines = [" ".join(line.split()) for line in seen.split("\n")]
    return "\n".join(line for line in lines if line)


def language_of(text: str, usual: Language) -> Language:
    """Tell the language by the script: any Chinese character makes it Chinese, else a word of Latin letters English."""
    if any("\u4e00" <= sign <= "\u9fff" for sign in text):
        return "zh-CN"
    return "en" if LATIN.search(text) else usual


def unquoted(words: str) -> str:
    """Return *words* without the quotes that stand around all of them."""
    plain = words.strip()
    while len(plain) > 2 and PAIRS.get(plain[0]) == plain[-1] and not set(plain[1:-1]) & {plain[0], plain[-1]}:
        plain = plain[1:-1].strip()
    return plain


def is_quoted(text: str, words: str) -> bool:
    """Tell whether *words* stand in *text* as a quotation."""
    plain = words.translate(WIDE)
    return any(unquoted(found[0]).translate(WIDE) == plain for found in QUOTED.finditer(text))


def has_quotes(words: str) -> bool:
    """Tell whether a quotation mark stands in *words*."""
    return any(mark in words for pair in PAIRS.items() for mark in pair if mark not in "《》")


def _words(language: Language) -> ModuleType:
    return words_zh if language == "zh-CN" else words_en


def _first(pattern: str, text: str) -> str:
    found = _compiled(pattern).search(text)
    return found.group().strip() or "不" if found else ""


@cache
def _compiled(pattern: str) -> "re.Pattern[str]":
    return re.compile(pattern)


def _parts(text: str, separators: str) -> list[str]:
    """Split *text* at the separators that stand outside quotes."""
    held = [match.span() for match in QUOTED.finditer(text)]
    parts: list[str] = []
    begin = 0
    for match in _compiled(separators).finditer(lowered(text)):
        if any(start < match.end() and match.start() < end for start, end in held):
            continue
        parts.append(text[begin : match.start()])
        begin = match.end()
    parts.append(text[begin:])
    return [part for part in (part.strip(END + ",") for part in parts) if part]


def _clause(text: str, language: Language) -> Clause:
    words = _words(language)
    bare = text.strip(END + ",")
    marked = bare.endswith("?")
    bare = bare.rstrip("?" + END)
    open_text = lowered(QUOTED.sub(" … ", bare))
    forms, polite, asks = [bare], False, marked
    for _ in range(MAX_STRIPPED):
        shorter, kind = _stripped(forms[-1], words, language)
        if shorter == forms[-1] or not shorter:
            break
        polite, asks = polite or kind == "polite", asks or kind == "asking"
        forms.append(shorter)
    ends_asking = asks
    if not polite:
        asks = asks or _compiled(words.ASKING).search(open_text) is not None
    return Clause(tuple(forms), asks, polite, ends_asking)


def _stripped(text: str, words: ModuleType, language: Language) -> tuple[str, str]:
    """Take one opener or closer off; say whether it was a form of politeness or of asking."""
    low = lowered(text)
    gap = r"(?:\s*,\s*|\s+)" if language == "en" else r"\s*,?\s*"
    before = gap if language == "en" else r"\s*[,，]?\s*"
    for kind, pattern in (("polite", words.POLITE_OPENERS), ("", words.OPENERS)):
        found = _compiled(rf"(?:{pattern}){gap}(?=\S)").match(low)
        if found and found.end():
            return text[found.end() :], kind
    for kind, pattern in (("polite", words.POLITE_CLOSERS), ("asking", words.ASKING_CLOSERS), ("", words.CLOSERS)):
        found = _compiled(rf"(?<=\S){before}(?:{pattern})$").search(low)
        if found:
            return text[: found.start()].rstrip(END + ","), kind
    return text, ""

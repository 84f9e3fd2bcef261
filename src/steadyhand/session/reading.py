"""Decides whether a message, word for word, is a decision: a command, a bare yes, a bare no, or neither. It must not know what is open.

Negation and questions are read before assent, and assent is a closed list that must cover the whole message.
"""

import re
import string
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

from steadyhand.core.ids import parse_change_name
from steadyhand.session import decision_words_en as en
from steadyhand.session import decision_words_zh as zh

Bare: TypeAlias = Literal["yes", "no"]
Verb: TypeAlias = Literal["approve", "confirm", "deny", "stop", "recheck"]

VERBS: dict[str, Verb] = {
    "/approve": "approve",
    "/confirm": "confirm",
    "/deny": "deny",
    "/stop": "stop",
    "/recheck": "recheck",
}
REASONED: tuple[Verb, ...] = ("deny", "stop")
"""After these a person may say why."""

MAX_BARE = 60
PAUSES = re.compile(r"[,.!;、。~\n]+")
HESITATION = re.compile(r"\.\.|。。|~~|[?¿‽]")

WIDE = {mark: mark - 0xFEE0 for mark in range(0xFF01, 0xFF5F)} | {0x3000: ord(" ")}
"""The full-width forms that a Chinese keyboard writes. No other form is folded: a look-alike is not the word that was typed."""
LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

YES = zh.YES | en.YES
NO = zh.NO | en.NO
FILLER = zh.FILLER | en.FILLER


@dataclass(frozen=True, slots=True)
class Command:
    """A decision in the form of a command; *number* and *digest* are None where the person left them out."""

    verb: Verb
    number: int | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A command whose rest cannot be read; nothing is guessed."""

    verb: Verb


def command(text: str) -> Command | Unreadable | None:
    """Read a command at the beginning of a message; None when it is not one of ours."""
    words = text.translate(WIDE).split()
    verb = VERBS.get(words[0].translate(LOWER)) if words else None
    if verb is None:
        return None
    if len(words) == 1:
        return Command(verb)
    number = parse_change_name(words[1])
    if number is None:
        return Unreadable(verb)
    if verb in REASONED:
        return Command(verb, number)
    if len(words) > (2 if verb == "recheck" else 3) or not "".join(words).isascii():
        return Unreadable(verb)
    return Command(verb, number, words[2] if len(words) > 2 else None)


def says_continue(text: str) -> bool:
    """Tell whether a message, word for word, asks to go on with what was left."""
    return text.translate(WIDE).translate(LOWER).strip(" .!。~") in zh.GO_ON | en.GO_ON


def says_stop(text: str) -> bool:
    """Tell whether a message asks to stop what runs, naming no change."""
    return command(text) == Command("stop")


def bare(text: str) -> Bare | None:
    """Read a message that is a yes or a no and nothing else; None is conversation."""
    plain = text.translate(WIDE).replace("’", "'").translate(LOWER).strip()
    if not plain or len(plain) > MAX_BARE or HESITATION.search(plain):
        return None
    parts = [" ".join(part.split()) for part in PAUSES.split(plain) if part.strip()]
    if _is_made_of(parts, NO):
        return "no"
    if _negates_or_asks(plain):
        return None
    return "yes" if _is_made_of(parts, YES) else None


def _is_made_of(parts: Collection[str], phrases: Collection[str]) -> bool:
    """Tell whether every part is covered by *phrases* and fillers, with one of the phrases at least."""
    covers = [_cover(part.split(" "), phrases) for part in parts]
    return bool(covers) and None not in covers and any(covers)


def _cover(words: list[str], phrases: Collection[str]) -> bool | None:
    """Cover *words* by phrases and fillers; tell whether a phrase was among them, None when they cannot be covered."""
    if not words:
        return False
    for end in range(len(words), 0, -1):
        head = " ".join(words[:end])
        if head in phrases or head in FILLER:
            rest = _cover(words[end:], phrases)
            if rest is not None:
                return rest or head in phrases
    return None


def _negates_or_asks(plain: str) -> bool:
    words = re.findall(r"[a-z']+", plain)
    if any(word in en.NEGATIONS or word in en.QUESTIONS or word.endswith("n't") for word in words):
        return True
    for phrase in zh.EXCEPT:
        plain = plain.replace(phrase, "")
    return any(mark in plain for mark in (*zh.NEGATIONS, *zh.QUESTIONS))

"""Decides whether a message, word for word, answers a review: a command, a yes, a no, a "not now", or neither. It must not know what is open.

Negation and questions are read before assent, and assent is a closed list that must cover the whole message. This is the one
reader of such words: every door hands it what was typed, said or sent.
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
Meant: TypeAlias = Literal["yes", "no", "not_now"]
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

NAMED = re.compile(r"(?:变更 ?|\bchange )?(?<![a-z0-9])c-([0-9]{1,9})(?![a-z0-9-])")
"""A change that is named within an answer; the answer is read without it."""
SHADES = {0xFE0F: None} | dict.fromkeys(range(0x1F3FB, 0x1F400))
"""What tells how a picture is drawn, and says nothing."""

YES = zh.YES | en.YES
NO = zh.NO | en.NO
NOT_NOW = zh.NOT_NOW | en.NOT_NOW
FILLER = zh.FILLER | en.FILLER


@dataclass(frozen=True, slots=True)
class Command:
    """A decision in the form of a command; *number* and *digest* are None where the person left them out."""

    verb: Verb
    number: int | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a review in words; *number* is the change that it names, None where it names none."""

    meant: Meant
    number: int | None = None


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


def is_talk(text: str) -> bool:
    """Tell whether a message is for a turn alone: it decides and commands nothing, and speaks of no change that waits."""
    if text.strip().startswith(("/", "／")) or command(text) is not None or answer(text) is not None:
        return False
    return not (says_continue(text) or says_undo(text)) and names_review(text) is None


def says_undo(text: str) -> bool:
    """Tell whether a message, word for word, asks to take back what came last, without saying what that is."""
    return _plain(text).strip(" .!。~") in zh.TAKE_BACK | en.TAKE_BACK


def names_review(text: str) -> int | None:
    """Return the change whose review a message, word for word, asks to be shown again."""
    plain = _plain(text).strip(" .!。~")
    named = NAMED.findall(plain)
    rest = " ".join(NAMED.sub(" ", plain, count=1).split())
    return int(named[0]) if len(named) == 1 and rest in zh.REVIEW | en.REVIEW else None


def answer(text: str) -> Answer | None:
    """Read a message that answers a review and does nothing else; None is conversation."""
    plain = _plain(text)
    if not plain or len(plain) > MAX_BARE or HESITATION.search(plain):
        return None
    named = NAMED.findall(plain)
    if len(named) > 1:
        return None
    plain = NAMED.sub(" ", plain)
    meant = _meant([" ".join(part.split()) for part in PAUSES.split(plain) if part.strip()], plain)
    return None if meant is None else Answer(meant, int(named[0]) if named else None)


def bare(text: str) -> Bare | None:
    """Read a message that is a yes or a no and nothing else; None is conversation."""
    match answer(text):
        case Answer(meant="yes" | "no" as meant, number=None):
            return meant
        case _:
            return None


def _plain(text: str) -> str:
    return text.translate(WIDE).translate(SHADES).replace("’", "'").translate(LOWER).strip()


def _meant(parts: Collection[str], plain: str) -> Meant | None:
    if _is_made_of(parts, NO):
        return "no"
    if _is_made_of(parts, NOT_NOW):
        return "not_now"
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

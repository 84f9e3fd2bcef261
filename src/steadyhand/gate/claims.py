"""Decides whether words claim an effect, and which of their lines speak as the record does. It must not judge whether they are true.

Words are read as a person's eye reads them: wide, bold or spaced letters, look-alikes and marks that nobody sees make no difference.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from steadyhand.core.language import LANGUAGES, catalogue
from steadyhand.gate import claim_words_en as en
from steadyhand.gate import claim_words_zh as zh

_LOOKS_LIKE = str.maketrans("аеорсухіјѕԁһոαορνικτ‐‑‒–—−－’‘ʼ", "aeopcyxijsdhnaopvikt-------'''")
_UNSEEN = ("Cf", "Mn", "Me", "Cc")
_MARKUP = re.compile(r"[*_`~|<>#]+")
_SPACED = re.compile(r"(?<![a-z0-9])(?:[a-z] ){2,30}[a-z](?![a-z0-9])")
_FIGURES = (("0", "o"), ("1", "l"), ("3", "e"), ("5", "s"))
_HAN_GAP = re.compile(r"(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])")
_QUOTED = re.compile(r"[“「『《][^”」』》\n]{0,80}[”」』》]|\"[^\"\n]{0,80}\"")
_SENTENCE = re.compile(r"[^.!?;…\n。！？；]*[.!?;…。！？；\n]?")
_CLAUSE = re.compile(r"[,:，：、()（）—]|\s-+\s|\s(?:and then|but|so)\s")
_TICK = re.compile(r"[✅✔☑✓√]")
MOST_BESIDE_A_TICK = 12


@dataclass(frozen=True, slots=True)
class Assertion:
    """*words* that only the answer of a tool among *looks* supports; where there was none, the message *note* stands below them."""

    words: re.Pattern[str]
    looks: frozenset[str]
    note: str


LONGEST_HEAD = 120
"""So much of a line is looked at for what it begins with."""

_CLAIMS = {"en": [re.compile(one) for one in en.CLAIMS], "zh": [re.compile(one) for one in zh.CLAIMS]}
_UNREAL = {"en": re.compile(en.UNREAL), "zh": re.compile(zh.UNREAL)}
_NO_EFFECT = {"en": re.compile(en.NO_EFFECT), "zh": re.compile(zh.NO_EFFECT)}

_SUPPOSES = re.compile(f"{en.SUPPOSES}|{zh.SUPPOSES}")

_HEAD = re.compile(
    r"^[\s\-•·+>()\[\]{}【】\"'“”「」=]{0,40}(?:\d{1,2}[.)] )?[\s\"'“”\[【(]{0,10}(?:(?:the )?(?:change|status|state|变更|状态)[\s:]*)?c ?- ?([0-9]{1,9})(?![0-9])"
)
_NAMED = re.compile(r"(?<![a-z0-9])c ?- ?([0-9]{1,9})[\s\])】）\"'”]*(?::|-+ |\s)\s*")


def as_read(text: str) -> str:
    """Return *text* in the letters that a person takes it for, small, without what decorates it; its lines stay."""
    plain = unicodedata.normalize("NFKC", text)
    plain = "".join(
        mark for mark in unicodedata.normalize("NFD", plain) if mark == "\n" or unicodedata.category(mark) not in _UNSEEN
    )
    plain = _MARKUP.sub("", unicodedata.normalize("NFC", plain).lower().translate(_LOOKS_LIKE))
    plain = _SPACED.sub(lambda found: found[0].replace(" ", ""), plain)
    for figure, letter in _FIGURES:
        plain = re.sub(rf"(?<=[a-z]){figure}(?=[a-z])", letter, plain)
    return _HAN_GAP.sub("", plain)


def claims_done(text: str) -> bool:
    """Tell whether *text* says, in either language, that something was done; what it quotes it does not say."""
    plain = as_read(text)
    if any(_TICK.search(line) and len(_TICK.sub("", line).strip()) <= MOST_BESIDE_A_TICK for line in text.splitlines()):
        return True
    for sentence in _SENTENCE.findall(_QUOTED.sub("“”", plain)):
        if sentence.rstrip().endswith("?") or sentence.rstrip(" 。.!\n").endswith(("吗", "么", "呢", "没有", "没")):
            continue
        for clause in _CLAUSE.split(sentence):
            if _SUPPOSES.search(clause.strip()):
                break  # what follows is supposed with it
            if _claims(clause.strip(" .!;…\n。！；")):
                return True
    return False


def _claims(clause: str) -> bool:
    if not clause:
        return False
    language = "zh" if re.search(r"[\u3400-\u9fff]", clause) else "en"
    if _NO_EFFECT[language].search(clause):
        return False
    both = ("zh", "en") if language == "zh" else ("en",)
    return any(_stands(found, clause, one) for one in both for form in _CLAIMS[one] for found in form.finditer(clause))


def _stands(found: re.Match[str], clause: str, language: str) -> bool:
    """Tell whether nothing before a claim takes it back; what it begins with itself is part of it."""
    return _UNREAL[language].search(clause[: found.start()]) is None and _UNREAL[language].match(found[0]) is None


def state_line(line: str) -> int | None:
    """Return the change of whose state *line* speaks in the form of the record, ``C-42: …``; None where it is another line."""
    plain = as_read(line)
    head = _HEAD.match(plain[:LONGEST_HEAD])
    if head is not None and (
        re.match(r"[\s\])】）\"'”]*:", plain[head.end() : head.end() + LONGEST_HEAD]) or _is_form(plain, head.end())
    ):
        return int(head[1])
    named = next((found for found in _NAMED.finditer(plain) if _is_form(plain, found.end())), None)
    return None if named is None else int(named[1])


def same_line(line: str, record: str) -> bool:
    """Tell whether *line* says the very same as the record's line."""
    return re.sub(r"[\s.。]+", " ", as_read(line)).strip(" -•·") == re.sub(r"[\s.。]+", " ", as_read(record)).strip()


def _is_form(plain: str, start: int) -> bool:
    """Tell whether *plain* goes on from *start* as one of the record's lines goes on behind the name of its change."""
    rest = re.sub(r"^[\s:\])】）\"'”-]*(?:is |was |has been |已经)?", "", plain[start : start + LONGEST_HEAD])
    return any(rest.startswith(form) for form in _forms())


@cache
def _forms() -> tuple[str, ...]:
    """Return how the record's lines begin behind the name, in both languages, as far as they are always the same."""
    found: set[str] = set()
    for language in LANGUAGES:
        for message, template in catalogue(language).items():
            if re.fullmatch(r"[a-z]+\.line\.[a-z_]+", message) and template.startswith("{name}"):
                fixed = as_read(re.split(r"[{(（,，;；]", template.removeprefix("{name}").lstrip(":： "))[0]).strip()
                found |= {fixed} if len(fixed) > 1 else set()
    return tuple(sorted(found))

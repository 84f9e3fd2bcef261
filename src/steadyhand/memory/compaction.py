"""Decides, by rule and without a model, what is left out of texts that are too long for a turn. It must not add or reorder a word.

Pieces are whole lines or sentences, so that no number, id or name of a change is cut in half. The newest turn and all that a
person said stay whole; calls and their results stay together or go together; every cut is marked.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from steadyhand.core.language import Language, say
from steadyhand.memory.short_term import Step, calls_of, steps
from steadyhand.store.sessions.conversations import Said

LEAST_PIECES, LEAST_SHARE = 3, 0.3
SHORT_LINE = 120
"""A line up to here is one piece: what stands beside a number in it is about that number."""

_SENTENCE_END = re.compile(r"""[。！？；][”’」』）)"'。！？]*\s*|(?<=[^\W\d_]|[)\]"'”’])[.!?;][)\]"'”’]*[ \t]+(?![\s\d])""")
_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")


def compact(entries: Sequence[Said], budget_chars: int, query: str, language: Language) -> list[Said]:
    """Return *entries* shortened until they fit *budget_chars*, as far as the rules allow: the same in, the same out.

    First the results of tools are cut, then the assistant's texts, the oldest first, none further than is needed or below 3
    pieces and 30 % of it; what shares most words with *query* stays. Where that is not enough, earlier steps are left out whole.
    """
    found = steps(entries)
    newest = found[-1][0].turn_id if found else ""
    old = [index for index, step in enumerate(found[:-1]) if not newest or step[0].turn_id != newest]
    mark, wanted = say(language, "memory.cut"), words(query)
    over = length(entry for step in found for entry in step) - budget_chars
    for role in ("tool", "assistant"):
        for index in old:
            for place, entry in enumerate(found[index]):
                if over > 0 and entry.role == role:
                    found[index][place] = replace(entry, content=cut(entry.content, len(entry.content) - over, wanted, mark))
                    over -= len(entry.content) - len(found[index][place].content)
    return _without(found, old, over, language)


def length(entries: Iterable[Said]) -> int:
    """Return how many characters a provider reads of *entries*."""
    return sum(len(entry.content) + sum(len(call.name) + len(call.arguments) for call in calls_of(entry)) for entry in entries)


def cut(text: str, room: int, wanted: frozenset[str], mark: str) -> str:
    """Return *text* with the pieces that share most with *wanted*, in their order, and *mark* for the others: at most *room* long, if it may."""
    parts = pieces(text)
    if len(parts) <= LEAST_PIECES:
        return text
    chosen = [False] * len(parts)
    taken, kept, gaps = 0, 0, 1
    for index in sorted(range(len(parts)), key=lambda one: (-len(words(parts[one]) & wanted), one)):
        alone = (index > 0 and not chosen[index - 1]) + (index + 1 < len(parts) and not chosen[index + 1])
        size = kept + len(parts[index]) + (gaps + alone - 1) * (len(mark) + 1)
        if size > room and taken >= LEAST_PIECES and kept >= LEAST_SHARE * len(text):
            continue
        chosen[index] = True
        taken, kept, gaps = taken + 1, kept + len(parts[index]), gaps + alone - 1
    told = ""
    for stays, run in groupby(zip(chosen, parts, strict=True), key=lambda pair: pair[0]):
        joined = "".join(part for _, part in run)
        told += joined if stays else mark + ("\n" if joined.endswith("\n") else " ")
    told = told if chosen[-1] else told.rstrip(" ")
    return told if len(told) < len(text) else text


def pieces(text: str) -> list[str]:
    """Return the lines of *text*, long ones as their sentences; joined they are *text* again."""
    found: list[str] = []
    for line in text.splitlines(keepends=True):
        begin = 0
        for end in _SENTENCE_END.finditer(line) if len(line) > SHORT_LINE else ():
            found.append(line[begin : end.end()])
            begin = end.end()
        if line[begin:]:
            found.append(line[begin:])
    return found


def words(text: str) -> frozenset[str]:
    """Return the words of *text* for comparison: of Chinese every two characters that stand together."""
    found: set[str] = set()
    for run in _WORD.findall(text.casefold()):
        pairs = {run[index : index + 2] for index in range(len(run) - 1)} if run[0] >= "\u3400" else set[str]()
        found |= pairs or {run}
    return frozenset(found)


def _without(found: Sequence[Step], old: Sequence[int], over: int, language: Language) -> list[Said]:
    """Return the entries of *found* without so many of its *old* steps that *over* is made up for; a line stands for what went."""
    note = len(say(language, "memory.left_out", n=1))
    gone: set[int] = set()
    for index in old:
        gain = length(found[index]) - (0 if index - 1 in gone else note)
        if over > 0 and found[index][0].role != "user" and gain > 0:
            gone.add(index)
            over -= gain
    kept: list[Said] = []
    for left, run in groupby(range(len(found)), key=gone.__contains__):
        taken = [found[index] for index in run]
        if left:
            first = taken[0][0]
            told = say(language, "memory.left_out", n=len(taken))
            kept.append(Said(first.id, "assistant", told, "compaction", first.turn_id, seq=first.seq, at=first.at))
        else:
            kept += [entry for step in taken for entry in step]
    return kept

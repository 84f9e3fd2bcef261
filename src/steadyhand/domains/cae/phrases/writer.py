"""Decides what the rules provider writes for a change of a part: a spec and calls from words that read whole, and nothing else. It must not guess."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, say
from steadyhand.domains.cae.calls.table import ModuleName
from steadyhand.domains.cae.choice import KEY
from steadyhand.domains.cae.phrases.drafting import Draft, Misfit
from steadyhand.domains.cae.phrases.matching import Unread
from steadyhand.domains.cae.phrases.sentence import understood
from steadyhand.domains.cae.phrases.specs import misfit_text, spec_of
from steadyhand.domains.cae.phrases.writing import draft_of, strangers
from steadyhand.llm.rules.book import Call

DOMAIN: Final = "cae"
OPENS: Final = "propose_part_change"
_SHOWN: Final = 60


class CaeWriter:
    """Writes changes of parts; see `llm.rules.book.Writer`."""

    @property
    def domain(self) -> str:
        """The domain whose changes it writes."""
        return DOMAIN

    def opens(self, text: str, context: Mapping[str, Json]) -> Call | None:
        """Return the call that opens a change, where all of *text* says what is to be done to a part.

        What may well be said of something else ("check") opens one only where a part is chosen.
        """
        sentence = understood(text)
        if isinstance(sentence, Unread) or (sentence.vague and not context.get(KEY)):
            return None
        return Call(OPENS, {}, acts=True)

    def spec(self, brief: Mapping[str, Any]) -> str | None:
        """Return the spec of what the request asks for; None where some of it is not understood or does not fit."""
        draft = _draft(brief)
        return None if draft is None else spec_of(draft, cast("Language", brief["language"]))

    def calls(self, brief: Mapping[str, Any]) -> Sequence[Call] | None:
        """Return a call for each tool that remains; None where the confirmed spec is not the one that would be written now."""
        draft = _draft(brief)
        if draft is None or str(brief["spec"]).strip() != spec_of(draft, cast("Language", brief["language"])):
            return None
        remaining = cast("Sequence[str]", brief["remaining_tools"])
        return None if set(remaining) - set(draft.calls) else [Call(tool, draft.calls[tool]) for tool in remaining]

    def unread(self, text: str, context: Mapping[str, Json], language: Language) -> str:
        """Say which words keep *text* from being a change of the part that is chosen; nothing where none is."""
        sentence = understood(text)
        return _unread(sentence, language) if context.get(KEY) and isinstance(sentence, Unread) else ""


def _unread(sentence: Unread, language: Language) -> str:
    words = sentence.words if len(sentence.words) <= _SHOWN else f"{sentence.words[: _SHOWN - 1]}…"
    return say(language, "cae.written.unread", words=" ".join(words.split()))


def explain(text: str, language: Language, module: ModuleName, brief: Mapping[str, Any] | None = None) -> str:
    """Say which words are not understood, or which do not fit the module, or, by a *brief*, the part; nothing where all is well."""
    sentence = understood(text)
    if isinstance(sentence, Unread):
        return _unread(sentence, language)
    found = [Misfit("other_module", one.text, modules=modules) for one, modules in strangers(sentence, module)]
    if not found and brief is not None:
        try:
            draft_of(sentence, {**brief, "module": module})
        except Misfit as misfit:
            found.append(misfit)
    return "\n".join(misfit_text(one, language) for one in found)


def _draft(brief: Mapping[str, Any]) -> Draft | None:
    sentence = understood(str(brief["request"]))
    if isinstance(sentence, Unread):
        return None
    try:
        return draft_of(sentence, brief)
    except Misfit:
        return None

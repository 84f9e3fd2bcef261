"""Decides what the rules provider answers to a request: the calls of the plan that the person's words mean, then its text. It holds no state.

It must not guess. What no phrase covers whole, what negates, supposes or merely asks is answered in words, and nothing is done.
"""

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import LANGUAGES, Language, choose
from steadyhand.core.wire import CHANGE, Completion, Delta, Request, ToolCall
from steadyhand.llm.provider import ProviderError, ProviderEvent
from steadyhand.llm.rules.book import Answer, Asked, Call, PhraseBook, ReadyRule, Steps, Writer, finished, ready
from steadyhand.llm.rules.matching import Meant, Unmet, understand
from steadyhand.llm.rules.replay import Played, Told, play, told
from steadyhand.llm.rules.rows import is_row, with_rows
from steadyhand.llm.rules.talk import talk_rules, unmet, unread
from steadyhand.llm.rules.together import Errand, together

KEPT = 64
"""Each round of a turn reads the same message; so many readings are kept, which changes no answer."""


class RulesProvider:
    """A provider without a model: the same request always gives the same answer."""

    def __init__(self, phrases: Sequence[PhraseBook], writers: Sequence[Writer] = ()) -> None:
        self._books = tuple(phrases)
        self._writers = {writer.domain: writer for writer in writers}
        self.rules: Mapping[Language, tuple[ReadyRule, ...]] = {language: self._rules(language) for language in LANGUAGES}
        subjects = dict.fromkeys((book.held, book.unless) for book in self._books if book.held)
        self._held = {subject: self._of_subject(*subject) for subject in subjects}
        self._read = lru_cache(maxsize=KEPT)(self._read_anew)

    def _rules(self, language: Language) -> tuple[ReadyRule, ...]:
        talk = PhraseBook("talk", language, talk_rules(language, self._books))
        return tuple(rule for book in (*self._books, talk) if book.language == language and not book.held for rule in ready(book))

    def _of_subject(self, held: str, unless: str) -> Mapping[Language, tuple[ReadyRule, ...]]:
        mine = [book for book in self._books if (book.held, book.unless) == (held, unless)]
        return {
            language: tuple(rule for book in mine if book.language == language for rule in ready(book)) for language in LANGUAGES
        }

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        """Answer with the next calls of the plan, or with its text."""
        if request.schema is not None:
            raise ProviderError("provider", "the rules provider writes no JSON to a schema")
        if CHANGE in request.context:
            yield self._written(request)
            return
        turn = told(request)
        asked, steps = self._steps(turn, request)
        played = play(steps, turn.rounds)
        missing = [call.name for call in played.wants if call.name not in asked.tools]
        if played.wants and not missing:
            yield _called(played.wants, len(request.messages))
            return
        text = asked.say("rules.absent", tools=", ".join(missing)) if missing else _text(asked, played)
        if turn.broke_in:
            text = f"{asked.say('rules.broke_in')}\n{text}"
        yield Delta(text)
        yield Completion(text)

    def _written(self, request: Request) -> Completion:
        """Answer the brief of a change by the writer of its domain; what that cannot read is no answer, and the change stays."""
        writer = self._writers.get(str(request.context[CHANGE]))
        if writer is None:
            raise ProviderError("unread", "no_writer")
        brief = cast("Mapping[str, Any]", json.loads(request.messages[-1].content))
        if request.tools:
            calls = writer.calls(brief)
            if calls is not None:
                return _called(calls, len(request.messages))
        elif (spec := writer.spec(brief)) is not None:
            return Completion(spec)
        raise ProviderError("unread", "not_understood")

    def understand(self, text: str, usual: Language) -> "tuple[Language, tuple[Meant, ...] | Unmet]":
        """Read a message without answering it."""
        return self._read(text, usual)

    def _read_anew(self, text: str, usual: Language) -> "tuple[Language, tuple[Meant, ...] | Unmet]":
        return understand(text, usual, self.rules)

    def _meant(self, text: str, usual: Language, context: Mapping[str, Json]) -> "tuple[Language, tuple[Meant, ...] | Unmet]":
        """Read a message by the phrases of the session's own subject, else by those of every room."""
        for (held, unless), rules in self._held.items():
            if context.get(held) or (unless and not context.get(unless)):
                language, meant = understand(text, usual, rules)
                if not isinstance(meant, Unmet):
                    return language, meant
        return self.understand(text, usual)

    def _steps(self, turn: Told, request: Request) -> tuple[Asked, Steps]:
        usual = request.context.get("language")
        text = with_rows(turn.text, request.context.get("last_list"), self._books)
        language, meant = self._meant(text, choose(usual if isinstance(usual, str) else None), request.context)
        tools = frozenset(tool.name for tool in request.tools)
        asked = Asked(language, turn.text, ({},), tools, request.context)
        for writer in self._writers.values():
            if (call := writer.opens(turn.text, request.context)) is not None:
                return asked, _opened(call)
        if isinstance(meant, Unmet) and is_row(text):
            return asked, finished(asked.say("rules.no_such_row"), well=False)
        if isinstance(meant, Unmet):
            for writer in self._writers.values():
                if meant.why == "unknown" and (why := writer.unread(turn.text, request.context, language)):
                    return asked, unread(asked, why, self._books)
            return asked, finished(unmet(asked, meant, self._books, self.rules[language]), well=False)
        return asked, together(asked, [_errand(one, asked, alone=len(meant) == 1) for one in meant])


def _called(wants: Iterable[Call], at: int) -> Completion:
    calls = tuple(
        ToolCall(f"rules_{at}_{place}", call.name, json.dumps(call.arguments, ensure_ascii=False))
        for place, call in enumerate(wants, 1)
    )
    return Completion(tool_calls=calls, finish="tool_calls")


def _opened(call: Call) -> Steps:
    """Open a change: the call ends the turn, and where it was refused its own words say why."""
    (outcome,) = yield [call]
    return Answer(outcome.text, well=outcome.ok)


def _errand(meant: Meant, asked: Asked, *, alone: bool) -> Errand:
    own = Asked(asked.language, meant.text, meant.readings, asked.tools, asked.context, alone)
    return Errand(lambda: meant.rule.plan(own), acts=bool(meant.rule.acts))


def _text(asked: Asked, played: Played) -> str:
    if played.answer is not None:
        return played.answer.text
    return asked.say("rules.strayed_acted" if played.acted else "rules.strayed")

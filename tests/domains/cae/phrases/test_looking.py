"""Questions about parts: each comes to one look, with arguments that the tool takes, whose words are the answer."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from steadyhand.core.language import LANGUAGES, Language, choose, say
from steadyhand.domains.cae.calls.table import MODULES
from steadyhand.domains.cae.observing.tools import InspectDetail, NoArguments, OfPart
from steadyhand.domains.cae.phrases import CaeWriter, cae_phrases
from steadyhand.domains.cae.phrases.looking import hints
from steadyhand.domains.schedule.phrases import schedule_phrases
from steadyhand.llm.rules.book import Asked, Outcome
from steadyhand.llm.rules.matching import Unmet
from steadyhand.llm.rules.provider import RulesProvider
from steadyhand.llm.rules.rows import with_rows
from steadyhand.session.phrases import session_phrases
from steadyhand.tools.base import Arguments
from steadyhand.wakeups.phrases import wakeup_phrases

HERE = Path(__file__).parent
RULES = RulesProvider((*schedule_phrases(), *session_phrases(), *wakeup_phrases(), *cae_phrases()), (CaeWriter(),))
TAKES: Mapping[str, type[Arguments]] = {
    "list_parts": NoArguments,
    "observe_part": OfPart,
    "part_results": OfPart,
    "inspect_region": OfPart,
    "inspect_detail": InspectDetail,
}


def table(language: Language) -> list[tuple[str, str]]:
    lines = (HERE / f"looking.{language}.txt").read_text(encoding="utf-8").splitlines()
    return [(phrase, call) for phrase, _, call in (line.rpartition(" => ") for line in lines if line)]


def looked(phrase: str, language: Language, outcome: Outcome) -> tuple[str, str, bool]:
    """Return the call that *phrase* comes to, and the answer when it gives *outcome*."""
    found, meant = RULES.understand(phrase, language)
    assert not isinstance(meant, Unmet), (phrase, meant.why)
    assert len(meant) == 1, phrase
    assert not meant[0].rule.acts
    steps = meant[0].rule.plan(Asked(found, phrase, meant[0].readings, frozenset(TAKES), {}))
    (call,) = next(steps)
    TAKES[call.name].model_validate_json(json.dumps(call.arguments))
    with pytest.raises(StopIteration) as ended:
        steps.send([outcome])
    return f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}", ended.value.value.text, ended.value.value.well


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_question_comes_to_one_look_and_its_words_are_the_answer(language: Language) -> None:
    entries = table(language)
    assert len(entries) >= 25
    for phrase, call in entries:
        assert looked(phrase, language, Outcome("ok", "what is there")) == (call, "what is there", True)
        assert looked(phrase, language, Outcome("part_unknown", "there is none")) == (call, "there is none", False)
        assert CaeWriter().opens(phrase, {"cae.choice": {"module": "part"}}) is None
    assert {call.partition(" ")[0] for _, call in entries} == set(TAKES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_phrase_of_this_room_means_two_things_and_none_of_any_room_opens_a_change(language: Language) -> None:
    wrong: list[str] = []
    count = 0
    for ready in RULES.rules[language]:
        for phrase in (one for pattern in ready.patterns for one in pattern.samples()):
            if CaeWriter().opens(phrase, {}) is not None:
                wrong.append(f"{phrase}: opens")
            if ready.room != "cae":
                continue
            count += 1
            _, meant = RULES.understand(phrase, language)
            if isinstance(meant, Unmet) or [one.rule.name for one in meant] != [ready.rule.name]:
                wrong.append(f"{phrase}: {ready.rule.name}")
    assert wrong == []
    assert count > 300


def test_a_row_of_the_list_of_parts_is_the_part_that_stands_there() -> None:
    shown = {"kind": "part", "rows": [{"label": "a", "value": "main/a"}, {"label": "b", "value": "main/b"}]}
    assert with_rows("看看第二个", shown, cae_phrases()) == "看看main/b"
    assert looked(with_rows("show the first one", shown, cae_phrases()), "en", Outcome("ok", ""))[0] == (
        'observe_part {"part": "main/a"}'
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_offered_can_be_said(language: Language) -> None:
    book = next(book for book in cae_phrases() if book.language == language)
    for phrase in book.examples:
        assert not isinstance(RULES.understand(phrase, choose(language))[1], Unmet)
    for module in MODULES:
        asked = Asked(language, "", ({},), frozenset(), {"cae.choice": {"module": module, "model": "main", "part": "plate"}})
        with pytest.raises(StopIteration) as ended:
            next(hints(asked))
        change, look = ended.value.value
        assert CaeWriter().opens(change, {}) is not None
        assert look == say(language, "cae.phrases.hint.look")
        assert not isinstance(RULES.understand(look, language)[1], Unmet)
    with pytest.raises(StopIteration) as ended:
        next(hints(Asked(language, "", ({},), frozenset(), {})))
    assert ended.value.value == []

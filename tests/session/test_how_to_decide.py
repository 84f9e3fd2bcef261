"""What is said when words that sound like a decision decided nothing: the command that fits each change that waits."""

import asyncio

import pytest

from steadyhand.core.wire import Message, Request
from steadyhand.llm.provider import complete
from steadyhand.llm.rules.provider import RulesProvider
from steadyhand.session.phrases import session_phrases

SPEC = {"number": 3, "state": "in_review", "domain": "cae", "line": "C-3: please review the spec"}
PROGRAM = {"number": 2, "state": "sealed", "domain": "cae", "line": "C-2: ready"}
DRAFT = {"number": 1, "state": "drafting", "domain": "cae", "line": "C-1: drafting the spec"}


def told(*waiting: dict, language: str = "en") -> str:
    words = {"en": "yes", "zh-CN": "好的"}[language]
    request = Request((Message("user", words),), context={"changes": list(waiting), "language": language})
    return asyncio.run(complete(RulesProvider(session_phrases()), request)).text


@pytest.mark.parametrize(("change", "command"), [(SPEC, "/confirm C-3"), (PROGRAM, "/approve C-2")])
@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_one_that_waits_is_named_with_its_own_command(change: dict, command: str, language: str) -> None:
    assert command in told(change, language=language)


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_where_several_wait_each_is_named_with_its_command_and_no_bare_yes_is_advised(language: str) -> None:
    text = told(SPEC, PROGRAM, DRAFT, language=language)
    assert "/confirm C-3 · /approve C-2" in text
    assert "C-1:" in text
    assert '"yes"' not in text
    assert "回答“好”" not in text


def test_what_only_waits_for_a_provider_is_not_to_be_decided() -> None:
    text = told(DRAFT)
    assert "/approve" not in text
    assert "/confirm" not in text

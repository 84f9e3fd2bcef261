"""A conversation about a part where no model is configured: what cannot be written opens nothing, and questions get their number."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cli_chat.ground import Sitting
from schedule_ground.desk import Desk, furnish
from steadyhand.cli.chat.room import Room
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.core.ids import LOCAL_USER
from steadyhand.core.language import LANGUAGES, Language, say
from steadyhand.domains.cae.solve.ccx import find_ccx
from steadyhand.domains.schedule.draft.drafting import Drafting
from steadyhand.domains.schedule.module import ScheduleDomain
from steadyhand.gate import lines
from steadyhand.gate.controller import Controller
from steadyhand.gate.policy import Policy
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.wiring.app import App, open_app

REQUIRED = os.environ.get("STEADYHAND_REQUIRE_CCX") == "1"
"""Then a missing solver fails what would be skipped without it."""
PLATE = "a flat plate 60 by 100, elements of 10"


class Alone(Sitting):
    """Somebody in a room of an installation that has no model."""

    def __init__(self, app: App, language: Language = "en") -> None:
        super().__init__(app)
        self.room = Room(app, language, self.face)

    def hears(self, text: str) -> str:
        self.says(text)
        return self.face.texts[-1]


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    made = open_app(Settings(data_dir=tmp_path), "en", FakeClock(datetime(2026, 9, 1, 1, 0, tzinfo=UTC)))
    yield made
    made.store.close()


def rows(app: App) -> list[ChangeRow]:
    """Return the person's changes, the newest first."""
    return app.store.read_now(lambda tx: changes.of_user(tx, LOCAL_USER))


def built(app: App, language: Language = "en") -> Alone:
    here = Alone(app, language)
    here.says("/module analysis plate", PLATE, "yes", "yes")
    assert [row.state for row in rows(app)] == ["verified"]
    return here


def test_what_cannot_be_written_opens_nothing_and_what_waits_goes_on_waiting(app: App) -> None:
    here = Alone(app)
    here.says("/module analysis plate", PLATE, "yes")
    assert [row.state for row in rows(app)] == ["sealed"]
    for words in ("求解", "solve"):
        told = here.hears(words)
        assert told
        assert "provider" not in told
        assert "C-2" not in told
    assert [(row.number, row.state) for row in rows(app)] == [(1, "sealed")]


def test_a_change_that_gives_way_to_a_later_one_is_told(app: App) -> None:
    here = Alone(app)
    here.says("/module analysis plate", PLATE, "a flat plate 60 by 120, elements of 10")
    assert [row.state for row in rows(app)] == ["in_review", "withdrawn"]
    opened = next(text for text in here.face.texts if text.startswith("C-2 is open"))
    assert "C-1 was withdrawn" in opened


@pytest.mark.parametrize(
    ("language", "nodes", "elements", "largest", "absent", "unsolved"),
    [
        (
            "en",
            "how many nodes are there",
            "how many elements are there",
            "what is the largest stress",
            "not there yet",
            "no results",
        ),
        ("zh-CN", "有几个节点", "有多少单元", "最大应力是多少", "还不存在", "还没有结果"),
    ],
)
def test_a_question_about_a_number_is_answered_by_it_first(
    app: App, language: Language, nodes: str, elements: str, largest: str, absent: str, unsolved: str
) -> None:
    here = Alone(app, language)
    here.says("/module analysis plate")
    for words in (nodes, largest):
        assert absent in here.hears(words)
    here.says(PLATE, "yes", "yes")
    assert here.hears(nodes).startswith("77")
    assert here.hears(elements).startswith("60")
    assert unsolved in here.hears(largest)


@pytest.mark.parametrize(
    "words", ["撤销", "undo", "撤销上一次修改", "撤销部件plate的上一次修改", "undo the last change of part plate"]
)
def test_the_last_change_of_the_part_is_taken_back_by_words(app: App, words: str) -> None:
    here = built(app)
    here.hears(words)
    assert [(row.number, row.state) for row in rows(app)] == [(2, "sealed"), (1, "verified")]
    assert rows(app)[0].undo_of is not None
    here.says("yes")
    assert rows(app)[0].state == "verified"


def test_a_question_about_results_is_answered_from_the_newest_of_the_part(app: App) -> None:
    if find_ccx() is None and not REQUIRED:
        pytest.skip("no CalculiX on the PATH (package calculix-ccx)")
    here = Alone(app)
    here.says("/module analysis plate", say("en", "cae.phrases.hint.analysis"), "yes", "yes")
    for words in ("what is the largest displacement", "最大位移是多少"):
        told = here.hears(words)
        assert "0.1792 mm" in told
        assert "36" in told


def test_there_is_nothing_to_undo_in_a_part_that_is_not_there(app: App) -> None:
    here = Alone(app)
    here.says("/module analysis plate")
    assert "nothing to undo" in here.hears("undo")
    assert rows(app) == []


UNDOS: dict[Language, tuple[str, ...]] = {
    "en": ("undo the last change", "undo", "undo that", "undo the last step", "take back the last change"),
    "zh-CN": ("撤销上一次改动", "撤销", "撤销上一步", "撤回上一次修改", "撤销刚才的改动"),
}


def not_chosen(language: Language, names: str) -> str:
    return say(language, "cae.look.not_chosen", names=names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_term_and_a_part_an_undo_is_told_of_parts(app: App, language: Language) -> None:
    here = Alone(app, language)
    for words in UNDOS[language]:
        assert here.hears(words) == not_chosen(language, say(language, "cae.look.none"))
    assert rows(app) == []


def test_without_a_term_and_without_a_chosen_part_an_undo_offers_the_only_part_and_asks_among_several(app: App) -> None:
    here = built(app)
    here.says("/module off")
    assert "the part becomes empty again" in here.hears("undo the last change")
    here.says("no")
    assert [row.state for row in rows(app)] == ["rejected", "verified"]
    here.says("/module analysis strip", PLATE, "yes", "yes", "/module off")
    for language in LANGUAGES:
        there = Alone(app, language)
        assert {there.hears(words) for words in UNDOS[language]} == {not_chosen(language, "main/plate, main/strip")}
    assert [row.number for row in rows(app)] == [3, 2, 1]
    here.hears("撤销部件strip的上一次修改")
    assert (rows(app)[0].target_name, rows(app)[0].undo_of is not None) == (rows(app)[1].target_name, True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_with_a_term_and_no_chosen_part_an_undo_is_the_timetables(app: App, language: Language, tmp_path: Path) -> None:
    controller = Controller(app.store, {"schedule": ScheduleDomain(app.store)}, Policy())
    furnish(Desk(app.store, app.store.clock, controller, Drafting(app.store), tmp_path), LOCAL_USER)
    here = Alone(app, language)
    asks = say(language, "schedule.planning.question").partition("\n")[0]
    assert here.hears(UNDOS[language][0]).startswith(asks)  # which days its draft may use
    assert here.hears("1").endswith(say(language, "schedule.say.refused.nothing_to_undo"))


@pytest.mark.parametrize(("language", "words"), [("en", "paint the plate in gold"), ("zh-CN", "把板涂成金色")])
def test_words_that_are_not_read_are_named_with_examples_about_parts(app: App, language: Language, words: str) -> None:
    here = Alone(app, language)
    for said in (words, "hello" if language == "en" else "你好"):
        here.says("/module analysis plate")
        told = here.hears(said)
        assert say(language, "cae.phrases.hint.analysis") in told
        assert "timetable" not in told
        assert "课" not in told
    assert words in here.face.texts[-3]
    here.says("/module off")
    assert say(language, "cae.phrases.hint.analysis") not in here.hears(said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_reason_speaks_of_a_model_that_is_not_there_or_in_codes(language: Language) -> None:
    unread = lines.reason_text("words_unread", {}, language)
    assert "provider" not in unread
    assert say(language, "refusal.words_unread") == unread
    for kind in ("protocol", "truncated", "provider", "tool_call"):
        told = lines.reason_text("provider_failed", {"kind": f"provider_{kind}"}, language)
        assert "provider_" not in told
    assert "timeout" in lines.reason_text("provider_failed", {"kind": "timeout"}, language)

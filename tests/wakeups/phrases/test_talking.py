"""Turns that belong together: a question and its answer, a list and a row of it, a reminder and its coming; and requests that nobody spoke."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from steadyhand.core.clock import to_text
from steadyhand.core.language import LANGUAGES, Language, say
from steadyhand.core.wire import Completion, Message, Request, ToolSpec
from steadyhand.wakeups import telling
from wakeups.ground import Bedside
from wakeups.phrases.ground import NOW, RULES, ZONE, Table, hear, rows_of, wake

MakeBed = Callable[..., Bedside]


@pytest.fixture
def bed_of(tmp_path: Path) -> Iterator[MakeBed]:
    """Makes a room in a language, in which only some of the three reminders wait."""
    with ExitStack() as stack:

        def make(language: Language, reminders: Sequence[int] = (1, 2, 3)) -> Bedside:
            bed = Table(tmp_path / "table", language, reminders=reminders).bed()
            stack.callback(bed.store.close)
            return bed

        yield make


def waiting(bed: Bedside) -> list[int]:
    return sorted(row.number for row in rows_of(bed) if row.status == "pending")


@pytest.mark.parametrize(
    ("language", "words", "answer"),
    [("zh-CN", "提醒我明天3点开会", "2"), ("en", "remind me tomorrow at 3 to join the call", "the second one")],
)
def test_a_time_that_is_asked_for_is_booked_by_the_answer(bed_of: MakeBed, language: Language, words: str, answer: str) -> None:
    bed = bed_of(language)
    assert [name for name, _ in hear(bed, words).calls] == ["ask_user"]
    assert waiting(bed) == [1, 2, 3]
    [(name, given)] = hear(bed, answer).calls
    assert (name, given["send_at"]) == ("schedule_private_followup", "2026-09-10T15:00")
    assert next(row for row in rows_of(bed) if row.number == 4).exact


@pytest.mark.parametrize(("language", "words"), [("zh-CN", "取消我的所有提醒"), ("en", "cancel all my reminders")])
def test_all_are_cancelled_when_the_person_says_so_again_and_kept_otherwise(
    bed_of: MakeBed, language: Language, words: str
) -> None:
    bed = bed_of(language)
    shown = hear(bed, words).shown[0]
    assert all(f"{number} · " in shown for number in (1, 2, 3))
    hear(bed, "2")
    assert waiting(bed) == [1, 2, 3]
    hear(bed, words)
    hear(bed, "1")
    assert waiting(bed) == []


@pytest.mark.parametrize(("language", "words"), [("zh-CN", "算了，不用提醒了"), ("en", "never mind, don't remind me")])
@pytest.mark.parametrize(
    ("there", "left", "answer"), [((), [], ""), ((1,), [], ""), ((2,), [], ""), ((1, 2), [1], "2"), ((1, 2, 3), [1, 3], "3")]
)
def test_no_need_cancels_the_only_one_and_asks_between_several(
    bed_of: MakeBed, language: Language, words: str, there: Sequence[int], left: list[int], answer: str
) -> None:
    bed = bed_of(language, there)
    heard = hear(bed, words)
    assert bool(heard.calls) == bool(there)
    if answer:
        assert waiting(bed) == list(there)
        assert [name for name, _ in heard.calls] == ["ask_user"]
        hear(bed, answer)
    assert waiting(bed) == left


@pytest.mark.parametrize(
    ("language", "look", "words"), [("zh-CN", "有哪些提醒", "取消第二个"), ("en", "list reminders", "cancel the second one")]
)
def test_a_row_of_the_list_is_the_one_that_was_shown_there(bed_of: MakeBed, language: Language, look: str, words: str) -> None:
    bed = bed_of(language)
    shown = hear(bed, look).shown[-1].splitlines()
    assert " 1 " in shown[1]
    hear(bed, words)
    assert waiting(bed) == [2, 3]


@pytest.mark.parametrize(
    ("language", "words", "promise"),
    [
        ("zh-CN", "半小时后问问我跑完了没", "问你“跑完了没”"),
        ("en", "in half an hour remind me to check the oven", 'reminding you "to check the oven"'),
    ],
)
def test_what_was_asked_for_comes_once_at_its_time(bed_of: MakeBed, language: Language, words: str, promise: str) -> None:
    comes_once(bed_of(language, ()), words, say(language, "wakeups.due", commitment=promise))


@pytest.mark.parametrize(
    ("language", "words", "text"),
    [
        ("zh-CN", "每天上午10点半提醒我喝水", "你让我提醒你：喝水"),
        ("en", "every day at 10:30am ask me how it goes", "You wanted to be asked: how it goes"),
    ],
)
def test_what_comes_again_says_the_persons_own_words(bed_of: MakeBed, language: Language, words: str, text: str) -> None:
    bed = bed_of(language, ())
    comes_once(bed, words, text)
    bed.pass_time(hours=23, minutes=59)  # a minute has gone by since it came: later than this it would say that it is late
    assert wake(bed) == [text]


def comes_once(bed: Bedside, words: str, text: str) -> None:
    """It is ten o'clock: what is asked for comes at half past ten, and not before or after."""
    hear(bed, words)
    bed.pass_time(minutes=29)
    assert wake(bed) == []
    bed.pass_time(minutes=1)
    assert wake(bed) == [text]
    bed.pass_time(minutes=1)
    assert wake(bed) == []


def test_the_persons_own_words_are_never_taken_for_a_claim_of_ours(bed_of: MakeBed) -> None:
    bed = bed_of("en", ())
    said = hear(bed, "in two hours ask me whether the run has finished").shown
    said += hear(bed, "every day at 8am remind me that the run was completed").shown
    said += hear(bed, "list reminders").shown
    assert not any("Correction" in text for text in said)
    assert '"whether the run has finished"' in said[-1]
    assert "that the run was completed" in said[-1]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("zh-CN", "提醒我明天早上8点交作业。提醒我今天早上8点开会"),
        ("en", "remind me tomorrow at 8am to hand in the homework; cancel reminder 9"),
    ],
)
def test_of_several_requests_none_is_begun_where_one_cannot_be(bed_of: MakeBed, language: Language, words: str) -> None:
    bed = bed_of(language)
    assert hear(bed, words).calls == []
    assert waiting(bed) == [1, 2, 3]


def test_several_requests_in_one_message_are_each_carried_out(bed_of: MakeBed) -> None:
    bed = bed_of("zh-CN")
    heard = hear(bed, "提醒我明天早上8点交作业，每周五下午三点问我论文进度")
    assert [name for name, _ in heard.calls] == ["schedule_private_followup", "cron"]
    assert waiting(bed) == [1, 2, 3, 4, 5]


# --- requests that no person spoke ---------------------------------------------------------------------------------------

TOOLS = tuple(
    ToolSpec(name, "", {})
    for name in (
        "schedule_private_followup",
        "update_private_followup",
        "cancel_private_followup",
        "list_private_followups",
        "cron",
        "ask_user",
        "job_status",
        "cancel_job",
    )
)


def answer(messages: Sequence[Message], language: Language, origin: str) -> Completion:
    context: dict[str, Any] = {"now": to_text(NOW), "zone": ZONE, "language": language, "origin": origin}

    async def last() -> Completion:
        found = [event async for event in RULES.stream(Request(tuple(messages), TOOLS, context))]
        assert isinstance(found[-1], Completion)
        return found[-1]

    return asyncio.run(last())


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("zh-CN", "提醒我明天早上8点交作业"),
        ("zh-CN", "每天早上8点提醒我吃药"),
        ("zh-CN", "算了，不用提醒了"),
        ("zh-CN", "把3号提醒改到后天九点"),
        ("zh-CN", "停止任务2"),
        ("en", "cancel all my reminders"),
        ("en", "cancel reminder 3"),
        ("en", "postpone reminder 3 by two hours"),
        ("en", "cancel the reminder about the homework"),
    ],
)
@pytest.mark.parametrize("origin", ["heartbeat", "cron", "wake", "job", "subagent"])
def test_what_comes_by_itself_books_changes_and_cancels_nothing(language: Language, words: str, origin: str) -> None:
    said = answer([Message("system", "-"), Message("user", words)], language, origin)
    assert said.tool_calls == ()
    assert said.text
    assert answer([Message("system", "-"), Message("user", words)], language, "person").tool_calls != ()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("origin", ["wake", "cron", "heartbeat"])
def test_a_reminder_in_the_persons_place_and_what_stood_before_it_are_no_request(language: Language, origin: str) -> None:
    before = "remind me tomorrow at 8am to hand in the homework"
    block = f"<system-reminder>\n{before}\n</system-reminder>"
    for told in (
        [Message("user", block)],
        [Message("user", before), Message("user", block)],
        [Message("user", before), Message("assistant", "all right"), Message("user", block), Message("user", before)],
        [Message("user", block), Message("assistant", "not sent"), Message("user", telling.correction(language))],
        [],
    ):
        said = answer([Message("system", "-"), *told], language, origin)
        assert said.tool_calls == ()
        assert said.text

"""What the tools give back, what the person is told by code, and what a model is told of them."""

import asyncio
import re
from pathlib import Path

import pytest

from session.ground import DESK, ME, call, calls, said
from steadyhand.core.errors import StoreUnavailable
from steadyhand.core.language import LANGUAGES
from steadyhand.llm.rules.provider import RulesProvider
from steadyhand.wakeups import telling
from steadyhand.wakeups.phrases import wakeup_phrases
from steadyhand.wakeups.tools import wakeup_tools
from store.ground import a_wakeup

run = asyncio.run
GOLDEN = Path(__file__).parent.parent / "golden"
GIVEN = {"send_at": "2026-09-07T12:00", "followup_reason": "the secret reason", "assistant_commitment_text": "I will ask at noon"}


def golden(name: str, text: str) -> None:
    assert (GOLDEN / name).read_text(encoding="utf-8") == text


def results(bed):
    return [entry for entry in bed.room.history() if entry.role == "tool"]


def heard(bed_for, *given, words="please"):
    bed = bed_for(calls(*given), said("all right"))
    return bed, run(bed.room.hear(words))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_model_is_told_of_the_tools_is_this(bed, language):
    told = [tool.spec(language) for tool in wakeup_tools(bed.store)]
    golden(
        f"tools/wakeups.{language}.txt",
        "\n".join(f"## {spec.name}\n{spec.description.strip()}\n{sorted(spec.parameters['properties'])}\n" for spec in told),
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_reminder_of_a_woken_turn_is_this(bed, language):
    row = a_wakeup(
        "w", ME, followup_reason="交作业 / homework", assistant_commitment_text="明早叫你 / I will call you", session_id=DESK
    )
    block = bed.store.read_now(lambda tx: telling.tail_block(tx, row, language))
    golden(f"woken.{language}.txt", f"{block}\n\n{telling.correction(language)}\n")


def test_a_booked_follow_up_gives_its_parts_and_the_person_gets_time_and_number_by_code(bed_for):
    bed, shown = heard(bed_for, ("schedule_private_followup", GIVEN))
    assert shown == ["Reminder 1: Monday 2026-09-07 12:00.", "all right"]
    [result] = results(bed)
    assert {key: result.data[key] for key in (*GIVEN, "replace_existing", "session_id")} == {
        **GIVEN,
        "send_at": "2026-09-07T12:00:00.000000Z",
        "replace_existing": False,
        "session_id": DESK,
    }
    assert result.data["task_id"].startswith("wake_")
    assert "cancelled_task_ids" not in result.data
    assert "secret" not in str(shown)


def test_what_was_replaced_is_named(bed_for):
    bed, shown = heard(
        bed_for,
        ("schedule_private_followup", GIVEN),
        ("schedule_private_followup", {**GIVEN, "replace_existing": True}),
    )
    first, second = results(bed)
    assert second.data["cancelled_task_ids"] == [first.data["task_id"]]
    assert "Cancelled what was booked before: 1." in shown[1]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"send_at": "2020-01-01T00:00"}, "bad_time"),
        ({"send_at": "soon"}, "bad_time"),
        ({"followup_reason": " "}, "reason_empty"),
        ({"assistant_commitment_text": ""}, "commitment_empty"),
    ],
)
def test_what_is_refused_says_why(bed_for, change, code):
    bed = bed_for(call("schedule_private_followup", **{**GIVEN, **change}), said("sorry"))
    assert run(bed.room.hear("please")) == ["sorry"]
    [(_, result)] = bed.results()
    assert (result.code, result.is_error) == (code, True)


def test_a_store_that_fails_is_said(bed_for, monkeypatch):
    bed = bed_for(call("schedule_private_followup", **GIVEN), said("sorry"))

    async def fails(*_):
        raise StoreUnavailable("database_failed", reason="disk full")

    monkeypatch.setattr("steadyhand.wakeups.booking.Book.follow_up", fails)
    run(bed.room.hear("please"))
    assert bed.results()[0][1].code == "storage_failed"


def test_texts_that_are_empty_are_not_sent(bed_for):
    bed = bed_for(
        calls(("send_private_message", {"message_text": " "}), ("send_private_message", {"message_text": "hi"})), said("")
    )
    assert run(bed.room.hear("please")) == ["hi"]
    first, second = (result for _, result in bed.results())
    assert first.code == "text_empty"
    assert (second.data["session_id"], second.data["message_text"]) == (DESK, "hi")
    assert second.data["sent_message_id"] == f"shown-{bed.room.channel.rows[-1].id}"


@pytest.mark.parametrize(("mood", "code"), [("down", "queued"), ("mute", "unknown_sent"), ("refusing", "send_failed")])
def test_what_became_of_a_message_is_said_as_it_is(bed_for, mood, code):
    bed = bed_for(call("send_private_message", message_text="hi"), said(""))
    bed.room.channel.mood = mood
    run(bed.room.hear("please"))
    [(_, result)] = bed.results()
    assert result.code == code
    assert result.data["sent_message_id"] is None


def test_cron_is_silent_and_says_its_literal_summary(bed_for):
    given = {"action": "add", "every": "2h", "text": "back up", "name": "daily-backup"}
    bed, shown = heard(bed_for, ("cron", given), ("cron", {"action": "list"}), ("cron", {"action": "runs", "number": 1}),
                       ("cron", {"action": "disable", "number": 1}), ("cron", {"action": "enable", "number": 1}),
                       ("cron", {"action": "remove", "number": 1}))  # fmt: skip
    assert shown == ["all right"]
    texts = [result.for_llm for _, result in bed.results()]
    assert texts[0].startswith("Cron job added: daily-backup\n")
    assert texts[3].startswith("Cron job disabled: daily-backup")
    assert texts[4].startswith("Cron job enabled: daily-backup")
    assert texts[5] == "Cron job removed: daily-backup"
    assert all(result.silent for _, result in bed.results())


def test_cron_refuses_what_is_not_one_time(bed_for):
    bed, _ = heard(bed_for, ("cron", {"action": "add", "text": "x"}), ("cron", {"action": "remove"}),
                   ("cron", {"action": "add", "text": "x", "every": "2h", "cron": "* * * * *"}))  # fmt: skip
    assert [result.code for _, result in bed.results()] == ["bad_argument"] * 3


def test_finishing_a_persons_turn_leaves_them_with_words(bed_for):
    bed = bed_for(call("finish", reason="nothing"))
    assert len(run(bed.room.hear("hello"))) == 1


def talk(bed_for):
    """A room without a model, in the morning of its first day."""
    bed = bed_for(provider=RulesProvider(wakeup_phrases()), thinks=False)
    bed.pass_time(hours=8)
    return bed


@pytest.mark.parametrize("words", ["提醒我明天早上8点交作业", "remind me tomorrow at 8am to hand in the homework", "两小时后问问我跑完了没",
                                   "in two hours ask me whether it ran"])  # fmt: skip
def test_without_a_model_a_reminder_is_booked_and_comes(bed_for, words):
    bed = talk(bed_for)
    shown = run(bed.room.hear(words))
    assert re.search(r"Reminder 1: \w+ 2026-09-0[78] \d\d:00", shown[0])
    [row] = run(bed.book.booked(ME, DESK, "followup"))
    assert row.exact
    bed.clock.at = bed.meant(row)
    assert len(bed.wake()) == 1


def test_without_a_model_reminders_are_listed_moved_and_cancelled(bed_for):
    bed = talk(bed_for)
    run(bed.room.hear("remind me tomorrow at 8am to hand in the homework"))
    run(bed.room.hear("每周五下午三点问我论文进度"))
    listed = "\n".join(run(bed.room.hear("list reminders")))
    assert "hand in the homework" in listed
    assert "论文进度" in listed
    assert "09:00" in run(bed.room.hear("move reminder 1 to tomorrow at 9am"))[0]
    assert "Which one?" in run(bed.room.hear("never mind, don't remind me"))[0]
    run(bed.room.hear("取消提醒2"))
    run(bed.room.hear("算了，不用提醒了"))
    bed.pass_time(days=5)
    assert bed.wake() == []
    assert "No reminder waits" in run(bed.room.hear("don't remind me"))[0]

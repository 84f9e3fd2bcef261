"""`steady cron` and `steady followup` book, list, rest and cancel what comes later, in both languages and as JSON."""

import pytest

from steadyhand.core.language import LANGUAGES


def numbers(steady, group, key):
    return [row["number"] for row in steady(group, "list", "--json").data[key]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_timed_task_is_added_rests_and_is_removed(steady, language):
    added = steady("cron", "add", "look for mail", "--every", "2h", "--name", "mail", "--lang", language)
    assert added.out.startswith("Cron job added: mail\n")
    assert "mail" in steady("cron", "list", "--lang", language).out
    assert steady("cron", "disable", "1", "--json").data["enabled"] is False
    assert steady("cron", "enable", "1", "--json").data["enabled"] is True
    assert steady("cron", "runs", "1", "--json").data["runs"] == []
    assert steady("cron", "remove", "1", "--lang", language).code == 0
    assert numbers(steady, "cron", "jobs") == []
    assert steady("cron", "remove", "1").code != 0


def test_what_a_task_is_meant_to_be_is_kept(steady):
    given = ("--cron", "0 9 * * 1-5", "--zone", "Europe/Berlin", "--say", "--silent", "--if-late", "2", "--session", "desk")
    row = steady("cron", "add", "stand up", *given, "--json").data
    assert (row["rhythm"], row["zone"], row["kind"], row["delivery"]) == (
        {"cron": "0 9 * * 1-5"},
        "Europe/Berlin",
        "text",
        "none",
    )
    assert row["session_id"] == "desk"


@pytest.mark.parametrize(
    "given",
    [(), ("--every", "2h", "--cron", "* * * * *"), ("--every", "soon"), ("--cron", "61 * * * *"), ("--at", "2020-01-01T00:00")],
)
def test_what_is_no_time_is_refused(steady, given):
    refused = steady("cron", "add", "x", *given)
    assert refused.code == 2
    assert numbers(steady, "cron", "jobs") == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_exact_text_is_a_reminder_that_can_be_cancelled(steady, language):
    assert steady("followup", "add-text", "2029-01-01T08:00", "a new year", "--lang", language).code == 0
    assert "a new year" in steady("followup", "list", "--lang", language).out
    assert steady("followup", "cancel", "1", "--lang", language).code == 0
    assert numbers(steady, "followup", "followups") == []


def test_a_session_that_goes_says_which_reminders_go_with_it(steady):
    steady("followup", "add-text", "2029-01-01T08:00", "a new year", "--session", "desk")
    assert steady("session", "delete", "desk", "--yes", "--json").data["wakeups_cancelled"] == [1]
    assert numbers(steady, "followup", "followups") == []

"""A body runs in a child that keeps to its limits, answers in a type, and never outlives its parent."""

import asyncio
import signal
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import psutil
import pytest

from steadyhand.core import language
from steadyhand.core.clock import FakeClock
from steadyhand.core.errors import Bug, OperatorRepairs, PersonDecides
from steadyhand.jobs import here
from steadyhand.jobs.here import Limits, run_aside, run_here
from steadyhand.jobs.outcomes import (
    Cancelled,
    Done,
    Failed,
    Killed,
    OutOfMemory,
    TimedOut,
    TooMuchOutput,
    demand,
)

HERE = Path(__file__).parent
COMMAND = (
    sys.executable,
    "-I",
    "-c",
    f"import steadyhand; steadyhand.__path__.append({str(HERE / 'inside')!r}); from steadyhand.jobs.child import main; main()",
)


@pytest.fixture(autouse=True)
def _children_see_the_trial_bodies(monkeypatch):
    monkeypatch.setattr(here, "CHILD_COMMAND", COMMAND)


@pytest.fixture(autouse=True)
def _no_child_is_left():
    before = psutil.Process().children(recursive=True)  # a server that other tests share may run beside these
    yield
    assert [child for child in psutil.Process().children(recursive=True) if child not in before] == []


def trial(name):
    return f"steadyhand.trial_bodies:{name}"


def gone(pid):
    try:
        process = psutil.Process(pid)
        return process.status() == psutil.STATUS_ZOMBIE or process.wait(timeout=60) is None
    except psutil.NoSuchProcess:
        return True


def test_arguments_and_payload_arrive_and_the_result_comes_back():
    outcome = run_here(trial("echo"), {"名": ["课", 1, None, 2.5]}, "正文".encode() * 100_000)
    assert isinstance(outcome, Done)
    assert outcome.result == {"arguments": {"名": ["课", 1, None, 2.5]}, "size": 600_000, "text": ("正文" * 17)[:33] + "\ufffd"}


def test_a_big_result_arrives_whole():
    outcome = run_here(trial("big"), {"characters": 2_000_000})
    assert isinstance(outcome, Done)
    assert outcome.result == "课" * 2_000_000


def test_progress_is_told_in_order():
    told = []
    run_here(trial("count"), {"steps": 300}, progress=lambda *step: told.append(step))
    assert told == [(n, 300, "第几步") for n in range(1, 301)]


def test_what_a_body_prints_never_reaches_the_answer_and_its_end_is_kept():
    outcome = run_here(trial("babble"), {})
    assert isinstance(outcome, Done)
    assert outcome.result == "truth"
    assert outcome.said.endswith("last words")


def test_a_body_that_floods_its_output_is_ended():
    outcome = run_here(trial("flood"), {}, limits=Limits(output_bytes=1_000_000))
    assert isinstance(outcome, TooMuchOutput)
    assert len(outcome.said) <= 4_096


@pytest.mark.skipif(sys.platform != "linux", reason="the address space is bounded on Linux only")
def test_a_body_that_hoards_memory_is_told_apart():
    assert isinstance(run_here(trial("hoard"), {}, limits=Limits(memory_mib=256)), OutOfMemory)


@pytest.mark.parametrize("deaf", [False, True])
def test_a_body_that_never_ends_is_ended_at_its_time(deaf):
    clock = FakeClock()
    outcome = run_here(
        trial("wait_forever"),
        {"deaf": deaf},
        limits=Limits(seconds=100),
        progress=lambda *_: clock.advance(timedelta(seconds=101)),
        clock=clock,
    )
    assert isinstance(outcome, TimedOut)
    assert outcome.seconds == 100


@pytest.mark.parametrize("deaf", [False, True])
def test_a_stop_ends_a_body_even_one_that_does_not_listen(deaf):
    begun = threading.Event()
    outcome = run_here(trial("wait_forever"), {"deaf": deaf}, progress=lambda *_: begun.set(), stop=begun.is_set)
    assert isinstance(outcome, Cancelled)


def test_what_a_body_started_is_ended_with_it():
    told = []
    outcome = run_here(trial("with_grandchild"), {}, progress=lambda pid, *_: told.append(pid), stop=lambda: bool(told))
    assert isinstance(outcome, Cancelled)
    assert gone(told[0])


def test_what_a_body_left_behind_is_ended_when_it_is_done():
    told = []
    outcome = run_here(trial("with_grandchild"), {"leave": True}, progress=lambda pid, *_: told.append(pid))
    assert isinstance(outcome, Done)
    assert gone(told[0])


def test_a_failure_that_has_a_code_comes_back_as_the_kind_it_was():
    outcome = run_here(trial("raise_known"), {})
    assert isinstance(outcome, Failed)
    assert (outcome.code, outcome.params, outcome.family) == ("calendar_unreadable", {"why": "没有", "count": 3}, "PersonDecides")
    with pytest.raises(PersonDecides, match="calendar_unreadable"):
        demand(outcome)


def test_an_unknown_failure_keeps_its_trace_for_the_journal():
    outcome = run_here(trial("raise_unknown"), {})
    assert isinstance(outcome, Failed)
    assert outcome.code == "job_failed"
    assert outcome.detail == "RuntimeError: out of the blue"
    assert "raise_unknown" in outcome.traceback


def test_a_result_that_is_no_json_is_a_failure_and_not_a_broken_line():
    assert isinstance(run_here(trial("not_json"), {}), Failed)


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [("leave", {"code": 3}, (0, 3)), ("leave", {"code": 0}, (0, 0)), ("shoot_itself", {}, (signal.SIGKILL, 0))],
)
def test_a_child_that_vanishes_is_killed_never_done(name, arguments, expected):
    outcome = run_here(trial(name), arguments)
    assert isinstance(outcome, Killed)
    assert (outcome.signal, outcome.exit_code) == expected


def test_the_child_has_a_clean_environment_and_leads_its_own_group(monkeypatch):
    monkeypatch.setenv("STEADYHAND_SECRET", "value")
    result = demand(run_here(trial("surroundings"), {}))
    assert "STEADYHAND_SECRET" not in result["environment"]
    assert result["folder"] == "/"
    assert result["leader"] is True


@pytest.mark.parametrize(
    "address",
    ["os:system", "steadyhand:x", "steadyhand.jobs.child", "steadyhand..x:y", "steadyhand.x:y.z", "steadyhand.x:y\n", "../x:y"],
)
def test_an_address_outside_the_package_is_refused_before_a_child_starts(address):
    with pytest.raises(Bug, match="job_body_unknown"):
        run_here(address, {})


@pytest.mark.parametrize("address", [trial("unmarked"), trial("signal"), trial("nothing"), "steadyhand.no_such:body"])
def test_only_marked_bodies_of_their_own_module_run(address):
    outcome = run_here(address, {})
    assert isinstance(outcome, Failed)
    assert outcome.code == "job_body_unknown"


def test_an_exception_in_the_callers_callback_ends_the_child():
    def fail(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_here(trial("wait_forever"), {}, progress=fail)


def test_cancelling_the_task_ends_the_child():
    async def cancel_once_begun():
        begun = asyncio.Event()
        task = asyncio.create_task(run_aside(trial("wait_forever"), {}, progress=lambda *_: begun.set()))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_once_begun())


def test_run_aside_returns_the_same_outcome():
    assert asyncio.run(run_aside(trial("echo"), {"a": 1})) == run_here(trial("echo"), {"a": 1})


@pytest.mark.parametrize("way", ["here", "aside"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_parent_that_ends_takes_its_child_along(way, number):
    command = [sys.executable, str(HERE / "parent_script.py"), way, *COMMAND]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as parent:
        pid = int(parent.stdout.readline())
        parent.send_signal(number)
        try:
            assert parent.wait(timeout=60) != 0
        finally:
            parent.kill()
    assert gone(pid)


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (TimedOut(1.5), OperatorRepairs),
        (OutOfMemory(64), OperatorRepairs),
        (TooMuchOutput(10), OperatorRepairs),
        (Cancelled(), PersonDecides),
        (Killed(9, 0), OperatorRepairs),
        (Failed("job_failed", "x", params={"kind": "ValueError"}), Bug),
    ],
)
def test_every_other_outcome_is_an_error_with_words_in_both_languages(outcome, kind):
    with pytest.raises(kind) as caught:
        demand(outcome)
    for chosen in language.LANGUAGES:
        for part in ("summary", "detail", "next"):
            assert language.say(chosen, f"error.{caught.value.code}.{part}", **caught.value.params)

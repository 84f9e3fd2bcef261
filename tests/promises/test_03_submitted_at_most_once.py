"""Promise 3, submitted at most once: fifty threads and two processes press approve, and one submission comes of it."""

import threading

import pytest

from steadyhand.core.errors import DecisionRefused
from trial_domains.stand import end_child, give_the_shot, letter, note, run, start_child

REFUSALS = {"wrong_state", "change_moved_on", "target_busy"}


def press_together(stand, row, *, threads=50, processes=2):
    """Let everybody press approve at the same moment; return what each was told."""
    children = [start_child(stand, "approve", str(row.number)) for _ in range(processes)]
    ready, said = threading.Barrier(threads + 1), []

    def press():
        ready.wait()
        try:
            said.append(run(stand.approve(row)).state)
        except DecisionRefused as error:
            said.append(error.code)

    pressing = [threading.Thread(target=press) for _ in range(threads)]
    for thread in pressing:
        thread.start()
    give_the_shot(stand, children)
    ready.wait()
    for thread in pressing:
        thread.join()
    return said + [end_child(child) for child in children]


def assert_once(stand, row, said, count):
    assert len(said) == count
    assert said.count("verified") == 1, said
    assert set(said) - {"verified"} <= REFUSALS, said
    assert stand.row(row.number).state == "verified"
    assert stand.events(row.number).count("execution_submitted") == 1
    assert [one.kind for one in stand.decisions(row.number)] == ["approve"]
    assert stand.chain_holds(row.number)


def test_fifty_threads_and_two_processes_make_one_submission(stand_now):
    row = run(stand_now.open(note("monday"), domain="notebook"))
    assert_once(stand_now, row, press_together(stand_now, row), 52)
    assert stand_now.notebook.effects_of(row.id) == 1


def test_on_a_foreign_target_each_effect_takes_place_once(stand_here):
    row = run(stand_here.open(letter("a"), letter("b"), domain="mailroom"))
    assert_once(stand_here, row, press_together(stand_here, row, threads=20, processes=0), 20)
    assert stand_here.mailroom.effects() == ["letter/a", "letter/b"]


def test_approving_again_after_the_end_is_refused(stand):
    row = run(stand.sealed())
    run(stand.approve(row))
    for _ in range(2):
        with pytest.raises(DecisionRefused, match="wrong_state"):
            run(stand.approve(row))
    assert stand.panel.executions == 1


def test_a_failed_submission_is_not_submitted_again_by_anybody(stand):
    stand.panel.mischief.add("before_effect")
    row = run(stand.sealed())
    assert run(stand.approve(row)).state == "failed"
    stand.panel.mischief.clear()
    with pytest.raises(DecisionRefused, match="wrong_state"):
        run(stand.approve(row))
    assert stand.panel.executions == 1
    assert stand.panel.content("main")["switches"] == 0

"""The optimiser: never below the quick engines, its bound below everything that is possible, its reasons and moves as they must be."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import psutil
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from domains.schedule.arranging import cases, causes, chore, chosen, course, naive_places, table
from steadyhand.core.clock import FakeClock
from steadyhand.core.language import LANGUAGES
from steadyhand.domains.schedule.arrange.aside import plan_here
from steadyhand.domains.schedule.arrange.attempts import Jobs
from steadyhand.domains.schedule.arrange.bound import SCALE, Pricing
from steadyhand.domains.schedule.arrange.door import arrange, demanded, plan, searched
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.arrange.outcome import Answer, Arrangement, assembled
from steadyhand.domains.schedule.arrange.report import Told
from steadyhand.domains.schedule.arrange.weights import WEIGHTS
from steadyhand.domains.schedule.board.model import Block, Place, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.replies.reply import Refused
from steadyhand.domains.schedule.replies.wording import wording

OPTIMISE = ArrangeOptions(engine="optimise", effort=1)
NONE: frozenset[str] = frozenset()


def rank(timetable: Timetable, arrangement: Arrangement) -> tuple[int, int]:
    ids = [placement.state_id for placement in arrangement.placements]
    return sum(timetable.tasks[state_id].priority for state_id in ids), len(ids)


def without_solver(timetable: Timetable, options: ArrangeOptions) -> Arrangement:
    jobs = demanded(timetable, options)
    return assembled(jobs, searched(jobs, solver=False))


# ---- every arrangement there is ---------------------------------------------------------------------------------------


def everything(timetable: Timetable, options: ArrangeOptions) -> Iterator[dict[int, Place]]:
    """Yield every legal arrangement of the pending tasks, by the naive reading."""
    waiting = [task for task in timetable.tasks.values() if task.place.status == "pending" and chosen(task, options)]
    waiting.sort(key=lambda task: (task.position or 0, task.state_id))

    def onward(table: Timetable, left: list[Task]) -> Iterator[dict[int, Place]]:
        if not left:
            yield {}
            return
        task, *others = left
        for rest in onward(table, others):
            yield rest
        for place in naive_places(table, task, options, NONE):
            put = [other.at(place) if other is task else other for other in table.tasks.values()]
            for rest in onward(Timetable(table.window, put), others):
                yield {task.state_id: place, **rest}

    return onward(timetable, waiting)


@st.composite
def small_cases(draw: st.DrawFn) -> tuple[Timetable, ArrangeOptions]:
    """Timetables of which every arrangement can be looked at."""
    days, slots = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    tasks: list[Task] = []
    for day in range(1, days + 1):
        if draw(st.booleans()):
            start = draw(st.integers(1, slots))
            end = min(slots, start + draw(st.integers(0, 2)))
            tasks.append(course(len(tasks) + 1, Block(day, start, end), host=draw(st.booleans())))
    for _ in range(draw(st.integers(1, 3))):
        tasks.append(
            chore(
                len(tasks) + 1,
                draw(st.integers(1, 3)),
                category=draw(st.integers(1, 2)),
                deadline=draw(st.one_of(st.none(), st.integers(1, 3))),
                earliest=draw(st.one_of(st.none(), st.integers(1, 2))),
                priority=draw(st.integers(1, 5)),
            )
        )
    options = replace(
        OPTIMISE,
        max_per_day=draw(st.one_of(st.none(), st.integers(1, 4))),
        preferred_slots=draw(st.sampled_from([(), (2,), (1, 2)])),
        embed=draw(st.booleans()),
        ordered=draw(st.sampled_from([True, True, False])),
    )
    return table(*tasks, days=days, slots=slots), options


@settings(max_examples=40, deadline=None)
@given(case=small_cases(), solver=st.booleans())
def test_a_small_case_is_solved_to_the_end_and_the_bound_is_below_everything(
    case: tuple[Timetable, ArrangeOptions], solver: bool
) -> None:
    timetable, options = case
    jobs = Jobs.of(timetable, options)
    costs: list[tuple[int, int, int]] = []
    for places in everything(timetable, options):
        placements = {
            state_id: jobs.problem().placement(state_id, spot)
            for state_id, place in places.items()
            for spot in jobs.problem().spots(state_id, place.slots[0].day)
            if (spot.start, spot.host) == (place.slots[0].start, place.embed_host or 0)
        }
        assert len(placements) == len(places), "a legal place is no candidate"
        priority = sum(timetable.tasks[state_id].priority for state_id in placements)
        costs.append((priority, len(placements), -jobs.costs.objective(placements).total))
    found = assembled(jobs, searched(jobs, solver=solver))
    assert found.quality is not None
    reached = (*rank(timetable, found), -found.objective.total)
    assert reached in costs
    assert found.quality.bound <= min(-cost for priority, _, cost in costs if priority >= reached[0])
    if solver:
        assert (reached[0], reached[2]) == max((priority, cost) for priority, _, cost in costs)
        assert found.gap == 0.0
    pricing = Pricing(jobs.problem())
    for prices in (pricing.start(jobs.costs.base), pricing.limited([[7 * SCALE] * len(row) for row in pricing.ceilings])):
        assert pricing.evaluate(prices)[0] <= SCALE * min(-cost for _, _, cost in costs)


# ---- whatever the case ------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(case=cases(), keep=st.booleans(), solver=st.booleans())
def test_it_is_legal_and_never_below_the_quick_engines(case: tuple[Timetable, ArrangeOptions], keep: bool, solver: bool) -> None:
    timetable, options = case[0], replace(case[1], engine="optimise", effort=1, keep=keep)
    jobs = demanded(timetable, options)
    found = assembled(jobs, searched(jobs, solver=solver))
    after = timetable.copy()
    after.apply(found.delta)
    for change in found.delta:
        task = after.tasks[change.state_id]
        if task.place.slots:
            assert task.place in set(naive_places(after, task, options, NONE)), task
    greedy = plan(timetable, replace(options, engine="greedy"))
    assert rank(timetable, found) >= rank(timetable, greedy)
    if not keep:  # first-fit takes a task from its place where greedy lets it stay
        assert rank(timetable, found) >= rank(timetable, plan(timetable, replace(options, engine="first_fit")))
    assert found.quality is not None
    assert 0 <= found.quality.bound <= found.objective.total
    if rank(timetable, found) == rank(timetable, greedy):
        assert found.objective.total <= greedy.objective.total
        assert found.quality.bound <= greedy.objective.total


@settings(max_examples=25, deadline=None)
@given(case=cases())
def test_the_same_question_has_the_same_answer(case: tuple[Timetable, ArrangeOptions]) -> None:
    timetable, options = case[0], replace(case[1], engine="optimise", effort=2)
    before = timetable.snapshot()
    found = plan(timetable, options)
    assert found == plan(timetable.copy(), options)
    assert found.quality is not None
    assert found.quality.deterministic
    assert timetable.snapshot() == before


@settings(max_examples=40, deadline=None)
@given(case=small_cases())
def test_what_is_proven_out_is_out_of_every_arrangement_and_a_lifted_rule_lets_it_in(
    case: tuple[Timetable, ArrangeOptions],
) -> None:
    timetable, options = case
    after = timetable.copy()
    found = arrange(after, options)
    assume(found.unplaced)
    placed = {placement.state_id for placement in found.placements}
    possible = [set(places) for places in everything(timetable, options)]
    for entry in found.unplaced:
        assert entry.proven  # nothing here is too large to be proven
        assert not any(placed | {entry.state_id} <= ids for ids in possible)
        for language in LANGUAGES:
            assert Told(found, dict(after.tasks), after.window, 0).in_words(wording(language))


@settings(max_examples=30, deadline=None)
@given(case=cases())
def test_each_task_stands_at_its_cheapest_open_place_and_the_parts_add_up(case: tuple[Timetable, ArrangeOptions]) -> None:
    timetable, options = case[0], replace(case[1], engine="optimise", effort=1, move_suggested=False)
    found = plan(timetable, options)
    assert [why.state_id for why in found.whys] == sorted(placement.state_id for placement in found.placements)
    told = Told(found, dict(timetable.tasks), timetable.window, 0)
    for why in found.whys:
        if why.other is not None:
            assert why.cost <= why.other_cost
        for language in LANGUAGES:
            assert f"[{why.state_id}]" in (told.why(language, why.state_id) or "")


# ---- planning again ---------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(case=cases(), blocked=st.integers(1, 6))
def test_when_days_are_blocked_only_what_stands_there_moves_where_that_is_enough(
    case: tuple[Timetable, ArrangeOptions], blocked: int
) -> None:
    timetable, options = case
    options = replace(options, engine="optimise", effort=1, keep=True, max_per_day=None, excluded_days=(), task_ids=None)
    after = timetable.copy()
    first = arrange(after, replace(options, keep=False, engine="greedy", move_suggested=False))
    assume(first.placements)
    again = replace(options, excluded_days=(min(blocked, timetable.window.total_days),))
    jobs = Jobs.of(after, again)
    problem = jobs.problem()
    stuck = {
        state_id
        for state_id, task in jobs.tasks.items()
        if task.place.slots
        and not any(
            (spot.start, spot.host) == (task.place.slots[0].start, task.place.embed_host or 0)
            for spot in problem.spots(state_id, task.place.slots[0].day)
        )
    }
    found = plan(after, again)
    if len(found.placements) == len(jobs.tasks):
        calm = plan(after, replace(again, engine="greedy"))
        if len(calm.placements) == len(jobs.tasks) and set(calm.moved) <= stuck:
            assert set(found.moved) <= stuck
    assert all(after.tasks[state_id].place.slots for state_id in found.moved)
    assert found.objective.parts["moves"] <= WEIGHTS.kept_moves * len(found.moved)


def test_a_task_moves_out_of_the_way_only_where_another_would_have_no_place() -> None:
    in_the_way = chore(1, 1, category=1, place=Place("suggested", (Block(1, 2, 2),), 1))
    roomy = table(in_the_way, chore(2, 3, category=2), days=2)
    calm = plan(roomy, replace(OPTIMISE, keep=True))
    assert calm.moved == ()
    assert [placement.block.day for placement in calm.placements] == [1, 2]
    tight = plan(table(in_the_way, chore(2, 3, category=2), days=1), replace(OPTIMISE, keep=True))
    assert (tight.moved, tight.unplaced) == ((1,), ())
    assert tight.objective.parts["moves"] == WEIGHTS.kept_moves


# ---- limits, stops and losses -----------------------------------------------------------------------------------------


def crowded() -> Timetable:
    """Enough tasks that a search does not end at once."""
    return table(*(chore(number, 1 + number % 3, category=number % 7, deadline=18) for number in range(1, 61)), days=20, slots=8)


def test_a_cap_by_the_clock_ends_the_search_and_says_so() -> None:
    clock = FakeClock()
    jobs = demanded(crowded(), replace(OPTIMISE, effort=50, cap_seconds=10))
    heard: list[int] = []

    def tell(news: object) -> None:
        heard.append(1)
        clock.advance(timedelta(seconds=6))

    found = assembled(jobs, searched(jobs, tell, clock))
    assert found.quality is not None
    assert (found.quality.capped, found.quality.deterministic) == (True, False)
    assert len(heard) < 6
    for language in LANGUAGES:
        told = Told(found, dict(jobs.timetable.tasks), jobs.timetable.window, 0)
        assert told.for_person(language)


def test_without_the_solver_it_searches_all_the_same_and_says_so() -> None:
    found = without_solver(crowded(), replace(OPTIMISE, effort=2))
    assert found.quality is not None
    assert found.quality.notes == ("solver_missing",)
    assert found.objective.total < plan(crowded(), ArrangeOptions()).objective.total
    assert "OR-tools" in Told(found, dict(crowded().tasks), crowded().window, 0).for_person("en")


def test_an_answer_survives_the_way_from_the_child() -> None:
    tasks = [chore(number, 1 + number % 3, category=number % 4, deadline=2) for number in range(1, 9)]
    timetable, options = table(*tasks, days=3), replace(OPTIMISE, max_per_day=3)
    steps: list[int] = []
    found = plan_here(timetable, options, watch=lambda step: steps.append(step.cost))
    assert found == plan(timetable, options)
    assert found.unplaced
    assert steps == sorted(steps, reverse=True)
    jobs = demanded(timetable, options)
    answer = searched(jobs)
    assert Answer.from_json(answer.to_json(), jobs) == answer


def test_a_stopped_search_keeps_its_best() -> None:
    seen: list[int] = []
    found = plan_here(
        crowded(), replace(OPTIMISE, effort=10_000), watch=lambda step: seen.append(step.cost), stop=lambda: len(seen) > 1
    )
    assert found.quality is not None
    assert found.quality.notes == ("stopped",)
    assert found.objective.total == seen[-1]
    assert not found.quality.deterministic


def test_a_search_whose_child_is_lost_keeps_the_best_that_it_told() -> None:
    seen: list[int] = []

    def watch(step: object) -> None:
        seen.append(step.cost)  # type: ignore[attr-defined]  # a Step
        if len(seen) == 1:  # the first report: the search has only begun
            alive = [one for one in psutil.Process().children() if one.status() != psutil.STATUS_ZOMBIE]
            [child] = [one for one in alive if "steadyhand.jobs.child" in one.cmdline()]
            child.kill()

    found = plan_here(crowded(), replace(OPTIMISE, effort=10_000), watch=watch)
    assert found.quality is not None
    assert found.quality.notes == ("child_lost",)
    assert found.objective.total == min(seen)
    assert "reported" in Told(found, dict(crowded().tasks), crowded().window, 0).for_person("en")


def test_a_search_that_is_stopped_before_it_said_anything_answers_greedily() -> None:
    found = plan_here(crowded(), replace(OPTIMISE, effort=10_000), stop=lambda: True)
    assert found.placements == plan(crowded(), ArrangeOptions()).placements
    assert found.quality is not None
    assert found.quality.bound == 0


@pytest.mark.parametrize("options", [replace(OPTIMISE, effort=0), replace(OPTIMISE, cap_seconds=0.0)])
def test_an_effort_or_a_cap_that_cannot_be_is_refused(options: ArrangeOptions) -> None:
    with pytest.raises(Refused):
        plan_here(crowded(), options)


def test_a_reason_is_found_by_lifting_a_rule_for_the_whole_and_not_only_for_what_is_left_over() -> None:
    # the one slot in the middle of day 2 leaves no run of three, until it is arranged anew together with the late one
    tasks = [
        chore(1, 4, category=1, deadline=1, priority=5),
        chore(2, 3, category=2, deadline=1),
        chore(3, 1, category=3, earliest=2),
    ]
    options = replace(OPTIMISE, preferred_slots=(2,))
    quick = plan(table(*tasks, days=2), replace(options, engine="greedy"))
    assert [causes(entry) for entry in quick.unplaced] == [["no_free_run"]]
    found = plan(table(*tasks, days=2), options)
    assert [(entry.state_id, causes(entry), entry.proven) for entry in found.unplaced] == [(2, ["deadline"], True)]
    bare = without_solver(table(*tasks, days=2), options)
    assert [entry.proven for entry in bare.unplaced] == [False]
    told = Told(bare, dict(table(*tasks).tasks), table(*tasks).window, 1)
    assert "not proven" in told.in_words(wording("en"))
    assert "未证明" in told.in_words(wording("zh-CN"))

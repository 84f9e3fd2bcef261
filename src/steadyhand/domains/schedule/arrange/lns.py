"""Decides which tasks are put up for better places together, again and again, and what of it is kept; it must not prove anything.

Each round frees a neighbourhood (tasks that stand on days near each other, whole categories, or a task without a place and those in
its way), offers each of them the places that the priced days find promising, and keeps the answer when it ranks no lower. The rounds follow a
fixed sequence of numbers, so that the same problem is always searched in the same way.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from steadyhand.domains.schedule.arrange.columns import Problem, Spot
from steadyhand.domains.schedule.arrange.model_cp import Wish, solve
from steadyhand.domains.schedule.arrange.seating import Seating

ROUND_EFFORT = 0.2
SMALLEST, LARGEST, LARGEST_QUICK = 6, 60, 16
NEXT = 3
PLACES, MANY_PLACES = 1_600, 6_000
"""How many places a neighbourhood may offer together."""


class Numbers:
    """A fixed sequence of whole numbers that looks random (a 64-bit linear congruence, high bits)."""

    def __init__(self, seed: int = 1) -> None:
        self._state = seed

    def below(self, limit: int) -> int:
        """Return the next number, from 0 up to *limit* exclusive."""
        self._state = (self._state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % (1 << 64)
        return (self._state >> 33) % limit


@dataclass(slots=True)
class Search:
    """A search under way: the best arrangement so far, and how large the next neighbourhood is.

    *homes* are the places that tasks had and may keep; *movable* are those that it may move or place, at first all.
    """

    problem: Problem
    best: Seating
    reduced: Mapping[int, Sequence[int]]
    homes: Mapping[int, Spot]
    movable: tuple[int, ...] = ()
    numbers: Numbers = field(default_factory=Numbers)
    size: float = 10.0

    def __post_init__(self) -> None:
        self.movable = self.movable or tuple(self.problem.tasks)

    @property
    def strayed(self) -> list[int]:
        """The tasks that left a place which they could have kept."""
        spots = self.best.spots
        return [state_id for state_id, home in self.homes.items() if spots.get(state_id) != home]

    def settle(self) -> None:
        """Move single tasks to cheaper places until none gets cheaper."""
        self.best.settle(self.movable)

    def quick_rounds(self, work: int, over: Callable[[], bool]) -> bool:
        """Free and give places again, as long as *work* (days looked at) lasts; tell whether the arrangement became better."""
        better = False
        end = self.problem.work + work
        while self.problem.work < end and not over():
            self.problem.work += 1  # a round without any look costs too, so that this ends
            chosen = self._neighbourhood(3 + self.numbers.below(LARGEST_QUICK))
            better |= bool(chosen) and self._again(chosen)
        return better

    def exact_round(self, seconds: float | None) -> bool:
        """Let the solver place a neighbourhood; tell whether the arrangement became better."""
        chosen = self._neighbourhood(int(self.size))
        return bool(chosen) and self._exactly(chosen, seconds)

    # ---- what to free ------------------------------------------------------------------------------------------------

    def _neighbourhood(self, size: int) -> list[int]:
        waiting = [state_id for state_id in self.movable if state_id not in self.best.spots and self.problem.days[state_id]]
        kind = self.numbers.below(6)
        away = self.strayed
        if away and self.numbers.below(2):
            state_id = away[self.numbers.below(len(away))]
            return self._near(self.homes[state_id].day, size, self._with_neighbours(state_id))
        if waiting and kind < 4:
            first = self._first_waiting(waiting[self.numbers.below(len(waiting))])
            return self._around(first, size) if kind < 2 or not self.problem.chains else self._trade(first, size)
        if kind < 5 or not self.problem.chains:
            return self._near(1 + self.numbers.below(self.problem.board.days), size)
        return self._of_chains(size)

    def _first_waiting(self, state_id: int) -> int:
        found = self.problem.place_in_chain.get(state_id)
        if found is None:
            return state_id
        return next(member for member in found[0].members if member == state_id or member not in self.best.spots)

    def _near(self, day: int, size: int, keep: Iterable[int] = ()) -> list[int]:
        """Return the movable tasks that stand nearest to *day*, besides *keep*."""
        spots = self.best.spots
        chosen = dict.fromkeys(keep)
        placed = [state_id for state_id in self.movable if state_id in spots and state_id not in chosen]
        placed.sort(key=lambda state_id: (abs(spots[state_id].day - day), state_id))
        return [*chosen, *placed[: max(size - len(chosen), 0)]]

    def _around(self, state_id: int, size: int) -> list[int]:
        """Return a waiting task, those of its category, and tasks that stand on a day on which it could stand."""
        days = self.problem.days[state_id]
        day = days[self.numbers.below(len(days))] if days else 1 + self.numbers.below(self.problem.board.days)
        return self._near(day, size, self._with_neighbours(state_id))

    def _trade(self, state_id: int, size: int) -> list[int]:
        """Return a waiting task, those that wait for it, and the last placed ones of other categories, which nobody waits for."""
        spots, movable = self.best.spots, set(self.movable)
        found = self.problem.place_in_chain.get(state_id)
        behind = found[0].members[found[1] : found[1] + NEXT] if found is not None else (state_id,)
        chosen = dict.fromkeys(member for member in behind if member in movable and member not in spots)
        for _ in range(size):
            chain = self.problem.chains[self.numbers.below(len(self.problem.chains))]
            placed = [member for member in chain.members if member in spots and member in movable]
            chosen.update(dict.fromkeys(placed[len(placed) - 1 - self.numbers.below(NEXT) :]))
            if len(chosen) >= size:
                break
        return list(chosen)

    def _with_neighbours(self, state_id: int) -> list[int]:
        """Return a task and the movable ones next to it in its category."""
        found = self.problem.place_in_chain.get(state_id)
        if found is None:
            return [state_id]
        movable, place = set(self.movable), found[1]
        near = found[0].members[max(place - NEXT, 0) : place + NEXT + 1]
        return [state_id, *(member for member in near if member != state_id and member in movable)]

    def _of_chains(self, size: int) -> list[int]:
        chosen: dict[int, None] = {}
        movable = set(self.movable)
        for _ in range(len(self.problem.chains)):
            chain = self.problem.chains[self.numbers.below(len(self.problem.chains))]
            chosen.update(dict.fromkeys(member for member in chain.members if member in movable))
            if len(chosen) >= size:
                break
        return list(chosen)[:size]

    # ---- how to put it back ------------------------------------------------------------------------------------------

    def bring_home(self, seconds: float | None) -> None:
        """Let the solver place anew all that do not stand where they stood, so that none of them has moved in vain."""
        moved = [state_id for state_id, spot in self.best.spots.items() if self.homes.get(state_id) != spot]
        if len(moved) <= LARGEST:
            answer = solve(self.problem, self.best, self.offers(moved, MANY_PLACES), Wish(ROUND_EFFORT, seconds))
            if answer.status in {"optimal", "feasible"}:
                self.replace(moved, answer.spots)

    def _exactly(self, chosen: list[int], seconds: float | None) -> bool:
        free = self.offers(chosen, PLACES)
        answer = solve(self.problem, self.best, free, Wish(ROUND_EFFORT, seconds))
        if answer.status == "optimal":
            self.size = min(
                self.size * (1.08 if answer.effort < ROUND_EFFORT / 2 else 1.0), LARGEST, max(len(self.movable), SMALLEST)
            )
        else:
            self.size = max(self.size * 0.9, SMALLEST)
        if answer.status not in {"optimal", "feasible"}:
            return False
        return self.replace(chosen, answer.spots)

    def offers(self, chosen: Sequence[int], places: int) -> dict[int, list[Spot]]:
        """Return for each task its most promising places, about *places* in all, the present one and its home included."""
        each = max(places // max(len(chosen), 1), 12)
        offers: dict[int, list[Spot]] = {}
        for state_id in chosen:
            row = self.reduced.get(state_id)
            days = self.problem.days[state_id]
            if row is not None:
                days = [day for _, day in sorted((row[day], day) for day in days)]
            spots: list[Spot] = []
            for day in days:
                spots.extend(self.problem.spots(state_id, day))
                if len(spots) >= each:
                    break
            for known in (self.best.spots.get(state_id), self.homes.get(state_id)):
                if known is not None and known not in spots:
                    spots.append(known)
            offers[state_id] = spots
        return offers

    def _again(self, chosen: list[int]) -> bool:
        """Give the freed tasks the cheapest places one by one, in a new order."""
        trial = self.best.copy()
        self._free(trial, chosen)
        order = sorted(chosen, key=lambda _: self.numbers.below(1 << 30))
        if self.numbers.below(2):
            order.sort(key=lambda state_id: -self.problem.tasks[state_id].priority)
        waiting = order
        while waiting:  # one whose turn came before that of an earlier one in its category tries again
            left = [state_id for state_id in waiting if not _put(trial, state_id)]
            if len(left) == len(waiting):
                break
            waiting = left
        for state_id in waiting:
            trial.drop_after(state_id)
        trial.settle(chosen)
        return self._keep(trial)

    def replace(self, chosen: Iterable[int], spots: Mapping[int, Spot]) -> bool:
        """Put the tasks *chosen* at *spots*, and keep that when it ranks no lower; tell whether it became better."""
        trial = self.best.copy()
        self._free(trial, chosen)
        for state_id, spot in spots.items():
            trial.put(state_id, spot)
        return self._keep(trial)

    def _free(self, trial: Seating, chosen: Iterable[int]) -> None:
        for state_id in chosen:
            if state_id in trial.spots:
                trial.take(state_id)

    def _keep(self, trial: Seating) -> bool:
        rank, present = trial.rank(), self.best.rank()
        if rank >= present:
            self.best = trial
        return rank > present


def _put(seating: Seating, state_id: int) -> bool:
    found = seating.cheapest(state_id)
    if found is not None:
        seating.put(state_id, found[1])
    return found is not None

"""Decides what holds while places are given and taken back: cells, loads, order, cost. It must not choose a place."""

from collections.abc import Iterable, Mapping

from steadyhand.domains.schedule.arrange.board import Moment, Placement
from steadyhand.domains.schedule.arrange.columns import Problem, Spot

Rank = tuple[int, int, int]
"""Priority placed, tasks placed, minus the cost: the higher the better."""
START: Moment = (0, 0)
END: Moment = (1 << 30, 0)


class Seating:
    """An arrangement that can be changed place by place; every step keeps it legal."""

    def __init__(self, problem: Problem, spots: Mapping[int, Spot] | None = None) -> None:
        self.problem = problem
        self.spots: dict[int, Spot] = {}
        self.held: dict[tuple[int, int], int] = {}  # by day and host (0: free slots), the slots that these tasks hold
        self.loads = list(problem.costs.base)
        self.own = [0] * len(self.loads)
        self.cost = problem.unplaced_in_all
        self.priority = 0
        for state_id, spot in (spots or {}).items():
            self.put(state_id, spot)

    def copy(self) -> "Seating":
        """Return an independent seating with the same places."""
        twin = Seating(self.problem)
        twin.spots = dict(self.spots)
        twin.held = dict(self.held)
        twin.loads = list(self.loads)
        twin.own = list(self.own)
        twin.cost, twin.priority = self.cost, self.priority
        return twin

    def put(self, state_id: int, spot: Spot) -> None:
        """Give *spot* to a task without a place; the caller knows that it is open."""
        length = self.problem.lengths[state_id]
        room = spot.day, spot.host
        self.spots[state_id] = spot
        self.held[room] = self.held.get(room, 0) | ((1 << length) - 1) << (spot.start - 1)
        self.cost += spot.cost + self.growth(state_id, spot.day) - self.problem.unplaced[state_id]
        self.priority += self.problem.tasks[state_id].priority
        self.loads[spot.day] += length
        self.own[spot.day] += length

    def take(self, state_id: int) -> Spot:
        """Take the place of a task back and return it."""
        spot = self.spots.pop(state_id)
        length = self.problem.lengths[state_id]
        self.held[spot.day, spot.host] &= ~(((1 << length) - 1) << (spot.start - 1))
        self.loads[spot.day] -= length
        self.own[spot.day] -= length
        self.cost -= spot.cost + self.growth(state_id, spot.day) - self.problem.unplaced[state_id]
        self.priority -= self.problem.tasks[state_id].priority
        return spot

    def is_open(self, state_id: int, spot: Spot) -> bool:
        """Tell whether no task holds a slot of *spot*."""
        ones = (1 << self.problem.lengths[state_id]) - 1
        return not self.held.get((spot.day, spot.host), 0) & ones << (spot.start - 1)

    def drop_after(self, state_id: int) -> None:
        """Take the places of all that come after a task without one in its category."""
        found = self.problem.place_in_chain.get(state_id)
        if found is not None and state_id not in self.spots:
            chain, place = found
            for member, rank in zip(chain.members, chain.ranks, strict=True):
                if rank > chain.ranks[place] and member in self.spots:
                    self.take(member)

    def limits(self, state_id: int, without: frozenset[int] = frozenset()) -> tuple[Moment, Moment] | None:
        """Return between which moments the order leaves a task, those of *without* not counted; None when one before it waits."""
        found = self.problem.place_in_chain.get(state_id)
        if found is None:
            return START, END
        chain, place = found
        first, last = START, END
        nearest: int | None = None
        for at in range(place - 1, -1, -1):
            other, rank = chain.members[at], chain.ranks[at]
            if other in without or rank == chain.ranks[place] or (nearest is not None and rank != nearest):
                continue
            nearest = rank
            spot = self.spots.get(other)
            if spot is None:
                return None
            first = max(first, (spot.day, spot.start + self.problem.lengths[other] - 1))
        for at in range(place + 1, len(chain.members)):
            other = chain.members[at]
            if chain.ranks[at] > chain.ranks[place] and other in self.spots and other not in without:
                last = min(last, (self.spots[other].day, self.spots[other].start))
        return first, last

    def growth(self, state_id: int, day: int) -> int:
        """Return what the load of *day* would cost more with the task on it."""
        return self.problem.costs.growth(self.loads[day], self.problem.lengths[state_id])

    def cheapest(self, state_id: int, but: Spot | None = None) -> tuple[int, Spot] | None:
        """Return the cheapest legal place of a task now, besides *but*, with its cost; of equal ones the earliest."""
        limits = self.limits(state_id)
        if limits is None:
            return None
        length = self.problem.lengths[state_id]
        least_growth = self.problem.costs.growth(0, length)
        best: tuple[int, Spot] | None = None
        for least, day, spots in self.problem.outwards[state_id]:
            if best is not None and least + least_growth >= best[0]:
                break
            self.problem.work += 1
            if not limits[0][0] <= day <= limits[1][0] or self.own[day] + length > self.problem.room_for_suggested(day):
                continue
            load = self.growth(state_id, day)
            if best is not None and load + least >= best[0]:
                continue
            spot = self._first_open(spots, length, limits, but)
            if spot is not None and (best is None or load + spot.cost < best[0]):
                best = load + spot.cost, spot
        return best

    def _first_open(self, spots: Iterable[Spot], length: int, limits: tuple[Moment, Moment], but: Spot | None) -> Spot | None:
        ones, (first, last) = (1 << length) - 1, limits
        for spot in spots:
            day, start, host, _ = spot
            if self.held.get((day, host), 0) & ones << (start - 1):
                continue
            if first < (day, start) and (day, start + length - 1) < last and spot != but:
                return spot
        return None

    def rank(self) -> Rank:
        """Return what decides between arrangements."""
        return self.priority, len(self.spots), -self.cost

    def placements(self) -> dict[int, Placement]:
        """Return the placements, by id."""
        return {state_id: self.problem.placement(state_id, spot) for state_id, spot in sorted(self.spots.items())}

    def settle(self, among: Iterable[int]) -> None:
        """Move single tasks of *among* to cheaper places until none gets cheaper, and place those that can be."""
        tasks = tuple(among)
        changed = True
        while changed:
            changed = False
            for state_id in tasks:
                changed |= self._improve(state_id)

    def _improve(self, state_id: int) -> bool:
        if state_id not in self.spots:
            found = self.cheapest(state_id)
            if found is None:
                return False
            self.put(state_id, found[1])
            return True
        spot = self.take(state_id)
        present = spot.cost + self.growth(state_id, spot.day)
        found = self.cheapest(state_id)
        better = found is not None and found[0] < present
        self.put(state_id, found[1] if found is not None and better else spot)
        return better


def seated(problem: Problem, placements: Mapping[int, Placement]) -> Seating | None:
    """Return *placements* as a seating, or None where one of them breaks a rule or the order of its category."""
    seating = Seating(problem)
    for state_id, placement in placements.items():
        spot = problem.spot_of(placement)
        if spot is None:
            return None
        if not seating.is_open(state_id, spot):
            return None
        seating.put(state_id, spot)
    if any(own > problem.room_for_suggested(day) for day, own in enumerate(seating.own) if own):
        return None
    for state_id, spot in seating.spots.items():
        limits = seating.limits(state_id)
        end = (spot.day, spot.start + problem.lengths[state_id] - 1)
        if limits is None or not (limits[0] < (spot.day, spot.start) and end < limits[1]):
            return None
    return seating

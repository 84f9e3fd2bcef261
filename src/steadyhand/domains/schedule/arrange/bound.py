"""Decides a proven lower bound of the cost of any arrangement, by pricing the slots of each day; it must not choose a place.

Tasks are told apart by length. On each day, a task of some length *buys* a place of that length, and the day *sells* places. For any
prices, the cheapest way for every category to buy (in its order, each task at most once) plus the cheapest way for every day to
sell (a real packing of its free slots and hosts, with the real cost of its load) is no more than what any arrangement
costs: where each sale is bought, the prices cancel. All sums are whole numbers, so that nothing is lost to rounding. The prices are improved
by subgradient steps; at their limit the bound is that of the linear relaxation over whole categories and whole days.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import add

from steadyhand.domains.schedule.arrange.columns import Problem
from steadyhand.domains.schedule.arrange.weights import present
from steadyhand.domains.schedule.board.occupancy import starts_of

SCALE = 64
NEVER = 1 << 40
PATIENCE = 8
MOMENTUM = 0.6
SLOWEST = 1 / 512
Prices = list[list[int]]
"""By length (its index), then by day; day 0 is not used."""


@dataclass(slots=True)
class _Group:
    """Tasks that are priced together: a category in order, or one task."""

    members: tuple[int, ...]
    lengths: tuple[int, ...]
    costs: tuple[list[int], ...]
    unplaced: tuple[int, ...]


@dataclass(slots=True)
class _Day:
    """What one day can sell: each room as the starts of each length, and what its load costs."""

    rooms: list[list[int]]
    extra: list[list[list[int]]]
    growth: list[int]


@dataclass(slots=True)
class Pricing:
    """The relaxation of one problem, ready to be evaluated at any prices.

    *unordered* tasks are priced one by one; *loose* ones may also stay where they are, at no more than that costs at least.
    """

    problem: Problem
    unordered: frozenset[int] = frozenset()
    loose: frozenset[int] = frozenset()
    lengths: tuple[int, ...] = ()
    ceilings: Prices = field(default_factory=list[list[int]])
    _groups: list[_Group] = field(default_factory=list[_Group])
    _days: list[_Day] = field(default_factory=list[_Day])

    def __post_init__(self) -> None:
        self.lengths = tuple(sorted({task.length for task in self.problem.tasks.values()}))
        self._groups = [self._group(members) for members in self._sets()]
        self._days = [self._day(day) for day in range(1, self.problem.board.days + 1)]
        self.ceilings = self._ceilings()

    def _sets(self) -> Iterator[tuple[int, ...]]:
        grouped: set[int] = set()
        for chain in self.problem.chains:
            if chain.strict and not self.unordered & set(chain.members):
                grouped.update(chain.members)
                yield chain.members
        yield from ((state_id,) for state_id in self.problem.tasks if state_id not in grouped)

    def _group(self, members: tuple[int, ...]) -> _Group:
        return _Group(
            members,
            tuple(self.lengths.index(self.problem.tasks[state_id].length) for state_id in members),
            tuple(self._by_day(state_id) for state_id in members),
            tuple(SCALE * self._without(state_id) for state_id in members),
        )

    def _without(self, state_id: int) -> int:
        """Return what a task costs at least that buys nothing."""
        costs, block = self.problem.costs, present(self.problem.tasks[state_id])
        unplaced = self.problem.unplaced[state_id]
        if state_id not in self.loose or block is None:
            return unplaced
        away = costs.weights.spread * abs(block.day - costs.ideal[state_id])
        return min(unplaced, away + costs.of_slots(block.start, len(block)))

    def _by_day(self, state_id: int) -> list[int]:
        """Return what each day costs a task besides its slots and its load, at least."""
        costs, task = self.problem.costs, self.problem.tasks[state_id]
        row = [NEVER] * (self.problem.board.days + 1)
        stood = present(task)
        for day in self.problem.days[state_id]:
            leaving = costs.weights.moves if stood is not None and stood.day != day else 0
            row[day] = SCALE * (costs.weights.spread * abs(day - costs.ideal[state_id]) + leaving)
        return row

    def _day(self, day: int) -> _Day:
        problem, room = self.problem, self.problem.board.rooms[day]
        open_mask = problem.rules.open_mask & problem.board.full
        masks = [room.free & open_mask]
        inside = [0]
        if problem.options.embed:
            masks += [host.mask & open_mask for host in room.hosts]
            inside += [problem.costs.weights.embedding] * len(room.hosts)
        if day in problem.options.excluded_days:
            masks, inside = [], []
        most = min(sum(mask.bit_count() for mask in masks), max(problem.room_for_suggested(day), 0))
        rooms = [[starts_of(mask, length) for length in self.lengths] for mask in masks]
        extra = [
            [
                [SCALE * (problem.costs.of_slots(start, length) + weight * length) for start in range(problem.board.slots + 1)]
                for length in self.lengths
            ]
            for weight in inside
        ]
        return _Day(rooms, extra, [SCALE * problem.costs.growth(room.load, more) for more in range(most + 1)])

    def _ceilings(self) -> Prices:
        """Return the highest prices: nobody pays more than being left out costs, and where jobs host jobs no sale may gain."""
        longest = max((task.length for task in self.problem.hosting()), default=0)
        dearest = SCALE * max(self.problem.unplaced.values(), default=0)
        rows: Prices = []
        for length in self.lengths:
            if length > longest:
                rows.append([dearest * 2] * (self.problem.board.days + 1))
                continue
            cheapest = self.problem.costs.starts(length)[0][0] + self.problem.costs.weights.embedding * length
            loads = (self.problem.costs.growth(room.load, length) for room in self.problem.board.rooms)
            rows.append([SCALE * (cheapest + load) for load in loads])
        return rows

    def start(self, loads: Sequence[int]) -> Prices:
        """Return prices to begin with: what one more task would add to days that hold *loads*."""
        growth = self.problem.costs.growth
        prices = [[0, *(SCALE * growth(max(load - length, 0), length) for load in loads[1:])] for length in self.lengths]
        return self.limited(prices)

    def limited(self, prices: Prices) -> Prices:
        """Return *prices* within their limits."""
        return [
            [min(max(price, 0), ceiling) for price, ceiling in zip(row, limits, strict=True)]
            for row, limits in zip(prices, self.ceilings, strict=True)
        ]

    def by_length(self) -> Iterator[tuple[int, list[int]]]:
        """Yield each length with the limits of its prices."""
        return zip(self.lengths, self.ceilings, strict=True)

    def evaluate(self, prices: Prices) -> tuple[int, list[list[int]]]:
        """Return the bound, scaled, at *prices*, and by length and day how many more are bought than sold."""
        excess = [[0] * (self.problem.board.days + 1) for _ in self.lengths]
        total = 0
        for group in self._groups:
            value, days = _buy(group, prices)
            total += value
            for length, day in zip(group.lengths, days, strict=False):
                excess[length][day] += 1
        for number, day in enumerate(self._days, 1):
            if day.rooms:
                value, sold = _sell(day, [row[number] for row in prices], self.lengths, self.problem.board.slots)
                total += value
                for length, count in enumerate(sold):
                    excess[length][number] -= count
        return total, excess

    def reduced(self, prices: Prices) -> dict[int, list[int]]:
        """Return for each task and day by how much (scaled) the bound at *prices* rises when the task stands there."""
        return {
            state_id: row for group in self._groups for state_id, row in zip(group.members, _reduced(group, prices), strict=True)
        }


def _tables(group: _Group, prices: Prices) -> tuple[list[list[int]], list[list[int]]]:
    """Return for each member its own cost by day, and the least cost of it and all before it when it stands on a day or earlier."""
    own = [list(map(add, row, prices[length])) for row, length in zip(group.costs, group.lengths, strict=True)]
    reach: list[list[int]] = []
    for row in own:
        reach.append(list(accumulate(map(add, reach[-1], row) if reach else row, min)))
    return own, reach


def _buy(group: _Group, prices: Prices) -> tuple[int, list[int]]:
    """Return the least cost of a group and the days that its first members get; the others get none."""
    _, reach = _tables(group, prices)
    left = sum(group.unplaced)
    best, placed = left, 0
    for place, row in enumerate(reach):
        left -= group.unplaced[place]
        if row[-1] + left < best:
            best, placed = row[-1] + left, place + 1
    days: list[int] = []
    last = len(prices[0]) - 1
    for place in range(placed - 1, -1, -1):
        last = reach[place].index(reach[place][last])
        days.append(last)
    return best, days[::-1]


def _reduced(group: _Group, prices: Prices) -> list[list[int]]:
    own, reach = _tables(group, prices)
    least = _buy(group, prices)[0]
    size = len(prices[0])
    after = [0] * size
    rows: list[list[int]] = []
    for place in range(len(own) - 1, -1, -1):
        before = reach[place - 1] if place else [0] * size
        through = [a + b + c for a, b, c in zip(before, own[place], after, strict=True)]
        rows.append([min(cost - least, NEVER) for cost in through])
        stop = sum(group.unplaced[place:])
        onward = list(map(add, own[place], after))
        after = [min(cost, stop) for cost in list(accumulate(reversed(onward), min))[::-1]]
    return rows[::-1]


def _sell(day: _Day, prices: Sequence[int], lengths: Sequence[int], slots: int) -> tuple[int, list[int]]:
    """Return the least cost of what a day sells at *prices*, and how many places of each length that is."""
    digits = 8
    code = 1 << (digits * len(lengths))  # the counts ride along in the low digits of each sum
    far = NEVER * code
    most = len(day.growth) - 1
    table = [0] + [far] * most
    for starts, extra in zip(day.rooms, day.extra, strict=True):
        ends: list[list[int]] = [table]
        for slot in range(1, slots + 1):
            here = ends[-1][:]
            for index, length in enumerate(lengths):
                start = slot - length + 1
                if start < 1 or not starts[index] >> (start - 1) & 1:
                    continue
                gain = (extra[index][start] - prices[index]) * code + (1 << (digits * index))
                if gain < 0:
                    before = ends[start - 1]
                    for load in range(length, most + 1):
                        cost = before[load - length] + gain
                        if cost < here[load]:  # noqa: PLR1730  # the innermost loop: a call of min() doubles its time
                            here[load] = cost
            ends.append(here)
        table = ends[-1]
    best = min(cost + growth * code for cost, growth in zip(table, day.growth, strict=True))
    value, counts = divmod(best, code)
    return value, [counts >> (digits * index) & 255 for index in range(len(lengths))]


@dataclass(slots=True)
class Ascent:
    """The search for good prices, which can be taken up again: *best* is the highest bound so far, scaled, at *best_prices*."""

    pricing: Pricing
    prices: Prices
    best: int = -NEVER * SCALE
    best_prices: Prices = field(default_factory=list[list[int]])
    pace: float = 1.0
    stale: int = 0
    direction: list[list[float]] = field(default_factory=list[list[float]])

    @staticmethod
    def of(pricing: Pricing, loads: Sequence[int]) -> "Ascent":
        """Begin at what days that hold *loads* would charge, or at prices that grow with the length alone, whichever bounds better."""
        ascent = Ascent(pricing, pricing.start(loads))
        dearest = max((max(row) for row in pricing.ceilings), default=0)
        flat = [dearest >> shift for shift in range(max(dearest.bit_length() - SCALE.bit_length(), 0))]
        starts = [ascent.prices]
        starts += [pricing.limited([[price * length] * len(row) for length, row in pricing.by_length()]) for price in flat]
        for prices in starts:
            value, _ = pricing.evaluate(prices)
            if value > ascent.best:
                ascent.best, ascent.best_prices = value, prices
        ascent.prices = ascent.best_prices
        return ascent

    @property
    def value(self) -> int:
        """The bound: no arrangement costs less."""
        return -(-self.best // SCALE)

    @property
    def settled(self) -> bool:
        """Whether more steps would hardly help."""
        return self.pace < SLOWEST

    def climb(self, steps: int, target: int, over: Callable[[], bool]) -> None:
        """Take up to *steps* steps towards *target*, a cost that is known to be possible."""
        for _ in range(steps):
            value, excess = self.pricing.evaluate(self.prices)
            self.stale = 0 if value > self.best + SCALE else self.stale + 1
            if value > self.best:
                self.best, self.best_prices = value, self.prices
            if self.stale > PATIENCE:
                self.pace, self.stale, self.prices, self.direction = self.pace / 2, 0, self.best_prices, []
                if self.settled:
                    return
                continue
            past = self.direction or [[0.0] * len(row) for row in excess]
            self.direction = [
                [new + MOMENTUM * old for new, old in zip(row, before, strict=True)]
                for row, before in zip(excess, past, strict=True)
            ]
            norm = sum(entry * entry for row in self.direction for entry in row)
            gap = target * SCALE - value
            if norm == 0 or gap <= 0 or over():
                return
            self._step(self.pace * gap / norm)

    def _step(self, step: float) -> None:
        self.prices = self.pricing.limited(
            [
                [price + round(step * entry) for price, entry in zip(row, moves, strict=True)]
                for row, moves in zip(self.prices, self.direction, strict=True)
            ]
        )

    def reduced(self) -> dict[int, list[int]]:
        """Return for each task and day by how much (scaled) the bound rises when the task stands there."""
        return self.pricing.reduced(self.best_prices)

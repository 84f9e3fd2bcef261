"""Decides by taking, task after task, the cheapest legal place; it never goes back on a place that it gave."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate

from steadyhand.domains.schedule.arrange.board import Board, Placement
from steadyhand.domains.schedule.arrange.rules import Bounds, Rules, days_of, starts_on
from steadyhand.domains.schedule.arrange.weights import Costs, present
from steadyhand.domains.schedule.board.model import Block, Task
from steadyhand.domains.schedule.board.occupancy import span_mask

NEVER = 1 << 30
EVEN = Fraction(1)


def greedy(board: Board, rules: Rules, costs: Costs, *, spread: Fraction = EVEN) -> None:
    """Put each job on *board* at its cheapest legal place, aiming at that share *spread* of the way to its ideal day."""
    for task in in_order_of_need(board, rules, costs):
        aim = 1 + int((costs.ideal[task.state_id] - 1) * spread)
        found = cheapest(task, board, rules.bounds(task, board), costs, aim)
        if found is not None:
            board.put(task, found)


def in_order_of_need(board: Board, rules: Rules, costs: Costs) -> list[Task]:
    """Return the jobs: high priority first, then the nearest deadline, then by day; what must come first never stands later."""
    chains: dict[int, list[Task]] = {}
    for task in board.jobs.values():
        key = task.category_id if task.category_id is not None and rules.in_order(task) else -task.state_id
        chains.setdefault(key, []).append(task)
    keyed: list[tuple[tuple[int, ...], Task]] = []
    for chain in chains.values():
        chain.sort(key=lambda task: (task.position or 0, task.state_id))
        # a task is as urgent as the most urgent of those that wait for it
        priorities = list(accumulate((task.priority for task in reversed(chain)), max))[::-1]
        deadlines = list(accumulate((NEVER if task.deadline is None else task.deadline for task in reversed(chain)), min))[::-1]
        for place, task in enumerate(chain):
            need = (-priorities[place], deadlines[place], costs.ideal[task.state_id], place, -task.length, task.state_id)
            keyed.append((need, task))
    return [task for _, task in sorted(keyed, key=lambda entry: entry[0])]


def cheapest(task: Task, board: Board, bounds: Bounds, costs: Costs, aim: int) -> Placement | None:
    """Return the cheapest legal place; of equal ones the nearest to the day *aim*, the earlier day, the earlier slot."""
    length, weights = task.length, costs.weights
    best: Placement | None = None
    best_cost = NEVER
    stays = _present_place(task, board, bounds)
    leaving = weights.moves if present(task) is not None else 0
    if stays is not None:
        best, best_cost = stays, _full_cost(stays, board, costs, aim)
    least = leaving + costs.growth(0, length)
    for day in _outwards(days_of(bounds, board), aim):
        away = weights.spread * abs(day - aim)
        if away + least >= best_cost:
            break
        starts = starts_on(board, day, length, bounds)
        if starts is None:
            continue
        cost = away + leaving + costs.growth(board.rooms[day].load, length)
        for host, mask in ((None, starts.free), *starts.hosts):
            extra = 0 if host is None else weights.embedding * length
            for slot_cost, start in costs.starts(length) if mask and cost + extra < best_cost else ():
                if mask >> (start - 1) & 1:
                    if cost + extra + slot_cost < best_cost:
                        best_cost = cost + extra + slot_cost
                        best = Placement(task.state_id, Block(day, start, start + length - 1), host)
                    break
    return best


def _present_place(task: Task, board: Board, bounds: Bounds) -> Placement | None:
    block = present(task)
    if block is None or block.day not in days_of(bounds, board):
        return None
    starts = starts_on(board, block.day, task.length, bounds)
    bit = span_mask(block.start, block.start)
    if starts is None:
        return None
    if starts.free & bit:
        return Placement(task.state_id, block)
    host = next((host for host, mask in starts.hosts if mask & bit), None)
    return None if host is None else Placement(task.state_id, block, host)


def _full_cost(placement: Placement, board: Board, costs: Costs, aim: int) -> int:
    block, weights = placement.block, costs.weights
    embedding = 0 if placement.embed_host is None else weights.embedding * len(block)
    day = weights.spread * abs(block.day - aim) + costs.growth(board.rooms[block.day].load, len(block))
    return day + costs.of_slots(block.start, len(block)) + embedding


def _outwards(days: range, aim: int) -> Iterator[int]:
    """Yield *days* by their distance from *aim*, the earlier of two first."""
    if not days:
        return
    centre = min(max(aim, days[0]), days[-1])
    yield centre
    for distance in range(1, len(days)):
        for day in (centre - distance, centre + distance):
            if days[0] <= day <= days[-1]:
                yield day

"""Decides into which parts a long task is cut; it must not store them.

The parts stand where the task stood in the order of its category. The first part keeps the id of the task, the others have none yet (0).
"""

from collections.abc import Sequence
from dataclasses import replace

from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.board.model import DEFAULT_DURATION
from steadyhand.domains.schedule.term.records import TaskItem


def parts_of(length: int, least: int, most: int) -> tuple[int, ...]:
    """Return the fewest parts of *least* … *most* slots that make up *length*, as even as can be, longer ones first; none: impossible."""
    if not 1 <= least <= most or length < 1:
        return ()
    count = -(-length // most)
    if count * least > length:
        return ()
    short, longer = divmod(length, count)
    return (short + 1,) * longer + (short,) * (count - longer)


def split(items: Sequence[TaskItem], item_id: int, least: int, most: int, language: Language) -> tuple[TaskItem, ...]:
    """Return the items of one category with *item_id* cut into parts of *least* … *most* slots, positions counted anew from 1.

    Parts share the item's earliest day, deadline and priority. `ToolRefusal`: no such item, or no such parts.
    """
    found = next((item for item in items if item.id == item_id), None)
    if found is None:
        raise ToolRefusal("split_item_unknown", item=item_id)
    length = found.duration or DEFAULT_DURATION
    lengths = parts_of(length, least, most)
    if not lengths:
        raise ToolRefusal("split_impossible", name=found.content, length=length, least=least, most=most)
    cut: list[TaskItem] = []
    for item in sorted(items, key=lambda item: (item.position, item.id)):
        cut.extend(_parts(item, lengths, language) if item is found and len(lengths) > 1 else [item])
    return tuple(replace(item, position=position) for position, item in enumerate(cut, 1))


def _parts(item: TaskItem, lengths: Sequence[int], language: Language) -> list[TaskItem]:
    count = len(lengths)
    return [
        replace(
            item,
            id=item.id if number == 1 else 0,
            content=say(language, "schedule.optimise.part", name=item.content, n=number, count=count),
            duration=length,
        )
        for number, length in enumerate(lengths, 1)
    ]

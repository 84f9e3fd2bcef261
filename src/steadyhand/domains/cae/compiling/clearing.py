"""Decides whether an edit that a model wrote takes everything away, also in other words than `clear_all`, and whether that was asked for; it must not touch what a person gave."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from steadyhand.domains.cae.calls.geometry import EditPart
from steadyhand.domains.cae.calls.words import Box, Region
from steadyhand.domains.cae.compiling.intent import asks_to_clear_all, asks_to_delete
from steadyhand.domains.cae.compiling.known import SHAPES, Known

_WHOLE_NUMBER: Final = re.compile(r"(?<![\d.])\d+(?!\.?\d)")
_NUMBER: Final = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def clears_unasked(call: EditPart, facts: Known, request: str) -> bool:
    """Tell whether *call* takes every element, or every node, and *request* neither asks for that nor for what *call* names.

    What is known of the part decides: all of it, all its shapes, all its labels, a set or a box with everything in it. Labels that the
    request names one by one, or a set, a shape or a box in a request to delete, are the person's own words.
    """
    if not (call.clear_all or _takes_all(call, facts)) or asks_to_clear_all(request):
        return False
    if call.clear_all or not asks_to_delete(request):
        return True
    labels = (*call.delete_element_labels, *call.delete_node_labels)
    named = _names(labels, request) and (call.delete_region is None or _says(call.delete_region, request))
    return not named


def _takes_all(call: EditPart, facts: Known) -> bool:
    where = call.delete_region
    every_node = 0 < facts.nodes <= len(set(call.delete_node_labels))
    every_element = 0 < facts.elements <= len(set(call.delete_element_labels))
    return every_node or every_element or (where is not None and _means_all(where, facts))


def _means_all(where: Region, facts: Known) -> bool:
    if any(facts.shapes[shape] for shape in SHAPES if where.shapes and shape not in where.shapes):
        return False
    if where.labels is not None:
        return len(set(where.labels)) >= facts.elements
    if where.set is not None:
        return sum(facts.element_sets.get(where.set, {}).values()) >= facts.elements
    return bool(where.all) or (where.box is not None and _holds(where.box, facts))


def _holds(box: Box, facts: Known) -> bool:
    if facts.box is None:
        return False
    low, high = facts.box["minimum"], facts.box["maximum"]
    return all(a <= b for a, b in zip(box.minimum, low, strict=True)) and all(
        a >= b for a, b in zip(box.maximum, high, strict=True)
    )


def _says(where: Region, request: str) -> bool:
    if where.labels is not None:
        return _names(where.labels, request)
    if where.set is not None:
        return re.search(rf"(?<![\w-]){re.escape(where.set)}(?![\w-])", request, re.IGNORECASE) is not None
    if where.box is not None:
        said = {abs(float(number)) for number in _NUMBER.findall(request)}
        return bool({abs(value) for value in (*where.box.minimum, *where.box.maximum) if value} & said)
    return bool(where.shapes) and len(where.shapes) < len(SHAPES)


def _names(labels: Sequence[int], request: str) -> bool:
    """Tell whether the ends of every run of *labels* stand in *request*, as in "1, 2 and 5 to 9"."""
    said = {int(number) for number in _WHOLE_NUMBER.findall(request)}
    return all(end in said for run in _runs(sorted(set(labels))) for end in run)


def _runs(labels: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = 0
    for place in range(1, len(labels) + 1):
        if place == len(labels) or labels[place] != labels[place - 1] + 1:
            yield labels[start], labels[place - 1]
            start = place

"""Decides how parts are asked about in English; it must not hold a phrase that changes one."""

from collections.abc import Mapping
from typing import Final

_SHOW = "(show[ me]|list|look at|view|inspect|display|see)"
_THE = "[the |this |my |the current ]"
_OF = "[ (of|in) part {part}| (of|in) the part| (of|in) {part:path}]"
_HAS = "(are there|does the part have|are in the part|has the part|does it have)"
_LARGEST = "(largest|maximum|max|biggest|greatest|highest|peak)"
_RESULT = "(stress|von mises stress|mises stress|displacement|deflection|deformation)"

PHRASES: Final[Mapping[str, tuple[str, ...]]] = {
    "list_parts": (
        f"{_SHOW} [all ][of ][my |the ]parts",
        "(which|what) parts (are there|do i have|have i got|exist)",
        "how many parts (are there|do i have)",
        "[my ]parts",
        "list of parts",
    ),
    "observe_part": (
        f"{_SHOW} {_THE}part",
        f"{_SHOW} part {{part}}",
        f"{_SHOW} {{part:path}}",
        "observe[ the][ part] {part:path}",
        "observe [the ]part[ {part}]",
        "how is {part:path}",
        "what is (in|on) [the ]part[ {part}]",
        "describe [the |this ]part[ {part}]",
        "(which|what) (sets|materials|sections|loads|supports) (are there|does the part have|has the part|are in the part)",
        "(which|what) (sets|materials|sections|loads|supports) are in part {part}",
        "how (big|large) is [the |this ]part[ {part}]",
        "what is the (size|bounding box) of [the |this ]part[ {part}]",
        "[the ](bounding box|summary) of [the ]part[ {part}]",
        "(which|how many) elements have no section",
        "part summary",
    ),
    "observe_part.nodes": (f"how many nodes {_HAS}", "how many nodes are in part {part}", "[the ]number of nodes"),
    "observe_part.elements": (f"how many elements {_HAS}", "how many elements are in part {part}", "[the ]number of elements"),
    "observe_part.both": (f"how many (elements and nodes|nodes and elements) {_HAS}",),
    "part_results": (
        f"{_SHOW} [the |its ](results|result|reactions|stresses|displacements){_OF}",
        f"(what is|what's|how (large|big|high) is) [the ]{_LARGEST} {_RESULT}{_OF}",
        f"[the ]{_LARGEST} {_RESULT}{_OF}",
        f"where is [the ]{_LARGEST} {_RESULT}{_OF}",
        f"(what are|how are) the (results|reactions|stresses|displacements|reaction forces){_OF}",
        f"what (is|was) the result{_OF}",
        "[the ](reactions|reaction forces|results)",
        "what came out",
    ),
    "inspect_region": (
        f"{_SHOW} [the ]regions{_OF}",
        f"{_SHOW} [the ](connected components|components|stations|layout){_OF}",
        "(inspect|index) [the ]regions",
        "(what|which) regions (are there|does the part have)",
        "what is where in [the ]part[ {part}]",
        "how many (connected components|pieces|components) (are there|does the part have|has the part)",
        "where are the (sets|elements)",
    ),
    "inspect_detail.elements_sets": (
        f"{_SHOW} [all ][the ]elements (of|in) [the ]set {{name}}{_OF}",
        "(which|what) elements are in [the ]set {name}",
    ),
    "inspect_detail.nodes_sets": (
        f"{_SHOW} [all ][the ]nodes (of|in) [the ]set {{name}}{_OF}",
        "(which|what) nodes are in [the ]set {name}",
    ),
    "inspect_detail.elements_labels": (
        f"{_SHOW} [the ](element|elements) {{labels}}{_OF}",
        "where (is|are) (element|elements) {labels}",
    ),
    "inspect_detail.nodes_labels": (
        f"{_SHOW} [the ](node|nodes) {{labels}}{_OF}",
        "where (is|are) (node|nodes) {labels}",
        "[the ]coordinates of (node|nodes) {labels}",
    ),
    "inspect_detail.elements_sides": (f"{_SHOW} [all ][the ]elements (at|on) [the ]{{side}}[ side| edge| end]{_OF}",),
    "inspect_detail.nodes_sides": (f"{_SHOW} [all ][the ]nodes (at|on) [the ]{{side}}[ side| edge| end]{_OF}",),
    "inspect_detail.elements_planes": (f"{_SHOW} [all ][the ]elements (at|on|in) {{axis}}[ ]=[ ]{{length}}{_OF}",),
    "inspect_detail.nodes_planes": (f"{_SHOW} [all ][the ]nodes (at|on|in) {{axis}}[ ]=[ ]{{length}}{_OF}",),
    "inspect_detail.elements_boxes": (
        f"{_SHOW} [all ][the ]elements in the box [from ]{{point1:point}} to {{point2:point}}{_OF}",
    ),
    "inspect_detail.nodes_boxes": (f"{_SHOW} [all ][the ]nodes in the box [from ]{{point1:point}} to {{point2:point}}{_OF}",),
    "inspect_detail.elements_everything": (f"{_SHOW} (all|all the) elements{_OF}", "list [the ]elements"),
    "inspect_detail.nodes_everything": (f"{_SHOW} (all|all the) nodes{_OF}", "list [the ]nodes", "[the ]node coordinates"),
}

EXAMPLES: Final = ("list parts", "show the part", "show the regions of the part", "where is node 12")

UNDO: Final = (
    "(undo|revert|roll back|take back|reverse)[ it| that| this]",
    "(undo|revert|roll back|take back|reverse) [the |my ](last|latest|previous) (change|modification|edit|step)[ (of|to) part {part}| (of|to) {part:path}]",
    "(undo|revert) [the ](last|latest|previous) (change|modification|edit) (of|to) (the|this) part",
    "(step back|undo (the last|one step)|take (that|it|the last step|the last change) back)",
    "undo part {part}",
)
EXAMPLES_OF_CHOSEN: Final = ("what is the largest stress", "how many nodes are there", "undo the last change")

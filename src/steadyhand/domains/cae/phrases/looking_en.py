"""Decides how parts are asked about in English; it must not hold a phrase that changes one."""

from collections.abc import Mapping
from typing import Final

_SHOW = "(show[ me]|list|look at|view|inspect|display|see)"
_THE = "[the |this |my |the current ]"
_OF = "[ (of|in) part {part}| (of|in) the part| (of|in) {part:path}]"

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
        "how many (elements|nodes|elements and nodes|nodes and elements) (are there|does the part have|are in the part|has the part)",
        "how many (elements|nodes) are in part {part}",
        "(which|what) (sets|materials|sections|loads|supports) (are there|does the part have|has the part|are in the part)",
        "(which|what) (sets|materials|sections|loads|supports) are in part {part}",
        "how (big|large) is [the |this ]part[ {part}]",
        "what is the (size|bounding box) of [the |this ]part[ {part}]",
        "[the ](bounding box|summary) of [the ]part[ {part}]",
        "(which|how many) elements have no section",
        "part summary",
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

"""Decides which element types of decks the engine holds, and as which shape; it must not name one that behaves otherwise than its shape.

It also tells how many nodes the types have that stay text, so that a row of theirs is known to be full.
"""

import re

from steadyhand.domains.cae.engine.shapes import Shape

SHAPES = {
    **dict.fromkeys(("B31", "B31H", "B31OS", "B31OSH", "B31R", "B33", "B33H"), Shape.BEAM),
    **dict.fromkeys(("S3", "S3R", "S3RS", "STRI3"), Shape.TRI),
    **dict.fromkeys(("S4", "S4R", "S4RS", "S4RSW", "S4R5"), Shape.QUAD),
}
_COUNTED = re.compile(r"(?:[A-Z]*[23]D|C?AX|[A-Z]*CAX|CGAX|CPE|CPEG|CPS|CIN(?:PS|PE|AX)|DCAX|S|SC|DS|SAX|MAX)(\d+)")
"""Families whose first number after the letters is that of the nodes: C3D20R, CPS4, S8R5, T3D2, M3D8R, R3D4, COH3D8."""
_BEAM = re.compile(r"(?:B|PIPE|ELBOW)[23]([123])")
_ORDERS = {"1": 2, "2": 3, "3": 2}
_OTHERS = {
    **dict.fromkeys(("SPRING1", "DASHPOT1", "MASS", "ROTARYI", "DCOUP3D"), 1),
    **dict.fromkeys(("SPRING2", "SPRINGA", "DASHPOT2", "DASHPOTA", "GAPUNI", "GAPCYL", "GAPSPHER", "SAX1", "MAX1"), 2),
    **dict.fromkeys(("D", "SAX2", "MAX2"), 3),
    "STRI65": 6,
}


def nodes_of_type(name: str) -> int:
    """Return how many nodes an element of type *name* has at least, 0 where that is not known."""
    if name in _OTHERS:
        return _OTHERS[name]
    if name.startswith("CONN"):
        return 0  # one that is tied to the ground has one node only
    beam = _BEAM.match(name)
    if beam is not None:
        return _ORDERS[beam[1]]
    counted = _COUNTED.match(name)
    return int(counted[1]) if counted is not None else 0

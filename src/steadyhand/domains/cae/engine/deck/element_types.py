"""Decides which element types of decks the engine holds, and as which shape; it must not name one that behaves otherwise than its shape."""

from steadyhand.domains.cae.engine.shapes import Shape

SHAPES = {
    **dict.fromkeys(("B31", "B31H", "B31OS", "B31OSH", "B31R", "B33", "B33H"), Shape.BEAM),
    **dict.fromkeys(("S3", "S3R", "S3RS", "STRI3"), Shape.TRI),
    **dict.fromkeys(("S4", "S4R", "S4RS", "S4RSW", "S4R5"), Shape.QUAD),
}

"""Decides which texts a picture needs and that they are in one language; it must not decide where they stand."""

from dataclasses import dataclass, fields

from steadyhand.core.language import Language, catalogue


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of pictures. Those that name something in braces are filled in with `str.format`."""

    size: str
    scale: str
    nodes: str
    elements: str
    quad: str
    tri: str
    beam: str
    free_edges: str
    branching_edges: str
    free_nodes: str
    support: str
    symmetry: str
    force_total: str
    force_each: str
    pressure: str
    gravity: str
    towards: str
    away: str
    more: str
    many: str
    empty: str
    before: str
    after: str
    same: str
    added: str
    deleted: str
    moved: str
    changed: str
    joined: str
    nodes_added: str
    nodes_deleted: str
    nodes_moved: str
    nothing: str
    undeformed: str
    deformed: str
    largest: str
    largest_at_element: str
    largest_at_node: str
    largest_displacement: str
    capped: str
    no_value: str

    def fill(self, name: str, /, **values: str | int) -> str:
        """Return the text *name* with *values* in their places."""
        return str(getattr(self, name)).format(**values)


def words_in(language: Language) -> Words:
    """Return the texts of *language*."""
    texts = catalogue(language)
    return Words(**{field.name: texts[f"cae.picture.{field.name}"] for field in fields(Words)})

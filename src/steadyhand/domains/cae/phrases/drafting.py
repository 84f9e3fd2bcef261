"""Decides what a draft is: the calls that a sentence comes to, what was taken for them, and what in it does not fit. It must not read a sentence."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, cast

from steadyhand.domains.cae.calls.table import MODULES, ORDER, ModuleName
from steadyhand.domains.cae.phrases.sentence import Sentence

Vector: TypeAlias = tuple[float, float, float]
Head: TypeAlias = Literal["dimensions", "coordinates", "standing", "assumptions", "limits"]
Corners: TypeAlias = tuple[Vector, Vector]

FACES: Final = ("QUAD", "TRI")
PLACES: Final = {tool.name: place for place, tool in enumerate(ORDER)}


class Misfit(Exception):
    """A sentence that reads whole and cannot be done so: *code* and *params* say why, *clause* where."""

    def __init__(self, code: str, clause: str = "", **params: object) -> None:
        super().__init__(code)
        self.code = code
        self.params: Mapping[str, object] = {"clause": clause, **params}


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the part: how many elements of each shape, its box, the names that are taken, and what the left-out hide."""

    empty: bool
    shapes: Mapping[str, int]
    box: Corners | None
    sets: frozenset[str]
    detail: Mapping[str, Any]

    @classmethod
    def of(cls, brief: Mapping[str, Any]) -> "Facts":
        """Read what a brief says of the part."""
        seen = cast("Mapping[str, Any]", brief["observation"])
        summary = cast("Mapping[str, Any]", seen["summary"])
        box = summary["bounding_box"]
        corners = None if box is None else (_vector(box["minimum"]), _vector(box["maximum"]))
        empty = not seen["target_exists"] or (summary["node_count"] == 0 and summary["element_count"] == 0)
        return cls(empty, summary["shape_counts"], corners, frozenset(seen["sets"]), cast("Mapping[str, Any]", brief["detail"]))

    def named(self, kind: str) -> Mapping[str, Mapping[str, Any]]:
        """Return what there is of *kind*, by name. Raises `Misfit` where a brief left some of it out: a name could be taken unseen."""
        if any(path == f"detail.{kind}" for path in self.detail.get("left_out", ())):
            raise Misfit("left_out", kind=kind)
        return cast("Mapping[str, Mapping[str, Any]]", self.detail.get(kind) or {})


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the spec says under a heading, in words that are found later."""

    head: Head
    message: str
    params: Mapping[str, object]


@dataclass(slots=True)
class Draft:
    """A sentence on its way to calls."""

    sentence: Sentence
    module: ModuleName
    facts: Facts
    calls: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    notes: list[Note] = field(default_factory=list[Note])
    made: list[str] = field(default_factory=list[str])
    corners: list[Vector] = field(default_factory=list[Vector])
    boxes: list[Corners] = field(default_factory=list[Corners])
    _taken: set[str] = field(default_factory=set[str])

    def call(self, tool: str) -> dict[str, Any]:
        """Return the arguments of *tool*, to be added to."""
        if tool not in MODULES[self.module]:
            raise Misfit("other_module", modules=modules_with((tool,)))
        return self.calls.setdefault(tool, {})

    def note(self, head: Head, message: str, **params: object) -> None:
        """Keep a remark for the spec; the same one is said once."""
        one = Note(head, message, params)
        if one not in self.notes:
            self.notes.append(one)

    def assume(self, message: str, **params: object) -> None:
        """Keep a value that was taken because the person gave none."""
        self.note("assumptions", f"assume.{message}", **params)

    def fresh(self, name: str, taken: Iterable[str]) -> str:
        """Return *name*, or with a number behind it where it is taken, be it in other letters: no two names differ in case alone."""
        held = {one.casefold() for one in (*taken, *self._taken)}
        found, place = name, 1
        while found.casefold() in held:
            place += 1
            found = f"{name}_{place}"
        self._taken.add(found)
        return found

    @property
    def shapes(self) -> frozenset[str]:
        """The shapes of elements that the part has afterwards, as far as it can be told."""
        return frozenset({*self.made, *(shape for shape, count in self.facts.shapes.items() if count)})

    def everything(self, shapes: Sequence[str]) -> dict[str, Any]:
        """Return the region of all elements of *shapes*; without naming them where the part has no others."""
        mine = [shape for shape in shapes if shape in self.shapes]
        if not mine:
            raise Misfit("no_such_elements", shapes=", ".join(shapes))
        return {"all": True, "shapes": mine} if self.shapes - set(mine) else {"all": True}

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that are called, in the order in which they run."""
        return tuple(sorted(self.calls, key=PLACES.__getitem__))


def modules_with(tools: Iterable[str]) -> tuple[ModuleName, ...]:
    """Return the modules that have one of *tools*."""
    wanted = set(tools)
    return tuple(module for module, names in MODULES.items() if wanted & set(names))


def _vector(values: Sequence[float]) -> Vector:
    x, y, z = (float(value) for value in values)
    return (x, y, z)

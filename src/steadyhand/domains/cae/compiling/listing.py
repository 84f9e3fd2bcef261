"""Decides how a person reads what a deck brings along: sets, properties, cases, and text that is kept. It must not look at a mesh."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from steadyhand.core.language import Language, say
from steadyhand.domains.cae.compiling.wording import Wording, number, vector
from steadyhand.domains.cae.engine.shapes import dofs_named

Facts: TypeAlias = Mapping[str, Any]


class Listing:
    """The lines of one part, by the ``detail`` of its facts."""

    def __init__(self, detail: Facts, language: Language) -> None:
        self._detail = detail
        self._language: Language = language
        self._wording = Wording(language)

    def lines(self) -> Iterator[str]:
        """Yield a line for each kind of thing that there is; sets of elements and nodes apart."""
        kinds = {
            "element_sets": self._sets("element"),
            "node_sets": self._sets("node"),
            "materials": [self._material(name, one) for name, one in self._named("materials")],
            "sections": [self._section(name, one) for name, one in self._named("sections")],
            "supports": [self._support(name, one) for name, one in self._named("supports")],
            "loads": [self._load(name, one) for name, one in self._named("loads")],
            "kept": [self._say("keyword", name=name, count=count) for name, count in self._named("kept")],
        }
        for kind, told in kinds.items():
            if told:
                yield self._say(kind, listed=self._wording.some(told))

    def one(self, kind: str, name: str, held: Facts) -> str:
        """Return the words for one material, section, support or load."""
        words = {"materials": self._material, "sections": self._section, "supports": self._support, "loads": self._load}
        return words[kind](name, held)

    def _say(self, message: str, **params: object) -> str:
        return say(self._language, f"cae.review.holds.{message}", **params)

    def _named(self, kind: str) -> list[tuple[str, Any]]:
        return list(cast("Facts", self._detail.get(kind) or {}).items())

    def _sets(self, kind: str) -> list[str]:
        rows = cast("Sequence[Facts]", self._detail.get("sets") or ())
        return [self._say("set", name=row["name"], count=row["count"]) for row in rows if row["kind"] == kind]

    def _material(self, name: str, one: Facts) -> str:
        figures = {field: number(one[field]) for field in ("youngs", "poisson", "density")}
        return self._say("material", name=name, **figures)

    def _section(self, name: str, one: Facts) -> str:
        if one["kind"] == "shell":
            return self._say("shell", name=name, material=one["material"], thickness=number(one["thickness"]))
        dimensions = vector(one["dimensions"])
        return self._say("beam", name=name, material=one["material"], profile=one["profile"], dimensions=dimensions)

    def _support(self, name: str, one: Facts) -> str:
        return self._say("support", name=name, dofs=dofs_named(one["dofs"]), count=one["count"])

    def _load(self, name: str, one: Facts) -> str:
        kind = one["kind"]
        if kind == "pressure":
            return self._say("pressure", name=name, magnitude=number(one["magnitude"]), count=one["count"])
        components = vector(one["components"])
        if kind == "gravity":
            return self._say("gravity", name=name, components=components)
        message = "force_total" if one["total"] else "force_each"
        return self._say(message, name=name, components=components, count=one["count"])

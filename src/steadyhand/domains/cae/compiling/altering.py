"""Decides how a person reads what becomes of materials, sections, supports and loads: each field before and after. It must not look at a mesh."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, say
from steadyhand.domains.cae.compiling.listing import Listing
from steadyhand.domains.cae.compiling.wording import number, vector
from steadyhand.domains.cae.engine.shapes import dofs_named

Facts: TypeAlias = Mapping[str, Any]
KINDS: Final = ("materials", "sections", "supports", "loads")
_HIDDEN: Final = frozenset({"node_set", "element_set", "kind", "symmetry"})
"""Fields that say nothing to a person, or are told with the others."""


def altered(before: Facts, after: Facts, *, whole: bool) -> list[dict[str, Json]]:
    """Return what differs between two details of a part, by kind and name, None where it is not there; *whole*: what comes too."""
    rows: list[dict[str, Json]] = []
    for kind in KINDS:
        old, new = (cast("Facts", detail.get(kind) or {}) for detail in (before, after))
        rows.extend(
            {"what": kind, "name": name, "before": old.get(name), "after": new.get(name)}
            for name in sorted({*old, *new})
            if old.get(name) != new.get(name) and (whole or name in old)
        )
    return rows


def regiven(before: Facts, after: Facts) -> dict[str, list[int]]:
    """Return of how many elements each section was and will be, where some had one before and the numbers differ."""
    old, new = (_given(detail) for detail in (before, after))
    names = [name for name in sorted({*old, *new}) if old.get(name, 0) != new.get(name, 0)]
    return {name: [old.get(name, 0), new.get(name, 0)] for name in names} if any(old.get(name) for name in names) else {}


def _given(detail: Facts) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in cast("Sequence[Facts]", detail.get("assignments") or ()):
        found[row["section"]] = found.get(row["section"], 0) + int(row["count"])
    return found


class Altering:
    """The lines of what differs."""

    def __init__(self, before: Facts, after: Facts, language: Language) -> None:
        self._details = before, after
        self._language: Language = language
        self._listing = Listing(after, language)

    def lines(self, rows: Sequence[Facts], given: Mapping[str, Sequence[int]]) -> Iterator[str]:
        """Yield a head and a line for each of *rows*, then whose section is another."""
        if rows or given:
            yield self._say("head")
        for row in rows:
            kind, name, old, new = row["what"], row["name"], row["before"], row["after"]
            if old is None or new is None:
                message = "comes" if old is None else "goes"
                yield self._say(message, kind=self._say(kind), told=self._listing.one(kind, name, cast("Facts", old or new)))
            else:
                yield self._say("row", kind=self._say(kind), name=name, changes=self._changes(kind, old, new))
        yield from self._given(given)

    def _say(self, message: str, **params: object) -> str:
        return say(self._language, f"cae.review.altered.{message}", **params)

    def _changes(self, kind: str, old: Facts, new: Facts) -> str:
        fields = [field for field in {**old, **new} if field not in _HIDDEN and old.get(field) != new.get(field)]
        if old.get("kind") != new.get("kind") or not fields:
            told = (self._listing.one(kind, "", one).strip() for one in (old, new))
            return self._say("whole", **dict(zip(("before", "after"), told, strict=True)))
        separator = say(self._language, "cae.review.list")
        return separator.join(self._field(field, old, new) for field in fields)

    def _field(self, field: str, old: Facts, new: Facts) -> str:
        name = "acceleration" if field == "components" and new.get("kind") == "gravity" else field
        return self._say(f"field.{name}", before=self._value(field, old.get(field)), after=self._value(field, new.get(field)))

    def _value(self, field: str, value: Any) -> str:
        if field == "dofs":
            return dofs_named(value)
        if isinstance(value, bool):
            return self._say("in_all" if value else "on_each")
        if isinstance(value, (list, tuple)):
            return vector(cast("Sequence[float]", value))
        return number(value) if isinstance(value, (int, float)) else str(value)

    def _given(self, given: Mapping[str, Sequence[int]]) -> Iterator[str]:
        """Yield one line where all that lose a section get the same other one, else one for each section."""
        losing = [name for name, (old, new) in given.items() if old > new]
        gaining = [name for name, (old, new) in given.items() if new > old]
        if len(losing) == len(gaining) == 1 and sum(new - old for old, new in given.values()) == 0:
            count = given[gaining[0]][1] - given[gaining[0]][0]
            yield self._say("regiven", count=count, before=self._section(losing[0]), after=self._section(gaining[0]))
            return
        for name, (old, new) in given.items():
            yield self._say("given", section=self._section(name), before=old, after=new)

    def _section(self, name: str) -> str:
        before, after = (cast("Facts", detail.get("sections") or {}) for detail in self._details)
        found = cast("Facts", after.get(name) or before[name])
        return self._listing.one("sections", name, found)

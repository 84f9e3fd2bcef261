"""Decides what a person reads of a program before deciding, in words and as data; it must not decide whether it runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, say
from steadyhand.domains.cae.compiling.altering import Altering, altered, regiven
from steadyhand.domains.cae.compiling.known import SHAPES, element_sets
from steadyhand.domains.cae.compiling.listing import Listing
from steadyhand.domains.cae.compiling.remarking import remarks
from steadyhand.domains.cae.compiling.wording import Wording
from steadyhand.gate.contract import Observation, Program, Rehearsal, View

_COUNTS: Final = ("node_count", "element_count", *SHAPES)
Facts = Mapping[str, Any]


def present(program: Program, seen: Observation, rehearsal: Rehearsal | None, language: Language) -> View:
    """Say what *program* does and what comes of it: as rehearsed, or as far as it can be foreseen."""
    return _Page(program, seen, rehearsal, language).view()


class _Page:
    """The review of one program."""

    def __init__(self, program: Program, seen: Observation, rehearsal: Rehearsal | None, language: Language) -> None:
        self._promised = cast("Facts", program.evidence)
        self._language: Language = language
        self._wording = Wording(language)
        self._evidence = cast("Facts", (rehearsal.evidence if rehearsal is not None else None) or {})
        self._before = cast("Facts", seen.facts)
        self._after = cast("Facts | None", self._evidence.get("after"))
        held = self._promised["operations"]
        self._remarks = [] if self._after is None else list(remarks(held, self._before, self._after))

        self._details = _detail(self._before), _detail(self._after)
        tools = {one["tool"] for one in held}
        shown = self._after is not None and "import_deck" not in tools
        self._rows = altered(*self._details, whole="restore_version" in tools) if shown else []
        self._given = regiven(*self._details) if shown else {}

    def _say(self, message: str, **params: object) -> str:
        return say(self._language, f"cae.review.{message}", **params)

    def view(self) -> View:
        """Return the page."""
        operations = self._operations()
        blocks = [
            [self._say("operations", count=len(operations))],
            [self._say("numbered", place=place, text=text) for place, text in enumerate(operations, 1)],
            list(self._outcome()),
            [*(self._brought() or self._sets()), *(self._altered() or self._properties())],
            [*self._audits(), *self._jobs()],
            self._listed("warnings", self._warnings()),
            self._listed("notes", self._notes()),
            [self._say("units")],
        ]
        payload: Json = {
            "operations": [
                {**cast("dict[str, Json]", item), "text": text}
                for item, text in zip(self._promised["operations"], operations, strict=True)
            ],
            "rehearsed": self._after is not None,
            "geometry_unchanged": bool(self._promised["geometry_unchanged"]),
            "counts": self._counts(),
            "box": [self._box(self._before), None if self._after is None else self._box(self._after)],
            "sets": self._promised["sets"],
            "properties": self._promised["properties"],
            "cases": self._promised["cases"],
            "altered": cast("Json", self._rows),
            "regiven": cast("Json", self._given),
            "audit": self._evidence.get("audit", {}),
            "artifacts": self._promised["artifacts"],
            "job": self._promised["job"],
            "warnings": self._evidence.get("warnings", []),
            "remarks": [{"remark": name, "params": params} for name, params in self._remarks],
            "notes": self._promised["notes"],
            "picture": self._evidence.get("picture"),
        }
        return View("\n".join(line for block in blocks for line in block), payload)

    def _operations(self) -> list[str]:
        return [self._wording.operation(item["tool"], item["arguments"]) for item in self._promised["operations"]]

    def _counts(self) -> dict[str, Json]:
        """Return every count before and after; not rehearsed, the after is the range that is expected."""
        before = _counted(self._before)
        if self._after is not None:
            after = _counted(self._after)
            return {name: [before[name], after[name]] for name in _COUNTS}
        return {name: [before[name], self._promised["ranges"][name]] for name in _COUNTS}

    def _outcome(self) -> Iterator[str]:
        rehearsed = self._after is not None
        if not rehearsed:
            yield self._say("unrehearsed")
        if self._promised["geometry_unchanged"]:
            yield self._say("unchanged")
            return
        yield self._say("before_after" if rehearsed else "expected")
        for name, entry in self._counts().items():
            before, after = cast("tuple[int, Json]", tuple(cast("Sequence[Json]", entry)))
            shown = self._range(after)
            if name in SHAPES and before == 0 and shown == "0":
                continue
            label = {"node_count": self._say("nodes"), "element_count": self._say("elements")}.get(name, name)
            if shown == str(before):
                yield self._say("same_row", label=label, after=shown)
            else:
                yield self._say("row", label=label, before=before, after=shown)
        if self._after is not None:
            yield self._say("size", before=self._size(self._before), after=self._size(self._after))

    def _range(self, value: Json) -> str:
        if not isinstance(value, Sequence) or isinstance(value, str):
            return str(value)
        low, high = value
        return str(low) if low == high else self._say("range", low=low, high=high)

    def _box(self, facts: Facts) -> Json:
        return cast("Json", cast("Facts", facts["observation"])["summary"].get("bounding_box"))

    def _size(self, facts: Facts) -> str:
        box = cast("Mapping[str, Sequence[float]] | None", self._box(facts))
        if box is None:
            return self._say("absent")
        return " × ".join(f"{high - low:.6g}" for low, high in zip(box["minimum"], box["maximum"], strict=True))

    def _sets(self) -> Iterator[str]:
        before = element_sets(cast("Facts", self._before.get("detail") or {}))
        after: Mapping[str, Facts] = {
            name: {"count": count} for name, (count, most) in self._promised["sets"]["elements"].items() if count == most
        }
        if self._after is not None:
            after = element_sets(cast("Facts", self._after.get("detail") or {}))
        changed = [name for name in after if name not in before or before[name]["count"] != after[name]["count"]]
        if changed:
            sets = self._wording.some(self._say("set", name=name, count=after[name]["count"]) for name in sorted(changed))
            yield self._say("sets", sets=sets)
        if self._promised["sets"]["gone"]:
            yield self._say("sets_gone", names=self._wording.some(self._promised["sets"]["gone"]))

    def _brought(self) -> list[str]:
        """Tell what a deck brings along, in the place of what changes."""
        if self._after is None or all(one["tool"] != "import_deck" for one in self._promised["operations"]):
            return []
        return list(Listing(cast("Facts", self._after.get("detail") or {}), self._language).lines())

    def _altered(self) -> list[str]:
        """Tell what properties, supports and loads were and will be, where there were some."""
        return list(Altering(*self._details, self._language).lines(self._rows, self._given))

    def _properties(self) -> Iterator[str]:
        """Tell who has which section, where the program gives any."""
        if "assigned" not in self._promised["properties"] or self._after is None:
            return
        given: dict[str, int] = {}
        for row in cast("Sequence[Facts]", self._detail("assignments") or ()):
            given[row["section"]] = given.get(row["section"], 0) + int(row["count"])
        for section in sorted(given):
            yield self._say("assigned", section=section, count=given[section])
        bare = int(cast("Facts", self._detail("unassigned") or {}).get("count", 0))
        if bare:
            yield self._say("unassigned", count=bare)

    def _detail(self, name: str) -> Any:
        return None if self._after is None else cast("Facts", self._after.get("detail") or {}).get(name)

    def _audits(self) -> Iterator[str]:
        reports = cast("Mapping[str, Facts]", self._evidence.get("audit") or {})
        for file in self._promised["artifacts"]:
            report = reports.get(file)
            if report is None:
                yield self._say("audit_coming", file=file)
            elif "findings" in report:
                yield self._findings(file, report["findings"])
            else:
                names = {key: self._names(report.get(f"unused_{key}") or ()) for key in ("sections", "materials")}
                bare = int(cast("Facts", report.get("unassigned") or {}).get("count", 0))
                yield self._say("audit_property", file=file, bare=bare, **names)

    def _names(self, names: Iterable[str]) -> str:
        return self._wording.some(names) or self._say("absent")

    def _findings(self, file: str, findings: Mapping[str, Facts]) -> str:
        told = [f"{self._say(f'finding.{name}')} {one['count']}" for name, one in sorted(findings.items()) if one["count"]]
        if not told:
            return self._say("audit_clean", file=file)
        return self._say("audit", file=file, findings=self._say("list").join(told))

    def _jobs(self) -> Iterator[str]:
        job = self._promised["job"]
        if job is not None:
            message = "job_checked" if self._after is not None else "job_coming"
            yield self._say(message, name=job["name"], elements=self._wording.elements(job["elements"]))

    def _warnings(self) -> list[str]:
        told = cast("Sequence[Facts]", self._evidence.get("warnings") or ())
        return [
            *(self._say(f"seen.{name}", **params) for name, params in self._remarks),
            *(
                say(self._language, f"remark.{one['code']}", **{key: value for key, value in one.items() if key != "code"})
                for one in told
            ),
        ]

    def _notes(self) -> list[str]:
        return [self._say(f"note.{note['note']}", **note["params"]) for note in self._promised["notes"]]

    def _listed(self, head: str, texts: Sequence[str]) -> list[str]:
        return [self._say(head), *(self._say("bullet", text=text) for text in texts)] if texts else []


def _detail(facts: Facts | None) -> Facts:
    return cast("Facts", (facts or {}).get("detail") or {})


def _counted(facts: Facts) -> dict[str, int]:
    summary = cast("Facts", cast("Facts", facts["observation"])["summary"])
    return {
        **{name: int(summary[name]) for name in _COUNTS[:2]},
        **{shape: int(summary["shape_counts"].get(shape, 0)) for shape in SHAPES},
    }

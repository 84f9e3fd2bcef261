"""Decides how what is seen of a part is told in words, each layer within a bounded length. It must not look at a part."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from steadyhand.core.errors import SteadyhandError
from steadyhand.core.language import Language, say
from steadyhand.domains.cae.engine.shapes import dofs_named
from steadyhand.domains.cae.observing.looking import Shown

MOST_NAMED: Final = 40
MOST_PARTS: Final = 200
SHAPES: Final = ("QUAD", "TRI", "BEAM")

Entry = Mapping[str, Any]


def told_parts(parts: Sequence[Shown], chosen: str | None, language: Language, broken: Sequence[SteadyhandError] = ()) -> str:
    """Tell which parts there are, how large each is, and what is wrong with those that are *broken*."""
    wrong = [say(language, f"error.{one.code}.summary", **one.params) for one in broken[:MOST_NAMED]]
    if not parts:
        return "\n".join(wrong or [say(language, "cae.look.no_parts")])
    rows = [_part_row(part, chosen, language) for part in parts[:MOST_PARTS]]
    more = [say(language, "cae.look.more", count=len(parts) - len(rows))] if len(parts) > len(rows) else []
    return "\n".join([say(language, "cae.look.parts", count=len(parts)), *rows, *more, *wrong])


def _part_row(part: Shown, chosen: str | None, language: Language) -> str:
    mark = say(language, "cae.look.chosen") if str(part.name) == chosen else ""
    if part.version == 0:
        return say(language, "cae.look.new_part", name=part.name, chosen=mark)
    about = _size(part.facts["observation"]["summary"], language)
    return say(language, "cae.look.part", name=part.name, chosen=mark, version=part.version, about=about)


def told_summary(shown: Shown, language: Language) -> str:
    """Tell the second layer: counts, box, and the names of what there is."""
    observation, detail = shown.facts["observation"], shown.facts["detail"]
    summary = observation["summary"]
    unassigned = detail["unassigned"]
    lines = [
        say(language, "cae.look.head", name=shown.name, version=shown.version),
        _size(summary, language),
        _box(summary["bounding_box"], language),
        say(language, "cae.look.whole", components=detail["components"], free=detail["free_nodes"]),
        _listed("sets", [_set(entry, language) for entry in detail["sets"]], language),
        _listed("materials", _each(detail["materials"], _material), language),
        _listed("sections", _each(detail["sections"], _section), language),
        _listed("assigned", [_assigned(entry) for entry in detail["assignments"]], language),
        say(language, "cae.look.unassigned", count=unassigned["count"], shapes=_shapes(unassigned["shape_counts"])),
        _listed("loads", _each(detail["loads"], _load), language),
        _listed("supports", _each(detail["supports"], _support), language),
    ]
    if detail["kept"]:
        lines.append(_listed("kept", [f"{name} ×{count}" for name, count in detail["kept"].items()], language))
    return "\n".join(lines)


def told_regions(shown: Shown, told: Entry, language: Language) -> str:
    """Tell the third layer: components, stations, boxes, sets."""
    components, stations, boxes, sets = told["components"], told["stations"], told["boxes"], told["sets"]
    lines = [say(language, "cae.look.head", name=shown.name, version=shown.version), _box(told["bounding_box"], language)]
    lines.append(say(language, "cae.look.components", count=components["count"]))
    lines += [say(language, "cae.look.component", **{**row, "box": _corners(row["box"])}) for row in components["rows"]]
    lines += _left_out(components, language)
    if stations["rows"]:
        lines.append(say(language, "cae.look.stations", axis=stations["axis"]))
        lines += [
            say(
                language,
                "cae.look.station",
                begin=_number(row["from"]),
                end=_number(row["to"]),
                shapes=_shapes(row["shape_counts"]),
            )
            for row in stations["rows"]
        ]
        lines.append(say(language, "cae.look.boxes", divisions="×".join(str(one) for one in boxes["divisions"])))
        lines += [say(language, "cae.look.box_row", box=_corners(row), elements=row["elements"]) for row in boxes["rows"]]
    lines.append(say(language, "cae.look.sets_in_place", count=sets["count"]))
    lines += [
        say(language, "cae.look.set_row", set=_set(row, language), box=_corners(row["box"]) or say(language, "cae.look.none"))
        for row in sets["rows"]
    ]
    return "\n".join([*lines, *_left_out(sets, language)])


def told_detail(shown: Shown, told: Entry, language: Language) -> str:
    """Tell the closest layer: rows of elements or nodes, and how to read on."""
    rows, first = told["rows"], told["offset"]
    head = f"cae.look.rows_of_{told['kind']}"
    lines = [say(language, head, name=shown.name, total=told["total"], first=first + 1 if rows else 0, last=first + len(rows))]
    lines += [_element(row) if told["kind"] == "elements" else _node(row) for row in rows]
    if told["more"]:
        lines.append(say(language, "cae.look.read_on", more=told["more"], offset=first + len(rows)))
    return "\n".join(lines)


def _element(row: Entry) -> str:
    nodes = " ".join(str(label) for label in row["nodes"])
    return f"{row['label']} {row['shape']} [{nodes}] {row['section'] or '-'}"


def _node(row: Entry) -> str:
    return f"{row['label']} {_point(row['coordinates'])}"


def _left_out(entry: Entry, language: Language) -> list[str]:
    return [say(language, "cae.look.more", count=entry["left_out"])] if entry["left_out"] else []


def _size(summary: Entry, language: Language) -> str:
    shapes = _shapes(summary["shape_counts"])
    return say(language, "cae.look.size", nodes=summary["node_count"], elements=summary["element_count"], shapes=shapes)


def _shapes(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counts[shape]} {shape}" for shape in SHAPES if counts[shape]) or "0"


def _box(box: Entry | None, language: Language) -> str:
    return say(language, "cae.look.box", box=_corners(box) or say(language, "cae.look.none"))


def _corners(box: Entry | None) -> str:
    return "" if box is None else f"{_point(box['minimum'])} … {_point(box['maximum'])}"


def _point(values: Sequence[float]) -> str:
    return f"({', '.join(_number(value) for value in values)})"


def _number(value: float) -> str:
    return f"{value:.9g}"


def _listed(key: str, rows: Sequence[str], language: Language) -> str:
    """Return a line with the first rows and how many there are."""
    shown = ", ".join(rows[:MOST_NAMED]) or say(language, "cae.look.none")
    more = f" {say(language, 'cae.look.more', count=len(rows) - MOST_NAMED)}" if len(rows) > MOST_NAMED else ""
    return say(language, f"cae.look.{key}", count=len(rows), names=f"{shown}{more}")


def _each(table: Mapping[str, Entry], worded: Callable[[str, Entry], str]) -> list[str]:
    return [worded(name, table[name]) for name in sorted(table)]


def _set(entry: Entry, language: Language) -> str:
    return say(language, f"cae.look.{entry['kind']}_set", name=entry["name"], count=entry["count"])


def _material(name: str, entry: Entry) -> str:
    density = f", ρ {_number(entry['density'])} t/mm³" if entry["density"] else ""
    return f"{name} (E {_number(entry['youngs'])} MPa, ν {_number(entry['poisson'])}{density})"


def _section(name: str, entry: Entry) -> str:
    if entry["kind"] == "shell":
        return f"{name} ({entry['material']}, {_number(entry['thickness'])} mm)"
    return f"{name} ({entry['material']}, {entry['profile']} {'×'.join(_number(one) for one in entry['dimensions'])} mm)"


def _assigned(entry: Entry) -> str:
    n1 = "" if entry["n1"] is None else f" n1 {_point(entry['n1'])}"
    return f"{entry['section']}{n1} → {_shapes(entry['shape_counts'])}"


def _load(name: str, entry: Entry) -> str:
    if entry["kind"] == "pressure":
        return f"{name} ({_number(entry['magnitude'])} MPa → {entry['count']})"
    if entry["kind"] == "force":
        share = "Σ" if entry["total"] else "×"
        return f"{name} ({share} {_point(entry['components'])} N → {entry['count']})"
    return f"{name} ({_point(entry['components'])} mm/s²)"


def _support(name: str, entry: Entry) -> str:
    return f"{name} ({dofs_named(entry['dofs'])} → {entry['count']})"

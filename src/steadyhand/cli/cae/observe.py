"""Decides which region of a part a command looks at and how much of it is shown; it must not read the part itself, which a child does, or change it."""

import json
from collections.abc import Mapping
from typing import Any

import click
from pydantic import ValidationError

from steadyhand.cli.cae.desk import PART, PartDesk, refused
from steadyhand.cli.terminal.frame import Command, Frame, option, pass_frame
from steadyhand.cli.terminal.waiting import waited
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.cae.calls.words import Region
from steadyhand.domains.cae.choosing import shown_name
from steadyhand.domains.cae.observing.tools import MOST_ROWS, closer
from steadyhand.domains.cae.observing.wording import told_detail, told_regions
from steadyhand.domains.cae.shelf.places import PartName

SIDES = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax")
SHAPES = ("QUAD", "TRI", "BEAM")
ROWS = 50


@click.command(cls=Command)
@click.argument("part", type=PART)
@option("--region", "overview", text="cae_region", is_flag=True)
@option("--set", "name", text="cae_set")
@option("--labels", text="cae_labels")
@option("--box", text="cae_box", type=float, nargs=6)
@option("--plane", text="cae_plane", nargs=2, type=str)
@option("--side", text="cae_side", type=click.Choice(SIDES))
@option("--all", "everything", text="cae_all", is_flag=True)
@option("--shape", "shapes", text="cae_shape", type=click.Choice(SHAPES, case_sensitive=False), multiple=True)
@option("--nodes", text="cae_nodes", is_flag=True)
@option("--offset", text="cae_offset", type=click.IntRange(0, 1_000_000_000), default=0)
@option("--limit", text="cae_limit", type=click.IntRange(1, MOST_ROWS), default=ROWS)
@pass_frame
def observe(frame: Frame, part: PartName, *, nodes: bool, offset: int, limit: int, **asked: Any) -> None:
    """Look closer: where in a part there is what, or the rows of a region, page by page."""
    region = _region(asked)
    desk = PartDesk(frame)
    shown = desk.shown(part)
    wanted: dict[str, Json] = {"region": None}
    if region is not None:
        kind = "nodes" if nodes else "elements"
        wanted = {"region": region.model_dump(mode="json"), "kind": kind, "offset": offset, "limit": limit}
    answer = waited(frame, frame.say("waiting.reading"), closer(desk.looking(), desk.user, shown, wanted))
    if "told" not in answer:
        raise refused(frame, str(answer["code"]), answer["params"])
    told: Mapping[str, Any] = answer["told"]
    if region is None:
        text = f"{told_regions(shown, told, frame.language)}\n{frame.say('cae.look_closer', part=shown_name(part))}"
    else:
        text = told_detail(shown, told, frame.language)
    frame.show(text, {"part": str(part), "version": shown.version, **told})


def _region(asked: Mapping[str, Any]) -> Region | None:
    """Return the region that the options say; None for the overview. Raises `ToolRefusal` ``cae_region_*``."""
    ways = _ways(asked)
    if len(ways) + bool(asked["overview"]) > 1:
        raise ToolRefusal("cae_region_twice")
    if not ways and (asked["overview"] or not asked["shapes"]):
        return None
    try:
        return Region.model_validate_json(json.dumps({**(ways or {"all": True}), "shapes": asked["shapes"]}))
    except ValidationError:
        raise ToolRefusal("cae_region_unreadable") from None


def _ways(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return every way of saying a region that the options take."""
    box, plane, labels = asked["box"], asked["plane"], asked["labels"]
    found = {
        "set": asked["name"],
        "labels": None if labels is None else _labels(labels),
        "box": {"minimum": box[:3], "maximum": box[3:]} if box else None,
        "plane": {"axis": plane[0], "at": _number(plane[1])} if plane else None,
        "side": asked["side"],
        "all": asked["everything"] or None,
    }
    return {way: value for way, value in found.items() if value is not None}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ToolRefusal("cae_region_unreadable") from None


def _labels(text: str) -> list[int]:
    """Read ``1,2,7-9``."""
    found: list[int] = []
    for piece in text.replace("，", ",").split(","):
        first, _, last = piece.strip().partition("-")
        if not (first.isascii() and first.isdigit() and len(first) <= 10) or (last and not (last.isascii() and last.isdigit())):
            raise ToolRefusal("cae_region_unreadable")
        ends = int(first), int(last[:10] or first)
        if not 0 <= ends[1] - ends[0] < 100_000:
            raise ToolRefusal("cae_region_unreadable")
        found += range(ends[0], ends[1] + 1)
    return found

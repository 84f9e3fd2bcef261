"""Decides how the results of a job are told, and what a person is told once a change of a part is verified; it must not compute one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from steadyhand.cli.cae_desk import shown_name
from steadyhand.cli.frame import Frame
from steadyhand.core.language import say
from steadyhand.domains.cae.choosing import named
from steadyhand.store.changes import ChangeRow


def after(frame: Frame, row: ChangeRow) -> list[str]:
    """Return what a verified change left: its version, its results, and how to see them."""
    if row.receipt is None:
        return []
    result = cast("Mapping[str, Any]", cast("Mapping[str, Any]", row.receipt)["result"])
    part = shown_name(named(row.target_name))
    told = [frame.say("cae.made", part=part, version=result["version"])]
    jobs = cast("Mapping[str, Mapping[str, Any]]", result["jobs"])
    for name in sorted(jobs):
        told += [*result_lines(frame, name, jobs[name]), frame.say("cae.see_result", part=part, job=name)]
    return told if jobs else [*told, frame.say("cae.see", part=part)]


def result_lines(frame: Frame, name: str, job: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a job says: the largest displacement and stress, loads and reactions, remarks."""
    moved, stressed, solver = job["displacement"], job["von_mises"], job["solver"]
    yield frame.say("cae.result.head", job=name, elements=job["elements_as"], solver=f"{solver['name']} {solver['version']}")
    yield frame.say("cae.result.displacement", value=number(moved["max"]), node=moved["node"], vector=vector(moved["vector"]))
    yield frame.say("cae.result.von_mises", value=number(stressed["max"]), element=stressed["element"])
    yield frame.say("cae.result.balance", loads=vector(job["loads"]), reactions=vector(job["reactions"]))
    for support, force in sorted(cast("Mapping[str, Sequence[float]]", job["supports"]).items()):
        yield frame.say("cae.result.support", name=support, force=vector(force))
    for remark in job["warnings"]:
        values = {key: value for key, value in remark.items() if key != "code"}
        yield frame.say("cae.result.remark", text=say(frame.language, f"remark.{remark['code']}", **values))


def number(value: float) -> str:
    """Return a number as a person reads it."""
    return f"{value:.4g}"


def vector(values: Sequence[float]) -> str:
    """Return three numbers as a person reads them."""
    return f"({', '.join(number(value + 0.0) for value in values)})"

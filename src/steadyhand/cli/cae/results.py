"""Decides what a person is told once a change of a part is verified, and how the results of a job are listed; it must not compute one."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from steadyhand.cli.cae.desk import shown_name
from steadyhand.cli.terminal.frame import Frame
from steadyhand.domains.cae import telling
from steadyhand.domains.cae.choosing import named
from steadyhand.store.changes.changes import ChangeRow


def after(frame: Frame, row: ChangeRow) -> list[str]:
    """Return what a verified change left: its version, its results, and how to see them."""
    if row.receipt is None:
        return []
    result = cast("Mapping[str, Any]", cast("Mapping[str, Any]", row.receipt)["result"])
    part = shown_name(named(row.target_name))
    made = frame.say("cae.made", part=part, version=result["version"])
    if not result["jobs"]:
        return [made, frame.say("cae.see", part=part)]
    see = [frame.say("cae.see_result", part=part, job=job) for job in sorted(result["jobs"])]
    return [made, telling.told(row.receipt, frame.language), *see]


def result_lines(frame: Frame, job: str, summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a job says: by which solver, extremes, balance, the force of each support, remarks."""
    solver = summary["solver"]
    used = ", ".join(
        summary.get("solver_elements") or (summary.get("elements_used", summary["elements_as"]),)
    )  # older versions have less
    yield frame.say("cae.result.head", job=job, elements=used, solver=f"{solver['name']} {solver['version']}")
    yield from (f"  {line}" for line in telling.result_lines(job, summary, frame.language))
    for name, force in sorted(summary["supports"].items()):
        yield frame.say("cae.result.support", name=name, force=telling.vector(force))

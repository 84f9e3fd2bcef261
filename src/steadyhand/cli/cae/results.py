"""Decides how the results of a job are listed at the command line; it must not compute one."""

from collections.abc import Iterator, Mapping
from typing import Any

from steadyhand.cli.terminal.frame import Frame
from steadyhand.domains.cae import telling


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

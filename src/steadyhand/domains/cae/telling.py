"""Decides what a verified change of a part has to tell beyond its state: what its jobs came to. It must not read anything but the receipt."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, say
from steadyhand.domains.cae.choosing import named, shown_name
from steadyhand.store.changes.changes import ChangeRow

NEGLIGIBLE = 1e-9
LONG, HUGE = 9_999.5, 999_999.5
"""Between these a number is written to its last whole digit, without a power of ten."""


def told(receipt: Json, language: Language) -> str:
    """Return the results of the jobs in a stored receipt, in words; nothing where it ran none."""
    result = cast("Mapping[str, Any]", cast("Mapping[str, Any]", receipt or {}).get("result") or {})
    jobs = cast("Mapping[str, Mapping[str, Any]]", result.get("jobs") or {})
    return "\n".join(line for name, summary in jobs.items() for line in result_lines(name, summary, language))


def result_lines(job: str, summary: Mapping[str, Any], language: Language) -> Iterator[str]:
    """Yield the lines that tell one job's summary: extremes with their labels, balance, remarks."""
    moved, stressed = summary["displacement"], summary["von_mises"]
    yield say(
        language,
        "cae.result.extremes",
        job=job,
        displacement=_number(moved["max"]),
        node=moved["node"],
        stress=_number(stressed["max"]),
        element=stressed["element"],
    )
    yield say(language, "cae.result.balance", loads=vector(summary["loads"]), reactions=vector(summary["reactions"]))
    for remark in summary.get("remarks", ()):
        params = {name: value for name, value in remark.items() if name != "code"}
        yield say(language, "cae.result.remark", remark=say(language, f"remark.{remark['code']}", **params))


def after(row: ChangeRow, language: Language) -> list[str]:
    """Return what a verified change left: its version, its results, and how to see them at the command line."""
    if row.receipt is None:
        return []
    result = cast("Mapping[str, Any]", cast("Mapping[str, Any]", row.receipt)["result"])
    part = shown_name(named(row.target_name))
    made = say(language, "cae.result.made", part=part, version=result["version"])
    if not result["jobs"]:
        return [made, say(language, "cae.result.see", part=part)]
    see = [say(language, "cae.result.see_result", part=part, job=job) for job in sorted(result["jobs"])]
    return [made, told(row.receipt, language), *see]


def _number(value: float) -> str:
    return f"{value:.0f}" if LONG <= abs(value) < HUGE else f"{value:.4g}"


def vector(values: "list[float]") -> str:
    """Return three numbers as a person reads them; what is nothing beside the largest is 0."""
    largest = max((abs(value) for value in values), default=0.0)
    return "(" + ", ".join(_number(value if abs(value) > NEGLIGIBLE * largest else 0.0) for value in values) + ")"

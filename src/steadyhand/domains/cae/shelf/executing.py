"""Decides how a program is rehearsed, executed once and asked about later; it must not compile one or word anything.

`Judge` compares a read-back with what the program promised; the rules of that are the compiler's.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from steadyhand.core.canonical import Json, canonical
from steadyhand.core.clock import Clock, to_text
from steadyhand.core.errors import PersonDecides, StaleTarget
from steadyhand.core.ids import ChangeId
from steadyhand.core.language import Language
from steadyhand.domains.cae.shelf import keeping, making, running
from steadyhand.domains.cae.shelf.drawing import Form, pictures_of
from steadyhand.domains.cae.shelf.locking import holder, writing
from steadyhand.domains.cae.shelf.looking import facts_of, observed
from steadyhand.domains.cae.shelf.making import REPORT, Made, discard
from steadyhand.domains.cae.shelf.places import RECEIPT, PartFolder
from steadyhand.domains.cae.shelf.records import At, Manifest, at, chain, damaged
from steadyhand.domains.cae.shelf.running import Bounds
from steadyhand.gate.contract import (
    Applied,
    NotApplied,
    Observation,
    Outcome,
    Program,
    Receipt,
    Refusal,
    Rehearsal,
    Submission,
    Unclear,
    Verdict,
)

Judge: TypeAlias = Callable[[Program, Observation, Receipt | None, Observation], Verdict]
READBACK: Final = "readback.json"


@dataclass(frozen=True, slots=True)
class Workshop:
    """What rehearsals and executions need beside the part: bounds of the children, the clock, the judge, words and *forms* of pictures."""

    bounds: Bounds
    clock: Clock
    judge: Judge
    language: Language
    forms: tuple[Form, ...] = ("svg", "best")


async def rehearse(shop: Workshop, folder: PartFolder, program: Program, change: ChangeId) -> Rehearsal:
    """Run *program* on a shadow copy, read it back in a second process and judge it; the part itself stays as it is."""
    folder.make()
    start, place = at(folder), folder.path / "shadow" / change
    try:
        made = await making.make(folder, place, start, program.text, needs_of(program), shop.bounds, rehearse=True)
        if made.read is None:
            refusal = made.receipt.refusal or Refusal("run_without_receipt")
            return Rehearsal(
                ok=False,
                evidence={"receipt": made.receipt.content},
                refusal=refusal,
                artifacts={RECEIPT: canonical(cast("Json", made.receipt.content))},
            )
        pictures = await pictures_of(folder, start, made, shop.bounds, shop.language, shop.forms)
        return _rehearsed(shop, folder, program, start, made, pictures)
    finally:
        discard(place)


def _rehearsed(
    shop: Workshop, folder: PartFolder, program: Program, start: At, made: Made, pictures: Mapping[str, bytes]
) -> Rehearsal:
    assert made.read is not None  # noqa: S101  # its only caller has looked
    before, after = _before(folder, start, program), _after(folder, program, start, made)
    verdict = _judged(shop, program, before, None, after, made)
    audits = {name: made.bytes_of(name) for name in made.read.files if name.endswith(REPORT)}
    evidence: dict[str, Json] = {
        "receipt": cast("Json", made.receipt.content),
        "before": before.facts,
        "after": after.facts,
        "digests": dict(after.footprint),
        "audit": _audits(made),
        "checked": {"matched": verdict.matched, "differences": list(verdict.differences)},
        "warnings": cast("Json", warnings_of(made)),
        "picture": next(iter(sorted(pictures)), None),
    }
    artifacts = {
        **audits,
        **pictures,
        RECEIPT: made.bytes_of(RECEIPT),
        READBACK: canonical({"facts": after.facts, "footprint": dict(after.footprint)}),
    }
    refusal = None if verdict.matched else Refusal("rehearsal_differs", {"differences": "; ".join(verdict.differences[:10])})
    return Rehearsal(ok=verdict.matched is True, evidence=evidence, refusal=refusal, artifacts=artifacts)


async def execute(shop: Workshop, folder: PartFolder, program: Program, submission: Submission) -> Receipt:
    """Run *program* once under the writer lock and switch to what came of it, when it is what was promised.

    Raises `StaleTarget` when the footprint differs; whatever else goes wrong is raised too, with the part as it was.
    """
    async with writing(folder, submission.id):
        if keeping.has_ended(folder, submission.id):
            raise PersonDecides("submission_ended")
        start, place = at(folder), folder.path / "staging" / submission.id
        moved = tuple(name for name, expected in program.footprint.items() if start.regions.get(name) != expected)
        if moved:
            raise StaleTarget(moved)
        keeping.sweep_staging(folder)
        try:
            made = await making.make(folder, place, start, program.text, needs_of(program), shop.bounds, rehearse=False)
            manifest = _manifest(shop, folder, program, submission, start, made)
            making.switch(folder, made, manifest)
        finally:
            discard(place)
        return receipt_of(folder, manifest)


def _manifest(shop: Workshop, folder: PartFolder, program: Program, submission: Submission, start: At, made: Made) -> Manifest:
    """Judge what was made and return what it says of itself. Raises when the run failed or is not what was promised."""
    if made.read is None:
        raise running.as_error(made.receipt.refusal or Refusal("run_without_receipt"))
    before, after = _before(folder, start, program), _after(folder, program, start, made)
    verdict = _judged(shop, program, before, None, after, made)
    differences = verdict.differences if verdict.matched is not True else _unlike(program, submission, made)
    if verdict.matched is not True or differences:
        raise PersonDecides("run_differs", differences="; ".join(differences[:10]))
    keeping.share_deck(folder, start, made)
    return Manifest(
        version=keeping.next_version(folder, start),
        base=start.base,
        change=submission.change,
        number=submission.number,
        program=submission.program_digest,
        regions=made.read.regions,
        files=made.read.files,
        jobs=cast("Mapping[str, Json]", made.receipt.content.get("jobs", {})),
        engine=program.engine,
        created=to_text(shop.clock.now()),
    )


def _unlike(program: Program, submission: Submission, made: Made) -> tuple[str, ...]:
    """Return which regions that the program writes, and which reports, are not what its rehearsal came to: that was seen and approved.

    Counts and sums are what another mesh can have too; a digest of a region holds all of it. What was not rehearsed is like nothing.
    """
    assert made.read is not None  # noqa: S101  # its only caller has looked
    sealed = cast("Mapping[str, Any]", submission.rehearsed or {})
    shown, audits, found = sealed.get("digests", {}), sealed.get("audit", {}), _audits(made)
    regions = [name for name in program.writes if shown.get(name) != made.read.regions[name]]
    reports = [name for name in found if audits.get(name) != found[name]]
    return tuple(f"{name}: differs" for name in (*regions, *reports))


def _audits(made: Made) -> dict[str, Json]:
    """Return what the audits of a run reported, by file."""
    assert made.read is not None  # noqa: S101  # its callers have looked
    return {name: json.loads(made.bytes_of(name)) for name in made.read.files if name.endswith(REPORT)}


def _before(folder: PartFolder, start: At, program: Program) -> Observation:
    return observed(folder, start, module_of(program))


def _after(folder: PartFolder, program: Program, start: At, made: Made) -> Observation:
    assert made.read is not None  # noqa: S101  # its callers have looked
    jobs = cast("Mapping[str, Json]", made.receipt.content.get("jobs", {}))
    version = keeping.next_version(folder, start)
    facts = facts_of(folder, module_of(program), made.read.facts, version, made.read.files, jobs)
    return Observation(facts, made.read.regions)


def _judged(
    shop: Workshop, program: Program, before: Observation, receipt: Receipt | None, after: Observation, made: Made
) -> Verdict:
    """Judge a read-back; a part that breaks the engine's own rules is none, whatever was promised."""
    assert made.read is not None  # noqa: S101  # its callers have looked
    if made.read.faults:
        return Verdict(matched=False, differences=made.read.faults)
    return shop.judge(program, before, receipt, after)


async def outcome(folder: PartFolder, submission: Submission) -> Outcome:
    """Say from the chain of manifests what became of a submission; one that is told as not done can never be done afterwards."""
    try:
        async with writing(folder):
            return _settle(folder, submission)
    except PersonDecides as busy:
        return _beside_a_writer(folder, submission, busy.code)


def _beside_a_writer(folder: PartFolder, submission: Submission, code: str) -> Outcome:
    """Say what can be said while somebody writes: when that is another submission, this one has ended or has not begun.

    The mark comes before the second look: a writer names itself in the lock and looks for the mark after that, so that one of the
    two sees the other.
    """
    if holder(folder) != submission.id:
        told = _told(folder, submission)
        if told is not None:
            return told
        keeping.mark_ended(folder, submission.id)
        if holder(folder) != submission.id:
            return _told(folder, submission) or NotApplied(code)
    return Unclear(code, "current")


def _told(folder: PartFolder, submission: Submission) -> Outcome | None:
    """Return what the chain of manifests says of a submission; None when it does not have it."""
    for manifest in chain(folder, at(folder)):
        if manifest.change == submission.change:
            if manifest.program != submission.program_digest:
                return Unclear("another_program", f"versions/{manifest.version}")
            return Applied(receipt_of(folder, manifest))
    return None


def _settle(folder: PartFolder, submission: Submission) -> Outcome:
    told = _told(folder, submission)
    if told is not None:
        return told
    start = at(folder)
    keeping.drop_orphans(folder, start, submission.change)
    discard(folder.path / "staging" / submission.id)
    keeping.mark_ended(folder, submission.id)
    return NotApplied()


def receipt_of(folder: PartFolder, manifest: Manifest) -> Receipt:
    """Return the receipt of a version: what is in its manifest, and its reports."""
    result: dict[str, Json] = {
        "version": manifest.version,
        "base": manifest.base.version,
        "replaced": keeping.replaced_by(folder, manifest),
        "digests": dict(manifest.regions),
        "files": dict(manifest.files),
        "jobs": dict(manifest.jobs),
    }
    return Receipt(dict(manifest.regions), result, keeping.reports_of(folder, manifest))


async def read_back(shop: Workshop, folder: PartFolder, program: Program) -> Observation:
    """Read the version that the part is at in a fresh process, from its deck. Raises ``part_damaged`` where a file is not what was written."""
    start = at(folder)
    if start.manifest is None:
        return _before(folder, start, program)
    manifest = start.manifest
    read = await running.read(folder.version(manifest.version), shop.bounds, keep=False)
    for name, sha256 in manifest.files.items():
        if read.files.get(name) != sha256:
            raise damaged(folder, f"versions/{manifest.version}/{name}")
    facts = facts_of(folder, module_of(program), read.facts, manifest.version, manifest.files, manifest.jobs)
    return Observation(facts, read.regions)


def discard_rehearsal(root: Path, change: ChangeId) -> None:
    """Remove the shadow copies of *change*, whichever part they are of."""
    for place in root.glob(f"*/*/*/shadow/{change}"):
        discard(place)


def needs_of(program: Program) -> list[Mapping[str, Any]]:
    """Return what a program says it needs beside the part."""
    evidence = cast("Mapping[str, Any]", program.evidence)
    return list(cast("Sequence[Mapping[str, Any]]", evidence.get("needs") or ()))


def module_of(program: Program) -> str:
    """Return the module that a program was compiled for."""
    return str(cast("Mapping[str, Any]", program.evidence)["module"])


def warnings_of(made: Made) -> list[Json]:
    """Return what the jobs of a run remarked."""
    jobs = cast("Mapping[str, Mapping[str, Any]]", made.receipt.content.get("jobs", {}))
    return [warning for job in jobs.values() for warning in job.get("warnings", [])]

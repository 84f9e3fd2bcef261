"""Decides what the child processes of a part do: run one script on a copy, read a version back, take a deck in. It must not switch.

The engine is imported inside the bodies: by then its process has its limits, and the main process never loads numpy.
"""

import hashlib
import json
import math
import os
import resource
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from steadyhand.core.canonical import Json, canonical
from steadyhand.core.errors import OperatorRepairs, SteadyhandError, ToolRefusal
from steadyhand.domains.cae.shelf.allowed import require_allowed
from steadyhand.domains.cae.shelf.places import CACHE, DECK, RECEIPT, RESULTS, SUMMARY
from steadyhand.domains.cae.shelf.traces import entry_of, trace_of
from steadyhand.jobs.bodies import Arguments, Report, body

if TYPE_CHECKING:
    from steadyhand.domains.cae.engine.part import Part
    from steadyhand.domains.cae.engine.stage import Stage

MOST_FILE_BYTES: Final = 8 << 30
_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@body
def run_script(arguments: Arguments, payload: bytes, report: Report) -> Json:
    """Run the script *payload* on the base and write what comes of it, with ``receipt.json``, into the child's own folder.

    A script that fails is an answer like any other: the receipt says so. What is raised is a fault of files or limits.
    """
    folder = settle(arguments)
    report(0, 3, "load")
    stage = _stage(arguments, folder)
    report(1, 3, "run")
    receipt = perform(payload.decode(), stage)
    (folder / RECEIPT).write_bytes(canonical(receipt))
    report(3, 3, "")
    return receipt


@body
def read_back(arguments: Arguments, payload: bytes, report: Report) -> Json:
    """Read the deck in the folder afresh; return its facts, digests and those of every file. With ``keep``, leave summary and cache."""
    del payload, report
    folder = settle(arguments)
    from steadyhand.domains.cae.engine.deck.cache import save_cache  # noqa: PLC0415  # see the module's docstring
    from steadyhand.domains.cae.engine.deck.reading import read_deck  # noqa: PLC0415  # see the module's docstring
    from steadyhand.domains.cae.engine.digests import regions  # noqa: PLC0415  # as above
    from steadyhand.domains.cae.engine.observe import part_facts  # noqa: PLC0415  # as above

    part = read_deck(folder / DECK, inside=folder).part
    facts = cast("dict[str, Json]", part_facts(part))
    files = {name: _sha256(folder / name) for name in _files_in(folder)}
    if arguments["keep"]:
        (folder / SUMMARY).write_bytes(canonical(facts))
        files[SUMMARY] = _sha256(folder / SUMMARY)
        save_cache(part, folder / CACHE, files[DECK])
    return {"facts": facts, "regions": regions(part), "files": files, "faults": part.faults()}


@body
def take_deck(arguments: Arguments, payload: bytes, report: Report) -> Json:
    """Read a foreign deck inside its own folder and write it in our form under a name that is its digest; return that and the report."""
    del payload, report
    settle(arguments)
    from steadyhand.domains.cae.engine.deck.reading import read_deck  # noqa: PLC0415  # see the module's docstring
    from steadyhand.domains.cae.engine.deck.writing import write_deck  # noqa: PLC0415  # see the module's docstring
    from steadyhand.domains.cae.engine.observe import part_facts  # noqa: PLC0415  # as above

    source, target = Path(cast("str", arguments["source"])), Path(cast("str", arguments["folder"]))
    fresh = target / cast("str", arguments["fresh"])
    try:
        read = refused(lambda: read_deck(source, inside=source.parent))
        write_deck(read.part, fresh)
        sha256 = _sha256(fresh)
        _sync(fresh)
        fresh.replace(target / f"{sha256}.inp")
    finally:
        fresh.unlink(missing_ok=True)
    found = cast("Json", json.loads(json.dumps(asdict(read.report))))
    return {"sha256": sha256, "report": found, "facts": cast("Json", part_facts(read.part))}


def settle(arguments: Arguments) -> Path:
    """Bind this process to its limits and its own folder, before anything heavy is imported."""
    for name in _THREADS:
        os.environ[name] = str(arguments["threads"])
    os.environ["PATH"] = cast("str", arguments["path"])
    _bound(resource.RLIMIT_CPU, math.ceil(cast("float", arguments["cpu_seconds"])))
    _bound(resource.RLIMIT_FSIZE, MOST_FILE_BYTES)
    folder = Path(cast("str", arguments["folder"]))
    os.chdir(folder)
    return folder


def _bound(limit: int, most: int) -> None:
    """Set a limit to *most*, or to the lower one that this process was started under: nobody may raise that again."""
    hard = resource.getrlimit(limit)[1]
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(limit, (most, most))


def _stage(arguments: Arguments, folder: Path) -> "Stage":
    from steadyhand.domains.cae.engine.part import Part  # noqa: PLC0415  # see the module's docstring
    from steadyhand.domains.cae.engine.stage import Stage  # noqa: PLC0415  # as above

    base = cast("str | None", arguments["base"])
    part = Part() if base is None else load(Path(base), cast("str", arguments["sha256"]))
    decks = {sha256: Path(path) for sha256, path in cast("Mapping[str, str]", arguments["decks"]).items()}
    model, name = cast("str", arguments["model"]), cast("str", arguments["part"])
    return Stage(model, name, part, folder, decks, _solver(rehearsing=bool(arguments["rehearse"])))


def load(folder: Path, sha256: str) -> "Part":
    """Return the part of a version: from its cache where that is sound, else from the deck, which must be the one that was written."""
    from steadyhand.domains.cae.engine.deck.cache import load_cache  # noqa: PLC0415  # see the module's docstring
    from steadyhand.domains.cae.engine.deck.reading import read_deck  # noqa: PLC0415  # see the module's docstring

    if not (folder / DECK).is_file() or _sha256(folder / DECK) != sha256:
        raise OperatorRepairs("part_damaged", name=f"{folder.parents[2].name}/{folder.parents[1].name}", file=DECK)
    return load_cache(folder / CACHE, sha256) or read_deck(folder / DECK, inside=folder).part


def _solver(*, rehearsing: bool) -> Callable[["Part", Path, str, str], Mapping[str, Any]]:
    def solver(part: "Part", folder: Path, name: str, elements: str) -> Mapping[str, Any]:
        from steadyhand.domains.cae.shelf.jobs import rehearse_job, run_job  # noqa: PLC0415  # see the module's docstring

        folder.mkdir(parents=True)
        return (rehearse_job if rehearsing else run_job)(part, folder, name, elements)

    return solver


def perform(text: str, stage: "Stage") -> dict[str, Json]:
    """Run the script *text* on *stage*, leave in its folder what came of it, and return the receipt; a failure is an answer too."""
    from steadyhand.domains.cae.engine.errors import EngineRefusal, PreflightRefusal  # noqa: PLC0415  # see the module's docstring
    from steadyhand.domains.cae.engine.script import run  # noqa: PLC0415  # as above

    try:
        require_allowed(text)
        run(text, stage)
        _leave(stage)
    except EngineRefusal as error:
        phase = "preflight" if isinstance(error, PreflightRefusal) else "mutation"
        name = entry_of(error, text) if error.code == "region_empty" else ""
        code, params = ("region_empty_for", {"name": name}) if name else (error.code, dict(error.params))
        return _failed(code, cast("dict[str, Json]", params), phase, trace_of(error, text))
    except SteadyhandError as error:
        return _failed(error.code, cast("dict[str, Json]", dict(error.params)), "check", trace_of(error, text))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  # whatever a script raises is its answer
        trace = trace_of(error, text)
        return _failed("script_failed", {"said": trace[-1] if trace else ""}, "mutation", trace)
    return {"status": "PASS", "finished": stage.finished, "reports": sorted(stage.reports), "jobs": cast("Json", stage.jobs)}


def _failed(code: str, params: dict[str, Json], phase: str, trace: list[str]) -> dict[str, Json]:
    return {"status": "FAIL", "code": code, "params": params, "phase": phase, "traceback": trace}


def _leave(stage: "Stage") -> None:
    """Write what the script made: the deck, the reports, and a summary beside the results of each job."""
    from steadyhand.domains.cae.engine.deck.writing import write_deck  # noqa: PLC0415  # see the module's docstring

    folder = stage.folder
    write_deck(stage.part, folder / DECK)
    for name, content in stage.reports.items():
        (folder / name).write_bytes(canonical(content))
    for name, content in stage.jobs.items():
        (folder / RESULTS / name / SUMMARY).write_bytes(canonical(cast("Json", content)))


def _files_in(folder: Path) -> list[str]:
    """Return the names of what a version is made of, below its folder; the cache is none of it."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(name for name in (path.relative_to(folder).as_posix() for path in found) if name != CACHE)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def refused(read: Callable[[], Any]) -> Any:
    """Turn a refusal of the engine into the kind that passes to the parent with its code."""
    from steadyhand.domains.cae.engine.errors import EngineRefusal  # noqa: PLC0415  # see the module's docstring

    try:
        return read()
    except EngineRefusal as error:
        raise ToolRefusal(error.code, **error.params) from None

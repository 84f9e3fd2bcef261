"""Engineering parts as the house knows them: their tools, phrases, writer and pictures, their folder, and what solves and draws them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steadyhand.core.ids import change_name
from steadyhand.core.language import Language, say
from steadyhand.domains.cae.engineering import NAME, Engineering
from steadyhand.domains.registration import Home, Installed, Registration

if TYPE_CHECKING:
    from steadyhand.core.config import Settings
    from steadyhand.llm.rules.book import PhraseBook, Writer
    from steadyhand.store import Store
    from steadyhand.store.changes.changes import ChangeRow
    from steadyhand.store.upkeep.backup import Holding
    from steadyhand.store.upkeep.health import Finding, Level

PASSING = frozenset({"staging", "shadow", "lock"})
"""What is being made, or held, of a part: it means nothing in a copy."""
CHOICE = "cae.choice"
"""What a session holds of the part that it is on."""
_DEPTH_IN_PART = 3


def _install(home: Home) -> Installed:
    parts = Engineering(home.settings, home.working, home.store.clock)
    return Installed(lambda: parts.module(home.language), parts.tools, shared=(CHOICE,), commands=parts.commands)


def _phrases() -> "Sequence[PhraseBook]":
    from steadyhand.domains.cae.phrases import cae_phrases  # noqa: PLC0415  # see the record's docstring

    return cae_phrases()


def _writers() -> "Sequence[Writer]":
    from steadyhand.domains.cae.phrases import CaeWriter  # noqa: PLC0415  # as above

    return (CaeWriter(),)


def _outcome(row: "ChangeRow", language: Language) -> Sequence[str]:
    """Tell what the jobs of a verified change came to."""
    if row.state != "verified":
        return ()
    from steadyhand.domains.cae import telling  # noqa: PLC0415  # as above

    told = telling.told(row.receipt, language)
    return (told,) if told else ()


def _after(row: "ChangeRow", language: Language) -> Sequence[str]:
    """Tell what a verified change left, and how to see it at the command line."""
    if row.state != "verified":
        return ()
    from steadyhand.domains.cae import telling  # noqa: PLC0415  # as above

    return telling.after(row, language)


def _beside(row: "ChangeRow", language: Language) -> Sequence[str]:
    """Say how the picture of a sealed change is seen."""
    return (say(language, "cae.result.picture_waits", name=change_name(row.number)),) if row.state == "sealed" else ()


def _checks(settings: "Settings") -> "Iterator[Finding]":
    """Look for what solves and draws parts; who has none is told without a warning."""
    from importlib.metadata import version  # noqa: PLC0415  # as above
    from importlib.util import find_spec  # noqa: PLC0415  # as above

    from steadyhand.domains.cae.solve.ccx import find_ccx  # noqa: PLC0415  # as above
    from steadyhand.store.upkeep.health import Finding  # noqa: PLC0415  # as above

    lacks: Level = "warn" if (settings.data_dir / NAME).is_dir() else "ok"
    solver = find_ccx()
    if solver is None:
        yield Finding("parts", lacks, "no_solver")
    else:
        yield Finding("parts", "ok", "solver", {"version": solver.version})
    if find_spec("pyvista") is None:
        yield Finding("parts", lacks, "no_renderer")
    else:
        yield Finding("parts", "ok", "renderer", {"version": version("pyvista")})


def _standing(settings: "Settings", store: "Store") -> "Iterator[Finding]":
    from steadyhand.domains.cae.standing import standing  # noqa: PLC0415  # as above

    return standing(store, settings.data_dir / NAME, NAME)


def _holding(settings: "Settings") -> "Holding":
    from steadyhand.store.upkeep.backup import Holding  # noqa: PLC0415  # as above

    return Holding(NAME, settings.data_dir.absolute() / NAME, _lasts, together=True)


def _lasts(place: Path) -> bool:
    """Tell whether a file of the parts, ``<user>/<model>/<part>/…``, is more than passing."""
    return len(place.parts) <= _DEPTH_IN_PART or place.parts[_DEPTH_IN_PART] not in PASSING


CAE = Registration(
    NAME,
    _install,
    command="steadyhand.cli.cae.group:cae",
    phrases=_phrases,
    writers=_writers,
    help=lambda language: say(language, "cae.help"),
    outcome=_outcome,
    after=_after,
    beside=_beside,
    checks=_checks,
    standing=_standing,
    holding=_holding,
)

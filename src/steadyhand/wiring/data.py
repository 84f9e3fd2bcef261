"""Decides what belongs to a person's data beside the database, and what a backup leaves out on purpose; it must not copy it."""

from steadyhand.core.config import Settings, settings_file
from steadyhand.store.upkeep.backup import Holding
from steadyhand.wiring.domains import DOMAINS

WORKSPACE = "workspace"
_BESIDE = ("steadyhand.db", ".")


def holdings(settings: Settings, *, workspace: bool = True) -> list[Holding]:
    """Return the folders of a backup: those of domains, which the record speaks of, and the files of the person and the agent."""
    own = [holding for record in DOMAINS if (holding := record.holding(settings)) is not None]
    return [*own, Holding(WORKSPACE, settings.workspace_dir.absolute())] if workspace else own


def left_out(settings: Settings, *, workspace: bool = True) -> list[str]:
    """Return what lies in the data folder and is not taken along: settings and tokens, which hold secrets, logs, earlier copies."""
    taken = {one.root.name for one in holdings(settings)}
    folder = settings.data_dir.absolute()
    there = sorted(folder.iterdir()) if folder.is_dir() else []
    found = [one.name for one in there if one.name not in taken and not one.name.startswith(_BESIDE) and one.suffix != ".lock"]
    found += [str(settings_file())] if settings_file().is_file() and settings_file().name not in found else []
    return found if workspace else [*found, WORKSPACE]

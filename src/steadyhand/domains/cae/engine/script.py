"""Decides which words a generated script has, in the manner of the modelled API: enums are objects, a string where one is due raises.

It must not look for a target, a file or a solver itself: whoever runs a script sets a `Stage` with all of them.
"""

import hashlib
from dataclasses import dataclass
from typing import Any, Final

from steadyhand.domains.cae.engine import assigning
from steadyhand.domains.cae.engine import preflights as preflight
from steadyhand.domains.cae.engine.deck.reading import read_deck
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.inputs import as_number
from steadyhand.domains.cae.engine.naming import check_name
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import BeamSection, Material, ShellSection
from steadyhand.domains.cae.engine.script_part import ScriptPart, same_part
from steadyhand.domains.cae.engine.shapes import BEAM, BOX, CIRC, PIPE, QUAD, RECT, TRI, Profile, X, Y, Z, as_profile
from steadyhand.domains.cae.engine.stage import Stage, current, on_stage

__all__ = ["BEAM", "BOX", "CIRC", "PIPE", "QUAD", "RECT", "TRI", "X", "Y", "Z", "open_model", "preflight", "run"]

MODULE: Final = __name__
FILE: Final = "generated_script.py"
EMPTY: Final = ""
"""Stands for the digest of no deck at all: a part that is taken back to it has nothing."""


def open_model(name: str) -> "Model":
    """Return the model that the host put on stage; it has no other."""
    stage = current()
    if name != stage.model:
        raise EngineRefusal("target_differs", name=name, target=stage.model)
    return Model(stage)


class Model:
    """A model: its one part, materials, sections and jobs."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def part(self, name: str) -> ScriptPart:
        """Return the part that the host put on stage."""
        if name != self._stage.name:
            raise EngineRefusal("target_differs", name=name, target=self._stage.name)
        return ScriptPart(self._stage)

    def Material(self, *, name: str, youngs: float, poisson: float, density: float = 0.0) -> None:
        """Make a material, or replace the one of that name."""
        assigning.put_material(self._stage.part, Material(name, as_number(youngs), as_number(poisson), as_number(density)))

    def ShellSection(self, *, name: str, material: str, thickness: float, offset: float = 0.0) -> None:
        """Make a section of TRI and QUAD, or replace the one of that name."""
        assigning.put_section(self._stage.part, ShellSection(name, material, as_number(thickness), as_number(offset)))

    def BeamSection(
        self,
        *,
        name: str,
        material: str,
        profile: Profile,
        dimensions: tuple[float, ...],
        offset: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Make a section of BEAM, or replace the one of that name."""
        sizes = tuple(as_number(size) for size in dimensions)
        first, second = offset
        section = BeamSection(name, material, as_profile(profile), sizes, (as_number(first), as_number(second)))
        assigning.put_section(self._stage.part, section)

    def StaticJob(self, *, name: str, elements: str = "auto") -> "Job":
        """Return a linear static job of the part."""
        return Job(self._stage, check_name(name), elements)

    def importDeck(self, *, sha256: str) -> None:
        """Put what a deck that was laid ready holds in the place of everything in the part."""
        self._replace(sha256)

    def restoreVersion(self, *, version: int, sha256: str) -> None:
        """Put what an earlier version held in the place of everything in the part; its labels and the next ones are that version's."""
        del version  # it is told for people; the digest is what is looked up
        self._replace(sha256)

    def finish(self, part: ScriptPart) -> None:
        """Say that the script came to its end: the last line."""
        if not same_part(part, self._stage):
            raise EngineRefusal("target_differs", name="", target=self._stage.name)
        found = self._stage.part.faults()
        if found:
            raise EngineRefusal("part_faulty", faults=", ".join(found))
        self._stage.finished = True

    def _replace(self, sha256: str) -> None:
        self._stage.part = Part() if sha256 == EMPTY else _deck(self._stage, sha256)


@dataclass(frozen=True, slots=True)
class Job:
    """A job that can be submitted."""

    _stage: Stage
    name: str
    elements: str

    def submit(self) -> None:
        """Solve, or in a rehearsal write the deck and check it."""
        stage, solver = self._stage, self._stage.solver
        if solver is None:
            raise EngineRefusal("no_solver", job=self.name)
        stage.jobs[self.name] = solver(stage.part, stage.folder / "results" / self.name, self.name, self.elements)


def _deck(stage: Stage, sha256: str) -> Part:
    path = stage.decks.get(sha256)
    if path is None or not path.is_file():
        raise EngineRefusal("deck_missing", sha256=sha256)
    with path.open("rb") as stream:
        if hashlib.file_digest(stream, "sha256").hexdigest() != sha256:
            raise EngineRefusal("deck_damaged", sha256=sha256)
    return read_deck(path, inside=path.parent).part


def run(text: str, stage: Stage) -> None:
    """Run the script *text* on *stage*. Raises what the script raises; `EngineRefusal` ``not_finished`` without its last line.

    It is one that `shelf.allowed` let pass; here it gets no builtin that it does not need.
    """
    namespace: dict[str, Any] = {
        "__builtins__": {"__import__": _import, "RuntimeError": RuntimeError, "len": len},
        "SAM_AGENT_TARGET": {"model_name": stage.model, "part_name": stage.name},
    }
    with on_stage(stage):
        exec(compile(text, FILE, "exec"), namespace)  # noqa: S102  # our own generated text, of allowed forms alone
    if not stage.finished:
        raise EngineRefusal("not_finished")


def _import(name: str, _globals: object = None, _locals: object = None, fromlist: tuple[str, ...] = (), level: int = 0) -> object:
    if name != MODULE or level or not set(fromlist) <= set(__all__) - {"run"}:
        raise ImportError(name)
    return __import__(MODULE, fromlist=fromlist)

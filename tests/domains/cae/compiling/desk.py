"""A part in memory whose changes go the whole way in this process: operations, program, script on a copy, read-back, verdict."""

import copy
from pathlib import Path
from typing import Any

from steadyhand.core.canonical import canonical, digest_bytes
from steadyhand.core.ids import UserId
from steadyhand.domains.cae.compiling import compile as compile_operations
from steadyhand.domains.cae.compiling import operations, present, verify
from steadyhand.domains.cae.engine.digests import regions
from steadyhand.domains.cae.engine.observe import part_facts
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.script import run
from steadyhand.domains.cae.engine.stage import Stage
from steadyhand.domains.cae.shelf.allowed import require_allowed
from steadyhand.domains.cae.shelf.looking import ABSENT
from steadyhand.gate.contract import (
    Calls,
    CollectedCall,
    Given,
    Observation,
    Operations,
    Program,
    Receipt,
    Refusal,
    Rehearsal,
    Target,
    Verdict,
    View,
)

TARGET = Target("cae", "ship/hull", UserId("usr_1"))
NAMES = {"model_name": "ship", "part_name": "hull"}

Item = tuple[str, dict[str, Any]]


def checked(part: Part, folder: Path, name: str, elements: str) -> dict[str, Any]:
    """What a job of a rehearsal leaves."""
    return {"name": name, "elements_as": elements, "status": "checked", "warnings": []}


class Desk:
    """A person's part; *there* is False until something was made of it."""

    def __init__(self, module: str = "part", part: Part | None = None) -> None:
        self.module = module
        self.part = part or Part()
        self.there = part is not None

    def seen(self) -> Observation:
        return self._observed(self.part, exists=self.there)

    def _observed(self, part: Part, *, exists: bool = True, **more: Any) -> Observation:
        facts = part_facts(part) if exists else ABSENT
        return Observation({"module": self.module, "target": {**NAMES, "exists": exists}, **facts, **more}, regions(part))

    def given(self, *items: Item, request: str = "") -> Operations | Refusal:
        return operations(Given(tuple({"tool": tool, "arguments": arguments} for tool, arguments in items)), self.seen(), request)

    def called(self, *items: Item, request: str = "") -> Operations | Refusal:
        calls = (CollectedCall(place, 1, tool, arguments) for place, (tool, arguments) in enumerate(items))
        return operations(Calls(tuple(calls)), self.seen(), request)

    def compiled(self, *items: Item) -> Program | Refusal:
        taken = self.given(*items)
        return taken if isinstance(taken, Refusal) else compile_operations(taken, TARGET, self.seen())

    def program(self, *items: Item) -> Program:
        found = self.compiled(*items)
        assert isinstance(found, Program), found
        return found

    def refusal(self, *items: Item) -> Refusal:
        found = self.compiled(*items)
        assert isinstance(found, Refusal), found.text
        return found

    def after(self, program: Program) -> tuple[Part, Observation]:
        """Run *program* on a copy, as a child would, and read it back."""
        require_allowed(program.text)
        stage = Stage("ship", "hull", copy.deepcopy(self.part), Path(), solver=checked)
        run(program.text, stage)
        artifacts = {name: digest_bytes(canonical(report)) for name, report in stage.reports.items()}
        return stage.part, self._observed(stage.part, artifacts=artifacts, results=dict(stage.jobs))

    def verdict(self, program: Program, after: Observation | None = None, receipt: Receipt | None = None) -> Verdict:
        return verify(program, self.seen(), receipt, after or self.after(program)[1])

    def do(self, *items: Item) -> Program:
        """Change the part, which must come out as the program promised."""
        program = self.program(*items)
        part, read = self.after(program)
        verdict = self.verdict(program, read)
        assert verdict.matched, verdict.differences
        self.part, self.there = part, True
        return program

    def shown(self, program: Program, language: str, *, rehearsed: bool = True, **evidence: Any) -> View:
        seen = self.seen()
        if not rehearsed:
            return present(program, seen, None, language)
        after = self.after(program)[1]
        told = {
            "before": seen.facts,
            "after": after.facts,
            "picture": "before_after.svg",
            "warnings": [],
            "audit": {},
            **evidence,
        }
        return present(program, seen, Rehearsal(ok=True, evidence=told), language)


def node(name: str, x: float, y: float, z: float = 0.0) -> dict[str, Any]:
    return {"id": name, "coordinates": [x, y, z]}


def element(name: str, shape: str, *nodes: str) -> dict[str, Any]:
    return {"id": name, "shape": shape, "node_ids": list(nodes)}


def plate(name: str = "P", along: int = 6, across: int = 3, **more: Any) -> dict[str, Any]:
    return {"id": name, "origin": [0, 0, 0], "u": [60, 0, 0], "v": [0, 30, 0], "divisions": [along, across], **more}


CORNERS = [node("N1", 0, 0), node("N2", 60, 0), node("N3", 60, 60), node("N4", 0, 60)]
SQUARE = ("build_part", {"nodes": CORNERS, "elements": [element("E1", "QUAD", "N1", "N2", "N3", "N4")]})
PLATE = ("build_part", {"nodes": [], "elements": [], "grids": [plate()]})
MIXED = (
    "build_part",
    {
        "nodes": [node("A", 0, 0, 0), node("B", 0, 0, 40), node("C", 60, 30, 0), node("D", 80, 15, 0), node("E", 60, 0, 0)],
        "elements": [element("post", "BEAM", "A", "B"), element("tip", "TRI", "C", "E", "D")],
        "grids": [plate()],
        "element_sets": [{"name": "PLATE", "element_ids": ["P"]}, {"name": "POST", "element_ids": ["post"]}],
    },
)
STEEL = {"name": "Steel", "youngs": 210000, "poisson": 0.3, "density": 7.85e-9}
T2 = {"name": "T2", "material": "Steel", "thickness": 2}
BAR = {"name": "Bar", "material": "Steel", "profile": "RECT", "dimensions": [4, 6]}
DEFINED = ("define_property", {"materials": [STEEL], "shell_sections": [T2], "beam_sections": [BAR]})
EVERYTHING = {"all": True}


def mixed(module: str = "part") -> Desk:
    """A desk with a plate, a post and a tip on it."""
    desk = Desk("part")
    desk.do(MIXED)
    desk.module = module
    return desk


def furnished(module: str = "property") -> Desk:
    """As `mixed`, with a material and a section of each kind."""
    desk = mixed("property")
    desk.do(DEFINED)
    desk.module = module
    return desk

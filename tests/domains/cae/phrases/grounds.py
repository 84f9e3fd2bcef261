"""Parts that sentences are said about, and what comes of one: the spec, its route, the calls, the program, and the part as it is read back."""

import json
from typing import Any

from domains.cae.compiling.desk import DEFINED, PLATE, TARGET, Desk, mixed
from steadyhand.core.language import Language
from steadyhand.domains.cae.catalogue import brief, route
from steadyhand.domains.cae.compiling import compile as compile_operations
from steadyhand.domains.cae.phrases.writer import CaeWriter
from steadyhand.gate.contract import Operations, Program, Route
from steadyhand.llm.rules.book import Call

WRITER = CaeWriter()
ASSIGNED = ("assign_property", {"assignments": [{"section": "T2", "region": {"all": True}}]})
HELD = ("apply_boundary", {"supports": [{"kind": "fix", "name": "FIXED", "region": {"side": "xmin"}}]})
LOADED = ("apply_load", {"loads": [{"kind": "pressure", "name": "PRESSURE", "region": {"all": True}, "magnitude": 0.1}]})


def empty(module: str) -> Desk:
    return Desk(module)


def plate(module: str) -> Desk:
    """A plate of 60 × 30 in 6 × 3 elements, and nothing else."""
    desk = Desk("part")
    desk.do(PLATE)
    desk.module = module
    return desk


def ready(module: str) -> Desk:
    """The same plate with a section, a support and a load."""
    desk = plate("property")
    desk.do(DEFINED)
    desk.do(ASSIGNED)
    desk.module = "load"
    desk.do(HELD)
    desk.do(LOADED)
    desk.module = module
    return desk


GROUNDS = {"empty": empty, "plate": plate, "mixed": mixed, "ready": ready}


def asked(
    text: str, desk: Desk, language: Language, stage: str = "spec", spec: str = "", remaining: tuple[str, ...] = ()
) -> dict[str, Any]:
    return json.loads(brief(text, desk.seen(), stage, spec, remaining, language).content)  # type: ignore[arg-type]  # a stage


def written(text: str, desk: Desk, language: Language) -> tuple[str, Route, list[Call]]:
    """Return what the writer makes of *text*: the spec, the route that it opens, and the calls."""
    spec = WRITER.spec(asked(text, desk, language))
    assert spec is not None, text
    way = route(spec, desk.seen())
    assert isinstance(way, Route), (text, way)
    calls = WRITER.calls(asked(text, desk, language, "calls", spec, way.tools))
    assert calls is not None, text
    return spec, way, list(calls)


def compiled(text: str, desk: Desk, calls: list[Call]) -> tuple[Operations, Program]:
    taken = desk.called(*((call.name, dict(call.arguments)) for call in calls), request=text)
    assert isinstance(taken, Operations), (text, taken)
    program = compile_operations(taken, TARGET, desk.seen())
    assert isinstance(program, Program), (text, program)
    return taken, program


def on_one_line(call: Call) -> str:
    return f"{call.name} {json.dumps(_plain(call.arguments), ensure_ascii=False)}"


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value

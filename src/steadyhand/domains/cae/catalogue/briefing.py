"""Decides what a provider is asked for a change of a part: a spec without tools, or calls with the tools that remain. It must not ask.

The content is one JSON object. However large the part is, what is told of it stays within `MOST_BYTES`: counts, boxes and names, never
coordinates or connectivity; what is left out is counted.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, cast

from steadyhand.core.canonical import Json, canonical
from steadyhand.core.language import Language, say
from steadyhand.domains.cae.calls.table import EMPTY_ONLY, MODULES, NEEDS_GEOMETRY, TOOLS, ModuleName
from steadyhand.domains.cae.catalogue.facts import facts_of, is_empty, module_of
from steadyhand.domains.cae.catalogue.routing import ON_NOTHING, TITLES, route
from steadyhand.domains.cae.catalogue.specs import specs
from steadyhand.gate.contract import Brief, Observation, Route

MOST_BYTES: Final = 16_000
"""So much of a part's facts a provider is told at most."""
_CAPS: Final = (60, 30, 15, 8, 4, 2, 1, 0)
_WIDEST: Final = 20
_LONGEST: Final = 80
"""A longer name is none that a call could use."""


def brief(
    request: str,
    seen: Observation,
    stage: Literal["spec", "calls"],
    spec: str,
    remaining: tuple[str, ...],
    language: Language,
) -> Brief:
    """Return what to ask at *stage*; see `gate.contract.Collecting`."""
    module = module_of(seen)
    collected = _collected(spec, seen, remaining) if stage == "calls" else ()
    told = observed(seen)
    content: Json = {
        "stage": stage,
        "language": language,
        "request": request,
        "module": module,
        "tool_module": TITLES[module],
        "target": facts_of(seen)["target"],
        "observation": told["observation"],
        "detail": told["detail"],
        "spec": spec if stage == "calls" else "",
        "remaining_tools": list(remaining) if stage == "calls" else [],
        "collected_tool_calls": list(collected),
    }
    text = canonical(content).decode()
    if stage == "spec":
        return Brief(_for_spec(module, language, empty=is_empty(seen)), text)
    system = say(language, "cae.brief.calls", module=TITLES[module], rules=say(language, f"cae.brief.rules.{module}"))
    return Brief(system, text, specs(remaining, language))


def observed(seen: Observation) -> Mapping[str, Json]:
    """Return ``observation`` and ``detail`` as a provider is told them, bounded; ``detail.left_out`` counts what is missing, by path."""
    facts = facts_of(seen)
    detail = {name: value for name, value in facts.get("detail", {}).items() if name != "proof"}
    whole: Mapping[str, Json] = {"observation": facts["observation"], "detail": detail}
    told: dict[str, Json] = {}
    for cap in _CAPS:
        left_out: dict[str, Json] = {}
        told = cast("dict[str, Json]", _capped(whole, cap, "", left_out))
        if left_out:
            told["detail"] = {**cast("Mapping[str, Json]", told["detail"]), "left_out": left_out}
        if len(canonical(told)) <= MOST_BYTES:
            break
    return told


def _capped(value: Json, cap: int, path: str, left_out: dict[str, Json]) -> Json:
    """Return *value* with at most *cap* entries in each list and table of the second level; those below it are short by nature."""
    depth = len(path.split(".")) if path else 0
    most = cap if depth == 2 and path != "observation.summary" else _WIDEST
    if isinstance(value, Mapping):
        kept = [name for name in value if len(name) <= _LONGEST][:most]
        _note(path, len(value) - len(kept), left_out)
        return {name: _capped(value[name], cap, f"{path}.{name}" if path else name, left_out) for name in kept}
    if isinstance(value, str):
        return value[:_LONGEST]
    if isinstance(value, Sequence):
        fitting = [entry for entry in value if not (isinstance(entry, str) and len(entry) > _LONGEST)][:most]
        _note(path, len(value) - len(fitting), left_out)
        return [_capped(entry, cap, f"{path}.{number}", left_out) for number, entry in enumerate(fitting)]
    return value


def _note(path: str, count: int, left_out: dict[str, Json]) -> None:
    if count:
        left_out[path] = count


def _collected(spec: str, seen: Observation, remaining: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tools of the route whose calls are in already: they were neither compiled nor run."""
    found = route(spec, seen)
    return found.tools[: len(found.tools) - len(remaining)] if isinstance(found, Route) else ()


def _for_spec(module: ModuleName, language: Language, *, empty: bool) -> str:
    allowed = [TOOLS[name].capability for name in _possible(module, empty=empty)]
    return say(
        language,
        "cae.brief.spec",
        module=TITLES[module],
        rules=say(language, f"cae.brief.rules.{module}"),
        state=say(language, f"cae.brief.{'empty' if empty else 'existing'}.{module}"),
        allowed=", ".join(allowed) or say(language, "cae.brief.nothing"),
        example=", ".join(allowed[:2]) or "…",
    )


def _possible(module: ModuleName, *, empty: bool) -> Sequence[str]:
    """Return the tools of *module* that a part can be given to as it is."""
    names = MODULES[module]
    if not empty:
        return [name for name in names if name not in EMPTY_ONLY]
    if module == "analysis":
        return [name for name in names if name not in NEEDS_GEOMETRY]
    return [name for name in names if name in EMPTY_ONLY or name in ON_NOTHING.get(module, frozenset())]

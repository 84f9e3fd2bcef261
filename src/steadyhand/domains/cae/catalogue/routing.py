"""Decides which tools a confirmed spec opens, in which order: its line of capabilities first, its meaning second. It must not guess.

The person picks the module, never the spec. What is read is checked against the module and against whether the part is empty; the
order is always that of `calls.table.ORDER`.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from steadyhand.domains.cae.calls.table import EMPTY_ONLY, MODULES, NEEDS_GEOMETRY, ORDER, TOOLS, ModuleName, WireTool
from steadyhand.domains.cae.catalogue.facts import is_empty, module_of
from steadyhand.domains.cae.catalogue.meaning import meant, spoken
from steadyhand.gate.contract import Observation, Refusal, Route

TITLES: Mapping[ModuleName, str] = {
    "part": "Part",
    "property": "Property",
    "mesh": "Mesh",
    "load": "Load",
    "analysis": "Analysis",
}
"""How a module stands in a line of capabilities, and to a model."""

ON_NOTHING: Mapping[ModuleName, frozenset[str]] = {"property": frozenset({"define_property"})}
"""Tools that a module has for a part without geometry, beside `EMPTY_ONLY`."""

_SHOWN = 40
_LINE = re.compile(
    r"(?:^|:)[\W\d_]*(?:计划\s*(?P<zh>[^\W\d_]*?)\s*操作类别|planned\s+(?:(?P<en>[a-z]+)\s+)?operations)[*_`\s]*:(?P<words>.*)$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s*(?:[,、;/|+]|->|→|\band\b|和|与)\s*")
_AROUND = " \t*_`#>\"'“”「」。.()[]-•·"


def route(spec: str, seen: Observation) -> Route | Refusal:
    """Read the route of *spec* for the module and the part in *seen*."""
    module, empty = module_of(seen), is_empty(seen)
    line = capability_line(spec)
    if line is None:
        return _by_meaning(spec, module, empty=empty)
    named, words = line
    if named and named.casefold() not in _names_of(module):
        return Refusal("capability_line_of_other_module", {"named": named[:_SHOWN], "module": TITLES[module]})
    tools: set[str] = set()
    for word in words:
        tool = _tool_of(word, module)
        if tool is None:
            code = "capability_outside_module" if spoken(word) else "capability_unknown"
            allowed = ", ".join(TOOLS[name].capability for name in MODULES[module])
            return Refusal(code, {"capability": word[:_SHOWN], "module": TITLES[module], "allowed": allowed})
        tools.add(tool.name)
    return _fitting(tools, module, empty=empty)


def capability_line(spec: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the module and the words of the last line of capabilities in *spec*; None without a line that names any."""
    found: tuple[str, tuple[str, ...]] | None = None
    for raw in unicodedata.normalize("NFKC", spec).splitlines():
        match = _LINE.search(raw.strip(_AROUND))
        if match is None:
            continue
        words = tuple(word for part in _BETWEEN.split(match["words"]) if (word := part.strip(_AROUND)))
        found = ((match["zh"] or match["en"] or "").strip(), words)
    return found if found is not None and found[1] else None


def _names_of(module: ModuleName) -> frozenset[str]:
    own = {"part": "部件", "property": "属性", "mesh": "网格", "load": "载荷", "analysis": "分析"}
    return frozenset({module, TITLES[module].casefold(), own[module]})


def _tool_of(word: str, module: ModuleName) -> WireTool | None:
    """Return the tool of *module* that a word of the line names: its capability, in either language, or the tool itself."""
    capability = spoken(word)
    for name in MODULES[module]:
        if name == word.casefold() or TOOLS[name].capability == capability:
            return TOOLS[name]
    return None


def _by_meaning(spec: str, module: ModuleName, *, empty: bool) -> Route | Refusal:
    found = meant(spec, frozenset(TOOLS[name].capability for name in MODULES[module]))
    tools = {name for name in MODULES[module] if TOOLS[name].capability in found}
    if not tools:
        return Refusal("capabilities_unclear", {"module": TITLES[module]})
    builds = EMPTY_ONLY & set(MODULES[module])
    if empty and builds and tools & {"build_part", "edit_part"}:
        # in prose a plate is "added" or "mirrored" also where nothing is yet: all of that is one building
        tools = tools - NEEDS_GEOMETRY | builds
        return _ordered(builds if module == "part" else tools)
    if not empty and "build_part" in tools:
        tools = tools - EMPTY_ONLY | {"edit_part"}
    return _fitting(tools, module, empty=empty)


def _fitting(tools: set[str], module: ModuleName, *, empty: bool) -> Route | Refusal:
    """Check *tools* against whether there is geometry; the refusal names what does not fit."""
    if not empty:
        return Refusal("build_on_existing") if tools & EMPTY_ONLY else _ordered(tools)
    allowed = ON_NOTHING.get(module, frozenset())
    if tools <= allowed:
        return _ordered(tools)
    if not tools & EMPTY_ONLY:
        return Refusal("capabilities_need_geometry", {"capabilities": _capabilities(tools - allowed)})
    beside = tools - EMPTY_ONLY if module == "part" else tools & NEEDS_GEOMETRY
    return Refusal("build_stands_alone", {"capabilities": _capabilities(beside)}) if beside else _ordered(tools)


def _ordered(tools: Iterable[str]) -> Route:
    wanted = set(tools)
    return Route(tuple(tool.name for tool in ORDER if tool.name in wanted))


def _capabilities(tools: Iterable[str]) -> str:
    return ", ".join(TOOLS[name].capability for name in _ordered(tools).tools)

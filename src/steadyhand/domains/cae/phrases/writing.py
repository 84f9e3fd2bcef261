"""Decides what a sentence comes to for a module and a part: the calls of its tools, in order, or what in it does not fit. It must not word one."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, TypeAlias, cast

from steadyhand.domains.cae.calls.table import MODULES, ModuleName
from steadyhand.domains.cae.phrases import giving, loading, shaping
from steadyhand.domains.cae.phrases.drafting import PLACES, Draft, Facts, Misfit, modules_with
from steadyhand.domains.cae.phrases.matching import Statement
from steadyhand.domains.cae.phrases.sentence import SECTIONS, SHAPES, Sentence

_BUILDS: Final = ("build_part", "edit_part")
TOOLS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(SHAPES, _BUILDS),
    **dict.fromkeys(("delete_elements", "delete_nodes", "delete_region", "remove_set"), ("edit_part",)),
    **dict.fromkeys(
        ("copy", "move", "rotate", "rotate_copy", "mirror", "mirror_copy", "linear_array", "polar_array"), ("transform_part",)
    ),
    **dict.fromkeys(("merge", "duplicates", "free_nodes"), ("repair_part",)),
    "refine": ("refine_mesh",),
    **dict.fromkeys(("preset", "material"), ("define_property",)),
    **dict.fromkeys(("thickness", *SECTIONS), ("assign_property",)),
    **dict.fromkeys(("fix", "pin", "hold", "symmetry", "remove_support"), ("apply_boundary",)),
    **dict.fromkeys(("pressure", "force", "force_each", "force_plain", "force_along", "gravity", "remove_load"), ("apply_load",)),
    "audit": ("audit_part", "audit_property", "audit_mesh"),
    "audit_mesh": ("audit_mesh",),
    "audit_property": ("audit_property",),
    **dict.fromkeys(("solve", "solve_accurately"), ("run_job",)),
}
"""Which tools a kind of statement comes to; of several the one that the module and the part have."""

_ANYWHERE: Final = frozenset({"define_property", "assign_property"})
"""Tools that are as good said early as late."""
_Step: TypeAlias = tuple[str, Callable[[Draft, Statement], None]]
_SHAPING: Final[tuple[_Step, ...]] = (
    ("edit_part", shaping.delete),
    ("transform_part", shaping.transform),
    ("repair_part", shaping.repair),
    ("refine_mesh", shaping.refine),
)
_LOADING: Final[tuple[_Step, ...]] = (
    ("apply_boundary", loading.boundary),
    ("apply_load", loading.load),
    ("audit_part", loading.audit),
    ("audit_property", loading.audit),
    ("audit_mesh", loading.audit),
    ("run_job", loading.solve),
)


def strangers(sentence: Sentence, module: ModuleName) -> list[tuple[Statement, tuple[ModuleName, ...]]]:
    """Return the statements that are of no tool of *module*, each with the modules that have one."""
    found = [(one, _modules(one)) for one in sentence.statements]
    return [(one, modules) for one, modules in found if module not in modules]


def _modules(one: Statement) -> tuple[ModuleName, ...]:
    """Return the modules in which all of a statement can be done: a plate may name its thickness and its material."""
    needed = [TOOLS[one.kind]]
    if one.kind == "plate":
        needed += [("assign_property",)] if "thickness" in one.held else []
        needed += [("define_property",)] if "material" in one.held else []
    return tuple(module for module in modules_with(needed[0]) if all(set(tools) & set(MODULES[module]) for tools in needed))


def draft_of(sentence: Sentence, brief: Mapping[str, Any]) -> Draft:
    """Return the calls of *sentence* for the part that *brief* tells of. Raises `Misfit`."""
    module = cast("ModuleName", brief["module"])
    for one, modules in strangers(sentence, module):
        raise Misfit("other_module", one.text, modules=modules)
    draft = Draft(sentence, module, Facts.of(brief))
    _check_empty(draft)
    shaping.shapes(draft)
    _take(draft, _SHAPING)
    giving.give(draft)
    _take(draft, _LOADING)
    _note_order(draft)
    return draft


def _take(draft: Draft, steps: Sequence[_Step]) -> None:
    for tool, step in steps:
        for one in draft.sentence.statements:
            if one.kind not in SHAPES and TOOLS[one.kind][0] == tool:
                step(draft, one)


def _check_empty(draft: Draft) -> None:
    """Refuse what an empty part cannot have: only what is built in this very change can be worked on."""
    if not draft.facts.empty:
        return
    for one in draft.sentence.statements:
        if one.kind in SHAPES or (draft.module == "property" and TOOLS[one.kind][0] != "audit_part"):
            continue
        tools = set(TOOLS[one.kind])
        if not draft.sentence.shapes and one.kind not in ("preset", "material"):
            raise Misfit("no_geometry", one.text)
        if draft.module == "part":
            raise Misfit("build_alone", one.text)
        if tools & {"edit_part", "transform_part", "repair_part"}:
            raise Misfit("not_on_new", one.text)
    if draft.module == "analysis" and not draft.sentence.shapes:
        raise Misfit("no_geometry", draft.sentence.statements[0].text)


def _note_order(draft: Draft) -> None:
    """Tell where what is done runs in another order than it was said: the order of tools is fixed."""
    said: list[str] = []
    for one in draft.sentence.statements:
        mine = [tool for tool in TOOLS[one.kind] if tool in draft.calls and tool not in _ANYWHERE]
        said += [tool for tool in mine[:1] if not said or said[-1] != tool]
    if any(PLACES[before] > PLACES[after] for before, after in pairwise(said)):
        draft.note("assumptions", "assume.order", tools=draft.tools)

"""A spec opens the tools that its last line names, else those that it means, in the one order, and never one that does not fit."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.seeing import full, seen
from steadyhand.core.language import LANGUAGES, say
from steadyhand.domains.cae.calls.table import MODULES, ORDER, TOOLS
from steadyhand.domains.cae.catalogue import route
from steadyhand.domains.cae.catalogue.meaning import meant
from steadyhand.domains.cae.catalogue.routing import TITLES
from steadyhand.gate.contract import Refusal, Route

PLACES = {tool.name: place for place, tool in enumerate(ORDER)}
EVERYTHING = frozenset(tool.capability for tool in ORDER)


def tools(spec, observation):
    found = route(spec, observation)
    assert isinstance(found, Route), found
    return found.tools


def code(spec, observation):
    found = route(spec, observation)
    assert isinstance(found, Refusal), found
    for language in LANGUAGES:
        assert say(language, f"refusal.{found.code}", **found.params)
    return found.code


# --- the line ---------------------------------------------------------------------------------------------------------

LINES = (
    "计划 Mesh 操作类别：refine, audit",
    "计划 Mesh 操作类别: refine，audit",
    "计划Mesh操作类别：refine、audit",
    "计划 网格 操作类别：细分，审计",
    "Planned Mesh operations: refine, audit",
    "planned mesh operations： refine；audit",
    "**计划 Mesh 操作类别：refine, audit**",
    "- `Planned Mesh operations: refine -> audit`.",
    "9. 计划 Mesh 操作类别：refine_mesh → audit_mesh。",
    "能力顺序：计划 Mesh 操作类别：refine, audit",
    "Planned operations: audit, refine, audit",
    "计划 Ｍｅｓｈ 操作类别：ｒｅｆｉｎｅ， audit",
)


@pytest.mark.parametrize("line", LINES)
def test_the_line_of_capabilities_is_read_however_it_is_dressed(line):
    assert tools(f"把单元加密。\n{line}\n", full("mesh")) == ("refine_mesh", "audit_mesh")


def test_the_line_wins_over_what_the_prose_means():
    assert tools("细分两次，然后检查质量。\n计划 Mesh 操作类别：audit", full("mesh")) == ("audit_mesh",)


def test_the_last_line_wins():
    spec = "Planned Part operations: edit\nNo, rather:\nPlanned Part operations: transform, repair"
    assert tools(spec, full("part")) == ("transform_part", "repair_part")


def test_a_line_that_names_nothing_is_no_line():
    assert tools("细分一次\n计划 Mesh 操作类别：", full("mesh")) == ("refine_mesh",)


def test_the_order_is_the_tables_and_not_the_specs():
    spec = "Planned Part operations: audit, repair, transform"
    assert tools(spec, full("part")) == ("transform_part", "repair_part", "audit_part")


@pytest.mark.parametrize(
    ("module", "audit"),
    [("part", "audit_part"), ("property", "audit_property"), ("mesh", "audit_mesh"), ("analysis", "audit_part")],
)
def test_one_word_is_each_modules_own_tool(module, audit):
    assert tools("Planned operations: audit", full(module)) == (audit,)


def test_an_unknown_word_is_refused_by_name():
    found = route("计划 Mesh 操作类别：refine, polish", full("mesh"))
    assert found == Refusal("capability_unknown", {"capability": "polish", "module": "Mesh", "allowed": "refine, audit"})


def test_a_word_of_another_module_is_refused_by_name():
    found = route("Planned Mesh operations: refine, repair", full("mesh"))
    assert found == Refusal("capability_outside_module", {"capability": "repair", "module": "Mesh", "allowed": "refine, audit"})


def test_a_spec_cannot_change_the_module_that_the_person_picked():
    assert code("Planned Part operations: audit", full("mesh")) == "capability_line_of_other_module"
    assert code("计划 Property 操作类别：define", full("part")) == "capability_line_of_other_module"


# --- the meaning ------------------------------------------------------------------------------------------------------

MEANT = (
    ("part", "复制全部单元，向上平移 500，合并重合节点，最后审计。", ("transform_part", "repair_part", "audit_part")),
    ("part", "Copy everything 500 up, merge coincident nodes, then audit.", ("transform_part", "repair_part", "audit_part")),
    ("part", "复制全部单元。不需要合并。", ("transform_part",)),
    ("part", "复制全部单元，不合并，但要检查", ("transform_part", "audit_part")),
    ("part", "Copy all elements without merging, then audit.", ("transform_part", "audit_part")),
    ("part", "Mirror a copy. No merging, deduplication or cleanup.", ("transform_part",)),
    ("part", "Mirror a copy. Merging is not needed.", ("transform_part",)),
    ("part", "Don't forget to merge the nodes.", ("repair_part",)),
    ("part", "不要忘记合并节点", ("repair_part",)),
    ("part", "Do not merge, only audit", ("audit_part",)),
    ("part", "删除重复单元和自由节点", ("repair_part",)),
    ("part", "Remove duplicate elements and free nodes", ("repair_part",)),
    ("part", "删除 12 号单元", ("edit_part",)),
    ("part", "Create a mirrored copy of everything", ("transform_part",)),
    ("part", "在这两点上增加一个 TRI 单元", ("edit_part",)),
    ("part", "创建一个 TRI 单元", ("edit_part",)),
    ("part", "做什么：镜像一份\n清理：无\n假设：不合并\n限制：不做细分与审计", ("transform_part",)),
    (
        "part",
        "## What\nmirror a copy\n## Assumptions\n- the nodes are merged later\n## Clean-up\nmerge at 0.01",
        ("transform_part", "repair_part"),
    ),
    ("part", "复制一份\n假设：间距 500，随后删除原件\n然后合并重合节点", ("transform_part", "repair_part")),
    ("property", "给全部 QUAD 分配截面 T2；材料已定义。", ("assign_property",)),
    ("property", "未分配的单元也给它们截面 T2", ("assign_property",)),
    ("property", "不锈钢，弹性模量 193000", ("define_property",)),
    ("property", "Define steel and assign its section to all QUADs", ("define_property", "assign_property")),
    ("mesh", "细分两次", ("refine_mesh",)),
    ("mesh", "Halve the elements once", ("refine_mesh",)),
    ("load", "沿短边固定，面压 0.1 MPa，求解", ("apply_boundary", "apply_load", "run_job")),
    ("load", "Clamp the short edge and apply a pressure of 0.1 MPa; do not solve", ("apply_boundary", "apply_load")),
)


@pytest.mark.parametrize(("module", "spec", "expected"), MEANT)
def test_without_a_line_the_meaning_decides(module, spec, expected):
    assert tools(spec, full(module)) == expected


@pytest.mark.parametrize(
    "spec", ["", "好的。", "Let us see.", "不合并也不复制。", "No merging, copying or audit.", "The nodes are already merged."]
)
def test_what_means_no_operation_is_refused(spec):
    assert code(spec, full("part")) == "capabilities_unclear"


NEGATIONS = ("不需要{}", "无需{}", "不要{}", "禁止{}", "{}：不需要", "{}：无")
NEGATIONS_EN = ("no {}", "without {}", "{} is not needed", "never {}", "skip the {}", "{}: none")


@pytest.mark.parametrize("pattern", NEGATIONS)
@pytest.mark.parametrize("word", ["合并重合节点", "复制", "审计", "细分", "删除单元"])
def test_what_is_ruled_out_in_chinese_is_not_meant(pattern, word):
    assert meant(pattern.format(word), EVERYTHING) == frozenset()


@pytest.mark.parametrize("pattern", NEGATIONS_EN)
@pytest.mark.parametrize("word", ["merging", "copy", "audit", "refinement", "deletion"])
def test_what_is_ruled_out_in_english_is_not_meant(pattern, word):
    assert meant(pattern.format(word), EVERYTHING) == frozenset()


# --- with and without geometry ----------------------------------------------------------------------------------------


def test_an_empty_part_is_built_and_nothing_else():
    for observation in (seen("part"), full("part", 0, 0)):
        assert tools("计划 Part 操作类别：build", observation) == ("build_part",)
        for word in ("edit", "transform", "repair", "audit"):
            assert code(f"计划 Part 操作类别：build, {word}", observation) == "build_stands_alone"
            assert code(f"计划 Part 操作类别：{word}", observation) == "capabilities_need_geometry"


def test_nodes_alone_are_geometry():
    assert code("Planned Part operations: build", full("part", 3, 0)) == "build_on_existing"


def test_prose_for_an_empty_part_means_one_building():
    assert tools("建一块 60×100 的平面板，然后对称复制一份并检查", seen("part")) == ("build_part",)
    assert tools("Add a plate of 60 by 100", seen("part")) == ("build_part",)


def test_prose_for_a_full_part_never_means_building():
    assert "build_part" not in tools("Build one more plate beside it", full("part"))


def test_analysis_builds_first_and_goes_on_to_the_result():
    spec = "计划 Analysis 操作类别：build, define, assign, boundary, load, audit, run"
    expected = ("build_part", "define_property", "assign_property", "apply_boundary", "apply_load", "audit_part", "run_job")
    assert tools(spec, seen("analysis")) == expected
    prose = "创建 60×100 的平面板，定义钢材，分配截面，沿短边固定，面压 0.1 MPa，审计，求解"
    assert tools(prose, seen("analysis")) == expected


def test_analysis_cannot_change_what_it_is_just_building_nor_start_from_nothing():
    assert code("Planned Analysis operations: build, repair, run", seen("analysis")) == "build_stands_alone"
    assert code("Planned Analysis operations: define, run", seen("analysis")) == "capabilities_need_geometry"
    assert code("Planned Analysis operations: build, run", full("analysis")) == "build_on_existing"


def test_without_geometry_materials_can_be_defined_and_nothing_assigned_refined_or_loaded():
    assert tools("Planned Property operations: define", seen("property")) == ("define_property",)
    assert code("Planned Property operations: define, assign", seen("property")) == "capabilities_need_geometry"
    assert code("Planned Mesh operations: refine", seen("mesh")) == "capabilities_need_geometry"
    assert code("Planned Load operations: boundary, load, run", seen("load")) == "capabilities_need_geometry"


# --- always -----------------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    [*sorted(EVERYTHING), "polish", "合并", "不", "复制", "。", "\n", "no", "merge", ",", "计划 Mesh 操作类别：", "：", "假设："]
)
SPECS = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=12).map(" ".join))


@settings(max_examples=300, deadline=None)
@given(spec=SPECS, module=st.sampled_from(sorted(MODULES)), empty=st.booleans())
def test_whatever_is_written_a_route_has_its_modules_tools_in_order_and_fits_the_part(spec, module, empty):
    found = route(spec, seen(module) if empty else full(module))
    if isinstance(found, Refusal):
        assert all(say(language, f"refusal.{found.code}", **found.params) for language in LANGUAGES)
        return
    assert found.tools
    assert set(found.tools) <= set(MODULES[module])
    assert [PLACES[name] for name in found.tools] == sorted({PLACES[name] for name in found.tools})
    assert ("build_part" in found.tools) <= empty
    assert not ({"build_part"} & set(found.tools) and {"edit_part", "transform_part", "repair_part"} & set(found.tools))


@pytest.mark.parametrize("module", sorted(MODULES))
@pytest.mark.parametrize("line", ["计划 {} 操作类别：{}", "Planned {} operations: {}"])
def test_every_tool_of_a_module_can_be_named(module, line):
    for name in MODULES[module]:
        spec = line.format(TITLES[module], TOOLS[name].capability)
        assert tools(spec, seen(module) if name == "build_part" else full(module)) == (name,)

"""Sentences that read whole come to the calls of the table, which every later step takes; whatever else is said comes to nothing, and to words."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.phrases.grounds import GROUNDS, WRITER, asked, compiled, on_one_line, written
from steadyhand.core.language import LANGUAGES, Language, catalogue
from steadyhand.domains.cae.calls.table import MODULES, ORDER, TOOLS
from steadyhand.domains.cae.catalogue.routing import capability_line
from steadyhand.domains.cae.phrases import drafting, explain
from steadyhand.domains.cae.phrases.matching import Unread, grammar, plain, samples
from steadyhand.domains.cae.phrases.sentence import understood
from steadyhand.domains.cae.phrases.writing import TOOLS as TOOLS_OF
from steadyhand.llm.rules.said import cleaned

HERE = Path(__file__).parent
LEAST = 60


def table(language: Language) -> list[tuple[str, str, str, list[str]]]:
    """Return (ground, module, sentence, calls) for each entry."""
    text = (HERE / f"written.{language}.txt").read_text(encoding="utf-8")
    found: list[tuple[str, str, str, list[str]]] = []
    for entry in text.strip().split("\n\n"):
        head, *calls = entry.splitlines()
        place, _, sentence = head.partition(" | ")
        ground, _, module = place.partition("/")
        found.append((ground, module, sentence, [call.strip() for call in calls]))
    return found


def unread(language: Language) -> list[tuple[str, str, str]]:
    """Return (ground, module, sentence); no ground where no part matters."""
    lines = (HERE / f"unread.{language}.txt").read_text(encoding="utf-8").splitlines()
    found: list[tuple[str, str, str]] = []
    for line in lines:
        if not line or line.startswith("# "):
            continue
        place, bar, sentence = line.partition(" | ")
        ground, _, module = place.partition("/") if bar else ("", "", "")
        found.append((ground, module, sentence if bar else line))
    return found


WRITTEN = [(language, *entry) for language in LANGUAGES for entry in table(language)]
UNREAD = [(language, *entry) for language in LANGUAGES for entry in unread(language)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_are_long_say_nothing_twice_and_reach_every_tool_and_kind(language: Language) -> None:
    entries, refused = table(language), unread(language)
    assert len(entries) >= LEAST
    assert len(refused) >= LEAST
    for names in ([entry[:3] for entry in entries], refused):
        assert sorted(set(names)) == sorted(names)
    assert {call.partition(" ")[0] for entry in entries for call in entry[3]} == set(TOOLS)
    kinds = {one.kind for entry in entries for one in understood(entry[2]).statements}  # type: ignore[union-attr]  # they read
    assert set(TOOLS_OF) - kinds <= {"circ"}


@pytest.mark.parametrize(("language", "ground", "module", "sentence", "expected"), WRITTEN)
def test_a_sentence_comes_to_exactly_these_calls_which_compile_run_and_turn_out_as_promised(
    language: Language, ground: str, module: str, sentence: str, expected: list[str]
) -> None:
    desk = GROUNDS[ground](module)
    spec, way, calls = written(sentence, desk, language)
    assert [on_one_line(call) for call in calls] == expected
    assert [call.name for call in calls] == list(way.tools)
    line = capability_line(spec)
    assert line is not None
    assert list(line[1]) == [TOOLS[call.name].capability for call in calls]
    assert set(way.tools) <= set(MODULES[module])  # type: ignore[index]  # every ground is a module's
    assert [tool.name for tool in ORDER if tool.name in way.tools] == list(way.tools)
    for call in calls:
        TOOLS[call.name].arguments.model_validate_json(json.dumps(call.arguments))
    taken, program = compiled(sentence, desk, calls)
    assert [item for item in taken.items if "notes" in item] == []  # type: ignore[operator]  # operations are objects
    verdict = desk.verdict(program)
    assert verdict.matched, verdict.differences
    assert WRITER.opens(sentence, {"cae.choice": {"module": module, "model": "ship", "part": "hull"}}) is not None
    assert explain(sentence, language, module, asked(sentence, desk, language)) == ""  # type: ignore[arg-type]  # every ground is a module's


@pytest.mark.parametrize(("language", "ground", "module", "sentence"), UNREAD)
def test_what_negates_supposes_asks_or_does_not_fit_is_not_written_and_it_is_said_why(
    language: Language, ground: str, module: str, sentence: str
) -> None:
    found = understood(sentence)
    assert isinstance(found, Unread) == (not ground), found
    for name in [ground] if ground else GROUNDS:
        for one in [module] if module else MODULES:
            desk = GROUNDS[name](one)
            told = asked(sentence, desk, language)
            assert WRITER.spec(told) is None
            assert explain(sentence, language, one, told).strip()  # type: ignore[arg-type]  # every ground is a module's
            if not ground:
                assert WRITER.calls(asked(sentence, desk, language, "calls", "x", ("build_part",))) is None
                break
    if not ground:
        assert WRITER.opens(sentence, {}) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_alternative_of_every_statement_is_read_as_that_statement_alone(language: Language) -> None:
    wrong: list[str] = []
    count = 0
    for kind, phrase in samples(language):
        count += 1
        found = grammar(language).read(plain(cleaned(phrase)))
        if isinstance(found, Unread) or [one.kind for one in found] != [kind]:
            wrong.append(f"{kind}: {phrase}: {found}")
    assert wrong == []
    assert count > 1000


NEGATIONS = {
    "zh-CN": ("不要{}", "别{}", "不{}", "{}，不要", "如果能{}", "{}吗", "{}？", "要不要{}", "除非{}", "{}，算了", "不要，{}"),
    "en": (
        "do not {}",
        "don't {}",
        "{} not",
        "if you can {}",
        "{}?",
        "should I {}",
        "unless {}",
        "{}, never mind",
        "no, {}",
        "why {}",
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_read_once_it_is_negated_supposed_or_asked(language: Language) -> None:
    for _, _, sentence, _ in table(language):
        for around in NEGATIONS[language]:
            assert isinstance(understood(around.format(sentence.rstrip("。."))), Unread), around.format(sentence)


def test_an_earlier_line_is_left_alone_unless_it_negates_or_supposes_and_lines_that_all_read_are_one_request() -> None:
    first, last = understood("请看一下这块板\n沿短边固定"), understood("沿短边固定")
    assert first == last
    assert isinstance(understood("先不要求解\n沿短边固定"), Unread)
    assert isinstance(understood("沿短边固定\n先不要"), Unread)
    both = understood("沿短边固定\n面压 0.1 MPa")
    assert not isinstance(both, Unread)
    assert [one.kind for one in both.statements] == ["fix", "pressure"]


def test_a_word_that_may_be_said_of_anything_opens_a_change_only_where_a_part_is_chosen() -> None:
    chosen = {"cae.choice": {"module": "part", "model": "main", "part": "plate"}}
    for word in ("检查", "check"):
        assert WRITER.opens(word, {}) is None
        opened = WRITER.opens(word, chosen)
        assert opened is not None
        assert (opened.name, opened.arguments) == ("propose_part_change", {})
    assert WRITER.opens("沿短边固定", {}) is not None


def test_a_spec_that_is_another_than_would_be_written_has_no_calls() -> None:
    desk, text = GROUNDS["plate"]("part"), "translate a copy by 0 0 500"
    spec, way, _ = written(text, desk, "en")
    changed = asked(text, desk, "en", "calls", spec.replace("500", "700"), way.tools)
    assert WRITER.calls(changed) is None
    foreign = asked(text, desk, "en", "calls", spec, ("repair_part",))
    assert WRITER.calls(foreign) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_spec_has_every_heading_of_the_template_marks_what_it_assumed_and_ends_with_the_line_of_capabilities(
    language: Language,
) -> None:
    text = "60×100 的平面板，厚 2，单元 7，沿短边固定，面压 0.1 MPa，求解"
    spec, _, _ = written(text, GROUNDS["empty"]("analysis"), language)
    heads = {
        "zh-CN": (
            "做什么：",
            "尺寸：",
            "坐标：",
            "区域：",
            "追加还是替换：",
            "清理：无",
            "假设：",
            "限制：",
            "计划 Analysis 操作类别：",
        ),
        "en": (
            "What: ",
            "Dimensions: ",
            "Coordinates: ",
            "Regions: ",
            "Append or",
            "Clean-up: none",
            "Assumption: ",
            "Limits: ",
            "Planned",
        ),
    }[language]
    lines = spec.splitlines()
    assert [next(head for head in heads if line.startswith(head)) for line in lines if not line.startswith(heads[6])] == [
        head for head in heads if head != heads[6]
    ]
    assumed = [line for line in lines if line.startswith(heads[6])]
    assert len(assumed) == 6  # origin, plane, element size, no material, its values, which edges
    assert lines[-1].endswith("build, define, assign, boundary, load, run")


def test_a_usual_material_never_takes_the_place_of_another_of_its_name_and_one_that_is_said_does() -> None:
    desk = GROUNDS["plate"]("property")
    desk.do(("define_property", {"materials": [{"name": "Steel", "youngs": 200000, "poisson": 0.3}]}))
    usual = written("steel, 3 thick", desk, "en")[2][0].arguments
    assert [entry["name"] for entry in usual["materials"]] == ["Steel_2"]
    assert usual["shell_sections"][0]["material"] == "Steel_2"
    spec, _, calls = written("material steel E=190 GPa, 3 thick", desk, "en")
    assert [(entry["name"], entry["youngs"]) for entry in calls[0].arguments["materials"]] == [("Steel", 190000.0)]
    assert "the material Steel is replaced" in spec


def test_names_that_a_brief_left_out_could_be_taken_so_nothing_is_named() -> None:
    desk = GROUNDS["plate"]("load")
    told = asked("pressure 0.1 MPa", desk, "en")
    assert WRITER.spec(told) is not None
    told["detail"]["left_out"] = {"detail.loads": 3}
    assert WRITER.spec(told) is None
    assert "loads" in explain("pressure 0.1 MPa", "en", "load", told)


def test_every_reason_has_words_and_every_words_a_reason() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in Path(drafting.__file__).parent.glob("*.py"))
    for language in LANGUAGES:
        words = {name for name in catalogue(language) if name.startswith("cae.written.misfit.")}
        assert {f"cae.written.misfit.{code}" for code in re.findall(r'Misfit\("(\w+)"', sources)} == words


def test_a_round_section_is_told_by_its_radius_or_its_diameter() -> None:
    desk = GROUNDS["mixed"]("property")
    for text in ("圆截面 半径 5，方向 0 1 0", "圆截面 直径 10，方向 0 1 0"):
        entry = written(text, desk, "zh-CN")[2][0].arguments["beam_sections"][0]
        assert (entry["profile"], entry["dimensions"]) == ("CIRC", [5.0])


def test_another_order_than_that_of_the_program_is_marked_as_assumed() -> None:
    desk = GROUNDS["plate"]("part")
    assert "fixed order" in written("merge nodes, translate a copy by 0 0 500", desk, "en")[0]
    assert "fixed order" not in written("translate a copy by 0 0 500, merge nodes", desk, "en")[0]


SIZES = ["60 by 100", "7 by 25.5", "0.06 m by 12 cm", "1e2 × 60 mm", "60 x 60", "12 by 8 cm"]
PLACES = [
    "the short edges",
    "the long edges",
    "one short edge",
    "all edges",
    "the left edge and the x max side",
    "the y min side",
]
clauses = st.tuples(
    st.sampled_from(SIZES).map(lambda sizes: f"a plate {sizes}"),
    st.sampled_from(["", ", elements of 30", ", elements of 7", ", 3 by 4 elements", ", element size 1 m"]),
    st.sampled_from(["", ", corner at 1 0 3", ", centered at 0 0 5"]),
    st.sampled_from([", 2 thick", ", thickness 0.5 mm", ", 2 thick, aluminium", ", 2 thick, made of steel"]),
    st.sampled_from(["", ", refine once", ", refine twice"]),
    st.tuples(st.sampled_from(["fix", "pin"]), st.sampled_from(PLACES)).map(lambda held: f", {held[0]} {held[1]}"),
    st.sampled_from([", pressure 0.1 MPa", ", gravity", ", a total force 0 0 -5 at the right edge", ", pressure 1 bar, gravity"]),
    st.sampled_from(["", ", audit", ", solve", ", audit, solve accurately."]),
).map("".join)


@settings(max_examples=40, deadline=None)
@given(clauses, st.sampled_from(LANGUAGES))
def test_clauses_that_are_known_alone_are_known_together_and_turn_out_as_promised(text: str, language: Language) -> None:
    assert not isinstance(understood(text), Unread)
    desk = GROUNDS["empty"]("analysis")
    if WRITER.spec(asked(text, desk, language)) is None:
        assert "60 x 60" in text
        assert "short" in text or "long" in text
        return
    spec, way, calls = written(text, desk, language)
    assert [call.name for call in calls] == list(way.tools)
    assert written(text, desk, language) == (spec, way, calls)
    taken, program = compiled(text, desk, calls)
    assert len(taken.items) == len(calls)
    verdict = desk.verdict(program)
    assert verdict.matched, verdict.differences


WORDS = [
    *(
        "60",
        "×",
        "100",
        "的",
        "板",
        "厚",
        "单元",
        "固定",
        "短边",
        "和",
        "、",
        ",",
        "，",
        " ",
        "0 0 0",
        "到",
        "x",
        "=",
        "(",
        ")",
        "-",
        ".",
    ),
    *(
        "plate",
        "by",
        "thick",
        "elements of",
        "fix",
        "edges",
        "and",
        "nodes",
        "delete",
        "set",
        "A",
        "from",
        "to",
        "the",
        "\n",
        "1e9",
        "不",
    ),
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=60).map("".join) | st.text(max_size=80))
def test_whatever_is_said_reading_it_ends_and_what_is_read_can_be_told_or_written(text: str) -> None:
    found = understood(text)
    desk = GROUNDS["empty"]("analysis")
    told = asked(text, desk, "en")
    if isinstance(found, Unread) or WRITER.spec(told) is None:
        assert explain(text, "en", "analysis", told)


@pytest.mark.parametrize(
    "text",
    [
        "删除单元 " + "1、" * 900 + "坏",
        "delete elements " + "1, " * 600 + "bad",
        "固定" + "左边和" * 400,
        "fix " + "the left edge and " * 100,
        "60×100 的平面板" + "，" * 1500 + "坏",
        "0 " * 990,
        "a triangle over " + "0 0 0, " * 250,
        " " * 1999,
        "(" * 1500,
        "单元 1 " * 300,
        "set " * 400,
        "x=0 的" * 400,
        "9" * 1990,
        "请" * 1990,
        "9" * 100_000,
    ],
)
def test_long_nonsense_is_not_read(text: str) -> None:
    assert isinstance(understood(text), Unread)


@pytest.mark.parametrize(
    ("beams", "example"),
    [
        ("a beam from 0 0 0 to 100 0 0, a beam from 0 0 0 to 0 100 0", "0 0 1"),
        ("a beam from 0 0 0 to 100 0 0, a beam from 0 0 0 to 0 0 100", "0 1 0"),
        ("a beam from 0 0 0 to 0 100 0, a beam from 0 0 0 to 0 0 100", "1 0 0"),
        ("a beam from 0 0 0 to 100 0 0, a beam from 0 0 0 to 0 100 0, a beam from 0 0 0 to 0 0 100", "1 1 1"),
    ],
)
def test_the_direction_that_is_suggested_lies_along_none_of_the_beams(beams: str, example: str) -> None:
    desk = GROUNDS["empty"]("analysis")
    said = f"{beams}, elements of 50, rectangular section 4 by 6"
    for language in LANGUAGES:
        assert example in explain(said, language, "analysis", asked(said, desk, language))
    spec, _, _ = written(f"{said}, direction {example}", desk, "en")
    assert spec

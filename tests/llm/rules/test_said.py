"""How a message is meant, before any phrase is sought: language, negation, supposition, questions, requests, clauses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.llm.rules.rows import is_row, with_rows
from steadyhand.llm.rules.said import cleaned, said, unquoted

from .ground import BOOK


@pytest.mark.parametrize(
    ("text", "language"),
    [("撤销", "zh-CN"), ("undo 撤销", "zh-CN"), ("undo", "en"), ("C-1", "zh-CN"), ("12", "zh-CN"), ("？", "zh-CN"), ("ok", "en")],
)
def test_the_script_tells_the_language_and_the_usual_one_holds_where_there_is_none(text: str, language: str) -> None:
    assert said(text, "zh-CN").language == language


def test_wide_forms_are_folded_and_no_look_alike_is() -> None:
    assert cleaned("ｕｎｄｏ！　ok") == "undo! ok"
    assert cleaned("𝕦𝕟𝕕𝕠") == "𝕦𝕟𝕕𝕠"
    assert cleaned("un\u200bdo\x00") == "undo"
    assert cleaned(" a \t b \n\n c ") == "a b\nc"
    assert cleaned("don’t") == "don't"
    assert cleaned("‘a’") == "‘a’"


@pytest.mark.parametrize("text", ["不要撤销", "别撤销", "先别动", "不撤销", "我不想安排", "除了周三", "勿动", "不，撤销"])
def test_chinese_negation_is_read(text: str) -> None:
    assert said(text, "en").negated


@pytest.mark.parametrize(
    "text",
    [
        "特别安排",
        "分别放到周五",
        "类别",
        "别人的任务",
        "不等式练习",
        "能不能撤销",
        "可不可以",
        "放不下",
        "还没排",
        "要不要",
        "“不要”",
        "《不要忘记》",
    ],
)
def test_what_only_looks_like_negation_is_none(text: str) -> None:
    assert not said(text, "en").negated


@pytest.mark.parametrize(
    "text", ["don't undo", "do not undo", "never", "no, wait", "arrange all but one", "can't", "undo nothing", "not now"]
)
def test_english_negation_is_read(text: str) -> None:
    assert said(text, "en").negated


@pytest.mark.parametrize(
    "text", ["undo", "notes", "nothingness", "knot", "another", 'move "no 5"', "north", "put “do not forget”"]
)
def test_english_words_that_hold_one_are_none(text: str) -> None:
    assert not said(text, "en").negated


@pytest.mark.parametrize("text", ["如果下雨", "假如撤销", "撤销的话", "what if", "if so", "suppose", "maybe undo"])
def test_supposition_is_read(text: str) -> None:
    assert said(text, "en").supposed


@pytest.mark.parametrize(
    ("text", "bare", "asks", "polite"),
    [
        ("请帮我撤销一下，谢谢", "撤销", False, False),
        ("能不能撤销？", "撤销", True, True),
        ("撤销吗", "撤销", True, False),
        ("撤销？", "撤销", True, False),
        ("撤销好吗", "撤销", False, True),
        ("Could you please undo, thanks", "undo", False, True),
        ("undo, please?", "undo", True, False),
        ("hello, undo", "undo", False, False),
        ("should I undo", "should I undo", True, False),
    ],
)
def test_politeness_is_taken_off_and_a_question_noted(text: str, bare: str, asks: bool, polite: bool) -> None:
    clause = said(text, "en").clause
    assert (clause.forms[-1], clause.asks, clause.polite) == (bare, asks, polite)


def test_clauses_are_parted_outside_quotes() -> None:
    parts = said("撤销，然后提交；“先，然后后”放好", "en").split(weakly=False)
    assert [part.whole for part in parts] == ["撤销", "提交", "“先,然后后”放好"]
    assert [part.whole for part in said("undo, then look and send", "en").split(weakly=True)] == ["undo", "look", "send"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [("“论文”", "论文"), ('"a b"', "a b"), ("“a”“b”", "“a”“b”"), ("a”", "a”"), ("「『x』」", "x"), ("''", "''")],
)
def test_quotes_around_all_of_it_are_taken_off(text: str, plain: str) -> None:
    assert unquoted(text) == plain


LIST = {"kind": "things", "rows": [{"label": "Box", "value": "box"}, {"label": "Cup", "value": "cup"}]}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2", "the cup"),
        ("二", "the cup"),
        ("take the second one", "take the cup"),
        ("take number 1", "take the box"),
        ("拿第二个", "拿the cup"),
        ("3", "3"),
        ("take the third one", "take the third one"),
        ("一起", "一起"),
        ("十月", "十月"),
        ("第二周", "第二周"),
        ("第二个月", "第二个月"),
        ("第二个星期", "第二个星期"),
        ('take "the second one"', 'take "the second one"'),
        ("20", "20"),
        ("second", "the cup"),
    ],
)
def test_a_row_is_a_row_of_the_list_last_shown(text: str, meant: str) -> None:
    assert with_rows(text, LIST, [BOOK]) == meant


@pytest.mark.parametrize(
    "last_list", [None, {}, {"kind": "others", "rows": [{"value": 1}]}, {"kind": "things", "rows": []}, "x", 3]
)
def test_without_a_list_of_a_known_kind_nothing_is_a_row(last_list: object) -> None:
    assert with_rows("2", last_list, [BOOK]) == "2"  # type: ignore[arg-type]  # whatever is stored is looked at first
    assert is_row("2")
    assert not is_row("2 steps")


@given(st.text(max_size=200))
def test_any_text_is_read_without_error(text: str) -> None:
    message = said(text, "en")
    assert message.clause.forms
    message.split(weakly=True)

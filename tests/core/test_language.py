"""Both languages say everything, with the same values filled in, and the code names no text that is not there."""

import re
import string
from pathlib import Path

import pytest

from core.scan import SOURCE, Reader, Use, error_classes, uses
from steadyhand.core.language import LANGUAGES, catalogue, choose, has, say

ZH, EN = catalogue("zh-CN"), catalogue("en")


def placeholders(template: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(template) if field is not None}


# ---- the catalogues --------------------------------------------------------------------------------------------------


def test_both_languages_have_the_same_messages():
    assert sorted(ZH.keys() ^ EN.keys()) == []


def test_both_languages_fill_in_the_same_values():
    assert [message for message in sorted(ZH.keys() & EN.keys()) if placeholders(ZH[message]) != placeholders(EN[message])] == []


def test_every_package_with_texts_is_read():
    first = {
        path: re.search(r"^(?:\[([\w.-]+)\]\n)?([\w-]+) *=", path.read_text("utf-8"), re.MULTILINE)
        for path in SOURCE.rglob("texts/*.toml")
    }
    names = {path: ".".join(part for part in found.groups() if part) for path, found in first.items()}
    assert len(names) > 20
    assert [path for path, name in names.items() if name not in (ZH if path.name.endswith("zh-CN.toml") else EN)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_says_what_happened_what_is_untouched_and_what_to_do(language):
    messages = catalogue(language)
    codes = {message.split(".")[1] for message in messages if message.startswith("error.")}
    wanted = {f"error.{code}.{part}" for code in codes for part in ("summary", "detail", "next")}
    assert {message for message in messages if message.startswith("error.")} ^ wanted == set()
    assert [message for message in sorted(wanted) if not messages[message].strip() and not message.endswith(".next")] == []


def test_english_texts_are_english_and_chinese_ones_are_translated():
    han = re.compile(r"[\u4e00-\u9fff]")
    may_quote = {message for message in EN if message.startswith(("cli.option.", "cli.schedule.bad."))}  # what a person may type
    assert [message for message, text in EN.items() if han.search(text) and message not in may_quote] == []
    words = re.compile(r"[a-z]{3,} [a-z]{3,}")
    assert [
        message for message, text in ZH.items() if text == EN.get(message) and words.search(re.sub(r"\{.*?\}", "", text))
    ] == []


# ---- say -------------------------------------------------------------------------------------------------------------


def test_a_message_that_is_not_there_is_an_error_and_never_shown():
    with pytest.raises(KeyError):
        say("en", "no.such.message")
    assert not has("en", "no.such.message")


def test_a_number_takes_the_form_that_fits_it():
    assert "1 change is" in say("en", "cli.doctor.changes_open", count=1)
    assert "2 changes are" in say("en", "cli.doctor.changes_open", count=2)
    assert "0 changes are" in say("en", "cli.doctor.changes_open", count=0)


def test_values_with_braces_are_shown_as_they_are():
    assert "{x}" in say("en", "error.setting_unknown.summary", key="{x}")


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("zh_CN.UTF-8", "zh-CN"),
        ("zh", "zh-CN"),
        ("ZH-tw", "zh-CN"),
        ("en_GB", "en"),
        ("C.UTF-8", "en"),
        ("de_DE", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_a_locale_leads_to_one_of_the_two_languages(name, language):
    assert choose(name) == language


# ---- what the code names ---------------------------------------------------------------------------------------------


def matching(wanted: str, messages: dict[str, str]) -> list[str]:
    if ".*" in wanted:
        return [message for message in messages if re.fullmatch(wanted, message)]
    exact = re.sub(r"\\(.)", r"\1", wanted)
    return [exact] if exact in messages else []


def missing(use: Use) -> str | None:
    """Return what is wrong with a place that names texts, or None."""
    for language in LANGUAGES:
        messages = catalogue(language)
        tried = (matching(wanted, messages) for wanted in use.wanted)
        found = next((matches for matches in tried if matches), [])
        if not found:
            return f"{use.place}: no text {' or '.join(use.wanted)} in {language}"
        if use.given is not None and len(found) == 1 and (lacking := placeholders(messages[found[0]]) - use.given):
            return f"{use.place}: {found[0]} is not given {', '.join(sorted(lacking))}"
    return None


def test_every_text_that_the_code_names_is_there_and_gets_its_values():
    found = list(uses())
    assert len(found) > 300
    assert [problem for use in found if (problem := missing(use))] == []


def judge(source: str) -> list[str]:
    return [problem for use in Reader(Path("sample.py"), source, error_classes()).read() if (problem := missing(use))]


@pytest.mark.parametrize(
    "good",
    [
        'say(language, "error.store_busy.summary")',
        'frame.say("stopped")',
        'frame.say("doctor.zones", version="1", zone="UTC")',
        'raise StoreUnavailable("store_busy", reason="x")',
        'raise ToolRefusal("draft_moved_on", **params)',
        "raise ToolRefusal(refusal.code, **params)",
        'Refusal("no_right", {"domain": name})',
        'Refusal("seal_broken")',
        'frame.say(f"doctor.level.{level}")',
        'def tell():\n    message = "stopped" if x else "change.none"\n    return frame.say(message)',
    ],
)
def test_the_scan_lets_pass_what_is_right(good):
    assert judge(good) == []


@pytest.mark.parametrize(
    "bad",
    [
        'say(language, "no.such.text")',
        'frame.say("no_such")',
        'frame.say("stopped" if x else "no_such")',
        'frame.say("doctor.zones", version="1")',
        'raise StoreUnavailable("no_such_code")',
        'raise StoreUnavailable("store_busy")',
        'raise SettingsInvalid("no_such_code", **params)',
        'Refusal("no_such_code")',
        'Refusal("no_right", {})',
        'frame.say(f"no_such.{level}")',
        'def tell():\n    message = "stopped" if x else "no_such"\n    return frame.say(message)',
        'class StaleTarget(E):\n    def __init__(self):\n        super().__init__("no_such_code")',
    ],
)
def test_the_scan_sees_what_is_wrong(bad):
    assert judge(bad) != []

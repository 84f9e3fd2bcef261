"""A message is a yes or a no only when nothing else is in it; negation and questions are read first."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session.phrases import NEITHER_EN, NEITHER_ZH, NO_EN, NO_ZH, YES_EN, YES_ZH, split
from steadyhand.session import decision_words_en as en
from steadyhand.session import decision_words_zh as zh
from steadyhand.session.reading import FILLER, NO, YES, Command, Unreadable, bare, command


@pytest.mark.parametrize("phrase", split(YES_ZH) + split(YES_EN))
def test_a_plain_yes_is_read_as_one(phrase):
    assert bare(phrase) == "yes"


@pytest.mark.parametrize("phrase", split(NO_ZH) + split(NO_EN))
def test_a_plain_no_is_read_as_one(phrase):
    assert bare(phrase) == "no"


@pytest.mark.parametrize("phrase", split(NEITHER_ZH) + split(NEITHER_EN))
def test_everything_else_is_conversation(phrase):
    assert bare(phrase) is None


@pytest.mark.parametrize("phrases", [(YES_ZH, NO_ZH, NEITHER_ZH), (YES_EN, NO_EN, NEITHER_EN)], ids=["zh", "en"])
def test_each_language_is_tried_with_eighty_phrases_and_more(phrases):
    assert len({phrase for table in phrases for phrase in split(table)}) >= 80


def test_every_word_of_the_lists_is_read_as_its_list_says():
    assert {phrase: bare(phrase) for phrase in YES} == dict.fromkeys(YES, "yes")
    assert {phrase: bare(phrase) for phrase in NO} == dict.fromkeys(NO, "no")
    assert {phrase: bare(phrase) for phrase in FILLER} == dict.fromkeys(FILLER, None)


def test_no_word_means_two_things():
    assert not YES & NO
    assert not (YES | NO) & FILLER


@pytest.mark.parametrize("text", ["", " ", "\n", "。", "!!!", "yes " * 40, "好" * 61, "\x00", "\ud800"])
def test_nothing_noise_and_length_are_conversation(text):
    assert bare(text) is None


@pytest.mark.parametrize(
    "text",
    [
        *("yes\u037e", "\u037eyes", "yes\u2024", "yes\ufe52", "yes\u2026", "yes\u2025", "yes\u203d"),  # marks that fold to ours
        *("\u2116", "\u2115o", "\u207f", "o\u212a", "ye\u017f", "\u24e8\u24d4\u24e2", "\U0001d432\U0001d41e\U0001d42c"),
    ],
)
def test_what_only_looks_like_a_word_or_a_pause_is_conversation(text):
    assert bare(text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [("ＹＥＳ", "yes"), ("ｏｋ。", "yes"), ("好～", "yes"), ("ｎｏ！", "no"), ("ｙｅｓ；", "yes"), ("ｙｅｓ？", None)],
)
def test_full_width_letters_and_marks_are_those_of_a_chinese_keyboard(text, found):
    assert bare(text) == found


@pytest.mark.parametrize("digit", ["\u2074", "\u2084", "\u2463", "\U0001d7d2", "\u0664", "\u2167"])
@pytest.mark.parametrize("form", ["C-{}", "C-1{}", "{}", "C-1 1a2b3c4{}"])
def test_only_plain_and_full_width_digits_name_a_change_or_a_digest(digit, form):
    assert command(f"/approve {form.format(digit)}") == Unreadable("approve")


def test_full_width_digits_name_a_digest():
    assert command("/approve C-１２ １ａ２ｂ３ｃ４ｄ") == Command("approve", 12, "1a2b3c4d")


ASSENT = st.sampled_from(sorted(YES))
SPACE = st.sampled_from([" ", ", ", "，", "。", "\n"])


@given(ASSENT, SPACE, st.sampled_from(sorted({*zh.NEGATIONS, *en.NEGATIONS})), st.booleans())
@settings(max_examples=300)
def test_a_yes_beside_a_negation_is_never_a_yes(assent, space, negation, before):
    text = f"{negation}{space}{assent}" if before else f"{assent}{space}{negation}"
    assert bare(text) != "yes"


@given(
    ASSENT,
    st.sampled_from(['"{}"', "“{}”", "「{}」", "'{}'", "> {}", "({})", "{}?", "{}？", "{} ?", "{}...", "{}……", "{}吗", "{} 👌"]),
)
@settings(max_examples=300)
def test_a_yes_that_is_quoted_asked_or_trailing_off_is_never_a_yes(assent, frame):
    assert bare(frame.format(assent)) is None


KNOWN = {word for phrase in YES | NO | FILLER for word in phrase.split()}
OTHER_WORDS = st.text(
    st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF) | st.sampled_from("abcdefghinoprstuwy"), min_size=1, max_size=6
)


@given(ASSENT, SPACE, OTHER_WORDS.filter(lambda word: word not in KNOWN), st.booleans())
@settings(max_examples=300)
def test_any_other_word_beside_a_yes_makes_it_conversation(assent, space, word, before):
    assert bare(f"{word}{space}{assent}" if before else f"{assent}{space}{word}") is None


@given(st.text(max_size=30))
@settings(max_examples=300)
def test_any_text_can_be_read(text):
    assert bare(text) in ("yes", "no", None)
    command(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/approve C-42", Command("approve", 42)),
        ("/approve C-42 1a2b3c4d", Command("approve", 42, "1a2b3c4d")),
        ("  /APPROVE  c-42\t1A2B3C4D ", Command("approve", 42, "1A2B3C4D")),
        ("／ａｐｐｒｏｖｅ　Ｃ－４２", Command("approve", 42)),
        ("/approve 42", Command("approve", 42)),
        ("/approve", Command("approve")),
        ("/confirm C-1", Command("confirm", 1)),
        ("/deny C-1", Command("deny", 1)),
        ("/deny C-1 not on a Friday", Command("deny", 1)),
        ("/stop C-1", Command("stop", 1)),
        ("/stop", Command("stop")),
        ("/recheck", Command("recheck")),
        ("/recheck C-7", Command("recheck", 7)),
        ("/approve C-42 1a2b3c4d now", Unreadable("approve")),
        ("/approve everything", Unreadable("approve")),
        ("/approve C-1 C-2 C-3", Unreadable("approve")),
        ("/confirm C-", Unreadable("confirm")),
        ("/recheck C-7 please", Unreadable("recheck")),
        ("/deny all", Unreadable("deny")),
    ],
)
def test_a_command_is_read_from_the_beginning_or_not_guessed(text, found):
    assert command(text) == found


@pytest.mark.parametrize(
    "text", ["", "/", "/approved C-1", "/approveC-1", "approve C-1", "please /approve C-1", "> /approve C-1", "/help"]
)
def test_what_is_not_one_of_our_commands_is_none(text):
    assert command(text) is None

"""Text from outside is cleaned of what nobody sees and stands between two marks that it cannot forge."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.language import LANGUAGES, say
from steadyhand.tools.outside import cleaned, fenced, one_line

BRACKETS = st.text(alphabet="[]［］⟦⟧〚〛 \nx", max_size=30)


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=st.text(max_size=60) | BRACKETS, source=BRACKETS)
@settings(max_examples=150)
def test_there_are_two_marks_whatever_the_text_is(language, text, source):
    marked = fenced(language, text, source)
    assert marked.count("[[[") == marked.count("]]]") == 2
    assert marked.endswith(f"\n[[[ {say(language, 'outside.ends')} ]]]")
    for run in ("［［［", "⟦⟦⟦", "〚〚〚"):
        assert run not in marked


@given(st.text(max_size=80))
@settings(max_examples=300)
def test_what_acts_on_a_screen_or_is_not_seen_is_gone_and_cleaning_twice_is_cleaning_once(text):
    clean = cleaned(text)
    assert cleaned(clean) == clean
    assert not [mark for mark in clean if unicodedata.category(mark) in {"Cc", "Cs"} and mark not in "\n\t"]
    assert not set(clean) & set("\u202e\u2066\u200b\ufeff\U000e0041\u2028\x1b")


def test_letters_of_every_script_stay():
    text = "课程表 naïve עברית हिन्दी 👩\u200d🔬 a\tb\nc"
    assert cleaned(text) == text


@given(st.text(max_size=50), st.integers(1, 20))
@settings(max_examples=100)
def test_one_line_is_one_line_and_not_longer(text, most):
    line = one_line(text, most)
    assert "\n" not in line
    assert len(line) <= most

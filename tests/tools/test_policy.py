"""Deny beats ask beats allow, what nobody knows is asked, and with nobody to ask, ask is deny."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.tools.base import EFFECTS
from steadyhand.tools.policy import Rule, ToolPolicy

STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


@pytest.mark.parametrize(
    ("effect", "answer"),
    [
        ("read", "allow"),
        ("draft", "allow"),
        ("own", "allow"),
        ("say", "allow"),
        ("workspace", "allow"),
        ("external", "ask"),
        ("exec", "deny"),
    ],
)
def test_without_rules_each_effect_has_its_usual_answer(effect, answer):
    assert ToolPolicy().answer("any", effect, can_ask=True) == answer


def test_every_effect_is_decided_somewhere():
    assert {ToolPolicy().answer("any", effect, can_ask=True) for effect in EFFECTS} == {"allow", "ask", "deny"}


def test_an_effect_that_nobody_knows_is_asked_about():
    assert ToolPolicy().answer("any", "teleport", can_ask=True) == "ask"


def test_with_nobody_to_ask_ask_is_deny():
    assert ToolPolicy().answer("any", "external", can_ask=False) == "deny"
    assert ToolPolicy().answer("any", "teleport", can_ask=False) == "deny"
    assert ToolPolicy().answer("any", "read", can_ask=False) == "allow"


@pytest.mark.parametrize("answers", list(itertools.product(("allow", "ask", "deny"), repeat=3)))
def test_of_several_rules_the_strictest_holds(answers):
    policy = ToolPolicy((Rule(answers[0]), Rule(answers[1], effect="exec"), Rule(answers[2], tool="shell")))
    assert policy.answer("shell", "exec", can_ask=True) == max(answers, key=STRICTNESS.__getitem__)


def test_a_rule_speaks_only_of_what_it_names():
    policy = ToolPolicy((Rule("ask", tool="shell"), Rule("deny", effect="read", tool="peek")))
    assert policy.answer("shell", "exec", can_ask=True) == "ask"
    assert policy.answer("other", "exec", can_ask=True) == "deny"
    assert policy.answer("peek", "read", can_ask=True) == "deny"
    assert policy.answer("peek", "say", can_ask=True) == "allow"


RULES = st.builds(
    Rule,
    st.sampled_from(["allow", "ask", "deny"]),
    effect=st.sampled_from([None, *EFFECTS]),
    tool=st.sampled_from([None, "shell", "post"]),
)


@given(
    rules=st.lists(RULES, max_size=5),
    more=RULES,
    tool=st.sampled_from(["shell", "post", "echo"]),
    effect=st.sampled_from(EFFECTS),
    can_ask=st.booleans(),
)
@settings(max_examples=200)
def test_a_further_rule_never_loosens_what_other_rules_say(rules, more, tool, effect, can_ask):
    spoken = [rule for rule in rules if rule.speaks_of(tool, effect)]
    before = ToolPolicy(tuple(rules)).answer(tool, effect, can_ask=can_ask)
    after = ToolPolicy((*rules, more)).answer(tool, effect, can_ask=can_ask)
    assert not spoken or STRICTNESS[after] >= STRICTNESS[before]
    assert can_ask or "ask" not in (before, after)

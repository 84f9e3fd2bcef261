"""Who may change what, and how large a change may be."""

from dataclasses import replace

import pytest

from steadyhand.core.ids import UserId
from steadyhand.gate.contract import Target
from steadyhand.gate.policy import Policy
from steadyhand.store.people.people import User

ME = User(UserId("person"), "person", "UTC", "en", ("panel",))
MINE = Target("panel", "main", ME.id)


def code(refusal):
    return None if refusal is None else refusal.code


@pytest.mark.parametrize(
    ("rights", "target", "expected"),
    [
        (("panel",), MINE, None),
        (("*",), MINE, None),
        ((), MINE, "no_right"),
        (("panels", "pane"), MINE, "no_right"),
        (("mailroom",), MINE, "no_right"),
        (("panel",), replace(MINE, owner=UserId("another")), "not_owner"),
        (("*",), replace(MINE, owner=UserId("another")), "not_owner"),
        (("panel",), replace(MINE, owner=UserId("another"), shared=True), None),
        ((), replace(MINE, owner=UserId("another"), shared=True), "no_right"),
    ],
)
def test_a_person_changes_what_is_theirs_or_shared_in_domains_that_they_have_a_right_to(rights, target, expected):
    assert code(Policy().refuses(replace(ME, rights=rights), target)) == expected


def test_a_change_has_a_limited_number_of_operations():
    policy = Policy(max_operations=3)
    assert policy.refuses(ME, MINE, 3) is None
    refused = policy.refuses(ME, MINE, 4)
    assert refused is not None
    assert (refused.code, refused.params) == ("too_many_operations", {"count": 4, "limit": 3})


def test_other_rules_have_another_digest():
    rules = [Policy(), Policy(max_operations=3), Policy(approve_sealed="within_confirmed_spec")]
    assert len({policy.digest() for policy in rules}) == 3
    assert Policy().digest() == Policy().digest()


def test_a_shared_target_is_one_and_a_personal_one_is_each_persons_own():
    another = UserId("another")
    assert Target("panel", "main", ME.id).key != Target("panel", "main", another).key
    assert Target("panel", "main", ME.id, shared=True).key == Target("panel", "main", another, shared=True).key

"""Promise 11, same in, same out: the same operations compile to the same bytes on any machine."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.core.canonical import canonical, digest
from steadyhand.gate.contract import Observation, Operations, Target
from trial_domains.panel import Panel
from trial_domains.stand import ME, cut, end_child, paint, run, start_child

TARGET = Target("panel", "main", ME)
NOTHING = Observation({"plates": {}}, {})
plates = st.dictionaries(st.text(min_size=1, max_size=8), st.tuples(st.integers(1, 99), st.integers(1, 99)), max_size=6)


def test_processes_with_other_hash_seeds_zones_and_folders_compile_the_same_bytes(stand_here):
    settings = [
        {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "4711", "TZ": "Pacific/Chatham", "LC_ALL": "C.UTF-8"},
    ]
    said = {end_child(start_child(stand_here, "digest", more=more)) for more in settings}
    here = run(stand_here.sealed_from_spec())
    assert said == {f"{here.program_digest} {here.spec_digest}"}


def test_the_time_of_day_is_in_no_program(stand):
    from datetime import timedelta

    first = run(stand.sealed_from_spec())
    stand.clock.advance(timedelta(days=1, hours=7))
    second = run(stand.sealed_from_spec())
    assert first.program == second.program
    assert first.spec_digest == second.spec_digest


@given(plates)
def test_compiling_twice_gives_the_same_bytes(found):
    operations = Operations(tuple(cut(name, *size) for name, size in found.items()))
    panel = Panel(root=None)
    programs = {json.dumps(panel.compile(operations, TARGET, NOTHING).text) for _ in range(3)}
    assert len(programs) == 1


@given(plates)
def test_the_order_in_which_facts_were_read_does_not_matter(found):
    facts = {name: {"size": list(size), "colour": None} for name, size in found.items()}
    backwards = dict(reversed(facts.items()))
    operations = Operations(tuple(paint(name) for name in sorted(found)))
    panel = Panel(root=None)
    programs = [panel.compile(operations, TARGET, Observation({"plates": seen}, {})) for seen in (facts, backwards)]
    assert canonical(programs[0].evidence) == canonical(programs[1].evidence)
    assert programs[0].text == programs[1].text


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_bytes_survive_being_stored_and_read_back(value):
    assert canonical(json.loads(canonical(value))) == canonical(value)


@given(st.dictionaries(st.text(max_size=6), st.integers(-9, 9), max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_keys_is_nothing(value, random):
    keys = list(value)
    random.shuffle(keys)
    assert digest({key: value[key] for key in keys}) == digest(value)


@pytest.mark.parametrize(("one", "other"), [(-0.0, 0), (-0.0, 0.0), (1.0, 1), (1e2, 100), (0.1 + 0.2, 0.30000000000000004)])
def test_a_number_has_one_form_and_minus_zero_is_zero(one, other):
    assert canonical(one) == canonical(other)
    assert canonical([one]) == canonical([other])


@pytest.mark.parametrize("value", [1e16, -1e16, 2.0**53, 1e20, 123456789012345678901.0, 1e21, 1e300, 5e-324])
def test_a_large_number_survives_being_stored_and_read_back(value):
    assert canonical({"a": [json.loads(canonical(value))]}) == canonical({"a": [value]})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 2**53 + 1, -(2**53) - 1, 10**21, 10**400, "\ud800"])
def test_what_has_no_one_form_is_refused(value):
    with pytest.raises(ValueError):
        canonical({"a": value})


def test_texts_that_only_look_the_same_are_not_the_same():
    assert digest("\u00e9") != digest("e\u0301")

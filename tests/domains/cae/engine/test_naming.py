"""Which names there may be, and what a set of that name holds."""

import numpy as np
import pytest

from domains.cae.engine.plates import state, stiffened, with_kept_text
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.naming import check_name, put_element_set, put_node_set, remove_set


def test_a_set_holds_its_labels_ascending_and_once_and_replaces_its_namesake():
    part = stiffened()
    put_element_set(part, "PICK", [5, 1, 5])
    assert part.element_sets["PICK"].tolist() == [1, 5]
    put_element_set(part, "PICK", [2])
    assert part.element_sets["PICK"].tolist() == [2]
    put_node_set(part, "PICK", np.array([4, 3]))
    assert part.node_sets["PICK"].tolist() == [3, 4]
    put_node_set(part, "_FORCE-1.a", [])
    assert part.node_sets["_FORCE-1.a"].tolist() == []
    assert part.faults() == []


@pytest.mark.parametrize("name", ["A", "a", "Deck_1.top-2", "N" * 80])
def test_names_that_every_deck_can_hold(name):
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["", "1A", "-A", "A B", "A,B", "A\n", "甲板", "É", "A=B", '"A"', "N" * 81, "*NODE", "A/B", ".A"])
def test_other_names_are_refused(name):
    part = stiffened()
    before = state(part)
    for put in (put_element_set, put_node_set):
        with pytest.raises(EngineRefusal) as caught:
            put(part, name, [1])
        assert caught.value.code == "bad_name"
    assert state(part) == before


def test_internal_names_are_no_names_that_a_person_may_give():
    assert check_name("_LOAD", internal=True) == "_LOAD"
    for name, internal in (("_LOAD", False), ("LOAD", True), ("_", True), ("_" + "N" * 80, True)):
        with pytest.raises(EngineRefusal, match="bad_name"):
            check_name(name, internal=internal)


def test_labels_that_are_not_there_and_names_that_differ_in_capitals_are_refused():
    part = stiffened()
    before = state(part)
    for code, act in [
        ("unknown_element", lambda: put_element_set(part, "PICK", [1, 999])),
        ("unknown_node", lambda: put_node_set(part, "PICK", [999])),
        ("bad_labels", lambda: put_node_set(part, "PICK", [1.0])),
        ("name_differs_in_case", lambda: put_element_set(part, "Deck", [1])),
    ]:
        with pytest.raises(EngineRefusal, match=code):
            act()
    assert state(part) == before
    put_node_set(part, "Deck", [1])


def test_a_set_goes_unless_a_load_a_support_or_kept_text_refers_to_it():
    part = with_kept_text(stiffened(), np.array([3]))
    put_node_set(part, "RIBS", [1, 2])
    remove_set(part, "RIBS")
    assert "RIBS" not in part.element_sets | part.node_sets
    before = state(part)
    for name, user in (("LOADED", "WATER"), ("_TIP", "PULL"), ("LEFT", "HELD"), ("DECK", "*SPRING")):
        with pytest.raises(EngineRefusal) as caught:
            remove_set(part, name)
        assert (caught.value.code, caught.value.params["user"]) == ("set_in_use", user)
    with pytest.raises(EngineRefusal, match="unknown_set"):
        remove_set(part, "RIBS")
    assert state(part) == before
    put_element_set(part, "DEC", [1])
    remove_set(part, "DEC")

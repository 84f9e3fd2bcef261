"""People and their sessions: numbers are taken once, messages counted, one person's id tells nothing of another's."""

import pytest

from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import UserId
from steadyhand.store.people import people
from store.ground import DESK, ME, OTHER


def test_a_person_is_read_as_stored(store):
    found = store.read_now(lambda tx: people.find_user(tx, ME))
    assert found == people.User(ME, "", "Asia/Shanghai", "zh-CN", ("*",))


def test_nobody_is_none_or_refused(store):
    assert store.read_now(lambda tx: people.find_user(tx, UserId("nobody"))) is None
    with pytest.raises(DecisionRefused, match="user_unknown"):
        store.read_now(lambda tx: people.require_user(tx, UserId("nobody")))


def test_what_is_changed_of_a_person_is_only_that(store):
    store.write_now(lambda tx: people.change_user(tx, ME, language="en", rights=["schedule"]))
    found = store.read_now(lambda tx: people.require_user(tx, ME))
    assert (found.language, found.rights, found.zone) == ("en", ("schedule",), "Asia/Shanghai")
    assert store.read_now(lambda tx: people.require_user(tx, OTHER)).language == "zh-CN"


def test_numbers_of_changes_grow_by_one_for_each_person(store):
    taken = [store.write_now(lambda tx, user=user: people.next_change_number(tx, user)) for user in (ME, ME, OTHER, ME)]
    assert taken == [1, 2, 1, 3]


def test_a_number_taken_in_a_unit_of_work_that_failed_is_taken_again(store):
    def work(tx):
        people.next_change_number(tx, ME)
        raise LookupError

    with pytest.raises(LookupError):
        store.write_now(work)
    assert store.write_now(lambda tx: people.next_change_number(tx, ME)) == 1


def test_a_session_is_made_once_and_counts_its_persons_messages(store):
    def work(tx):
        people.ensure_session(tx, ME, DESK, "cli")
        people.ensure_session(tx, ME, DESK, "cli")
        people.ensure_session(tx, OTHER, DESK, "cli")
        return [people.count_messages(tx, ME, DESK), people.count_messages(tx, ME, DESK), people.messages(tx, OTHER, DESK)]

    assert store.write_now(work) == [1, 2, 0]


def test_a_message_in_no_session_is_refused(store):
    with pytest.raises(DecisionRefused, match="session_unknown"):
        store.write_now(lambda tx: people.count_messages(tx, ME, DESK))
    assert store.read_now(lambda tx: people.messages(tx, ME, DESK)) == 0

"""A draft is a base and a list of steps whose end undo and redo move; every write names the revision that it saw."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from steadyhand.core.errors import ToolRefusal
from steadyhand.store.changes import drafts
from steadyhand.store.changes.tables import draft_steps
from steadyhand.store.database.engine import Duplicate
from store.ground import ME, OTHER
from store.racing import race


def opened(store, user=ME):
    return store.write_now(lambda tx: drafts.open_draft(tx, user, "schedule", "main", {"window": [1, 7]}))


def append(store, draft, *payloads):
    return store.write_now(lambda tx: drafts.append(tx, draft, payloads))


def move(store, draft, head):
    return store.write_now(lambda tx: drafts.move_head(tx, draft, head))


def steps(store, draft):
    return store.read_now(lambda tx: drafts.steps_of(tx, draft))


def stored(store, user=ME):
    return store.read_now(lambda tx: drafts.find_open(tx, user, "schedule", "main"))


def test_an_open_draft_is_found_as_it_was_opened(store):
    draft = opened(store)
    assert stored(store) == draft
    assert (draft.revision, draft.head, draft.base) == (1, 0, {"window": [1, 7]})
    assert store.read_now(lambda tx: drafts.revision(tx, ME, "schedule", "main")) == (draft.id, 1)


def test_a_person_has_one_open_draft_for_a_target(store):
    opened(store)
    with pytest.raises(Duplicate):
        opened(store)
    opened(store, OTHER)


def test_a_closed_draft_is_found_no_more_and_makes_room(store):
    draft = opened(store)
    store.write_now(lambda tx: drafts.close(tx, draft))
    assert stored(store) is None
    assert store.read_now(lambda tx: drafts.revision(tx, ME, "schedule", "main")) is None
    assert opened(store).id != draft.id


def test_a_closed_draft_takes_no_step(store):
    draft = opened(store)
    store.write_now(lambda tx: drafts.close(tx, draft))
    with pytest.raises(ToolRefusal, match="draft_moved_on"):
        append(store, draft, "late")


def test_steps_keep_their_order_and_grow_the_revision(store):
    draft = append(store, append(store, opened(store), "a", "b"), {"c": 1})
    assert steps(store, draft) == ["a", "b", {"c": 1}]
    assert stored(store) == draft
    assert (draft.revision, draft.head) == (3, 3)


def test_a_write_that_names_an_old_revision_is_refused_and_changes_nothing(store):
    old = opened(store)
    new = append(store, old, "a")
    for write in (
        lambda tx: drafts.append(tx, old, ["b"]),
        lambda tx: drafts.move_head(tx, old, 0),
        lambda tx: drafts.rebase(tx, old, {}),
    ):
        with pytest.raises(ToolRefusal) as refused:
            store.write_now(write)
        assert (refused.value.code, refused.value.params) == ("draft_moved_on", {"revision": 1})
    assert stored(store) == new
    assert steps(store, new) == ["a"]


def test_undo_and_redo_move_the_end_and_lose_no_step(store):
    draft = append(store, opened(store), "a", "b")
    back = move(store, draft, 1)
    assert (back.head, steps(store, back)) == (1, ["a", "b"])
    assert move(store, back, 2).revision == draft.revision + 2


def test_a_step_after_undo_takes_the_place_of_what_was_undone(store):
    draft = move(store, append(store, opened(store), "a", "b", "c"), 1)
    draft = append(store, draft, "d")
    assert (draft.head, steps(store, draft)) == (2, ["a", "d"])


def test_what_was_undone_and_replaced_stays_as_a_record(store):
    draft = append(store, move(store, append(store, opened(store), "a", "b"), 0), "c")
    rows = store.read_now(lambda tx: tx.execute(select(draft_steps).order_by(draft_steps.c.seq)).all())
    assert [(row.seq, row.position, row.live, row.payload) for row in rows] == [
        (0, 0, False, "a"),
        (1, 1, False, "b"),
        (2, 0, True, "c"),
    ]
    assert steps(store, draft) == ["c"]


def test_a_new_base_starts_an_empty_list(store):
    draft = append(store, opened(store), "a")
    based = store.write_now(lambda tx: drafts.rebase(tx, draft, {"window": [2, 8]}))
    assert stored(store) == based
    assert (based.base, based.head, steps(store, based)) == ({"window": [2, 8]}, 0, [])
    assert steps(store, append(store, based, "b")) == ["b"]


def test_processes_that_append_at_once_lose_and_double_nothing(store, database_url, tmp_path):
    opened(store)
    store.close()
    race(database_url, tmp_path / "race", "append_steps", 20)
    draft = stored(store)
    assert (draft.revision, draft.head) == (61, 60)
    assert steps(store, draft) == [f"step {number}" for number in range(1, 61)]


actions = st.lists(
    st.one_of(st.tuples(st.just("append"), st.integers(1, 3)), st.tuples(st.just("move"), st.floats(0, 1))), max_size=12
)


@given(actions)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_draft_is_always_what_a_list_with_an_end_would_be(store, wanted):
    store.write_now(lambda tx: (found := drafts.find_open(tx, ME, "schedule", "main")) and drafts.close(tx, found))
    draft, model, head = opened(store), [], 0
    for number, (action, amount) in enumerate(wanted):
        if action == "append":
            payloads = [f"{number}.{index}" for index in range(amount)]
            draft = append(store, draft, *payloads)
            model[head:] = payloads
            head += amount
        else:
            head = round(amount * len(model))
            draft = move(store, draft, head)
        assert replace(draft, revision=number + 2) == draft == stored(store)
        assert (draft.head, steps(store, draft)) == (head, model)

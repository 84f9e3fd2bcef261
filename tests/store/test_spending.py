"""What a day's requests came to: added up over models, apart by person and day, and exact when several add at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.store.database.engine import Store
from steadyhand.store.people import people, spending
from steadyhand.store.people.spending import Spent
from steadyhand.store.upkeep import schema
from store.ground import ME, OTHER, person
from store.racing import race

DAY, NEXT_DAY = "2026-09-07", "2026-09-08"


def add(store, spent, day=DAY, model="small", user=ME):
    store.write_now(lambda tx: spending.add(tx, user, day, model, spent))


def on_day(store, day=DAY, user=ME):
    return store.read_now(lambda tx: spending.on_day(tx, user, day))


def test_before_anything_was_asked_a_day_came_to_nothing(store):
    assert on_day(store) == Spent(0, 0, 0, 0.0)


def test_a_days_requests_are_added_up_over_all_models(store):
    add(store, Spent(1, 10, 5, 0.25))
    add(store, Spent(1, 20, 6, 0.5))
    add(store, Spent(2, 1, 1, 1.0), model="large")
    assert on_day(store) == Spent(4, 31, 12, 1.75)


def test_days_and_people_are_apart(store):
    add(store, Spent(1, 10, 5, 0.25))
    add(store, Spent(1, 7, 7, 0.5), day=NEXT_DAY)
    add(store, Spent(1, 9, 9, 2.0), user=OTHER)
    assert (on_day(store), on_day(store, NEXT_DAY)) == (Spent(1, 10, 5, 0.25), Spent(1, 7, 7, 0.5))
    assert on_day(store, user=OTHER) == Spent(1, 9, 9, 2.0)
    assert on_day(store, NEXT_DAY, OTHER) == Spent()


def test_more_tokens_than_a_small_number_holds_are_counted(store):
    add(store, Spent(1, 2**40, 2**33, 0.0))
    add(store, Spent(1, 1, 1, 0.0))
    assert on_day(store) == Spent(2, 2**40 + 1, 2**33 + 1, 0.0)


def test_a_model_that_is_called_by_a_long_path_is_charged(store):
    add(store, Spent(1, 1, 1, 0.5), model="/models/" + "x" * 300)
    add(store, Spent(1, 1, 1, 0.5), model="/models/" + "x" * 300)
    assert on_day(store) == Spent(2, 2, 2, 1.0)


def test_several_processes_that_charge_the_same_new_days_all_count(store, database_url, tmp_path):
    race(database_url, tmp_path / "race", "spend", 20)
    assert [on_day(store, f"day {number}") for number in range(20)] == [Spent(3, 9, 3, 1.5)] * 20


@pytest.fixture(scope="module")
def one_store(tmp_path_factory):
    """One database for all examples of a property: each takes a day of its own."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('spending') / 'steadyhand.db'}")
    schema.ensure(store)
    for user in (ME, OTHER):
        store.write_now(lambda tx, user=user: people.add_user(tx, person(user)))
    yield store
    store.close()


HALVES = st.integers(0, 2**20).map(lambda number: number / 2)
"""Costs whose sums are exact, whatever their order."""
CHARGES = st.lists(
    st.tuples(st.sampled_from([ME, OTHER]), st.sampled_from("abc"), st.integers(0, 2**30), st.integers(0, 2**30), HALVES),
    max_size=12,
)
COUNT = iter(range(10**9))


@given(charges=CHARGES)
def test_a_day_is_the_sum_of_its_persons_charges(one_store, charges):
    day = f"day {next(COUNT)}"[:10]
    for user, model, read, written, cost in charges:
        add(one_store, Spent(1, read, written, cost), day, model, user)
    for user in (ME, OTHER):
        own = [charge for charge in charges if charge[0] == user]
        sums = (sum(charge[place] for charge in own) for place in (2, 3, 4))
        assert on_day(one_store, day, user) == Spent(len(own), *sums)

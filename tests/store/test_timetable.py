"""Row differences are written whole, in an order that lets cells be traded; rows come back as they were, of one person alone."""

import pytest

from steadyhand.store.database.engine import Duplicate
from steadyhand.store.timetable import timetable
from steadyhand.store.timetable.timetable import Difference
from store.ground import ME, OTHER


def term(number=1, *, current=True, weeks=16):
    return {
        "id": number,
        "name": f"term {number}",
        "zone": "Asia/Shanghai",
        "first_monday": "2026-09-07",
        "weeks": weeks,
        "scale_name": "school",
        "scale": [["08:00", "08:45"], ["08:55", "09:40"]],
        "seasons": [["2026-10-01", "winter", [["08:30", "09:15"], ["09:25", "10:10"]]]],
        "is_current": current,
    }


def fact(week=4, day=4, *, at=1, as_day=None, held=()):
    return {
        "term_id": at,
        "week": week,
        "day_of_week": day,
        "kind": "works_as" if as_day else "holiday",
        "as_week": as_day[0] if as_day else None,
        "as_day_of_week": as_day[1] if as_day else None,
        "held": [list(one) for one in held],
    }


def event(number, *, at=1, kind="course", uid="", item=None):
    return {
        "id": number,
        "term_id": at,
        "kind": kind,
        "name": f"event {number}",
        "can_embed": kind == "course",
        "uid": uid,
        "rule": "",
        "item_id": item,
    }


def cell(number, section, *, week=1, day=1, host=None, at=1):
    return {
        "event_id": number,
        "week": week,
        "day_of_week": day,
        "section": section,
        "term_id": at,
        "host_event_id": host,
        "layer": 0 if host is None else 1,
        "begins": 930,
        "ends": 1040,
        "location": "A101",
        "teacher": "",
    }


def task_class(number=1, *, at=1):
    return {"id": number, "term_id": at, "name": f"class {number}", "total_slots": 4, "ordered": True}


def item(number, *, of=1, position=0):
    return {
        "id": number,
        "class_id": of,
        "content": f"item {number}",
        "position": position,
        "duration": 2,
        "earliest": None,
        "deadline": "2026-12-20",
        "priority": 0,
    }


def new(table, *rows):
    return [Difference(table, None, row) for row in rows]


def gone(table, *rows):
    return [Difference(table, row, None) for row in rows]


def write(store, *differences, user=ME):
    store.write_now(lambda tx: timetable.apply(tx, user, [one for group in differences for one in group]))


def rows(store, number=1, user=ME):
    return store.read_now(lambda tx: timetable.rows_of_term(tx, user, number))


EVERYTHING = (
    new("schedules", cell(11, 1), cell(12, 1, host=11), cell(12, 2)),
    new("task_items", item(21), item(22, position=1)),
    new("schedule_events", event(11, uid="a@b"), event(12, kind="task", item=21)),
    new("task_classes", task_class()),
    new("calendar_facts", fact(held=[("a@b", 1)]), fact(4, 7, as_day=(4, 4))),
    new("terms", term()),
)


def test_rows_are_written_parents_first_whatever_the_order_of_the_differences(store):
    write(store, *EVERYTHING)
    found = rows(store)
    assert found["terms"] == [term()]
    assert found["calendar_facts"] == [fact(held=[("a@b", 1)]), fact(4, 7, as_day=(4, 4))]
    assert found["task_classes"] == [task_class()]
    assert found["task_items"] == [item(21), item(22, position=1)]
    assert found["schedule_events"] == [event(11, uid="a@b"), event(12, kind="task", item=21)]
    assert found["schedules"] == [cell(11, 1), cell(12, 1, host=11), cell(12, 2)]


def test_rows_are_deleted_children_first_whatever_the_order_of_the_differences(store):
    write(store, *EVERYTHING)
    write(store, [Difference(one.table, one.after, None) for group in reversed(EVERYTHING) for one in group])
    assert rows(store) == {name: [] for name in timetable.TABLES}


def test_a_person_may_have_the_numbers_that_another_has(store):
    write(store, *EVERYTHING)
    write(store, *EVERYTHING, user=OTHER)
    write(store, gone("schedules", cell(12, 2)))
    assert (len(rows(store)["schedules"]), len(rows(store, user=OTHER)["schedules"])) == (2, 3)


def test_a_task_moves_on_while_the_category_that_it_leaves_goes(store):
    write(store, *EVERYTHING, new("task_classes", task_class(2)))
    moved = [Difference("task_items", item(number, position=at), item(number, of=2)) for at, number in enumerate((21, 22))]
    write(store, gone("task_classes", task_class()), moved)
    assert rows(store)["task_classes"] == [task_class(2)]
    assert rows(store)["task_items"] == [item(21, of=2), item(22, of=2)]


def test_two_events_trade_their_cells_in_one_step(store):
    write(store, *EVERYTHING[2:], new("schedules", cell(11, 1), cell(12, 2)))
    before_after = [(cell(11, 1), cell(11, 2)), (cell(12, 2), cell(12, 1))]
    write(
        store,
        [Difference("schedules", old, None) for old, _ in before_after],
        [Difference("schedules", None, young) for _, young in before_after],
    )
    assert rows(store)["schedules"] == [cell(11, 2), cell(12, 1)]


def test_host_and_guest_trade_their_layers_in_one_cell(store):
    write(store, *EVERYTHING[2:], new("schedules", cell(11, 1), cell(12, 1, host=11)))
    traded = [
        Difference("schedules", cell(11, 1), cell(11, 1, host=12)),
        Difference("schedules", cell(12, 1, host=11), cell(12, 1)),
    ]
    write(store, traded)
    assert rows(store)["schedules"] == [cell(11, 1, host=12), cell(12, 1)]


@pytest.mark.parametrize("order", [1, -1])
def test_another_term_becomes_the_current_one(store, order):
    write(store, new("terms", term(1), term(2, current=False)))
    switched = [
        Difference("terms", term(1), term(1, current=False)),
        Difference("terms", term(2, current=False), term(2)),
    ]
    write(store, switched[::order])
    assert store.read_now(lambda tx: timetable.current_term(tx, ME)) == term(2)
    assert store.write_now(lambda tx: timetable.current_term(tx, ME, lock=True)) == term(2)


def test_a_new_current_term_takes_over_from_the_old_one(store):
    write(store, new("terms", term(1)))
    write(store, new("terms", term(2)), [Difference("terms", term(1), term(1, current=False))])
    assert store.read_now(lambda tx: timetable.current_term(tx, ME))["id"] == 2


def test_an_event_gives_its_uid_to_one_that_is_added(store):
    write(store, *EVERYTHING)
    write(
        store,
        new("schedule_events", event(13, uid="a@b")),
        gone("schedules", cell(11, 1), cell(12, 1, host=11)),
        gone("schedule_events", event(11)),
    )
    assert [(row["id"], row["uid"]) for row in rows(store)["schedule_events"]] == [(12, ""), (13, "a@b")]


def test_a_changed_row_is_changed_and_no_other(store):
    write(store, *EVERYTHING)
    write(store, [Difference("task_items", item(21), item(21) | {"content": "实验报告", "duration": None})])
    assert rows(store)["task_items"] == [item(21) | {"content": "实验报告", "duration": None}, item(22, position=1)]


@pytest.mark.parametrize(
    "broken",
    [
        new("schedules", cell(12, 1)),  # the cell is taken
        new("schedules", cell(12, 3) | {"layer": 1}),  # a guest without a host
        new("schedules", cell(12, 3, day=8)),
        new("schedules", cell(99, 3)),  # of no event
        new("schedule_events", event(13, uid="a@b")),
        new("schedule_events", event(13, item=21)),
        new("schedule_events", event(13, kind="other")),
        new("task_classes", task_class(2) | {"name": "class 1"}),
        new("terms", term(2)),  # a second current one
        gone("task_classes", task_class()),  # it has items
    ],
)
def test_what_the_tables_forbid_leaves_everything_as_it_was(store, broken):
    write(store, *EVERYTHING)
    before = rows(store)
    with pytest.raises(Duplicate):
        write(store, new("task_items", item(23, position=2)), broken)
    assert rows(store) == before


def test_the_revision_grows_with_every_write_that_was_committed(store):
    def revision(user=ME):
        return store.read_now(lambda tx: timetable.revision(tx, user))

    assert revision() == 0
    write(store, *EVERYTHING)
    assert revision() == 1
    write(store, gone("schedules", cell(12, 2)))
    with pytest.raises(Duplicate):
        write(store, new("terms", term(1)))
    assert (revision(), revision(OTHER)) == (2, 0)


# ---- finding ---------------------------------------------------------------------------------------------------------


def test_rows_are_found_by_their_key_and_by_a_column(store):
    write(store, *EVERYTHING)

    def work(tx):
        return (
            timetable.find(tx, ME, "schedules", [(12, 1, 1, 2), (11, 1, 1, 1), (11, 9, 1, 1), (12, 1, 1, 2)]),
            timetable.find(tx, ME, "task_items", [(22,), (99,)]),
            timetable.find_by(tx, ME, "schedule_events", "item_id", [21, 22]),
            timetable.find_by(tx, ME, "schedules", "host_event_id", [11]),
            timetable.find(tx, ME, "terms", []),
        )

    assert store.read_now(work) == (
        [cell(11, 1), cell(12, 2)],
        [item(22, position=1)],
        [event(12, kind="task", item=21)],
        [cell(12, 1, host=11)],
        [],
    )


def test_a_cell_shows_host_and_guest_of_its_own_term(store):
    write(store, *EVERYTHING, new("terms", term(2, current=False)))
    write(store, new("schedule_events", event(31, at=2)), new("schedules", cell(31, 1, at=2)))
    found = store.read_now(lambda tx: timetable.cells(tx, ME, 1, [(1, 1, 1), (1, 1, 9)]))
    assert found == [cell(11, 1), cell(12, 1, host=11)]


def test_thousands_of_keys_are_asked_for_in_parts(store):
    many = [item(number, position=number) for number in range(100, 100 + 3 * timetable.BATCH + 7)]
    write(store, new("terms", term()), new("task_classes", task_class()), new("task_items", *many))
    asked = [(row["id"],) for row in many]
    assert store.read_now(lambda tx: timetable.find(tx, ME, "task_items", asked)) == many
    write(store, gone("task_items", *many))
    assert rows(store)["task_items"] == []


def test_a_term_shows_its_own_rows_alone(store):
    write(store, *EVERYTHING, new("terms", term(2, current=False)), new("task_classes", task_class(2, at=2)))
    write(store, new("task_items", item(41, of=2)))
    assert [row["id"] for row in rows(store, 2)["task_items"]] == [41]
    assert [row["id"] for row in rows(store, 1)["task_items"]] == [21, 22]
    assert rows(store, 3) == {name: [] for name in timetable.TABLES}


def test_the_columns_of_a_row_leave_the_person_out():
    assert timetable.columns("task_classes") == ("id", "term_id", "name", "total_slots", "ordered")

"""A second import finds the events of the first by their UID and says what differs, once."""

from datetime import date

from steadyhand.domains.schedule.imports.incoming import IncomingEvent, IncomingRow, match
from steadyhand.domains.schedule.term.records import Event, Particulars, Records, Row, Term

TERM = Term(1, "秋", "Asia/Shanghai", date(2026, 9, 7), 16)
STORED = Records(
    TERM,
    (
        Event(1, "course", "高等数学", uid="maths", can_embed=True),
        Event(2, "course", "体育", uid="sport"),
        Event(3, "course", "自己加的"),
        Event(4, "task", "写报告"),
    ),
    (Row(1, 1, 1, 1, None, Particulars(480, 525, "教一", "王")), Row(2, 1, 2, 3), Row(4, 1, 1, 1, 1)),
)


def offered(uid, name, *rows, **given):
    return IncomingEvent(uid, given.pop("kind", "course"), name, tuple(rows), **given)


MATHS = offered("maths", "高等数学", IncomingRow(1, 1, 1))


def test_new_changed_equal_and_missing_events_are_told_apart():
    new = offered("new", "新课", IncomingRow(1, 5, 1))
    moved = offered("maths", "高等数学（上）", IncomingRow(1, 1, 1, "", Particulars(location="教二")), IncomingRow(1, 1, 2))
    found = match(STORED, [moved, new])
    assert found.added == (new,)
    assert [(change.event.id, change.fields) for change in found.changed] == [(1, ("name", "location", "rows"))]
    assert found.unchanged == ()
    assert [event.uid for event in found.missing] == ["sport"]


def test_what_the_file_does_not_say_is_no_change():
    found = match(STORED, [MATHS])
    assert [event.id for event in found.unchanged] == [1]
    assert found.changed == ()


def test_a_file_of_ours_names_events_without_uid_by_their_number():
    guest = offered("4@steadyhand", "写报告", IncomingRow(1, 1, 1, "maths"), kind="task")
    assert [event.id for event in match(STORED, [guest]).unchanged] == [4]


def test_a_lost_host_a_kind_and_a_mark_are_changes():
    loose = offered("4@steadyhand", "写报告", IncomingRow(1, 1, 1), kind="course", can_embed=True)
    assert match(STORED, [loose]).changed[0].fields == ("kind", "can_embed", "rows")

"""A person has one zone and one language, as stored, at whichever door they speak, are woken or book; settings do not divide them."""

from datetime import UTC, datetime, timedelta

import pytest

from schedule_ground.desk import run
from server.ground import parts_of
from steadyhand.core.clock import FakeClock, from_text, local
from steadyhand.core.config import Settings
from steadyhand.core.ids import LOCAL_USER, SessionId
from steadyhand.store.later import wakeups
from steadyhand.store.people import people
from steadyhand.wakeups.booking import Book, By, FollowUp, Timed
from steadyhand.wiring.app import open_app

PAIRS = [("Asia/Shanghai", "America/New_York"), ("America/New_York", "Asia/Shanghai")]
DOORS = ("terminal", "web", "onebot")
NOW = datetime(2026, 9, 9, 2, 0, tzinfo=UTC)
SAID = "remind me tomorrow at 8am to hand in the report"


@pytest.fixture(params=PAIRS, ids=lambda pair: f"stored {pair[0]}, setting {pair[1]}")
def divided(request, data_dir):
    """A person stored with one zone and in English, and settings that name another zone and Chinese."""
    stored, setting = request.param
    first = open_app(Settings(data_dir=data_dir, zone=stored, language="en"), "en", FakeClock(NOW))
    first.store.close()
    app = open_app(Settings(data_dir=data_dir, zone=setting, language="zh-CN"), "zh-CN", FakeClock(NOW))
    yield app, stored
    app.store.close()


def booked(app, zone: str) -> list[tuple[str, str]]:
    rows = app.store.read_now(lambda tx: wakeups.of_user(tx, LOCAL_USER))
    return [(f"{local(from_text(row.due_at), zone):%Y-%m-%d %H:%M}", row.zone) for row in rows]


@pytest.mark.parametrize("door", DOORS)
def test_eight_in_the_morning_is_eight_where_the_person_is_at_every_door(divided, door: str) -> None:
    app, zone = divided
    talk = app.conversations(lambda _user, _session: None)
    session = SessionId(door)
    run(talk.accept(LOCAL_USER, session, SAID, channel=door))
    run(talk.run(LOCAL_USER, session, app.user.language))
    tomorrow = local(NOW, zone).date() + timedelta(days=1)
    assert booked(app, zone) == [(f"{tomorrow} 08:00", zone)]


def test_a_woken_turn_a_command_and_a_tool_server_go_by_the_same_person(divided) -> None:
    app, zone = divided
    app.store.write_now(lambda tx: people.ensure_session(tx, LOCAL_USER, SessionId("s"), "terminal"))
    book = Book(app.store)
    run(book.follow_up(By(LOCAL_USER, SessionId("s"), origin="wake"), FollowUp("2026-09-11T08:00", "-", "-")))
    run(book.timed(By(app.user.id, SessionId("s"), exact=True, zone=app.user.zone), Timed("at", "2026-09-11T08:00", "-")))
    assert booked(app, zone) == [("2026-09-11 08:00", zone)] * 2
    assert parts_of(app, app.user.language).user == app.store.read_now(lambda tx: people.require_user(tx, LOCAL_USER))
    assert (app.user.zone, app.user.language) == (zone, "en")

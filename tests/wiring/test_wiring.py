"""The parts are put together once, made when they are first asked for, and the local person is made on the first start."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from schedule_ground.desk import TERM, run
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.core.ids import LOCAL_USER, SessionId
from steadyhand.core.wire import ToolCall
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.draft.drafting import Drafting
from steadyhand.domains.schedule.module import given, target
from steadyhand.domains.schedule.term.records import Term
from steadyhand.gate.controller import Decider, Proposal
from steadyhand.gate.machine import State
from steadyhand.session.decisions import Decisions
from steadyhand.store import Store
from steadyhand.store.people import people
from steadyhand.store.upkeep import schema
from steadyhand.tools.base import ToolContext
from steadyhand.tools.runner import Runner
from steadyhand.wiring.app import App, open_app
from steadyhand.wiring.domains import DOMAINS
from steadyhand.wiring.installed import Modules
from tools.walking import faults


@pytest.fixture
def settings(database_url: str, data_dir: Path) -> Settings:
    """Settings for a fresh database of either kind; on a server only a person migrates."""
    if database_url.startswith("sqlite"):
        return Settings(data_dir=data_dir)
    store = Store(database_url)
    schema.migrate(store)
    store.close()
    return Settings(data_dir=data_dir, database_url=database_url)


@pytest.fixture
def here(data_dir: Path) -> Settings:
    return Settings(data_dir=data_dir)


@pytest.fixture
def app(here: Settings) -> Iterator[App]:
    opened = open_app(here, "zh-CN", FakeClock())
    yield opened
    opened.store.close()


def test_the_first_start_makes_the_database_and_the_one_person_and_the_next_finds_them(here: Settings) -> None:
    first = open_app(here, "zh-CN", FakeClock())
    assert (first.user.id, first.user.language, first.user.rights) == (LOCAL_USER, "zh-CN", ("*",))
    first.store.close()
    again = open_app(here, "en", FakeClock())
    assert again.user == first.user
    again.store.close()


def test_settings_are_those_of_a_person_who_is_not_stored_yet_and_what_is_stored_holds(here: Settings) -> None:
    first = open_app(here.model_copy(update={"zone": "Europe/London", "language": "en"}), "zh-CN", FakeClock())
    assert (first.user.zone, first.user.language) == ("Europe/London", "en")
    first.store.close()
    other = open_app(here.model_copy(update={"zone": "Asia/Tokyo", "language": "zh-CN"}), "zh-CN", FakeClock())
    assert other.user == other.store.read_now(lambda tx: people.require_user(tx, LOCAL_USER)) == first.user
    other.store.close()


def test_two_first_starts_at_once_make_one_person(here: Settings) -> None:
    open_app(here, "en").store.close()  # the tables are there: what races is the person
    store = open_app(here, "en").store
    store.write_now(lambda tx: tx.connection.exec_driver_sql("DELETE FROM users"))
    store.close()
    found: list[App] = []
    start = threading.Barrier(4)

    def one() -> None:
        start.wait()
        found.append(open_app(here, "en"))

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [app.user.id for app in found] == [LOCAL_USER] * 4
    for app in found:
        app.store.close()


def test_every_tool_of_a_turn_keeps_the_contract(app: App) -> None:
    assert faults(app.toolbox.registry) == []
    names = [tool.name for tool in app.toolbox.registry]
    assert len(names) == len(set(names)) > 15
    assert app.toolbox.registry is app.toolbox.registry


def test_the_policy_is_what_the_settings_say(here: Settings) -> None:
    opened = open_app(here.model_copy(update={"policy_exec": "ask", "policy_external": "deny", "policy_workspace": "ask"}), "en")
    answers = {effect: opened.toolbox.policy.answer("any", effect, can_ask=True) for effect in ("exec", "external", "workspace")}
    assert answers == {"exec": "ask", "external": "deny", "workspace": "ask"}
    assert opened.toolbox.policy.answer("any", "read", can_ask=False) == "allow"
    opened.store.close()


def test_a_domain_is_made_once_and_when_it_is_first_asked_for() -> None:
    made: list[str] = []

    def make(name: str):
        made.append(name)
        return name

    domains = Modules({name: lambda name=name: make(name) for name in ("one", "two")})  # type: ignore[arg-type]  # any value will do
    assert (list(domains), len(domains), "one" in domains, made) == (["one", "two"], 2, True, ["one"])
    assert (domains["one"], domains["one"], made) == ("one", "one", ["one"])
    with pytest.raises(KeyError):
        domains["three"]


def test_every_domain_goes_by_its_own_name(app: App) -> None:
    assert {name: domain.name for name, domain in app.controller.domains.items()} == {
        record.name: record.name for record in DOMAINS
    }
    assert isinstance(app.decisions, Decisions)
    assert app.controller.store is app.store


def test_from_nothing_to_a_verified_timetable_and_a_draft_on_it(settings: Settings) -> None:
    app = open_app(settings, "zh-CN", FakeClock())
    session = SessionId("desk")
    source, scope = given(acts.put_term(TERM, None))
    proposal = Proposal(app.user.id, session, target(app.user.id, TERM.id), "import", source, scope, "zh-CN")
    row = run(app.controller.act(Decider(app.user.id, session, "test"), proposal))
    assert getattr(row, "state", row) == State.VERIFIED
    found: Term = run(Drafting(app.store).term(app.user.id))
    assert found == TERM
    context = ToolContext(app.user.id, session, app.store.clock, "zh-CN")
    result = run(Runner(app.toolbox.registry, app.toolbox.policy).run(context, ToolCall("call_1", "get_overview", "{}")))
    assert (result.is_error, "27" in result.for_llm) == (False, True)
    app.store.close()


def test_what_most_commands_do_not_need_is_not_imported_for_them(here: Settings) -> None:
    code = (
        "import sys\n"
        "from steadyhand.core.config import Settings\n"
        "from steadyhand.wiring.app import open_app\n"
        f"app = open_app(Settings(data_dir={str(here.data_dir)!r}), 'en')\n"
        "app.store.close()\n"
        "heavy = ('alembic', 'langgraph', 'ortools', 'numpy', 'scipy', 'httpx', 'icalendar', 'steadyhand.domains.schedule.tools.turn_tools',"
        " 'steadyhand.domains.calls.module', 'steadyhand.domains.cae.calls', 'steadyhand.domains.cae.module')\n"
        "print(sorted(name for name in heavy if name in sys.modules))\n"
    )
    open_app(here, "en").store.close()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr

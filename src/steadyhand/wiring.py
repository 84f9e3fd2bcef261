"""Decides which concrete parts make up the program: the one module that names them all. It must not hold behaviour of its own."""

from dataclasses import dataclass
from datetime import timedelta

from steadyhand.core.clock import Clock, SystemClock, system_zone
from steadyhand.core.config import Settings
from steadyhand.core.ids import LOCAL_USER
from steadyhand.core.language import Language
from steadyhand.domains.schedule.drafting import Drafting
from steadyhand.domains.schedule.module import NAME as SCHEDULE
from steadyhand.domains.schedule.module import ScheduleDomain
from steadyhand.gate.contract import DomainModule
from steadyhand.gate.controller import Controller
from steadyhand.gate.policy import ALL, Policy
from steadyhand.store import Store, Tx, people, schema
from steadyhand.store.people import User


@dataclass(frozen=True, slots=True)
class App:
    """The program, put together for one person."""

    settings: Settings
    store: Store
    user: User
    controller: Controller
    drafting: Drafting


def open_app(settings: Settings, language: Language, clock: Clock | None = None) -> App:
    """Open the database, bring it to this version, make the local person on the first start, and put the parts together."""
    store = Store(settings.url, clock or SystemClock())
    schema.ensure(store)
    user = _local_user(store, settings, language)
    domains: dict[str, DomainModule] = {SCHEDULE: ScheduleDomain(store)}
    controller = Controller(
        store,
        domains,
        Policy(settings.max_operations, settings.approve_sealed),
        expiry=timedelta(hours=settings.change_expiry_hours),
        lease_seconds=settings.lease_seconds,
    )
    return App(settings, store, user, controller, Drafting(store))


def _local_user(store: Store, settings: Settings, language: Language) -> User:
    """Return the one local person; settings that name a zone or a language hold over what is stored."""
    found = store.read_now(lambda tx: people.find_user(tx, LOCAL_USER))
    if found is None:
        user = User(LOCAL_USER, "", settings.zone or system_zone(), settings.language or language, (ALL,))
        found = store.write_now(lambda tx: _add_once(tx, user))
    return User(found.id, found.name, settings.zone or found.zone, settings.language or found.language, found.rights)


def _add_once(tx: Tx, user: User) -> User:
    there = people.find_user(tx, user.id)
    if there is None:
        people.add_user(tx, user)
    return there or user

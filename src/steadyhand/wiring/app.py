"""Decides which concrete parts make up the program: the one room that names them all. It must not hold behaviour of its own.

Parts that most commands do not need (the tools of a turn, the domain of held calls) are put together when they are first asked for.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from steadyhand.core.clock import Clock, SystemClock, system_zone
from steadyhand.core.config import Settings
from steadyhand.core.ids import LOCAL_USER
from steadyhand.core.language import Language
from steadyhand.gate.controller import Controller
from steadyhand.gate.policy import ALL, Policy
from steadyhand.session.decisions import Decisions
from steadyhand.store import Store, Tx
from steadyhand.store.people import people
from steadyhand.store.people.people import User
from steadyhand.store.upkeep import schema
from steadyhand.wiring.toolbox import Toolbox

if TYPE_CHECKING:
    from steadyhand.llm.provider import Provider
    from steadyhand.session.conversation import Conversations
    from steadyhand.session.outbox import Attached


@dataclass(frozen=True, slots=True)
class App:
    """The program, put together for one person."""

    settings: Settings
    store: Store
    user: User
    controller: Controller
    decisions: Decisions
    toolbox: Toolbox

    def conversations(self, attached: "Attached", provider: "Provider | None" = None) -> "Conversations":
        """Return the sessions; *attached* tells which channel of this process leads to a person now."""
        from steadyhand.wiring.talking import conversations  # noqa: PLC0415  # see the module's docstring

        return conversations(
            self.settings, self.store, self.controller, self.decisions, self.toolbox, attached, provider, self.user.id
        )

    @property
    def thinks(self) -> bool:
        """Whether the settings name a model."""
        from steadyhand.llm.endpoint import endpoint_of  # noqa: PLC0415  # see the module's docstring

        return endpoint_of(self.settings) is not None

    def provider(self) -> "Provider":
        """Return what writes a change's spec and calls where no conversation is open; whoever asks it lets go of it."""
        from steadyhand.wiring.talking import usual_provider  # noqa: PLC0415  # see the module's docstring

        return usual_provider(self.settings, self.store, self.user.id)


def open_app(settings: Settings, language: Language, clock: Clock | None = None) -> App:
    """Open the database, bring it to this version, make the local person on the first start, and put the parts together."""
    store = Store(settings.url, clock or SystemClock())
    try:
        schema.ensure(store)
        user = _local_user(store, settings, language)
    except BaseException:
        store.close()
        raise
    toolbox = Toolbox(settings, store, user.language, lambda: controller)
    controller = Controller(
        store,
        toolbox.domains.modules,
        Policy(settings.max_operations, settings.approve_sealed),
        expiry=timedelta(hours=settings.change_expiry_hours),
        lease_seconds=settings.lease_seconds,
    )
    return App(settings, store, user, controller, Decisions(controller, settings.answer_minutes), toolbox)


def _local_user(store: Store, settings: Settings, language: Language) -> User:
    """Return the one local person as stored; a zone and a language that settings name are those of a person who is not stored yet."""
    found = store.read_now(lambda tx: people.find_user(tx, LOCAL_USER))
    if found is not None:
        return found
    user = User(LOCAL_USER, "", settings.zone or system_zone(), settings.language or language, (ALL,))
    return store.write_now(lambda tx: _add_once(tx, user))


def _add_once(tx: Tx, user: User) -> User:
    there = people.find_user(tx, user.id)
    if there is None:
        people.add_user(tx, user)
    return there or user

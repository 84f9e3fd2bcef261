"""Decides how the records of the domains come together over one installation. It must not hold what one of them does."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from steadyhand.domains.registration import Facts, Home, Installed, Registration, SessionCommand
from steadyhand.gate.contract import DomainModule
from steadyhand.wiring.domains import DOMAINS

if TYPE_CHECKING:
    from steadyhand.core.language import Language
    from steadyhand.gate.claims import Assertion
    from steadyhand.gate.controller import Controller
    from steadyhand.store.changes.changes import ChangeRow
    from steadyhand.tools.base import Tool
    from steadyhand.tools.ports import AnswerReader


class Modules(Mapping[str, DomainModule]):
    """The modules of domains by name, each made when it is first needed."""

    def __init__(self, makers: Mapping[str, Callable[[], DomainModule]]) -> None:
        self._makers = makers
        self._made: dict[str, DomainModule] = {}

    def __getitem__(self, name: str) -> DomainModule:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class Domains:
    """The domains over one installation."""

    def __init__(self, home: Home, records: Sequence[Registration] = DOMAINS) -> None:
        self.records = records
        self._installed: dict[str, Installed] = {record.name: record.install(home) for record in records}
        self.modules = Modules({name: installed.module for name, installed in self._installed.items()})

    def tools(self, controller: "Controller") -> "list[Tool[Any]]":
        """Return the tools of every domain, in its order."""
        from steadyhand.agent.change_tools import under_review  # noqa: PLC0415  # most commands need no tools

        return [tool for one in self._installed.values() for tool in one.tools(controller, under_review)]

    @cached_property
    def facts(self) -> tuple[Facts, ...]:
        """What the context of a turn says of how a person stands."""
        return tuple(one.facts for one in self._installed.values() if one.facts is not None)

    @cached_property
    def readers(self) -> "Mapping[str, AnswerReader]":
        """Who reads the answers to the questions of domains, by their kind."""
        return {kind: reader for one in self._installed.values() for kind, reader in one.readers().items()}

    @cached_property
    def commands(self) -> Mapping[str, SessionCommand]:
        """The slash commands of domains, by name."""
        return {name: command for one in self._installed.values() for name, command in one.commands().items()}

    @property
    def shared(self) -> tuple[str, ...]:
        """Names of what a session holds that the context of its turns tells."""
        return tuple(name for one in self._installed.values() for name in one.shared)

    @cached_property
    def assertions(self) -> "tuple[Assertion, ...]":
        """Words that only a look supports."""
        return tuple(one for record in self.records for one in record.assertions())

    @cached_property
    def written_by_rules(self) -> tuple[str, ...]:
        """The domains whose changes are written without a model."""
        return tuple(writer.domain for record in self.records for writer in record.writers())

    def help(self, language: "Language") -> Sequence[str]:
        """Return what can be said, a line for each domain that has one."""
        return [line for record in self.records if (line := record.help(language))]

    def outcome(self, row: "ChangeRow", language: "Language") -> Sequence[str]:
        """Return what an executed change has to tell in a conversation."""
        return self.record(row.domain).outcome(row, language)

    def record(self, name: str) -> Registration:
        """Return the record of the domain *name*; of one that is not here any more an empty one."""
        return next((record for record in self.records if record.name == name), Registration(name, _nowhere))


def _nowhere(_home: Home) -> Installed:
    raise LookupError

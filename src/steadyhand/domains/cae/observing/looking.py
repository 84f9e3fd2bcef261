"""Decides which of the person's own parts a look means, and reads what is written down of it. It must not load a mesh in this process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from steadyhand.core.errors import OperatorRepairs
from steadyhand.core.ids import SessionId, UserId
from steadyhand.domains.cae.choice import Choices
from steadyhand.domains.cae.shelf.looking import ABSENT
from steadyhand.domains.cae.shelf.places import PartFolder, PartName
from steadyhand.domains.cae.shelf.records import at, summary_of


class Shelf(Protocol):
    """Where parts lie; every door takes the person whose parts they are."""

    def parts_of(self, user: UserId) -> Sequence[PartName]:
        """Return the person's parts, in the order of their names."""
        ...

    def folder(self, user: UserId, name: PartName) -> PartFolder:
        """Return the folder of one of them."""
        ...


@dataclass(frozen=True, slots=True)
class Shown:
    """A part as it is at: its version (0 before the first), the digest of its deck, and the facts that were read from it."""

    name: PartName
    version: int
    deck: str
    facts: Mapping[str, Any]


class PartUnknown(Exception):
    """The person has no part of that name, or several that it could be; *names* are those that they have."""

    def __init__(self, wanted: str, names: Sequence[str]) -> None:
        super().__init__(wanted)
        self.wanted = wanted
        self.names = names


class Looking:
    """The parts as the sessions of agents see them."""

    def __init__(self, shelf: Shelf, choices: Choices) -> None:
        self.shelf = shelf
        self.choices = choices

    def shown(self, user: UserId, name: PartName) -> Shown:
        """Return what is written down of a part; nothing for one that has no version yet."""
        folder = self.shelf.folder(user, name)
        manifest = at(folder).manifest
        if manifest is None:
            return Shown(name, 0, "", ABSENT)
        return Shown(name, manifest.version, manifest.deck, summary_of(folder, manifest))

    def all(self, user: UserId) -> tuple[list[Shown], list[OperatorRepairs]]:
        """Return the person's parts, and what is wrong with those that cannot be read: one that is broken hides no other."""
        parts: list[Shown] = []
        broken: list[OperatorRepairs] = []
        for name in self.shelf.parts_of(user):
            try:
                parts.append(self.shown(user, name))
            except OperatorRepairs as error:
                broken.append(error)
        return parts, broken

    async def meant(self, user: UserId, session: SessionId, wanted: str | None) -> PartName:
        """Return the part that *wanted* names, else the one that was chosen for the session, else the only one.

        ``<part>`` alone is that part of the chosen model, or the only one of that name. Raises `PartUnknown`.
        """
        names = list(self.shelf.parts_of(user))
        choice = await self.choices.read(user, session)
        if wanted is None and choice is not None:
            return PartName(choice.model, choice.part)
        fitting = [name for name in names if wanted is None or wanted in {str(name), name.part}]
        if choice is not None and len(fitting) > 1:
            fitting = [name for name in fitting if name.model == choice.model]
        if len(fitting) != 1:
            raise PartUnknown(wanted or "", [str(name) for name in names])
        return fitting[0]

"""Held calls as the house knows them: a call that acts outside is a change of its own until the person decides."""

from typing import TYPE_CHECKING

from steadyhand.domains.registration import Home, Installed, Registration

if TYPE_CHECKING:
    from steadyhand.gate.contract import DomainModule

NAME = "calls"


def _install(home: Home) -> Installed:
    def module() -> "DomainModule":
        from steadyhand.domains.calls.module import CallsDomain  # noqa: PLC0415  # see the record's docstring

        return CallsDomain(home.store, home.registry(), home.policy())

    return Installed(module)


CALLS = Registration(NAME, _install)

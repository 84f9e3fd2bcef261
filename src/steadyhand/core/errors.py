"""Decides which failures exist and who must act on each; it must not hold a sentence (those are in the catalogues).

SteadyhandError                  code, params; its text is ``error.<code>.summary | .detail | .next`` of a catalogue
├── ModelCanFix                  the caller of a tool gave something that cannot be done; another call may
│   └── ToolRefusal              a tool refused: bad_argument, not_found, locked, wrong_status, conflict …
├── PersonDecides                nothing is wrong; a person must look, choose or confirm
│   ├── DecisionRefused          a decision does not fit what is stored (digest, state, expiry, owner)
│   └── StaleTarget              the target changed meanwhile; a new look is due
├── OperatorRepairs              the installation must be mended: database, settings, disk, versions
│   ├── SettingsInvalid
│   ├── StoreUnavailable
│   ├── SchemaMismatch
│   └── ProviderError        (in llm) a model's answer cannot be used
└── Bug                          we are wrong: a broken invariant, an illegal transition
    └── IllegalTransition
"""

from collections.abc import Mapping
from typing import TypeAlias

Param: TypeAlias = str | int | float | bool


class SteadyhandError(Exception):
    """A failure with a stable *code* and the values that its text needs."""

    def __init__(self, code: str, **params: Param) -> None:
        self.code = code
        self.params: Mapping[str, Param] = params
        shown = ", ".join(f"{name}={value}" for name, value in params.items())
        super().__init__(f"{code}({shown})")

    @property
    def told_as(self) -> str:
        """The code whose texts tell it: its own, where no narrower one is known."""
        return self.code


class ModelCanFix(SteadyhandError):
    """Another call, with other arguments, may succeed."""


class ToolRefusal(ModelCanFix):
    """A tool refused and changed nothing."""


class PersonDecides(SteadyhandError):
    """A person must look, choose or confirm."""


class DecisionRefused(PersonDecides):
    """A decision does not fit the stored record; nothing was changed."""


class StaleTarget(PersonDecides):
    """The target is no longer what was seen; nothing was written."""

    def __init__(self, regions: tuple[str, ...] = ()) -> None:
        super().__init__("target_changed", regions=", ".join(regions[:5]))
        self.regions = regions


class OperatorRepairs(SteadyhandError):
    """The installation must be mended before this can work."""


class SettingsInvalid(OperatorRepairs):
    """A setting is unknown or has a value that cannot be used."""


class StoreUnavailable(OperatorRepairs):
    """The database cannot be opened, written or read."""


class SchemaMismatch(OperatorRepairs):
    """The database and the program are of different versions."""


class Bug(SteadyhandError):
    """Our own mistake: an invariant does not hold."""


class IllegalTransition(Bug):
    """The state machine was asked for a step that its table does not have."""

"""Decides whether a person may make a change at all, and how large it may be; asked at proposal and again at submission. It must not decide for them."""

from dataclasses import asdict, dataclass
from typing import Literal

from steadyhand.core.canonical import digest
from steadyhand.gate.contract import Refusal, Target
from steadyhand.store.people.people import User

ALL = "*"


@dataclass(frozen=True, slots=True)
class Policy:
    """The gate's rules. *approve_sealed* ``within_confirmed_spec`` approves by policy what was compiled from a confirmed spec."""

    max_operations: int = 20_000
    approve_sealed: Literal["ask", "within_confirmed_spec"] = "ask"

    def digest(self) -> str:
        """Return the digest of the rules, as a seal covers them."""
        return digest({**asdict(self)})

    def refuses(self, user: User, target: Target, operations: int = 0) -> Refusal | None:
        """Say why *user* may not change *target* with that many operations; None when it is allowed."""
        if ALL not in user.rights and target.domain not in user.rights:
            return Refusal("no_right", {"domain": target.domain})
        if not target.shared and target.owner != user.id:
            return Refusal("not_owner", {"target": target.name})
        if operations > self.max_operations:
            return Refusal("too_many_operations", {"count": operations, "limit": self.max_operations})
        return None

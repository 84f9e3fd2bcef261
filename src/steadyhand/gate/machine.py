"""Decides which state follows which event, and what is to be done next. It is a pure function and must not do I/O or count."""

from dataclasses import dataclass
from enum import StrEnum

from steadyhand.core.errors import IllegalTransition


class State(StrEnum):
    """Where a change stands; "completed" is none of them."""

    OBSERVING = "observing"
    DRAFTING = "drafting"
    IN_REVIEW = "in_review"
    COLLECTING = "collecting"
    PREPARING = "preparing"
    SEALED = "sealed"
    APPROVED = "approved"
    SUBMITTING = "submitting"
    EXECUTED = "executed"
    VERIFIED = "verified"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    STALE = "stale"
    INVALID = "invalid"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Event(StrEnum):
    """What can happen to a change."""

    OBSERVED_FOR_SPEC = "observed_for_spec"
    OBSERVED_GIVEN = "observed_given"
    OBSERVATION_FAILED = "observation_failed"
    SPEC_RECEIVED = "spec_received"
    SPEC_UNROUTED = "spec_unrouted"
    PROVIDER_FAILED = "provider_failed"
    CONFIRMED = "confirmed"
    CORRECTED = "corrected"
    DENIED = "denied"
    REVOKED = "revoked"
    CALLS_PARTIAL = "calls_partial"
    CALLS_COMPLETE = "calls_complete"
    CALLS_REFUSED = "calls_refused"
    CALLS_REFUSED_FINALLY = "calls_refused_finally"
    PREPARED = "prepared"
    PREPARATION_REFUSED = "preparation_refused"
    PREPARATION_IMPOSSIBLE = "preparation_impossible"
    APPROVED = "approved"
    SUBMITTED = "submitted"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    TARGET_CHANGED = "target_changed"
    RECEIPT = "receipt"
    UNTOUCHED = "untouched"
    PARTLY_DONE = "partly_done"
    UNCLEAR = "unclear"
    MATCHED = "matched"
    MISMATCHED = "mismatched"
    UNREADABLE = "unreadable"
    CLOSED_AS_FAILED = "closed_as_failed"
    STOP_ASKED = "stop_asked"


class Instruction(StrEnum):
    """What is to be done after a step."""

    ASK_SPEC = "ask_spec"
    SHOW_SPEC = "show_spec"
    ASK_CALLS = "ask_calls"
    PREPARE = "prepare"
    SHOW_SEAL = "show_seal"
    SUBMIT = "submit"
    EXECUTE = "execute"
    READ_BACK = "read_back"
    OFFER_RECHECK = "offer_recheck"
    OFFER_REPAIR = "offer_repair"
    TELL = "tell"
    TELL_TOO_LATE = "tell_too_late"
    END = "end"


@dataclass(frozen=True, slots=True)
class Step:
    """One move of the machine."""

    state: State
    instruction: Instruction


BEFORE_SUBMISSION = (
    State.OBSERVING,
    State.DRAFTING,
    State.IN_REVIEW,
    State.COLLECTING,
    State.PREPARING,
    State.SEALED,
    State.APPROVED,
)
"""Nothing can have happened to the target."""

FROZEN = (State.IN_REVIEW, State.COLLECTING, State.PREPARING, State.SEALED, State.APPROVED)
"""The target of these may turn out to be no longer itself."""

ON_ITS_WAY = (State.APPROVED, State.SUBMITTING, State.EXECUTED, State.UNKNOWN)
"""A target has one change in these states at most."""

ENDED = (
    State.VERIFIED,
    State.REJECTED,
    State.WITHDRAWN,
    State.EXPIRED,
    State.STALE,
    State.INVALID,
    State.FAILED,
)

WITHOUT_EFFECT = (State.REJECTED, State.WITHDRAWN, State.EXPIRED, State.STALE, State.INVALID)
"""Ended, and proven that nothing was changed."""

OPEN = (State.IN_REVIEW, State.SEALED)
"""A person's decision is awaited."""

TABLE: dict[tuple[State, Event], Step] = {
    (State.OBSERVING, Event.OBSERVED_FOR_SPEC): Step(State.DRAFTING, Instruction.ASK_SPEC),
    (State.OBSERVING, Event.OBSERVED_GIVEN): Step(State.PREPARING, Instruction.PREPARE),
    (State.OBSERVING, Event.OBSERVATION_FAILED): Step(State.INVALID, Instruction.END),
    (State.DRAFTING, Event.SPEC_RECEIVED): Step(State.IN_REVIEW, Instruction.SHOW_SPEC),
    (State.DRAFTING, Event.SPEC_UNROUTED): Step(State.DRAFTING, Instruction.TELL),
    (State.DRAFTING, Event.PROVIDER_FAILED): Step(State.DRAFTING, Instruction.TELL),
    (State.IN_REVIEW, Event.CONFIRMED): Step(State.COLLECTING, Instruction.ASK_CALLS),
    (State.IN_REVIEW, Event.CORRECTED): Step(State.DRAFTING, Instruction.ASK_SPEC),
    (State.IN_REVIEW, Event.DENIED): Step(State.REJECTED, Instruction.END),
    (State.COLLECTING, Event.CALLS_PARTIAL): Step(State.COLLECTING, Instruction.ASK_CALLS),
    (State.COLLECTING, Event.CALLS_COMPLETE): Step(State.PREPARING, Instruction.PREPARE),
    (State.COLLECTING, Event.CALLS_REFUSED): Step(State.IN_REVIEW, Instruction.SHOW_SPEC),
    (State.COLLECTING, Event.CALLS_REFUSED_FINALLY): Step(State.INVALID, Instruction.END),
    (State.COLLECTING, Event.PROVIDER_FAILED): Step(State.IN_REVIEW, Instruction.SHOW_SPEC),
    (State.PREPARING, Event.PREPARED): Step(State.SEALED, Instruction.SHOW_SEAL),
    (State.PREPARING, Event.PREPARATION_REFUSED): Step(State.IN_REVIEW, Instruction.SHOW_SPEC),
    (State.PREPARING, Event.PREPARATION_IMPOSSIBLE): Step(State.INVALID, Instruction.END),
    (State.SEALED, Event.APPROVED): Step(State.APPROVED, Instruction.SUBMIT),
    (State.SEALED, Event.DENIED): Step(State.REJECTED, Instruction.END),
    (State.APPROVED, Event.SUBMITTED): Step(State.SUBMITTING, Instruction.EXECUTE),
    (State.APPROVED, Event.REVOKED): Step(State.REJECTED, Instruction.END),
    (State.SUBMITTING, Event.RECEIPT): Step(State.EXECUTED, Instruction.READ_BACK),
    (State.SUBMITTING, Event.TARGET_CHANGED): Step(State.STALE, Instruction.END),
    (State.SUBMITTING, Event.UNTOUCHED): Step(State.FAILED, Instruction.OFFER_REPAIR),
    (State.SUBMITTING, Event.PARTLY_DONE): Step(State.FAILED, Instruction.OFFER_REPAIR),
    (State.SUBMITTING, Event.UNCLEAR): Step(State.UNKNOWN, Instruction.OFFER_RECHECK),
    (State.EXECUTED, Event.MATCHED): Step(State.VERIFIED, Instruction.END),
    (State.EXECUTED, Event.MISMATCHED): Step(State.FAILED, Instruction.OFFER_REPAIR),
    (State.EXECUTED, Event.UNREADABLE): Step(State.UNKNOWN, Instruction.OFFER_RECHECK),
    (State.UNKNOWN, Event.MATCHED): Step(State.VERIFIED, Instruction.END),
    (State.UNKNOWN, Event.MISMATCHED): Step(State.FAILED, Instruction.OFFER_REPAIR),
    (State.UNKNOWN, Event.UNTOUCHED): Step(State.FAILED, Instruction.OFFER_REPAIR),
    (State.UNKNOWN, Event.PARTLY_DONE): Step(State.FAILED, Instruction.OFFER_REPAIR),
    (State.UNKNOWN, Event.UNREADABLE): Step(State.UNKNOWN, Instruction.OFFER_RECHECK),
    (State.UNKNOWN, Event.CLOSED_AS_FAILED): Step(State.FAILED, Instruction.OFFER_REPAIR),
    **{(state, Event.WITHDRAWN): Step(State.WITHDRAWN, Instruction.END) for state in BEFORE_SUBMISSION},
    **{(state, Event.EXPIRED): Step(State.EXPIRED, Instruction.END) for state in BEFORE_SUBMISSION},
    **{(state, Event.TARGET_CHANGED): Step(State.STALE, Instruction.END) for state in FROZEN},
    **{
        (state, Event.STOP_ASKED): Step(state, Instruction.TELL_TOO_LATE)
        for state in (State.SUBMITTING, State.EXECUTED, State.UNKNOWN)
    },
}


def legal(state: State, event: Event) -> bool:
    """Tell whether *event* can happen in *state*."""
    return (state, event) in TABLE


def step(state: State, event: Event) -> Step:
    """Return the step that *event* makes from *state*; a pair that the table lacks raises `IllegalTransition`."""
    found = TABLE.get((state, event))
    if found is None:
        raise IllegalTransition("illegal_transition", state=state.value, event=event.value)
    return found

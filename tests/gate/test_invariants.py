"""The reference's invariants I1 to I10 hold after every step of any story that a person, a model and a foreign hand can tell."""

import asyncio
import json
import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from steadyhand.core import logs
from steadyhand.core.clock import FakeClock
from steadyhand.core.errors import DecisionRefused, IllegalTransition
from steadyhand.core.ids import SessionId
from steadyhand.gate import recovery, sealing
from steadyhand.gate.controller import NeedCalls, NeedSpec
from steadyhand.gate.machine import ENDED, ON_ITS_WAY, State
from trial_domains.stand import CALLS, ME, build, call, cut, me

SESSIONS = [SessionId("desk"), SessionId("roof")]
PLATES = ["deck", "wall"]
ROUTES = {
    "all": ("cut_plate", "paint_plate", "inspect_panel"),
    "cut": ("cut_plate",),
    "two": ("cut_plate", "inspect_panel"),
}
SUBMITTED = ("submitting", "executed", "verified", "failed", "unknown")
FROZEN_FIELDS = ("domain", "target_name", "target_shared", "target_key", "user_id", "session_id")


def good(name, plate):
    arguments = dict(CALLS)[name]
    return call(name, {**arguments, "plate": plate} if "plate" in arguments else arguments)


class GateStories(RuleBasedStateMachine):
    """One panel, two sessions, one person, a model that errs, a foreign hand, and a target that fails now and then."""

    @initialize(far=st.integers(0, 6), mood=st.sampled_from(["", "read_back", "miswrite", "before_effect"]))
    def begin(self, far, mood):
        logs.configure("error")
        self.room = tempfile.TemporaryDirectory()
        folder = Path(self.room.name) / "targets"
        folder.mkdir()
        self.clock = FakeClock()
        self.stand = build(f"sqlite:///{self.room.name}/steadyhand.db", folder, self.clock)
        self.loop = asyncio.Runner()
        self.frozen = {}
        self.executions = {}
        self.last = {}
        execute = self.stand.panel.execute

        async def counted(program, submission, log):
            self.executions[submission.change] = self.executions.get(submission.change, 0) + 1
            row = self.stand.row(submission.number)
            assert row.state == State.SUBMITTING, "the intent is stored before the effect"
            assert row.program_digest == sealing.program_digest(program)
            if row.source_kind == "spec":
                assert len(row.calls) == len(row.route), "I6: nothing runs before all calls are collected"
            return await execute(program, submission, log)

        self.stand.panel.execute = counted
        self.stand.panel.mischief = {mood} - {""}
        if far:
            self.attempt(self.stand.open(request="cut deck, paint deck, inspect"))
            self.carry_on(0, far)

    def teardown(self):
        if hasattr(self, "stand"):
            self.loop.close()
            self.stand.store.close()
            self.room.cleanup()

    def rows(self):
        return self.stand.store.read_now(lambda tx: recovery.changes.of_user(tx, ME))

    def attempt(self, work):
        """Try a door; a refusal is an answer like another, a broken table is not."""
        try:
            return self.loop.run(work)
        except IllegalTransition:
            raise
        except DecisionRefused:
            return None

    def any(self, *states):
        """Tell whether a change is in one of *states*; rules that need one are only told then."""
        return hasattr(self, "stand") and any(row.state in states for row in self.rows())

    def pick(self, index, *states):
        fitting = [row for row in self.rows() if not states or row.state in states]
        return fitting[index % len(fitting)] if fitting else None

    # --- what people, models and others do -----------------------------------------------------------------------------

    @precondition(lambda self: not self.any("drafting", "in_review", "collecting"))
    @rule(session=st.sampled_from(SESSIONS), plate=st.sampled_from(PLATES))
    def submit_a_request(self, session, plate):
        self.attempt(self.stand.open(session=session, request=f"cut {plate}, paint {plate}, inspect"))

    @rule(session=st.sampled_from(SESSIONS), plate=st.sampled_from(PLATES), width=st.integers(1, 3))
    def submit_operations(self, session, plate, width):
        self.attempt(self.stand.open(cut(plate, width), session=session))

    @precondition(lambda self: self.any("drafting", "in_review", "collecting", "sealed"))
    @rule(index=st.integers(0, 9), steps=st.integers(1, 6))
    def carry_on(self, index, steps):
        """The model and the person do the right thing several times in a row."""
        row = self.pick(index, "drafting", "in_review", "collecting", "sealed")
        for _ in range(steps if row is not None else 0):
            gate, row = self.stand.controller, self.stand.row(row.number)
            if row.state == "drafting":
                self.attempt(gate.offer_spec(ME, row.number, f"A plan.\nroute: {', '.join(ROUTES['all'])}"))
            elif row.state == "in_review":
                self.attempt(gate.confirm(me(row.session_id), row.number, row.spec_digest))
            elif row.state == "collecting":
                plate = next(plate for plate in PLATES if plate in row.request)
                self.attempt(gate.offer_calls(ME, row.number, [good(row.route[len(row.calls)], plate)]))
            elif row.state == "sealed":
                self.attempt(self.stand.approve(row))

    @precondition(lambda self: self.any("drafting"))
    @rule(index=st.integers(0, 9), route=st.sampled_from([*ROUTES, "none", "strange"]))
    def offer_a_spec(self, index, route):
        row = self.pick(index, "drafting")
        if row is not None:
            last = {"none": "no route here", "strange": "route: melt_plate"}.get(route) or f"route: {', '.join(ROUTES[route])}"
            self.attempt(self.stand.controller.offer_spec(ME, row.number, f"A plan.\n{last}"))

    @precondition(lambda self: self.any("in_review"))
    @rule(index=st.integers(0, 9))
    def confirm(self, index):
        row = self.pick(index, "in_review")
        self.attempt(self.stand.controller.confirm(me(row.session_id), row.number, row.spec_digest))

    @precondition(lambda self: self.any("in_review"))
    @rule(index=st.integers(0, 9), plate=st.sampled_from(PLATES))
    def correct(self, index, plate):
        row = self.pick(index, "in_review")
        self.attempt(self.stand.controller.correct(me(row.session_id), row.number, f"cut {plate}, no, {PLATES}"))

    @precondition(lambda self: self.any("collecting"))
    @rule(index=st.integers(0, 9), count=st.integers(1, 3))
    def offer_good_calls(self, index, count):
        row = self.pick(index, "collecting")
        plate = next(plate for plate in PLATES if plate in row.request)
        remaining = row.route[len(row.calls) :]
        self.attempt(self.stand.controller.offer_calls(ME, row.number, [good(name, plate) for name in remaining[:count]]))

    @precondition(lambda self: self.any("collecting"))
    @rule(index=st.integers(0, 9), how=st.sampled_from(["none", "too many", "strange", "order", "json", "not asked", "mud"]))
    def offer_bad_calls(self, index, how):
        row = self.pick(index, "collecting")
        remaining = row.route[len(row.calls) :]
        fitting = [good(name, "deck") for name in remaining]
        offered = {
            "none": [],
            "too many": [*fitting, good("inspect_panel", "deck")],
            "strange": [call("melt_plate", {})],
            "order": list(reversed(fitting)) if len(fitting) > 1 else [call("paint_plate", {})],
            "json": [call(remaining[0], "{")],
            "not asked": [good(name, "roof") for name in remaining],
            "mud": [call(one.name, one.arguments.replace("red", "mud")) for one in fitting],
        }[how]
        self.attempt(self.stand.controller.offer_calls(ME, row.number, offered, b"raw"))

    @precondition(lambda self: self.any("drafting", "collecting"))
    @rule(index=st.integers(0, 9))
    def the_provider_fails(self, index):
        row = self.pick(index, "drafting", "collecting")
        self.attempt(self.stand.controller.provider_failed(ME, row.number, "timeout"))

    @precondition(lambda self: self.any("sealed"))
    @rule(index=st.integers(0, 9))
    def approve(self, index):
        row = self.pick(index, "sealed")
        self.attempt(self.stand.approve(row))

    @precondition(lambda self: self.any(*State))
    @rule(index=st.integers(0, 9), door=st.sampled_from(["deny", "withdraw"]))
    def say_no(self, index, door):
        row = self.pick(index)
        self.attempt(getattr(self.stand.controller, door)(me(row.session_id), row.number))

    @precondition(lambda self: self.any(*State))
    @rule(
        index=st.integers(0, 9),
        door=st.sampled_from(["spec", "confirm", "correct", "calls", "approve", "recheck", "close", "repair"]),
    )
    def knock_at_a_wrong_door(self, index, door):
        """Whatever the state: digests that were never shown, and what a model may say at any moment."""
        row, gate = self.pick(index), self.stand.controller
        before = {one.id: one.state for one in self.rows()}
        answer = self.attempt(
            {
                "spec": lambda: gate.offer_spec(ME, row.number, "nothing to route"),
                "confirm": lambda: gate.confirm(me(row.session_id), row.number, "0" * 64),
                "correct": lambda: gate.correct(me(SESSIONS[0], user="nobody"), row.number, "x"),
                "calls": lambda: gate.offer_calls("nobody", row.number, [good("cut_plate", "deck")]),
                "approve": lambda: gate.approve(me(row.session_id), row.number, "0" * 64),
                "recheck": lambda: gate.recheck("nobody", row.number),
                "close": lambda: gate.close_as_failed(me(user="nobody"), row.number),
                "repair": lambda: gate.repair(me(user="nobody"), row.number, "en"),
            }[door]()
        )
        assert answer is None or (door == "spec" and answer.state == "drafting")
        assert {one.id: one.state for one in self.rows()} == before

    @rule(hours=st.sampled_from([1, 2, 73]))
    def time_passes(self, hours):
        self.clock.advance(timedelta(hours=hours))
        self.loop.run(recovery.expire(self.stand.controller))

    @rule(plate=st.sampled_from(PLATES), size=st.integers(1, 3))
    def a_foreign_hand_edits(self, plate, size):
        self.stand.panel.edit("main", plate, {"size": [size, size], "colour": "blue"})

    @rule(
        what=st.sets(
            st.sampled_from(["before_effect", "after_effect", "miswrite", "read_back", "outcome", "lose_audit"]), max_size=2
        )
    )
    def the_target_gets_moody(self, what):
        self.stand.panel.mischief = set(what)

    @precondition(lambda self: self.any("unknown"))
    @rule(calm=st.booleans())
    def recheck(self, calm):
        row = self.pick(0, "unknown")
        if calm:
            self.stand.panel.mischief = set()
        before = self.stand.panel.file("main").read_bytes()
        self.attempt(self.stand.controller.recheck(ME, row.number))
        assert self.stand.panel.file("main").read_bytes() == before, "a recheck only looks"

    @precondition(lambda self: self.any("unknown"))
    @rule()
    def close(self):
        row = self.pick(0, "unknown")
        self.attempt(self.stand.controller.close_as_failed(me(row.session_id), row.number))

    @precondition(lambda self: self.any("failed"))
    @rule(index=st.integers(0, 9))
    def repair(self, index):
        row = self.pick(index, "failed")
        self.attempt(self.stand.controller.repair(me(row.session_id), row.number, "en"))

    @precondition(lambda self: self.any("verified") and not self.stand.panel.mischief)
    @rule(index=st.integers(0, 9))
    def undo(self, index):
        row = self.pick(index, "verified")
        self.attempt(self.stand.controller.undo(me(row.session_id), row.number, "undo", "en"))

    @rule()
    def restart(self):
        self.clock.advance(timedelta(seconds=31))
        self.loop.run(recovery.recover(self.stand.controller))

    # --- what must hold whatever they do -------------------------------------------------------------------------------

    @invariant()
    @precondition(lambda self: hasattr(self, "stand"))
    def a_brief_for_a_spec_carries_no_tool_and_one_for_calls_only_what_remains(self):
        for row in self.rows():  # I1 and I4
            need = self.stand.controller.need(row)
            if isinstance(need, NeedSpec):
                assert row.state == "drafting"
                assert need.brief.tools == ()
            elif isinstance(need, NeedCalls):
                assert row.state == "collecting"
                assert [tool.name for tool in need.brief.tools] == row.route[len(row.calls) :]
            else:
                assert row.state not in ("drafting", "collecting")

    @invariant()
    @precondition(lambda self: hasattr(self, "stand"))
    def the_journal_holds_and_tells_the_story_in_the_right_order(self):
        for row in self.rows():
            entries = self.stand.entries(row.number)
            assert self.stand.chain_holds(row.number)
            names = [json.loads(entry.entry)["event"] for entry in entries]
            if "tool_call_collected" in names:  # I2
                assert "design_confirmed" in names[: names.index("tool_call_collected")]
            if row.source_kind == "spec" and "script_composed" in names:  # I7
                composed = names.index("script_composed")
                assert names[:composed].count("tool_call_compiled") == len(row.route)
            assert names.count("execution_submitted") <= 1  # I8
            assert names.count("change_sealed") <= 1
            if "execution_submitted" in names:
                assert names.index("change_sealed") < names.index("change_approved") < names.index("execution_submitted")
            assert (row.state == "verified") == ("readback_verified" in names)  # I9
            assert (row.state in ENDED) == (names[-1] == "change_ended" or "change_ended" in names)

    @invariant()
    @precondition(lambda self: hasattr(self, "stand"))
    def target_and_domain_stay_what_they_were_from_the_review_on(self):
        for row in self.rows():  # I3
            frozen = tuple(getattr(row, field) for field in FROZEN_FIELDS)
            assert self.frozen.setdefault(row.id, frozen) == frozen

    @invariant()
    @precondition(lambda self: hasattr(self, "stand"))
    def calls_stand_in_the_order_of_the_route_and_only_after_a_confirmation(self):
        for row in self.rows():  # I2, I4, I5
            names = [one["name"] for one in row.calls]
            assert names == list(row.route or [])[: len(names)]
            assert [one["index"] for one in row.calls] == list(range(len(names)))
            if names:
                kinds = [decision.kind for decision in self.stand.decisions(row.number)]
                assert "confirm" in kinds

    @invariant()
    @precondition(lambda self: hasattr(self, "stand"))
    def what_runs_was_approved_and_runs_once(self):
        content = self.stand.panel.content("main")
        for row in self.rows():  # I6, I8, I10
            ran = self.executions.get(row.id, 0)
            assert ran <= 1
            assert ran == (row.submission_id is not None)
            if ran:
                assert row.state in (*SUBMITTED, "stale")
                decided = [one for one in self.stand.decisions(row.number) if one.kind == "approve"]
                assert [one.digest for one in decided] == [row.seal_digest]
                assert sealing.seal_holds(row)
            if row.state in ("rejected", "withdrawn", "expired", "stale", "invalid"):
                assert row.id not in content["applied"], "ended without effect"
            if row.state == "verified":
                assert content["applied"][row.id]["program"] == row.program_digest
        assert content["switches"] == len(content["applied"])

    @invariant()
    @precondition(lambda self: hasattr(self, "stand"))
    def a_target_has_one_change_on_its_way_at_most(self):
        assert sum(row.state in ON_ITS_WAY for row in self.rows()) <= 1

    @invariant()
    @precondition(lambda self: hasattr(self, "stand"))
    def what_has_ended_never_changes_again(self):
        for row in self.rows():
            if row.id in self.last:
                assert row.state == self.last[row.id]
            if row.state in ENDED:
                self.last[row.id] = row.state

    @invariant()
    @precondition(lambda self: hasattr(self, "stand"))
    def nothing_is_left_at_work_when_everybody_has_answered(self):
        for row in self.rows():
            assert row.state not in ("observing", "preparing", "approved", "submitting", "executed")
            assert row.owner is None
        assert self.stand.panel.leftovers("main") == []


TestGateStories = GateStories.TestCase
TestGateStories.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)

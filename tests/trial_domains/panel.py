"""A panel of plates in one JSON file, switched atomically: a model supplies its calls, and the program is rehearsed on a copy."""

import copy
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from steadyhand.core.canonical import canonical, digest
from steadyhand.core.errors import StaleTarget, ToolRefusal
from steadyhand.core.faults import reach
from steadyhand.core.wire import ToolSpec
from steadyhand.gate.contract import (
    Applied,
    Brief,
    Calls,
    Given,
    NotApplied,
    Observation,
    Operations,
    Program,
    Receipt,
    Refusal,
    Rehearsal,
    Route,
    Unclear,
    Verdict,
    View,
)

AUDIT = "panel_audit.json"
ARGUMENTS: dict[str, dict[str, type]] = {
    "cut_plate": {"plate": str, "width": int, "height": int},
    "paint_plate": {"plate": str, "colour": str},
    "inspect_panel": {},
}
COLOURS = ("red", "green", "blue")


class Broken(Exception):
    """The target failed in a way that nobody foresaw."""


class PowerCut(BaseException):
    """The process ends here, as far as the gate can tell: nothing catches this."""


def region(plate: str) -> str:
    return f"plate/{plate}"


def empty_panel() -> dict[str, Any]:
    return {"plates": {}, "applied": {}, "switches": 0}


class Panel:
    """*mischief* names what goes wrong, so that a test can break one place without a crash."""

    name = "panel"
    rollback = "switch"

    def __init__(self, root: Path) -> None:
        self.root = root
        self.mischief: set[str] = set()
        self.power_cut_in = ""
        self.executions = 0

    # --- the target itself -------------------------------------------------------------------------------------------

    def file(self, name: str) -> Path:
        return self.root / name / "current.json"

    def make(self, name: str, plates: Mapping[str, Any] | None = None) -> None:
        self.file(name).parent.mkdir(parents=True, exist_ok=True)
        self._put(self.file(name), {**empty_panel(), "plates": dict(plates or {})})

    def content(self, name: str) -> dict[str, Any]:
        try:
            return json.loads(self.file(name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ToolRefusal("not_found", name=name) from None

    def edit(self, name: str, plate: str, value: Any) -> None:
        """A foreign hand: changes a plate without asking the gate."""
        content = self.content(name)
        content["plates"][plate] = value
        self._put(self.file(name), content)

    def leftovers(self, name: str) -> list[str]:
        return sorted(path.name for path in self.file(name).parent.iterdir() if path.name not in ("current.json", "lock"))

    @staticmethod
    def _put(path: Path, content: Any) -> None:
        fresh = path.with_name(f"put-{path.name}")
        fresh.write_bytes(canonical(content))
        fresh.replace(path)

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        with (self.file(name).parent / "lock").open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def _maybe_cut(self, where: str) -> None:
        if self.power_cut_in == where:
            raise PowerCut(where)

    # --- what every domain has ---------------------------------------------------------------------------------------

    async def observe(self, target, scope):
        self._maybe_cut("observe")
        if "observe" in self.mischief:
            raise Broken("the panel cannot be looked at")
        plates = self.content(target.name)["plates"]
        looked = sorted({*plates, *(scope or [])})
        return Observation({"plates": plates}, {region(plate): digest(plates.get(plate)) for plate in looked})

    def operations(self, source, seen, request):
        if isinstance(source, Given):
            return Operations(tuple(source.operations))
        assert isinstance(source, Calls)
        items: list[dict[str, Any]] = []
        for call in source.calls:
            wanted = ARGUMENTS[call.name]
            if set(call.arguments) != set(wanted):
                return Refusal("bad_argument", {"tool": call.name}, call.index)
            if any(type(call.arguments[key]) is not kind for key, kind in wanted.items()):
                return Refusal("bad_argument", {"tool": call.name}, call.index)
            plate = call.arguments.get("plate")
            if plate is not None and str(plate) not in request:
                return Refusal("not_asked_for", {"plate": str(plate)}, call.index)
            items.append({"op": call.name, **call.arguments})
        return Operations(tuple(items))

    def compile(self, operations, target, seen):
        plates = copy.deepcopy(dict(seen.facts["plates"]))
        preflight: list[Any] = []
        mutation: list[Any] = []
        postflight: list[Any] = []
        writes: list[str] = []
        for index, item in enumerate(operations.items):
            if item["op"] == "inspect_panel":
                postflight.append(item)
                continue
            plate = item["plate"]
            if item["op"] == "paint_plate" and plates.get(plate) is None:
                return Refusal("no_such_plate", {"plate": plate}, index)
            preflight.append({"expect": plate})
            mutation.append(item)
            mutate(plates, item)
            writes.append(region(plate))
        writes = sorted(set(writes))
        text = {"target": target.name, "preflight": preflight, "mutation": mutation, "postflight": postflight}
        names = [name.removeprefix("plate/") for name in writes]
        return Program(
            text=canonical(text).decode(),
            media="application/json",
            footprint={name: seen.footprint.get(name, digest(None)) for name in writes},
            writes=tuple(writes),
            evidence={"plates": {name: plates.get(name) for name in names}, "audit": bool(postflight)},
            compiler="panel-compiler 1",
            engine="panel 1",
            steps=len(mutation),
        )

    def present(self, program, seen, rehearsal, language):
        before = seen.facts["plates"]
        rows = [{"plate": name, "before": before.get(name), "after": after} for name, after in program.evidence["plates"].items()]
        text = "\n".join(f"{row['plate']}: {row['before']} -> {row['after']}" for row in rows)
        return View(text, rows)

    async def execute(self, program, submission, log):
        self.executions += 1
        self._maybe_cut("execute")
        if "before_effect" in self.mischief:
            raise Broken("the cutter jammed")
        name = submission.target.name
        script = json.loads(program.text)
        with self._locked(name):
            content = self.content(name)
            differing = tuple(key for key, seen in program.footprint.items() if present(content, key) != seen)
            if differing:
                raise StaleTarget(differing)
            after = self._run(content, script)
            if "miswrite" in self.mischief:
                for item in script["mutation"]:
                    after["plates"][item["plate"]] = {"size": [1, 1], "colour": "mud"}
            proof = {
                "program": submission.program_digest,
                "footprint_after": {key: present(after, key) for key in program.writes},
                "replaced": {item["plate"]: content["plates"].get(item["plate"]) for item in script["mutation"]},
                "audit": audit_text(after) if script["postflight"] else None,
            }
            after["applied"][submission.change] = proof
            after["switches"] += 1
            self._switch(name, submission.change, after)
        if "after_effect" in self.mischief:
            raise Broken("the line went dead after the switch")
        return receipt_from(proof, drop_audit="lose_audit" in self.mischief)

    def _run(self, content: dict[str, Any], script: Mapping[str, Any]) -> dict[str, Any]:
        after = copy.deepcopy(content)
        for item in script["mutation"]:
            if item.get("colour") is not None and item["colour"] not in COLOURS:
                raise Broken(f"no such colour: {item['colour']}")
            mutate(after["plates"], item)
        return after

    def _switch(self, name: str, change: str, after: dict[str, Any]) -> None:
        fresh = self.file(name).with_name(f"next-{change}.json")
        with fresh.open("wb") as handle:
            handle.write(canonical(after))
            handle.flush()
            os.fsync(handle.fileno())
        reach("gate.in_effect")
        fresh.replace(self.file(name))

    async def outcome(self, program, submission, log):
        if "outcome" in self.mischief:
            return Unclear("panel_dark", "look at the panel")
        proof = self.content(submission.target.name)["applied"].get(submission.change)
        self.file(submission.target.name).with_name(f"next-{submission.change}.json").unlink(missing_ok=True)
        if proof is None:
            return NotApplied()
        if proof["program"] != submission.program_digest:
            return Unclear("another_program")
        return Applied(receipt_from(proof))

    async def read_back(self, target, program):
        self._maybe_cut("read_back")
        if "read_back" in self.mischief:
            raise Broken("the panel cannot be looked at")
        content = self.content(target.name)
        names = [key.removeprefix("plate/") for key in program.writes]
        return Observation(
            {"plates": {name: content["plates"].get(name) for name in names}},
            {key: present(content, key) for key in program.writes},
        )

    def verify(self, program, before, receipt, after):
        expected, found = program.evidence["plates"], after.facts["plates"]
        differences = [f"{name}: {found.get(name)}" for name in expected if found.get(name) != expected[name]]
        if program.evidence["audit"] and (receipt is None or AUDIT not in receipt.artifacts):
            differences.append(f"{AUDIT} is missing")
        return Verdict(not differences, tuple(differences), after.facts)

    # --- collecting --------------------------------------------------------------------------------------------------

    def brief(self, request, seen, stage, spec, remaining, language):
        tools = tuple(ToolSpec(name, f"manual of {name}", {"type": "object"}) for name in remaining) if stage == "calls" else ()
        return Brief("You plan a panel.", f"{request}\n{spec}\n{sorted(seen.facts['plates'])}", tools)

    def route(self, spec, seen):
        last = spec.strip().splitlines()[-1]
        if not last.startswith("route:"):
            return Refusal("spec_without_route")
        tools = tuple(word.strip() for word in last.removeprefix("route:").split(",") if word.strip())
        strange = [tool for tool in tools if tool not in ARGUMENTS]
        return Refusal("tool_unknown", {"tool": strange[0]}) if strange else Route(tools)

    # --- rehearsing --------------------------------------------------------------------------------------------------

    def _copy(self, name: str, change: str) -> Path:
        return self.file(name).with_name(f"copy-{change}.json")

    async def rehearse(self, program, change, target):
        path = self._copy(target.name, change)
        path.write_bytes(self.file(target.name).read_bytes())
        reach("trial.in_rehearsal")
        self._maybe_cut("rehearse")
        try:
            after = self._run(json.loads(path.read_text(encoding="utf-8")), json.loads(program.text))
        except Broken as error:
            path.unlink()
            return Rehearsal(ok=False, evidence={"said": str(error)}, refusal=Refusal("rehearsal_failed", {"said": str(error)}))
        path.unlink()
        evidence = {"plates": {key.removeprefix("plate/"): present(after, key) for key in program.writes}}
        return Rehearsal(ok=True, evidence=evidence, artifacts={AUDIT: audit_text(after).encode()})

    async def discard_rehearsal(self, change):
        for path in self.root.glob(f"*/copy-{change}.json"):
            path.unlink()

    # --- undoing -----------------------------------------------------------------------------------------------------

    def inverse(self, program, receipt, now):
        changed = [key for key, seen in receipt.footprint_after.items() if now.footprint.get(key) != seen]
        if changed:
            return Refusal("changed_since", {"regions": ", ".join(changed)})
        replaced = receipt.result["replaced"]
        return Operations(tuple({"op": "restore", "plate": name, "value": replaced[name]} for name in sorted(replaced)))


def present(content: Mapping[str, Any], key: str) -> str:
    return digest(content["plates"].get(key.removeprefix("plate/")))


def mutate(plates: dict[str, Any], item: Mapping[str, Any]) -> None:
    plate = item["plate"]
    if item["op"] == "cut_plate":
        plates[plate] = {"size": [item["width"], item["height"]], "colour": None}
    elif item["op"] == "paint_plate":
        plates[plate] = {**plates[plate], "colour": item["colour"]}
    elif item["value"] is None:
        plates.pop(plate, None)
    else:
        plates[plate] = item["value"]


def audit_text(content: Mapping[str, Any]) -> str:
    return canonical({"count": len(content["plates"]), "plates": sorted(content["plates"])}).decode()


def receipt_from(proof: Mapping[str, Any], *, drop_audit: bool = False) -> Receipt:
    audit = None if drop_audit else proof["audit"]
    return Receipt(proof["footprint_after"], {"replaced": proof["replaced"]}, {} if audit is None else {AUDIT: audit.encode()})

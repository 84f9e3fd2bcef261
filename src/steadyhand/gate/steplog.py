"""Decides that an effect on a target without transactions is on disk before it begins and after it ends. It must not run the effect."""

from collections.abc import Sequence

from steadyhand.core.canonical import Json
from steadyhand.core.faults import reach
from steadyhand.core.ids import ChangeId, UserId
from steadyhand.gate.contract import StepRecord
from steadyhand.store import Store
from steadyhand.store.changes import records


class StoredSteps:
    """The step log of one change; see `contract.StepLog`."""

    def __init__(self, store: Store, user: UserId, change: ChangeId, token: str) -> None:
        self._store = store
        self._user = user
        self._change = change
        self._token = token

    async def begin(self, name: str, detail: Json = None) -> int:
        def work(tx: records.Tx) -> int:
            records.fence(tx, self._user, self._change, self._token)
            return records.begin_step(tx, self._user, self._change, name, detail)

        index = await self._store.write(work)
        reach("gate.step_begun")
        return index

    async def end(self, index: int, detail: Json = None) -> None:
        await self._store.write(lambda tx: records.end_step(tx, self._user, self._change, index, detail))
        reach("gate.step_ended")

    async def entries(self) -> Sequence[StepRecord]:
        rows = await self._store.read(lambda tx: records.steps_of(tx, self._user, self._change))
        return [StepRecord(row.idx, row.name, "ended" if row.state == "ended" else "begun", row.detail) for row in rows]

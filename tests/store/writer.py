"""A process of its own that works on one database: ``python writer.py URL STORY ...``; it starts at the starting shot."""

import sys
import time
from pathlib import Path

from steadyhand.core.ids import ChangeId, UserId
from steadyhand.store import Store, changes, drafts, schema

ME = UserId("mine")


def add_ones(store: Store, times: str) -> None:
    """Read a number, add one, write it back: under the row's lock each time."""

    def work(tx):
        row = changes.by_id(tx, ME, ChangeId("change_mine_1"), lock=True)
        assert changes.compare_and_swap(tx, row, {"provider_round": row.provider_round + 1})

    for _ in range(int(times)):
        store.write_now(work)


def append_steps(store: Store, times: str) -> None:
    """Append a step to the one draft, looking again whenever somebody was faster."""
    from steadyhand.core.errors import ToolRefusal

    done = 0
    while done < int(times):
        draft = store.read_now(lambda tx: drafts.find_open(tx, ME, "schedule", "main"))
        try:
            store.write_now(lambda tx, draft=draft: drafts.append(tx, draft, [f"step {draft.revision}"]))
        except ToolRefusal as error:
            if error.code != "draft_moved_on":
                raise
        else:
            done += 1


def migrate(store: Store) -> None:
    schema.migrate(store)


STORIES = {story.__name__: story for story in (add_ones, append_steps, migrate)}


def main() -> None:
    url, folder, story, *arguments = sys.argv[1:]
    store = Store(url)
    Path(folder, f"ready-{arguments[-1] if arguments else ''}-{time.monotonic_ns()}").touch()
    limit = time.monotonic() + 60
    while not Path(folder, "go").exists():
        if time.monotonic() > limit:
            raise TimeoutError
        time.sleep(0.002)
    STORIES[story](store, *arguments)
    store.close()


if __name__ == "__main__":
    main()

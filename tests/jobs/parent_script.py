"""Run one waiting body and print its process number: a parent that a test can kill."""

import asyncio
import sys

from steadyhand.jobs import here


def tell(pid: int, *_: object) -> None:
    sys.stdout.write(f"{pid}\n")
    sys.stdout.flush()


def main() -> None:
    here.CHILD_COMMAND = tuple(sys.argv[2:])
    address = "steadyhand.trial_bodies:wait_forever"
    if sys.argv[1] == "aside":
        asyncio.run(here.run_aside(address, {}, progress=tell))
    else:
        here.run_here(address, {}, progress=tell)


main()

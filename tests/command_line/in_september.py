"""The command line in a process whose days are those before the examples' term: what is over is not open, whenever the tests are run."""

from datetime import date, datetime

from steadyhand.core.clock import SystemClock

THE_DAY = date(2026, 9, 1)
_now = SystemClock.now
_shift = _now(SystemClock()).date() - THE_DAY  # whole days, so that processes of one test share their time


def in_september(clock: SystemClock) -> datetime:
    """Return the machine's time of day, on a day before the examples' term."""
    return _now(clock) - _shift


if __name__ == "__main__":
    from steadyhand.cli.main import main

    SystemClock.now = in_september
    main()

"""Each line of a pipe bears the moment at which it began to come, however late it is taken up."""

import os

from steadyhand.cli.chat.pipe import piped
from steadyhand.core.clock import SystemClock


def test_what_is_there_before_the_answer_was_begun_before_it() -> None:
    clock = SystemClock()
    ours, theirs = os.pipe()
    os.write(theirs, b"propose\nye")
    with os.fdopen(ours, encoding="utf-8") as source:
        lines = piped(source, clock)
        first, _ = next(lines)
        shown = clock.now()
        os.write(theirs, b"s\n")
        second, begun = next(lines)
        os.write(theirs, "好".encode())
        os.close(theirs)
        third, later = next(lines)
        assert list(lines) == []
    assert (first, second, third) == ("propose", "yes", "好")
    assert begun < shown < later

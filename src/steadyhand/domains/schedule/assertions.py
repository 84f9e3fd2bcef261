"""Decides which words say that times are free or do not conflict: only a look at the timetable supports them."""

import re
from collections.abc import Sequence

from steadyhand.domains.schedule.tools.turn_tools import looking_tools
from steadyhand.gate.claims import Assertion

FREE = re.compile(
    r"\bno (?:time |scheduling )?conflicts?\b|\b(?:does|do|will|would)(?: not|n't) (?:conflict|clash|overlap)\b|\bconflict-free\b"
    r"|\b(?:is|are|you're|you are|you'll be) (?:all |completely |entirely )?free (?:on|at|in|that|then|all)\b"
    r"|\bnothing (?:is )?scheduled\b"
    r"|(?:没有|无|不存在|不会)(?:任何)?(?:时间)?冲突|不冲突"
    r"|(?:时间|时段|那天|当天|这天|整天|全天)(?:都)?是?空闲|都有空|没有(?:课|安排)",
    re.IGNORECASE,
)


def assertions() -> Sequence[Assertion]:
    """Return the words, in either language, with the tools whose answers support them."""
    return (Assertion(FREE, looking_tools(), "schedule.assertion"),)

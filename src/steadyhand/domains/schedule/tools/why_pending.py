"""Decides how it is told why a pending task has no place: all that is pending is arranged for show. It must not change the draft."""

from collections.abc import Mapping

from steadyhand.core.canonical import Json
from steadyhand.core.language import say
from steadyhand.domains.schedule.arrange.door import plan
from steadyhand.domains.schedule.arrange.explain import place_to_json
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.arrange.report import Told
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.replies.checks import need_task, refusing
from steadyhand.domains.schedule.replies.reply import Refused, Reply
from steadyhand.domains.schedule.replies.wording import Wording


@refusing("fail_query")
def why_pending(timetable: Timetable, *, task_id: int) -> Reply:
    """Report what keeps a pending task out, or where it would stand if all that is pending were arranged now."""
    task = need_task(timetable, task_id)
    if task.place.status != "pending":
        raise Refused("wrong_status", "status_place", id=task.state_id, name=task.name)
    arrangement = plan(timetable, ArrangeOptions())
    told = Told(arrangement, dict(timetable.tasks), timetable.window, timetable.pending)
    out = next((entry for entry in arrangement.unplaced if entry.state_id == task_id), None)
    place = next((entry for entry in arrangement.placements if entry.state_id == task_id), None)

    def text(words: Wording) -> str:
        if out is not None:
            return told.why_not(words.language, out)
        at = "" if place is None else words.at(place.block)
        return say(words.language, "schedule.say.model.would_fit", task=words.ref(task), at=at)

    data: Mapping[str, Json] = {
        "task_id": task_id,
        "unplaced": None if out is None else out.to_json(),
        "place": None if place is None else place_to_json(place),
    }
    return Reply("ok", text, data=data)

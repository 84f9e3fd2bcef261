"""Decides which stored tasks a person may take up again in their draft: their own, never a course. It must not move anything."""

from steadyhand.domains.schedule.board.model import Place, PlaceChange
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.replies.checks import need_task, refusing
from steadyhand.domains.schedule.replies.reply import Refused, Reply
from steadyhand.domains.schedule.replies.wording import Wording


@refusing("fail_reopen")
def reopen(timetable: Timetable, *, task_id: int) -> Reply:
    """Make an existing task suggested again, where it stands; what is suggested or pending is open already."""
    task = need_task(timetable, task_id)
    if task.is_course or task.locked:
        raise Refused("locked", "locked_reopen", id=task_id, name=task.name)
    if task.place.status != "existing":
        raise Refused("wrong_status", "open_reopen", id=task_id, name=task.name, status=task.place.status)
    place = Place("suggested", task.place.slots, task.length, task.place.embed_host)
    delta = (PlaceChange(task_id, task.place, place),)
    timetable.apply(delta)

    def text(words: Wording) -> str:
        return words("reopened", id=task_id, name=task.name, where=words.where(task.place.slots))

    return Reply("ok", text, delta, {"task_id": task_id})

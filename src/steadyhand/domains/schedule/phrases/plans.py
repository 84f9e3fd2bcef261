"""Decides which plan each name of a phrase table stands for, and whether it writes to the draft; it must not hold a phrase."""

from collections.abc import Mapping

from steadyhand.domains.schedule.phrases import arranging, batches, looking, placing, typed
from steadyhand.llm.rules.book import Acts, Plan

PLANS: Mapping[str, tuple[Plan, Acts]] = {
    "put": (placing.put, "draft"),
    "unplace": (placing.unplace, "draft"),
    "swap": (placing.swap, "draft"),
    "put_both": (batches.put_both, "draft"),
    "move_day": (batches.move_day, "draft"),
    "later": (batches.later, "draft"),
    "earlier": (batches.earlier, "draft"),
    "day_later": (batches.day_later, "draft"),
    "day_earlier": (batches.day_earlier, "draft"),
    "arrange": (arranging.arrange, "draft"),
    "rearrange": (arranging.rearrange, "draft"),
    "undo": (arranging.undo, "draft"),
    "redo": (arranging.redo, "draft"),
    "propose": (arranging.propose, "draft"),
    "why": (arranging.why, ""),
    "show": (looking.show, ""),
    "is_free": (looking.is_free, ""),
    "free_places": (looking.free_places, ""),
    "fits": (looking.fits, ""),
    "list": (looking.list_tasks, ""),
    "list_pending": (looking.list_pending, ""),
    "list_suggested": (looking.list_suggested, ""),
    "list_existing": (looking.list_existing, ""),
    "info": (looking.info, ""),
    "overview": (looking.overview, ""),
    "numbers": (looking.numbers, ""),
    "what_time": (looking.what_time, ""),
    "window": (looking.window, ""),
    "today": (looking.today, ""),
    "courses": (typed.list_courses, ""),
    "facts": (typed.list_facts, ""),
    "add_task": (typed.add_task, ""),
    "add_course": (
        typed.named(
            "course_add",
            lambda asked: [("course", "add", asked.slots["name"], "--day", "1", "--slots", "1-2", "--weeks", "1-16")],
        ),
        "",
    ),
    "delete_task": (typed.of_task("task_remove", lambda asked: [("tasks", "remove", asked.slots["name"])]), ""),
    "remove": (typed.of_task("remove", lambda asked: [("tasks", "remove", asked.slots["name"])]), ""),
    "rename_task": (
        typed.of_task("task_edit", lambda asked: [("tasks", "edit", asked.slots["name"], "--name", asked.slots["name2"])]),
        "",
    ),
    "lengthen": (
        typed.of_task("task_edit", lambda asked: [("tasks", "edit", asked.slots["name"], "--slots", asked.slots["length"])]),
        "",
    ),
    "due": (typed.due, ""),
    "habit": (
        typed.named(
            "habit",
            lambda asked: [
                ("habits", "add", asked.say("schedule.say.habit", n=asked.slots["count"]), "--name", asked.slots["name"])
            ],
        ),
        "",
    ),
    "import_file": (typed.fixed("import_file", ("import", "examples/term.ics"), ("tasks", "add", "examples/tasks.md")), ""),
    "export_file": (typed.fixed("export_file", ("export", "week.ics"), ("export", "week.svg", "--week", "5")), ""),
    "holiday": (typed.holiday, ""),
    "works_as": (typed.works_as, ""),
    "choose_window": (typed.choose_window, ""),
    "discard": (typed.fixed("discard", ("discard",)), ""),
    "reopen": (typed.of_task("reopen", lambda asked: [("reopen", asked.slots["name"])]), ""),
    "optimise": (typed.fixed("optimise", ("arrange", "--effort", "30", "--explain")), ""),
    "compare": (typed.fixed("compare", ("compare", "stored", "draft")), ""),
}

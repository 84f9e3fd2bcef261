"""Decides which English phrases about reminders and jobs stand for which plan; it must not read a time."""

from collections.abc import Mapping

_LOOK = "(show|show me|see|view|display|list|let me see|give me|check)"
_REMIND = "[please ]remind me"
_MAKE = "(set|set up|create|add|make|schedule) (a|another|a new|me a) reminder"
_NUMBERED = "([the |my ]reminder [#]{number}|{number:row})"
_CANCEL = "(cancel|delete|remove|drop|clear|call off)"
_MOVE = "(move|change|postpone|reschedule|shift|push|bring forward|delay)"
_NO = "(do not|don't|no need to|you need not|you don't need to|you don't have to|stop)"
_AFTER_ALL = "[ any more| anymore| after all| now]"
_OFF = "[never mind[,] |forget it[,] |no[,] ]"
_ALL = "(all|all of|every one of|each of)"
_JOBS = "(jobs|background jobs|background tasks|background work)"
_JOB = "[the ][background ]job [number |#]{number}"
_STOP = "(cancel|abort|end|kill|terminate)"

PHRASES: Mapping[str, tuple[str, ...]] = {
    "remind": (
        f"{_REMIND} {{when}}[,] {{what}}",
        f"{{when}}[,] {_REMIND} {{what}}",
        f"{_REMIND} {{before}}[,] {{when}}",
        f"{_REMIND} {{when}}[,] {{what}}[,] {{off}}",
        f"{{when}}[,] {_REMIND} {{what}}[,] {{off}}",
        f"{_REMIND} {{before}}[,] {{when}}[,] {{off}}",
        f"{_REMIND} {{when}}[,] {{off}}[,] {{what}}",
        f"{{when}}[,] {{off}}[,] {_REMIND} {{what}}",
        f"{_MAKE} [for ]{{when}}[,] {{what}}",
        f"{_MAKE} {{before}}[,] {{when}}",
        "{when}[,] [please ]tell me {what}",
    ),
    "ask": ("{when}[,] [please ]ask me[:|,] {question}", "[please ]ask me {when}[:|,] {question}"),
    "untimed": (f"{_REMIND} {{what}}", f"{_MAKE} {{what}}"),
    "of_nothing": (f"{_REMIND} [for ]{{when}}", f"{{when}}[,] {_REMIND}", f"{_MAKE} [for ]{{when}}"),
    "list": (
        f"[{_LOOK} ][all |all my |all the |my |the |pending |waiting ]reminders",
        "what are [my |the ]reminders",
        "(what|which|how many) reminders (do i have|have i got|are there|are waiting|are set|are pending)",
        "what (will|are) you [going to ]remind[ing] me (of|about)",
    ),
    "show": (f"[{_LOOK} |what is |when is ]{_NUMBERED}",),
    "cancel": (f"{_CANCEL} {_NUMBERED}", f"{_CANCEL} [the |my ]reminders {{numbers}}"),
    "not_that": (f"{_OFF}i (do not|don't) need {_NUMBERED}{_AFTER_ALL}",),
    "cancel_only": (f"{_OFF}{_CANCEL} (the|my|that|this|the last|that last) reminder", f"{_CANCEL} reminder"),
    "no_need": (
        f"{_OFF}{_NO} remind me{_AFTER_ALL}",
        f"{_OFF}stop reminding me",
        f"{_OFF}i (do not|don't) need (the|a|that|any) reminder{_AFTER_ALL}",
        f"{_OFF}no (reminder|need for a reminder){_AFTER_ALL}",
    ),
    "cancel_all": (
        f"{_CANCEL} {_ALL} [my |the ]reminders",
        f"{_CANCEL} (everything|all) you (remind me of|were going to remind me of)",
    ),
    "no_need_at_all": (f"{_OFF}i (do not|don't) need any [of the |of my ]reminders{_AFTER_ALL}",),
    "cancel_every_one": ("yes, cancel all my reminders",),
    "keep": ("keep [all |all my |the |my ]reminders", "keep them[ all]"),
    "cancel_about": (
        f"{_CANCEL} [the |my ]reminder (to|about|of|for|that says) {{about}}",
        f"{_CANCEL} [the |my ]{{about}} reminder",
    ),
    "no_need_about": (f"{_OFF}{_NO} remind me (to|about|of|that) {{about}}{_AFTER_ALL}",),
    "move": (f"{_MOVE} {_NUMBERED} to {{when}}",),
    "move_only": (f"{_MOVE} (the|my|that|this) reminder to {{when}}",),
    "later": (
        f"(postpone|delay|push|push back|move back|snooze) {_NUMBERED} (by|for) {{span}}",
        f"move {_NUMBERED} {{span}} later",
    ),
    "earlier": (f"bring {_NUMBERED} forward by {{span}}", f"move {_NUMBERED} {{span}} earlier"),
    "jobs": (
        f"[{_LOOK} ][all |all my |my |the |running ]{_JOBS}",
        f"(what|which) {_JOBS} (are there|do i have|are running|are waiting|are going on)",
        "what is running[ now| in the background]",
        "what's running[ now| in the background]",
        "what (jobs|is going on) in the background",
    ),
    "job": (
        f"[{_LOOK} |how is |how far is |what is ][the ][status of |state of |progress of ]{_JOB}[ doing| going]",
        f"is {_JOB} (done|finished|running|still running|ready)",
    ),
    "cancel_job": (f"{_STOP} {_JOB}",),
    "stop_job": (f"stop {_JOB}",),
}

EXAMPLES = ("remind me tomorrow at 8am to hand in the report", "in two hours ask me whether it ran", "list reminders", "cancel reminder 3", "what is running")  # fmt: skip
"""Shown where nothing else fits better."""

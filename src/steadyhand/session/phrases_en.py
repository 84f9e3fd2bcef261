"""Decides which English phrases about changes and sessions stand for which plan; it must not decide a change."""

from collections.abc import Mapping

_LOOK = "(show|show me|see|view|display|look at|let me see|give me|list|open|check)"
_UNDO = "(undo|revert|roll back|take back|reverse)"

PHRASES: Mapping[str, tuple[str, ...]] = {
    "list_changes": (
        f"[{_LOOK} ][me ][all |all my |my |the |recent |open |pending |waiting ]changes",
        "(what|which) changes (are there|are open|are waiting|are pending|do i have|were made)",
        "what is waiting for (me|approval|my approval|a decision|my decision)",
        "what's waiting for (me|approval|my approval|a decision|my decision)",
        "change (history|list|log)",
        "what have i approved",
    ),
    "show_change": (
        f"[{_LOOK} ][me ][the ][change ]{{change}}[ again]",
        "what (is|does|about|was) [change ]{change}[ do| about| change]",
        "what (does|will) [change ]{change} (change|do)",
        "(status|details|state|diff) of [change ]{change}",
        "is [change ]{change} (approved|waiting|verified|open|running)",
        f"{_LOOK} [me ]the (review|diff|open change|waiting change)[ again]",
    ),
    "propose_undo": (
        f"{_UNDO} [change ]{{change}}",
        "take [change ]{change} back",
    ),
    "decision": (
        "{decision}",
        "[i ](approve|confirm|accept|reject|deny|decline|run|execute|withdraw) [change ]{change}",
        "[i ](approve|confirm|accept|reject|deny|decline) (it|this|that|the change|the changes|everything|all|all changes|the draft|{which})",
        "[how do i |how can i |where do i ](approve|confirm|reject|deny|decide)[ a change| changes| it]",
    ),
    "list_sessions": (
        f"[{_LOOK} ][me ][all |all my |my |the |old |earlier ](sessions|conversations|chats)",
        "(what|which) (sessions|conversations) (are there|do i have)",
    ),
    "rename_session": (
        "(rename|name|call) (this|the|this here|the current|current) (session|conversation|chat) [to |as ]{title}",
        "(rename|name) (session|conversation) [to |as ]{title}",
    ),
    "open_session": (
        "(continue|resume|open|switch to|go back to|go to) [the |my |an ](last|earlier|other|previous|old) (session|conversation|chat)",
        "(continue|resume|open|switch to) (session|conversation) {title}",
        "(new|start a new|begin a new|open a new) (session|conversation|chat)",
    ),
    "delete_session": (
        "(delete|clear|remove) (this|the|the current|all my|all) (session|conversation|chat|sessions|conversations|history)",
        "export (this|the|the current) (session|conversation|chat)",
    ),
    "preferences": (
        f"[{_LOOK} ][me ][my |the ]preferences",
        "what do you (remember|know)[ about me]",
        "what are my preferences",
    ),
    "remember": ("remember[ that][:|,] {key} (is|are|=) {value}", "my preference for {key} is {value}"),
    "forget": ("forget [my |the ]preference [for |of ]{key}", "forget about {key}"),
    "language": ("(switch|change) to (english|chinese)", "(speak|answer in|use|talk) (english|chinese)"),
    "backup": (
        "back up[ my data| the data| everything]",
        "(make|take) a backup",
        "how do i back up",
        "restore[ the| a| my] backup",
    ),
    "doctor": (
        "(check|diagnose)[ the] (installation|system|program|setup)",
        "is (everything|the installation) (ok|okay|working|in order)",
    ),
}

EXAMPLES = ("list changes", "show C-1", "undo C-1", "list sessions")
"""Shown where nothing else fits better."""

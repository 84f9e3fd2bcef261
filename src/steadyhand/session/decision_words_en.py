"""Decides which English words, as a whole message, are a yes or a no; it must never hold a word that can mean neither.

Assent that is worded as a negation ("no problem", "why not") stands in none of the lists: negation is read first.
"""

YES: frozenset[str] = frozenset(
    {
        *("yes", "y", "yep", "yup", "yeah", "aye", "ok", "okay", "sure", "of course", "absolutely", "definitely", "certainly"),
        *(
            "approve",
            "approved",
            "i approve",
            "approve it",
            "confirm",
            "confirmed",
            "i confirm",
            "confirm it",
            "accept",
            "i accept",
        ),
        *("agreed", "i agree", "go ahead", "go for it", "do it", "do that", "please do", "proceed", "please proceed", "run it"),
        *("sounds good", "looks good", "looks good to me", "lgtm", "ship it"),
    }
)

GO_ON: frozenset[str] = frozenset({"continue", "please continue", "go on", "please go on", "carry on", "try again", "keep going"})
"""Asks to go on with what waits for a provider; it is no assent, and decides nothing."""

NO: frozenset[str] = frozenset(
    {
        *("no", "n", "nope", "nah", "no way", "no thanks", "no thank you", "deny", "deny it", "denied", "reject", "reject it"),
        *("rejected", "decline", "i decline", "i disagree", "cancel", "cancel it", "cancel that", "discard it", "drop it"),
        *(
            "don't",
            "do not",
            "don't do it",
            "do not do it",
            "please don't",
            "please do not",
            "never mind",
            "nevermind",
            "forget it",
        ),
    }
)

FILLER: frozenset[str] = frozenset({"please", "thanks", "thank you", "now", "then"})
"""Words that change nothing beside a yes or a no, and alone are neither."""

NEGATIONS: frozenset[str] = frozenset(
    {
        *("no", "n", "not", "nope", "nah", "never", "nothing", "none", "nor", "neither", "cannot", "without", "stop", "deny"),
        *(
            "denied",
            "reject",
            "rejected",
            "decline",
            "disagree",
            "cancel",
            "discard",
            "drop",
            "forget",
            "nevermind",
            "don't",
            "dont",
        ),
        *("wait", "hold", "later", "but", "except", "unless", "if", "instead", "however", "only", "first", "maybe", "almost"),
    }
)
"""Where one of these words stands, a message is never a yes; so is one with a word that ends in n't."""

QUESTIONS: frozenset[str] = frozenset(
    {"what", "why", "how", "when", "where", "which", "who", "is", "are", "does", "can", "could"}
)
"""Where one of these words stands, a message asks, and a question decides nothing."""

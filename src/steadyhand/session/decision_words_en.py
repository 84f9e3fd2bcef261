"""Decides which English words, as a whole message, answer a review; it must never hold a word that can mean neither.

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
        *("fine", "that's fine", "looks fine", "sounds fine", "fine by me", "fine with me", "all fine"),
        *("good", "very good", "all good", "that's good", "good to go", "👍"),
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

NOT_NOW: frozenset[str] = frozenset(
    {
        *(
            "stop",
            "stop it",
            "stop that",
            "wait",
            "wait a moment",
            "wait a minute",
            "wait a second",
            "wait a bit",
            "wait for now",
        ),
        *("hold on", "hold it", "hang on", "one moment", "just a moment", "one second", "just a second", "one sec", "a moment"),
        *("not now", "not yet", "not so fast", "later", "maybe later", "not today", "let me think", "leave it for now"),
        *("wrong", "that's wrong", "that is wrong", "this is wrong", "not right", "that's not right", "that is not right"),
        *("not like that", "not like this", "not what i meant", "that's not what i meant", "that is not what i meant"),
    }
)
"""Say no for now: the change waits on, and nothing is decided."""

TAKE_BACK: frozenset[str] = frozenset(
    {
        *("undo", "undo that", "undo it", "undo this", "please undo that", "please undo it", "take that back", "take it back"),
        *("revert", "revert that", "revert it"),
    }
)
"""Asks to take back what came last, and does not say what that is."""

REVIEW: frozenset[str] = frozenset(
    {
        *("review", "review again", "the review of", "show the review of", "show me the review of", "show review of"),
        *("see the review of", "let me review", "let me see the review of"),
    }
)
"""With a change's name: asks for its review to be shown again."""

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

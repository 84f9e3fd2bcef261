"""Decides which English words make a message a request, a question, a negation or a supposition, and which part one; it must not act."""

NEGATION = (
    r"\b(?:do|does|did|can|could|should|would|will|must|shall|may) not\b|\b(?:not|never|no|nope|nah|none|nothing|nor|neither|cannot|cant|wont|dont|without|stop|instead|rather|except|unless|but|hold|wait)\b"
    r"|\b\w+n't\b"
)
"""Where one of these stands outside quotes, nothing is changed."""

TAKEN_BACK = (
    r"(?:(?<=[,;.!\n])|\band\b|\bthen\b)\s*(?:(?:and|then|actually)\s+)*(?:never ?mind|(?:cancel|reject|deny|discard|drop|withdraw|scrap|scratch|forget)(?: (?:that|it|this))?"
    r"|(?:just )?kidding|jk)[\s.!,~…]*$"
)
"""What takes back at the end what was said before it: then nothing is changed either."""

SUPPOSITION = (
    r"\b(?:if|suppose|supposing|assuming|imagine|whether|hypothetically|once (?:i|you|we|he|she|it|they|the|my|that)|until|maybe|perhaps|might|someday|eventually|later on"
    r"|would happen|could happen|thinking of|thinking about|considering|wondering)\b"
)
"""Where one of these stands, a thing is thought about and not asked for."""

ASKING = (
    r"^(?:what|what's|why|how|when|where|where's|which|who|whose|should|shall|does|do (?:i|you|we)|did|is|are|was|were|am|has|have"
    r"|may|might|must|can (?:i|we|it)|could (?:i|we|it))\b"
)
"""What begins so asks; a request in polite form is read before."""

OPENERS = (
    r"please|pls|hey|hi|hello|ok|okay|so|now|just|well|then|and|also|go ahead and|let's|let us|kindly"
    r"|help me(?: to)?|i(?: would|'d) like (?:you )?to|i (?:want|need) (?:you )?to|i want"
)
POLITE_OPENERS = r"(?:could|can|would|will) you(?: please| kindly| just)?|would you mind|do you mind"
CLOSERS = r"please|pls|thanks|thank you|thank you very much|for me|now|right now|then|again please"
POLITE_CLOSERS = r"(?:would|could|will|can) you|ok|okay|alright"
ASKING_CLOSERS = r"(?!)"

STRONG = r"[;\n!]+\s*|\.\s+|,?\s+(?:and )?then\s+|,?\s+after that,?\s+"
WEAK = r",\s*(?:and\s+)?(?:also\s+)?|\s+and\s+(?:also\s+)?"

"""Decides which English words claim an effect, in a clause of small letters; it must not know whether the claim is true."""

PAST = (
    "saved|written|wrote|updated|applied|scheduled|rescheduled|added|moved|changed|deleted|removed|put|placed|set(?: up)?|booked|arranged"
    "|created|sent|ran|run|executed|approved|confirmed|committed|submitted|imported|exported|renamed|cancell?ed|finished|completed|done|did"
    "|fixed|edited|inserted|stored|installed|cleared|reset|swapped|entered|recorded|handled|sorted|taken care of|carried out|marked"
    "|enabled|disabled|turned (?:on|off)|undone|reverted|restored|withdrawn|rejected|verified|built|made|shifted|replaced|reserved|filed"
    "|posted|published|paid|ordered|checked in|signed up|dealt with|wrapped up|pushed|copied|attached|filled in|adjusted|started|stopped"
)
_LIGHT = "(?:just|already|also|now|successfully|all|both|then|safely|indeed|gone ahead and|went ahead and|finally|duly|simply)"
_WHAT = "(?:it|that|this|those|they|these|everything|all|all of it|both|the [a-z0-9 -]{1,40}|your [a-z0-9 -]{1,40}|[a-z]{1,30} \\d{1,9}|c-\\d+)"
_SUBJECT = "(?:the |your )?(?:task|change|everything|all|it|that|job|update|request|plan)s?"
_FOR_YOU = "(?: (?:now|already|for you|too|as well|as you (?:asked|wanted|wished)|as (?:asked|requested|planned)|successfully|correctly|safely)){0,5}"

CLAIMS: tuple[str, ...] = (
    rf"\b(?:i|we)(?:'ve| have|'d| had)?(?: {_LIGHT}){{0,5}} (?:{PAST})\b",
    rf"\b(?:has|have|had|'s|'ve) (?:{_LIGHT} ){{0,5}}been (?:{_LIGHT} ){{0,5}}(?:{PAST})\b",
    rf"\b(?:was|were|got|gets?) (?:{_LIGHT} ){{0,5}}(?:{PAST})\b(?! (?:by|last|yesterday|earlier this|in \d{{4}}|\w+ ago))",
    rf"\b(?:is|are|'s|'re) (?:{_LIGHT} ){{0,5}}(?:{PAST}|complete|all set|in place|live|through|ready and saved){_FOR_YOU}\W*$",
    rf"\b(?:is|are|'s|'re) (?:now|already) (?:{PAST}|on|in|at|part of|gone|off)\b",
    r"\b(?:is|are|'s|'re) (?:on|in) (?:your|the) (?:calendar|timetable|schedule|plan)(?: now| already)\b",
    rf"\b{_WHAT} (?:ran|worked|succeeded|went (?:well|through|fine|out|smoothly)|took effect|passed|landed)\b",
    r"\b(?:done|completed|finished|all set|successfully|mission accomplished|verified by reading back)\b",
    rf"^\W*(?:{_SUBJECT} )?(?:{PAST}|complete|success|successful)(?: and (?:{PAST})){{0,5}}(?: (?:it|that|successfully|for you|now|already)){{0,5}}\W*$",
    r"^\W*(?:all|everything)(?: is|'s)? (?:good and )?(?:sorted|settled|taken care of|in place|in order|up to date|saved)\b",
    r"\b(?:approved|executed|verified|applied|committed) and (?:approved|executed|verified|applied|committed|saved|done)\b",
    rf"\bc-\d+ (?:{PAST})\b",
    r"\bconsider it done\b|\bthere you go\b",
)
"""One of these, found in a clause that nothing before it takes back, claims that something was done."""

UNREAL = (
    r"\b(?:not|never|no|nothing|none|nobody|neither|nor|without|cannot|will|would|could|should|can|may|might|must|shall|if|when|whenever"
    r"|once|until|till|unless|before|after|let|whether|how|who|which|what|as soon as|wait|waits|waiting|yet|going to|about to|want|wants"
    r"|need|needs|to be|to get|to have|ready to|suppose|imagine|is being|are being|let's|hardly|instead of|rather than|example)\b"
    r"|n't\b|'ll\b|^approve\b|\bas\b"
)
"""Where one of these stands before a claim in its clause, nothing is claimed: it is denied, wished, asked, or still to come."""

NO_EFFECT = (
    r"\bin (?:the|your|this|my) draft\b|\b(?:made|put|wrote|written|prepared|created|added|set|sent|built)\b.{0,200}\b(?:draft|proposal|suggestion|overview"
    r"|summary|list of|review|outline|comparison|example|question|note below)\b|\bput together\b|\bset out\b|\bdone with (?:looking|reading)\b"
    r"|\byou(?:'ve| have)?(?: already| just)? (?:done|completed|finished)\b"
)
"""What is no effect: a draft is not the target, words are only words, and what the person has done is theirs."""

SUPPOSES = r"^\W*(?:if|once|unless|until|as soon as|provided)\b"
"""What a clause begins with that makes what follows in its sentence a supposition."""

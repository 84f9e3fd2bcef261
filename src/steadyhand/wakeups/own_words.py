"""Decides which of a person's words can be kept as what they are to be reminded of. It must not keep what takes the request back, or half a time."""

import re

from steadyhand.core.language import Language
from steadyhand.llm.rules import words_en, words_zh
from steadyhand.llm.rules.said import unquoted
from steadyhand.wakeups.moments import spoken, timed

MOST = 200
LONGEST_TIME = 24
_ENDS = re.compile(r"[\n。！!；;]|[?？](?=.)|\.\s")
"""What ends a sentence inside."""
_REVOKED = re.compile(
    r"算了|不用了|不必了|不要了|不需要了|别提醒|不用提醒|不要提醒|不提醒|取消提醒|还是别|还是不|开玩笑|说错了|当我没说|等等|等一下[,，]"
    r"|\bnever ?mind\b|\bforget (?:it|that)\b|\bno,? wait\b|\bwait,? no\b|\bsecond thoughts?\b|\bkidding\b|\bscratch that\b|\bcancel (?:it|that|this)\b"
    r"|\bactually\b|\bor (?:maybe |perhaps )?not$|\b(?:don'?t|do not) remind\b|,\s*(?:no|don'?t|do not|nope|not now)\b|\bif (?:i|you) (?:said|asked)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"的话$|(?:会|能)(?:怎么?样|如何|发生什么)$|怎么样$|行不行$|不$|\bwhat happens\b|\bwould happen\b", re.IGNORECASE
)
_BEGINS = {
    "zh-CN": re.compile(
        r"前(?![往去台面任端辈])|之前|以前|后(?![台勤面端])|之后|以后|左右|附近|上下|多(?![喝吃穿带睡练做看休运走读背写])|的|们|上(?![课班学交传网街厕])|点(?![名餐赞外单])|晨(?![跑练会读])|起(?=[,，]|$)|价|[,，、:：~\-—–.。]"
        r"|[妈爸爹娘哥姐弟妹爷奶](?!妈?的?生日)|老[师公婆板妈爸]|同学|同事|室友|朋友|[男女]朋友|孩子|儿子|女儿|家人|导师|队友|[吗呢吧么]|不$|半|[一三]刻|整点|[0-9]"
    ),
    "en": re.compile(r"(?:or|and|until|till|through|sharp|ish|[-–—,:.])(?:\s|$)|[0-9]", re.IGNORECASE),
}
"""What cannot stand behind a time that is whole, or behind the one who is to be reminded."""
_JOINED = re.compile(r"(?:和|或者?|与|及|以及|还有|到|至|跟|or|and|to|until|till|then)\s*", re.IGNORECASE)
_OTHERS = re.compile(r"(?:(或者?|\bor\b)|和|与|及|以及|还有|\band\b)\s*", re.IGNORECASE)
"""What joins another time to the one that was named: behind an *or*, a day alone is one too."""
_ENDS_OPEN = re.compile(
    r"\b(?:and|or|by|before|until|till|from|to|between|after|since|not|at|around|about|approximately|roughly|except|due|the|on|in|for|than)$"
    r"|[在于到至从前后和或与跟及]$",
    re.IGNORECASE,
)
"""What needs a time behind it, which is not the time of the reminder then."""
_CLOCK = re.compile(
    r"[0-9]\s?(?:[ap]\.?m\b|:[0-9])|\bat (?:[0-9]|noon|midnight)|[0-9一二两三四五六七八九十]\s?(?:点|时(?!候|间))", re.IGNORECASE
)
_ABOUT = re.compile(r"(?:to|about|that|of|not to|for)\s+\S", re.IGNORECASE)
_DONE = re.compile(r"(?:not )?to\b|[^a-z]", re.IGNORECASE)
"""What a person does: the time that stands behind a thing is that of the thing."""
_CLAUSE = re.compile(r"\b(?:whether|if|when|that|who|where|why|how|what|because)\b|是否|是不是|会不会", re.IGNORECASE)
"""What begins a sentence of its own inside, whose time may be the one that stands at the end."""
_TAIL = re.compile(r"[,，]\s*")


def kept(words: str, language: Language, *, asking: bool = False) -> str | None:
    """Return what words say that a reminder can be of, or a question that is to be asked; None for others. Quotes make anything fit."""
    plain = unquoted(words).strip(" ,，")
    if not 0 < len(plain) <= MOST or "\n" in plain:
        return None
    if plain != words.strip(" ,，"):
        return plain
    if _ENDS.search(plain) or taken_back(plain) or _SUPPOSED.search(plain) or _BEGINS[language].match(plain):
        return None
    if begins_with_time(plain) or begins_with_time(_JOINED.sub("", plain, count=1) if _JOINED.match(plain) else ""):
        return None
    if any(begins_with_time(plain[one.end() :], whole=one[1] is None) for one in _OTHERS.finditer(plain)):
        return None
    if any(begins_with_time(part) or spoken(part) for part in _TAIL.split(plain)[1:]):
        return None
    return plain if asking or language == "zh-CN" or _ABOUT.match(plain) else None


def taken_back(words: str) -> bool:
    """Tell whether words take back what they ask for: what follows a comma negates, supposes or revokes."""
    if _REVOKED.search(words):
        return True
    comma = _TAIL.search(words)
    tail = words[comma.start() :].replace("，", ",").lower() if comma else ""
    return any(
        re.search(form, tail) for table in (words_zh, words_en) for form in (table.NEGATION, table.TAKEN_BACK, table.SUPPOSITION)
    )


def kept_before_time(words: str, language: Language) -> str | None:
    """Return what words say that a reminder can be of where its time stands behind them."""
    plain = kept(words, language)
    if plain is None or plain != words.strip(" ,，"):
        return plain
    if (
        _CLAUSE.search(plain)
        or not _DONE.match(plain)
        or _ENDS_OPEN.search(plain)
        or _CLOCK.search(plain)
        or _ends_with_time(plain)
    ):
        return None
    return plain


def _ends_with_time(words: str) -> bool:
    return any(spoken(words[-length:].strip()) for length in range(2, min(len(words), LONGEST_TIME) + 1))


def holds_time(words: str) -> bool:
    """Tell whether words begin or end with a time that goes as far as the clock."""
    return begins_with_time(words) or any(
        timed(words[at:].strip()) for at in range(max(0, len(words) - LONGEST_TIME), len(words))
    )


def begins_with_time(words: str, *, whole: bool = True) -> bool:
    """Tell whether words begin with a time, one that goes as far as the clock where it is to be *whole*."""
    parts = (words[:end].strip() for end in range(2, min(len(words), LONGEST_TIME) + 1))
    return any(timed(part) if whole else spoken(part) is not None for part in parts)

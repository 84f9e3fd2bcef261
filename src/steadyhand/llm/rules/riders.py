"""Decides which of the words that a request would keep limit, except, correct or add to it, so that none is swallowed. It must not read a time.

What only looks so stays the person's text: ``until someone answers`` has no time behind it, and a limit is none of what comes once.
"""

import re
from collections.abc import Iterator

from steadyhand.core.language import Language
from steadyhand.llm.rules.said import QUOTED

_DAYS_ZH = (
    r"(?:周|星期|礼拜)[一二三四五六日天末]|单周|双周|周末|工作日|节假日|假期|放假|法定|节日|寒假|暑假|国庆|春节|元旦|中秋|端午|清明|五一|劳动节|期末|考试周|学期"
    r"|(?:[0-9]{1,4}|[一二三四五六七八九十]{1,3})(?:年|月|[号日](?!常))|今天|今晚|明天|后天|月底|月末|月初|年底|年末|(?:这|本|下下?)个?(?:周|星期|礼拜|月|学期)|[0-9一二三四五六七八九十]+(?:点|:)"
)
_COUNT_ZH = r"(?:[0-9]{1,4}|[一二两三四五六七八九十半几]{1,3})"
_WEEKDAY_EN = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?"
_MONTH_EN = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_DAYS_EN = (
    rf"(?:the )?(?:{_WEEKDAY_EN}|{_MONTH_EN}|weekends?|weekdays?|working days|(?:public |bank )?holidays?|vacations?|christmas|easter|new year|today|tonight|tomorrow"
    r"|(?:the )?(?:first|last|beginning|end|middle) of|(?:this|next|the following) (?:week|month|year|term|semester|summer|winter)|[0-9]{1,2}(?:st|nd|rd|th)|[0-9]{4}\b"
    r"|[0-9]{1,2}[/.][0-9]{1,2}|[0-9]{1,2}(?::[0-9]{2}| ?[ap]m\b)|noon\b|midnight\b|further notice|the (?:term|semester|week|month|year) ends)"
)
_COUNT_EN = r"(?:[0-9]{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a few|several|a couple of)"
_SELF_ZH = r"(?:提醒|叫|喊|通知|告诉|问)"

_LIMITS = {
    "zh-CN": (
        rf"[,，、。\s(（]*(?:一直|直)?(?:持续|坚持)?到[^,，。]{{0,8}}?(?:{_DAYS_ZH})[^,，。]{{0,8}}(?:为止|结束|截止|止|前|之前|以前)?[)）]?$",
        r"[,，、。\s(（]*[^,，。]{0,16}为止[)）]?$",
        rf"[,，、。\s(（]+(?:持续|坚持|连续|接连|一连|一共|总共|共|只|就|先)?(?:提醒|响)?{_COUNT_ZH}(?:天|周|个?星期|个?礼拜|个?月|个?学期|年|次|遍|回)(?:就(?:行|好|够)了?|即可)?[)）]?$",
        rf"(?:持续|坚持|连续|接连|一连|一共|总共|只提醒|就提醒){_COUNT_ZH}(?:天|周|个?星期|个?礼拜|个?月|个?学期|年|次|遍|回)(?:就(?:行|好|够)了?|即可)?$",
        rf"[,，。\s(（]+[^,，。]{{0,4}}?(?:{_DAYS_ZH})[^,，。]{{0,4}}(?:之内|以内|期间|内)[)）]?$",
        rf"[,，、。\s(（]*(?:从|自)[^,，。]{{0,4}}?(?:{_DAYS_ZH})[^,，。]{{0,8}}(?:开始|起|算起)[)）]?$",
    ),
    "en": (
        rf"[,;(\s]+(?:and |but |only |just )*(?:until|till|til|through|up to|up until|ending|ends?(?: on)?) (?:on )?{_DAYS_EN}.{{0,20}}$",
        r"[,;(\s]+(?:and |but |only |just )*(?:until|till|til) (?:i|we) (?:say|tell|cancel|stop)\b.{0,20}$",
        rf"[,;(\s]+(?:and |but |only |just )*for (?:the )?(?:(?:next|coming|following|first|rest of the|whole|entire) )?(?:{_COUNT_EN} )?(?:more )?(?:days?|weeks?|fortnights?|months?|years?|terms?|semesters?|times)[)]?$",
        rf"[,;(\s]+(?:and |but |only |just )*{_COUNT_EN} (?:more )?times[)]?$|[,;(]\s*(?:only |just )?(?:once|twice)[)]?$|\bonly (?:once|twice)$",
        rf"[,;(\s]+(?:starting|beginning|from|as of) (?:on )?{_DAYS_EN}.{{0,20}}$",
    ),
}
"""Until when, for how long, how often, from when on: what only something that comes again has."""

_EXCEPTIONS = {
    "zh-CN": (
        rf"[,，、。\s(（]*(?:但是?|不过|只是|就)*[^,，。]{{0,6}}?(?:{_DAYS_ZH})[^,，。]{{0,6}}?(?:除外|例外|不算|跳过|(?:就|都)?(?:不用|不要|不必|不需要|别|不)(?:再)?(?:提醒|叫|响)?(?:我)?了?)[)）]?$",
        r"[,，(（][^,，。]{1,12}(?:除外|例外)[)）]?$",
        rf"[,，、。\s(（]*除了?[^,，。]{{0,6}}?(?:{_DAYS_ZH})[^,，。]{{0,8}}$",
    ),
    "en": (
        rf"[,;(\s]+(?:but )?(?:except|excepting|excluding|but not|apart from|other than|besides|not|skip(?:ping)?|unless (?:it is|it's))(?: for)?(?: on)? {_DAYS_EN}.{{0,30}}$",
        r"[,;(\s]+(?:but )?(?:(?:except|but not) (?:when|if|while)|unless)\b.{1,40}$",
    ),
}
"""On which days not: the same."""

_CORRECTIONS = {
    "zh-CN": (
        r"[,，。；;\s]+(?:哦|噢|啊|呃|嗯|哎|诶)?[,，]?(?:不对(?![的劲])|不不|错了|更正|我是说|我的意思是|应该是)(?:[,，].*|.*)$",
        r"[,，。；;\s]+(?:哦|噢|啊|呃|嗯|哎|诶|不)+[,，]?\s*(?:是|改成|改到)?[^,，。]{0,4}(?:[0-9一二三四五六七八九十两半]+(?:点|:|号)|今|明|后天|周|星期).*$",
        r"[,，。；;\s]+(?:还是)?(?:改成|改到|改为|换成|还是)[^,，。]{0,6}(?:[0-9一二三四五六七八九十两半]+(?:点|:|号)|今天|明天|后天|周[一-日天末]|星期).*$",
    ),
    "en": (
        r"[,.;–—-]\s*(?:oh|oops|sorry|wait|hmm|uh|er|no|nope|hang on|hold on|rather|correction)[,.\s]*(?:i (?:mean|meant)|make (?:it|that)|at|on|it'?s)?\s*(?:the )?"
        r"(?:[0-9]{1,2}(?::[0-9]{2})?\s*(?:[ap]\.?m\.?|o'clock)?|tomorrow|today|tonight|noon|" + _WEEKDAY_EN + r")\b.{0,20}$",
        r"[,.;–—\s-]+(?:no,? |sorry,? |oops,? )*(?:i mean|i meant|(?:make|change) (?:it|that) (?:to )?(?=[0-9]|at\b|on\b|the |noon|tomorrow|today|tonight|"
        + _WEEKDAY_EN
        + r"))\b.{0,40}$",
    ),
}
"""What takes a part of it back and says another."""

_SECONDS = {
    "zh-CN": (
        rf"[,，。；;\s]*(?:再|也|还|另外?|并且?|各|都|同时|顺便|以及|然后|提前|前一?[天晚日周]|当天|当晚)[^,，。；;]{{0,12}}?{_SELF_ZH}(?:我)?(?:一[次下遍声回]|[两二三]次)[^,，。；;]{{0,4}}$",
        rf"[,，。；;\s]*[^,，。；;]{{0,14}}{_SELF_ZH}我.*$",
        r"[,，。；;\s]+(?:再|也|还|另外|并且?|同时|顺便|然后|还有)[,，]?(?:帮我|给我|替我|请你?|麻烦你?)(?!假|客|教|吃|喝|大家).*$",
        rf"[,，。；;\s]+(?:还有|另外|以及)?[^,，。；;]{{0,6}}?(?:{_DAYS_ZH})[^,，。；;]{{0,6}}也(?:是|一样|行|可以)(?:的|吧)?$",
        r"[,，。；;\s]+[^,，。；;]{0,14}(?:再|也|又|还)(?:来|说|响|叫|问|提醒)?一?[次下遍回声](?:吧|哦|啊)?$",
        r"[,，。；;\s]*(?:并|再|也)?提前(?:[0-9一二两三半]+)(?:天|个?小时|分钟|周|刻钟)(?:也|再|各|都)?(?:提醒|叫|说).*$",
    ),
    "en": (
        r"(?:[,.;]\s*|\s+(?:and|then|plus)\s+)(?:(?:and|then|also|please|again)\s+)*(?:remind|ask|tell|wake|ping|nudge|warn|notify) me\b.*$",
        r"(?:[,.;]\s*|\s+)(?:and|then|plus|,)?\s*(?:also |too |then )*(?:once more|one more time|a second time|another (?:one|time|reminder)|again)\s+(?:at|on|in|by|before|after|the (?:day|night|evening|morning)|an? (?:hour|day|week)|tomorrow|tonight|later|[0-9]).*$",
        r"(?:[,.;]\s*|\s+)(?:and|then|plus)\s+(?:also |then |again )*(?:at|on|by) (?:[0-9]{1,2}(?::[0-9]{2})?(?: ?[ap]m)?\b|noon\b|midnight\b|"
        + _WEEKDAY_EN
        + r"\b).*$",
        rf"(?:[,.;]\s*|\s+(?:and|plus)\s+)(?:also |again |then |and )*(?:{_COUNT_EN}|half an) (?:minutes?|hours?|days?|weeks?|nights?) (?:before|earlier|ahead|in advance|prior|beforehand)\b.*$",
        r"(?:[,.;]\s*|\s+(?:and|plus)\s+)(?:also |again |then |and )*the (?:day|night|evening|week) before\b.*$",
    ),
}
"""What asks for one more."""


def _ready(*tables: dict[str, tuple[str, ...]]) -> dict[str, tuple["re.Pattern[str]", ...]]:
    return {
        language: tuple(re.compile(form, re.IGNORECASE) for table in tables for form in table[language]) for language in tables[0]
    }


_ALWAYS = _ready(_CORRECTIONS, _SECONDS)
_OF_WHAT_COMES_AGAIN = _ready(_LIMITS, _EXCEPTIONS)
_SET_APART = re.compile(r"^[,，;；(（]")


def rider(words: str, language: Language, *, again: bool) -> str:
    """Return the words at the end of *words* that change the request itself, or nothing; what stands in quotes is never one.

    *again* says that what is asked for comes again and again: only that has limits and exceptions, unless they are set apart by a comma.
    """
    plain = QUOTED.sub(lambda found: "“" * len(found[0]), words).rstrip(" .。!！~")
    return max(_riders(plain, language, again=again), key=len, default="").strip(" ,，。；;.()（）")


def _riders(plain: str, language: Language, *, again: bool) -> Iterator[str]:
    for form in _ALWAYS[language]:
        yield from (found[0] for found in [form.search(plain)] if found is not None)
    for form in _OF_WHAT_COMES_AGAIN[language]:
        found = form.search(plain)
        if found is not None and (again or _SET_APART.match(found[0])):
            yield found[0]

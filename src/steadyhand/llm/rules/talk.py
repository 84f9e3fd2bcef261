"""Decides how small talk, calls for help and what was not understood are answered. It must not act, and must not promise what nobody registered."""

from collections.abc import Mapping, Sequence

from steadyhand.core.language import Language
from steadyhand.llm.rules.book import Answer, Asked, Looks, PhraseBook, Plan, ReadyRule, Rule, Steps, finished, opened
from steadyhand.llm.rules.matching import Unmet
from steadyhand.llm.rules.pattern import Pattern

SHOWN = 60
EXAMPLES = 5
FEW = 3
CLOSE = 72
"""From this likeness on, in percent, a phrase is named as what may have been meant."""

_GREETINGS: Mapping[Language, tuple[str, ...]] = {
    "zh-CN": ("你好", "您好", "嗨", "哈喽", "早", "早上好", "上午好", "中午好", "下午好", "晚上好", "在吗", "在不在", "有人吗"),
    "en": ("hi[ there]", "hello[ there]", "hey[ there]", "good (morning|afternoon|evening)", "anyone there", "are you there"),
}
_HELP: Mapping[Language, tuple[str, ...]] = {
    "zh-CN": (
        *(
            "帮助",
            "(使用|操作)?说明",
            "怎么用",
            "怎么使用",
            "怎么玩",
            "你能(做|干)[些]什么",
            "你(会|可以)(做|干)[些]什么",
            "能做[些]什么",
        ),
        *(
            "你(都)?(有|会)(什么|哪些)功能",
            "(有)?(什么|哪些)功能",
            "(我)?(能|可以|该)(说|问|做)[些]什么",
            "(我)?该怎么(说|做|开始)",
            "从哪(里|儿)?开始",
        ),
    ),
    "en": (
        *(
            "help[ me]",
            "what can (you|i) do[ here]",
            "what do you do",
            "how does this work",
            "how do i start",
            "where do i start",
        ),
        *("what can i (say|ask)[ here]", "what are my options", "how do i use (this|you|it)", "show help"),
    ),
}
_THANKS: Mapping[Language, tuple[str, ...]] = {
    "zh-CN": ("谢谢[你|您|啦|了]", "多谢[了]", "辛苦[了|啦]", "感谢[你]", "太好了", "不错", "很好", "好极了", "真棒"),
    "en": (
        "thanks[ a lot| so much]",
        "thank you[ very much| so much]",
        "great",
        "cool",
        "nice",
        "perfect",
        "well (done|played)",
        "good job",
    ),
}
_BYE: Mapping[Language, tuple[str, ...]] = {
    "zh-CN": ("再见", "拜拜", "晚安", "回头见", "下次见"),
    "en": ("bye[ bye]", "goodbye", "good night", "see you[ later]"),
}
_WHO: Mapping[Language, tuple[str, ...]] = {
    "zh-CN": (
        "你是谁",
        "你是什么",
        "你叫什么[名字]",
        "你是(机器人|人工智能|ai|模型|人)",
        "你用的(是)?什么模型",
        "介绍一下你自己",
        "介绍一下自己",
    ),
    "en": (
        "who are you",
        "what are you",
        "are you (a bot|an ai|human|a model|real)",
        "which model (is this|are you)",
        "introduce yourself",
    ),
}
_NEVER_MIND: Mapping[Language, tuple[str, ...]] = {
    "zh-CN": ("没事[了|儿]", "没什么", "等等", "等一下", "稍等", "先等等"),
    "en": ("nothing", "wait", "hold on", "one moment", "just a moment"),
}


def talk_rules(language: Language, books: Sequence[PhraseBook]) -> tuple[Rule, ...]:
    """Return the rules for what is said beside requests, and for help, which asks every room what fits now."""
    table = {"thanks": _THANKS, "bye": _BYE, "who": _WHO, "never_mind": _NEVER_MIND}
    rules = [
        Rule(f"talk.{name}", phrases[language], _spoken(f"rules.{name}"), talk=True, speaks="no" if name == "never_mind" else "")
        for name, phrases in table.items()
    ]
    rules.append(Rule("talk.greeting", _GREETINGS[language], _greeted(books), talk=True))
    return (*rules, Rule("talk.help", _HELP[language], _help(books)))


def _spoken(message: str) -> Plan:
    return lambda asked: finished(asked.say(message))


def _greeted(books: Sequence[PhraseBook]) -> Plan:
    """Answer a greeting; where the session is on a subject, with what can be said of that."""

    def plan(asked: Asked) -> Steps:
        here = [book for book in opened(books, asked) if book.held]
        if not here:
            return Answer(asked.say("rules.greeting"))
        fitting = yield from _fitting(asked, here)
        return Answer("\n".join([asked.say("rules.greeting_here"), *_examples(asked, fitting[:FEW])]))

    return plan


def _examples(asked: Asked, phrases: Sequence[str]) -> list[str]:
    return [asked.say("rules.example", phrase=one) for one in phrases]


def _help(books: Sequence[PhraseBook]) -> Plan:
    def plan(asked: Asked) -> Steps:
        fitting = yield from _fitting(asked, books)
        return Answer("\n".join([asked.say("rules.help"), *_examples(asked, fitting[:EXAMPLES])]))

    return plan


def _fitting(asked: Asked, books: Sequence[PhraseBook]) -> Looks[list[str]]:
    found: list[str] = []
    mine = opened(books, asked)
    for book in mine:
        if book.hints is not None:
            found += yield from book.hints(asked)
    if len(found) < EXAMPLES:
        found += [phrase for book in mine for phrase in book.examples_for(asked.context) if phrase not in found]
    return found


def unread(asked: Asked, why: str, books: Sequence[PhraseBook]) -> Steps:
    """Say *why* nothing was done with words about the session's subject, and what can be said of that."""
    fitting = yield from _fitting(asked, [book for book in opened(books, asked) if book.held])
    return Answer("\n".join([why, asked.say("rules.instead"), *_examples(asked, fitting[:FEW])]), well=False)


def unmet(asked: Asked, why: Unmet, books: Sequence[PhraseBook], rules: Sequence[ReadyRule]) -> str:
    """Say why nothing was done, and the nearest thing that could be, of what this person has."""
    words = shown(why.words)
    if why.why != "unknown":
        return asked.say(f"rules.{why.why}", words=words)
    mine = opened(books, asked)
    examples = [book.examples_for(asked.context) for book in mine]
    absent = {book.room for book in books if not book.fits(asked.context)}
    patterns = [pattern for rule in rules if rule.room not in absent for pattern in rule.patterns]
    close = [] if why.negated else _close(why.words, [phrase for some in examples for phrase in some], patterns)
    lines = [asked.say("rules.unknown", words=words)]
    if close:
        lines.append(
            asked.say("rules.close", phrases=asked.say("rules.or").join(asked.say("rules.quoted", phrase=one) for one in close))
        )
    else:
        lines += [asked.say("rules.instead"), *_examples(asked, _first_of_each(examples))]
    return "\n".join(lines)


def _first_of_each(rooms: Sequence[Sequence[str]]) -> list[str]:
    """Return a few examples, the rooms taking turns."""
    longest = max((len(examples) for examples in rooms), default=0)
    return [examples[place] for place in range(longest) for examples in rooms if place < len(examples)][: EXAMPLES - 1]


def _close(words: str, examples: Sequence[str], patterns: Sequence[Pattern]) -> list[str]:
    """Return the phrases that *words* look most like. They are only named: nothing is ever done by likeness."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415  # only for what was not understood

    fixed = [phrase for pattern in patterns if "{" not in pattern.source for phrase in pattern.samples()[:1]]
    known = list(dict.fromkeys([*examples, *fixed]))
    found = process.extract(words.lower(), known, scorer=fuzz.ratio, limit=2, score_cutoff=CLOSE)
    return [phrase for phrase, _, _ in found]


def shown(words: str) -> str:
    """Return a person's words as they can be quoted: one line, bounded, nothing that a terminal obeys."""
    line = "".join(sign if sign.isprintable() else " " for sign in words)
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"

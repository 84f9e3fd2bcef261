"""Decides which operations the prose of a spec asks for, in both languages, and which it rules out. It must not read a line of capabilities.

What is ruled out counts for nothing: "merging is not needed" is no repair. Parts of a spec that say what is assumed or left out are
not read. A longer phrase wins over a word in it: to create a copy is to transform, not to create.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Final

_SPOKEN: Final[Mapping[str, tuple[str, ...]]] = {
    "build": ("build", "create", "建模", "创建", "新建", "构建", "建立"),
    "edit": ("edit", "modify", "编辑", "修改", "增删"),
    "transform": ("transform", "变换", "复制", "阵列"),
    "repair": ("repair", "clean up", "cleanup", "修复", "清理", "合并"),
    "refine": ("refine", "细分", "加密"),
    "define": ("define", "定义"),
    "assign": ("assign", "分配", "赋予", "指派"),
    "boundary": ("boundary", "boundaries", "support", "supports", "边界", "边界条件", "约束", "支撑"),
    "load": ("load", "loads", "载荷", "荷载", "加载"),
    "audit": ("audit", "审计", "检查", "核查"),
    "run": ("run", "solve", "求解", "运行", "计算"),
}
_CAPABILITY: Final = {word: capability for capability, words in _SPOKEN.items() for word in words}

# Patterns are tried from the top, and what one has read is gone for those below it.
_PATTERNS: Final = tuple(
    (capability, re.compile(pattern))
    for capability, pattern in (
        ("boundary", r"对称(?:约束|边界|条件|面约束)|symmetry (?:conditions?|constraints?|supports?|planes?)"),
        ("transform", r"(?:create|make|add|generat)\w*\s(?:\w+\s){0,3}?(?:copy|copies|array|duplicates? of)\b"),
        ("transform", r"(?:生成|创建|增加|新建|建立)[^,;。]{0,8}?(?:副本|拷贝|阵列|复制)"),
        (
            "repair",
            r"(?:remov|delet|drop|clean|eliminat)\w*\s(?:\w+\s){0,3}?(?:duplicat|coinciden|free|orphan|unused|loose)\w*(?: nodes?)?",
        ),
        ("repair", r"(?:删除|移除|去除|清除|去掉)[^,;。]{0,8}?(?:重复|重合|自由|孤立|游离|多余)[^,;。]{0,2}?(?:节点|单元|点)?"),
        ("define", r"(?:creat|mak|add|set|giv)\w*\s(?:\w+\s){0,3}?(?:materials?|sections?)\b(?! to)"),
        ("define", r"(?:创建|新建|建立|增加|添加|设置)[^,;。]{0,8}?(?:材料|截面)"),
        (
            "assign",
            r"(?:赋|分配|指派|给)[^,;。]{0,16}?截面|截面[^,;。]{0,16}?(?:赋|分配|指派)\w?|(?:giv|appl)\w*\s(?:\w+\s){0,4}?sections?\b",
        ),
        (
            "load",
            r"(?:施加|加上|作用)[^,;。]{0,16}?(?:力|压|载荷|荷载)|(?:appl)\w*\s(?:\w+\s){0,4}?(?:forces?|pressures?|loads?|gravity)\b",
        ),
        ("boundary", r"(?:施加|加上)[^,;。]{0,12}?(?:约束|固定|边界|支座)"),
        (
            "run",
            r"(?:运行|提交)[^,;。]{0,6}?(?:作业|分析|计算)|静力(?:分析|计算)|求解|solv(?:e|es|ed|ing)\b|static (?:analysis|job|run)",
        ),
        ("run", r"(?:run|submit)\w*\s(?:\w+\s){0,2}?(?:job|analysis|solver)|run_job"),
        (
            "boundary",
            r"固定|固支|铰支|简支|约束|支撑|支座|边界条件|boundary|boundaries|clamp\w*|constrain\w*|encastre|fix(?:es|ed|ing)?\b|pinned",
        ),
        ("boundary", r"\bsupport(?:s|ed)?\b|hold(?:s|ing)? (?:the|all|dofs?)"),
        ("load", r"载荷|荷载|面压|压力|集中力|重力|\bloads?\b|\bloaded\b|\bpressures?\b|\bforces?\b|\bgravity\b"),
        ("refine", r"细分|加密|二分|refin\w+|subdivi\w+|halv(?:e|es|ed|ing)\b"),
        (
            "define",
            r"定义|弹性模量|杨氏模量|泊松比|defin(?:e|es|ed|ing|ition|itions)\b|young'?s? modulus|elastic modulus|poisson",
        ),
        ("assign", r"分配|赋予|赋给|赋到|指派|assign\w*"),
        (
            "transform",
            r"复制|拷贝|平移|移动|旋转|镜像|镜面|阵列|变换|cop(?:y|ies|ied|ying)\b|translat\w+|mov(?:e|es|ed|ing)\b|rotat\w+",
        ),
        ("transform", r"mirror\w*|\barrays?\b|reflect\w*|transform\w*|对称"),
        (
            "repair",
            r"合并|缝合|去重|清理|修复|merg(?:e|es|ed|ing)\b|de-?duplicat\w+|clean(?:s|ed|ing)?[- ]?up|repair\w*|stitch\w*",
        ),
        ("audit", r"审计|审核|检查|核查|audit\w*|inspect\w*|\bcheck(?:s|ed|ing)?\b"),
        (
            "edit",
            r"删除|移除|增加|添加|新增|追加|补上|补充|编辑|修改|清空|替换|edit(?:s|ed|ing)?\b|delet\w+|remov\w+|insert\w*|append\w*",
        ),
        ("edit", r"\badd(?:s|ed|ing|ition)?\b|replac\w+|clear(?:s|ed|ing)?\b"),
        (
            "build",
            r"新建|创建|建立|建模|构建|生成|建(?=[一个块张片根条座]|[\d\s])|build\w*|built|creat(?:e|es|ed|ing|ion)\b|model a\b",
        ),
        ("build", r"generat(?:e|es|ed|ing)\b|mak(?:e|es|ing)\b"),
    )
)

_HEADS: Final = re.compile(
    r"^[\s#>*\-\d.)、]*(?:\*\*)?(?P<head>"
    r"做什么|目标|尺寸|坐标|区域|选择|追加还是替换|追加或替换|清理要求|清理|假设|限制|能力边界|不做|能力顺序|"
    r"what|goal|dimensions?|coordinates?|regions?|selection|append or replace|clean[- ]?up|assumptions?|limits?|out of scope|capabilities)"
    r"(?:\([^)]*\))?(?:\*\*)?\s*(?:[::]|$)(?:\*\*)?"
)
_ITEM: Final = re.compile(r"\s*(?:[-*•]|\d+[.)、])")
_NOT_READ: Final = frozenset(
    {
        "追加还是替换",
        "追加或替换",
        "假设",
        "限制",
        "能力边界",
        "不做",
        "能力顺序",
        "append or replace",
        "assumption",
        "assumptions",
    }
    | {"limit", "limits", "out of scope", "capabilities"}
)

_NO_NEGATION: Final = re.compile(
    r"不锈钢|不同|不变|不大于|不小于|不超过|不少于|不低于|不高于|不得不|不仅|不但|不只|不要忘(?:记|了)?|别忘(?:记|了)?|无缝|无量纲"
    r"|not only|no later than|no more than|no less than|not more than|not less than|(?:don't|do not|never) forget(?: to)?"
)
_ALREADY: Final = re.compile(
    r"(?:已经?|未)被?(?:分配|赋予?|合并|定义|细分|加密|固定|约束|复制|镜像|删除|审计|检查|施加|求解)"
    r"|(?:现有|原有|已有|原来)的?(?:载荷|荷载|支承|约束|边界|截面|材料)?"
    r"|\b(?:already|previously|existing)\s+\w+|\b(?:\w+ed|built)\s+already\b"
)
"""What tells of how things are, not of what is to be done."""
_NEVER: Final = re.compile(
    r"不|别(?!名)|勿|无需|无须|毋需|禁止|避免|跳过|省略|没有|而非"
    r"|\b(?:not?|without|never|nor|neither|skip\w*|avoid\w*|omit\w*|exclud\w*|cannot)\b|n't\b|instead of|rather than"
)
_NEVER_AT_END: Final = re.compile(
    r"(?:不需要|不用|不必|不做|不进行|无需|无须|否|无|没有|\bnone|\bno|\bnot(?: be)? (?:needed|required|wanted|necessary|planned)|\bunnecessary)[\s了。.]*$"
)
_CLAUSE: Final = re.compile(r"[,;]|但是?|而是|只(?=[^有]|$)|仅|然后|\bbut\b|\bonly\b|\bthen\b")
_SENTENCE: Final = re.compile(r"[。!?\n]|\.(?=\s|$)")
_GOES_ON: Final = re.compile(r"\b(?:or|nor)\b|或")


def spoken(word: str) -> str | None:
    """Return the capability that a single word names, in either language; None for any other word."""
    return _CAPABILITY.get(word.strip().casefold())


def meant(spec: str, capabilities: frozenset[str]) -> frozenset[str]:
    """Return which of *capabilities* the prose of *spec* asks for."""
    found: set[str] = set()
    for sentence in _sentences(spec):
        for clause in _clauses(sentence):
            found |= set(_asked(clause))
    return frozenset(found & capabilities)


def _sentences(spec: str) -> Iterator[str]:
    """Yield the sentences that say what is to be done, in small letters and with half-width punctuation.

    A head that is not read covers what stands behind it and its list; a head alone on its line covers all up to the next head.
    """
    text = unicodedata.normalize("NFKC", spec).casefold().replace("’", "'")
    read, whole_section = True, False
    for line in text.splitlines():
        head = _HEADS.match(line)
        said = line[head.end() :] if head else line
        if head is not None:
            read, whole_section = head["head"] not in _NOT_READ, not said.strip()
        elif not whole_section and not _ITEM.match(line):
            read = True
        if read:
            yield from _SENTENCE.split(said)


def _clauses(sentence: str) -> list[str]:
    """Return the clauses of a sentence; in a list under one negation ("no merging, copying or refining") each gets its own."""
    said = _NO_NEGATION.sub(" ", sentence)
    clauses, commas = _CLAUSE.split(said), [between == "," for between in _CLAUSE.findall(said)]
    for last in range(len(clauses) - 1, 0, -1):
        if not _GOES_ON.search(clauses[last]):
            continue
        first = last
        while first > 0 and commas[first - 1] and not _NEVER.search(clauses[first]):
            first -= 1
        if _NEVER.search(clauses[first]):
            clauses[first + 1 : last + 1] = [f"not {clause}" for clause in clauses[first + 1 : last + 1]]
    return clauses


def _asked(clause: str) -> Iterator[str]:
    """Yield the capabilities that a clause asks for: not those after a negation, and none where it ends with one."""
    if _NEVER_AT_END.search(clause):
        return
    negation = _NEVER.search(clause)
    wanted = _ALREADY.sub("\0", clause[: negation.start()] if negation else clause)
    for capability, pattern in _PATTERNS:
        wanted, found = pattern.subn("\0", wanted)
        if found:
            yield capability

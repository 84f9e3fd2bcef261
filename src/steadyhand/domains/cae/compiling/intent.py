"""Decides what a person's own words ask for where a call may only do what was asked: sets, and deleting. It must not read a call.

The questions are answered from clauses, and a negated clause asks for nothing. In doubt the answer is no: what is left out is said
on the review, where a person can ask for it.
"""

import re
from typing import Final

_CLAUSES: Final = re.compile(
    r"[,;:!?。，；：！？、\n]|\.(?!\d)|\b(?:and then|then|and|but|before|after that|afterwards)\b|然后|之后|并且|并|再|后",
    re.IGNORECASE,
)
_NO: Final = re.compile(
    r"不|别|勿|莫|无需|无须|没(?!问题)|未|\bno\b|\bnot\b|n't\b|n’t\b|\bnever\b|\bwithout\b|\bavoid\b|\binstead of\b|\brather than\b",
    re.IGNORECASE,
)
_NO_BUT_YES: Final = re.compile(
    r"(?:不要|别|勿|不能|不可)(?:忘|漏|遗)(?:记|了|掉)?|\b(?:don't|don’t|do not|never)\s+forget\b|不但|不仅|不只|\bnot only\b",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(r"吗|是否|要不要|能不能|^\s*should\b|^\s*shall\b", re.IGNORECASE)

_SET_NOUN: Final = re.compile(
    r"集合|单元集|节点集|点集|集组|分组|编组|编成组|成组|归组|建组|组名|\b(?:elset|nset)s?\b|\bsets\b|\bgroup(?:s|ed)?\b"
    r"|\b(?:a|an|the|this|one|two|new|another|each|every|own|named|element|node|shell|beam|of|in|into|from|on)\s+set\b"
    r"|\bset\s+(?:named|called|of|for|with|containing)\b|(?<![A-Za-z])(?-i:Set)(?![A-Za-z])(?!\s+(?:the|a|its|all|up|to)\b|(?:\s+\S+){1,3}\s+(?:to|at|as|=)(?:\s|$))"
    r"|[\u4e00-\u9fff]\s*set(?![A-Za-z])",
    re.IGNORECASE,
)
_SET_OF_ITS_OWN: Final = re.compile(r"\bset\s+[\"'“「]?(?-i:[A-Z][A-Z0-9_-]{1,})\b(?!\s*(?:to|=|at|as)\b)", re.IGNORECASE)
_SET_SHORT: Final = re.compile(r"(?<![收采密聚云募征汇搜])集(?![中成合装体总])")
_NAMING: Final = re.compile(
    r"命名|起名|取名|叫做|名为|名叫|称为|\bname(?:d)?\b|\bcalled\b|\blabel(?:l?ed)?\s+(?:it|them|as)\b", re.IGNORECASE
)
_OTHER_NAMED: Final = re.compile(
    r"材料|截面|载荷|荷载|力|压|约束|支座|边界|作业|算例|任务|部件|模型|零件|\bmaterials?\b|\bsections?\b|\bloads?\b|\bforces?\b|\bpressures?\b"
    r"|\bsupports?\b|\bboundar|\bjobs?\b|\bparts?\b|\bmodels?\b",
    re.IGNORECASE,
)
_REFERS: Final = re.compile(
    r"(?:删除|删掉|移除|去掉|取消|选择|选取|选中|固定|约束|复制|平移|旋转|镜像|细分|加密|给|对|把|在|用|按|沿|清空)[^，。；]{0,12}集"
    r"|集合?\s*[A-Za-z0-9_\-“”\"']{1,80}\s*(?:的|中|里|内|上)"
    r"|\b(?:of|in|on|from|within|using|fix|refine|delete|remove|drop|copy|move|rotate|mirror|hold|to)\s+(?:the\s+|this\s+|that\s+)?"
    r"(?:\w+\s+)?(?:element\s+|node\s+)?sets?\b",
    re.IGNORECASE,
)
_MAKES: Final = re.compile(
    r"建|创|新增|添加|加入|定义|生成|设(?:置|为|成)|做|放入|放进|归入|归为|归到|编|存|保存|记为|成|命名|起名|取名|叫|名为"
    r"|\bcreate|\bmake|\bbuild|\bdefine|\badd\b|\bput\b|\bcollect|\bstore|\bsave|\bgather|\bform\b|\binto\b|\bas\b|\bname|\bcalled\b|\bgroup|\bwith\b",
    re.IGNORECASE,
)
_REMOVES: Final = re.compile(r"删|移除|去掉|取消|清除|清空|\bdelete|\bremove|\bdrop|\bdissolve|\bget rid of\b", re.IGNORECASE)
_DELETES: Final = re.compile(
    rf"{_REMOVES.pattern}|去除|替换|换成|换掉|\bdeleting|\bremoving|\breplac|\bclear|\berase|\bwipe", re.IGNORECASE
)


def _clauses(request: str) -> list[str]:
    clauses = (_NO_BUT_YES.sub("", clause).strip() for clause in _CLAUSES.split(request))
    return [clause for clause in clauses if clause]


def _negated(clause: str) -> bool:
    return _NO.search(clause) is not None


def _speaks_of_sets(clause: str) -> bool:
    if _SET_NOUN.search(clause) or _SET_OF_ITS_OWN.search(clause) or _SET_SHORT.search(clause):
        return True
    return _NAMING.search(clause) is not None and _OTHER_NAMED.search(clause) is None


def asks_for_sets(request: str) -> bool:
    """Tell whether the person asks for a set to be made: not whether one is merely referred to, as in "fix the nodes of set EDGE"."""
    return any(
        _speaks_of_sets(clause) and not _negated(clause) and (_MAKES.search(clause) is not None or _REFERS.search(clause) is None)
        for clause in _clauses(request)
    )


def asks_to_remove_sets(request: str) -> bool:
    """Tell whether the person asks for sets to go."""
    return any(_speaks_of_sets(clause) and not _negated(clause) and _REMOVES.search(clause) for clause in _clauses(request))


def asks_to_delete(request: str) -> bool:
    """Tell whether the person asks for anything to go."""
    return any(_DELETES.search(clause) and not _negated(clause) and not _ASKS.search(clause) for clause in _clauses(request))


_ZH_NEUTRAL: Final = (
    r"现有|已有|原有|原来|当前|目前|旧|老|的|所有|全部|整个|一切|全|都|单元|节点|几何|网格|模型|部件|零件|结构|内容|东西|它们|和|与|及|以及|连同"
    r"|请|先|我|要|想|帮|给|把|将|里面|里|中|上|掉|了|吧|重新|一下|part|QUAD|TRI|BEAM|\s"
)
_ZH_TAKE: Final = re.compile(
    rf"^(?:{_ZH_NEUTRAL})*(?:删除|删掉|删光|删去|删|清除|清掉|清光|移除)(?:{_ZH_NEUTRAL})*$", re.IGNORECASE
)
_ZH_WHOLE: Final = re.compile(r"所有|全部|整个|一切|全|都|光|(?:现有|已有|原有|旧)的?(?:模型|部件|零件|几何|网格|结构)")
_ZH_CLEAR: Final = re.compile(rf"^(?:{_ZH_NEUTRAL})*清空(?:{_ZH_NEUTRAL})*$", re.IGNORECASE)
_ZH_REPLACE: Final = re.compile(
    r"(?:整体|全部|整个|完全)(?:替换|换成|换掉|重建|重做|重画|改成)|(?:替换|换掉|重建|重做)(?:掉)?(?:整个|全部|所有)(?:的)?"
    r"(?:模型|部件|零件|几何|网格|结构|内容|part|$)|推倒重来|从头(?:再|重新)?(?:来|建|画|做)|从零(?:开始)?重(?:建|新建|来)",
    re.IGNORECASE,
)
_EN_OBJECT: Final = (
    r"(?:everything|it all|all of (?:it|them)|all|(?:all |all of )?(?:the |its |this |that )?(?:whole |entire |existing |current |present |old )*"
    r"(?:part|model|mesh|geometry|structure|contents?|elements?(?: and nodes)?|nodes?(?: and elements)?))"
)
_EN_TAKE: Final = re.compile(
    rf"^(?:please |now |first |i want to |i'd like to |let us |let's |can you |could you )*"
    rf"(?:delete|remove|clear|erase|wipe|wipe out|scrap|discard|throw away|get rid of)(?: out)?\s+(?P<object>{_EN_OBJECT})"
    r"(?:\s+(?:that is|that's|which is|in|of|from)\s+(?:there|here|it|(?:the |this )?(?:whole |entire |existing |current )?(?:part|model)))?"
    r"(?:\s+(?:first|now|please|completely|entirely|at once))*$",
    re.IGNORECASE,
)
_EN_WHOLE: Final = re.compile(r"\b(?:everything|all|whole|entire|part|model|mesh|geometry|structure|contents?)\b", re.IGNORECASE)
_EN_REPLACE: Final = re.compile(
    r"\breplace (?:everything|it all|all of it|(?:the |this )(?:whole|entire)\b|all (?:the |of the )?(?:existing |current |old )?"
    r"(?:elements|geometry|mesh|contents?)\b)|\bstart (?:over|afresh|from scratch)\b|\b(?:rebuild|redo|remodel)\b.*\bfrom scratch\b",
    re.IGNORECASE,
)


def asks_to_clear_all(request: str) -> bool:
    """Tell whether the person asks in so many words for everything to be deleted or replaced.

    "Delete all free nodes" and "delete everything in this box" ask for less and are no such words.
    """
    joined = re.sub(r"\b(elements|nodes)\s+and\s+(nodes|elements)\b", r"\1", request, flags=re.IGNORECASE)
    joined = re.sub(r"(节点|单元)\s*[、和与及]\s*(单元|节点)", r"\1\2", joined)
    return any(not _negated(clause) and not _ASKS.search(clause) and _is_whole(clause) for clause in _clauses(joined))


def _is_whole(clause: str) -> bool:
    if _ZH_REPLACE.search(clause) or _EN_REPLACE.search(clause) or _ZH_CLEAR.search(clause):
        return True
    if _ZH_TAKE.search(clause) and _ZH_WHOLE.search(clause):
        return True
    taken = _EN_TAKE.search(clause)
    return taken is not None and _EN_WHOLE.search(taken["object"]) is not None

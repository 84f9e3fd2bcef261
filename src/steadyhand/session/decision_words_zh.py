"""Decides which Chinese words, as a whole message, answer a review; it must never hold a word that can mean neither.

Assent that holds a mark of negation (没问题) counts only where `EXCEPT` names it: negation is read first.
"""

YES: frozenset[str] = frozenset(
    {
        *("好", "好的", "好啊", "好呀", "好嘞", "好滴", "好吧", "可以", "可以的", "可以啊", "行", "行的", "行啊", "行吧"),
        *("同意", "我同意", "批准", "我批准", "批准吧", "确认", "我确认", "确认吧", "通过", "是", "是的", "对", "对的"),
        *("执行", "执行吧", "请执行", "开始执行", "确认执行", "同意执行", "批准执行", "可以执行", "照此执行", "照做", "照办"),
        *("没问题", "没问题的", "没有问题", "提交吧", "请提交", "提交上去吧"),
        *("就这样", "就这样吧", "就这么办", "就这么做", "当然", "当然可以", "確認", "執行", "ok的", "ok啊"),
    }
)

GO_ON: frozenset[str] = frozenset(
    {"继续", "请继续", "继续吧", "接着", "接着来", "接着做", "往下", "继续写", "再试一次", "再试试"}
)
"""Asks to go on with what waits for a provider; it is no assent, and decides nothing."""

NO: frozenset[str] = frozenset(
    {
        *(
            "不",
            "不要",
            "不行",
            "不可以",
            "不同意",
            "我不同意",
            "不批准",
            "不确认",
            "不用",
            "不用了",
            "不想",
            "不执行",
            "不要执行",
        ),
        *(
            "别",
            "别执行",
            "否",
            "拒绝",
            "我拒绝",
            "驳回",
            "取消",
            "取消吧",
            "算了",
            "算了吧",
            "作废",
            "放弃",
            "还是不要",
            "还是算了",
        ),
    }
)

NOT_NOW: frozenset[str] = frozenset(
    {
        *(
            "等等",
            "等一下",
            "等一等",
            "等会儿",
            "等会",
            "等下",
            "稍等",
            "稍等一下",
            "先等等",
            "先等一下",
            "再等等",
            "慢着",
            "且慢",
        ),
        *("停", "停下", "停一下", "停停", "打住", "先停", "先停一下", "先别", "先别动", "先别执行", "先不", "先不要", "先不用"),
        *("不对", "不对不对", "不太对", "不对劲", "不是", "不是这样", "不是这个", "不是这个意思", "错了", "弄错了", "搞错了"),
        *("还没", "还不行", "还不要", "暂时不要", "暂时不", "暂不", "先放着", "先放一放", "现在不要", "现在先不要"),
        *("待会儿", "待会儿再说", "晚点", "晚点再说", "以后再说", "回头再说", "再说", "再想想", "我再想想", "让我想想", "我想想"),
        *("再看看", "我再看看", "先缓缓", "不着急"),
    }
)
"""Say no for now: the change waits on, and nothing is decided."""

TAKE_BACK: frozenset[str] = frozenset(
    {
        *(
            "撤回",
            "撤回吧",
            "撤回一下",
            "撤回它",
            "撤销",
            "撤销吧",
            "撤销一下",
            "撤销它",
            "收回",
            "收回吧",
            "退回",
            "回退",
            "退一步",
        ),
        *("请撤回", "请撤销", "撤回这个", "撤销这个", "把它撤回", "把这个撤回", "刚才的撤回", "撤回刚才的", "撤销刚才的"),
    }
)
"""Asks to take back what came last, and does not say what that is."""

REVIEW: frozenset[str] = frozenset(
    {
        *("审阅", "审阅一下", "再审阅", "再审阅一下", "再审阅一遍", "重新审阅", "请审阅", "再看看", "再看一下", "再看一遍"),
        *("再给我看看", "再给我看一遍", "看审阅", "看看审阅", "的审阅", "看的审阅", "看看的审阅", "看 的审阅", "看看 的审阅"),
    }
)
"""With a change's name: asks for its review to be shown again."""

FILLER: frozenset[str] = frozenset({"嗯", "请", "谢谢", "谢谢你", "多谢", "麻烦了", "辛苦了"})
"""Words that change nothing beside a yes or a no, and alone are neither."""

NEGATIONS: tuple[str, ...] = (
    *("不", "别", "没", "未", "勿", "莫", "否", "拒", "取消", "算了", "作废", "放弃", "驳回"),
    *("先", "等", "再想", "再看", "但", "可是", "除了", "除非", "如果", "要是", "万一"),
)
"""Where one of these stands, a message is never a yes."""

QUESTIONS: tuple[str, ...] = ("吗", "呢", "么", "什么", "怎么", "为何", "是否", "谁", "哪", "几", "多少", "对吧", "是吧")
"""Where one of these stands, a message asks, and a question decides nothing."""

EXCEPT: tuple[str, ...] = ("就这么", "没问题", "没有问题")
"""Phrases that hold a mark of the lists above and are meant otherwise."""

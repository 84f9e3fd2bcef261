"""Decides which Chinese words, as a whole message, are a yes or a no; it must never hold a word that can mean neither.

Assent that is worded as a negation (没问题, 没错) stands in none of the lists: negation is read first.
"""

YES: frozenset[str] = frozenset(
    {
        *("好", "好的", "好啊", "好呀", "好嘞", "好滴", "好吧", "可以", "可以的", "可以啊", "行", "行的", "行啊", "行吧"),
        *("同意", "我同意", "批准", "我批准", "批准吧", "确认", "我确认", "确认吧", "通过", "是", "是的", "对", "对的"),
        *("执行", "执行吧", "请执行", "开始执行", "确认执行", "同意执行", "批准执行", "可以执行", "照此执行", "照做", "照办"),
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

FILLER: frozenset[str] = frozenset({"嗯", "请", "谢谢", "谢谢你", "多谢", "麻烦了", "辛苦了"})
"""Words that change nothing beside a yes or a no, and alone are neither."""

NEGATIONS: tuple[str, ...] = (
    *("不", "别", "没", "未", "勿", "莫", "否", "拒", "取消", "算了", "作废", "放弃", "驳回"),
    *("先", "等", "再想", "再看", "但", "可是", "除了", "除非", "如果", "要是", "万一"),
)
"""Where one of these stands, a message is never a yes."""

QUESTIONS: tuple[str, ...] = ("吗", "呢", "么", "什么", "怎么", "为何", "是否", "谁", "哪", "几", "多少", "对吧", "是吧")
"""Where one of these stands, a message asks, and a question decides nothing."""

EXCEPT: tuple[str, ...] = ("就这么",)
"""Phrases that hold a mark of the lists above and are meant otherwise."""

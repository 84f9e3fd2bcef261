"""Decides how parts are asked about in Chinese; it must not hold a phrase that changes one."""

from collections.abc import Mapping
from typing import Final

_LOOK = "(看|看看|看一下|看下|查看|查看一下|查一下|显示|显示一下|列出|给我看|给我看看|观察|观察一下)"
_SEE = _LOOK.replace("|列出", "")
_PARTS = "(部件|零件)"
_OF = "[这个|当前|现在的|我的]"
_CELLS = "(有哪些单元|的单元有哪些|的单元|里的单元|上的单元|的所有单元)"
_NODES = "(有哪些节点|的节点有哪些|的节点|里的节点|上的节点|的所有节点)"
_IN = "[部件{part}|部件{part}的|{path}的]"
_WHOSE = "部件{part}[里|中]|{path}[里|中]|这个部件[里|中]|当前部件[里|中]|部件[里|中]|零件[里|中]|模型|网格"
_OWN = "部件{part}的|{path}的|部件的"
_RESULT = "(位移|变形|挠度|应力|von mises 应力|mises 应力)"

PHRASES: Final[Mapping[str, tuple[str, ...]]] = {
    "list_parts": (
        f"[{_LOOK}][我的|所有|全部]{_PARTS}(列表|清单)",
        f"列出[我的|所有|全部]{_PARTS}",
        f"[我][现在|都|一共]有(哪些|什么|多少|几个){_PARTS}",
        f"{_PARTS}(有哪些|都有哪些|有几个)",
        f"{_LOOK}[我的|所有|全部]{_PARTS}有哪些",
    ),
    "observe_part": (
        f"{_SEE}{_OF}{_PARTS}",
        f"{_LOOK}{_PARTS}{{part}}",
        f"{_LOOK}{{part:path}}",
        f"{_OF}{_PARTS}(怎么样|什么情况|是什么样|的情况|的概况|概况|信息|的信息|摘要)",
        f"{_PARTS}{{part}}(怎么样|什么情况|是什么样|的情况|的概况|概况|信息|的信息|摘要)",
        "{part:path}(怎么样|什么情况|的情况|的概况|概况|信息|的信息)",
        f"{_OF}{_PARTS}[里|中|上]有(哪些|什么)(集合|材料|截面|载荷|荷载|支承|约束|材料和截面|载荷和支承)",
        f"{_PARTS}{{part}}[里|中|上]有(哪些|什么)(集合|材料|截面|载荷|荷载|支承|约束)",
        f"{_OF}{_PARTS}(多大|有多大|尺寸是多少|的尺寸|的包围盒|的包围盒是多少)",
        "(模型|网格)有多大",
        "哪些单元(没有|还没有|没分配)截面",
        "(部件|零件)[上]加了(哪些|什么)(载荷|荷载|约束|支承)",
    ),
    "observe_part.nodes": (
        f"[{_WHOSE}][一共|总共|共]有(多少|几个|多少个)节点",
        f"[{_WHOSE}]节点(有多少|有几个|有多少个|数|总数|数量|的数量)[是多少]",
    ),
    "observe_part.elements": (
        f"[{_WHOSE}][一共|总共|共]有(多少|几个|多少个)单元",
        f"[{_WHOSE}]单元(有多少|有几个|有多少个|数|总数|数量|的数量)[是多少]",
    ),
    "observe_part.both": (
        f"[{_WHOSE}][一共|总共|共]有(多少|几个|多少个)(单元和节点|节点和单元)",
        "(单元和节点|节点和单元)(有多少|的数量)",
    ),
    "part_results": (
        f"[{_OWN}](最大|最高)[的]{_RESULT}[是|有|在][多少|多大|几|哪里|哪儿]",
        f"[{_OWN}]{_RESULT}(最大|最高)[值]是(多少|几)",
        f"[{_OWN}]{_RESULT}最大(的地方)?在(哪里|哪儿)",
        f"[{_OWN}][求解|计算|分析]结果(怎么样|如何|是什么|是多少|呢)",
        f"{_LOOK}[{_OWN}](结果|求解结果|计算结果|分析结果|反力|应力|位移)",
        f"[{_OWN}](反力|支反力|支座反力|反作用力)[是|有][多少|多大]",
        "算出来怎么样",
    ),
    "inspect_region": (
        f"{_LOOK}{_OF}{_PARTS}[的](分布|区域|分区|连通分量|站位|空间分布)",
        f"{_LOOK}{_PARTS}{{part}}的(分布|区域|分区|连通分量|站位|空间分布)",
        f"{_OF}{_PARTS}[的](区域|分布|连通分量)(有哪些|怎么样|是什么样|情况)",
        f"{_OF}{_PARTS}[有|由](几块|几个连通分量|几部分)[组成]",
        f"{_OF}{_PARTS}(哪里有什么|的哪里有什么|各处有什么)",
        "(单元|集合)(分布|分布在哪里|在哪里|都在哪里)",
        "(区域|空间)(索引|分布)",
    ),
    "inspect_detail.elements_sets": (f"[{_LOOK}]{_IN}集合{{name}}{_CELLS}",),
    "inspect_detail.nodes_sets": (f"[{_LOOK}]{_IN}集合{{name}}{_NODES}",),
    "inspect_detail.elements_labels": (f"{_LOOK}{_IN}单元{{labels}}[号]", "单元{labels}[号](在哪里|是什么|的信息|的节点|的详情)"),
    "inspect_detail.nodes_labels": (
        f"{_LOOK}{_IN}节点{{labels}}[号]",
        "节点{labels}[号](在哪里|的坐标|坐标是多少|的信息|的详情)",
    ),
    "inspect_detail.elements_sides": (f"[{_LOOK}]{_IN}{{side}}[一侧|一边|一端]{_CELLS}",),
    "inspect_detail.nodes_sides": (f"[{_LOOK}]{_IN}{{side}}[一侧|一边|一端]{_NODES}",),
    "inspect_detail.elements_planes": (f"[{_LOOK}]{_IN}{{axis}} = {{length}}[处|平面]{_CELLS}",),
    "inspect_detail.nodes_planes": (f"[{_LOOK}]{_IN}{{axis}} = {{length}}[处|平面]{_NODES}",),
    "inspect_detail.elements_boxes": (f"{_LOOK}{_IN}盒 {{point1:point}}(到|至){{point2:point}}[内|里|中]的单元",),
    "inspect_detail.nodes_boxes": (f"{_LOOK}{_IN}盒 {{point1:point}}(到|至){{point2:point}}[内|里|中]的节点",),
    "inspect_detail.elements_everything": (f"{_LOOK}{_IN}(所有|全部)[的]单元", "列出单元"),
    "inspect_detail.nodes_everything": (f"{_LOOK}{_IN}(所有|全部)[的]节点", "列出节点", "节点坐标"),
}

EXAMPLES: Final = ("有哪些部件", "看看部件", "部件的区域有哪些", "节点 12 的坐标")

UNDO: Final = (
    "(撤销|撤回|回退|还原)",
    "(撤销|撤回|回退|还原)[部件{part}的|{path}的|部件的|这个部件的](上一次|上次|最近一次|最后一次|上一个|上一步|最近的|最后的)[的](修改|改动|变更|更改|操作)",
    "(撤销|撤回|回退)(上一次|上一步|上次|最后一步|这一步|一步|刚才的|刚才那步)",
    "(撤销|撤回|回退|还原)(刚才的|刚才那次)(修改|改动|变更|更改|操作)",
    "(撤销|撤回|回退)[对]部件{part}(的修改|的改动|的变更)",
)
EXAMPLES_OF_CHOSEN: Final = ("最大应力是多少", "有几个节点", "撤销上一次修改")

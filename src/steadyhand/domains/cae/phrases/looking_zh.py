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
        f"{_OF}{_PARTS}[里|中]有(多少|几个)(单元|节点|单元和节点|节点和单元)",
        f"{_PARTS}{{part}}[里|中]有(多少|几个)(单元|节点|单元和节点|节点和单元)",
        f"{_OF}{_PARTS}[里|中|上]有(哪些|什么)(集合|材料|截面|载荷|荷载|支承|约束|材料和截面|载荷和支承)",
        f"{_PARTS}{{part}}[里|中|上]有(哪些|什么)(集合|材料|截面|载荷|荷载|支承|约束)",
        f"{_OF}{_PARTS}(多大|有多大|尺寸是多少|的尺寸|的包围盒|的包围盒是多少)",
        "(模型|网格)(有多少单元|有多少节点|有多大)",
        "有多少(单元|节点)",
        "单元(和节点)(有多少|的数量)",
        "哪些单元(没有|还没有|没分配)截面",
        "(部件|零件)[上]加了(哪些|什么)(载荷|荷载|约束|支承)",
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

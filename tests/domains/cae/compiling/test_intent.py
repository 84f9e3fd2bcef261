"""A call may make a set, or delete everything, only where the person's own words ask for it; a negation is read first."""

import pytest

from steadyhand.domains.cae.compiling.intent import asks_for_sets, asks_to_clear_all, asks_to_remove_sets

CLEARS = """
全部删除
把现有单元全部删除，然后建 60x100 的板
清空
清空部件再建一块板
整体替换为 60×100 的板
请删除所有单元和节点
删除所有节点、单元
推倒重来
把整个模型都删了
全部删掉后重新建
不要忘记清空部件
Delete everything and build a plate
delete all elements and nodes, then build
please clear the part
replace the whole part with a 60x100 plate
start over
clear everything first
Remove all the existing geometry.
wipe the entire mesh
""".strip().splitlines()
CLEARS_NOTHING = """
不要全部删除
别清空部件
要不要全部删除？
删除所有自由节点
把重复单元全部删除
删除所有 TRI 单元上的重复
清空集合 A
删除 x=0 处的全部单元
删除左侧所有单元
删除节点 5
增加一个 TRI
do not replace the whole part
don't delete everything
should everything be deleted?
delete everything in this box
delete all free nodes
delete all beams
delete all elements on the left side
delete elements 3 and 4
build a plate without deleting everything
""".strip().splitlines()
ASKS = """
建一块板并建立集合 PLATE
把新单元放入集合 A
单元集命名为 DECK
加一块 TRI，命名为 PATCH
不要忘记建集合
新单元分组
建Set
存成一个集
create a set named DECK
make a plate and put it into a set
add an element set LEFT
group the new elements
Create plate 60x100 with set HULL
build it, name it DECK
make two sets
put it in set HULL and create set LEFT
collect the elements as set TOP
don't forget to make a set of them
""".strip().splitlines()
ASKS_NOT = """
不要建集合
建一块板，别建集合
没有集合
增加一个 TRI
60×100 的平面板
沿短边加集中力 100 N
收集所有问题
固定集合 EDGE 的节点
材料命名为 Steel
建一个长方体组合结构
请设置厚度
set the thickness to 2
Set E to 210000
set E to 210000
without any sets
don't create sets
no set please
fix the nodes of set EDGE
a material named Steel
delete all elements in set DECK
refine the set DECK twice
build a plate
""".strip().splitlines()


@pytest.mark.parametrize("request_", CLEARS)
def test_everything_goes_when_the_person_says_so(request_):
    assert asks_to_clear_all(request_)


@pytest.mark.parametrize("request_", CLEARS_NOTHING)
def test_everything_stays_when_less_is_asked_for_or_it_is_negated_or_asked_about(request_):
    assert not asks_to_clear_all(request_)


@pytest.mark.parametrize("request_", ASKS)
def test_a_set_is_asked_for(request_):
    assert asks_for_sets(request_)


@pytest.mark.parametrize("request_", ASKS_NOT)
def test_no_set_is_asked_for_by_a_negation_another_word_or_a_mention(request_):
    assert not asks_for_sets(request_)


@pytest.mark.parametrize(
    ("request_", "asked"),
    [
        ("删除集合 A", True),
        ("remove the set DECK", True),
        ("delete all sets", True),
        ("不要删除集合 A", False),
        ("删除单元 3", False),
        ("建集合 A", False),
        ("keep the sets, do not remove the set DECK", False),
    ],
)
def test_sets_go_only_when_that_is_asked_for(request_, asked):
    assert asks_to_remove_sets(request_) is asked

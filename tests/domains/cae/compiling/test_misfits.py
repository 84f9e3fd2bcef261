"""What is wrong with an argument is told in words, with its place and with what is allowed there."""

import pytest

from steadyhand.domains.cae.compiling.accepting import read
from steadyhand.domains.cae.compiling.refusing import Unfit
from steadyhand.gate.lines import reason_text

MATERIAL = {"name": "S", "youngs": 210000, "poisson": 0.3}
BAR = {"name": "B", "material": "S", "profile": "RECT", "dimensions": [4, 6]}
MOVE = {"kind": "translate", "region": {"all": True}, "vector": [0, 0, 5], "copy_elements": True}
CORNER = {"id": "A", "coordinates": [0, 0, 0]}


def material(**more):
    return "define_property", {"materials": [{**MATERIAL, **more}]}


def bar(**more):
    return "define_property", {"beam_sections": [{**BAR, **more}]}


def move(**more):
    return "transform_part", {"operations": [{**MOVE, **more}]}


def build(*nodes, **more):
    return "build_part", {"nodes": list(nodes), "elements": [], **more}


CASES = [
    (bar(profile="PIPES"), "beam_sections[0].profile must be one of RECT, CIRC, PIPE, BOX", "只能是 RECT, CIRC, PIPE, BOX 之一"),
    (build(element_sets=[{"name": "A"}]), "element_sets[0].element_ids is missing", "缺少 element_sets[0].element_ids"),
    (material(name="9"), "materials[0].name is no name: a letter first", "以字母开头"),
    (material(poisson=0.5), "materials[0].poisson must be less than 0.5", "应小于 0.5"),
    (material(poisson=-1), "must be greater than -1", "应大于 -1"),
    (material(youngs=1e13), "must be at most 1e+12", "不能大于 1e+12"),
    (material(density=-1), "must be at least 0", "不能小于 0"),
    (material(youngs="much"), "materials[0].youngs must be a number", "应是数字"),
    (material(name=5), "materials[0].name must be text", "应是文字"),
    (material(colour="red"), "materials[0].colour is no argument that is known there", "不是那里认识的参数"),
    (bar(dimensions=[1] * 7), "dimensions may have at most 6 entries", "最多 6 项"),
    (bar(dimensions=[]), "dimensions must have at least 1 entries", "至少要有 1 项"),
    (bar(dimensions=3), "dimensions must be a list", "应是列表"),
    (build({**CORNER, "coordinates": [0, 0, 0, 0]}), "nodes[0].coordinates may have at most 3 entries", "最多 3 项"),
    (build(5), "nodes[0] must be an object", "应是对象"),
    (build({**CORNER, "id": "x" * 65}), "nodes[0].id may have at most 64 characters", "最多 64 个字符"),
    (build({**CORNER, "id": ""}), "nodes[0].id must have at least 1 characters", "至少要有 1 个字符"),
    (build({**CORNER, "id": "a\nb"}), "nodes[0].id holds a mark that is not printed", "不可打印"),
    (("refine_mesh", {"levels": 1.5}), "levels must be a whole number", "应是整数"),
    (move(copy_elements="yes"), "operations[0].copy_elements must be true or false", "应是 true 或 false"),
    (move(region={}), "operations[0].region must say a region in exactly one way", "只能用一种方式说区域"),
    (move(kind="jump"), "operations[0].kind must be one of translate, rotate, mirror", "operations[0].kind 只能是"),
    (("transform_part", {"operations": [{"region": {"all": True}}]}), 'operations[0] must say its "kind"', "要写明"),
]


@pytest.mark.parametrize(("call", "english", "chinese"), CASES)
def test_a_misfit_is_told_in_both_languages(call, english, chinese):
    with pytest.raises(Unfit) as caught:
        read(*call, 3)
    refusal = caught.value.refusal
    assert refusal.index == 3
    for language, words in (("en", english), ("zh-CN", chinese)):
        told = reason_text(refusal.code, refusal.params, language)
        assert told.startswith(call[0])
        assert words in told

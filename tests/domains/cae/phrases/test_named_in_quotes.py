"""Sets that came with a file are named in quotes, whatever their names; the change reaches their labels and no others."""

from pathlib import Path

import pytest

from domains.cae.compiling.desk import Desk
from domains.cae.phrases.grounds import WRITER, asked, compiled, written
from steadyhand.core.language import Language
from steadyhand.domains.cae.engine.deck.reading import read_deck
from steadyhand.domains.cae.engine.properties import Pressure

IMPORTED = """*NODE
1, 0., 0., 0.
2, 10., 0., 0.
3, 10., 10., 0.
4, 0., 10., 0.
5, 20., 0., 0.
6, 20., 10., 0.
*ELEMENT, TYPE=S4, ELSET=PLATE
1, 1, 2, 3, 4
2, 2, 5, 6, 3
*ELSET, ELSET=甲板
1
*ELSET, ELSET="1_BOLTS"
2
*NSET, NSET="LEFT EDGE"
1, 4
*MATERIAL, NAME=STEEL
*ELASTIC
210000., 0.3
*SHELL SECTION, ELSET=PLATE, MATERIAL=STEEL
2.
"""


@pytest.mark.parametrize(
    ("language", "module", "sentence", "made", "labels"),
    [
        ("en", "load", 'fix set "LEFT EDGE"', "supports", [1, 4]),
        ("zh-CN", "load", "固定集合“LEFT EDGE”", "supports", [1, 4]),
        ("en", "load", 'a pressure of 0.1 MPa on set "甲板"', "loads", [1]),
        ("zh-CN", "load", "在集合“甲板”上施加0.1 MPa的压力", "loads", [1]),
        ("en", "load", 'a pressure of 0.1 MPa on set "1_BOLTS"', "loads", [2]),
        ("zh-CN", "load", "集合“1_BOLTS”施加压力0.1 MPa", "loads", [2]),
        ("en", "property", 'give set "1_BOLTS" thickness 3', "sections", [2]),
        ("zh-CN", "property", "集合“1_BOLTS”厚度3毫米", "sections", [2]),
        ("zh-CN", "property", "集合“甲板”厚度3毫米", "sections", [1]),
    ],
)
def test_a_set_that_came_with_a_file_is_named_in_quotes_whatever_its_name(
    tmp_path: Path, language: Language, module: str, sentence: str, made: str, labels: list[int]
) -> None:
    (tmp_path / "deck.inp").write_text(IMPORTED, encoding="utf-8")
    desk = Desk(module, read_deck(tmp_path / "deck.inp").part)
    _, _, calls = written(sentence, desk, language)
    part, _ = desk.after(compiled(sentence, desk, calls)[1])
    if made == "supports":
        (support,) = part.supports.values()
        assert part.node_sets[support.node_set].tolist() == labels
    elif made == "loads":
        (load,) = part.loads.values()
        assert isinstance(load, Pressure)
        assert (part.element_sets[load.element_set].tolist(), load.magnitude) == (labels, 0.1)
    else:
        mesh = part.mesh
        thick = [at for at, one in enumerate(part.assignments) if one.section == "T3"]
        assert [mesh.element_labels[mesh.assigned == at].tolist() for at in thick] == [labels]


@pytest.mark.parametrize(
    ("language", "sentence"), [("en", 'fix set "RIGHT EDGE"'), ("en", "fix set LEFT EDGE"), ("zh-CN", "固定集合“右边”")]
)
def test_a_set_that_is_not_there_or_not_in_quotes_is_not_guessed(tmp_path: Path, language: Language, sentence: str) -> None:
    (tmp_path / "deck.inp").write_text(IMPORTED, encoding="utf-8")
    desk = Desk("load", read_deck(tmp_path / "deck.inp").part)
    assert WRITER.spec(asked(sentence, desk, language)) is None

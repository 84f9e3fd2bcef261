"""The picture of a part: sound XML, every kind of element and sign told apart by colour and by form, nothing of a name taken as markup."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.pictures.drawn import (
    SVG,
    count_after,
    girder,
    group,
    loaded,
    looks_of,
    made,
    plate,
    root_of,
    tee,
    texts_of,
)
from steadyhand.core.language import LANGUAGES
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.pictures.svg import mesh_svg
from steadyhand.domains.cae.pictures.words import words_in

EN = words_in("en")


def test_each_shape_has_its_colour_and_its_own_form():
    looks = looks_of(root_of(mesh_svg(tee(), EN, title="tee")))
    assert sorted(looks) == [1, 2, 3, 4, 5]
    assert looks[1]["fill"].startswith("#")
    assert looks[4]["fill"].startswith("url(#h-rising-")
    assert looks[5]["fill"] == "none"
    assert float(looks[5]["stroke-width"]) > float(looks[1]["stroke-width"])
    assert len({looks[label]["stroke"] for label in (1, 4, 5)}) == 3
    assert not looks[5]["d"].endswith("z")
    assert looks[1]["d"].endswith("z")


def test_a_hatch_that_is_used_is_defined():
    tree = root_of(mesh_svg(tee(), EN, title="tee"))
    defined = {node.get("id") for node in tree.iter(f"{SVG}pattern")}
    used = {look["fill"][5:-1] for look in looks_of(tree).values() if look["fill"].startswith("url")}
    assert used
    assert used <= defined


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_legend_counts_in_the_persons_language(language):
    words = words_in(language)
    texts = texts_of(root_of(mesh_svg(tee(), words, title="tee")))
    assert [count_after(texts, text) for text in (words.nodes, words.elements, words.quad, words.tri, words.beam)] == [
        "10",
        "5",
        "3",
        "1",
        "1",
    ]
    assert count_after(texts, words.free_nodes) == "1"
    assert count_after(texts, words.branching_edges) == "1"
    assert "25" in texts[1]
    assert "mm" in texts[1]


def test_edges_that_carry_information_are_lines_of_their_own():
    tree = root_of(mesh_svg(tee(), EN, title="tee"))
    lines = {node.get("data-edges"): node for node in tree.iter(f"{SVG}path") if node.get("data-edges")}
    assert {"free", "branching"} <= lines.keys()
    assert lines["branching"].get("stroke-dasharray")
    assert lines["free"].get("stroke") != lines["branching"].get("stroke")


def test_supports_are_triangles_and_loads_arrows():
    tree = root_of(mesh_svg(loaded(plate(3, 2)), EN, title="plate"))
    assert len(group(tree, data_support="A-fix").findall(f"{SVG}polygon")) == 3
    pulls = group(tree, data_load="A-pull")
    assert len(pulls.findall(f"{SVG}polygon")) == len(pulls.findall(f"{SVG}line")) == 3
    assert len(group(tree, data_load="A-press").findall(f"{SVG}circle")) == 6
    assert len(group(tree, data_load="A-fall").findall(f"{SVG}circle")) == 1
    texts = texts_of(tree)
    assert EN.away in texts
    assert any("A-fix" in text for text in texts)


def test_a_flat_part_is_looked_at_squarely_along_its_axis():
    for axis, shown in ((0, "yz"), (1, "xz"), (2, "xy")):
        flat = plate()
        xyz = flat.mesh.xyz.copy()
        flat.mesh.xyz = xyz[:, {0: [2, 0, 1], 1: [0, 2, 1], 2: [0, 1, 2]}[axis]]
        axes = group(root_of(mesh_svg(flat, EN, title="flat")), data_part="axes")
        assert len(axes.findall(f"{SVG}line")) == 2
        assert "".join(node.text for node in axes.iter(f"{SVG}text")) == "xyz"
        names = [node.text for node in axes.iter(f"{SVG}text") if node.get("y") and node.get("text-anchor") == "middle"]
        assert set(shown) <= set(names)


@pytest.mark.parametrize(
    "part", [Part(), made([(0, 0, 0)], []), made([(0, 0, 0), (0, 0, 0)], [(0, 1)]), made([(1, 1, 1), (5, 1, 1)], [(0, 1)])]
)
def test_a_part_with_hardly_anything_is_drawn_too(part):
    assert "nan" not in mesh_svg(part, EN, title="little")
    root_of(mesh_svg(part, EN, title="little"))


def test_an_empty_part_says_so():
    assert EN.empty in texts_of(root_of(mesh_svg(Part(), EN, title="none")))


@settings(max_examples=25, deadline=None)
@given(name=st.text(min_size=1, max_size=60))
def test_no_name_becomes_markup_or_turns_the_text_around_it(name):
    hostile = f'{name}<script>alert("1")</script>&\u202e]]>'
    svg = mesh_svg(loaded(plate(2, 1), hostile), EN, title=hostile)
    tree = root_of(svg)
    assert {node.tag for node in tree.iter()}.isdisjoint({f"{SVG}script", "script"})
    assert "\u202e" not in svg
    svg.encode("utf-8")


def test_the_same_part_gives_the_same_bytes():
    assert mesh_svg(loaded(tee()), EN, title="t") == mesh_svg(loaded(tee()), EN, title="t")


def test_what_has_no_room_in_the_legend_is_counted():
    part = loaded(plate(2, 1))
    support = next(iter(part.supports.values()))
    part.supports = {f"S{number}": support for number in range(60)}
    assert any(text.startswith("and ") and text.endswith(" more") for text in texts_of(root_of(mesh_svg(part, EN, title="many"))))


def test_a_large_part_becomes_a_small_file_that_says_how_it_is_drawn():
    part = girder(77)
    assert part.mesh.element_count > 176_000
    svg = mesh_svg(part, EN, title="girder")
    assert len(svg) < 2_000_000
    tree = root_of(svg)
    assert len(list(tree.iter(f"{SVG}image"))) == 1
    assert looks_of(tree) == {}
    assert any(EN.many.startswith(text) and len(text) > 10 for text in texts_of(tree))
    assert count_after(texts_of(tree), EN.quad) == f"{part.mesh.element_count:,}"

"""The picture of a result: twelve bands, on the deformed shape over the undeformed one; numbers of another part are refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.pictures.drawn import SVG, girder, group, looks_of, plate, root_of, tee, texts_of
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.pictures.contour import BANDS, NO_VALUE, Field, bands_of, cut
from steadyhand.domains.cae.pictures.results import result_svg
from steadyhand.domains.cae.pictures.words import words_in

EN = words_in("en")


def bent(part, scale=0.01):
    moved = np.zeros_like(part.mesh.xyz)
    moved[:, 2] = scale * part.mesh.xyz[:, 0] ** 2
    return moved


def test_each_element_has_the_colour_of_its_band_and_the_bar_has_twelve():
    part = plate(12, 1)
    tree = root_of(result_svg(part, Field(bent(part), np.arange(12.0), "stress (MPa)"), EN, title="result"))
    assert [looks_of(tree)[label]["fill"] for label in range(1, 13)] == list(BANDS)
    assert [node.get("fill") for node in group(tree, data_part="bar")] == list(reversed(BANDS))
    assert list(group(tree, data_part="undeformed").iter(f"{SVG}path"))
    told = " ".join(texts_of(tree))
    assert "stress (MPa)" in told
    assert "largest 11 in element 12" in told
    assert "at node 13" in told


def test_values_at_nodes_are_cut_where_a_band_ends():
    part = plate(1, 1)
    tree = root_of(result_svg(part, Field(bent(part), np.array([0.0, 12, 0, 12]), "u (mm)", "node"), EN, title="result"))
    pieces = [node.get("fill") for node in group(tree, data_e="1") if node.get("fill") != "none"]
    assert pieces == list(BANDS)


VALUES = st.floats(-100, 100)


@settings(max_examples=100, deadline=None)
@given(values=st.lists(VALUES, min_size=3, max_size=4), levels=st.lists(VALUES, min_size=1, max_size=11, unique=True).map(sorted))
def test_the_parts_of_a_cut_area_make_up_the_whole(values, levels):
    places = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]
    corners = [(*place, value) for place, value in zip(places, values, strict=False)]

    def area(points):
        following = [*points[1:], points[0]]
        return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, following, strict=True)) / 2

    parts = list(cut(corners, levels))
    assert sum(area(piece) for _, piece in parts) == pytest.approx(area(corners), abs=1e-6)
    assert all(len(piece) > 2 for _, piece in parts)
    limits = [-np.inf, *levels, np.inf]
    for band, piece in parts:
        assert all(limits[band] - 1e-9 <= value <= limits[band + 1] + 1e-9 for _, _, value in piece)


def test_an_element_without_a_value_is_grey_and_said_so():
    part = tee()
    values = np.array([1.0, 2, 3, 4, np.nan])
    tree = root_of(result_svg(part, Field(bent(part), values, "s"), EN, title="result"))
    assert looks_of(tree)[5]["stroke"] == NO_VALUE
    assert EN.no_value in texts_of(tree)
    root_of(result_svg(part, Field(bent(part) * np.nan, values * np.nan, "s"), EN, title="result"))


def test_the_last_colour_takes_the_highest_half_percent_and_says_so():
    part = plate(20, 20)
    values = np.ones(400)
    values[:200] = np.linspace(0, 1, 200)
    values[-1] = 1000.0
    field = Field(bent(part), values, "s")
    assert field.levels()[-1] == 1.0
    told = " ".join(texts_of(root_of(result_svg(part, field, EN, title="peak"))))
    assert "largest 1000 in element 400" in told
    assert "The last colour holds everything above 1: 0.25 % of the values." in told


def test_no_value_is_told_to_be_above_a_limit_that_reads_the_same():
    part = plate(20, 20)
    values = np.linspace(0, 9.0889, 400)
    values[-4:] = [9.0886, 9.0887, 9.0888, 9.0889]
    told = " ".join(texts_of(root_of(result_svg(part, Field(bent(part), values, "s"), EN, title="even"))))
    assert "largest 9.089" in told
    assert "The last colour holds" not in told


def test_a_part_that_does_not_move_and_one_of_nothing():
    part = plate()
    still = Field(np.zeros_like(part.mesh.xyz), np.zeros(part.mesh.element_count), "s")
    assert EN.fill("deformed", factor="1") in " ".join(texts_of(root_of(result_svg(part, still, EN, title="still"))))
    root_of(result_svg(Part(), Field(np.zeros((0, 3)), np.zeros(0), "s"), EN, title="none"))


def test_numbers_of_another_part_are_refused():
    part = plate()
    for field in (
        Field(np.zeros((3, 3)), np.zeros(part.mesh.element_count), "s"),
        Field(np.zeros_like(part.mesh.xyz), np.zeros(part.mesh.element_count), "s", "node"),
    ):
        with pytest.raises(EngineRefusal) as refused:
            result_svg(part, field, EN, title="wrong")
        assert refused.value.code == "result_of_another_part"


def test_bands_are_between_their_limits():
    levels = np.linspace(0.0, 12.0, 13)
    assert bands_of(np.array([-1.0, 0, 0.5, 1, 11.9, 12, 99, np.nan]), levels).tolist() == [0, 0, 0, 1, 11, 11, 11, 12]


@pytest.mark.parametrize("per", ["element", "node"])
def test_a_large_result_becomes_a_small_file(per):
    part = girder(77)
    mesh = part.mesh
    values = mesh.xyz[:, 0] if per == "node" else mesh.xyz[mesh.conn[:, 0], 0]
    svg = result_svg(part, Field(bent(part), values, "s", per), EN, title="large")
    assert len(svg) < 2_000_000
    assert len(list(root_of(svg).iter(f"{SVG}image"))) == 1

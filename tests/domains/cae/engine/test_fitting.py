"""Numbers that every reader of decks takes whole: 20 signs at most, with the most digits that fit, and no dust of arithmetic."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.domains.cae.engine import building, moving
from steadyhand.domains.cae.engine.affine import mirror, rotation, translation
from steadyhand.domains.cae.engine.fitting import SIGNS, all_fitted, fitted, without_dust
from steadyhand.domains.cae.engine.part import Part

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def every_exponent() -> np.ndarray:
    """Numbers of all 2,047 exponents, denormal ones too: few digits, many, and all of them."""
    parts = (0, 1, 0x8000000000000, 0x5555555555555, 0xC6F7A0B5ED8D3, 0xFFFFFFFFFFFFF)
    bits = [(exponent << 52) | part for exponent in range(2047) for part in parts]
    return np.array(struct.unpack(f"<{len(bits)}d", struct.pack(f"<{len(bits)}Q", *bits)))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_at_every_exponent_a_number_takes_20_signs_and_keeps_13_digits(sign):
    values = sign * every_exponent()
    held = all_fitted(values)
    assert held.tolist() == [fitted(value) for value in values.tolist()]
    assert np.isfinite(held).all()
    assert max(len(repr(value)) for value in held.tolist()) <= SIGNS
    assert all_fitted(held) is held
    normal = np.abs(values) > 1e-307
    assert float((np.abs(held - values)[normal] / np.abs(values[normal])).max()) <= 5e-13
    whole = (np.abs(values) >= 0.1) & (np.abs(values) < 1e16)
    assert (held[whole] == values[whole]).all()


@given(FINITE)
def test_a_fitted_number_is_the_nearest_of_the_most_digits_that_fit(value):
    held = fitted(value)
    assert (fitted(held), fitted(-value)) == (held, -held)
    assert math.copysign(1.0, held) == math.copysign(1.0, value)
    assert len(repr(-abs(held))) <= SIGNS
    assert held == value or len(repr(-abs(value))) > SIGNS
    digits = next(count for count in range(17, 0, -1) if float(f"{value:.{count}g}") == held)
    more = float(f"{value:.{digits + 1}g}")
    assert held == value or math.isinf(more) or more == held or len(repr(-abs(more))) > SIGNS


@given(st.lists(FINITE, max_size=20))
def test_an_array_is_fitted_as_its_numbers_are(values):
    assert all_fitted(np.array(values, float)).tolist() == [fitted(value) for value in values]


def test_dust_is_told_by_the_extent_and_what_is_no_dust_stays():
    given_ = np.array([7e-15, -3e-14, 30.000000000000004, 99.99999999999999, 1e-9, 1 / 3, 100 / 7, 0.1 + 0.2])
    assert without_dust(given_, 100.0).tolist() == [0.0, 0.0, 30.0, 100.0, 1e-9, 1 / 3, 100 / 7, 0.3]
    assert without_dust(np.array([7e-15, 3e-20]), 1e-5).tolist() == [7e-15, 0.0]
    assert without_dust(np.array([1e9 + 1e-6, 5e-6]), 1e9).tolist() == [1e9, 0.0]
    assert without_dust(np.array([0.0]), 0.0).tolist() == [0.0]


@given(
    st.lists(st.tuples(*[st.integers(-5000, 5000).map(lambda whole: whole / 10)] * 3), min_size=2, max_size=8, unique=True),
    st.tuples(*[st.integers(-3, 3)] * 3).filter(any),
    st.integers(-7200, 7200).map(lambda whole: whole / 20),
)
def test_there_and_back_is_where_it_was_and_every_number_fits_on_the_way(places, direction, degrees):
    part = Part()
    labels = building.add_nodes(part, places)
    building.add_elements(part, building.Shape.BEAM, [[labels[at], labels[at + 1]] for at in range(len(labels) - 1)])
    before = part.mesh.xyz.tolist()
    there_and_back = (
        (rotation((0, 0, 0), direction, degrees), rotation((0, 0, 0), direction, -degrees)),
        (mirror((1, 2, 3), direction), mirror((1, 2, 3), direction)),
        (translation((0.1, 0.2, 1 / 3)), translation((-0.1, -0.2, -1 / 3))),
    )
    for there, back in there_and_back:
        for way in (there, back):
            moving.move(part, part.mesh.element_labels, way)
            assert all_fitted(part.mesh.xyz) is part.mesh.xyz
        assert part.mesh.xyz.tolist() == before

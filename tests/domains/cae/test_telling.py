"""How the figures of a result are written."""

import pytest

from steadyhand.domains.cae.telling import vector


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([0.0, 1e-12, -100_000.0], "(0, 0, -100000)"),
        ([123_456.7, 9_999.4, 12.34567], "(123457, 9999, 12.35)"),
        ([2.5e6, 999_999.6, 0.0], "(2.5e+06, 1e+06, 0)"),
    ],
)
def test_figures_up_to_a_million_are_written_without_a_power_of_ten(values: list[float], told: str) -> None:
    assert vector(values) == told

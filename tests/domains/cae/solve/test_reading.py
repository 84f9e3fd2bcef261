"""The readers of the solver's two files, on text that is hard to read."""

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.solve.dat import read_dat
from steadyhand.domains.cae.solve.frd import read_frd

FRD = """    3C                             1                                     1
 -1         7    4    0    1
 -2         1         2         3         4         5         6         7         8         9        10
 -2        11        12        13        14        15        16        17        18        19        20
 -3
  100CL  101 1.000000000           2                     0    1           1
 -4  DISP        4    1
 -5  D1          1    2    1    0
 -5  D2          1    2    2    0
 -5  D3          1    2    3    0
 -5  ALL         1    2    0    0    1ALL
{rows}
 -3
 9999
"""


def frd_of(folder, rows: str):
    path = folder / "a.frd"
    path.write_text(FRD.format(rows=rows))
    return read_frd(path)


def test_values_are_read_by_their_columns_also_without_spaces(tmp_path):
    found = frd_of(
        tmp_path, " -1         4-1.00000E+00-2.00000E+00-3.00000E-05\n -1         9 0.00000E+00 1.00000E+10-3.00000E+00"
    )
    assert found.elements == {7: list(range(1, 21))}
    assert found.blocks["DISP"].nodes.tolist() == [4, 9]
    assert found.blocks["DISP"].values.tolist() == [[-1.0, -2.0, -3e-5], [0.0, 1e10, -3.0]]


def test_an_exponent_of_three_digits_moves_the_columns_and_is_read_all_the_same(tmp_path):
    found = frd_of(
        tmp_path, " -1         4-1.00000E-100-2.00000E+00-3.00000E-05\n -1         9 0.00000E+00         NaN-3.00000E+00"
    )
    assert found.blocks["DISP"].values[0].tolist() == [-1e-100, -2.0, -3e-5]
    assert np.isnan(found.blocks["DISP"].values[1, 1])


def test_a_node_that_is_not_there_has_no_value(tmp_path):
    block = frd_of(tmp_path, " -1         4-1.00000E+00-2.00000E+00-3.00000E-05").blocks["DISP"]
    assert np.isnan(block.at(np.array([[5, -1]]))).all()
    assert block.at(np.array([4]))[0, 1] == -2.0


@given(st.text(alphabet=" -123E+.x\n", max_size=200))
def test_a_damaged_file_is_refused_or_read_and_nothing_else(tmp_path_factory, rows):
    with contextlib.suppress(EngineRefusal):
        assert set(frd_of(tmp_path_factory.getbasetemp(), rows).blocks) == {"DISP"}


def test_a_file_that_is_cut_short_or_missing_is_refused(tmp_path):
    (tmp_path / "b.frd").write_text(FRD.split("{rows}", maxsplit=1)[0])
    for read, name in ((read_frd, "b.frd"), (read_frd, "none.frd"), (read_dat, "none.dat")):
        with pytest.raises(EngineRefusal, match="solve_unreadable"):
            read(tmp_path / name)


DAT = """
 displacements (vx,vy,vz) for set NALL and time  0.1000000E+01

         1  1.000000E+00  0.234567-123 -5.000000E-01

 total force (fx,fy,fz) for set HELD and time  0.1000000E+01

        9.947598E-12 -1.189449E-11 -7.500000E+01

 forces (fx,fy,fz) for set HELD and time  0.1000000E+01

         1 -4.405365E-12  4.285714E-01 -3.750000E+01
         4  1.435296E-11 -4.285714E-01 -3.750000E+01
"""


def test_the_printed_tables_are_told_apart(tmp_path):
    (tmp_path / "a.dat").write_text(DAT)
    tables = read_dat(tmp_path / "a.dat")
    assert tables["displacements"].values.tolist() == [[1.0, 0.234567e-123, -0.5]]
    assert tables["total force"].values[0, 2] == -75.0
    assert tables["forces"].nodes.tolist() == [1, 4]


def test_a_table_that_does_not_fit_is_refused(tmp_path):
    (tmp_path / "a.dat").write_text(DAT.replace("-3.750000E+01\n         4", "\n         4"))
    with pytest.raises(EngineRefusal, match="solve_unreadable"):
        read_dat(tmp_path / "a.dat")


def test_stresses_at_an_elements_points_are_read_with_and_without_the_name_of_an_orientation(tmp_path):
    (tmp_path / "a.dat").write_text(
        " stresses (elem, integ.pnt.,sxx,syy,szz,sxy,sxz,syz) for set EALL and time  0.1000000E+01\n\n"
        "         3   1  1.000000E+00  2.000000E+00  3.000000E+00  4.000000E+00  6.000000E+00  5.000000-101 _shell_0000000003\n"
        "         3   2 -1.000000E+00  0.000000E+00  0.000000E+00  0.000000E+00  0.000000E+00  7.000000E+00\n"
    )
    points = read_dat(tmp_path / "a.dat")["stresses"]
    assert points.nodes.tolist() == [3, 3]
    assert points.values.tolist() == [[1, 2, 3, 4, 5e-101, 6], [-1, 0, 0, 0, 7, 0]]

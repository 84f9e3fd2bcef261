"""What an answer must be to count, and how a run is ended: with the real solver tampered with, and with programs in its place."""

import os
import select
import shutil
import subprocess
import sys

import pytest

from domains.cae.solve.parts import cantilever, near, push
from steadyhand.core.language import say
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.properties import Material
from steadyhand.domains.cae.solve.ccx import find_ccx
from steadyhand.domains.cae.solve.door import solve, solve_unchecked
from steadyhand.domains.cae.solve.options import Options


def refused(call, *given, **more) -> EngineRefusal:
    with pytest.raises(EngineRefusal) as caught:
        call(*given, **more)
    for language in ("en", "zh-CN"):
        assert say(language, f"refusal.{caught.value.code}", **caught.value.params)
    return caught.value


@pytest.fixture
def instead(tmp_path_factory, monkeypatch):
    """Put a shell script in the solver's place."""

    def put(script: str) -> None:
        folder = tmp_path_factory.mktemp("bin")
        program = folder / "ccx"
        program.write_text(f'#!/bin/sh\nif [ "$1" = -v ]; then echo; echo "This is Version 9.9"; exit 0; fi\n{script}\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    return put


# ---- the real solver -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("ccx")
def test_a_part_without_supports_is_caught_afterwards_too(tmp_path):
    part = cantilever()
    part.supports.clear()
    assert refused(solve, part, tmp_path).code == "solve_no_supports"
    assert refused(solve_unchecked, part, tmp_path).code == "solve_insane"
    push(part, "tip", near(part.mesh.xyz[:, 0], 1000.0), (0.0, 0.0, -1e-12))
    assert refused(solve_unchecked, part, tmp_path).code == "solve_unbalanced"


@pytest.mark.usefixtures("ccx")
def test_the_solvers_own_words_are_given_when_it_refuses(tmp_path):
    part = cantilever()
    part.materials["steel"] = Material("steel", 0.0, 0.3)
    refusal = refused(solve_unchecked, part, tmp_path)
    assert (refusal.code, refusal.params["exit"]) == ("solve_failed", 201)
    assert "*ERROR" in refusal.params["said"]


@pytest.mark.usefixtures("ccx")
def test_a_crossed_quad_ends_the_solver_and_is_told(tmp_path):
    part = cantilever()
    part.mesh.conn = part.mesh.conn.copy()
    part.mesh.conn[3, [1, 2]] = part.mesh.conn[3, [2, 1]]
    refusal = refused(solve_unchecked, part, tmp_path, options=Options(elements="S4"))
    assert (refusal.code, refusal.params["exit"]) == ("solve_failed", 255)
    assert refusal.params["said"]


@pytest.mark.usefixtures("ccx")
@pytest.mark.parametrize(
    ("tampering", "code"),
    [
        ("sed -i '/STRESS/,/^ -3/d' $1.frd", "solve_without_stresses"),
        ("sed -i 's/DISP /DUSP /' $1.frd", "solve_without_displacements"),
        ("sed -i '/displacements/,/total force/{s/^  *[0-9]* .*//}' $1.dat", "solve_without_displacements"),
        (r"sed -i 's/^\( *63\) .*$/\1 NaN NaN NaN/' $1.dat", "solve_not_finite"),
        ("sed -i 's/-1.0000[0-9]*E+01/-2.000000E+01/; s/ 1.00000[0-9]E+01/ 2.000000E+01/' $1.dat", "solve_unbalanced"),
        ("sed -i '/ forces/,$d' $1.dat", "solve_without_reactions"),
        ("rm $1.sta", "solve_without_step"),
        ("rm $1.dat", "solve_unreadable"),
        ("echo ' *ERROR in nothing: it only says so'", "solve_failed"),
        ("exit 3", "solve_failed"),
    ],
)
def test_an_answer_that_lacks_anything_does_not_count(tmp_path, instead, tampering, code):
    real = shutil.which("ccx")
    instead(f"{real} $1 || exit $?\n{tampering}")
    assert refused(solve, cantilever(), tmp_path).code == code


def test_the_stages_of_a_run_are_told_in_order(tmp_path, instead):
    instead(
        'for stage in "Determining the structure" "number of equations" "Factoring the system"; do echo " $stage"; sleep 0.3; done; exit 1'
    )
    told = []
    refused(solve, cantilever(), tmp_path, progress=lambda done, total, stage: told.append((done, total, stage)))
    assert told[:2] == [(1, 5, "structure"), (2, 5, "equations")]


# ---- programs in its place -------------------------------------------------------------------------------------------


def test_without_a_solver_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_ccx() is None
    assert refused(solve, cantilever(), tmp_path).code == "solve_no_solver"


def test_a_program_of_that_name_that_is_no_solver_is_not_taken_for_one(tmp_path, monkeypatch):
    program = tmp_path / "ccx"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_ccx() is None


def test_an_exit_code_of_0_without_any_file_is_no_answer(tmp_path, instead):
    instead("exit 0")
    assert refused(solve, cantilever(), tmp_path).code == "solve_without_step"


def test_what_an_earlier_run_left_is_not_taken_for_an_answer(tmp_path, instead):
    for ending in ("frd", "dat", "sta"):
        (tmp_path / f"static.{ending}").write_text("1 1 1")
    instead("exit 0")
    assert refused(solve, cantilever(), tmp_path).code == "solve_without_step"
    assert not (tmp_path / "static.frd").exists()


def is_running(pid_file) -> bool:
    try:
        os.kill(int(pid_file.read_text()), 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("more", "code"), [({"options": Options(seconds=0.5)}, "solve_too_long"), ({"stop": lambda: True}, "solve_stopped")]
)
def test_a_run_that_is_too_long_or_stopped_is_ended(tmp_path, instead, more, code):
    instead("echo $$ > pid; exec sleep 60")
    if "stop" in more:
        more = {"stop": (tmp_path / "pid").exists}
    assert refused(solve, cantilever(), tmp_path, **more).code == code
    assert not is_running(tmp_path / "pid")


def test_an_error_of_the_caller_ends_the_run(tmp_path, instead):
    instead("echo $$ > pid; exec sleep 60")

    def fails() -> bool:
        if (tmp_path / "pid").exists():
            raise KeyError
        return False

    with pytest.raises(KeyError):
        solve(cantilever(), tmp_path, stop=fails)
    assert not is_running(tmp_path / "pid")


def test_the_solver_does_not_outlive_the_process_that_started_it(tmp_path, instead):
    os.mkfifo(tmp_path / "pid")
    instead("echo $$ > pid; exec sleep 60")
    code = (
        "import sys; from pathlib import Path\n"
        "from steadyhand.domains.cae.solve import ccx; from steadyhand.domains.cae.solve.options import Options\n"
        "ccx.run(ccx.find_ccx(), Path(sys.argv[1]), 'static', Options())"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) as parent:
        solver = os.pidfd_open(int((tmp_path / "pid").read_text()))
        parent.kill()
    ended, _, _ = select.select([solver], [], [], 20)
    os.close(solver)
    assert ended

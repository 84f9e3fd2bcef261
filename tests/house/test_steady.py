"""Tests ./steady with a Python and a uv that only write down what they are asked: no network, no packages.

That the real ones work on a fresh Debian is what CI shows: it enters by `./steady` itself.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("sh", "cat", "cksum", "cut", "date", "dirname", "du", "grep", "ls", "mkdir", "mv", "readlink", "rm", "cp", "touch")

FAKE_PYTHON = """#!/bin/sh
here=$(dirname "$0")
case "$*" in
    *"import venv, ensurepip"*) [ ! -e "$FAKES/without-venv" ] ;;
    -c*) ;;
    "-m venv "*)
        echo "venv" >>"$FAKES/log"
        mkdir -p "$3/bin"
        cp "$0" "$3/bin/python"
        touch "$3/pyvenv.cfg" ;;
    "-m pip --version") ;;
    "-m pip install"*)
        echo "pip $*" >>"$FAKES/log"
        [ ! -p "$FAKES/gate" ] || read -r _ <"$FAKES/gate"
        [ ! -e "$FAKES/fails" ] || { echo "no such package" >&2; exit 1; }
        touch "$here/installed" ;;
    *)
        [ -e "$here/installed" ] || exit 9
        echo "in $PWD"
        for argument in "$@"; do echo "<$argument>"; done ;;
esac
"""

FAKE_UV = """#!/bin/sh
echo "uv $*" >>"$FAKES/log"
case "$1" in
    venv)
        for last in "$@"; do :; done
        mkdir -p "$last/bin"
        cp "$FAKES/python" "$last/bin/python"
        touch "$last/pyvenv.cfg" ;;
    pip) touch "$5/../installed" 2>/dev/null || touch "$(dirname "$5")/installed" ;;
esac
"""


@dataclass
class Clone:
    """A clone of the project in a folder of its own, and the PATH that its ./steady sees."""

    root: Path
    fakes: Path
    settings: dict[str, str] = field(default_factory=dict)
    gate: TextIO | None = None

    def put(self, name: str, text: str) -> None:
        path = self.fakes / "bin" / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def start(self, *arguments: str, by: Path | None = None, cwd: Path | None = None) -> subprocess.Popen[str]:
        environment = {"PATH": str(self.fakes / "bin"), "FAKES": str(self.fakes), **self.settings}
        return subprocess.Popen(
            [by or self.root / "steady", *arguments],
            cwd=cwd or self.root.parent,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str, by: Path | None = None, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        started = self.start(*arguments, by=by, cwd=cwd)
        out, err = started.communicate(timeout=60)
        return subprocess.CompletedProcess(started.args, started.returncode, out, err)

    @property
    def log(self) -> list[str]:
        path = self.fakes / "log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    @property
    def installs(self) -> list[str]:
        return [line for line in self.log if "pip" in line]

    def hold_installs(self) -> None:
        """Make every installer stop at the gate."""
        os.mkfifo(self.fakes / "gate")

    def wait_for_install(self) -> int:
        """Return the installer's process id once it stands at the gate: opening the other end waits for it."""
        self.gate = (self.fakes / "gate").open("w", encoding="utf-8")
        signed: list[str] = []
        while len(signed) < 3:  # the set-up itself, the maker of the environment, the installer
            signed = (self.root / ".venv.lock" / "pid").read_text(encoding="utf-8").split()
        return int(signed[-1])

    def let_installs_go(self) -> None:
        (self.fakes / "gate").unlink()
        self.close_gate()

    def close_gate(self) -> None:
        if self.gate is not None:
            self.gate.close()


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Clone]:
    made = Clone(tmp_path / "a clone", tmp_path / "fakes")
    (made.root / "requirements").mkdir(parents=True)
    for name in ("steady", "pyproject.toml", "requirements/constraints.txt"):
        shutil.copy(ROOT / name, made.root / name)
    (made.fakes / "bin").mkdir(parents=True)
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (made.fakes / "bin" / tool).symlink_to(found)
    made.put("sleep", f"#!/bin/sh\nexec {shutil.which('sleep')} 0.01\n")
    made.put("python3.11", FAKE_PYTHON)
    (made.fakes / "python").write_text(FAKE_PYTHON, encoding="utf-8")
    (made.fakes / "python").chmod(0o755)
    yield made
    made.close_gate()


def test_the_first_use_makes_the_environment_and_then_runs_the_command(clone: Clone, tmp_path: Path) -> None:
    done = clone.run("change", "show", "two words")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [f"in {tmp_path}", "<-P>", "<-m>", "<steadyhand>", "<change>", "<show>", "<two words>"]
    assert [line[:3] for line in done.stderr.splitlines()[:3]] == ["1/3", "2/3", "3/3"]
    assert "MB" in done.stderr.splitlines()[3]
    assert clone.log[0] == "venv"
    assert "--constraint requirements/constraints.txt --editable .[postgres,pictures]" in clone.log[1]


def test_the_second_use_only_runs_the_command(clone: Clone) -> None:
    clone.run("one")
    done = clone.run("two")
    assert (len(clone.installs), done.stderr) == (1, "")


def test_tests_and_checks_bring_what_they_need_on_their_first_use(clone: Clone) -> None:
    assert "<-m>\n<pytest>\n" in clone.run("test", "-k", "one thing").stdout
    assert "<scripts/check.py>\n<--fast>\n" in clone.run("check", "--fast").stdout
    assert clone.run("test", "-k", "one thing").stdout.startswith(f"in {clone.root}\n")
    clone.run("--help")
    assert [line.rsplit(" ", 1)[1] for line in clone.installs] == [".[postgres,pictures,test]", ".[postgres,pictures,check]"]


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements/constraints.txt"])
def test_a_pull_that_changes_what_is_needed_installs_again(name: str, clone: Clone) -> None:
    clone.run()
    with (clone.root / name).open("a", encoding="utf-8") as changed:
        changed.write("\n")
    clone.run()
    clone.run()
    assert (clone.log.count("venv"), len(clone.installs)) == (1, 2)


def test_a_clone_that_was_moved_installs_again(clone: Clone, tmp_path: Path) -> None:
    clone.run()
    clone.root = clone.root.rename(tmp_path / "moved")
    assert clone.run().returncode == 0
    assert len(clone.installs) == 2


def test_it_works_through_links_from_any_folder(clone: Clone, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "first").symlink_to(clone.root / "steady")
    (tmp_path / "bin" / "second").symlink_to("../first")
    done = clone.run("x", by=tmp_path / "bin" / "second", cwd=tmp_path / "bin")
    assert done.stdout.startswith(f"in {tmp_path / 'bin'}\n")
    assert (clone.root / ".venv" / "pyvenv.cfg").exists()


def test_another_place_for_the_environment_can_be_named(clone: Clone, tmp_path: Path) -> None:
    clone.settings["STEADYHAND_VENV"] = "some where/env"
    assert clone.run(cwd=tmp_path).returncode == 0
    assert (tmp_path / "some where" / "env" / "pyvenv.cfg").exists()
    assert not (clone.root / ".venv").exists()


def test_uv_is_used_when_it_is_there_even_without_a_python(clone: Clone) -> None:
    clone.put("uv", FAKE_UV)
    (clone.fakes / "bin" / "python3.11").unlink()
    assert clone.run().returncode == 0
    assert [line.split()[1] for line in clone.log] == ["venv", "pip"]
    assert "--python >=3.11" in clone.log[0]


def test_a_shim_that_does_not_run_is_passed_over(clone: Clone) -> None:
    clone.put("python3.13", "#!/bin/sh\nexit 127\n")
    assert "1/3 Python: python3.11\n" in clone.run().stderr


def test_without_a_python_it_says_how_to_get_one_in_both_languages(clone: Clone) -> None:
    (clone.fakes / "bin" / "python3.11").unlink()
    done = clone.run()
    assert (done.returncode, done.stdout) == (1, "")
    assert "apt install python3 python3-venv" in done.stderr
    assert "Python 3.11 or newer is needed" in done.stderr
    assert "需要 Python 3.11" in done.stderr
    assert not (clone.root / ".venv.lock").exists()


def test_without_the_venv_module_it_says_how_to_get_it(clone: Clone) -> None:
    (clone.fakes / "without-venv").touch()
    done = clone.run()
    assert done.returncode == 1
    assert "apt install python3-venv" in done.stderr
    assert "缺少 venv 模块" in done.stderr


@pytest.mark.parametrize("name", ["LANG", "LC_ALL", "STEADYHAND_LANGUAGE"])
def test_it_speaks_chinese_where_the_person_does(name: str, clone: Clone) -> None:
    clone.settings[name] = "zh_CN.UTF-8" if name != "STEADYHAND_LANGUAGE" else "zh-CN"
    done = clone.run()
    assert "安装软件包" in done.stderr
    assert "Installing" not in done.stderr


def test_an_install_that_fails_says_so_and_can_be_tried_again(clone: Clone) -> None:
    (clone.fakes / "fails").touch()
    done = clone.run()
    assert (done.returncode, done.stdout) == (1, "")
    assert "no such package" in done.stderr
    assert "Is the network reachable?" in done.stderr
    assert "网络是否可用" in done.stderr
    (clone.fakes / "fails").unlink()
    assert clone.run().returncode == 0
    assert clone.log.count("venv") == 1


def test_a_folder_that_is_no_environment_is_left_alone(clone: Clone) -> None:
    (clone.root / ".venv").mkdir()
    (clone.root / ".venv" / "diary.txt").write_text("mine", encoding="utf-8")
    done = clone.run()
    assert done.returncode == 1
    assert "is not a Python environment" in done.stderr
    assert (clone.root / ".venv" / "diary.txt").read_text(encoding="utf-8") == "mine"


def test_of_two_at_once_one_installs_and_both_run(clone: Clone) -> None:
    clone.hold_installs()
    first = clone.start("one")
    clone.wait_for_install()
    second = clone.start("two")
    assert second.stderr is not None
    assert "Another steady is setting up" in second.stderr.readline()
    clone.let_installs_go()
    assert "<one>" in first.communicate(timeout=60)[0]
    assert "<two>" in second.communicate(timeout=60)[0]
    assert len(clone.installs) == 1


@pytest.mark.crash
def test_killed_while_installing_the_next_use_waits_for_the_orphan_and_starts_afresh(clone: Clone) -> None:
    clone.hold_installs()
    first = clone.start("one")
    clone.wait_for_install()
    first.kill()
    first.wait()
    second = clone.start("two")
    assert second.stderr is not None
    assert "Another steady is setting up" in second.stderr.readline()
    clone.let_installs_go()
    out, _ = second.communicate(timeout=60)
    first.communicate()
    assert "<two>" in out
    assert (clone.log.count("venv"), len(clone.installs)) == (2, 2)
    assert not (clone.root / ".venv.lock").exists()


@pytest.mark.crash
def test_killed_with_its_installer_the_next_use_starts_afresh(clone: Clone) -> None:
    clone.hold_installs()
    first = clone.start("one")
    installer = clone.wait_for_install()
    first.kill()
    os.kill(installer, signal.SIGKILL)
    first.communicate()
    (clone.fakes / "gate").unlink()
    done = clone.run("two")
    assert "<two>" in done.stdout
    assert clone.log.count("venv") == 2


def test_stopped_by_the_person_it_stops_the_installer_and_leaves_no_lock(clone: Clone) -> None:
    clone.hold_installs()
    first = clone.start("one")
    clone.wait_for_install()
    first.terminate()
    out, _ = first.communicate(timeout=60)
    assert (first.returncode, out) == (143, "")
    assert not (clone.root / ".venv.lock").exists()
    (clone.fakes / "gate").unlink()
    assert "<two>" in clone.run("two").stdout
    assert clone.log.count("venv") == 2

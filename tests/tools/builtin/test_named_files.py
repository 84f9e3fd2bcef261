"""A command names files in many ways; each that is there is found with its digest, and a name that is none yet is told as absent."""

import hashlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.tools.builtin import named_files as module
from steadyhand.tools.builtin.named_files import named_files

TREE = {
    "run.sh": "echo harmless\n",
    "tool.py": "import inner\nprint(inner)\n",
    "inner.py": "VALUE = 1\n",
    "sub/deep.sh": ". ./beside.sh\n",
    "sub/beside.sh": "echo beside\n",
    "pkg/__main__.py": "print('main')\n",
    "Makefile": "all:\n\tsh run.sh\n",
    "data.csv": "a,b\n",
    "with space.sh": "echo\n",
    "plain": "no script\n",
}


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "workspace"
    for name, text in TREE.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return root


COMMANDS = [
    ("sh run.sh", {"run.sh"}),
    ("./run.sh --fast", {"run.sh"}),
    ("sh<run.sh", {"run.sh"}),
    ("cat data.csv|sh run.sh>out", {"run.sh", "data.csv"}),
    ("bash -c 'sh run.sh && echo done'", {"run.sh"}),
    ("sh -c \"bash -c 'sh run.sh'\"", {"run.sh"}),
    ('echo "$(sh run.sh)"', {"run.sh"}),
    ("echo `sh run.sh`", {"run.sh"}),
    ("f=run.sh; sh $f", {"run.sh"}),
    ("lua --script=run.sh", {"run.sh"}),
    ("awk -frun.sh", {"run.sh"}),
    ("sh r'un'.sh", {"run.sh"}),
    ("sh ru\\n.sh", {"run.sh"}),
    ("sh $HOME/run.sh ${PWD}/plain ~/data.csv", {"run.sh", "plain", "data.csv"}),
    ("for f in ru?.sh; do sh $f; done", {"run.sh"}),
    ("cd sub && sh deep.sh", {"sub/deep.sh", "sub/beside.sh"}),
    ("sh sub/../run.sh", {"run.sh"}),
    ("(cd sub; . ./beside.sh)", {"sub/beside.sh"}),
    ("python3 tool.py", {"tool.py", "inner.py"}),
    ("python3 -m tool", {"tool.py", "inner.py"}),
    ("python3 pkg", {"pkg/__main__.py"}),
    ("python3 -m pkg", {"pkg/__main__.py"}),
    ("make", {"Makefile", "run.sh"}),
    ("sh 'with space.sh'", {"with space.sh"}),
    ("curl --data @data.csv x", {"data.csv"}),
    ("echo 'unclosed; sh run.sh", {"run.sh"}),
    ("sh <<EOF\nsh run.sh\nEOF", {"run.sh"}),
    ("# sh run.sh\nsh plain", {"run.sh", "plain"}),
    ("true", set()),
    ("echo hello world", set()),
]


@pytest.mark.parametrize(("command", "expected"), COMMANDS)
def test_every_way_of_naming_a_file_is_found(tree, command, expected):
    found = named_files(command, tree, inside=True)
    assert {name for name, fact in found.items() if "sha256" in fact} == expected
    for name in expected:
        data = (tree / name).read_bytes()
        assert found[name] == {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def test_a_name_that_is_no_file_yet_is_told_as_absent_but_words_are_not(tree):
    found = named_files("sh later.sh; echo hello > out.txt; ls ./new/dir; fetch http://127.0.0.1/x.sh -v1.2", tree, inside=True)
    assert {name for name, fact in found.items() if fact == {"absent": True}} == {"later.sh", "out.txt", "new/dir"}


def test_inside_the_fence_only_the_workspace_counts_and_without_it_the_systems_own_programs_do_not(tree, tmp_path):
    outside = tmp_path / "outside.sh"
    outside.write_text("echo\n", encoding="utf-8")
    command = f"/bin/sh {outside} /etc/passwd run.sh"
    assert set(named_files(command, tree, inside=True)) == {"run.sh"}
    assert set(named_files(command, tree, inside=False)) == {"run.sh", str(outside)}


def test_what_is_no_plain_file_is_never_opened(tree):
    os.mkfifo(tree / "pipe")
    (tree / "zero").symlink_to("/dev/zero")
    (tree / "loop").symlink_to("loop")
    assert named_files("cat pipe zero loop", tree, inside=True) == {}


def test_a_huge_file_is_told_by_size_and_change_and_many_files_are_bounded(tree, monkeypatch):
    monkeypatch.setattr(module, "HASHED_BYTES", 3)
    assert set(named_files("cat data.csv", tree, inside=True)["data.csv"]) == {"bytes", "modified"}
    monkeypatch.setattr(module, "MAX_FILES", 2)
    found = named_files("cat run.sh tool.py inner.py plain data.csv Makefile", tree, inside=True)
    assert found["…"] == {"more": True}
    assert len(found) <= 5


@given(st.text(max_size=200))
def test_no_command_breaks_the_search(tmp_path_factory, command):
    root = tmp_path_factory.getbasetemp() / "one workspace"
    root.mkdir(exist_ok=True)
    (root / "run.sh").write_text("echo\n", encoding="utf-8")
    found = named_files(command + " run.sh", root, inside=True)
    assert all(isinstance(fact, dict) for fact in found.values())

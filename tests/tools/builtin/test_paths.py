"""A path names a place inside the workspace or is refused; it is taken literally."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.errors import ToolRefusal
from steadyhand.tools.builtin.paths import MAX_DEPTH, joined, parts_of, shown_path

ROOT = Path("/data/workspace")


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("notes.md", ("notes.md",)),
        ("./a//b/./c.txt", ("a", "b", "c.txt")),
        ("/data/workspace/a/b", ("a", "b")),
        ("/data/workspace//a/./b", ("a", "b")),
        ("a~", ("a~",)),
        ("...", ("...",)),
        ("..a/b..", ("..a", "b..")),
        ("$HOME/*.md", ("$HOME", "*.md")),
        ("a\\..\\b", ("a\\..\\b",)),
        ("%2e%2e/x", ("%2e%2e", "x")),
        ("．．/x", ("．．", "x")),
        ("Notes.MD", ("Notes.MD",)),
        ("课程　表.md", ("课程　表.md",)),
        ("cafe\u0301", ("cafe\u0301",)),
    ],
)
def test_a_place_inside_is_taken_literally(path, parts):
    assert parts_of(ROOT, path) == parts


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("..", "path_outside"),
        ("a/../b", "path_outside"),
        ("a/../../data/workspace/b", "path_outside"),
        ("/data/workspace/../workspace/b", "path_outside"),
        ("/etc/passwd", "path_outside"),
        ("/data/workspacefoo/a", "path_outside"),
        ("/data", "path_outside"),
        ("/DATA/workspace/a", "path_outside"),
        ("/proc/self/environ", "path_outside"),
        ("~/.ssh/id_rsa", "path_outside"),
        ("a\0b", "path_unseen"),
        ("a\nFile updated: b", "path_unseen"),
        ("a\u202egpj.exe", "path_unseen"),
        ("a\u200bb", "path_unseen"),
        ("a\ud800b", "path_unseen"),
        ("x" * 256, "path_too_long"),
        ("字" * 86, "path_too_long"),
        ("a/" * MAX_DEPTH + "b", "path_too_long"),
        (".", "path_is_folder"),
        ("/data/workspace", "path_is_folder"),
        ("a/", "path_is_folder"),
        ("a/.", "path_is_folder"),
    ],
)
def test_what_is_no_place_for_a_file_inside_is_refused(path, code):
    with pytest.raises(ToolRefusal) as caught:
        parts_of(ROOT, path)
    assert caught.value.code == code
    assert str(caught.value.params["path"]).isprintable()


def test_a_folder_may_be_the_workspace_itself():
    assert parts_of(ROOT, ".", folder=True) == ()
    assert parts_of(ROOT, "/data/workspace/", folder=True) == ()
    assert parts_of(ROOT, "a/", folder=True) == ("a",)
    assert (joined(()), joined(("a", "b"))) == (".", "a/b")


def test_an_absolute_path_may_be_the_one_that_links_lead_to(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    root = tmp_path / "link"
    assert parts_of(root, f"{tmp_path}/link/a") == parts_of(root, f"{tmp_path.resolve()}/real/a") == ("a",)


@given(st.lists(st.sampled_from(["..", ".", "", "a", "/", "~", "/data", "workspace", "\0", "b.txt"]), max_size=8).map("/".join))
@settings(max_examples=300)
def test_no_path_leads_up_or_away(path):
    try:
        parts = parts_of(ROOT, path, folder=True)
    except ToolRefusal:
        return
    assert all(part not in {"", ".", ".."} and "/" not in part and "\0" not in part for part in parts)
    assert (ROOT.joinpath(*parts)).is_relative_to(ROOT)


def test_a_long_path_is_shown_bounded():
    assert shown_path("x" * 1000) == "x" * 200 + "…"
